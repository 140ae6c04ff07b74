// What was played in the venue, evening by evening, and how long calls were open. Staff see it; it has no names of guests.

import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, say, sayCount } from "../lib/language.js";
import { save } from "../lib/save.js";
import { lastSession, SignedOut } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { Bars } from "../parts/bars.js";

/** @import { Session } from "../lib/staff.js" */
/** @import { Bar } from "../parts/bars.js" */
/** @import { CallsOfEvening, Evenings, PlayedGame } from "../lib/messages.d.ts" */

applySettings(loadSettings());

/** A cell may not begin with these: it would be a formula. Some programs begin a new cell at a semicolon. */
const FORMULA = /(^|;)([=+\-@\t\r])/g;
/** With it, Excel reads the file as UTF-8. */
const MARK = "\ufeff";

function Page() {
  const [session] = useState(lastSession);
  const [isOut, setIsOut] = useState(!session);
  return html`<div class="evenings">
    <header class="venue-head">
      <h1>Evenings</h1>
      <a class="do" href="/staff">Back to the tables</a>
    </header>
    ${
      isOut || !session
        ? html`<main>
            <p class="lead">You are signed out: sign in again.</p>
            <p><a class="do primary" href="/staff">Sign in</a></p>
          </main>`
        : html`<${Months} session=${session} onOut=${() => setIsOut(true)} />`
    }
  </div>`;
}

/** @param {{ session: Session, onOut: () => void }} props */
function Months({ session, onOut }) {
  const [month, setMonth] = useState(""); // the newest
  const [seen, setSeen] = useState(/** @type {Evenings | null} */ (null));
  const [failed, setFailed] = useState("");
  useEffect(() => {
    let isCurrent = true;
    setFailed("");
    session.ask("evenings", "", { month }).then(
      ({ evenings }) => {
        if (!isCurrent) return;
        setFailed("");
        setSeen(evenings);
      },
      (error) => {
        if (error instanceof SignedOut) onOut();
        else if (isCurrent) setFailed(error.message);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [month]);
  return html`<main aria-busy=${seen ? undefined : "true"}>
    ${failed && html`<p class="said refused" role="alert">${failed}</p>`}
    ${seen && !seen.month && html`<p class="lead">No match has been played to the end here yet.</p>`}
    ${seen?.month && html`<${Month} seen=${seen} onMonth=${setMonth} />`}
  </main>`;
}

/** @param {{ seen: Evenings, onMonth: (month: string) => void }} props */
function Month({ seen, onMonth }) {
  const { month, months, played, calls } = seen;
  const at = months.indexOf(month);
  /** @param {string | undefined} other @param {string} arrow */
  const turn = (other, arrow) =>
    other &&
    html`<button type="button" class="do" aria-label=${monthName(other)} onClick=${() => onMonth(other)}>${arrow}</button>`;
  const keep = () => save(`evenings-${month}.csv`, "text/csv", MARK + asCsv(played));
  return html`<div class="month">
      ${turn(months[at - 1], "←")}
      <h2 aria-live="polite">${monthName(month)}</h2>
      ${turn(months[at + 1], "→")}
      <button type="button" class="do" onClick=${keep}>Save as CSV</button>
    </div>
    <p class="note">An evening lasts until six in the morning. A seat that the house plays counts like any other.</p>
    <div class="parts">
      <${Part} title=${say("Evenings")} bars=${added(played, ({ evening }) => evening, dayName)} />
      <${Part} title=${say("Games")} bars=${added(played, ({ title }) => title).sort(mostFirst)} />
      <${Part} title=${say("Tables")} bars=${added(played, ({ table }) => table).sort(mostFirst)} />
      <${Calls} calls=${calls} />
    </div>`;
}

/** @param {Bar} one @param {Bar} other */
const mostFirst = (one, other) => other.value - one.value;

/** @param {{ title: string, bars: Bar[] }} props */
function Part({ title, bars }) {
  return html`<section>
    <h3>${title}</h3>
    <${Bars} bars=${bars} />
  </section>`;
}

/** @param {{ calls: CallsOfEvening[] }} props */
function Calls({ calls }) {
  const bars = calls.map(({ evening, calls: count, middle, longest }) => ({
    label: dayName(evening),
    name: evening,
    value: middle,
    from: 0,
    to: longest,
    shown: lastedText(middle),
    more: `${sayCount("One call", "{count} calls", count)}, ${say("longest {time}", { time: lastedText(longest) })}`,
  }));
  return html`<section>
    <h3>Calls for staff</h3>
    ${
      calls.length
        ? html`<${Bars} bars=${bars} />
            <p class="note">The bar shows how long the middle call was open, the line the longest one. Calls that were taken back do not count.</p>`
        : html`<p>Nobody has called.</p>`
    }
  </section>`;
}

/**
 * Return a bar for each group of matches.
 * @param {PlayedGame[]} played
 * @param {(one: PlayedGame) => string} groupOf
 * @param {(group: string) => string} nameOf
 */
function added(played, groupOf, nameOf = (group) => group) {
  /** @type {Map<string, { matches: number, seats: number, minutes: number }>} */
  const sums = new Map();
  for (const one of played) {
    const { matches, seats, minutes } = sums.get(groupOf(one)) ?? { matches: 0, seats: 0, minutes: 0 };
    sums.set(groupOf(one), {
      matches: matches + one.matches,
      seats: seats + one.seats,
      minutes: minutes + one.minutes,
    });
  }
  return [...sums].map(([group, { matches, seats, minutes }]) => ({
    label: nameOf(group),
    name: group,
    value: matches,
    shown: sayCount("One match", "{count} matches", matches),
    more: `${sayCount("One seat", "{count} seats", seats)}, ${say("{hours} h", { hours: hoursText(minutes) })}`,
  }));
}

/** @param {number} minutes */
const hoursText = (minutes) => (minutes / 60).toLocaleString([], { maximumFractionDigits: 1 });

/** @param {number} seconds */
const lastedText = (seconds) =>
  seconds < 120 ? say("{seconds} s", { seconds }) : say("{minutes} min", { minutes: Math.round(seconds / 60) });

/**
 * Return the day of an evening ("2026-11-27") in the format of the page's language, in one line.
 * @param {string} evening
 */
const dayName = (evening) =>
  new Date(`${evening}T12:00`)
    .toLocaleDateString([], { weekday: "short", day: "numeric", month: "short" })
    .replaceAll(" ", "\u00a0");

/** @param {string} month "2026-11" */
const monthName = (month) => new Date(`${month}-15T12:00`).toLocaleDateString([], { month: "long", year: "numeric" });

/** @param {PlayedGame[]} played */
const asCsv = (played) =>
  [
    ["evening", "table", "game", "matches", "seats", "minutes"],
    ...played.map((one) => [one.evening, one.table, one.title, one.matches, one.seats, one.minutes]),
  ]
    .map((line) => `${line.map(cell).join(",")}\r\n`)
    .join("");

/**
 * Return a value as a cell of a CSV file (RFC 4180) that no program takes for a formula.
 * @param {string | number} value
 */
function cell(value) {
  if (typeof value === "number") return `${value}`;
  return `"${value.replace(FORMULA, "$1'$2").replaceAll('"', '""')}"`;
}

loadLanguage().then(() => render(html`<${Page} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
