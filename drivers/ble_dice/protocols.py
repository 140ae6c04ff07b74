"""The radio messages of dice: the bytes of Pixels (current and legacy) and GoDice, and their meaning.

Pixels: messages of `pixels-js` (September 2025), little endian, the first byte is the type. GoDice: the maker's
JavaScript interface. Bytes only: no radio, thread or clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Move = Literal["rolling", "rolled", "leaning", "handled"]
"""`rolled` is a throw at rest. A die that was laid down or pushed is `handled`; that is not a throw."""


@dataclass(frozen=True)
class Moved:
    """A die moved or came to rest; `face` is its number if it lies flat."""

    move: Move
    face: int | None = None


@dataclass(frozen=True)
class Battery:
    """The battery level in percent."""

    percent: int
    charging: bool | None = None


@dataclass(frozen=True)
class Identified:
    """The number of sides of a die."""

    sides: int


DieMessage = Moved | Battery | Identified


class DieProtocol(Protocol):
    """The protocol of one make of dice, with one object per die, because it keeps the state of the die."""

    service: str
    notify: str
    write: str

    def hello(self) -> Sequence[bytes]:
        """Return the queries after connecting: identity, state, battery."""

    def blink(self) -> bytes:
        """Return the command to light up green, so that people see which die this is."""

    def parse(self, data: bytes) -> list[DieMessage]:
        """Return the messages in a notification; none if it is unknown."""


# --- Pixels ------------------------------------------------------------------------------------------

_SIDES = {1: 4, 2: 6, 3: 8, 4: 10, 5: 10, 6: 12, 7: 20, 8: 6}
"""Sides by die type; 5 counts tens, 8 is a six-sided die with pips."""
_BY_LIGHTS = {4: 1, 6: 2, 8: 3, 10: 4, 12: 6, 20: 7, 21: 8}
"""Die types by the number of lights, for firmware of 2023 and earlier that does not tell the type (pixels-js, `estimateDieType`)."""

_OLD_NORMALS = 1_704_150_000  # firmware built until 1 January 2024 has the wrong normals for d6
_OLD_SIX = {0: 1, 4: 2, 3: 3, 2: 4, 1: 5, 5: 6}

_WHO, _I_AM, _ROLL, _ASK_ROLL, _BLINK, _ASK_BATTERY, _BATTERY = 1, 2, 3, 23, 29, 33, 34
_ROLLED, _HANDLING, _ROLLING, _CROOKED, _ON_FACE = 1, 2, 3, 4, 5
_NEW_FORM = 15  # the size of the first chunk of a new firmware's answer; no Pixels die has so many lights


class Pixels:
    """A Pixels die. `legacy` dice, the majority in use, have the ids of the Nordic UART."""

    def __init__(self, *, legacy: bool) -> None:
        base = "6e40000{}-b5a3-f393-e0a9-e50e24dcca9e" if legacy else "a6b9000{}-7a5a-43f2-a962-350c8edc9b5b"
        self.service = base.format(1)
        self.notify = base.format(1) if legacy else base.format(2)
        self.write = base.format(2) if legacy else base.format(3)
        self._type = 2
        self._built = _OLD_NORMALS + 1
        self._rolling = False

    def hello(self) -> Sequence[bytes]:
        """Return the queries: identity, state, battery."""
        return bytes([_WHO]), bytes([_ASK_ROLL]), bytes([_ASK_BATTERY])

    def blink(self) -> bytes:
        """Return the command for one second of green on all faces: count, duration, colour, faces, fade, loop."""
        return (
            bytes([_BLINK, 1]) + (1000).to_bytes(2, "little") + bytes([0, 255, 0, 0]) + bytes([255] * 4) + bytes([0, 0])
        )

    def parse(self, data: bytes) -> list[DieMessage]:
        """Return a roll, a battery level, or the identity of the die."""
        kind = data[0] if data else 0
        if kind == _ROLL and len(data) >= 3:
            return self._moved(data[1], data[2])
        if kind == _BATTERY and len(data) >= 3:
            return [Battery(data[1], data[2] in (2, 3))]
        return self._identity(data) if kind == _I_AM else []

    def _moved(self, state: int, index: int) -> list[DieMessage]:
        if state == _ROLLING:
            self._rolling = True
            return [Moved("rolling")]
        if state == _CROOKED:
            return [Moved("leaning")]
        if state == _ROLLED:
            thrown, self._rolling = self._rolling, False
            return [Moved("rolled" if thrown else "handled", self._face(index))]
        if state == _ON_FACE:
            self._rolling = False
            return [Moved("handled", self._face(index))]
        return [Moved("handled")] if state == _HANDLING else []

    def _face(self, index: int) -> int:
        """Return the number of a face index (d6 of old firmware: another order; d10 counts from 0, d00 in tens)."""
        if self._type in (2, 8) and self._built <= _OLD_NORMALS:
            return _OLD_SIX.get(index, index + 1)
        return {4: index, 5: index * 10}.get(self._type, index + 1)

    def _identity(self, data: bytes) -> list[DieMessage]:
        if data[1:2] == bytes([_NEW_FORM]):
            return self._identity_in_chunks(data)
        if len(data) < 18 or not any(data[8:12]):  # a die's serial number is never 0
            return []
        # The legacy form; without a longer MTU its end is cut off.
        self._type, self._built = data[3] or _BY_LIGHTS.get(data[1], 0), int.from_bytes(data[14:18], "little")
        messages: list[DieMessage] = [Identified(_SIDES.get(self._type, 0))]
        return [*messages, Battery(data[20], len(data) > 21 and data[21] in (2, 3))] if len(data) >= 21 else messages

    def _identity_in_chunks(self, data: bytes) -> list[DieMessage]:
        """Read the chunks version, die, design, name, settings, status: each begins with its own size."""
        chunks, at = [], 1
        while at < len(data) and data[at] > 0:
            chunks.append(data[at : at + data[at]])
            at += data[at]
        if len(chunks[0]) >= 7:
            self._built = int.from_bytes(chunks[0][3:7], "little")
        messages: list[DieMessage] = []
        if len(chunks) > 1 and len(chunks[1]) >= 7 and any(chunks[1][1:5]):
            self._type = chunks[1][6]
            messages.append(Identified(_SIDES.get(self._type, 0)))
        if len(chunks) > 5 and len(chunks[5]) >= 3:
            messages.append(Battery(chunks[5][1], chunks[5][2] in (2, 3)))
        return messages


# --- GoDice ------------------------------------------------------------------------------------------

_GRAVITY = {1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0)}
"""Where gravity points in a six-sided GoDice that shows a number."""


class GoDice:
    """A six-sided GoDice."""

    service = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    write = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
    notify = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"

    def hello(self) -> Sequence[bytes]:
        """Return the query for its battery; its state cannot be queried."""
        return (bytes([3]),)

    def blink(self) -> bytes:
        """Return the command for three green pulses of 0.3 s: count, on, off (10 ms), colour."""
        return bytes([16, 3, 30, 20, 0, 255, 0, 1, 0])

    def parse(self, data: bytes) -> list[DieMessage]:
        """Return a roll or a battery. Only `S` is a throw at rest: fake, moved and tilted ones are not."""
        if data[:3] == b"Bat" and len(data) >= 4:
            return [Battery(data[3])]
        if data[:1] == b"R":
            return [Moved("rolling")]
        if data[:1] == b"S" and len(data) >= 4:
            return [Moved("rolled", _face_up(data[1:4]))]
        if data[:2] == b"TS":
            return [Moved("leaning")]
        if data[:2] in (b"FS", b"MS") and len(data) >= 5:
            return [Moved("handled", _face_up(data[2:5]))]
        return []


def _face_up(vector: bytes) -> int:
    """Return the number whose direction is nearest to the measured one (three signed bytes)."""
    x, y, z = (value - 256 if value > 127 else value for value in vector)
    return min(_GRAVITY, key=lambda face: sum((a - b) ** 2 for a, b in zip(_GRAVITY[face], (x, y, z), strict=True)))


_GODICE = "GoDice_"  # how the names of all GoDice begin (their maker's JavaScript interface, `requestDevice`)


def is_certain(name: str, manufacturer: Mapping[int, bytes], service: Mapping[str, bytes]) -> bool:
    """Return whether an advertisement is a die's: a GoDice's name, or the data of Pixels firmware since July 2022.

    Pixels: five bytes by the maker's number (lights, design and type, state of the roll, face, battery) and eight by
    the service's (the die's number, the firmware's date): pixels-js, getScannedPixel.ts; DiceFirmware,
    bluetooth_custom_advertising_data.cpp. Any other device may still be a die, and must identify itself.
    """
    if name.startswith(_GODICE):
        return True
    numbered = any(len(data) >= 8 and any(data[:4]) for data in service.values())
    rolls = any(len(data) == 5 and data[2] <= _ON_FACE for data in manufacturer.values())
    return numbered and rolls


def protocol_of(name: str, services: Sequence[str]) -> DieProtocol | None:
    """Return the protocol of an advertised device, by its name and services; None if it cannot be a die.

    Legacy Pixels and GoDice advertise a Nordic UART, and so do scooters, watches and micro:bits.
    """
    uuids = [service.lower() for service in services]
    if name.startswith(_GODICE):
        return GoDice()
    if Pixels(legacy=False).service in uuids:
        return Pixels(legacy=False)
    if Pixels(legacy=True).service in uuids:
        return Pixels(legacy=True)
    return None
