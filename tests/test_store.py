"""The database: what it promises, on a real file and in the fake that other tests use."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Barrier, Thread, get_ident
from zlib import crc32

import msgspec
import pytest

from hub import games
from hub.app import Hub
from hub.authoring.players import random_match
from hub.config import Config, HubPart, WebPart
from hub.errors import ConfigError, DamagedLog, LogError, TemporaryError
from hub.ports import LEFT, LastMatch, LogEntry, LogStore, Missing
from hub.store import KeyedStore, Store, lock_state
from hub.store import schema as schema_module
from hub.store.marks import MARK_EVERY
from hub.store.rescue import rescue
from hub.store.schema import CHECKPOINT_PAGES
from tests.earlier import earlier_hub
from tests.phone_ui.rig import until
from tests.table.fakes import MemoryStore

pytestmark = pytest.mark.real_time

WRITER = """
import sys
from pathlib import Path
from hub.ports import LogEntry
from hub.store import Store
store = Store(Path(sys.argv[1]))
store.begin("1", b"head")
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
        store.begin("1", b"head")
        store.append("m-1", lines(0, 1))
        store.append("m-1", lines(2))
        assert store.load("m-1") == (b"head", lines(0, 1, 2))

    def test_knows_the_last_match_of_each_table_and_what_has_become_of_it(self, store: LogStore) -> None:
        assert store.last("1") is None
        assert (store.begin("1", b"head"), store.begin("2", b"head")) == ("m-1", "m-2")
        assert (store.last("1"), store.last("2"), store.last("3")) == (LastMatch("m-1"), LastMatch("m-2"), None)
        store.end("m-1", b"{}")
        assert (store.last("1"), store.last("2")) == (LastMatch("m-1", b"{}"), LastMatch("m-2"))

    def test_set_aside_is_a_state_that_passes(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.set_aside("m-1", "Other rules.")
        assert store.last("1") == LastMatch("m-1", None, "Other rules.")
        store.set_aside("m-1", None)
        assert store.last("1") == LastMatch("m-1")

    def test_keeps_an_ended_match(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.append("m-1", lines(0))
        store.end("m-1", b"{}")
        assert store.load("m-1") == (b"head", lines(0))

    def test_undo_cuts_the_end_off_and_the_log_goes_on_from_there(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.append("m-1", lines(0, 1, 2))
        store.cut("m-1", 1)
        assert store.load("m-1")[1] == lines(0)
        store.append("m-1", lines(1))
        assert store.load("m-1")[1] == lines(0, 1)

    def test_undo_of_the_last_action_lets_an_ended_match_run_again(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.append("m-1", lines(0))
        store.end("m-1", b"{}")
        store.cut("m-1", 0)
        assert store.last("1") == LastMatch("m-1")

    def test_what_takes_the_place_of_the_end_comes_with_the_cut_or_not_at_all(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.append("m-1", lines(0, 1, 2))
        other = LogEntry(1, b"other")
        store.cut("m-1", 1, [other])
        assert store.load("m-1")[1] == [*lines(0), other]
        with pytest.raises(LogError):
            store.cut("m-1", 0, lines(0, 0))
        assert store.load("m-1")[1] == [*lines(0), other]

    def test_never_writes_one_number_twice_and_then_keeps_what_it_had(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.append("m-1", lines(0, 1))
        with pytest.raises(LogError):
            store.append("m-1", lines(2, 1))
        assert store.load("m-1")[1] == lines(0, 1)
        store.append("m-1", lines(2))
        assert store.load("m-1")[1] == lines(0, 1, 2)

    def test_a_match_that_another_follows_was_left(self, store: LogStore) -> None:
        store.begin("1", b"head")
        store.begin("1", b"other")
        assert store.last("1") == LastMatch("m-2")
        assert (store.load("m-1")[0], store.load("m-2")[0]) == (b"head", b"other")

    def test_says_which_match_it_does_not_hold(self, store: LogStore) -> None:
        with pytest.raises(LogError, match="no match m-7"):
            store.load("m-7")
        with pytest.raises(LogError):
            store.append("m-7", lines(0))

    def test_a_log_with_a_gap_is_refused_not_guessed(self, store: LogStore) -> None:
        store.begin("1", b"head")
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
    store.begin("1", b"head")
    store.close()
    store.close()
    with pytest.raises(LogError, match="closed database"):
        store.append("m-1", lines(0))
    with pytest.raises(LogError, match="closed database"):
        store.load("m-1")


def test_the_database_is_private_to_its_user(tmp_path: Path) -> None:
    store = Store(tmp_path / "state" / "hub.db")
    store.begin("1", b"head")
    for file in (tmp_path / "state").rglob("*"):
        assert stat.S_IMODE(file.stat().st_mode) == (0o700 if file.is_dir() else 0o600), file.name
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    store.close()


def test_the_database_is_there_after_the_program_has_ended(tmp_path: Path) -> None:
    first = Store(tmp_path / "hub.db")
    first.begin("1", b"head")
    first.append("m-1", lines(0))
    first.close()
    second = Store(tmp_path / "hub.db")
    assert (second.last("1"), second.load("m-1")) == (LastMatch("m-1"), (b"head", lines(0)))
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


def test_a_folder_that_cannot_be_had_is_one_sentence_and_is_tried_again(tmp_path: Path) -> None:
    in_the_way = tmp_path / "state"
    in_the_way.write_text("no folder")
    store = Store(in_the_way / "hub.db")
    with pytest.raises(LogError) as refused:
        store.last("1")
    assert str(refused.value) == "The hub's database cannot be opened: File exists."
    in_the_way.unlink()
    assert store.begin("1", b"head") == "m-1"
    store.close()


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def aside(folder: Path) -> Path:
    """Return the one file, or folder, that was set aside."""
    (found,) = (path for path in folder.glob("hub.db.unreadable-*") if not path.name.endswith(("-wal", "-shm")))
    return found


@pytest.mark.parametrize("what", ["folder", "letter"])
def test_what_is_no_database_is_set_aside_whole_and_a_fresh_one_begun(tmp_path: Path, what: str) -> None:
    path, letter = tmp_path / "hub.db", b"this is a letter to grandmother, not a database" * 50
    if what == "folder":
        path.mkdir()
        (path / "letter").write_bytes(letter)
    else:
        path.write_bytes(letter)
    store = Store(path)
    found = aside(tmp_path)
    assert (found / "letter" if what == "folder" else found).read_bytes() == letter, "nothing is deleted"
    assert found.name in store.notice
    assert "table-hub doctor" in store.notice
    assert store.begin("1", b"head") == "m-1"
    store.close()
    again = Store(path)
    assert (again.notice, again.last("1")) == ("", LastMatch("m-1"))
    again.close()


def filled(path: Path) -> None:
    """Make a database of 30 matches that are over, one that runs at each of two tables, and their kept values."""
    store = Store(path)
    for number in range(30):
        match = store.begin("1", b"head")
        store.append(match, [LogEntry(n, b"%d/%d" % (number, n) * 20) for n in range(40)])
        store.end(match, b"{}")
    for table in ("1", "2"):
        store.keep(table, "code", b"FISH")
        store.append(store.begin(table, b"head of " + table.encode()), lines(*range(40)))
    store.close()


def test_of_a_damaged_database_goes_on_what_can_be_read(tmp_path: Path) -> None:
    filled(tmp_path / "whole" / "hub.db")
    whole = (tmp_path / "whole" / "hub.db").read_bytes()
    pages, size = len(whole) // 4096, 4096
    went_on = lost = 0
    for page in range(1, pages):
        folder = tmp_path / f"page-{page}"
        shutil.copytree(tmp_path / "whole", folder)
        bad = whole[: page * size] + b"\x55" * size + whole[(page + 1) * size :]
        (folder / "hub.db").write_bytes(bad)
        store = Store(folder / "hub.db")
        if store.notice:
            assert aside(folder).read_bytes() == bad
        for table, match in (("1", "m-31"), ("2", "m-32")):
            last = store.last(table)
            if last == LastMatch(match) and len(store.load(match)[1]) == 40:
                assert store.load(match) == (b"head of " + table.encode(), lines(*range(40)))
                went_on += 1
            else:
                missing = store.missing(table)
                assert missing, f"page {page}, table {table}: a loss is never silent"
                assert (missing.match, missing.had) == (match, 40)
                lost += 1
        store.close()
    assert went_on > 2 * lost > 0


def test_a_damaged_database_on_a_full_disk_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hub.db").write_bytes(b"rubbish" * 2000)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    store = Store(tmp_path / "hub.db")
    with pytest.raises(LogError, match="No space left"):
        store.last("1")
    monkeypatch.undo()
    assert store.begin("1", b"head") == "m-1"
    store.close()


def test_what_cannot_be_compared_with_its_mark_is_tried_again_on_a_connection_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        store.append(store.begin("1", b"head"), lines(0))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE entries RENAME TO elsewhere")
    with closing(Store(path)) as store:
        with pytest.raises(LogError, match="no such table: entries"):
            store.last("1")
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("ALTER TABLE elsewhere RENAME TO entries")
        assert store.last("1") == LastMatch("m-1")


@pytest.mark.parametrize(
    "kept",
    [
        '{"match":5,"cuts":0,"length":1,"hash":""}',
        "[]",
        '{"match":"m-1"}',
        '{"match":"m-1","cuts":0,"length":"1","hash":""}',
        '{"match":"m-1","cuts":0,"length":1,"hash":7}',
    ],
)
def test_a_mark_of_odd_values_is_no_mark(tmp_path: Path, kept: str) -> None:
    with closing(Store(tmp_path / "hub.db")) as store:
        store.append(store.begin("1", b"head"), lines(0))
    (tmp_path / "marks" / "1.mark").write_bytes(b"%08x %s" % (crc32(kept.encode()), kept.encode()))
    with closing(Store(tmp_path / "hub.db")) as store:
        assert store.last("1") == LastMatch("m-1")
        assert store.missing("1") is None
        assert store.begin("1", b"head") == "m-2"


def test_a_thread_waits_for_the_disk_only_while_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        store.begin("1", b"head")
        assert store.waiting_since(get_ident()) is None
        other.execute("BEGIN EXCLUSIVE")
        held = Thread(target=store.keep, args=("1", "code", b"FISH"))
        held.start()
        until(lambda: store.waiting_since(held.ident or 0) is not None, "it waits")
        other.execute("COMMIT")
        held.join(10)
        assert store.waiting_since(held.ident or 0) is None
        with pytest.raises(LogError):
            store.append("m-9", lines(0))
        assert store.waiting_since(get_ident()) is None, "also after a failure"


# --- the lock ----------------------------------------------------------------------------------------


def test_a_state_folder_has_one_hub_and_a_second_one_changes_nothing(tmp_path: Path) -> None:
    with lock_state(tmp_path / "state"):
        before = files(tmp_path)
        with pytest.raises(TemporaryError, match="another hub runs"), lock_state(tmp_path / "state"):
            raise AssertionError
        code = f"from pathlib import Path; from hub.store import lock_state\nwith lock_state(Path({str(tmp_path / 'state')!r})): pass"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 1
        assert files(tmp_path) == before
    with lock_state(tmp_path / "state"):
        pass


# --- earlier schemas -----------------------------------------------------------------------------------

V0 = """
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY, "table" TEXT NOT NULL, head BLOB NOT NULL, result BLOB,
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, ended TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS entries (
    "match" TEXT NOT NULL REFERENCES matches(id), number INTEGER NOT NULL, line BLOB NOT NULL,
    PRIMARY KEY ("match", number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (
    "table" TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY ("table", name)
) STRICT, WITHOUT ROWID;
"""
"""The schema before there was a `user_version`, word for word."""


def schema(path: Path) -> list[tuple[object, ...]]:
    """Return every column of every table of a database, and its version."""
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        columns = [(table, *column) for table in tables for column in db.execute(f"PRAGMA table_info({table})")]
        return [*columns, db.execute("PRAGMA user_version").fetchone()]


def version_0(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(V0)
        db.execute(
            "INSERT INTO matches VALUES ('m-1', '1', x'01', x'7b7d', '2026-11-21 20:00:00', '2026-11-21 21:00:00')"
        )
        db.execute(
            "INSERT INTO matches (id, \"table\", head, result) VALUES ('m-2', '1', x'02', ?)",
            (b'{"set_aside":"Rules 1."}',),
        )
        db.execute(
            "INSERT INTO matches (id, \"table\", head, result) VALUES ('m-3', '2', x'03', ?)", (b'{"left":true}',)
        )
        db.execute("INSERT INTO matches (id, \"table\", head) VALUES ('m-4', '2', x'04')")
        db.execute("INSERT INTO entries VALUES ('m-4', 0, x'05')")
        db.execute("INSERT INTO kept VALUES ('2', 'code', x'46495348')")


def test_a_database_of_the_first_form_is_brought_to_this_one(tmp_path: Path) -> None:
    version_0(tmp_path / "old.db")
    store = Store(tmp_path / "old.db")
    assert store.last("1") == LastMatch("m-2", None, "Rules 1."), "set aside is a state now"
    assert store.last("2") == LastMatch("m-4")
    assert store.load("m-4") == (b"\x04", [LogEntry(0, b"\x05")])
    assert store.recall("2", "code") == b"FISH"
    assert store.begin("2", b"head") == "m-5"
    store.close()
    Store(tmp_path / "new.db").close()
    assert schema(tmp_path / "old.db") == schema(tmp_path / "new.db")


@pytest.mark.parametrize("written", [b'{"set_aside":"Rules 1."}', b'{"set_aside": "Rules 1."}'])
def test_what_a_hub_of_the_first_form_sets_aside_comes_back_at_any_start(tmp_path: Path, written: bytes) -> None:
    """It may be started by mistake beside a hub of today, and writes this before it finds out."""
    with closing(Store(tmp_path / "hub.db")) as store:
        store.append(store.begin("1", b"head"), lines(0, 1))
        store.end(store.begin("2", b"head"), LEFT)
        with closing(sqlite3.connect(tmp_path / "hub.db", isolation_level=None)) as earlier:
            earlier.execute("UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP WHERE id = 'm-1'", (written,))
        store.append("m-1", lines(2))
    with closing(Store(tmp_path / "hub.db")) as store:
        assert store.last("1") == LastMatch("m-1", None, "Rules 1.")
        assert store.load("m-1")[1] == lines(0, 1, 2)
        assert store.last("2") == LastMatch("m-2", LEFT), "another result stays"


def test_a_match_that_people_put_aside_meanwhile_can_be_taken_up(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        for match in (store.begin("1", b"head"), store.begin("2", b"head")):
            store.append(match, lines(0))
        with closing(sqlite3.connect(path, isolation_level=None)) as earlier:
            earlier.execute("UPDATE matches SET result = ?", (b'{"set_aside":"Rules 1."}',))
        store.put_aside("m-1")
        store.take_up("m-1")
        assert store.last("1") == LastMatch("m-1")
        store.put_aside("m-2")
        with closing(sqlite3.connect(path, isolation_level=None)) as earlier:
            earlier.execute("UPDATE matches SET result = ? WHERE id = 'm-2'", (b'{"set_aside":"Rules 1."}',))
    with closing(Store(path)) as store:
        assert [one.id for one in store.all_put_aside("2")] == ["m-2"]
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT aside FROM matches WHERE id = 'm-2'").fetchone() == (schema_module.PUT_ASIDE,)


@pytest.mark.broker
def test_a_hub_of_the_first_form_beside_a_running_one_takes_no_match_away(tmp_path: Path) -> None:
    game = games.find("bid-and-bait")
    match = random_match(game, (1, 2, 3), {}, Random(1))
    state, root = tmp_path / "state", earlier_hub("82ee239", tmp_path / "earlier")
    with closing(Store(state / "table-hub.db")) as store:
        keyed = KeyedStore(store, state / "log.key")
        keyed.begin("1", msgspec.json.encode(match.head))
        keyed.append("m-1", [LogEntry(number, msgspec.json.encode(match.log[number])) for number in range(9)])
    config = Config(hub=HubPart(state=f"{state}"), web=WebPart(host="127.0.0.1", port=0))
    file = tmp_path / "hub.toml"
    file.write_text(f"[hub]\nstate = '{state}'\n[web]\nhost = '127.0.0.1'\nport = 0\n")
    with Hub(config) as hub:
        hub.start()
        command = [sys.executable, "-m", "hub", "run", "--config", str(file)]
        ended = subprocess.run(
            command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, check=False, timeout=60
        )
        assert ended.returncode == 78, "another hub runs"
    with closing(sqlite3.connect(state / "table-hub.db")) as db:
        (result,) = db.execute("SELECT result FROM matches").fetchone()
    assert result.startswith(b'{"set_aside"'), "which it has written all the same"
    with Hub(config) as hub:
        hub.start()
        assert hub.store.last("1") == LastMatch("m-1"), "it is not set aside any more: the table plays it"


def test_a_migration_that_is_cut_off_leaves_the_earlier_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version_0(tmp_path / "old.db")
    before = schema(tmp_path / "old.db")

    def half(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE matches ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0")
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("hub.store.schema._MIGRATIONS", (half,))
    store = Store(tmp_path / "old.db")
    with pytest.raises(LogError, match="I/O"):
        store.last("1")
    store.close()
    assert schema(tmp_path / "old.db") == before


def test_a_database_of_a_newer_hub_is_left_alone(tmp_path: Path) -> None:
    Store(tmp_path / "hub.db").close()
    with closing(sqlite3.connect(tmp_path / "hub.db")) as db:
        db.execute("PRAGMA user_version=99")
    before = (tmp_path / "hub.db").read_bytes()
    with pytest.raises(ConfigError, match=r"was written by a newer table-hub .form 99.* nothing was changed"):
        Store(tmp_path / "hub.db")
    assert (tmp_path / "hub.db").read_bytes() == before


# What the release before `put_aside` runs, word for word.
EARLIER_BEGIN = """UPDATE matches SET result = ?, ended = CURRENT_TIMESTAMP
    WHERE "table" = ? AND result IS NULL AND aside IS NULL"""
EARLIER_LAST = 'SELECT id, result, aside FROM matches WHERE "table" = ? ORDER BY rowid DESC LIMIT 1'


def test_after_a_way_back_the_release_before_plays_on_and_ends_no_match_that_was_put_aside(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        aside = store.begin("1", b"head")
        store.append(aside, lines(0, 1))
        store.put_aside(aside)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,), "the form that it reads and writes"
        assert db.execute(EARLIER_LAST, ("1",)).fetchone() == (aside, None, schema_module.PUT_ASIDE)
        db.execute(EARLIER_BEGIN, (LEFT, "1"))
        db.execute("INSERT INTO matches (id, \"table\", head) VALUES ('m-2', '1', x'02')")
    with closing(Store(path)) as store:
        assert store.last("1") == LastMatch("m-2")
        assert [one.id for one in store.all_put_aside("1")] == [aside], "it was not ended"
        store.take_up(aside)
        assert (store.last("1"), store.load(aside)[1]) == (LastMatch(aside), lines(0, 1))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,), "now the release before would play m-2"


def test_a_later_start_keeps_a_database_with_a_resumed_match_from_earlier_hubs(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        store.put_aside(store.begin("1", b"head"))
        store.take_up("m-1")
        store.end("m-1", b"{}")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE matches SET result = ?", (b'{"set_aside":"Rules 1."}',))  # as an early hub leaves it
    Store(path).close()
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT aside, result FROM matches").fetchone() == ("Rules 1.", None), "it was migrated"
        assert db.execute("PRAGMA user_version").fetchone() == (3,)


@pytest.mark.parametrize("resumed", [True, False])
def test_which_match_a_table_plays_is_not_guessed_from_a_damaged_schema(tmp_path: Path, resumed: bool) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        store.put_aside(store.begin("1", b"head"))
        if resumed:
            store.take_up("m-1")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE matches RENAME COLUMN resumed TO tesumed")
    with closing(Store(path)) as store:
        assert bool(store.notice) == resumed, "a hub without the column has written the other one"


def test_a_database_of_a_day_when_matches_put_aside_had_another_form_is_brought_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        aside = store.begin("1", b"head")
        store.put_aside(aside)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE matches SET aside = NULL")
        db.execute("PRAGMA user_version=2")
    with closing(Store(path)) as store:
        assert [one.id for one in store.all_put_aside("1")] == [aside]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT aside FROM matches").fetchone() == (schema_module.PUT_ASIDE,)


# --- a loss is never silent -------------------------------------------------------------------------


def crashed(store: Store, folder: Path, to: Path) -> Store:
    """Copy what a program that is killed now would leave on a disk that takes every write; open it."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("*-shm"))
    store.close()
    return Store(to / "hub.db")


def test_a_write_ahead_log_that_is_lost_is_said(tmp_path: Path) -> None:
    path = tmp_path / "state" / "hub.db"
    store = Store(path)
    match = store.begin("1", b"head")
    for number in range(100):
        store.append(match, lines(number))
    assert Path(f"{path}-wal").stat().st_size <= (CHECKPOINT_PAGES + 16) * 4128
    shutil.copytree(path.parent, tmp_path / "copy", ignore=shutil.ignore_patterns("*-shm", "*-wal"))
    store.close()
    again = Store(tmp_path / "copy" / "hub.db")
    missing = again.missing("1")
    assert missing
    assert (missing.match, missing.had, missing.has) == (match, 100, len(again.load(match)[1]))
    assert 80 <= missing.has < 100, "a checkpoint has most of it"
    again.settle("1")
    assert again.missing("1") is None
    again.close()
    last = Store(tmp_path / "copy" / "hub.db")
    assert last.missing("1") is None, "it was told"
    last.close()


@pytest.mark.parametrize("damage", ["zero length", "gone", "a copy from the last evening", "a changed line"])
def test_a_database_that_is_not_the_one_that_was_written_is_said(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state" / "hub.db"
    store = Store(path)
    store.append(store.begin("1", b"head"), lines(0, 1, 2))
    store.close()
    old = path.read_bytes()
    store = Store(path)
    match = store.begin("1", b"head") if damage == "a copy from the last evening" else "m-1"
    store.settle("1")
    store.append(match, lines(0, 1) if match == "m-2" else lines(3))
    store.close()
    if damage == "gone":
        path.unlink()
    elif damage == "a changed line":
        path.write_bytes(path.read_bytes().replace(b"line 1", b"line 7"))
    else:
        path.write_bytes(b"" if damage == "zero length" else old)
    again = Store(path)
    assert (
        again.missing("1")
        == {
            "zero length": Missing("m-1", 4, 0),
            "gone": Missing("m-1", 4, 0),
            "a copy from the last evening": Missing("m-2", 2, 0),
            "a changed line": Missing("m-1", 4, 4, altered=True),
        }[damage]
    )
    assert int(again.begin("1", b"head").removeprefix("m-")) > int(match.removeprefix("m-")), "no id comes twice"
    again.close()


def test_an_undo_that_the_mark_has_not_heard_of_is_no_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "state" / "hub.db")
    match = store.begin("1", b"head")
    store.append(match, lines(0, 1, 2))
    monkeypatch.setattr("hub.store.marks.Marks.put", lambda *_, **__: None)  # the power goes between the two
    store.cut(match, 1)
    monkeypatch.undo()
    again = crashed(store, tmp_path / "state", tmp_path / "copy")
    assert again.missing("1") is None
    again.close()


def test_an_undo_that_the_disk_has_lost_is_said(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        store.append(store.begin("1", b"head"), lines(0, 1, 2))
    earlier = path.read_bytes()
    with closing(Store(path)) as store:
        store.cut("m-1", 1)
    path.write_bytes(earlier)
    with closing(Store(path)) as store:
        assert store.missing("1") == Missing("m-1", 1, 3)


def test_a_mark_that_is_torn_says_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "state" / "hub.db")
    store.append(store.begin("1", b"head"), lines(0))
    store.close()
    mark = tmp_path / "state" / "marks" / "1.mark"
    for bad in (b"", b"\0" * 512, mark.read_bytes()[:40], mark.read_bytes().replace(b"m-1", b"m-9"), b"00000000 "):
        mark.write_bytes(bad)
        again = Store(tmp_path / "state" / "hub.db")
        assert again.missing("1") is None
        again.close()


def test_a_mark_that_cannot_be_written_stops_no_match(tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("in the way")
    store = Store(tmp_path / "hub.db")
    store.append(store.begin("1", b"head"), lines(0))
    assert store.load("m-1")[1] == lines(0)
    store.close()


def test_an_action_waits_for_one_sync_and_now_and_then_for_that_of_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "hub.db")
    match = store.begin("1", b"head")
    synced: list[int] = []
    monkeypatch.setattr("os.fdatasync", synced.append)
    for number in range(3 * MARK_EVERY):
        store.append(match, lines(number))
    assert len(synced) == 3
    store.close()


def test_tables_that_begin_in_the_same_instant_get_matches_of_their_own(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    start = Barrier(5)
    begun: list[str] = []

    def begin(table: str) -> None:
        start.wait()
        begun.extend(store.begin(table, b"head") for _ in range(10))

    threads = [Thread(target=begin, args=(str(table),)) for table in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(begun, key=lambda name: int(name[2:])) == [f"m-{number}" for number in range(1, 51)]
    store.close()


def test_a_damaged_log_is_its_own_matchs_trouble(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("1", b"head")
    store.begin("2", b"head")
    db = store._db
    assert db
    db.execute("PRAGMA ignore_check_constraints=ON")
    db.execute("UPDATE matches SET \"table\" = CAST(x'ff31' AS TEXT) WHERE id = 'm-1'")  # a flipped bit in a name
    with pytest.raises(DamagedLog):
        store.load("m-9")
    assert (store.last("1"), store.last("2")) == (None, LastMatch("m-2"))
    store.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_BUSY, "Another program uses"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "Another program uses"),
        (sqlite3.SQLITE_LOCKED, "Another program uses"),
        (sqlite3.SQLITE_FULL, "The hub's disk is full."),
        (sqlite3.SQLITE_CORRUPT, "The hub's database is damaged."),
        (sqlite3.SQLITE_IOERR_FSYNC, "Check the disk."),
    ],
)
def test_guests_read_what_is_wrong_with_the_disk_and_no_path(tmp_path: Path, code: int, said: str) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    store = Store(tmp_path / "hub.db")
    with pytest.raises(LogError) as refused, store._log_errors():
        raise error
    assert said in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    store.close()


def test_a_database_that_another_program_holds_fails_and_then_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("1", b"head")
    assert store._db
    store._db.execute("PRAGMA busy_timeout=10")  # as if five seconds had passed
    other = sqlite3.connect(tmp_path / "hub.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match="Another program uses the hub's database"):
        store.append("m-1", lines(0))
    other.execute("ROLLBACK")
    other.close()
    store.append("m-1", lines(0))
    assert store.load("m-1")[1] == lines(0)
    store.close()


def test_a_full_disk_fails_and_the_record_goes_on_when_there_is_room(tmp_path: Path) -> None:
    store = Store(tmp_path / "hub.db")
    store.begin("1", b"head")
    assert store._db
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(LogError, match="full"):
        store.append("m-1", [LogEntry(0, b"x" * 100_000)])
    store._db.execute("PRAGMA max_page_count=1000000")
    store.append("m-1", lines(0))
    assert store.load("m-1")[1] == lines(0)
    store.close()


def test_how_long_matches_took_is_told_by_game_and_number_of_seats(tmp_path: Path) -> None:
    def head(game: str, seats: list[int]) -> bytes:
        return json.dumps({"game": game, "version": 1, "digest": "", "seats": seats, "options": {}}).encode()

    with closing(Store(tmp_path / "table-hub.db")) as store:
        for game, seats, result in (
            ("bid-it", [1, 2, 3], b'{"winners":[1],"scores":{},"why":""}'),
            ("bid-it", [2, 3, 4], b'{"winners":[],"scores":{},"why":""}'),
            ("bid-it", [1, 2], b'{"winners":[1],"scores":{},"why":""}'),
            ("bidness", [1, 2, 3], b'{"winners":[1],"scores":{},"why":""}'),
            ("bid-it", [1, 2, 3], b'{"left":true}'),
            ("bid-it", [1, 2, 3], None),
        ):
            match = store.begin("1" if result else "2", head(game, seats))
            store.append(match, [LogEntry(0, b"{}"), LogEntry(1, b"{}")])
            if result:
                store.end(match, result)
    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2026-11-22 20:00:00', ended = '2026-11-22 20:30:00'")
        db.execute("DELETE FROM entries WHERE \"match\" = 'm-1'")
        db.execute("UPDATE matches SET ended = NULL WHERE result IS NULL")
    with closing(Store(tmp_path / "table-hub.db")) as store:
        assert [(round(one.minutes, 3), one.entries) for one in store.lengths("bid-it", 3)] == [(30.0, 2), (30.0, 0)]
        assert store.lengths("big-idea", 3) == []


# --- put aside by people -------------------------------------------------------------------------------


def test_a_match_that_was_put_aside_leaves_the_table_free_and_comes_back_as_it_was(store: LogStore) -> None:
    first = store.begin("1", b"{}")
    store.append(first, lines(0, 1, 2))
    store.put_aside(first)
    assert store.last("1") == LastMatch(first, put_aside=True)
    (kept,) = store.all_put_aside("1")
    assert (kept.id, kept.head, kept.entries) == (first, b"{}", 3)
    assert store.all_put_aside("2") == []
    second = store.begin("1", b"{}")
    store.end(second, b"{}")
    assert [one.id for one in store.all_put_aside("1")] == [first], "another match does not end it"
    store.take_up(first)
    assert store.last("1") == LastMatch(first)
    assert store.load(first) == (b"{}", lines(0, 1, 2))
    assert store.all_put_aside("1") == []
    with pytest.raises(DamagedLog):
        store.take_up(first)
    store.append(first, lines(3))
    assert len(store.load(first)[1]) == 4
    assert store.begin("1", b"{}") == "m-3"
    assert store.last("1") == LastMatch("m-3"), "the next one takes its place"


def test_each_table_plays_a_match_of_its_own(store: LogStore) -> None:
    for table in ("1", "2", "1", "2"):
        store.put_aside(store.begin(table, b"{}"))
    for match, table in (("m-2", "2"), ("m-1", "1"), ("m-4", "2")):
        store.take_up(match)
        assert store.last(table) == LastMatch(match)
        store.put_aside(match)
    assert (store.last("1"), store.last("2")) == (LastMatch("m-1", put_aside=True), LastMatch("m-4", put_aside=True))
    assert [[one.id for one in store.all_put_aside(table)] for table in ("1", "2")] == [["m-1", "m-3"], ["m-4", "m-2"]]
    assert store.begin("1", b"{}") == "m-5"
    assert (store.last("1"), store.last("2")) == (LastMatch("m-5"), LastMatch("m-4", put_aside=True))


def test_what_is_not_put_aside_is_not_resumed_and_nothing_changes(store: LogStore) -> None:
    running = store.begin("1", b"{}")
    over = store.begin("2", b"{}")
    store.end(over, LEFT)
    for match in (running, over, "m-9"):
        with pytest.raises(DamagedLog, match=f"Match {match} is not suspended"):
            store.take_up(match)
    assert (store.last("1"), store.last("2")) == (LastMatch(running), LastMatch(over, LEFT))


def test_a_match_taken_up_survives_the_end_of_the_program_and_is_no_loss(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "log.db")) as store:
        match = store.begin("1", b"{}")
        store.append(match, lines(0, 1))
        store.put_aside(match)
        store.end(store.begin("1", b"{}"), b"{}")
        store.take_up(match)
        store.append(match, lines(2))
    with closing(Store(tmp_path / "log.db")) as store:
        assert store.missing("1") is None
        assert store.last("1") == LastMatch(match)
        assert store.load(match)[1] == lines(0, 1, 2)


def aside_behind_another(path: Path) -> None:
    """Make a database with one match that is put aside, and another one that its table has played since."""
    with closing(Store(path)) as store:
        for match in (store.begin("1", b"{}"), store.begin("1", b"{}")):
            store.append(match, lines(0, 1))
            store.put_aside(match)


def test_a_resumption_that_the_disk_has_lost_is_said(tmp_path: Path) -> None:
    path = tmp_path / "state" / "log.db"
    aside_behind_another(path)
    earlier = path.read_bytes()
    with closing(Store(path)) as store:
        store.take_up("m-1")
        store.append("m-1", lines(2))
    path.write_bytes(earlier)
    with closing(Store(path)) as store:
        assert store.missing("1") == Missing("m-1", 3, 2)
        store.settle("1")
    with closing(Store(path)) as store:
        assert store.missing("1") is None, "it was told"


def test_a_resumption_that_the_mark_has_not_heard_of_is_no_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state" / "log.db"
    aside_behind_another(path)
    with closing(Store(path)) as store:
        store.settle("1")
        monkeypatch.setattr("hub.store.marks.Marks.put", lambda *_, **__: None)  # the power goes between the two
        store.take_up("m-1")
        monkeypatch.undo()
    with closing(Store(path)) as store:
        assert (store.missing("1"), store.last("1")) == (None, LastMatch("m-1"))


def test_of_a_damaged_database_a_resumed_match_is_still_the_one_that_is_played(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    aside_behind_another(path)
    with closing(Store(path)) as store:
        store.take_up("m-1")
        store.begin("2", b"{}")
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'finished'").fetchone()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\x55" * 4096
    path.write_bytes(data)
    with closing(Store(path)) as store:
        assert "3 running matches could be read" in store.notice
        assert (store.last("1"), store.last("2")) == (LastMatch("m-1"), LastMatch("m-3"))
        assert store.missing("1") is None
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (3,)


def test_a_database_of_before_matches_were_put_aside_is_brought_to_this_form(tmp_path: Path) -> None:
    version_0(tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db", isolation_level=None)) as db:
        schema_module._from_0(db)
        db.execute("PRAGMA user_version=1")
    store = Store(tmp_path / "old.db")
    assert store.all_put_aside("2") == []
    store.put_aside("m-4")
    assert [one.id for one in store.all_put_aside("2")] == ["m-4"]
    store.close()
    Store(tmp_path / "new.db").close()
    assert schema(tmp_path / "old.db") == schema(tmp_path / "new.db")


@pytest.mark.parametrize("where", range(40, 400, 40))
def test_a_damaged_letter_of_the_schema_sets_the_file_aside(tmp_path: Path, where: int) -> None:
    path = tmp_path / "log.db"
    with closing(Store(path)) as store:
        store.begin("1", b"{}")
    data = bytearray(path.read_bytes())
    at = data.index(b"CREATE TABLE matches") + where
    data[at] |= 0x80  # no letter of UTF-8: SQLite's own message cannot be decoded
    path.write_bytes(data)
    with closing(Store(path)) as store:
        assert store.begin("1", b"{}")


def test_times_of_matches_are_those_of_the_clock_that_is_handed_in(tmp_path: Path) -> None:
    now = 1_700_000_000.25
    store = Store(tmp_path / "hub.db", lambda: now)
    suspended = store.begin("1", b"{}")
    now += 60
    store.put_aside(suspended)
    played = store.begin("1", b"{}")
    now += 600
    store.end(played, b"{}")
    assert store.started_at(suspended) == 1_700_000_000
    assert [one.since for one in store.all_put_aside("1")] == [1_700_000_060]
    assert store.started_at(played) == 1_700_000_060
    with sqlite3.connect(tmp_path / "hub.db") as db:
        assert db.execute("SELECT ended FROM matches WHERE id = ?", (played,)).fetchone() == ("2023-11-14 22:24:20",)
    db.close()
    store.close()


# --- row by row ------------------------------------------------------------------------------------------


def row(path: Path, match: str, *columns: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(path)) as db:
        found: tuple[object, ...] = db.execute(
            f"SELECT {', '.join(columns)} FROM matches WHERE id = ?", (match,)
        ).fetchone()
    return found


def test_a_match_that_begins_ends_the_running_one_of_its_table_and_no_other(tmp_path: Path) -> None:
    now = 1_700_000_000.0
    with closing(Store(tmp_path / "hub.db", lambda: now)) as store:
        for table in ("1", "1", "2", "1", "1"):
            match = store.begin(table, table.encode(), lambda match: f"seal of {match}")
            if match == "m-1":
                store.end(match, b"{}")
            elif match == "m-2":
                store.set_aside(match, "Other rules.")
            elif match == "m-4":
                store.put_aside(match)
            now += 60
        assert store.begin("1", b"1") == "m-6"
        columns = ("result", "ended", "aside", "put_aside IS NOT NULL", "seal", "head")
        rows = [row(tmp_path / "hub.db", f"m-{number}", *columns) for number in range(1, 7)]
        assert rows == [
            (b"{}", "2023-11-14 22:13:20", None, 0, "seal of m-1", b"1"),
            (None, None, "Other rules.", 0, "seal of m-2", b"1"),
            (None, None, None, 0, "seal of m-3", b"2"),
            (None, None, schema_module.PUT_ASIDE, 1, "seal of m-4", b"1"),
            (LEFT, "2023-11-14 22:18:20", None, 0, "seal of m-5", b"1"),
            (None, None, None, 0, None, b"1"),
        ]


def test_a_match_counts_as_resumed_last_until_the_next_one_begins(tmp_path: Path) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        for table in ("1", "2"):
            store.put_aside(store.begin(table, b"{}"))
        for match in ("m-1", "m-2"):
            store.take_up(match)
        store.begin("3", b"{}")
    assert [row(path, f"m-{number}", "resumed", "put_aside", "aside") for number in (1, 2, 3)] == [
        (1, None, None), (2, None, None), (2, None, None),
    ]  # fmt: skip


def test_seals_and_cuts_are_written_with_the_entries(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "hub.db")) as store:
        match = store.begin("bar", b"head")
        assert store.sealed_row(match) == ("bar", 0, None, False)
        store.append(match, lines(0, 1), "first")
        assert store.sealed_row(match) == ("bar", 0, "first", False)
        store.append(match, lines(2))
        assert store.sealed_row(match) == ("bar", 0, "first", False)
        store.end(match, b"{}")
        assert store.sealed_row(match) == ("bar", 0, "first", True)
        store.cut(match, 1, lines(1), "second")
        assert store.sealed_row(match) == ("bar", 1, "second", False)
        assert row(tmp_path / "hub.db", match, "result", "ended") == (None, None)
        store.cut(match, 1)
        assert store.sealed_row(match) == ("bar", 2, None, False)
        store.seal(match, "third")
        assert store.sealed_row(match) == ("bar", 2, "third", False)
        store.wipe(match)
        assert (store.sealed_row(match).cuts, store.load(match)[1]) == (3, lines(0)), "one that runs is not wiped"
        with pytest.raises(DamagedLog, match=r"^There is no match m-2 in the database\.$"):
            store.sealed_row("m-2")


def test_the_end_of_a_match_is_told_once_with_what_it_replaces(tmp_path: Path) -> None:
    head = b'{"game":"bid-it","options":{},"seats":[1,2]}'
    with closing(Store(tmp_path / "hub.db")) as store:
        assert (store.finished(), store.finished_after(0)) == (0, [])
        match = store.begin("1", head)
        store.set_aside(match, "Other rules.")
        store.end(match, b'{"winners":[1]}')
        assert store.last("1") == LastMatch(match, b'{"winners":[1]}')
        store.end(store.begin("1", head), LEFT)
        for _ in range(2):
            store.cut(match, 0)
            store.end(match, b'{"winners":[2]}')
        assert store.finished() == 3
        told = [(number, json.loads(line)["replaces"]) for number, line in store.finished_after(0)]
        assert told == [(1, None), (2, 1), (3, 2)]
        assert [number for number, _ in store.finished_after(1, 1)] == [2]


def test_the_highest_match_is_known_by_the_database_or_a_mark(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "hub.db")) as store:
        assert store.highest() == 0
        for _ in range(12):
            store.begin("1", b"{}")
        assert store.highest() == 12
    for file in tmp_path.glob("hub.db*"):
        file.unlink()
    with closing(Store(tmp_path / "hub.db")) as store:
        assert store.highest() == 12
        assert store.missing("1") == Missing("m-12", 0, 0)
        assert store.missing("2") is None
        store.settle("2")
        assert store.begin("2", b"{}") == "m-13"


def test_what_stands_in_the_place_of_a_file_of_the_database_is_named(tmp_path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        folder = tmp_path / suffix
        folder.mkdir()
        os.mkfifo(folder / f"hub.db{suffix}")
        store = Store(folder / "hub.db")
        with pytest.raises(LogError) as refused:
            store.begin("1", b"{}")
        assert refused.value.sentence == (
            "The hub's database cannot be opened: it is a pipe, not a file: move it away."
        )
        (folder / f"hub.db{suffix}").unlink()
        assert store.begin("1", b"{}") == "m-1"
        store.close()


@pytest.mark.parametrize(
    ("running", "said"), [(0, "no match could"), (1, "1 running match could"), (2, "2 running matches")]
)
def test_a_damaged_database_is_set_aside_with_its_date_in_its_name(
    tmp_path: Path, running: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        for table in range(running):
            store.begin(f"{table}", b"{}")
        for number in range(300):
            store.keep("1", f"value {number}", b"x" * 400)
    data = path.read_bytes()
    path.write_bytes(data[:-4096] + b"\x55" * 4096)
    with closing(Store(path, lambda: 1_700_000_000.0)) as store:
        assert said in store.notice
        assert "hub.db.unreadable-2023-11-14T22-13-20Z, and" in store.notice
        assert store.notice in caplog.text
        assert store.recall("1", "value 0") == b"x" * 400
    assert aside(tmp_path).name == "hub.db.unreadable-2023-11-14T22-13-20Z"


def test_a_log_that_cannot_be_read_is_its_own_matchs_trouble_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "hub.db"
    with closing(Store(path)) as store:
        store.append(store.begin("1", b"head"), [LogEntry(number, b"%d " % number * 200) for number in range(100)])
        store.append(store.begin("2", b"head"), lines(0))
    data = path.read_bytes()
    at = next(page for page in range(4096, len(data), 4096) if b"50 50 50" in data[page : page + 4096])
    path.write_bytes(data[:at] + b"\x55" * 4096 + data[at + 4096 :])
    monkeypatch.setattr(schema_module, "_check", lambda _: None)
    monkeypatch.setattr(Store, "_compare", lambda *_: None)
    with closing(Store(path)) as store:
        with pytest.raises(DamagedLog, match=r"Its log cannot be read \(database disk image is malformed\)\."):
            store.load("m-1")
        assert store.load("m-2")[1] == lines(0)


def test_a_database_in_use_is_not_closed_and_no_call_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "hub.db"
    store = Store(path)
    monkeypatch.setattr("hub.store.store.CLOSE_SECONDS", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        held = Thread(target=store.keep, args=("1", "code", b"FISH"))
        held.start()
        until(lambda: store.waiting_since(held.ident or 0) is not None, "it waits")
        store.close()
        assert "is in use and is not closed" in caplog.text
        other.execute("COMMIT")
        held.join(10)
    with pytest.raises(LogError, match="closed database"):
        store.recall("1", "code")
    store.close()
    with closing(Store(path)) as again:
        assert again.recall("1", "code") == b"FISH", "what it was writing is there"


# --- what can be read of a damaged one ---------------------------------------------------------------------


def test_running_and_suspended_matches_are_rescued_with_their_values_and_dice(tmp_path: Path) -> None:
    path, before = tmp_path / "old" / "hub.db", tmp_path / "old"
    store = Store(path)
    store.end(store.begin("1", b"over"), b"{}")
    store.append(store.begin("1", b"suspended", lambda _: "seal"), lines(0, 1))
    store.put_aside("m-2")
    store.append(store.begin("1", b"running"), lines(0, 1, 2))
    store.cut("m-3", 2)
    store.keep("1", "code", b"FISH")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO rolled VALUES ('1', 'hub', 6, 7)")
    held = files(before)
    with closing(schema_module.connect(tmp_path / "new.db")) as into:
        assert rescue(path, into) == 2
        assert into.execute("PRAGMA user_version").fetchone() == (1,)
        assert into.execute("SELECT * FROM rolled").fetchall() == [("1", "hub", 6, 7)]
        found = into.execute('SELECT id, "table", head, cuts, seal, put_aside IS NULL, begun FROM matches').fetchall()
    assert {name: data for name, data in files(before).items() if not name.endswith("-shm")} == {
        name: data for name, data in held.items() if not name.endswith("-shm")
    }
    store.close()
    assert [(one[:6], bool(one[6])) for one in found] == [
        (("m-2", "1", b"suspended", 0, "seal", 0), True), (("m-3", "1", b"running", 1, None, 1), True),
    ]  # fmt: skip
    with closing(Store(tmp_path / "new.db")) as again:
        assert (again.load("m-2"), again.load("m-3")) == ((b"suspended", lines(0, 1)), (b"running", lines(0, 1)))
        assert again.recall("1", "code") == b"FISH"


def test_a_database_of_the_first_form_is_rescued_too(tmp_path: Path) -> None:
    version_0(tmp_path / "old.db")
    with closing(schema_module.connect(tmp_path / "new.db")) as into:
        assert rescue(tmp_path / "old.db", into) == 1
    with closing(Store(tmp_path / "new.db")) as store:
        assert store.load("m-4") == (b"\x04", [LogEntry(0, b"\x05")])
        assert store.recall("2", "code") == b"FISH"


@pytest.mark.parametrize("what", ["rubbish", "nothing"])
def test_of_rubbish_nothing_is_rescued(tmp_path: Path, what: str) -> None:
    if what == "rubbish":
        (tmp_path / "old.db").write_bytes(b"rubbish" * 2000)
    with closing(schema_module.connect(tmp_path / "new.db")) as into:
        assert rescue(tmp_path / "old.db", into) == 0
        assert not into.in_transaction
    assert not [*tmp_path.glob("rescue-*")]


# --- the lock of the folder ------------------------------------------------------------------------------------


def test_a_folder_whose_earlier_hub_still_runs_is_taken(tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    with lock_state(tmp_path):
        pass
    with (tmp_path / "broker" / "lock").open("w") as earlier:
        with lock_state(tmp_path):
            pass
        fcntl.flock(earlier, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(TemporaryError, match="another hub runs with this state folder"), lock_state(tmp_path):
            raise AssertionError
    with lock_state(tmp_path), pytest.raises(TemporaryError, match=f"^{tmp_path}: another hub"), lock_state(tmp_path):
        raise AssertionError
    with lock_state(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = r"file/state: the state folder cannot be used \(Not a directory\)"
    with pytest.raises(ConfigError, match=said), lock_state(tmp_path / "file" / "state"):
        raise AssertionError
    with lock_state(tmp_path / "a" / "b"):
        assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o700
