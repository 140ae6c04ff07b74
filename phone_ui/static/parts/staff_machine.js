// The hub itself, for staff: its version, an examination of the machine, restart and power-off.

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { FaultLine } from "./faults.js";
import { DIGITS, PinInput } from "./pin_input.js";
import { StickBackup } from "./stick_backup.js";
import { Sure } from "./sure.js";
import { joinArgs, STAY, WifiChoice, whyNotJoined } from "./wifi_choice.js";

/** @import { Fault, UpdateSeen, Venue, VenueWifi } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */

/** @param {{ venue: Venue, ask: AskHub, sending: string | null, findings: Fault[] | null }} props */
export function StaffMachine({ venue, ask, sending, findings }) {
  return html`<section class="machine" aria-label="The hub">
    <h2>The hub</h2>
    <p class="quiet-words">${say("{hub}, table-hub {version}", { hub: venue.hub, version: venue.version })}</p>
    ${findings?.map((fault) => html`<${FaultLine} key=${fault.what} fault=${fault} />`)}
    ${findings && findings.length === 0 && html`<p>The machine was checked: all is well.</p>`}
    <div class="does">
      <button
        type="button"
        class="do"
        disabled=${Boolean(sending)}
        onClick=${() => ask("doctor", "", {}, "doctor")}
      >
        ${sending === "doctor" ? say("Checking…") : say("Check the machine")}
      </button>
      ${
        !venue.restart &&
        html`<${Sure}
          label="Restart the hub…"
          question=${say("The restart takes half a minute. Then matches continue with the same hands.")}
          options=${[{ label: say("Restart"), act: () => ask("restart", "", {}, "restart") }]}
          disabled=${Boolean(sending)}
        />`
      }
      ${
        !venue.off &&
        html`<${Sure}
          label="Switch off…"
          question=${say("The hub and the big screen go dark. Matches continue when the hub is switched on again.")}
          options=${[{ label: say("Switch off"), danger: true, act: () => ask("off", "", {}, "off") }]}
          disabled=${Boolean(sending)}
        />`
      }
    </div>
    ${venue.wifi && html`<${StaffWifi} wifi=${venue.wifi} ask=${ask} sending=${sending} />`}
    <${NewPin} ask=${ask} sending=${sending} />
    ${venue.update && html`<${StaffUpdate} update=${venue.update} ask=${ask} sending=${sending} />`}
    ${venue.backup && html`<${StickBackup} backup=${venue.backup} ask=${ask} sending=${sending} />`}
    ${venue.restart && html`<p class="quiet-words">${venue.restart}</p>`}
    ${venue.off && html`<p class="quiet-words">${venue.off}</p>`}
  </section>`;
}

/**
 * Return where the hub is.
 * @param {VenueWifi} wifi
 */
function wifiText({ state, name, own }) {
  if (state === "off") return say("The hub has no Wi-Fi, or it is switched off.");
  if (state === "hotspot") return say("The hub makes its own Wi-Fi: {name}", { name: own });
  if (state === "joining") return say("The hub joins {name}…", { name });
  if (state === "waiting") return say("The hub looks for a network…");
  return name ? say("The hub is in the Wi-Fi {name}.", { name }) : say("The hub is in a network by cable.");
}

/** @param {{ wifi: VenueWifi, ask: AskHub, sending: string | null }} props */
function StaffWifi({ wifi, ask, sending }) {
  const [choice, setChoice] = useState(STAY);
  const [why, setWhy] = useState("");
  const join = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const problem = whyNotJoined(wifi, choice);
    setWhy(problem);
    if (!problem && (await ask("wifi", "", joinArgs(wifi, choice), "wifi"))) setChoice(STAY);
  };
  return html`<form class="part" onSubmit=${join}>
    <h3>Wi-Fi</h3>
    <p role="status">${wifiText(wifi)}</p>
    ${wifi.problem && html`<p class="said refused" role="alert">${wifi.problem}</p>`}
    ${
      wifi.state !== "off" &&
      html`<${WifiChoice} wifi=${wifi} choice=${choice} onChange=${setChoice} error=${why && "wifi-error"} />
        ${why && html`<p id="wifi-error" class="said refused" role="alert">${why}</p>`}
        <div class="does">
          <button class="do" disabled=${Boolean(sending) || choice.kind === "own"}>Join this Wi-Fi</button>
        </div>`
    }
  </form>`;
}

/** @param {{ ask: AskHub, sending: string | null }} props */
function NewPin({ ask, sending }) {
  const [pin, setPin] = useState("");
  const change = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (await ask("pin", "", { pin }, "pin")) setPin("");
  };
  return html`<form class="part" onSubmit=${change}>
    <h3>Staff PIN</h3>
    <label class="wifi-text">
      <span>A new PIN, six digits</span>
      <${PinInput} pin=${pin} onPin=${setPin} />
    </label>
    <div class="does"><button class="do" disabled=${Boolean(sending) || pin.length < DIGITS}>Change the PIN</button></div>
  </form>`;
}

/** @param {{ update: UpdateSeen, ask: AskHub, sending: string | null }} props */
function StaffUpdate({ update, ask, sending }) {
  const begin = (/** @type {"look" | "install"} */ what) => ask("update", "", { what }, "update");
  return html`<h3>New version</h3>
    <p role="status">${update.text}</p>
    <div class="does">
      ${
        update.can === "install" &&
        html`<${Sure}
          label="Install it…"
          question=${say("This takes a few minutes, and phones lose their connection meanwhile. If the new version does not run, the previous one comes back by itself.")}
          options=${[{ label: say("Install"), act: () => begin("install") }]}
          disabled=${Boolean(sending)}
        />`
      }
      ${
        update.can === "look" &&
        html`<button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => begin("look")}>
          Look for an update
        </button>`
      }
    </div>`;
}
