// A number line: the bids by seat, and the range that measures them. The seat that acts first is at the left. A reversed
// order is first drawn unreversed, and then flips.

import { html, useEffect, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { withNames } from "../lib/seats.js";
import { Mark } from "./marks.js";

/** @import { Line } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

const LOOK_FIRST = 900;

/** @typedef {{ value: number, seat?: number }} Point */

/**
 * Return each point's distance from the left, in percent. Points are evenly spaced, so that near numbers do not overlap:
 * only their order counts.
 * @param {Point[]} points
 * @param {boolean} turned
 * @returns {Map<Point, number>}
 */
function placesOf(points, turned) {
  const order = [...points].sort((a, b) => a.value - b.value || Number(Boolean(a.seat)) - Number(Boolean(b.seat)));
  return new Map(
    order.map((point, i) => {
      const part = (i + 0.5) / order.length;
      return [point, 100 * (turned ? part : 1 - part)];
    }),
  );
}

/**
 * Return the line in words, for screen readers.
 * @param {PublicState} state
 * @param {Line} line
 * @param {Required<Point>[]} bids
 */
function lineText(state, line, bids) {
  const first = [...bids].sort((a, b) => (line.turned ? a.value - b.value : b.value - a.value));
  const inWords = first.map(({ seat, value }) => say("Seat {seat} {value}", { seat, value })).join(", ");
  const order = line.turned ? say("Turned over, lowest first") : say("Highest first");
  return withNames(
    state,
    say("Offer from {low} to {high}. {order}: {bids}", { low: line.low, high: line.high, order, bids: inWords }),
  );
}

/** @param {{ state: PublicState, line: Line, mine?: number }} props */
export function NumberLine({ state, line, mine }) {
  const [turned, setTurned] = useState(false);
  useEffect(() => {
    if (!line.turned) return undefined;
    const timer = setTimeout(() => setTurned(true), LOOK_FIRST);
    return () => clearTimeout(timer);
  }, []);
  const bids = Object.entries(line.at).map(([seat, value]) => ({ seat: Number(seat), value }));
  const ends = (line.low === line.high ? [line.low] : [line.low, line.high]).map((value) => ({ value }));
  const places = placesOf([...bids, ...ends], turned);
  /** @param {Point | undefined} point */
  const place = (point) => (point && places.get(point)) ?? 0;
  const [from, to] = [place(ends[0]), place(ends.at(-1))];
  return html`<div
    class=${`number-line${turned ? " turned" : ""}`}
    style=${{ "--points": places.size }}
    role="img"
    aria-label=${lineText(state, line, bids)}
  >
    <span class="line-band" style=${{ left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` }}></span>
    ${ends.map(
      (end, i) =>
        html`<span key=${`end-${i}`} class="line-end" style=${{ left: `${place(end)}%` }}>${end.value}</span>`,
    )}
    ${bids.map(
      (bid) => html`<span
        key=${bid.seat}
        class=${`line-bid${bid.seat === mine ? " mine" : ""}`}
        style=${{ left: `${place(bid)}%` }}
      >
        <${Mark} seat=${bid.seat} /><b>${bid.value}</b>
      </span>`,
    )}
    <span class="line-way">${line.turned ? (turned ? say("turned over: lowest first") : "…") : say("highest first")}</span>
  </div>`;
}
