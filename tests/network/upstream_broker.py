"""A mosquitto above the hubs of a venue, as its owner would set it up, and a reader of all that it carries."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.docs.contract import check_message
from tests.free_port import free_port
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

PASSWORD = "what the owner has chosen"
HUBS = ("north", "south", "hub")
FINISHED = re.compile(r"table-hubs/1/([^/]+)/([^/]+)/finished/\d+")


class Carried(NamedTuple):
    """One message that the reader got."""

    topic: str
    payload: bytes
    retained: bool


class Certificates:
    """An authority of the owner's own in a folder, and a certificate that it has signed for the broker, by openssl."""

    def __init__(self, folder: Path, name: str = "IP:127.0.0.1", days: int = 2) -> None:
        self.folder, self.ca, self.file, self.key = folder, folder / "ca.pem", folder / "cert.pem", folder / "key.pem"
        folder.mkdir(exist_ok=True)
        fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self._openssl("req", "-x509", *fresh, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=owner")
        self._openssl("req", *fresh, "-keyout", "key.pem", "-out", "cert.csr", "-subj", "/CN=venue")
        (folder / "names").write_text(f"subjectAltName={name}\n")
        signer = ["-CA", "ca.pem", "-CAkey", "ca.key", "-extfile", "names", "-days", str(days)]
        self._openssl("x509", "-req", "-in", "cert.csr", "-out", "cert.pem", *signer)

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)


class UpstreamBroker:
    """Each hub has a user of its name, who writes its own topics and reads those of the venue; `owner` reads all.

    With `certificates` it takes TLS only.
    """

    def __init__(self, folder: Path, port: int = 0, certificates: Certificates | None = None) -> None:
        self.folder, self.port, self.certificates = folder, port or free_port(), certificates
        folder.mkdir(exist_ok=True)
        (folder / "password").write_text(f"{PASSWORD}\n")
        (folder / "users").write_text("".join(f"{user}:{PASSWORD}\n" for user in (*HUBS, "owner", "stranger")))
        (folder / "users").chmod(0o600)
        subprocess.run(["mosquitto_passwd", "-U", folder / "users"], check=True)
        (folder / "acl").write_text(
            "pattern readwrite table-hubs/1/cafe/%u/#\npattern read table-hubs/1/cafe/#\n"
            "user owner\ntopic readwrite #\nuser stranger\ntopic readwrite #\n"
        )
        (folder / "acl").chmod(0o600)
        (folder / "up.conf").write_text(
            f"listener {self.port} 127.0.0.1\n"
            + (f"certfile {certificates.file}\nkeyfile {certificates.key}\n" if certificates else "")
            + f"allow_anonymous false\npassword_file {folder}/users\nacl_file {folder}/acl\n"
            f"user root\nlog_dest none\npersistence true\npersistence_location {folder}/\nautosave_interval 1\n"
        )
        self.child: subprocess.Popen[bytes] | None = None

    def toml(self, hub: str, port: int = 0, **more: str) -> str:
        """Return the part of a hub's file; `port` is that of what stands between them."""
        keys = {"user": f'"{hub}"', "password_file": f'"{self.folder}/password"', "venue": '"cafe"'}
        keys |= ({"ca_file": f'"{self.certificates.ca}"'} if self.certificates else {}) | more
        lines = "".join(f"{key} = {value}\n" for key, value in keys.items())
        scheme = "mqtts" if self.certificates else "mqtt"
        return f'[upstream]\nurl = "{scheme}://127.0.0.1:{port or self.port}"\n{lines}'

    def start(self) -> None:
        self.child = subprocess.Popen(["/usr/sbin/mosquitto", "-c", self.folder / "up.conf"], cwd=self.folder)
        until(self._answers, "the broker above")

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self.child:
            self.child.send_signal(number)
            self.child.wait(10)
            self.child = None

    def client(self, user: str, name: str = "") -> paho.Client:
        """Return a client that is connected, with a thread of its own."""
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, clean_session=not name)
        client.username_pw_set(user, PASSWORD)
        if self.certificates:
            client.tls_set(ca_certs=str(self.certificates.ca))
        client.reconnect_delay_set(1, 1)
        return client


