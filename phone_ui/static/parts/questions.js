// Decisions of the whole table: a question with its answers, a match about to begin, a pause.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { minutesText } from "../lib/view.js";
import { Marks, Sentence, Who } from "./marks.js";
import { useSecondsLeft } from "./use_seconds.js";

/** @import { Ask } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/** @typedef {{ state: PublicState, seat?: number | null, sending?: string | null, ask?: Ask }} Props */

/**
 * All open decisions of the table.
 * @param {Props} props
 */
export function Together(props) {
  return html`<${QuestionPart} ...${props} /><${StartingPart} ...${props} /><${PausedPart} ...${props} />`;
}

/**
 * The open question. A voting seat has a button for each answer, and everybody sees the votes.
 * @param {Props} props
 */
function QuestionPart({ state, seat = null, sending = null, ask }) {
  const { question } = state;
  const left = useSecondsLeft(question?.seconds ?? 0, `${question?.kind} ${question?.seat} ${state.seq}`);
  if (!question) return null;
  const { text, options, votes, voters, reads } = question;
  const mine = ask && seat !== null && voters.includes(seat);
  return html`<section class="table-question" role=${mine ? "alertdialog" : "status"} aria-label="A question to the table">
    ${
      mine && reads
        ? html`<p>Read this aloud:</p><p class="read-aloud">${reads}</p>`
        : html`<p class="table-question-text"><${Sentence} state=${state} text=${text} /></p>`
    }
    <div class="table-question-answers">
      ${Object.entries(options).map(([key, label]) => {
        const name = `vote ${key}`;
        const who = Object.keys(votes).filter((one) => votes[one] === key);
        const marks = html`<span class="table-question-votes"><${Marks} seats=${who.map(Number)} /></span>`;
        if (!mine && question.kind === "pitch") return null; // only the pitching seat ends a pitch; nobody votes
        if (!mine) return html`<p key=${key} class="table-question-option">${label} ${marks}</p>`;
        return html`<button
          key=${key}
          type="button"
          class="small-act"
          aria-pressed=${votes[seat] === key}
          aria-busy=${sending === name}
          disabled=${Boolean(sending)}
          onClick=${() => ask("vote", { say: key }, name)}
        >
          ${label} ${marks}
        </button>`;
      })}
      <p class="table-question-left" aria-hidden="true">${left} s</p>
    </div>
  </section>`;
}

/**
 * A match about to begin. A player may ask to wait.
 * @param {Props} props
 */
function StartingPart({ state, seat = null, sending = null, ask }) {
  const { starting } = state;
  const left = useSecondsLeft(starting?.seconds ?? 0, state.seq);
  if (!starting) return null;
  const game = state.games.find(({ name }) => name === starting.game);
  const title = say(game?.title ?? starting.game);
  const values = { seat: starting.seat, game: title, preset: say(starting.preset), left };
  const text = starting.preset
    ? say("Seat {seat} starts {game}, “{preset}”, in {left}", values)
    : say("Seat {seat} starts {game} in {left}", values);
  return html`<section class="table-question" role="status" aria-label="A match begins">
    <p class="table-question-text"><${Sentence} state=${state} text=${text} /></p>
    ${game?.lacks.map((text) => html`<p key=${text} class="table-question-lacks">${text}</p>`)}
    ${
      ask &&
      seat !== null &&
      html`<div class="table-question-answers">
        <button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${() => ask("wait", {}, "wait")}>
          Wait
        </button>
      </div>`
    }
  </section>`;
}

/**
 * A pause, and who started it. Any player may end it.
 * @param {Props} props
 */
function PausedPart({ state, seat = null, sending = null, ask }) {
  if (state.paused == null) return null;
  const plays = seat !== null && state.view?.seats?.[seat];
  return html`<section class="table-question" role="status" aria-label="Paused">
    <p class="table-question-text"><${Sentence} state=${state} text=${say("Paused by Seat {seat}.", { seat: state.paused })} /></p>
    ${
      ask &&
      plays &&
      html`<div class="table-question-answers">
        <button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${() => ask("pause", {}, "pause")}>
          Go on
        </button>
      </div>`
    }
  </section>`;
}

/**
 * Pausing, suspending or ending a match; all players are asked.
 * @param {{ state: PublicState, seat: number, sending: string | null, ask: Ask }} props
 */
export function MatchActions({ state, seat, sending, ask }) {
  if (state.state !== "playing" || !state.view?.seats?.[seat]) return null;
  const act = (/** @type {string} */ label, /** @type {() => void} */ onPress) =>
    html`<button type="button" class="small-act" disabled=${Boolean(sending)} onClick=${onPress}>${label}</button>`;
  return html`<h2>This match</h2>
    ${state.minutes_left && html`<p>${minutesText(state.minutes_left)}</p>`}
    <p>A suspended match is saved. The same people can resume it at the same seats. All players are asked first.</p>
    <div class="match-acts">
      ${act(state.paused == null ? say("Pause") : say("Go on"), () => ask("pause", {}, "pause"))}
      ${act(say("Suspend it…"), () => ask("ask", { what: "put_aside" }, "put aside"))}
      ${act(say("End it…"), () => ask("ask", { what: "end" }, "end"))}
    </div>`;
}

/**
 * The suspended matches that this phone's player can resume, and which of their players are here.
 * @param {Props} props
 */
export function PutAsideList({ state, seat = null, sending = null, ask }) {
  const offers = (state.put_aside ?? []).filter(({ people }) => seat !== null && people.includes(seat));
  if (offers.length === 0) return null;
  return html`<h2>Resume a match</h2>
    <ul class="put-aside">
      ${offers.map(
        ({ match, title, since, people }) => html`<li key=${match}>
          <p>
            <b>${title}</b>, ${dateText(since)}
            <span class="quiet-words put-aside-seats">
              ${people.map((one) => html`<${Who} key=${one} state=${state} seat=${one} />`)}
            </span>
          </p>
          ${
            ask &&
            html`<button
              type="button"
              class="small-act"
              disabled=${Boolean(sending)}
              onClick=${() => ask("take_up", { match }, `take up ${match}`)}
            >
              Resume
            </button>`
          }
        </li>`,
      )}
    </ul>`;
}

/** @param {number} since */
function dateText(since) {
  const when = new Date(since * 1000);
  return when.toLocaleString([], { weekday: "short", hour: "2-digit", minute: "2-digit" });
}
