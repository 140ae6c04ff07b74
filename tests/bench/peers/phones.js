// node phones.js: bare phones at our hub, beside clients.js: a WebSocket, MQTT's packets, libsodium's boxes, no page.
//
// Told {"port", "key", "table", "seats": [{"sid", "password", "secret"}]}, six of them log in at a table. Asked {"begin": GAME,
// "options": {}}, those of the newest table start it. What else they are asked stands in match.js; {"moves": N, "seq": S} is from that state on. A
// move is over when the phone that acted has its answer and all six hold a hand at least as new. They read every public state, too,
// as a page does.

import { createRequire } from "node:module";
import { pick, serve, Waiting } from "./match.js";

const installed = createRequire(new URL("../../../phone_ui/package.json", import.meta.url));
const WebSocket = installed("ws");
const mqtt = installed("mqtt-packet");
const sodium = installed("libsodium-wrappers");
await sodium.ready;

const BLOCK = 512;
const PATIENCE = 5000;
const PING = 20_000;
const bytes = (text) => sodium.from_base64(text, sodium.base64_variants.URLSAFE_NO_PADDING);

class Phone extends Waiting {
  constructor({ sid, password, secret }, port, key, table) {
    super();
    this.sid = sid;
    this.shared = sodium.crypto_box_beforenm(bytes(key), bytes(secret));
    this.root = `th/1/hub/${table}`;
    this.n = 0;
    this.hand = null;
    this.answers = new Map();
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, "mqtt", { perMessageDeflate: false });
    const parser = mqtt.parser({ protocolVersion: 4 });
    parser.on("packet", (one) => this.hear(one));
    this.socket.on("message", (data) => parser.parse(data));
    const login = { clientId: sid, username: sid, password: Buffer.from(password), keepalive: 60, clean: true };
    this.socket.on("open", () => this.send({ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, ...login }));
    this.socket.on("close", () => console.error(`The connection of a phone at ${this.root} has ended.`));
    setInterval(() => this.send({ cmd: "pingreq" }), PING).unref(); // else the broker ends it after 90 s
  }

  send(packet) {
    this.socket.send(mqtt.generate(packet));
  }

  hear({ cmd, topic, payload }) {
    if (cmd === "connack") {
      const own = [`${this.root}/pub/state`, `${this.root}/seat/${this.sid}/hand`, `${this.root}/seat/${this.sid}/ack`];
      const subscriptions = own.map((topic) => ({ topic, qos: 0 }));
      this.send({ cmd: "subscribe", messageId: 1, subscriptions });
    }
    if (cmd !== "publish") return;
    if (topic.endsWith("/state")) {
      this.state = JSON.parse(payload);
      return;
    }
    const padded = sodium.crypto_box_open_easy_afternm(payload.subarray(24), payload.subarray(0, 24), this.shared);
    const said = JSON.parse(Buffer.from(padded.buffer, padded.byteOffset, padded.lastIndexOf(0x80)).toString());
    if (topic.endsWith("/hand")) this.hand = said;
    else this.answers.set(said.re, said);
    this.noticed?.();
  }

  see(seq) {
    return this.until(() => this.hand && this.hand.seq >= seq);
  }

  /** Ask for something; resolves with the number of the state that it led to. */
  async ask(verb, args) {
    this.n += 1;
    const id = this.n.toString(16).padStart(16, "0");
    const { epoch, number } = this.hand;
    const text = Buffer.from(JSON.stringify({ v: 1, id, n: this.n, epoch, number, verb, args }));
    const padded = sodium.pad(text, BLOCK);
    const nonce = sodium.randombytes_buf(24);
    const payload = Buffer.concat([nonce, sodium.crypto_box_easy_afternm(padded, nonce, this.shared)]);
    this.send({
      cmd: "publish",
      topic: `${this.root}/seat/${this.sid}/act`,
      payload,
      qos: 1,
      messageId: this.n % 65535 || 1,
    });
    const { ok, error, seq } = await this.until(() => this.answers.get(id));
    this.answers.delete(id);
    if (!ok) throw new Error(`${verb}: ${error}`);
    return seq;
  }
}

const below = (limit) => Math.floor(Math.random() * limit);

function legal(of) {
  if (of?.one_of) return pick(of.one_of);
  if (of?.order) return of.order;
  if (of?.choose) return of.from.slice(0, of.choose.min + below(of.choose.max - of.choose.min + 1));
  if (of?.max === undefined) return of;
  const { min, max, step = 1 } = of;
  return min + step * below(Math.floor((max - min) / step) + 1);
}

const chosen = ({ standing, ...offer }) =>
  Object.fromEntries(Object.entries(offer).map(([name, of]) => [name, legal(of)]));

class Match {
  async sit({ port, key, table, seats }) {
    this.phones = seats.map((seat) => new Phone(seat, port, key, table));
    await Promise.all(this.phones.map((phone) => phone.see(0)));
    return this;
  }

  async begin(game, options = {}) {
    for (const phone of this.phones.slice(1)) await this.step(phone, "ready", { ready: true });
    await this.step(this.phones[0], "start", { game, options });
  }

  see(seq) {
    return Promise.all(this.phones.map((phone) => phone.see(seq)));
  }

  /** One request, until everybody has seen what came of it; milliseconds. */
  async step(phone, verb, args) {
    const began = performance.now();
    await this.see(await phone.ask(verb, args));
    return performance.now() - began;
  }

  /** Until somebody is asked for something, or the match is over: between two rounds nobody is. */
  asked() {
    const [first] = this.phones;
    const open = ({ hand: { faces, moves, locked } }) => faces || (moves.length && !locked);
    return first.until(
      () => this.phones.some(open) || (first.state.state === "over" && first.hand.seq >= first.state.seq),
    );
  }

  /** Somebody's legal request, told from the hands alone; null where the match is over. */
  next() {
    for (const phone of this.phones) {
      const { faces, moves, locked } = phone.hand;
      if (faces) return [phone, "roll", { faces: Array.from({ length: faces.count }, () => 1 + below(faces.sides)) }];
      if (moves.length && !locked) return [phone, "act", chosen(pick(moves))];
    }
    return null;
  }

  /** The game that is over once more: at once, as all others are ready. */
  async again() {
    for (const phone of this.phones.slice(1)) await this.step(phone, "ready", { ready: true });
    const [first] = this.phones;
    const { epoch } = first.hand;
    await this.step(first, "again", {});
    await Promise.all(this.phones.map((phone) => phone.until(() => phone.hand.epoch !== epoch)));
  }

  async move() {
    for (;;) {
      await this.asked();
      const request = this.next();
      if (request) return this.step(...request);
      await this.again();
    }
  }

  /** All seats act in the same instant, in a round for which nobody has acted yet; how many of them are taken. */
  async atOnce() {
    while (!this.phones.every(({ hand: { moves, locked } }) => moves.length && !locked)) {
      await this.move();
    }
    const asked = this.phones.map((phone) => phone.ask("act", chosen(pick(phone.hand.moves))));
    const late = new Promise((_, refuse) => setTimeout(refuse, PATIENCE, new Error("late")));
    const answers = await Promise.allSettled(asked.map((one) => Promise.race([one, late])));
    const taken = answers.filter(({ status }) => status === "fulfilled").map(({ value }) => value);
    await this.see(Math.max(0, ...taken));
    return taken.length;
  }
}

const matches = [];
serve(matches, null, async (asked) => {
  if (asked.seats) matches.push(await new Match().sit(asked));
  if (asked.begin) await matches.at(-1).begin(asked.begin, asked.options);
  return {};
});
