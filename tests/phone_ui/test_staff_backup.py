"""Backups on USB sticks on the staff page, in a real Chromium, with a hub in this process: saving, looking, asking first, restoring."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from hub.app import Hub
from hub.config import Config, HubPart, WebPart
from hub.network.staff_messages import BackupSeen
from hub.stick_backups import StickBackups
from phone_ui.staff_pin import StaffPin
from tests.phone_ui.staff_page import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]

DONE = {
    "save": BackupSeen("save", "The backup is on the stick. You can unplug it now."),
    "look": BackupSeen("restore", "The stick has the backup of 2026-11-27 08:00."),
    "restore": BackupSeen("", "The backup is being restored."),
}


class PretendedBackups(StickBackups):
    """Backups of an installed hub: whatever is begun is done at once."""

    def __init__(self, now: BackupSeen | None) -> None:
        super().__init__()
        self.now, self.begun = now, list[str]()

    def seen(self) -> BackupSeen | None:
        return self.now

    def begin(self, step: str) -> None:
        self.begun.append(step)
        self.now = DONE[step]


def test_staff_save_a_backup_and_restore_one_after_a_question(browser: Browser, tmp_path: Path) -> None:
    pin = StaffPin.renew(tmp_path / "staff.json")
    backups = PretendedBackups(BackupSeen("save"))
    with Hub(Config(hub=HubPart(state=str(tmp_path)), web=WebPart("127.0.0.1", 0))) as hub:
        hub.venue._backups = backups
        with signed_in(browser, hub, pin, "?part=hub") as page:
            part = page.get_by_role("region", name="The hub")
            part.get_by_role("button", name="Save a backup…").click()
            expect(part.get_by_text("as carefully as a key")).to_be_visible()
            assert backups.begun == [], "nobody has answered the question yet"
            part.get_by_role("button", name="Save", exact=True).click()
            expect(part.get_by_text("You can unplug it now.")).to_be_visible()
            part.get_by_role("button", name="Look for a backup").click()
            part.get_by_role("button", name="Restore it…").click()
            expect(part.get_by_text("The staff PIN stays.")).to_be_visible()
            assert backups.begun == ["save", "look"], "nobody has answered the question yet"
            part.get_by_role("button", name="Restore", exact=True).click()
            expect(part.get_by_text("The backup is being restored.")).to_be_visible()
            expect(part.get_by_role("button", name="Save a backup…")).to_have_count(0)


def test_a_hub_from_a_clone_says_nothing_of_sticks(browser: Browser, tmp_path: Path) -> None:
    pin = StaffPin.renew(tmp_path / "staff.json")
    config = Config(hub=HubPart(state=str(tmp_path)), web=WebPart("127.0.0.1", 0))
    with Hub(config) as hub, signed_in(browser, hub, pin, "?part=hub") as page:
        expect(page.get_by_role("button", name="Check the machine")).to_be_visible()
        expect(page.get_by_role("heading", name="Backup on a USB stick")).to_have_count(0)
