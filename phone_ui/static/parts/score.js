// The history of a number: each change with its sum, from the first to the last. Fetched at a tap on a number.

import { allEvents, changesOf, scoredFacts } from "../lib/events.js";
import { html, useEffect, useState } from "../lib/html.js";
import { numberText } from "../lib/labels.js";
import { Sentence } from "./marks.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

/**
 * The changes of a seat's count: of one fact, or of those that make up its `score`.
 * @param {{ labels: Labels | null, state: PublicState, seat: number, fact?: string, score?: any }} props
 */
export function ScoreSum({ labels, state, seat, fact, score }) {
  const what = fact ? [fact] : scoredFacts(labels, state.view?.seats?.[seat], score);
  const [events, setEvents] = useState(/** @type {PublicEvent[] | null} */ (null));
  const newest = state.events.at(-1)?.n;
  useEffect(() => {
    let stale = false;
    allEvents(state).then(
      (found) => stale || setEvents(found),
      () => stale || setEvents(state.events), // at least the events of this phone
    );
    return () => {
      stale = true;
    };
  }, [state.match, state.epoch, newest]);
  if (!events) return null;
  const changes = changesOf(events, seat, what);
  if (!changes.length) return html`<p class="score-sum" role="status">Unchanged since the start.</p>`;
  return html`<ol class="score-sum" aria-label="How it came about">
    ${changes.map(
      ({ n, text, data }) => html`<li key=${n} class="score-change">
        <b>${data.sum}</b>${" "} ${what.length > 1 && html`${factLabel(labels, data.what)} ${numberOf(labels, data)}`}
        <span class="score-text"><${Sentence} state=${state} text=${text} /></span>
      </li>`,
    )}
  </ol>`;
}

/**
 * @param {Labels | null} labels
 * @param {string} what
 */
function factOf(labels, what) {
  const facts = Object.entries(labels?.facts ?? {});
  return facts.find(([key, fact]) => fact.where === "seat" && (fact.name ?? key) === what)?.[1];
}

/**
 * @param {Labels | null} labels
 * @param {string} what
 */
const factLabel = (labels, what) => factOf(labels, what)?.label ?? "";

/**
 * @param {Labels | null} labels
 * @param {Record<string, any>} data
 */
const numberOf = (labels, { what, to }) => (Number.isInteger(to) ? numberText(to, factOf(labels, what)) : "");
