"""The state of a table for everything that shows it: one public state, and one secret hand per seat.

The table builds both after each change. Phones, rings, panels and the big screen read them, as attributes here and as JSON
on the wire.
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
    """Plain data; a field that is not declared is refused. It never refers to itself, so the garbage collector skips it."""


class MadeOf(Plain, frozen=True):
    """The templates and values of the sentences of a message, for clients that show another language than English.

    A client that fills in a template finds the resulting sentence in the message.
    """

    templates: list[str]
    """English templates, such as `Seat {seat} bids {amount}.`"""
    made: list[Any]
    """For each sentence the number of its template, from 0, and its values: see `hub.engine.text.Text.wire`."""


Texts: TypeAlias = MadeOf | msgspec.UnsetType
"""Left out if no sentence of the message has values."""


# --- seats and events ------------------------------------------------------------------------------


Presence: TypeAlias = Literal["here", "asleep", "away"]
"""Whether the player of a seat is at the table.

- `here`: the phone is connected, or the seat box was used after the phone was last connected or was told to leave.
- `asleep`: the phone is not connected, but a box is.
- `away`: neither.
"""


class PublicSeat(Plain, frozen=True, omit_defaults=True):
    """One seat of the table. A field that has its default is left out of the JSON."""

    seat: SeatNumber
    name: str = ""
    """The player's name."""
    held: bool = False
    """Somebody sits here, or the house plays here."""
    phone: Literal["on", "away", "none"] = "none"
    """`away`: a phone holds the seat but is not connected."""
    box: Literal["on", "lost", "none"] = "none"
    """`lost`: a seat box belongs here but is not connected."""
    ready: bool = False
    presence: Presence = "away"
    house: Strength | Literal[""] = ""
    """How well the house plays at this seat; "" if it does not."""
    stands_in: bool = False
    """The house plays for an absent player, who may come back. Otherwise a seat of the house is free for anybody."""
    wish: str = ""
    """The game that this player wants to play next."""

    @property
    def is_house(self) -> bool:
        """Return whether the house plays here for itself: nobody sits here, and anybody may take the seat."""
        return bool(self.house) and not self.stands_in


class PublicEvent(Plain, frozen=True):
    """One event of the match that everybody may know."""

    n: int
    """Its number in the match, from 0."""
    text: str
    rule: str | None = None
    """The id of the rule behind it."""
    kind: str = ""
    data: dict[str, Any] = {}
    """Facts of the game; see the game's data file."""


class EventsPage(Plain, frozen=True):
    """Earlier events of the current match: a page of its log."""

    match: str | None
    epoch: Count
    events: list[PublicEvent] = []
    """Oldest first."""
    stood_in: dict[str, list[int]] = {}
    """As in the public state."""
    texts: Texts = msgspec.UNSET


class Change(Plain, frozen=True, rename={"was": "from"}):
    """One change of money or points."""

    n: int
    """The number of the event."""
    round: int
    seat: SeatNumber
    what: str
    """The fact that changed, for example `cash`."""
    text: str
    rule: str
    """The id of the rule behind it."""
    sum: str
    """How the change was calculated."""
    was: int | None = None
    """The amount before. None: the total is secret."""
    to: int | None = None
    """The amount after. None: the total is secret."""


class ChangesPage(Plain, frozen=True):
    """The changes of money and points in this round and the previous one."""

    match: str | None
    epoch: Count
    changes: list[Change] = []
    """Newest first."""
    texts: Texts = msgspec.UNSET


# --- dice ------------------------------------------------------------------------------------------

Read: TypeAlias = Literal["read", "typed", "hub"]
"""Where a result comes from: a dice reader, a person who typed it, or the hub, which rolled it."""

RollState: TypeAlias = Literal["armed", "rolling", "settled", "typed", "cocked", "wrong_count", "no_reader"]


class Batch(Plain, frozen=True):
    """Dice that count, at most six."""

    faces: list[int]
    read: Read


class Wanted(Plain, frozen=True):
    """What the roll must show, with the chance of it."""

    say: str
    """One line."""
    exact: str = ""
    """The exact chance, if the line rounds it."""


