"""Notices: each stands until its cause has passed, none hides another, and some may be acknowledged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hub.engine.text import say
from hub.errors import NotOffered
from hub.ports import AddressChanged, BoxDown, BoxUp, BrokerDown, BrokerUp, DeviceDown, DeviceUp, Key, Tick
from hub.table.base.notices import KINDS, Cause, Kind, Notices
from hub.table.base.slow_disk import SLOW_DISK
from hub.table.dice.roll_states import STAFF_SECONDS
from hub.table.seating.conditions import NO_BROKER, UNNAMED
from tests.table.fakes import HeldClock, MemoryStore, TableRig
from tests.table.test_rolls import at


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    return rig


def texts(rig: TableRig) -> list[str]:
    return [notice["text"] for notice in rig.state["notices"]]


# --- the list itself -----------------------------------------------------------------------------------


def test_notices_stand_most_severe_first() -> None:
    notices = Notices(HeldClock())
    for kind in reversed(list(KINDS)):
        notices.post(kind, kind)
    severities = [notice.severity for notice in notices.public()]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert [notice.key for notice in notices.public()] == list(KINDS)


def test_one_kind_stands_once_about_each_thing() -> None:
    notices = Notices(HeldClock())
    assert notices.post("device", "The panel is dark.", "panel")
    assert notices.post("device", "The strip is dark.", "strip")
    assert not notices.post("device", "The strip is dark.", "strip"), "it is no news"
    assert notices.post("device", "The panel is gone.", "panel")
    assert [notice.text for notice in notices.public()] == ["The strip is dark.", "The panel is gone."]
    assert notices.end("device", "panel")
    assert not notices.end("device", "panel")
    assert [notice.key for notice in notices.public()] == ["device:strip"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_ended_by_its_cause_and_by_no_other(kind: Kind) -> None:
    rule = KINDS[kind]
    causes: tuple[Cause, ...] = ("decision", "match", "answered")
    for cause in causes:
        notices = Notices(HeldClock())
        notices.post(kind, "So it is.")
        notices.end_all(cause)
        assert bool(notices.public()) == (cause != rule.ends)


def test_what_ends_by_itself_is_not_acknowledged() -> None:
    notices = Notices(HeldClock())
    notices.post("help", "Seat 2 calls for help.", "2")
    notices.post("broker", "The broker is gone.")
    for key in ("broker", "help", "help:3", ""):
        with pytest.raises(NotOffered):
            notices.acknowledge(key)
    notices.acknowledge("help:2")
    assert [notice.key for notice in notices.public()] == ["broker"]


# --- at the table ----------------------------------------------------------------------------------------


def test_a_call_for_help_ends_when_somebody_has_come(rig: TableRig) -> None:
    rig.take(Key("box-2", "bar", "hold"))
    assert texts(rig) == ["Seat 2 calls for help."]
    assert rig.state["notices"][0]["can_acknowledge"]
    assert rig.say(1, "acknowledge", {"key": "help:2"})["ok"]
    assert texts(rig) == []
    answer = rig.say(3, "acknowledge", {"key": "help:2"})
    assert (answer["ok"], answer["code"]) == (False, "NOTICE")


def test_a_call_for_help_is_taken_back_by_the_same_hold(rig: TableRig) -> None:
    rig.take(Key("box-2", "bar", "hold"), Key("box-3", "bar", "hold"))
    rig.take(Key("box-2", "bar", "hold"))
    assert texts(rig) == ["Seat 3 calls for help."]


def test_a_call_for_help_does_not_hide_a_lost_device(rig: TableRig) -> None:
    rig.take(Key("box-2", "bar", "hold"), DeviceDown("panel", say("The panel does not answer.")))
    assert texts(rig) == ["Seat 2 calls for help.", "The panel does not answer."]
    rig.take(DeviceUp("panel"))
    assert texts(rig) == ["Seat 2 calls for help."]


def test_that_nobody_rolls_stands_until_the_dice_move() -> None:
    rig = at(2)
    rig.see("armed")
    rig.clock.time += STAFF_SECONDS
    rig.take(Tick())
    assert texts(rig) == ["Seat 1 has not rolled for two minutes."]
    rig.see("rolling")
    assert texts(rig) == []


def test_that_nobody_rolls_is_over_with_the_roll() -> None:
    rig = at(2)
    rig.clock.time += STAFF_SECONDS
    rig.take(Tick())
    rig.roll(3, 4)
    assert texts(rig) == []


def test_that_nobody_rolls_is_said_again_when_nobody_does() -> None:
    rig = at(2)
    rig.clock.time += STAFF_SECONDS
    rig.see("rolling")
    rig.clock.time += STAFF_SECONDS
    rig.take(Tick())
    assert texts(rig) == ["Seat 1 has not rolled for two minutes."]


def test_a_missing_broker_and_a_lost_device_stand_side_by_side(rig: TableRig) -> None:
    rig.take(DeviceDown("strip", say("The strip is dark.")), BrokerDown("The broker is gone."))
    assert texts(rig) == [NO_BROKER, "The strip is dark."]
    rig.take(BrokerUp())
    assert texts(rig) == ["The strip is dark."]


def test_a_new_box_that_is_gone_again_asks_for_nothing() -> None:
    rig = TableRig(placed=False)
    rig.take(BoxUp("box-x", "b1", "1", 8))
    assert texts(rig) == ["A new seat box: press any button on the box for seat 1."]
    rig.take(BoxDown("box-x", "Unplugged."))
    assert texts(rig) == []


def test_what_hinders_a_start_stands_until_somebody_presses_again() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.press(1, "push")
    rig.press(2, "push")
    rig.press(3, "push")
    rig.press(3, "bar")
    rig.press(1, "push")
    assert texts(rig) == ["Not ready yet: Seat 3."]
    rig.press(3, "push")
    assert texts(rig) == []


def test_a_full_disk_is_a_notice_until_the_disk_is_back(rig: TableRig) -> None:
    rig.start()
    rig.store.broken = "The disk is full."
    assert not rig.act(1, "bid", number=3)["ok"]
    assert texts(rig) == ["The disk is full."]
    rig.store.broken = ""
    rig.take(Tick())
    assert texts(rig) == []


def test_a_new_box_asks_for_no_seat_once_the_lost_one_is_back(rig: TableRig) -> None:
    rig.take(BoxDown("box-2", "Unplugged."), BoxUp("box-x", "b1", "1", 8))
    assert texts(rig) == ["A new seat box: press any button on the box for seat 2."]
    rig.take(BoxUp("box-2", "b2", "1", 8))
    assert texts(rig) == []


def test_a_phone_that_is_ready_ends_what_hindered_a_start() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit(3)
    rig.press(1, "push")
    rig.press(1, "push")
    assert texts(rig) == ["Not ready yet: Seat 3."]
    assert rig.say(3, "ready")["ok"]
    assert texts(rig) == []


def test_nobody_is_said_not_to_roll_who_has_typed() -> None:
    rig = at(2)
    assert rig.say(1, "roll", {"faces": [3, 4]})["ok"]
    rig.clock.time += STAFF_SECONDS
    rig.take(Tick())
    assert texts(rig) == []


def test_a_call_ends_with_the_box_that_could_take_it_back(rig: TableRig) -> None:
    rig.take(Key("box-2", "bar", "hold"), BoxDown("box-2", "Unplugged."))
    assert texts(rig) == []


def test_without_a_network_that_is_said_until_there_is_one(rig: TableRig) -> None:
    rig.take(AddressChanged(""), Tick())
    assert [(notice["severity"], notice["key"]) for notice in rig.state["notices"]] == [("info", "network")]
    rig.take(AddressChanged("http://10.42.0.1:8080"))
    assert texts(rig) == []


class SlowStore(MemoryStore):
    """A disk on which each write takes as long as it is told; `during` is called while it writes."""

    def __init__(self) -> None:
        super().__init__()
        self.takes, self.clock = 0.0, HeldClock()
        self.during: Callable[[], object] = bool

    def _write(self, what: str) -> None:
        self.clock.time += self.takes
        self.during()
        super()._write(what)


@pytest.fixture
def slow() -> TableRig:
    store = SlowStore()
    rig = TableRig(store=store)
    store.clock = rig.clock
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


def test_a_slow_disk_is_a_notice_until_it_is_quick_again(slow: TableRig) -> None:
    slow.store.takes = 0.9  # type: ignore[attr-defined]
    assert slow.act(1, "bid", number=3)["ok"]
    assert texts(slow) == []
    slow.store.takes = 1.1  # type: ignore[attr-defined]
    assert slow.act(2, "bid", number=3)["ok"]
    assert texts(slow) == [SLOW_DISK]
    slow.store.takes = 0.5  # type: ignore[attr-defined]
    assert slow.say(1, "name", {"name": "Ana"})["ok"]
    assert texts(slow) == [SLOW_DISK], "better, but not quick"
    slow.store.takes = 0.1  # type: ignore[attr-defined]
    assert slow.say(1, "name", {"name": "Ben"})["ok"]
    assert texts(slow) == []


def test_a_disk_that_does_not_work_is_not_called_slow_as_well(slow: TableRig) -> None:
    slow.store.takes = 1.1  # type: ignore[attr-defined]
    assert slow.act(1, "bid", number=3)["ok"]
    assert texts(slow) == [SLOW_DISK]
    slow.store.broken = "The hub's database failed."
    assert not slow.act(2, "bid", number=3)["ok"]
    assert texts(slow) == ["The hub's database failed."]
    slow.take(Tick())
    told: list[list[str]] = []

    def look() -> None:
        slow.table.show_waiting()
        told.append(texts(slow))

    slow.store.during = look  # type: ignore[attr-defined]
    slow.take(Tick())
    assert told
    assert {*map(tuple, told)} == {("The hub's database failed.",)}
    slow.store.broken, slow.store.during = "", bool  # type: ignore[attr-defined]
    slow.take(Tick())
    assert texts(slow) == [SLOW_DISK], "it works, and is slow"
    slow.store.takes = 0.1  # type: ignore[attr-defined]
    assert slow.act(2, "bid", number=3)["ok"]
    assert texts(slow) == []


def test_while_the_table_waits_for_its_disk_another_thread_says_so_once(slow: TableRig) -> None:
    told: list[tuple[int, list[str]]] = []

    def look() -> None:
        for _ in range(3):
            slow.table.show_waiting()
        told.append((slow.state["seq"], texts(slow)))

    seq, pictures, pages = slow.state["seq"], len(slow.phones.public), len(slow.page.shown)
    slow.table.show_waiting()
    assert len(slow.phones.public) == pictures, "nothing waits"
    slow.store.takes, slow.store.during = 1.5, look  # type: ignore[attr-defined]
    assert slow.act(1, "bid", number=3)["ok"]
    assert told == [(seq, [SLOW_DISK])]
    assert len(slow.phones.public) == pictures + 2
    assert len(slow.page.shown) == pages + 2, "the big screen, too"
    assert texts(slow) == [SLOW_DISK]


@pytest.mark.parametrize(
    ("why", "shown"),
    [
        ("There is no /dev/spidev0.0.", UNNAMED),
        ("Its words for staff alone.", UNNAMED),
        (say("The board at {path} is no seat box.", path="/dev/ttyACM0"), UNNAMED),
        (say("The panel {panel} does not answer.", panel="2.9"), "The panel 2.9 does not answer."),
    ],
)
def test_no_path_of_a_file_is_shown_to_guests(why: str, shown: str) -> None:
    rig = TableRig()
    rig.take(DeviceDown("dice", why))
    assert rig.notice() == shown
