"""The database: what it promises, on a real file and in the fake that other tests use."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.errors import LogError
from hub.ports import LogEntry, LogStore
from hub.store import Store
from tests.table.fakes import MemoryStore

WRITER = """
import sys
from pathlib import Path
from hub.ports import LogEntry
from hub.store import Store
store = Store(Path(sys.argv[1]))
store.begin("m-1", "1", b"head")
number = 0
while True:
    store.append("m-1", [LogEntry(number, b"line %d" % number)])
    print(number, flush=True)
    number += 1
"""


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LogStore]:
    if request.param == "memory":
        yield MemoryStore()
        return
    real = Store(tmp_path / "hub.db")
    yield real
    real.close()


def lines(*numbers: int) -> list[LogEntry]:
    return [LogEntry(number, b"line %d" % number) for number in numbers]


class TestEveryRecord:
    def test_keeps_a_match_as_it_was_written(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0, 1))
        store.append("m-1", lines(2))
        assert store.load("m-1") == (b"head", lines(0, 1, 2))

    def test_knows_the_match_that_runs_at_each_table(self, store: LogStore) -> None:
        assert store.running("1") is None
        store.begin("m-1", "1", b"head")
        store.begin("m-2", "2", b"head")
        assert (store.running("1"), store.running("2"), store.running("3")) == ("m-1", "m-2", None)
        store.end("m-1", b"{}")
        assert (store.running("1"), store.running("2")) == (None, "m-2")
        assert store.count() == 2

    def test_keeps_an_ended_match(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0))
        store.end("m-1", b"{}")
        assert store.load("m-1") == (b"head", lines(0))

    def test_undo_cuts_the_end_off_and_the_log_goes_on_from_there(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0, 1, 2))
        store.cut("m-1", 1)
        assert store.load("m-1")[1] == lines(0)
        store.append("m-1", lines(1))
        assert store.load("m-1")[1] == lines(0, 1)

    def test_undo_of_the_last_action_lets_an_ended_match_run_again(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0))
        store.end("m-1", b"{}")
        store.cut("m-1", 0)
        assert store.running("1") == "m-1"

    def test_what_takes_the_place_of_the_end_comes_with_the_cut_or_not_at_all(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0, 1, 2))
        other = LogEntry(1, b"other")
        store.cut("m-1", 1, [other])
        assert store.load("m-1")[1] == [*lines(0), other]
        with pytest.raises(LogError):
            store.cut("m-1", 0, lines(0, 0))
        assert store.load("m-1")[1] == [*lines(0), other]

    def test_never_writes_one_number_twice_and_then_keeps_what_it_had(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0, 1))
        with pytest.raises(LogError):
            store.append("m-1", lines(2, 1))
        assert store.load("m-1")[1] == lines(0, 1)
        store.append("m-1", lines(2))
        assert store.load("m-1")[1] == lines(0, 1, 2)

    def test_never_begins_one_match_twice(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        with pytest.raises(LogError):
            store.begin("m-1", "2", b"other")
        assert store.load("m-1")[0] == b"head"

    def test_says_which_match_it_does_not_hold(self, store: LogStore) -> None:
        with pytest.raises(LogError, match="no match m-7"):
            store.load("m-7")
        with pytest.raises(LogError):
            store.append("m-7", lines(0))

    def test_a_log_with_a_gap_is_refused_not_guessed(self, store: LogStore) -> None:
        store.begin("m-1", "1", b"head")
        store.append("m-1", lines(0, 2))
        with pytest.raises(LogError, match="gap"):
            store.load("m-1")

    def test_remembers_a_tables_private_values(self, store: LogStore) -> None:
        assert store.recall("1", "code") is None
        store.keep("1", "code", b"FISH")
        store.keep("2", "code", b"BAIT")
        store.keep("1", "code", b"DUCK")
        assert (store.recall("1", "code"), store.recall("2", "code")) == (b"DUCK", b"BAIT")


def test_a_closed_database_says_so_to_whoever_comes_late(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("m-1", "1", b"head")
    store.close()
    store.close()
    with pytest.raises(LogError, match="closed database"):
        store.append("m-1", lines(0))
    with pytest.raises(LogError, match="closed database"):
        store.load("m-1")


def test_the_database_is_private_to_its_user(tmp_path: Path) -> None:
    store = Store(tmp_path / "state" / "hub.db")
    store.begin("m-1", "1", b"head")
    for file in (tmp_path / "state").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    store.close()


def test_the_database_is_there_after_the_program_has_ended(tmp_path: Path) -> None:
    first = Store(tmp_path / "hub.db")
    first.begin("m-1", "1", b"head")
    first.append("m-1", lines(0))
    first.close()
    second = Store(tmp_path / "hub.db")
    assert (second.running("1"), second.load("m-1")) == ("m-1", (b"head", lines(0)))
    second.close()


def test_what_a_killed_program_had_been_told_is_written_is_there(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        printed = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        printed += [int(line) for line in writer.stdout.read().split()]
        assert writer.wait(10) < 0
    store = Store(path)
    _, entries = store.load("m-1")
    assert len(printed) <= len(entries) <= len(printed) + 1
    assert entries == lines(*range(len(entries)))
    store.close()


@pytest.mark.parametrize("what", ["folder", "file in the way", "no database"])
def test_a_database_that_cannot_be_opened_is_one_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "hub.db"
    if what == "folder":
        path.mkdir()
    elif what == "file in the way":
        (tmp_path / "state").write_text("no folder")
        path = tmp_path / "state" / "hub.db"
    else:
        path.write_bytes(b"this is a letter to grandmother, not a database" * 50)
    with pytest.raises(LogError) as refused:
        Store(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not [fd for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink() and fd.readlink() == path]
    if what == "no database":
        assert path.read_bytes().startswith(b"this is a letter"), "nothing is deleted"


def test_a_database_that_another_program_holds_fails_and_then_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("m-1", "1", b"head")
    store._db.execute("PRAGMA busy_timeout=10")  # as if five seconds had passed
    other = sqlite3.connect(tmp_path / "hub.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match="locked"):
        store.append("m-1", lines(0))
    other.execute("ROLLBACK")
    other.close()
    store.append("m-1", lines(0))
    assert store.load("m-1")[1] == lines(0)
    store.close()


def test_a_full_disk_fails_and_the_record_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("m-1", "1", b"head")
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(LogError, match="full"):
        store.append("m-1", [LogEntry(0, b"x" * 100_000)])
    store._db.execute("PRAGMA max_page_count=1000000")
    store.append("m-1", lines(0))
    assert store.load("m-1")[1] == lines(0)
    store.close()
