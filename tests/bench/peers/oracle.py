# ruff: noqa: INP001 - a program of another Python, and in no package of ours
"""OpenSpiel's games in a Python of their own: asked in lines of JSON by `tests/bench/oracles.py`.

The program says `{"ready": true, "version": ..}`. `{"game": "liars_dice(numdice=2)", "actions": ["Roll 3", ..]}` starts
a game and executes actions, also those of chance; without `game`, the last game goes on. The answer has these fields:

- `player`: who is in turn; negative for chance, and at the end.
- `legal`: the legal actions. All actions are in OpenSpiel's words.
- `returns`: at the end, the result of each player.
- `refused`: the first action that is not legal. The actions after it are not executed.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import pyspiel


def answer(state: Any, actions: list[str]) -> dict[str, Any]:
    """Execute the actions, and return what is legal after them."""
    for word in actions:
        legal = {state.action_to_string(action): action for action in state.legal_actions()}
        if word not in legal:
            return {"refused": word, "legal": [*legal]}
        state.apply_action(legal[word])
    return {
        "player": state.current_player(),
        "legal": [state.action_to_string(action) for action in state.legal_actions()],
        "returns": state.returns() if state.is_terminal() else None,
    }


def main() -> None:
    """Answer until nothing more is asked."""
    print(json.dumps({"ready": True, "version": version("open_spiel")}), flush=True)
    state = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "game" in asked:
            state = pyspiel.load_game(asked["game"]).new_initial_state()
        print(json.dumps(answer(state, asked["actions"])), flush=True)


if __name__ == "__main__":
    main()
