"""The matches of a database, looked at from outside, also beside the hub that writes it."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from hub import games
from hub.__main__ import main
from hub.chance import Chance
from hub.engine.match import Match
from hub.operations.matches import examine
from hub.operations.own_files import new_private_file
from hub.ports import LogEntry
from hub.store import Store, lock_state
from tests.test_store import files, version_0

pytestmark = pytest.mark.real_time


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration whose state folder holds a match that was set aside, one that is over and one under way."""
    state, file = tmp_path / "state", tmp_path / "hub.toml"
    file.write_text(f"[hub]\nstate = '{state}'\n")
    match = Match(games.find("bid-and-bait"), [1, 2, 3])
    Chance(1).settle(match)
    store = Store(state / "table-hub.db")
    for table in ("1", "2", "3"):
        begun = store.begin(table, msgspec.json.encode(match.head))
        store.append(begun, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(match.log)])
    store.set_aside("m-1", "Other rules.")
    store.end("m-2", b'{"winners":[1],"scores":{},"why":""}')
    store.begin("4", msgspec.json.encode(match.head))
    store.end("m-4", b'{"winners":[1],"scores":{},"why":""}')
    store.keep("1", "unreadable places", b"x")
    store.close()
    return file


def run(capsys: pytest.CaptureFixture[str], config: Path, *arguments: str) -> tuple[int, str, str]:
    code = main(["matches", "--config", str(config), *arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def exported(capsys: pytest.CaptureFixture[str], config: Path, match: str, to: Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["export", "--config", str(config), match, str(to)])
    output = capsys.readouterr()
    return code, output.out, output.err


def test_all_matches_are_listed_with_what_has_become_of_them(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, config)
    first, second, third, _ = out.splitlines()
    assert code == 0
    assert first.startswith("m-1 ")
    assert first.endswith("set aside: Other rules.")
    assert second.endswith("over")
    assert third.endswith("under way")
    assert "bid-and-bait" in third


@pytest.mark.parametrize("running", [False, True])
def test_looking_changes_nothing_beside_a_hub_or_without_one(config: Path, *, running: bool) -> None:
    state = config.parent / "state"
    if not running:
        before = files(state)
        record = examine(state)
        assert files(state) == before
    else:
        with lock_state(state):
            store = Store(state / "table-hub.db")
            store.append("m-3", [LogEntry(99, b"new")])
            before = files(state)
            record = examine(state)
            assert {name: data for name, data in files(state).items() if "shm" not in name} == {
                name: data for name, data in before.items() if "shm" not in name
            }
            store.append("m-3", [LogEntry(100, b"newer")])
            store.close()
    assert [match.id for match in record.at("under way")] == ["m-3"]
    assert [match.id for match in record.at("set aside")] == ["m-1"]
    assert record.damaged == (("1", "places"),)


def test_a_write_ahead_log_that_a_power_cut_has_left_is_read_and_left(config: Path) -> None:
    state = config.parent / "state"
    store = Store(state / "table-hub.db")
    store.begin("1", b"{}")
    left = files(state)
    store.close()
    for name, data in left.items():
        (state / name).write_bytes(data)
    (state / "table-hub.db-shm").unlink()
    before = files(state)
    assert examine(state).matches[-1].id == "m-5"
    assert files(state) == before


def test_the_log_of_a_match_that_was_set_aside_can_be_played_again(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "log.jsonl"
    assert exported(capsys, config, "m-1", to)[0] == 0
    assert stat.S_IMODE(to.stat().st_mode) == 0o600
    assert main(["replay", str(to)]) == 0
    assert '"ok":true' in capsys.readouterr().out
    code, _, err = exported(capsys, config, "m-1", to)
    assert (code, "is there already" in err) == (1, True)


def test_a_file_that_was_written_with_sudo_belongs_to_who_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "fchown", lambda _, user, group: given.append((user, group)))
    monkeypatch.delenv("SUDO_UID", raising=False)
    for number, user in (("one", None), ("two", "1000")):
        if user:
            monkeypatch.setenv("SUDO_UID", user)
        with new_private_file(tmp_path / number) as file:
            file.write(b"log")
    assert given == [(1000, -1)]


def test_a_folder_that_may_not_be_written_is_told_with_what_to_do(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refused(path: Path, flags: int, *mode: int, **more: int) -> int:
        if f"{path}".startswith(str(tmp_path / ".log")):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *mode, **more)

    monkeypatch.setattr(os, "open", refused)
    code, _, err = exported(capsys, config, "m-1", tmp_path / "log")
    assert code == 1
    assert "(Permission denied): run this command with sudo, or name another place." in err


@pytest.mark.parametrize(
    ("match", "sentence"), [("m-3", "is under way"), ("m-9", "no match m-9"), ("m-4", "was wiped")]
)
def test_what_cannot_be_exported_is_one_sentence(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], match: str, sentence: str
) -> None:
    code, out, err = exported(capsys, config, match, tmp_path / "log")
    assert (code, out, sentence in err, err.count("\n")) == (1, "", True, 1)
    assert not (tmp_path / "log").exists()


def test_no_database_an_old_one_a_damaged_one_and_a_newer_one_are_told_apart(tmp_path: Path) -> None:
    assert examine(tmp_path / "nowhere").matches == ()
    state = tmp_path / "state"
    state.mkdir()
    assert examine(state) == examine(tmp_path / "nowhere")
    version_0(state / "table-hub.db")
    found = examine(state)
    assert [(match.id, match.stage) for match in found.matches][-1] == ("m-4", "under way")
    assert [(match.id, match.stage, match.reason) for match in found.matches][1] == ("m-2", "set aside", "Rules 1.")
    with closing(sqlite3.connect(state / "table-hub.db")) as db:
        db.execute("PRAGMA user_version=9")
    assert "newer table-hub" in examine(state).error
    (state / "table-hub.db").write_bytes(b"rubbish" * 2000)
    (state / "table-hub.db.unreadable-2026-11-22T20-00-00Z").write_bytes(b"")
    (state / "table-hub.db.unreadable-2026-11-22T20-00-00Z-wal").write_bytes(b"")
    found = examine(state)
    assert "not a database" in found.error
    assert found.aside == ("table-hub.db.unreadable-2026-11-22T20-00-00Z",)


@pytest.mark.parametrize("which", ["m-1", "m-2"])
def test_of_those_set_aside_only_the_one_that_the_table_played_last_can_go_on(tmp_path: Path, which: str) -> None:
    """Match 1 was resumed after match 2."""
    with closing(Store(tmp_path / "table-hub.db")) as store:
        store.put_aside(store.begin("1", b"{}"))
        store.begin("1", b"{}")
        if which == "m-2":
            store.set_aside("m-2", "Other rules.")
        store.take_up("m-1")
        if which == "m-1":
            store.set_aside("m-1", "Other rules.")
    assert [match.id for match in examine(tmp_path).at("set aside")] == (["m-1"] if which == "m-1" else [])
