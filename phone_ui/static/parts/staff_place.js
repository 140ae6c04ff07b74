// The open part of the staff page, as a hook. The address names it, so it can be linked to, and Back closes it.

import { html, useEffect, useState } from "../lib/html.js";
import { addressOf, placeIn } from "../lib/staff_venue.js";

/**
 * Return the open place, "" for none, and a function that opens another one. The history has at most one open place above
 * the list, so that Back always leads to the list.
 * @returns {[place: string, open: (place: string) => void]}
 */
export function usePlace() {
  const [place, setPlace] = useState(() => placeIn(location.search));
  useEffect(() => {
    const update = () => setPlace(placeIn(location.search));
    addEventListener("popstate", update);
    return () => removeEventListener("popstate", update);
  }, []);
  const open = (/** @type {string} */ next) => {
    if (next === place) return;
    if (!next && history.state?.aboveList) {
      history.back();
      return;
    }
    if (place) history.replaceState(next ? history.state : null, "", addressOf(next));
    else history.pushState({ aboveList: true }, "", addressOf(next));
    setPlace(next);
  };
  return [place, open];
}

/**
 * A link to a place. Another window or tab can open it, too.
 * @param {{ to: string, at: string, open: (place: string) => void, kind?: string, children?: any }} props
 */
export function PlaceLink({ to, at, open, kind = "", children }) {
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (to !== at) open(to);
  };
  return html`<a
    href=${addressOf(to)}
    class=${kind}
    data-place=${to}
    aria-current=${to && to === at ? "page" : undefined}
    onClick=${onClick}
  >
    ${children}
  </a>`;
}
