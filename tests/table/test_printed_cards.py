"""Printed cards at a table: people hold them, so the house neither sits there nor plays on, and advises nobody."""

from __future__ import annotations

from typing import Any

import pytest

from hub import games
from hub.engine.decision import CHANCE, Action
from hub.engine.match import Match
from hub.engine.printed import LAY_OUT, OPTION, UNKNOWN
from hub.ports import PhoneLink, Turn
from hub.table.people.absence import ASK_SECONDS
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import TableRig
from tests.table.guests import bring_on, first_asked, pass_time, question, sleep, wake

PRINTED = [name for name in games.names() if OPTION in games.find(name).options]


def table(name: str, seats: int = 3, *, boxes: bool = False) -> TableRig:
    rig = TableRig(seats, boxes=boxes, offered=[games.find(name)], house=HouseSettings(seconds=0.0))
    for seat in range(1, seats + 1):
        rig.sit(seat)
    return rig


def restarted(rig: TableRig) -> TableRig:
    """The table after a power cut: the same disk, phones that come back."""
    again = TableRig(len(rig.match.head.seats), boxes=False, offered=[rig.match.game], store=rig.store)
    again.sids = dict(rig.sids)
    again.phones.admitted.update(rig.phones.admitted)
    for sid in rig.sids.values():
        again.take(PhoneLink(sid, True))
    return again


@pytest.mark.parametrize("name", PRINTED)
def test_somebody_says_that_all_is_laid_out_before_anybody_plays(name: str) -> None:
    rig = table(name)
    rig.start(name, **{OPTION: True})
    view = rig.state["view"]
    assert view["phase"] == LAY_OUT
    (seat,) = (int(one) for one in view["waiting"]["seats"])
    assert rig.act(seat, **first(rig, seat))["ok"]
    assert rig.state["view"]["phase"] != LAY_OUT


def first(rig: TableRig, seat: int) -> dict[str, Any]:
    """The first answer to what a seat is asked."""
    assert rig.match.open
    move = rig.match.open.offers(seat)[0]
    return {"move": move.name, **move.first()}


@pytest.mark.parametrize("name", PRINTED)
def test_nothing_of_a_hand_that_people_hold_is_in_what_the_hub_sends(name: str) -> None:
    rig = table(name)
    rig.start(name, **{OPTION: True})
    known = set(games.find(name).data.get("cards", {})) - {UNKNOWN}
    for seat in (1, 2, 3):
        held = [
            one for value in rig.hand(seat)["you"].values() for one in (value if isinstance(value, list) else [value])
        ]
        assert not known & {one for one in held if isinstance(one, str)}


def test_the_house_holds_no_printed_cards() -> None:
    rig = TableRig(3, boxes=False, offered=[games.find("big-idea")], house=HouseSettings(seconds=0.0))
    rig.sit(1)
    rig.sit(2)
    assert rig.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]
    refused = rig.say(1, "start", {"game": "big-idea", "options": {OPTION: True}})
    assert not refused["ok"]
    assert refused["error"] == (
        "The house cannot hold printed cards, and it plays at seat 3: free that seat, or play without printed cards."
    )
    assert rig.state["state"] == "lobby"
    assert rig.state["starting"] is None


def test_the_others_are_not_offered_that_the_house_plays_on() -> None:
    rig = table("bid-and-bait")
    rig.start("bid-and-bait", **{OPTION: True, "duck": 1})
    sleep(rig, 1)
    pass_time(rig, ASK_SECONDS + 1)
    assert list(question(rig)["options"]) == ["wait", "safe"]


def test_nobody_is_advised_on_cards_that_the_hub_does_not_know() -> None:
    rig = table("bid-and-bait", 2)
    assert rig.say(1, "hints", {"allow": True})["ok"]
    rig.start("bid-and-bait", **{OPTION: True, "duck": 1})
    assert not rig.hand(1)["hints"]


def test_a_box_names_what_is_done_with_printed_cards_and_with_how_many() -> None:
    rig = table("big-idea", boxes=True)
    rig.boxes_up()
    rig.start("big-idea", **{OPTION: True, "dealer": 1})
    assert rig.boxes.texts["box-1"] == "All cards are dealt"
    rig.press(1, "push")
    assert rig.boxes.texts["box-2"] == "1 launch 2, 2 discard 2"


