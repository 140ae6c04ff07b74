// Sentences in another language: a finished English sentence is recognised, and said anew from the catalogues.
// It works as hub/display/language.py does, which says how; both are tried with the same examples.

import { texts } from "./language.js";

/** @import { Catalogue, MadeOf, MadeOfOther, MadeOfTemplate, Said } from "./types.d.ts" */

const LONGEST_NAME = 40;
const KEPT = 4000;
const DEPTH = 5;
const LONGEST_PAIR = 90;

const ENDS = /[.,:;…!?]$/;
const PLACE = /\{(\w+)\}/;
const PLACES = /\{(\w+)\}/g;
const LETTERS = /\p{L}{2}/u; // one alone is a sign
const LETTER = /\p{L}/u;
const TWO_NUMBERS = /\d \$?\d/;
const MONEY = /\$(\d+)(?:\.(\d\d))?/g;
const DECIMAL = /^[-+]?\d+\.\d+$/;
const WHOLE = /^\d+$/;
const SENTENCE_ENDS = [/([.!?”]) (?=\S)/g, /([.!?:”]) (?=\S)/g];
const NAMED = /\u2068([^\u2069]*)\u2069/g;
const DOT = " · ";
const JOINTS = ["; ", ": ", ", and ", ", then ", ", ", " and ", " or ", " with "];

/**
 * A message with places: how texts are cut there (each place as short as it may be, and as long), the places' names, how many signs of its own it has, and what it reads in the language.
 * @typedef {{
 *   patterns: RegExp[], names: string[], weight: number, longest: string, said: string | string[], ofOne: boolean,
 * }} Template
 */

/** @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** @param {string} lost */
const isNoName = (lost) => lost.length > LONGEST_NAME || lost.split(" ").length > 5;

/** @param {string[]} lost */
const sizeOf = (lost) => lost.join("").length;

/**
 * Does a text need no words: a number, seats' marks with numbers, a letter on a card? Two numbers side by side are no
 * sign inside of a sentence: they belong to two places of it.
 * @param {string} text
 * @param {number} depth
 */
function isSign(text, depth) {
  if (LETTERS.test(text) || (depth && TWO_NUMBERS.test(text))) return false;
  return !(text.match(/\p{Ll}/gu) ?? []).some((one) => one !== "x");
}

/**
 * Return the pattern of a message by its own texts between its places. Where only a sign stands between "Seat {seat}" and
 * the next place, the first one is a number and ends before a comma: there begins what is said of the next seat.
 * @param {string[]} own
 * @param {string} way "?" where places are to be short
 */
const patternOf = (own, way) =>
  own
    .map((part, i) => {
      if (i === own.length - 1) return escaped(part);
      const isNumber = /[Ss]eat $/.test(part) && own[i + 1] && !LETTER.test(own[i + 1]);
      return `${escaped(part)}${isNumber ? `(\\d(?!\\d* (?:and|or)\\b)[^,]*${way})` : `([^]*${way})`}`;
    })
    .join("");

/**
 * Return the patterns of a message with the texts they stand under; one with two English forms has both.
 * @param {string} key
 * @param {string | string[]} said
 * @returns {[string, Template][]}
 */
function templatesOf(key, said) {
  const [one, many = ""] = key.split("\n");
  /** @type {[string, Template][]} */
  const found = [];
  for (const [text, ofOne] of /** @type {[string, boolean][]} */ ([
    [one, many !== ""],
    [many, false],
  ])) {
    const parts = text.split(PLACE);
    if (!text || (parts.length < 3 && !many)) continue;
    const own = parts.filter((_, i) => i % 2 === 0);
    if (!own.some((part) => LETTER.test(part))) continue;
    const longest = own.reduce((a, b) => (b.length > a.length ? b : a));
    const ways = own.length > 2 ? ["?", ""] : ["?"];
    const patterns = ways.map((way) => new RegExp(`^${patternOf(own, way)}$`));
    const names = parts.filter((_, i) => i % 2 === 1);
    found.push([text, { patterns, names, weight: own.join("").length, longest, said, ofOne }]);
  }
  return found;
}

/**
 * Return the names of a template's values, in their order: with plural forms, `count` first.
 * @param {string} template
 */
