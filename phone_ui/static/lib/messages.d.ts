// Written by `make renew` from the messages' Structs; do not edit.

export interface Messages {
  PublicState: PublicState;
  ScreenState: ScreenState;
  Hand: Hand;
  Ack: Ack;
  EventsPage: EventsPage;
  ChangesPage: ChangesPage;
  History: History;
  Replay: Replay;
  HouseChoices: HouseChoices;
  Till: Till;
  ClaimReply: ClaimReply;
  Login: Login;
  HubStatus: HubStatus;
  StaffSession: StaffSession;
  StaffBox: StaffBox;
  StaffAnswer: StaffAnswer;
  ScreenBox: ScreenBox;
  ScreenSession: ScreenSession;
  Labels: Labels;
  AllCards: AllCards;
  Act: Act;
  ClaimBody: ClaimBody;
  ClaimDetails: ClaimDetails;
  KeyProof: KeyProof;
  StaffLogin: StaffLogin;
  StaffSecret: StaffSecret;
  StaffBody: StaffBody;
  StaffAsk: StaffAsk;
  ScreenOpening: ScreenOpening;
  ScreenSecret: ScreenSecret;
  ScreenAlive: ScreenAlive;
  ScreenBeat: ScreenBeat;
  ActArgs: ActArgs;
  RollArgs: RollArgs;
  DiceArgs: DiceArgs;
  Nothing: Nothing;
  StartArgs: StartArgs;
  ReadyArgs: ReadyArgs;
  WishArgs: WishArgs;
  NameArgs: NameArgs;
  ClaimArgs: ClaimArgs;
  SeatArgs: SeatArgs;
  AcknowledgeArgs: AcknowledgeArgs;
  AskArgs: AskArgs;
  VoteArgs: VoteArgs;
  TakeUpArgs: TakeUpArgs;
  HandOverArgs: HandOverArgs;
  HouseArgs: HouseArgs;
  HintsArgs: HintsArgs;
  LessonsArgs: LessonsArgs;
  HubRollsArgs: HubRollsArgs;
  StaffUndoArgs: StaffUndoArgs;
  ResetArgs: ResetArgs;
  LimitArgs: LimitArgs;
  OfferArgs: OfferArgs;
  LightArgs: LightArgs;
  VolumeArgs: VolumeArgs;
  HardwareTestArgs: HardwareTestArgs;
  LookArgs: LookArgs;
  PinArgs: PinArgs;
  CardsArgs: CardsArgs;
  RestartArgs: RestartArgs;
  SettingsArgs: SettingsArgs;
  ChangeSettingsArgs: ChangeSettingsArgs;
  AddPackageArgs: AddPackageArgs;
  RemovePackageArgs: RemovePackageArgs;
  JoinWifiArgs: JoinWifiArgs;
  UpdateArgs: UpdateArgs;
  BackupArgs: BackupArgs;
  CameraArgs: CameraArgs;
  EveningsArgs: EveningsArgs;
  UseDeviceArgs: UseDeviceArgs;
  LeaveDeviceArgs: LeaveDeviceArgs;
  FirmwareArgs: FirmwareArgs;
  ScreenLinkArgs: ScreenLinkArgs;
  Requests: Requests;
  StaffRequests: StaffRequests;
}
/**
 * The complete public state of one table. A field that has its default is left out of the JSON; `v` is the version.
 */
export interface PublicState {
  v: 1;
  table: string;
  name: string;
  code: string;
  url: string;
  epoch: number;
  seq: number;
  state: "lobby" | "over" | "playing" | "stopped";
  seats: PublicSeat[];
  session: string;
  match: string | null;
  game: string | null;
  title: string;
  view: View | null;
  locked: number[];
  want: string;
  events: PublicEvent[];
  dice: PublicDice | null;
  dispute: PublicDispute | null;
  kit: Kit | null;
  notices: Notice[];
  over: Over | null;
  games: GameOffer[];
  nudged: number[];
  claiming: number[];
  question: Question | null;
  paused: number | null;
  put_aside: PutAside[];
  starting: Starting | null;
  minutes_left: [number, number] | null;
  highlights: string[];
  played: {
    [k: string]: string;
  };
  until: number | null;
  preset: string;
  options: Record<string, any>;
  hints: boolean;
  stood_in: {
    [k: string]: number[];
  };
  revealed: number | null;
  volume: number;
  teaching: Teaching | null;
  explain: boolean | null;
  hub_rolls: boolean;
  texts: MadeOf;
}
/**
 * One seat of the table. A field that has its default is left out of the JSON.
 */
export interface PublicSeat {
  seat: number;
  name: string;
  held: boolean;
  phone: "away" | "none" | "on";
  box: "lost" | "none" | "on";
  ready: boolean;
  presence: "asleep" | "away" | "here";
  house: ("easy" | "sharp" | "steady") | "";
  stands_in: boolean;
  wish: string;
}
/**
 * The public facts of a match.
 */
export interface View {
  game: string;
  round: number;
  phase: string;
  table: Record<string, any>;
  seats: {
    [k: string]: Record<string, any>;
  };
  waiting: Waiting;
}
/**
 * What the match waits for.
 */
export interface Waiting {
  roll?: WantedRoll;
  seats: string[];
  secret?: boolean;
}
/**
 * A roll that the rules ask for.
 */
export interface WantedRoll {
  seat: number;
  count: number;
  sides: number;
  for: string;
}
/**
 * One event of the match that everybody may know.
 */
export interface PublicEvent {
  n: number;
  text: string;
  rule: string | null;
  kind: string;
  data: Record<string, any>;
}
/**
 * The current roll. More than six dice are rolled in several batches.
 */
