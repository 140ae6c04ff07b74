// The labels of a game (JSON from the hub), and the rules by which all pages make sentences from them.
// hub/display/labels.py fills templates and names cards in the same way; a test compares the two.

import { money, say, speakOf } from "./language.js";
import { calledName, isBySeat, MARKS, withNames } from "./seats.js";
import { at, isRecord, isUnknown } from "./values.js";

/** @import { Face, Facts, Labels, NumberStyle } from "./types.d.ts" */
/** @import { PublicState } from "./messages.d.ts" */

const PLACE = /\{([^{}]*)\}/g;

/**
 * Return a value as text: cards by name or title, lists with spaces, numbers by seat with symbols; "" for null, false
 * and other records.
 * @param {any} value
 * @param {Labels | null} [labels]
 * @returns {string}
 */
function textOf(value, labels) {
  if (value === true) return say("yes");
  if (isBySeat(value) && Object.values(value).every(Number.isInteger)) return bySeatText(value);
  if (Array.isArray(value)) {
    return value
      .map((one) => textOf(one, labels))
      .filter(Boolean)
      .join(" ");
  }
  if (isRecord(value)) return faceIn(labels, value)?.title ?? "";
  if (typeof value === "string") return say(labels?.cards?.[value]?.name ?? value);
  return typeof value === "number" ? String(value) : "";
}

/** @param {Record<string, number>} numbers */
function bySeatText(numbers) {
  return Object.entries(numbers)
    .filter(([, number]) => number)
    .map(([seat, number]) => `${MARKS[seat].symbol}${number}`)
    .join(" ");
}

/**
 * Return a template with a name for each path, as translators see it, and the original places by these names.
 * @param {string} template
 */
function named(template) {
  /** @type {Map<string, string>} */
  const paths = new Map();
  const written = template.replace(PLACE, (_, place) => {
    const words = place
      .split(":")[0]
      .split(".")
      .filter((/** @type {string} */ word) => !/^\d+$/.test(word));
    const wanted = (words[0] === "table" && words.length > 2 ? words.slice(1) : words.slice(-2))
      .join("_")
      .toLowerCase();
    const again = [...paths.keys()].filter((name) => name.replace(/\d+$/, "") === wanted).length;
    const name = again ? `${wanted}${again + 1}` : wanted || "value";
    paths.set(name, place);
    return `{${name}}`;
  });
  return { written, paths };
}

/**
 * Fill `{a.b.0}` from the scope, in the language of the page. `{cash:cents}` and `{cash:dollars}` write money, `{price:+}`
 * a sign, `{needs:some}` nothing for 0. Missing values are left out. Of several parts separated by " · ", those with only
 * empty places are left out.
 * @param {string | undefined} template
 * @param {Facts} scope
 * @param {Labels | null} [labels]
 */
export function fill(template, scope, labels) {
  const { written, paths } = named(template ?? "");
  const values = Object.fromEntries([...paths].map(([name, place]) => [name, placeText(place, scope, labels)]));
  const parts = written.split(" · ");
  return parts
    .filter((part) => {
      const places = [...part.matchAll(PLACE)];
      return parts.length === 1 || !places.length || places.some(([, name]) => values[name]);
    })
    .map((part) => say(part, values))
    .join(" · ")
    .replace(/ {2,}/g, " ")
    .replace(/^[ ·]+|[ ·]+$/g, "");
}

/**
 * Return whether a template has no places, or a value for at least one.
 * @param {string | undefined} template
 * @param {Facts} scope
 * @param {Labels | null} [labels]
 */
export function hasValues(template, scope, labels) {
  const places = [...(template ?? "").matchAll(PLACE)];
  return !places.length || places.some(([, place]) => placeText(place, scope, labels));
}

/**
 * @param {string} place
 * @param {Facts} scope
 * @param {Labels | null} [labels]
 */
function placeText(place, scope, labels) {
  const [path, form] = place.split(":");
  const value = path === "seat" && "asked" in scope ? scope.asked : at(scope, path);
  if (form === "+") return Number.isInteger(value) ? signed(value) : "";
  if (form === "some") return value === 0 ? "" : textOf(value, labels);
  return form && Number.isInteger(value) ? numberText(value, { money: form }) : textOf(value, labels);
}

/**
 * Return a number with its sign: +7, -3, 0.
 * @param {number} value
 */
export function signed(value) {
  return value > 0 ? `+${value}` : String(value);
}

/**
 * Return a number as the game counts it: plain, signed, whole dollars or cents. Other values are only made strings.
 * @param {any} value
 * @param {NumberStyle} [style]
 */
export function numberText(value, style = {}) {
  if (typeof value !== "number") return String(value);
  if (style.signed) return signed(value);
  if (style.money === "cents") return money((value / 100).toFixed(value % 100 ? 2 : 0));
  return style.money ? money(value) : String(value);
}

/**
 * `take_fish` -> "Take fish": the label of an identifier without one in the game's labels.
 * @param {any} name
 */
