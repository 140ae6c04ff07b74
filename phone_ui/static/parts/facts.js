// Facts of a view, drawn by the game's words: counters, cards, seats, and rows of records.

import { html, useState } from "/vendor/htm-preact.js";
import { Card, CardText, Crown, Mark, Odds, Said, Who, seatWords } from "./atoms.js";
import {
  at,
  counted,
  faceIn,
  fill,
  isBySeat,
  isRecord,
  lineIn,
  orderOf,
  phaseOf,
  plain,
  seatName,
} from "../lib/labels.js";

/** The facts of one place (`table`, `seat`, `you`) that are told in this phase `on` a phone or the kiosk: {name, about, value}. */
export function factsOf(words, where, facts, phase, on = "phone") {
  const all = Object.entries(words?.facts ?? {}).filter(
    ([, about]) =>
      (about.where ?? "table") === where &&
      (!about.in || about.in.includes(phase)) &&
      (!about.on || about.on.includes(on)),
  );
  return all
    .map(([name, about]) => ({ name, about, value: facts && at(facts, about.name ?? name) }))
    .filter(({ value }) => value !== undefined && value !== null);
}

/** What a seat itself is to be warned of: the `alert` of facts that are true of it. */
export function alertsOf(words, facts) {
  return factsOf(words, "seat", facts)
    .filter(({ about, value }) => about.alert && value === true)
    .map(({ about }) => about.alert);
}

/** Is there nothing in it to show? */
function isEmpty(value) {
  return (
    value === "" ||
    value === false ||
    (Array.isArray(value) && !value.length) ||
    (isRecord(value) && !Object.keys(value).length)
  );
}

function Value({ words, state, about, value, small }) {
  if (about.seat && Number.isInteger(value)) return html`<${Who} state=${state} seat=${value} />`;
  if (about.seats && Array.isArray(value))
    return html`<span class="list seats">${value.map((seat) => html`<${Who} state=${state} seat=${seat} />`)}</span>`;
  if (about.card === "name" && Array.isArray(value))
    return html`<ul class="by-name">${byName(words, value).map(({ name, text }) => html`<li key=${name}><b>${name}</b> <span class="said">${text}</span></li>`)}</ul>`;
  if (about.card && isRecord(value) && !faceIn(words, value))
    return html`<span class="list sums">${Object.entries(value).map(([card, v]) => html`<span key=${card} class="pair">${faceIn(words, card)?.full ?? card} ${counted(v, about)}</span>`)}</span>`;
  if (about.card && Array.isArray(value))
    return html`<${Cards} words=${words} faces=${about.last ? value.slice(-about.last) : value} small=${small} />`;
  if (about.heap)
    return html`<span role="img" aria-label=${value}><${Cards} words=${words} faces=${Array(value).fill(about.heap)} small /></span>`;
  if (about.sides) return html`<${SeeSaw} state=${state} about=${about} amounts=${value} />`;
  if (about.odds) return html`<${Odds} text=${value} />`;
  if (about.card) return html`<span class="list cards"><${Card} words=${words} face=${value} small=${small} /></span>`;
  if (Array.isArray(value)) {
    const newest = about.last ? value.slice(-about.last) : value;
    return html`<span class="value list-line">
      ${newest.map((v) => html`<span>${isRecord(v) ? recordWords(v, about, words) : counted(v, about)}${about.by && html` <${Mark} seat=${v[about.by]} /><span class="unseen">${seatName(state, v[about.by])}</span>`}</span>`)}
    </span>`;
  }
  if (isBySeat(value))
    return html`<span class="list seats">
      ${(about.ranked ? highestFirst(value) : inOrder(words, state, value)).map(([seat, v]) => html`<span class="pair"><${Who} state=${state} seat=${seat} /> ${isRecord(v) ? recordWords(v, about, words) : counted(v, about)}${about.unit ? ` ${v === 1 ? about.unit[0] : about.unit.at(-1)}` : ""}</span>`)}
    </span>`;
  if (isRecord(value))
    return html`<span class="value"><${Said} state=${state} text=${recordWords(value, about, words)} /></span>`;
  const known = about.names?.[String(value)];
  return html`<span class="value">${known ?? (typeof value === "string" ? value : counted(value, about))}</span>`;
}

/** Cards by name, with what they do; each name once. */
function byName(words, cards) {
  const told = cards.map((card) => faceIn(words, card) ?? { name: String(card), text: "" });
  return told.filter((one, i) => told.findIndex((other) => other.name === one.name) === i);
}

/** What stands by seat, in the order in which the seats act. */
function inOrder(words, state, bySeat) {
  const order = orderOf(words, state.view) ?? [];
  const place = ([seat]) => (order.includes(Number(seat)) ? order.indexOf(Number(seat)) : order.length);
  return Object.entries(bySeat).sort((a, b) => place(a) - place(b));
}

