// The table's screen: public state only, readable from 2.5 m, never asleep and never an error page.

import { html, render, useEffect, useMemo, useState } from "/vendor/htm-preact.js";
import {
  DiceDone,
  DiceRow,
  DiceWants,
  DisputeVote,
  Mark,
  Marks,
  Said,
  Who,
  diceSay,
  useWords,
} from "../parts/atoms.js";
import { NowAt, countNow, doing, tokenOf, useHeadline, useReveal } from "../parts/around.js";
import { NumberLine } from "../parts/number_line.js";
import { CardRows, Facts, Rows } from "../parts/facts.js";
import { Sums, seatState } from "../parts/lobby.js";
import { follow, notOlder } from "../lib/stream.js";
import {
  asked,
  bySeat,
  isNamed,
  lineIn,
  named,
  nowLines,
  orderOf,
  phaseOf,
  phaseWords,
  ranked,
  roundWords,
  scored,
  seatName,
  withDeck,
} from "../lib/labels.js";

const table = location.pathname.split("/").filter(Boolean).at(-2);
const SHOW_GAME = 6_500;

/** Where places lie by their number, clockwise from the lower left corner: the far side and the near one, left to right. */
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

function Kiosk() {
  const [state, setState] = useState(null);
  const [away, setAway] = useState(false);
  const plainWords = useWords(state?.game);
  const words = useMemo(() => withDeck(plainWords, state?.view?.table, state?.view?.seats), [plainWords, state]);

  useEffect(() => {
    const stream = follow(`/t/${table}/events`, {
      onState: (next) => setState((was) => (notOlder(was, next) ? next : was)),
      onAway: setAway,
    });
    return () => stream.close();
  }, []);

  if (!state || away) return html`<${Splash} />`;
  const inPlay = state.state === "playing" || state.state === "stopped";
  return html`<div class=${`screen ${state.state}`}>
    ${inPlay ? html`<${TableTop} words=${words} state=${state} /><${Now} words=${words} state=${state} />` : null}
    ${state.state === "over" && state.over ? html`<${Winner} words=${words} state=${state} />` : null}
    ${state.state === "lobby" ? html`<${Welcome} state=${state} />` : null}
    ${state.notice && html`<p class="notice" role="status"><${Said} state=${state} text=${state.notice} /></p>`}
    ${state.state !== "lobby" && html`<${Foot} state=${state} />`}
  </div>`;
}

function Splash() {
  return html`<div class="splash"><svg class="splash-ring" viewBox="0 0 64 64" aria-hidden="true"><circle cx="32" cy="32" r="24" /></svg><p class="headline">Waiting for the hub</p></div>`;
}

/** The wooden table seen from above, seats in their places. */
function TableTop({ words, state }) {
  const seats = Object.keys(state.view?.seats ?? {}).map(Number);
  const places = Math.min(6, Math.max(2, state.seats.length, ...seats));
  const [far, near] = SIDES[places].map((side) => side.filter((seat) => seats.includes(seat)));
  const token = tokenOf(words, state);
  const line = (list) => html`<ul class="side" style=${{ "--count": Math.max(list.length, 2) }}>
    ${list.map((seat) => html`<${SeatPlace} key=${seat} words=${words} state=${state} seat=${seat} token=${token} />`)}
  </ul>`;
  return html`<section class="table-top" aria-label="The table">
    ${line(far)}
    <div class="felt">
      <${CardRows} words=${words} state=${state} small=${false} />
      <${Rows} words=${words} state=${state} small=${false} />
      <${Facts} words=${words} state=${state} where="table" facts=${state.view?.table} on="kiosk" />
    </div>
    ${line(near)}
  </section>`;
}

function SeatPlace({ words, state, seat, token }) {
  const place = state.seats.find((s) => s.seat === seat);
  const now = doing(state, seat);
  const count = countNow(words, state, seat);
  return html`<li class=${`seat-place${now && now !== "locked" && now !== "phone asleep" ? " asked" : ""}${count?.said === "out" ? " out" : ""}`}>
    <div class="seat-head">
      <${Mark} seat=${seat} />
      ${isNamed(state, seat) && html`<span class="who-number">${seat}</span>`}
      <b class="seat-called">${seatName(state, seat)}</b>
      ${token?.seat === seat && html`<span class="tag token"><span class="token-name">${token.name}</span><span class="token-letter" aria-hidden="true">${token.letter}</span></span>`}
      <span class="seat-now"><${NowAt} doing=${now === "locked" ? "locked ✓" : now} count=${count} /></span>
    </div>
    <${Facts} words=${words} state=${state} where="seat" facts=${state.view.seats[seat]} seat=${seat} on="kiosk" />
    ${place?.claim_code && html`<p class="seat-free">${place.held ? "phone" : "free"}, code <b>${place.claim_code}</b></p>`}
    ${place?.box === "lost" && html`<p class="seat-free">box unplugged: play on the phone</p>`}
  </li>`;
}

