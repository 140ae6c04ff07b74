"""Sentences about the table: signals in, pictures out, in one thread and on a clock that stands still."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from hub import games
from hub.engine.decision import Amount, Won, ask, ask_all, offer, tell
from hub.engine.game import Game, Rulebook
from hub.ports import (
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    BrokerDown,
    BrokerUp,
    DeviceDown,
    DeviceUp,
    Key,
    PhoneGarbled,
    PhoneLink,
    PhoneSaid,
    Tick,
    Turn,
)
from hub.table.loop import NUDGE_SECONDS, Table
from hub.table.seats import CLAIM_SECONDS
from tests.engine.ladder import Climb, deal
from tests.stranger import value
from tests.table.fakes import MemoryStore, Room

WORDS = {"minutes": 1, "blurb": "For tests."}


def made_up(name: str, play: Any, seats: tuple[int, int] = (2, 6)) -> Game:
    """A game of these tests."""
    rulebook = SimpleNamespace(deal=deal_ladder, play=play, explain=lambda *_: None)
    return Game(name, name.title(), seats, 1, "0" * 16, {}, [], WORDS, {}, cast(Rulebook, rulebook))


def deal_ladder(setup: Any) -> Climb:
    return deal(SimpleNamespace(seats=setup.seats, options={"rungs": 100}))  # type: ignore[arg-type]


async def broken(s: Climb) -> None:
    """Rules that fail on a two."""
    while True:
        for seat in s.seats:
            answer = await ask(s, seat, [offer("climb", by=Amount(1, 2)), offer("rest")], "Climb a rung or two.")
            s.seats[seat].height += {1: 1}[answer.args.get("by", 1)]
            tell(s, f"Seat {seat} stands on {s.seats[seat].height}.", kind="climb")


async def short(s: Climb) -> None:
    """Over after one choice of the first seat."""
    first = s.seats.__iter__().__next__()
    answer = await ask(s, first, [offer("climb", by=Amount(1, 2)), offer("rest")], "Climb a rung or two.")
    s.seats[first].height += answer.args.get("by", 0)
    raise Won([first], {seat: rungs.height for seat, rungs in s.seats.items()}, "That was all.")


async def six_bids(s: Climb) -> None:
    """Everybody bids once, sealed."""
    bids = await ask_all(s, {seat: [offer("bid", number=Amount(1, 6))] for seat in s.seats}, "All bid.", into="bid")
    for seat, bid in bids.items():
        s.seats[seat].height = bid["number"]
        tell(s, f"Seat {seat} bids {bid['number']}.", kind="bid")
    raise Won([1], {seat: rungs.height for seat, rungs in s.seats.items()}, "All have bid.")


BROKEN, SHORT, SIX = made_up("broken", broken), made_up("short", short), made_up("six", six_bids)


@pytest.fixture
def room() -> Room:
    return Room()


@pytest.fixture
def playing() -> Room:
    """Three phones in the first bid of Bid & Bait, without boxes."""
    room = Room(boxes=False)
    room.sit()
    room.start()
    return room


@pytest.fixture
def boxed() -> Room:
    """Three phones and three boxes in the first bid of Bid & Bait."""
    room = Room()
    room.boxes_up()
    room.sit()
    room.start()
    return room


def secrets_of(value: object) -> Iterator[str]:
    """Every field name of a public state that no public state may have."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("you", "secret_fish", "seat_code", "sid", "password", "phone_key", "moves", "barred"):
                yield key
            yield from secrets_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from secrets_of(inner)


def step(room: Room, random: Random) -> None:
    """One legal request of somebody's phone, from what the hands offer."""
    decision = room.state["view"]["waiting"]
    if "roll" in decision:
        seat, count = decision["roll"]["seat"], decision["roll"]["count"]
        mine = room.hand(seat).get("moves") or []
        if not mine or random.random() < 0.7:
            room.roll(*(random.randint(1, decision["roll"]["sides"]) for _ in range(count)))
            return
    open_to = [seat for seat in room.sids if room.hand(seat).get("moves") and not room.hand(seat)["locked"]]
    seat = random.choice(open_to)
    move = random.choice(room.hand(seat)["moves"])
    args = {key: value(param, random) for key, param in move.items() if key not in ("move", "standing")}
    answer = room.act(seat, move["move"], **args)
    assert answer["ok"], answer


def bid_all(room: Room, *numbers: int) -> None:
    for seat, number in enumerate(numbers, 1):
        assert room.act(seat, "bid", number=number)["ok"]


def to_roll(room: Room, random: Random) -> dict[str, Any]:
    """Play on until dice are asked for; the roll."""
    for _ in range(100):
        if "roll" in room.state["view"]["waiting"]:
            roll: dict[str, Any] = room.state["view"]["waiting"]["roll"]
            return roll
        step(room, random)
    raise AssertionError("nobody rolls")


# --- sitting down ----------------------------------------------------------------------------------------


def test_the_push_of_the_seats_box_gives_the_seat(room: Room) -> None:
    room.boxes_up()
    assert room.claim(2, name="Ben") is None
    assert room.state["claiming"] == [2]
    room.press(1, "push")
    assert not room.decided, "another seat's box says nothing about this one"
    room.press(2, "push")
    assert room.decided[-1].held
    assert room.state["seats"][1] | {"name": "Ben", "held": True, "claim_code": None} == room.state["seats"][1]
    assert room.decided[-1].sid in room.phones.admitted


def test_the_bar_of_the_seats_box_says_no(room: Room) -> None:
    room.boxes_up()
    room.claim(2)
    room.press(2, "bar")
    assert not room.decided[-1].held
    assert not room.phones.admitted


def test_the_code_of_a_free_seat_gives_it(room: Room) -> None:
    decided = room.claim(1, room.code(1), "Ana")
    assert decided
    assert decided.held
    assert room.state["seats"][0]["held"]


def test_a_seat_without_a_box_wants_its_code(room: Room) -> None:
    decided = room.claim(1)
    assert decided
    assert not decided.held
    assert "code" in decided.say


def test_a_box_that_holds_a_sealed_choice_cannot_say_yes_so_the_code_is_wanted(boxed: Room) -> None:
    decided = boxed.claim(1)
    assert decided
    assert decided.say == "Seat 1 is choosing in its box: type its 4-digit code that its phone shows under Seat."
    assert boxed.state["claiming"] == []


