"""A pytest plugin that makes threads late: `-p tests.late_threads`. Tests that do not wait for a thread then fail each time.

Each thread begins `SECONDS` after its start, and what it logs arrives as late.
"""

from __future__ import annotations

import logging
import threading
from time import sleep  # before tests/held_still.py takes it away from tests

SECONDS = 0.05

_run, _log = threading.Thread.run, logging.Logger.callHandlers


def pytest_configure() -> None:
    """Make all threads of this process late."""

    def run(thread: threading.Thread) -> None:
        sleep(SECONDS)
        _run(thread)

    def log(logger: logging.Logger, record: logging.LogRecord) -> None:
        if threading.current_thread() is not threading.main_thread():
            sleep(SECONDS)
        _log(logger, record)

    threading.Thread.run = run  # type: ignore[method-assign, assignment]
    logging.Logger.callHandlers = log  # type: ignore[method-assign, assignment]
