"""What everybody is told of a match beside its view: what happened, what changed of money and points, which games there are."""

from __future__ import annotations

from typing import Any

from hub.engine.game import Game
from hub.engine.match import Match

SHOWN_EVENTS = 30
SHOWN_CHANGES = 60  # of money and points, in this round and the last


def events(match: Match) -> list[dict[str, Any]]:
    """What happened last, oldest first."""
    first = max(0, len(match.events) - SHOWN_EVENTS)
    return [
        {"n": n, "text": event.text, "rule": event.rule or None, "kind": event.kind, "data": event.data}
        for n, event in enumerate(match.events[first:], first)
    ]


def changes(match: Match) -> list[dict[str, Any]]:
    """What has changed of money and points in this round and the last, newest first: all that "why?" is made of."""
    told: list[dict[str, Any]] = []
    for n in range(len(match.events) - 1, -1, -1):
        event = match.events[n]
        if event.round < match.state.round - 1 or len(told) == SHOWN_CHANGES:
            break
        if "what" in event.data and "sum" in event.data:
            change = {key: event.data.get(key) for key in ("seat", "what", "from", "to", "sum")}
            told.append({"n": n, "round": event.round, "text": event.text, "rule": event.rule, **change})
    return told


def game_card(game: Game) -> dict[str, Any]:
    """A game as it is offered in the lobby."""
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "minutes": game.words["minutes"],
        "blurb": game.words["blurb"],
    }
