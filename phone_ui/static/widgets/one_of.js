// One of a few values: cards to pick from, seats, or chips.

import { html } from "/vendor/htm-preact.js";
import { Card, CardText, Mark } from "../parts/atoms.js";
import { faceOf, isCard, seatName, seatOf, valueWords } from "../lib/labels.js";
import { OneByOne } from "./one_by_one.js";

export function OneOf(props) {
  const { words, field } = props;
  const several =
    words?.parameters?.[field.name]?.card &&
    !field.optional &&
    field.of.length > 0 &&
    field.of.every((value) => Array.isArray(value) && value.length > 1);
  return several ? html`<${OneByOne} ...${props} />` : html`<${Listed} ...${props} />`;
}

function Listed({ words, state, move, field, group, onChange }) {
  const about = words?.parameters?.[field.name] ?? {};
  const drawn = isCard(words, move, field.name);
  const all = [...field.of, ...(field.more ?? [])];
  const numbers = !drawn && all.length > 2 && all.every(Number.isInteger);
  const options = numbers ? all.sort((a, b) => a - b) : all;
  if (field.optional) options.push(null);
  const look = drawn
    ? "choices of-cards"
    : numbers && !seatOf(words, state.view, field.name, all[0])
      ? "number-keys"
      : about.who
        ? "choices pair"
        : about.record
          ? "choices in-column"
          : "choices";
  return html`<div class=${look}>
    ${options.map((value, i) => {
      const face = drawn ? faceOf(words, state.view, move, field.name, value) : null;
      const asCard = drawn && value !== null && !Array.isArray(value);
      const seat = seatOf(words, state.view, field.name, value);
      const note = about.notes?.[String(value)] ?? (about.who && seat && seatName(state, seat));
      return html`<label key=${JSON.stringify(value)} class="choice">
        <input type="radio" name=${`${group}-${field.name}`} value=${i} checked=${JSON.stringify(field.value) === JSON.stringify(value)} onChange=${() => onChange(value)} />
        <span class=${`choice-body${asCard ? " with-card" : ""}${look === "number-keys" ? " number" : ""}`}>
          ${
            asCard
              ? html`<${Card} words=${words} face=${face} />`
              : html`<span class="choice-words">
                ${seat && html`<${Mark} seat=${seat} />`}
                ${value === null ? "None" : valueWords(words, state, move, field.name, value)}
              </span>`
          }
          ${note && html`<span class="choice-note">${note}</span>`}
        </span>
      </label>`;
    })}
  </div>
  ${drawn && html`<${CardText} words=${words} face=${field.value} />`}`;
}
