import assert from "node:assert/strict";
import { test } from "node:test";
import { revealedValues } from "../../../phone_ui/static/lib/view.js";

/** @param {Record<string, unknown>} bids */
const shown = (bids) =>
  revealedValues({ n: 1, text: "", rule: null, kind: "reveal", data: { bids } }).map(
    ({ seat, text, highest }) => `${seat}: ${text}${highest ? "!" : ""}`,
  );

test("the highest of what was revealed stands out, also where two have it", () => {
  assert.deepEqual(shown({ 1: 5, 2: 2, 3: 6 }), ["1: 5", "2: 2", "3: 6!"]);
  assert.deepEqual(shown({ 1: 6, 2: 2, 3: 6 }), ["1: 6!", "2: 2", "3: 6!"]);
});

test("where all are equal, or no numbers, none stands out", () => {
  assert.deepEqual(shown({ 1: 4, 2: 4 }), ["1: 4", "2: 4"]);
  assert.deepEqual(shown({ 1: "eel", 2: [3, 8] }), ["1: eel", "2: 3 8"]);
});

test("what is still secret, and an event without values, shows nothing", () => {
  assert.deepEqual(shown({ 1: null, 2: 7 }), ["2: 7"]);
  assert.deepEqual(revealedValues({ n: 1, text: "", rule: null, kind: "reveal", data: {} }), []);
});
