// Facts of a view as labelled lines, drawn by the game's labels.

import { html, useState } from "../lib/html.js";
import { readable } from "../lib/labels.js";
import { at, isRecord, isUnknown } from "../lib/values.js";
import { newestLine, phaseOf } from "../lib/view.js";
import { FactValue } from "./fact_value.js";
import { later } from "./later.js";
import { Crown } from "./marks.js";

/** @import { Facts as Plain, FoundFact, Labels } from "../lib/types.d.ts" */
/** @import { PublicState } from "../lib/messages.d.ts" */

const ScoreSum = later(() => import("./score.js").then((part) => part.ScoreSum), "score.css");

/**
 * Return the facts of one place (`table`, `seat`, `you`) that this phase shows `on` a phone or the kiosk.
 * @param {Labels | null} labels
 * @param {string} where
 * @param {Plain | null | undefined} facts
 * @param {string} [phase]
 * @param {"phone" | "kiosk" | "panel"} [on]
 * @returns {FoundFact[]}
 */
export function factsOf(labels, where, facts, phase, on = "phone") {
  return Object.entries(labels?.facts ?? {})
    .filter(([, about]) => (about.where ?? "table") === where)
    .filter(([, about]) => !about.in || about.in.includes(phase ?? ""))
    .filter(([, about]) => !about.on || about.on.includes(on))
    .map(([name, about]) => ({ name, about, value: facts && at(facts, about.name ?? name) }))
    .filter(({ value }) => value !== undefined && value !== null && !(where === "you" && isUnknown(value)));
}

/**
 * Return the warnings for a seat: the `alert` of facts that are true for it.
 * @param {Labels | null} labels
 * @param {Plain | null | undefined} facts
 */
export function alertsOf(labels, facts) {
  return factsOf(labels, "seat", facts)
    .filter(({ about, value }) => about.alert && value === true)
    .map(({ about }) => about.alert);
}

/**
 * Return whether a value is empty.
 * @param {any} value
 */
export function isEmpty(value) {
  if (value === "" || value === false) return true;
  return (Array.isArray(value) && !value.length) || (isRecord(value) && !Object.keys(value).length);
}

/**
 * @typedef {object} FactsProps
 * @property {Labels | null} labels
 * @property {PublicState} state
 * @property {string} where
 * @property {Plain | null | undefined} facts
 * @property {number} [seat]
 * @property {"phone" | "kiosk"} [on] the screen
 * @property {boolean} [small]
 * @property {string[]} [quiet] names of facts that are drawn elsewhere
 * @property {string[]} [only] names of the only facts to draw
 * @property {boolean} [reckoned] whether a tap on a count shows its changes
 */

/**
 * Facts as labelled lines.
 * @param {FactsProps} props
 */
export function Facts({ labels, state, where, facts, seat, on, small = true, quiet = [], only, reckoned = false }) {
  const [tapped, setTapped] = useState("");
  const onLine = phaseOf(labels, state.view).line && newestLine(state);
  /** @param {FoundFact} fact */
  const isShown = ({ name, about, value }) => {
    if (about.row || (about.line && onLine) || quiet.includes(name) || (only && !only.includes(name))) return false;
    return !isEmpty(value) && value !== (about.heap ? 0 : about.unless);
  };
  const lines = factsOf(labels, where, facts, state.view?.phase, on).filter(isShown);
  if (!lines.length) return null;
  const open = lines.find(({ name }) => name === tapped);
  return html`<dl class=${`facts of-${where}`}>
    ${lines.map(
      ({
        name,
        about,
        value,
      }) => html`<div key=${name} class=${factClass({ name, about, value })} data-part=${`fact.${name}`}>
        ${
          value === true
            ? html`<dt class="flag">${about.label ?? readable(name)}</dt>`
            : html`<dt>${about.label ?? readable(name)}</dt>
              <dd>
                ${
                  reckoned && seat && about.counted
                    ? html`<button
                        type="button"
                        class="score-tap"
                        aria-expanded=${tapped === name}
                        onClick=${() => setTapped(tapped === name ? "" : name)}
                      >
                        <${FactValue} labels=${labels} state=${state} about=${about} value=${value} small=${small} />
                      </button>`
                    : html`<${FactValue} labels=${labels} state=${state} about=${about} value=${value} small=${small} />`
                }
                ${seat && about.leader && at(state.view, about.leader) === seat ? [" ", html`<${Crown} />`] : ""}
              </dd>`
        }
      </div>`,
    )}
  </dl>
  ${open && html`<${ScoreSum} labels=${labels} state=${state} seat=${seat} fact=${open.about.name ?? open.name} />`}`;
}

/** @param {FoundFact} fact */
function factClass({ about, value }) {
  const looks = [
    about.card && "wide",
    about.card && typeof value === "string" && "lone",
    about.heap && "heaped",
    about.sides && "sided",
    value === about.warn && "warned",
  ];
  return ["fact", ...looks.filter(Boolean)].join(" ");
}
