"""A finished match, step by step: what everybody saw, and the hands once nothing of it can be taken back."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hub import access, games
from hub.access import PastMatches
from hub.authoring.players import random_match
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.engine.text import english
from hub.errors import HubError, NoReplay
from hub.replays import replay
from hub.state import Replay
from hub.store import Store, wipe_logs
from hub.table.views.snapshot import view
from tests.test_history import GAMES, put

pytestmark = pytest.mark.real_time


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "table-hub.db")) as opened:
        yield opened


def read(folder: Path, match: str, table: str = "1") -> Replay:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db:
        return replay(db, table, match, GAMES)


def refusal(folder: Path, match: str, table: str = "1") -> str:
    with pytest.raises(NoReplay) as refused:
        read(folder, match, table)
    return english(refused.value.sentence)


def matches(name: str, number: int) -> list[Match]:
    least, most = games.find(name).seats
    return [random_match(games.find(name), tuple(range(1, least + n % (most - least + 1) + 1)), {}, Random(n)) for n in range(number)]  # fmt: skip


@pytest.mark.parametrize("name", games.names())
def test_each_step_is_what_everybody_saw_then(tmp_path: Path, store: Store, name: str) -> None:
    played, later = matches(name, 2)
    id_ = put(store, "1", played)
    put(store, "1", later)
    found = read(tmp_path, id_)

    again, steps = Match(played.game, played.head.seats, played.head.options), iter(found.steps)
    told = 0
    for entry in (None, *played.log):
        if entry:
            again.act(msgspec.convert({"seat": entry.seat, "move": entry.move, "args": entry.args}, type=Action))
        if again.open and again.open.by_chance:
            continue
        step = next(steps)
        assert step.view == view(again)
        assert step.hands == {f"{seat}": again.view(seat)["you"] for seat in again.setup.seats}
        assert [event.text for event in step.events] == [event.text for event in again.events[told:]]
        told = len(again.events)
    assert next(steps, None) is None
    assert found.steps[-1].over == played.over
    assert all(step.over is None for step in found.steps[:-1])
    assert (found.match, found.game, found.seats) == (id_, name, played.head.seats)


def test_the_hands_of_a_tables_last_match_are_not_shown_before_it_has_begun_another(
    tmp_path: Path, store: Store
) -> None:
    first, second = matches("goofspiel", 2)
    id_ = put(store, "1", first)
    assert all(step.hands == {} for step in read(tmp_path, id_).steps), "its last action can still be taken back"

    put(store, "2", second)
    assert all(step.hands == {} for step in read(tmp_path, id_).steps), "another table's match changes nothing"

    put(store, "1", second, over=False)
    assert all(len(step.hands) == len(first.head.seats) for step in read(tmp_path, id_).steps)


def test_nothing_is_told_of_a_match_that_may_go_on(tmp_path: Path, store: Store) -> None:
    under_way = put(store, "1", matches("goofspiel", 1)[0], over=False)
    assert refusal(tmp_path, under_way) == f"There is no finished match {under_way} at this table."
    store.put_aside(under_way)
    assert refusal(tmp_path, under_way) == f"There is no finished match {under_way} at this table."


def test_what_cannot_be_replayed_is_one_sentence(tmp_path: Path, store: Store) -> None:
    played = matches("goofspiel", 1)[0]
    id_ = put(store, "1", played)
    assert refusal(tmp_path, "m-99") == "There is no finished match m-99 at this table."
    assert refusal(tmp_path, id_, table="2") == f"There is no finished match {id_} at this table."

    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:
        db.execute(
            "UPDATE matches SET head = ?",
            (msgspec.json.encode({**msgspec.to_builtins(played.head), "digest": "0" * 16}),),
        )
    assert refusal(tmp_path, id_) == "This match was played with other rules or cards, so it cannot be replayed."

    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:
        db.execute("UPDATE matches SET head = ?", (msgspec.json.encode(played.head),))
        db.execute("UPDATE entries SET line = ? WHERE number = 3", (b'{"seat":1,"move":"fly","args":{},"asked":1}',))
    assert refusal(tmp_path, id_) == "This match was played with other rules or cards, so it cannot be replayed."

    wipe_logs(tmp_path / "table-hub.db", 0, newest=True)
    assert refusal(tmp_path, id_) == "This match is no longer kept. The hub only knows who won."


def test_pages_ask_as_often_as_they_like_and_a_wiped_log_is_gone_at_once(tmp_path: Path, store: Store) -> None:
    now = [0.0]
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES, lambda: now[0])
    ids = [put(store, "1", match) for match in matches("goofspiel", access.KEPT_REPLAYS + 2)]
    first = past.replay("1", ids[0])
    assert json.loads(gzip.decompress(first))["steps"][0]["hands"]
    for id_ in ids[1:]:
        now[0] += 1 / access.REPLAYS_EACH_SECOND
        assert past.replay("1", ids[0]) is first or id_ == ids[-1]
        past.replay("1", id_)
    assert past.replay("1", ids[0]) is not first, "only the newest are kept in memory"
    assert not json.loads(gzip.decompress(past.replay("1", ids[-1])))["steps"][0].get("hands")

    put(store, "1", matches("goofspiel", 1)[0])
    assert json.loads(gzip.decompress(past.replay("1", ids[-1])))["steps"][0]["hands"], "at once"

    wipe_logs(tmp_path / "table-hub.db", 0, newest=True)
    with pytest.raises(NoReplay):
        past.replay("1", ids[-1])

    with pytest.raises(NoReplay):
        past.replay("1", "m-99")

    (tmp_path / "table-hub.db").write_bytes(b"rubbish" * 1000)
    with pytest.raises(HubError, match="cannot be read now"):
        past.replay("1", ids[0])


def test_a_flood_of_requests_for_replays_costs_little_and_one_that_is_known_is_still_there(
    tmp_path: Path, store: Store
) -> None:
    now = [0.0]
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES, lambda: now[0])
    ids = [put(store, "1", match) for match in matches("goofspiel", access.KEPT_REPLAYS + 2)]
    for _ in range(3 * access.KEPT_REPLAYS):
        with pytest.raises(NoReplay):
            past.replay("1", "m-99")
    known = [past.replay("1", id_) for id_ in ids[: access.KEPT_REPLAYS]]
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.replay("1", ids[-1])
    assert past.replay("1", ids[0]) is known[0]

    now[0] += 1 / access.REPLAYS_EACH_SECOND
    assert past.replay("1", ids[-1])
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.replay("1", ids[-2])
