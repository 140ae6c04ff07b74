"""The bell of a real box at the reveal of a real table: the firmware in MicroPython, on its cable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.simulated.seat_box import BoxProgram, CPythonBox
from hub.ports import BoxLocked, BoxUp, Key, Tick
from tests.drivers.bench import BOX, Seats
from tests.firmware.pico import MicroPythonBox, needs_micropython
from tests.table.fakes import TableRig


@pytest.fixture
def seats(tmp_path: Path) -> Iterator[Seats]:
    seats = Seats(tmp_path)
    yield seats
    seats.close()


@pytest.mark.parametrize(
    "program",
    [pytest.param(MicroPythonBox, marks=needs_micropython), lambda: CPythonBox(BOX)],
    ids=["board", "simulated"],
)
@pytest.mark.parametrize("in_the_box", [False, True], ids=["all on phones", "one in the box"])
def test_the_bell_of_a_box_rings_once_at_a_reveal(
    seats: Seats, program: Callable[[], BoxProgram], in_the_box: bool, request: pytest.FixtureRequest
) -> None:
    made = program()
    request.addfinalizer(getattr(made, "close", lambda: None))
    sim = seats.box(made)
    rig = TableRig(3, placed=False, reader=False, hub_boxes=seats.hub(), reveal_seconds=0.7)
    rig.sit()
    rig.take(seats.inbox.next(BoxUp))
    sim.press("k1")
    rig.take(seats.inbox.next(Key))
    assert rig.state["seats"][0]["box"] == "on"
    rig.start()
    seats.see(sim, lambda state: state["sealed"])
    for seat in (2, 3) if in_the_box else (1, 2, 3):
        assert rig.act(seat, "bid", number=seat)["ok"]
    sounds = 0
    if in_the_box:
        sim.press("k4")
        sim.press("push")
        seats.see(sim, lambda state: state["locked"])
        locked = seats.inbox.next(BoxLocked)
        sounds = made.state()["buzz"]["count"]  # of its own
        rig.take(locked)
        while rig.state["revealed"] is None:
            rig.take(seats.inbox.next(object))
    rang = {"kind": "reveal", "count": sounds + 1}
    seats.see(sim, lambda state: state["buzz"] == rang)
    seats.see(sim, lambda state: "reveal" in str(state["lamps"]))
    rig.clock.time += 0.7
    rig.take(Tick())
    seats.see(sim, lambda state: "reveal" not in str(state["lamps"]))
    seats.clock.advance(2.0)
    assert sim.state()["buzz"] == rang
