"""The next guests can sit down: seats and tables that nobody uses become free, and nobody who is there is thrown out."""

from __future__ import annotations

import json

import pytest

from hub.errors import LogError
from hub.ports import BoxUp, BrokerDown, BrokerUp, HelpRequest, PhoneLink, StaffRequest, Tick
from hub.state import PublicSeat
from hub.table.dice.rolls import WAITS
from hub.table.people.endings import BREAK_LASTS, IDLE_SECONDS
from hub.table.people.house_seats import HouseSettings
from hub.table.people.people import Patience
from hub.table.people.vacancy import BACK, CALL, CALLED_SECONDS, RETURN_SECONDS
from hub.table.seating.seat_list import ACTIVE_SECONDS
from hub.table.seating.seats import LEFT_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import later, pass_time, sleep, staff, wake
from tests.table.test_dispute import GAMES, disputes, read
from tests.table.test_house_seats import alone, play_to_end


def held(rig: TableRig) -> list[int]:
    """The seats that somebody has."""
    return [seat["seat"] for seat in rig.state["seats"] if seat["held"] and not PublicSeat(**seat).is_house]


def is_called(rig: TableRig) -> bool:
    return any(one["key"] == "wanted" for one in rig.state["notices"])


def seated(*seats: int, boxes: bool = False, number: int = 3) -> TableRig:
    """A table in its lobby, with a phone at some seats."""
    rig = TableRig(number, boxes=boxes)
    rig.boxes_up()
    rig.sit(*seats)
    return rig


# --- between matches ------------------------------------------------------------------------------------


def test_a_seat_whose_phone_stays_away_between_matches_is_freed_after_the_idle_time_and_not_before() -> None:
    rig = seated(1, 2)
    sleep(rig, 2)
    pass_time(rig, IDLE_SECONDS - 2)
    assert held(rig) == [1, 2]
    pass_time(rig, 3)
    assert held(rig) == [1], "the phone of seat 1 is connected"
    assert "2" in rig.page.codes


def test_a_phone_that_comes_back_just_before_the_time_keeps_its_seat_and_one_just_after_does_not() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, IDLE_SECONDS - 2)
    wake(rig, 1)
    pass_time(rig, 4)
    assert held(rig) == [1]
    wake(rig, 2)
    assert rig.sids[2] in rig.phones.released, "the phone is told that the seat is gone"


def test_a_person_who_presses_the_box_keeps_the_seat_of_a_phone_that_is_away() -> None:
    rig = seated(1, boxes=True)
    sleep(rig, 1)
    for _ in range(3):
        pass_time(rig, IDLE_SECONDS - 10)
        rig.press(1, "k1")
    assert held(rig) == [1]
    pass_time(rig, IDLE_SECONDS + 1)
    assert held(rig) == []


def test_a_finished_match_makes_room_for_the_next_guests() -> None:
    rig = alone()
    rig.start()
    play_to_end(rig)
    sleep(rig, 1)
    pass_time(rig, IDLE_SECONDS + 2)
    assert (rig.state["state"], held(rig)) == ("lobby", [])
    assert "1" in rig.page.codes


def test_a_spectator_whose_phone_stays_away_keeps_no_seat_beside_a_match() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    sleep(rig, 3)
    for _ in range(4):
        pass_time(rig, IDLE_SECONDS / 4 + 1)
        rig.say(1, "name", {"name": f"Ada {rig.clock.time}"})
    assert (rig.state["state"], held(rig)) == ("playing", [1, 2])


def test_the_house_keeps_its_seats() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=2))
    rig.sit(1)
    sleep(rig, 1)
    pass_time(rig, IDLE_SECONDS + 1)
    assert [seat["held"] for seat in rig.state["seats"]] == [False, True, True]
    rig.sit(1)
    sleep(rig, 1)
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS + 1)
    assert [seat["held"] for seat in rig.state["seats"]] == [False, True, True], "also if somebody asks for the table"


def test_a_seat_is_freed_and_its_silence_written_exactly_when_the_time_is_over() -> None:
    rig = seated(1, 2)
    sleep(rig, 2)
    later(rig, 59)
    assert "keep silent" not in rig.order
    later(rig, 1)
    assert "keep silent" in rig.order
    later(rig, IDLE_SECONDS - 61)
    assert held(rig) == [1, 2]
    later(rig, 1)
    assert held(rig) == [1]


# --- a restart -------------------------------------------------------------------------------------------


