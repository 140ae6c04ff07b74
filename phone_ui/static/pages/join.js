// The join page: four letters, tolerant of everything else.

import { tableByCode } from "../lib/claim.js";
import { loadLanguage, say } from "../lib/language.js";
import { applySettings, loadSettings } from "../lib/storage.js";

applySettings(loadSettings());
loadLanguage();

const form = /** @type {HTMLFormElement} */ (document.getElementById("form"));
const code = /** @type {HTMLInputElement} */ (document.getElementById("code"));
const error = /** @type {HTMLElement} */ (document.getElementById("error"));
const button = /** @type {HTMLButtonElement} */ (document.getElementById("go"));

const LENGTH = 4;

/**
 * Return the four letters from any typed or pasted text.
 * @param {string} text
 */
function lettersIn(text) {
  return text
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, LENGTH);
}

async function openTable() {
  button.disabled = true;
  error.textContent = "";
  try {
    const { table, k } = await tableByCode(code.value);
    // The key came over the network, not from a scanned code: the next page says so.
    location.assign(`/t/${encodeURIComponent(table)}#k=${encodeURIComponent(k)}&typed=1`);
  } catch (refused) {
    error.textContent = say(/** @type {Error} */ (refused).message);
    button.disabled = false;
    code.select();
  }
}

code.addEventListener("input", () => {
  const wanted = lettersIn(code.value);
  if (code.value !== wanted) code.value = wanted;
  error.textContent = "";
  button.disabled = wanted.length < LENGTH;
  if (wanted.length === LENGTH) openTable();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (lettersIn(code.value).length === LENGTH) openTable();
});

const given = lettersIn(new URLSearchParams(location.search).get("code") ?? "");
if (given) {
  code.value = given;
  if (given.length === LENGTH) openTable();
}
