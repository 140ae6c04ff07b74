// A finished match, step by step: what everybody saw, what happened and by which rule, the hands, the odds of rolls, and what
// the house would have done.

import { complete } from "../lib/complete.js";
import { html, render, useEffect, useErrorBoundary, useMemo, useState } from "../lib/html.js";
import { withDeck } from "../lib/labels.js";
import { loadLanguage, readMessage, say } from "../lib/language.js";
import { save } from "../lib/save.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { phaseText, roundText } from "../lib/view.js";
import { DiceWants } from "../parts/die.js";
import { Facts } from "../parts/facts.js";
import { answerText } from "../parts/hint.js";
import { Sentence } from "../parts/marks.js";
import { Play } from "../parts/play.js";
import { Result } from "../parts/result.js";
import { useLabels } from "../parts/use_labels.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { HouseChoice, PublicState, Replay, ReplayStep } from "../lib/messages.d.ts" */

const table = location.pathname.split("/").filter(Boolean).at(-2) ?? "";
const match = new URLSearchParams(location.search).get("match");
const SECONDS = 2; // of a step while the match plays by itself
const NOBODY = 0;
const PAUSE = 300; // before the hub is asked about a step, in milliseconds: people pass many steps on the slider
const REFUSED = 404; // the hub has nothing to say of this match
const AGAIN = 5_000; // until it is asked again if it could not answer, in milliseconds

/** @type {Map<number, HouseChoice[]>} The choices that the hub has told, by step. */
const known = new Map();
/** The problem of the last request, "" for none. The hub makes one answer at a time, so the page asks for one at a time. */
let lastRequest = Promise.resolve("");

applySettings(loadSettings());

/**
 * Return the public state at a step, as screens got it, with all events before: a tap on a number shows how it came about.
 * @param {Replay} replay
 * @param {number} at
 * @returns {PublicState}
 */
function stateAt(replay, at) {
  const { view, over } = replay.steps[at];
  const events = replay.steps.slice(0, at + 1).flatMap((step) => step.events);
  const seats = replay.seats.map((seat) => ({ seat, held: true, presence: "here" }));
  const made = {
    seats,
    view,
    over,
    events,
    state: over ? "over" : "playing",
    epoch: 1,
    seq: at,
  };
  const { game, title } = replay;
  return complete(/** @type {any} */ ({ ...made, table, name: title, game, title, match: replay.match }));
}

/** @param {any} value */
const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** @param {any} step */
const isStep = (step) =>
  isRecord(step) &&
  isRecord(step.view?.table) &&
  isRecord(step.view.seats) &&
  typeof step.view.phase === "string" &&
  Array.isArray(step.events) &&
  step.events.every(
    (/** @type {any} */ event) => isRecord(event) && typeof event.text === "string" && isRecord(event.data),
  );

/** @param {any} replay */
const isReplay = (replay) =>
  isRecord(replay) &&
  ["game", "title", "match", "begun"].every((name) => typeof replay[name] === "string") &&
  Array.isArray(replay.seats) &&
  Array.isArray(replay.steps) &&
  replay.steps.length > 0 &&
  replay.steps.every(isStep);

const noReplay = () => new Error(say("This file is no replay. Choose one that was saved on this page."));

/**
 * Read a replay from the hub or from a file. Throws an error with a sentence.
 * @param {string} text
 * @returns {Replay}
 */
function readReplay(text) {
  try {
    const replay = readMessage(text);
    if (isReplay(replay)) return replay;
  } catch {
    // Something else than a replay.
  }
  throw noReplay();
}

/**
 * Fetch something about the match that the address names. Throws an error with a sentence.
 * @template T
 * @param {string} what
 * @param {(text: string) => T} read
 * @returns {Promise<T>}
 */
async function fetchOf(what, read) {
  const address = `/t/${table}/replay/${encodeURIComponent(match ?? "")}${what}`;
  try {
    const answer = await fetch(address, { cache: "no-store" });
    const text = await answer.text();
    if (answer.ok) return read(text);
    const { error } = readMessage(text);
    if (error) return Promise.reject(new Error(error, { cause: answer.status }));
  } catch {
    // The hub is busy, or has gone.
  }
  throw new Error(say("The hub does not answer. Load this page again."));
}

/** @param {Replay} replay */
const keep = (replay) =>
  save(`${replay.game}-${replay.begun.slice(0, 10)}-${replay.match}.json`, "application/json", JSON.stringify(replay));

/** @typedef {{ replay: Replay, number: number, isFile: boolean }} Opened */

