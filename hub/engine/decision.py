"""Decisions as data, and the verbs of rulebooks.

A rulebook is a coroutine that is driven by hand (`hub.engine.match`). Each verb sends a `Question` to the match and returns the
answer:

- `ask` one seat; `ask_all` several at once, sealed until the last has locked;
- `roll` physical dice, `roll_or` the same with moves that may be made before the dice fall;
- `shuffle` a pile, `pick` one of several at random: the result is logged, never a seed;
- `tell` the table about an event; raise `Won` when the match is over.

Parameters of a move have a choice of one of four kinds (`OneOf`, `Amount`, `Choose`, `Order`) or none (`Fixed`), or are the faces
of dice that a seat has rolled (`Faces`). If one parameter limits another, the same move is listed more than once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, overload
from zlib import crc32

from msgspec import Struct

from hub.engine.event import Course, Event, State
from hub.engine.odds import Wants
from hub.engine.text import Money, Text, say, to_json

CHANCE = 0
"""The seat of chance, which answers for dice and shuffles like any other seat."""
MOVED_ON = say("The table has moved on: look again.")
"""The refusal of an answer to an older decision than the open one."""


Kind: TypeAlias = Literal["ask", "sealed", "roll", "shuffle", "pick"]
Args: TypeAlias = Mapping[str, object]

Value: TypeAlias = "bool | int | str | Sequence[Value] | None"
"""A value of a parameter of a move."""
Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"
"""A value in a message."""
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


# `gc=False` throughout: plain data has no cycles, so the garbage collector need not scan it.
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


class Faces(Struct, frozen=True, gc=False):
    """The faces of `count` dice with `sides` sides that the seat has rolled out of the others' sight, in any order.

    They are no choice: the player enters them, a dice reader under the cup of the seat reads them, and those of the house are
    random. `hub.engine.cups` asks for them.
    """

    count: int
    sides: int

    def accepts(self, value: object) -> bool:
        """Return whether `value` answers this parameter."""
        if not isinstance(value, list) or len(value) != self.count:
            return False
        return all(type(face) is int and 1 <= face <= self.sides for face in value)

    def first(self) -> list[Value]:
        """Return the smallest answer."""
        return [1] * self.count

    def wire(self) -> Json:
        """Return it as it stands on the wire, and as `table-hub referee` prints it."""
        return {"faces": {"count": self.count, "sides": self.sides}}


Param: TypeAlias = Fixed | OneOf | Amount | Choose | Order | Faces
_KINDS: frozenset[type] = frozenset({Fixed, OneOf, Amount, Choose, Order, Faces})


class Move(Struct, frozen=True, gc=False):
    """A named answer to a decision."""

    name: str
    params: dict[str, Param]

    def accepts(self, args: Args) -> bool:
        """Return whether `args` contains a legal value for each parameter, and nothing else."""
        params = self.params
        if len(args) != len(params):
            return False
        for name, param in params.items():  # noqa: SIM110 - a loop is twice as fast, and this is every action's way
            if name not in args or not param.accepts(args[name]):
                return False
        return True

    def fits(self, args: Args) -> bool:
        """Return whether `args` can mean this move: no fixed parameter has another value."""
        return all(
            param.accepts(args[name])
            for name, param in self.params.items()
            if isinstance(param, Fixed) and name in args
        )

    def leads_to(self, args: Args) -> bool:
        """Return whether incomplete `args`, with some parameters and some members of subsets, can be completed to an answer."""
        params = self.params
        return all(name in params and _admits(params[name], value) for name, value in args.items())

    def first(self) -> dict[str, Value]:
        """Return the answer with the smallest values."""
        return {name: param.first() for name, param in self.params.items()}

    def wire(self) -> dict[str, Json]:
        """Return it for messages: the name, and the parameters beside it."""
        return {"move": self.name, **{name: param.wire() for name, param in self.params.items()}}

    @property
    def tells_dice(self) -> bool:
        """Return whether a parameter is the faces of dice: chance makes this move, not a player's judgment."""
        return any(isinstance(param, Faces) for param in self.params.values())

    def single(self) -> bool:
        """Return whether this move has only one possible answer."""
        return all(_single(param) for param in self.params.values())

    def values(self, name: str, kind: type[T]) -> list[T]:
        """Return the values that a parameter lists, all of type `kind`."""
        param = self.params[name]
        assert not isinstance(param, Fixed | Amount | Faces)
        return [value for value in param.values if isinstance(value, kind)]


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
        case Faces():
            return False


