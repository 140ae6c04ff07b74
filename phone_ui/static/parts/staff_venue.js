// The staff page after signing in: calls first, one line per table, and the open part: a table, the hub, its printed cards.

import { download } from "../lib/download.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { SignedOut, watch } from "../lib/staff.js";
import { callNames, tablePlace } from "../lib/staff_venue.js";
import { FaultLine } from "./faults.js";
import { later } from "./later.js";
import { OtherHubs } from "./other_hubs.js";
import { FoundDevices } from "./staff_found.js";
import { Calls, SpokenCalls, TableLines } from "./staff_list.js";
import { StaffMachine } from "./staff_machine.js";
import { PlaceLink, usePlace } from "./staff_place.js";
import { StaffTable } from "./staff_table.js";
import { useFocus } from "./use_focus.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Fault, StaffAnswer, StaffRequests, Venue } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */

const BoxCards = later(() => import("./box_cards.js").then((part) => part.BoxCards));

const DONE_SECONDS = 10;
const PARTS = ["part=hub", "part=cards", "part=hubs"];

/**
 * Return the place to show, and whether the page shows only that on a phone. A single table is shown without a list.
 * @param {string} place as the address names it
 * @param {Venue | null} venue
 */
function shownPlace(place, venue) {
  const tables = (venue?.tables ?? []).map((table) => tablePlace(table.public.table));
  const isOpened =
    tables.includes(place) || (PARTS.includes(place) && (place !== "part=hubs" || Boolean(venue?.upstream)));
  if (isOpened) return { shown: place, isOpened: tables.length > 1 || place !== tables[0] };
  return { shown: tables.length === 1 ? tables[0] : "", isOpened: false };
}

/**
 * Announce a new call by sound and vibration. A browser that was never touched stays silent.
 * @param {string[]} calls
 * @param {string} table the name of the open table, "" for none
 */
