"""The direct path between a table and a phone at this hub's own port: past the broker, under the broker's rules.

The broker still checks the login, keeps the will and all retained messages, and ends the connection when a seat is given
back. The frequent messages of a page bypass it: requests on the login's own topic, and state, hand and answers for a phone
that subscribes as a page does (MQTT 3.1.1, QoS 0, clean session). All other packets go to the broker unchanged.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from phone_ui.mqtt_packets import SUBSCRIBE, UNSUBSCRIBE, packet_id, publish, read_filters, read_publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_PUBLISH_TYPES = (0x30, 0x32, 0x3A)  # PUBLISH at QoS 0, at QoS 1, and QoS 1 with DUP; not retained (3.3.1)
_SUBSCRIBE, _UNSUBSCRIBE = SUBSCRIBE | 0x02, UNSUBSCRIBE | 0x02  # 3.8.1, 3.10.1
_NO_ID = b"\0\0"  # forbidden by MQTT (2.3.1)
_SUBACK, _PUBACK = b"\x90", b"\x40\x02"
ACKNOWLEDGE_SECONDS = 0.05  # maximum delay of a PUBACK, which otherwise goes with the next message


class Wire(Protocol):
    """The WebSocket of one phone, in the web port's loop."""

    def push(self, data: bytes) -> bool:
        """Send a message at once and return True, or return False if the phone has not taken the earlier ones yet."""

    async def drain(self) -> None:
        """Wait until the phone has taken everything that was sent, or has disconnected."""


class DirectPhone:
    """One connection that the broker has accepted. Call its methods from the web port's loop, unless they say otherwise.

    - `pictures`: the topics of state and hand, each with a function that returns its newest message.
    - `answers`: the topic of answers. The login may read this topic and those of `pictures`.
    - `act`: the topic of the phone's requests; `on_request` gets the payload of each.
    """

    def __init__(
        self,
        wire: Wire,
        pictures: Mapping[str, Callable[[], bytes]],
        answers: str,
        act: str,
        on_request: Callable[[bytes], None],
    ) -> None:
        self._wire = wire
        self._pictures = pictures
        self._may_subscribe = frozenset((*pictures, answers))
        self._act = act.encode()
        self._on_request = on_request
        self._subscribed: set[str] = set()
        self._at_broker: set[str] = set()  # topics subscribed at the broker, which must see later changes to them, too
        self._waiting: dict[str | bytes, bytes] = {}  # unsent packets: of each picture the newest, and every answer
        self._flushing: asyncio.Task[None] | None = None
        self._acknowledge: asyncio.TimerHandle | None = None
        self.loop = asyncio.get_running_loop()
        self.ended = False

    def is_subscribed(self, topic: str) -> bool:
        """Return whether messages of this topic use the direct path. Thread-safe."""
        return topic in self._subscribed

    @property
    def is_slow(self) -> bool:
        """Return whether the phone takes nothing for now: it may have reconnected elsewhere. Thread-safe."""
        return self._flushing is not None

    def revoke(self) -> None:
        """Refuse new subscriptions, because the seat is given back. Queued messages are still sent. Thread-safe."""
        self._may_subscribe = frozenset()

    def end(self) -> None:
        """Drop unsent messages, because the connection is over."""
        self.ended = True
        self._subscribed.clear()
        self._waiting.clear()
        for timer in (self._flushing, self._acknowledge):
            if timer is not None:
                timer.cancel()

    # --- from the phone ---

    def handle(self, packet: bytes) -> bool:
        """Handle a whole packet if it belongs to the direct path. Return whether it does."""
        if packet[0] in _PUBLISH_TYPES:
            return self._handle_request(packet)
        if packet[0] == _SUBSCRIBE:
            return self._subscribe(packet)
        if packet[0] == _UNSUBSCRIBE:
            dropped = [topic for topic, _ in read_filters(packet)]
            self._subscribed.difference_update(dropped)
            self._at_broker.difference_update(dropped)
        return False

    def _handle_request(self, packet: bytes) -> bool:
        request = read_publish(packet)
        if request is None or request.topic != self._act or request.packet_id == _NO_ID:
            return False
        self._on_request(request.payload)
        if request.packet_id:  # sent with the answer, which usually takes milliseconds
            acknowledged = _PUBACK + request.packet_id
            self._waiting[acknowledged] = acknowledged
            self._acknowledge = self._acknowledge or self.loop.call_later(ACKNOWLEDGE_SECONDS, self._flush)
        return True

    def _subscribe(self, packet: bytes) -> bool:
        filters = read_filters(packet)
        topics = {topic for topic, _ in filters}
        is_ours = all(topic in self._may_subscribe and qos == 0 for topic, qos in filters)
        if not filters or not is_ours or packet_id(packet) == _NO_ID or topics & self._at_broker:
            self._subscribed -= topics  # the broker sends what it grants
            self._at_broker |= topics & self._may_subscribe
            return False
        granted = bytes(len(filters))  # QoS 0 each
        self._subscribed |= topics
        self._waiting[packet] = _SUBACK + bytes([2 + len(granted)]) + packet_id(packet) + granted
        newest = [(topic, newest()) for topic, newest in self._pictures.items() if topic in topics]
        self.send([(topic, publish(topic, payload, retained=True)) for topic, payload in newest if payload])
        return True

    # --- to the phone ---

    def send(self, packets: Sequence[tuple[str, bytes]]) -> None:
        """Send the packets whose topics the phone is subscribed to, in one message.

        A slow phone later gets every answer, but only the newest message of each picture.
        """
        for topic, packet in packets:
            if topic in self._subscribed:
                self._waiting[topic if topic in self._pictures else packet] = packet
        self._flush()

    def _flush(self) -> None:
        if self._acknowledge is not None:
            self._acknowledge.cancel()
            self._acknowledge = None
        if not self._waiting or self._flushing is not None:
            return
        if self._wire.push(b"".join(self._waiting.values())):
            self._waiting.clear()
        else:
            self._flushing = self.loop.create_task(self._flush_later())

    async def _flush_later(self) -> None:
        await self._wire.drain()
        self._flushing = None
        self._flush()
