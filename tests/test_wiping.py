"""Finished matches lose their hands when the owner's time is over: in the file itself, and nothing else goes."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from hub import app, supervisor
from hub.__main__ import main
from hub.config import Config, HubPart, WebPart
from hub.errors import ConfigError
from hub.ports import LogEntry
from hub.store import READS_UP_TO, Store, wipe_logs
from hub.supervisor import Supervisor
from tests.phone_ui.rig import until
from tests.test_store import version_0

pytestmark = pytest.mark.real_time

HAND, LOGIN = b"secret-hand-of-seat-2", b"secret-login-of-seat-2"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with two finished matches and one that runs at table 1, and a finished one at table 2."""
    path = tmp_path / "state" / "table-hub.db"
    with closing(Store(path)) as store:
        for number, (table, ended) in enumerate([("1", True), ("1", True), ("2", True), ("1", False)], 1):
            store.begin(table, b"head of %d" % number)
            store.append(f"m-{number}", [LogEntry(0, b"%s in match %d" % (HAND, number))])
            if ended:
                store.end(f"m-{number}", b'{"winners":[2]}')
        store.keep("1", "places", LOGIN)
    return path


def age(path: Path, days: int) -> None:
    """Let all that has ended have ended so many days ago."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE matches SET ended = datetime('now', ?) WHERE result IS NOT NULL", (f"-{days} days",))


def logs(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [match for (match,) in db.execute('SELECT DISTINCT "match" FROM entries ORDER BY 1')]


def everything(path: Path) -> bytes:
    """All bytes that the database has on the disk."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob("table-hub.db*")))


def test_a_finished_match_loses_its_log_when_its_time_is_over_and_keeps_who_won(database: Path) -> None:
    age(database, 29)
    assert wipe_logs(database, 30) == 0
    age(database, 31)
    assert wipe_logs(database, 30) == 2
    assert logs(database) == ["m-3", "m-4"], "one that runs, and the newest of a table, stay"
    with closing(sqlite3.connect(database)) as db:
        kept = db.execute("SELECT head, result, ended IS NOT NULL FROM matches WHERE id = 'm-1'").fetchone()
    assert kept == (b"head of 1", b'{"winners":[2]}', 1)


def test_nothing_of_it_is_left_in_the_file_or_its_write_ahead_log(database: Path) -> None:
    assert b"secret-hand-of-seat-2 in match 1" in everything(database)
    wipe_logs(database, 0)
    left = everything(database)
    assert b"secret-hand-of-seat-2 in match 1" not in left
    assert b"secret-hand-of-seat-2 in match 4" in left


def test_a_login_that_was_given_back_is_not_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table-hub.db"
    with closing(Store(path)) as store:
        store.keep("1", "places", LOGIN * 3)
        store.keep("1", "places", b"[]")
    assert LOGIN not in everything(path)