@cache
def _bare(name: str) -> Move:
    """Return a move without parameters, cached."""
    return Move(name, {})


@overload
def offer(name: str) -> Move: ...
@overload
def offer(name: str, **params: Param | Value) -> Move: ...
def offer(name: str, **params: Any) -> Move:  # a test for each class takes three times as long
    """Return a move to offer; a plain value is a fixed parameter."""
    if not params:
        return _bare(name)
    for key, value in params.items():
        if value.__class__ not in _KINDS:
            params[key] = Fixed(value)
    return Move(name, params)


class Answer(Struct, frozen=True, gc=False):
    """The choice of a seat: the move's name and its parameters."""

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
    """A requested roll: the seat, the number of dice and of their sides, and the reason."""

    seat: int
    count: int
    sides: int
    why: str


Moves: TypeAlias = "list[Move] | Callable[[], list[Move]]"
"""Moves, or a function that returns updated moves after a standing offer was accepted."""


Want: TypeAlias = "str | Callable[[], str]"
"""The sentence for the asked seats, or a function that returns an updated one after a standing offer was accepted."""


class Question(Struct):
    """A question of a rulebook, which continues with the answer."""

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
    """The open question; its number is the length of the log when it was opened."""

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
        """Return the same for messages. They are cached, because a question is sent again while others answer it."""
        offers, cached = self.offers(seat), self.wire_moves.get(seat)
        if cached is None or cached[0] is not offers:
            cached = self.wire_moves[seat] = offers, [move.wire() for move in offers]
        return cached[1]

    @property
    def by_chance(self) -> bool:
        """Return whether a shuffle or a pick is open, which people do not see."""
        return self.kind in ("shuffle", "pick")

    def fingerprint(self) -> int:
        """Return a checksum of the questions and the asked seats, in order; never 0."""
        if not self.checksum:
            self.checksum = crc32(to_json((self.kind, self.asked, self.roll, self.pile, self.cards))) or 1
        return self.checksum


class _Sent(Awaitable[T]):
    """A question on its way to the match, which sends the answer of type `T`."""

    def __init__(self, question: Question) -> None:
        self._question = question

    def __await__(self) -> Generator[Question, T, T]:
        return (yield self._question)


async def ask(  # every verb takes the state first
    s: Course, seat: int, moves: Moves, want: Want, others: str = "", *, hidden: bool = False,  # noqa: ARG001
) -> Answer:  # fmt: skip
    """Ask one seat, and return its answer. The last move declines: to pass, to hold, to end the turn.

    `want` is the sentence for that seat, `others` the one for everybody else, in the third person.

    A seat with only one possible answer is not asked, and that answer is returned. Set `hidden` if only the seat itself can know
    that it has no choice: otherwise the missing question would reveal it.
    """
    if not hidden:
        only = moves() if callable(moves) else moves
        if len(only) == 1 and only[0].single():
            return Answer(only[0].name, only[0].first())
    return await _Sent(Question("ask", want, {seat: moves}, others or say("Seat {seat} decides.", seat=seat)))


async def ask_all(  # every verb takes the state first
    s: State[Any, Any], moves: Mapping[int, list[Move]], want: str, others: str = "", *,
    into: str, final: bool = False, known: bool = False, laid: bool = False,
) -> dict[int, Answer]:  # fmt: skip
    """Ask several seats at once, sealed, and return the answers by seat.

    A choice may be changed until the last seat has locked; with `final` it cannot. While sealed, a choice is a secret in the
    field `into` of the seat's state, and `locked` is true. `known`: the choice names cards that lie open on the table. `laid`: it
    names cards that lie face down and are turned over after the last lock; it can be undone then, because people would see a
    wrong choice beside the cards.

    Raise TypeError if the state of a seat lacks one of the two fields.
    """
    if not moves:
        return {}
    for seat in moves:
        record = s.seats[seat]  # a class without slots gets the fields when they are set
        missing = [name for name in (into, "locked") if not hasattr(record, name) and not hasattr(record, "__dict__")]
        if missing:
            raise TypeError(f"a sealed question needs the field {missing[0]} in the state of a seat")
    others = others or say("Players are choosing in secret.")
    return await _Sent(Question("sealed", want, dict(moves), others, into=into, final=final, known=known, laid=laid))


