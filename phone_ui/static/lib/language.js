// The language of this page: chosen on this device, or the first of the browser's languages that the hub has, else English,
// the language of the sources. Only another language loads catalogues and the code for them (lib/speaking.js).

import { languageSlot } from "./storage.js";

/** @import { MadeOf as MessageTexts } from "./messages.d.ts" */
/** @import { Speaker, Values } from "./types.d.ts" */

const WRITTEN_IN = "en";
const SEATS = /\b[Ss]eat (\d)\b/;
/** A place in a template, with its name. */
export const PLACES = /\{(\w+)\}/g;
const NAMES = /(\u2068[^\u2069]*\u2069)/;

const MOST_UNREAD = 200;

/** @type {{ speaker: Speaker | null, games: Set<string> }} */
const now = { speaker: null, games: new Set() };

/**
 * The parts of the sentences in recent messages of the hub. They are only read if the page is not in English.
 * @type {MessageTexts[]}
 */
export const unread = [];

/**
 * Return a message of the hub, and store the parts of its sentences.
 * @param {string} json
 * @returns {any}
 */
export function readMessage(json) {
  const message = JSON.parse(json);
  if (message?.texts) unread.push(message.texts);
  if (unread.length > MOST_UNREAD) unread.shift();
  return message;
}

/** Return the language of this page. */
export const languageNow = () => now.speaker?.name ?? WRITTEN_IN;

/** Return whether this page is in another language than English. */
export const isTranslated = () => languageNow() !== WRITTEN_IN;

/**
 * Choose and load the language of the page. If the hub cannot be reached, the language stays.
 * @param {readonly string[]} [wanted] the first of them that the hub has; by default the person's choice or the browser's
 */
export async function loadLanguage(wanted) {
  const asked = new URLSearchParams(location.search).get("language") ?? languageSlot.get();
  const wishes = asked ? [asked] : (wanted ?? navigator.languages);
  if (!now.speaker && (!wishes.length || wishes[0].split("-")[0] === WRITTEN_IN)) return;
  try {
    const { speak } = await import("./speaking.js");
    now.speaker = (await speak(wishes, now.games, now.speaker)) ?? now.speaker;
    now.speaker?.sayDocument();
  } catch {
    // The language stays.
  }
}

/**
 * Load the sentences of a game, too.
 * @param {string} game
 */
export async function speakOf(game) {
  now.games.add(game);
  await now.speaker?.learn(game);
}

/**
 * Return an English sentence in the language of the page, with values in its places: "Seat {seat} passes." Translators get
 * the sentences of scripts from the calls of this, `sayCount` and `message`.
 * @param {string} text
 * @param {Values} [values]
 */
export const say = (text, values) => now.speaker?.say(text, values) ?? filled(text, values);

/**
 * Return a sentence in its singular or plural form for `count`, which also fills the places {count}.
 * @param {string} one
 * @param {string} several
 * @param {number} count
 * @param {Values} [values]
 */
export const sayCount = (one, several, count, values) => say(`${one}\n${several}`, { count, ...values });

/**
 * Return a sentence like `say`, in pieces. Its values may be elements of htm, too.
 * @param {string} text
 * @param {Record<string, any>} values
 * @returns {any[]}
 */
export function sayAround(text, values) {
  /** @type {any[]} */
  const elements = [];
  const held = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "object" ? `\ue000${elements.push(value) - 1}\ue000` : value,
  ]);
  const pieces = say(text, Object.fromEntries(held)).split("\ue000");
  return pieces.map((piece, i) => (i % 2 ? elements[Number(piece)] : piece));
}

/**
 * Mark a sentence for translation, and return it as it is, for a later `say`.
 * @param {string} text
 */
export const message = (text) => text;

/**
 * Return an amount of dollars in the format of the page's language.
 * @param {number | string} amount
 */
export const money = (amount) => now.speaker?.money(amount) ?? `$${amount}`;

/**
 * Return an English template with its values. If it has plural forms, `count` chooses one.
 * @param {string} template
 * @param {Values} [values]
 */
export function filled(template, values = {}) {
  const [one, several = one] = template.split("\n");
  return (values.count === 1 ? one : several).replace(PLACES, (_, place) => `${values[place] ?? ""}`);
}

/**
 * Return elements of htm with their texts in the language of the page.
 * @param {any} made
 */
export const drawn = (made) => now.speaker?.draw(made) ?? made;

/**
 * Split a sentence, in English or in the language of the page, at every "Seat 2" outside a person's name: strings and
 * numbers.
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
