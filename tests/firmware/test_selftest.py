"""The box tried by itself, by whoever has just soldered it: every lamp, key, detent and the tone, without a hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.firmware.live import LiveBox
from tests.firmware.pico import FAKE_BOARD, FIRMWARE, GPIO, LEFT, PINS, RIGHT, Pico, needs_micropython
from tests.firmware.tray import TRAY

pytestmark = needs_micropython

SELFTEST = FAKE_BOARD / "start_selftest.py"
STEP = 100  # ms that each lamp of the round is lit
HELD = f"{GPIO['push']} {GPIO['bar']}"


def lit(board: Pico) -> dict[int, str]:
    """The lamps that are not dark, with their colours."""
    lamps = board.shown["lamps"]
    return {
        place: lamps[at : at + 6] for place, at in enumerate(range(0, len(lamps), 6)) if lamps[at : at + 6] != "000000"
    }


@pytest.fixture
def board(pico: Callable[..., Pico]) -> Pico:
    """A board in its self-test, bar and push let go after its first lamp."""
    board = pico(program=SELFTEST, BOARD_CLOSED=HELD)
    board.go(0)
    return board


def after_the_round(board: Pico) -> Pico:
    board.go(0, [board.pin("push", closed=False), board.pin("bar", closed=False)])
    board.go(PINS["LAMPS"] * STEP)
    return board


def test_a_white_lamp_runs_once_round_with_a_tone(board: Pico) -> None:
    for place in range(PINS["LAMPS"]):
        assert list(lit(board)) == [place]
        assert len({lit(board)[place][at : at + 2] for at in (0, 2, 4)}) == 1, "white: each of its three colours"
        assert board.shown["tone"] == 880
        board.go(STEP)
    assert "fed" in board.shown, "the watchdog is told that all is well"


def test_each_control_lights_a_lamp_of_its_own_and_has_its_own_tone(board: Pico) -> None:
    after_the_round(board)
    rest, tones = set(lit(board)), set()
    assert (len(rest), board.shown["tone"]) == (1, 0)
    places = []
    for control in PINS["CONTROLS"]:
        board.go(30, [board.pin(control, closed=True)])
        (place,) = set(lit(board)) - rest
        places.append(place)
        tones.add(board.shown["tone"])
        board.go(30, [board.pin(control, closed=False)])
        assert set(lit(board)) == rest
    assert len(set(places)) == len(tones) == len(PINS["CONTROLS"])
    assert places[2:] == list(range(6)), "the keys, from the player's side clockwise"


def test_the_blue_lamp_follows_the_dial(board: Pico) -> None:
    after_the_round(board)
    (before,) = lit(board)
    for at in RIGHT * 3:
        board.go(1, board.dial(at))
    assert list(lit(board)) == [(before + 3) % PINS["LAMPS"]]
    for at in LEFT * 5:
        board.go(1, board.dial(at))
    assert list(lit(board)) == [(before - 2) % PINS["LAMPS"]]


def test_no_picture_takes_more_than_a_usb_port_gives(board: Pico) -> None:
    after_the_round(board)
    board.go(30, [board.pin(control, closed=True) for control in PINS["CONTROLS"]])
    parts = [int(colour[at : at + 2], 16) for colour in lit(board).values() for at in (0, 2, 4)]
    assert sum(parts) * 20 / 255 <= PINS["MILLIAMPERES"]


@pytest.fixture
def live() -> Iterator[Callable[..., LiveBox]]:
    boxes: list[LiveBox] = []

    def power_up(closed: str, program: Path = FIRMWARE / "main.py") -> LiveBox:
        boxes.append(LiveBox(program=program, closed=closed))
        return boxes[-1]

    yield power_up
    for box in boxes:
        box.close()


def test_bar_and_push_at_power_up_begin_it(live: Callable[..., LiveBox]) -> None:
    box = live(HELD)
    first = box.lit()[0]
    assert first == ("3c3c3c" + "000000" * 15)


@pytest.mark.parametrize("closed", ["", str(GPIO["bar"])])
def test_the_bar_alone_or_nothing_begins_the_boxs_own_program(live: Callable[..., LiveBox], closed: str) -> None:
    assert live(closed).lit()[0] == "000000" * 16


@pytest.mark.parametrize("closed", [str(GPIO["bar"]), HELD])
def test_the_bar_at_power_up_begins_it_on_a_tray_which_may_have_no_dial(
    live: Callable[..., LiveBox], closed: str
) -> None:
    tray = live(closed, TRAY / "main.py")
    assert tray.lit()[0] == ("3c3c3c" + "000000" * 15)
    tray.put("bar", closed=False)
    tray.put("push", closed=False)
    seen: list[str] = []
    while not any(lamps.startswith("000000" * 15) for lamps in seen):  # the last lamp of the round
        seen += tray.lit()
    tray.put("k3", closed=True)
    while seen[-1][12:18] != "005000":
        seen += tray.lit()


def test_a_tray_with_no_key_held_begins_its_own_program(live: Callable[..., LiveBox]) -> None:
    assert live("", TRAY / "main.py").lit()[0] == "000000" * 16