export function readable(name) {
  const text = String(name).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// --- cards ---------------------------------------------------------------------------------------------

/**
 * Return the labels with a deck of the card records in these parts of a view, by their key.
 * @param {Labels | null} labels
 * @param {...any} parts
 * @returns {Labels | null}
 */
export function withDeck(labels, ...parts) {
  const key = labels?.face?.key;
  if (!labels || !key) return labels;
  /** @type {Record<string, Facts>} */
  const deck = {};
  /** @param {any} value */
  const walk = (value) => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (isRecord(value)) {
      if (key in value) deck[value[key]] = value;
      Object.values(value).forEach(walk);
    }
  };
  parts.forEach(walk);
  return { ...labels, deck };
}

/**
 * Return the face of a card, given as a record, a key in the deck or a key of `cards`; null if it is not a card.
 * @param {Labels | null | undefined} labels
 * @param {any} value
 * @returns {Face | null}
 */
export function faceIn(labels, value) {
  const about = labels?.face;
  const record = isRecord(value) ? value : about && labels.deck?.[value];
  if (!record) {
    const known = labels?.cards?.[value];
    if (!known) return null;
    const name = say(known.name);
    return { ...known, name, title: known.face ?? name, tag: "", full: name, text: known.text ?? "", key: value };
  }
  if (!about || !(about.key in record)) return null;
  const kind = labels.cards?.[record[about.kind]] ?? {};
  const action = record[about.action ?? ""];
  const [title, tag] = [fill(about.title, record), fill(about.tag, record)];
  const name = [kind.name, action]
    .filter(Boolean)
    .map((one) => say(one))
    .join(" ")
    .replaceAll("- ", "-");
  const full = [tag ? `${title} (${tag})` : title, name].filter(Boolean).join(" ");
  const { letter, colour, hue } = kind;
  const text = (action && kind[action]) ?? "";
  return { record, key: record[about.key], title, tag, name, full, letter, colour, hue, text };
}

/**
 * Return a place in a row of cards, counted from 0 at the left, described by the cards beside it.
 * @param {Labels | null} labels
 * @param {any[] | undefined} row
 * @param {number} place
 */
function gapText(labels, row, place) {
  const titles = (row ?? []).map((one) => faceIn(labels, one)?.title ?? "?");
  if (!titles.length) return say("into the empty row");
  if (place === 0) return say("left of {card}", { card: titles[0] });
  return place >= titles.length
    ? say("right of {card}", { card: titles.at(-1) })
    : say("between {card} and {next}", { card: titles[place - 1], next: titles[place] });
}

// --- scores --------------------------------------------------------------------------------------------

/**
 * Return a score as the game counts it: as money, or with a unit ("1 IOU", "2 IOUs").
 * @param {Labels | null} labels
 * @param {any} score
 */
export function scoreText(labels, score) {
  const names = labels?.screen?.scored;
  return names
    ? `${score} ${say(score === 1 ? names[0] : (names.at(-1) ?? ""))}`
    : numberText(score, { money: labels?.screen?.score });
}

/**
 * Return seats with their scores: winners first, then by score, the best first (the lowest one if the labels say
 * `least`).
 * @param {Labels | null} labels
 * @param {Facts} over
 * @returns {{ seat: number, score: any, won: boolean }[]}
 */
export function ranking(labels, { winners, scores }) {
  const direction = labels?.screen?.best === "least" ? -1 : 1;
  return Object.entries(scores ?? {})
    .map(([seat, score]) => ({ seat: Number(seat), score, won: winners.includes(Number(seat)) }))
    .sort((a, b) => Number(b.won) - Number(a.won) || direction * (b.score - a.score));
}

// --- moves and their parameters ------------------------------------------------------------------------

/**
 * Return whether this parameter is a seat. A parameter named `target` always is.
 * @param {Labels | null} labels
 * @param {string} name
 */
function asksSeat(labels, name) {
  return name === "target" || labels?.parameters?.[name]?.seat === true;
}

/**
 * Return the seat behind a value of this parameter: the seat itself, the owner (`by`) of the record, or the seat at the
 * path in `who`; undefined if there is none.
 * @param {Labels | null} labels
 * @param {Facts | null | undefined} view
 * @param {string} name
 * @param {any} value
 * @returns {number | undefined}
 */
export function seatOf(labels, view, name, value) {
  if (asksSeat(labels, name)) return Number.isInteger(value) ? value : undefined;
  const about = labels?.parameters?.[name] ?? {};
  const path = about.who?.[value];
  const owner = about.by === undefined ? undefined : recordOf(labels, view, name, value)?.[about.by];
  return owner ?? (path ? (at(view, path) ?? undefined) : undefined);
}

/**
 * Return the face behind a value. If the move has a list for it (`from`), the value is a position in it, counted from 1.
 * @param {Labels | null} labels
 * @param {Facts | null | undefined} view
 * @param {string} move
 * @param {string} name
 * @param {any} value
 */