const namesIn = (template) => [
  ...new Set([
    ...(template.includes("\n") ? ["count"] : []),
    ...[...template.matchAll(PLACES)].map(([, name]) => name),
  ]),
];

/**
 * Return the English of what a text was made from.
 * @param {MadeOf} made
 * @returns {string}
 */
function englishOf(made) {
  if (typeof made !== "object") return `${made}`;
  if (Array.isArray(made)) {
    const [template, ...values] = /** @type {MadeOfTemplate} */ (made);
    const [one, several = one] = template.split("\n");
    const names = namesIn(template);
    return (values[0] === 1 ? one : several).replace(PLACES, (_, name) => englishOf(values[names.indexOf(name)]));
  }
  const { name, money, clause, list = [], by = "," } = /** @type {MadeOfOther} */ (made);
  if (name !== undefined) return `\u2068${name}\u2069`;
  if (money !== undefined) return `$${money}`;
  if (clause !== undefined) return englishOf(clause).replace(/\.$/, "");
  const parts = list.map(englishOf);
  if (by === "," || parts.length < 2) return parts.join(", ");
  if (by === "then") return parts.join(", then ");
  return `${parts.slice(0, -1).join(", ")} ${by} ${parts.at(-1)}`;
}

/** One language, for the sentences of one game and of all. */
export class Language {
  /** @param {Catalogue[]} catalogues the most special one first */
  constructor(...catalogues) {
    this.catalogues = catalogues;
    /** @type {Map<string, Said>} */
    this.kept = new Map();
    /** @type {Map<string, Said>} of the sentence that is looked at now */
    this.inner = new Map();
    /** @type {Map<string, Template[]>} */
    this.byWord = new Map();
    /** @type {Template[]} */
    this.loose = [];
    for (const { messages } of catalogues) {
      for (const [key, said] of Object.entries(messages)) {
        for (const [text, template] of templatesOf(key, said)) {
          const first = text.split(" ", 1)[0];
          if (first.includes("{") || !text.includes(" ")) this.loose.push(template);
          else this.byWord.set(first, [...(this.byWord.get(first) ?? []), template]);
        }
      }
    }
  }

  /**
   * Return a text in the language; as it is where nothing of it is known.
   * @param {string} text
   */
  say(text) {
    return this.said(text).text;
  }

  /**
   * Return a text in the language, with what of it is not known.
   * @param {string} text
   * @returns {Said}
   */
  said(text) {
    const names = [...text.matchAll(NAMED)].map(([whole]) => whole);
    if (!names.length) return this.remembered(text);
    let at = -1;
    const { text: made, unknown } = this.remembered(
      text.replace(NAMED, () => {
        at += 1;
        return `\u2068${at}\u2069`;
      }),
    );
    return { text: made.replace(NAMED, (_, number) => names[number]), unknown };
  }

  /**
   * @param {string} text
   * @returns {Said}
   */
  remembered(text) {
    const known = this.kept.get(text);
    if (known) return known;
    if (this.kept.size >= KEPT) this.kept.clear();
    const said = this.find(text, 0);
    this.inner.clear();
    this.kept.set(text, said);
    return said;
  }

  /**
   * @param {string} text
   * @param {number} depth
   * @returns {Said}
   */
  find(text, depth) {
    const key = `${depth} ${text}`;
    const known = this.inner.get(key) ?? this.look(text, depth);
    this.inner.set(key, known);
    return known;
  }

  /**
   * @param {string} text
   * @param {number} depth
   * @returns {Said}
   */
  look(text, depth) {
    const core = text.trim().replace(/\s+/g, " ");
    const start = text.length - text.trimStart().length;
    if (!core) return { text, unknown: [] };
    const around = (/** @type {string} */ made) => text.slice(0, start) + made + text.slice(text.trimEnd().length);
    let made = this.exact(core);
    if (!made && core.includes(DOT)) {
      // No message has one: screens put parts together with it.
      const parts = core.split(DOT).map((one) => this.find(one, depth));
      made = { text: parts.map((one) => one.text).join(DOT), unknown: parts.flatMap((one) => one.unknown) };
    }
    if (!made && isSign(core, depth)) made = { text: this.number(core), unknown: [] };
    made ??= this.nearly(core);
    made ??= this.fitted(core, depth);
    if ((!made || made.unknown.length) && /\p{L}$/u.test(core)) {
      const whole = this.fitted(`${core}.`, depth);
      if (whole && !whole.unknown.length) made = { text: whole.text.replace(/\.$/, ""), unknown: [] };
    }
    if (!made || made.unknown.length) {
      const joined = this.joined(core, depth);
      if (joined && (!made || sizeOf(joined.unknown) < sizeOf(made.unknown))) made = joined;
    }
    if (ENDS.test(core) && (!made || made.unknown.length) && depth <= DEPTH) {
      const open = this.find(core.slice(0, -1), depth + 1);
      if (!open.unknown.length) made = { text: open.text + core.slice(-1), unknown: [] };
    }
    return made ? { text: around(made.text), unknown: made.unknown } : { text, unknown: [core] };
  }

