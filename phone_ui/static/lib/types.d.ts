// What the pages' modules hand one another, as far as the messages (messages.d.ts) do not say it.

import type { VNode } from "preact";
import type {
  Ack,
  FactLabels,
  Labels as GameLabels,
  Login,
  PublicState,
  Requests,
  StaffRequests,
} from "./messages.d.ts";

/** What a component may return. */
export type Drawn = VNode | string | null | (VNode | string | null)[];

/** A part of a view: plain data of whatever game is played. */
export type Facts = Record<string, any>;

/** How a number is written. */
export interface NumberStyle {
  money?: string;
  signed?: boolean;
}

/** A fact with its present value. */
export interface FoundFact {
  name: string;
  about: FactLabels;
  value: any;
}

/** The labels of a game, with the cards that lie as records in the view: `withDeck` adds them. */
export interface Labels extends GameLabels {
  deck?: Record<string, Facts>;
}

/** A rule that is told at its moment: `say` to who is asked, `all` to everybody else. */
export interface Lesson {
  key: string;
  part: string;
  rule: string;
  say: string;
  all: string;
}

/** Rules that belong together: each line is a sentence and the ids behind it; `named`: and what it is about instead. */
export interface Chapter {
  title: string;
  lines: [string, string][];
  phases?: string[];
  named?: boolean;
}

/** The guide of a game: `/games/<game>/guide.json`. */
export interface Guide {
  about: string;
  follows: Record<string, string>;
  chapter: Chapter[];
  symbol: { name: string; say: string }[];
  lesson: Lesson[];
}

/** The face of a card. */
export interface Face {
  key: string;
  title: string;
  tag: string;
  name: string;
  full: string;
  text: string;
  letter?: string;
  colour?: string;
  hue?: string;
  art?: string;
  face?: string;
  line?: string;
  record?: Facts;
}

/** A number line that an event drew; `n` is the event's number. */
export interface Line {
  n: number;
  low: number;
  high: number;
  at: Record<string, number>;
  turned?: boolean;
}

/** A legal range of an amount. */
export interface Range {
  min: number;
  max: number;
  step: number;
}

/** A value that cannot be chosen, with the reason. */
export interface Barred {
  name: string;
  value: any;
  why: string;
}

/** All that the hub offers under one move's name. */
export interface Form {
  key: string;
  move: string;
  standing: boolean;
  why: string;
  variants: Facts[];
  params: string[];
  barred: Barred[];
}

/** The shape of a parameter: what of the rest is filled depends on the kind. */
export interface Shape {
  kind: "fixed" | "one_of" | "amount" | "choose" | "order";
  only: any;
  of: any[];
  from: any[];
  ranges: Range[];
  ways: { choose: { min: number; max: number }; from: any[] }[];
  min: number;
  max: number;
}

/** A parameter as the choices so far leave it; `value` is undefined while nothing is chosen. */
export interface Field extends Shape {
  name: string;
  value: any;
  more: any[];
  shown: boolean;
  optional: boolean;
  barred: Barred[];
}

/** A claim as a phone keeps it: the login, its own keys, the hub's key, the number of its last request. */
export interface Held extends Login {
  sk: string;
  pk: string;
  hubkey: string;
  n: number;
}

/** The settings of the person who holds the phone. */
export interface Settings {
  keepOpen: boolean;
  hints: boolean;
  sound: boolean;
  lessons: boolean;
  hand: string;
  size: number;
  theme: string;
}

/** The hub's answer to a request, or what stands for one that did not come. */
export type Answer = Pick<Ack, "ok" | "error" | "code">;

/** Ask the hub for something; `key` names the button that waits for the answer. */
export type Ask = <V extends keyof Requests>(verb: V, args: Requests[V], key: string) => Promise<Answer>;

/** Ask the hub for something as staff; `key` names the button that waits for the answer. */
export type AskHub = <V extends keyof StaffRequests>(
  verb: V,
  table: string,
  args: StaffRequests[V],
  key: string,
) => Promise<boolean>;

/** Time as a module needs it; tests hand in one that stands still. `every` returns what ends it. */
export interface Clock {
  now(): number;
  every(milliseconds: number, call: () => void): () => void;
}

/** Server-sent events, as an EventSource hands them on. */
export interface Source {
  onopen: ((this: any, event: any) => void) | null;
  onmessage: ((this: any, event: any) => void) | null;
  addEventListener(name: string, listener: () => void): void;
  close(): void;
}

/** What every part of the phone's page is drawn from. */
export interface PhoneProps {
  labels: Labels | null;
  state: PublicState;
  seat: number | null;
  hand: import("./messages.d.ts").Hand | null;
  settings: Settings;
  sending: string | null;
  refusal: string;
  ask: Ask;
  away: boolean;
  onSkip?: () => void;
}

/** What a widget is given. */
export interface WidgetProps {
  labels: Labels | null;
  state: PublicState;
  move: string;
  field: Field;
  group: string;
  onChange: (value: any) => void;
}

/** The messages of one language, for all or for one game; hub/display/language.py says what each field is. */
export interface Catalogue {
  language: string;
  direction: string;
  money: string;
  point: string;
  /** A message in the language; with plural forms, each by its category of Unicode's rules: one, few, other. */
  messages: Record<string, string | Record<string, string>>;
}

/**
 * What a sentence was made from (`hub/engine/text.py`): a number, a message, a template with its values, an amount of
 * dollars, a person's name, or several of these in a row.
 */
export type MadeOf = number | string | MadeOfTemplate | MadeOfOther;
export type MadeOfTemplate = [template: string, ...values: MadeOf[]];
export interface MadeOfOther {
  money?: number | string;
  name?: string;
  clause?: MadeOf;
  list?: MadeOf[];
  by?: "and" | "or" | "then" | ",";
}

/** What stands in the places of a sentence: nothing where there is none. */
export type Values = Record<string, string | number | null | undefined>;

/** What speaks another language on a page (lib/speaking.js). */
export interface Speaker {
  name: string;
  seats: RegExp;
  say(text: string, values?: Values): string;
  money(amount: number | string): string;
  draw(made: any): any;
  learn(game: string): Promise<void>;
  sayDocument(): void;
}