/** The NOW card: who, what, and the biggest number of the moment. */
function Now({ words, state }) {
  const { main, caption } = nowLines(words, state);
  const revealing = useReveal(state);
  const headline = useHeadline(words, state);
  const line = (revealing || phaseOf(words, state.view).line) && lineIn(state);
  const seats = asked(state.view);
  const secret = state.view?.waiting?.secret;
  const order = orderOf(words, state.view);
  const voting = state.dispute?.stage === "vote";
  const many = voting || (state.dice?.count ?? 0) > 1;
  const trouble = ["cocked", "wrong_count", "no_reader"].includes(state.dice?.state);
  const latest = (state.events ?? [])
    .slice(-3)
    .reverse()
    .slice(0, trouble || voting ? 0 : state.dice ? 1 : 3);
  return html`<section class=${`now${many || headline ? " with-dice" : ""}`} aria-label="Now">
    <p class="now-where">${state.title}${state.view?.round ? html`, <span>${roundWords(state.view).toLowerCase()}</span>` : ""}</p>
    <p class="now-phase">${phaseWords(words, state.view)}</p>
    ${headline && !voting && html`<p class="now-headline"><${Said} state=${state} text=${headline} /></p>`}
    ${!secret && !voting && seats.length === 1 && html`<p class="now-who"><${Who} state=${state} seat=${seats[0]} /></p>`}
    ${main && html`<p class="now-main" style=${{ "--letters": Math.max(named(state, main).length + 2 * (bySeat(main).length - 1), 5) }}><${Said} state=${state} text=${main} /></p>`}
    ${caption && html`<p class="now-caption"><${Said} state=${state} text=${caption} /></p>`}
    ${line && html`<${NumberLine} key=${line.n} state=${state} line=${line} />`}
    ${
      state.dice &&
      html`<div class=${`now-dice ${state.dice.state}`}>
      <${DiceDone} dice=${state.dice} />
      <${DiceRow} dice=${state.dice} />
      <p class="dice-say"><${Said} state=${state} text=${diceSay(state.dice)} /></p>
      <${DiceWants} dice=${state.dice} />
      ${state.dice.votes.length > 0 && html`<p class="votes"><${Marks} seats=${state.dice.votes} /> for a roll by the hub</p>`}
      ${state.dice.as_it_lies?.length > 0 && html`<p class="votes"><${Marks} seats=${state.dice.as_it_lies} /> ${state.dice.as_it_lies.length} of ${state.dice.enough} to read it as it lies</p>`}
    </div>`
    }
    <${Doubt} state=${state} />
    ${!state.dice && !voting && state.want && html`<p class="now-want"><${Said} state=${state} text=${state.want} /></p>`}
    ${!many && !line && order && html`<ol class="now-order">${order.map((seat) => html`<li key=${seat} class=${seats.includes(seat) ? "here" : ""}><${Mark} seat=${seat} /><span>${seat}</span></li>`)}</ol>`}
    ${latest.length > 0 && html`<ol class="now-log">${latest.map((e) => html`<li key=${e.n}><span class="now-told"><${Said} state=${state} text=${e.text} /></span>${e.data?.sum && html`<span class="now-sum"><${Said} state=${state} text=${e.data.sum} /></span>`}</li>`)}</ol>`}
  </section>`;
}

/** A roll that stands: how to doubt it, the vote on it, or how that ended. */
function Doubt({ state }) {
  const { dispute } = state;
  if (!dispute || dispute.stage === "reading") return null;
  const boxed = state.seats.some((s) => s.box === "on");
  if (dispute.stage === "vote") {
    return html`<div class="now-dice doubted"><${DisputeVote} state=${state} dispute=${dispute} />${boxed && html`<p class="dice-say">Push: yes. Bar: no.</p>`}</div>`;
  }
  if (dispute.stage === "told") return html`<p class="now-doubt" role="status">${dispute.say}</p>`;
  return html`<div class="now-doubt"><${DiceRow} dice=${dispute} /><span>Read wrong? ${boxed ? "Press the bar." : "Say so on a phone."}</span></div>`;
}

