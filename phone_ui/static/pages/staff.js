// The staff page: all tables of this hub at a glance, calls for help, and the actions of staff. It shows no secrets of a match.

import { fingerprint, keyFrom } from "../lib/encryption.js";
import { html, render, useEffect, useRef, useState } from "../lib/html.js";
import { loadLanguage, say, sayAround } from "../lib/language.js";
import { forgetKey, hubKey, lastSession, OtherKey, SignedOut, signIn, watch } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { FaultLine } from "../parts/faults.js";
import { later } from "../parts/later.js";
import { Fingerprint, Sentence } from "../parts/marks.js";
import { OtherHubs } from "../parts/other_hubs.js";
import { StaffTable } from "../parts/staff_table.js";
import { Sure } from "../parts/sure.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Fault, Venue } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */

applySettings(loadSettings());

const BoxCards = later(() => import("../parts/box_cards.js").then((part) => part.BoxCards));

const DIGITS = 6;

function Staff() {
  const [session, setSession] = useState(/** @type {() => Session | null} */ (lastSession));
  const [message, setMessage] = useState("");
  if (!session) return html`<${SignIn} message=${message} onIn=${setSession} />`;
  const onOut = (/** @type {string} */ sentence) => {
    setMessage(sentence);
    setSession(null);
  };
  return html`<${HousePage} session=${session} onOut=${onOut} />`;
}

// --- signing in ----------------------------------------------------------------------------------------

/** @param {{ message: string, onIn: (session: Session) => void }} props */
function SignIn({ message, onIn }) {
  const [pin, setPin] = useState("");
  const [error, setError] = useState(message);
  const [otherKey, setOtherKey] = useState(false);
  const [busy, setBusy] = useState(false);
  const [hubs, setHubs] = useState("");
  useEffect(() => {
    hubKey(location.hash).then(setHubs, () => undefined);
  }, [otherKey]);
  const key = keyFrom(hubs);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (pin.length < DIGITS || busy) return;
    setBusy(true);
    setError("");
    try {
      onIn(await signIn(pin, location.hash));
    } catch (refused) {
      setOtherKey(refused instanceof OtherKey);
      setError(refused instanceof OtherKey ? "" : /** @type {Error} */ (refused).message);
      setPin("");
    }
    setBusy(false);
  };
  const trust = () => {
    forgetKey();
    history.replaceState(null, "", location.pathname);
    setOtherKey(false);
  };
  return html`<main class="sign-in">
    <h1 class="headline">Staff</h1>
    <p class="lead">Type the six-digit PIN.</p>
    <form onSubmit=${submit}>
      <label class="unseen" for="pin">The staff PIN, six digits</label>
      <input
        id="pin"
        class="pin"
        inputmode="numeric"
        autocomplete="off"
        enterkeyhint="go"
        autofocus
        aria-describedby="error"
        value=${pin}
        onInput=${(/** @type {any} */ event) => {
          const digits = event.target.value.replace(/\D/g, "").slice(0, DIGITS);
          event.target.value = digits;
          setPin(digits);
        }}
      />
      <p id="error" role="alert">${error}</p>
      <button class="do primary" disabled=${pin.length < DIGITS || busy}>${busy ? say("Signing in…") : say("Sign in")}</button>
    </form>
    ${
      otherKey &&
      html`<div class="fault error" role="alert">
        <p>This hub's key is not the one that this browser knows. Either the hub was set up again, or it is not your hub.</p>
        <button type="button" class="do" onClick=${trust}>The hub was set up again</button>
      </div>`
    }
    ${
      key &&
      html`<p class="quiet-words">
        ${sayAround(
          "The PIN is sent to the hub whose key has these digits. The big screen shows the same digits: {digits}",
          {
            digits: html`<${Fingerprint} digits=${fingerprint(key)} />`,
          },
        )}
      </p>`
    }
    <p class="quiet-words">
      ${sayAround(
        "The PIN is on the big screen until somebody has used it once. If you have lost it, run {command} on the hub.",
        {
          command: html`<code translate="no">table-hub staff-pin --new</code>`,
        },
      )}
    </p>
  </main>`;
}

// --- the venue -----------------------------------------------------------------------------------------

/** @param {Venue | null} venue */
const callsOf = (venue) => [
  ...(venue?.tables ?? []).flatMap(({ public: state }) =>
    state.notices.filter(({ key }) => key.startsWith("help")).map(({ key }) => `${state.table} ${key}`),
  ),
  ...(venue?.upstream?.hubs ?? [])
    .filter(({ state }) => state === "here")
    .flatMap(({ hub, tables }) =>
      tables.flatMap(({ table, calls }) => Array.from({ length: calls }, (_, n) => `${hub}/${table} ${n}`)),
    ),
];

/**
 * Announce a new call by sound and vibration. A browser that was never touched stays silent.
 * @param {string[]} calls
 */
function useCalls(calls) {
  const before = useRef(/** @type {string[]} */ ([]));
  const names = calls.join("|");
  useEffect(() => {
    document.title = `${calls.length ? `(${calls.length}) ` : ""}${say("Staff")}`;
    if (calls.some((one) => !before.current.includes(one))) {
      navigator.vibrate?.([200, 100, 200]);
      ring();
    }
    before.current = calls;
  }, [names]);
}

