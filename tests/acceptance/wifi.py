"""The hub's own Wi-Fi with three real radios of the kernel: `python -m tests.acceptance.wifi` (as root; half an hour without KVM).

Debian 12 in qemu with mac80211_hwsim, NetworkManager, polkit and the hub as its user. The project and its packages are this
computer's, which must have Python 3.11. `wifi_inside.py` says what happens in the machine.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.acceptance.machine import make_base

CLONE = Path(__file__).parents[2]
LIBRARIES = (CLONE / "phone_ui/node_modules").resolve()  # of the pages; it may be a link to another clone's
PACKAGES = (
    "systemd-sysv,udev,dbus,libpam-systemd,polkitd,network-manager,wpasupplicant,dnsmasq-base,iw,iproute2,kmod,curl,isc-dhcp-client,"
    "mosquitto,python3,util-linux,linux-image-amd64,initramfs-tools"
)
SECONDS = 5400.0
UNITS = {
    "table-hub-test.service": """[Service]
ExecStart=/usr/bin/python3 -m hub run --config /etc/table-hub-test.toml
User=table-hub
StateDirectory=table-hub
AmbientCapabilities=CAP_NET_BIND_SERVICE
WorkingDirectory=/host/clone
Environment=PYTHONPATH=/host/clone:/host/packages PYTHONDONTWRITEBYTECODE=1
""",
    "wifi-test.service": """[Unit]
After=NetworkManager.service dbus.service
Wants=NetworkManager.service
[Service]
ExecStart=/usr/bin/python3 /host/clone/tests/acceptance/wifi_inside.py
ExecStopPost=systemctl poweroff --no-block
WorkingDirectory=/host/clone
Environment=PYTHONPATH=/host/clone:/host/packages PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
StandardOutput=journal+console
StandardError=journal+console
[Install]
WantedBy=multi-user.target
""",
}
CONFIG = '[hub]\nstate = "/var/lib/table-hub"\n[wifi]\nhotspot = true\n'
MOUNTS = f"""/dev/vda / ext4 defaults 0 1
clone /host/clone 9p trans=virtio,ro,version=9p2000.L 0 0
packages /host/packages 9p trans=virtio,ro,version=9p2000.L 0 0
libraries {LIBRARIES} 9p trans=virtio,ro,version=9p2000.L 0 0
"""


def main() -> int:
    """Make the machine, start it, and print what it prints. Return 1 if something failed, 77 if it cannot run here."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.wifi")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/table-hub-acceptance"), help="roots and logs")
    parser.add_argument(
        "--kvm", action="store_true", help="where the processor's virtualization works: minutes, not half an hour"
    )
    parser.add_argument("--qemu", default="qemu-system-x86_64")
    folder, qemu = (given := parser.parse_args()).folder, given.qemu
    missing = [tool for tool in (qemu, "debootstrap", "mke2fs") if shutil.which(tool) is None]
    if missing or os.geteuid() != 0 or sys.version_info[:2] != (3, 11):
        print(f"acceptance: needs root, Python 3.11 and {', '.join(missing) or 'nothing else'}.")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    base = make_base("bookworm", folder, folder / "wifi.log", PACKAGES, "amd64")
    return _run(base, folder, qemu, kvm=given.kvm)


def _run(base: Path, folder: Path, qemu: str, *, kvm: bool) -> int:
    root, disk = folder / "run-wifi", folder / "wifi.ext4"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    _furnish(root)
    disk.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(root), str(disk), "3G"], check=True)
    kernel, initrd = max(root.glob("boot/vmlinuz-*")), max(root.glob("boot/initrd.img-*"))
    shares = {"clone": CLONE, "packages": Path(sysconfig.get_path("purelib")), "libraries": LIBRARIES}
    command = [
        qemu, "-m", "1024", "-nographic", "-no-reboot", "-nic", "none", "-kernel", str(kernel), "-initrd", str(initrd),
        "-append", "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=no net.ifnames=0",
        "-drive", f"file={disk},format=raw,if=virtio,cache=unsafe",
    ]  # fmt: skip
    for name, path in shares.items():
        command += ["-virtfs", f"local,path={path.resolve()},mount_tag={name},security_model=none,readonly=on"]
    # Without the processor's help, the machine's time is that of its instructions: it takes half a minute for what takes a Pi
    # half a minute, however long this computer needs for that.
    slow = ["-accel", "tcg", "-cpu", "max", "-icount", "shift=0,sleep=off", "-rtc", "clock=vm"]
    command += ["-accel", "kvm", "-cpu", "host"] if kvm else slow
    with (folder / "wifi.log").open("wb") as log:
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            print(f"FAILED    wifi: not done after {SECONDS:.0f} s")
    said = (folder / "wifi.log").read_text("utf-8", "replace")
    print("\n".join(re.findall(r"python3\[\d+\]: ((?:passed|FAILED|ALL PASSED).*)", said)))
    if "ALL PASSED" in said:
        return 0
    print(f"The log is {folder / 'wifi.log'}.")
    return 1


def _furnish(root: Path) -> None:
    """Put the units, the hub's user, its rights and the file for dnsmasq where the Debian package puts them."""
    for name, unit in UNITS.items():
        (root / "etc/systemd/system" / name).write_text(unit)
    wants = root / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(exist_ok=True)
    (wants / "wifi-test.service").symlink_to("/etc/systemd/system/wifi-test.service")
    (root / "etc/table-hub-test.toml").write_text(CONFIG)
    (root / "etc/fstab").write_text(MOUNTS)
    for place in ("host/clone", "host/packages", str(LIBRARIES)[1:], "etc/NetworkManager/dnsmasq-shared.d"):
        (root / place).mkdir(parents=True, exist_ok=True)
    shutil.copy2(CLONE / "systemd/50-table-hub.rules", root / "usr/share/polkit-1/rules.d")
    shutil.copy2(CLONE / "systemd/table-hub-dnsmasq.conf", root / "etc/NetworkManager/dnsmasq-shared.d")
    (root / "etc/tmpfiles.d/wifi-test.conf").write_text("d /run/table-hub-test 0777\n")
    script = "useradd --system table-hub; systemctl disable mosquitto; systemctl mask serial-getty@ttyS0"
    subprocess.run(["chroot", str(root), "sh", "-c", script], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
