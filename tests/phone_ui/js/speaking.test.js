// How the elements of a page are translated.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { speak } from "../../../phone_ui/static/lib/speaking.js";

const { common } = JSON.parse(readFileSync(new URL("../../display/language.json", import.meta.url), "utf8"));
const { fetch } = globalThis;

before(() => {
  const answers = { "/languages.json": { languages: { de: "Deutsch" } }, "/languages/de.json": common };
  Object.assign(globalThis, {
    document: { documentElement: {} },
    fetch: async (/** @type {keyof typeof answers} */ path) => ({ ok: true, json: async () => answers[path] }),
  });
});
after(() => Object.assign(globalThis, { document: undefined, fetch }));

test("the spaces around a text stay, and so does a space that stands alone", async () => {
  const german = /** @type {any} */ (await speak(["de"], new Set(), null));
  const [[english, said]] = Object.entries(common.messages).filter(([, one]) => typeof one === "string");
  assert.equal(german.draw(` ${english}\n`), ` ${said}\n`);
  assert.deepEqual(german.draw([english, " ", english]), [said, " ", said]);
  assert.equal(german.draw(""), "");
});
