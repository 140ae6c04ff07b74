"""The browsers of the tests: Debian's Chromium, and the same engine without a desktop's window."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# What an owner's kiosk runs: for its policies, its command line, its files.
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# What plays phones: Chromium's new headless mode opens a whole window with a renderer of its own for each of them.
HEADLESS = shutil.which("chromium-headless-shell") or CHROMIUM
NONE = "There is no Chromium here: apt-get install chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE: Any = {"width": 390, "height": 844}
SMALL_PHONE: Any = {"width": 360, "height": 640}


@contextmanager
def headless(*flags: str) -> Iterator[Browser]:
    """Start the browser that plays phones, with more flags."""
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=HEADLESS, args=[*FLAGS, *flags])
        try:
            yield opened
        finally:
            opened.close()
