"""Up to three highlights of a finished match, from its public events.

A game's data file defines its own highlights (`[[screen.highlights]]`). The rest come from events that games share:
bids (kinds `bid` and `reveal`), changes of money and points (`what`, `from`, `to`) and rolls. A log has no times, so
thinking time is not available.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from hub.engine.event import Event
from hub.engine.labels import HighlightLabels
from hub.engine.text import Text, clause, say

MOST = 3
FEWEST_DICE = 6
"""Minimum number of dice for an average to be mentioned."""

OFTEN = 2
"""Minimum number of repetitions to be mentioned."""
HIGH = 3.7
"""Minimum mean face of six-sided dice to be mentioned; the expected value is 3.5."""


def highlights(events: Sequence[Event], wanted: Sequence[HighlightLabels] = ()) -> list[str]:
    """Return up to `MOST` sentences: first the game's own highlights, then general ones."""
    facts = [*[_game_fact(events, one) for one in wanted], *_of_any_game(events)]
    return [fact for fact in facts if fact][:MOST]


def _of_any_game(events: Sequence[Event]) -> Iterator[str]:
    yield from (_bid(events), _gain(events), _dice(events), *_counts(events))


# --- highlights that a game defines ----------------------------------------------------------------------


def _game_fact(events: Sequence[Event], about: HighlightLabels) -> str:
    """Return the sentence of a highlight that the game defines, or "" if the match has none.

    It is about the events of one `kind`. With `most`, it names the event with the largest value of that key of its
    data, or of "gain" or "loss". With `by`, it names the seat with most of these events. Otherwise it counts them.
    The template `say` may contain `{text}`, `{seat}`, `{round}`, `{times}` and `{of}`.
    """
    alike = [event for event in events if event.kind == about.kind]
    if not alike:
        return ""
    if about.most:
        event = max(alike, key=lambda one: _size(one, about.most))
        if _size(event, about.most) <= 0:
            return ""
        return say(about.say, text=clause(event.text), seat=event.data.get("seat"), round=event.round, of=len(alike))
    if not about.by:
        return say(about.say, times=_times(len(alike)), of=max(event.round for event in events))
    (seat, most), *others = Counter(event.data.get(about.by) for event in alike).most_common()
    if seat is None or most < OFTEN or (others and others[0][1] == most):
        return ""
    return say(about.say, seat=seat, times=_times(most), of=len(alike))


def _size(event: Event, of: str) -> int:
    """Return a number from the data of an event, or its gain or loss; 0 if it has none."""
    was, to = event.data.get("from"), event.data.get("to")
    if of in ("gain", "loss"):
        return (to - was) * (1 if of == "gain" else -1) if type(was) is int and type(to) is int else 0
    size = event.data.get(of)
    return size if type(size) is int else 0


# --- highlights of any game ------------------------------------------------------------------------------


def _bids(events: Sequence[Event]) -> Iterator[tuple[int, int, Event]]:
    """Yield each public bid: its size, its seat, its event."""
    for event in events:
        if event.kind == "bid":
            size = event.data.get("amount", event.data.get("quantity"))
            seat = event.data.get("seat")
            if type(size) is int and type(seat) is int:
                yield size, seat, event
        elif event.kind == "reveal" and isinstance(event.data.get("bids"), dict):
            for seat, size in event.data["bids"].items():
                if type(size) is int:
                    yield size, int(seat), event


def _bid(events: Sequence[Event]) -> str:
    bids = list(_bids(events))
    if not bids:
        return ""
    highest = max(size for size, *_ in bids)
    seats = Counter(seat for size, seat, _ in bids if size == highest)
    times = sum(seats.values())
    if times == 1:
        _, seat, event = next(bid for bid in bids if bid[0] == highest)
        bid = clause(event.text) if event.kind == "bid" else say("Seat {seat} bids {bid}", seat=seat, bid=highest)
        if event.round:
            return say(
                "The highest bid of {count}: {bid}, in round {round}.", count=len(bids), bid=bid, round=event.round
            )
        return say("The highest bid of {count}: {bid}.", count=len(bids), bid=bid)
    (seat, most), *others = seats.most_common()
    if others and others[0][1] == most:
        return say("The highest bid was {bid}, made {times}.", bid=highest, times=_times(times))
    return say("Seat {seat} made the highest bid, {bid}, {times}.", seat=seat, bid=highest, times=_times(most))


def _gain(events: Sequence[Event]) -> str:
    """Return the greatest single gain of the resource that changed most in the match. A gain of 1 does not count."""
    moved: Counter[str] = Counter()
    gains: dict[str, tuple[int, Event]] = {}
    for event in events:
        what, was, to = (event.data.get(key) for key in ("what", "from", "to"))
        if isinstance(what, str) and type(was) is int and type(to) is int:
            moved[what] += abs(to - was)
            if to - was > gains.get(what, (1, event))[0]:
                gains[what] = to - was, event
    for what, _ in moved.most_common():
        if what in gains:
            event = gains[what][1]
            gain = clause(event.text)
            if event.round:
                return say("The biggest single gain: {gain}, in round {round}.", gain=gain, round=event.round)
            return say("The biggest single gain: {gain}.", gain=gain)
    return ""


def _dice(events: Sequence[Event]) -> str:
    faces: dict[int, list[int]] = defaultdict(list)
    for event in events:
        seat, thrown = event.data.get("seat"), event.data.get("faces")
        if event.kind == "roll" and type(seat) is int and isinstance(thrown, list):
            faces[seat] += thrown
    means = {seat: fmean(all_of) for seat, all_of in faces.items() if len(all_of) >= FEWEST_DICE}
    if not means:
        return ""
    best = max(means, key=lambda seat: means[seat])
    if means[best] < HIGH:
        return ""
    count = len(faces[best])
    return say(
        "Seat {seat} rolled the highest: {average} on average with {count} dice, where 3.5 is usual.", seat=best,
        average=round(means[best], 1), count=count,
    )  # fmt: skip


def _counts(events: Sequence[Event]) -> Iterator[str]:
    bids = Counter(seat for _, seat, event in _bids(events) if event.kind == "bid")
    if len(bids) > 1:
        seat, most = bids.most_common(1)[0]
        yield say("Seat {seat} bid most often: {most} of {total} bids.", seat=seat, most=most, total=bids.total())
    rounds = max((event.round for event in events), default=0)
    if rounds > 1:
        longest, count = Counter(event.round for event in events if event.round).most_common(1)[0]
        yield say(
            "{rounds} rounds were played. Round {round} was the busiest, with {count} lines in the log.",
            rounds=rounds,
            round=longest,
            count=count,
        )
    if rolls := sum(event.kind == "roll" for event in events):
        yield say("Dice were thrown {times}.", times=_times(rolls))


def _times(count: int) -> Text:
    return {1: say("once"), 2: say("twice")}.get(count, say("{count} times", count=count))
