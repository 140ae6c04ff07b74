"""Secrecy belongs to the value: `Secret`, `Pile`, and the one function that masks a state.

What is not marked is public. A `Secret` is seen by nobody unless it says so, and only in the part of
the view that is the viewer's own (``you``): the parts that tell of the table and the seats are the same
for everybody, so no screen can show one seat what another may not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Struct

from hub.engine.event import State

T = TypeVar("T")


class Secret(Struct, Generic[T]):
    """A value that only the seats in `seen_by` may see."""

    value: T
    seen_by: tuple[int, ...] = ()


class Pile(Struct, Generic[T]):
    """Face-down cards, top card first, that nobody may look into: a view tells only how many."""

    cards: list[T]

    def __len__(self) -> int:
        return len(self.cards)


_ATOMS: frozenset[Any] = frozenset({str, int, bool, type(None)})


def plain(value: Any) -> Any:
    """`value` as everybody may see it: JSON-ready, secrets as None, piles as their size."""
    kind: Any = type(value)
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
    return _public(kind)(value)


def shown_as(name: str) -> str:
    """A fact's name in a view: a word of Python's, such as `in`, is a field with an underscore behind it."""
    return name.removesuffix("_")


@cache
def _names(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The facts of a dataclass that everybody is told, and those that stand in their owner's part.

    A field declared ``Secret[...]`` is in the owner's part only; one declared ``Secret[...] | ...``
    is in both: None for the others as long as it is secret. Properties are facts like fields.
    """
    ancestors: tuple[type, ...] = kind.__mro__
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} cannot stand in a state: only plain data and dataclasses can.")
    hints = get_type_hints(kind)
    told: list[str] = []
    owned: list[str] = []
    for field in fields(kind):
        hint = hints[field.name]
        if get_origin(hint) is Secret:
            owned.append(field.name)
            continue
        told.append(field.name)
        if any(get_origin(part) is Secret for part in get_args(hint)):
            owned.append(field.name)
    for ancestor in reversed(ancestors):
        told += [name for name, item in vars(ancestor).items() if isinstance(item, property)]
    return tuple(told), tuple(owned)


@cache
def _public(kind: Any) -> Callable[[Any], dict[str, Any]]:
    """A function that tells the public facts of one kind of dataclass.

    It is written out as one dictionary display and compiled once, after the declared types: the public
    view is made after every action, and asking each value for its type takes four times as long.
    """
    known: dict[str, Any] = {"atoms": _ATOMS, "plain": plain, "Secret": Secret}
    hints = get_type_hints(kind)
    told = []
    for name in _names(kind)[0]:
        fact = getattr(kind, name, None)
        hint = get_type_hints(fact.fget).get("return", Any) if isinstance(fact, property) else hints[name]
        told.append(f"{shown_as(name)!r}: {_told(hint, f'o.{name}', known)}")
    made: Callable[[Any], dict[str, Any]] = eval(f"lambda o: {{{', '.join(told)}}}", known)  # noqa: S307 - our own field names
    return made


@cache
def _owned(kind: Any) -> Callable[[Any, int], dict[str, Any]]:
    """A function that tells an owner's part of one kind of dataclass, compiled likewise."""
    known: dict[str, Any] = {"atoms": _ATOMS, "plain": plain, "Secret": Secret}
    hints = get_type_hints(kind)
    told = [f"{shown_as(name)!r}: {_opened(hints[name], f'o.{name}', known)}" for name in _names(kind)[1]]
    made: Callable[[Any, int], dict[str, Any]] = eval(f"lambda o, viewer: {{{', '.join(told)}}}", known)  # noqa: S307 - our own field names
    return made


def _opened(hint: Any, here: str, known: dict[str, Any]) -> str:
    """How what stands `here` is told to `viewer`, secret or not: an expression like that of `_told`."""
    var = f"v{len(known)}"
    known[var] = None
    kinds = (hint,) if get_origin(hint) is Secret else get_args(hint)
    (inside,) = (get_args(kind)[0] for kind in kinds if get_origin(kind) is Secret)
    value = _told(inside, f"{var}.value", known)
    if len(kinds) == 1:
        return f"({value} if viewer in ({var} := {here}).seen_by else None)"
    seen = f"({value} if viewer in {var}.seen_by else None)"
    return f"({seen} if type({var} := {here}) is Secret else {var} if type({var}) in atoms else plain({var}))"


def _told(hint: Any, here: str, known: dict[str, Any]) -> str:
    """How the value that stands `here`, declared as `hint`, is told: an expression over the names `known`."""
    kinds = get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else (hint,)
    if _ATOMS.issuperset(kinds):
        return here
    var = f"v{len(known)}"
    known[var] = None  # taken: an inner expression uses another name
    if get_origin(hint) is list:
        item = _told(get_args(hint)[0], var, known)
        return f"{here}[:]" if item == var else f"[{item} for {var} in {here}]"
    if get_origin(hint) is dict:
        return f"{{str(key): {_told(get_args(hint)[1], var, known)} for key, {var} in {here}.items()}}"
    if get_origin(hint) is Pile:
        return f"len({here}.cards)"
    if is_dataclass(hint) and isinstance(hint, type) and not hint.__subclasses__():
        known[var] = _public(hint)
        return f"{var}({here})"
    rest = [kind for kind in kinds if get_origin(kind) is not Secret]
    if len(rest) < len(kinds) and _ATOMS.issuperset(rest):
        return f"(None if type({var} := {here}) is Secret else {var})"
    if len(kinds) == 2 and type(None) in kinds:
        (some,) = (kind for kind in kinds if kind is not type(None))
        return f"(None if ({var} := {here}) is None else {_told(some, var, known)})"
    return f"({var} if type({var} := {here}) in atoms else plain({var}))"


def public(s: State[Any, Any], game: str) -> dict[str, Any]:
    """The part of a view that is the same for everybody."""
    table, seats = s.table, {}
    for seat, record in s.seats.items():
        seats[f"{seat}"] = _public(record.__class__)(record)
    return {"game": game, "round": s.round, "phase": s.phase, "table": _public(table.__class__)(table), "seats": seats}


def own(s: State[Any, Any], viewer: int) -> dict[str, Any]:
    """The part of a view that only `viewer` gets: the secrets it may see."""
    table, seat = s.table, s.seats[viewer]
    return {**_owned(table.__class__)(table, viewer), **_owned(seat.__class__)(seat, viewer)}


def hidden(s: State[Any, Any], sealed: str = "") -> dict[int, Counter[str]]:
    """For each seat every single value that it may not see, counted: what a reveal would make fewer.

    `sealed` names the field of the seats that holds choices which are still sealed: those are left out.
    """
    found: dict[int, Counter[str]] = {viewer: Counter() for viewer in s.seats}
    for part in (s.table, *s.seats.values()):
        for name in _fields(part.__class__):
            if name != sealed or part is s.table:
                for value, seen_by in _covered(getattr(part, name)):
                    told = repr(value)
                    for viewer, its in found.items():
                        if viewer not in seen_by:
                            its[told] += 1
    return found


def _covered(value: Any) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Every single value in `value` that is secret, and who may see it."""
    kind: Any = type(value)
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
            yield from _covered(item)
    elif kind is dict:
        for item in value.values():
            yield from _covered(item)
    else:
        for name in _fields(kind):
            yield from _covered(getattr(value, name))


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
