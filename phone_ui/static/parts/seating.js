// Sitting down: pick a seat, then press the button on its box or type the seat's code.

import { callStaff, claimSeat, Refused, tableByCode } from "../lib/claim.js";
import { keyFrom } from "../lib/encryption.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { isHouse, placeOf, seatText } from "../lib/seats.js";
import { FirstKey } from "./key.js";
import { Mark } from "./marks.js";

/** @import { Held } from "../lib/types.d.ts" */
/** @import { PublicSeat, PublicState } from "../lib/messages.d.ts" */

/** @typedef {{ seat: number, code: string | null }} Wish a seat and its code, as a link may name them */

/**
 * `lost`: why the phone lost its last seat. `firstUse`: the hub's key came over the network.
 * @param {{
 *   table: string, state: PublicState, hubKey: string | null, firstUse: boolean, begin: Wish | null, lost: string,
 *   onFirstKey: (key: string) => void, onHeld: (held: Held) => void, onWatch: () => void,
 * }} props
 */
export function Seating({ table, state, hubKey, firstUse, begin, lost, onFirstKey, onHeld, onWatch }) {
  const given = keyFrom(hubKey) ? hubKey : null;
  const [asked, setAsked] = useState(/** @type {string | null} */ (null)); // a key that this page requested
  const key = given ?? asked;
  const [seat, setSeat] = useState(begin?.seat ?? null);
  const [name, setName] = useState("");
  const [waiting, setWaiting] = useState("");
  const [refused, setRefusal] = useState(/** @type {string | null} */ (null));
  const refusal = refused ?? lost; // the table may report later why the seat was lost
  const claim = useRef({ stopped: true });

  useEffect(() => () => stopClaim(), []);
  useEffect(() => {
    if (begin?.seat) take(begin.seat, begin.code);
    else if (!key) askKey().catch(() => undefined); // a failure is shown when a person takes a seat, which requests it again
  }, []);

  /** Request the hub's key, which is trusted on first use. */
  async function askKey() {
    const { k } = await tableByCode(state.code);
    onFirstKey(k);
    setAsked(k);
    return k;
  }

  function stopClaim() {
    claim.current.stopped = true;
  }

  /**
   * @param {number} wanted
   * @param {string | null} code
   */
  async function take(wanted, code) {
    stopClaim();
    const stop = { stopped: false };
    claim.current = stop;
    setSeat(wanted);
    setRefusal("");
    setWaiting("");
    // A free seat without a box has no button, so it needs its code.
    const place = placeOf(state, wanted);
    if (!code && place && place.box !== "on" && !isTaken(place)) return;
    try {
      const used = key ?? (await askKey());
      const onWaiting = (/** @type {string} */ sentence) => stop.stopped || setWaiting(sentence ?? "");
      const held = await claimSeat({ table, hubKey: used, seat: wanted, code, name: name.trim(), onWaiting, stop });
      if (!stop.stopped) onHeld(held);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!stop.stopped) setRefusal(error.message);
    }
  }

  function back() {
    stopClaim();
    setSeat(null);
    setRefusal("");
  }

  const place = placeOf(state, seat);
  const firstKey = firstUse || asked ? key : null;
  if (place) {
    const onTake = (/** @type {string | null} */ code) => take(place.seat, code);
    const playing = state.state === "playing" || state.state === "stopped";
    return html`<${Press}
      place=${place}
      playing=${playing}
      called=${isCalled(state)}
      nobody=${isDeserted(state)}
      waiting=${waiting}
      refusal=${refusal}
      firstKey=${firstKey}
      onTake=${onTake}
      onBack=${back}
    />`;
  }
  const pick = (/** @type {number} */ wanted) => take(wanted, null);
  const free = state.seats.filter((one) => !isTaken(one));
  const taken = state.seats.filter(isTaken);
  return html`<main class="seating">
    <p class="overline">${state.name}</p>
    <h1 class="headline">Where do you sit?</h1>
    ${refusal && html`<p class="banner" role="alert">${refusal}</p>`}
    <div class="name-line">
      <label for="name">Your name <span class="quiet-words">if you like</span></label>
      <input
        id="name"
        maxlength="20"
        autocomplete="nickname"
        enterkeyhint="done"
        value=${name}
        onInput=${(/** @type {any} */ event) => setName(event.target.value)}
      />
    </div>
    ${
      free.length > 0
        ? html`<${SeatGrid} label="Free seats" seats=${free} onPick=${pick} />`
        : html`<p>${fullText(state)}</p>`
    }
    ${taken.length > 0 && html`<h2>Taken</h2><${SeatGrid} label="Taken seats" seats=${taken} onPick=${pick} />`}
    ${free.length === 0 && html`<${CallStaff} state=${state} />`}
    <button type="button" class="small-act quiet" onClick=${onWatch}>Just watch</button>
    <${FirstKey} hubKey=${firstKey} />
  </main>`;
}

/** @param {{ label: string, seats: PublicSeat[], onPick: (seat: number) => void }} props */
function SeatGrid({ label, seats, onPick }) {
  return html`<div class="seat-grid" role="group" aria-label=${label}>
    ${seats.map((place) => html`<${SeatButton} key=${place.seat} place=${place} onPick=${() => onPick(place.seat)} />`)}
  </div>`;
}

