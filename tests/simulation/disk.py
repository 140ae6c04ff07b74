"""The disk of a simulation: the real store on files whose writes are slow, fail, or are torn when the power is cut."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from hub.errors import LogError
from hub.store import KeyedStore, Store
from tests.disk_trace import Disk, Step, Trace, recorded

WRITES = frozenset({"begin", "append", "cut", "end", "wipe", "set_aside", "put_aside", "take_up", "keep", "settle"})
FULL = "The hub's disk is full. Nothing was deleted."


class PowerCut(BaseException):
    """The power is gone. Nothing of the hub catches this."""


class Files:
    """The files of a hub, which outlive its runs. With `torn`, a power cut tears what was not synced (tests/disk_trace.py)."""

    def __init__(self, folder: Path, random: Random, *, torn: bool) -> None:
        self.folder, self._random = folder / "data", random
        self.folder.mkdir()
        self.key = folder / "log.key"
        self.key.write_bytes(random.randbytes(32) + bytes(8))
        self._after_cut = folder / "after"
        self._stack = ExitStack()
        self._trace: Trace | None = self._stack.enter_context(recorded(self.folder)) if torn else None
        self._disk = Disk()

    def close(self) -> None:
        """Record nothing any more."""
        self._stack.close()

    @property
    def steps(self) -> int:
        """Return the number of steps since the last power cut."""
        return len(self._trace.steps) if self._trace else 0

    def cut(self, earliest: int) -> Callable[[], None]:
        """Cut the power after any step from number `earliest` on.

        Return what puts the files into the state that is left, to be called once the hub has closed them.
        """
        if self._trace is None:
            return lambda: None
        last = self._random.randint(earliest, len(self._trace.steps))
        for step in self._trace.steps[:last]:
            self._disk.take(step)
        self._disk.cut(self._random, self._after_cut)
        return self._lose

    def _lose(self) -> None:
        assert self._trace
        shutil.rmtree(self.folder)
        self._after_cut.mkdir(exist_ok=True)
        self._after_cut.rename(self.folder)
        self._trace.steps.clear()
        self._disk = Disk()
        for path in self.folder.rglob("*"):
            if path.is_file():
                name = f"{path.relative_to(self.folder)}"
                self._disk.take(Step("write", name, 0, path.read_bytes()))
                self._disk.take(Step("sync", name))


class SimulatedDisk:
    """The LogStore port while one run of the hub lasts. `wait` lets time pass, and raises PowerCut if the run ends meanwhile."""

    def __init__(self, files: Files, random: Random, wait: Callable[[float], None], wall: Callable[[], float]) -> None:
        self._files, self._random, self._wait = files, random, wait
        self._store = Store(files.folder / "hub.db", wall)
        self._logs = KeyedStore(self._store, files.key)
        self._lose: Callable[[], None] = lambda: None
        self.is_full = False
        self.cuts_next_write = False
        self.slow_seconds = 0.0  # mean time of a write

    def close(self) -> None:
        """Close the files."""
        self._store.close()
        self._lose()

    def lose_power(self) -> None:
        """Cut the power between two writes."""
        self._lose = self._files.cut(self._files.steps)

    def __getattr__(self, name: str) -> Any:
        """Return a method of the store, for writes with the faults of this disk."""
        method = getattr(self._logs, name)
        return self._faulty(method) if name in WRITES else method

    def _faulty(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def write(*given: Any, **named: Any) -> Any:
            if self.slow_seconds:
                self._wait(self._random.expovariate(1 / self.slow_seconds))
            if self.is_full:
                raise LogError(FULL)
            if not self.cuts_next_write:
                return method(*given, **named)
            self.cuts_next_write = False
            before = self._files.steps
            if self._random.random() < 0.7:
                method(*given, **named)
            self._lose = self._files.cut(before)
            raise PowerCut

        return write
