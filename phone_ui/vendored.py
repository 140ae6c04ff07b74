"""The libraries that the pages load: npm's folder in a clone, `phone_ui/vendor` in a wheel or a source package.

This module imports only the standard library, because building the wheel imports it before anything is installed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = {
    "htm-preact.js": "htm/preact/standalone.module.js",
    "mqtt.js": "mqtt/dist/mqtt.esm.js",
    "nacl.js": "tweetnacl/nacl-fast.min.js",
    "qr.js": "lean-qr/nano.mjs",
}


class LibrariesMissing(Exception):
    """The libraries are neither in npm's folder nor packed. `str()` says what to do."""


def locate(pages: Path = HERE) -> dict[str, Path]:
    """Return the path of each library's file, which may not exist before set-up. Keys are the names in `/vendor/`."""
    packed, modules = pages / "vendor", pages / "node_modules"
    return {name: packed / name if packed.is_dir() else modules / source for name, source in SOURCES.items()}


def pack(pages: Path, target: Path) -> list[Path]:
    """Copy the libraries and the licenses of all their parts to `target`. Return the files written.

    Raise LibrariesMissing if they are neither in `node_modules` nor packed already.
    """
    if (pages / "vendor").is_dir():  # a source package
        shutil.copytree(pages / "vendor", target, dirs_exist_ok=True)
        return sorted(file for file in target.rglob("*") if file.is_file())
    files = locate(pages)
    missing = [name for name, file in files.items() if not file.is_file()]
    if missing:
        raise LibrariesMissing(f"{', '.join(missing)} not found in {pages / 'node_modules'}: run `make setup` first.")
    licences = target / "licenses"
    licences.mkdir(parents=True, exist_ok=True)
    written = [Path(shutil.copyfile(file, target / name)) for name, file in files.items()]
    written += [Path(shutil.copyfile(file, licences / file.name)) for file in (pages / "licenses").glob("*.txt")]
    # mqtt.js is bundled from many packages: copy the license of each that the lock file names for the pages.
    lock = json.loads((pages / "package-lock.json").read_text("utf-8"))["packages"]
    for place in sorted(place for place, package in lock.items() if place and not package.get("dev")):
        for file in sorted((pages / place).glob("[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]*")):
            name = place.rpartition("node_modules/")[2].replace("/", "-")
            written.append(Path(shutil.copyfile(file, licences / f"{name}.txt")))
    return written
