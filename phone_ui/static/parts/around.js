// The public part of a match on phones: rows on the table, facts, and the area of each seat.

import { html } from "../lib/html.js";
import { numberText } from "../lib/labels.js";
import { message } from "../lib/language.js";
import { placeOf } from "../lib/seats.js";
import { at } from "../lib/values.js";
import { askedSeats, newestLine, orderOf, phaseOf, revealedValues } from "../lib/view.js";
import { Facts } from "./facts.js";
import { later } from "./later.js";
import { Sentence, Who } from "./marks.js";
import { TurnedCards } from "./reveal.js";
import { Rows } from "./rows.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicEvent, PublicSeat, PublicState } from "../lib/messages.d.ts" */

/**
 * Return what a seat is doing in the open question, in a word or two; "" if it has nothing to do.
 * @param {PublicState} state
 * @param {number} seat
 */
export function doing(state, seat) {
  const { dispute, view } = state;
  if (dispute?.stage === "vote") return [...dispute.yes, ...dispute.no].includes(seat) ? "" : message("to vote");
  if (state.locked.includes(seat)) return message("locked");
  const gone = goneText(placeOf(state, seat));
  if (gone || !askedSeats(view).includes(seat)) return gone;
  if (view?.waiting?.roll?.seat === seat) return state.dice?.again ? message("reads again") : message("rolls");
  return view?.waiting?.secret ? message("choosing") : message("plays now");
}

/**
 * Return whether the table waits for somebody who has gone, other than this seat.
 * @param {PublicState} state
 * @param {number} mine
 */
export const waitsForGone = (state, mine) =>
  askedSeats(state.view).some(
    (seat) => seat !== mine && !state.locked.includes(seat) && Boolean(goneText(placeOf(state, seat))),
  );

/**
 * Return why a seat does not answer, in a word or two; "" if it does, or if the house plays there.
 * @param {PublicSeat | undefined} place
 */
function goneText(place) {
  if (!place || place.house || place.presence === "here") return "";
  return place.phone === "away" ? message("phone asleep") : message("away");
}

/**
 * Return the number that counts for a seat in this phase, with its name, if the labels have numbers by seat; or that the
 * seat is out. Null if nothing counts.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {number} seat
 * @returns {{ text: string, label: string } | null}
 */
export function countNow(labels, state, seat) {
  const path = phaseOf(labels, state.view).cells;
  if (!path || !labels) return null;
  const inside = labels.screen?.inside && at(state.view, labels.screen.inside);
  if (inside && !inside.includes(seat)) return { text: message("out"), label: "" };
  const facts = Object.entries(labels.facts ?? {});
  const about = facts.find(([name, fact]) => path === `table.${fact.name ?? name}`)?.[1];
  const number = at(state.view, path)?.[seat];
  return number === undefined ? null : { text: numberText(number, about), label: about?.label ?? "" };
}

/**
 * The action of a seat, or the number that counts for it.
 * @param {{ doing: string, count: { text: string, label: string } | null }} props
 */
export function NowAt({ doing, count }) {
  if (doing || !count) return html`${doing}`;
  return html`<span class="unseen">${count.label} </span>${count.text}`;
}

/**
 * Return the seat with the game's marker, and the marker's name; null if there is none.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function tokenOf(labels, state) {
  const screen = labels?.screen;
  const seat = screen?.token && at(state.view?.table, screen.token);
  if (!seat) return null;
  return { seat: Number(seat), letter: screen?.token_letter ?? "", name: screen?.token_name ?? "" };
}

const NumberLine = later(() => import("./number_line.js").then((part) => part.NumberLine));

/** @type {Record<string, string>} */
const DOES = {
  "phone asleep": message("is asleep"),
  away: message("is away"),
  rolls: message("rolls"),
  "reads again": message("reads the dice again"),
  choosing: message("chooses"),
  "plays now": message("plays now"),
};

/**
 * The seats that the table waits for, and for what, shown to the players who wait.
 * @param {{ state: PublicState, mine?: number }} props
 */
export function WaitingFor({ state, mine }) {
  const seats = askedSeats(state.view).filter((seat) => !state.locked.includes(seat) && seat !== mine);
  if (!seats.length) return null;
  if (seats.length === 1) {
    const [seat] = seats;
    if (state.want) return html`<p class="want"><${Sentence} state=${state} text=${state.want} /></p>`;
    return html`<p class="want"><${Who} state=${state} seat=${seat} /> ${DOES[doing(state, seat)]}</p>`;
  }
  const wanted = state.want && html`<p class="waiting-want"><${Sentence} state=${state} text=${state.want} /></p>`;
  return html`<p class="waiting-for">
    <span>Waiting for</span> ${seats.map((seat) => html`<${Who} state=${state} seat=${seat} />`)}
  </p>${wanted}`;
}

/**
 * The table and the area of each seat, in the order in which the seats act, if there is one.
 * @param {{ labels: Labels | null, state: PublicState, mine?: number, revealing?: boolean }} props
 */
export function Around({ labels, state, mine, revealing = false }) {
  const line = !revealing && phaseOf(labels, state.view).line && newestLine(state);
  const all = Object.keys(state.view?.seats ?? {}).map(Number);
  const order = orderOf(labels, state.view) ?? [];
  const seats = [...order, ...all.filter((seat) => !order.includes(seat))];
  return html`<section class="around" aria-label="The table">
    <${Rows} labels=${labels} state=${state} mine=${mine} />
    ${line && html`<${NumberLine} key=${line.n} state=${state} line=${line} mine=${mine} />`}
    <${Facts} labels=${labels} state=${state} where="table" facts=${state.view?.table} />
    <ul class="places" data-part="seats">
      ${seats.map((seat) => html`<${Place} key=${seat} labels=${labels} state=${state} seat=${seat} mine=${mine} />`)}
    </ul>
  </section>`;
}

/** @param {{ labels: Labels | null, state: PublicState, seat: number, mine?: number }} props */
function Place({ labels, state, seat, mine }) {
  const now = doing(state, seat);
  const token = tokenOf(labels, state);
  return html`<li class=${`place${seat === mine ? " mine" : ""}${now ? " busy" : ""}`} data-part=${now ? "asked" : null}>
    <div class="place-head">
      <${Who} state=${state} seat=${seat} number />
      ${seat === mine && html`<span class="quiet-words">you</span>`}
      ${token?.seat === seat && html`<span class="tag">${token.name}</span>`}
      <span class=${now ? "place-now" : "place-count"}>
        <${NowAt} doing=${now} count=${countNow(labels, state, seat)} />
      </span>
    </div>
    <${Facts} labels=${labels} state=${state} where="seat" facts=${state.view?.seats[seat]} seat=${seat} reckoned />
  </li>`;
}

/**
 * The numbers just revealed, on their line or by seat.
 * @param {{ labels: Labels | null, state: PublicState, reveal: PublicEvent, mine?: number }} props
 */
export function Reveal({ labels, state, reveal, mine }) {
  const line = newestLine(state);
  if (line && line.n > reveal.n) {
    return html`<section class="reveal lined" data-part="reveal" aria-label="Revealed">
      <${NumberLine} key=${line.n} state=${state} line=${line} mine=${mine} />
    </section>`;
  }
  const values = revealedValues(reveal);
  if (!values.length) return null;
  return html`<section class="reveal" data-part="reveal" aria-label="Revealed">
    <${TurnedCards} labels=${labels} state=${state} n=${reveal.n} values=${values} />
  </section>`;
}
