// Hand this seat over to another phone: a code for its camera, valid once within two minutes.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { QrCode } from "./qr_code.js";
import { useSecondsLeft } from "./use_seconds.js";

/** @import { Ask, Held } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

/**
 * Return the address that gives a phone this seat. Key and code are in the fragment, which is never sent.
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
      ${sending === "hand over" ? say("Sending…") : say("Show a code to scan")}
    </button>`;
  }
  return html`<div class="hand-over" role="group" aria-label="A code to scan">
    <${QrCode} text=${handOverAddress(state, held, code)} label="Code for the camera of the other phone" />
    <p>${say("The phone that scans this code gets your seat and your hand. The code works once, for {seconds} s more.", { seconds: left })}</p>
    <button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${show(false)}>Stop</button>
  </div>`;
}
