// Turn the moves of the hub into forms. This module does not touch the page.
// A move may be listed more than once if one parameter limits another. It becomes one form, and each choice keeps only
// the variants that agree with it.

import { distinct, isRecord, same, within } from "./values.js";

/** @import { Facts, Field, Form, Range, Shape } from "./types.d.ts" */

const FEW = 8; // up to this number, amounts are keys without a default

/**
 * Return the kind of a parameter.
 * @param {any} spec
 * @returns {Shape["kind"]}
 */
export function kindOf(spec) {
  if (isRecord(spec)) {
    if ("one_of" in spec) return "one_of";
    if ("choose" in spec) return "choose";
    if ("order" in spec) return "order";
    if ("min" in spec) return "amount";
  }
  return "fixed";
}

/**
 * Return one form per move name. `standing` offers are separate from the answers to the question. Reasons of `barred`
 * moves become the form's `why`, those of single values its `barred`.
 * @param {Facts[] | null | undefined} moves
 * @param {Facts[] | null} [barred]
 * @returns {Form[]}
 */
export function formsOf(moves, barred) {
  /** @type {Map<string, Form>} */
  const forms = new Map();
  /**
   * @param {string} move
   * @param {boolean} standing
   * @param {string[]} params
   */
  const formOf = (move, standing, params) => {
    const key = `${move}${standing ? " standing" : ""}`;
    const form = forms.get(key) ?? { key, move, standing, why: "", variants: [], params: [], barred: [] };
    forms.set(key, form);
    for (const name of params) if (!form.params.includes(name)) form.params.push(name);
    return form;
  };
  for (const { move, standing = false, ...variant } of moves ?? []) {
    for (const [name, spec] of Object.entries(variant)) if (spec?.faces) variant[name] = subsetOfFaces(spec.faces);
    formOf(move, standing, Object.keys(variant)).variants.push(variant);
  }
  for (const { move, why, ...args } of barred ?? []) {
    const form = formOf(move, false, Object.keys(args));
    const [name] = Object.keys(args);
    if (name === undefined) form.why = why;
    else for (const value of [args[name]].flat()) form.barred.push({ name, value, why });
  }
  return [...forms.values()];
}

/**
 * Return the faces of dice as a subset.
 * @param {{ count: number, sides: number }} dice
 */
function subsetOfFaces({ count, sides }) {
  const from = Array.from({ length: count * sides }, (_, i) => 1 + (i % sides));
  return { choose: { min: count, max: count }, from, sides };
}

/**
 * Return whether the parameter accepts this value.
 * @param {any} spec
 * @param {any} value
 * @returns {boolean}
 */
export function admits(spec, value) {
  switch (kindOf(spec)) {
    case "one_of":
      return spec.one_of.some((/** @type {any} */ one) => same(one, value));
    case "amount":
      return inRange({ min: spec.min, max: spec.max, step: spec.step ?? 1 }, value);
    case "choose":
      return inBounds(value, spec.choose.min, spec.choose.max) && within(value, spec.from);
    case "order":
      return inBounds(value, spec.order.length, spec.order.length) && within(value, spec.order);
    default:
      return same(spec, value);
  }
}

/**
 * @param {Range} range
 * @param {any} value
 */
function inRange({ min, max, step }, value) {
  return Number.isInteger(value) && value >= min && value <= max && (value - min) % step === 0;
}

/**
 * @param {any} value
 * @param {number} min
 * @param {number} max
 */
function inBounds(value, min, max) {
  return Array.isArray(value) && value.length >= min && value.length <= max;
}

/**
 * Return the values of a parameter with a list of values, or with one.
 * @param {any} spec
 * @returns {any[]}
 */
function valuesOf(spec) {
  return kindOf(spec) === "one_of" ? spec.one_of : [spec];
}

/** @type {Shape} */
const NOTHING = { kind: "fixed", only: undefined, of: [], from: [], ranges: [], ways: [], min: 0, max: 0 };