def test_a_seat_that_is_not_there_is_refused(room: Room) -> None:
    decided = room.claim(9, "1234")
    assert decided
    assert decided.say == "There is no seat 9 at this table."


def test_three_wrong_codes_change_the_code(room: Room) -> None:
    right = room.code(1)
    wrong = "0000" if right != "0000" else "1111"
    for _ in range(3):
        decided = room.claim(1, wrong)
        assert decided
        assert not decided.held
    assert room.store.order.count("keep places") >= 1
    if room.code(1) != right:  # one in ten thousand is the same again
        decided = room.claim(1, right)
        assert decided
        assert not decided.held


def test_a_claim_runs_out_after_half_a_minute(room: Room) -> None:
    room.boxes_up()
    room.claim(2)
    room.clock.time += CLAIM_SECONDS - 1
    room.take(Tick())
    assert not room.decided
    room.clock.time += 1
    room.take(Tick())
    assert not room.decided[-1].held
    assert room.state["claiming"] == []
    room.press(2, "push")
    assert not room.phones.admitted


def test_only_one_claim_waits_at_a_time(room: Room) -> None:
    room.boxes_up()
    room.claim(2)
    decided = room.claim(3)
    assert decided
    assert not decided.held


def test_a_box_that_goes_away_ends_the_claim_that_waits_for_it(room: Room) -> None:
    room.boxes_up()
    room.claim(2)
    room.take(BoxDown("box-2", "unplugged"))
    assert not room.decided[-1].held
    assert "code" in room.decided[-1].say


def test_a_second_phone_takes_the_seat_over_and_the_first_is_out(playing: Room) -> None:
    before = playing.sids[2]
    code = playing.hand(2)["seat_code"]
    decided = playing.claim(2, code)
    assert decided
    assert decided.held
    assert playing.phones.released == [before]
    asked = len(playing.phones.answers.get(before, []))
    playing.take(PhoneSaid(before, "0" * 16, 1, playing.state["epoch"], None, "act", {"move": "bid", "number": 3}))
    assert len(playing.phones.answers.get(before, [])) == asked
    assert playing.state["locked"] == []
    playing.sids[2] = decided.sid
    assert playing.hand(2)["you"]
    assert playing.hand(2)["seat_code"] != code


def test_a_seat_that_is_left_is_free_and_its_login_is_gone(room: Room) -> None:
    room.sit(1)
    sid = room.sids[1]
    room.say_leave(1)
    assert room.phones.released == [sid]
    assert room.state["seats"][0]["claim_code"]
    assert not room.state["seats"][0]["held"]


def test_who_leaves_in_a_match_can_come_back_to_the_same_hand(playing: Room) -> None:
    hand = playing.hand(3)["you"]
    playing.say_leave(3)
    playing.sit(3)
    assert playing.hand(3)["you"] == hand


def test_who_left_is_not_dealt_into_the_next_match() -> None:
    room = Room(boxes=False, offered=[SHORT])
    room.sit()
    room.start("short")
    room.say_leave(3)
    assert room.act(1, "rest")["ok"]
    assert room.say(1, "again")["ok"]
    assert set(room.state["view"]["seats"]) == {"1", "2"}


# --- boxes alone -----------------------------------------------------------------------------------------


def test_boxes_alone_sit_down_and_start(room: Room) -> None:
    room.boxes_up()
    for seat in (1, 2, 3):
        room.press(seat, "push")
    assert all(seat["ready"] for seat in room.state["seats"])
    room.press(1, "push")
    assert room.state["state"] == "playing"
    assert set(room.boxes.rounds) == {"box-1", "box-2", "box-3"}


def test_a_push_does_not_start_before_all_who_sit_are_ready(room: Room) -> None:
    room.boxes_up()
    room.sit(3)
    room.press(1, "push", "push")
    assert room.state["state"] == "lobby"
    assert room.notice() == "Not ready yet: Seat 3."


def test_boxes_alone_choose_the_game_with_a_dial_before_and_after_a_match() -> None:
    bait = games.find("bid-and-bait")
    room = Room(offered=(bait, SHORT))
    room.boxes_up()
    room.take(Turn("box-1", 2))
    assert room.state["game"] == "short"
    assert room.notice() == "A push starts Short, for 2 to 6 players. Turn a dial for another game."
    room.take(Turn("box-2", 1))
    assert room.state["game"] == bait.name
    room.take(Turn("box-2", -1))
    for seat in (1, 2):
        room.press(seat, "push")
    room.press(1, "push")
    assert room.state["title"] == "Short"
    assert room.notice() == ""
    room.press(1, "push")
    assert room.state["state"] == "over"
    room.take(Turn("box-2", -1))
    assert (room.state["state"], room.state["title"]) == ("over", "Short")
    assert "A push starts Bid & Bait!" in str(room.notice())
    room.press(1, "push", "push")
    assert (room.state["state"], room.state["game"]) == ("playing", bait.name)


def test_the_bar_stands_up_again(room: Room) -> None:
    room.boxes_up()
    room.press(1, "push", "bar")
    assert (room.state["seats"][0]["ready"], room.state["seats"][0]["held"]) == (False, True)
    room.press(1, "bar")
    assert not room.state["seats"][0]["held"]


def test_a_new_box_is_bound_to_the_first_free_seat_by_its_first_key() -> None:
    room = Room(placed=False)
    room.take(BoxUp("new", "b", "1", 8))
    assert "seat 1" in room.notice()
    room.take(Key("new", "k1", "down"))
    assert room.state["seats"][0]["box"] == "on"
    again = Room(placed=False, store=room.store)
    again.take(BoxUp("new", "c", "1", 8))
    assert again.state["seats"][0]["box"] == "on"


def test_a_new_box_takes_the_place_of_one_that_is_broken_and_plays_on_in_the_middle_of_a_round(boxed: Room) -> None:
    boxed.take(BoxDown("box-2", "Its cable is torn."), BoxUp("new", "b", "1", 8))
    assert boxed.notice() == "A new seat box: press any button on the box for seat 2."
    boxed.take(Key("new", "push", "down"))
    assert boxed.state["seats"][1]["box"] == "on"
    assert boxed.boxes.rounds["new"].round == boxed.boxes.rounds["box-1"].round, "it is asked as all others are"
    boxed.take(BoxUp("box-2", "c", "1", 8), Key("box-2", "push", "down"))
    assert boxed.state["seats"][1]["box"] == "on"


def test_while_every_box_is_there_another_one_is_not_needed(boxed: Room) -> None:
    boxed.take(BoxUp("new", "b", "1", 8), Key("new", "push", "down"))
    assert boxed.notice() == ""


