"""The address that phones are shown: the kernel's own answers, in network namespaces of the tests."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from hub.config import Config, DevicePart, HubPart, WebPart, dump
from hub.network.encryption import HubKey, to_base64
from phone_ui.pages import qr_picture
from tests.acceptance.screen import read_code

IP = shutil.which("ip") or "/usr/sbin/ip"
PORT = 8080  # of a network of our own
LIMIT = 60.0  # seconds for what takes the hub two
NUMBERS = itertools.count(1)

# Runs in a namespace: prints each public state of the table as a line of JSON, as the kiosk gets it.
FOLLOW = f"""
import urllib.request
with urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open("http://127.0.0.1:{PORT}/t/1/events") as events:
    for line in events:
        if line.startswith(b"data: {{"):  # a beat is no picture
            print(line[5:].decode().strip(), flush=True)
"""
FETCH = f"""
import sys, urllib.error, urllib.request
try:
    found = urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open("http://127.0.0.1:{PORT}" + sys.argv[1])
except urllib.error.HTTPError as error:
    found = error
sys.stdout.buffer.write(str(found.status).encode() + b" " + found.read())
"""


def namespaces_are_possible() -> bool:
    """Return whether this user may make a network namespace here."""
    name = f"th-try-{os.getpid()}"
    try:
        if subprocess.run([IP, "netns", "add", name], capture_output=True, timeout=10, check=False).returncode:
            return False
        inside = subprocess.run([IP, "netns", "exec", name, "true"], capture_output=True, timeout=10, check=False)
        subprocess.run([IP, "netns", "delete", name], capture_output=True, timeout=10, check=False)
    except OSError:
        return False
    return inside.returncode == 0


pytestmark = [
    pytest.mark.skipif(
        not namespaces_are_possible(), reason="network namespaces cannot be made here: that takes root and iproute2"
    ),
    pytest.mark.real_time,
]


class Namespace:
    """A machine's network of its own: loopback only, and one end of a cable, eth0, whose other end nobody has."""

    def __init__(self) -> None:
        self.name = f"th-{os.getpid()}-{next(NUMBERS)}"

    def __enter__(self) -> Self:
        subprocess.run([IP, "netns", "add", self.name], check=True, timeout=10)
        self.ip("link", "set", "lo", "up")
        self.ip("link", "add", "eth0", "type", "veth", "peer", "name", "far")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([IP, "netns", "delete", self.name], check=True, timeout=10)

    def ip(self, *arguments: str) -> None:
        subprocess.run([IP, "-netns", self.name, *arguments], check=True, timeout=10)

    def plug(self) -> None:
        self.ip("link", "set", "far", "up")
        self.ip("link", "set", "eth0", "up")

    def command(self, *arguments: str) -> list[str]:
        return [IP, "netns", "exec", self.name, sys.executable, *arguments]

    def ask(self, *arguments: str) -> str:
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=LIMIT, check=True)
        return done.stdout.strip()

    def fetch(self, path: str) -> tuple[int, bytes]:
        done = subprocess.run(self.command("-c", FETCH, path), capture_output=True, timeout=LIMIT, check=True)
        status, _, body = done.stdout.partition(b" ")
        return int(status), body


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    with Namespace() as made:
        yield made


def own_address(namespace: Namespace) -> str:
    return namespace.ask("-c", "from hub.network.address import own_address; print(own_address())")


def test_a_machine_has_an_address_with_and_without_a_way_out(namespace: Namespace) -> None:
    assert own_address(namespace) == ""
    namespace.plug()
    namespace.ip("addr", "add", "169.254.7.7/16", "dev", "eth0")
    assert own_address(namespace) == "169.254.7.7"
    namespace.ip("link", "add", "wlan0", "type", "veth", "peer", "name", "air")
    namespace.ip("link", "set", "air", "up")
    namespace.ip("addr", "add", "10.42.0.1/24", "dev", "wlan0")
    assert own_address(namespace) == "169.254.7.7", "an interface that is down has no say"
    namespace.ip("link", "set", "wlan0", "up")
    assert own_address(namespace) == "10.42.0.1", "the hub's own Wi-Fi has no default route"
    namespace.ip("addr", "add", "192.168.7.20/24", "dev", "eth0")
    namespace.ip("route", "add", "default", "via", "192.168.7.1")
    assert own_address(namespace) == "192.168.7.20"
    namespace.ip("link", "set", "eth0", "down")
    namespace.ip("link", "set", "wlan0", "down")
    assert own_address(namespace) == ""