def test_a_restart_does_not_begin_the_wait_anew_and_leaves_phones_a_minute_to_come_back() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, IDLE_SECONDS - 5)
    again = TableRig(3, boxes=False, store=rig.store)
    again.take(BrokerUp())  # as at each start
    pass_time(again, RETURN_SECONDS - 2)
    assert held(again) == [1, 2], "their phones had no fair chance yet"
    again.sids = rig.sids
    wake(again, 1)
    pass_time(again, 5)
    assert held(again) == [1]


def test_a_short_silence_before_a_restart_counts_as_what_it_was_and_is_written_once_a_minute() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 150)
    assert rig.order.count("keep silent") == 2
    again = TableRig(3, boxes=False, store=rig.store)
    again.take(BrokerUp())
    pass_time(again, IDLE_SECONDS - 122)
    assert held(again) == [1, 2]
    pass_time(again, 3)
    assert held(again) == []


def test_a_phone_that_was_connected_until_a_restart_has_the_whole_time_to_come_back() -> None:
    rig = seated(1)
    again = TableRig(3, boxes=False, store=rig.store)
    later(again, IDLE_SECONDS - 1)
    assert held(again) == [1]
    later(again, 1)
    assert held(again) == []


def test_a_silence_that_was_over_before_a_restart_leaves_phones_their_minute_as_well() -> None:
    rig = seated(1)
    rig.store.kept["1", "silent"] = b'{"1":15}'
    again = TableRig(3, boxes=False, store=rig.store)
    pass_time(again, RETURN_SECONDS - 1)
    assert held(again) == [1]
    pass_time(again, 2)
    assert held(again) == []


def test_a_disk_that_does_not_take_how_long_seats_are_silent_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = seated(1, 2)
    rig.start()
    keep = rig.store.keep

    def not_silence(table: str, name: str, value: bytes) -> None:
        if name == "silent":
            raise LogError("no space")
        keep(table, name, value)

    monkeypatch.setattr(rig.store, "keep", not_silence)
    sleep(rig, 2)
    rig.phones.public.clear()
    pass_time(rig, 130)
    assert "stopped" not in {one["state"] for one in rig.phones.public}


def test_phones_have_a_minute_to_come_back_also_where_seats_are_kept_no_longer_than_that() -> None:
    rig = seated(1)
    rig.store.kept["1", "silent"] = b'{"1":15}'
    again = TableRig(3, boxes=False, store=rig.store, patience=Patience(idle=RETURN_SECONDS))
    later(again, RETURN_SECONDS - 0.5)
    assert held(again) == [1]
    later(again, 0.5)
    assert held(again) == []


def test_many_restarts_keep_no_ghost() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    for _ in range(int(IDLE_SECONDS / 120) + 1):
        pass_time(rig, 121)
        rig = TableRig(3, boxes=False, store=rig.store)
        rig.take(BrokerUp())
    pass_time(rig, RETURN_SECONDS + 1)
    assert held(rig) == []


def test_the_silence_of_an_earlier_guest_does_not_count_for_the_next_one_at_that_seat() -> None:
    rig = seated(1)
    sleep(rig, 1)
    pass_time(rig, IDLE_SECONDS - 5)
    rig.claim(1, rig.table._seats[1].code)
    rig.take(Tick())
    again = TableRig(3, boxes=False, store=rig.store)
    pass_time(again, IDLE_SECONDS - 2)
    assert held(again) == [1]
    pass_time(again, 3)
    assert held(again) == []


def test_while_the_broker_is_gone_nobody_can_be_heard_and_nobody_loses_a_seat() -> None:
    rig = seated(1, 2)
    rig.take(BrokerDown("The broker is gone."))
    pass_time(rig, 2 * IDLE_SECONDS)
    assert held(rig) == [1, 2]
    assert rig.claim(1) is not None, "no call either"
    assert not is_called(rig)
    rig.take(BrokerUp())
    pass_time(rig, IDLE_SECONDS - 2)
    assert held(rig) == [1, 2], "the time begins when phones can be heard again"
    pass_time(rig, 3)
    assert held(rig) == []


def test_while_the_disk_fails_nobody_is_freed_and_afterwards_they_are() -> None:
    rig = seated(1)
    sleep(rig, 1)
    rig.store.broken = "no space"
    pass_time(rig, IDLE_SECONDS + 5)
    assert held(rig) == [1]
    rig.store.broken = ""
    pass_time(rig, 3)
    assert held(rig) == []


# --- somebody asks ---------------------------------------------------------------------------------------


