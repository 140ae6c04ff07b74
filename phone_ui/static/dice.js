// The open roll on a phone: what the dice do, and the other doors when no reader sees them.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { Die, DiceRow, Mark, Said } from "./atoms.js";

/** Dice are typed in batches of this many, with a running total. */
const BATCH = 6;

export function DicePart({ state, hand, sending, ask }) {
  const { dice } = state;
  const roll = state.view?.waiting?.roll;
  const mine = hand?.faces ?? null;
  const [typing, setTyping] = useState(false);
  const blind = dice?.state === "no_reader";
  useEffect(() => setTyping(false), [hand?.number, state.match]);
  if (!dice && !mine) return null;
  const votes = dice?.votes ?? [];
  const settled = dice?.state === "settled";
  const said = dice?.say || (roll ? `Seat ${roll.seat} rolls ${roll.count === 1 ? "one die" : `${roll.count} dice`}.` : "");
  const voters = state.seats.filter((s) => state.view?.seats?.[s.seat] && (s.phone === "on" || votes.includes(s.seat))).length;
  return html`<section class=${`dice-part ${dice?.state ?? "armed"}`} aria-label="Dice">
    ${dice && !(mine && (typing || blind)) && html`<${DiceRow} dice=${dice} />`}
    ${said && html`<p class="dice-say" aria-live="polite"><${Said} state=${state} text=${said} /></p>`}
    ${mine && (typing || blind) && html`<${FacePad} key=${hand.number} count=${mine.count} sides=${mine.sides} sending=${sending} onDone=${(faces) => ask("roll", { faces }, "roll")} />`}
    ${hand &&
    html`<div class="doors">
      ${settled && mine && html`<button type="button" class="door strong" disabled=${Boolean(sending)} onClick=${() => ask("dice", { say: "accept" }, "accept")}>That is right</button>`}
      ${settled && html`<button type="button" class="door" disabled=${Boolean(sending)} onClick=${() => ask("dice", { say: "again" }, "again")}>Read again</button>`}
      ${mine && !typing && !blind && html`<button type="button" class="door" onClick=${() => setTyping(true)}>Type what you see</button>`}
      ${!settled &&
      html`<button type="button" class="door" disabled=${Boolean(sending)} aria-pressed=${votes.includes(hand.seat)} onClick=${() => ask("dice", { say: "hub" }, "hub")}>
        ${votes.includes(hand.seat) ? "Take my vote back" : "Let the hub roll"}
      </button>`}
      ${!settled && votes.length > 0 && html`<span class="votes">${votes.map((seat) => html`<${Mark} seat=${seat} />`)} ${votes.length} of ${voters} agree</span>`}
    </div>`}
  </section>`;
}

/** Keys for the faces of `count` dice; the faces go off together. */
export function FacePad({ count, sides, sending, onDone }) {
  const [faces, setFaces] = useState([]);
  const full = faces.length === count;
  const batch = Math.floor(Math.min(faces.length, count - 1) / BATCH);
  const shown = Array.from({ length: Math.min(BATCH, count - batch * BATCH) }, (_, i) => faces[batch * BATCH + i] ?? null);
  const total = faces.reduce((a, b) => a + b, 0);
  return html`<div class="face-pad">
    <div class="face-line">
      <span class="dice-row">${shown.map((face) => html`<${Die} face=${face} />`)}</span>
      ${count > 1 && html`<span class="face-total">${faces.length} of ${count}, total ${total}</span>`}
      <button type="button" class="step small" aria-label="take the last die back" disabled=${!faces.length} onClick=${() => setFaces(faces.slice(0, -1))}>⌫</button>
    </div>
    ${sides <= 12
      ? html`<div class="face-keys">
          ${Array.from({ length: sides }, (_, i) => i + 1).map(
            (face) => html`<button type="button" key=${face} class="face-key" aria-label=${`die shows ${face}`} disabled=${full} onClick=${() => setFaces([...faces, face])}><${Die} face=${face} /></button>`,
          )}
        </div>`
      : html`<${FaceTyped} sides=${sides} disabled=${full} onFace=${(face) => setFaces([...faces, face])} />`}
    <button type="button" class="act primary" disabled=${!full || Boolean(sending)} aria-busy=${sending === "roll"} onClick=${() => onDone(faces)}>
      ${sending === "roll" ? "Sending…" : full ? `I rolled ${faces.join(", ")}` : "Type every die"}
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
