"""The ring of 16 lamps at each seat: public state to pattern, and pattern to lamps.

Lamp 0 is at the player's side; the others follow clockwise. Patterns differ in position, brightness and rhythm, so that
color is not needed: it only repeats the color of the seat. No light changes faster than 3 Hz.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from hub.display.facts import asked_seats, view_values
from hub.display.labels import NO_LABELS, value_at
from hub.engine.labels import Labels, PhaseLabels
from hub.ports import SEAT_MARKS, LampPicture, Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from hub.state import PublicSeat, PublicState, View

LAMPS = 16
REVEAL_SECONDS = 0.3

Colour = tuple[int, int, int]
Look = tuple[Pattern, int]

_AMBER: Colour = (255, 140, 0)
_WHITE: Colour = (255, 255, 255)
_STILL: Look = ("waiting", 0)


# --- public state to pattern -----------------------------------------------------------------------


def rings(state: PublicState, labels: Labels | None, *, revealing: bool = False) -> dict[int, LampPicture]:
    """Return the picture of each seat's ring, by seat. The input is the public state, so no ring can show a secret.

    During a reveal (`revealing`), the rings of playing seats show only that. The labels' `[screen]` has these paths:

    - `ring`: a seat's public number, or the table's numbers by seat.
    - `out`: a flag of the seat.
    - `leader`, `caller`: the table's high bidder, and the seat that called the bid.
    - `pulse`: a number above 1 makes `leader` and `caller` pulse that many times.
    - `inside`: the table's list of seats still in an auction.
    - Per phase, `order` and `past`: the table's lists of seats in the order in which they act, and of those that have acted.
    """
    asked = asked_seats(state)
    standing = _standing(state.view, labels or NO_LABELS) if state.view else None
    return {
        one.seat: LampPicture(*_look(one, state, asked, standing, revealing), SEAT_MARKS[one.seat].colour)
        for one in state.seats
    }


def dimmed(colour: str, light: int) -> str:
    """Return a color (rrggbb) at `light` percent, in which all drivers and boxes draw the patterns."""
    return "".join(f"{round(int(colour[at : at + 2], 16) * light / 100):02x}" for at in (0, 2, 4))


def _look(one: PublicSeat, state: PublicState, asked: list[int], standing: _Standing | None, revealing: bool) -> Look:
    seat, dispute = one.seat, state.dispute
    if seat in state.claiming:  # most important, because the player at the seat must see it
        return ("claim", 0)
    view = state.view if state.view and str(seat) in state.view.seats else None  # None if the seat does not play
    if view and dispute and dispute.stage == "vote":
        return ("locked" if seat in (*dispute.yes, *dispute.no) else "claim", 0)  # both ask for a push or the bar
    if view and revealing:
        return ("reveal", 0)
    in_play = state.state in ("playing", "stopped")
    if in_play and view and standing:
        return _look_in_play(one, state, view, asked, standing)
    if state.state == "over" and state.over and seat in state.over.winners:
        return ("winner", 0)
    if one.box == "lost":
        return ("lost", 0)
    if not one.held:
        return ("off", 0) if in_play else ("attract", 0)
    return ("locked", 0) if state.state == "lobby" and one.ready else _STILL


def _look_in_play(one: PublicSeat, state: PublicState, view: View, asked: list[int], standing: _Standing) -> Look:
    if view.waiting.secret and asked and set(asked) <= set(state.locked):  # the values are about to be revealed
        return ("reveal", 0)
    if any(notice.key == "idle" for notice in state.notices):  # present players can continue, or the match is suspended
        return ("nudge", 0)
    # Phones usually sleep, so only a silent box is shown as lost, unless that would hide the call from a player whose phone
    # is on.
    called = one.seat in asked and one.phone == "on"
    lost: Look | None = ("lost", 0) if one.box == "lost" and not called else None
    return (
        _dice(one.seat, state)
        or lost
        or (_asked(one.seat, state, view) if one.seat in asked else None)
        or _position(one.seat, view, standing)
        or _STILL
    )


def _dice(seat: int, state: PublicState) -> Look | None:
    dice = state.dice
    if dice is None:
        roll = state.view.waiting.roll if state.view else None
        return ("roll", 0) if roll and roll.seat == seat else None
    if dice.seat != seat:
        return None
    match dice.state:
        case "armed" | "rolling" if dice.again:
            return ("dice_trouble", 0)
        case "armed":
            return ("roll", 0)
        case "rolling":
            return ("rolling", 0)
        case "settled" | "typed":
            return _number(dice.total)
        case _:
            return ("dice_trouble", 0)


def _asked(seat: int, state: PublicState, view: View) -> Look:
    if seat in state.locked:
        return ("locked", 0)
    if seat in state.nudged:
        return ("nudge", 0)
    return ("choosing", 0) if view.waiting.secret else ("turn", 0)


class _Standing(NamedTuple):
    """The positions of seats while others act, read from a view by the labels, once for all rings."""

    order: object  # the list of seats in the order in which they act, if the phase has one
    past: object  # the list of seats that have acted
    roles: list[tuple[Pattern, object]]  # each with the seat that has it
    pulses: int
    inside: object  # the list of seats still in an auction
    out: str  # the name of a seat's flag
    numbers: object  # the table's numbers by seat
    number: str  # the name of a seat's own number


def _standing(view: View, labels: Labels) -> _Standing:
    screen, values = labels.screen, view_values(view)
    phase = screen.phase.get(view.phase, PhaseLabels())

    def at(path: str) -> object:
        return value_at(values, path) if path else None

    ring, stake = screen.ring, at(screen.pulse)
    return _Standing(
        order=at(phase.order),
        past=at(phase.past),
        roles=[("leader", at(screen.leader)), ("caller", at(screen.caller))],
        pulses=stake if type(stake) is int and 1 < stake <= LAMPS else 0,
        inside=at(screen.inside),
        out=screen.out,
        numbers=at(ring) if "." in ring else None,
        number=ring,
    )


def _position(seat: int, view: View, standing: _Standing) -> Look | None:
    """Return the look of a seat while others act: leading, out, or with a public number."""
    if ordered := _in_order(seat, standing.order, standing.past):
        return ordered
    for role, whose in standing.roles:
        if whose == seat:
            return (role, standing.pulses)
    facts, inside = view.seats[str(seat)], standing.inside
    if facts.get(standing.out) is True or (isinstance(inside, list) and seat not in inside):
        return ("out", 0)
    if isinstance(standing.numbers, Mapping):
        return _number(standing.numbers.get(str(seat)))
    return _number(facts.get(standing.number))


def _in_order(seat: int, order: object, past: object) -> Look | None:
    """Return a seat's look if seats act in an order: full for the first, fewest lamps for the last, hollow after acting."""
    if isinstance(past, list) and seat in past:
        return ("choosing", 0)
    if not isinstance(order, list) or seat not in order:
        return None
    return ("number", LAMPS * (len(order) - order.index(seat)) // len(order))


def _number(value: object) -> Look | None:
    """Return a public number as lamps. Numbers above 16 are only shown on panels."""
    return ("number", value) if type(value) is int and 0 < value <= LAMPS else None


# --- pattern to lamps --------------------------------------------------------------------------------

_LEFT = (3, 4, 5)
_RIGHT = (11, 12, 13)
_EIGHT, _FOUR = 3, 13  # 8 and 4 o'clock, with the player at 6 o'clock
_HALF = (12, 13, 14, 15, 0, 1, 2, 3, 4)
_ARCS = (14, 15, 0, 1, 2, 6, 7, 8, 9, 10)


def frame(picture: LampPicture, t: float) -> list[Colour]:
    """Return the 16 lamps of a picture as red, green and blue from 0 to 255, `t` seconds after it was set."""
    own = _rgb(picture.colour)
    if picture.pattern in _COUNTING_FRAMES:
        return _COUNTING_FRAMES[picture.pattern](t, own, picture.n)
    if picture.pattern in _STILL_FRAMES:
        return _STILL_FRAMES[picture.pattern](own)
    return _MOVING_FRAMES[picture.pattern](t, own)


def moves(picture: LampPicture) -> bool:
    """Return whether the lamps of a picture change by themselves."""
    return picture.pattern == "number" or picture.pattern in _MOVING_FRAMES


def _rgb(text: str) -> Colour:
    return (int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16))


