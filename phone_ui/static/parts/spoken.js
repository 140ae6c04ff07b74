// What happens at the table, for those who hear the page: each event is read aloud as it comes.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { Sentence } from "./marks.js";

/** @import { PublicState } from "../lib/messages.d.ts" */

const KEPT = 60; // a match goes on by itself in many steps, and all of them are read

/** What is read of a state; `place` tells an event from one that was taken back. */
const linesOf = (/** @type {PublicState} */ { match, epoch, events }, /** @type {number} */ after) =>
  events.filter(({ n }) => n > after).map(({ n, text }) => ({ place: `${match}/${epoch}/${n}`, text }));

/**
 * The newest events in a region that is read aloud and not seen. What was there when the page came is not read.
 * @param {{ state: PublicState, isReady: boolean }} props `isReady`: the sentences of the game can be said
 */
export function Spoken({ state, isReady }) {
  const newest = state.events.at(-1)?.n ?? -1;
  const heard = useRef({ match: state.match, n: newest });
  const [lines, setLines] = useState(/** @type {{ place: string, text: string }[]} */ ([]));
  useEffect(() => {
    if (!isReady) return;
    const { match, n } = heard.current;
    heard.current = { match: state.match, n: newest };
    const news = linesOf(state, match === state.match ? n : -1);
    // What stands there may not be read yet: the next state may come at once.
    if (news.length) setLines((before) => [...before, ...news].slice(-KEPT));
  }, [state.match, newest, isReady]);
  return html`<div class="unseen" role="log" aria-label="What happens">
    ${lines.map(({ place, text }) => html`<p key=${place}><${Sentence} state=${state} text=${text} /></p>`)}
  </div>`;
}
