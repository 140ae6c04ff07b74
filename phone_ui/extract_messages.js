// Find the messages of the pages: node extract_messages.js prints them as a gettext template.
//
// A message is what `say`, `sayCount`, `sayAround` and `message` are called with, and in html`...` each text between two tags
// and each attribute that people read or hear. A text beside a value is half a sentence: that is an error.

import { createRequire } from "node:module";
import { GettextExtractor, JsExtractors } from "gettext-extractor";
import htm from "htm";

/** The compiler of the extractor: the one that checks types here has no interface yet. */
const ts = createRequire(import.meta.resolve("gettext-extractor"))("typescript");

const SPOKEN = ["aria-label", "title", "placeholder", "alt", "label"];
const WORD = /\p{L}{2}/u;

/** @param {string} text */
const collapsed = (text) => text.trim().replace(/\s+/g, " ");

/** @type {string[]} */
const faults = [];

/**
 * Take the texts of an htm template, as htm itself reads it.
 * @type {import("gettext-extractor/dist/js/parser.js").IJsExtractorFunction}
 */
function ofMarkup(node, file, addMessage) {
  if (!ts.isTaggedTemplateExpression(node)) return;
  const { tag, template } = /** @type {any} */ (node);
  if (tag.text !== "html") return;
  const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  /** @param {string} text */
  const add = (text) =>
    WORD.test(text) && addMessage({ text: collapsed(text), lineNumber: line, fileName: file.fileName });
  /** @type {{ expression: { getText(file: unknown): string }, literal: { text: string } }[]} */
  const spans = template.templateSpans ?? [];
  const strings = [template.head?.text ?? template.text, ...spans.map(({ literal }) => literal.text)];
  /** @param {unknown[]} children what stands between two tags, or in the whole template */
  const take = (children) => {
    children.forEach((child, i) => {
      if (typeof child !== "string") return;
      add(child);
      const isHalf = [children[i - 1], children[i + 1]].some((beside) => beside instanceof Value && !beside.drawn);
      if (isHalf && WORD.test(child))
        faults.push(`${file.fileName}:${line}: "${collapsed(child)}" stands beside a value: use say().`);
    });
  };
  /**
   * @param {unknown} _
   * @param {Record<string, unknown> | null} props
   * @param {...unknown} children
   */
  const read = (_, props, ...children) => {
    if (props?.translate === "no") return [];
    for (const name of SPOKEN) if (typeof props?.[name] === "string") add(String(props[name]));
    take(children);
    return [];
  };
  take(
    [
      htm.bind(read)(
        /** @type {any} */ (strings),
        ...spans.map(({ expression }) => new Value(expression.getText(file))),
      ),
    ].flat(),
  );
}

/** What stands in a template between its texts; `drawn`: it is made of elements, or of nothing. */
class Value {
  /** @param {string} code */
  constructor(code) {
    this.drawn = /html`|^["' ]*$|children/.test(code);
  }
}

const extractor = new GettextExtractor();
extractor
  .createJsParser([
    ...["say", "sayAround", "message"].map((name) => JsExtractors.callExpression(name, { arguments: { text: 0 } })),
    JsExtractors.callExpression("sayCount", { arguments: { text: 0, textPlural: 1 } }),
    ofMarkup,
  ])
  .parseFilesGlob("static/**/*.js");
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length ? 1 : 0;
process.stdout.write(extractor.getPotString());
