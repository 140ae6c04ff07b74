// The options of a game: which ones differ from the default, which ones have no effect, and their labels.

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
 * Return a non-default value in words.
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
 * Return a sentence why an option has no effect with the other options, or "".
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
 * Return the options with which a match begins: without defaults, and without options that have no effect.
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
