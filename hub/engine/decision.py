"""Decisions as data, and the verbs with which a rulebook makes them.

A rulebook is a coroutine that is driven by hand (`hub.engine.match`). Each verb hands a `Question` to
the match and comes back with the answer:

- `ask` one seat; `ask_all` several at once, sealed until the last has locked;
- `roll` physical dice, `roll_or` the same with moves that may be made before the dice fall;
- `shuffle` a pile, `pick` one of several by chance: what chance decided is logged, never a seed;
- `tell` the table what happened; raise `Won` when the match is over.

A move is answered with parameters of four kinds (`OneOf`, `Amount`, `Choose`, `Order`) or of none at
all (`Fixed`). Where one parameter limits another, the same move is listed more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from types import coroutine
from typing import Any, Literal, TypeAlias, TypeVar, overload
from zlib import crc32

from msgspec import Struct

from hub.engine.event import Course, Event
from hub.engine.odds import Wants
from hub.engine.text import Money, Text, say, to_json

CHANCE = 0
"""The seat of chance: dice and shuffles are asked of it like of any other seat."""
MOVED_ON = say("The table has moved on: look again.")
"""Why an answer to an older decision than the open one is refused."""


Kind: TypeAlias = Literal["ask", "sealed", "roll", "shuffle", "pick"]
Args: TypeAlias = Mapping[str, Any]

Value: TypeAlias = "bool | int | str | Sequence[Value] | None"
"""What a parameter of a move may be."""
Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"
"""What stands on the wire."""
T = TypeVar("T")


def _same(a: object, b: object) -> bool:
    """Return whether two values are equal and of the same kind: 1 is not True, and neither is a "1"."""
    if type(a) is not type(b) or a != b:
        return False
    return all(map(_same, a, b)) if isinstance(a, list) and isinstance(b, list) else True


def _without(values: Sequence[object], removed: Sequence[object]) -> bool:
    """Return whether `removed` can be taken out of `values`, equal faces being interchangeable."""
    left = list(values)
    for value in removed:
        for place, other in enumerate(left):
            if _same(value, other):
                del left[place]
                break
        else:
            return False
    return True


# `gc=False` throughout: plain data makes no rings, and the collector need not walk it.
class Fixed(Struct, frozen=True, gc=False):
    """A parameter with one value."""

    value: Value

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        return _same(self.value, value)

    def first(self) -> Value:
        """Return the smallest answer."""
        return self.value

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        return self.value


class OneOf(Struct, frozen=True, gc=False):
    """One of the listed values; a value may be a whole list."""

    values: Sequence[Value]

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        for other in self.values:  # noqa: SIM110 - a loop is twice as fast, and this is every action's way
            if _same(value, other):
                return True
        return False

    def first(self) -> Value:
        """Return the smallest answer."""
        return self.values[0]

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        return {"one_of": self.values}


class Amount(Struct, frozen=True, gc=False):
    """A whole number from `min` to `max`, both included, in steps of `step` from `min`."""

    min: int
    max: int
    step: int = 1

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        return type(value) is int and self.min <= value <= self.max and (value - self.min) % self.step == 0

    def first(self) -> int:
        """Return the smallest answer."""
        return self.min

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        bounds = {"min": self.min, "max": self.max}
        return bounds if self.step == 1 else {**bounds, "step": self.step}


class Choose(Struct, frozen=True):
    """A subset of `values` with `min` to `max` members; the order of the answer does not matter."""

    values: Sequence[Value]
    min: int
    max: int

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        return isinstance(value, list) and self.min <= len(value) <= self.max and _without(self.values, value)

    def first(self) -> list[Value]:
        """Return the smallest answer."""
        return list(self.values[: self.min])

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        return {"choose": {"min": self.min, "max": self.max}, "from": self.values}


class Order(Struct, frozen=True):
    """All of `values`, in the order the seat wants."""

    values: Sequence[Value]

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        return isinstance(value, list) and len(value) == len(self.values) and _without(self.values, value)

    def first(self) -> list[Value]:
        """Return the smallest answer."""
        return list(self.values)

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        return {"order": self.values}


Param: TypeAlias = Fixed | OneOf | Amount | Choose | Order
_KINDS: frozenset[type] = frozenset({Fixed, OneOf, Amount, Choose, Order})


class Move(Struct, frozen=True, gc=False):
    """A named way to answer a decision."""

    name: str
    params: dict[str, Param]

    def accepts(self, args: Args) -> bool:
        """Return whether `args` gives each parameter a legal value, and nothing else."""
        params = self.params
        if len(args) != len(params):
            return False
        for name, param in params.items():  # noqa: SIM110 - a loop is twice as fast, and this is every action's way
            if name not in args or not param.accepts(args[name]):
                return False
        return True

    def fits(self, args: Args) -> bool:
        """Return whether `args` can mean this move: no fixed parameter is given another value."""
        return all(
            param.accepts(args[name])
            for name, param in self.params.items()
            if isinstance(param, Fixed) and name in args
        )

    def leads_to(self, args: Args) -> bool:
        """Return whether `args`, which may name some parameters only and of a subset some members, can become an answer."""
        params = self.params
        return all(name in params and _admits(params[name], value) for name, value in args.items())

    def first(self) -> dict[str, Value]:
        """Return the answer with the smallest values."""
        return {name: param.first() for name, param in self.params.items()}

    def wire(self) -> dict[str, Json]:
        """Return it as it stands on the wire: parameters beside the name."""
        return {"move": self.name, **{name: param.wire() for name, param in self.params.items()}}

    def single(self) -> bool:
        """Return whether there is one way only to make this move."""
        return all(_single(param) for param in self.params.values())


def _admits(param: Param, value: object) -> bool:
    if isinstance(param, Choose):
        return isinstance(value, list) and len(value) <= param.max and _without(param.values, value)
    return param.accepts(value)


def _single(param: Param) -> bool:
    match param:
        case Fixed():
            return True
        case OneOf(values):
            return len(values) == 1
        case Amount(least, most, step):
            return least + step > most
        case Choose(values, least, _):
            return least == len(values)
        case Order(values):
            return len(values) < 2


@cache
def _bare(name: str) -> Move:
    """Return a move without parameters: it is always the same."""
    return Move(name, {})


@overload
def offer(name: str) -> Move: ...
@overload
def offer(name: str, **params: Param | Value) -> Move: ...
def offer(name: str, **params: Any) -> Move:  # a test for each class takes three times as long
    """Return a move to be offered; a plain value is a fixed parameter."""
    if not params:
        return _bare(name)
    for key, value in params.items():
        if value.__class__ not in _KINDS:
            params[key] = Fixed(value)
    return Move(name, params)


class Answer(Struct, frozen=True, gc=False):
    """What a seat chose: the move's name and its parameters."""

    move: str
    args: dict[str, Any]

    def __getitem__(self, parameter: str) -> Any:
        return self.args[parameter]


