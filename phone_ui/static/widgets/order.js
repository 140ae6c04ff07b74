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
   * @param {number} way
   */
  function shift(place, way) {
    const next = [...order];
    [next[place], next[place + way]] = [next[place + way], next[place]];
    onChange(next);
    // Finger or focus follow the moved item.
    queueMicrotask(() => {
      const button = list.current?.children[place + way]?.querySelector(`[data-way="${way}"]`);
      /** @type {HTMLElement | null | undefined} */ (button)?.focus();
    });
  }

  /**
   * @param {{ way: number, text: string, place: number }} props
   */
  const step = ({ way, text, place }) => html`<button
    type="button"
    class="step small"
    data-way=${way}
    aria-label=${way < 0 ? say("Move {what} earlier", { what: text }) : say("Move {what} later", { what: text })}
    disabled=${place === (way < 0 ? 0 : order.length - 1)}
    onClick=${() => shift(place, way)}
  >
    ${way < 0 ? "↑" : "↓"}
  </button>`;

  return html`<ol class="order" ref=${list}>
    ${order.map((value, place) => {
      const text = valueText(labels, state, move, field.name, value);
      return html`<li key=${JSON.stringify(value)} class="order-line">
        <span class="order-place">${place + 1}</span>
        <span class="order-words">${text}</span>
        ${step({ way: -1, text, place })}
        ${step({ way: 1, text, place })}
      </li>`;
    })}
  </ol>`;
}
