"""An MQTT client that takes no packet over a limit: paho itself would read 256 MB before anybody sees them."""

from __future__ import annotations

from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

LARGEST_PACKET = 131_072
"""Bytes of the largest packet between the hub and the broker of its tables, in either direction."""


class BoundedClient(paho.Client):
    """A client that tells a broker of MQTT 5 the largest packet it takes, and ends the connection if a larger one begins.

    A broker of MQTT 5 leaves out larger messages (MQTT 5.0, section 3.1.2.11.4) and the connection stays. An older broker,
    or one that means harm, sends them all the same: `refused` is then the number of bytes that were announced and not read.
    """

    def __init__(self, most: int, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._most = most
        self.refused = 0

    def connect_bounded(self, host: str, port: int, keepalive: int) -> None:
        """Connect as `connect` does. Raise OSError or ValueError."""
        self.refused = 0
        properties = None
        if self.protocol == paho.MQTTv5:
            properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            properties.MaximumPacketSize = self._most
        self.connect(host, port, keepalive, properties=properties)

    def _sock_recv(self, bufsize: int) -> bytes:
        # paho asks for all that a packet's header announces at once, and Python makes room for so much before it reads.
        if bufsize > self._most:
            self.refused = bufsize
            raise ConnectionAbortedError(f"a packet of {bufsize} bytes")
        return super()._sock_recv(bufsize)

    def _handle_publish(self) -> MQTTErrorCode:
        # paho keeps each message of QoS 2 until the broker releases it. The hub subscribes to none.
        if self._in_packet["command"] >> 1 & 3 == 2:
            return MQTTErrorCode.MQTT_ERR_PROTOCOL
        return super()._handle_publish()
