"""The tray's own files in the real MicroPython, on a pty, with the hub's real driver."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.dice_tray import DiceTray, Settings
from drivers.line import SteadyClock
from drivers.simulated import SimBox
from hub.ports import Control, DiceKit, DiceSeen
from tests.drivers.bench import Inbox, StillClock
from tests.firmware.live import LiveBox, link
from tests.firmware.pico import FAKE_BOARD, FIRMWARE, MICROPYTHON, ROOT, TAP, needs_micropython
from tests.firmware.tray import TRAY, TRAY_ID, TrayEnd

pytestmark = needs_micropython


class Bench:
    """A tray on a pty with somebody at its keys, the driver, and one clock."""

    def __init__(self, folder: Path, reader: Path = TRAY) -> None:
        self.clock = StillClock()
        self.inbox = Inbox()
        self._end = TrayEnd(reader=reader)
        self.keys = SimBox(TRAY_ID, folder / "tray", self.clock, end=self._end)
        self.tray = DiceTray(Settings(ports=[str(folder / "tray")]), self.inbox, self.clock)
        self.clock.wakes += [self.keys.wake, self.tray.wake]
        self.keys.start()
        self.tray.start()
        self.pass_until(lambda: any(kit.dice for kit in self.inbox.all(DiceKit)))

    def pass_until(self, right: Callable[[], object], step: float = 0.05) -> None:
        """Let time pass, step by step, until something is so."""
        for _ in range(400):
            if right():
                return
            self.clock.advance(step)
            self.inbox.glance()
        raise AssertionError(f"it did not come: {self.inbox.signals[-5:]}")

    def seen(self, number: int, state: str) -> DiceSeen:
        """What the table hears of a throw in that state."""

        def found() -> list[DiceSeen]:
            return [one for one in self.inbox.all(DiceSeen) if (one.arm, one.state) == (number, state)]

        self.pass_until(found)
        return found()[-1]

    def arm(self, number: int, count: int, sides: int = 6, *, lying: bool = False) -> None:
        """Ask for a throw, and wait until the tray's lamps say that it may be typed."""
        self.tray.arm(number, 1, count, sides, lying=lying)
        self.pass_until(lambda: self.keys.state()["lamps"] == "080808")

    def press(self, *controls: Control) -> None:
        """Press, each until the finger is off the key again."""
        for control in controls:
            off = self._end.pico.ms + 2 * TAP
            self.keys.press(control)
            self.pass_until(lambda off=off: self._end.pico.ms >= off, step=0)  # type: ignore[misc]

    def close(self) -> None:
        self.tray.close()
        self.keys.close()
        self._end.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def test_dice_typed_at_the_tray_settle_when_the_last_stands_for_a_moment(bench: Bench) -> None:
    bench.arm(1, 3)
    bench.press("k4", "k4")
    assert bench.seen(1, "rolling").faces == ()
    bench.press("k6")
    assert bench.seen(1, "settled") == DiceSeen("the dice tray", 1, "settled", (4, 4, 6))


def test_the_bar_takes_the_last_die_back(bench: Bench) -> None:
    bench.arm(1, 2)
    bench.press("k1", "k3", "bar", "k2")
    assert bench.seen(1, "settled").faces == (1, 2)


def test_keys_mean_nothing_before_and_after_a_throw(bench: Bench) -> None:
    bench.press("k5")
    bench.arm(1, 1)
    bench.press("k2", "k6")
    assert bench.seen(1, "settled").faces == (2,)
    bench.press("k6")
    bench.arm(2, 1, lying=True)
    bench.press("k3")
    assert bench.seen(2, "settled") == DiceSeen("the dice tray", 2, "settled", (3,))


def test_a_key_that_is_no_face_of_this_die_is_not_taken(bench: Bench) -> None:
    bench.arm(1, 1, sides=4)
    bench.press("k5", "k4")
    assert bench.seen(1, "settled").faces == (4,)


def test_a_die_with_more_faces_than_keys_is_no_business_of_the_keys(bench: Bench) -> None:
    bench.tray.arm(1, 1, 1, 20)
    assert "20 sides" in bench.seen(1, "no_reader").say


def test_what_is_typed_while_the_cable_is_out_is_told_when_it_is_back(bench: Bench) -> None:
    bench.arm(1, 2)
    bench.press("k4")
    bench.seen(1, "rolling")
    bench.keys.unplug()
    bench.seen(1, "no_reader")
    bench.press("k2")
    bench.keys.plug()
    assert bench.seen(1, "settled").faces == (4, 2)
    assert [one.state for one in bench.inbox.all(DiceSeen)].count("settled") == 1


def test_a_tray_that_lost_its_power_is_typed_into_anew(bench: Bench) -> None:
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
    bench = Bench(tmp_path, own)
    try:
        bench.tray.arm(1, 1, 2, 6)
        assert bench.seen(1, "settled").faces == (3, 5)
    finally:
        bench.close()


def test_a_tray_knows_its_times_after_its_clock_has_come_round() -> None:
    asked = "import json, reader; r = reader.Reader(None); r.arm(1, 6, False); r.happened('k3', 'down'); "
    asked += "print(json.dumps([r.look(2**30 - 300)[0], r.look(399)[0], r.look(401)]))"
    told = subprocess.run(
        [MICROPYTHON, "-c", asked],
        env={"MICROPYPATH": f"{TRAY}:{FAKE_BOARD}:{FIRMWARE}:.frozen", "BOARD_OUT": ""},
        capture_output=True,
        text=True,
        check=False,
        timeout=10,
    )
    assert (told.stderr, json.loads(told.stdout)) == ("", ["rolling", "rolling", ["settled", [3]]])


def test_the_file_that_runs_at_power_up_plays_a_throw_in_real_time(tmp_path: Path) -> None:
    inbox = Inbox()
    board = LiveBox(TRAY_ID, TRAY / "main.py")
    tray = DiceTray(Settings(ports=[link(board.port, tmp_path / "tray")]), inbox, SteadyClock())
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
