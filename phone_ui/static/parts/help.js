// The tab Help: how to play with phone and box, and how to call staff.

import { html } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { MARKS } from "../lib/seats.js";
import { Mark } from "./marks.js";

/** @import { Ask, Held, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/**
 * A call for staff, the game's own tables, and how to use phone, box and ring.
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
    <p>
      ${sayAround("{link}: minutes, wins by seat, the dice.", {
        link: html`<a href=${`/t/${state.table}/history`}>What was played at this table</a>`,
      })}
    </p>
    ${
      state.url &&
      html`<p>
        ${sayAround("Other phones join at {address} with the code {code}.", {
          address: html`<b>${state.url}</b>`,
          code: html`<b class="code" translate="no">${state.code}</b>`,
        })}
      </p>`
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
      ${sending === "help" ? say("Sending…") : called ? say("Take the call back") : say("Call staff")}
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
      This phone and the box in front of you are the same seat. Use either one, and switch whenever you like. The phone may sleep: the ring on the box calls you.
    </p>
    <h2>The box</h2>
    <dl class="key-list">
      <div><dt>Dial</dt><dd>more or less</dd></div>
      <div><dt>Push the dial</dt><dd>yes, lock</dd></div>
      <div><dt>Wide bar</dt><dd>no, pass, back. Hold it for 3 seconds to call the staff</dd></div>
      <div><dt>Keys 1 to 6</dt><dd>choose by number, or type what a die shows</dd></div>
      <div><dt>Somebody typed dice</dt><dd>push if the dice are right, press the bar if not</dd></div>
      <div><dt>A roll was read wrong</dt><dd>press the bar within 5 seconds. Then everybody votes: push for yes, bar for no</dd></div>
      <div><dt>A die leans</dt><dd>roll it again, or push to have it read as it lies</dd></div>
    </dl>
    <h2>The ring</h2>
    <dl class="key-list">
      <div><dt>Half, breathing</dt><dd>it is your turn</dd></div>
      <div><dt>Every second light</dt><dd>choose in secret</dd></div>
      <div><dt>Full and steady</dt><dd>locked</dd></div>
      <div><dt>Three lights circling</dt><dd>roll the dice</dd></div>
      <div><dt>Two opposite lights, pulsing</dt><dd>look at the display: a vote, or a phone that wants your seat</dd></div>
      <div><dt>Two bars, amber</dt><dd>a die needs attention</dd></div>
    </dl>  `;
}
