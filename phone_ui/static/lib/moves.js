// Moves as they come from the hub, made into forms: pure, no page.
// The same move may be listed more than once where one parameter limits another; it becomes one form, and
// each choice leaves the variants that agree with it.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** fixed, one_of, amount, choose or order: the shape of a parameter on the wire. */
export function kindOf(spec) {
  if (spec !== null && typeof spec === "object" && !Array.isArray(spec)) {
    if ("one_of" in spec) return "one_of";
    if ("choose" in spec) return "choose";
    if ("order" in spec) return "order";
    if ("min" in spec) return "amount";
  }
  return "fixed";
}

/**
 * One form a move name; `standing` offers stay apart from the answers to the question. What is `barred` is told with
 * the reason: of a whole move as the form's `why`, of single values as its `barred`: {name, value, why}.
 */
export function formsOf(moves, barred) {
  const forms = new Map();
  const formOf = (move, standing, params) => {
    const key = `${move}${standing ? " standing" : ""}`;
    if (!forms.has(key)) forms.set(key, { key, move, standing, why: "", variants: [], params: [], barred: [] });
    const form = forms.get(key);
    for (const name of params) if (!form.params.includes(name)) form.params.push(name);
    return form;
  };
  for (const { move, standing = false, ...variant } of moves ?? [])
    formOf(move, standing, Object.keys(variant)).variants.push(variant);
  for (const { move, why, ...args } of barred ?? []) {
    const form = formOf(move, false, Object.keys(args));
    const [name] = Object.keys(args);
    if (name === undefined) form.why = why;
    else for (const value of [args[name]].flat()) form.barred.push({ name, value, why });
  }
  return [...forms.values()];
}

/** Does the parameter take this value? */
export function admits(spec, value) {
  switch (kindOf(spec)) {
    case "one_of":
      return spec.one_of.some((v) => same(v, value));
    case "amount":
      return (
        Number.isInteger(value) && value >= spec.min && value <= spec.max && (value - spec.min) % (spec.step ?? 1) === 0
      );
    case "choose":
      return (
        Array.isArray(value) &&
        value.length >= spec.choose.min &&
        value.length <= spec.choose.max &&
        within(value, spec.from)
      );
    case "order":
      return Array.isArray(value) && value.length === spec.order.length && within(value, spec.order);
    default:
      return same(spec, value);
  }
}

