// A match on a phone: covered hand, one sentence, the choices, the actions, and the table below.

import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { Act, Actions, Choices, Standing, useQuestion } from "./ask.js";
import { Around, Reveal, WaitingFor, useHeadline, useReveal } from "./around.js";
import { Said } from "./atoms.js";
import { DicePart, DisputePart } from "./dice.js";
import { CardRows, Facts, OwnRecords, alertsOf, factsOf } from "./facts.js";
import { SecretZone } from "./secret.js";
import { moveLabel, nowLines, phaseOf } from "../lib/labels.js";

/** LOOK, ACT or LOCKED, from what the hub says is wanted of this seat. */
export function modeOf(state, hand) {
  if (!hand || state.state !== "playing") return "look";
  // A choice locked in the box is not known here before the reveal; that it is locked, everybody knows.
  if (hand.locked || (hand.secret && state.locked.includes(hand.seat))) return "locked";
  return hand.faces || hand.moves.some((move) => !move.standing) ? "act" : "look";
}

export function Play({ words, state, hand, settings, sending, refusal, ask, away }) {
  const question = useQuestion(words, state, hand, settings.keepOpen);
  const revealing = useReveal(state);
  const headline = useHeadline(words, state);
  const top = useRef(null);
  const [changing, setChanging] = useState(null);
  const mode = modeOf(state, hand);
  const change = mode === "locked" && changing === question.question;
  const acting = mode === "act" || change;
  const canChange = hand?.moves.some((move) => !move.standing);
  const own = state.view?.seats?.[hand?.seat];
  const now = nowLines(words, state);

  useEffect(() => {
    if (mode !== "act") return;
    // What is wanted stands above what was scrolled to. Large text scrolls the page, all else its body.
    top.current?.parentElement.scrollTo(0, 0);
    scrollTo(0, 0);
    if (document.visibilityState === "visible") navigator.vibrate?.(60);
  }, [mode, question.question]);

  async function act(move, args, key) {
    const answer = await ask("act", { move, ...args }, key);
    if (answer.ok) {
      setChanging(null);
      question.blank();
    }
  }

  return html`
    <div class="play" ref=${top}>
      ${state.state === "stopped" && html`<p class="banner">The match is stopped. Its log is kept; call the staff.</p>`}
      ${headline && html`<p class="news" role="status"><${Said} state=${state} text=${headline} /></p>`}
      ${revealing && html`<${Reveal} words=${words} state=${state} mine=${hand?.seat} />`}
      ${alertsOf(words, own).map((alert) => html`<p key=${alert} class="banner alert">${alert}</p>`)}
      ${own && html`<${Counters} words=${words} state=${state} facts=${own} seat=${hand.seat} />`}
      ${hand && html`<${OwnRecords} words=${words} state=${state} mine=${hand.seat} />`}
      ${hand && html`<${OwnPart} words=${words} state=${state} hand=${hand} keepOpen=${settings.keepOpen} />`}
      ${now.main && html`<p class=${`now-line${acting ? " mine" : ""}`}><b><${Said} state=${state} text=${now.main} /></b> <span><${Said} state=${state} text=${now.caption} /></span></p>`}
      <div class="want-block" aria-live="polite">
        ${mode === "locked" && html`<p class="want locked-want"><${Lock} /> ${hand.locked ? "Locked." : "Locked on your box."} ${canChange ? "You may change it until the last one has locked." : ""}</p>`}
        ${acting && hand.want && html`<p class="want mine"><${Said} state=${state} text=${hand.want} /></p>`}
        ${!acting && state.dispute?.stage !== "vote" && html`<${WaitingFor} state=${state} mine=${hand?.seat} />`}
      </div>
      ${acting && state.nudged?.includes(hand.seat) && html`<p class="quiet-words">The others wait for you.</p>`}
      <${DisputePart} state=${state} hand=${hand} sending=${sending} ask=${ask} />
      <${DicePart} state=${state} hand=${hand} sending=${sending} ask=${ask} />
      <${CardRows} words=${words} state=${state} />
      ${acting && html`<${Choices} words=${words} state=${state} hand=${hand} question=${question} />`}
      ${hand && html`<${Standing} words=${words} state=${state} question=${question} sending=${sending || away} act=${act} />`}
      <${Around} words=${words} state=${state} mine=${hand?.seat} revealing=${revealing} />
    </div>
    ${
      hand &&
      html`<div class="dock" role="group" aria-label="Actions">
      ${refusal && html`<p class="refusal" role="alert"><${Said} state=${state} text=${refusal} /></p>`}
      <div class="acts">
        ${acting && html`<${Actions} words=${words} state=${state} question=${question} sending=${sending || (away ? "away" : null)} act=${act} />`}
        ${mode === "locked" && !change && canChange && html`<button type="button" class="act change" disabled=${away} onClick=${() => setChanging(question.question)}><span>Locked ✓</span><small>tap to change</small></button>`}
        ${change && html`<button type="button" class="act" onClick=${() => setChanging(null)}>Keep it</button>`}
        ${hand.undo && html`<${Act} label="Take back" name="undo" sending=${sending || (away ? "away" : null)} onPress=${() => ask("undo", {}, "undo")} />`}
      </div>
    </div>`
    }
  `;
}

/** What this seat counts for all to see, above the hand: what the words say, else all but its cards, which lie with the others' below. */
function Counters({ words, state, facts, seat }) {
  const cards = factsOf(words, "seat", facts)
    .filter(({ about }) => about.card)
    .map(({ name }) => name);
  const only = phaseOf(words, state.view).mine ?? words?.screen?.mine;
  return html`<section aria-label="Yours"><${Facts} words=${words} state=${state} where="seat" facts=${facts} seat=${seat} quiet=${cards} only=${only} /></section>`;
}

function Lock() {
  return html`<svg class="lock" viewBox="0 0 20 24" aria-hidden="true"><path d="M4.5 10V7a5.5 5.5 0 0 1 11 0v3H17a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 17 22H3a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 3 10Zm2.5 0h6V7a3 3 0 0 0-6 0Z" /></svg>`;
}

/** What only this seat may see: its own facts, what it locked, where its dial starts. */
function OwnPart({ words, state, hand, keepOpen }) {
  // What the whole table may see of it stands above; here is what only this seat is told.
  const seen = state.view?.seats?.[hand.seat];
  const all = factsOf(words, "you", hand.you, state.view?.phase);
  const open = all.filter(
    ({ name, about, value }) => JSON.stringify(seen?.[about.name ?? name]) === JSON.stringify(value),
  );
  const own = all.filter((fact) => !open.includes(fact));
  const rest = hand.locked || Number.isInteger(hand.dial);
  if (!own.length && !rest) return null;
  const label = own.length ? "your hand" : "your choice";
  const { move, ...args } = hand.locked ?? {};
  return html`<${SecretZone} label=${label} keepOpen=${keepOpen}>
    <${Facts} words=${words} state=${state} where="you" facts=${hand.you} small=${false} quiet=${open.map(({ name }) => name)} />
    ${move && html`<p class="own-choice">You locked: <b>${moveLabel(words, state, move, args)}</b></p>`}
    ${!move && Number.isInteger(hand.dial) && html`<p class="own-choice">The dial of your box starts at <b>${hand.dial}</b>${hand.dial_at ? `: ${hand.dial_at}` : ""}</p>`}
  </${SecretZone}>`;
}

/** What a seat is told in the strip: whether it is its turn. */
export function turnWords(state, hand) {
  if (state.state !== "playing") return "";
  const mode = modeOf(state, hand);
  if (mode === "act") return "Your turn";
  return mode === "locked" ? "Locked" : "";
}
