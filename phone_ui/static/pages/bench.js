// The bench: simulated boxes, dice and panels, so that one person with a laptop can play a whole table.

import { complete } from "../lib/complete.js";
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { loadLanguage, readMessage, say, sayCount } from "../lib/language.js";
import { LAMPS, lampsAt } from "../lib/ring.js";
import { calledName, nameStays, placeOf, seatName, seatText } from "../lib/seats.js";
import { claimNameOf, slot } from "../lib/storage.js";
import { subscribe } from "../lib/stream.js";
import { askedSeats } from "../lib/view.js";
import { Die, dieCount } from "../parts/die.js";
import { Mark, Sentence } from "../parts/marks.js";

/** @import { Drawn, Facts } from "../lib/types.d.ts" */
/** @import { ScreenState } from "../lib/messages.d.ts" */

/** @typedef {{ pattern: string, n?: number, colour?: string }} Lamps */

/**
 * A simulated seat box, as the bench's stream shows it.
 * @typedef {object} SimulatedBox
 * @property {boolean} connected
 * @property {boolean} sealed
 * @property {boolean} locked
 * @property {string} hood
 * @property {string} display
 * @property {Lamps} lamps
 */

/**
 * The simulated dice, as the bench's stream shows them.
 * @typedef {object} SimulatedDice
 * @property {{ seat: number, count: number, sides: number } | null} armed
 * @property {number} wanted
 * @property {number[]} faces
 * @property {string} state
 * @property {string} say
 * @property {boolean} leaning
 * @property {boolean} missing
 * @property {boolean} weak
 * @property {boolean} lost
 */

/**
 * @typedef {object} BenchPicture
 * @property {Record<string, SimulatedBox>} boxes
 * @property {SimulatedDice} dice
 * @property {Record<string, number>} panels version by size
 */

/** @typedef {(command: Facts) => void} Send */

const table = location.pathname.split("/").filter(Boolean).at(-2);
const BOX_KEYS = ["k1", "k2", "k3", "k4", "k5", "k6"];
const MOST_FACES = 20; // the number of faces that can be set by hand
/** Whether this browser shows phones and the screen on the bench. */
const framesSlot = slot("th/bench/frames");

/**
 * Send a command to the bench. Returns a sentence if it fails.
 * @param {Facts} command
 * @returns {Promise<string>}
 */
async function post(command) {
  try {
    const answer = await fetch(`/t/${table}/bench`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(command),
    });
    const body = await answer
      .text()
      .then(readMessage)
      .catch(() => ({}));
    return answer.ok ? "" : (body.error ?? say("The bench could not do that."));
  } catch {
    return say("The hub does not answer.");
  }
}

/**
 * Return the hub's key, found by the table's code, or null until it is known.
 * @param {string | undefined} code
 */
function useHubKey(code) {
  const [key, setKey] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    if (!code) return;
    fetch(`/code/${code}.json`)
      .then((answer) => answer.json())
      .then(
        (found) => setKey(found.k),
        () => undefined,
      );
  }, [code]);
  return key;
}

function Bench() {
  const [bench, setBench] = useState(/** @type {BenchPicture | null} */ (null));
  const [state, setState] = useState(/** @type {ScreenState | null} */ (null));
  const [error, setError] = useState("");
  const [away, setAway] = useState(false);
  const [framed, setFramed] = useState(Boolean(framesSlot.get()));
  const hubKey = useHubKey(state?.code);

  useEffect(() => {
    const devices = subscribe(`/t/${table}/bench/events`, { onState: setBench, onAway: setAway });
    const states = subscribe(`/t/${table}/screen/events`, {
      onState: (next) => setState(complete(next)),
      onAway: () => undefined,
    });
    return () => {
      devices.close();
      states.close();
    };
  }, []);

  const toggle = () => {
    framesSlot.set(!framed);
    setFramed(!framed);
  };
  /** @type {Send} */
  const send = async (command) => setError(await post(command));
  if (!bench || !state) {
    const text = away ? say("Waiting for the hub") : say("Setting up the bench");
    return html`<main class="splash"><h1 class="headline">${text}</h1></main>`;
  }
  return html`<main class="bench-page">
    <header class="bench-head">
      <h1>${state.name} <span class="quiet-words">${state.title || say("nobody plays yet")}</span></h1>
      <p class="bench-said" role="status">${away ? say("Waiting for the hub") : error}</p>
      <button type="button" class="plain" aria-pressed=${framed} onClick=${toggle}>Show phones and screen here</button>
      <a class="bench-link" href=${`/t/${table}/kiosk`} target=${framed ? "_blank" : "kiosk"}>Open the screen</a>
    </header>
    <p class="bench-next" aria-live="polite"><b>Next:</b> <${Sentence} state=${state} text=${nextStep(state)} /></p>
    ${
      framed &&
      html`<div class="framed-screen"><iframe name="kiosk" title="The screen" src=${`/t/${table}/kiosk`}></iframe></div>`
    }
    <div class="bench-boxes">
      ${Object.entries(bench.boxes).map(
        ([seat, box]) =>
          html`<${Box}
            key=${seat}
            seat=${Number(seat)}
            box=${box}
            state=${state}
            hubKey=${hubKey}
            send=${send}
            framed=${framed}
          />`,
      )}
    </div>
    <div class="bench-rest">
      <${Dice} dice=${bench.dice} state=${state} send=${send} />
      <section class="bench-panels" aria-label="Panels">
        ${Object.entries(bench.panels ?? {}).map(
          ([size, version]) => html`<${Panel} key=${size} size=${size} version=${version} />`,
        )}
      </section>
    </div>
  </main>`;
}

