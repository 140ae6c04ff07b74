"""The smallest public state, for tests of whatever passes one on without reading it."""

from __future__ import annotations

from hub.state import PublicState


def numbered(seq: int, name: str = "") -> PublicState:
    """Return the state of an empty lobby, told from others by its number, or by a name."""
    return PublicState(table="1", name=name, code="FISH", url="", epoch=1, seq=seq, state="lobby", seats=[])
