// Giving this seat to another phone: a code that its camera reads, once and for two minutes.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { useSecondsLeft } from "./use_seconds.js";

/** @import { Ask, Held } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

const QUIET = 4; // white modules around a code, as its standard wants

/**
 * Return the address that gives a phone this seat: the hub's key and the code stand behind the #, so they are sent nowhere.
 * @param {PublicState} state
 * @param {Held} held
 * @param {string} code
 */
export const handOverAddress = (state, held, code) =>
  `${state.url || location.origin}/t/${state.table}#k=${held.hubkey}&seat=${held.seat}&code=${code}`;

/** @param {{ state: PublicState, hand: Hand | null, held: Held, sending: string | null, ask: Ask }} props */
export function HandOver({ state, hand, held, sending, ask }) {
  const code = hand?.hand_over;
  const left = useSecondsLeft(hand?.hand_over_seconds ?? 0, `${code} ${hand?.seq}`);
  const show = (/** @type {boolean} */ on) => () => ask("hand_over", { show: on }, "hand over");
  if (!code) {
    return html`<button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${show(true)}>
      ${sending === "hand over" ? "Sending…" : "Show a code to scan"}
    </button>`;
  }
  return html`<div class="hand-over" role="group" aria-label="A code to scan">
    <${Code} text=${handOverAddress(state, held, code)} />
    <p>Whoever scans it has this seat and its hand. It works once, for ${left} s more.</p>
    <button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${show(false)}>Stop</button>
  </div>`;
}

/** @param {{ text: string }} props */
function Code({ text }) {
  const [path, setPath] = useState("");
  const [size, setSize] = useState(0);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    const draw = (/** @type {typeof import("/vendor/qr.js")} */ { correction, generate }) => {
      if (gone) return;
      const code = generate(text, { minCorrectionLevel: correction.M });
      let dark = "";
      for (let y = 0; y < code.size; y++) {
        for (let x = 0; x < code.size; x++) if (code.get(x, y)) dark += `M${x} ${y}h1v1h-1z`;
      }
      setPath(dark);
      setSize(code.size);
    };
    import("/vendor/qr.js").then(draw).catch(() => setFailed(true));
    return () => {
      gone = true;
    };
  }, [text]);
  if (failed)
    return html`<p role="alert">The code could not be drawn. Press Stop and try again, or type the letters below.</p>`;
  if (!size) return html`<div class="hand-over-code"></div>`;
  const whole = size + 2 * QUIET;
  return html`<svg
    class="hand-over-code"
    role="img"
    aria-label="Code for the camera of the other phone"
    viewBox=${`${-QUIET} ${-QUIET} ${whole} ${whole}`}
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
}
