// The covered zone: what is in it is drawn only while a finger, the space bar or the person's own setting holds it
// open.

import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";

/** @import { Drawn } from "../lib/types.d.ts" */

/**
 * Cover what is open when the page is hidden, or the system takes the finger away.
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

/**
 * The zone; it closes by itself when nobody holds it.
 * @param {{ label: string, keepOpen: boolean, children?: Drawn }} props
 */
export function SecretZone({ label, keepOpen, children }) {
  const [held, setHeld] = useState(false);
  const zone = useRef(/** @type {HTMLElement | null} */ (null));
  const height = useRef(0);

  useCovering(() => setHeld(false));

  if (keepOpen) return html`<section class="secret open kept" aria-label=${label}>${children}</section>`;

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
    setHeld(true);
  };
  const release = () => setHeld(false);
  if (held && zone.current) height.current = Math.max(height.current, zone.current.scrollHeight);
  return html`<section
    class=${`secret${held ? " open" : ""}`}
    ref=${zone}
    tabindex="0"
    role="button"
    aria-pressed=${held}
    aria-label=${held ? null : `Hold to see ${label}`}
    style=${{ "min-height": height.current ? `${height.current}px` : null }}
    onPointerDown=${onPointerDown}
    onPointerUp=${release}
    onPointerCancel=${release}
    onLostPointerCapture=${release}
    onKeyDown=${onKey(true)}
    onKeyUp=${onKey(false)}
    onBlur=${release}
    onContextMenu=${(/** @type {Event} */ event) => event.preventDefault()}
  >
    ${held ? children : html`<${Cover} label=${label} />`}
  </section>`;
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