def _dim(own: Colour, level: float) -> Colour:
    return (round(own[0] * level), round(own[1] * level), round(own[2] * level))


def _wave(t: float, hertz: float) -> float:
    """Return a level that oscillates from 0 to 1 and back, `hertz` times per second."""
    return 0.5 - 0.5 * math.cos(2 * math.pi * hertz * t)


def _lit(lamps: Mapping[int, Colour]) -> list[Colour]:
    return [lamps.get(lamp, (0, 0, 0)) for lamp in range(LAMPS)]


def _all(own: Colour, level: float) -> list[Colour]:
    return [_dim(own, level)] * LAMPS


def _off(own: Colour) -> list[Colour]:
    """Light nothing."""
    return _all(own, 0)


def _waiting(own: Colour) -> list[Colour]:
    """Light the whole ring at a quarter."""
    return _all(own, 0.25)


def _choosing(own: Colour) -> list[Colour]:
    """Light every second lamp: a hollow ring."""
    return _lit(dict.fromkeys(range(0, LAMPS, 2), _dim(own, 0.6)))


def _locked(own: Colour) -> list[Colour]:
    """Light the whole ring."""
    return _all(own, 1)


def _leader(t: float, own: Colour, n: int) -> list[Colour]:
    """Light the whole ring with one white crown at the player."""
    return [_WHITE, *_all(own, 0.5 * _pulsed(t, n))[1:]]


