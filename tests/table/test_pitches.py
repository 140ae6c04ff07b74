"""The pitches of The Big Idea: each has its moment before anybody backs anything, and nothing of it is in the log (BI-11)."""

from __future__ import annotations

from random import Random
from typing import Any

from hub import games
from hub.engine import house_player
from hub.ports import BoxBid, BoxLocked, Key, PhoneLink, Tick, Turn
from hub.table.people.lobby import START_SECONDS
from hub.table.people.people import Patience
from tests.table.fakes import MemoryStore, TableRig
from tests.table.guests import staff

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
    return launch(rig, start)


def launch(rig: TableRig, start: int = 1) -> TableRig:
    """All launch a product each in the next match."""
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
        assert question(rig)["reads"] == f"{product['name']}. {product['pitch']}", "screens show it without the rest"
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
    rig.take(PhoneLink(rig.sids[3], False))
    assert rig.say(2, "vote", {"say": "done"})["ok"]
    assert question(rig) is None, "nobody waits for a phone that has gone"
    rig.take(PhoneLink(rig.sids[3], True))
    assert question(rig) is None


def test_a_phone_that_sleeps_in_its_own_pitch_does_not_end_it() -> None:
    rig = launched(table())
    rig.take(PhoneLink(rig.sids[1], False), Tick())
    assert said(rig) == [1], "who reads aloud touches nothing, and a phone sleeps"
    rig.take(PhoneLink(rig.sids[1], True))
    assert rig.say(1, "vote", {"say": "done"})["ok"]
    assert said(rig) == [2]
    rig.take(PhoneLink(rig.sids[2], False))
    rig.clock.time += SECONDS
    rig.take(Tick())
    assert said(rig) == [3], "it takes its time, and no more"


def test_who_leaves_the_table_in_a_pitch_has_ended_it() -> None:
    rig = launched(table())
    rig.say_leave(1)
    assert said(rig) == [2]


def test_two_presses_at_once_end_one_pitch() -> None:
    rig = launched(table(boxes=True))
    rig.press(1, "push", "push")
    assert said(rig) == [2]
    assert rig.say(2, "vote", {"say": "done"})["ok"]
    rig.press(2, "push")
    assert said(rig) == [3], "the box of who has just ended a pitch on the phone ends no other"


def test_a_press_in_the_moment_that_time_ends_a_pitch_ends_no_other_one() -> None:
    rig = launched(table())
    rig.clock.time += SECONDS
    assert rig.say(1, "vote", {"say": "done"})["ok"], "the press came first"
    assert said(rig) == [2]
    assert question(rig)["seconds"] == SECONDS
    rig.clock.time += SECONDS
    rig.take(Tick())
    assert not rig.say(2, "vote", {"say": "done"})["ok"], "time came first"
    assert said(rig) == [3]


def beside_a_box(choose: int = 0) -> TableRig:
    """Seats 1 and 2 are on phones, seat 3 on its box alone; all have launched, and seat 1 pitches."""
    rig = table(boxes=True)
    rig.sit(1, 2)
    rig.boxes_up()
    rig.press(3, "push")
    rig.ready()
    assert rig.say(1, "start", {"game": "big-idea", "options": {"dealer": 1, "small_products": True}})["ok"]
    rig.clock.time += START_SECONDS
    rig.take(Tick())
    for seat in (1, 2):
        cards = rig.hand(seat)["moves"][0]["cards"]
        assert rig.act(seat, "launch", cards=cards.get("from", cards)[: cards["choose"]["min"]])["ok"]
    sealed = rig.boxes.rounds["box-3"].round
    rig.take(BoxLocked("box-3", sealed), BoxBid("box-3", sealed, choose))
    assert said(rig) == [1]
    return rig


def test_a_box_beside_a_pitch_is_in_no_lobby() -> None:
    rig = beside_a_box()
    before = rig.state["seats"], rig.state["notices"]
    rig.press(3, "push", "push", "bar", "bar", "bar", "k1")
    assert (rig.state["seats"], rig.state["notices"]) == before, "nobody gets up, is ready, or starts a match"
    rig.take(Turn("box-3", 1))
    assert rig.boxes.texts["box-3"] == "Pause or go on? Push"
    rig.press(3, "push")
    assert rig.state["paused"] == 3
    rig.take(Turn("box-1", 1))
    assert rig.state["notices"] == before[1]