/** Joining stays possible in play: small, but always there. */
function Foot({ state }) {
  const free = state.seats.filter((s) => s.claim_code);
  return html`<footer class="foot">
    <img class="foot-qr" src=${`/t/${table}/qr.svg`} alt="code to scan" />
    <p>Join: <b class="code">${state.code}</b></p>
    <p class="foot-url">${bare(state.url)}</p>
    ${free.length > 0 && html`<p class="foot-free">${free.map((s) => html`<span key=${s.seat}><${Mark} seat=${s.seat} /> ${s.seat} <b>${s.claim_code}</b></span>`)}</p>`}
    <p class="foot-name">${state.name}</p>
  </footer>`;
}

const bare = (url) => url.replace(/^https?:\/\//, "").replace(/\/$/, "");

/** Before a match: how to sit down, and what there is to play. */
function Welcome({ state }) {
  const [shown, setShown] = useState(0);
  const count = state.games.length;
  useEffect(() => {
    const timer = setInterval(() => setShown((i) => i + 1), SHOW_GAME);
    return () => clearInterval(timer);
  }, []);
  const chosen = state.games.find((g) => g.name === state.game);
  const game = chosen ?? (count ? state.games[shown % count] : null);
  const anybody = state.seats.some((s) => s.held || s.ready);
  const room = state.seats.some((s) => !s.held);
  const onBoxAlone = state.seats.some((s) => s.held && s.phone === "none");
  return html`<section class="welcome" aria-label="Join">
    <div class="welcome-left">
      <p class="welcome-name">${state.name}</p>
      ${
        game &&
        html`<div class="attract" key=${game.name}>
        <h1>${game.title}</h1>
        <p class="attract-blurb">${game.blurb}</p>
        <p class="attract-meta">${game.seats[0]} to ${game.seats[1]} players, about ${game.minutes} minutes</p>
      </div>`
      }
      ${state.kit?.weak.length > 0 && html`<p class="welcome-kit">Load before you play: ${state.kit.weak.join(", ")}</p>`}
      <ul class="welcome-seats">
        ${state.seats.map(
          (
            s,
          ) => html`<li key=${s.seat} class=${state.claiming?.includes(s.seat) ? "claiming" : s.held || s.ready ? "here" : "free"}>
            <${Mark} seat=${s.seat} /><span class="who-number">${s.seat}</span>
            <span class="welcome-who">${state.claiming?.includes(s.seat) ? "press the button" : s.held || s.ready ? s.name || seatState(s) : "free"}</span>
            ${s.claim_code ? html`<span class="welcome-code">${s.claim_code}</span>` : s.ready && s.name ? html`<span class="welcome-code">ready ✓</span>` : null}
          </li>`,
        )}
      </ul>
    </div>
    <div class="welcome-right">
      <img class="welcome-qr" src=${`/t/${table}/qr.svg`} alt="code to scan" />
      <ol class="steps">
        <li>${room ? (anybody ? "Scan to sit down too" : "Scan") : onBoxAlone ? "Scan to see your own hand" : "Scan to watch"}</li>
        ${(room || onBoxAlone) && html`<li>Press the box in front of you</li>`}
      </ol>
      <p class="by-hand">or open <b>${bare(state.url)}</b><br />and type <b class="code">${state.code}</b></p>
      ${state.seats.some((s) => s.box === "on") && html`<p class="no-phone">No phone? Push your dial to sit down, turn it to choose the game, push again to start.</p>`}
    </div>
  </section>`;
}

function Winner({ words, state }) {
  const { winners, why } = state.over;
  const voting = state.dispute?.stage === "vote";
  return html`<section class="winner" aria-label="The end">
    <p class="winner-game">${words?.title ?? state.title}</p>
    <div class="winner-marks">${winners.map((seat) => html`<${Mark} seat=${seat} />`)}</div>
    <h1>${winners.length ? winners.map((seat) => seatName(state, seat)).join(" and ") : "Nobody"} ${winners.length > 1 ? "win" : "wins"}</h1>
    ${why && html`<p class="winner-why"><${Said} state=${state} text=${why} /></p>`}
    <${Doubt} state=${state} />
    <ol class="winner-scores">${ranked(words, state.over).map(({ seat, score, won }) => html`<li key=${seat} class=${won ? "won" : ""}><${Who} state=${state} seat=${seat} number /><b>${scored(words, score)}</b><${Sums} words=${words} state=${state} seat=${seat} /></li>`)}</ol>
    ${
      !voting &&
      html`<ol class="winner-last">${(state.events ?? [])
        .filter((e) => e.text !== why)
        .slice(-2)
        .map((e) => html`<li key=${e.n}><${Said} state=${state} text=${e.text} /></li>`)}</ol>
      <p class="winner-again">Push a dial twice to play again</p>`
    }
  </section>`;
}

render(html`<${Kiosk} />`, document.getElementById("page"));
