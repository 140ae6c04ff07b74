// The guide of the present game, as a hook.

import { fetchGuide } from "../lib/guide.js";
import { useEffect, useState } from "../lib/html.js";

/** @import { Guide } from "../lib/types.d.ts" */

/**
 * Return the guide of a game: undefined while it loads, null if the game has none.
 * @param {string | null | undefined} game
 */
export function useGuide(game) {
  const [guide, setGuide] = useState(/** @type {Guide | null | undefined} */ (undefined));
  useEffect(() => {
    let stale = false;
    setGuide(undefined);
    if (game) {
      fetchGuide(game).then(
        (found) => stale || setGuide(found),
        () => stale || setGuide(null),
      );
    }
    return () => {
      stale = true;
    };
  }, [game]);
  return guide;
}