def test_a_table_that_somebody_asks_for_is_called_first_and_free_when_nobody_answers() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    assert rig.claim(1, name="Next") is None, "it waits"
    assert is_called(rig)
    assert [one["text"] for one in rig.state["notices"] if one["key"] == "wanted"] == [CALL]
    assert rig.state["claiming"] == [1]
    code = rig.code(3)
    pass_time(rig, CALLED_SECONDS - 1)
    assert held(rig) == [1, 2]
    pass_time(rig, 1)
    assert held(rig) == []
    assert [seat["name"] for seat in rig.state["seats"]] == ["", "", ""]
    assert rig.code(3) == code, "somebody types the code of the free seat just now"
    assert rig.decided[-1].say == "Seat 1 is free now: type its code from the big screen."
    assert not is_called(rig)


def test_whoever_asks_for_a_seat_in_the_moment_its_phone_goes_is_told_when_it_is_free() -> None:
    rig = seated(1)
    sleep(rig, 1)
    assert rig.claim(1) is None
    pass_time(rig, LEFT_SECONDS)
    assert rig.decided[-1].say == "Seat 1 is free now: type its code from the big screen."


def test_phones_that_have_just_gone_have_half_a_minute() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 1)
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS - 2)
    assert held(rig) == [1, 2]
    pass_time(rig, 1)
    assert held(rig) == []


@pytest.mark.parametrize("how", ["phone", "request"])
def test_somebody_who_answers_the_call_keeps_the_table_for_everybody(how: str) -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.claim(1)
    pass_time(rig, CALLED_SECONDS - 1)
    wake(rig, 2) if how == "phone" else rig.say(2, "name", {"name": "Ben"})
    assert not is_called(rig)
    assert not rig.decided[-1].held
    assert rig.decided[-1].say.startswith("Somebody is at this table again")
    pass_time(rig, 60)
    assert held(rig) == [1, 2]


def test_a_push_on_any_box_answers_the_call() -> None:
    rig = seated(1, 2, boxes=True)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.claim(1)
    assert is_called(rig)
    rig.press(2, "k1")
    assert not is_called(rig)
    pass_time(rig, 60)
    assert held(rig) == [1, 2]


def test_a_box_that_was_touched_lately_means_that_somebody_is_there() -> None:
    rig = seated(1, 2, boxes=True)
    sleep(rig, 1, 2)
    rig.press(2, "k1")
    pass_time(rig, ACTIVE_SECONDS - 1)
    rig.claim(1)
    assert not is_called(rig)
    pass_time(rig, 1)
    rig.claim(1)
    assert is_called(rig)


def test_while_somebody_is_there_a_newcomer_is_told_when_the_seat_is_free() -> None:
    rig = seated(1, 2)
    sleep(rig, 2)
    pass_time(rig, 120)
    decided = rig.claim(2)
    assert decided is not None
    assert not is_called(rig)
    assert decided.say == (
        "Seat 2 is kept for a phone that is away, for at most 13 min. "
        "The people at the table, or staff, can free it now."
    )


def test_a_match_that_nobody_plays_is_put_aside_for_people_who_ask_for_the_table() -> None:
    rig = seated(1, 2, 3)
    rig.start()
    sleep(rig, 1, 2, 3)
    pass_time(rig, 60)
    rig.claim(2)
    pass_time(rig, CALLED_SECONDS)
    assert (rig.state["state"], held(rig)) == ("lobby", [])
    assert len(rig.store.people_aside) == 1, "it can go on"


def test_a_match_with_one_person_there_is_never_put_aside_for_others() -> None:
    rig = seated(1, 2, 3)
    rig.start()
    sleep(rig, 1, 2)
    pass_time(rig, 50)
    decided = rig.claim(1)
    assert decided is not None
    assert not decided.say.startswith("Seat 1 is kept"), "time does not free a seat of a match"
    pass_time(rig, 70)
    assert rig.state["state"] == "playing"
    assert {1, 2, 3} == set(held(rig))


def test_next_guests_who_sit_beside_a_match_that_nobody_plays_need_not_ask() -> None:
    rig = seated(1, 2)
    rig.start()
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.sit(3)
    assert is_called(rig)
    pass_time(rig, CALLED_SECONDS - 1)
    assert rig.state["state"] == "playing"
    pass_time(rig, 2)
    assert (rig.state["state"], held(rig)) == ("lobby", [3])


