// One of a few values: cards to pick from, seats, or chips.

import { html } from "/vendor/htm-preact.js";
import { Card, Mark } from "../atoms.js";
import { asksSeat, faceOf, isCard, valueWords } from "../words.js";

export function OneOf({ words, state, move, field, group, onChange }) {
  const about = words?.parameters?.[field.name] ?? {};
  const drawn = isCard(words, move, field.name);
  const options = field.optional ? [...field.of, null] : field.of;
  return html`<div class=${`choices${drawn ? " of-cards" : ""}`}>
    ${options.map((value, i) => {
      const face = drawn ? faceOf(words, state.view, move, field.name, value) : null;
      const asCard = drawn && value !== null && !Array.isArray(value);
      const note = about.notes?.[String(value)];
      return html`<label key=${JSON.stringify(value)} class="choice">
        <input type="radio" name=${`${group}-${field.name}`} value=${i} checked=${JSON.stringify(field.value) === JSON.stringify(value)} onChange=${() => onChange(value)} />
        <span class=${`choice-body${asCard ? " with-card" : ""}`}>
          ${asCard
            ? html`<${Card} words=${words} face=${face} />`
            : html`<span class="choice-words">
                ${value !== null && asksSeat(words, field.name) && html`<${Mark} seat=${value} />`}
                ${value === null ? "None" : valueWords(words, state, move, field.name, value)}
              </span>`}
          ${note && html`<span class="choice-note">${note}</span>`}
        </span>
      </label>`;
    })}
  </div>`;
}
