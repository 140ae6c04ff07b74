// A button for actions without an undo: it asks for confirmation.

import { html, useState } from "../lib/html.js";

/**
 * @param {{
 *   label: string,
 *   question: string,
 *   options: { label: string, act: () => unknown, danger?: boolean }[],
 *   disabled?: boolean,
 *   named?: string,
 * }} props
 */
export function Sure({ label, question, options, disabled = false, named }) {
  const [asked, setAsked] = useState(false);
  if (!asked)
    return html`<button
      type="button"
      class="do"
      aria-label=${named ?? label}
      disabled=${disabled}
      onClick=${() => setAsked(true)}
    >
      ${label}
    </button>`;
  return html`<div class="sure" role="group" aria-label=${question}>
    <p>${question}</p>
    <div class="does">
      ${options.map(
        (option) => html`<button
          type="button"
          key=${option.label}
          class=${`do ${option.danger ? "danger" : "primary"}`}
          disabled=${disabled}
          onClick=${() => {
            setAsked(false);
            option.act();
          }}
        >
          ${option.label}
        </button>`,
      )}
      <button type="button" class="do" onClick=${() => setAsked(false)}>Cancel</button>
    </div>
  </div>`;
}
