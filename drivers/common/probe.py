"""Ask one port who is there, once, and make a board the drive for its new firmware: both while no hub runs."""

from __future__ import annotations

import secrets
import select
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drivers.common.frames import (
    TO_HUB,
    Beat,
    Boot,
    Frame,
    FrameReader,
    Hello,
    Incoming,
    Ok,
    OtherProtocol,
    Who,
    encode,
)
from drivers.common.serial_lines import Line
from hub.errors import Cause, DeviceLost
from hub.ports import Clock

PATIENCE = 2.5  # seconds: a board needs a moment after its port was opened, and its heart beats once a second
REPEAT = 0.5  # seconds between two questions
GLANCE = 0.1  # seconds between two looks at the clock


class Answer(NamedTuple):
    """Who said hello, and for how many seconds it has had power if its heartbeat was heard."""

    hello: Hello | OtherProtocol
    up: int | None = None


def ask(port: str, clock: Clock, patience: float = PATIENCE) -> Answer | None:
    """Return who says hello at `port` within `patience` seconds, or None.

    Raise DeviceLost with its cause: the port cannot be opened, or another program has it (`Cause.BUSY`).
    """
    line = Line(port)
    try:
        return _listen(line, clock, patience)
    finally:
        line.close()


def _listen(line: Line, clock: Clock, patience: float) -> Answer | None:
    hello: Hello | None = None
    for frame in _incoming(line, Who(s=_number()), Hello, clock, patience):
        match frame:
            case OtherProtocol():
                return Answer(frame)
            case Hello():
                hello = frame
            case Beat() if hello is not None:
                return Answer(hello, frame.up)
    return Answer(hello) if hello is not None else None


def _incoming(line: Line, question: Frame, answer: type[Frame], clock: Clock, patience: float) -> Iterator[Incoming]:
    """Yield what the board says within `patience` seconds; the question is repeated until an `answer` is heard."""
    reader = FrameReader(TO_HUB)
    until, again_at = clock.now() + patience, 0.0
    answered = False
    while (now := clock.now()) < until:
        if not answered and now >= again_at:
            line.write(encode(question))
            again_at = now + REPEAT
        if not select.select([line], [], [], min(until, now + GLANCE) - now)[0]:
            continue
        for frame in reader.feed(line.read()):
            answered = answered or isinstance(frame, answer)
            yield frame


def _number() -> int:
    """Return a number for the first frame on a line: none that a board is likely to remember."""
    return secrets.randbelow(2**29) + 1


class FoundBoard(NamedTuple):
    """A seat box or dice tray at its port."""

    id: str
    port: str


def find_boards(ports: Sequence[str], clock: Clock) -> list[FoundBoard]:
    """Return who says hello, of whatever protocol. Raise DeviceLost where a port is in use or cannot be opened."""
    found = []
    for port in ports:
        try:
            answer = ask(port, clock)
        except DeviceLost as error:
            if error.cause is Cause.BUSY:
                raise DeviceLost(f"{port} is in use, as by a hub that runs: stop that first.", Cause.BUSY) from None
            raise
        if answer is not None:
            found.append(FoundBoard(answer.hello.id, port))
    return found


def choose_board(found: Sequence[FoundBoard], named: str = "") -> FoundBoard:
    """Return the board of that id, or the only one. Raise DeviceLost."""
    if not found:
        raise DeviceLost(
            "No seat box or dice tray says hello. Plug one in; a silent one with its BOOTSEL button held.",
            Cause.MISSING,
        )
    meant = [board for board in found if named in ("", board.id)]
    if len(meant) == 1:
        return meant[0]
    there = ", ".join(f"{board.id} at {board.port}" for board in found)
    raise DeviceLost(
        f"There is no board {named}: there are {there}." if named else f"Which one? There are {there}.", Cause.MISSING
    )


def enter_bootloader(board: FoundBoard, clock: Clock, patience: float = PATIENCE) -> None:
    """Have a board become the drive on which new firmware is dropped (frame `boot`). Raise DeviceLost where it does not."""
    line = Line(board.port)
    number = _number()
    try:
        for frame in _incoming(line, Boot(s=number), Ok, clock, patience):
            if isinstance(frame, Ok) and frame.re == number:
                return
    except DeviceLost:  # it has left the cable, which is the point
        return
    finally:
        line.close()
    raise DeviceLost(f"{board.id} does not answer: plug it in with its BOOTSEL button held instead.", Cause.SILENT)
