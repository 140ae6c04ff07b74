// After a match: winners, scores, and what each score is made of. Fetched when a match ends.

import { html, useState } from "../lib/html.js";
import { ranking, scoreText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { asPlayed, winnersText } from "../lib/seats.js";
import { Facts } from "./facts.js";
import { later } from "./later.js";
import { Sentence, Who } from "./marks.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/** The place of the winners in a sentence. */
const HERE = "\ue000";
const ScoreSum = later(() => import("./score.js").then((part) => part.ScoreSum), "score.css");

/**
 * The parts of a seat's score, if the labels name facts for it.
 * @param {{ labels: Labels | null, state: PublicState, seat: number }} props
 */
export function ScoreParts({ labels, state, seat }) {
  const names = labels?.screen?.result ?? [];
  const facts = Object.fromEntries(names.map((name) => [name, state.view?.seats?.[seat]?.[name]]));
  return html`<div class="score-parts">
    <${Facts} labels=${labels} state=${state} where="seat" facts=${facts} seat=${seat} />
  </div>`;
}

/**
 * The end of a match: winners, scores, reason.
 * @param {{ labels: Labels | null, state: PublicState }} props
 */
export function Result({ labels, state: newest }) {
  const state = asPlayed(newest);
  const [tapped, setTapped] = useState(0);
  const over = state.over ?? { winners: [], why: "" };
  return html`<section class="result" aria-label="Result">
    <h1 class="headline"><${Winners} state=${state} winners=${over.winners} /></h1>
    ${over.why && html`<p class="result-why"><${Sentence} state=${state} text=${over.why} /></p>`}
    <ol class="scores">
      ${ranking(labels, over).map(
        ({ seat, score, won }) => html`<li key=${seat} class=${won ? "won" : ""}>
          <${Who} state=${state} seat=${seat} number />
          <button
            type="button"
            class="score score-tap"
            aria-expanded=${tapped === seat}
            onClick=${() => setTapped(tapped === seat ? 0 : seat)}
          >
            ${scoreText(labels, score)}
          </button>
          <${ScoreParts} labels=${labels} state=${state} seat=${seat} />
          ${tapped === seat && html`<${ScoreSum} labels=${labels} state=${state} seat=${seat} score=${score} />`}
        </li>`,
      )}
    </ol>
    ${
      state.highlights.length > 0 &&
      html`<ul class="result-facts">
        ${state.highlights.map((text) => html`<li key=${text}><${Sentence} state=${state} text=${text} /></li>`)}
      </ul>`
    }
  </section>`;
}

/** @param {{ state: PublicState, winners: number[] }} props */
function Winners({ state, winners }) {
  if (!winners.length) return say("Nobody wins");
  const names = winners.map((seat, i) => [
    i > 0 && (i === winners.length - 1 ? ` ${say("and")} ` : ", "),
    html`<${Who} state=${state} seat=${seat} />`,
  ]);
  const [before, after] = winnersText(HERE, winners.length).split(HERE);
  return html`${before}${names}${after}`;
}
