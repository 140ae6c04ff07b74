// Public states leave out the fields that have their default, because each phone gets one with every move.

import { PublicSeat, PublicState } from "./defaults.js";

/** @import { PublicState as State } from "./messages.d.ts" */

/**
 * Return a public state with all its fields.
 * @template {State} S
 * @param {S} state
 * @returns {S}
 */
export function complete(state) {
  const seats = state.seats.map((seat) => ({ ...PublicSeat, ...seat }));
  const all = { ...PublicState, ...state, seats };
  if ("demonstration" in all && all.demonstration)
    all.demonstration = complete(/** @type {State} */ (all.demonstration));
  return all;
}
