// What staff look at first: calls for help, warnings, and the part of the staff page that an address names.

import { message } from "./language.js";

/** @import { Notice, ScreenSeen, StaffTable, TableSeen, Venue } from "./messages.d.ts" */

/** The states of a table, in words. */
export const STATES = {
  lobby: message("Lobby"),
  playing: message("Playing"),
  over: message("Match over"),
  stopped: message("Stopped"),
};

/** A screen silent for this long is off, or its page has failed: it reports every five seconds. */
const SCREEN_SECONDS = 30;

/** @param {ScreenSeen} seen */
export const isSilent = ({ seconds }) => seconds >= SCREEN_SECONDS;

/** @param {Notice} notice */
const isCall = ({ key }) => key.startsWith("help");

/**
 * Return the calls for help at the tables of this hub.
 * @param {Venue} venue
 */
export const callsOf = (venue) =>
  venue.tables.flatMap(({ public: state }) =>
    state.notices.filter(isCall).map((notice) => ({ key: `${state.table} ${notice.key}`, state, notice })),
  );

/**
 * Return the tables of other hubs where people call for help.
 * @param {Venue} venue
 * @returns {{ key: string, hub: string, table: TableSeen }[]}
 */
export const callsElsewhere = (venue) =>
  (venue.upstream?.hubs ?? [])
    .filter(({ state }) => state === "here")
    .flatMap(({ hub, tables }) =>
      tables.filter(({ calls }) => calls > 0).map((table) => ({ key: `${hub}/${table.table}`, hub, table })),
    );

/**
 * Return a name for each call that staff can hear, here and at other hubs.
 * @param {Venue | null} venue
 */
export const callNames = (venue) =>
  venue
    ? [
        ...callsOf(venue).map(({ key }) => key),
        ...callsElsewhere(venue).flatMap(({ key, table }) =>
          Array.from({ length: table.calls }, (_, n) => `${key} ${n}`),
        ),
      ]
    : [];

/**
 * Return the notices of a table that are no calls.
 * @param {StaffTable} table
 */
export const noticesOf = ({ public: state }) => state.notices.filter((notice) => !isCall(notice));

/**
 * Return whether a table has calls, how many faults and warnings it has, and whether one of them is an error.
 * @param {StaffTable} table
 */
export function troubleOf(table) {
  const warnings = [
    ...noticesOf(table).filter(({ severity }) => severity !== "info"),
    ...table.faults,
    ...table.screens.filter(isSilent).map(() => ({ severity: "warning" })),
  ];
  return {
    calls: table.public.notices.some(isCall),
    warnings: warnings.length,
    isError: warnings.some(({ severity }) => severity === "error"),
  };
}

// --- places: "table=2" is a table, "part=hub" another part, and "" the list ------------------------------------

const KEYS = ["table", "part"];

/** @param {string} table */
export const tablePlace = (table) => String(new URLSearchParams({ table }));

/**
 * Return the place that an address names.
 * @param {string} search the query of the address
 */
export function placeIn(search) {
  const asked = new URLSearchParams(search);
  const key = KEYS.find((one) => asked.get(one));
  return key ? String(new URLSearchParams({ [key]: asked.get(key) ?? "" })) : "";
}

/**
 * Return the address of a place. Everything else in the address stays.
 * @param {string} place
 * @param {{ pathname: string, search: string, hash: string }} now
 */
export function addressOf(place, { pathname, search, hash } = location) {
  const query = new URLSearchParams(search);
  for (const key of KEYS) query.delete(key);
  for (const [key, value] of new URLSearchParams(place)) query.set(key, value);
  return `${pathname}${String(query) && `?${query}`}${hash}`;
}
