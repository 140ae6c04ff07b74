"""A log that something else than the hub has changed is noticed, entry by entry; its readers see no difference."""

from __future__ import annotations

import errno
import hmac
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hub import games
from hub.authoring.players import random_match
from hub.engine.match import Entry, Head, Match
from hub.errors import ReplayDiverged, StartRefused, TemporaryError
from hub.ports import LogEntry, Missing
from hub.store import KeyedStore, Store
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import MatchLog
from tests.earlier import earlier_hub
from tests.test_store import files

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

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
    with pytest.raises(StartRefused, match=r"Another program changed .* of the log of match m-1\."):
        resumed(folder)


def test_the_sentence_names_the_entry(folder: Path) -> None:
    edit(
        folder,
        "UPDATE entries SET line = CAST(replace(CAST(line AS TEXT), '\"seat\":', '\"seat\": ') AS BLOB) WHERE number = 6",
    )
    with closing(Store(folder / "table-hub.db")) as store, pytest.raises(ReplayDiverged, match="changed entry 6 of"):
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


# --- where a log ends ------------------------------------------------------------------------------------


def opened(folder: Path) -> tuple[Match | None, str]:
    """What a hub that starts finds, and what it tells of a loss."""
    with closing(Store(folder / "table-hub.db")) as store:
        log = MatchLog(KeptValues("1", KeyedStore(store, folder / "log.key")))
        return log.resume({GAME.name: GAME}), log.describe_loss()


def remove_the_marks(folder: Path) -> None:
    for mark in (folder / "marks").iterdir():
        mark.unlink()


LENGTH = "(SELECT count(*) FROM entries)"
EARLIER = "This match may continue from an earlier state, such as a backup: check that everything is as you left it."


def test_a_log_that_is_whole_is_told_to_nobody(folder: Path) -> None:
    assert opened(folder)[1] == ""


@pytest.mark.parametrize("count", [1, 2])
def test_entries_that_were_cut_off_are_told_without_any_mark(folder: Path, match: Match, count: int) -> None:
    remove_the_marks(folder)
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - ?", count)
    found, told = opened(folder)
    assert found
    assert found.log == match.log[: -1 - count]
    assert (
        told
        == f"The disk has lost the last {'action' if count == 1 else '2 actions'}. The table continues from the one "
        f"before."
    )


def test_entries_that_were_cut_off_as_if_people_had_taken_them_back_are_told(folder: Path) -> None:
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - 2")
    edit(folder, "UPDATE matches SET cuts = cuts + 1")
    assert opened(folder)[1] == EARLIER


def test_a_loss_is_told_until_it_is_settled_and_then_the_log_is_whole(folder: Path, match: Match) -> None:
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - 2")
    assert opened(folder)[1]
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        length = len(keyed.load("m-1")[1])
        assert keyed.missing("1") == Missing("m-1", length + 2, length)
        keyed.settle("1")
        assert keyed.missing("1") is None
    assert opened(folder)[1] == ""


@pytest.mark.parametrize(
    ("marks", "told"),
    [("kept", "The disk has lost the last 3 actions. The table continues from the one before."), ("removed", EARLIER)],
)
def test_a_whole_earlier_state_goes_on_and_is_told(folder: Path, match: Match, marks: str, told: str) -> None:
    database = folder / "table-hub.db"
    earlier = database.read_bytes()
    length = len(match.log) - 1
    with closing(Store(database)) as store:
        keyed = KeyedStore(store, folder / "log.key")
        keyed.settle("1")
        keyed.append("m-1", [LogEntry(length + number, b'{"seat":1}') for number in range(3)])
    database.write_bytes(earlier)
    if marks == "removed":
        remove_the_marks(folder)
    found, sentence = opened(folder)
    assert found
    assert len(found.log) == length
    assert sentence == told


def test_a_match_without_an_entry_needs_no_mark(tmp_path: Path, match: Match) -> None:
    """The power may go between its first write and that of its mark."""
    with closing(Store(tmp_path / "table-hub.db")) as store:
        KeyedStore(store, tmp_path / "log.key").begin("1", msgspec.json.encode(match.head))
    remove_the_marks(tmp_path)
    assert opened(tmp_path)[1] == ""


def remove_the_seal(folder: Path) -> None:
    edit(folder, "UPDATE matches SET seal = NULL")


def invent_a_seal(folder: Path) -> None:
    edit(folder, "UPDATE matches SET seal = substr(seal, 1, length(seal) - 64) || ?", "0" * 64)


def spoil_the_seal(folder: Path) -> None:
    edit(folder, "UPDATE matches SET seal = 'no seal'")


def move_to_another_table(folder: Path) -> None:
    edit(folder, "UPDATE matches SET \"table\" = '2'")


