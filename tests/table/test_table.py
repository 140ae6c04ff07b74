"""Sentences about the table: signals in, pictures out, in one thread and on a clock that stands still."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from hub import games
from hub.engine.decision import Amount, Won, ask, ask_all, offer, tell
from hub.engine.event import Event
from hub.engine.game import Game, Rulebook
from hub.engine.text import Text, say, to_json
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
    Missing,
    PhoneGarbled,
    PhoneLink,
    PhoneRequest,
    SealedRound,
    StaffRequest,
    Tick,
    Turn,
)
from hub.state import PublicEvent
from hub.table.loop import Table
from hub.table.match import feed
from hub.table.people.absence import CALL_SECONDS
from hub.table.seating.conditions import NO_BROKER
from hub.table.seating.seats import ALARM_AFTER, ALARM_SECONDS, CLAIM_SECONDS, SHOWN_SECONDS
from tests.engine.ladder import Climb, deal
from tests.made_labels import made_labels
from tests.random_client import value
from tests.table.fakes import FakeBoxes, MemoryStore, TableRig
from tests.table.guests import staff

LABELS = made_labels({"minutes": 1, "blurb": "For tests."})


def made_up(name: str, play: Any, seats: tuple[int, int] = (2, 6)) -> Game:
    """A game of these tests."""
    rulebook = Rulebook(deal=deal_ladder, play=play, explain=lambda *_: None)
    return Game(name, name.title(), seats, 1, "0" * 16, {}, [], LABELS, {}, rulebook)


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
def rig() -> TableRig:
    return TableRig()


@pytest.fixture
def playing() -> TableRig:
    """Three phones in the first bid of Bid & Bait, without boxes."""
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    return rig


@pytest.fixture
def boxed() -> TableRig:
    """Three phones and three boxes in the first bid of Bid & Bait."""
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


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


def step(rig: TableRig, random: Random) -> None:
    """One legal request of somebody's phone, from what the hands offer."""
    decision = rig.state["view"]["waiting"]
    if "roll" in decision:
        seat, count = decision["roll"]["seat"], decision["roll"]["count"]
        mine = rig.hand(seat).get("moves") or []
        if not mine or random.random() < 0.7:
            rig.roll(*(random.randint(1, decision["roll"]["sides"]) for _ in range(count)))
            return
    open_to = [seat for seat in rig.sids if rig.hand(seat).get("moves") and not rig.hand(seat)["locked"]]
    seat = random.choice(open_to)
    move = random.choice(rig.hand(seat)["moves"])
    args = {key: value(param, random) for key, param in move.items() if key not in ("move", "standing")}
    answer = rig.act(seat, move["move"], **args)
    assert answer["ok"], answer


def test_everything_that_was_shown_can_be_read_back_page_by_page(playing: TableRig) -> None:
    random = Random(3)
    while playing.state["state"] == "playing":
        step(playing, random)
    happened = playing.table.event_feed
    read: list[PublicEvent] = []
    before = 10**9
    while before:
        page = happened.page_before(before)
        assert (page.match, page.epoch) == (playing.state["match"], playing.state["epoch"])
        assert 0 < len(page.events) <= feed.PAGE_EVENTS
        read = [*page.events, *read]
        before = page.events[0].n
    assert len(read) > feed.PAGE_EVENTS
    assert [event.n for event in read] == list(range(len(read)))
    assert [event.text for event in read] == [event.text for event in playing.match.events]
    newest = playing.state["events"]
    assert json.loads(to_json(read[-len(newest) :])) == newest
    assert happened.page_before(0).events == []


def test_a_public_state_has_the_newest_events_and_all_that_the_last_two_growths_brought() -> None:
    happened, events = feed.EventFeed(), [Event(f"{n}.") for n in range(100)]

    def numbers(length: int, epoch: int = 1) -> list[int]:
        happened.update("m-1", epoch, events[:length])
        return [event.n for event in happened.newest().events]

    assert numbers(2) == [0, 1], "from the first one"
    assert numbers(5) == [0, 1, 2, 3, 4]
    assert [numbers(length)[0] for length in (6, 7, 8, 9)] == [0, 0, 0, 1], "eight"
    assert numbers(29) == list(range(8, 29)), "one action may bring many"
    assert numbers(29) == list(range(8, 29)), "a state that brings none counts for nothing"
    assert numbers(30) == list(range(9, 30)), "whoever misses one state misses no event"
    assert numbers(31) == list(range(23, 31))
    assert numbers(31, epoch=2) == list(range(1, 31)), "after something was taken back pages begin anew"
    assert [event.n for event in happened.for_screens().events] == list(range(1, 31))
    happened.update(None, 3, ())
    assert happened.newest().events == happened.for_screens().events == []


def test_the_tables_own_screens_have_thirty_events_while_phones_have_the_newest(playing: TableRig) -> None:
    random = Random(3)
    while len(playing.match.events) < 60:
        step(playing, random)
    screen, public = playing.page.newest, playing.state
    assert screen
    assert len(screen.events) == feed.SCREEN_EVENTS
    assert feed.LEAST_EVENTS <= len(public["events"]) < feed.SCREEN_EVENTS
    assert json.loads(to_json(screen.events[-len(public["events"]) :])) == public["events"]


def test_games_are_offered_before_a_match_and_after_it_alone(playing: TableRig) -> None:
    random = Random(3)
    assert playing.state["state"] == "playing"
    assert playing.state["games"] == []
    while playing.state["state"] == "playing":
        step(playing, random)
    assert [offer["name"] for offer in playing.state["games"]] == ["bid-and-bait"]


def test_what_was_not_shown_yet_cannot_be_read_while_the_match_goes_on() -> None:
    happened, events = feed.EventFeed(), [Event("One.")]
    happened.update("m-1", 1, events)
    events.append(Event("Two."))
    assert [event.text for event in happened.page_before(10).events] == ["One."]


def test_what_was_taken_back_cannot_be_read_any_more(playing: TableRig) -> None:
    bid_all(playing, 3, 5, 4)
    playing.roll(2)
    while not playing.hand(2).get("undo"):
        step(playing, Random(1))
    taken_back, epoch = playing.table.event_feed.page_before(1000).events[-1], playing.state["epoch"]
    changed = playing.table.event_feed.changes().changes
    assert playing.say(2, "undo")["ok"]
    page = playing.table.event_feed.page_before(1000)
    assert page.epoch > epoch
    assert taken_back.text not in [event.text for event in page.events]
    why = playing.table.event_feed.changes()
    assert (why.match, why.epoch) == (page.match, page.epoch)
    assert len(why.changes) < len(changed)
    assert json.loads(to_json(page.events)) == playing.state["events"]


def test_what_the_disk_does_not_have_cannot_be_read_either(playing: TableRig) -> None:
    bid_all(playing, 3, 5)
    before = playing.table.event_feed.page_before(1000)
    playing.store.broken = "The disk is full."
    playing.act(3, "bid", number=4)
    assert playing.state["state"] == "stopped"
    assert playing.table.event_feed.page_before(1000).events == before.events


def test_a_log_holds_no_name_of_anybody(playing: TableRig) -> None:
    assert playing.say(1, "name", {"name": "Zebedee"})["ok"]
    bid_all(playing, 3, 4, 5)
    head, lines = playing.store.load("m-1")
    assert len(lines) > 3
    written = b"".join([head, *(one.line for one in lines)])
    assert not [seat["name"] for seat in playing.state["seats"] if seat["name"].encode() in written]
    assert playing.state["seats"][0]["name"] == "Zebedee"


def bid_all(rig: TableRig, *numbers: int) -> None:
    for seat, number in enumerate(numbers, 1):
        assert rig.act(seat, "bid", number=number)["ok"]


def to_roll(rig: TableRig, random: Random) -> dict[str, Any]:
    """Play on until dice are asked for; the roll."""
    for _ in range(100):
        if "roll" in rig.state["view"]["waiting"]:
            roll: dict[str, Any] = rig.state["view"]["waiting"]["roll"]
            return roll
        step(rig, random)
    raise AssertionError("nobody rolls")


# --- sitting down ----------------------------------------------------------------------------------------


def test_the_push_of_the_seats_box_gives_the_seat(rig: TableRig) -> None:
    rig.boxes_up()
    assert rig.claim(2, name="Ben") is None
    assert rig.state["claiming"] == [2]
    rig.clock.time += SHOWN_SECONDS
    rig.press(1, "push")
    assert not rig.decided, "another seat's box says nothing about this one"
    rig.press(2, "push")
    assert rig.decided[-1].held
    assert rig.state["seats"][1] | {"name": "Ben", "held": True} == rig.state["seats"][1]
    assert rig.decided[-1].sid in rig.phones.admitted


def test_the_bar_of_the_seats_box_says_no(rig: TableRig) -> None:
    rig.boxes_up()
    rig.claim(2)
    rig.clock.time += SHOWN_SECONDS
    rig.press(2, "bar")
    assert not rig.decided[-1].held
    assert not rig.phones.admitted


def test_the_code_of_a_free_seat_gives_it(rig: TableRig) -> None:
    decided = rig.claim(1, rig.code(1), "Ana")
    assert decided
    assert decided.held
    assert rig.state["seats"][0]["held"]


def test_a_seat_without_a_box_wants_its_code(rig: TableRig) -> None:
    decided = rig.claim(1)
    assert decided
    assert not decided.held
    assert decided.say == "Seat 1 has no box. Type its code from the big screen."


