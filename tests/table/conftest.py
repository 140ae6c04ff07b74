"""Tables at which a match has just begun."""

from __future__ import annotations

import pytest

from hub import games
from tests.table.fakes import TableRig


@pytest.fixture
def phones() -> TableRig:
    """Three phones without boxes in a match of Bid & Bait, whose first question is sealed."""
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    return rig


@pytest.fixture
def boxed() -> TableRig:
    """Three boxes, no phone, in a match where seats are asked in turn."""
    rig = TableRig(3, offered=[games.find("bid-it")])
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push", "push")  # hands are on phones, of which there are none: the first push is told so
    assert rig.state["state"] == "playing"
    return rig
