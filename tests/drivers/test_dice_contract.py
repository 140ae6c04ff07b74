"""The dice port's contract (`hub/ports.py`, `Dice`), kept by every reader: dice of software, smart dice, camera, tray."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
import pytest

from drivers.ble_dice import BleDice, Radio
from drivers.ble_dice import Settings as BleSettings
from drivers.ble_dice.protocols import GoDice
from drivers.camera_tray import CameraTray
from drivers.camera_tray import Settings as CameraSettings
from drivers.camera_tray.calibration import measure, save
from drivers.simulated.dice import SimDice
from hub.ports import CONTROLS, Dice, DiceKit, DiceSeen
from tests.ble.air import Air, AirDie, StillLoop
from tests.drivers.bench import Inbox, StillClock, let_pass
from tests.firmware.pico import needs_micropython
from tests.firmware.tray import TrayBench
from tests.vision.painter import CAMERA, DIE, PaintedDie, Scene, empty, paint, upright

pytestmark = pytest.mark.real_time


class Reader(Protocol):
    """A reader with its dice, and whoever throws them."""

    dice: Dice

    def watching(self) -> bool:
        """Whether the far end has heard of the arm: a hand takes longer than that, a test does not."""

    def throw(self, *faces: int) -> None:
        """Throw; the dice show these."""

    def show_again(self, *faces: int) -> None:
        """Whatever a person does when lying dice are to be read again."""

    def lose(self) -> None:
        """The link is gone."""

    def restore(self) -> None:
        """It is back."""

    def close(self) -> None:
        """Put away."""


class Software:
    """Dice that are not there."""

    def __init__(self, _: Path, inbox: Inbox, clock: StillClock) -> None:
        self.dice = SimDice("dice", inbox, clock, random.Random(1))
        clock.wakes.append(self.dice.wake)
        self.dice.start()
        self.lose, self.restore, self.close = self.dice.lose, self.dice.restore, self.dice.close

    def watching(self) -> bool:
        return True

    def throw(self, *faces: int) -> None:
        self.dice.throw(faces=faces)

    def show_again(self, *faces: int) -> None:
        return


class Tray:
    """The tray's real firmware on a cable, and fingers."""

    def __init__(self, folder: Path, inbox: Inbox, clock: StillClock) -> None:
        self._bench = TrayBench(folder, inbox=inbox, clock=clock)
        self.dice = self._bench.tray
        self.lose, self.restore, self.close = self._bench.keys.unplug, self._bench.keys.plug, self._bench.close

    def watching(self) -> bool:
        return self._bench.watching()

    def throw(self, *faces: int) -> None:
        self._bench.press(*(CONTROLS[1 + face] for face in faces))

    def show_again(self, *faces: int) -> None:
        self._bench.pass_until(self.watching)
        self.throw(*faces)


ROLLS = b"R"
LIES = {1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0)}


class Smart:
    """Two dice on the air."""

    def __init__(self, _: Path, inbox: Inbox, clock: StillClock) -> None:
        names = {f"GoDice_{n}": f"F0:F1:F2:F3:F4:F{n}" for n in (1, 2)}
        self._dice = [
            AirDie(name, at, GoDice(), lambda asked: [b"Bat\x50"] if asked == b"\x03" else [])
            for name, at in names.items()
        ]
        self._air = Air(self._dice)
        loop = StillLoop(clock.now)
        self.dice = BleDice(BleSettings(), inbox, clock, Radio(self._air.scanner, self._air.client, lambda: loop))
        clock.wakes.append(loop.settle)
        self.dice.start()
        self.close = self.dice.close

    def watching(self) -> bool:
        return True

    def throw(self, *faces: int) -> None:
        for die in self._dice[: len(faces)]:
            self._air.do(die.say(ROLLS))
        for die, face in zip(self._dice, faces, strict=False):
            self._air.do(die.say(b"S" + np.array(LIES[face], np.int8).tobytes()))

    def show_again(self, *faces: int) -> None:
        return

    def lose(self) -> None:
        for die in self._dice:
            self._air.do(die.fall_silent())

    def restore(self) -> None:
        for die in self._dice:
            self._air.do(die.come_back())


class Camera:
    """A calibrated tray whose camera is a folder."""

    def __init__(self, folder: Path, inbox: Inbox, clock: StillClock) -> None:
        self._pictures = folder / "pictures"
        self._pictures.mkdir()
        self._shown = 0
        one = paint(Scene([PaintedDie((0, 0), upright(5, 0.4))]), np.random.default_rng(3))
        save(measure(empty(Scene([]), np.random.default_rng(4)), one, CAMERA / DIE), folder / "tray.npz")
        self._empty()
        settings = CameraSettings(source=f"folder:{self._pictures}", calibration=str(folder / "tray.npz"))
        self.dice = CameraTray(settings, inbox, clock)
        clock.wakes.append(self.dice.wake)
        self.dice.start()
        self.close = self.dice.close

    def _empty(self) -> None:
        self._show([])

    def _show(self, dice: list[PaintedDie]) -> None:
        self._shown += 1
        half = self._pictures / "half"
        half.write_bytes(cv2.imencode(".png", paint(Scene(dice), np.random.default_rng(5)))[1].tobytes())
        half.rename(self._pictures / f"{self._shown:04}.png")

    def watching(self) -> bool:
        return self.dice._before is not None

    def throw(self, *faces: int) -> None:
        shift = 7.0 * (self._shown % 3)
        self._show([PaintedDie((-50.0 + 25 * n + shift, 10.0), upright(face, 0.3 * n)) for n, face in enumerate(faces)])

    def show_again(self, *faces: int) -> None:
        return

    def lose(self) -> None:
        for picture in self._pictures.iterdir():
            picture.unlink()

    def restore(self) -> None:
        self._empty()


