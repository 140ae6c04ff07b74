// A phone that was asleep, or that the table calls: it shows a line, and shakes.

import { html, useEffect, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { turnText } from "./play.js";

/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

const SLEPT = 5_000; // a phone hidden for this long was put away
const SETTLES = 700; // until the newest state has arrived over the new connection
const SHAKE = [200, 100, 200, 100, 200];

/** Return whether the page was hidden for long and is visible again, until the table has moved on. */
function useWoken(/** @type {string} */ moment) {
  const [woken, setWoken] = useState("");
  useEffect(() => {
    let hidden = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const update = () => {
      clearTimeout(timer);
      if (document.visibilityState === "hidden") {
        hidden = Date.now();
        setWoken("");
      } else if (hidden && Date.now() - hidden >= SLEPT) {
        timer = setTimeout(() => setWoken("now"), SETTLES);
      }
    };
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, []);
  useEffect(() => {
    if (woken) setWoken(woken === "now" || woken === moment ? moment : "");
  }, [woken, moment]);
  return woken === "now" || woken === moment;
}

/**
 * @param {{ state: PublicState, hand: Hand | null, away: boolean, tab: boolean, onPlay: () => void }} props
 */
export function Awaited({ state, hand, away, tab, onPlay }) {
  const woken = useWoken(`${state.match} ${hand?.number}`);
  const isTurn = turnText(state, hand) === "Your turn";
  const called = hand !== null && state.nudged.includes(hand.seat);
  const awaited = isTurn && !away && (woken || called);
  useEffect(() => {
    if (awaited) navigator.vibrate?.(SHAKE);
  }, [awaited]);
  if (!awaited) return null;
  return html`<p class="awaited" role="alert">
    ${called ? say("The others are waiting for you.") : say("It is your turn.")}
    ${tab && html`<button type="button" class="small-act strong" onClick=${onPlay}>Play</button>`}
  </p>`;
}
