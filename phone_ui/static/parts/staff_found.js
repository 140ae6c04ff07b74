// Devices that are plugged in and not in use, for staff: what can be made of each with one press.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { FoundDevice, Venue } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */
/** @typedef {{ venue: Venue, ask: AskHub, sending: string | null }} Props */

/** @param {Props} props */
export function FoundDevices(props) {
  const { found } = props.venue;
  if (found.length === 0) return null;
  return html`<section class="machine" aria-labelledby="found">
    <h2 id="found">New devices</h2>
    ${found.map((one) => html`<${FoundLine} key=${one.device} one=${one} ...${props} />`)}
  </section>`;
}

/** @param {{ one: FoundDevice } & Props} props */
function FoundLine({ one, venue, ask, sending }) {
  const { device } = one;
  const names = new Map(venue.tables.map(({ public: state }) => [state.table, state.name]));
  return html`<div class="part">
    <p>${one.text}</p>
    ${one.note && html`<p class="quiet-words" role="status">${one.note}</p>`}
    <div class="does">
      ${one.tables.map(
        (table) => html`<button
          type="button"
          key=${table}
          class="do"
          disabled=${Boolean(sending)}
          onClick=${() => ask("use_device", table, { device }, `use ${device}`)}
        >
          ${say("Use it at {table}", { table: names.get(table) ?? table })}
        </button>`,
      )}
      ${one.programs.map(
        (program) => html`<button
          type="button"
          key=${program}
          class="do"
          disabled=${Boolean(sending)}
          onClick=${() => ask("firmware", "", { device, program }, `firmware ${device}`)}
        >
          ${program === "box" ? say("Make a seat box of it") : say("Make a dice tray of it")}
        </button>`,
      )}
      <button
        type="button"
        class="do"
        aria-label=${say("Not now: {device}", { device: one.text })}
        disabled=${Boolean(sending)}
        onClick=${() => ask("leave_device", "", { device }, `leave ${device}`)}
      >
        Not now
      </button>
    </div>
  </div>`;
}
