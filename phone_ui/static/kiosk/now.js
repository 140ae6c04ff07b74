// The NOW card: the asked seats, their task, the biggest number of the moment, and the newest events.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { seatName, splitAtSeats, withNames } from "../lib/seats.js";
import { askedSeats, newestLine, nowLines, orderOf, phaseOf, phaseText } from "../lib/view.js";
import { Mark, Sentence, Who } from "../parts/marks.js";
import { useHeadline, useReveal } from "../parts/news.js";
import { NumberLine } from "../parts/number_line.js";
import { Dispute, NowDice } from "./now_dice.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, ScreenState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: ScreenState }} ScreenProps */

/** Maximum length of a name in the big line, so that the rest of the line stays large. */
const NAME_LETTERS = 8;

/**
 * The NOW card: the asked seats, their task, and the biggest number of the moment.
 * @param {ScreenProps} props
 */
export function Now({ labels, state }) {
  const headline = useHeadline(labels, state);
  const revealing = useReveal(state);
  const { dice } = state;
  const voting = state.dispute?.stage === "vote";
  const isFull = voting || (dice?.count ?? 0) > 1; // dice or a vote use the room of the order
  const wanted = dice || voting ? "" : state.want;
  const line = revealing || phaseOf(labels, state.view).line ? newestLine(state) : null;
  return html`<section class=${`now${isFull || headline ? " with-dice" : ""}`} aria-label="Now">
    <${Where} labels=${labels} state=${state} />
    ${headline && !voting && html`<p class="now-headline"><${Sentence} state=${state} text=${headline} /></p>`}
    ${wanted ? html`<p class="now-want"><${Sentence} state=${state} text=${wanted} /></p>` : html`<${Asked} state=${state} />`}
    <${BigLine} labels=${labels} state=${state} />
    ${line && html`<${NumberLine} key=${line.n} state=${state} line=${line} />`}
    ${dice && html`<${NowDice} state=${state} dice=${dice} />`}
    <${Dispute} state=${state} />
    ${!isFull && !line && html`<${Order} labels=${labels} state=${state} />`}
    <${Latest} state=${state} />
  </section>`;
}

/** @param {ScreenProps} props */
function Where({ labels, state }) {
  const { round: number } = state.view ?? {};
  const round = number ? html`, <span>${say("round {round}", { round: number })}</span>` : "";
  return html`<h1 class="now-where">${state.title}${round}</h1>
    <p class="now-phase">${phaseText(labels, state.view)}</p>`;
}

/** From this length on, the big line has two rows. */
const TWO_LINES = 24;

/**
 * The seat that the table waits for, if no sentence says it, it is one, and it does not choose in secret.
 * @param {{ state: ScreenState }} props
 */
function Asked({ state }) {
  const [seat, ...others] = askedSeats(state.view);
  if (!seat || others.length || state.view?.waiting.secret || state.dispute?.stage === "vote") return null;
  return html`<p class="now-who" style=${{ "--letters": seatName(state, seat).length + 2 }}><${Who} state=${state} seat=${seat} /></p>`;
}

/**
 * The big line and its caption.
 * @param {ScreenProps} props
 */
function BigLine({ labels, state }) {
  const { main, caption } = nowLines(labels, state);
  // A mark is about as wide as two letters. The longer the line, the smaller its text; a long name is smaller still.
  const parts = splitAtSeats(main);
  const cut = parts.map((part) =>
    typeof part === "number" ? Math.max(0, seatName(state, part).length - NAME_LETTERS) : 0,
  );
  const letters = withNames(state, main).length + 2 * (parts.length - 1) - cut.reduce((sum, one) => sum + one, 0);
  return html`
    ${
      main &&
      html`<p
        class=${`now-main${letters > TWO_LINES ? " long" : ""}${cut.some(Boolean) ? " long-name" : ""}`}
        data-part="main"
        style=${{ "--letters": letters > TWO_LINES ? Math.ceil(letters * 0.6) : Math.max(letters, 5) }}
      >
        <${Sentence} state=${state} text=${main} />
      </p>`
    }
    ${caption && html`<p class="now-caption"><${Sentence} state=${state} text=${caption} /></p>`}
  `;
}

/**
 * The seats in the order in which they act. The asked ones are marked.
 * @param {ScreenProps} props
 */
function Order({ labels, state }) {
  const order = orderOf(labels, state.view);
  const seats = askedSeats(state.view);
  if (!order) return null;
  return html`<ol class="now-order" data-part="order">
    ${order.map(
      (seat) => html`<li key=${seat} class=${seats.includes(seat) ? "here" : ""}>
        <${Mark} seat=${seat} /><span>${seat}</span>
      </li>`,
    )}
  </ol>`;
}

const DICE_TROUBLE = ["cocked", "wrong_count", "no_reader"];

/**
 * The newest events, as many as fit.
 * @param {{ state: ScreenState }} props
 */
function Latest({ state }) {
  const { dice, dispute } = state;
  if (dispute?.stage === "vote" || (dice && DICE_TROUBLE.includes(dice.state))) return null;
  const events = state.events.slice(dice || dispute ? -1 : -3).reverse();
  if (!events.length) return null;
  return html`<ol class="now-log" data-part="log">
    ${events.map((event) => html`<${LatestEvent} key=${event.n} state=${state} event=${event} />`)}
  </ol>`;
}

/** @param {{ state: ScreenState, event: PublicEvent }} props */
function LatestEvent({ state, event }) {
  const { sum } = event.data;
  return html`<li>
    <span class="now-told"><${Sentence} state=${state} text=${event.text} /></span>
    ${sum && html`<span class="now-sum"><${Sentence} state=${state} text=${sum} /></span>`}
  </li>`;
}
