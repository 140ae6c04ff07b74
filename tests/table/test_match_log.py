"""What the disk has of a table, and what a restart finds there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from hub.engine.decision import Action
from hub.engine.match import Match
from hub.errors import LogError, StartRefused
from hub.ports import LEFT, LogEntry, Missing
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import MatchLog
from hub.table.match.stand_ins import MOST, StandIns
from tests.table.fakes import MemoryStore
from tests.table.test_table import SHORT

GAMES = {SHORT.name: SHORT}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def record(store: MemoryStore) -> MatchLog:
    return opened(store)


def opened(store: MemoryStore) -> MatchLog:
    """The log of a table that has just started."""
    kept = KeptValues("1", store)
    record = MatchLog(kept)
    record.restore_epoch()
    kept.open()
    record.next_epoch()
    return record


def begun(record: MatchLog) -> Match:
    match = Match(SHORT, [1, 2], {})
    record.begin(match)
    return match


def climb(match: Match) -> None:
    assert match.open is not None
    match.act(Action(seat=1, move="climb", args={"by": 2}, number=match.open.number))


def logged(store: MemoryStore, record: MatchLog) -> list[bytes]:
    return [entry.line for entry in store.load(str(record.match))[1]]


def test_a_restart_finds_the_match_as_far_as_it_was_written(store: MemoryStore, record: MatchLog) -> None:
    match = begun(record)
    assert (record.match, record.serial) == ("m-1", 1)
    again = opened(store)
    found = again.resume(GAMES)
    assert found is not None
    assert (found.log, found.state) == (match.log, match.state)
    assert again.epoch == record.epoch + 1, "what the phones were shown before may be wrong now"


def test_only_what_is_new_is_written_and_a_match_that_is_over_shows_its_end_again(
    store: MemoryStore, record: MatchLog
) -> None:
    match = begun(record)
    climb(match)
    record.write(match)
    record.write(match)
    assert len(logged(store, record)) == 1
    assert match.over
    again = opened(store).resume(GAMES)
    assert again
    assert again.over == match.over


def test_what_could_not_be_written_was_not(
    store: MemoryStore, record: MatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = begun(record)
    climb(match)

    def full(*_: Any) -> None:
        raise LogError("The disk is full.")

    monkeypatch.setattr(store, "append", full)
    with pytest.raises(LogError):
        record.write(match)
    assert record.as_written(match).log == []
    monkeypatch.undo()
    record.write(match)
    assert record.as_written(match) is match


def test_a_match_of_a_game_that_is_no_more_is_set_aside_and_kept(store: MemoryStore, record: MatchLog) -> None:
    begun(record)
    for _ in range(2):
        with pytest.raises(StartRefused, match="Its log is saved"):
            opened(store).resume({})
    assert store.load("m-1")[0], "nothing is deleted"


@pytest.mark.parametrize("line", [b'{"unknown":' + b"[" * 100_000, b"[" * 100_000, b"\xff", b"null"])
def test_a_match_whose_log_cannot_be_read_is_set_aside(store: MemoryStore, record: MatchLog, line: bytes) -> None:
    begun(record)
    store.append("m-1", [LogEntry(0, line)])
    with pytest.raises(StartRefused, match="cannot be read"):
        opened(store).resume(GAMES)


def test_a_roll_that_is_read_again_is_known_after_a_power_cut_and_forgotten_once_it_was(
    store: MemoryStore, record: MatchLog
) -> None:
    begun(record)
    epoch = record.epoch
    record.store_reading(3, [])
    assert record.epoch == epoch + 1
    kept = opened(store).stored_reading
    assert kept is not None
    assert (kept.match, kept.number) == ("m-1", 3)
    record.forget_reading()
    assert opened(store).stored_reading is None


# --- what the log says of itself ---------------------------------------------------------------------------


def test_the_position_tells_every_write_apart(store: MemoryStore, record: MatchLog) -> None:
    assert (record.serial, record.position) == (0, (None, 0))
    match = begun(record)
    assert (record.serial, record.position) == (1, ("m-1", 0))
    climb(match)
    assert record.position == ("m-1", 0), "nothing is written yet"
    record.write(match)
    assert record.position == ("m-1", 1)
    record.cut(0)
    assert record.position == ("m-1", 0)
    begun(record)
    assert (record.serial, record.position) == (2, ("m-2", 0))


def test_every_change_that_makes_old_requests_wrong_raises_the_epoch_on_disk_first(
    store: MemoryStore, record: MatchLog
) -> None:
    assert record.epoch == 1
    match = begun(record)
    climb(match)
    record.write(match)
    assert record.epoch == 2, "an action makes nothing older wrong"
    changes: list[Callable[[], None]] = [
        lambda: record.cut(0), lambda: record.store_reading(0, []), record.put_aside,
    ]  # fmt: skip
    for change in changes:
        start, epoch = len(store.order), record.epoch
        change()
        assert record.epoch == epoch + 1
        assert store.order[start] == "keep epoch"
        assert store.kept["1", "epoch"] == str(record.epoch).encode()
    record.take_up("m-1", GAMES)
    record.end()
    record.wipe("m-1")
    assert record.epoch == 8
    assert opened(store).epoch == 9


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (None, ""),
        (Missing("m-1", 5, 4), "The disk has lost the last action. The table continues from the one before."),
        (Missing("m-1", 5, 3), "The disk has lost the last 2 actions. The table continues from the one before."),
        (Missing("m-1", 2, 0), "The disk has lost the last 2 actions. The table continues from the one before."),
        (Missing("m-2", 2, 0), "The disk has lost the last match, with 2 actions."),
        (Missing("m-2", 1, 0), "The disk has lost the last match, with 1 action."),
        (Missing("m-2", 5, 1), "The disk has lost the last 4 actions. The table continues from the one before."),
        (Missing("m-1", 4, 4), "The disk has lost the latest actions. The table continues from an earlier state."),
        (Missing("m-1", 4, 5), "The disk has lost the latest actions. The table continues from an earlier state."),
        (Missing("m-2", 2, 0, altered=True),
         "This match may continue from an earlier state, such as a backup: check that everything is as you left it."),
    ],
)  # fmt: skip
def test_what_the_disk_has_lost_is_said_until_it_is_settled(
    store: MemoryStore, record: MatchLog, missing: Missing | None, sentence: str
) -> None:
    begun(record)
    if missing:
        store.lost["1"] = missing
    assert record.describe_loss() == sentence
    record.settle()
    assert record.describe_loss() == ""


# --- what a restart finds ------------------------------------------------------------------------------------


def finished(record: MatchLog) -> Match:
    match = begun(record)
    climb(match)
    record.write(match)
    return match


def test_a_restart_finds_no_match_where_there_is_none_or_none_that_goes_on(
    store: MemoryStore, record: MatchLog
) -> None:
    assert opened(store).resume(GAMES) is None
    begun(record)
    record.put_aside()
    assert opened(store).resume(GAMES) is None, "it was suspended"
    begun(record)
    record.end()
    assert opened(store).resume(GAMES) is None, "it was ended early"
    finished(record)
    record.wipe("m-3")
    again = opened(store)
    assert again.resume(GAMES) is None, "it is shown no more"
    assert again.match is None


def test_a_finished_match_that_cannot_be_shown_again_is_in_nobodys_way(store: MemoryStore, record: MatchLog) -> None:
    finished(record)
    again = opened(store)
    assert again.resume({}) is None
    assert (again.match, store.aside) == (None, {})


def test_a_match_is_set_aside_once_for_each_reason_and_taken_back_when_it_goes_on(
    store: MemoryStore, record: MatchLog
) -> None:
    begun(record)
    for expected in (1, 0):
        start = len(store.order)
        with pytest.raises(StartRefused):
            opened(store).resume({})
        assert store.order[start:].count("set_aside") == expected
    assert store.aside == {"m-1": "This hub has no game short."}
    store.entries["m-1"] = [LogEntry(0, b"[")]
    with pytest.raises(StartRefused, match=r"Its log is saved\. Its log cannot be read"):
        opened(store).resume(GAMES)
    assert store.aside == {"m-1": "Its log cannot be read."}
    store.entries["m-1"] = []
    again = opened(store)
    assert again.resume(GAMES)
    assert (again.match, again.position, store.aside) == ("m-1", ("m-1", 0), {})
    start = len(store.order)
    opened(store).resume(GAMES)
    assert "set_aside" not in store.order[start:]


def test_a_roll_of_a_match_that_is_set_aside_is_not_read_again(store: MemoryStore, record: MatchLog) -> None:
    begun(record)
    record.store_reading(0, [])
    again = opened(store)
    with pytest.raises(StartRefused):
        again.resume({})
    assert again.stored_reading is None


def test_rules_that_raise_for_a_log_cost_its_match_alone(store: MemoryStore, record: MatchLog) -> None:
    match = finished(record)
    store.results.clear()
    assert match.log[0].args == {"by": 2}
    store.entries["m-1"] = [LogEntry(0, store.entries["m-1"][0].line.replace(b'{"by":2}', b'{"by":[]}'))]
    with pytest.raises(StartRefused, match="The last match cannot continue now"):
        opened(store).resume(GAMES)
    assert "m-1" in store.aside


def test_what_rules_say_when_they_raise_for_a_log_is_not_in_the_journal(
    store: MemoryStore, record: MatchLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun(record)

    def fail(*_: object) -> None:
        raise KeyError("pike")

    monkeypatch.setattr(Match, "replay", fail)
    with pytest.raises(StartRefused, match="The last match cannot continue now"):
        opened(store).resume(GAMES)
    assert "m-1" in store.aside
    assert "match m-1 cannot be played again: KeyError at test_match_log.py" in caplog.text
    assert "pike" not in caplog.text


# --- the end of a match --------------------------------------------------------------------------------------


def test_the_result_is_written_once_and_again_after_an_undo(store: MemoryStore, record: MatchLog) -> None:
    match = finished(record)
    record.write(match)
    assert store.order.count("end") == 1
    assert b'"winners":[1]' in store.results["m-1"]
    record.cut(0)
    assert store.results == {}
    record.write(match)
    assert store.order.count("end") == 2
    again = opened(store)
    found = again.resume(GAMES)
    assert found
    again.write(found)
    assert store.order.count("end") == 2, "a restart finds it written"


def test_a_result_that_could_not_be_written_is_written_with_the_next_write(
    store: MemoryStore, record: MatchLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise LogError("The disk is full.")

    match = begun(record)
    climb(match)
    with monkeypatch.context() as broken:
        broken.setattr(store, "end", full)
        with pytest.raises(LogError):
            record.write(match)
    assert (record.position, store.results) == (("m-1", 1), {})
    record.write(match)
    assert "m-1" in store.results
    assert store.order.count("append") == 1


def test_a_second_reading_replaces_what_came_after_the_first_and_its_result(
    store: MemoryStore, record: MatchLog
) -> None:
    finished(record)
    other = Match(SHORT, [1, 2], {})
    assert other.open
    other.act(Action(seat=1, move="rest", args={}, number=other.open.number))
    record.rewind(0)
    assert record.position == ("m-1", 0)
    record.write(other, instead=True)
    assert len(logged(store, record)) == 1
    assert b'"rest"' in logged(store, record)[0]
    assert store.order.count("end") == 2
    again = opened(store).resume(GAMES)
    assert again
    assert again.log == other.log


def test_before_the_first_match_there_is_nothing_to_write(store: MemoryStore, record: MatchLog) -> None:
    match = Match(SHORT, [1, 2], {})
    climb(match)
    start = len(store.order)
    record.write(match)
    assert store.order[start:] == []


# --- suspended matches ---------------------------------------------------------------------------------------


def test_a_match_that_is_suspended_or_ended_leaves_the_table(store: MemoryStore, record: MatchLog) -> None:
    finished(record)
    record.put_aside()
    assert (record.position, list(store.people_aside)) == ((None, 0), ["m-1"])
    finished(record)
    record.end()
    assert (record.position, store.results["m-2"]) == ((None, 0), LEFT)
    assert [(one.id, head.game) for one, head in record.all_put_aside()] == [("m-1", SHORT.name)]


@pytest.mark.parametrize("head", [b"[", b"\xff", b"[" * 100_000, b"null"])
def test_a_suspended_match_whose_head_cannot_be_read_hides_no_other(
    store: MemoryStore, record: MatchLog, head: bytes
) -> None:
    for _ in range(3):
        begun(record)
        record.put_aside()
    store.heads["m-2"] = "1", head
    assert [one.id for one, _ in record.all_put_aside()] == ["m-3", "m-1"]


def test_a_suspended_match_goes_on_where_it_was_and_ends_as_any_other(store: MemoryStore, record: MatchLog) -> None:
    match = finished(record)
    record.put_aside()
    begun(record)
    record.put_aside()
    found = record.take_up("m-1", GAMES)
    assert found.log == match.log
    assert (record.position, list(store.people_aside)) == (("m-1", 1), ["m-2"])
    ends = store.order.count("end")
    record.write(found)
    assert store.order.count("end") == ends + 1


@pytest.mark.parametrize(
    ("games", "line", "reason"),
    [
        ({}, b"", "This hub has no game short."),
        (GAMES, b"[", "This match cannot continue now. Its log is saved. Its log cannot be read."),
    ],
)
def test_a_suspended_match_that_cannot_go_on_stays_suspended(
    store: MemoryStore, record: MatchLog, games: dict[str, Any], line: bytes, reason: str
) -> None:
    begun(record)
    record.put_aside()
    store.entries["m-1"] = [LogEntry(0, line)] if line else []
    epoch = record.epoch
    with pytest.raises(StartRefused) as refused:
        record.take_up("m-1", games)
    assert refused.value.sentence == reason
    assert (record.match, record.epoch, list(store.people_aside)) == (None, epoch, ["m-1"])


# --- where the house stood in --------------------------------------------------------------------------------


def stand_ins(store: MemoryStore) -> StandIns:
    kept = KeptValues("1", store)
    found = StandIns(kept)
    found.restore()
    kept.open()
    return found


class Logged:
    """A match with so many entries, each before the event of this number."""

    def __init__(self, *events_before: int) -> None:
        self.log, self.events_before = [None] * len(events_before), list(events_before)


def where(found: StandIns, name: str | None, *events_before: int) -> dict[str, list[int]]:
    return found.by_event(name, cast("Match", Logged(*events_before)))


def test_the_seats_of_which_the_house_moved_are_told_by_event_also_after_a_restart(store: MemoryStore) -> None:
    found = stand_ins(store)
    assert where(found, "m-1", 0, 1) == {}
    for entry, seat in ((0, 2), (1, 3), (2, 2), (3, 1)):
        found.add("m-1", entry, seat)
    found.add("m-2", 0, 4)
    for one in (found, stand_ins(store)):
        assert where(one, "m-1", 5, 5, 5, 7) == {"5": [2, 3], "7": [1]}, "three locks of two seats count for the reveal"
        assert where(one, "m-2", 0) == {"0": [4]}
        assert where(one, "m-3", 0) == where(one, None, 0) == {}


def test_where_the_house_moved_is_forgotten_once_it_was_taken_back(store: MemoryStore) -> None:
    found = stand_ins(store)
    for entry in (0, 1, 2):
        found.add("m-1", entry, 2)
    assert where(found, "m-1", 0, 1) == {"0": [2], "1": [2]}
    assert where(found, "m-1", 0, 1, 2) == {"0": [2], "1": [2]}, "the new entry is of somebody else"
    found.add("m-1", 1, 3)
    assert where(found, "m-1", 0, 1, 2) == {"0": [2], "1": [3]}
    found.add("m-1", 0, 4)
    assert where(stand_ins(store), "m-1", 0, 1, 2) == {"0": [4]}


def test_sixteen_matches_are_known_and_the_one_that_was_played_longest_ago_gives_way(store: MemoryStore) -> None:
    found = stand_ins(store)
    for number in range(MOST):
        found.add(f"m-{number}", 0, 2)
    found.add("m-0", 1, 3)
    for one in (found, stand_ins(store)):
        assert [where(one, f"m-{number}", 0, 1) != {} for number in range(MOST)] == [True] * MOST
    found.add("m-16", 0, 2)
    for one in (found, stand_ins(store)):
        gone = [number for number in range(MOST + 1) if where(one, f"m-{number}", 0, 1) == {}]
        assert gone == [1]


def test_without_a_match_or_a_disk_the_table_plays_on(store: MemoryStore) -> None:
    found = stand_ins(store)
    start = len(store.order)
    found.add(None, 0, 2)
    assert store.order[start:] == []
    store.broken = "The disk is full."
    found.add("m-1", 0, 2)
    assert where(found, "m-1", 0) == {"0": [2]}
    assert where(stand_ins_unwritten(store), "m-1", 0) == {}


def stand_ins_unwritten(store: MemoryStore) -> StandIns:
    store.broken = ""
    return stand_ins(store)