class Bench:
    """A reader at a table whose clock a test holds."""

    def __init__(self, folder: Path, kind: Callable[[Path, Inbox, StillClock], Reader]) -> None:
        self.inbox, self.clock = Inbox(), StillClock()
        self.reader = kind(folder, self.inbox, self.clock)
        self.dice = self.reader.dice
        self.until(lambda: any(kit.dice >= 2 for kit in self.inbox.all(DiceKit)), "two dice")

    def until(self, right: Callable[[], object], what: str) -> None:
        let_pass(self.clock, self.inbox, right, what)

    def states(self, number: int) -> list[str]:
        """The states of a throw, in order."""
        return [seen.state for seen in self.inbox.all(DiceSeen) if seen.arm == number]

    def arm(self, number: int, count: int, *, lying: bool = False) -> None:
        self.dice.arm(number, 1, count, 6, lying=lying)
        self.seen(number, "armed")
        self.until(self.reader.watching, "an armed reader")

    def seen(self, number: int, state: str, times: int = 1) -> DiceSeen:
        def found() -> list[DiceSeen]:
            return [seen for seen in self.inbox.all(DiceSeen) if (seen.arm, seen.state) == (number, state)]

        self.until(lambda: len(found()) >= times, f"{state} of throw {number}")
        return found()[-1]

    def a_while(self, seconds: float = 3.0) -> None:
        """Let time pass in which nothing should happen."""
        for _ in range(round(seconds / 0.1)):
            self.clock.advance(0.1)
            self.inbox.glance()


KINDS: list[Any] = [
    Software,
    pytest.param(Tray, marks=needs_micropython),
    Smart,
    pytest.param(Camera, marks=pytest.mark.slow),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__.lower())
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path, request.param)
    yield bench
    bench.reader.close()


class TestEveryReader:
    """What the table may rely on, whoever reads."""

    def test_a_throw_is_seen_from_the_arm_to_its_rest(self, bench: Bench) -> None:
        bench.arm(5, 2)
        bench.reader.throw(6, 2)
        settled = bench.seen(5, "settled")
        assert sorted(settled.faces) == [2, 6]
        states = bench.states(5)
        assert states[0] == "armed"
        assert "rolling" in states[: states.index("settled")]

    def test_dice_that_were_thrown_while_nobody_asked_are_no_throw(self, bench: Bench) -> None:
        bench.arm(1, 1)
        bench.dice.disarm()
        bench.reader.throw(3)
        bench.a_while()
        bench.arm(2, 1)
        bench.a_while()
        assert "settled" not in bench.states(1) + bench.states(2)

    def test_only_the_newest_throw_is_told(self, bench: Bench) -> None:
        bench.arm(1, 2)
        bench.arm(2, 2)
        bench.reader.throw(1, 1)
        assert bench.seen(2, "settled").faces == (1, 1)
        assert bench.states(1) == ["armed"]

    def test_what_lies_there_is_read_again_under_its_own_number(self, bench: Bench) -> None:
        bench.arm(1, 2)
        bench.reader.throw(5, 3)
        first = bench.seen(1, "settled")
        bench.dice.arm(2, 1, 2, 6, lying=True)
        bench.reader.show_again(5, 3)
        assert sorted(bench.seen(2, "settled").faces) == sorted(first.faces)

    def test_what_lies_there_is_read_again_although_the_next_throw_was_asked_for(self, bench: Bench) -> None:
        bench.arm(1, 2)
        bench.reader.throw(5, 3)
        first = bench.seen(1, "settled")
        bench.arm(2, 1)
        bench.dice.disarm()
        bench.arm(3, 2, lying=True)
        bench.reader.show_again(5, 3)
        assert sorted(bench.seen(3, "settled").faces) == sorted(first.faces)
        assert "settled" not in bench.states(2)

    def test_a_lost_reader_says_so_and_goes_on_with_the_same_throw_when_it_is_back(self, bench: Bench) -> None:
        bench.arm(1, 2)
        bench.reader.lose()
        assert bench.seen(1, "no_reader").say
        bench.until(lambda: bench.inbox.all(DiceKit)[-1].dice == 0, "a kit without dice")
        bench.reader.restore()
        bench.seen(1, "armed", times=2)
        bench.reader.throw(4, 2)
        assert sorted(bench.seen(1, "settled").faces) == [2, 4]
        bench.a_while(1.0)
        assert bench.states(1).count("settled") == 1

    def test_a_reader_that_is_not_there_lets_the_table_type(self, bench: Bench) -> None:
        bench.reader.lose()
        bench.dice.arm(1, 1, 2, 6)
        assert bench.seen(1, "no_reader").say
        assert "settled" not in bench.states(1)
