// The tabs below: rules, log, why, help, seat.

import { html, useState } from "/vendor/htm-preact.js";
import { Mark, ReadTag, Said, seatWords } from "./atoms.js";
import { SecretZone } from "./secret.js";
import { MARKS } from "../lib/labels.js";

export const TABS = { rules: "Rules", log: "Log", why: "Why?", help: "Help", seat: "Seat" };

/** What a tab is called where its word alone would not do. */
const NAMES = { why: "Why did money and points change?" };

export function TabBar({ open, onOpen }) {
  return html`<nav class="tabs" aria-label="More">
    ${Object.entries(TABS).map(
      ([name, label]) =>
        html`<button type="button" key=${name} class="tab" aria-label=${NAMES[name] ?? label} aria-expanded=${open === name} onClick=${() => onOpen(open === name ? null : name)}>${label}</button>`,
    )}
  </nav>`;
}

export function Rules({ words, state }) {
  const cited = new Set((state.events ?? []).slice(-6).map((e) => e.rule));
  const rules = Object.entries(words?.rules ?? {});
  return html`<div class="panel rules">
    <h1 class="headline">${words?.title ?? "Rules"}</h1>
    ${words?.blurb && html`<p class="lead">${words.blurb}</p>`}
    ${rules.length === 0 && html`<p>Choose a game, and its rules stand here.</p>`}
    <dl class="rule-list">
      ${rules.map(([id, line]) => html`<div key=${id} class=${`rule${cited.has(id) ? " cited" : ""}`}><dt>${id}${cited.has(id) ? ", just used" : ""}</dt><dd>${line}</dd></div>`)}
    </dl>
  </div>`;
}

/** What happened, newest first. */
export function Log({ state }) {
  const events = [...(state.events ?? [])].reverse();
  return html`<div class="panel log">
    <h1 class="headline">What happened</h1>
    ${events.length === 0 && html`<p>Nothing yet.</p>`}
    <ol class="log-list" reversed>
      ${events.map((e) => html`<li key=${e.n} class="log-line"><span class="log-text"><${Said} state=${state} text=${e.text} />${e.data?.read && html` <${ReadTag} read=${e.data.read} again=${e.data.again} />`}</span>${e.rule && html`<span class="log-rule">${e.rule}</span>`}</li>`)}
    </ol>
  </div>`;
}

export function Help({ words, state }) {
  return html`<div class="panel help">
    <h1 class="headline">Help</h1>
    ${(words?.help ?? []).map(
      ({ title, columns, rows, note }) => html`<h2>${title}</h2>
        <table class="help-table">
          <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
          <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
        </table>
        ${note && html`<p class="quiet-words">${note}</p>`}`,
    )}
    <p>This phone and the box in front of you are the same seat. Use either, and change as you like. The phone may sleep: the ring on the box calls you.</p>
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
      <div><dt>Two opposite lamps, pulsing</dt><dd>push yes, or the bar no</dd></div>
      <div><dt>Two bars, amber</dt><dd>a die needs a look</dd></div>
    </dl>
    <h2>Seats</h2>
    <ul class="mark-list">
      ${state.seats.map((s) => html`<li key=${s.seat}><${Mark} seat=${s.seat} /> ${s.seat} <span class="quiet-words">${MARKS[s.seat]?.name}</span></li>`)}
    </ul>
    <p>Other phones join at <b>${state.url}</b> with the code <b class="code">${state.code}</b>.</p>
  </div>`;
}

/** My seat: name, settings of this phone, moving to another phone, leaving. */
export function SeatTab({ state, hand, held, settings, onSettings, sending, ask, onLeave }) {
  const mine = state.seats.find((s) => s.seat === held?.seat);
  const [name, setName] = useState(mine?.name ?? "");
  const [sure, setSure] = useState(false);
  const set = (change) => onSettings({ ...settings, ...change });
  return html`<div class="panel seat-panel">
    <h1 class="headline">${held ? html`<${Mark} seat=${held.seat} /> <span>Seat ${held.seat}</span>` : "Watching"}</h1>
    ${
      held &&
      html`<form class="line-form" onSubmit=${(e) => {
        e.preventDefault();
        ask("name", { name: name.trim() }, "name");
      }}>
      <label for="nick">Name at the table</label>
      <div class="joined"><input id="nick" maxlength="20" autocomplete="nickname" value=${name} onInput=${(e) => setName(e.target.value)} />
      <button class="small-act" disabled=${Boolean(sending) || name.trim() === (mine?.name ?? "")}>${sending === "name" ? "Sending…" : "Keep"}</button></div>
    </form>`
    }
    <h2>This phone</h2>
    <label class="setting"><span>Keep my hand open<small>No holding. Mind your neighbours.</small></span><input type="checkbox" class="switch" checked=${settings.keepOpen} onChange=${(e) => set({ keepOpen: e.target.checked })} /></label>
    <${Pick} label="Text" value=${settings.size} options=${{ 100: "100 %", 125: "125 %", 150: "150 %", 200: "200 %" }} onPick=${(v) => set({ size: Number(v) })} />
    <${Pick} label="Thumb" value=${settings.hand} options=${{ left: "Left", right: "Right" }} onPick=${(v) => set({ hand: v })} />
    <${Pick} label="Light" value=${settings.theme} options=${{ auto: "Auto", dark: "Dark", light: "Light" }} onPick=${(v) => set({ theme: v })} />
    ${
      held &&
      html`<h2>Another phone</h2>
      <p>Open the table on the other phone, choose ${seatWords(held.seat)}, and type this code.</p>
      ${hand?.seat_code ? html`<${SecretZone} label="the code of this seat" keepOpen=${false}><p class="seat-code">${hand.seat_code}</p></${SecretZone}>` : null}
      <h2>Leave</h2>
      ${
        sure
          ? html`<p>The seat becomes free; the match goes on without your hand on it.</p>
            <div class="acts"><button type="button" class="act" onClick=${() => setSure(false)}>Stay</button><button type="button" class="act danger" disabled=${Boolean(sending)} onClick=${onLeave}>Leave the seat</button></div>`
          : html`<button type="button" class="small-act" onClick=${() => setSure(true)}>Leave this seat…</button>`
      }`
    }
    ${!held && html`<h2>A seat</h2><button type="button" class="small-act" onClick=${onLeave}>Choose a seat</button>`}
  </div>`;
}

function Pick({ label, value, options, onPick }) {
  return html`<fieldset class="pick">
    <legend>${label}</legend>
    <div class="segments">
      ${Object.entries(options).map(
        ([v, said]) =>
          html`<label key=${v}><input type="radio" name=${`set-${label}`} value=${v} checked=${String(value) === v} onChange=${() => onPick(v)} /><span>${said}</span></label>`,
      )}
    </div>
  </fieldset>`;
}
