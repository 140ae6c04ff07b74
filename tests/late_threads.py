"""A pytest plugin that makes threads late: `-p tests.late_threads`. Tests that do not wait for a thread then fail each time.

Each thread begins `SECONDS` after its start, and what it logs arrives as late. It also pauses now and then at the call of a
function, as on a busy machine; the environment variable TABLE_HUB_PAUSES is the seed of that.
"""

from __future__ import annotations

import logging
import os
import threading
from random import Random
from time import sleep  # before tests/held_still.py takes it away from tests
from types import FrameType

SECONDS = 0.05
PAUSES = {0.15: 0.0002, 0.01: 0.003}
"""By seconds, the chance of a pause at each call."""

_random = Random(f"{os.environ.get('TABLE_HUB_PAUSES', '')} {os.environ.get('PYTEST_XDIST_WORKER', '')}")
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

    def pause(_frame: FrameType, event: str, _: object) -> None:
        for seconds, chance in PAUSES.items() if event == "call" else ():
            if _random.random() < chance:
                sleep(seconds)

    threading.setprofile(pause)
    threading.Thread.run = run  # type: ignore[method-assign, assignment]
    logging.Logger.callHandlers = log  # type: ignore[method-assign, assignment]
