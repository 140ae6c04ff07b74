// The settings page: staff read and change the hub's configuration. The hub makes the form from the types of its keys.

import { Draft } from "../lib/drafts.js";
import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, say, sayCount, speakOf } from "../lib/language.js";
import { lastSession, SignedOut } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { isRecord } from "../lib/values.js";
import { Packages } from "../parts/packages.js";
import { SettingsGroup } from "../parts/settings_form.js";
import { Sure } from "../parts/sure.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Settings, StaffRequests } from "../lib/messages.d.ts" */
/** @import { Path } from "../lib/drafts.js" */

applySettings(loadSettings());

/** Maximum size of the changes of one request: the hub refuses larger ones. */
const MOST_BYTES = 5_000;

/**
 * Return the drivers of devices that are new.
 * @param {Draft} draft
 */
const newDrivers = ({ changes }) =>
  changes.flatMap(({ at, to }) =>
    at.length === 2 && at[0] === "device" && isRecord(to) ? [String(/** @type {any} */ (to).driver)] : [],
  );

function Page() {
  const [session] = useState(lastSession);
  const [isOut, setIsOut] = useState(!session);
  return html`<div class="settings">
    <header class="venue-head">
      <h1>Settings</h1>
      <a class="do" href="/staff">Back to the tables</a>
    </header>
    <main>
      ${
        isOut || !session
          ? html`<p class="lead">You are signed out: sign in again.</p>
              <p><a class="do primary" href="/staff">Sign in</a></p>`
          : html`<${Form} session=${session} onOut=${() => setIsOut(true)} />`
      }
    </main>
  </div>`;
}

/** @param {{ session: Session, onOut: () => void }} props */
function Form({ session, onOut }) {
  const [settings, setSettings] = useState(/** @type {Settings | null} */ (null));
  const [draft, setDraft] = useState(new Draft({}));
  const [edition, setEdition] = useState(0); // of the fields: they are drawn anew when their values are not those typed
  const [busy, setBusy] = useState(false);
  const [message, setMessage] = useState(/** @type {{ ok: boolean, text: string } | null} */ (null));
  const drivers = newDrivers(draft);

  /**
   * Send a request. Return the hub's answer, or null if it was refused.
   * @template {keyof StaffRequests} V
   * @param {V} verb
   * @param {StaffRequests[V]} args
   */
  const ask = async (verb, args) => {
    setBusy(true);
    setMessage(null);
    try {
      const answer = await session.ask(verb, "", args);
      const now = answer.settings;
      // After a change of packages, the rest stays as it is shown: somebody else may have changed the file meanwhile.
      if (now && settings && verb.endsWith("_package"))
        setSettings({ ...settings, packages: now.packages, waiting: now.waiting });
      else if (now) setSettings(now);
      if (answer.say) setMessage({ ok: true, text: answer.say });
      return answer;
    } catch (error) {
      if (error instanceof SignedOut) onOut();
      else setMessage({ ok: false, text: /** @type {Error} */ (error).message });
      return null;
    } finally {
      setBusy(false);
    }
  };
  /** @param {Draft} next */
  const show = (next) => {
    setDraft(next);
    setEdition((number) => number + 1);
  };
  const load = async () => {
    const answer = await ask("settings", {});
    if (answer?.settings) show(new Draft(answer.settings.values));
  };
  useEffect(() => {
    load();
  }, []);

  /** @param {Draft} wanted */
  const send = async (wanted) => {
    if (!settings) return;
    const args = { seen: settings.seen, changes: wanted.changes, drivers };
    if (new TextEncoder().encode(JSON.stringify(args)).length > MOST_BYTES) {
      setMessage({ ok: false, text: say("These are too many changes at once. Save after every few changes.") });
      return;
    }
    const answer = await ask("change_settings", args);
    const refused = answer?.settings?.refused;
    if (refused) showRefused(refused.at);
    else if (answer?.settings) show(new Draft(answer.settings.values));
  };
  const remove = (/** @type {Path} */ at) =>
    draft.isNew(at) ? show(draft.without(at)) : send(new Draft(draft.values, [{ at, to: null }]));
  /** @param {Path} at @param {string} name */
  const addDevice = async (at, name) => {
    if (await ask("settings", { drivers: [...drivers, name] })) setDraft(draft.with(at, { driver: name }));
  };

  if (!settings) {
    return message
      ? html`<p class="said refused" role="alert">${message.text}</p>
          <p><button type="button" class="do" onClick=${load}>Try again</button></p>`
      : html`<p class="lead">Waiting for the hub…</p>`;
  }
  const { refused } = settings;
  const count = draft.changes.length;
  return html`<p class="quiet-words">
      These settings are in a file on the hub, which you can also edit by hand: <code translate="no">${settings.file}</code>
    </p>
    ${settings.fault && html`<p class="said refused" role="alert">${say("The file has a fault. The hub cannot start with it: {fault}", { fault: settings.fault })}</p>`}
    <${Restart} settings=${settings} ask=${ask} busy=${busy} />
    ${Object.entries(settings.groups).map(
      ([group, title]) => html`<${SettingsGroup}
          key=${group}
          group=${group}
          title=${title}
          settings=${settings}
          draft=${draft}
          edition=${edition}
          onDraft=${setDraft}
          remove=${remove}
          addDevice=${addDevice}
          busy=${busy}
        />`,
    )}
    <${Packages} packages=${settings.packages} ask=${ask} busy=${busy} />
    <div class="save-bar">
      <div role="status">
        ${message && html`<p class=${`said ${message.ok ? "" : "refused"}`}>${message.text}</p>`}
        ${refused && html`<p class="said refused">${refused.at.length ? say("Nothing was saved: one setting is refused.") : refused.say}</p>`}
      </div>
      <div class="does">
        <button type="button" class="do primary" disabled=${busy || !count} onClick=${() => send(draft)}>
          ${count ? sayCount("Save {count} change", "Save {count} changes", count) : say("Save")}
        </button>
        ${count > 0 && html`<button type="button" class="do" disabled=${busy} onClick=${load}>Discard</button>`}
        ${message && !message.ok && html`<button type="button" class="do" disabled=${busy} onClick=${load}>Load the settings again</button>`}
      </div>
    </div>`;
}

