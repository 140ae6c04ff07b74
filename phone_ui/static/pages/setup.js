// The setup page of a new hub: the table, the PIN of staff, the Wi-Fi. Nothing is sent before the last step.

import { valueAt } from "../lib/drafts.js";
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { languageNow, loadLanguage, say, sayAround } from "../lib/language.js";
import { fetchLanguages } from "../lib/speaking.js";
import { hubKey, SignedOut, signIn, watch } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { same } from "../lib/values.js";
import { DIGITS, isEasyPin, PinInput } from "../parts/pin_input.js";
import { SignIn } from "../parts/sign_in.js";
import { joinArgs, STAY, WifiChoice, whyNotJoined } from "../parts/wifi_choice.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Settings, Venue } from "../lib/messages.d.ts" */
/** @import { Choice } from "../parts/wifi_choice.js" */

/** @typedef {{ name: string, seats: number, language: string, pin: string, wifi: Choice }} Answers */

applySettings(loadSettings());

const PLACES = [2, 3, 4, 5, 6];
const LONGEST_NAME = 40; // more does not fit on a big screen
const TABLE = ["table", 0];
const RESTART_SECONDS = 120;
const LOOK_AGAIN = 1_500;
const ERROR = "setup-error";

/** What the code on the screen says: the hub's key and the first PIN. A reload keeps it, in this tab only. */
const scanned = keptLink();
const link = new URLSearchParams(scanned.slice(1));

/** The page is in the small window of the hub's own Wi-Fi, which closes when the phone believes in an internet there. */
const inPortal = link.has("portal");

function keptLink() {
  try {
    if (location.hash) sessionStorage.setItem("th/setup", location.hash);
    return sessionStorage.getItem("th/setup") ?? "";
  } catch {
    return location.hash; // a private window may refuse storage
  }
}

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
  return isEasyPin(digits.join("")) ? proposedPin() : digits.join("");
}

/**
 * Return why this cannot be the new PIN, or "".
 * @param {string} pin
 * @param {boolean} isNew the first PIN, which everybody could read, must be replaced
 */
function whyNotPin(pin, isNew) {
  if (!pin && !isNew) return "";
  if (pin.length < DIGITS) return say("Type six digits.");
  return isEasyPin(pin) ? say("That PIN is easy to guess. Choose another one.") : "";
}

/** Forget the code of the screen, because the hub is set up. */
function forgetLink() {
  try {
    sessionStorage.removeItem("th/setup");
  } catch {
    return;
  }
}

function Setup() {
  const [session, setSession] = useState(/** @type {Session | null} */ (null));
  const [pin, setPin] = useState(link.get("pin") ?? ""); // with which this page has signed in, or tries to
  const [message, setMessage] = useState("");
  const [isTrying, setIsTrying] = useState(pin !== "");
  const [answers, setAnswers] = useState(/** @type {Answers | null} */ (null)); // they outlive a session
  useEffect(() => {
    history.replaceState(null, "", location.pathname);
  }, []);
  useEffect(() => {
    if (!isTrying) return;
    signIn(pin, scanned, true)
      .then(setSession, (/** @type {Error} */ error) => setMessage(error.message))
      .finally(() => setIsTrying(false));
  }, [isTrying]);
  const onOut = () => {
    setSession(null);
    setMessage(say("The hub has restarted, or somebody else has changed the PIN. Sign in again."));
  };
  if (session)
    return html`<${Steps}
      session=${session}
      pin=${pin}
      onSession=${(/** @type {Session} */ next, /** @type {string} */ its) => {
        setSession(next);
        setPin(its);
      }}
      onOut=${onOut}
      answers=${answers}
      setAnswers=${setAnswers}
    />`;
  if (isTrying) return html`<main class="setup"><p class="lead">Waiting for the hub…</p></main>`;
  const onIn = (/** @type {Session} */ opened, /** @type {string} */ typed) => {
    setMessage("");
    setPin(typed);
    setSession(opened);
  };
  return html`<${SignIn} title=${say("Set up this hub")} message=${message} setup onIn=${onIn} />`;
}

/**
 * @param {{
 *   session: Session, pin: string, onSession: (session: Session, pin: string) => void, onOut: () => void,
 *   answers: Answers | null, setAnswers: (answers: Answers) => void,
 * }} props
 */
