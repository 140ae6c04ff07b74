import assert from "node:assert/strict";
import { test } from "node:test";
import * as moves from "../../../phone_ui/static/lib/moves.js";

const { argsOf, blanksOf, choosing, fieldsOf, formsOf, isPlain, isWhole, mayJoin, nextAmount } = moves;

/**
 * @param {Record<string, any>[]} offered
 * @param {Record<string, any>[]} [barred]
 */
const onlyForm = (offered, barred) => {
  const forms = formsOf(offered, barred);
  assert.equal(forms.length, 1);
  return forms[0];
};

test("a use with different parameters asks only for what the first choice needs", () => {
  const form = onlyForm([
    { move: "use", spot: 2 },
    { move: "use", spot: 3, order: { order: [5, 6] } },
    { move: "use", spot: 10, things: { choose: { min: 1, max: 2 }, from: ["a", "b"] } },
  ]);
  /** @param {Record<string, any>} chosen */
  const after = (chosen) => {
    const fields = fieldsOf(form, chosen);
    return [fields.map(({ name }) => name), isWhole(form, fields), argsOf(fields)];
  };
  assert.deepEqual(after({}), [["spot"], false, {}]);
  assert.deepEqual(after({ spot: 2 }), [["spot"], true, { spot: 2 }]);
  assert.deepEqual(after({ spot: 3 }), [["spot", "order"], true, { spot: 3, order: [5, 6] }]);
  assert.deepEqual(after({ spot: 10 }), [["spot", "things"], false, { spot: 10, things: [] }]);
  const whole = { spot: 10, things: ["a"] };
  assert.deepEqual(after(whole), [["spot", "things"], true, whole]);
});

test("steps between several ranges never leave the legal ones", () => {
  const ranges = [
    { min: 3, max: 3, step: 1 },
    { min: 10, max: 21, step: 5 },
  ];
  /**
   * @param {number} start
   * @param {number} way
   */
  const walk = (start, way) => {
    const seen = [];
    for (let value = /** @type {number | undefined} */ (start); value !== undefined; ) {
      seen.push(value);
      value = nextAmount(ranges, value, way);
    }
    return seen;
  };
  assert.deepEqual(walk(3, 1), [3, 10, 15, 20]);
  assert.deepEqual(walk(20, -1), [20, 15, 10, 3]);
  assert.equal(nextAmount(ranges, 12, 1), 15);
  assert.equal(nextAmount(ranges, 99, -1), 20);
  assert.equal(nextAmount(ranges, 20, 1), undefined);
});

test("few amounts are keys, none of them chosen; many begin at the least, or below a gap", () => {
  assert.deepEqual(moves.fewAmounts([{ min: 1, max: 6, step: 1 }]), [1, 2, 3, 4, 5, 6]);
  assert.equal(moves.fewAmounts([{ min: 0, max: 100, step: 5 }]), null);
  /** @param {any[]} spec */
  const first = (...spec) => fieldsOf(onlyForm(spec.map((amount) => ({ move: "bid", amount }))), {})[0].value;
  assert.equal(first({ min: 1, max: 6 }), undefined);
  assert.equal(first({ min: 5, max: 500, step: 5 }), 5);
  assert.equal(first({ min: 1, max: 9 }, { min: 20, max: 40 }), 9);
});

test("a choice that needs another amount takes the nearest, above rather than below", () => {
  const form = onlyForm([
    { move: "call", count: { min: 1, max: 3 }, rank: "low" },
    { move: "call", count: { min: 5, max: 20 }, rank: "high" },
  ]);
  const [, rank] = fieldsOf(form, { count: 2 });
  assert.deepEqual([rank.value, rank.more], ["low", ["high"]]);
  assert.deepEqual(choosing(form, { count: 2 }, "rank", "high"), { count: 5, rank: "high" });
  assert.deepEqual(choosing(form, { count: 20, rank: "high" }, "rank", "low"), { count: 3, rank: "low" });
});

