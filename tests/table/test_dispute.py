"""Sentences about a roll that was accepted and is disputed, for whatever game asked for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec
import pytest

from hub import games
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Won, ask, ask_all, offer, pick, roll, shuffle, tell
from hub.engine.event import State
from hub.engine.game import Game, Rulebook
from hub.engine.match import Match
from hub.engine.secret import Pile, Secret
from hub.engine.text import to_json
from hub.errors import NotOffered
from hub.ports import BoxDown, BoxLocked, BoxUp, DiceSeen, PhoneLink, Tick
from hub.table.boxes.captions import claim_caption
from hub.table.dice.dispute import ASK_SECONDS, OUTCOME_SECONDS, READ_SECONDS, VOTE_SECONDS
from hub.table.dice.roll_states import ACCEPT_SECONDS, SILENT_SECONDS
from hub.table.match.match_log import KeptReading
from hub.table.people.house_seats import HouseSettings
from hub.table.seating.seats import PHONE_FIRST_SECONDS
from tests.table.fakes import TableRig
from tests.table.guests import staff
from tests.table.test_table import LABELS

CLAIMED = claim_caption(push=False)


@dataclass
class Angler:
    """What a seat has."""

    caught: int = 0
    locked: bool = False
    hook: Secret[Any] | None = None


@dataclass
class Lake:
    """What swims."""

    pile: Pile[str] = field(default_factory=lambda: Pile([]))
    shown: list[str] = field(default_factory=list)


Fishing = State[Angler, Lake]


async def turns(s: Fishing) -> None:
    """Seat 1 rolls, then seat 2 goes on or rests, round by round."""
    while True:
        (face,) = await roll(s, 1, 1, 6, "catch", "Roll a die.")
        s.seats[1].caught += face
        tell(s, f"Seat 1 rolls {face}.", kind="roll", seat=1, faces=[face])
        if s.seats[1].caught >= 20:
            raise Won([1], {seat: one.caught for seat, one in s.seats.items()}, "Enough.")
        await ask(s, 2, [offer("go"), offer("rest")], "Go on?")


async def two_rolls(s: Fishing) -> None:
    """Seat 1 rolls eight dice, then seat 2 one; the higher total wins."""
    for seat, count in ((1, 8), (2, 1)):
        s.seats[seat].caught = sum(await roll(s, seat, count, 6, "trial", f"Roll {count}."))
    best = max(s.seats, key=lambda seat: s.seats[seat].caught)
    raise Won([best], {seat: one.caught for seat, one in s.seats.items()}, "Judged.")


async def hooks(s: Fishing) -> None:
    """Seat 1 rolls, then all choose in secret."""
    s.seats[1].caught = (await roll(s, 1, 1, 6, "catch", "Roll a die."))[0]
    await ask_all(s, {seat: [offer("hook"), offer("line")] for seat in s.seats}, "Choose.", into="hook")
    await ask(s, 1, [offer("go"), offer("rest")], "Go on?")


async def drawing(s: Fishing) -> None:
    """A four shows a card of the pile; any other roll shuffles it and names a bank by chance."""
    s.table.pile = Pile(await shuffle(s, ["bream", "carp", "eel"], "lake"))
    (face,) = await roll(s, 1, 1, 6, "catch", "Roll a die.")
    if face == 4:
        s.table.shown = s.table.pile.cards[:1]
        s.table.pile = Pile(s.table.pile.cards[1:])
    else:
        s.table.pile = Pile(await shuffle(s, sorted(s.table.pile.cards), "lake"))
        s.table.shown = [await pick(s, [f"bank {n}" for n in range(1000)], "bank"), f"{face}"]
    await ask(s, 2, [offer("go"), offer("rest")], "Go on?")


def game(name: str, play: Any) -> Game:
    def deal(setup: Any) -> Fishing:
        return Fishing(setup, {seat: Angler() for seat in setup.seats}, Lake(), round=1, phase="lake")

    rulebook = Rulebook(deal=deal, play=play, explain=lambda *_: None)
    return Game(name, name.title(), (2, 6), 1, "0" * 16, {}, [], LABELS, {}, rulebook)


GAMES = {
    one.name: one
    for one in (game("turns", turns), game("rolls", two_rolls), game("hooks", hooks), game("drawing", drawing))
}


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "find", GAMES.__getitem__)


def at(name: str = "turns", seats: int = 3, **kind: Any) -> TableRig:
    """A table at which seat 1 is asked for its dice."""
    rig = TableRig(seats, offered=[GAMES[name]], **kind)
    if rig.ports.boxes:
        rig.boxes_up()
    rig.sit()
    rig.start(name)
    return rig


def wait(rig: TableRig, seconds: float) -> None:
    rig.clock.time += seconds
    rig.take(Tick())


def read(rig: TableRig, *faces: int) -> None:
    """Dice are read and stand."""
    rig.see("settled", *faces)
    wait(rig, ACCEPT_SECONDS)


def disputes(rig: TableRig, seat: int) -> dict[str, Any]:
    return rig.say(seat, "dice", {"say": "reread"})


def stands(rig: TableRig, seat: int) -> dict[str, Any]:
    return rig.say(seat, "dice", {"say": "stands"})


def stage(rig: TableRig) -> str | None:
    dispute = rig.state["dispute"]
    return dispute["stage"] if dispute else None


def caught(rig: TableRig) -> int:
    return int(rig.state["view"]["seats"]["1"]["caught"])


def rolls(rig: TableRig) -> list[dict[str, Any]]:
    """The rolls in the record."""
    return [entry.args for entry in rig.match.log if entry.move == "roll"]


def restarted(rig: TableRig, name: str = "turns") -> TableRig:
    """The hub comes back after a power cut, with whoever was there."""
    back = TableRig(rig.seats, offered=[GAMES[name]], store=rig.store)
    back.sids = rig.sids
    back.boxes_up("b2")
    back.take(*(PhoneLink(sid, True) for sid in rig.sids.values()))
    return back


@pytest.fixture
def disputed() -> TableRig:
    """Three seats; seat 1 has rolled a three, and seat 3 disputes it."""
    rig = at()
    read(rig, 3)
    assert disputes(rig, 3)["ok"]
    return rig


@pytest.fixture
def second_reading(disputed: TableRig) -> TableRig:
    """And seat 1 agrees."""
    assert disputes(disputed, 1)["ok"]
    return disputed


@pytest.mark.parametrize(("match", "number"), [("m-0", 0), ("m-1", 2), ("m-1", 1)], ids=["match", "end", "no roll"])
def test_a_second_reading_that_was_kept_of_anything_but_a_roll_of_this_match_is_forgotten(
    match: str, number: int
) -> None:
    rig = at()
    read(rig, 3)
    assert rig.act(2, "go")["ok"]
    assert [entry.move for entry in rig.match.log] == ["roll", "go"]
    rig.store.kept["1", "dispute"] = msgspec.json.encode(KeptReading(match, number, []))
    back = restarted(rig)
    assert (back.state["state"], back.state["dispute"], caught(back)) == ("playing", None, 3)
    assert not back.store.kept["1", "dispute"], "it is not tried at each start"


# --- who asks, and when ------------------------------------------------------------------------------------


def test_a_roll_that_nobody_disputes_stands_after_five_seconds_and_the_game_never_waited() -> None:
    rig = at()
    read(rig, 3)
    dispute = rig.state["dispute"]
    assert (dispute["stage"], dispute["seat"], dispute["faces"], dispute["read"]) == ("open", 1, [3], "read")
    assert rig.hand(2)["moves"]
    wait(rig, ASK_SECONDS)
    assert stage(rig) is None
    assert disputes(rig, 3)["code"] == "DICE"
    assert caught(rig) == 3


def test_a_free_bar_asks_and_a_bar_that_answers_the_next_question_answers_it() -> None:
    rig = at()
    read(rig, 3)
    assert rig.boxes.texts["box-3"] == "Dice read wrong? Bar: read again"
    rig.press(3, "bar")
    assert (stage(rig), rig.state["dispute"]["yes"]) == ("vote", [3])
    rig = at()
    read(rig, 3)
    rig.press(2, "bar", "push")  # the bar picks its no, and the push sends it
    assert stage(rig) is None
    assert rig.state["dice"] is not None, "seat 2 rests, and seat 1 rolls again"


def test_once_somebody_has_answered_it_is_too_late() -> None:
    rig = at()
    read(rig, 3)
    assert rig.act(2, "go")["ok"]
    assert stage(rig) is None
    assert disputes(rig, 3)["code"] == "DICE"


def test_once_somebody_has_locked_a_box_it_is_too_late() -> None:
    rig = at("hooks")
    read(rig, 3)
    assert stage(rig) == "open"
    rig.take(BoxLocked("box-2", rig.boxes.rounds["box-2"].round))
    assert stage(rig) is None


def test_once_the_next_dice_are_in_the_air_it_is_too_late() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    assert stage(rig) == "open"
    rig.see("armed")
    assert stage(rig) == "open"
    rig.see("rolling")
    assert stage(rig) is None


def test_a_roll_that_showed_a_card_is_not_read_again() -> None:
    rig = at("drawing")
    read(rig, 4)
    assert stage(rig) is None
    assert disputes(rig, 2)["code"] == "DICE"


def test_a_roll_by_the_hub_is_not_disputed() -> None:
    rig = at()
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["ok"]
    assert rig.state["dice"] is None
    assert stage(rig) is None


def test_who_does_not_play_has_no_say() -> None:
    rig = TableRig(3, offered=[GAMES["turns"]])
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("turns")
    rig.sit(3)
    for say in ("hub", "again"):
        refused = rig.say(3, "dice", {"say": say})
        assert (refused["code"], refused["error"]) == ("DICE", "Only players of this match decide about its dice.")
    read(rig, 3)
    rig.press(3, "bar")
    assert disputes(rig, 3)["error"] == "Only players of this match decide about its dice."
    assert stage(rig) == "open"


# --- the vote ----------------------------------------------------------------------------------------------


def test_while_the_table_votes_nobody_plays_on(disputed: TableRig) -> None:
    assert disputed.state["dispute"] | {"stage": "vote", "yes": [3], "no": [], "needs": 2} == disputed.state["dispute"]
    assert disputed.hand(2)["moves"] == []
    refused = disputed.act(2, "go")
    assert (refused["code"], refused["error"]) == ("DICE", "The table decides whether the dice are read again.")
    assert not disputed.say(3, "undo")["ok"]
    assert {disputed.boxes.texts[f"box-{seat}"] for seat in (1, 2)} == {"Read dice again? Push yes, bar no"}


def test_the_rings_call_those_who_have_not_voted(disputed: TableRig) -> None:
    assert [disputed.lamps.shown[-1][seat].pattern for seat in (1, 2, 3)] == ["claim", "claim", "locked"]


def test_voted_down_the_roll_stands_and_the_game_goes_on(disputed: TableRig) -> None:
    disputed.press(1, "bar")
    assert stage(disputed) == "vote"
    assert stands(disputed, 2)["ok"]
    assert (stage(disputed), disputed.state["dispute"]["say"]) == ("told", "Not read again: the roll counts.")
    assert disputed.act(2, "go")["ok"]
    assert caught(disputed) == 3
    wait(disputed, OUTCOME_SECONDS)
    assert stage(disputed) is None


def test_a_vote_that_nobody_finishes_ends_in_favour_of_the_roll(disputed: TableRig) -> None:
    wait(disputed, VOTE_SECONDS)
    assert stage(disputed) == "told"
    assert disputed.hand(2)["moves"]
    assert disputed.dice.lying_arms == []


def test_at_a_table_of_two_both_must_want_it() -> None:
    rig = at(seats=2)
    read(rig, 3)
    assert disputes(rig, 2)["ok"]
    assert stage(rig) == "vote"
    assert disputes(rig, 1)["ok"]
    assert stage(rig) == "reading"


def test_who_has_changed_its_mind_has_one_vote(disputed: TableRig) -> None:
    disputed.press(3, "bar")
    assert stage(disputed) == "vote"
    disputed.press(1, "push")
    assert (disputed.state["dispute"]["yes"], disputed.state["dispute"]["no"]) == ([1], [3])


def test_a_sleeping_phone_has_its_vote_and_a_box_that_is_pulled_has_none() -> None:
    rig = TableRig(3, offered=[GAMES["turns"]])
    rig.boxes_up()
    rig.press(2, "push")
    rig.press(3, "push")
    rig.sit(1)
    rig.start("turns")
    read(rig, 3)
    rig.press(3, "bar")
    rig.take(BoxDown("box-1", "unplugged"), PhoneLink(rig.sids[1], False))
    assert (stage(rig), rig.state["dispute"]["needs"]) == ("vote", 2)
    assert stands(rig, 1)["ok"]
    assert stage(rig) == "vote"
    rig.take(BoxDown("box-2", "unplugged"))
    assert stage(rig) == "told", "one against one is no majority"


@pytest.mark.parametrize("gone", [False, True])
def test_the_vote_stays_on_the_display_while_a_stranger_asks_for_the_seat(disputed: TableRig, gone: bool) -> None:
    box = "box-2"
    disputed.take(PhoneLink(disputed.sids[2], not gone))
    disputed.claim(2)
    wait(disputed, PHONE_FIRST_SECONDS)  # from now on the box may let the other phone in
    assert disputed.state["claiming"] == [2]
    assert disputed.boxes.texts[box] == "Read dice again? Push yes, bar no", "what the keys answer"
    disputed.press(2, "bar")
    assert disputed.state["dispute"]["no"] == [2]
    assert disputed.state["claiming"] == [2], "the bar has answered the vote, and not the stranger"
    disputed.press(1, "bar")
    assert stage(disputed) == "told"
    assert disputed.boxes.texts[box] != CLAIMED, "the match asks this seat for a move"


def test_the_claim_is_shown_once_the_vote_is_over_at_a_seat_that_nothing_is_asked_of(disputed: TableRig) -> None:
    disputed.claim(3)
    assert disputed.boxes.texts["box-3"] == "Read dice again? Push yes, bar no"
    for seat in (1, 2):
        disputed.press(seat, "bar")
    assert stage(disputed) == "told"
    assert disputed.boxes.texts["box-3"] == CLAIMED


def test_a_box_that_comes_back_during_the_vote_may_vote(disputed: TableRig) -> None:
    disputed.take(BoxDown("box-2", "unplugged"), BoxUp("box-2", "b2", "1", 8))
    disputed.press(2, "push")
    assert stage(disputed) == "reading"


def test_a_sealed_choice_goes_on_where_it_was_when_the_roll_stands() -> None:
    rig = at("hooks")
    read(rig, 3)
    assert set(rig.boxes.rounds) == {"box-1", "box-2", "box-3"}
    assert disputes(rig, 3)["ok"]
    assert rig.boxes.rounds == {}, "the boxes have their keys back for the vote"
    rig.press(1, "bar")
    rig.press(2, "bar")
    assert set(rig.boxes.rounds) == {"box-1", "box-2", "box-3"}
    for seat in (1, 2, 3):
        assert rig.act(seat, "hook")["ok"]
    assert rig.state["view"]["waiting"]["seats"] == ["1"]


def test_the_next_roll_is_asked_for_again_when_the_roll_stands() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    assert disputes(rig, 3)["ok"]
    assert (rig.dice.on, rig.state["dice"]) == (False, None)
    rig.see("settled", 6)
    assert stands(rig, 1)["ok"]
    assert stands(rig, 2)["ok"]
    assert (rig.dice.on, rig.state["dice"]["seat"], rig.dice.armed[-1]) == (True, 2, (2, 1, 6))


# --- the second reading ------------------------------------------------------------------------------------


def test_other_faces_correct_the_roll_and_the_log_keeps_both(second_reading: TableRig) -> None:
    rig = second_reading
    assert rig.dice.lying_arms == [rig.dice.numbers[-1]]
    dice = rig.state["dice"]
    assert (dice["again"], dice["say"], dice["count"]) == (True, "The dice are read again as they lie.", 1)
    assert rig.state["want"] == rig.hand(1)["want"] == "Do not roll: the dice are read again."
    assert rig.lamps.shown[-1][1].pattern == "dice_trouble", "no comet: nobody rolls"
    assert not rig.act(2, "go")["ok"]
    read(rig, 5)
    assert caught(rig) == 5
    assert rolls(rig) == [{"faces": [5], "read": "read", "first": {"faces": [3], "read": "read"}}]
    texts = [event["text"] for event in rig.state["events"]]
    assert texts == ["The dice were read again: 5, not 3.", "Seat 1 rolls 5."]
    assert rig.state["events"][-1]["data"] | {"read": "read", "again": True} == rig.state["events"][-1]["data"]
    assert stage(rig) is None, "what was read twice stands"
    assert rig.act(2, "go")["ok"]


def test_the_same_faces_change_nothing(second_reading: TableRig) -> None:
    rig = second_reading
    read(rig, 3)
    assert rig.state["dispute"]["say"] == "The dice show the same: the roll counts."
    assert (caught(rig), rolls(rig)) == (3, [{"faces": [3], "read": "read"}])
    assert rig.act(2, "go")["ok"]


def test_what_the_reader_cannot_tell_is_typed_and_vouched_for(second_reading: TableRig) -> None:
    rig = second_reading
    rig.see("cocked")
    assert (
        rig.state["dice"] | {"state": "no_reader", "say": "The reader cannot tell: type how the dice lie."}
        == rig.state["dice"]
    )
    rig.see("settled", 6)
    assert rig.say(1, "roll", {"faces": [5]})["ok"]
    assert caught(rig) == 0, "a second seat has yet to say yes"
    rig.press(2, "push")
    assert rolls(rig)[0] == {"faces": [5], "read": "typed", "first": {"faces": [3], "read": "read"}}


def test_a_reader_that_sees_nothing_lets_the_table_type(second_reading: TableRig) -> None:
    second_reading.see("armed")
    wait(second_reading, SILENT_SECONDS)
    assert second_reading.state["dice"]["state"] == "no_reader"


def test_nobody_throws_during_a_second_reading(second_reading: TableRig) -> None:
    rig = second_reading
    for seat in (1, 2, 3):
        assert rig.say(seat, "dice", {"say": "hub"})["code"] == "DICE"
    rig.press(1, "bar")
    assert rig.state["dice"]["votes"] == []


def test_dice_that_nobody_reads_again_stand_as_they_were(second_reading: TableRig) -> None:
    wait(second_reading, READ_SECONDS)
    assert second_reading.state["dispute"]["say"] == "Not read again in time: the roll counts."
    assert caught(second_reading) == 3
    assert second_reading.act(2, "go")["ok"]
    assert len(second_reading.match.log) == 2


def test_of_a_roll_in_batches_only_what_still_lies_there_is_read_again() -> None:
    rig = at("rolls")
    read(rig, 1, 2, 3, 4, 5, 6)
    read(rig, 1, 1)
    disputes(rig, 2)
    disputes(rig, 3)
    assert (rig.state["dice"]["done"], rig.dice.armed[-1]) == (
        [{"faces": [1, 2, 3, 4, 5, 6], "read": "read"}],
        (1, 2, 6),
    )
    read(rig, 2, 1)
    assert rolls(rig)[0]["faces"] == [1, 2, 3, 4, 5, 6, 2, 1]
    assert rolls(rig)[0]["first"]["faces"] == [1, 2, 3, 4, 5, 6, 1, 1]
    assert caught(rig) == 24


def test_the_roll_that_ended_the_match_can_be_read_again() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    read(rig, 6)
    assert (rig.state["state"], stage(rig)) == ("over", "open")
    rig.press(3, "bar")
    assert rig.say(1, "again")["error"] == "The table decides whether the dice are read again."
    rig.press(2, "push")
    assert (rig.state["state"], rig.state["dice"]["seat"]) == ("playing", 2)
    read(rig, 5)
    assert rig.state["over"]["scores"] == {"1": 8, "2": 5, "3": 0}
    assert (rig.store.running("1"), len(rig.match.log)) == (None, 2)


def test_after_the_last_roll_the_boxes_fall_silent_when_it_is_too_late() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    read(rig, 6)
    assert set(rig.boxes.texts.values()) == {"Dice read wrong? Bar: read again"}
    wait(rig, ASK_SECONDS)
    assert set(rig.boxes.texts.values()) == {""}
    assert rig.say(1, "again")["ok"]


def test_what_chance_drew_after_the_roll_it_draws_again() -> None:
    rig = at("drawing")
    read(rig, 3)
    pile, (bank, _) = rig.match.state.table.pile, rig.match.state.table.shown
    disputes(rig, 2)
    disputes(rig, 3)
    read(rig, 5)
    assert rig.match.state.table.pile == pile
    assert rig.match.state.table.shown == [bank, "5"], "a second reading tries no luck twice"


# --- undo, and the record ----------------------------------------------------------------------------------


def test_a_corrected_roll_cannot_be_taken_back_and_what_follows_can(second_reading: TableRig) -> None:
    rig = second_reading
    read(rig, 5)
    assert not rig.hand(1)["undo"]
    assert rig.act(2, "rest")["ok"]
    assert rig.say(2, "undo")["ok"]
    assert caught(rig) == 5
    assert rolls(rig)[0]["first"] == {"faces": [3], "read": "read"}
    assert stage(rig) is None


def test_a_power_cut_before_the_vote_is_decided_leaves_the_roll(disputed: TableRig) -> None:
    back = restarted(disputed)
    assert (stage(back), caught(back)) == (None, 3)
    assert back.act(2, "go")["ok"]


def test_a_power_cut_while_a_roll_may_be_disputed_leaves_the_roll() -> None:
    rig = at()
    read(rig, 3)
    back = restarted(rig)
    assert (stage(back), caught(back)) == (None, 3)
    assert disputes(back, 3)["code"] == "DICE"


def test_a_power_cut_after_the_table_decided_goes_on_reading(second_reading: TableRig) -> None:
    back = restarted(second_reading)
    assert (stage(back), back.state["dice"]["again"]) == ("reading", True)
    read(back, 5)
    assert (caught(back), rolls(back)[0]["first"]["faces"]) == (5, [3])
    twice = restarted(back)
    assert (stage(twice), caught(twice)) == (None, 5)


def test_a_roll_that_was_corrected_is_not_read_a_third_time_after_a_power_cut(second_reading: TableRig) -> None:
    rig = second_reading
    kept = rig.store.kept["1", "dispute"]
    assert kept
    read(rig, 5)
    assert not rig.store.kept["1", "dispute"]
    rig.store.kept["1", "dispute"] = kept  # the power cut came between the correction and this
    back = restarted(rig)
    assert (stage(back), caught(back), back.store.kept["1", "dispute"]) == (None, 5, b"")


@pytest.mark.parametrize("verb", ["aside", "end"])
def test_a_match_that_leaves_the_table_takes_its_second_reading_along(second_reading: TableRig, verb: str) -> None:
    rig = second_reading
    assert rig.store.kept["1", "dispute"]
    assert staff(rig, verb)[0]
    assert not rig.store.kept["1", "dispute"]


def test_a_power_cut_while_the_last_roll_is_read_again_ends_no_match() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    read(rig, 6)
    disputes(rig, 1)
    disputes(rig, 2)
    back = restarted(rig, "rolls")
    assert (stage(back), back.state["state"]) == ("reading", "playing")
    wait(back, READ_SECONDS)
    assert (back.state["state"], back.state["over"]["scores"]["2"]) == ("over", 6)
    assert restarted(back, "rolls").state["over"] == back.state["over"]


def test_a_disk_that_does_not_take_the_correction_has_it_read_again(second_reading: TableRig) -> None:
    rig = second_reading
    rig.see("settled", 5)
    rig.store.broken = "The disk is full."
    wait(rig, ACCEPT_SECONDS)
    assert rig.state["state"] == "stopped"
    assert rolls(rig) == [{"faces": [3], "read": "read"}]
    rig.store.broken = ""
    rig.take(Tick())
    assert (stage(rig), rig.state["dice"]["again"]) == ("reading", True)
    read(rig, 5)
    assert caught(rig) == 5


def test_a_disk_that_does_not_take_the_vote_leaves_the_roll(disputed: TableRig) -> None:
    disputed.store.broken = "The disk is full."
    assert not disputes(disputed, 1)["ok"]
    disputed.store.broken = ""
    disputed.take(Tick())
    assert (stage(disputed), caught(disputed)) == (None, 3)
    assert disputed.act(2, "go")["ok"]
    assert caught(restarted(disputed)) == 3


def test_a_late_word_of_the_first_throw_is_no_second_reading(second_reading: TableRig) -> None:
    second_reading.take(DiceSeen("tray", second_reading.dice.numbers[0], "settled", (6,)))
    wait(second_reading, ACCEPT_SECONDS)
    assert stage(second_reading) == "reading"


@pytest.mark.parametrize(
    "first",
    [
        None,
        [3],
        {},
        {"faces": [3]},
        {"faces": [7], "read": "read"},
        {"faces": [3, 3], "read": "read"},
        {"faces": 3, "read": "read"},
    ],
)
def test_a_log_whose_first_reading_is_none_is_refused(first: Any) -> None:
    match = Match(GAMES["turns"], [1, 2])
    with pytest.raises(NotOffered):
        match.act(Action(seat=CHANCE, move="roll", args={"faces": [3], "first": first}))
    Chance(1).settle(match)
    assert match.log == []


def test_a_log_with_both_readings_plays_again_to_the_same_match() -> None:
    match = Match(GAMES["turns"], [1, 2])
    first = {"faces": [3], "read": "typed"}
    match.act(Action(seat=CHANCE, move="roll", args={"faces": [5], "read": "read", "first": first}))
    replayed = Match.replay(match.game, match.head, match.log)
    assert replayed.fingerprint() == match.fingerprint()
    assert to_json(replayed.events) == to_json(match.events)


@pytest.mark.parametrize("seed", range(6))
def test_whoever_disputes_whenever_the_record_is_what_is_shown_and_the_match_comes_to_its_end(seed: int) -> None:
    random = Random(seed)
    rig = at()
    for _ in range(1500):
        if rig.state["over"] and stage(rig) is None:
            break
        seat, dice = random.randint(1, 3), rig.state["dice"]
        match random.randrange(10):
            case 0 | 1:
                disputes(rig, seat)
            case 2:
                stands(rig, seat)
            case 3:
                rig.press(seat, random.choice(("bar", "push", "k1")))
            case 4:
                rig.act(seat, random.choice(("go", "rest")))
            case 5 if random.random() < 0.2:
                rig = restarted(rig)
            case 6 if random.random() < 0.3:
                rig.store.broken = "The disk is full."
            case 7 if dice:
                rig.see(random.choice(("settled", "cocked", "rolling", "wrong_count")), random.randint(1, 6))
            case 8 if dice:
                rig.say(1, "roll", {"faces": [random.randint(1, 6)]})
                rig.say(2, "dice", {"say": "accept"})
        wait(rig, random.choice((0.0, 0.5, 1.0, 6.0)))
        rig.store.broken = ""
        rig.take(Tick())
        if rig.state["state"] == "lobby":
            break  # the power went after the end
        if stage(rig) != "reading":
            assert rig.match.view(None) == rig.state["view"]
        assert rig.state["state"] != "stopped"
    else:
        raise AssertionError("the match does not end")
    assert rig.store.running("1") is None


# --- the moment at which something happens -----------------------------------------------------------------


def wakes(rig: TableRig) -> float:
    """The seconds until the table looks at its clock again by itself."""
    return round(rig.table.wait_seconds(), 6)


def test_a_roll_can_be_disputed_until_the_last_moment() -> None:
    rig = at()
    read(rig, 3)
    wait(rig, ASK_SECONDS - 0.25)
    assert (stage(rig), wakes(rig)) == ("open", 0.25)
    assert stands(rig, 3)["error"] == "There is no roll to read again now.", "nobody has disputed it"
    assert disputes(rig, 3)["ok"]
    assert rig.state["dispute"]["say"] == "Seat 3 asks to read the dice again."
    wait(rig, VOTE_SECONDS - 0.25)
    assert (stage(rig), wakes(rig)) == ("vote", 0.25)
    assert disputes(rig, 2)["ok"]
    assert (stage(rig), rig.state["dispute"]["say"]) == ("reading", "")
    wait(rig, READ_SECONDS - 0.25)
    assert (stage(rig), wakes(rig)) == ("reading", 0.25)
    wait(rig, 0.25)
    assert stage(rig) == "told"
    wait(rig, OUTCOME_SECONDS - 0.25)
    assert (stage(rig), wakes(rig)) == ("told", 0.25)
    for vote in (disputes, stands):
        assert vote(rig, 3)["error"] == "There is no roll to read again now.", "it is decided"
    wait(rig, 0.25)
    assert stage(rig) is None
    assert stands(rig, 3)["code"] == "DICE"


def test_a_vote_that_runs_out_says_that_the_roll_counts(disputed: TableRig) -> None:
    wait(disputed, VOTE_SECONDS)
    assert disputed.state["dispute"]["say"] == "Not read again in time: the roll counts."
    wait(disputed, OUTCOME_SECONDS)
    assert stage(disputed) is None


def test_a_power_cut_gives_the_second_reading_its_whole_minute_again(second_reading: TableRig) -> None:
    wait(second_reading, READ_SECONDS - 1)
    back = restarted(second_reading)
    wait(back, READ_SECONDS - 1)
    assert (stage(back), caught(back)) == ("reading", 0)
    wait(back, 1)
    assert (stage(back), caught(back)) == ("told", 3)


# --- who decides -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "needs"), [(2, 2), (3, 2), (4, 3), (5, 3), (6, 4)])
def test_more_than_half_must_want_the_second_reading_and_half_can_prevent_it(seats: int, needs: int) -> None:
    rig = at(seats=seats)
    read(rig, 3)
    for seat in range(1, needs + 1):
        assert stage(rig) == ("open" if seat == 1 else "vote")
        assert disputes(rig, seat)["ok"]
        assert rig.state["dispute"]["needs"] == needs
    assert (stage(rig), rig.state["dispute"]["yes"]) == ("reading", list(range(1, needs + 1)))
    rig = at(seats=seats)
    read(rig, 3)
    assert disputes(rig, 1)["ok"]
    for seat in range(2, 2 + seats - needs + 1):
        assert stage(rig) == "vote"
        assert stands(rig, seat)["ok"]
    assert stage(rig) == "told"


def test_a_seat_that_changes_its_mind_either_way_has_one_vote(disputed: TableRig) -> None:
    for vote, yes, no in ((stands, [], [3]), (stands, [], [3]), (disputes, [3], []), (disputes, [3], [])):
        assert vote(disputed, 3)["ok"]
        assert (stage(disputed), disputed.state["dispute"]["yes"], disputed.state["dispute"]["no"]) == ("vote", yes, no)


def test_the_vote_of_a_box_counts_even_after_it_was_unplugged() -> None:
    rig = TableRig(4, offered=[GAMES["turns"]])
    rig.boxes_up()
    for seat in (2, 3, 4):
        rig.press(seat, "push")
    rig.sit(1)
    rig.start("turns")
    read(rig, 3)
    rig.press(3, "bar")
    rig.press(4, "bar")
    rig.take(BoxDown("box-3", "unplugged"), BoxDown("box-4", "unplugged"))
    assert rig.state["dispute"] | {"stage": "vote", "yes": [3], "no": [4], "needs": 3} == rig.state["dispute"]


def test_a_house_seat_has_no_vote_about_dice() -> None:
    rig = TableRig(4, offered=[GAMES["turns"]], house=HouseSettings())
    rig.boxes_up()
    rig.sit(1, 2)
    for seat in (3, 4):
        assert rig.say(1, "house", {"seat": seat, "strength": "easy"})["ok"]
    rig.start("turns")
    read(rig, 3)
    assert disputes(rig, 1)["ok"]
    assert rig.state["dispute"]["needs"] == 2
    assert disputes(rig, 2)["ok"]
    assert stage(rig) == "reading"


def test_a_seat_that_does_not_play_has_no_vote_that_others_wait_for() -> None:
    rig = TableRig(4, offered=[GAMES["turns"]])
    rig.boxes_up()
    rig.sit(1, 2)
    rig.start("turns")
    rig.sit(3, 4)
    read(rig, 3)
    assert disputes(rig, 1)["ok"]
    assert (stage(rig), rig.state["dispute"]["needs"]) == ("vote", 2)
    answer = stands(rig, 3)
    assert (answer["code"], answer["error"]) == ("DICE", "Only players of this match decide about its dice.")
    assert disputes(rig, 2)["ok"]
    assert stage(rig) == "reading"


def test_phones_alone_dispute_a_roll() -> None:
    rig = at(boxes=False)
    read(rig, 3)
    assert disputes(rig, 3)["ok"]
    assert rig.state["dispute"]["needs"] == 2
    assert disputes(rig, 2)["ok"]
    assert stage(rig) == "reading"


def test_the_rollers_own_bar_disputes_a_roll_once_it_means_nothing_else() -> None:
    rig = at()
    read(rig, 3)
    rig.press(1, "bar")
    assert rig.state["dispute"]["yes"] == [1]
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    rig.press(2, "bar")
    assert (stage(rig), rig.state["dice"]["votes"]) == ("open", [2]), "seat 2 rolls now: its bar asks for the hub"


# --- what is known about a roll ----------------------------------------------------------------------------


def test_a_dispute_says_how_the_roll_was_read() -> None:
    rig = at()
    assert rig.say(1, "roll", {"faces": [4]})["ok"]
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    dispute = rig.state["dispute"]
    assert (
        dispute | {"stage": "open", "seat": 1, "faces": [4], "read": "typed", "yes": [], "no": [], "say": ""} == dispute
    )


@pytest.mark.parametrize("said", ["cocked", "wrong_count", "no_reader"])
def test_dice_of_a_second_reading_that_the_reader_cannot_tell_are_typed(second_reading: TableRig, said: Any) -> None:
    rig = second_reading
    rig.see("armed")
    assert rig.state["dice"]["say"] == "The dice are read again as they lie."
    rig.see("rolling")
    assert (rig.state["dice"]["state"], rig.state["dice"]["say"]) == ("rolling", "The dice are read again as they lie.")
    wait(rig, SILENT_SECONDS)
    assert rig.state["dice"]["state"] == "rolling", "the reader was heard"
    rig.see(said, say="not said")
    dice = rig.state["dice"]
    assert (dice["state"], dice["say"], rig.dice.on) == (
        "no_reader",
        "The reader cannot tell: type how the dice lie.",
        False,
    )
    rig.see("settled", 6)
    assert rig.state["dice"] | {"state": "no_reader", "faces": []} == rig.state["dice"], "people type now"


@pytest.mark.parametrize("faces", [(), (3, 3), (7,)])
def test_a_second_reading_of_other_dice_is_typed(second_reading: TableRig, faces: tuple[int, ...]) -> None:
    second_reading.see("settled", *faces)
    assert second_reading.state["dice"]["say"] == "The reader cannot tell: type how the dice lie."


def test_the_same_faces_in_another_order_are_the_same_roll() -> None:
    rig = at("rolls")
    read(rig, 1, 2, 3, 4, 5, 6)
    read(rig, 1, 2)
    disputes(rig, 2)
    disputes(rig, 3)
    read(rig, 2, 1)
    assert rig.state["dispute"]["say"] == "The dice show the same: the roll counts."
    assert rolls(rig)[0] == {"faces": [1, 2, 3, 4, 5, 6, 1, 2], "read": "read"}


def test_a_typed_roll_keeps_that_it_was_typed_when_it_is_corrected() -> None:
    rig = at()
    assert rig.say(1, "roll", {"faces": [4]})["ok"]
    assert rig.say(2, "dice", {"say": "accept"})["ok"]
    disputes(rig, 2)
    disputes(rig, 3)
    read(rig, 5)
    assert rolls(rig) == [{"faces": [5], "read": "read", "first": {"faces": [4], "read": "typed"}}]


def test_the_prompt_is_the_games_own_again_after_the_second_reading(second_reading: TableRig) -> None:
    rig = second_reading
    assert rig.hand(1)["want"] == "Do not roll: the dice are read again."
    assert not rig.hand(1)["undo"]
    read(rig, 5)
    assert (rig.hand(2)["want"], rig.state["want"]) == ("Go on?", "Seat 2 decides.")
    assert rig.act(2, "go")["ok"]
    assert rig.hand(1)["want"] == "Roll a die."


def test_nobody_takes_a_move_back_while_the_dice_are_read_again(second_reading: TableRig) -> None:
    answer = second_reading.say(2, "undo")
    assert (answer["code"], answer["error"]) == ("DICE", "The table decides whether the dice are read again.")


def test_what_is_taken_back_takes_the_outcome_of_the_vote_off_the_screen(disputed: TableRig) -> None:
    for seat in (1, 2):
        assert stands(disputed, seat)["ok"]
    assert disputed.act(2, "go")["ok"]
    assert stage(disputed) == "told", "the outcome can still be read"
    assert disputed.say(2, "undo")["ok"]
    assert stage(disputed) is None


def test_a_reader_is_not_heard_while_the_table_votes() -> None:
    rig = at("rolls")
    read(rig, 1, 1, 1, 1, 1, 1)
    read(rig, 1, 1)
    assert disputes(rig, 3)["ok"]
    assert rig.say(2, "roll", {"faces": [6]})["error"] == "No roll is needed now."
    assert rig.say(2, "dice", {"say": "hub"})["error"] == "No roll is needed now."


def test_a_disk_that_fails_while_a_roll_may_be_disputed_leaves_the_roll() -> None:
    rig = at()
    read(rig, 3)
    rig.store.broken = "The disk is full."
    assert not rig.act(2, "go")["ok"]
    rig.store.broken = ""
    rig.take(Tick())
    assert (stage(rig), caught(rig)) == (None, 3)
