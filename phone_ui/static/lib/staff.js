// The staff's session with the hub: the PIN is encrypted for the hub's key, and all later messages for the keys of this
// session. Each request has its own number.

import { Refused } from "./claim.js";
import { complete } from "./complete.js";
import { Channel, fromBase64, keyFrom, newKeys, toBase64 } from "./encryption.js";
import { readMessage, say } from "./language.js";
import { slot } from "./storage.js";

/** @import { Venue, StaffAnswer, StaffAsk, StaffBody, StaffBox, StaffLogin, StaffSecret } from "./messages.d.ts" */
/** @import { Facts } from "./types.d.ts" */

const PATIENCE = 15_000;
const FILE_PATIENCE = 120_000; // a Pi Zero 2 draws a card for several seconds
/** @type {StaffAsk["verb"][]} */
const FILES = ["card"];
const LOOK_PATIENCE = 30_000; // the hub answers a request `look` within 20 s
const TRY_AGAIN = 2_000;

/** Stored in this browser: the hub's key of the first visit, and a token that identifies the browser to the hub. */
const stored = slot("th/staff");

/** The session is over, and the page asks for the PIN again. */
export class SignedOut extends Error {}

/** The hub's key is not the one that this browser knows. */
export class OtherKey extends Error {}

/**
 * Return the key for a log-in, as base64url: of the link, else the one that this browser knows, else the hub's answer.
 * @param {string} hash
 * @returns {Promise<string>}
 */
export async function hubKey(hash) {
  const given = new URLSearchParams(hash.slice(1)).get("k");
  const known = given ?? stored.get()?.key;
  return known ?? (await post("/staff/key.json", null)).k;
}

/** Forget the hub's key, so that the next log-in accepts the hub's answer. */
export function forgetKey() {
  stored.remove();
}

/**
 * Sign in. Throws Refused or OtherKey.
 * @param {string} pin
 * @param {string} hash the fragment of the page's address
 * @param {boolean} setup to set up the hub: the screen goes on showing a first PIN
 * @returns {Promise<Session>}
 */
export async function signIn(pin, hash, setup = false) {
  const key = await hubKey(hash);
  const hub = keyFrom(key);
  if (!hub) throw new Refused("The key of the hub is broken. Open the address of this page once more.");
  const keys = newKeys();
  const channel = new Channel(hub, keys.secretKey);
  /** @type {StaffSecret} */
  const secret = { pin, browser: stored.get()?.browser ?? "", setup };
  const { nonce, box } = channel.box(secret);
  /** @type {StaffLogin} */
  const body = { pk: toBase64(keys.publicKey), nonce: toBase64(nonce), box: toBase64(box) };
  const reply = opened(channel, await post("/staff/login", body));
  if (!reply) throw new OtherKey();
  stored.set({ key, browser: reply.browser });
  const session = new Session(channel, reply.session, 0, reply.first);
  open = { name: reply.session, key, secret: toBase64(keys.secretKey), n: 0 };
  store(open);
  return session;
}

/**
 * The part of a session that survives a reload of the page, in this tab only.
 * @type {{ name: string, key: string, secret: string, n: number } | null}
 */
let open = null;
const TAB = "th/staff/session";

/** @param {object | null} value */
function store(value) {
  try {
    if (value) sessionStorage.setItem(TAB, JSON.stringify(value));
    else sessionStorage.removeItem(TAB);
  } catch {
    return; // a private window may refuse storage: then a reload asks for the PIN
  }
}

/**
 * Return the session of this tab, or null.
 * @returns {Session | null}
 */
export function lastSession() {
  try {
    open = JSON.parse(sessionStorage.getItem(TAB) ?? "null");
  } catch {
    open = null;
  }
  const hub = open && keyFrom(open.key);
  return open && hub ? new Session(new Channel(hub, fromBase64(open.secret)), open.name, open.n) : null;
}

/** A session: `ask` sends a request and decrypts its answer. */
export class Session {
  /**
   * @param {Channel} channel
   * @param {string} name
   * @param {number} n the last number used
   * @param {boolean} isFirst the PIN is the first one of the hub, which the screens show
   */
  constructor(channel, name, n, isFirst = false) {
    this.isFirst = isFirst;
    this.channel = channel;
    this.name = name;
    this.n = n;
  }

