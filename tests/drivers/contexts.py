"""What the hub hands to a driver, for tests that make one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from PIL import Image

from hub.ports import DriverContext
from hub.state import PublicState


def context(
    inbox: Callable[[object], None] = print, draws: Mapping[str, Callable[[PublicState], Image.Image]] | None = None
) -> DriverContext:
    """Return a context with a seeded source of chance."""
    return DriverContext(inbox, draws or {}, Random(1))