def give_it_another_number(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET id = 'm-2'")
        db.execute("UPDATE entries SET \"match\" = 'm-2'")


@pytest.mark.parametrize(
    "change", [remove_the_seal, invent_a_seal, spoil_the_seal, move_to_another_table, give_it_another_number]
)
def test_a_log_that_was_sealed_for_another_match_is_set_aside(folder: Path, change: Callable[[Path], None]) -> None:
    change(folder)
    with closing(Store(folder / "table-hub.db")) as store:
        table = "2" if change is move_to_another_table else "1"
        log = MatchLog(KeptValues(table, KeyedStore(store, folder / "log.key")))
        with pytest.raises(
            StartRefused, match=r"The log of match m-\d belongs to another match, or another program changed it"
        ):
            log.resume({GAME.name: GAME})


@pytest.mark.parametrize("marks", [True, False])
def test_a_match_that_was_put_aside_and_cut_off_goes_on_and_is_told(folder: Path, marks: bool) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        KeyedStore(store, folder / "log.key").put_aside("m-1")
    if not marks:
        remove_the_marks(folder)
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - 2")
    with closing(Store(folder / "table-hub.db")) as store:
        kept = KeptValues("1", KeyedStore(store, folder / "log.key"))
        kept.open()
        log = MatchLog(kept)
        log.take_up("m-1", {GAME.name: GAME})
        assert "the last 2 actions" in log.describe_loss()
        log.settle()
        assert log.describe_loss() == ""
    assert opened(folder)[1] == ""


def test_a_finished_match_that_was_cut_off_is_told(folder: Path) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        KeyedStore(store, folder / "log.key").end("m-1", b'{"winners":[1]}')
    remove_the_marks(folder)
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - 2")
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        length = len(keyed.load("m-1")[1])
        assert keyed.missing("1") == Missing("m-1", length + 2, length)


def test_a_log_that_the_hub_has_wiped_itself_is_no_loss(folder: Path) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        keyed.end("m-1", b'{"winners":[1]}')
        keyed.wipe("m-1")
        assert keyed.load("m-1")[1] == []
        assert keyed.missing("1") is None
    assert opened(folder) == (None, "")
    remove_the_marks(folder)
    edit(folder, "UPDATE matches SET result = NULL")
    assert opened(folder)[1] == EARLIER, "but not of a match under way"


# --- hubs of before there were seals ---------------------------------------------------------------------

BEFORE_SEALS = "ce91e79"
WRITE = """
import sys
from pathlib import Path
from hub.ports import LogEntry
from hub.store import KeyedStore, Store
folder, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
head, *lines = Path(sys.argv[4]).read_bytes().splitlines()
store = Store(folder / "table-hub.db")
keyed = KeyedStore(store, folder / "log.key")
match = keyed.last("1").id if keyed.last("1") else keyed.begin("1", head)
length = len(keyed.load(match)[1])
if first < length:
    keyed.cut(match, first)
keyed.append(match, [LogEntry(number, lines[number]) for number in range(first, last)])
store.close()
"""


@pytest.fixture
def earlier_writes(tmp_path: Path, match: Match) -> Callable[[Path, int, int], None]:
    """Let the hub of before there were seals write these entries of the match into a state folder."""
    root = earlier_hub(BEFORE_SEALS, tmp_path / "earlier")
    log = tmp_path / "log"
    log.write_bytes(b"\n".join(msgspec.json.encode(one) for one in (match.head, *match.log)))

    def write(folder: Path, first: int, last: int) -> None:
        command = [sys.executable, "-c", WRITE, folder, first, last, log]
        subprocess.run([*map(str, command)], check=True, cwd=root, env={"PYTHONPATH": str(root)})

    return write


def append(folder: Path, match: Match, first: int, last: int) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        lines = [LogEntry(number, msgspec.json.encode(match.log[number])) for number in range(first, last)]
        KeyedStore(store, folder / "log.key").append("m-1", lines)


def test_a_match_of_before_there_were_seals_goes_on_and_has_one_from_then_on(
    tmp_path: Path, match: Match, earlier_writes: Callable[[Path, int, int], None]
) -> None:
    folder = tmp_path / "state"
    earlier_writes(folder, 0, 8)
    found, told = opened(folder)
    assert found
    assert (found.log, told) == (match.log[:8], "")
    append(folder, match, 8, 11)
    assert opened(folder)[1] == ""
    remove_the_marks(folder)
    edit(folder, "DELETE FROM entries WHERE number >= 9")
    assert "the last 2 actions" in opened(folder)[1]


@pytest.mark.parametrize(("first", "told"), [(11, EARLIER), (9, EARLIER)])
def test_after_a_way_back_and_forth_a_match_goes_on_and_people_are_asked_to_look(
    folder: Path, match: Match, earlier_writes: Callable[[Path, int, int], None], first: int, told: str
) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        KeyedStore(store, folder / "log.key").cut("m-1", 11)
    earlier_writes(folder, first, 14)
    found, sentence = opened(folder)
    assert found
    assert (found.log, sentence) == (match.log[:14], told)


def test_readers_that_know_no_macs_read_the_same(folder: Path, match: Match) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        head, lines = store.load("m-1")
    assert msgspec.json.decode(head, type=Head) == match.head
    assert [msgspec.json.decode(line.line, type=Entry) for line in lines] == match.log[:-1]


def test_a_file_that_is_no_key_is_set_aside_and_its_matches_wait_until_the_key_is_back(folder: Path) -> None:
    kept = (folder / "log.key").read_bytes()
    (folder / "log.key").write_bytes(b"short")
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        assert "earlier matches cannot be resumed" in keyed.key_notice
        with pytest.raises(ReplayDiverged):
            keyed.load("m-1")
        assert not KeyedStore(store, folder / "log.key").key_notice, "it is said once"
    assert [file.read_bytes() for file in folder.glob("log.key.unreadable-*")] == [b"short"]
    (folder / "log.key").write_bytes(kept)
    with closing(Store(folder / "table-hub.db")) as store:
        again = KeyedStore(store, folder / "log.key")
        assert again.load("m-1")
        assert not again.notice


@pytest.mark.parametrize("what", ["a folder", "too short", "too long", "a link to nothing"])
def test_what_is_no_key_makes_room_for_a_new_one_that_knows_which_matches_are_older(folder: Path, what: str) -> None:
    key = folder / "log.key"
    short = key.read_bytes()[:39]
    key.unlink()
    if what == "a folder":
        key.mkdir()
    elif what == "a link to nothing":
        key.symlink_to("nothing")
    else:
        key.write_bytes(short if what == "too short" else short + b"xy")
    with closing(Store(folder / "table-hub.db")) as store:
        assert "was damaged" in KeyedStore(store, key).key_notice
        assert store.begin("2", b"{}") == "m-2"
    assert len([*folder.glob("log.key.unreadable-*")]) == 1
    data = key.read_bytes()
    assert (len(data), data[32:]) == (40, bytes(7) + b"\1")


def test_a_key_that_the_disk_does_not_give_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    before = files(folder)
    with closing(Store(folder / "table-hub.db")) as store:
        monkeypatch.setattr("hub.store.keyed.read_file", fail)
        with pytest.raises(
            TemporaryError, match=r"log.key: the key of the logs cannot be kept there \(Input/output error\)"
        ):
            KeyedStore(store, folder / "log.key")
    assert (folder / "log.key").read_bytes() == before["log.key"], "it is not taken for damaged"


def test_without_a_database_no_key_is_made(folder: Path) -> None:
    (folder / "log.key").unlink()
    store = Store(folder / "table-hub.db")
    store.close()
    with pytest.raises(TemporaryError, match="closed database"):
        KeyedStore(store, folder / "log.key")
    assert not (folder / "log.key").exists()


def mac(key: bytes, data: bytes) -> str:
    return hmac.new(key, data, "sha256").hexdigest()


def test_the_macs_and_the_seal_are_those_of_the_key(tmp_path: Path) -> None:
    """A log that one hub has written is read by any later one."""
    key = bytes(range(32))
    (tmp_path / "log.key").write_bytes(key + bytes(8))
    with closing(Store(tmp_path / "hub.db")) as store:
        keyed = KeyedStore(store, tmp_path / "log.key")
        assert keyed.begin("bar", b'{"v":1}') == "m-1"
        head = b'{"v":1,"sealed":true}'
        first = mac(key, head)
        assert store.load("m-1") == (head[:-1] + b',"mac":"%s"}' % first.encode(), [])
        assert store.sealed_row("m-1") == ("bar", 0, seal(key, "bar", "m-1", f"0 0 {first}"), False)
        macs = [first]
        keyed.append("m-1", [LogEntry(0, b'{"a":0}'), LogEntry(1, b'{"a":1}')])
        keyed.append("m-1", [LogEntry(2, b'{"a":2}')])
        for number, entry in enumerate(store.load("m-1")[1]):
            macs.append(mac(key, bytes.fromhex(macs[-1]) + b'{"a":%d}' % number))
            assert entry == LogEntry(number, b'{"a":%d,"mac":"%s"}' % (number, macs[-1].encode()))
        assert store.sealed_row("m-1").seal == seal(key, "bar", "m-1", f"0 3 {macs[-1]}")
        keyed.cut("m-1", 1)
        assert store.sealed_row("m-1") == ("bar", 1, seal(key, "bar", "m-1", f"1 1 {macs[1]}"), False)
        keyed.cut("m-1", 0, [LogEntry(0, b'{"b":0}')])
        other = mac(key, bytes.fromhex(first) + b'{"b":0}')
        assert store.load("m-1")[1] == [LogEntry(0, b'{"b":0,"mac":"%s"}' % other.encode())]
        assert store.sealed_row("m-1").seal == seal(key, "bar", "m-1", f"2 1 {other}")
        keyed.end("m-1", b"{}")
        assert store.sealed_row("m-1").ended


def seal(key: bytes, table: str, match: str, said: str) -> str:
    return f"{said} {mac(key, f'seal{chr(10)}{table}{chr(10)}{match}{chr(10)}{said}'.encode())}"


def test_a_match_of_before_the_key_is_cut_as_ever(tmp_path: Path) -> None:
    lines = [LogEntry(number, b'{"a":%d}' % number) for number in range(3)]
    with closing(Store(tmp_path / "hub.db")) as store:
        store.append(store.begin("1", b"{}"), lines)
        store.begin("2", b"{}")
        keyed = KeyedStore(store, tmp_path / "log.key")
        keyed.cut("m-1", 1, [LogEntry(1, b'{"b":1}')])
        assert keyed.load("m-1") == (b"{}", [lines[0], LogEntry(1, b'{"b":1}')])
        keyed.cut("m-1", 1)
        assert keyed.load("m-1")[1] == lines[:1]
        keyed.append("m-2", lines)
        assert keyed.load("m-2")[1] == lines, "the newest one of before the key"
        assert keyed.begin("3", b"{}") == "m-3"
        assert keyed.load("m-3")[0].startswith(b'{,"sealed":true,"mac":')


def test_after_a_restart_a_log_goes_on_where_it_ended_also_if_nobody_has_read_it(folder: Path, match: Match) -> None:
    length = len(match.log) - 1
    for first in (length, length + 1):
        with closing(Store(folder / "table-hub.db")) as store:
            KeyedStore(store, folder / "log.key").append("m-1", [LogEntry(first, b'{"seat":1}')])
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        assert len(keyed.load("m-1")[1]) == length + 2
        assert keyed.missing("1") is None
        assert keyed.missing("2") is None, "a table that has played nothing has lost nothing"
        keyed.settle("2")


def test_a_match_that_was_settled_after_a_loss_is_whole_again(folder: Path) -> None:
    edit(folder, f"DELETE FROM entries WHERE number >= {LENGTH} - 2")
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        length = len(keyed.load("m-1")[1])
        assert keyed.missing("1") == Missing("m-1", length + 2, length)
        keyed.put_aside("m-1")
        keyed.take_up("m-1")
        keyed.load("m-1")
        keyed.settle("1")
        assert keyed.missing("1") is None
        keyed.load("m-1")
        assert keyed.missing("1") is None, "its seal is that of the log there is"


def test_a_match_that_was_put_aside_goes_on_with_the_log_that_it_had(folder: Path, match: Match) -> None:
    with closing(Store(folder / "table-hub.db")) as store:
        keyed = KeyedStore(store, folder / "log.key")
        before, row = keyed.load("m-1"), store.sealed_row("m-1")
        keyed.put_aside("m-1")
        keyed.begin("1", msgspec.json.encode(match.head))
        keyed.take_up("m-1")
        assert (keyed.load("m-1"), store.sealed_row("m-1")) == (before, row), "to the byte, with its seal"
        length = len(before[1])
        keyed.append("m-1", [LogEntry(length, b'{"seat":0}')])
        assert keyed.load("m-1")[1][:length] == before[1]
        assert keyed.missing("1") is None
    edit(folder, "UPDATE entries SET line = ? WHERE number = 1 AND \"match\" = 'm-1'", before[1][2].line)
    with closing(Store(folder / "table-hub.db")) as store, pytest.raises(ReplayDiverged):
        KeyedStore(store, folder / "log.key").load("m-1")


def test_a_key_that_is_gone_sets_matches_aside_until_it_is_back(folder: Path, match: Match) -> None:
    kept = (folder / "log.key").read_bytes()
    (folder / "log.key").unlink()
    for _ in range(2):
        with pytest.raises(
            StartRefused, match=r"match m-1 was written with a key that the hub no longer has\. Staff: put"
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
                keyed.take_up(match)
            keyed.end(match, b'{"left":true}')
            held.append(entries_in(keyed))
        assert held[0] > 0
        assert held == held[:1] * 6
