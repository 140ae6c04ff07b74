"""Games in the folder of an author, whose package need not be installed."""

from __future__ import annotations

import sys
import tomllib
import traceback
from pathlib import Path

from hub import games, packages
from hub.errors import StartRefused


def game_in(given: str) -> str:
    """Return the name of the game in a folder, "" if the folder has none; from now on, this process finds it by its name.

    The folder is the Python package with `game.toml`, or the project around it. Raise StartRefused if the game cannot be
    used.
    """
    try:
        folder = package_folder(Path(given))
    except OSError as error:
        raise StartRefused(f"{given} cannot be read: {error.strerror}.") from None
    if folder is None:
        return ""
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


def place(error: BaseException, folder: Path) -> str:
    """Return the last line of an author's files that led to an error, as "rulebook.py, line 31"; "" if none of them did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if Path(one.filename).is_relative_to(folder)]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else ""


def package_folder(folder: Path) -> Path | None:
    """Return the Python package with a game in a folder, or in a project's folder; None if there is none."""
    found = [file.parent for file in (folder / "game.toml", *sorted(folder.glob("*/game.toml"))) if file.is_file()]
    return found[0].resolve() if found else None
