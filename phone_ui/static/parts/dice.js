// The open roll on a phone: the state of the dice, and the actions of a seat while no reader sees them.

import { html, useLayoutEffect, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { isHouse, placeOf } from "../lib/seats.js";
import { DiceDone, DiceRow, DiceWants, DisputeVote, diceText } from "./die.js";
import { later } from "./later.js";
import { Marks, Sentence } from "./marks.js";

/** @import { Ask } from "../lib/types.d.ts" */
/** @import { Hand, PublicDice, PublicState, Requests } from "../lib/messages.d.ts" */

const FacePad = later(() => import("./face_pad.js").then((part) => part.FacePad), "face_pad.css");

/** @typedef {{ state: PublicState, hand: Hand | null, sending: string | null, ask: Ask }} DiceProps */

/**
 * Return whether the seat of this hand plays in the match.
 * @param {PublicState} state
 * @param {Hand | null} hand
 */
const isPlaying = (state, hand) => Boolean(hand && state.view?.seats?.[hand.seat]);

/**
 * The open roll, if there is one.
 * @param {DiceProps} props
 */
export function DicePart({ state, hand, sending, ask }) {
  const { dice } = state;
  const [typing, setTyping] = useState(false);
  const stand = dice?.done.length ?? 0;
  useLayoutEffect(() => setTyping(false), [hand?.number, state.match, stand]);
  if (!dice) return null;
  const wanted = hand?.faces ?? null;
  const byHub = state.hub_rolls && !dice.lying;
  const pad = wanted && !byHub && (typing || dice.state === "no_reader");
  const shared = { state, hand, sending, ask };
  /** @param {number[]} faces */
  const send = async (faces) => {
    const answer = await ask("roll", { faces }, "roll");
    if (answer.ok) setTyping(false);
  };
  return html`<section class=${`dice-part ${dice.state}`} data-part="dice" aria-label="Dice">
    <${DiceDone} dice=${dice} />
    <${DiceWants} dice=${dice} />
    ${!pad && html`<${DiceRow} dice=${dice} />`}
    <p class="dice-say" aria-live="polite"><${Sentence} state=${state} text=${diceText(dice)} /></p>
    ${
      pad &&
      html`<${FacePad}
        key=${`${hand?.number}/${stand}`}
        dice=${dice}
        count=${wanted.count}
        sides=${wanted.sides}
        sending=${sending}
        onBegin=${() => setTyping(true)}
        onDone=${send}
      />`
    }
    ${
      byHub &&
      wanted &&
      html`<div class="dice-acts">
        <${DiceAct} strong busy=${sending} label="Roll now" onPress=${() => ask("dice", { say: "hub" }, "hub")} />
      </div>`
    }
    ${
      !byHub &&
      isPlaying(state, hand) &&
      html`<div class="dice-acts">
        <${ReadingActs} ...${shared} typing=${Boolean(pad)} onTyping=${setTyping} />
        <${HubRollActs} ...${shared} />
      </div>`
    }
  </section>`;
}

/**
 * Accept the reading or the typed faces, have the dice read again, or type the faces.
 * @param {DiceProps & { typing: boolean, onTyping: (typing: boolean) => void }} props
 */
function ReadingActs({ state, hand, sending, ask, typing, onTyping }) {
  const dice = /** @type {PublicDice} */ (state.dice);
  // Whether this seat rolls; the others watch.
  const rolls = Boolean(hand?.faces);
  const settled = dice.state === "settled";
  const typed = dice.state === "typed";
  const mayAccept = settled ? rolls : typed && !rolls;
  const mayReadAgain = (settled || typed) && !typing && (settled || !rolls);
  const mayType = rolls && !typing && dice.state !== "cocked";
  const mayStop = rolls && typing && dice.state !== "no_reader";
  /** @param {Requests["dice"]["say"]} word */
  const answer = (word) => () => ask("dice", { say: word }, word);
  const typeLabel = typed ? say("Type it again") : say("Type what you see");
  return html`
    ${mayAccept && html`<${DiceAct} strong busy=${sending} label="That is right" onPress=${answer("accept")} />`}
    ${
      mayReadAgain &&
      html`<${DiceAct} busy=${sending} label=${typed ? say("No, look again") : say("Read again")} onPress=${answer("again")} />`
    }
    ${mayType && html`<${DiceAct} label=${typeLabel} onPress=${() => onTyping(true)} />`}
    ${mayStop && html`<${DiceAct} label="Cancel" onPress=${() => onTyping(false)} />`}
  `;
}

/**
 * Vote to read a leaning die as it lies, or to let the hub roll; both need several seats.
 * @param {DiceProps} props
 */
function HubRollActs({ state, hand, sending, ask }) {
  const { votes, as_it_lies: asItLies, ...dice } = /** @type {PublicDice} */ (state.dice);
  const seat = hand?.seat ?? 0;
  const lies = dice.state === "settled" || dice.state === "typed";
  const people = state.seats.filter((s) => state.view?.seats?.[s.seat] && !isHouse(s));
  const voters = people.filter((s) => s.phone === "on" || s.box === "on" || votes.includes(s.seat));
  const roller = placeOf(state, dice.seat);
  // Alone with the house, the hub rolls for it without being asked.
  const isHubs = Boolean(roller && isHouse(roller)) && voters.length < 2;
  /** @param {Requests["dice"]["say"]} word */
  const answer = (word) => () => ask("dice", { say: word }, word);
  const lieLabel = asItLies.includes(seat) ? say("Don't read it as it lies") : say("Read it as it lies");
  const hubLabel = votes.includes(seat) ? say("Take my vote back") : say("Let the hub roll");
  return html`
    ${
      dice.state === "cocked" &&
      html`<${DiceAct} busy=${sending} label=${lieLabel} pressed=${asItLies.includes(seat)} onPress=${answer("lies")} />`
    }
    ${
      !lies &&
      !dice.lying &&
      !isHubs &&
      html`<${DiceAct} busy=${sending} label=${hubLabel} pressed=${votes.includes(seat)} onPress=${answer("hub")} />`
    }
    ${
      !lies &&
      votes.length > 0 &&
      html`<span class="votes"><${Marks} seats=${votes} /> ${say("{count} of {all} agree", { count: votes.length, all: voters.length })}</span>`
    }
    ${
      asItLies.length > 0 &&
      html`<span class="votes">
        <${Marks} seats=${asItLies} /> ${say("{count} of {needed} to read it as it lies", { count: asItLies.length, needed: dice.enough })}
      </span>`
    }
  `;
}

/**
 * A button beside the dice. `busy` is the action in progress, `pressed` whether this seat has voted.
 * @param {{
 *   label: string, onPress: () => void, strong?: boolean, busy?: string | null, pressed?: boolean,
 * }} props
 */
function DiceAct({ label, onPress, strong = false, busy = null, pressed }) {
  return html`<button
    type="button"
    class=${`dice-act${strong ? " strong" : ""}`}
    disabled=${Boolean(busy)}
    aria-pressed=${pressed}
    onClick=${onPress}
  >
    ${label}
  </button>`;
}

/**
 * An accepted roll: for a few seconds a quiet button, then perhaps the table's vote and its result.
 * @param {DiceProps} props
 */
export function DisputePart({ state, hand, sending, ask }) {
  const { dispute } = state;
  const plays = isPlaying(state, hand);
  /** @param {Requests["dice"]["say"]} word */
  const answer = (word) => () => ask("dice", { say: word }, word);
  if (dispute?.stage === "told") return html`<p class="dispute-told" role="status">${dispute.say}</p>`;
  if (dispute?.stage === "open" && plays) {
    return html`<section class="dispute-open" aria-label="The last roll">
      <${DiceRow} dice=${dispute} />
      <${DiceAct} label="Read again" busy=${sending} onPress=${answer("reread")} />
    </section>`;
  }
  if (dispute?.stage !== "vote") return null;
  const seat = hand?.seat ?? 0;
  const [yes, no] = [dispute.yes.includes(seat), dispute.no.includes(seat)];
  return html`<section class="dice-part dispute-vote" aria-label="A vote on the dice" aria-live="polite">
    <${DisputeVote} state=${state} dispute=${dispute} />
    ${
      plays &&
      html`<div class="dice-acts">
        <${DiceAct} strong label="Read again" busy=${sending} pressed=${yes} onPress=${answer("reread")} />
        <${DiceAct} label="It counts" busy=${sending} pressed=${no} onPress=${answer("stands")} />
      </div>`
    }
  </section>`;
}
