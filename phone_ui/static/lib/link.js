// The phone's link to its table: MQTT over WebSocket on the page's own port. Pages only use {onPublic, onHand, onAway,
// onSeatLost} and send(verb, args). A new version of the hub does not reload the page, because that would close an open hand
// and discard half-made choices.

import { complete } from "./complete.js";
import { Channel, fromBase64, keyFrom, randomHex } from "./encryption.js";
import { message, readMessage } from "./language.js";
import { browserClock } from "./stream.js";
import { notOlder } from "./view.js";

/** @import { Act, Ack, Hand, HubStatus, PublicState } from "./messages.d.ts" */
/** @import { Answer, Clock, Facts, Held } from "./types.d.ts" */
/** @import { IClientOptions, MqttClient } from "mqtt" */

const TICK = 500;
// An unanswered request is sent again with the same id.
const ASK_AGAIN = 1_500;
const GIVE_UP = 8_000;
const PING_AFTER = 2_500;
const DEAD_AFTER = 6_000;
// A tick later than this comes after a sleep.
const SLEPT = 5_000;
const SAY_AWAY_AFTER = 3_000;
// How long state and hand may be of different moments; then one was lost, and the link reconnects.
const TORN_FOR = 2_000;
const CONNECTION = { clean: true, keepalive: 20, reconnectPeriod: 0, connectTimeout: 4_000, resubscribe: false };
/** The hub closes a WebSocket with this code if no seat has the login (phone_ui/gateway.py). */
const SEAT_GIVEN_BACK = 4001;

const SEAT_LOST = message("This seat was freed. Choose a seat to continue.");
const NEW_KEY = message("The hub has a new key. Scan the code on the screen again.");
const NO_ANSWER = message("The hub did not answer. Look at the table, then try once more.");

/**
 * The needs and callbacks of a link. `dial` opens an MQTT connection, `nextNumber` returns rising request numbers, and
 * `onSeatLost` is called once when this phone has lost the seat.
 * @typedef {object} LinkOptions
 * @property {Held} held
 * @property {string} address
 * @property {(address: string, options: IClientOptions) => MqttClient} dial
 * @property {() => number} nextNumber
 * @property {number} [epoch] that of the state which the page shows before this connection brings one
 * @property {(state: PublicState) => void} onPublic
 * @property {(hand: Hand) => void} onHand
 * @property {(away: boolean) => void} onAway
 * @property {(sentence: string) => void} onSeatLost
 * @property {Clock} [clock]
 */

/**
 * Connect a held seat. `wake` replaces the socket by a new one, after a sleep, a hidden page or a change of network.
 * `send` resolves with the hub's answer.
 * @param {LinkOptions} options
 * @returns {{ send: (verb: Act["verb"], args?: Facts) => Promise<Answer>, wake: () => void, close: () => void }}
 */
export function connect(options) {
  const link = new Link(options);
  link.dial();
  return {
    send: (verb, args = {}) => link.send(verb, args),
    wake: () => link.wake(),
    close: () => link.close(),
  };
}

/**
 * Return the MQTT address of the page's own hub.
 * @param {{ protocol: string, host: string }} location
 */
export function mqttAddress({ protocol, host }) {
  return `${protocol === "https:" ? "wss" : "ws"}://${host}/mqtt`;
}

/** @param {Held} held */
function topicsOf({ hub, table, sid }) {
  const seat = `th/1/${hub}/${table}/seat/${sid}`;
  return {
    state: `th/1/${hub}/${table}/pub/state`,
    status: `th/1/${hub}/status`,
    hand: `${seat}/hand`,
    ack: `${seat}/ack`,
    act: `${seat}/act`,
    online: `${seat}/online`,
  };
}

/** Unanswered requests: they are sent again, and fail after a while. */
class Requests {
  /**
   * @param {Clock} clock
   * @param {(act: Act) => void} publish
   */
  constructor(clock, publish) {
    this.clock = clock;
    this.publish = publish;
    /** @type {Map<string, { act: Act, askedAt: number, sentAt: number, resolve: (answer: Answer) => void }>} */
    this.open = new Map();
  }

  /**
   * Send a request. Resolves with its answer.
   * @param {Act} act
   * @returns {Promise<Answer>}
   */
  ask(act) {
    return new Promise((resolve) => {
      const now = this.clock.now();
      this.open.set(act.id, { act, askedAt: now, sentAt: now, resolve });
      this.publish(act);
    });
  }

