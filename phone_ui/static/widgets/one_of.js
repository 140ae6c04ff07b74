// One of a few values: cards, seats, or keys with numbers.

import { html } from "../lib/html.js";
import { areNumbers, faceOf, isCard, seatOf, valueText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { calledName } from "../lib/seats.js";
import { same } from "../lib/values.js";
import { Card, CardText, CardTexts } from "../parts/cards.js";
import { later } from "../parts/later.js";
import { Mark } from "../parts/marks.js";

/** @import { WidgetProps } from "../lib/types.d.ts" */

const OneByOne = later(() => import("./one_by_one.js").then((part) => part.OneByOne));

/** @param {WidgetProps} props */
export function OneOf(props) {
  const { labels, field } = props;
  const severalCards =
    labels?.parameters?.[field.name]?.card &&
    !field.optional &&
    field.of.length > 0 &&
    field.of.every((value) => Array.isArray(value) && value.length > 1);
  return severalCards ? html`<${OneByOne} ...${props} />` : html`<${Listed} ...${props} />`;
}

/** @param {WidgetProps} props */
function Listed(props) {
  const { labels, state, move, field } = props;
  const about = labels?.parameters?.[field.name] ?? {};
  const all = [...field.of, ...field.more];
  const isCards = isCard(labels, move, field.name);
  const isDense = isCards && areNumbers(labels, state.view, move, field.name, all);
  const drawn = isCards && !isDense;
  const isNumbers = !drawn && (isDense || all.length > 2) && all.every(Number.isInteger);
  const options = isNumbers ? all.sort((a, b) => a - b) : all;
  if (field.optional) options.push(null);
  const isKeys = isNumbers && !seatOf(labels, state.view, field.name, all[0]);
  const rest = about.who ? "choices pair" : about.record ? "choices in-column" : "choices";
  const keys = ["number-keys", isKeys && isRow(about, options) && "in-row"].filter(Boolean).join(" ");
  const look = drawn ? "choices of-cards" : isDense ? "close-keys" : isKeys ? keys : rest;
  return html`<div class=${look} style=${{ "--count": options.length, "--across": acrossOf(options.length) }}>
      ${options.map(
        (value, i) => html`<${Choice}
          key=${JSON.stringify(value)}
          ...${props}
          value=${value}
          index=${i}
          isKey=${isKeys}
          drawn=${drawn}
        />`,
      )}
    </div>
    ${isCards && html`<${WhatCardsDo} ...${props} faces=${all} />`}`;
}

/** Number of cards with one letter that fit in a row of the smallest phone. */
const MOST_ACROSS = 5;

/**
 * Return how many to put in a row, so that the last row is about as long as the others.
 * @param {number} count
 */
const acrossOf = (count) => Math.ceil(count / Math.ceil(count / MOST_ACROSS));

/**
 * Return whether these are one-digit keys without further text, and fit in one row of a small phone.
 * @param {import("../lib/messages.d.ts").ParameterLabels} about
 * @param {any[]} options
 */
const isRow = ({ notes, names }, options) =>
  !notes && !names && options.length <= 6 && options.every((value) => value >= 0 && value <= 9);

/**
 * The effect of the picked card; before a pick, the effect of each.
 * @param {WidgetProps & { faces: any[] }} props
 */
function WhatCardsDo({ labels, state, move, field, faces }) {
  const face = (/** @type {any} */ value) => faceOf(labels, state.view, move, field.name, value);
  const picked = field.value !== null && field.value !== undefined;
  return html`<${CardText} labels=${labels} face=${picked ? face(field.value) : null} />
    ${!picked && html`<${CardTexts} labels=${labels} faces=${faces.flat().map(face)} />`}`;
}

/** @param {WidgetProps & { value: any, index: number, isKey: boolean, drawn: boolean }} props */
function Choice({ labels, state, move, field, group, onChange, value, index, isKey, drawn }) {
  const about = labels?.parameters?.[field.name] ?? {};
  const asCard = drawn && value !== null && !Array.isArray(value);
  const seat = seatOf(labels, state.view, field.name, value);
  const note = about.notes?.[String(value)] ?? (about.who && seat && calledName(state, seat));
  const text = value === null ? say("None") : valueText(labels, state, move, field.name, value);
  const face = faceOf(labels, state.view, move, field.name, value);
  return html`<label class="choice">
    <input
      type="radio"
      name=${`${group}-${field.name}`}
      value=${index}
      checked=${same(field.value, value)}
      onChange=${() => onChange(value)}
    />
    <span class=${`choice-body${asCard ? " with-card" : ""}${isKey ? " number" : ""}`}>
      ${
        asCard
          ? html`<${Card} labels=${labels} face=${face} />`
          : html`<span class="choice-words">${seat && html`<${Mark} seat=${seat} />`}${text}</span>`
      }
      ${note && html`<span class="choice-note">${note}</span>`}
    </span>
  </label>`;
}