class Action(Struct, frozen=True, kw_only=True):
    """A seat's answer to a numbered decision: the only input of a match.

    `number` is the decision it answers; None means the open one.
    """

    seat: int
    move: str
    args: dict[str, Any] = {}
    number: int | None = None


class Roll(Struct, frozen=True):
    """Dice that are asked for: who rolls, how many, with how many sides, and what for."""

    seat: int
    count: int
    sides: int
    why: str


Moves: TypeAlias = "list[Move] | Callable[[], list[Move]]"
"""Moves, or a function that returns them anew after a standing offer was taken."""


Want: TypeAlias = "str | Callable[[], str]"
"""What is said to who is asked, or a function that says it anew after a standing offer was taken."""


class Question(Struct):
    """What a rulebook wants to know before it goes on."""

    kind: Kind
    want: Want
    asked: dict[int, Moves]
    others: str = ""
    roll: Roll | None = None
    dice: Callable[[], int] | None = None
    pile: str = ""
    cards: Sequence[object] = ()
    into: str = ""
    final: bool = False
    wants: Wants | None = None
    known: bool = False
    laid: bool = False


class Decision(Struct, gc=False):
    """The open question, numbered by the log's length when it was opened."""

    number: int
    kind: Kind
    want: str
    asked: dict[int, list[Move]]
    roll: Roll | None = None
    pile: str = ""
    cards: Sequence[object] = ()
    answers: dict[int, Answer] = {}
    final: bool = False
    wants: Wants | None = None
    checksum: int = 0
    others: str = ""
    wire_moves: dict[int, tuple[list[Move], list[dict[str, Json]]]] = {}

    @property
    def locked(self) -> frozenset[int]:
        """Return the seats that have locked a sealed choice."""
        return frozenset(self.answers)

    def offers(self, seat: int) -> list[Move]:
        """Return the moves that a seat may still make: none once its lock is final."""
        return [] if self.final and seat in self.answers else self.asked.get(seat, [])

    def offers_on_wire(self, seat: int) -> list[dict[str, Json]]:
        """Return the same as it stands on the wire: made once, for a question is shown again while others answer it."""
        offers, cached = self.offers(seat), self.wire_moves.get(seat)
        if cached is None or cached[0] is not offers:
            cached = self.wire_moves[seat] = offers, [move.wire() for move in offers]
        return cached[1]

    @property
    def by_chance(self) -> bool:
        """Return whether a shuffle or a pick is wanted, which no person sees asked."""
        return self.kind in ("shuffle", "pick")

    def fingerprint(self) -> int:
        """Return a checksum of what is asked, of whom, in which order; never 0."""
        if not self.checksum:
            self.checksum = crc32(to_json((self.kind, self.asked, self.roll, self.pile, self.cards))) or 1
        return self.checksum


# A hand-driven coroutine hands its question to whoever drives it, and is sent the answer.
@coroutine
def _send(question: Question) -> Generator[Question, Any, Any]:
    return (yield question)