async def roll(  # every verb takes the state first
    s: Course, seat: int, count: int | Callable[[], int], sides: int, why: str, want: str,  # noqa: ARG001
    wants: Wants | None = None, others: str = "",
) -> list[int]:  # fmt: skip
    """Ask `seat` to roll `count` dice of `sides` sides at the table, however many, and return the faces.

    The table reads them in batches. `count` may be a function, which is called again after a standing offer was accepted.
    `wants` is the goal of the roll (`hub.engine.odds`): screens show it with its odds before the roll.
    """
    dice = count if callable(count) else None
    first = count() if callable(count) else count
    others = others or say("Seat {seat} rolls.", seat=seat)
    return await _Sent(Question("roll", want, {}, others, roll=Roll(seat, first, sides, why), dice=dice, wants=wants))


async def roll_or(
    s: Course, seat: int, count: int, sides: int, why: str, want: str, moves: Moves,  # noqa: ARG001
    wants: Wants | None = None, others: str = "",
) -> list[int] | Answer:  # fmt: skip
    """Ask for dice, and return the faces. Before the roll, the roller may make one of `moves` instead."""
    asked, roll = ({seat: moves} if moves else {}), Roll(seat, count, sides, why)
    question = Question("roll", want, asked, others or say("Seat {seat} rolls.", seat=seat), roll=roll, wants=wants)
    return await _Sent(question)


async def shuffle(s: Course, cards: Sequence[T], pile: str) -> list[T]:  # noqa: ARG001 - every verb takes the state first
    """Return the cards in random order. `pile` names the pile for stacks (top card first)."""
    return await _Sent(Question("shuffle", "", {}, pile=pile, cards=list(cards)))


async def pick(s: Course, values: Sequence[T], pile: str) -> T:  # noqa: ARG001 - every verb takes the state first
    """Return a random one of `values`. `pile` names it for stacks."""
    return await _Sent(Question("pick", "", {}, pile=pile, cards=list(values)))


async def starter(s: Course, option: str, seats: Sequence[int], pile: str) -> int:
    """Return the seat in an option if it is one of `seats`, else a random seat."""
    named: int = s.setup.options[option]
    return named if named in seats else await pick(s, list(seats), pile)


def tell(s: Course, text: str, *, rule: str = "", kind: str = "", **data: Json) -> None:
    """Tell the whole table about an event: one sentence, its rule id, and the facts as data (see `reckoned`).

    `text` is a `Text`, or a template with names of facts as placeholders: "Seat {seat} bids {amount}." Money is a number in
    the facts.
    """
    sentence = text if isinstance(text, Text) else say(text, **data)
    facts = {name: fact.values["amount"] if isinstance(fact, Money) else fact for name, fact in data.items()}
    s.new_events.append(Event(sentence, rule, kind, facts, s.round))


Reckoned = TypedDict("Reckoned", {"seat": int, "what": str, "from": int | None, "to": int, "sum": str})


def reckoned(seat: int, what: str, was: int | None, now: int, how: str) -> Reckoned:
    """Return the data of an event about money or points: the fact, its old and new value, and the calculation.

    Screens show it as the answer to "why?".
    """
    return {"seat": seat, "what": what, "from": was, "to": now, "sum": how}


class Won(Exception):
    """The end of a match. `scores` decide about the winner; `why` is one sentence, `rule` the rule id."""

    def __init__(self, winners: Sequence[int], scores: Mapping[int, int], why: str, *, rule: str = "") -> None:
        super().__init__(why)
        self.rule = rule
        self.winners = list(winners)
        self.scores = dict(scores)
        self.why = why
