"""Build the Debian packages: `make deb`, or `python systemd/build_deb.py --arch arm64`.

One package serves every Python that Debian 12 and 13 have: it holds an environment like that of a clone, with a folder of
locked packages for each version, of which the system's Python takes its own. Nothing is compiled, so that the package for a
Raspberry Pi is built on any computer. debhelper writes the rest: users, units and what happens at an upgrade or removal.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from email.utils import formatdate
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hub.__main__ import parser  # noqa: E402
from hub.operations.setup import LOCK, uv_variables  # noqa: E402
from hub.version import COMMIT_FILE, commit_of  # noqa: E402

PYTHONS = ("3.11", "3.13")  # of Debian 12 and 13, and of the Raspberry Pi OS that is made from each
GROUPS = ("ble", "camera", "eink")
PLATFORMS = {"amd64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}
PROGRAM = "usr/lib/table-hub"
HELPERS = ("every-device.toml", "kiosk-policy.json", "kiosk.sh", "new-pin.sh", "splash.html", "xkb")
KEY = "usr/share/table-hub/updates.asc"
DEBHELPER_NAMES = {
    "70-table-hub.rules": "table-hub.udev",
    "72-table-hub-kiosk.rules": "table-hub-kiosk.udev",
    "table-hub.service": "table-hub.service",
    "table-hub-update.service": "table-hub.table-hub-update.service",
    "table-hub-kiosk.service": "table-hub-kiosk.service",
}


def main() -> None:
    """Build the packages into a folder."""
    parser = argparse.ArgumentParser(prog="make deb ARGS=...", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--arch", choices=PLATFORMS, default=_output("dpkg", "--print-architecture"))
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put them (default: dist)")
    parser.add_argument("--here", action="store_true", help="quickly, only for this computer's Python")
    parser.add_argument(
        "--firmware", nargs="+", type=Path, default=[], metavar="FILE.uf2",
        help="files of `make firmware`, which the staff page writes to new Picos",
    )  # fmt: skip
    parser.add_argument("--sign", metavar="KEY", help="also make an archive for updates, signed with this key of gpg")
    given = parser.parse_args()
    when, version = int(_output("git", "log", "-1", "--format=%ct")), package_version()
    source = ROOT / "build" / "deb" / f"table-hub-{version}"
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree(ROOT / "systemd" / "debian", source / "debian")
    _write_changelog(source / "debian" / "changelog", version, when)
    pythons = ("{}.{}".format(*sys.version_info[:2]),) if given.here else PYTHONS
    write_manual(source / "debian" / "table-hub.1", version, when)
    _fill_program(source / "program" / PROGRAM, PLATFORMS[given.arch], pythons)
    for file in given.firmware:
        shutil.copy2(file, source / "program" / PROGRAM)
    place_services(source)
    if given.sign:
        _export_key(given.sign, source / "program" / KEY)
    environment = os.environ | {"SOURCE_DATE_EPOCH": f"{when}", "COMPRESSION": "-Znone" if given.here else "-Zxz -z2"}
    subprocess.run(
        ["dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", f"--host-arch={given.arch}"],
        cwd=source, env=environment, check=True,
    )  # fmt: skip
    given.out.mkdir(parents=True, exist_ok=True)
    for package in sorted(source.parent.glob("*.deb")):
        print(shutil.copy2(package, given.out))
    if given.sign:
        _sign(given.out, given.sign)


def _export_key(key: str, file: Path) -> None:
    """Write the public half of a key of gpg, with which the hub checks its next version."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_output("gpg", "--armor", "--export", key), "utf-8")


def _sign(folder: Path, key: str) -> None:
    """Make a folder of packages an archive for apt: hub/operations/update_source.py."""
    for name, command in (("Packages", ("packages", ".")), ("Release", ("release", "."))):
        (folder / name).write_text(_output("apt-ftparchive", *command, cwd=folder), "utf-8")
    subprocess.run(
        ["gpg", "--batch", "--yes", "--local-user", key, "--output", "InRelease", "--clear-sign", "Release"],
        cwd=folder, check=True,
    )  # fmt: skip


def package_version() -> str:
    """Return the version of the packages: until it is released, with the time and the name of the commit."""
    number = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert number
    time = _output("git", "log", "-1", "--format=%cd", "--date=format-local:%Y%m%d%H%M%S")
    return f"{number[1]}~{time}.{commit_of(ROOT)}"


def _output(*command: str, cwd: Path = ROOT) -> str:
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _write_changelog(file: Path, version: str, when: int) -> None:
    """Write what debhelper needs to know; what has changed is in CHANGELOG.md."""
    file.write_text(
        f"table-hub ({version}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- table-hub contributors <table-hub@example.org>  {formatdate(when)}\n",
        "utf-8",
    )


