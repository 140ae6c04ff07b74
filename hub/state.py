"""The state that leaves the table: what everybody sees of it, and what one seat sees in secret.

The table builds these once after each change; phones, rings, panels and the kiosk all read them, as attributes here and
as JSON on the wire. What has no field here cannot be shown: an unknown field is refused when JSON is read, and none can
be built.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from hub.engine.match import Over
from hub.engine.sight import Strength

MOST_NAME = 20
"""Letters of a player's name."""

SeatNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=6)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
RequestId: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=MOST_NAME)]


class Plain(msgspec.Struct, forbid_unknown_fields=True, frozen=True, gc=False):
    """Plain data with known fields only. It makes no rings, so the collector need not walk it."""


class MadeOf(Plain, frozen=True):
    """What the sentences of a message were made from: `templates`, and for each sentence a template with its values.

    Whoever fills a template in English finds the sentence in the message. `hub.engine.text: Text.wire` says what a value is.
    """

    templates: list[str]
    made: list[Any]


Texts: TypeAlias = MadeOf | msgspec.UnsetType
"""Left out if no sentence of the message has values."""


# --- the seats and what happened -------------------------------------------------------------------


Presence: TypeAlias = Literal["here", "asleep", "away"]


class PublicSeat(Plain, frozen=True):
    """One seat of the table as everybody sees it.

    `held`: somebody sits there. `phone` is `away` while a phone that holds the seat is not connected, `box` is `lost`
    while a seat box that belongs there is. `presence`: `here` is a seat whose phone is connected, or whose box
    somebody has used since its phone was last connected or has left; `asleep` is another seat that a phone holds while its box is
    plugged in; `away` is any other. `house`: how well the house plays here, "" where it does not: it `stands_in` for
    somebody until that person is back, or the seat is its own and anybody may take it.
    `wish` names the game that it would like to play next.
    """

    seat: SeatNumber
    name: str = ""
    held: bool = False
    phone: Literal["on", "away", "none"] = "none"
    box: Literal["on", "lost", "none"] = "none"
    ready: bool = False
    presence: Presence = "away"
    house: Strength | Literal[""] = ""
    stands_in: bool = False
    wish: str = ""

    @property
    def is_house(self) -> bool:
        """Return whether this seat is the house's own: nobody sits there, and anybody may take it."""
        return bool(self.house) and not self.stands_in


class PublicEvent(Plain, frozen=True):
    """Something that happened and that everybody may know: the `n`th event of the match, from 0."""

    n: int
    text: str
    rule: str | None = None
    kind: str = ""
    data: dict[str, Any] = {}


class EventsPage(Plain, frozen=True):
    """Earlier events of the match that is shown, oldest first, as they stood in `epoch`: a page of its log.

    `stood_in` is as in the public state.
    """

    match: str | None
    epoch: Count
    events: list[PublicEvent] = []
    stood_in: dict[str, list[int]] = {}
    texts: Texts = msgspec.UNSET


class Change(Plain, frozen=True, rename={"was": "from"}):
    """A change of money or points: the rule behind it and how it was calculated; a secret total has no numbers."""

    n: int
    round: int
    seat: SeatNumber
    what: str
    text: str
    rule: str
    sum: str
    was: int | None = None
    to: int | None = None


class ChangesPage(Plain, frozen=True):
    """The changes of money and points in this round and the last, newest first, as they stood in `epoch`."""

    match: str | None
    epoch: Count
    changes: list[Change] = []
    texts: Texts = msgspec.UNSET


# --- dice ------------------------------------------------------------------------------------------

Read: TypeAlias = Literal["read", "typed", "hub"]
"""How dice came in: read by a dice reader, typed by a person, or rolled by the hub."""

RollState: TypeAlias = Literal["armed", "rolling", "settled", "typed", "cocked", "wrong_count", "no_reader"]


class Batch(Plain, frozen=True):
    """Dice that count, at most six, and how they came in."""

    faces: list[int]
    read: Read


class Wanted(Plain, frozen=True):
    """What a roll must show with its odds in a line, and the odds exactly where the line rounds them."""

    say: str
    exact: str = ""


