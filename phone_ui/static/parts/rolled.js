// Dice that have just been rolled, over the screen for a moment: they fall, lie still, and a word says what they mean.

import { html, useEffect } from "../lib/html.js";
import { Die } from "./die.js";
import { Sentence } from "./marks.js";

/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

/**
 * The rolls. A tap or a key ends the moment, and nothing else.
 * @param {{ state: PublicState, rolls: PublicEvent[], onEnd: () => void }} props
 */
export function Rolled({ state, rolls, onEnd }) {
  useEffect(() => {
    const close = (/** @type {KeyboardEvent} */ event) => {
      event.preventDefault();
      event.stopPropagation();
      onEnd();
    };
    addEventListener("keydown", close, { capture: true });
    return () => removeEventListener("keydown", close, { capture: true });
  }, []);
  const most = Math.max(...rolls.map(({ data }) => data.faces.length));
  const look = `rolled${rolls.length > 1 ? " several" : ""}`;
  return html`<section class=${look} aria-label="Rolled" style=${{ "--dice": most, "--rows": Math.ceil(most / 5) }} onClick=${onEnd}>
    ${rolls.map(
      ({ n, data, text }) => html`<div key=${n} class="rolled-throw">
        <span class="dice-row falling">
          ${data.faces.map((/** @type {number} */ face) => html`<${Die} face=${face} />`)}
        </span>
        ${data.verdict && html`<b class="rolled-verdict"><${Sentence} state=${state} text=${data.verdict} /></b>`}
        <p><${Sentence} state=${state} text=${text} /></p>
      </div>`,
    )}
  </section>`;
}
