"""A phone keeps its seat however late its log-in works at the broker: real hub, real broker, real Chromium."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.chromium import HEADLESS, NONE, headless
from tests.e2e.hub_process import HubProcess, SeatPhone
from tests.free_port import free_port
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

LATE = 4.0  # the hub gives a broker up that takes 5 s
GIVEN_UP = ("This seat was freed", "Every seat is taken", "Where do you sit?")


def _hub(folder: Path) -> HubProcess:
    port, state = free_port(), folder / "state"
    demo = ["demo", "--house", "0", "--port", str(port), "--state", str(state), "--seats", "2"]
    return HubProcess(state, port, [sys.executable, "-m", "tests.e2e.late_logins", str(LATE), *demo], seats=2)


def _broker_of(hub: HubProcess) -> int:
    return int((hub.state / "broker" / "mosquitto.pid").read_text())


def _stays_seated(phone: SeatPhone) -> None:
    """Wait until the phone is at the table again; it never says meanwhile that it has lost its seat."""
    until = time.monotonic() + LATE + 30
    while phone.hub.public.now.get("seats", [{}])[0].get("phone") != "on":
        text = phone.page.locator("body").inner_text()
        assert not any(given_up in text for given_up in GIVEN_UP), text
        assert time.monotonic() < until, text
        time.sleep(0.1)
    expect(phone.page.get_by_text("What shall we play?")).to_be_visible()


def _is_away(phone: SeatPhone) -> None:
    phone.hub.until(lambda s: s["seats"][0]["phone"] != "on", "the phone is away")


def test_a_phone_keeps_its_seat_when_log_ins_are_made_late(tmp_path: Path) -> None:
    with headless() as browser, _hub(tmp_path) as hub:
        phone = SeatPhone(hub, browser, 1)
        phone.sit()

        os.kill(_broker_of(hub), signal.SIGKILL)  # it is replaced
        _is_away(phone)
        _stays_seated(phone)

        hub.cut()
        _stays_seated(phone)

        os.kill(_broker_of(hub), signal.SIGKILL)
        _is_away(phone)
        phone.page.reload()  # its first connection is refused, too
        _stays_seated(phone)
        assert phone.errors == []


@pytest.mark.long  # Chromium lets a page that failed often wait before it may connect again
def test_a_seat_that_was_given_back_meanwhile_is_said_by_the_hub(tmp_path: Path) -> None:
    with headless() as browser, _hub(tmp_path) as hub:
        first, second = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 1)
        first.sit()
        first.context.set_offline(True)
        _is_away(first)
        second.take_seat()
        first.context.set_offline(False)
        expect(first.page.get_by_text("Where do you sit?")).to_be_visible(timeout=PATIENCE * 1000)
