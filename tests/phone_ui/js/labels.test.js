import assert from "node:assert/strict";
import { test } from "node:test";
import {
  faceIn,
  moveLabel,
  numberText,
  ranking,
  scoreText,
  seatOf,
  valueText,
  withDeck,
} from "../../../phone_ui/static/lib/labels.js";
import { splitAtSeats, withNames } from "../../../phone_ui/static/lib/seats.js";
import { askedSeats, nowLines, orderOf } from "../../../phone_ui/static/lib/view.js";

/** @returns {any} */
const state = () => ({
  seats: [
    { seat: 1, name: "Ana" },
    { seat: 2, name: "" },
  ],
  view: {
    phase: "bid",
    round: 3,
    table: { offers: [{ id: 7, name: "Left", owner: 2 }], row: [{ n: 4 }, { n: 9 }], order: [2, 1], leader: 1 },
    seats: { 1: { cash: 250 }, 2: { cash: 90 } },
    waiting: { seats: ["2"], secret: false },
  },
  locked: [],
  over: null,
});

test("numbers are written as the game counts them", () => {
  assert.equal(numberText(1234, { money: "cents" }), "$12.34");
  assert.equal(numberText(1200, { money: "cents" }), "$12");
  assert.equal(numberText(12, { money: "dollars" }), "$12");
  assert.equal(numberText(7, { signed: true }), "+7");
  assert.equal(numberText(-3, { signed: true }), "-3");
  assert.equal(numberText("x"), "x");
  assert.equal(scoreText({ screen: { scored: ["IOU", "IOUs"] } }, 1), "1 IOU");
  assert.equal(scoreText({ screen: { scored: ["IOU", "IOUs"] } }, 2), "2 IOUs");
});

test("a move's label names what is chosen, and a dot where something is still to be chosen", () => {
  /** @type {import("../../../phone_ui/static/lib/types.d.ts").Labels} */
  const labels = {
    moves: { give: { label: "Give {amount} to {target}" } },
    parameters: { amount: { money: "dollars", one: "a single dollar" } },
  };
  assert.equal(moveLabel(labels, state(), "give", { amount: 5, target: 1 }), "Give $5 to Ana");
  assert.equal(moveLabel(labels, state(), "give", { amount: 1, target: 2 }), "Give a single dollar to Seat 2");
  assert.equal(moveLabel(labels, state(), "give", { amount: 5 }, ["target"]), "Give $5 to …");
  assert.equal(moveLabel(null, state(), "take_all", {}), "Take all");
});

test("several cards in a label have commas between them, or are called as the game's data says", () => {
  const parameters = { cards: { card: true } };
  const label = (/** @type {string | undefined} */ join, cards = ["Haunted", "Gigantic", "Hat"]) =>
    moveLabel({ moves: { launch: { label: "Launch {cards}", join } }, parameters }, state(), "launch", { cards });
  assert.equal(label(undefined), "Launch Haunted, Gigantic, Hat");
  assert.equal(label("{description} {product}"), "Launch Haunted Gigantic Hat");
  assert.equal(label("{product}: {description}"), "Launch Haunted: Gigantic: Hat");
  assert.equal(label("{description} {product}", ["Hat"]), "Launch Hat");
  assert.equal(label("{description} {product}", []), "Launch");
});

test("a covered card has no name in a label, though it is chosen", () => {
  const labels = { moves: { play: { label: "Play {card}" } }, parameters: { card: { card: true } } };
  assert.equal(moveLabel(labels, state(), "play", { card: "ace" }, ["card"]), "Play …");
});

test("a value stands for a record, a seat, a gap or a card", () => {
  const labels = {
    parameters: {
      offer: { record: "table.offers", title: "{name} spot", by: "owner" },
      place: { between: "table.row" },
      side: { who: { up: "table.leader" } },
    },
    face: { key: "n", kind: "kind", title: "{n}", tag: "", action: "action" },
  };
  assert.equal(valueText(labels, state(), "m", "offer", 7), "Left spot");
  assert.equal(seatOf(labels, state().view, "offer", 7), 2);
  assert.equal(seatOf(labels, state().view, "side", "up"), 1);
  assert.equal(seatOf(labels, state().view, "side", "down"), undefined);
  assert.equal(seatOf(labels, state().view, "target", 2), 2);
  assert.equal(valueText(labels, state(), "m", "place", 0), "left of 4");
  assert.equal(valueText(labels, state(), "m", "place", 1), "between 4 and 9");
  assert.equal(valueText(labels, state(), "m", "place", 2), "right of 9");
  assert.equal(valueText(labels, state(), "m", "other", true), "Yes");
  assert.equal(valueText(labels, state(), "m", "other", ["a_b", "c"]), "A b, C");
});

test("a card is told by name, and a card of the state by what is printed on it", () => {
  const labels = {
    cards: { perch: { name: "Perch", letter: "P" }, mower: { name: "Mower", letter: "M", Flown: "It flies." } },
    face: { key: "id", kind: "kind", title: "{number}", tag: "{price:+}", action: "action" },
  };
  const card = { id: "c7", number: 33, price: -7, kind: "mower", action: "Flown" };
  assert.equal(faceIn(labels, "perch")?.full, "Perch");
  assert.equal(faceIn(labels, "nothing"), null);
  const deck = withDeck(labels, [{ row: [card] }]);
  const face = faceIn(deck, "c7");
  assert.deepEqual([face?.title, face?.tag, face?.full, face?.text], ["33", "-7", "33 (-7) Mower Flown", "It flies."]);
});

test("sentences are cut at seats, and a name takes the place of a number", () => {
  assert.deepEqual(splitAtSeats("Seat 2 pays seat 1, at once."), [2, " pays ", 1, ", at once."]);
  assert.deepEqual(splitAtSeats(null), []);
  assert.equal(withNames(state(), "Seat 1 beats Seat 2"), "Ana beats Seat 2");
});

test("the winners stand first, then the highest, or the least where that is best", () => {
  const over = { winners: [3], scores: { 1: 5, 2: 9, 3: 1 } };
  assert.deepEqual(
    ranking(null, over).map(({ seat }) => seat),
    [3, 2, 1],
  );
  assert.deepEqual(
    ranking({ screen: { best: "least" } }, over).map(({ seat }) => seat),
    [3, 1, 2],
  );
});

test("the big line is the first template that says something, and nobody is no seat", () => {
  const screen = {
    order: "table.order",
    phase: { bid: { main: ["{table.none}", "Seat {seat} bids"], caption: "round {round}" } },
  };
  assert.deepEqual(nowLines({ screen }, state()), { main: "Seat 2 bids", caption: "round 3" });
  const idle = state();
  idle.view.waiting = { seats: [] };
  assert.equal(nowLines({ screen }, idle).main, "");
  assert.deepEqual(orderOf({ screen }, state().view), [2, 1]);
});

test("a roller is one of those who are waited for", () => {
  assert.deepEqual(askedSeats({ waiting: { seats: ["4", "2"], roll: { seat: 3 } } }), [2, 3, 4]);
  assert.deepEqual(askedSeats(null), []);
});