function Page() {
  const [opened, setOpened] = useState(/** @type {Opened | null} */ (null));
  const [problem, setProblem] = useState("");
  const [loading, setLoading] = useState(Boolean(match));
  const [broken, mend] = useErrorBoundary(); // a file may hold anything
  useEffect(() => {
    if (!match) return;
    fetchOf(".json", readReplay)
      .then((replay) => setOpened({ replay, number: 0, isFile: false }))
      .catch(({ message }) => setProblem(message))
      .finally(() => setLoading(false));
  }, []);
  /** @param {File | undefined} file */
  const open = async (file) => {
    if (!file) return;
    setProblem("");
    try {
      const replay = readReplay(await file.text());
      setOpened({ replay, number: (opened?.number ?? 0) + 1, isFile: true });
      mend();
    } catch (error) {
      setProblem(/** @type {Error} */ (error).message);
    }
  };
  if (opened && !broken) return html`<${Shown} key=${opened.number} ...${opened} problem=${problem} onOpen=${open} />`;
  const told = problem || (broken ? noReplay().message : "");
  return html`<main class="replay-intro">
    <h1>Replay</h1>
    ${loading && html`<p role="status">The match is being read.</p>`}
    ${told && html`<p role="alert">${told}</p>`}
    ${!loading && html`<${Open} onOpen=${open} />`}
    <p><a class="way" href=${`/t/${table}/history`}>← What was played here</a></p>
  </main>`;
}

/** @param {{ onOpen: (file: File | undefined) => void }} props */
function Open({ onOpen }) {
  return html`<label class="small-act">
    Open a saved replay
    <input type="file" accept=".json,application/json" class="unseen" onChange=${(/** @type {any} */ event) => onOpen(event.target.files[0])} />
  </label>`;
}

