// The join page: four letters, forgiving about everything else.

import { tableByCode } from "../lib/claim.js";
import { dress, ownSettings } from "../lib/storage.js";

dress(ownSettings());

const code = document.getElementById("code");
const said = document.getElementById("said");
const button = document.getElementById("go");

/** Four letters, whatever else was typed or pasted. */
function letters(text) {
  return text
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, 4);
}

async function go() {
  button.disabled = true;
  said.textContent = "";
  try {
    const found = await tableByCode(code.value);
    location.assign(`/t/${encodeURIComponent(found.table)}#k=${encodeURIComponent(found.k)}`);
  } catch (trouble) {
    said.textContent = trouble.message;
    button.disabled = false;
    code.select();
  }
}

code.addEventListener("input", () => {
  const wanted = letters(code.value);
  if (code.value !== wanted) code.value = wanted;
  said.textContent = "";
  button.disabled = wanted.length < 4;
  if (wanted.length === 4) go();
});
document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (letters(code.value).length === 4) go();
});

const given = letters(new URLSearchParams(location.search).get("code") ?? "");
if (given) {
  code.value = given;
  if (given.length === 4) go();
}