/**
 * Return the next step of the person at the bench, in one sentence. Seats have the hub's names.
 * @param {ScreenState} state
 */
export function nextStep(state) {
  const { dice, dispute, question, starting, view, locked } = state;
  const [claimed] = state.claiming;
  if (claimed) return say("Somebody wants seat {seat}: use “Hold bar and push” at its box.", { seat: claimed });
  if (question) return say("{question} Answer on the phones.", { question: question.text });
  if (state.state === "over") return say("The match is over. Play again on a phone, or push a dial twice.");
  if (state.state === "stopped")
    return say("The match has stopped. Take back the last action on a phone, or call the staff.");
  if (state.state === "lobby") {
    if (starting) return say("The match starts by itself.");
    const here = state.seats.filter((place) => place.held || place.ready);
    if (!here.length) return say("Sit down: open “Sit down with a phone” at a box, or push its dial.");
    if (here.every((place) => place.ready)) return say("Everybody is ready: push a dial once more to start.");
    return say("Choose a game on a phone and start it, or turn a dial and push it. More guests may sit down.");
  }
  if (dispute?.stage === "vote") return say("A roll is disputed: push is yes, the bar is no.");
  if (dice?.state === "armed" || dice?.state === "rolling")
    return say("Seat {seat} rolls: press “Throw”.", { seat: dice.seat });
  if (dice?.state === "settled") return say("The dice have been read. They count in a moment unless somebody objects.");
  if (dice) return say("Seat {seat} rolls. {more}", { seat: dice.seat, more: dice.say });
  const open = askedSeats(view).filter((seat) => !locked.includes(seat));
  if (!open.length) return say("Nobody has to act: the table continues by itself.");
  const seats = open.map((seat) => say("Seat {seat}", { seat })).join(", ");
  const answer = sayCount(
    "{seats} answers on its phone or its box.",
    "{seats} answer, each on its phone or its box.",
    open.length,
    { seats },
  );
  return `${answer} ${say(state.want ?? "")}`;
}

/** @param {{ size: string, version: number }} props */
function Panel({ size, version }) {
  return html`<figure>
    <img
      src=${`/t/${table}/bench/panel/${size}.png?v=${version}`}
      alt=${say("panel of {size} inches", { size })}
      class=${`panel-${size.replace(".", "-")}`}
    />
    <figcaption>${say("{size} in", { size })}</figcaption>
  </figure>`;
}

/**
 * Return the address of a seat's phone page, which claims the seat at once.
 * @param {ScreenState} state
 * @param {number} seat
 * @param {string | null} hubKey
 */
function phoneAddress(state, seat, hubKey) {
  const fragment = new URLSearchParams(hubKey ? { k: hubKey } : {});
  fragment.set("seat", String(seat));
  const code = state.claim_codes?.[seat];
  if (code) fragment.set("code", code);
  return `/t/${table}?phone=${seat}#${fragment}`;
}

/**
 * One seat box: ring, dial, bar, six keys, display. The keyboard operates it while it has the focus.
 * @param {{
 *   seat: number, box: SimulatedBox, state: ScreenState, hubKey: string | null, send: Send, framed: boolean,
 * }} props
 */
