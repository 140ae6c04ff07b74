// The question to this seat: choices above, actions at the thumb. Choosing and confirming are in separate places.

import { html, useLayoutEffect, useMemo, useState } from "../lib/html.js";
import { fill, moveLabel, readable } from "../lib/labels.js";
import { say } from "../lib/language.js";
import { argsOf, blanksOf, choosing, fieldsOf, formsOf, isPlain, isWhole } from "../lib/moves.js";
import { FormFields, hiddenIn } from "./form.js";
import { useCovering } from "./secret.js";

/** @import { Drawn, Facts, Field, Form, Labels } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

/** A label longer than this is written small under the move's short name. */
const LONG = 20;

/** Maximum number of big buttons at the thumb; more moves become a list. */
const BUTTONS = 3;

/**
 * An open question: its forms, the choices in each, the key of the form in front, and the key of the form with an open
 * lid. `hides(fields)` returns the names of the fields under the lid; none if the hand is kept open.
 * @typedef {object} Question
 * @property {string} id
 * @property {Form[]} forms
 * @property {Record<string, Facts>} chosen
 * @property {string | null} front
 * @property {string | null} lifted
 * @property {string[]} opened the keys of the forms whose lid was open before
 * @property {(form: Form, name: string, value: any) => void} choose
 * @property {(form: Form) => void} bring
 * @property {() => void} clear
 * @property {(form: Form, open: boolean) => void} lift
 * @property {(fields: Field[]) => string[]} hides
 */

/** @typedef {(move: string, args: Facts, key: string) => void} ActOn */

/**
 * Return the open question with the person's choices so far. A new question starts without choices.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Hand | null} hand
 * @param {boolean} keepOpen
 * @returns {Question}
 */
export function useQuestion(labels, state, hand, keepOpen) {
  const id = `${hand?.match}/${hand?.epoch}/${hand?.number}`;
  const forms = useMemo(() => formsOf(hand?.moves, hand?.barred), [hand]);
  const fresh = {
    id,
    chosen: /** @type {Record<string, Facts>} */ ({}),
    front: /** @type {string | null} */ (null),
    lifted: /** @type {string | null} */ (null),
    opened: /** @type {string[]} */ ([]),
  };
  const [stored, setStored] = useState(fresh);
  const now = stored.id === id ? stored : fresh;
  /** @param {(now: typeof fresh) => Partial<typeof fresh>} change */
  const update = (change) =>
    setStored((before) => {
      const base = before.id === id ? before : now;
      return { ...base, ...change(base) };
    });
  useCovering(() => setStored((before) => ({ ...before, lifted: null })));
  return {
    ...now,
    forms,
    choose: (form, name, value) =>
      update(({ chosen }) => ({
        front: form.key,
        chosen: { ...chosen, [form.key]: choosing(form, chosen[form.key] ?? {}, name, value) },
      })),
    bring: (form) => update(() => ({ front: form.key })),
    clear: () => setStored(fresh),
    lift: (form, open) =>
      update(({ opened }) => ({ lifted: open ? form.key : null, opened: open ? [...opened, form.key] : opened })),
    hides: (fields) => (keepOpen ? [] : hiddenIn(labels, state, hand, fields)),
  };
}

/**
 * Return the fields of a form with the choices so far.
 * @param {Question} question
 * @param {Form} form
 */
const chosenFields = (question, form) => fieldsOf(form, question.chosen[form.key] ?? {});

/**
 * Return whether a form can be sent. A covered form needs its lid lifted once, even if its only value is preselected: to send
 * it at once would reveal something of the hand.
 * @param {Question} question
 * @param {Form} form
 * @param {Field[]} fields
 */
const canSend = (question, form, fields) =>
  isWhole(form, fields) && (question.opened.includes(form.key) || !question.hides(fields).length);

/**
 * Return the label of a form with its choices. It does not name covered cards of a hand.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Question} question
 * @param {Form} form
 */
function formLabel(labels, state, question, form) {
  const fields = chosenFields(question, form);
  const covered = question.lifted === form.key ? [] : question.hides(fields);
  return moveLabel(labels, state, form.move, argsOf(fields), [...blanksOf(fields), ...covered]);
}

/**
 * Return whether a form needs only a press, and its label shows nothing of a hand.
 * @param {Form} form
 * @param {Question} question
 */
const isPress = (form, question) => isPlain(form) && !question.hides(fieldsOf(form, {})).length;

/**
 * Return the layout of the answers: the form in front, a list if there are many, the buttons, and the barred moves. If
 * the first listed form needs more than a press, it is in front until another one is picked.
 * @param {Question} question
 * @returns {{ list: Form[] | null, barred: Form[], reasons: Form[], inFront: Form | null, buttons: Form[] }}
 */
