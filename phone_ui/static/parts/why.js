// "Why?": each change of money and points, with its rule and its sum. Requested from the hub when opened, and again after
// each event.

import { html, useEffect, useState } from "../lib/html.js";
import { numberText } from "../lib/labels.js";
import { readMessage, say } from "../lib/language.js";
import { Sentence, Who } from "./marks.js";

/** @import { FactLabels } from "../lib/messages.d.ts" */
/** @import { Labels } from "../lib/types.d.ts" */
/** @import { Change as ChangeData, ChangesPage, PublicState } from "../lib/messages.d.ts" */

/**
 * Return the labels of a seat's fact.
 * @param {Labels | null} labels
 * @param {string} what
 */
function factOf(labels, what) {
  const facts = Object.entries(labels?.facts ?? {});
  return facts.find(([key, fact]) => fact.where === "seat" && (fact.name ?? key) === what)?.[1] ?? {};
}

/**
 * "$120 → $85", as far as known.
 * @param {{ fact: FactLabels, change: ChangeData }} props
 */
function Numbers({ fact, change }) {
  const { from, to } = change;
  if (to === null) return null;
  if (from === null) return html`<span class="why-numbers"><b>${numberText(to, fact)}</b></span>`;
  const by = to - from;
  const [look, sign] = by > 0 ? ["more", "+"] : ["less", "−"];
  return html`<span class="why-numbers">
    <span>${numberText(from, fact)} → </span><b>${numberText(to, fact)}</b>
    ${by !== 0 && html`<span class=${`why-by ${look}`}>${sign}${numberText(Math.abs(by), fact)}</span>`}
  </span>`;
}

/**
 * One change: the fact, its old and new value, the sum, the rule.
 * @param {{ labels: Labels | null, state: PublicState, change: ChangeData }} props
 */
function Change({ labels, state, change }) {
  const fact = factOf(labels, change.what);
  return html`<li class="why-change">
    <p class="why-head">
      <span class="why-what">${fact.label ?? change.what}</span> <${Numbers} fact=${fact} change=${change} />
    </p>
    <p class="why-sum"><${Sentence} state=${state} text=${change.sum} /></p>
    <p class="why-text"><${Sentence} state=${state} text=${change.text} /></p>
    ${change.rule && html`<p class="why-rule"><b>${change.rule}</b> ${labels?.rules?.[change.rule] ?? ""}</p>`}
  </li>`;
}

/**
 * The changes of one seat in one round.
 * @param {{ labels: Labels | null, state: PublicState, seat: number, isMine: boolean, changes: ChangeData[] }} props
 */
function SeatChanges({ labels, state, seat, isMine, changes }) {
  return html`<section class="why-seat">
    <h3>
      <${Who} state=${state} seat=${seat} number />${isMine && html` <span class="quiet-words">you</span>`}
    </h3>
    <ol reversed>
      ${changes.map((change) => html`<${Change} key=${change.n} labels=${labels} state=${state} change=${change} />`)}
    </ol>
  </section>`;
}

/**
 * Return the changes of the match: undefined while they load, null if the hub does not answer. Then each new state requests
 * them again.
 * @param {PublicState} state
 * @returns {ChangeData[] | null | undefined}
 */
function useChanges(state) {
  const [page, setPage] = useState(/** @type {ChangesPage | null | undefined} */ (undefined));
  const failed = page === null;
  useEffect(() => {
    let stale = false;
    fetchChanges(state.table).then(
      (found) => stale || setPage(found),
      () => stale || setPage((before) => before ?? null), // keep the old page
    );
    return () => {
      stale = true;
    };
  }, [state.table, state.match, state.epoch, state.events.at(-1)?.n, failed && state.seq]);
  return page && (page.match === state.match ? page.changes : undefined);
}

/**
 * @param {string} table
 * @returns {Promise<ChangesPage>}
 */
async function fetchChanges(table) {
  const answer = await fetch(`/t/${table}/changes.json`, { cache: "no-store" });
  if (!answer.ok) throw new Error("refused");
  return readMessage(await answer.text());
}

/**
 * The changes of this round and the previous one, by seat, this phone's seat first, the newest on top.
 * @param {{ labels: Labels | null, state: PublicState, seat: number | null }} props
 */
export function Why({ labels, state, seat: mine }) {
  const all = useChanges(state);
  const rounds = [...new Set(all?.map((change) => change.round))];
  return html`<div class="panel why">
    <h1 class="headline">Why?</h1>
    ${all === undefined && html`<p role="status">Asking the hub…</p>`}
    ${all === null && html`<p class="refusal" role="alert">The hub did not answer. Try once more.</p>`}
    ${all?.length === 0 && html`<p>Nothing has changed hands yet.</p>`}
    ${rounds.map((round) => {
      const changes = (all ?? []).filter((change) => change.round === round);
      const seats = [...new Set(changes.map((change) => change.seat))].sort(
        (a, b) => Number(b === mine) - Number(a === mine),
      );
      return html`<section key=${round} class="why-round" aria-label=${say("Round {round}", { round })}>
        <h2>${round === state.view?.round ? say("Round {round}", { round }) : say("Round {round}, the previous one", { round })}</h2>
        ${seats.map(
          (seat) => html`<${SeatChanges}
            key=${seat}
            labels=${labels}
            state=${state}
            seat=${seat}
            isMine=${seat === mine}
            changes=${changes.filter((change) => change.seat === seat)}
          />`,
        )}
      </section>`;
    })}
  </div>`;
}
