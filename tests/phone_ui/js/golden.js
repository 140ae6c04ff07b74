// Say what the pages make of the cases on standard input; tests/phone_ui/test_javascript.py compares it with the hub.

import "./nacl.js";
import { readFileSync } from "node:fs";

const { Channel, fingerprint, fromBase64, newKeys, toBase64 } = await import(
  "../../../phone_ui/static/lib/encryption.js"
);
const { fill } = await import("../../../phone_ui/static/lib/labels.js");
const { lampsAt } = await import("../../../phone_ui/static/lib/ring.js");
const { MARKS } = await import("../../../phone_ui/static/lib/seats.js");

const { templates, view, labels, rings, colour, times, hubKey, said } = JSON.parse(readFileSync(0, "utf-8"));
const phone = newKeys();
const channel = new Channel(fromBase64(hubKey), phone.secretKey);

const answer = {
  filled: templates.map((/** @type {string} */ template) => fill(template, view, labels)),
  rings: rings.map((/** @type {string} */ pattern) =>
    times.map((/** @type {number} */ t) => lampsAt({ pattern, n: 5, colour }, t)),
  ),
  marks: MARKS,
  fingerprint: fingerprint(fromBase64(hubKey)),
  phoneKey: toBase64(phone.publicKey),
  encrypted: toBase64(channel.encrypt(said)),
};
process.stdout.write(JSON.stringify(answer));
