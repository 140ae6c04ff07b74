import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readMessage } from "../../../phone_ui/static/lib/language.js";
import { Language } from "../../../phone_ui/static/lib/translate.js";

const examples = JSON.parse(readFileSync(new URL("../../display/language.json", import.meta.url), "utf8"));

test("a message is said in another language, and nothing else is", () => {
  const german = new Language(examples.game, examples.common);
  for (const [text, wanted] of examples.said) assert.equal(german.say(text), [wanted].flat()[0], text);
});

test("a sentence of a page is made in another language, and in English where it has no message", () => {
  const german = new Language(examples.game, examples.common);
  assert.equal(
    german.fill("The {card} is the prize: {points}.", { card: "King", points: 3 }),
    "König ist der Preis: 3.",
  );
  assert.equal(german.fill("{count} point\n{count} points", { count: 1 }), "1 Punkt");
  assert.equal(german.fill("Nobody has the {card}.", { card: "King" }), "Nobody has the King.");
  assert.equal(german.fill("{count} prize\n{count} prizes", { count: 2 }), "2 prizes");
  assert.equal(german.fill("{card}, {points}", { card: "King", points: 0.5 }), "König, 0,5", "no words of its own");
  assert.equal(german.money("2.50"), "2,50 $");
});

test("a text is made in another language from its values as the hub makes it", () => {
  const german = new Language(examples.game, examples.common);
  for (const { texts, english, said } of Object.values(examples.made)) {
    readMessage(JSON.stringify({ texts }));
    assert.equal(german.say(english), said);
  }
});

test("a language with six forms has each at its numbers", () => {
  const forms = { zero: "0", one: "1", two: "2", few: "3", many: "4", other: "5" };
  const arabic = new Language({
    ...examples.common,
    language: "ar",
    messages: { "{count} point\n{count} points": forms },
  });
  const counts = [0, 1, 2, 3, 10, 11, 99, 100, 102, 103, 250, -1];
  const said = counts.map((count) => arabic.fill("{count} point\n{count} points", { count }));
  assert.deepEqual(said, ["0", "1", "2", "3", "3", "4", "4", "5", "5", "3", "4", "1"]);
});