export interface PublicDice {
  state: "armed" | "cocked" | "no_reader" | "rolling" | "settled" | "typed" | "wrong_count";
  seat: number;
  count: number;
  sides: number;
  for: string;
  batch: number;
  faces: number[];
  read: ("hub" | "read" | "typed") | null;
  done: Batch[];
  total: number;
  say: string;
  votes: number[];
  again: boolean;
  lying: boolean;
  as_it_lies: number[];
  enough: number;
  wants: Wanted | null;
}
/**
 * Dice that count, at most six.
 */
export interface Batch {
  faces: number[];
  read: "hub" | "read" | "typed";
}
/**
 * What the roll must show, with the chance of it.
 */
export interface Wanted {
  say: string;
  exact: string;
}
/**
 * An accepted roll that can be disputed, or that is disputed.
 */
export interface PublicDispute {
  stage: "open" | "reading" | "told" | "vote";
  seat: number;
  faces: number[];
  read: "hub" | "read" | "typed";
  yes: number[];
  no: number[];
  needs: number;
  say: string;
}
/**
 * The dice of a reader.
 */
export interface Kit {
  dice: number;
  weak: string[];
}
/**
 * A sentence that is shown until its cause is gone.
 */
export interface Notice {
  key: string;
  severity: "error" | "info" | "warning";
  text: string;
  can_acknowledge: boolean;
}
/**
 * The result of a match.
 */
export interface Over {
  winners: number[];
  scores: {
    [k: string]: number;
  };
  why: string;
}
/**
 * A game that the lobby offers.
 */
export interface GameOffer {
  name: string;
  title: string;
  /**
   * @minItems 2
   * @maxItems 2
   */
  seats: [number, number];
  minutes: number;
  blurb: string;
  lacks: string[];
  presets: Preset[];
  known: boolean;
}
/**
 * Options of a game that the owner has given a name.
 */
export interface Preset {
  name: string;
  effect: string;
  options: Record<string, any>;
}
/**
 * A question to the people at the table.
 */
export interface Question {
  kind: "absent" | "agree" | "end" | "new_phone" | "pitch" | "put_aside" | "same_person";
  text: string;
  options: {
    [k: string]: string;
  };
  voters: number[];
  votes: {
    [k: string]: string;
  };
  seconds: number;
  seat: number;
  reads: string;
}
/**
 * A suspended match that players seated here may resume. It names nobody, because some of its players may have left.
 */
export interface PutAside {
  match: string;
  game: string;
  title: string;
  since: number;
  seats: number[];
  people: number[];
}
/**
 * A match that starts soon, unless somebody asks to wait.
 */
export interface Starting {
  game: string;
  seat: number;
  seconds: number;
  preset: string;
}
/**
 * The guided first round.
 */
export interface Teaching {
  lesson: string;
  skips: number[];
}
/**
 * The templates and values of the sentences of a message, for clients that show another language than English. A client that fills in a template finds the resulting sentence in the message.
 */
export interface MadeOf {
  templates: string[];
  made: unknown[];
}
/**
 * The public state for the table's own screens and panels. It is never published, because it has claim codes. `events` are the newest 30, because a panel requests nothing. All fields are in the JSON.
 */
export interface ScreenState extends PublicState {
  v: 1;
  claim_codes: {
    [k: string]: string;
  };
  fingerprint: string;
  staff_pin: string;
  setup: string;
  wifi: Wifi | null;
  light: number;
  demonstration: PublicState | null;
  paper: PublicState | null;
  test_picture: boolean;
}
/**
 * The Wi-Fi network for guests.
 */
export interface Wifi {
  name: string;
  code: string;
  password: string;
}
/**
 * The complete private state of one seat. It is sent only encrypted.
 */
export interface Hand {
  epoch: number;
  seq: number;
  seat: number;
  v: 1;
  session: string;
  match: string | null;
  you: Record<string, any>;
  number: number | null;
  secret: boolean;
  want: string;
  moves: Record<string, any>[];
  barred: Record<string, any>[];
  notes: {
    [k: string]: {
      [k: string]: string;
    };
  };
  covered: string[];
  locked: Record<string, any> | null;
  undo: boolean;
  dial: number | null;
  dial_at: string;
  faces: Faces | null;
  cup: string;
  seat_code: string | null;
  claim: number | null;
  hand_over: string | null;
  hand_over_seconds: number;
  hints: boolean;
  hint: Hint | null;
  lesson: LessonNow | null;
  texts: MadeOf;
}
/**
 * Dice whose faces the player of this seat may type in.
 */
export interface Faces {
  count: number;
  sides: number;
}
/**
 * What the strongest house player would do now.
 */
export interface Hint {
  answer: Record<string, any> | null;
  say: string;
}
/**
 * The rule that is explained now.
 */
export interface LessonNow {
  key: string;
  to: "all" | "asked";
}
/**
 * The answer to a request.
 */
export interface Ack {
  re: string;
  ok: boolean;
  error: string | null;
  code: string | null;
  seq: number;
  texts: MadeOf;
}
/**
 * Earlier events of the current match: a page of its log.
 */
export interface EventsPage {
  match: string | null;
  epoch: number;
  events: PublicEvent[];
  stood_in: {
    [k: string]: number[];
  };
  texts: MadeOf;
}
/**
 * The changes of money and points in this round and the previous one.
 */
export interface ChangesPage {
  match: string | null;
  epoch: number;
  changes: Change[];
  texts: MadeOf;
}
/**
 * One change of money or points.
 */
export interface Change {
  n: number;
  round: number;
  seat: number;
  what: string;
  text: string;
  rule: string;
  sum: string;
  from: number | null;
  to: number | null;
}
/**
 * Statistics of the matches that were played to the end.
 */
export interface History {
  played: number;
  matches: PastMatch[];
  games: GameHistory[];
  seats: SeatHistory[];
  dice: DiceHistory[];
  texts: MadeOf;
}
/**
 * A match that was played to the end.
 */