def test_the_bar_of_who_pitches_ends_the_pitches_of_nobody() -> None:
    rig = launched(table(boxes=True))
    rig.take(Key("box-1", "bar", "down"), Key("box-1", "bar", "hold"))
    assert said(rig) == [1], "a held bar calls for help, and no more"
    assert "calls for help" in rig.notice()


def test_in_a_pause_nobody_s_time_to_pitch_runs() -> None:
    rig = launched(table())
    assert rig.say(2, "pause")["ok"]
    rig.clock.time += 10 * SECONDS
    rig.take(Tick())
    assert rig.state["paused"] == 2
    assert not rig.act(1, "abstain")["ok"]
    assert rig.say(3, "pause")["ok"]
    assert said(rig) == [1]
    assert question(rig)["seconds"] == SECONDS


def test_no_more_pitches_of_mine_ends_those_of_one_seat_in_this_match() -> None:
    rig = launched(table())
    assert rig.say(1, "vote", {"say": "off"})["ok"]
    assert said(rig) == [2], "the others read theirs"
    assert rig.say(2, "vote", {"say": "off"})["ok"]
    assert rig.say(3, "vote", {"say": "done"})["ok"]
    assert question(rig) is None
    play_a_round(rig)
    assert said(rig) == [3]
    assert rig.say(3, "vote", {"say": "done"})["ok"]
    assert question(rig) is None


def test_who_wants_to_pitch_no_more_is_known_after_a_restart() -> None:
    rig = launched(table())
    assert rig.say(1, "vote", {"say": "off"})["ok"]
    again = table(store=rig.store)
    again.sids = rig.sids
    again.take(*(PhoneLink(sid, True) for sid in again.sids.values()))
    play_a_round(again)
    assert pitching(again) == [2, 3], "and not seat 1 after them"


def test_who_wants_to_pitch_no_more_is_asked_anew_in_the_next_match() -> None:
    rig = launched(table())
    assert rig.say(1, "vote", {"say": "off"})["ok"]
    assert staff(rig, "end")[0]
    launch(rig)
    assert said(rig) == [1]
    for seat, answer in ((1, "done"), (2, "off"), (3, "done")):
        assert rig.say(seat, "vote", {"say": answer})["ok"]
    play_a_round(rig)
    assert sorted(pitching(rig)) == [1, 3], "seat 1 has said so in the match before alone"


def test_whoever_sits_down_at_a_quiet_seat_pitches_again() -> None:
    rig = launched(table())
    assert rig.say(1, "vote", {"say": "off"})["ok"]
    for seat in (2, 3):
        assert rig.say(seat, "vote", {"say": "done"})["ok"]
    rig.say_leave(1)
    assert rig.say(2, "code", {"seat": 1})["ok"]
    rig.sit(1)
    play_a_round(rig)
    assert sorted(pitching(rig)) == [1, 2, 3]


def pitching(rig: TableRig) -> list[int]:
    """The seats that pitch, one after the other."""
    found = []
    while question(rig):
        (seat,) = said(rig)
        found.append(seat)
        assert rig.say(seat, "vote", {"say": "done"})["ok"]
    return found


def play_a_round(rig: TableRig) -> None:
    """Nobody backs anything; in the next round all have launched a product."""
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


def test_the_dial_of_a_seat_that_reads_aloud_opens_no_menu_and_that_of_another_one_does() -> None:
    rig = launched(table(boxes=True))
    assert said(rig) == [1]
    rig.take(Turn("box-1", 1), Turn("box-2", 1))
    assert rig.boxes.texts["box-1"] == "Read it aloud. Push: done"
    assert rig.boxes.texts["box-2"] == "Pause or go on? Push"


def test_what_stands_on_printed_cards_is_not_shown_to_be_read() -> None:
    rig, random = table(), Random(3)
    rig.sit()
    rig.start("big-idea", printed_cards=True)
    for _ in range(60):
        if question(rig):
            break
        match = rig.match
        actions = (house_player.play(match, seat, "steady", random, player=house_player.ANY_GAME) for seat in rig.sids)
        action = next(one for one in actions if one)
        assert rig.act(action.seat, action.move, **action.args)["ok"]
    assert question(rig)["kind"] == "pitch"
    assert question(rig)["text"].endswith("Read the cards aloud.")
    assert question(rig)["reads"] == ""
