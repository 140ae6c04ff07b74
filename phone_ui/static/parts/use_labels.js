// The labels of the present game, as a hook.

import { useEffect, useState } from "../lib/html.js";
import { fetchLabels, labelsNow } from "../lib/labels.js";

/** @import { Labels } from "../lib/types.d.ts" */

const MOST_MS = 5_000; // after this time, the page shows the match without them

/**
 * Return the labels of a game, with its sentences in the page's language: undefined while they load, null without a game
 * or if the hub does not send them.
 * @param {string | null | undefined} game
 * @returns {Labels | null | undefined}
 */
export function useLabels(game) {
  const [come, setCome] = useState({ game: "", labels: /** @type {Labels | null} */ (null) });
  useEffect(() => {
    if (!game) return undefined;
    let stale = false;
    const take = (/** @type {Labels | null} */ labels) => stale || setCome({ game, labels });
    const timer = setTimeout(take, MOST_MS, null);
    fetchLabels(game)
      .then(take, () => take(null))
      .finally(() => clearTimeout(timer));
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [game]);
  if (!game) return null;
  return come.game === game ? come.labels : labelsNow(game);
}