export interface PastMatch {
  id: string;
  table: string;
  title: string;
  begun: string;
  minutes: number | null;
  seats: number[];
  winners: number[];
  kept: boolean;
}
/**
 * How often a game was played to the end, and the shortest, median and longest time in minutes.
 */
export interface GameHistory {
  title: string;
  played: number;
  least: number;
  middle: number;
  most: number;
}
/**
 * How often a seat has played and won.
 */
export interface SeatHistory {
  seat: number;
  played: number;
  won: number;
  expected: number;
}
/**
 * How often dice showed each face, and a chi-square test of their fairness.
 */
export interface DiceHistory {
  kind: "hub" | "read" | "typed";
  counts: number[];
  square: number | null;
  p: number | null;
  verdict: string;
}
/**
 * A finished match, step by step.
 */
export interface Replay {
  match: string;
  game: string;
  title: string;
  begun: string;
  seats: number[];
  options: Record<string, any>;
  steps: ReplayStep[];
  texts: MadeOf;
}
/**
 * A moment of a finished match: people or dice were awaited, or it was over.
 */
export interface ReplayStep {
  view: View;
  events: PublicEvent[];
  hands: {
    [k: string]: Record<string, any>;
  };
  over: Over | null;
  wants: Wanted | null;
}
/**
 * The choices at a step of a replay, each beside that of the house. Empty if the house had nothing to choose.
 */
export interface HouseChoices {
  choices: HouseChoice[];
  texts: MadeOf;
}
/**
 * What a seat did at a step of a replay, and what the house would have done.
 */
export interface HouseChoice {
  seat: number;
  did: Record<string, any> | null;
  house: Hint | null;
  same: boolean;
}
/**
 * All tables of this hub, for the page of the till.
 */
export interface Till {
  tables: TillTable[];
}
/**
 * One table for the page of the till, without names of guests.
 */
export interface TillTable {
  table: string;
  name: string;
  state: "lobby" | "over" | "playing" | "stopped";
  title: string;
  seats: number;
  free: number;
  calls: number;
  minutes_left: [number, number] | null;
  until: number | null;
}
/**
 * Reply to `GET /t/<table>/claim/<id>`: the state of the claim, and the encrypted login once the seat is held.
 */
export interface ClaimReply {
  state: "asked" | "held" | "refused";
  say: string;
  nonce?: string;
  box?: string;
  texts?: MadeOf;
}
/**
 * Plain text of the box of a held claim: the phone's MQTT login.
 */
export interface Login {
  sid: string;
  user: string;
  password: string;
  hub: string;
  table: string;
  seat: number;
}
/**
 * Retained on `th/1/<hub>/status`; `offline` is also the hub's will.
 */
export interface HubStatus {
  state: "offline" | "online";
  session: string;
  tables: string[];
  v: 1;
}
/**
 * Plain text of the answer to a login. - `session`, `seconds`: the session and its duration. - `browser`: a token that the browser keeps for the next login. - `first`: the PIN is the first one of this hub, which the screens show.
 */
export interface StaffSession {
  session: string;
  seconds: number;
  browser: string;
  first: boolean;
}
/**
 * An encrypted answer with its nonce.
 */
export interface StaffBox {
  nonce: string;
  box: string;
}
/**
 * The answer to the request with the number `re`. `picture` is the number of the newest picture; `look` returns it in `venue`. `link` is that of a big screen. It holds a token.
 */
export interface StaffAnswer {
  re: number;
  ok: boolean;
  say: string;
  picture: number;
  venue: Venue | null;
  findings: Fault[] | null;
  settings: Settings | null;
  camera: CameraSeen | null;
  file: StaffFile | null;
  link: string;
  evenings: Evenings | null;
  texts: MadeOf;
}
/**
 * All tables of this hub. - `now`: the hub's clock (Unix time). - `restart`, `off`: why the hub cannot restart, or switch off its machine; "" if it can. - `upstream`: the broker above the hubs of this venue, if the owner configured one. - `update`: updates of this hub; None if it was not installed as a package. - `backup`: backups on USB sticks; None if the hub was not installed as a package. - `wifi`: the hub's Wi-Fi; None if the hub leaves the network alone. - `found`: devices that are plugged in and not in use.
 */
export interface Venue {
  now: number;
  hub: string;
  version: string;
  tables: StaffTable[];
  faults: Fault[];
  restart: string;
  off: string;
  upstream: Upstream | null;
  update: UpdateSeen | null;
  wifi: VenueWifi | null;
  found: FoundDevice[];
  backup: BackupSeen | null;
}
/**
 * One table as staff see it: the public state without long lists, and nothing that only one seat may see. - `begun`: when the match began (Unix time). - `screens`: the big screens that were seen within the last day. - `camera`: a camera reads its dice. - `panels`: it has panels.
 */
export interface StaffTable {
  public: PublicState;
  desk: Desk;
  begun: number | null;
  faults: Fault[];
  screens: ScreenSeen[];
  camera: boolean;
  panels: boolean;
}
/**
 * The state of a table that only staff see, in addition to its public state. - `did`: the latest actions of staff. - `until`: when the table's time ends (Unix time); None if there is no limit. - `light`, `volume`: brightness of rings and screens, and volume of sounds, in percent. - `test`: the test of the hardware that runs now. - `by_hours`: the time limit comes from the opening hours of the venue, not from staff. - `put_aside`: all suspended matches that can be resumed here, the newest first.
 */
export interface Desk {
  did: Did[];
  until: number | null;
  light: number;
  volume: number;
  test: HardwareTest | null;
  by_hours: boolean;
  put_aside: KeptMatch[];
}
/**
 * An action of staff at a table: its time (Unix time), and the match that it changed.
 */
export interface Did {
  at: number;
  text: string;
  match: string | null;
  entries: number;
}
/**
 * A test of boxes, rings, dice or panels at a table. `seconds` is the time left, `dice` a sentence. `panels`: they show a test picture.
 */
