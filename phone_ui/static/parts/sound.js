// Play the tones of lib/sound.js with the browser's synthesizer.

import { useEffect, useRef } from "../lib/html.js";
import { listener, tonesOf } from "../lib/sound.js";

/** @import { PublicState } from "../lib/messages.d.ts" */
/** @import { Tone } from "../lib/sound.js" */

const LATE = 400; // ms after which a sound no longer fits the picture
const ATTACK = 0.008; // s: avoids clicks
const REST = 1_000; // ms after the last tone: a running synthesizer uses power

/**
 * Return a player of tones. If the browser needs a touch first, it is silent until then.
 *
 * There are no sound files to load, license or decode. The hub itself has no loudspeaker, because it may be in a
 * cupboard.
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
    /** Call this while a finger is down: after that, the browser allows sound. */
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
 * Play the table's sounds at the table's volume. Events while the page was `away` or hidden are not played later.
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
    const sounds = ears.current.soundsFor(state);
    if (document.visibilityState === "visible") out.current?.play(tonesOf(sounds, state.volume));
  }, [state]);
}

/**
 * The same as a component, which draws nothing.
 * @param {{ state: PublicState, away: boolean }} props
 */
export function Sound({ state, away }) {
  useSound(state, away);
  return null;
}
