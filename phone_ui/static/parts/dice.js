// The open roll on a phone: what the dice do, and the other doors when no reader sees them.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { Die, DiceDone, DiceRow, DiceWants, DisputeVote, Marks, Said, diceSay } from "./atoms.js";

export function DicePart({ state, hand, sending, ask }) {
  const { dice } = state;
  const mine = hand?.faces ?? null;
  const [typing, setTyping] = useState(false);
  const stand = dice?.done?.length ?? 0;
  useEffect(() => setTyping(false), [hand?.number, state.match, stand]);
  if (!dice) return null;
  const { votes } = dice;
  const leans = dice.state === "cocked";
  const wanted = dice.as_it_lies ?? [];
  const lies = dice.state === "settled" || dice.state === "typed";
  const plays = hand && state.view?.seats?.[hand.seat];
  const pad = mine && (typing || dice.state === "no_reader");
  const vouches = plays && (dice.state === "settled" ? mine : dice.state === "typed" && !mine);
  const busy = Boolean(sending);
  const voters = state.seats.filter(
    (s) => state.view?.seats?.[s.seat] && (s.phone === "on" || s.box === "on" || votes.includes(s.seat)),
  ).length;
  return html`<section class=${`dice-part ${dice.state}`} aria-label="Dice">
    <${DiceDone} dice=${dice} />
    <${DiceWants} dice=${dice} />
    ${!pad && html`<${DiceRow} dice=${dice} />`}
    <p class="dice-say" aria-live="polite"><${Said} state=${state} text=${diceSay(dice)} /></p>
    ${
      pad &&
      html`<${FacePad} key=${`${hand.number}/${stand}`} dice=${dice} count=${mine.count} sides=${mine.sides} sending=${sending} onBegin=${() => setTyping(true)}
      onDone=${async (faces) => {
        const answer = await ask("roll", { faces }, "roll");
        if (answer?.ok) setTyping(false);
      }} />`
    }
    ${
      plays &&
      html`<div class="doors">
      ${vouches && html`<button type="button" class="door strong" disabled=${busy} onClick=${() => ask("dice", { say: "accept" }, "accept")}>That is right</button>`}
      ${lies && !pad && (dice.state === "settled" || !mine) && html`<button type="button" class="door" disabled=${busy} onClick=${() => ask("dice", { say: "again" }, "again")}>${dice.state === "typed" ? "No, look again" : "Read again"}</button>`}
      ${mine && !pad && !leans && html`<button type="button" class="door" onClick=${() => setTyping(true)}>${dice.state === "typed" ? "Type it again" : "Type what you see"}</button>`}
      ${mine && pad && dice.state !== "no_reader" && html`<button type="button" class="door" onClick=${() => setTyping(false)}>Do not type</button>`}
      ${
        leans &&
        html`<button type="button" class="door" disabled=${busy} aria-pressed=${wanted.includes(hand.seat)} onClick=${() => ask("dice", { say: "lies" }, "lies")}>
        ${wanted.includes(hand.seat) ? "Do not read it as it lies" : "Read it as it lies"}
      </button>`
      }
      ${
        !lies &&
        !dice.lying &&
        html`<button type="button" class="door" disabled=${busy} aria-pressed=${votes.includes(hand.seat)} onClick=${() => ask("dice", { say: "hub" }, "hub")}>
        ${votes.includes(hand.seat) ? "Take my vote back" : "Let the hub roll"}
      </button>`
      }
      ${!lies && votes.length > 0 && html`<span class="votes"><${Marks} seats=${votes} /> ${votes.length} of ${voters} agree</span>`}
      ${wanted.length > 0 && html`<span class="votes"><${Marks} seats=${wanted} /> ${wanted.length} of ${dice.enough} to read it as it lies</span>`}
    </div>`
    }
  </section>`;
}

