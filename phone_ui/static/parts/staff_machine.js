// The hub itself, for staff: its version, an examination of the machine, restart and power-off.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { FaultLine } from "./faults.js";
import { Sure } from "./sure.js";

/** @import { Fault, UpdateSeen, Venue } from "../lib/messages.d.ts" */
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
    ${venue.update && html`<${StaffUpdate} update=${venue.update} ask=${ask} sending=${sending} />`}
    ${venue.restart && html`<p class="quiet-words">${venue.restart}</p>`}
    ${venue.off && html`<p class="quiet-words">${venue.off}</p>`}
  </section>`;
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
