// Below a demonstration: that it is one, its game, and how to sit down.

import { html } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { Fingerprint, Mark } from "../parts/marks.js";
import { bareUrl, codeOf, JoinCode, offerText, StaffPin, WifiCode } from "./joining.js";

/** @import { ScreenState } from "../lib/messages.d.ts" */

/**
 * Return an invitation to passers-by.
 * @param {boolean} reachable there is an address to scan
 * @param {boolean} boxed
 */
function demonstrationText(reachable, boxed) {
  if (reachable) return say("Demonstration. Scan to play");
  return boxed ? say("Demonstration. Push a dial to play") : say("Demonstration.");
}

/**
 * Below a demonstration: that it is one, its game, and how to sit down.
 * @param {{ state: ScreenState, game: string | null }} props
 */
export function Invitation({ state, game }) {
  const free = state.seats.filter((place) => codeOf(state, place.seat));
  const offer = state.games.find((one) => one.name === game);
  const boxed = state.seats.some((place) => place.box === "on");
  return html`<footer class="invitation" aria-label="Demonstration">
    <${WifiCode} state=${state} kind="invitation-wifi" />
    <${JoinCode} state=${state} kind="invitation-qr" />
    <div class="invitation-text">
      <p>
        <b class="invitation-title">${demonstrationText(state.url !== "", boxed)}</b>
        <span class="invitation-free">
          ${free.map(
            ({ seat }) => html`<span key=${seat}><${Mark} seat=${seat} /> ${seat} <b>${codeOf(state, seat)}</b></span>`,
          )}
        </span>
      </p>
      ${offer && html`<p class="invitation-blurb">${offer.blurb}</p>`}
      <p>
        <span>
          ${state.url ? sayAround("or open {address}, code {code}", { address: html`<b>${bareUrl(state.url)}</b>`, code: html`<b class="code" translate="no">${state.code}</b>` }) : say("No network yet")}
        </span>
        ${offer && html`<span class="invitation-soft">${offerText(offer)}</span>`}
        ${
          state.fingerprint &&
          html`<span class="invitation-soft invitation-key">key <${Fingerprint} digits=${state.fingerprint} /></span>`
        }
      </p>
      ${state.staff_pin && html`<${StaffPin} state=${state} />`}
    </div>
  </footer>`;
}
