"""The packages with games and drivers of others, as staff see, add and remove them (`hub/packages.py`).

Staff add a wheel, a file with pure Python. It is code that runs with the rights of the hub.
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import threading
import zipfile
from base64 import b64decode
from collections.abc import Callable, Collection
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from hub import games, packages
from hub.devices import load_driver, packaged_drivers
from hub.engine.text import Text, say
from hub.errors import HubError
from hub.files import sync_folder, write_private
from hub.network.staff_messages import PackageSeen
from hub.network.staff_verbs import AddPackageArgs

log = logging.getLogger(__name__)

WHEEL = re.compile(r"[A-Za-z0-9_.]+-[A-Za-z0-9_.!+]+(-\d\w*)?-(py\d+\.)*py3\d*-none-any\.whl")
"""The file name of a wheel with pure Python (packaging.python.org, "Binary distribution format")."""
MOST_UNPACKED = 20_000_000
"""Maximum size of a package's files in bytes."""
DAMAGED = say("This file is damaged, or it is no package. Send it again.")


class PackageFolder:
    """The packages of this hub. Thread-safe.

    - `state`: the folder of the hub's state.
    - `named`: returns the games and drivers that the configuration names: their package cannot be removed.
    """

    def __init__(self, state: Path, named: Callable[[], Collection[str]] = frozenset) -> None:
        self._folder, self._named = state / packages.FOLDER, named
        self._in_use = in_use()  # now: a file that is removed later cannot be read again
        at_start = [wheel for wheel in self._wheels() if str(wheel) in sys.path]
        self._at_start = {wheel.name: wheel.stat().st_ino for wheel in at_start}  # another file has another number
        self._modules = {name_of(wheel).partition(" ")[0]: _modules(wheel) for wheel in at_start}
        self._lock = threading.Lock()
        self._coming: tuple[str, bytearray] = "", bytearray()  # the file whose pieces come in

    def _wheels(self) -> list[Path]:
        return sorted(wheel for wheel in self._folder.glob("*.whl") if wheel.is_file())

    def seen(self) -> list[PackageSeen]:
        """Return the packages that are in use, and those that wait for a restart, in alphabetical order."""
        wheels = {name_of(wheel): wheel for wheel in self._wheels()}
        used = {name_of(Path(name)) for name in self._at_start}
        found = {one.package: one for one in self._in_use}
        for package, wheel in wheels.items():
            waits = self._at_start.get(wheel.name) != wheel.stat().st_ino
            problems: list[str] = [] if waits else [say("Nothing in this file can be used.")]
            before = found.get(package, PackageSeen(package, problems=problems))
            found[package] = replace(before, file=wheel.name, waits=waits)
        for package in used - wheels.keys() & found.keys():
            found[package] = replace(found[package], waits=True)
        return [found[package] for package in sorted(found)]

    def add(self, asked: AddPackageArgs) -> str:
        """Take a piece of a wheel. Return "" until it was the last one, then a sentence. Raise HubError: nothing is kept."""
        with self._lock:
            name, content = self._coming
            if asked.at == 0:
                name, content = self._coming = asked.file, bytearray()
            if (name, len(content)) != (asked.file, asked.at):
                raise HubError(say("Parts of the file are missing. Send it again."))
            try:
                content += b64decode(asked.piece, validate=True)
            except ValueError:
                raise HubError(say("Parts of the file are missing. Send it again.")) from None
            if len(content) < asked.size:
                return ""
            self._coming = "", bytearray()
            return self._keep(name, bytes(content))

    def _keep(self, name: str, content: bytes) -> Text:
        if not WHEEL.fullmatch(name):
            raise HubError(
                say("This is no package that the hub can use: it must be a wheel for every machine, “…-none-any.whl”.")
            )
        package, parts, brings = _contents(content)
        if package != name_of(Path(name)):
            raise HubError(DAMAGED)
        earlier = [one for one in self._wheels() if _is_version_of(one, package)]
        self._check_modules(parts, package, earlier)
        self._check_named(_names_of(package) - brings)
        try:
            since = min((one.stat().st_mtime for one in earlier), default=None)
            write_private(self._folder / name, content)
            if since is not None:  # an update does not lose its place before packages that came later
                os.utime(self._folder / name, (since, since))
        except OSError as error:
            raise HubError(say("The package cannot be kept: {error}.", error=error.strerror or "")) from None
        for other in earlier:
            if other.name != name:
                try:
                    other.unlink()
                except OSError as error:  # the newer one is there; the earlier one is used until somebody removes it
                    log.warning("staff: %s cannot be removed (%s).", other.name, error.strerror)
        log.info("staff: the package %s was added.", package)
        return say("{package} is here. The hub uses it after a restart.", package=package)

    def _check_named(self, names: Collection[str]) -> None:
        """Raise HubError if the settings name one of the games and drivers that would be gone."""
        if named := sorted({*self._named()} & {*names}):
            raise HubError(say("The settings name {names} of this package. Change them first.", names=", ".join(named)))

    def _check_modules(self, parts: Collection[str], package: str, earlier: Collection[Path]) -> None:
        """Raise HubError if a module of a new package has the name of another one: Python would use only one of them."""
        ours = {part for wheel in earlier for part in _modules(wheel)} | self._modules.get(
            package.partition(" ")[0], set()
        )
        others = {part for wheel in self._wheels() if wheel not in earlier for part in _modules(wheel)}
        for part in sorted(parts):
            if part in others or (part not in ours and (part in sys.modules or find_spec(part))):
                raise HubError(
                    say(
                        "Another program on this hub has a part called {name}, so this package cannot be used.",
                        name=part,
                    )
                )

    def remove(self, file: str) -> Text:
        """Remove a package. Return a sentence. Raise HubError."""
        with self._lock:
            wheel = next((one for one in self._wheels() if one.name == file), None)
            if wheel is None:
                raise HubError(say("This package is no longer here."))
            package = name_of(wheel)
            self._check_named(_names_of(package))
            try:
                wheel.unlink()
                sync_folder(self._folder)
            except OSError as error:
                raise HubError(say("The package cannot be removed: {error}.", error=error.strerror or "")) from None
        log.info("staff: the package %s was removed.", package)
        return say("{package} is removed. The hub uses it until a restart.", package=package)


