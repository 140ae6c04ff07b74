"""Secret values, and the masked views of a state.

Everything that is not marked is public. A `Secret` is visible only to the seats that it names, and only in the viewer's own part
of a view (``you``). The other parts, of the table and the seats, are the same for everybody: no screen can show a seat what
another seat may not see.

Views are made after every action, so their code is compiled once for each dataclass (`compile_public_view`,
`compile_own_view`). `tests/engine/test_secret.py` compares it with an interpreter of the same rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cache
from operator import is_
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from hub.engine.event import MatchView, SeatT, State, TableT
from hub.engine.printed import UNKNOWN
from hub.engine.text import Clause, Listing, Money, PersonName, Text

T = TypeVar("T")


class Secret(Struct, Generic[T]):
    """A value that only the seats in `seen_by` may see; by default nobody."""

    value: T
    seen_by: tuple[int, ...] = ()


class Pile(Struct, Generic[T]):
    """Face-down cards, top card first, that nobody may see. A view contains only their number."""

    cards: list[T]

    def __len__(self) -> int:
        return len(self.cards)


_ATOMS: frozenset[object] = frozenset({str, int, bool, type(None), Text, Clause, Listing, Money, PersonName})
"""The types whose values appear unchanged in a view."""


def plain(value: Any) -> Any:
    """Return `value` as everybody may see it: JSON-ready, secrets as None, piles as their size."""
    kind: type = type(value)
    if kind in _ATOMS:
        return value
    if kind is list or kind is tuple:
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    if kind is dict:
        return {str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()}
    if kind is Secret:
        return None
    if kind is Pile:
        return len(value.cards)
    return compile_public_view(kind)(value)


def public(s: State[SeatT, TableT], game: str, waiting: dict[str, object]) -> MatchView:
    """Return the part of a view that is the same for everybody; `waiting` is its last part."""
    seats = {f"{seat}": public_facts(record) for seat, record in s.seats.items()}
    table = public_facts(s.table)
    return {"game": game, "round": s.round, "phase": s.phase, "table": table, "seats": seats, "waiting": waiting}


def public_facts(record: object) -> dict[str, object]:
    """Return the public facts of the table or of a seat."""
    kind: type = record.__class__
    return compile_public_view(kind)(record)


def own(s: State[SeatT, TableT], viewer: int) -> dict[str, object]:
    """Return the part of a view for `viewer` only: the secrets that it may see."""
    facts: dict[str, object] = {}
    for record in (s.table, s.seats[viewer]):
        kind: type = record.__class__
        facts |= compile_own_view(kind)(record, viewer)
    return facts


def view_name(name: str) -> str:
    """Return a field's name in a view: without the underscore that follows a Python keyword, as in `in_`."""
    return name.removesuffix("_")


# --- Views, compiled ---------------------------------------------------------------------------------


