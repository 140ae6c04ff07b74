"""The very file that runs at power-up, on a pty, with the hub's real driver and real time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.button_box import ButtonBoxes
from drivers.line import SteadyClock
from hub.ports import BoxBid, BoxDown, BoxLocked, BoxUnlocked, BoxUp, Key, LampPicture, SealedRound
from tests.drivers.bench import BOX, Inbox
from tests.firmware.live import LiveBox, link
from tests.firmware.pico import needs_micropython

pytestmark = needs_micropython


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
    hub = ButtonBoxes(inbox, [str(tmp_path / "box")], SteadyClock())
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


def moment(box: LiveBox, hub: ButtonBoxes) -> None:
    """A tenth of a second, on the box's own clock: its ring draws a picture every 40 ms."""
    hub.ring(BOX, LampPicture("rolling", 0, "00ff00"))
    pictures: set[str] = set()
    while len(pictures) < 4:
        new = box.lit()
        assert new, "the ring stands still"
        pictures |= set(new)


def lock(box: LiveBox, hub: ButtonBoxes, inbox: Inbox) -> None:
    """Push; as long as the box has not yet heard of the round, a push is a key like others."""
    while True:
        box.put("push", closed=True)
        signal = inbox.next(object)
        moment(box, hub)
        box.put("push", closed=False)
        moment(box, hub)
        if signal == BoxLocked(BOX, 1):
            return
        assert signal == Key(BOX, "push", "down")


def test_a_whole_round_is_played_with_the_file_that_runs_at_power_up(
    boxes: list[LiveBox], hub: ButtonBoxes, inbox: Inbox, tmp_path: Path
) -> None:
    box = plugged_in(boxes, tmp_path)
    assert inbox.next(BoxUp).box == BOX
    hub.ring(BOX, LampPicture("number", 2, "00ff00"))
    lit(box, "00ff00")
    box.put("push", closed=True)
    assert inbox.next(Key) == Key(BOX, "push", "down")
    moment(box, hub)
    box.put("push", closed=False)
    moment(box, hub)
    hub.open(BOX, SealedRound(1, 5, 4))
    lock(box, hub, inbox)
    hub.reveal(BOX, 1)
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
        lock(box, hub, inbox)
        if power_cut:
            unplugged(boxes, tmp_path)
            inbox.next(BoxDown)
    assert len(boots) == 2
    hub.reveal(BOX, 1)
    assert inbox.next(BoxBid) == BoxBid(BOX, 1, 1)
