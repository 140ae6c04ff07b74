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
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

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


_ATOMS = frozenset({str, int, bool, type(None)})


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

    It is written out as one dictionary display and compiled once: the public view is made after
    every action, and a loop over field names takes three times as long.
    """
    told, _ = _names(kind)
    items = ", ".join(f"{name!r}: v if type(v := o.{name}) in atoms else plain(v)" for name in told)
    made: Callable[[Any], dict[str, Any]] = eval(  # noqa: S307 - the names are our own dataclasses' fields
        f"lambda o: {{{items}}}", {"atoms": _ATOMS, "plain": plain}
    )
    return made


def public(s: State[Any, Any]) -> dict[str, Any]:
    """The part of a view that is the same for everybody."""
    return {
        "round": s.round,
        "phase": s.phase,
        "table": plain(s.table),
        "seats": {str(seat): plain(own) for seat, own in s.seats.items()},
    }


def own(s: State[Any, Any], viewer: int) -> dict[str, Any]:
    """The part of a view that only `viewer` gets: the secrets it may see."""
    told: dict[str, Any] = {}
    for part in (s.table, s.seats[viewer]):
        kind: Any = type(part)
        for name in _names(kind)[1]:
            value = getattr(part, name)
            if type(value) is not Secret:
                told[name] = plain(value)
            elif viewer in value.seen_by:
                told[name] = plain(value.value)
            else:
                told[name] = None
    return told


def hidden(s: State[Any, Any], viewer: int) -> Counter[str]:
    """Every single value that `viewer` may not see, counted: what a reveal would make fewer."""
    found: Counter[str] = Counter()
    for part in (s.table, *s.seats.values()):
        for value in _covered(part, viewer):
            found[repr(value)] += 1
    return found


def _covered(value: Any, viewer: int) -> Iterator[Any]:
    if isinstance(value, Secret):
        if viewer not in value.seen_by:
            yield from _single(value.value)
    elif isinstance(value, Pile):
        yield from value.cards
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _covered(item, viewer)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _covered(item, viewer)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _covered(getattr(value, field.name), viewer)


def _single(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        yield from value
    elif value is not None:
        yield value
