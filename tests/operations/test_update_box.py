"""`table-hub update-box --file`: the drive found by its label, the file copied onto a real file system, the hello."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.common import boot_drive
from drivers.simulated.seat_box import SimBox
from hub.__main__ import main
from hub.errors import DeviceLost
from hub.operations.update_box import update
from hub.ports import MonotonicClock
from tests.drivers.bench import BOX
from tests.firmware.boot_rom import RP2040, RP2350_ARM, Rp2040
from tests.phone_ui.rig import until

PAGE = bytes(range(256))
pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


def uf2_for(family: int) -> bytes:
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, 0x2000, 0x10000000, 256, 0, 1, family)
    return head + PAGE + bytes(220) + struct.pack("<I", 0x0AB16F30)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[SimBox]:
    box = SimBox(BOX, tmp_path / "port", MonotonicClock())
    box.start()
    yield box
    box.close()


@pytest.fixture
def uf2(tmp_path: Path) -> Path:
    file = tmp_path / "table-hub box.uf2"
    file.write_bytes(uf2_for(RP2040))
    return file


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    """The drive of a board, of which only the sectors matter: the boot ROM has no file system behind them."""
    image = tmp_path / "image"
    image.write_bytes(bytes(8 << 20))
    return image


def labels(tmp_path: Path, **drives: Path) -> Path:
    folder = tmp_path / "by-label"
    folder.mkdir(exist_ok=True)
    for label, device in drives.items():
        (folder / label.replace("_", "-")).symlink_to(device)
    return folder


def taken(drive: Path) -> bytes:
    """What the boot ROM takes from the sectors of the drive: the first page of the flash."""
    rom = Rp2040(bytearray(b"\xff" * (2 << 20)))
    rom.copy(drive.read_bytes())
    assert rom.restarts == 1
    return bytes(rom.flash[:256])


def test_a_new_pico_gets_its_file_and_says_hello(drive: Path, uf2: Path, box: SimBox, tmp_path: Path) -> None:
    said: list[str] = []
    ports: list[list[str]] = [[], [str(box.port)]]  # it has a port only when it has started again
    by_label = labels(tmp_path, RPI_RP2=drive)
    update(
        uf2, "", lambda: ports.pop(0) if len(ports) > 1 else ports[0], MonotonicClock(), said.append, by_label=by_label
    )
    assert taken(drive) == PAGE
    assert said[-1].startswith(f"{BOX} says hello with firmware ")


def test_a_box_in_use_becomes_a_drive_gets_its_file_and_says_hello(
    drive: Path, uf2: Path, box: SimBox, tmp_path: Path
) -> None:
    said: list[str] = []
    by_label = labels(tmp_path)
    looks: list[float] = []

    def udev_names_it(seconds: float) -> None:
        if not looks:
            labels(tmp_path, RPI_RP2=drive)
        elif len(looks) == 1:  # by now its drive has taken the last block, and it starts again
            box.power_cycle()
            box.plug()
            until(lambda: box.state()["connected"], "the box at its port")
        looks.append(seconds)

    update(uf2, BOX, lambda: [str(box.port)], MonotonicClock(), said.append, by_label=by_label, pause=udev_names_it)
    assert taken(drive) == PAGE
    assert said[0] == f"{BOX} becomes the drive RPI-RP2."
    assert BOX in said[-1]


def test_a_drive_that_cannot_be_written_is_named(uf2: Path, tmp_path: Path) -> None:
    by_label = labels(tmp_path, RPI_RP2=tmp_path)  # a folder: not even root can write it
    with pytest.raises(DeviceLost, match="cannot be written"):
        update(uf2, "", list, MonotonicClock(), print, by_label=by_label)


def test_a_drive_that_belongs_to_root_is_a_matter_of_sudo(tmp_path: Path) -> None:
    class OfRoot(type(tmp_path)):  # type: ignore[misc]
        def open(self, *_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

    with pytest.raises(DeviceLost, match="run this command with sudo"):
        boot_drive.copy(uf2_for(RP2040), OfRoot(tmp_path))


def test_a_pico_2s_file_is_for_the_drive_of_a_pico_2(tmp_path: Path) -> None:
    assert boot_drive.mode_of(uf2_for(RP2350_ARM)).label == "RP2350"
    by_label = labels(tmp_path, RPI_RP2=tmp_path / "by-label")
    assert boot_drive.find(boot_drive.PICO_2, by_label) is None
    assert boot_drive.find(boot_drive.PICO, by_label) == tmp_path / "by-label"


def test_what_cannot_be_is_said_in_a_sentence_before_anything_is_done(
    uf2: Path, box: SimBox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "picture.png"
    wrong.write_bytes(b"PNG" * 512)
    assert main(["update-box", "--file", str(wrong), "--port", str(box.port)]) == 1
    assert "no UF2 file for a Pico" in capsys.readouterr().err
    assert main(["update-box", "--file", str(tmp_path / "none.uf2"), "--port", str(box.port)]) == 1
    assert "cannot be read" in capsys.readouterr().err
    assert box.state()["connected"]
    with pytest.raises(DeviceLost, match="is a drive RPI-RP2 already, and whose it is"):
        update(uf2, BOX, list, MonotonicClock(), print, by_label=labels(tmp_path, RPI_RP2=tmp_path / "by-label"))


def test_a_drive_that_does_not_come_and_one_of_another_kind_are_named(uf2: Path, box: SimBox, tmp_path: Path) -> None:
    class Hurried:
        """Fifteen seconds are over in a few looks."""

        def __init__(self) -> None:
            self.real = MonotonicClock()
            self.more = 0.0

        def now(self) -> float:
            return self.real.now() + self.more

        def pause(self, _: float) -> None:
            self.more += 5.0

    clock = Hurried()
    by_label = labels(tmp_path, RP2350=tmp_path / "by-label")
    with pytest.raises(DeviceLost, match="it is a drive RP2350: that file is for another Pico"):
        update(uf2, BOX, lambda: [str(box.port)], clock, print, by_label=by_label, pause=clock.pause)
