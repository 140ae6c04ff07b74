// Facts of a view, drawn by the game's words: counters, cards, seats, and rows of records.

import { html } from "/vendor/htm-preact.js";
import { Card, Mark, Said, Who, seatWords } from "./atoms.js";
import { counted, fill, isBySeat, isRecord, plain, seatName } from "./words.js";

/** The facts of one place (`table`, `seat`, `you`) that are there: {name, about, value}. */
export function factsOf(words, where, facts) {
  const all = Object.entries(words?.facts ?? {}).filter(([, about]) => (about.where ?? "table") === where);
  return all.map(([name, about]) => ({ name, about, value: facts?.[about.name ?? name] })).filter(({ value }) => value !== undefined && value !== null);
}

/** What a seat itself is to be warned of: the `alert` of facts that are true of it. */
export function alertsOf(words, facts) {
  return factsOf(words, "seat", facts).filter(({ about, value }) => about.alert && value === true).map(({ about }) => about.alert);
}

/** Is there nothing in it to show? */
function isEmpty(value) {
  return value === "" || value === false || (Array.isArray(value) && !value.length) || (isRecord(value) && !Object.keys(value).length);
}

function Value({ words, state, about, value, small }) {
  if (about.seat && Number.isInteger(value)) return html`<${Who} state=${state} seat=${value} />`;
  if (about.seats && Array.isArray(value)) return html`<span class="list seats">${value.map((seat) => html`<${Who} state=${state} seat=${seat} />`)}</span>`;
  if (about.card && Array.isArray(value)) return html`<${Cards} words=${words} faces=${value} small=${small} />`;
  if (about.card) return html`<span class="list cards"><${Card} words=${words} face=${value} small=${small} /></span>`;
  if (Array.isArray(value)) {
    const newest = about.last ? value.slice(-about.last) : value;
    return html`<span class="value list-line">
      ${newest.map((v) => html`<span>${isRecord(v) ? recordWords(v, about, words) : counted(v, about)}${about.by && html` <${Mark} seat=${v[about.by]} /><span class="unseen">${seatName(state, v[about.by])}</span>`}</span>`)}
    </span>`;
  }
  if (isBySeat(value))
    return html`<span class="list seats">
      ${Object.entries(value).map(([seat, v]) => html`<span class="pair"><${Who} state=${state} seat=${seat} /> ${isRecord(v) ? recordWords(v, about, words) : counted(v, about)}</span>`)}
    </span>`;
  if (isRecord(value)) return html`<span class="value"><${Said} state=${state} text=${recordWords(value, about, words)} /></span>`;
  const known = about.names?.[String(value)];
  return html`<span class="value">${known ?? (typeof value === "string" ? value : counted(value, about))}</span>`;
}

/** A heap of cards: equal faces lie on one another, with their number. */
function Cards({ words, faces, small }) {
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

/** Facts as labelled lines; `quiet` names facts drawn elsewhere. */
export function Facts({ words, state, where, facts, small = true, quiet = [] }) {
  const lines = factsOf(words, where, facts).filter(({ name, about, value }) => !about.row && !quiet.includes(name) && !isEmpty(value) && value !== about.unless);
  if (!lines.length) return null;
  return html`<dl class=${`facts of-${where}`}>
    ${lines.map(
      ({ name, about, value }) => html`<div key=${name} class=${`fact${about.card ? " wide" : ""}`}>
        ${value === true
          ? html`<dt class="flag">${about.label ?? plain(name)}</dt>`
          : html`<dt>${about.label ?? plain(name)}</dt>
              <dd><${Value} words=${words} state=${state} about=${about} value=${value} small=${small} /></dd>`}
      </div>`,
    )}
  </dl>`;
}

/** The rows of records on the table, such as places with cards on them: one tile a record. */
export function Rows({ words, state, small = true }) {
  const rows = factsOf(words, "table", state.view?.table).filter(({ about, value }) => about.row && Array.isArray(value) && value.length);
  return rows.map(
    ({ name, about, value }) => html`<section key=${name} class=${`row${about.by ? " by-seat" : ""}`} aria-label=${about.label ?? plain(name)}>
      <ul class="tiles">
        ${value.map((record, i) => html`<${Tile} words=${words} state=${state} about=${about} record=${record} first=${i === 0 && !about.by} small=${small} />`)}
      </ul>
    </section>`,
  );
}

/** Numbers by seat as symbols with the number beside each. */
function Counts({ counts }) {
  return html`<span class="list counts">
    ${Object.entries(counts).map(([seat, n]) => html`<span key=${seat} class="pair" aria-label=${`${seatWords(seat)}: ${n}`}><${Mark} seat=${seat} />${n}</span>`)}
  </span>`;
}

function Tile({ words, state, about, record, first, small }) {
  const cards = about.cards ? record[about.cards] : undefined;
  const text = fill(about.text, record, words);
  const off = about.flag && record[about.flag];
  const lit = about.lit ? record[about.lit] : undefined;
  return html`<li class=${`tile${off ? " off" : ""}${first ? " first" : ""}`}>
    <h4 class="tile-title">
      ${about.by && record[about.by] && html`<${Who} state=${state} seat=${record[about.by]} />`}
      <span>${fill(about.title, record, words) || plain(about.label ?? "")}</span>
    </h4>
    ${isBySeat(record[about.seats]) && html`<${Counts} counts=${record[about.seats]} />`}
    ${Array.isArray(cards) && html`<span class="list cards">${cards.map((face) => html`<${Card} words=${words} face=${face} small=${small} look=${lit ? (lit.includes(face) ? "lit" : "unlit") : ""} />`)}</span>`}
    ${text && html`<p class="tile-text">${text}</p>`}
    ${off && html`<p class="tile-flag">${plain(about.flag)}</p>`}
  </li>`;
}
