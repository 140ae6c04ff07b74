// Earlier events of the match that is shown, back to its first: the hub tells them when it is asked.

import { eventsBefore } from "./kept_events.js";

/** @import { Facts, Labels } from "./types.d.ts" */
/** @import { PublicEvent, PublicState } from "./messages.d.ts" */

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