const highestFirst = (bySeat) => Object.entries(bySeat).sort((a, b) => b[1] - a[1]);

/** What two sides named by turns, as a beam on a pivot: whoever is to answer is up. */
function SeeSaw({ state, about, amounts }) {
  const sides = about.sides.map((path, i) => ({
    seat: at(state.view, path),
    named: amounts.filter((_, place) => place % 2 === i).map((one) => counted(one, about)),
  }));
  const inWords = sides
    .map(({ seat, named }) => `${seatName(state, seat)}: ${named.join(", then ") || "nothing yet"}`)
    .join(". ");
  return html`<span class=${`seesaw ${amounts.length % 2 ? "first-down" : "second-down"}`} role="img" aria-label=${inWords}>
    <span class="beam">
      ${sides.map(({ seat, named }) => html`<span key=${seat} class="beam-end"><${Who} state=${state} seat=${seat} /><b>${named.at(-1) ?? "–"}</b>${named.length > 1 && html`<s>${named.slice(-3, -1).join(" ")}</s>`}</span>`)}
    </span>
    <span class="pivot"></span>
  </span>`;
}

/** A heap of cards: equal faces lie on one another, with their number. */
function Cards({ words, faces, small }) {
  if (faces.some(isRecord))
    return html`<span class="list cards">${faces.map((face) => html`<${Card} key=${faceIn(words, face)?.key} words=${words} face=${face} small=${small} />`)}</span>`;
  const heaps = new Map();
  for (const face of faces) heaps.set(face, (heaps.get(face) ?? 0) + 1);
  return html`<span class="list cards">
    ${[...heaps].map(([face, count]) => html`<span key=${String(face)} class=${count > 1 ? "heap" : "single"}><${Card} words=${words} face=${face} small=${small} />${count > 1 && html`<span class="heap-count">×${count}</span>`}</span>`)}
  </span>`;
}

/** A record in one line: by the fact's own `title` template, else name and value of all it holds. */
function recordWords(record, about, words) {
  if (about.title) return fill(about.title, record, words);
  return Object.entries(record)
    .filter(([, v]) => v !== null && !isRecord(v))
    .map(([k, v]) => `${plain(k)} ${Array.isArray(v) ? v.join(" ") : v}`)
    .join(" · ");
}

/** Facts as labelled lines; `quiet` names facts drawn elsewhere, `only` those that are wanted. */
export function Facts({ words, state, where, facts, seat, on, small = true, quiet = [], only }) {
  const onLine = phaseOf(words, state?.view).line && lineIn(state);
  const told = ({ name, about, value }) =>
    !about.row &&
    !(about.line && onLine) &&
    !quiet.includes(name) &&
    (!only || only.includes(name)) &&
    !isEmpty(value) &&
    value !== (about.heap ? 0 : about.unless);
  const lines = factsOf(words, where, facts, state?.view?.phase, on).filter(told);
  if (!lines.length) return null;
  return html`<dl class=${`facts of-${where}`}>
    ${lines.map(
      ({
        name,
        about,
        value,
      }) => html`<div key=${name} class=${`fact${about.card ? " wide" : ""}${about.card && typeof value === "string" ? " lone" : ""}${about.heap ? " heaped" : ""}${about.sides ? " sided" : ""}${value === about.warn ? " warned" : ""}`}>
        ${
          value === true
            ? html`<dt class="flag">${about.label ?? plain(name)}</dt>`
            : html`<dt>${about.label ?? plain(name)}</dt>
              <dd><${Value} words=${words} state=${state} about=${about} value=${value} small=${small} />${seat && about.leader && at(state.view, about.leader) === seat ? html` <${Crown} />` : ""}</dd>`
        }
      </div>`,
    )}
  </dl>`;
}

/** The rows on the table that are there in this phase, with those of their records that the words want told. */
function rowsOf(words, state) {
  const told = ({ only = {} }, record) =>
    Object.entries(only).every(([name, path]) => record[name] === at(state.view, path));
  return factsOf(words, "table", state.view?.table, state.view?.phase)
    .filter(({ about, value }) => about.row && Array.isArray(value))
    .map((row) => ({ ...row, value: row.value.filter((record) => told(row.about, record)) }))
    .filter(({ value }) => value.length);
}

/** What of the rows is this seat's own and has something to say to its player: a line to read aloud. */
export function OwnRecords({ words, state, mine }) {
  return rowsOf(words, state)
    .filter(({ about }) => about.own)
    .map(({ name, about, value }) =>
      value
        .filter((record) => record[about.by] === mine)
        .map(
          (record) =>
            html`<p key=${name} class="own-record"><span>${about.own}</span> <b>${fill(about.title, record, words)}</b> ${fill(about.text, record, words)}</p>`,
        ),
    );
}

