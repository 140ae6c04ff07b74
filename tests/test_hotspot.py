"""A whole hub in its own Wi-Fi: what screens, panels, the web port and staff get of it."""

from __future__ import annotations

import json
import threading
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import hub.hotspot
import hub.supervisor
from hub.app import Hub
from hub.config import Config, HubPart, WebPart, WifiPart
from hub.network.wifi import Radio
from hub.state import ScreenState
from tests.complete_states import read_state
from tests.network.test_wifi import HOTSPOT, IDLE, Manager
from tests.patience import PATIENCE
from tests.phone_ui.rig import until as wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


@contextmanager
def running(folder: Path, manager: Manager, web: WebPart, patch: pytest.MonkeyPatch) -> Iterator[Hub]:
    patch.setattr(hub.hotspot, "CHECK_SECONDS", 0.05)
    patch.setattr(hub.supervisor, "CHECK_SECONDS", 0.05)
    made = Config(
        hub=HubPart(state=str(folder / "state")), web=web, wifi=WifiPart("Cafe", "dice-and-tea", hotspot=True)
    )
    with Hub(made, network=lambda _: manager) as running:
        running.start()
        watching = threading.Thread(target=running.wait)
        watching.start()
        try:
            yield running
        finally:
            running.stop()
            watching.join()


def until(so: Callable[[], bool]) -> None:
    wait_until(so, "the Wi-Fi")


def screen(running: Hub) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(running.access["1"].screen.get()[1] or b"{}")
    return found


def read_screen(running: Hub) -> ScreenState:
    return msgspec.json.decode(running.access["1"].screen.get()[1], type=ScreenState)


def wifi(running: Hub) -> str:
    return str((screen(running).get("wifi") or {}).get("name"))


def test_screens_show_the_own_wifi_while_it_is_on_and_the_one_of_the_configuration_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager()
    manager.radio = HOTSPOT
    with running(tmp_path, manager, WebPart("127.0.0.1", 0, address="http://cafe.example"), monkeypatch) as running_hub:
        assert running_hub.web
        port, own = running_hub.web.port, running_hub._own_wifi
        until(lambda: wifi(running_hub) == own.name)
        until(lambda: running_hub.url() == f"http://10.42.0.1:{port}")
        until(lambda: screen(running_hub)["url"] == f"http://10.42.0.1:{port}")
        assert screen(running_hub)["wifi"]["code"] == f"WIFI:T:WPA;S:{own.name};P:{own.password};;"
        manager.radio = Radio("connected", "other")
        until(lambda: wifi(running_hub) == "Cafe")
        until(lambda: running_hub.url() == "http://cafe.example")


def test_a_panel_has_the_code_of_the_own_wifi_in_the_lobby_and_the_tables_code_in_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager()
    drawn: list[str] = []

    def draw(state: object, labels: object, size: object, join: str, language: object) -> None:
        drawn.append(join)

    with running(tmp_path, manager, WebPart("127.0.0.1", 0), monkeypatch) as running_hub:
        monkeypatch.setattr("hub.app.panel", draw)
        until(lambda: bool(screen(running_hub)))
        lobby = msgspec.structs.replace(read_screen(running_hub), url="http://10.42.0.1:8080")
        for radio, state, begins in (
            (Radio("connected", "other"), "lobby", "http://10.42.0.1:8080/t/1#k="),
            (HOTSPOT, "lobby", "WIFI:T:WPA;S:table-hub-"),
            (HOTSPOT, "playing", "http://10.42.0.1:8080/t/1#k="),
        ):
            manager.radio = radio
            until(lambda: bool(running_hub._hotspot_address()) is (radio is HOTSPOT))  # noqa: B023 - called at once
            running_hub._draw(msgspec.structs.replace(lobby, state=state), "4.2")
            assert drawn[-1].startswith(begins)


def test_staff_and_guests_read_why_a_network_could_not_be_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager()
    manager.radio = HOTSPOT
    why = "The Wi-Fi “\u2068Bar\u2069” does not accept this password."
    with running(tmp_path, manager, WebPart("127.0.0.1", 0), monkeypatch) as running_hub:
        assert running_hub.hotspot

        def notices() -> list[str]:
            return [one["text"] for one in read_state(running_hub.access["1"].public.get()[1])["notices"]]

        def faults() -> list[str]:
            venue = running_hub.venue.picture[1]
            return [one.what for one in venue.faults] if venue else []

        until(lambda: wifi(running_hub) != "None")
        running_hub.hotspot.join("Bar", "wrong-password")
        until(lambda: ("join", "Bar", "wrong-password") in manager.asked)
        manager.radio = Radio("idle", failure="password")
        until(lambda: why in faults())
        until(lambda: why in notices())
        running_hub.hotspot.join("Bar", "right-password")
        manager.radio = IDLE
        until(lambda: why not in faults())
        until(lambda: why not in notices())


def test_an_answer_that_nobody_expects_does_not_end_the_wifi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    manager = Manager()
    with running(tmp_path, manager, WebPart("127.0.0.1", 0), monkeypatch) as running_hub:
        with monkeypatch.context() as once:
            once.setattr(manager, "look", lambda: manager.asked[0])  # nothing was asked yet
            until(lambda: "The Wi-Fi could not be checked." in caplog.text)
        manager.radio = HOTSPOT
        until(lambda: bool(running_hub._hotspot_address()))


def test_before_the_first_look_nobody_says_that_there_is_no_radio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = Manager()
    manager.radio = None
    with running(tmp_path, manager, WebPart("127.0.0.1", 0), monkeypatch) as running_hub:
        assert running_hub.hotspot
        made = hub.hotspot.Hotspot(manager, "table-hub-abcd", int, float, print)
        assert made.status.state == "waiting"
        hotspot = running_hub.hotspot
        until(lambda: hotspot.status.state == "off")


@pytest.mark.parametrize(
    ("host", "source", "is_kept"),
    [
        ("127.0.0.2", "127.0.0.9", True),
        ("127.0.0.2", "127.0.0.2", False),  # the hub's own browser
        ("127.0.0.1", "", True),  # behind a proxy, nobody can tell
    ],
)
def test_a_phone_that_reaches_the_hub_in_a_joined_network_lets_it_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, source: str, is_kept: bool
) -> None:
    manager = Manager()
    manager.radio = HOTSPOT
    with running(tmp_path, manager, WebPart(host, 0), monkeypatch) as running_hub:
        assert running_hub.web
        assert running_hub.hotspot
        running_hub.hotspot.join("Cafe", "dice-and-tea")
        until(lambda: ("join", "Cafe", "dice-and-tea") in manager.asked)
        manager.radio = Radio("connected", "joined")
        until(lambda: running_hub.hotspot is not None and running_hub.hotspot.status.state == "network")
        if source:
            with closing(
                HTTPConnection(host, running_hub.web.port, timeout=PATIENCE, source_address=(source, 0))
            ) as phone:
                phone.request("GET", "/t/1")
                assert phone.getresponse().status == 200
        if is_kept:
            until(lambda: "keep" in manager.asked)
        else:
            rule = running_hub.hotspot._rule
            rule.check()
            assert "keep" not in manager.asked
            assert rule._joined_at is not None
