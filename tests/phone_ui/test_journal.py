"""What strangers send fills no journal."""

from __future__ import annotations

import logging
import socket
import sys
from typing import TYPE_CHECKING

import pytest
from flask import Flask

from phone_ui.journal import EVERY_SECONDS, NOT_TEXT, RepeatFilter
from phone_ui.server import PortSettings, WebServer, serve
from tests.patience import PATIENCE

pytestmark = pytest.mark.real_time

if TYPE_CHECKING:
    from collections.abc import Iterator


def line(text: str, *args: object, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("x", level, __file__, 1, text, args, None)


def test_a_line_is_written_once_a_minute_and_then_says_how_many_were_kept_back() -> None:
    now = [1000.0]
    repeats = RepeatFilter(lambda: now[0])
    assert [repeats.filter(line("%s came.", n)) for n in range(4)] == [True, False, False, False]
    assert repeats.filter(line("Another.")), "a line of another kind is not kept back"
    now[0] += EVERY_SECONDS
    later = line("%s came.", 9)
    assert repeats.filter(later)
    assert later.getMessage() == "9 came. (3 more like it since the last such line.)"


def test_errors_of_our_own_are_all_written_and_what_is_no_text_is_no_error() -> None:
    repeats = RepeatFilter()
    assert all(repeats.filter(line("It failed.", level=logging.ERROR)) for _ in range(3))
    bad = line(NOT_TEXT, level=logging.ERROR)
    bad.exc_info = sys.exc_info()
    assert repeats.filter(bad)
    assert (bad.levelno, bad.levelname) == (logging.WARNING, "WARNING")
    assert not repeats.filter(line(NOT_TEXT, level=logging.ERROR))


@pytest.fixture
def web() -> Iterator[WebServer]:
    async def nobody() -> tuple[None, None]:
        raise OSError

    served = serve(Flask("none"), {}, nobody, PortSettings())  # type: ignore[arg-type]
    yield served
    served.close()


def test_garbage_at_the_web_port_writes_a_line_a_minute(web: WebServer, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(30):
        with socket.create_connection(("127.0.0.1", web.port), timeout=PATIENCE) as raw:
            raw.sendall(b"\x16\x03\x01 garbage\r\n\r\n")
            while raw.recv(4096):
                pass
    assert len([one for one in caplog.records if "Invalid HTTP" in one.getMessage()]) <= 1
