"""One device tried by itself: each key, each lamp, a test picture, a roll (`table-hub test-device`).

The device is told what a table would tell it, and what it says is written down in words; nothing else of the hub
runs. A device of software is handled by the trial itself, so that the same words can be seen without hardware.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from PIL import Image

from hub.display import SIZES, PanelSize
from hub.display.ink import Box, Sheet, fitting
from hub.ports import (
    CONTROLS,
    SEAT_MARKS,
    BoxDown,
    BoxUp,
    Clock,
    Device,
    DeviceDown,
    DeviceUp,
    DiceKit,
    DiceSeen,
    Key,
    LampPicture,
    Turn,
)
from hub.state import PublicState

LAMP_SECONDS = 3.0  # three rounds of the comet that lights each lamp
STATE = PublicState("1", "", "", "", 0, 0, "lobby", [])  # a test sheet shows nothing of it
RIGHT, LEFT = "dial right", "dial left"


@runtime_checkable
class Hands(Protocol):
    """A device of software, and what a person would do with it."""

    names: Mapping[int, str]

    def do(self, command: Mapping[str, Any]) -> str | None:
        """One act of a person; a sentence where it cannot be."""


def trial_sheet(_state: PublicState, size: PanelSize) -> Image.Image:
    """A sheet that shows whether a panel is whole and the right way up: frame, arrow, squares of black and white."""
    form = SIZES[size]
    paper = Sheet(form.width, form.height)
    whole = Box(0, 0, form.width, form.height)
    paper.frame(whole, width=3)
    side = min(form.height // 8, form.width // 14)
    for down in range(1, 7):
        for across in range(1, 7):
            if (down + across) % 2:
                left, top = across * side, down * side
                paper.fill(Box(left, top, left + side, top + side))
    words = whole._replace(left=side * 8).inset(6, 6)
    lines = (f"{size} inch", "this way up", "black on white")
    size_of_all = min(fitting(line, words.width, (48, 40, 32, 26, 22, 18, 16, 13), bold=True) for line in lines)
    for place, line in enumerate(lines):
        paper.line(words.row(place, words.height // 3), line, size_of_all, bold=place == 1)
    return paper.image


class Trial:
    """The trial of one device. `inbox` is the table's inbox for it; `run` answers whether everything was seen."""

    def __init__(self, name: str, say: Callable[[str], None], clock: Clock) -> None:
        self._name = name
        self._say = say
        self._clock = clock
        self._signals: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._missing: dict[str, list[str]] = {}  # of each box, what was not used yet
        self._rolled = True
        self._well = True

    def inbox(self, signal: object) -> None:
        """What the device says."""
        self._signals.put(signal)

    def run(self, device: Device, seconds: float) -> bool:
        """Try everything that the device has; ends when all was seen, or after `seconds`."""
        self._say(f"Trying {self._name} for {seconds:g} seconds at most; Ctrl-C ends it.")
        device.start()
        try:
            if device.lamps:
                self._show_lamps(device)
            if device.page:
                self._say(f"{self._name}: a test picture with a frame and the words this way up.")
                device.page.show(STATE, True)
            if device.dice:
                self._say(f"{self._name}: roll two dice.")
                self._rolled = False
                device.dice.arm(1, seat=1, count=2, sides=6)
            self._listen(device, self._clock.now() + seconds)
        finally:
            device.close()
        for box, missing in self._missing.items():
            if missing:
                self._say(f"{box}: not heard: {', '.join(missing)}.")
        if not self._rolled:
            self._say(f"{self._name}: no roll was read.")
        return self._well and self._done(device)

    def _done(self, device: Device) -> bool:
        boxes = not device.boxes or (bool(self._missing) and not any(self._missing.values()))
        return boxes and self._rolled

    def _show_lamps(self, device: Device) -> None:
        assert device.lamps
        self._say(f"{self._name}: three lamps run round each ring, then each ring is lit in its seat's colour.")
        device.lamps.show({seat: LampPicture("roll", 0, mark.colour) for seat, mark in SEAT_MARKS.items()})
        self._hear(device, self._clock.now() + LAMP_SECONDS)
        device.lamps.show({seat: LampPicture("locked", 0, mark.colour) for seat, mark in SEAT_MARKS.items()})

    def _listen(self, device: Device, until: float) -> None:
        talks = device.boxes or device.dice
        while self._clock.now() < until and not (talks and self._done(device)):
            self._hear(device, min(until, self._clock.now() + 0.2))
        self._hear(device, self._clock.now())

    def _hear(self, device: Device, until: float) -> None:
        """Everything that the device says until then."""
        while True:
            left = until - self._clock.now()
            try:
                signal = self._signals.get(timeout=max(0.0, left))
            except queue.Empty:
                return
            self._understand(device, signal)

    def _understand(self, device: Device, signal: object) -> None:
        say = self._say
        match signal:
            case BoxUp(box, _, firmware, controls):
                say(f"{box}: is there, with {controls} controls (firmware {firmware}). Press each, turn the dial.")
                self._missing.setdefault(box, [*CONTROLS[:controls], RIGHT, LEFT])
                self._greet(device, box)
            case BoxDown(box, why):
                say(f"{box}: {why}")
            case Key(box, control, edge):
                self._used(device, box, control, "is held" if edge == "hold" else "is pressed")
            case Turn(box, detents):
                self._used(device, box, RIGHT if detents > 0 else LEFT, f"by {abs(detents)}")
            case DiceKit(_, dice, weak):
                say(f"{self._name}: {dice} dice to roll" + (f", low battery: {', '.join(weak)}" if weak else ""))
            case DiceSeen(_, _, state, faces, told):
                self._rolled = self._rolled or state == "settled"
                say(
                    f"{self._name}: {state.replace('_', ' ')}{': ' if faces else ''}{' '.join(map(str, faces))} {told}".rstrip()
                )
                if state == "armed" and isinstance(device, Hands):
                    device.do({"dice": "throw", "count": 2})
            case DeviceDown(_, why):
                self._well = False
                say(why)
            case DeviceUp(name):
                self._well = True
                say(f"{name} is well again.")
            case _:
                say(f"{self._name}: {signal}")

    def _greet(self, device: Device, box: str) -> None:
        assert device.boxes
        device.boxes.ring(box, LampPicture("roll"))
        device.boxes.say(box, "Press each key")
        if isinstance(device, Hands):
            seat = next(seat for seat, name in device.names.items() if name == box)
            device.do({"box": seat, "turn": 1})
            for control in CONTROLS:
                device.do({"box": seat, "press": control})
            device.do({"box": seat, "turn": -1})

    def _used(self, device: Device, box: str, what: str, how: str) -> None:
        missing = self._missing.setdefault(box, [])
        if what in missing:
            missing.remove(what)
        still = f"; still to be tried: {', '.join(missing)}" if missing else "; that was all"
        self._say(f"{box}: {what} {how}{still}.")
        assert device.boxes
        device.boxes.ring(box, LampPicture("locked" if not missing else "number", len(missing)))
        device.boxes.buzz(box, "lock" if missing else "reveal")
