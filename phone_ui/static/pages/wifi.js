// What a phone opens by itself in the table's own Wi-Fi. Its small window forgets everything when it closes, so people take
// their seat in the browser.

import { html, render, useEffect, useState } from "../lib/html.js";
import { loadLanguage, say, sayAround } from "../lib/language.js";
import { applySettings, loadSettings } from "../lib/storage.js";

applySettings(loadSettings());

function WifiPage() {
  const [stays, setStays] = useState(false);
  const [failed, setFailed] = useState(false);
  const [first, setFirst] = useState({ pin: "", k: "" }); // its PIN, while the hub was never set up
  useEffect(() => {
    fetch("/wifi/first.json")
      .then((answer) => answer.json())
      .then(setFirst)
      .catch(() => undefined);
  }, []);
  const stay = async () => {
    try {
      const answer = await fetch("/wifi/stay", { method: "POST" });
      setStays(answer.ok);
      setFailed(!answer.ok);
    } catch {
      setFailed(true);
    }
  };
  if (stays)
    return html`<h1 class="headline">Scan the code of the table</h1>
      <p class="lead">
        ${sayAround("Close this window. Scan the second code on the screen with the camera, or open {address} in the browser.", { address: html`<b>${location.host}</b>` })}
      </p>
      <a class="act" href="/">Play in this window</a>`;
  return html`<h1 class="headline">This is the table's Wi-Fi</h1>
    <p class="lead">It has no internet. The game needs none.</p>
    ${failed && html`<p role="alert">${say("The hub does not answer. Is this phone on the table's Wi-Fi?")}</p>`}
    ${first.pin && html`<a class="act primary" href=${`/setup#k=${first.k}&pin=${first.pin}&portal=1`}>Set up this hub</a>`}
    <button class=${first.pin ? "act" : "act primary"} onClick=${stay}>Stay in this Wi-Fi</button>`;
}

loadLanguage().then(() => render(html`<${WifiPage} />`, /** @type {HTMLElement} */ (document.getElementById("page"))));
