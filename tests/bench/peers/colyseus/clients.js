// node colyseus/clients.js PORT SEATS: the phones of one match at a Colyseus server, as bare as can be.
//
// Asked {"moves": N}: one of them bids; the move is over when all of them hold the state that came of it. Milliseconds.

import { Client } from "@colyseus/sdk";
import { answer, say } from "../asked.js";

const [port, count] = process.argv.slice(2).map(Number);
const pick = (values) => values[Math.floor(Math.random() * values.length)];

class Phone {
  async sit() {
    this.room = await new Client(`ws://127.0.0.1:${port}`).joinOrCreate("goofspiel");
    this.room.onStateChange(() => this.noticed?.());
  }

  get state() {
    return this.room.state;
  }

  get own() {
    return this.state.players.get(this.room.sessionId);
  }

  async until(held) {
    while (!held(this.state)) await new Promise((resolve) => (this.noticed = resolve));
  }
}

const phones = Array.from({ length: count }, () => new Phone());
for (const phone of phones) await phone.sit();

async function all(act) {
  const next = Math.max(...phones.map((phone) => phone.state.moves)) + 1;
  act();
  await Promise.all(phones.map((phone) => phone.until((state) => state.moves >= next)));
}

async function move() {
  if (!phones[0].state.prize) await all(() => phones[0].room.send("again"));
  const phone = pick(phones.filter((one) => !one.own.locked));
  const began = performance.now();
  await all(() => phone.room.send("bid", pick([...phone.own.hand])));
  return performance.now() - began;
}

await Promise.all(phones.map((phone) => phone.until((state) => state.players?.size === count)));
say({ seats: phones.length });
answer(async ({ moves }) => {
  const took = [];
  while (took.length < moves) took.push(await move());
  return { took };
});
