// A list to be put in order, by buttons: no dragging needed.

import { html, useRef } from "/vendor/htm-preact.js";
import { valueWords } from "../lib/labels.js";

export function Order({ words, state, move, field, onChange }) {
  const list = useRef(null);
  const order = field.value;

  function move(i, way) {
    const next = [...order];
    [next[i], next[i + way]] = [next[i + way], next[i]];
    onChange(next);
    // The finger or the focus follows the thing that moved.
    queueMicrotask(() => list.current?.children[i + way]?.querySelector(`[data-way="${way}"]`)?.focus());
  }

  return html`<ol class="order" ref=${list}>
    ${order.map((value, i) => {
      const said = valueWords(words, state, move, field.name, value);
      return html`<li key=${JSON.stringify(value)} class="order-line">
        <span class="order-place">${i + 1}</span>
        <span class="order-words">${said}</span>
        <button type="button" class="step small" data-way="-1" aria-label=${`${said} earlier`} disabled=${i === 0} onClick=${() => move(i, -1)}>↑</button>
        <button type="button" class="step small" data-way="1" aria-label=${`${said} later`} disabled=${i === order.length - 1} onClick=${() => move(i, 1)}>↓</button>
      </li>`;
    })}
  </ol>`;
}