@cache
def _facts(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the public fields and properties of a dataclass, and the fields of its owner's part.

    A field of type ``Secret[...]`` is in the owner's part only. A field of type ``Secret[...] | ...`` is in both parts, and None
    in the public one while it is secret. Properties are public.
    """
    ancestors: tuple[type, ...] = kind.__mro__
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} cannot stand in a state: only plain data and dataclasses can.")
    hints = get_type_hints(kind)
    public_facts: list[str] = []
    own_facts: list[str] = []
    for field in fields(kind):
        hint = hints[field.name]
        if get_origin(hint) is Secret:
            own_facts.append(field.name)
            continue
        public_facts.append(field.name)
        if any(get_origin(part) is Secret for part in get_args(hint)):
            own_facts.append(field.name)
    for ancestor in reversed(ancestors):
        public_facts += [name for name, item in vars(ancestor).items() if isinstance(item, property)]
    return tuple(public_facts), tuple(own_facts)


@cache
def compile_public_view(kind: type) -> Callable[[object], dict[str, object]]:
    """Return a function from a value of the dataclass `kind` to its public facts.

    The function is one dictionary display based on the declared types: checking the type of each value takes four times as
    long. The source contains names of our own fields, but never values of a state.
    """
    names = _names_in_scope()
    source = f"lambda record: {_public_display(kind, 'record', names)}"
    view: Callable[[object], dict[str, object]] = eval(source, names)  # noqa: S307 - our own field names
    return view


def _public_display(kind: type, record: str, names: dict[str, object]) -> str:
    """Return Python source for the public facts of the variable `record` of the dataclass `kind`."""
    hints = get_type_hints(kind)
    parts = []
    for name in _facts(kind)[0]:
        fact = getattr(kind, name, None)
        if isinstance(fact, property):  # calling its function is faster than reading the attribute
            hint, getter = get_type_hints(fact.fget)["return"], _new_variable(names)
            names[getter] = fact.fget
            source = f"{getter}({record})"
        else:
            hint, source = hints[name], f"{record}.{name}"
        parts.append(f"{view_name(name)!r}: {_public_expression(hint, source, names)}")
    return f"{{{', '.join(parts)}}}"


@cache
def compile_own_view(kind: type) -> Callable[[object, int], dict[str, object]]:
    """Return a compiled function from a value of the dataclass `kind` and a viewer to the owner's part.

    A secret that `viewer` may not see is None there.
    """
    names = _names_in_scope()
    hints = get_type_hints(kind)
    parts = [
        f"{view_name(name)!r}: {_own_expression(hints[name], f'record.{name}', names)}" for name in _facts(kind)[1]
    ]
    view: Callable[[object, int], dict[str, object]] = eval(f"lambda record, viewer: {{{', '.join(parts)}}}", names)  # noqa: S307 - our own field names
    return view


def _names_in_scope() -> dict[str, object]:
    """Return the global names of a compiled view. Variables are added later."""
    return {"atoms": _ATOMS, "plain": plain, "Secret": Secret}


def _new_variable(names: dict[str, object]) -> str:
    """Return a name that nothing else in the view uses, and reserve it."""
    variable = f"v{len(names)}"
    names[variable] = None
    return variable


def _public_expression(hint: object, source: str, names: dict[str, object]) -> str:
    """Return Python source for the public form of the expression `source` of the declared type `hint`."""
    kinds = get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else (hint,)
    if _ATOMS.issuperset(kinds):
        return source
    variable = _new_variable(names)
    if get_origin(hint) is list:
        item = _public_expression(get_args(hint)[0], variable, names)
        return f"{source}[:]" if item == variable else f"[{item} for {variable} in {source}]"
    if get_origin(hint) is dict:
        item = _public_expression(get_args(hint)[1], variable, names)
        return f"{{f'{{key}}': {item} for key, {variable} in {source}.items()}}"
    if get_origin(hint) is Pile:
        return f"len({source}.cards)"
    if is_dataclass(hint) and isinstance(hint, type) and not hint.__subclasses__():
        if source in names:  # an item of a list or a dictionary: a function call for each would double the cost
            return _public_display(hint, source, names)
        names[variable] = compile_public_view(hint)
        return f"{variable}({source})"
    others = [kind for kind in kinds if get_origin(kind) is not Secret]
    if len(others) < len(kinds) and _ATOMS.issuperset(others):
        return f"(None if type({variable} := {source}) is Secret else {variable})"
    if len(kinds) == 2 and type(None) in kinds:
        (some,) = (kind for kind in kinds if kind is not type(None))
        return f"(None if ({variable} := {source}) is None else {_public_expression(some, variable, names)})"
    return f"({variable} if type({variable} := {source}) in atoms else plain({variable}))"


def _own_expression(hint: object, source: str, names: dict[str, object]) -> str:
    """Return Python source for the part of `source`, a ``Secret[...]`` or a union with it, that `viewer` may see."""
    variable = _new_variable(names)
    kinds = (hint,) if get_origin(hint) is Secret else get_args(hint)
    (inside,) = (get_args(kind)[0] for kind in kinds if get_origin(kind) is Secret)
    value = _public_expression(inside, f"{variable}.value", names)
    if len(kinds) == 1:
        return f"({value} if viewer in ({variable} := {source}).seen_by else None)"
    secret = f"({value} if viewer in {variable}.seen_by else None)"
    return (
        f"({secret} if type({variable} := {source}) is Secret "
        f"else {variable} if type({variable}) in atoms else plain({variable}))"
    )


# --- Values that follow from a secret --------------------------------------------------------------------------


def _is_printed_hand(value: object) -> bool:
    """Return whether a secret is a hand of printed cards. The hub does not know the cards, so reading it reveals nothing."""
    return isinstance(value, list) and UNKNOWN in value


class Watch(Generic[SeatT, TableT]):
    """Detects whether a function of the rules reads a secret. If so, its result is as secret as the hand.

    `state` is a copy of a state; reading a secret in it sets `is_read`. Use it only for functions that change nothing.
    """

    def __init__(self, s: State[SeatT, TableT]) -> None:
        self.is_read = False
        self._copies: dict[int, Any] = {}
        self.state = copy(s)
        self.state.table = self._watch(s.table)
        self.state.seats = {number: self._watch(seat) for number, seat in s.seats.items()}

    def mark_read(self) -> None:
        """Note that a secret was read."""
        self.is_read = True

    def _watch(self, value: T) -> T:
        """Return `value`, or a copy if it contains secrets. Shared objects stay shared."""
        kind: type = type(value)
        if kind in _ATOMS:
            return value
        if id(value) not in self._copies:
            self._copies[id(value)] = self._copy(kind, value)
        copied: T = self._copies[id(value)]
        return copied

    def _copy(self, kind: type, value: Any) -> object:
        if kind is Secret:
            is_printed = _is_printed_hand(value.value)
            return value if is_printed else _WatchedSecret(value.value, value.seen_by, self.mark_read)
        if kind is list or kind is tuple:
            items = [self._watch(item) for item in value]
            return value if all(map(is_, items, value)) else kind(items)
        if kind is dict:
            parts = {key: self._watch(item) for key, item in value.items()}
            return value if all(map(is_, parts.values(), value.values())) else parts
        changed = {}
        for name in _field_names(kind):
            before = getattr(value, name)
            after = self._watch(before)
            if after is not before:
                changed[name] = after
        if not changed:
            return value
        made = copy(value)
        for name, after in changed.items():
            object.__setattr__(made, name, after)  # also of a frozen dataclass
        return made


class _WatchedSecret(Secret[object]):
    """A secret of a `Watch`, which reports reads of its value."""

    mark_read: Callable[[], None] | None = None

    def __getattribute__(self, name: str) -> object:
        if name == "value":
            super().__getattribute__("mark_read")()
        return super().__getattribute__(name)


# --- Hidden values ----------------------------------------------------------------------------------


def hidden(s: State[SeatT, TableT], sealed: str = "") -> dict[int, Counter[str]]:
    """Return for each seat the counts of all values that it may not see. A reveal reduces them.

    `sealed` names the field of the seats with choices that are still sealed; those are left out. A printed card is not secret:
    the hub does not know it, and people may correct a wrong one.
    """
    found: dict[int, Counter[str]] = {viewer: Counter() for viewer in s.seats}
    for record in (s.table, *s.seats.values()):
        kind: type = record.__class__
        for name in _field_names(kind):
            if name != sealed or record is s.table:
                for value, seen_by in _secrets(getattr(record, name)):
                    if value == UNKNOWN:
                        continue
                    text = repr(value)
                    for viewer, counts in found.items():
                        if viewer not in seen_by:
                            counts[text] += 1
    return found


def _secrets(value: Any) -> Iterator[tuple[object, tuple[int, ...]]]:
    """Yield every single secret value in `value`, and the seats that may see it."""
    kind: type = type(value)
    if kind in _ATOMS:
        return
    if kind is Secret:
        single = value.value if isinstance(value.value, list | tuple) else [] if value.value is None else [value.value]
        for item in single:
            yield item, value.seen_by
    elif kind is Pile:
        for card in value.cards:
            yield card, ()
    elif kind is list or kind is tuple:
        for item in value:
            yield from _secrets(item)
    elif kind is dict:
        for item in value.values():
            yield from _secrets(item)
    else:
        for name in _field_names(kind):
            yield from _secrets(getattr(value, name))


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
