"""A limit of processor time for the code of a game: an endless loop is stopped and named.

Processor time does not pass while the machine is busy with something else. A single call into C that does not return,
such as `sum(range(10**15))`, cannot be stopped in this way.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

SECONDS = 120.0
"""Seconds of processor time for one match; a match takes a few."""
AGAIN = 1.0
"""Seconds until code that has caught `Endless` is stopped again."""
MOST_CAUGHT = 3
FILES = ("rulebook.py", "house.py", "invariants.py")
"""The files in which the code of a game stands."""


class Endless(BaseException):
    """Code that runs longer than the limit: no `except Exception` of a game or of the engine catches it."""


@contextmanager
def limited(what: str, seconds: float | None = None) -> Iterator[None]:
    """Raise Endless if the block needs more processor time than `seconds` (default: `SECONDS`).

    It works in the main thread only. If the block catches Endless again and again, the program ends with a sentence about
    `what`.
    """
    caught = 0

    def stop(_: int, frame: FrameType | None) -> None:
        nonlocal caught
        limit = f"{seconds or SECONDS:g} s of processor time"
        why = f"{_place(frame)}it does not end within {limit}. Look for an endless loop."
        if caught == MOST_CAUGHT:
            os.write(2, f"\n{what}: {why} It catches every error, so nothing else can be checked.\n".encode())
            os._exit(1)
        caught += 1
        raise Endless(why)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds or SECONDS, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def begin_again() -> None:
    """Let the limit count from now on, because another match begins. Without a limit, do nothing."""
    if signal.getitimer(signal.ITIMER_PROF)[1]:
        signal.setitimer(signal.ITIMER_PROF, SECONDS, AGAIN)


def _place(frame: FrameType | None) -> str:
    """Return the innermost place in the files of a game, or "" if there is none."""
    while frame and Path(frame.f_code.co_filename).name not in FILES:
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}: " if frame else ""
