// Sealing: NaCl box over padded JSON, as hub/network/messages.py does it. Works on plain http, where crypto.subtle is missing.

const { nacl } = globalThis;
const text = new TextEncoder();
const words = new TextDecoder("utf-8", { fatal: true });

/** Everything a phone sends is padded to a multiple of this, so that its length tells nothing. */
const STEP = 512;

/** base64url without padding, as keys travel. */
export function toBase64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64(encoded) {
  const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (c) => c.charCodeAt(0));
}

/** A public key as it stands in a link, or null if that is no key. */
export function keyFrom(encoded) {
  try {
    const key = fromBase64(encoded ?? "");
    return key.length === nacl.box.publicKeyLength ? key : null;
  } catch {
    return null;
  }
}

export function newKeys() {
  return nacl.box.keyPair();
}

/** Random hex digits; crypto.randomUUID is missing on plain http, getRandomValues is not. */
export function randomHex(digits) {
  return Array.from(nacl.randomBytes(digits / 2), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** The two ends of a sealed talk between one phone and the hub. */
export function talk(hubKey, secretKey) {
  const shared = nacl.box.before(hubKey, secretKey);
  return {
    /** {nonce, box} of an object, for the claim. */
    close(object) {
      const nonce = nacl.randomBytes(nacl.box.nonceLength);
      return { nonce, box: nacl.box.after(padded(object), nonce, shared) };
    },
    /** nonce and box in one piece, for the broker. */
    seal(object) {
      const { nonce, box } = this.close(object);
      const whole = new Uint8Array(nonce.length + box.length);
      whole.set(nonce);
      whole.set(box, nonce.length);
      return whole;
    },
    /** The object in a box, or null if it was not sealed for us. */
    open(whole) {
      const nonce = whole.slice(0, nacl.box.nonceLength);
      return this.unbox(nonce, whole.slice(nacl.box.nonceLength));
    },
    unbox(nonce, box) {
      if (nonce.length !== nacl.box.nonceLength) return null;
      const plain = nacl.box.open.after(box, nonce, shared);
      if (!plain) return null;
      const end = plain.lastIndexOf(0x80);
      if (end < 0) return null;
      try {
        return JSON.parse(words.decode(plain.subarray(0, end)));
      } catch {
        return null;
      }
    },
  };
}

function padded(object) {
  const json = text.encode(JSON.stringify(object));
  const whole = new Uint8Array(Math.ceil((json.length + 1) / STEP) * STEP);
  whole.set(json);
  whole[json.length] = 0x80;
  return whole;
}
