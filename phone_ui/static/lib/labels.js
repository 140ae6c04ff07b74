// Words of a game (JSON from the hub) and the few rules by which every page puts them into sentences; how a template is
// filled and a card is told is the same as in hub/display/labels.py.

/** How a seat is told apart without colour; the same table as hub.ports.SEAT_MARKS. */
export const MARKS = {
  1: { symbol: "●", name: "blue circle" },
  2: { symbol: "▲", name: "orange triangle" },
  3: { symbol: "■", name: "green square" },
  4: { symbol: "◆", name: "magenta diamond" },
  5: { symbol: "★", name: "yellow star" },
  6: { symbol: "✚", name: "white cross" },
};

const NONE = {};

/** The value at a dotted path such as `table.spots.0.number`; undefined where a step is missing. */
export function at(root, path) {
  let value = root;
  for (const step of path.split(".")) {
    if (value === null || value === undefined) return undefined;
    value = value[step];
  }
  return value;
}

/** Is this a record, or a map? */
export const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Is this a map by seat, seats as keys? */
export const isBySeat = (value) => isRecord(value) && Object.keys(value).every((key) => key in MARKS);

/** A value in words: cards by name or title, lists with spaces between, numbers by seat with symbols, nothing for null, false and other records. */
function told(value, words) {
  if (value === true) return "yes";
  if (isBySeat(value) && Object.values(value).every(Number.isInteger))
    return Object.entries(value)
      .filter(([, n]) => n)
      .map(([seat, n]) => `${MARKS[seat].symbol}${n}`)
      .join(" ");
  if (Array.isArray(value))
    return value
      .map((one) => told(one, words))
      .filter(Boolean)
      .join(" ");
  if (isRecord(value)) return faceIn(words, value)?.title ?? "";
  if (typeof value === "string") return words?.cards?.[value]?.name ?? value;
  return typeof value === "number" ? String(value) : "";
}

const PLACE = /\{([^{}]*)\}/g;

/**
 * Fill `{a.b.0}`; `{cash:cents}`, `{cash:dollars}` write money, `{price:+}` a sign; what is missing or null is left out, and of several parts
 * with dots between them one whose places are all empty. As hub/display/labels.py.
 */
export function fill(template, scope, words) {
  return String(template ?? "")
    .split(" · ")
    .map((part, _, parts) => {
      let empty = true;
      const filled = part.replace(PLACE, (_, place) => {
        const [path, form] = place.split(":");
        const value = at(scope, path);
        const said =
          form === "+"
            ? Number.isInteger(value)
              ? signed(value)
              : ""
            : form && Number.isInteger(value)
              ? counted(value, { money: form })
              : told(value, words);
        if (said) empty = false;
        return said;
      });
      return parts.length > 1 && empty && filled !== part ? null : filled;
    })
    .filter((part) => part !== null)
    .join(" · ")
    .replace(/ {2,}/g, " ")
    .replace(/^[ ·]+|[ ·]+$/g, "");
}

/** A number with its sign: +7, -3, 0. */
export function signed(value) {
  return value > 0 ? `+${value}` : String(value);
}

/** The words as they stand now: with the cards that lie as records in these parts of a view, by what they are called. */
export function withDeck(words, ...parts) {
  const key = words?.face?.key;
  if (!key) return words;
  const deck = {};
  const walk = (value) => {
    if (Array.isArray(value)) value.forEach(walk);
    else if (isRecord(value)) {
      if (key in value) deck[value[key]] = value;
      Object.values(value).forEach(walk);
    }
  };
  parts.forEach(walk);
  return { ...words, deck };
}

/** The face of a card: of a record, of what a card is called, or of a key of `cards`; null if it is no card. */
export function faceIn(words, value) {
  const about = words?.face;
  const record = isRecord(value) ? value : about && words.deck?.[value];
  if (!record) {
    const known = words?.cards?.[value];
    return known
      ? { ...known, title: known.face ?? known.name, tag: "", full: known.name, text: "", key: value }
      : null;
  }
  if (!about || !(about.key in record)) return null;
  const kind = words.cards?.[record[about.kind]] ?? NONE;
  const action = record[about.action];
  const [title, tag] = [fill(about.title, record), fill(about.tag, record)];
  const name = [kind.name, action].filter(Boolean).join(" ");
  const full = [tag ? `${title} (${tag})` : title, name].filter(Boolean).join(" ");
  return {
    record,
    key: record[about.key],
    title,
    tag,
    name,
    full,
    letter: kind.letter,
    colour: kind.colour,
    hue: kind.hue,
    text: (action && kind[action]) ?? "",
  };
}

