import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mock, test } from "node:test";
import { callStaff } from "../../../phone_ui/static/lib/claim.js";
import { Language } from "../../../phone_ui/static/lib/translate.js";

const examples = JSON.parse(readFileSync(new URL("../../display/language.json", import.meta.url), "utf8"));

test("a refusal with values is said in another language", async () => {
  const { english: error, texts, said } = examples.made.bid;
  mock.method(globalThis, "fetch", async () => ({ ok: false, text: async () => JSON.stringify({ error, texts }) }));
  await assert.rejects(callStaff("1"), { message: error });
  assert.equal(new Language(examples.game, examples.common).say(error), said);
  mock.restoreAll();
});

test("an answer that is not the hub's is refused in one sentence", async () => {
  mock.method(globalThis, "fetch", async () => ({ ok: false, text: async () => "<html>" }));
  await assert.rejects(callStaff("1"), /The hub could not do that/);
  mock.restoreAll();
});
