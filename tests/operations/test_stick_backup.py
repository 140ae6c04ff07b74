"""Backups on USB sticks, which are folders here: saved, found, restored while the hub is stopped, and noted for the staff."""

from __future__ import annotations

import fcntl
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hub.__main__ import main
from hub.errors import HubError
from hub.operations import backup, stick_backup, sticks
from hub.operations.state_folder import STAFF
from hub.operations.stick_backup import StickBackups
from hub.operations.update import Machine
from hub.stick_backups import Status, read_status
from tests.operations.test_backup import Venue, resumed, written_again

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

NOW = 1_790_000_000


class Desk(Machine):
    """A machine with a hub and sticks, which a desktop mounts."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sticks = folder, list[Path]()
        self.happened: list[str] = []
        self.venue = Venue(folder / "venue")
        self.status = folder / "status.json"
        self.backups = StickBackups(self, str(self.venue.config), self.status)

    def plug_in(self, name: str) -> Path:
        stick = self.folder / name
        stick.mkdir()
        self.sticks.append(stick)
        return stick

    def ask(self, *command: str) -> str:
        drives = [
            {"path": "/dev/sda", "tran": "usb", "fstype": "vfat", "mountpoints": [str(one)]} for one in self.sticks
        ]
        return json.dumps({"blockdevices": drives})

    def wall(self) -> float:
        return NOW

    def stop(self) -> None:
        self.happened.append("stop")

    def start(self) -> None:
        self.happened.append("start")

    def do(self, *steps: stick_backup.Step) -> Status:
        for step in steps:
            self.backups.do(step)
        return self.noted

    def refused(self, step: stick_backup.Step) -> str:
        with pytest.raises(HubError) as caught:
            self.backups.do(step)
        assert self.noted.why == caught.value.sentence
        return caught.value.sentence

    @property
    def noted(self) -> Status:
        status = read_status(self.status)
        assert status
        return status


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(sticks, "FOR_STICKS", (tmp_path,))
    return Desk(tmp_path)


def made_at(file: Path, made: str) -> None:
    """Let a backup say that it was made at another time."""
    with zipfile.ZipFile(file) as archive:
        about = json.loads(archive.read("about.json"))
    written_again(file, {"about.json": json.dumps(about | {"made": made}).encode()})


def test_a_backup_is_saved_found_and_restored(desk: Desk) -> None:
    stick = desk.plug_in("stick")
    assert desk.do("save") == Status("saved", NOW, NOW)
    (file,) = stick.iterdir()
    assert file.name == f"table-hub-{datetime.fromtimestamp(NOW, UTC).astimezone():%Y-%m-%d-%H%M%S}.backup"
    made_at(file, "2026-11-27T08:00:00Z")
    found = desk.do("look")
    made = int(datetime(2026, 11, 27, 8, tzinfo=UTC).timestamp())
    assert found == Status("found", NOW, made, "hub")
    (desk.venue.state / "table-hub.db").unlink()
    assert desk.happened == []
    assert desk.do("restore") == Status("restored", NOW, made, "hub")
    assert desk.happened == ["stop", "start"]
    match = resumed(desk.venue.state)
    assert match
    assert len(match.log) == 8


def test_the_pin_of_this_machine_stays_because_no_backup_has_one(desk: Desk) -> None:
    desk.plug_in("stick")
    desk.do("save", "look")
    (desk.venue.state / STAFF).write_text("the PIN of today")
    desk.do("restore")
    assert (desk.venue.state / STAFF).read_text() == "the PIN of today"


@pytest.mark.parametrize("step", ["save", "look"])
def test_without_a_stick_staff_are_told_to_plug_one_in(desk: Desk, step: stick_backup.Step) -> None:
    assert desk.refused(step) == "There is no USB stick: plug one in."
    assert desk.noted.state == "nowhere"


def test_a_stick_that_takes_no_backup_is_passed_over(desk: Desk) -> None:
    full, other = desk.plug_in("full"), desk.plug_in("other")
    full.rmdir()
    desk.do("save")
    assert len([*other.iterdir()]) == 1
    desk.sticks.remove(other)
    assert "cannot be written" in desk.refused("save")
    assert desk.noted.state == "failed"


def test_a_stick_without_a_backup_and_one_with_a_damaged_one_are_told_apart(desk: Desk) -> None:
    stick = desk.plug_in("stick")
    first = desk.refused("look"), desk.noted.state
    assert first == ("There is no backup on the stick.", "none")
    (stick / "evening.backup").write_bytes(b"PK")
    assert "is damaged" in desk.refused("look")
    assert desk.noted.state == "damaged"


def test_the_newest_backup_that_is_whole_is_found(desk: Desk) -> None:
    stick = desk.plug_in("stick")
    for name, made in (("a", "2026-11-01T08:00:00Z"), ("b", "2026-11-03T08:00:00Z"), ("c", "2026-11-02T08:00:00Z")):
        assert main(["backup", "--config", str(desk.venue.config), str(stick / f"{name}.backup")]) == 0
        made_at(stick / f"{name}.backup", made)
    assert desk.do("look").made == int(datetime(2026, 11, 3, 8, tzinfo=UTC).timestamp())
    written_again(stick / "b.backup", {"state/hub.key": b"k"})
    assert desk.do("look").made == int(datetime(2026, 11, 2, 8, tzinfo=UTC).timestamp())
    made_at(stick / "c.backup", "yesterday")
    assert desk.do("look").made == int(datetime(2026, 11, 1, 8, tzinfo=UTC).timestamp())


def test_only_what_was_looked_at_is_restored(desk: Desk) -> None:
    stick = desk.plug_in("stick")
    desk.do("save")
    assert "Look for a backup first" in desk.refused("restore")
    desk.do("look")
    made_at(next(stick.iterdir()), "2026-11-27T08:00:00Z")
    assert "look for a backup again" in desk.refused("restore")
    assert desk.happened == []


def test_a_hub_whose_backup_cannot_be_restored_starts_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.plug_in("stick")
    desk.do("save", "look")

    def restore(_: object) -> int:
        raise HubError("The disk is full.")

    monkeypatch.setattr(backup, "restore", restore)
    assert desk.refused("restore") == "The disk is full."
    assert desk.happened == ["stop", "start"]
    assert desk.noted.state == "failed"


def test_while_a_step_is_under_way_its_state_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.plug_in("stick")
    looked = desk.do("save", "look")
    noted = []

    def restore(_: object) -> int:
        noted.append(desk.noted)
        return 0

    monkeypatch.setattr(backup, "restore", restore)
    desk.do("restore")
    assert noted == [Status("restoring", NOW, looked.made, "hub")]


def test_an_error_that_nobody_foresaw_is_noted_too(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.plug_in("stick")

    def fails(_: object) -> int:
        raise KeyError("a hand")

    monkeypatch.setattr(backup, "backup", fails)
    with pytest.raises(KeyError):
        desk.do("save")
    assert desk.noted == Status("failed", NOW)


def test_a_stick_that_loses_what_it_is_given_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.plug_in("stick")
    monkeypatch.setattr(backup, "backup", lambda _: 0)
    assert desk.refused("save") == "The stick has lost the backup: take another stick."


@pytest.mark.parametrize("there", [True, False])
def test_settings_that_name_a_file_which_is_not_here_are_not_restored(desk: Desk, tmp_path: Path, there: bool) -> None:
    certificate = tmp_path / "hub.pem"
    desk.plug_in("stick")
    desk.venue.config.write_text(
        f"{desk.venue.config.read_text()}[web]\ntls_cert = '{certificate}'\ntls_key = '{certificate}'\n"
    )
    desk.do("save", "look")
    desk.venue.config.write_text(f"[hub]\nstate = '{desk.venue.state}' # of today\n")
    if there:
        certificate.touch()
    desk.do("restore")
    assert ("# of today" in desk.venue.config.read_text()) != there


def test_another_step_or_an_update_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stick_backup, "RUNNING", tmp_path / "lock")
    monkeypatch.setattr(stick_backup, "STATUS", tmp_path / "status.json")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("os.umask", lambda _: 0)
    monkeypatch.setattr(StickBackups.__init__, "__defaults__", (None, tmp_path / "status.json"))
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert main(["stick", "save"]) != 0
    status = read_status(tmp_path / "status.json")
    assert status
    assert (status.state, status.why) == ("failed", "An update or another backup is being made: wait for it.")
