"""The staff page of a hub in this process, opened by somebody who knows the PIN."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

from hub.app import Hub
from tests.chromium import SMALL_PHONE


@contextmanager
def signed_in(browser: Browser, hub: Hub, pin: str, query: str = "") -> Iterator[Page]:
    """Start the hub, and sign in on a small phone."""
    with browser.new_context(viewport=SMALL_PHONE) as context:
        hub.start()
        assert hub.web
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{hub.web.port}/staff{query}")
        page.get_by_label("PIN").fill(pin)
        page.get_by_role("button", name="Sign in").click()
        yield page