def test_a_box_that_holds_a_sealed_choice_cannot_say_yes_so_the_code_is_wanted(boxed: TableRig) -> None:
    decided = boxed.claim(1)
    assert decided
    assert decided.say == "Seat 1 is choosing on its box. Type the code that its phone shows under Seat."
    assert boxed.state["claiming"] == []


def test_a_seat_that_is_not_there_is_refused(rig: TableRig) -> None:
    decided = rig.claim(9, "BCDFGH")
    assert decided
    assert decided.say == "There is no seat 9 at this table."


def test_wrong_codes_never_keep_the_right_one_out(rig: TableRig) -> None:
    right = rig.code(1)
    for _ in range(30):
        decided = rig.claim(1, "BBBBBB" if right != "BBBBBB" else "CCCCCC")
        assert decided
        assert (decided.held, decided.wrong_code) == (False, True)
    assert rig.code(1) == right, "whoever reads it from the screen types it to the end"
    decided = rig.claim(1, right)
    assert decided
    assert decided.held


def test_many_wrong_codes_in_ten_minutes_are_told_and_a_few_are_not(rig: TableRig) -> None:
    def wrong() -> None:
        decided = rig.claim(1, "BBBBBB" if rig.code(1) != "BBBBBB" else "CCCCCC")
        assert decided
        assert not decided.held

    for _ in range(ALARM_AFTER):
        wrong()
        rig.clock.time += ALARM_SECONDS / (ALARM_AFTER - 2)
    assert rig.notice() == ""
    for _ in range(ALARM_AFTER):
        wrong()
    assert rig.notice() == "Somebody on this network is guessing the codes of seats. Please tell staff."


def test_a_claim_runs_out_after_half_a_minute(rig: TableRig) -> None:
    rig.boxes_up()
    rig.claim(2)
    rig.clock.time += CLAIM_SECONDS - 1
    rig.take(Tick())
    assert not rig.decided
    rig.clock.time += 1
    rig.take(Tick())
    assert not rig.decided[-1].held
    assert rig.state["claiming"] == []
    rig.press(2, "push")
    assert not rig.phones.admitted


def test_one_claim_waits_at_each_seat(rig: TableRig) -> None:
    rig.boxes_up()
    rig.claim(2)
    assert rig.claim(3, name="Cid") is None
    decided = rig.claim(2)
    assert decided
    assert decided.say == "Somebody else is asking for seat 2: try again in a moment."
    rig.clock.time += SHOWN_SECONDS
    rig.press(3, "push")
    assert rig.decided[-1].held
    assert rig.state["seats"][2]["name"] == "Cid"
    assert rig.state["claiming"] == [2]


def test_a_box_that_goes_away_ends_the_claim_that_waits_for_it(rig: TableRig) -> None:
    rig.boxes_up()
    rig.claim(2)
    rig.take(BoxDown("box-2", "unplugged"))
    assert not rig.decided[-1].held
    assert "code" in rig.decided[-1].say


def test_a_second_phone_takes_the_seat_over_and_the_first_is_out(playing: TableRig) -> None:
    before = playing.sids[2]
    code = playing.hand(2)["seat_code"]
    decided = playing.claim(2, code)
    assert decided
    assert decided.held
    assert playing.phones.released == [before]
    asked = len(playing.phones.answers.get(before, []))
    playing.take(PhoneRequest(before, "0" * 16, 1, playing.state["epoch"], None, "act", {"move": "bid", "number": 3}))
    assert len(playing.phones.answers.get(before, [])) == asked
    assert playing.state["locked"] == []
    playing.sids[2] = decided.sid
    assert playing.hand(2)["you"]
    assert playing.hand(2)["seat_code"] != code


def test_a_seat_that_is_left_is_free_and_its_login_is_gone(rig: TableRig) -> None:
    rig.sit(1)
    sid = rig.sids[1]
    rig.say_leave(1)
    assert rig.phones.released == [sid]
    assert rig.code(1)
    assert not rig.state["seats"][0]["held"]


def test_who_leaves_in_a_match_can_come_back_to_the_same_hand(playing: TableRig) -> None:
    hand = playing.hand(3)["you"]
    playing.say_leave(3)
    assert playing.say(1, "code", {"seat": 3})["ok"]
    playing.sit(3)
    assert playing.hand(3)["you"] == hand


def test_who_left_is_not_dealt_into_the_next_match() -> None:
    rig = TableRig(boxes=False, offered=[SHORT])
    rig.sit()
    rig.start("short")
    rig.say_leave(3)
    assert rig.act(1, "rest")["ok"]
    rig.ready()
    assert rig.say(1, "again")["ok"]
    assert set(rig.state["view"]["seats"]) == {"1", "2"}


# --- boxes alone -----------------------------------------------------------------------------------------


def test_boxes_alone_sit_down_and_start(rig: TableRig) -> None:
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    assert all(seat["ready"] for seat in rig.state["seats"])
    rig.press(1, "push")
    assert rig.state["state"] == "playing"
    assert set(rig.boxes.rounds) == {"box-1", "box-2", "box-3"}


def test_a_push_does_not_start_before_all_who_sit_are_ready(rig: TableRig) -> None:
    rig.boxes_up()
    rig.sit(3)
    rig.press(1, "push", "push")
    assert rig.state["state"] == "lobby"
    assert rig.notice() == "Not ready yet: Seat 3."


def test_boxes_alone_choose_the_game_with_a_dial_before_and_after_a_match() -> None:
    bait = games.find("bid-and-bait")
    rig = TableRig(offered=(bait, SHORT))
    rig.boxes_up()
    rig.take(Turn("box-1", 2))
    assert rig.state["game"] == "short"
    assert rig.notice() == "Push a dial to start Short, for 2 to 6 players. Turn a dial to choose another game."
    rig.take(Turn("box-2", 1))
    assert rig.state["game"] == bait.name
    rig.take(Turn("box-2", -1))
    for seat in (1, 2):
        rig.press(seat, "push")
    rig.press(1, "push")
    assert rig.state["title"] == "Short"
    assert rig.notice() == ""
    rig.press(1, "push")
    assert rig.state["state"] == "over"
    rig.take(Turn("box-2", -1))
    assert (rig.state["state"], rig.state["title"]) == ("over", "Short")
    assert "Push a dial to start Bid & Bait!" in str(rig.notice())
    rig.press(1, "push", "push")
    assert (rig.state["state"], rig.state["game"]) == ("playing", bait.name)


def test_the_bar_stands_up_again(rig: TableRig) -> None:
    rig.boxes_up()
    rig.press(1, "push", "bar")
    assert (rig.state["seats"][0]["ready"], rig.state["seats"][0]["held"]) == (False, True)
    rig.press(1, "bar")
    assert not rig.state["seats"][0]["held"]


def test_a_new_box_is_bound_to_the_first_free_seat_by_its_first_key() -> None:
    rig = TableRig(placed=False)
    rig.take(BoxUp("new", "b", "1", 8))
    assert "seat 1" in rig.notice()
    rig.take(Key("new", "k1", "down"))
    assert rig.state["seats"][0]["box"] == "on"
    assert rig.notice() == "", "no other box waits for a seat"
    rig.take(BoxUp("next", "e", "1", 8), BoxUp("third", "f", "1", 8), Key("next", "k1", "down"))
    assert rig.notice() == "Now press the box for seat 3."
    again = TableRig(placed=False, store=rig.store)
    again.take(BoxUp("new", "c", "1", 8))
    assert again.state["seats"][0]["box"] == "on"


def test_a_new_box_takes_the_place_of_one_that_is_broken_and_plays_on_in_the_middle_of_a_round(boxed: TableRig) -> None:
    boxed.take(BoxDown("box-2", "Its cable is torn."), BoxUp("new", "b", "1", 8))
    assert boxed.notice() == "A new seat box: press any button on the box for seat 2."
    boxed.take(Key("new", "push", "down"))
    assert boxed.state["seats"][1]["box"] == "on"
    assert boxed.boxes.rounds["new"].round == boxed.boxes.rounds["box-1"].round, "it is asked as all others are"
    boxed.take(BoxUp("box-2", "c", "1", 8), Key("box-2", "push", "down"))
    assert boxed.state["seats"][1]["box"] == "on"


def test_while_every_box_is_there_another_one_is_not_needed(boxed: TableRig) -> None:
    boxed.take(BoxUp("new", "b", "1", 8), Key("new", "push", "down"))
    assert boxed.notice() == ""


def choose_in_boxes(rig: TableRig, random: Random) -> None:
    """All boxes that are asked lock, and open what they locked when they are told to."""
    asked = dict(rig.boxes.rounds)
    start = len(rig.boxes.sent)
    for box, sealed in asked.items():
        rig.take(BoxLocked(box, sealed.round))
    reveals = [what for what in rig.boxes.sent[start:] if what[0] == "reveal"]
    assert {what[1] for what in reveals} == set(asked)
    rig.boxes.rounds.clear()  # a box that has opened its choice is done with the round
    for _, box, round in reveals:
        rig.take(BoxBid(box, round, random.randint(0, asked[box].high)))


