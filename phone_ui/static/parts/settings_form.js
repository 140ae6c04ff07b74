// One group of the settings: its parts of the configuration, each with its fields.

import { valueAt } from "../lib/drafts.js";
import { html } from "../lib/html.js";
import { say } from "../lib/language.js";
import { same } from "../lib/values.js";
import { SettingField } from "./setting_field.js";
import { Sure } from "./sure.js";

/** @import { Draft, Path } from "../lib/drafts.js" */
/** @import { SettingField as Field, SettingPart, Settings } from "../lib/messages.d.ts" */

/**
 * @typedef {{
 *   settings: Settings,
 *   draft: Draft,
 *   edition: number,
 *   onDraft: (draft: Draft) => void,
 *   remove: (at: Path) => unknown,
 *   addDevice: (at: Path, driver: string) => unknown,
 *   busy: boolean,
 * }} Common
 */

/**
 * A group that opens: the parts and the single fields that belong to it, and its devices.
 * @param {Common & { group: string, title: string }} props
 */
export function SettingsGroup({ group, title, ...common }) {
  const { settings } = common;
  const parts = Object.entries(settings.parts)
    .filter(([name]) => !name.startsWith("device"))
    .map(([name, part]) => ({ name, part, fields: fieldsIn(part, group) }))
    .filter(({ fields }) => fields.length > 0);
  return html`<details class="machine settings-group">
    <summary><h2>${title}</h2></summary>
    ${parts.map(
      ({ name, part, fields }) =>
        html`<${ConfigPart} key=${name} ...${common} name=${name} part=${part} fields=${fields} group=${group} />`,
    )}
    <${Devices} ...${common} group=${group} />
  </details>`;
}

/**
 * @param {SettingPart} part
 * @param {string} group
 */
const fieldsIn = (part, group) => part.fields.filter((field) => (field.group || part.group) === group);

/**
 * A part of the configuration: one block, or several with a button for one more.
 * @param {Common & { name: string, part: SettingPart, fields: Field[], group: string }} props
 */
function ConfigPart({ name, part, fields, group, ...common }) {
  if (!part.several) return html`<${Block} ...${common} at=${[name]} title=${part.about} fields=${fields} />`;
  const isMain = part.group === group; // in other groups, a block only has the few fields of that group
  const named = part.fields.find(({ key }) => key === "name")?.default;
  const title = (/** @type {any} */ block) => block.name || named || block.game;
  return html`<${Blocks}
    ...${common}
    at=${[name]}
    about=${isMain ? part.about : ""}
    fields=${fields}
    titleOf=${title}
    isFixed=${!isMain}
    least=${name === "table" ? 1 : 0}
  />`;
}

/**
 * The blocks of a list, each with its fields.
 * @param {Common & {
 *   at: Path, about: string, fields: Field[], titleOf: (block: any) => string, isFixed: boolean, least: number,
 * }} props
 */
function Blocks({ at, about, fields, titleOf, isFixed, least, ...common }) {
  const { draft, onDraft, busy } = common;
  const blocks = valueAt(draft.result, at) ?? (least ? [{}] : []);
  return html`${about && html`<p class="quiet-words">${about}</p>`}
    ${blocks.map(
      (/** @type {any} */ block, /** @type {number} */ number) => html`<${Block}
          key=${number}
          ...${common}
          at=${[...at, number]}
          title=${titleOf(block) || `${number + 1}`}
          isName
          fields=${fields}
          canRemove=${!isFixed && blocks.length > least}
        />`,
    )}
    ${
      !isFixed &&
      html`<div class="does">
        <button
          type="button"
          class="do"
          disabled=${busy}
          onClick=${() => onDraft(draft.with([...at, blocks.length], newBlock(at, blocks.length)))}
        >
          ${say("Add one more")} <code translate="no">${`[[${at.filter((one) => typeof one === "string").join(".")}]]`}</code>
        </button>
      </div>`
    }`;
}

