// The big screen's stream. The hub's own machine gets it unencrypted. A screen on another machine proves the token of its
// link, encrypted for the hub's key, and gets a stream that only this page can decrypt.

import { Channel, fromBase64, keyFrom, newKeys, randomHex, toBase64 } from "./encryption.js";
import { slot } from "./storage.js";

/** @import { ScreenAlive, ScreenBeat, ScreenBox, ScreenOpening, ScreenSecret, ScreenSession } from "./messages.d.ts" */
/** @import { Source } from "./types.d.ts" */

const BEAT_MS = 5_000;
const PATIENCE = 5_000;

/** The hub does not accept this screen's link. */
class NotPaired extends Error {}

/** The screen of a table: its link, its streams, and its reports that the page is alive. */
export class OwnScreen {
  /**
   * @param {string} table
   * @param {string} hash the fragment of the page's address: `k` is the hub's key, `s` the token
   * @param {(refused: boolean) => void} onRefused called with whether the hub refuses the link
   */
  constructor(table, hash, onRefused) {
    const given = new URLSearchParams(hash.slice(1));
    const stored = slot(`th/screen/${table}`);
    const named = given.get("s");
    /** @type {{ k: string | null, s: string } | null} */
    const link = named ? { k: given.get("k"), s: named } : stored.get();
    if (named && link) stored.set(link);
    this.path = `/t/${table}/screen`;
    this.hub = keyFrom(link?.k);
    this.token = link?.s ?? "";
    this.onRefused = onRefused;
    const id = given.get("screen") ?? "";
    /** The id of the page, given by the program that started this browser. */
    this.id = /^[0-9a-f]{16}$/.test(id) ? id : randomHex(16);
    this.session = "";
    /** @type {Channel | null} */
    this.channel = null;
    this.beats = 0;
    this.beatAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Open the stream.
   * @param {string} address the address of the public stream, which on the hub's own machine has the codes of seats
   * @returns {Source}
   */
  open(address) {
    this.channel = null;
    return this.token ? new PairedSource(this, address) : new EventSource(address);
  }

  /**
   * Report to the hub that this page is alive, when a beat of its stream arrives; at most every five seconds.
   * @param {boolean} own whether the hub shows this screen the codes of seats
   * @param {number} now in milliseconds
   */
  beat(own, now = performance.now()) {
    if (!own || now - this.beatAt < BEAT_MS) return;
    this.beatAt = now;
    /** @type {ScreenAlive} */
    let alive = { screen: this.id };
    if (this.channel) {
      this.beats += 1;
      const { nonce, box } = this.channel.box(/** @type {ScreenBeat} */ ({ n: this.beats }));
      alive = { screen: this.id, session: this.session, nonce: toBase64(nonce), box: toBase64(box) };
    }
    post(`${this.path}/alive`, alive).catch(() => undefined); // the next beat is sent anyway
  }

  /**
   * Prove the token. Throws NotPaired if the hub refuses it, another error if it does not answer.
   * @returns {Promise<{ address: string, channel: Channel }>}
   */
  async pair() {
    if (!this.hub) throw new NotPaired();
    const keys = newKeys();
    const channel = new Channel(this.hub, keys.secretKey);
    const { nonce, box } = channel.box(/** @type {ScreenSecret} */ ({ token: this.token }));
    /** @type {ScreenOpening} */
    const body = { pk: toBase64(keys.publicKey), nonce: toBase64(nonce), box: toBase64(box) };
    const answer = await post(`${this.path}/open`, body);
    if (answer.status === 403) throw new NotPaired();
    if (!answer.ok) throw new Error(`The hub answers ${answer.status}.`);
    /** @type {ScreenBox} */
    const sealed = await answer.json();
    /** @type {ScreenSession | null} */
    const opened = channel.unbox(fromBase64(sealed.nonce), fromBase64(sealed.box));
    if (!opened) throw new NotPaired();
    this.session = opened.session;
    this.channel = channel;
    this.beats = 0;
    return { address: `${this.path}/events?session=${opened.session}`, channel };
  }
}

/**
 * An EventSource that pairs first, and decrypts. If the hub refuses the link, it is the public stream.
 * @implements {Source}
 */
class PairedSource {
  /**
   * @param {OwnScreen} screen
   * @param {string} everybody
   */
  constructor(screen, everybody) {
    /** @type {Source["onopen"]} */
    this.onopen = null;
    /** @type {Source["onmessage"]} */
    this.onmessage = null;
    /** @type {[string, () => void][]} */
    this.listeners = [];
    /** @type {EventSource | null} */
    this.source = null;
    this.closed = false;
    this.open(screen, everybody).catch(() => undefined); // on failure it stays silent, so the follower opens a new one
  }

  /**
   * @param {OwnScreen} screen
   * @param {string} everybody
   */
  async open(screen, everybody) {
    let address = everybody;
    /** @type {Channel | null} */
    let channel = null;
    try {
      ({ address, channel } = await screen.pair());
      screen.onRefused(false);
    } catch (error) {
      if (!(error instanceof NotPaired)) throw error;
      screen.onRefused(true);
    }
    if (this.closed) return;
    this.source = new EventSource(address);
    this.source.onopen = () => this.onopen?.(null);
    for (const [name, listener] of this.listeners) this.source.addEventListener(name, listener);
    this.source.onmessage = ({ data }) => {
      const text = channel ? channel.text(fromBase64(data)) : data;
      if (text !== null) this.onmessage?.({ data: text });
    };
  }

  /**
   * @param {string} name
   * @param {() => void} listener
   */
  addEventListener(name, listener) {
    this.listeners.push([name, listener]);
    this.source?.addEventListener(name, listener);
  }

  close() {
    this.closed = true;
    this.source?.close();
  }
}

/**
 * @param {string} address
 * @param {object} body
 */
const post = (address, body) =>
  fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
