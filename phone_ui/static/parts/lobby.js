// Before a match: who is there, which game, with which options. After it: who won, and once more.

import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { Act } from "./ask.js";
import { Said, Who, useWords } from "./atoms.js";
import { Facts } from "./facts.js";
import { plain, ranked, scored } from "../lib/labels.js";

const PLAYERS = ([least, most]) => (least === most ? `${least} players` : `${least} to ${most} players`);

/** The seats of the table with what each is doing. */
export function SeatList({ state, mine }) {
  return html`<ul class="seat-list">
    ${state.seats.map(
      (
        s,
      ) => html`<li key=${s.seat} class=${`seat-line${s.seat === mine ? " mine" : ""}${s.held || s.box === "on" ? "" : " free"}`}>
        <${Who} state=${state} seat=${s.seat} number />
        <span class="seat-state">${seatState(s, s.seat === mine)}</span>
      </li>`,
    )}
  </ul>`;
}

/** What one seat is doing, in two words. */
export function seatState(s, mine = false) {
  const who = mine ? "you, " : "";
  if (s.ready) return `${who}ready ✓`;
  if (s.phone === "away") return `${who}phone asleep`;
  if (s.held) return `${who}here`;
  return s.box === "on" ? "press to join" : "free";
}

/** Choose a game, look over its options, start. */
export function Lobby({ state, seat, sending, ask }) {
  const [game, setGame] = useState(null);
  const [options, setOptions] = useState({});
  const picked = game ?? state.game ?? null;
  const words = useWords(picked);
  const seated = state.seats.filter((s) => s.held || s.ready).length;

  useEffect(() => setOptions({}), [picked]);

  const chosen = state.games.find((g) => g.name === picked);
  const fits = (g) => seated >= g.seats[0] && seated <= g.seats[1];
  const me = state.seats.find((s) => s.seat === seat);
  return html`<div class="lobby">
    <h1 class="headline">What shall we play?</h1>
    <fieldset class="field">
      <legend class="unseen">Game</legend>
      <div class="choices in-column">
        ${state.games.map(
          (g) => html`<label key=${g.name} class="choice">
            <input type="radio" name="game" value=${g.name} checked=${picked === g.name} disabled=${!seat} onChange=${() => setGame(g.name)} />
            <span class="choice-body line game">
              <span class="choice-words">${g.title}</span>
              <span class="choice-note">${g.blurb}</span>
              <span class="choice-meta">${PLAYERS(g.seats)}${g.minutes ? `, about ${g.minutes} min` : ""}</span>
            </span>
          </label>`,
        )}
      </div>
    </fieldset>
    ${seat && words?.options && Object.keys(words.options).length > 0 && html`<${Options} about=${words.options} chosen=${options} onChange=${(name, value) => setOptions({ ...options, [name]: value })} />`}
    <h2>At the table</h2>
    <${SeatList} state=${state} mine=${seat} />
    ${
      seat &&
      html`<div class="dock" role="group" aria-label="Actions">
      ${chosen && !fits(chosen) && html`<p class="dock-note">${chosen.title} is for ${PLAYERS(chosen.seats)}; ${seated} ${seated === 1 ? "is" : "are"} here.</p>`}
      <div class="acts">
        <${Act} primary label=${chosen ? `Start ${chosen.title}` : "Choose a game"} name="start" ready=${Boolean(chosen) && fits(chosen)} sending=${sending} onPress=${() => ask("start", { game: picked, options }, "start")} />
        ${me && !me.ready && html`<${Act} label="I am ready" name="ready" sending=${sending} onPress=${() => ask("ready", {}, "ready")} />`}
      </div>
    </div>`
    }
  </div>`;
}

/** The options of a game, each with its effect in one line. */
function Options({ about, chosen, onChange }) {
  return html`<details class="options">
    <summary>Options</summary>
    ${Object.entries(about).map(([name, option]) => {
      const value = chosen[name] ?? option.default;
      const label = option.label ?? plain(name);
      return html`<div key=${name} class="option">
        <label class="option-label" for=${`option-${name}`}>${label}</label>
        ${
          typeof option.default === "boolean"
            ? html`<input id=${`option-${name}`} type="checkbox" class="switch" checked=${value} onChange=${(e) => onChange(name, e.target.checked)} />`
            : option.choices
              ? html`<select id=${`option-${name}`} onChange=${(e) => onChange(name, option.choices[e.target.selectedIndex])}>
                ${option.choices.map((c) => html`<option selected=${c === value}>${String(c)}</option>`)}
              </select>`
              : html`<input id=${`option-${name}`} class="option-text" inputmode=${typeof option.default === "number" ? "numeric" : "text"} value=${value}
                onChange=${(e) => onChange(name, typeof option.default === "number" ? Number(e.target.value) : e.target.value)} />`
        }
        ${option.effect && html`<p class="option-effect">${option.effect}</p>`}
      </div>`;
    })}
  </details>`;
}

/** What a seat's score is made of, where the words name facts for it. */
export function Sums({ words, state, seat }) {
  const told = Object.fromEntries(
    (words?.screen?.result ?? []).map((name) => [name, state.view?.seats?.[seat]?.[name]]),
  );
  return html`<div class="score-parts"><${Facts} words=${words} state=${state} where="seat" facts=${told} seat=${seat} /></div>`;
}

/** The end of a match: winners, scores, why. */
export function Result({ words, state }) {
  const { winners, why } = state.over;
  return html`<section class="result" aria-label="Result">
    <h1 class="headline">
      ${winners.length === 0 ? "Nobody wins" : html`${winners.map((seat, i) => html`${i > 0 && (i === winners.length - 1 ? " and " : ", ")}<${Who} state=${state} seat=${seat} />`)} ${winners.length > 1 ? " win" : " wins"}`}
    </h1>
    ${why && html`<p class="result-why"><${Said} state=${state} text=${why} /></p>`}
    <ol class="scores">
      ${ranked(words, state.over).map(({ seat, score, won }) => html`<li key=${seat} class=${won ? "won" : ""}><${Who} state=${state} seat=${seat} number /><span class="score">${scored(words, score)}</span><${Sums} words=${words} state=${state} seat=${seat} /></li>`)}
    </ol>
  </section>`;
}