/**
 * Return the union of what several variants offer for one parameter.
 * @param {any[]} specs
 * @returns {Shape}
 */
function together(specs) {
  const kinds = new Set(specs.map(kindOf));
  if (kinds.has("choose")) {
    const ways = specs.filter((spec) => kindOf(spec) === "choose");
    const min = Math.min(...ways.map((way) => way.choose.min));
    const max = Math.max(...ways.map((way) => way.choose.max));
    return {
      ...NOTHING,
      kind: "choose",
      from: union(ways.map((way) => way.from)),
      min,
      max,
      ways,
      sides: ways[0].sides,
    };
  }
  if (kinds.has("order")) {
    return { ...NOTHING, kind: "order", of: specs.find((spec) => kindOf(spec) === "order").order };
  }
  if (kinds.has("amount")) return { ...NOTHING, kind: "amount", ranges: rangesOf(specs) };
  const all = distinct(specs.flatMap(valuesOf));
  return all.length === 1 ? { ...NOTHING, only: all[0] } : { ...NOTHING, kind: "one_of", of: all };
}

/**
 * Return the union of several lists, with each value as often as in the list that has it most often. A new value is put
 * before the values that follow it in its list.
 * @param {any[][]} lists
 */
function union(lists) {
  /** @type {any[]} */
  const all = [];
  for (const list of lists) {
    /** @type {(string | null)[]} */
    const unused = all.map((value) => JSON.stringify(value));
    let before = all.length;
    for (const value of [...list].reverse()) {
      const index = unused.lastIndexOf(JSON.stringify(value));
      if (index >= 0) before = index;
      else {
        all.splice(before, 0, value);
        unused.splice(before, 0, null);
      }
      unused[before] = null;
    }
  }
  return all;
}

/**
 * Return whether this member may be added to an incomplete subset.
 * @param {Field} field
 * @param {any[]} chosen
 * @param {any} value
 */
export function mayJoin(field, chosen, value) {
  return field.ways.some((way) => chosen.length < way.choose.max && within([...chosen, value], way.from));
}

/**
 * @param {any[]} specs
 * @returns {Range[]}
 */
function rangesOf(specs) {
  const ranges = specs.flatMap((spec) =>
    kindOf(spec) === "amount"
      ? [{ min: spec.min, max: spec.max, step: spec.step ?? 1 }]
      : valuesOf(spec).map((value) => ({ min: value, max: value, step: 1 })),
  );
  return ranges.sort((a, b) => a.min - b.min || a.max - b.max);
}

// --- amounts -------------------------------------------------------------------------------------------

/**
 * Return the next legal amount above (`direction` 1) or below (-1) a value, or undefined.
 * @param {Range[]} ranges
 * @param {number} value
 * @param {number} direction
 */
export function nextAmount(ranges, value, direction) {
  const found = ranges
    .map((range) => nextIn(range, value, direction))
    .filter((amount) => amount !== undefined)
    .sort((a, b) => direction * (a - b));
  return found[0];
}

/**
 * @param {Range} range
 * @param {number} value
 * @param {number} direction
 */
function nextIn({ min, max, step }, value, direction) {
  const top = min + Math.floor((max - min) / step) * step;
  if (direction > 0) {
    const next = value < min ? min : min + (Math.floor((value - min) / step) + 1) * step;
    return next <= top ? next : undefined;
  }
  const next = value > top ? top : min + (Math.ceil((value - min) / step) - 1) * step;
  return next >= min ? next : undefined;
}

/**
 * Return the least legal amount.
 * @param {Range[]} ranges
 */
export function leastAmount(ranges) {
  return Math.min(...ranges.map((range) => range.min));
}

/**
 * Return the largest legal amount.
 * @param {Range[]} ranges
 */
export function mostAmount(ranges) {
  return Math.max(...ranges.map(({ min, max, step }) => min + Math.floor((max - min) / step) * step));
}

