// How to lay out printed cards.

import { html } from "../lib/html.js";

/** @import { Lying } from "../lib/messages.d.ts" */
/** @import { Labels } from "../lib/types.d.ts" */

/** The phase in which people lay out printed cards, the same in every game. */
export const LAY_OUT = "lay_out";

/**
 * A picture of the table: the cards in the middle, and those of each player.
 * @param {{ labels: Labels | null }} props
 */
export function LayOut({ labels }) {
  const about = labels?.printed_cards;
  if (!about) return null;
  return html`<section class="lay-out" aria-label="What lies where">
    <${Places} title="In the middle" places=${about.middle} />
    <${Places} title="In front of everybody" places=${about.seat} />
    ${about.differs && html`<p class="lesson-text">${about.differs}</p>`}
  </section>`;
}

/** @param {{ title: string, places: Lying[] }} props */
function Places({ title, places }) {
  return html`<h2>${title}</h2>
    <ul>
      ${places.map(({ what, lies }) => html`<li key=${what}><b>${what}</b> <span>${lies}</span></li>`)}
    </ul>`;
}
