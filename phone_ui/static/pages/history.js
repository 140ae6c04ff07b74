// Statistics of a table: minutes per game, wins by seat, the dice, the newest matches. Public facts only.

import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, message, readMessage, say, sayAround, sayCount } from "../lib/language.js";
import { Bars } from "../parts/bars.js";
import { Mark } from "../parts/marks.js";

/** @import { DiceHistory, GameHistory, History, PastMatch, SeatHistory } from "../lib/messages.d.ts" */

const table = location.pathname.split("/").filter(Boolean).at(-2) ?? "";
const AGAIN = 120_000;
const CAME_IN = {
  read: message("Dice read by a reader"),
  typed: message("Dice typed by players"),
  hub: message("Dice rolled by the hub"),
};

function Page() {
  const [past, setPast] = useState(/** @type {History | null} */ (null));
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const load = async () => {
      try {
        const answer = await fetch(`/t/${table}/history.json`, { cache: "no-store" });
        if (!answer.ok) throw new Error("refused");
        setPast(readMessage(await answer.text()));
        setFailed(false);
      } catch {
        setFailed(true);
      }
    };
    load();
    const timer = setInterval(load, AGAIN);
    return () => clearInterval(timer);
  }, []);
  return html`<main>
    <nav class="ways" aria-label="More pages">
      <a class="way" href=${`/t/${table}`}>← The table</a>
      <a class="way" href="/till">The tables</a>
      <a class="way" href=${`/staff?table=${table}`}>Staff</a>
    </nav>
    <h1>What was played here</h1>
    ${failed && html`<p role="alert">The hub does not answer. The page keeps trying.</p>`}
    ${past && past.played === 0 && html`<p>No match has been finished at this table yet.</p>`}
    ${past && past.played > 0 && html`<${Past} past=${past} />`}
  </main>`;
}

/** @param {{ past: History }} props */
function Past({ past }) {
  return html`<p class="lead">${sayCount("One match played to the end.", "{count} matches played to the end.", past.played)}</p>
    <div class="parts">
      <${Games} games=${past.games} />
      <${Seats} seats=${past.seats} />
      ${past.dice.map((dice) => html`<${Dice} key=${dice.kind} dice=${dice} />`)}
      <${Newest} matches=${past.matches} />
    </div>`;
}

/** @param {{ games: GameHistory[] }} props */
function Games({ games }) {
  const bars = games.map(({ title, played, least, middle, most }) => ({
    label: title,
    value: middle,
    from: least,
    to: most,
    shown: most ? say("{minutes} min", { minutes: Math.round(middle) }) : "?",
    more: `${played} ×${most ? `, ${say("{least} to {most}", { least: Math.round(least), most: Math.round(most) })}` : ""}`,
  }));
  return html`<section>
    <h2>Minutes per game</h2>
    <${Bars} bars=${bars} />
    <p class="note">The bar shows the middle match. The line runs from the shortest to the longest.</p>
  </section>`;
}

/** @param {{ seats: SeatHistory[] }} props */
function Seats({ seats }) {
  const bars = seats.map(({ seat, played, won, expected }) => ({
    label: html`<${Mark} seat=${seat} /> ${say("Seat {seat}", { seat })}`,
    name: say("Seat {seat}", { seat }),
    value: won,
    mark: expected,
    shown: `${won}`,
    more: say("of {count}", { count: played }),
  }));
  return html`<section>
    <h2>Wins by seat</h2>
    <${Bars} bars=${bars} />
    <p class="note">The mark shows an equal share for each seat.</p>
  </section>`;
}

/** @param {{ dice: DiceHistory }} props */
function Dice({ dice }) {
  const { kind, counts, square, p, verdict } = dice;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const bars = counts.map((count, at) => ({
    label: `${at + 1}`,
    name: say("Face {number}", { number: at + 1 }),
    value: count,
    mark: all / counts.length,
    shown: `${count}`,
  }));
  return html`<section>
    <h2>${CAME_IN[kind]}</h2>
    <${Bars} bars=${bars} short />
    <p class="verdict">${verdict}</p>
    ${
      p !== null &&
      html`<p class="note">
        ${say("Chi-square test of {count} dice against equal chances: {square}, p = {p}. Of all tables with fair dice, 1 in 20 looks somewhat uneven.", { count: all, square: square?.toFixed(2), p: p.toPrecision(2) })}
      </p>`
    }
  </section>`;
}

/** @param {{ matches: PastMatch[] }} props */
function Newest({ matches }) {
  return html`<section class="newest">
    <h2>Latest matches</h2>
    <ol>
      ${matches.map(
        ({ id, title, begun, minutes, winners, kept }) => html`<li key=${id}>
          <span class="newest-game">${title}</span>
          <span class="newest-won">
            ${winners.length ? sayAround("{seats} won", { seats: winners.map((seat) => html`<${Mark} seat=${seat} /> ${seat} `) }) : say("nobody won")}
          </span>
          <span class="note">
            ${dayOf(begun)}${minutes === null ? "" : `, ${say("{minutes} min", { minutes: Math.round(minutes) })}`}
            ${kept && html` · <a href=${`/t/${table}/replay?match=${id}`} aria-label=${say("Replay: {title}", { title })}>Replay</a>`}
          </span>
        </li>`,
      )}
    </ol>
  </section>`;
}

/**
 * Return the day of a date in UTC in the format of the page's language.
 * @param {string} begun
 */
const dayOf = (begun) => new Date(`${begun.replace(" ", "T")}Z`).toLocaleDateString([], { dateStyle: "medium" });

loadLanguage().then(() => render(html`<${Page} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
