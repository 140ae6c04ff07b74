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
from unittest.mock import Mock

import msgspec
import pytest
from nacl.public import PrivateKey

from hub import access, games, replays
from hub.access import PastMatches
from hub.authoring.players import random_action, random_match
from hub.chance import Chance
from hub.engine.decision import Action, Answer, Choose, Move, OneOf, Order, ask_all, offer
from hub.engine.house_player import sight_of
from hub.engine.match import Match
from hub.engine.sight import Sight
from hub.engine.text import english, to_json
from hub.errors import HubError, NoReplay
from hub.games import goofspiel
from hub.network.encryption import HubKey
from hub.ports import LEFT, LogEntry
from hub.replays import Choice, Choices, choices, house_choices, kept, replay
from hub.state import Replay
from hub.store import Store, wipe_logs
from hub.table.dice.table_dice import TableDice
from hub.table.views.snapshot import view
from phone_ui.pages import make_app
from tests.docs.contract import check
from tests.patience import PATIENCE
from tests.phone_ui.rig import FakeTable
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


def played_again(played: Match) -> Iterator[Match]:
    """Play a match again, and stop at each step."""
    again = Match(played.game, played.head.seats, played.head.options)
    told, asked = 0, -1
    for entry in (None, *played.log):
        if entry:
            again.act(msgspec.convert({"seat": entry.seat, "move": entry.move, "args": entry.args}, type=Action))
        number = again.open.number if again.open else len(again.log)
        if (again.open and again.open.by_chance) or (number == asked and told == len(again.events)):
            continue
        asked, told = number, len(again.events)
        yield again


@pytest.mark.parametrize("name", games.names())
def test_each_step_is_what_everybody_saw_then(tmp_path: Path, store: Store, name: str) -> None:
    played, later = matches(name, 2)
    id_ = put(store, "1", played)
    put(store, "1", later)
    found = read(tmp_path, id_)

    told = 0
    for again, step in zip(played_again(played), found.steps, strict=True):
        assert step.view == view(again)
        assert step.hands == {f"{seat}": again.view(seat)["you"] for seat in again.setup.seats}
        assert [event.text for event in step.events] == [event.text for event in again.events[told:]]
        told = len(again.events)
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


# --- the odds of rolls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "rounded"), [("bid-and-bait", False), ("bidness", True)])
def test_a_roll_whose_goal_the_rules_state_has_the_odds_that_screens_showed(
    tmp_path: Path, store: Store, name: str, rounded: bool
) -> None:
    played = random_match(games.find(name), (1, 2, 3), {}, Random(1))
    seen = set()
    for again, step in zip(played_again(played), read(tmp_path, put(store, "1", played)).steps, strict=True):
        roll, wants = (again.open.roll, again.open.wants) if again.open else (None, None)
        if roll is None or wants is None:
            assert step.wants is None
            continue
        dice = TableDice(None, Mock(), Mock(), Mock())
        dice.request_roll("", roll, wants)
        public = dice.public(2)
        assert public
        assert step.wants == public.wants
        seen.add(bool(public.wants and public.wants.exact))
    assert rounded in seen


# --- what the house would have done ----------------------------------------------------------------------


def made(folder: Path, match: str) -> Choices:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db:
        return choices(db, kept(db, "1", match, with_hands=True), GAMES)


def put_two(store: Store, played: Match) -> str:
    """Put a match, and the beginning of another one, with which its hands are shown."""
    id_ = put(store, "1", played)
    put(store, "1", played, over=False)
    return id_


def house(past: PastMatches, match: str, step: int) -> list[dict[str, Any]]:
    answer = json.loads(past.house("1", match, step))
    check("openapi", {"$ref": "#/components/schemas/HouseChoices"}, answer)
    return list(answer["choices"])


