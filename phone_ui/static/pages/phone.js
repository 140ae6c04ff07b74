// The phone page: a seat at one table, from sitting down to leaving.

import mqtt from "/vendor/mqtt.js";
import { rememberKeys } from "../lib/claim.js";
import { complete } from "../lib/complete.js";
import { html, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { withEvents } from "../lib/kept_events.js";
import { withDeck } from "../lib/labels.js";
import { loadLanguage, say, sayAround } from "../lib/language.js";
import { connect, mqttAddress } from "../lib/link.js";
import { applySettings, claimNameOf, loadSettings, saveSettings, slot } from "../lib/storage.js";
import { subscribe } from "../lib/stream.js";
import { isAskedTogether, phaseText, roundText } from "../lib/view.js";
import { Awaited } from "../parts/awaited.js";
import { later } from "../parts/later.js";
import { Lobby } from "../parts/lobby.js";
import { Who } from "../parts/marks.js";
import { Notices } from "../parts/notices.js";
import { Play, turnText } from "../parts/play.js";
import { Seating } from "../parts/seating.js";
import { Spoken } from "../parts/spoken.js";
import { TabBar } from "../parts/tabs.js";
import { useFocus } from "../parts/use_focus.js";
import { useLabels } from "../parts/use_labels.js";
import { useTab } from "../parts/use_tab.js";

/** @import { Answer, Ask, Facts, Held, Labels, PhoneProps } from "../lib/types.d.ts" */
/** @import { Act, Hand, PublicState } from "../lib/messages.d.ts" */
/** @import { TabName } from "../parts/tabs.js" */

const table = location.pathname.split("/").filter(Boolean).at(-1) ?? "";
const query = new URLSearchParams(location.search);
const fragment = new URLSearchParams(location.hash.slice(1));
if (location.hash) history.replaceState(null, "", location.pathname + location.search);

/** One browser may hold several seats of a simulated table: `?phone=2` gives the tab its own claim. */
const claimName = claimNameOf(table, query.get("phone"));
const claimSlot = slot(claimName);
const tabSlot = slot(`${claimName}/tab`); // the browser tab that uses the seat
const hubKeySlot = slot(`th/${table}/key`);
/** Whether the hub's key came over the network, and not from a scanned code. */
const firstUseSlot = slot(`th/${table}/key/first-use`);
/**
 * Store the hub's key.
 * @param {string} key
 * @param {boolean} firstUse
 */
function keepKey(key, firstUse) {
  // Scanned before.
  const isKnown = hubKeySlot.get() === key && !firstUseSlot.get();
  hubKeySlot.set(key);
  firstUseSlot.set(firstUse && !isKnown);
}
const givenKey = fragment.get("k");
if (givenKey) keepKey(givenKey, fragment.has("typed"));
const linkedSeat = Number(fragment.get("seat"));
const linked = linkedSeat ? { seat: linkedSeat, code: fragment.get("code") } : null;
const thisTab = `${Date.now()}-${Math.random()}`;

applySettings(loadSettings());

/** @type {Answer} */
const NOT_SENT = { ok: false, error: null, code: null };

/**
 * Return the next request number, and store it with the claim.
 * @param {Held} held
 */
function nextNumber(held) {
  const claim = claimSlot.get() ?? held;
  const n = (claim.n ?? 0) + 1;
  claimSlot.set({ ...claim, n });
  return n;
}

/**
 * Call `wake` when the page becomes visible again.
 * @param {() => void} wake
 * @returns {() => void} what ends it
 */
function onSeen(wake) {
  const onVisible = () => document.visibilityState === "visible" && wake();
  document.addEventListener("visibilitychange", onVisible);
  return () => document.removeEventListener("visibilitychange", onVisible);
}

/**
 * Follow the public stream while there is no seat; with a seat, everything comes through the broker.
 * @param {Held | null} held
 * @param {(state: PublicState) => void} onState
 * @param {(away: boolean) => void} onAway
 */
function usePublicStream(held, onState, onAway) {
  useEffect(() => {
    if (held) return undefined;
    const stream = subscribe(`/t/${table}/events`, { onState: (next) => onState(complete(next)), onAway });
    const unsubscribe = onSeen(stream.wake);
    return () => {
      unsubscribe();
      stream.close();
      onAway(false);
    };
  }, [held]);
}

/**
 * Keep the link to the table while this tab holds a seat. Return a function that sends over it.
 * @param {{
 *   held: Held | null, elsewhere: boolean, state: PublicState | null, onPublic: (state: PublicState) => void,
 *   onHand: (hand: Hand) => void, onAway: (away: boolean) => void, onSeatLost: (sentence: string) => void,
 *   onElsewhere: () => void,
 * }} options
 */
function useSeatLink({ held, elsewhere, state, onPublic, onHand, onAway, onSeatLost, onElsewhere }) {
  const link = useRef(/** @type {ReturnType<typeof connect> | null} */ (null));
  useLayoutEffect(() => {
    if (!held || elsewhere) return undefined;
    tabSlot.set(thisTab);
    const opened = connect({
      held,
      address: mqttAddress(location),
      dial: mqtt.connect,
      nextNumber: () => nextNumber(held),
      epoch: state?.epoch,
      onPublic,
      onHand,
      onAway,
      onSeatLost,
    });
    link.current = opened;
    /** @param {PageTransitionEvent} event */
    const onRestored = (event) => event.persisted && opened.wake();
    /** @param {StorageEvent} event */
    const onStorage = (event) => {
      if (event.key === `${claimName}/tab` && event.newValue !== JSON.stringify(thisTab)) onElsewhere();
    };
    const unsubscribe = onSeen(opened.wake);
    addEventListener("pageshow", onRestored);
    addEventListener("online", opened.wake);
    addEventListener("storage", onStorage);
    return () => {
      unsubscribe();
      removeEventListener("pageshow", onRestored);
      removeEventListener("online", opened.wake);
      removeEventListener("storage", onStorage);
      opened.close();
      link.current = null;
      onAway(false);
    };
  }, [held, elsewhere]);
  return useCallback(
    /**
     * @param {Act["verb"]} verb
     * @param {Facts} args
     * @returns {Promise<Answer>}
     */
    async (verb, args) => (await link.current?.send(verb, args)) ?? NOT_SENT,
    [],
  );
}

/**
 * A seat's connection to its table: the data received, and the functions to send.
 */
function useTable() {
  const [held, setHeld] = useState(/** @type {Held | null} */ (claimSlot.get()));
  const [state, setState] = useState(/** @type {PublicState | null} */ (null));
  const [hand, setHand] = useState(/** @type {Hand | null} */ (null));
  const [away, setAway] = useState(false);
  // Why the phone has lost its seat.
  const [lost, setLost] = useState("");
  const [lostSeat, setLostSeat] = useState(/** @type {number | null} */ (null));
  const [elsewhere, setElsewhere] = useState(false);
  const [sending, setSending] = useState(/** @type {string | null} */ (null));
  const [refusal, setRefusal] = useState("");
  const leaving = useRef(false);
  // This phone shows a code that gives its seat away.
  const handingOver = useRef(false);

  const onPublic = useMemo(() => withEvents(setState), []);
  /** @param {Hand} next */
  const onHand = (next) => {
    handingOver.current = Boolean(next.hand_over);
    const stored = claimSlot.get();
    if (stored && stored.seat !== next.seat) {
      // A match was resumed in which this phone had another seat.
      const moved = { ...stored, seat: next.seat };
      claimSlot.set(moved);
      setHeld(moved);
    }
    setHand(next);
    setRefusal("");
  };
  /** @param {string} sentence */
  const onSeatLost = (sentence) => {
    setLostSeat(handingOver.current ? null : (held?.seat ?? null));
    claimSlot.remove();
    setHand(null);
    const handedOver = say("Seat {seat} is on the other phone now.", { seat: held?.seat });
    setLost(leaving.current ? "" : handingOver.current ? handedOver : sentence);
    handingOver.current = false;
    setHeld(null);
  };
  usePublicStream(held, onPublic, setAway);
  const onElsewhere = () => setElsewhere(true);
  const send = useSeatLink({ held, elsewhere, state, onPublic, onHand, onAway: setAway, onSeatLost, onElsewhere });

  /** @type {Ask} */
  const ask = async (verb, args, key) => {
    if (key) setSending(key);
    setRefusal("");
    try {
      const answer = await send(verb, args);
      if (!answer.ok) setRefusal(answer.error ?? "");
      return answer;
    } finally {
      if (key) setSending(null);
    }
  };
  const leave = async () => {
    leaving.current = true;
    const answer = await ask("leave", {}, "leave");
    leaving.current = answer.ok;
    if (answer.ok) onSeatLost("");
  };
  /** @param {Held} login */
  const hold = (login) => {
    claimSlot.set(login);
    rememberKeys(table, login);
    leaving.current = false;
    setLost("");
    setHeld(login);
  };
  const useHere = () => setElsewhere(false);
  // A hand of the last match does not apply to this one.
  const present = state?.state === "playing" && hand?.match !== state.match ? null : hand;
  // The hub's sentence is more helpful than the silent end of the login.
  const taken = lost && state?.notices.find((notice) => notice.key === `taken:${lostSeat}`);
  const why = taken ? say("{notice} If nobody here did that, tell the others.", { notice: taken.text }) : lost;
  return { held, state, hand: present, away, lost: why, elsewhere, sending, refusal, ask, send, leave, hold, useHere };
}

/**
 * Send a setting of this phone to the hub if the hub has another value. A refused request is repeated after a change of
 * match, seat or setting, because a match may begin while the request is on its way and make it stale. An unanswered
 * request is repeated with the next state.
 * @param {{ state: PublicState | null, hand: Hand | null, differs: boolean, verb: "hints" | "lessons", on: boolean,
 *   send: (verb: Act["verb"], args: Facts) => Promise<Answer>,
 * }} options
 */
function useSyncedSetting({ state, hand, differs, verb, on, send }) {
  const sent = useRef("");
  const moment = `${hand?.session}/${hand?.epoch}/${hand?.match}/${state?.state}/${hand?.seat}/${on}`;
  useEffect(() => {
    if (!differs) sent.current = "";
    if (!differs || sent.current === moment) return;
    sent.current = moment;
    send(verb, { on }).then(({ ok, code }) => {
      if (!ok && code === null && sent.current === moment) sent.current = "";
    });
  });
}

/**
 * Tell the hub whether this phone wants hints: after a restart of the hub, on a new seat, and when the table allows them.
 * @param {{ state: PublicState | null, hand: Hand | null, hints: boolean,
 *   send: (verb: Act["verb"], args: Facts) => Promise<Answer>,
 * }} options
 */
function useHints({ state, hand, hints, send }) {
  const differs = hand !== null && Boolean(hand.hints) !== hints && (Boolean(state?.hints) || !hints);
  useSyncedSetting({ state, hand, differs, verb: "hints", on: hints, send });
}

/**
 * Tell the hub whether the person at this phone wants no lessons.
 * @param {{ state: PublicState | null, hand: Hand | null, wanted: boolean,
 *   send: (verb: Act["verb"], args: Facts) => Promise<Answer>,
 * }} options
 */
function useLessons({ state, hand, wanted, send }) {
  const differs = hand !== null && state?.teaching?.skips.includes(hand.seat) === wanted;
  useSyncedSetting({ state, hand, differs, verb: "lessons", on: wanted, send });
}

function Phone() {
  const { held, state, hand, away, lost, elsewhere, sending, refusal, ask, send, leave, hold, useHere } = useTable();
  const [watching, setWatching] = useState(false);
  const [settings, setSettings] = useState(loadSettings());
  const [tab, setTab] = useTab();
  useFocus();
  useHints({ state, hand, hints: settings.hints, send });
  useLessons({ state, hand, wanted: settings.lessons, send });
  const plays = Boolean(held) && state?.state === "playing";
  useEffect(() => {
    if (!plays || !navigator.wakeLock) return;
    const awake = import("../parts/wake_lock.js").then((part) => part.keepAwake());
    return () => void awake.then((end) => end());
  }, [plays]);
  const gameLabels = useLabels(state?.game);
  const labels = useMemo(
    () => withDeck(gameLabels ?? null, state?.view?.table, state?.view?.seats, hand?.you),
    [gameLabels, state, hand],
  );
  useLayoutEffect(() => {
    if (!held) setTab(null);
  }, [held]);
  useLayoutEffect(() => {
    if (!state) return;
    const turn = turnText(state, hand);
    document.title = `${turn ? `${say(turn)}: ` : ""}${say(state.title || state.name)}`;
  });

  if (!state) return html`<${Splash} away=${away} />`;
  if (!held && !watching) {
    const begin = lost ? null : linked;
    const hubKey = hubKeySlot.get();
    const firstUse = Boolean(firstUseSlot.get());
    const onFirstKey = (/** @type {string} */ key) => keepKey(key, true);
    const onWatch = () => setWatching(true);
    return html`<${Seating}
      table=${table}
      state=${state}
      hubKey=${hubKey}
      firstUse=${firstUse}
      onFirstKey=${onFirstKey}
      begin=${begin}
      lost=${lost}
      onHeld=${hold}
      onWatch=${onWatch}
    />`;
  }
  if (elsewhere) return html`<${Elsewhere} onUse=${useHere} />`;

  const onLeave = () => {
    if (held) return leave();
    setWatching(false);
    return setTab(null);
  };
  /** @param {import("../lib/types.d.ts").Settings} next */
  const onSettings = (next) => {
    saveSettings(next);
    setSettings(next);
  };
  const onSkip = () => onSettings({ ...settings, lessons: false });
  const common = { labels, state, seat: held?.seat ?? null, hand, settings, sending, refusal, ask, away, onSkip };
  const onBack = () => setTab(null);
  // Before, a match would be shown in the hub's internal words.
  const isReady = gameLabels !== undefined || state.state === "lobby";
  return html`<div class=${`page${away ? " away" : ""}`}>
    <${Strip} labels=${labels} state=${state} held=${held} away=${away} tab=${tab !== null} />
    ${away && html`<${AwayBar} state=${state} />`}
    <${Awaited} state=${state} hand=${hand} away=${away} tab=${tab !== null} onPlay=${onBack} />
    <${Notices}
      state=${state}
      ask=${held ? ask : undefined}
      sending=${sending || (away ? "away" : null)}
      most=${1}
    />
    ${
      isAskedTogether(state) &&
      html`<${Together} state=${state} seat=${common.seat} sending=${sending} ask=${held ? ask : undefined} />`
    }
    ${hand?.claim != null && html`<${SeatWanted} claim=${hand.claim} sending=${sending} ask=${ask} />`}
    <main class="body" aria-busy=${!isReady}>
      ${
        tab
          ? html`<${Tab} ...${{ ...common, held, onBack, onLeave, onSettings }} name=${tab} />`
          : isReady && html`<${Table} ...${common} />`
      }
    </main>
    <${TabBar} open=${tab} onOpen=${setTab} />
    <${Spoken} state=${state} isReady=${isReady} />
    ${settings.sound && html`<${Sound} state=${state} away=${away} />`}
  </div>`;
}

/**
 * The middle of the page, for the state of the table.
 * @param {PhoneProps} props
 */
function Table(props) {
  const { state, refusal } = props;
  if (state.state === "lobby") return html`<${Refusal} text=${refusal} /><${Lobby} ...${props} />`;
  if (state.state === "over" && state.over) return html`<${Over} ...${props} />`;
  return html`<${Play} ...${props} />`;
}

// Fetched if sound is on; if that fails, the phone is silent.
const Sound = later(() =>
  import("../parts/sound.js").then(
    (part) => part.Sound,
    () => () => null,
  ),
);
const Together = later(() => import("../parts/questions.js").then((part) => part.Together));
const Over = later(() => import("../parts/over.js").then((part) => part.Over), "result.css", "over.css");
const SeatWanted = later(() => import("../parts/elsewhere.js").then((part) => part.SeatWanted));
const Elsewhere = later(() => import("../parts/elsewhere.js").then((part) => part.Elsewhere));
const Rules = later(() => import("../parts/rules.js").then((part) => part.Rules), "rules.css");
const Help = later(() => import("../parts/help.js").then((part) => part.Help), "help.css");
const Log = later(() => import("../parts/log.js").then((part) => part.Log), "log.css");
const Why = later(() => import("../parts/why.js").then((part) => part.Why), "why.css");
const SeatTab = later(() => import("../parts/seat_tab.js").then((part) => part.SeatTab));
const TABS = { rules: Rules, log: Log, why: Why, help: Help, seat: SeatTab };

/**
 * One of the tabs, with a way back to the table.
 * @param {PhoneProps & {
 *   name: TabName, held: Held | null, onBack: () => void, onLeave: () => void,
 *   onSettings: (settings: import("../lib/types.d.ts").Settings) => void,
 * }} props
 */
function Tab(props) {
  const { name, state, hand, refusal, onBack } = props;
  const turn = turnText(state, hand);
  const back = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => back.current?.focus({ preventScroll: true }), [name]);
  return html`<button type="button" class="back" ref=${back} onClick=${onBack}>
      <span>← The table</span>${turn && html` <b>${turn}</b>`}
    </button>
    <${Refusal} text=${refusal} />
    <${TABS[name]} ...${props} />`;
}

