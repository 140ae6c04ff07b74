// An amount: keys for a few numbers, else a stepper that knows the legal steps and takes typing too.

import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { fewAmounts, leastAmount, mostAmount, nextAmount } from "../lib/moves.js";
import { counted } from "../lib/labels.js";

const FIRST_WAIT = 420;
const THEN = 110;

export function Amount({ words, field, group, onChange }) {
  const few = fewAmounts(field.ranges, 8);
  const about = words?.parameters?.[field.name] ?? {};
  return few
    ? html`<${Keys} few=${few} about=${about} field=${field} group=${group} onChange=${onChange} />`
    : html`<${Stepper} about=${about} field=${field} group=${group} onChange=${onChange} />`;
}

function Keys({ few, about, field, group, onChange }) {
  return html`<div class="number-keys">
    ${few.map((value) => {
      const note = about.notes?.[String(value)];
      const id = `${group}-${field.name}-${value}`;
      return html`<label key=${value} class="choice">
        <input type="radio" name=${`${group}-${field.name}`} value=${value} checked=${field.value === value} onChange=${() => onChange(value)}
          aria-label=${counted(value, about)} aria-describedby=${note ? id : undefined} />
        <span class="choice-body number">
          ${counted(value, about)}
          ${note && html`<span class="choice-note" id=${id}>${unbroken(note)}</span>`}
        </span>
      </label>`;
    })}
  </div>`;
}

/** "5 in 6" stays on one line. */
const unbroken = (note) => note.replace(/(\d+) in (\d+)/g, "$1\u00a0in\u00a0$2");

function Stepper({ about, field, group, onChange }) {
  const { ranges, value } = field;
  const [typed, setTyped] = useState(null);
  const [stepped, setStepped] = useState(false);
  const holding = useRef(null);
  const newest = useRef(value);
  newest.current = value;

  function step(way) {
    const next = nextAmount(ranges, newest.current, way);
    if (next !== undefined) onChange((newest.current = next));
    setStepped(true);
  }

  function hold(way, event) {
    if (event.button) return;
    setTyped(null);
    step(way);
    const again = () => {
      step(way);
      holding.current = setTimeout(again, THEN);
    };
    holding.current = setTimeout(again, FIRST_WAIT);
  }

  const release = () => clearTimeout(holding.current);
  useEffect(() => release, []);

  // A finger holds the button; a keyboard or a screen reader clicks it without ever pressing a pointer.
  const press = (way) => (event) => event.detail === 0 && step(way);

  function take() {
    if (typed === null) return;
    const wanted = Math.round(Number(typed.replace(/[^0-9.-]/g, "")) * (about.money === "cents" ? 100 : 1));
    setTyped(null);
    if (typed.trim() === "" || !Number.isFinite(wanted)) return;
    const below = nextAmount(ranges, wanted + 1, -1);
    onChange(below ?? leastAmount(ranges));
  }

  const [least, most] = [leastAmount(ranges), mostAmount(ranges)];
  const id = `${group}-${field.name}`;
  return html`<div class="stepper">
    <button type="button" class="step" aria-label="less" disabled=${value <= least}
      onPointerDown=${(e) => hold(-1, e)} onPointerUp=${release} onPointerLeave=${release} onPointerCancel=${release} onClick=${press(-1)}>−</button>
    <span class="step-value">
      <input id=${id} inputmode="numeric" autocomplete="off" value=${typed ?? counted(value, about)} aria-label=${about.label ?? field.name}
        onFocus=${(e) => e.target.select()} onInput=${(e) => setTyped(e.target.value)} onBlur=${take}
        onKeyDown=${(e) => {
          if (e.key === "Enter") take();
          else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
            e.preventDefault();
            step(e.key === "ArrowUp" ? 1 : -1);
          }
        }} />
      <span class="unseen" aria-live="polite">${stepped ? counted(value, about) : ""}</span>
      <span class="step-range">${counted(least, about)} to ${counted(most, about)}</span>
    </span>
    <button type="button" class="step" aria-label="more" disabled=${value >= most}
      onPointerDown=${(e) => hold(1, e)} onPointerUp=${release} onPointerLeave=${release} onPointerCancel=${release} onClick=${press(1)}>+</button>
  </div>`;
}
