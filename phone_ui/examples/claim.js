// What every phone does first: make keys, share one with the hub, and claim a seat with its code.

import nacl from "tweetnacl";

const STEP = 512; // what is encrypted is padded to a multiple of so many bytes

/** Return what encrypts for the hub and decrypts what it sends: a nonce of 24 bytes and a NaCl box of padded JSON. */
function channelTo(/** @type {string} */ hubKey, /** @type {Uint8Array} */ secretKey) {
  const shared = nacl.box.before(Buffer.from(hubKey, "base64url"), secretKey);
  return {
    encrypt(/** @type {unknown} */ message) {
      const json = Buffer.from(JSON.stringify(message));
      const padded = Buffer.alloc(Math.ceil((json.length + 1) / STEP) * STEP);
      padded[json.copy(padded)] = 0x80; // zeros follow
      const nonce = nacl.randomBytes(24);
      return Buffer.concat([nonce, nacl.box.after(padded, nonce, shared)]);
    },
    decrypt(/** @type {Buffer} */ bytes) {
      const plain = nacl.box.open.after(bytes.subarray(24), bytes.subarray(0, 24), shared);
      if (!plain) throw new Error("That was not encrypted for us.");
      return JSON.parse(Buffer.from(plain.subarray(0, plain.lastIndexOf(0x80))).toString());
    },
  };
}

/** Claim a seat; return its login and what encrypts. `tableCode` and `seatCode` stand on the table's screen. */
export async function claim(/** @type {string} */ hub, tableCode = "", seat = 1, seatCode = "", name = "") {
  const { table, k } = await fetchJson(`${hub}/code/${tableCode}.json`);
  const keys = nacl.box.keyPair();
  const channel = channelTo(k, keys.secretKey);
  const secret = channel.encrypt({ seat, code: seatCode, name });
  const [pk, nonce, box] = [keys.publicKey, secret.subarray(0, 24), secret.subarray(24)].map(inBase64);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ seat, pk, nonce, box });
  const asked = await fetchJson(`${hub}/t/${table}/claim`, { method: "POST", headers, body });
  for (;;) {
    const reply = await fetchJson(`${hub}/t/${table}/claim/${asked.claim}`);
    if (reply.state === "refused") throw new Error(reply.say);
    if (reply.state === "held") {
      const sealed = [reply.nonce, reply.box].map((text) => Buffer.from(text, "base64url"));
      return { channel, login: channel.decrypt(Buffer.concat(sealed)) };
    }
    await new Promise((resolve) => setTimeout(resolve, 300)); // the hub is making the login
  }
}

const inBase64 = (/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString("base64url");

async function fetchJson(/** @type {string} */ address, /** @type {RequestInit} */ options = {}) {
  const reply = await fetch(address, options);
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error);
  return body;
}
