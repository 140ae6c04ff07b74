// The phone page: a seat at one table, from sitting down to leaving.

import { html, render, useCallback, useEffect, useMemo, useRef, useState } from "/vendor/htm-preact.js";
import { Who, useWords } from "../parts/atoms.js";
import { DisputePart } from "../parts/dice.js";
import { dress, ownSettings, setSettings, slot } from "../lib/storage.js";
import { connect } from "../lib/link.js";
import { Lobby, Result } from "../parts/lobby.js";
import { Act } from "../parts/ask.js";
import { Play, turnWords } from "../parts/play.js";
import { Seating } from "../parts/seating.js";
import { follow, notOlder } from "../lib/stream.js";
import { Why } from "../parts/why.js";
import { Help, Log, Rules, SeatTab, TabBar } from "../parts/tabs.js";
import { phaseWords, roundWords, withDeck } from "../lib/labels.js";

const table = location.pathname.split("/").filter(Boolean).at(-1);
const asked = new URLSearchParams(location.search);
const fragment = new URLSearchParams(location.hash.slice(1));
if (location.hash) history.replaceState(null, "", location.pathname + location.search);

/** One browser may hold several seats of a simulated table: `?phone=2` keeps that tab's claim apart. */
const place = `th/${table}${asked.get("phone") ? `/${asked.get("phone")}` : ""}`;
const claim = slot(place);
const hubKeySlot = slot(`th/${table}/key`);
if (fragment.get("k")) hubKeySlot.set(fragment.get("k"));
const begin = Number(fragment.get("seat")) ? { seat: Number(fragment.get("seat")), code: fragment.get("code") } : null;
const tab = `${Date.now()}-${Math.random()}`;

dress(ownSettings());

function Phone() {
  const [held, setHeld] = useState(claim.get());
  const [watching, setWatching] = useState(false);
  const [state, setState] = useState(null);
  const [hand, setHand] = useState(null);
  const [away, setAway] = useState(false);
  const [said, setSaid] = useState("");
  const [elsewhere, setElsewhere] = useState(false);
  const [settings, keepSettings] = useState(ownSettings());
  const [tabOpen, setTabOpen] = useState(null);
  const [sending, setSending] = useState(null);
  const [refusal, setRefusal] = useState("");
  const link = useRef(null);
  const plainWords = useWords(state?.game);
  const words = useMemo(
    () => withDeck(plainWords, state?.view?.table, state?.view?.seats, hand?.you),
    [plainWords, state, hand],
  );

  const take = useCallback((next) => setState((was) => (notOlder(was, next) ? next : was)), []);

  // Without a seat the public stream is enough; with one the broker brings everything.
  useEffect(() => {
    if (held) return undefined;
    const stream = follow(`/t/${table}/events`, { onState: take, onAway: setAway });
    const wake = () => document.visibilityState === "visible" && stream.wake();
    document.addEventListener("visibilitychange", wake);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      stream.close();
      setAway(false);
    };
  }, [held]);

  useEffect(() => {
    if (!held || elsewhere) return undefined;
    slot(`${place}/tab`).set(tab);
    let leaving = false;
    const give = (sentence) => {
      claim.wipe();
      setHand(null);
      setTabOpen(null);
      setSaid(leaving ? "" : sentence);
      setHeld(null);
    };
    const opened = connect({
      held,
      count() {
        const now = claim.get() ?? held;
        const n = (now.n ?? 0) + 1;
        claim.set({ ...now, n });
        return n;
      },
      onPublic: take,
      onHand(next) {
        setHand(next);
        setRefusal("");
      },
      onAway: setAway,
      onGone: give,
    });
    link.current = {
      send: opened.send,
      async leave() {
        leaving = true;
        const answer = await ask("leave", {}, "leave");
        leaving = answer.ok;
        if (answer.ok) give("");
      },
    };
    const wake = () => document.visibilityState === "visible" && opened.wake();
    const restored = (event) => event.persisted && opened.wake();
    const other = (event) => {
      if (event.key === `${place}/tab` && event.newValue !== JSON.stringify(tab)) setElsewhere(true);
    };
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", restored);
    addEventListener("online", wake);
    addEventListener("storage", other);
    return () => {
      document.removeEventListener("visibilitychange", wake);
      removeEventListener("pageshow", restored);
      removeEventListener("online", wake);
      removeEventListener("storage", other);
      opened.close();
      link.current = null;
      setAway(false);
    };
  }, [held, elsewhere]);

  // A hand of the last match says nothing about this one.
  const asksFor = state?.state === "playing" && hand?.match !== state.match ? null : hand;

  async function ask(verb, args, key) {
    setSending(key);
    setRefusal("");
    try {
      const answer = await link.current.send(verb, args);
      if (!answer.ok) setRefusal(answer.error ?? "");
      return answer;
    } finally {
      setSending(null);
    }
  }

  function leave() {
    if (held) return link.current.leave();
    setWatching(false);
    setTabOpen(null);
    return undefined;
  }

  useEffect(() => {
    if (!state) return;
    const turn = turnWords(state, asksFor);
    document.title = `${turn ? `${turn}: ` : ""}${state.title || state.name}`;
  });

  if (!state) return html`<${Splash} away=${away} />`;
  if (!held && !watching) {
    return html`<${Seating} table=${table} state=${state} hubKey=${hubKeySlot.get()} begin=${said ? null : begin} said=${said}
      onHeld=${(login) => {
        claim.set(login);
        setSaid("");
        setHeld(login);
      }}
      onWatch=${() => setWatching(true)} />`;
  }
  if (elsewhere) {
    return html`<main class="seating"><h1 class="headline">This seat is open in another tab</h1><button type="button" class="act primary" onClick=${() => setElsewhere(false)}>Use it here</button></main>`;
  }
  const common = { words, state, seat: held?.seat ?? null, hand: asksFor, settings, sending, refusal, ask, away };
  const panels = {
    rules: () => html`<${Rules} ...${common} />`,
    log: () => html`<${Log} ...${common} />`,
    why: () => html`<${Why} ...${common} />`,
    help: () => html`<${Help} ...${common} />`,
    seat: () => html`<${SeatTab} ...${common} held=${held} onLeave=${leave}
      onSettings=${(next) => {
        setSettings(next);
        keepSettings(next);
      }} />`,
  };
  const turn = turnWords(state, asksFor);
  return html`<div class=${`page${away ? " away" : ""}`}>
    <${Strip} words=${words} state=${state} held=${held} away=${away} />
    ${away && html`<p class="away-bar" role="status">No link to the hub${state.view?.round ? `, as of round ${state.view.round}` : ""}. It comes back by itself.</p>`}
    ${state.notice && html`<p class="notice" role="status">${state.notice}</p>`}
    ${
      tabOpen
        ? html`<main class="body"><button type="button" class="back" onClick=${() => setTabOpen(null)}>← The table${turn ? html` <b>${turn}</b>` : ""}</button>
          ${refusal && html`<p class="refusal" role="alert">${refusal}</p>`}
          ${panels[tabOpen]()}</main>`
        : html`<main class="body">${body(common)}</main>`
    }
    <${TabBar} open=${tabOpen} onOpen=${setTabOpen} />
  </div>`;
}

