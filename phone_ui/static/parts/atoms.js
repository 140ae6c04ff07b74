// The smallest things that every page draws: seat marks, names in sentences, cards, dice; and the words it draws them with.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { MARKS, bySeat, faceIn, isNamed, seatName, wordsOf } from "../lib/labels.js";

const SHAPES = {
  1: html`<circle cx="12" cy="12" r="9.5" />`,
  2: html`<path d="M12 2.2 22.6 20.8H1.4Z" />`,
  3: html`<rect x="3" y="3" width="18" height="18" rx="1.5" />`,
  4: html`<path d="M12 .8 23.2 12 12 23.2.8 12Z" />`,
  5: html`<path d="m12 1 3.3 7.2 7.9.9-5.9 5.3 1.6 7.8L12 18.3l-6.9 3.9 1.6-7.8L.8 9.1l7.9-.9Z" />`,
  6: html`<path d="M8.2 1.5h7.6v6.7h6.7v7.6h-6.7v6.7H8.2v-6.7H1.5V8.2h6.7Z" />`,
};

/** A seat's symbol; never alone: whoever uses it puts the number or a name beside it. */
export function Mark({ seat }) {
  return html`<svg class=${`mark seat-${seat}`} viewBox="0 0 24 24" aria-hidden="true">${SHAPES[seat]}</svg>`;
}

/** Symbol and name of a seat. */
export function Who({ state, seat, number = false }) {
  return html`<span class="who">
    <${Mark} seat=${seat} />
    ${number && isNamed(state, seat) && html`<span class="who-number">${seat}</span>`}
    <span class="who-name">${seatName(state, seat)}</span>
  </span>`;
}

/** A sentence of the hub with the seats' marks and names in it; a comma stays with the name before it. */
export function Said({ state, text }) {
  const parts = bySeat(text);
  return parts.map((part, i) => {
    const next = parts[i + 1];
    const [close] = (typeof part === "number" && typeof next === "string" && /^[^\s\w]+/.exec(next)) || [""];
    if (typeof part === "number")
      return html`<span class="said-who"><${Who} state=${state} seat=${part} />${close}</span>`;
    return withMarks(typeof parts[i - 1] === "number" ? part.replace(/^[^\s\w]+/, "") : part);
  });
}

/** "●9 ▲12" with the seats' own marks. */
function withMarks(text) {
  return text.split(/([●▲■◆★✚])(?=[$]?\d)/).map((part) => {
    const seat = Object.keys(MARKS).find((one) => MARKS[one].symbol === part);
    return seat ? html`<${Mark} seat=${Number(seat)} /><span class="unseen">${seatWords(seat)} </span>` : part;
  });
}

/** Who leads in something. */
export function Crown() {
  return html`<svg class="crown" viewBox="0 0 24 20" role="img" aria-label="leads"><path d="M2 18V5l6 5 4-8 4 8 6-5v13Z" /></svg>`;
}

/** A chance in words, with a bar as long as it is likely. */
export function Odds({ text }) {
  const [, some, all] = /(\d+) in (\d+)/.exec(text) ?? [];
  return html`<span class="odds">${text}${all && html` <span class="odds-bar" aria-hidden="true" style=${{ "--share": some / all }}></span>`}</span>`;
}

/** "seat 2, orange triangle", for those who hear the page. */
export function seatWords(seat) {
  return `seat ${seat}, ${MARKS[seat]?.name ?? ""}`;
}

/** A card by its face: the game's drawing, letter and name, or simply its face; `null` is an empty place. */
export function Card({ words, face, small = false, look = "" }) {
  if (face === null || face === undefined)
    return html`<span class=${`card empty${small ? " small" : ""}`} role="img" aria-label="empty" />`;
  const card = faceIn(words, face);
  if (card?.record) return html`<${Faced} card=${card} small=${small} />`;
  if (!card)
    return html`<span class=${`card plain${small ? " small" : ""}`}><span class="card-face">${String(face)}</span></span>`;
  return html`<span class=${`card${small ? " small" : ""}${card.art ? "" : card.face ? " plain" : " worded"} ${look}`} style=${{ "--card": card.colour ?? "currentColor", "--longest": longestWord(card.name) }}>
    ${card.letter && !card.face && html`<span class="card-letter" aria-hidden="true">${card.letter}</span>`}
    ${card.art && html`<svg class="card-art" viewBox="0 0 100 60" aria-hidden="true"><path d=${card.art} /></svg>`}
    ${!card.art && card.face && html`<span class="card-face" aria-hidden="true">${card.face}</span>`}
    <span class="card-name">${card.name}</span>
    ${card.line && !small && html`<span class="card-line">${card.line}</span>`}
  </span>`;
}

/** No name is broken: its longest word decides how large it is written. */
const longestWord = (name) =>
  Math.max(
    ...String(name)
      .split(/[ -]/)
      .map((word) => word.length),
    4,
  );

