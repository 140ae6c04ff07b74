import assert from "node:assert/strict";
import { test } from "node:test";
import { revealedValues } from "../../../phone_ui/static/lib/view.js";

/**
 * @param {Record<string, unknown>} bids
 * @param {Record<string, string>} [marks]
 */
const shown = (bids, marks) =>
  revealedValues({ n: 1, text: "", rule: null, kind: "reveal", data: { bids, marks } }).map(
    ({ seat, text, mark }) => `${seat}: ${text}${mark && ` ${mark}`}`,
  );

test("what stands out of a reveal is what the rules say, not the highest number", () => {
  assert.deepEqual(shown({ 1: 6, 2: 2, 3: 6 }, { 1: "tied", 2: "first", 3: "tied" }), [
    "1: 6 tied",
    "2: 2 first",
    "3: 6 tied",
  ]);
});

test("where the rules say nothing, none stands out", () => {
  assert.deepEqual(shown({ 1: 4, 2: 6 }), ["1: 4", "2: 6"]);
  assert.deepEqual(shown({ 1: "eel", 2: [3, 8] }), ["1: eel", "2: 3 8"]);
});

test("what is still secret, and an event without values, shows nothing", () => {
  assert.deepEqual(shown({ 1: null, 2: 7 }), ["2: 7"]);
  assert.deepEqual(revealedValues({ n: 1, text: "", rule: null, kind: "reveal", data: {} }), []);
});
