"""An MQTT client that limits the size of packets: paho itself would read up to 256 MB into memory."""

from __future__ import annotations

import select
import ssl
from typing import Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

LARGEST_PACKET = 131_072
"""Maximum size, in bytes, of a packet between the hub and the broker of its tables, in either direction."""


class BoundedClient(paho.Client):
    """A client that accepts packets of at most `most` bytes.

    It announces this limit to an MQTT 5 broker, which then skips larger messages (MQTT 5.0, section 3.1.2.11.4). If an
    older or malicious broker sends a larger packet anyway, the client ends the connection. `refused` is then the announced
    size of that packet in bytes; it is 0 otherwise.
    """

    def __init__(
        self, most: int, client_id: str, protocol: MQTTProtocolVersion, transport: Literal["tcp", "unix"] = "tcp",
    ) -> None:  # fmt: skip
        version = CallbackAPIVersion.VERSION2
        super().__init__(version, client_id, protocol=protocol, transport=transport, reconnect_on_failure=False)
        self._most = most
        self.refused = 0

    def connect_bounded(self, host: str, port: int, keepalive: int) -> None:
        """Connect like `connect`, and announce the limit. Raise OSError or ValueError."""
        self.refused = 0
        properties = None
        if self.protocol == paho.MQTTv5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.MaximumPacketSize = self._most
        self.connect(host, port, keepalive, properties=properties)

    def loop(self, timeout: float = 1.0) -> MQTTErrorCode:
        """Wait for input, at most `timeout` seconds, and handle it, as paho's own `loop` does."""
        # paho waits by select, which refuses the files that a crowd of phones leaves, from the 1,024th on.
        sock = self.socket()
        if sock is None:
            return MQTTErrorCode.MQTT_ERR_NO_CONN
        buffered = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0  # input that poll does not see
        waiter = select.poll()
        waiter.register(sock, select.POLLIN | (select.POLLOUT if self.want_write() else 0))
        events = sum(what for _, what in waiter.poll(0 if buffered else timeout * 1000))
        error = self.loop_read() if buffered or events & ~select.POLLOUT else MQTTErrorCode.MQTT_ERR_SUCCESS
        if not error and events & select.POLLOUT:
            error = self.loop_write()
        return error or self.loop_misc()

    def _sock_recv(self, bufsize: int) -> bytes:
        # paho requests the whole announced size at once, and Python allocates that much memory before it reads.
        if bufsize > self._most:
            self.refused = bufsize
            raise ConnectionAbortedError(f"a packet of {bufsize} bytes")
        return super()._sock_recv(bufsize)

    def _handle_publish(self) -> MQTTErrorCode:
        # paho stores each QoS 2 message until the broker releases it. The hub never subscribes with QoS 2.
        if self._in_packet["command"] >> 1 & 3 == 2:
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        return super()._handle_publish()
