// Problems in plain words, and what to do about each.

import { html } from "../lib/html.js";

/** @import { Fault } from "../lib/messages.d.ts" */

/** @param {{ fault: Fault }} props */
export function FaultLine({ fault }) {
  return html`<div class=${`fault ${fault.severity}`}>
    <p>${fault.what}</p>
    ${fault.do && html`<p class="fault-do">${fault.do}</p>`}
  </div>`;
}
