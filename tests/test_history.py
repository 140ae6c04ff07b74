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
from hub.authoring.players import random_match
from hub.engine.match import Match
from hub.engine.text import english, to_json
from hub.errors import HubError
from hub.ports import LogEntry
from hub.state import GameHistory, History, PastMatch, SeatHistory
from hub.store import Store, wipe_logs
from hub.store.history import FEWEST, UNEVEN, as_text, chi_square_tail, history, judge
from hub.store.schema import connect

pytestmark = pytest.mark.real_time

GAME = games.find("bid-and-bait")
GAMES = [games.find(name) for name in games.names()]
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
        "id", "table", "title", "begun", "minutes", "seats", "winners", "kept",
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
    past = PastMatches(state / "table-hub.db", lambda: GAMES, lambda: now[0])
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


# --- to the letter -----------------------------------------------------------------------------------------


def past(number: int, title: str, minutes: float | None, seats: list[int], winners: list[int]) -> PastMatch:
    return PastMatch(f"m-{number}", "1", title, "2026-11-22 20:00:00", minutes, seats, winners)


def test_the_text_of_the_command_is_a_table() -> None:
    found = History(
        played=2,
        matches=[
            past(2, "Bid-It", 31.4, [1, 2], [1, 2]),
            past(1, "Bidness", None, [2, 3], [3]),
            past(0, "Bid-It", 7.5, [1], []),
        ],
        games=[GameHistory("Bid-It", 2, 7.5, 19.4, 31.4), GameHistory("Bidness", 1, 0, 0, 0)],
        seats=[SeatHistory(1, 2, 1, 1.5), SeatHistory(2, 10, 0, 2.0)],
        dice=[judge("read", [20, 20, 20, 20, 20, 26]), judge("typed", [1, 2, 3, 4, 5, 6]), judge("hub", [0] * 6)],
    )
    assert (
        as_text(found)
        == """\
2 matches finished.

Minutes (least, middle, most):
  Bid-It                  2 x       8    19    31
  Bidness                 1 x       0     0     0

Wins by seat:
  Seat 1: 1 of 2, 1.5 if all were equal
  Seat 2: 0 of 10, 2 if all were equal

Dice, by face from 1 to 6:
  read by a reader: 20 20 20 20 20 26. No sign that they are unfair. Fair dice would be as uneven as this, or more, \
in 92 of 100 cases. (chi-square 1.43, p = 0.92)
  typed: 1 2 3 4 5 6. Too few dice to tell: 21. At least 60 are needed.
  by the hub: 0 0 0 0 0 0. Too few dice to tell: 0. At least 60 are needed.

The newest:
  m-2     2026-11-22 20:00:00  table 1  Bid-It, 31 min, won by seat 1 and seat 2
  m-1     2026-11-22 20:00:00  table 1  Bidness, won by seat 3
  m-0     2026-11-22 20:00:00  table 1  Bid-It, 8 min, won by nobody
"""
    )
    few = as_text(History(played=1, matches=[], games=[], seats=[], dice=[]))
    assert few.startswith("1 match finished.\n\nMinutes")
    assert "\nDice, by face from 1 to 6:\n  none so far\n\nThe newest:\n" in few


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (1.0, "in 100 of 100 cases"),
        (0.374, "in 37 of 100 cases"),
        (0.1, "in 10 of 100 cases"),
        (0.0999, "in 1 of 10 cases"),
        (0.0625, "in 1 of 16 cases"),
        (0.0101, "in 1 of 99 cases"),
        (0.01, "in 1 of 100 cases"),
        (0.00395, "in 1 of 250 cases"),
        (0.0004, "in 1 of 2500 cases"),
        (0.0000123, "in 1 of 81000 cases"),
        (1e-6, "in 1 of 1000000 cases"),
        (9.9e-7, "in less than 1 of a million cases"),
    ],
)
def test_a_probability_is_told_in_cases(p: float, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.store.history.chi_square_tail", lambda *_: p)
    assert f"{words}" in judge("read", [10] * 6).verdict


@pytest.mark.parametrize(
    ("p", "begins"),
    [(0.05, "No sign"), (0.0499, "Somewhat uneven"), (0.001, "Somewhat uneven"), (0.00099, "Hardly fair")],
)
def test_the_verdict_changes_at_one_of_twenty_and_one_of_a_thousand(
    p: float, begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.store.history.chi_square_tail", lambda *_: p)
    assert judge("read", [10] * 6).verdict.startswith(begins)


def test_the_test_of_dice_has_five_degrees_of_freedom_and_two_digits() -> None:
    found = judge("hub", [5, 8, 9, 8, 10, 20])  # an example of Pearson's test: 13.4
    assert (found.kind, found.counts, found.square) == ("hub", [5, 8, 9, 8, 10, 20], 13.4)
    assert found.p == pytest.approx(0.0199, abs=0.0001)
    assert judge("hub", [10, 11, 12, 13, 14, 15]).square == 1.4


@pytest.mark.parametrize(
    ("freedom", "value", "tail"), [(2, 2.0, 0.367879), (4, 2.0, 0.735759), (1, 1.0, 0.317311), (3, 1.0, 0.801252)]
)
def test_the_tail_of_chi_square_is_exact_for_few_degrees_of_freedom(freedom: int, value: float, tail: float) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(tail, abs=1e-6)
    assert chi_square_tail(0.0, freedom) == chi_square_tail(-1.0, freedom) == 1.0


@pytest.fixture
def rows(tmp_path: Path) -> sqlite3.Connection:
    """A database to which `ended` adds matches."""
    return connect(tmp_path / "hub.db")


def ended(
    db: sqlite3.Connection, number: int, minutes: float, *, game: str = "bid-it", table: str = "1", **more: object
) -> None:
    head, result = {"game": game, "seats": [1, 2, 3], **more}, {"winners": more.get("winners", [2])}
    db.execute(
        """INSERT INTO matches (id, "table", head, result, begun, ended)
           VALUES (?, ?, ?, ?, datetime(0, 'unixepoch'), datetime(?, 'unixepoch'))""",
        (f"m-{number}", table, json.dumps(head).encode(), json.dumps(result).encode(), round(60 * minutes)),
    )


def test_the_newest_matches_are_shown_and_all_are_counted(rows: sqlite3.Connection) -> None:
    with closing(rows):
        for number in range(1, 21):
            ended(rows, number, 30 if number < 20 else 10, table="2" if number == 15 else "1")
        found = history(rows, {"bid-it": "Bid-It"})
        assert found.played == 20
        assert [match.id for match in found.matches] == [f"m-{number}" for number in range(19, 7, -1)], "by their ends"
        assert found.matches[4] == PastMatch(
            "m-15", "2", "Bid-It", "1970-01-01 00:00:00", 30.0, [1, 2, 3], [2], kept=False
        )
        assert found.games == [GameHistory("Bid-It", 20, 10.0, 30.0, 30.0)]
        assert (history(rows, {}, "2").played, history(rows, {}, "3").played) == (1, 0)
        assert history(rows, {}, "2").matches[0].title == "bid-it", "a game that this hub does not have"


def test_games_are_told_with_the_shortest_the_middle_and_the_longest_time(rows: sqlite3.Connection) -> None:
    with closing(rows):
        for number, (game, minutes) in enumerate(
            [
                ("a", 20),
                ("b", 7),
                ("b", 11),
                ("b", 40),
                ("b", 9.26),
                ("c", 0),
                ("c", -5),
                ("b", 721),
                ("c", 720),
                ("d", 721),
                ("e", 0.5),
            ]
        ):
            ended(rows, number, minutes, game=game)
        assert history(rows, {}).games == [
            GameHistory("b", 5, 7.0, 10.15, 40.0),
            GameHistory("c", 3, 720.0, 720.0, 720.0),
            GameHistory("d", 1, 0, 0, 0),
            GameHistory("a", 1, 20.0, 20.0, 20.0),
            GameHistory("e", 1, 0.5, 0.5, 0.5),
        ]


def test_wins_of_a_seat_stand_beside_its_share_of_them(rows: sqlite3.Connection) -> None:
    with closing(rows):
        ended(rows, 1, 5, seats=[1, 2], winners=[1])
        ended(rows, 2, 5, seats=[1, 2, 4], winners=[1, 4])
        ended(rows, 3, 5, seats=[4, 1, 2], winners=[])
        assert history(rows, {}).seats == [
            SeatHistory(1, 3, 2, 1.2), SeatHistory(2, 3, 0, 1.2), SeatHistory(4, 2, 1, 0.7),
        ]  # fmt: skip


def test_dice_are_told_by_who_has_read_them_in_this_order_and_only_if_there_are_any(rows: sqlite3.Connection) -> None:
    with closing(rows):
        for number, table in ((1, "1"), (2, "1"), (3, "2")):
            ended(rows, number, 5, table=table)
        for match, line, kind in (("m-1", 0, "hub"), ("m-2", 0, "read"), ("m-2", 1, "hub"), ("m-3", 0, "typed")):
            entry = {"seat": 0, "move": "roll", "args": {"faces": [1, 6], "read": kind}}
            rows.execute(
                "INSERT INTO entries VALUES (?, ?, ?)", (match, line, json.dumps(entry, separators=(",", ":")).encode())
            )
        assert [(one.kind, one.counts) for one in history(rows, {}).dice] == [
            ("read", [1, 0, 0, 0, 0, 1]), ("typed", [1, 0, 0, 0, 0, 1]), ("hub", [2, 0, 0, 0, 0, 2]),
        ]  # fmt: skip
        assert [one.kind for one in history(rows, {}, "1").dice] == ["read", "hub"]
