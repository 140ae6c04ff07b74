"""The tray's own files in the real MicroPython, on a pty, with the hub's real driver."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from drivers.dice_tray import DiceTray, Settings
from hub.ports import DiceKit, DiceSeen, MonotonicClock
from tests.drivers.bench import Inbox
from tests.firmware.live import LiveBox, link
from tests.firmware.pico import FAKE_BOARD, FIRMWARE, MICROPYTHON, ROOT, needs_micropython
from tests.firmware.tray import TRAY, TRAY_ID, TrayBench

pytestmark = [needs_micropython, pytest.mark.real_time]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[TrayBench]:
    bench = TrayBench(tmp_path)
    yield bench
    bench.close()


def test_dice_typed_at_the_tray_settle_when_the_last_stands_for_a_moment(bench: TrayBench) -> None:
    bench.arm(1, 3)
    bench.press("k4", "k4")
    assert bench.seen(1, "rolling").faces == ()
    bench.press("k6")
    assert bench.seen(1, "settled") == DiceSeen("the dice tray", 1, "settled", (4, 4, 6))


def test_the_bar_takes_the_last_die_back(bench: TrayBench) -> None:
    bench.arm(1, 2)
    bench.press("k1", "k3", "bar", "k2")
    assert bench.seen(1, "settled").faces == (1, 2)


def test_keys_mean_nothing_before_and_after_a_throw(bench: TrayBench) -> None:
    bench.press("k5")
    bench.arm(1, 1)
    bench.press("k2", "k6")
    assert bench.seen(1, "settled").faces == (2,)
    bench.press("k6")
    bench.arm(2, 1, lying=True)
    bench.press("k3")
    assert bench.seen(2, "settled") == DiceSeen("the dice tray", 2, "settled", (3,))


def test_a_key_that_is_no_face_of_this_die_is_not_taken(bench: TrayBench) -> None:
    bench.arm(1, 1, sides=4)
    bench.press("k5", "k4")
    assert bench.seen(1, "settled").faces == (4,)


def test_a_die_with_more_faces_than_keys_is_no_business_of_the_keys(bench: TrayBench) -> None:
    bench.tray.arm(1, 1, 1, 20)
    assert "20 sides" in bench.seen(1, "no_reader").say


def test_what_is_typed_while_the_cable_is_out_is_told_when_it_is_back(bench: TrayBench) -> None:
    bench.arm(1, 2)
    bench.press("k4")
    bench.seen(1, "rolling")
    bench.keys.unplug()
    bench.seen(1, "no_reader")
    bench.press("k2")
    bench.keys.plug()
    assert bench.seen(1, "settled").faces == (4, 2)
    assert [one.state for one in bench.inbox.all(DiceSeen)].count("settled") == 1


def test_a_tray_that_lost_its_power_is_typed_into_anew(bench: TrayBench) -> None:
    bench.arm(1, 2)
    bench.press("k4")
    bench.seen(1, "rolling")
    bench.keys.power_cycle()
    bench.pass_until(lambda: bench.inbox.all(DiceSeen)[-1].state == "armed")
    bench.press("k1", "k5")
    assert bench.seen(1, "settled").faces == (1, 5)


def test_a_makers_own_reader_takes_the_place_of_the_keys(tmp_path: Path) -> None:
    """The example of firmware/README.md: another microcontroller tells the faces, a line a throw."""
    text = (ROOT / "firmware" / "README.md").read_text(encoding="utf-8")
    example = next(part.split("```")[0] for part in text.split("```python\n")[1:] if "class Reader" in part)
    own = tmp_path / "own"
    own.mkdir()
    (own / "reader.py").write_text(example, encoding="utf-8")
    bench = TrayBench(tmp_path, own)
    try:
        bench.tray.arm(1, 1, 2, 6)
        assert bench.seen(1, "settled").faces == (3, 5)
    finally:
        bench.close()


def test_a_tray_knows_its_times_after_its_clock_has_come_round() -> None:
    asked = "import json, reader; r = reader.Reader(None); r.arm(1, 6, False); r.happened('k3', 'down'); "
    asked += "print(json.dumps([r.look(2**30 - 300)[0], r.look(399)[0], r.look(401)]))"
    done = subprocess.run(
        [MICROPYTHON, "-c", asked],
        env={"MICROPYPATH": f"{TRAY}:{FAKE_BOARD}:{FIRMWARE}:.frozen", "BOARD_OUT": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=10,
    )
    assert (done.stderr, json.loads(done.stdout)) == ("", ["rolling", "rolling", ["settled", [3]]])


def test_the_file_that_runs_at_power_up_plays_a_throw_in_real_time(tmp_path: Path) -> None:
    inbox = Inbox()
    board = LiveBox(TRAY_ID, TRAY / "main.py")
    tray = DiceTray(Settings(ports=[link(board.port, tmp_path / "tray")]), inbox, MonotonicClock(), Random(1))
    try:
        tray.start()
        while inbox.next(DiceKit).dice == 0:
            pass
        tray.arm(1, 1, 2, 6)
        while not any(lamps.startswith("080808") for lamps in board.lit()):
            pass
        for key in ("k6", "k1"):
            board.put(key, closed=True)
            board.put(key, closed=False)
        while (seen := inbox.next(DiceSeen)).state != "settled":
            pass
        assert seen.faces == (6, 1)
    finally:
        tray.close()
        board.close()