/** A card of the state: its number large, price in the corner, product and colour in words beside the colour. */
function Faced({ card, small }) {
  return html`<span class=${`card faced${small ? " small" : ""}`} style=${{ "--card": card.colour ?? "currentColor", "--longest": longestWord(card.name) }}>
    <span class="card-top"><b class="card-face">${card.title}</b> ${card.tag && html`<span class=${`card-tag${card.tag.startsWith("-") ? " minus" : ""}`}>${card.tag}</span>`}</span>
    <span class="card-name">${card.name}</span>
    ${card.hue && html`<span class="card-hue">${card.hue}</span>`}
  </span>`;
}

/** What a card does, in a sentence; nothing where it does nothing. */
export function CardText({ words, face }) {
  const card = face !== null && face !== undefined ? faceIn(words, face) : null;
  return html`<p class="card-text" role="status">${card?.record ? html`<b>${card.full}</b> ${card.hue && `· ${card.hue}`} ${card.text ? `· ${card.text}` : "· no action"}` : ""}</p>`;
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/** A die with pips up to six, with its number beyond. */
export function Die({ face }) {
  return html`<svg class=${`die${face ? "" : " unread"}`} viewBox="0 0 36 36" role="img" aria-label=${face ? `die shows ${face}` : "die not read yet"}>
    <rect class="die-body" x="1.5" y="1.5" width="33" height="33" rx="7" />
    ${
      face &&
      (PIPS[face]?.map(
        (p) => html`<circle class="die-pip" cx=${9 + (p % 3) * 9} cy=${9 + Math.floor(p / 3) * 9} r="3.3" />`,
      ) ??
        html`<text class="die-number" x="18" y="24" text-anchor="middle">${face}</text>`)
    }
  </svg>`;
}

const READ = { read: "read", typed: "typed", hub: "by the hub" };

/** Where the faces of a roll came from; `again`: from a second reading. */
export function ReadTag({ read, again = false }) {
  const said = READ[read] ?? read;
  return html`<span class="tag">${again ? `read again${read === "read" ? "" : `, ${said}`}` : said}</span>`;
}

/** The dice that are wanted now, and where their faces came from. */
export function DiceRow({ dice }) {
  const places = Array.from(
    { length: Math.max(dice.batch ?? dice.count ?? 0, dice.faces.length) },
    (_, i) => dice.faces[i] ?? null,
  );
  return html`<span class=${`dice-row ${dice.state ?? ""}`}>
    ${places.map((face) => html`<${Die} face=${face} />`)}
    ${dice.faces.length > 0 && dice.read && html`<${ReadTag} read=${dice.read} again=${dice.again} />`}
  </span>`;
}

/** Of a roll in batches: the dice that stand already, and the running total. */
export function DiceDone({ dice }) {
  const done = dice.done ?? [];
  if (!done.length) return null;
  const stand = done.flatMap((batch) => batch.faces);
  return html`<div class="dice-done">
    ${done.map((batch) => html`<span class="dice-row">${batch.faces.map((face) => html`<${Die} face=${face} />`)}<${ReadTag} read=${batch.read} /></span>`)}
    <p class="dice-total">${stand.length} of ${dice.count} dice stand, <b>total ${stand.reduce((a, b) => a + b, 0)}</b></p>
  </div>`;
}

/** Those who have said something, by their marks. */
export function Marks({ seats }) {
  return seats.map((seat) => html`<${Mark} key=${seat} seat=${seat} />`);
}

/** A vote on reading a roll again: what it was read as, who asks, and how it stands. */
export function DisputeVote({ state, dispute }) {
  return html`<h2 class="dispute-asks">Read the dice again?</h2>
    <${DiceRow} dice=${dispute} />
    <p class="dice-say"><${Said} state=${state} text=${dispute.say} /></p>
    <p class="votes">
      <span>Yes</span> <${Marks} seats=${dispute.yes} /> <span>${dispute.yes.length} of ${dispute.needs} needed</span>
      ${dispute.no.length > 0 && html`<span class="votes-no">No</span> <${Marks} seats=${dispute.no} />`}
    </p>`;
}

/** What the roll must show, with its odds: before the dice fall, and until they have. */
export function DiceWants({ dice }) {
  if (!dice?.wants) return null;
  return html`<p class="dice-wants"><${Odds} text=${dice.wants.say} />${dice.wants.exact && html` <small>exactly ${dice.wants.exact}</small>`}</p>`;
}

/** What the dice are doing, in the hub's sentence or in ours. */
export function diceSay(dice) {
  if (dice.say) return dice.say;
  const many = (count) => (count === 1 ? "one die" : `${count} dice`);
  const now =
    dice.batch && dice.batch < dice.count ? `, ${(dice.done ?? []).length ? "now" : "first"} ${many(dice.batch)}` : "";
  if (dice.state === "settled")
    return dice.faces.length > 1 || dice.done?.length
      ? `Seat ${dice.seat}: total ${dice.total}.`
      : `Seat ${dice.seat} rolled ${dice.faces[0]}.`;
  return `Seat ${dice.seat} rolls ${many(dice.count)}${now}.`;
}

/** The words of a game once they have come; null before, and for no game. */
export function useWords(game) {
  const [words, setWords] = useState(null);
  useEffect(() => {
    let stale = false;
    setWords(null);
    if (game)
      wordsOf(game).then(
        (w) => stale || setWords(w),
        () => undefined,
      );
    return () => {
      stale = true;
    };
  }, [game]);
  return words;
}
