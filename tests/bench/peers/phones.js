// node phones.js: six bare phones at our hub, beside clients.js: a WebSocket, MQTT's packets, libsodium's boxes, no page.
//
// Told {"port", "key", "seats": [{"sid", "password", "secret"}]}, they log in. Asked {"begin": GAME}, they start it; asked
// {"moves": N, "seq": S} (from that state on), one of them acts at a time: over when it has its answer and all of them hold a hand at least as
// new. They read every public state, too, as a page does. Milliseconds.

import { createRequire } from "node:module";
import { answer, say } from "./asked.js";

const installed = createRequire(new URL("../../../phone_ui/package.json", import.meta.url));
const WebSocket = installed("ws");
const mqtt = installed("mqtt-packet");
const sodium = installed("libsodium-wrappers");
await sodium.ready;

const BLOCK = 512;
const pick = (values) => values[Math.floor(Math.random() * values.length)];
const bytes = (text) => sodium.from_base64(text, sodium.base64_variants.URLSAFE_NO_PADDING);

class Phone {
  constructor({ sid, password, secret }, port, key) {
    this.sid = sid;
    this.shared = sodium.crypto_box_beforenm(bytes(key), bytes(secret));
    this.root = "th/1/hub/1";
    this.n = 0;
    this.hand = null;
    this.answers = new Map();
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, "mqtt", { perMessageDeflate: false });
    const parser = mqtt.parser({ protocolVersion: 4 });
    parser.on("packet", (one) => this.hear(one));
    this.socket.on("message", (data) => parser.parse(data));
    const login = { clientId: sid, username: sid, password: Buffer.from(password), keepalive: 60, clean: true };
    this.socket.on("open", () => this.send({ cmd: "connect", protocolId: "MQTT", protocolVersion: 4, ...login }));
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

  async until(held) {
    for (;;) {
      const found = held();
      if (found) return found;
      await new Promise((resolve) => (this.noticed = resolve));
    }
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

let phones = [];

async function sit({ port, key, seats }) {
  phones = seats.map((seat) => new Phone(seat, port, key));
  await Promise.all(phones.map((phone) => phone.see(0)));
}

/** One request, until everybody has seen what came of it; milliseconds. */
async function step(phone, verb, args) {
  const began = performance.now();
  const seq = await phone.ask(verb, args);
  await Promise.all(phones.map((one) => one.see(seq)));
  return performance.now() - began;
}

async function begin(game) {
  for (const phone of phones.slice(1)) await step(phone, "ready", { ready: true });
  await step(phones[0], "start", { game, options: {} });
}

/** Somebody's legal request, told from the hands alone. */
function next() {
  for (const phone of phones) {
    const { faces, moves, locked } = phone.hand;
    if (faces) return [phone, "roll", { faces: Array.from({ length: faces.count }, () => 1 + below(faces.sides)) }];
    if (moves.length && !locked) {
      const { standing, ...offer } = pick(moves);
      return [phone, "act", Object.fromEntries(Object.entries(offer).map(([name, of]) => [name, legal(of)]))];
    }
  }
  return [phones[0], "again", {}];
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

async function move(count, seq) {
  await Promise.all(phones.map((phone) => phone.see(seq)));
  const took = [];
  while (took.length < count) {
    const [phone, verb, args] = next();
    const milliseconds = await step(phone, verb, args);
    if (verb !== "again") took.push(milliseconds);
  }
  return { took };
}

say({});
answer(async (asked) => {
  if (asked.seats) await sit(asked);
  if (asked.begin) await begin(asked.begin);
  return asked.moves ? move(asked.moves, asked.seq ?? 0) : {};
});
