// A list to put in order with buttons, without dragging.

import { html, useRef } from "../lib/html.js";
import { valueText } from "../lib/labels.js";
import { say } from "../lib/language.js";

/** @import { WidgetProps } from "../lib/types.d.ts" */

/** @param {WidgetProps} props */
export function Order({ labels, state, move, field, onChange }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  /** @type {any[]} */
  const order = field.value;

  /**
   * @param {number} place
   * @param {number} direction
   */
  function shift(place, direction) {
    const next = [...order];
    [next[place], next[place + direction]] = [next[place + direction], next[place]];
    onChange(next);
    // Finger or focus follow the moved item.
    queueMicrotask(() => {
      const button = list.current?.children[place + direction]?.querySelector(`[data-way="${direction}"]`);
      /** @type {HTMLElement | null | undefined} */ (button)?.focus();
    });
  }

  /**
   * @param {{ direction: number, text: string, place: number }} props
   */
  const step = ({ direction, text, place }) => html`<button
    type="button"
    class="step small"
    data-way=${direction}
    aria-label=${direction < 0 ? say("Move {what} earlier", { what: text }) : say("Move {what} later", { what: text })}
    disabled=${place === (direction < 0 ? 0 : order.length - 1)}
    onClick=${() => shift(place, direction)}
  >
    ${direction < 0 ? "↑" : "↓"}
  </button>`;

  return html`<ol class="order" ref=${list}>
    ${order.map((value, place) => {
      const text = valueText(labels, state, move, field.name, value);
      return html`<li key=${JSON.stringify(value)} class="order-line">
        <span class="order-place">${place + 1}</span>
        <span class="order-words">${text}</span>
        ${step({ direction: -1, text, place })}
        ${step({ direction: 1, text, place })}
      </li>`;
    })}
  </ol>`;
}
