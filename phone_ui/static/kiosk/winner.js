// After a match: the winners, the scores, and the best moments.

import { html } from "../lib/html.js";
import { ranking, scoreText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { asPlayed, spokenName, winnersText } from "../lib/seats.js";
import { coloursOf, Title } from "../parts/felt.js";
import { Mark, Sentence, Who } from "../parts/marks.js";
import { ScoreParts } from "../parts/result.js";
import { useFitted } from "../parts/use_fitted.js";
import { Dispute } from "./now_dice.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { ScreenState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: ScreenState }} ScreenProps */

/** @param {ScreenProps} props */
export function Winner({ labels, state: newest }) {
  const state = asPlayed(newest);
  const over = state.over ?? { winners: [], why: "" };
  const { winners, why } = over;
  const names = winners.map((seat) => spokenName(state, seat)).join(` ${say("and")} `);
  const fitted = useFitted();
  const voting = state.dispute?.stage === "vote"; // more urgent than the result
  return html`<section class="winner" aria-label="The end" ref=${fitted} style=${coloursOf(labels?.screen?.look)}>
    <p class="winner-game">
      ${
        labels?.screen?.look
          ? html`<${Title} look=${labels.screen.look} title=${labels.title ?? state.title} />`
          : (labels?.title ?? state.title)
      }
    </p>
    <div class="winner-head">
      <div class="winner-marks">${winners.map((seat) => html`<${Mark} seat=${seat} />`)}</div>
      <h1>${winners.length > 2 ? say("{count} share the win", { count: winners.length }) : winnersText(names, winners.length)}</h1>
    </div>
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
        ${boxed ? say("Push a dial twice to play again") : say("Start the next match on a phone")}
      </p>`
    }`;
}
