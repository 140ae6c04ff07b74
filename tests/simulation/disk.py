"""The disk of a simulation: the real store, with writes that fail, and power that is cut before or after one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from hub.errors import LogError
from hub.store import KeyedStore, Store

WRITES = frozenset({"begin", "append", "cut", "end", "wipe", "set_aside", "put_aside", "take_up", "keep", "settle"})
FULL = "The hub's disk is full. Nothing was deleted."


class PowerCut(BaseException):
    """The power is gone. Nothing of the hub catches this."""


class SimulatedDisk:
    """The LogStore port over SQLite. A transaction is whole or not there: torn writes have tests of their own."""

    def __init__(self, folder: Path, random: Random) -> None:
        self._store = Store(folder / "hub.db")
        self._logs = KeyedStore(self._store, folder / "log.key")
        self._random = random
        self.is_full = False
        self.cuts_next_write = False

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def __getattr__(self, name: str) -> Any:
        """Return a method of the store, for writes with the faults of this disk."""
        method = getattr(self._logs, name)
        return self._faulty(method) if name in WRITES else method

    def _faulty(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def write(*given: Any, **named: Any) -> Any:
            if self.is_full:
                raise LogError(FULL)
            if self.cuts_next_write:
                self.cuts_next_write = False
                if self._random.random() < 0.5:
                    method(*given, **named)
                raise PowerCut
            return method(*given, **named)

        return write
