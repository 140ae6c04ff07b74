"""Test one device by itself: each key, each lamp, a test picture, a roll (`table-hub test-device`).

The device is driven as a table drives it, and each of its signals is printed as a sentence; nothing else of the hub runs.
The controls of a simulated device are operated by the test itself, so that the same output comes without hardware.
"""

from __future__ import annotations

import queue
from collections.abc import Callable

from hub.devices import Simulated
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
from hub.state import ScreenState

LAMP_SECONDS = 3.0  # three rounds of the comet that lights each lamp
STATE = ScreenState("1", "", "", "", 0, 0, "lobby", [])  # a test sheet shows nothing of it
RIGHT, LEFT = "dial right", "dial left"


class DeviceTest:
    """The test of one device. `inbox` takes its signals; `report` gets each sentence; `run` does the test."""

    def __init__(self, name: str, report: Callable[[str], None], clock: Clock, *, six: bool = False) -> None:
        """With `six` each face has to be seen: six dice, on a tray with keys one of each."""
        self._name = name
        self._report = report
        self._clock = clock
        self._signals: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._untested: dict[str, list[str]] = {}  # the controls of each box that were not used yet
        self._faces = set(range(1, 7)) if six else set[int]()  # still to be seen
        self._count = 6 if six else 2
        self._arm = 0
        self._rolled = True
        self._connected = True

    def inbox(self, signal: object) -> None:
        """Take a signal of the device, from any thread."""
        self._signals.put(signal)

    def run(self, device: Device, seconds: float) -> bool:
        """Test everything that the device has, for `seconds` at most; return whether all of it worked."""
        self._report(f"Trying {self._name} for {seconds:g} seconds at most; Ctrl-C ends it.")
        device.start()
        try:
            if device.lamps:
                self._show_lamps(device)
            if device.page:
                self._report(f"{self._name}: a test picture with a frame and the words this way up.")
                device.page.show(STATE, True)
            if device.dice:
                asked = "six dice, 1 to 6: on a tray press each of its keys" if self._faces else "two dice"
                self._report(f"{self._name}: roll {asked}.")
                self._rolled = False
                self._ask_for_dice(device)
            self._handle_until_done(device, self._clock.now() + seconds)
        finally:
            device.close()
        for box, untested in self._untested.items():
            if untested:
                self._report(f"{box}: not heard: {', '.join(untested)}.")
        if device.boxes and not self._untested:
            self._report(f"{self._name}: no box said hello.")
        if not self._rolled:
            self._report(f"{self._name}: no roll was read.")
        return self._connected and self._done(device)

    def _ask_for_dice(self, device: Device) -> None:
        assert device.dice
        self._arm += 1
        device.dice.arm(self._arm, seat=1, count=self._count, sides=6)

    def _done(self, device: Device) -> bool:
        boxes = not device.boxes or (bool(self._untested) and not any(self._untested.values()))
        return boxes and self._rolled

    def _show_lamps(self, device: Device) -> None:
        assert device.lamps
        self._report(f"{self._name}: three lamps run round each ring, then each ring is lit in its seat's colour.")
        device.lamps.show({seat: LampPicture("roll", 0, mark.colour) for seat, mark in SEAT_MARKS.items()})
        self._handle_until(device, self._clock.now() + LAMP_SECONDS)
        device.lamps.show({seat: LampPicture("locked", 0, mark.colour) for seat, mark in SEAT_MARKS.items()})

    def _handle_until_done(self, device: Device, deadline: float) -> None:
        has_input = device.boxes or device.dice
        while self._clock.now() < deadline and not (has_input and self._done(device)):
            self._handle_until(device, min(deadline, self._clock.now() + 0.2))
        self._handle_until(device, self._clock.now())

    def _handle_until(self, device: Device, deadline: float) -> None:
        """Handle all signals until then."""
        while True:
            left = deadline - self._clock.now()
            try:
                signal = self._signals.get(timeout=max(0.0, left))
            except queue.Empty:
                return
            self._handle(device, signal)

    def _handle(self, device: Device, signal: object) -> None:
        report = self._report
        match signal:
            case BoxUp(box, _, firmware, controls):
                report(f"{box}: is there, with {controls} controls (firmware {firmware}). Press each, turn the dial.")
                self._untested.setdefault(box, [*CONTROLS[:controls], RIGHT, LEFT])
                self._greet(device, box)
            case BoxDown(box, reason):
                report(f"{box}: {reason}")
            case Key(box, control, edge):
                self._used(device, box, control, "is held" if edge == "hold" else "is pressed")
            case Turn(box, detents):
                self._used(device, box, RIGHT if detents > 0 else LEFT, f"by {abs(detents)}")
            case DiceKit(_, dice, weak):
                report(f"{self._name}: {dice} dice to roll" + (f", low battery: {', '.join(weak)}" if weak else ""))
            case DiceSeen(_, _, state, faces, text):
                self._faces -= set(faces) if state == "settled" else set()
                self._rolled = self._rolled or (state == "settled" and not self._faces)
                shown = f"{': ' if faces else ''}{' '.join(map(str, faces))}"
                report(f"{self._name}: {state.replace('_', ' ')}{shown} {text}".rstrip())
                if state == "settled" and self._faces:
                    report(f"{self._name}: not seen yet: {' '.join(map(str, sorted(self._faces)))}.")
                    self._ask_for_dice(device)
                if state == "armed" and isinstance(device, Simulated):
                    device.do({"dice": "throw", "count": 2})
            case DeviceDown(_, reason):
                self._connected = False
                report(reason)
            case DeviceUp(name):
                self._connected = True
                report(f"{name} is connected again.")
            case _:
                report(f"{self._name}: {signal}")

    def _greet(self, device: Device, box: str) -> None:
        """Show on the box that it is tested; operate the controls of a simulated one."""
        assert device.boxes
        device.boxes.ring(box, LampPicture("roll"))
        device.boxes.say(box, "Press each key")
        if isinstance(device, Simulated):
            seat = next(seat for seat, name in device.names.items() if name == box)
            device.do({"box": seat, "turn": 1})
            for control in CONTROLS:
                device.do({"box": seat, "press": control})
            device.do({"box": seat, "turn": -1})

    def _used(self, device: Device, box: str, control: str, how: str) -> None:
        """Tick a control off, and show on the box how many are left."""
        untested = self._untested.setdefault(box, [])
        if control in untested:
            untested.remove(control)
        left = f"; still to be tried: {', '.join(untested)}" if untested else "; that was all"
        self._report(f"{box}: {control} {how}{left}.")
        assert device.boxes
        device.boxes.ring(box, LampPicture("locked" if not untested else "number", len(untested)))
        device.boxes.buzz(box, "lock" if untested else "reveal")
