// Encryption: NaCl boxes over padded JSON, as in hub/network/encryption.py. It works on plain http, where crypto.subtle
// is missing.

import { readMessage } from "./language.js";

/** @type {typeof import("tweetnacl")} */
const nacl = /** @type {any} */ (globalThis).nacl;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** All messages of a phone are padded to a multiple of this number of bytes, so that the length reveals nothing. */
const STEP = 512;
const END = 0x80; // after the JSON, followed by zeros

/**
 * Return bytes as base64url without padding.
 * @param {Uint8Array} bytes
 */
export function toBase64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Return the bytes of base64url. Throws if it is invalid.
 * @param {string} encoded
 */
export function fromBase64(encoded) {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Return the public key in a link, or null if it is invalid.
 * @param {string | null | undefined} encoded
 */
export function keyFrom(encoded) {
  try {
    const key = fromBase64(encoded ?? "");
    return key.length === nacl.box.publicKeyLength ? key : null;
  } catch {
    return null;
  }
}

/**
 * Return the fingerprint of a public key, for people to compare: four groups of five digits, as the hub computes it.
 * @param {Uint8Array} publicKey
 */
export function fingerprint(publicKey) {
  const prefix = encoder.encode("table-hub key 1");
  const whole = new Uint8Array(prefix.length + publicKey.length);
  whole.set(prefix);
  whole.set(publicKey, prefix.length);
  const digest = new DataView(nacl.hash(whole).buffer);
  return [0, 4, 8, 12].map((at) => String(digest.getUint32(at) % 100_000).padStart(5, "0")).join(" ");
}

/** Return a new key pair. */
export function newKeys() {
  return nacl.box.keyPair();
}

/**
 * Return random hex digits. On plain http, crypto.randomUUID is missing, but getRandomValues is not.
 * @param {number} digits
 */
export function randomHex(digits) {
  return Array.from(nacl.randomBytes(digits / 2), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Encrypts messages to the hub and decrypts its messages to this phone. */
export class Channel {
  /**
   * @param {Uint8Array} hubKey the hub's public key
   * @param {Uint8Array} secretKey the phone's secret key
   */
  constructor(hubKey, secretKey) {
    this.shared = nacl.box.before(hubKey, secretKey);
  }

  /**
   * Return nonce and box of an object separately. Its JSON is padded to a multiple of `step` bytes.
   * @param {unknown} object
   */
  box(object, step = STEP) {
    const nonce = nacl.randomBytes(nacl.box.nonceLength);
    return { nonce, box: nacl.box.after(padded(object, step), nonce, this.shared) };
  }

  /**
   * Return nonce and box of an object in one piece. Its JSON is padded to a multiple of `step` bytes.
   * @param {unknown} object
   */
  encrypt(object, step = STEP) {
    const { nonce, box } = this.box(object, step);
    const whole = new Uint8Array(nonce.length + box.length);
    whole.set(nonce);
    whole.set(box, nonce.length);
    return whole;
  }

  /**
   * Return the object in nonce and box, or null if they were not made for this phone.
   * @param {Uint8Array} whole
   */
  decrypt(whole) {
    const { nonceLength } = nacl.box;
    return this.unbox(whole.slice(0, nonceLength), whole.slice(nonceLength));
  }

  /**
   * Return the object in a box, or null if it was not made for this phone.
   * @param {Uint8Array} nonce
   * @param {Uint8Array} box
   * @returns {any}
   */
  unbox(nonce, box) {
    try {
      return readMessage(this.opened(nonce, box) ?? "null");
    } catch {
      return null;
    }
  }

  /**
   * Return the text in nonce and box, or null if they were not made for this phone.
   * @param {Uint8Array} whole
   */
  text(whole) {
    const { nonceLength } = nacl.box;
    return this.opened(whole.slice(0, nonceLength), whole.slice(nonceLength));
  }

  /**
   * @param {Uint8Array} nonce
   * @param {Uint8Array} box
   */
  opened(nonce, box) {
    if (nonce.length !== nacl.box.nonceLength) return null;
    const plain = nacl.box.open.after(box, nonce, this.shared);
    const end = plain ? plain.lastIndexOf(END) : -1;
    try {
      return plain && end >= 0 ? decoder.decode(plain.subarray(0, end)) : null;
    } catch {
      return null;
    }
  }
}

/**
 * @param {unknown} object
 * @param {number} step
 */
function padded(object, step) {
  const json = encoder.encode(JSON.stringify(object));
  const whole = new Uint8Array(Math.ceil((json.length + 1) / step) * step);
  whole.set(json);
  whole[json.length] = END;
  return whole;
}