export interface HardwareTest {
  seconds: number;
  boxes: BoxTest[];
  dice: string;
  panels: boolean;
}
/**
 * The box of a seat during a test: the controls that were not pressed or turned yet.
 */
export interface BoxTest {
  seat: number;
  left: string[];
}
/**
 * A suspended match of this table: since when (Unix time), and the names of the players by seat.
 */
export interface KeptMatch {
  match: string;
  title: string;
  since: number;
  seats: {
    [k: string]: string;
  };
}
/**
 * A problem in plain words, and what to do about it.
 */
export interface Fault {
  what: string;
  do: string;
  severity: "error" | "warning";
}
/**
 * A big screen of a table, last seen `seconds` ago. `address` is "" for the hub's own machine.
 */
export interface ScreenSeen {
  address: string;
  seconds: number;
}
/**
 * The broker above the hubs of a venue, as this hub sees it. - `up`, `since`: whether this hub is connected, and since when it is or is not (Unix time). - `why`: the reason if it is not connected. - `waiting`: the number of finished matches that are not sent yet. - `twin`: another hub there uses the same id.
 */
export interface Upstream {
  broker: string;
  venue: string;
  up: boolean;
  since: number;
  why: string;
  waiting: number;
  twin: boolean;
  hubs: HubSeen[];
}
/**
 * A hub of this venue, as reported to the broker above the hubs. - `state`: `own` is this hub. `unknown` means that this hub itself has no connection to that broker. - `heard`: when the last message arrived (Unix time).
 */
export interface HubSeen {
  hub: string;
  state: "away" | "here" | "own" | "unknown";
  heard: number | null;
  version: string;
  tables: TableSeen[];
}
/**
 * A table of a hub of this venue, as reported to the broker above the hubs, without names of guests.
 */
export interface TableSeen {
  table: string;
  name: string;
  state: "lobby" | "over" | "playing" | "stopped";
  game: string;
  round: number | null;
  seats: number;
  people: number;
  calls: number;
  minutes_left: number | null;
}
/**
 * What staff can do about a newer version of table-hub now, and what came of the last attempt (`at`: Unix time).
 */
export interface UpdateSeen {
  can: "" | "install" | "look";
  text: string;
  at: number;
}
/**
 * The hub's radio, if the hub may use it. - `state`: see `WifiRule` in `hub/network/wifi.py`. - `name`: the network that the hub is in, or is joining; "" if it has none, or is in its own. - `own`: the name of the hub's own Wi-Fi. - `networks`: those in reach, the strongest first. - `problem`: why the last attempt failed; "" if all is well.
 */
export interface VenueWifi {
  state: "hotspot" | "joining" | "network" | "off" | "waiting";
  name: string;
  own: string;
  networks: WifiNetwork[];
  problem: string;
}
/**
 * A Wi-Fi network in reach of the hub. `is_open`: it needs no password.
 */
export interface WifiNetwork {
  name: string;
  is_open: boolean;
}
/**
 * A device that is plugged in and not in use. - `text`: what it is. - `tables`: the ids of the tables whose dice it could read. - `programs`: what a Pico that waits for firmware can become. - `note`: what happens to it now, or why nothing can be made of it.
 */
export interface FoundDevice {
  device: string;
  text: string;
  tables: string[];
  programs: ("box" | "tray")[];
  note: string;
}
/**
 * Backups on USB sticks. - `can`: "" while a step is under way; `save` a backup, or look for one; `restore` the one that was found, too. - `text`: what is being done, or came of the last step.
 */
export interface BackupSeen {
  can: "" | "restore" | "save";
  text: string;
}
/**
 * The configuration, its form, and what became of a change. - `file`: the owner's file. `seen` identifies its present content. - `groups`: the titles of the groups of the page, in order. - `parts`: each part by its name in the file; those of drivers by "device" and the driver's name. - `values`: what the file says. A secret that is set is `true`. - `waiting`: the changed keys that take effect after a restart. - `fault`: why the hub would not start with this file. - `restart_is_planned`: the hub restarts when no match is played. - `packages`: games and drivers of others.
 */
export interface Settings {
  file: string;
  seen: string;
  groups: {
    [k: string]: string;
  };
  parts: {
    [k: string]: SettingPart;
  };
  drivers: {
    [k: string]: DriverOffer;
  };
  values: Record<string, any>;
  waiting: string[];
  fault: string;
  refused: SettingRefused | null;
  is_playing: boolean;
  restart_is_planned: boolean;
  packages: PackageSeen[];
}
/**
 * A part of the configuration: one block of the file, or (`several`) any number of them.
 */
export interface SettingPart {
  about: string;
  several: boolean;
  group: string;
  fields: SettingField[];
}
/**
 * One key of the configuration. - `kind`: `switch` is true or false, `choice` one of `choices` (with `pictures`, if they are to be told apart by looking at them, in the same order), `list` several values of the kind `item`, `secret` a text that is never sent, `password` a path to a file with a password, which is never sent either, `tables` blocks with the fields of `part`, `toml` any other value as TOML. `fixed` is changed in the file only. - `allowed`: a description of possible values. - `default`: the value if the file has none; None if there is no default. - `most`: the largest number of values in a `list`; 0 if there is no limit. - `group`: the group of the page, if it differs from that of the part.
 */
export interface SettingField {
  key: string;
  about: string;
  kind:
    "choice" | "fixed" | "list" | "number" | "password" | "secret" | "switch" | "tables" | "text" | "toml" | "whole";
  allowed: string;
  default: unknown;
  choices: string[];
  item: "" | "number" | "text" | "whole";
  most: number;
  part: string;
  group: string;
  pictures: ChoicePicture[];
}
/**
 * A product among which an owner chooses by looking at it. - `text`: what is printed on it. - `width`, `height`: of what it shows, in tenths of a millimeter. `columns`, `rows`: in pixels. - `colors`: what each pixel can show, by names of CSS.
 */
