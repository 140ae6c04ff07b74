// The end of a match on a phone. Fetched when a match is over.

import { html, useState } from "../lib/html.js";
import { save } from "../lib/save.js";
import { ActionButton } from "./ask.js";
import { DisputePart } from "./dice.js";
import { Lobby } from "./lobby.js";
import { Result } from "./result.js";

/** @import { Labels, PhoneProps } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * Download a recap of the match as a file, with data of this page only.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {number | null} seat
 */
async function saveRecap(labels, state, seat) {
  const { recap, recapName } = await import("../lib/recap.js");
  const now = new Date();
  save(recapName(state, now), "text/plain;charset=utf-8", recap(labels, state, seat, now));
}

/**
 * The result, a recap to download, and the next steps.
 * @param {PhoneProps} props
 */
export function Over(props) {
  const { labels, state, seat, hand, sending, refusal, ask } = props;
  const [choosing, setChoosing] = useState(false);
  return html`<${Result} labels=${labels} state=${state} />
    <${DisputePart} state=${state} hand=${hand} sending=${sending} ask=${ask} />
    ${refusal && html`<p class="refusal" role="alert">${refusal}</p>`}
    <div class="keep-it">
      <button type="button" class="small-act recap" onClick=${() => saveRecap(labels, state, seat)}>Save a recap</button>
      <a class="small-act" target="_blank" href=${`/t/${state.table}/replay?match=${state.match}`}>Replay</a>
    </div>
    ${choosing && html`<${Lobby} ...${props} />`}
    ${
      seat &&
      !choosing &&
      html`<div class="dock" role="group" aria-label="Actions">
        <div class="acts">
          <${ActionButton}
            primary
            label="Again, same seats"
            name="again"
            sending=${sending}
            onPress=${() => ask("again", {}, "again")}
          />
          <button type="button" class="act" onClick=${() => setChoosing(true)}>Another game</button>
          ${
            hand?.undo &&
            html`<${ActionButton} label="Take back" name="undo" sending=${sending} onPress=${() => ask("undo", {}, "undo")} />`
          }
        </div>
      </div>`
    }`;
}
