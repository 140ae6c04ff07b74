"""The image of `make image` on an emulated machine: `make image-check`, which takes an hour or more and needs no root.

qemu starts kernel, initramfs and command line of the image's own first partition. The machine is `virt`, because qemu has no
Raspberry Pi on which Debian's kernel finds a card, a network and a screen. The power is cut during the first start and again
while the hub runs. The machine must come up each time, with a data partition that fills the card, and with the keys and games
that it had. An image for a PC (`make image ARGS="--arch amd64"`) has the same files of ours and is built much faster.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.acceptance.screen import read_code
from tests.free_port import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
TOOLS = {
    "qemu-system-aarch64": "qemu-system-arm",
    "qemu-system-x86_64": "qemu-system-x86",
    "mcopy": "mtools",
    "debugfs": "e2fsprogs",
    "sfdisk": "fdisk",
}
# The emulated machine's clock counts its instructions: a busy computer makes it no slower in its own eyes, and nothing in it
# runs into a time limit.
CLOCK = "-icount shift=0,sleep=off"
# By the end of the kernel's name: the emulator, and the console that it writes into a file.
EMULATORS = {
    "arm64": ("qemu-system-aarch64 -M virt -cpu cortex-a72", "ttyAMA0"),
    "amd64": ("qemu-system-x86_64 -M q35 -cpu max", "ttyS0"),
}
CARD = 8 << 30
SECTOR = 512
BLOCK = 4 << 20
START_SECONDS = 3600.0  # an emulated processor on a busy computer
# What only an emulated processor needs: time, and a screen that is drawn without its graphics processor.
SLOW = {
    "table-hub.service": "[Service]\nTimeoutStartSec=1h\nWatchdogSec=0\n",
    "table-hub-kiosk.service": "[Service]\nEnvironment=WLR_RENDERER=pixman\n",
}
KEPT = ("/etc/machine-id", "/etc/hostname", "/etc/ssh/ssh_host_ed25519_key.pub", "/var/lib/table-hub/kiosk.token")


class ImageError(Exception):
    """The image did not do what it must; `str()` says what."""


class Card:
    """A card with the image on it, which no machine uses at the moment."""

    def __init__(self, image: Path) -> None:
        self.image = image

    def partitions(self) -> list[tuple[int, int]]:
        """Return first byte and length of each partition."""
        table = json.loads(_output("sfdisk", "--json", self.image))["partitiontable"]["partitions"]
        return [(part["start"] * SECTOR, part["size"] * SECTOR) for part in table]

    def start_files(self, folder: Path) -> dict[str, str]:
        """Copy kernel and initramfs out of the first partition; return what config.txt and cmdline.txt say about them."""
        first = f"{self.image}@@{self.partitions()[0][0]}"
        subprocess.run(
            ["mcopy", "-n", "-o", "-i", first, "::vmlinuz-*", "::initrd.img-*", "::*.txt", folder], check=True
        )
        config = (folder / "config.txt").read_text("utf-8")
        return {
            "kernel": str(folder / _found(r"^kernel=(\S+)", config)),
            "initrd": str(folder / _found(r"^initramfs (\S+)", config)),
            "append": (folder / "cmdline.txt").read_text("utf-8").strip(),
        }

    def system(self) -> str:
        """Return a checksum of the two partitions that nothing may write to."""
        summed = hashlib.sha256()
        with self.image.open("rb") as card:
            for start, length in self.partitions()[:2]:
                card.seek(start)
                for _ in range(0, length, BLOCK):  # both are whole blocks, because genimage aligns them
                    summed.update(card.read(BLOCK))
        return summed.hexdigest()

    def kept(self) -> dict[str, str]:
        """Return what a machine keeps, after a repair as at its next start. Raise ImageError if more than the journal is needed."""
        data = self._data()
        if subprocess.run(["e2fsck", "-p", data], check=False).returncode > 1:
            raise ImageError(f"{data} needs a repair by hand")
        return {name: _output("debugfs", "-R", f"cat {name}", data) for name in KEPT}

    def data_bytes(self) -> int:
        """Return the length of the data partition's file system."""
        said = _output("dumpe2fs", "-h", self._data())
        return int(_found(r"Block count:\s+(\d+)", said)) * int(_found(r"Block size:\s+(\d+)", said))

    def _data(self) -> Path:
        """Copy the data partition, because e2fsck forgets an offset when it has written."""
        copy = self.image.with_name("data.img")
        start, length = self.partitions()[2]
        part = ["iflag=skip_bytes,count_bytes", f"skip={start}", f"count={length}", "bs=4M", "conv=sparse"]
        subprocess.run(["dd", f"if={self.image}", f"of={copy}", "status=none", *part], check=True)
        return copy


