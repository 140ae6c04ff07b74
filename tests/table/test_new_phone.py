"""The others decide about a new phone at a seat whose own phone is away."""

from __future__ import annotations

import pytest

from hub.languages import language_of
from hub.table.people.absence import ASK_SECONDS
from hub.table.people.people import BUSY
from hub.table.seating.questions import VOTE_SECONDS
from hub.table.seating.seats import CLAIM_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import keys, lock_all_but, pass_time, play_first, question, sleep, wake


def test_the_other_players_say_who_comes_with_a_new_phone(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3, None, "Cleo") is None, "it waits for the others"
    asked = question(phones)
    assert (asked["kind"], asked["seat"], asked["voters"]) == ("new_phone", 3, [1, 2])
    assert asked["text"] == "A new phone, named \u2068Cleo\u2069, asks for seat 3. Is it \u2068Guest 3\u2069?"
    open_question = phones.table._people.questions.open
    assert open_question
    german = language_of("de", "bid-and-bait").translate(open_question.text)
    assert german == ("Ein neues Handy namens \u2068Cleo\u2069 fragt nach Platz 3. Ist das \u2068Guest 3\u2069?", ())
    assert asked["seconds"] == CLAIM_SECONDS
    before = phones.sids[3]
    assert phones.say(1, "vote", {"say": "yes"})["ok"]
    assert before not in phones.phones.released, "one opponent alone gives no hand away"
    assert phones.say(2, "vote", {"say": "yes"})["ok"]
    assert phones.decided[-1].held
    assert before in phones.phones.released


def test_nobody_is_named_in_the_question_about_a_new_phone_if_nobody_has_given_a_name(phones: TableRig) -> None:
    phones.say(3, "name", {"name": ""})
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3) is None
    assert question(phones)["text"] == "A new phone asks for seat 3. Is it the same person?"


@pytest.mark.parametrize("playing", [False, True])
def test_all_at_the_table_are_asked_about_a_new_phone_and_in_a_match_its_players_alone(playing: bool) -> None:
    rig = TableRig(5, boxes=False)
    rig.sit(1, 2, 3)
    if playing:
        rig.start()
    rig.sit(4)
    sleep(rig, 3)
    pass_time(rig, ASK_SECONDS)
    assert rig.claim(3, None, "Cleo") is None
    assert question(rig)["voters"] == ([1, 2] if playing else [1, 2, 4])


def test_a_stranger_gets_no_seat_that_the_others_do_not_give(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    phones.claim(3, None, "Eve")
    assert phones.say(1, "vote", {"say": "yes"})["ok"]
    assert phones.say(2, "vote", {"say": "no"})["ok"]
    assert not phones.decided[-1].held
    phones.claim(3, None, "Eve")
    assert not phones.decided[-1].held, "and it is not asked again at once"


def test_a_phone_that_has_just_fallen_asleep_is_not_asked_about(phones: TableRig) -> None:
    sleep(phones, 3)
    decided = phones.claim(3, None, "Eve")
    assert decided
    assert not decided.held
    assert question(phones) is None


def test_a_phone_that_is_back_keeps_its_seat_whatever_the_others_say(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    phones.claim(3, None, "Eve")
    wake(phones, 3)
    assert question(phones) is None
    assert not phones.decided[-1].held


def test_one_opponent_is_never_asked_about_the_hand_of_the_other() -> None:
    rig = TableRig(2, boxes=False)
    rig.sit()
    rig.start()
    sleep(rig, 2)
    pass_time(rig, ASK_SECONDS)
    decided = rig.claim(2, None, "Eve")
    assert decided
    assert not decided.held


def test_what_nobody_agreed_to_is_not_asked_again_at_once_and_never_hides_an_absent_seat(phones: TableRig) -> None:
    phones.say(1, "ask", {"what": "end"})
    phones.say(2, "vote", {"say": "no"})
    assert "you may ask again in 60 s" in phones.say(1, "ask", {"what": "end"})["error"]
    assert phones.say(2, "ask", {"what": "put_aside"})["ok"], "others may"
    pass_time(phones, VOTE_SECONDS)
    lock_all_but(phones, 3)
    sleep(phones, 3)
    for _ in range(int(2 * ASK_SECONDS)):
        if not question(phones):
            pass_time(phones, 1)
    assert question(phones)["kind"] == "absent"
    assert not phones.say(1, "ask", {"what": "end"})["ok"]
    assert question(phones)["kind"] == "absent"


def test_a_new_phone_gives_way_to_what_the_table_is_asked_and_may_come_again(phones: TableRig) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS - 1)
    phones.say(1, "ask", {"what": "put_aside"})
    pass_time(phones, 1)
    decided = phones.claim(3, None, "Cleo")
    assert decided
    assert not decided.held
    pass_time(phones, VOTE_SECONDS)
    assert phones.claim(3, None, "Cleo") is None, "nobody was asked before, so nothing counts against it"


def test_a_phone_that_is_on_is_not_replaced_by_others(phones: TableRig) -> None:
    decided = phones.claim(3, None, "Eve")
    assert decided
    assert not decided.held


def test_the_question_about_a_new_phone_ends_if_the_seat_is_given_by_its_code(phones: TableRig) -> None:
    play_first(phones, 3)
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3, None, "Cleo") is None
    decided = phones.claim(3, phones.table._seats[3].code, "Guest 3")
    assert decided
    assert decided.held
    assert question(phones) is None


@pytest.mark.parametrize(("what", "goes_on"), [("help", True), ("ask", False)])
def test_a_new_phone_is_refused_as_soon_as_another_question_takes_the_place_of_its_own(
    phones: TableRig, what: str, goes_on: bool
) -> None:
    sleep(phones, 3)
    pass_time(phones, ASK_SECONDS)
    assert phones.claim(3, None, "Cleo") is None
    decided = len(phones.decided)
    assert phones.say(1, what, {"what": "put_aside"} if what == "ask" else {})["ok"]
    assert question(phones)["kind"] == ("new_phone" if goes_on else "put_aside")
    assert phones.state["claiming"] == ([3] if goes_on else [])
    assert [one.say for one in phones.decided[decided:]] == ([] if goes_on else [BUSY])


@pytest.mark.parametrize(("seat", "sentence"), [(3, "Seat 3 has no box."), (4, "There is no seat 4 at this table.")])
def test_nobody_is_called_for_a_seat_that_is_free_or_that_the_table_does_not_have(seat: int, sentence: str) -> None:
    rig = TableRig(3, boxes=False)
    rig.sit(1)
    sleep(rig, 1)
    decided = rig.claim(seat)
    assert decided
    assert not decided.held
    assert decided.say.startswith(sentence)
    assert rig.state["notices"] == []


@pytest.mark.parametrize("code", [None, "BBBBBB"])
def test_a_silent_table_is_called_by_a_new_phone_without_a_code_alone(code: str | None) -> None:
    rig = TableRig(3, boxes=False)
    rig.sit(1)
    sleep(rig, 1)
    rig.claim(1, code)
    assert keys(rig) == ([] if code else ["wanted"])
