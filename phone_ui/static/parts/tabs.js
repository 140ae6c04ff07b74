// The tabs below: rules, help, seat; log and why have files of their own.

import { html, useState } from "/vendor/htm-preact.js";
import { MARKS, placeOf, seatText } from "../lib/seats.js";
import { KeyPart } from "./key.js";
import { later } from "./later.js";
import { Mark } from "./marks.js";
import { MatchActions } from "./questions.js";
import { SecretZone } from "./secret.js";

/** @import { Ask, Drawn, Held, Labels, PhoneProps, Settings } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

const TABS = { rules: "Rules", log: "Log", why: "Why?", help: "Help", seat: "Seat" };

const HandOver = later(() => import("./hand_over.js").then((part) => part.HandOver));

/** @typedef {keyof typeof TABS} TabName */

/**
 * What a tab is called for those who hear it, where its word alone would not do.
 * @type {Partial<Record<TabName, string>>}
 */
const NAMES = { why: "Why did money and points change?" };

/** @param {{ open: TabName | null, onOpen: (name: TabName | null) => void }} props */
export function TabBar({ open, onOpen }) {
  return html`<nav class="tabs" aria-label="More">
    ${
      /** @type {TabName[]} */ (Object.keys(TABS)).map(
        (name) => html`<button
        type="button"
        key=${name}
        class="tab"
        aria-label=${NAMES[name] ?? TABS[name]}
        aria-expanded=${open === name}
        onClick=${() => onOpen(open === name ? null : name)}
      >
        ${TABS[name]}
      </button>`,
      )
    }
  </nav>`;
}

/**
 * The rules of the game in a line each; those that the last events came from are marked.
 * @param {{ labels: Labels | null, state: PublicState }} props
 */
export function Rules({ labels, state }) {
  const cited = new Set(state.events.slice(-6).map((event) => event.rule));
  const rules = Object.entries(labels?.rules ?? {});
  return html`<div class="panel rules">
    <h1 class="headline">${labels?.title ?? "Rules"}</h1>
    ${labels?.blurb && html`<p class="lead">${labels.blurb}</p>`}
    ${rules.length === 0 && html`<p>Choose a game, and its rules stand here.</p>`}
    <dl class="rule-list">
      ${rules.map(
        ([id, line]) => html`<div key=${id} class=${`rule${cited.has(id) ? " cited" : ""}`}>
          <dt>${id}${cited.has(id) ? ", just used" : ""}</dt>
          <dd>${line}</dd>
        </div>`,
      )}
    </dl>
  </div>`;
}

/**
 * A call for staff, the game's own tables, and how phone, box and ring are used.
 * @param {{ labels: Labels | null, state: PublicState, held: Held | null, ask: Ask, sending: string | null }} props
 */
export function Help({ labels, state, held, ask, sending }) {
  return html`<div class="panel help">
    <h1 class="headline">Help</h1>
    ${held && html`<${CallStaff} state=${state} seat=${held.seat} ask=${ask} sending=${sending} />`}
    ${(labels?.help ?? []).map((table) => html`<${HelpTable} ...${table} />`)}
    <${BoxHelp} />
    <h2>Seats</h2>
    <ul class="mark-list">
      ${state.seats.map(
        ({ seat }) => html`<li key=${seat}>
          <${Mark} seat=${seat} /> ${seat} <span class="quiet-words">${MARKS[seat]?.name}</span>
        </li>`,
      )}
    </ul>
    <p><a href=${`/t/${state.table}/history`}>What was played at this table</a>: minutes, wins by seat, the dice.</p>
    ${
      state.url &&
      html`<p>Other phones join at <b>${state.url}</b> with the code <b class="code">${state.code}</b>.</p>`
    }
  </div>`;
}

/** @param {{ state: PublicState, seat: number, ask: Ask, sending: string | null }} props */
function CallStaff({ state, seat, ask, sending }) {
  const called = state.notices.some(({ key }) => key === `help:${seat}`);
  return html`${called && html`<p role="status">Staff are called.</p>`}
    <button
      type="button"
      class="small-act call-staff"
      disabled=${Boolean(sending)}
      aria-busy=${sending === "help"}
      onClick=${() => ask("help", {}, "help")}
    >
      ${sending === "help" ? "Sending…" : called ? "Take the call back" : "Call staff"}
    </button>`;
}

