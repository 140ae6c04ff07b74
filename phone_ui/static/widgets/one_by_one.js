// One of many combinations of cards: the first card is picked, then the next of those that go with it.

import { html, useState } from "/vendor/htm-preact.js";
import { Card, CardText } from "../parts/atoms.js";
import { plain } from "../lib/labels.js";

const PLACES = ["First", "Second", "Third"];
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function OneByOne({ words, field, group, onChange }) {
  const [begun, setBegun] = useState([]);
  const picked = field.value ?? begun;
  const places = field.of[0].length;

  function pick(place, card) {
    const now = [...picked.slice(0, place), card];
    const whole = field.of.find((value) => same(value, now));
    setBegun(now);
    onChange(whole);
  }

  return html`<div class="one-by-one">
    ${Array.from({ length: Math.min(picked.length + 1, places) }, (_, place) => {
      const going = field.of.filter((value) => same(value.slice(0, place), picked.slice(0, place)));
      const cards = [...new Set(going.map((value) => value[place]))];
      return html`<fieldset key=${place} class="field">
        <legend>${PLACES[place] ?? plain(`card ${place + 1}`)}</legend>
        <div class="choices of-cards">
          ${cards.map(
            (card) => html`<label key=${card} class="choice">
              <input type="radio" name=${`${group}-${field.name}-${place}`} value=${card} checked=${same(picked[place], card)} onChange=${() => pick(place, card)} />
              <span class="choice-body with-card"><${Card} words=${words} face=${card} /></span>
            </label>`,
          )}
        </div>
      </fieldset>`;
    })}
    <${CardText} words=${words} face=${picked.at(-1)} />
  </div>`;
}
