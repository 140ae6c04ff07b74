// Signing in as staff with the PIN. An unknown key of the hub is compared with the digits on the big screen.

import { fingerprint, keyFrom } from "../lib/encryption.js";
import { html, useEffect, useState } from "../lib/html.js";
import { say, sayAround } from "../lib/language.js";
import { forgetKey, hubKey, OtherKey, signIn } from "../lib/staff.js";
import { Fingerprint } from "./marks.js";
import { DIGITS, PinInput } from "./pin_input.js";

/** @import { Session } from "../lib/staff.js" */

/**
 * `setup`: to set up the hub.
 * @param {{ title: string, message: string, setup?: boolean, onIn: (session: Session, pin: string) => void }} props
 */
export function SignIn({ title, message, setup = false, onIn }) {
  const [pin, setPin] = useState("");
  const [error, setError] = useState(message);
  const [otherKey, setOtherKey] = useState(false);
  const [busy, setBusy] = useState(false);
  const [hubs, setHubs] = useState("");
  useEffect(() => {
    hubKey(location.hash).then(setHubs, () => undefined);
  }, [otherKey]);
  const key = keyFrom(hubs);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (pin.length < DIGITS || busy) return;
    setBusy(true);
    setError("");
    try {
      onIn(await signIn(pin, location.hash, setup), pin);
    } catch (refused) {
      setOtherKey(refused instanceof OtherKey);
      setError(refused instanceof OtherKey ? "" : /** @type {Error} */ (refused).message);
      setPin("");
    }
    setBusy(false);
  };
  const trust = () => {
    forgetKey();
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    setOtherKey(false);
  };
  return html`<main class="sign-in">
    <h1 class="headline">${title}</h1>
    <p class="lead">Type the six-digit PIN.</p>
    <form onSubmit=${submit}>
      <label class="unseen" for="pin">The staff PIN, six digits</label>
      <${PinInput} id="pin" pin=${pin} onPin=${setPin} enterkeyhint="go" autofocus aria-describedby="error" />
      <p id="error" role="alert">${error}</p>
      <button class="do primary" disabled=${pin.length < DIGITS || busy}>${busy ? say("Signing in…") : say("Sign in")}</button>
    </form>
    ${
      otherKey &&
      html`<div class="fault error" role="alert">
        <p>This hub's key is not the one that this browser knows. Either the hub was set up again, or it is not your hub.</p>
        <button type="button" class="do" onClick=${trust}>The hub was set up again</button>
      </div>`
    }
    ${
      key &&
      html`<p class="quiet-words">
        ${sayAround(
          "The PIN is sent to the hub whose key has these digits. The big screen shows the same digits: {digits}",
          {
            digits: html`<${Fingerprint} digits=${fingerprint(key)} />`,
          },
        )}
      </p>`
    }
    <p class="quiet-words">
      ${sayAround(
        "The PIN is on the big screen until somebody has used it once. If you have lost it, run {command} on the hub, or make an empty file {file} on its card.",
        {
          file: html`<code translate="no">table-hub-new-pin</code>`,
          command: html`<code translate="no">table-hub staff-pin --new</code>`,
        },
      )}
    </p>
  </main>`;
}