@pytest.mark.parametrize("name", games.names())
def test_the_house_knows_at_each_step_what_the_seat_knew_that_chose(tmp_path: Path, store: Store, name: str) -> None:
    played = matches(name, 2)[1]
    found = made(tmp_path, put_two(store, played))
    at_dice, past, done = 0, list[Choice](), 0
    asked: dict[int, Sight] = {}
    for again, now in zip(played_again(played), found.steps, strict=True):
        did: dict[int, Answer | None] = {}
        for entry in again.log[done:]:
            roller = next((seat for seat, sight in asked.items() if sight.roll and entry.move == "roll"), 0)
            did[entry.seat or roller] = Answer(entry.move, entry.args) if entry.seat else None
        assert {choice.sight.seat: choice.did for choice in past} == {seat: did[seat] for seat in asked if seat in did}
        sights = {seat: sight for seat in again.setup.seats if (sight := sight_of(again, seat)) and sight.offers}
        for choice in now:
            knew = msgspec.structs.replace(choice.sight, events=choice.sight.events[: choice.told])
            assert knew == msgspec.structs.replace(sights[knew.seat], events=again.events[:])
            at_dice += choice.did is None
        past, asked, done = now, sights, len(again.log)
    assert found.steps[-1] == []
    assert at_dice if name == "bid-and-bait" else at_dice >= 0, "it rolled, and could have done something else"


def test_the_house_answers_alike_each_time_and_says_whether_the_person_did_the_same(
    tmp_path: Path, store: Store
) -> None:
    played = matches("goofspiel", 2)[1]
    id_ = put_two(store, played)
    found = [
        choice
        for step in range(1, 13)
        for choice in house(PastMatches(tmp_path / "table-hub.db", lambda: GAMES), id_, step)
    ]
    again = [
        choice
        for step in range(1, 13)
        for choice in house(PastMatches(tmp_path / "table-hub.db", lambda: GAMES), id_, step)
    ]
    assert found == again
    assert {choice["seat"] for choice in found} == set(played.head.seats)
    for choice in found:
        assert choice["same"] == (choice["did"] == choice["house"]["answer"])
        assert choice["did"]["move"] == choice["house"]["answer"]["move"] == "bid"
        assert choice["house"]["say"]
    assert {choice["same"] for choice in found} == {True, False}


def test_the_house_is_shown_exactly_as_long_as_the_hands_are(tmp_path: Path, store: Store) -> None:
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    first, second = matches("goofspiel", 2)
    id_ = put(store, "1", first)
    hidden = "What the house would have done is shown once this table plays another match."
    with pytest.raises(NoReplay, match=hidden):
        past.house("1", id_, 1)
    put(store, "2", second)
    with pytest.raises(NoReplay, match=hidden):
        past.house("1", id_, 1)

    later = put(store, "1", second, over=False)
    assert house(past, id_, 1)
    with closing(sqlite3.connect(tmp_path / "table-hub.db")) as db, db:  # as if an older backup was restored
        db.execute('DELETE FROM entries WHERE "match" = ?', (later,))
        db.execute("DELETE FROM matches WHERE id = ?", (later,))
    with pytest.raises(NoReplay, match=hidden):
        past.house("1", id_, 1)


def test_a_step_or_match_that_is_not_there_is_one_sentence(tmp_path: Path, store: Store) -> None:
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    id_ = put_two(store, matches("goofspiel", 1)[0])
    steps = len(read(tmp_path, id_).steps)
    assert house(past, id_, steps) == [], "nobody chooses at the end"
    for step in (0, steps + 1):
        with pytest.raises(NoReplay, match=f"This match has no step {step}."):
            past.house("1", id_, step)
    for table, match in (("1", "m-99"), ("2", id_)):
        with pytest.raises(NoReplay, match=f"There is no finished match {match} at this table."):
            past.house(table, match, 1)
    wipe_logs(tmp_path / "table-hub.db", 0, newest=True)
    with pytest.raises(NoReplay, match="no longer kept"):
        past.house("1", id_, 1)


