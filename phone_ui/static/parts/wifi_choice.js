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

const SHORTEST_PASSWORD = 8; // of WPA2: IEEE 802.11, J.4.1

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
  if (!choice.name.trim()) return say("Type the name of the Wi-Fi.");
  const tooShort = choice.password.length < SHORTEST_PASSWORD;
  const mayBeOpen = isOpen(wifi, choice) || (choice.kind === "other" && !choice.password);
  return tooShort && !mayBeOpen ? say("A Wi-Fi password has at least 8 characters.") : "";
}

/**
 * Return the request that joins what was chosen.
 * @param {VenueWifi} wifi
 * @param {Choice} choice
 */
export const joinArgs = (wifi, choice) => ({
  name: choice.name.trim(),
  password: isOpen(wifi, choice) ? "" : choice.password,
});

/** @param {{ wifi: VenueWifi, choice: Choice, onChange: (choice: Choice) => void }} props */
export function WifiChoice({ wifi, choice, onChange }) {
  const stays = wifi.state === "network" ? wifi.name : wifi.own;
  const { kind, name } = choice;
  const radio = (/** @type {Choice} */ to, /** @type {any} */ label) => html`<label class="wifi-line">
    <input
      type="radio"
      name="wifi"
      checked=${kind === to.kind && (kind === "own" || kind === "other" || name === to.name)}
      onChange=${() => onChange(to)}
    />
    ${label}
  </label>`;
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
    ${
      kind === "other" &&
      html`<label class="wifi-text">
        <span>Its name</span>
        <input
          type="text"
          maxlength="32"
          autocomplete="off"
          autocapitalize="off"
          spellcheck=${false}
          value=${name}
          onInput=${(/** @type {any} */ { target }) => onChange({ ...choice, name: target.value })}
        />
      </label>`
    }
    ${
      kind !== "own" &&
      !isOpen(wifi, choice) &&
      html`<label class="wifi-text">
        <span>Its password</span>
        <input
          type="text"
          maxlength="63"
          autocomplete="off"
          autocapitalize="off"
          spellcheck=${false}
          value=${choice.password}
          onInput=${(/** @type {any} */ { target }) => onChange({ ...choice, password: target.value })}
        />
      </label>`
    }
  </fieldset>`;
}
