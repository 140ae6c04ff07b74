"""Backups on USB sticks as staff see them: what root notes is told in a sentence, and systemd is asked for the next step."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from hub import stick_backups
from hub.errors import HubError
from hub.network.staff_messages import BackupSeen
from hub.root_services import INSTALLED
from hub.stick_backups import BEGIN_SECONDS, LONGEST_SECONDS, State, Status, StickBackups


class Desk:
    """The hub's side, with a status that the test writes and a systemd that writes down what it is asked."""

    def __init__(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file, self.now, self.is_allowed = file, 1000.0, True
        self.hub = StickBackups(root=INSTALLED, status=file, wall=lambda: self.now)
        self.begun: list[str] = []
        monkeypatch.setattr(stick_backups, "begin", self._begin)

    def _begin(self, unit: str) -> bool:
        self.begun.append(unit)
        return self.is_allowed

    def note(self, state: State, why: str = "", hub: str = "hub") -> None:
        self.file.write_bytes(msgspec.json.encode(Status(state, 1000, 1_790_000_000, hub, why)))

    @property
    def seen(self) -> BackupSeen:
        seen = self.hub.seen()
        assert seen
        return seen


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path / "status.json", monkeypatch)


@pytest.mark.parametrize(
    ("state", "can", "words"),
    [
        ("saving", "", "Leave the stick plugged in."),
        ("saved", "save", "You can unplug it now."),
        ("looking", "", "looks for a backup"),
        ("nowhere", "save", "Plug a USB stick into the hub first."),
        ("none", "save", "There is no backup on the stick."),
        ("damaged", "save", "is damaged"),
        ("found", "restore", "The stick has the backup of 2026-09-2"),
        ("restoring", "", "is being restored"),
        ("restored", "save", "was restored"),
        ("failed", "save", "journalctl"),
    ],
)
def test_staff_are_told_what_root_has_noted_and_what_they_can_do(
    desk: Desk, state: State, can: str, words: str
) -> None:
    desk.note(state)
    assert desk.seen.can == can
    assert words in desk.seen.text


def test_staff_are_told_why_a_step_failed_and_of_which_hub_a_backup_is(desk: Desk) -> None:
    desk.note("failed", "The stick is full.")
    assert "The stick is full." in desk.seen.text
    desk.note("found", hub="cafe")
    assert "cafe" in desk.seen.text
    desk.note("found")
    assert "hub" not in desk.seen.text, "a hub that is alone needs no name"


def test_before_the_first_step_there_is_nothing_to_tell_and_rubbish_is_nothing(desk: Desk) -> None:
    for content in (None, b"{", b'{"state": "odd", "at": 1}', b'{"state": "saved", "at": 1, "made": -1}'):
        if content is not None:
            desk.file.write_bytes(content)
        assert desk.seen == BackupSeen("save")


@pytest.mark.parametrize("state", ["saving", "looking", "restoring"])
def test_what_never_ends_has_failed(desk: Desk, state: State) -> None:
    desk.note(state)
    desk.now += LONGEST_SECONDS
    before = desk.seen
    desk.now += 1
    after = desk.seen
    assert (before.can, after.can) == ("", "save")
    assert after.text.startswith("The backup failed.")


def test_what_was_begun_is_under_way_until_root_notes_something_newer(desk: Desk) -> None:
    desk.note("saved")
    desk.now = 2000.0
    desk.hub.begin("save")
    before = desk.seen
    desk.file.write_bytes(msgspec.json.encode(Status("failed", 2000, why="It is full.")))
    after = desk.seen
    assert (before.can, after.can) == ("", "save")
    desk.note("saved")
    desk.now += BEGIN_SECONDS + 1
    assert desk.seen.can == "save", "the service has never begun"


def test_a_date_that_no_calendar_has_is_no_error(desk: Desk) -> None:
    desk.file.write_bytes(msgspec.json.encode(Status("found", 1000, 2**52)))
    assert "of ?" in desk.seen.text


def test_systemd_is_asked_for_one_step_after_the_other(desk: Desk) -> None:
    with pytest.raises(HubError, match=r"^Look for a backup first\.$"):
        desk.hub.begin("restore")
    desk.hub.begin("save")
    desk.note("saving")
    with pytest.raises(HubError, match=r"^The backup is being saved"):
        desk.hub.begin("look")
    desk.note("found")
    desk.hub.begin("restore")
    assert desk.begun == ["table-hub-stick@save.service", "table-hub-stick@restore.service"]


def test_without_polkit_staff_are_told_what_to_install(desk: Desk) -> None:
    desk.is_allowed = False
    with pytest.raises(HubError, match="polkitd"):
        desk.hub.begin("save")


def test_a_clone_has_no_service_for_sticks(tmp_path: Path) -> None:
    clone = StickBackups(root=tmp_path, status=tmp_path / "status.json")
    assert clone.seen() is None
    with pytest.raises(HubError, match="table-hub backup FILE"):
        clone.begin("save")
