"""Where the diagnostics of the process go."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import TextIO

# sd-daemon(3): a line of standard error begins with its priority, so that `journalctl -p warning` finds it.
PRIORITIES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6), (logging.DEBUG, 7))


def configure_logging(level: str) -> None:
    """Log to standard error, which systemd keeps in its journal; libraries log warnings and errors only."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if goes_to_journal():
        for handler in logging.getLogger().handlers:
            handler.setFormatter(JournalFormatter("%(name)s: %(message)s"))
    for name in ("websockets", "uvicorn", "paho", "PIL"):
        logging.getLogger(name).setLevel(logging.WARNING)


def report_error(error: Exception) -> None:
    """Print the sentence that ends the program."""
    sentence = str(error)
    sys.stderr.write((with_priority(sentence, logging.ERROR) if goes_to_journal() else sentence) + "\n")


def goes_to_journal(environment: Mapping[str, str] = os.environ, stream: TextIO | None = None) -> bool:
    """Return whether standard error is the journal's own stream: systemd.exec(5), JOURNAL_STREAM."""
    try:
        status = os.fstat((stream or sys.stderr).fileno())
    except (OSError, ValueError, AttributeError):  # closed, or no file
        return False
    return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class JournalFormatter(logging.Formatter):
    """Give each line its priority: a traceback has many, and the journal takes each for an entry of its own."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record's lines."""
        return with_priority(super().format(record), record.levelno)


def with_priority(text: str, level: int) -> str:
    """Return the text with the priority of a logging level before each of its lines."""
    priority = next((number for least, number in PRIORITIES if level >= least), 7)
    return "\n".join(f"<{priority}>{line}" for line in text.splitlines())
