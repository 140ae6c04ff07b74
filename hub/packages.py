"""Python packages that bring games and drivers of their own (`hub/docs/packages.md`).

A package names them as entry points of the groups `table_hub.games` and `table_hub.drivers`. It is installed beside the hub, or
it is a wheel in the folder `packages` of the hub's state, from which Python imports it as it is.
"""

from __future__ import annotations

import re
import sys
import zipfile
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

from hub.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

API = 1
"""The version of what packages use: `hub.engine` for games, `hub.ports` for drivers. It rises when a package must change."""
GAMES, DRIVERS = "table_hub.games", "table_hub.drivers"
FOLDER = "packages"


class Entry(NamedTuple):
    """A game or a driver of a package.

    - `name`: as commands and the configuration call it.
    - `module`: the Python module or package that has it.
    - `package`: name and version of the package, such as "oh-hell 1.0.0".
    """

    name: str
    module: str
    package: str


class Unusable(ConfigError):
    """A game or driver of a package that this hub cannot use. The hub goes on without it."""


def add_wheels(files: Iterable[str]) -> None:
    """Let Python import wheels. Call this before anything looks for games or drivers."""
    sys.path += [file for file in files if file not in sys.path]


class Found(NamedTuple):
    """The entries of a group, the first to be found first, and a sentence for each package that cannot be read."""

    entries: Sequence[Entry]
    problems: Sequence[str]


@cache
def found(group: str) -> Found:
    """Return what the packages that Python finds have in a group."""
    entries: dict[str, list[Entry]] = {}
    wheels = [path for path in sys.path if path.endswith(".whl") and not zipfile.is_zipfile(path)]
    unreadable = [f"The package {path.rpartition('/')[2]} is damaged." for path in wheels]
    for distribution in metadata.distributions():
        try:
            named = [entry for entry in distribution.entry_points if entry.group == group]
            if named:
                package = label(distribution.name, distribution.version)
                modules = [(entry.name, entry.value.partition(":")[0].strip()) for entry in named]
                entries.setdefault(package.partition(" ")[0], [Entry(*one, package) for one in modules])
        except Exception as error:  # noqa: BLE001 - the files of others
            place = str(distribution.locate_file("")).rstrip("/").rpartition("/")[2]
            unreadable.append(f"A package in {place} cannot be read ({type(error).__name__}).")
    return Found([entry for several in entries.values() for entry in several], unreadable)


def problems() -> list[str]:
    """Return a sentence for each package that cannot be read."""
    return [*dict.fromkeys((*found(GAMES).problems, *found(DRIVERS).problems))]


def label(name: str, version: str) -> str:
    """Return what people call a package, such as "oh-hell 1.0.0". Python treats `Oh_Hell` and `oh-hell` as one name."""
    return f"{re.sub('[-_.]+', '-', name).lower()} {version}"


def check_api(api: object, key: str = "api") -> None:
    """Raise Unusable if a package is not made for this version of the interfaces. `key` is where it says the version."""
    if not isinstance(api, int) or isinstance(api, bool) or api < 1:
        raise Unusable(f"it does not say which version of table-hub's interfaces it uses: write {key} = {API}.")
    if api < API:
        raise Unusable(f"it was made for an earlier table-hub (version {api} of the interfaces, this hub has {API}).")
    if api > API:
        raise Unusable(f"it needs a newer table-hub (it uses version {api} of the interfaces, this hub has {API}).")


def why(error: BaseException) -> str:
    """Return why code of a package cannot be used, in one sentence."""
    if isinstance(error, ModuleNotFoundError):
        return f"it needs the Python package {error.name}, which is not installed."
    try:
        said = sendable(str(error))
    except Exception:  # noqa: BLE001 - the code of others
        said = ""
    kind = type(error).__name__
    text = said if said.strip().endswith(".") else f"{kind}: {said}." if said.strip() else f"{kind}."
    return " ".join(text.split())


def sendable(text: str) -> str:
    """Return a text with "?" for halves of characters, which no message can hold; a file name may have them."""
    return text.encode("utf-8", "replace").decode()
