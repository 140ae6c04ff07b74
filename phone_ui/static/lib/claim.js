// Claiming a seat: the phone makes a key pair, asks, and the button on the box (or the seat's code) says yes.

import { fromBase64, keyFrom, newKeys, talk, toBase64 } from "./encryption.js";

const PATIENCE = 32_000;
const PAUSE = 300;

export class Refused extends Error {}

/** The address of a table by the 4 letters on its screen; throws Refused with the hub's sentence. */
export async function tableByCode(code) {
  let answer;
  try {
    answer = await fetch(`/code/${encodeURIComponent(code)}.json`, { cache: "no-store" });
  } catch {
    throw new Refused("The hub does not answer. Is this phone on the table's Wi-Fi?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error ?? `No table here has the code ${code}. Look at the screen again.`);
  return said;
}

/**
 * Claim `seat` at `table`. Resolves with what the phone must keep; throws Refused with one sentence.
 * `waiting` hears the hub's words while the press is awaited; `stop.gone` ends the waiting.
 */
export async function claimSeat({ table, hubKey, seat, code, name, waiting, stop }) {
  const keys = newKeys();
  const channel = talk(keyFrom(hubKey), keys.secretKey);
  const { nonce, box } = channel.close({ seat, code: code || null, name: name ?? "" });
  const asked = await ask(`/t/${table}/claim`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ seat, pk: toBase64(keys.publicKey), nonce: toBase64(nonce), box: toBase64(box) }),
  });
  const until = Date.now() + PATIENCE;
  while (Date.now() < until && !stop.gone) {
    const now = await ask(`/t/${table}/claim/${encodeURIComponent(asked.claim)}`, { cache: "no-store" });
    if (now.state === "refused") throw new Refused(now.say || "The seat was not given.");
    if (now.state === "held") {
      const login = channel.unbox(fromBase64(now.nonce), fromBase64(now.box));
      if (!login)
        throw new Refused("The hub's answer was not sealed for this phone. Scan the code on the screen again.");
      return { ...login, sk: toBase64(keys.secretKey), pk: toBase64(keys.publicKey), hubkey: hubKey, n: 0 };
    }
    waiting(now.say);
    await new Promise((go) => setTimeout(go, PAUSE));
  }
  throw new Refused(
    code ? "The hub took too long. Try once more." : "Nobody pressed the button in time. Try once more.",
  );
}

async function ask(address, how) {
  let answer;
  try {
    answer = await fetch(address, how);
  } catch {
    throw new Refused("The hub does not answer. Is this phone on the table's Wi-Fi?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error ?? "The hub could not do that. Try once more.");
  return said;
}