def _caller(t: float, own: Colour, n: int) -> list[Colour]:
    """Light two opposite arcs, at the player and across: a challenge to another seat."""
    return _lit(dict.fromkeys(_ARCS, _dim(own, _pulsed(t, n))))


def _pulsed(t: float, n: int) -> float:
    """Return the level of `n` pulses of one second each, then full light."""
    return 1 - 0.8 * _wave(t, 1) if t < n else 1.0


def _out(own: Colour) -> list[Colour]:
    """Light one lamp at the player."""
    return _lit({0: _dim(own, 0.3)})


def _dice_trouble(_: Colour) -> list[Colour]:
    """Light two amber bars, left and right."""
    return _lit(dict.fromkeys(_LEFT + _RIGHT, _AMBER))


def _attract(t: float, own: Colour) -> list[Colour]:
    """Let one dim lamp walk, six seconds a turn."""
    return _lit({int(t / 6 * LAMPS) % LAMPS: _dim(own, 0.2)})


def _claim(t: float, own: Colour) -> list[Colour]:
    """Let two opposite lamps pulse once a second."""
    lamp = _dim(own, 0.1 + 0.9 * _wave(t, 1))
    return _lit({0: lamp, LAMPS // 2: lamp})


def _turn(t: float, own: Colour) -> list[Colour]:
    """Let the half that faces the player rise and fall, once in two seconds."""
    return _lit(dict.fromkeys(_HALF, _dim(own, 0.2 + 0.8 * _wave(t, 0.5))))


def _nudge(t: float, own: Colour) -> list[Colour]:
    """Light the ring as `turn`, and let a white lamp go round in two seconds."""
    lamps = _turn(t, own)
    lamps[int(t / 2 * LAMPS) % LAMPS] = _WHITE
    return lamps


def _reveal(t: float, own: Colour) -> list[Colour]:
    """Fill the ring from both sides of the player within 300 ms."""
    reach = min(1.0, max(0.0, t) / REVEAL_SECONDS) * (LAMPS // 2)
    return [own if min(lamp, LAMPS - lamp) <= reach else (0, 0, 0) for lamp in range(LAMPS)]


def _counted(t: float, own: Colour, n: int) -> list[Colour]:
    """Light `n` lamps from the player clockwise; the last pulses slowly, so that 1 is not `out` and 16 not `locked`."""
    lamps = dict.fromkeys(range(min(n, LAMPS)), own)
    if lamps:
        lamps[len(lamps) - 1] = _dim(own, 0.3 + 0.7 * _wave(t + 0.5, 1))
    return _lit(lamps)


def _comet(t: float, own: Colour, hertz: float) -> list[Colour]:
    head = int(t * hertz * LAMPS)
    return _lit({(head - tail) % LAMPS: _dim(own, level) for tail, level in ((2, 0.15), (1, 0.4), (0, 1.0))})


def _roll(t: float, own: Colour) -> list[Colour]:
    """Let a comet of three lamps circle once a second."""
    return _comet(t, own, 1)


def _rolling(t: float, own: Colour) -> list[Colour]:
    """Let the comet circle at twice the speed."""
    return _comet(t, own, 2)


def _lost(t: float, own: Colour) -> list[Colour]:
    """Let one lamp at 8 o'clock and one at 4 take turns, a second each."""
    return _lit({_EIGHT if int(t) % 2 == 0 else _FOUR: own})


def _winner(t: float, own: Colour) -> list[Colour]:
    """Light the whole ring; let the white crown walk round it, four seconds a turn."""
    lamps = _all(own, 0.5)
    lamps[int(t / 4 * LAMPS) % LAMPS] = _WHITE
    return lamps


_STILL_FRAMES: Mapping[Pattern, Callable[[Colour], list[Colour]]] = {
    "off": _off, "waiting": _waiting, "choosing": _choosing, "locked": _locked, "out": _out,
    "dice_trouble": _dice_trouble,
}  # fmt: skip

_COUNTING_FRAMES: Mapping[Pattern, Callable[[float, Colour, int], list[Colour]]] = {
    "number": _counted, "leader": _leader, "caller": _caller,
}  # fmt: skip

_MOVING_FRAMES: Mapping[Pattern, Callable[[float, Colour], list[Colour]]] = {
    "attract": _attract, "claim": _claim, "turn": _turn, "nudge": _nudge, "reveal": _reveal, "roll": _roll,
    "rolling": _rolling, "lost": _lost, "winner": _winner,
}  # fmt: skip