/**
 * Return the default amount: the least, or the last one before a gap between the ranges.
 * @param {Range[]} ranges
 */
function firstAmount(ranges) {
  const below = ranges.findIndex((range, i) => ranges[i + 1]?.min > mostAmount([range]) + range.step);
  return below < 0 ? leastAmount(ranges) : mostAmount([ranges[below]]);
}

/**
 * Return the legal amounts if there are at most `limit`, else null.
 * @param {Range[]} ranges
 * @param {number} [limit]
 */
export function fewAmounts(ranges, limit = FEW) {
  const all = [];
  for (let value = /** @type {number | undefined} */ (leastAmount(ranges)); value !== undefined; ) {
    all.push(value);
    if (all.length > limit) return null;
    value = nextAmount(ranges, value, 1);
  }
  return all;
}

/**
 * @param {Range[]} ranges
 * @param {number} value
 */
function nearestAmount(ranges, value) {
  if (ranges.some((range) => inRange(range, value))) return value;
  return nextAmount(ranges, value, 1) ?? mostAmount(ranges);
}

// --- fields --------------------------------------------------------------------------------------------

/**
 * Return whether the field accepts this value, or a value that starts with it.
 * @param {Shape} field
 * @param {any} value
 */
function takes(field, value) {
  switch (field.kind) {
    case "fixed":
      return same(field.only, value);
    case "one_of":
      return field.of.some((one) => same(one, value));
    case "amount":
      return field.ranges.some((range) => inRange(range, value));
    case "choose":
      return field.ways.some((way) => inBounds(value, 0, way.choose.max) && within(value, way.from));
    default:
      return admits({ order: field.of }, value);
  }
}

/** @param {Shape} field */
function firstValue(field) {
  switch (field.kind) {
    case "fixed":
      return field.only;
    case "amount":
      return fewAmounts(field.ranges) ? undefined : firstAmount(field.ranges);
    case "choose":
      return [];
    case "order":
      return field.of;
    default:
      return undefined;
  }
}

/**
 * Return the value of a field: `wanted` if the field accepts it, else the default.
 * @param {Shape} shape
 * @param {boolean} optional
 * @param {any} wanted
 */
function valueIn(shape, optional, wanted) {
  if (wanted !== undefined && wanted !== null && takes(shape, wanted)) return wanted;
  return optional ? null : firstValue(shape);
}

/**
 * Return the fields of a form after these choices.
 * @param {Form} form
 * @param {Facts} chosen
 * @returns {Field[]}
 */
export function fieldsOf(form, chosen) {
  /** @type {Field[]} */
  const fields = [];
  let live = form.variants;
  for (const name of form.params) {
    const having = live.filter((variant) => name in variant);
    const barred = form.barred.filter((one) => one.name === name);
    if (!form.variants.length && barred.length) {
      // If no value is allowed, the field still shows the barred ones with their reasons.
      fields.push({
        ...NOTHING,
        name,
        kind: "one_of",
        value: undefined,
        more: [],
        shown: true,
        optional: false,
        barred,
      });
    }
    if (!having.length) continue;
    const optional = having.length < live.length;
    if (optional && fields.some((before) => before.value === undefined)) continue;
    const shape = together(having.map((variant) => variant[name]));
    const everywhere = together(form.variants.filter((variant) => name in variant).map((variant) => variant[name]));
    // A field with one value left is still shown if it has more with other choices, so that the form does not jump.
    const shown = shape.kind !== "fixed" || optional || barred.length > 0 || everywhere.kind !== "fixed";
    const value = valueIn(shape, optional, chosen[name]);
    fields.push({ ...shape, name, value, more: valuesElsewhere(form, name, shape, fields), shown, optional, barred });
    live = agreeing(live, name, value);
  }
  return fields;
}

/**
 * Return the variants that agree with a value, or all of them if none does.
 * @param {Facts[]} variants
 * @param {string} name
 * @param {any} value
 */
