"""The very file that runs at power-up, on a pty, with the hub's real driver and real time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from drivers.button_box import ButtonBoxes
from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, TablePart, WebPart
from hub.display.rings import frame
from hub.ports import (
    SEAT_MARKS,
    BoxBid,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    Key,
    LampPicture,
    MonotonicClock,
    SealedRound,
)
from tests.complete_states import read_state
from tests.drivers.bench import BOX, Inbox
from tests.firmware.live import LiveBox, link
from tests.firmware.pico import needs_micropython
from tests.phone_ui.rig import until

pytestmark = [needs_micropython, pytest.mark.real_time]


@pytest.fixture
def boxes() -> Iterator[list[LiveBox]]:
    boxes: list[LiveBox] = []
    yield boxes
    for box in boxes:
        box.close()


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def hub(tmp_path: Path, inbox: Inbox) -> Iterator[ButtonBoxes]:
    hub = ButtonBoxes(inbox, [str(tmp_path / "box")], MonotonicClock(), Random(1))
    hub.start()
    yield hub
    hub.close()


def plugged_in(boxes: list[LiveBox], folder: Path) -> LiveBox:
    boxes.append(LiveBox())
    link(boxes[-1].port, folder / "box")
    return boxes[-1]


def unplugged(boxes: list[LiveBox], folder: Path) -> None:
    (folder / "box").unlink()
    boxes.pop().close()


def lit(box: LiveBox, first: str) -> None:
    """Wait until the lamp at the player's side has that colour."""
    while not (pictures := box.lit()) or not pictures[-1].startswith(first):
        assert pictures, f"the ring does not show {first}"


def lock(box: LiveBox, inbox: Inbox) -> None:
    """Push; as long as the box has not yet heard of the round, a push is a key like others."""
    box.tap("push")
    while (signal := inbox.next(object)) != BoxLocked(BOX, 1):
        assert signal == Key(BOX, "push", "down")
        box.tap("push")


def test_a_whole_round_is_played_with_the_file_that_runs_at_power_up(
    boxes: list[LiveBox], hub: ButtonBoxes, inbox: Inbox, tmp_path: Path
) -> None:
    box = plugged_in(boxes, tmp_path)
    assert inbox.next(BoxUp).box == BOX
    hub.ring(BOX, LampPicture("number", 2, "00ff00"))
    lit(box, "00ff00")
    box.tap("push")
    assert inbox.next(Key) == Key(BOX, "push", "down")
    hub.open(BOX, SealedRound(1, 5, 4))
    lock(box, inbox)
    hub.reveal([BOX], 1)
    assert inbox.next(BoxBid) == BoxBid(BOX, 1, 4)


def test_a_power_cut_in_the_middle_of_a_round_is_a_new_boot_and_the_round_is_asked_again(
    boxes: list[LiveBox], hub: ButtonBoxes, inbox: Inbox, tmp_path: Path
) -> None:
    hub.open(BOX, SealedRound(1, 5, 1))
    boots = set()
    for power_cut in (True, False):
        box = plugged_in(boxes, tmp_path)
        boots.add(inbox.next(BoxUp).boot)
        if not power_cut:
            assert inbox.next(BoxUnlocked) == BoxUnlocked(BOX, 1), "with the power went the lock"
        lock(box, inbox)
        if power_cut:
            unplugged(boxes, tmp_path)
            inbox.next(BoxDown)
    assert len(boots) == 2
    hub.reveal([BOX], 1)
    assert inbox.next(BoxBid) == BoxBid(BOX, 1, 1)


@pytest.mark.broker
def test_a_table_of_real_boxes_sits_down_starts_and_bids(boxes: list[LiveBox], tmp_path: Path) -> None:
    """The whole hub, three boxes with the real firmware, and no phone."""
    boxes += [LiveBox(f"e66164084321000{number}") for number in (1, 2, 3)]
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")),
        web=WebPart("127.0.0.1", 0),
        table=(TablePart(seats=3, game="bid-and-bait"),),
        device=(DevicePart("button_box", settings={"ports": [box.port for box in boxes]}),),
    )
    with Hub(config) as hub:
        hub.start()
        table: dict[str, Any] = {}

        def seen(right: Callable[[dict[str, Any]], object], what: str) -> None:
            def look() -> bool:
                table.clear()
                table.update(read_state(hub.access["1"].public.get()[1]))
                return bool(right(table))

            until(look, what)

        seen(lambda table: "box for seat 1" in str(table["notices"]), "a box that asks for its seat")
        for seat, box in enumerate(boxes, 1):
            box.tap("k1")
            seen(lambda table, seat=seat: table["seats"][seat - 1]["box"] == "on", f"the box of seat {seat}")  # type: ignore[misc]
        for seat, box in enumerate(boxes, 1):
            box.tap("push")
            seen(lambda table, seat=seat: table["seats"][seat - 1]["ready"], f"seat {seat} ready")  # type: ignore[misc]
        boxes[0].tap("push")
        seen(lambda table: table["state"] == "playing", "the match")
        for seat, key in enumerate(("k2", "k4", "k6"), 1):
            choosing = frame(LampPicture("choosing", 0, SEAT_MARKS[seat].colour), 0)[0]
            lit(boxes[seat - 1], "".join(f"{part:02x}" for part in choosing))
            boxes[seat - 1].tap(key, "push")
        seen(lambda table: table["view"]["seats"]["1"].get("bid"), "the bids")
        bids = [table["view"]["seats"][str(seat)]["bid"] for seat in (1, 2, 3)]
        assert bids == [2, 4, 6]
