// The events of the match that is shown: those that a state brings, and earlier ones, which the hub tells when it is asked.

import { notOlder } from "./view.js";

/** @import { Facts, Labels } from "./types.d.ts" */
/** @import { EventsPage, PublicEvent, PublicState } from "./messages.d.ts" */

const KEPT = 100;
const ENOUGH = 30; // what a page wants to look back on: the newest of a kind, lines that were missed
const PATIENCE = 3_000; // ms
const TRIES = 4;

/**
 * Return a page of the events before one of a state's match; rejects where the hub does not answer, or tells of another
 * match, or of one in which something was taken back.
 * @param {{ table: string, match: string | null, epoch: number }} state
 * @param {number} before
 * @returns {Promise<EventsPage>}
 */
export async function eventsBefore(state, before) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), PATIENCE);
  try {
    const answer = await fetch(`/t/${state.table}/events/${before}.json`, { cache: "no-store", signal: ending.signal });
    /** @type {EventsPage} */
    const page = await answer.json();
    if (!answer.ok || keyOf(page) !== keyOf(state)) throw new Error("The hub tells of no such events.");
    return page;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What tells the events of a state from those of another match, or of one in which something was taken back.
 * @param {{ match: string | null, epoch: number }} of
 */
export const keyOf = ({ match, epoch }) => `${match} ${epoch}`;

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
    if (isPast()) return;
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
    const isShort = known.length > 0 && known[0].n > 0 && known.length < ENOUGH && asked !== keyOf(next);
    if (!asking && (waiting || isShort)) ask(next);
    show();
  };
}

/**
 * @param {PublicEvent[]} before
 * @param {PublicEvent[]} after
 */
const hasGap = (before, after) => before.length > 0 && after.length > 0 && before[before.length - 1].n + 1 < after[0].n;

/**
 * Return events in one list, oldest first; only the newer ones where some are missing between them.
 * @param {PublicEvent[]} before
 * @param {PublicEvent[]} after
 */
const joined = (before, after) =>
  hasGap(before, after) || !after.length ? after : [...before.filter(({ n }) => n < after[0].n), ...after];

/**
 * Return all events of the match, oldest first: those that the state has, and earlier ones as the hub tells them. Rejects
 * where it does not answer, or tells of another match.
 * @param {PublicState} state
 * @returns {Promise<PublicEvent[]>}
 */
export async function allEvents(state) {
  let events = state.events;
  while (events.length && events[0].n > 0) {
    const page = await eventsBefore(state, events[0].n);
    if (!page.events.length) throw new Error("The hub tells of no such events.");
    events = [...page.events, ...events];
  }
  return events;
}

/**
 * Return the events that changed what a seat counts, oldest first.
 * @param {PublicEvent[]} events
 * @param {number} seat
 * @param {string[]} what names of facts
 */
export function changesOf(events, seat, what) {
  return events.filter(({ data }) => data.sum && data.seat === seat && what.includes(data.what));
}

/**
 * Return the names of the facts that a score is: those that count and are equal to it now, else all that count.
 * @param {Labels | null} labels
 * @param {Facts | undefined} own what everybody sees of the seat
 * @param {any} score
 */
export function scoredFacts(labels, own, score) {
  const counted = Object.entries(labels?.facts ?? {})
    .filter(([, about]) => about.counted && about.where === "seat")
    .map(([key, about]) => about.name ?? key);
  const equal = counted.filter((name) => own?.[name] === score);
  return equal.length ? equal : counted;
}
