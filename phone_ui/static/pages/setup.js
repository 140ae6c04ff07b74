// The setup page of a new hub: the table, the PIN of staff, the Wi-Fi. Nothing is sent before the last step.

import { valueAt } from "../lib/drafts.js";
import { html, render, useEffect, useRef, useState } from "../lib/html.js";
import { languageNow, loadLanguage, say, sayAround } from "../lib/language.js";
import { fetchLanguages } from "../lib/speaking.js";
import { hubKey, lastSession, SignedOut, signIn, watch } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { same } from "../lib/values.js";
import { DIGITS, PinInput } from "../parts/pin_input.js";
import { SignIn } from "../parts/sign_in.js";
import { joinArgs, STAY, WifiChoice, whyNotJoined } from "../parts/wifi_choice.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Settings, Venue } from "../lib/messages.d.ts" */
/** @import { Choice } from "../parts/wifi_choice.js" */

/** @typedef {{ name: string, seats: number, language: string, pin: string, wifi: Choice }} Answers */

applySettings(loadSettings());

const PLACES = [2, 3, 4, 5, 6];
const LEAST_DIGITS = 4; // different ones, in a PIN that the page proposes
const TABLE = ["table", 0];
const RESTART_SECONDS = 120;
const LOOK_AGAIN = 1_500;

/** The address's fragment, and the PIN in it if the code on the big screen was scanned. */
const scanned = location.hash;
const scannedPin = new URLSearchParams(scanned.slice(1)).get("pin") ?? "";

/** The page is in the small window of the hub's own Wi-Fi, which closes when the phone believes in an internet there. */
const inPortal = new URLSearchParams(scanned.slice(1)).has("portal");

/** @param {number} milliseconds */
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Return the value of a key of the first table: the file's, or its default.
 * @param {Settings} settings
 * @param {string} key
 */
const valueNow = ({ values, parts }, key) =>
  valueAt(values, [...TABLE, key]) ?? parts.table.fields.find((field) => field.key === key)?.default;

/** @returns {string} */
function proposedPin() {
  const digits = Array.from(crypto.getRandomValues(new Uint32Array(DIGITS)), (number) => number % 10);
  return new Set(digits).size < LEAST_DIGITS ? proposedPin() : digits.join("");
}

function Setup() {
  const [session, setSession] = useState(/** @type {() => Session | null} */ (lastSession));
  const [message, setMessage] = useState("");
  const [isTrying, setIsTrying] = useState(scannedPin !== "" && !session);
  const [isNew, setIsNew] = useState(false);
  useEffect(() => {
    history.replaceState(null, "", location.pathname); // the PIN stays in no list of visited pages
    if (!isTrying) return;
    signIn(scannedPin, scanned, true)
      .then(
        (opened) => {
          setIsNew(true);
          setSession(opened);
        },
        (/** @type {Error} */ error) => setMessage(error.message || say("Type the PIN of staff.")),
      )
      .finally(() => setIsTrying(false));
  }, []);
  if (session) return html`<${Steps} session=${session} isNew=${isNew} onSession=${setSession} />`;
  if (isTrying) return html`<main class="setup"><p class="lead">Waiting for the hub…</p></main>`;
  return html`<${SignIn} title=${say("Set up this hub")} message=${message} onIn=${setSession} />`;
}

/**
 * `isNew`: the hub was never set up, so the page proposes a PIN, and the language of this phone.
 * @param {{ session: Session, isNew: boolean, onSession: (session: Session | null) => void }} props
 */
