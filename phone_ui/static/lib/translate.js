// Translation with the catalogues of one language: find a template's message and fill in its values, as
// hub/display/language.py does. Both are tested with the same examples.

import { message, PLACES, unread } from "./language.js";

/** @import { Catalogue, MadeOf, MadeOfOther, MadeOfTemplate, Values } from "./types.d.ts" */

const MOST_TEXTS = 2000;
const WORDS = /\p{L}{2}/u;
const JOINTS = /** @type {const} */ (["and", "or", "then", ","]);

/**
 * The parts of the sentences in the hub's messages, by the English sentence.
 * @type {Map<string, MadeOf>}
 */
const texts = new Map();

/** Read the parts that have arrived since the last call. */
function readTexts() {
  if (unread.length && texts.size > MOST_TEXTS) texts.clear();
  for (const { templates, made } of unread.splice(0)) {
    for (const wire of made) {
      const text = withTemplates(wire, templates);
      texts.set(englishOf(text), text);
    }
  }
}

/**
 * Return the parts of a sentence, with templates in place of their numbers.
 * @param {any} wire
 * @param {string[]} templates
 * @returns {MadeOf}
 */
function withTemplates(wire, templates) {
  const inner = (/** @type {any} */ one) => withTemplates(one, templates);
  if (Array.isArray(wire)) return [templates[wire[0]], ...wire.slice(1).map(inner)];
  if (wire?.clause !== undefined) return { clause: inner(wire.clause) };
  const by = JOINTS.find((joint) => wire?.[joint]);
  return by ? { [by]: wire[by].map(inner) } : wire;
}

/**
 * Return the values of a row, and how they are joined.
 * @param {MadeOfOther} made
 */
function rowOf(made) {
  const by = JOINTS.find((joint) => made[joint]) ?? ",";
  return { by, row: made[by] ?? [] };
}

/** One language: the sentences of some games, and the common ones. */
export class Language {
  /**
   * @param {...Catalogue} catalogues the most specific one first
   */
  constructor(...catalogues) {
    this.catalogues = catalogues;
    this.locale = catalogues[0].language.replace("_", "-");
    this.plurals = new Intl.PluralRules(this.locale);
  }

  /**
   * Translate a text of the hub, or a message without places. A text that the catalogues lack stays as it is.
   * @param {string} text
   */
  say(text) {
    readTexts();
    const madeOf = texts.get(text);
    return (madeOf === undefined ? null : this.made(madeOf)) ?? this.form(text, 1) ?? text;
  }

  /**
   * Translate a template with its values. A template that the catalogues lack stays English.
   * @param {string} template
   * @param {Values} values
   */
  fill(template, values) {
    return this.value([template, ...namesIn(template).map((name) => values[name] ?? "")]);
  }

  /**
   * Translate a text from its template and values. Returns null if the catalogues lack the template.
   * @param {MadeOf} made
   * @returns {string | null}
   */
  made(made) {
    if (typeof made === "number") return this.number(made);
    if (typeof made === "string") return this.say(made);
    if (Array.isArray(made)) {
      const [template, ...values] = /** @type {MadeOfTemplate} */ (made);
      const form = this.form(template, Number(values[0]));
      if (form === null) return null;
      const names = namesIn(template);
      // A place that the translator has renamed stays empty.
      return form.replace(PLACES, (_, place) => this.value(values[names.indexOf(place)] ?? ""));
    }
    const { name, money, clause } = /** @type {MadeOfOther} */ (made);
    if (name !== undefined) return `\u2068${name}\u2069`;
    if (money !== undefined) return this.money(money);
    if (clause !== undefined) return this.value(clause).replace(/\.$/, "");
    const { by, row } = rowOf(/** @type {MadeOfOther} */ (made));
    const parts = row.map((one) => this.value(one));
    if (by === ",") return parts.join(", ");
    if (by === "then") return parts.join(`, ${this.say(message("then"))} `);
    const type = by === "or" ? "disjunction" : "conjunction";
    return new Intl.ListFormat(this.locale, { type }).format(parts);
  }

  /** @param {MadeOf} made */
  value(made) {
    return this.made(made) ?? englishOf(made);
  }

  /**
   * Return the translation of a message in its form for this number, or null if the catalogues lack it. A message without
   * words is the same in all languages.
   * @param {string} message
   * @param {number} count
   */
  form(message, count) {
    const found = this.catalogues.find(({ messages }) => Object.hasOwn(messages, message))?.messages[message];
    if (found === undefined) return WORDS.test(message.replace(PLACES, "")) ? null : message;
    if (typeof found === "string") return found;
    return found[this.plurals.select(Math.abs(count))] ?? found.other;
  }

  /** @param {number} number */
  number(number) {
    return `${number}`.replace(".", this.catalogues[0].point);
  }

  /** @param {number | string} amount in dollars */
  money(amount) {
    const { money, point } = this.catalogues[0];
    return money.replace("{amount}", `${amount}`.replace(".", point));
  }
}

/**
 * Return the names of a template's places, each once. With plural forms, `count` is the first.
 * @param {string} template
 */
const namesIn = (template) => [
  ...new Set([
    ...(template.includes("\n") ? ["count"] : []),
    ...[...template.matchAll(PLACES)].map(([, place]) => place),
  ]),
];

/**
 * @param {MadeOf} made
 * @returns {string}
 */
function englishOf(made) {
  if (typeof made !== "object") return `${made}`;
  if (!Array.isArray(made)) {
    const { money, name, clause } = /** @type {MadeOfOther} */ (made);
    if (name !== undefined) return `\u2068${name}\u2069`;
    if (money !== undefined) return `$${money}`;
    if (clause !== undefined) return englishOf(clause).replace(/\.$/, "");
    const { by, row } = rowOf(/** @type {MadeOfOther} */ (made));
    const parts = row.map(englishOf);
    if (by === "then" || by === ",") return parts.join(by === "then" ? ", then " : ", ");
    return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} ${by} ${parts.at(-1)}`;
  }
  const [template, ...values] = /** @type {MadeOfTemplate} */ (made);
  const names = namesIn(template);
  const [one, several = one] = template.split("\n");
  return (values[0] === 1 ? one : several).replace(PLACES, (_, place) => englishOf(values[names.indexOf(place)] ?? ""));
}
