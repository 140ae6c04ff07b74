"""What is told of finished matches: public facts, a test of the dice that is right, and words that claim no more than it does."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hub import access, games
from hub.__main__ import main
from hub.access import PastMatches
from hub.engine.match import Match
from hub.engine.text import english, to_json
from hub.errors import HubError
from hub.ports import LogEntry
from hub.state import History
from hub.store import Store, wipe_logs
from hub.store.history import FEWEST, UNEVEN, chi_square_tail, history, judge
from tests.games.players import random_match

pytestmark = pytest.mark.real_time

GAME = games.find("bid-and-bait")
TITLES = {name: games.find(name).title for name in games.names()}


def put(store: Store, table: str, match: Match, *, over: bool = True) -> str:
    begun = store.begin(table, msgspec.json.encode(match.head))
    store.append(begun, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(match.log)])
    if over:
        store.end(begun, to_json(match.over))
    return begun


def rolled(*matches: Match) -> Counter[int]:
    return Counter(
        face for match in matches for entry in match.log if entry.move == "roll" and entry.seat == 0
        for face in entry.args["faces"]
    )  # fmt: skip


@pytest.fixture(scope="module")
def played() -> list[Match]:
    return [random_match(GAME, (1, 2, 3) if n % 2 else (1, 2, 3, 4), {}, Random(n)) for n in range(4)]


@pytest.fixture
def state(tmp_path: Path, played: list[Match]) -> Path:
    """A hub with two finished matches at table 1, one at table 2, one that was left and one under way."""
    folder = tmp_path / "state"
    with closing(Store(folder / "table-hub.db")) as store:
        put(store, "1", played[0])
        put(store, "2", played[1])
        put(store, "1", played[3], over=False)
        put(store, "1", played[2])  # the one before is left for it
        put(store, "2", played[3], over=False)
    with closing(sqlite3.connect(folder / "table-hub.db")) as db, db:
        db.execute(
            "UPDATE matches SET begun = '2026-11-22 20:00:00', ended = '2026-11-22 20:30:00' WHERE ended IS NOT NULL"
        )
        db.execute("UPDATE matches SET ended = '2026-11-23 20:30:00' WHERE id = 'm-4'")
    return folder


def read(state: Path, table: str = "") -> History:
    with closing(sqlite3.connect(state / "table-hub.db")) as db:
        return history(db, TITLES, table)


# --- the past --------------------------------------------------------------------------------------------


def test_only_matches_that_were_played_to_their_end_count(state: Path, played: list[Match]) -> None:
    found = read(state)
    assert found.played == 3
    assert [match.id for match in found.matches] == ["m-4", "m-2", "m-1"]
    assert [match.winners for match in found.matches] == [
        match.over.winners for match in (played[2], played[1], played[0]) if match.over
    ]
    assert sum((Counter(dict(enumerate(one.counts, 1))) for one in found.dice), Counter()) == rolled(*played[:3])


def test_a_match_that_was_resumed_and_finished_last_is_the_newest(tmp_path: Path, played: list[Match]) -> None:
    with closing(Store(tmp_path / "table-hub.db")) as store:
        first = put(store, "1", played[0], over=False)
        store.put_aside(first)
        for match in played * 3:
            put(store, "1", match)
        store.take_up(first)
        store.end(first, to_json(played[0].over))
    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET ended = datetime('now', '-1 hour') WHERE id <> ?", (first,))
    assert [match.id for match in read(tmp_path).matches[:2]] == [first, "m-13"]


def test_a_page_has_its_own_table_only(state: Path, played: list[Match]) -> None:
    found = read(state, "2")
    assert [match.id for match in found.matches] == ["m-2"]
    assert [seat.seat for seat in found.seats] == list(played[1].head.seats)


def test_a_match_that_was_left_lying_overnight_counts_but_not_its_minutes(state: Path) -> None:
    (game,) = read(state).games
    assert (game.played, game.least, game.middle, game.most) == (3, 30.0, 30.0, 30.0)
    assert [match.minutes for match in read(state).matches] == [None, 30.0, 30.0]


def test_wins_are_beside_what_equal_seats_would_have(state: Path, played: list[Match]) -> None:
    found = read(state)
    won = Counter(seat for match in played[:3] if match.over for seat in match.over.winners)
    assert {seat.seat: seat.won for seat in found.seats} == {seat: won[seat] for seat in (1, 2, 3, 4)}
    assert {seat.seat: seat.played for seat in found.seats} == {1: 3, 2: 3, 3: 3, 4: 2}
    assert sum(seat.expected for seat in found.seats) == pytest.approx(sum(won.values()), abs=0.2)


def test_wiped_logs_leave_who_won_and_rubbish_costs_nothing(state: Path) -> None:
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("DELETE FROM entries")
        db.execute("INSERT INTO matches (id, \"table\", head, result) VALUES ('m-9', '1', x'5b5b', x'6e756c6c')")
        db.execute("INSERT INTO entries VALUES ('m-1', 0, x'7b226d6f7665223a22726f6c6c22')")
        db.execute("INSERT INTO entries VALUES ('m-1', 1, ?)", (b'{"seat":0,"move":"roll","args":[]}',))
    found = read(state)
    assert found.played == 3
    assert found.dice == []


def test_dice_stay_counted_when_their_logs_are_wiped(state: Path, played: list[Match]) -> None:
    before = {table: read(state, table).dice for table in ("", "1", "2")}
    assert before["1"] != before["2"]
    with closing(Store(state / "table-hub.db")) as store:
        store.wipe("m-4")  # as *Reset* does
        store.wipe("m-4")
        assert store.load("m-4")[1] == []
    assert {table: read(state, table).dice for table in before} == before
    for _ in range(2):
        wipe_logs(state / "table-hub.db", 0, newest=True)
        assert {table: read(state, table).dice for table in before} == before
    with closing(sqlite3.connect(state / "table-hub.db")) as db:
        assert db.execute('SELECT DISTINCT "match" FROM entries').fetchall() == [("m-5",)], "one is under way"
        assert set(db.execute("SELECT DISTINCT kind FROM rolled").fetchall()) <= {("read",), ("typed",), ("hub",)}


def test_what_is_told_names_nobody_and_shows_no_hand(state: Path) -> None:
    told = msgspec.to_builtins(read(state), enc_hook=english)
    assert {key for match in told["matches"] for key in match} == {
        "id", "table", "title", "begun", "minutes", "seats", "winners",
    }  # fmt: skip
    assert set(told) == {"played", "matches", "games", "seats", "dice"}


def test_the_command_prints_it(state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "hub.toml"
    config.write_text(f"[hub]\nstate = '{state}'\n[[table]]\nid = '1'\n[[table]]\nid = '2'\n")
    assert main(["history", "--config", str(config)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("3 matches finished.")
    assert "Bid & Bait!" in said
    assert "won by seat" in said
    assert main(["history", "--config", str(config), "--table", "2"]) == 0
    assert capsys.readouterr().out.startswith("1 match finished.")
    assert main(["history", "--config", str(config), "--table", "9"]) == 1
    config.write_text(f"[hub]\nstate = '{tmp_path / 'none'}'\n")
    assert main(["history", "--config", str(config)]) == 0
    assert capsys.readouterr().out == "No match has been finished yet.\n"


def test_pages_ask_as_often_as_they_like_and_the_logs_are_read_now_and_then(state: Path) -> None:
    now = [0.0]
    past = PastMatches(state / "table-hub.db", TITLES, lambda: now[0])
    first = past.read("1")
    assert json.loads(first)["played"] == 2
    with closing(sqlite3.connect(state / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET result = NULL")
    now[0] = access.HISTORY_SECONDS - 1
    assert past.read("1") is first
    now[0] = access.HISTORY_SECONDS
    assert json.loads(past.read("1"))["played"] == 0
    (state / "table-hub.db").write_bytes(b"rubbish" * 1000)
    now[0] *= 3
    with pytest.raises(HubError, match="cannot be read now"):
        past.read("1")


# --- the dice --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "value", "tail"),
    # Upper critical values of the chi-square distribution, NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4.
    [(1, 3.841, 0.05), (2, 5.991, 0.05), (3, 7.815, 0.05), (4, 9.488, 0.05), (5, 11.070, 0.05), (5, 9.236, 0.10),
     (5, 15.086, 0.01), (5, 20.515, 0.001), (10, 18.307, 0.05), (19, 30.144, 0.05)],
)  # fmt: skip
def test_the_tail_of_chi_square_is_that_of_the_tables(freedom: int, value: float, tail: float) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(tail, rel=2e-3)


def test_the_tail_begins_at_one_and_falls() -> None:
    tails = [chi_square_tail(value / 4, 5) for value in range(400)]
    assert tails[0] == 1.0
    assert tails == sorted(tails, reverse=True)
    assert 0 <= tails[-1] < 1e-15


def throw(random: Random, dice: int, weights: list[float]) -> list[int]:
    counts = Counter(random.choices(range(6), weights, k=dice))
    return [counts[face] for face in range(6)]


def judged(weights: list[float], dice: int, tables: int) -> Iterator[tuple[float, str]]:
    random = Random(7)
    for _ in range(tables):
        found = judge("read", throw(random, dice, weights))
        assert found.p is not None
        yield found.p, found.verdict


def test_of_tables_with_fair_dice_one_in_twenty_looks_uneven_and_hardly_one_unfair() -> None:
    every = list(judged([1] * 6, 120, 2000))
    assert sum(p < UNEVEN for p, _ in every) / 2000 == pytest.approx(0.05, abs=0.015)
    assert sum("Hardly fair" in verdict for _, verdict in every) <= 6
    for share in (0.25, 0.5, 0.75):
        assert sum(p < share for p, _ in every) / 2000 == pytest.approx(share, abs=0.04)


def test_loaded_dice_are_found_when_there_are_enough_throws() -> None:
    found = list(judged([1, 1, 1, 1, 1, 1.6], 600, 200))
    assert sum("Hardly fair" in verdict for _, verdict in found) >= 150


def test_no_verdict_comes_from_a_few_dice() -> None:
    found = judge("typed", [FEWEST - 1, 0, 0, 0, 0, 0])
    assert (found.p, found.square) == (None, None)
    assert found.verdict == "Too few dice to tell: 59. At least 60 are needed."
    assert judge("typed", [FEWEST, 0, 0, 0, 0, 0]).verdict.startswith("Hardly fair")


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([20, 20, 20, 20, 20, 20], "in 100 of 100 cases"),
        ([10, 30, 15, 25, 20, 20], "in 1 of"),
        ([120, 0, 0, 0, 0, 0], "million"),
    ],
)
def test_the_verdict_says_how_often_fair_dice_are_like_that(counts: list[int], words: str) -> None:
    assert words in judge("read", counts).verdict
