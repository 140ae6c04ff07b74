// Seats as all pages draw them: symbols, names, and sentences with both.

import { html } from "../lib/html.js";
import { isNamed, MARKS, nameStays, seatName, seatText, splitAtSeats } from "../lib/seats.js";

/** @import { Drawn } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/** @type {Record<string | number, Drawn>} */
const SHAPES = {
  1: html`<circle cx="12" cy="12" r="9.5" />`,
  2: html`<path d="M12 2.2 22.6 20.8H1.4Z" />`,
  3: html`<rect x="3" y="3" width="18" height="18" rx="1.5" />`,
  4: html`<path d="M12 .8 23.2 12 12 23.2.8 12Z" />`,
  5: html`<path d="m12 1 3.3 7.2 7.9.9-5.9 5.3 1.6 7.8L12 18.3l-6.9 3.9 1.6-7.8L.8 9.1l7.9-.9Z" />`,
  6: html`<path d="M8.2 1.5h7.6v6.7h6.7v7.6h-6.7v6.7H8.2v-6.7H1.5V8.2h6.7Z" />`,
};

/**
 * A seat's symbol. The caller adds number or name, because the symbol alone is not enough.
 * @param {{ seat: number | string }} props
 */
export function Mark({ seat }) {
  return html`<svg class=${`mark seat-${seat}`} viewBox="0 0 24 24" aria-hidden="true">${SHAPES[seat]}</svg>`;
}

/**
 * The symbols of several seats.
 * @param {{ seats: number[] }} props
 */
export function Marks({ seats }) {
  return seats.map((seat) => html`<${Mark} key=${seat} seat=${seat} />`);
}

/**
 * Symbol and name of a seat; with `number`, its number too.
 * @param {{ state: PublicState, seat: number, number?: boolean }} props
 */
export function Who({ state, seat, number = false }) {
  return html`<span class="who">
    <${Mark} seat=${seat} />
    ${number && isNamed(state, seat) && html`<span class="who-number">${seat}</span>`}
    <span class="who-name" dir="auto" translate=${nameStays(state, seat)}>${seatName(state, seat)}</span>
  </span>`;
}

/**
 * A sentence of the hub with the seats' marks and names in it. A comma stays with the name before it.
 * @param {{ state: PublicState, text: string | null | undefined }} props
 */
export function Sentence({ state, text }) {
  const parts = splitAtSeats(text);
  return parts.map((part, i) => {
    if (typeof part === "number") {
      const next = parts[i + 1];
      const [close] = (typeof next === "string" && /^[^\s\w]+/.exec(next)) || [""];
      return html`<span class="said-who"><${Who} state=${state} seat=${part} />${close}</span>`;
    }
    return withMarks(typeof parts[i - 1] === "number" ? part.replace(/^[^\s\w]+/, "") : part);
  });
}

/**
 * "●9 ▲12" with the marks of the seats.
 * @param {string} text
 */
function withMarks(text) {
  return text.split(/([●▲■◆★✚])(?=[$]?\d)/).map((part) => {
    const seat = Object.keys(MARKS).find((one) => MARKS[one].symbol === part);
    return seat ? html`<${Mark} seat=${seat} /><span class="unseen">${seatText(seat)} </span>` : part;
  });
}

/** The leader of something. */
export function Crown() {
  return html`<svg class="crown" viewBox="0 0 24 20" role="img" aria-label="leads">
    <path d="M2 18V5l6 5 4-8 4 8 6-5v13Z" />
  </svg>`;
}

/**
 * The four groups of a key's fingerprint, for comparison.
 * @param {{ digits: string }} props
 */
export function Fingerprint({ digits }) {
  return html`<span class="fingerprint">${digits.split(" ").map((group, i) => html`<span key=${i}>${group}</span> `)}</span>`;
}