def test_a_whole_match_is_played_with_boxes_alone() -> None:
    rig, random = TableRig(reader=False), Random(5)
    rig.boxes_up()
    for seat in (1, 2, 3):
        rig.press(seat, "push")
    rig.press(1, "push")
    for _ in range(2000):
        if rig.state["over"]:
            break
        waiting = rig.state["view"]["waiting"]
        if rig.boxes.rounds:
            choose_in_boxes(rig, random)
        elif "roll" in waiting:
            roller = waiting["roll"]["seat"]
            rig.press(roller, *(f"k{random.randint(1, 6)}" for _ in range(waiting["roll"]["count"])), "push")
            rig.press(roller % 3 + 1, "push")
        else:
            seat = int(waiting["seats"][0])
            rig.take(Turn(f"box-{seat}", random.randint(-2, 3)))
            rig.press(seat, "push")
    assert rig.state["over"]
    assert rig.state["state"] == "over"
    rig.press(1, "push")
    rig.press(2, "push")
    rig.press(3, "push")
    rig.press(1, "push")
    assert (rig.state["state"], rig.state["match"]) == ("playing", "m-2")


# --- sealed choices --------------------------------------------------------------------------------------


def test_nothing_is_revealed_before_every_seat_has_locked(boxed: TableRig) -> None:
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


def test_a_box_is_told_its_line_by_name_and_its_phone_where_the_dial_starts(boxed: TableRig) -> None:
    sealed = boxed.boxes.rounds["box-1"]
    assert sealed.names == tuple(f"Bid {number}" for number in range(1, 7))
    assert boxed.hand(1)["dial_at"] == sealed.names[sealed.at]
    assert "Bid 3" not in repr(sealed)


def test_phones_see_a_sealed_choice_before_boxes_are_asked_and_boxes_before_the_signal_is_done() -> None:
    class Watching(FakeBoxes):
        def open(self, box: str, sealed: SealedRound) -> None:
            seen.append((box, rig.state["view"]["waiting"]["secret"]))
            super().open(box, sealed)

    seen: list[tuple[str, bool]] = []
    boxes = Watching()
    rig = TableRig(hub_boxes=boxes)
    rig.boxes_up()
    rig.sit()
    rig.start()
    assert seen == [("box-1", True), ("box-2", True), ("box-3", True)]
    assert {text for box, text in boxes.texts.items()} == {boxes.texts["box-1"]} != {""}


def test_a_lock_that_is_told_twice_counts_once(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round), BoxLocked("box-1", round))
    assert boxed.state["locked"] == [1]


def test_a_lock_of_an_older_round_is_not_heard(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round - 1), BoxBid("box-1", round - 1, 0), BoxLocked("nobody", round))
    assert boxed.state["locked"] == []
    assert not boxed.store.entries["m-1"][-1].line.count(b'"bid"')


def test_a_lock_can_be_taken_back(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round), BoxUnlocked("box-1", round))
    assert boxed.state["locked"] == []
    boxed.act(2, "bid", number=4)
    boxed.act(3, "bid", number=4)
    assert not boxed.boxes.revealed()


def test_a_bar_that_is_faster_than_the_reveal_holds_it_up(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxUnlocked("box-2", round), BoxBid("box-1", round, 0), BoxBid("box-3", round, 1))
    assert all(seat["bid"] is None for seat in boxed.state["view"]["seats"].values())
    start = len(boxed.boxes.sent)
    boxed.take(BoxLocked("box-2", round))
    assert ("reveal", "box-2", round) in boxed.boxes.sent[start:]
    boxed.take(BoxBid("box-2", round, 5))
    assert {seat: one["bid"] for seat, one in boxed.state["view"]["seats"].items()} == {"1": 1, "2": 6, "3": 2}


def test_a_phone_takes_over_from_its_box(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    boxed.act(1, "bid", number=6)
    assert ("cancel", "box-1", round) in boxed.boxes.sent
    boxed.take(BoxLocked("box-1", round), BoxBid("box-1", round, 0))
    assert boxed.hand(1)["locked"] == {"move": "bid", "number": 6}


def test_an_illegal_choice_on_the_phone_does_not_cost_the_boxs_lock(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    assert not boxed.act(1, "bid", number=7)["ok"]
    assert boxed.state["locked"] == [1]
    assert ("cancel", "box-1", round) not in boxed.boxes.sent


def test_while_the_boxes_open_a_phone_is_too_late(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    assert boxed.act(1, "bid", number=6)["code"] == "LOCKED"


def test_a_box_that_dies_with_its_lock_gives_way_to_the_phone(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0), BoxBid("box-3", round, 0), BoxDown("box-2", "broken"))
    assert boxed.state["seats"][1]["box"] == "lost"
    assert boxed.act(2, "bid", number=6)["ok"]
    assert boxed.state["view"]["seats"]["2"]["bid"] == 6


@pytest.mark.parametrize("boot", ["b1", "b2"])
def test_a_box_that_comes_back_goes_on_with_the_round(boxed: TableRig, boot: str) -> None:
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


def test_a_box_that_was_away_at_the_reveal_is_not_left_in_a_round_that_is_over(boxed: TableRig) -> None:
    """Its bid is in the inbox already when the table, hearing that it is back, asks it once more."""
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxDown("box-1", "unplugged"), BoxUp("box-1", "b1", "1", 8), BoxLocked("box-1", round))
    boxed.take(*(BoxBid(f"box-{seat}", round, seat) for seat in (1, 2, 3)))
    assert boxed.state["view"]["seats"]["1"]["bid"] == 2
    assert boxed.boxes.rounds == {}


def test_a_box_that_comes_while_all_choose_is_asked_too(boxed: TableRig) -> None:
    boxed.take(BoxDown("box-1", "unplugged"))
    del boxed.boxes.rounds["box-1"]
    boxed.take(BoxUp("box-1", "b3", "1", 8))
    assert "box-1" in boxed.boxes.rounds


def test_a_box_that_opens_another_choice_is_asked_again_and_all_know(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0), BoxCheated("box-2", round), BoxBid("box-3", round, 0))
    assert "seat 2" in boxed.notice()
    assert boxed.state["locked"] == [1, 3]
    assert boxed.act(2, "bid", number=5)["ok"]
    assert boxed.state["view"]["seats"]["2"]["bid"] == 5


def test_a_choice_that_is_not_on_the_line_is_a_cheat(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 99))
    assert "seat 1" in boxed.notice()


def test_six_sealed_bids_at_once_are_all_taken() -> None:
    rig = TableRig(seats=6, offered=[SIX])
    rig.boxes_up()
    for seat in range(1, 7):
        rig.press(seat, "push")
    rig.press(1, "push")
    round = rig.boxes.rounds["box-1"].round
    rig.take(*(BoxLocked(f"box-{seat}", round) for seat in range(1, 7)))
    rig.take(*(BoxBid(f"box-{seat}", round, seat - 1) for seat in range(6, 0, -1)))
    assert rig.state["over"]["scores"] == {str(seat): seat for seat in range(1, 7)}


def test_keys_of_a_box_that_chooses_in_secret_are_not_heard(boxed: TableRig) -> None:
    seen = len(boxed.phones.public)
    boxed.press(1, "k1")
    boxed.take(Turn("box-1", 3))
    assert len(boxed.phones.public) == seen, "not even that something was pressed"


def test_rounds_have_small_numbers_that_a_restart_does_not_change(boxed: TableRig) -> None:
    first = {box: sealed.round for box, sealed in boxed.boxes.rounds.items()}
    assert first == dict.fromkeys(("box-1", "box-2", "box-3"), (10_000 + len(boxed.match.log)) * 10)
    back = TableRig(store=boxed.store)
    back.boxes_up()
    assert {box: sealed.round for box, sealed in back.boxes.rounds.items()} == first


def test_a_decision_that_is_asked_again_after_a_full_disk_has_another_number(boxed: TableRig) -> None:
    numbers = []
    for _ in range(11):
        numbers.append(boxed.boxes.rounds["box-1"].round)
        boxed.store.broken = "The disk is full."
        assert not boxed.act(1, "bid", number=4)["ok"]
        boxed.store.broken = ""
        boxed.take(Tick())
    first = (10_000 + len(boxed.match.log)) * 10
    assert numbers == [*range(first, first + 10), first]


def test_the_next_decision_has_a_number_that_no_other_decision_has(boxed: TableRig) -> None:
    for seat in (1, 2, 3):
        assert boxed.act(seat, "bid", number=seat)["ok"]
    to_sealed(boxed)
    assert boxed.boxes.rounds["box-1"].round == (10_000 + len(boxed.match.log)) * 10


def to_sealed(rig: TableRig) -> None:
    """Go on until all are asked in secret again."""
    random = Random(5)
    while not rig.boxes.rounds:
        step(rig, random)


def test_the_dial_starts_somewhere_on_the_line_and_only_its_own_phone_knows_where() -> None:
    starts = []
    for seed in range(12):
        rig = TableRig(seats=6, offered=[SIX], seed=seed)
        rig.boxes_up()
        rig.sit()
        rig.start("six")
        assert all(sealed.high == 5 for sealed in rig.boxes.rounds.values())
        for seat in range(1, 7):
            sealed, hand = rig.boxes.rounds[f"box-{seat}"], rig.hand(seat)
            assert (hand["dial"], hand["dial_at"]) == (sealed.at + 1, sealed.names[sealed.at])
            starts.append(sealed.at)
    assert {*starts} == {*range(6)}


@pytest.mark.parametrize(("answers", "named"), [(300, 300), (301, 0)])
def test_a_box_has_room_for_three_hundred_names(answers: int, named: int) -> None:
    async def many(s: Climb) -> None:
        await ask_all(s, {seat: [offer("bid", number=Amount(1, answers))] for seat in s.seats}, "Bid.", into="bid")

    rig = TableRig(offered=[made_up("many", many)])
    rig.boxes_up()
    rig.sit()
    rig.start("many")
    sealed = rig.boxes.rounds["box-2"]
    assert (sealed.high, len(sealed.names)) == (answers - 1, named)
    assert rig.hand(2)["dial"] == sealed.at + 1


