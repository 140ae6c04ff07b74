// Rows on the table: records as tiles, cards side by side.

import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { faceIn, fill, readable } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { calledName, isBySeat, seatText, withNames } from "../lib/seats.js";
import { at } from "../lib/values.js";
import { Card, CardText } from "./cards.js";
import { factsOf } from "./facts.js";
import { Mark, Who } from "./marks.js";

/** @import { FactLabels } from "../lib/messages.d.ts" */
/** @import { Facts, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * @typedef {object} TableProps
 * @property {Labels | null} labels
 * @property {PublicState} state
 * @property {number} [mine]
 * @property {boolean} [small]
 */

/**
 * Return the rows on the table in this phase, with the records that the labels show.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {boolean} [small] on a phone
 * @returns {{ name: string, about: FactLabels, value: Facts[] }[]}
 */
function rowsOf(labels, state, small = true) {
  /**
   * @param {FactLabels} about
   * @param {Facts} record
   */
  const isShown = ({ only = {} }, record) =>
    Object.entries(only).every(([name, path]) => record[name] === at(state.view, path));
  return factsOf(labels, "table", state.view?.table, state.view?.phase, small ? "phone" : "kiosk")
    .filter(({ about, value }) => about.row && Array.isArray(value))
    .map(({ name, about, value }) => ({
      name,
      about,
      value: value.filter((/** @type {Facts} */ one) => isShown(about, one)),
    }))
    .filter(({ value }) => value.length);
}

/**
 * This seat's own part of the rows, for its player: a line to read aloud.
 * @param {TableProps} props
 */
export function OwnRecords({ labels, state, mine }) {
  return rowsOf(labels, state)
    .filter(({ about }) => about.own)
    .map(({ name, about, value }) =>
      value
        .filter((record) => record[about.by ?? ""] === mine)
        .map(
          (record) => html`<p key=${name} class="own-record">
            <span>${about.own}</span> <b>${withNames(state, fill(about.title, record, labels))}</b> ${fill(about.text, record, labels)}
          </p>`,
        ),
    );
}

/**
 * The rows of cards on the table.
 * @param {TableProps} props
 */
export function CardRows({ labels, state, small = true }) {
  return rowsOf(labels, state, small)
    .filter(({ about }) => about.card)
    .map(
      ({ name, about, value }) => html`<${CardRow}
        key=${name}
        labels=${labels}
        state=${state}
        name=${name}
        label=${about.label ?? readable(name)}
        about=${about}
        cards=${value}
        small=${small}
      />`,
    );
}

/**
 * Return the layout of records: each with its seat, each shared by some seats (compact if there are many), or in a
 * row.
 * @param {FactLabels} about
 * @param {Facts[]} records
 */
function rowLook(about, records) {
  if (!about.seats) return about.by ? "by-seat" : "";
  const count = records.length;
  const look = count > 15 ? "close" : count > 8 ? "many across" : count > 6 ? "many" : count > 3 ? "some" : "";
  return `shared ${look}`;
}

/**
 * The rows of other records, such as places with cards on them: one tile per record.
 * @param {TableProps} props
 */
export function Rows({ labels, state, mine, small = true }) {
  return rowsOf(labels, state, small)
    .filter(({ about }) => !about.card)
    .map(
      ({ name, about, value }) => html`<${Row}
        key=${name}
        look=${`${rowLook(about, value)}${about.slowly ? " slowly" : ""}`}
        part=${`fact.${name}`}
        label=${about.label ?? readable(name)}
      >
        <ul class="tiles" style=${about.by ? { "--across": Math.ceil(value.length / 2) } : null}>
          ${ownFirst(about, value, mine).map(
            (record, i) => html`<${Tile}
              key=${about.slowly ? JSON.stringify(record) : i}
              labels=${labels}
              state=${state}
              about=${about}
              record=${record}
              place=${i}
              first=${i === 0 && !about.by}
              here=${Boolean(about.here) && at(state.view, about.here ?? "") === (record.id ?? record[about.by ?? ""])}
              small=${small}
            />`,
          )}
        </ul>
      </${Row}>`,
    );
}

/**
 * A row. Arrow keys scroll a row that is wider than its page.
 * @param {{ look: string, part: string, label: string, children?: import("../lib/types.d.ts").Drawn }} props
 */
function Row({ look, part, label, children }) {
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  const [wide, setWide] = useState(false);
  useLayoutEffect(() => {
    if (row.current) setWide(row.current.scrollWidth > row.current.clientWidth);
  });
  return html`<section ref=${row} class=${`row ${look}`} data-part=${part} aria-label=${label} tabindex=${wide ? 0 : null}>${children}</section>`;
}

