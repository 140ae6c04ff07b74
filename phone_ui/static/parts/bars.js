// Horizontal bars with their values as text: a list for screen readers, a drawing for everybody else.

import { html } from "../lib/html.js";

/** @import { Drawn } from "../lib/types.d.ts" */

/**
 * One bar: its length, a line from the minimum to the maximum, a mark for comparison, and texts.
 * @typedef {{
 *   label: Drawn, name?: string, value: number, from?: number, to?: number, mark?: number, shown: string, more?: string,
 * }} Bar
 */

const WIDE = 100;
const HIGH = 10;

/**
 * Bars on one scale, which begins at 0.
 * @param {{ bars: Bar[], short?: boolean }} props
 */
export function Bars({ bars, short = false }) {
  const most = Math.max(1, ...bars.map(({ value, to = 0, mark = 0 }) => Math.max(value, to, mark)));
  const at = (/** @type {number} */ value) => (value / most) * WIDE;
  return html`<ul class=${`bars${short ? " short" : ""}`}>
    ${bars.map(
      ({ label, name, value, from, to, mark, shown, more }) => html`<li key=${name ?? label}>
        <span class="bar-label">${label}</span>
        <svg class="bar" viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
          <rect class="bar-ground" width=${WIDE} height=${HIGH} rx="1" />
          <rect class="bar-value" width=${at(value)} height=${HIGH} rx="1" />
          ${from !== undefined && to !== undefined && html`<rect class="bar-range" x=${at(from)} y="4.4" width=${at(to - from)} height="1.2" />`}
          ${mark !== undefined && html`<rect class="bar-mark" x=${Math.max(0, at(mark) - 0.5)} width="1" height=${HIGH} />`}
        </svg>
        <span class="bar-said"><b>${shown}</b>${more && html` <span class="note">${more}</span>`}</span>
      </li>`,
    )}
  </ul>`;
}
