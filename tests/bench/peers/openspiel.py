# ruff: noqa: INP001 - a program of another Python, and in no package of ours
"""OpenSpiel's players of Goofspiel, in a Python of their own: asked in lines of JSON by `tests/bench/openspiel.py`.

`python openspiel.py '{"cards": 13, "order": "random", "player": "ismcts", ...}'` says `{"ready": ..}`, and then answers
`{"played": [[prize, first, second], ..], "prize": p, "seat": 0}` with `{"bid": c, "ms": t, "searched": n}`. Cards are ranks.

Of OpenSpiel's two searches the one in Python is asked: the one in C++ takes no way to sample what is hidden, and
the transform that puts simultaneous bids one after the other offers none. What is hidden here is the other side's bid,
where it comes first in that order: it is drawn from the cards that are held. The rollouts are ours, and quicker than theirs.
"""

from __future__ import annotations

import json
import sys
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts

ORDERS = {"random": "random", "rising": "ascending", "falling": "descending"}


def load(cards: int, order: str) -> Any:
    """Return the game, one bid after the other, as two sides play it for the difference of points."""
    rules = f"players=2,num_cards={cards},points_order={ORDERS[order]},returns_type=point_difference"
    return pyspiel.load_game(f"turn_based_simultaneous_game(game=goofspiel({rules}))")


def state_of(game: Any, asked: dict[str, Any], order: str) -> Any:
    """Return the state in which both sides are still to bid, the first one in turn."""
    state = game.new_initial_state()
    for prize, first, second in asked["played"]:
        if order == "random":
            state.apply_action(prize - 1)
        state.apply_action(first - 1)
        state.apply_action(second - 1)
    if order == "random":
        state.apply_action(asked["prize"] - 1)
    assert state.current_player() == 0
    return state


class Rollouts:
    """Random play to the end, as OpenSpiel's evaluator of that name, with quicker chance."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def evaluate(self, state: Any) -> Any:
        """Return what both sides have in the end."""
        state = state.clone()
        while not state.is_terminal():
            state.apply_action(self._random.choice(state.legal_actions()))
        return state.returns()

    def prior(self, state: Any) -> list[tuple[int, float]]:
        """Return each action as likely as another."""
        actions = state.legal_actions()
        return [(action, 1.0 / len(actions)) for action in actions]


class Search(ismcts.ISMCTSBot):  # type: ignore[misc]
    """OpenSpiel's search, ended by the clock: `milliseconds` of 0 ends it by the number of simulations."""

    def __init__(self, game: Any, seed: int, constant: float, simulations: int, milliseconds: float) -> None:
        self.random = Random(seed)
        super().__init__(
            game, Rollouts(self.random), constant, simulations, random_state=np.random.RandomState(seed),
            final_policy_type=ismcts.ISMCTSFinalPolicyType.NORMALIZED_VISITED_COUNT,
        )  # fmt: skip
        self._simulations, self._milliseconds = simulations, milliseconds
        self.searched = 0

    def run_search(self, state: Any) -> list[tuple[int, float]]:
        """Return how often each action was tried."""
        began = perf_counter()
        self.reset()
        self._root_node = self.create_new_node(state)
        self.searched = 0
        while self.searched < 2 or (
            1000 * (perf_counter() - began) < self._milliseconds
            if self._milliseconds
            else self.searched < self._simulations
        ):
            self.run_simulation(self.sample_root_state(state))
            self.searched += 1
        return list(self.get_final_policy(state, self._root_node))


class Searcher:
    """Bids by search."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._game, self._order = load(told["cards"], told["order"]), told["order"]
        self._bot = Search(self._game, told["seed"], told["constant"], told["simulations"], told["milliseconds"])
        self.about: dict[str, Any] = {}

    def bid(self, asked: dict[str, Any]) -> tuple[int, int]:
        """Return a bid, and the number of simulations."""
        both, bot = state_of(self._game, asked, self._order), self._bot

        def sample(_state: Any, _player: int) -> Any:
            sampled = both.clone()
            if asked["seat"]:
                sampled.apply_action(bot.random.choice(sampled.legal_actions()))
            return sampled

        bot.set_resampler(sample)
        return int(bot.step(sample(None, 0))) + 1, bot.searched


class Solver:
    """Bids by the average policy of CFR+, a mixture that no other player can do much against."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._game, self._order = load(told["cards"], told["order"]), told["order"]
        self._random = Random(told["seed"])
        self._solver = pyspiel.CFRPlusSolver(self._game)  # its policy is a view of it
        for _ in range(told["simulations"]):
            self._solver.evaluate_and_update_policy()
        self._policy = self._solver.average_policy()
        self.about = {"exploitability": pyspiel.exploitability(self._game, self._policy)}

    def bid(self, asked: dict[str, Any]) -> tuple[int, int]:
        """Return a bid, drawn from the policy."""
        state = state_of(self._game, asked, self._order)
        if asked["seat"]:
            state.apply_action(state.legal_actions()[0])  # it is not in what the second side knows
        actions = self._policy.action_probabilities(state)
        return self._random.choices(list(actions), list(actions.values()))[0] + 1, 0


def main() -> None:
    """Answer until nothing more is asked."""
    told = json.loads(sys.argv[1])
    player = Solver(told) if told["player"] == "cfr" else Searcher(told)
    print(json.dumps({"ready": True, **player.about}), flush=True)
    for line in sys.stdin:
        began = perf_counter()
        bid, searched = player.bid(json.loads(line))
        print(json.dumps({"bid": bid, "ms": 1000 * (perf_counter() - began), "searched": searched}), flush=True)


if __name__ == "__main__":
    main()
