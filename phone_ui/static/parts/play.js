// A match on a phone: covered hand, one sentence, choices, actions, and the table below.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { moveLabel } from "../lib/labels.js";
import { message, say, sayAround } from "../lib/language.js";
import { at, same } from "../lib/values.js";
import { nowLines, phaseOf } from "../lib/view.js";
import { Around, Reveal, WaitingFor, waitsForGone } from "./around.js";
import { ActionButton, Actions, Choices, needsChoice, Standing, useQuestion } from "./ask.js";
import { Card, CardTexts } from "./cards.js";
import { DicePart, DisputePart } from "./dice.js";
import { alertsOf, Facts, factsOf, isEmpty } from "./facts.js";
import { later } from "./later.js";
import { Sentence } from "./marks.js";
import { useHeadline, useReveal, useRolled } from "./news.js";
import { CardRows, OwnRecords } from "./rows.js";
import { SecretZone } from "./secret.js";

const PhoneLesson = later(() => import("./lesson.js").then((part) => part.PhoneLesson));
const LayOut = later(() => import("./lay_out.js").then((part) => part.LayOut));
const Rolled = later(() => import("./rolled.js").then((part) => part.Rolled), "rolled.css");
const HintPart = later(() => import("./hint.js").then((part) => part.HintPart), "hint.css");

/** @import { Facts as Plain, Labels, PhoneProps } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */
/** @import { Question } from "./ask.js" */

/**
 * Return LOOK, ACT or LOCKED, by what the hub expects of this seat.
 * @param {PublicState} state
 * @param {Hand | null} hand
 * @returns {"look" | "act" | "locked"}
 */
function modeOf(state, hand) {
  if (!hand || state.state !== "playing") return "look";
  // The value of a choice locked on the box is not known before the reveal, but everybody knows that it is locked.
  if (hand.locked || (hand.secret && state.locked.includes(hand.seat))) return "locked";
  return hand.faces || isAsked(hand) ? "act" : "look";
}

/** @param {Hand} hand */
const isAsked = (hand) => hand.moves.some((move) => !move.standing);

/**
 * Return the text in the strip: whether it is this seat's turn.
 * @param {PublicState} state
 * @param {Hand | null} hand
 */
export function turnText(state, hand) {
  return { act: message("Your turn"), locked: message("Locked"), look: "" }[modeOf(state, hand)];
}

/**
 * Scroll to the question and shake the phone when this seat's turn begins. The question is above the scroll position;
 * large text scrolls the page, otherwise its body.
 * @param {boolean} isTurn
 * @param {string} question
 */
function useCall(isTurn, question) {
  const top = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (!isTurn) return;
    top.current?.parentElement?.scrollTo(0, 0);
    scrollTo(0, 0);
    if (document.visibilityState === "visible") navigator.vibrate?.(60);
  }, [isTurn, question]);
  return top;
}

// On any phone the decision comes before other information.
const PHONE = matchMedia("(height <= 900px)");
// On a low screen it comes even before what it is about.
const LOW = matchMedia("(height <= 700px)");

/**
 * Return whether the screen matches now.
 * @param {MediaQueryList} query
 */
