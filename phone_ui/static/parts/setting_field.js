// One key of the configuration: an input for its kind, what it is for, and why its value was refused.

import { html, useState } from "../lib/html.js";
import { say } from "../lib/language.js";
import { same } from "../lib/values.js";
import { PictureChoice } from "./picture_choice.js";

/** @import { SettingField as Field } from "../lib/messages.d.ts" */
/** @import { Path } from "../lib/drafts.js" */

/**
 * @typedef {{
 *   field: Field, at: Path, value: any, refused: string, onChange: (to: any) => void,
 * }} Props
 * @typedef {{ id: string, field: Field, value: any, described: string, isRefused: boolean, onChange: (to: any) => void }} InputProps
 */

/** @param {Props} props */
export function SettingField({ field, at, value, refused, onChange }) {
  const id = at.join(".");
  const Input = field.pictures.length ? PictureChoice : (INPUTS[field.kind] ?? TextInput);
  const hasHint = !["switch", "choice", "secret"].includes(field.kind) && field.item !== "text" && field.allowed !== "";
  return html`<div class=${`setting${refused ? " refused" : ""}`}>
    <label for=${id}>
      <span class="setting-about">${field.about || field.key}</span>
      <code translate="no">${field.key}</code>
    </label>
    <div class="setting-value">
      <${Input}
        id=${id}
        field=${field}
        value=${value ?? field.default}
        described=${`${id}-hint`}
        isRefused=${Boolean(refused)}
        onChange=${onChange}
      />
      <p class=${refused ? "why" : "hint"} id=${`${id}-hint`} role=${refused ? "alert" : undefined}>
        ${refused || (field.kind === "fixed" ? say("Changed in the file only, by hand.") : hasHint ? field.allowed : "")}
      </p>
    </div>
  </div>`;
}

/**
 * Return a number if the text is one, else the text itself, which the hub refuses with a sentence. No text removes the key.
 * @param {string} text
 * @param {boolean} isNumber
 */
function typedValue(text, isNumber) {
  const bare = text.trim();
  if (!bare) return null;
  return isNumber && Number.isFinite(Number(bare)) ? Number(bare) : bare;
}

/** A value that is changed in the file only. @param {InputProps} props */
function Fixed({ id, value }) {
  return html`<output id=${id} translate="no">${value === true ? say("on") : value === false ? say("off") : value}</output>`;
}

/** @param {InputProps} props */
function TextInput({ id, field, value, described, isRefused, onChange }) {
  const isNumber = field.kind === "whole" || field.kind === "number";
  return html`<input
    id=${id}
    class=${isNumber ? "short" : ""}
    inputmode=${field.kind === "whole" ? "numeric" : field.kind === "number" ? "decimal" : "text"}
    autocomplete="off"
    autocapitalize="off"
    spellcheck=${false}
    aria-describedby=${described}
    aria-invalid=${isRefused}
    defaultValue=${value ?? ""}
    onInput=${(/** @type {any} */ { target }) => onChange(typedValue(target.value, isNumber))}
  />`;
}

/** @param {InputProps} props */
function Switch({ id, value, described, isRefused, onChange }) {
  return html`<label class="switch">
    <input
      id=${id}
      type="checkbox"
      checked=${value === true}
      aria-describedby=${described}
      aria-invalid=${isRefused}
      onChange=${(/** @type {any} */ { target }) => onChange(target.checked)}
    />
  </label>`;
}

/** @param {InputProps} props */
function Choice({ id, field, value, described, isRefused, onChange }) {
  const choices = field.choices.includes(value) ? field.choices : [value, ...field.choices];
  return html`<select
    id=${id}
    translate="no"
    aria-describedby=${described}
    aria-invalid=${isRefused}
    onChange=${(/** @type {any} */ { target }) => onChange(target.value)}
  >
    ${choices.map((one) => html`<option key=${one} value=${one} selected=${one === value}>${one || "—"}</option>`)}
  </select>`;
}

/** @param {InputProps} props */
function List({ id, field, value, described, isRefused, onChange }) {
  /** @type {any[]} */
  const values = Array.isArray(value) ? value : [];
  if (field.choices.length && field.most) {
    const rows = Array.from({ length: field.most }, (_, i) => values[i] ?? "");
    const change = (/** @type {number} */ i, /** @type {string} */ to) => onChange(rows.with(i, to).filter(Boolean));
    return html`<div class="choices">
      ${rows.map(
        (one, i) => html`<select
          key=${i}
          id=${i ? undefined : id}
          translate="no"
          aria-label=${i ? say("One more") : undefined}
          aria-describedby=${described}
          aria-invalid=${isRefused}
          onChange=${(/** @type {any} */ { target }) => change(i, target.value)}
        >
          ${["", ...field.choices].filter((choice) => choice || i).map((choice) => html`<option key=${choice} value=${choice} selected=${choice === one}>${choice || "—"}</option>`)}
        </select>`,
      )}
    </div>`;
  }
  const change = (/** @type {any} */ { target }) => {
    const items = target.value.split(",").map((/** @type {string} */ one) => typedValue(one, field.item !== "text"));
    const made = items.filter((/** @type {any} */ one) => one !== null);
    onChange(made.length || field.default !== null ? made : null);
  };
  return html`<input
    id=${id}
    autocomplete="off"
    autocapitalize="off"
    spellcheck=${false}
    placeholder=${say("separated by commas")}
    aria-describedby=${described}
    aria-invalid=${isRefused}
    defaultValue=${values.join(", ")}
    onInput=${change}
  />`;
}

/** A secret: the hub never sends it, so only a new one is shown. @param {InputProps} props */
function Secret({ id, value, described, isRefused, onChange }) {
  const [isOpen, setIsOpen] = useState(false);
  return html`<div class="choices">
    <span>${value ? say("set") : say("not set")}</span>
    ${
      isOpen
        ? html`<${NewSecret} id=${id} described=${described} isRefused=${isRefused} onChange=${onChange} />`
        : html`<button type="button" class="do" onClick=${() => setIsOpen(true)}>${value ? say("Replace") : say("Set")}</button>`
    }
    ${value && html`<button type="button" class="do" onClick=${() => onChange(null)}>Remove</button>`}
  </div>`;
}

/**
 * @param {{ id: string, described: string, isRefused: boolean, onChange: (to: any) => void }} props
 */
function NewSecret({ id, described, isRefused, onChange }) {
  return html`<input
    id=${id}
    type="password"
    autocomplete="new-password"
    aria-describedby=${described}
    aria-invalid=${isRefused}
    onInput=${(/** @type {any} */ { target }) => onChange(target.value)}
  />`;
}

/** A file with a password: its path, or a new password, which the hub puts into a file of its own. @param {InputProps} props */
function PasswordFile(props) {
  const { id, field, value, described, isRefused, onChange } = props;
  const [isOpen, setIsOpen] = useState(false);
  if (!isOpen) {
    return html`<div class="choices">
      <${TextInput} ...${props} />
      <button type="button" class="do" onClick=${() => setIsOpen(true)}>${value ? say("Replace the password") : say("Type the password")}</button>
    </div>`;
  }
  const change = (/** @type {string} */ password) =>
    onChange(password ? { password } : same(value, field.default) ? null : value);
  return html`<label class="unseen" for=${id}>The password</label>
    <${NewSecret} id=${id} described=${described} isRefused=${isRefused} onChange=${change} />`;
}

/** @type {Record<string, any>} */
const INPUTS = { switch: Switch, choice: Choice, list: List, secret: Secret, password: PasswordFile, fixed: Fixed };