function Steps({ session, pin, onSession, onOut, answers, setAnswers }) {
  const isNew = session.isFirst; // so the page proposes a PIN, and the language of this phone
  const [venue, setVenue] = useState(/** @type {Venue | null} */ (null));
  const [settings, setSettings] = useState(/** @type {Settings | null} */ (null));
  const [languages, setLanguages] = useState(/** @type {Record<string, string>} */ ({}));
  const [step, setStep] = useState(0);
  const [message, setMessage] = useState("");
  const [doing, setDoing] = useState("");
  const [isDone, setIsDone] = useState(false);
  const [refusals, setRefusals] = useState(0); // how often the answers of a step were refused
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const isLoaded = Boolean(venue && settings && answers);

  useEffect(() => {
    const ended = () => !doing && onOut();
    return watch(session, { onVenue: setVenue, onAway: () => undefined, onOut: ended });
  }, [session, doing !== ""]);
  useEffect(() => {
    Promise.all([session.ask("settings"), fetchLanguages()]).then(
      ([answer, known]) => {
        const found = answer.settings;
        if (!found) return;
        setLanguages(known?.languages ?? {});
        setSettings(found);
        if (answers) return;
        setAnswers({
          name: valueAt(found.values, [...TABLE, "name"]) ?? say("Table {number}", { number: 1 }),
          seats: valueNow(found, "seats"),
          language: isNew ? languageNow() : valueNow(found, "language")[0],
          pin: isNew ? proposedPin() : "",
          wifi: STAY,
        });
      },
      (/** @type {Error} */ error) => (error instanceof SignedOut ? onOut() : setMessage(error.message)),
    );
  }, []);
  // Before the next event, or what is typed at once would miss its field.
  useLayoutEffect(() => head.current?.focus(), [step, isDone, doing === "", isLoaded]);
  useLayoutEffect(
    () => /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector("[aria-invalid]"))?.focus(),
    [refusals],
  );

  const title = (/** @type {string} */ text) => html`<h1 class="headline" tabindex="-1" ref=${head}>${text}</h1>`;
  const alert = html`<p id=${ERROR} class=${message ? "said refused" : "unseen"} role="alert">${message}</p>`;
  if (!settings || !answers || !venue)
    return html`<main class="setup">${title(say("Set up this hub"))}${alert}${!message && html`<p class="lead">Waiting for the hub…</p>`}</main>`;
  const again = () => {
    setIsDone(false);
    setMessage("");
  };
  if (isDone)
    return html`<${Done} settings=${settings} venue=${venue} answers=${answers} title=${title} again=${again} />`;
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
      const current = await save(session, settings, answers, !venue.restart, pin, setDoing, setSettings);
      if (current !== session) onSession(current, answers.pin || pin);
      if (wifi && answers.wifi.kind !== "own") await current.ask("wifi", "", joinArgs(wifi, answers.wifi));
      setIsDone(true);
      forgetLink();
    } catch (error) {
      if (error instanceof SignedOut) onOut();
      else setMessage(/** @type {Error} */ (error).message);
      if (error instanceof Refusal) setStep(error.step);
    }
    setDoing("");
  };
  // A message can also be about all of it: for example, the hub does not answer.
  const errorOf = (/** @type {string} */ why) => (message && message === why ? ERROR : undefined);
  const whyNotName = answers.name.trim() ? "" : say("Type the name of the table.");
  const whyNot = whyNotPin(answers.pin, isNew);
  const whyNotWifi = wifi ? whyNotJoined(wifi, answers.wifi) : "";
  const steps = [
    {
      title: say("Your table"),
      fields: html`<${TableFields} answers=${answers} languages=${languages} onChange=${change} error=${errorOf(whyNotName)} />`,
      why: whyNotName,
    },
    {
      title: say("A PIN for staff"),
      fields: html`<${PinField} answers=${answers} isNew=${isNew} onChange=${change} error=${errorOf(whyNot)} />`,
      why: whyNot,
    },
    ...(wifi && wifi.state !== "off"
      ? [
          {
            title: say("Wi-Fi"),
            fields: html`<p class="lead">Phones have to be in the same network as the hub.</p>
              <${WifiChoice} wifi=${wifi} choice=${answers.wifi} onChange=${(/** @type {Choice} */ to) => change({ wifi: to })} error=${errorOf(whyNotWifi)} />`,
            why: whyNotWifi,
          },
        ]
      : []),
  ];
  const now = steps[Math.min(step, steps.length - 1)];
  const isLast = step >= steps.length - 1;
  const next = (/** @type {Event} */ event) => {
    event.preventDefault();
    setMessage(now.why);
    if (now.why) setRefusals(refusals + 1);
    else if (isLast) finish();
    else setStep(step + 1);
  };
  return html`<main class="setup">
    <p class="quiet-words">${say("Step {number} of {count}", { number: step + 1, count: steps.length })}</p>
    ${title(now.title)}
    <form ref=${form} onSubmit=${next}>
      ${now.fields} ${alert}
      <div class="does">
        ${step > 0 && html`<button type="button" class="do" onClick=${() => setStep(step - 1)}>Back</button>`}
        <button class="do primary">${isLast ? say("Finish") : say("Continue")}</button>
      </div>
    </form>
  </main>`;
}

