"""NetworkManager over D-Bus, the standard of Debian and Raspberry Pi OS, as the rule in `hub/network/wifi.py` needs it.

D-Bus and not `nmcli`: reasons of failures are numbers, and no password is an argument of a program, which every user of
the machine can read. The interfaces are those of https://networkmanager.dev/docs/api/latest/spec.html.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from dbus_fast import BusType, DBusError, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from hub.errors import HubError
from hub.network.wifi import ADDRESS, Network, OwnWifi, Radio

log = logging.getLogger(__name__)

CALL_SECONDS = 5.0
NM = "org.freedesktop.NetworkManager"
TRIED = "7ab1e4b0-0000-4000-8000-"
"""How the UUID of a network begins that this hub has joined: a hub that was restarted finds one that is not stored yet."""

# nm-dbus-types.html: NMDeviceType, NMDeviceState, NMDeviceWifiCapabilities
_ETHERNET, _WIFI = 1, 2
_DISCONNECTED, _ADDRESSING, _ACTIVATED, _FAILED = 30, 70, 100, 120
_HAS_BANDS, _HAS_5_GHZ = 0x100, 0x400
_CHANNELS = (1, 6, 11)
"""Of 2.4 GHz, those that do not overlap, and that all countries allow."""
# NM80211ApFlags and NM80211ApSecurityFlags of an access point
_PRIVACY, _PASSWORD = 0x1, 0x100 | 0x400  # KEY_MGMT_PSK and KEY_MGMT_SAE: WPA2 and WPA3
# NMDeviceStateReason of a failed attempt
_REASONS: Mapping[int, Literal["password", "address", "away"]] = {
    5: "address",  # no address: IP_CONFIG_UNAVAILABLE, and the three of DHCP
    15: "address",
    16: "address",
    17: "address",
    7: "password",  # NO_SECRETS: the stored password was wrong, and nobody is asked for another one
    8: "password",  # SUPPLICANT_DISCONNECT, during the handshake
    53: "away",  # SSID_NOT_FOUND
}


class NetworkManagerError(HubError):
    """NetworkManager refuses a request, or does not answer."""


class NetworkManagerBus:
    """The `NetworkManager` port. One thread at a time may use it: each call runs an event loop of its own.

    `wifi` is the hotspot. `address` is that of the bus; the system's by default.
    """

    def __init__(self, wifi: OwnWifi, address: str | None = None) -> None:
        self._wifi, self._address = wifi, address
        self._loop = asyncio.new_event_loop()
        self._bus: MessageBus | None = None
        self._device = self._used = self._joined = "/"  # paths: the radio, its active connection, the network to store
        self._failure: Literal["", "password", "address", "away", "other"] = ""
        self._seen: set[str] = set()  # the names of the networks in reach; as the hotspot, the radio may see none
        self._noise = dict.fromkeys(_CHANNELS, 0)
        self._asked_for, self._asked_at = "", 0.0  # the name of the network to join, and when, on the clock of LastSeen
        self._stored: dict[str, bool] = {}  # by path of a stored connection: whether it is a Wi-Fi to join

    def close(self) -> None:
        """Disconnect. The hotspot stays on, because the hub may only be restarting."""
        self._loop.run_until_complete(self._disconnect())
        self._loop.close()

    # --- the port ------------------------------------------------------------------------------------

    def look(self) -> Radio | None:
        """Return the radio; None without NetworkManager, or without a radio that is switched on. Raise HubError."""
        return self._loop.run_until_complete(self._look())

    def start_hotspot(self) -> None:
        """Start the hotspot. NetworkManager gives out addresses and names there (ipv4.method of nm-settings(5)).

        WPA2 with CCMP, because NetworkManager has no WPA3 for access points that every phone can join.
        """
        settings = _connection(*self._wifi, mode="ap")
        settings["connection"]["autoconnect"] = Variant("b", False)
        settings["802-11-wireless"]["band"] = Variant("s", "bg")  # each phone has it, and it reaches farther
        # NetworkManager itself takes any of 1 to 14 by the name, and a radio without a country starts none above 11.
        settings["802-11-wireless"]["channel"] = Variant("u", min(_CHANNELS, key=lambda one: self._noise[one]))
        for name, value in (("proto", "rsn"), ("pairwise", "ccmp"), ("group", "ccmp")):
            settings["802-11-wireless-security"][name] = Variant("as", [value])
        address = {"address": Variant("s", ADDRESS), "prefix": Variant("u", 24)}
        settings["ipv4"] = {"method": Variant("s", "shared"), "address-data": Variant("aa{sv}", [address])}
        settings["ipv6"] = {"method": Variant("s", "disabled")}
        self._activate(settings, persist="volatile")

    def join(self, name: str, password: str) -> None:
        """Begin to join a network, which NetworkManager forgets if it is not kept."""
        settings = _connection(name, password, mode="infrastructure")
        settings["802-11-wireless"]["hidden"] = Variant("b", name not in self._seen)  # asked for by name
        settings["connection"]["uuid"] = Variant("s", TRIED + secrets.token_hex(6))
        settings["ipv4"] = {"method": Variant("s", "auto"), "dhcp-timeout": Variant("i", 12)}
        settings["ipv6"] = {"method": Variant("s", "auto")}
        self._asked_for = name
        self._joined = self._activate(settings, persist="memory")

    def keep(self) -> None:
        """Store the network that was joined. The hub is back in it after a power cut."""
        path, self._joined = self._joined, "/"
        self._run(path, f"{NM}.Settings.Connection", "Save")

    def leave(self) -> None:
        """End the hotspot, or a network that was not stored, and forget that one."""
        path, self._joined = self._joined, "/"
        if path == "/":
            self._run("/org/freedesktop/NetworkManager", NM, "DeactivateConnection", "o", self._used)
        else:
            self._run(path, f"{NM}.Settings.Connection", "Delete")

    # --- D-Bus ---------------------------------------------------------------------------------------

    def _activate(self, settings: dict[str, dict[str, Variant]], persist: str) -> str:
        """Activate a new connection on the radio, and return its path. Raise NetworkManagerError."""
        self._failure, self._asked_at = "", time.clock_gettime(time.CLOCK_BOOTTIME)
        body = settings, self._device, "/", {"persist": Variant("s", persist)}
        path, *_ = self._run(
            "/org/freedesktop/NetworkManager", NM, "AddAndActivateConnection2", "a{sa{sv}}ooa{sv}", *body
        )
        return str(path)

    def _run(self, path: str, interface: str, member: str, signature: str = "", *body: object) -> list[Any]:
        return self._loop.run_until_complete(self._call(path, interface, member, signature, *body))

    async def _call(
        self, path: str, interface: str, member: str, signature: str = "", *body: object, to: str = NM
    ) -> list[Any]:
        """Call a method, and return what it returns. Raise NetworkManagerError."""
        try:
            async with asyncio.timeout(CALL_SECONDS):
                bus = self._bus or await self._connect()
                answer = await bus.call(Message(to, path, interface, member, signature=signature, body=list(body)))
        except (OSError, EOFError, TimeoutError, DBusError) as error:
            await self._disconnect()
            raise NetworkManagerError(f"NetworkManager cannot be reached: {error!r}.") from error
        assert answer is not None
        if answer.message_type is MessageType.ERROR:
            raise NetworkManagerError(f"NetworkManager refuses {member}: {answer.error_name}, {answer.body}.")
        return answer.body

    async def _connect(self) -> MessageBus:
        bus = await MessageBus(bus_address=self._address, bus_type=BusType.SYSTEM).connect()
        bus.add_message_handler(self._note_failure)
        rule = f"type='signal',sender='{NM}',interface='{NM}.Device',member='StateChanged'"
        await bus.call(
            Message(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
                signature="s", body=[rule],
            )
        )  # fmt: skip
        self._bus = bus
        return bus

    async def _disconnect(self) -> None:
        bus, self._bus = self._bus, None
        if bus and bus.connected:
            bus.disconnect()
            await bus.wait_for_disconnect()  # type: ignore[no-untyped-call]

    def _note_failure(self, message: Message) -> None:
        """Note why an attempt of the radio failed. Only the signal has the reason: the device is soon idle without one."""
        if message.member == "StateChanged" and message.path == self._device:
            new, _, reason = message.body
            if new == _FAILED:
                self._failure = _REASONS.get(reason, "other")

    async def _look(self) -> Radio | None:
        try:
            (found,) = await self._call("/org/freedesktop", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        except NetworkManagerError as error:
            log.debug("%s", error)  # a machine without NetworkManager says so every time
            return None
        objects = {
            path: {name: value.value for properties in interfaces.values() for name, value in properties.items()}
            for path, interfaces in found.items()
        }
        devices = {path: one for path, one in objects.items() if "DeviceType" in one and one["Managed"]}
        radios = [path for path in sorted(devices) if devices[path]["DeviceType"] == _WIFI]
        radios = [path for path in radios if devices[path]["State"] >= _DISCONNECTED]
        if not radios:
            return None
        self._device = radios[0]
        radio, state = devices[self._device], devices[self._device]["State"]
        self._used = radio["ActiveConnection"]
        used, bands = objects.get(self._used, {}), radio["WirelessCapabilities"]
        if self._joined == "/" and used.get("Uuid", "").startswith(TRIED):
            joined = used["Connection"]  # Unsaved alone says little: other profiles below /run have it, too
            self._joined = joined if objects.get(joined, {}).get("Unsaved") else "/"
        # LastSeen is -1 for a point that NetworkManager makes up: of the hotspot, and of a name that it looks for.
        points = [objects[one] for one in radio["AccessPoints"] if one in objects and objects[one]["LastSeen"] >= 0]
        if points:
            self._seen = {_name(one) for one in points}
            self._noise = {channel: _noise(channel, points) for channel in _CHANNELS}
        point = objects.get(radio["ActiveAccessPoint"])
        return Radio(
            "connected" if state == _ACTIVATED else "idle" if state in (_DISCONNECTED, _FAILED)
            else "addressing" if _ADDRESSING <= state < _ACTIVATED else "connecting",
            self._use(used),
            self._failure,
            _name(point) if point else "",
            any(_name(one) == self._asked_for and one["LastSeen"] > self._asked_at for one in points),
            _in_reach(points),
            bool(bands & _HAS_5_GHZ) or not bands & _HAS_BANDS,
            await self._knows_networks(objects),
            any(one["DeviceType"] == _ETHERNET and one["State"] == _ACTIVATED for one in devices.values()),
        )  # fmt: skip

    def _use(self, active: Mapping[str, Any]) -> Literal["", "hotspot", "joined", "other"]:
        if not active:
            return ""
        if active["Id"] == self._wifi.name:  # also if this hub started it before its own restart
            return "hotspot"
        return "joined" if active["Connection"] == self._joined else "other"

    async def _knows_networks(self, objects: Mapping[str, Mapping[str, Any]]) -> bool:
        """Return whether a Wi-Fi network is stored that NetworkManager joins by itself."""
        paths = {path for path, one in objects.items() if "Unsaved" in one and path != self._joined}
        self._stored = {path: is_wifi for path, is_wifi in self._stored.items() if path in paths}
        for path in paths - self._stored.keys():
            (settings,) = await self._call(path, f"{NM}.Settings.Connection", "GetSettings")
            wifi, about = settings.get("802-11-wireless"), settings["connection"]
            is_automatic = "autoconnect" not in about or about["autoconnect"].value
            self._stored[path] = bool(
                wifi and wifi.get("mode", _INFRASTRUCTURE).value == "infrastructure" and is_automatic
            )
        return any(self._stored.values())


def _name(point: Mapping[str, Any]) -> str:
    return bytes(point["Ssid"]).decode(errors="replace")


def _noise(channel: int, points: Iterable[Mapping[str, Any]]) -> int:
    """Return how strong the access points are, together, that overlap with a channel of 2.4 GHz."""
    frequency = 2407 + 5 * channel  # MHz: IEEE 802.11, 15.4.4.3
    return sum(one["Strength"] for one in points if abs(one["Frequency"] - frequency) < 25)


def _in_reach(points: Iterable[Mapping[str, Any]]) -> tuple[Network, ...]:
    """Return each network once, the strongest first, without hidden ones and those that want a name as well as a password."""
    found: dict[str, Network] = {}
    for point in sorted(points, key=lambda one: -one["Strength"]):
        security = point["WpaFlags"] | point["RsnFlags"]
        is_open = not (security or point["Flags"] & _PRIVACY)
        if (name := _name(point)) and (is_open or security & _PASSWORD):
            found.setdefault(name, Network(name, is_open))
    return tuple(found.values())


_INFRASTRUCTURE = Variant("s", "infrastructure")  # what a connection without a mode is


def _connection(name: str, password: str, *, mode: str) -> dict[str, dict[str, Variant]]:
    """Return the settings of a Wi-Fi connection (nm-settings-dbus(5)). Without a password it is an open network."""
    settings = {
        "connection": {"id": Variant("s", name), "type": Variant("s", "802-11-wireless")},
        "802-11-wireless": {"ssid": Variant("ay", name.encode()), "mode": Variant("s", mode)},
    }
    if password:
        settings["802-11-wireless-security"] = {"key-mgmt": Variant("s", "wpa-psk"), "psk": Variant("s", password)}
    return settings
