"""Compute when the venue closes from its weekly times, across midnight and changes of summer time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

NOON = time(12)
"""A closing time before this is the next morning's."""
AFTER_SECONDS = 3600.0
"""For this long after closing the last closing time is returned."""
CLOCK_SET = 1_735_689_600.0
"""The start of 2025: an earlier clock was never set, as on a Pi without network."""


def closing(evenings: Sequence[str], now: float) -> int | None:
    """Return when the venue closes next, or has just closed, in seconds since 1970; None if no time is set.

    `evenings` are the times by weekday from Monday, such as "23:00", "" for none, in the machine's time zone. `now` is in
    seconds since 1970.
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
    """Return when the evening of a day ends. A time skipped by summer time moves on; of a repeated one the first counts."""
    local = datetime.combine(day if at >= NOON else day + timedelta(days=1), at)
    both = [local.replace(fold=fold).astimezone() for fold in (0, 1)]
    there = [one for one in both if one.replace(tzinfo=None, fold=0) == local]
    return int((there[0] if there else max(both)).timestamp())