export interface ChoicePicture {
  text: string;
  width: number;
  height: number;
  columns: number;
  rows: number;
  colors: string[];
}
/**
 * A driver for devices that staff can add.
 */
export interface DriverOffer {
  about: string;
  group: string;
}
/**
 * Why nothing was changed. `at` leads to the key or block at fault; it is empty if that is not known.
 */
export interface SettingRefused {
  at: (string | number)[];
  say: string;
}
/**
 * A package with games or drivers that is here. - `package`: its name and version. - `games`: the titles of its games. `drivers`: the names of its drivers. - `problems`: a sentence for each game or driver that cannot be used. - `file`: its file in the hub's folder, which staff can remove; "" if it was installed in another way. - `waits`: the hub uses it, or no longer uses it, after a restart.
 */
export interface PackageSeen {
  package: string;
  games: string[];
  drivers: string[];
  problems: string[];
  file: string;
  waits: boolean;
}
/**
 * What the camera of a table's dice tray shows. - `picture`: a JPEG in base64; "" while the camera starts. - `step`: what has to lie in the tray for the next step of the calibration; `ready`: it is calibrated. - `text`: what it reads, or why the last step failed.
 */
export interface CameraSeen {
  picture: string;
  step: "die" | "empty" | "ready";
  text: string;
}
/**
 * A file for staff to save: its name, its media type and its content.
 */
export interface StaffFile {
  name: string;
  type: string;
  data: string;
}
/**
 * The evenings of a month ("2026-11"), and all months with finished matches, in order.
 */
export interface Evenings {
  month: string;
  months: string[];
  played: PlayedGame[];
  calls: CallsOfEvening[];
}
/**
 * The matches of one game that a table has played to the end in an evening, which lasts until six in the morning. - `evening`: a date ("2026-11-27"). `table`, `title`: the names of the table and the game. - `seats`: those that played, added up over the matches; the house is one, too. - `minutes`: added up; matches of more than 12 hours do not count.
 */
export interface PlayedGame {
  evening: string;
  table: string;
  title: string;
  matches: number;
  seats: number;
  minutes: number;
}
/**
 * The calls for staff that were answered in an evening: how many, and the middle and longest time until then, in seconds. A call that was taken back does not count.
 */
export interface CallsOfEvening {
  evening: string;
  calls: number;
  middle: number;
  longest: number;
}
/**
 * An encrypted ScreenSession with its nonce.
 */
export interface ScreenBox {
  nonce: string;
  box: string;
}
/**
 * Plain text of the answer: the session with which the page may open its stream, once.
 */
export interface ScreenSession {
  session: string;
}
/**
 * The labels of a game, as `/games/<game>.json` has them.
 */
export interface Labels {
  name?: string;
  title?: string;
  /**
   * @minItems 2
   * @maxItems 2
   */
  seats?: [number, number];
  minutes?: number;
  blurb?: string;
  cards?: {
    [k: string]: Record<string, any>;
  };
  phases?: {
    [k: string]: string;
  };
  moves?: {
    [k: string]: MoveLabels;
  };
  parameters?: {
    [k: string]: ParameterLabels;
  };
  facts?: {
    [k: string]: FactLabels;
  };
  screen?: ScreenLabels;
  rules?: {
    [k: string]: string;
  };
  options?: {
    [k: string]: Option;
  };
  presets?: PresetLabels[];
  face?: FaceLabels;
  help?: HelpTable[];
  hand_size?: HandSize;
  needs?: NeedsLabels;
  pitch?: PitchLabels;
  printed_cards?: PrintedLabels;
  lobby?: LobbyLabels;
  list?: {
    [k: string]: ListLabels;
  };
}
/**
 * The labels of one move (`[moves.X]`).
 */
export interface MoveLabels {
  label?: string;
  name?: string;
  short?: string;
  join?: string;
  effect?: string;
  note?: string;
  from?: {
    [k: string]: string;
  };
  box?: "" | "ask" | "bar" | "phone" | "rest";
  then?: string[];
  sometimes?: string[];
  told?: boolean;
  agreed?: boolean;
}
/**
 * The labels of one parameter of moves (`[parameters.X]`). A parameter `target` is a seat.
 */
export interface ParameterLabels {
  label?: string;
  said?: string;
  one?: string;
  card?: boolean;
  seat?: boolean;
  money?: "" | "cents" | "dollars";
  names?: {
    [k: string]: string;
  };
  notes?: {
    [k: string]: string;
  };
  between?: string;
  who?: {
    [k: string]: string;
  };
  record?: string;
  title?: string;
  by?: string;
  dial?: number;
}
/**
 * The labels of one fact of a view (`[facts.X]`).
 */
export interface FactLabels {
  where?: "seat" | "table" | "you";
  name?: string;
  in?: string[];
  on?: ("kiosk" | "panel" | "phone")[];
  unless?: unknown;
  line?: boolean;
  counted?: boolean;
  label?: string;
  short?: string;
  names?: {
    [k: string]: string;
  };
  alert?: string;
  card?: boolean | "name";
  seat?: boolean;
  seats?: string | boolean;
  money?: "" | "cents" | "dollars";
  signed?: boolean;
  last?: number;
  title?: string;
  heap?: string;
  unit?: string[];
  odds?: boolean;
  ranked?: boolean;
  sides?: string[];
  warn?: unknown;
  leader?: string;
  row?: boolean;
  cards?: string;
  lit?: string;
  text?: string;
  flag?: string;
  by?: string;
  slowly?: boolean;
  here?: string;
  only?: {
    [k: string]: string;
  };
  own?: string;
}
/**
 * How screens, panels and rings draw a game as a whole (`[screen]`).
 */