function ring() {
  try {
    const sound = new AudioContext();
    for (const [at, pitch] of [
      [0, 880],
      [0.25, 660],
    ]) {
      const tone = sound.createOscillator();
      const level = sound.createGain();
      tone.frequency.value = pitch;
      level.gain.setValueAtTime(0.2, sound.currentTime + at);
      level.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + at + 0.22);
      tone.connect(level).connect(sound.destination);
      tone.start(sound.currentTime + at);
      tone.stop(sound.currentTime + at + 0.24);
    }
    setTimeout(() => sound.close(), 1_000);
  } catch {
    return; // no sound here
  }
}

/** @param {{ session: Session, onOut: (message: string) => void }} props */
function HousePage({ session, onOut }) {
  const [venue, setVenue] = useState(/** @type {Venue | null} */ (null));
  const [ahead, setAhead] = useState(0); // seconds that the hub's clock is ahead of this one
  const [now, setNow] = useState(Date.now() / 1000);
  const [away, setAway] = useState(false);
  const [sending, setSending] = useState(/** @type {string | null} */ (null));
  const [message, setMessage] = useState(/** @type {{ ok: boolean, text: string } | null} */ (null));
  const [findings, setFindings] = useState(/** @type {Fault[] | null} */ (null));
  useEffect(
    () =>
      watch(session, {
        onVenue: (next) => {
          setVenue(next);
          setAhead(next.now - Date.now() / 1000);
        },
        onAway: setAway,
        onOut: () => onOut(say("You are signed out.")),
      }),
    [session],
  );
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 5_000);
    return () => clearInterval(timer);
  }, []);
  useCalls(callsOf(venue));

  /** @type {AskHub} */
  const ask = async (verb, table, args, name) => {
    setSending(name);
    setMessage(null);
    let done = true;
    try {
      const answer = await session.ask(verb, table, args);
      if (answer.findings) setFindings(answer.findings);
      if (answer.say) setMessage({ ok: true, text: answer.say });
    } catch (error) {
      done = false;
      if (error instanceof SignedOut) onOut(say("You are signed out: sign in again."));
      else setMessage({ ok: false, text: /** @type {Error} */ (error).message });
    }
    setSending(null);
    return done;
  };
  const out = async () => {
    await session.end().catch(() => undefined);
    onOut(say("You are signed out."));
  };

  return html`<div class="venue">
    <header class="venue-head">
      <h1>Staff</h1>
      <button type="button" class="do" onClick=${out}>Sign out</button>
    </header>
    ${away && html`<p class="fault error" role="alert">The hub does not answer. What you see here may be old.</p>`}
    ${message && html`<p class=${`said ${message.ok ? "" : "refused"}`} role="status">${message.text}</p>`}
    ${!venue && !away && html`<p class="lead">Waiting for the hub…</p>`}
    ${venue?.faults.map((fault) => html`<${FaultLine} key=${fault.what} fault=${fault} />`)}
    <main class="tables">
      ${venue?.tables.map(
        (table) => html`<${StaffTable}
          key=${table.public.table}
          table=${table}
          now=${now + ahead}
          ask=${ask}
          sending=${sending}
        />`,
      )}
    </main>
    ${venue?.upstream && html`<${OtherHubs} upstream=${venue.upstream} />`}
    ${venue && html`<${BoxCards} ask=${ask} sending=${sending} />`}
    <div class="unseen" role="status">${venue && html`<${Calls} venue=${venue} />`}</div>
    ${venue && html`<${MachinePart} venue=${venue} ask=${ask} sending=${sending} findings=${findings} />`}
  </div>`;
}

/**
 * The callers, here and at other hubs, as a live region: a screen reader announces new ones.
 * @param {{ venue: Venue }} props
 */
function Calls({ venue }) {
  const others = (venue.upstream?.hubs ?? []).filter(({ state }) => state === "here");
  return html`
    ${venue.tables.flatMap(({ public: state }) =>
      state.notices
        .filter(({ key }) => key.startsWith("help"))
        .map(
          ({ key, text }) =>
            html`<p key=${`${state.table} ${key}`}>${state.name}: <${Sentence} state=${state} text=${text} /></p>`,
        ),
    )}
    ${others.flatMap(({ hub, tables }) =>
      tables
        .filter(({ calls }) => calls > 0)
        .map(
          ({ table, name, calls }) =>
            html`<p key=${`${hub}/${table}`}><span translate="no">${hub}, ${name}: </span>${say("Calls for help: {count}", { count: calls })}</p>`,
        ),
    )}
  `;
}

/** @param {{ venue: Venue, ask: AskHub, sending: string | null, findings: Fault[] | null }} props */
function MachinePart({ venue, ask, sending, findings }) {
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
    ${venue.restart && html`<p class="quiet-words">${venue.restart}</p>`}
    ${venue.off && html`<p class="quiet-words">${venue.off}</p>`}
  </section>`;
}

loadLanguage().then(() => render(html`<${Staff} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
