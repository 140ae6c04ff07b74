"""The short way between a table and a phone at this hub's own port: past the broker, under the broker's rules.

The broker still judges a login, keeps the will and everything that is retained, and ends the connection of a seat that is
given back. But what a page does all the time needs no way through it: a request on the login's own topic, and state, hand
and answers for a phone that follows them as a page does (MQTT 3.1.1, QoS 0, a clean session). Whatever is not exactly that goes to
the broker as it came.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from phone_ui.mqtt_packets import SUBSCRIBE, UNSUBSCRIBE, packet_id, publish, read_filters, read_publish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ASKS = (0x30, 0x32, 0x3A)  # PUBLISH at QoS 0, at QoS 1, and that once more; not retained (3.3.1)
_FOLLOWS, _GIVES_UP = SUBSCRIBE | 0x02, UNSUBSCRIBE | 0x02  # 3.8.1, 3.10.1
_NO_ID = b"\0\0"  # which MQTT forbids (2.3.1)
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
        self._at_broker: set[str] = set()  # topics that the broker was asked for: it is told what replaces that, too
        self._waiting: dict[
            str | bytes, bytes
        ] = {}  # packets that the phone has not taken yet; the newest of a picture
        self._later: asyncio.Task[None] | None = None
        self._acknowledge: asyncio.TimerHandle | None = None
        self.loop = asyncio.get_running_loop()
        self.ended = False

    def follows(self, topic: str) -> bool:
        """Return whether messages of this topic take the short way. From any thread."""
        return topic in self._followed

    @property
    def is_slow(self) -> bool:
        """Whether the phone takes nothing for now: it may be gone, and follow elsewhere. From any thread."""
        return self._later is not None

    def give_back(self) -> None:
        """Let the phone follow nothing more: its seat is given back. What is on its way still comes. From any thread."""
        self._may_follow = frozenset()

    def end(self) -> None:
        """Send nothing more: the connection is over."""
        self.ended = True
        self._followed.clear()
        self._waiting.clear()
        for due in (self._later, self._acknowledge):
            if due is not None:
                due.cancel()

    # --- from the phone ---

    def take(self, packet: bytes) -> bool:
        """Do what a whole packet asks for, where it is for the short way; return whether it was."""
        if packet[0] in _ASKS:
            return self._take_request(packet)
        if packet[0] == _FOLLOWS:
            return self._follow(packet)
        if packet[0] == _GIVES_UP:
            given_up = [topic for topic, _ in read_filters(packet)]
            self._followed.difference_update(given_up)
            self._at_broker.difference_update(given_up)
        return False

    def _take_request(self, packet: bytes) -> bool:
        request = read_publish(packet)
        if request is None or request.topic != self._act or request.packet_id == _NO_ID:
            return False
        self._heard(request.payload)
        if request.packet_id:  # it goes with the answer, which mostly comes within milliseconds
            acknowledged = _PUBACK + request.packet_id
            self._waiting[acknowledged] = acknowledged
            self._acknowledge = self._acknowledge or self.loop.call_later(ACKNOWLEDGE_SECONDS, self._flush)
        return True

    def _follow(self, packet: bytes) -> bool:
        filters = read_filters(packet)
        topics = {topic for topic, _ in filters}
        is_ours = all(topic in self._may_follow and qos == 0 for topic, qos in filters)
        if not filters or not is_ours or packet_id(packet) == _NO_ID or topics & self._at_broker:
            self._followed -= topics  # whatever the broker grants, it sends
            self._at_broker |= topics & self._may_follow
            return False
        granted = bytes(len(filters))  # QoS 0 each
        self._followed |= topics
        self._waiting[packet] = _SUBACK + bytes([2 + len(granted)]) + packet_id(packet) + granted
        newest = [(topic, newest()) for topic, newest in self._pictures.items() if topic in topics]
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
