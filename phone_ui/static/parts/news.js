// Recent events, shown for a while.

import { useEffect, useRef, useState } from "../lib/html.js";
import { phaseOf } from "../lib/view.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

const REVEAL_FOR = 4_500;
const HEADLINE_FOR = 7_000;
// The dice fall for 0.8 s and then lie still.
const ROLLED_FOR = 2_600;
const MOST_ROLLS = 6;
// Long enough to see from the other end of the table, while phones go on.
const GONE_FOR = 1_200;

/**
 * Return the newest events of some kinds for this time, and a function that ends it early. There are none after that time,
 * and none from before the page was opened or that came back with an undo.
 * @param {PublicState} state
 * @param {string[]} kinds
 * @param {number} duration
 * @returns {[PublicEvent[], () => void]}
 */
function useNews(state, kinds, duration) {
  const newest = state.events.at(-1)?.n ?? -1;
  const seen = useRef({ match: state.match, n: newest });
  const [showing, setShowing] = useState(/** @type {PublicEvent[]} */ ([]));
  useEffect(() => {
    const after = seen.current.match === state.match ? seen.current.n : -1;
    seen.current = { match: state.match, n: newest };
    const news = state.events.filter((event) => event.n > after && kinds.includes(event.kind));
    if (news.length) setShowing(news);
  }, [state.match, newest]);
  useEffect(() => {
    if (!showing.length) return undefined;
    const timer = setTimeout(() => setShowing([]), duration);
    return () => clearTimeout(timer);
  }, [showing]);
  return [showing, () => setShowing([])];
}

/**
 * Return the last reveal for a while, else null.
 * @param {PublicState} state
 */
export const useReveal = (state) => useNews(state, ["reveal"], REVEAL_FOR)[0].at(-1) ?? null;

/**
 * Return the rolls that were just made, and a function that ends the moment.
 * @param {PublicState} state
 * @returns {[PublicEvent[], () => void]}
 */
export function useRolled(state) {
  const [rolls, end] = useNews(state, ["roll"], ROLLED_FOR);
  // A page that has slept gets rolls of several seats at once.
  const seat = rolls.at(-1)?.data.seat;
  return [rolls.filter(({ data }) => data.faces && data.seat === seat).slice(-MOST_ROLLS), end];
}

/**
 * Return the last sale of an auction, by the event kinds in the labels, while the hammer is shown; else
 * null.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export const useGone = (labels, state) => useNews(state, labels?.screen?.gone ?? [], GONE_FOR)[0].at(-1) ?? null;

/**
 * Return the result of a roll or a trial, by the event kinds in the labels. It stays readable while the match goes on.
 * Empty if the screen shows it already.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function useHeadline(labels, state) {
  const [news] = useNews(state, labels?.screen?.headline ?? [], HEADLINE_FOR);
  const isShownElsewhere = state.dice || phaseOf(labels, state.view).headline === false;
  return isShownElsewhere ? "" : (news.at(-1)?.text ?? "");
}
