"""How many minutes a match may still take: a range, from the matches of that game and number of seats that are over.

The match's own length is not known in advance, so what is said is where the end lies in `SHARE` of all cases. Two
quantities are taken as log-normal, as lengths of games are: how many entries the whole log will have, given that it has
so many already, and how many minutes an entry takes these people. A few past matches say little about their spread: it is
drawn towards a usual one, and widened as Student's t is against the normal distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import NormalDist, fmean

from hub.engine.match import Entry
from hub.errors import LogError
from hub.ports import Clock, Length, LogStore

SHARE = 0.8
"""Of all ranges that are said, so many should hold the true end."""
FEW = 4
"""With fewer past matches than this, only their minutes count, beside those that the game's data file gives."""
IDLE_SECONDS = 180.0
"""So long at most counts as played after an entry: a group that pauses is no slow group."""

_ENTRIES_SPREAD, _PACE_SPREAD, _MINUTES_SPREAD = 0.2, 0.3, 0.4  # of the logarithms, before anything is known
_PRIOR = 2.0  # past matches that the usual spread is worth
_BY_ENTRY = 2.0  # variance of the time of one entry, by its mean squared: some take no time, one is thought about
_BY_PHASE = 0.01  # variance between the pace of one part of a match and that of another
_NORMAL = NormalDist()
_STEPS = [(n + 0.5) / 40 for n in range(40)]
_Z = [_NORMAL.inv_cdf((n + 0.5) / 24) for n in range(24)]
_VAGUE = 5  # a range whose end is so many times its beginning, and `_WIDE` minutes more, tells nobody anything
_WIDE = 20


def minutes_left(past: Sequence[Length], usual: int, entries: int, played: float, timed: int) -> tuple[int, int] | None:
    """Return the range of minutes that a match may still take, as people say them, or None where that cannot be known.

    The arguments are those of `likely`.
    """
    found = likely(past, usual, entries, played, timed)
    if not found:
        return None
    low, high = (_rounded(_quantile(found, share)) for share in ((1 - SHARE) / 2, (1 + SHARE) / 2))
    if high > _VAGUE * max(low, 1) and high - low > _WIDE:
        return None
    return low, max(high, low + 1)


# The house could play the match to its end to see when that is. It does not: what is said would follow from hidden cards.
def likely(past: Sequence[Length], usual: int, entries: int, played: float, timed: int) -> list[float]:
    """Return equally likely minutes that a match may still take, rising; none where that cannot be known.

    `past` are matches of that game with as many seats, `usual` the minutes that its data file gives; the log has
    `entries`, of which the last `timed` came within `played` minutes.
    """
    like = [
        one for one in past if usual / 6 <= one.minutes <= usual * 6
    ]  # else the clock was set, or it was left lying
    known = [one for one in like if one.entries]
    if len(known) >= FEW:
        return _by_entries(known, entries, played, timed)
    if timed == entries and played >= usual / 5:
        return _by_time(like, usual, played)
    return []


def _by_entries(past: Sequence[Length], entries: int, played: float, timed: int) -> list[float]:
    """Return equally likely minutes: entries that may follow, times the minutes that one may take."""
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
    """Return equally likely minutes until the end of a match that has taken `played`; the data file counts as two matches."""
    whole = _predicted([log(usual)] * 2 + [log(one.minutes) for one in past], _MINUTES_SPREAD)
    passed = whole.cdf(log(max(played, 0.1)))
    return [exp(whole.inv_cdf(min(passed + (1 - passed) * step, 1 - 1e-9))) - played for step in _STEPS]


def _predicted(values: Sequence[float], spread: float) -> NormalDist:
    """Return where another value may lie, after these; `spread` is the usual standard deviation."""
    mean, freedom = fmean(values), _PRIOR + len(values) - 1
    variance = (_PRIOR * spread**2 + sum((value - mean) ** 2 for value in values)) / freedom
    # The first term by which quantiles of Student's t are wider than those of the normal distribution (Cornish-Fisher).
    wider = 1 + (_NORMAL.inv_cdf((1 + SHARE) / 2) ** 2 + 1) / (4 * freedom)
    return NormalDist(mean, (variance * (1 + 1 / len(values))) ** 0.5 * wider)


def _quantile(rising: Sequence[float], share: float) -> float:
    return rising[min(len(rising) - 1, int(share * len(rising)))]


def _rounded(minutes: float) -> int:
    """Return minutes as people say them: by fives from ten on, by tens from an hour on; one at least."""
    step = 1 if minutes < 10 else 5 if minutes < 60 else 10
    return max(1, round(minutes / step) * step)


class MinutesLeft:
    """The estimate for the match of one table, with a stopwatch: what is shown never waits for more than one read a match."""

    def __init__(self, store: LogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._match: str | None = None
        self._past: Sequence[Length] = ()
        self._first = self._entries = 0
        self._updated_at = self._played = self._idle = 0.0  # seconds: of the clock, played, played since the last entry
        self._estimate: tuple[int, int] | None = None

    def update(
        self, match: str | None, game: str, seats: int, log: Sequence[Entry], usual: int
    ) -> tuple[int, int] | None:
        """Return the minutes that the match under way may still take; call it whenever it is shown. None without one."""
        now, entries = self._clock.now(), len(log)
        passed, self._updated_at = now - self._updated_at, now
        if match is None:
            return None
        if match != self._match:
            # Where people have acted already it began before: before this start of the hub, or before it was put aside.
            self._begin(match, game, seats, entries if any(entry.seat for entry in log) else 0)
            passed = 0.0
        counted = min(passed, IDLE_SECONDS - self._idle)
        self._idle += counted
        self._played += counted
        if entries != self._entries:  # what is said changes with what is done, not with who looks
            self._entries, self._idle, self._first = entries, 0.0, min(self._first, entries)
            self._estimate = minutes_left(self._past, usual, entries, self._played / 60, entries - self._first)
        return self._estimate

    def _begin(self, match: str, game: str, seats: int, first: int) -> None:
        self._match, self._first, self._entries, self._estimate = match, first, -1, None
        self._played = self._idle = 0.0
        try:
            self._past = self._store.lengths(game, seats)
        except LogError:  # the table says already that the disk fails
            self._past = ()
