// What happens at the table, for those who hear the page: each event is read aloud as it comes.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { Sentence } from "./marks.js";

/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

const MOST = 12; // events that come at once; what was before them stands in the log

/**
 * The newest events in a region that is read aloud and not seen. What was there when the page came is not read.
 * @param {{ state: PublicState }} props
 */
export function Spoken({ state }) {
  const newest = state.events.at(-1)?.n ?? -1;
  const heard = useRef({ match: state.match, n: newest });
  const [events, setEvents] = useState(/** @type {PublicEvent[]} */ ([]));
  useEffect(() => {
    const { match, n } = heard.current;
    const after = match === state.match ? n : -1;
    heard.current = { match: state.match, n: newest };
    const news = state.events.filter((event) => event.n > after);
    if (news.length) setEvents(news.slice(-MOST));
  }, [state.match, newest]);
  return html`<div class="unseen" role="log" aria-label="What happens">
    ${events.map(({ n, text }) => html`<p key=${`${state.match}/${n}`}><${Sentence} state=${state} text=${text} /></p>`)}
  </div>`;
}
