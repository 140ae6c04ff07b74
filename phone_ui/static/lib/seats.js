// Seats as people tell them apart: symbols, names, and sentences that name seats.

import { cutAtSeats, isTranslated, message, say, sayCount } from "./language.js";
import { isRecord } from "./values.js";

/** @import { PublicSeat, PublicState } from "./messages.d.ts" */

/**
 * How a seat is told apart without colour; the same table as hub.ports.SEAT_MARKS.
 * @type {Record<string, { symbol: string, name: string }>}
 */
export const MARKS = {
  1: { symbol: "●", name: message("blue circle") },
  2: { symbol: "▲", name: message("orange triangle") },
  3: { symbol: "■", name: message("green square") },
  4: { symbol: "◆", name: message("magenta diamond") },
  5: { symbol: "★", name: message("yellow star") },
  6: { symbol: "✚", name: message("white cross") },
};

/**
 * Is this a map by seat, seats as keys?
 * @param {any} value
 */
export const isBySeat = (value) => isRecord(value) && Object.keys(value).every((key) => key in MARKS);

/**
 * Return the table's entry of a seat.
 * @param {PublicState | null} state
 * @param {number | string | null | undefined} seat
 */
export const placeOf = (state, seat) => state?.seats?.find((place) => place.seat === Number(seat));

/**
 * Does the house play at this seat because nobody sits there?
 * @param {PublicSeat} place
 */
export const isHouse = (place) => Boolean(place.house) && !place.stands_in;

/**
 * Return what a person calls a seat: the nick name, or "Seat 2".
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const seatName = (state, seat) => placeOf(state, seat)?.name || say("Seat {seat}", { seat });

/**
 * Return how many letters the longest word of a name has: as wide its place has to be, so that no word is broken.
 * @param {string} name
 */
export const longestWord = (name) => Math.max(...name.split(/(?<=-)| /).map((word) => word.length), 5);

/** @param {string} name */
const isHubs = (name) => /^(House|Seat) \d$/.test(name);

/**
 * Return a person's name for a sentence that is translated: between isolates it is no part of it.
 * @param {string} name
 */
export const isolated = (name) => (isHubs(name) || !isTranslated() ? name : `\u2068${name}\u2069`);

/**
 * Return what a sentence calls a seat: a name, or "Seat 2".
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const calledName = (state, seat) =>
  isNamed(state, seat) ? isolated(seatName(state, seat)) : say("Seat {seat}", { seat });

/**
 * Return the same in the language of the page: a name stays, "Seat 2" does not.
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const spokenName = (state, seat) => say(calledName(state, seat));

/**
 * Return who has won; `names` are those of the `count` winners.
 * @param {string} names
 * @param {number} count
 */
export const winnersText = (names, count) =>
  count ? sayCount("{names} wins", "{names} win", count, { names }) : say("Nobody wins");

/**
 * Return the attribute `translate` of an element with a seat's name.
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const nameStays = (state, seat) => (isNamed(state, seat) && !isHubs(seatName(state, seat)) ? "no" : undefined);

/**
 * Return the state of a match that is over with the names of those who played it, whoever sits there by now.
 * @template {PublicState} T
 * @param {T} state
 * @returns {T}
 */
export const asPlayed = (state) => ({
  ...state,
  seats: state.seats.map((place) => {
    const name = state.played[place.seat];
    return name === undefined || name === place.name ? place : { ...place, name, house: "", stands_in: false };
  }),
});

/**
 * Has somebody given this seat a name?
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const isNamed = (state, seat) => Boolean(placeOf(state, seat)?.name);

/**
 * Return "seat 2, orange triangle", for those who hear the page.
 * @param {number | string} seat
 */
export const seatText = (seat) => say("seat {seat}, {mark}", { seat, mark: MARKS[seat]?.name ?? "" });

/**
 * Cut a sentence of the hub, in the language of the page, at every "Seat 2", so that a page can put symbol and name
 * there: strings and numbers.
 * @param {string | null | undefined} text
 * @returns {(string | number)[]}
 */
export const splitAtSeats = (text) => cutAtSeats(say(String(text ?? "")));

/**
 * Return a sentence with the seats' names in it, for where only text may stand.
 * @param {PublicState} state
 * @param {string} text
 */
export function withNames(state, text) {
  return splitAtSeats(text)
    .map((part) => (typeof part === "number" ? spokenName(state, part) : part))
    .join("");
}
