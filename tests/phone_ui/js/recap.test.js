import assert from "node:assert/strict";
import { test } from "node:test";
import { recap, recapName } from "../../../phone_ui/static/lib/recap.js";

/** @returns {any} */
const ended = () => ({
  name: "Table 1",
  title: "Bidness",
  game: "bidness",
  seats: [
    { seat: 1, name: "Ana" },
    { seat: 2, name: "" },
  ],
  over: { winners: [2], scores: { 1: 4, 2: 9 }, why: "Seat 2 has the most." },
  played: { 1: "Ana", 2: "" },
  highlights: ["The highest bid of 3: Seat 1 bids $90."],
  events: [],
});
const evening = new Date(2026, 10, 2, 22, 30);

test("a recap says what was played, who won and what is worth telling", () => {
  assert.equal(
    recap(null, ended(), 1, evening),
    [
      "Bidness, Table 1, 2026-11-02",
      "",
      "Seat 2 wins. Seat 2 has the most.",
      "",
      "1. Seat 2: 9",
      "2. Ana: 4",
      "",
      "The highest bid of 3: Ana bids $90.",
      "",
      "Saved at seat 1, as Ana.",
      "",
    ].join("\r\n"),
  );
  assert.equal(recapName(ended(), evening), "bidness-2026-11-02.txt");
});

test("a recap names who played, whoever sits there by now", () => {
  const state = ended();
  state.seats[0].name = "Somebody Else";
  assert.match(recap(null, state, 1, evening), /2\. Ana: 4/);
});

test("who watched, and a match without facts, have a recap as well", () => {
  const state = { ...ended(), highlights: [] };
  assert.ok(!recap(null, state, null, evening).includes("Kept at"));
});