/**
 * @param {FactLabels} about
 * @param {Facts[]} records
 * @param {number | undefined} mine
 */
function ownFirst({ by }, records, mine) {
  return by ? [...records].sort((a, b) => Number(b[by] === mine) - Number(a[by] === mine)) : records;
}

/**
 * Numbers by seat, as symbols with a number beside each.
 * @param {{ counts: Record<string, number> }} props
 */
function Counts({ counts }) {
  return html`<span class="list counts">
    ${Object.entries(counts).map(
      ([seat, n]) => html`<span key=${seat} class="pair" aria-label=${`${seatText(seat)}: ${n}`}>
        <${Mark} seat=${seat} />${n}
      </span>`,
    )}
  </span>`;
}

/**
 * Cards in a row, left to right, with the seat that played each; a tap shows the effect of a card.
 * @param {{
 *   labels: Labels | null, state: PublicState, name: string, label: string, about: FactLabels, cards: Facts[], small: boolean,
 * }} props
 */
function CardRow({ labels, state, name, label, about, cards, small }) {
  const [tapped, setTapped] = useState(/** @type {any} */ (null));
  const here = about.here && at(state.view, about.here);
  /** @param {any} card */
  const draw = (card) => {
    const { key, text } = faceIn(labels, card) ?? { key: card, text: "" };
    const owner = about.by && card[about.by];
    return html`<li key=${key} class=${key === here ? "here" : ""}>
      <button
        type="button"
        class="card-tap"
        aria-expanded=${tapped === key}
        onClick=${() => setTapped(tapped === key ? null : key)}
      >
        <${Card} labels=${labels} face=${card} small=${small} />${text && html`<span class="unseen">: ${text}</span>`}
      </button>
      ${owner ? html`<${LaidBy} seat=${owner} />` : null}
    </li>`;
  };
  return html`<section class="card-row" data-part=${`fact.${name}`} aria-label=${label} style=${{ "--count": Math.max(cards.length, 1) }}>
    <h2 class="card-row-label">${label}</h2>
    <ol class="laid">${cards.map(draw)}</ol>
    ${tapped !== null && html`<${CardText} labels=${labels} face=${tapped} />`}
  </section>`;
}

/** @param {{ seat: number }} props */
function LaidBy({ seat }) {
  return html`<span class="laid-by"><${Mark} seat=${seat} /><span class="unseen"> ${say("by seat {seat}", { seat })}</span></span>`;
}

/**
 * One record. If the labels say `slowly`, records appear one after the other, and again when one changes.
 * @param {{
 *   labels: Labels | null, state: PublicState, about: FactLabels, record: Facts,
 *   place: number, first: boolean, here: boolean, small: boolean,
 * }} props
 */
function Tile({ labels, state, about, record, place, first, here, small }) {
  const cards = about.cards ? record[about.cards] : undefined;
  const lit = about.lit ? record[about.lit] : undefined;
  const counts = about.seats ? record[String(about.seats)] : undefined;
  const text = fill(about.text, record, labels);
  const off = about.flag && record[about.flag];
  const owner = about.by && record[about.by];
  /** @param {any} face */
  const look = (face) => (lit ? (lit.includes(face) ? "lit" : "unlit") : "");
  /** @param {any} face */
  const draw = (face) => html`<${Card} labels=${labels} face=${face} small=${small} look=${look(face)} />`;
  return html`<li
    class=${`tile${off ? " off" : ""}${first ? " first" : ""}${here ? " here" : ""}`}
    style=${{ "--place": place }}
  >
    <h2 class="tile-title">
      ${owner && html`<${TileOwner} state=${state} about=${about} seat=${owner} />`}
      <span>${withNames(state, fill(about.title, record, labels)) || (owner ? "" : readable(about.label ?? ""))}</span>
    </h2>
    ${isBySeat(counts) && html`<${Counts} counts=${counts} />`}
    ${Array.isArray(cards) && html`<span class="list cards">${cards.map(draw)}</span>`}
    ${text && html`<p class="tile-text">${text}</p>`}
    ${off && html`<p class="tile-flag">${readable(about.flag)}</p>`}
  </li>`;
}

/** @param {{ state: PublicState, about: FactLabels, seat: number }} props */
function TileOwner({ state, about, seat }) {
  if (!about.seats) return html`<${Who} state=${state} seat=${seat} />`;
  return html`<${Mark} seat=${seat} /><span class="unseen">${calledName(state, seat)}: </span>`;
}
