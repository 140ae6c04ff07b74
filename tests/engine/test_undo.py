"""What may be taken back, by whom, and what a match is then."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from hub.chance import Chance
from hub.engine.decision import Amount, ask, ask_all, offer, pick, roll, shuffle
from hub.engine.event import Event, Setup
from hub.engine.game import Rulebook
from hub.engine.match import Match
from hub.engine.secret import Secret
from hub.errors import NotOffered, RulesBug
from tests.engine.ladder import LADDER, game
from tests.engine.test_match import Made, Script, act, deal, dice, end, match

NOTHING = "There is nothing to take back."
ANOTHER = "Another seat has acted since, so the move cannot be taken back."
CHANCE_FELL = "A roll or a shuffle cannot be taken back."
CHOICES = "The others' choices were shown, so the move cannot be taken back."
SECRET = "Something secret was shown, so the move cannot be taken back."
FAULT = "First take back the move that stopped the match, then continue from there."


def why_not(m: Match, seat: int | None = None, count: int = 1) -> str:
    """Why inputs cannot be taken back, or ""; asking twice, and asking cheaply, gives the same answer."""
    before = m.fingerprint(), len(m.log), len(m.events)
    found = ""
    try:
        earlier = m.before(count, seat)
    except NotOffered as refused:
        found = refused.sentence if refused.code == "UNDO" else refused.code
    else:
        assert earlier.fingerprint() == m.until(len(earlier.log)).fingerprint()
    if seat is not None and count == 1:
        assert [m.may_undo(seat), m.may_undo(seat)] == [not found] * 2
    assert (m.fingerprint(), len(m.log), len(m.events)) == before
    return found


def revealing(then: Callable[[Made, dict[int, Any]], None] | None = None, **flags: bool) -> Script:
    """Rules that ask seats 1 and 3 for sealed bids, do something with them, and ask seat 2 whether to go on."""

    async def play(s: Made) -> None:
        moves = {seat: [offer("bid", number=Amount(1, 6)), offer("pass")] for seat in (1, 3)}
        answers = await ask_all(s, moves, "Bid.", into="choice", **flags)  # type: ignore[arg-type]
        if then:
            then(s, answers)
        await ask(s, 2, [offer("go"), offer("stay")], "Go?")
        await end(s)

    return play


def turn_over(s: Made, answers: dict[int, Any]) -> None:
    """Turn the choices over: everybody sees them."""
    for seat, answer in answers.items():
        s.seats[seat].choice = answer.args.get("number", answer.move)


def turn_over_and_show_a_card(s: Made, answers: dict[int, Any]) -> None:
    turn_over(s, answers)
    s.seats[2].cards.seen_by = (1, 2, 3)


def secretive(script: Script, card: Any = "ace") -> Match:
    """A match in which seat 2 has a secret card."""

    def with_a_card(setup: Setup) -> Made:
        s = deal(setup)
        s.seats[2].cards = Secret([card], (2,))
        return s

    return Match(game(Rulebook(deal=with_a_card, play=script, explain=lambda s, action: None)), (1, 2, 3))


def test_before_the_first_input_there_is_nothing_to_take_back() -> None:
    m = Match(LADDER, (1, 2))
    assert why_not(m) == why_not(m, 1) == NOTHING
    act(m, 1, "rest")
    assert why_not(m, count=0) == why_not(m, count=2) == why_not(m, count=-1) == NOTHING


def test_only_the_seat_that_acted_last_takes_its_move_back() -> None:
    m = Match(LADDER, (1, 2))
    for seat in (1, 2, 1):
        act(m, seat, "climb", by=1)
        other = 3 - seat
        assert (why_not(m), why_not(m, seat), why_not(m, other)) == ("", "", ANOTHER)
        assert m.before().log == m.log[:-1]
    assert why_not(m, 1, 2) == why_not(m, None, 2) == ANOTHER


def test_several_inputs_of_one_seat_are_taken_back_together() -> None:
    async def play(s: Made) -> None:
        for seat in (2, 1, 1, 1):
            await ask(s, seat, [offer("go"), offer("stay")], "Go?")
            s.seats[seat].coins += 1
        await end(s)

    m = match(play)
    act(m, 2, "go")
    act(m, 1, "stay")
    act(m, 1, "go")
    assert why_not(m, 1, 2) == why_not(m, None, 2) == ""
    assert why_not(m, 1, 3) == why_not(m, 2, 2) == ANOTHER
    known = len(m.events)
    assert m.undo(2, 1) == [Event("The last move was taken back.", kind="undo", data={"count": 2}, round=1)]
    assert ([entry.seat for entry in m.log], m.state.seats[1].coins, len(m.events)) == ([2], 5, known + 1)
    act(m, 1, "go")
    assert m.events_before == [0, 1]


def test_a_match_that_has_ended_goes_on_when_its_last_move_is_taken_back() -> None:
    m = Match(LADDER, (1, 2), {"rungs": 2})
    act(m, 1, "climb", by=2)
    assert m.moves(1) == []
    assert [event.kind for event in m.undo()] == ["undo"]
    act(m, 1, "rest")
    assert m.moves(2)
    assert not m.over


@pytest.mark.parametrize("verb", [shuffle, pick])
def test_what_chance_decided_since_stays(verb: Any) -> None:
    async def play(s: Made) -> None:
        await ask(s, 1, [offer("draw"), offer("pass")], "Draw?")
        await verb(s, ["a", "b"], "deck")
        for _ in range(2):
            await ask(s, 1, [offer("draw"), offer("pass")], "Draw?")

    m = match(play)
    act(m, 1, "draw")
    assert why_not(m, 1) == ""
    Chance(1).settle(m)
    assert why_not(m, 1) == why_not(m, 1, 2) == CHANCE_FELL
    act(m, 1, "pass")
    assert why_not(m, 1) == ""
    assert why_not(m, 1, 2) == CHANCE_FELL


def test_a_choice_may_be_taken_back_until_all_have_locked() -> None:
    m = match(revealing(turn_over))
    act(m, 3, "bid", number=4)
    assert why_not(m, 3) == ""
    act(m, 3, "bid", number=5)
    assert why_not(m, 3) == ""
    m.undo()
    assert m.view(3)["you"]["choice"] == 4
    m.undo()
    assert m.view(3)["you"]["choice"] is None
    act(m, 3, "pass")
    act(m, 1, "bid", number=1)
    assert why_not(m, 1) == CHOICES
    act(m, 2, "go")
    assert why_not(m, 2) == "", "the choices lay open before"


@pytest.mark.parametrize("then", [None, turn_over])
def test_a_choice_of_several_seats_stays_once_all_have_locked_whatever_the_rules_show(then: Any) -> None:
    m = match(revealing(then))
    act(m, 3, "bid", number=4)
    act(m, 1, "bid", number=4)
    assert why_not(m, 1) == CHOICES


@pytest.mark.parametrize("flag", ["laid", "known"])
def test_a_choice_among_printed_cards_may_be_taken_back_after_it_was_turned_over(flag: str) -> None:
    m = match(revealing(turn_over, **{flag: True}))
    act(m, 3, "bid", number=4)
    assert why_not(m, 3) == ""
    act(m, 1, "bid", number=1)
    assert why_not(m, 1) == ""
    m.undo()
    assert m.view(1)["waiting"]["seats"] == {"1": m.moves(1), "3": []}
    assert m.view(3)["you"]["choice"] == 4


@pytest.mark.parametrize("flag", ["laid", "known"])
def test_a_card_that_was_shown_with_the_choices_stays(flag: str) -> None:
    m = secretive(revealing(turn_over_and_show_a_card, **{flag: True}))
    act(m, 3, "bid", number=4)
    act(m, 1, "bid", number=1)
    assert why_not(m, 1) == SECRET


def test_a_card_that_was_shown_stays_even_if_a_choice_like_it_lies_hidden() -> None:
    def show_a_card(s: Made, answers: dict[int, Any]) -> None:
        s.seats[2].cards.seen_by = (1, 2, 3)

    m = secretive(revealing(show_a_card, laid=True), card=4)
    act(m, 1, "bid", number=4)
    act(m, 3, "bid", number=4)
    assert why_not(m, 3) == SECRET


def test_the_choice_of_a_lone_seat_may_be_taken_back_even_if_it_was_shown() -> None:
    """Nobody else chose, and what did not exist before was hidden from nobody."""

    async def play(s: Made) -> None:
        moves = [offer("bid", number=Amount(1, 6)), offer("pass")]
        turn_over(s, await ask_all(s, {1: moves}, "Bid.", into="choice"))
        await ask(s, 1, [offer("go"), offer("stay")], "Go?")

    m = match(play)
    act(m, 1, "bid", number=4)
    assert why_not(m, 1) == ""
    m.undo()
    assert m.view(1)["you"]["choice"] is None


@pytest.mark.parametrize(
    ("seen_by", "sentence"), [((1, 2), SECRET), ((2, 3), SECRET), ((1, 2, 3), SECRET), ((2,), ""), ((), "")]
)
def test_a_move_that_showed_a_secret_to_anybody_stays(seen_by: tuple[int, ...], sentence: str) -> None:
    async def play(s: Made) -> None:
        for _ in range(2):
            await ask(s, 1, [offer("look"), offer("pass")], "Look?")
            s.seats[2].cards.seen_by = seen_by

    m = secretive(play)
    act(m, 1, "look")
    assert why_not(m, 1) == sentence


def test_a_roll_of_the_dice_is_not_taken_back_and_what_follows_is() -> None:
    async def play(s: Made) -> None:
        await roll(s, 1, 1, 6, "luck", "Roll.")
        await ask(s, 1, [offer("go"), offer("stay")], "Go?")
        await ask(s, 1, [offer("go"), offer("stay")], "Go?")

    m = match(play)
    dice(m, 4)
    assert why_not(m) == why_not(m, 1) == CHANCE_FELL
    act(m, 1, "go")
    assert why_not(m, 1) == ""
    assert why_not(m, 1, 2) == CHANCE_FELL


def test_asking_after_every_input_what_may_be_taken_back_changes_nothing() -> None:
    m = Match(LADDER, (1, 2), {"rungs": 100})
    for number in range(20):
        act(m, 1 + number % 2, "climb", by=1 + number % 3 % 2)
        assert [m.may_undo(seat) for seat in (1, 2)] == [number % 2 == 0, number % 2 == 1]
    assert m.undo()
    assert [m.may_undo(seat) for seat in (1, 2)] == [True, False]
    act(m, 2, "rest")
    assert [m.may_undo(seat) for seat in (1, 2)] == [False, True]
    assert Match.replay(m.game, m.head, m.log).fingerprint() == m.fingerprint()


# --- after a fault ---------------------------------------------------------------------------------------


def failing(*before: str) -> Match:
    """A match whose rules fail after what comes `before`: answers, rolls, shuffles and picks."""

    async def play(s: Made) -> None:
        for what in before:
            if what == "ask":
                await ask(s, 1, [offer("go"), offer("stay")], "Go?")
            elif what == "roll":
                await roll(s, 2, 1, 6, "luck", "Roll.")
            else:
                await (shuffle if what == "shuffle" else pick)(s, ["a", "b"], "deck")
        raise ZeroDivisionError

    m, chance = match(play), Chance(1)
    for what in before:
        with suppress(RulesBug):
            if what == "ask":
                act(m, 1, "go")
            elif what == "roll":
                dice(m, 4)
            elif m.open:
                m.act(chance.answer(m.open))
    return m


@pytest.mark.parametrize(
    ("before", "left"),
    [
        (["ask"], 0),
        (["ask", "ask"], 1),
        (["ask", "shuffle"], 0),
        (["ask", "ask", "shuffle", "pick"], 1),
        (["ask", "roll"], 1),
        (["ask", "roll", "pick"], 1),
        (["shuffle", "pick"], 0),
    ],
)
def test_after_a_fault_anybody_takes_back_the_last_input_and_what_chance_did_with_it(
    before: list[str], left: int
) -> None:
    m = failing(*before)
    assert (bool(m.fault), len(m.log)) == (True, len(before))
    assert [m.may_undo(seat) for seat in (1, 2, 3)] == [True] * 3
    if len(before) > 1:
        with pytest.raises(NotOffered) as refused:
            m.undo(2)
        assert (refused.value.sentence, refused.value.code) == (FAULT, "UNDO")
    m.undo(1, 3)
    assert (bool(m.fault), bool(m.open), len(m.log)) == (False, True, left)


def test_a_fault_says_at_which_entry_the_rules_failed_and_why() -> None:
    m = failing("ask", "ask")
    assert m.fault
    assert m.fault.sentence == "The rules of The ladder failed at entry 2: ZeroDivisionError."
    assert isinstance(m.fault.__cause__, ZeroDivisionError)
