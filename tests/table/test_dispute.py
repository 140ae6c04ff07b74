"""Sentences about a roll that stands and is doubted, for whatever game asked for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from hub import games
from hub.engine.decision import CHANCE, Action, Won, ask, ask_all, offer, pick, roll, shuffle, tell
from hub.engine.event import State
from hub.engine.game import Game, Rulebook
from hub.engine.match import Match
from hub.engine.secret import Pile, Secret
from hub.errors import NotOffered
from hub.ports import BoxDown, BoxLocked, BoxUp, DiceSeen, PhoneLink, Tick
from hub.table.chance import Chance
from hub.table.dispute import ASK_SECONDS, READ_SECONDS, TOLD_SECONDS, VOTE_SECONDS
from hub.table.roll_states import ACCEPT_SECONDS, SILENT_SECONDS
from tests.table.fakes import Room
from tests.table.test_table import WORDS


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
        return Fishing(setup, {seat: Angler() for seat in setup.seats}, Lake(), 1, "lake")

    rulebook = SimpleNamespace(deal=deal, play=play, explain=lambda *_: None)
    return Game(name, name.title(), (2, 6), 1, "0" * 16, {}, [], WORDS, {}, cast(Rulebook, rulebook))


GAMES = {
    one.name: one
    for one in (game("turns", turns), game("rolls", two_rolls), game("hooks", hooks), game("drawing", drawing))
}


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "find", GAMES.__getitem__)


def at(name: str = "turns", seats: int = 3, **kind: Any) -> Room:
    """A table at which seat 1 is asked for its dice."""
    room = Room(seats, offered=[GAMES[name]], **kind)
    if room.ports.boxes:
        room.boxes_up()
    room.sit()
    room.start(name)
    return room


def wait(room: Room, seconds: float) -> None:
    room.clock.time += seconds
    room.take(Tick())


def read(room: Room, *faces: int) -> None:
    """Dice are read and stand."""
    room.see("settled", *faces)
    wait(room, ACCEPT_SECONDS)


def again(room: Room, seat: int) -> dict[str, Any]:
    return room.say(seat, "dice", {"say": "reread"})


def stands(room: Room, seat: int) -> dict[str, Any]:
    return room.say(seat, "dice", {"say": "stands"})


def stage(room: Room) -> str | None:
    dispute = room.state["dispute"]
    return dispute["stage"] if dispute else None


def caught(room: Room) -> int:
    return int(room.state["view"]["seats"]["1"]["caught"])


def rolls(room: Room) -> list[dict[str, Any]]:
    """The rolls in the record."""
    return [entry.args for entry in room.match.log if entry.move == "roll"]


def restarted(room: Room, name: str = "turns") -> Room:
    """The hub comes back after a power cut, with whoever was there."""
    back = Room(room.seats, offered=[GAMES[name]], store=room.store)
    back.sids = room.sids
    back.boxes_up("b2")
    back.take(*(PhoneLink(sid, True) for sid in room.sids.values()))
    return back


@pytest.fixture
def doubted() -> Room:
    """Three seats; seat 1 has rolled a three, and seat 3 asks for it to be read again."""
    room = at()
    read(room, 3)
    assert again(room, 3)["ok"]
    return room


@pytest.fixture
def rereading(doubted: Room) -> Room:
    """And seat 1 agrees."""
    assert again(doubted, 1)["ok"]
    return doubted


# --- who asks, and when ------------------------------------------------------------------------------------


def test_a_roll_that_nobody_doubts_stands_after_five_seconds_and_the_game_never_waited() -> None:
    room = at()
    read(room, 3)
    dispute = room.state["dispute"]
    assert (dispute["stage"], dispute["seat"], dispute["faces"], dispute["read"]) == ("open", 1, [3], "read")
    assert room.hand(2)["moves"]
    wait(room, ASK_SECONDS)
    assert stage(room) is None
    assert again(room, 3)["code"] == "DICE"
    assert caught(room) == 3


def test_a_free_bar_asks_and_a_bar_that_answers_the_next_question_answers_it() -> None:
    room = at()
    read(room, 3)
    assert room.boxes.texts["box-3"] == "Dice read wrong? Bar: read again"
    room.press(3, "bar")
    assert (stage(room), room.state["dispute"]["yes"]) == ("vote", [3])
    room = at()
    read(room, 3)
    room.press(2, "bar", "push")  # the bar picks its no, and the push sends it
    assert stage(room) is None
    assert room.state["dice"] is not None, "seat 2 rests, and seat 1 rolls again"


def test_once_somebody_has_answered_it_is_too_late() -> None:
    room = at()
    read(room, 3)
    assert room.act(2, "go")["ok"]
    assert stage(room) is None
    assert again(room, 3)["code"] == "DICE"


def test_once_somebody_has_locked_a_box_it_is_too_late() -> None:
    room = at("hooks")
    read(room, 3)
    assert stage(room) == "open"
    room.take(BoxLocked("box-2", room.boxes.rounds["box-2"].round))
    assert stage(room) is None


def test_once_the_next_dice_are_in_the_air_it_is_too_late() -> None:
    room = at("rolls")
    read(room, 1, 1, 1, 1, 1, 1)
    read(room, 1, 1)
    assert stage(room) == "open"
    room.see("armed")
    assert stage(room) == "open"
    room.see("rolling")
    assert stage(room) is None


def test_a_roll_that_showed_a_card_is_not_read_again() -> None:
    room = at("drawing")
    read(room, 4)
    assert stage(room) is None
    assert again(room, 2)["code"] == "DICE"


def test_a_roll_by_the_hub_is_not_doubted() -> None:
    room = at()
    for seat in (1, 2, 3):
        assert room.say(seat, "dice", {"say": "hub"})["ok"]
    assert room.state["dice"] is None
    assert stage(room) is None


def test_who_does_not_play_has_no_say() -> None:
    room = Room(3, offered=[GAMES["turns"]])
    room.boxes_up()
    room.sit(1, 2)
    room.start("turns")
    room.sit(3)
    read(room, 3)
    room.press(3, "bar")
    assert again(room, 3)["error"] == "Only who plays this match has a say in its dice."
    assert stage(room) == "open"


# --- the vote ----------------------------------------------------------------------------------------------


def test_while_the_table_votes_nobody_plays_on(doubted: Room) -> None:
    assert doubted.state["dispute"] | {"stage": "vote", "yes": [3], "no": [], "needs": 2} == doubted.state["dispute"]
    assert doubted.hand(2)["moves"] == []
    assert doubted.act(2, "go")["error"] == "The table decides whether the dice are read again."
    assert not doubted.say(3, "undo")["ok"]
    assert {doubted.boxes.texts[f"box-{seat}"] for seat in (1, 2)} == {"Read dice again? Push yes, bar no"}


def test_the_rings_call_those_who_have_not_voted(doubted: Room) -> None:
    assert [doubted.lamps.shown[-1][seat].pattern for seat in (1, 2, 3)] == ["claim", "claim", "locked"]


def test_voted_down_the_roll_stands_and_the_game_goes_on(doubted: Room) -> None:
    doubted.press(1, "bar")
    assert stage(doubted) == "vote"
    assert stands(doubted, 2)["ok"]
    assert (stage(doubted), doubted.state["dispute"]["say"]) == ("told", "Not read again: the roll stands.")
    assert doubted.act(2, "go")["ok"]
    assert caught(doubted) == 3
    wait(doubted, TOLD_SECONDS)
    assert stage(doubted) is None


def test_a_vote_that_nobody_finishes_ends_in_favour_of_the_roll(doubted: Room) -> None:
    wait(doubted, VOTE_SECONDS)
    assert stage(doubted) == "told"
    assert doubted.hand(2)["moves"]
    assert doubted.dice.reread == []


def test_at_a_table_of_two_both_must_want_it() -> None:
    room = at(seats=2)
    read(room, 3)
    assert again(room, 2)["ok"]
    assert stage(room) == "vote"
    assert again(room, 1)["ok"]
    assert stage(room) == "reading"


def test_who_has_changed_its_mind_has_one_vote(doubted: Room) -> None:
    doubted.press(3, "bar")
    assert stage(doubted) == "vote"
    doubted.press(1, "push")
    assert (doubted.state["dispute"]["yes"], doubted.state["dispute"]["no"]) == ([1], [3])


def test_a_sleeping_phone_has_its_vote_and_a_box_that_is_pulled_has_none() -> None:
    room = Room(3, offered=[GAMES["turns"]])
    room.boxes_up()
    room.press(2, "push")
    room.press(3, "push")
    room.sit(1)
    room.start("turns")
    read(room, 3)
    room.press(3, "bar")
    room.take(BoxDown("box-1", "unplugged"), PhoneLink(room.sids[1], False))
    assert (stage(room), room.state["dispute"]["needs"]) == ("vote", 2)
    assert stands(room, 1)["ok"]
    assert stage(room) == "vote"
    room.take(BoxDown("box-2", "unplugged"))
    assert stage(room) == "told", "one against one is no majority"


def test_a_box_that_comes_back_during_the_vote_may_vote(doubted: Room) -> None:
    doubted.take(BoxDown("box-2", "unplugged"), BoxUp("box-2", "b2", "1", 8))
    doubted.press(2, "push")
    assert stage(doubted) == "reading"


def test_a_sealed_choice_goes_on_where_it_was_when_the_roll_stands() -> None:
    room = at("hooks")
    read(room, 3)
    assert set(room.boxes.rounds) == {"box-1", "box-2", "box-3"}
    assert again(room, 3)["ok"]
    assert room.boxes.rounds == {}, "the boxes have their keys back for the vote"
    room.press(1, "bar")
    room.press(2, "bar")
    assert set(room.boxes.rounds) == {"box-1", "box-2", "box-3"}
    for seat in (1, 2, 3):
        assert room.act(seat, "hook")["ok"]
    assert room.state["view"]["waiting"]["seats"] == ["1"]


def test_the_next_roll_is_asked_for_again_when_the_roll_stands() -> None:
    room = at("rolls")
    read(room, 1, 1, 1, 1, 1, 1)
    read(room, 1, 1)
    assert again(room, 3)["ok"]
    assert (room.dice.on, room.state["dice"]) == (False, None)
    room.see("settled", 6)
    assert stands(room, 1)["ok"]
    assert stands(room, 2)["ok"]
    assert (room.dice.on, room.state["dice"]["seat"], room.dice.armed[-1]) == (True, 2, (2, 1, 6))


# --- the second reading ------------------------------------------------------------------------------------


def test_other_faces_correct_the_roll_and_the_log_keeps_both(rereading: Room) -> None:
    room = rereading
    assert room.dice.reread == [room.dice.numbers[-1]]
    dice = room.state["dice"]
    assert (dice["again"], dice["say"], dice["count"]) == (True, "The dice are read again as they lie.", 1)
    assert room.state["want"] == room.hand(1)["want"] == "Do not roll: the dice are read again."
    assert room.lamps.shown[-1][1].pattern == "dice_trouble", "no comet: nobody rolls"
    assert not room.act(2, "go")["ok"]
    read(room, 5)
    assert caught(room) == 5
    assert rolls(room) == [{"faces": [5], "read": "read", "first": {"faces": [3], "read": "read"}}]
    texts = [event["text"] for event in room.state["events"]]
    assert texts == ["The dice were read again: 5, not 3.", "Seat 1 rolls 5."]
    assert room.state["events"][-1]["data"] | {"read": "read", "again": True} == room.state["events"][-1]["data"]
    assert stage(room) is None, "what was read twice stands"
    assert room.act(2, "go")["ok"]


def test_the_same_faces_change_nothing(rereading: Room) -> None:
    room = rereading
    read(room, 3)
    assert room.state["dispute"]["say"] == "The dice show the same: the roll stands."
    assert (caught(room), rolls(room)) == (3, [{"faces": [3], "read": "read"}])
    assert room.act(2, "go")["ok"]


def test_what_the_reader_cannot_tell_is_typed_and_vouched_for(rereading: Room) -> None:
    room = rereading
    room.see("cocked")
    assert (
        room.state["dice"] | {"state": "no_reader", "say": "The reader cannot tell: type how the dice lie."}
        == room.state["dice"]
    )
    room.see("settled", 6)
    assert room.say(1, "roll", {"faces": [5]})["ok"]
    assert caught(room) == 0, "a second seat has yet to say yes"
    room.press(2, "push")
    assert rolls(room)[0] == {"faces": [5], "read": "typed", "first": {"faces": [3], "read": "read"}}


def test_a_reader_that_sees_nothing_lets_the_table_type(rereading: Room) -> None:
    rereading.see("armed")
    wait(rereading, SILENT_SECONDS)
    assert rereading.state["dice"]["state"] == "no_reader"


def test_nobody_throws_during_a_second_reading(rereading: Room) -> None:
    room = rereading
    for seat in (1, 2, 3):
        assert room.say(seat, "dice", {"say": "hub"})["code"] == "DICE"
    room.press(1, "bar")
    assert room.state["dice"]["votes"] == []


def test_dice_that_nobody_reads_again_stand_as_they_were(rereading: Room) -> None:
    wait(rereading, READ_SECONDS)
    assert rereading.state["dispute"]["say"] == "Not read again in time: the roll stands."
    assert caught(rereading) == 3
    assert rereading.act(2, "go")["ok"]
    assert len(rereading.match.log) == 2


def test_of_a_roll_in_batches_only_what_still_lies_there_is_read_again() -> None:
    room = at("rolls")
    read(room, 1, 2, 3, 4, 5, 6)
    read(room, 1, 1)
    again(room, 2)
    again(room, 3)
    assert (room.state["dice"]["done"], room.dice.armed[-1]) == (
        [{"faces": [1, 2, 3, 4, 5, 6], "read": "read"}],
        (1, 2, 6),
    )
    read(room, 2, 1)
    assert rolls(room)[0]["faces"] == [1, 2, 3, 4, 5, 6, 2, 1]
    assert rolls(room)[0]["first"]["faces"] == [1, 2, 3, 4, 5, 6, 1, 1]
    assert caught(room) == 24


def test_the_roll_that_ended_the_match_can_be_read_again() -> None:
    room = at("rolls")
    read(room, 1, 1, 1, 1, 1, 1)
    read(room, 1, 1)
    read(room, 6)
    assert (room.state["state"], stage(room)) == ("over", "open")
    room.press(3, "bar")
    assert room.say(1, "again")["error"] == "The table decides whether the dice are read again."
    room.press(2, "push")
    assert (room.state["state"], room.state["dice"]["seat"]) == ("playing", 2)
    read(room, 5)
    assert room.state["over"]["scores"] == {"1": 8, "2": 5, "3": 0}
    assert (room.store.running("1"), len(room.match.log)) == (None, 2)


def test_after_the_last_roll_the_boxes_fall_silent_when_it_is_too_late() -> None:
    room = at("rolls")
    read(room, 1, 1, 1, 1, 1, 1)
    read(room, 1, 1)
    read(room, 6)
    assert set(room.boxes.texts.values()) == {"Dice read wrong? Bar: read again"}
    wait(room, ASK_SECONDS)
    assert set(room.boxes.texts.values()) == {""}
    assert room.say(1, "again")["ok"]


def test_what_chance_drew_after_the_roll_it_draws_again() -> None:
    room = at("drawing")
    read(room, 3)
    pile, (bank, _) = room.match.state.table.pile, room.match.state.table.shown
    again(room, 2)
    again(room, 3)
    read(room, 5)
    assert room.match.state.table.pile == pile
    assert room.match.state.table.shown == [bank, "5"], "a second reading tries no luck twice"


# --- undo, and the record ----------------------------------------------------------------------------------


def test_a_corrected_roll_cannot_be_taken_back_and_what_follows_can(rereading: Room) -> None:
    room = rereading
    read(room, 5)
    assert not room.hand(1)["undo"]
    assert room.act(2, "rest")["ok"]
    assert room.say(2, "undo")["ok"]
    assert caught(room) == 5
    assert rolls(room)[0]["first"] == {"faces": [3], "read": "read"}
    assert stage(room) is None


def test_a_power_cut_before_the_vote_is_decided_leaves_the_roll(doubted: Room) -> None:
    back = restarted(doubted)
    assert (stage(back), caught(back)) == (None, 3)
    assert back.act(2, "go")["ok"]


def test_a_power_cut_while_a_roll_may_be_doubted_leaves_the_roll() -> None:
    room = at()
    read(room, 3)
    back = restarted(room)
    assert (stage(back), caught(back)) == (None, 3)
    assert again(back, 3)["code"] == "DICE"


def test_a_power_cut_after_the_table_decided_goes_on_reading(rereading: Room) -> None:
    back = restarted(rereading)
    assert (stage(back), back.state["dice"]["again"]) == ("reading", True)
    read(back, 5)
    assert (caught(back), rolls(back)[0]["first"]["faces"]) == (5, [3])
    twice = restarted(back)
    assert (stage(twice), caught(twice)) == (None, 5)


def test_a_power_cut_while_the_last_roll_is_read_again_ends_no_match() -> None:
    room = at("rolls")
    read(room, 1, 1, 1, 1, 1, 1)
    read(room, 1, 1)
    read(room, 6)
    again(room, 1)
    again(room, 2)
    back = restarted(room, "rolls")
    assert (stage(back), back.state["state"]) == ("reading", "playing")
    wait(back, READ_SECONDS)
    assert (back.state["state"], back.state["over"]["scores"]["2"]) == ("over", 6)
    assert restarted(back, "rolls").state["state"] == "lobby"


def test_a_disk_that_does_not_take_the_correction_has_it_read_again(rereading: Room) -> None:
    room = rereading
    room.see("settled", 5)
    room.store.broken = "The disk is full."
    wait(room, ACCEPT_SECONDS)
    assert room.state["state"] == "stopped"
    assert rolls(room) == [{"faces": [3], "read": "read"}]
    room.store.broken = ""
    room.take(Tick())
    assert (stage(room), room.state["dice"]["again"]) == ("reading", True)
    read(room, 5)
    assert caught(room) == 5


def test_a_disk_that_does_not_take_the_vote_leaves_the_roll(doubted: Room) -> None:
    doubted.store.broken = "The disk is full."
    assert not again(doubted, 1)["ok"]
    doubted.store.broken = ""
    doubted.take(Tick())
    assert (stage(doubted), caught(doubted)) == (None, 3)
    assert doubted.act(2, "go")["ok"]
    assert caught(restarted(doubted)) == 3


def test_a_late_word_of_the_first_throw_is_no_second_reading(rereading: Room) -> None:
    rereading.take(DiceSeen("tray", rereading.dice.numbers[0], "settled", (6,)))
    wait(rereading, ACCEPT_SECONDS)
    assert stage(rereading) == "reading"


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
    again = Match.replay(match.game, match.head, match.log)
    assert again.fingerprint() == match.fingerprint()
    assert msgspec.json.encode(again.events) == msgspec.json.encode(match.events)


@pytest.mark.parametrize("seed", range(6))
def test_whoever_doubts_whenever_the_record_is_what_is_shown_and_the_match_comes_to_its_end(seed: int) -> None:
    random = Random(seed)
    room = at()
    for _ in range(1500):
        if room.state["over"] and stage(room) is None:
            break
        seat, dice = random.randint(1, 3), room.state["dice"]
        match random.randrange(10):
            case 0 | 1:
                again(room, seat)
            case 2:
                stands(room, seat)
            case 3:
                room.press(seat, random.choice(("bar", "push", "k1")))
            case 4:
                room.act(seat, random.choice(("go", "rest")))
            case 5 if random.random() < 0.2:
                room = restarted(room)
            case 6 if random.random() < 0.3:
                room.store.broken = "The disk is full."
            case 7 if dice:
                room.see(random.choice(("settled", "cocked", "rolling", "wrong_count")), random.randint(1, 6))
            case 8 if dice:
                room.say(1, "roll", {"faces": [random.randint(1, 6)]})
                room.say(2, "dice", {"say": "accept"})
        wait(room, random.choice((0.0, 0.5, 1.0, 6.0)))
        room.store.broken = ""
        room.take(Tick())
        if room.state["state"] == "lobby":
            break  # the power went after the end
        if stage(room) != "reading":
            assert room.match.view(None) == room.state["view"]
        assert room.state["state"] != "stopped"
    else:
        raise AssertionError("the match does not end")
    assert room.store.running("1") is None
