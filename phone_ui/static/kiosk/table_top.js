// The wooden table from above: the felt, and the seats in their places.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { isHouse, isNamed, nameStays, placeOf, seatName } from "../lib/seats.js";
import { newestLine, revealedValues } from "../lib/view.js";
import { countNow, doing, NowAt, tokenOf } from "../parts/around.js";
import { Facts } from "../parts/facts.js";
import { Copies, coloursOf, FeltFace, Gone, Hammer, Versus } from "../parts/felt.js";
import { LAY_OUT, LayOut } from "../parts/lay_out.js";
import { Mark, Sentence } from "../parts/marks.js";
import { useReveal, useRolled } from "../parts/news.js";
import { TurnedCards } from "../parts/reveal.js";
import { Rolled } from "../parts/rolled.js";
import { CardRows, Rows } from "../parts/rows.js";
import { codeOf } from "./joining.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicSeat, ScreenState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: ScreenState }} ScreenProps */

/**
 * The places of seats by their number, clockwise from the lower left corner: far side and near side, left to right.
 * @type {Record<number, number[][]>}
 */
const SIDES = {
  2: [[2], [1]],
  3: [[2, 3], [1]],
  4: [
    [2, 3],
    [1, 4],
  ],
  5: [
    [2, 3, 4],
    [1, 5],
  ],
  6: [
    [2, 3, 4],
    [1, 6, 5],
  ],
};

/** @param {PublicSeat | undefined} place */
const placeText = (place) => (place?.held ? "phone" : "free");

/**
 * The wooden table from above, with the seats in their places.
 * @param {ScreenProps} props
 */
export function TableTop({ labels, state }) {
  const seats = Object.keys(state.view?.seats ?? {}).map(Number);
  const places = Math.min(6, Math.max(2, state.seats.length, ...seats));
  const [rolls, onEnd] = useRolled(state);
  const [far, near] = SIDES[places].map((side) => side.filter((seat) => seats.includes(seat)));
  return html`<section class="table-top" aria-label="The table">
    <${Side} labels=${labels} state=${state} seats=${far} />
    <div class="felt" style=${coloursOf(labels?.screen?.look)}>
      <${FeltFace} look=${labels?.screen?.look} title=${state.title} />
      <${Versus} labels=${labels} state=${state} />
      <${Copies} labels=${labels} state=${state} />
      ${
        state.view?.phase === LAY_OUT
          ? html`<${LayOut} labels=${labels} />`
          : html`
              <${CardRows} labels=${labels} state=${state} small=${false} />
              <${Rows} labels=${labels} state=${state} small=${false} />
              <${Facts} labels=${labels} state=${state} where="table" facts=${state.view?.table} on="kiosk" />
            `
      }
      <${Hammer} labels=${labels} state=${state} />
      <${Revealed} labels=${labels} state=${state} />
      <${Gone} labels=${labels} state=${state} />
      ${rolls.length > 0 && html`<${Rolled} state=${state} rolls=${rolls} onEnd=${onEnd} />`}
      <${ReadAloud} state=${state} />
    </div>
    <${Side} labels=${labels} state=${state} seats=${near} />
  </section>`;
}

/**
 * Over the middle of the table for a while: the last reveal, unless a number line shows it and it has no cards.
 * @param {ScreenProps} props
 */
function Revealed({ labels, state }) {
  const reveal = useReveal(state);
  const values = reveal ? revealedValues(reveal) : [];
  const faced = values.some(({ cards }) => cards.length);
  if (!reveal || !values.length || (!faced && (newestLine(state)?.n ?? 0) > reveal.n)) return null;
  return html`<section class="revealed" data-part="reveal" aria-label="Revealed">
    <${TurnedCards} labels=${labels} state=${state} n=${reveal.n} values=${values} />
  </section>`;
}

/**
 * What a seat reads aloud, as large as the felt allows.
 * @param {{ state: ScreenState }} props
 */
function ReadAloud({ state }) {
  const { reads = "", seat = 0 } = state.question ?? {};
  if (!reads) return null;
  return html`<section class="reading" aria-label="Read aloud">
    <p class="reading-who"><${Sentence} state=${state} text=${say("Seat {seat} reads aloud", { seat })} /></p>
    <p class="read-aloud" style=${{ "--root": Math.sqrt(say(reads).length) }}>${reads}</p>
  </section>`;
}

/** @param {ScreenProps & { seats: number[] }} props */
function Side({ labels, state, seats }) {
  return html`<ul class="side" data-part="seats" style=${{ "--count": Math.max(seats.length, 2) }}>
    ${seats.map((seat) => html`<${SeatPlace} key=${seat} labels=${labels} state=${state} seat=${seat} />`)}
  </ul>`;
}

/** @param {ScreenProps & { seat: number }} props */
function SeatPlace({ labels, state, seat }) {
  const place = placeOf(state, seat);
  const code = place && isHouse(place) ? null : codeOf(state, seat); // the foot shows the codes of the house's seats in turn
  const token = tokenOf(labels, state);
  const now = doing(state, seat);
  const count = countNow(labels, state, seat);
  const isAsked = now && now !== "locked" && now !== "phone asleep";
  return html`<li class=${`seat-place${isAsked ? " asked" : ""}${count?.text === "out" ? " out" : ""}`} data-part=${isAsked ? "asked" : null}>
    <div class="seat-head">
      <${Mark} seat=${seat} />
      ${isNamed(state, seat) && html`<span class="who-number">${seat}</span>`}
      <b class="seat-called" translate=${nameStays(state, seat)} style=${{ "--letters": seatName(state, seat).length }}>${seatName(state, seat)}</b>
      ${token?.seat === seat && html`<${Token} name=${token.name} letter=${token.letter} />`}
      <span class="seat-now"><${NowAt} doing=${now === "locked" ? say("locked ✓") : now} count=${count} /></span>
    </div>
    <${Facts} labels=${labels} state=${state} where="seat" facts=${state.view?.seats[seat]} seat=${seat} on="kiosk" />
    ${code && html`<p class="seat-free">${say("{seat}, code", { seat: placeText(place) })} <b translate="no">${code}</b></p>`}
    ${place?.stands_in && html`<p class="seat-free">the house plays on</p>`}
    ${place?.box === "lost" && html`<p class="seat-free">${place.phone === "on" ? say("box unplugged: play on the phone") : say("box unplugged: plug it in")}</p>`}
  </li>`;
}

/** @param {{ name: string, letter: string }} props */
function Token({ name, letter }) {
  return html`<span class="tag token">
    <span class="token-name">${name}</span><span class="token-letter" aria-hidden="true">${letter}</span>
  </span>`;
}