function within(some, all) {
  const left = all.map((v) => JSON.stringify(v));
  return some.every((v) => {
    const place = left.indexOf(JSON.stringify(v));
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function values(spec) {
  return kindOf(spec) === "one_of" ? spec.one_of : [spec];
}

/** What several variants offer for one parameter, taken together. */
function together(specs) {
  const kinds = new Set(specs.map(kindOf));
  if (kinds.has("choose")) {
    const ways = specs.filter((s) => kindOf(s) === "choose");
    const [min, max] = [Math.min(...ways.map((s) => s.choose.min)), Math.max(...ways.map((s) => s.choose.max))];
    return { kind: "choose", from: union(ways.map((s) => s.from)), min, max, ways };
  }
  if (kinds.has("order")) return { kind: "order", of: specs.find((s) => kindOf(s) === "order").order };
  if (kinds.has("amount")) return { kind: "amount", ranges: joined(specs) };
  const all = [];
  for (const spec of specs) for (const v of values(spec)) if (!all.some((w) => same(v, w))) all.push(v);
  return all.length === 1 ? { kind: "fixed", only: all[0] } : { kind: "one_of", of: all };
}

/** All that is in several lists, each value as often as in any one of them; what is new stands before what follows it. */
function union(lists) {
  const all = [];
  for (const list of lists) {
    const unused = all.map((v) => JSON.stringify(v));
    let before = all.length;
    for (const value of [...list].reverse()) {
      const place = unused.lastIndexOf(JSON.stringify(value));
      if (place >= 0) before = place;
      else {
        all.splice(before, 0, value);
        unused.splice(before, 0, null);
      }
      unused[before] = null;
    }
  }
  return all;
}

/** May this member be added to a subset that is not whole yet? */
export function mayJoin(field, chosen, value) {
  return field.ways.some((way) => chosen.length < way.choose.max && within([...chosen, value], way.from));
}

function joined(specs) {
  const ranges = [];
  for (const spec of specs) {
    if (kindOf(spec) === "amount") ranges.push({ min: spec.min, max: spec.max, step: spec.step ?? 1 });
    else for (const v of values(spec)) ranges.push({ min: v, max: v, step: 1 });
  }
  ranges.sort((a, b) => a.min - b.min || a.max - b.max);
  return ranges;
}

/** The next legal amount above (`way` 1) or below (-1) a value, or undefined. */
export function nextAmount(ranges, value, way) {
  let best;
  for (const { min, max, step } of ranges) {
    const top = min + Math.floor((max - min) / step) * step;
    let v;
    if (way > 0) v = value < min ? min : min + (Math.floor((value - min) / step) + 1) * step;
    else v = value > top ? top : min + (Math.ceil((value - min) / step) - 1) * step;
    if (v < min || v > top) continue;
    if (best === undefined || (way > 0 ? v < best : v > best)) best = v;
  }
  return best;
}

export function leastAmount(ranges) {
  return Math.min(...ranges.map((r) => r.min));
}

export function mostAmount(ranges) {
  return Math.max(...ranges.map((r) => r.min + Math.floor((r.max - r.min) / r.step) * r.step));
}

/** The amount to begin with: the least, or where some amount between others is left out the one below it. */
function atGap(ranges) {
  const below = ranges.findIndex((range, i) => ranges[i + 1]?.min > mostAmount([range]) + range.step);
  return below < 0 ? leastAmount(ranges) : mostAmount([ranges[below]]);
}

/** The legal amounts if there are at most `limit` of them, else null. */
export function fewAmounts(ranges, limit) {
  const all = [];
  for (let v = leastAmount(ranges); v !== undefined; v = nextAmount(ranges, v, 1)) {
    all.push(v);
    if (all.length > limit) return null;
  }
  return all;
}

function takes(field, value) {
  switch (field.kind) {
    case "fixed":
      return same(field.only, value);
    case "one_of":
      return field.of.some((v) => same(v, value));
    case "amount":
      return field.ranges.some((r) => admits(r, value));
    case "choose":
      return (
        Array.isArray(value) && field.ways.some((way) => value.length <= way.choose.max && within(value, way.from))
      );
    default:
      return admits({ order: field.of }, value);
  }
}

function atFirst(field) {
  switch (field.kind) {
    case "fixed":
      return field.only;
    case "amount":
      return fewAmounts(field.ranges, 8) ? undefined : atGap(field.ranges);
    case "choose":
      return [];
    case "order":
      return field.of;
    default:
      return undefined;
  }
}

/** The fields of a form as the choices so far leave them, each with its value (undefined: not chosen yet). */
export function fieldsOf(form, chosen) {
  const fields = [];
  let live = form.variants;
  for (const name of form.params) {
    const having = live.filter((variant) => name in variant);
    const barred = form.barred.filter((one) => one.name === name);
    // Where none of it is to be had, what one looks for still stands there with the reason.
    if (!form.variants.length && barred.length)
      fields.push({ name, kind: "one_of", of: [], more: [], shown: true, optional: false, barred });
    if (!having.length) continue;
    const partial = having.length < live.length;
    if (partial && fields.some((before) => before.value === undefined)) continue;
    const field = { name, ...together(having.map((variant) => variant[name])), optional: partial, barred };
    field.more = further(form, name, field, fields);
    // One value left of several elsewhere is still shown, so that the form does not jump.
    field.shown =
      field.kind !== "fixed" ||
      partial ||
      barred.length > 0 ||
      together(form.variants.filter((v) => name in v).map((v) => v[name])).kind !== "fixed";
    const wanted = chosen[name];
    if (field.optional && wanted === null) field.value = null;
    else if (wanted !== undefined && wanted !== null && takes(field, wanted)) field.value = wanted;
    else field.value = field.optional ? null : atFirst(field);
    fields.push(field);
    if (field.value === null) live = live.filter((variant) => !(name in variant));
    else if (field.value !== undefined) {
      const fitting = live.filter((variant) => name in variant && admits(variant[name], field.value));
      if (fitting.length) live = fitting;
    }
  }
  return fields;
}

/** Values of a field that are to be had with other amounts only: a rank with a larger number of cards. */
function further(form, name, field, fields) {
  if (field.kind !== "one_of" && field.kind !== "fixed") return [];
  const here = field.kind === "fixed" ? [field.only] : field.of;
  const others = fields.filter((other) => other.kind !== "amount" && other.value !== undefined && other.value !== null);
  const reached = form.variants.filter(
    (variant) =>
      name in variant && others.every((other) => other.name in variant && admits(variant[other.name], other.value)),
  );
  const all = reached.flatMap((variant) =>
    kindOf(variant[name]) === "fixed" || kindOf(variant[name]) === "one_of" ? values(variant[name]) : [],
  );
  return all.filter((value, i) => !here.some((v) => same(v, value)) && all.findIndex((v) => same(v, value)) === i);
}

/** What is chosen once `value` is: where it needs other amounts, the nearest that go with it, above rather than below. */
export function choosing(form, chosen, name, value) {
  const wanted = { ...chosen, [name]: value };
  const fields = fieldsOf(form, wanted);
  const field = fields.find((one) => one.name === name);
  if (!field?.more?.some((v) => same(v, value))) return wanted;
  const amounts = fields.filter((one) => one.kind === "amount" && one.value !== undefined);
  const ways = form.variants
    .filter((variant) => name in variant && admits(variant[name], value))
    .map((variant) =>
      Object.fromEntries(
        amounts
          .filter((one) => one.name in variant)
          .map((one) => [one.name, nearest(joined([variant[one.name]]), one.value)]),
      ),
    );
  const far = (way) => amounts.reduce((sum, one) => sum + Math.abs((way[one.name] ?? one.value) - one.value), 0);
  return { ...wanted, ...ways.sort((a, b) => far(a) - far(b))[0] };
}

function nearest(ranges, value) {
  return ranges.some((r) => admits(r, value)) ? value : (nextAmount(ranges, value, 1) ?? mostAmount(ranges));
}

/** What is still to be chosen. */
export function blanksOf(fields) {
  return fields
    .filter(
      (field) =>
        field.shown && (field.value === undefined || (field.kind === "choose" && field.min > 0 && !field.value.length)),
    )
    .map((field) => field.name);
}

/** The arguments as they stand, without what is not chosen. */
export function argsOf(fields) {
  const args = {};
  for (const field of fields) if (field.value !== undefined && field.value !== null) args[field.name] = field.value;
  return args;
}

/** Is some variant answered in full by these fields? */
export function isWhole(form, fields) {
  const args = argsOf(fields);
  return form.variants.some((variant) => {
    const names = Object.keys(variant);
    return (
      names.length === Object.keys(args).length &&
      names.every((name) => name in args && admits(variant[name], args[name]))
    );
  });
}

/** A move that only wants a press: nothing to choose. */
export function isPlain(form) {
  return fieldsOf(form, {}).every((field) => !field.shown);
}
