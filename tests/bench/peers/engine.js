// node engine.js MATCHES: random matches of four to six seats are recorded, then played again whenever asked.
//
// As in tests/bench/engine.py: every action is checked and logged, and the views it makes necessary are written as JSON:
// {"look": "none"}, "two" (the public one and that of the seat that acted) or "all". CPU seconds, the collector's included.
//
// {"grow": N}: one long match of three seats, a ladder that everybody climbs, with two views an action: microseconds and bytes an action
// in each tenth. {"resume": N}: milliseconds in which such a match comes back from its log, as text, through the reducer.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import core from "boardgame.io/dist/cjs/core.js";
import internal from "boardgame.io/dist/cjs/internal.js";
import { answer, say } from "./asked.js";
import { Goofspiel } from "./goofspiel.js";

const { ActivePlayers } = core;

const { CreateGameReducer, InitializeGame, ProcessGameConfig, getFilterPlayerView } = internal;
const pick = (values) => values[Math.floor(Math.random() * values.length)];
const viewers = {
  none: () => [],
  two: (_match, actor) => [null, actor],
  all: (match) => [null, ...match.state.ctx.playOrder],
};
const bid = (playerID, card) => ({ type: "MAKE_MOVE", payload: { type: "bid", args: [card], playerID } });

class Match {
  constructor(seed, numPlayers, game = Goofspiel) {
    this.game = ProcessGameConfig({ ...game, seed });
    this.reduce = CreateGameReducer({ game: this.game });
    this.view = getFilterPlayerView(this.game);
    this.state = InitializeGame({ game: this.game, numPlayers });
    this.log = [];
  }

  act(action) {
    const next = this.reduce(this.state, action);
    if (next._stateID === this.state._stateID) throw new Error("a legal move was refused");
    this.state = next;
    this.log.push(...next.deltalog);
  }

  shown(playerID) {
    return JSON.stringify(this.view(playerID, { type: "update", args: ["match", this.state] }));
  }
}

function record(number) {
  const seats = 4 + (number % 3);
  const match = new Match(`bench ${number}`, seats);
  const actions = [];
  while (match.state.ctx.gameover === undefined) {
    const [id, player] = pick(Object.entries(match.state.G.players).filter(([, player]) => player.bid === null));
    actions.push(bid(id, pick(player.hand)));
    match.act(actions.at(-1));
  }
  return { seed: `bench ${number}`, seats, actions };
}

const recorded = Array.from({ length: Number(process.argv[2]) }, (_, number) => record(number));

function play(look) {
  let actions = 0;
  const start = process.cpuUsage();
  for (const { seed, seats, actions: taken } of recorded) {
    const match = new Match(seed, seats);
    for (const action of taken) {
      match.act(action);
      for (const viewer of viewers[look](match, action.payload.playerID)) match.shown(viewer);
    }
    actions += taken.length;
  }
  const { user, system } = process.cpuUsage(start);
  return { actions, seconds: (user + system) / 1e6 };
}

setFlagsFromString("--expose_gc");
const collect = runInNewContext("gc");

const climb = (playerID) => ({ type: "MAKE_MOVE", payload: { type: "climb", args: [1], playerID } });

/** A match that has as many actions as one likes, in one turn as Goofspiel. */
class Ladder extends Match {
  constructor() {
    super("ladder", 3, {
      setup: () => ({ rungs: 0 }),
      turn: { activePlayers: ActivePlayers.ALL },
      moves: {
        climb: ({ G }, by) => {
          G.rungs += by;
        },
      },
    });
  }

  climb(actions) {
    for (let n = 0; n < actions; n++) {
      const action = climb(`${n % 3}`);
      this.act(action);
      for (const viewer of [null, action.payload.playerID]) this.shown(viewer);
    }
    return this;
  }
}

function grow(actions) {
  new Ladder().climb(500);
  const [match, us, bytes] = [new Ladder(), [], []];
  for (let tenth = 0; tenth < 10; tenth++) {
    collect();
    const held = process.memoryUsage().heapUsed;
    const start = process.cpuUsage();
    match.climb(actions / 10);
    const { user, system } = process.cpuUsage(start);
    us.push((10 * (user + system)) / actions);
    collect();
    bytes.push((10 * (process.memoryUsage().heapUsed - held)) / actions);
  }
  return { us, bytes };
}

function resume(actions) {
  const log = new Ladder().climb(actions).log.map((entry) => JSON.stringify(entry));
  const ms = [];
  while (ms.length < 5) {
    const began = process.cpuUsage();
    const match = new Ladder();
    for (const line of log) match.act(JSON.parse(line).action);
    const { user, system } = process.cpuUsage(began);
    ms.push((user + system) / 1e3);
  }
  return { ms };
}

say({ matches: recorded.length });
answer((asked) => (asked.grow ? grow(asked.grow) : asked.resume ? resume(asked.resume) : play(asked.look)));