/** @param {{ place: PublicSeat, onPick: () => void }} props */
function SeatButton({ place, onPick }) {
  const { seat, name } = place;
  const word = isHouse(place) ? say("the house") : place.held ? name || say("taken") : say("free");
  const status = isHouse(place)
    ? say("the house plays, free for you")
    : place.held
      ? name
        ? say("taken by {name}", { name })
        : say("taken by somebody")
      : say("free");
  return html`<button
    type="button"
    class=${`seat-button seat-${seat}`}
    aria-label=${`${seatText(seat)}, ${status}`}
    onClick=${onPick}
  >
    <${Mark} seat=${seat} />
    <span class="seat-number" data-number=${seat}></span>
    <span class="seat-word">${word}</span>
  </button>`;
}

/**
 * Return whether a seat is a person's, present or not.
 * @param {PublicSeat} place
 */
const isTaken = (place) => place.held && !isHouse(place);

/**
 * Return whether a seat is a person's whose phone is away: the others can confirm who claims it.
 * @param {PublicSeat} place
 */
const isLeftBehind = (place) => place.held && place.phone === "away";

/**
 * Return whether all people with seats are away.
 * @param {PublicState} state
 */
const isDeserted = ({ seats }) => seats.filter(isTaken).every(({ presence }) => presence !== "here");

/**
 * Return whether the table calls the people with seats, because somebody asks for one.
 * @param {PublicState} state
 */
const isCalled = ({ notices }) => notices.some(({ key }) => key === "wanted");

/**
 * Return what people can do who find no free seat.
 * @param {PublicState} state
 */
function fullText(state) {
  if (isDeserted(state))
    return say(
      "Every seat is taken, but nobody seems to be here. Pick a seat: if nobody answers, you can sit down within 30 seconds.",
    );
  const [least, most] = state.minutes_left ?? [];
  if (most)
    return say("Every seat is taken. This match takes {least} to {most} more minutes. You can watch meanwhile.", {
      least,
      most,
    });
  return say("Every seat is taken. Pick the seat of somebody who has gone, watch, or ask staff.");
}

/** @param {{ state: PublicState }} props */
function CallStaff({ state }) {
  const [failed, setFailed] = useState("");
  const called = state.notices.some(({ key }) => key === "help:guest");
  const call = () =>
    callStaff(state.table).then(
      () => setFailed(""),
      (error) => setFailed(error.message),
    );
  return html`${called && html`<p role="status">Staff are called.</p>`}
    ${failed && html`<p role="alert">${failed}</p>`}
    ${!called && html`<button type="button" class="small-act" onClick=${call}>Call staff</button>`}`;
}

/**
 * Waiting for the button. The seat's 6 letters are the alternative.
 * @param {{
 *   place: PublicSeat, playing: boolean, called: boolean, nobody: boolean, waiting: string, refusal: string,
 *   firstKey: string | null, onTake: (code: string | null) => void, onBack: () => void,
 * }} props
 */
function Press({ place, playing, called, nobody, waiting, refusal, firstKey, onTake, onBack }) {
  const [letters, setLetters] = useState("");
  const boxed = place.box === "on";
  const push =
    (place.held && !isHouse(place)) || playing
      ? say("On the box, hold the bar, then the dial too")
      : say("Press the button on the box in front of you");
  const isFree = !boxed && !isTaken(place);
  const asksTable = !boxed && !isFree && (called || nobody);
  const asksOthers = !boxed && !asksTable && isLeftBehind(place);
  // After a refusal, show only its sentence, which says what to do.
  const heading =
    refusal && !isFree
      ? say("You did not get the seat")
      : boxed
        ? push
        : asksTable
          ? say("Is somebody still here?")
          : asksOthers
            ? say("Ask the others at the table")
            : say("Type this seat's code");
  const lead = boxed
    ? waiting || say("Its ring is pulsing. You have 30 seconds.")
    : asksTable
      ? say(
          "The screen at the table calls the people who sat here. If nobody answers, the seat is free within 30 seconds.",
        )
      : asksOthers
        ? say("Their phones ask who you are: when all say “Yes”, you are in.")
        : place.phone === "on"
          ? say("Its phone shows six letters under Seat.")
          : playing && isTaken(place)
            ? say("Anybody with a phone at the table can show the six letters, under Seat. Or ask staff.")
            : say("The screen at the table shows six letters for this seat.");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (letters.length === 6) onTake(letters);
  };
  const onInput = (/** @type {any} */ event) =>
    setLetters(
      event.target.value
        .toUpperCase()
        .replace(/[^A-Z]/g, "")
        .slice(0, 6),
    );
  return html`<main class="seating press">
    <div class="press-mark"><${Mark} seat=${place.seat} /><span class="seat-number">${place.seat}</span></div>
    <h1 class="headline">${heading}</h1>
    <p class="lead" aria-live="polite">${refusal ? "" : lead}</p>
    ${
      refusal &&
      html`<p class="banner" role="alert">${refusal}</p>
        ${!isFree && html`<button type="button" class="small-act" onClick=${() => onTake(null)}>Ask again</button>`}`
    }
    <form class="code-form" onSubmit=${submit}>
      <label for="seat-code">${boxed || asksOthers || asksTable ? say("Or type the 6 letters of this seat") : say("The 6 letters")}</label>
      <div class="joined">
        <input
          id="seat-code"
          class="digits"
          autocapitalize="characters"
          spellcheck=${false}
          autocomplete="off"
          value=${letters}
          onInput=${onInput}
        />
        <button class="small-act strong" disabled=${letters.length < 6}>Sit down</button>
      </div>
    </form>
    <${FirstKey} hubKey=${firstKey} />
    <button type="button" class="small-act quiet" onClick=${onBack}>Another seat</button>
  </main>`;
}
