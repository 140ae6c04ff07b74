// The form of a move: one widget per parameter, chosen by the parameter's kind.

import { html } from "../lib/html.js";
import { readable } from "../lib/labels.js";
import { isRecord, isUnknown, same } from "../lib/values.js";
import { Amount } from "../widgets/amount.js";
import { Choose } from "../widgets/choose.js";
import { OneOf } from "../widgets/one_of.js";
import { later } from "./later.js";

/** @import { Facts, Field, Labels } from "../lib/types.d.ts" */
/** @import { Hand, PublicState } from "../lib/messages.d.ts" */

// Few games need these. They are fetched when needed.
const BarredValues = later(() => import("../widgets/barred.js").then((part) => part.BarredValues));
const Faces = later(() => import("../widgets/faces.js").then((part) => part.Faces), "face_pad.css");
const Gaps = later(() => import("../widgets/gaps.js").then((part) => part.Gaps));
const Order = later(() => import("../widgets/order.js").then((part) => part.Order));

const WIDGETS = { one_of: OneOf, amount: Amount, choose: Choose, order: Order };

/**
 * Return the keys, as JSON, of the card records in a part of a view.
 * @param {string} key the field by which a record is called
 * @param {any} value
 * @param {Set<string>} [found]
 */
function cardKeysIn(key, value, found = new Set()) {
  if (Array.isArray(value)) for (const one of value) cardKeysIn(key, one, found);
  else if (isRecord(value)) {
    if (key in value) found.add(JSON.stringify(value[key]));
    for (const one of Object.values(value)) cardKeysIn(key, one, found);
  }
  return found;
}

/**
 * Return the values of a seat's own facts that the table does not see, as JSON.
 * @param {Facts} you
 * @param {Facts} [seen]
 */
function onlyMine(you, seen = {}) {
  const secret = Object.entries(you).filter(([name, value]) => !same(seen[name], value) && !isUnknown(value));
  const values = secret.flatMap(([, value]) => [value].flat(2));
  return new Set(values.filter((value) => typeof value !== "object").map((value) => JSON.stringify(value)));
}

/**
 * Return whether drawing this field would show a card that only its owner may see. Card records have unique keys, and an
 * open one is not secret. Where faces repeat, the field offers the hand if all its values are in the hand, even if a card
 * with the same face lies on the table, too.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Hand | null} hand
 * @param {Field} field
 */
function showsHand(labels, state, hand, field) {
  if (!hand || !labels?.parameters?.[field.name]?.card) return false;
  const values = field.kind === "fixed" ? [field.only] : [...field.of, ...field.from];
  const offered = [...values, ...field.barred.map(({ value }) => value)];
  const keys = offered.flat().map((value) => JSON.stringify(value));
  if (labels.face) {
    const mine = cardKeysIn(labels.face.key, hand.you);
    const open = cardKeysIn(labels.face.key, [state.view?.table, state.view?.seats]);
    return keys.some((key) => mine.has(key) && !open.has(key));
  }
  const mine = onlyMine(hand.you, state.view?.seats?.[hand.seat]);
  return offered.length > 0 && keys.every((key) => mine.has(key));
}

/**
 * Return the names of the fields that would reveal something of a hand: a card, dice, or a remark that follows from it.
 * @param {Labels | null} labels
 * @param {PublicState} state
 * @param {Hand | null} hand
 * @param {Field[]} fields
 */
export function hiddenIn(labels, state, hand, fields) {
  const covered = hand?.covered ?? [];
  return fields
    .filter((field) => field.sides || covered.includes(field.name) || showsHand(labels, state, hand, field))
    .map(({ name }) => name);
}

/**
 * The fields of a form. The `hidden` ones are under a lid, which `onLid(open)` opens and closes.
 * @param {{
 *   labels: Labels | null, state: PublicState, move: string, fields: Field[], group: string, hidden: string[],
 *   open: boolean, onLid: (open: boolean) => void, onChange: (name: string, value: any) => void,
 * }} props
 */
export function FormFields({ labels, state, move, fields, group, hidden, open, onLid, onChange }) {
  if (hidden.length > 0 && !open) {
    return html`<button type="button" class="open-hand" onClick=${() => onLid(true)}>
      ${fields.some(({ sides }) => sides) ? html`Enter my dice` : html`Show my hand to choose`}
    </button>`;
  }
  const toDraw = fields.filter((field) => field.shown || hidden.includes(field.name));
  return html`<div class="fields">
    ${toDraw.map(
      (field) => html`<${FormField}
        key=${field.name}
        labels=${labels}
        state=${state}
        move=${move}
        field=${field}
        group=${group}
        onChange=${(/** @type {any} */ value) => onChange(field.name, value)}
      />`,
    )}
    ${
      hidden.length > 0 &&
      html`<button type="button" class="cover-hand quiet" onClick=${() => onLid(false)}>Cover my hand</button>`
    }
  </div>`;
}

/** @param {import("../lib/types.d.ts").WidgetProps} props */
function FormField({ labels, state, move, field, group, onChange }) {
  const kind = field.kind === "fixed" ? "one_of" : field.kind;
  const shown = field.kind === "fixed" ? { ...field, kind, of: [field.only] } : field;
  const about = labels?.parameters?.[field.name];
  const Widget = field.sides ? Faces : about?.between ? Gaps : WIDGETS[kind];
  return html`<fieldset class=${`field kind-${kind}`}>
    <legend>${about?.label ?? readable(field.name)}</legend>
    <${Widget} labels=${labels} state=${state} move=${move} field=${shown} group=${group} onChange=${onChange} />
    ${field.barred.length > 0 && html`<${BarredValues} labels=${labels} state=${state} move=${move} field=${field} />`}
  </fieldset>`;
}
