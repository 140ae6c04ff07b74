// node colyseus/server.js: a Colyseus server on a free port of this machine's loopback, with the Goofspiel of ../goofspiel.js.
//
// Written the way that is quickest for Colyseus: no patch by the clock, one after each move. What a player has bid stays in the
// room, outside of the state that everybody gets. Answers {"memory": true} with the megabytes it holds.

import { Room, Server } from "@colyseus/core";
import { schema, t } from "@colyseus/schema";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { answer, say } from "../asked.js";

const CARDS = 13;
const cards = () => Array.from({ length: CARDS }, (_, i) => i + 1);

const Player = schema({ score: t.number(), hand: t.array("number"), locked: t.boolean() });
const Table = schema({
  moves: t.number(),
  prize: t.number(),
  coming: t.array("number"),
  revealed: t.array("number"),
  players: t.map(Player),
});

class Goofspiel extends Room {
  patchRate = null;
  maxClients = 6;
  state = new Table();
  bids = new Map();

  onCreate() {
    this.onMessage("bid", (client, card) => this.bid(client.sessionId, card));
    this.onMessage("again", () => this.deal());
  }

  onJoin(client) {
    this.state.players.set(client.sessionId, new Player());
    this.deal();
  }

  deal() {
    const prizes = cards();
    for (let n = prizes.length - 1; n > 0; n--) {
      const other = Math.floor(Math.random() * (n + 1));
      [prizes[n], prizes[other]] = [prizes[other], prizes[n]];
    }
    this.bids.clear();
    this.prizes = prizes;
    this.state.prize = prizes.shift();
    this.state.coming = [...prizes].sort((a, b) => a - b);
    this.state.revealed = [];
    for (const player of this.state.players.values()) Object.assign(player, { score: 0, hand: cards(), locked: false });
    this.show();
  }

  bid(who, card) {
    const { players } = this.state;
    if (!players.get(who).hand.includes(card) || this.state.prize === 0) return;
    this.bids.set(who, card);
    players.get(who).locked = true;
    if (this.bids.size === players.size) {
      this.award();
      if (this.prizes.length === 0 && this.state.prize) {
        for (const [id, player] of players) this.bids.set(id, player.hand[0]); // the last card goes by itself
        this.award();
      }
    }
    this.show();
  }

  award() {
    const { players } = this.state;
    const best = Math.max(...this.bids.values());
    const takers = [...this.bids].filter(([, card]) => card === best);
    if (takers.length === 1) players.get(takers[0][0]).score += this.state.prize;
    this.state.revealed = [...this.bids.values()];
    for (const [id, card] of this.bids) {
      const player = players.get(id);
      player.hand.splice(player.hand.indexOf(card), 1);
      player.locked = false;
    }
    this.bids.clear();
    this.state.prize = this.prizes.shift() ?? 0;
    this.state.coming = [...this.prizes].sort((a, b) => a - b);
  }

  show() {
    this.state.moves = (this.state.moves ?? 0) + 1;
    this.broadcastPatch();
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define("goofspiel", Goofspiel);
await server.listen(0, "127.0.0.1");
say({ port: server.transport.server.address().port });
answer(() => ({ megabytes: process.memoryUsage().rss / 2 ** 20 }));
