// How to sit down before a match: what to scan, what to type, and how to play without a phone.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { Fingerprint } from "../parts/marks.js";
import { bareUrl, JoinCode, WifiCode } from "./joining.js";

/** @import { PublicSeat, ScreenState } from "../lib/messages.d.ts" */

/**
 * The fingerprint of the hub's key, if this screen is one of the table's own.
 * @param {{ state: ScreenState }} props
 */
export function KeyDigits({ state }) {
  return state.fingerprint && html`<p class="key-digits">its key: <${Fingerprint} digits=${state.fingerprint} /></p>`;
}

/**
 * Return how a phone proves that it is at its seat, if a seat is available: by the seat's box, or by the seat's code.
 * @param {readonly PublicSeat[]} seats
 */
function proofOfPlace(seats) {
  const free = seats.filter((place) => !place.held);
  const byCode = free.some((place) => place.box !== "on");
  const byBox = free.some((place) => place.box === "on") || seats.some((place) => place.held && place.phone === "none");
  if (byBox && byCode) return say("Press the box in front of you, or type the six letters of your seat");
  if (byBox) return say("Press the box in front of you");
  return byCode ? say("Type the six letters of your seat") : "";
}

/** @param {{ state: ScreenState }} props */
export function HowToJoin({ state }) {
  const { seats } = state;
  const anybody = seats.some((place) => place.held || place.ready);
  const hasFree = seats.some((place) => !place.held);
  const onBoxAlone = seats.some((place) => place.held && place.phone === "none");
  const boxed = seats.some((place) => place.box === "on");
  const proof = proofOfPlace(seats);
  const scanToSit = anybody ? say("Scan to sit down too") : say("Scan");
  const scanToSee = onBoxAlone ? say("Scan to see your own hand") : say("Scan to watch");
  const join = html`<${JoinCode} state=${state} kind="welcome-qr" />`;
  return html`${
    state.wifi
      ? html`<div class="welcome-codes">
          <${WifiCode} state=${state} />
          <figure>${join}<figcaption>Table</figcaption></figure>
        </div>`
      : join
  }
    <ol class="steps">
      ${state.wifi && html`<li><span class="step-word">Wi-Fi</span> <b translate="no">“${state.wifi.name}”</b></li>`}
      ${state.url && html`<li>${hasFree ? scanToSit : scanToSee}</li>`}
      ${proof && html`<li>${proof}</li>`}
    </ol>
    ${
      state.url
        ? html`<p class="by-hand">
        or open <b>${bareUrl(state.url)}</b><br />and type <b class="code" translate="no">${state.code}</b>
      </p>
      <${KeyDigits} state=${state} />`
        : html`<p class="by-hand">No network yet</p>`
    }
    ${
      boxed &&
      html`<p class="no-phone">
        No phone? Push your dial to sit down, turn it to choose the game, push again to start.
      </p>`
    }`;
}
