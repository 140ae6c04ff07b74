// One table for staff: its match, its players, its warnings, and the actions of staff. Its calls are above (staff_list.js).

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { calledName, isHouse, nameStays, seatName, seatText } from "../lib/seats.js";
import { isSilent, noticesOf, STATES, troubleOf } from "../lib/staff_venue.js";
import { minutesText } from "../lib/view.js";
import { FaultLine } from "./faults.js";
import { later } from "./later.js";
import { Mark, Sentence } from "./marks.js";
import { StaffJoin } from "./staff_join.js";
import { isInPlay, usePlayText } from "./staff_list.js";
import { Sure } from "./sure.js";

/** @import { CameraSeen, HardwareTest, PublicSeat, PublicState, ScreenSeen, StaffRequests, StaffTable as Seen } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */

/**
 * @typedef {{
 *   table: Seen,
 *   now: number,
 *   ask: AskHub,
 *   sending: string | null,
 *   look: (table: string, step: StaffRequests["camera"]["step"]) => Promise<CameraSeen | null>,
 * }} Props
 */

/**
 * Return "42 min" or "1 h 05".
 * @param {number} seconds
 */
export function lasting(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes < 60) return say("{minutes} min", { minutes });
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

/**
 * Return the time of day at the hub; the browser is in the same house.
 * @param {number} seconds
 */
const clockTime = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });

const StaffCamera = later(() => import("./staff_camera.js").then((part) => part.StaffCamera));

/** @param {Props} props */
export function StaffTable(props) {
  const { public: state, faults, screens } = props.table;
  const { calls } = troubleOf(props.table);
  return html`<section class=${`table-card${calls ? " calling" : ""}`} aria-label=${state.name}>
    <${Head} ...${props} />
    ${noticesOf(props.table).map((notice) => html`<${NoticeLine} ...${props} key=${notice.key} notice=${notice} />`)}
    ${faults.map((fault) => html`<${FaultLine} key=${fault.what} fault=${fault} />`)}
    ${screens.map((seen) => html`<${ScreenLine} key=${seen.address} name=${state.name} seen=${seen} />`)}
    <ul class="staff-seats">
      ${state.seats.map((place) => html`<${SeatLine} ...${props} key=${place.seat} place=${place} />`)}
    </ul>
    <${PutAside} ...${props} />
    <${MatchPart} ...${props} />
    <${TimePart} ...${props} />
    <${OfferPart} ...${props} />
    <${Reset} ...${props} />
    ${props.table.camera && html`<${StaffCamera} table=${state.table} look=${props.look} />`}
    <${More} ...${props} />
    <${StaffJoin} table=${state.table} ask=${props.ask} sending=${props.sending} />
    <p><a class="way" href=${`/t/${state.table}/history`}>What was played at this table</a></p>
  </section>`;
}

/** @param {{ name: string, seen: ScreenSeen }} props */
function ScreenLine({ name, seen }) {
  const { address, seconds } = seen;
  const ago = seconds < 100 ? `${seconds} s` : lasting(seconds);
  const text = address
    ? say("Big screen of {name} at {address}: last seen {ago} ago", { name, address, ago })
    : say("Big screen of {name}: last seen {ago} ago", { name, ago });
  if (!isSilent(seen)) return html`<p class="quiet-words screen-seen">${text}</p>`;
  const act = address
    ? say("Check that the device is on, awake and on the Wi-Fi.")
    : say("It starts again by itself. If it stays dark, look at the screen's cable and power.");
  return html`<${FaultLine} fault=${{ what: `${text}.`, do: act, severity: "warning" }} />`;
}

/** @param {Props} props */
function Head({ table, now }) {
  const { public: state, begun } = table;
  const playText = usePlayText(table);
  const inPlay = isInPlay(state);
  return html`<header class="table-head">
    <h2>${state.name}</h2>
    <span class=${`tag ${state.state}`}>${STATES[state.state]}</span>
    <p class="table-game">
      ${playText}
      ${inPlay && begun && html`<span class="quiet-words">${" "}${say("for {time}", { time: lasting(now - begun) })}</span>`}
      ${inPlay && state.minutes_left && html`<span class="quiet-words">, ${minutesText(state.minutes_left)}</span>`}
    </p>
  </header>`;
}

