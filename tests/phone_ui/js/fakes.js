// A clock that stands still until it is moved, an event source and an MQTT client whose other end is the test.

import { EventEmitter } from "node:events";

/** @import { Clock } from "../../../phone_ui/static/lib/types.d.ts" */

/** @implements {Clock} */
export class FakeClock {
  constructor() {
    this.time = 1_000_000;
    /** @type {Set<{ milliseconds: number, due: number, call: () => void }>} */
    this.timers = new Set();
  }

  now() {
    return this.time;
  }

  /**
   * @param {number} milliseconds
   * @param {() => void} call
   */
  every(milliseconds, call) {
    const timer = { milliseconds, due: this.time + milliseconds, call };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  }

  /**
   * Let time pass; what falls due is called in its order.
   * @param {number} milliseconds
   */
  pass(milliseconds) {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = [...this.timers].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.time = next.due;
      next.due += next.milliseconds;
      next.call();
    }
    this.time = end;
  }

  /**
   * Sleep as a phone does: nothing is called meanwhile.
   * @param {number} milliseconds
   */
  sleep(milliseconds) {
    this.time += milliseconds;
    for (const timer of this.timers) timer.due = this.time + timer.milliseconds;
  }
}

/** An EventSource; `say` and `beat` are the hub's. */
export class FakeSource {
  /** @param {string} address */
  constructor(address) {
    this.address = address;
    this.closed = false;
    /** @type {() => void} */
    this.onopen = () => undefined;
    /** @type {(event: { data: string }) => void} */
    this.onmessage = () => undefined;
    /** @type {() => void} */
    this.beat = () => undefined;
  }

  /**
   * @param {string} _name
   * @param {() => void} call
   */
  addEventListener(_name, call) {
    this.beat = call;
  }

  /** @param {unknown} state */
  say(state) {
    this.onmessage({ data: JSON.stringify(state) });
  }

  close() {
    this.closed = true;
  }
}

/** A WebSocket that leads nowhere. */
class FakeSocket extends EventTarget {}
globalThis.WebSocket = /** @type {any} */ (FakeSocket);

/** An MQTT client as mqtt.js gives one; the test is the broker. */
export class FakeClient extends EventEmitter {
  /** @param {Record<string, any>} options */
  constructor(options) {
    super();
    this.options = options;
    this.socket = options.createWebsocket("ws://hub/mqtt", ["mqtt"], options);
    this.connected = false;
    this.ended = false;
    this.pings = 0;
    /** @type {string[]} */
    this.topics = [];
    /** @type {{ topic: string, payload: any, options: any }[]} */
    this.published = [];
  }

  /** @param {string | string[]} topics */
  subscribe(topics) {
    this.topics.push(...[topics].flat());
  }

  /**
   * @param {string} topic
   * @param {any} payload
   * @param {any} options
   */
  publish(topic, payload, options) {
    this.published.push({ topic, payload, options });
  }

  sendPing() {
    this.pings += 1;
  }

  end() {
    this.ended = true;
    this.connected = false;
  }

  // --- what the broker does

  accept() {
    this.connected = true;
    this.emit("packetreceive");
    this.emit("connect");
  }

  /** @param {number} code of RFC 6455, section 7.4 */
  closeSocket(code) {
    this.socket.dispatchEvent(Object.assign(new Event("close"), { code }));
    this.lose();
  }

  /** @param {number} code */
  refuse(code) {
    this.emit("error", Object.assign(new Error("refused"), { code }));
    this.emit("close");
  }

  /**
   * @param {string} topic
   * @param {Uint8Array} payload
   * @param {boolean} [retain]
   */
  deliver(topic, payload, retain = false) {
    this.emit("packetreceive");
    this.emit("message", topic, payload, { retain });
  }

  pong() {
    this.emit("packetreceive");
  }

  lose() {
    this.connected = false;
    this.emit("close");
  }
}