/** A roll that stands: for a few seconds a quiet button, then perhaps the table's vote, then how it ended. */
export function DisputePart({ state, hand, sending, ask }) {
  const { dispute } = state;
  const plays = hand && state.view?.seats?.[hand.seat];
  const say = (word) => () => ask("dice", { say: word }, word);
  if (dispute?.stage === "told") return html`<p class="dispute-told" role="status">${dispute.say}</p>`;
  if (dispute?.stage === "open" && plays) {
    return html`<section class="dispute-open" aria-label="The last roll">
      <${DiceRow} dice=${dispute} />
      <button type="button" class="door" disabled=${Boolean(sending)} onClick=${say("reread")}>Read again</button>
    </section>`;
  }
  if (dispute?.stage !== "vote") return null;
  return html`<section class="dice-part dispute-vote" aria-label="A vote on the dice" aria-live="polite">
    <${DisputeVote} state=${state} dispute=${dispute} />
    ${
      plays &&
      html`<div class="doors">
      <button type="button" class="door strong" disabled=${Boolean(sending)} aria-pressed=${dispute.yes.includes(hand.seat)} onClick=${say("reread")}>Read again</button>
      <button type="button" class="door" disabled=${Boolean(sending)} aria-pressed=${dispute.no.includes(hand.seat)} onClick=${say("stands")}>It stands</button>
    </div>`
    }
  </section>`;
}

/** Keys for the faces of the dice that are wanted now; they go off together. */
function FacePad({ dice, count, sides, sending, onBegin, onDone }) {
  const [faces, setFaces] = useState([]);
  const full = faces.length === count;
  const before = dice.state === "typed" ? dice.total - dice.faces.reduce((a, b) => a + b, 0) : dice.total;
  const total = before + faces.reduce((a, b) => a + b, 0);
  const shown = Array.from({ length: count }, (_, i) => faces[i] ?? null);
  // Who has begun to type goes on typing, even when a reader comes back meanwhile.
  const add = (face) => {
    onBegin();
    setFaces([...faces, face]);
  };
  return html`<div class="face-pad">
    <div class="face-line">
      <span class="dice-row">${shown.map((face) => html`<${Die} face=${face} />`)}</span>
      <button type="button" class="step small" aria-label="take the last die back" disabled=${!faces.length} onClick=${() => setFaces(faces.slice(0, -1))}>⌫</button>
    </div>
    ${(count > 1 || before > 0) && html`<p class="face-total">${faces.length} of ${count}, total ${total}</p>`}
    ${
      sides <= 12
        ? html`<div class="face-keys">
          ${Array.from({ length: sides }, (_, i) => i + 1).map(
            (face) =>
              html`<button type="button" key=${face} class="face-key" aria-label=${`die shows ${face}`} disabled=${full} onClick=${() => add(face)}><${Die} face=${face} /></button>`,
          )}
        </div>`
        : html`<${FaceTyped} sides=${sides} disabled=${full} onFace=${add} />`
    }
    <button type="button" class="act primary" disabled=${!full || Boolean(sending)} aria-busy=${sending === "roll"} onClick=${() => onDone(faces)}>
      ${sending === "roll" ? "Sending…" : full ? `I rolled ${faces.join(", ")}` : count === 1 ? "Type the die" : "Type every die"}
    </button>
  </div>`;
}

function FaceTyped({ sides, disabled, onFace }) {
  const [typed, setTyped] = useState("");
  const face = Number(typed);
  const good = Number.isInteger(face) && face >= 1 && face <= sides;
  return html`<form
    class="face-typed"
    onSubmit=${(e) => {
      e.preventDefault();
      if (!good) return;
      onFace(face);
      setTyped("");
    }}
  >
    <input inputmode="numeric" autocomplete="off" aria-label=${`face, 1 to ${sides}`} value=${typed} disabled=${disabled} onInput=${(e) => setTyped(e.target.value)} />
    <button class="step small" disabled=${!good || disabled}>Add</button>
  </form>`;
}
