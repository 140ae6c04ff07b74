"""The pitches of The Big Idea: each has its moment before anybody backs anything, and nothing of it is in the log (BI-11)."""

from __future__ import annotations

from typing import Any

from hub import games
from hub.ports import PhoneLink, Tick
from hub.table.people import Patience
from tests.table.fakes import MemoryStore, TableRig

SECONDS = 45.0


def table(
    *, seconds: float = SECONDS, boxes: bool = False, store: MemoryStore | None = None, seats: int = 3
) -> TableRig:
    game = games.find("big-idea")
    return TableRig(seats, boxes=boxes, offered=[game], store=store, patience=Patience(pitch=seconds))


def launched(rig: TableRig, start: int = 1) -> TableRig:
    """All have sat down, and launch a product each, whoever can."""
    rig.sit()
    if rig.named:
        rig.boxes_up()
    rig.start("big-idea", dealer=start, small_products=True)
    for seat in rig.sids:
        move = rig.hand(seat)["moves"][0]
        cards = move["cards"].get("from", move["cards"])
        assert rig.act(seat, move["move"], cards=cards[: move["cards"]["choose"]["min"]])["ok"]
    return rig


def question(rig: TableRig) -> Any:
    return rig.state["question"]


def said(rig: TableRig) -> list[int]:
    return [seat for seat in (1, 2, 3) if question(rig) and f"Seat {seat} reads aloud: " in question(rig)["text"]]


def test_each_pitches_from_the_dealer_on_before_anybody_is_asked_on() -> None:
    rig = launched(table(), start=2)
    entries = len(rig.match.log)
    for seat in (2, 3, 1):
        assert question(rig)["kind"] == "pitch"
        assert said(rig) == [seat] == question(rig)["voters"]
        product = next(one for one in rig.state["view"]["table"]["products"] if one["by"] == seat)
        assert product["name"] in question(rig)["text"]
        assert product["pitch"] in question(rig)["text"]
        assert (rig.state["want"], rig.state["view"]["waiting"]["seats"]) == ("", [])
        assert all(not rig.hand(one)["moves"] for one in rig.sids), "nobody is asked"
        refused = rig.act(seat, "abstain")
        assert not refused["ok"]
        assert refused["error"] == "Wait for the end of the pitch."
        other = next(one for one in rig.sids if one != seat)
        assert not rig.say(other, "vote", {"say": "done"})["ok"], "nobody ends another one's pitch"
        assert rig.say(seat, "vote", {"say": "done"})["ok"]
    assert question(rig) is None
    assert rig.state["view"]["waiting"]["seats"] == ["1", "2", "3"]
    assert rig.hand(1)["moves"]
    assert len(rig.match.log) == entries, "a pitch is no input of the match"
    assert rig.act(1, "abstain")["ok"]


def test_a_pitch_ends_by_itself_and_whoever_is_not_there_has_none() -> None:
    rig = table()
    launched(rig)
    assert said(rig) == [1]
    rig.clock.time += SECONDS
    rig.take(Tick())
    assert said(rig) == [2]
    rig.take(PhoneLink(rig.sids[2], False))
    assert said(rig) == [3], "nobody waits for a phone that has gone"
    rig.take(PhoneLink(rig.sids[2], True))
    assert said(rig) == [3]
    assert rig.say(3, "vote", {"say": "done"})["ok"]
    assert question(rig) is None


def test_a_table_wants_no_more_pitches_in_this_match() -> None:
    rig = launched(table())
    assert rig.say(1, "vote", {"say": "off"})["ok"]
    assert question(rig) is None
    for seat in rig.sids:
        assert rig.act(seat, "abstain")["ok"]
    while rig.state["view"]["phase"] != "seed":
        waiting = rig.state["view"]["waiting"]
        if waiting.get("roll"):
            rig.roll(6)
        else:
            seat = int(waiting["seats"][0])
            assert rig.act(seat, rig.hand(seat)["moves"][-1]["move"])["ok"]
    for seat in rig.sids:
        move = next(one for one in rig.hand(seat)["moves"] if one["move"] == "launch")
        assert rig.act(seat, "launch", cards=move["cards"]["from"][: move["cards"]["choose"]["min"]])["ok"]
    assert rig.state["view"]["phase"] == "venture"
    assert question(rig) is None


def test_a_pitch_on_a_box_ends_with_a_push() -> None:
    rig = launched(table(boxes=True))
    assert said(rig) == [1]
    rig.press(2, "push")
    assert said(rig) == [1]
    rig.press(1, "push")
    assert said(rig) == [2]


def test_without_seconds_nobody_pitches() -> None:
    rig = launched(table(seconds=0))
    assert question(rig) is None
    assert rig.state["view"]["waiting"]["seats"] == ["1", "2", "3"]


def test_after_a_power_cut_the_match_goes_on_without_the_pitches_that_were_left() -> None:
    rig = launched(table())
    again = table(store=rig.store)
    again.sids = rig.sids
    again.take(*(PhoneLink(sid, True) for sid in again.sids.values()))
    assert question(again) is None
    assert again.act(1, "abstain")["ok"]


def test_a_vote_of_the_table_comes_first_and_the_pitch_goes_on_after_it() -> None:
    rig = launched(table())
    assert rig.say(2, "ask", {"what": "put_aside"})["ok"]
    assert question(rig)["kind"] == "put_aside"
    assert not rig.act(2, "abstain")["ok"]
    for seat in (1, 3):
        assert rig.say(seat, "vote", {"say": "no"})["ok"]
    assert said(rig) == [1]
