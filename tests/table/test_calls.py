"""Calls for staff: acknowledged, so they stay until somebody dismisses them, whatever happens at the table meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hub.ports import BoxDown, HelpRequest, Key, StaffRequest, Tick
from tests.table.fakes import TableRig
from tests.table.guests import later, put_aside


def calls(rig: TableRig) -> list[str]:
    return [one["key"] for one in rig.state["notices"] if one["key"].startswith("help")]


def staff(rig: TableRig, verb: str, **args: object) -> None:
    rig.take(StaffRequest(verb, args, lambda is_done, sentence: None))


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit()
    return rig


def suspended(rig: TableRig) -> None:
    rig.start()
    put_aside(rig)


BESIDE_A_CALL: dict[str, Callable[[TableRig], object]] = {
    "a match begins": lambda rig: rig.start(),
    "a match is suspended": suspended,
    "the box is unplugged": lambda rig: rig.take(BoxDown("box-2", "unplugged")),
    "the guest leaves": lambda rig: rig.say_leave(2),
    "time passes": lambda rig: later(rig, 3600),
}


@pytest.mark.parametrize("what", BESIDE_A_CALL)
def test_a_call_stays_when(what: str, rig: TableRig) -> None:
    rig.say(2, "help")
    BESIDE_A_CALL[what](rig)
    assert calls(rig) == ["help:2"]


ENDS: dict[str, Callable[[TableRig], object]] = {
    "the same seat calls again": lambda rig: rig.say(2, "help"),
    "the bar of its box is held again": lambda rig: rig.take(Key("box-2", "bar", "hold")),
    "another guest dismisses it": lambda rig: rig.say(1, "acknowledge", {"key": "help:2"}),
    "staff dismiss it": lambda rig: staff(rig, "done", key="help:2"),
    "staff prepare the table for the next guests": lambda rig: staff(rig, "reset"),
}


@pytest.mark.parametrize("what", ENDS)
def test_a_call_ends_for_good_when(what: str, rig: TableRig) -> None:
    rig.say(2, "help")
    ENDS[what](rig)
    assert calls(rig) == []
    assert calls(TableRig(3, store=rig.store)) == []


def test_calls_are_there_again_after_a_restart_of_the_hub(rig: TableRig) -> None:
    rig.take(HelpRequest())
    rig.take(Key("box-3", "bar", "hold"))
    again = TableRig(3, store=rig.store)
    assert calls(again) == ["help:guest", "help:3"]
    assert [one["text"] for one in again.state["notices"]] == [
        "Somebody without a seat calls for staff.", "Seat 3 calls for help.",
    ]  # fmt: skip


def test_a_call_needs_no_disk_and_is_written_when_the_disk_is_back(rig: TableRig) -> None:
    rig.store.broken = "It is full."
    rig.take(Key("box-2", "bar", "hold"))
    assert calls(rig) == ["help:2"]
    rig.store.broken = ""
    rig.take(Tick())
    assert calls(TableRig(3, store=rig.store)) == ["help:2"]


@pytest.mark.parametrize("kept", [b'["seven"]', b"{}", b"["])
def test_calls_that_cannot_be_read_are_none(kept: bytes, rig: TableRig) -> None:
    rig.store.keep("1", "calls", kept)
    assert calls(TableRig(3, store=rig.store)) == []
