// A place in a row of cards: the row with its gaps, one of which is tapped.

import { html } from "/vendor/htm-preact.js";
import { Card } from "../parts/atoms.js";
import { admits } from "../lib/moves.js";
import { at, faceIn, valueWords } from "../lib/labels.js";

/** Is this place one of those that the field offers? */
const offers = (field, place) =>
  field.kind === "amount" ? field.ranges.some((range) => admits(range, place)) : field.of.includes(place);

export function Gaps({ words, state, move, field, group, onChange }) {
  const row = at(state.view, words.parameters[field.name].between) ?? [];
  const gap = (place) => html`<li key=${`gap-${place}`} class="gap">
    ${
      offers(field, place) &&
      html`<label class="choice">
      <input type="radio" name=${`${group}-${field.name}`} value=${place} aria-label=${valueWords(words, state, move, field.name, place)} checked=${field.value === place} onChange=${() => onChange(place)} />
      <span class="choice-body gap-body" aria-hidden="true">${field.value === place ? "✓" : "+"}</span>
    </label>`
    }
  </li>`;
  return html`<ol class="gaps">
    ${gap(0)}
    ${row.flatMap((card, i) => [html`<li key=${faceIn(words, card)?.key ?? i} class="gap-card"><${Card} words=${words} face=${card} small /></li>`, gap(i + 1)])}
  </ol>`;
}
