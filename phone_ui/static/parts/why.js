// "Why?": each change of money and points, with the rule behind it and how it was reckoned.

import { html } from "/vendor/htm-preact.js";
import { Said, Who } from "./atoms.js";
import { counted } from "../lib/labels.js";

/** What the words say of a fact of a seat. */
const factOf = (words, what) =>
  Object.entries(words?.facts ?? {}).find(([key, fact]) => fact.where === "seat" && (fact.name ?? key) === what)?.[1] ??
  {};

/** "$120 → $85"; only what is known of it. */
function Numbers({ fact, change }) {
  const { from, to } = change;
  if (to === null || to === undefined) return null;
  const by = from === null || from === undefined ? null : to - from;
  const sign = by > 0 ? "+" : "−";
  return html`<span class="why-numbers">
    ${by !== null && html`<span>${counted(from, fact)} → </span>`}<b>${counted(to, fact)}</b>
    ${Boolean(by) && html`<span class=${`why-by ${by > 0 ? "more" : "less"}`}>${sign}${counted(Math.abs(by), fact)}</span>`}
  </span>`;
}

/** One change: what of, from what to what, the sum, the rule. */
export function Change({ words, state, change }) {
  const fact = factOf(words, change.what);
  const rule = words?.rules?.[change.rule];
  return html`<li class="why-change">
    <p class="why-head"><span class="why-what">${fact.label ?? change.what}</span> <${Numbers} fact=${fact} change=${change} /></p>
    <p class="why-sum"><${Said} state=${state} text=${change.sum} /></p>
    <p class="why-text"><${Said} state=${state} text=${change.text} /></p>
    ${change.rule && html`<p class="why-rule"><b>${change.rule}</b> ${rule ?? ""}</p>`}
  </li>`;
}

/** This round's changes and the last one's, seat by seat, one's own first; the newest stand on top. */
export function Why({ words, state, seat }) {
  const changes = state.why ?? [];
  const rounds = [...new Set(changes.map((change) => change.round))];
  return html`<div class="panel why">
    <h1 class="headline">Why?</h1>
    ${!changes.length && html`<p>Nothing has changed hands yet.</p>`}
    ${rounds.map((round) => {
      const here = changes.filter((change) => change.round === round);
      const seats = [...new Set(here.map((change) => change.seat))].sort(
        (a, b) => Number(b === seat) - Number(a === seat),
      );
      return html`<section key=${round} class="why-round" aria-label=${`Round ${round}`}>
        <h2>Round ${round}${round === state.view?.round ? "" : ", the last one"}</h2>
        ${seats.map(
          (one) => html`<section key=${one} class="why-seat">
          <h3><${Who} state=${state} seat=${one} number />${one === seat && html` <span class="quiet-words">you</span>`}</h3>
          <ol reversed>${here.filter((change) => change.seat === one).map((change) => html`<${Change} key=${change.n} words=${words} state=${state} change=${change} />`)}</ol>
        </section>`,
        )}
      </section>`;
    })}
  </div>`;
}
