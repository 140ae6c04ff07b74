// A hint for practice: what the strongest house player would do now, and why.

import { html } from "../lib/html.js";
import { moveLabel } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { isHouse } from "../lib/seats.js";
import { Sentence } from "./marks.js";
import { SecretZone } from "./secret.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

/**
 * Return an answer of a seat or of the house in words.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Record<string, any> | null | undefined} answer nothing: the dice
 */
export function answerText(labels, state, answer) {
  const { move, ...args } = answer ?? {};
  return move ? moveLabel(labels, state, move, args) : say("Roll the dice");
}

/**
 * The hint on the open choice, below the choices, so that its arrival moves nothing that can be pressed. If other people
 * play, too, it is covered like a hand.
 * @param {{ labels: Labels | null, state: PublicState, hand: Hand, keepOpen: boolean }} props
 */
export function HintPart({ labels, state, hand, keepOpen }) {
  const { hint } = hand;
  const isAlone = state.seats.filter((place) => place.held && !isHouse(place)).length <= 1;
  const answer = answerText(labels, state, hint?.answer);
  return html`<div class="hint" role="status">
    ${
      hint &&
      html`<${SecretZone} label="the hint" keepOpen=${keepOpen || isAlone}>
        <p class="hint-line">
          <b class="hint-name">Hint</b> <b><${Sentence} state=${state} text=${answer} />.</b>${" "}
          <${Sentence} state=${state} text=${hint.say} />
        </p>
      </${SecretZone}>`
    }
  </div>`;
}
