// The tabs below, and the rules; seat, help, log and why have files of their own.

import { html } from "/vendor/htm-preact.js";

/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

const TABS = { rules: "Rules", log: "Log", why: "Why?", help: "Help", seat: "Seat" };

/** @typedef {keyof typeof TABS} TabName */

/**
 * What a tab is called for those who hear it, where its word alone would not do.
 * @type {Partial<Record<TabName, string>>}
 */
const NAMES = { why: "Why did money and points change?" };

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

/**
 * The rules of the game in a line each; those that the last events came from are marked.
 * @param {{ labels: Labels | null, state: PublicState }} props
 */
export function Rules({ labels, state }) {
  const cited = new Set(state.events.slice(-6).map((event) => event.rule));
  const rules = Object.entries(labels?.rules ?? {});
  return html`<div class="panel rules">
    <h1 class="headline">${labels?.title ?? "Rules"}</h1>
    ${labels?.blurb && html`<p class="lead">${labels.blurb}</p>`}
    ${rules.length === 0 && html`<p>Choose a game, and its rules stand here.</p>`}
    <dl class="rule-list">
      ${rules.map(
        ([id, line]) => html`<div key=${id} class=${`rule${cited.has(id) ? " cited" : ""}`}>
          <dt>${id}${cited.has(id) ? ", just used" : ""}</dt>
          <dd>${line}</dd>
        </div>`,
      )}
    </dl>
  </div>`;
}
