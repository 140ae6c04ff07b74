// A button for actions without an undo: it asks for confirmation.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";

const CONTROLS = "a, button, input, select, summary, textarea";

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
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  const group = useRef(/** @type {HTMLElement | null} */ (null));
  const isAnswered = useRef(false);
  useLayoutEffect(() => {
    if (asked) group.current?.focus();
    // The button is disabled until the hub has done what was confirmed.
    else if (isAnswered.current && !disabled) {
      isAnswered.current = false;
      if (!document.activeElement?.matches(CONTROLS)) button.current?.focus();
    }
  }, [asked, disabled]);
  const answer = () => {
    isAnswered.current = true;
    setAsked(false);
  };
  if (!asked)
    return html`<button
      type="button"
      ref=${button}
      class="do"
      aria-label=${named ?? label}
      disabled=${disabled}
      onClick=${() => setAsked(true)}
    >
      ${label}
    </button>`;
  return html`<div class="sure" role="group" tabindex="-1" ref=${group} aria-label=${question}>
    <p>${question}</p>
    <div class="does">
      ${options.map(
        (option) => html`<button
          type="button"
          key=${option.label}
          class=${`do ${option.danger ? "danger" : "primary"}`}
          disabled=${disabled}
          onClick=${() => {
            answer();
            option.act();
          }}
        >
          ${option.label}
        </button>`,
      )}
      <button type="button" class="do" onClick=${answer}>Cancel</button>
    </div>
  </div>`;
}
