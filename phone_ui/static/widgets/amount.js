// An amount: keys for a few numbers, else a stepper with the legal steps, where people can type, too.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { numberText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { fewAmounts, leastAmount, mostAmount, nextAmount } from "../lib/moves.js";

/** @import { ParameterLabels } from "../lib/messages.d.ts" */
/** @import { Field, WidgetProps } from "../lib/types.d.ts" */

const FIRST_WAIT = 420; // ms until a held button steps again
const NEXT_WAIT = 110;

/** @param {WidgetProps} props */
export function Amount({ labels, field, group, onChange }) {
  const few = fewAmounts(field.ranges);
  const about = labels?.parameters?.[field.name] ?? {};
  return few
    ? html`<${Keys} few=${few} about=${about} field=${field} group=${group} onChange=${onChange} />`
    : html`<${Stepper} about=${about} field=${field} group=${group} onChange=${onChange} />`;
}

/** @typedef {{ about: ParameterLabels, field: Field, group: string, onChange: (value: number) => void }} AmountProps */

/** @param {AmountProps & { few: number[] }} props */
function Keys({ few, about, field, group, onChange }) {
  return html`<div class="number-keys">
    ${few.map((value) => {
      const note = about.notes?.[String(value)];
      const id = `${group}-${field.name}-${value}`;
      return html`<label key=${value} class="choice">
        <input
          type="radio"
          name=${`${group}-${field.name}`}
          value=${value}
          checked=${field.value === value}
          onChange=${() => onChange(value)}
          aria-label=${numberText(value, about)}
          aria-describedby=${note ? id : undefined}
        />
        <span class="choice-body number">
          ${numberText(value, about)}
          ${note && html`<span class="choice-note" id=${id}>${unbroken(note)}</span>`}
        </span>
      </label>`;
    })}
  </div>`;
}

/**
 * "5 in 6", never broken into two lines.
 * @param {string} note
 */
const unbroken = (note) => note.replace(/(\d+) in (\d+)/g, "$1\u00a0in\u00a0$2");

/**
 * Return the legal amount for typed text: the next one at or below it. Undefined if there is none.
 * @param {Field} field
 * @param {ParameterLabels} about
 * @param {string} typed
 */
function typedAmount({ ranges }, about, typed) {
  const number = Number(typed.replace(/,(?=\d{1,2}\D*$)/, ".").replace(/[^0-9.-]/g, ""));
  if (typed.trim() === "" || !Number.isFinite(number)) return undefined;
  const wanted = Math.round(number * (about.money === "cents" ? 100 : 1));
  return nextAmount(ranges, wanted + 1, -1) ?? leastAmount(ranges);
}

/** @param {AmountProps} props */
function Stepper({ about, field, group, onChange }) {
  const { ranges, value } = field;
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [stepped, setStepped] = useState(false);
  const latest = useRef(value);
  latest.current = value;

  /** @param {number} direction */
  function step(direction) {
    const next = nextAmount(ranges, latest.current, direction);
    if (next !== undefined) {
      latest.current = next;
      onChange(next);
    }
    setStepped(true);
  }

  function take() {
    if (typed === null) return;
    const wanted = typedAmount(field, about, typed);
    setTyped(null);
    if (wanted !== undefined) onChange(wanted);
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key === "Enter") take();
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    step(event.key === "ArrowUp" ? 1 : -1);
  }

  const [least, most] = [leastAmount(ranges), mostAmount(ranges)];
  const onPress = () => setTyped(null);
  const shown = typed ?? numberText(value, about);
  return html`<div class="stepper">
    <${StepButton} label="less" sign="−" disabled=${value <= least} onPress=${onPress} onStep=${() => step(-1)} />
    <span class="step-value">
      <input
        id=${`${group}-${field.name}`}
        inputmode="numeric"
        autocomplete="off"
        value=${shown}
        style=${{ "--letters": Math.max(shown.length, 3) }}
        aria-label=${about.label ?? field.name}
        onFocus=${(/** @type {any} */ event) => event.target.select()}
        onInput=${(/** @type {any} */ event) => setTyped(event.target.value)}
        onBlur=${take}
        onKeyDown=${onKeyDown}
      />
      <span class="unseen" aria-live="polite">${stepped ? numberText(value, about) : ""}</span>
      <span class="step-range">${rangeText(least, most, value, about)}</span>
    </span>
    <${StepButton} label="more" sign="+" disabled=${value >= most} onPress=${onPress} onStep=${() => step(1)} />
  </div>`;
}

/**
 * Return which amounts are legal; at the first or last of them, that it is the end, because a button is disabled then.
 * @param {number} least
 * @param {number} most
 * @param {number} value
 * @param {ParameterLabels} about
 */
function rangeText(least, most, value, about) {
  if (least === most) return say("only {amount} now", { amount: numberText(least, about) });
  if (value >= most) return say("{amount} is now the maximum", { amount: numberText(most, about) });
  if (value <= least) return say("{amount} is now the minimum", { amount: numberText(least, about) });
  return say("{least} to {most}", { least: numberText(least, about), most: numberText(most, about) });
}

/**
 * A button that keeps stepping while a finger holds it. Keyboards and screen readers only click it, without pointer
 * events.
 * @param {{ label: string, sign: string, disabled: boolean, onPress: () => void, onStep: () => void }} props
 */
function StepButton({ label, sign, disabled, onPress, onStep }) {
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const latest = useRef(onStep);
  latest.current = onStep;
  const release = () => clearTimeout(timer.current);
  useEffect(() => release, []);

  /** @param {PointerEvent} event */
  function hold(event) {
    if (event.button) return;
    onPress();
    latest.current();
    const again = () => {
      latest.current();
      timer.current = setTimeout(again, NEXT_WAIT);
    };
    timer.current = setTimeout(again, FIRST_WAIT);
  }

  return html`<button
    type="button"
    class="step"
    aria-label=${label}
    disabled=${disabled}
    onPointerDown=${hold}
    onPointerUp=${release}
    onPointerLeave=${release}
    onPointerCancel=${release}
    onClick=${(/** @type {MouseEvent} */ event) => event.detail === 0 && onStep()}
  >
    ${sign}
  </button>`;
}
