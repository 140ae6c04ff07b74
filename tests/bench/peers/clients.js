// node clients.js PORT SEATS: the phones of matches at a boardgame.io server, as bare as can be: they hold the newest state and
// parse no more. What they are asked stands in match.js; a move is over when all six hold the state that came of it.

import { io } from "socket.io-client";
import { pick, serve, Waiting } from "./match.js";

const [port, count] = process.argv.slice(2).map(Number);
const PATIENCE = 500; // milliseconds after which a bid that nobody has seen is counted as lost
let begun = 0;

class Phone extends Waiting {
  constructor(id, game = "goofspiel") {
    super();
    this.id = `${id}`;
    this.state = null;
    this.socket = io(`http://127.0.0.1:${port}/${game}`, { transports: ["websocket"], forceNew: true });
    this.socket.on("sync", (_, synced) => this.hold(synced.state));
    this.socket.on("update", (_, state) => this.hold(state));
  }

  hold(state) {
    this.state = state;
    this.noticed?.();
  }

  holds(held) {
    return this.until(() => this.state && held(this.state));
  }

  sit(match) {
    this.state = null;
    this.socket.emit("sync", match, this.id, undefined, count);
    return this.holds(() => true);
  }

  bid(match, card = pick(this.state.G.players[this.id].hand)) {
    const action = { type: "MAKE_MOVE", payload: { type: "bid", args: [card], playerID: this.id } };
    this.socket.emit("update", action, this.state._stateID, match, this.id);
  }
}

class Match {
  constructor(game) {
    this.phones = Array.from({ length: count }, (_, id) => new Phone(id, game));
  }

  async sitDown() {
    begun += 1;
    this.name = `match ${begun}`;
    await Promise.all(this.phones.map((phone) => phone.sit(this.name)));
    return this;
  }

  async move() {
    if (this.phones[0].state.ctx.gameover !== undefined) await this.sitDown();
    const phone = pick(this.phones.filter((phone) => !phone.state.G.players[phone.id].locked));
    const next = phone.state._stateID + 1;
    const began = performance.now();
    phone.bid(this.name);
    await Promise.all(this.phones.map((phone) => phone.holds((state) => state._stateID >= next)));
    return performance.now() - began;
  }

  async atOnce() {
    await this.sitDown();
    const before = this.phones[0].state._stateID;
    for (const phone of this.phones) phone.bid(this.name);
    const taken = () => this.phones[0].state._stateID - before;
    await this.phones[0].until(() => taken() >= count, PATIENCE);
    return taken();
  }
}

const open = () => new Match("goofspiel").sitDown();
serve([await open()], open, async ({ strict }) => {
  const match = new Match("goofspiel-default"); // moves as boardgame.io takes them by default
  const taken = [];
  while (taken.length < strict) taken.push(await match.atOnce());
  return { taken };
});
