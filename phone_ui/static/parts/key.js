// The fingerprint of the hub's key, to compare with the table's screen.

import { fingerprint, keyFrom } from "../lib/encryption.js";
import { html } from "../lib/html.js";
import { Fingerprint } from "./marks.js";

/**
 * Explain that a key is trusted on first use, and how to check it; nothing if the key was scanned (null).
 * @param {{ hubKey: string | null }} props
 */
export function FirstKey({ hubKey }) {
  const key = keyFrom(hubKey);
  if (!key) return null;
  return html`<div class="first-key" role="note" aria-label="The hub's key">
    <p>This phone got the hub's key over Wi-Fi and trusts it because this is its first visit. The table's screen shows the
      same digits:</p>
    <p><${Fingerprint} digits=${fingerprint(key)} /></p>
    <p>If not, do not sit down here: scan the code on the screen.</p>
  </div>`;
}

/**
 * The key for a held seat.
 * @param {{ hubKey: string }} props
 */
export function KeyPart({ hubKey }) {
  const key = keyFrom(hubKey);
  if (!key) return null;
  return html`<h2>The hub's key</h2>
    <p class="key-part"><${Fingerprint} digits=${fingerprint(key)} /><small>The table's screen shows the same digits.</small></p>`;
}
