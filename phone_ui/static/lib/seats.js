// Seats for people: symbols, names, and sentences that name seats.

import { cutAtSeats, isTranslated, message, say, sayCount } from "./language.js";
import { isRecord } from "./values.js";

/** @import { PublicSeat, PublicState } from "./messages.d.ts" */

/**
 * The symbols that distinguish seats without color, as in hub.ports.SEAT_MARKS.
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
 * Return whether this is a map with seats as keys.
 * @param {any} value
 */
export const isBySeat = (value) => isRecord(value) && Object.keys(value).every((key) => key in MARKS);

/**
 * Return the table's entry of a seat, if any.
 * @param {PublicState | null} state
 * @param {number | string | null | undefined} seat
 */
export const placeOf = (state, seat) => state?.seats?.find((place) => place.seat === Number(seat));

/**
 * Return whether the house plays at this seat because it is free.
 * @param {PublicSeat} place
 */
export const isHouse = (place) => Boolean(place.house) && !place.stands_in;

/**
 * Return the name of a seat: the player's name, or "Seat 2".
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const seatName = (state, seat) => placeOf(state, seat)?.name || say("Seat {seat}", { seat });

/**
 * Return the length of the longest word in a name, so that its place is wide enough for it.
 * @param {string} name
 */
export const longestWord = (name) => Math.max(...name.split(/(?<=-)| /).map((word) => word.length), 5);

/** @param {string} name */
const isHubs = (name) => /^(House|Seat) \d$/.test(name);

/**
 * Return a person's name, in isolates if the sentence is translated, so that it is not taken for part of the sentence.
 * @param {string} name
 */
export const isolated = (name) => (isHubs(name) || !isTranslated() ? name : `\u2068${name}\u2069`);

/**
 * Return the name of a seat for a sentence: the player's name, or "Seat 2".
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const calledName = (state, seat) =>
  isNamed(state, seat) ? isolated(seatName(state, seat)) : say("Seat {seat}", { seat });

/**
 * Return the same in the language of the page: "Seat 2" is translated, a name is not.
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const spokenName = (state, seat) => say(calledName(state, seat));

/**
 * Return a sentence with the winners. `names` are the `count` winners.
 * @param {string} names
 * @param {number} count
 */
export const winnersText = (names, count) =>
  count ? sayCount("{names} wins", "{names} win", count, { names }) : say("Nobody wins");

/**
 * Return the value of the attribute `translate` for an element with a seat's name.
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const nameStays = (state, seat) => (isNamed(state, seat) && !isHubs(seatName(state, seat)) ? "no" : undefined);

/**
 * Return the state of a finished match with the names of its players, even if other people sit there now.
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
 * Return whether a player has given this seat a name.
 * @param {PublicState | null} state
 * @param {number | string} seat
 */
export const isNamed = (state, seat) => Boolean(placeOf(state, seat)?.name);

/**
 * Return "seat 2, orange triangle", for screen readers.
 * @param {number | string} seat
 */
export const seatText = (seat) => say("seat {seat}, {mark}", { seat, mark: MARKS[seat]?.name ?? "" });

/**
 * Split a sentence of the hub, in the language of the page, at every "Seat 2", so that a page can put symbol and name
 * there: strings and numbers.
 * @param {string | null | undefined} text
 * @returns {(string | number)[]}
 */
export const splitAtSeats = (text) => cutAtSeats(say(String(text ?? "")));

/**
 * Return a sentence with the seats' names in it, for places that allow only text.
 * @param {PublicState} state
 * @param {string} text
 */
export function withNames(state, text) {
  return splitAtSeats(text)
    .map((part) => (typeof part === "number" ? spokenName(state, part) : part))
    .join("");
}
