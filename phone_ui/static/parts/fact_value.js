// The value of a fact: its drawing is chosen by its labels and its kind.

import { html } from "../lib/html.js";
import { faceIn, fill, numberText, readable } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { calledName, isBySeat, withNames } from "../lib/seats.js";
import { at, isRecord } from "../lib/values.js";
import { orderOf } from "../lib/view.js";
import { Card, Cards, CardTexts } from "./cards.js";
import { Odds } from "./die.js";
import { Mark, Sentence, Who } from "./marks.js";

/** @import { FactLabels } from "../lib/messages.d.ts" */
/** @import { Facts, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: PublicState, about: FactLabels, value: any, small: boolean }} ValueProps */

/**
 * The value of a fact.
 * @param {ValueProps} props
 */
export function FactValue(props) {
  const Drawing = drawingOf(props);
  return html`<${Drawing} ...${props} />`;
}

/**
 * Return the component that draws a value: the first that matches.
 * @param {ValueProps} props
 */
function drawingOf({ labels, about, value }) {
  const isList = Array.isArray(value);
  const drawings = [
    { fits: about.seat && Number.isInteger(value), Drawing: OneSeat },
    { fits: about.seats && isList, Drawing: SeveralSeats },
    { fits: about.card === "name" && isList, Drawing: CardNames },
    { fits: about.card && isRecord(value) && !faceIn(labels, value), Drawing: NumbersByCard },
    { fits: about.card && isList, Drawing: NewestCards },
    { fits: about.heap, Drawing: Heap },
    { fits: about.sides, Drawing: SeeSaw },
    { fits: about.odds, Drawing: OddsOf },
    { fits: about.card, Drawing: OneCard },
    { fits: isList, Drawing: List },
    { fits: isBySeat(value), Drawing: BySeat },
    { fits: isRecord(value), Drawing: OneRecord },
  ];
  return drawings.find(({ fits }) => fits)?.Drawing ?? Plain;
}

/** @param {ValueProps} props */
function OneSeat({ state, value }) {
  return html`<${Who} state=${state} seat=${value} />`;
}

/** @param {ValueProps} props */
function SeveralSeats({ state, value }) {
  return html`<span class="list seats">
    ${value.map((/** @type {number} */ seat) => html`<${Who} state=${state} seat=${seat} />`)}
  </span>`;
}

/**
 * Cards by name with their effects, each name once.
 * @param {ValueProps} props
 */
function CardNames({ labels, value }) {
  /** @type {{ name: string, text: string }[]} */
  const faces = value.map((/** @type {any} */ card) => faceIn(labels, card) ?? { name: String(card), text: "" });
  const once = faces.filter((one, i) => faces.findIndex((other) => other.name === one.name) === i);
  return html`<ul class="by-name">
    ${once.map(({ name, text }) => html`<li key=${name}><b>${name}</b> <span class="said">${text}</span></li>`)}
  </ul>`;
}

/** @param {ValueProps} props */
function NumbersByCard({ labels, about, value }) {
  return html`<span class="list sums">
    ${Object.entries(value).map(
      ([card, number]) =>
        html`<span key=${card} class="pair">${faceIn(labels, card)?.full ?? card} ${numberText(number, about)}</span>`,
    )}
  </span>`;
}

/** @param {ValueProps} props */
function NewestCards({ labels, about, value, small }) {
  const faces = newest(about, value);
  return html`<${Cards} labels=${labels} faces=${faces} small=${small} />
    ${!small && html`<${CardTexts} labels=${labels} faces=${faces} />`}`;
}

/** @param {ValueProps} props */
function Heap({ labels, about, value }) {
  return html`<span role="img" aria-label=${value}>
    <${Cards} labels=${labels} faces=${Array(value).fill(about.heap)} small />
  </span>`;
}

/** @param {ValueProps} props */
function OddsOf({ value }) {
  return html`<${Odds} text=${value} />`;
}

/** @param {ValueProps} props */
function OneCard({ labels, value, small }) {
  return html`<span class="list cards"><${Card} labels=${labels} face=${value} small=${small} /></span>
    <${CardTexts} labels=${labels} faces=${[value]} />`;
}

