// The labels of the game that is played, as a page's state.

import { useEffect, useState } from "../lib/html.js";
import { fetchLabels } from "../lib/labels.js";

/** @import { Labels } from "../lib/types.d.ts" */

/**
 * Return the labels of a game once they have come; null before, and for no game.
 * @param {string | null | undefined} game
 */
export function useLabels(game) {
  const [labels, setLabels] = useState(/** @type {Labels | null} */ (null));
  useEffect(() => {
    let stale = false;
    setLabels(null);
    if (game) {
      fetchLabels(game).then(
        (found) => stale || setLabels(found),
        () => undefined,
      );
    }
    return () => {
      stale = true;
    };
  }, [game]);
  return labels;
}
