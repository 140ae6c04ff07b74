"""What the hub reads from NetworkManager and asks of it: over a real D-Bus, from objects that its documentation describes."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest
from dbus_fast import Variant

from hub.network.network_manager import TRIED, NetworkManagerBus, NetworkManagerError
from hub.network.wifi import Network, OwnWifi, Radio
from tests.network.fake_network_manager import ACTIVE, ADDED, CABLE, MANAGER, POINT, RADIO, Bus, FakeNetworkManager

pytestmark = [
    pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="dbus-daemon is not installed"),
    pytest.mark.real_time,
    pytest.mark.real_chance,
]

OWN = OwnWifi("table-hub-abcd", "a2b3c4d5e6f7")
STORED = f"{MANAGER}/Settings/1"


@pytest.fixture
def bus() -> Iterator[Bus]:
    with Bus() as made:
        yield made


@pytest.fixture
def nm(bus: Bus) -> Iterator[FakeNetworkManager]:
    with FakeNetworkManager(bus.address) as made:
        made.device(RADIO, 2, 30)
        yield made


@pytest.fixture
def hub(bus: Bus) -> Iterator[NetworkManagerBus]:
    made = NetworkManagerBus(OWN, bus.address)
    yield made
    made.close()


def look(hub: NetworkManagerBus) -> Radio:
    radio = hub.look()
    assert radio
    return radio


def plain(value: Any) -> Any:
    """Return settings without the types of their values."""
    if isinstance(value, Variant):
        return plain(value.value)
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


# --- what it reads ----------------------------------------------------------------------------------


def test_a_machine_without_network_manager_has_no_radio(hub: NetworkManagerBus) -> None:
    assert hub.look() is None
    with pytest.raises(NetworkManagerError, match="ServiceUnknown"):
        hub.start_hotspot()


def test_a_machine_without_a_bus_has_no_radio() -> None:
    hub = NetworkManagerBus(OWN, "unix:path=/nowhere/bus")
    assert hub.look() is None
    with pytest.raises(NetworkManagerError, match="cannot be reached"):
        hub.start_hotspot()
    hub.close()


def test_only_a_wifi_radio_that_is_on_and_managed_counts(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    nm.device(CABLE, 1, 30)
    assert hub.look() == Radio("idle")
    nm.device(RADIO, 2, 20)
    assert hub.look() is None, "unavailable: it is switched off"
    nm.device(RADIO, 2, 30, Managed=Variant("b", False))
    assert hub.look() is None
    del nm.objects[RADIO]
    assert hub.look() is None


@pytest.mark.parametrize(
    ("number", "state"),
    [
        (30, "idle"), (40, "connecting"), (50, "connecting"), (60, "connecting"), (70, "addressing"), (80, "addressing"),
        (90, "addressing"), (100, "connected"), (110, "connecting"), (120, "idle"),
    ],
)  # fmt: skip
def test_each_state_of_a_device(hub: NetworkManagerBus, nm: FakeNetworkManager, number: int, state: str) -> None:
    nm.device(RADIO, 2, number)
    assert look(hub).state == state


@pytest.mark.parametrize(("capabilities", "has"), [(0, True), (0x300, False), (0x700, True)])
def test_the_bands_of_a_radio(hub: NetworkManagerBus, nm: FakeNetworkManager, capabilities: int, has: bool) -> None:
    nm.device(RADIO, 2, 30, WirelessCapabilities=Variant("u", capabilities))
    assert look(hub).has_5_ghz is has


def test_the_networks_in_reach(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    nm.device(RADIO, 2, 30, AccessPoints=Variant("ao", [POINT, f"{POINT}9"]))  # one has just gone
    nm.point(POINT, "Café", 40, rsn=0x100 | 0x88)
    assert look(hub).in_reach == (Network("Café", False),)


def test_a_network_that_network_manager_only_looks_for_is_not_in_reach(
    hub: NetworkManagerBus, nm: FakeNetworkManager
) -> None:
    nm.device(RADIO, 2, 50, AccessPoints=Variant("ao", [POINT, f"{POINT}9"]))
    nm.point(POINT, "Nowhere", 0, seen=-1)
    nm.point(f"{POINT}9", "Cafe", 40)
    assert [one.name for one in look(hub).in_reach] == ["Cafe"]
    del nm.objects[f"{POINT}9"]  # as the hotspot, the radio sees nothing
    assert look(hub).in_reach == ()
    for name, is_hidden in (("Nowhere", True), ("Cafe", False)):
        hub.join(name, "dice-and-tea")
        settings = nm.calls[-1][2][0]
        assert settings["802-11-wireless"]["hidden"].value is is_hidden


def test_only_a_network_that_was_seen_since_it_was_asked_for_is_in_reach_for_that(
    hub: NetworkManagerBus, nm: FakeNetworkManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "clock_gettime", lambda clock: 100.7 if clock == time.CLOCK_BOOTTIME else None)
    nm.device(RADIO, 2, 50, AccessPoints=Variant("ao", [POINT]))
    nm.point(POINT, "Cafe", 40, seen=200)
    assert not look(hub).is_in_reach
    hub.join("Cafe", "dice-and-tea")
    for seen, name, is_in_reach in (
        (100, "Cafe", False),
        (101, "Cafe", True),
        (101, "Bar", False),
        (-1, "Cafe", False),
    ):
        nm.point(POINT, name, 40, seen=seen)
        assert look(hub).is_in_reach is is_in_reach


def test_the_strongest_network_comes_first_and_each_once(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    """NM80211ApSecurityFlags: 0x100 is a WPA password, 0x200 a name and a password (802.1X), 0x400 WPA3."""
    paths = [f"{POINT}{number}" for number in range(7)]
    nm.device(RADIO, 2, 30, AccessPoints=Variant("ao", paths))
    for path, (name, strength, flags, wpa, rsn) in zip(paths, (
        ("Cafe", 30, 1, 0, 0x188), ("Cafe", 80, 1, 0x188, 0), ("Open", 60, 0, 0, 0), ("School", 90, 1, 0, 0x288),
        ("", 95, 1, 0, 0x188), ("New", 70, 1, 0, 0x488), ("Old", 50, 1, 0, 0),
    ), strict=True):  # fmt: skip
        nm.point(path, name, strength, flags=flags, wpa=wpa, rsn=rsn)
    assert look(hub).in_reach == (Network("Cafe", False), Network("New", False), Network("Open", True))


def test_the_network_that_the_radio_uses(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    nm.device(RADIO, 2, 100, ActiveAccessPoint=Variant("o", POINT))
    assert look(hub).name == "", "the point has just gone"
    nm.point(POINT, "Café", 40)
    assert look(hub).name == "Café"


@pytest.mark.parametrize(("state", "has"), [(20, False), (70, False), (100, True)])
def test_a_cable(hub: NetworkManagerBus, nm: FakeNetworkManager, state: int, has: bool) -> None:
    nm.device(CABLE, 1, state)
    assert look(hub).has_cable is has


@pytest.mark.parametrize(
    ("wifi", "about", "known"),
    [
        ({"mode": Variant("s", "infrastructure")}, {}, True),
        ({}, {"autoconnect": Variant("b", True)}, True),
        ({}, {"autoconnect": Variant("b", False)}, False),
        ({"mode": Variant("s", "ap")}, {}, False),
        (None, {}, False),
    ],
)
def test_a_stored_network_is_one_that_network_manager_joins_by_itself(
    hub: NetworkManagerBus, nm: FakeNetworkManager, wifi: dict[str, Variant] | None, about: Any, known: bool
) -> None:
    settings = {"connection": {"id": Variant("s", "x"), **about}}
    nm.store(
        STORED, settings | ({"802-11-wireless": {"ssid": Variant("ay", b"x"), **wifi}} if wifi is not None else {})
    )
    assert look(hub).knows_networks is known
    assert look(hub).knows_networks is known
    assert nm.calls == [(STORED, "GetSettings", [])], "it is read once"
    del nm.objects[STORED]
    assert look(hub).knows_networks is False


def test_what_the_radio_uses(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    assert look(hub).uses == ""
    nm.active(OWN.name, ADDED)
    assert look(hub).uses == "hotspot"
    nm.active("Cafe", ADDED)
    assert look(hub).uses == "other"
    hub.join("Cafe", "")
    assert look(hub).uses == "joined"


@pytest.mark.parametrize(
    ("uuid", "unsaved", "uses"),
    [
        (TRIED + "0" * 12, True, "joined"),
        (TRIED + "0" * 12, False, "other"),
        ("7ab1", True, "other"),
        ("", True, "other"),
    ],
)
def test_a_restarted_hub_knows_the_network_that_it_has_joined_and_not_stored(
    hub: NetworkManagerBus, nm: FakeNetworkManager, uuid: str, unsaved: bool, uses: str
) -> None:
    nm.store(ADDED, {"connection": {}, "802-11-wireless": {}}, unsaved=unsaved)
    nm.active("Cafe", ADDED, uuid)
    assert look(hub).uses == uses
    hub.leave()
    assert nm.calls[-1][:2] == ((ADDED, "Delete") if uses == "joined" else (MANAGER, "DeactivateConnection"))


def test_a_network_that_was_deleted_while_the_radio_still_uses_it_is_none_to_store(
    hub: NetworkManagerBus, nm: FakeNetworkManager
) -> None:
    nm.active("Cafe", ADDED, TRIED + "0" * 12)
    assert look(hub).uses == "other"


def test_why_an_attempt_failed(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    look(hub)
    nm.change_state(CABLE, 120, 7)
    nm.change_state(RADIO, 30, 7)
    assert look(hub).failure == ""
    for reason, failure in (
        (7, "password"),
        (8, "password"),
        (5, "address"),
        (17, "address"),
        (53, "away"),
        (1, "other"),
    ):
        nm.change_state(RADIO, 120, reason)
        nm.change_state(RADIO, 30, 0)
        assert look(hub).failure == failure
    hub.join("Cafe", "")
    assert look(hub).failure == ""


# --- what it asks -----------------------------------------------------------------------------------


def test_the_hotspot(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    look(hub)
    hub.start_hotspot()
    ((path, member, (settings, device, point, options)),) = nm.calls
    assert (path, member, device, point) == (MANAGER, "AddAndActivateConnection2", RADIO, "/")
    assert plain(options) == {"persist": "volatile"}
    assert plain(settings) == {
        "connection": {"id": OWN.name, "type": "802-11-wireless", "autoconnect": False},
        "802-11-wireless": {"ssid": OWN.name.encode(), "mode": "ap", "band": "bg", "channel": 1},
        "802-11-wireless-security": {
            "key-mgmt": "wpa-psk", "psk": OWN.password, "proto": ["rsn"], "pairwise": ["ccmp"], "group": ["ccmp"],
        },
        "ipv4": {"method": "shared", "address-data": [{"address": "10.42.0.1", "prefix": 24}]},
        "ipv6": {"method": "disabled"},
    }  # fmt: skip
    nm.active(OWN.name, ADDED)
    look(hub)
    hub.leave()
    assert nm.calls[1:] == [(MANAGER, "DeactivateConnection", [ACTIVE])]


@pytest.mark.parametrize(
    ("points", "channel"),
    [
        ([(1, 90)], 6),
        ([(1, 90), (6, 20)], 11),
        ([(1, 30), (6, 60), (11, 40)], 1),
        ([(1, 30), (6, 30), (11, 30), (11, 30)], 1),
        ([(3, 50), (9, 50)], 1),  # 3 overlaps with 1 and 6, 9 with 6 and 11
        ([(36, 90)], 1),  # as if it were 5 GHz: far away from all of them
    ],
)
def test_the_hotspot_takes_the_emptiest_channel(
    hub: NetworkManagerBus, nm: FakeNetworkManager, points: list[tuple[int, int]], channel: int
) -> None:
    """One of 1, 6 and 11: a radio without a country may start none above 11."""
    paths = [f"{POINT}{number}" for number in range(len(points))]
    nm.device(RADIO, 2, 30, AccessPoints=Variant("ao", paths))
    for path, (used, strength) in zip(paths, points, strict=True):
        nm.point(path, "Cafe", strength, channel=used)
    look(hub)
    nm.device(RADIO, 2, 30)  # what it saw last counts
    look(hub)
    hub.start_hotspot()
    assert nm.calls[-1][2][0]["802-11-wireless"]["channel"].value == channel


def test_a_network_that_is_joined_and_stored(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    look(hub)
    hub.join("Café", "dice-and-tea")
    ((_, _, (settings, _, _, options)),) = nm.calls
    assert plain(options) == {"persist": "memory"}
    uuid = settings["connection"]["uuid"].value
    assert re.fullmatch(TRIED + "[0-9a-f]{12}", uuid)
    assert plain(settings) == {
        "connection": {"id": "Café", "type": "802-11-wireless", "uuid": uuid},
        "802-11-wireless": {"ssid": "Café".encode(), "mode": "infrastructure", "hidden": True},
        "802-11-wireless-security": {"key-mgmt": "wpa-psk", "psk": "dice-and-tea"},
        "ipv4": {"method": "auto", "dhcp-timeout": 12},
        "ipv6": {"method": "auto"},
    }
    hub.keep()
    assert nm.calls[1:] == [(ADDED, "Save", [])]


def test_a_network_that_fails_is_forgotten(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    look(hub)
    hub.join("Open", "")
    assert "802-11-wireless-security" not in nm.calls[0][2][0]
    nm.store(ADDED, {"connection": {}, "802-11-wireless": {}})
    assert look(hub).knows_networks is False, "it is not stored yet"
    hub.leave()
    assert nm.calls[1:] == [(ADDED, "Delete", [])]


def test_a_refusal_names_the_method(hub: NetworkManagerBus, nm: FakeNetworkManager) -> None:
    look(hub)
    nm.refuses = {"AddAndActivateConnection2"}
    with pytest.raises(NetworkManagerError, match=r"refuses AddAndActivateConnection2: .*PermissionDenied"):
        hub.start_hotspot()


def test_a_network_manager_that_starts_again_is_found_again(hub: NetworkManagerBus, bus: Bus) -> None:
    for _ in range(2):
        with FakeNetworkManager(bus.address) as nm:
            nm.device(RADIO, 2, 30)
            assert look(hub).state == "idle"
            hub.join("Cafe", "")
            nm.change_state(RADIO, 120, 7)
            assert look(hub).failure == "password"
        assert hub.look() is None