async def ask(  # every verb takes the state first
    s: Course, seat: int, moves: Moves, want: Want, others: str = "", *, hidden: bool = False,  # noqa: ARG001
) -> Answer:  # fmt: skip
    """Ask one seat, and return its answer. The last move listed is the no: to pass, to hold, to end the turn.

    `want` is said to that seat, `others` to everybody else: who does what, in the third person.

    A seat with one answer only is not asked: the answer is given, and the rulebook tells what came of it. Set
    `hidden` where only the seat itself can know that it has no choice, for not being asked would tell the others.
    """
    if not hidden:
        only = moves() if callable(moves) else moves
        if len(only) == 1 and only[0].single():
            return Answer(only[0].name, only[0].first())
    return await _send(Question("ask", want, {seat: moves}, others or say("Seat {seat} decides.", seat=seat)))  # type: ignore[no-any-return]


async def ask_all(  # every verb takes the state first
    s: Course, moves: Mapping[int, list[Move]], want: str, others: str = "", *,  # noqa: ARG001
    into: str, final: bool = False, known: bool = False, laid: bool = False,
) -> dict[int, Answer]:  # fmt: skip
    """Ask several seats at once, sealed, and return the answers by seat.

    A choice may be sent again until the last seat has locked; with `final` a lock cannot be changed. While it is sealed,
    a seat's choice stands in the field `into` of its own state as a secret, and `locked` is true. With `known` it tells
    what lies open at the table, and with `laid` what lies there face down and is turned over after the last lock: that
    one can then be taken back as well, for a wrong choice would be seen beside the cards.
    """
    if not moves:
        return {}
    others = others or say("Players are choosing in secret.")
    return await _send(Question("sealed", want, dict(moves), others, into=into, final=final, known=known, laid=laid))  # type: ignore[no-any-return]


async def roll(  # every verb takes the state first
    s: Course, seat: int, count: int | Callable[[], int], sides: int, why: str, want: str,  # noqa: ARG001
    wants: Wants | None = None, others: str = "",
) -> list[int]:  # fmt: skip
    """Ask `seat` to roll `count` dice of `sides` sides at the table, however many, and return the faces.

    The table reads them in batches. `count` may be a function that returns it anew after a standing offer was taken.
    `wants` is what the dice must show (`hub.engine.odds`): screens tell it with its odds before they fall.
    """
    dice = count if callable(count) else None
    first = count() if callable(count) else count
    others = others or say("Seat {seat} rolls.", seat=seat)
    return await _send(Question("roll", want, {}, others, roll=Roll(seat, first, sides, why), dice=dice, wants=wants))  # type: ignore[no-any-return]


async def roll_or(
    s: Course, seat: int, count: int, sides: int, why: str, want: str, moves: Moves,  # noqa: ARG001
    wants: Wants | None = None, others: str = "",
) -> list[int] | Answer:  # fmt: skip
    """Ask for dice, and return the faces; until they fall the roller may make one of `moves` instead."""
    asked, roll = ({seat: moves} if moves else {}), Roll(seat, count, sides, why)
    question = Question("roll", want, asked, others or say("Seat {seat} rolls.", seat=seat), roll=roll, wants=wants)
    return await _send(question)  # type: ignore[no-any-return]


async def shuffle(s: Course, cards: Sequence[T], pile: str) -> list[T]:  # noqa: ARG001 - every verb takes the state first
    """Return the cards in an order that chance decides. `pile` names the pile for stacks (top card first)."""
    return await _send(Question("shuffle", "", {}, pile=pile, cards=list(cards)))  # type: ignore[no-any-return]


async def pick(s: Course, values: Sequence[T], pile: str) -> T:  # noqa: ARG001 - every verb takes the state first
    """Return one of `values`, which chance picks. `pile` names it for stacks."""
    return await _send(Question("pick", "", {}, pile=pile, cards=list(values)))  # type: ignore[no-any-return]


async def starter(s: Course, option: str, seats: Sequence[int], pile: str) -> int:
    """Return the seat that an option names, where it is one of `seats`; else the one that chance picks."""
    named: int = s.setup.options[option]
    return named if named in seats else await pick(s, list(seats), pile)


def tell(s: Course, text: str, *, rule: str = "", kind: str = "", **data: Json) -> None:
    """Tell the whole table what happened: one sentence, the rule id behind it, and the facts as data (see `reckoned`).

    `text` is a `Text`, or a template whose placeholders are named like facts: "Seat {seat} bids {amount}." An amount of
    money is a fact as a number.
    """
    sentence = text if isinstance(text, Text) else say(text, **data)
    facts = {name: fact.values["amount"] if isinstance(fact, Money) else fact for name, fact in data.items()}
    s.new_events.append(Event(sentence, rule, kind, facts, s.round))


def reckoned(seat: int, what: str, was: int | None, now: int, how: str) -> dict[str, Any]:
    """Return the data of an event that tells a change of money or points: which fact, from what to what, and how reckoned.

    This is what "why?" shows, on the phone and elsewhere.
    """
    return {"seat": seat, "what": what, "from": was, "to": now, "sum": how}


class Won(Exception):
    """The end of a match. `scores` is what the winner is judged by; `why` one sentence, `rule` the id behind it."""

    def __init__(self, winners: Sequence[int], scores: Mapping[int, int], why: str, *, rule: str = "") -> None:
        super().__init__(why)
        self.rule = rule
        self.winners = list(winners)
        self.scores = dict(scores)
        self.why = why
