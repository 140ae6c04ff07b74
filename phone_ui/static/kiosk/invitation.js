// Under a demonstration: that it is one, of which game, and how to sit down.

import { html } from "../lib/html.js";
import { Fingerprint, Mark } from "../parts/marks.js";
import { bareUrl, codeOf, JoinCode, offerText, StaffPin } from "./joining.js";

/** @import { ScreenState } from "../lib/messages.d.ts" */

/**
 * Under a demonstration: that it is one, of which game, and how to sit down.
 * @param {{ state: ScreenState, game: string | null }} props
 */
export function Invitation({ state, game }) {
  const free = state.seats.filter((place) => codeOf(state, place.seat));
  const offer = state.games.find((one) => one.name === game);
  const boxed = state.seats.some((place) => place.box === "on");
  return html`<footer class="invitation" aria-label="Demonstration">
    <${JoinCode} state=${state} kind="invitation-qr" />
    <div class="invitation-text">
      <p>
        <b class="invitation-title">Demonstration. ${state.url ? "Scan to play" : boxed ? "Push a dial to play" : ""}</b>
        <span class="invitation-free">
          ${free.map(
            ({ seat }) => html`<span key=${seat}><${Mark} seat=${seat} /> ${seat} <b>${codeOf(state, seat)}</b></span>`,
          )}
        </span>
      </p>
      ${offer && html`<p class="invitation-blurb">${offer.blurb}</p>`}
      <p>
        <span>
          ${state.url ? html`or open <b>${bareUrl(state.url)}</b>, code <b class="code" translate="no">${state.code}</b>` : "No network yet"}
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
