// The ring of 16 lamps as boxes draw it: pattern to lamps, the same rules as hub/display/rings.py.
// Lamp 0 is at the player's side, the others follow clockwise. Nothing is faster than 3 Hz.

export const LAMPS = 16;

const AMBER = "ff8c00";
const WHITE = "ffffff";
const HALF = [12, 13, 14, 15, 0, 1, 2, 3, 4];
const FAR = [6, 7, 8, 9, 10];
const ARCS = [14, 15, 0, 1, 2, 6, 7, 8, 9, 10];
const BARS = [3, 4, 5, 11, 12, 13];
const [EIGHT, FOUR] = [3, 13];

const wave = (t, hertz) => 0.5 - 0.5 * Math.cos(2 * Math.PI * hertz * t);
const dark = () => Array.from({ length: LAMPS }, () => ({ colour: WHITE, level: 0 }));
const whole = (colour, level) => Array.from({ length: LAMPS }, () => ({ colour, level }));

function some(places, colour, level) {
  const lamps = dark();
  for (const place of places) lamps[place] = { colour, level };
  return lamps;
}

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

function crowned(lamps, place) {
  lamps[place] = { colour: WHITE, level: 1 };
  return lamps;
}

/** Full light; before it `n` pulses of a second each. */
function pulsed(t, n) {
  return t < n ? 1 - 0.8 * wave(t, 1) : 1;
}

function turn(t, colour) {
  return some(HALF, colour, 0.2 + 0.8 * wave(t, 0.5));
}

const PATTERNS = {
  off: dark,
  attract: (t, n, colour) => some([Math.floor((t / 6) * LAMPS) % LAMPS], colour, 0.2),
  claim: (t, n, colour) => some([0, 8], colour, 0.1 + 0.9 * wave(t, 1)),
  waiting: (t, n, colour) => whole(colour, 0.25),
  turn: (t, n, colour) => turn(t, colour),
  nudge: (t, n, colour) => crowned(turn(t, colour), Math.floor((t / 2) * LAMPS) % LAMPS),
  choosing: (t, n, colour) => some([0, 2, 4, 6, 8, 10, 12, 14], colour, 0.6),
  locked: (t, n, colour) => whole(colour, 1),
  reveal(t, n, colour) {
    const reach = Math.min(1, t / 0.3) * (LAMPS / 2);
    return dark().map((lamp, place) => (Math.min(place, LAMPS - place) <= reach ? { colour, level: 1 } : lamp));
  },
  number(t, n, colour) {
    const lamps = dark();
    for (let place = 0; place < Math.min(n, LAMPS); place += 1)
      lamps[place] = { colour, level: place === n - 1 ? 0.3 + 0.7 * wave(t + 0.5, 1) : 1 };
    return lamps;
  },
  leader: (t, n, colour) => crowned(whole(colour, 0.5 * pulsed(t, n)), 0),
  caller: (t, n, colour) => some(ARCS, colour, pulsed(t, n)),
  out: (t, n, colour) => some([0], colour, 0.3),
  roll: (t, n, colour) => comet(t, colour, 1),
  rolling: (t, n, colour) => comet(t, colour, 2),
  dice_trouble: () => some(BARS, AMBER, 1),
  lost: (t, n, colour) => some([Math.floor(t) % 2 ? FOUR : EIGHT], colour, 1),
  last_orders: (t, n, colour) =>
    whole(colour, 0.25).map((lamp, place) => (FAR.includes(place) ? { colour: AMBER, level: 1 } : lamp)),
  winner: (t, n, colour) => crowned(whole(colour, 0.5), Math.floor((t / 4) * LAMPS) % LAMPS),
};

/** The 16 lamps ({colour, level}) of a picture, `t` seconds after it came; without motion, one still frame of it. */
export function lampsAt({ pattern, n = 0, colour = WHITE }, t) {
  return (PATTERNS[pattern] ?? dark)(t, n, colour);
}
