// Values that were locked in secret: cards that lie face down for a moment and then all turn at once.

import { html } from "../lib/html.js";
import { longestWord, nameStays, seatName } from "../lib/seats.js";
import { Card } from "./cards.js";
import { Mark } from "./marks.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { revealedValues } from "../lib/view.js" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * A card for each seat. Each reveal (`n`) draws them again, so that they turn. Remarks are in the words of the game
 * (`screen.reveal`).
 * @param {{
 *   labels: Labels | null, state: PublicState, n: number, values: ReturnType<typeof revealedValues>,
 * }} props
 */
export function TurnedCards({ labels, state, n, values }) {
  return html`<ul class="turned" key=${n}>
    ${values.map(
      ({ seat, text, mark, cards }) => html`<li key=${seat} class=${`${mark}${text.length > 2 ? " long" : ""}`}>
        <b class=${`turned-card${cards.length ? " with-face" : ""}`}>
          ${cards.length ? cards.map((card) => html`<${Card} labels=${labels} face=${card} />`) : text}
        </b>
        <span class="turned-who" style=${{ "--longest": longestWord(seatName(state, seat)) }}><${Mark} seat=${seat} /> <span class="who-name" dir="auto" translate=${nameStays(state, seat)}>${seatName(state, seat)}</span></span>
        <small class="turned-word">${mark && (labels?.screen?.reveal?.[mark] ?? mark)}</small>
      </li>`,
    )}
  </ul>`;
}
