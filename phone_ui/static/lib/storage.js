// What a phone keeps between visits: its claim on a seat, and the settings of the person who holds it.
// A private window may refuse storage; then the page works until it is closed.

/** @import { Settings } from "./types.d.ts" */

/** @type {Map<string, string>} */
const memory = new Map();

/** @param {string} key */
function read(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function write(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}

/** @param {string} key */
function remove(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    return;
  }
}

/**
 * One small JSON value under a name; `get` returns null where there is none.
 * @param {string} name
 */
export function slot(name) {
  return {
    /** @returns {any} */
    get() {
      const found = read(name);
      try {
        return found === null ? null : JSON.parse(found);
      } catch {
        return null;
      }
    },
    /** @param {any} value */
    set: (value) => write(name, JSON.stringify(value)),
    remove: () => remove(name),
  };
}

/**
 * What a seat of a table is held with. One browser may hold several of a simulated table: `phone` keeps them apart.
 * @param {string} table
 * @param {string | null} [phone]
 */
export const claimNameOf = (table, phone) => `th/${table}${phone ? `/${phone}` : ""}`;

/** The language that a person has chosen on this device. */
export const languageSlot = slot("th/language");

/** @type {Settings} */
const DEFAULTS = {
  keepOpen: false,
  hints: false,
  sound: false,
  lessons: true,
  hand: "right",
  size: 100,
  theme: "auto",
};
const stored = slot("th/settings");

/**
 * Return the settings of this phone.
 * @returns {Settings}
 */
export function loadSettings() {
  return { ...DEFAULTS, ...stored.get() };
}

/**
 * Keep the settings and let the page follow them.
 * @param {Settings} settings
 */
export function saveSettings(settings) {
  stored.set(settings);
  applySettings(settings);
}

/**
 * Set text size (per cent), light and thumb side on the page itself.
 * @param {Settings} settings
 */
export function applySettings({ size, theme, hand }) {
  const root = document.documentElement;
  root.style.setProperty("--text-size", `${size}%`);
  root.dataset.theme = theme;
  root.dataset.hand = hand;
  root.dataset.large = String(size >= 150);
}