def test_a_friend_who_waits_beside_the_match_does_not_ask_for_the_table_of_players_whose_phones_sleep() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    sleep(rig, 1, 2)
    pass_time(rig, ACTIVE_SECONDS - 1)
    assert (rig.state["state"], is_called(rig)) == ("playing", False)
    wake(rig, 2)
    sleep(rig, 2)
    pass_time(rig, ACTIVE_SECONDS - 1)
    assert not is_called(rig), "each time anew"
    pass_time(rig, CALLED_SECONDS + 2)
    assert (rig.state["state"], held(rig)) == ("lobby", [3]), "in the end they have gone"


def test_a_friend_beside_the_match_asks_for_the_table_after_three_minutes_of_silence() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    sleep(rig, 1, 2)
    pass_time(rig, ACTIVE_SECONDS - 1)
    assert not is_called(rig)
    pass_time(rig, 1)
    assert is_called(rig), "the screens say so at once"


def test_a_silent_table_sends_nothing_to_the_phones_while_it_is_called() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.claim(1)
    before = len(rig.phones.public)
    pass_time(rig, CALLED_SECONDS - 1)
    assert len(rig.phones.public) == before


@pytest.mark.parametrize("playing", [False, True])
def test_a_call_goes_on_when_staff_free_one_of_the_silent_seats(playing: bool) -> None:
    rig = seated(1, 2, 3)
    if playing:
        rig.start()
    sleep(rig, 1, 2, 3)
    pass_time(rig, 60)
    assert rig.claim(1) is None
    assert staff(rig, "free", seat=3)[0]
    assert is_called(rig)
    assert rig.state["claiming"] == [1]


def test_a_phone_that_is_given_a_seat_of_a_silent_match_ends_the_call_before_it_connects() -> None:
    rig = seated(1, 2)
    rig.start()
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    assert rig.claim(1) is None
    rig.claim(2, rig.table._seats[2].code)
    assert not is_called(rig)


def test_a_claim_that_a_box_decides_outlives_the_call_of_the_table() -> None:
    rig = seated(1, 2, boxes=True)
    sleep(rig, 1, 2)
    pass_time(rig, ACTIVE_SECONDS)
    assert rig.claim(1) is None
    assert is_called(rig)
    pass_time(rig, CALLED_SECONDS)
    assert (held(rig), rig.state["claiming"]) == ([], [1])
    rig.press(1, "push")
    assert rig.decided[-1].held


def test_a_friend_beside_the_match_is_the_same_one_after_a_restart() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    again = TableRig(3, boxes=False, store=rig.store)
    again.sids = rig.sids
    wake(again, 3)
    pass_time(again, ACTIVE_SECONDS - 1)
    assert (again.state["state"], is_called(again)) == ("playing", False)


def test_a_guest_whose_phone_sleeps_beside_a_match_loses_the_seat_with_its_players() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    sleep(rig, 3, 1, 2)
    pass_time(rig, 60)
    assert rig.claim(3) is None
    pass_time(rig, CALLED_SECONDS)
    assert rig.decided[-1].say == "Seat 3 is free now: type its code from the big screen."
    assert held(rig) == []


def test_a_guest_who_is_there_beside_the_match_answers_for_that_seat_alone() -> None:
    rig = seated(1, 2)
    rig.start()
    rig.sit(3)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    decided = rig.claim(3)
    assert decided is not None
    assert decided.say == "Seat 3 has no box. Type the code that its phone shows under Seat."
    assert not is_called(rig)


def test_a_guest_whose_phone_has_gone_again_beside_the_match_asks_for_nothing() -> None:
    rig = seated(1, 2)
    rig.start()
    sleep(rig, 1, 2)
    rig.claim(3, rig.code(3))
    pass_time(rig, LEFT_SECONDS + CALLED_SECONDS)
    assert rig.state["state"] == "playing"


def test_several_newcomers_and_one_who_gives_up_find_the_table_free() -> None:
    rig = seated(1, 2, 3)
    sleep(rig, 1, 2, 3)
    pass_time(rig, 60)
    for seat in (1, 2, 3):
        assert rig.claim(seat) is None
    pass_time(rig, CALLED_SECONDS)
    assert [decided.held for decided in rig.decided[-3:]] == [False] * 3
    assert held(rig) == []
    rig.sit(1, 2)
    assert held(rig) == [1, 2]
    sleep(rig, 1, 2)
    pass_time(rig, 40)
    rig.claim(1)
    pass_time(rig, CALLED_SECONDS)
    assert held(rig) == [], "they have gone again"


