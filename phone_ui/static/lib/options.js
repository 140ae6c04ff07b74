// The options of a game: which differ from the usual, which are idle beside others, and what they are called.

import { readable } from "./labels.js";
import { say } from "./language.js";
import { seatName } from "./seats.js";

/** @import { Option } from "./messages.d.ts" */
/** @import { Facts, Labels } from "./types.d.ts" */
/** @import { PublicState } from "./messages.d.ts" */

/**
 * @param {string} name
 * @param {Option} option
 */
export const optionLabel = (name, option) => say(option.label ?? readable(name));

/**
 * Return a value that is not the usual one, in words.
 * @param {PublicState} state
 * @param {Option} option
 * @param {any} value
 */
export function optionText(state, option, value) {
  if (typeof value === "boolean") return value ? say("Yes") : say("No");
  if (option.seat && value) return seatName(state, value);
  return typeof value === "string" ? say(readable(value)) : String(value);
}

/**
 * Return why an option has no effect beside the others, as a sentence; "" where it has one.
 * @param {Labels | null | undefined} labels
 * @param {string} name
 * @param {Facts} options
 */
export function idleWhy(labels, name, options) {
  const idle = labels?.lobby?.idle?.[name];
  if (!idle) return "";
  const now = (/** @type {string} */ other) => options[other] ?? labels?.options?.[other]?.default;
  return Object.entries(idle.with).every(([other, value]) => now(other) === value) ? idle.why : "";
}

/**
 * Return the options that a match begins with: without those that would have no effect, or are as usual.
 * @param {Labels | null | undefined} labels
 * @param {Facts} options
 * @returns {Facts}
 */
export const inForce = (labels, options) =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value !== labels?.options?.[name]?.default && !idleWhy(labels, name, options),
    ),
  );
