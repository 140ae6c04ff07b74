"""The labels of a game: everything in its data file that screens, panels, rings and boxes draw it with.

Rules never read them, except `counted` and `sometimes`, so they are left out of a game's digest. A *path* is a place in a
view, written with dots (`table.spots.0.number`); a *template* is a sentence with paths in braces. `hub.display.labels`
says how both are read. Every default means: nothing of the kind.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from hub.engine.options import Option
from hub.engine.text import Message

Path: TypeAlias = str
Template: TypeAlias = Message
Money: TypeAlias = Literal["", "dollars", "cents"]
Screen: TypeAlias = Literal["phone", "kiosk", "panel"]


class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A table of the labels. A key that it does not know is an error, never ignored."""


class FactLabels(Part, frozen=True, kw_only=True):
    """The labels of one fact of a view (`[facts.X]`)."""

    where: Literal["table", "seat", "you"] = "table"
    """Where the fact is: on the table, at each seat, or in a seat's own hand."""
    name: str = ""
    """Its name in the view, if not X. It may lead into a record: `auction.bids`."""
    phases: list[str] | None = field(name="in", default=None)
    """The phases in which it is shown. None: all."""
    on: list[Screen] | None = None
    """The screens that show it. None: all."""
    unless: Any = None
    """A value that is not shown."""
    line: bool = False
    """It is hidden while a number line shows it."""
    counted: bool = False
    """It is money or points: each change of it has an event that says how it came about."""
    label: Message | None = None
    """Its label. None: its name."""
    short: Message | None = None
    """Its label on panels. None: the label."""
    names: dict[str, Message] = {}
    """The labels of its values."""
    alert: Message = ""
    """The warning at a seat while the fact is true of it."""
    card: bool | Literal["name"] = False
    """Its value is a card, or several. "name": cards are written by name, with what they do."""
    seat: bool = False
    """Its value is a seat's number."""
    seats: str | bool = False
    """True: its value is a list of seats. In a row of records: the field with numbers by seat."""
    money: Money = ""
    """The currency unit its numbers count."""
    signed: bool = False
    """Its numbers are written with their sign."""
    last: int = 0
    """How many of a list are shown, the newest; 0: all."""
    title: Template = ""
    """The title of a record: a template over the record."""
    heap: str = ""
    """The card of which the value is a number."""
    unit: list[Message] = []
    """The words for one and for several of it."""
    odds: bool = False
    """Its value is a chance, drawn with a bar."""
    ranked: bool = False
    """Its numbers by seat are listed from the highest."""
    sides: list[Path] = []
    """The values that two seats name in turn, drawn as a beam."""
    warn: Any = None
    """The value that gets a warning mark."""
    leader: Path = ""
    """The seat that leads in this fact."""
    row: bool = False
    """It is a row of records or of cards."""
    cards: str = ""
    """The field of a record that holds its cards."""
    lit: str = ""
    """The field of a record that holds those of its cards that count."""
    text: Template = ""
    """The text under a record: a template over the record."""
    flag: str = ""
    """The field of a record that marks it while it is true."""
    by: str = ""
    """The field of a record that holds its seat."""
    slowly: bool = False
    """Records appear one after the other."""
    here: Path = ""
    """The record, or the card, that counts now: its `id`, the seat in its `by`, or the card's key."""
    only: dict[str, Path] = {}
    """Fields of a record that must equal what lies at a path."""
    own: Template = ""
    """The text of a record on the phone of its own seat."""

    def called(self, key: str) -> str:
        """Return its name in a view; `key` is its key in the labels."""
        return self.name or key