class PublicDice(Plain, frozen=True, rename={"why": "for"}):
    """The current roll. More than six dice are rolled in several batches."""

    state: RollState
    seat: int
    count: int
    """How many dice the roll has."""
    sides: int
    why: str = ""
    """What the roll is for."""
    batch: int = 0
    """How many dice the current batch has."""
    faces: list[int] = []
    """Faces of the current batch."""
    read: Read | None = None
    done: list[Batch] = []
    """The batches before this one."""
    total: int = 0
    """The sum of all faces so far."""
    say: str = ""
    """What to do now."""
    votes: list[int] = []
    """Seats that want the hub to roll."""
    again: bool = False
    """This is the second reading of a disputed roll."""
    lying: bool = False
    """Nobody throws: the dice that lie there are read."""
    as_it_lies: list[int] = []
    """Seats that accept the face that a leaning die shows."""
    enough: int = 0
    """How many of them it takes."""
    wants: Wanted | None = None


class PublicDispute(Plain, frozen=True):
    """An accepted roll that can be disputed, or that is disputed."""

    stage: Literal["open", "vote", "reading", "told"]
    """`open`: players may dispute it. `vote`: they vote on it. `reading`: the dice are read again. `told`: it was settled."""
    seat: SeatNumber
    faces: list[int]
    read: Read
    yes: list[int] = []
    no: list[int] = []
    needs: int = 0
    """How many votes for another reading are needed."""
    say: str = ""
    """The outcome, for a few seconds."""


class Kit(Plain, frozen=True):
    """The dice of a reader."""

    dice: int
    """How many it has."""
    weak: list[str] = []
    """The names of dice whose battery is low."""


# --- the match -------------------------------------------------------------------------------------


class WantedRoll(Plain, frozen=True, rename={"why": "for"}):
    """A roll that the rules ask for."""

    seat: int
    count: int
    sides: int
    why: str = ""
    """What the roll is for."""


class Waiting(Plain, frozen=True, omit_defaults=True, kw_only=True):
    """What the match waits for."""

    roll: WantedRoll | None = None
    seats: list[str]
    """The seats that are asked."""
    secret: bool | None = None
    """They choose in secret. None: nobody is asked, because the match has ended or a chance event is due."""


class View(Plain, frozen=True):
    """The public facts of a match."""

    game: str
    round: int
    phase: str
    table: dict[str, Any]
    """The game's own facts of the table."""
    seats: dict[str, dict[str, Any]]
    """The game's own facts of each seat, by seat number."""
    waiting: Waiting


class Preset(Plain, frozen=True):
    """Options of a game that the owner has given a name."""

    name: str
    effect: str
    """One line that describes it."""
    options: dict[str, Any]


class GameOffer(Plain, frozen=True):
    """A game that the lobby offers."""

    name: str
    title: str
    seats: tuple[int, int]
    """The lowest and highest number of players."""
    minutes: int
    """About how long a match takes."""
    blurb: str = ""
    lacks: list[str] = []
    """Sentences: what is missing before it can start at this table with these players."""
    presets: list[Preset] = []
    known: bool = False
    """Everybody seated here has played it at this table."""


class LessonNow(Plain, frozen=True):
    """The rule that is explained now."""

    key: str
    """Its key in the game's guide."""
    to: Literal["asked", "all"]
    """`asked`: in the words for the player who has to act. `all`: in the words for everybody."""


class Teaching(Plain, frozen=True):
    """The guided first round."""

    lesson: str = ""
    """The key of the rule that the big screen explains now; "" if none."""
    skips: list[int] = []
    """Seats that want no more rules explained."""


# --- what the table is asked, and what it offers between matches --------------------------------------

AskedByPlayers: TypeAlias = Literal["put_aside", "end", "absent"]
"""What a player may ask everybody: whether to suspend the match, to end it, or what to do about a player who has gone.

The table asks the other questions.
"""
QuestionKind: TypeAlias = Literal[AskedByPlayers, "same_person", "new_phone", "agree", "pitch"]