/**
 * `error`: the id of the element that says what is wrong with the name.
 * @param {{
 *   answers: Answers, languages: Record<string, string>, onChange: (changed: Partial<Answers>) => void, error?: string,
 * }} props
 */
function TableFields({ answers, languages, onChange, error }) {
  return html`<label class="setup-field">
      <span>Its name on the screens</span>
      <input
        type="text"
        autocomplete="off"
        aria-invalid=${error ? "true" : undefined}
        aria-describedby=${error}
        value=${answers.name}
        maxlength=${LONGEST_NAME}
        onInput=${(/** @type {any} */ { target }) => onChange({ name: target.value.replace(/\p{C}/gu, "").replace(/\p{Z}/gu, " ") })}
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

/**
 * `error`: the id of the element that says what is wrong with the PIN.
 * @param {{ answers: Answers, isNew: boolean, onChange: (changed: Partial<Answers>) => void, error?: string }} props
 */
function PinField({ answers, isNew, onChange, error }) {
  return html`<p class="lead">
      ${sayAround("With it, staff open {address}: to help at a table, and to change settings. Write it down.", {
        address: html`<b>${`${location.host}/staff`}</b>`,
      })}
    </p>
    <label class="setup-field">
      <span>${isNew ? say("This one, or another six digits") : say("Six digits. Empty: the PIN stays as it is")}</span>
      <${PinInput}
        pin=${answers.pin}
        onPin=${(/** @type {string} */ pin) => onChange({ pin })}
        aria-invalid=${error ? "true" : undefined}
        aria-describedby=${error}
      />
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
 * @param {string} pin with which this session began
 * @param {(what: string) => void} onDoing
 * @param {(settings: Settings) => void} onSaved
 */
async function save(session, settings, answers, canRestart, pin, onDoing, onSaved) {
  onDoing(say("The hub saves this…"));
  const fresh = (await session.ask("settings")).settings ?? settings; // the file may have changed, also by a first try
  if (fresh.is_playing) throw new Error(say("A match is being played. Press “Finish” when it is over."));
  const wanted = { name: answers.name.trim(), seats: answers.seats, language: [answers.language] };
  const changes = Object.entries(wanted)
    .filter(([key, to]) => !same(valueNow(fresh, key), to))
    .map(([key, to]) => ({ at: [...TABLE, key], to }));
  let waits = fresh.waiting.length > 0;
  if (changes.length) {
    const { settings: now } = await session.ask("change_settings", "", { seen: fresh.seen, changes });
    if (now?.refused) throw new Refusal(0, now.refused.say);
    if (now) onSaved(now);
    waits = (now?.waiting.length ?? 0) > 0;
  }
  let current = session;
  if (answers.pin && answers.pin !== pin) {
    await session.ask("pin", "", { pin: answers.pin });
    current = await signIn(answers.pin, ""); // so that the hub knows this browser
  }
  if (!waits || !canRestart) return current;
  onDoing(say("The hub restarts…"));
  await current.ask("restart", "", { when: "now" });
  return sessionAfterRestart(current, answers.pin || pin);
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

/**
 * @param {{
 *   settings: Settings, venue: Venue, answers: Answers, title: (text: string) => unknown, again: () => void,
 * }} props
 */
function Done({ settings, venue, answers, title, again }) {
  const [key, setKey] = useState("");
  useEffect(() => {
    hubKey("").then(setKey, () => undefined);
  }, []);
  const problem = venue.wifi?.problem;
  const leaves = answers.wifi.kind !== "own" && venue.wifi?.state !== "network";
  return html`<main class="setup">
    ${title(say("Your table is ready"))}
    ${
      problem &&
      html`<p class="said refused" role="alert">${problem}</p>
        <div class="does"><button type="button" class="do" onClick=${again}>Try again</button></div>`
    }
    ${
      leaves && !problem
        ? html`<p class="lead">
            ${sayAround("The hub joins {name}. Join it with this phone, too, and scan the code on the big screen. If that fails, the hub's own Wi-Fi is back in half a minute.", { name: html`<b translate="no">${answers.wifi.name}</b>` })}
          </p>`
        : html`<p class="lead">
            ${inPortal ? say("Stay in this Wi-Fi, close this window, and scan the code of the table on the big screen.") : say("For a first game alone, let the house play the other places.")}
          </p>`
    }
    ${
      answers.pin &&
      html`<p>
        ${sayAround("The PIN of staff is {pin}.", { pin: html`<b class="code" translate="no">${answers.pin}</b>` })}
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
