"""When the venue closes: every weekday, over midnight, and where summer time begins and ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from random import Random

import pytest

from hub.table.base.chance import Chance
from hub.table.base.ports import Ports
from hub.table.core import Core
from hub.table.staff.opening_hours import AFTER_SECONDS, closing
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


class Evening:
    """The time of a table, from a moment of the wall clock on."""

    def __init__(self, begins: float, evenings: tuple[str, ...] = EVERY_DAY) -> None:
        self.now, self.clock = begins, HeldClock()
        ports = Ports(MemoryStore(), FakePhones([]), self.clock, Chance(1), lambda: self.now, Random(1))
        core = Core.make("1", 2, [], ports)
        self.notices, self.limit = core.notices, SessionLimit(core, evenings)
        core.kept.open()

    def passed(self, minutes: float) -> str:
        self.now += 60 * minutes
        self.clock.time += 60 * minutes
        self.limit.run_due()
        return next((one.text for one in self.notices.public()), "")


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
