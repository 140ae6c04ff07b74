"""What the gateway reads of MQTT: how many packets and topic filters come, and the log-in with which a connection begins."""

from __future__ import annotations

SUBSCRIBE, UNSUBSCRIBE = 0x80, 0xA0


class PacketCounter:
    """Counts MQTT packets in a stream of bytes, however it is cut into pieces, and the topic filters in them.

    MQTT 3.1.1 and 5, sections 2, 3.8 (SUBSCRIBE) and 3.10 (UNSUBSCRIBE).
    """

    MOST_FILTER_BYTES = 2048  # of one packet with topic filters: a page's takes 300

    def __init__(self) -> None:
        self._rest = 0  # bytes that are left of a packet whose length is known
        self._shift: int | None = None  # while the length is read: how far its next 7 bits are to be shifted
        self._length = 0
        self._kind = 0
        self._body: bytearray | None = None  # of a packet with topic filters
        self.version = 4  # of the protocol: 4 is MQTT 3.1.1

    def count(self, data: bytes) -> tuple[int, int]:
        """Return how many packets begin in `data`, and how many topic filters end in it. Raise ValueError where it is no MQTT."""
        begun = filters = place = 0
        while place < len(data):
            if self._rest:
                step = min(self._rest, len(data) - place)
                if self._body is not None:
                    self._body += data[place : place + step]
                self._rest -= step
                place += step
                if not self._rest and self._body is not None:
                    filters += count_filters(bytes(self._body), self._kind, self.version)
                    self._body = None
                continue
            byte = data[place]
            place += 1
            if self._shift is None:
                begun += 1
                self._kind, self._shift, self._length = byte, 0, 0
                continue
            if self._shift > 21:
                raise ValueError("not an mqtt packet")
            self._length |= (byte & 0x7F) << self._shift
            self._shift += 7
            if not byte & 0x80:
                self._rest, self._shift = self._length, None
                if self._kind & 0xF0 in (SUBSCRIBE, UNSUBSCRIBE):
                    if self._length > self.MOST_FILTER_BYTES:
                        raise ValueError("too many topics at once")
                    self._body = bytearray()
        return begun, filters


def count_filters(body: bytes, kind: int, version: int) -> int:
    """Return how many topic filters stand in what follows the fixed header of a SUBSCRIBE or UNSUBSCRIBE."""
    place = 2  # after the packet id
    if version == 5:
        place = _after_properties(body, place)
    found, options = 0, 1 if kind & 0xF0 == SUBSCRIBE else 0
    while place < len(body):
        place += 2 + int.from_bytes(body[place : place + 2], "big") + options
        found += 1
    return found


def _after_properties(packet: bytes, place: int) -> int:
    """Return where the properties end whose length stands at `place` (MQTT 5, section 2.2.2)."""
    length = shift = 0
    while place < len(packet):
        byte = packet[place]
        place += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            break
    return place + length


def protocol_version(connect: bytes) -> int:
    """Return the protocol level of a whole CONNECT packet: 4 is MQTT 3.1.1, 5 is MQTT 5; 0 where there is none to be read."""
    place = _after_length(connect) + 6  # behind the name of the protocol (3.1.2)
    return connect[place] if place < len(connect) else 0


def _after_length(packet: bytes) -> int:
    place = 1
    while packet[place : place + 1] and packet[place] & 0x80:
        place += 1
    return place + 1


def client_id(connect: bytes) -> str:
    """Return the client id of a whole CONNECT packet of MQTT 3.1.1 or 5, or "" where there is none to be read."""
    place = _after_length(connect) + 10  # protocol name, level, flags, keep alive (3.1.2)
    if protocol_version(connect) == 5:
        place = _after_properties(connect, place)
    size = int.from_bytes(connect[place : place + 2], "big")
    return connect[place + 2 : place + 2 + size].decode("utf-8", "replace")