/** What the words want drawn in the present phase. */
export function phaseOf(words, view) {
  return words?.screen?.phase?.[view?.phase] ?? NONE;
}

/** The seats in the order in which they act, where the words name one; else null. */
export function orderOf(words, view) {
  const path = phaseOf(words, view).order ?? words?.screen?.order;
  const order = path && at(view, path);
  return Array.isArray(order) && order.length && order.every(Number.isInteger) ? order : null;
}

/** The newest number line that an event drew: {n, low, high, at, turned}; null where there is none. */
export function lineIn(state) {
  const event = [...(state.events ?? [])].reverse().find((e) => e.data?.line);
  return event ? { n: event.n, ...event.data.line } : null;
}

/** A place in a row of cards by the cards beside it, counted from 0 at the left end. */
function gapWords(words, row, place) {
  const titles = (row ?? []).map((one) => faceIn(words, one)?.title ?? "?");
  if (!titles.length) return "into the empty row";
  if (place === 0) return `left of ${titles[0]}`;
  return place >= titles.length ? `right of ${titles.at(-1)}` : `between ${titles[place - 1]} and ${titles[place]}`;
}

/** The seats the table waits for, as numbers, in order; a roller is one of them. */
export function asked(view) {
  const waiting = view?.waiting ?? NONE;
  const seats = new Set(
    (Array.isArray(waiting.seats) ? waiting.seats : Object.keys(waiting.seats ?? NONE)).map(Number),
  );
  if (waiting.roll) seats.add(Number(waiting.roll.seat));
  return [...seats].sort();
}

/** What a screen template may name: the public view, `seat` (the roller, or the first one asked), `locked` and `seated`. */
function screenScope(state) {
  const view = state.view ?? NONE;
  const seats = asked(view);
  const first = view.waiting?.roll?.seat ?? seats[0];
  return {
    ...view,
    ...(state.over ?? NONE),
    seat: view.seats?.[first],
    asked: first,
    locked: state.locked?.length ?? 0,
    seated: seats.length || Object.keys(view.seats ?? NONE).length,
    players: Object.keys(view.seats ?? NONE).length,
  };
}

/** The big line and the caption of the present phase, or empty strings. `{seat}` alone is the number of who is asked. */
export function nowLines(words, state) {
  const phase = phaseOf(words, state.view);
  const scope = screenScope(state);
  // "Seat" without a number is nobody; of several templates for the big line the first that says something stands.
  const filled = (template) =>
    fill(String(template ?? "").replaceAll("{seat}", scope.asked ?? ""), scope, words)
      .replace(/\bSeat(?: +|$)(?=\D|$)/, "")
      .trim();
  return { main: [phase.main].flat().map(filled).find(Boolean) ?? "", caption: filled(phase.caption) };
}

/** "as of round 3": how a page dates what it shows; empty before a match. */
export function roundWords(view) {
  return view?.round ? `Round ${view.round}` : "";
}

/** The phase in the game's words. */
export function phaseWords(words, view) {
  if (!view?.phase) return "";
  return words?.phases?.[view.phase] ?? plain(view.phase);
}

