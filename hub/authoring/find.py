"""Find the game that an author works on: by its name, or in a folder, installed or not."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from hub import games, packages
from hub.errors import StartRefused


def find_game(given: str) -> str:
    """Return the name of a game in a folder, or of a package that is installed; from now on, this process finds it.

    The folder is the Python package with `game.toml`, or the project around it. Raise StartRefused.
    """
    try:
        folder = package_folder(Path(given))
    except OSError as error:
        raise StartRefused(f"{given} cannot be read: {error.strerror}.") from None
    if folder is None:
        if given in games.packaged().games:
            return given
        if given in games.built_in():
            raise StartRefused(
                f"{given} is a game of table-hub itself: `make test` checks it. Name a folder with your own game."
            )
        raise StartRefused(f"There is no game in a folder {given}, and no package with a game {given!r} is installed.")
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    try:
        name = tomllib.loads((folder / "game.toml").read_text("utf-8")).get("name")
    except (OSError, ValueError) as error:
        raise StartRefused(f"{folder / 'game.toml'} cannot be read: {error}") from None
    if not isinstance(name, str):
        raise StartRefused(f'{folder / "game.toml"} has no name: write name = "{folder.name.replace("_", "-")}".')
    try:
        games.packaged().games.pop(name, None)  # an installed one may be older
        return games.add(packages.Entry(name, folder.name, folder.name))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the code of the author may even end the program
        raise StartRefused(f"{folder} has no game that can be used: {packages.why(error)}") from error


def package_folder(folder: Path) -> Path | None:
    """Return the Python package with a game in a folder, or in a project's folder; None if there is none."""
    found = [file.parent for file in (folder / "game.toml", *sorted(folder.glob("*/game.toml"))) if file.is_file()]
    return found[0].resolve() if found else None
