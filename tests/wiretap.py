"""A passive listener on the network: what passes between a browser on another machine and the hub."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Self

ANOTHER_MACHINE = "127.0.0.77"


class Wiretap:
    """Hands everything on to the hub, from the address of another machine, and keeps all bytes in `heard`."""

    def __init__(self, hub_port: int) -> None:
        self._hub_port = hub_port
        self._lock = threading.Lock()
        self.heard = b""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._hub_port), source_address=(ANOTHER_MACHINE, 0))
            except OSError:
                return
            self._open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                with self._lock:
                    self.heard += data
                sink.sendall(data)
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
