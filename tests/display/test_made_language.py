"""What panels show of a match can be translated: in the made language, no English is left on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest

from hub import games
from hub.authoring.players import random_action, random_options
from hub.chance import Chance
from hub.display import SIZES
from hub.display.panels import sheet
from hub.engine.match import Match
from hub.state import PublicEvent, PublicSeat, PublicState
from hub.table.views.snapshot import view
from tests import made_language

MOST = 200
"""Actions of a match that are looked at."""
ADDRESS = "10.42.0.1:8080"
ENGLISH = re.compile(r"[A-Za-z]{3}")  # the letters of cards and of a currency are fewer


def states(name: str) -> Iterator[PublicState]:
    """A random match as a table publishes it, each phase once, and its end."""
    game, random = games.find(name), Random(name)
    count = game.seats[1]
    match = Match(game, range(1, count + 1), random_options(game, count, random))
    chance, met = Chance(1), set[str]()
    while match.open is not None and len(match.log) < MOST:
        match.act(random_action(match, random, chance))
        seen = view(match)
        if not match.over and seen.phase in met:
            continue
        met.add(seen.phase)
        yield PublicState(
            table="1",
            name="9",
            code="",
            url=f"http://{ADDRESS}",
            epoch=1,
            seq=1,
            state="over" if match.over else "playing",
            seats=[PublicSeat(seat=seat, held=True) for seat in match.state.seats],
            match="m-1",
            game=name,
            title=game.labels.title,
            view=seen,
            events=[PublicEvent(n=n, text=event.text) for n, event in enumerate(match.events[-30:])],
            over=match.over,
        )


@pytest.mark.parametrize("name", games.names())
def test_no_english_is_left_on_a_panel_in_another_language(name: str) -> None:
    language = made_language.language(name)
    found = {
        text: (state.view.phase if state.view else "", size)
        for state in states(name)
        for size in SIZES
        for _, _, text in sheet(state, games.find(name).labels, size, "", language).texts
        if ENGLISH.search(text.replace(ADDRESS, ""))
    }
    assert not found