def write_manual(file: Path, version: str, when: int) -> None:
    """Write the manual page from the help of the program and of each of its commands. `when` is its date (Unix time)."""
    # argparse has no other way to its commands.
    commands: dict[str, argparse.ArgumentParser] = next(
        one.choices
        for one in parser()._actions  # noqa: SLF001
        if isinstance(one.choices, dict)
    )
    sections = "[COMMANDS]\n" + "".join(f".SS table-hub {name}\n{_roff(one)}" for name, one in commands.items())
    with TemporaryDirectory() as folder:
        included, program = Path(folder, "commands"), Path(folder, "table-hub")
        included.write_text(sections, "utf-8")
        program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m hub \"$@\"\n", "utf-8")
        program.chmod(0o755)
        subprocess.run(
            ["help2man", "--no-info", "--name=bidding games at a real table", f"--version-string={version}",
             f"--include={included}", f"--output={file}", program],
            cwd=ROOT, env=os.environ | {"COLUMNS": "80", "SOURCE_DATE_EPOCH": f"{when}"}, check=True,
        )  # fmt: skip


def _roff(command: argparse.ArgumentParser) -> str:
    """Return the help of a command as it is in a terminal 72 characters wide."""
    command.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=72)
    lines = command.format_help().replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join([".nf", *(f"\\&{line}" if line else "" for line in lines), ".fi\n"])


def _fill_program(program: Path, platform: str, pythons: Sequence[str]) -> None:
    """Put the program, its environment and its helpers where a clone has them."""
    wheels = program.parents[3] / "wheels"
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", wheels, ROOT],
        check=True,
    )
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        wheel.extractall(program)
    (program / COMMIT_FILE).write_text(f"{commit_of(ROOT)}\n", "utf-8")
    for name in HELPERS:
        here, there = ROOT / "systemd" / name, program / "systemd" / name
        there.parent.mkdir(exist_ok=True)
        shutil.copytree(here, there) if here.is_dir() else shutil.copy2(here, there)
    environment = program / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to("/usr/bin/python3")
    (environment / "bin" / "table-hub").write_text(
        f"#!/{PROGRAM}/.venv/bin/python\nimport sys\n\nfrom hub.start import main\n\nsys.exit(main())\n", "utf-8"
    )
    (environment / "bin" / "table-hub").chmod(0o755)
    # The Raspberry Pi's own packages for its pins are taken from the system.
    (environment / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = true\n", "utf-8")
    for python in pythons:
        packages = environment / "lib" / f"python{python}" / "site-packages"
        _install(packages, python, platform)
        (packages / "table-hub.pth").write_text(f"/{PROGRAM}\n", "utf-8")
    _link_alike(environment / "lib")


def _install(packages: Path, python: str, platform: str) -> None:
    """Install the locked packages of a version of Python for a platform."""
    groups = [part for group in GROUPS for part in ("--group", group)]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        [
            uv, "pip", "install", "--quiet", "--target", packages, "--python-version", python, "--python-platform", platform,
            "--only-binary", ":all:", "--require-hashes", "-r", "pyproject.toml", "-c", LOCK, *groups,
        ],
        cwd=ROOT, check=True, env=uv_variables(sys.executable),
    )  # fmt: skip
    shutil.rmtree(packages / "bin", ignore_errors=True)  # programs of the packages, with this computer's Python
    for file in packages.glob("epaper/**/*.so"):  # the maker's drivers for other computers
        file.unlink()


def _link_alike(folder: Path) -> None:
    """Let files with the same content be one file: what is not compiled is the same for every Python."""
    known: dict[bytes, Path] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.is_symlink():
            same = known.setdefault(hashlib.sha256(file.read_bytes()).digest(), file)
            if same != file:
                file.unlink()
                file.hardlink_to(same)


def place_services(source: Path) -> None:
    """Put units and rules where debhelper looks for them, and the first configuration, with what an installed hub has."""
    for name, to in DEBHELPER_NAMES.items():
        shutil.copy2(ROOT / "systemd" / name, source / "debian" / to)
    shutil.copy2(ROOT / "LICENSE", source / "debian" / "copyright")
    shutil.copy2(ROOT / "README.md", source)
    shutil.copytree(ROOT / "systemd", source / "systemd", ignore=shutil.ignore_patterns("debian"))
    first = source / "systemd" / "table-hub.toml"
    settings = re.sub(r'^state = "[^"]*"', 'state = "/var/lib/table-hub"', first.read_text("utf-8"), flags=re.MULTILINE)
    # Only an installed hub may use the radio, and asks boards what they are.
    for key in ("hotspot", "find_devices"):
        settings = settings.replace(f"{key} = false ", f"{key} = true ")
    # Seat boxes play as soon as they are plugged in.
    settings = re.sub(r"^# (\[\[device\]\]|driver =)", r"\1", settings, flags=re.MULTILINE)
    first.write_text(settings, "utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"make deb: {error.cmd[0]} failed; the lines above say why.")
