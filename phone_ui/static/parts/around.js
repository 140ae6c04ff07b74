// The public part of a match as phones show it: rows on the table, facts, and what lies before each seat.

import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { Mark, Said, Who } from "./atoms.js";
import { Facts, Rows } from "./facts.js";
import { NumberLine } from "./number_line.js";
import { asked, at, counted, lineIn, orderOf, phaseOf, seatName } from "../lib/labels.js";

/** What a seat is doing in the open question, in a word or two; empty when nothing is wanted of it. */
export function doing(state, seat) {
  const place = state.seats.find((s) => s.seat === seat);
  if (state.dispute?.stage === "vote")
    return [...state.dispute.yes, ...state.dispute.no].includes(seat) ? "" : "to vote";
  if (state.locked?.includes(seat)) return "locked";
  if (asked(state.view).includes(seat))
    return state.view.waiting?.roll?.seat === seat
      ? state.dice?.again
        ? "reads again"
        : "rolls"
      : state.view.waiting?.secret
        ? "choosing"
        : "to act";
  if (place?.phone === "away") return "phone asleep";
  return "";
}

/** What counts of a seat in this phase, where the words name numbers by seat: its number and what that is, or that it is out. */
export function countNow(words, state, seat) {
  const path = phaseOf(words, state.view).cells;
  if (!path) return null;
  const inside = words.screen.inside && at(state.view, words.screen.inside);
  if (inside && !inside.includes(seat)) return { said: "out", label: "" };
  const about = Object.entries(words.facts).find(([name, fact]) => path === `table.${fact.name ?? name}`)?.[1];
  const number = at(state.view, path)?.[seat];
  return number === undefined ? null : { said: counted(number, about), label: about?.label ?? "" };
}

/** What a seat does, or what counts of it. */
export function NowAt({ doing, count }) {
  if (doing || !count) return doing;
  return html`<span class="unseen">${count.label} </span>${count.said}`;
}

/** The seat that holds the game's marker, and what the marker is called; null when there is none. */
export function tokenOf(words, state) {
  const path = words?.screen?.token;
  const seat = path && at(state.view?.table, path);
  return seat
    ? { seat: Number(seat), letter: words.screen.token_letter ?? "", name: words.screen.token_name ?? "" }
    : null;
}

const DOES = { rolls: "rolls", "reads again": "reads the dice again", choosing: "chooses", "to act": "is to act" };

/** Who is waited for and for what, told to those who wait. */
export function WaitingFor({ state, mine }) {
  const seats = asked(state.view).filter((seat) => !state.locked?.includes(seat) && seat !== mine);
  if (!seats.length) return null;
  const wanted = state.want && html`<p class="waiting-want"><${Said} state=${state} text=${state.want} /></p>`;
  if (seats.length === 1)
    return html`<p class="want"><${Who} state=${state} seat=${seats[0]} /> ${DOES[doing(state, seats[0])]}</p>${wanted}`;
  return html`<p class="waiting-for"><span>Waiting for</span> ${seats.map((seat) => html`<${Who} state=${state} seat=${seat} />`)}</p>${wanted}`;
}

export function Around({ words, state, mine, revealing = false }) {
  const token = tokenOf(words, state);
  const seats = inOrder(words, state);
  const line = !revealing && phaseOf(words, state.view).line && lineIn(state);
  return html`<section class="around" aria-label="The table">
    <${Rows} words=${words} state=${state} mine=${mine} />
    ${line && html`<${NumberLine} key=${line.n} state=${state} line=${line} mine=${mine} />`}
    <${Facts} words=${words} state=${state} where="table" facts=${state.view?.table} />
    <ul class="places">
      ${seats.map((seat) => {
        const now = doing(state, seat);
        return html`<li key=${seat} class=${`place${seat === mine ? " mine" : ""}${now ? " busy" : ""}`}>
          <div class="place-head">
            <${Who} state=${state} seat=${seat} number />
            ${seat === mine && html`<span class="quiet-words">you</span>`}
            ${token?.seat === seat && html`<span class="tag">${token.name}</span>`}
            <span class=${now ? "place-now" : "place-count"}><${NowAt} doing=${now} count=${countNow(words, state, seat)} /></span>
          </div>
          <${Facts} words=${words} state=${state} where="seat" facts=${state.view.seats[seat]} seat=${seat} />
        </li>`;
      })}
    </ul>
  </section>`;
}

/** All seats, in the order in which they act where there is one. */
function inOrder(words, state) {
  const all = Object.keys(state.view?.seats ?? {}).map(Number);
  const order = orderOf(words, state.view) ?? [];
  return [...order, ...all.filter((seat) => !order.includes(seat))];
}

const REVEAL_FOR = 4_500;
const HEADLINE_FOR = 7_000;

/** The newest of some kinds of events, for a while; null before, and for what was there when the page came. */
function useNews(state, kinds, lasts) {
  const news = [...(state.events ?? [])].reverse().find((e) => kinds.includes(e.kind)) ?? null;
  const seen = useRef(news?.n ?? 0);
  const [showing, setShowing] = useState(null);
  useEffect(() => {
    if ((news?.n ?? 0) > seen.current) setShowing(news);
    seen.current = news?.n ?? 0;
  }, [news?.n]);
  useEffect(() => {
    if (!showing) return undefined;
    const timer = setTimeout(() => setShowing(null), lasts);
    return () => clearTimeout(timer);
  }, [showing]);
  return showing;
}

/** True for a while after a reveal. */
export const useReveal = (state) => Boolean(useNews(state, ["reveal"], REVEAL_FOR));

/** What came of a roll or a trial, as the words say which events tell it: it stays to be read while the match goes on. */
export function useHeadline(words, state) {
  const news = useNews(state, words?.screen?.headline ?? [], HEADLINE_FOR);
  const toldAlready = state.dice || phaseOf(words, state.view).headline === false;
  return toldAlready ? "" : (news?.text ?? "");
}

/** The numbers that were just revealed, on their line or seat by seat. */
export function Reveal({ words, state, mine }) {
  const line = lineIn(state);
  if (line)
    return html`<section class="reveal lined" aria-label="Revealed"><${NumberLine} key=${line.n} state=${state} line=${line} mine=${mine} /></section>`;
  const name = words?.screen?.ring;
  const seats = Object.entries(state.view?.seats ?? {}).filter(
    ([, facts]) => name && facts[name] !== null && facts[name] !== undefined,
  );
  if (!seats.length) return null;
  return html`<section class="reveal" aria-label="Revealed">
    ${seats.map(([seat, facts]) => html`<span key=${seat} class="reveal-seat"><${Mark} seat=${Number(seat)} /><b>${String(facts[name])}</b><span class="who-name">${seatName(state, seat)}</span></span>`)}
  </section>`;
}
