"""NetworkManager's objects on a D-Bus of their own, as its documentation describes them.

https://networkmanager.dev/docs/api/latest/spec.html has the interfaces, nm-dbus-types.html the numbers.
"""

from __future__ import annotations

import asyncio
import subprocess
import threading
from typing import Any, Self

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from tests.patience import PATIENCE

NM = "org.freedesktop.NetworkManager"
MANAGER = "/org/freedesktop/NetworkManager"
RADIO, CABLE = f"{MANAGER}/Devices/2", f"{MANAGER}/Devices/1"
ACTIVE, POINT = f"{MANAGER}/ActiveConnection/1", f"{MANAGER}/AccessPoint/1"
ADDED = f"{MANAGER}/Settings/9"
"""The connection that a call of AddAndActivateConnection2 makes."""


class Bus:
    """A message bus for one test."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout
        self.address = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdout
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._process.stdout.close()


class FakeNetworkManager:
    """Serve `objects`, and keep what was called. `refuses` names the methods that fail."""

    def __init__(self, address: str) -> None:
        self.objects: dict[str, dict[str, dict[str, Variant]]] = {}
        self.settings: dict[str, dict[str, dict[str, Variant]]] = {}
        self.calls: list[tuple[str, str, list[Any]]] = []
        self.refuses: set[str] = set()
        self._address = address
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._bus = self._wait(self._connect())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._bus.disconnect)
        self._wait(self._bus.wait_for_disconnect())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def _wait(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    async def _connect(self) -> MessageBus:
        bus = await MessageBus(bus_address=self._address).connect()
        bus.add_message_handler(self._answer)
        await bus.request_name(NM)
        return bus

    def _answer(self, call: Message) -> Message | None:
        if call.message_type is not MessageType.METHOD_CALL or call.destination != NM:
            return None
        if call.member in self.refuses:
            return Message.new_error(call, f"{NM}.PermissionDenied", "Not authorized")
        match call.path, call.interface, call.member:
            case "/org/freedesktop", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects":
                return Message.new_method_return(call, "a{oa{sa{sv}}}", [self.objects])
            case path, "org.freedesktop.NetworkManager.Settings.Connection", "GetSettings":
                self.calls.append((str(path), "GetSettings", []))
                return Message.new_method_return(call, "a{sa{sv}}", [self.settings[str(path)]])
            case "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager", "AddAndActivateConnection2":
                assert call.signature == "a{sa{sv}}ooa{sv}"
                self._note(call)
                return Message.new_method_return(call, "ooa{sv}", [ADDED, ACTIVE, {}])
            case "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager", "DeactivateConnection":
                assert call.signature == "o"
            case _, "org.freedesktop.NetworkManager.Settings.Connection", "Save" | "Delete":
                assert call.signature == ""
            case _:
                return Message.new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", f"{call.member}")
        self._note(call)
        return Message.new_method_return(call)

    def _note(self, call: Message) -> None:
        self.calls.append((str(call.path), str(call.member), call.body))

    # --- what a test changes ----------------------------------------------------------------------

    def device(self, path: str, kind: int, state: int, **properties: Variant) -> None:
        """Set a device: kind 1 is Ethernet, 2 is Wi-Fi."""
        about = {
            "DeviceType": Variant("u", kind), "State": Variant("u", state), "Managed": Variant("b", True),
            "ActiveConnection": Variant("o", "/"),
        }  # fmt: skip
        wifi = {
            "WirelessCapabilities": Variant("u", 0), "AccessPoints": Variant("ao", []), "ActiveAccessPoint": Variant("o", "/"),
        }  # fmt: skip
        self.objects[path] = {
            f"{NM}.Device": about | {name: one for name, one in properties.items() if name in about},
            **({f"{NM}.Device.Wireless": wifi | {n: one for n, one in properties.items() if n in wifi}} if kind == 2 else {}),
        }  # fmt: skip

    def point(
        self, path: str, name: str, strength: int, *, flags: int = 1, wpa: int = 0, rsn: int = 0x188, seen: int = 5,
        channel: int = 6,
    ) -> None:  # fmt: skip
        """Set an access point. Its security is in three numbers of nm-dbus-types.html."""
        self.objects[path] = {
            f"{NM}.AccessPoint": {
                "Ssid": Variant("ay", name.encode()), "Strength": Variant("y", strength), "Flags": Variant("u", flags),
                "WpaFlags": Variant("u", wpa), "RsnFlags": Variant("u", rsn), "LastSeen": Variant("i", seen),
                "Frequency": Variant("u", 2407 + 5 * channel),
            }
        }  # fmt: skip

    def active(self, name: str, connection: str, uuid: str = "") -> None:
        """Let the radio use a connection."""
        about = {"Id": Variant("s", name), "Connection": Variant("o", connection), "Uuid": Variant("s", uuid)}
        self.objects[ACTIVE] = {f"{NM}.Connection.Active": about}
        self.objects[RADIO][f"{NM}.Device"]["ActiveConnection"] = Variant("o", ACTIVE)

    def store(self, path: str, settings: dict[str, dict[str, Variant]], *, unsaved: bool = False) -> None:
        """Store a connection, or have it in memory only."""
        self.objects[path] = {f"{NM}.Settings.Connection": {"Unsaved": Variant("b", unsaved)}}
        self.settings[path] = settings

    def change_state(self, device: str, new: int, reason: int) -> None:
        """Send the signal StateChanged of a device; return when the bus has it."""
        signal = Message.new_signal(device, f"{NM}.Device", "StateChanged", "uuu", [new, 70, reason])

        async def send() -> None:
            await self._bus.send(signal)

        self._wait(send())
