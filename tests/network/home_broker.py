"""A mosquitto as it runs beside a Home Assistant, and all that it carries."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from hub.config import HomeAssistantPart
from tests.docs.contract import check_message
from tests.free_port import free_port
from tests.phone_ui.rig import until

USER, PASSWORD = "table-hub", "what the owner has chosen"


class HomeBroker:
    """A mosquitto as beside a Home Assistant, with a reader of all that it carries."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        (folder / "password").write_text(f"{PASSWORD}\n")
        (folder / "users").write_text(f"{USER}:{PASSWORD}\nreader:{PASSWORD}\n")
        (folder / "users").chmod(0o600)
        subprocess.run(["mosquitto_passwd", "-U", folder / "users"], check=True)
        (folder / "home.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {folder}/users\nuser root\nlog_dest none\n"
        )
        self.carried: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.newest: dict[str, bytes] = {}
        self.all: list[bytes] = []
        self._listening = threading.Event()
        self.child: subprocess.Popen[bytes] | None = None
        self.client: paho.Client | None = None

    def part(self, **more: Any) -> HomeAssistantPart:
        url = f"mqtt://127.0.0.1:{self.port}"
        return HomeAssistantPart(**{"url": url, "user": USER, "password_file": str(self.folder / "password")} | more)

    def start(self) -> None:
        self.child = subprocess.Popen(["/usr/sbin/mosquitto", "-c", self.folder / "home.conf"], cwd=self.folder)
        self.client = paho.Client(CallbackAPIVersion.VERSION2, reconnect_on_failure=False)
        self.client.username_pw_set("reader", PASSWORD)
        self.client.on_connect = lambda client, *_: client.subscribe("#")
        self.client.on_message = lambda _c, _u, one: self.carried.put((one.topic, bytes(one.payload)))
        self.client.on_subscribe = lambda *_: self._listening.set()
        self._listening.clear()
        until(self._connects, "the home's broker")
        # From here on the connection keeps what comes, until the test wants to hear it.
        until(lambda: self.client is not None and not self.client.loop(0.05) and self._listening.is_set(), "its reader")

    def _connects(self) -> bool:
        assert self.client
        try:
            self.client.connect("127.0.0.1", self.port, keepalive=600)
        except OSError:
            return False
        return True

    def hear(self) -> dict[str, bytes]:
        """Take in what has come; the newest of each topic."""
        assert self.client
        self.client.loop(0.05)
        self.client.loop(0)
        while not self.carried.empty():
            topic, payload = self.carried.get()
            self.newest[topic] = payload
            self.all.append(topic.encode() + b" " + payload)
            check_message(topic, payload, None)
        return self.newest

    def table(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.hear().get("th/1/hub/1/home", b"{}"))
        return told

    def stop(self) -> None:
        if self.client:
            self.client.disconnect()
            self.client = None
        if self.child:
            self.child.terminate()
            self.child.wait(10)
            self.child = None
