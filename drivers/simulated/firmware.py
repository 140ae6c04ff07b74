"""The seat boxes' own firmware, run by CPython: a simulated box does what a real one does, in the same words.

The modules of `firmware/button_box` that know no pin are plain Python. Of MicroPython they use only the `ticks_`
functions of `time`, which stand here.
"""

from __future__ import annotations

import builtins
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parents[2] / "firmware" / "button_box"
VERSION = "sim-1"  # instead of the firmware's own: what a simulated box says that it runs


@cache
def box_module() -> Any:
    """Return the firmware's module `box`. It holds no state: every `Box` made of it is a box of its own."""
    box = load("box")
    box.VERSION = VERSION
    return box


def load(name: str) -> Any:
    """Run a module of the firmware, and those that it imports, apart from `sys.modules`; return it.

    The firmware's `frames`, `link` and `time` are names of other modules here.
    """
    loaded: dict[str, ModuleType] = {"time": _time()}

    def load_or_import(wanted: str, *arguments: Any, **named: Any) -> Any:
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
    """Return MicroPython's `time` as far as the firmware needs it. These ticks are milliseconds and never wrap."""
    time: Any = ModuleType("time")
    time.ticks_add = lambda ticks, delta: ticks + delta
    time.ticks_diff = lambda later, earlier: later - earlier
    return time  # type: ignore[no-any-return]