/** @param {Props & { notice: PublicState["notices"][number] }} props */
function NoticeLine({ table, ask, sending, notice }) {
  const { public: state } = table;
  const { key, severity, text, can_acknowledge: canAcknowledge } = notice;
  const name = `done ${state.table} ${key}`;
  return html`<div class=${`fault ${severity}`}>
    <p><${Sentence} state=${state} text=${text} /></p>
    ${
      canAcknowledge &&
      html`<button
        type="button"
        class="do"
        aria-label=${say("Done: {notice}", { notice: text })}
        disabled=${Boolean(sending)}
        onClick=${() => ask("done", state.table, { key }, name)}
      >
        Done
      </button>`
    }
    ${
      key === "fault" &&
      html`<button
        type="button"
        class="do"
        disabled=${Boolean(sending)}
        onClick=${() => ask("done", state.table, { key }, name)}
      >
        Restart this table
      </button>`
    }
  </div>`;
}

/**
 * Return the state of a seat, in words.
 * @param {PublicSeat} place
 */
export function seatWords(place) {
  const { held, presence, house, phone, box } = place;
  if (isHouse(place)) return say("free, the house plays {strength}", { strength: say(house) });
  const where = presence === "here" && phone !== "on" ? say("here, on the box") : presence;
  const words = [
    say(held ? where : "free"),
    house && say("the house plays"),
    box === "lost" && say("box disconnected"),
  ];
  return words.filter(Boolean).join(", ");
}

/** @param {Props & { place: PublicSeat }} props */
function SeatLine({ table, ask, sending, place }) {
  const { public: state } = table;
  const { seat, held, phone } = place;
  const plays = Boolean(state.view?.seats[seat]) && state.state !== "over" && Boolean(state.match);
  const words = seatWords(place);
  const name = calledName(state, seat);
  const question = plays
    ? say("{name} is signed out. The hand stays with the seat, for the next person there.", { name })
    : say("{name} leaves the seat. The hub forgets the name and the login.", { name });
  return html`<li class=${`staff-seat${held ? "" : " free"}`}>
    <${Mark} seat=${seat} /><span class="unseen">${seatText(seat)}</span>
    <span class="who-number">${seat}</span>
    <b translate=${nameStays(state, seat)}>${held || place.name ? seatName(state, seat) : ""}</b>
    <span class="seat-words">${state.state === "lobby" && place.ready ? say("{what}, ready", { what: words }) : words}</span>
    ${
      held &&
      (!plays || phone !== "none") &&
      html`<${Sure}
        label="Free…"
        named=${say("Free seat {seat}", { seat })}
        question=${question}
        options=${[{ label: say("Free the seat"), act: () => ask("free", state.table, { seat }, `free ${seat}`) }]}
        disabled=${Boolean(sending)}
      />`
    }
  </li>`;
}

/** @param {Props} props */
function MatchPart({ table, ask, sending }) {
  const { public: state } = table;
  if (!state.match) return null;
  const last = state.events.at(-1);
  const over = state.state === "over";
  /** @type {<V extends keyof StaffRequests>(verb: V, args: StaffRequests[V]) => () => Promise<unknown>} */
  const send = (verb, args) => () => ask(verb, state.table, args, `${verb} ${state.table}`);
  return html`<div class="part">
    ${last && html`<p class="last"><span class="quiet-words">Last: </span><${Sentence} state=${state} text=${last.text} /></p>`}
    <div class="does">
      <${Sure}
        label="Undo…"
        question=${say("This takes back the last action of a seat. Everybody sees a notice.")}
        options=${[{ label: say("Take it back"), act: send("undo", { after: last?.n ?? -1 }) }]}
        disabled=${Boolean(sending)}
      />
      ${
        !over &&
        html`<${Sure}
            label="Suspend…"
            question=${say("The match is saved, and the table is free for others.")}
            options=${[{ label: say("Suspend it"), act: send("aside", {}) }]}
            disabled=${Boolean(sending)}
          />
          <${Sure}
            label="End…"
            question=${say("The match ends without a winner. It cannot be resumed.")}
            options=${[{ label: say("End the match"), danger: true, act: send("end", {}) }]}
            disabled=${Boolean(sending)}
          />`
      }
    </div>
  </div>`;
}

/**
 * Matches suspended here. Staff may resume one whose players have other phones now.
 * @param {Props} props
 */
