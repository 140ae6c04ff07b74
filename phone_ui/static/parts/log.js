// The log of the match on the screen, newest first, back to its first event.

import { html, useRef, useState } from "../lib/html.js";
import { eventsBefore, keyOf } from "../lib/kept_events.js";
import { say } from "../lib/language.js";
import { ReadTag } from "./die.js";
import { Sentence } from "./marks.js";

/** @import { PublicEvent, PublicState } from "../lib/messages.d.ts" */

/**
 * Return the newest events without a gap, newest first.
 * @param {Map<number, PublicEvent>} known
 * @param {number} newest
 */
export function unbroken(known, newest) {
  const found = [];
  for (let n = newest; known.has(n); n -= 1) found.push(/** @type {PublicEvent} */ (known.get(n)));
  return found;
}

/**
 * The events, newest first. The page has the newest ones and requests earlier ones from the hub.
 * @param {{ state: PublicState }} props
 */
export function Log({ state }) {
  const known = useRef({ key: "", events: new Map(), stoodIn: /** @type {Record<string, number[]>} */ ({}) });
  const [asking, setAsking] = useState(false);
  const [failed, setFailed] = useState(false);
  if (known.current.key !== keyOf(state)) known.current = { key: keyOf(state), events: new Map(), stoodIn: {} };
  for (const event of state.events) known.current.events.set(event.n, event);
  Object.assign(known.current.stoodIn, state.stood_in);
  const events = unbroken(known.current.events, state.events.at(-1)?.n ?? -1);
  const left = events.at(-1)?.n ?? 0;
  const earlier = async () => {
    setAsking(true);
    setFailed(false);
    try {
      const page = await eventsBefore(state, left);
      // There may be another match by now, or an undo.
      if (keyOf(page) === known.current.key) {
        for (const event of page.events) known.current.events.set(event.n, event);
        Object.assign(known.current.stoodIn, page.stood_in);
      }
    } catch {
      setFailed(true);
    }
    setAsking(false);
  };
  return html`<div class="panel log">
    <h1 class="headline">What happened</h1>
    ${events.length === 0 && html`<p>Nothing yet.</p>`}
    <ol class="log-list" reversed>
      ${events.map((event) => html`<${LogLine} key=${event.n} state=${state} event=${event} stoodIn=${known.current.stoodIn[event.n] ?? []} />`)}
    </ol>
    ${failed && html`<p class="refusal" role="alert">The hub did not answer. Try once more.</p>`}
    ${
      left > 0 &&
      html`<button type="button" class="small-act log-earlier" disabled=${asking} onClick=${earlier}>
        ${asking ? say("Asking the hub…") : say("Show earlier lines ({count})", { count: left })}
      </button>`
    }
  </div>`;
}

/**
 * `stoodIn` are the seats for which the house moved just before the event.
 * @param {{ state: PublicState, event: PublicEvent, stoodIn: number[] }} props
 */
function LogLine({ state, event, stoodIn }) {
  const { read, again } = event.data;
  return html`<li class="log-line">
    <span class="log-text">
      <${Sentence} state=${state} text=${event.text} />${read && html` <${ReadTag} read=${read} again=${again} />`}
    </span>
    ${event.rule && html`<span class="log-rule">${event.rule}</span>`}
    ${stoodIn.map(
      (seat) => html`<span class="log-house">
        <${Sentence} state=${state} text=${say("The house moved for Seat {seat}, who was away.", { seat })} />
      </span>`,
    )}
  </li>`;
}