function layOut(question) {
  const asked = question.forms.filter((form) => !form.standing);
  const barred = asked.filter((form) => form.why && !form.variants.length);
  const live = asked.filter((form) => !barred.includes(form));
  // A form with only barred values: listed if there are many, else shown with its reasons, without
  // a button.
  const hopeless = live.filter((form) => !form.variants.length);
  const onlyPresses = live.every((form) => hopeless.includes(form) || isPress(form, question));
  const reasons = onlyPresses ? hopeless : [];
  const open = live.filter((form) => !reasons.includes(form));
  const rich = open.filter((form) => !isPress(form, question));
  const presses = open.filter((form) => isPress(form, question));
  if (rich.length <= 1 && open.length <= BUTTONS) {
    return { list: null, barred, reasons, inFront: rich[0] ?? null, buttons: presses };
  }
  const safe = presses.find((form) => form === open.at(-1)) ?? null;
  const list = open.filter((form) => form !== safe);
  const picked = list.find((form) => form.key === question.front);
  const inFront = picked ?? (isPress(list[0], question) ? null : list[0]);
  return { list, barred, reasons, inFront, buttons: safe ? [safe] : [] };
}

/**
 * Return whether something is chosen above the buttons.
 * @param {Question} question
 */
export function needsChoice(question) {
  const { list, inFront } = layOut(question);
  return Boolean(list || inFront);
}

/**
 * Return the labels with the remarks of the rules on the values of this seat's moves.
 * @param {Labels | null} labels
 * @param {Hand["notes"]} notes
 */
function withNotes(labels, notes) {
  if (!labels || !Object.keys(notes).length) return labels;
  const parameters = { ...labels.parameters };
  for (const [name, texts] of Object.entries(notes)) {
    parameters[name] = { ...parameters[name], notes: { ...parameters[name]?.notes, ...texts } };
  }
  return { ...labels, parameters };
}

/**
 * The choices of the open question.
 * @param {{ labels: Labels | null, state: PublicState, hand: Hand, question: Question }} props
 */
export function Choices({ labels: gameLabels, state, hand, question }) {
  const labels = useMemo(() => withNotes(gameLabels, hand.notes), [gameLabels, hand.notes]);
  const { list, barred, reasons, inFront } = layOut(question);
  const about = inFront && !list ? labels?.moves?.[inFront.move] : undefined;
  const drawn = [...(inFront && !isPress(inFront, question) ? [inFront] : []), ...reasons];
  return html`<div class="question" data-part="choices">
    ${list && html`<${MoveList} ...${{ labels, state, question, list, inFront }} />`}
    ${about?.note && html`<p class="form-note">${fill(about.note, state.view ?? {})}</p>`}
    ${about?.effect && html`<p class="form-note">${about.effect}</p>`}
    ${drawn.map(
      (form) => html`<${ChosenFields}
        key=${`${question.id}/${form.key}`}
        labels=${labels}
        state=${state}
        question=${question}
        form=${form}
      />`,
    )}
    ${
      barred.length > 0 &&
      html`<ul class="barred">
        ${barred.map(({ key, move, why }) => html`<li key=${key}><b>${moveLabel(labels, state, move)}</b> ${why}</li>`)}
      </ul>`
    }
  </div>`;
}

/**
 * A list of moves to pick from.
 * @param {{
 *   labels: Labels | null, state: PublicState, question: Question, list: Form[], inFront: Form | null,
 * }} props
 */
function MoveList({ labels, state, question, list, inFront }) {
  return html`<fieldset class="field pick-move">
    <legend class="unseen">What to do</legend>
    ${list.map((form) => {
      const effect = labels?.moves?.[form.move]?.effect;
      return html`<label key=${form.key} class="choice">
        <input
          type="radio"
          name="move"
          value=${form.key}
          checked=${inFront === form}
          onChange=${() => question.bring(form)}
        />
        <span class="choice-body line">
          <span class="choice-words">${formLabel(labels, state, question, form)}</span>
          ${effect && html`<span class="choice-note">${effect}</span>`}
        </span>
      </label>`;
    })}
  </fieldset>`;
}

/**
 * The fields of one form of the question.
 * @param {{ labels: Labels | null, state: PublicState, question: Question, form: Form }} props
 */
function ChosenFields({ labels, state, question, form }) {
  const fields = chosenFields(question, form);
  return html`<${FormFields}
    labels=${labels}
    state=${state}
    move=${form.move}
    fields=${fields}
    group=${form.key}
    hidden=${question.hides(fields)}
    open=${question.lifted === form.key}
    onLid=${(/** @type {boolean} */ open) => question.lift(form, open)}
    onChange=${(/** @type {string} */ name, /** @type {any} */ value) => question.choose(form, name, value)}
  />`;
}

/**
 * Return a sentence about the choices that a form still needs, or "".
 * @param {Labels | null} labels
 * @param {Form} form
 * @param {Field[]} fields
 */
function missingIn(labels, form, fields) {
  if (isWhole(form, fields)) return "";
  const names = fields
    .filter(({ shown, optional, value }) => shown && !optional && (value === undefined || value === null))
    .map(({ name }) => say(labels?.parameters?.[name]?.label ?? readable(name)));
  return names.length
    ? say("Choose above first: {choices}.", { choices: names.join(", ") })
    : say("Choose above first.");
}

