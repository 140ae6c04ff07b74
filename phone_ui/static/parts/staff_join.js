// How people and screens get to one table, for staff: the card to print.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { AskHub } from "../lib/types.d.ts" */

/** @param {{ table: string, ask: AskHub, sending: string | null }} props */
export function StaffJoin({ table, ask, sending }) {
  const card = `card ${table}`;
  return html`<details class="part">
    <summary>Card to print</summary>
    <p class="quiet-words">A card for this table, with the codes to scan. It names the password of the guests' Wi-Fi.</p>
    <div class="does">
      <button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => ask("card", table, {}, card)}>
        ${sending === card ? say("The hub draws it…") : say("Save the card")}
      </button>
    </div>
  </details>`;
}
