// Barred values: grayed out. A reason for all of them is shown below, otherwise each reason at a tap. Screen readers read
// it with the name.

import { html, useState } from "../lib/html.js";
import { faceOf, isCard, valueText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { Card } from "../parts/cards.js";

/** @import { Barred, WidgetProps } from "../lib/types.d.ts" */

/** @param {Omit<WidgetProps, "group" | "onChange">} props */
export function BarredValues({ labels, state, move, field }) {
  const drawn = isCard(labels, move, field.name);
  const [tapped, setTapped] = useState(/** @type {number | null} */ (null));
  const alike = field.barred.every(({ why }) => why === field.barred[0].why);
  const reason = field.barred[alike ? 0 : (tapped ?? -1)]?.why ?? say("Tap a gray choice to see the reason.");
  /**
   * @param {Barred} barred
   * @param {number} i
   */
  const draw = ({ value, why }, i) => {
    const text = valueText(labels, state, move, field.name, value);
    const face = faceOf(labels, state.view, move, field.name, value);
    return html`<button
      type="button"
      key=${i}
      class="choice"
      aria-disabled="true"
      aria-label=${`${text}. ${say(why)}`}
      onClick=${() => setTapped(i)}
    >
      <span class=${`choice-body${drawn ? " with-card" : ""}`}>
        ${drawn ? html`<${Card} labels=${labels} face=${face} />` : html`<span class="choice-words">${text}</span>`}
      </span>
    </button>`;
  };
  return html`<div class="barred-values">
    <div class=${`choices${drawn ? " of-cards" : ""}`}>${field.barred.map(draw)}</div>
    <p class="barred-why" role="status">${reason}</p>
  </div>`;
}
