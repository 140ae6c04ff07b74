"""Three facts of a match that is over, true of its log and known to everybody."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from typing import Any

import pytest

from hub import games
from hub.authoring.players import random_match
from hub.engine.event import Event
from hub.table.match.highlights import MOST, highlights
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


# --- just enough, and just too little ------------------------------------------------------------------------


def event(kind: str, round_: int = 1, text: str = "It happens.", **data: Any) -> Event:
    return Event(text, "X-4", kind, data, round_)


def own_fact(events: list[Event], **labels: Any) -> str:
    """The one highlight that a game defines; empty if the match has none."""
    wanted = made_labels({"screen": {"highlights": [{"kind": "cash", **labels}]}}).screen.highlights
    general = highlights(events)
    return next((fact for fact in highlights(events, wanted) if fact not in general), "")


@pytest.mark.parametrize(
    ("most", "changes", "expected"),
    [
        ("sum", [{"sum": -1}], ""),
        ("sum", [{"sum": 0}], ""),
        ("sum", [{"sum": 1}], "0 1 1"),
        ("sum", [{"sum": 1}, {"sum": 4}, {"sum": 2}], "1 2 3"),
        ("sum", [{"sum": "9"}, {}, {"sum": True}], ""),
        ("sum", [{"sum": "9"}, {"sum": 3}], "1 2 2"),
        ("gain", [{"from": 5, "to": 4}], ""),
        ("gain", [{"from": 5, "to": 5}], ""),
        ("gain", [{"from": 5, "to": 6}, {"from": 9, "to": 1}], "0 1 2"),
        ("gain", [{"from": 5, "to": 6}, {"from": 1, "to": 9}], "1 2 2"),
        ("gain", [{"from": None, "to": 6}, {"from": 6, "to": None}], ""),
        ("loss", [{"from": 5, "to": 6}], ""),
        ("loss", [{"from": 6, "to": 5}, {"from": 1, "to": 9}], "0 1 2"),
        ("loss", [{"from": 6, "to": 5}, {"from": 9, "to": 3}], "1 2 2"),
    ],
)
def test_a_games_own_fact_names_its_largest_event(most: str, changes: list[dict[str, Any]], expected: str) -> None:
    events = [event("cash", n + 1, f"Number {n}.", seat=n, **one) for n, one in enumerate(changes)]
    told = own_fact(events, most=most, say="{seat} {round} {of}")
    assert told == expected
    if told:
        assert own_fact(events, most=most, say="So: {text}!") == f"So: Number {told[0]}!"


@pytest.mark.parametrize(
    ("seats", "expected"),
    [
        ([1], ""),
        ([1, 1], "1 twice 2"),
        ([1, 2, 2, 2], "2 3 times 4"),
        ([1, 1, 2, 2], ""),
        ([1, 1, 2], "1 twice 3"),
        ([1, 1, 2, 2, 2, 3], "2 3 times 6"),
        ([None, None, None, 1, 1], ""),
    ],
)
def test_a_games_own_fact_names_the_seat_with_most_of_its_events(seats: list[int | None], expected: str) -> None:
    events = [event("cash", winner=seat) for seat in seats] + [event("fish", winner=3)] * 9
    assert own_fact(events, by="winner", say="{seat} {times} {of}") == expected


@pytest.mark.parametrize(("count", "expected"), [(0, ""), (1, "once 9"), (2, "twice 9"), (3, "3 times 9")])
def test_a_games_own_fact_counts_its_events(count: int, expected: str) -> None:
    events = [event("cash")] * count + [event("fish", 9), event("fish", 2)]
    assert own_fact(events, say="{times} {of}") == expected


def test_no_more_than_three_of_a_games_own_facts_are_told() -> None:
    wanted = made_labels({"screen": {"highlights": [{"kind": "bid", "say": f"{n}."} for n in range(5)]}})
    assert highlights([bid(1, 20)], wanted.screen.highlights) == ["0.", "1.", "2."]


def first(events: list[Event], word: str) -> str:
    return next((fact for fact in highlights(events) if word in fact), "")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([event("bid", 2, "Seat 1 bids 4.", seat=1, quantity=4)], "The highest bid of 1: Seat 1 bids 4, in round 2."),
        ([bid(1, 20), bid(2, 30), event("bid", seat=3)], "The highest bid of 2: Seat 2 bids $30, in round 1."),
        ([event("bid", seat=3), event("bid", amount=90), bid(1, 20)], "The highest bid of 1: Seat 1 bids $20, in round 1."),
        ([event("bid", seat="3", amount=90), bid(1, 20)], "The highest bid of 1: Seat 1 bids $20, in round 1."),
        ([event("reveal", bids=[7]), event("reveal"), bid(1, 20)], "The highest bid of 1: Seat 1 bids $20, in round 1."),
        ([event("reveal", bids={"1": None, "2": 6})], "The highest bid of 1: Seat 2 bids 6, in round 1."),
        ([event("reveal", 0, bids={"2": 6, "3": 5})], "The highest bid of 2: Seat 2 bids 6."),
        ([event("other", bids={"2": 6}), event("other", seat=1, amount=9)], ""),
        ([bid(1, 20), bid(2, 20), bid(1, 20)], "Seat 1 made the highest bid, 20, twice."),
        ([bid(1, 20)] * 3, "Seat 1 made the highest bid, 20, 3 times."),
        ([bid(1, 20), bid(2, 20), bid(3, 10)], "The highest bid was 20, made twice."),
        ([bid(1, 20), bid(2, 20), bid(3, 20)], "The highest bid was 20, made 3 times."),
    ],
)  # fmt: skip
def test_the_highest_bid(events: list[Event], expected: str) -> None:
    assert first(events, "highest bid") == expected


def test_seats_that_gain_as_much_leave_it_to_the_first_and_one_is_no_gain() -> None:
    assert first([change(1, "cash", 0, 2), change(2, "cash", 5, 7)], "gain") == (
        "The biggest single gain: Seat 1 has 2 cash, in round 1."
    )
    assert first([change(1, "cash", 4, 5)], "gain") == ""


def test_the_gain_is_of_the_next_thing_if_what_moved_most_was_only_lost() -> None:
    events = [change(1, "cash", 900, 0), change(2, "fish", 0, 3), change(2, "ious", 0, 2)]
    assert first(events, "gain") == "The biggest single gain: Seat 2 has 3 fish, in round 1."


def test_small_changes_of_a_large_amount_are_small() -> None:
    events = [change(1, "cash", 900, 902), change(2, "cash", 0, 4), change(1, "fish", 3, 12)]
    assert first(events[:2], "gain") == "The biggest single gain: Seat 2 has 4 cash, in round 1."
    assert first(events, "gain") == "The biggest single gain: Seat 1 has 12 fish, in round 1."


def test_a_loss_counts_for_what_moved_most_and_odd_changes_for_nothing() -> None:
    events = [
        change(1, "fish", 0, 5), change(1, "cash", 0, 3), change(1, "cash", 3, 0), change(2, "ious", None, 99),
        change(2, "ious", 99, None), Event("Odd.", "X-4", "odd", {"what": 7, "from": 0, "to": 9}, 1),
    ]  # fmt: skip
    assert first(events, "gain") == "The biggest single gain: Seat 1 has 3 cash, in round 1."


@pytest.mark.parametrize(
    ("rolls", "expected"),
    [
        ([(1, [6] * 5)], ""),
        ([(1, [6] * 6)], "Seat 1 rolled the highest: 6.0 on average with 6 dice, where 3.5 is usual."),
        ([(1, [3] * 3 + [4] * 7)], "Seat 1 rolled the highest: 3.7 on average with 10 dice, where 3.5 is usual."),
        ([(1, [3] * 4 + [4] * 7)], ""),
        ([(1, [4] * 6), (2, [5] * 6), (3, [6] * 5)],
         "Seat 2 rolled the highest: 5.0 on average with 6 dice, where 3.5 is usual."),
        ([(1, [4, 4, 4]), (2, [1] * 6), (1, [4, 4, 5])],
         "Seat 1 rolled the highest: 4.2 on average with 6 dice, where 3.5 is usual."),
    ],
)  # fmt: skip
def test_the_highest_dice(rolls: list[tuple[int, list[int]]], expected: str) -> None:
    assert first([roll(seat, *faces) for seat, faces in rolls], "rolled the highest") == expected


def test_of_dice_like_any_others_only_their_number_is_told() -> None:
    assert highlights([roll(1, *[3] * 6)]) == ["Dice were thrown once."]


def test_faces_that_nobody_rolled_do_not_count_as_dice() -> None:
    events = [event("reroll", seat=1, faces=[6] * 6), event("roll", seat=2, faces="666666"), roll(3, *[5] * 6)]
    assert first(events, "rolled the highest").startswith("Seat 3 ")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([bid(1, 20), bid(1, 30)], ""),
        ([bid(1, 20), bid(2, 30), bid(2, 40)], "Seat 2 bid most often: 2 of 3 bids."),
        ([event("reveal", bids={"1": 5, "2": 6})], ""),
    ],
)
def test_the_seat_that_bid_most_often(events: list[Event], expected: str) -> None:
    assert first(events, "most often") == expected


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        ([], ""),
        ([1, 1], ""),
        ([0, 0, 0, 1, 2, 2], "2 rounds were played. Round 2 was the busiest, with 2 lines in the log."),
        ([1, 1, 1, 2, 3], "3 rounds were played. Round 1 was the busiest, with 3 lines in the log."),
    ],
)
def test_the_busiest_round(rounds: list[int], expected: str) -> None:
    assert first([event("talk", number) for number in rounds], "busiest") == expected


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, ""), (1, "Dice were thrown once."), (2, "Dice were thrown twice."), (3, "Dice were thrown 3 times.")],
)
def test_how_often_dice_were_thrown(count: int, expected: str) -> None:
    assert first([*[roll(1, 1)] * count, event("talk")], "thrown") == expected
