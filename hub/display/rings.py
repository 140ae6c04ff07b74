"""The ring of 16 lamps at each seat: public state to pattern, and pattern to lamps.

Lamp 0 is at the player's side, the others follow clockwise. Every pattern is told apart by place,
brightness and rhythm alone; the colour only repeats whose seat it is. Nothing is faster than 3 Hz.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hub.display.facts import asked_seats
from hub.display.labels import Words, found, part
from hub.ports import SEAT_MARKS, LampPicture, Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

LAMPS = 16
REVEAL_SECONDS = 0.3

Colour = tuple[int, int, int]
Look = tuple[Pattern, int]

_AMBER: Colour = (255, 140, 0)
_WHITE: Colour = (255, 255, 255)
_STILL: Look = ("waiting", 0)


# --- public state to pattern -----------------------------------------------------------------------


def rings(state: Mapping[str, Any], words: Words | None) -> dict[int, LampPicture]:
    """What each seat's ring shows. The input is the public state, so no ring can show a secret.

    Beside the facts that every public state has it reads, where they are there, `nudged` and
    `claiming` (lists of seats), `dispute` (a vote on a roll) and `last_orders` (true); and of the words' `[screen]` the paths
    `ring` (a seat's public number, or the table's numbers by seat), `out` (a seat's flag), `leader` (the
    table's high bidder), `caller` (who called the bid), `pulse` (a number above 1 makes both pulse so
    often) and `inside` (the table's list of seats still in an auction); and of a phase `order` and `past`
    (the table's lists of seats in the order in which they act, and of those who have acted).
    """
    shown = {}
    for one in state.get("seats") or ():
        seat = int(one["seat"])
        pattern, n = _look(seat, one, state, words)
        shown[seat] = LampPicture(pattern, n, SEAT_MARKS[seat].colour)
    return shown


def _look(seat: int, one: Mapping[str, Any], state: Mapping[str, Any], words: Words | None) -> Look:
    view = state.get("view") or {}
    if (vote := state.get("dispute") or {}).get("stage") == "vote" and str(seat) in (view.get("seats") or {}):
        return ("locked" if seat in (*vote["yes"], *vote["no"]) else "claim", 0)  # both ask for a push or the bar
    if state.get("state") in ("playing", "stopped") and str(seat) in (view.get("seats") or {}):
        if all_locked(state):
            return ("reveal", 0)
        asked = seat in asked_seats(state)
        # A sleeping phone is the normal case, not a lost one: only a silent box is shown as lost,
        # and not where it would hide the call from a player whose phone is there.
        lost: Look | None = (
            ("lost", 0) if one.get("box") == "lost" and not (asked and one.get("phone") == "on") else None
        )
        return _dice(seat, state) or lost or _asked(seat, state) or _standing(seat, view, words) or _quiet(state)
    if state.get("state") == "over" and seat in ((state.get("over") or {}).get("winners") or ()):
        return ("winner", 0)
    if seat in (state.get("claiming") or ()):
        return ("claim", 0)
    if one.get("box") == "lost":
        return ("lost", 0)
    if not one.get("held"):
        return ("off", 0) if state.get("state") in ("playing", "stopped") else ("attract", 0)
    if state.get("state") == "lobby" and one.get("ready"):
        return ("locked", 0)
    return _quiet(state)


def all_locked(state: Mapping[str, Any]) -> bool:
    """Whether the last seat has locked and the values are about to be told."""
    secret = ((state.get("view") or {}).get("waiting") or {}).get("secret")
    asked = asked_seats(state)
    return bool(secret and asked) and set(asked) <= set(state.get("locked") or ())


def _dice(seat: int, state: Mapping[str, Any]) -> Look | None:
    dice = state.get("dice") or {}
    if not dice:
        roll = ((state.get("view") or {}).get("waiting") or {}).get("roll") or {}
        return ("roll", 0) if roll.get("seat") == seat else None
    if dice.get("seat") != seat:
        return None
    match dice.get("state"):
        case "armed" | "rolling" if dice.get("again"):
            return ("dice_trouble", 0)
        case "armed":
            return ("roll", 0)
        case "rolling":
            return ("rolling", 0)
        case "settled" | "typed":
            return _number(dice.get("total", sum(dice.get("faces") or ())))
        case _:
            return ("dice_trouble", 0)


def _asked(seat: int, state: Mapping[str, Any]) -> Look | None:
    if seat not in asked_seats(state):
        return None
    if seat in (state.get("locked") or ()):
        return ("locked", 0)
    if seat in (state.get("nudged") or ()):
        return ("nudge", 0)
    return ("choosing", 0) if state["view"]["waiting"].get("secret") else ("turn", 0)


def _standing(seat: int, view: Mapping[str, Any], words: Words | None) -> Look | None:
    """Where the seat stands while others act: leading, out, or with a public number."""
    screen = part(words, "screen")
    facts = view["seats"][str(seat)]
    if placed := _placed(seat, view, part(words, "screen", "phase", str(view.get("phase")))):
        return placed
    for role in ("leader", "caller"):
        if screen.get(role) and found(view, screen[role]) == seat:
            return (role, _pulses(view, screen))
    inside = found(view, screen["inside"]) if screen.get("inside") else None
    if facts.get(screen.get("out", "out")) is True or (isinstance(inside, list) and seat not in inside):
        return ("out", 0)
    if not screen.get("ring"):
        return None
    by_seat = found(view, screen["ring"]) if "." in screen["ring"] else None
    return _number(by_seat.get(str(seat)) if isinstance(by_seat, Mapping) else facts.get(screen["ring"]))


def _pulses(view: Mapping[str, Any], screen: Mapping[str, Any]) -> int:
    """How often a doubled bid pulses."""
    stake = found(view, screen["pulse"]) if screen.get("pulse") else None
    return stake if type(stake) is int and 1 < stake <= LAMPS else 0


def _placed(seat: int, view: Mapping[str, Any], phase: Mapping[str, Any]) -> Look | None:
    """Where seats act in an order: the first one's ring is full, the last one's has the fewest lamps; hollow is past."""
    order, past = (found(view, str(phase.get(path) or "")) for path in ("order", "past"))
    if isinstance(past, list) and seat in past:
        return ("choosing", 0)
    if not isinstance(order, list) or seat not in order:
        return None
    return ("number", LAMPS * (len(order) - order.index(seat)) // len(order))


def _number(value: Any) -> Look | None:
    """A public number as lamps; more than 16 are left to the panels rather than shown wrong."""
    return ("number", value) if type(value) is int and 0 < value <= LAMPS else None


def _quiet(state: Mapping[str, Any]) -> Look:
    return ("last_orders", 0) if state.get("last_orders") else _STILL


# --- pattern to lamps --------------------------------------------------------------------------------

_LEFT = (3, 4, 5)
_RIGHT = (11, 12, 13)
_EIGHT, _FOUR = 3, 13  # where 8 and 4 o'clock lie when the player sits at 6
_HALF = (12, 13, 14, 15, 0, 1, 2, 3, 4)
_FAR = (6, 7, 8, 9, 10)
_ARCS = (14, 15, 0, 1, 2, 6, 7, 8, 9, 10)


def frame(picture: LampPicture, t: float) -> list[Colour]:
    """The 16 lamps of a picture, `t` seconds after it came to the ring."""
    own = _rgb(picture.colour)
    if picture.pattern in _COUNTING_FRAMES:
        return _COUNTING_FRAMES[picture.pattern](t, own, picture.n)
    if picture.pattern in _STILL_FRAMES:
        return _STILL_FRAMES[picture.pattern](own)
    return _MOVING_FRAMES[picture.pattern](t, own)


def moves(picture: LampPicture) -> bool:
    """Whether the lamps of a picture change by themselves."""
    return picture.pattern == "number" or picture.pattern in _MOVING_FRAMES


def _rgb(text: str) -> Colour:
    return (int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16))


def _dim(own: Colour, level: float) -> Colour:
    return (round(own[0] * level), round(own[1] * level), round(own[2] * level))


def _wave(t: float, hertz: float) -> float:
    """0 to 1 and back, `hertz` times a second, from 0."""
    return 0.5 - 0.5 * math.cos(2 * math.pi * hertz * t)


def _lit(lamps: Mapping[int, Colour]) -> list[Colour]:
    return [lamps.get(place, (0, 0, 0)) for place in range(LAMPS)]


def _all(own: Colour, level: float) -> list[Colour]:
    return [_dim(own, level)] * LAMPS


def _off(own: Colour) -> list[Colour]:
    """Dark."""
    return _all(own, 0)


def _waiting(own: Colour) -> list[Colour]:
    """The whole ring at a quarter."""
    return _all(own, 0.25)


def _choosing(own: Colour) -> list[Colour]:
    """Hollow: every second lamp."""
    return _lit(dict.fromkeys(range(0, LAMPS, 2), _dim(own, 0.6)))


def _locked(own: Colour) -> list[Colour]:
    """The whole ring."""
    return _all(own, 1)


def _leader(t: float, own: Colour, n: int) -> list[Colour]:
    """The whole ring with one white crown at the player."""
    return [_WHITE, *_all(own, 0.5 * _pulsed(t, n))[1:]]


def _caller(t: float, own: Colour, n: int) -> list[Colour]:
    """Two opposite arcs, at the player and across: one who stands against another."""
    return _lit(dict.fromkeys(_ARCS, _dim(own, _pulsed(t, n))))


def _pulsed(t: float, n: int) -> float:
    """Full light; before it `n` pulses of a second each."""
    return 1 - 0.8 * _wave(t, 1) if t < n else 1.0


def _out(own: Colour) -> list[Colour]:
    """One lamp at the player."""
    return _lit({0: _dim(own, 0.3)})


def _dice_trouble(_: Colour) -> list[Colour]:
    """Two amber bars, left and right."""
    return _lit(dict.fromkeys(_LEFT + _RIGHT, _AMBER))


def _last_orders(own: Colour) -> list[Colour]:
    """As `waiting`, with the far quarter amber."""
    return [_AMBER if place in _FAR else _dim(own, 0.25) for place in range(LAMPS)]


def _attract(t: float, own: Colour) -> list[Colour]:
    """One dim lamp walks, six seconds a turn."""
    return _lit({int(t / 6 * LAMPS) % LAMPS: _dim(own, 0.2)})


def _claim(t: float, own: Colour) -> list[Colour]:
    """Two opposite lamps pulse once a second."""
    lamp = _dim(own, 0.1 + 0.9 * _wave(t, 1))
    return _lit({0: lamp, LAMPS // 2: lamp})


def _turn(t: float, own: Colour) -> list[Colour]:
    """The half that faces the player breathes, one breath in two seconds."""
    return _lit(dict.fromkeys(_HALF, _dim(own, 0.2 + 0.8 * _wave(t, 0.5))))


def _nudge(t: float, own: Colour) -> list[Colour]:
    """As `turn`, and a white lamp sweeps round in two seconds."""
    lamps = _turn(t, own)
    lamps[int(t / 2 * LAMPS) % LAMPS] = _WHITE
    return lamps


def _reveal(t: float, own: Colour) -> list[Colour]:
    """The ring fills from both sides of the player within 300 ms."""
    reach = min(1.0, max(0.0, t) / REVEAL_SECONDS) * (LAMPS // 2)
    return [own if min(place, LAMPS - place) <= reach else (0, 0, 0) for place in range(LAMPS)]


def _counted(t: float, own: Colour, n: int) -> list[Colour]:
    """So many lamps from the player clockwise; the last beats slowly, so that 1 is not `out` and 16 not `locked`."""
    lamps = dict.fromkeys(range(min(n, LAMPS)), own)
    if lamps:
        lamps[len(lamps) - 1] = _dim(own, 0.3 + 0.7 * _wave(t + 0.5, 1))
    return _lit(lamps)


def _comet(t: float, own: Colour, hertz: float) -> list[Colour]:
    head = int(t * hertz * LAMPS)
    return _lit({(head - tail) % LAMPS: _dim(own, level) for tail, level in ((2, 0.15), (1, 0.4), (0, 1.0))})


def _roll(t: float, own: Colour) -> list[Colour]:
    """A comet of three lamps circles once a second."""
    return _comet(t, own, 1)


def _rolling(t: float, own: Colour) -> list[Colour]:
    """The comet at twice the speed."""
    return _comet(t, own, 2)


def _lost(t: float, own: Colour) -> list[Colour]:
    """One lamp at 8 o'clock and one at 4 take turns, a second each."""
    return _lit({_EIGHT if int(t) % 2 == 0 else _FOUR: own})


def _winner(t: float, own: Colour) -> list[Colour]:
    """The whole ring; the white crown walks round it, four seconds a turn."""
    lamps = _all(own, 0.5)
    lamps[int(t / 4 * LAMPS) % LAMPS] = _WHITE
    return lamps


_STILL_FRAMES: Mapping[Pattern, Callable[[Colour], list[Colour]]] = {
    "off": _off, "waiting": _waiting, "choosing": _choosing, "locked": _locked, "out": _out,
    "dice_trouble": _dice_trouble, "last_orders": _last_orders,
}  # fmt: skip

_COUNTING_FRAMES: Mapping[Pattern, Callable[[float, Colour, int], list[Colour]]] = {
    "number": _counted, "leader": _leader, "caller": _caller,
}  # fmt: skip

_MOVING_FRAMES: Mapping[Pattern, Callable[[float, Colour], list[Colour]]] = {
    "attract": _attract, "claim": _claim, "turn": _turn, "nudge": _nudge, "reveal": _reveal, "roll": _roll,
    "rolling": _rolling, "lost": _lost, "winner": _winner,
}  # fmt: skip