/** @param {{ title: string, columns: string[], rows: string[][], note?: string }} props */
function HelpTable({ title, columns, rows, note }) {
  return html`<h2>${title}</h2>
    <table class="help-table">
      <thead>
        <tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
      </tbody>
    </table>
    ${note && html`<p class="quiet-words">${note}</p>`}`;
}

function BoxHelp() {
  return html`
    <p>
      This phone and the box in front of you are the same seat. Use either, and change as you like.${" "}
      The phone may sleep: the ring on the box calls you.
    </p>
    <h2>The box</h2>
    <dl class="key-list">
      <div><dt>Dial</dt><dd>more or less</dd></div>
      <div><dt>Push the dial</dt><dd>yes, lock</dd></div>
      <div><dt>Wide bar</dt><dd>no, pass, back; held for 3 seconds it calls the staff</dd></div>
      <div><dt>Keys 1 to 6</dt><dd>choose by number, or type what a die shows</dd></div>
      <div><dt>Somebody typed dice</dt><dd>push if they lie there so, the bar if not</dd></div>
      <div><dt>A roll was read wrong</dt><dd>the bar, within 5 seconds; then all vote: push yes, the bar no</dd></div>
      <div><dt>A die leans</dt><dd>it is rolled again; push to have it read as it lies</dd></div>
    </dl>
    <h2>The ring</h2>
    <dl class="key-list">
      <div><dt>Half, breathing</dt><dd>it is your turn</dd></div>
      <div><dt>Every second lamp</dt><dd>choose in secret</dd></div>
      <div><dt>Full and still</dt><dd>locked</dd></div>
      <div><dt>Three lamps circling</dt><dd>roll the dice</dd></div>
      <div><dt>Two opposite lamps, pulsing</dt><dd>look at the display: a vote, or a phone that wants your seat</dd></div>
      <div><dt>Two bars, amber</dt><dd>a die needs a look</dd></div>
    </dl>  `;
}

/**
 * My seat: name, settings of this phone, moving to another phone, leaving.
 * @param {PhoneProps & { held: Held | null, onSettings: (settings: Settings) => void, onLeave: () => void }} props
 */
export function SeatTab({ state, hand, held, settings, onSettings, sending, ask, onLeave }) {
  const title = held ? html`<${Mark} seat=${held.seat} /> <span>Seat ${held.seat}</span>` : "Watching";
  return html`<div class="panel seat-panel">
    <h1 class="headline">${title}</h1>
    ${held && html`<${NameForm} state=${state} seat=${held.seat} sending=${sending} ask=${ask} />`}
    ${held && html`<${MatchActions} state=${state} seat=${held.seat} sending=${sending} ask=${ask} />`}
    <${SettingsPart} settings=${settings} onSettings=${onSettings} />
    ${
      held
        ? html`<${OtherPhone} state=${state} hand=${hand} held=${held} sending=${sending} ask=${ask} />
          <${KeyPart} hubKey=${held.hubkey} />
          <${LeftSeats} state=${state} sending=${sending} ask=${ask} />
          <${Leave} sending=${sending} onLeave=${onLeave} />`
        : html`<h2>A seat</h2>
          <button type="button" class="small-act" onClick=${onLeave}>Choose a seat</button>`
    }
  </div>`;
}

/** @param {{ state: PublicState, seat: number, sending: string | null, ask: Ask }} props */
function NameForm({ state, seat, sending, ask }) {
  const present = placeOf(state, seat)?.name ?? "";
  const [name, setName] = useState(present);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    ask("name", { name: name.trim() }, "name");
  };
  return html`<form class="line-form" onSubmit=${submit}>
    <label for="nick">Name at the table</label>
    <div class="joined">
      <input
        id="nick"
        maxlength="20"
        autocomplete="nickname"
        value=${name}
        onInput=${(/** @type {any} */ event) => setName(event.target.value)}
      />
      <button class="small-act" disabled=${Boolean(sending) || name.trim() === present}>
        ${sending === "name" ? "Sending…" : "Keep"}
      </button>
    </div>
  </form>`;
}

