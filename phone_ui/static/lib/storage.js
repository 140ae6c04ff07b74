// What a phone keeps between visits: its claim on a seat, and the settings of the person who holds it.
// A private window may refuse storage; then the page works until it is closed.

const memory = new Map();

function read(key) {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

function write(key, value) {
  memory.set(key, value);
  try {
    localStorage.setItem(key, value);
  } catch {
    return;
  }
}

function wipe(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    return;
  }
}

/** One small JSON value under a name. */
export function slot(name) {
  return {
    get() {
      const found = read(name);
      try {
        return found === null ? null : JSON.parse(found);
      } catch {
        return null;
      }
    },
    set: (value) => write(name, JSON.stringify(value)),
    wipe: () => wipe(name),
  };
}

const usual = { keepOpen: false, hand: "right", size: 100, theme: "auto" };
const settings = slot("th/settings");

export function ownSettings() {
  return { ...usual, ...settings.get() };
}

/** Keep the settings and let the page follow them. */
export function setSettings(next) {
  settings.set(next);
  dress(next);
}

/** Text size, light and thumb side, set on the page itself. */
export function dress({ size, theme, hand }) {
  const root = document.documentElement;
  root.style.setProperty("--text-size", `${size}%`);
  root.dataset.theme = theme;
  root.dataset.hand = hand;
  root.dataset.large = String(size >= 150);
}
