"""The rows of matches and entries: what is counted, and what of it is found again."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hub.ports import LastMatch, Length, LogEntry, MatchPutAside
from hub.store import queries
from hub.store.queries import (
    count_rolls,
    finished_after,
    insert_entries,
    insert_finished,
    last_match,
    lengths,
    lines_of,
    matches_put_aside,
    number_of,
    store_rolls,
    stored_rolls,
)
from hub.store.schema import connect

pytestmark = pytest.mark.real_time

HEAD = {"game": "bid-it", "options": {"cards": 13}, "seats": [1, 2, 4]}
WON = b'{"winners":[2]}'
LEFT = b'{"left":true}'
NULL = b"null"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("queries") / "hub.db"


@pytest.fixture
def db(file: Path) -> Iterator[sqlite3.Connection]:
    file.unlink(missing_ok=True)
    with closing(connect(file)) as made:
        made.execute("PRAGMA journal_mode=MEMORY")
        made.execute("PRAGMA synchronous=OFF")
        yield made


def put(
    db: sqlite3.Connection, match: str, *, table: str = "1", head: object = None, result: bytes | None = WON,
    ended: str | None = "2026-11-22 20:30:00", lines: Sequence[bytes] = (), **more: object,
) -> str:  # fmt: skip
    """Write a match that began on November 22, 2026, at 20:00."""
    there = {
        "id": match, "table": table, "head": json.dumps(HEAD | (head if isinstance(head, dict) else {})).encode(),
        "result": result, "begun": "2026-11-22 20:00:00", "ended": ended, **more,
    }  # fmt: skip
    if isinstance(head, bytes):
        there["head"] = head
    names = ", ".join(f'"{name}"' for name in there)
    db.execute(f"INSERT INTO matches ({names}) VALUES ({', '.join('?' * len(there))})", [*there.values()])
    insert_entries(db, match, [LogEntry(number, line) for number, line in enumerate(lines)])
    return match


@pytest.mark.parametrize(
    ("match", "number"),
    [("m-1", 1), ("m-120", 120), ("7", 7), ("m-", 0), ("m-x1", 0), ("n-1", 0), ("m-٣", 0), ("m-²", 0), ("", 0)],
)
def test_the_number_of_a_match_is_in_its_id(match: str, number: int) -> None:
    assert number_of(match) == number


def test_lines_are_those_of_one_match_in_their_order(db: sqlite3.Connection) -> None:
    put(db, "m-1")
    put(db, "m-2", lines=[b"other"])
    insert_entries(db, "m-1", [LogEntry(2, b"c"), LogEntry(0, b"a")])
    insert_entries(db, "m-1", [LogEntry(1, b"b")])
    assert lines_of(db, "m-1") == [b"a", b"b", b"c"]


# --- which match a table plays -----------------------------------------------------------------------------------


def test_the_last_match_of_a_table_is_the_newest_of_those_that_were_resumed_last(db: sqlite3.Connection) -> None:
    put(db, "m-1", result=None, resumed=1)
    put(db, "m-2", result=WON)
    put(db, "m-3", table="2", result=None, aside="Other rules.")
    put(db, "m-4", table="3", result=None, aside="An earlier hub reads this.", put_aside="2026-11-22 21:00:00")
    assert last_match(db, "1") == LastMatch("m-1")
    assert last_match(db, "2") == LastMatch("m-3", None, "Other rules.")
    assert last_match(db, "3") == LastMatch("m-4", None, None, put_aside=True)
    assert last_match(db, "4") is None
    put(db, "m-5", result=WON, resumed=1)
    assert last_match(db, "1") == LastMatch("m-5", WON)


def test_suspended_matches_are_told_with_their_time_and_length_the_last_one_first(db: sqlite3.Connection) -> None:
    aside = "2026-11-22 21:00:00"
    put(db, "m-1", result=None, put_aside=aside, lines=[b"a", b"b"], head=b"{1}")
    put(db, "m-2", result=None, put_aside="2026-11-22 21:00:07", head=b"{2}")
    put(db, "m-3", result=WON, put_aside=aside)
    put(db, "m-4", result=None)
    put(db, "m-5", table="2", result=None, put_aside=aside)
    began = 1_795_381_200
    assert matches_put_aside(db, "1") == [
        MatchPutAside("m-2", b"{2}", began + 7, 0), MatchPutAside("m-1", b"{1}", began, 2),
    ]  # fmt: skip


# --- how long matches take -----------------------------------------------------------------------------------------


def test_lengths_are_those_of_the_same_game_with_as_many_seats(db: sqlite3.Connection) -> None:
    put(db, "m-1", lines=[b"a", b"b", b"c"])
    put(db, "m-2", head={"seats": [1, 2]})
    put(db, "m-3", head={"game": "bidness"})
    put(db, "m-4", result=LEFT)
    put(db, "m-5", result=None)
    put(db, "m-6", ended=None)
    put(db, "m-7", head=b"rubbish")
    put(db, "m-8", result=b"[]")
    put(db, "m-9", head=b"[]")
    put(db, "m-10", ended="2026-11-22 21:00:00", head={"seats": [3, 5, 6]}, table="2")
    found = lengths(db, "bid-it", 3)
    assert [(round(one.minutes, 3), one.entries) for one in found] == [(60.0, 0), (30.0, 3)], "the newest first"
    assert isinstance(found[0], Length)
    assert [one.entries for one in lengths(db, "bid-it", 2)] == [0]
    assert lengths(db, "bid-it", 4) == []


def test_only_the_newest_lengths_are_looked_for(db: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 8):
        put(db, f"m-{number}", lines=[b"x"] * number, head={"game": "other"} if number == 6 else None)
    monkeypatch.setattr(queries, "MOST_LENGTHS", 2)
    assert [one.entries for one in lengths(db, "bid-it", 3)] == [7, 5]
    monkeypatch.setattr(queries, "MOST_LENGTHS", 60)
    monkeypatch.setattr(queries, "LOOKED_AT", 4)
    assert [one.entries for one in lengths(db, "bid-it", 3)] == [7, 5, 4]


# --- finished matches ------------------------------------------------------------------------------------------------


def told(db: sqlite3.Connection, number: int = 0, most: int = 9) -> list[tuple[int, dict[str, object]]]:
    return [(one, json.loads(line)) for one, line in finished_after(db, number, most)]


def test_a_finished_match_is_written_in_one_short_line(db: sqlite3.Connection) -> None:
    insert_finished(db, put(db, "m-1", table="bar", lines=[b"a", b"b"]))
    line = (
        b'{"match":"m-1","table":"bar","game":"bid-it","options":{"cards":13},"seats":3,"actions":2,"minutes":30.0,'
        b'"ended":1795379400,"replaces":null}'
    )
    assert finished_after(db, 0, 9) == [(1, line)]


@pytest.mark.parametrize(
    ("ended", "minutes"),
    [
        ("2026-11-22 20:00:00", 0.0),
        ("2026-11-22 19:59:54", None),
        ("2026-11-22 20:02:03", 2.0),
        ("2026-11-22 20:02:05", 2.1),
        ("2026-11-23 07:59:00", 719.0),
        ("2026-11-23 08:00:30", None),
        ("no date", None),
    ],
)
def test_minutes_of_a_match_that_cannot_be_are_left_out(
    db: sqlite3.Connection, ended: str, minutes: float | None
) -> None:
    insert_finished(db, put(db, "m-1", ended=ended))
    assert [one["minutes"] for _, one in told(db)] == ([minutes] if ended != "no date" else [])


def test_a_date_of_before_1970_is_its_first_second(db: sqlite3.Connection) -> None:
    insert_finished(db, put(db, "m-1", ended="1969-01-01 00:00:00"))
    insert_finished(db, put(db, "m-2", ended="1970-01-01 00:00:01"))
    assert [one["ended"] for _, one in told(db)] == [0, 1]


def test_a_match_that_was_not_played_to_its_end_tells_nothing(db: sqlite3.Connection) -> None:
    for number, (head, result) in enumerate(
        [(None, LEFT), (None, b"{"), (None, NULL), (b"[]", WON), (b'{"game":"x","seats":[1]}', WON), (b"{", WON)]
    ):
        insert_finished(db, put(db, f"m-{number}", head=head, result=result))
    insert_finished(db, "m-99")
    assert told(db) == []


def test_a_match_that_ends_again_replaces_what_it_told_before(db: sqlite3.Connection) -> None:
    for match in ("m-1", "m-2", "m-1", "m-1"):
        if match not in [one for (one,) in db.execute("SELECT id FROM matches")]:
            put(db, match)
        insert_finished(db, match)
    assert [(number, one["match"], one["replaces"]) for number, one in told(db)] == [
        (1, "m-1", None), (2, "m-2", None), (3, "m-1", 1), (4, "m-1", 3),
    ]  # fmt: skip
    assert [number for number, _ in told(db, 1, 2)] == [2, 3]
    assert told(db, 4) == []


# --- dice ----------------------------------------------------------------------------------------------------------------


def roll(*faces: object, **args: object) -> bytes:
    entry = {"seat": 0, "move": "roll", "args": {"faces": faces, **args}}
    return json.dumps(entry, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (roll(1, 6, 6), {("typed", 1): 1, ("typed", 6): 2}),
        (roll(2, read="read"), {("read", 2): 1}),
        (roll(2, read="hub"), {("hub", 2): 1}),
        (roll(2, read="typed"), {("typed", 2): 1}),
        (roll(2, read="guessed"), {}),
        (roll(0, 7, 8, 5), {("typed", 5): 1}),
        (roll(), {}),
        (roll(1).replace(b'"seat":0', b'"seat":1'), {}),
        (roll(1).replace(b'"roll"', b'"pick"'), {}),
        (roll(1).replace(b"faces", b"other"), {}),
        (roll(1)[:-1], {}),
        (b'{"seat":0,"move":"roll","args":[]}', {}),
        (b'{"seat":0,"move":"roll"}', {}),
        (b'{"seat":0,"move":"roll","args":{"faces":null}}', {}),
        (b'[{"seat":0,"move":"roll"}]', {}),
    ],
)
def test_faces_of_dice_are_counted_by_who_has_read_them(line: bytes, counts: dict[tuple[str, int], int]) -> None:
    assert count_rolls([line]) == counts
    assert count_rolls([line, roll(3), line]) == Counter(counts) + Counter(counts) + Counter({("typed", 3): 1})


def test_counts_of_dice_outlive_the_logs_of_matches_that_were_played_to_their_end(db: sqlite3.Connection) -> None:
    put(db, "m-1", lines=[roll(1, 6), roll(6, read="hub")])
    put(db, "m-2", lines=[roll(6, 6)])
    put(db, "m-3", table="2", lines=[roll(6)])
    put(db, "m-4", result=LEFT, lines=[roll(4)])
    for match in ("m-1", "m-2", "m-3", "m-4"):
        store_rolls(db, match)
    assert stored_rolls(db, "1") == {("typed", 1): 1, ("typed", 6): 3, ("hub", 6): 1}
    assert stored_rolls(db, "2") == {("typed", 6): 1}
    assert stored_rolls(db, "3") == {}
    assert stored_rolls(db, "") == {("typed", 1): 1, ("typed", 6): 4, ("hub", 6): 1}
    db.execute("DROP TABLE rolled")
    assert stored_rolls(db, "") == {}, "an earlier hub kept none"
