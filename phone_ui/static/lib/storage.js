// The data that a phone stores between visits: its claim of a seat, and personal settings.
// A private window may refuse storage; then the data last until the page is closed.

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
 * A small JSON value under a name. `get` returns null if it is missing.
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
 * Return the storage name of a claim. One browser may hold several seats of a simulated table, distinguished by `phone`.
 * @param {string} table
 * @param {string | null} [phone]
 */
export const claimNameOf = (table, phone) => `th/${table}${phone ? `/${phone}` : ""}`;

/** The language chosen on this device. */
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
 * Store the settings and apply them to the page.
 * @param {Settings} settings
 */
export function saveSettings(settings) {
  stored.set(settings);
  applySettings(settings);
}

/**
 * Apply text size (percent), theme and thumb side to the page.
 * @param {Settings} settings
 */
export function applySettings({ size, theme, hand }) {
  const root = document.documentElement;
  root.style.setProperty("--text-size", `${size}%`);
  root.dataset.theme = theme;
  root.dataset.hand = hand;
  root.dataset.large = String(size >= 150);
}
