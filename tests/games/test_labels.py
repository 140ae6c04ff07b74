"""The labels of a game: what screens know of its data file, and what is refused there."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.resources import files

import pytest

from hub import games
from hub.engine.game import Game, Rulebook
from hub.engine.match import Match
from hub.errors import ReplayDiverged, StartRefused

GOOFSPIEL = files(games).joinpath("data", "goofspiel.toml").read_bytes().decode()


def loaded(text: str) -> Game:
    """Goofspiel with another data file."""
    return games.load(text.encode(), Rulebook.of(import_module("hub.games.goofspiel")))


def line_of(text: str, wanted: str) -> int:
    return text.splitlines().index(wanted) + 1


def renamed(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


def test_a_data_file_without_a_slip_is_loaded() -> None:
    assert loaded(GOOFSPIEL).labels.moves["bid"].label == "Bid {card}"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('[moves.bid]\nlabel = "Bid', '[moves.bid]\nlable = "Bid', "[moves.bid] has no key lable: did you mean label?"),
        ("[screen.look]\nfelt", "[screen.look]\nfeld", "[screen]: [screen.look] has no key feld: did you mean felt?"),
        ("[moves.bid]", "[move.bid]", "there is no part [move]: did you mean [moves]?"),
        ("minutes = 10", "minutes = 10\nminuts = 10", "there is no key minuts: did you mean minutes?"),
        ("minutes = 10", 'minutes = "ten"', 'minutes = "ten" will not do; minutes is a whole number.'),
    ],
)
def test_a_slip_is_named_with_its_line_and_the_nearest_name(old: str, new: str, sentence: str) -> None:
    text = renamed(old, new)(GOOFSPIEL)
    with pytest.raises(StartRefused) as refused:
        loaded(text)
    said = str(refused.value)
    assert said.startswith("The game's data file, line ")
    assert said.endswith(sentence)
    number = int(said.split("line ")[1].split(":", maxsplit=1)[0])
    assert new.rsplit("\n", maxsplit=1)[-1].split(" =", maxsplit=1)[0] in text.splitlines()[number - 1]


def test_a_part_of_the_rules_may_have_any_other_name() -> None:
    assert loaded(GOOFSPIEL + "\n[tariff]\nlow = 1\n").data["tariff"] == {"low": 1}


def test_labels_do_not_change_the_hash_of_the_rules() -> None:
    other = renamed('[moves.bid]\nlabel = "Bid', '[moves.bid]\nlabel = "Offer')(GOOFSPIEL)
    assert loaded(other).digest == loaded(GOOFSPIEL).digest
    other = renamed('effect = "', 'effect = "Other words: ')(renamed('name = "Ace"', 'name = "One"')(GOOFSPIEL))
    assert loaded(other).digest == loaded(GOOFSPIEL).digest
    assert loaded(renamed("rank = 1,", "rank = 2,")(GOOFSPIEL)).digest != loaded(GOOFSPIEL).digest
    assert loaded(renamed("version = ", "version = 9")(GOOFSPIEL)).digest != loaded(GOOFSPIEL).digest


def test_a_match_goes_on_with_a_later_file_that_knows_its_hash() -> None:
    begun = Match(loaded(GOOFSPIEL), (1, 2)).head
    other = renamed("rank = 1,", "rank = 9,")(GOOFSPIEL)
    with pytest.raises(ReplayDiverged):
        Match.replay(loaded(other), begun, [])

    Match.replay(loaded(renamed('earlier = ["', f'earlier = ["{begun.digest}", "')(other)), begun, [])
