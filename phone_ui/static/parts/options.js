// The options of a game. Fetched once a game is picked that has some.

import { html } from "../lib/html.js";
import { readable } from "../lib/labels.js";
import { seatName } from "../lib/seats.js";

/** @import { Facts as Plain, Option } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * The options of a game, each with its effect in one line.
 * @param {{
 *   state: PublicState, about: Record<string, Option>, chosen: Plain, onChange: (name: string, value: any) => void,
 * }} props
 */
export function Options({ state, about, chosen, onChange }) {
  return html`<details class="options">
    <summary>Options</summary>
    ${Object.entries(about).map(
      ([name, option]) => html`<div key=${name} class="option">
        <label class="option-label" for=${`option-${name}`}>${option.label ?? readable(name)}</label>
        <${OptionInput}
          id=${`option-${name}`}
          state=${state}
          option=${option}
          value=${chosen[name] ?? option.default}
          onChange=${(/** @type {any} */ value) => onChange(name, value)}
        />
        ${option.effect && html`<p class="option-effect">${option.effect}</p>`}
      </div>`,
    )}
  </details>`;
}

/** @param {{ id: string, state: PublicState, option: Option, value: any, onChange: (value: any) => void }} props */
function OptionInput({ id, state, option, value, onChange }) {
  const { choices } = option;
  if (typeof option.default === "boolean") {
    const onTap = (/** @type {any} */ event) => onChange(event.target.checked);
    return html`<input id=${id} type="checkbox" class="switch" checked=${value} onChange=${onTap} />`;
  }
  if (option.seat) {
    const onPick = (/** @type {any} */ event) => onChange(Number(event.target.value));
    const sitting = state.seats.filter(({ held, house, seat }) => held || house || seat === value);
    return html`<select id=${id} onChange=${onPick}>
      <option value="0" selected=${!value}>chance says</option>
      ${sitting.map(({ seat }) => html`<option value=${seat} selected=${seat === value}>${seatName(state, seat)}</option>`)}
    </select>`;
  }
  if (choices) {
    const onPick = (/** @type {any} */ event) => onChange(choices[event.target.selectedIndex]);
    return html`<select id=${id} onChange=${onPick}>
      ${choices.map((choice) => html`<option selected=${choice === value}>${String(choice)}</option>`)}
    </select>`;
  }
  const isNumber = typeof option.default === "number";
  // Each key counts at once: a picture that comes while somebody types draws the field anew, with what it knows.
  const onType = (/** @type {any} */ { target }) =>
    onChange(isNumber && target.value ? Number(target.value) : target.value);
  const mode = isNumber ? "numeric" : "text";
  return html`<input id=${id} class="option-text" inputmode=${mode} value=${value} onInput=${onType} />`;
}
