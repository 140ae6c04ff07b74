"""Devices that are plugged in and not in use: what staff can make of them, and what becomes of a press."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from drivers.common.found import Found
from hub.config import Config, DevicePart, TablePart
from hub.errors import HubError
from hub.found_devices import (
    DONE,
    DONE_SECONDS,
    IN_USE,
    IS_PLANNED,
    NO_TABLE,
    NOT_WRITTEN,
    RESTART_SECONDS,
    FoundDevices,
)
from hub.network.staff_messages import FoundDevice
from tests.operations.test_update_box import PAGE, taken, uf2_for
from tests.table.fakes import HeldClock

TRAY = Found("tray /dev/ttyACM0 e661", "e661", "dice_tray", {"tray": "e661"})
CAMERA = Found("camera webcam", "HD Webcam", "camera_tray", {"source": "v4l2:/dev/v4l/by-id/webcam"})
PI_CAMERA = Found("camera rpicam", "", "camera_tray", {"source": "rpicam:0"})
TWO = Config(table=(TablePart("1"), TablePart("2")))


class Rig:
    """A hub of two tables, what is plugged in there, and drives of Picos in `folder`."""

    def __init__(self, folder: Path, *plugged: Found, running: Config = TWO) -> None:
        self.plugged: Sequence[Found] = plugged
        self.running = self.planned = running
        self.sources: Sequence[str] = ()
        self.changes = 0
        self.clock = HeldClock()
        self.on_pause: Callable[[], object] = lambda: None
        self.folder, self.labels = folder, folder / "by-label"
        self.labels.mkdir()
        self.found = FoundDevices(
            lambda: self.running, lambda: self.planned, self.changed,
            firmware=folder, clock=self.clock, trays=lambda: self.plugged, cameras=self.cameras,
            by_label=self.labels, pause=self.pause,
        )  # fmt: skip

    def changed(self) -> None:
        self.changes += 1

    def cameras(self, used: Sequence[str]) -> list[Found]:
        self.sources = used
        return []

    def pause(self, seconds: float) -> None:
        self.on_pause()
        self.clock.time += seconds

    def look(self) -> list[FoundDevice]:
        self.found.look()
        return self.found.seen

    def plan(self, *blocks: DevicePart) -> None:
        self.planned = Config(table=self.planned.table, device=(*self.planned.device, *blocks))

    # --- Picos ---

    def plug_pico(self, label: str = "RPI-RP2") -> Path:
        drive = self.folder / f"drive of {label}"
        drive.write_bytes(bytes(2 << 20))
        (self.labels / label).symlink_to(drive)
        return drive

    def unplug_pico(self, label: str = "RPI-RP2") -> None:
        (self.labels / label).unlink()

    def build(self, *names: str) -> None:
        for name in names:
            (self.folder / name).write_bytes(uf2_for(0xE48BFF56))

    def write(self, program: str = "box") -> list[FoundDevice]:
        """Press the button, and wait for the end."""
        self.look()
        self.found.write_firmware("RPI-RP2", program)  # type: ignore[arg-type]
        with self.found._writing:
            pass
        return self.look()


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path, TRAY)


def test_a_tray_is_offered_to_each_table_without_a_reader(rig: Rig) -> None:
    assert rig.look() == [FoundDevice(TRAY.id, "The dice tray e661 is plugged in.", ["1", "2"])]
    rig.plan(DevicePart("camera_tray", "1"))
    assert [one.tables for one in rig.look()] == [["2"]]
    rig.plan(DevicePart("button_box", "2"))  # reads no dice
    assert [one.tables for one in rig.look()] == [["2"]]
    rig.plan(DevicePart("ble_dice", "2", cup=1))  # reads only what seat 1 may see
    assert [one.tables for one in rig.look()] == [["2"]]
    rig.plan(DevicePart("ble_dice", "2"))
    assert [(one.tables, one.note) for one in rig.look()] == [([], NO_TABLE)]
    with pytest.raises(HubError, match="Each table has a dice reader already"):
        rig.found.block_for(TRAY.id, "2")


def test_a_device_that_has_a_block_waits_for_the_restart(rig: Rig) -> None:
    rig.look()
    block = rig.found.block_for(TRAY.id, "2")
    assert block == DevicePart("dice_tray", "2", settings={"tray": "e661"})
    rig.plan(block)
    rig.found.update()
    assert [(one.tables, one.note) for one in rig.found.seen] == [([], IS_PLANNED)]
    with pytest.raises(HubError, match="The hub uses it after a restart"):
        rig.found.block_for(TRAY.id, "1")


def test_a_device_that_a_table_has_is_not_shown_until_its_block_is_removed(rig: Rig) -> None:
    rig.look()
    block = rig.found.block_for(TRAY.id, "2")
    without = rig.running
    rig.running = rig.planned = Config(table=TWO.table, device=(block,))
    rig.found.update()
    assert rig.found.seen == []
    with pytest.raises(HubError, match=IN_USE):
        rig.found.block_for(TRAY.id, "1")
    rig.running = rig.planned = without
    assert [one.tables for one in rig.look()] == [["1", "2"]]


def test_boards_are_asked_again_once_other_devices_run(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten: list[Config] = []
    monkeypatch.setattr(rig.found._finder, "forget", lambda: forgotten.append(rig.running))
    rig.look()
    assert forgotten == []
    rig.running = Config(table=TWO.table, device=(DevicePart("dice_tray", "1"),))
    rig.look()
    rig.look()
    assert forgotten == [rig.running]


def test_another_tray_than_that_of_the_block_is_still_offered(rig: Rig) -> None:
    rig.plan(DevicePart("dice_tray", "1", settings={"tray": "another"}))
    assert [one.tables for one in rig.look()] == [["2"]]


def test_what_was_unplugged_or_never_there_is_refused(rig: Rig) -> None:
    rig.look()
    for table in ("", "9"):
        with pytest.raises(HubError, match="Each table has"):
            rig.found.block_for(TRAY.id, table)
    rig.plugged = ()
    assert rig.look() == []
    with pytest.raises(HubError, match="no longer plugged in"):
        rig.found.block_for(TRAY.id, "1")


def test_cameras_are_named_and_those_in_use_are_told_apart(tmp_path: Path) -> None:
    used = (DevicePart("camera_tray", "1", settings={"source": "v4l2:3"}), DevicePart("camera_tray", "2"))
    rig = Rig(tmp_path, CAMERA, PI_CAMERA, running=Config(table=TWO.table, device=used))
    assert [one.text for one in rig.look()] == [
        "The camera HD Webcam is plugged in.",
        "A camera is on the Pi's own connector.",
    ]
    assert rig.sources == ["v4l2:3", "v4l2:0"]


def test_each_camera_at_each_table_has_a_calibration_of_its_own(tmp_path: Path) -> None:
    rig = Rig(tmp_path, CAMERA, PI_CAMERA)
    rig.look()
    blocks = [rig.found.block_for(camera, table) for camera in (CAMERA.id, PI_CAMERA.id) for table in ("1", "2")]
    files = {block.settings["calibration"] for block in blocks}
    assert len(files) == 4
    assert all(file.startswith("~/.local/state/table-hub/dice-tray-") for file in files)
    assert rig.found.block_for(CAMERA.id, "1") == blocks[0], "a camera that is taken out and used again keeps its own"


def test_staff_hear_of_a_change_and_of_nothing_else(rig: Rig) -> None:
    rig.look()
    rig.look()
    assert rig.changes == 1
    rig.plugged = ()
    rig.look()
    assert rig.changes == 2


def test_what_staff_leave_comes_back_when_it_is_plugged_in_again(rig: Rig) -> None:
    rig.plug_pico()
    rig.look()
    rig.found.leave(TRAY.id)
    rig.found.leave("RPI-RP2")
    assert rig.found.seen == rig.look() == []
    rig.plugged = ()
    rig.unplug_pico()
    rig.look()
    rig.plugged = (TRAY,)
    assert [one.device for one in rig.look()] == [TRAY.id]
    rig.plug_pico()
    assert [one.device for one in rig.look()] == [TRAY.id, "RPI-RP2"]


def test_a_pico_becomes_what_this_hub_has_firmware_for(rig: Rig) -> None:
    rig.plugged = ()
    rig.plug_pico()
    (pico,) = rig.look()
    assert (pico.text, pico.programs) == ("A Pico waits for its firmware.", [])
    assert "firmware/README.md" in pico.note
    rig.build("table-hub-tray-1.0-RPI_PICO.uf2", "table-hub-box-1.0-RPI_PICO2.uf2")  # the other kind's does not count
    assert rig.look() == [FoundDevice("RPI-RP2", pico.text, programs=["tray"])]
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    assert rig.look()[0].programs == ["box", "tray"]
    rig.unplug_pico()
    rig.plug_pico("RP2350")
    assert rig.look() == [FoundDevice("RP2350", "A Pico 2 waits for its firmware.", programs=["box"])]


def test_a_pico_takes_its_firmware_and_is_gone(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    drive = rig.plug_pico()
    rig.on_pause = rig.unplug_pico
    _, done = rig.write()
    assert (done.text, done.note) == ("The Pico is a seat box now.", "Build it into its box, or press a button of it.")
    assert taken(drive) == PAGE
    rig.plug_pico()  # the next one
    assert [one.programs for one in rig.look()] == [[], ["box"], []]
    rig.found.leave(DONE)
    assert [one.programs for one in rig.look()] == [[], ["box"]]


def test_that_a_pico_has_its_firmware_is_told_for_two_minutes(rig: Rig) -> None:
    rig.build("table-hub-tray-1.0-RPI_PICO.uf2")
    rig.plug_pico()
    rig.on_pause = rig.unplug_pico
    assert rig.write("tray")[-1] == FoundDevice(DONE, "The Pico is a dice tray now.")
    rig.clock.time += DONE_SECONDS - 1
    assert rig.look()[-1].device == DONE
    rig.clock.time += 1
    assert [one.device for one in rig.look()] == [TRAY.id]


def test_several_picos_wait_and_get_their_firmware_one_after_the_other(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    rig.plug_pico()

    def the_next_is_named() -> None:  # udev gives the label to the next drive
        rig.unplug_pico()
        other = rig.folder / "another drive"
        other.write_bytes(bytes(2 << 20))
        (rig.labels / "RPI-RP2").symlink_to(other)

    rig.on_pause = the_next_is_named
    _, pico, done = rig.write()
    assert (pico.programs, pico.note) == (["box"], "")
    assert done.device == DONE


def test_a_pico_that_stays_a_drive_is_to_be_plugged_in_again(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    rig.plug_pico()
    began = rig.clock.now()
    _, pico = rig.write()
    assert rig.clock.now() - began >= RESTART_SECONDS
    assert (pico.programs, pico.note) == (
        [],
        "It did not take the firmware. Unplug it, hold its BOOTSEL button, and plug it in again.",
    )
    rig.unplug_pico()
    rig.look()
    rig.plug_pico()
    assert rig.look()[1].programs == ["box"]


def test_a_drive_that_cannot_be_written_is_told(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    drive = rig.plug_pico()
    drive.unlink()
    drive.mkdir()  # cannot be written
    assert rig.write()[1].note == NOT_WRITTEN


def test_firmware_for_another_board_is_not_written(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    (rig.folder / "table-hub-box-1.0-RPI_PICO.uf2").write_bytes(uf2_for(0xE48BFF59))
    drive = rig.plug_pico()
    assert rig.write()[1].note == NOT_WRITTEN
    assert "is for another board" in caplog.text
    assert drive.read_bytes() == bytes(2 << 20)


def test_one_pico_at_a_time_gets_its_firmware(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    rig.plug_pico()
    refused: list[str] = []

    def press_again() -> None:
        rig.on_pause = rig.unplug_pico
        assert rig.found.seen[-1].note == "Its firmware is being written…"
        with pytest.raises(HubError, match="A Pico is just getting") as error:
            rig.found.write_firmware("RPI-RP2", "box")
        refused.append(error.value.sentence)

    rig.on_pause = press_again
    rig.write()
    assert len(refused) == 1


def test_firmware_for_what_is_not_there_is_refused(rig: Rig) -> None:
    rig.build("table-hub-box-1.0-RPI_PICO.uf2")
    with pytest.raises(HubError, match="no longer plugged in"):
        rig.found.write_firmware("RPI-RP2", "box")
    rig.plug_pico()
    with pytest.raises(HubError, match="no longer plugged in"):
        rig.found.write_firmware("RPI-RP2", "tray")
