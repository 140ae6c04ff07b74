"""Whatever the last guests did, the next ones can sit down, and seats that nobody uses become free."""

from __future__ import annotations

from random import Random

import pytest

from hub import games
from hub.ports import BoxUp, BrokerUp
from hub.table.people.endings import IDLE_SECONDS
from hub.table.people.house_seats import HouseSettings
from hub.table.seating.seat_list import ACTIVE_SECONDS
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import bring_on, pass_time, sleep
from tests.table.test_vacancy import held, is_called

SITUATIONS = ("lobby", "playing", "paused", "over", "put aside")


def gathered(random: Random, boxed: set[int], situation: str) -> TableRig:
    """Guests at a table with boxes at some seats, who have come to a situation, and have gone in one way or another."""
    house = HouseSettings(seats=random.choice((0, 0, 1)), seconds=0.1)
    rig = TableRig(4, boxes=bool(boxed), offered=[games.find("goofspiel")], house=house, seed=random.randrange(99))
    rig.take(*(BoxUp(f"box-{seat}", "b1", "1", 8) for seat in boxed))
    free = [seat["seat"] for seat in rig.state["seats"] if not seat["held"]]
    on_box = {seat for seat in free if seat in boxed and situation != "over" and random.random() < 0.4}
    on_phone = [seat for seat in free if seat not in on_box][: random.choice((2, 3, 4))]
    for seat in sorted(on_box):
        rig.press(seat, "push")
    if on_phone:
        rig.sit(*on_phone)
    if situation != "lobby" and on_phone:
        rig.ready()
        rig.say(on_phone[0], "start", {"game": "goofspiel", "options": {}})
        pass_time(rig, 6)
    playing = [seat for seat in on_phone if rig.state["view"] and str(seat) in rig.state["view"]["seats"]]
    if situation == "paused" and playing:
        rig.say(playing[0], "pause")
    if situation == "put aside" and playing:
        rig.say(playing[0], "ask", {"what": "put_aside"})
        for seat in playing[1:]:
            if rig.state["question"]:
                rig.say(seat, "vote", {"say": "yes"})
        pass_time(rig, 21)
    if situation == "over" and playing:
        play_on(rig)
    for seat in list(rig.sids):
        if rig.table._seats.held_by(rig.sids[seat]) is None:
            del rig.sids[seat]
        elif random.random() < 0.3:
            rig.say_leave(seat)
        else:
            sleep(rig, seat)
    return rig


def play_on(rig: TableRig) -> None:
    """Let the phones play to the end."""
    for _ in range(400):
        for seat in rig.sids:
            if rig.state["state"] == "playing" and str(seat) in rig.state["view"]["seats"]:
                bring_on(rig, seat)
        pass_time(rig, 1)
        if rig.state["state"] != "playing":
            return


def restarted(rig: TableRig, boxed: set[int]) -> TableRig:
    again = TableRig(4, boxes=bool(boxed), store=rig.store, offered=[games.find("goofspiel")])
    again.take(BrokerUp(), *(BoxUp(f"box-{seat}", "b2", "1", 8) for seat in boxed))
    return again


@pytest.mark.parametrize("seed", range(60))
def test_the_next_guests_can_sit_down_whatever_the_last_ones_did(seed: int) -> None:
    """At a table where nobody is heard any more, each seat that somebody asks for is to be had within half a minute."""
    random = Random(seed)
    boxed = random.choice((set[int](), {1, 2, 3, 4}, {1, 3}))
    rig = gathered(random, boxed, situation := SITUATIONS[seed % len(SITUATIONS)])
    restarts = random.choice((0, 0, 1))
    pass_time(rig, random.choice((0.0, LEFT_SECONDS - 1, 100.0)))
    for _ in range(restarts):
        rig = restarted(rig, boxed)
    if boxed:
        pass_time(rig, ACTIVE_SECONDS)  # a touched box may have somebody who thinks before it
    wanted = held(rig)
    for seat in random.sample(wanted, k=min(len(wanted), random.choice((1, 2)))):
        rig.claim(seat, name="Next")
        if random.random() < 0.5:
            pass_time(rig, 3)
    pass_time(rig, LEFT_SECONDS)
    assert held(rig) == [], (situation, boxed)
    assert rig.state["state"] in ("lobby", "over")
    assert not is_called(rig)
    rig.sids.clear()
    for seat in (1, 2):
        if seat in boxed:
            rig.press(seat, "push")
            assert rig.state["seats"][seat - 1]["held"]
        else:
            rig.sit(seat)
    assert {1, 2} <= set(held(rig))


@pytest.mark.parametrize("seed", range(30))
def test_seats_that_nobody_uses_are_free_by_themselves_and_the_screens_have_codes_again(seed: int) -> None:
    random = Random(1000 + seed)
    boxed = random.choice((set[int](), {1, 2, 3, 4}, {1, 3}))
    rig = gathered(random, boxed, SITUATIONS[seed % len(SITUATIONS)])
    for _ in range(random.choice((0, 1, 3))):  # at any time of the wait, and more than once
        pass_time(rig, random.choice((70.0, IDLE_SECONDS / 3)))
        rig = restarted(rig, boxed)
    pass_time(rig, 2 * IDLE_SECONDS + 10)  # a match is put aside, then its seats are free
    assert (rig.state["state"], held(rig)) == ("lobby", [])
    assert set(rig.page.codes) == {"1", "2", "3", "4"}