def test_the_demonstration_comes_back_after_guests_who_pocket_their_phones() -> None:
    rig = TableRig(3, boxes=False, attract_seconds=120)
    rig.sit(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, IDLE_SECONDS + 130)
    assert rig.page.newest is not None
    assert rig.page.newest.demonstration is not None


def test_what_was_put_aside_for_others_goes_on_when_its_people_are_back() -> None:
    rig = seated(1, 2)
    rig.start()
    keys = {seat: rig.key(seat) for seat in (1, 2)}
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.claim(1)
    pass_time(rig, CALLED_SECONDS)
    rig.sids.clear()
    for seat in (1, 2):
        rig.sit_again(seat, [keys[seat]])
    (offer,) = rig.state["put_aside"]
    assert rig.say(1, "take_up", {"match": offer["match"]})["ok"]
    assert rig.state["state"] == "playing"


def test_a_call_that_a_failing_broker_interrupts_is_over_and_says_nothing_false() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.claim(1)
    rig.take(BrokerDown("The broker is gone."))
    assert not is_called(rig)
    assert rig.decided[-1].say == "Try again later, or ask staff."
    rig.take(BrokerUp())
    pass_time(rig, CALLED_SECONDS + LEFT_SECONDS)
    assert held(rig) == [1, 2]
    rig.take(BrokerDown("The broker is gone."), BrokerUp())
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS - 1)
    assert held(rig) == [1, 2], "phones have half a minute to be heard again"
    pass_time(rig, 2)
    assert held(rig) == []


def test_while_the_disk_fails_a_match_that_nobody_plays_is_not_called_for_and_not_put_aside() -> None:
    rig = seated(1, 2)
    rig.start()
    sleep(rig, 1, 2)
    rig.store.broken = "no space"
    rig.take(PhoneLink(rig.sids[1], True), PhoneLink(rig.sids[1], False))
    rig.say(1, "name", {"name": "Ada"})
    sleep(rig, 1)
    assert rig.state["state"] == "stopped"
    for _ in range(6):
        rig.clock.time += CALLED_SECONDS
        assert rig.claim(2) is not None, "it is refused at once"
        assert not is_called(rig)
    assert (rig.state["state"], held(rig)) == ("stopped", [1, 2])


def test_a_phone_that_is_given_a_seat_of_a_table_that_is_called_answers_before_it_connects() -> None:
    rig = seated(1, 2)
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    assert rig.claim(1) is None
    assert is_called(rig)
    rig.claim(2, rig.table._seats[2].code)
    assert not is_called(rig)
    assert {decided.say for decided in rig.decided[-2:]} == {BACK, "Seat 2 is yours."}
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS - 1)
    assert held(rig) == [1, 2], "the half minute begins with the seat"
    pass_time(rig, 1)
    assert held(rig) == []


def test_a_touch_of_a_box_at_which_nobody_sits_neither_answers_the_call_nor_asks_for_the_table() -> None:
    rig = seated(1, 2, boxes=True)
    rig.start()
    sleep(rig, 1, 2)
    pass_time(rig, ACTIVE_SECONDS + 1)
    rig.press(3, "k1")
    assert not rig.state["seats"][2]["held"]
    rig.take(Tick())
    assert not is_called(rig)
    assert staff(rig, "aside")[0]
    rig.sit(1, 2)
    sleep(rig, 1, 2)
    rig.press(3, "k1")
    assert rig.table._people.vacancy.request_table(), "nobody of the table is heard"


def test_a_push_at_a_free_box_asks_for_the_table_of_a_match_that_nobody_plays() -> None:
    """Guests without phones have no other way to ask: a free seat of a match is not given by a push."""
    rig = seated(1, 2, boxes=True)
    rig.start()
    rig.press(3, "push")
    assert not is_called(rig), "somebody is there"
    sleep(rig, 1, 2)
    pass_time(rig, 60)
    rig.press(3, "k1")
    assert not is_called(rig), "that is no push"
    rig.press(3, "push")
    assert is_called(rig)
    pass_time(rig, CALLED_SECONDS)
    assert (rig.state["state"], held(rig)) == ("lobby", [])
    rig.press(3, "push")
    assert held(rig) == [3]


def test_a_box_that_is_choosing_is_called_like_a_phone_and_its_dial_gives_the_seat() -> None:
    rig = seated(1, 2, 3, boxes=True)
    rig.start()
    sleep(rig, 1, 2, 3)
    pass_time(rig, ACTIVE_SECONDS)
    assert rig.claim(2) is None
    assert is_called(rig)
    pass_time(rig, CALLED_SECONDS)
    assert rig.decided[-1].say == "Seat 2 is free now: ask once more, and push its dial."