def test_the_web_port_answers_for_a_step_by_its_number(tmp_path: Path, store: Store) -> None:
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    id_ = put_two(store, matches("goofspiel", 1)[0])
    table = FakeTable()
    table.house = lambda match, step: past.house("1", match, step)  # type: ignore[method-assign]
    client = make_app({"1": table}, HubKey(PrivateKey(bytes(32))), "hub", lambda: "", {}).test_client()
    answer = client.get(f"/t/1/replay/{id_}/house/1.json")
    assert answer.json == json.loads(past.house("1", id_, 1))
    for step in ("0", "x", "-1", "1" * 10):
        answer = client.get(f"/t/1/replay/{id_}/house/{step}.json")
        assert answer.status_code == 404
        assert json.loads(answer.data)["error"]
    assert client.get(f"/t/none/replay/{id_}/house/1.json").status_code == 404
    table.house = Mock(side_effect=HubError("Too many."))  # type: ignore[method-assign]
    assert client.get(f"/t/1/replay/{id_}/house/1.json").status_code == 503


class Broken:
    """A house player that fails, or gives a reason that fails."""

    def __init__(self, error: BaseException, *, chooses: bool) -> None:
        self.error, self.chooses = error, chooses

    def choose(self, sight: Sight, chance: object, strength: object) -> Answer:
        if not self.chooses:
            raise self.error
        return Answer(sight.offers[0].name, sight.offers[0].first())

    def reason(self, sight: object, chance: object, answer: object) -> str:
        raise self.error


@pytest.mark.parametrize("chooses", [True, False])
@pytest.mark.parametrize("error", [ValueError(), RecursionError(), SystemExit(0)])
def test_a_house_player_that_fails_spoils_only_its_own_answer(
    tmp_path: Path, store: Store, error: BaseException, chooses: bool
) -> None:
    id_ = put_two(store, matches("goofspiel", 1)[0])
    broken = msgspec.structs.replace(games.find("goofspiel"), house=Broken(error, chooses=chooses))
    found = house(PastMatches(tmp_path / "table-hub.db", lambda: [broken]), id_, 1)
    assert found
    for choice in found:
        assert choice["did"]["move"] == "bid"
        assert choice["house"] is None
        assert not choice["same"]


def test_a_game_without_a_house_player_says_so(tmp_path: Path, store: Store) -> None:
    id_ = put_two(store, matches("goofspiel", 1)[0])
    game = msgspec.structs.replace(games.find("goofspiel"), house=None)
    with pytest.raises(NoReplay, match="no house player"):
        PastMatches(tmp_path / "table-hub.db", lambda: [game]).house("1", id_, 1)


def test_other_rules_give_no_choices(tmp_path: Path, store: Store) -> None:
    id_ = put_two(store, matches("goofspiel", 1)[0])
    with pytest.raises(NoReplay, match="other rules or cards"):
        PastMatches(tmp_path / "table-hub.db", list).house("1", id_, 1)


@pytest.mark.parametrize(
    ("param", "did", "other", "same"),
    [
        (OneOf([1, 2]), 1, 1, True),
        (OneOf([1, 2]), 1, 2, False),
        (Choose([1, 2, 3], 0, 3), [1, 2], [2, 1], True),
        (Choose([1, 2, 3], 0, 3), [1, 2], [1, 3], False),
        (Order([1, 2]), [1, 2], [2, 1], False),
    ],
)
def test_two_answers_are_the_same_if_they_mean_the_same(param: Any, did: Any, other: Any, same: bool) -> None:
    sight = _sight([Move("take", {"what": param})])
    player = Mock(spec=["choose"], choose=Mock(return_value=Answer("take", {"what": other})))
    game = msgspec.structs.replace(games.find("goofspiel"), house=player)
    (found,) = house_choices(game, 1, [Choice(sight, 0, Answer("take", {"what": did}))]).choices
    assert found.same is same


