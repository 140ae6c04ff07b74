"""Frames of protocol 3 in the box: bytes to fields and back. `frames.toml` has them all, golden.

A frame is a dict: its type `t`, the sender's number `s` and its fields. What is not exactly a frame of the hub is
no frame. No port, no clock.
"""

import hashlib
import json
from array import array

import rings

PROTOCOL = 3
LONGEST = 200  # bytes of a line, `~` and newline included
HIGHEST = 1073741823  # of a number: the largest small integer of MicroPython


def _crc_table():
    table = array("H")
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
        table.append(crc)
    return table


_TABLE = _crc_table()


def checksum(payload):
    """Return the CRC-16/CCITT-FALSE: 0x29B1 for 123456789."""
    crc = 0xFFFF
    table = _TABLE
    for byte in payload:
        crc = (crc << 8 & 0xFFFF) ^ table[crc >> 8 ^ byte]
    return crc


def commitment(box, round, index, nonce):
    """Return what the box says when it locks: the first 16 bytes of SHA-256 over id, round, value and nonce."""
    digest = hashlib.sha256(("%s|%d|%d|%s" % (box, round, index, nonce)).encode()).digest()
    return "".join("%02x" % byte for byte in digest[:16])


def mark(commitment):
    """Return the part of a commitment that tells it apart in a reveal: its first 8 bytes, in hex."""
    return commitment[:16]


def check(marks):
    """Return what people compare to see that boxes were opened together: 12 hex digits of SHA-256 over all marks."""
    digest = hashlib.sha256(",".join(marks).encode()).digest()
    return " ".join("%02x%02x" % (digest[place], digest[place + 1]) for place in (0, 2, 4))


def encode(frame):
    """Return one line of a numbered frame."""
    payload = json.dumps(frame, separators=(",", ":")).encode()
    return b"~%s*%04X\n" % (payload, checksum(payload))


# --- what the hub may say --------------------------------------------------------------------------


def _number(value):
    return type(value) is int and 0 <= value <= HIGHEST


def _round(value):
    return _number(value) and value > 0


def _lamps(value):
    return _number(value) and value <= 16


def _colour(value):
    return type(value) is str and len(value) == 6 and all(digit in "0123456789abcdef" for digit in value)


def _text(value):
    return type(value) is str and len(value) <= 40


def _name(value):
    return _text(value) and all(" " <= letter <= "~" for letter in value)


def _names(value):
    return type(value) is list and value != [] and all(_name(one) for one in value)


def _pattern(value):
    return type(value) is str and value in rings.PATTERNS


def _sealed(value):
    return value == "sealed"


def _sound(value):
    return value in ("lock", "error", "reveal")


def _mark(value):
    return type(value) is str and len(value) == 16 and all(digit in "0123456789abcdef" for digit in value)


def _marks(value):
    return type(value) is list and 1 <= len(value) <= 6 and all(_mark(one) for one in value)


def _dice(value):
    return _number(value) and 1 <= value <= 20


def _sides(value):
    return _number(value) and 2 <= value <= 100


def _flag(value):
    return _number(value) and value <= 1


_FROM_HUB = {
    "who": {},
    "ack": {"re": _number},
    "open": {"r": _round, "lo": _number, "hi": _number, "at": _number, "kind": _sealed},
    "name": {"r": _number, "i": _number, "x": _names},
    "reveal": {"r": _number, "c": _marks},
    "cancel": {"r": _number},
    "ring": {"p": _pattern, "n": _lamps, "c": _colour},
    "say": {"x": _text},
    "buzz": {"k": _sound},
    "boot": {},
    "arm": {"a": _number, "n": _dice, "f": _sides, "l": _flag},
    "disarm": {},
}


def decode(line):
    """Return the frame of one line without its newline, or None if it is garbled, torn or none of the hub's."""
    if len(line) >= LONGEST or len(line) < 6 or line[0] != 0x7E or line[-5] != 0x2A:
        return None
    payload = line[1:-5]
    try:
        if int(line[-4:], 16) != checksum(payload):
            return None
        frame = json.loads(payload)
    except ValueError:
        return None
    return frame if type(frame) is dict and _known(frame) else None


def _known(frame):
    fields = _FROM_HUB.get(frame.get("t")) if type(frame.get("t")) is str else None
    if fields is None or len(frame) != len(fields) + 2 or not _number(frame.get("s")):
        return False
    return all(name in frame and right(frame[name]) for name, right in fields.items())


class FrameReader:
    """Bytes in, frames out, whatever the cuts between the bytes. Keeps one line at most."""

    def __init__(self):
        self._line = bytearray()
        self._skipping = False  # inside a line that is too long already

    def feed(self, data):
        """Return the frames that these bytes complete, in order; None stands for a garbled one. Chatter is left out."""
        heard = []
        for byte in data:
            if byte == 0x0A:
                self._end(heard)
            elif not self._skipping:
                self._line.append(byte)
                if len(self._line) > LONGEST:
                    self._end(heard)
                    self._skipping = True
        return heard

    def _end(self, heard):
        line = bytes(self._line).rstrip(b"\r")
        if line[:1] == b"~" and not self._skipping:
            heard.append(decode(line))
        self._line = bytearray()
        self._skipping = False
