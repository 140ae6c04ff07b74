"""Limit journal lines that strangers cause: one line of each kind per minute."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY_SECONDS = 60.0
NOT_TEXT = "Invalid UTF-8 sequence received from client."
"""uvicorn logs this as an error with a traceback, although a client caused it."""


class RepeatFilter(logging.Filter):
    """Pass a line below ERROR once per `EVERY_SECONDS`. The next line that passes names the number of dropped ones.

    Lines are equal if they have the same format string, so the number of kinds is bounded by the code.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now = now
        self._lines: dict[str, tuple[float, int]] = {}  # text -> when it last passed, and the number dropped since

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write the line."""
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
