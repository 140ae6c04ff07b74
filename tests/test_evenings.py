"""What a venue has played, evening by evening: an evening ends at six, months are found, damage and names stay out."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from random import Random

import pytest

from hub import games
from hub.access import PastMatches
from hub.authoring.players import random_match
from hub.errors import HubError
from hub.evenings import AnsweredCall, evening_of
from hub.network.staff_messages import CallsOfEvening, Evenings, PlayedGame
from hub.store import Store
from hub.store.evenings import evenings
from tests.test_history import put

pytestmark = pytest.mark.real_time

TITLES = {"bid-and-bait": "Bid & Bait!", "goofspiel": "Goofspiel"}
TABLES = {"1": "Window"}
NOW = 1_796_000_000.0
"""In the evening of 2026-11-29."""


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The time zone of the machine: one hour ahead of UTC in winter, two in summer."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def unix(db: sqlite3.Connection, utc: str) -> int:
    return int(db.execute("SELECT strftime('%s', ?)", (utc,)).fetchone()[0])


@pytest.mark.parametrize(
    ("utc", "evening"),
    [
        ("2026-11-27 19:00:00", date(2026, 11, 27)),
        ("2026-11-28 04:59:59", date(2026, 11, 27)),
        ("2026-11-28 05:00:00", date(2026, 11, 28)),
        ("2026-07-01 03:59:59", date(2026, 6, 30)),
        ("2026-07-01 04:00:00", date(2026, 7, 1)),
    ],
)
def test_an_evening_lasts_until_six_in_the_morning_of_this_place(utc: str, evening: date) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        assert evening_of(unix(db, utc)) == evening


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Matches of two months at two tables, of which table 2 is not there any more."""
    bait, goof = games.find("bid-and-bait"), games.find("goofspiel")
    times = [
        ("1", bait, 3, "2026-10-31 19:00:00", 30), ("1", bait, 4, "2026-11-01 00:30:00", 40),  # of one evening
        ("1", bait, 3, "2026-11-27 19:00:00", 30), ("1", bait, 4, "2026-11-28 01:00:00", 31),
        ("2", goof, 2, "2026-11-27 20:00:00", 13 * 60), ("2", goof, 2, "2026-11-28 20:00:00", 20),
    ]  # fmt: skip
    with closing(Store(tmp_path / "table-hub.db")) as store:
        ids = [
            put(store, table, random_match(game, tuple(range(1, seats + 1)), {}, Random(1)))
            for table, game, seats, _, _ in times
        ]
        put(store, "1", random_match(bait, (1, 2), {}, Random(1)), over=False)
        calls = [AnsweredCall(1_795_805_000, 30), AnsweredCall(1_795_806_000, 50), AnsweredCall(1_795_890_000, 400)]
        store.keep(
            "1", "answered 2026-11", b"[" + b",".join(b"[%d,%d]" % (one.at, one.seconds) for one in calls) + b"]"
        )
        store.keep("2", "answered 2026-11", b"[[1795805500,70]]")
        store.keep("2", "answered 2026-10", b"[[1793000000,1]]")
    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:
        for match, (_, _, _, begun, minutes) in zip(ids, times, strict=True):
            db.execute(
                "UPDATE matches SET begun = ?, ended = datetime(?, ?) WHERE id = ?",
                (begun, begun, f"+{minutes} minutes", match),
            )
    return tmp_path


def read(state: Path, month: str = "") -> Evenings:
    with closing(sqlite3.connect(state / "table-hub.db")) as db:
        return evenings(db, TITLES, TABLES, NOW, month)


NOVEMBER = [
    PlayedGame("2026-11-27", "Window", "Bid & Bait!", 2, 7, 61),
    PlayedGame("2026-11-27", "2", "Goofspiel", 1, 2, 0),  # a match of 13 hours was interrupted
    PlayedGame("2026-11-28", "2", "Goofspiel", 1, 2, 20),
]


def test_the_newest_month_has_its_evenings_by_table_and_game(state: Path) -> None:
    found = read(state)
    assert (found.month, found.months) == ("2026-11", ["2026-10", "2026-11"])
    assert found.played == NOVEMBER


