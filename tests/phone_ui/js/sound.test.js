import assert from "node:assert/strict";
import { test } from "node:test";
import { listener, tonesOf } from "../../../phone_ui/static/lib/sound.js";

/** @param {Record<string, unknown>} change @returns {any} */
const state = (change = {}) => ({
  session: "s",
  epoch: 1,
  match: "m-1",
  locked: [],
  revealed: null,
  events: [{ n: 3, kind: "round" }],
  notices: [],
  over: null,
  ...change,
});

/** @param {any[]} states */
const heard = (...states) => {
  const ears = listener();
  return states.map((one) => ears.soundsFor(one).join(" "));
};

const roll = { n: 4, kind: "roll" };
const time = { key: "time", text: "Last orders: the time for this table ends at 22:00." };

test("a lock, a reveal, a die, the end and last orders each have a sound", () => {
  assert.deepEqual(heard(state(), state({ locked: [2] })), ["", "lock"]);
  assert.deepEqual(heard(state({ locked: [2] }), state({ revealed: 7 })), ["", "reveal"]);
  assert.deepEqual(heard(state(), state({ events: [roll] })), ["", "die"]);
  assert.deepEqual(heard(state(), state({ over: { winners: [1] } })), ["", "win"]);
  assert.deepEqual(heard(state(), state({ notices: [time] })), ["", "orders"]);
});

test("nothing sounds twice", () => {
  const all = { locked: [2], revealed: 7, events: [roll], over: { winners: [1] }, notices: [time] };
  assert.deepEqual(heard(state(), state(all), state(all), state({ ...all, notices: [] }), state(all)), [
    "",
    "lock reveal die win orders",
    "",
    "",
    "",
  ]);
});

test("each further lock, roll and reveal sounds again", () => {
  const again = { n: 5, kind: "roll" };
  assert.deepEqual(heard(state({ locked: [2] }), state({ locked: [2, 4] })), ["", "lock"]);
  assert.deepEqual(heard(state({ events: [roll] }), state({ events: [roll, again] })), ["", "die"]);
  assert.deepEqual(heard(state({ revealed: 7 }), state({ revealed: 12 })), ["", "reveal"]);
});

test("what was there when the page came does not sound", () => {
  const old = { locked: [1], revealed: 7, events: [roll], over: { winners: [1] }, notices: [time] };
  assert.deepEqual(heard(state(old), state(old)), ["", ""]);
});

test("a lock that was taken back does not sound", () => {
  assert.deepEqual(heard(state({ locked: [1, 2] }), state({ locked: [1] })), ["", ""]);
});

test("an undo, another match and another start of the hub are no news; an announcement is", () => {
  const other = { events: [roll], revealed: 9, locked: [3] };
  for (const jump of [{ epoch: 2 }, { match: "m-2" }, { session: "t", epoch: 3 }]) {
    assert.deepEqual(heard(state(), state({ ...other, ...jump })), ["", ""]);
    assert.deepEqual(heard(state({ notices: [time] }), state({ ...jump, notices: [time] })), ["", ""]);
    assert.deepEqual(heard(state(), state({ ...jump, notices: [time] })), ["", "orders"]);
  }
});

test("the second announcement of the table's time sounds, too", () => {
  const few = { key: "time", text: "A few minutes are left." };
  assert.deepEqual(heard(state({ notices: [time] }), state({ notices: [few] })), ["", "orders"]);
});

test("what happened while the page was away is not made up for", () => {
  const ears = listener();
  ears.soundsFor(state());
  ears.skip();
  assert.deepEqual(ears.soundsFor(state({ events: [roll], notices: [time] })), []);
  assert.deepEqual(ears.soundsFor(state({ events: [roll], locked: [1] })), ["lock"]);
});

test("a quiet table has no tones, and a louder one has the same, louder", () => {
  assert.deepEqual(tonesOf(["win", "lock"], 0), []);
  const [soft, loud] = [tonesOf(["reveal"], 30), tonesOf(["reveal"], 100)];
  assert.deepEqual(
    soft.map(({ hertz }) => hertz),
    loud.map(({ hertz }) => hertz),
  );
  assert.ok(soft[0].gain > 0 && soft[0].gain < loud[0].gain && loud[0].gain < 0.5);
});

test("sounds are told from each other, are short, and follow one another", () => {
  /** @type {any[]} */
  const all = ["lock", "die", "reveal", "orders", "win"];
  const each = all.map((sound) => tonesOf([sound], 60));
  assert.equal(new Set(each.map((tones) => tones.map(({ hertz }) => hertz).join())).size, all.length);
  for (const tones of each) assert.ok(Math.max(...tones.map(({ at, seconds }) => at + seconds)) <= 1.5);
  const [reveal, die] = [tonesOf(["reveal"], 60), tonesOf(["reveal", "die"], 60).slice(3)];
  assert.ok(die[0].at >= reveal[2].at + reveal[2].seconds);
});
