"""No hand is longer than what all hands of its match are padded to (`[hand_size]` of the data files), also where play seldom leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from hub import games
from hub.authoring.laws import hand_bytes, room
from hub.chance import Chance
from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.text import to_json


def all_on(game: Game, *names: str) -> list[dict[str, Any]]:
    """Return all ways to choose some of the options `names`."""
    return [dict(zip(names, chosen, strict=True)) for chosen in product((False, True), repeat=len(names))]


def given_cards(match: Match, seat: int, cards: Sequence[Any]) -> Match:
    """Return the match with these cards as a seat's hand."""
    match.state.seats[seat].hand.value[:] = cards
    return match


@pytest.mark.parametrize("options", all_on(games.find("big-idea"), "small_products", "large_products"), ids=str)
def test_a_hand_of_the_big_idea_that_grew_all_match_long_fits(options: Mapping[str, Any]) -> None:
    """A launch takes two cards of the two that are drawn; with small products one, and then the hand grows each round."""
    game = games.find("big-idea")
    start, rounds = game.data["start"], max(game.data["rounds"].values())
    grows = start["draw"] - (1 if options["small_products"] else 2)
    most = start["hand"] + start["draw"] + grows * (rounds - 1)
    items, others = ([card for card, one in game.data["cards"].items() if one["rank"] == rank] for rank in (1, 2))
    found = 0
    for number in range(most + 1):
        match, chance = Match(game, range(1, 7), {**options, "tight_game": True}), Chance(1)
        chance.settle(match)
        assert match.open
        seat = next(iter(match.open.asked))
        given_cards(match, seat, [*items[:number], *others[: most - number]])
        launches = [move.wire() for move in _seed_moves(match, seat)]
        found = max(found, len(to_json(launches)))
        assert found + 1500 + 250 <= room(match), "what else is in a hand takes so much"
    assert found > 500


def _seed_moves(match: Match, seat: int) -> list[Any]:
    from hub.games.big_idea import seed_moves

    return seed_moves(match.state, seat)


@pytest.mark.parametrize("options", all_on(games.find("i-bid-you-not"), "odd_inventions", "double_devices"), ids=str)
def test_a_seat_of_i_bid_you_not_that_wins_every_card_and_plays_none_fits(options: Mapping[str, Any]) -> None:
    game = games.find("i-bid-you-not")
    match, chance = Match(game, (1, 2, 3), dict(options)), Chance(1)
    chance.settle(match)
    assert match.open
    (seat,) = match.open.asked
    state = match.state
    for other in state.seats:
        if other != seat:
            state.seats[seat].pile.value.extend(state.seats[other].hand.value)
            state.seats[other].hand.value.clear()
    longest = max(len(one["why"]) for one in match.barred(seat)) if match.barred(seat) else 60
    cards = len(state.seats[seat].hand.value)
    barred = cards * (2 * longest + len('{"move":"add","card":-35,"why":""},"":[9,-35],'))  # and what each is made from
    you = len(to_json(match.view(seat)["you"]))
    assert you > 40 * cards
    assert you + barred + 1300 + 250 <= room(match)
    assert hand_bytes(match, seat) <= room(match)
