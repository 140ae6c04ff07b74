"""What `tests/bench/oracles.py` finds, with a made-up peer in place of OpenSpiel: it agrees, or an answer differs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, Self, cast

import pytest

from hub import games
from tests.bench import oracles
from tests.bench.oracles import Disagreement, LiarsDice, OhHell, Oracle, load, play_match
from tests.bench.peer import Program

Answer = dict[str, Any]
SUITS, RANKS = "CDSH", "23456789TJQKA"
BOTH = pytest.mark.parametrize("kind", [LiarsDice, OhHell], ids=lambda kind: kind.name)


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the games of a test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    known = {**games.packaged().games}
    yield
    games.packaged().games.clear()
    games.packaged().games.update(known)


def liars_dice(actions: list[str], dice: int, sides: int) -> Answer:
    """Return what OpenSpiel answers after these actions of its Liar's Dice."""
    rolled, bids = [int(one[5:]) for one in actions[: 2 * dice]], actions[2 * dice :]
    ordered = [f"{quantity}-{face}" for quantity in range(1, 2 * dice + 1) for face in range(1, sides + 1)]
    if bids[-1:] == ["Liar"]:
        quantity, face = map(int, bids[-2].split("-"))
        is_true = sum(one in (face, sides) for one in rolled) >= quantity
        caller = (len(bids) - 1) % 2
        points = [1.0 if (player == caller) != is_true else -1.0 for player in (0, 1)]
        return {"player": -4, "legal": [], "returns": points}
    legal = [*ordered[ordered.index(bids[-1]) + 1 :], "Liar"] if bids else ordered
    return {"player": len(bids) % 2, "legal": legal, "returns": None}


def oh_hell(actions: list[str], players: int, tricks: int, *, penalty: bool) -> Answer:
    """Return what OpenSpiel answers after these actions of its Oh Hell."""
    dealer, dealt, (trump, *acted) = int(actions[1]), actions[2 : 2 + players * tricks], actions[2 + players * tricks :]
    hands = [dealt[player::players] for player in range(players)]
    bids, played = [*map(int, acted[:players])], acted[players:]
    turn, won, trick = (dealer + 1) % players, [0] * players, list[str]()
    if len(bids) < players:
        legal = [f"{bid}" for bid in range(tricks + 1) if len(bids) < players - 1 or sum(bids) + bid != tricks]
        return {"player": (turn + len(bids)) % players, "legal": legal, "returns": None}
    for card in played:
        trick.append(card)
        if len(trick) == players:
            best = max(trick, key=lambda one: (one[0] == trump[0], one[0] == trick[0][0], RANKS.index(one[1])))
            turn = (turn + trick.index(best)) % players
            won[turn] += 1
            trick = []
    if len(played) == len(dealt):
        made = [tricks == bids[(player - dealer - 1) % players] for player, tricks in enumerate(won)]
        missed = [-1.0 if penalty else float(tricks) for tricks in won]
        points = [10.0 + won[player] if made[player] else missed[player] for player in range(players)]
        return {"player": -4, "legal": [], "returns": points}
    player = (turn + len(trick)) % players
    held = sorted({*hands[player]} - {*played})
    legal = [card for card in held if trick and card[0] == trick[0][0]] or held
    return {"player": player, "legal": legal, "returns": None}


class Peer:
    """A made-up peer; `changed` may change what it answers."""

    def __init__(self, changed: Callable[[Answer], Answer] = lambda answer: answer) -> None:
        self.changed, self.game, self.actions, self.ready = changed, "", list[str](), {"version": "0.0"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def ask(self, *, actions: list[str], game: str = "") -> Answer:
        self.game, self.actions = game or self.game, actions if game else [*self.actions, *actions]
        numbers = [int(number) for number in re.findall(r"\d+", self.game)]
        if self.game.startswith("liars_dice"):
            return self.changed(liars_dice(self.actions, *numbers))
        return self.changed(oh_hell(self.actions, *numbers, penalty="penalty=true" in self.game))


def without_last(answer: Answer) -> Answer:
    return answer | {"legal": answer["legal"][:-1]}


def with_one_more(answer: Answer) -> Answer:
    return answer | {"legal": [*answer["legal"], "0-1"]}


def otherwise(answer: Answer) -> Answer:
    return answer | {"returns": answer["returns"] and [-one for one in answer["returns"]]}


def refusing(answer: Answer) -> Answer:
    return {"refused": "Roll 3", "legal": ["Roll 1"]} if answer["returns"] else answer


@BOTH
def test_a_peer_with_the_same_rules_agrees_with_any_number_of_players(kind: type[Oracle]) -> None:
    game, seen = load(kind), set[int]()
    for number in range(7):
        players, counts = play_match(kind, game, cast(Program, Peer()), number)
        seen.add(players)
        assert counts["decisions"] > counts["rounds"] >= counts["matches"] == 1
    assert seen == {*range(kind.least, 7)}


@BOTH
@pytest.mark.parametrize("changed", [without_last, with_one_more, otherwise, refusing])
def test_a_peer_with_another_answer_is_found_with_the_match_the_actions_and_both_answers(
    kind: type[Oracle], changed: Callable[[Answer], Answer]
) -> None:
    with pytest.raises(Disagreement) as found:
        play_match(kind, load(kind), cast(Program, Peer(changed)), 1)
    said = f"{found.value}"
    about = "The result of the round" if changed is otherwise else "refuses" if changed is refusing else "may do"
    assert about in said
    assert f"{kind.name}, match 1 (--first 1 --matches 1): seats [" in said
    assert f"Actions of the round: {kind.name.replace('-', '_')}(" in said
    assert changed is refusing or re.search(r"\n  ours: .+\n  OpenSpiel: .+", said)


def test_the_program_ends_with_1_after_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(oracles, "install", lambda: None)
    monkeypatch.setattr(oracles, "beside", Peer)
    assert oracles.main(["--matches", "2"]) == 0
    assert "| oh-hell | 4 | 1 |" in capsys.readouterr().out
    monkeypatch.setattr(oracles, "beside", lambda: Peer(otherwise))
    assert oracles.main(["--matches", "2"]) == 1
    assert "The result of the round" in capsys.readouterr().out
