// node engine.js MATCHES: random matches of four to six seats are recorded, then played again whenever asked.
//
// As in tests/bench/engine.py: every action is checked and logged, and the views it makes necessary are written as JSON:
// {"look": "none"}, "two" (the public one and that of the seat that acted) or "all". CPU seconds, the collector's included.

import internal from "boardgame.io/dist/cjs/internal.js";
import { answer, say } from "./asked.js";
import { Goofspiel } from "./goofspiel.js";

const { CreateGameReducer, InitializeGame, ProcessGameConfig, getFilterPlayerView } = internal;
const pick = (values) => values[Math.floor(Math.random() * values.length)];
const viewers = {
  none: () => [],
  two: (_match, actor) => [null, actor],
  all: (match) => [null, ...match.state.ctx.playOrder],
};
const bid = (playerID, card) => ({ type: "MAKE_MOVE", payload: { type: "bid", args: [card], playerID } });

class Match {
  constructor(seed, numPlayers) {
    this.game = ProcessGameConfig({ ...Goofspiel, seed });
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

say({ matches: recorded.length });
answer(({ look }) => play(look));
