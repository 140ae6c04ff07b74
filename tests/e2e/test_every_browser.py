"""A whole match of every game in WebKit, which iPhones have, and in Firefox: the pages are not Chromium's alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from hub import games
from tests.e2e.hands import (
    FIREFOX,
    GECKODRIVER,
    MINI_BROWSER,
    NO_FIREFOX,
    NO_WEBKIT,
    WEBKIT,
    XVFB,
    Driven,
    firefox,
    webkit,
)
from tests.e2e.one_guest import OneGuest, hub_with_house

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.wide]
MINUTES = 4.0
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module", params=["webkit", "firefox"])
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    if request.param == "webkit":
        if not (WEBKIT and MINI_BROWSER and XVFB):
            pytest.skip(NO_WEBKIT)
        with webkit() as opened:
            yield opened
    else:
        if not (FIREFOX and GECKODRIVER):
            pytest.skip(NO_FIREFOX)
        with firefox() as opened:
            yield opened


@pytest.mark.parametrize("game", games.names())
def test_a_whole_match_is_played(tmp_path: Path, driver: WebDriver, game: str) -> None:
    with hub_with_house(tmp_path) as hub:
        guest = OneGuest(hub, Driven(driver), Random(4))
        guest.sit_down()
        guest.start(game)
        state = guest.play(time.monotonic() + MINUTES * 60)
        assert state["over"]["winners"] is not None
        guest.drawn(".result h1")
        assert not guest.hands.ask(SIDEWAYS)
        assert guest.hands.ask("() => window.faults") == []
