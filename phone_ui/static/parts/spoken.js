// Events at the table for screen readers: each event is announced when it arrives.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { Sentence } from "./marks.js";

/** @import { PublicState } from "../lib/messages.d.ts" */

// A match advances by itself in many steps, and all of them are announced.
const KEPT = 60;

/** The texts of a state. `place` distinguishes an event from an undone one. */
const linesOf = (/** @type {PublicState} */ { match, epoch, events }, /** @type {number} */ after) =>
  events.filter(({ n }) => n > after).map(({ n, text }) => ({ place: `${match}/${epoch}/${n}`, text }));

/**
 * The newest events in an invisible live region. Events from before the page was opened are not announced.
 * @param {{ state: PublicState, isReady: boolean }} props `isReady`: the sentences of the game can be said
 */
export function Spoken({ state, isReady }) {
  const newest = state.events.at(-1)?.n ?? -1;
  const latest = useRef({ match: state.match, n: newest });
  const [lines, setLines] = useState(/** @type {{ place: string, text: string }[]} */ ([]));
  useEffect(() => {
    if (!isReady) return;
    const { match, n } = latest.current;
    latest.current = { match: state.match, n: newest };
    const news = linesOf(state, match === state.match ? n : -1);
    // The present text may not be read yet, because the next state may arrive at once.
    if (news.length) setLines((before) => [...before, ...news].slice(-KEPT));
  }, [state.match, newest, isReady]);
  return html`<div class="unseen" role="log" aria-label="What happens">
    ${lines.map(({ place, text }) => html`<p key=${place}><${Sentence} state=${state} text=${text} /></p>`)}
  </div>`;
}
