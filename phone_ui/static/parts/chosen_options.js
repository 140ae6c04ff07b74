// The options of the next match that differ from the defaults, for everybody to read before it begins.

import { html } from "../lib/html.js";
import { optionLabel, optionText } from "../lib/options.js";

/** @import { Facts, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * The options that differ from the defaults, each in a few words.
 * @param {{ labels: Labels | null | undefined, state: PublicState, options: Facts }} props
 */
export function ChosenOptions({ labels, state, options }) {
  const about = labels?.options ?? {};
  const named = Object.entries(options).filter(([name]) => about[name]);
  if (!named.length) return null;
  return html`<span class="chosen-options">
    <span>Chosen:</span> ${named.map(
      ([name, value], i) => html`<span key=${name} class="chosen-option">
        <b>${optionLabel(name, about[name])}</b>${value === true ? "" : html` <span>${optionText(state, about[name], value)}</span>`}${i < named.length - 1 ? "," : ""}
      </span> `,
    )}
  </span>`;
}
