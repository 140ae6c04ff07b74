// A number line: what was bid, seat by seat, with the range it is measured by. Who acts first stands at the left; an order
// that turns over is first drawn as it would be and then flips.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { Mark } from "./atoms.js";
import { seatName } from "../lib/labels.js";

const LOOK_FIRST = 900;

/** `line`: {low, high, at: number by seat, turned}. */
export function NumberLine({ state, line, mine }) {
  const [turned, setTurned] = useState(false);
  useEffect(() => {
    if (!line.turned) return undefined;
    const timer = setTimeout(() => setTurned(true), LOOK_FIRST);
    return () => clearTimeout(timer);
  }, []);
  const bids = Object.entries(line.at).map(([seat, value]) => ({ seat: Number(seat), value }));
  const ends = line.low === line.high ? [{ value: line.low }] : [{ value: line.low }, { value: line.high }];
  // Evenly spaced, so that near numbers do not lie upon each other; only the order on the line counts.
  const points = [...bids, ...ends].sort(
    (a, b) => a.value - b.value || Number(Boolean(a.seat)) - Number(Boolean(b.seat)),
  );
  const place = (point) => {
    const part = (points.indexOf(point) + 0.5) / points.length;
    return `${100 * (turned ? part : 1 - part)}%`;
  };
  const [from, to] = [ends[0], ends.at(-1)].map((end) => parseFloat(place(end)));
  const first = [...bids].sort((a, b) => (line.turned ? a.value - b.value : b.value - a.value));
  const inWords = first.map(({ seat, value }) => `${seatName(state, seat)} ${value}`).join(", ");
  return html`<div class=${`number-line${turned ? " turned" : ""}`} style=${{ "--points": points.length }} role="img" aria-label=${`Offer from ${line.low} to ${line.high}. ${line.turned ? "Turned over, lowest first" : "Highest first"}: ${inWords}`}>
    <span class="line-band" style=${{ left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` }}></span>
    ${ends.map((end, i) => html`<span key=${`end-${i}`} class="line-end" style=${{ left: place(end) }}>${end.value}</span>`)}
    ${bids.map((bid) => html`<span key=${bid.seat} class=${`line-bid${bid.seat === mine ? " mine" : ""}`} style=${{ left: place(bid) }}><${Mark} seat=${bid.seat} /><b>${bid.value}</b></span>`)}
    <span class="line-way">${line.turned ? (turned ? "turned over: lowest first" : "…") : "highest first"}</span>
  </div>`;
}
