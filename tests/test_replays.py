"""A finished match, step by step: what everybody saw, and the hands once nothing of it can be taken back."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

import msgspec
import pytest

from hub import access, games, replays
from hub.access import PastMatches
from hub.authoring.players import random_action, random_match
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.match import Match
from hub.engine.text import english, to_json
from hub.errors import HubError, NoReplay
from hub.ports import LEFT, LogEntry
from hub.replays import kept, replay
from hub.state import Replay
from hub.store import Store, wipe_logs
from hub.table.views.snapshot import view
from tests.patience import PATIENCE
from tests.test_history import GAMES, put

pytestmark = pytest.mark.real_time


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "table-hub.db")) as opened:
        yield opened


def read(folder: Path, match: str, table: str = "1") -> Replay:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db:
        return replay(db, kept(db, table, match), GAMES)


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
    told, asked = 0, -1
    for entry in (None, *played.log):
        if entry:
            again.act(msgspec.convert({"seat": entry.seat, "move": entry.move, "args": entry.args}, type=Action))
        number = again.open.number if again.open else len(again.log)
        if (again.open and again.open.by_chance) or (number == asked and told == len(again.events)):
            continue
        asked, step = number, next(steps)
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


def test_a_match_that_nobody_finished_is_not_shown(tmp_path: Path, store: Store) -> None:
    played = matches("goofspiel", 1)[0]
    for end in ("by vote", "suspended and too old"):
        id_ = put(store, "1", played, over=False)
        if end == "by vote":
            store.end(id_, LEFT)
        else:
            store.put_aside(id_)
            put(store, "1", played)
        assert refusal(tmp_path, id_) == f"There is no finished match {id_} at this table.", end


def test_an_end_that_was_taken_back_and_made_otherwise_is_shown_as_it_is_now(tmp_path: Path, store: Store) -> None:
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    first, second = (random_match(games.find("goofspiel"), (1, 2), {}, Random(seed)) for seed in (1, 2))
    id_ = put(store, "1", first)
    shown = past.replay("1", id_)
    store.cut(id_, 0)
    store.append(id_, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(second.log)])
    store.end(id_, to_json(second.over))
    steps = json.loads(gzip.decompress(past.replay("1", id_)))["steps"]
    assert steps != json.loads(gzip.decompress(shown))["steps"]
    assert second.over
    assert steps[-1]["over"]["winners"] == list(second.over.winners)


@pytest.mark.parametrize("what", ["version", "form", "question", "state", "end"])
def test_a_log_to_which_the_rules_do_not_lead_is_not_shown(tmp_path: Path, store: Store, what: str) -> None:
    played = matches("goofspiel", 1)[0]
    head, log, over = (json.loads(to_json(part)) for part in (played.head, played.log, played.over))
    match what:
        case "version":
            head["version"] += 1
        case "form":
            head["v"] += 1
        case "question":
            log[3]["asked"] += 1
        case "state":
            log[-1]["state"] = "0" * 16
        case "end":
            over["winners"] = [seat for seat in played.head.seats if seat not in over["winners"]]
    id_ = store.begin("1", msgspec.json.encode(head))
    store.append(id_, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(log)])
    store.end(id_, to_json(over))
    assert refusal(tmp_path, id_) == "This match was played with other rules or cards, so it cannot be replayed."


@pytest.mark.parametrize("error", [KeyError(1), RecursionError(), SystemExit(0)])
def test_rules_that_fail_or_end_the_program_are_one_sentence(
    tmp_path: Path, store: Store, error: BaseException
) -> None:
    id_ = put(store, "1", matches("goofspiel", 1)[0])

    def deal(setup: object) -> None:
        raise error

    game = games.find("goofspiel")
    broken = msgspec.structs.replace(game, rulebook=game.rulebook._replace(deal=deal))
    past = PastMatches(tmp_path / "table-hub.db", lambda: [broken])
    with pytest.raises(NoReplay, match="other rules or cards"):
        past.replay("1", id_)


def test_a_sealed_choice_that_is_changed_a_thousand_times_is_one_step_and_a_log_has_a_limit(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, random = games.find("goofspiel"), Random(1)
    match, chance = Match(game, (1, 2), {"cards": 3}), Chance(1)
    chance.settle(match)
    for card in ("A", "2") * 500:
        match.act(Action(seat=1, move="bid", args={"card": card}))
    while match.open:
        match.act(random_action(match, random, chance))
    id_ = put(store, "1", match)
    assert len(match.log) > 1000
    assert len(read(tmp_path, id_).steps) < 10

    monkeypatch.setattr(replays, "MOST_ENTRIES", len(match.log))
    assert read(tmp_path, id_).steps
    monkeypatch.setattr(replays, "MOST_ENTRIES", len(match.log) - 1)
    assert refusal(tmp_path, id_) == "This match is too long to be replayed."


def test_the_history_and_known_replays_do_not_wait_for_one_that_is_being_made(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, other = (put(store, "1", match) for match in matches("goofspiel", 2))
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    past.replay("1", known)
    begun, go_on = Event(), Event()

    def slow(*given: Any) -> Replay:
        begun.set()
        assert go_on.wait(PATIENCE)
        return replay(*given)

    monkeypatch.setattr(access, "replay", slow)
    thread = Thread(target=past.replay, args=("1", other))
    thread.start()
    assert begun.wait(PATIENCE)
    assert past.read("1")
    assert past.replay("1", known)
    third = put(store, "1", matches("goofspiel", 1)[0])
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.replay("1", third)
    go_on.set()
    thread.join(PATIENCE)


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
