"""The seat boxes' firmware, run by CPython: a simulated box behaves like a real one.

The modules of `firmware/button_box` that use no pins are plain Python. Of MicroPython they use only the `ticks_` functions of
`time`, which are defined here.
"""

from __future__ import annotations

import builtins
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[2] / "firmware" / "button_box"
VERSION = "sim-1"  # the firmware version that a simulated box reports


@cache
def box_module() -> ModuleType:
    """Return the firmware's module `box`. It has no state of its own."""
    box = load("box")
    vars(box)["VERSION"] = VERSION
    return box


def load(name: str) -> ModuleType:
    """Load a module of the firmware, and the modules that it imports, without `sys.modules`.

    The names `frames`, `link` and `time` would be other modules here.
    """
    loaded: dict[str, ModuleType] = {"time": _time()}

    def load_or_import(wanted: str, *arguments: Any, **named: Any) -> ModuleType:
        if wanted in loaded:
            return loaded[wanted]
        file = FOLDER / f"{wanted}.py"
        if not file.exists():
            return builtins.__import__(wanted, *arguments, **named)
        module = loaded[wanted] = ModuleType(wanted)
        vars(module).update(__file__=str(file), __builtins__={**vars(builtins), "__import__": load_or_import})
        exec(compile(file.read_text("utf-8"), str(file), "exec"), vars(module))  # noqa: S102 - our own file
        return module

    return load_or_import(name)


def _time() -> ModuleType:
    """Return the part of MicroPython's `time` that the firmware uses. These ticks are milliseconds and never wrap."""
    time = ModuleType("time")
    vars(time).update(ticks_add=lambda ticks, delta: ticks + delta, ticks_diff=lambda later, earlier: later - earlier)
    return time
