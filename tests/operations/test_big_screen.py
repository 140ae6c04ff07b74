"""The browser of the big screen: when its page counts as failed, and how the browser starts again."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hub.operations.big_screen import GAP_SECONDS, SILENT_SECONDS, START_SECONDS, Heard, PageWatch, ask
from tests.patience import PATIENCE

PROGRAM = Path(__file__).parents[2] / "hub/operations/big_screen.py"


class Evening:
    """A watch, asked every five seconds of an evening."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.watch = PageWatch(self.now)

    def goes_on(self, seconds: float, heard: Heard | None, *, ages: bool = False) -> float | None:
        """Let time pass; return after how many seconds the page failed. With `ages` nothing is heard meanwhile."""
        began = self.now
        while self.now < began + seconds:
            self.now += 5
            told = heard
            if heard and ages and heard.seconds is not None:
                told = Heard(heard.seconds + self.now - began, heard.here)
            if self.watch.failed(self.now, told):
                return self.now - began
        return None


ALIVE, NEVER = Heard(2.0, here=True), Heard(None, here=True)
GONE = Heard(0.0, here=True)  # heard just now, and then no more


@pytest.fixture
def evening() -> Evening:
    return Evening()


def test_a_page_that_is_heard_is_never_started_again(evening: Evening) -> None:
    assert evening.goes_on(6 * 3600, ALIVE) is None


def test_a_page_that_falls_silent_has_failed_after_thirty_seconds_and_not_before(evening: Evening) -> None:
    assert evening.goes_on(600, ALIVE) is None
    assert evening.goes_on(SILENT_SECONDS - 5, GONE, ages=True) is None
    assert not evening.watch.failed(evening.now + 4.9, Heard(SILENT_SECONDS - 0.1, here=True))
    assert evening.watch.failed(evening.now + 5, Heard(SILENT_SECONDS, here=True))


def test_a_hub_that_is_away_says_nothing_of_the_page(evening: Evening) -> None:
    assert evening.goes_on(60, ALIVE) is None
    assert evening.goes_on(3600, None) is None, "stopped for an hour"
    assert evening.goes_on(SILENT_SECONDS, NEVER) is None, "a hub that starts has heard nobody yet"
    assert evening.goes_on(60, ALIVE) is None


def test_a_page_that_does_not_come_back_to_a_hub_that_was_started_again_has_failed(evening: Evening) -> None:
    evening.goes_on(60, ALIVE)
    evening.goes_on(20, None)
    assert evening.goes_on(100, NEVER) == SILENT_SECONDS + 5


def test_a_hub_that_answers_now_and_then_is_no_proof_against_the_page(evening: Evening) -> None:
    evening.goes_on(60, ALIVE)
    for _ in range(100):
        assert evening.goes_on(5, None) is None
        assert evening.goes_on(SILENT_SECONDS, NEVER) is None, "not thirty seconds without a gap"


def test_the_first_page_has_three_minutes_to_come_and_no_more(evening: Evening) -> None:
    assert evening.goes_on(START_SECONDS, NEVER) is None
    assert evening.goes_on(5, NEVER) == 5


def test_the_first_page_is_waited_for_from_when_the_hub_is_there(evening: Evening) -> None:
    assert evening.goes_on(3600, None) is None
    assert evening.goes_on(START_SECONDS, NEVER) is None


def test_a_page_that_another_hub_knows_nothing_of_is_left_alone_until_it_was_heard_once(evening: Evening) -> None:
    assert evening.goes_on(3600, Heard(None, here=False)) is None
    assert evening.goes_on(5, Heard(1.0, here=False)) is None
    assert evening.goes_on(100, Heard(0.0, here=False), ages=True) == SILENT_SECONDS


def test_a_computer_that_stood_still_does_not_blame_the_page(evening: Evening) -> None:
    evening.goes_on(60, ALIVE)
    evening.now += GAP_SECONDS + 3600
    assert not evening.watch.failed(evening.now, Heard(3600.0, here=True)), "the page slept as long"
    assert evening.goes_on(SILENT_SECONDS - 5, Heard(3600.0, here=True), ages=True) is None
    assert evening.goes_on(5, ALIVE) is None


# --- asking the hub -----------------------------------------------------------------------------


class Hub(BaseHTTPRequestHandler):
    answer: tuple[int, bytes] = 200, b""
    asked: str = ""

    def do_GET(self) -> None:
        type(self).asked = self.path
        self.send_response(self.answer[0])
        self.end_headers()
        self.wfile.write(self.answer[1])

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(status: int, said: Any) -> Iterator[str]:
    Hub.answer = status, said if isinstance(said, bytes) else json.dumps(said).encode()
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_the_hub_of_the_address_is_asked_for_the_page() -> None:
    with serving(200, {"seconds": 3.5, "here": True}) as hub:
        assert ask(f"{hub}/t/2/kiosk#k=KEY&s=TOKEN", "abc") == Heard(3.5, here=True)
        assert Hub.asked == "/t/2/screen/alive?screen=abc"
    assert ask(f"{hub}/t/2/kiosk", "abc") is None, "it is gone"


@pytest.mark.parametrize(
    ("status", "said"), [(404, {"error": "an older hub"}), (200, b"<html>"), (200, b""), (200, []), (503, {})]
)
def test_what_is_no_answer_of_a_hub_says_nothing_of_the_page(status: int, said: Any) -> None:
    with serving(status, said) as hub:
        assert ask(f"{hub}/t/1/kiosk", "abc") is None


def test_a_page_that_is_no_big_screen_is_not_watched() -> None:
    with serving(200, {"seconds": None, "here": True}) as hub:
        assert ask(f"{hub}/till", "abc") is None


# --- the browser ----------------------------------------------------------------------------------


def test_a_browser_that_ends_starts_again_with_another_profile_and_nothing_is_left(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {tmp_path}/said\ntouch "$HOME/Preferences"\n')
    browser.chmod(0o755)
    runtime = tmp_path / "run"
    runtime.mkdir()
    command = [sys.executable, "-I", str(PROGRAM), "http://127.0.0.1:1/t/1/kiosk", "file:///splash", "--", str(browser)]
    with subprocess.Popen(
        command, env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(runtime)}, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr
        lines = [running.stderr.readline() for _ in range(3)]
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE) == 128 + signal.SIGTERM
    assert [line.split()[-2] for line in lines] == ["1", "2", "4"], "the pauses grow"
    said = (tmp_path / "said").read_text().splitlines()
    assert len({line for line in said if line.startswith("--user-data-dir=")}) == 3
    pages = {line for line in said if line.startswith("file:///splash#http://127.0.0.1:1/t/1/kiosk#screen=")}
    assert len(pages) == 3
    assert not list(runtime.iterdir())
