// Some of a list, between a least and a most number; their order does not matter. What no longer goes with the rest is off.

import { html, useState } from "/vendor/htm-preact.js";
import { Card, CardText } from "../parts/atoms.js";
import { mayJoin } from "../lib/moves.js";
import { faceOf, isCard, valueWords } from "../lib/labels.js";

/** The places in `from` that `value` takes; of equal faces those that were tapped (`before`), else the first ones. */
function placesOf(from, value, before) {
  const kept = from.filter((_, i) => before[i]);
  if (JSON.stringify(kept) === JSON.stringify(value)) return from.map((_, i) => Boolean(before[i]));
  const left = value.map((v) => JSON.stringify(v));
  return from.map((v) => {
    const place = left.indexOf(JSON.stringify(v));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

export function Choose({ words, state, move, field, group, onChange }) {
  const drawn = isCard(words, move, field.name);
  const chosen = field.value ?? [];
  const [tapped, setTapped] = useState([]);
  const taken = placesOf(field.from, chosen, tapped);
  const wanted = field.min === field.max ? `${field.min}` : `${field.min} to ${field.max}`;

  function toggle(i) {
    const next = taken.map((was, j) => (j === i ? !was : was));
    setTapped(next);
    onChange(field.from.filter((_, j) => next[j]));
  }

  return html`<div class="choose">
    <p class="choose-count" aria-live="polite">${chosen.length} chosen, choose ${wanted}</p>
    <div class=${`choices${drawn ? " of-cards" : ""}`}>
      ${field.from.map((value, i) => {
        const note = words?.parameters?.[field.name]?.notes?.[String(value)];
        return html`<label key=${i} class="choice">
          <input type="checkbox" name=${`${group}-${field.name}`} checked=${taken[i]} disabled=${!taken[i] && !mayJoin(field, chosen, value)} onChange=${() => toggle(i)} />
          <span class=${`choice-body${drawn ? " with-card" : ""}`}>
            ${drawn ? html`<${Card} words=${words} face=${faceOf(words, state.view, move, field.name, value)} />` : html`<span class="choice-words">${valueWords(words, state, move, field.name, value)}</span>`}
            ${note && html`<span class="choice-note">${note}</span>`}
          </span>
        </label>`;
      })}
    </div>
    ${drawn && html`<${CardText} words=${words} face=${chosen.at(-1)} />`}
  </div>`;
}
