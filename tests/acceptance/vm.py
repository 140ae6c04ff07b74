"""A Debian 12 machine in qemu with a real kernel and this clone: what it runs is told by `wifi.py` and `stick.py`.

The project and its packages are this computer's, which must have Python 3.11. They are read-only in the machine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.acceptance.machine import make_base

CLONE = Path(__file__).parents[2]
LIBRARIES = (CLONE / "phone_ui/node_modules").resolve()  # of the pages; it may be a link to another clone's
PACKAGES = (
    "systemd-sysv,udev,dbus,libpam-systemd,polkitd,network-manager,wpasupplicant,dnsmasq-base,iw,iproute2,kmod,curl,isc-dhcp-client,"
    "mosquitto,python3,util-linux,linux-image-amd64,initramfs-tools"
)
SECONDS = 5400.0
PYTHONPATH = "/host/packages"


class Test(NamedTuple):
    """What is tried in a machine.

    - `name`: of its files.
    - `script`: the file in `tests/acceptance` that the machine runs as root. It prints `ALL PASSED` at its end.
    - `clone`: where the machine has this clone.
    - `furnish`: puts files into the machine's root.
    - `options`: more options of qemu.
    - `skips_waiting`: while the machine has nothing to do, its clock jumps to whatever is due next. It also jumps while it
      waits for one of its disks, which runs into time limits if this computer is busy.
    """

    name: str
    script: str
    clone: str
    furnish: Callable[[Path], None]
    options: Sequence[str] = ()
    skips_waiting: bool = True

    def environment(self) -> str:
        """Return what a unit needs to run Python from the clone."""
        return f"Environment=PYTHONPATH={self.clone}:{PYTHONPATH} PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1"


def main(prog: str, make: Callable[[Path], Test], tools: Sequence[str] = ()) -> int:
    """Make the machine, start it, and print what it prints. Return 1 if something failed, 77 if it cannot run here.

    - `make`: gets the folder for files, and returns the test.
    - `tools`: programs that it needs.
    """
    parser = argparse.ArgumentParser(prog=prog)
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/table-hub-acceptance"), help="roots and logs")
    parser.add_argument(
        "--kvm", action="store_true", help="where the processor's virtualization works: minutes, not half an hour"
    )
    parser.add_argument("--qemu", default="qemu-system-x86_64")
    folder, qemu = (given := parser.parse_args()).folder, given.qemu
    missing = [tool for tool in (qemu, "debootstrap", "mke2fs", *tools) if shutil.which(tool) is None]
    if missing or os.geteuid() != 0 or sys.version_info[:2] != (3, 11):
        print(f"acceptance: needs root, Python 3.11 and {', '.join(missing) or 'nothing else'}.")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    test = make(folder)
    base = make_base("bookworm", folder, folder / f"{test.name}.log", PACKAGES, "amd64")
    return _run(test, base, folder, qemu, kvm=given.kvm)


def _run(test: Test, base: Path, folder: Path, qemu: str, *, kvm: bool) -> int:
    root, disk, log = folder / f"run-{test.name}", folder / f"{test.name}.ext4", folder / f"{test.name}.log"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    _furnish(root, test)
    disk.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(disk), "3G"], check=True)
    kernel, initrd = max(root.glob("boot/vmlinuz-*")), max(root.glob("boot/initrd.img-*"))
    shares = {"clone": CLONE, "packages": Path(sysconfig.get_path("purelib")), "libraries": LIBRARIES}
    command = [
        qemu, "-m", "1024", "-nographic", "-no-reboot", "-nic", "none", "-kernel", str(kernel), "-initrd", str(initrd),
        "-append", "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=no net.ifnames=0",
        "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe", *test.options,
    ]  # fmt: skip
    for name, path in shares.items():
        command += ["-virtfs", f"local,path={path.resolve()},mount_tag={name},security_model=none,readonly=on"]
    # Without the processor's help, the machine's time is that of its instructions: it takes half a minute for what takes a Pi
    # half a minute, however long this computer needs for that.
    count = f"shift=0,sleep={'off' if test.skips_waiting else 'on'}"
    slow = ["-accel", "tcg", "-cpu", "max", "-icount", count, "-rtc", "clock=vm"]
    command += ["-accel", "kvm", "-cpu", "host"] if kvm else slow
    with log.open("wb") as out:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            print(f"FAILED    {test.name}: not done after {SECONDS:.0f} s")
    said = log.read_text("utf-8", "replace")
    print("\n".join(re.findall(r"python3\[\d+\]: ((?:passed|FAILED|ALL PASSED).*)", said)))
    if "ALL PASSED" in said:
        return 0
    print(f"The log is {log}.")
    return 1


def _furnish(root: Path, test: Test) -> None:
    """Put the clone, the unit of the test and the rights of the hub's user where the machine expects them."""
    units, wants = root / "etc/systemd/system", root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(exist_ok=True)
    (units / "the-test.service").write_text(
        "[Unit]\nAfter=NetworkManager.service dbus.service\nWants=NetworkManager.service\n[Service]\n"
        "ExecStartPre=sh -c 'for try in $(seq 60); do mount -a && break; sleep 1; done'\n"
        f"ExecStart=/usr/bin/python3 {test.clone}/tests/acceptance/{test.script}\nExecStopPost=systemctl poweroff --no-block\n"
        f"WorkingDirectory={test.clone}\n{test.environment()}\nStandardOutput=journal+console\nStandardError=journal+console\n"
    )
    (wants / "the-test.service").symlink_to("/etc/systemd/system/the-test.service")
    share = "9p trans=virtio,ro,version=9p2000.L,nofail 0 0"  # a quick boot comes before their devices
    (root / "etc/fstab").write_text(
        f"/dev/vda / ext4 defaults,x-systemd.device-timeout=0 0 0\nclone {test.clone} {share}\npackages /host/packages {share}\n"
        f"libraries {LIBRARIES} {share}\n"
    )
    for place in (test.clone, "/host/packages", str(LIBRARIES)):
        (root / place[1:]).mkdir(parents=True, exist_ok=True)
    shutil.copy2(CLONE / "systemd/50-table-hub.rules", root / "usr/share/polkit-1/rules.d")
    script = "useradd --system table-hub; systemctl disable mosquitto; systemctl mask serial-getty@ttyS0"
    subprocess.run(["chroot", str(root), "sh", "-c", script], check=True, capture_output=True)
    test.furnish(root)
