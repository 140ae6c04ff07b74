import assert from "node:assert/strict";
import { test } from "node:test";
import { subscribe } from "../../../phone_ui/static/lib/stream.js";
import { notOlder } from "../../../phone_ui/static/lib/view.js";
import { FakeClock, FakeSource } from "./fakes.js";

function setUp() {
  const clock = new FakeClock();
  /** @type {FakeSource[]} */
  const sources = [];
  /** @type {any[]} */
  const heard = [];
  const stream = subscribe("/t/1/events", {
    onState: (state) => heard.push(state),
    onAway: (away) => heard.push(away ? "away" : "back"),
    clock,
    open: (address) => {
      const source = new FakeSource(address);
      sources.push(source);
      return /** @type {any} */ (source);
    },
  });
  return { clock, sources, heard, stream };
}

test("states come through, and a beat is enough to be believed alive", () => {
  const { clock, sources, heard } = setUp();
  sources[0].say({ seq: 1 });
  for (let i = 0; i < 10; i += 1) {
    clock.pass(2_000);
    sources[0].beat();
  }
  assert.deepEqual(heard, [{ seq: 1 }]);
  assert.equal(sources.length, 1);
});

test("silence is said once, tried again every two seconds, and over with the next word", () => {
  const { clock, sources, heard } = setUp();
  clock.pass(3_000);
  assert.deepEqual(heard, []);
  clock.pass(1_000);
  assert.deepEqual(heard, ["away"]);
  assert.equal(sources.length, 2);
  assert.ok(sources[0].closed);
  clock.pass(6_000);
  assert.deepEqual(heard, ["away"]);
  assert.ok(sources.length >= 4);
  sources.at(-1)?.say({ seq: 2 });
  assert.deepEqual(heard, ["away", "back", { seq: 2 }]);
});

test("a stream that is closed opens nothing more", () => {
  const { clock, sources, stream } = setUp();
  stream.close();
  clock.pass(60_000);
  stream.wake();
  assert.equal(sources.length, 1);
  assert.ok(sources[0].closed);
  assert.equal(clock.timers.size, 0);
});

test("waking drops the old connection for a new one", () => {
  const { sources, stream } = setUp();
  stream.wake();
  assert.equal(sources.length, 2);
  assert.ok(sources[0].closed);
});

test("a later life of the hub is newer, whatever it has counted", () => {
  assert.ok(notOlder(null, { epoch: 1, seq: 1 }));
  assert.ok(notOlder({ epoch: 1, seq: 9 }, { epoch: 2, seq: 1 }));
  assert.ok(notOlder({ epoch: 1, seq: 9 }, { epoch: 1, seq: 9 }));
  assert.ok(!notOlder({ epoch: 1, seq: 9 }, { epoch: 1, seq: 8 }));
  assert.ok(!notOlder({ epoch: 2, seq: 1 }, { epoch: 1, seq: 99 }));
});

test("another start of the hub is newer whatever it counts, and the one before never comes back", () => {
  const before = { session: "a1", epoch: 57, seq: 900 };
  const after = { session: "b2", epoch: 1, seq: 1 };
  assert.ok(notOlder(before, after));
  assert.ok(notOlder(before, after), "asked twice");
  assert.ok(!notOlder(after, { session: "a1", epoch: 58, seq: 901 }));
  assert.ok(!notOlder(after, { session: "b2", epoch: 1, seq: 0 }));
  assert.ok(notOlder(after, { session: "c3", epoch: 1, seq: 1 }));
});
