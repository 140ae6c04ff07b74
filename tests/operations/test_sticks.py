"""Which drives are USB sticks, and how they are mounted. The real lsblk and mount meet real sticks in `tests.acceptance.stick`."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hub.operations import sticks
from hub.operations.update import Machine, UpdateError


def device(
    path: str, *places: str, fstype: str | None = "vfat", tran: str | None = None, **more: Any
) -> dict[str, Any]:
    return {"path": path, "tran": tran, "fstype": fstype, "mountpoints": [*places] or [None], **more}


def drive(*parts: dict[str, Any], tran: str | None = "usb", path: str = "/dev/sda") -> dict[str, Any]:
    return device(path, fstype=None, tran=tran, children=[*parts])


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        (drive(device("/dev/sda1")), [("/dev/sda1", "")]),
        (drive(device("/dev/sda1"), device("/dev/sda2", fstype="ext4")), [("/dev/sda1", ""), ("/dev/sda2", "")]),
        (drive(device("/dev/sda1", fstype=None)), []),
        (drive(device("/dev/sda1", label="RPI-RP2")), []),
        (drive(device("/dev/sda1", label="RP2350")), []),
        (drive(device("/dev/sda1", label="PHOTOS")), [("/dev/sda1", "")]),
        (device("/dev/sdb", "/media/pi/STICK", tran="usb"), [("/dev/sdb", "/media/pi/STICK")]),
        (drive(device("/dev/sda1", "/run/media/ana/A")), [("/dev/sda1", "/run/media/ana/A")]),
        (drive(device("/dev/sda1", "/mnt")), [("/dev/sda1", "/mnt")]),
    ],
)
def test_each_file_system_of_a_usb_drive_is_found(tree: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert sticks.file_systems_of(tree) == found


@pytest.mark.parametrize(
    "tree",
    [
        drive(
            device("/dev/mmcblk0p1", "/boot/firmware"), device("/dev/mmcblk0p2", "/"), tran=None, path="/dev/mmcblk0"
        ),
        drive(device("/dev/mmcblk0p3"), tran=None, path="/dev/mmcblk0"),
        drive(device("/dev/sda1"), device("/dev/sda2", "/", fstype="ext4")),
        drive(device("/dev/sda1", "/media/pi/A", "/var/lib/table-hub")),
        drive(device("/dev/sda1", "[SWAP]", fstype="swap")),
        drive(device("/dev/sda1", "/mediathek")),
    ],
)
def test_a_drive_that_this_machine_lives_on_is_no_stick(tree: dict[str, Any]) -> None:
    assert sticks.file_systems_of(tree) == []


class Drives(Machine):
    """A machine with drives, which writes down what it mounts."""

    def __init__(self, *drives: dict[str, Any]) -> None:
        self.drives = [*drives]
        self.done: list[str] = []
        self.broken = ""

    def run(self, *command: str, cwd: Path | None = None) -> str:
        if self.broken and self.broken in command:
            raise UpdateError("mount failed.")
        self.done.append(" ".join(command))
        return ""

    def ask(self, *command: str) -> str:
        if command[0] == "lsblk":
            return json.dumps({"blockdevices": self.drives}) if self.drives else ""
        return self.run(*command)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sticks, "MOUNT_POINT", tmp_path / "stick")
    return tmp_path / "stick-0"


@pytest.mark.parametrize(("writable", "how"), [(False, "ro"), (True, "rw")])
def test_a_stick_is_mounted_without_programs_and_links_and_unmounted_at_the_end(
    place: Path, writable: bool, how: str
) -> None:
    machine = Drives(drive(device("/dev/sda1")))
    with sticks.mounted(machine, writable=writable) as folders:
        assert folders == [place]
        assert place.is_dir()
    assert machine.done == [
        f"mount --options={how},nosuid,nodev,noexec,nosymfollow /dev/sda1 {place}", f"umount {place}",
    ]  # fmt: skip
    assert not place.exists()


def test_what_a_desktop_has_mounted_stays_mounted(tmp_path: Path) -> None:
    machine = Drives(device("/dev/sdb", "/media/pi/STICK", tran="usb"))
    with sticks.mounted(machine) as folders:
        assert folders == [Path("/media/pi/STICK")]
    assert machine.done == []


def test_a_stick_that_an_ended_program_left_mounted_is_mounted_anew(place: Path) -> None:
    machine = Drives(drive(device("/dev/sda1", str(place))))
    with sticks.mounted(machine, writable=True) as folders:
        assert folders == [place]
    assert [line.split()[0] for line in machine.done] == ["umount", "mount", "umount"]


def test_a_stick_that_cannot_be_mounted_does_not_hide_another_one(place: Path) -> None:
    machine = Drives(drive(device("/dev/sda1", fstype="crypto_LUKS")), drive(device("/dev/sdb1"), path="/dev/sdb"))
    machine.broken = "/dev/sda1"
    with sticks.mounted(machine) as folders:
        assert folders == [place.with_name("stick-1")]
    assert not place.exists()


def test_without_drives_there_are_no_sticks() -> None:
    with sticks.mounted(Drives()) as folders:
        assert folders == []


class RealDrives(Drives):
    """A machine whose drives lsblk itself lists, in a copy of the kernel's files (lsblk(8), `--sysroot`)."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root
        scsi = "sys/devices/pci0/usb1/1-1/1-1:1.0/host2/target2:0:0/2:0:0:0"
        disk = f"{scsi}/block/sda"
        for name, text in {
            f"{disk}/dev": "8:0\n", f"{disk}/size": "131072\n", f"{disk}/sda1/dev": "8:1\n", f"{disk}/sda1/size": "129024\n",
            f"{disk}/sda1/partition": "1\n", "dev/sda": "ID_BUS=usb\n", "dev/sda1": "ID_FS_TYPE=vfat\n",
            "proc/self/mountinfo": "", "proc/swaps": "",
        }.items():  # fmt: skip
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / disk / "device").symlink_to("../../../2:0:0:0")
        for link, of in (("sys/block/sda", disk), ("sys/dev/block/8:0", disk), ("sys/dev/block/8:1", f"{disk}/sda1")):
            (root / link).parent.mkdir(parents=True, exist_ok=True)
            (root / link).symlink_to(os.path.relpath(root / of, (root / link).parent))

    def ask(self, *command: str) -> str:
        if command[0] != "lsblk":
            return super().ask(*command)
        printed = json.loads(Machine.ask(self, "lsblk", f"--sysroot={self._root}", *command[1:]))
        for one in printed["blockdevices"]:
            one["tran"] = one["tran"] or ("usb" if one["path"] == "/dev/sda" else None)  # which is not in those files
        return json.dumps(printed)


@pytest.mark.skipif(shutil.which("lsblk") is None, reason="lsblk is not installed")
def test_the_part_of_a_stick_as_it_is_sold_is_found_in_what_lsblk_prints(place: Path, tmp_path: Path) -> None:
    machine = RealDrives(tmp_path / "machine")
    with sticks.mounted(machine) as folders:
        assert folders == [place]
    assert any(done.startswith("mount ") and "/dev/sda1" in done for done in machine.done), machine.done
