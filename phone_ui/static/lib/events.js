// All events of the match on the screen, back to its first one. Earlier ones are requested from the hub.

import { eventsBefore } from "./kept_events.js";

/** @import { Facts, Labels } from "./types.d.ts" */
/** @import { PublicEvent, PublicState } from "./messages.d.ts" */

/**
 * Return all events of the match, oldest first: those in the state, and earlier ones from the hub. Rejects if the hub does
 * not answer, or has another match by now.
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
 * Return the events that changed a count of a seat, oldest first.
 * @param {PublicEvent[]} events
 * @param {number} seat
 * @param {string[]} what names of facts
 */
export function changesOf(events, seat, what) {
  return events.filter(({ data }) => data.sum && data.seat === seat && what.includes(data.what));
}

/**
 * Return the names of the facts that make up a score: the counted ones that equal it now, else all counted ones.
 * @param {Labels | null} labels
 * @param {Facts | undefined} own the public facts of the seat
 * @param {any} score
 */
export function scoredFacts(labels, own, score) {
  const counted = Object.entries(labels?.facts ?? {})
    .filter(([, about]) => about.counted && about.where === "seat")
    .map(([key, about]) => about.name ?? key);
  const equal = counted.filter((name) => own?.[name] === score);
  return equal.length ? equal : counted;
}
