// Drawings on the felt besides cards and numbers: the game's pattern and emblem, two opposing sides, and the end of an
// auction. They come from the game's labels (`screen.look`, a phase's `versus` and `hammer`).

import { html } from "../lib/html.js";
import { numberText } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { at } from "../lib/values.js";
import { phaseOf } from "../lib/view.js";
import { Card } from "./cards.js";
import { Mark, Who } from "./marks.js";
import { useGone } from "./news.js";

/** @import { LookLabels } from "../lib/messages.d.ts" */
/** @import { Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

/** @typedef {{ labels: Labels | null, state: PublicState }} FeltProps */

const TILE = 60; // size of the repeated pattern

/**
 * Return the colors of a game as styles of an element.
 * @param {LookLabels | undefined} look
 */
export const coloursOf = (look) =>
  look ? { "--felt": look.felt, "--felt-edge": look.edge, "--look": look.accent } : null;

/**
 * The pattern of a game, and its emblem with its name, in the background of the felt.
 * @param {{ look: LookLabels | undefined, title: string }} props
 */
export function FeltFace({ look, title }) {
  if (!look) return null;
  return html`<div class="felt-face" aria-hidden="true">
    <svg class="felt-pattern">
      <defs>
        <pattern id="felt-tile" width=${TILE} height=${TILE} patternUnits="userSpaceOnUse"><path d=${look.tile} /></pattern>
      </defs>
      <rect width="100%" height="100%" fill="url(#felt-tile)" />
    </svg>
    <${Title} look=${look} title=${title} />
  </div>`;
}

/**
 * A game's emblem, and its name in the game's own lettering.
 * @param {{ look: LookLabels, title: string }} props
 */
export function Title({ look, title }) {
  return html`<span class=${`game-title lettering-${look.lettering ?? "plain"}`}>
    <svg class="emblem" viewBox="0 0 100 60" aria-hidden="true"><path d=${look.emblem} /></svg>
    <span class="game-title-words">${title}</span>
  </span>`;
}

/**
 * Two opposing seats and what each one shows, if the phase has two sides.
 * @param {FeltProps} props
 */
export function Versus({ labels, state }) {
  const { versus } = phaseOf(labels, state.view);
  const sides = versus?.sides.map((path) => at(state.view, path));
  if (!versus || sides?.length !== 2 || !sides.every(Number.isInteger)) return null;
  const values = versus.values ? at(state.view, versus.values) : null;
  /** @param {number} side */
  const drawn = (side) => {
    const seat = sides[side];
    const value = values?.[seat];
    return html`<div class="versus-side">
      <${Mark} seat=${seat} />
      <span class="versus-who"><${Who} state=${state} seat=${seat} /> <small>${versus.words[side]}</small></span>
      ${Number.isInteger(value) && html`<b class="versus-value">${numberText(value, versus)}</b>`}
    </div>`;
  };
  return html`<section class="versus" aria-label="Two sides">
    ${drawn(0)}
    <svg class="versus-bolt" viewBox="0 0 40 60" aria-hidden="true"><path d="M24 2 6 34h12l-4 24 20-34H21z" /></svg>
    ${drawn(1)}
  </section>`;
}

const MOST_COPIES = 24; // above this number, one card with the number is drawn

/**
 * A bid as cards: a card drawn that many times.
 * @param {FeltProps} props
 */
export function Copies({ labels, state }) {
  const [count, face] = (phaseOf(labels, state.view).copies ?? []).map((path) => at(state.view, path));
  if (!Number.isInteger(count) || count < 1 || face === null) return null;
  const drawn = count > MOST_COPIES ? 1 : count;
  const rows = drawn > 14 ? 3 : drawn > 7 ? 2 : 1;
  const style = { "--across": count > MOST_COPIES ? 2 : Math.ceil(drawn / rows) };
  return html`<div class=${`copies rows-${rows}`} role="img" aria-label=${`${count} × ${face}`} style=${style}>
    ${Array.from({ length: drawn }, (_, i) => html`<${Card} key=${i} labels=${labels} face=${face} />`)}
    ${count > MOST_COPIES && html`<b class="copies-count">× ${count}</b>`}
  </div>`;
}

/**
 * The end of an auction: the seats still in, and the hammer, which moves down with each seat that drops out.
 * @param {FeltProps} props
 */
export function Hammer({ labels, state }) {
  const { hammer } = phaseOf(labels, state.view);
  const inside = labels?.screen?.inside ? at(state.view, labels.screen.inside) : null;
  if (!hammer || !Array.isArray(inside) || !inside.length) return null;
  const leader = at(state.view, hammer);
  const others = inside.filter((seat) => seat !== leader).length;
  const near = Number.isInteger(leader) ? Math.max(0, 3 - others) : 0;
  const words = near ? ["", say("Going once"), say("Going twice"), say("Gone!")][near] : say("Still in");
  const seats = Object.keys(state.view?.seats ?? {}).map(Number);
  return html`<section class="hammer" aria-label=${words}>
    <${Gavel} look=${`near-${near}`} />
    <b class="hammer-words">${words}</b>
    <span class="hammer-seats">
      ${seats.map(
        (seat) => html`<span key=${seat} class=${inside.includes(seat) ? (seat === leader ? "leads" : "in") : "out"}>
          <${Mark} seat=${seat} />
        </span>`,
      )}
    </span>
  </section>`;
}

/** @param {{ look: string }} props */
const Gavel = ({ look }) =>
  html`<svg class=${`gavel ${look}`} viewBox="0 0 52 60" aria-hidden="true"><path d="M6 20 26 4l8 9-20 16zM22 20l26 26-5 5-25-27zM4 54h34v5H4z" /></svg>`;

/**
 * The hammer has fallen: what was sold, and to whom, shown over the felt for a moment while the match goes on.
 * @param {FeltProps} props
 */
export function Gone({ labels, state }) {
  const sold = useGone(labels, state);
  if (!sold) return null;
  const { card, seat } = sold.data;
  return html`<section class="gone" aria-label="Gone!">
    <${Gavel} look="" />
    <b class="hammer-words">Gone!</b>
    ${card && html`<${Card} labels=${labels} face=${card} />`}
    ${seat && html`<${Who} state=${state} seat=${seat} />`}
  </section>`;
}
