"""A browser, and a hub that plays what it is told, for the tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.chromium import HEADLESS, NONE, headless
from tests.phone_ui import scenes
from tests.phone_ui.fake_hub import FakeHub, labels_of


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if HEADLESS is None:
        pytest.skip(NONE)
    with headless() as opened:
        yield opened


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    fake = FakeHub().start()
    fake.labels = {"bid-and-bait": labels_of("bid-and-bait")}
    fake.public(scenes.public(seats=scenes.seats(held=1)))
    yield fake
    fake.stop()
