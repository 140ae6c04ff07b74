// The tabs at the bottom; each has its own file.

import { html } from "../lib/html.js";
import { message } from "../lib/language.js";

const TABS = {
  rules: message("Rules"),
  log: message("Log"),
  why: message("Why?"),
  help: message("Help"),
  seat: message("Seat"),
};

/** @typedef {keyof typeof TABS} TabName */

/**
 * The name of a tab for screen readers, if its label alone is not enough.
 * @type {Partial<Record<TabName, string>>}
 */
const NAMES = { why: message("Why did money and points change?") };

/** @param {{ open: TabName | null, onOpen: (name: TabName | null) => void }} props */
export function TabBar({ open, onOpen }) {
  return html`<nav class="tabs" aria-label="More">
    ${
      /** @type {TabName[]} */ (Object.keys(TABS)).map(
        (name) => html`<button
        type="button"
        key=${name}
        class="tab"
        aria-label=${NAMES[name] ?? TABS[name]}
        aria-expanded=${open === name}
        onClick=${() => onOpen(open === name ? null : name)}
      >
        ${TABS[name]}
      </button>`,
      )
    }
  </nav>`;
}
