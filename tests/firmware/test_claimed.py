"""What the display of a real box shows while a stranger's phone asks for its seat: the firmware in MicroPython, on its cable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.simulated.seat_box import BoxProgram, CPythonBox
from hub import games
from hub.ports import BoxUp, Key, Turn
from tests.drivers.bench import BOX, Seats
from tests.firmware.pico import MicroPythonBox, needs_micropython
from tests.table.fakes import TableRig

pytestmark = pytest.mark.real_chance

CLAIMED = "Phone wants seat: hold bar, then push"


def take_turns(seats: Seats, rig: TableRig, detents: int) -> None:
    """Hand the table all signals of a turn: a box reports it in one piece or in several."""
    while detents:
        turn = seats.inbox.next(Turn)
        rig.take(turn)
        detents -= turn.detents


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
def test_a_box_shows_the_figure_that_a_push_bids_and_the_claim_when_its_seat_is_not_asked(
    seats: Seats, program: Callable[[], BoxProgram], request: pytest.FixtureRequest
) -> None:
    made = program()
    request.addfinalizer(getattr(made, "close", lambda: None))
    sim = seats.box(made)
    rig = TableRig(2, placed=False, reader=False, hub_boxes=seats.hub(), offered=[games.find("bid-it")])
    rig.sit()
    rig.take(seats.inbox.next(BoxUp))
    sim.press("k1")
    rig.take(seats.inbox.next(Key))
    rig.start("bid-it")
    while rig.state["view"]["waiting"]["seats"] != ["1"]:
        (seat,) = map(int, rig.state["view"]["waiting"]["seats"])
        move = rig.match.open.offers(seat)[0]  # type: ignore[union-attr]
        assert rig.act(seat, move.name, **move.first())["ok"]
    sim.turn(2)
    take_turns(seats, rig, 2)
    line = "Bid 1 x 3"
    seats.see(sim, lambda state: state["display"] == line)
    rig.claim(1)
    seats.see(sim, lambda state: "claim" in str(state["lamps"]))
    assert sim.state()["display"] == line
    sim.turn(1)
    take_turns(seats, rig, 1)
    seats.see(sim, lambda state: state["display"] == "Bid 1 x 4")
    sim.press("push")
    rig.take(seats.inbox.next(Key))
    entry = next(one for one in reversed(rig.match.log) if one.seat == 1)
    assert (entry.args["quantity"], entry.args["rank"]) == (1, 4), "what the display showed"
    seats.see(sim, lambda state: state["display"] == CLAIMED)