def choose_in_boxes(room: Room, random: Random) -> None:
    """All boxes that are asked lock, and open what they locked when they are told to."""
    asked = dict(room.boxes.rounds)
    told = len(room.boxes.told)
    for box, sealed in asked.items():
        room.take(BoxLocked(box, sealed.round))
    reveals = [what for what in room.boxes.told[told:] if what[0] == "reveal"]
    assert {what[1] for what in reveals} == set(asked)
    room.boxes.rounds.clear()  # a box that has opened its choice is done with the round
    for _, box, round in reveals:
        room.take(BoxBid(box, round, random.randint(0, asked[box].high)))


def test_a_whole_match_is_played_with_boxes_alone() -> None:
    room, random = Room(reader=False), Random(5)
    room.boxes_up()
    for seat in (1, 2, 3):
        room.press(seat, "push")
    room.press(1, "push")
    for _ in range(2000):
        if room.state["over"]:
            break
        waiting = room.state["view"]["waiting"]
        if room.boxes.rounds:
            choose_in_boxes(room, random)
        elif "roll" in waiting:
            roller = waiting["roll"]["seat"]
            room.press(roller, *(f"k{random.randint(1, 6)}" for _ in range(waiting["roll"]["count"])), "push")
            room.press(roller % 3 + 1, "push")
        else:
            seat = int(waiting["seats"][0])
            room.take(Turn(f"box-{seat}", random.randint(-2, 3)))
            room.press(seat, "push")
    assert room.state["over"]
    assert room.state["state"] == "over"
    room.press(1, "push")
    room.press(2, "push")
    room.press(3, "push")
    room.press(1, "push")
    assert (room.state["state"], room.state["match"]) == ("playing", "m-2")


# --- sealed choices --------------------------------------------------------------------------------------


def test_nothing_is_revealed_before_every_seat_has_locked(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    boxed.act(2, "bid", number=4)
    assert boxed.state["locked"] == [1, 2]
    assert not boxed.boxes.revealed()
    boxed.take(BoxLocked("box-3", round))
    assert boxed.boxes.revealed() == {"box-1", "box-3"}
    assert all(seat["bid"] is None for seat in boxed.state["view"]["seats"].values())
    boxed.take(BoxBid("box-3", round, 0))
    assert all(seat["bid"] is None for seat in boxed.state["view"]["seats"].values())
    boxed.take(BoxBid("box-1", round, 2))
    assert {seat: one["bid"] for seat, one in boxed.state["view"]["seats"].items()} == {"1": 3, "2": 4, "3": 1}


def test_a_box_is_told_its_line_by_name_and_its_phone_where_the_dial_starts(boxed: Room) -> None:
    sealed = boxed.boxes.rounds["box-1"]
    assert sealed.names == tuple(f"Bid {number}" for number in range(1, 7))
    assert boxed.hand(1)["dial_at"] == sealed.names[sealed.at]
    assert "Bid 3" not in repr(sealed)


def test_a_lock_that_is_told_twice_counts_once(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round), BoxLocked("box-1", round))
    assert boxed.state["locked"] == [1]


def test_a_lock_of_an_older_round_is_not_heard(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round - 1), BoxBid("box-1", round - 1, 0), BoxLocked("nobody", round))
    assert boxed.state["locked"] == []
    assert not boxed.store.entries["m-1"][-1].line.count(b'"bid"')


def test_a_lock_can_be_taken_back(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round), BoxUnlocked("box-1", round))
    assert boxed.state["locked"] == []
    boxed.act(2, "bid", number=4)
    boxed.act(3, "bid", number=4)
    assert not boxed.boxes.revealed()


def test_a_bar_that_is_faster_than_the_reveal_holds_it_up(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxUnlocked("box-2", round), BoxBid("box-1", round, 0), BoxBid("box-3", round, 1))
    assert all(seat["bid"] is None for seat in boxed.state["view"]["seats"].values())
    told = len(boxed.boxes.told)
    boxed.take(BoxLocked("box-2", round))
    assert ("reveal", "box-2", round) in boxed.boxes.told[told:]
    boxed.take(BoxBid("box-2", round, 5))
    assert {seat: one["bid"] for seat, one in boxed.state["view"]["seats"].items()} == {"1": 1, "2": 6, "3": 2}


def test_a_phone_takes_over_from_its_box(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    boxed.act(1, "bid", number=6)
    assert ("cancel", "box-1", round) in boxed.boxes.told
    boxed.take(BoxLocked("box-1", round), BoxBid("box-1", round, 0))
    assert boxed.hand(1)["locked"] == {"move": "bid", "number": 6}


def test_an_illegal_choice_on_the_phone_does_not_cost_the_boxs_lock(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    assert not boxed.act(1, "bid", number=7)["ok"]
    assert boxed.state["locked"] == [1]
    assert ("cancel", "box-1", round) not in boxed.boxes.told


def test_while_the_boxes_open_a_phone_is_too_late(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    assert boxed.act(1, "bid", number=6)["code"] == "LOCKED"


def test_a_box_that_dies_with_its_lock_gives_way_to_the_phone(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0), BoxBid("box-3", round, 0), BoxDown("box-2", "broken"))
    assert boxed.state["seats"][1]["box"] == "lost"
    assert boxed.act(2, "bid", number=6)["ok"]
    assert boxed.state["view"]["seats"]["2"]["bid"] == 6


@pytest.mark.parametrize("boot", ["b1", "b2"])
def test_a_box_that_comes_back_goes_on_with_the_round(boxed: Room, boot: str) -> None:
    sealed = boxed.boxes.rounds["box-1"]
    boxed.take(BoxLocked("box-1", sealed.round), BoxDown("box-1", "unplugged"))
    assert boxed.state["locked"] == []
    boxed.take(BoxUp("box-1", boot, "1", 8))
    if boot == "b1":  # it has kept its power, and with it the lock
        boxed.take(BoxLocked("box-1", sealed.round))
    assert boxed.boxes.rounds["box-1"] == sealed, "the dial's secret start stays what the phone shows"
    assert boxed.state["locked"] == ([1] if boot == "b1" else [])
    boxed.take(*(BoxLocked(f"box-{seat}", sealed.round) for seat in (1, 2, 3)))
    boxed.take(*(BoxBid(f"box-{seat}", sealed.round, seat) for seat in (1, 2, 3)))
    assert boxed.state["view"]["seats"]["1"]["bid"] == 2


def test_a_box_that_was_away_at_the_reveal_is_not_left_in_a_round_that_is_over(boxed: Room) -> None:
    """Its bid is in the inbox already when the table, hearing that it is back, asks it once more."""
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxDown("box-1", "unplugged"), BoxUp("box-1", "b1", "1", 8), BoxLocked("box-1", round))
    boxed.take(*(BoxBid(f"box-{seat}", round, seat) for seat in (1, 2, 3)))
    assert boxed.state["view"]["seats"]["1"]["bid"] == 2
    assert boxed.boxes.rounds == {}


def test_a_box_that_comes_while_all_choose_is_asked_too(boxed: Room) -> None:
    boxed.take(BoxDown("box-1", "unplugged"))
    del boxed.boxes.rounds["box-1"]
    boxed.take(BoxUp("box-1", "b3", "1", 8))
    assert "box-1" in boxed.boxes.rounds


def test_a_box_that_opens_another_choice_is_asked_again_and_all_know(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0), BoxCheated("box-2", round), BoxBid("box-3", round, 0))
    assert "seat 2" in boxed.notice()
    assert boxed.state["locked"] == [1, 3]
    assert boxed.act(2, "bid", number=5)["ok"]
    assert boxed.state["view"]["seats"]["2"]["bid"] == 5