/**
 * The public strip: my seat, round, phase, link.
 * @param {{ labels: Labels | null, state: PublicState, held: Held | null, away: boolean, tab: boolean }} props
 */
function Strip({ labels, state, held, away, tab }) {
  const playing = state.view !== null && (state.state === "playing" || state.state === "stopped");
  const moment = html`<span>${roundText(state.view)}</span> <b>${phaseText(labels, state.view)}</b>`;
  return html`<header class="strip">
    <span class="strip-seat">
      ${held ? html`<${Who} state=${state} seat=${held.seat} number />` : html`<b>Watching</b>`}
    </span>
    ${playing && !tab ? html`<h1 class="strip-game">${moment}</h1>` : html`<span class="strip-game">${playing ? moment : state.name}</span>`}
    <span class=${`link${away ? " lost" : ""}`}>
      <span class="link-dot" aria-hidden="true">${away ? "○" : "●"}</span> ${away ? say("lost") : say("live")}
    </span>
  </header>`;
}

/** @param {{ text: string }} props */
function Refusal({ text }) {
  return text && html`<p class="refusal" role="alert">${text}</p>`;
}

/** @param {{ state: PublicState }} props */
function AwayBar({ state }) {
  const round = state.view?.round;
  const text = round
    ? say("No connection since round {round}. This phone reconnects by itself.", { round })
    : say("No connection to the hub. This phone reconnects by itself.");
  return html`<p class="away-bar" role="status">${text}</p>`;
}

/** @param {{ away: boolean }} props */
function Splash({ away }) {
  return html`<main class="splash">
    <h1 class="headline">${away ? say("Waiting for the hub") : say("Connecting to the table")}</h1>
    ${
      away &&
      html`<p>
        ${sayAround(
          "The hub is at {address}. Is it switched on, and is this phone on the table's Wi-Fi? The page keeps trying.",
          {
            address: html`<b>${location.host}</b>`,
          },
        )}
      </p>`
    }
  </main>`;
}

// When everything is drawn and the phone is idle, store the page for times without the hub.
setTimeout(() => import("../parts/install.js").then((part) => part.install(table)).catch(() => undefined), 4_000);
loadLanguage().then(() => render(html`<${Phone} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