  /** @param {Ack} ack */
  answer(ack) {
    this.open.get(ack.re)?.resolve(ack);
    this.open.delete(ack.re);
  }

  /** Send every unanswered request again. */
  sendAgain() {
    for (const request of this.open.values()) {
      request.sentAt = this.clock.now();
      this.publish(request.act);
    }
  }

  /** Send requests again that have waited for long, and let those fail that have waited too long. */
  tick() {
    const now = this.clock.now();
    for (const [id, request] of this.open) {
      if (now - request.askedAt > GIVE_UP) {
        this.open.delete(id);
        request.resolve({ ok: false, error: NO_ANSWER, code: null });
      } else if (now - request.sentAt > ASK_AGAIN) {
        request.sentAt = now;
        this.publish(request.act);
      }
    }
  }

  /** End every request without a sentence. */
  close() {
    for (const request of this.open.values()) request.resolve({ ok: false, error: null, code: null });
    this.open.clear();
  }
}

class Link {
  /** @param {LinkOptions} options */
  constructor(options) {
    this.options = options;
    this.clock = options.clock ?? browserClock;
    this.topics = topicsOf(options.held);
    const hubKey = keyFrom(options.held.hubkey) ?? new Uint8Array(32);
    this.channel = new Channel(hubKey, fromBase64(options.held.sk));
    this.session = randomHex(8);
    this.requests = new Requests(this.clock, (act) => this.publish(act));
    /** @type {MqttClient | null} */
    this.client = null;
    /** @type {PublicState | null} */
    this.state = null;
    /** @type {Hand | null} */
    this.hand = null;
    const now = this.clock.now();
    // Data of the table arrived over this connection.
    this.live = false;
    this.hubIsUp = true;
    // As reported to the page.
    this.away = false;
    this.closed = false;
    this.heardAt = now;
    this.dialledAt = now;
    this.lostAt = now;
    this.tickedAt = now;
    // When state and hand were last of the same moment.
    this.wholeAt = now;
    this.stopTicking = this.clock.every(TICK, () => this.tick());
  }

  // --- the connection ----------------------------------------------------------------------------------

  /** Open a new connection, in place of the present one. */
  dial() {
    this.drop();
    if (this.closed) return;
    const { held, address, dial } = this.options;
    const client = dial(address, {
      ...CONNECTION,
      createWebsocket: (url, protocols) => this.openSocket(url, protocols, () => this.client === client),
      clientId: held.user,
      username: held.user,
      password: held.password,
      will: { topic: this.topics.online, payload: /** @type {any} */ (""), retain: true, qos: 1 },
    });
    this.client = client;
    this.heardAt = this.dialledAt = this.wholeAt = this.clock.now();
    client.on("packetreceive", () => {
      this.heardAt = this.clock.now();
    });
    client.on("connect", () => this.connected(client));
    client.on("message", (topic, payload, packet) => this.receive(topic, payload, packet.retain));
    // A broker may refuse a login that it does not have yet: only the hub ends a seat.
    client.on("error", () => undefined);
    client.on("close", () => {
      if (this.client !== client) return;
      this.client = null;
      this.markLost();
    });
  }

  /** @param {MqttClient} client */
  connected(client) {
    const { state, hand, ack, status, online } = this.topics;
    // QoS 0: retained messages are complete and numbered, TCP keeps the order, and requests with lost answers are repeated.
    client.subscribe([state, hand, ack], { qos: 0 });
    client.subscribe(status, { qos: 0 }, () => undefined);
    client.publish(online, JSON.stringify({ session: this.session }), { qos: 1, retain: true });
  }

  /**
   * Open the socket of a connection. The hub's close code says whether this phone has lost the seat.
   * @param {string} url
   * @param {string[]} protocols
   * @param {() => boolean} isPresent returns whether the connection is still the present one
   */
  openSocket(url, protocols, isPresent) {
    const socket = new WebSocket(url, protocols);
    socket.addEventListener("close", ({ code }) => {
      if (code === SEAT_GIVEN_BACK && isPresent()) this.loseSeat(SEAT_LOST);
    });
    return socket;
  }

  drop() {
    const old = this.client;
    this.client = null;
    old?.removeAllListeners();
    // Ignore late errors of the ended connection.
    old?.on("error", () => undefined);
    old?.end(true);
    this.markLost();
  }

  markLost() {
    if (this.live) this.lostAt = this.clock.now();
    this.live = false;
  }

  wake() {
    this.tickedAt = this.clock.now();
    this.dial();
  }