def name_of(wheel: Path) -> str:
    """Return name and version of the package in a wheel, from the name of its file."""
    name, version, *_ = [*wheel.name.removesuffix(".whl").split("-"), ""]
    return packages.label(name, version)


def in_use() -> list[PackageSeen]:
    """Return the packages of this process, and what they bring."""
    found: dict[str, PackageSeen] = {}

    def of(package: str) -> PackageSeen:
        return found.setdefault(package, PackageSeen(package))

    for name, parts in games.packaged().games.items():
        of(parts.package).games.append(games.find(name).title)
    for entry, sentence in games.packaged().left_out.items():
        of(entry.package).problems.append(sentence)
    drivers = packaged_drivers()
    for entry in packages.found(packages.DRIVERS).entries:
        about = of(entry.package)
        try:
            if drivers.get(entry.name) != entry:
                about.problems.append(
                    say(
                        "The driver {driver} of the package {package} is left out: there is another driver with this name.",
                        driver=entry.name,
                        package=entry.package,
                    )
                )
            else:
                load_driver(entry.name)
                about.drivers.append(entry.name)
        except packages.Unusable as error:
            about.problems.append(error.sentence)
    return list(found.values())


def problems() -> list[str]:
    """Return a sentence for everything of packages that cannot be used."""
    return [*(problem for one in in_use() for problem in one.problems), *packages.problems()]


def _names_of(package: str) -> set[str]:
    """Return the names of the games and drivers of a package, whatever its version."""
    groups = (packages.found(group).entries for group in (packages.GAMES, packages.DRIVERS))
    name = package.partition(" ")[0]
    return {entry.name for entries in groups for entry in entries if entry.package.partition(" ")[0] == name}


def _is_version_of(wheel: Path, package: str) -> bool:
    return name_of(wheel).partition(" ")[0] == package.partition(" ")[0]


def _modules(wheel: Path) -> set[str]:
    """Return the names of the modules at the top of a wheel; none if it is damaged."""
    try:
        with zipfile.ZipFile(wheel) as opened:
            return _top_names(opened)
    except (zipfile.BadZipFile, OSError):
        return set()


def _top_names(wheel: zipfile.ZipFile) -> set[str]:
    tops = {name.partition("/")[0].removesuffix(".py") for name in wheel.namelist()}
    return {name for name in tops if name.isidentifier()}  # no module: its dist-info, a README.md


def _contents(content: bytes) -> tuple[str, set[str], set[str]]:
    """Return name and version of the package in a wheel, and the names of its modules and of its games and drivers.

    Raise HubError if it cannot be used.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            package, brings = _about(opened)
            return package, _top_names(opened), brings
    except HubError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong with a file of others
        raise HubError(DAMAGED) from None


def _about(wheel: zipfile.ZipFile) -> tuple[str, set[str]]:
    """Return name and version of the package in a wheel, and the names of its games and drivers.

    Raise HubError, or any other error if the file is damaged.
    """
    if sum(one.file_size for one in wheel.infolist()) > MOST_UNPACKED:
        raise HubError(say("This package is too large."))
    if wheel.testzip():
        raise HubError(DAMAGED)
    [about] = {name.partition("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
    found = metadata.PathDistribution(cast(Any, zipfile.Path(wheel, f"{about}/")))
    brings = {entry.name for entry in found.entry_points if entry.group in (packages.GAMES, packages.DRIVERS)}
    if not brings:
        raise HubError(say("This package brings neither a game nor a driver of devices."))
    return packages.label(found.name, found.version), brings