def test_a_card_that_was_named_by_mistake_is_taken_back() -> None:
    rig = table("bidness")
    rig.start("bidness", **{OPTION: True})
    assert rig.act(1, move="laid_out")["ok"]
    match = rig.match
    while match.open and match.open.roll:
        faces = [6 if match.open.roll.seat == 1 else 1] * match.open.roll.count
        match.act(Action(seat=CHANCE, move="roll", args={"faces": faces}))
    match.act(Action(seat=1, move="dealt"))
    match.act(Action(seat=1, move="play", args={"card": "ENG"}))
    assert match.may_undo(1)
    match.undo(1, 1)
    assert match.state.seats[1].hand_size == 5
    match.act(Action(seat=1, move="play", args={"card": "MKT"}))


def test_the_last_count_of_a_showdown_is_taken_back_for_all_hands_lie_open() -> None:
    rig = table("bid-it")
    rig.start("bid-it", **{OPTION: True, "first": 1})
    assert rig.act(1, move="laid_out")["ok"]
    assert rig.act(1, **first(rig, 1))["ok"]
    match = rig.match
    assert match.open
    while match.open.kind != "sealed" or match.state.phase != "count":
        seat = next(one for one in match.open.asked if one not in match.open.answers)
        moves = {move.name: move for move in match.open.offers(seat)}
        move = moves.get("challenge") or next(iter(moves.values()))
        match.act(Action(seat=seat, move=move.name, args=move.first()))
    round_of_count = match.state.round
    for seat in list(match.open.asked):
        match.act(Action(seat=seat, move="show_none"))
    assert match.state.phase != "count" or match.state.round > round_of_count
    assert match.may_undo(seat)
    match.undo(1, seat)
    assert match.open.asked.keys() - match.open.answers.keys() == {seat}
    assert all(match.view(one)["seats"][f"{seat}"]["symbols"] is None for one in (1, 2, 3))


def test_a_seat_box_names_a_card_with_its_dial_and_tells_its_seat_alone_which_scored_card_goes_over() -> None:
    rig = TableRig(3, offered=[games.find("i-bid-you-not")])
    rig.boxes_up()
    rig.sit()
    rig.start("i-bid-you-not", **{OPTION: True, "odd_inventions": True, "first": 1})
    texts = rig.boxes.texts
    assert texts["box-1"] == "Cards dealt, -42 opens"
    rig.take(Turn("box-1", 58))
    assert texts["box-1"] == "Cards dealt, 24 opens"
    rig.press(1, "push")
    assert texts["box-1"] == "Add 25 | bar: Declare an auction"
    rig.press(1, "bar")
    for seat, number in {1: 60, 2: -32, 3: 21}.items():
        assert rig.act(seat, "bid", card=number)["ok"]
    assert rig.act(2, "add", card=-21)["ok"]
    assert texts["box-1"] == "Give 24 to seat 2"
    assert not any("24" in texts[f"box-{seat}"] for seat in (2, 3))
    rig.press(1, "push")
    assert rig.state["view"]["table"]["turn"] == 3


def test_a_table_without_phones_plays_bid_it_on_its_boxes() -> None:
    rig = TableRig(3, boxes=True, offered=[games.find("bid-it")])
    rig.boxes_up()
    rig.sit(1)
    for seat in (2, 3):
        rig.press(seat, "push")
    assert rig.say(1, "start", {"game": "bid-it", "options": {OPTION: True, "first": 2}})["ok"]
    assert rig.state["state"] == "playing", "nobody needs a phone to see a hand"
    rig.press(2, "push")  # all is laid out
    rig.press(2, "push")  # the least bid, of ones
    assert rig.state["view"]["phase"] == "bid"
    rig.take(Turn("box-3", -3))
    assert rig.boxes.texts["box-3"] == "Swap cards, then bid"
    rig.press(3, "push")
    assert rig.state["view"]["phase"] == "drawn"


def test_nobody_makes_up_a_printed_card_for_who_is_asleep() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "actions": False, "first": 1})
    sleep(rig, 1)
    pass_time(rig, ASK_SECONDS + 1)
    assert rig.state["question"] is None
    assert rig.state["view"]["phase"] == LAY_OUT
    assert rig.match.open
    assert not any(entry.seat for entry in rig.match.log)


def test_a_set_shown_while_another_seat_is_to_roll_ends_the_match_and_can_be_taken_back() -> None:
    rig = table("bid-and-bait", seats=2)
    rig.start("bid-and-bait", **{OPTION: True})
    while not (rig.state["dice"] and rig.state["dice"]["seat"] == 2 and rig.match.standing(1)):
        if rig.state["dice"]:
            rig.roll(*[6] * rig.state["dice"]["count"])
            continue
        assert rig.match.open
        seat = next(one for one in rig.match.open.asked if one not in rig.match.open.answers)
        move = rig.match.open.offers(seat)[0]
        assert rig.act(seat, move.name, **move.first())["ok"]
    assert rig.act(1, "show_set")["ok"]
    assert rig.state["over"]["winners"] == [1]
    assert rig.state["dice"] is None
    assert rig.hand(1)["undo"]
    assert rig.say(1, "undo")["ok"]
    back = rig.state
    assert back["over"] is None
    assert back["dice"]["seat"] == 2