  /**
   * Return a text made from its template in the language and its values; null if the catalogs have no such template.
   * @param {MadeOf} made
   * @returns {string | null}
   */
  made(made) {
    if (typeof made === "number") return this.number(`${made}`);
    if (typeof made === "string") return this.say(made);
    if (Array.isArray(made)) {
      const [template, ...values] = /** @type {MadeOfTemplate} */ (made);
      const found = this.catalogues.find(({ messages }) => Object.hasOwn(messages, template));
      if (!found) return null;
      const forms = found.messages[template];
      const form = typeof forms === "string" ? forms : forms[this.form(Number(values[0]))];
      const names = namesIn(template);
      return form.replace(PLACES, (_, name) => {
        const value = values[names.indexOf(name)] ?? ""; // nothing where a translator has named a place otherwise
        return this.made(value) ?? englishOf(value);
      });
    }
    const { name, money, clause, list = [], by = "," } = /** @type {MadeOfOther} */ (made);
    if (name !== undefined) return `\u2068${name}\u2069`;
    if (money !== undefined) return this.number(`$${money}`);
    if (clause !== undefined) return (this.made(clause) ?? englishOf(clause)).replace(/\.$/, "");
    const parts = list.map((one) => this.made(one) ?? englishOf(one));
    if (by === ",") return parts.join(", ");
    if (by === "then") return parts.join(`, ${this.say("then")} `);
    const type = by === "or" ? "disjunction" : "conjunction";
    return new Intl.ListFormat(this.catalogues[0].language.replace("_", "-"), { type }).format(parts);
  }

  /**
   * @param {string} text
   * @returns {Said | null}
   */
  exact(text) {
    const madeOf = texts.get(text);
    const made = madeOf === undefined ? null : this.made(madeOf);
    if (made !== null) return { text: made, unknown: [] };
    for (const { messages } of this.catalogues) {
      const said = Object.hasOwn(messages, text) ? messages[text] : undefined;
      if (said !== undefined) return { text: [said].flat()[0], unknown: [] };
    }
    return null;
  }

  /**
   * Return a message that differs in its first letter or its last sign. Inside of a sentence the name of a card begins with
   * a small letter, a button's short name in capitals is written as other words where there is room, and a sentence in a
   * list ends without its point.
   * @param {string} text
   * @returns {Said | null}
   */
  nearly(text) {
    const first = text.charAt(0);
    const turned = (first === first.toUpperCase() ? first.toLowerCase() : first.toUpperCase()) + text.slice(1);
    const large = this.exact(turned);
    if (large) return large;
    const capitals = first !== first.toLowerCase() ? this.exact(text.toUpperCase()) : null;
    if (capitals)
      return { text: capitals.text.charAt(0).toUpperCase() + capitals.text.slice(1).toLowerCase(), unknown: [] };
    const whole = /\p{L}$/u.test(text) ? (this.exact(`${text}.`) ?? this.exact(`${turned}.`)) : null;
    return whole && { text: whole.text.replace(/\.$/, ""), unknown: [] };
  }

