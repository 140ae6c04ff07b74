// One of many combinations of cards: pick the first card, then the next one from those that go with it.

import { html, useState } from "../lib/html.js";
import { message, say } from "../lib/language.js";
import { same } from "../lib/values.js";
import { Card, CardText } from "../parts/cards.js";

/** @import { WidgetProps } from "../lib/types.d.ts" */

const PLACES = [message("First"), message("Second"), message("Third")];

/** @param {WidgetProps} props */
export function OneByOne({ labels, field, group, onChange }) {
  const [begun, setBegun] = useState(/** @type {any[]} */ ([]));
  /** @type {any[]} */
  const picked = field.value ?? begun;
  const places = field.of[0].length;

  /**
   * @param {number} place
   * @param {any} card
   */
  function pick(place, card) {
    const now = [...picked.slice(0, place), card];
    setBegun(now);
    onChange(field.of.find((value) => same(value, now)));
  }

  /** @param {number} place */
  const draw = (place) => {
    const going = field.of.filter((value) => same(value.slice(0, place), picked.slice(0, place)));
    const cards = [...new Set(going.map((value) => value[place]))];
    return html`<fieldset key=${place} class="field">
      <legend>${PLACES[place] ?? say("Card {number}", { number: place + 1 })}</legend>
      <div class="choices of-cards">
        ${cards.map(
          (card) => html`<label key=${card} class="choice">
            <input
              type="radio"
              name=${`${group}-${field.name}-${place}`}
              value=${card}
              checked=${same(picked[place], card)}
              onChange=${() => pick(place, card)}
            />
            <span class="choice-body with-card"><${Card} labels=${labels} face=${card} /></span>
          </label>`,
        )}
      </div>
    </fieldset>`;
  };
  return html`<div class="one-by-one">
    ${Array.from({ length: Math.min(picked.length + 1, places) }, (_, place) => draw(place))}
    <${CardText} labels=${labels} face=${picked.at(-1)} />
  </div>`;
}
