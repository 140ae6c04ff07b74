// A part of the big screen that shrinks if its content needs more room, so that nothing is cut off.

import { useLayoutEffect, useRef } from "../lib/html.js";

const STEP = 0.94;
const SMALLEST = 0.4;

/**
 * Return a ref for an element whose content never scrolls: it gets the largest size in which all of it is visible.
 * The element must be aligned `safe`, so that all of the overflow is at its end.
 */
export function useFitted() {
  const ref = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const fit = () => {
      const { current } = ref;
      if (!current) return;
      let size = 1;
      do {
        current.style.zoom = `${size}`;
        size *= STEP;
      } while (current.scrollHeight > current.clientHeight + 1 && size > SMALLEST);
    };
    fit();
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  }); // after each state, because the content may grow
  return ref;
}
