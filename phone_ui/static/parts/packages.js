// The packages with games and drivers of others, on the settings page: what each brings, and how to add and remove one.

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { Sure } from "./sure.js";

/** @import { PackageSeen, StaffRequests } from "../lib/messages.d.ts" */

/** Bytes of a file in one request; the hub refuses larger requests. */
const PIECE = 3_000;
/** The largest file that the hub takes. */
const MOST = 1_000_000;

/**
 * Send a file in pieces. Return whether the hub took all of them.
 * @param {File} file
 * @param {(verb: "add_package", args: StaffRequests["add_package"]) => Promise<unknown>} ask
 */
async function send(file, ask) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
    if (!(await ask("add_package", { file: file.name, size: bytes.length, at, piece }))) return false;
  }
  return true;
}

/**
 * @param {{
 *   packages: PackageSeen[],
 *   ask: <V extends "add_package" | "remove_package">(verb: V, args: StaffRequests[V]) => Promise<unknown>,
 *   busy: boolean,
 * }} props
 */
export function Packages({ packages, ask, busy }) {
  const [chosen, setChosen] = useState(/** @type {File | null} */ (null));
  const [edition, setEdition] = useState(0); // a field for a file is emptied by a new one
  const choose = (/** @type {File | null} */ file) => {
    setChosen(file);
    if (!file) setEdition((number) => number + 1);
  };
  const add = async () => {
    if (chosen && (await send(chosen, ask))) choose(null);
  };
  const fits = chosen && chosen.size > 0 && chosen.size <= MOST;
  return html`<section class="machine" aria-labelledby="packages">
    <h2 id="packages">Games and drivers of others</h2>
    <p class="quiet-words">A package adds games, or drivers for devices. Its file ends with “.whl”.</p>
    ${
      packages.length > 0 &&
      html`<ul class="packages">
        ${packages.map((one) => html`<${Package} key=${one.package} seen=${one} ask=${ask} busy=${busy} />`)}
      </ul>`
    }
    <label>
      Add a package
      <input
        key=${edition}
        type="file"
        accept=".whl"
        disabled=${busy}
        onChange=${(/** @type {any} */ event) => choose(event.target.files[0] ?? null)}
      />
    </label>
    ${
      chosen &&
      !fits &&
      html`<p class="said refused" role="alert">
        ${chosen.size ? say("This package is too large.") : say("This file is damaged, or it is no package. Send it again.")}
      </p>`
    }
    ${
      chosen &&
      fits &&
      html`<p class="said refused" role="alert">
          A package is a program, and can do on this hub whatever the hub can do. Add it only if you trust the people who made it.
        </p>
        <div class="does">
          <button type="button" class="do primary" disabled=${busy} onClick=${add}>Add it</button>
          <button type="button" class="do" disabled=${busy} onClick=${() => choose(null)}>Cancel</button>
        </div>`
    }
  </section>`;
}

/**
 * @param {{
 *   seen: PackageSeen,
 *   ask: (verb: "remove_package", args: StaffRequests["remove_package"]) => Promise<unknown>,
 *   busy: boolean,
 * }} props
 */
function Package({ seen, ask, busy }) {
  const brings = [...seen.games, ...seen.drivers];
  return html`<li>
    <p><strong translate="no">${seen.package}</strong>${brings.length > 0 && html`<span translate="no">: ${brings.join(", ")}</span>`}</p>
    ${seen.problems.map((problem) => html`<p key=${problem} class="said refused">${problem}</p>`)}
    ${seen.waits && html`<p class="quiet-words">${seen.file ? say("The hub uses it after a restart.") : say("It is removed at the next restart.")}</p>`}
    ${
      seen.file &&
      html`<${Sure}
        label="Remove…"
        named=${say("Remove {package}…", { package: seen.package })}
        question=${say("Suspended matches of its games can be resumed only with the package.")}
        options=${[{ label: say("Remove"), act: () => ask("remove_package", { file: seen.file }) }]}
        disabled=${busy}
      />`
    }
  </li>`;
}
