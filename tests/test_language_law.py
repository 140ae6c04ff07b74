"""What any match says is known to every language's catalogue: events, questions, refusals, facts and reasons."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from hub import games
from hub.display.language import Language
from hub.docs.catalogues import messages
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.languages import WRITTEN_IN, language_of, languages
from hub.table.base.chance import Chance
from tests.games.players import random_action, random_options

MATCHES = int(os.environ.get("LAWS", "6"))
MOST = 160
"""Actions of a match that are listened to."""

NOT_SHOWN = re.compile(r"The move \w+ wants |\w+ -?\d+ [+-]\d+( [AB])?$")
"""What no page asks for, and the cards of a list that an owner wrote."""

WRONG = re.compile(r"[,:]:|:,|: (?:und|oder) | ,")

JUNK: list[Any] = [None, -1, 0, 7, 99, "", "x", [], ["a"], True]


@cache
def spoken(name: str, game: str) -> Language:
    return language_of(name, game)


def sentences(value: Any) -> Iterator[str]:
    """All texts of several words in a view."""
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from sentences(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from sentences(one)


def refusals(match: Match, random: Random) -> Iterator[str]:
    """What is said to actions that cannot be."""
    number = match.open.number if match.open else 0
    moves = list(match.game.labels.moves)
    for seat in match.state.seats:
        offered = [str(move["move"]) for move in match.moves(seat)] if match.open else []
        name = random.choice(moves + offered)
        parameters = list(match.game.labels.parameters)
        args = {
            key: random.choice(JUNK) for key in random.sample(parameters, min(len(parameters), random.randint(0, 2)))
        }
        refused = match.refusal(Action(seat=seat, move=name, args=args, number=number))
        if refused:
            yield str(refused)


def heard(match: Match, random: Random) -> Iterator[str]:
    """What is said after an action."""
    for viewer in (None, *match.state.seats):
        yield from sentences(match.view(viewer))
    for seat in match.state.seats if match.open else ():
        yield from (bar["why"] for bar in match.barred(seat))
        yield from sentences(match.notes(seat))
    yield from refusals(match, random)


def said(name: str, seed: int) -> Iterator[str]:
    """All that is said in a match."""
    game, random = games.find(name), Random(f"{name} {seed}")
    count = random.randint(*game.seats)
    match = Match(game, range(1, count + 1), random_options(game, count, random))
    chance, told = Chance(seed), 0
    while match.open and len(match.log) < MOST:
        match.act(random_action(match, random, chance))
        for event in match.events[told:]:
            yield event.text
            yield from sentences(event.data)
        told = len(match.events)
        yield from heard(match, random)
    if match.over:
        yield match.over.why


def lost(language: Language, text: str) -> list[str]:
    """What of a text no message fits, or the signs that stand side by side where parts were put together wrongly."""
    if NOT_SHOWN.match(text):
        return []
    said = language.said(text)
    return [*said.unknown, *(WRONG.findall(said.text) if not WRONG.search(text) else ())]


@pytest.mark.parametrize("language", [one for one in languages() if one != WRITTEN_IN])
@pytest.mark.parametrize("name", games.names())
def test_whatever_a_match_says_is_known_to_the_catalogue(name: str, language: str) -> None:
    spoken_here = spoken(language, name)
    unknown = {
        text: parts for seed in range(MATCHES) for text in said(name, seed) if (parts := lost(spoken_here, text))
    }

    assert not unknown, "\n".join(f"{text!r}: {parts}" for text, parts in list(unknown.items())[:40])


# --- messages that are like others --------------------------------------------------------------------

PLACE = re.compile(r"\{(\w+)\}")
TAKES_A_WORD = ("A {thing}", "an {thing}")
"""A number does not fit here."""


def filled(message: str, values: dict[str, str]) -> str:
    return PLACE.sub(lambda found: values.get(found[1], ""), message)


@cache
def recognized() -> frozenset[str]:
    """The messages of finished sentences: those of the engine and the games arrive with their values."""
    made = ("hub/engine/", "hub/games/")
    return frozenset(
        one.text
        for one in messages()
        if not all(where.startswith(made) and where.endswith(".py") for where in one.where.split(" "))
    )


@pytest.mark.parametrize("game", [None, *games.names()])
@pytest.mark.parametrize("name", [name for name in languages() if name != WRITTEN_IN])
def test_a_message_is_never_taken_for_another_one(name: str, game: str | None) -> None:
    """ "2 to 5 players" was read as "{dice} to {total}", and every lobby said so in German."""
    spoken_here, wrong = language_of(name, game), []
    for catalogue in spoken_here._catalogues:
        for message, translation in catalogue.messages.items():
            places = dict.fromkeys(PLACE.findall(message))
            if not places or not isinstance(translation, str) or message in TAKES_A_WORD or message not in recognized():
                continue
            values = {place: str(number) for number, place in enumerate(places, 7)}
            english, wanted = filled(message, values), filled(translation, values)
            if spoken_here.say(english).split() != wanted.split():
                wrong.append((message, wanted, spoken_here.say(english)))
    assert wrong == []


def test_the_lobby_says_how_many_can_play_in_german() -> None:
    spoken_here = language_of("de", None)
    assert spoken_here.say("2 to 5 players, about 15 min") == "2 bis 5 Personen, etwa 15 Min."
    assert spoken_here.say("2 to 5 players") == "2 bis 5 Personen"
