// Values that were locked in secret: cards that lie face down for a breath and then turn, all at once.

import { html } from "../lib/html.js";
import { seatName } from "../lib/seats.js";
import { Mark } from "./marks.js";

/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * A card for each seat. It is drawn anew for each reveal (`n`), and only then turns.
 * @param {{ state: PublicState, n: number, values: { seat: number, text: string, highest: boolean }[] }} props
 */
export function TurnedCards({ state, n, values }) {
  return html`<ul class="turned" key=${n}>
    ${values.map(
      ({
        seat,
        text,
        highest,
      }) => html`<li key=${seat} class=${`${highest ? "highest" : ""}${text.length > 2 ? " long" : ""}`}>
        <b class="turned-card">${text}</b>
        <span class="turned-who"><${Mark} seat=${seat} /> <span class="who-name">${seatName(state, seat)}</span></span>
        <small class="turned-word">${highest ? "highest" : ""}</small>
      </li>`,
    )}
  </ul>`;
}
