# ruff: noqa: INP001 - a program of another Python, and in no package of ours
"""OpenSpiel and RLCard in a Python of their own: asked in lines of JSON by `tests/bench/engine.py`.

`python engines.py openspiel|leduc-holdem|limit-holdem MATCHES` records random matches and answers `{"look": ..}` with
`{"actions": n, "seconds": s}`, CPU seconds of playing them again; `{"grow": n}` and `{"resume": n}` for OpenSpiel alone.

OpenSpiel's Goofspiel has four to six players, thirteen cards and prizes by chance, as ours; ties are discarded. Six choices go
in at once, in one call; each is looked up first in what it calls legal. It keeps the choices made; a view is its string of what a player
knows. RLCard has no Goofspiel: of its card games with secret hands the two forms of hold'em are nearest. Each step makes the view of the seat
that is next. Only that it does; it keeps no log that could be played again.
"""

from __future__ import annotations

import json
import sys
from random import Random
from time import process_time
from typing import Any


class OpenSpiel:
    """Goofspiel, and a repeated prisoner's dilemma where a match has to be long."""

    def __init__(self, matches: int) -> None:
        import pyspiel

        self._spiel, random = pyspiel, Random(1)
        self.recorded = []
        for number in range(matches):
            rules = f"players={4 + number % 3},num_cards=13,points_order=random,returns_type=total_points"
            game, taken = pyspiel.load_game(f"goofspiel({rules})"), list[Any]()
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    taken.append(random.choice(state.legal_actions()))
                    state.apply_action(taken[-1])
                else:
                    taken.append([random.choice(state.legal_actions(seat)) for seat in range(game.num_players())])
                    state.apply_actions(taken[-1])
            self.recorded.append((game, taken))

    def play(self, look: str) -> int:
        """Play all of them again."""
        actions = 0
        for game, taken in self.recorded:
            state, seats = game.new_initial_state(), range(game.num_players())
            for one in taken:
                if isinstance(one, int):
                    state.apply_action(one)
                    continue
                if not all(card in state.legal_actions(seat) for seat, card in enumerate(one)):
                    raise ValueError("an illegal choice")
                state.apply_actions(one)
                actions += len(one)
                for _ in one if look != "none" else ():  # each of them asks for the views that it would make necessary
                    for seat in seats if look == "all" else (0,):
                        state.information_state_string(seat)
                    state.observation_string(0)
        return actions

    def _long(self, actions: int) -> Any:
        return self._spiel.load_game(f"repeated_game(stage_game=matrix_pd(),num_repetitions={actions // 2})")

    def grow(self, actions: int) -> dict[str, Any]:
        """Return microseconds an action in each tenth of a long match; OpenSpiel's memory is not seen from Python."""
        state, window, took = self._long(actions).new_initial_state(), actions // 20, []
        for _ in range(10):
            began = process_time()
            for _ in range(window):
                state.apply_actions([0, 1])
                state.observation_string(0)
            took.append((process_time() - began) / window / 2 * 1e6)
        return {"us": took}

    def resume(self, actions: int) -> dict[str, Any]:
        """Return the milliseconds in which a match comes back from what OpenSpiel writes of it, its choices."""
        game = self._long(2 * actions)
        state = game.new_initial_state()
        for _ in range(actions // 2):
            state.apply_actions([0, 1])
        text, took = self._spiel.serialize_game_and_state(game, state), []
        for _ in range(5):
            began = process_time()
            _, again = self._spiel.deserialize_game_and_state(text)
            took.append((process_time() - began) * 1000)
            assert len(again.history()) == len(state.history())
        return {"ms": took}


class RLCard:
    """A form of hold'em through RLCard's environment."""

    def __init__(self, game: str, matches: int) -> None:
        import rlcard  # type: ignore[import-not-found]

        players = {"limit-holdem": 6}.get(game, 2)
        self._env, random = rlcard.make(game, config={"seed": 1, "game_num_players": players}), Random(1)
        self._env.timestep = 0
        self.recorded = list[tuple[int, list[int]]]()
        for number in range(matches):
            self._env.seed(number)
            state, _ = self._env.reset()
            taken = list[int]()
            while not self._env.is_over():
                taken.append(random.choice(list(state["legal_actions"])))
                state, _ = self._env.step(taken[-1])
            self.recorded.append((number, taken))

    def play(self, look: str) -> int:
        """Play all of them again."""
        actions = 0
        for number, taken in self.recorded:
            self._env.seed(number)
            self._env.reset()
            for action in taken:
                self._env.step(action)
                if look == "all":
                    for seat in range(self._env.num_players):
                        self._env.get_state(seat)
            actions += len(taken)
        return actions


def main() -> None:
    """Answer until nothing more is asked."""
    which, matches = sys.argv[1], int(sys.argv[2])
    engine: Any = OpenSpiel(matches) if which == "openspiel" else RLCard(which, matches)
    print(json.dumps({"matches": matches}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, Any] = {}
        if "look" in asked:
            began = process_time()
            answer = {"actions": engine.play(asked["look"]), "seconds": process_time() - began}
        elif "grow" in asked:
            answer = engine.grow(asked["grow"])
        elif "resume" in asked and which == "openspiel":
            answer = engine.resume(asked["resume"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