def test_a_choice_that_is_not_on_the_line_is_a_cheat(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 99))
    assert "seat 1" in boxed.notice()


def test_six_sealed_bids_at_once_are_all_taken() -> None:
    room = Room(seats=6, offered=[SIX])
    room.boxes_up()
    for seat in range(1, 7):
        room.press(seat, "push")
    room.press(1, "push")
    round = room.boxes.rounds["box-1"].round
    room.take(*(BoxLocked(f"box-{seat}", round) for seat in range(1, 7)))
    room.take(*(BoxBid(f"box-{seat}", round, seat - 1) for seat in range(6, 0, -1)))
    assert room.state["over"]["scores"] == {str(seat): seat for seat in range(1, 7)}


def test_keys_of_a_box_that_chooses_in_secret_are_not_heard(boxed: Room) -> None:
    seen = len(boxed.phones.public)
    boxed.press(1, "k1")
    boxed.take(Turn("box-1", 3))
    assert len(boxed.phones.public) == seen, "not even that something was pressed"


# --- dice ------------------------------------------------------------------------------------------------


@pytest.fixture
def rolling(playing: Room) -> Room:
    """A table that waits for dice."""
    to_roll(playing, Random(3))
    return playing


def wanted(room: Room) -> tuple[int, int]:
    roll = room.state["view"]["waiting"]["roll"]
    return roll["seat"], roll["count"]


def read_of(room: Room) -> str:
    return next(event for event in reversed(room.state["events"]) if event["kind"] == "roll")["data"]["read"]


def rolls(room: Room) -> int:
    return sum(b'"roll"' in entry.line for entry in room.store.entries["m-1"])


def test_the_reader_watches_only_while_a_roll_is_wanted(playing: Room) -> None:
    assert playing.dice.armed == []
    playing.see("settled", 3)
    assert not playing.state["dice"]
    roll = to_roll(playing, Random(3))
    assert playing.dice.on
    assert playing.dice.armed[-1] == (roll["seat"], roll["count"], roll["sides"])
    assert playing.state["dice"]["state"] == "armed"


def test_a_read_roll_stands_after_a_second(rolling: Room) -> None:
    _, count = wanted(rolling)
    before = rolls(rolling)
    rolling.see("rolling")
    rolling.see("settled", *[1] * count)
    assert rolling.state["dice"]["faces"] == [1] * count
    rolling.clock.time += 0.9
    rolling.take(Tick())
    assert rolls(rolling) == before
    rolling.clock.time += 0.2
    rolling.take(Tick())
    assert rolls(rolling) == before + 1
    assert read_of(rolling) == "read"


def test_the_roller_accepts_a_read_roll_at_once(rolling: Room) -> None:
    seat, count = wanted(rolling)
    other = next(one for one in rolling.sids if one != seat)
    assert rolling.say(seat, "dice", {"say": "accept"})["code"] == "DICE"
    rolling.see("settled", *[1] * count)
    assert not rolling.say(other, "dice", {"say": "accept"})["ok"]
    assert rolling.say(seat, "dice", {"say": "accept"})["ok"]
    assert read_of(rolling) == "read"


def test_a_leaning_die_does_not_count(rolling: Room) -> None:
    rolling.see("cocked", say="One die is leaning: roll that one again.")
    rolling.clock.time += 10
    before = rolls(rolling)
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"] | {"state": "cocked"} == rolling.state["dice"]
    assert rolling.say(1, "dice", {"say": "again"})["ok"]
    assert rolling.state["dice"]["state"] == "armed"


def test_too_many_dice_do_not_count(rolling: Room) -> None:
    _, count = wanted(rolling)
    before = rolls(rolling)
    rolling.see("settled", *[2] * (count + 1))
    rolling.clock.time += 10
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"]["state"] == "wrong_count"
    assert rolling.state["dice"]["say"].startswith(f"I see {count + 1} of {count}")


def test_a_face_that_no_die_has_does_not_count(rolling: Room) -> None:
    _, count = wanted(rolling)
    before = rolls(rolling)
    rolling.see("settled", *[9] * count)
    rolling.clock.time += 2
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"]["state"] == "wrong_count"


def test_the_roller_types_what_the_dice_show_and_a_second_seat_says_yes(rolling: Room) -> None:
    seat, count = wanted(rolling)
    before, other = rolls(rolling), next(one for one in rolling.sids if one != seat)
    assert not rolling.say(other, "roll", {"faces": [1] * count})["ok"]
    assert not rolling.say(seat, "roll", {"faces": [7] * count})["ok"]
    assert not rolling.say(seat, "roll", {"faces": [True] * count})["ok"]
    assert not rolling.say(seat, "roll", {"faces": "six"})["ok"]
    assert rolling.say(seat, "roll", {"faces": [1] * count})["ok"]
    assert rolling.state["dice"]["state"] == "typed"
    assert not rolling.say(seat, "dice", {"say": "accept"})["ok"], "nobody vouches for their own dice"
    assert rolls(rolling) == before
    assert rolling.say(other, "dice", {"say": "accept"})["ok"]
    assert rolls(rolling) == before + 1
    assert read_of(rolling) == "typed"


