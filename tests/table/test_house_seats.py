"""Seats of the house: filled in the lobby, played by what their hand shows, taken by whoever comes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hub import games
from hub.engine import house_player
from hub.engine.decision import CHANCE, Answer
from hub.engine.sight import STRENGTHS
from hub.ports import DiceKit, StaffRequest, Tick
from hub.table.people.house_seats import ROLL_SECONDS, HouseSettings
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import bring_on, pass_time, question, sleep

QUICK = HouseSettings(seconds=0.0)
MOST_ACTIONS = 4000


def alone(
    game: str = "bid-and-bait", seats: int = 3, *, boxes: bool = False, way: HouseSettings = QUICK, **more: Any
) -> TableRig:
    """One person at a table, and the house at all other seats."""
    rig = TableRig(seats, boxes=boxes, offered=[games.find(game)], house=way, **more)
    rig.sit(1)
    for seat in range(2, seats + 1):
        assert rig.say(1, "house", {"seat": seat, "strength": "easy"})["ok"]
    return rig


def play_to_end(rig: TableRig, *seats: int) -> None:
    """Let the people at these seats, or at seat 1 alone, answer whatever is asked, until the match is over."""
    for _ in range(MOST_ACTIONS):
        if rig.state["state"] != "playing":
            break
        for seat in seats or (1,):
            bring_on(rig, seat)
        rig.clock.time += 0.1
        rig.take(Tick())
    assert rig.state["state"] == "over", (rig.state["want"], rig.notice())


def place(rig: TableRig, seat: int) -> dict[str, Any]:
    shown: dict[str, Any] = rig.state["seats"][seat - 1]
    return shown


@pytest.mark.parametrize("game", games.names())
def test_one_person_plays_every_game_to_its_end_with_the_house(game: str) -> None:
    rig = alone(game, max(3, games.find(game).seats[0]))
    rig.start(game)
    play_to_end(rig)
    assert rig.state["over"]["winners"]
    assert {entry.seat for entry in rig.match.log} > {2, 3}


@pytest.mark.parametrize("answer", [None, Answer("pike", {})])
def test_the_journal_names_no_card_of_a_house_player_that_fails(
    answer: Answer | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    play = house_player.play

    def choose(*_: object) -> Answer:
        if answer is None:
            raise KeyError("pike")
        return answer

    def fail(*args: Any, **more: Any) -> Any:
        return play(*args, **{"player": SimpleNamespace(choose=choose), **more})

    monkeypatch.setattr(house_player, "play", fail)
    rig = alone("goofspiel")
    rig.start("goofspiel")
    play_to_end(rig)
    assert "the house plays without its rules at seat 2: it failed at " in caplog.text
    assert "pike" not in caplog.text


def test_the_house_is_marked_ready_and_dealt_in_and_stays_for_the_next_match() -> None:
    rig = alone()
    assert [(one["held"], one["house"], one["stands_in"], one["presence"], one["ready"]) for one in rig.state["seats"]] == [
        (True, "", False, "here", False), (True, "easy", False, "here", True), (True, "easy", False, "here", True),
    ]  # fmt: skip
    assert place(rig, 3)["name"] == "House 3"
    assert rig.say(1, "house", {"seat": 2, "strength": ""})["ok"]
    assert rig.say(1, "house", {"seat": 3, "strength": "sharp"})["ok"]
    assert [one["house"] for one in rig.state["seats"]] == ["", "", "sharp"]
    assert not place(rig, 2)["held"]
    rig.start()
    assert set(rig.state["view"]["seats"]) == {"1", "3"}
    assert rig.say(1, "ask", {"what": "end"})["ok"]
    assert rig.state["question"]["voters"] == [1], "the house has no vote"
    assert rig.say(1, "vote", {"say": "no"})["ok"]
    assert rig.state["state"] == "playing", "one tap ends nothing"
    assert rig.say(1, "ask", {"what": "end"})["ok"]
    assert rig.say(1, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "lobby"
    assert place(rig, 3)["house"] == "sharp"
    assert place(rig, 3)["ready"]


@pytest.mark.parametrize(
    "args",
    [
        {"seat": 1},
        {"seat": 4},
        {"seat": "2"},
        {"seat": 2, "strength": ""},
        {"seat": 2, "strength": "best"},
        {"seat": [2]},
        {},
    ],
)
def test_what_the_house_cannot_fill_is_refused_in_a_sentence(args: dict[str, Any]) -> None:
    rig = TableRig(3, boxes=False)
    rig.sit(1)
    answer = rig.say(1, "house", {"strength": "easy"} | args)
    assert not answer["ok"]
    assert answer["error"].endswith(".")
    assert [one["house"] for one in rig.state["seats"]] == ["", "", ""]


def test_in_a_match_no_seat_is_filled() -> None:
    rig = alone()
    rig.start()
    assert not rig.say(1, "house", {"seat": 2, "strength": ""})["ok"]
    assert place(rig, 2)["house"] == "easy"


def test_a_guest_takes_a_seat_of_the_house_by_its_code_also_in_a_match() -> None:
    rig = alone()
    rig.sit(2)
    assert (place(rig, 2)["name"], place(rig, 2)["house"]) == ("Guest 2", "")
    rig.start()
    code = rig.page.codes["3"]
    decided = rig.claim(3, code, "Late")
    assert decided
    assert decided.held
    assert (place(rig, 3)["name"], place(rig, 3)["house"]) == ("Late", "")
    before = len(rig.match.log)
    pass_time(rig, 30)
    assert len(rig.match.log) == before, "nobody plays for who is there"


def test_a_push_on_a_box_takes_the_seat_of_the_house() -> None:
    rig = alone(boxes=True)
    rig.boxes_up()
    rig.press(2, "push")
    assert (place(rig, 2)["house"], place(rig, 2)["name"], place(rig, 2)["ready"]) == ("", "", True)
    rig.start()
    rig.press(3, "bar")
    assert place(rig, 3)["house"] == "easy"


def test_the_house_takes_a_persons_time() -> None:
    rig = alone("bid-it", way=HouseSettings(seconds=10.0))
    rig.start("bid-it")
    for _ in range(20):
        bring_on(rig, 1)
        match = rig.match
        if match.open and match.open.asked and 1 not in match.open.asked and match.open.kind != "sealed":
            break
        pass_time(rig, 30)
    before = len(rig.match.log)
    pass_time(rig, 5)
    assert len(rig.match.log) == before
    pass_time(rig, 10)
    assert len(rig.match.log) > before


def test_an_auction_in_which_only_the_house_is_left_goes_on_quickly() -> None:
    rig = alone("bidness", way=HouseSettings(seconds=10.0))
    rig.start("bidness")
    house, asked, waits = rig.table._house, 0, []
    for _ in range(2000):
        pass_time(rig, 1)
        view, match = rig.state["view"], rig.match
        if match.open and 1 in match.open.asked and view["phase"] == "auction":
            rig.act(1, "drop")
        else:
            bring_on(rig, 1)
        view = rig.state["view"]
        among_itself = view["phase"] == "auction" and 1 not in view["table"]["auction"]["in"]
        if among_itself and match.open and house.due_at and match.open.number != asked:
            asked = match.open.number
            waits.append(house.due_at - rig.clock.now())
        if len(waits) == 8:
            break
    assert len(waits) == 8
    assert max(waits) <= 5.6, "at its usual pace it takes up to 14 seconds"


def test_people_roll_the_dice_of_the_house_or_the_hub_does_in_the_end() -> None:
    rig = alone()
    rig.sit(2)
    rig.take(DiceKit("tray", 6))
    rig.start()
    while not (rig.state["dice"] and rig.state["dice"]["seat"] == 3):
        bring_on(rig, 1)
        bring_on(rig, 2)
        rig.clock.time += 0.1
        rig.take(Tick())
    before = len(rig.match.log)
    pass_time(rig, ROLL_SECONDS - 2)
    assert len(rig.match.log) == before, "the dice are left to people"
    pass_time(rig, 4)
    assert len(rig.match.log) > before


def test_the_hub_does_not_replace_dice_of_the_house_that_somebody_has_just_objected_to() -> None:
    rig = alone()
    rig.sit(2)
    rig.take(DiceKit("tray", 6))
    rig.start()
    while not (rig.state["dice"] and rig.state["dice"]["seat"] == 3):
        bring_on(rig, 1)
        bring_on(rig, 2)
        rig.clock.time += 0.1
        rig.take(Tick())
    pass_time(rig, ROLL_SECONDS - 1)
    rig.see("settled", *[5] * rig.state["dice"]["count"])
    assert rig.say(1, "dice", {"say": "again"})["ok"]
    rolls = rolled(rig)
    pass_time(rig, ROLL_SECONDS - 1)
    assert rolled(rig) == rolls, "they are to be read again as they lie"
    pass_time(rig, 2)
    assert rolled(rig) > rolls, "nobody has brought it on"


@pytest.mark.parametrize(("people", "reader", "waits"), [(1, True, False), (2, False, False), (2, True, True)])
def test_the_dice_of_the_house_wait_for_two_people_with_a_reader_and_else_the_hub_rolls_at_once(
    people: int, reader: bool, waits: bool
) -> None:
    rig = alone(reader=reader)
    for seat in range(2, people + 1):
        rig.sit(seat)
    if reader:
        rig.take(DiceKit("tray", 6))
    rig.start()
    while not (rig.state["dice"] and place(rig, rig.state["dice"]["seat"])["house"]):
        for seat in range(1, people + 1):
            bring_on(rig, seat)
        rig.clock.time += 0.1
        rig.take(Tick())
    since = rig.clock.time
    rolls = rolled(rig)
    while rolled(rig) == rolls and rig.clock.time < since + 2 * ROLL_SECONDS:
        rig.clock.time += 0.1
        rig.take(Tick())
    assert (rig.clock.time - since >= ROLL_SECONDS - 0.5) is waits


def rolled(rig: TableRig) -> int:
    """How often somebody or the hub has rolled."""
    return sum(entry.move == "roll" and entry.seat == CHANCE for entry in rig.match.log)


def test_the_house_takes_between_six_and_fourteen_tenths_of_its_time_for_a_decision() -> None:
    rig = alone("goofspiel", way=HouseSettings(seconds=10.0))
    rig.start("goofspiel")
    house, taken, number = rig.table._house, list[float](), -1
    while rig.state["state"] == "playing":
        decision = rig.match.open
        if decision and decision.number != number and house.due_at:
            number = decision.number
            taken.append(house.due_at - rig.clock.now())
        bring_on(rig, 1)
        rig.clock.time += 20.0
        rig.take(Tick())
    assert len(taken) > 8
    assert 6.0 <= min(taken) < 9.0 < 11.0 < max(taken) <= 14.0


def test_the_houses_seats_answer_a_sealed_choice_one_after_the_other_at_the_moment_they_are_due() -> None:
    rig = alone("goofspiel", 4, way=HouseSettings(seconds=10.0))
    rig.start("goofspiel")
    due = rig.table._house.due_at
    assert due
    for locked, at in enumerate((due, due + 2.5, due + 5.0)):
        rig.clock.time = at - 0.1
        rig.take(Tick())
        assert len(rig.state["locked"]) == locked
        before = len(rig.phones.public)
        rig.take(Tick())
        assert len(rig.phones.public) == before, "it thinks, and nothing changes"
        rig.clock.time = at
        rig.take(Tick())
        assert len(rig.state["locked"]) == locked + 1
    assert rig.state["stood_in"] == {}, "these seats are its own"


def test_the_house_takes_no_seat_that_somebody_asks_for() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(1)
    assert rig.claim(2) is None
    assert not rig.say(1, "house", {"seat": 2, "strength": "easy"})["ok"]
    assert rig.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]


@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_the_house_never_has_the_dice_of_who_rolled_before(seconds: float) -> None:
    rig = alone("bidness", way=HouseSettings(seconds=seconds), seed=7)
    rig.take(DiceKit("tray", 6))
    rig.start("bidness")
    assert rig.state["dice"]["seat"] == 1
    rig.clock.time += 10.0
    rig.see("settled", 6, 1, 6)
    pass_time(rig, 2)
    rolls = [entry for entry in rig.match.log if entry.move == "roll"]
    assert rolls[0].args == {"faces": [6, 1, 6], "read": "read"}
    assert [one.args["faces"] for one in rolls[1:2]] != [[6, 1, 6]]
    assert seconds == 0 or len(rolls) == 1, "it thinks first"


def test_a_seat_that_was_taken_from_the_house_goes_back_to_it_when_its_player_leaves() -> None:
    rig = alone()
    rig.start()
    decided = rig.claim(3, rig.page.codes["3"], "Anna")
    assert decided
    rig.sids[3] = decided.sid
    assert place(rig, 3)["name"] == "Anna"
    rig.say_leave(3)
    assert (place(rig, 3)["name"], place(rig, 3)["house"], place(rig, 3)["held"]) == ("House 3", "easy", True)
    assert "3" in rig.page.codes
    before = [entry.seat for entry in rig.match.log].count(3)
    for _ in range(40):
        bring_on(rig, 1)
        pass_time(rig, 1)
    assert [entry.seat for entry in rig.match.log].count(3) > before, "it plays on"


def test_a_hand_that_was_dealt_to_a_person_is_never_the_houses() -> None:
    rig = alone()
    rig.sit(3)  # before the match: its hand is dealt to a person
    rig.start()
    rig.say_leave(3)
    assert (place(rig, 3)["name"], place(rig, 3)["house"]) == ("Guest 3", "")
    assert "3" not in rig.page.codes


def test_a_taken_seat_goes_back_to_the_house_after_a_restart_too() -> None:
    rig = alone(way=HouseSettings(seconds=30.0))
    rig.start()
    rig.sit(3)
    again = TableRig(3, boxes=False, store=rig.store, house=QUICK)
    again.sids = rig.sids
    again.say_leave(3)
    assert place(again, 3)["house"] == "easy"


def test_a_question_about_a_seat_ends_when_the_house_has_it_back() -> None:
    rig = alone(seats=4, way=HouseSettings(seconds=1.0))
    rig.sit(2)
    rig.start()
    for _ in range(20):
        bring_on(rig, 1)
        bring_on(rig, 2)
        pass_time(rig, 1)
    rig.sit(3)
    sleep(rig, 3)
    for _ in range(120):
        if question(rig):
            break
        bring_on(rig, 1)
        bring_on(rig, 2)
        pass_time(rig, 1)
    assert question(rig)["seat"] == 3
    rig.table._house._plays_at = rig.clock.time + 99  # it thinks
    rig.take(StaffRequest("free", {"seat": 3}, lambda *_: None))
    assert question(rig) is None
    assert (place(rig, 3)["house"], place(rig, 3)["stands_in"]) == ("easy", False)


def test_a_free_seat_keeps_its_code_whoever_gives_it_to_the_house_and_back() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit(1)
    code = rig.code(2)
    for strength in ("easy", "", "sharp", ""):
        assert rig.say(1, "house", {"seat": 2, "strength": strength})["ok"]
    decided = rig.claim(2, code, "Late")
    assert decided
    assert decided.held


def test_nobody_of_the_house_is_asked_or_keeps_a_match_alone() -> None:
    rig = alone(seats=4)
    rig.sit(2)
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    assert question(rig)["voters"] == [1, 2]
    rig.say(2, "vote", {"say": "no"})
    for seat in (1, 2):
        rig.say_leave(seat)
    pass_time(rig, LEFT_SECONDS + 2)
    assert rig.state["state"] == "lobby"
    assert place(rig, 4)["house"] == "easy"


def test_a_match_with_the_house_goes_on_after_a_restart_and_after_it_was_put_aside() -> None:
    rig = alone(way=HouseSettings(seconds=1.0))
    rig.start()
    again = TableRig(3, boxes=False, store=rig.store, house=QUICK)
    again.sids = rig.sids
    assert [one["house"] for one in again.state["seats"]] == ["", "easy", "easy"]
    assert again.say(1, "ask", {"what": "put_aside"})["ok"]
    (offer,) = again.state["put_aside"]
    assert again.say(1, "house", {"seat": 2, "strength": ""})["ok"]
    assert not place(again, 2)["held"]
    assert again.say(1, "take_up", {"match": offer["match"]})["ok"]
    assert [one["house"] for one in again.state["seats"]] == ["", "easy", "easy"]
    assert place(again, 2)["name"] == "House 2"


def test_a_person_is_missed_where_the_house_sits_now() -> None:
    rig = TableRig(2, boxes=False, house=QUICK)
    rig.sit()
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    rig.say_leave(2)
    assert rig.say(1, "house", {"seat": 2, "strength": "easy"})["ok"]
    refused = rig.say(1, "take_up", {"match": offer["match"]})
    assert "\u2068Guest 2\u2069 at seat 2 is missing" in refused["error"]


def test_the_owner_gives_seats_to_the_house_from_the_start() -> None:
    rig = TableRig(4, boxes=False, house=HouseSettings(seats=3, strength="sharp"))
    assert [one["house"] for one in rig.state["seats"]] == ["", "sharp", "sharp", "sharp"]
    full = TableRig(2, boxes=False, house=HouseSettings(seats=6))
    assert [one["house"] for one in full.state["seats"]] == ["", "steady"], "a seat is left for somebody"
    rig.sit(1)
    for seat in (2, 3, 4):
        assert rig.say(1, "house", {"seat": seat, "strength": ""})["ok"]
    again = TableRig(4, boxes=False, store=rig.store, house=HouseSettings(seats=3))
    assert [one["house"] for one in again.state["seats"]] == [""] * 4, "people have decided since"


def test_a_sleeping_person_keeps_the_seat_that_the_house_stands_in_for() -> None:
    rig = TableRig(3, boxes=False, house=QUICK)
    rig.sit()
    rig.start()
    sleep(rig, 3)
    bring_on(rig, 1)
    bring_on(rig, 2)
    pass_time(rig, 70)
    for seat in (1, 2):
        rig.say(seat, "vote", {"say": "house"})
    assert (place(rig, 3)["stands_in"], place(rig, 3)["name"]) == (True, "Guest 3")
    assert place(rig, 3)["house"] in STRENGTHS
    assert "3" not in rig.page.codes, "its code is nobody's to see"
