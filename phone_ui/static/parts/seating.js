// Sitting down: pick a seat, then press the button on its box or type the seat's code.

import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { Mark, seatWords } from "./atoms.js";
import { Refused, claimSeat, tableByCode } from "../lib/claim.js";
import { keyFrom } from "../lib/encryption.js";

/** `begin` may hold a seat and its code from the link; `said` is why the phone lost its last seat. */
export function Seating({ table, state, hubKey, begin, said, onHeld, onWatch }) {
  const [seat, setSeat] = useState(begin?.seat ?? null);
  const [name, setName] = useState("");
  const [waiting, setWaiting] = useState("");
  const [trouble, setTrouble] = useState(said ?? "");
  const claim = useRef({ gone: true });
  const place = state.seats.find((s) => s.seat === seat);

  useEffect(() => () => (claim.current.gone = true), []);
  useEffect(() => {
    if (begin?.seat) take(begin.seat, begin.code);
  }, []);

  async function take(wanted, code) {
    claim.current.gone = true;
    const stop = (claim.current = { gone: false });
    setSeat(wanted);
    setTrouble("");
    setWaiting("");
    // Without a box there is no button to wait for: the code is the only door.
    if (!code && state.seats.find((s) => s.seat === wanted)?.box !== "on") return;
    try {
      const key = keyFrom(hubKey) ? hubKey : (await tableByCode(state.code)).k;
      const held = await claimSeat({
        table,
        hubKey: key,
        seat: wanted,
        code,
        name: name.trim(),
        waiting: (say) => stop.gone || setWaiting(say ?? ""),
        stop,
      });
      if (!stop.gone) onHeld(held);
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      if (!stop.gone) setTrouble(why.message);
    }
  }

  function back() {
    claim.current.gone = true;
    setSeat(null);
    setTrouble("");
  }

  if (place)
    return html`<${Press} place=${place} say=${waiting} trouble=${trouble} onTake=${(code) => take(seat, code)} onBack=${back} />`;
  const grid = (label, seats) => html`<div class="seat-grid" role="group" aria-label=${label}>
    ${seats.map((s) => html`<${SeatButton} key=${s.seat} s=${s} onPick=${() => take(s.seat, null)} />`)}
  </div>`;
  const [free, taken] = [state.seats.filter((s) => !s.held), state.seats.filter((s) => s.held)];
  return html`<main class="seating">
    <p class="overline">${state.name}</p>
    <h1 class="headline">Where do you sit?</h1>
    ${trouble && html`<p class="banner" role="alert">${trouble}</p>`}
    <div class="name-line">
      <label for="name">Your name <span class="quiet-words">if you like</span></label>
      <input id="name" maxlength="20" autocomplete="nickname" enterkeyhint="done" value=${name} onInput=${(e) => setName(e.target.value)} />
    </div>
    ${free.length > 0 ? grid("Free seats", free) : html`<p>Every seat is taken. You may watch, or take over a seat with its code.</p>`}
    ${taken.length > 0 && html`<h2>Taken</h2>${grid("Taken seats", taken)}`}
    <button type="button" class="small-act quiet" onClick=${onWatch}>Just watch</button>
  </main>`;
}

function SeatButton({ s, onPick }) {
  return html`<button type="button" class=${`seat-button seat-${s.seat}`} aria-label=${`${seatWords(s.seat)}${s.held ? `, taken by ${s.name || "somebody"}` : ", free"}`} onClick=${onPick}>
    <${Mark} seat=${s.seat} />
    <span class="seat-number">${s.seat}</span>
    <span class="seat-word">${s.held ? s.name || "taken" : "free"}</span>
  </button>`;
}

/** Waiting for the press; the seat's 4 digits are the other door. */
function Press({ place, say, trouble, onTake, onBack }) {
  const [digits, setDigits] = useState("");
  const boxed = place.box === "on";
  return html`<main class="seating press">
    <div class="press-mark"><${Mark} seat=${place.seat} /><span class="seat-number">${place.seat}</span></div>
    <h1 class="headline">${boxed ? "Press the button on the box in front of you" : "Type this seat's code"}</h1>
    <p class="lead" aria-live="polite">${boxed ? say || "Its ring is pulsing. You have 30 seconds." : "The screen at the table shows four digits for this seat."}</p>
    ${
      trouble &&
      html`<p class="banner" role="alert">${trouble}</p>
      ${boxed && html`<button type="button" class="small-act" onClick=${() => onTake(null)}>Ask again</button>`}`
    }
    <form
      class="code-form"
      onSubmit=${(e) => {
        e.preventDefault();
        if (digits.length === 4) onTake(digits);
      }}
    >
      <label for="seat-code">${boxed ? "Or type the 4 digits of this seat" : "The 4 digits"}</label>
      <div class="joined">
        <input id="seat-code" class="digits" inputmode="numeric" autocomplete="off" value=${digits} onInput=${(e) => setDigits(e.target.value.replace(/\D/g, "").slice(0, 4))} />
        <button class="small-act strong" disabled=${digits.length < 4}>Sit down</button>
      </div>
    </form>
    <button type="button" class="small-act quiet" onClick=${onBack}>Another seat</button>
  </main>`;
}
