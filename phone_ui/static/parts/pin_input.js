// The input for a staff PIN: digits only.

import { html } from "../lib/html.js";

export const DIGITS = 6;

/**
 * Return whether somebody would guess this PIN soon. The hub refuses such a PIN, too.
 * @param {string} pin
 */
export const isEasyPin = (pin) => new Set(pin).size <= 2 || "01234567890 09876543210".includes(pin);

/** @param {{ pin: string, onPin: (pin: string) => void, [more: string]: unknown }} props */
export function PinInput({ pin, onPin, ...more }) {
  return html`<input
    class="pin"
    inputmode="numeric"
    autocomplete="off"
    ...${more}
    value=${pin}
    onInput=${(/** @type {any} */ { target }) => {
      target.value = target.value.replace(/\D/g, "").slice(0, DIGITS);
      onPin(target.value);
    }}
  />`;
}
