// What staff look at first, and the addresses of the staff page's parts.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addressOf,
  callNames,
  callsElsewhere,
  callsOf,
  isSilent,
  noticesOf,
  placeIn,
  tablePlace,
  troubleOf,
} from "../../../phone_ui/static/lib/staff_venue.js";

const CALL = { key: "help:2", severity: "warning", text: "Seat 2 calls for help." };
const IDLE = { key: "idle", severity: "info", text: "Nobody plays." };
const LOST = { key: "device:box", severity: "warning", text: "A box is lost." };
const DISK = { key: "disk", severity: "error", text: "The disk is full." };

/** @type {(name: string, more?: any) => any} */
const table = (name, { notices = [], faults = [], screens = [] } = {}) => ({
  public: { table: name, name: `Table ${name}`, notices },
  faults,
  screens,
});
/** @type {(name: string, calls: number) => any} */
const seen = (name, calls) => ({ table: name, name: `Table ${name}`, calls });

test("a call is no notice to look at, and a notice is no call", () => {
  /** @type {any} */
  const venue = { tables: [table("1", { notices: [LOST] }), table("2", { notices: [IDLE, CALL] })] };
  assert.deepEqual(callsOf(venue), [{ key: "2 help:2", state: venue.tables[1].public, notice: CALL }]);
  assert.deepEqual(noticesOf(venue.tables[1]), [IDLE]);
  assert.deepEqual(noticesOf(venue.tables[0]), [LOST]);
});

test("other hubs count only while they are there, and only tables with calls", () => {
  const hubs = [
    { hub: "north", state: "own", tables: [seen("1", 1)] },
    { hub: "south", state: "here", tables: [seen("1", 2), seen("2", 0)] },
    { hub: "west", state: "away", tables: [seen("1", 1)] },
  ];
  /** @type {any} */
  const venue = { tables: [table("1", { notices: [CALL] })], upstream: { hubs } };
  assert.deepEqual(callsElsewhere(venue), [{ key: "south/1", hub: "south", table: seen("1", 2) }]);
  assert.deepEqual(callsElsewhere(/** @type {any} */ ({ tables: [] })), []);
  assert.deepEqual(callNames(venue), ["1 help:2", "south/1 0", "south/1 1"]);
  assert.deepEqual(callNames(null), []);
});

test("the trouble of a table: notices, faults and silent screens, but not what is only said", () => {
  assert.deepEqual(troubleOf(table("1")), { calls: false, warnings: 0, isError: false });
  assert.deepEqual(troubleOf(table("1", { notices: [IDLE] })), { calls: false, warnings: 0, isError: false });
  assert.deepEqual(troubleOf(table("1", { notices: [CALL, LOST] })), { calls: true, warnings: 1, isError: false });
  assert.deepEqual(troubleOf(table("1", { notices: [DISK] })), { calls: false, warnings: 1, isError: true });
  const faults = [{ what: "A cable.", severity: "warning" }];
  /** @type {any[]} */
  const screens = [{ seconds: 29 }, { seconds: 30 }];
  assert.deepEqual(troubleOf(table("1", { faults, screens })), { calls: false, warnings: 2, isError: false });
  assert.deepEqual(screens.map(isSilent), [false, true]);
});

test("an address names one place, and keeps everything else", () => {
  const at = (/** @type {string} */ search) => ({ pathname: "/staff", search, hash: "#k=abc" });
  assert.equal(placeIn(""), "");
  assert.equal(placeIn("?language=de"), "");
  assert.equal(placeIn("?table="), "");
  assert.equal(placeIn("?language=de&table=2"), "table=2");
  assert.equal(placeIn("?part=hub"), "part=hub");
  assert.equal(placeIn("?part=hub&table=2"), "table=2");
  assert.equal(placeIn(`?${tablePlace("bar & garden")}`), tablePlace("bar & garden"));
  assert.equal(addressOf("table=2", at("")), "/staff?table=2#k=abc");
  assert.equal(addressOf("table=2", at("?part=hub&language=de")), "/staff?language=de&table=2#k=abc");
  assert.equal(addressOf("", at("?table=2")), "/staff#k=abc");
});
