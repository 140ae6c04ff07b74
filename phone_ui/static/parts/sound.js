// The table heard: tones of lib/sound.js through the browser's own synthesiser.

import { useEffect, useRef } from "../lib/html.js";
import { listener, tonesOf } from "../lib/sound.js";

/** @import { PublicState } from "../lib/messages.d.ts" */
/** @import { Tone } from "../lib/sound.js" */

const LATE = 400; // ms after which a sound belongs to nothing that is seen
const ATTACK = 0.008; // s: less clicks
const REST = 1_000; // ms after the last tone: a synthesiser that runs takes power

/**
 * What plays tones. A browser that wants a touch first stays silent until there was one.
 *
 * No sound files: there is nothing to load, to license or to decode. The hub itself has no loudspeaker, because it may be
 * in a cupboard.
 */
function speaker() {
  /** @type {AudioContext | null} */
  let context = null;
  let resting = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  const open = () => {
    context ??= new AudioContext();
    return context;
  };
  /** @param {Tone[]} tones */
  const sound = (tones) => {
    const audio = open();
    for (const { hertz, at, seconds, gain } of tones) {
      const from = audio.currentTime + at;
      const voice = audio.createOscillator();
      const level = audio.createGain();
      voice.type = "triangle";
      voice.frequency.value = hertz;
      level.gain.setValueAtTime(0, from);
      level.gain.linearRampToValueAtTime(gain, from + ATTACK);
      level.gain.exponentialRampToValueAtTime(gain / 1000, from + seconds);
      voice.connect(level).connect(audio.destination);
      voice.start(from);
      voice.stop(from + seconds);
    }
    clearTimeout(resting);
    const end = Math.max(...tones.map(({ at, seconds }) => at + seconds));
    resting = setTimeout(() => audio.suspend(), 1000 * end + REST);
  };
  return {
    /** To be called while a finger is down: after that the browser lets the page sound. */
    touched: () => {
      open().resume();
    },
    /** @param {Tone[]} tones */
    play: (tones) => {
      if (!tones.length) return;
      const asked = performance.now();
      open()
        .resume()
        .then(
          () => performance.now() - asked < LATE && sound(tones),
          () => {},
        );
    },
    close: () => {
      clearTimeout(resting);
      context?.close();
    },
  };
}

/**
 * Sound as a table does, at the table's volume. What happened while the page was `away` or hidden is not made up for.
 * @param {PublicState | null} state
 * @param {boolean} away
 */
export function useSound(state, away) {
  const out = useRef(/** @type {ReturnType<typeof speaker> | null} */ (null));
  const ears = useRef(/** @type {ReturnType<typeof listener> | null} */ (null));
  useEffect(() => {
    const player = speaker();
    out.current = player;
    addEventListener("click", player.touched, { once: true });
    return () => {
      removeEventListener("click", player.touched);
      player.close();
    };
  }, []);
  useEffect(() => {
    ears.current ??= listener();
    if (away) ears.current.skip();
  }, [away]);
  useEffect(() => {
    if (!state || !ears.current) return;
    const sounds = ears.current.hear(state);
    if (document.visibilityState === "visible") out.current?.play(tonesOf(sounds, state.volume));
  }, [state]);
}

/**
 * The same as a part of a page; it draws nothing.
 * @param {{ state: PublicState, away: boolean }} props
 */
export function Sound({ state, away }) {
  useSound(state, away);
  return null;
}
