// The table's screen: public state only, readable from 2.5 m, never asleep and never an error page.

import { html, render, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { withEvents } from "../lib/kept_events.js";
import { ranking, scoreText, withDeck } from "../lib/labels.js";
import { begin, languageNow } from "../lib/language.js";
import { OwnScreen } from "../lib/own_screen.js";
import {
  asPlayed,
  calledName,
  isHouse,
  isNamed,
  nameStays,
  placeOf,
  seatName,
  splitAtSeats,
  withNames,
} from "../lib/seats.js";
import { fetchLanguages } from "../lib/speaking.js";
import { follow } from "../lib/stream.js";
import {
  askedSeats,
  newestLine,
  nowLines,
  orderOf,
  phaseOf,
  phaseText,
  revealedValues,
  roundText,
} from "../lib/view.js";
import { countNow, doing, NowAt, tokenOf } from "../parts/around.js";
import { ChosenOptions } from "../parts/chosen_options.js";
import { DiceDone, DiceRow, DiceWants, DisputeVote, diceText } from "../parts/die.js";
import { Facts } from "../parts/facts.js";
import { Copies, coloursOf, FeltFace, Gone, Hammer, Title, Versus } from "../parts/felt.js";
import { LAY_OUT, LayOut } from "../parts/lay_out.js";
import { RoomLesson } from "../parts/lesson.js";
import { seatStateText } from "../parts/lobby.js";
import { Fingerprint, Mark, Marks, Sentence, Who } from "../parts/marks.js";
import { useHeadline, useReveal } from "../parts/news.js";
import { Notices } from "../parts/notices.js";
import { NumberLine } from "../parts/number_line.js";
import { QrCode } from "../parts/qr_code.js";
import { PausedPart, PutAsideList, QuestionPart, StartingPart } from "../parts/questions.js";
import { ScoreParts } from "../parts/result.js";
import { TurnedCards } from "../parts/reveal.js";
import { CardRows, Rows } from "../parts/rows.js";
import { useSound } from "../parts/sound.js";
import { useFitted } from "../parts/use_fitted.js";
import { useLabels } from "../parts/use_labels.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { GameOffer, PublicDice, PublicEvent, PublicSeat, ScreenState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: ScreenState }} ScreenProps */

const table = location.pathname.split("/").filter(Boolean).at(-2) ?? "";
const SHOW_GAME = 6_500;
/** How many letters of a name count in the big line: what the line says of the seat stays large. */
const NAME_LETTERS = 8;

/**
 * Where seats lie by their number, clockwise from the lower left corner: the far side and the near one, left to right.
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

/** Called when the hub takes or refuses the link of this screen. */
let onRefused = (/** @type {boolean} */ _refused) => {};
const screen = new OwnScreen(table, location.hash, (refused) => onRefused(refused));

/**
 * Return the code that claims a seat, where this screen is one of the table's own and may show it.
 * @param {ScreenState} state
 * @param {number} seat
 */
const codeOf = (state, seat) => state.claim_codes?.[seat];

/** @param {PublicSeat | undefined} place */
const placeText = (place) => (place?.held ? "phone" : "free");

/** @type {string[]} */
let languages = [];

const TURN_SECONDS = 20;

/**
 * Where the table has two languages, show the other one: with each round, and now and then while nobody plays.
 * @param {ScreenState | null} state
 */
function useLanguagesInTurn(state) {
  const inPlay = state?.state === "playing" || state?.state === "stopped";
  const moment = inPlay ? `${state.match} ${state.view?.round}` : "";
  const began = useRef(moment);
  const turn = () => begin([languages.find((one) => one !== languageNow()) ?? languages[0]]).then(draw);
  useEffect(() => {
    if (languages.length < 2 || !state) return undefined;
    if (!moment) {
      const timer = setInterval(turn, TURN_SECONDS * 1000);
      return () => clearInterval(timer);
    }
    if (began.current && began.current !== moment) turn();
    began.current = moment;
    return undefined;
  }, [moment, state === null]);
}

function Kiosk() {
  const [state, setState] = useState(/** @type {ScreenState | null} */ (null));
  const [away, setAway] = useState(false);
  const [refused, setRefused] = useState(false);
  const shown = useMemo(() => shownOf(state), [state]);
  const gameLabels = useLabels(shown?.game);
  const isReady = gameLabels !== undefined; // before, a match would be shown in the hub's own words
  const labels = useMemo(
    () => withDeck(gameLabels ?? null, shown?.view?.table, shown?.view?.seats),
    [gameLabels, shown],
  );

  useEffect(() => {
    /** @type {(next: ScreenState) => void} */
    const show = setState;
    const withAll = withEvents(show);
    let own = false;
    onRefused = setRefused;
    const stream = follow(`/t/${table}/screen/events`, {
      onState: (next) => {
        own = "claim_codes" in next;
        withAll(next);
      },
      onAway: setAway,
      onHeard: () => screen.beat(own),
      open: (address) => screen.open(address),
    });
    return () => stream.close();
  }, []);

  useLanguagesInTurn(state);
  useSound(state, away); // of what is played here: a demonstration is silent

  if (!state || !shown || away) return html`<${Splash} />`;
  const inPlay = isReady && (shown.state === "playing" || shown.state === "stopped");
  return html`<div class=${`screen ${shown.state}${state.demonstration ? " demonstration" : ""}`}>
    <main aria-busy=${!isReady}>
      ${inPlay && html`<${TableTop} labels=${labels} state=${shown} /><${Now} labels=${labels} state=${shown} />`}
      ${isReady && shown.state === "over" && shown.over && html`<${Winner} labels=${labels} state=${shown} />`}
      ${shown.state === "lobby" && html`<${Welcome} state=${state} />`}
    </main>
    ${
      (state.question || state.starting || state.paused != null) &&
      html`<div class="questions">
        <${QuestionPart} state=${state} /><${StartingPart} state=${state} /><${PausedPart} state=${state} />
      </div>`
    }
    ${state.notices.length > 0 && html`<div class="notices"><${Notices} state=${state} /></div>`}
    ${
      refused &&
      html`<div class="notices">
        <p class="notice">
          This screen's link is no longer valid, so it shows no codes of seats. Staff: run table-hub screen-link on the hub and open the new link here.
        </p>
      </div>`
    }
    ${isReady && state.demonstration && html`<${Invitation} state=${state} game=${state.demonstration.game} />`}
    ${!state.demonstration && state.state !== "lobby" && html`<${Foot} state=${state} />`}
    ${state.light < 100 && html`<div class="night" style=${{ opacity: 0.7 - (0.7 * state.light) / 100 }}></div>`}
  </div>`;
}

/**
 * Return what is drawn: the state, or the demonstration in place of its match, at the same table with the same codes.
 * @param {ScreenState | null} state
 * @returns {ScreenState | null}
 */
const shownOf = (state) => (state?.demonstration ? { ...state, ...state.demonstration } : state);

function Splash() {
  return html`<main class="splash">
    <svg class="splash-ring" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="24" /></svg>
    <h1 class="headline">Waiting for the hub</h1>
  </main>`;
}

// --- the table -----------------------------------------------------------------------------------------

/**
 * The wooden table seen from above, seats in their places.
 * @param {ScreenProps} props
 */
function TableTop({ labels, state }) {
  const seats = Object.keys(state.view?.seats ?? {}).map(Number);
  const places = Math.min(6, Math.max(2, state.seats.length, ...seats));
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
    </div>
    <${Side} labels=${labels} state=${state} seats=${near} />
  </section>`;
}

/**
 * Over the middle of the table for a while: what was revealed, unless a number line shows it and there are no cards.
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

/** @param {ScreenProps & { seats: number[] }} props */
function Side({ labels, state, seats }) {
  return html`<ul class="side" data-part="seats" style=${{ "--count": Math.max(seats.length, 2) }}>
    ${seats.map((seat) => html`<${SeatPlace} key=${seat} labels=${labels} state=${state} seat=${seat} />`)}
  </ul>`;
}

/** @param {ScreenProps & { seat: number }} props */
function SeatPlace({ labels, state, seat }) {
  const place = placeOf(state, seat);
  const code = place && isHouse(place) ? null : codeOf(state, seat); // the foot shows those of the house in turn
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
      <span class="seat-now"><${NowAt} doing=${now === "locked" ? "locked ✓" : now} count=${count} /></span>
    </div>
    <${Facts} labels=${labels} state=${state} where="seat" facts=${state.view?.seats[seat]} seat=${seat} on="kiosk" />
    ${code && html`<p class="seat-free">${placeText(place)}, code <b translate="no">${code}</b></p>`}
    ${place?.stands_in && html`<p class="seat-free">the house plays on</p>`}
    ${place?.box === "lost" && html`<p class="seat-free">${place.phone === "on" ? "box unplugged: play on the phone" : "box unplugged: plug it in"}</p>`}
  </li>`;
}

/** @param {{ name: string, letter: string }} props */
function Token({ name, letter }) {
  return html`<span class="tag token">
    <span class="token-name">${name}</span><span class="token-letter" aria-hidden="true">${letter}</span>
  </span>`;
}

// --- the moment ----------------------------------------------------------------------------------------

/**
 * The NOW card: who, what, and the biggest number of the moment.
 * @param {ScreenProps} props
 */
function Now({ labels, state }) {
  const headline = useHeadline(labels, state);
  const revealing = useReveal(state);
  const { dice } = state;
  const voting = state.dispute?.stage === "vote";
  const isFull = voting || (dice?.count ?? 0) > 1; // dice or a vote take the room of the order
  const line = revealing || phaseOf(labels, state.view).line ? newestLine(state) : null;
  return html`<section class=${`now${isFull || headline ? " with-dice" : ""}`} aria-label="Now">
    <${Where} labels=${labels} state=${state} />
    ${headline && !voting && html`<p class="now-headline"><${Sentence} state=${state} text=${headline} /></p>`}
    <${BigLine} labels=${labels} state=${state} />
    ${line && html`<${NumberLine} key=${line.n} state=${state} line=${line} />`}
    ${dice && html`<${NowDice} state=${state} dice=${dice} />`}
    <${Dispute} state=${state} />
    ${!dice && !voting && state.want && html`<p class="now-want"><${Sentence} state=${state} text=${state.want} /></p>`}
    ${!isFull && !line && html`<${Order} labels=${labels} state=${state} />`}
    <${Latest} state=${state} />
  </section>`;
}

/** @param {ScreenProps} props */
function Where({ labels, state }) {
  const round = state.view?.round ? html`, <span>${roundText(state.view).toLowerCase()}</span>` : "";
  return html`<h1 class="now-where">${state.title}${round}</h1>
    <p class="now-phase">${phaseText(labels, state.view)}</p>`;
}

/** Letters of the big line from which on it is written on two. */
const TWO_LINES = 24;

/**
 * Who is asked, the big line and its caption.
 * @param {ScreenProps} props
 */
function BigLine({ labels, state }) {
  const { main, caption } = nowLines(labels, state);
  const seats = askedSeats(state.view);
  const isOpen = !state.view?.waiting.secret && state.dispute?.stage !== "vote";
  // A mark is about as wide as two letters; the longer the line, the smaller it is written. A long name is smaller still.
  const parts = splitAtSeats(main);
  const cut = parts.map((part) =>
    typeof part === "number" ? Math.max(0, seatName(state, part).length - NAME_LETTERS) : 0,
  );
  const letters = withNames(state, main).length + 2 * (parts.length - 1) - cut.reduce((sum, one) => sum + one, 0);
  return html`
    ${isOpen && seats.length === 1 && html`<p class="now-who" style=${{ "--letters": seatName(state, seats[0]).length + 2 }}><${Who} state=${state} seat=${seats[0]} /></p>`}
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

/** @param {{ state: ScreenState, dice: PublicDice }} props */
function NowDice({ state, dice }) {
  const { votes, as_it_lies: asItLies, enough } = dice;
  return html`<div class=${`now-dice ${dice.state}`} data-part="dice">
    <${DiceDone} dice=${dice} />
    <${DiceRow} dice=${dice} />
    <p class="dice-say"><${Sentence} state=${state} text=${diceText(dice)} /></p>
    <${DiceWants} dice=${dice} />
    ${votes.length > 0 && html`<p class="votes"><${Marks} seats=${votes} /> for a roll by the hub</p>`}
    ${
      asItLies.length > 0 &&
      html`<p class="votes"><${Marks} seats=${asItLies} /> ${asItLies.length} of ${enough} to read it as it lies</p>`
    }
  </div>`;
}

/**
 * A roll that stands: how to dispute it, the vote on it, or how that ended.
 * @param {{ state: ScreenState }} props
 */
function Dispute({ state }) {
  const { dispute } = state;
  if (!dispute || dispute.stage === "reading") return null;
  if (dispute.stage === "told") return html`<p class="now-dispute" role="status">${dispute.say}</p>`;
  const boxed = state.seats.some((place) => place.box === "on");
  if (dispute.stage === "vote") {
    return html`<div class="now-dice disputed">
      <${DisputeVote} state=${state} dispute=${dispute} />
      ${boxed && html`<p class="dice-say">Push: yes. Bar: no.</p>`}
    </div>`;
  }
  return html`<div class="now-dispute">
    <${DiceRow} dice=${dispute} /><span>Read wrong? ${boxed ? "Press the bar." : "Say so on a phone."}</span>
  </div>`;
}

/**
 * The seats in the order in which they act; who is asked is marked.
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
 * The newest events, as many as there is room for.
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

// --- joining -------------------------------------------------------------------------------------------

/** @param {string} url */
const bareUrl = (url) => url.replace(/^https?:\/\//, "").replace(/\/$/, "");

/**
 * The QR code of the present address; nothing while there is no network.
 * @param {{ state: ScreenState, kind: string }} props
 */
function JoinCode({ state, kind }) {
  // The address in the query makes the browser fetch the picture again once it has changed.
  const src = `/t/${table}/qr.svg?${encodeURIComponent(state.url)}`;
  return state.url && html`<img class=${kind} src=${src} alt="code to scan" />`;
}

/** Seconds for which a seat of the house has the foot's room for its code. */
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
 * Joining stays possible in play: small, but always there. While a match is played its seats show their codes themselves;
 * those of the house take turns here.
 * @param {{ state: ScreenState }} props
 */
function Foot({ state }) {
  const over = state.state === "over";
  const plays = (/** @type {PublicSeat} */ place) => !over && Boolean(state.view?.seats[place.seat]);
  const shown = state.seats.filter((place) => codeOf(state, place.seat));
  const inTurn = useInTurn(shown.filter((place) => plays(place) && isHouse(place)));
  const free = [...shown.filter((place) => !plays(place)), ...inTurn];
  return html`<footer class="foot">
    <${JoinCode} state=${state} kind="foot-qr" />
    <div class="foot-join">
      <p>Join: <b class="code" translate="no">${state.code}</b></p>
      <p class="foot-url">${bareUrl(state.url) || "no network yet"}</p>
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
    <p class="foot-name">${leftText(state.minutes_left)}${state.name}</p>
  </footer>`;
}

/**
 * Under a demonstration: that it is one, of which game, and how to sit down.
 * @param {{ state: ScreenState, game: string | null }} props
 */
function Invitation({ state, game }) {
  const free = state.seats.filter((place) => codeOf(state, place.seat));
  const offer = state.games.find((one) => one.name === game);
  const boxed = state.seats.some((place) => place.box === "on");
  return html`<footer class="invitation" aria-label="Demonstration">
    <${JoinCode} state=${state} kind="invitation-qr" />
    <div class="invitation-text">
      <p>
        <b class="invitation-title">Demonstration. ${state.url ? "Scan to play" : boxed ? "Push a dial to play" : ""}</b>
        <span class="invitation-free">
          ${free.map(
            ({ seat }) => html`<span key=${seat}><${Mark} seat=${seat} /> ${seat} <b>${codeOf(state, seat)}</b></span>`,
          )}
        </span>
      </p>
      ${offer && html`<p class="invitation-blurb">${offer.blurb}</p>`}
      <p>
        <span>
          ${state.url ? html`or open <b>${bareUrl(state.url)}</b>, code <b class="code" translate="no">${state.code}</b>` : "No network yet"}
        </span>
        ${offer && html`<span class="invitation-soft">${offerText(offer)}</span>`}
        ${
          state.fingerprint &&
          html`<span class="invitation-soft invitation-key">key <${Fingerprint} digits=${state.fingerprint} /></span>`
        }
      </p>
      ${state.staff_pin && html`<${StaffPin} state=${state} />`}
    </div>
  </footer>`;
}

/**
 * Return for how many a game is, and how long it takes.
 * @param {GameOffer} game
 */
const offerText = ({ seats, minutes }) => `${seats[0]} to ${seats[1]} players, about ${minutes} minutes`;

/** @param {{ state: ScreenState }} props */
function StaffPin({ state }) {
  return html`<p class="staff-pin">
    Staff: open <b>${bareUrl(state.url) || location.host}/staff</b>, PIN <b class="code" translate="no">${state.staff_pin}</b>, shown until it was
    used once.
  </p>`;
}

/**
 * Return how long the match may still take, in words: the hub knows a range, or nothing.
 * @param {ScreenState["minutes_left"]} minutes
 */
const leftText = (minutes) => (minutes ? `${minutes[0]} to ${minutes[1]} minutes left · ` : "");

/**
 * Before a match: how to sit down, and what there is to play.
 * @param {{ state: ScreenState }} props
 */
function Welcome({ state }) {
  const { kit } = state;
  return html`<section class="welcome" aria-label="Join">
    <div class="welcome-left">
      <p class="welcome-name">${state.name}</p>
      ${state.staff_pin && html`<${StaffPin} state=${state} />`}
      <${Attract} state=${state} />
      ${kit && kit.weak.length > 0 && html`<p class="welcome-kit">Load before you play: ${kit.weak.join(", ")}</p>`}
      <${PutAsideList} state=${state} />
      <ul class="welcome-seats">
        ${state.seats.map((place) => html`<${WelcomeSeat} key=${place.seat} state=${state} place=${place} />`)}
      </ul>
    </div>
    <div class="welcome-right"><${HowToJoin} state=${state} /></div>
  </section>`;
}

/**
 * The game that is chosen, else all of them in turn.
 * @param {{ state: ScreenState }} props
 */
function Attract({ state }) {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setShown((i) => i + 1), SHOW_GAME);
    return () => clearInterval(timer);
  }, []);
  const seated = state.seats.filter((place) => place.held || place.ready).length;
  const fitting = state.games.filter(({ seats }) => seats[1] >= seated);
  const games = fitting.length ? fitting : state.games; // none for so many: all there are
  /** @type {GameOffer | undefined} */
  const game = state.games.find((one) => one.name === state.game) ?? games[shown % games.length];
  const labels = useLabels(game?.name);
  if (!game) return null;
  const look = labels?.screen?.look;
  const chosen = game.name === state.game;
  const preset = chosen && game.presets.find(({ name }) => name === state.preset);
  return html`<div class=${`attract${look ? " faced" : ""}`} key=${game.name} style=${coloursOf(look)}>
    <h1>${look ? html`<${Title} look=${look} title=${game.title} />` : game.title}</h1>
    <p class="attract-blurb">${game.blurb}</p>
    <p class="attract-meta">${offerText(game)}</p>
    ${preset && html`<p class="attract-preset"><b>${preset.name}</b>${preset.effect && `: ${preset.effect}`}</p>`}
    ${chosen && !preset && html`<p class="attract-preset"><${ChosenOptions} labels=${labels} state=${state} options=${state.options} /></p>`}
    ${chosen && game.lacks.map((text) => html`<p key=${text} class="attract-lacks">${text}</p>`)}
  </div>`;
}

/** @param {{ state: ScreenState, place: PublicSeat }} props */
function WelcomeSeat({ state, place }) {
  const { seat, name } = place;
  const code = codeOf(state, seat);
  const claiming = state.claiming.includes(seat);
  const here = place.held || place.ready;
  const text = here ? name || seatStateText(place) : "free";
  return html`<li class=${claiming ? "claiming" : here ? "here" : "free"}>
    <${Mark} seat=${seat} /><span class="who-number">${seat}</span>
    <span class="welcome-who" style=${{ "--letters": text.length + (place.ready && name ? 8 : 0) }}>${claiming ? (place.held ? "look at your box" : "press the button") : text}</span>
    ${
      code
        ? html`<span class="welcome-code" translate="no">${code}</span>`
        : place.ready && name && html`<span class="welcome-code">ready ✓</span>`
    }
  </li>`;
}

/**
 * Return whether pages reach phones as the hub has sent them, in words for the owner.
 * @param {string} url
 */
const transport = (url) =>
  url.startsWith("https:") ? "https: pages come from this hub alone" : "plain http: for a network that you trust";

/**
 * The fingerprint of the hub's key, where this screen is one of the table's own.
 * @param {{ state: ScreenState }} props
 */
function KeyDigits({ state }) {
  return state.fingerprint && html`<p class="key-digits">its key: <${Fingerprint} digits=${state.fingerprint} /></p>`;
}

/**
 * Return how a phone shows that it is at its seat, where a seat is to be had: by the seat's box, or by the seat's code.
 * @param {readonly PublicSeat[]} seats
 */
function proofOfPlace(seats) {
  const free = seats.filter((place) => !place.held);
  const byCode = free.some((place) => place.box !== "on");
  const byBox = free.some((place) => place.box === "on") || seats.some((place) => place.held && place.phone === "none");
  if (byBox && byCode) return "Press the box in front of you, or type the six letters of your seat";
  if (byBox) return "Press the box in front of you";
  return byCode ? "Type the six letters of your seat" : "";
}

/** @param {{ state: ScreenState }} props */
function HowToJoin({ state }) {
  const { seats } = state;
  const anybody = seats.some((place) => place.held || place.ready);
  const hasFree = seats.some((place) => !place.held);
  const onBoxAlone = seats.some((place) => place.held && place.phone === "none");
  const boxed = seats.some((place) => place.box === "on");
  const proof = proofOfPlace(seats);
  const scanToSit = anybody ? "Scan to sit down too" : "Scan";
  const scanToSee = onBoxAlone ? "Scan to see your own hand" : "Scan to watch";
  const join = html`<${JoinCode} state=${state} kind="welcome-qr" />`;
  return html`${
    state.wifi
      ? html`<div class="welcome-codes">
          <figure>
            <${QrCode} text=${state.wifi.code} label=${`code to scan for the Wi-Fi ${state.wifi.name}`} />
            <figcaption>Wi-Fi</figcaption>
          </figure>
          <figure>${join}<figcaption>Table</figcaption></figure>
        </div>`
      : join
  }
    <ol class="steps">
      ${state.wifi && html`<li><span class="step-word">Wi-Fi</span> <b translate="no">“${state.wifi.name}”</b></li>`}
      ${state.url && html`<li>${hasFree ? scanToSit : scanToSee}</li>`}
      ${proof && html`<li>${proof}</li>`}
    </ol>
    ${
      state.url
        ? html`<p class="by-hand">
        or open <b>${bareUrl(state.url)}</b><br />and type <b class="code" translate="no">${state.code}</b>
      </p>
      <${KeyDigits} state=${state} />
      <p class="transport">${transport(state.url)}</p>`
        : html`<p class="by-hand">No network yet</p>`
    }
    ${
      boxed &&
      html`<p class="no-phone">
        No phone? Push your dial to sit down, turn it to choose the game, push again to start.
      </p>`
    }`;
}

// --- the end -------------------------------------------------------------------------------------------

/** @param {ScreenProps} props */
function Winner({ labels, state: newest }) {
  const state = asPlayed(newest);
  const over = state.over ?? { winners: [], why: "" };
  const { winners, why } = over;
  const names = winners.map((seat) => calledName(state, seat)).join(" and ");
  const fitted = useFitted();
  const voting = state.dispute?.stage === "vote"; // that is answered before anybody reads on
  return html`<section class="winner" aria-label="The end" ref=${fitted}>
    <p class="winner-game" style=${coloursOf(labels?.screen?.look)}>
      ${
        labels?.screen?.look
          ? html`<${Title} look=${labels.screen.look} title=${labels.title ?? state.title} />`
          : (labels?.title ?? state.title)
      }
    </p>
    <div class="winner-marks">${winners.map((seat) => html`<${Mark} seat=${seat} />`)}</div>
    <h1>${winners.length > 2 ? `${winners.length} share the win` : `${names || "Nobody"} ${winners.length > 1 ? "win" : "wins"}`}</h1>
    ${why && html`<p class="winner-why"><${Sentence} state=${state} text=${why} /></p>`}
    ${voting && html`<${Dispute} state=${state} />`}
    <ol class="winner-scores">
      ${ranking(labels, over).map(
        ({ seat, score, won }) => html`<li key=${seat} class=${won ? "won" : ""}>
          <${Who} state=${state} seat=${seat} number /><b>${scoreText(labels, score)}</b>
          <${ScoreParts} labels=${labels} state=${state} seat=${seat} />
        </li>`,
      )}
    </ol>
    ${!voting && html`<${Afterwards} state=${state} why=${why} /><${Dispute} state=${state} />`}
  </section>`;
}

/** @param {{ state: ScreenState, why: string }} props */
function Afterwards({ state, why }) {
  const last = state.events.filter((event) => event.text !== why).slice(-2);
  const lines = state.highlights.length ? state.highlights : last.map((event) => event.text);
  const boxed = state.seats.some((place) => place.box === "on");
  return html`<ol class="winner-last">
      ${lines.map((text) => html`<li key=${text}><${Sentence} state=${state} text=${text} /></li>`)}
    </ol>
    ${
      !state.demonstration &&
      html`<p class="winner-again">
        ${boxed ? "Push a dial twice to play again" : "Start the next match on a phone"}
      </p>`
    }`;
}

const page = /** @type {HTMLElement} */ (document.getElementById("page"));

/**
 * Draw the screen in the language of the page, anew where that has changed.
 */
const draw = () => render(html`<${Kiosk} key=${languageNow()} />`, page);

fetchLanguages().then(async (known) => {
  languages = known?.tables[table] ?? [];
  await begin(languages);
  draw();
}, draw);
