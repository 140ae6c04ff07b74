// What the seat is asked: the choices above, the actions at the thumb. Choosing and confirming are two places.

import { html, useEffect, useMemo, useState } from "/vendor/htm-preact.js";
import { FormFields, hiddenIn } from "./form.js";
import { argsOf, blanksOf, choosing, fieldsOf, formsOf, isPlain, isWhole } from "../lib/moves.js";
import { useCovering } from "./secret.js";
import { fill, moveLabel, plain } from "../lib/labels.js";

/** A label of more letters stands small under the move's short name. */
const LONG = 20;

/** At most this many big buttons stand at the thumb; more moves become a list to pick from. */
const BUTTONS = 3;

/**
 * The state of an open question: forms, what is chosen in each, which form is in front, and where the lid over the
 * cards of the hand is lifted. `hides(fields)` names the fields under it; none if the hand is kept open.
 */
export function useQuestion(words, state, hand, keepOpen) {
  const question = `${hand?.match}/${hand?.epoch}/${hand?.number}`;
  const forms = useMemo(() => formsOf(hand?.moves, hand?.barred), [hand]);
  const fresh = { question, chosen: {}, front: null, lifted: null };
  const [kept, setKept] = useState(fresh);
  const now = kept.question === question ? kept : fresh;
  useCovering(() => setKept((was) => ({ ...was, lifted: null })));
  return {
    question,
    forms,
    chosen: now.chosen,
    front: now.front,
    choose: (form, name, value) =>
      setKept((was) => {
        const base = was.question === question ? was : now;
        return {
          ...base,
          front: form.key,
          chosen: { ...base.chosen, [form.key]: choosing(form, base.chosen[form.key] ?? {}, name, value) },
        };
      }),
    bring: (form) => setKept((was) => ({ ...(was.question === question ? was : now), front: form })),
    blank: () => setKept(fresh),
    lifted: now.lifted,
    lift: (form, open) =>
      setKept((was) => ({ ...(was.question === question ? was : now), lifted: open ? form.key : null })),
    hides: (fields) => (keepOpen ? [] : hiddenIn(words, state, hand, fields)),
  };
}

/** What a form is called as it stands. A card of a hand that is covered has no name there. */
function called(words, state, question, form, fields) {
  const covered = question.lifted === form.key ? [] : question.hides(fields);
  return moveLabel(words, state, form.move, argsOf(fields), [...blanksOf(fields), ...covered]);
}

/** A form that only wants a press, and whose name shows nothing of a hand. */
const isPress = (form, question) => isPlain(form) && !question.hides(fieldsOf(form, {})).length;

/**
 * How the answers are laid out: the form in front, a list to pick from if they are many, and the buttons.
 * What is listed first stands in front until something else is picked, if there is more to it than a press.
 */
function layOut(question) {
  const asked = question.forms.filter((form) => !form.standing);
  const barred = asked.filter((form) => form.why && !form.variants.length);
  const live = asked.filter((form) => !barred.includes(form));
  // Of which every value is barred: among many it is listed; alone it is shown with the reasons, and nothing to press.
  const hopeless = live.filter((form) => !form.variants.length);
  const vain = live.every((form) => hopeless.includes(form) || isPress(form, question)) ? hopeless : [];
  const open = live.filter((form) => !vain.includes(form));
  const rich = open.filter((form) => !isPress(form, question));
  const plainOnes = open.filter((form) => isPress(form, question));
  const listed = rich.length > 1 || open.length > BUTTONS;
  if (!listed) return { list: null, barred, vain, inFront: rich[0] ?? null, buttons: plainOnes };
  const safe = plainOnes.find((form) => form === open.at(-1)) ?? null;
  const list = open.filter((form) => form !== safe);
  return {
    list,
    barred,
    vain,
    inFront: list.find((form) => form.key === question.front) ?? (isPress(list[0], question) ? null : list[0]),
    buttons: safe ? [safe] : [],
  };
}

/** The words of the game with what the rules say just now beside the values of this seat's moves. */
export function withNotes(words, notes) {
  if (!words || !notes || !Object.keys(notes).length) return words;
  const parameters = { ...words.parameters };
  for (const [name, said] of Object.entries(notes))
    parameters[name] = { ...parameters[name], notes: { ...parameters[name]?.notes, ...said } };
  return { ...words, parameters };
}

