import "./nacl.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClient, FakeClock } from "./fakes.js";

const { Channel, newKeys, toBase64 } = await import("../../../phone_ui/static/lib/encryption.js");
const { connect, mqttAddress } = await import("../../../phone_ui/static/lib/link.js");

const SEAT = "th/1/hub/1/seat/sid1";
const STATE = "th/1/hub/1/pub/state";
const LOST = "This seat was freed. Choose a seat to continue.";

/** A phone that holds seat 2, and the hub at the other end. */
class Rig {
  /** @param {{ epoch?: number }} [options] */
  constructor(options = {}) {
    const phone = newKeys();
    const hub = newKeys();
    this.channel = new Channel(phone.publicKey, hub.secretKey);
    this.clock = new FakeClock();
    /** @type {FakeClient[]} */
    this.clients = [];
    /** @type {any[]} */
    this.heard = [];
    let number = 0;
    const login = { sid: "sid1", user: "sid1", password: "pw", hub: "hub", table: "1", seat: 2 };
    this.link = connect({
      held: { ...login, sk: toBase64(phone.secretKey), pk: "", hubkey: toBase64(hub.publicKey), n: 0 },
      address: "ws://hub/mqtt",
      dial: (_address, options) => {
        const client = new FakeClient(options);
        this.clients.push(client);
        return /** @type {any} */ (client);
      },
      nextNumber: () => {
        number += 1;
        return number;
      },
      onPublic: (state) => this.heard.push(["state", state.seq]),
      onHand: (hand) => this.heard.push(["hand", hand.seq]),
      onAway: (away) => this.heard.push(["away", away]),
      onSeatLost: (sentence) => this.heard.push(["gone", sentence]),
      clock: this.clock,
      ...options,
    });
  }

  get client() {
    return /** @type {FakeClient} */ (this.clients.at(-1));
  }

  /** @param {number} seq */
  state(seq, epoch = 1, retained = true) {
    this.client.deliver(STATE, new TextEncoder().encode(JSON.stringify({ epoch, seq, seats: [] })), retained);
  }

  /** @param {number} seq */
  hand(seq, epoch = 1) {
    this.client.deliver(`${SEAT}/hand`, this.channel.encrypt({ session: "", epoch, seq, number: 17 }), true);
  }

  /** @param {any} answer */
  answer(answer) {
    this.client.deliver(`${SEAT}/ack`, this.channel.encrypt(answer));
  }

  /** @param {string} word */
  status(word) {
    this.client.deliver("th/1/hub/status", new TextEncoder().encode(word), true);
  }

  sit() {
    this.client.accept();
    this.state(1);
    this.hand(1);
  }

  /** The requests that the phone has published over its present connection, opened. */
  get requests() {
    const acts = this.client.published.filter(({ topic }) => topic === `${SEAT}/act`);
    return acts.map(({ payload }) => this.channel.decrypt(payload));
  }

  /** Let time pass at a hub that answers pings. */
  passAlive(/** @type {number} */ milliseconds) {
    for (let passed = 0; passed < milliseconds; passed += 500) {
      this.clock.pass(500);
      this.client.pong();
    }
  }
}

test("the address of the broker is the page's own", () => {
  assert.equal(mqttAddress({ protocol: "http:", host: "10.42.0.1:8080" }), "ws://10.42.0.1:8080/mqtt");
  assert.equal(mqttAddress({ protocol: "https:", host: "hub" }), "wss://hub/mqtt");
});

test("a phone that is let in says so, listens, and shows what comes", () => {
  const rig = new Rig();
  assert.deepEqual(rig.client.options.will, { topic: `${SEAT}/online`, payload: "", retain: true, qos: 1 });
  rig.sit();
  assert.deepEqual(rig.client.topics, [STATE, `${SEAT}/hand`, `${SEAT}/ack`, "th/1/hub/status"]);
  const [online] = rig.client.published;
  assert.deepEqual([online.topic, online.options.retain], [`${SEAT}/online`, true]);
  assert.deepEqual(rig.heard, [
    ["state", 1],
    ["hand", 1],
  ]);
});

test("an older message never replaces a newer one", () => {
  const rig = new Rig();
  rig.sit();
  rig.state(9);
  rig.state(8);
  rig.hand(9);
  rig.hand(8);
  rig.state(1, 2);
  assert.deepEqual(rig.heard.slice(2), [
    ["state", 9],
    ["hand", 9],
    ["state", 1],
  ]);
});

test("a request before anything has come counts for the state that the page shows", () => {
  const rig = new Rig({ epoch: 5 });
  rig.link.send("ready", { ready: true });
  rig.client.accept();
  rig.state(1, 5);
  assert.deepEqual(
    rig.requests.map(({ verb, epoch }) => [verb, epoch]),
    [["ready", 5]],
  );
  rig.state(2, 6);
  rig.link.send("ready", { ready: false });
  assert.equal(rig.requests.at(-1).epoch, 6);
});

test("a request carries the number of the question it answers and is answered once", async () => {
  const rig = new Rig();
  rig.sit();
  const answered = rig.link.send("act", { move: "pass" });
  const [request] = rig.requests;
  assert.deepEqual(
    { ...request, id: "" },
    { v: 1, id: "", n: 1, epoch: 1, number: 17, verb: "act", args: { move: "pass" } },
  );
  assert.match(request.id, /^[0-9a-f]{16}$/);
  rig.answer({ re: "0".repeat(16), ok: true });
  rig.answer({ re: request.id, ok: false, error: "Not now.", code: "X" });
  assert.deepEqual(await answered, { re: request.id, ok: false, error: "Not now.", code: "X" });
});

