// What the clients of every server have in common: matches of six, an action a second each, bids in the same instant.
//
// A match has `move()`, which makes somebody's legal move and resolves with the milliseconds until all have seen it, and
// `atOnce()`, which bids for everybody in the same instant and resolves with how many bids were taken.

import { answer, say } from "./asked.js";

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, Math.max(0, milliseconds)));

export const pick = (values) => values[Math.floor(Math.random() * values.length)];

/** Whoever waits until something holds; `noticed` is called whenever it may hold by now. */
export class Waiting {
  async until(held, patience = Number.POSITIVE_INFINITY) {
    const late = performance.now() + patience;
    for (;;) {
      const found = held();
      if (found || performance.now() > late) return found;
      const next = new Promise((resolve) => (this.noticed = resolve));
      await (patience === Number.POSITIVE_INFINITY ? next : Promise.race([next, pause(late - performance.now() + 1)]));
    }
  }
}

/** One action a second at each match for so many seconds; milliseconds of each. */
async function crowd(matches, seconds) {
  const took = [];
  let late = 0;
  const play = async (match, place) => {
    const began = performance.now() + (1000 * place) / matches.length;
    for (let turn = 0; turn < seconds; turn++) {
      const due = began + 1000 * turn;
      if (performance.now() > due + 500) late += 1;
      await pause(due - performance.now());
      took.push(await match.move());
    }
  };
  await Promise.all(matches.map(play));
  return { took, late };
}

/** Answer {"open": N}, {"moves": N}, {"seconds": S} and {"rounds": N}; `open(asked)` makes a match that has begun. */
export function serve(matches, open, others = async () => ({})) {
  say({ matches: matches.length });
  return answer(async (asked) => {
    if (asked.open) {
      const began = performance.now();
      while (matches.length < asked.open) matches.push(await open());
      return { matches: matches.length, milliseconds: performance.now() - began };
    }
    if (asked.seconds) return crowd(matches, asked.seconds);
    if (asked.rounds) {
      const taken = [];
      while (taken.length < asked.rounds) taken.push(await matches[0].atOnce());
      return { taken };
    }
    if (asked.moves) {
      const took = [];
      await matches[0].see?.(asked.seq ?? 0);
      while (took.length < asked.moves) took.push(await matches[0].move());
      return { took };
    }
    return others(asked);
  });
}
