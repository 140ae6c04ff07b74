// The staff page: signing in with the PIN, and then the venue (parts/staff_venue.js). It shows no secrets of a match.

import { fingerprint, keyFrom } from "../lib/encryption.js";
import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, say, sayAround } from "../lib/language.js";
import { forgetKey, hubKey, lastSession, OtherKey, signIn } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { Fingerprint } from "../parts/marks.js";
import { StaffVenue } from "../parts/staff_venue.js";

/** @import { Session } from "../lib/staff.js" */

applySettings(loadSettings());

const DIGITS = 6;

function Staff() {
  const [session, setSession] = useState(/** @type {() => Session | null} */ (lastSession));
  const [message, setMessage] = useState("");
  if (!session) return html`<${SignIn} message=${message} onIn=${setSession} />`;
  const onOut = (/** @type {string} */ sentence) => {
    setMessage(sentence);
    setSession(null);
  };
  return html`<${StaffVenue} session=${session} onOut=${onOut} />`;
}

/** @param {{ message: string, onIn: (session: Session) => void }} props */
function SignIn({ message, onIn }) {
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
      onIn(await signIn(pin, location.hash));
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
    <h1 class="headline">Staff</h1>
    <p class="lead">Type the six-digit PIN.</p>
    <form onSubmit=${submit}>
      <label class="unseen" for="pin">The staff PIN, six digits</label>
      <input
        id="pin"
        class="pin"
        inputmode="numeric"
        autocomplete="off"
        enterkeyhint="go"
        autofocus
        aria-describedby="error"
        value=${pin}
        onInput=${(/** @type {any} */ event) => {
          const digits = event.target.value.replace(/\D/g, "").slice(0, DIGITS);
          event.target.value = digits;
          setPin(digits);
        }}
      />
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
        "The PIN is on the big screen until somebody has used it once. If you have lost it, run {command} on the hub.",
        {
          command: html`<code translate="no">table-hub staff-pin --new</code>`,
        },
      )}
    </p>
  </main>`;
}

loadLanguage().then(() => render(html`<${Staff} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
