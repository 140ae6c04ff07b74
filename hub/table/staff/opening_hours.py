"""When the venue closes: from the times of the week to the moment, whatever midnight and summer time do to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

NOON = time(12)
"""A closing time before this is the next morning's."""
AFTER_SECONDS = 3600.0
"""So long after it the venue counts as having just closed."""
CLOCK_SET = 1_735_689_600.0
"""The start of 2025: before it a clock is one that nobody has set, as a Pi's is without a network."""


def closing(evenings: Sequence[str], now: float) -> int | None:
    """Return when the venue closes next, or has just closed, in seconds since 1970; None where no time is set.

    `evenings` are the times by weekday from Monday, as "23:00", "" for none; `now` is in seconds since 1970. Times are
    those of the machine's own time zone.
    """
    if now < CLOCK_SET:
        return None
    today = datetime.fromtimestamp(now, UTC).astimezone().date()
    # A week ahead: the venue may have no time on some days. Yesterday's evening may end this morning.
    for day in (today + timedelta(days=ahead) for ahead in range(-1, 8)):
        at = evenings[day.weekday()]
        if at and (moment := _moment(day, time.fromisoformat(at))) + AFTER_SECONDS > now:
            return moment
    return None


def _moment(day: date, at: time) -> int:
    """Return when the evening of a day ends. A time that summer time skips is moved on with the clock, one that comes twice is the first."""
    local = datetime.combine(day if at >= NOON else day + timedelta(days=1), at)
    both = [local.replace(fold=fold).astimezone() for fold in (0, 1)]
    there = [one for one in both if one.replace(tzinfo=None, fold=0) == local]
    return int((there[0] if there else max(both)).timestamp())
