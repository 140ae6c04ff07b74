// Types shared by the pages' modules, besides those of messages (messages.d.ts).

import type { VNode } from "preact";
import type {
  Ack,
  FactLabels,
  Labels as GameLabels,
  Login,
  PublicState,
  Requests,
  StaffAnswer,
  StaffRequests,
} from "./messages.d.ts";

/** The return value of a component. */
export type Drawn = VNode | string | null | (VNode | string | null)[];

/** A part of a view: plain data of any game. */
export type Facts = Record<string, any>;

/** The format of a number. */
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

/** The labels of a game, with the deck of card records in the view, which `withDeck` adds. */
export interface Labels extends GameLabels {
  deck?: Record<string, Facts>;
}

/** A rule explained at its moment: `say` to the asked player, `all` to everybody else. */
export interface Lesson {
  key: string;
  part: string;
  rule: string;
  say: string;
  all: string;
}

/** A chapter of rules. Each line is a sentence and its rule ids, or in a `named` chapter the subject of the sentence. */
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

/** A number line of an event. `n` is the event's number. */
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

/** All variants of one move. */
export interface Form {
  key: string;
  move: string;
  standing: boolean;
  why: string;
  variants: Facts[];
  params: string[];
  barred: Barred[];
}

/** The shape of a parameter. Which of the other fields are used depends on the kind. */
export interface Shape {
  kind: "fixed" | "one_of" | "amount" | "choose" | "order";
  only: any;
  of: any[];
  from: any[];
  ranges: Range[];
  ways: { choose: { min: number; max: number }; from: any[] }[];
  min: number;
  max: number;
  /** The sides of dice that only this seat sees: the subset is what they show. */
  sides?: number;
}

/** A parameter after the choices so far. `value` is undefined before a choice. */
export interface Field extends Shape {
  name: string;
  value: any;
  more: any[];
  shown: boolean;
  optional: boolean;
  barred: Barred[];
}

/** A claim as a phone stores it: the login, its own keys, the hub's key, the number of its last request. */
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

/** The hub's answer to a request, or a substitute if there was none. */
export type Answer = Pick<Ack, "ok" | "error" | "code">;

/** Send a request to the hub. `key` names the button that waits for the answer; until then no other can be pressed. */
export type Ask = <V extends keyof Requests>(verb: V, args: Requests[V], key?: string) => Promise<Answer>;

/** Send a request of staff to the hub: null if it was not done. `key` names the button that waits for the answer. */
export type AskHub = <V extends keyof StaffRequests>(
  verb: V,
  table: string,
  args: StaffRequests[V],
  key: string,
) => Promise<StaffAnswer | null>;

/** The clock of a module; tests use one that stands still. `every` returns a function that ends it. */
export interface Clock {
  now(): number;
  every(milliseconds: number, call: () => void): () => void;
}

/** Server-sent events, as from an EventSource. */
export interface Source {
  onopen: ((this: any, event: any) => void) | null;
  onmessage: ((this: any, event: any) => void) | null;
  addEventListener(name: string, listener: () => void): void;
  close(): void;
}

/** The props of every part of the phone's page. */
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

/** The props of a widget. */
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
  and?: MadeOf[];
  or?: MadeOf[];
  then?: MadeOf[];
  ","?: MadeOf[];
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