def _sight(offers: list[Move]) -> Sight:
    sight = sight_of(next(played_again(matches("goofspiel", 1)[0])), 1)
    assert sight
    return msgspec.structs.replace(sight, offers=offers)


def test_to_roll_is_the_same_as_to_roll_and_not_as_a_move() -> None:
    sight = msgspec.structs.replace(_sight([Move("hold", {})]), roll=Mock())
    for answer, did, same in ((None, None, True), (None, Answer("hold", {}), False), (Answer("hold", {}), None, False)):
        player = Mock(spec=["choose"], choose=Mock(return_value=answer))
        game = msgspec.structs.replace(games.find("goofspiel"), house=player)
        (found,) = house_choices(game, 1, [Choice(sight, 0, did)]).choices
        assert found.same is same
        assert found.did == ({"move": "hold"} if did else None)


def test_the_last_of_several_sealed_choices_counts(tmp_path: Path, store: Store) -> None:
    match, chance = Match(games.find("goofspiel"), (1, 2), {"cards": 3}), Chance(1)
    chance.settle(match)
    for card in ("A", "2", "3", "2"):
        match.act(Action(seat=1, move="bid", args={"card": card}))
    while match.open:
        match.act(random_action(match, Random(1), chance))
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES)
    assert house(past, put_two(store, match), 1)[0]["did"] == {"move": "bid", "card": "2"}


def test_moves_that_hold_the_lists_of_a_state_stay_as_they_were(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(s: Any, moves: object, *rest: Any, **more: Any) -> Any:
        moves = {seat: [offer("bid", card=OneOf(bidder.hand))] for seat, bidder in s.seats.items()}
        return await ask_all(s, moves, *rest, **more)

    monkeypatch.setattr(goofspiel, "ask_all", ask)
    first = made(tmp_path, put_two(store, matches("goofspiel", 1)[0])).steps[0]
    assert len(first) == 2
    for choice in first:
        assert choice.did
        assert choice.sight.offers[0].accepts(choice.did.args)


def test_questions_about_the_house_are_bounded_and_wait_for_nobody(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES, lambda: now[0])
    played = matches("goofspiel", 2)
    id_ = put_two(store, played[1])
    seats, last = len(played[1].head.seats), len(made(tmp_path, id_).steps)
    monkeypatch.setattr(replays, "advise", lambda *_: None)
    for _ in range(int(access.HOUSE_BURST) // seats):
        past.house("1", id_, 1)
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.house("1", id_, 1)
    assert past.house("1", id_, last), "what costs nothing is answered"
    now[0] += seats / access.HOUSE_EACH_SECOND
    assert past.house("1", id_, 1)

    begun, go_on = Event(), Event()

    def slow(*given: Any) -> Choices:
        begun.set()
        assert go_on.wait(PATIENCE)
        return choices(*given)

    monkeypatch.setattr(access, "choices", slow)
    other = put_two(store, played[0])
    now[0] += 100
    thread = Thread(target=past.house, args=("1", other, 1))
    thread.start()
    assert begun.wait(PATIENCE)
    assert past.read("1")
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.house("1", id_, 1)
    go_on.set()
    thread.join(PATIENCE)


def test_going_to_other_matches_again_and_again_is_limited_and_leaves_replays_alone(
    tmp_path: Path, store: Store
) -> None:
    past = PastMatches(tmp_path / "table-hub.db", lambda: GAMES, lambda: 0.0)
    count = access.KEPT_CHOICES + 1
    ids = [put_two(store, match) for match in matches("goofspiel", count)]
    for number in range(access.KEPT_REPLAYS):
        assert past.house("1", ids[number % count], 1)
    for back in range(1, count):
        assert past.house("1", ids[(access.KEPT_REPLAYS - back) % count], 2), "the last matches again are free"
    with pytest.raises(HubError, match="Try again in a few seconds"):
        past.house("1", ids[access.KEPT_REPLAYS % count], 1)
    assert past.replay("1", ids[0]), "replays have a limit of their own"
