"""Estimate how many more minutes a match takes, from finished matches with the same game and number of seats.

The estimate is a range that contains the true value in `SHARE` of all cases. Two quantities are modeled as log-normal,
as lengths of games usually are: the final number of log entries, given the present one, and the minutes per entry of
this group. A few past matches say little about the spread. It is therefore shrunk towards a usual value, and widened as
Student's t-distribution is compared with the normal distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import NormalDist, fmean

from hub.engine.match import Entry
from hub.errors import LogError
from hub.ports import Clock, Length, LogStore

SHARE = 0.8
"""The share of ranges that should contain the true end."""
FEW = 4
"""With fewer past matches, only their minutes and those of the game's data file are used."""
IDLE_SECONDS = 180.0
"""Maximum playing time counted after an entry, so that a break does not count as slow play."""

_ENTRIES_SPREAD, _PACE_SPREAD, _MINUTES_SPREAD = 0.2, 0.3, 0.4  # standard deviations of the logarithms, prior
_PRIOR = 2.0  # weight of the prior spread, in past matches
_BY_ENTRY = 2.0  # variance of the time per entry, relative to its mean squared
_BY_PHASE = 0.01  # variance of the pace between parts of a match
_NORMAL = NormalDist()
_STEPS = [(n + 0.5) / 40 for n in range(40)]
_Z = [_NORMAL.inv_cdf((n + 0.5) / 24) for n in range(24)]
_VAGUE = 5  # a range is useless if its end exceeds its start by more than this factor ...
_WIDE = 20  # ... and by more than this number of minutes


def minutes_left(past: Sequence[Length], usual: int, entries: int, played: float, timed: int) -> tuple[int, int] | None:
    """Return a rounded range of remaining minutes, or None if no useful estimate is possible.

    The arguments are those of `likely`.
    """
    found = likely(past, usual, entries, played, timed)
    if not found:
        return None
    low, high = (_rounded(_quantile(found, share)) for share in ((1 - SHARE) / 2, (1 + SHARE) / 2))
    if high > _VAGUE * low and high - low > _WIDE:
        return None
    return low, max(high, low + 1)


# No simulation of the rest of the match: its result would depend on hidden cards, and so reveal something about them.
def likely(past: Sequence[Length], usual: int, entries: int, played: float, timed: int) -> list[float]:
    """Return equally likely numbers of remaining minutes, in ascending order; empty if no estimate is possible.

    `past` are finished matches of the game with the same number of seats, and `usual` are the minutes from its data
    file. The log has `entries`, of which the last `timed` took `played` minutes.
    """
    like = [
        one for one in past if usual / 6 <= one.minutes <= usual * 6
    ]  # others: the clock was set, or people walked away
    known = [one for one in like if one.entries]
    if len(known) >= FEW:
        return _by_entries(known, entries, played, timed)
    if timed == entries and played >= usual / 5:
        return _by_time(like, usual, played)
    return []


def _by_entries(past: Sequence[Length], entries: int, played: float, timed: int) -> list[float]:
    """Return equally likely minutes: the remaining entries times the minutes per entry."""
    lengths = _predicted([log(one.entries) for one in past], _ENTRIES_SPREAD)
    pace = _predicted([log(one.minutes / one.entries) for one in past], _PACE_SPREAD)
    mean, variance = pace.mean, pace.variance
    if timed and played > 0:
        own = _BY_ENTRY / timed + _BY_PHASE
        weight = variance / (variance + own)
        mean, variance = mean + weight * (log(played / timed) - mean), variance * (1 - weight)
    found = []
    passed = lengths.cdf(log(max(entries, 1)))
    for step in _STEPS:
        whole = exp(lengths.inv_cdf(min(passed + (1 - passed) * step, 1 - 1e-9)))
        follow = max(1.0, whole - entries)
        spread = (variance + _BY_ENTRY / follow + _BY_PHASE) ** 0.5
        found += [follow * exp(mean + spread * z) for z in _Z]
    return sorted(found)


def _by_time(past: Sequence[Length], usual: int, played: float) -> list[float]:
    """Return equally likely minutes after `played` minutes. The data file counts as two past matches."""
    whole = _predicted([log(usual)] * 2 + [log(one.minutes) for one in past], _MINUTES_SPREAD)
    passed = whole.cdf(log(played))
    return [exp(whole.inv_cdf(min(passed + (1 - passed) * step, 1 - 1e-9))) - played for step in _STEPS]


def _predicted(values: Sequence[float], spread: float) -> NormalDist:
    """Return the predictive distribution of another value; `spread` is the prior standard deviation."""
    mean, freedom = fmean(values), _PRIOR + len(values) - 1
    variance = (_PRIOR * spread**2 + sum((value - mean) ** 2 for value in values)) / freedom
    # First term of the Cornish-Fisher expansion for the quantiles of Student's t-distribution.
    wider = 1 + (_NORMAL.inv_cdf((1 + SHARE) / 2) ** 2 + 1) / (4 * freedom)
    return NormalDist(mean, (variance * (1 + 1 / len(values))) ** 0.5 * wider)


def _quantile(rising: Sequence[float], share: float) -> float:
    return rising[int(share * len(rising))]


def _rounded(minutes: float) -> int:
    """Round minutes: to multiples of 5 from 10 on, of 10 from 60 on; at least 1."""
    step = 1 if minutes < 10 else 5 if minutes < 60 else 10
    return max(1, round(minutes / step) * step)


class MinutesLeft:
    """The estimate for the match of one table, with a stopwatch. It reads from disk once per match."""

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._match: str | None = None
        self._past: Sequence[Length] = ()
        self._first = self._entries = 0
        self._updated_at = self._played = self._idle = (
            0.0  # in seconds: clock time, time played, of it since the last entry
        )
        self._estimate: tuple[int, int] | None = None

    def update(
        self, match: str | None, game: str, seats: int, log: Sequence[Entry], usual: int
    ) -> tuple[int, int] | None:
        """Return the range of remaining minutes, or None. Call it whenever the match is shown."""
        now, entries = self._clock.now(), len(log)
        passed, self._updated_at = now - self._updated_at, now
        if match is None:
            return None
        if match != self._match:
            # Entries of people show that it began earlier: before a restart of the hub, or before it was suspended.
            self._begin(match, game, seats, entries if any(entry.seat for entry in log) else 0)
            passed = 0.0
        counted = min(passed, IDLE_SECONDS - self._idle)
        self._idle += counted
        self._played += counted
        if entries != self._entries:  # only new entries change the estimate, not the number of calls
            self._entries, self._idle, self._first = entries, 0.0, min(self._first, entries)
            self._estimate = minutes_left(self._past, usual, entries, self._played / 60, entries - self._first)
        return self._estimate

    def _begin(self, match: str, game: str, seats: int, first: int) -> None:
        self._match, self._first, self._entries, self._estimate = match, first, -1, None
        self._played = self._idle = 0.0
        try:
            self._past = self._store.lengths(game, seats)
        except LogError:  # another notice reports the failing disk
            self._past = ()
