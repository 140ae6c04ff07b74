// Cards, as all pages draw them.

import { html } from "../lib/html.js";
import { faceIn } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { isRecord } from "../lib/values.js";

/** @import { Face, Labels } from "../lib/types.d.ts" */

/**
 * A card by its face: the game's drawing, letter and name, or only its face. Null is an empty place.
 * @param {{ labels: Labels | null, face: any, small?: boolean, look?: string }} props
 */
export function Card({ labels, face, small = false, look = "" }) {
  const size = small ? " small" : "";
  if (face === null || face === undefined) {
    return html`<span class=${`card empty${size}`} role="img" aria-label="empty" />`;
  }
  const card = faceIn(labels, face);
  if (!card) return html`<span class=${`card plain${size}`}><span class="card-face">${String(face)}</span></span>`;
  return card.record
    ? html`<${PrintedCard} card=${card} small=${small} />`
    : html`<${NamedCard} card=${card} small=${small} look=${look} />`;
}

/**
 * A card that the labels name: drawing, letter, face, name and a line, if it has them.
 * @param {{ card: Face, small: boolean, look: string }} props
 */
function NamedCard({ card, small, look }) {
  const kind = card.art ? "" : card.face ? " plain" : " worded";
  return html`<span class=${`card${small ? " small" : ""}${kind} ${look}`} style=${cardStyle(card)}>
    ${card.letter && !card.face && html`<span class="card-letter" aria-hidden="true">${card.letter}</span>`}
    ${card.art && html`<svg class="card-art" viewBox="0 0 100 60" aria-hidden="true"><path d=${card.art} /></svg>`}
    ${!card.art && card.face && html`<span class="card-face" aria-hidden="true">${card.face}</span>`}
    <span class="card-name">${card.name}</span>
    ${card.line && !small && html`<span class="card-line">${card.line}</span>`}
  </span>`;
}

/**
 * A card of the state: its number large, the price in a corner, product and color in words beside the color.
 * @param {{ card: Face, small: boolean }} props
 */
function PrintedCard({ card, small }) {
  const tag = html`<span class=${`card-tag${card.tag.startsWith("-") ? " minus" : ""}`}>${card.tag}</span>`;
  return html`<span class=${`card faced${small ? " small" : ""}`} style=${cardStyle(card)}>
    <span class="card-top"><b class="card-face">${card.title}</b> ${card.tag && tag}</span>
    <span class="card-name">${card.name}</span>
    ${card.hue && html`<span class="card-hue">${card.hue}</span>`}
  </span>`;
}

/**
 * A card's color, and the text size of its name, so that no word is broken.
 * @param {Face} card
 */
function cardStyle({ colour, name }) {
  const words = say(String(name)).split(/[ -]/);
  return { "--card": colour ?? "currentColor", "--longest": Math.max(...words.map((word) => word.length), 4) };
}

/**
 * The effect of a card in a sentence, if it has one.
 * @param {{ labels: Labels | null, face: any }} props
 */
export function CardText({ labels, face }) {
  const card = face !== null && face !== undefined ? faceIn(labels, face) : null;
  if (!card || (!card.record && !card.text)) return html`<p class="card-text" role="status"></p>`;
  return html`<p class="card-text" role="status">
    <b>${card.full}</b> ${card.hue && `· ${say(card.hue)}`} · ${card.text ? say(card.text) : say("no action")}
  </p>`;
}

/**
 * The effects of cards by name, each name once; nothing if there are none.
 * @param {{ labels: Labels | null, faces: any[] }} props
 */
export function CardTexts({ labels, faces }) {
  /** @type {Map<string, Face>} */
  const explained = new Map();
  for (const face of faces) {
    const card = face === null ? null : faceIn(labels, face);
    if (card?.text) explained.set(card.name, card);
  }
  if (!explained.size) return null;
  return html`<ul class="by-name card-texts">
    ${[...explained].map(
      ([name, card]) => html`<li key=${name} style=${cardStyle(card)}>
        <b>${name}</b> <span class="said">${card.text}</span>
      </li>`,
    )}
  </ul>`;
}

/**
 * A pile of cards: equal faces are stacked, with their number.
 * @param {{ labels: Labels | null, faces: any[], small?: boolean }} props
 */
export function Cards({ labels, faces, small }) {
  if (faces.some(isRecord)) {
    const keyOf = (/** @type {any} */ face) => faceIn(labels, face)?.key;
    return html`<span class="list cards">
      ${faces.map((face) => html`<${Card} key=${keyOf(face)} labels=${labels} face=${face} small=${small} />`)}
    </span>`;
  }
  const heaps = new Map();
  for (const face of faces) heaps.set(face, (heaps.get(face) ?? 0) + 1);
  return html`<span class="list cards" style=${{ "--count": heaps.size }}>
    ${[...heaps].map(
      ([face, count]) => html`<span key=${String(face)} class=${count > 1 ? "heap" : "single"}>
        <${Card} labels=${labels} face=${face} small=${small} />
        ${count > 1 && html`<span class="heap-count">×${count}</span>`}
      </span>`,
    )}
  </span>`;
}
