import "./nacl.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { Channel, fromBase64, keyFrom, newKeys, randomHex, toBase64 } = await import(
  "../../../phone_ui/static/lib/encryption.js"
);

function pair() {
  const [phone, hub] = [newKeys(), newKeys()];
  return [new Channel(hub.publicKey, phone.secretKey), new Channel(phone.publicKey, hub.secretKey)];
}

test("what one end encrypts the other one reads, names with accents too", () => {
  const [phone, hub] = pair();
  const said = { name: "Zoë ★", n: 1 };
  assert.deepEqual(hub.decrypt(phone.encrypt(said)), said);
  const { nonce, box } = phone.box(said);
  assert.deepEqual(hub.unbox(nonce, box), said);
});

test("a length tells nothing: short messages are alike", () => {
  const [phone] = pair();
  assert.equal(phone.encrypt({ a: 1 }).length, 24 + 16 + 512); // nonce, authenticator, one step
  assert.equal(phone.encrypt({ a: 1 }).length, phone.encrypt({ a: "x".repeat(400) }).length);
  assert.notEqual(phone.encrypt({ a: 1 }).length, phone.encrypt({ a: "x".repeat(600) }).length);
  for (const length of [494, 495, 496, 497, 498, 499, 500, 501, 502, 503, 504]) {
    const [one, other] = pair();
    const said = "x".repeat(length);
    assert.equal(other.decrypt(one.encrypt(said)), said);
  }
});

test("what was changed, cut or meant for somebody else opens to nothing", () => {
  const [phone, hub] = pair();
  const [, stranger] = pair();
  const whole = phone.encrypt({ n: 1 });
  assert.equal(stranger.decrypt(whole), null);
  assert.equal(hub.decrypt(whole.slice(0, 10)), null);
  assert.equal(hub.decrypt(new Uint8Array()), null);
  whole[60] ^= 1;
  assert.equal(hub.decrypt(whole), null);
});

test("a key in a link is a key or nothing", () => {
  const { publicKey } = newKeys();
  const text = toBase64(publicKey);
  assert.match(text, /^[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(keyFrom(text), publicKey);
  for (const broken of [null, undefined, "", "short", `${text}AAAA`, "!".repeat(43)])
    assert.equal(keyFrom(broken), null);
});

test("base64 holds any byte", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
});

test("random hex has as many digits as are wanted and does not come again", () => {
  assert.match(randomHex(16), /^[0-9a-f]{16}$/);
  assert.notEqual(randomHex(16), randomHex(16));
});
