"""When the venue closes: every weekday, over midnight, and where summer time begins and ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from random import Random

import pytest
from msgspec import UNSET

from hub.chance import Chance
from hub.table.base.ports import Ports
from hub.table.core import Core
from hub.table.staff.opening_hours import AFTER_SECONDS, CLOCK_SET, closing
from hub.table.staff.session_limit import SessionLimit
from tests.table.fakes import FakePhones, HeldClock, MemoryStore

EVERY_DAY = ("23:00",) * 7
SUMMER, WINTER = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))


@pytest.fixture(autouse=True)
def berlin() -> Iterator[None]:
    """The machine stands in a place with summer time."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def at(text: str, zone: timezone = WINTER) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def test_the_house_closes_this_evening_and_then_tomorrow() -> None:
    assert closing(EVERY_DAY, at("2026-11-23 15:00")) == at("2026-11-23 23:00")
    assert closing(EVERY_DAY, at("2026-11-23 23:59")) == at("2026-11-23 23:00"), "it has just closed"
    assert closing(EVERY_DAY, at("2026-11-24 00:00")) == at("2026-11-24 23:00")


def test_a_time_before_noon_is_the_next_morning() -> None:
    fridays = ("", "", "", "", "01:30", "", "")
    assert closing(fridays, at("2026-11-27 22:00")) == at("2026-11-28 01:30")
    assert closing(fridays, at("2026-11-28 01:00")) == at("2026-11-28 01:30")
    assert closing(fridays, at("2026-11-28 12:00")) == at("2026-12-05 01:30"), "a week later"
    assert closing(("00:00",) * 7, at("2026-11-27 22:00")) == at("2026-11-28 00:00")
    assert closing(("",) * 7, at("2026-11-28 12:00")) is None


@pytest.mark.parametrize(
    ("now", "closes"),
    [
        # Clocks go back at 3:00 on the 25th of October, and forward at 2:00 on the 29th of March.
        (at("2026-10-24 22:00", SUMMER), at("2026-10-25 02:30", SUMMER)),  # the first of two
        (at("2026-10-25 14:00", WINTER), at("2026-10-26 02:30", WINTER)),
        (at("2026-03-28 22:00", WINTER), at("2026-03-29 03:30", SUMMER)),  # there is no 2:30: moved on with the clock
        (at("2026-03-29 14:00", SUMMER), at("2026-03-30 02:30", SUMMER)),
    ],
)
def test_summer_time_begins_and_ends_in_the_night_of_an_evening(now: float, closes: float) -> None:
    assert closing(("02:30",) * 7, now) == closes


def test_the_clock_of_a_machine_that_does_not_know_the_time_closes_nothing() -> None:
    assert closing(EVERY_DAY, 1000.0) is None
    assert closing(EVERY_DAY, CLOCK_SET - 1) is None
    assert closing(EVERY_DAY, CLOCK_SET) == at("2025-01-01 23:00")


class Evening:
    """The time of a table, from a moment of the wall clock on."""

    def __init__(self, begins: float, evenings: tuple[str, ...] = EVERY_DAY) -> None:
        self.now, self.clock = begins, HeldClock()
        self.store, self.evenings = MemoryStore(), evenings
        self.restart()

    def restart(self) -> None:
        """Let the hub start (again)."""
        ports = Ports(self.store, FakePhones([]), self.clock, Chance(1), lambda: self.now, Random(1))
        core = Core.make("1", 2, [], ports)
        self.notices, self.limit = core.notices, SessionLimit(core, self.evenings)
        self.limit.restore()
        core.kept.open()

    def passed(self, minutes: float) -> str:
        self.pass_seconds(60 * minutes)
        return next((one.text for one in self.notices.public()), "")

    def pass_seconds(self, seconds: float) -> bool:
        """Let time pass; return whether anything has changed."""
        self.now += seconds
        self.clock.time += seconds
        return self.limit.run_due()


def test_closing_time_is_announced_by_itself_and_ends_nothing() -> None:
    evening = Evening(at("2026-11-23 22:00"))
    assert evening.passed(44) == ""
    assert (evening.limit.until, evening.limit.by_hours) == (at("2026-11-23 23:00"), True)
    assert evening.passed(1) == "Last orders: the venue closes at 23:00."
    assert evening.passed(10) == "A few minutes are left: the venue closes at 23:00."
    assert evening.passed(5) == "The venue closed at 23:00. Your match does not stop by itself."
    assert evening.passed(AFTER_SECONDS / 60) == "", "next day"
    assert evening.limit.until == at("2026-11-24 23:00")


def test_last_orders_come_at_the_right_moment_in_the_night_that_has_an_hour_more() -> None:
    evening = Evening(at("2026-10-25 01:00", SUMMER), ("03:30",) * 7)  # 3:30 is three and a half hours away
    assert evening.passed(194) == ""
    assert evening.passed(1) == "Last orders: the venue closes at 03:30."


def test_what_staff_set_counts_before_the_hours_of_the_house() -> None:
    evening = Evening(at("2026-11-23 22:50"))
    assert evening.passed(0) == "Last orders: the venue closes at 23:00."
    evening.limit.set(int(at("2026-11-23 23:30")))
    assert evening.passed(0) == "", "this group stays longer"
    assert evening.limit.until == at("2026-11-23 23:30")
    evening.limit.set(None)
    assert evening.passed(0) == "Last orders: the venue closes at 23:00."


# --- to the second ---------------------------------------------------------------------------------------------

