"""The environment that a hub has once it is installed: what measures a hub's memory gives it that."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNIT = Path(__file__).parents[2] / "systemd/table-hub.service"


def environment() -> dict[str, str]:
    """Return the variables that the hub's unit sets."""
    lines = [
        line.removeprefix("Environment=")
        for line in UNIT.read_text("utf-8").splitlines()
        if line.startswith("Environment=")
    ]
    return dict(word.split("=", 1) for line in lines for word in line.split())


@contextmanager
def as_installed() -> Iterator[None]:
    """Let processes that are started inside have this environment."""
    before = dict(os.environ)
    os.environ.update(environment())
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def start_again_as_installed() -> None:
    """Start this program anew in this environment, unless it has it: the C library reads it once."""
    wanted = environment()
    if not wanted.items() <= os.environ.items():
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **wanted})
