// The tables at a glance, for the till: what is played, for how long, and which seats are free. Without a PIN.

import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, message, say, sayCount } from "../lib/language.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { minutesText } from "../lib/view.js";

/** @import { TillTable } from "../lib/messages.d.ts" */

const REFRESH = 5_000;

applySettings(loadSettings());

const STATES = {
  lobby: message("Nobody is playing"),
  playing: "",
  over: message("Match over"),
  stopped: message("Stopped"),
};

/** @param {number} seconds */
const clockTime = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });

/**
 * Return the free seats, in words.
 * @param {TillTable} table
 */
function seatsText({ seats, free }) {
  if (free === seats) return say("All {count} seats free", { count: seats });
  if (free === 0) return say("Full, {count} seats", { count: seats });
  return say("{free} of {seats} seats free", { free, seats });
}

/**
 * Return what a table is doing, and how long that may last.
 * @param {TillTable} table
 */
function playText({ state, title, minutes_left: left }) {
  const playing = state === "playing" || state === "stopped";
  const text = [STATES[state], playing && title, playing && minutesText(left)];
  return text.filter(Boolean).join(", ");
}

function Till() {
  const [tables, setTables] = useState(/** @type {TillTable[] | null} */ (null));
  const [away, setAway] = useState(false);
  useEffect(() => {
    const refresh = async () => {
      try {
        const answer = await fetch("/till.json", { cache: "no-store" });
        if (!answer.ok) throw new Error();
        setTables((await answer.json()).tables);
        setAway(false);
      } catch {
        setAway(true);
      }
    };
    refresh();
    const timer = setInterval(refresh, REFRESH);
    return () => clearInterval(timer);
  }, []);
  const free = (tables ?? []).reduce((sum, table) => sum + table.free, 0);
  return html`<header class="till-head">
      <h1>The tables</h1>
      ${tables && html`<p>${sayCount("{count} seat free", "{count} seats free", free)}</p>`}
    </header>
    ${away && html`<p class="till-away" role="alert">The hub does not answer. What you see here may be old.</p>`}
    ${!tables && !away && html`<p>Waiting for the hub…</p>`}
    <ul class="till-tables">
      ${tables?.map(
        (table) => html`<li
          key=${table.table}
          class=${`till-table${table.free === table.seats ? " free" : ""}${table.calls ? " calling" : ""}`}
        >
          <h2>${table.name}</h2>
          <p class="till-seats">${seatsText(table)}</p>
          <p>${playText(table)}</p>
          ${table.until !== null && html`<p>${say("Until {time}", { time: clockTime(table.until) })}</p>`}
          ${table.calls > 0 && html`<p><b>Calls for help</b></p>`}
          <a class="way" href=${`/t/${table.table}/history`}>What was played here<span class="unseen">${table.name}</span></a>
        </li>`,
      )}
    </ul>
    <nav class="ways" aria-label="More pages"><a class="way" href="/staff">Staff</a></nav>`;
}

loadLanguage().then(() => render(html`<${Till} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
