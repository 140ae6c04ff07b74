// Plain data: paths into it, and what kind of value something is.

/**
 * Return the value at a dotted path such as `table.spots.0.number`; undefined where a step is missing.
 * @param {any} root
 * @param {string} path
 * @returns {any}
 */
export function at(root, path) {
  let value = root;
  for (const step of path.split(".")) {
    if (value === null || value === undefined) return undefined;
    value = value[step];
  }
  return value;
}

/**
 * Is this a record, or a map?
 * @param {any} value
 * @returns {boolean}
 */
export const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * Are two values equal as data?
 * @param {any} a
 * @param {any} b
 */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A printed card: the hub knows that it is there, and not which it is. */
export const UNKNOWN = "?";

/**
 * Is it a printed card, or a hand with some, which people hold? What else is in such a hand all know by its back.
 * @param {any} value
 */
export const isUnknown = (value) => value === UNKNOWN || (Array.isArray(value) && value.includes(UNKNOWN));

/**
 * Is every member of `some` in `all`, each as often?
 * @param {any[]} some
 * @param {any[]} all
 */
export function within(some, all) {
  const left = all.map((value) => JSON.stringify(value));
  return some.every((value) => {
    const index = left.indexOf(JSON.stringify(value));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

/**
 * Return the values without repetitions, in their order.
 * @param {any[]} values
 * @returns {any[]}
 */
export const distinct = (values) => values.filter((value, i) => values.findIndex((other) => same(other, value)) === i);
