// What the public state says of the present moment: phase, order, who is asked, the big line.

import { fill, hasValues, readable } from "./labels.js";
import { say } from "./language.js";
import { at } from "./values.js";

/** @import { PhaseLabels } from "./messages.d.ts" */
/** @import { Facts, Labels, Line } from "./types.d.ts" */
/** @import { PublicEvent, PublicState } from "./messages.d.ts" */

/**
 * The starts of the hub that another one has followed.
 * @type {Set<string | undefined>}
 */
const past = new Set();

/**
 * Is message `b` at least as new as `a`? One of another start of the hub is, whatever its numbers: the hub may have lost
 * what it counted. Only a start that was followed by another one never comes back.
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
 * Return what the labels want drawn in the present phase.
 * @param {Labels | null | undefined} labels
 * @param {Facts | null | undefined} view
 * @returns {PhaseLabels}
 */
export function phaseOf(labels, view) {
  return labels?.screen?.phase?.[view?.phase] ?? {};
}

/**
 * Return the seats in the order in which they act, where the labels name one; else null.
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
 * Return the newest number line that an event drew; null where there is none.
 * @param {PublicState} state
 * @returns {Line | null}
 */
export function newestLine(state) {
  const event = state.events.findLast((one) => one.data.line);
  return event ? { n: event.n, ...event.data.line } : null;
}

/**
 * Return what a reveal shows, seat by seat or in the `order` that it names, with the cards themselves where it has them,
 * and what the rules say stands out (`marks`): a high bid may go last.
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
 * Return the seats the table waits for, in order; a roller is one of them.
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
 * Return what a screen template may name: the public view, `seat` (the roller, or the first one asked), `locked`,
 * `seated`, `players`.
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
 * Return the big line and the caption of the present phase, or empty strings. `{seat}` alone is the number of who is
 * asked; of several templates for the big line the first that says something stands.
 * @param {Labels | null} labels
 * @param {PublicState} state
 */
export function nowLines(labels, state) {
  if (state.question?.kind === "pitch") return { main: "", caption: "" }; // nobody is asked meanwhile
  const phase = phaseOf(labels, state.view);
  const scope = screenScope(state);
  /** @param {string | undefined} template nothing is said of a template without any of its values */
  const filled = (template) => (hasValues(template, scope, labels) ? fill(template, scope, labels) : "");
  return { main: [phase.main].flat().map(filled).find(Boolean) ?? "", caption: filled(phase.caption) };
}

/**
 * Is there something that the people at the table decide together: a question, a match that begins, a pause?
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