function PutAside({ table, ask, sending }) {
  const { public: state, desk } = table;
  return desk.put_aside.map(({ match, title, since, seats }) => {
    const who = Object.entries(seats).map(([seat, name]) =>
      say("{name} at seat {seat}", { name: name || say("somebody"), seat }),
    );
    return html`<div key=${match} class="part">
      <p>
        <span class="quiet-words">${say("Suspended at {time}:", { time: clockTime(since) })} </span>${title}, ${who.join(", ")}
      </p>
      <div class="does">
        <${Sure}
          label="Resume…"
          named=${say("Resume {game}", { game: title })}
          question=${say("Is everybody back in the same seat? Each phone gets the hand of its seat.")}
          options=${[{ label: say("Resume"), act: () => ask("again", state.table, { match }, `again ${match}`) }]}
          disabled=${Boolean(sending)}
        />
      </div>
    </div>`;
  });
}

/**
 * Return until when the table may be used, and the time left.
 * @param {import("../lib/messages.d.ts").Desk} desk
 * @param {number} left
 */
function limitText({ until, by_hours: byHours }, left) {
  if (until === null) return say("No limit.");
  const values = { time: clockTime(until), left: lasting(left + 59) };
  if (left <= 0) return say("Until {time}: the time is over.", values);
  return byHours
    ? say("Until {time}, when the venue closes, {left} left.", values)
    : say("Until {time}, {left} left.", values);
}

/** @param {Props} props */
function TimePart({ table, now, ask, sending }) {
  const { public: state, desk } = table;
  const [at, setAt] = useState("");
  const set = (/** @type {StaffRequests["limit"]} */ args) => ask("limit", state.table, args, `limit ${state.table}`);
  const left = desk.until === null ? 0 : desk.until - now;
  const text = limitText(desk, left);
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (at) set({ at }).then((done) => done && setAt(""));
  };
  return html`<div class="part">
    <p><span class="quiet-words">Time: </span>${text}</p>
    <div class="does times">
      ${[30, 60, 90].map(
        (minutes) => html`<button
          type="button"
          key=${minutes}
          class="do"
          disabled=${Boolean(sending)}
          aria-label=${say("{minutes} min from now", { minutes })}
          onClick=${() => set({ minutes })}
        >
          ${say("{minutes} min", { minutes })}
        </button>`,
      )}
      <form class="until" onSubmit=${submit}>
        <label>
          <span class="unseen">End time</span>
          <input type="time" value=${at} onInput=${(/** @type {any} */ event) => setAt(event.target.value)} />
        </label>
        <button class="do" disabled=${!at || Boolean(sending)}>Until</button>
      </form>
      ${
        desk.until !== null &&
        !desk.by_hours &&
        html`<button type="button" class="do" disabled=${Boolean(sending)} onClick=${() => set({})}>No limit</button>`
      }
    </div>
  </div>`;
}

/**
 * The game in the lobby, and its presets, if the owner has some.
 * @param {Props} props
 */
function OfferPart({ table, ask, sending }) {
  const { public: state } = table;
  const games = state.games.filter((game) => game.presets.length > 0);
  if (games.length === 0) return null;
  return html`<details class="part">
    <summary>Default in the lobby</summary>
    ${games.map(
      (game) => html`<p class="preset-game">${game.title}</p>
        <div class="does">
          ${[{ name: "", effect: say("As in the rules.") }, ...game.presets].map(({ name, effect }) => {
            const chosen = state.game === game.name && state.preset === name;
            return html`<button
              type="button"
              key=${name}
              class=${`do${chosen ? " chosen" : ""}`}
              aria-pressed=${chosen}
              title=${effect}
              disabled=${Boolean(sending)}
              onClick=${() => ask("offer", state.table, { game: game.name, preset: name }, `offer ${state.table}`)}
            >
              ${name || say("The usual game")}
            </button>`;
          })}
        </div>`,
    )}
  </details>`;
}

/** @param {Props} props */
function Reset({ table, ask, sending }) {
  const { public: state } = table;
  const inPlay = isInPlay(state);
  const reset = (/** @type {StaffRequests["reset"]["match"] | null} */ match) => () =>
    ask("reset", state.table, match ? { match } : {}, `reset ${state.table}`);
  const options = inPlay
    ? [
        { label: say("Suspend the match and reset"), act: reset("aside") },
        { label: say("End the match and reset"), danger: true, act: reset("end") },
      ]
    : [{ label: say("Reset the table"), act: reset(null) }];
  return html`<div class="part">
    <${Sure}
      label="Reset for the next guests…"
      named=${say("Reset for the next guests… {table}", { table: state.name })}
      question=${say("All seats become free. Names, logins and the hands of a finished match are deleted.")}
      options=${options}
      disabled=${Boolean(sending)}
    />
  </div>`;
}

