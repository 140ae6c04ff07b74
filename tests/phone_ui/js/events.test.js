import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { allEvents } from "../../../phone_ui/static/lib/events.js";
import { withEvents } from "../../../phone_ui/static/lib/kept_events.js";

/** @param {number} from @param {number} to @returns {any[]} events from one number to before another */
const events = (from, to) => Array.from({ length: to - from }, (_, at) => ({ n: from + at, data: {} }));

/** @param {number} seq @param {number} from @param {number} to @param {object} more @returns {any} */
const state = (seq, from, to, more = {}) => ({
  table: "1",
  session: "s",
  epoch: 1,
  match: "m-1",
  seq,
  events: events(from, to),
  stood_in: {},
  ...more,
});

/** @type {string[]} */
let asked = [];

/**
 * A hub that knows a match of so many events; null: it does not answer.
 * @param {number | null} known
 * @param {object} more
 */
function hub(known, more = {}) {
  asked = [];
  mock.method(globalThis, "fetch", async (/** @type {string} */ address) => {
    asked.push(address);
    if (known === null) throw new TypeError("no network");
    const end = Math.min(Number(/(\d+)\.json$/.exec(address)?.[1]), known);
    const page = { match: "m-1", epoch: 1, events: events(Math.max(0, end - 100), end), stood_in: { 2: [3] }, ...more };
    return { ok: true, text: async () => JSON.stringify(page) };
  });
}

afterEach(() => mock.restoreAll());

const settled = () => new Promise((resolve) => setTimeout(resolve));

/** @param {{ events: { n: number }[] }} state @returns {string} "12-29": the first event and the last of a list without a gap */
function span({ events: list }) {
  assert.deepEqual(
    list.map(({ n }) => n),
    list.map((_, at) => list[0].n + at),
  );
  return `${list[0]?.n}-${list.at(-1)?.n}`;
}

/** @returns {{ seen: any[], take: (next: any) => void }} */
function page() {
  /** @type {any[]} */
  const seen = [];
  return { seen, take: withEvents((one) => seen.push(one)) };
}

test("what states brought is kept while they follow one another, and nobody is asked", () => {
  hub(null);
  const { seen, take } = page();
  take(state(1, 0, 2));
  take(state(2, 0, 9));
  take(state(3, 4, 12, { stood_in: { 9: [1] } }));
  take(state(4, 4, 12));
  assert.deepEqual(seen.map(span), ["0-1", "0-8", "0-11", "0-11"]);
  assert.deepEqual(seen.at(-1).stood_in, { 9: [1] });
  assert.deepEqual(asked, []);
});

test("a page that is opened in the middle asks once for what was before", async () => {
  hub(1000);
  const { seen, take } = page();
  take(state(1, 42, 50));
  take(state(2, 43, 51));
  await settled();
  take(state(3, 44, 52));
  assert.deepEqual(seen.map(span), ["42-49", "42-50", "0-50", "0-51"]);
  assert.deepEqual(asked, ["/t/1/events/42.json"]);
  assert.deepEqual(seen.at(-1).stood_in, { 2: [3] });
});

test("what was missed comes before what is newer, all of it in its order", async () => {
  hub(1000);
  const { seen, take } = page();
  take(state(1, 0, 5));
  take(state(2, 12, 20, { want: "Seat 2 bids." }));
  assert.equal(span(seen[1]), "0-4");
  assert.equal(seen[1].want, "Seat 2 bids.", "all else is new at once");
  take(state(3, 30, 38));
  await settled();
  assert.equal(span(seen.at(-1)), "0-37");
  assert.deepEqual(asked, ["/t/1/events/12.json", "/t/1/events/30.json"]);
});

test("where the hub does not answer the newer events are shown", async () => {
  hub(null);
  const { seen, take } = page();
  take(state(1, 0, 5));
  take(state(2, 12, 20));
  await settled();
  assert.equal(span(seen.at(-1)), "12-19");
  take(state(3, 13, 21));
  await settled();
  assert.equal(span(seen.at(-1)), "12-20");
  assert.equal(asked.length, 1, "it is not asked again and again");
});

test("after something was taken back nothing of before is kept", async () => {
  hub(1000, { epoch: 2 });
  const { seen, take } = page();
  take(state(1, 0, 12));
  take(state(2, 20, 28)); // missed some; the hub is a step further when it answers
  take(state(3, 0, 11, { epoch: 2 }));
  await settled();
  assert.deepEqual(seen.map(span), ["0-11", "0-11", "0-10"]);
});

test("an older state changes nothing", () => {
  hub(null);
  const { seen, take } = page();
  take(state(5, 0, 5));
  take(state(4, 0, 4));
  assert.equal(seen.length, 1);
});

test("not more than a hundred and those of the newest state are kept", () => {
  hub(null);
  const { seen, take } = page();
  for (let length = 0; length < 300; length += 5) take(state(length, Math.max(0, length - 8), length));
  assert.equal(span(seen.at(-1)), "195-294");
});

test("all events of a match are asked for page by page", async () => {
  hub(1000);
  const all = await allEvents(state(1, 230, 238));
  assert.equal(span({ events: all }), "0-237");
  assert.equal(asked.length, 3);
  hub(1000, { epoch: 2 });
  await assert.rejects(allEvents(state(1, 230, 238)));
});
