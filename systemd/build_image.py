"""Build the image of an SD card for a Raspberry Pi: `make image`, as root on Debian 12 or 13.

Debian's programs do the work: mmdebstrap makes the root, genimage the card. This file brings together what they need, moves
what must last onto the data partition, and writes what belongs beside an image: checksum, list of parts (SPDX), and the
manifest that the Raspberry Pi Imager opens. systemd/image holds packages, partitions and every file of ours in the root.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
FILES = ROOT / "systemd" / "image"
# The program that each Debian package has.
TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "genimage": "genimage",
    "mcopy": "mtools",
    "mkdosfs": "dosfstools",
    "mke2fs": "e2fsprogs",
    "apt-ftparchive": "apt-utils",
    "xz": "xz-utils",
}
# Debian's architectures as the kernel and qemu call them.
PROCESSORS = {"arm64": "aarch64", "amd64": "x86_64"}
MIRROR, SECURITY = "http://deb.debian.org/debian", "http://deb.debian.org/debian-security"
COMPONENTS = "main non-free-firmware"  # the firmware of a Pi and of its Wi-Fi is not free
# An image for a PC is only for `make image-check`: the same files of ours, and no emulator while it is built.
KERNELS = {
    "arm64": ["linux-image-arm64", "raspi-firmware", "firmware-brcm80211", "bluez-firmware"],
    "amd64": ["linux-image-amd64"],
}
# What a table keeps: each is a folder of /data, and mounted in its place.
KEPT = (
    "etc/table-hub",
    "etc/NetworkManager/system-connections",
    "var/lib/NetworkManager",
    "var/lib/bluetooth",
    "var/lib/systemd",
    "var/lib/table-hub",
    "var/log",
)
# What no machine may share with another, and what only building has needed.
REMOVED = (
    "etc/machine-id",
    "etc/hostname",
    "etc/resolv.conf",
    "etc/ssh/ssh_host_*",
    "var/cache/apt/*.bin",
    "var/cache/ldconfig/aux-cache",
    "var/lib/apt/lists/*",
    "var/lib/systemd/random-seed",
    "var/log/*.log",
    "var/log/apt",
)
SERVICES = ("table-hub-keys", "table-hub-networks")
DEVICES = ("pi3-64bit", "pi4-64bit", "pi5-64bit")  # the Imager's names; a Zero 2 W is one of the first
ICON = "https://www.debian.org/logos/openlogo-nd-50.png"


def main() -> None:
    """Build image, checksum, list of parts and manifest into a folder."""
    given = _arguments().parse_args()
    if os.geteuid() != 0:
        sys.exit("make image: it needs root, to make the files of root: `sudo make image`.")
    if missing := missing_packages(given.arch):
        sys.exit(f"make image: programs are missing: `apt-get install {' '.join(missing)}`, then run make again.")
    when = int(_output("git", "log", "-1", "--format=%ct"))
    os.environ["SOURCE_DATE_EPOCH"] = f"{when}"
    os.environ["TZ"] = "UTC"  # a FAT keeps local times
    work: Path = given.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    root = work / "root"
    _make_repository(given.debs, work / "packages", given.arch)
    _make_root(root, work / "packages", given.arch, sources(given.mirror, given.security_mirror))
    _write_sources(root)
    if given.arch == "amd64":
        _place_kernel(root)
    _clean(root)
    keep_apart(root)
    given.out.mkdir(parents=True, exist_ok=True)
    parts = spdx(sorted([*_debian_packages(root), *_python_packages(root)]), when)
    (given.out / "table-hub.spdx.json").write_text(json.dumps(parts, indent=1) + "\n", "utf-8")
    _clamp_times(root, when)
    image = _make_card(root, work)
    packed = given.out / "table-hub.img.xz"
    with packed.open("wb") as output:
        subprocess.run(["xz", "--threads=0", "--stdout", image], stdout=output, check=True)
    (given.out / "table-hub.img.xz.sha256").write_text(f"{_sha256(packed)}  {packed.name}\n", "utf-8")
    entry = manifest(image, packed, given.url or packed.resolve().as_uri(), when)
    (given.out / "table-hub.rpi-imager-manifest").write_text(json.dumps(entry, indent=2) + "\n", "utf-8")
    print(packed)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make image ARGS=...", description=(__doc__ or "").partition("\n\n")[0])
    own, own_security = own_mirrors()
    parser.add_argument("--mirror", default=own, help=f"Debian's packages (default: this computer's, or {MIRROR})")
    parser.add_argument("--security-mirror", default=own_security, help=f"its security updates (or {SECURITY})")
    parser.add_argument(
        "--arch", choices=KERNELS, default="arm64", help="amd64 only for make image-check (default: arm64)"
    )
    parser.add_argument("--debs", type=Path, default=ROOT / "dist", help="what `make deb` has built (default: dist)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put the image (default: dist)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "image", help="20 GB that are emptied first")
    parser.add_argument(
        "--url", default="", help="where the image will be downloaded; without it the manifest names the file"
    )
    return parser


def missing_packages(arch: str) -> list[str]:
    """Return Debian's packages that a build for an architecture needs and this computer lacks."""
    processor = PROCESSORS[arch]
    tools = TOOLS if platform.machine() == processor else {**TOOLS, f"qemu-{processor}-static": "qemu-user-static"}
    return sorted({package for tool, package in tools.items() if shutil.which(tool) is None})