class ParameterLabels(Part, frozen=True, kw_only=True):
    """The labels of one parameter of moves (`[parameters.X]`). A parameter `target` is a seat."""

    label: Message = ""
    """The heading above its choices."""
    said: Message = "{}"
    """Its value inside the label of a move: "{} Baits"."""
    one: Message = ""
    """The same for the value 1: "1 Bait"."""
    card: bool = False
    """Its values are cards."""
    seat: bool = False
    """Its values are seats."""
    money: Money = ""
    """The currency unit its values count."""
    names: dict[str, Message] = {}
    """The labels of its values."""
    notes: dict[str, Message] = {}
    """A few words beside a value."""
    between: Path = ""
    """Its values count the gaps of this row of cards, from 0: a gap is tapped."""
    who: dict[str, Path] = {}
    """The seat that each value stands for."""
    record: Path = ""
    """The list of records for which its values stand, by their `id`."""
    title: Template = ""
    """The title of such a record: a template over the record."""
    by: str = ""
    """The field of such a record that holds its seat."""
    dial: int = 0
    """The steps of a box's dial, if they are coarser than the rules'; 0: the rules' own."""


class MoveLabels(Part, frozen=True, kw_only=True):
    """The labels of one move (`[moves.X]`)."""

    label: Template = ""
    """Its label with `{parameter}`, or a path of the public view. Without one: its own name."""
    name: Message = ""
    """Its name while no parameter is chosen."""
    short: Message = ""
    """Its name on a box's display, in capitals."""
    join: Message = ""
    """The name of two cards together; several are joined from the last. Without it: a comma between them."""
    effect: Message = ""
    """What it does, in one line."""
    note: Template = ""
    """The text above its choices: a template over the view."""
    lists: dict[str, Path] = field(name="from", default_factory=dict)
    """By parameter, the list of the view into which its number counts, from 1."""
    box: Literal["", "rest", "bar", "ask", "phone"] = ""
    """How a box offers it: the dial rests on it, the bar sends it, the bar asks first, or only a phone can make it."""
    then: list[str] = []
    """Parameters that a box asks for after the others."""
    sometimes: list[str] = []
    """Parameters that the move takes only sometimes: the rulebook refuses them with its own sentence."""
    told: bool = False
    """With printed cards: only the seat itself can know it, so nothing is made up for an absent seat."""
    agreed: bool = False
    """It needs the consent of all players: the table asks them first."""


class VersusLabels(Part, frozen=True, kw_only=True):
    """Two seats against each other."""

    sides: list[Path]
    """Their seats."""
    words: list[Message]
    """A word for each."""
    values: Path = ""
    """The value of each, by seat."""
    money: Money = ""
    """The currency unit of these values."""
    signed: bool = False
    """The values are written with their sign."""


class PhaseLabels(Part, frozen=True, kw_only=True):
    """What screens draw in one phase (`[screen.phase.X]`)."""

    main: Template | list[Template] = ""
    """The large line; of several the first that says something."""
    caption: Template = ""
    """The line below it."""
    card: Path = ""
    """The card that the question is about: a phone shows it beside the choices."""
    versus: VersusLabels | None = None
    """Two seats against each other, on big screens."""
    hammer: Path = ""
    """The seat that leads an auction: with `screen.inside`, how near its end is."""
    copies: list[Path] = []
    """A number and a card: the card is drawn that many times."""
    row: Path = ""
    """The row of cards or records that takes the place of the large line on panels."""
    line: bool = False
    """The newest number line stays."""
    cells: Path = ""
    """The numbers by seat that are shown at the seats."""
    mine: list[str] | None = None
    """The facts of one's own seat above the hand, in this phase. None: those of `screen.mine`."""
    order: Path = ""
    """The seats in the order in which they act."""
    past: Path = ""
    """The seats that have acted."""
    headline: bool = True
    """False: the large line says already what happens, so events are not held up."""


class HighlightLabels(Part, frozen=True, kw_only=True):
    """One highlight at the end of a match (`[[screen.highlights]]`); list the most interesting first."""

    kind: str
    """The kind of events it is about."""
    say: Template
    """The sentence: `{text}`, `{seat}`, `{round}`, `{times}`, `{of}`."""
    most: str = ""
    """A number of their data, "gain" or "loss": the event that has the most of it is told."""
    by: str = ""
    """A field of their data with a seat: the seat that has the most of them is told."""


