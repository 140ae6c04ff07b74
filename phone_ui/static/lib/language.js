// The language of this page: chosen on this device, or the first of the browser's that the hub has; else English, in
// which everything is written. Only another language fetches catalogues and what reads them (lib/speaking.js).

import { languageSlot } from "./storage.js";

/** @import { Speaker } from "./types.d.ts" */

const WRITTEN_IN = "en";
const SEATS = /\b[Ss]eat (\d)\b/;
const NAMES = /(\u2068[^\u2069]*\u2069)/;

/** @type {{ speaker: Speaker | null, games: Set<string> }} */
const now = { speaker: null, games: new Set() };

/** Return the language that this page speaks. */
export const languageNow = () => now.speaker?.name ?? WRITTEN_IN;

/** Are sentences of this page said in another language? */
export const isTranslated = () => languageNow() !== WRITTEN_IN;

/**
 * Choose the language of the page and load it. A hub that cannot be reached leaves it as it is.
 * @param {readonly string[]} [wanted] the first of them that the hub has; without it the person's choice or the browser's
 */
export async function begin(wanted) {
  const asked = new URLSearchParams(location.search).get("language") ?? languageSlot.get();
  const wishes = asked ? [asked] : (wanted ?? navigator.languages);
  if (!now.speaker && (!wishes.length || wishes[0].split("-")[0] === WRITTEN_IN)) return;
  try {
    const { speak } = await import("./speaking.js");
    now.speaker = (await speak(wishes, now.games, now.speaker)) ?? now.speaker;
    now.speaker?.sayDocument();
  } catch {
    // As it is, then.
  }
}

/**
 * Have the sentences of a game, too.
 * @param {string} game
 */
export async function speakOf(game) {
  now.games.add(game);
  await now.speaker?.learn(game);
}

/**
 * Return a text in the language of the page.
 * @param {string} text
 * @returns {string}
 */
export const say = (text) => now.speaker?.say(text) ?? text;

/**
 * Return what htm has made, with its texts in the language of the page.
 * @param {any} made
 */
export const drawn = (made) => now.speaker?.draw(made) ?? made;

/**
 * Cut a sentence, in English or in the language of the page, at every "Seat 2", but not inside of a person's
 * name: strings and numbers.
 * @param {string} text
 * @returns {(string | number)[]}
 */
export function cutAtSeats(text) {
  const [around, name, ...after] = text.split(NAMES);
  const parts = [];
  for (let rest = around; rest; ) {
    const found = (now.speaker?.seats ?? SEATS).exec(rest);
    if (!found) {
      parts.push(rest);
      break;
    }
    if (found.index) parts.push(rest.slice(0, found.index));
    parts.push(Number(found.slice(1).find((one) => one !== undefined)));
    rest = rest.slice(found.index + found[0].length);
  }
  return name ? [...parts, name, ...cutAtSeats(after.join(""))] : parts;
}
