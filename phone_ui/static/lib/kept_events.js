// The newest events of the match on the screen: those of the states received, and earlier ones from the hub.

import { readMessage } from "./language.js";
import { notOlder } from "./view.js";

/** @import { EventsPage, PublicEvent, PublicState } from "./messages.d.ts" */

const KEPT = 100;
const ENOUGH = 30; // enough for a page: the newest event of a kind, and missed lines
const TRIES = 4;
const PATIENCE = 3_000; // ms

/**
 * Return a key that differs for another match, and after an undo.
 * @param {{ match: string | null, epoch: number }} of
 */
export const keyOf = ({ match, epoch }) => `${match} ${epoch}`;

/**
 * Return a page of the events before one of a state's match. Rejects if the hub does not answer, or if there was an undo
 * or another match.
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
 * Return a function that takes each public state and passes it on with enough events, unless it is old. A state itself
 * has only the newest events: earlier ones are stored here, and missed ones are requested from the hub. Meanwhile newer
 * events wait, so that `onState` gets events in order.
 * @template {PublicState} State
 * @param {(state: State) => void} onState also called when earlier events have arrived
 * @returns {(next: State) => void}
 */
export function withEvents(onState) {
  /** @type {State | null} */
  let newest = null;
  /** @type {PublicEvent[]} */
  let known = []; // without a gap, as all lists here
  /** @type {PublicEvent[] | null} */
  let waiting = null; // events after a gap
  let stoodIn = /** @type {State["stood_in"]} */ ({});
  let asking = false;
  let asked = ""; // the match of the last request; for this one, only missed events are requested again

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
      before = first(); // changes if more events were missed in the meantime
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
 * Return events in one list, oldest first. If there is a gap between them, return only the newer ones.
 * @param {PublicEvent[]} before
 * @param {PublicEvent[]} after
 */
const joined = (before, after) =>
  hasGap(before, after) || !after.length ? after : [...before.filter(({ n }) => n < after[0].n), ...after];
