// The public state of a table as server-sent events. Silence means reconnect, so that no page shows an old state as the
// present one.

import { readMessage } from "./language.js";

/** @import { Clock, Source } from "./types.d.ts" */

const PATIENCE = 3_000; // without data from the hub, which sends a beat every second
const TRY_AGAIN = 2_000;

/**
 * The clock of modules that wait and repeat, replaceable in tests.
 * @type {Clock}
 */
export const browserClock = {
  now: () => Date.now(),
  every(milliseconds, call) {
    const timer = setInterval(call, milliseconds);
    return () => clearInterval(timer);
  },
};

/**
 * Follow an address of server-sent events. `onState` gets each JSON. `onAway` gets true after a silence, and false with the
 * next data. `onData` is called for each beat or state.
 * @param {string} address
 * @param {{
 *   onState: (state: any) => void,
 *   onAway: (away: boolean) => void,
 *   onData?: () => void,
 *   clock?: Clock,
 *   open?: (address: string) => Source,
 * }} options
 * @returns {{ wake: () => void, close: () => void }}
 */
export function subscribe(
  address,
  { onState, onAway, onData = () => undefined, clock = browserClock, open = (at) => new EventSource(at) },
) {
  /** @type {Source | null} */
  let source = null;
  let heardAt = clock.now();
  let away = false;
  let closed = false;

  function noteData() {
    heardAt = clock.now();
    if (away) {
      away = false;
      onAway(false);
    }
    onData();
  }

  function reopen() {
    source?.close();
    if (closed) return;
    source = open(address);
    source.onopen = noteData;
    source.addEventListener("beat", noteData);
    source.onmessage = ({ data }) => {
      noteData();
      onState(readMessage(data));
    };
  }

  const stopWatching = clock.every(1_000, () => {
    if (clock.now() - heardAt <= PATIENCE) return;
    if (!away) {
      away = true;
      onAway(true);
    }
    heardAt = clock.now() - PATIENCE + TRY_AGAIN;
    reopen();
  });

  reopen();
  return {
    wake: reopen,
    close() {
      closed = true;
      stopWatching();
      source?.close();
    },
  };
}