def test_a_seat_without_a_box_is_asked_on_its_phone_alone(boxed: TableRig) -> None:
    rig = TableRig(placed=False)
    rig.take(BoxUp("new", "b1", "1", 8), Key("new", "k1", "down"))
    rig.sit()
    rig.start()
    assert set(rig.boxes.rounds) == {"new"}
    assert [rig.hand(seat)["dial"] is None for seat in (1, 2, 3)] == [False, True, True]
    rig.take(BoxDown("new", "unplugged"))
    for seat in (1, 2, 3):
        assert rig.act(seat, "bid", number=seat)["ok"]
    assert [seat["bid"] for seat in rig.state["view"]["seats"].values()] == [1, 2, 3]


def test_boxes_open_in_the_order_in_which_they_locked_and_are_told_when_it_is_over(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.boxes.sent.clear()
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (3, 1, 2)))
    opened = [("reveal", box, round) for box in ("box-3", "box-1", "box-2")]
    assert boxed.boxes.sent == opened, "once, not for each lock"
    for index, seat in enumerate((2, 3)):
        boxed.take(BoxBid(f"box-{seat}", round, index))
        assert boxed.boxes.sent[3 + index :] == [("cancel", f"box-{seat}", round)]
        assert seat in boxed.state["locked"]
    boxed.take(BoxBid("box-3", round, 5))
    assert len(boxed.boxes.sent) == 5, "its choice was taken once"


def test_a_choice_that_was_opened_and_then_taken_back_is_not_locked_any_more(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)), BoxBid("box-1", round, 2))
    assert boxed.state["locked"] == [1, 2, 3]
    assert boxed.say(1, "undo")["ok"]
    assert boxed.state["locked"] == [2, 3]


@pytest.mark.parametrize("index", [-1, 6])
def test_an_answer_beside_the_line_is_asked_for_again(boxed: TableRig, index: int) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.boxes.sent.clear()
    boxed.take(BoxBid("box-2", round, index))
    assert boxed.notice() == (
        "The box of seat 2 revealed a different choice from the one it locked. That seat chooses again."
    )
    assert [one["key"] for one in boxed.state["notices"]] == ["other_value:2"]
    assert (boxed.state["locked"], boxed.boxes.sent) == ([1, 3], [("open", "box-2", round)])
    boxed.take(BoxLocked("box-2", round))
    assert boxed.boxes.revealed() == {"box-1", "box-2", "box-3"}, "all open together in the end"


def test_both_ends_of_the_line_are_answers(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0), BoxBid("box-2", round, 5), BoxBid("box-3", round, 1))
    assert [seat["bid"] for seat in boxed.state["view"]["seats"].values()] == [1, 6, 2]