def test_a_wrong_number_is_taken_back_after_the_bids_were_turned_over_by_who_bid_last() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "odd_inventions": True, "first": 1})
    assert rig.act(1, "laid_out", card=24)["ok"]
    assert rig.act(1, "auction")["ok"]
    for seat, number in {1: 60, 2: -32, 3: 21}.items():
        assert rig.act(seat, "bid", card=number)["ok"]
    assert rig.state["view"]["seats"]["1"]["bid"] == 60
    assert [rig.hand(seat)["undo"] for seat in (1, 2, 3)] == [False, False, True]
    assert rig.say(3, "undo")["ok"]
    assert rig.state["locked"] == [1, 2]
    assert rig.act(1, "bid", card=56)["ok"], "seat 1 was the one that typed a wrong number"
    assert rig.act(3, "bid", card=21)["ok"]
    assert {seat: one["bid"] for seat, one in rig.state["view"]["seats"].items()} == {"1": 56, "2": -32, "3": 21}


def test_bids_of_the_hub_s_own_cards_are_not_taken_back_once_they_were_turned_over() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", first=1)
    assert rig.act(1, "auction")["ok"]
    seat = 0
    while rig.match.open and rig.match.open.kind == "sealed":
        seat = next(one for one in rig.match.open.asked if one not in rig.match.open.answers)
        assert rig.act(seat, **first(rig, seat))["ok"]
    assert seat
    assert not rig.hand(seat)["undo"]


def test_a_wrong_number_that_is_noticed_late_is_corrected_once_all_who_play_agree() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "actions": False, "first": 1})
    assert rig.act(1, "laid_out", card=24)["ok"]
    assert rig.act(1, "add", card=42)["ok"]
    assert not rig.act(2, "add", card=42)["ok"], "seat 2 holds the true 42"
    entries = len(rig.match.log)
    assert not rig.act(2, "correct", card=30, true_card=41)["ok"], "no 30 was named"
    assert not rig.state["question"], "nobody is asked about what cannot be"
    assert rig.act(2, "correct", card=42, true_card=41)["ok"]
    assert rig.state["question"]["text"].startswith("Seat 2 asks all players: Correct 42")
    assert rig.state["question"]["votes"] == {"2": "yes"}
    assert rig.say(1, "vote", {"say": "yes"})["ok"]
    assert len(rig.match.log) == entries, "seat 3 has not agreed yet"
    assert rig.say(3, "vote", {"say": "yes"})["ok"]
    assert rig.state["question"] is None
    assert [card["card"] for card in rig.state["view"]["table"]["offer"]] == [24, 41]
    assert [(entry.move, entry.args.get("card")) for entry in rig.match.log if entry.seat] == [
        ("laid_out", 24), ("add", 42), ("correct", 42),
    ], "the log keeps both"  # fmt: skip
    assert Match.replay(rig.match.game, rig.match.head, rig.match.log).fingerprint() == rig.match.fingerprint()
    assert rig.act(2, "add", card=42)["ok"]


def test_nobody_corrects_a_number_alone_and_those_who_are_there_agree_without_a_phone_that_sleeps() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "actions": False, "first": 1})
    assert rig.act(1, "laid_out", card=24)["ok"]
    assert rig.act(1, "add", card=42)["ok"]
    sleep(rig, 1, 3)
    alone = rig.act(2, "correct", card=42, true_card=41)
    assert alone["error"] == "All players decide this together: wait until somebody else is here."
    assert rig.state["question"] is None
    wake(rig, 1)
    assert rig.act(2, "correct", card=42, true_card=41)["ok"]
    assert rig.say(1, "vote", {"say": "yes"})["ok"]
    assert [card["card"] for card in rig.state["view"]["table"]["offer"]] == [24, 41]


