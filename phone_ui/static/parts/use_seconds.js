// A countdown of seconds from the hub.

import { useEffect, useState } from "../lib/html.js";

/**
 * Count down from the hub's last number.
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
