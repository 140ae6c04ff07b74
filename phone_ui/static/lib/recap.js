// A recap of a match as text, for people to keep: public facts, and the seat of this phone.

import { ranking, scoreText } from "./labels.js";
import { say } from "./language.js";
import { asPlayed, spokenName, winnersText, withNames } from "./seats.js";

/** @import { Labels } from "./types.d.ts" */
/** @import { PublicState } from "./messages.d.ts" */

/**
 * Return the recap of a finished match, for the phone at `seat` (null: a spectator).
 * @param {Labels | null} labels
 * @param {PublicState} newest
 * @param {number | null} seat
 * @param {Date} now
 */
export function recap(labels, newest, seat, now) {
  const state = asPlayed(newest);
  const over = state.over ?? { winners: [], scores: {}, why: "" };
  const places = ranking(labels, over);
  const winners = over.winners.map((one) => spokenName(state, one)).join(` ${say("and")} `);
  const own = places.findIndex((place) => place.seat === seat);
  const lines = [
    `${say(state.title)}, ${state.name}, ${dayOf(now)}`,
    "",
    `${winnersText(winners, over.winners.length)}. ${withNames(state, over.why)}`,
    "",
    ...places.map(({ seat: one, score }, at) => `${at + 1}. ${spokenName(state, one)}: ${scoreText(labels, score)}`),
  ];
  if (state.highlights.length) lines.push("", ...state.highlights.map((text) => withNames(state, text)));
  if (own >= 0)
    lines.push("", say("Saved at seat {seat}, as {name}.", { seat, name: spokenName(state, places[own].seat) }));
  return `${lines.join("\r\n")}\r\n`.replace(/[\u2068\u2069]/g, ""); // isolates are only needed on pages
}

/**
 * Return a file name for the recap.
 * @param {PublicState} state
 * @param {Date} now
 */
export const recapName = (state, now) => `${state.game ?? "match"}-${dayOf(now)}.txt`;

/** @param {Date} now */
function dayOf(now) {
  const two = (/** @type {number} */ number) => `${number}`.padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