class Reader:
    """The owner's program: it keeps its session at the broker, comes back by itself, and notes all that it gets."""

    def __init__(self, broker: UpstreamBroker, pattern: str = "#") -> None:
        self.all: list[Carried] = []
        self.newest: dict[str, bytes] = {}
        self._lock = threading.Lock()
        self._listening = threading.Event()
        self.client = broker.client("owner", "owners-program")
        self.client.on_message = self._take
        self.client.on_connect = lambda client, *_: client.subscribe(pattern, 1)
        self.client.on_subscribe = lambda *_: self._listening.set()
        self.client.connect("127.0.0.1", broker.port)
        self.client.loop_start()
        assert self._listening.wait(PATIENCE)

    def _take(self, _c: object, _u: object, message: paho.MQTTMessage) -> None:
        with self._lock:
            self.all.append(Carried(message.topic, bytes(message.payload), message.retain))
            self.newest[message.topic] = bytes(message.payload)

    def json(self, topic: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.newest.get(topic) or b"{}")
        return told

    def table(self, hub: str, table: str = "1") -> dict[str, Any]:
        return self.json(f"table-hubs/1/cafe/{hub}/table/{table}")

    def here(self, hub: str) -> bool:
        return self.json(f"table-hubs/1/cafe/{hub}/presence").get("state") == "online"

    def finished(self, hub: str) -> list[dict[str, Any]]:
        """Return the finished matches of a hub as they came."""
        with self._lock:
            carried = list(self.all)
        return [
            json.loads(one.payload) for one in carried if (found := FINISHED.fullmatch(one.topic)) and found[2] == hub
        ]

    def check(self) -> None:
        """Hold all that came against the document."""
        for one in list(self.all):
            if one.topic.startswith("table-hubs/"):
                check_message(one.topic, one.payload, None)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


class Ledger:
    """What a consumer makes of finished matches: each number once, gaps and doubles told."""

    def __init__(self) -> None:
        self.numbers: dict[str, dict[int, dict[str, Any]]] = {}
        self.doubles = self.disorder = 0

    def take(self, told: dict[str, Any]) -> None:
        """Take one message as it came."""
        series = self.numbers.setdefault(told["series"], {})
        if told["number"] in series:
            assert series[told["number"]] == told, "a number is one match"
            self.doubles += 1
            return
        self.disorder += told["number"] < max(series, default=0)
        series[told["number"]] = told

    @property
    def gaps(self) -> Counter[str]:
        """Return how many numbers are missing, by series."""
        return Counter({name: max(series) - min(series) + 1 - len(series) for name, series in self.numbers.items()})


class CutLink:
    """A link between a hub and the broker above that can be cut: it goes on accepting, and forwards nothing any more.

    `up` and `down` count the bytes.
    """

    def __init__(self, to: int) -> None:
        self.to, self.cut = to, threading.Event()
        self.up = self.down = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(here)
            try:
                there = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                here.close()
                continue
            self._sockets.append(there)
            for one, other, goes_up in ((here, there, True), (there, here, False)):
                threading.Thread(target=self._pipe, args=(one, other, goes_up), daemon=True).start()

    def _pipe(self, one: socket.socket, other: socket.socket, goes_up: bool) -> None:
        try:
            while data := one.recv(65536):
                if goes_up:
                    self.up += len(data)
                else:
                    self.down += len(data)
                while self.cut.is_set():
                    time.sleep(0.05)
                    if one.fileno() < 0:
                        return
                other.sendall(data)
        except OSError:
            pass
        finally:
            for end in (one, other):
                end.close()

    def close(self) -> None:
        self.cut.clear()
        for one in self._sockets:
            one.close()
