"""Three facts of a match that is over, true of its log and known to everybody."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from hub import games
from hub.engine.event import Event
from hub.table.match.highlights import MOST, highlights
from tests.games.players import random_match
from tests.made_labels import made_labels
from tests.table.fakes import TableRig
from tests.table.test_table import step


def bid(seat: int, amount: int, round_: int = 1) -> Event:
    return Event(f"Seat {seat} bids ${amount}.", "X-1", "bid", {"seat": seat, "amount": amount}, round_)


def roll(seat: int, *faces: int) -> Event:
    return Event(f"Seat {seat} rolls.", "X-2", "roll", {"seat": seat, "faces": list(faces)}, 1)


def change(seat: int, what: str, was: int | None, to: int | None, round_: int = 1) -> Event:
    return Event(
        f"Seat {seat} has {to} {what}.", "X-3", what, {"seat": seat, "what": what, "from": was, "to": to}, round_
    )


@pytest.mark.parametrize("name", games.names())
def test_each_game_has_three_facts_and_a_match_has_always_the_same(name: str) -> None:
    match = random_match(games.find(name), (1, 2, 4), {}, Random(4))
    found = highlights(match.events, match.game.labels.screen.highlights)
    assert len(found) == MOST
    assert len(set(found)) == MOST
    assert found == highlights(match.events, match.game.labels.screen.highlights)
    assert found != highlights(match.events), "a game has facts of its own"
    for fact in found:
        assert fact.endswith(".")
        assert {int(seat) for seat in re.findall(r"Seat (\d)", fact)} <= {1, 2, 4}


def test_the_highest_bid_is_told_with_who_made_it_and_when() -> None:
    found = highlights([bid(1, 20), bid(2, 90, 4), bid(3, 50, 5)])
    assert found[0] == "The highest bid of 3: Seat 2 bids $90, in round 4."


def test_what_happened_in_no_round_is_told_without_one() -> None:
    assert highlights([bid(1, 20), bid(2, 90, 0)])[0] == "The highest bid of 2: Seat 2 bids $90."
    assert highlights([change(2, "cash", 0, 900, 0)])[0] == "The biggest single gain: Seat 2 has 900 cash."


def test_bids_that_were_revealed_together_count_too() -> None:
    revealed = Event("The bids.", "", "reveal", {"bids": {"1": 6, "3": 2}}, 3)
    assert highlights([revealed])[0] == "The highest bid of 2: Seat 1 bids 6, in round 3."
    twice = Event("The bids.", "", "reveal", {"bids": {"1": 6, "3": 6}}, 4)
    assert highlights([revealed, twice])[0] == "Seat 1 made the highest bid, 6, twice."
    assert highlights([twice])[0] == "The highest bid was 6, made twice."


def test_a_secret_bid_or_total_has_no_number_and_is_left_out() -> None:
    secret = Event("The bids.", "", "reveal", {"bids": {"1": None}}, 1)
    assert highlights([secret, change(1, "cash", None, None)]) == []


def test_the_greatest_gain_is_of_what_was_moved_most() -> None:
    events = [
        change(1, "cash", 0, 500),
        change(2, "cash", 300, 900, 7),
        change(1, "ious", 0, 9),
        change(2, "cash", 900, 0),
    ]
    assert highlights(events)[0] == "The biggest single gain: Seat 2 has 900 cash, in round 7."


def test_a_single_thing_is_no_gain_worth_telling() -> None:
    assert not [fact for fact in highlights([change(1, "fish_count", 0, 1)]) if "gain" in fact]


WANTED = made_labels(
    {
        "screen": {
            "highlights": [
                {"kind": "bid", "most": "amount", "say": "Of {of}, in round {round}: {text}."},
                {"kind": "cash", "most": "loss", "say": "Paid: {text}."},
                {"kind": "bid", "by": "seat", "say": "Seat {seat} bid {times}."},
                {"kind": "cash", "say": "Money moved {times} in {of} rounds."},
            ]
        }
    }
).screen.highlights


def test_a_games_own_facts_come_first_and_those_that_the_match_has_not_are_left_out() -> None:
    events = [bid(1, 20), bid(2, 90, 4), bid(2, 10, 4), change(1, "cash", 50, 60, 5)]
    assert highlights(events, WANTED) == [
        "Of 3, in round 4: Seat 2 bids $90.",
        "Seat 2 bid twice.",
        "Money moved once in 5 rounds.",
    ]
    even = [bid(1, 20), bid(1, 30), bid(2, 5), bid(2, 6)]
    assert "Seat 2 bid twice." not in highlights(even, WANTED), "two seats did it as often"


def test_dice_are_told_of_whoever_threw_enough_of_them() -> None:
    events = [roll(1, 6, 6, 6), roll(2, 6, 1, 4, 4), roll(2, 5, 4)]
    assert highlights(events)[0] == "Seat 2 rolled the highest: 4.0 on average with 6 dice, where 3.5 is usual."


def test_screens_have_them_at_the_end_and_no_longer_after_an_undo_or_a_new_match() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    random = Random(2)
    while rig.state["state"] == "playing":
        assert rig.state["highlights"] == []
        step(rig, random)
    told = rig.state["highlights"]
    assert len(told) == MOST
    count = Counter(event.kind for event in rig.match.events)["roll"]
    assert told == highlights(rig.match.events, rig.match.game.labels.screen.highlights)
    assert count
    rig.start()
    assert rig.state["highlights"] == []


def test_events_that_name_no_seat_tell_nothing_and_break_nothing() -> None:
    odd = [Event("They roll.", kind="roll", data={"faces": [6] * 9}), Event("A bid.", kind="bid", data={"amount": 3})]
    assert highlights(odd) == ["Dice were thrown once."]
