"""Public data besides the view of a match: events, changes of money and points, and the games of the lobby."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from hub.engine.event import Event
from hub.engine.game import Game
from hub.engine.match import Match
from hub.state import Change, ChangesPage, EventsPage, GameOffer, Preset, PublicEvent

LEAST_EVENTS = 8  # minimum in a public state
RECENT = 2  # a public state includes all events of this many updates, as a phone may miss one
SCREEN_EVENTS = 30  # for screens that never request a page; and for everybody after an undo
SHOWN_CHANGES = 60  # of money and points, in this round and the previous one
PAGE_EVENTS = 100  # maximum in an `EventsPage`


class _Shown(NamedTuple):
    """The latest published state: the first `length` of `events`."""

    match: str | None
    epoch: int
    events: Sequence[Event]
    length: int
    stood_in: dict[str, list[int]]
    round: int


class EventFeed:
    """All published events of a match, readable from any thread.

    A match only appends to its list of events, and an undo creates a new list. So the published part is fully
    determined by its length.
    """

    def __init__(self) -> None:
        self._shown = _Shown(None, 0, (), 0, {}, 0)
        self._recent: deque[int] = deque([0], RECENT)  # numbers of events before the latest updates

    def update(
        self,
        match: str | None,
        epoch: int,
        events: Sequence[Event],
        stood_in: dict[str, list[int]] | None = None,
        round_number: int = 0,
    ) -> None:
        """Publish all current events of a match; `round_number` is the current round."""
        before, length = self._shown, len(events)
        if (match, epoch) != (before.match, before.epoch):
            self._recent = deque([length - SCREEN_EVENTS], RECENT)
        elif length > before.length:
            self._recent.append(before.length)
        self._shown = _Shown(match, epoch, events, length, stood_in or {}, round_number)

    def newest(self) -> EventsPage:
        """Return the events for the public state. Call it only on the thread that calls `update`."""
        return _page(self._shown, min(self._recent[0], self._shown.length - LEAST_EVENTS), self._shown.length)

    def for_screens(self) -> EventsPage:
        """Return the events for the table's own screens."""
        return _page(self._shown, self._shown.length - SCREEN_EVENTS, self._shown.length)

    def page_before(self, number: int) -> EventsPage:
        """Return the newest `PAGE_EVENTS` events below that number."""
        shown = self._shown
        end = min(number, shown.length)
        return _page(shown, end - PAGE_EVENTS, end)

    def changes(self) -> ChangesPage:
        """Return the changes of money and points in this round and the previous one."""
        shown = self._shown
        return ChangesPage(shown.match, shown.epoch, _changes(shown.events, shown.length, shown.round))


def _page(shown: _Shown, start: int, end: int) -> EventsPage:
    start, end = max(0, start), max(0, end)
    return EventsPage(
        shown.match, shown.epoch, _public(shown.events, start, end), stand_ins_between(shown.stood_in, start, end)
    )


def stand_ins_between(stood_in: dict[str, list[int]], start: int, end: int) -> dict[str, list[int]]:
    """Return the entries for events from `start` up to, but not including, `end`."""
    return {number: seats for number, seats in stood_in.items() if start <= int(number) < end}


def events(match: Match) -> list[PublicEvent]:
    """Return the newest events for the table's own screens, oldest first."""
    return _public(match.events, max(0, len(match.events) - SCREEN_EVENTS), len(match.events))


def _public(events: Sequence[Event], first: int, end: int) -> list[PublicEvent]:
    return [
        PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
        for n, event in enumerate(events[first:end], first)
    ]


def _changes(events: Sequence[Event], end: int, round_number: int) -> list[Change]:
    """Return the changes before event `end` in that round and the previous one, newest first."""
    found: list[Change] = []
    for n in range(end - 1, -1, -1):
        event = events[n]
        data = event.data
        if event.round < round_number - 1 or len(found) == SHOWN_CHANGES:
            break
        if "what" in data and "sum" in data:
            found.append(
                Change(
                    n=n, round=event.round, seat=data["seat"], what=data["what"], text=event.text, rule=event.rule,
                    sum=data["sum"], was=data.get("from"), to=data.get("to"),
                )
            )  # fmt: skip
    return found


def offer(game: Game, lacks: Sequence[str] = (), presets: Sequence[Preset] = ()) -> GameOffer:
    """Return a game as the lobby offers it, with what the table `lacks` for it and its `presets`."""
    minutes, blurb = game.labels.minutes, game.labels.blurb
    return GameOffer(game.name, game.title, game.seats, minutes, blurb, list(lacks), list(presets))