export interface ScreenLabels {
  phase?: {
    [k: string]: PhaseLabels;
  };
  mine?: string[];
  cell?: string | string[];
  mark?: string;
  token?: string;
  token_letter?: string;
  token_name?: string;
  order?: string;
  inside?: string;
  out?: string;
  leader?: string;
  caller?: string;
  pulse?: string;
  ring?: string;
  headline?: string[];
  gone?: string[];
  reveal?: {
    [k: string]: string;
  };
  look?: LookLabels;
  highlights?: HighlightLabels[];
  result?: string[];
  score?: "" | "cents" | "dollars";
  scored?: string[];
  best?: "least" | "most";
}
/**
 * What screens draw in one phase (`[screen.phase.X]`).
 */
export interface PhaseLabels {
  main?: string | string[];
  caption?: string;
  card?: string;
  versus?: VersusLabels;
  hammer?: string;
  copies?: string[];
  row?: string;
  line?: boolean;
  cells?: string;
  mine?: string[];
  order?: string;
  past?: string;
  headline?: boolean;
}
/**
 * Two seats against each other.
 */
export interface VersusLabels {
  sides: string[];
  words: string[];
  values?: string;
  money?: "" | "cents" | "dollars";
  signed?: boolean;
}
/**
 * The look of a game on big screens.
 */
export interface LookLabels {
  felt: string;
  edge: string;
  accent: string;
  tile: string;
  emblem: string;
  lettering?: "" | "plain" | "round" | "slant" | "stencil" | "tall" | "wide";
}
/**
 * One highlight at the end of a match (`[[screen.highlights]]`); list the most interesting first.
 */
export interface HighlightLabels {
  kind: string;
  say: string;
  most?: string;
  by?: string;
}
/**
 * One option (`[options.X]`). Its values have the type of `default`.
 */
export interface Option {
  default: boolean | number | string;
  effect: string;
  choices?: string[];
  min?: number;
  max?: number;
  pattern?: string;
  seat?: boolean;
  label?: string;
}
/**
 * Options that the lobby offers under a name (`[[presets]]`).
 */
export interface PresetLabels {
  name: string;
  effect: string;
  options: Record<string, any>;
}
/**
 * How a card that is a record of the state is read (`[face]`).
 */
export interface FaceLabels {
  key: string;
  kind: string;
  title: string;
  tag?: string;
  action?: string;
}
/**
 * A table on the help page (`[[help]]`).
 */
export interface HelpTable {
  title: string;
  columns: string[];
  rows: string[][];
  note?: string;
}
/**
 * The size of the largest hand, in blocks of an encrypted message (`[hand_size]`): all hands of a match are as long.
 */
export interface HandSize {
  blocks?: number;
  more?: LargerHand[];
}
/**
 * Options that make hands larger.
 */
export interface LargerHand {
  options: string[];
  blocks: number;
}
/**
 * What a table needs besides seats (`[needs]`).
 */
export interface NeedsLabels {
  dice?: number;
  phone?: string;
}
/**
 * What a seat reads aloud after an event (`[pitch]`).
 */
export interface PitchLabels {
  kind: string;
  records: string;
  id: string;
  text: string;
}
/**
 * Texts about printed cards, which the hub cannot see (`[printed_cards]`).
 */
export interface PrintedLabels {
  one: string;
  many: string;
  middle: Lying[];
  seat: Lying[];
  differs?: string;
}
/**
 * One thing that lies on the table with printed cards.
 */
export interface Lying {
  what: string;
  lies: string;
}
/**
 * What the lobby shows of a game's options (`[lobby]`).
 */
export interface LobbyLabels {
  first?: string[];
  idle?: {
    [k: string]: IdleOption;
  };
}
/**
 * An option that has no effect, or cannot be played, together with others.
 */
export interface IdleOption {
  with: {
    [k: string]: boolean | number | string;
  };
  why: string;
}
/**
 * How staff enter one part of a list of their own cards (`[list.X]`).
 */
export interface ListLabels {
  title?: string;
  values?: {
    [k: string]: string;
  };
  choices?: string;
}
/**
 * Answer to `GET /cards.json`: the games whose cards staff may change, by name.
 */
export interface AllCards {
  games: {
    [k: string]: GameCards;
  };
}
/**
 * The cards of a game, in the form of an owner's list. - `parts`: the parts that such a list may replace. - `labels`: what people call the entries of these parts. - `fixed`: the list is a file that the configuration names, so the hub does not change it.
 */
export interface GameCards {
  title: string;
  parts: {
    [k: string]: string | Record<string, any>;
  };
  labels: {
    [k: string]: ListLabels;
  };
  fixed: boolean;
}
/**
 * A request of a phone on its `act` topic. `n` increases with each request; `number` is that of the decision it answers.
 */
export interface Act {
  v: 1;
  id: string;
  n: number;
  epoch: number;
  verb:
    | "acknowledge"
    | "act"
    | "again"
    | "ask"
    | "claim"
    | "code"
    | "dice"
    | "free"
    | "hand_over"
    | "help"
    | "hints"
    | "house"
    | "hub_rolls"
    | "leave"
    | "lessons"
    | "name"
    | "pause"
    | "ready"
    | "roll"
    | "start"
    | "take_up"
    | "undo"
    | "vote"
    | "wait"
    | "wish";
  number?: number | null;
  args?: Record<string, any>;
}
/**
 * Body of `POST /t/<table>/claim`: the seat, the phone's public key, and the encrypted ClaimDetails with their nonce.
 */
export interface ClaimBody {
  seat: number;
  pk: string;
  nonce: string;
  box: string;
}
/**
 * Plain text of the box of a claim.
 */
export interface ClaimDetails {
  seat: number;
  code?: string | null;
  name?: string;
  earlier?: EarlierKey[];
}
/**
 * Proof that this phone held a seat at this table before, because it still has the key of that claim. `pk` is the public key of the earlier claim. `proof` is a `KeyProof`, encrypted with the earlier key: the nonce followed by the box, in base64url.
 */
