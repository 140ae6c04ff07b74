"""Parse the MQTT that the gateway needs: packet lengths, topic filters, PUBLISH, and the fields of CONNECT."""

from __future__ import annotations

from typing import NamedTuple

SUBSCRIBE, UNSUBSCRIBE = 0x80, 0xA0
MOST_BYTES = 268_435_460
"""Maximum size of an MQTT packet (2.2.3)."""


class PacketTooLarge(ValueError):
    """The length field of a packet exceeds the limit."""


class PacketReader:
    """Split a stream of bytes into whole MQTT packets of at most `most` bytes."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self.rest = b""  # the start of an incomplete packet

    def read(self, data: bytes) -> list[bytes]:
        """Return the packets that `data` completes, in order. Raise ValueError if it is not MQTT or a packet is too large."""
        data = self.rest + data
        packets: list[bytes] = []
        place = 0
        while size := packet_size(data[place : place + 5]):
            if size > self._most:
                raise PacketTooLarge("an mqtt packet that is too large")
            if place + size > len(data):
                break
            packets.append(data[place : place + size])
            place += size
        self.rest = data[place:]
        return packets


def packet_size(data: bytes) -> int:
    """Return the size of the MQTT packet at the start of `data`, or 0 if its length is incomplete (3.1.1, 2.2.3).

    Raise ValueError if it is not MQTT.
    """
    length = 0
    for index, byte in enumerate(data[1:5]):
        length |= (byte & 0x7F) << (7 * index)
        if not byte & 0x80:
            return 2 + index + length
    if len(data) >= 5:
        raise ValueError("not an mqtt packet")
    return 0


def count_filters(packet: bytes, version: int) -> int:
    """Return the number of topic filters in a whole SUBSCRIBE (3.8) or UNSUBSCRIBE (3.10); 0 for other packets."""
    kind = packet[0] & 0xF0
    if kind not in (SUBSCRIBE, UNSUBSCRIBE):
        return 0
    place = _after_length(packet) + 2  # after the packet id
    if version == 5:
        place = _after_properties(packet, place)
    found, options = 0, 1 if kind == SUBSCRIBE else 0
    while place < len(packet):
        place += 2 + int.from_bytes(packet[place : place + 2], "big") + options
        found += 1
    return found


def _after_properties(packet: bytes, place: int) -> int:
    """Return the end of the properties whose length is at `place` (MQTT 5, section 2.2.2)."""
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
    """Return the protocol level of a whole CONNECT packet: 4 is MQTT 3.1.1, 5 is MQTT 5; 0 if it is missing."""
    place = _after_length(connect) + 6  # after the protocol name (3.1.2)
    return connect[place] if place < len(connect) else 0


def _after_length(packet: bytes) -> int:
    place = 1
    while packet[place : place + 1] and packet[place] & 0x80:
        place += 1
    return place + 1


class Publish(NamedTuple):
    """The parts of a PUBLISH of MQTT 3.1.1 (section 3.3). `packet_id` is empty at QoS 0."""

    topic: bytes
    packet_id: bytes
    payload: bytes


def read_publish(packet: bytes) -> Publish | None:
    """Return the parts of a whole PUBLISH of MQTT 3.1.1, or None if a part is missing."""
    start = _after_length(packet)
    end = start + 2 + int.from_bytes(packet[start : start + 2], "big")
    body = end + 2 if packet[0] & 0x06 else end
    if body > len(packet):
        return None
    return Publish(packet[start + 2 : end], packet[end:body], packet[body:])


def publish(topic: str, payload: bytes, *, retained: bool = False) -> bytes:
    """Return a PUBLISH of MQTT 3.1.1 at QoS 0."""
    name = topic.encode()
    rest = len(name) + 2 + len(payload)
    head = bytearray([0x31 if retained else 0x30])
    while rest > 0x7F:
        head.append(rest & 0x7F | 0x80)
        rest >>= 7
    head.append(rest)
    return b"%s%s%s%s" % (head, len(name).to_bytes(2, "big"), name, payload)


def read_filters(packet: bytes) -> list[tuple[str, int]]:
    """Return topic filters and QoS of a whole SUBSCRIBE (3.8) or UNSUBSCRIBE (3.10; QoS 0) of MQTT 3.1.1. QoS -1: missing."""
    place, found = _after_length(packet) + 2, []  # after the packet id
    has_qos = packet[0] & 0xF0 == SUBSCRIBE
    while place < len(packet):
        end = place + 2 + int.from_bytes(packet[place : place + 2], "big")
        qos = packet[end] if has_qos and end < len(packet) else 0 if not has_qos else -1
        found.append((packet[place + 2 : end].decode("utf-8", "replace"), qos))
        place = end + has_qos
    return found


def packet_id(packet: bytes) -> bytes:
    """Return the packet id of a whole SUBSCRIBE."""
    start = _after_length(packet)
    return packet[start : start + 2]


def user_name(connect: bytes) -> str:
    """Return the user name of a whole CONNECT packet of MQTT 3.1.1, or ""."""
    place = _after_length(connect) + 7
    flags = connect[place] if place < len(connect) else 0
    if protocol_version(connect) != 4 or not flags & 0x80:
        return ""
    place += 3  # after the flags and the keep-alive (3.1.2)
    for _ in range(3 if flags & 0x04 else 1):  # client id; topic and message of the will
        place += 2 + int.from_bytes(connect[place : place + 2], "big")
    size = int.from_bytes(connect[place : place + 2], "big")
    return connect[place + 2 : place + 2 + size].decode("utf-8", "replace")


def keeps_session(connect: bytes) -> bool:
    """Return whether a whole CONNECT packet asks the broker to keep the session, with its subscriptions (3.1.2.4)."""
    place = _after_length(connect) + 7
    return place >= len(connect) or not connect[place] & 0x02


def keep_alive(connect: bytes) -> int:
    """Return the keep-alive in seconds of a whole CONNECT packet; 0: none."""
    place = _after_length(connect) + 8
    return int.from_bytes(connect[place : place + 2], "big")


def client_id(connect: bytes) -> str:
    """Return the client id of a whole CONNECT packet of MQTT 3.1.1 or 5, or ""."""
    place = _after_length(connect) + 10  # protocol name, level, flags, keep-alive (3.1.2)
    if protocol_version(connect) == 5:
        place = _after_properties(connect, place)
    size = int.from_bytes(connect[place : place + 2], "big")
    return connect[place + 2 : place + 2 + size].decode("utf-8", "replace")
