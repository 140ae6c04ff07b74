"""The short way between a table and a phone at this hub's own port: past the broker, under the broker's rules.

The broker still judges a login, keeps the will and everything that is retained, and ends the connection of a seat that is
given back. But what a page does all the time needs no way through it: a request on the login's own topic, and state, hand
and answers for a phone that follows them as a page does (MQTT 3.1.1, QoS 0). Whatever is not exactly that goes to the broker
as it came.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from phone_ui.mqtt_packets import SUBSCRIBE, UNSUBSCRIBE, packet_id, publish, read_filters, read_publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_PUBLISH, _RETAIN, _QOS_2 = 0x30, 0x01, 0x04
_SUBACK, _PUBACK = b"\x90", b"\x40\x02"
ACKNOWLEDGE_SECONDS = 0.05  # a request is acknowledged after so long, where nothing else is to be sent before


class Wire(Protocol):
    """The WebSocket of one phone, in the web port's loop."""

    def push(self, data: bytes) -> bool:
        """Send a message at once; return whether it was: a phone that is slow is sent nothing more for now."""

    async def taken(self) -> None:
        """Wait until the phone has taken what it was sent, or is gone."""


class DirectPhone:
    """One connection that the broker has let in. Calls come from the web port's loop where nothing else is said.

    `pictures` are the topics of state and hand, each with what returns its newest message, and `answers` that of answers: its
    login may read these. It asks on `act`; `heard` takes such a request.
    """

    def __init__(
        self,
        wire: Wire,
        pictures: Mapping[str, Callable[[], bytes]],
        answers: str,
        act: str,
        heard: Callable[[bytes], None],
    ) -> None:
        self._wire = wire
        self._pictures = pictures
        self._may_follow = frozenset((*pictures, answers))
        self._act = act.encode()
        self._heard = heard
        self._followed: set[str] = set()
        self._waiting: dict[
            str | bytes, bytes
        ] = {}  # packets that the phone has not taken yet; the newest of a picture
        self._later: asyncio.Task[None] | None = None
        self._acknowledge: asyncio.TimerHandle | None = None
        self.loop = asyncio.get_running_loop()

    def follows(self, topic: str) -> bool:
        """Return whether messages of this topic take the short way. From any thread."""
        return topic in self._followed

    def give_back(self) -> None:
        """Let the phone follow nothing more: its seat is given back. What is on its way still comes. From any thread."""
        self._may_follow = frozenset()

    def end(self) -> None:
        """Send nothing more: the connection is over."""
        self._followed.clear()
        self._waiting.clear()
        for due in (self._later, self._acknowledge):
            if due is not None:
                due.cancel()

    # --- from the phone ---

    def take(self, packet: bytes) -> bool:
        """Do what a whole packet asks for, where it is for the short way; return whether it was."""
        kind = packet[0] & 0xF0
        if kind == _PUBLISH and not packet[0] & (_RETAIN | _QOS_2):
            return self._take_request(packet)
        if kind == SUBSCRIBE:
            return self._follow(packet)
        if kind == UNSUBSCRIBE:
            self._followed.difference_update(topic for topic, _ in read_filters(packet))
        return False

    def _take_request(self, packet: bytes) -> bool:
        request = read_publish(packet)
        if request is None or request.topic != self._act or request.packet_id == b"\0\0":
            return False
        self._heard(request.payload)
        if request.packet_id:  # it goes with the answer, which mostly comes within milliseconds
            acknowledged = _PUBACK + request.packet_id
            self._waiting[acknowledged] = acknowledged
            self._acknowledge = self._acknowledge or self.loop.call_later(ACKNOWLEDGE_SECONDS, self._flush)
        return True

    def _follow(self, packet: bytes) -> bool:
        filters = read_filters(packet)
        topics = [topic for topic, _ in filters]
        if not filters or any(topic not in self._may_follow or qos for topic, qos in filters):
            self._followed.difference_update(topics)  # whatever the broker grants, it sends
            return False
        granted = bytes(len(filters))  # QoS 0 each
        self._followed.update(topics)
        self._waiting[packet] = _SUBACK + bytes([2 + len(granted)]) + packet_id(packet) + granted
        newest = [(topic, self._pictures[topic]()) for topic in topics if topic in self._pictures]
        self.send([(topic, publish(topic, payload, retained=True)) for topic, payload in newest if payload])
        return True

    # --- to the phone ---

    def send(self, packets: Sequence[tuple[str, bytes]]) -> None:
        """Send packets by their topics, those that the phone follows, in one message.

        While it takes nothing, the newest of each picture waits for it, and every answer.
        """
        for topic, packet in packets:
            if topic in self._followed:
                self._waiting[topic if topic in self._pictures else packet] = packet
        self._flush()

    def _flush(self) -> None:
        if self._acknowledge is not None:
            self._acknowledge.cancel()
            self._acknowledge = None
        if not self._waiting or self._later is not None:
            return
        if self._wire.push(b"".join(self._waiting.values())):
            self._waiting.clear()
        else:
            self._later = self.loop.create_task(self._flush_later())

    async def _flush_later(self) -> None:
        await self._wire.taken()
        self._later = None
        self._flush()