test("where only some sets are legal, a member joins only what goes with it", () => {
  const choose = { min: 2, max: 2 };
  const form = onlyForm([
    { move: "take", cards: { choose, from: [1, 1, 2] } },
    { move: "take", cards: { choose, from: [2, 3] } },
  ]);
  const [field] = fieldsOf(form, {});
  assert.deepEqual(field.from, [1, 1, 2, 3]);
  assert.ok(mayJoin(field, [1], 1));
  assert.ok(mayJoin(field, [3], 2));
  assert.ok(!mayJoin(field, [3], 1));
  assert.ok(!mayJoin(field, [1, 1], 2));
  assert.ok(!isWhole(form, fieldsOf(form, { cards: [1, 3] })));
  assert.ok(isWhole(form, fieldsOf(form, { cards: [3, 2] })));
});

test("an order is whole from the beginning and stays a permutation", () => {
  const form = onlyForm([{ move: "sort", cards: { order: ["a", "b", "b"] } }]);
  assert.deepEqual(argsOf(fieldsOf(form, {})), { cards: ["a", "b", "b"] });
  assert.deepEqual(argsOf(fieldsOf(form, { cards: ["b", "a", "b"] })), { cards: ["b", "a", "b"] });
  assert.deepEqual(argsOf(fieldsOf(form, { cards: ["a", "a", "b"] })), { cards: ["a", "b", "b"] });
});

test("a parameter that only some variants have may be left out", () => {
  const form = onlyForm([{ move: "roll" }, { move: "roll", with: { one_of: ["x", "y"] } }]);
  const fields = fieldsOf(form, {});
  assert.deepEqual(
    fields.map(({ name, optional, value }) => [name, optional, value]),
    [["with", true, null]],
  );
  assert.ok(isWhole(form, fields));
  assert.deepEqual(argsOf(fieldsOf(form, { with: "y" })), { with: "y" });
});

test("standing offers and answers of one name are two forms, and a bare move is plain", () => {
  const forms = formsOf([
    { move: "pass" },
    { move: "borrow", standing: true, amount: { min: 100, max: 900, step: 100 } },
  ]);
  assert.deepEqual(
    forms.map(({ move, standing }) => [move, standing]),
    [
      ["pass", false],
      ["borrow", true],
    ],
  );
  assert.deepEqual(forms.map(isPlain), [true, false]);
});

test("what is barred keeps its reason, of a move and of single values", () => {
  const barred = [
    { move: "sue", why: "Nobody is left." },
    { move: "play", card: ["a", "b"], why: "Too dear." },
  ];
  const [play, sue] = formsOf([{ move: "play", card: { one_of: ["c", "d"] } }], barred);
  assert.deepEqual([sue.why, sue.variants], ["Nobody is left.", []]);
  const [field] = fieldsOf(play, {});
  assert.deepEqual(field.barred, [
    { name: "card", value: "a", why: "Too dear." },
    { name: "card", value: "b", why: "Too dear." },
  ]);
  assert.deepEqual(blanksOf([field]), ["card"]);
});

test("the faces of dice are typed one by one, and sent when all are there", () => {
  const form = onlyForm([{ move: "rolled", faces: { faces: { count: 3, sides: 6 } } }]);
  /** @param {any} faces */
  const after = (faces) => {
    const fields = fieldsOf(form, { faces });
    return { value: fields[0].value, whole: isWhole(form, fields) };
  };
  const [{ kind, sides, max, shown }] = fieldsOf(form, {});
  assert.deepEqual([kind, sides, max, shown], ["choose", 6, 3, true]);
  assert.deepEqual(after([]), { value: [], whole: false });
  assert.deepEqual(after([6, 6]), { value: [6, 6], whole: false });
  for (const whole of [
    [6, 1, 6],
    [6, 6, 6],
    [3, 2, 1],
  ])
    assert.deepEqual(after(whole), { value: whole, whole: true });
  for (const wrong of [[7], [0], [1.5], ["1"], [1, 2, 3, 4], 5])
    assert.deepEqual(after(wrong), { value: [], whole: false });
  assert.equal(isPlain(form), false);
  const [cards] = fieldsOf(onlyForm([{ move: "swap", cards: { choose: { min: 1, max: 1 }, from: [5, 6] } }]), {});
  assert.equal(cards.sides, undefined);
});
