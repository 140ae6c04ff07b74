// Choices for the next match besides the game: lessons, who rolls, hints. Fetched with the lobby.

import { html } from "../lib/html.js";

/** @import { Ask, Labels } from "../lib/types.d.ts" */
/** @import { GameOffer, PublicState } from "../lib/messages.d.ts" */

/**
 * @param {{
 *   state: PublicState, offer: GameOffer | undefined, labels: Labels | null, sending: string | null, ask: Ask,
 * }} props
 */
export function TableChoices({ state, offer, labels, sending, ask }) {
  const hasReader = (state.kit?.dice ?? 0) > 0;
  const needsDice = Boolean(labels?.needs?.dice) && (!hasReader || state.hub_rolls);
  return html`
    ${offer && html`<${Explained} state=${state} offer=${offer} sending=${sending} ask=${ask} />`}
    ${needsDice && html`<${HubRolls} state=${state} sending=${sending} ask=${ask} />`}
    <${HintsAllowed} state=${state} sending=${sending} ask=${ask} />`;
}

/**
 * Whether the first round explains the rules: as a player chose, else if a player is new to the game here.
 * @param {{ state: PublicState, offer: GameOffer, sending: string | null, ask: Ask }} props
 */
function Explained({ state, offer, sending, ask }) {
  const onTap = (/** @type {any} */ event) => ask("lessons", { explain: event.target.checked }, "lessons");
  return html`<label class="setting">
    <span>
      Explain the first round<small>One rule at a time, when it is needed. Each phone can switch this off.</small>
    </span>
    <input
      type="checkbox"
      class="switch"
      checked=${state.explain ?? !offer.known}
      disabled=${Boolean(sending)}
      onChange=${onTap}
    />
  </label>`;
}

/**
 * Whether the hub rolls all dice, at a table without a reader.
 * @param {{ state: PublicState, sending: string | null, ask: Ask }} props
 */
function HubRolls({ state, sending, ask }) {
  const onTap = (/** @type {any} */ event) => ask("hub_rolls", { on: event.target.checked }, "hub_rolls");
  return html`<label class="setting">
    <span>The hub rolls all dice<small>No dice at hand? Then nobody has to type what they show.</small></span>
    <input
      type="checkbox"
      class="switch"
      checked=${state.hub_rolls}
      disabled=${Boolean(sending)}
      onChange=${onTap}
    />
  </label>`;
}

/**
 * Whether phones at this table may have hints.
 * @param {{ state: PublicState, sending: string | null, ask: Ask }} props
 */
function HintsAllowed({ state, sending, ask }) {
  const onTap = (/** @type {any} */ event) => ask("hints", { allow: event.target.checked }, "hints");
  return html`<label class="setting">
    <span>
      Hints allowed<small>For practice: each phone switches its own on, in the tab Seat.</small>
    </span>
    <input
      type="checkbox"
      class="switch"
      checked=${state.hints}
      disabled=${Boolean(sending)}
      onChange=${onTap}
    />
  </label>`;
}
