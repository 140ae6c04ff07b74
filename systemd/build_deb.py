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
from email.utils import formatdate
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hub.operations.setup import LOCK, uv_environment  # noqa: E402
from hub.version import COMMIT_FILE, commit_of  # noqa: E402

PYTHONS = ("3.11", "3.13")  # of Debian 12 and 13, and of the Raspberry Pi OS that is made from each
GROUPS = ("ble", "camera", "eink")
PLATFORMS = {"amd64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}
PROGRAM = "usr/lib/table-hub"
HELPERS = ("every-device.toml", "kiosk-policy.json", "kiosk.sh", "splash.html", "xkb")
DEBHELPER_FILES = {
    "debian/table-hub.docs": "README.md\n",
    "debian/table-hub.install": "program/usr/* usr/\n",
    "debian/table-hub-kiosk.install": "kiosk/usr/* usr/\n",
}


def main() -> None:
    """Build the packages into a folder."""
    if shutil.which("dh") is None or shutil.which("dpkg-buildpackage") is None:
        sys.exit("make deb: debhelper is missing: `sudo apt-get install debhelper`, then run make again.")
    parser = argparse.ArgumentParser(prog="make deb ARGS=...", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--arch", choices=PLATFORMS, default=_output("dpkg", "--print-architecture"))
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put them (default: dist)")
    given = parser.parse_args()
    number = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert number
    source = ROOT / "build" / "deb" / f"table-hub-{number[1]}"
    shutil.rmtree(source.parent, ignore_errors=True)
    shutil.copytree(ROOT / "systemd" / "debian", source / "debian")
    when = int(_output("git", "log", "-1", "--format=%ct"))
    _write_changelog(source / "debian" / "changelog", number[1], when)
    _fill_program(source / "program" / PROGRAM, PLATFORMS[given.arch])
    place_services(source)
    environment = os.environ | {"SOURCE_DATE_EPOCH": f"{when}"}
    subprocess.run(
        ["dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", f"--host-arch={given.arch}"],
        cwd=source, env=environment, check=True,
    )  # fmt: skip
    given.out.mkdir(parents=True, exist_ok=True)
    for package in sorted(source.parent.glob("*.deb")):
        print(shutil.copy2(package, given.out))


def _output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def _write_changelog(file: Path, version: str, when: int) -> None:
    """Write what debhelper needs to know; what has changed is in CHANGELOG.md."""
    file.write_text(
        f"table-hub ({version}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
        f" -- table-hub contributors <table-hub@example.org>  {formatdate(when)}\n",
        "utf-8",
    )


def _fill_program(program: Path, platform: str) -> None:
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
    for python in PYTHONS:
        packages = environment / "lib" / f"python{python}" / "site-packages"
        _install(packages, python, platform)
        (packages / "table-hub.pth").write_text(f"/{PROGRAM}\n", "utf-8")
    _link_alike(environment / "lib")


def _install(packages: Path, python: str, platform: str) -> None:
    """Install the locked packages of a version of Python for a platform."""
    settings = _output(sys.executable, "-m", "pip", "config", "list")
    groups = [part for group in GROUPS for part in ("--group", group)]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run(
        [
            uv, "pip", "install", "--quiet", "--target", packages, "--python-version", python, "--python-platform", platform,
            "--only-binary", ":all:", "--require-hashes", "-r", "pyproject.toml", "-c", LOCK, *groups,
        ],
        cwd=ROOT, check=True, env={"UV_INDEX_STRATEGY": "unsafe-best-match", **uv_environment(settings), **os.environ},
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
    """Write units, rules, the command and the first configuration for their places in a Debian system."""
    files = ROOT / "systemd"

    def place(name: str, to: str, mode: int = 0o644) -> None:
        text = (files / name).read_text("utf-8")
        text = text.replace("file:///opt/table-hub/current", "file:///usr/share/doc/table-hub")
        text = text.replace("/opt/table-hub/current", f"/{PROGRAM}")
        text = re.sub(r"^# A new release that does not start.*\n|^Exec.*trial\.sh.*\n", "", text, flags=re.MULTILINE)
        there = source / to
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text, "utf-8")
        there.chmod(mode)

    place("table-hub.service", "debian/table-hub.service")
    place("table-hub-kiosk.service", "debian/table-hub-kiosk.service")
    place("70-table-hub.rules", "debian/table-hub.udev")
    place("72-table-hub-kiosk.rules", "debian/table-hub-kiosk.udev")
    place("table-hub", "program/usr/bin/table-hub", 0o755)
    place("50-table-hub.rules", "program/usr/share/polkit-1/rules.d/50-table-hub.rules")
    place("60-table-hub-kiosk.conf", "kiosk/usr/lib/sysctl.d/60-table-hub-kiosk.conf")
    place("table-hub.toml", "program/usr/share/table-hub/table-hub.toml")
    first = source / "program/usr/share/table-hub/table-hub.toml"
    first.write_text(
        re.sub(r'^state = "[^"]*"', 'state = "/var/lib/table-hub"', first.read_text("utf-8"), flags=re.MULTILINE),
        "utf-8",
    )
    shutil.copy2(ROOT / "LICENSE", source / "debian" / "copyright")
    shutil.copy2(ROOT / "README.md", source)
    for name, text in DEBHELPER_FILES.items():
        (source / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