  /**
   * @param {string} text
   * @param {number} depth
   * @returns {Said | null}
   */
  fitted(text, depth) {
    if (depth > DEPTH) return null;
    /** @type {Said | null} */
    let best = null;
    let least = text.length;
    const candidates = [...(this.byWord.get(text.split(" ", 1)[0]) ?? []), ...this.loose];
    for (const template of candidates
      .filter(({ longest }) => text.includes(longest))
      .sort((a, b) => b.weight - a.weight)) {
      for (const pattern of template.patterns) {
        const fits = pattern.exec(text);
        if (!fits) break;
        const places = fits.slice(1).map((one) => this.find(one, depth + 1));
        const unknown = places.flatMap((place) => place.unknown);
        const size = sizeOf(unknown);
        if (unknown.some(isNoName) || (best && size >= least)) continue;
        best = { text: this.filled(template, fits.slice(1), places), unknown };
        least = size;
        if (!size) return best;
      }
    }
    return best;
  }

  /**
   * @param {Template} template
   * @param {string[]} found
   * @param {Said[]} places
   */
  filled({ said, names, ofOne }, found, places) {
    const number = ofOne ? 1 : Number(found.find((one) => WHOLE.test(one)) ?? 2);
    const form = typeof said === "string" ? said : said[this.form(number)];
    return form.replace(PLACES, (_, name) => places[names.indexOf(name)]?.text ?? "");
  }

  /** @param {number} number */
  form(number) {
    const { plurals } = this.catalogues[0];
    const whole = Math.trunc(Math.abs(number));
    return plurals ? Number(plurals[whole < 200 ? whole : 100 + (whole % 100)]) : 0;
  }

  /**
   * Return a text that was put together, part by part; null unless a part of it is known.
   * @param {string} text
   * @param {number} depth
   * @returns {Said | null}
   */
  joined(text, depth) {
    if (depth > DEPTH) return null;
    const sentences = SENTENCE_ENDS.map((end) => text.replace(end, "$1\n \n").split("\n"));
    const ways = [...sentences, ...JOINTS.map((joint) => text.split(new RegExp(`(${escaped(joint)})`)))];
    /** @type {Said | null} */
    let best = null;
    for (const parts of ways) {
      if (parts.length < 3 || parts.some((part, i) => i % 2 === 0 && !part)) continue;
      const made = parts.map((part, i) => (i % 2 ? null : this.find(part, depth + 1)));
      const unknown = made.flatMap((one) => one?.unknown ?? []);
      const size = sizeOf(unknown);
      if (size > 0.6 * text.length || (best && size >= sizeOf(best.unknown))) continue;
      best = { text: parts.map((part, i) => made[i]?.text ?? this.joint(part)).join(""), unknown };
      if (!size) return best;
    }
    return this.beside(text, depth) ?? best;
  }

  /**
   * Return a text of two known parts with a space between them: "Seat 2 the King". There is none where the first ends
   * with a hyphen: "Riesen-" and "Hut" are one word. The end of a sentence is part of neither: "130 points." is the
   * message "130 points".
   * @param {string} text
   * @param {number} depth
   * @returns {Said | null}
   */
  beside(text, depth) {
    if (text.length > LONGEST_PAIR) return null;
    if (ENDS.test(text)) {
      const whole = this.find(text.slice(0, -1), depth + 1);
      if (!whole.unknown.length) return { text: whole.text + text.slice(-1), unknown: [] };
    }
    for (const { index } of text.matchAll(/ /g)) {
      const isNumber = !LETTER.test(text.slice(0, index));
      if (isNumber && TWO_NUMBERS.test(text.slice(index - 1, index + 3))) continue;
      const first = this.find(text.slice(0, index), depth + 1);
      const second = first.unknown.length ? first : this.find(text.slice(index + 1), depth + 1);
      if (first.unknown.length || second.unknown.length) continue;
      return { text: `${first.text}${first.text.endsWith("-") ? "" : " "}${second.text}`, unknown: [] };
    }
    return null;
  }

  /** @param {string} joint */
  joint(joint) {
    const known = LETTERS.test(joint) ? this.exact(joint.trim()) : null;
    return known ? joint.replace(joint.trim(), known.text) : joint;
  }

  /**
   * Return amounts of money, or a number with a point, as the language writes them.
   * @param {string} text
   */
  number(text) {
    const { money, point } = this.catalogues[0];
    const amounts = text.replace(MONEY, (_, whole, part) =>
      money.replace("{amount}", whole + (part ? point + part : "")),
    );
    return DECIMAL.test(amounts) ? amounts.replace(".", point) : amounts;
  }
}