/**
 * The big buttons. `act` sends a move; `sending` is the key of the move in progress.
 * @param {{
 *   labels: Labels | null, state: PublicState, question: Question, sending: string | null, act: ActOn,
 * }} props
 */
export function Actions({ labels, state, question, sending, act }) {
  const { list, inFront, buttons } = layOut(question);
  const confirms = Boolean(list || inFront);
  const fields = inFront ? chosenFields(question, inFront) : [];
  const isReady = inFront !== null && canSend(question, inFront, fields);
  const missing = inFront
    ? isReady
      ? ""
      : missingIn(labels, inFront, fields) || say("Choose above first.")
    : say("Choose what to do first.");
  return html`
    ${
      confirms &&
      html`<${ActionButton}
        primary
        missing=${missing}
        label=${inFront ? formLabel(labels, state, question, inFront) : say("Choose above")}
        name=${inFront?.key ?? "none"}
        ready=${isReady}
        sending=${sending}
        onPress=${() => inFront && act(inFront.move, argsOf(fields), inFront.key)}
      />`
    }
    ${buttons.map((form, i) => {
      const args = argsOf(fieldsOf(form, {}));
      return html`<${ActionButton}
        key=${form.key}
        primary=${!confirms && i === 0}
        label=${moveLabel(labels, state, form.move, args)}
        short=${labels?.moves?.[form.move]?.short}
        name=${form.key}
        sending=${sending}
        onPress=${() => act(form.move, args, form.key)}
      />`;
    })}
  `;
}

/**
 * One big button. It shows when it is in progress. If it is not ready, a tap shows what is `missing`.
 * @param {{
 *   label: string, name: string, sending: string | null, onPress: () => void,
 *   primary?: boolean, short?: string, ready?: boolean, missing?: string,
 * }} props
 */
export function ActionButton({
  label: written,
  name,
  sending,
  onPress,
  primary = false,
  short: brief = "",
  ready = true,
  missing = "",
}) {
  const [label, short] = [say(written), say(brief)];
  const [asked, setAsked] = useState(false);
  useLayoutEffect(() => setAsked(false), [name, missing]);
  const isSending = sending === name;
  const isLong = Boolean(short) && label.length > LONG;
  /** @type {Drawn} */
  let text = label;
  if (isSending) text = say("Sending…");
  else if (isLong) {
    const begins = label.toLowerCase().startsWith(short.toLowerCase());
    const rest = begins ? label.slice(short.length).replace(/^[:\s]+/, "") : label;
    text = html`<span>${readable(short.toLowerCase())}</span><small class="act-rest">${rest}</small>`;
  }
  const waits = !ready && Boolean(missing) && !sending;
  return html`<button
      type="button"
      class=${`act${primary ? " primary" : ""}${isSending ? " sending" : ""}`}
      disabled=${(!ready && !waits) || Boolean(sending)}
      aria-disabled=${waits ? "true" : null}
      aria-busy=${isSending}
      aria-label=${isLong && !isSending ? label : undefined}
      onClick=${waits ? () => setAsked(true) : onPress}
    >
      ${text}
    </button>
    ${asked && waits && html`<p class="act-missing" role="status">${missing}</p>`}`;
}

/**
 * Offers that are always open, in a row of their own.
 * @param {{
 *   labels: Labels | null, state: PublicState, question: Question, sending: string | boolean | null, act: ActOn,
 * }} props
 */
export function Standing({ labels, state, question, sending, act }) {
  const offers = question.forms.filter((form) => form.standing);
  const [open, setOpen] = useState(/** @type {string | null} */ (null));
  useLayoutEffect(() => setOpen(null), [question.id]);
  if (!offers.length) return null;
  return html`<section class="standing" aria-label="At any time">
    ${offers.map((form) => {
      const fields = chosenFields(question, form);
      const args = argsOf(fields);
      const press = () => act(form.move, args, form.key);
      if (isPress(form, question)) {
        return html`<button type="button" key=${form.key} class="offer" disabled=${Boolean(sending)} onClick=${press}>
          ${moveLabel(labels, state, form.move, args)}
        </button>`;
      }
      const isOpen = open === form.key;
      const disabled = Boolean(sending) || !canSend(question, form, fields);
      return html`<div key=${form.key} class="offer-form">
        <button type="button" class="offer" aria-expanded=${isOpen} onClick=${() => setOpen(isOpen ? null : form.key)}>
          ${labels?.moves?.[form.move]?.name ?? readable(form.move)}…
        </button>
        ${
          isOpen &&
          html`<${ChosenFields} labels=${labels} state=${state} question=${question} form=${form} />
            <button type="button" class="offer confirm" disabled=${disabled} onClick=${press}>
              ${formLabel(labels, state, question, form)}
            </button>`
        }
      </div>`;
    })}
  </section>`;
}
