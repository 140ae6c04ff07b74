// Dice as all pages draw them, and the hub's texts about a roll.

import { html } from "../lib/html.js";
import { message, say, sayAround, sayCount } from "../lib/language.js";
import { Marks, Sentence } from "./marks.js";

/** @import { Batch, PublicDice, PublicDispute, PublicState } from "../lib/messages.d.ts" */

/** @type {Record<number, number[]>} */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
const READ = { read: message("read"), typed: message("typed"), hub: message("by the hub") };

/**
 * A die with pips up to six, with its number above that.
 * @param {{ face: number | null }} props
 */
export function Die({ face }) {
  return html`<svg
    class=${`die${face ? "" : " unread"}`}
    viewBox="0 0 36 36"
    role="img"
    aria-label=${face ? say("die shows {face}", { face }) : say("die not read yet")}
  >
    <rect class="die-body" x="1.5" y="1.5" width="33" height="33" rx="7" />
    ${face && (PIPS[face]?.map((pip) => html`<${Pip} place=${pip} />`) ?? html`<${DieNumber} face=${face} />`)}
  </svg>`;
}

/** @param {{ place: number }} props a place of 3 by 3, row by row */
function Pip({ place }) {
  return html`<circle class="die-pip" cx=${9 + (place % 3) * 9} cy=${9 + Math.floor(place / 3) * 9} r="3.3" />`;
}

/** @param {{ face: number }} props */
function DieNumber({ face }) {
  return html`<text class="die-number" x="18" y="24" text-anchor="middle">${face}</text>`;
}

/**
 * The source of a roll's faces. `again`: from a second reading.
 * @param {{ read: Batch["read"], again?: boolean }} props
 */
export function ReadTag({ read, again = false }) {
  const source = READ[read] ?? read;
  const text = again ? (read === "read" ? say("read again") : say("read again, {source}", { source })) : source;
  return html`<span class="tag">${text}</span>`;
}

/**
 * The dice that the roll needs now, and the source of their faces.
 * @param {{ dice: Partial<PublicDice> & Pick<PublicDice, "faces"> }} props
 */
export function DiceRow({ dice }) {
  const count = Math.max(dice.batch ?? dice.count ?? 0, dice.faces.length);
  const faces = Array.from({ length: count }, (_, i) => dice.faces[i] ?? null);
  return html`<span class=${`dice-row ${dice.state ?? ""}`}>
    ${faces.map((face) => html`<${Die} face=${face} />`)}
    ${dice.faces.length > 0 && dice.read && html`<${ReadTag} read=${dice.read} again=${dice.again} />`}
  </span>`;
}

/**
 * The accepted dice of a roll in batches, and the running total.
 * @param {{ dice: PublicDice }} props
 */
export function DiceDone({ dice }) {
  const { done, count } = dice;
  if (!done.length) return null;
  const standing = done.flatMap((batch) => batch.faces);
  const total = standing.reduce((a, b) => a + b, 0);
  return html`<div class="dice-done">
    ${done.map(
      (batch) => html`<span class="dice-row">
        ${batch.faces.map((face) => html`<${Die} face=${face} />`)}<${ReadTag} read=${batch.read} />
      </span>`,
    )}
    <p class="dice-total">${sayAround("{count} of {all} dice rolled, {total}", { count: standing.length, all: count, total: html`<b>${say("total {total}", { total })}</b>` })}</p>
  </div>`;
}

/**
 * A vote on reading a roll again: its reading, who asks, and the votes.
 * @param {{ state: PublicState, dispute: PublicDispute }} props
 */
export function DisputeVote({ state, dispute }) {
  const { yes, no, needs } = dispute;
  return html`<h2 class="dispute-asks">Read the dice again?</h2>
    <${DiceRow} dice=${dispute} />
    <p class="dice-say"><${Sentence} state=${state} text=${dispute.say} /></p>
    <p class="votes">
      <span>Yes</span> <${Marks} seats=${yes} /> <span>${say("{count} of {needed} needed", { count: yes.length, needed: needs })}</span>
      ${no.length > 0 && html`<span class="votes-no">No</span> <${Marks} seats=${no} />`}
    </p>`;
}

/**
 * The faces that the roll needs, with the odds: before the dice fall, and until they have.
 * @param {{ dice: PublicDice | null }} props
 */
export function DiceWants({ dice }) {
  if (!dice?.wants) return null;
  const { say: odds, exact } = dice.wants;
  return html`<p class="dice-wants"><${Odds} text=${odds} />${exact && html` <small>${say("exactly {fraction}", { fraction: exact })}</small>`}</p>`;
}

/**
 * A probability in words, with a bar.
 * @param {{ text: string }} props
 */
export function Odds({ text }) {
  const [, some, all] = /(\d+) in (\d+)/.exec(text) ?? [];
  const share = { "--share": Number(some) / Number(all) };
  return html`<span class="odds">
    ${text}${all && html` <span class="odds-bar" aria-hidden="true" style=${share}></span>`}
  </span>`;
}

/**
 * Return a sentence about the state of the dice, the hub's or a default.
 * @param {PublicDice} dice
 */
export function diceText(dice) {
  if (dice.say) return dice.say;
  const several = dice.faces.length > 1 || dice.done.length > 0;
  if (dice.state === "settled") {
    return several
      ? say("Seat {seat}: total {total}.", { seat: dice.seat, total: dice.total })
      : say("Seat {seat} rolled {face}.", { seat: dice.seat, face: dice.faces[0] });
  }
  const now = dice.batch && dice.batch < dice.count ? dieCount(dice.batch) : "";
  const values = { seat: dice.seat, dice: dieCount(dice.count), now };
  if (!now) return say("Seat {seat} rolls {dice}.", values);
  return dice.done.length
    ? say("Seat {seat} rolls {dice}, now {now}.", values)
    : say("Seat {seat} rolls {dice}, first {now}.", values);
}

/**
 * Return "one die", "2 dice".
 * @param {number} count
 */
export function dieCount(count) {
  return sayCount("one die", "{count} dice", count);
}
