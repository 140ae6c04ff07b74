// Time, as modules that wait and repeat are given it.

/** @import { Clock } from "./types.d.ts" */

/** @type {Clock} */
export const browserClock = {
  now: () => Date.now(),
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds);
    return () => clearInterval(timer);
  },
};
