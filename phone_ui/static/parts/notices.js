// Notices for the table, the most severe first. Each stays until its cause is gone or a player presses "Done".

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { Sentence } from "./marks.js";

/** @import { Ask } from "../lib/types.d.ts" */
/** @import { Notice, PublicState } from "../lib/messages.d.ts" */

/**
 * The notices of a table, in the hub's order. With `ask`, those that can be acknowledged have a button. More than `most`
 * notices shrink to one line with the most severe one, until a tap opens it, to leave room for the game.
 * @param {{ state: PublicState, ask?: Ask, sending?: string | null, most?: number }} props
 */
export function Notices({ state, ask, sending = null, most = Number.POSITIVE_INFINITY }) {
  const lines = state.notices.map(
    (notice) => html`<${NoticeLine} key=${notice.key} notice=${notice} state=${state} ask=${ask} sending=${sending} />`,
  );
  if (lines.length <= most) return lines;
  const [first] = state.notices;
  return html`<details class="more-notices">
    <summary class=${first.severity}>
      <span class="more-notices-first"><${Sentence} state=${state} text=${first.text} /></span>
      <span class="more-notices-count">${say("{count} notices", { count: lines.length })}</span>
    </summary>
    ${lines}
  </details>`;
}

/** @param {{ notice: Notice, state: PublicState, ask?: Ask, sending: string | null }} props */
function NoticeLine({ notice, state, ask, sending }) {
  const { key, severity, text, can_acknowledge: canAcknowledge } = notice;
  const name = `acknowledge ${key}`;
  return html`<div class=${`notice ${severity}`}>
    <p class="notice-text" role="status"><${Sentence} state=${state} text=${text} /></p>
    ${
      ask &&
      canAcknowledge &&
      html`<button
        type="button"
        class="small-act notice-done"
        disabled=${Boolean(sending)}
        aria-busy=${sending === name}
        aria-label=${say("Done: {notice}", { notice: text })}
        onClick=${() => ask("acknowledge", { key }, name)}
      >
        ${sending === name ? say("Sending…") : say("Done")}
      </button>`
    }
  </div>`;
}
