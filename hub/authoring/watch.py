"""Run a program again whenever a file of a folder changes: the hub that an author plays a game on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

SECONDS = 0.5
STOP_SECONDS = 15.0
SUFFIXES = (".py", ".toml", ".po")


def times(folder: Path) -> Mapping[Path, int]:
    """Return when each file of a game was changed, in nanoseconds."""
    found = {}
    for file in folder.rglob("*"):
        if file.suffix in SUFFIXES and "__pycache__" not in file.parts:
            try:
                found[file] = file.stat().st_mtime_ns
            except OSError:  # an editor has just replaced it, or it is a link to nothing
                continue
    return found


def run_again(
    command: Sequence[str], first: Sequence[str], folder: Path, wait: Callable[[float], None], say: Callable[[str], None]
) -> None:  # fmt: skip
    """Run the command `first`, and `command` after each change below `folder`, until KeyboardInterrupt.

    `wait` waits for some seconds. If a command ends by itself, the next one begins after the next change all the same.
    """
    running = first
    while True:
        known, process = times(folder), subprocess.Popen(running)
        running = command
        try:
            while (now := times(folder)) == known:
                wait(SECONDS)
            changed = sorted({file.name for file, at in {*known.items()} ^ {*now.items()}})
            say(f"{', '.join(changed)} changed: the hub starts again.")
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
