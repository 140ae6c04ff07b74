"""What the disk has of a table, and what a restart finds there."""

from __future__ import annotations

from typing import Any

import pytest

from hub.engine.decision import Action
from hub.engine.match import Match
from hub.errors import LogError, StartRefused
from hub.ports import LogEntry
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import MatchLog
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
