"""The clock and the chance of the machine, which a test may use only if its marker says so.

`install` wraps them once, before the project's own modules are imported: some import a clock by its name. A call counts
if the code that calls is the project's; the standard library and packages use clocks and chance as they like. So timeouts
of queues, locks and event loops stay what they are.
"""

from __future__ import annotations

import os
import random
import secrets
import sys
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

import nacl.utils

REAL = {
    "real_time": "the clock of the machine",
    "real_chance": "the chance of the machine",
}
BOTH = ("browser", "broker", "long", "wide")
"""The markers of tests that run the things themselves: these use the clock and the chance of the machine in any case."""
OURS = ("hub", "drivers", "phone_ui", "firmware", "tests")
THROUGH = ("random", "secrets", "uuid", "nacl")
"""The packages whose callers are asked for: they draw only because somebody wants a number, a name or a key."""


class MachineUsed(AssertionError):
    """A test without the marker has used a clock or the chance of the machine."""


class _Guard:
    """What the running test may use, and what it has used without."""

    def __init__(self) -> None:
        self.running = ""  # the name of the test; empty between tests
        self.allowed: Collection[str] = ()
        self.exempt: set[int] = set()  # threads of earlier tests, which have not ended yet
        self.found: list[str] = []

    def check(self, kind: str, name: str, depth: int = 2) -> None:
        """Raise MachineUsed if code of ours, called by the running test, may not use this."""
        if not self.running or kind in self.allowed:
            return
        frame = sys._getframe(depth)
        while frame.f_back and (_package(frame.f_globals) in THROUGH or frame.f_globals is globals()):
            frame = frame.f_back
        if _package(frame.f_globals) not in OURS or threading.get_ident() in self.exempt:
            return
        where = f"{frame.f_globals['__name__']}:{frame.f_lineno}"
        found = f"{where} uses {name}, which is {REAL[kind]}. Hand it a source, or mark the test {kind}."
        self.found.append(found)
        raise MachineUsed(found)


GUARD = _Guard()


def begin(test: str, markers: Collection[str]) -> None:
    """Begin a test with these markers."""
    GUARD.allowed = tuple(REAL) if any(one in markers for one in BOTH) else [one for one in REAL if one in markers]
    GUARD.exempt = {one.ident or 0 for one in threading.enumerate()} - {threading.get_ident()}
    GUARD.found = []
    GUARD.running = test


def end() -> list[str]:
    """End the test; return what it used without a marker, also where something caught the error."""
    GUARD.running = ""
    return GUARD.found


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]


class _Guarded:
    """A function behind the guard. An object, so that it is no method where a class has it as an attribute."""

    def __init__(self, kind: str, name: str, function: Callable[..., Any], least: int = 0) -> None:
        """`least`: the number of arguments with which it reads no clock."""
        self._kind, self._name, self._function, self._least = kind, name, function, least
        self.__name__, self.__doc__ = name.rpartition(".")[2], function.__doc__

    def __call__(self, *given: Any, **named: Any) -> Any:
        if not self._least or len(given) < self._least:
            GUARD.check(self._kind, self._name)
        return self._function(*given, **named)


def install() -> None:
    """Wrap every clock and every source of chance of the standard library and of PyNaCl."""
    for name in ("time", "monotonic", "perf_counter", "sleep", "time_ns", "monotonic_ns", "perf_counter_ns"):
        _wrap("real_time", time, name)
    for name in ("clock_gettime", "clock_gettime_ns"):
        _wrap("real_time", time, name)
    for name in ("gmtime", "localtime", "ctime"):
        _wrap("real_time", time, name, 1)
    _wrap("real_time", time, "strftime", 2)
    _wrap("real_chance", os, "urandom")
    _wrap("real_chance", secrets, "randbits")
    _wrap("real_chance", nacl.utils, "random")
    for name in random.__all__:
        if not isinstance(getattr(random, name), type):
            _wrap("real_chance", random, name)
    for name in ("random", "getrandbits", "randbytes"):
        _wrap_method(name)
    seeded = random.Random.__init__

    def init(self: random.Random, x: Any = None) -> None:
        if x is None and not isinstance(self, random.SystemRandom):  # noqa: TID251 - the thing itself
            GUARD.check("real_chance", "random.Random without a seed")
        seeded(self, x)

    random.Random.__init__ = init  # type: ignore[method-assign]


def _wrap(kind: str, module: Any, name: str, least: int = 0) -> None:
    setattr(module, name, _Guarded(kind, f"{module.__name__}.{name}", getattr(module, name), least))


def _wrap_method(name: str) -> None:
    machine = random.SystemRandom  # noqa: TID251 - the thing itself
    method = getattr(machine, name)

    def draw(self: random.Random, *given: Any) -> Any:
        GUARD.check("real_chance", f"random.SystemRandom.{name}")
        return method(self, *given)

    setattr(machine, name, draw)