/** The rows of cards on the table. */
export function CardRows({ words, state, small = true }) {
  const rows = rowsOf(words, state).filter(({ about }) => about.card);
  return rows.map(
    ({ name, about, value }) =>
      html`<${CardRow} key=${name} words=${words} state=${state} label=${about.label ?? plain(name)} about=${about} cards=${value} small=${small} />`,
  );
}

/** How records lie: each with its seat, each shared by some seats (close together where they are many), or in a row. */
function rowLook(about, records) {
  if (about.seats)
    return `shared ${records.length > 15 ? "close" : records.length > 8 ? "many across" : records.length > 6 ? "many" : records.length > 3 ? "some" : ""}`;
  return about.by ? "by-seat" : "";
}

/** The rows of other records, such as places with cards on them: one tile a record. */
export function Rows({ words, state, mine, small = true }) {
  return rowsOf(words, state)
    .filter(({ about }) => !about.card)
    .map(({ name, about, value }) => {
      const ownFirst = about.by
        ? [...value].sort((a, b) => Number(b[about.by] === mine) - Number(a[about.by] === mine))
        : value;
      return html`<section key=${name} class=${`row ${rowLook(about, value)}${about.slowly ? " slowly" : ""}`} aria-label=${about.label ?? plain(name)}>
      <ul class="tiles" style=${about.by ? { "--across": Math.ceil(value.length / 2) } : null}>
        ${ownFirst.map((record, i) => html`<${Tile} key=${about.slowly ? JSON.stringify(record) : i} words=${words} state=${state} about=${about} record=${record} place=${i} first=${i === 0 && !about.by} here=${Boolean(about.here) && at(state.view, about.here) === record.id} small=${small} />`)}
      </ul>
    </section>`;
    });
}

/** Numbers by seat as symbols with the number beside each. */
function Counts({ counts }) {
  return html`<span class="list counts">
    ${Object.entries(counts).map(([seat, n]) => html`<span key=${seat} class="pair" aria-label=${`${seatWords(seat)}: ${n}`}><${Mark} seat=${seat} />${n}</span>`)}
  </span>`;
}

/** Cards in a row, left to right, with who laid them; a tap tells what a card does. */
function CardRow({ words, state, label, about, cards, small }) {
  const [tapped, setTapped] = useState(null);
  const here = about.here && at(state.view, about.here);
  return html`<section class="card-row" aria-label=${label} style=${{ "--count": Math.max(cards.length, 1) }}>
    <h3 class="card-row-label">${label}</h3>
    <ol class="laid">
      ${cards.map((card) => {
        const { key, full, text } = faceIn(words, card);
        return html`<li key=${key} class=${key === here ? "here" : ""}>
          <button type="button" class="card-tap" aria-expanded=${tapped === key} aria-label=${`${full}${text ? `: ${text}` : ""}`} onClick=${() => setTapped(tapped === key ? null : key)}>
            <${Card} words=${words} face=${card} small=${small} />
          </button>
          ${about.by && card[about.by] ? html`<span class="laid-by"><${Mark} seat=${card[about.by]} /><span class="unseen"> by seat ${card[about.by]}</span></span>` : null}
        </li>`;
      })}
    </ol>
    ${tapped !== null && html`<${CardText} words=${words} face=${tapped} />`}
  </section>`;
}

/** One record. Where the words want it `slowly`, one comes after the other, again when it says something new. */
function Tile({ words, state, about, record, place, first, here, small }) {
  const cards = about.cards ? record[about.cards] : undefined;
  const text = fill(about.text, record, words);
  const off = about.flag && record[about.flag];
  const lit = about.lit ? record[about.lit] : undefined;
  const owner = about.by && record[about.by];
  return html`<li class=${`tile${off ? " off" : ""}${first ? " first" : ""}${here ? " here" : ""}`} style=${{ "--place": place }}>
    <h4 class="tile-title">
      ${owner && (about.seats ? html`<${Mark} seat=${owner} /><span class="unseen">${seatName(state, owner)}: </span>` : html`<${Who} state=${state} seat=${owner} />`)}
      <span>${fill(about.title, record, words) || plain(about.label ?? "")}</span>
    </h4>
    ${isBySeat(record[about.seats]) && html`<${Counts} counts=${record[about.seats]} />`}
    ${Array.isArray(cards) && html`<span class="list cards">${cards.map((face) => html`<${Card} words=${words} face=${face} small=${small} look=${lit ? (lit.includes(face) ? "lit" : "unlit") : ""} />`)}</span>`}
    ${text && html`<p class="tile-text">${text}</p>`}
    ${off && html`<p class="tile-flag">${plain(about.flag)}</p>`}
  </li>`;
}
