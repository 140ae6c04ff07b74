"""The match of a table without the table: what is refused, taken back and read again, and what a failing disk leaves."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from hub.chance import Chance
from hub.engine.decision import CHANCE, Action
from hub.errors import IllegalAction, LogError, NotAsked, StartRefused
from hub.table.base.kept import KeptValues
from hub.table.match.play import Play
from tests.table.fakes import MemoryStore
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_table import BROKEN, SHORT, SIX


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def opened(store: MemoryStore) -> Play:
    """The match of a table that has just started."""
    kept = KeptValues("1", store)
    play = Play([SHORT, BROKEN, SIX, *FISHING.values()], kept, Chance(1), 6)
    play.log.restore_epoch()
    play.resume()
    kept.open()
    play.log.next_epoch()
    return play


@pytest.fixture
def play(store: MemoryStore) -> Play:
    return opened(store)


def act(play: Play, seat: int, move: str, **args: Any) -> None:
    play.act(Action(seat=seat, move=move, args=args))


def roll(play: Play, *faces: int) -> None:
    act(play, CHANCE, "roll", faces=list(faces))


def asked(play: Play) -> list[int]:
    """The seats that are asked now."""
    return list(play.decision.asked) if play.decision else []


def moves(play: Play) -> list[str]:
    assert play.match
    return [entry.move for entry in play.match.log]


def stop(play: Play, store: MemoryStore, reason: str = "The disk is full.") -> None:
    """An action meets a disk that fails."""
    store.broken = reason
    with pytest.raises(LogError) as failed:
        act(play, 1, "climb", by=1)
    play.stop(failed.value)


# --- a match begins and ends ---------------------------------------------------------------------------------


def test_in_the_lobby_nothing_is_asked_and_every_action_is_refused(play: Play) -> None:
    assert (play.decision, play.fault, play.seats, play.hand_blocks) == (None, None, [], 1)
    assert (play.labels.minutes, play.in_second_reading, play.may_undo(1)) == (0, False, False)
    refusal = play.refusal(Action(seat=1, move="climb"))
    assert refusal
    assert (refusal.sentence, refusal.code) == ("No match is under way.", "LOBBY")
    with pytest.raises(NotAsked, match="No match is under way"):
        act(play, 1, "climb")
    with pytest.raises(NotAsked, match="No match is under way"):
        play.undo(1)
    play.answer_chance()
    play.clear_finished()
    play.keep_first_reading()
    assert play.match is None


def test_a_match_that_is_under_way_asks_its_seats_and_says_which_actions_are_legal(play: Play) -> None:
    play.begin("short", [1, 3], {})
    assert play.decision
    assert list(play.decision.asked) == [1]
    assert (play.seats, play.labels.minutes) == ([1, 3], 1)
    assert play.refusal(Action(seat=1, move="climb", args={"by": 2})) is None
    assert isinstance(play.refusal(Action(seat=1, move="climb", args={"by": 9})), IllegalAction)
    assert isinstance(play.refusal(Action(seat=3, move="climb", args={"by": 2})), IllegalAction)
    assert moves(play) == [], "nothing was done"
    act(play, 1, "climb", by=2)
    assert (asked(play), play.seats, play.labels.minutes) == ([], [], 1)


@pytest.mark.parametrize(
    ("game", "state", "refusal"),
    [
        ("none", "lobby", "There is no game none at this table."),
        ("short", "lobby", ""),
        ("short", "playing", "A match is under way at this table."),
        ("short", "over", ""),
        ("short", "frozen", ""),
        ("short", "stopped", "The match is stopped: The disk is full."),
    ],
)
def test_a_match_begins_unless_one_is_under_way(
    play: Play, store: MemoryStore, game: str, state: str, refusal: str
) -> None:
    if state != "lobby":
        play.begin("broken" if state == "frozen" else "short", [1, 2], {})
    if state in ("over", "frozen"):
        act(play, 1, "climb", by=2)
        assert bool(play.fault) is (state == "frozen")
    if state == "stopped":
        stop(play, store)
    for begin in (play.check, play.begin):
        if refusal:
            with pytest.raises(StartRefused) as refused:
                begin(game, [1, 2], {})
            assert refused.value.sentence == refusal
        else:
            begin(game, [1, 2], {})
    if not refusal:
        assert play.seats == [1, 2]


def test_a_match_that_is_suspended_or_ended_leaves_the_lobby_and_one_that_cannot_be_stays(
    play: Play, store: MemoryStore
) -> None:
    for leave in (play.put_aside, play.end):
        play.begin("short", [1, 2], {})
        store.broken = "The disk is full."
        with pytest.raises(LogError):
            leave()
        assert play.seats == [1, 2]
        store.broken = ""
        leave()
        assert play.match is None
    play.take_up("m-1")
    assert play.log.match == "m-1"


@pytest.mark.parametrize(
    ("state", "refusal"),
    [
        ("lobby", ""),
        ("playing", "A match is under way at this table."),
        ("over", ""),
        ("frozen", "A match is under way at this table."),
        ("stopped", "The match is stopped: The disk is full."),
    ],
)
def test_a_suspended_match_is_resumed_unless_another_one_is_under_way(
    play: Play, store: MemoryStore, state: str, refusal: str
) -> None:
    play.begin("six", [1, 2], {})
    act(play, 1, "bid", number=4)
    play.put_aside()
    if state != "lobby":
        play.begin("broken" if state == "frozen" else "short", [1, 2], {})
    if state in ("over", "frozen"):
        act(play, 1, "climb", by=2)
    if state == "stopped":
        stop(play, store)
    if refusal:
        with pytest.raises(StartRefused) as refused:
            play.take_up("m-1")
        assert refused.value.sentence == refusal
    else:
        play.take_up("m-1")
        assert moves(play) == ["bid"]
        assert play.decision
        assert list(play.decision.answers) == [1]


def test_a_finished_match_is_cleared_away_with_its_hands_and_no_other(play: Play, store: MemoryStore) -> None:
    play.begin("short", [1, 2], {})
    play.clear_finished()
    assert play.seats == [1, 2], "it is under way"
    act(play, 1, "climb", by=2)
    play.stopped = "The disk is full."
    play.clear_finished()
    assert (play.match is None, "wipe" in store.order) == (False, False), "nothing can be wiped now"
    play.stopped = ""
    play.clear_finished()
    assert (play.match, store.entries["m-1"]) == (None, [])
    play.clear_finished()
    assert store.order.count("wipe") == 1


# --- taking back ---------------------------------------------------------------------------------------------


def may(play: Play) -> list[int]:
    return [seat for seat in (1, 2, 3) if play.may_undo(seat)]


def test_a_sealed_choice_may_be_taken_back_until_the_last_seat_has_chosen(play: Play) -> None:
    play.begin("hooks", [1, 2, 3], {})
    assert may(play) == []
    roll(play, 4)
    assert may(play) == [], "nobody takes back a roll"
    act(play, 1, "hook")
    assert may(play) == [1]
    act(play, 3, "line")
    assert may(play) == [3], "the last input alone"
    epoch = play.log.epoch
    play.undo(3)
    assert (may(play), play.log.epoch) == ([1], epoch + 1)
    act(play, 3, "hook")
    act(play, 2, "line")
    assert may(play) == [], "all choices are known"
    with pytest.raises(IllegalAction):
        play.undo(2)
    assert moves(play) == ["roll", "hook", "hook", "line"]
    act(play, 1, "go")
    assert may(play) == [1]


def test_an_undo_is_on_disk_before_it_is_seen(play: Play, store: MemoryStore) -> None:
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    act(play, 2, "go")
    assert may(play) == [2]
    store.broken = "The disk is full."
    with pytest.raises(LogError):
        play.undo(2)
    assert moves(play) == ["roll", "go"]
    store.broken = ""
    with pytest.raises(IllegalAction):
        play.undo(1)
    play.undo(2)
    assert moves(play) == ["roll"]
    assert len(store.entries["m-1"]) == 1
    assert may(play) == []
    act(play, 2, "rest")
    assert (may(play), moves(opened(store))) == ([2], ["roll", "rest"])


# --- a second reading ----------------------------------------------------------------------------------------


def reread(play: Play, faces: list[int], first: list[int]) -> None:
    play.correct(faces, "read", {"faces": first, "read": "typed"})


@pytest.mark.parametrize("restart", [False, True])
def test_a_second_reading_replaces_the_roll_and_what_came_after_it(store: MemoryStore, restart: bool) -> None:
    play = opened(store)
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    act(play, 2, "go")
    play.begin_second_reading(0, [])
    assert (play.in_second_reading, moves(play)) == (True, [])
    assert len(store.entries["m-1"]) == 2, "the disk keeps the first reading until there is another"
    if restart:
        play = opened(store)
        assert moves(play) == ["roll", "go"]
        kept = play.resume_second_reading()
        assert kept
        assert (kept.match, kept.number) == ("m-1", 0)
        assert (play.in_second_reading, moves(play)) == (True, [])
    reread(play, [2], [4])
    assert (play.in_second_reading, moves(play)) == (False, ["roll"])
    again = opened(store)
    assert again.match
    assert again.match.log[0].args == {"faces": [2], "read": "read", "first": {"faces": [4], "read": "typed"}}
    assert again.resume_second_reading() is None
    act(again, 2, "go")
    assert moves(again) == ["roll", "go"]


def test_a_roll_that_stands_is_kept_with_what_came_after_it(play: Play, store: MemoryStore) -> None:
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    act(play, 2, "go")
    play.begin_second_reading(0, [])
    play.keep_first_reading()
    assert (play.in_second_reading, moves(play)) == (False, ["roll", "go"])
    assert play.log.position == ("m-1", 2)
    roll(play, 1)
    assert moves(opened(store)) == ["roll", "go", "roll"]
    assert opened(store).resume_second_reading() is None


def test_a_roll_that_was_read_again_before_the_power_cut_is_not_read_a_third_time(
    play: Play, store: MemoryStore
) -> None:
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    play.begin_second_reading(0, [])
    kept = store.kept["1", "dispute"]
    reread(play, [2], [4])
    store.kept["1", "dispute"] = kept
    again = opened(store)
    assert again.resume_second_reading() is None
    assert (again.in_second_reading, moves(again), store.kept["1", "dispute"]) == (False, ["roll"], b"")


def test_without_a_stored_reading_or_a_match_nothing_is_read_again(play: Play) -> None:
    assert play.resume_second_reading() is None
    play.begin("turns", [1, 2], {})
    assert play.resume_second_reading() is None


def test_a_new_match_starts_without_the_second_reading_of_an_earlier_one(play: Play) -> None:
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    play.put_aside()
    play.begin("turns", [1, 2], {})
    roll(play, 4)
    play.begin_second_reading(0, [])
    play.put_aside()
    play.take_up("m-1")
    assert not play.in_second_reading


@pytest.mark.parametrize("faces", [4, 5])
def test_chance_answers_a_second_reading_as_it_answered_the_first_while_it_is_asked_the_same(
    play: Play, faces: int
) -> None:
    play.begin("drawing", [1, 2], {})
    roll(play, 5)
    assert play.match
    before = play.match.log
    play.begin_second_reading(1, [])
    reread(play, [faces], [5])
    assert play.match.log[0] == before[0]
    if faces == 5:
        assert [(entry.move, entry.args) for entry in play.match.log[2:]] == [
            (entry.move, entry.args) for entry in before[2:]
        ]
    else:
        assert moves(play) == ["shuffle", "roll"]


# --- a disk that fails ---------------------------------------------------------------------------------------


def test_a_match_stands_still_where_the_disk_has_it_and_goes_on_when_the_disk_is_back(
    play: Play, store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    play.begin("short", [1, 2], {})
    stop(play, store)
    assert (play.stopped, asked(play), moves(play), play.seats) == ("The disk is full.", [], [], [1, 2])
    refusal = play.refusal(Action(seat=1, move="climb", args={"by": 1}))
    assert refusal
    assert (refusal.sentence, refusal.code) == ("The match is stopped: The disk is full.", "RECORD")
    with pytest.raises(NotAsked):
        act(play, 1, "climb", by=1)
    with pytest.raises(NotAsked, match="The match is stopped"):
        play.undo(1)
    store.broken = ""
    play.retry()
    assert (play.stopped, asked(play)) == ("", [1])
    act(play, 1, "climb", by=1)
    assert moves(opened(store)) == ["climb"]


def test_the_journal_has_each_failure_of_the_disk_once(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    for reason in ("It is full.", "It is full.", "It is gone.", "It is full."):
        play.stop(LogError(reason))
        assert (play.stopped, play.match) == (reason, None)
    assert [record.getMessage() for record in caplog.records] == [
        "table 1: It is full.", "table 1: It is gone.", "table 1: It is full.",
    ]  # fmt: skip


def test_rules_that_fail_freeze_the_match_and_the_journal_says_at_which_table(
    play: Play, store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    play.begin("broken", [1, 2], {})
    act(play, 1, "climb", by=2)
    assert play.fault
    (told,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert told.getMessage().startswith(f"table 1: {play.fault} It came from ")
    assert "KeyError" in told.getMessage()
    assert told.exc_info is None, "the text of an error may name a card of a hand"
    assert moves(play) == ["climb"], "the action that broke it can be taken back"
    play.undo(1)
    assert moves(play) == []
    assert not opened(store).fault
