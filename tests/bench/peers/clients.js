// node clients.js PORT SEATS: the phones of one match, as bare as can be: they hold the newest state and parse no more.
//
// Asked {"moves": N}: one of them bids; the move is over when all of them hold the state that came of it. Milliseconds.

import { io } from "socket.io-client";
import { answer, say } from "./asked.js";

const [port, count] = process.argv.slice(2).map(Number);
const pick = (values) => values[Math.floor(Math.random() * values.length)];

class Phone {
  constructor(id) {
    this.id = `${id}`;
    this.state = null;
    this.socket = io(`http://127.0.0.1:${port}/goofspiel`, { transports: ["websocket"] });
    this.socket.on("sync", (_, synced) => this.hold(synced.state));
    this.socket.on("update", (_, state) => this.hold(state));
  }

  hold(state) {
    this.state = state;
    this.noticed?.();
  }

  async until(held) {
    while (!(this.state && held(this.state))) await new Promise((resolve) => (this.noticed = resolve));
  }

  sit(match) {
    this.state = null;
    this.socket.emit("sync", match, this.id, undefined, count);
    return this.until(() => true);
  }

  bid(match) {
    const card = pick(this.state.G.players[this.id].hand);
    const action = { type: "MAKE_MOVE", payload: { type: "bid", args: [card], playerID: this.id } };
    this.socket.emit("update", action, this.state._stateID, match, this.id);
  }
}

const phones = Array.from({ length: count }, (_, id) => new Phone(id));
let matches = 0;

async function sitDown() {
  matches += 1;
  await Promise.all(phones.map((phone) => phone.sit(`match ${matches}`)));
}

async function move() {
  if (phones[0].state.ctx.gameover !== undefined) await sitDown();
  const phone = pick(phones.filter((phone) => !phone.state.G.players[phone.id].locked));
  const next = phone.state._stateID + 1;
  const began = performance.now();
  phone.bid(`match ${matches}`);
  await Promise.all(phones.map((phone) => phone.until((state) => state._stateID >= next)));
  return performance.now() - began;
}

await sitDown();
say({ seats: phones.length });
answer(async ({ moves }) => {
  const took = [];
  while (took.length < moves) took.push(await move());
  return { took };
});
