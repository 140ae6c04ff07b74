"""Asks one port who is there, once, and makes a board a drive for its new firmware: both while no hub runs."""

from __future__ import annotations

import secrets
import select
from collections.abc import Sequence
from typing import NamedTuple

from drivers.common.frames import TO_HUB, Beat, Boot, Hello, Ok, OtherProtocol, Reader, Who, encode
from drivers.common.serial_lines import Line
from hub.errors import DeviceLost
from hub.ports import Clock

PATIENCE = 2.5  # seconds: a board needs a moment after its port was opened, and its heart beats once a second


class Met(NamedTuple):
    """Who spoke, and how long it has had power if its heart was heard to beat."""

    hello: Hello | OtherProtocol
    up: int | None = None


def ask(port: str, clock: Clock, patience: float = PATIENCE) -> Met | None:
    """Whoever says hello at `port`, or None. Raises DeviceLost: the port cannot be opened, or another program has it."""
    line = Line(port)
    try:
        return _listen(line, clock, clock.now() + patience)
    finally:
        line.close()


def _listen(line: Line, clock: Clock, until: float) -> Met | None:
    reader = Reader(TO_HUB)
    who = encode(Who(s=secrets.randbelow(2**29) + 1))
    hello: Hello | OtherProtocol | None = None
    again_at = 0.0
    while (now := clock.now()) < until:
        if hello is None and now >= again_at:
            line.write(who)
            again_at = now + 0.5
        if not select.select([line], [], [], min(until, now + 0.1) - now)[0]:
            continue
        for heard in reader.feed(line.read()):
            if isinstance(heard, OtherProtocol):
                return Met(heard)
            if isinstance(heard, Hello):
                hello = heard
            elif isinstance(heard, Beat) and hello is not None:
                return Met(hello, heard.up)
    return Met(hello) if hello is not None else None


class Board(NamedTuple):
    """A seat box or dice tray at its port."""

    id: str
    port: str


def boards(ports: Sequence[str], clock: Clock) -> list[Board]:
    """Who says hello, of whatever protocol. Raises DeviceLost: a port is in use, or cannot be opened."""
    found = []
    for port in ports:
        try:
            met = ask(port, clock)
        except DeviceLost as why:
            if held(why):
                raise DeviceLost(f"{port} is in use, as by a hub that runs: stop that first.") from None
            raise
        if met is not None:
            found.append(Board(met.hello.id, port))
    return found


def the_one(found: Sequence[Board], named: str = "") -> Board:
    """The board that is meant: the one called so, or the only one. Raises DeviceLost."""
    if not found:
        raise DeviceLost("No seat box or dice tray says hello. Plug one in; a silent one with its BOOTSEL button held.")
    meant = [board for board in found if named in ("", board.id)]
    if len(meant) == 1:
        return meant[0]
    there = ", ".join(f"{board.id} at {board.port}" for board in found)
    raise DeviceLost(f"There is no board {named}: there are {there}." if named else f"Which one? There are {there}.")


def make_drive(board: Board, clock: Clock, patience: float = PATIENCE) -> None:
    """Have a board become the drive on which new firmware is dropped (frame `boot`). Raises DeviceLost: it does not."""
    line = Line(board.port)
    number = secrets.randbelow(2**29) + 1
    reader = Reader(TO_HUB)
    until, again_at = clock.now() + patience, 0.0
    try:
        while (now := clock.now()) < until:
            if now >= again_at:
                line.write(encode(Boot(s=number)))
                again_at = now + 0.5
            if not select.select([line], [], [], min(until, now + 0.1) - now)[0]:
                continue
            if any(isinstance(heard, Ok) and heard.re == number for heard in reader.feed(line.read())):
                return
    except DeviceLost:  # it has left the cable, which is the point
        return
    finally:
        line.close()
    raise DeviceLost(f"{board.id} does not answer: plug it in with its BOOTSEL button held instead.")


def held(trouble: DeviceLost) -> bool:
    """Whether a port could not be opened because another program, such as the hub, has it."""
    return "exclusively lock" in str(trouble) or "Resource busy" in str(trouble)