def test_a_match_after_midnight_belongs_to_the_month_of_its_evening(state: Path) -> None:
    found = read(state, "2026-10")
    assert found.played == [PlayedGame("2026-10-31", "Window", "Bid & Bait!", 2, 7, 70)]
    assert found.months == ["2026-10", "2026-11"]


def test_calls_are_told_with_their_middle_and_longest_time(state: Path) -> None:
    assert read(state).calls == [CallsOfEvening("2026-11-27", 3, 50, 70), CallsOfEvening("2026-11-28", 1, 400, 400)]
    assert read(state, "2026-09").calls == []


def test_a_month_without_matches_is_empty_and_so_is_a_new_hub(state: Path, tmp_path: Path) -> None:
    assert read(state, "2026-09") == Evenings("2026-09", ["2026-09", "2026-10", "2026-11"], [], [])
    with closing(Store(tmp_path / "new" / "table-hub.db")):
        assert read(tmp_path / "new") == Evenings("", [], [], [])


def test_a_damaged_row_is_left_out(state: Path) -> None:
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET head = x'ff' WHERE id = 'm-6'")
        db.execute("UPDATE matches SET begun = 'soon' WHERE id = 'm-5'")
        db.execute("UPDATE kept SET value = x'ff' WHERE \"table\" = '2'")
        db.execute("UPDATE matches SET \"table\" = CAST(x'ff32' AS TEXT) WHERE id = 'm-1'")
        db.execute("INSERT INTO kept VALUES ('3', 'answered 2026-11', ?)", (b"[[99999999999999999999,1]]",))
        db.execute("INSERT INTO kept VALUES ('4', 'answered 2026-11', ?)", (b"[[1795890000,-5]]",))
    past = PastMatches(state / "table-hub.db", lambda: [games.find(name) for name in TITLES])
    found = past.evenings(TABLES, "2026-11")
    assert found.played == NOVEMBER[:1]
    assert [(one.calls, one.longest) for one in found.calls] == [(2, 50), (2, 400)]


def test_no_name_and_no_seat_is_told(state: Path) -> None:
    with closing(Store(state / "table-hub.db")) as store:
        store.keep("1", "seats", b'[{"seat":1,"name":"Zacharias"}]')
        store.keep("1", "calls", b'["Zacharias"]')
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE entries SET line = CAST(replace(CAST(line AS TEXT), 'bid', 'Zacharias') AS BLOB)")
    assert "Zacharias" not in f"{read(state)}"
    assert set(PlayedGame.__struct_fields__) == {"evening", "table", "title", "matches", "seats", "minutes"}
    assert set(CallsOfEvening.__struct_fields__) == {"evening", "calls", "middle", "longest"}


def test_a_match_that_was_left_was_not_played(state: Path) -> None:
    with closing(Store(state / "table-hub.db")) as store:
        left = put(store, "1", random_match(games.find("bid-and-bait"), (1, 2), {}, Random(1)), over=False)
        store.end(left, b'{"left":true}')
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2026-11-27 19:00:00' WHERE id = ?", (left,))
        db.execute("UPDATE matches SET begun = '2026-12-01 19:00:00' WHERE result = ?", (b'{"left":true}',))
    assert (read(state).month, read(state).months) == ("2026-11", ["2026-10", "2026-11"])
    assert read(state).played == NOVEMBER


def test_a_month_of_a_clock_that_was_wrong_is_not_the_newest(state: Path) -> None:
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2099-01-01 19:00:00' WHERE id = 'm-6'")
    found = read(state)
    assert (found.month, found.months) == ("2026-11", ["2026-10", "2026-11", "2099-01"])
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET begun = '2099-01-01 19:00:00'")
    assert read(state).month == "2099-01", "there is no other"


def test_staff_get_them_through_the_past_of_the_hub(state: Path) -> None:
    past = PastMatches(state / "table-hub.db", lambda: [games.find("goofspiel")])
    titles = {one.title for one in past.evenings(TABLES, "2026-11").played}
    assert titles == {"Goofspiel", "bid-and-bait"}, "a game that is not there any more has its name"
    (state / "table-hub.db").write_bytes(b"not a database" * 100)
    with pytest.raises(HubError, match="cannot be read now"):
        past.evenings(TABLES, "")
