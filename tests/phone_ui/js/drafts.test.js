import assert from "node:assert/strict";
import { test } from "node:test";
import { Draft, valueAt } from "../../../phone_ui/static/lib/drafts.js";

const VALUES = {
  web: { port: 8080 },
  table: [{ id: "1" }],
  device: [{ driver: "eink" }, { driver: "gpio_box", boxes: [{ id: "a" }] }],
};

test("a change shows in the result, and the values of the file stay", () => {
  const draft = new Draft(VALUES).with(["web", "port"], 80).with(["hub", "id"], "bar").with(["table", 0, "seats"], 5);
  assert.deepEqual(draft.result.web, { port: 80 });
  assert.deepEqual(draft.result.hub, { id: "bar" });
  assert.deepEqual(draft.result.table, [{ id: "1", seats: 5 }]);
  assert.equal(VALUES.web.port, 8080);
});

test("a second change of a key replaces the first one, where it was", () => {
  const draft = new Draft(VALUES).with(["web", "port"], 80).with(["hub", "id"], "bar").with(["web", "port"], 81);
  assert.deepEqual(draft.changes, [
    { at: ["web", "port"], to: 81 },
    { at: ["hub", "id"], to: "bar" },
  ]);
});

test("a change back to what the file says is none", () => {
  const draft = new Draft(VALUES).with(["web", "port"], 80).with(["hub", "id"], "bar");
  assert.deepEqual(draft.with(["web", "port"], 8080).changes, [{ at: ["hub", "id"], to: "bar" }]);
  assert.deepEqual(draft.with(["hub", "id"], null).changes, [{ at: ["web", "port"], to: 80 }]);
});

test("a removed key is not in the result", () => {
  const draft = new Draft(VALUES).with(["web", "port"], null);
  assert.deepEqual(draft.changes, [{ at: ["web", "port"], to: null }]);
  assert.deepEqual(draft.result.web, {});
});

test("a new block is filled before it is saved, and left out with all that was typed in it", () => {
  const draft = new Draft(VALUES)
    .with(["device", 2], { driver: "led_strip" })
    .with(["device", 2, "gap"], 3)
    .with(["device", 3], { driver: "eink" })
    .with(["device", 3, "name"], "wall");
  assert.deepEqual(draft.result.device.slice(2), [
    { driver: "led_strip", gap: 3 },
    { driver: "eink", name: "wall" },
  ]);
  assert.equal(draft.isNew(["device", 2]), true);
  assert.equal(draft.isNew(["device", 1]), false);
  assert.deepEqual(draft.without(["device", 2]).changes, [
    { at: ["device", 2], to: { driver: "eink" } },
    { at: ["device", 2, "name"], to: "wall" },
  ]);
  assert.deepEqual(draft.without(["device", 3]).changes.length, 2);
});

test("a block inside of a block is new, too, and the first of its list", () => {
  const draft = new Draft(VALUES)
    .with(["device", 0, "boxes", 0], { id: "b" })
    .with(["device", 1, "boxes", 1], { id: "c" });
  assert.deepEqual(valueAt(draft.result, ["device", 0, "boxes"]), [{ id: "b" }]);
  assert.deepEqual(valueAt(draft.result, ["device", 1, "boxes", 1, "id"]), "c");
  assert.equal(valueAt(draft.result, ["device", 7, "boxes"]), undefined);
  assert.deepEqual(draft.without(["device", 0, "boxes", 0]).changes, [
    { at: ["device", 1, "boxes", 1], to: { id: "c" } },
  ]);
});
