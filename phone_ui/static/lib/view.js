// The present moment of the public state: phase, order, asked seats, the big line.

import { fill, hasValues, readable } from "./labels.js";
import { say } from "./language.js";
import { at } from "./values.js";

/** @import { PhaseLabels } from "./messages.d.ts" */
/** @import { Facts, Labels, Line } from "./types.d.ts" */
/** @import { PublicEvent, PublicState } from "./messages.d.ts" */

/**
 * Sessions of the hub that were followed by another one.
 * @type {Set<string | undefined>}
 */
const past = new Set();

/**
 * Return whether message `b` is at least as new as `a`. A message of another session of the hub is newer regardless of its
 * numbers, because the hub may have lost its counts, unless that session was followed by another one before.
 * @param {{ session?: string, epoch: number, seq: number } | null} a
 * @param {{ session?: string, epoch: number, seq: number }} b
 */
export function notOlder(a, b) {
  if (!a) return true;
  if (a.session !== b.session) {
    if (past.has(b.session)) return false;
    past.add(a.session);
    return true;
  }
  return b.epoch > a.epoch || (b.epoch === a.epoch && b.seq >= a.seq);
}

/**
 * Return the labels for the present phase.
 * @param {Labels | null | undefined} labels
 * @param {Facts | null | undefined} view
 * @returns {PhaseLabels}
 */
export function phaseOf(labels, view) {
  return labels?.screen?.phase?.[view?.phase] ?? {};
}

/**
 * Return the seats in the order in which they act, if the labels name one, else null.
 * @param {Labels | null | undefined} labels
 * @param {Facts | null | undefined} view
 * @returns {number[] | null}
 */
export function orderOf(labels, view) {
  const path = phaseOf(labels, view).order ?? labels?.screen?.order;
  const order = path && at(view, path);
  return Array.isArray(order) && order.length && order.every(Number.isInteger) ? order : null;
}

/**
 * Return the newest number line of an event, or null.
 * @param {PublicState} state
 * @returns {Line | null}
 */
export function newestLine(state) {
  const event = state.events.findLast((one) => one.data.line);
  return event ? { n: event.n, ...event.data.line } : null;
}

/**
 * Return the values of a reveal, by seat or in its `order`, with cards if it has them, and with the remarks of the rules
 * (`marks`), such as that a high bid goes last.
 * @param {PublicEvent} reveal
 * @returns {{ seat: number, text: string, mark: string, cards: Facts[] }[]}
 */
export function revealedValues(reveal) {
  const shown = Object.entries(reveal.data.bids ?? {}).filter(([, value]) => value !== null && value !== undefined);
  const values = shown.map(([seat, value]) => ({
    seat: Number(seat),
    text: [value].flat().join(" "),
    mark: reveal.data.marks?.[seat] ?? "",
    cards: reveal.data.cards?.[seat] ?? [],
  }));
  /** @type {number[]} */
  const order = reveal.data.order ?? [];
  return values.sort((a, b) => order.indexOf(a.seat) - order.indexOf(b.seat));
}

/**
 * Return the seats that the table waits for, in order, including a roller.
 * @param {Facts | null | undefined} view
 * @returns {number[]}
 */
export function askedSeats(view) {
  const waiting = view?.waiting ?? {};
  const listed = Array.isArray(waiting.seats) ? waiting.seats : Object.keys(waiting.seats ?? {});
  const seats = new Set(listed.map(Number));
  if (waiting.roll) seats.add(Number(waiting.roll.seat));
  return [...seats].sort();
}

/**
 * Return the scope of screen templates: the public view, `seat` (the roller, or the first asked seat), `locked`, `seated`,
 * `players`.
 * @param {PublicState} state
 * @returns {Facts}
 */
function screenScope(state) {
  /** @type {Facts} */
  const view = state.view ?? {};
  const seats = askedSeats(view);
  const first = view.waiting?.roll?.seat ?? seats[0];
  const players = Object.keys(view.seats ?? {}).length;
  return {
    ...view,
    ...(state.over ?? {}),
    seat: view.seats?.[first],
    asked: first,
    locked: state.locked.length,
    seated: seats.length || players,
    players,
  };
}

/**
 * Return the big line and the caption of the present phase, or empty strings. `{seat}` alone is the number of the asked
 * seat. Of several templates for the big line, the first one with a value counts.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function nowLines(labels, state) {
  if (state.question?.kind === "pitch") return { main: "", caption: "" }; // no seat is asked during a pitch
  const phase = phaseOf(labels, state.view);
  const scope = screenScope(state);
  /** @param {string | undefined} template nothing is said of a template without any of its values */
  const filled = (template) => (hasValues(template, scope, labels) ? fill(template, scope, labels) : "");
  return { main: [phase.main].flat().map(filled).find(Boolean) ?? "", caption: filled(phase.caption) };
}

/**
 * Return whether the table decides something together: a question, a starting match, or a pause.
 * @param {PublicState} state
 */
export const isAskedTogether = (state) => Boolean(state.question || state.starting || state.paused != null);

/**
 * Return "Round 3"; empty before a match.
 * @param {Facts | null} view
 */
export function roundText(view) {
  return view?.round ? say("Round {round}", { round: view.round }) : "";
}

/**
 * Return the phase by the game's labels.
 * @param {Labels | null} labels
 * @param {Facts | null} view
 */
export function phaseText(labels, view) {
  if (!view?.phase) return "";
  return say(labels?.phases?.[view.phase] ?? readable(view.phase));
}

/**
 * Return how long the match may still take, in words; "" while the hub does not know.
 * @param {PublicState["minutes_left"]} minutes
 */
export const minutesText = (minutes) =>
  minutes ? say("{least} to {most} minutes left", { least: minutes[0], most: minutes[1] }) : "";
