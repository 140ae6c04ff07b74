// Keep the place of people with keyboards or screen readers: a pressed element often disappears, and the focus with it.

import { useEffect } from "../lib/html.js";

// Not a text field: a phone would open its keyboard over the page.
const PLACES =
  "a[href], button:not(:disabled), input:is([type=radio], [type=checkbox]):not(:disabled), select, summary, [tabindex]";
// The question to this seat if there is one, else the table's request to it, else the page's heading.
const NEXT = [".want-block", ".table-question[role=alertdialog]", ".strip h1, main h1"];
const REGIONS = ".question, .dice-part, .table-question, .standing, .hand-over, .panel, .seating, .lobby, form";
const WAITS = "main[aria-busy='true'], [data-coming]"; // the rest of the page arrives at once
const LOOKS = { attributeFilter: ["disabled", "aria-busy"], childList: true, subtree: true };

/** @param {Element | null} element */
const isOff = (element) => Boolean(element?.matches(":disabled"));

/** Return whether an element is drawn, so that it can have the focus. @param {Element | null} element */
const isDrawn = (element) => Boolean(element?.getClientRects().length);

/**
 * Return the next element: the first in the part of the page where an element disappeared, else the first of `NEXT`.
 * @param {Element[]} around the parts in which it was, the nearest first
 */
function nextPlace(around) {
  const region = around.find((part) => part.isConnected && part.matches(REGIONS));
  const place =
    region?.querySelector("button.primary:not(:disabled)") ??
    region?.querySelector(PLACES) ??
    NEXT.map((css) => document.querySelector(css)).find(isDrawn);
  return /** @type {HTMLElement | null} */ (place ?? null);
}

/** Keep the focus in the page: if its element disappears or is disabled, the focus moves to the next element. */
export function useFocus() {
  useEffect(() => {
    /** @type {HTMLElement | null} */
    let last = null;
    /** @type {Element[]} */
    let around = [];
    // A disabled element loses the focus with the next state, without an event.
    const isLost = () => document.activeElement === document.body || isOff(document.activeElement);
    /** @param {HTMLElement | null} place */
    const go = (place) => {
      if (!place) return;
      if (!place.matches(`${PLACES}, input`)) place.tabIndex = -1;
      place.focus({ preventScroll: true });
    };
    const update = () => {
      if (!last || !isLost() || document.querySelector(WAITS)) return;
      if (last.isConnected && !isOff(last)) go(last);
      else if (!last.isConnected || !document.querySelector("button[aria-busy='true']")) go(nextPlace(around));
    };
    /** @param {FocusEvent} event */
    const onFocus = ({ target }) => {
      last = /** @type {HTMLElement} */ (target);
      around = [];
      for (let part = last.parentElement; part; part = part.parentElement) around.push(part);
    };
    /** @param {FocusEvent} event */
    const onLeft = ({ target, relatedTarget }) => {
      if (relatedTarget) return;
      const left = /** @type {HTMLElement} */ (target);
      setTimeout(() => {
        if (last === left && left.isConnected && !isOff(left) && isLost())
          last = null; // the person moved the focus away
        else update();
      });
    };
    const observer = new MutationObserver(update);
    observer.observe(document.body, LOOKS);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", onLeft);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", onLeft);
    };
  }, []);
}
