// How people and screens get to one table, for staff: the card to print, and the link of a big screen.

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { QrCode } from "./qr_code.js";
import { Sure } from "./sure.js";

/** @import { AskHub } from "../lib/types.d.ts" */

/** @param {{ table: string, ask: AskHub, sending: string | null }} props */
export function StaffJoin(props) {
  const { table, ask, sending } = props;
  const card = `card ${table}`;
  return html`<details class="part">
    <summary>Card to print, big screen on a tablet</summary>
    <p class="quiet-words">A card for this table, with the codes to scan. It contains the password of the guests' Wi-Fi, if the hub knows it.</p>
    <div class="does">
      <button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => ask("card", table, {}, card)}>
        ${sending === card ? say("The hub draws it…") : say("Save the card")}
      </button>
    </div>
    <${ScreenLink} ...${props} />
  </details>`;
}

/**
 * The link is a key: it is on the page only while staff want to see it.
 * @param {{ table: string, ask: AskHub, sending: string | null }} props
 */
function ScreenLink({ table, ask, sending }) {
  const [link, setLink] = useState("");
  const show = async (/** @type {boolean} */ isNew) => {
    const answer = await ask("screen_link", table, { new: isNew }, `screen_link ${table}`);
    if (answer) setLink(answer.link);
  };
  return html`<p class="quiet-words">
      A tablet or another computer becomes a big screen of this table when it opens a link. Keep the link to yourself: it
      shows the codes of seats.
    </p>
    ${
      link &&
      html`<div class="screen-link">
        <${QrCode} text=${link} label=${say("Code for the camera of the tablet")} />
        <a href=${link} target="_blank" rel="noreferrer" translate="no">${link}</a>
      </div>`
    }
    <div class="does">
      ${
        link
          ? html`<button type="button" class="do" onClick=${() => setLink("")}>Hide the link</button>`
          : html`<button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => show(false)}>
              Show the link
            </button>`
      }
      <${Sure}
        label="Make a new link…"
        question=${say("The earlier links of all tables end at once. Each tablet needs its new link.")}
        options=${[{ label: say("Make a new link"), danger: true, act: () => show(true) }]}
        disabled=${Boolean(sending)}
      />
    </div>`;
}