/** @param {Opened & { problem: string, onOpen: (file: File | undefined) => void }} props */
function Shown({ replay, isFile, problem, onOpen }) {
  const [at, setAt] = useState(0);
  const [running, setRunning] = useState(false);
  const [seat, setSeat] = useState(NOBODY);
  const last = replay.steps.length - 1;
  const gameLabels = useLabels(replay.game);
  const step = replay.steps[at];
  const state = useMemo(() => stateAt(replay, at), [replay, at]);
  const you = step.hands?.[seat];
  const labels = useMemo(
    () => withDeck(gameLabels ?? null, state.view?.table, state.view?.seats, you),
    [gameLabels, state, you],
  );
  const title = { title: say(replay.title) };
  const heading = isFile ? say("From a file: {title}", title) : say("Replay: {title}", title);
  useEffect(() => {
    document.title = heading;
  }, [heading]);
  useEffect(() => {
    if (!running) return undefined;
    if (at === last) {
      setRunning(false);
      return undefined;
    }
    const timer = setTimeout(() => setAt(at + 1), SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [running, at]);
  /** @param {number} next */
  const go = (next) => {
    setRunning(false);
    setAt(Math.min(last, Math.max(0, next)));
  };
  const settings = loadSettings();
  const nothing = async () => ({ ok: false, error: null, code: null });
  const isReady = gameLabels !== undefined;
  return html`<div class="page">
    <header class="strip">
      <a class="way" href=${`/t/${table}/history`} aria-label="What was played here">←</a>
      <h1 class="replay-title">${heading}</h1>
    </header>
    <main class="body" aria-busy=${!isReady}>
      ${problem && html`<p role="alert">${problem}</p>`}
      ${isReady && !gameLabels && html`<p role="alert">${say("This hub does not have the game {title}.", { title: replay.title })}</p>`}
      ${
        isReady &&
        html`
          ${you && html`<${Hand} labels=${labels} state=${state} seat=${seat} you=${you} />`}
          ${step.over && html`<${Result} labels=${labels} state=${state} />`}
          <${Told} labels=${labels} state=${state} step=${step} />
          ${step.wants && html`<section class="dice-part" aria-label="Dice"><${DiceWants} dice=${{ wants: step.wants }} /></section>`}
          <${House} labels=${gameLabels ?? null} state=${state} step=${step} at=${at} isFile=${isFile} />
          <${Play}
            labels=${labels}
            state=${state}
            seat=${null}
            hand=${null}
            settings=${settings}
            sending=${null}
            refusal=""
            ask=${nothing}
            away=${false}
          />
          <div class="replay-more">
            <${Hands} replay=${replay} seat=${seat} onChange=${setSeat} />
            <button type="button" class="small-act" onClick=${() => keep(replay)}>Save this replay</button>
            <${Open} onOpen=${onOpen} />
          </div>
        `
      }
    </main>
    <nav class="replay-way" aria-label="Steps of the match">
      <input
        type="range"
        class="replay-step"
        aria-label="Step"
        min="0"
        max=${last}
        value=${at}
        onInput=${(/** @type {any} */ event) => go(Number(event.target.value))}
      />
      <p class="replay-where" role="status">${whereText(labels, state, at, last)}</p>
      <div class="replay-buttons">
        <button type="button" class="small-act" disabled=${at === 0} onClick=${() => go(at - 1)}>Back</button>
        <button type="button" class="small-act" onClick=${() => (at === last ? go(0) : setRunning(!running))}>
          ${running ? say("Pause") : at === last ? say("Again") : say("Play it")}
        </button>
        <button type="button" class="small-act" disabled=${at === last} onClick=${() => go(at + 1)}>Next step</button>
      </div>
    </nav>
  </div>`;
}

/**
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {number} at
 * @param {number} last
 */
function whereText(labels, state, at, last) {
  const step = say("Step {number} of {count}", { number: at + 1, count: last + 1 });
  return [step, roundText(state.view), phaseText(labels, state.view)].filter(Boolean).join(" · ");
}

/**
 * What happened since the step before, each with the rule that it follows from.
 * @param {{ labels: Labels | null, state: PublicState, step: ReplayStep }} props
 */
function Told({ labels, state, step }) {
  if (!step.events.length) return null;
  return html`<ol class="replay-told" aria-label="What happened">
    ${step.events.map(
      ({ n, text, rule }) => html`<li key=${n}>
        <${Sentence} state=${state} text=${text} />
        ${rule && labels?.rules?.[rule] && html`<span class="replay-rule">${rule}: ${labels.rules[rule]}</span>`}
      </li>`,
    )}
  </ol>`;
}

/**
 * Return what the hub says of the choices at a step, or why it says nothing. It is asked only if `isAsked`.
 * @param {number} at
 * @param {boolean} isAsked
 */
function useChoices(at, isAsked) {
  const [told, setTold] = useState({ at: -1, problem: "" });
  useEffect(() => {
    if (!isAsked || known.has(at)) return undefined;
    let isOver = false;
    let isFinal = false;
    const ask = async () => {
      await lastRequest;
      if (isOver) return;
      if (!known.has(at))
        lastRequest = fetchOf(`/house/${at + 1}.json`, readMessage).then(
          ({ choices }) => {
            known.set(at, choices);
            return "";
          },
          ({ message, cause }) => {
            isFinal = cause === REFUSED;
            return message;
          },
        );
      const problem = await lastRequest;
      setTold({ at, problem });
      if (problem && !isOver && !isFinal) timer = setTimeout(ask, AGAIN);
    };
    let timer = setTimeout(ask, PAUSE);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [at, isAsked]);
  return { choices: known.get(at), problem: told.at === at ? told.problem : "" };
}

/**
 * What the house would have done at a step, once somebody wants to know.
 * @param {{ labels: Labels | null, state: PublicState, step: ReplayStep, at: number, isFile: boolean }} props
 */
function House({ labels, state, step, at, isFile }) {
  const [isOpen, setIsOpen] = useState(false);
  const hasChoice = step.view.waiting?.seats?.length > 0;
  const { choices, problem } = useChoices(at, isOpen && hasChoice && !isFile);
  const nothing = !hasChoice || choices?.length === 0;
  const text = isFile
    ? say("Only the hub that keeps this match can say what the house would have done.")
    : nothing
      ? say("The house has nothing to choose here.")
      : problem || say("One moment…");
  return html`<details class="replay-house" onToggle=${(/** @type {any} */ event) => setIsOpen(event.target.open)}>
    <summary>What would the house have done?</summary>
    <div role="status">
      ${
        isOpen &&
        (choices?.length && !isFile
          ? choices.map(
              (one) => html`<${Choice} key=${one.seat} labels=${labels} state=${state} step=${step} choice=${one} />`,
            )
          : html`<p class="hint-line">${text}</p>`)
      }
    </div>
  </details>`;
}

/**
 * What a seat chose, and whether the house would have chosen the same.
 * @param {{ labels: Labels | null, state: PublicState, step: ReplayStep, choice: HouseChoice }} props
 */
function Choice({ labels, state, step, choice }) {
  const { seat, did, house, same } = choice;
  const named = withDeck(labels, state.view?.table, state.view?.seats, step.hands?.[seat]);
  const chosen = say("Seat {seat} chose: {move}.", { seat, move: answerText(named, state, did) });
  const answer = same
    ? say("The house would have done the same.")
    : say("The house would have chosen: {move}.", { move: answerText(named, state, house?.answer) });
  return html`<p class="hint-line">
    <${Sentence} state=${state} text=${chosen} />${" "}
    <b><${Sentence} state=${state} text=${house ? answer : say("The house player failed here.")} /></b>${" "}
    <${Sentence} state=${state} text=${house?.say} />
  </p>`;
}

/**
 * The secrets of a seat.
 * @param {{ labels: Labels | null, state: PublicState, seat: number, you: any }} props
 */
function Hand({ labels, state, seat, you }) {
  return html`<section class="replay-hand" aria-label="Hand">
    <h2><${Sentence} state=${state} text=${say("What Seat {seat} saw", { seat })} /></h2>
    <${Facts} labels=${labels} state=${state} where="you" facts=${you} small=${false} />
  </section>`;
}

/** @param {{ replay: Replay, seat: number, onChange: (seat: number) => void }} props */
function Hands({ replay, seat, onChange }) {
  if (!replay.steps.some(({ hands }) => Object.values(hands ?? {}).some((hand) => Object.keys(hand ?? {}).length)))
    return html`<p class="replay-rule">Hands are shown once this table plays another match.</p>`;
  return html`<label>
    Show the hand of
    <select value=${seat} onChange=${(/** @type {any} */ event) => onChange(Number(event.target.value))}>
      <option value=${NOBODY}>${say("nobody")}</option>
      ${replay.seats.map((one) => html`<option key=${one} value=${one}>${say("Seat {seat}", { seat: one })}</option>`)}
    </select>
  </label>`;
}

loadLanguage().then(() => render(html`<${Page} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
