import assert from "node:assert/strict";
import { test } from "node:test";
import { LAMPS, lampsAt } from "../../../phone_ui/static/lib/ring.js";

/**
 * Return which lamps are lit.
 * @param {{ pattern: string, n?: number, colour?: string }} picture
 */
const lit = (picture, t = 0) => lampsAt(picture, t).flatMap(({ level }, i) => (level > 0 ? [i] : []));

test("a ring has 16 lamps, and what it does not know is dark", () => {
  assert.equal(lampsAt({ pattern: "turn" }, 1).length, LAMPS);
  assert.deepEqual(lit({ pattern: "off" }), []);
  assert.deepEqual(lit({ pattern: "no such thing" }), []);
});

test("a number is as many lamps, clockwise from the player's side", () => {
  assert.deepEqual(lit({ pattern: "number", n: 3 }), [0, 1, 2]);
  assert.equal(lit({ pattern: "number", n: 99 }).length, LAMPS);
});

test("a turn is half the ring, at the player's side", () => {
  assert.deepEqual(lit({ pattern: "turn" }), [0, 1, 2, 3, 4, 12, 13, 14, 15]);
});

test("a reveal spreads from the player's side to the whole ring in 0.3 s", () => {
  assert.deepEqual(lit({ pattern: "reveal" }), [0]);
  assert.equal(lit({ pattern: "reveal" }, 0.3).length, LAMPS);
});
