// Which Wi-Fi the hub uses: its own, one in reach, or another name, and the password.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { VenueWifi } from "../lib/messages.d.ts" */

/**
 * `own`: the hub's own Wi-Fi, or the network that it is in; `other`: a name that people type.
 * @typedef {{ kind: "own" | "network" | "other", name: string, password: string }} Choice
 */

/** @type {Choice} */
export const STAY = { kind: "own", name: "", password: "" };

/**
 * Return whether it is a password of WPA: 8 to 63 bytes, or a key as 64 hexadecimal digits (IEEE 802.11, J.4.1).
 * @param {string} password
 */
function isPassword(password) {
  const { length } = new TextEncoder().encode(password);
  return (length >= 8 && length <= 63) || /^[0-9a-f]{64}$/i.test(password);
}

/**
 * @param {VenueWifi} wifi
 * @param {Choice} choice
 */
const isOpen = (wifi, { kind, name }) =>
  kind === "network" && wifi.networks.some((one) => one.name === name && one.is_open);

/**
 * Return why the hub cannot join what was chosen, or "".
 * @param {VenueWifi} wifi
 * @param {Choice} choice
 */
export function whyNotJoined(wifi, choice) {
  if (choice.kind === "own") return "";
  if (choice.kind === "other" && !choice.name.trim()) return say("Type the name of the Wi-Fi.");
  const mayBeOpen = isOpen(wifi, choice) || (choice.kind === "other" && !choice.password);
  return mayBeOpen || isPassword(choice.password) ? "" : say("A Wi-Fi password has 8 to 63 characters.");
}

/**
 * Return the request that joins what was chosen.
 * @param {VenueWifi} wifi
 * @param {Choice} choice
 */
export const joinArgs = (wifi, choice) => ({
  name: choice.kind === "other" ? choice.name.trim() : choice.name,
  password: isOpen(wifi, choice) ? "" : choice.password,
});

/**
 * `error`: the id of the element with what `whyNotJoined` returned, while it is shown.
 * @param {{ wifi: VenueWifi, choice: Choice, onChange: (choice: Choice) => void, error?: string }} props
 */
export function WifiChoice({ wifi, choice, onChange, error }) {
  const stays = wifi.state === "network" ? wifi.name : wifi.own;
  const { kind, name } = choice;
  const wrong = kind === "other" && !name.trim() ? "name" : "password";
  const field = (/** @type {string} */ label, /** @type {"name" | "password"} */ key, /** @type {number} */ longest) =>
    html`<label class="wifi-text">
      <span>${label}</span>
      <input
        type="text"
        maxlength=${longest}
        autocomplete="off"
        autocapitalize="off"
        spellcheck=${false}
        aria-invalid=${error && key === wrong ? "true" : undefined}
        aria-describedby=${(key === wrong && error) || undefined}
        value=${choice[key]}
        onInput=${(/** @type {any} */ { target }) => onChange({ ...choice, [key]: target.value })}
      />
    </label>`;
  // The fields are below their network, where people look.
  const radio = (/** @type {Choice} */ to, /** @type {any} */ label) => {
    const isChosen = kind === to.kind && (kind !== "network" || name === to.name);
    return html`<label class="wifi-line">
        <input type="radio" name="wifi" checked=${isChosen} onChange=${() => onChange(to)} />
        ${label}
      </label>
      ${isChosen && kind === "other" && field(say("Its name"), "name", 32)}
      ${isChosen && kind !== "own" && !isOpen(wifi, choice) && field(say("Its password"), "password", 64)}`;
  };
  return html`<fieldset class="wifi-choice">
    <legend class="unseen">Wi-Fi of the hub</legend>
    ${radio(STAY, html`<span>${wifi.state === "network" ? say("The network that the hub is in") : say("The hub's own Wi-Fi")} <b translate="no">${stays}</b></span>`)}
    ${wifi.networks
      .filter((one) => one.name !== wifi.own && one.name !== stays)
      .map((one) =>
        radio(
          { kind: "network", name: one.name, password: choice.password },
          html`<span><b translate="no">${one.name}</b>${one.is_open && html` <span class="soft">${say("open")}</span>`}</span>`,
        ),
      )}
    ${radio({ kind: "other", name: kind === "other" ? name : "", password: choice.password }, html`<span>Another Wi-Fi</span>`)}
  </fieldset>`;
}