class InNamespace:
    """The real program in a namespace, and all public states of its table, as the kiosk gets them."""

    def __init__(self, namespace: Namespace, folder: Path) -> None:
        config = Config(
            hub=HubPart(state=str(folder / "state")),
            web=WebPart("0.0.0.0", PORT),
            device=(DevicePart("simulated", "1", "bench", {"seats": 2}),),
        )
        file = folder / "hub.toml"
        file.write_text(dump(config))
        self._namespace = namespace
        self._processes: list[subprocess.Popen[str]] = []
        self._changed = threading.Condition()
        self._newest: dict[str, Any] = {}
        hub = self._run("-m", "hub", "run", "--config", str(file))
        assert hub.stdout
        self.first_line = hub.stdout.readline()
        self.key = to_base64(HubKey.load(folder / "state" / "hub.key").public)
        self._events = self._run("-c", FOLLOW)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _run(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(self._namespace.command(*arguments), stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def _read(self) -> None:
        assert self._events.stdout
        for line in self._events.stdout:
            with self._changed:
                self._newest = json.loads(line)
                self._changed.notify_all()

    def until(self, so: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        """Return the first public state of which this is so."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(self._newest) and so(self._newest), LIMIT), self._newest
            return self._newest

    def until_address(self, url: str) -> Mapping[str, Any]:
        """Wait until everything shows this address: the public state, the QR code, the large panel."""
        state = self.until(lambda state: state["url"] == url)
        join = f"{url}/t/1#k={self.key}"
        status, qr = self._namespace.fetch("/t/1/qr.svg")
        assert (status, qr) == (200, qr_picture(join).plain) if url else status == 404
        deadline = time.monotonic() + LIMIT
        while self.panel_says() != (join if url else ""):  # each look waits for a process: no busy loop
            assert time.monotonic() < deadline, self.panel_says()
        return state

    def panel_says(self) -> str | None:
        """Return what the QR code on the panel says; nothing is drawn in the first moment."""
        status, png = self._namespace.fetch("/t/1/bench/panel/7.5.png")
        if status == 404:
            return None
        assert status == 200
        return read_code(png)

    def close(self) -> None:
        for process in reversed(self._processes):
            process.send_signal(signal.SIGTERM)
            process.wait(LIMIT)
        self._thread.join(LIMIT)
        for process in self._processes:
            if process.stdout:
                process.stdout.close()


def has_notice(state: Mapping[str, Any]) -> bool:
    return any(one["key"] == "network" and one["severity"] == "info" for one in state["notices"])


@pytest.mark.slow
def test_a_hub_that_was_there_before_the_network_shows_each_address_as_it_comes_changes_and_goes(
    namespace: Namespace, tmp_path: Path
) -> None:
    hub = InNamespace(namespace, tmp_path)
    try:
        assert f"http://127.0.0.1:{PORT}/t/1" in hub.first_line
        assert "no network yet" in hub.first_line
        assert has_notice(hub.until(has_notice))
        hub.until_address("")
        namespace.plug()
        namespace.ip("addr", "add", "192.168.7.20/24", "dev", "eth0")
        namespace.ip("route", "add", "default", "via", "192.168.7.1")
        assert not has_notice(hub.until_address(f"http://192.168.7.20:{PORT}"))
        # The lease changes.
        namespace.ip("addr", "flush", "dev", "eth0")
        namespace.ip("addr", "add", "10.0.3.4/24", "dev", "eth0")
        assert not has_notice(hub.until_address(f"http://10.0.3.4:{PORT}"))
        namespace.ip("link", "set", "eth0", "down")
        hub.until_address("")
        hub.until(has_notice)
    finally:
        hub.close()
