"""The marks beside the database: what stands in their files, when they are on the disk, and what is read of them."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import pytest

from hub.ports import LogEntry
from hub.store.marks import MARK_EVERY, Mark, Marks, chain, mark_of
from hub.store.queries import insert_entries
from hub.store.schema import connect

pytestmark = pytest.mark.real_time

MARK = Mark("1", "m-7", 2, 3, chain([b"a", b"b", b"c"]).hex(), 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "marks"


@pytest.fixture
def marks(folder: Path) -> Iterator[Marks]:
    with closing(Marks(folder)) as made:
        yield made


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files and folders that were synced."""
    found: list[str] = []

    def note(handle: int) -> None:
        found.append(Path(f"/proc/self/fd/{handle}").readlink().name)

    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(os, "fdatasync", note)
    return found


def test_a_mark_is_one_sector_that_says_what_it_holds(folder: Path, marks: Marks) -> None:
    marks.put(MARK)
    data = (folder / "1.mark").read_bytes()
    check, _, text = data.rstrip().partition(b" ")
    assert (len(data), data[-2:]) == (512, b" \n")
    assert check == b"%08x" % crc32(text)
    assert json.loads(text) == {"match": "m-7", "cuts": 2, "length": 3, "hash": MARK.hash, "resumed": 4}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "1.mark").stat().st_mode) == 0o600
    assert Marks(folder).read("1") == MARK


def test_the_hash_of_a_log_goes_over_all_its_lines_in_order() -> None:
    first = sha256(sha256(b"a").digest()).digest()
    assert chain([b"a"]) == first
    assert chain([b"a", b"b"]) == chain([b"b"], first) == sha256(first + sha256(b"b").digest()).digest()
    assert chain([]) == b""


def test_a_shorter_mark_leaves_nothing_of_the_longer_one(folder: Path, marks: Marks) -> None:
    marks.put(MARK)
    marks.put(Mark("1", "m-8", 0, 0, ""))
    assert (folder / "1.mark").stat().st_size == 512
    assert Marks(folder).read("1") == Mark("1", "m-8", 0, 0, "", 0)


def test_a_mark_grows_with_the_lines_of_its_own_match_only(marks: Marks) -> None:
    marks.append("m-7", [b"nothing"])
    assert marks.names() == []
    marks.put(Mark("1", "m-7", 0, 0, ""))
    marks.append("m-7", [b"a", b"b"])
    marks.append("m-7", [b"c"])
    marks.append("m-8", [b"d"])
    assert marks.read("1") == Mark("1", "m-7", 0, 3, MARK.hash)
    marks.put(Mark("1", "m-9", 0, 0, "", 1))
    marks.append("m-7", [b"d"])
    assert marks.read("1") == Mark("1", "m-9", 0, 0, "", 1), "the table plays another match now"
    marks.append("m-9", [b"a", b"b", b"c"])
    assert marks.read("1") == Mark("1", "m-9", 0, 3, MARK.hash, 1)


def test_marks_of_tables_are_their_own(folder: Path, marks: Marks) -> None:
    assert (marks.names(), marks.highest(), marks.read("1")) == ([], 0, None)
    marks.put(MARK)
    marks.put(Mark("bar", "m-12", 0, 0, ""))
    marks.put(Mark("attic", "m-3", 0, 0, ""))
    (folder / "other.txt").write_text("no mark")
    assert marks.names() == ["1", "attic", "bar"]
    assert marks.highest() == 12
    marks.append("m-7", [b"d"])
    marks.append("m-3", [b"d"])
    lengths = {name: mark.length for name in marks.names() if (mark := marks.read(name))}
    assert lengths == {"1": 4, "attic": 1, "bar": 0}


def test_a_damaged_mark_is_not_read_and_does_not_count(
    folder: Path, marks: Marks, caplog: pytest.LogCaptureFixture
) -> None:
    marks.put(MARK)
    marks.put(Mark("bar", "m-3", 0, 0, ""))
    assert marks.highest() == 7
    data = (folder / "1.mark").read_bytes()
    (folder / "1.mark").write_bytes(data.replace(b"m-7", b"m-9"))
    assert (marks.read("1"), marks.highest()) == (None, 3)
    assert "The mark of table 1 is damaged." in caplog.messages
    (folder / "1.mark").write_bytes(b"rubbish")
    assert marks.read("1") is None
    assert any(said.startswith("The mark of table 1 cannot be read:") for said in caplog.messages)
    caplog.clear()
    (folder / "1.mark").unlink()
    assert (marks.read("1"), caplog.messages) == (None, []), "there is none"