function Steps({ session, isNew, onSession }) {
  const [venue, setVenue] = useState(/** @type {Venue | null} */ (null));
  const [settings, setSettings] = useState(/** @type {Settings | null} */ (null));
  const [languages, setLanguages] = useState(/** @type {Record<string, string>} */ ({}));
  const [answers, setAnswers] = useState(/** @type {Answers | null} */ (null));
  const [step, setStep] = useState(0);
  const [message, setMessage] = useState("");
  const [doing, setDoing] = useState("");
  const [isDone, setIsDone] = useState(false);
  const head = useRef(/** @type {HTMLElement | null} */ (null));

  useEffect(() => {
    const onOut = () => !doing && onSession(null);
    return watch(session, { onVenue: setVenue, onAway: () => undefined, onOut });
  }, [session, doing !== ""]);
  useEffect(() => {
    Promise.all([session.ask("settings"), fetchLanguages()]).then(
      ([answer, known]) => {
        const found = answer.settings;
        if (!found) return;
        setLanguages(known?.languages ?? {});
        setSettings(found);
        setAnswers({
          name: valueAt(found.values, [...TABLE, "name"]) ?? say("Table {number}", { number: 1 }),
          seats: valueNow(found, "seats"),
          language: isNew ? languageNow() : valueNow(found, "language")[0],
          pin: isNew ? proposedPin() : "",
          wifi: STAY,
        });
      },
      (/** @type {Error} */ error) => (error instanceof SignedOut ? onSession(null) : setMessage(error.message)),
    );
  }, []);
  useEffect(() => head.current?.focus(), [step, isDone, doing === ""]);

  const title = (/** @type {string} */ text) => html`<h1 class="headline" tabindex="-1" ref=${head}>${text}</h1>`;
  const alert = html`<p class=${message ? "said refused" : "unseen"} role="alert">${message}</p>`;
  if (!settings || !answers || !venue)
    return html`<main class="setup">${title(say("Set up this hub"))}${alert}${!message && html`<p class="lead">Waiting for the hub…</p>`}</main>`;
  if (isDone) return html`<${Done} settings=${settings} venue=${venue} answers=${answers} title=${title} />`;
  if (doing)
    return html`<main class="setup" aria-busy="true">${title(doing)}<p class="lead">Stay on this page.</p></main>`;

  const { wifi } = venue;
  /** @param {Partial<Answers>} changed */
  const change = (changed) => {
    setMessage("");
    setAnswers({ ...answers, ...changed });
  };
  const finish = async () => {
    try {
      const current = await save(session, settings, answers, !venue.restart, setDoing, setSettings);
      if (current !== session) onSession(current);
      if (wifi && answers.wifi.kind !== "own") await current.ask("wifi", "", joinArgs(wifi, answers.wifi));
      setIsDone(true);
    } catch (error) {
      setMessage(/** @type {Error} */ (error).message);
      if (error instanceof Refusal) setStep(error.step);
    }
    setDoing("");
  };
  const steps = [
    {
      title: say("Your table"),
      fields: html`<${TableFields} answers=${answers} languages=${languages} onChange=${change} />`,
      why: answers.name.trim() ? "" : say("Type the name of the table."),
    },
    {
      title: say("A PIN for staff"),
      fields: html`<${PinField} answers=${answers} isNew=${isNew} onChange=${change} />`,
      why: answers.pin.length === DIGITS || (!answers.pin && !isNew) ? "" : say("Type six digits."),
    },
    ...(wifi && wifi.state !== "off"
      ? [
          {
            title: say("Wi-Fi"),
            fields: html`<p class="lead">Phones have to be in the same network as the hub.</p>
              <${WifiChoice} wifi=${wifi} choice=${answers.wifi} onChange=${(/** @type {Choice} */ to) => change({ wifi: to })} />`,
            why: whyNotJoined(wifi, answers.wifi),
          },
        ]
      : []),
  ];
  const now = steps[Math.min(step, steps.length - 1)];
  const isLast = step >= steps.length - 1;
  const next = (/** @type {Event} */ event) => {
    event.preventDefault();
    setMessage(now.why);
    if (now.why) return;
    if (isLast) finish();
    else setStep(step + 1);
  };
  return html`<main class="setup">
    <p class="quiet-words">${say("Step {number} of {count}", { number: step + 1, count: steps.length })}</p>
    ${title(now.title)}
    <form onSubmit=${next}>
      ${now.fields} ${alert}
      <div class="does">
        ${step > 0 && html`<button type="button" class="do" onClick=${() => setStep(step - 1)}>Back</button>`}
        <button class="do primary">${isLast ? say("Finish") : say("Next")}</button>
      </div>
    </form>
  </main>`;
}

/** @param {{ answers: Answers, languages: Record<string, string>, onChange: (changed: Partial<Answers>) => void }} props */
function TableFields({ answers, languages, onChange }) {
  return html`<label class="setup-field">
      <span>Its name on the screens</span>
      <input
        type="text"
        autocomplete="off"
        value=${answers.name}
        onInput=${(/** @type {any} */ { target }) => onChange({ name: target.value })}
      />
    </label>
    <fieldset>
      <legend>Places at the table</legend>
      <div class="setup-field places">
        ${PLACES.map(
          (count) => html`<label key=${count}>
            <input
              type="radio"
              name="seats"
              checked=${answers.seats === count}
              onChange=${() => onChange({ seats: count })}
            />
            ${count}
          </label>`,
        )}
      </div>
    </fieldset>
    <label class="setup-field">
      <span>Language of the big screen</span>
      <select
        value=${answers.language}
        onChange=${(/** @type {any} */ { target }) => onChange({ language: target.value })}
      >
        ${Object.entries(languages).map(([code, name]) => html`<option key=${code} value=${code} translate="no">${name}</option>`)}
      </select>
    </label>
    <p class="quiet-words">Each phone speaks its own language.</p>`;
}