/** @param {ValueProps} props */
function List({ labels, state, about, value }) {
  const { by } = about;
  /** @param {Facts} one */
  const owner = (one) =>
    by ? html` <${Mark} seat=${one[by]} /><span class="unseen">${calledName(state, one[by])}</span>` : "";
  return html`<span class="value list-line">
    ${newest(about, value).map((one) => html`<span>${partText(one, about, labels)}${owner(one)}</span>`)}
  </span>`;
}

/** @param {ValueProps} props */
function BySeat({ labels, state, about, value }) {
  const entries = about.ranked ? highestFirst(value) : inOrder(labels, state, value);
  /** @param {any} one */
  const unit = (one) => (about.unit ? ` ${say(one === 1 ? about.unit[0] : (about.unit.at(-1) ?? ""))}` : "");
  return html`<span class="list seats">
    ${entries.map(
      ([seat, one]) => html`<span class="pair">
        <${Who} state=${state} seat=${seat} /> ${partText(one, about, labels)}${unit(one)}
      </span>`,
    )}
  </span>`;
}

/** @param {ValueProps} props */
function OneRecord({ labels, state, about, value }) {
  return html`<span class="value"><${Sentence} state=${state} text=${recordText(value, about, labels)} /></span>`;
}

/** @param {ValueProps} props */
function Plain({ about, value }) {
  const known = about.names?.[String(value)];
  return html`<span class="value">${known ?? (typeof value === "string" ? value : numberText(value, about))}</span>`;
}

/**
 * The bids of two sides in turn, as a beam on a pivot. The side that has to answer is up.
 * @param {ValueProps} props
 */
function SeeSaw({ state, about, value }) {
  const sides = (about.sides ?? []).map((path, side) => ({
    seat: at(state.view, path),
    named: value
      .filter((/** @type {any} */ _, /** @type {number} */ turn) => turn % 2 === side)
      .map((/** @type {any} */ one) => numberText(one, about)),
  }));
  const text = sides.map(({ seat, named }) =>
    named.length
      ? say("Seat {seat}: {amounts}", { seat, amounts: named.join(", ") })
      : say("Seat {seat}: nothing yet", { seat }),
  );
  return html`<span
    class=${`seesaw ${value.length % 2 ? "first-down" : "second-down"}`}
    role="img"
    aria-label=${withNames(state, text.join(". "))}
  >
    <span class="beam">
      ${sides.map(
        ({ seat, named }) => html`<span key=${seat} class="beam-end">
          <${Who} state=${state} seat=${seat} /><b>${named.at(-1) ?? "–"}</b>
          ${named.length > 1 && html`<s>${named.slice(-3, -1).join(" ")}</s>`}
        </span>`,
      )}
    </span>
    <span class="pivot"></span>
  </span>`;
}

/**
 * Return the last entries of a list, as many as the labels want.
 * @param {FactLabels} about
 * @param {any[]} list
 */
const newest = (about, list) => (about.last ? list.slice(-about.last) : list);

/** @param {Record<string, any>} bySeat */
const highestFirst = (bySeat) => Object.entries(bySeat).sort((a, b) => b[1] - a[1]);

/**
 * Return the values by seat, in the order in which the seats act.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Record<string, any>} bySeat
 */
function inOrder(labels, state, bySeat) {
  const order = orderOf(labels, state.view) ?? [];
  /** @param {[string, any]} entry */
  const place = ([seat]) => (order.includes(Number(seat)) ? order.indexOf(Number(seat)) : order.length);
  return Object.entries(bySeat).sort((a, b) => place(a) - place(b));
}

/**
 * @param {any} value
 * @param {FactLabels} about
 * @param {Labels | null} labels
 */
const partText = (value, about, labels) =>
  isRecord(value) ? recordText(value, about, labels) : numberText(value, about);

/**
 * Return a record in one line: by the fact's own `title` template, else names and values of all its fields.
 * @param {Facts} record
 * @param {FactLabels} about
 * @param {Labels | null} labels
 */
function recordText(record, about, labels) {
  if (about.title) return fill(about.title, record, labels);
  return Object.entries(record)
    .filter(([, value]) => value !== null && !isRecord(value))
    .map(([name, value]) => `${say(readable(name))} ${Array.isArray(value) ? value.join(" ") : value}`)
    .join(" · ");
}
