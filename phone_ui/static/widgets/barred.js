// What one looks for and may not choose: greyed; one reason for all stands below, else each is told on a tap. It is read out with the name.

import { html, useState } from "/vendor/htm-preact.js";
import { Card } from "../parts/atoms.js";
import { faceOf, isCard, valueWords } from "../lib/labels.js";

export function Barred({ words, state, move, field }) {
  const drawn = isCard(words, move, field.name);
  const [tapped, setTapped] = useState(null);
  const alike = field.barred.every(({ why }) => why === field.barred[0].why);
  return html`<div class="barred-values">
    <div class=${`choices${drawn ? " of-cards" : ""}`}>
      ${field.barred.map(({ value, why }, i) => {
        const said = valueWords(words, state, move, field.name, value);
        return html`<button type="button" key=${i} class="choice" aria-disabled="true" aria-label=${`${said}. ${why}`} onClick=${() => setTapped(i)}>
          <span class=${`choice-body${drawn ? " with-card" : ""}`}>
            ${drawn ? html`<${Card} words=${words} face=${faceOf(words, state.view, move, field.name, value)} />` : html`<span class="choice-words">${said}</span>`}
          </span>
        </button>`;
      })}
    </div>
    <p class="barred-why" role="status">${field.barred[alike ? 0 : tapped]?.why ?? ""}</p>
  </div>`;
}