export interface EarlierKey {
  pk: string;
  proof: string;
}
/**
 * Plain text of the proof of an earlier key. It is only valid for the claim with the key `pk` at `table`.
 */
export interface KeyProof {
  pk: string;
  table: string;
}
/**
 * Body of `POST /staff/login`: the browser's public key and the encrypted StaffSecret with its nonce.
 */
export interface StaffLogin {
  pk: string;
  nonce: string;
  box: string;
}
/**
 * Plain text of a login. - `pin`: the PIN. - `browser`: the token that this browser got from its last login; empty for the first login. - `setup`: to set up the hub. A first PIN stays on the screen, because its reader may be gone before the end.
 */
export interface StaffSecret {
  pin: string;
  browser?: string;
  setup?: boolean;
}
/**
 * Body of `POST /staff/ask`: the session, and the encrypted StaffAsk with its nonce.
 */
export interface StaffBody {
  session: string;
  nonce: string;
  box: string;
}
/**
 * A request. Each `n` is used once per session. `look` waits for a picture of the venue newer than `args.since`.
 */
export interface StaffAsk {
  n: number;
  verb:
    | "add_package"
    | "again"
    | "aside"
    | "backup"
    | "camera"
    | "card"
    | "cards"
    | "change_settings"
    | "doctor"
    | "done"
    | "end"
    | "evenings"
    | "firmware"
    | "free"
    | "leave_device"
    | "light"
    | "limit"
    | "look"
    | "off"
    | "offer"
    | "out"
    | "pin"
    | "remove_package"
    | "reset"
    | "restart"
    | "screen_link"
    | "settings"
    | "test"
    | "undo"
    | "update"
    | "use_device"
    | "volume"
    | "wifi";
  table?: string;
  args?: Record<string, any>;
}
/**
 * Body of `POST /t/<table>/screen/open`: the page's public key, and the encrypted ScreenSecret with its nonce.
 */
export interface ScreenOpening {
  pk: string;
  nonce: string;
  box: string;
}
/**
 * Plain text of an opening: the token of the screen's link.
 */
export interface ScreenSecret {
  token: string;
}
/**
 * Body of `POST /t/<table>/screen/alive`: the page `screen` has just received a beat of its stream. A screen on another machine has to prove this: `session` is that of its stream, `nonce` and `box` are an encrypted ScreenBeat.
 */
export interface ScreenAlive {
  screen: string;
  session?: string;
  nonce?: string;
  box?: string;
}
/**
 * Plain text of a beat: `n` increases with each beat of a session.
 */
export interface ScreenBeat {
  n: number;
}
/**
 * An answer to the open decision, or to a standing offer: the move, and each of its parameters by name.
 */
export interface ActArgs {
  move: string;
  [k: string]: unknown;
}
/**
 * The faces of the requested dice, as a person reads them.
 */
export interface RollArgs {
  faces: number[];
}
/**
 * The opinion of this seat about dice. - `hub`: vote for a roll by the hub, or withdraw that vote. - `accept`: accept the dice as they were read or typed. - `again`: have the dice read again. - `lies`: vote for reading a leaning die as it lies. - `reread`: dispute an accepted roll, or vote for the dispute. - `stands`: vote against the dispute.
 */
export interface DiceArgs {
  say: "accept" | "again" | "hub" | "lies" | "reread" | "stands";
}
/**
 * No arguments.
 */
export interface Nothing {}
/**
 * The game, and the options that differ from its defaults. The match begins unless somebody asks to wait.
 */
export interface StartArgs {
  game: string;
  options?: Record<string, any>;
}
/**
 * Whether this seat is ready. Without the field, the state is toggled.
 */
export interface ReadyArgs {
  ready?: boolean;
}
/**
 * The game that this seat would like to play next, with its options. - `preset`: a preset of the game; "" for the usual options. - `options`: the options that differ from the usual ones. They win over a preset. Without both, the options stay as they are.
 */
export interface WishArgs {
  game: string;
  preset?: string;
  options?: Record<string, any>;
}
/**
 * The player's name.
 */
export interface NameArgs {
  name: string;
}
/**
 * Whether the phone that claims this seat may have it. `claim` is the number of the claim in the hand.
 */
export interface ClaimArgs {
  claim: number;
  say: "give" | "keep";
}
/**
 * The seat that the request is about.
 */
export interface SeatArgs {
  seat: number;
}
/**
 * The key of a notice to acknowledge.
 */
export interface AcknowledgeArgs {
  key: string;
}
/**
 * A question to everybody at the table.
 */
export interface AskArgs {
  what: "absent" | "end" | "put_aside";
}
/**
 * The key of an option of the open question.
 */
export interface VoteArgs {
  say: string;
}
/**
 * The suspended match to resume.
 */
export interface TakeUpArgs {
  match: string;
}
/**
 * Whether to show a code with which another phone can take over this seat.
 */
export interface HandOverArgs {
  show?: boolean;
}
/**
 * How well the house plays a free seat; "" removes the house from the seat.
 */
export interface HouseArgs {
  seat: number;
  strength: ("easy" | "sharp" | "steady") | "";
}
/**
 * Whether this phone gets hints (`on`), or whether the table allows hints at all (`allow`): one of the two.
 */
export interface HintsArgs {
  on?: boolean;
  allow?: boolean;
}
/**
 * Whether this phone shows lessons in the first round (`on`), or whether the next match has lessons at all (`explain`): one of the two.
 */
export interface LessonsArgs {
  on?: boolean;
  explain?: boolean;
}
/**
 * Whether the hub rolls all dice of this table.
 */
export interface HubRollsArgs {
  on: boolean;
}
/**
 * The number of the last event that staff saw, or -1. The action is only undone if there is no newer event.
 */
export interface StaffUndoArgs {
  after: number;
}
/**
 * What happens to the match that is being played, if there is one.
 */
export interface ResetArgs {
  match?: "aside" | "end";
}
/**
 * When the table's time ends: in `minutes`, or at the time of day `at` ("22:30"). Without both there is no limit.
 */
