// node colyseus/clients.js PORT SEATS: the phones of matches at a Colyseus server, as bare as can be.
//
// What they are asked stands in match.js; a move is over when all six hold the state that came of it.

import { Client } from "@colyseus/sdk";
import { pick, serve, Waiting } from "../match.js";

const [port, count] = process.argv.slice(2).map(Number);
const PATIENCE = 500;

class Phone extends Waiting {
  async sit(room) {
    const client = new Client(`ws://127.0.0.1:${port}`);
    this.room = await (room ? client.joinById(room) : client.create("goofspiel"));
    this.room.onStateChange(() => this.noticed?.());
  }

  get state() {
    return this.room.state;
  }

  get own() {
    return this.state.players.get(this.room.sessionId);
  }

  holds(held) {
    return this.until(() => held(this.state));
  }
}

class Match {
  async sitDown() {
    this.phones = Array.from({ length: count }, () => new Phone());
    await this.phones[0].sit();
    for (const phone of this.phones.slice(1)) await phone.sit(this.phones[0].room.roomId);
    await Promise.all(this.phones.map((phone) => phone.holds((state) => state.players?.size === count)));
    return this;
  }

  get moves() {
    return Math.max(...this.phones.map((phone) => phone.state.moves));
  }

  async all(act) {
    const next = this.moves + 1;
    act();
    await Promise.all(this.phones.map((phone) => phone.holds((state) => state.moves >= next)));
  }

  async move() {
    if (!this.phones[0].state.prize) await this.all(() => this.phones[0].room.send("again"));
    const phone = pick(this.phones.filter((one) => !one.own.locked));
    const began = performance.now();
    await this.all(() => phone.room.send("bid", pick([...phone.own.hand])));
    return performance.now() - began;
  }

  async atOnce() {
    await this.all(() => this.phones[0].room.send("again"));
    const before = this.moves;
    for (const phone of this.phones) phone.room.send("bid", pick([...phone.own.hand]));
    await this.phones[0].until(() => this.phones[0].state.moves - before >= count, PATIENCE);
    return this.phones[0].state.moves - before;
  }
}

const open = () => new Match().sitDown();
serve([await open()], open);
