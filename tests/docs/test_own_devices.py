"""The devices of `hub/docs/own_device.md`: the very files, at a running hub; and a phone made from the documents alone."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import threading
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart
from phone_ui import javascript
from tests.complete_states import read_state
from tests.docs.contract import DOCS
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.broker, pytest.mark.slow]

EXAMPLES = DOCS / "examples"
MOST_LINES = 110  # of a file


class Cable:
    """A box of the example at the far end of a cable, and the hands of whoever sits there."""

    def __init__(self) -> None:
        self.far, near = os.openpty()
        tty.setraw(near)
        self.port, self._near = os.ttyname(near), near
        self._typed, self._hands = os.pipe()
        self._box: Callable[[int, int], None] = runpy.run_path(str(EXAMPLES / "box.py"))["serve"]
        self._thread = threading.Thread(target=lambda: self._box(self.far, self._typed), daemon=True)
        self._thread.start()

    def do(self, what: str) -> None:
        os.write(self._hands, f"{what}\n".encode())

    def close(self) -> None:
        os.close(self._hands)
        self._thread.join(PATIENCE)
        for end in (self.far, self._near, self._typed):
            os.close(end)


@pytest.fixture
def cable() -> Iterator[Cable]:
    made = Cable()
    yield made
    made.close()


@pytest.fixture
def hub(tmp_path: Path, cable: Cable) -> Iterator[Hub]:
    """A table for three: a box of the example at one seat, once it was pressed there; the house at two."""
    part = TablePart("1", "Own", 3, "goofspiel", house_seats=2, house_seconds=0, attract_seconds=0, reveal_seconds=0)
    device = DevicePart("button_box", "1", "own box", {"ports": [cable.port]})
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0), table=(part,), device=(device,)
    )
    with Hub(config) as running:
        running.start()
        yield running


def screen(hub: Hub) -> dict[str, Any]:
    _, data = hub.access["1"].screen.get()
    return read_state(data) if data else {"notices": [], "seats": [], "state": ""}


def address(hub: Hub) -> str:
    assert hub.web
    return f"http://127.0.0.1:{hub.web.port}"


def test_a_box_of_ones_own_takes_a_seat_and_plays_sealed_rounds_to_the_end(hub: Hub, cable: Cable) -> None:
    command = [sys.executable, str(EXAMPLES / "screen.py"), address(hub), "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as own_screen:
        try:
            play(hub, cable)
            own_screen.terminate()
            said, complaints = own_screen.communicate(timeout=PATIENCE)
        finally:
            own_screen.kill()
    assert complaints == ""
    assert said.removeprefix("Own: no match\n").startswith("Own: Goofspiel\n"), (
        "it may be there only when the match begins"
    )
    assert "\n  over: {" in said


def play(hub: Hub, cable: Cable) -> None:
    """Bind the box to a seat, take it, start, and push through a match."""
    until(lambda: any(one["key"].startswith("new_box") for one in screen(hub)["notices"]), "the box is known")
    cable.do("push")
    until(lambda: any(seat["box"] == "on" for seat in screen(hub)["seats"]), "the box has a seat")
    own = next(seat["seat"] for seat in screen(hub)["seats"] if seat["box"] == "on")
    end, picked = time.monotonic() + 6 * PATIENCE, 0
    while (now := screen(hub))["state"] != "over":
        assert time.monotonic() < end, now
        assert not [one for one in now["notices"] if one["severity"] != "info"], now["notices"]
        if now["state"] == "playing" and str(own) in now["view"]["waiting"]["seats"] and own not in now["locked"]:
            cable.do("turn 1")  # another card than the one that the dial began at
            picked += 1
        cable.do("push")
        time.sleep(0.2)
    assert picked > 5


def test_a_phone_made_from_the_documents_alone_plays_a_match(hub: Hub, tmp_path: Path) -> None:
    for name in ("asyncapi", "openapi"):
        (tmp_path / f"{name}.json").write_bytes((DOCS / f"{name}.json").read_bytes())
    until(lambda: bool(screen(hub).get("claim_codes")), "the screen shows codes")
    now = screen(hub)
    free = next(seat["seat"] for seat in now["seats"] if not seat["held"])
    args = (tmp_path, address(hub), now["code"], free, now["claim_codes"][str(free)], "bid-it")
    command = [javascript.node(), str(Path(__file__).with_name("stranger.js")), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    after = screen(hub)
    assert after["over"] == json.loads(done.stdout)
    assert after["played"][str(free)] == "Stranger"


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_an_example_is_short_and_the_page_quotes_the_file_itself(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= MOST_LINES
    assert f"```{{literalinclude}} examples/{file.name}\n" in (DOCS / "own_device.md").read_text("utf-8")