function Box({ seat, box, state, hubKey, send, framed }) {
  const [hood, setHood] = useState(false);
  const place = placeOf(state, seat);
  /**
   * @param {string} control
   * @param {boolean} [hold]
   */
  const press = (control, hold = false) => send({ box: seat, press: control, hold });
  /** @param {number} detents */
  const turn = (detents) => send({ box: seat, turn: detents });
  /** @param {string} control */
  const onPress = (control) => (/** @type {MouseEvent} */ event) => press(control, event.shiftKey);
  const display = box.sealed && !hood ? "covered" : box.display;

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const { tagName } = /** @type {HTMLElement} */ (event.target);
    if (tagName === "A" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight" || event.key === "ArrowUp") turn(1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") turn(-1);
    else if (event.key === "Enter" && tagName !== "BUTTON") press("push", event.shiftKey);
    else if (event.key === "Backspace" || event.key === "Escape") press("bar", event.shiftKey);
    else if (/^Digit[1-6]$/.test(event.code)) press(`k${event.code.slice(-1)}`, event.shiftKey);
    else return;
    event.preventDefault();
  }

  return html`<section
    class=${`box${box.connected ? "" : " unplugged"}`}
    tabindex="0"
    aria-label=${say("Box of {seat}", { seat: seatText(seat) })}
    onKeyDown=${onKeyDown}
  >
    <header class="box-head">
      <${Mark} seat=${seat} /> <b>${seat}</b> <span class="box-name" translate=${nameStays(state, seat)}>${place?.name ? seatName(state, seat) : ""}</span>
      <a class="bench-link" href=${phoneAddress(state, seat, hubKey)} target=${`phone-${seat}`}>
        ${place?.held ? say("Phone") : say("Sit down with a phone")}
      </a>
    </header>
    <div class="box-top">
      <${Ring} lamps=${box.connected ? box.lamps : null}>
        <button type="button" class="dial" aria-label="push the dial" onClick=${onPress("push")}>push</button>
      </${Ring}>
      <div class="dial-sides">
        <button type="button" class="turn" aria-label="dial right, more" onClick=${() => turn(1)}>+</button>
        <button type="button" class="turn" aria-label="dial left, less" onClick=${() => turn(-1)}>−</button>
      </div>
    </div>
    <p class=${`oled${box.connected && !display ? " dark" : ""}`} aria-label="display">
      ${box.connected ? (display && html`<span translate="no">${display}</span>`) || say("dark: nothing to choose") : say("no cable")}
    </p>
    <div class="box-keys">
      ${BOX_KEYS.map(
        (control, i) =>
          html`<button type="button" key=${control} class="box-key" onClick=${onPress(control)}>${i + 1}</button>`,
      )}
    </div>
    <button type="button" class="bar" onClick=${onPress("bar")}>pass</button>
    <footer class="box-foot">
      <button type="button" class="plain" aria-pressed=${hood} onClick=${() => setHood(!hood)}>
        ${hood ? say("Cover the display") : say("Look at the display")}
      </button>
      ${hood && html`<${UnderHood} box=${box} />`}
      <${Cables} seat=${seat} connected=${box.connected} send=${send} />
    </footer>
    ${framed && html`<${FramedPhone} seat=${seat} />`}
  </section>`;
}

/**
 * The phone of a seat, in the page: for a seat that this browser holds, or after "Sit down with a phone". A browser opens
 * at most six streams to a hub, too few for a page at each seat.
 * @param {{ seat: number }} props
 */
function FramedPhone({ seat }) {
  const [first] = useState(() => slot(claimNameOf(table ?? "", `${seat}`)).get() && `/t/${table}?phone=${seat}`);
  return html`<div class="framed-phone">
    <iframe name=${`phone-${seat}`} title=${say("Phone of {seat}", { seat: seatText(seat) })} src=${first}></iframe>
  </div>`;
}

/** @param {{ box: SimulatedBox }} props */
function UnderHood({ box }) {
  if (!box.sealed) return html`<span class="under-hood">nothing sealed</span>`;
  return html`<span class="under-hood">dial at <b>${box.hood || "?"}</b>${box.locked ? say(", locked") : ""}</span>`;
}

/** @param {{ seat: number, connected: boolean, send: Send }} props */
function Cables({ seat, connected, send }) {
  /**
   * @param {string} label
   * @param {Facts} command
   */
  const button = (label, command) =>
    html`<button type="button" class="plain" onClick=${() => send({ box: seat, ...command })}>${label}</button>`;
  return html`<span class="cables">
    ${button(say("Hold bar"), { press: "bar", hold: true })}
    ${button(say("Hold bar and push"), { both: true })}
    ${connected ? button(say("Unplug"), { unplug: true }) : button(say("Plug in"), { plug: true })}
    ${button(say("Power off, on"), { power_cycle: true })}
  </span>`;
}

/**
 * The 16 lamps around a dial, drawn as the box draws them.
 * @param {{ lamps: Lamps | null, children?: Drawn }} props
 */
