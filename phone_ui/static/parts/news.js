// What just happened, held up for a while.

import { useEffect, useRef, useState } from "../lib/html.js";
import { phaseOf } from "../lib/view.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

const REVEAL_FOR = 4_500;
const HEADLINE_FOR = 7_000;
const GONE_FOR = 1_200; // long enough to be seen from the other end of a table; phones go on meanwhile

/**
 * Return the newest event of some kinds, for so many milliseconds; null before, and for what was there when the page
 * came, or is there again as something was taken back.
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
 * Return what was revealed, for a while; else null.
 * @param {PublicState} state
 */
export const useReveal = (state) => useNews(state, ["reveal"], REVEAL_FOR);

/**
 * Return what an auction has just sold, of the kinds of events that the labels name, until the hammer has been seen;
 * else null.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export const useGone = (labels, state) => useNews(state, labels?.screen?.gone ?? [], GONE_FOR);

/**
 * Return what came of a roll or a trial, of the kinds of events that the labels name: it stays to be read while the
 * match goes on. Empty where the screen says it already.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function useHeadline(labels, state) {
  const news = useNews(state, labels?.screen?.headline ?? [], HEADLINE_FOR);
  const isSaidElsewhere = state.dice || phaseOf(labels, state.view).headline === false;
  return isSaidElsewhere ? "" : (news?.text ?? "");
}