def test_typed_dice_can_be_corrected_until_they_stand_and_doubted(rolling: Room) -> None:
    seat, count = wanted(rolling)
    other = next(one for one in rolling.sids if one != seat)
    assert rolling.say(seat, "roll", {"faces": [1] * count})["ok"]
    assert rolling.say(seat, "roll", {"faces": [2] * count})["ok"]
    assert rolling.state["dice"]["faces"] == [2] * count
    rolling.see("settled", *[6] * count)
    assert rolling.state["dice"]["faces"] == [2] * count, "the reader is not listened to any more"
    assert rolling.say(other, "dice", {"say": "again"})["ok"]
    assert rolling.state["dice"]["state"] == "armed"
    assert rolling.dice.reread == rolling.dice.numbers[-1:]


def test_where_nobody_else_is_at_hand_typed_dice_stand_at_once(rolling: Room) -> None:
    seat, count = wanted(rolling)
    rolling.take(*(PhoneLink(sid, False) for other, sid in rolling.sids.items() if other != seat))
    before = rolls(rolling)
    assert rolling.say(seat, "roll", {"faces": [3] * count})["ok"]
    assert rolls(rolling) == before + 1


def test_the_roller_types_on_the_keys_of_the_box_and_a_push_of_another_says_yes() -> None:
    room = Room()
    room.boxes_up()
    room.sit()
    room.start()
    to_roll(room, Random(3))
    seat, count = wanted(room)
    other = seat % 3 + 1
    room.press(seat, *["k2"] * count)
    assert room.boxes.texts[f"box-{seat}"].startswith("Dice: 2")
    room.press(seat, "push", "push")
    assert room.state["dice"]["state"] == "typed", "the roller's own push is not enough"
    assert room.boxes.texts[f"box-{other}"] == "Dice right? Push yes, bar no"
    room.press(other, "bar")
    assert room.state["dice"]["state"] == "armed"
    room.press(seat, *["k2"] * count, "push")
    room.press(other, "push")
    assert read_of(room) == "typed"


def test_boxes_alone_let_the_hub_roll() -> None:
    room = Room()
    room.boxes_up()
    room.sit()
    room.start()
    to_roll(room, Random(3))
    seat, _ = wanted(room)
    before, others = rolls(room), [one for one in (1, 2, 3) if one != seat]
    room.press(others[0], "push")
    assert room.state["dice"]["votes"] == [], "a push at any moment is no vote"
    room.press(seat, "bar")
    room.press(others[0], "push")
    assert room.state["dice"]["votes"] == [seat, others[0]]
    room.press(others[1], "push")
    assert rolls(room) == before + 1
    assert read_of(room) == "hub"


def test_the_push_of_the_rollers_box_accepts_what_was_read() -> None:
    room = Room()
    room.boxes_up()
    room.sit()
    room.start()
    to_roll(room, Random(3))
    seat, count = wanted(room)
    room.see("settled", *[1] * count)
    room.press(seat, "push")
    assert read_of(room) == "read"


def test_the_hub_rolls_when_every_player_wants_it(rolling: Room) -> None:
    before = rolls(rolling)
    assert rolling.say(1, "dice", {"say": "hub"})["ok"]
    assert rolling.say(2, "dice", {"say": "hub"})["ok"]
    assert rolling.state["dice"]["votes"] == [1, 2]
    assert rolling.say(2, "dice", {"say": "hub"})["ok"], "a vote is taken back the same way"
    assert rolling.say(3, "dice", {"say": "hub"})["ok"]
    assert rolls(rolling) == before
    assert rolling.say(2, "dice", {"say": "hub"})["ok"]
    assert rolls(rolling) == before + 1
    assert read_of(rolling) == "hub"


def test_a_guest_who_does_not_play_has_no_say_in_the_dice() -> None:
    room = Room(seats=4, boxes=False)
    room.sit(1, 2, 3)
    room.start()
    to_roll(room, Random(3))
    room.sit(4)
    for sid in [room.sids[seat] for seat in (1, 2, 3)]:
        room.take(PhoneLink(sid, False))
    before = rolls(room)
    assert not room.say(4, "dice", {"say": "hub"})["ok"]
    assert rolls(room) == before


def test_a_vote_for_an_older_roll_does_not_count(rolling: Room) -> None:
    assert rolling.say(1, "dice", {"say": "hub"}, number=0)["code"] == "STALE"
    assert rolling.state["dice"]["votes"] == []


def test_without_a_reader_the_roller_is_asked_to_type() -> None:
    room = Room(boxes=False, reader=False)
    room.sit()
    room.start()
    to_roll(room, Random(3))
    assert room.state["dice"] | {"state": "no_reader", "say": "Type what the dice show."} == room.state["dice"]


# --- requests that cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("act", {}),
        ("act", {"move": 5}),
        ("act", {"move": "bid"}),
        ("act", {"move": "bid", "number": 0}),
        ("act", {"move": "bid", "number": True}),
        ("act", {"move": "bid", "number": "3"}),
        ("act", {"move": "bid", "number": [3]}),
        ("act", {"move": "bid", "number": 3, "seat": 2}),
        ("act", {"move": "bid", "number": 10**30}),
        ("act", {"move": "bid", "number": None}),
        ("act", {"move": "shuffle", "order": []}),
        ("act", {"move": "roll", "faces": [3]}),
        ("act", {"move": "fly" * 500}),
        ("roll", {"faces": [3]}),
        ("roll", {}),
        ("dice", {"say": "hub"}),
        ("dice", {"say": {"x": 1}}),
        ("undo", {}),
        ("start", {}),
        ("start", {"game": "bid-and-bait"}),
        ("start", {"game": ["bid-and-bait"], "options": {}}),
        ("start", {"game": "bid-and-bait", "options": [1]}),
        ("again", {}),
        ("name", {}),
        ("name", {"name": 7}),
        ("sell", {}),
    ],
)
def test_a_request_that_cannot_be_gets_one_sentence_and_changes_nothing(playing: Room, verb: str, args: Any) -> None:
    before, log = playing.seen(), list(playing.store.entries["m-1"])
    answer = playing.say(1, verb, args)
    assert not answer["ok"]
    assert answer["error"].endswith(".")
    assert len(answer["error"]) < 1000
    assert "\n" not in answer["error"]
    assert answer["code"]
    assert playing.seen() == before
    assert playing.store.entries["m-1"] == log