def test_a_box_that_takes_back_what_it_has_not_locked_changes_nothing(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    shown = len(boxed.phones.public)
    boxed.take(BoxUnlocked("box-1", round), BoxUnlocked("box-2", round + 1), BoxUnlocked("nobody", round))
    assert len(boxed.phones.public) == shown
    boxed.take(BoxLocked("box-1", round))
    assert len(boxed.phones.public) == shown + 1
    boxed.take(BoxUnlocked("box-1", round))
    assert (len(boxed.phones.public), boxed.state["locked"]) == (shown + 2, [])


def test_what_a_phone_takes_back_its_box_asks_again_and_no_other(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    assert boxed.act(1, "bid", number=3)["ok"]
    assert "box-1" not in boxed.boxes.rounds
    boxed.boxes.sent.clear()
    assert boxed.say(1, "undo")["ok"]
    assert boxed.boxes.sent == [("open", "box-1", round)]
    boxed.take(BoxLocked("box-1", round))
    assert boxed.state["locked"] == [1]


def test_a_phone_that_answers_takes_the_lock_of_its_box_with_it(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    assert boxed.act(1, "bid", number=3)["ok"]
    assert boxed.say(1, "undo")["ok"]
    assert boxed.state["locked"] == []


def test_a_box_that_comes_back_after_its_phone_has_answered_is_not_asked(boxed: TableRig) -> None:
    boxed.take(BoxDown("box-1", "unplugged"))
    assert boxed.act(1, "bid", number=3)["ok"]
    boxed.boxes.sent.clear()
    boxed.take(BoxUp("box-1", "b2", "1", 8))
    assert boxed.boxes.sent == []


def test_a_choice_that_is_open_when_the_match_ends_is_taken_out_of_the_boxes(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    assert boxed.act(1, "bid", number=3)["ok"]
    boxed.boxes.sent.clear()
    assert staff(boxed, "end")[0]
    assert boxed.boxes.sent == [("cancel", "box-2", round), ("cancel", "box-3", round)]


def test_a_phone_is_too_late_only_while_its_own_box_opens(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round), BoxLocked("box-2", round))
    assert boxed.act(1, "bid", number=1)["ok"], "seat 3 still chooses"
    boxed.take(BoxLocked("box-3", round))
    refused = boxed.act(2, "bid", number=6)
    assert (refused["code"], refused["error"]) == ("LOCKED", "Everybody has locked: the choices are being revealed.")
    assert ("cancel", "box-2", round) not in boxed.boxes.sent


def test_the_claim_of_a_phone_ends_with_the_cable_of_the_box(rig: TableRig) -> None:
    rig.boxes_up()
    assert rig.claim(2) is None
    rig.take(BoxDown("box-2", "unplugged"))
    (decided,) = rig.decided
    assert not decided.held
    assert decided.say == "The box of seat 2 is disconnected. Type its code from the big screen."


def test_the_table_waits_for_those_who_have_not_locked_anywhere(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(BoxLocked("box-1", round))
    assert boxed.act(2, "bid", number=3)["ok"]
    boxed.clock.time += CALL_SECONDS
    boxed.take(Tick())
    assert boxed.state["nudged"] == [3]


# --- dice ------------------------------------------------------------------------------------------------


@pytest.fixture
def rolling(playing: TableRig) -> TableRig:
    """A table that waits for dice."""
    to_roll(playing, Random(3))
    return playing


def wanted(rig: TableRig) -> tuple[int, int]:
    roll = rig.state["view"]["waiting"]["roll"]
    return roll["seat"], roll["count"]


def read_of(rig: TableRig) -> str:
    return next(event for event in reversed(rig.state["events"]) if event["kind"] == "roll")["data"]["read"]


def rolls(rig: TableRig) -> int:
    return sum(b'"roll"' in entry.line for entry in rig.store.entries["m-1"])


def test_the_reader_watches_only_while_a_roll_is_wanted(playing: TableRig) -> None:
    assert playing.dice.armed == []
    playing.see("settled", 3)
    assert not playing.state["dice"]
    roll = to_roll(playing, Random(3))
    assert playing.dice.on
    assert playing.dice.armed[-1] == (roll["seat"], roll["count"], roll["sides"])
    assert playing.state["dice"]["state"] == "armed"


def test_a_read_roll_stands_after_a_second(rolling: TableRig) -> None:
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


def test_the_roller_accepts_a_read_roll_at_once(rolling: TableRig) -> None:
    seat, count = wanted(rolling)
    other = next(one for one in rolling.sids if one != seat)
    assert rolling.say(seat, "dice", {"say": "accept"})["code"] == "DICE"
    rolling.see("settled", *[1] * count)
    assert not rolling.say(other, "dice", {"say": "accept"})["ok"]
    assert rolling.say(seat, "dice", {"say": "accept"})["ok"]
    assert read_of(rolling) == "read"


def test_a_leaning_die_does_not_count(rolling: TableRig) -> None:
    rolling.see("cocked", say="One die is leaning: roll that one again.")
    rolling.clock.time += 10
    before = rolls(rolling)
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"] | {"state": "cocked"} == rolling.state["dice"]
    assert rolling.say(1, "dice", {"say": "again"})["ok"]
    assert rolling.state["dice"]["state"] == "armed"


def test_too_many_dice_do_not_count(rolling: TableRig) -> None:
    _, count = wanted(rolling)
    before = rolls(rolling)
    rolling.see("settled", *[2] * (count + 1))
    rolling.clock.time += 10
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"]["state"] == "wrong_count"
    assert rolling.state["dice"]["say"].startswith(f"I see {count + 1} of {count}")


def test_a_face_that_no_die_has_does_not_count(rolling: TableRig) -> None:
    _, count = wanted(rolling)
    before = rolls(rolling)
    rolling.see("settled", *[9] * count)
    rolling.clock.time += 2
    rolling.take(Tick())
    assert rolls(rolling) == before
    assert rolling.state["dice"]["state"] == "wrong_count"


def test_the_roller_types_what_the_dice_show_and_a_second_seat_says_yes(rolling: TableRig) -> None:
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


def test_typed_dice_can_be_corrected_until_they_stand_and_read_again(rolling: TableRig) -> None:
    seat, count = wanted(rolling)
    other = next(one for one in rolling.sids if one != seat)
    assert rolling.say(seat, "roll", {"faces": [1] * count})["ok"]
    assert rolling.say(seat, "roll", {"faces": [2] * count})["ok"]
    assert rolling.state["dice"]["faces"] == [2] * count
    rolling.see("settled", *[6] * count)
    assert rolling.state["dice"]["faces"] == [2] * count, "the reader is not listened to any more"
    assert rolling.say(other, "dice", {"say": "again"})["ok"]
    assert rolling.state["dice"]["state"] == "armed"
    assert rolling.dice.lying_arms == rolling.dice.numbers[-1:]


def test_where_nobody_else_is_at_hand_typed_dice_stand_at_once(rolling: TableRig) -> None:
    seat, count = wanted(rolling)
    rolling.take(*(PhoneLink(sid, False) for other, sid in rolling.sids.items() if other != seat))
    before = rolls(rolling)
    assert rolling.say(seat, "roll", {"faces": [3] * count})["ok"]
    assert rolls(rolling) == before + 1


def test_the_roller_types_on_the_keys_of_the_box_and_a_push_of_another_says_yes() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    to_roll(rig, Random(3))
    seat, count = wanted(rig)
    other = seat % 3 + 1
    rig.press(seat, *["k2"] * count)
    assert rig.boxes.texts[f"box-{seat}"].startswith("Dice: 2")
    rig.press(seat, "push", "push")
    assert rig.state["dice"]["state"] == "typed", "the roller's own push is not enough"
    assert rig.boxes.texts[f"box-{other}"] == "Dice right? Push yes, bar no"
    rig.press(other, "bar")
    assert rig.state["dice"]["state"] == "armed"
    rig.press(seat, *["k2"] * count, "push")
    rig.press(other, "push")
    assert read_of(rig) == "typed"


def test_boxes_alone_let_the_hub_roll() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    to_roll(rig, Random(3))
    seat, _ = wanted(rig)
    before, others = rolls(rig), [one for one in (1, 2, 3) if one != seat]
    rig.press(others[0], "push")
    assert rig.state["dice"]["votes"] == [], "a push at any moment is no vote"
    rig.press(seat, "bar")
    rig.press(others[0], "push")
    assert rig.state["dice"]["votes"] == [seat, others[0]]
    rig.press(others[1], "push")
    assert rolls(rig) == before + 1
    assert read_of(rig) == "hub"


def test_the_push_of_the_rollers_box_accepts_what_was_read() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    to_roll(rig, Random(3))
    seat, count = wanted(rig)
    rig.see("settled", *[1] * count)
    rig.press(seat, "push")
    assert read_of(rig) == "read"


def test_the_hub_rolls_when_every_player_wants_it(rolling: TableRig) -> None:
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
    rig = TableRig(seats=4, boxes=False)
    rig.sit(1, 2, 3)
    rig.start()
    to_roll(rig, Random(3))
    rig.sit(4)
    for sid in [rig.sids[seat] for seat in (1, 2, 3)]:
        rig.take(PhoneLink(sid, False))
    before = rolls(rig)
    assert not rig.say(4, "dice", {"say": "hub"})["ok"]
    assert rolls(rig) == before


def test_a_vote_for_an_older_roll_does_not_count(rolling: TableRig) -> None:
    assert rolling.say(1, "dice", {"say": "hub"}, number=0)["code"] == "STALE"
    assert rolling.state["dice"]["votes"] == []


def test_without_a_reader_the_roller_is_asked_to_type() -> None:
    rig = TableRig(boxes=False, reader=False)
    rig.sit()
    rig.start()
    to_roll(rig, Random(3))
    assert rig.state["dice"] | {"state": "no_reader", "say": "Type what the dice show."} == rig.state["dice"]


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
def test_a_request_that_cannot_be_gets_one_sentence_and_changes_nothing(
    playing: TableRig, verb: str, args: Any
) -> None:
    before, log = playing.seen(), list(playing.store.entries["m-1"])
    answer = playing.say(1, verb, args)
    assert not answer["ok"]
    assert answer["error"].endswith(".")
    assert len(answer["error"]) < 1000
    assert "\n" not in answer["error"]
    assert answer["code"]
    assert playing.seen() == before
    assert playing.store.entries["m-1"] == log


def test_a_request_of_an_older_match_or_question_is_stale(playing: TableRig) -> None:
    number = playing.hand(1)["number"]
    old = playing.state["epoch"] - 1
    assert playing.say(1, "act", {"move": "bid", "number": 3}, epoch=old)["code"] == "STALE"
    answer = playing.say(1, "undo", epoch=old)
    assert answer["error"] == "The table has moved on: look again."
    sid = playing.sids[1]
    asked = PhoneRequest(sid, "1" * 16, 2, playing.state["epoch"], number - 1, "act", {"move": "bid", "number": 3})
    playing.take(asked)
    assert playing.phones.answers[sid][-1]["code"] == "STALE"
    assert playing.state["locked"] == []


def test_strangers_and_garbled_requests_are_not_answered(playing: TableRig) -> None:
    answers = json.dumps(playing.phones.answers)
    playing.take(
        PhoneRequest("nobody", "2" * 16, 1, playing.state["epoch"], None, "act", {"move": "bid", "number": 3}),
        PhoneGarbled(playing.sids[1], "That is no JSON."),
        PhoneLink("nobody", True),
        Key("no-box", "push", "down"),
        Turn("no-box", 1),
        BoxDown("no-box", "unplugged"),
    )
    assert json.dumps(playing.phones.answers) == answers
    assert playing.state["locked"] == []


def test_a_seat_that_is_not_asked_is_told_so(playing: TableRig) -> None:
    roll = to_roll(playing, Random(3))
    other = next(seat for seat in playing.sids if seat != roll["seat"])
    answer = playing.act(other, "bid", number=3)
    assert not answer["ok"]
    assert answer["error"].endswith(".")


def test_only_signals_come_into_the_inbox(rig: TableRig) -> None:
    with pytest.raises(TypeError):
        rig.take("hello")


# --- undo, again, patience ---------------------------------------------------------------------------------


def test_a_bid_is_taken_back_before_the_last_seat_has_locked(playing: TableRig) -> None:
    before = playing.seen()
    playing.act(1, "bid", number=6)
    assert playing.hand(1)["undo"]
    assert not playing.hand(2)["undo"]
    epoch = playing.state["epoch"]
    assert playing.say(1, "undo")["ok"]
    assert playing.state["epoch"] > epoch
    assert playing.seen() == before
    again = TableRig(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert again.seen() == before


def test_another_seats_choice_cannot_be_taken_back(playing: TableRig) -> None:
    playing.act(1, "bid", number=6)
    assert playing.say(2, "undo")["code"] == "UNDO"
    assert playing.state["locked"] == [1]


def test_the_last_action_of_a_match_can_be_taken_back_and_the_match_survives_the_plug() -> None:
    rig = TableRig(boxes=False, offered=[SHORT])
    rig.sit()
    rig.start("short")
    before = rig.seen()
    assert rig.act(1, "climb", by=2)["ok"]
    assert rig.state["state"] == "over"
    assert rig.say(1, "undo")["ok"]
    assert rig.seen() == before
    again = TableRig(boxes=False, store=rig.store, offered=[SHORT])
    again.sids = rig.sids
    assert again.seen() == before
    assert again.act(1, "climb", by=1)["ok"]
    assert again.state["over"]["scores"]["1"] == 1


def test_the_same_game_is_played_again_by_one_word() -> None:
    rig = TableRig(boxes=False, offered=[SHORT])
    rig.sit()
    rig.start("short")
    rig.act(1, "rest")
    epoch = rig.state["epoch"]
    rig.say(1, "ready")
    rig.say(3, "ready")
    assert rig.say(2, "again")["ok"]
    assert (rig.state["state"], rig.state["match"]) == ("playing", "m-2")
    assert rig.state["epoch"] > epoch


def test_a_match_under_way_is_not_swept_off_the_table(playing: TableRig) -> None:
    answer = playing.say(1, "start", {"game": "bid-and-bait"})
    assert answer["code"] == "START"
    assert playing.state["match"] == "m-1"


def test_who_keeps_the_table_waiting_is_called_once(playing: TableRig) -> None:
    for seat in (1, 2):
        playing.act(seat, "bid", number=3)
    playing.clock.time += CALL_SECONDS
    playing.take(Tick())
    assert playing.state["nudged"] == [3]
    seen = len(playing.phones.public)
    playing.clock.time += CALL_SECONDS
    playing.take(Tick())
    assert len(playing.phones.public) == seen


def test_the_bar_held_calls_for_help(boxed: TableRig) -> None:
    boxed.take(Key("box-2", "bar", "hold"))
    assert boxed.notice() == "Seat 2 calls for help."


def test_a_missing_broker_is_said_until_it_is_back_and_other_news_stay(rig: TableRig) -> None:
    rig.boxes_up()
    rig.sit(1)
    rig.take(Key("box-2", "bar", "hold"), BrokerDown("The broker is gone."))
    assert rig.notice() == NO_BROKER
    assert rig.state["seats"][0]["phone"] == "away"
    rig.take(BrokerUp())
    assert rig.notice() == "Seat 2 calls for help."


def test_a_lost_device_is_said_until_it_is_back_and_what_a_person_must_do_comes_first(rig: TableRig) -> None:
    rig.boxes_up()
    rig.take(DeviceDown("panel", say("The panel does not answer.")), DeviceDown("strip", say("The strip is dark.")))
    assert rig.notice() == "The panel does not answer."
    rig.take(DeviceUp("panel"))
    assert rig.notice() == "The strip is dark."
    rig.take(Key("box-2", "bar", "hold"))
    assert rig.notice() == "Seat 2 calls for help."


# --- the record ----------------------------------------------------------------------------------------------


def test_nothing_is_shown_or_answered_before_the_disk_has_it(playing: TableRig) -> None:
    random = Random(8)
    for _ in range(60):
        if playing.state["over"]:
            break
        start = len(playing.order)
        step(playing, random)
        orders = playing.order[start:]
        if orders.count("answer") == 2:  # dice were typed: that is shown, and another seat says yes
            orders = orders[orders.index("answer") + 1 :]
        assert orders.index("append") < orders.index("show") < orders.index("answer")
        assert "append" not in orders[orders.index("show") :]


def test_all_phones_have_their_hands_and_one_its_answer_before_the_rings_are_drawn(playing: TableRig) -> None:
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


def test_a_seat_is_given_only_when_the_disk_has_it(rig: TableRig) -> None:
    start = len(rig.order)
    rig.sit(1)
    orders = rig.order[start:]
    assert orders.index("keep places") < orders.index("admit") < orders.index("decided")


def test_a_seat_that_cannot_be_noted_is_not_given(playing: TableRig) -> None:
    code = playing.hand(2)["seat_code"]
    playing.store.broken = "The disk is full."
    decided = playing.claim(2, code)
    assert decided
    assert not decided.held
    assert playing.phones.released == []
    playing.store.broken = ""
    playing.take(Tick())
    assert playing.act(2, "bid", number=2)["ok"], "who held the seat before holds it still"


def test_when_the_disk_fails_the_match_stands_still_and_goes_on_when_it_is_back(playing: TableRig) -> None:
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
    again = TableRig(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert again.seen() == playing.seen()


def test_when_the_disk_fails_the_boxes_choices_are_asked_for_again(boxed: TableRig) -> None:
    round = boxed.boxes.rounds["box-1"].round
    boxed.take(*(BoxLocked(f"box-{seat}", round) for seat in (1, 2, 3)))
    boxed.take(BoxBid("box-1", round, 0))
    boxed.store.broken = "The disk is full."
    boxed.take(BoxBid("box-2", round, 1))
    assert boxed.state["state"] == "stopped"
    boxed.press(1, "bar", "bar")
    assert boxed.state["seats"][0]["held"], "a bar in the pause does not cost the seat"
    boxed.store.broken, start = "", len(boxed.boxes.sent)
    boxed.take(Tick())
    assert boxed.state["locked"] == [1]
    assert {what[1] for what in boxed.boxes.sent[start:] if what[0] == "open"} == {"box-2", "box-3"}


def test_when_the_disk_fails_at_the_start_the_match_begins_when_it_is_back(rig: TableRig) -> None:
    rig.sit()
    rig.ready()
    rig.store.broken = "The disk is full."
    assert not rig.say(1, "start", {"game": "bid-and-bait"})["ok"]
    assert rig.state["view"] is None
    rig.store.broken = ""
    rig.take(Tick())
    rig.start()
    assert rig.state["state"] == "playing"


def test_when_the_disk_fails_in_an_undo_nothing_was_taken_back(playing: TableRig) -> None:
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
    rig = TableRig(boxes=False, offered=[BROKEN])
    rig.sit()
    rig.start("broken")
    assert rig.act(1, "climb", by=1)["ok"]
    before = rig.seen()
    rig.act(2, "climb", by=2)
    assert rig.state["state"] == "stopped"
    assert "Take back" in rig.notice()
    assert "Traceback" not in json.dumps(rig.state)
    assert not rig.act(2, "rest")["ok"]
    frozen = TableRig(boxes=False, store=rig.store, offered=[BROKEN])
    frozen.sids = rig.sids
    assert frozen.state["state"] == "stopped", "the plug does not thaw it"
    assert frozen.hand(2)["undo"]
    assert frozen.say(2, "undo")["ok"]
    assert frozen.seen() == before
    assert frozen.act(2, "climb", by=1)["ok"]


def test_after_a_fault_the_table_may_start_anew() -> None:
    rig = TableRig(boxes=False, offered=[BROKEN])
    rig.sit()
    rig.start("broken")
    rig.act(1, "climb", by=2)
    rig.start("broken")
    assert (rig.state["state"], rig.state["match"], rig.notice()) == ("playing", "m-2", "")
    assert rig.store.running("1") == "m-2"


@pytest.mark.parametrize("options", [{}, {"sides": "advanced"}])
def test_pulled_at_any_moment_the_plug_costs_nothing(options: dict[str, Any]) -> None:
    rig, random = TableRig(boxes=False), Random(11)
    rig.sit()
    rig.start("bid-and-bait", **options)
    for _ in range(400):
        again = TableRig(boxes=False, store=rig.store, seed=99)
        rig.store.order = rig.order
        again.sids = dict(rig.sids)
        assert again.seen() == rig.seen()
        if rig.state["over"]:
            break
        assert again.state["epoch"] > rig.state["epoch"]
        assert again.table.code == rig.table.code
        rig = again if random.random() < 0.3 else rig
        rig.store.order = rig.order
        rig.store.kept["1", "epoch"] = str(rig.state["epoch"]).encode()
        step(rig, random)
    assert rig.state["over"]


def test_a_record_that_the_rules_contradict_is_set_aside_and_kept(playing: TableRig) -> None:
    bid_all(playing, 6, 5, 4)
    kept = playing.store.entries["m-1"]
    number, line = kept[-1].number, kept[-1].line
    kept[-1] = kept[-1]._replace(line=line.replace(b'"asked":', b'"asked":1'))
    again = TableRig(boxes=False, store=playing.store)
    assert again.state["state"] == "lobby"
    assert "Its log is saved" in again.notice()
    assert again.store.entries["m-1"][-1].number == number
    again.take(BrokerUp())
    assert again.notice(), "the broker's coming does not hide it"
    assert TableRig(boxes=False, store=playing.store).notice() == again.notice(), (
        "set aside is a state, told at each start"
    )
    again.sids = playing.sids
    again.start()
    assert again.state["match"] == "m-2"
    assert TableRig(boxes=False, store=playing.store).notice() == ""


def test_a_match_that_was_set_aside_goes_on_once_its_rules_are_back(playing: TableRig) -> None:
    bid_all(playing, 6, 5, 4)
    other = TableRig(boxes=False, store=playing.store, offered=[SHORT])
    assert (other.state["state"], other.store.running("1")) == ("lobby", None)
    again = TableRig(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert again.seen() == playing.seen()
    assert (again.notice(), again.store.running("1")) == ("", "m-1")


def test_the_final_result_is_shown_again_after_a_power_cut(playing: TableRig) -> None:
    random = Random(5)
    while not playing.state["over"]:
        step(playing, random)
    again = TableRig(boxes=False, store=playing.store)
    assert (again.state["state"], again.state["over"]) == ("over", playing.state["over"])
    again.sids = playing.sids
    writes = len(again.order)
    TableRig(boxes=False, store=playing.store)
    assert "end" not in again.order[writes:], "its end keeps its date"
    again.take(*(PhoneLink(sid, True) for sid in again.sids.values()))
    again.ready()
    assert again.say(1, "again")["ok"]
    assert (again.state["state"], again.state["match"]) == ("playing", "m-2")


@pytest.mark.parametrize("what", ["code", "epoch", "places", "dispute", "dice"])
@pytest.mark.parametrize("bad", [b"\xff\xfe", b"{", b"[7]", b"[" * 5000], ids=["binary", "cut", "other", "deep"])
def test_a_kept_value_that_cannot_be_read_costs_itself_alone(playing: TableRig, what: str, bad: bytes) -> None:
    bid_all(playing, 6, 5, 4)
    playing.store.kept["1", what] = bad
    again = TableRig(boxes=False, store=playing.store)
    assert again.state["view"] == playing.state["view"]
    if what != "dice":  # that one is looked at with the next roll
        assert "At this table, the hub could not read" in again.notice()
        assert again.store.kept["1", f"unreadable {what}"] == bad
    assert bool(again.phones.admitted) == (what != "places")
    assert TableRig(boxes=False, store=playing.store).notice() == ""


def test_dice_of_half_a_roll_that_cannot_be_read_are_rolled_again(rolling: TableRig) -> None:
    rolling.store.kept["1", "dice"] = b"\xff"
    again = TableRig(boxes=False, store=rolling.store)
    assert again.state["dice"] == rolling.state["dice"]
    assert "the dice of an unfinished roll" in again.notice()


def test_a_disk_that_cannot_be_written_at_the_start_shows_the_match_standing_still(playing: TableRig) -> None:
    bid_all(playing, 6, 5, 4)
    playing.store.broken = "The disk is full."
    again = TableRig(boxes=False, store=playing.store)
    again.sids = playing.sids
    assert (again.state["state"], again.notice()) == ("stopped", "The disk is full.")
    assert again.state["view"] == playing.state["view"]
    assert again.phones.admitted == playing.phones.admitted
    again.take(Tick())
    assert again.state["state"] == "stopped"
    playing.store.broken = ""
    again.take(Tick())
    assert (again.state["state"], again.notice()) == ("playing", "")
    assert again.seen() == playing.seen()


def test_a_disk_that_cannot_be_read_at_the_start_loses_nothing_of_what_it_has(playing: TableRig) -> None:
    bid_all(playing, 6, 5, 4)
    playing.store.unreadable = "The disk is away."
    again = TableRig(boxes=False, store=playing.store)
    assert (again.state["state"], again.notice()) == ("stopped", "The disk is away.")
    decided = again.claim(1, again.code(1), "Eve")
    assert decided
    assert not decided.held, "who sat there is not known yet"
    assert not again.order.count("keep places")
    playing.store.unreadable = ""
    again.take(Tick())
    again.sids = playing.sids
    assert again.seen() == playing.seen()


@pytest.mark.parametrize("away", ["", "The disk is away."])
def test_a_table_says_whether_it_knows_who_sits_there(playing: TableRig, away: str) -> None:
    playing.store.unreadable = away
    assert TableRig(boxes=False, store=playing.store).table.knows_seats is (not away)


def test_a_start_on_a_full_disk_is_still_newer_than_the_one_before(playing: TableRig) -> None:
    playing.store.broken = "The disk is full."
    first = TableRig(boxes=False, store=playing.store)
    second = TableRig(boxes=False, store=playing.store)
    sessions = {rig.state["session"] for rig in (playing, first, second)}
    assert len(sessions) == 3


def test_presses_on_a_full_disk_do_not_raise_the_epoch_that_a_power_cut_would_take_back(rig: TableRig) -> None:
    rig.sit()
    rig.ready()
    before = rig.state["epoch"]
    rig.store.broken = "The disk is full."
    for _ in range(5):
        assert not rig.say(1, "start", {"game": "bid-and-bait", "options": {}})["ok"]
    assert rig.state["epoch"] == before
    rig.store.broken = ""
    assert TableRig(boxes=False, store=rig.store).state["epoch"] > before


def test_a_disk_that_stays_full_writes_no_line_a_second(playing: TableRig, caplog: pytest.LogCaptureFixture) -> None:
    playing.store.broken = "The disk is full."
    assert not playing.act(1, "bid", number=6)["ok"]
    for _ in range(30):
        playing.take(Tick())
    assert [record.getMessage() for record in caplog.records] == ["table 1: The disk is full."]
    playing.store.broken = ""
    playing.take(Tick())
    assert "The disk is back" in caplog.text


LOST = "The disk has lost the last 3 actions. The table continues from the one before."


def lost(playing: TableRig) -> TableRig:
    """The hub comes back twice after a disk has lost something, before anybody has looked."""
    playing.store.lost["1"] = Missing("m-1", 7, 4)
    again = TableRig(boxes=False, store=playing.store)
    assert again.notice() == LOST
    again = TableRig(boxes=False, store=playing.store)
    again.sids = playing.sids
    again.take(*(PhoneLink(sid, True) for sid in again.sids.values()))
    assert LOST in [one["text"] for one in again.state["notices"]], "nobody has gone on yet"
    return again


def test_what_the_disk_has_lost_is_said_in_any_language_after_a_restart(playing: TableRig) -> None:
    text = next(one.text for one in lost(playing).table._notices.public() if one.key == "lost")
    assert isinstance(text, Text)
    assert text.values == {"count": 3}


def is_told(rig: TableRig) -> bool:
    return LOST in [one["text"] for one in TableRig(boxes=False, store=rig.store).state["notices"]]


def test_what_the_disk_has_lost_is_said_until_somebody_has_gone_on(playing: TableRig) -> None:
    again = lost(playing)
    assert is_told(again)
    assert again.act(1, "bid", number=6)["ok"]
    assert not is_told(again)


def test_what_the_disk_has_lost_is_said_until_somebody_takes_it_away(playing: TableRig) -> None:
    again = lost(playing)
    assert again.say(2, "acknowledge", {"key": "lost"})["ok"]
    assert not is_told(again)


def test_what_the_disk_has_lost_is_said_until_staff_have_done_with_it(playing: TableRig) -> None:
    again = lost(playing)
    again.take(StaffRequest("done", {"key": "lost"}, lambda done, say: None))
    assert not is_told(again)


def test_the_course_of_a_match_is_in_the_journal_and_no_secret(rig: TableRig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    rig.sit()
    rig.start()
    random = Random(5)
    while not rig.state["over"]:
        step(rig, random)
    TableRig(boxes=False, store=rig.store)
    lines = [record.getMessage() for record in caplog.records if record.name == "hub.table.match.match_log"]
    assert lines[0] == "table 1: match m-1 (bid-and-bait) begins, seats 1, 2, 3"
    assert "is over after" in lines[-2]
    assert "goes on" in lines[-1]
    assert not any(text in caplog.text for text in [*rig.phones.admitted, *rig.phones.admitted.values(), "Guest"])


def test_a_record_of_a_game_that_this_hub_has_not_is_set_aside(playing: TableRig) -> None:
    again = TableRig(boxes=False, store=playing.store, offered=[SHORT])
    assert "no game bid-and-bait" in again.notice()


def test_a_match_goes_on_at_a_table_that_still_has_its_seats(playing: TableRig) -> None:
    again = TableRig(5, boxes=False, store=playing.store)
    assert (again.state["match"], again.state["state"]) == (playing.state["match"], "playing")


def test_a_match_waits_until_the_table_has_all_its_seats_again(playing: TableRig) -> None:
    smaller = TableRig(2, boxes=False, store=playing.store)
    assert "Seat 3 plays in this match, but the table now has only 2 seats." in smaller.notice()
    assert smaller.state["state"] == "lobby"
    again = TableRig(boxes=False, store=playing.store)
    assert (again.state["match"], again.state["state"]) == (playing.state["match"], "playing")


def test_a_suspended_match_is_offered_again_once_the_table_has_all_its_seats(playing: TableRig) -> None:
    for seat in (1, 2, 3):
        playing.say(seat, "ask", {"what": "put_aside"})
        playing.say(seat, "vote", {"say": "yes"})
    (offer,) = playing.state["put_aside"]
    smaller = TableRig(2, boxes=False, store=playing.store)
    assert (smaller.state["put_aside"], [*smaller.table.desk.put_aside]) == ([], [])
    answers: list[str] = []
    smaller.take(StaffRequest("again", {"match": offer["match"]}, lambda done, say: answers.append(str(say))))
    assert answers == ["This match is no longer suspended here."]
    again = TableRig(boxes=False, store=playing.store)
    assert [one["match"] for one in again.state["put_aside"]] == [offer["match"]]


def test_a_finished_match_of_more_seats_is_not_shown(playing: TableRig) -> None:
    random = Random(3)
    while not playing.state["over"]:
        step(playing, random)
    smaller = TableRig(2, boxes=False, store=playing.store)
    assert (smaller.state["state"], smaller.state["match"]) == ("lobby", None)


def test_names_logins_and_codes_are_there_after_a_restart(playing: TableRig) -> None:
    again = TableRig(boxes=False, store=playing.store)
    assert again.phones.admitted == playing.phones.admitted
    assert [seat["name"] for seat in again.state["seats"]] == ["Guest 1", "Guest 2", "Guest 3"]
    assert all(seat["phone"] == "away" for seat in again.state["seats"])
    assert again.state["code"] == playing.state["code"]


# --- secrets -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_what_all_see_holds_no_secret_and_a_hand_goes_to_its_seat_alone(seed: int) -> None:
    rig, random = TableRig(boxes=seed % 2 == 0, seed=seed), Random(seed)
    rig.boxes_up()
    rig.sit()
    rig.start()
    for _ in range(300):
        if rig.state["over"]:
            break
        step(rig, random)
        public, match = rig.state, rig.match
        assert list(secrets_of(public)) == []
        assert public["view"] == json.loads(to_json(match.view(None)))
        for seat in rig.sids:
            assert rig.hand(seat)["seat"] == seat
            assert rig.hand(seat)["seat_code"] not in json.dumps(public)
            if not public["over"]:
                assert rig.hand(seat)["you"] == json.loads(to_json(match.view(seat)["you"]))
        if match.open and match.open.kind == "sealed":
            assert all(one["bid"] is None for one in public["view"]["seats"].values())
    assert rig.state["over"]


def test_every_picture_counts_up(playing: TableRig) -> None:
    bid_all(playing, 1, 2, 3)
    counts = [(state["epoch"], state["seq"]) for state in playing.phones.public]
    assert counts == sorted(set(counts))


def test_rings_and_panels_see_every_picture(boxed: TableRig) -> None:
    assert len(boxed.lamps.shown) == len(boxed.phones.public)
    assert [seq for seq, _ in boxed.page.shown] == [state["seq"] for state in boxed.phones.public]
    assert set(boxed.boxes.rings) == {"box-1", "box-2", "box-3"}
    before = boxed.boxes.rings["box-1"]
    assert before.pattern == "choosing"
    boxed.take(BoxLocked("box-1", boxed.boxes.rounds["box-1"].round))
    after = boxed.boxes.rings["box-1"]
    assert after.pattern == "locked"


def test_the_tables_thread_reads_its_inbox_until_it_is_stopped() -> None:
    rig = TableRig(boxes=False)
    ticked: list[int] = []
    rig.table.put(BrokerDown("The broker is gone."))
    rig.table.stop()
    rig.table.run(lambda: ticked.append(1))
    assert ticked == [1]
    assert rig.notice() == NO_BROKER


def test_each_change_of_points_is_told_with_its_rule_and_its_sum_for_two_rounds(playing: TableRig) -> None:
    random, changes_shown, why = Random(11), [], []
    while not playing.state["over"] and playing.state["view"]["round"] < 4:
        step(playing, random)
        why = json.loads(to_json(playing.table.event_feed.changes().changes))
        changes_shown.append(why)
    assert {change["round"] for change in why} <= {3, 4}
    assert [change["n"] for change in why] == sorted((change["n"] for change in why), reverse=True)
    spent = next(change for changes in changes_shown for change in changes if change["rule"] == "BB-14")
    assert spent["to"] < spent["from"]
    assert spent["sum"] == f"{spent['from']} - {spent['from'] - spent['to']} = {spent['to']}"


def test_two_tables_share_a_record(rig: TableRig) -> None:
    other = TableRig(boxes=False, start=False, store=rig.store)
    other.table = Table("2", "Table 2", 3, [games.find("bid-and-bait")], other.ports)
    other.table.start()
    rig.sit()
    rig.start()
    other.sit()
    other.start()
    assert (rig.state["match"], other.state["match"]) == ("m-1", "m-2")
    assert isinstance(rig.store, MemoryStore)
    assert (rig.store.running("1"), rig.store.running("2")) == ("m-1", "m-2")
    assert games.find("bid-and-bait").name == other.state["game"]


def test_only_the_seat_that_is_asked_hears_why_its_own_cards_are_not_to_be_had() -> None:
    rig = TableRig(boxes=False, offered=[games.find("bid-it")])
    rig.sit()
    rig.start("bid-it")
    first = int(rig.state["view"]["waiting"]["seats"][0])
    assert rig.act(first, "bid", quantity=1, rank=5)["ok"]
    asked = int(rig.state["view"]["waiting"]["seats"][0])
    kept = [card for card in dict.fromkeys(rig.hand(asked)["you"]["hand"]) if "5" in card or "*" in card]
    assert [one["cards"] for one in rig.hand(asked)["barred"]] == [[card] for card in kept]
    for one in rig.hand(asked)["barred"]:
        assert rig.act(asked, "draw", cards=one["cards"])["error"] == one["why"]
    assert all(not rig.hand(seat)["barred"] for seat in rig.sids if seat != asked)


# --- standing offers -------------------------------------------------------------------------------------------


@pytest.fixture
def discarding() -> TableRig:
    """Three phones and three boxes in Bidness, while all discard in secret."""
    rig = TableRig(offered=[games.find("bidness")])
    rig.boxes_up()
    rig.sit()
    rig.start("bidness")
    faces = {1: (6, 6, 6), 2: (3, 3, 3), 3: (1, 1, 1)}
    while dice := rig.state["dice"]:
        rig.see("settled", *faces[dice["seat"]])
        rig.clock.time += 10
        rig.take(Tick())
        rig.take(Tick())
    assert sorted(rig.boxes.rounds) == ["box-1", "box-2", "box-3"]
    return rig


def test_one_tap_borrows_once_while_boxes_hold_a_secret_choice(discarding: TableRig) -> None:
    before = discarding.state["view"]["seats"]["1"]
    length = len(discarding.match.log)
    assert discarding.act(1, "borrow", amount=100)["ok"]
    after = discarding.state["view"]["seats"]["1"]
    assert after["cash"] == before["cash"] + 100
    assert [(one.seat, one.move, one.args) for one in discarding.match.log[length:]] == [(1, "borrow", {"amount": 100})]


def test_a_standing_offer_leaves_the_choice_in_the_box_alone(discarding: TableRig) -> None:
    number = discarding.boxes.rounds["box-1"].round
    discarding.take(BoxLocked("box-1", number))
    assert discarding.act(1, "borrow", amount=100)["ok"]
    assert discarding.state["locked"] == [1]
    assert ("cancel", "box-1", number) not in discarding.boxes.sent


def test_a_loan_that_is_refused_is_not_in_the_log(discarding: TableRig) -> None:
    length, seen = len(discarding.match.log), discarding.seen()
    answer = discarding.act(1, "borrow", amount=10_000)
    assert not answer["ok"]
    assert len(discarding.match.log) == length
    assert discarding.seen() == seen
    assert "box-1" in discarding.boxes.rounds


@pytest.mark.parametrize("borrower", ["roller", "other"])
@pytest.mark.parametrize("restart", [False, True])
def test_a_loan_taken_during_a_roll_survives_that_roll_being_read_again(borrower: str, restart: bool) -> None:
    rig = TableRig(offered=[games.find("bidness")], boxes=False)
    rig.sit()
    rig.start("bidness")
    roller = rig.state["dice"]["seat"]
    seat = roller if borrower == "roller" else next(one for one in rig.sids if one != roller)
    assert rig.act(seat, "borrow", amount=100)["ok"]
    count, cash = rig.state["dice"]["count"], rig.state["view"]["seats"][str(seat)]["cash"]
    rig.roll(*[2] * count)
    for one in rig.sids:
        rig.say(one, "dice", {"say": "reread"})
    assert rig.state["dispute"]["stage"] == "reading"
    assert rig.state["view"]["seats"][str(seat)]["cash"] == cash
    if restart:
        sids = rig.sids
        rig = TableRig(offered=[games.find("bidness")], boxes=False, store=rig.store)
        rig.sids = sids
        rig.take(*(PhoneLink(sid, True) for sid in sids.values()))
        assert rig.state["dispute"]["stage"] == "reading"
    assert rig.state["dice"]["count"] == count
    rig.roll(*[5] * count)
    log = [(entry.seat, entry.move) for entry in rig.match.log if entry.move in ("borrow", "roll")]
    assert log == [(seat, "borrow"), (0, "roll")]
    assert rig.match.log[-1].args["first"]["faces"] == [2] * count
    assert rig.state["view"]["seats"][str(seat)]["cash"] == cash


def test_what_is_on_the_disk_is_answered_ok_whatever_fails_afterwards(rig: TableRig) -> None:
    rig.sit()
    rig.start()
    ending = rig.store.end

    def fails(match: str, result: bytes) -> None:
        rig.store.broken = "The disk is full."
        ending(match, result)

    rig.store.end = fails  # type: ignore[method-assign]
    random = Random(7)
    while rig.state["state"] == "playing":
        length = len(rig.match.log)
        decision = rig.state["view"]["waiting"]
        if "roll" in decision:
            rig.say(decision["roll"]["seat"], "roll", {"faces": [random.randint(1, 6)] * decision["roll"]["count"]})
            if rig.state["dice"] and rig.state["dice"]["state"] == "typed":
                other = next(one for one in rig.sids if one != decision["roll"]["seat"])
                answer = rig.say(other, "dice", {"say": "accept"})
                assert answer["ok"] == (len(rig.match.log) > length)
            continue
        seat = random.choice([one for one in rig.sids if rig.hand(one)["moves"] and not rig.hand(one)["locked"]])
        move = random.choice(rig.hand(seat)["moves"])
        args = {key: value(param, random) for key, param in move.items() if key not in ("move", "standing")}
        answer = rig.act(seat, move["move"], **args)
        assert answer["ok"] == (len(rig.match.log) > length)
    assert rig.state["state"] == "stopped"
    rig.store.broken, rig.store.end = "", ending  # type: ignore[method-assign]
    rig.take(Tick())
    assert rig.state["state"] == "over"


def test_an_undo_on_one_phone_leaves_the_locks_of_other_boxes(boxed: TableRig) -> None:
    number = boxed.boxes.rounds["box-2"].round
    boxed.take(BoxLocked("box-2", number))
    assert boxed.act(1, "bid", number=3)["ok"]
    boxed.boxes.sent.clear()
    assert boxed.say(1, "undo")["ok"]
    assert boxed.state["locked"] == [2]
    assert [what for what in boxed.boxes.sent if what[1] != "box-1"] == []
    assert boxed.boxes.rounds["box-1"].round == number, "its own box is asked again"


def test_a_box_that_is_back_says_what_is_wanted_of_its_seat(boxed: TableRig) -> None:
    before = boxed.boxes.texts["box-2"]
    assert before
    boxed.take(BoxDown("box-2", "Unplugged."))
    boxed.boxes.texts["box-2"] = ""
    boxed.take(BoxUp("box-2", "b2", "1", 8))
    assert boxed.boxes.texts["box-2"] == before


def test_a_match_that_has_begun_on_a_full_disk_clears_the_lobby_all_the_same(rig: TableRig) -> None:
    rig.boxes_up()
    rig.sit()
    rig.press(1, "push")
    rig.take(Turn("box-1", 1))
    appending = rig.store.append

    def fails(match: str, entries: Any) -> None:
        rig.store.broken = "The disk is full."
        appending(match, entries)

    rig.ready()
    rig.store.append = fails  # type: ignore[method-assign]
    answer = rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    assert answer["ok"], "its head is on the disk"
    rig.store.broken, rig.store.append = "", appending  # type: ignore[method-assign]
    rig.take(Tick())
    assert rig.state["state"] == "playing"
    assert rig.notice() == ""
    assert not any(seat["ready"] for seat in rig.state["seats"])


def test_a_phone_that_leaves_is_answered_first_and_once(rig: TableRig) -> None:
    rig.sit()
    sid = rig.sids[2]
    del rig.order[:]
    rig.say_leave(2)
    (answer,) = rig.phones.answers[sid]
    assert answer["ok"]
    steps = [one for one in rig.order if one in ("keep places", "answer", "release")]
    assert steps == ["keep places", "answer", "release"], "the disk has it, it is answered, then the login ends"
    rig.store.broken = "The disk is full."
    sid = rig.sids[1]
    rig.say_leave(1)
    assert [one["ok"] for one in rig.phones.answers[sid]] == [False], "a disk that fails is the only answer"
    assert sid not in rig.phones.released
