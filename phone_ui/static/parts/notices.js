// What the table should know, the most severe first: each stands until its cause has passed or a player says "Done".

import { html } from "/vendor/htm-preact.js";
import { Sentence } from "./marks.js";

/** @import { Ask } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * The notices of a table, in the hub's order. Where `ask` is given, those that can be acknowledged have a button.
 * @param {{ state: PublicState, ask?: Ask, sending?: string | null }} props
 */
export function Notices({ state, ask, sending = null }) {
  return state.notices.map(({ key, severity, text, can_acknowledge: canAcknowledge }) => {
    const name = `acknowledge ${key}`;
    return html`<div key=${key} class=${`notice ${severity}`}>
      <p class="notice-text" role="status"><${Sentence} state=${state} text=${text} /></p>
      ${
        ask &&
        canAcknowledge &&
        html`<button
          type="button"
          class="small-act notice-done"
          disabled=${Boolean(sending)}
          aria-busy=${sending === name}
          aria-label=${`Done: ${text}`}
          onClick=${() => ask("acknowledge", { key }, name)}
        >
          ${sending === name ? "Sending…" : "Done"}
        </button>`
      }
    </div>`;
  });
}
