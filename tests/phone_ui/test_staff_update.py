"""Updates on the staff page, in a real Chromium, with a hub in this process: looking, asking first, installing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hub.app import Hub
from hub.config import Config, HubPart, WebPart
from hub.errors import HubError
from hub.network.staff_messages import UpdateSeen
from hub.updates import Updates
from phone_ui.staff_pin import StaffPin
from tests.phone_ui.staff_page import signed_in

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]


NOTHING_YET = UpdateSeen("look")


class PretendedUpdates(Updates):
    """Updates of an installed hub: whatever is begun is done at once."""

    def __init__(self, now: UpdateSeen | None = NOTHING_YET) -> None:
        super().__init__()
        self.now = now

    def seen(self) -> UpdateSeen | None:
        return self.now

    def look(self) -> None:
        self.now = UpdateSeen("install", "Version 1.1 is there.", 1)

    def install(self) -> None:
        self.now = UpdateSeen("", "Version 1.1 is being installed. This takes a few minutes.", 2)


class RefusedUpdates(PretendedUpdates):
    """Updates of a machine without polkit."""

    def look(self) -> None:
        raise HubError("The hub is not allowed to update itself.")


@contextmanager
def opened(browser: Browser, updates: PretendedUpdates, folder: Path) -> Iterator[tuple[Page, Locator]]:
    """Open the staff page of a hub. Yield it, and its part about the hub."""
    pin = StaffPin.renew(folder / "staff.json")
    config = Config(hub=HubPart(state=str(folder)), web=WebPart("127.0.0.1", 0))
    with Hub(config) as hub:
        hub.venue._updates = updates
        with signed_in(browser, hub, pin, "?part=hub") as page:
            yield page, page.get_by_role("region", name="The hub")


def test_staff_look_for_a_version_and_install_it_after_a_question(browser: Browser, tmp_path: Path) -> None:
    updates = PretendedUpdates()
    with opened(browser, updates, tmp_path) as (_, hub):
        hub.get_by_role("button", name="Look for an update").click()
        expect(hub.get_by_text("Version 1.1 is there.")).to_be_visible()
        hub.get_by_role("button", name="Install it…").click()
        expect(hub.get_by_text("the previous one comes back by itself")).to_be_visible()
        assert updates.now == UpdateSeen("install", "Version 1.1 is there.", 1), "nobody has answered the question yet"
        hub.get_by_role("button", name="Install", exact=True).click()
        expect(hub.get_by_text("Version 1.1 is being installed.")).to_be_visible()
        expect(hub.get_by_role("button", name="Look for an update")).to_have_count(0)


def test_a_hub_from_a_clone_says_nothing_of_updates(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, PretendedUpdates(None), tmp_path) as (_, hub):
        expect(hub.get_by_role("button", name="Check the machine")).to_be_visible()
        expect(hub.get_by_role("heading", name="New version")).to_have_count(0)


def test_staff_learn_why_an_update_is_refused(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, RefusedUpdates(), tmp_path) as (page, hub):
        hub.get_by_role("button", name="Look for an update").click()
        expect(page.get_by_text("The hub is not allowed to update itself.")).to_be_visible()