def test_what_stands_behind_the_sector_is_not_read(folder: Path, marks: Marks) -> None:
    marks.put(MARK)
    with (folder / "1.mark").open("ab") as file:
        file.write(b"x" * 100)
    assert marks.read("1") == MARK


@pytest.mark.parametrize(
    ("lines", "syncs"), [(1, [16, 32, 48]), (5, [20, 40]), (15, [30]), (16, [16, 32, 48]), (40, [40])]
)
def test_a_mark_is_synced_with_each_sixteenth_line_at_the_latest(
    marks: Marks, synced: list[str], lines: int, syncs: list[int]
) -> None:
    assert MARK_EVERY == 16
    marks.put(Mark("1", "m-7", 0, 0, ""))
    marks.put(Mark("bar", "m-8", 0, 0, ""))
    marks.append("m-8", [b"other"] * 15)  # lines of another table count for that one
    found = []
    for number in range(lines, 49, lines):
        synced.clear()
        marks.append("m-7", [b"line"] * lines)
        found += [number] if synced else []
        assert synced in ([], ["1.mark"])
    assert found == syncs


def test_a_new_mark_is_on_the_disk_with_its_name_and_then_each_is_synced_alone(
    folder: Path, marks: Marks, synced: list[str]
) -> None:
    marks.put(MARK)
    assert synced == ["marks", folder.parent.name, "1.mark"]
    synced.clear()
    marks.put(MARK)
    assert synced == ["1.mark"]
    marks.put(MARK, sync=False)
    assert synced == ["1.mark"]
    with closing(Marks(folder)) as again:
        again.put(MARK)
    assert synced == ["1.mark"] * 2, "its name is there"


def test_a_disk_that_fails_is_told_once_and_then_again_after_it_has_worked(
    marks: Marks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said = "How far table 1 has come cannot be marked: No space left on device."
    marks.put(MARK)
    for times in (1, 2):
        with monkeypatch.context() as full:
            full.setattr(os, "pwrite", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            for _ in range(3):
                marks.append("m-7", [b"line"])
        assert caplog.messages == [said] * times
        marks.append("m-7", [b"line"])
    assert (mark := marks.read("1"))
    assert mark.length == 3 + 8, "what failed is made up for by the next"


def test_a_pipe_in_the_place_of_a_mark_is_not_opened(
    folder: Path, marks: Marks, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir()
    os.mkfifo(folder / "1.mark")
    assert marks.read("1") is None
    marks.put(MARK)
    assert "cannot be marked" in caplog.messages[-1]


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_marks_are_closed_and_open_again(folder: Path, marks: Marks) -> None:
    before = open_files()
    marks.put(MARK)
    marks.put(Mark("bar", "m-8", 0, 0, ""))
    assert open_files() == before + 2
    marks.close()
    marks.close()
    assert open_files() == before
    marks.put(Mark("1", "m-9", 0, 0, ""))
    assert (mark := marks.read("1"))
    assert mark.match == "m-9"


def test_the_mark_of_a_match_is_that_of_its_row_and_its_lines(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "hub.db")) as db:
        db.execute("INSERT INTO matches (id, \"table\", head, cuts, resumed) VALUES ('m-7', '1', x'00', 2, 4)")
        insert_entries(db, "m-7", [LogEntry(number, line) for number, line in enumerate([b"a", b"b", b"c"])])
        assert mark_of(db, "m-7") == MARK
        assert mark_of(db, "m-8") is None


def test_lines_that_were_written_before_a_sync_count_for_the_next_one_only_once(
    marks: Marks, synced: list[str]
) -> None:
    marks.put(MARK, sync=False)
    marks.append("m-7", [b"line"] * 15)
    assert "1.mark" not in synced, "these are fifteen"
    marks.append("m-7", [b"line"])
    assert synced[-1] == "1.mark"


def test_the_rank_of_a_mark_rises_with_each_match_that_is_resumed_or_begun() -> None:
    ranks = [
        Mark("1", match, 0, 0, "", resumed).rank for match, resumed in (("m-2", 0), ("m-10", 0), ("m-3", 1), ("m-4", 1))
    ]
    assert ranks == sorted(set(ranks))
    assert ranks[0] == (0, 2)