def own_mirrors() -> tuple[str, str]:
    """Return the archives that this computer's apt takes Debian and its security updates from; Debian's own without any."""
    found = {"Debian": MIRROR, "Debian-Security": SECURITY}
    form = "$(LABEL) $(REPO_URI)"
    listed = (
        _output("apt-get", "indextargets", "--format", form, "Created-By: Packages") if shutil.which("apt-get") else ""
    )
    for line in listed.splitlines():
        label, _, address = line.rpartition(" ")  # a label may have spaces
        if label in found:
            found[label] = address.rstrip("/")
    return found["Debian"], found["Debian-Security"]


def _output(*command: str | Path) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def sources(mirror: str, security: str) -> list[str]:
    """Return the lines that tell apt where Debian 13 is."""
    suites = (
        (mirror, "trixie"),
        (mirror, "trixie-updates"),
        (mirror, "trixie-backports"),
        (security, "trixie-security"),
    )
    return [f"deb {address} {suite} {COMPONENTS}" for address, suite in suites]


def packages(arch: str) -> list[str]:
    """Return the packages of the image for an architecture of Debian."""
    lines = (FILES / "packages.txt").read_text("utf-8").splitlines()
    return [*KERNELS[arch], *(name for line in lines for name in line.partition("#")[0].split())]


def _make_repository(debs: Path, folder: Path, arch: str) -> None:
    """Let apt find our own packages, as `make deb` has built them."""
    folder.mkdir()
    for pattern in (f"table-hub_*_{arch}.deb", "table-hub-kiosk_*_all.deb"):
        found = sorted(debs.glob(pattern), key=lambda file: file.stat().st_mtime)
        if not found:
            sys.exit(f'make image: {debs} holds no {pattern}: `make deb ARGS="--arch {arch}"` builds it.')
        shutil.copy2(found[-1], folder)
    with (folder / "Packages").open("wb") as output:
        subprocess.run(["apt-ftparchive", "packages", "."], cwd=folder, stdout=output, check=True)