HOURS = (
    "Last orders: the venue closes at 23:00.",
    "A few minutes are left: the venue closes at 23:00.",
    "The venue closed at 23:00. Your match does not stop by itself.",
)
STAFF = (
    "Last orders: the time for this table ends at 23:00.",
    "A few minutes are left: the time for this table ends at 23:00.",
    "The time for this table ended at 23:00. Your match does not stop by itself.",
)


@pytest.mark.parametrize(("by_staff", "said"), [(False, HOURS), (True, STAFF)])
def test_each_announcement_comes_to_the_second_and_is_a_change_once(by_staff: bool, said: tuple[str, ...]) -> None:
    evening = Evening(at("2026-11-23 22:00"), ("",) * 7 if by_staff else EVERY_DAY)
    evening.pass_seconds(0)
    if by_staff:
        evening.limit.set(int(at("2026-11-23 23:00")))
    assert evening.limit.by_hours is not by_staff
    before = ""
    for minute, sentence in zip((45, 55, 60), said, strict=True):
        evening.pass_seconds(at("2026-11-23 22:00") + 60 * minute - 1 - evening.now)
        assert evening.passed(0) == before, "not a second before"
        assert evening.pass_seconds(1), "it is shown"
        assert evening.passed(0) == sentence
        assert not evening.pass_seconds(1), "it is shown already"
        before = sentence
    assert evening.passed(59) == before


def test_last_orders_end_when_staff_give_the_table_more_time() -> None:
    evening = Evening(at("2026-11-23 22:50"), ("",) * 7)
    evening.limit.set(int(at("2026-11-23 23:00")))
    assert evening.passed(0) == STAFF[0]
    assert not evening.pass_seconds(1)
    evening.limit.set(int(at("2026-11-23 23:30")))
    assert evening.passed(0) == ""
    assert not evening.pass_seconds(1)
    evening.limit.set(None)
    assert (evening.limit.until, evening.limit.by_hours, evening.store.kept["1", "until"]) == (None, False, b"")
    assert not evening.pass_seconds(1)


def test_the_closing_time_of_the_next_evening_is_a_change_and_none_before() -> None:
    evening = Evening(at("2026-11-23 15:00"))
    before = evening.limit.until
    assert (before, evening.pass_seconds(0)) == (None, True), "it is known from the first look on"
    assert evening.limit.until == at("2026-11-23 23:00")
    assert not evening.pass_seconds(1)
    assert evening.pass_seconds(at("2026-11-24 00:00") - evening.now)
    assert evening.limit.until == at("2026-11-24 23:00")
    assert not evening.pass_seconds(1)


def test_closing_time_is_looked_up_once_a_second_and_when_the_clock_is_set_back() -> None:
    evening = Evening(at("2026-11-23 23:59:59"))
    evening.pass_seconds(0)
    assert evening.limit.until == at("2026-11-23 23:00")
    evening.pass_seconds(0.5)
    evening.pass_seconds(0.25)
    assert evening.limit.until == at("2026-11-23 23:00")
    evening.pass_seconds(0.25)
    assert evening.limit.until == at("2026-11-24 23:00"), "a second later"
    evening.now = at("2026-11-22 12:00")
    evening.pass_seconds(0)
    assert evening.limit.until == at("2026-11-22 23:00")


def test_a_wall_clock_that_jumps_does_not_shorten_the_time_that_staff_have_set() -> None:
    evening = Evening(at("2026-11-23 22:00"), ("",) * 7)
    evening.limit.choose(60, UNSET)
    evening.now += 3000
    assert evening.passed(44.9) == ""
    assert evening.passed(0.1) == STAFF[0]


@pytest.mark.parametrize(
    ("hours", "stays"), [(-24, False), (-23.9, True), (-1, True), (1, True), (23.9, True), (24, False), (48, False)]
)
def test_a_restart_keeps_the_time_of_this_evening_only(hours: float, stays: bool) -> None:
    evening = Evening(at("2026-11-23 22:00"), ("",) * 7)
    until = int(evening.now + 3600 * hours)
    evening.store.kept["1", "until"] = str(until).encode()
    evening.restart()
    assert evening.limit.until == (until if stays else None)
    if stays and hours > 0:
        assert evening.passed(60 * hours - 15.1) == ""
        assert evening.passed(0.1).startswith("Last orders")


@pytest.mark.parametrize(
    ("now", "chosen", "until"),
    [
        ("2026-11-23 22:00:30", "22:30", "2026-11-23 22:30"),
        ("2026-11-23 22:29:59", "22:30", "2026-11-23 22:30"),
        ("2026-11-23 22:30:00", "22:30", "2026-11-24 22:30"),
        ("2026-11-23 22:30:30", "22:30", "2026-11-24 22:30"),
        ("2026-11-23 22:00:00", "01:05", "2026-11-24 01:05"),
    ],
)
def test_a_time_of_day_that_staff_choose_is_the_next_one(now: str, chosen: str, until: str) -> None:
    evening = Evening(at(now), ("",) * 7)
    evening.now += 0.75
    evening.limit.choose(UNSET, chosen)
    assert evening.limit.until == at(until)
    assert evening.store.kept["1", "until"] == str(int(at(until))).encode()


def test_minutes_that_staff_choose_begin_now_and_nothing_ends_them() -> None:
    evening = Evening(at("2026-11-23 22:00"), ("",) * 7)
    evening.now += 0.5
    evening.limit.choose(40, UNSET)
    assert evening.limit.until == at("2026-11-23 22:40")
    evening.limit.choose(UNSET, UNSET)
    assert evening.limit.until is None
