// The newest events of the match that is shown, as a page needs them: those of states that came, and earlier ones.

import { readMessage } from "./language.js";
import { notOlder } from "./view.js";

/** @import { EventsPage, PublicEvent, PublicState } from "./messages.d.ts" */

const KEPT = 100;
const ENOUGH = 30; // what a page wants to look back on: the newest of a kind, lines that were missed
const TRIES = 4;
const PATIENCE = 3_000; // ms

/**
 * What tells the events of a state from those of another match, or of one in which something was taken back.
 * @param {{ match: string | null, epoch: number }} of
 */
export const keyOf = ({ match, epoch }) => `${match} ${epoch}`;

/**
 * Return a page of the events before one of a state's match; rejects where the hub does not answer, or tells of another
 * match, or of one in which something was taken back.
 * @param {{ table: string, match: string | null, epoch: number }} state
 * @param {number} before
 * @returns {Promise<EventsPage>}
 */
export async function eventsBefore(state, before) {
  const signal = AbortSignal.timeout(PATIENCE);
  const answer = await fetch(`/t/${state.table}/events/${before}.json`, { cache: "no-store", signal });
  /** @type {EventsPage} */
  const page = readMessage(await answer.text());
  if (!answer.ok || keyOf(page) !== keyOf(state)) throw new Error("No such events.");
  return page;
}

/**
 * Return what takes each public state as it comes and hands it on, unless it is old, with as many events as a page needs: a
 * state brings the newest ones alone. Those that came before are kept; what was missed, or was there before the page, the
 * hub is asked for. While it is asked for what was missed, the newer ones wait: so events are seen in their order.
 * @template {PublicState} State
 * @param {(state: State) => void} onState called once more when earlier events have come
 * @returns {(next: State) => void}
 */
export function withEvents(onState) {
  /** @type {State | null} */
  let newest = null;
  /** @type {PublicEvent[]} */
  let known = []; // without a gap, as all lists here
  /** @type {PublicEvent[] | null} */
  let waiting = null; // those after a gap
  let stoodIn = /** @type {State["stood_in"]} */ ({});
  let asking = false;
  let asked = ""; // of this match nothing more is asked for than what was missed

  const show = () => newest && onState({ ...newest, events: known, stood_in: stoodIn });
  const fill = () => {
    if (!newest || asking) return;
    const isShort = (known[0]?.n ?? 0) > 0 && known.length < ENOUGH && asked !== keyOf(newest);
    if (waiting || isShort) ask(newest);
  };
  /** @param {State} state */
  const ask = async (state) => {
    const key = keyOf(state);
    const first = () => (waiting ?? known)[0].n;
    const isPast = () => !newest || keyOf(newest) !== key;
    asking = true;
    asked = key;
    /** @type {EventsPage | null} */
    let page = null;
    for (let tries = 0, before = -1; tries < TRIES && !isPast() && before !== first(); tries += 1) {
      before = first(); // another one where still more was missed meanwhile
      page = await eventsBefore(state, before).catch(() => null);
    }
    asking = false;
    if (isPast()) return fill();
    const found = joined(page?.events ?? [], waiting ?? known);
    known = waiting ? joined(known, found) : found;
    waiting = null;
    stoodIn = { ...page?.stood_in, ...stoodIn };
    show();
  };

  return (next) => {
    if (!notOlder(newest, next)) return;
    const follows = newest && keyOf(newest) === keyOf(next);
    newest = next;
    if (!follows) [known, waiting, stoodIn] = [[], null, {}];
    stoodIn = { ...stoodIn, ...next.stood_in };
    if (waiting || hasGap(known, next.events)) waiting = joined(waiting ?? [], next.events);
    else known = joined(known, next.events).slice(-KEPT);
    fill();
    show();
  };
}

/**
 * @param {PublicEvent[]} before
 * @param {PublicEvent[]} after
 */
const hasGap = (before, after) => (before.at(-1)?.n ?? Infinity) + 1 < (after[0]?.n ?? 0);

/**
 * Return events in one list, oldest first; only the newer ones where some are missing between them.
 * @param {PublicEvent[]} before
 * @param {PublicEvent[]} after
 */
const joined = (before, after) =>
  hasGap(before, after) || !after.length ? after : [...before.filter(({ n }) => n < after[0].n), ...after];
