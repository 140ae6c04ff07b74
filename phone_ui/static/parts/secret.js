// The covered zone: its content is only drawn while a finger, the space bar or the person's setting holds it open. With
// a tap to open, people would forget to cover it again.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { say } from "../lib/language.js";

/** @import { Drawn } from "../lib/types.d.ts" */

/**
 * Cover the zone when the page is hidden, or when the system cancels the touch.
 * @param {() => void} cover
 */
export function useCovering(cover) {
  useEffect(() => {
    document.addEventListener("visibilitychange", cover);
    addEventListener("blur", cover);
    addEventListener("pagehide", cover);
    return () => {
      document.removeEventListener("visibilitychange", cover);
      removeEventListener("blur", cover);
      removeEventListener("pagehide", cover);
    };
  }, []);
}

const EDGE = 24; // margin of the screen that a finger does not reach

/**
 * Return how far the page scrolls per pixel that a finger moves up. The finger cannot lift to move again, so its way to
 * the edge of the screen must reach the end of the hand.
 * @param {HTMLElement} zone
 * @param {Element} scrolled
 * @param {{ y: number, top: number }} began where the finger was put down, and what was scrolled to
 */
function gainOf(zone, scrolled, { y, top }) {
  const end = Math.min(scrolled.getBoundingClientRect().top + scrolled.clientHeight, innerHeight);
  const beyond = zone.getBoundingClientRect().bottom + scrolled.scrollTop - top - end;
  return Math.max(1, (beyond + EDGE) / Math.max(EDGE, y - 2 * EDGE));
}

/**
 * Return the element that scrolls the zone: the body of the page, or the page itself with large text.
 * @param {HTMLElement | null} zone
 */
function scrolling(zone) {
  const body = zone?.closest(".body");
  return body && body.scrollHeight > body.clientHeight ? body : document.scrollingElement;
}

/**
 * The zone. It closes when nobody holds it.
 * @param {{ label: string, keepOpen: boolean, children?: Drawn }} props
 */
export function SecretZone({ label, keepOpen, children }) {
  const [held, setHeld] = useState(false);
  const zone = useRef(/** @type {HTMLElement | null} */ (null));
  const finger = useRef({ y: 0, top: 0 });
  const [announced, setAnnounced] = useState(""); // the open content, for screen readers

  const release = () => {
    const scrolled = scrolling(zone.current);
    if (held && scrolled) scrolled.scrollTop = finger.current.top;
    setHeld(false);
  };
  useCovering(() => setHeld(false));
  // biome-ignore lint/performance/useDomNodeTextContent: separate parts are read separately
  useEffect(() => setAnnounced(held ? (zone.current?.innerText ?? "") : ""), [held]);

  if (keepOpen)
    return html`<section class="secret open kept" data-part="hand" aria-label=${label}>${children}</section>`;

  /** @param {boolean} down */
  const onKey = (down) => (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    if (!event.repeat) setHeld(down);
  };
  /** @param {PointerEvent} event */
  const onPointerDown = (event) => {
    if (event.button) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture?.(event.pointerId);
    finger.current = { y: event.clientY, top: scrolling(zone.current)?.scrollTop ?? 0 };
    setHeld(true);
  };
  /** @param {PointerEvent} event */
  const onPointerMove = (event) => {
    const scrolled = scrolling(zone.current);
    if (!held || !zone.current || !scrolled) return;
    const { y, top } = finger.current;
    scrolled.scrollTop = top + (y - event.clientY) * gainOf(zone.current, scrolled, finger.current);
  };
  // A screen reader presses without holding: one press opens, the next one covers.
  /** @param {MouseEvent} event */
  const onClick = (event) => event.detail === 0 && setHeld(!held);
  return html`<div
    class=${`secret${held ? " open" : ""}`}
    data-part="hand"
    ref=${zone}
    tabindex="0"
    role=${held ? "group" : "button"}
    aria-label=${held ? label : say("Hold to see {hand}", { hand: label })}
    onClick=${onClick}
    onPointerDown=${onPointerDown}
    onPointerMove=${onPointerMove}
    onPointerUp=${release}
    onPointerCancel=${release}
    onLostPointerCapture=${release}
    onKeyDown=${onKey(true)}
    onKeyUp=${onKey(false)}
    onBlur=${release}
    onContextMenu=${(/** @type {Event} */ event) => event.preventDefault()}
  >
    ${held ? children : html`<${Cover} label=${label} />`}
  </div>
  <p class="unseen" aria-live="polite">${announced}</p>`;
}

/** @param {{ label: string }} props */
function Cover({ label }) {
  return html`<span class="cover"><${Lid} /><span class="cover-words">Hold to see <b>${label}</b></span></span>`;
}

function Lid() {
  return html`<svg class="lid" viewBox="0 0 32 20" aria-hidden="true">
    <path d="M2 5c4 6.4 8.8 9 14 9s10-2.6 14-9M6.5 10.2 4 14M12.5 13.5 11.5 18M19.5 13.5l1 4.5M25.5 10.2 28 14" />
  </svg>`;
}