/**
 * What waits for a restart of the hub, and the buttons for it.
 * @param {{
 *   settings: Settings,
 *   ask: (verb: "restart", args: StaffRequests["restart"]) => Promise<unknown>,
 *   busy: boolean,
 * }} props
 */
function Restart({ settings, ask, busy }) {
  if (!settings.waiting.length) return null;
  return html`<section class="machine" aria-label="Restart">
    <h2>These changes take effect after a restart</h2>
    <ul class="waiting" translate="no">${settings.waiting.map((name) => html`<li key=${name}><code>${name}</code></li>`)}</ul>
    <div class="does">
      ${
        settings.is_playing &&
        html`<button
          type="button"
          class="do primary"
          disabled=${busy || settings.restart_is_planned}
          onClick=${() => ask("restart", { when: "idle" })}
        >
          Restart when no match is being played
        </button>`
      }
      <${Sure}
        label="Restart the hub…"
        question=${say("The restart takes half a minute. Then matches continue with the same hands.")}
        options=${[{ label: say("Restart"), act: () => ask("restart", { when: "now" }) }]}
        disabled=${busy}
      />
    </div>
  </section>`;
}

/**
 * Open the group of a refused setting, and go to it.
 * @param {Path} at
 */
function showRefused(at) {
  setTimeout(() => {
    const refused = document.querySelector(".setting.refused, .setting-part.refused");
    if (!refused || !at.length) return;
    refused.closest("details")?.setAttribute("open", "");
    refused.scrollIntoView({ block: "center" });
    /** @type {HTMLElement | null} */ (refused.querySelector("input, select"))?.focus();
  });
}

loadLanguage()
  .then(() => speakOf("settings"))
  .then(() => render(html`<${Page} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