def test_a_request_of_an_older_match_or_question_is_stale(playing: Room) -> None:
    number = playing.hand(1)["number"]
    old = playing.state["epoch"] - 1
    assert playing.say(1, "act", {"move": "bid", "number": 3}, epoch=old)["code"] == "STALE"
    answer = playing.say(1, "undo", epoch=old)
    assert answer["error"] == "The table has moved on: look again."
    sid = playing.sids[1]
    asked = PhoneSaid(sid, "1" * 16, 2, playing.state["epoch"], number - 1, "act", {"move": "bid", "number": 3})
    playing.take(asked)
    assert playing.phones.answers[sid][-1]["code"] == "STALE"
    assert playing.state["locked"] == []


def test_strangers_and_garbled_words_are_not_answered(playing: Room) -> None:
    answers = json.dumps(playing.phones.answers)
    playing.take(
        PhoneSaid("nobody", "2" * 16, 1, playing.state["epoch"], None, "act", {"move": "bid", "number": 3}),
        PhoneGarbled(playing.sids[1], "That is no JSON."),
        PhoneLink("nobody", True),
        Key("no-box", "push", "down"),
        Turn("no-box", 1),
        BoxDown("no-box", "unplugged"),
    )
    assert json.dumps(playing.phones.answers) == answers
    assert playing.state["locked"] == []


def test_a_seat_that_is_not_asked_is_told_so(playing: Room) -> None:
    roll = to_roll(playing, Random(3))
    other = next(seat for seat in playing.sids if seat != roll["seat"])
    answer = playing.act(other, "bid", number=3)
    assert not answer["ok"]
    assert answer["error"].endswith(".")


def test_only_signals_come_into_the_inbox(room: Room) -> None:
    with pytest.raises(TypeError):
        room.take("hello")


# --- undo, again, patience ---------------------------------------------------------------------------------


def test_a_bid_is_taken_back_before_the_last_seat_has_locked(playing: Room) -> None:
    before = playing.seen()
    playing.act(1, "bid", number=6)
    assert playing.hand(1)["undo"]
    assert not playing.hand(2)["undo"]
    epoch = playing.state["epoch"]
    assert playing.say(1, "undo")["ok"]
    assert playing.state["epoch"] > epoch
    assert playing.seen() == before
    again = Room(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert again.seen() == before


def test_another_seats_choice_cannot_be_taken_back(playing: Room) -> None:
    playing.act(1, "bid", number=6)
    assert playing.say(2, "undo")["code"] == "UNDO"
    assert playing.state["locked"] == [1]


def test_the_last_action_of_a_match_can_be_taken_back_and_the_match_survives_the_plug() -> None:
    room = Room(boxes=False, offered=[SHORT])
    room.sit()
    room.start("short")
    before = room.seen()
    assert room.act(1, "climb", by=2)["ok"]
    assert room.state["state"] == "over"
    assert room.say(1, "undo")["ok"]
    assert room.seen() == before
    again = Room(boxes=False, store=room.store, offered=[SHORT])
    again.sids = room.sids
    assert again.seen() == before
    assert again.act(1, "climb", by=1)["ok"]
    assert again.state["over"]["scores"]["1"] == 1


def test_the_same_game_is_played_again_by_one_word() -> None:
    room = Room(boxes=False, offered=[SHORT])
    room.sit()
    room.start("short")
    room.act(1, "rest")
    epoch = room.state["epoch"]
    assert room.say(2, "again")["ok"]
    assert (room.state["state"], room.state["match"]) == ("playing", "m-2")
    assert room.state["epoch"] > epoch


def test_a_match_under_way_is_not_swept_off_the_table(playing: Room) -> None:
    answer = playing.say(1, "start", {"game": "bid-and-bait"})
    assert answer["code"] == "START"
    assert playing.state["match"] == "m-1"


def test_who_keeps_the_table_waiting_is_called_once(playing: Room) -> None:
    playing.act(1, "bid", number=3)
    playing.clock.time += NUDGE_SECONDS
    playing.take(Tick())
    assert playing.state["nudged"] == [2, 3]
    seen = len(playing.phones.public)
    playing.clock.time += NUDGE_SECONDS
    playing.take(Tick())
    assert len(playing.phones.public) == seen


def test_the_bar_held_calls_for_help(boxed: Room) -> None:
    boxed.take(Key("box-2", "bar", "hold"))
    assert boxed.notice() == "Seat 2 calls for help."


def test_a_missing_broker_is_said_until_it_is_back_and_other_news_stay(room: Room) -> None:
    room.boxes_up()
    room.sit(1)
    room.take(Key("box-2", "bar", "hold"), BrokerDown("The broker is gone."))
    assert room.notice() == "The broker is gone."
    assert room.state["seats"][0]["phone"] == "away"
    room.take(BrokerUp())
    assert room.notice() == "Seat 2 calls for help."


def test_a_lost_device_is_said_until_it_is_back_and_what_a_person_must_do_comes_first(room: Room) -> None:
    room.boxes_up()
    room.take(DeviceDown("panel", "The panel does not answer."), DeviceDown("strip", "The strip is dark."))
    assert room.notice() == "The panel does not answer."
    room.take(DeviceUp("panel"))
    assert room.notice() == "The strip is dark."
    room.take(Key("box-2", "bar", "hold"))
    assert room.notice() == "Seat 2 calls for help."


# --- the record ----------------------------------------------------------------------------------------------


def test_nothing_is_shown_or_answered_before_the_disk_has_it(playing: Room) -> None:
    random = Random(8)
    for _ in range(60):
        if playing.state["over"]:
            break
        start = len(playing.order)
        step(playing, random)
        told = playing.order[start:]
        if told.count("answer") == 2:  # dice were typed: that is shown, and another seat says yes
            told = told[told.index("answer") + 1 :]
        assert told.index("append") < told.index("show") < told.index("answer")
        assert "append" not in told[told.index("show") :]


def test_all_phones_have_their_hands_and_one_its_answer_before_the_rings_are_drawn(playing: Room) -> None:
    start = len(playing.order)
    assert playing.act(1, "bid", number=4)["ok"]
    assert [what for what in playing.order[start:] if what != "append"] == [
        "show",
        "hand",
        "hand",
        "hand",
        "answer",
        "rings",
    ]


def test_a_seat_is_given_only_when_the_disk_has_it(room: Room) -> None:
    start = len(room.order)
    room.sit(1)
    told = room.order[start:]
    assert told.index("keep places") < told.index("admit") < told.index("decided")


def test_a_seat_that_cannot_be_noted_is_not_given(playing: Room) -> None:
    code = playing.hand(2)["seat_code"]
    playing.store.broken = "The disk is full."
    decided = playing.claim(2, code)
    assert decided
    assert not decided.held
    assert playing.phones.released == []
    playing.store.broken = ""
    playing.take(Tick())
    assert playing.act(2, "bid", number=2)["ok"], "who held the seat before holds it still"


def test_when_the_disk_fails_the_match_stands_still_and_goes_on_when_it_is_back(playing: Room) -> None:
    bid_all(playing, 6, 5)
    before = playing.seen()
    playing.store.broken = "The disk is full."
    answer = playing.act(3, "bid", number=4)
    assert not answer["ok"]
    assert "The disk is full." in answer["error"]
    assert (playing.state["state"], playing.notice()) == ("stopped", "The disk is full.")
    assert playing.state["view"]["seats"] == before["public"]["view"]["seats"], "the reveal has not been"
    assert playing.hand(3)["locked"] is None
    assert not playing.act(3, "bid", number=4)["ok"]
    assert not playing.say(2, "undo")["ok"]
    playing.take(Tick())
    assert playing.state["state"] == "stopped"
    playing.store.broken = ""
    playing.take(Tick())
    assert playing.seen() == before
    assert playing.notice() == ""
    assert playing.act(3, "bid", number=4)["ok"]
    assert playing.state["view"]["seats"]["3"]["bid"] == 4
    again = Room(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert again.seen() == playing.seen()


def test_when_the_disk_fails_the_boxes_choices_are_asked_for_again(boxed: Room) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0))
    boxed.store.broken = "The disk is full."
    boxed.take(BoxBid("box-2", round, 1))
    assert boxed.state["state"] == "stopped"
    boxed.press(1, "bar", "bar")
    assert boxed.state["seats"][0]["held"], "a bar in the pause does not cost the seat"
    boxed.store.broken, told = "", len(boxed.boxes.told)
    boxed.take(Tick())
    assert boxed.state["locked"] == [1]
    assert {what[1] for what in boxed.boxes.told[told:] if what[0] == "open"} == {"box-2", "box-3"}


