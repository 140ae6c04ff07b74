"""Find the game that an author works on: by its name, or in a folder, installed or not."""

from __future__ import annotations

from hub import games
from hub.errors import StartRefused
from hub.operations.game_folder import game_in


def find_game(given: str) -> str:
    """Return the name of a game in a folder, or of a package that is installed; from now on, this process finds it.

    The folder is as in `game_in`. Raise StartRefused.
    """
    if name := game_in(given):
        return name
    if given in games.packaged().games:
        return given
    if given in games.built_in():
        raise StartRefused(
            f"{given} is a game of table-hub itself: `make test` checks it. Name a folder with your own game."
        )
    raise StartRefused(f"There is no game in a folder {given}, and no package with a game {given!r} is installed.")
