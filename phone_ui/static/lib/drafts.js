// The changes of the configuration that staff have typed and not saved yet.

import { same } from "./values.js";

/** @import { SettingChange } from "./messages.d.ts" */
/** @import { Facts } from "./types.d.ts" */

/** @typedef {(string | number)[]} Path the keys that lead to a value, with numbers from 0 in lists of blocks */

/**
 * Return the value at a path, or undefined.
 * @param {any} values
 * @param {Path} at
 */
export const valueAt = (values, at) => at.reduce((inner, step) => inner?.[step], values);

/**
 * Return values with one change more; null removes a key.
 * @param {any} values
 * @param {Path} at
 * @param {any} to
 * @returns {any}
 */
function placed(values, [first, ...rest], to) {
  const copy = typeof first === "number" ? [...(values ?? [])] : { ...values };
  copy[first] = rest.length ? placed(copy[first], rest, to) : to;
  if (copy[first] === null) delete copy[first];
  return copy;
}

/** The changes, in the order in which they were begun. It is never changed itself. */
export class Draft {
  /**
   * @param {Facts} values what the file says
   * @param {SettingChange[]} changes
   */
  constructor(values, changes = []) {
    this.values = values;
    this.changes = changes;
  }

  /**
   * What the file would say.
   * @returns {Facts}
   */
  get result() {
    return this.changes.reduce((values, { at, to }) => placed(values, at, to), this.values);
  }

  /**
   * Return the draft with a value changed. A change back to what the file says is none.
   * @param {Path} at
   * @param {any} to null removes the key
   */
  with(at, to) {
    const index = this.changes.findIndex((one) => same(one.at, at));
    const isNone = same(valueAt(this.values, at) ?? null, to);
    const others = this.changes.filter((_, i) => i !== index);
    if (isNone) return new Draft(this.values, others);
    return new Draft(this.values, index < 0 ? [...others, { at, to }] : this.changes.with(index, { at, to }));
  }

  /**
   * Return whether a block is new.
   * @param {Path} at
   */
  isNew(at) {
    return valueAt(this.values, at) === undefined;
  }

  /**
   * Return the draft without a new block, or without any change below a path. Later new blocks of its list move up.
   * @param {Path} at
   */
  without(at) {
    const number = at.length - 1;
    const isInList = (/** @type {Path} */ other) => same(other.slice(0, number), at.slice(0, number));
    const changes = this.changes
      .filter((one) => !same(one.at.slice(0, at.length), at))
      .map((one) =>
        isInList(one.at) && one.at[number] > at[number]
          ? { ...one, at: one.at.with(number, Number(one.at[number]) - 1) }
          : one,
      );
    return new Draft(this.values, changes);
  }
}