function agreeing(variants, name, value) {
  if (value === undefined) return variants;
  if (value === null) return variants.filter((variant) => !(name in variant));
  const fitting = variants.filter((variant) => name in variant && admits(variant[name], value));
  return fitting.length ? fitting : variants;
}

/**
 * Return the values of a field that need other amounts, such as a rank with a larger number of cards.
 * @param {Form} form
 * @param {string} name
 * @param {Shape} shape
 * @param {Field[]} before
 * @returns {any[]}
 */
function valuesElsewhere(form, name, shape, before) {
  if (shape.kind !== "one_of" && shape.kind !== "fixed") return [];
  const here = shape.kind === "fixed" ? [shape.only] : shape.of;
  const settled = before.filter(
    (other) => other.kind !== "amount" && other.value !== undefined && other.value !== null,
  );
  /** @param {Facts} variant */
  const fits = (variant) => settled.every(({ name, value }) => name in variant && admits(variant[name], value));
  const specs = form.variants.filter((variant) => name in variant && fits(variant)).map((variant) => variant[name]);
  const listed = specs.filter((spec) => kindOf(spec) === "fixed" || kindOf(spec) === "one_of").flatMap(valuesOf);
  return distinct(listed).filter((value) => !here.some((one) => same(one, value)));
}

/**
 * Return the choices after `value` is chosen. If it needs other amounts, they change to the nearest ones, larger rather
 * than smaller.
 * @param {Form} form
 * @param {Facts} chosen
 * @param {string} name
 * @param {any} value
 * @returns {Facts}
 */
export function choosing(form, chosen, name, value) {
  const wanted = { ...chosen, [name]: value };
  const fields = fieldsOf(form, wanted);
  const field = fields.find((one) => one.name === name);
  if (!field?.more.some((one) => same(one, value))) return wanted;
  const amounts = fields.filter((one) => one.kind === "amount" && one.value !== undefined);
  const ways = form.variants
    .filter((variant) => name in variant && admits(variant[name], value))
    .map((variant) => nearestAmounts(amounts, variant));
  /** @param {Facts} way */
  const distance = (way) => amounts.reduce((sum, one) => sum + Math.abs((way[one.name] ?? one.value) - one.value), 0);
  return { ...wanted, ...ways.sort((a, b) => distance(a) - distance(b))[0] };
}

/**
 * @param {Field[]} amounts
 * @param {Facts} variant
 * @returns {Facts}
 */
function nearestAmounts(amounts, variant) {
  const there = amounts.filter((one) => one.name in variant);
  return Object.fromEntries(there.map((one) => [one.name, nearestAmount(rangesOf([variant[one.name]]), one.value)]));
}

/**
 * Return the names of the fields without a choice yet.
 * @param {Field[]} fields
 */
export function blanksOf(fields) {
  /** @param {Field} field */
  const isBlank = (field) =>
    field.value === undefined || (field.kind === "choose" && field.min > 0 && !field.value.length);
  return fields.filter((field) => field.shown && isBlank(field)).map((field) => field.name);
}

/**
 * Return the arguments of the move, without open choices.
 * @param {Field[]} fields
 * @returns {Facts}
 */
export function argsOf(fields) {
  const set = fields.filter((field) => field.value !== undefined && field.value !== null);
  return Object.fromEntries(set.map((field) => [field.name, field.value]));
}

/**
 * Return whether these fields answer some variant completely.
 * @param {Form} form
 * @param {Field[]} fields
 */
export function isWhole(form, fields) {
  const args = argsOf(fields);
  return form.variants.some((variant) => {
    const names = Object.keys(variant);
    const complete = names.length === Object.keys(args).length;
    return complete && names.every((name) => name in args && admits(variant[name], args[name]));
  });
}

/**
 * Return whether the move needs only a press, without a choice.
 * @param {Form} form
 */
export function isPlain(form) {
  return fieldsOf(form, {}).every((field) => !field.shown);
}
