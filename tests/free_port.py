"""Ports for servers that cannot say which one they got."""

from __future__ import annotations

import random
import socket

_reserved: list[socket.socket] = []


def free_port() -> int:
    """Return a port that nobody uses and that no other test gets, in any process, until this process has ended.

    It is below those that the machine gives to its own connections. A test reserves it by a name among the machine's abstract
    Unix sockets (unix(7)), which vanishes with its process.
    """
    for _ in range(1000):
        port = random.randint(20_000, 32_000)  # noqa: TID251 - other processes look for ports, too
        name = socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                name.bind(f"\0table-hub test port {port}")
                probe.bind(("", port))
            except OSError:
                name.close()
                continue
        _reserved.append(name)
        return port
    raise AssertionError("no free port")
