// The staff page: signing in with the PIN, and then the venue (parts/staff_venue.js). It shows no secrets of a match.

import { html, render, useState } from "../lib/html.js";
import { loadLanguage, say } from "../lib/language.js";
import { lastSession } from "../lib/staff.js";
import { applySettings, loadSettings } from "../lib/storage.js";
import { SignIn } from "../parts/sign_in.js";
import { StaffVenue } from "../parts/staff_venue.js";

/** @import { Session } from "../lib/staff.js" */

applySettings(loadSettings());

function Staff() {
  const [session, setSession] = useState(/** @type {() => Session | null} */ (lastSession));
  const [message, setMessage] = useState("");
  if (!session) return html`<${SignIn} title=${say("Staff")} message=${message} onIn=${setSession} />`;
  const onOut = (/** @type {string} */ sentence) => {
    setMessage(sentence);
    setSession(null);
  };
  return html`<${StaffVenue} session=${session} onOut=${onOut} />`;
}

loadLanguage().then(() => render(html`<${Staff} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