/** The middle of the page by the state of the table. */
function body(common) {
  const { state, refusal } = common;
  if (state.state === "lobby") {
    return html`${refusal && html`<p class="refusal" role="alert">${refusal}</p>`}<${Lobby} ...${common} />`;
  }
  if (state.state === "over" && state.over) return html`<${Over} ...${common} />`;
  return html`<${Play} ...${common} />`;
}

function Over(common) {
  const { state, seat, sending, refusal, ask } = common;
  const [choosing, setChoosing] = useState(false);
  return html`<${Result} words=${common.words} state=${state} />
    <${DisputePart} ...${common} />
    ${refusal && html`<p class="refusal" role="alert">${refusal}</p>`}
    ${choosing && html`<${Lobby} ...${common} />`}
    ${
      seat &&
      !choosing &&
      html`<div class="dock" role="group" aria-label="Actions"><div class="acts">
      <${Act} primary label="Again, same seats" name="again" sending=${sending} onPress=${() => ask("again", {}, "again")} />
      <button type="button" class="act" onClick=${() => setChoosing(true)}>Another game</button>
    </div></div>`
    }`;
}

/** The public strip: my seat, round, phase, link. */
function Strip({ words, state, held, away }) {
  return html`<header class="strip">
    <span class="strip-seat">${held ? html`<${Who} state=${state} seat=${held.seat} number />` : html`<b>Watching</b>`}</span>
    <span class="strip-game">${state.state === "playing" ? html`<span>${roundWords(state.view)}</span> <b>${phaseWords(words, state.view)}</b>` : state.name}</span>
    <span class=${`link${away ? " lost" : ""}`}><span class="link-dot" aria-hidden="true">${away ? "○" : "●"}</span> ${away ? "lost" : "live"}</span>
  </header>`;
}

function Splash({ away }) {
  return html`<main class="splash"><p class="headline">${away ? "Waiting for the hub" : "Coming to the table"}</p><p>${away ? "Is this phone on the table's Wi-Fi? It goes on by itself." : ""}</p></main>`;
}

render(html`<${Phone} />`, document.getElementById("page"));
