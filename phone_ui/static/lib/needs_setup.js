// Whether a hub was never set up.

/** @import { ScreenState } from "./messages.d.ts" */

/**
 * Return whether the screen asks people to set up the hub: it never was, and nobody plays.
 * @param {ScreenState} state
 */
export const needsSetup = (state) =>
  Boolean(state.setup) &&
  state.state === "lobby" &&
  !state.claiming.length &&
  !state.seats.some((place) => place.held || place.ready);