function useCalls(calls, table) {
  useLayoutEffect(() => {
    document.title = `${calls.length ? `(${calls.length}) ` : ""}${table && `${table}, `}${say("Staff")}`;
  }, [calls.length, table]);
  const before = useRef(/** @type {string[]} */ ([]));
  const names = calls.join("|");
  useEffect(() => {
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

/**
 * Move the focus to the heading of a place that was opened, or to the link of the one that was closed.
 * @param {string} place
 */
function useFocusOn(place) {
  const before = useRef(place);
  useLayoutEffect(() => {
    const closed = before.current;
    before.current = place;
    if (place === closed) return;
    if (place) scrollTo(0, 0);
    const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("a[data-place]")]);
    const target = place
      ? /** @type {HTMLElement | null} */ (document.querySelector(".place:not([hidden]) h2"))
      : links.find((link) => link.dataset.place === closed && link.matches(".line, .way"));
    if (target?.matches("h2")) target.tabIndex = -1;
    target?.focus({ preventScroll: Boolean(place) });
  }, [place]);
}

/** Keep the focused element of the open place where it is on the screen: staff may be about to press it when a call arrives. */
function useSteady() {
  const held = document.activeElement?.closest(".place") ? document.activeElement : null;
  const before = held?.getBoundingClientRect().top ?? 0;
  // Preact draws this state before the microtask, and the browser paints after it.
  queueMicrotask(() => {
    const moved = held?.isConnected ? held.getBoundingClientRect().top - before : 0;
    if (moved) scrollBy(0, moved);
  });
}

/** @param {{ session: Session, onOut: (message: string) => void }} props */
export function StaffVenue({ session, onOut }) {
  const [venue, setVenue] = useState(/** @type {Venue | null} */ (null));
  const [ahead, setAhead] = useState(0); // seconds that the hub's clock is ahead of this one
  const [now, setNow] = useState(Date.now() / 1000);
  const [away, setAway] = useState(false);
  const [sending, setSending] = useState(/** @type {string | null} */ (null));
  const [message, setMessage] = useState(/** @type {{ ok: boolean, text: string } | null} */ (null));
  const [findings, setFindings] = useState(/** @type {Fault[] | null} */ (null));
  const [place, open] = usePlace();
  useFocus();
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
  useEffect(() => {
    if (!message?.ok) return undefined;
    const timer = setTimeout(setMessage, DONE_SECONDS * 1000, null);
    return () => clearTimeout(timer);
  }, [message]);

  const { shown, isOpened } = shownPlace(place, venue);
  const several = (venue?.tables.length ?? 0) > 1;
  const links = { at: shown, open };
  const table = venue?.tables.find((one) => tablePlace(one.public.table) === shown);
  useCalls(callNames(venue), isOpened && table ? table.public.name : "");
  useFocusOn(place);
  useSteady();

  /** @type {AskHub} */
  const ask = async (verb, table, args, name) => {
    setSending(name);
    setMessage(null);
    /** @type {StaffAnswer | null} */
    let answer = null;
    try {
      answer = await session.ask(verb, table, args);
      if (answer.findings) setFindings(answer.findings);
      if (answer.file) download(answer.file);
      if (answer.say) setMessage({ ok: true, text: answer.say });
    } catch (error) {
      if (error instanceof SignedOut) onOut(say("You are signed out: sign in again."));
      else setMessage({ ok: false, text: /** @type {Error} */ (error).message });
    }
    setSending(null);
    return answer;
  };
  // Without the signs of a request, because it is repeated all the time.
  const look = (/** @type {string} */ table, /** @type {StaffRequests["camera"]["step"]} */ step) =>
    session.ask("camera", table, { step }).then(
      ({ camera }) => camera,
      (error) => {
        if (error instanceof SignedOut) onOut(say("You are signed out: sign in again."));
        else setMessage({ ok: false, text: error.message });
        return null;
      },
    );
  const out = async () => {
    await session.end().catch(() => undefined);
    onOut(say("You are signed out."));
  };

  return html`<main class=${`venue${isOpened ? " opened" : ""}${several ? " several" : ""}`} aria-busy=${sending ? "true" : undefined}>
    <header class="venue-head">
      <h1>Staff</h1>
      <button type="button" class="do" onClick=${out}>Sign out</button>
    </header>
    <div class="news">
      ${away && html`<p class="fault error" role="alert">The hub does not answer. What you see here may be old.</p>`}
      ${message && html`<p class=${`said ${message.ok ? "" : "refused"}`} role="status">${message.text}</p>`}
      ${venue && html`<${Calls} venue=${venue} ask=${ask} sending=${sending} ...${links} />`}
    </div>
    <div class="unseen" role="status">${venue && html`<${SpokenCalls} venue=${venue} />`}</div>
    ${!venue && !away && html`<p class="lead">Waiting for the hub…</p>`}
    <div class="overview">
      ${venue?.faults.map((fault) => html`<${FaultLine} key=${fault.what} fault=${fault} />`)}
      ${venue && html`<${FoundDevices} venue=${venue} ask=${ask} sending=${sending} />`}
      ${venue && several && html`<${TableLines} venue=${venue} ...${links} />`}
    </div>
    <div class="place" hidden=${!shown}>
      ${
        isOpened &&
        html`<${PlaceLink} to="" ...${links} kind="way way-back">
          ${several ? say("← All tables") : say("← The table")}
        </>`
      }
      ${table && html`<${StaffTable} key=${shown} table=${table} now=${now + ahead} ask=${ask} sending=${sending} look=${look} />`}
      ${shown === "part=hub" && venue && html`<${StaffMachine} venue=${venue} ask=${ask} sending=${sending} findings=${findings} />`}
      ${shown === "part=hubs" && venue?.upstream && html`<${OtherHubs} upstream=${venue.upstream} />`}
      <div hidden=${shown !== "part=cards"}>
        ${venue && html`<${BoxCards} ask=${ask} sending=${sending} isOpen=${shown === "part=cards"} />`}
      </div>
    </div>
    ${
      venue &&
      html`<nav class="ways" aria-label="More pages">
        <${PlaceLink} to="part=hub" ...${links} kind="way">The hub</>
        <${PlaceLink} to="part=cards" ...${links} kind="way">Your printed cards</>
        ${venue.upstream && html`<${PlaceLink} to="part=hubs" ...${links} kind="way">All hubs</>`}
        <a class="way" href="/staff/evenings">Evenings</a>
        <a class="way" href="/staff/settings">Settings</a>
        <a class="way" href="/till">Till</a>
      </nav>`
    }
  </main>`;
}