@pytest.mark.parametrize("gone", [1.0, CALLED_SECONDS, LEFT_SECONDS - 1])
def test_a_stranger_who_asks_again_and_again_never_has_the_table_of_somebody_who_answers(gone: float) -> None:
    rig = seated(1, 2)
    rig.start()
    for _ in range(8):
        sleep(rig, 1, 2)
        for seat in (1, 2, 1):
            rig.claim(seat, name="Next")
        pass_time(rig, gone)
        wake(rig, 1)
    assert (rig.state["state"], held(rig), is_called(rig)) == ("playing", [1, 2], False)


# --- leaving, at a table with boxes ----------------------------------------------------------------------


@pytest.fixture
def three() -> TableRig:
    """Three phones and three boxes in a match."""
    rig = seated(1, 2, 3, boxes=True)
    rig.start()
    return rig


def presence(rig: TableRig) -> list[str]:
    return [seat["presence"] for seat in rig.state["seats"]]


def test_somebody_who_has_left_is_not_there_on_the_box_that_is_plugged_in(three: TableRig) -> None:
    three.say_leave(2)
    assert presence(three) == ["here", "away", "here"]
    three.take(BoxUp("box-2", "b2", "1", 8))
    assert presence(three)[1] == "away", "a cable is no person"
    three.press(2, "k1")
    assert presence(three)[1] == "here", "a push is one"


def test_somebody_who_has_left_has_no_vote(three: TableRig) -> None:
    three.say_leave(2)
    assert three.say(1, "ask", {"what": "end"})["ok"]
    assert three.state["question"]["voters"] == [1, 3]
    three.say(3, "vote", {"say": "yes"})
    assert three.state["state"] == "lobby"


def test_the_last_one_of_a_match_that_all_others_have_left_puts_it_aside_alone(three: TableRig) -> None:
    three.say_leave(2)
    three.say_leave(3)
    assert three.say(1, "ask", {"what": "put_aside"})["ok"]
    assert three.state["state"] == "lobby"


def test_the_last_one_ends_the_match_alone_once_asked_again_but_not_while_another_phone_sleeps(three: TableRig) -> None:
    three.say_leave(2)
    sleep(three, 3)
    three.say(1, "ask", {"what": "end"})
    pass_time(three, 21)
    assert three.state["state"] == "playing"
    wake(three, 3)
    three.say_leave(3)
    pass_time(three, 60)
    three.press(1, "k1")
    assert three.say(1, "ask", {"what": "end"})["ok"]
    assert three.state["question"]["voters"] == [1]
    three.say(1, "vote", {"say": "yes"})
    assert three.state["state"] == "lobby"


def test_a_table_with_boxes_that_all_have_left_waits_half_a_minute(three: TableRig) -> None:
    for seat in (1, 2, 3):
        three.say_leave(seat)
    pass_time(three, LEFT_SECONDS - 1)
    assert three.state["state"] == "playing"
    pass_time(three, 2)
    assert (three.state["state"], held(three)) == ("lobby", [])


def test_a_push_on_a_box_plays_on_at_a_table_that_all_have_left(three: TableRig) -> None:
    for seat in (1, 2, 3):
        three.say_leave(seat)
    pass_time(three, LEFT_SECONDS - 1)
    three.press(1, "k1")
    pass_time(three, LEFT_SECONDS + 5)
    assert three.state["state"] == "playing"


def test_whether_somebody_plays_on_a_box_survives_a_restart() -> None:
    rig = seated(1, 2, 3, boxes=True)
    rig.start()
    rig.say_leave(2)
    rig.say_leave(3)
    rig.press(3, "k1")
    again = TableRig(3, store=rig.store)
    again.boxes_up("b2")
    assert presence(again) == ["asleep", "away", "here"]


def test_a_phone_that_sleeps_while_its_box_is_used_is_there_for_as_long_as_it_is_used(three: TableRig) -> None:
    sleep(three, 2)
    assert presence(three)[1] == "asleep"
    three.press(2, "k1")
    assert presence(three)[1] == "here"
    pass_time(three, ACTIVE_SECONDS - 1)
    assert presence(three)[1] == "here"
    pass_time(three, 2)
    assert presence(three)[1] == "asleep"


