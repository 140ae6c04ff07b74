"""Check that every locked package is there ready-made for each machine that README.md names: `make wheels`.

uv resolves the whole lock, with its hashes and without building anything, as each of those machines; nothing is installed.
Then the last line of the lock says that it was checked, so that tests/test_wheels.py need not do it again. What a 32-bit
Pi has to build is said in sentences: uv knows no such machine, so pip is asked, a package at a time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from hub.operations.setup import LOCK, uv_environment

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")  # of Debian 12, and of 13
MACHINES = ("x86_64", "aarch64")
GLIBC = "manylinux_2_36"  # of Debian 12
ARM_32 = ("armv7l", "armv6l")
GROUPS = ("dev", "pi", "npm", "installer", "build")
BUILT = ("spidev", "lgpio")  # on a Pi of any kind: hub/operations/setup.py says it, PIN_NEEDS
OWNERS_GROUPS = ("ble", "camera")  # what an owner may add to a hub on a 32-bit Pi
CHECKED = "# wheels checked: "


class NotReady(Exception):
    """A locked package has no wheel somewhere; `str()` says which, and where."""


class NoNetwork(Exception):
    """The package index could not be asked."""


def digest(lock: str) -> str:
    """Return the SHA-256 of a lock without the line that says that it was checked."""
    lines = [line for line in lock.splitlines() if not line.startswith(CHECKED)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def is_checked(lock: str) -> bool:
    """Return whether a lock says of itself, as it is now, that it was checked."""
    return f"{CHECKED}{digest(lock)}" in lock.splitlines()


def note_checked(file: Path) -> None:
    """Write that line at the lock's end."""
    lock = file.read_text("utf-8")
    lines = [line for line in lock.splitlines() if not line.startswith(CHECKED)]
    file.write_text("\n".join([*lines, f"{CHECKED}{digest(lock)}"]) + "\n", "utf-8")


def check(python: str, machine: str, root: Path = ROOT) -> None:
    """Raise NotReady where a locked file is missing for that machine, NoNetwork where that cannot be found out."""
    _resolve(root, python, machine, *[part for group in GROUPS for part in ("--group", group)])


def _resolve(root: Path, python: str, machine: str, *groups: str) -> list[str]:
    """Return what uv would install, as "name==version"."""
    settings = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    with tempfile.TemporaryDirectory() as nowhere:
        command = [
            str(ROOT / ".venv/bin/uv"), "pip", "install", "--dry-run", "--target", nowhere, "--python", sys.executable,
            "--python-version", python, "--python-platform", f"{machine}-{GLIBC}", "--require-hashes",
            "--only-binary", ":all:", *[part for name in BUILT for part in ("--no-binary", name)],
            "-b", LOCK, "-c", LOCK, "-r", "pyproject.toml", *groups,
        ]  # fmt: skip
        environment = {"UV_INDEX_STRATEGY": "unsafe-best-match", **uv_environment(settings), **os.environ}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        if re.search(r"Failed to fetch|error sending request|dns error|network was disabled", done.stderr):
            raise NoNetwork(done.stderr.strip().splitlines()[-1])
        cause = re.search(r"Because (.+?)(?:,? and |, we can)", " ".join(done.stderr.split()))
        raise NotReady(f"Python {python} on {machine}: {cause[1] if cause else done.stderr.strip()}.")
    return re.findall(r"^ \+ (\S+==\S+)", done.stderr, re.MULTILINE)


def built_on(machine: str, python: str) -> list[str]:
    """Return the packages of a hub that are there as source only for a 32-bit Pi."""
    groups = [part for group in OWNERS_GROUPS for part in ("--group", group)]
    # What depends on the processor is the same on any ARM, but for uvloop, which the hub takes on 64 bit only.
    packages = [one for one in _resolve(ROOT, python, "aarch64", *groups) if not one.startswith("uvloop==")]
    return [package.partition("==")[0] for package in packages if not _has_wheel(package, machine, python)]


def _has_wheel(package: str, machine: str, python: str) -> bool:
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in (17, 28, 31, 34, 35, 36)]
    platforms += [f"manylinux2014_{machine}", f"linux_{machine}"]
    with tempfile.TemporaryDirectory() as nowhere:
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--target", nowhere,
            "--only-binary", ":all:", "--python-version", python, "--implementation", "cp",
            *[part for platform in platforms for part in ("--platform", platform)], package,
        ]  # fmt: skip
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main() -> int:
    """Check all machines; return 1 where a package is missing, 75 where the index cannot be asked."""
    parser = argparse.ArgumentParser(prog="make wheels", description="Is every locked package there ready-made?")
    parser.add_argument("--64", dest="only_64", action="store_true", help="leave out what a 32-bit Pi has to build")
    only_64 = parser.parse_args().only_64
    try:
        for python in PYTHONS:
            for machine in MACHINES:
                check(python, machine)
                print(f"Python {python} on {machine}: every locked package has a wheel, but {' and '.join(BUILT)}.")
        note_checked(ROOT / LOCK)
        for machine in () if only_64 else ARM_32:
            built = ", ".join(built_on(machine, PYTHONS[-1])) or "nothing"
            print(
                f"A 32-bit Pi ({machine}, Python {PYTHONS[-1]}) builds {built}, where its own index (piwheels) has no wheel."
            )
    except NotReady as error:
        print(f"wheels: {error}", file=sys.stderr)
        return 1
    except NoNetwork as error:
        print(f"wheels: the package index could not be asked: {error}", file=sys.stderr)
        return 75
    return 0


if __name__ == "__main__":
    sys.exit(main())
