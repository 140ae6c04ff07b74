// All hubs of this venue, as the broker above them knows them: which are online, and what their tables play.

import { html } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { STATES } from "../lib/staff_venue.js";

/** @import { HubSeen, TableSeen, Upstream } from "../lib/messages.d.ts" */

/**
 * Return the time of day at the hub; the browser is in the same house.
 * @param {number} seconds
 */
const clockTime = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });

/** @param {{ upstream: Upstream }} props */
export function OtherHubs({ upstream }) {
  const { venue, up, hubs } = upstream;
  return html`<section class="machine hubs" aria-label="All hubs">
    <h2>${sayAround("All hubs of {venue}", { venue: html`<span translate="no">${venue}</span>` })}</h2>
    ${!up && html`<${CutOff} upstream=${upstream} />`}
    ${
      upstream.twin &&
      html`<p class="fault error">
        Another hub there has the same id as this one. Give each its own id under [hub], then restart them.
      </p>`
    }
    <ul class="hub-list">${hubs.map((hub) => html`<${HubLine} key=${hub.hub} hub=${hub} />`)}</ul>
  </section>`;
}

/** @param {{ upstream: Upstream }} props */
function CutOff({ upstream: { why, waiting, since } }) {
  return html`<div class="fault warning">
    <p>
      ${say("There is no news from the other hubs since {time}, so the list may be out of date. All tables play on, and the hub keeps trying.", { time: clockTime(since) })}
    </p>
    ${waiting > 0 && html`<p>${say("{count} finished matches are waiting to be sent.", { count: waiting })}</p>`}
    ${why && html`<p class="quiet-words" translate="no">${why}</p>`}
  </div>`;
}

/** @param {{ hub: HubSeen }} props */
function HubLine({ hub }) {
  return html`<li class=${`hub-line ${hub.state}`}>
    <p class="hub-head">
      <b translate="no">${hub.hub}</b>
      <span class=${`tag ${hub.state === "away" ? "stopped" : ""}`}><${HubState} hub=${hub} /></span>
    </p>
    ${hub.tables.length === 0 && html`<p class="quiet-words">Its tables are unknown.</p>`}
    <ul>${hub.tables.map((table) => html`<${TableLine} key=${table.table} table=${table} />`)}</ul>
  </li>`;
}

/** @param {{ hub: HubSeen }} props */
function HubState({ hub: { state, heard } }) {
  if (state === "own") return html`this hub`;
  if (state === "here") return html`here`;
  const last = heard === null ? say("never seen") : say("last seen at {time}", { time: clockTime(heard) });
  return html`${state === "away" ? say("offline, {heard}", { heard: last }) : last}`;
}

/** @param {{ table: TableSeen }} props */
function TableLine({ table }) {
  const { name, state, game, round, seats, people, calls } = table;
  return html`<li class=${`seen-table${calls ? " calling" : ""}`}>
    <b translate="no">${name}</b>
    <span>${STATES[state]}</span>
    <span>${round === null ? game : say("{game}, round {round}", { game, round })}</span>
    <span>${say("{count} of {all} seats taken", { count: people, all: seats })}</span>
    ${calls > 0 && html`<strong class="seen-call">${say("Calls for help: {count}", { count: calls })}</strong>`}
  </li>`;
}
