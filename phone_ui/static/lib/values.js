// Plain data: paths into it, and the kinds of values.

/**
 * Return the value at a dotted path such as `table.spots.0.number`, or undefined if a step is missing.
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
 * Return whether this is a record or a map.
 * @param {any} value
 * @returns {boolean}
 */
export const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * Return whether two values are equal as data.
 * @param {any} a
 * @param {any} b
 */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A printed card that the hub cannot identify. */
export const UNKNOWN = "?";

/**
 * Return whether this is a printed card, or a hand with some. The other cards in such a hand are known to all by their backs.
 * @param {any} value
 */
export const isUnknown = (value) => value === UNKNOWN || (Array.isArray(value) && value.includes(UNKNOWN));

/**
 * Return whether all members of `some` are in `all`, counting repetitions.
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
 * Return the values in their order, without repetitions.
 * @param {any[]} values
 * @returns {any[]}
 */
export const distinct = (values) => values.filter((value, i) => values.findIndex((other) => same(other, value)) === i);
