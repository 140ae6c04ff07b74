// A seat that another phone claims, or that is used in another tab. Fetched when needed.

import { html } from "../lib/html.js";

/** @import { Ask } from "../lib/types.d.ts" */

/**
 * The claim of another phone on this seat: this phone decides first.
 * @param {{ claim: number, sending: string | null, ask: Ask }} props
 */
export function SeatWanted({ claim, sending, ask }) {
  const decide = (/** @type {"keep" | "give"} */ say) => () => ask("claim", { claim, say }, `claim ${say}`);
  return html`<div class="notice error seat-wanted" role="alertdialog" aria-label="Another phone wants your seat">
    <p class="notice-text">Another phone wants your seat. It would see your hand.</p>
    <button type="button" class="small-act strong" disabled=${Boolean(sending)} onClick=${decide("keep")}>Keep it</button>
    <button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${decide("give")}>Hand over</button>
  </div>`;
}

/**
 * @param {{ onUse: () => void }} props
 */
export function Elsewhere({ onUse }) {
  return html`<main class="seating">
    <h1 class="headline">This seat is open in another tab</h1>
    <button type="button" class="act primary" onClick=${onUse}>Use it here</button>
  </main>`;
}
