// The tab Rules: the idea of the game, what this seat can do now, then the rules by phase. Fetched when opened.

import { cardTexts, searched } from "../lib/guide.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { moveLabel } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { useGuide } from "./use_guide.js";

/** @import { Chapter, Guide, Labels } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

/**
 * The rules of the present or chosen game, open at the present phase. A search shows the lines with its words.
 * @param {{ labels: Labels | null, state: PublicState, hand: Hand | null }} props
 */
export function Rules({ labels, state, hand }) {
  const guide = useGuide(state.game);
  const [search, setSearch] = useState("");
  const phase = state.view?.phase ?? "";
  const playing = state.state === "playing";
  const cited = new Set(state.events.slice(-6).map((event) => event.rule ?? ""));
  if (!labels)
    return html`<div class="panel rules"><h1 class="headline">Rules</h1><p>Choose a game to see its rules here.</p></div>`;
  if (guide === undefined) return html`<div class="panel rules"><h1 class="headline">${labels.title}</h1></div>`;
  if (guide === null) return html`<${Plain} labels=${labels} cited=${cited} />`;
  const chapters = [...guide.chapter, ...extra(labels, guide)];
  const found = searched(chapters, search);
  const isNow = (/** @type {Chapter} */ { phases = [] }) => playing && phases.includes(phase);
  const hasNow = found.some(isNow);
  const canDo =
    playing && hand && !search && html`<${CanDo} labels=${labels} state=${state} hand=${hand} guide=${guide} />`;
  return html`<div class="panel rules">
    <h1 class="headline">${labels.title}</h1>
    <p class="lead">${guide.about}</p>
    ${canDo && !hasNow && canDo}
    <div class="rules-search">
      <label for="rules-search">Search the rules</label>
      <input
        id="rules-search"
        type="search"
        autocomplete="off"
        value=${search}
        onInput=${(/** @type {any} */ event) => setSearch(event.target.value)}
      />
    </div>
    <p class="unseen" role="status">${search && say("{count} of {all} chapters", { count: found.length, all: chapters.length })}</p>
    ${found.length === 0 && html`<p>No rule contains these words.</p>`}
    ${found.map(
      (chapter) => html`<${ChapterPart}
        key=${chapter.title}
        chapter=${chapter}
        now=${isNow(chapter)}
        open=${Boolean(search)}
        cited=${cited}
        canDo=${isNow(chapter) && canDo}
      />`,
    )}
  </div>`;
}

/**
 * Chapters made from other data: symbols, and the effect of each card.
 * @param {Labels} labels
 * @param {Guide} guide
 * @returns {Chapter[]}
 */
function extra(labels, guide) {
  const cards = cardTexts(labels);
  /** @param {string} title @param {[string, string][]} lines */
  const chapter = (title, lines) => (lines.length ? [{ title, lines, named: true }] : []);
  return [
    ...chapter(
      say("Symbols and words"),
      guide.symbol.map((symbol) => [symbol.say, symbol.name]),
    ),
    ...chapter(
      say("Cards"),
      cards.map(({ name, text }) => [text, name]),
    ),
  ];
}

/**
 * What this seat can do now, and what follows from each move.
 * @param {{ labels: Labels, state: PublicState, hand: Hand, guide: Guide }} props
 */
function CanDo({ labels, state, hand, guide }) {
  const names = [...new Set(hand.moves.map(({ move }) => move))];
  if (!names.length && !hand.faces) {
    return html`<section class="can-do"><h3>What I can do now</h3><p>Nothing now: the others are playing.</p></section>`;
  }
  return html`<section class="can-do">
    <h3>What I can do now</h3>
    <dl class="follow-list">
      ${hand.faces && html`<div><dt>Roll the dice</dt><dd>${hand.want}</dd></div>`}
      ${names.map(
        (name) => html`<div key=${name}>
          <dt>${nameOf(labels, state, name)}</dt>
          <dd>${guide.follows[name] ?? ""}</dd>
        </div>`,
      )}
    </dl>
  </section>`;
}

/**
 * Return the name of a move, without choices.
 * @param {Labels} labels
 * @param {PublicState} state
 * @param {string} name
 */
function nameOf(labels, state, name) {
  const label = labels.moves?.[name]?.label ?? "";
  const blanks = [...label.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
  return moveLabel(labels, state, name, {}, blanks);
}

/**
 * One chapter. The one of the present phase is open, and the page scrolls to it.
 * @param {{ chapter: Chapter, now: boolean, open: boolean, cited: Set<string>, canDo?: any }} props
 */
function ChapterPart({ chapter, now, open, cited, canDo }) {
  const part = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (now) part.current?.scrollIntoView({ block: "start" });
  }, [now]);
  return html`<details class=${`chapter${now ? " now" : ""}`} open=${open || now} ref=${part}>
    <summary><h2>${chapter.title}</h2>${now && html` <span class="chapter-now">now</span>`}</summary>
    ${canDo}
    ${
      chapter.named
        ? html`<dl class="follow-list">
            ${chapter.lines.map(([text, name]) => html`<div key=${name}><dt>${name}</dt><dd>${text}</dd></div>`)}
          </dl>`
        : html`<ul class="chapter-lines">
            ${chapter.lines.map(([text, ids]) => {
              const used = ids.split(" ").some((id) => cited.has(id));
              return html`<li key=${ids} class=${used ? "cited" : ""}>
                ${text} <small class="rule-id">${used ? say("{rule}, just used", { rule: ids }) : ids}</small>
              </li>`;
            })}
          </ul>`
    }
  </details>`;
}

/**
 * The rules of a game without a guide, one line each.
 * @param {{ labels: Labels, cited: Set<string> }} props
 */
function Plain({ labels, cited }) {
  return html`<div class="panel rules">
    <h1 class="headline">${labels.title ?? say("Rules")}</h1>
    ${labels.blurb && html`<p class="lead">${labels.blurb}</p>`}
    <ul class="chapter-lines">
      ${Object.entries(labels.rules ?? {}).map(
        ([id, line]) => html`<li key=${id} class=${cited.has(id) ? "cited" : ""}>
          ${line} <small class="rule-id">${id}${cited.has(id) ? ", just used" : ""}</small>
        </li>`,
      )}
    </ul>
  </div>`;
}