class LookLabels(Part, frozen=True, kw_only=True):
    """The look of a game on big screens."""

    felt: str
    """The color of the table, #rrggbb."""
    edge: str
    """The color of its edge."""
    accent: str
    """The color of highlights."""
    tile: str
    """A pattern in a square of 60 x 60, as an SVG path."""
    emblem: str
    """An emblem of 100 x 60, as an SVG path."""
    lettering: Literal["", "plain", "slant", "wide", "round", "tall", "stencil"] = ""
    """How large letters are drawn."""


class ScreenLabels(Part, frozen=True, kw_only=True):
    """How screens, panels and rings draw a game as a whole (`[screen]`)."""

    phase: dict[str, PhaseLabels] = {}
    """What is drawn in each phase."""
    mine: list[str] | None = None
    """The facts of one's own seat above the hand. None: all."""
    cell: Template | list[Template] = ""
    """A seat on the smallest panel; of several templates the first that fits."""
    mark: str = ""
    """The flag of a seat that underlines it on panels."""
    token: str = ""
    """The fact of the table that holds the seat with the token."""
    token_letter: str = ""
    """The token on small panels. Without one: the first letter of `token`."""
    token_name: Message = ""
    """The name of the token."""
    order: Path = ""
    """The seats in the order in which they are listed."""
    inside: Path = ""
    """The seats that are still in an auction."""
    out: str = "out"
    """The flag of a seat that is out of the match."""
    leader: Path = ""
    """The seat whose ring shows that it leads."""
    caller: Path = ""
    """The seat whose ring shows that it called."""
    pulse: Path = ""
    """The stake: from 2 on, the rings of leader and caller pulse that many times."""
    ring: str = ""
    """The fact of a seat that its ring counts, or the path of numbers by seat."""
    headline: list[str] = []
    """Kinds of events that are held up for a moment when they happen."""
    gone: list[str] = []
    """Kinds of events whose `card` went to their `seat`: the hammer has fallen."""
    reveal: dict[str, Message] = {}
    """What the `marks` of a reveal say of a seat's value; "first" stands out."""
    look: LookLabels | None = None
    """The look of the game."""
    highlights: list[HighlightLabels] = []
    """The highlights at the end."""
    result: list[str] = []
    """Facts of a seat under its score."""
    score: Money = ""
    """The currency unit of scores."""
    scored: list[Message] = []
    """The words for one point and for several points."""
    best: Literal["most", "least"] = "most"
    """Which score wins."""


class FaceLabels(Part, frozen=True, kw_only=True):
    """How a card that is a record of the state is read (`[face]`)."""

    key: str
    """The field by which moves and facts name the card."""
    kind: str
    """The field that names its part of `[cards]`."""
    title: Template
    """The large number: a template over the record."""
    tag: Template = ""
    """What is written beside it."""
    action: str = ""
    """The field that names the text in its part of `[cards]` which says what the card does."""


class NeedsLabels(Part, frozen=True, kw_only=True):
    """What a table needs besides seats (`[needs]`)."""

    dice: int = 0
    """The most dice in one throw."""
    phone: Message = ""
    """The information of a seat that only a phone shows."""


class LargerHand(Part, frozen=True, kw_only=True):
    """Options that make hands larger."""

    options: list[str]
    """The names of the options: all of them must be chosen."""
    blocks: int
    """The size of the largest hand with them."""


class HandSize(Part, frozen=True, kw_only=True):
    """The size of the largest hand, in blocks of an encrypted message (`[hand_size]`): all hands of a match are as long."""

    blocks: int = 1
    """Without options."""
    more: list[LargerHand] = []
    """With options."""


class PresetLabels(Part, frozen=True, kw_only=True):
    """Options that the lobby offers under a name (`[[presets]]`)."""

    name: Message
    """At most 20 letters."""
    effect: Message
    """What it is, in one line."""
    options: dict[str, Any]
    """Options of the game, with their values."""


class PitchLabels(Part, frozen=True, kw_only=True):
    """What a seat reads aloud after an event (`[pitch]`)."""

    kind: str
    """The kind of event."""
    records: str
    """The list of records on the table that it is about."""
    id: str
    """The field of the event's data that names the record by its `id`."""
    text: Template
    """What is read: `{field}` of the record."""