function useMedia(query) {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const update = () => setMatches(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return matches;
}

/** @param {PhoneProps} props */
export function Play({ labels, state, seat, hand, settings, sending, refusal, ask, away, onSkip }) {
  const question = useQuestion(labels, state, hand, settings.keepOpen);
  const [changing, setChanging] = useState(/** @type {string | null} */ (null));
  const mode = modeOf(state, hand);
  const isChanging = mode === "locked" && changing === question.id;
  const isActing = mode === "act" || isChanging;
  const isLow = useMedia(LOW);
  const isShort = useMedia(PHONE) && isActing;
  const top = useCall(mode === "act", question.id);
  const [rolls, endRolls] = useRolled(state);
  const unseen = rolls.filter(({ data }) => data.read === "hub");

  /** @type {import("./ask.js").ActOn} */
  const act = async (move, args, key) => {
    const answer = await ask("act", { move, ...args }, key);
    if (!answer.ok) return;
    setChanging(null);
    question.clear();
  };

  const { keepOpen } = settings;
  const base = { labels, state, hand };
  const shared = { ...base, question, act };
  const asking = { state, hand, sending, ask };
  const warnings = html`<${Warnings} key="warnings" ...${base} seat=${seat} />`;
  const news = html`<${News} key="news" ...${base} />`;
  const own = html`<${Own} key="own" ...${base} />`;
  const cover = hand && html`<${OwnPart} key="hand" ...${base} keepOpen=${keepOpen} />`;
  const now = html`<${NowLine} key="now" labels=${labels} state=${state} isActing=${isActing} />`;
  const wanted = html`<${Wanted} key="wanted" ...${asking} mode=${mode} isActing=${isActing} />`;
  const dispute = html`<${DisputePart} key="dispute" ...${asking} />`;
  const roll = html`<${DicePart} key="dice" ...${asking} />`;
  const lot = html`<${CardOfPhase} key="lot" labels=${labels} state=${state} />`;
  const rows = html`<${CardRows} key="rows" labels=${labels} state=${state} />`;
  const choices = isActing && html`<${Choices} key="choices" ...${base} question=${question} />`;
  const votes = state.dispute?.stage === "vote";
  const teaches = state.teaching && settings.lessons;
  const lessonProps = { state, hand, sending, onSkip };
  const lesson = teaches && html`<${PhoneLesson} key="lesson" ...${lessonProps} />`;
  // On a phone, a lesson is below what it explains: the choices, or the cards that the buttons are about.
  const [lessonFirst, lessonLast] = needsChoice(question) ? [lesson, null] : [null, lesson];
  const [coverFirst, coverLast] = keepOpen ? [null, cover] : [cover, null];
  const short = [
    warnings,
    wanted,
    !isLow && now,
    coverFirst,
    votes && dispute,
    roll,
    lot,
    choices,
    lessonFirst,
    coverLast,
    news,
    own,
    isLow && now,
    !votes && dispute,
    rows,
    lessonLast,
  ];
  // Screen readers and keyboards meet everything in the order in which it is drawn.
  return html`
    <div class=${`play${isActing ? " acting" : ""}`} ref=${top}>
      <div class="play-now">
        ${isShort ? short : [lesson, news, warnings, own, cover, wanted, now, dispute, roll, lot, rows, choices]}
        ${state.view?.phase === "lay_out" && html`<${LayOut} labels=${labels} />`}
        ${isActing && hand?.hints && html`<${HintPart} ...${base} keepOpen=${keepOpen} />`}
        ${hand && html`<${Standing} ...${shared} sending=${sending || away} />`}
      </div>
      <${TableBelow} labels=${labels} state=${state} hand=${hand} />
      ${unseen.length > 0 && html`<${Rolled} state=${state} rolls=${unseen} onEnd=${endRolls} />`}
    </div>
    ${
      hand &&
      html`<${Dock}
        ...${shared}
        ask=${ask}
        refusal=${refusal}
        sending=${sending}
        away=${away}
        isActing=${isActing}
        isChanging=${isChanging}
        mayChange=${mode === "locked" && isAsked(hand)}
        onChange=${setChanging}
      />`
    }
  `;
}

/** @typedef {{ labels: Labels | null, state: PublicState, hand: Hand | null }} BaseProps */

/**
 * Recent events.
 * @param {BaseProps} props
 */
function News({ labels, state, hand }) {
  const headline = useHeadline(labels, state);
  const reveal = useReveal(state);
  return html`
    ${headline && html`<p class="news"><${Sentence} state=${state} text=${headline} /></p>`}
    ${reveal && html`<${Reveal} labels=${labels} state=${state} reveal=${reveal} mine=${hand?.seat} />`}
  `;
}

/**
 * This seat's public counts.
 * @param {BaseProps} props
 */
function Own({ labels, state, hand }) {
  const own = hand && state.view?.seats?.[hand.seat];
  return html`
    ${own && html`<${Counters} labels=${labels} state=${state} facts=${own} seat=${hand.seat} />`}
    ${hand && html`<${OwnRecords} labels=${labels} state=${state} mine=${hand.seat} />`}
  `;
}

/**
 * Messages that stop the match, threaten this seat, or keep it out of the match.
 * @param {BaseProps & { seat: number | null }} props
 */
function Warnings({ labels, state, hand, seat }) {
  const own = hand ? state.view?.seats?.[hand.seat] : undefined;
  return html`
    ${
      seat !== null &&
      state.view &&
      !state.view.seats?.[seat] &&
      html`<p class="news">This match began without you. You play in the next one. Until then, you can watch.</p>`
    }
    ${state.state === "stopped" && html`<p class="banner">The match has stopped. Its log is saved. Call the staff.</p>`}
    ${alertsOf(labels, own).map((alert) => html`<p key=${alert} class="banner alert">${alert}</p>`)}
  `;
}

/**
 * The big line of the moment.
 * @param {{ labels: Labels | null, state: PublicState, isActing: boolean }} props
 */
function NowLine({ labels, state, isActing }) {
  const { main, caption } = nowLines(labels, state);
  if (!main) return null;
  return html`<p class=${`now-line${isActing ? " mine" : ""}`} data-part="main">
    <b><${Sentence} state=${state} text=${main} /></b> <span><${Sentence} state=${state} text=${caption} /></span>
  </p>`;
}

/**
 * The card that the question is about, and its effect.
 * @param {{ labels: Labels | null, state: PublicState }} props
 */
function CardOfPhase({ labels, state }) {
  const { card } = phaseOf(labels, state.view);
  const face = card ? at(state.view, card) : null;
  if (!face) return null;
  return html`<div class="card-of-phase" data-part="fact.lot">
    <${Card} labels=${labels} face=${face} small /><${CardTexts} labels=${labels} faces=${[face]} />
  </div>`;
}

/**
 * @param {{
 *   state: PublicState, hand: Hand | null, sending: string | null, ask: PhoneProps["ask"], mode: string,
 *   isActing: boolean,
 * }} props
 */
function Wanted({ state, hand, sending, ask, mode, isActing }) {
  const plays = state.state === "playing" && hand && Boolean(state.view?.seats?.[hand.seat]);
  const mayAsk = plays && !isActing && !state.question && state.paused == null && waitsForGone(state, hand.seat);
  const askTable = () => ask("ask", { what: "absent" }, "absent");
  return html`
    <div class="want-block" tabindex="-1" aria-live="polite">
      ${mode === "locked" && hand && html`<${LockedWant} hand=${hand} />`}
      ${isActing && hand?.want && html`<p class="want mine"><${Sentence} state=${state} text=${hand.want} /></p>`}
      ${hand?.cup && html`<p class="form-note">${hand.cup}</p>`}
      ${!isActing && state.dispute?.stage !== "vote" && html`<${WaitingFor} state=${state} mine=${hand?.seat} />`}
    </div>
    ${mayAsk && html`<button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${askTable}>Ask the table what to do</button>`}
  `;
}

/** @param {{ hand: Hand }} props */
function LockedWant({ hand }) {
  const text = hand.locked ? say("Locked.") : say("Locked on your box.");
  const more = isAsked(hand) ? say("You can change it until everybody has locked.") : "";
  return html`<p class="want locked-want"><${Lock} /> ${text} ${more}</p>`;
}

/** @param {{ labels: Labels | null, state: PublicState, hand: Hand | null }} props */
function TableBelow({ labels, state, hand }) {
  const revealing = Boolean(useReveal(state));
  return html`<${Around} labels=${labels} state=${state} mine=${hand?.seat} revealing=${revealing} />`;
}

/**
 * The actions at the thumb. A locked choice is changed by its own button, so it is not taken back.
 * @param {{
 *   labels: Labels | null, state: PublicState, hand: Hand, question: Question, act: import("./ask.js").ActOn,
 *   ask: PhoneProps["ask"], refusal: string, sending: string | null, away: boolean, isActing: boolean,
 *   isChanging: boolean, mayChange: boolean, onChange: (question: string | null) => void,
 * }} props
 */
function Dock(props) {
  const { labels, state, hand, question, act, ask, refusal, sending, away } = props;
  const { isActing, isChanging, mayChange, onChange } = props;
  const busy = sending || (away ? "away" : null);
  return html`<div class="dock" role="group" aria-label="Actions" data-part="actions">
    ${refusal && html`<p class="refusal" role="alert"><${Sentence} state=${state} text=${refusal} /></p>`}
    <div class="acts">
      ${isActing && html`<${Actions} ...${{ labels, state, question, act }} sending=${busy} />`}
      ${
        mayChange &&
        !isChanging &&
        html`<button type="button" class="act change" disabled=${away} onClick=${() => onChange(question.id)}>
          <span>Locked ✓</span><small>tap to change</small>
        </button>`
      }
      ${isChanging && html`<button type="button" class="act" onClick=${() => onChange(null)}>Keep it</button>`}
      ${
        hand.undo &&
        !mayChange &&
        html`<${ActionButton} label="Take back" name="undo" sending=${busy} onPress=${() => ask("undo", {}, "undo")} />`
      }
    </div>
  </div>`;
}

/**
 * This seat's public facts above the hand: those in the labels, else all but its cards, which are below with those of
 * the other seats.
 * @param {{ labels: Labels | null, state: PublicState, facts: Plain, seat: number }} props
 */
function Counters({ labels, state, facts, seat }) {
  const cards = factsOf(labels, "seat", facts).filter(({ about }) => about.card);
  const quiet = cards.map(({ name }) => name);
  const only = phaseOf(labels, state.view).mine ?? labels?.screen?.mine;
  return html`<section aria-label="Yours">
    <${Facts} labels=${labels} state=${state} where="seat" facts=${facts} seat=${seat} quiet=${quiet} only=${only} reckoned />
  </section>`;
}

function Lock() {
  const path =
    "M4.5 10V7a5.5 5.5 0 0 1 11 0v3H17a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 17 22H3a1.5 1.5 0 0 1-1.5-1.5v-9" +
    "A1.5 1.5 0 0 1 3 10Zm2.5 0h6V7a3 3 0 0 0-6 0Z";
  return html`<svg class="lock" viewBox="0 0 20 24" aria-hidden="true"><path d=${path} /></svg>`;
}

/**
 * The seat's private part: its own facts, its locked choice, the start of its dial. Its public facts are
 * above.
 * @param {{ labels: Labels | null, state: PublicState, hand: Hand, keepOpen: boolean }} props
 */
function OwnPart({ labels, state, hand, keepOpen }) {
  const seen = state.view?.seats?.[hand.seat];
  const all = factsOf(labels, "you", hand.you, state.view?.phase);
  const open = all.filter(({ name, about, value }) => same(seen?.[about.name ?? name], value));
  const hasHand = all.some((fact) => !open.includes(fact) && !isEmpty(fact.value));
  const hasDial = Number.isInteger(hand.dial);
  if (!hasHand && !hand.locked && !hasDial) return null;
  const { move, ...args } = hand.locked ?? {};
  const quiet = open.map(({ name }) => name);
  return html`<${SecretZone} label=${hasHand ? say("your hand") : say("your choice")} keepOpen=${keepOpen}>
    <${Facts} labels=${labels} state=${state} where="you" facts=${hand.you} small=${false} quiet=${quiet} />
    ${move && html`<p class="own-choice"><span>You locked:</span> <b>${moveLabel(labels, state, move, args)}</b></p>`}
    ${
      !move &&
      hasDial &&
      html`<p class="own-choice">
        ${sayAround("The dial of your box starts at {place}", { place: html`<b>${hand.dial}</b>` })}${hand.dial_at && `: ${say(hand.dial_at)}`}
      </p>`
    }
  </${SecretZone}>`;
}