class PublicDice(Plain, frozen=True, rename={"why": "for"}):
    """The open roll: `faces` of the present batch of so many dice, `done` those before it, `total` of all of them.

    `votes` are seats that want a roll by the hub, `as_it_lies` seats that would read a leaning die so, which takes
    `enough` of them. `lying`: nobody throws, what lies there is wanted; `again`: the second reading of a disputed roll.
    """

    state: RollState
    seat: int
    count: int
    sides: int
    why: str = ""
    batch: int = 0
    faces: list[int] = []
    read: Read | None = None
    done: list[Batch] = []
    total: int = 0
    say: str = ""
    votes: list[int] = []
    again: bool = False
    lying: bool = False
    as_it_lies: list[int] = []
    enough: int = 0
    wants: Wanted | None = None


class PublicDispute(Plain, frozen=True):
    """A roll of `seat` that was accepted, while it may be disputed, is voted on (`needs` times yes) or is read again.

    `say` is how that ended, for a moment afterwards.
    """

    stage: Literal["open", "vote", "reading", "told"]
    seat: SeatNumber
    faces: list[int]
    read: Read
    yes: list[int] = []
    no: list[int] = []
    needs: int = 0
    say: str = ""


class Kit(Plain, frozen=True):
    """How many dice a reader has, and the names of those whose battery is low."""

    dice: int
    weak: list[str] = []


# --- the match -------------------------------------------------------------------------------------


class WantedRoll(Plain, frozen=True, rename={"why": "for"}):
    """Dice that the rules ask for: who rolls how many, with how many sides, and what for."""

    seat: int
    count: int
    sides: int
    why: str = ""


class Waiting(Plain, frozen=True, omit_defaults=True, kw_only=True):
    """Whom the match waits for: the seats that are asked, in secret or not, and the roll that is wanted, if one is.

    `secret` is None while nobody is asked anything: after the end, or while chance decides.
    """

    roll: WantedRoll | None = None
    seats: list[str]
    secret: bool | None = None


class View(Plain, frozen=True):
    """What everybody may see of a match; `table` and the records of `seats` (by seat number) are the game's own facts."""

    game: str
    round: int
    phase: str
    table: dict[str, Any]
    seats: dict[str, dict[str, Any]]
    waiting: Waiting


class Preset(Plain, frozen=True):
    """A set of options of a game that the owner has given a name, with its effect in one line."""

    name: str
    effect: str
    options: dict[str, Any]


class GameOffer(Plain, frozen=True):
    """A game that the lobby offers, for `seats[0]` to `seats[1]` players, and how many minutes it takes.

    `lacks` are sentences: what it needs and this table, with those who sit there, has not. `known`: all who sit here have
    played it at this table.
    """

    name: str
    title: str
    seats: tuple[int, int]
    minutes: int
    blurb: str = ""
    lacks: list[str] = []
    presets: list[Preset] = []
    known: bool = False


class LessonNow(Plain, frozen=True):
    """A rule that is told now, by its key in the guide of the game: to a seat that is `asked`, or as `all` are told."""

    key: str
    to: Literal["asked", "all"]


class Teaching(Plain, frozen=True):
    """The guided first round: the key of the `lesson` that the room is told now, "" for none, and the seats that skip it."""

    lesson: str = ""
    skips: list[int] = []


# --- what the table is asked, and what it offers between matches --------------------------------------

QuestionKind: TypeAlias = Literal["put_aside", "end", "absent", "same_person", "new_phone", "agree", "pitch"]


class Question(Plain, frozen=True):
    """A question to the people at the table, with its `options` by key, and the `votes` of seats that have answered.

    `voters` may answer, `seat` is whom it is about (0: nobody); in `seconds` it ends by itself.
    """

    kind: QuestionKind
    text: str
    options: dict[str, str]
    voters: list[int]
    votes: dict[str, str]
    seconds: Count
    seat: int = 0


class PutAside(Plain, frozen=True):
    """A match that was put aside at this table, and that people who sit here now may go on with.

    `since` is when that was (Unix time), `seats` are those of the match, and `people` those at which somebody sits now who played it.
    Nobody is named: who has left is in no public state.
    """

    match: str
    game: str
    title: str
    since: Count
    seats: list[SeatNumber]
    people: list[SeatNumber]


class Starting(Plain, frozen=True):
    """A match that begins in so many `seconds`, as `seat` wants it, unless somebody would rather wait.

    `preset` names the options, where they are those of one.
    """

    game: str
    seat: int
    seconds: Count
    preset: str = ""


# --- the whole -------------------------------------------------------------------------------------

Severity: TypeAlias = Literal["error", "warning", "info"]


