"""systemd is notified over a real datagram socket."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.operations.systemd import ServiceNotifier


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(tmp_path / "notify"))
        server.settimeout(5)
        yield server


def received(server: socket.socket) -> list[str]:
    return server.recv(4096).decode().split("\n")


def test_systemd_receives_ready_status_alive_and_stopping_in_that_order(systemd: socket.socket) -> None:
    notifier = ServiceNotifier({"NOTIFY_SOCKET": systemd.getsockname()})
    notifier.ready("Table 1: lobby")
    notifier.status("Table 1: Bid & Bait!, round 3")
    notifier.alive()
    notifier.stopping()
    assert [received(systemd) for _ in range(4)] == [
        ["READY=1", "STATUS=Table 1: lobby"],
        ["STATUS=Table 1: Bid & Bait!, round 3"],
        ["WATCHDOG=1"],
        ["STOPPING=1"],
    ]


@pytest.mark.real_chance
def test_a_name_that_begins_with_an_at_is_an_abstract_one() -> None:
    name = "table-hub-" + secrets.token_hex(8)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind("\0" + name)
        server.settimeout(5)
        ServiceNotifier({"NOTIFY_SOCKET": "@" + name}).ready()
        assert received(server) == ["READY=1"]


def test_a_table_named_over_two_lines_cannot_say_anything_else_to_systemd(systemd: socket.socket) -> None:
    ServiceNotifier({"NOTIFY_SOCKET": systemd.getsockname()}).status("Table\nSTOPPING=1")
    assert received(systemd) == ["STATUS=Table STOPPING=1"]


def test_without_systemd_nothing_is_said_and_nobody_watches() -> None:
    notifier = ServiceNotifier({})
    notifier.ready("alone")
    notifier.alive()
    assert notifier.interval is None


def test_a_systemd_that_went_away_does_not_end_the_game(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ServiceNotifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).alive()
    assert "systemd did not receive WATCHDOG=1" in caplog.text


@pytest.mark.parametrize(
    ("environment", "interval"),
    [
        ({"WATCHDOG_USEC": "10000000"}, 5.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": str(os.getpid())}, 5.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_is_fed_twice_as_often_as_it_asks(environment: dict[str, str], interval: float | None) -> None:
    assert ServiceNotifier(environment).interval == interval
