"""The packages with games and drivers of others, as staff see, add and remove them (`hub/packages.py`).

Staff add a wheel, a file with pure Python. It is code that runs with the rights of the hub.
"""

from __future__ import annotations

import io
import logging
import re
import sys
import threading
import zipfile
from base64 import b64decode
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

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


class PackageFolder:
    """The packages of this hub. Thread-safe. `state` is the folder of the hub's state."""

    def __init__(self, state: Path) -> None:
        self._folder = state / packages.FOLDER
        self._in_use = _in_use()  # now: a file that is removed later cannot be read again
        self._lock = threading.Lock()
        self._coming: tuple[str, bytearray] = "", bytearray()  # the file whose pieces come in

    def seen(self) -> list[PackageSeen]:
        """Return the packages that are in use, and those that wait for a restart, in alphabetical order."""
        wheels = {name_of(wheel): wheel.name for wheel in self._folder.glob("*.whl")}
        used = {name_of(Path(path)) for path in sys.path if Path(path).parent == self._folder}
        found = [
            replace(one, file=wheels.get(one.package, ""), waits=one.package in used - wheels.keys())
            for one in self._in_use
        ]
        for package in wheels.keys() - {one.package for one in found}:
            problems: list[str] = [say("Nothing in this file can be used.")] if package in used else []
            found.append(PackageSeen(package, file=wheels[package], problems=problems, waits=package not in used))
        return sorted(found, key=lambda one: one.package)

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
        package = _check(name, content)
        try:
            write_private(self._folder / name, content)
            for other in self._folder.glob("*.whl"):  # an earlier version
                if other.name != name and name_of(other).partition(" ")[0] == package.partition(" ")[0]:
                    other.unlink()
            sync_folder(self._folder)
        except OSError as error:
            raise HubError(say("The package cannot be kept: {error}.", error=error.strerror or "")) from None
        log.info("staff: the package %s was added.", package)
        return say("{package} is here. The hub uses it after a restart.", package=package)

    def remove(self, file: str) -> Text:
        """Remove a package. Return a sentence. Raise HubError."""
        with self._lock:
            wheel = next((one for one in self._folder.glob("*.whl") if one.name == file), None)
            if wheel is None:
                raise HubError(say("This package is no longer here."))
            package = name_of(wheel)
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


def _in_use() -> list[PackageSeen]:
    """Return the packages of this hub and what they bring."""
    found: dict[str, PackageSeen] = {}

    def of(package: str) -> PackageSeen:
        return found.setdefault(package, PackageSeen(package))

    for name, parts in games.packaged().games.items():
        of(parts.package).games.append(games.find(name).title)
    for entry, sentence in games.packaged().left_out.items():
        of(entry.package).problems.append(sentence)
    for name, entry in packaged_drivers().items():
        try:
            load_driver(name)
            of(entry.package).drivers.append(name)
        except packages.Unusable as error:
            of(entry.package).problems.append(str(error))
    return list(found.values())


def _check(name: str, content: bytes) -> str:
    """Return name and version of the package in a wheel. Raise HubError if the hub cannot use it."""
    refused = HubError(say("This file is damaged, or it is no package. Send it again."))
    with TemporaryDirectory() as folder:
        wheel = Path(folder) / name
        wheel.write_bytes(content)
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as opened:
                if sum(one.file_size for one in opened.infolist()) > MOST_UNPACKED:
                    raise HubError(say("This package is too large."))
                if opened.testzip():
                    raise refused
            [found] = metadata.distributions(path=[str(wheel)])
            groups = {entry.group for entry in found.entry_points}
            package = packages.label(found.name, found.version)
        except (zipfile.BadZipFile, ValueError, OSError, KeyError, RuntimeError, NotImplementedError):
            raise refused from None
    if not groups & {packages.GAMES, packages.DRIVERS}:
        raise HubError(say("This package brings neither a game nor a driver of devices."))
    return package