class Question(Plain, frozen=True):
    """A question to the people at the table."""

    kind: QuestionKind
    text: str
    options: dict[str, str]
    """The answers, by key."""
    voters: list[int]
    """Seats that may answer."""
    votes: dict[str, str]
    """The answers so far: keys of `options` by seat number."""
    seconds: Count
    """It ends by itself after this time."""
    seat: int = 0
    """The seat that the question is about; 0 if none."""
    reads: str = ""
    """What that seat reads aloud."""


class PutAside(Plain, frozen=True):
    """A suspended match that players seated here may resume. It names nobody, because some of its players may have left."""

    match: str
    game: str
    title: str
    since: Count
    """When it was suspended, in Unix time."""
    seats: list[SeatNumber]
    """The seats of the match."""
    people: list[SeatNumber]
    """Seats that are taken by somebody who played it."""


class Starting(Plain, frozen=True):
    """A match that starts soon, unless somebody asks to wait."""

    game: str
    seat: int
    """The seat that started it."""
    seconds: Count
    preset: str = ""
    """The name of its options, if they are those of a preset."""


# --- the whole -------------------------------------------------------------------------------------

Severity: TypeAlias = Literal["error", "warning", "info"]


class Notice(Plain, frozen=True):
    """A sentence that is shown until its cause is gone."""

    key: str
    severity: Severity
    """`error`: play stops. `warning`: somebody has to act. `info`: good to know."""
    text: str
    can_acknowledge: bool = False
    """Any player or anybody seated here can dismiss it."""


class PublicState(Plain, frozen=True, omit_defaults=True, tag_field="v", tag=1):
    """The complete public state of one table. A field that has its default is left out of the JSON; `v` is the version."""

    table: str
    name: str
    """The table's name on screens."""
    code: str
    """Four letters with which a phone finds the table."""
    url: str
    """The address of the table for phones."""
    epoch: Count
    """Rises with each start of the hub, each match, and each undo."""
    seq: Count
    """Rises with each state, while the hub runs."""
    state: Literal["lobby", "playing", "over", "stopped"]
    seats: list[PublicSeat]
    session: str = ""
    """Differs after each start of the hub. A state of another session is newer, whatever its `epoch` and `seq`."""
    match: str | None = None
    game: str | None = None
    title: str = ""
    """The name of the game on screens."""
    view: View | None = None
    locked: list[int] = []
    """Seats that have locked a sealed choice."""
    want: str = ""
    """What the table waits for, for everybody who is not asked. Players who are asked find it in their hand."""
    events: list[PublicEvent] = []
    """The newest events without gaps, oldest first: at least eight, and all that are new in the last two states with new
    events. A client that has missed some requests an `EventsPage`."""
    dice: PublicDice | None = None
    dispute: PublicDispute | None = None
    kit: Kit | None = None
    notices: list[Notice] = []
    """The most severe one first."""
    over: Over | None = None
    games: list[GameOffer] = []
    """What the lobby offers; empty during a match."""
    nudged: list[int] = []
    """The last seats to lock a choice, if the others have waited too long for them."""
    claiming: list[int] = []
    """Taken seats that another phone asks for."""
    question: Question | None = None
    paused: int | None = None
    """The seat that paused the match."""
    put_aside: list[PutAside] = []
    """Suspended matches that players seated here may resume. Empty during a match."""
    starting: Starting | None = None
    minutes_left: tuple[int, int] | None = None
    """The match ends within this range in four of five cases. None: unknown."""
    highlights: list[str] = []
    """Sentences about a match that is over."""
    played: dict[str, str] = {}
    """The players of a match that is over, by seat number: the seat may have a new player."""
    until: Count | None = None
    """When the table's time is over, in Unix time."""
    preset: str = ""
    """The preset with which a push on a box starts the selected game. "": the standard options."""
    options: dict[str, Any] = {}
    """Options that differ from the standard ones."""
    hints: bool = False
    """Phones may show hints."""
    stood_in: dict[str, list[int]] = {}
    """By number of one of `events`: the absent seats for which the house moved just before."""
    revealed: Count | None = None
    """The number of the sealed choice that was revealed last in this match, since the hub started."""
    volume: int = 60
    """The volume of sounds, in percent. 0: a quiet table."""
    teaching: Teaching | None = None
    explain: bool | None = None
    """Whether the first round of the next match is explained. None: if somebody seated here has not played the game."""
    hub_rolls: bool = False
    """The players want the hub to roll all dice."""
    texts: Texts = msgspec.UNSET