def test_everything_is_wiped_before_a_pi_is_given_away(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = database.parent.parent / "table-hub.toml"
    config.write_text(f'[hub]\nstate = "{database.parent}"\n')
    assert main(["forget", "--config", f"{config}", "--all"]) == 0
    assert capsys.readouterr().out == "The hands of 3 finished matches are wiped; who won what stays.\n"
    assert logs(database) == ["m-4"], "a match that runs is not finished"
    assert LOGIN not in everything(database)


def test_a_match_that_runs_keeps_its_mark_when_all_others_are_wiped(database: Path) -> None:
    wipe_logs(database, 0, newest=True)
    assert sorted(mark.name for mark in (database.parent / "marks").iterdir()) == ["1.mark"]
    with closing(Store(database)) as store:
        assert store.missing("1") is None
        assert store.missing("2") is None, "what was wiped is not lost"


def test_forget_says_how_many_and_may_be_asked_while_the_hub_runs(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = database.parent.parent / "table-hub.toml"
    config.write_text(f'[hub]\nstate = "{database.parent}"\n')
    with closing(Store(database)) as store:
        assert main(["forget", "--config", f"{config}", "--days", "1"]) == 0
        assert capsys.readouterr().out == "The hands of 0 finished matches are wiped; who won what stays.\n"
        assert main(["forget", "--config", f"{config}"]) == 0
        assert capsys.readouterr().out == "The hands of 2 finished matches are wiped; who won what stays.\n"
        store.append("m-4", [LogEntry(1, b"played on")])
        assert len(store.load("m-4")[1]) == 2


@pytest.mark.broker
def test_all_of_it_is_refused_while_a_hub_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table-hub.toml"
    config.write_text(f'[hub]\nstate = "{tmp_path / "state"}"\n')
    with app.Hub(Config(hub=HubPart(state=f"{tmp_path / 'state'}"), web=WebPart(host="127.0.0.1", port=0))) as hub:
        hub.start()
        assert main(["forget", "--config", f"{config}", "--all"]) == 75
    assert "a hub runs with this state folder" in capsys.readouterr().err


@pytest.fixture
def running(database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A hub that runs with that database, whose owner keeps hands for a week; all matches ended 8 days ago."""
    monkeypatch.setattr(supervisor, "CHECK_SECONDS", 0.05)
    monkeypatch.setattr(supervisor, "FIRST_WIPE_SECONDS", 0.3)  # and never a second time: an evening is short
    with closing(sqlite3.connect(database)) as db, db:  # what was written here is no log of a game
        db.execute("UPDATE matches SET result = x'7B7D' WHERE id = 'm-4'")
        db.execute("DELETE FROM kept")
    age(database, 8)
    part = HubPart(state=f"{database.parent}", keep_days=7)
    with app.Hub(Config(hub=part, web=WebPart(host="127.0.0.1", port=0))) as hub:
        hub.start()
        waiting = threading.Thread(target=hub.wait)
        waiting.start()
        yield
        hub.stop()
        waiting.join(10)


@pytest.mark.broker
@pytest.mark.usefixtures("running")
def test_a_hub_that_runs_wipes_by_itself_after_the_owners_days(database: Path) -> None:
    until(lambda: logs(database) == ["m-3", "m-4"], "they are wiped")


@pytest.fixture
def jumping(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A wall clock that is set an hour on with each look."""
    read: list[float] = []

    def jump() -> float:
        read.append(time.time() + 3600 * len(read))
        return read[-1]

    monkeypatch.setattr(supervisor, "time", jump)
    monkeypatch.setattr(supervisor, "WIPE_SECONDS", 0.3)
    return read


@pytest.mark.broker
def test_a_clock_that_jumps_wipes_nothing(jumping: list[float], request: pytest.FixtureRequest, database: Path) -> None:
    request.getfixturevalue("running")
    until(lambda: len(jumping) >= 4, "it has looked three times")
    assert logs(database) == ["m-1", "m-2", "m-3", "m-4"]


def test_a_match_that_nobody_takes_up_again_is_left_and_loses_its_hands(database: Path) -> None:
    with closing(Store(database)) as store:
        store.put_aside("m-4")
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("UPDATE matches SET put_aside = datetime('now', '-6 days') WHERE id = 'm-4'")
    wipe_logs(database, 5, aside_days=7)
    assert "m-4" in logs(database)
    with closing(Store(database)) as store:
        store.begin("1", b"head of 5")
        store.append("m-5", [LogEntry(0, b"played")])
    wipe_logs(database, 5, aside_days=6)
    assert "m-4" not in logs(database)
    with closing(Store(database)) as store:
        assert store.all_put_aside("1") == []


def test_a_table_wipes_one_match_that_is_over_and_misses_nothing_at_the_next_start(database: Path) -> None:
    with closing(Store(database)) as store:
        store.wipe("m-3")
        store.wipe("m-4")
    assert logs(database) == ["m-1", "m-2", "m-4"], "one that runs is not wiped"
    left = everything(database)
    assert b"secret-hand-of-seat-2 in match 3" not in left
    assert b"secret-hand-of-seat-2 in match 4" in left
    with closing(Store(database)) as store:
        assert store.missing("2") is None
        assert store.missing("1") is None
        last = store.last("2")
        assert last is not None
        assert last.result == b'{"winners":[2]}'


def test_when_a_match_began_is_known(database: Path) -> None:
    with closing(Store(database)) as store:
        begun = store.started_at("m-4")
        assert begun is not None
        assert abs(begun - time.time()) < 600
        assert store.started_at("m-99") is None


@pytest.fixture
def resumed(database: Path) -> Path:
    """Table 1 has resumed m-4, and played m-5 before that."""
    with closing(Store(database)) as store:
        store.put_aside("m-4")
        store.append(store.begin("1", b"head of 5"), [LogEntry(0, b"%s in match 5" % HAND)])
        store.end("m-5", b'{"winners":[1]}')
        store.take_up("m-4")
    return database


@pytest.mark.parametrize("over", [True, False])
def test_the_match_that_a_table_shows_last_keeps_its_log_also_if_it_was_resumed(resumed: Path, over: bool) -> None:
    with closing(Store(resumed)) as store:
        if over:
            store.end("m-4", b'{"winners":[2]}')
    assert wipe_logs(resumed, 0) == 3
    assert logs(resumed) == ["m-3", "m-4"], "those that the tables played last, not the newest row of table 1"
    assert wipe_logs(resumed, 0, newest=True) == 1 + over
    assert [mark.name for mark in (resumed.parent / "marks").iterdir()] == ([] if over else ["1.mark"])
    with closing(Store(resumed)) as store:
        assert (store.missing("1"), store.missing("2")) == (None, None), "what was wiped is not lost"


def test_a_database_of_the_first_form_is_wiped_as_well_and_a_newer_one_is_left_alone(tmp_path: Path) -> None:
    version_0(tmp_path / "hub.db")
    assert wipe_logs(tmp_path / "hub.db", 0) == 0, "no match there has ended and has a log"
    with closing(sqlite3.connect(tmp_path / "hub.db")) as db:
        db.execute("UPDATE matches SET result = x'7b7d', ended = CURRENT_TIMESTAMP WHERE id = 'm-4'")
        db.execute(f"PRAGMA user_version={READS_UP_TO + 1}")
        db.commit()
    with pytest.raises(ConfigError, match="newer table-hub"):
        wipe_logs(tmp_path / "hub.db", 0, newest=True)
    assert logs(tmp_path / "hub.db") == ["m-4"]


def test_a_match_that_was_set_aside_before_another_keeps_no_mark(database: Path) -> None:
    """Its table's mark is about the match that is wiped."""
    with closing(Store(database)) as store:
        store.set_aside(store.begin("3", b"head of 5"), "Other rules.")
        store.append(store.begin("3", b"head of 6"), [LogEntry(0, HAND)])
        store.end("m-6", b'{"winners":[1]}')
    wipe_logs(database, 0, newest=True)
    assert [mark.name for mark in (database.parent / "marks").iterdir()] == ["1.mark"]
    with closing(Store(database)) as store:
        assert store.missing("3") is None


def test_a_database_of_a_later_hub_is_left_alone_and_the_journal_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Store(tmp_path / "table-hub.db").close()
    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db:
        db.execute("PRAGMA user_version=99")
    owner = SimpleNamespace(state=tmp_path, keep_days=1, aside_days=1)
    Supervisor._wipe(cast("Supervisor", SimpleNamespace(_config=SimpleNamespace(hub=owner))))
    (record,) = caplog.records
    assert "99" in record.message