export interface LimitArgs {
  minutes?: number;
  at?: string;
}
/**
 * The game that the lobby offers first, and its preset; "" for the usual options.
 */
export interface OfferArgs {
  game: string;
  preset?: string;
}
/**
 * The brightness of the rings and screens of a table, in percent.
 */
export interface LightArgs {
  percent: 10 | 30 | 60 | 100;
}
/**
 * The volume of the sounds of a table, in percent.
 */
export interface VolumeArgs {
  percent: number;
}
/**
 * The hardware to test between matches; `stop` ends a test.
 */
export interface HardwareTestArgs {
  what: "boxes" | "dice" | "panels" | "stop";
}
/**
 * The number of the picture that the page shows. The answer waits for a newer one.
 */
export interface LookArgs {
  since?: number;
}
/**
 * The new PIN of staff.
 */
export interface PinArgs {
  pin: string;
}
/**
 * Changed cards of a game. `changes` maps each part of its data to a new text, or to the changed values of cards.
 */
export interface CardsArgs {
  game: string;
  changes: Record<string, any>;
}
/**
 * When the hub restarts: `now`, or when no match is played (`idle`).
 */
export interface RestartArgs {
  when?: "idle" | "now";
}
/**
 * Read the configuration. `drivers` are drivers whose forms are wanted, too, so that staff can add their devices.
 */
export interface SettingsArgs {
  drivers?: string[];
}
/**
 * Change the configuration, all or nothing. `seen` is the `Settings.seen` that the page shows; `drivers`: see `SettingsArgs`.
 */
export interface ChangeSettingsArgs {
  seen: string;
  changes: SettingChange[];
  drivers?: string[];
}
/**
 * One change of the configuration. - `at`: the keys that lead to the value, with numbers from 0 in lists of blocks. - `to`: the new value; None removes a key or a block. A block is added behind the last one of its list.
 */
export interface SettingChange {
  at: (string | number)[];
  to: unknown;
}
/**
 * A piece of a package's file. The pieces come in order; the hub checks and keeps the file after the last one. - `file`: the name of the wheel. `size`: its size in bytes. - `at`: where the piece begins. `piece`: its bytes in base64.
 */
export interface AddPackageArgs {
  file: string;
  size: number;
  at: number;
  piece: string;
}
/**
 * Remove a package (`PackageSeen.file`).
 */
export interface RemovePackageArgs {
  file: string;
}
/**
 * The Wi-Fi that the hub joins; without a password an open one.
 */
export interface JoinWifiArgs {
  name: string;
  password?: string;
}
/**
 * Look for a newer version of table-hub, or install the one that was found.
 */
export interface UpdateArgs {
  what: "install" | "look";
}
/**
 * Save a backup on a USB stick, look for one there, or restore the one that was found.
 */
export interface BackupArgs {
  step: "look" | "restore" | "save";
}
/**
 * Look through the camera of a table's dice tray, or calibrate it: see `CalibrationStep` in `hub/ports.py`.
 */
export interface CameraArgs {
  step: "again" | "die" | "empty" | "look";
}
/**
 * The month whose evenings are wanted ("2026-11"); "" for the newest one with a finished match.
 */
export interface EveningsArgs {
  month?: string;
}
/**
 * Let the table of the request use a device that was found (`FoundDevice.device`).
 */
export interface UseDeviceArgs {
  device: string;
}
/**
 * Do not show a device that was found until it is plugged in again.
 */
export interface LeaveDeviceArgs {
  device: string;
}
/**
 * Give a Pico that waits for it the firmware of a seat box or of a dice tray.
 */
export interface FirmwareArgs {
  device: string;
  program: "box" | "tray";
}
/**
 * The link that makes another device a big screen of the table; `new`: a new one, which ends all earlier links.
 */
export interface ScreenLinkArgs {
  new?: boolean;
}
/**
 * By verb, the arguments of a request.
 */
export interface Requests {
  act: ActArgs;
  roll: RollArgs;
  dice: DiceArgs;
  undo: Nothing;
  start: StartArgs;
  ready: ReadyArgs;
  wait: Nothing;
  wish: WishArgs;
  name: NameArgs;
  leave: Nothing;
  again: Nothing;
  claim: ClaimArgs;
  code: SeatArgs;
  acknowledge: AcknowledgeArgs;
  ask: AskArgs;
  vote: VoteArgs;
  pause: Nothing;
  take_up: TakeUpArgs;
  free: SeatArgs;
  help: Nothing;
  hand_over: HandOverArgs;
  house: HouseArgs;
  hints: HintsArgs;
  lessons: LessonsArgs;
  hub_rolls: HubRollsArgs;
}
/**
 * By verb, the arguments of a request.
 */
export interface StaffRequests {
  done: AcknowledgeArgs;
  free: SeatArgs;
  undo: StaffUndoArgs;
  aside: Nothing;
  again: TakeUpArgs;
  end: Nothing;
  reset: ResetArgs;
  limit: LimitArgs;
  offer: OfferArgs;
  light: LightArgs;
  volume: VolumeArgs;
  test: HardwareTestArgs;
  look: LookArgs;
  out: Nothing;
  pin: PinArgs;
  cards: CardsArgs;
  doctor: Nothing;
  restart: RestartArgs;
  settings: SettingsArgs;
  change_settings: ChangeSettingsArgs;
  add_package: AddPackageArgs;
  remove_package: RemovePackageArgs;
  wifi: JoinWifiArgs;
  off: Nothing;
  update: UpdateArgs;
  backup: BackupArgs;
  camera: CameraArgs;
  evenings: EveningsArgs;
  use_device: UseDeviceArgs;
  leave_device: LeaveDeviceArgs;
  firmware: FirmwareArgs;
  card: Nothing;
  screen_link: ScreenLinkArgs;
}
