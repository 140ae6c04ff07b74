"""What everybody sees of a match beside its view: events, changes of money and points, the games of the lobby."""

from __future__ import annotations

from hub.engine.game import Game
from hub.engine.match import Match
from hub.state import Change, GameOffer, PublicEvent

SHOWN_EVENTS = 30
SHOWN_CHANGES = 60  # of money and points, in this round and the last


def events(match: Match) -> list[PublicEvent]:
    """Return the newest events, oldest first."""
    first = max(0, len(match.events) - SHOWN_EVENTS)
    return [
        PublicEvent(n, event.text, event.rule or None, event.kind, event.data)
        for n, event in enumerate(match.events[first:], first)
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


def offer(game: Game) -> GameOffer:
    """Return a game as the lobby offers it."""
    return GameOffer(game.name, game.title, game.seats, game.labels["minutes"], game.labels["blurb"])
