// The options of a game. Fetched when a game with options is picked.

import { html } from "../lib/html.js";
import { idleWhy, optionLabel, optionText } from "../lib/options.js";
import { nameStays, seatName } from "../lib/seats.js";

/** The option, in every such game, to play with printed cards. */
const PRINTED = "printed_cards";

/** @import { Option } from "../lib/messages.d.ts" */
/** @import { Facts as Plain, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * @typedef {object} OptionProps
 * @property {PublicState} state
 * @property {Labels | null} labels
 * @property {Plain} chosen
 * @property {(name: string, value: any) => void} onChange
 */

/**
 * The options of a game, each with its effect in one line, without those that are shown with the game.
 * @param {OptionProps} props
 */
export function Options(props) {
  const first = props.labels?.lobby?.first ?? [];
  const names = Object.keys(props.labels?.options ?? {}).filter((name) => !first.includes(name));
  return html`<details class="options">
    <summary>Options</summary>
    ${names.map((name) => html`<${OneOption} key=${name} name=${name} ...${props} />`)}
  </details>`;
}

/**
 * The options that are shown with the game itself.
 * @param {OptionProps} props
 */
export function FirstOptions(props) {
  const names = (props.labels?.lobby?.first ?? []).filter((name) => props.labels?.options?.[name]);
  if (!names.length) return null;
  return html`<div class="options first">
    ${names.map((name) => html`<${OneOption} key=${name} name=${name} ...${props} />`)}
  </div>`;
}

/** @param {OptionProps & { name: string }} props */
function OneOption({ name, labels, state, chosen, onChange }) {
  const option = labels?.options?.[name];
  if (!option) return null;
  const why = idleWhy(labels, name, chosen);
  return html`<div class=${`option${why ? " idle" : ""}`}>
    <label class="option-label" for=${`option-${name}`}>${optionLabel(name, option)}</label>
    <${OptionInput}
      id=${`option-${name}`}
      state=${state}
      option=${option}
      idle=${Boolean(why)}
      value=${why ? option.default : (chosen[name] ?? option.default)}
      onChange=${(/** @type {any} */ value) => onChange(name, value)}
    />
    ${why && html`<p class="option-effect">${why}</p>`}
    ${!why && option.effect && html`<p class="option-effect">${option.effect}</p>`}
    ${name === PRINTED && chosen[name] && labels?.printed_cards?.differs && html`<p class="option-effect">${labels.printed_cards.differs}</p>`}
  </div>`;
}

/**
 * @param {{
 *   id: string, state: PublicState, option: Option, value: any, idle: boolean, onChange: (value: any) => void,
 * }} props
 */
function OptionInput({ id, state, option, value, idle, onChange }) {
  const { choices } = option;
  if (typeof option.default === "boolean") {
    const onTap = (/** @type {any} */ event) => onChange(event.target.checked);
    return html`<input id=${id} type="checkbox" class="switch" checked=${value} disabled=${idle} onChange=${onTap} />`;
  }
  if (option.seat) {
    const onPick = (/** @type {any} */ event) => onChange(Number(event.target.value));
    const sitting = state.seats.filter(({ held, house, seat }) => held || house || seat === value);
    return html`<select id=${id} disabled=${idle} onChange=${onPick}>
      <option value="0" selected=${!value}>chance decides</option>
      ${sitting.map(({ seat }) => html`<option value=${seat} selected=${seat === value} translate=${nameStays(state, seat)}>${seatName(state, seat)}</option>`)}
    </select>`;
  }
  if (choices) {
    const onPick = (/** @type {any} */ event) => onChange(choices[event.target.selectedIndex]);
    return html`<select id=${id} disabled=${idle} onChange=${onPick}>
      ${choices.map((choice) => html`<option value=${choice} selected=${choice === value}>${optionText(state, option, choice)}</option>`)}
    </select>`;
  }
  const isNumber = typeof option.default === "number";
  // Apply each keystroke: a state that arrives while a person types draws the field again with the applied value.
  const onType = (/** @type {any} */ { target }) =>
    onChange(isNumber && target.value ? Number(target.value) : target.value);
  const mode = isNumber ? "numeric" : "text";
  return html`<input id=${id} class="option-text" inputmode=${mode} value=${value} disabled=${idle} onInput=${onType} />`;
}
