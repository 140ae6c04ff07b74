"""Find a newer version of the hub on a USB stick, or at the address that the configuration names.

Both hold an archive as apt knows it: the packages, `Packages` and `InRelease` in one folder, on a stick the folder `table-hub`
(`make deb ARGS="--sign KEY"` makes one). apt checks its signature with the key of the package that runs.
"""

from __future__ import annotations

import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from hub.operations import sticks
from hub.operations.update import HUB, Machine, UpdateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEYS = (Path("/etc/table-hub-updates.asc"), Path("/usr/share/table-hub/updates.asc"))
"""The owner's own key comes first. Not in /etc/table-hub, where the hub's user may write: who has the key is root."""
ON_A_STICK = "table-hub"
BAD_SIGNATURE = ("NO_PUBKEY", "BADSIG", "EXPKEYSIG", "not signed", "invalid signature", "Hash Sum mismatch")
"""What apt says of an archive that somebody else has made or changed."""


class SignatureError(UpdateError):
    """The archive is not signed with the right key, or was changed after it was signed."""

    state = "unsigned"


class NoArchiveError(UpdateError):
    """There is no stick with an archive, and no address of one."""

    state = "nowhere"


class Archives:
    """The archives that this machine can reach, and what they hold."""

    def __init__(self, machine: Machine, folder: Path, keys: Sequence[Path] = KEYS) -> None:
        """`folder` is for the lists of apt and for packages that are found."""
        self._machine = machine
        self._folder = folder
        self._keys = keys

    def find(self, installed: dict[str, str]) -> tuple[str, list[Path]]:
        """Download a newer version of the installed packages. Return it with its files; "" and none if there is no newer one.

        Raise UpdateError if an archive cannot be read, SignatureError if its signature is wrong, NoArchiveError without any.
        """
        address = str(self._machine.updates().get("url", ""))
        if re.search(r"\s", address):  # it becomes a part of a line for apt, and the hub's user may have written it
            raise UpdateError("[updates] url is no address.")
        with self._sticks() as archives:
            places = [*archives, *([address] if address else [])]
            if not places:
                raise NoArchiveError("there is no USB stick with the folder `table-hub`, and [updates] names no `url`.")
            for place in places:
                version, files = self._newest(place, installed)
                if files:
                    return version, files
        return "", []

    def _newest(self, place: str, installed: dict[str, str]) -> tuple[str, list[Path]]:
        """Download what an archive has newer than the installed packages. Raise UpdateError."""
        apt = self._options(place)
        self._run("apt-get", *apt, "update")
        listed = self._machine.ask("apt-cache", *apt, "madison", HUB)
        version = next((line.split("|")[1].strip() for line in listed.splitlines() if "|" in line), "")
        if not version or not self._is_newer(version, installed.get(HUB, "")):
            return "", []
        found = self._folder / "found"
        shutil.rmtree(found, ignore_errors=True)
        found.mkdir()
        wanted = [f"{name}={version}" for name in installed or (HUB,)]
        self._run("apt-get", *apt, "download", *wanted, cwd=found)
        return version, sorted(found.glob("*.deb"))

    def _options(self, place: str) -> list[str]:
        """Return the options that let apt know this archive only."""
        key = next((key for key in self._keys if key.exists()), None)
        if key is None:
            raise UpdateError(f"there is no key that signs updates: put it into {self._keys[0]}.")
        sources, lists, cache = (self._folder / name for name in ("archive.list", "lists", "cache"))
        shutil.rmtree(lists, ignore_errors=True)  # of another archive
        for made in (lists / "partial", cache / "archives" / "partial"):
            made.mkdir(parents=True, exist_ok=True)
        sources.write_text(f"deb [signed-by={key}] {place} ./\n", "utf-8")
        settings = {
            "Dir::Etc::SourceList": sources,
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::State::Lists": lists,
            "Dir::Cache": cache,
            "APT::Update::Error-Mode": "any",
        }
        return ["--quiet", *(f"--option={name}={value}" for name, value in settings.items())]

    def _run(self, *command: str, cwd: Path | None = None) -> None:
        try:
            self._machine.run(*command, cwd=cwd)
        except UpdateError as error:
            if any(sign in error.output for sign in BAD_SIGNATURE):
                raise SignatureError(
                    "this update is damaged, or not signed with the key of your table-hub: get it again from where you got table-hub."
                ) from error
            raise

    def _is_newer(self, version: str, than: str) -> bool:
        with suppress(UpdateError):
            self._machine.run("dpkg", "--compare-versions", version, "gt", than)
            return True
        return False

    @contextmanager
    def _sticks(self) -> Iterator[list[str]]:
        """Mount all USB sticks, read-only, and return the places of their archives."""
        with sticks.mounted(self._machine) as folders:
            archives = [folder / ON_A_STICK for folder in folders]
            yield [f"copy:{quote(str(folder))}" for folder in archives if (folder / "InRelease").exists()]