/** The choices of the open question. */
export function Choices({ words: plainWords, state, hand, question }) {
  const words = useMemo(() => withNotes(plainWords, hand.notes), [plainWords, hand.notes]);
  const { list, barred, vain, inFront } = layOut(question);
  return html`<div class="question">
    ${
      list &&
      html`<fieldset class="field pick-move">
      <legend class="unseen">What to do</legend>
      ${list.map((form) => {
        const about = words?.moves?.[form.move];
        const fields = fieldsOf(form, question.chosen[form.key] ?? {});
        return html`<label key=${form.key} class="choice">
          <input type="radio" name="move" value=${form.key} checked=${inFront === form} onChange=${() => question.bring(form.key)} />
          <span class="choice-body line">
            <span class="choice-words">${called(words, state, question, form, fields)}</span>
            ${about?.effect && html`<span class="choice-note">${about.effect}</span>`}
          </span>
        </label>`;
      })}
    </fieldset>`
    }
    ${inFront && !list && words?.moves?.[inFront.move]?.note && html`<p class="form-note">${fill(words.moves[inFront.move].note, state.view)}</p>`}
    ${inFront && !list && words?.moves?.[inFront.move]?.effect && html`<p class="form-note">${words.moves[inFront.move].effect}</p>`}
    ${[...(inFront && !isPress(inFront, question) ? [inFront] : []), ...vain].map((form) => {
      const fields = fieldsOf(form, question.chosen[form.key] ?? {});
      return html`<${Fields} key=${`${question.question}/${form.key}`} words=${words} state=${state} question=${question} form=${form} fields=${fields} />`;
    })}
    ${
      barred.length > 0 &&
      html`<ul class="barred">
      ${barred.map((form) => html`<li key=${form.key}><b>${moveLabel(words, state, form.move)}</b> ${form.why}</li>`)}
    </ul>`
    }
  </div>`;
}

/** The fields of one form of the question. */
function Fields({ words, state, question, form, fields }) {
  return html`<${FormFields}
    words=${words}
    state=${state}
    move=${form.move}
    fields=${fields}
    group=${form.key}
    hidden=${question.hides(fields)}
    open=${question.lifted === form.key}
    onLid=${(open) => question.lift(form, open)}
    onChange=${(name, value) => question.choose(form, name, value)}
  />`;
}

/** The big buttons. `act(move, args, key)` sends; `sending` is the key under way. */
export function Actions({ words, state, question, sending, act, extra }) {
  const { list, inFront, buttons } = layOut(question);
  const confirm = list || inFront;
  const fields = inFront ? fieldsOf(inFront, question.chosen[inFront.key] ?? {}) : [];
  const ready = inFront !== null && isWhole(inFront, fields);
  const args = argsOf(fields);
  return html`
    ${
      confirm &&
      html`<${Act}
      primary
      label=${inFront ? called(words, state, question, inFront, fields) : "Choose above"}
      name=${inFront?.key ?? "none"}
      ready=${ready}
      sending=${sending}
      onPress=${() => act(inFront.move, args, inFront.key)}
    />`
    }
    ${buttons.map((form, i) => {
      const fixed = argsOf(fieldsOf(form, {}));
      return html`<${Act} key=${form.key} primary=${!confirm && i === 0} label=${moveLabel(words, state, form.move, fixed)} short=${words?.moves?.[form.move]?.short} name=${form.key} ready sending=${sending} onPress=${() => act(form.move, fixed, form.key)} />`;
    })}
    ${extra}
  `;
}

/** One big button; it says when it is under way. */
export function Act({ primary = false, label, short = "", name, ready = true, sending, onPress }) {
  const mine = sending === name;
  const long = short && label.length > LONG;
  const rest = label.toLowerCase().startsWith(short.toLowerCase())
    ? label.slice(short.length).replace(/^[:\s]+/, "")
    : label;
  return html`<button
    type="button"
    class=${`act${primary ? " primary" : ""}${mine ? " sending" : ""}`}
    disabled=${!ready || Boolean(sending)}
    aria-busy=${mine}
    aria-label=${long && !mine ? label : undefined}
    onClick=${onPress}
  >
    ${mine ? "Sending…" : long ? html`<span>${plain(short.toLowerCase())}</span><small class="act-rest">${rest}</small>` : label}
  </button>`;
}

/** Offers that stand at any time, on a row of their own. */
export function Standing({ words, state, question, sending, act }) {
  const offers = question.forms.filter((form) => form.standing);
  const [open, setOpen] = useState(null);
  useEffect(() => setOpen(null), [question.question]);
  if (!offers.length) return null;
  return html`<section class="standing" aria-label="At any time">
    ${offers.map((form) => {
      const fields = fieldsOf(form, question.chosen[form.key] ?? {});
      const args = argsOf(fields);
      const press = () => act(form.move, args, form.key);
      if (isPress(form, question)) {
        return html`<button type="button" key=${form.key} class="offer" disabled=${Boolean(sending)} onClick=${press}>${moveLabel(words, state, form.move, args)}</button>`;
      }
      return html`<div key=${form.key} class="offer-form">
        <button type="button" class="offer" aria-expanded=${open === form.key} onClick=${() => setOpen(open === form.key ? null : form.key)}>
          ${words?.moves?.[form.move]?.short ?? plain(form.move)}…
        </button>
        ${
          open === form.key &&
          html`<${Fields} words=${words} state=${state} question=${question} form=${form} fields=${fields} />
          <button type="button" class="offer confirm" disabled=${Boolean(sending) || !isWhole(form, fields)} onClick=${press}>${called(words, state, question, form, fields)}</button>`
        }
      </div>`;
    })}
  </section>`;
}
