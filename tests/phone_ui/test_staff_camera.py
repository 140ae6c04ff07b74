"""The dice camera on the staff page, in a real Chromium, with a hub in this process: painted pictures, read by the real driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hub.app import Hub
from hub.config import load
from phone_ui.staff_pin import StaffPin
from tests.phone_ui.axe import findings
from tests.phone_ui.staff_page import signed_in
from tests.vision.painter import PaintedDie, Picture, Scene, empty, paint, upright

pytestmark = [pytest.mark.browser, pytest.mark.broker, pytest.mark.slow]
expect.set_options(timeout=30_000)
CONFIG = """\
[hub]
state = "{folder}/state"
[web]
host = "127.0.0.1"
port = 0
[[device]]
driver = "camera_tray"
source = "folder:{folder}/pictures"
calibration = "{folder}/tray.npz"
"""


@contextmanager
def opened(
    browser: Browser, folder: Path, devices: bool = True
) -> Iterator[tuple[Page, Locator, Callable[[Picture], None]]]:
    """Open the staff page of a hub. Yield it, the part about the camera, and what lays another picture before the camera."""
    (folder / "state").mkdir()
    (folder / "pictures").mkdir()
    file = folder / "table-hub.toml"
    whole = CONFIG.format(folder=folder)
    file.write_text(whole if devices else whole.partition("[[device]]")[0], "utf-8")
    pin = StaffPin.renew(folder / "state" / "staff.json")
    shown = 0

    def show(picture: Picture) -> None:
        nonlocal shown
        shown += 1
        half = folder / "half"
        half.write_bytes(cv2.imencode(".png", picture)[1].tobytes())
        half.rename(folder / "pictures" / f"{shown:04}.png")

    show(empty(Scene([]), np.random.default_rng(4)))
    with Hub(load(file)) as hub, signed_in(browser, hub, pin) as page:
        yield page, page.locator("details", has_text="Dice camera"), show


def test_staff_calibrate_the_camera_and_see_what_it_reads(browser: Browser, tmp_path: Path) -> None:
    die = PaintedDie((0, 0), upright(5, 0.4))
    with opened(browser, tmp_path) as (page, camera, show):
        expect(page.get_by_text("The dice tray is not calibrated").first).to_be_visible()
        camera.get_by_text("Dice camera").click()
        camera.get_by_role("button", name="The tray is empty").click()
        expect(camera.get_by_text("Step 2 of 2")).to_be_visible()
        assert findings(page) == []
        camera.get_by_role("button", name="The die is in place").click()
        expect(camera.get_by_text("I see no difference between the empty tray and the die")).to_be_visible()
        camera.get_by_role("button", name="Back to step 1").click()
        camera.get_by_role("button", name="The tray is empty").click()
        expect(camera.get_by_text("Step 2 of 2")).to_be_visible()
        show(paint(Scene([die]), np.random.default_rng(3)))
        camera.get_by_role("button", name="The die is in place").click()
        expect(camera.get_by_text("It reads 5.")).to_be_visible()
        assert (tmp_path / "tray.npz").exists()
        width = camera.locator("img").evaluate("(image) => image.naturalWidth")
        assert width == 480
        camera.get_by_role("button", name="Calibrate again").click()
        expect(camera.get_by_text("Step 1 of 2")).to_be_visible()


def test_a_table_without_a_camera_says_nothing_of_one(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, devices=False) as (page, camera, _):
        expect(page.get_by_text("Light, sound, tests, recent actions")).to_be_visible()
        expect(camera).to_have_count(0)
