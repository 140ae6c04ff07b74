"""Asks one port who is there, once: for a look at the cables while no hub runs. Nothing on the other end is changed."""

from __future__ import annotations

import secrets
import select
from typing import NamedTuple

from drivers.frames import TO_HUB, Beat, Hello, OtherProtocol, Reader, Who, encode
from drivers.line import Line
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


def held(trouble: DeviceLost) -> bool:
    """Whether a port could not be opened because another program, such as the hub, has it."""
    return "exclusively lock" in str(trouble) or "Resource busy" in str(trouble)
