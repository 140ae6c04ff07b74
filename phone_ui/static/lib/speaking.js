// Translation of a page: its catalogues, and how elements are translated.
// Texts are translated when an element is made: the text between two tags is one message, or a text of the hub.
// Elements with `translate="no"` stay as they are: names of people, keys, addresses.

import { filled } from "./language.js";
import { Language } from "./translate.js";

/** @import { Catalogue, Speaker, Values } from "./types.d.ts" */

const WRITTEN_IN = "en";
const SPOKEN = ["aria-label", "title", "placeholder", "alt", "label"];

/** @param {string} path */
async function fetchJson(path) {
  const answer = await fetch(path);
  return answer.ok ? answer.json() : null;
}

/**
 * The languages of the hub, each by its own name, and those of each table's screens.
 * @returns {Promise<{ languages: Record<string, string>, tables: Record<string, string[]> } | null>}
 */
export const fetchLanguages = () => fetchJson("/languages.json");

/**
 * Return a speaker of the first of these languages that the hub has, with the sentences of these games; null if the page
 * speaks that language already.
 * @param {readonly string[]} wishes
 * @param {Set<string>} games
 * @param {Speaker | null} before
 */
export async function speak(wishes, games, before) {
  const languages = (await fetchLanguages())?.languages ?? {};
  const names = wishes.flatMap((wish) => [wish.replace("-", "_"), wish.split("-")[0]]);
  const name = names.find((one) => one in languages) ?? WRITTEN_IN;
  if (name === (before?.name ?? WRITTEN_IN)) return null;
  const common = name === WRITTEN_IN ? null : await fetchJson(`/languages/${name}.json`);
  const speaker = new Spoken(name, common);
  for (const game of games) await speaker.learn(game);
  document.documentElement.lang = name.replace("_", "-");
  document.documentElement.dir = common?.direction ?? "ltr";
  return speaker;
}

/**
 * The original properties of translated elements, and the language: htm makes unchanging parts only once, and a page may
 * change its language.
 * @type {WeakMap<object, { language: string, props: any }>}
 */
const spoken = new WeakMap();

/** @implements {Speaker} */
class Spoken {
  /**
   * @param {string} name
   * @param {Catalogue | null} common null for English, to which a page may return
   */
  constructor(name, common) {
    this.name = name;
    this.common = common;
    /** @type {Map<string, Promise<Catalogue | null>>} */
    this.games = new Map();
    this.language = common && new Language(common);
    this.seats = this.seatsNow();
  }

  /** Return the pattern of "Seat 2" in sentences of the language, where screens put symbol and name. */
  seatsNow() {
    const forms = ["Seat {seat}", "seat {seat}"].flatMap((one) => [
      filled(one, { seat: 0 }),
      this.say(one, { seat: 0 }),
    ]);
    return new RegExp([...new Set(forms)].map((one) => `${one.replace("0", "(\\d)")}(?!\\d)`).join("|"), "u");
  }

  /** @param {string} game */
  async learn(game) {
    const path = `/languages/${this.name}/${encodeURIComponent(game)}.json`;
    if (!this.common) return;
    if (!this.games.has(game))
      this.games.set(
        game,
        fetchJson(path).catch(() => null),
      );
    const own = await Promise.all(this.games.values());
    this.language = new Language(...own.filter((one) => one !== null).reverse(), this.common);
  }

  /**
   * @param {string} text
   * @param {Values} [values]
   */
  say(text, values) {
    if (!this.language) return filled(text, values);
    return values ? this.language.fill(text, values) : this.language.say(text);
  }

  /** @param {number | string} amount */
  money(amount) {
    return this.language?.money(amount) ?? `$${amount}`;
  }

  /** Translate the texts in the page's own HTML. */
  sayDocument() {
    document.title = this.say(document.title);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement?.closest("#page")) text.textContent = this.sayText(text.textContent ?? "");
    }
  }

  /**
   * Translate a text between tags. The spaces around it stay, and a line break is a space.
   * @param {string} text
   */
  sayText(text) {
    const words = text.trim();
    if (!words) return text; // a space between two elements
    return text.replace(words, () => this.say(words.replace(/\s+/g, " ")));
  }

  /** @param {any} made */
  draw(made) {
    if (Array.isArray(made)) return this.texts(made);
    if (typeof made === "string") return this.sayText(made);
    if (made?.props) this.visit(made);
    return made;
  }

  /** @param {any} node */
  visit(node) {
    const before = spoken.get(node);
    if (before?.language === this.name) return;
    const { type, props } = node;
    const written = before?.props ?? { ...props };
    spoken.set(node, { language: this.name, props: written });
    const isElement = typeof type === "string";
    const stays = isElement && props.translate === "no";
    if (isElement && !stays) {
      for (const name of SPOKEN) if (typeof written[name] === "string") props[name] = this.say(written[name]);
    }
    const { children } = written;
    if (Array.isArray(children)) {
      if (isElement && !stays) props.children = this.texts(children);
      else this.walk(children);
    } else if (children?.props) this.visit(children);
    else if (typeof children === "string" && isElement && !stays) props.children = this.sayText(children);
  }

  /** @param {any[]} nodes */
  walk(nodes) {
    for (const node of nodes) {
      if (Array.isArray(node)) this.walk(node);
      else if (node?.props) this.visit(node);
    }
  }

  /**
   * Return the children of an element with their texts translated.
   * @param {any[]} children
   * @returns {any[]}
   */
  texts(children) {
    return children.map((child) => {
      if (Array.isArray(child)) return this.texts(child);
      if (child?.props) this.visit(child);
      return typeof child === "string" ? this.sayText(child) : child;
    });
  }
}
