// The cards in the owner's boxes: staff enter what is printed on them, and games use it.

import { html, useEffect, useState } from "../lib/html.js";

/** @import { AllCards, GameCards, ListLabels } from "../lib/messages.d.ts" */
/** @import { AskHub, Facts } from "../lib/types.d.ts" */

/**
 * The games whose cards can be entered. They are fetched when this part is opened, and again after each change.
 * @param {{ ask: AskHub, sending: string | null, isOpen: boolean }} props
 */
export function BoxCards({ ask, sending, isOpen }) {
  const [cards, setCards] = useState(/** @type {AllCards | null} */ (null));
  const [failed, setFailed] = useState(false);
  const load = async () => {
    try {
      setCards(await (await fetch("/cards.json")).json());
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  useEffect(() => {
    if (isOpen && !cards) load();
  }, [isOpen]);
  /** @type {(game: string, changes: Facts) => Promise<unknown>} */
  const save = async (game, changes) => {
    const isSaved = await ask("cards", "", { game, changes }, "cards");
    if (isSaved) await load();
    return isSaved;
  };
  return html`<section class="machine" aria-label="Your printed cards">
    <h2>Your printed cards</h2>
    <p class="quiet-words">
      With printed cards, the hub must know what is printed on yours. Enter it once. It counts from the next match on.
    </p>
    ${failed && html`<p role="alert">The hub does not answer. Close this part and open it again.</p>`}
    ${Object.entries(cards?.games ?? {}).map(
      ([game, about]) =>
        html`<${Game} key=${game} game=${game} about=${about} save=${save} disabled=${Boolean(sending)} />`,
    )}
  </section>`;
}

/**
 * One game: a form with its cards.
 * @param {{ game: string, about: GameCards, save: (game: string, changes: Facts) => Promise<unknown>, disabled: boolean }} props
 */
function Game({ game, about, save, disabled }) {
  const [changes, setChanges] = useState(/** @type {Facts} */ ({}));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const isSaved = await save(game, changes);
    if (isSaved) setChanges((now) => (now === changes ? {} : now)); // not what was typed meanwhile
  };
  /** @type {(path: string[], value: any) => void} */
  const onChange = (path, value) => setChanges((before) => placed(before, path, value));
  return html`<details class="box-cards">
    <summary translate="no">${about.title}</summary>
    ${
      about.fixed
        ? html`<p class="quiet-words">These cards are in a file that the configuration names: change them there.</p>`
        : html`<form onSubmit=${submit}>
            ${Object.entries(about.parts).map(
              ([part, value]) => html`<${Part}
                  key=${part}
                  name=${part}
                  value=${value}
                  labels=${about.labels[part]}
                  choices=${/** @type {Facts} */ (about.parts[about.labels[part]?.choices ?? ""] ?? {})}
                  onChange=${onChange}
                />`,
            )}
            <button class="do primary" disabled=${disabled || !Object.keys(changes).length}>Save</button>
          </form>`
    }
  </details>`;
}

/**
 * One part of a game's list: lines of text, or a fieldset per card.
 * @param {{
 *   name: string, value: any, labels: ListLabels | undefined, choices: Facts, onChange: (path: string[], value: any) => void,
 * }} props
 */
function Part({ name, value, labels, choices, onChange }) {
  const title = labels?.title ?? "{}";
  if (typeof value === "string") {
    const onInput = (/** @type {any} */ { target }) => onChange([name], target.value);
    return html`<label class="box-text">
      <span>${title}</span>
      <textarea rows="12" spellcheck=${false} autocapitalize="off" value=${value} onInput=${onInput}></textarea>
    </label>`;
  }
  return Object.entries(value).map(
    ([card, about]) =>
      html`<fieldset key=${card} class="box-card">
        <legend>${/** @type {any} */ (about)?.name ?? title.replace("{}", card.replaceAll("_", " "))}</legend>
        ${Object.entries(labels?.values ?? {})
          .filter(([key]) => !key || key in about)
          .map(
            ([key, label]) =>
              html`<${Value}
                key=${key}
                label=${label}
                value=${key ? about[key] : about}
                choices=${choices}
                onChange=${(/** @type {any} */ to) => onChange(key ? [name, card, key] : [name, card], to)}
              />`,
          )}
      </fieldset>`,
  );
}

/**
 * One value of a card: a number, a text, one of several choices, or several numbers.
 * @param {{ label: string, value: any, choices: Facts, onChange: (value: any) => void }} props
 */
function Value({ label, value, choices, onChange }) {
  const [values, setValues] = useState(() => [value].flat());
  const change = (/** @type {number} */ at, /** @type {any} */ to) => {
    const next = values.with(at, to);
    setValues(next);
    onChange(Array.isArray(value) ? next : next[0]);
  };
  if (Object.keys(choices).length) {
    return html`<label class="box-value">
      <span>${label}</span>
      <select onChange=${(/** @type {any} */ { target }) => change(0, target.value)}>
        ${Object.entries({ "": "—", ...choices }).map(([one, text]) => html`<option value=${one} selected=${one === values[0]}>${text}</option>`)}
      </select>
    </label>`;
  }
  return html`<label class="box-value">
    <span>${label}</span>
    ${values.map((one, at) => {
      const isNumber = typeof one === "number";
      const onInput = (/** @type {any} */ { target }) => change(at, isNumber ? Number(target.value) : target.value);
      return html`<input
        key=${at}
        inputmode=${isNumber ? "numeric" : "text"}
        class=${isNumber ? "box-number" : "box-word"}
        value=${one}
        onInput=${onInput}
      />`;
    })}
  </label>`;
}

/**
 * Return the changes with one more value at its path.
 * @param {Facts} changes
 * @param {string[]} path
 * @param {any} value
 * @returns {Facts}
 */
function placed(changes, [first, ...rest], value) {
  return { ...changes, [first]: rest.length ? placed(changes[first] ?? {}, rest, value) : value };
}