  close() {
    this.closed = true;
    this.stopTicking();
    this.drop();
    this.requests.close();
  }

  /** @param {string} sentence */
  loseSeat(sentence) {
    if (this.closed) return;
    this.close();
    this.options.onSeatLost(sentence);
  }

  // --- from the hub ------------------------------------------------------------------------------------

  /**
   * @param {string} topic
   * @param {Uint8Array} payload
   * @param {boolean} retained
   */
  receive(topic, payload, retained) {
    if (topic === this.topics.state) this.receiveState(payload, retained);
    else if (topic === this.topics.hand) this.receiveHand(payload);
    else if (topic === this.topics.ack) this.receiveAck(payload);
    else if (topic === this.topics.status) this.receiveStatus(payload);
  }

  /**
   * @param {Uint8Array} payload
   * @param {boolean} retained
   */
  receiveState(payload, retained) {
    // A new message proves that the hub is up, whatever its last status.
    if (!retained) this.hubIsUp = true;
    /** @type {PublicState} */
    const state = complete(readMessage(new TextDecoder().decode(payload)));
    this.markLive();
    if (!notOlder(this.state, state)) return;
    this.state = state;
    this.options.onPublic(state);
  }

  /** @param {Uint8Array} payload */
  receiveHand(payload) {
    if (!payload.length) return this.loseSeat(SEAT_LOST);
    /** @type {Hand | null} */
    const hand = this.channel.decrypt(payload);
    if (!hand) return this.loseSeat(NEW_KEY);
    this.markLive();
    if (!notOlder(this.hand, hand)) return undefined;
    this.hand = hand;
    return this.options.onHand(hand);
  }

  /** @param {Uint8Array} payload */
  receiveAck(payload) {
    /** @type {Ack | null} */
    const ack = this.channel.decrypt(payload);
    if (ack) this.requests.answer(ack);
  }

  /** @param {Uint8Array} payload */
  receiveStatus(payload) {
    this.hubIsUp = statusIn(payload) !== "offline";
    if (!this.hubIsUp) this.lostAt = this.clock.now();
  }

  markLive() {
    if (!this.live) {
      this.live = true;
      this.requests.sendAgain();
    }
    this.reportAway();
  }

  // --- time --------------------------------------------------------------------------------------------

  tick() {
    const now = this.clock.now();
    const slept = now - this.tickedAt > SLEPT;
    this.tickedAt = now;
    const silence = now - this.heardAt;
    // Pings are answered, but no data of the table arrives.
    const mute = !this.live && now - this.dialledAt > DEAD_AFTER;
    if (!this.isTorn()) this.wholeAt = now;
    const torn = now - this.wholeAt > TORN_FOR;
    if (slept || mute || torn || silence > DEAD_AFTER || !this.client) this.dial();
    else if (silence > PING_AFTER && this.client.connected) this.client.sendPing();
    this.reportAway();
    this.requests.tick();
  }

  /** Return whether the newest state and the newest hand are of different moments. */
  isTorn() {
    const { state, hand } = this;
    return Boolean(state && hand) && (state?.session !== hand?.session || state?.seq !== hand?.seq);
  }

  reportAway() {
    const there = this.live && this.hubIsUp;
    const away = !there && this.clock.now() - this.lostAt >= SAY_AWAY_AFTER;
    if (away === this.away || (!away && !there)) return;
    this.away = away;
    this.options.onAway(away);
  }

  // --- to the hub --------------------------------------------------------------------------------------

  /**
   * Send a request. Resolves with the hub's answer, or with an error sentence after 8 s without one.
   * @param {Act["verb"]} verb
   * @param {Facts} args
   */
  send(verb, args) {
    const epoch = this.hand?.epoch ?? this.state?.epoch ?? this.options.epoch ?? 0;
    const number = this.hand?.number ?? null;
    return this.requests.ask({ v: 1, id: randomHex(16), n: this.options.nextNumber(), epoch, number, verb, args });
  }

  /** @param {Act} act */
  publish(act) {
    if (!this.client?.connected) return;
    this.client.publish(this.topics.act, /** @type {any} */ (this.channel.encrypt(act)), { qos: 1 });
  }
}

/**
 * Return the state in a hub's status. A broker may send it as a bare word.
 * @param {Uint8Array} payload
 * @returns {string}
 */
function statusIn(payload) {
  const text = new TextDecoder().decode(payload);
  try {
    return /** @type {HubStatus} */ (JSON.parse(text)).state;
  } catch {
    return text;
  }
}
