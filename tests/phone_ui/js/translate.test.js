import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readMessage } from "../../../phone_ui/static/lib/language.js";
import { Language } from "../../../phone_ui/static/lib/translate.js";

const examples = JSON.parse(readFileSync(new URL("../../display/language.json", import.meta.url), "utf8"));

test("a sentence is said in another language as the hub says it", () => {
  const german = new Language(examples.game, examples.common);
  for (const [text, wanted] of examples.said) {
    const [said, unknown] = Array.isArray(wanted) ? wanted : [wanted, []];
    assert.deepEqual(german.said(text), { text: said, unknown }, text);
  }
});

test("a text is made in another language from its values as the hub makes it", () => {
  const german = new Language(examples.game, examples.common);
  for (const { texts, said } of Object.values(examples.made)) {
    readMessage(JSON.stringify({ texts }));
    const [english] = Object.keys(texts.made);
    assert.equal(german.say(english), said);
  }
});
