"""The guided first round at a table: who is told what, who skips it, and who knows the game already."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hub import games
from hub.ports import PhoneLink, Tick
from hub.table.views.lessons import READ_SECONDS
from tests.table.fakes import TableRig


def started(*phones: int, game: str = "bid-and-bait", **more: Any) -> TableRig:
    rig = TableRig(3, offered=[games.find(name) for name in ("bid-and-bait", "goofspiel")], **more)
    rig.boxes_up()
    rig.sit(*(phones or (1, 2, 3)))
    rig.start(game)
    return rig


def known(rig: TableRig) -> dict[str, bool]:
    """What the lobby would say of each game; it says nothing while a match is played."""
    assert rig.state["games"] == []
    return {name: rig.table._snapshots._lessons.is_known(name) for name in rig.table._play.games}


def all_bid(rig: TableRig, *numbers: int) -> None:
    for seat, number in enumerate(numbers, 1):
        assert rig.act(seat, "bid", number=number)["ok"]


def test_a_first_round_is_explained_to_each_who_is_asked_and_to_the_room() -> None:
    rig = started()
    assert rig.state["teaching"] == {"lesson": "bid", "skips": []}
    assert [rig.hand(seat)["lesson"] for seat in (1, 2, 3)] == [{"key": "bid", "to": "asked"}] * 3


def test_each_lesson_is_told_once_and_goes_with_its_question() -> None:
    rig = started(reader=False)
    all_bid(rig, 1, 2, 3)
    assert rig.hand(3)["lesson"] == {"key": "roll", "to": "asked"}, "seat 3 bid highest"
    assert rig.hand(1)["lesson"]["to"] == "all", "the others are told what all are told"
    rig.roll(6)
    assert rig.hand(3)["lesson"] == {"key": "catch", "to": "asked"}
    rig.act(3, "take_fish", slot=1)
    assert rig.hand(3)["lesson"] == {"key": "caught", "to": "all"}
    assert rig.hand(2)["lesson"] == {"key": "roll", "to": "asked"}
    rig.roll(6)
    assert rig.hand(3)["lesson"] is None, "it has been told all of this"


def test_what_the_room_is_told_stands_long_enough_to_be_read() -> None:
    rig = started()
    all_bid(rig, 1, 2, 3)
    assert rig.state["teaching"]["lesson"] == "bid", "it came a moment ago"
    rig.clock.time += READ_SECONDS
    rig.take(Tick())
    assert rig.state["teaching"]["lesson"] == "goal", "and then the present one, without anybody doing anything"
    slow = started()
    slow.clock.time += READ_SECONDS
    slow.take(Tick())
    all_bid(slow, 1, 2, 3)
    assert slow.state["teaching"]["lesson"] == "goal"


def test_a_phone_may_leave_the_rules_out_and_take_them_up_again() -> None:
    rig = started()
    assert rig.say(2, "lessons", {"on": False})["ok"]
    assert rig.state["teaching"]["skips"] == [2]
    assert rig.hand(2)["lesson"] is None
    assert rig.hand(1)["lesson"] is not None
    assert rig.say(2, "lessons", {"on": True})["ok"]
    assert rig.hand(2)["lesson"] == {"key": "bid", "to": "asked"}


def test_once_all_phones_have_left_them_out_the_room_is_told_none() -> None:
    rig = started(1, 2)
    rig.say(1, "lessons", {"on": False})
    assert rig.state["teaching"]
    rig.say(2, "lessons", {"on": False})
    assert rig.state["teaching"] is None


def test_who_has_played_the_game_here_is_not_taught_it_again() -> None:
    rig = started()
    assert known(rig) == {"bid-and-bait": True, "goofspiel": False}
    again = TableRig(3, store=rig.store, offered=[games.find("bid-and-bait")])
    assert again.state["teaching"], "a restart goes on with the lessons"


def test_people_may_choose_otherwise_before_the_match() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit()
    assert rig.say(1, "lessons", {"explain": False})["ok"]
    assert (rig.state["explain"], rig.state["teaching"]) == (False, None)
    rig.start("bid-and-bait")
    assert (rig.state["explain"], rig.state["teaching"]) == (None, None), "it was said of one match"
    refused = rig.say(1, "lessons", {"explain": True})
    assert (refused["ok"], refused["code"]) == (False, "LESSONS")


@pytest.mark.parametrize("explain", [None, False, True])
def test_people_may_choose_otherwise_before_they_resume_a_match(explain: bool | None) -> None:
    rig = started()
    assert rig.state["teaching"]
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    if explain is not None:
        assert rig.say(1, "lessons", {"explain": explain})["ok"]
    assert rig.say(1, "take_up", {"match": "m-1"})["ok"]
    assert bool(rig.state["teaching"]) is (explain is not False), "else it is as it was before"
    assert rig.state["explain"] is None


def test_where_somebody_is_new_it_is_explained_again() -> None:
    rig = started(1, 2)
    assert known(rig)["bid-and-bait"], "of those who sit here"
    rig.sit(3)
    assert not known(rig)["bid-and-bait"]


@pytest.mark.parametrize("args", [{}, {"on": 1}, {"on": None}, {"explain": "yes"}])
def test_nonsense_is_refused(args: dict[str, Any]) -> None:
    rig = started()
    assert not rig.say(1, "lessons", args)["ok"]


def test_what_is_kept_names_no_more_than_who_sits_there() -> None:
    rig = started(1, 2)
    kept = msgspec.json.decode(rig.store.kept["1", "lessons"])
    assert set(kept["played"]) == {rig.sids[1], rig.sids[2]}
    sid = rig.sids[2]
    rig.say_leave(2)
    assert sid not in msgspec.json.decode(rig.store.kept["1", "lessons"])["played"]


def test_who_comes_late_to_the_seat_of_somebody_who_left_the_rules_out_is_told_them() -> None:
    rig = started()
    assert rig.say(1, "lessons", {"on": False})["ok"]
    assert rig.say(2, "lessons", {"on": False})["ok"]
    again = TableRig(3, offered=[games.find("bid-and-bait")], store=rig.store)
    again.sids = rig.sids
    again.take(*(PhoneLink(sid, True) for sid in again.sids.values()))
    assert again.state["teaching"]["skips"] == [1, 2], "over a restart"
    again.say_leave(1)
    assert again.say(2, "code", {"seat": 1})["ok"]
    again.sit(1)
    assert again.state["teaching"]["skips"] == [2]
    assert again.hand(1)["lesson"] == {"key": "bid", "to": "asked"}
    assert again.hand(2)["lesson"] is None


def test_the_room_is_told_again_once_somebody_new_has_come() -> None:
    rig = started()
    for seat in (1, 2, 3):
        assert rig.say(seat, "lessons", {"on": False})["ok"]
    assert not rig.state["teaching"]
    rig.say_leave(1)
    assert rig.say(2, "code", {"seat": 1})["ok"]
    rig.sit(1)
    assert rig.state["teaching"]["skips"] == [2, 3]
    assert rig.hand(1)["lesson"] == {"key": "bid", "to": "asked"}
