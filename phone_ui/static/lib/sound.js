// The sounds of a table: the tones for what has just happened, computed here.

/** @import { PublicState } from "./messages.d.ts" */

/** @typedef {"lock" | "die" | "reveal" | "orders" | "win"} Sound */
/** @typedef {{ hertz: number, at: number, seconds: number, gain: number }} Tone */

/**
 * The notes of each sound: frequency in hertz, start and duration in seconds.
 * @type {Record<Sound, readonly (readonly [number, number, number])[]>}
 */
const NOTES = {
  lock: [[880, 0, 0.1]],
  die: [
    [196, 0, 0.07],
    [247, 0.09, 0.07],
    [165, 0.21, 0.12],
  ],
  reveal: [
    [523, 0, 0.15],
    [659, 0.11, 0.15],
    [784, 0.22, 0.4],
  ],
  orders: [
    [988, 0, 0.6],
    [784, 0.4, 0.9],
  ],
  win: [
    [523, 0, 0.18],
    [659, 0.15, 0.18],
    [784, 0.3, 0.18],
    [1047, 0.45, 0.8],
  ],
};

const LOUDEST = 0.4;

/**
 * Return the tones of some sounds, one after the other; none at volume 0. `volume` is in percent. The gain is its
 * square, which matches perceived loudness.
 * @param {Sound[]} sounds
 * @param {number} volume
 * @returns {Tone[]}
 */
export function tonesOf(sounds, volume) {
  const gain = LOUDEST * (Math.min(Math.max(volume, 0), 100) / 100) ** 2;
  if (!gain) return [];
  /** @type {Tone[]} */
  const tones = [];
  let from = 0;
  for (const sound of sounds) {
    for (const [hertz, at, seconds] of NOTES[sound]) tones.push({ hertz, at: from + at, seconds, gain });
    from = Math.max(...tones.map((tone) => tone.at + tone.seconds));
  }
  return tones;
}

/** @param {PublicState} state */
const announced = (state) => state.notices.find((notice) => notice.key === "time")?.text ?? "";

/** @param {PublicState} state */
const newest = (state) => state.events.at(-1)?.n ?? -1;

/**
 * Return a listener that turns successive states of a table into sounds. The first state makes no sound, nor does the
 * first one after a gap (`skip`), after an undo, or of another match.
 */
export function listener() {
  /** @type {PublicState | null} */
  let last = null;
  let lastOrders = ""; // the last announcement of the table's time
  let skipping = false;
  return {
    skip: () => {
      skipping = true;
    },
    /**
     * Return the sounds for a state, in the order of the events.
     * @param {PublicState} state
     * @returns {Sound[]}
     */
    soundsFor(state) {
      const before = last;
      const orders = announced(state);
      const isNew = Boolean(orders) && orders !== lastOrders;
      lastOrders = orders || lastOrders;
      last = state;
      if (!before || skipping) {
        skipping = false;
        return [];
      }
      const follows = before.session === state.session && before.epoch === state.epoch && before.match === state.match;
      /** @type {Sound[]} */
      const sounds = follows ? soundsBetween(before, state) : [];
      return isNew ? [...sounds, "orders"] : sounds;
    },
  };
}

/**
 * @param {PublicState} before
 * @param {PublicState} state of the same match
 */
function soundsBetween(before, state) {
  /** @type {Sound[]} */
  const sounds = [];
  if (state.locked.some((seat) => !before.locked.includes(seat))) sounds.push("lock");
  if (state.revealed !== null && state.revealed !== before.revealed) sounds.push("reveal");
  if (state.events.some((event) => event.kind === "roll" && event.n > newest(before))) sounds.push("die");
  if (state.over && !before.over) sounds.push("win");
  return sounds;
}