class Lying(Part, frozen=True, kw_only=True):
    """One thing that lies on the table with printed cards."""

    what: Message
    """The thing."""
    lies: Message
    """How it lies there."""


class PrintedLabels(Part, frozen=True, kw_only=True):
    """Texts about printed cards, which the hub cannot see (`[printed_cards]`)."""

    one: Message
    """The word for one of them."""
    many: Message
    """The word for several."""
    middle: list[Lying]
    """What lies in the middle of the table."""
    seat: list[Lying]
    """What lies at each seat."""
    differs: Message = ""
    """One sentence on how our own list may differ from the box; not shown if the owner's list replaces ours."""


class IdleOption(Part, frozen=True, kw_only=True):
    """An option that has no effect, or cannot be played, together with others."""

    beside: dict[str, bool | int | str] = field(name="with")
    """Values of other options."""
    why: Message
    """The reason, in one sentence."""


class ListLabels(Part, frozen=True, kw_only=True):
    """How staff enter one part of a list of their own cards (`[list.X]`)."""

    title: Message = "{}"
    """The title of an entry; `{}` is its key. If an entry has a `name`, that is its title."""
    values: dict[str, Message] = {}
    """The labels of an entry's values, by key; an entry that is one value has the key "". Other values cannot be entered."""
    choices: str = ""
    """The part of the list whose keys are the possible texts, besides none."""


class LobbyLabels(Part, frozen=True, kw_only=True):
    """What the lobby shows of a game's options (`[lobby]`)."""

    first: list[str] = []
    """Options that are shown beside the game itself."""
    idle: dict[str, IdleOption] = {}
    """Options that are grayed out together with others."""


class HelpTable(Part, frozen=True, kw_only=True):
    """A table on the help page (`[[help]]`)."""

    title: Message
    """Its heading."""
    columns: list[Message]
    """The headings of its columns."""
    rows: list[list[Message]]
    """Its cells."""
    note: Message = ""
    """A line below it."""


class Labels(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The labels of a game, as `/games/<game>.json` has them."""

    name: str = ""
    """The game's name in files and messages."""
    title: Message = ""
    """The game's title."""
    seats: tuple[int, int] = (0, 0)
    """The smallest and the largest number of players."""
    minutes: int = 0
    """How long a match usually takes."""
    blurb: Message = ""
    """What the game is about, in one line."""
    cards: dict[str, dict[str, Any]] = {}
    """Cards, or kinds of cards, by key: `name`, `letter`, `colour`, `art`, `face`, `line`, and what the rules read."""
    phases: dict[str, Message] = {}
    """The name of each phase."""
    moves: dict[str, MoveLabels] = {}
    """The labels of each move."""
    parameters: dict[str, ParameterLabels] = {}
    """The labels of the parameters of moves."""
    facts: dict[str, FactLabels] = {}
    """The labels of the facts of a view."""
    screen: ScreenLabels = ScreenLabels()
    """How screens, panels and rings draw the game as a whole."""
    rules: dict[str, Message] = {}
    """Each rule in one line, by its id."""
    options: dict[str, Option] = {}
    """The options of the game."""
    presets: list[PresetLabels] = []
    """Sets of options that every lobby offers, such as a short first match."""
    face: FaceLabels | None = None
    """How a card that is a record of the state is read."""
    help: list[HelpTable] = []
    """Tables on the help page."""
    hand_size: HandSize = HandSize()
    """The size of the largest hand."""
    needs: NeedsLabels = NeedsLabels()
    """What a table needs besides seats."""
    pitch: PitchLabels | None = None
    """What a seat reads aloud."""
    printed_cards: PrintedLabels | None = None
    """Texts about printed cards. None: the game cannot be played with them."""
    lobby: LobbyLabels = LobbyLabels()
    """What the lobby shows of the options."""
    own_list: dict[str, ListLabels] = field(name="list", default_factory=dict)
    """How staff enter the parts of a list of their own cards."""
