// A place in a row of cards: the row with its gaps, to tap one of them.

import { html } from "../lib/html.js";
import { faceIn, valueText } from "../lib/labels.js";
import { admits } from "../lib/moves.js";
import { at } from "../lib/values.js";
import { Card } from "../parts/cards.js";

/** @import { Field, WidgetProps } from "../lib/types.d.ts" */

/**
 * Return whether the field offers this place.
 * @param {Field} field
 * @param {number} place
 */
function offers(field, place) {
  return field.kind === "amount" ? field.ranges.some((range) => admits(range, place)) : field.of.includes(place);
}

/** @param {WidgetProps} props */
export function Gaps({ labels, state, move, field, group, onChange }) {
  /** @type {any[]} */
  const row = at(state.view, labels?.parameters?.[field.name]?.between ?? "") ?? [];
  /** @param {number} place */
  const gap = (place) => {
    const checked = field.value === place;
    return html`<li key=${`gap-${place}`} class="gap">
      ${
        offers(field, place) &&
        html`<label class="choice">
          <input
            type="radio"
            name=${`${group}-${field.name}`}
            value=${place}
            aria-label=${valueText(labels, state, move, field.name, place)}
            checked=${checked}
            onChange=${() => onChange(place)}
          />
          <span class="choice-body gap-body" aria-hidden="true">${checked ? "✓" : "+"}</span>
        </label>`
      }
    </li>`;
  };
  return html`<ol class="gaps">
    ${gap(0)}
    ${row.flatMap((card, i) => [
      html`<li key=${faceIn(labels, card)?.key ?? i} class="gap-card">
        <${Card} labels=${labels} face=${card} small />
      </li>`,
      gap(i + 1),
    ])}
  </ol>`;
}