function Ring({ lamps, children }) {
  const circles = useRef(/** @type {SVGElement[]} */ ([]));
  const picture = lamps ? `${lamps.pattern}/${lamps.n}/${lamps.colour}` : "off";

  useEffect(() => {
    const began = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    let frame = 0;
    function draw() {
      const t = still ? 0.5 : (performance.now() - began) / 1000;
      for (const [i, { colour, level }] of lampsAt(lamps ?? { pattern: "off" }, t).entries()) {
        const { style } = circles.current[i];
        style.setProperty("fill", level ? `#${colour}` : "transparent");
        style.setProperty("fill-opacity", String(0.15 + 0.85 * level));
      }
      if (!still) frame = requestAnimationFrame(draw);
    }
    draw();
    return () => cancelAnimationFrame(frame);
  }, [picture]);

  /** @param {number} i lamp 0 is at the player, below; clockwise from there */
  const lamp = (i) => {
    const angle = Math.PI / 2 + (i * 2 * Math.PI) / LAMPS;
    const keep = (/** @type {SVGElement} */ circle) => {
      circles.current[i] = circle;
    };
    const [x, y] = [42 * Math.cos(angle), 42 * Math.sin(angle)];
    return html`<circle key=${i} ref=${keep} class="lamp" cx=${x} cy=${y} r="5.6" />`;
  };
  const pattern = (lamps?.pattern ?? "off").replaceAll("_", " ");
  const label = say("ring: {pattern}", { pattern: lamps?.n ? `${pattern} ${lamps.n}` : pattern });
  return html`<div class="ring">
    <svg viewBox="-50 -50 100 100" role="img" aria-label=${label}>
      ${Array.from({ length: LAMPS }, (_, i) => lamp(i))}
    </svg>
    ${children}
  </div>`;
}

/**
 * The dice: throw them, set the faces, and simulate their faults.
 * @param {{ dice: SimulatedDice, state: ScreenState, send: Send }} props
 */
function Dice({ dice, state, send }) {
  const { armed } = dice;
  const count = dice.wanted || 1;
  const sides = Math.min(armed?.sides ?? 6, MOST_FACES);
  const [faces, setFaces] = useState(/** @type {number[]} */ ([]));
  useLayoutEffect(() => setFaces([]), [count, armed?.seat]);
  /** @param {number} face */
  const lay = (face) => {
    const next = [...faces, face];
    setFaces(next.length < count ? next : []);
    if (next.length === count) send({ dice: "throw", faces: next });
  };
  const roll =
    armed &&
    html`<${Mark} seat=${armed.seat} /> ${say("{name} rolls {dice}", { name: calledName(state, armed.seat), dice: dieCount(armed.count) })}`;
  return html`<section class="tray" aria-label="Dice">
    <h2>${roll ?? say("No roll is needed")}</h2>
    <p class="tray-state"><b>${dice.state.replaceAll("_", " ")}</b> ${dice.say}</p>
    <div class="dice-row">${[...dice.faces, ...faces].map((face) => html`<${Die} face=${face} />`)}</div>
    <button type="button" class="throw" disabled=${!armed} onClick=${() => send({ dice: "throw" })}>
      ${armed ? say("Throw {dice}", { dice: dieCount(count) }) : say("Throw")}
    </button>
    <div class="tray-faces" role="group" aria-label="Lay the faces">
      ${Array.from({ length: sides }, (_, i) => i + 1).map(
        (face) => html`<button
          type="button"
          key=${face}
          class="tray-face"
          disabled=${!armed}
          aria-label=${say("lay a {face}", { face })}
          onClick=${() => lay(face)}
        >
          <${Die} face=${face} />
        </button>`,
      )}
    </div>
    <${DiceFaults} dice=${dice} count=${count} send=${send} />
  </section>`;
}

/** @param {{ dice: SimulatedDice, count: number, send: Send }} props */
function DiceFaults({ dice, count, send }) {
  /**
   * @param {string} label
   * @param {Facts} command
   * @param {boolean} [pressed]
   * @param {boolean} [disabled]
   */
  const button = (label, command, pressed, disabled = false) => html`<button
    type="button"
    class="plain"
    aria-pressed=${pressed}
    disabled=${disabled}
    onClick=${() => send(command)}
  >
    ${label}
  </button>`;
  return html`<div class="tray-faults">
    ${button(say("Next die leans"), { dice: "cock" }, dice.leaning)}
    ${button(say("Next die is missed"), { dice: "miscount" }, dice.missing)}
    ${button(say("Throw one too many"), { dice: "throw", count: count + 1 }, undefined, !dice.armed)}
    ${button(say("A battery is low"), { dice: "drain" }, dice.weak)}
    ${dice.lost ? button(say("Reconnect the reader"), { dice: "restore" }) : button(say("Disconnect the reader"), { dice: "lose" })}
  </div>`;
}

loadLanguage().then(() => render(html`<${Bench} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
