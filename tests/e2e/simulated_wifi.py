"""Starts `table-hub` as a service in a room with Wi-Fi: `python -m tests.e2e.simulated_wifi FOLDER ARGUMENTS`.

The radio is simulated and lasts while the hub restarts, as NetworkManager does. The service manager is this program: it starts
the hub again when that has ended.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from hub.__main__ import main
from hub.network import network_manager
from hub.network.wifi import Network, OwnWifi, Radio

PASSWORDS = {"Cafe": "dice-and-tea", "Bar": ""}
IN_REACH = tuple(Network(name, not password) for name, password in PASSWORDS.items())
PR_SET_PDEATHSIG = 1  # prctl(2)


class Room:
    """A NetworkManager. `file` says what its radio uses: "", "hotspot", or the name of a network; "off": there is no radio."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._uses = file.read_text("utf-8") if file.exists() else ""
        self._joined = self._failure = ""

    def look(self) -> Radio | None:
        if self._uses == "off":
            return None
        state: Any = "connected" if self._uses else "idle"
        uses: Any = (
            "hotspot" if self._uses == "hotspot" else "joined" if self._joined else "other" if self._uses else ""
        )
        seen = () if uses == "hotspot" else IN_REACH
        return Radio(state, uses, self._failure, self._uses, in_reach=seen)  # type: ignore[arg-type]

    def start_hotspot(self) -> None:
        self._use("hotspot")

    def join(self, name: str, password: str) -> None:
        if PASSWORDS.get(name) == password:
            self._use(name)
            self._joined = name
        else:
            self._use("")
            self._failure = "password" if name in PASSWORDS else "away"

    def keep(self) -> None:
        pass

    def leave(self) -> None:
        self._use("")

    def _use(self, name: str) -> None:
        self._uses, self._joined, self._failure = name, "", ""
        self._file.write_text(name, "utf-8")


def serve(folder: Path, arguments: list[str]) -> None:
    """Start the hub again and again, until this program is to end."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
        (folder / "notices").unlink(missing_ok=True)  # of one that was killed
        notices.bind(f"{folder / 'notices'}")
        threading.Thread(target=read_all, args=(notices,), daemon=True).start()
        environment = os.environ | {"INVOCATION_ID": "1", "NOTIFY_SOCKET": f"{folder / 'notices'}"}
        command = [sys.executable, "-m", "tests.e2e.simulated_wifi", "--hub", str(folder), *arguments]
        ending = False
        while not ending:
            hub = subprocess.Popen(command, env=environment)

            def end(*_: object, hub: subprocess.Popen[bytes] = hub) -> None:
                nonlocal ending
                ending = True
                hub.terminate()

            signal.signal(signal.SIGTERM, end)
            hub.wait()


def read_all(notices: socket.socket) -> None:
    """Read what the hub reports, as systemd does: a full socket would stop the hub."""
    with suppress(OSError):  # it was closed
        while True:
            notices.recv(4096)


def run(folder: Path, arguments: list[str]) -> int:
    """Run the hub once, and no longer than the service manager, which a test may kill."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

    def room(_: OwnWifi) -> Room:
        return Room(folder / "radio")

    network_manager.NetworkManagerBus = room  # type: ignore[assignment, misc]
    return main(arguments)


if __name__ == "__main__":
    if sys.argv[1] == "--hub":
        sys.exit(run(Path(sys.argv[2]), sys.argv[3:]))
    serve(Path(sys.argv[1]), sys.argv[2:])