def _make_root(root: Path, own: Path, arch: str, archives: list[str]) -> None:
    """Install Debian, our packages and our files into a folder."""
    ours = f'tar -C {FILES / "root"} --owner=0 --group=0 --mode=go-w -c . | tar -C "$1" -x'
    subprocess.run(
        [
            "mmdebstrap", "--mode=root", f"--architectures={arch}", "--variant=apt", "--format=directory",
            f"--include={','.join(packages(arch))}",
            '--aptopt=Apt::Install-Recommends "false"',
            "--dpkgopt=force-confold",  # our files are there before the packages that bring others of the same name
            "--dpkgopt=path-exclude=/usr/share/man/*",
            "--dpkgopt=path-exclude=/usr/share/locale/*",
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-include=/usr/share/doc/*/copyright",
            f"--setup-hook={ours}",
            f'--customize-hook=chroot "$1" systemctl enable {" ".join(SERVICES)}',
            '--customize-hook=chroot "$1" systemctl disable mosquitto',  # the hub starts one of its own
            "trixie", str(root), *archives, f"deb [trusted=yes] copy:{own} ./",
        ],
        check=True,
    )  # fmt: skip


def _write_sources(root: Path) -> None:
    """Name Debian's own archives, wherever this computer has fetched from."""
    for file in (root / "etc/apt/sources.list.d").iterdir():
        file.unlink()
    (root / "etc/apt/sources.list").write_text("\n".join(sources(MIRROR, SECURITY)) + "\n", "utf-8")


def _place_kernel(root: Path) -> None:
    """Put kernel and initramfs on a PC's first partition, as raspi-firmware has done for a Raspberry Pi."""
    firmware = root / "boot" / "firmware"
    firmware.mkdir()
    kernel, initrd = (
        Path(shutil.copy2(next(root.glob(f"boot/{name}-*")), firmware)) for name in ("vmlinuz", "initrd.img")
    )
    (firmware / "config.txt").write_text(f"kernel={kernel.name}\ninitramfs {initrd.name}\n", "utf-8")
    options = (root / "etc/default/raspi-extra-cmdline").read_text("utf-8")
    (firmware / "cmdline.txt").write_text(f"root=LABEL=table-hub-root {options}", "utf-8")


def _clean(root: Path) -> None:
    for pattern in REMOVED:
        for found in root.glob(pattern):
            shutil.rmtree(found) if found.is_dir() else found.unlink()
    # A script in the initramfs fills it. Without the file, systemd would take each start for the first one.
    (root / "etc/machine-id").touch()
    # Memory forgets at each power-off that systemd has brought them up to date, and it would do so at each start.
    for name in ("etc/.updated", "var/.updated"):
        (root / name).touch()
    # table-hub-system finds name servers there, too.
    (root / "etc/resolv.conf").symlink_to("/run/NetworkManager/resolv.conf")


def keep_apart(root: Path) -> None:
    """Move what must last to the data partition, and mount it in its place."""
    (root / "data" / "etc" / "ssh").mkdir(parents=True)
    lines = ""
    for name in KEPT:
        place, kept = root / name, root / "data" / name
        place.mkdir(parents=True, exist_ok=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(place, kept)
        place.mkdir()
        lines += f"/data/{name} /{name} none bind 0 0\n"
    with (root / "etc/fstab").open("a", encoding="utf-8") as fstab:
        fstab.write(lines)


def _clamp_times(root: Path, when: int) -> None:
    """Let no file be younger than the commit that the image is made from."""
    for place in [root, *root.rglob("*")]:
        if place.lstat().st_mtime > when:
            os.utime(place, (when, when), follow_symlinks=False)


def _make_card(root: Path, work: Path) -> Path:
    """Lay the root out on partitions; return the image of the whole card."""
    subprocess.run(
        [
            "genimage", f"--config={FILES / 'genimage.cfg'}", f"--rootpath={root}", f"--tmppath={work / 'tmp'}",
            f"--inputpath={work}", f"--outputpath={work / 'card'}",
        ],
        check=True,
    )  # fmt: skip
    return work / "card" / "table-hub.img"


def _debian_packages(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and version of each installed package of Debian."""
    form = "${Package} ${Version}\n"
    for line in _output(
        "dpkg-query", f"--admindir={root / 'var/lib/dpkg'}", "--show", f"--showformat={form}"
    ).splitlines():
        name, version = line.split()
        yield "deb/debian", name, version


def _python_packages(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and version of each Python package that the hub brings."""
    for folder in root.glob("usr/lib/table-hub/.venv/lib/python3.13/site-packages"):
        for found in metadata.distributions(path=[str(folder)]):
            yield "pypi", found.name, found.version


def spdx(parts: Iterable[tuple[str, str, str]], when: int) -> dict[str, Any]:
    """Return a list of parts as SPDX 2.3.

    Args:
        parts: for each one its kind as a package URL has it, its name and its version.
        when: the date of the list, in seconds since 1970.
    """
    listed = [
        {
            "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{kind}-{name}"),
            "name": name,
            "versionInfo": version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "externalRefs": [
                {
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": f"pkg:{kind}/{quote(name)}@{quote(version)}",
                }
            ],
        }
        for kind, name, version in parts
    ]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "table-hub.img",
        "documentNamespace": f"https://example.org/table-hub/image/{when}",
        "creationInfo": {"created": f"{_time(when):%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: table-hub-build-image"]},
        "packages": listed,
        "relationships": [
            {
                "spdxElementId": "SPDXRef-DOCUMENT",
                "relationshipType": "DESCRIBES",
                "relatedSpdxElement": part["SPDXID"],
            }
            for part in listed
        ],
    }


def manifest(image: Path, packed: Path, url: str, when: int) -> dict[str, Any]:
    """Return what the Raspberry Pi Imager asks of an image: doc/json-schema/os-list-schema.json in its repository."""
    return {
        "os_list": [
            {
                "name": "table-hub",
                "description": "Bidding games at a real table: hub and big screen, ready to start",
                "icon": ICON,
                "url": url,
                "extract_size": image.stat().st_size,
                "extract_sha256": _sha256(image),
                "image_download_size": packed.stat().st_size,
                "release_date": f"{_time(when):%Y-%m-%d}",
                "init_format": "none",
                "architecture": "armv8",
                "devices": list(DEVICES),
            }
        ]
    }


def _time(when: int) -> datetime:
    return datetime.fromtimestamp(when, UTC)


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


if __name__ == "__main__":
    main()