const SIZES = { 100: "100 %", 125: "125 %", 150: "150 %", 200: "200 %" };
const THUMBS = { left: "Left", right: "Right" };
const LIGHTS = { auto: "Auto", dark: "Dark", light: "Light" };

/** @param {{ settings: Settings, onSettings: (settings: Settings) => void }} props */
function SettingsPart({ settings, onSettings }) {
  const { keepOpen, size, hand, theme } = settings;
  /** @param {Partial<Settings>} change */
  const set = (change) => onSettings({ ...settings, ...change });
  /** @param {"size" | "hand" | "theme"} name */
  const pick = (name) => (/** @type {string} */ value) => set({ [name]: name === "size" ? Number(value) : value });
  return html`<h2>This phone</h2>
    <label class="setting">
      <span>Keep my hand open<small>No holding. Mind your neighbours.</small></span>
      <input
        type="checkbox"
        class="switch"
        checked=${keepOpen}
        onChange=${(/** @type {any} */ event) => set({ keepOpen: event.target.checked })}
      />
    </label>
    <${Pick} label="Text" value=${size} options=${SIZES} onPick=${pick("size")} />
    <${Pick} label="Thumb" value=${hand} options=${THUMBS} onPick=${pick("hand")} />
    <${Pick} label="Light" value=${theme} options=${LIGHTS} onPick=${pick("theme")} />`;
}

/** @param {{ state: PublicState, hand: Hand | null, held: Held, sending: string | null, ask: Ask }} props */
function OtherPhone({ state, hand, held, sending, ask }) {
  const code = hand?.seat_code;
  return html`<h2>Another phone</h2>
    <p>The camera of the other phone scans a code that this one shows, and has the seat.</p>
    <${HandOver} state=${state} hand=${hand} held=${held} sending=${sending} ask=${ask} />
    <p>Or open the table there, choose ${seatText(held.seat)}, and type these letters.</p>
    ${
      code &&
      html`<${SecretZone} label="the code of this seat" keepOpen=${false}>
        <p class="seat-code">${code}</p>
      </${SecretZone}>`
    }`;
}

/**
 * Whoever left a hand comes back by its code, which stands on the table's screen only when somebody here asks for it.
 * @param {{ state: PublicState, sending: string | null, ask: Ask }} props
 */
function LeftSeats({ state, sending, ask }) {
  const left = state.seats.filter((place) => place.held && place.phone === "none" && place.box !== "on");
  if (left.length === 0) return null;
  return html`<h2>Somebody comes back</h2>
    ${left.map(
      ({ seat }) => html`<button
        key=${seat}
        type="button"
        class="small-act"
        disabled=${Boolean(sending)}
        onClick=${() => ask("code", { seat }, `code ${seat}`)}
      >
        Show the code of ${seatText(seat)} on the screen
      </button>`,
    )}`;
}

/** @param {{ sending: string | null, onLeave: () => void }} props */
function Leave({ sending, onLeave }) {
  const [sure, setSure] = useState(false);
  /** @type {Drawn} */
  const ask = html`<button type="button" class="small-act" onClick=${() => setSure(true)}>Leave this seat…</button>`;
  if (!sure) return html`<h2>Leave</h2>${ask}`;
  return html`<h2>Leave</h2>
    <p>The seat becomes free; the match goes on without your hand on it.</p>
    <div class="acts">
      <button type="button" class="act" onClick=${() => setSure(false)}>Stay</button>
      <button type="button" class="act danger" disabled=${Boolean(sending)} onClick=${onLeave}>Leave the seat</button>
    </div>`;
}

/**
 * A few values of which one is set.
 * @param {{
 *   label: string, value: string | number, options: Record<string, string>, onPick: (value: string) => void,
 * }} props
 */
function Pick({ label, value, options, onPick }) {
  return html`<fieldset class="pick">
    <legend>${label}</legend>
    <div class="segments">
      ${Object.entries(options).map(
        ([option, text]) => html`<label key=${option}>
          <input
            type="radio"
            name=${`set-${label}`}
            value=${option}
            checked=${String(value) === option}
            onChange=${() => onPick(option)}
          />
          <span>${text}</span>
        </label>`,
      )}
    </div>
  </fieldset>`;
}
