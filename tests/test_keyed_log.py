"""A log that something else than the hub has changed is noticed, entry by entry; its readers see no difference."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hub import games
from hub.engine.match import Entry, Head, Match
from hub.errors import ConfigError, ReplayDiverged, StartRefused
from hub.ports import LogEntry
from hub.store import KeyedStore, Store
from hub.table.kept import KeptValues
from hub.table.match_log import MatchLog
from tests.games.players import random_match

GAME = games.find("bid-and-bait")


@pytest.fixture(scope="module")
def match() -> Match:
    return random_match(GAME, (1, 2, 3), {}, Random(1))


@pytest.fixture
def folder(tmp_path: Path, match: Match) -> Path:
    """A state folder with one match under way, written in two pieces and cut once."""
    with closing(Store(tmp_path / "table-hub.db")) as store:
        keyed = KeyedStore(store, tmp_path / "log.key")
        keyed.begin("1", msgspec.json.encode(match.head))
        lines = [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(match.log[:-1])]
        keyed.append("m-1", lines[:7])
        keyed.append("m-1", lines[7:])
        keyed.cut("m-1", 5)
        keyed.append("m-1", lines[5:9])
        keyed.cut("m-1", 8, lines[8:])
    return tmp_path


def resumed(folder: Path) -> Match | None:
    """What a hub that starts finds."""
    with closing(Store(folder / "table-hub.db")) as store:
        return MatchLog(KeptValues("1", KeyedStore(store, folder / "log.key"))).resume({GAME.name: GAME})


def edit(folder: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db, db:
        assert db.execute(statement, values).rowcount


def test_what_the_hub_wrote_goes_on_after_a_restart(folder: Path, match: Match) -> None:
    found = resumed(folder)
    assert found
    assert found.log == match.log[:-1]
    assert stat.S_IMODE((folder / "log.key").stat().st_mode) == 0o600


def swap_two_cards(folder: Path) -> None:
    """Change a shuffle so that the log still replays: two cards that nobody has seen."""
    with closing(Store(folder / "table-hub.db")) as store:
        _, lines = store.load("m-1")
    number, line = next((one.number, one.line) for one in lines if b'"shuffle"' in one.line)
    entry = msgspec.json.decode(line, type=Entry)
    order = entry.args["order"]
    order[-1], order[-2] = order[-2], order[-1]
    mac = line[line.index(b',"mac"') :]
    changed = msgspec.json.encode(entry).removesuffix(b"}") + mac
    edit(folder, "UPDATE entries SET line = ? WHERE number = ?", changed, number)


def put_two_in_the_others_place(folder: Path) -> None:
    edit(folder, "UPDATE entries SET number = -1 WHERE number = 3")
    edit(folder, "UPDATE entries SET number = 3 WHERE number = 4")
    edit(folder, "UPDATE entries SET number = 4 WHERE number = -1")


def take_the_macs_away(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db, db:
        for number, line in db.execute("SELECT number, line FROM entries").fetchall():
            db.execute("UPDATE entries SET line = ? WHERE number = ?", (line[: line.index(b',"mac"')] + b"}", number))


def take_one_out(folder: Path) -> None:
    edit(folder, "DELETE FROM entries WHERE number = 2")
    edit(folder, "UPDATE entries SET number = number - 1 WHERE number > 2")


def change_the_options(folder: Path) -> None:
    edit(folder, "UPDATE matches SET head = CAST(replace(CAST(head AS TEXT), 'true', 'false') AS BLOB)")


@pytest.mark.parametrize(
    "change", [swap_two_cards, put_two_in_the_others_place, take_the_macs_away, take_one_out, change_the_options]
)
def test_a_log_that_was_edited_is_set_aside_with_a_sentence(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    with pytest.raises(StartRefused, match=r"The log of match m-1 was changed .* by something else than this hub\."):
        resumed(folder)


def test_the_sentence_names_the_entry(folder: Path) -> None:
    edit(
        folder,
        "UPDATE entries SET line = CAST(replace(CAST(line AS TEXT), '\"seat\":', '\"seat\": ') AS BLOB) WHERE number = 6",
    )
    with closing(Store(folder / "table-hub.db")) as store, pytest.raises(ReplayDiverged, match="at entry 6"):
        KeyedStore(store, folder / "log.key").load("m-1")


def test_a_log_of_before_there_was_a_key_goes_on_and_the_next_one_has_macs(tmp_path: Path, match: Match) -> None:
    lines = [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(match.log[:-1])]
    with closing(Store(tmp_path / "table-hub.db")) as store:
        store.begin("1", msgspec.json.encode(match.head))
        store.append("m-1", lines[:5])
    found = resumed(tmp_path)
    assert found
    assert found.log == match.log[:5]
    with closing(Store(tmp_path / "table-hub.db")) as store:
        keyed = KeyedStore(store, tmp_path / "log.key")
        keyed.append("m-1", lines[5:6])
        keyed.begin("1", msgspec.json.encode(match.head))
        keyed.append("m-2", lines[:1])
        assert store.load("m-1")[1][5] == lines[5]
        assert b'"mac"' in store.load("m-2")[1][0].line


def test_readers_that_know_no_macs_read_the_same(folder: Path, match: Match) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        head, lines = store.load("m-1")
    assert msgspec.json.decode(head, type=Head) == match.head
    assert [msgspec.json.decode(line.line, type=Entry) for line in lines] == match.log[:-1]


def test_a_file_that_is_no_key_is_one_sentence(folder: Path) -> None:
    (folder / "log.key").write_bytes(b"short")
    with closing(Store(folder / "table-hub.db")) as store, pytest.raises(ConfigError, match="no key of logs"):
        KeyedStore(store, folder / "log.key")


def test_a_match_that_was_put_aside_goes_on_under_another_name(folder: Path, match: Match) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        last = keyed.last("1")
        assert last
        keyed.put_aside(last.id)
        new = keyed.take_up(last.id)
        entries = keyed.load(new)[1]
        assert len(entries) == len(match.log) - 1
        keyed.append(new, [LogEntry(len(entries), b'{"seat":0}')])
        assert len(keyed.load(new)[1]) == len(entries) + 1
    edit(folder, "UPDATE entries SET line = ? WHERE number = 1", entries[2].line)
    with closing(Store(folder / "table-hub.db")) as store, pytest.raises(ReplayDiverged):
        KeyedStore(store, folder / "log.key").load(new)


def test_a_key_that_is_gone_sets_matches_aside_until_it_is_back(folder: Path, match: Match) -> None:
    kept = (folder / "log.key").read_bytes()
    (folder / "log.key").unlink()
    for _ in range(2):
        with pytest.raises(
            StartRefused, match=r"match m-1 was written with another key than the one in .*log\.key now: put"
        ):
            resumed(folder)
    with closing(Store(folder / "table-hub.db")) as store:
        last = store.last("1")
        assert last
        assert last.aside
        with pytest.raises(ReplayDiverged):
            KeyedStore(store, folder / "log.key").load("m-1")
    (folder / "log.key").write_bytes(kept)
    found = resumed(folder)
    assert found
    assert found.log == match.log[:-1]


def test_a_match_that_begins_under_a_new_key_goes_on(folder: Path, match: Match) -> None:
    (folder / "log.key").unlink()
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        new = keyed.begin("1", msgspec.json.encode(match.head))
        keyed.append(new, [LogEntry(0, msgspec.json.encode(match.log[0]))])
    found = resumed(folder)
    assert found
    assert len(found.log) == 1


def entries_in(part: object) -> int:
    """How many entries a store and its parts hold in containers."""
    found = 0
    for value in vars(part).values():
        if isinstance(value, dict | list | set):
            found += len(value)
        elif type(value).__module__.startswith("hub.store"):
            found += entries_in(value)
    return found


def test_matches_that_are_over_leave_nothing_in_memory(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "table-hub.db")) as store:
        keyed = KeyedStore(store, tmp_path / "log.key")
        held = []
        for number in range(6):
            match = keyed.begin("1", b'{"v":1}')
            keyed.append(match, [LogEntry(0, b'{"seat":1}')])
            if number % 2:
                keyed.put_aside(match)
                match = keyed.take_up(match)
            keyed.end(match, b'{"left":true}')
            held.append(entries_in(keyed))
        assert held[0] > 0
        assert held == held[:1] * 6
