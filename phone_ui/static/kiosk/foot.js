// The foot of the screen during and after a match: how to join, the codes of free seats, the rule of this moment.

import { html, useEffect, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { isHouse } from "../lib/seats.js";
import { minutesText } from "../lib/view.js";
import { RoomLesson } from "../parts/lesson.js";
import { Fingerprint, Mark } from "../parts/marks.js";
import { bareUrl, codeOf, JoinCode } from "./joining.js";

/** @import { PublicSeat, ScreenState } from "../lib/messages.d.ts" */

/** Seconds for which the foot shows the code of a seat that the house plays. */
const CODE_TURN = 6;

/**
 * Return one of the seats after the other, each for a while.
 * @param {PublicSeat[]} seats
 */
function useInTurn(seats) {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((now) => now + 1), CODE_TURN * 1000);
    return () => clearInterval(timer);
  }, []);
  return seats.length ? [seats[turn % seats.length]] : [];
}

/**
 * How to join during a match: small, but always there. Free seats show their codes themselves;
 * codes of seats that the house plays are shown here in turn.
 * @param {{ state: ScreenState }} props
 */
export function Foot({ state }) {
  const over = state.state === "over";
  const plays = (/** @type {PublicSeat} */ place) => !over && Boolean(state.view?.seats[place.seat]);
  const shown = state.seats.filter((place) => codeOf(state, place.seat));
  const inTurn = useInTurn(shown.filter((place) => plays(place) && isHouse(place)));
  const free = [...shown.filter((place) => !plays(place)), ...inTurn];
  return html`<footer class="foot">
    <${JoinCode} state=${state} kind="foot-qr" />
    <div class="foot-join">
      <p>Join: <b class="code" translate="no">${state.code}</b></p>
      <p class="foot-url">${bareUrl(state.url) || say("no network yet")}</p>
    </div>
    <${RoomLesson} state=${state} />
    ${state.fingerprint && html`<p class="foot-key">key <${Fingerprint} digits=${state.fingerprint} /></p>`}
    ${
      free.length > 0 &&
      html`<p class="foot-free">
        ${free.map(
          ({ seat }) => html`<span key=${seat}><${Mark} seat=${seat} /> ${seat} <b>${codeOf(state, seat)}</b></span>`,
        )}
      </p>`
    }
    <p class="foot-name">${[minutesText(state.minutes_left), state.name].filter(Boolean).join(" · ")}</p>
  </footer>`;
}
