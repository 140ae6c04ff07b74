// One form for one move: a widget a parameter, each chosen by the parameter's kind alone.

import { html } from "/vendor/htm-preact.js";
import { Amount } from "../widgets/amount.js";
import { Barred } from "../widgets/barred.js";
import { Choose } from "../widgets/choose.js";
import { Gaps } from "../widgets/gaps.js";
import { OneOf } from "../widgets/one_of.js";
import { Order } from "../widgets/order.js";
import { isRecord, plain } from "../lib/labels.js";

const WIDGETS = { one_of: OneOf, amount: Amount, choose: Choose, order: Order };

/** What the cards are called that lie as records somewhere in a part of a view. */
function calledIn(words, value, found = new Set()) {
  if (Array.isArray(value)) for (const one of value) calledIn(words, one, found);
  else if (isRecord(value)) {
    if (words.face.key in value) found.add(JSON.stringify(value[words.face.key]));
    for (const one of Object.values(value)) calledIn(words, one, found);
  }
  return found;
}

/** What of a seat's own facts the table does not see, as plain values. */
function onlyMine(you, seen = {}) {
  const secret = Object.entries(you).filter(([name, value]) => JSON.stringify(seen[name]) !== JSON.stringify(value));
  return new Set(
    secret
      .flatMap(([, value]) => [value].flat(2))
      .filter((v) => v !== null && typeof v !== "object")
      .map((v) => JSON.stringify(v)),
  );
}

/**
 * Would drawing this field show a card that only its owner may see? Cards of the state have names of their own, and one
 * that lies open is no secret. Where faces repeat, it is the hand that is chosen from if all that is offered is in it:
 * that such a face lies on the table too tells nothing of the hand.
 */
function showsHand(words, state, { seat, you }, field) {
  const offered = [
    ...(field.kind === "fixed" ? [field.only] : (field.of ?? field.from ?? [])),
    ...field.barred.map(({ value }) => value),
  ];
  if (!you || !words?.parameters?.[field.name]?.card) return false;
  if (words.face) {
    const [mine, laid] = [calledIn(words, you), calledIn(words, [state.view?.table, state.view?.seats])];
    return offered.flat().some((v) => mine.has(JSON.stringify(v)) && !laid.has(JSON.stringify(v)));
  }
  const own = onlyMine(you, state.view?.seats?.[seat]);
  return offered.length > 0 && offered.flat().every((v) => own.has(JSON.stringify(v)));
}

/** The names of the fields that show such a card. */
export function hiddenIn(words, state, hand, fields) {
  return fields.filter((field) => showsHand(words, state, hand, field)).map(({ name }) => name);
}

/**
 * The fields of a form; `onChange(name, value)` hears every choice. Those that are `hidden` lie under a lid, which
 * `onLid(open)` lifts and puts back.
 */
export function FormFields({ words, state, move, fields, group, hidden, open, onLid, onChange }) {
  const toDraw = fields.filter((field) => field.shown || hidden.includes(field.name));
  if (hidden.length > 0 && !open) {
    return html`<button type="button" class="open-hand" onClick=${() => onLid(true)}>Show my hand to choose</button>`;
  }
  return html`<div class="fields">
    ${toDraw.map((field) => {
      const shown = field.kind === "fixed" ? { ...field, kind: "one_of", of: [field.only] } : field;
      const Widget = words?.parameters?.[field.name]?.between ? Gaps : WIDGETS[shown.kind];
      const label = words?.parameters?.[field.name]?.label ?? plain(field.name);
      return html`<fieldset key=${field.name} class=${`field kind-${shown.kind}`}>
        <legend>${label}</legend>
        <${Widget} words=${words} state=${state} move=${move} field=${shown} group=${group} onChange=${(value) => onChange(field.name, value)} />
        ${field.barred.length > 0 && html`<${Barred} words=${words} state=${state} move=${move} field=${field} />`}
      </fieldset>`;
    })}
    ${hidden.length > 0 && html`<button type="button" class="cover-hand quiet" onClick=${() => onLid(false)}>Cover my hand</button>`}
  </div>`;
}
