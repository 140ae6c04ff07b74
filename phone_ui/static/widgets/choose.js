// A subset of a list, with a minimum and maximum size, in any order. Members that do not go with the chosen ones are
// disabled.

import { html, useState } from "../lib/html.js";
import { areNumbers, faceOf, isCard, valueText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { mayJoin } from "../lib/moves.js";
import { same } from "../lib/values.js";
import { Card, CardText } from "../parts/cards.js";

/** @import { WidgetProps } from "../lib/types.d.ts" */

/**
 * Return the places in `from` of the chosen values: of equal faces, the tapped ones, else the first ones.
 * @param {any[]} from
 * @param {any[]} chosen
 * @param {boolean[]} tapped
 * @returns {boolean[]}
 */
function takenPlaces(from, chosen, tapped) {
  const stillTapped = from.filter((_, i) => tapped[i]);
  if (same(stillTapped, chosen)) return from.map((_, i) => Boolean(tapped[i]));
  const left = chosen.map((value) => JSON.stringify(value));
  return from.map((value) => {
    const index = left.indexOf(JSON.stringify(value));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

/** @param {WidgetProps} props */
export function Choose({ labels, state, move, field, group, onChange }) {
  const isDense = isCard(labels, move, field.name) && areNumbers(labels, state.view, move, field.name, field.from);
  const drawn = isCard(labels, move, field.name) && !isDense;
  const chosen = field.value ?? [];
  const [tapped, setTapped] = useState(/** @type {boolean[]} */ ([]));
  const taken = takenPlaces(field.from, chosen, tapped);
  const wanted =
    field.min === field.max ? `${field.min}` : say("{least} to {most}", { least: field.min, most: field.max });

  /** @param {number} place */
  function toggle(place) {
    const next = taken.map((was, i) => (i === place ? !was : was));
    setTapped(next);
    onChange(field.from.filter((_, i) => next[i]));
  }

  /**
   * @param {any} value
   * @param {number} i
   */
  const draw = (value, i) => {
    const note = labels?.parameters?.[field.name]?.notes?.[String(value)];
    const face = faceOf(labels, state.view, move, field.name, value);
    const text = valueText(labels, state, move, field.name, value);
    return html`<label key=${i} class="choice">
      <input
        type="checkbox"
        name=${`${group}-${field.name}`}
        checked=${taken[i]}
        disabled=${!taken[i] && !mayJoin(field, chosen, value)}
        onChange=${() => toggle(i)}
      />
      <span class=${`choice-body${drawn ? " with-card" : ""}${isDense ? " number" : ""}`}>
        ${drawn ? html`<${Card} labels=${labels} face=${face} />` : html`<span class="choice-words">${text}</span>`}
        ${note && html`<span class="choice-note">${note}</span>`}
      </span>
    </label>`;
  };
  return html`<div class="choose">
    <p class="choose-count" aria-live="polite">${say("{count} chosen, choose {wanted}", { count: chosen.length, wanted })}</p>
    <div class=${isDense ? "close-keys" : `choices${drawn ? " of-cards" : ""}`}>${field.from.map(draw)}</div>
    ${drawn && html`<${CardText} labels=${labels} face=${chosen.at(-1)} />`}
  </div>`;
}