class Machine:
    """qemu's machine `virt` with a card, a network and a screen."""

    def __init__(self, card: Card, folder: Path, name: str) -> None:
        self.card = card
        self.folder = folder
        self.console = folder / f"{name}.console"
        self.console.write_text("")
        self.port = free_port()
        files = card.start_files(folder)
        emulator, console = EMULATORS[files["kernel"].rpartition("-")[2]]
        command = [
            *emulator.split(), *CLOCK.split(), "-m", "2048", "-display", "none", "-vga", "none",
            "-kernel", files["kernel"], "-initrd", files["initrd"],
            "-append", f"{files['append']} console={console} {_patience()}",
            "-drive", f"file={card.image},format=raw,if=virtio,cache=writeback",
            "-nic", f"user,model=virtio-net-pci,hostfwd=tcp:127.0.0.1:{self.port}-:8080",
            "-device", "virtio-gpu-pci,xres=1280,yres=720",
            "-serial", f"file:{self.console}", "-qmp", f"unix:{folder / 'qmp'},server,nowait",
        ]  # fmt: skip
        self._qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL)

    def wait(self, what: str, happened: Callable[[], bool]) -> None:
        """Wait until something has happened. Raise ImageError if it does not."""
        began = time.monotonic()
        while not happened():
            if self._qemu.poll() is not None:
                raise ImageError(f"qemu ended while it should wait until {what}")
            if time.monotonic() - began > START_SECONDS:
                raise ImageError(f"not after {START_SECONDS:.0f} s: {what}; see {self.console}")
            time.sleep(2)
        print(f"passed: {what} ({time.monotonic() - began:.0f} s)", flush=True)

    def printed(self, pattern: str) -> bool:
        """Return whether the console shows a text."""
        return re.search(pattern, self.console.read_text("utf-8", "replace")) is not None

    def answers(self) -> bool:
        """Return whether the hub is up."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/up", timeout=30) as answer:
                return answer.status < 300
        except OSError:
            return False

    def code(self) -> str:
        """Return the text of the QR code on the screen, whose picture stays in the folder; "" if there is none."""
        picture = self.folder / "screen.ppm"
        self._command("screendump", filename=str(picture))
        return read_code(picture.read_bytes())

    def _command(self, name: str, **arguments: Any) -> None:
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(60)
            control.connect(str(self.folder / "qmp"))
            lines = control.makefile("rw", encoding="utf-8")
            lines.readline()  # its greeting
            for request in ({"execute": "qmp_capabilities"}, {"execute": name, "arguments": arguments}):
                lines.write(json.dumps(request) + "\n")
                lines.flush()
                answer = json.loads(lines.readline())
                while "event" in answer:
                    answer = json.loads(lines.readline())
                if "error" in answer:
                    raise ImageError(f"{name}: {answer['error']['desc']}")

    def cut_power(self) -> None:
        """End it in the middle of everything."""
        self._qemu.kill()
        self._qemu.wait()


@contextlib.contextmanager
def started(card: Card, folder: Path, name: str) -> Iterator[Machine]:
    """Start a machine; cut its power in the end."""
    machine = Machine(card, folder, name)
    try:
        yield machine
    finally:
        machine.cut_power()


def check(image: Path, folder: Path) -> None:
    """Start the image three times. Raise ImageError when it does not do what it must."""
    card = Card(folder / "card.img")
    with card.image.open("wb") as output:
        subprocess.run(["xz", "--decompress", "--stdout", image], stdout=output, check=True)
        output.truncate(CARD)
    system = card.system()
    with started(card, folder, "first") as machine:
        machine.wait("the first start grows the file system", lambda: machine.printed("Grow File System on /data"))
    with started(card, folder, "second") as machine:
        machine.wait("the hub answers", machine.answers)
        machine.wait("the screen shows a code", lambda: bool(machine.code()))
        code = machine.code()
    print(f"the code on the screen: {code}")
    start, length = card.partitions()[2]
    must("the partition reaches the card's end", start + length > CARD - BLOCK - 1)
    must("the file system fills the partition", card.data_bytes() > length - BLOCK)
    before = card.kept()
    must(f"the machine has made what it keeps: {', '.join(KEPT)}", all(before.values()))
    must("its name has four letters of its id", before[KEPT[1]].strip() == f"table-hub-{before[KEPT[0]].strip()[-4:]}")
    with started(card, folder, "third") as machine:
        machine.wait("the hub answers after a power cut", machine.answers)
        machine.wait("the screen shows a code after a power cut", lambda: bool(machine.code()))
    must("nothing has written to the system's partitions", card.system() == system)
    must("everything is kept", before == card.kept())


def must(what: str, holds: bool) -> None:
    """Say that something holds. Raise ImageError if it does not."""
    if not holds:
        raise ImageError(f"it is not so that {what}")
    print(f"passed: {what}", flush=True)


def main() -> int:
    """Check an image; return 1 if it fails, 77 if nothing can run here."""
    parser = argparse.ArgumentParser(prog="make image-check ARGS=...")
    parser.add_argument("image", nargs="?", type=Path, default=ROOT / "dist" / "table-hub.img.xz")
    parser.add_argument("--folder", type=Path, help="where the card, consoles and pictures stay (default: nowhere)")
    given = parser.parse_args()
    if missing := sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None}):
        print(f"image-check: needs `apt-get install {' '.join(missing)}`.")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            check(given.image, folder)
        except ImageError as error:
            print(f"FAILED: {error}")
            return 1
    return 0


def _patience() -> str:
    """Return what the kernel's command line needs besides the image's own."""
    words = [
        "systemd.show_status=yes",
        "systemd.default_timeout_start_sec=1800",
        "systemd.default_device_timeout_sec=1800",
    ]
    for unit, text in SLOW.items():
        encoded = base64.b64encode(text.encode()).decode()
        words.append(f"systemd.set_credential_binary=systemd.unit-dropin.{unit}:{encoded}")
    return " ".join(words)


def _output(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise ImageError(f"nothing matches {pattern}")
    return found[1]


if __name__ == "__main__":
    sys.exit(main())