export function faceOf(labels, view, move, name, value) {
  const list = labels?.moves?.[move]?.from?.[name];
  return (list && at(view, list)?.[value - 1]) ?? value;
}

/**
 * Return whether the values of this parameter are cards, or positions of cards.
 * @param {Labels | null} labels
 * @param {string} move
 * @param {string} name
 */
export function isCard(labels, move, name) {
  return labels?.parameters?.[name]?.card === true || labels?.moves?.[move]?.from?.[name] !== undefined;
}

/**
 * Return whether only the numbers of these cards are known, so that each is a key: printed cards in hands that the hub
 * does not see.
 * @param {Labels | null} labels
 * @param {Facts | null | undefined} view
 * @param {string} move
 * @param {string} name
 * @param {any[]} values
 */
export function areNumbers(labels, view, move, name, values) {
  return (
    values.every(Number.isInteger) && values.some((value) => !faceIn(labels, faceOf(labels, view, move, name, value)))
  );
}

/**
 * Return the record with this `id`, from the list that the labels name for the parameter.
 * @param {Labels | null} labels
 * @param {Facts | null | undefined} view
 * @param {string} name
 * @param {any} value
 * @returns {Facts | undefined}
 */
function recordOf(labels, view, name, value) {
  const list = labels?.parameters?.[name]?.record;
  return list ? at(view, list)?.find((/** @type {Facts} */ one) => one.id === value) : undefined;
}

/**
 * Return one value of a parameter as text.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {string} move
 * @param {string} name
 * @param {any} value
 * @returns {string}
 */
export function valueText(labels, state, move, name, value) {
  if (Array.isArray(value)) {
    if (value.length > 1 && isUnknown(value)) return `${value.length} ${say(labels?.printed_cards?.many ?? "")}`;
    const parts = value.map((one) => valueText(labels, state, move, name, one));
    const together = labels?.moves?.[move]?.join;
    if (!together || !parts.length) return parts.join(", ");
    const [first, rest] = [...together.matchAll(PLACE)].map(([, place]) => place);
    return parts.reduceRight((last, part) => say(together, { [String(first)]: part, [String(rest)]: last }));
  }
  const about = labels?.parameters?.[name] ?? {};
  if (asksSeat(labels, name) && Number.isInteger(value)) return calledName(state, value);
  const known = about.names?.[String(value)];
  if (known) return say(known);
  const record = recordOf(labels, state?.view, name, value);
  if (record) return withNames(state, fill(about.title, record, labels));
  if (isCard(labels, move, name)) {
    const face = faceOf(labels, state?.view, move, name, value);
    return faceIn(labels, face)?.full ?? String(face);
  }
  if (about.between && Number.isInteger(value)) return gapText(labels, at(state?.view, about.between), value);
  if (typeof value === "boolean") return value ? say("Yes") : say("No");
  return typeof value === "number" ? numberText(value, about) : say(readable(value));
}

/**
 * Return the label of a move with these arguments, for a button. `blanks`, the open choices, read "…". If nothing is
 * chosen yet, it is the name of the move.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {string} move
 * @param {Facts} [args]
 * @param {string[]} [blanks]
 */
export function moveLabel(labels, state, move, args = {}, blanks = []) {
  const texts = Object.fromEntries(blanks.map((name) => [name, "…"]));
  for (const [name, value] of Object.entries(args)) {
    if (blanks.includes(name)) continue;
    const about = labels?.parameters?.[name] ?? {};
    texts[name] =
      (value === 1 && about.one && say(about.one)) ||
      say(about.said ?? "{}").replace("{}", () => valueText(labels, state, move, name, value));
  }
  const about = labels?.moves?.[move];
  if (about?.name && blanks.length && Object.keys(texts).every((name) => blanks.includes(name))) return say(about.name);
  const template = about?.label ?? readable(move);
  return fill(template, { ...state?.view, ...texts }).replace(/…( …)+/g, "…");
}

// --- loading -------------------------------------------------------------------------------------------

/** @type {Map<string, Promise<Labels>>} */
const loading = new Map();
/** @type {Map<string, Labels>} */
const loaded = new Map();

/** Return the labels of a game if they are loaded. @param {string} game */
export const labelsNow = (game) => loaded.get(game);

/**
 * Return the labels of a game, requested once per page, with its sentences in the page's language. Rejects if there are none.
 * @param {string} game
 * @returns {Promise<Labels>}
 */
export function fetchLabels(game) {
  const known = loading.get(game);
  if (known) return known;
  const asking = fetch(`/games/${encodeURIComponent(game)}.json`).then(async (answer) => {
    if (!answer.ok) throw new Error(`The hub has no labels for ${game}.`);
    await speakOf(game);
    const labels = await answer.json();
    loaded.set(game, labels);
    return labels;
  });
  asking.catch(() => loading.delete(game));
  loading.set(game, asking);
  return asking;
}