def test_a_wrong_number_stays_if_one_player_says_no_or_the_match_has_gone_on() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "actions": False, "first": 1})
    assert rig.act(1, "laid_out", card=24)["ok"]
    assert rig.act(1, "add", card=42)["ok"]
    assert rig.act(2, "correct", card=42, true_card=41)["ok"]
    assert rig.say(3, "vote", {"say": "no"})["ok"]
    assert rig.state["question"] is None
    assert rig.act(3, "correct", card=42, true_card=41)["ok"]
    assert rig.act(2, "auction")["ok"], "nobody waits for the vote"
    for seat in (1, 2):
        assert rig.say(seat, "vote", {"say": "yes"})["ok"]
    assert [card["card"] for card in rig.state["view"]["table"]["offer"]] == [24, 42]
    assert not any(entry.move == "correct" for entry in rig.match.log)


def test_a_correction_holds_over_a_restart_and_one_that_was_only_asked_for_is_asked_again() -> None:
    rig = table("i-bid-you-not")
    rig.start("i-bid-you-not", **{OPTION: True, "actions": False, "first": 1})
    assert rig.act(1, "laid_out", card=24)["ok"]
    assert rig.act(1, "add", card=42)["ok"]
    assert rig.act(2, "correct", card=42, true_card=41)["ok"]
    assert rig.say(1, "vote", {"say": "yes"})["ok"]
    back = restarted(rig)
    assert back.state["question"] is None
    assert [card["card"] for card in back.state["view"]["table"]["offer"]] == [24, 42], "seat 3 had not agreed"
    assert back.act(2, "correct", card=42, true_card=41)["ok"]
    for seat in (1, 3):
        assert back.say(seat, "vote", {"say": "yes"})["ok"]
    twice = restarted(back)
    assert [card["card"] for card in twice.state["view"]["table"]["offer"]] == [24, 41]
    assert twice.act(2, "add", card=42)["ok"]


def test_a_printed_cost_holds_over_a_restart_and_is_taken_back_by_who_has_entered_it() -> None:
    rig = table("bidness", seats=2)
    rig.start("bidness", **{OPTION: True})
    while rig.state["view"]["phase"] != "play":
        if rig.state["dice"]:
            rig.roll(*[6 if rig.state["dice"]["seat"] == 1 else 1] * rig.state["dice"]["count"])
            continue
        assert rig.match.open
        seat = next(iter(rig.match.open.asked))
        move = rig.match.open.offers(seat)[-1]
        assert rig.act(seat, move.name, **move.first())["ok"]
    turn = rig.state["view"]["table"]["turn"]
    assert rig.act(turn, "printed_cost", card="MB1", cost=15)["ok"]
    back = restarted(rig)
    assert back.state["view"]["table"]["costs"] == {"MB1": 15}
    assert not back.say(3 - turn, "undo")["ok"], "only who has entered it"
    assert back.say(turn, "undo")["ok"]
    assert back.state["view"]["table"]["costs"] == {}
    cash = back.state["view"]["seats"][f"{turn}"]["cash"]
    assert back.act(turn, "printed_cost", card="MB1", cost=20)["ok"]
    assert back.act(turn, "play", card="MB1")["ok"]
    assert back.state["view"]["seats"][f"{turn}"]["cash"] == cash - 20


def test_whoever_locks_last_sees_all_launches_of_printed_cards_and_cannot_choose_again() -> None:
    rig = table("big-idea")
    rig.start("big-idea", **{OPTION: True})
    while rig.state["view"]["phase"] != "seed":
        assert rig.match.open
        seat = next(iter(rig.match.open.asked))
        move = rig.match.open.offers(seat)[0]
        assert rig.act(seat, move.name, **move.first())["ok"]
    assert rig.match.open
    *others, last = rig.match.open.asked
    for seat in others:
        move = rig.match.open.offers(seat)[0]
        assert rig.act(seat, move.name, **move.first())["ok"]
    assert rig.hand(others[-1])["undo"], "until all have locked a choice may be changed"
    move = rig.match.open.offers(last)[0]
    assert rig.act(last, move.name, **move.first())["ok"]
    assert not rig.hand(last)["undo"]
    assert rig.say(last, "undo")["error"] == "The others' choices were shown, so the move cannot be taken back."


@pytest.mark.parametrize(("printed", "covered"), [(True, []), (False, ["card"])])
def test_a_phone_is_told_which_notes_lie_under_the_cover_of_its_hand(printed: bool, covered: list[str]) -> None:
    """Cards that people hold are no secret of the phone."""
    rig = table("bidness")
    rig.start("bidness", **{OPTION: printed})
    while rig.state["view"]["phase"] != "play":
        for seat in rig.sids:
            bring_on(rig, seat)
        pass_time(rig, 1)
    hand = rig.hand(first_asked(rig))
    assert hand["notes"]
    assert hand["covered"] == covered
