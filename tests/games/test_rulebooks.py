"""A rulebook's file is read, not run: what rules must not contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hub import games
from hub.authoring.players import random_action, random_match
from hub.authoring.source import troubles
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.options import Option
from hub.errors import StartRefused

FOLDER = Path(games.__file__).parent
RULEBOOKS: Mapping[str, Traversable] = {
    **{path.stem: path for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"},
    **{
        f"{name} {part}": parts.folder / f"{part}.py"
        for name, parts in games.packaged().games.items() if parts.folder
        for part in ("rulebook", "house")
    },
}  # fmt: skip
FORBIDDEN = [
    ("print(1)", "print"),
    ("x = hash('a')", "hash"),
    ("async def play(s):\n    global n", "global"),
    ("def f():\n    n = 0\n    def g():\n        nonlocal n", "nonlocal"),
    ("import random", "random"),
    ("from os import path", "os"),
    ("from hub.table.loop import Table", "hub.table.loop"),
    ("SEEN = []", "SEEN"),
    ("SEEN: dict[str, int] = {}", "SEEN"),
    ("SEEN = list(range(3))", "SEEN"),
    ("for x in {1, 2}: pass", "set"),
    ("for x in set(y): pass", "set"),
    ("z = [x for x in {1, 2}]", "set"),
    ("z = list({1, 2})", "set"),
    ("z = [x for x in a.keys() | b.keys()]", "set"),
    ("z = {x for x in y}\nfor x in z: pass", "set"),
    ("def f(x=[]): pass", "default"),
]


@pytest.mark.parametrize("name", RULEBOOKS)
def test_a_rulebook_is_rules_and_nothing_else(name: str) -> None:
    assert troubles(RULEBOOKS[name].read_text("utf-8")) == []


@pytest.mark.parametrize(("source", "why"), FORBIDDEN)
def test_what_rules_must_not_contain_is_found(source: str, why: str) -> None:
    assert any(why in trouble for trouble in troubles(source)), troubles(source)


def test_plain_rules_are_left_alone() -> None:
    assert troubles("ROUNDS = 10\nFISH = ('a', 'b')\nfor fish in FISH: pass\nx = len({1, 2})\ny = 3 in {1, 3}") == []


@pytest.mark.parametrize("name", games.names())
def test_a_game_is_two_files_found_by_name(name: str) -> None:
    game = games.find(name)
    assert game.name == name
    assert games.files_of(name).data.is_file()
    for rule in ("deal", "play", "explain"):
        assert callable(getattr(game.rulebook, rule))


@pytest.mark.parametrize("name", games.names())
def test_new_colours_do_not_make_a_log_another_games(name: str) -> None:
    game = games.find(name)
    text = games.files_of(name).data.read_text("utf-8")
    painted = "\n".join(f"{line}0" if line.startswith("minutes") else line for line in text.splitlines())
    assert games.load(painted.encode(), game.rulebook).digest == game.digest
    richer = f"{text}\n[one_more_rule_table]\nx = 1\n"
    assert games.load(richer.encode(), game.rulebook).digest != game.digest


@pytest.mark.parametrize("name", games.names())
def test_no_refusal_names_a_seat_that_there_is_not(name: str) -> None:
    game, random = games.find(name), Random(3)
    match, chance = Match(game, (1, 2, 4), {}), Chance(3)
    refused: set[str] = set()
    while match.open and len(match.log) < 60:
        for seat in (1, 2, 4):
            for move in game.labels.moves:
                why = match.refusal(Action(seat=seat, move=move, args={}, number=match.open.number))
                refused.add(str(why))
        match.act(random_action(match, random, chance))
    assert refused
    assert not [text for text in refused if "Seat None" in text]


IDLE = [(name, option) for name in games.names() for option in games.find(name).labels.lobby.idle]


def other_value(option: Option) -> bool | int | str:
    """Return a value that is not the usual one."""
    if isinstance(option.default, bool):
        return not option.default
    if isinstance(option.default, int):
        return option.max if option.default != option.max else option.min
    return next(choice for choice in option.choices if choice != option.default)


@pytest.mark.parametrize(("name", "idle"), IDLE)
def test_an_option_that_the_lobby_calls_idle_changes_nothing_or_is_refused(name: str, idle: str) -> None:
    """And without what makes it idle it can be chosen."""
    game = games.find(name)
    about = game.labels.lobby.idle[idle]
    changed = {idle: other_value(game.options[idle])}
    seats = range(1, max(3, game.seats[0]) + 1)
    told = [played(game, seats, about.beside | options) for options in ({}, changed)]
    assert told[0]
    assert told[1] in (told[0], None)


def played(game: Game, seats: Iterable[int], options: dict[str, Any]) -> list[str] | None:
    """Return what is told in a match, by the same chance each time; None where it is refused."""
    try:
        match = random_match(game, tuple(seats), options, Random(7))
    except StartRefused:
        return None
    return [event.text for event in match.events]


@pytest.mark.parametrize("name", games.names())
def test_a_result_says_what_its_scores_count(name: str) -> None:
    screen = games.find(name).labels.screen
    assert screen.scored or screen.score, "a number alone says nothing"