class Wifi(Plain, frozen=True):
    """The Wi-Fi network for guests."""

    name: str
    code: str
    """The content of a QR code that joins it."""
    password: str = ""


class ScreenState(PublicState, frozen=True, omit_defaults=False):
    """The public state for the table's own screens and panels. It is never published, because it has claim codes.

    `events` are the newest 30, because a panel requests nothing. All fields are in the JSON.
    """

    claim_codes: dict[str, str] = {}
    """By seat number, the codes with which a phone takes the seat, while they may be shown."""
    fingerprint: str = ""
    """The fingerprint of the hub's key, to compare with the one on a phone."""
    staff_pin: str = ""
    """The staff's PIN, until it is first used."""
    setup: str = ""
    """The URL of the setup page with that PIN, for the QR code of a hub that was never set up."""
    wifi: Wifi | None = None
    light: int = 100
    """The brightness of the screen, in percent."""
    demonstration: PublicState | None = None
    """A match of the house that the screen shows while nobody is here. All other fields are those of the lobby."""
    paper: PublicState | None = None
    """What panels show of the demonstration."""
    test_picture: bool = False
    """Panels show a test picture, because staff want to see whether they are whole."""


# --- at the till ------------------------------------------------------------------------------------


class TillTable(Plain, frozen=True):
    """One table for the page of the till, without names of guests."""

    table: str
    name: str
    state: Literal["lobby", "playing", "over", "stopped"]
    title: str
    seats: int
    """How many seats it has."""
    free: int
    """How many of them are free."""
    calls: int
    """How many calls for staff are open."""
    minutes_left: tuple[int, int] | None
    """As in the public state."""
    until: Count | None
    """As in the public state."""


class Till(Plain, frozen=True):
    """All tables of this hub, for the page of the till."""

    tables: list[TillTable]


# --- the past --------------------------------------------------------------------------------------


class PastMatch(Plain, frozen=True):
    """A match that was played to the end."""

    id: str
    table: str
    title: str
    begun: str
    """Its date, in UTC."""
    minutes: float | None
    """How long it took. None: unknown."""
    seats: list[int]
    winners: list[int]
    kept: bool = True
    """Whether its log is still there, so that it can be replayed."""


class ReplayStep(Plain, frozen=True):
    """A moment of a finished match: people or dice were awaited, or it was over."""

    view: View
    events: list[PublicEvent]
    """What was told since the step before."""
    hands: dict[str, dict[str, Any]] = {}
    """The secrets of each seat, by its number. Empty while the last action of the match may still be taken back."""
    over: Over | None = None
    wants: Wanted | None = None
    """What the awaited roll must show, if the rules state it."""


class Replay(Plain, frozen=True):
    """A finished match, step by step."""

    match: str
    game: str
    title: str
    begun: str
    """Its date, in UTC."""
    seats: list[int]
    options: dict[str, Any]
    steps: list[ReplayStep]
    texts: Texts = msgspec.UNSET


class HouseChoice(Plain, frozen=True):
    """What a seat did at a step of a replay, and what the house would have done."""

    seat: SeatNumber
    did: dict[str, Any] | None
    """As `Hand.locked`. None: it rolled the dice."""
    house: Hint | None
    """None: the house player failed."""
    same: bool
    """Whether both are the same."""


class HouseChoices(Plain, frozen=True):
    """The choices at a step of a replay, each beside that of the house. Empty if the house had nothing to choose."""

    choices: list[HouseChoice]
    texts: Texts = msgspec.UNSET


class GameHistory(Plain, frozen=True):
    """How often a game was played to the end, and the shortest, median and longest time in minutes."""

    title: str
    played: int
    least: float
    middle: float
    most: float