class Notice(Plain, frozen=True):
    """A sentence that stands until its cause has passed: `error` stops play, `warning` wants somebody, `info` helps.

    One that `can_acknowledge` be is also taken away by any seat that plays or sits here.
    """

    key: str
    severity: Severity
    text: str
    can_acknowledge: bool = False


class PublicState(Plain, frozen=True):
    """The newest complete public state of one table.

    `session` is another one after each start of the hub: whatever it counts, it is newer. `epoch` rises with each start
    of the hub, each match and each undo; `seq` counts the states within the hub's life.
    `events` are the newest ones without a gap, oldest first: at least the newest eight of the match, and all that the last
    three states brought which had new ones. Who has missed some asks for an `EventsPage`. `games` are what the lobby offers,
    none while a match is played.
    `want` says who is asked for what, to everybody else: whoever is asked reads it in their hand.
    `locked` are the seats that have locked a sealed choice, `nudged` the last ones, for whom other people have waited too long,
    `claiming` those that somebody asks for. `notices` stand most severe first. `paused` is the seat that paused the match;
    `put_aside` are the matches of people who sit here that can go on, while there is none. `minutes_left` is the range in which the end of the match
    lies in four cases of five, None where that cannot be known; `until` is when the table's time is over, in seconds since
    1970; `highlights` are facts of a match that is over, as sentences, and `played` who played it, by seat: somebody else may
    sit there by now. `preset` names the options that a push on a box
    starts the chosen game with, "" for the usual ones or for no preset; `options` are those that differ from the usual. `hints`: this table allows them to phones that ask. `revealed`
    is the number of the sealed choice of this match that was opened last, as far as the hub has seen it. `volume` is how loud the
    table's sounds are, in per cent; 0 is a quiet table.
    `stood_in` are the seats that the house moved for, as they were away, just before one of `events`: by its number.
    `explain` is whether people want the first round of the next match explained, None where nobody has said so: then it is
    where one who sits here has not played that game. `hub_rolls`: the hub rolls all dice of this table, as people want it.
    """

    table: str
    name: str
    code: str
    url: str
    epoch: Count
    seq: Count
    state: Literal["lobby", "playing", "over", "stopped"]
    seats: list[PublicSeat]
    v: Literal[1] = 1
    session: str = ""
    match: str | None = None
    game: str | None = None
    title: str = ""
    view: View | None = None
    locked: list[int] = []
    want: str = ""
    events: list[PublicEvent] = []
    dice: PublicDice | None = None
    dispute: PublicDispute | None = None
    kit: Kit | None = None
    notices: list[Notice] = []
    over: Over | None = None
    games: list[GameOffer] = []
    nudged: list[int] = []
    claiming: list[int] = []
    question: Question | None = None
    paused: int | None = None
    put_aside: list[PutAside] = []
    starting: Starting | None = None
    minutes_left: tuple[int, int] | None = None
    highlights: list[str] = []
    played: dict[str, str] = {}
    until: Count | None = None
    preset: str = ""
    options: dict[str, Any] = {}
    hints: bool = False
    stood_in: dict[str, list[int]] = {}
    revealed: Count | None = None
    volume: int = 60
    teaching: Teaching | None = None
    explain: bool | None = None
    hub_rolls: bool = False
    texts: Texts = msgspec.UNSET


class Wifi(Plain, frozen=True):
    """The network that guests join first: its `name`, and the `code` that a phone's camera reads."""

    name: str
    code: str


class ScreenState(PublicState, frozen=True):
    """The public state for the table's own screens: the kiosk and panels, which only who is at the table reads.

    `events` are the newest 30 here: a panel asks for nothing.

    `claim_codes` are by seat number the codes that claim a seat, while they may be shown; `staff_pin` the staff's PIN until
    it was used once, `wifi` the network of the venue's guests. `fingerprint` is the hub's key's, to be compared with what a phone shows. Never published. `light` is
    how bright the screen is to be, in per cent. `demonstration` is the match by the house that the screen shows while
    nobody is here, `paper` what panels show of it: all else is the lobby, as phones have it.
    """

    claim_codes: dict[str, str] = {}
    fingerprint: str = ""
    staff_pin: str = ""
    wifi: Wifi | None = None
    light: int = 100
    demonstration: PublicState | None = None
    paper: PublicState | None = None


# --- at the till ------------------------------------------------------------------------------------


