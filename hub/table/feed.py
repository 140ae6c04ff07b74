"""What everybody sees of a match beside its view: events, changes of money and points, the games of the lobby."""

from __future__ import annotations

from collections.abc import Sequence

from hub.engine.event import Event
from hub.engine.game import Game
from hub.engine.match import Match
from hub.state import Change, EventsPage, GameOffer, Preset, PublicEvent

SHOWN_EVENTS = 30
SHOWN_CHANGES = 60  # of money and points, in this round and the last
PAGE_EVENTS = 100  # of an `EventsPage`


class Happened:
    """All events that everybody was shown, for whoever reads back from any thread.

    A match only ever adds to its list of events, and what is taken back begins another list: so a length is enough to
    know what was shown.
    """

    def __init__(self) -> None:
        self._shown: tuple[str | None, int, Sequence[Event], int, dict[str, list[int]]] = (None, 0, (), 0, {})

    def show(
        self, match: str | None, epoch: int, events: Sequence[Event], stood_in: dict[str, list[int]] | None = None
    ) -> None:
        """Let all events that a match has now be read."""
        self._shown = match, epoch, events, len(events), stood_in or {}

    def before(self, number: int) -> EventsPage:
        """Return the events below that number, the newest `PAGE_EVENTS` of them."""
        match, epoch, events, length, stood_in = self._shown
        end = max(0, min(number, length))
        start = max(0, end - PAGE_EVENTS)
        return EventsPage(match, epoch, _public(events, start, end), among(stood_in, start, end))


def among(stood_in: dict[str, list[int]], start: int, end: int) -> dict[str, list[int]]:
    """Return what belongs to events from `start` to before `end`."""
    return {number: seats for number, seats in stood_in.items() if start <= int(number) < end}


def events(match: Match) -> list[PublicEvent]:
    """Return the newest events, oldest first."""
    return _public(match.events, max(0, len(match.events) - SHOWN_EVENTS), len(match.events))


def _public(events: Sequence[Event], first: int, end: int) -> list[PublicEvent]:
    return [
        PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
        for n, event in enumerate(events[first:end], first)
    ]


def changes(match: Match) -> list[Change]:
    """Return the changes of money and points in this round and the last, newest first: what "why?" is made of."""
    found: list[Change] = []
    for n in range(len(match.events) - 1, -1, -1):
        event = match.events[n]
        data = event.data
        if event.round < match.state.round - 1 or len(found) == SHOWN_CHANGES:
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
    """Return a game as the lobby offers it, with what is not there for it and the owner's sets of options."""
    minutes, blurb = game.labels["minutes"], game.labels["blurb"]
    return GameOffer(game.name, game.title, game.seats, minutes, blurb, list(lacks), list(presets))
