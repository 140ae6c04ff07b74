// node stranger.js FOLDER HUB TABLE-CODE SEAT SEAT-CODE GAME: a phone that knows the hub by its two documents only.
//
// Addresses, topics, blocks and what an offer is come from FOLDER/openapi.json and FOLDER/asyncapi.json; no code of the
// pages is used, and other cryptography than theirs (libsodium).

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const installed = createRequire(new URL("../../phone_ui/package.json", import.meta.url));
const mqtt = installed("mqtt");
const sodium = installed("libsodium-wrappers");
await sodium.ready;

const [folder, hub, code, seat, seatCode, game] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf-8"));
const [http, topics] = [read("openapi"), read("asyncapi")];
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const base64 = (bytes) => sodium.to_base64(bytes, sodium.base64_variants.URLSAFE_NO_PADDING);
const bytesOf = (text) => sodium.from_base64(text, sodium.base64_variants.URLSAFE_NO_PADDING);
const keys = sodium.crypto_box_keypair();
let hubKey;

/** Return nonce and box of a message, as what is sealed says. */
function seal(described, message) {
  const nonce = sodium.randombytes_buf(described["x-nonce-bytes"]);
  const padded = sodium.pad(sodium.from_string(JSON.stringify(message)), described["x-block-bytes"]);
  return [nonce, sodium.crypto_box_easy(padded, nonce, hubKey, keys.privateKey)];
}

function open(described, nonce, box) {
  const padded = sodium.crypto_box_open_easy(box, nonce, hubKey, keys.privateKey);
  if (padded.length % described["x-block-bytes"]) throw new Error("The block is another one.");
  return JSON.parse(sodium.to_string(sodium.unpad(padded, padded.length)));
}

async function ask(path, values, method = "get", body = undefined) {
  const described = http.paths[path][method];
  const headers = { "content-type": "application/json" };
  const reply = await fetch(hub + filled(path, values), { method, headers, body: body && JSON.stringify(body) });
  const said = await reply.json();
  if (!reply.ok) throw new Error(said.error);
  return { said, described };
}

async function claim() {
  const { table, k } = (await ask("/code/{code}.json", { code })).said;
  hubKey = bytesOf(k);
  const described = http.paths["/t/{table}/claim"].post.requestBody;
  const [nonce, box] = seal(described, { seat: Number(seat), code: seatCode, name: "Stranger" });
  const body = { seat: Number(seat), pk: base64(keys.publicKey), nonce: base64(nonce), box: base64(box) };
  const asked = await ask("/t/{table}/claim", { table }, "post", body);
  for (;;) {
    const { said, described } = await ask("/t/{table}/claim/{claim}", { table, claim: asked.said.claim });
    if (said.state === "refused") throw new Error(said.say);
    if (said.state === "held") return open(described.responses["200"], bytesOf(said.nonce), bytesOf(said.box));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const login = await claim();
const topic = Object.fromEntries(
  Object.entries(topics.channels).map(([name, { address }]) => [name, filled(address, login)]),
);
const message = topics.components.messages;
const server = topics.servers["web-port"];
const client = mqtt.connect(`${server.protocol}://${new URL(hub).host}${server.pathname}`, {
  clientId: login.user,
  username: login.user,
  password: login.password,
  will: { topic: topic.online, payload: Buffer.alloc(0), retain: true, qos: 1 },
});
let [state, hand, n, about, last] = [null, null, 0, "", { id: "" }];

client.on("connect", () => {
  client.subscribe([topic.state, topic.hand, topic.ack], { qos: 0 });
  client.publish(topic.online, JSON.stringify({ session: "stranger" }), { retain: true, qos: 1 });
});
client.on("message", (heard, payload) => {
  const nonceBytes = message.hand["x-nonce-bytes"];
  const inside = (name) => open(message[name], payload.subarray(0, nonceBytes), payload.subarray(nonceBytes));
  if (heard === topic.state) state = JSON.parse(payload.toString());
  else if (heard === topic.hand && payload.length) hand = inside("hand");
  else if (heard === topic.ack) answered(inside("ack"));
  if (state && hand && state.seq === hand.seq && state.session === hand.session) play();
});

/** Ask for something about the present decision, once. */
function request(verb, args) {
  const what = `${verb} ${hand.epoch} ${hand.number} ${state.dice?.batch}`;
  if (what === about) return;
  about = what;
  n += 1;
  last = { v: 1, id: randomBytes(8).toString("hex"), n, epoch: hand.epoch, number: hand.number, verb, args };
  client.publish(topic.act, Buffer.concat(seal(message.act, last)), { qos: 1 });
}

function answered({ re, ok, error }) {
  if (re !== last.id) return;
  if (!ok) console.error(error);
  if (ok && last.verb === "leave") {
    console.log(JSON.stringify(state.over));
    client.end();
  }
}

let begun = false;
function play() {
  begun ||= state.state === "playing";
  const offer = hand.locked ? undefined : hand.moves.find(({ standing }) => !standing);
  if (!begun) request("start", { game });
  else if (state.state === "over") request("leave", {});
  else if (state.dice) request("dice", { say: "hub" });
  else if (offer) request("act", Object.fromEntries(Object.entries(offer).map(([name, of]) => [name, legal(of)])));
}

/** Return the smallest legal value of a parameter, as the schema Parameter tells its kinds apart. */
function legal(of) {
  const kinds = topics.components.schemas.Parameter.anyOf.filter(({ type }) => type === "object");
  const kind = kinds.find(
    ({ required }) => of !== null && typeof of === "object" && required.every((key) => key in of),
  );
  if (!kind) return of;
  if (kind.required.includes("one_of")) return of.one_of[0];
  if (kind.required.includes("order")) return of.order;
  if (kind.required.includes("faces")) return Array(of.faces.count).fill(1);
  if (kind.required.includes("choose")) return of.from.slice(0, of.choose.min);
  return of.min;
}
