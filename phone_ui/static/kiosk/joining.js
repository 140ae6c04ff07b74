// How to join a table, for several parts of its screen: the QR code, the address, the codes of seats.

import { html } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { QrCode } from "../parts/qr_code.js";

/** @import { GameOffer, ScreenState } from "../lib/messages.d.ts" */

/** The name of the table in addresses. */
export const table = location.pathname.split("/").filter(Boolean).at(-2) ?? "";

/**
 * Return the code that claims a seat, if this screen is one of the table's own and may show it.
 * @param {ScreenState} state
 * @param {number} seat
 */
export const codeOf = (state, seat) => state.claim_codes?.[seat];

/** @param {string} url */
export const bareUrl = (url) => url.replace(/^https?:\/\//, "").replace(/\/$/, "");

/**
 * The QR code of the present address; nothing without a network.
 * @param {{ state: ScreenState, kind: string }} props
 */
export function JoinCode({ state, kind }) {
  // The address in the query makes the browser fetch the picture again after a change.
  const src = `/t/${table}/qr.svg?${encodeURIComponent(state.url)}`;
  return state.url && html`<img class=${kind} src=${src} alt="code to scan" />`;
}

/**
 * The code of the Wi-Fi that phones join first; nothing without one.
 * @param {{ state: ScreenState, kind?: string }} props
 */
export function WifiCode({ state: { wifi }, kind }) {
  return (
    wifi &&
    html`<figure class=${kind}>
      <${QrCode} text=${wifi.code} label=${say("code to scan for the Wi-Fi {name}", { name: wifi.name })} />
      <figcaption>Wi-Fi</figcaption>
    </figure>`
  );
}

/**
 * Return the number of players of a game, and how long it takes.
 * @param {GameOffer} game
 */
export const offerText = ({ seats, minutes }) =>
  say("{least} to {most} players, about {minutes} minutes", { least: seats[0], most: seats[1], minutes });

/** @param {{ state: ScreenState }} props */
export function StaffPin({ state }) {
  return html`<p class="staff-pin">
    ${sayAround("Staff: open {address}, PIN {pin}, shown until it has been used once.", {
      address: html`<b>${`${bareUrl(state.url) || location.host}/staff`}</b>`,
      pin: html`<b class="code" translate="no">${state.staff_pin}</b>`,
    })}
  </p>`;
}
