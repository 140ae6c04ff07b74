"""Lines of the journal that strangers cause: one a minute of each kind, however much is sent."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY_SECONDS = 60.0
NOT_TEXT = "Invalid UTF-8 sequence received from client."
"""What uvicorn logs as an error, with a traceback, though it is only what somebody has sent."""


class Seldom(logging.Filter):
    """Lets a line below ERROR through once in `EVERY_SECONDS`, and says with the next one how many it kept back.

    Lines count as alike that are made of the same text, whatever was filled in: there are as many as the code has.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._lines: dict[str, tuple[float, int]] = {}  # text -> when it was let through, and how many came since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is to be written."""
        text = str(record.msg)
        if text == NOT_TEXT:
            record.levelno, record.levelname, record.exc_info = logging.WARNING, "WARNING", None
        if record.levelno >= logging.ERROR:
            return True
        now = self._now()
        written_at, kept_back = self._lines.get(text, (-EVERY_SECONDS, 0))
        if now - written_at < EVERY_SECONDS:
            self._lines[text] = written_at, kept_back + 1
            return False
        self._lines[text] = now, 0
        if kept_back:
            record.msg, record.args = f"{record.getMessage()} ({kept_back} more like it since the last such line.)", ()
        return True
