"""What a game says of its matches before one begins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from hub.engine.game import Rulebook
from hub.engine.labels import FactLabels, HandSize, Labels, LargerHand
from hub.engine.match import Match
from hub.engine.options import Option
from hub.errors import StartRefused
from tests.engine.ladder import LADDER


@pytest.mark.parametrize("seats", [(1, 2), (2, 3, 4, 5, 6, 8)])
def test_a_game_takes_the_least_and_the_most_players_it_names(seats: tuple[int, ...]) -> None:
    assert LADDER.settle(seats, {}).seats == seats


def test_seats_are_in_order_however_they_are_named() -> None:
    setup = replace(LADDER, data={"walls": 2}).settle([5, 1, 3], {"rungs": 7})
    assert (setup.seats, setup.options, setup.data) == ((1, 3, 5), {"rungs": 7}, {"walls": 2})


def test_options_that_are_not_given_have_their_usual_values() -> None:
    game = replace(LADDER, options={**LADDER.options, "steep": Option(default=True, effect="")})
    assert game.settle([1, 2], {"rungs": 3}).options == {"rungs": 3, "steep": True}
    assert game.settle([1, 2], {"steep": False}).options == {"rungs": 10, "steep": False}


@pytest.mark.parametrize(
    ("options", "given", "sentence"),
    [
        (("rungs", "wings"), "rung", "The ladder has no option rung: do you mean rungs?"),
        (("range", "wrung", "rungs"), "rung", "The ladder has no option rung: do you mean wrung?"),
        (("rungs", "wings"), "colour", "The ladder has no option colour: it has rungs, wings."),
        ((), "colour", "The ladder has no option colour: it has none."),
    ],
)
def test_an_unknown_option_is_refused_with_those_that_there_are(
    options: tuple[str, ...], given: str, sentence: str
) -> None:
    game = replace(LADDER, options={name: Option(default=3, effect="") for name in options})
    for refuse in (game.check_options, lambda values: game.settle([1, 2], values)):
        with pytest.raises(StartRefused) as refused:
            refuse({given: 3})
        assert str(refused.value) == sentence


def test_an_illegal_value_is_refused_before_there_are_seats() -> None:
    LADDER.check_options({"rungs": 1})
    LADDER.check_options({})
    with pytest.raises(StartRefused, match="Option rungs"):
        LADDER.check_options({"rungs": 0})


@pytest.mark.parametrize(
    ("options", "blocks"),
    [
        ({}, 2),
        ({"long": False}, 2),
        ({"long": True}, 4),
        ({"wide": True}, 2),
        ({"wide": True, "long": False}, 2),
        ({"wide": True, "long": True}, 5),
        ({"small": True}, 2),
    ],
)
def test_all_hands_of_a_match_are_as_long_as_the_largest_with_its_options(
    options: dict[str, object], blocks: int
) -> None:
    more = [
        LargerHand(options=names, blocks=size) for names, size in ((["long"], 4), (["wide", "long"], 5), (["small"], 1))
    ]
    game = replace(LADDER, labels=Labels(hand_size=HandSize(blocks=2, more=more)))
    assert game.hand_blocks(options) == blocks
    assert LADDER.hand_blocks(options) == 1


def test_rules_are_the_same_by_the_hash_of_their_data_or_an_earlier_one() -> None:
    game = replace(LADDER, digest="c", earlier=["a", "b"])
    assert [game.has_same_rules(digest) for digest in "abcd"] == [True, True, True, False]


def test_facts_that_are_money_or_points_are_counted_by_their_names_in_a_view() -> None:
    facts = {"coins": FactLabels(counted=True), "points": FactLabels(counted=True, name="score"), "name": FactLabels()}
    assert replace(LADDER, labels=Labels(facts=facts)).counted == ["coins", "score"]


def test_a_rulebook_is_what_its_module_defines_and_the_rest_does_nothing() -> None:
    made: dict[str, Any] = {name: getattr(LADDER.rulebook, name) for name in ("deal", "play", "explain")}
    rulebook = Rulebook[Any].of(SimpleNamespace(**made, helper=len))  # type: ignore[arg-type]
    assert rulebook == Rulebook(**made)
    match = Match(replace(LADDER, rulebook=rulebook), (1, 2))
    assert (match.standing(1), match.barred(1), match.notes(1)) == ((), [], {})


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        (Option(default=True, effect=""), 1, "Option it is true or false, not 1."),
        (Option(default=3, effect="", min=2, max=9), 10, "Option it is a whole number from 2 to 9, not 10."),
        (Option(default=3, effect="", min=2, max=9), True, "Option it is a whole number from 2 to 9, not True."),
        (Option(default="a", effect="", choices=["a", "b"]), "c", "Option it is one of a, b; not 'c'."),
        (Option(default="a", effect="", choices=["a", "b"]), "", "Option it is one of a, b; not ''."),
        (
            Option(default="a", effect="", choices=["a"], pattern="[xy]{3}"),
            "xxxx",
            "Option it is one of a, or text of the form [xy]{3}; not 'xxxx'.",
        ),
    ],
)
def test_an_illegal_value_of_an_option_is_refused_with_the_legal_ones(
    option: Option, value: object, sentence: str
) -> None:
    with pytest.raises(StartRefused) as refused:
        option.check("it", value)
    assert str(refused.value) == sentence
