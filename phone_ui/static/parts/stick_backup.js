// Backups on a USB stick that is plugged into the hub.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { Sure } from "./sure.js";

/** @import { BackupSeen } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */

/** @param {{ backup: BackupSeen, ask: AskHub, sending: string | null }} props */
export function StickBackup({ backup, ask, sending }) {
  const begin = (/** @type {"save" | "look" | "restore"} */ step) => ask("backup", "", { step }, "backup");
  return html`<h3>Backup on a USB stick</h3>
    <p role="status">${backup.text}</p>
    <div class="does">
      ${
        backup.can &&
        html`<${Sure}
          label="Save a backup…"
          question=${say("The backup holds every hand and the hub's keys. Store the stick as carefully as a key.")}
          options=${[{ label: say("Save"), act: () => begin("save") }]}
          disabled=${Boolean(sending)}
        />`
      }
      ${
        backup.can === "restore" &&
        html`<${Sure}
          label="Restore it…"
          question=${say("Matches, seats and settings of this hub are replaced by those of the backup. The staff PIN stays. The hub restarts.")}
          options=${[{ label: say("Restore"), danger: true, act: () => begin("restore") }]}
          disabled=${Boolean(sending)}
        />`
      }
      ${
        backup.can &&
        html`<button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => begin("look")}>
          Look for a backup
        </button>`
      }
    </div>`;
}