def test_when_the_disk_fails_at_the_start_the_match_begins_when_it_is_back(room: Room) -> None:
    room.sit()
    room.store.broken = "The disk is full."
    assert not room.say(1, "start", {"game": "bid-and-bait"})["ok"]
    assert room.state["view"] is None
    room.store.broken = ""
    room.take(Tick())
    room.start()
    assert room.state["state"] == "playing"


def test_when_the_disk_fails_in_an_undo_nothing_was_taken_back(playing: Room) -> None:
    playing.act(1, "bid", number=6)
    before = playing.seen()
    playing.store.broken = "The disk is full."
    assert not playing.say(1, "undo")["ok"]
    playing.store.broken = ""
    playing.take(Tick())
    assert playing.seen() == before
    bid_all(playing, 6, 5, 4)
    assert playing.state["view"]["seats"]["1"]["bid"] == 6


def test_a_fault_of_the_rules_freezes_the_match_and_undo_lets_it_go_on() -> None:
    room = Room(boxes=False, offered=[BROKEN])
    room.sit()
    room.start("broken")
    assert room.act(1, "climb", by=1)["ok"]
    before = room.seen()
    room.act(2, "climb", by=2)
    assert room.state["state"] == "stopped"
    assert "Take back" in room.notice()
    assert "Traceback" not in json.dumps(room.state)
    assert not room.act(2, "rest")["ok"]
    frozen = Room(boxes=False, store=room.store, offered=[BROKEN])
    frozen.sids = room.sids
    assert frozen.state["state"] == "stopped", "the plug does not thaw it"
    assert frozen.hand(2)["undo"]
    assert frozen.say(2, "undo")["ok"]
    assert frozen.seen() == before
    assert frozen.act(2, "climb", by=1)["ok"]


def test_after_a_fault_the_table_may_start_anew() -> None:
    room = Room(boxes=False, offered=[BROKEN])
    room.sit()
    room.start("broken")
    room.act(1, "climb", by=2)
    room.start("broken")
    assert (room.state["state"], room.state["match"], room.notice()) == ("playing", "m-2", "")
    assert room.store.running("1") == "m-2"


@pytest.mark.parametrize("options", [{}, {"sides": "advanced"}])
def test_pulled_at_any_moment_the_plug_costs_nothing(options: dict[str, Any]) -> None:
    room, random = Room(boxes=False), Random(11)
    room.sit()
    room.start("bid-and-bait", **options)
    for _ in range(400):
        again = Room(boxes=False, store=room.store, seed=99)
        room.store.order = room.order
        again.sids = dict(room.sids)
        if room.state["over"]:  # then the next lobby is open
            assert again.state["state"] == "lobby"
            break
        assert again.seen() == room.seen()
        assert again.state["epoch"] > room.state["epoch"]
        assert again.table.code == room.table.code
        room = again if random.random() < 0.3 else room
        room.store.order = room.order
        room.store.kept["1", "epoch"] = str(room.state["epoch"]).encode()
        step(room, random)
    assert room.state["over"]


def test_a_record_that_the_rules_contradict_is_set_aside_and_kept(playing: Room) -> None:
    bid_all(playing, 6, 5, 4)
    kept = playing.store.entries["m-1"]
    number, line = kept[-1].number, kept[-1].line
    kept[-1] = kept[-1]._replace(line=line.replace(b'"asked":', b'"asked":1'))
    again = Room(boxes=False, store=playing.store)
    assert again.state["state"] == "lobby"
    assert "its record is kept" in again.notice()
    assert again.store.entries["m-1"][-1].number == number
    again.take(BrokerUp())
    assert again.notice(), "the broker's coming does not hide it"
    assert Room(boxes=False, store=playing.store).notice() == ""
    again.sids = playing.sids
    again.start()
    assert again.state["match"] == "m-2"


def test_a_record_of_a_game_that_this_hub_has_not_is_set_aside(playing: Room) -> None:
    again = Room(boxes=False, store=playing.store, offered=[SHORT])
    assert "no game bid-and-bait" in again.notice()


def test_names_logins_and_codes_are_there_after_a_restart(playing: Room) -> None:
    again = Room(boxes=False, store=playing.store)
    assert again.phones.admitted == playing.phones.admitted
    assert [seat["name"] for seat in again.state["seats"]] == ["Guest 1", "Guest 2", "Guest 3"]
    assert all(seat["phone"] == "away" for seat in again.state["seats"])
    assert again.state["code"] == playing.state["code"]


