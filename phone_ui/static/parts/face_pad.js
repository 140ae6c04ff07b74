// A pad for typing the faces of dice. Fetched when needed.

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { Die } from "./die.js";

/** @import { PublicDice } from "../lib/messages.d.ts" */

const MOST_KEYS = 12; // faces of a larger die are typed

/**
 * Keys for the faces of the dice that the roll needs now. The faces are sent together.
 * @param {{
 *   dice: PublicDice, count: number, sides: number, sending: string | null,
 *   onBegin: () => void, onDone: (faces: number[]) => void,
 * }} props
 */
export function FacePad({ dice, count, sides, sending, onBegin, onDone }) {
  const [faces, setFaces] = useState(/** @type {number[]} */ ([]));
  const full = faces.length === count;
  const before = dice.total - (dice.state === "typed" ? sum(dice.faces) : 0);
  // A person who has begun to type may finish, even if a reader comes back meanwhile.
  /** @param {number[]} now */
  const type = (now) => {
    if (now.length > faces.length) onBegin();
    setFaces(now);
  };
  const ready = full
    ? say("I rolled {faces}", { faces: faces.join(", ") })
    : count === 1
      ? say("Type the die")
      : say("Type every die");
  return html`<div class="face-pad">
    <${FaceEntry} faces=${faces} count=${count} sides=${sides} onFaces=${type}>
      ${
        (count > 1 || before > 0) &&
        html`<p class="face-total">${say("{count} of {all}, total {total}", { count: faces.length, all: count, total: before + sum(faces) })}</p>`
      }
    </${FaceEntry}>
    <button
      type="button"
      class="act primary"
      disabled=${!full || Boolean(sending)}
      aria-busy=${sending === "roll"}
      onClick=${() => onDone(faces)}
    >
      ${sending === "roll" ? say("Sending…") : ready}
    </button>
  </div>`;
}

/**
 * The dice typed so far, and the keys for the next one; `children` are between them.
 * @param {{ faces: number[], count: number, sides: number, onFaces: (faces: number[]) => void, children?: any }} props
 */
export function FaceEntry({ faces, count, sides, onFaces, children }) {
  const shown = Array.from({ length: count }, (_, i) => faces[i] ?? null);
  const Keys = sides <= MOST_KEYS ? FaceKeys : FaceTyped;
  return html`<div class="face-line">
      <span class="dice-row">${shown.map((face) => html`<${Die} face=${face} />`)}</span>
      <button
        type="button"
        class="step small"
        aria-label="take the last die back"
        disabled=${!faces.length}
        onClick=${() => onFaces(faces.slice(0, -1))}
      >
        ⌫
      </button>
    </div>
    ${children}
    <${Keys} sides=${sides} disabled=${faces.length === count} onFace=${(/** @type {number} */ face) => onFaces([...faces, face])} />`;
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** @param {{ sides: number, disabled: boolean, onFace: (face: number) => void }} props */
function FaceKeys({ sides, disabled, onFace }) {
  return html`<div class="face-keys">
    ${Array.from({ length: sides }, (_, i) => i + 1).map(
      (face) => html`<button
        type="button"
        key=${face}
        class="face-key"
        aria-label=${say("die shows {face}", { face })}
        disabled=${disabled}
        onClick=${() => onFace(face)}
      >
        <${Die} face=${face} />
      </button>`,
    )}
  </div>`;
}

/** @param {{ sides: number, disabled: boolean, onFace: (face: number) => void }} props */
function FaceTyped({ sides, disabled, onFace }) {
  const [typed, setTyped] = useState("");
  const face = Number(typed);
  const good = Number.isInteger(face) && face >= 1 && face <= sides;
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    if (!good) return;
    onFace(face);
    setTyped("");
  };
  return html`<form class="face-typed" onSubmit=${submit}>
    <input
      inputmode="numeric"
      autocomplete="off"
      aria-label=${say("face, 1 to {sides}", { sides })}
      value=${typed}
      disabled=${disabled}
      onInput=${(/** @type {any} */ event) => setTyped(event.target.value)}
    />
    <button class="step small" disabled=${!good || disabled}>Add</button>
  </form>`;
}
