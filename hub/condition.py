"""What every device said of itself last, for whoever looks after the tables (`/status.json`, `table-hub doctor`).

It listens beside the table's inbox and knows of no match: nothing in here is anybody's secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub.ports import BoxDown, BoxUp, BrokerDown, BrokerUp, DeviceDown, DeviceUp, DiceKit, DiceSeen


class Condition:
    """The devices of one table. Called from many threads, each entry is replaced whole."""

    def __init__(self) -> None:
        self._boxes: dict[str, dict[str, Any]] = {}
        self._devices: dict[str, str] = {}
        self._dice: dict[str, dict[str, Any]] = {}
        self._broker = ""

    def heard(self, signal: object) -> None:
        """What went into the table's inbox."""
        match signal:
            case BoxUp(box, _, firmware, controls):
                self._boxes[box] = {"on": True, "firmware": firmware, "controls": controls, "why": ""}
            case BoxDown(box, why):
                self._boxes[box] = (
                    {"firmware": "", "controls": 0} | self._boxes.get(box, {}) | {"on": False, "why": why}
                )
            case DeviceDown(device, why):
                self._devices[device] = why
            case DeviceUp(device):
                self._devices[device] = ""
            case DiceKit(reader, dice, weak):
                self._dice[reader] = self._reader(reader) | {"dice": dice, "weak": list(weak)}
            case DiceSeen(reader, _, state, _, say):
                self._dice[reader] = self._reader(reader) | {"why": say if state == "no_reader" else ""}
            case BrokerDown(why):
                self._broker = why
            case BrokerUp():
                self._broker = ""
            case _:
                return

    def _reader(self, reader: str) -> dict[str, Any]:
        return self._dice.get(reader, {"dice": 0, "weak": [], "why": ""})

    def told(self) -> Mapping[str, Any]:
        """All of it, ready for JSON. An empty sentence means that all is well."""
        return {
            "boxes": dict(self._boxes),
            "devices": dict(self._devices),
            "dice": dict(self._dice),
            "broker": self._broker,
        }
