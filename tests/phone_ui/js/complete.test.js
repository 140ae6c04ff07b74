import assert from "node:assert/strict";
import test from "node:test";
import { complete } from "../../../phone_ui/static/lib/complete.js";

const SMALLEST = /** @type {any} */ ({
  v: 1,
  table: "1",
  seq: 2,
  seats: [{ seat: 1 }, { seat: 2, name: "Bo", held: true }],
});

test("a state gets the fields that it was sent without, and keeps those that it has", () => {
  const state = complete({ ...SMALLEST, paused: 2, locked: [1] });
  assert.deepEqual([state.match, state.notices, state.volume], [null, [], 60]);
  assert.deepEqual([state.paused, state.locked, state.seq], [2, [1], 2]);
  assert.deepEqual([state.seats[0].name, state.seats[0].phone], ["", "none"]);
  assert.deepEqual([state.seats[1].name, state.seats[1].held, state.seats[1].wish], ["Bo", true, ""]);
});

test("so does the demonstration of a screen's state", () => {
  const state = complete({ ...SMALLEST, demonstration: SMALLEST });
  assert.deepEqual(/** @type {any} */ (state).demonstration.events, []);
  assert.equal(/** @type {any} */ (complete({ ...SMALLEST, demonstration: null })).demonstration, null);
});
