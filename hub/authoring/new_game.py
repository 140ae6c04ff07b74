"""Write the folder of a new game, a small one that works, for its author to change (`table-hub new-game`)."""

from __future__ import annotations

import keyword
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, ignore_patterns

from hub import games
from hub.errors import HubError

TEMPLATE = Path(__file__).parent / "template" / "first-game"


def new_game(name: str, within: Path) -> Path:
    """Write the folder of a game with this name into another folder, and return it. Raise HubError: then nothing is written."""
    module, title = name.replace("-", "_"), name.replace("-", " ").title()
    if not games.NAME.fullmatch(name):
        raise HubError(f"{name!r} is no name for a game: use small letters, digits and hyphens, as in oh-hell.")
    if name in (*games.names(), *games.RESERVED):
        raise HubError(f"There is a game {name} already: choose another name.")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module):
        raise HubError(f"Python has a module {module} already: choose another name.")
    folder = within / name
    words = name.split("-")
    initials = "".join(word[0] for word in words)[:2] if len(words) > 1 else name[:2]
    try:
        if folder.exists():
            raise HubError(f"{folder} is there already: choose another name, or another folder with --in.")
        copytree(TEMPLATE, folder, ignore=ignore_patterns("__pycache__"))
        (folder / "first_game").rename(folder / module)
        for file in (path for path in folder.rglob("*") if path.is_file()):
            text = file.read_text("utf-8")
            for old, new in (
                ("first_game", module),
                ("first-game", name),
                ("First Game", title),
                ("FG-", f"{initials.upper()}-"),
            ):
                text = text.replace(old, new)
            file.write_text(text, "utf-8")
    except OSError as error:
        raise HubError(f"{folder} cannot be written ({error.strerror}): choose another folder with --in.") from None
    return folder