class SeatHistory(Plain, frozen=True):
    """How often a seat has played and won."""

    seat: SeatNumber
    played: int
    won: int
    expected: float
    """How often it would have won if all seats were equal."""


class DiceHistory(Plain, frozen=True):
    """How often dice showed each face, and a chi-square test of their fairness."""

    kind: Read
    counts: list[int]
    """By face, from 1."""
    square: float | None
    """The test's statistic. None: too few rolls."""
    p: float | None
    """The probability of a result at least as uneven with fair dice."""
    verdict: str


class History(Plain, frozen=True):
    """Statistics of the matches that were played to the end."""

    played: int
    matches: list[PastMatch]
    """The newest ones."""
    games: list[GameHistory]
    seats: list[SeatHistory]
    dice: list[DiceHistory]
    texts: Texts = msgspec.UNSET


# --- one seat --------------------------------------------------------------------------------------


class Faces(Plain, frozen=True):
    """Dice whose faces the player of this seat may type in."""

    count: int
    sides: int


class Hint(Plain, frozen=True):
    """What the strongest house player would do now."""

    answer: dict[str, Any] | None = None
    """As `Hand.locked`. None: roll the dice."""
    say: str = ""
    """The reason; "" if the game gives none."""


class Hand(Plain, frozen=True):
    """The complete private state of one seat. It is sent only encrypted."""

    epoch: Count
    """As in the public state."""
    seq: Count
    """As in the public state."""
    seat: SeatNumber
    v: Literal[1] = 1
    session: str = ""
    """As in the public state."""
    match: str | None = None
    you: dict[str, Any] = {}
    """The game's own facts of this seat."""
    number: Count | None = None
    """The number of the decision that this seat is asked for. None: it is not asked."""
    secret: bool = False
    """The decision is a sealed choice."""
    want: str = ""
    """What the player is asked."""
    moves: list[dict[str, Any]] = []
    """What the player may answer."""
    barred: list[dict[str, Any]] = []
    """Moves that a player may look for, with the reason why each is not possible now."""
    notes: dict[str, dict[str, str]] = {}
    """Sentences about values of moves: by parameter, then by value."""
    covered: list[str] = []
    """Parameters whose notes follow from a secret: show those only while the player holds the hand open."""
    locked: dict[str, Any] | None = None
    """The answer that this seat has locked."""
    undo: bool = False
    """The player may take the last move back."""
    dial: int | None = None
    """In a sealed choice, the position from 1 at which the dial of the box starts."""
    dial_at: str = ""
    """The answer at that position."""
    faces: Faces | None = None
    cup: str = ""
    """What the dice reader under the cup of this seat does, while it reads dice that only this seat may see."""
    seat_code: str | None = None
    """The code with which another phone takes this seat."""
    claim: Count | None = None
    """The number of the request of another phone for this seat."""
    hand_over: str | None = None
    """A code with which one other phone may take the seat."""
    hand_over_seconds: Count = 0
    """How long that code remains valid."""
    hints: bool = False
    """This phone has asked for hints."""
    hint: Hint | None = None
    """The hint for this decision, when it is ready."""
    lesson: LessonNow | None = None
    """The rule that this player is told now in a guided first round."""
    texts: Texts = msgspec.UNSET


class Ack(Plain, frozen=True):
    """The answer to a request."""

    re: RequestId
    """The id of the request."""
    ok: bool
    error: str | None = None
    """Why it was refused, as a sentence."""
    code: str | None = None
    """Why it was refused, for programs."""
    seq: Count = 0
    """The number of the state that has the change."""
    texts: Texts = msgspec.UNSET


BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters and symbols that are printable but invisible: Hangul and Khmer fillers, the grapheme joiner, blank braille."""


def tidy_name(name: str) -> str:
    """Return a player's name without invisible letters and outer blanks, cut to `MOST_NAME` letters."""
    return "".join(letter for letter in name if letter.isprintable() and letter not in BLANKS).strip()[:MOST_NAME]
