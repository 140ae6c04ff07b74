"""Evenings of a venue, and the calls for staff in them, for its statistics.

A day lasts until six in the morning, so that a match after midnight belongs to the evening before.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from msgspec import Struct

LASTS_UNTIL_HOUR = 6
ANSWERED = "answered {month}"
"""The name under which a table keeps the answered calls of a month ("2026-11")."""


class AnsweredCall(Struct, frozen=True, array_like=True):
    """A call that was answered: when (Unix time), and how many seconds it was open."""

    at: int
    seconds: int


def evening_of(seconds: float) -> date:
    """Return the evening of a moment (Unix time), by the time zone of this machine."""
    return (datetime.fromtimestamp(seconds).astimezone() - timedelta(hours=LASTS_UNTIL_HOUR)).date()


def month_of(evening: date) -> str:
    """Return the month of an evening, as "2026-11"."""
    return f"{evening:%Y-%m}"
