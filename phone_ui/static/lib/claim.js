// Claim a seat: the phone makes a key pair and sends a claim, which the seat's box or code confirms.

import { Channel, fromBase64, keyFrom, newKeys, toBase64 } from "./encryption.js";
import { readMessage, say } from "./language.js";
import { slot } from "./storage.js";

/** @import { ClaimBody, ClaimReply, ClaimDetails, KeyProof } from "./messages.d.ts" */
/** @import { Held } from "./types.d.ts" */
/** @typedef {Pick<Held, "pk" | "sk" | "hubkey">} StoredKeys */

const PATIENCE = 32_000; // the hub waits 30 s for the button
const PAUSE = 300;
const MOST_EARLIER = 4;
const PROOF_STEP = 128; // four proofs must fit in one claim

/** @param {string} table */
const keysSlot = (table) => slot(`th/${table}/keys`);

/**
 * Store the keys of a seat at a table, so that this phone can prove later which seat it had in a suspended match.
 * @param {string} table
 * @param {StoredKeys} held
 */
export function rememberKeys(table, { pk, sk, hubkey }) {
  const before = storedKeys(table).filter((one) => one.pk !== pk);
  keysSlot(table).set([{ pk, sk, hubkey }, ...before].slice(0, MOST_EARLIER));
  slot(`th/${table}/earlier`).remove(); // passwords stored by pages before November 24, 2026; they no longer prove anything
}

/**
 * @param {string} table
 * @returns {StoredKeys[]}
 */
const storedKeys = (table) => keysSlot(table).get() ?? [];

/**
 * Prove to the hub that this phone has the secret halves of earlier keys. Each proof is only valid for the claim with the
 * public key `pk`. Keys for another hub are left out.
 * @param {string} table
 * @param {string} hubKey
 * @param {string} pk
 */
function proofs(table, hubKey, pk) {
  /** @type {KeyProof} */
  const proof = { pk, table };
  const made = storedKeys(table)
    .filter((one) => one.hubkey === hubKey)
    .map((one) => ({
      pk: one.pk,
      proof: toBase64(new Channel(fromBase64(hubKey), fromBase64(one.sk)).encrypt(proof, PROOF_STEP)),
    }));
  return /** @type {NonNullable<ClaimDetails["earlier"]>} */ (made);
}

/** The hub refused, with one sentence. */
export class Refused extends Error {}

/**
 * Return the address of a table and its hub's key, by the 4 letters on its screen. Throws Refused.
 * @param {string} code
 * @returns {Promise<{ table: string, k: string }>}
 */
export function tableByCode(code) {
  return fetchJson(
    `/code/${encodeURIComponent(code)}.json`,
    { cache: "no-store" },
    say("No table here has the code {code}. Look at the screen again.", { code }),
  );
}

/**
 * Call staff to a table, without a seat. Throws Refused.
 * @param {string} table
 */
export const callStaff = (table) => fetchJson(`/t/${table}/help`, { method: "POST" });

/**
 * Claim a seat. Resolves with the login, which the phone must store. Throws Refused.
 * `onWaiting` gets the hub's sentence while the hub waits for the button; `stop.stopped` ends the wait.
 * @param {{
 *   table: string, hubKey: string, seat: number, code: string | null, name: string,
 *   onWaiting: (sentence: string) => void, stop: { stopped: boolean },
 * }} options
 * @returns {Promise<Held>}
 */
export async function claimSeat({ table, hubKey, seat, code, name, onWaiting, stop }) {
  const key = keyFrom(hubKey);
  if (!key) throw new Refused("The key of the hub is broken. Scan the code on the screen again.");
  const keys = newKeys();
  const channel = new Channel(key, keys.secretKey);
  const pk = toBase64(keys.publicKey);
  /** @type {ClaimDetails} */
  const secret = { seat, code: code || null, name, earlier: proofs(table, hubKey, pk) };
  const { nonce, box } = channel.box(secret);
  /** @type {ClaimBody} */
  const body = { seat, pk, nonce: toBase64(nonce), box: toBase64(box) };
  const asked = await fetchJson(`/t/${table}/claim`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const until = Date.now() + PATIENCE;
  while (Date.now() < until && !stop.stopped) {
    /** @type {ClaimReply} */
    const reply = await fetchJson(`/t/${table}/claim/${encodeURIComponent(asked.claim)}`, { cache: "no-store" });
    if (reply.state === "refused") throw new Refused(reply.say || say("You did not get the seat."));
    if (reply.state === "held") {
      const login = channel.unbox(fromBase64(reply.nonce ?? ""), fromBase64(reply.box ?? ""));
      if (!login)
        throw new Refused("The hub's answer was not encrypted for this phone. Scan the code on the screen again.");
      return { ...login, sk: toBase64(keys.secretKey), pk, hubkey: hubKey, n: 0 };
    }
    onWaiting(reply.say);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Refused(
    code ? say("The hub took too long. Try once more.") : say("Nobody at the seat agreed in time. Try once more."),
  );
}

/**
 * Return the JSON at an address. Throws Refused with the hub's sentence, or with `otherwise` if it has none.
 * @param {string} address
 * @param {RequestInit} options
 * @param {string} [otherwise]
 */
async function fetchJson(address, options, otherwise = say("The hub could not do that. Try once more.")) {
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Refused("The hub does not answer. Is this phone on the table's Wi-Fi?");
  }
  const body = await answer
    .text()
    .then(readMessage)
    .catch(() => ({}));
  if (!answer.ok) throw new Refused(body.error ?? otherwise);
  return body;
}
