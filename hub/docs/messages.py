"""Find every message that people read: in Python, in the pages' JavaScript, and in the data files of games.

In Python a message is a literal that one of the functions of `hub.engine.text` is called with (`KEYWORDS`), in pages what
`phone_ui/extract_messages.js` finds, and in the labels and guides of games a value whose type is `Message`.
"""

from __future__ import annotations

import io
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.pofile import read_po

from hub import games
from hub.authoring.messages import Message, has_words, merged, of_game, of_module
from hub.devices import built_in_drivers
from hub.settings.form import SETTINGS, parts
from phone_ui.javascript import node

if TYPE_CHECKING:
    from collections.abc import Iterator


ROOT = Path(__file__).resolve().parents[2]
PYTHON = (
    *(f"hub/{part}/**/*.py" for part in ("engine", "games", "table", "display", "network", "settings", "store")),
    "hub/*.py",
    "drivers/**/*.py",
    "phone_ui/*.py",
)
"""The modules that speak to people at a table or to staff; others speak to owners and developers, in English."""
PAGES = "phone_ui/extract_messages.js"


def messages() -> list[Message]:
    """Return every message of each context once, with all files that have it. Raise ToolMissing without node."""
    return merged((*_of_all_modules(), *of_pages(), *_of_all_games(), *_of_settings()))


def _of_all_modules() -> Iterator[Message]:
    for path in sorted(file for pattern in PYTHON for file in ROOT.glob(pattern)):
        yield from of_module(path, _where(path), game_of(path))


def game_of(path: Path) -> str:
    """Return the game of a rulebook or a house player, which is the context of its messages; "" for any other module."""
    name = path.stem.removesuffix("_house").replace("_", "-")
    return name if path.parent.name == "games" and name in games.built_in() else ""


@cache
def of_pages() -> tuple[Message, ...]:
    """Return the messages of the pages. Raise RuntimeError with the half sentences that stand beside a value."""
    folder = (ROOT / PAGES).parent
    done = subprocess.run([node(), Path(PAGES).name], cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return tuple(
        Message(*((one.id, where) if isinstance(one.id, str) else (one.id[0], where, "", one.id[1])))
        for one in read_po(io.BytesIO(done.stdout))
        for where in sorted({f"phone_ui/{file}" for file, _ in one.locations})
        if one.id
    )


def _of_all_games() -> Iterator[Message]:
    for name in games.built_in():
        file = f"{name.replace('-', '_')}.toml"
        yield from of_game(games.find(name), f"hub/games/data/{file}", f"hub/games/guides/{file}")


def _of_settings() -> Iterator[Message]:
    """Yield what the form of the configuration says. Only the page with this form needs it: it has a context of its own."""
    for name, part in parts(built_in_drivers(), []).items():
        where = f"drivers/{name.split()[1]}" if " " in name else "hub/config.py"
        for text in (part.about, *(text for field in part.fields for text in (field.about, field.allowed))):
            if has_words(text):
                yield Message(text, where, SETTINGS)


def _where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
