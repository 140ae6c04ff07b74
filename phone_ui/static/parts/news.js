// Recent events, shown for a while.

import { useEffect, useRef, useState } from "../lib/html.js";
import { phaseOf } from "../lib/view.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

const REVEAL_FOR = 4_500;
const HEADLINE_FOR = 7_000;
const GONE_FOR = 1_200; // long enough to see from the other end of the table, while phones go on

/**
 * Return the newest event of some kinds for this time; null after it, and for events from before the page was opened or
 * that came back with an undo.
 * @param {PublicState} state
 * @param {string[]} kinds
 * @param {number} duration
 */
function useNews(state, kinds, duration) {
  const newest = state.events.at(-1)?.n ?? -1;
  const seen = useRef({ match: state.match, n: newest });
  const [showing, setShowing] = useState(/** @type {PublicEvent | null} */ (null));
  useEffect(() => {
    const after = seen.current.match === state.match ? seen.current.n : -1;
    seen.current = { match: state.match, n: newest };
    const news = state.events.findLast((event) => event.n > after && kinds.includes(event.kind));
    if (news) setShowing(news);
  }, [state.match, newest]);
  useEffect(() => {
    if (!showing) return undefined;
    const timer = setTimeout(() => setShowing(null), duration);
    return () => clearTimeout(timer);
  }, [showing]);
  return showing;
}

/**
 * Return the last reveal for a while, else null.
 * @param {PublicState} state
 */
export const useReveal = (state) => useNews(state, ["reveal"], REVEAL_FOR);

/**
 * Return the last sale of an auction, by the event kinds in the labels, while the hammer is shown; else
 * null.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export const useGone = (labels, state) => useNews(state, labels?.screen?.gone ?? [], GONE_FOR);

/**
 * Return the result of a roll or a trial, by the event kinds in the labels. It stays readable while the match goes on.
 * Empty if the screen shows it already.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function useHeadline(labels, state) {
  const news = useNews(state, labels?.screen?.headline ?? [], HEADLINE_FOR);
  const isShownElsewhere = state.dice || phaseOf(labels, state.view).headline === false;
  return isShownElsewhere ? "" : (news?.text ?? "");
}
