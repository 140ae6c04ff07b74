"""The kinds of questions that the people at a table are asked: one table of them, and what follows from it."""

from __future__ import annotations

from typing import get_args

import pytest

from hub.errors import NotAsked
from hub.state import QuestionKind
from hub.table.seating.questions import (
    KINDS,
    REST_SECONDS,
    VOTE_SECONDS,
    OpenQuestion,
    Questions,
    caption,
    first_answer,
    majority_option,
    majority_yes,
    unanimous_yes,
)
from tests.table.fakes import HeldClock

YES = {"yes": "Yes", "no": "No"}


def asked(kind: QuestionKind, seat: int = 0) -> OpenQuestion:
    return OpenQuestion(kind, "", YES, lambda: [1, 2], str, seat)


def asking(*, playing: bool) -> Questions:
    return Questions(HeldClock(), lambda _: True, lambda: playing)


def test_the_table_of_kinds_has_each_that_phones_know() -> None:
    assert set(KINDS) == set(get_args(QuestionKind))


@pytest.mark.parametrize("playing", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_question_ends_when_its_time_is_past(kind: QuestionKind, playing: bool) -> None:
    questions = asking(playing=playing)
    questions.ask(asked(kind))
    questions.update()
    assert (questions.open is not None) == (KINDS[kind].during in ("always", "match" if playing else "lobby"))


@pytest.mark.parametrize("seat", [3, 4])
def test_who_is_absent_gives_way_to_a_new_phone_at_that_seat_alone(seat: int) -> None:
    questions = asking(playing=True)
    questions.ask(asked("absent", 3))
    if seat == 3:
        questions.ask(asked("new_phone", seat))
    else:
        with pytest.raises(NotAsked):
            questions.ask(asked("new_phone", seat))
    assert questions.open
    assert questions.open.kind == ("new_phone" if seat == 3 else "absent")


@pytest.mark.parametrize(
    ("kind", "options", "controls"),
    [
        ("put_aside", YES, {"push": "yes", "bar": "no"}),
        ("absent", dict.fromkeys("abc", ""), {"k1": "a", "k2": "b", "k3": "c"}),
        ("pitch", {"done": "", "off": ""}, {"push": "done"}),
        ("same_person", YES, {}),
    ],
)
def test_controls_of_a_box_answer_by_the_kind_and_number_of_answers(
    kind: QuestionKind, options: dict[str, str], controls: dict[str, str]
) -> None:
    assert OpenQuestion(kind, "", options, list, str).controls == controls


ALL = [kind for kind, rule in KINDS.items() if rule.needs_all]


def test_a_hand_is_shown_and_a_match_is_ended_by_all_alone() -> None:
    assert {"end", "same_person", "agree", "new_phone"} <= {*ALL}


@pytest.mark.parametrize(
    ("kind", "votes", "carried"), [("put_aside", [1], "yes"), *((kind, [1, 2], "no") for kind in ALL)]
)
def test_silence_at_the_end_is_a_no_where_all_have_to_agree(kind: QuestionKind, votes: list[int], carried: str) -> None:
    clock, done = HeldClock(), list[str]()
    questions = Questions(clock, lambda seat: seat != 3, lambda: True)
    questions.ask(OpenQuestion(kind, "", YES, lambda: [*votes, 3], done.append))
    for seat in votes:
        questions.vote(seat, "yes")
    clock.time += VOTE_SECONDS - 1
    assert not questions.run_due()
    clock.time += 1
    assert questions.run_due()
    assert done == [carried], "nobody is heard at seat 3"


@pytest.mark.parametrize("kind", ["put_aside", *ALL])
def test_who_has_left_keeps_a_vote_where_all_have_to_agree(kind: QuestionKind) -> None:
    there = [1, 2, 3]
    questions = asking(playing=True)
    questions.ask(OpenQuestion(kind, "", YES, lambda: there, str))
    there.remove(3)
    assert questions.open
    assert questions.open.current_voters() == ([1, 2, 3] if kind in ALL else [1, 2])


@pytest.mark.parametrize(
    ("votes", "voters", "late", "most", "each"),
    [
        ("", 0, False, None, None),
        ("", 2, False, None, None),
        ("", 2, True, "no", "no"),
        ("y", 1, False, None, None),
        ("y", 1, True, "yes", "no"),
        ("n", 1, False, "no", "no"),
        ("yy", 2, False, "yes", "yes"),
        ("y", 2, False, None, None),
        ("y", 2, True, "no", "no"),
        ("yn", 2, False, "no", "no"),
        ("yy", 3, False, "yes", None),
        ("yy", 3, True, "yes", "no"),
        ("n", 3, False, None, "no"),
        ("nn", 3, False, "no", "no"),
        ("yyy", 3, False, "yes", "yes"),
        ("yy", 4, False, None, None),
        ("yy", 4, True, "no", "no"),
        ("nn", 4, False, "no", "no"),
        ("yyy", 4, False, "yes", None),
    ],
)
def test_a_yes_needs_more_than_half_or_everybody(
    votes: str, voters: int, late: bool, most: str | None, each: str | None
) -> None:
    given = {seat: {"y": "yes", "n": "no"}[vote] for seat, vote in enumerate(votes, 1)}
    asked = range(1, voters + 1)
    assert (majority_yes(given, asked, late), unanimous_yes(given, asked, late)) == (most, each)


@pytest.mark.parametrize(
    ("votes", "late", "wanted"),
    [({}, False, None), ({}, True, "done"), ({2: "off"}, False, "off"), ({2: "off"}, True, "off")],
)
def test_the_first_answer_counts_and_silence_only_at_the_end(
    votes: dict[int, str], late: bool, wanted: str | None
) -> None:
    assert first_answer("done")(votes, [2], late) == wanted


def test_a_display_names_two_answers_or_three() -> None:
    assert caption("absent", 3, ["wait", "safe"]) == "Seat 3 away? Push wait, bar safe"
    assert caption("absent", 3, ["wait", "safe", "house"]) == "Seat 3 away: 1 wait 2 safe 3 house"
    assert caption("end", 0, ["yes", "no", "more"]) == "End the match? Push yes, bar no"


def test_a_seat_may_ask_again_a_minute_after_a_no_and_the_table_itself_at_once() -> None:
    clock = HeldClock()
    questions = Questions(clock, lambda _: True, lambda: True)

    def ask(by: int) -> None:
        question = OpenQuestion("end", "", YES, lambda: [1, 2], str)
        question.by = by
        questions.ask(question)
        questions.vote(2, "no")

    ask(0)
    ask(0)
    ask(1)
    clock.time += REST_SECONDS - 1
    with pytest.raises(NotAsked, match=r"you may ask again in 1 s\."):
        ask(1)
    clock.time += 1
    ask(1)


def test_a_question_whose_time_is_past_shows_no_seconds() -> None:
    clock = HeldClock()
    questions = Questions(clock, lambda _: True, lambda: True)
    questions.ask(asked("absent", 3))
    for passed, left in ((0, 20), (0.5, 20), (19, 1), (5, 0)):
        clock.time += passed
        shown = questions.public()
        assert shown
        assert (shown.seconds, shown.seat) == (left, 3)


@pytest.mark.parametrize(
    ("votes", "voters", "late", "wanted"),
    [
        ("", 3, False, None),
        ("ss", 3, False, "safe"),
        ("wh", 3, False, None),
        ("wsh", 3, False, "safe"),
        ("whs", 3, False, "house"),
        ("hs", 2, False, "house"),
        ("hsshw", 5, False, "house"),
        ("hsshsw", 6, False, "safe"),
        ("wwsh", 4, False, "wait"),
        ("ws", 2, False, "wait"),
        ("sh", 3, True, "safe"),
        ("s", 2, True, "wait"),
        ("", 2, True, "wait"),
    ],
)
def test_who_will_not_wait_is_not_outvoted_by_disagreeing_about_the_rest(
    votes: str, voters: int, late: bool, wanted: str | None
) -> None:
    options = {"w": "wait", "s": "safe", "h": "house"}
    given = {seat: options[vote] for seat, vote in enumerate(votes, 1)}
    assert majority_option(given, range(1, voters + 1), late) == wanted


def test_a_vote_goes_with_its_person_and_the_question_with_the_person_that_it_is_about() -> None:
    questions = asking(playing=True)
    assert not questions.run_due(), "nothing is asked"
    question = OpenQuestion("end", "", YES, list, str, depends_on=frozenset({3}))
    questions.ask(question)
    question.lasting_voters = {1, 2}
    questions.vote(1, "yes")
    questions.on_seat_changed(2)
    assert (question.votes, question.lasting_voters) == ({1: "yes"}, {1})
    questions.on_seat_changed(1)
    assert (questions.open, question.votes, question.lasting_voters) == (question, {}, set())
    questions.on_seat_changed(3)
    assert questions.open is None


def test_only_a_question_of_the_named_kind_is_closed() -> None:
    questions = asking(playing=True)
    questions.ask(asked("absent", 3))
    questions.close("pitch")
    assert questions.open
    questions.close("absent")
    assert questions.open is None


@pytest.mark.parametrize("voted", [False, True])
def test_a_seat_that_has_voted_counts_at_the_end_although_nobody_is_heard_there(voted: bool) -> None:
    clock, done = HeldClock(), list[str]()
    questions = Questions(clock, lambda seat: seat == 1, lambda: True)
    questions.ask(OpenQuestion("put_aside", "", YES, lambda: [1, 2], done.append))
    questions.vote(1, "yes")
    if voted:
        questions.vote(2, "no")
    clock.time += VOTE_SECONDS
    questions.run_due()
    assert done == ["no" if voted else "yes"]
