// The tab of a seat: its player, this phone's settings, moving to another phone, and leaving. Fetched when opened.

import { html, useEffect, useState } from "../lib/html.js";
import { languageNow, message, say } from "../lib/language.js";
import { placeOf, seatText } from "../lib/seats.js";
import { languageSlot } from "../lib/storage.js";
import { KeyPart } from "./key.js";
import { later } from "./later.js";
import { Mark } from "./marks.js";
import { MatchActions } from "./questions.js";
import { SecretZone } from "./secret.js";

/** @import { Ask, Drawn, Held, PhoneProps, Settings } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

const HandOver = later(() => import("./hand_over.js").then((part) => part.HandOver), "hand_over.css");

/**
 * My seat: name, settings of this phone, moving to another phone, leaving.
 * @param {PhoneProps & { held: Held | null, onSettings: (settings: Settings) => void, onLeave: () => void }} props
 */
export function SeatTab({ state, hand, held, settings, onSettings, sending, ask, onLeave }) {
  const title = held
    ? html`<${Mark} seat=${held.seat} /> <span>${say("Seat {seat}", { seat: held.seat })}</span>`
    : say("Watching");
  return html`<div class="panel seat-panel">
    <h1 class="headline">${title}</h1>
    ${held && html`<${NameForm} state=${state} seat=${held.seat} sending=${sending} ask=${ask} />`}
    ${held && html`<${MatchActions} state=${state} seat=${held.seat} sending=${sending} ask=${ask} />`}
    <${SettingsPart} state=${state} held=${held} settings=${settings} onSettings=${onSettings} />
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
        ${sending === "name" ? say("Sending…") : say("Save")}
      </button>
    </div>
  </form>`;
}

const SIZES = { 100: "100 %", 125: "125 %", 150: "150 %", 200: "200 %" };
const THUMBS = { left: message("Left"), right: message("Right") };
const LIGHTS = { auto: message("Auto"), dark: message("Dark"), light: message("Light") };

/**
 * @param {{
 *   state: PublicState, held: Held | null, settings: Settings, onSettings: (settings: Settings) => void,
 * }} props
 */
function SettingsPart({ state, held, settings, onSettings }) {
  const { keepOpen, hints, sound, lessons, size, hand, theme } = settings;
  const hintNote = state.hints
    ? say("What the house would do, and why. Only you see it.")
    : say("Not available at this table now: see the lobby.");
  /** @param {Partial<Settings>} change */
  const set = (change) => onSettings({ ...settings, ...change });
  /** @param {"size" | "hand" | "theme"} name */
  const pick = (name) => (/** @type {string} */ value) => set({ [name]: name === "size" ? Number(value) : value });
  return html`<h2>This phone</h2>
    <label class="setting">
      <span>Keep my hand open<small>No need to hold the button. Your neighbors may see your hand.</small></span>
      <input
        type="checkbox"
        class="switch"
        checked=${keepOpen}
        onChange=${(/** @type {any} */ event) => set({ keepOpen: event.target.checked })}
      />
    </label>
    ${
      held &&
      html`<label class="setting">
        <span>Hints<small>${hintNote}</small></span>
        <input
          type="checkbox"
          class="switch"
          checked=${hints}
          onChange=${(/** @type {any} */ event) => set({ hints: event.target.checked })}
        />
      </label>`
    }
    <label class="setting">
      <span>Rules in the first round<small>One sentence at a time, when it is needed.</small></span>
      <input
        type="checkbox"
        class="switch"
        checked=${lessons}
        onChange=${(/** @type {any} */ event) => set({ lessons: event.target.checked })}
      />
    </label>
    <label class="setting">
      <span>Sounds<small>${state.volume ? say("For locks, reveals, dice and the end of a match.") : say("Sound is off at this table.")}</small></span>
      <input
        type="checkbox"
        class="switch"
        checked=${sound}
        onChange=${(/** @type {any} */ event) => set({ sound: event.target.checked })}
      />
    </label>
    <${Pick} label="Text" value=${size} options=${SIZES} onPick=${pick("size")} />
    <${Pick} label="Thumb" value=${hand} options=${THUMBS} onPick=${pick("hand")} />
    <${Pick} label="Theme" value=${theme} options=${LIGHTS} onPick=${pick("theme")} />
    <${LanguagePart} />`;
}

/** The language of this phone, if the hub has others than English. The choice is stored here. */
function LanguagePart() {
  const [languages, setLanguages] = useState(/** @type {Record<string, string>} */ ({}));
  useEffect(() => {
    import("../lib/speaking.js")
      .then(({ fetchLanguages }) => fetchLanguages())
      .then(
        (known) => setLanguages(known?.languages ?? {}),
        () => undefined,
      );
  }, []);
  const pick = (/** @type {string} */ name) => {
    languageSlot.set(name);
    location.reload();
  };
  if (Object.keys(languages).length < 2) return null;
  return html`<${Pick} label="Language" value=${languageNow()} options=${languages} onPick=${pick} />`;
}

/** @param {{ state: PublicState, hand: Hand | null, held: Held, sending: string | null, ask: Ask }} props */
function OtherPhone({ state, hand, held, sending, ask }) {
  const code = hand?.seat_code;
  return html`<h2>Another phone</h2>
    <p>Scan a code on this phone with the other phone. Then the other phone has the seat.</p>
    <${HandOver} state=${state} hand=${hand} held=${held} sending=${sending} ask=${ask} />
    <p>${say("Or open the table there, choose {seat}, and type these letters.", { seat: seatText(held.seat) })}</p>
    ${
      code &&
      html`<${SecretZone} label="the code of this seat" keepOpen=${false}>
        <p class="seat-code" translate="no">${code}</p>
      </${SecretZone}>`
    }`;
}

/**
 * A player who left a hand returns with its code, which the table's screen shows only after a request here.
 * @param {{ state: PublicState, sending: string | null, ask: Ask }} props
 */
function LeftSeats({ state, sending, ask }) {
  const left = state.seats.filter((place) => place.held && place.phone === "none" && place.box !== "on");
  if (left.length === 0) return null;
  return html`<h2>Somebody returns</h2>
    ${left.map(
      ({ seat }) => html`<button
        key=${seat}
        type="button"
        class="small-act"
        disabled=${Boolean(sending)}
        onClick=${() => ask("code", { seat }, `code ${seat}`)}
      >
        ${say("Show the code of {seat} on the screen", { seat: seatText(seat) })}
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
    <p>The seat becomes free, and the match goes on.</p>
    <div class="acts">
      <button type="button" class="act" onClick=${() => setSure(false)}>Stay</button>
      <button type="button" class="act danger" disabled=${Boolean(sending)} onClick=${onLeave}>Leave the seat</button>
    </div>`;
}

/**
 * A few values, one of which is set.
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