/** `take_fish` -> "Take fish": what is said when a game gives no word. */
export function plain(name) {
  const text = String(name).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a person calls a seat: the nick name, or "Seat 2". */
export function seatName(state, seat) {
  const place = state?.seats?.find((s) => s.seat === Number(seat));
  return place?.name || `Seat ${seat}`;
}

/** Has somebody given this seat a name? */
export function isNamed(state, seat) {
  return Boolean(state?.seats?.find((s) => s.seat === Number(seat))?.name);
}

/** Cut a sentence at every "Seat 2" so that a page can put symbol and name there: strings and numbers. */
export function bySeat(text) {
  return String(text ?? "")
    .split(/\b[Ss]eat (\d)\b/)
    .map((part, i) => (i % 2 ? Number(part) : part))
    .filter((part) => part !== "");
}

/** A sentence with the seats' names in it, for places where only text may stand. */
export function named(state, text) {
  return bySeat(text)
    .map((part) => (typeof part === "number" ? seatName(state, part) : part))
    .join("");
}

/** A number as the game counts it: plain, whole dollars or cents. */
export function counted(value, fact = NONE) {
  if (typeof value !== "number") return String(value);
  if (fact.signed) return signed(value);
  if (fact.money === "cents") return `$${(value / 100).toFixed(value % 100 ? 2 : 0)}`;
  if (fact.money) return `$${value}`;
  return String(value);
}

/** A score as the game counts it: money, or by name ("1 IOU", "2 IOUs"). */
export function scored(words, score) {
  const names = words?.screen?.scored;
  return names ? `${score} ${score === 1 ? names[0] : names.at(-1)}` : counted(score, { money: words?.screen?.score });
}

/** Seats with their scores, winners first, then as the game ranks them: the highest, or the least where that is best. */
export function ranked(words, { winners, scores }) {
  const way = words?.screen?.best === "least" ? -1 : 1;
  return Object.entries(scores ?? NONE)
    .map(([seat, score]) => ({ seat: Number(seat), score, won: winners.includes(Number(seat)) }))
    .sort((a, b) => Number(b.won) - Number(a.won) || way * (b.score - a.score));
}

/** Is this parameter answered with a seat? By the house's rule such a parameter is called `target`. */
export function asksSeat(words, name) {
  return name === "target" || words?.parameters?.[name]?.seat === true;
}

/** The seat that a value of this parameter means: the seat itself, whose record it is (`by`), or who the words say (`who`) stands behind it. */
export function seatOf(words, view, name, value) {
  if (asksSeat(words, name)) return Number.isInteger(value) ? value : undefined;
  const about = words?.parameters?.[name] ?? NONE;
  const path = about.who?.[value];
  return recordOf(words, view, name, value)?.[about.by] ?? (path && (at(view, path) ?? undefined));
}

/** The face behind a value: where a move says so, a number counts from 1 into a list of the view. */
export function faceOf(words, view, move, name, value) {
  const list = words?.moves?.[move]?.from?.[name];
  return (list && at(view, list)?.[value - 1]) ?? value;
}

/** Are the values of this parameter cards, by themselves or by what lies in their place? */
export function isCard(words, move, name) {
  return words?.parameters?.[name]?.card === true || words?.moves?.[move]?.from?.[name] !== undefined;
}

/** The record that a value stands for, where its parameter says in which list of the view it is found by its `id`. */
export function recordOf(words, view, name, value) {
  const list = words?.parameters?.[name]?.record;
  return list && at(view, list)?.find((one) => one.id === value);
}

/** One value of a parameter in words. */
export function valueWords(words, state, move, name, value) {
  if (Array.isArray(value))
    return value.map((v) => valueWords(words, state, move, name, v)).join(words?.moves?.[move]?.join ?? ", ");
  const about = words?.parameters?.[name] ?? NONE;
  if (asksSeat(words, name) && Number.isInteger(value)) return seatName(state, value);
  const known = about.names?.[String(value)];
  if (known) return known;
  const record = recordOf(words, state?.view, name, value);
  if (record) return fill(about.title, record, words);
  if (isCard(words, move, name)) {
    const face = faceOf(words, state?.view, move, name, value);
    return faceIn(words, face)?.full ?? String(face);
  }
  if (about.between && Number.isInteger(value)) return gapWords(words, at(state?.view, about.between), value);
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "number" ? counted(value, about) : plain(value);
}

/** What a move with these arguments is called on a button; what is still to be chosen (`blanks`) is told as "…". */
export function moveLabel(words, state, move, args = NONE, blanks = []) {
  const said = Object.fromEntries(blanks.map((name) => [name, "…"]));
  for (const [name, value] of Object.entries(args)) {
    if (blanks.includes(name)) continue;
    const about = words?.parameters?.[name] ?? NONE;
    said[name] =
      (value === 1 && about.one) ||
      (about.said ?? "{}").replace("{}", () => valueWords(words, state, move, name, value));
  }
  return fill(words?.moves?.[move]?.label ?? plain(move), { ...state?.view, ...said }).replace(/…( …)+/g, "…");
}

const kept = new Map();

/** The words of a game; asked of the hub once a page. */
export function wordsOf(game) {
  if (!kept.has(game)) {
    const asking = fetch(`/games/${encodeURIComponent(game)}.json`).then((answer) => {
      if (!answer.ok) throw new Error(`The hub has no words for ${game}.`);
      return answer.json();
    });
    asking.catch(() => kept.delete(game));
    kept.set(game, asking);
  }
  return kept.get(game);
}
