// Keep a phone awake, if the browser supports it: over https only.

/**
 * Keep the phone awake until the returned function is called. The browser releases the lock while the page is hidden.
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
      return; // low battery: the phone sleeps as usual
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
