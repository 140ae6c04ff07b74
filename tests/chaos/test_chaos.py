"""A short run of `make chaos`, and whether it would notice what it looks for."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from hub import games
from hub.authoring.players import random_match
from hub.engine.decision import CHANCE
from hub.engine.match import Entry, Match
from tests.chaos.__main__ import chaos
from tests.chaos.plan import KINDS, plan
from tests.chaos.players import Asked, Seen
from tests.chaos.verdict import check_match, is_promised


@pytest.mark.slow
@pytest.mark.broker
@pytest.mark.parametrize("seed", [5])
def test_what_was_promised_is_in_the_log_whatever_fails_meanwhile(seed: int, tmp_path: Path) -> None:
    said: list[str] = []
    assert chaos(12.0, 2, seed, tmp_path, said.append, pause=1.2) == [], "\n".join(said)


def test_a_seed_gives_the_same_plan_and_every_kind_of_fault_comes() -> None:
    assert plan(7, 600, 5) == plan(7, 600, 5) != plan(8, 600, 5)
    assert {fault.kind for fault in plan(7, 600, 5)} == {*KINDS}
    assert all(1 <= fault.table <= 5 and 0 <= fault.at < 600 for fault in plan(7, 600, 5))


# --- it would notice ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def match() -> Match:
    return random_match(games.find("bid-and-bait"), (1, 2, 3), {}, Random(1))


def promised(match: Match) -> list[Asked]:
    return [Asked("m-1", one.seat, one.move, one.args, True) for one in match.log if one.seat != CHANCE]


def verdict(match: Match, entries: list[Entry], asked: list[Asked], shown: set[Seen] | None = None) -> list[str]:
    return check_match(match.head, entries, asked, shown or set())


def test_a_log_that_has_all_that_was_promised_is_right(match: Match) -> None:
    assert verdict(match, match.log, promised(match)) == []


def test_an_action_that_was_answered_and_is_gone_is_noticed(match: Match) -> None:
    last = next(place for place in reversed(range(len(match.log))) if match.log[place].seat != CHANCE)
    (trouble,) = verdict(match, match.log[:last], promised(match))
    assert "an action is lost" in trouble


def test_an_action_that_nobody_asked_for_is_noticed(match: Match) -> None:
    assert verdict(match, match.log, promised(match)[:-1]) != []


def test_an_action_whose_answer_was_lost_may_be_there_once_or_not_at_all() -> None:
    sure, perhaps = Asked("m-1", 1, "bid", {"number": 3}, True), Asked("m-1", 1, "bid", {"number": 3}, False)
    one = (1, "bid", json.dumps({"number": 3}))
    assert is_promised([one], [perhaps, sure])
    assert is_promised([one, one], [perhaps, sure])
    assert not is_promised([one, one, one], [perhaps, sure])
    assert not is_promised([], [perhaps, sure])


def test_a_log_that_does_not_replay_is_noticed(match: Match) -> None:
    (trouble,) = verdict(match, [*match.log[:4], *match.log[5:]], promised(match))
    assert "does not replay" in trouble


def test_a_hand_that_the_log_does_not_make_is_noticed(match: Match) -> None:
    number = next(place for place, one in enumerate(match.log) if one.seat != CHANCE)
    at_that_time = Match.replay(match.game, match.head, match.log[:number])
    assert at_that_time.open
    mine = json.dumps(at_that_time.view(1)["you"], sort_keys=True)
    assert verdict(match, match.log, promised(match), {Seen(1, at_that_time.open.number, mine)}) == []
    (trouble,) = verdict(
        match, match.log, promised(match), {Seen(1, at_that_time.open.number, '{"secret_fish": "gnu"}')}
    )
    assert "another hand" in trouble
