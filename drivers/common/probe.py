"""Identify the board at a port, and switch a board to its firmware drive. Both work only while no hub runs."""

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
GLANCE = 0.1  # seconds between two checks of the clock


class Answer(NamedTuple):
    """The hello of a board, and its seconds since power-up if a heartbeat arrived."""

    hello: Hello | OtherProtocol
    up: int | None = None


def ask(port: str, clock: Clock, patience: float = PATIENCE) -> Answer | None:
    """Return the answer of the board at `port`, or None after `patience` seconds.

    Raise DeviceLost if the port cannot be opened, with `Cause.BUSY` if another program uses it.
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
    """Yield everything that the board sends within `patience` seconds. Repeat the question until an `answer` arrives."""
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
    """Return a random number for the first frame, so that a board does not take it for a repeat."""
    return secrets.randbelow(2**29) + 1


class FoundBoard(NamedTuple):
    """A seat box or dice tray at its port."""

    id: str
    port: str


def find_boards(ports: Sequence[str], clock: Clock) -> list[FoundBoard]:
    """Return all boards that say hello, of any protocol. Raise DeviceLost if a port is in use or cannot be opened."""
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
    """Switch a board to its firmware drive (frame `boot`). Raise DeviceLost if it does not answer."""
    line = Line(board.port)
    number = _number()
    try:
        for frame in _incoming(line, Boot(s=number), Ok, clock, patience):
            if isinstance(frame, Ok) and frame.re == number:
                return
    except DeviceLost:  # the board has left the cable, as intended
        return
    finally:
        line.close()
    raise DeviceLost(f"{board.id} does not answer: plug it in with its BOOTSEL button held instead.", Cause.SILENT)
