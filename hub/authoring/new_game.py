"""Write the folder of a new game, a small one that works or a copy of another, for its author to change (`table-hub new-game`)."""

from __future__ import annotations

import keyword
import re
import sys
import tomllib
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import NamedTuple

from hub import games
from hub.errors import HubError
from hub.operations.game_folder import package_folder

TEMPLATE = Path(__file__).parent / "template" / "first-game"
NOT_COPIED = ("__pycache__", "playthroughs", ".*")
"""Files of a game that its copy does not get: recorded matches belong to the rules of the other game."""
TEXTS = (".py", ".toml", ".po")


class Names(NamedTuple):
    """The names of a game: its own, those of its module and its title, and the letters of its rule ids."""

    name: str
    module: str
    title: str
    letters: str


def new_game(name: str, within: Path, like: Path | None = None) -> Path:
    """Write the folder of a game with this name into another folder, and return it. Raise HubError: then nothing is written.

    The game is the template, or a copy of the game in the folder `like`.
    """
    module, title = name.replace("-", "_"), name.replace("-", " ").title()
    if not games.NAME.fullmatch(name):
        raise HubError(f"{name!r} is no name for a game: use small letters, digits and hyphens, as in oh-hell.")
    if name in (*games.names(), *games.RESERVED):
        raise HubError(f"There is a game {name} already: choose another name.")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or find_spec(module):
        raise HubError(f"Python has a module {module} already: choose another name.")
    words = name.split("-")
    initials = "".join(word[0] for word in words)[:2] if len(words) > 1 else name[:2]
    new = Names(name, module, title, initials.upper())
    source, texts = _renamed_copy(like, new) if like else _renamed_template(new)
    folder = within / name
    try:
        if folder.exists():
            raise HubError(f"{folder} is there already: choose another name, or another folder with --in.")
        copytree(source, folder / module, ignore=ignore_patterns(*NOT_COPIED, "*.po"))
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
    except OSError as error:
        raise HubError(f"{folder} cannot be written ({error.strerror}): choose another folder with --in.") from None
    return folder


def _renamed_template(new: Names) -> tuple[Path, dict[Path, str]]:
    """Return the folder of the template's package, and the texts of its project under the new names, by path."""
    old = Names("first-game", "first_game", "First Game", "FG")
    texts = {}
    for file in (TEMPLATE / "pyproject.toml", *_texts_in(TEMPLATE / old.module)):
        text = file.read_text("utf-8")
        for was, now in zip((*old[:3], f"{old.letters}-"), (*new[:3], f"{new.letters}-"), strict=True):
            text = text.replace(was, now)
        texts[Path(f"{file.relative_to(TEMPLATE)}".replace(old.module, new.module))] = text
    return TEMPLATE / old.module, texts


def _renamed_copy(like: Path, new: Names) -> tuple[Path, dict[Path, str]]:
    """Return the same for the game in a folder. Its title stays in sentences, where it may be a word of the game."""
    try:
        source = package_folder(like)
        if source is None:
            raise HubError(f"There is no game in a folder {like}: it has no game.toml.")
        data = tomllib.loads((source / "game.toml").read_text("utf-8"))
        contents = {file.relative_to(source): file.read_text("utf-8") for file in _texts_in(source)}
    except OSError as error:
        raise HubError(f"{error.filename or like} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise HubError(f"A file of {like} cannot be read: {error}.") from None
    name, letters = re.escape(f"{data.get('name')}"), next(iter(data.get("rules", {})), "").partition("-")[0]
    texts = {Path("pyproject.toml"): _renamed_template(new)[1][Path("pyproject.toml")]}
    for path, text in contents.items():
        if path.name in ("game.toml", "scenarios.toml"):
            text = re.sub(rf'^(name|game) = "{name}"$', rf'\1 = "{new.name}"', text, count=1, flags=re.MULTILINE)
        if path.name == "game.toml":
            text = re.sub("^title = .*$", f'title = "{new.title}"', text, count=1, flags=re.MULTILINE)
        if path.suffix == ".py":
            text = re.sub(rf"\b(from|import) {source.name}\b", rf"\1 {new.module}", text)
        if path.suffix == ".po":
            text = text.replace(f'msgctxt "{data.get("name")}"', f'msgctxt "{new.name}"')
            title = rf'(\n#.*\n)msgid "{re.escape(str(data.get("title")))}"\n'  # without a context: what lobbies show
            text = re.sub(title, rf'\1msgid "{new.title}"\n', text)
        if letters:
            text = re.sub(rf"\b{re.escape(letters)}-(?=[VX]?\d)", f"{new.letters}-", text)
        renamed = path.with_name(f"{new.name}.po") if path.suffix == ".po" else path
        texts[new.module / renamed] = text
    return source, texts


def _texts_in(folder: Path) -> list[Path]:
    """Return the files of a game that are text and are copied."""
    files = (file for file in folder.rglob("*") if file.suffix in TEXTS and file.is_file())
    return [
        file
        for file in files
        if not any(fnmatch(part, one) for part in file.relative_to(folder).parts for one in NOT_COPIED)
    ]