# --- secrets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_what_all_see_holds_no_secret_and_a_hand_goes_to_its_seat_alone(seed: int) -> None:
    room, random = Room(boxes=seed % 2 == 0, seed=seed), Random(seed)
    room.boxes_up()
    room.sit()
    room.start()
    for _ in range(300):
        if room.state["over"]:
            break
        step(room, random)
        public, match = room.state, room.match
        assert list(secrets_of(public)) == []
        assert public["view"] == json.loads(msgspec.json.encode(match.view(None)))
        for seat in room.sids:
            assert room.hand(seat)["seat"] == seat
            assert room.hand(seat)["seat_code"] not in [one["claim_code"] for one in public["seats"]]
            if not public["over"]:
                assert room.hand(seat)["you"] == json.loads(msgspec.json.encode(match.view(seat)["you"]))
        if match.open and match.open.kind == "sealed":
            assert all(one["bid"] is None for one in public["view"]["seats"].values())
    assert room.state["over"]


def test_every_picture_counts_up(playing: Room) -> None:
    bid_all(playing, 1, 2, 3)
    counts = [(state["epoch"], state["seq"]) for state in playing.phones.public]
    assert counts == sorted(set(counts))


def test_rings_and_panels_see_every_picture(boxed: Room) -> None:
    assert len(boxed.lamps.shown) == len(boxed.phones.public)
    assert [seq for seq, _ in boxed.page.shown] == [state["seq"] for state in boxed.phones.public]
    assert set(boxed.boxes.rings) == {"box-1", "box-2", "box-3"}
    before = boxed.boxes.rings["box-1"]
    assert before.pattern == "choosing"
    boxed.take(BoxLocked("box-1", boxed.boxes.rounds["box-1"].round))
    after = boxed.boxes.rings["box-1"]
    assert after.pattern == "locked"


def test_the_tables_thread_reads_its_inbox_until_it_is_stopped() -> None:
    room = Room(boxes=False)
    ticked: list[int] = []
    room.table.put(BrokerDown("The broker is gone."))
    room.table.stop()
    room.table.run(lambda: ticked.append(1))
    assert ticked == [1]
    assert room.notice() == "The broker is gone."


def test_each_change_of_points_is_told_with_its_rule_and_its_sum_for_two_rounds(playing: Room) -> None:
    random, told = Random(11), []
    while not playing.state["over"] and playing.state["view"]["round"] < 4:
        step(playing, random)
        told.append(playing.state["why"])
    why = playing.state["why"]
    assert {change["round"] for change in why} <= {3, 4}
    assert [change["n"] for change in why] == sorted((change["n"] for change in why), reverse=True)
    spent = next(change for changes in told for change in changes if change["rule"] == "BB-14")
    assert spent["to"] < spent["from"]
    assert spent["sum"] == f"{spent['from']} - {spent['from'] - spent['to']} = {spent['to']}"


def test_two_tables_share_a_record(room: Room) -> None:
    other = Room(boxes=False, start=False, store=room.store)
    other.table = Table("2", "Table 2", 3, [games.find("bid-and-bait")], other.ports)
    other.table.start()
    room.sit()
    room.start()
    other.sit()
    other.start()
    assert (room.state["match"], other.state["match"]) == ("m-1", "m-2")
    assert isinstance(room.store, MemoryStore)
    assert (room.store.running("1"), room.store.running("2")) == ("m-1", "m-2")
    assert games.find("bid-and-bait").name == other.state["game"]


def test_only_the_seat_that_is_asked_hears_why_its_own_cards_are_not_to_be_had() -> None:
    room = Room(boxes=False, offered=[games.find("bid-it")])
    room.sit()
    room.start("bid-it")
    first = int(room.state["view"]["waiting"]["seats"][0])
    assert room.act(first, "bid", quantity=1, rank=5)["ok"]
    asked = int(room.state["view"]["waiting"]["seats"][0])
    kept = [card for card in dict.fromkeys(room.hand(asked)["you"]["hand"]) if "5" in card or "*" in card]
    assert [one["cards"] for one in room.hand(asked)["barred"]] == [[card] for card in kept]
    for one in room.hand(asked)["barred"]:
        assert room.act(asked, "draw", cards=one["cards"])["error"] == one["why"]
    assert all(not room.hand(seat)["barred"] for seat in room.sids if seat != asked)


# --- standing offers -------------------------------------------------------------------------------------------


@pytest.fixture
def discarding() -> Room:
    """Three phones and three boxes in Bidness, while all discard in secret."""
    room = Room(offered=[games.find("bidness")])
    room.boxes_up()
    room.sit()
    room.start("bidness")
    faces = {1: (6, 6, 6), 2: (3, 3, 3), 3: (1, 1, 1)}
    while dice := room.state["dice"]:
        room.see("settled", *faces[dice["seat"]])
        room.clock.time += 10
        room.take(Tick())
        room.take(Tick())
    assert sorted(room.boxes.rounds) == ["box-1", "box-2", "box-3"]
    return room


def test_one_tap_borrows_once_while_boxes_hold_a_secret_choice(discarding: Room) -> None:
    before = discarding.state["view"]["seats"]["1"]
    length = len(discarding.match.log)
    assert discarding.act(1, "borrow", amount=100)["ok"]
    after = discarding.state["view"]["seats"]["1"]
    assert after["cash"] == before["cash"] + 100
    assert [(one.seat, one.move, one.args) for one in discarding.match.log[length:]] == [(1, "borrow", {"amount": 100})]


def test_a_standing_offer_leaves_the_choice_in_the_box_alone(discarding: Room) -> None:
    number = discarding.boxes.rounds["box-1"].round
    discarding.take(BoxLocked("box-1", number))
    assert discarding.act(1, "borrow", amount=100)["ok"]
    assert discarding.state["locked"] == [1]
    assert ("cancel", "box-1", number) not in discarding.boxes.told


def test_a_loan_that_is_refused_is_not_in_the_log(discarding: Room) -> None:
    length, seen = len(discarding.match.log), discarding.seen()
    answer = discarding.act(1, "borrow", amount=10_000)
    assert not answer["ok"]
    assert len(discarding.match.log) == length
    assert discarding.seen() == seen
    assert "box-1" in discarding.boxes.rounds