  /**
   * Send a request. Throws SignedOut, or Refused with the hub's sentence.
   * @param {StaffAsk["verb"]} verb
   * @param {string} [table]
   * @param {Facts} [args]
   * @param {AbortSignal} [signal]
   * @returns {Promise<StaffAnswer>}
   */
  async ask(verb, table = "", args = {}, signal = within(FILES.includes(verb) ? FILE_PATIENCE : PATIENCE).signal) {
    this.n += 1;
    if (open) store({ ...open, n: this.n });
    /** @type {StaffAsk} */
    const asked = { n: this.n, verb, table, args };
    const { nonce, box } = this.channel.box(asked);
    /** @type {StaffBody} */
    const body = { session: this.name, nonce: toBase64(nonce), box: toBase64(box) };
    const answer = opened(this.channel, await post("/staff/ask", body, signal));
    if (!answer || answer.re !== asked.n) throw new Refused("That answer was not the hub's. Look once more.");
    if (!answer.ok) throw new Refused(answer.say || say("The hub could not do that."));
    return answer;
  }

  /** Sign out, even if the hub does not answer. */
  async end() {
    try {
      await this.ask("out");
    } finally {
      store(null);
    }
  }
}

/**
 * @param {Venue} venue
 * @returns {Venue}
 */
const completed = (venue) => ({
  ...venue,
  tables: venue.tables.map((table) => ({ ...table, public: complete(table.public) })),
});

/**
 * Follow the venue. `onVenue` gets each picture, `onAway` whether the hub fails to answer, and `onOut` is called once when
 * the session is over. Return a function that ends this.
 * @param {Session} session
 * @param {{ onVenue: (venue: Venue) => void, onAway: (away: boolean) => void, onOut: () => void }} callbacks
 * @returns {() => void}
 */
export function watch(session, { onVenue, onAway, onOut }) {
  let stopped = false;
  let woken = false;
  let looking = new AbortController();
  async function poll() {
    let since = 0;
    while (!stopped) {
      woken = false;
      looking = within(LOOK_PATIENCE);
      try {
        const answer = await session.ask("look", "", { since }, looking.signal);
        if (stopped) return;
        since = answer.picture;
        onAway(false);
        if (answer.venue) onVenue(completed(answer.venue));
      } catch (error) {
        if (stopped) return;
        if (error instanceof SignedOut) {
          store(null);
          onOut();
          return;
        }
        if (woken) continue;
        onAway(true);
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
      }
    }
  }
  // After a sleep, a device may wait for an answer that never arrives.
  const wake = () => {
    if (document.visibilityState !== "visible") return;
    woken = true;
    looking.abort();
  };
  document.addEventListener("visibilitychange", wake);
  poll();
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", wake);
    looking.abort();
  };
}

/**
 * Return a controller that aborts a request after this time, or earlier.
 * @param {number} milliseconds
 */
function within(milliseconds) {
  const ending = new AbortController();
  setTimeout(() => ending.abort(), milliseconds);
  return ending;
}

/**
 * @param {Channel} channel
 * @param {StaffBox} sealed
 */
function opened(channel, { nonce, box }) {
  try {
    return channel.unbox(fromBase64(nonce), fromBase64(box));
  } catch {
    return null;
  }
}

/**
 * Send JSON, or request it if there is no body. Throws Refused, SignedOut or OtherKey.
 * @param {string} address
 * @param {object | null} body
 * @param {AbortSignal} [signal]
 */
async function post(address, body, signal = within(PATIENCE).signal) {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(address, {
      method: body ? "POST" : "GET",
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
      cache: "no-store",
      signal,
    });
  } catch {
    throw new Refused("The hub does not answer. Is this device on the venue's network?");
  }
  const content = await answer
    .text()
    .then(readMessage)
    .catch(() => ({}));
  if (answer.status === 401) throw new SignedOut();
  if (answer.status === 400 && address === "/staff/login") throw new OtherKey();
  if (!answer.ok) throw new Refused(content.error ?? say("The hub could not do that. Try once more."));
  return content;
}
