"""The database file: how it is opened and checked, which one is a hub's own, and how an earlier one becomes today's."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from hub.errors import ConfigError
from hub.store import schema
from hub.store.schema import PUT_ASIDE, code_of, connect, is_ours, make_file
from tests.test_store import V0, version_0

pytestmark = pytest.mark.real_time


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hub.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()


def test_a_file_is_made_for_its_user_and_one_that_is_there_stays(path: Path) -> None:
    before = os.umask(0)
    try:
        make_file(path)
    finally:
        os.umask(before)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"", 0o600)
    path.write_bytes(b"there")
    make_file(path)
    assert path.read_bytes() == b"there"


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"), ("synchronous", 2), ("foreign_keys", 1), ("secure_delete", 1), ("wal_autocheckpoint", 48),
        ("busy_timeout", 5000), ("user_version", 1),
    ],
)  # fmt: skip
def test_what_was_written_is_on_the_disk_and_what_was_deleted_is_not(path: Path, pragma: str, value: object) -> None:
    with closing(connect(path)) as db:
        assert db.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_a_flipped_bit_in_a_text_does_not_stop_a_table(path: Path) -> None:
    with closing(connect(path)) as db:
        assert db.execute("SELECT CAST(x'41ff42' AS TEXT)").fetchone() == ("A\ufffdB",)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_SNAPSHOT])
def test_the_kind_of_an_error_is_its_primary_code(code: int) -> None:
    error = sqlite3.OperationalError("busy")
    assert code_of(error) == 0
    error.sqlite_errorcode = code
    assert code_of(error) == sqlite3.SQLITE_BUSY


# --- a hub's own -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["today", "first", "second", "without dice", "with spaces"])
def test_a_database_of_any_hub_is_its_own(path: Path, form: str) -> None:
    if form == "today":
        connect(path).close()
    elif form == "with spaces":
        with closing(sqlite3.connect(path)) as db:
            db.executescript(V0.replace(" TEXT", "\n\tTEXT"))
    else:
        version_0(path)
        statements = {"second": ["ALTER TABLE matches ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0"]}
        change(path, *statements.get(form, []))
    if form == "without dice":
        connect(path).close()
        change(path, "DROP TABLE rolled")
    with closing(sqlite3.connect(path)) as db:
        assert is_ours(db)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE other (a TEXT)",
        "CREATE VIEW other AS SELECT 1",
        "CREATE TRIGGER thief AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
        "CREATE INDEX other ON entries (line)",
        "DROP TABLE kept",
        "DROP TABLE entries",
        "ALTER TABLE kept ADD COLUMN other TEXT",
        "ALTER TABLE matches ADD COLUMN other TEXT",
        "ALTER TABLE matches RENAME COLUMN seal TO other",
        "ALTER TABLE rolled ADD COLUMN other TEXT",
    ],
)
def test_a_database_with_anything_else_is_nobodys(path: Path, statement: str) -> None:
    connect(path).close()
    change(path, statement)
    with closing(sqlite3.connect(path)) as db:
        assert not is_ours(db)


def test_an_empty_database_is_nobodys() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        assert not is_ours(db)


def test_a_schema_that_is_no_text_is_damage(path: Path) -> None:
    connect(path).close()
    data = bytearray(path.read_bytes())
    data[data.index(b"CREATE TABLE matches") + 40] |= 0x80
    path.write_bytes(data)
    with pytest.raises(sqlite3.DatabaseError, match=r"^its schema cannot be read$") as found:
        connect(path)
    assert code_of(found.value) == sqlite3.SQLITE_CORRUPT


# --- the check at the start ------------------------------------------------------------------------------------


def fill(path: Path) -> bytes:
    """Write many entries; return the file."""
    with closing(connect(path)) as db:
        db.execute("INSERT INTO matches (id, \"table\", head) VALUES ('m-1', '1', x'00')")
        db.execute("BEGIN")
        db.executemany("INSERT INTO entries VALUES ('m-1', ?, ?)", [(number, b"x" * 20) for number in range(4000)])
        db.execute("COMMIT")
    return path.read_bytes()


def test_a_damaged_page_is_found(path: Path) -> None:
    data = fill(path)
    at = next(page for page in range(4096, len(data), 4096) if data.count(b"x" * 20, page, page + 4096) > 50)
    path.write_bytes(data[:at] + b"\x55" * 4096 + data[at + 4096 :])
    with pytest.raises(sqlite3.DatabaseError) as found:
        connect(path)
    assert code_of(found.value) == sqlite3.SQLITE_CORRUPT
    assert "\n" not in str(found.value)


def test_the_check_of_a_large_file_is_given_up_after_its_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    change(path, "ALTER TABLE matches RENAME COLUMN cuts TO other")
    monkeypatch.setattr(schema, "CHECK_SECONDS", 60.0)
    with pytest.raises(sqlite3.DatabaseError, match="its schema cannot be read"):
        connect(path)
    monkeypatch.setattr(schema, "CHECK_SECONDS", -1.0)
    connect(path).close()


def test_after_the_check_a_query_may_take_its_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(path)
    monkeypatch.setattr(schema, "CHECK_SECONDS", -1.0)
    with closing(connect(path)) as db:
        assert db.execute("SELECT count(*) FROM entries a, entries b WHERE a.number < 20").fetchone() == (80_000,)


@pytest.mark.parametrize(
    ("version", "column", "is_damaged"),
    [(1, "cuts", True), (1, "aside", True), (1, "seal", False), (1, "put_aside", False), (3, "seal", True),
     (3, "put_aside", True), (3, "resumed", True), (0, "seal", False)],
)  # fmt: skip
def test_a_column_that_its_hub_has_written_is_not_missing(
    path: Path, version: int, column: str, is_damaged: bool
) -> None:
    connect(path).close()
    change(path, f"ALTER TABLE matches RENAME COLUMN {column} TO other", f"PRAGMA user_version={version}")
    if version == 0:
        change(path, "ALTER TABLE matches DROP COLUMN cuts", "ALTER TABLE matches DROP COLUMN aside")
    if not is_damaged:
        connect(path).close()
        assert column in columns(path)
        return
    with pytest.raises(sqlite3.DatabaseError, match="its schema cannot be read") as found:
        connect(path)
    assert code_of(found.value) == sqlite3.SQLITE_CORRUPT


def columns(path: Path) -> list[object]:
    return [row[1] for row in ask(path, "PRAGMA table_info(matches)")]


def test_a_database_of_a_later_hub_is_named_and_not_touched(path: Path) -> None:
    connect(path).close()
    change(path, "PRAGMA user_version=4", "PRAGMA journal_mode=DELETE")
    before = path.read_bytes()
    with pytest.raises(ConfigError) as refused:
        connect(path)
    assert refused.value.sentence.startswith(f"{path} was written by a newer table-hub (form 4; this one reads 3)")
    assert path.read_bytes() == before


# --- earlier ones ----------------------------------------------------------------------------------------------

TABLES = ["entries", "finished", "kept", "matches", "rolled", "sqlite_sequence"]


def tables(path: Path) -> Iterable[object]:
    return [name for (name,) in ask(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]


@pytest.mark.parametrize("lost", ["finished", "rolled"])
@pytest.mark.parametrize("version", [1, 3])
def test_a_table_that_an_earlier_hub_had_not_is_added(path: Path, lost: str, version: int) -> None:
    connect(path).close()
    change(path, f"DROP TABLE {lost}", f"PRAGMA user_version={version}")
    connect(path).close()
    assert tables(path) == TABLES
    assert ask(path, "PRAGMA user_version") == [(version,)]


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 1), (2, 1), (3, 3)])
def test_the_form_of_a_database_tells_which_hubs_may_write_it(path: Path, before: int, after: int) -> None:
    version_0(path)
    if before:
        connect(path).close()
        change(path, f"PRAGMA user_version={before}")
    connect(path).close()
    assert ask(path, "PRAGMA user_version") == [(after,)]
    assert columns(path)[-5:] == ["cuts", "aside", "put_aside", "seal", "resumed"]
    assert tables(path) == TABLES


def test_a_database_of_today_is_opened_without_a_write(path: Path) -> None:
    for form in (1, 3):
        connect(path).close()
        change(path, f"PRAGMA user_version={form}")
        before = path.read_bytes()
        connect(path).close()
        assert path.read_bytes() == before


def test_only_what_the_first_hub_has_set_aside_is_set_aside_again(path: Path) -> None:
    connect(path).close()
    rows = {
        "m-1": '{"set_aside":"Rules 1."}', "m-2": '{"set_aside":"Rules', "m-3": '{"set_aside":7}', "m-4": '{"left":true}',
        "m-5": '{"set_aside":"Rules 2.","more":1}', "m-6": ' {"set_aside":"Rules 3."}',
    }  # fmt: skip
    with closing(sqlite3.connect(path)) as db, db:
        for match, result in rows.items():
            db.execute(
                "INSERT INTO matches (id, \"table\", head, result, ended) VALUES (?, 1, x'00', ?, CURRENT_TIMESTAMP)",
                (match, result.encode()),
            )
    connect(path).close()
    found = {str(one): more for one, *more in ask(path, "SELECT id, aside, result, ended IS NULL FROM matches")}
    assert (found.pop("m-1"), found.pop("m-5")) == (["Rules 1.", None, 1], ["Rules 2.", None, 1])
    assert found == {match: [None, rows[match].encode(), 0] for match in ("m-2", "m-3", "m-4", "m-6")}


def test_a_match_that_people_suspended_says_so_to_an_earlier_hub_unless_it_is_over(path: Path) -> None:
    connect(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        for match, aside, result in (("m-1", "now", None), ("m-2", "now", b"{}"), ("m-3", None, None)):
            db.execute(
                "INSERT INTO matches (id, \"table\", head, put_aside, result) VALUES (?, 1, x'00', ?, ?)",
                (match, aside, result),
            )
    change(path, "PRAGMA user_version=2")
    connect(path).close()
    assert ask(path, "SELECT id, aside FROM matches ORDER BY id") == [("m-1", PUT_ASIDE), ("m-2", None), ("m-3", None)]
