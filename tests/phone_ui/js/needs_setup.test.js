// When the big screen asks people to set up the hub.

import assert from "node:assert/strict";
import { test } from "node:test";

import { needsSetup } from "../../../phone_ui/static/lib/needs_setup.js";

/** @type {any} */
const NEW = { setup: "http://10.42.0.1:8080/setup#pin=123456", state: "lobby", claiming: [], seats: [{ seat: 1 }] };

test("a new hub at which nobody is asks for it", () => {
  assert.equal(needsSetup(NEW), true);
});

test("any sign of people, and a hub that is set up, shows the lobby", () => {
  for (const more of [
    { setup: "" },
    { setup: undefined }, // a screen that is not the table's own
    { state: "playing" },
    { state: "over" },
    { claiming: [1] },
    { seats: [{ seat: 1, held: true }] },
    { seats: [{ seat: 1, ready: true }] },
  ])
    assert.equal(needsSetup({ ...NEW, ...more }), false, JSON.stringify(more));
});