class TillTable(Plain, frozen=True):
    """One table as anybody in the house may see it: no name of a guest. `free` of its `seats` are free; `calls` for help."""

    table: str
    name: str
    state: Literal["lobby", "playing", "over", "stopped"]
    title: str
    seats: int
    free: int
    calls: int
    minutes_left: tuple[int, int] | None
    until: Count | None


class Till(Plain, frozen=True):
    """All tables of this hub, for the page of the till."""

    tables: list[TillTable]


# --- the past --------------------------------------------------------------------------------------


class PastMatch(Plain, frozen=True):
    """A match that is over: `begun` is a date in UTC, `minutes` how long it took, where that is known."""

    id: str
    table: str
    title: str
    begun: str
    minutes: float | None
    seats: list[int]
    winners: list[int]


class GameHistory(Plain, frozen=True):
    """How often a game was played to its end, and the least, middle and most minutes that it took."""

    title: str
    played: int
    least: float
    middle: float
    most: float


class SeatHistory(Plain, frozen=True):
    """How often a seat played and won, and how often it would have won (`expected`) if all seats were equal."""

    seat: SeatNumber
    played: int
    won: int
    expected: float


class DiceHistory(Plain, frozen=True):
    """How often each face came of dice that came in one way, and what a chi-square test says: `square`, `p`, a verdict."""

    kind: Read
    counts: list[int]
    square: float | None
    p: float | None
    verdict: str


class History(Plain, frozen=True):
    """What is known of the matches that were played to their end; `matches` are the newest of them."""

    played: int
    matches: list[PastMatch]
    games: list[GameHistory]
    seats: list[SeatHistory]
    dice: list[DiceHistory]
    texts: Texts = msgspec.UNSET


# --- one seat --------------------------------------------------------------------------------------


class Faces(Plain, frozen=True):
    """Dice that this seat may type: so many, each from 1 to `sides`."""

    count: int
    sides: int


class Hint(Plain, frozen=True):
    """What the sharp house would do now: an `answer` as in `Hand.locked`, None where it lets the dice fall.

    `say` is why, "" where its game gives no reasons.
    """

    answer: dict[str, Any] | None = None
    say: str = ""


class Hand(Plain, frozen=True):
    """The newest complete private state of one seat; only ever sent encrypted. `session` is the public state's.

    `number` is that of the open decision, `moves` what the seat may answer, `barred` what it may look for and is not
    offered, `notes` sentences beside values of its moves. `covered` are the parameters whose notes follow from a secret: draw
    those parameters only while the person holds the hand open. `dial` (from 1) is where the dial of its box starts in a
    sealed choice, `dial_at` the answer there. `claim` is the number of the claim with which another phone asks for this
    seat, while it waits. `hand_over` is a code with which one other phone may take the seat, for `hand_over_seconds` more.
    `hints`: this phone has asked for hints; `hint` is the one for the open decision, once it is there. `lesson` is the rule
    that this seat is told now, in a guided first round.
    """

    epoch: Count
    seq: Count
    seat: SeatNumber
    v: Literal[1] = 1
    session: str = ""
    match: str | None = None
    you: dict[str, Any] = {}
    number: Count | None = None
    secret: bool = False
    want: str = ""
    moves: list[dict[str, Any]] = []
    barred: list[dict[str, Any]] = []
    notes: dict[str, dict[str, str]] = {}
    covered: list[str] = []
    locked: dict[str, Any] | None = None
    undo: bool = False
    dial: int | None = None
    dial_at: str = ""
    faces: Faces | None = None
    seat_code: str | None = None
    claim: Count | None = None
    hand_over: str | None = None
    hand_over_seconds: Count = 0
    hints: bool = False
    hint: Hint | None = None
    lesson: LessonNow | None = None
    texts: Texts = msgspec.UNSET


class Ack(Plain, frozen=True):
    """The answer to the request with the id `re`."""

    re: RequestId
    ok: bool
    error: str | None = None
    code: str | None = None
    seq: Count = 0
    texts: Texts = msgspec.UNSET


BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols that show nothing: fillers of Hangul and Khmer, the joiner of marks, braille without a dot."""


def tidy_name(name: str) -> str:
    """Return a player's name as it may be shown anywhere: nothing that cannot be seen, no outer blanks, not too long."""
    return "".join(letter for letter in name if letter.isprintable() and letter not in BLANKS).strip()[:MOST_NAME]
