// What staff see first: the calls for help, and one line per table.

import { html } from "../lib/html.js";
import { say, sayCount } from "../lib/language.js";
import { callsElsewhere, callsOf, STATES, tablePlace, troubleOf } from "../lib/staff_venue.js";
import { phaseText } from "../lib/view.js";
import { Sentence } from "./marks.js";
import { PlaceLink } from "./staff_place.js";
import { useLabels } from "./use_labels.js";

/** @import { PublicState, StaffTable, Venue } from "../lib/messages.d.ts" */
/** @import { AskHub } from "../lib/types.d.ts" */
/** @typedef {{ at: string, open: (place: string) => void }} Places */

/** @param {PublicState} state */
export const isInPlay = ({ state }) => state === "playing" || state === "stopped";

/**
 * Return the game, its phase and round, in words.
 * @param {StaffTable} table
 */
export function usePlayText({ public: state }) {
  const labels = useLabels(state.match ? state.game : null) ?? null;
  const phase = isInPlay(state)
    ? [phaseText(labels, state.view), state.view?.round && say("round {round}", { round: state.view.round })]
    : [];
  return [state.match && state.title, ...phase].filter(Boolean).join(", ") || say("Nobody is playing.");
}

/**
 * All calls. Each leads to its table.
 * @param {{ venue: Venue, ask: AskHub, sending: string | null } & Places} props
 */
export function Calls({ venue, ask, sending, at, open }) {
  const calls = callsOf(venue);
  const elsewhere = callsElsewhere(venue);
  if (calls.length + elsewhere.length === 0) return null;
  return html`<section class="calls" aria-labelledby="calls">
    <h2 id="calls" class="unseen">Calls</h2>
    <ul>
      ${calls.map(
        ({ key, state, notice }) => html`<li key=${key} class="fault call">
          <${PlaceLink} to=${tablePlace(state.table)} at=${at} open=${open} kind="call-link">
            <span><b>${state.name}</b>: <${Sentence} state=${state} text=${notice.text} /></span>
          </>
          <button
            type="button"
            class="do"
            aria-label=${say("Done: {notice}", { notice: notice.text })}
            disabled=${Boolean(sending)}
            onClick=${() => ask("done", state.table, { key: notice.key }, `done ${key}`)}
          >
            Done
          </button>
        </li>`,
      )}
      ${elsewhere.map(
        ({ key, hub, table }) => html`<li key=${key} class="fault call">
          <${PlaceLink} to="part=hubs" at=${at} open=${open} kind="call-link">
            <span><b translate="no">${hub}, ${table.name}</b>: ${say("Calls for help: {count}", { count: table.calls })}</span>
          </>
        </li>`,
      )}
    </ul>
  </section>`;
}

/**
 * The callers as text only, for a live region: a screen reader announces new ones.
 * @param {{ venue: Venue }} props
 */
export function SpokenCalls({ venue }) {
  return html`
    ${callsOf(venue).map(
      ({ key, state, notice }) =>
        html`<p key=${key}>${state.name}: <${Sentence} state=${state} text=${notice.text} /></p>`,
    )}
    ${callsElsewhere(venue).map(
      ({ key, hub, table }) =>
        html`<p key=${key}><span translate="no">${hub}, ${table.name}: </span>${say("Calls for help: {count}", { count: table.calls })}</p>`,
    )}
  `;
}

/** @param {{ venue: Venue } & Places} props */
export function TableLines({ venue, at, open }) {
  return html`<nav class="lines" aria-labelledby="tables">
    <h2 id="tables" class="unseen">Tables</h2>
    <ul>
      ${venue.tables.map((table) => html`<${TableLine} key=${table.public.table} table=${table} at=${at} open=${open} />`)}
    </ul>
  </nav>`;
}

/** @param {{ table: StaffTable } & Places} props */
function TableLine({ table, at, open }) {
  const { public: state } = table;
  const playText = usePlayText(table);
  const { calls, warnings, isError } = troubleOf(table);
  const taken = state.seats.filter(({ held }) => held).length;
  return html`<li>
    <${PlaceLink} to=${tablePlace(state.table)} at=${at} open=${open} kind=${`line${calls ? " calling" : ""}`}>
      <span class="line-row">
        <b class="line-name">${state.name}</b>
        ${calls && html`<span class="tag calls-tag">Calls</span>`}
        ${
          warnings > 0 &&
          html`<span class=${`tag${isError ? " stopped" : ""}`}>${sayCount("{count} warning", "{count} warnings", warnings)}</span>`
        }
        ${state.state === "stopped" && html`<span class="tag stopped">${STATES.stopped}</span>`}
      </span>
      <span class="line-row quiet-words">
        <span>${isInPlay(state) ? playText : STATES[state.state]}</span>
        <span>${say("{count} of {all} seats taken", { count: taken, all: state.seats.length })}</span>
      </span>
    </>
  </li>`;
}
