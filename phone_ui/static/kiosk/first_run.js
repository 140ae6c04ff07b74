// The screen of a hub that was never set up: what to scan, one after the other, and how to play without that.

import { html } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { Mark } from "../parts/marks.js";
import { QrCode } from "../parts/qr_code.js";
import { KeyDigits } from "./how_to_join.js";
import { bareUrl, codeOf, WifiCode } from "./joining.js";

/** @import { ScreenState } from "../lib/messages.d.ts" */

/** @param {{ state: ScreenState }} props */
export function FirstRun({ state }) {
  const address = html`<b>${bareUrl(state.url)}</b>`;
  return html`<section class="first-run" aria-label="Set up">
    <h1>Set up this hub with your phone</h1>
    <ol class="first-steps">
      ${
        state.wifi &&
        html`<li>
          <${WifiCode} state=${state} />
          <p>
            ${sayAround("Scan this code with the camera to join the Wi-Fi {name}, password {password}", {
              name: html`<b translate="no">${state.wifi.name}</b>`,
              password: html`<b translate="no">${state.wifi.password}</b>`,
            })}
          </p>
        </li>`
      }
      <li>
        <figure>
          <${QrCode} text=${state.setup} label=${say("code to scan for the setup page")} />
          <figcaption>Set up</figcaption>
        </figure>
        <p>
          ${sayAround("Scan this code, or open {address} and type the PIN {pin}", {
            address: html`<b>${`${bareUrl(state.url)}/setup`}</b>`,
            pin: html`<b class="code" translate="no">${state.staff_pin}</b>`,
          })}
        </p>
      </li>
    </ol>
    <p class="first-play">
      ${sayAround("To play at once, open {address}, code {code}, then type the letters of a seat:", { address, code: html`<b class="code" translate="no">${state.code}</b>` })}
      <span class="invitation-free">
        ${state.seats.map(
          ({ seat }) =>
            codeOf(state, seat) &&
            html`<span key=${seat}><${Mark} seat=${seat} /> ${seat} <b translate="no">${codeOf(state, seat)}</b></span>`,
        )}
      </span>
    </p>
    <${KeyDigits} state=${state} />
  </section>`;
}
