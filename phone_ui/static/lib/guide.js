// The guide of a game (JSON from the hub): its rules in plain words, and the lessons of a first round.

/** @import { Guide, Labels, Lesson } from "./types.d.ts" */

import { say, speakOf } from "./language.js";

/** @type {Map<string, Promise<Guide>>} */
const loading = new Map();

/**
 * Return the guide of a game, requested once per page. Rejects if the hub has none.
 * @param {string} game
 * @returns {Promise<Guide>}
 */
export function fetchGuide(game) {
  const known = loading.get(game);
  if (known) return known;
  const asking = fetch(`/games/${encodeURIComponent(game)}/guide.json`).then(async (answer) => {
    await speakOf(game);
    if (!answer.ok) throw new Error(`The hub has no guide to ${game}.`);
    return translated(await answer.json());
  });
  asking.catch(() => loading.delete(game));
  loading.set(game, asking);
  return asking;
}

/**
 * Return a guide in the language of the page, so that a search finds translated words.
 * @param {Guide} guide
 * @returns {Guide}
 */
function translated(guide) {
  const { about, follows, chapter, symbol, lesson } = guide;
  return {
    ...guide,
    about: say(about),
    follows: Object.fromEntries(Object.entries(follows).map(([move, text]) => [move, say(text)])),
    chapter: chapter.map((one) => ({
      ...one,
      title: say(one.title),
      lines: one.lines.map(([text, ids]) => /** @type {[string, string]} */ ([say(text), ids])),
    })),
    symbol: symbol.map((one) => ({ ...one, name: say(one.name), say: say(one.say) })),
    lesson: lesson.map((one) => ({ ...one, say: one.say && say(one.say), all: say(one.all) })),
  };
}

/** Parts that only a phone has: other screens light the asked seats instead. */
const HANDLED = ["hand", "choices", "actions"];

/**
 * Return the part of a screen that a lesson lights.
 * @param {Lesson} lesson
 * @param {"asked" | "all"} to
 */
export function litPart({ part }, to) {
  return to === "all" && HANDLED.includes(part) ? "asked" : part;
}

/**
 * Return a chapter's words as one text for the search.
 * @param {string[]} texts
 */
const plain = (texts) => texts.join(" ").toLowerCase();

/**
 * Return the chapters whose titles have every word of a search, and other chapters with only their lines that do.
 * @param {Guide["chapter"]} chapters
 * @param {string} search
 */
export function searched(chapters, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return chapters;
  /** @param {string[]} texts */
  const has = (...texts) => words.every((word) => plain(texts).includes(word));
  return chapters
    .map((chapter) =>
      has(chapter.title) ? chapter : { ...chapter, lines: chapter.lines.filter((line) => has(...line)) },
    )
    .filter(({ lines }) => lines.length);
}

/**
 * Return name and text of every card with a description: cards of the labels, and actions of a kind of card.
 * @param {Labels | null} labels
 * @returns {{ name: string, text: string }[]}
 */
export function cardTexts(labels) {
  const field = labels?.face?.action;
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const card of Object.values(labels?.cards ?? {})) {
    if (card.text) found.set(card.name, card.text);
    else if (card.line) found.set(card.name, card.line);
    if (!field) continue;
    for (const [key, text] of Object.entries(card)) {
      if (/^[A-Z]$/.test(key) && typeof text === "string") found.set(`${say(card.name)} ${key}`, say(text));
    }
  }
  return [...found].map(([name, text]) => ({ name, text }));
}
