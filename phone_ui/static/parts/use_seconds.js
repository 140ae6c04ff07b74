// How many seconds are left of what the hub has said.

import { useEffect, useState } from "../lib/html.js";

/**
 * Count down from what the hub said last.
 * @param {number} seconds
 * @param {unknown} since another value begins anew
 */
export function useSecondsLeft(seconds, since) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const until = Date.now() + seconds * 1000;
    const count = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    count();
    const timer = setInterval(count, 500);
    return () => clearInterval(timer);
  }, [seconds, since]);
  return left;
}
