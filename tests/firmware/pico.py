"""The real firmware of a seat box in the real MicroPython, on a board whose pins and clock a test holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from hub.ports import Control
from tests.dial import ANTICLOCKWISE, CLOCKWISE, Contacts

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "firmware" / "button_box"
FAKE_BOARD = ROOT / "firmware" / "fake_board"
MICROPYTHON = Path(sys.executable).parent / "micropython"
BOX = "e661640843210a2b"
HEAP = "256K"  # a Pico has about 190 KB, and objects here are twice as large

needs_micropython = pytest.mark.skipif(
    not MICROPYTHON.exists(), reason="there is no MicroPython for this processor on PyPI"
)

needs_real_micropython = pytest.mark.skipif(
    not os.getenv("MICROPYTHON_UF2"), reason="MICROPYTHON_UF2 names no file RPI_PICO-....uf2 of micropython.org"
)

PINS: dict[str, Any] = {}
exec((FIRMWARE / "pins.py").read_text(encoding="utf-8"), PINS)  # the one table of pins, as the box reads it
GPIO: dict[str, int] = PINS["GPIO"]


def at_pins(contacts: Contacts) -> int:
    """Return where the dial stands as the firmware counts it: levels, contact A the higher bit."""
    return int(not contacts.a) << 1 | int(not contacts.b)


RIGHT, LEFT = tuple(map(at_pins, CLOCKWISE)), tuple(map(at_pins, ANTICLOCKWISE))
TAP = 60  # ms that a short press takes
LONG = {"bar": 3000, "push": 3000}  # ms after which a control counts as held; the others:
LONG_KEY = 2000


def micropython(program: Path, heap: str = HEAP, env: dict[str, str] | None = None, **more: Any) -> Any:
    """Start a program in MicroPython with the firmware's modules within its reach."""
    paths = {"MICROPYPATH": f"{FAKE_BOARD}:{FIRMWARE}:.frozen"}
    return subprocess.Popen([str(MICROPYTHON), "-X", f"heapsize={heap}", str(program)], env=paths | (env or {}), **more)


