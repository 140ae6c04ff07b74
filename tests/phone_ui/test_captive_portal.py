"""Port 80 of the hub's own Wi-Fi: what phones ask there, and that nothing is answered anywhere else."""

from __future__ import annotations

import asyncio
import http.client
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect

from hub.network.encryption import HubKey
from hub.network.wifi import ADDRESS
from phone_ui.captive_portal import ANSWERS, STAY_SECONDS, CaptivePortal
from phone_ui.pages import make_app
from phone_ui.server import PortSettings, WebServer, listen, serve
from tests.free_port import free_port
from tests.phone_ui.axe import findings
from tests.phone_ui.rig import FakeTable

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

ROOT = Path(__file__).parents[2]
HOME = "http://127.0.0.2:8080"
WIFI = "127.0.0.2"  # stands for the hub's address in its own Wi-Fi
PROBES = [  # what each system asks, and its answer where there is internet
    ("captive.apple.com", "/hotspot-detect.html", 200, b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
    ("www.apple.com", "/library/test/success.html", 200, b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
    ("connectivitycheck.gstatic.com", "/generate_204", 204, b""),
    ("www.google.com", "/gen_204", 204, b""),
    ("www.msftconnecttest.com", "/connecttest.txt", 200, b"Microsoft Connect Test"),
    ("www.msftncsi.com", "/ncsi.txt", 200, b"Microsoft NCSI"),
    ("detectportal.firefox.com", "/success.txt?ipv4", 200, b"success\n"),
    ("detectportal.firefox.com", "/canonical.html", 200, b'<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>'),
    ("nmcheck.gnome.org", "/check_network_status.txt", 200, b"NetworkManager is online\n"),
    ("network-test.debian.org", "/nm", 200, b"NetworkManager is online\n"),
]  # fmt: skip


async def no_broker() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    raise OSError


class Wifi:
    """A web port with a portal, whose Wi-Fi a test switches, and a clock that a test turns."""

    def __init__(self, *, shared: bool = False, host: str = "127.0.0.1") -> None:
        self.on = True
        self.now = 0.0
        self.port = free_port()
        self.pin = ""
        self.portal = CaptivePortal(
            WIFI, lambda: self.on, lambda: HOME, lambda: self.pin, port=self.port, clock=lambda: self.now
        )
        app = make_app({"1": FakeTable()}, HubKey.generate(), "hub", lambda: HOME, {}, portal=self.portal)
        settings = PortSettings("0.0.0.0" if shared else host, self.port if shared else 0)
        self.web: WebServer = serve(app, {"1": FakeTable()}, no_broker, settings, portal=self.portal)

    def ask(
        self, host: str, path: str, method: str = "GET", to: tuple[str, int] | None = None
    ) -> tuple[int, str | None, bytes]:
        """Return the status, the Location and the body of an answer."""
        connection = http.client.HTTPConnection(*(to or (WIFI, self.port)), timeout=30, source_address=("127.0.0.9", 0))
        try:
            connection.request(method, path, headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.getheader("Location"), answer.read()
        finally:
            connection.close()


@pytest.fixture
def wifi() -> Iterator[Wifi]:
    made = Wifi()
    yield made
    made.web.close()


def test_every_probe_of_a_new_phone_leads_to_the_page(wifi: Wifi) -> None:
    for host, path, *_ in PROBES:
        assert wifi.ask(host, path) == (302, f"{HOME}/wifi", b"")
    assert wifi.ask("captive.apple.com", "/", "POST")[:2] == (302, f"{HOME}/wifi")
    assert wifi.ask("captive.apple.com", "/hotspot-detect.html", "HEAD") == (302, f"{HOME}/wifi", b"")


def test_a_phone_that_stays_gets_what_it_expects_for_an_evening(wifi: Wifi) -> None:
    status, _, _ = wifi.ask("127.0.0.1", "/wifi/stay", "POST", to=("127.0.0.1", wifi.web.port))
    assert status == 204
    for host, path, status, body in PROBES:
        assert wifi.ask(host, path) == (status, None, body)
    assert {path.partition("?")[0] for _, path, *_ in PROBES} == ANSWERS.keys()
    assert wifi.ask("captive.apple.com", "/another") == (302, f"{HOME}/wifi", b"")
    wifi.now += STAY_SECONDS - 1
    assert wifi.ask("connectivitycheck.gstatic.com", "/generate_204")[0] == 204
    wifi.now += 1
    assert wifi.ask("connectivitycheck.gstatic.com", "/generate_204")[0] == 302
    wifi.portal.stay("10.42.0.77")
    assert len(wifi.portal._staying) == 1, "who left is forgotten"


def test_a_phone_with_a_seat_stays(wifi: Wifi) -> None:
    wifi.web._router.seated.arrive("127.0.0.8")
    assert wifi.ask("captive.apple.com", "/hotspot-detect.html")[0] == 302
    wifi.web._router.seated.arrive("127.0.0.9")
    assert wifi.ask("captive.apple.com", "/hotspot-detect.html")[0] == 200


def test_without_the_own_wifi_no_foreign_name_is_answered(wifi: Wifi) -> None:
    wifi.on = False
    wifi.portal.stay("127.0.0.9")
    for host, path, *_ in PROBES:
        assert wifi.ask(host, path)[0] == 421


def test_the_hubs_own_port_answers_no_foreign_name(wifi: Wifi) -> None:
    there = ("127.0.0.1", wifi.web.port)
    assert wifi.ask("captive.apple.com", "/hotspot-detect.html", to=there)[0] == 421
    assert wifi.ask("127.0.0.1", "/wifi", to=there)[0] == 200


def test_port_80_has_no_page_of_its_own(wifi: Wifi) -> None:
    assert wifi.ask(WIFI, "/t/1") == (302, f"{HOME}/wifi", b"")


def test_port_80_has_no_web_sockets(wifi: Wifi) -> None:
    with socket.create_connection((WIFI, wifi.port), timeout=30) as phone:
        phone.sendall(
            b"GET /mqtt HTTP/1.1\r\nHost: 127.0.0.2\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Protocol: mqtt\r\n\r\n"
        )
        assert phone.recv(100).startswith(b"HTTP/1.1 403 ")


def test_a_hub_on_port_80_keeps_its_pages_and_answers_foreign_names_only_at_its_wifis_address() -> None:
    wifi = Wifi(shared=True)
    try:
        assert wifi.ask(WIFI, "/wifi")[0] == 200
        assert wifi.ask("captive.apple.com", "/hotspot-detect.html")[0] == 302
        assert wifi.ask("captive.apple.com", "/hotspot-detect.html", to=("127.0.0.1", wifi.port))[0] == 421
        wifi.on = False
        assert wifi.ask("captive.apple.com", "/hotspot-detect.html")[0] == 421
        assert wifi.ask(WIFI, "/wifi")[0] == 200
    finally:
        wifi.web.close()


def test_a_port_that_is_taken_leaves_the_hub_without_a_portal(caplog: pytest.LogCaptureFixture) -> None:
    with listen(WIFI, 0) as taken:
        portal = CaptivePortal(WIFI, lambda: True, lambda: HOME, port=taken.getsockname()[1])
        app = make_app({"1": FakeTable()}, HubKey.generate(), "hub", lambda: HOME, {}, portal=portal)
        web = serve(app, {"1": FakeTable()}, no_broker, PortSettings(), portal=portal)
        web.close()
    assert "do not open its page by themselves" in caplog.text


def test_the_portal_is_open_before_the_wifi_has_its_address() -> None:
    with listen("192.0.2.1", 0, may_lack_address=True) as waiting:  # TEST-NET-1: no machine has it
        assert waiting.getsockname()[0] == "192.0.2.1"


def test_a_hub_without_its_own_wifi_has_no_portal_and_the_page_does_no_harm() -> None:
    app: Flask = make_app({"1": FakeTable()}, HubKey.generate(), "hub", lambda: HOME, {})
    assert app.test_client().post("/wifi/stay").status_code == 204
    assert app.test_client().get("/wifi/first.json").get_json()["pin"] == ""


def test_the_names_that_lead_to_the_hub_are_those_that_it_answers() -> None:
    lines = (ROOT / "systemd" / "table-hub-dnsmasq.conf").read_text("utf-8").splitlines()
    rules = [line.split("/") for line in lines if not line.startswith("#")]
    assert all((rule[0], rule[2]) == ("address=", ADDRESS) for rule in rules)
    names = [rule[1] for rule in rules]
    assert len(names) == len(set(names)) == 11, "SECURITY.md has the number"
    assert not any(name in ("", "#") for name in names), "never all names"
    probed = {host for host, *_ in PROBES} - {"www.apple.com", "www.google.com"}  # of people, too
    assert probed <= set(names)


@pytest.mark.browser
def test_the_page_keeps_the_phone_and_sends_people_to_the_browser(wifi: Wifi, browser: Browser) -> None:
    with browser.new_page(viewport={"width": 360, "height": 640}) as page:
        page.goto(f"http://127.0.0.1:{wifi.web.port}/wifi")
        assert findings(page) == []
        wifi.web.close()
        page.get_by_role("button", name="Stay in this Wi-Fi").click()
        expect(page.get_by_role("alert")).to_have_text("The hub does not answer. Is this phone on the table's Wi-Fi?")


@pytest.mark.browser
def test_a_phone_stays_at_a_press(wifi: Wifi, browser: Browser) -> None:
    with browser.new_page(viewport={"width": 360, "height": 640}) as page:
        page.goto(f"http://127.0.0.1:{wifi.web.port}/wifi")
        page.get_by_role("button", name="Stay in this Wi-Fi").click()
        expect(page.get_by_role("heading")).to_have_text("Scan the code of the table")
        expect(page.get_by_text(f"127.0.0.1:{wifi.web.port}")).to_be_visible()
        assert list(wifi.portal._staying) == ["127.0.0.1"]
        page.get_by_role("link", name="Play in this window").click()
        expect(page.get_by_role("heading")).to_have_text("Which table?")


def test_only_a_phone_in_the_own_wifi_gets_the_pin_of_a_new_hub(wifi: Wifi) -> None:
    wifi.pin = "281734"
    assert wifi.portal.pin_for("127.0.0.9") == "281734"
    for elsewhere in ("127.0.1.9", "192.168.1.9", "::1", "?"):
        assert wifi.portal.pin_for(elsewhere) == ""
    wifi.on = False
    assert wifi.portal.pin_for("127.0.0.9") == ""
    wifi.on, wifi.pin = True, ""
    assert wifi.portal.pin_for("127.0.0.9") == "", "the hub is set up"


@pytest.mark.browser
@pytest.mark.parametrize("pin", ["281734", ""])
def test_the_page_of_a_new_hub_leads_to_the_setup(wifi: Wifi, browser: Browser, pin: str) -> None:
    wifi.pin = pin
    with browser.new_page(viewport={"width": 360, "height": 640}) as page:
        page.goto(f"http://127.0.0.1:{wifi.web.port}/wifi", wait_until="networkidle")
        link = page.get_by_role("link", name="Set up this hub")
        if pin:
            address = link.get_attribute("href") or ""
            assert re.fullmatch("/setup#k=[A-Za-z0-9_-]{43}&pin=281734&portal=1", address), address
            assert findings(page) == []
        else:
            expect(link).to_have_count(0)
