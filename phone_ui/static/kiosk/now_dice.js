// The dice of the moment, and the remarks on an accepted roll.

import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { DiceDone, DiceRow, DiceWants, DisputeVote, diceText } from "../parts/die.js";
import { Marks, Sentence } from "../parts/marks.js";

/** @import { PublicDice, ScreenState } from "../lib/messages.d.ts" */

/** @param {{ state: ScreenState, dice: PublicDice }} props */
export function NowDice({ state, dice }) {
  const { votes, as_it_lies: asItLies, enough } = dice;
  return html`<div class=${`now-dice ${dice.state}`} data-part="dice">
    <${DiceDone} dice=${dice} />
    <${DiceRow} dice=${dice} />
    <p class="dice-say"><${Sentence} state=${state} text=${diceText(dice)} /></p>
    <${DiceWants} dice=${dice} />
    ${votes.length > 0 && html`<p class="votes"><${Marks} seats=${votes} /> to let the hub roll</p>`}
    ${
      asItLies.length > 0 &&
      html`<p class="votes"><${Marks} seats=${asItLies} /> ${say("{count} of {needed} to read it as it lies", { count: asItLies.length, needed: enough })}</p>`
    }
  </div>`;
}

/**
 * An accepted roll: how to dispute it, the vote on it, or the result of the vote.
 * @param {{ state: ScreenState }} props
 */
export function Dispute({ state }) {
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
    <${DiceRow} dice=${dispute} /><span>${boxed ? say("Read wrong? Press the bar.") : say("Read wrong? Say so on a phone.")}</span>
  </div>`;
}