/** @param {{ answers: Answers, isNew: boolean, onChange: (changed: Partial<Answers>) => void }} props */
function PinField({ answers, isNew, onChange }) {
  return html`<p class="lead">
      ${sayAround("With it, staff open {address}: to help at a table, and to change settings. Write it down.", {
        address: html`<b>${`${location.host}/staff`}</b>`,
      })}
    </p>
    <label class="setup-field">
      <span>${isNew ? say("This one, or another six digits") : say("Six digits. Empty: the PIN stays as it is")}</span>
      <${PinInput} pin=${answers.pin} onPin=${(/** @type {string} */ pin) => onChange({ pin })} />
    </label>`;
}

/** The hub refuses the answers of a step. */
class Refusal extends Error {
  /**
   * @param {number} step
   * @param {string} message
   */
  constructor(step, message) {
    super(message);
    this.step = step;
  }
}

/**
 * Save the answers, and restart the hub if they need it. Return the session that works then. Throws Refusal or Refused.
 * @param {Session} session
 * @param {Settings} settings
 * @param {Answers} answers
 * @param {boolean} canRestart
 * @param {(what: string) => void} onDoing
 * @param {(settings: Settings) => void} onSaved
 */
async function save(session, settings, answers, canRestart, onDoing, onSaved) {
  onDoing(say("The hub saves this…"));
  const wanted = { name: answers.name.trim(), seats: answers.seats, language: [answers.language] };
  const changes = Object.entries(wanted)
    .filter(([key, to]) => !same(valueNow(settings, key), to))
    .map(([key, to]) => ({ at: [...TABLE, key], to }));
  let waits = settings.waiting.length > 0;
  if (changes.length) {
    const fresh = (await session.ask("settings")).settings; // the file may have changed, also by a first try
    const seen = fresh?.seen ?? settings.seen;
    const { settings: now } = await session.ask("change_settings", "", { seen, changes });
    if (now?.refused) throw new Refusal(0, now.refused.say);
    if (now) onSaved(now);
    waits = (now?.waiting.length ?? 0) > 0;
  }
  if (answers.pin) {
    await session.ask("pin", "", { pin: answers.pin }).catch((/** @type {Error} */ error) => {
      throw new Refusal(1, error.message);
    });
  }
  if (!waits || !canRestart || !answers.pin) return session;
  onDoing(say("The hub restarts…"));
  await session.ask("restart", "", { when: "now" });
  return sessionAfterRestart(session, answers.pin);
}

/**
 * Wait until the hub runs again, and sign in once more. Throws if it does not.
 * @param {Session} session
 * @param {string} pin
 */
async function sessionAfterRestart(session, pin) {
  const until = Date.now() + RESTART_SECONDS * 1000;
  while (Date.now() < until) {
    await sleep(LOOK_AGAIN);
    try {
      await session.ask("settings");
    } catch (error) {
      // A hub that has started anew knows no session.
      const again = error instanceof SignedOut ? await signIn(pin, "").catch(() => null) : null;
      if (again) return again;
    }
  }
  throw new Error(say("The hub does not come back. Look at its screen, or switch it off and on."));
}

/** @param {{ settings: Settings, venue: Venue, answers: Answers, title: (text: string) => unknown }} props */
function Done({ settings, venue, answers, title }) {
  const [key, setKey] = useState("");
  useEffect(() => {
    hubKey("").then(setKey, () => undefined);
  }, []);
  const problem = venue.wifi?.problem;
  const leaves = answers.wifi.kind !== "own" && venue.wifi?.state !== "network";
  return html`<main class="setup">
    ${title(say("Your table is ready"))}
    ${problem && html`<p class="said refused" role="alert">${problem}</p>`}
    ${
      leaves && !problem
        ? html`<p class="lead">
            ${sayAround("The hub joins {name}. Join it with this phone, too, and scan the code on the big screen. If that fails, the hub's own Wi-Fi is back in half a minute.", { name: html`<b translate="no">${answers.wifi.name}</b>` })}
          </p>`
        : html`<p class="lead">
            ${inPortal ? say("Stay in this Wi-Fi, close this window, and scan the code of the table on the big screen.") : say("For a first game alone, let the house play the other places.")}
          </p>`
    }
    ${settings.waiting.length > 0 && venue.restart && html`<p class="said">${venue.restart}</p>`}
    <div class="does">
      ${
        inPortal
          ? html`<button type="button" class="do primary" onClick=${() => fetch("/wifi/stay", { method: "POST" })}>Stay in this Wi-Fi</button>`
          : html`<a class="do primary" href=${`/t/${valueAt(settings.values, TABLE)?.id ?? 1}#k=${key}`}>Play now</a>
              <a class="do" href="/staff">Staff</a>`
      }
    </div>
  </main>`;
}

loadLanguage().then(() => render(html`<${Setup} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
