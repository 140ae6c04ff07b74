"""Motion JPEG: a stream of pictures without sizes between them.

A picture is read by its markers (ITU-T T.81, annex B), because its last two bytes may also occur inside a table or a
thumbnail. Bytes only: no process, thread or clock.
"""

from __future__ import annotations

from enum import Enum, auto

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})  # markers without a length: TEM, and RST0 to RST7 inside a scan
_MAY_HOLD_ANOTHER = frozenset(range(0xE1, 0xF0))  # APP1 to APP15: a thumbnail
_BEGIN = b"\xff\xd8\xff"  # the start of a picture, and of the marker that follows it
MOST = 8 * 1024 * 1024  # bytes of one picture


class _Part(Enum):
    """The next part of the picture that is being read."""

    MARKER = auto()
    SCAN = auto()  # compressed data, in which a byte 255 is followed by 0 or by the number of a restart


class JpegSplitter:
    """Splits a stream into whole pictures. Incomplete pictures and other bytes are dropped."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._at = 0  # position of the next byte to read
        self._part = _Part.MARKER
        self._inside = False  # a picture begins at the first byte of `_data`

    def feed(self, data: bytes) -> list[bytes]:
        """Add bytes; return the pictures that are complete, the oldest first."""
        self._data += data
        whole = []
        while self._inside or self._find_start():
            end = self._read_on()
            if end is None:
                break
            if end:
                whole.append(bytes(self._data[:end]))
                self._restart(end)
        if len(self._data) > MOST:
            self._restart(len(self._data))
        return whole

    def _restart(self, at: int) -> None:
        """Drop everything before `at`, and search for the start of a picture there."""
        del self._data[:at]
        self._at, self._inside = 0, False

    def _give_up(self) -> None:
        """Drop the present picture; the next one may start within it."""
        self._restart(2)

    def _find_start(self) -> bool:
        found = self._data.find(_BEGIN)
        if found < 0:
            self._restart(max(0, len(self._data) - 2))  # a start may be cut after its first two bytes
            return False
        self._restart(found)
        self._at, self._part, self._inside = 2, _Part.MARKER, True
        return True

    def _read_on(self) -> int | None:
        """Continue the picture. Return its end, 0 if it was dropped, or None if more bytes are needed."""
        while True:
            if self._part is _Part.SCAN:
                found = self._data.find(b"\xff", self._at)
                self._at = len(self._data) if found < 0 else found
            if self._at + 2 > len(self._data):
                return None
            if self._data[self._at] != 0xFF:
                self._give_up()
                return 0
            marker = self._data[self._at + 1]
            if marker == 0xFF:  # any number of these may stand before a marker
                self._at += 1
            elif marker == _END:
                return self._at + 2
            elif marker in _ALONE or (marker == 0 and self._part is _Part.SCAN):
                self._at += 2
            elif marker in (0, _START):  # another picture began before this one ended
                self._restart(self._at)
                return 0
            else:
                if self._at + 4 > len(self._data):
                    return None
                length = int.from_bytes(self._data[self._at + 2 : self._at + 4], "big")
                end = self._at + 2 + length
                if end + 2 > len(self._data):
                    return None
                if marker not in _MAY_HOLD_ANOTHER and (begun := self._data.find(_BEGIN, self._at, end + 2)) >= 0:
                    self._restart(begun)
                    return 0
                self._at = end
                self._part = _Part.SCAN if marker == _SCAN else _Part.MARKER
