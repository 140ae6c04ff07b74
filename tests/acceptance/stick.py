"""Backups on real USB sticks, by the staff page of a hub: `python -m tests.acceptance.stick` (as root; some minutes without KVM).

`vm.py` makes the machine, with sticks that the kernel sees at its USB port, and the units and polkit rules of the package. `stick_inside.py`
says what happens in it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from tests.acceptance import vm

CLONE = "/usr/lib/table-hub"  # where the package has the program
STICKS = ("fat", "full", "locked", "linux")
"""A stick with a part, as they are sold; one without room; one that is write-protected; one with links that lead away from it."""


def make(folder: Path) -> vm.Test:
    """Make the sticks in a folder, and return the test."""
    images = {name: folder / f"stick-{name}.img" for name in STICKS}
    for name, image in images.items():
        image.unlink(missing_ok=True)
        with image.open("wb") as file:
            file.truncate((64 if name == "fat" else 8) * 2**20)
        if name == "fat":
            subprocess.run(["sfdisk", "-q", str(image)], input="start=2048, type=c\n", text=True, check=True)
            subprocess.run(["mkfs.vfat", "--offset=2048", "-n", "STICK", str(image)], check=True, capture_output=True)
        elif name == "linux":
            links = folder / "links"
            shutil.rmtree(links, ignore_errors=True)
            links.mkdir()
            (links / "evening.backup").symlink_to("/etc/shadow")
            subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(links), str(image)], check=True)
        else:
            subprocess.run(["mkfs.vfat", str(image)], check=True, capture_output=True)
    options = ["-device", "qemu-xhci,id=usb"]
    for name, image in images.items():
        only = ",readonly=on" if name == "locked" else ""
        options += ["-drive", f"if=none,id={name},format=raw,file={image}{only}"]
        options += ["-device", f"usb-storage,bus=usb.0,drive={name},serial={name},removable=on"]
    test = vm.Test("stick", "stick_inside.py", CLONE, lambda _: None, options, skips_waiting=False)
    return test._replace(furnish=partial(furnish, test.environment()))


def furnish(environment: str, root: Path) -> None:
    """Put the package's units into the machine; they start the clone's program with the machine's Python."""
    units = root / "etc/systemd/system"
    program = f"WorkingDirectory={CLONE}\n{environment}\nExecStart=\nExecStart=/usr/bin/python3 -m hub"
    for name, arguments in (
        ("table-hub.service", "run --config /etc/table-hub/table-hub.toml"), ("table-hub-stick@.service", "stick %i"),
    ):  # fmt: skip
        shutil.copy2(vm.CLONE / "systemd" / name, units)
        (units / f"{name}.d").mkdir()
        # The machine's clock runs ahead while this computer reads its files.
        patience = "TimeoutStartSec=1200\n" + ("WatchdogSec=0\n" if name == "table-hub.service" else "")
        (units / f"{name}.d/clone.conf").write_text(f"[Service]\n{program} {arguments}\n{patience}")


if __name__ == "__main__":
    sys.exit(vm.main("python -m tests.acceptance.stick", make, ("sfdisk", "mkfs.vfat")))