/** @type {StaffRequests["light"]["percent"][]} */
const LIGHTS = [100, 60, 30, 10];
const VOLUMES = [0, 30, 60, 100];

/** @param {Props} props */
function More(props) {
  const { table, ask, sending } = props;
  const { public: state, desk } = table;
  /** @type {<V extends keyof StaffRequests>(verb: V, args: StaffRequests[V]) => () => Promise<unknown>} */
  const send = (verb, args) => () => ask(verb, state.table, args, `${verb} ${state.table}`);
  const inPlay = isInPlay(state);
  return html`${desk.test && html`<${TestPart} ...${props} test=${desk.test} />`}
    <details class="part">
      <summary>Light, sound, tests, recent actions</summary>
      <${Percents}
        legend=${say("Light of rings and screens")}
        choices=${LIGHTS}
        now=${desk.light}
        text=${(/** @type {number} */ percent) => (percent === 10 ? say("Night") : `${percent} %`)}
        disabled=${Boolean(sending)}
        onPick=${(/** @type {StaffRequests["light"]["percent"]} */ percent) => send("light", { percent })()}
      />
      <${Percents}
        legend=${say("Sound of screen and phones")}
        choices=${VOLUMES}
        now=${desk.volume}
        text=${(/** @type {number} */ percent) => (percent ? say("Sound {percent} %", { percent }) : say("No sound"))}
        disabled=${Boolean(sending)}
        onPick=${(/** @type {number} */ percent) => send("volume", { percent })()}
      />
      <div class="does">
        <button type="button" class="do" disabled=${inPlay || Boolean(sending)} onClick=${send("test", { what: "boxes" })}>
          Test boxes and rings
        </button>
        <button type="button" class="do" disabled=${inPlay || Boolean(sending)} onClick=${send("test", { what: "dice" })}>
          Count the dice
        </button>
        ${
          table.panels &&
          html`<button type="button" class="do" disabled=${inPlay || Boolean(sending)} onClick=${send("test", { what: "panels" })}>
            Test the panels
          </button>`
        }
      </div>
      ${inPlay && html`<p class="quiet-words">Boxes, dice and panels are tested between matches.</p>`}
      <ol class="did">
        ${[...desk.did].reverse().map(
          (one) => html`<li key=${`${one.at} ${one.text}`}>
            <span class="quiet-words">${clockTime(one.at)}${one.match ? `, ${one.match}` : ""}</span> ${one.text}
          </li>`,
        )}
      </ol>
      ${desk.did.length === 0 && html`<p class="quiet-words">No staff actions here yet.</p>`}
    </details>`;
}

/** @param {Props & { test: HardwareTest }} props */
function TestPart({ table, ask, sending, test }) {
  const { public: state } = table;
  return html`<div class="part test" role="status">
    ${test.dice && html`<p>${test.dice}</p>`}
    ${
      test.panels &&
      html`<p>Each panel shows a frame, three lines of text and a checkerboard. A slow one takes some minutes.</p>`
    }
    ${test.boxes.length > 0 && html`<p>Press every key. Push and turn each dial. A ring circles until its box is done.</p>`}
    <ul>
      ${test.boxes.map(
        ({ seat, left }) => html`<li key=${seat}>
          <${Mark} seat=${seat} /> <b>${seat}</b> ${left.length ? say("still: {parts}", { parts: left.join(", ") }) : say("everything works ✓")}
        </li>`,
      )}
    </ul>
    <button
      type="button"
      class="do"
      disabled=${Boolean(sending)}
      onClick=${() => ask("test", state.table, { what: "stop" }, `test ${state.table}`)}
    >
      End the test
    </button>
  </div>`;
}

/**
 * One of a few percentages.
 * @param {{
 *   legend: string, choices: number[], now: number, text: (percent: number) => string, disabled: boolean,
 *   onPick: (percent: number) => void,
 * }} props
 */
function Percents({ legend, choices, now, text, disabled, onPick }) {
  return html`<fieldset class="light">
    <legend class="quiet-words">${legend}</legend>
    <div class="does">
      ${choices.map(
        (percent) => html`<button
          type="button"
          key=${percent}
          class=${`do${now === percent ? " chosen" : ""}`}
          aria-pressed=${now === percent}
          disabled=${disabled}
          onClick=${() => onPick(percent)}
        >
          ${text(percent)}
        </button>`,
      )}
    </div>
  </fieldset>`;
}
