"""Small packages with a game or a driver, for tests: wheels made without pip."""

from __future__ import annotations

import importlib
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from hub import games, languages, packages

GOOFSPIEL = files("hub.games").joinpath("data", "goofspiel.toml").read_text("utf-8")
DATA = GOOFSPIEL.replace('name = "goofspiel"', 'api = 1\nname = "oddspiel"').replace(
    'title = "Goofspiel"', 'title = "Oddspiel"'
)
RULEBOOK = "from hub.games.goofspiel import deal, explain, play\n"
GAME: dict[str, str] = {
    "oddspiel/__init__.py": "",
    "oddspiel/rulebook.py": RULEBOOK,
    "oddspiel/game.toml": DATA,
}
"""The files of a package with a game: Goofspiel by another name."""
ENTRY = "[table_hub.games]\noddspiel = oddspiel\n"
LAMP = '''"""A lamp that only tests have. It is never lit."""
import msgspec
API = 1
class Settings(msgspec.Struct, forbid_unknown_fields=True):
    pin: int = 4
class Lamp:
    lamps = page = boxes = dice = None
    def start(self): pass
    def close(self): pass
def connect(settings, context):
    return Lamp()
'''


def wheel(
    folder: Path, parts: Mapping[str, str], entries: str, name: str = "oddspiel", version: str = "1.0.0"
) -> Path:  # fmt: skip
    """Write a wheel with these files and entry points, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{version}-py3-none-any.whl"
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for path, text in parts.items():
            out.writestr(path, text)
        out.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        out.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        out.writestr(f"{about}/entry_points.txt", entries)
        out.writestr(f"{about}/RECORD", "")
    return file


@contextmanager
def installed(*wheels: Path) -> Iterator[None]:
    """Let Python find these wheels, as after a start of the hub with them."""
    path, modules = [*sys.path], {*sys.modules}
    packages.add_wheels(f"{one}" for one in wheels)
    _forget()
    try:
        yield
    finally:
        sys.path[:] = path
        for name in sys.modules.keys() - modules:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(tempfile.gettempdir()):
                del sys.modules[name]
        _forget()


def _forget() -> None:
    importlib.invalidate_caches()
    for remembered in (packages.found, games.packaged, languages._of_package, languages._lobby_texts):
        remembered.cache_clear()
