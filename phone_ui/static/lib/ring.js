// The ring of 16 lamps as boxes draw it: patterns to lamps, as in hub/display/rings.py.
// Lamp 0 is at the player's side; the others follow clockwise. No light changes faster than 3 Hz.

/**
 * A lamp: its color as hex digits, and its level from 0 to 1.
 * @typedef {{ colour: string, level: number }} Lamp
 */

export const LAMPS = 16;

const AMBER = "ff8c00";
const WHITE = "ffffff";
const HALF = [12, 13, 14, 15, 0, 1, 2, 3, 4];
const ARCS = [14, 15, 0, 1, 2, 6, 7, 8, 9, 10];
const BARS = [3, 4, 5, 11, 12, 13];
const [EIGHT, FOUR] = [3, 13];

/**
 * Oscillate from 0 to 1 and back, `hertz` times per second.
 * @param {number} t
 * @param {number} hertz
 */
const wave = (t, hertz) => 0.5 - 0.5 * Math.cos(2 * Math.PI * hertz * t);
/** @returns {Lamp[]} */
const dark = () => Array.from({ length: LAMPS }, () => ({ colour: WHITE, level: 0 }));
/**
 * @param {string} colour
 * @param {number} level
 * @returns {Lamp[]}
 */
const whole = (colour, level) => Array.from({ length: LAMPS }, () => ({ colour, level }));

/**
 * @param {number[]} places
 * @param {string} colour
 * @param {number} level
 */
function some(places, colour, level) {
  const lamps = dark();
  for (const place of places) lamps[place] = { colour, level };
  return lamps;
}

/**
 * @param {number} t
 * @param {string} colour
 * @param {number} hertz
 */
function comet(t, colour, hertz) {
  const head = Math.floor(t * hertz * LAMPS);
  const lamps = dark();
  for (const [tail, level] of [
    [2, 0.15],
    [1, 0.4],
    [0, 1],
  ])
    lamps[(head - tail + LAMPS) % LAMPS] = { colour, level };
  return lamps;
}

/**
 * @param {Lamp[]} lamps
 * @param {number} place
 */
function crowned(lamps, place) {
  lamps[place] = { colour: WHITE, level: 1 };
  return lamps;
}

/**
 * Full light after `n` pulses of one second each.
 * @param {number} t
 * @param {number} n
 */
function pulsed(t, n) {
  return t < n ? 1 - 0.8 * wave(t, 1) : 1;
}

/**
 * @param {number} t
 * @param {string} colour
 */
function turn(t, colour) {
  return some(HALF, colour, 0.2 + 0.8 * wave(t, 0.5));
}

/** @type {Record<string, (picture: { t: number, n: number, colour: string }) => Lamp[]>} */
const PATTERNS = {
  off: dark,
  attract: ({ t, colour }) => some([Math.floor((t / 6) * LAMPS) % LAMPS], colour, 0.2),
  claim: ({ t, colour }) => some([0, 8], colour, 0.1 + 0.9 * wave(t, 1)),
  waiting: ({ colour }) => whole(colour, 0.25),
  turn: ({ t, colour }) => turn(t, colour),
  nudge: ({ t, colour }) => crowned(turn(t, colour), Math.floor((t / 2) * LAMPS) % LAMPS),
  choosing: ({ colour }) => some([0, 2, 4, 6, 8, 10, 12, 14], colour, 0.6),
  locked: ({ colour }) => whole(colour, 1),
  reveal({ t, colour }) {
    const reach = Math.min(1, t / 0.3) * (LAMPS / 2);
    return dark().map((lamp, place) => (Math.min(place, LAMPS - place) <= reach ? { colour, level: 1 } : lamp));
  },
  number({ t, n, colour }) {
    const lamps = dark();
    for (let place = 0; place < Math.min(n, LAMPS); place += 1)
      lamps[place] = { colour, level: place === n - 1 ? 0.3 + 0.7 * wave(t + 0.5, 1) : 1 };
    return lamps;
  },
  leader: ({ t, n, colour }) => crowned(whole(colour, 0.5 * pulsed(t, n)), 0),
  caller: ({ t, n, colour }) => some(ARCS, colour, pulsed(t, n)),
  out: ({ colour }) => some([0], colour, 0.3),
  roll: ({ t, colour }) => comet(t, colour, 1),
  rolling: ({ t, colour }) => comet(t, colour, 2),
  dice_trouble: () => some(BARS, AMBER, 1),
  lost: ({ t, colour }) => some([Math.floor(t) % 2 ? FOUR : EIGHT], colour, 1),
  winner: ({ t, colour }) => crowned(whole(colour, 0.5), Math.floor((t / 4) * LAMPS) % LAMPS),
};

/**
 * Return the 16 lamps of a picture, `t` seconds after it was set.
 * @param {{ pattern: string, n?: number, colour?: string }} picture
 * @param {number} t
 */
export function lampsAt({ pattern, n = 0, colour = WHITE }, t) {
  return (PATTERNS[pattern] ?? dark)({ t, n, colour });
}