/**
 * Return what a new block begins with: what must differ from all others.
 * @param {Path} at
 * @param {number} number
 */
function newBlock(at, number) {
  if (at[0] === "table") return { id: `${number + 1}`, name: say("Table {number}", { number: number + 1 }) };
  return at.at(-1) === "boxes" ? { id: `pins-${number + 1}` } : {};
}

/**
 * The devices of a group, and a button for each driver of which one can be added.
 * @param {Common & { group: string }} props
 */
function Devices({ group, ...common }) {
  const { settings, draft, addDevice, busy } = common;
  const offers = Object.entries(settings.drivers).filter(([, offer]) => offer.group === group);
  if (!offers.length) return null;
  /** @type {any[]} */
  const blocks = draft.result.device ?? [];
  return html`${blocks.map((block, number) => {
    if ((settings.drivers[block.driver]?.group ?? "devices") !== group) return null;
    const fields = [
      ...settings.parts.device.fields.filter(({ key }) => key !== "driver"),
      ...(settings.parts[`device ${block.driver}`]?.fields ?? []),
    ];
    return html`<${Block}
      key=${number}
      ...${common}
      at=${["device", number]}
      title=${block.name || block.driver}
      isName
      about=${settings.drivers[block.driver]?.about}
      fields=${fields}
      canRemove
    />`;
  })}
    <h3>Add a device</h3>
    <ul class="offers">
      ${offers.map(
        ([name, offer]) => html`<li key=${name}>
          <button
            type="button"
            class="do"
            disabled=${busy}
            onClick=${() => addDevice(["device", blocks.length], name)}
          >
            ${say("Add {driver}", { driver: name })}
          </button>
          <p>${offer.about}</p>
        </li>`,
      )}
    </ul>`;
}

/**
 * One block: its fields, the lists of blocks in it, and a button that removes it.
 * @param {Common & {
 *   at: Path, title: string, isName?: boolean, about?: string, fields: Field[], canRemove?: boolean,
 * }} props
 */
function Block({ at, title, isName = false, about = "", fields, canRemove = false, ...common }) {
  const { settings, draft, edition, onDraft, remove, busy } = common;
  const refused = settings.refused && same(settings.refused.at, at) ? settings.refused.say : "";
  const isNew = draft.isNew(at);
  return html`<div class=${`setting-part${refused ? " refused" : ""}`} role="group" aria-label=${title}>
    ${isName ? html`<h3 translate="no">${title}</h3>` : html`<h3>${title}</h3>`}
    ${about && html`<p class="quiet-words">${about}</p>`}
    ${refused && html`<p class="why" role="alert">${refused}</p>`}
    ${fields.map((field) => {
      const path = [...at, field.key];
      if (field.kind === "tables") {
        return html`<${Blocks}
          key=${field.key}
          ...${common}
          at=${path}
          about=${field.about}
          fields=${settings.parts[field.part].fields}
          titleOf=${(/** @type {any} */ block) => block.id}
          isFixed=${false}
          least=${0}
        />`;
      }
      return html`<${SettingField}
        key=${`${edition} ${field.key}`}
        field=${field}
        at=${path}
        value=${valueAt(draft.result, path)}
        refused=${settings.refused && same(settings.refused.at, path) ? settings.refused.say : ""}
        onChange=${(/** @type {any} */ to) => onDraft(draft.with(path, to))}
      />`;
    })}
    ${
      canRemove &&
      (isNew
        ? html`<div class="does"><button type="button" class="do" disabled=${busy} onClick=${() => remove(at)}>Leave out</button></div>`
        : html`<${Sure}
            label="Remove…"
            named=${say("Remove {name}…", { name: title })}
            question=${draft.changes.length ? say("Save or discard your other changes first.") : say("Remove this from the configuration?")}
            options=${draft.changes.length ? [] : [{ label: say("Remove"), danger: true, act: () => remove(at) }]}
            disabled=${busy}
          />`)
    }
  </div>`;
}