def test_a_pause_does_not_make_the_next_guests_wait_once_nobody_of_it_is_there(three: TableRig) -> None:
    three.say(1, "pause")
    sleep(three, 1, 2, 3)
    pass_time(three, IDLE_SECONDS - 2)
    assert three.state["state"] == "playing"
    pass_time(three, 4)
    assert (three.state["state"], held(three)) == ("lobby", [])


def test_a_pause_lasts_while_one_of_it_is_there_and_not_for_ever(three: TableRig) -> None:
    three.say(1, "pause")
    sleep(three, 2, 3)
    pass_time(three, BREAK_LASTS * IDLE_SECONDS - 2)
    assert three.state["state"] == "playing"
    pass_time(three, 4)
    assert three.state["state"] == "lobby"


def test_a_person_who_falls_asleep_late_in_a_pause_has_the_whole_time_from_then(three: TableRig) -> None:
    three.say(1, "pause")
    sleep(three, 2, 3)
    pass_time(three, 2 * IDLE_SECONDS)
    sleep(three, 1)
    pass_time(three, IDLE_SECONDS - 2)
    assert three.state["state"] == "playing"
    pass_time(three, 4)
    assert three.state["state"] == "lobby"


# --- a disputed roll ----------------------------------------------------------------------------------------


def disputed(game: str, stage: str) -> TableRig:
    """Three phones without boxes whose last roll is voted on, or read again; of "rolls" it is the one that ends the match."""
    rig = TableRig(3, boxes=False, offered=[GAMES[game]])
    rig.sit()
    rig.ready()
    assert rig.say(1, "start", {"game": game, "options": {}})["ok"]
    for faces in ([1] * 6, [1] * 2, [6]) if game == "rolls" else ([3],):
        read(rig, *faces)
    for seat in (3, 2) if stage == "reading" else (3,):
        assert disputes(rig, seat)["ok"]
    assert rig.state["dispute"]["stage"] == stage
    return rig


@pytest.mark.parametrize("stage", ["vote", "reading"])
@pytest.mark.parametrize("game", ["turns", "rolls"])
def test_a_disputed_roll_does_not_keep_the_next_guests_waiting(game: str, stage: str) -> None:
    rig = disputed(game, stage)
    sleep(rig, 1, 2, 3)
    pass_time(rig, 1)
    assert rig.claim(1) is None
    pass_time(rig, LEFT_SECONDS)
    assert (rig.state["state"], rig.state["dispute"], held(rig)) == ("lobby", None, [])
    assert len(rig.store.people_aside) == (game == "turns"), "a match that is over is not put aside"
    assert len(rig.store.results) == (game == "rolls")


@pytest.mark.parametrize("stage", ["vote", "reading"])
def test_one_person_at_a_disputed_roll_keeps_the_table(stage: str) -> None:
    rig = disputed("turns", stage)
    sleep(rig, 1, 2)
    pass_time(rig, 1)
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS)
    assert (rig.state["state"], held(rig)) == ("playing", [1, 2, 3])


@pytest.mark.parametrize("how", ["left", "aside", "end"])
def test_a_match_whose_last_roll_is_read_again_keeps_its_result_when_it_leaves_the_table(how: str) -> None:
    rig = disputed("rolls", "reading")
    if how == "left":
        for seat in (1, 2, 3):
            rig.say_leave(seat)
        pass_time(rig, LEFT_SECONDS + 1)
    else:
        rig.take(StaffRequest(how, {}, lambda *_: None))
    assert (rig.state["state"], rig.state["put_aside"], rig.store.people_aside) == ("over", [], {})
    assert json.loads(rig.store.results["m-1"])["scores"] == {"1": 8, "2": 6, "3": 0}


def test_a_roll_that_can_still_be_disputed_leaves_the_table_with_its_match() -> None:
    rig = TableRig(3, boxes=False, offered=[GAMES["turns"]])
    rig.sit()
    rig.start("turns")
    read(rig, 3)
    assert rig.state["dispute"]["stage"] == "open"
    assert staff(rig, "aside")[0]
    assert (rig.state["state"], rig.state["dispute"]) == ("lobby", None)
    assert not disputes(rig, 3)["ok"]