test("an unanswered request is sent again as the same one, and given up with a sentence", async () => {
  const rig = new Rig();
  rig.sit();
  const answered = rig.link.send("ready");
  rig.passAlive(9_000);
  assert.match((await answered).error ?? "", /did not answer/);
  assert.ok(rig.requests.length >= 4);
  assert.deepEqual(new Set(rig.requests.map(({ id, n }) => `${id} ${n}`)).size, 1);
});

test("what was asked before a connection broke is asked again over the next one", async () => {
  const rig = new Rig();
  rig.sit();
  const answered = rig.link.send("ready");
  const [{ id }] = rig.requests;
  rig.client.lose();
  rig.clock.pass(500);
  assert.equal(rig.clients.length, 2);
  rig.client.accept();
  assert.equal(rig.requests.length, 0);
  rig.state(2);
  assert.deepEqual(
    rig.requests.map((request) => request.id),
    [id],
  );
  rig.answer({ re: id, ok: true, error: null, code: null });
  assert.ok((await answered).ok);
});

test("a link that blinks is restored without a word; one that stays away is said, and when it is back", () => {
  const rig = new Rig();
  rig.sit();
  rig.client.lose();
  rig.clock.pass(1_000);
  rig.client.accept();
  rig.state(2);
  assert.deepEqual(rig.heard.at(-1), ["state", 2]);
  rig.client.lose();
  rig.clock.pass(4_000);
  assert.deepEqual(rig.heard.at(-1), ["away", true]);
  rig.client.accept();
  rig.state(3);
  assert.deepEqual(rig.heard.slice(-2), [
    ["away", false],
    ["state", 3],
  ]);
});

test("a silent connection is pinged, then dropped", () => {
  const rig = new Rig();
  rig.sit();
  const first = rig.client;
  rig.clock.pass(3_500);
  assert.ok(first.pings > 0);
  rig.clock.pass(3_500);
  assert.ok(first.ended);
  assert.equal(rig.clients.length, 2);
});

test("a broker that lets a phone in and tells it nothing is dialled anew", () => {
  const rig = new Rig();
  rig.client.accept();
  rig.passAlive(7_000);
  assert.equal(rig.clients.length, 2);
});

test("a phone that has missed a hand or a state asks for both again", () => {
  for (const lost of ["hand", "state"]) {
    const rig = new Rig();
    rig.sit();
    if (lost === "hand") rig.state(2);
    else rig.hand(2);
    rig.passAlive(2_000);
    assert.equal(rig.clients.length, 1);
    rig.passAlive(1_000);
    assert.equal(rig.clients.length, 2);
    rig.client.accept();
    rig.state(2);
    rig.hand(2);
    rig.passAlive(30_000);
    assert.equal(rig.clients.length, 2);
  }
});

test("a phone that slept does not trust its old connection", () => {
  const rig = new Rig();
  rig.sit();
  rig.clock.sleep(5_200); // shorter than a silence that would do without sleep
  rig.clock.pass(500);
  assert.equal(rig.clients.length, 2);
  assert.ok(rig.clients[0].ended);
});

test("a hub that says it is offline is away though the broker answers", () => {
  const rig = new Rig();
  rig.sit();
  rig.status('{"state":"offline"}');
  rig.passAlive(3_500);
  assert.deepEqual(rig.heard.at(-1), ["away", true]);
  rig.state(2, 1, false);
  assert.deepEqual(rig.heard.slice(-2), [
    ["away", false],
    ["state", 2],
  ]);
});

test("a wiped hand is a seat given back, said once", () => {
  const rig = new Rig();
  rig.sit();
  const { client } = rig;
  client.deliver(`${SEAT}/hand`, new Uint8Array(), false);
  assert.deepEqual(rig.heard.at(-1), ["gone", LOST]);
  assert.ok(client.ended);
  rig.clock.pass(60_000);
  assert.equal(rig.clients.length, 1);
  assert.equal(rig.heard.filter(([kind]) => kind === "gone").length, 1);
});

test("a hand that does not open comes from a hub with another key", () => {
  const rig = new Rig();
  rig.sit();
  rig.client.deliver(`${SEAT}/hand`, new Uint8Array(600), true);
  assert.match(rig.heard.at(-1)[1], /new key/);
});

test("a refused login is no seat lost, however often: a broker that starts may not know it yet", () => {
  const rig = new Rig();
  for (let i = 0; i < 60; i += 1) {
    rig.client.refuse(5);
    rig.clock.pass(500);
  }
  rig.sit();
  assert.equal(rig.heard.filter(([kind]) => kind === "gone").length, 0);
  assert.deepEqual(rig.heard.at(-1), ["hand", 1]);
});

test("the seat is given up when the hub says so as it closes the socket, and by no other close", () => {
  const rig = new Rig();
  for (const code of [1000, 1001, 1006, 1008, 1011, 1013]) {
    rig.client.closeSocket(code);
    rig.clock.pass(500);
  }
  assert.equal(rig.heard.filter(([kind]) => kind === "gone").length, 0);
  rig.client.closeSocket(4001);
  assert.deepEqual(rig.heard.at(-1), ["gone", LOST]);
  const dialled = rig.clients.length;
  rig.clock.pass(60_000);
  assert.equal(rig.clients.length, dialled);
});

test("a socket that was dropped before says nothing of the seat any more", () => {
  const rig = new Rig();
  const [first] = rig.clients;
  rig.link.wake();
  first.closeSocket(4001);
  assert.equal(rig.heard.filter(([kind]) => kind === "gone").length, 0);
});

test("closing ends what was asked, without a sentence", async () => {
  const rig = new Rig();
  rig.sit();
  const answered = rig.link.send("ready");
  rig.link.close();
  assert.deepEqual(await answered, { ok: false, error: null, code: null });
  assert.equal(rig.clock.timers.size, 0);
});