class Probe:
    """The firmware's plain modules in MicroPython, asked one expression after another."""

    def __init__(self) -> None:
        # Every question leaves its names behind, so that this one needs room.
        program = FAKE_BOARD / "probe.py"
        self._process = micropython(program, heap="64M", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, expression: str) -> Any:
        """The value of a Python expression over the modules' names."""
        self._process.stdin.write(expression + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, f"MicroPython cannot say {expression}"
        return json.loads(answer)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Pico:
    """A board with its power on. Time passes in it only in `go`."""

    def __init__(self, box: str = BOX, ms: int = 0, program: Path = FAKE_BOARD / "start.py", **env: str) -> None:
        self.ms = ms
        self.shown: dict[str, Any] = {}
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        self._process = micropython(
            program,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pass_fds=(orders, answers),
            env={"BOARD_IN": str(orders), "BOARD_OUT": str(answers), "BOARD_ID": box, "BOARD_MS": str(ms)} | env,
        )
        os.close(orders)
        os.close(answers)
        self._answer_file = os.fdopen(self._answers, "rb")
        os.set_blocking(self._process.stdout.fileno(), False)
        self.said = b""
        self._look()

    @property
    def alive(self) -> bool:
        return not self.shown.get("end")

    def hear(self, data: bytes) -> None:
        """The hub says something; understood at the next `go`."""
        if self.alive:
            self._process.stdin.write(data)

    def go(self, ms: int = 0, orders: Iterable[str] = ()) -> None:
        """Orders, then so many milliseconds pass, then the program goes round until it waits again."""
        if not self.alive:
            return
        self.ms += ms
        lines = [*orders, f"ms {self.ms % 2**30}", "go"]
        os.write(self._orders, ("\n".join(lines) + "\n").encode())
        self._look()

    def pin(self, name: str, closed: bool) -> str:
        """The order that closes or opens a switch."""
        return f"pin {GPIO[name]} {int(not closed)}"

    def dial(self, at: int) -> list[str]:
        """The orders that set the dial's two contacts: 3 is rest."""
        return [f"pin {GPIO['dial_a']} {at >> 1}", f"pin {GPIO['dial_b']} {at & 1}"]

    def take_said(self) -> bytes:
        said, self.said = self.said, b""
        return said

    def power_off(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._answer_file):
            stream.close()
        os.close(self._orders)

    def _look(self) -> None:
        line = self._answer_file.readline()
        assert line, f"the firmware has ended: {self._process.stdout.read()!r}"
        if line != b"=\n":
            self.shown = json.loads(line)
        self.said += self._process.stdout.read() or b""


class MicroPythonBox:
    """The real firmware as the box's end of a cable: what `CPythonBox` is in software, this is with pins."""

    def __init__(self, name: str = BOX, ms: int = 0) -> None:
        self.name = name
        self.pico = self._start(ms)
        self._now = 0.0
        self._sounds: list[str] = []

    @property
    def wants_firmware(self) -> bool:
        return self.pico.shown["end"] == "bootloader"

    @property
    def boot(self) -> str:
        return str(self.pico.shown["boot"])

    def close(self) -> None:
        self.pico.power_off()

    def power_up(self) -> None:
        self.pico.power_off()
        self.pico = self._start()
        self._sounds.clear()

    def _start(self, ms: int = 0) -> Pico:
        return Pico(self.name, ms)

    def press(self, control: Control, hold: bool = False) -> None:
        """With its own time: a hand is slower than a test."""
        self._go(0, [self.pico.pin(control, closed=True)])
        for _ in range((LONG.get(control, LONG_KEY) if hold else 0) // 100):
            self._go(100)
        self._go(TAP)
        self._go(0, [self.pico.pin(control, closed=False)])
        self._go(TAP)

    def hold_both(self) -> None:
        for control in ("bar", "push"):
            self._go(TAP, [self.pico.pin(control, closed=True)])
        for _ in range(11):
            self._go(100)
        for control in ("push", "bar"):
            self._go(TAP, [self.pico.pin(control, closed=False)])
        self._go(TAP)

    def turn(self, detents: int) -> None:
        for _ in range(abs(detents)):
            for at in RIGHT if detents > 0 else LEFT:
                self._go(0, self.pico.dial(at))

    def on_plug_in(self) -> None:
        self.pico.take_said()

    def on_data(self, data: bytes) -> None:
        for start in range(0, len(data), 256):
            self.pico.hear(data[start : start + 256])
            self._go(0)

    def run_due(self, now: float) -> None:
        passed = now - self._now if self._now else 0.0
        self._now = now
        self._go(round(passed * 1000))

    def deadline(self) -> float:
        return self._now + 0.02

    def outgoing(self, now: float) -> bytes:
        return self.pico.take_said()

    def state(self) -> dict[str, Any]:
        shown = self.pico.shown
        ring = shown["ring"]
        return {
            "id": shown["id"],
            "lamps": {"pattern": ring[0], "n": ring[1], "colour": ring[2]} if ring else None,
            "display": shown["text"],
            "sealed": shown["sealed"],
            "locked": shown["locked"],
            "opened": shown["opened"],
            "hood": shown["hood"],
            "buzz": {"kind": self._sounds[-1] if self._sounds else "", "count": len(self._sounds)},
        }

    def _go(self, ms: int, orders: Iterable[str] = ()) -> None:
        tone = self.pico.shown["tone"]
        self.pico.go(ms, orders)
        if self.pico.shown["tone"] != tone and self.pico.shown["tone"] in FIRST_TONES:
            self._sounds.append(FIRST_TONES[self.pico.shown["tone"]])


FIRST_TONES = {880: "lock", 220: "error", 660: "reveal"}
