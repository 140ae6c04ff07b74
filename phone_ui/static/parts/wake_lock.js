// A phone that stays awake, where the browser lets a page ask for it: over https only.

/**
 * Keep the phone awake until the returned function is called; the browser lets go while the page is out of sight.
 * @returns {() => void}
 */
export function keepAwake() {
  /** @type {WakeLockSentinel | null} */
  let lock = null;
  let over = false;
  const ask = async () => {
    if (document.visibilityState !== "visible" || (lock && !lock.released)) return;
    try {
      lock = await navigator.wakeLock.request("screen");
    } catch {
      return; // a battery that is low: the phone sleeps as ever
    }
    if (over) lock.release();
  };
  document.addEventListener("visibilitychange", ask);
  ask();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", ask);
    lock?.release();
  };
}