def test_the_last_roll_of_a_match_can_be_disputed_no_more_once_the_next_guests_ask_for_the_table() -> None:
    rig = TableRig(3, boxes=False, offered=[GAMES["rolls"]])
    rig.sit()
    rig.start("rolls")
    for faces in ([1] * 6, [1] * 2, [6]):
        read(rig, *faces)
    assert (rig.state["state"], rig.state["dispute"]["stage"]) == ("over", "open")
    sleep(rig, 1, 2, 3)
    rig.claim(1)
    pass_time(rig, LEFT_SECONDS + 1)
    assert (rig.state["state"], rig.state["dispute"], held(rig)) == ("lobby", None, [])


@pytest.mark.parametrize("who", ["stranger", "staff"])
def test_a_match_is_not_resumed_while_a_roll_of_the_last_one_is_disputed(who: str) -> None:
    rig = TableRig(3, boxes=False, offered=[GAMES["rolls"]])
    rig.sit()
    rig.start("rolls")
    assert staff(rig, "aside")[0]
    (offer,) = rig.state["put_aside"]
    rig.start("rolls")
    for faces in ([1] * 6, [1] * 2, [6]):
        read(rig, *faces)
    rig.say_leave(3)
    rig.sit(3)
    assert disputes(rig, 2)["ok"]
    if who == "staff":
        assert staff(rig, "again", match=offer["match"]) == (False, WAITS)
    else:
        assert rig.say(1, "take_up", {"match": offer["match"]})["error"] == WAITS
    assert rig.state["state"] == "over"


# --- the lobby of a table with boxes -----------------------------------------------------------------------


def test_a_ghost_with_a_box_is_freed_by_the_others_and_a_person_who_was_there_a_moment_ago_is_not() -> None:
    rig = seated(1, 2, boxes=True)
    sleep(rig, 2)
    pass_time(rig, LEFT_SECONDS - 1)
    assert not rig.say(1, "free", {"seat": 2})["ok"]
    pass_time(rig, 2)
    assert rig.say(1, "free", {"seat": 2})["ok"]
    assert held(rig) == [1]


def test_a_phone_that_has_just_gone_keeps_its_seat_for_half_a_minute_without_a_box_too() -> None:
    rig = seated(1, 2)
    sleep(rig, 2)
    pass_time(rig, LEFT_SECONDS - 1)
    assert not rig.say(1, "free", {"seat": 2})["ok"]
    pass_time(rig, 2)
    assert rig.say(1, "free", {"seat": 2})["ok"]


def test_ghosts_keep_people_without_phones_from_no_match() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(3)
    sleep(rig, 3)
    pass_time(rig, ACTIVE_SECONDS - 1)
    for seat in (1, 2, 1, 1):
        rig.press(seat, "push")
    assert rig.state["state"] == "lobby", "Guest 3 was there a moment ago, and is not ready"
    pass_time(rig, 1)
    rig.press(1, "push", "push")
    assert rig.state["state"] == "playing"
    assert sorted(rig.state["view"]["seats"]) == ["1", "2"]


def test_staff_see_nobody_at_a_seat_that_was_left_and_free_it_between_matches() -> None:
    rig = seated(1, 2, boxes=True)
    rig.start()
    rig.say_leave(2)
    answers: list[tuple[bool, str]] = []
    rig.take(StaffRequest("aside", {}, lambda ok, say: answers.append((ok, say))))
    assert answers[0][0]
    assert held(rig) == [1]


def test_a_house_seat_that_somebody_takes_does_not_inherit_that_the_house_was_ready() -> None:
    rig = TableRig(3, boxes=False, house=HouseSettings(seats=2))
    rig.sit(1)
    rig.sit(2)
    assert [seat["ready"] for seat in rig.state["seats"]] == [False, False, True]


def test_a_phone_that_takes_over_a_seat_does_not_inherit_that_the_other_one_was_ready() -> None:
    rig = seated(1, 2)
    rig.say(2, "ready", {"ready": True})
    rig.claim(2, rig.table._seats[2].code)
    assert not rig.state["seats"][1]["ready"]


def test_a_person_on_a_box_who_takes_a_phone_stays_ready() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.press(1, "push")
    rig.claim(1, rig.table._seats[1].code)
    assert rig.state["seats"][0]["ready"]


def test_somebody_without_a_seat_calls_staff_from_the_join_page() -> None:
    rig = seated(1, 2)
    rig.take(HelpRequest())
    assert rig.notice() == "Somebody without a seat calls for staff."
    seen = len(rig.phones.public)
    rig.take(HelpRequest())
    assert len(rig.phones.public) == seen, "once more is nothing new"
    rig.take(StaffRequest("done", {"key": "help:guest"}, lambda *_: None))
    assert rig.notice() == ""
