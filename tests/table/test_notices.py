"""Notices: each stands until its cause has passed, none hides another, and some may be acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from hub.engine.text import say
from hub.errors import LogError, NotOffered
from hub.ports import (
    AddressChanged,
    BoxDown,
    BoxUp,
    BrokerDown,
    BrokerUp,
    DeviceDown,
    DeviceUp,
    Key,
    Length,
    LogEntry,
    LogStore,
    Missing,
    Tick,
)
from hub.table.base.notices import KINDS, Cause, Kind, Notices
from hub.table.base.slow_disk import QUICK_SECONDS, SLOW_DISK, TimedStore, update_slow_disk
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


@pytest.mark.parametrize("kind", [kind for kind, rule in KINDS.items() if rule.seconds is not None])
def test_a_notice_with_a_time_ends_when_it_is_over_and_not_before(kind: Kind) -> None:
    clock = HeldClock()
    notices = Notices(clock)
    seconds = KINDS[kind].seconds
    assert seconds is not None
    notices.post(kind, "So it is.", "2")
    notices.post("disk", "The disk is full.")
    clock.time += seconds - 1
    assert not notices.post(kind, "So it is.", "2"), "said again, it stays no longer"
    assert not notices.run_due()
    clock.time += 1
    notices.post(kind, "And so it is.", "3")
    assert notices.run_due()
    assert [notice.key for notice in notices.public()] == ["disk", f"{kind}:3"]
    assert not notices.run_due()
    clock.time += seconds
    notices.post(kind, "It is another one.", "3")
    assert not notices.run_due(), "another text has its own time"
    clock.time += seconds
    assert notices.run_due()
    assert [notice.key for notice in notices.public()] == ["disk"]


def test_a_cause_ends_what_was_posted_before_it_and_nothing_newer() -> None:
    notices = Notices(HeldClock())
    notices.post("not_rolled", "Nobody rolls.")
    notices.post("other_value", "Another value.", "1")
    notices.post("other_value", "Another value.", "2")
    notices.post("device", "The strip is dark.", "strip")
    before = notices.ended_by("decision")
    assert [*before] == ["not_rolled", "other_value:1", "other_value:2"]
    notices.post("other_value", "Another value.", "1")  # once more
    notices.post("other_value", "A third value.", "2")
    notices.post("other_value", "Another value.", "3")
    notices.end_all("decision", before)
    assert [notice.key for notice in notices.public()] == [
        "other_value:1",
        "other_value:2",
        "other_value:3",
        "device:strip",
    ]
    notices.end_all("decision")
    assert [notice.key for notice in notices.public()] == ["device:strip"]


def test_what_is_posted_about_one_thing_is_not_posted_about_the_kind() -> None:
    notices = Notices(HeldClock())
    notices.post("device", "The strip is dark.", "strip")
    assert not notices.is_posted("device")
    notices.post("disk", "The disk is full.")
    assert notices.is_posted("disk")
    assert not notices.end("device")
    assert notices.end("device", "strip")


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("help:2", "That notice is no longer shown."),
        ("broker", "This notice disappears by itself when its cause is gone."),
    ],
)
def test_who_cannot_dismiss_a_notice_reads_why(key: str, sentence: str) -> None:
    notices = Notices(HeldClock())
    notices.post("broker", "The broker is gone.")
    with pytest.raises(NotOffered) as refused:
        notices.acknowledge(key)
    assert (refused.value.sentence, refused.value.code) == (sentence, "NOTICE")


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


def test_a_sentence_about_several_devices_is_there_once_until_the_last_is_back(rig: TableRig) -> None:
    rig.take(DeviceDown("lamp", "No /dev/spidev0.0."), DeviceDown("panel", "No /dev/spidev1.0."))
    assert texts(rig) == [UNNAMED]
    rig.take(DeviceDown("bell", say("The bell does not answer.")))
    assert texts(rig) == [UNNAMED, "The bell does not answer."]
    rig.take(DeviceUp("lamp"))
    assert texts(rig) == [UNNAMED, "The bell does not answer."]
    rig.take(DeviceUp("panel"))
    assert texts(rig) == ["The bell does not answer."]


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


class Disk(NamedTuple):
    """A disk that is timed, and the notices about it."""

    store: SlowStore
    timed: TimedStore
    notices: Notices

    def takes(self, *seconds: float) -> list[str]:
        """Write so many times, each taking so many seconds; return the notices after that."""
        for one in seconds:
            self.store.takes = one
            self.timed.keep("1", "code", b"FISH")
        update_slow_disk(self.timed, self.notices)
        return [notice.text for notice in self.notices.public()]


@pytest.fixture
def disk() -> Disk:
    store = SlowStore()
    store.clock.time = 8.0
    return Disk(store, TimedStore(store, store.clock), Notices(store.clock))


@pytest.mark.parametrize(
    ("seconds", "is_slow", "is_still_slow"),
    [(0.0, False, False), (0.25, False, False), (0.375, False, True), (0.875, False, True), (1.0, True, True)],
)
def test_a_disk_is_slow_from_a_second_on_until_it_is_much_quicker(
    disk: Disk, seconds: float, is_slow: bool, is_still_slow: bool
) -> None:
    assert disk.takes(seconds) == [SLOW_DISK] * is_slow
    disk.takes(2.0)
    assert disk.takes(seconds) == [SLOW_DISK] * is_still_slow


def test_a_disk_that_takes_three_tenths_of_a_second_is_quick(disk: Disk) -> None:
    disk.takes(1.5)
    disk.store.clock.time = 0.0
    assert disk.takes(QUICK_SECONDS) == []


def test_of_several_writes_the_slowest_counts_once(disk: Disk) -> None:
    assert disk.timed.pop_slowest() is None
    assert disk.takes(0.5, 1.5, 0.25) == [SLOW_DISK]
    assert disk.timed.pop_slowest() is None
    assert not update_slow_disk(disk.timed, disk.notices)
    disk.takes(0.5, 0.75, 0.25)
    disk.store.takes = 0.25
    disk.timed.keep("1", "code", b"FISH")
    assert disk.timed.pop_slowest() == 0.25


def test_a_change_of_the_notice_of_a_slow_disk_is_told_once(disk: Disk) -> None:
    changes = []
    for seconds in (0.125, 1.0, 1.25, 0.5, 0.125, 0.125):
        disk.store.takes = seconds
        disk.timed.keep("1", "code", b"FISH")
        changes.append(update_slow_disk(disk.timed, disk.notices))
    assert changes == [False, True, False, False, True, False]


def test_how_long_a_write_has_taken_is_known_while_it_lasts_also_if_it_fails(disk: Disk) -> None:
    waited: list[float] = []
    disk.store.during, disk.store.broken = lambda: waited.append(disk.timed.pending_seconds()), "The disk is full."
    disk.store.takes = 1.5
    with pytest.raises(LogError, match="full"):
        disk.timed.keep("1", "code", b"FISH")
    assert waited == [1.5]
    assert disk.timed.pending_seconds() == 0.0
    assert disk.timed.pop_slowest() == 1.5


WRITES: list[Callable[[LogStore], object]] = [
    lambda store: store.begin("1", b"head"),
    lambda store: store.append("m-1", [LogEntry(0, b"a"), LogEntry(1, b"b")]),
    lambda store: store.cut("m-1", 1, [LogEntry(1, b"c")]),
    lambda store: store.set_aside("m-1", "Other rules."),
    lambda store: store.put_aside("m-1"),
    lambda store: store.take_up("m-1"),
    lambda store: store.end("m-1", b"{}"),
    lambda store: store.wipe("m-1"),
    lambda store: store.keep("1", "code", b"FISH"),
    lambda store: store.cut("m-1", 0),
]
READS: list[Callable[[LogStore], object]] = [
    lambda store: store.notice,
    lambda store: store.load("m-1"),
    lambda store: store.last("1"),
    lambda store: store.all_put_aside("1"),
    lambda store: store.started_at("m-1"),
    lambda store: store.lengths("bid-it", 3),
    lambda store: store.missing("1"),
    lambda store: store.recall("1", "code"),
]


def test_a_timed_store_reads_and_writes_what_the_store_does_and_times_each_write(disk: Disk) -> None:
    other = MemoryStore()
    other.past = disk.store.past = [Length(30.0, 7)]
    other.lost, disk.store.lost = ({"1": Missing("m-1", 2, 1)} for _ in range(2))
    other.notice = disk.store.notice = "The database was damaged."
    disk.store.takes = 0.5
    for write in WRITES:
        assert write(disk.timed) == write(other)
        assert disk.timed.pop_slowest() == 0.5
        if other.heads:
            assert [read(disk.timed) for read in READS] == [read(other) for read in READS]
        assert disk.timed.pop_slowest() is None, "reading is not timed"
    disk.timed.settle("1")
    assert disk.timed.missing("1") is None
    assert disk.timed.pop_slowest() is not None


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
