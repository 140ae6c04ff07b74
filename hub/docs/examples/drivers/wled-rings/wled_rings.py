"""Rings of lamps on a WLED controller in the network: each seat has a section of its strip.

Frames go over UDP in WLED's realtime protocol DRGB (https://kno.wled.ge/interfaces/udp-realtime/). UDP has no answer, so the
picture is sent again every second: a controller that was switched off and on shows it at once. Without frames, WLED returns to its
own effect after `TIMEOUT`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Protocol

import msgspec

from drivers.common import settings as block
from drivers.common.ring_animation import RingAnimation
from drivers.common.worker import Inbox, ThreadedDevice
from hub.display.rings import Colour
from hub.engine.text import say
from hub.errors import Cause, ConfigError, DeviceLost
from hub.ports import Clock, DriverContext, LampPicture, MonotonicClock

API = 1

DRGB = 2
TIMEOUT = 5  # seconds without a frame until WLED goes back to its own effect
AGAIN = 1.0  # seconds until an unchanged picture is sent again
FASTEST = 1 / 40  # seconds between two frames at least
MOST_LEDS = 490  # of one DRGB packet
QUIET = 4.0  # seconds without a refusal until the controller counts as back

_OFF = LampPicture("off")


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "wled_rings"`."""

    address: Annotated[
        str,
        msgspec.Meta(
            pattern=r"^[A-Za-z0-9.:_-]{1,253}$",
            description="the controller's address or name in the network",
            extra={"allowed": 'an address or a name such as "192.168.1.40" or "wled.local", in quotes'},
        ),
    ] = "wled.local"
    port: Annotated[int, msgspec.Meta(ge=1, le=65535, description="its UDP port for realtime data")] = 21324
    leds: Annotated[
        int, msgspec.Meta(ge=1, le=245, description="lamps in each seat's section", extra={"unit": "lamps"})
    ] = 16
    seats: Annotated[
        list[int],
        msgspec.Meta(min_length=1, max_length=6, description="seats, in the order in which the strip passes them"),
    ] = msgspec.field(default_factory=lambda: [1, 2, 3, 4])
    brightness: Annotated[
        int, msgspec.Meta(ge=1, le=100, description="brightness of a lamp that is fully on", extra={"unit": "%"})
    ] = 60
    reverse: Annotated[bool, msgspec.Meta(description="the strip runs counterclockwise round the table")] = False


# --- lamps to bytes ---


def section(ring: Sequence[Colour], leds: int, *, counted: bool = False) -> list[Colour]:
    """Return the lamps of a ring on a section of another length: of several lamps the brightest, or each several times.

    `counted`: people count the lamps that are lit, so these stay as many as they are.
    """
    if counted:
        return [*ring[:leds], *[(0, 0, 0)] * (leds - len(ring))]
    if leds >= len(ring):
        return [ring[place * len(ring) // leds] for place in range(leds)]
    lamps: list[Colour] = []
    for place in range(leds):
        part = ring[place * len(ring) // leds : (place + 1) * len(ring) // leds]
        red, green, blue = (max(lamp[index] for lamp in part) for index in range(3))
        lamps.append((red, green, blue))
    return lamps


def packet(lamps: Sequence[Colour], brightness: int) -> bytes:
    """Return the DRGB packet of all lamps."""
    return bytes((DRGB, TIMEOUT)) + bytes(value * brightness // 100 for lamp in lamps for value in lamp)


# --- the device ---


class Line(Protocol):
    """A connected UDP socket."""

    def send(self, data: bytes, /) -> int:
        """Send a packet; raise OSError."""

    def close(self) -> None:
        """Close it."""


def open_line(address: str, port: int) -> Line:
    """Open a socket that never waits. Raise OSError."""
    family, kind, protocol, _, where = socket.getaddrinfo(address, port, type=socket.SOCK_DGRAM)[0]
    line = socket.socket(family, kind, protocol)
    try:
        line.setblocking(False)
        line.connect(where)
    except OSError:
        line.close()
        raise
    return line


class WledRings(ThreadedDevice):
    """The `Lamps` port on a WLED controller."""

    page = boxes = dice = None

    def __init__(
        self, asked: Settings, inbox: Inbox, clock: Clock, open_line: Callable[[str, int], Line] = open_line
    ) -> None:
        super().__init__(f"wled_rings {asked.address}", inbox, clock)
        self._asked = asked
        self._open_line = open_line
        self._line: Line | None = None
        self._rings = {seat: RingAnimation() for seat in asked.seats}
        self._counted = dict.fromkeys(asked.seats, False)
        self._sent = b""
        self._sent_at = self._again_at = 0.0
        self._refused_at: float | None = None
        self._refusal = ""

    @property
    def lamps(self) -> WledRings:
        """The device implements its port itself."""
        return self

    @property
    def problem(self) -> str:
        """Why frames do not arrive, as far as the network says; "" if it does not say."""
        return self._refusal

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        """Show the newest picture of every seat; a seat without one is dark."""
        self._thread.call_soon(partial(self._show, rings))

    def _show(self, rings: Mapping[int, LampPicture]) -> None:
        for seat, ring in self._rings.items():
            picture = rings.get(seat, _OFF)
            ring.show(picture)
            self._counted[seat] = picture.pattern == "number"

    # --- the thread's work ---

    def acquire(self) -> None:
        """Find the address and open the socket."""
        try:
            self._line = self._open_line(self._asked.address, self._asked.port)
        except (OSError, UnicodeError) as error:  # a name such as "wled..local" is none
            sentence = say(
                "The WLED controller {address} is not found in the network ({reason}).",
                address=self._asked.address,
                reason=getattr(error, "strerror", "") or str(error),
            )
            raise DeviceLost(sentence, Cause.of(error)) from error
        self._sent = b""

    def step(self, now: float) -> float:
        """Send the present frame if it has changed, or after AGAIN seconds."""
        assert self._line is not None
        frame = packet(self._frame(now), self._asked.brightness)
        due = now >= self._again_at or (frame != self._sent and now - self._sent_at >= FASTEST)
        if due:
            self._send(frame, now)
        if self._refused_at is not None and now - self._refused_at >= QUIET:
            self._refused_at, self._refusal = None, ""
        moving = [at for ring in self._rings.values() if (at := ring.next_change_at(now)) is not None]
        pending = [self._sent_at + FASTEST] if frame != self._sent else []
        return min([self._again_at, *moving, *pending])

    def _send(self, frame: bytes, now: float) -> None:
        assert self._line is not None
        try:
            self._line.send(frame)
        except BlockingIOError:
            pass  # the socket is full: the next frame is newer anyway
        except OSError as error:  # the answer to an earlier frame: nobody there. The next frame is sent all the same
            self._refused_at = now
            self._refusal = say(
                "The WLED controller {address} does not answer ({reason}).",
                address=self._asked.address,
                reason=error.strerror or str(error),
            )
        self._sent, self._sent_at, self._again_at = frame, now, now + AGAIN

    def release(self) -> None:
        """Switch the lamps off, and close the socket."""
        line, self._line = self._line, None
        if line is None:
            return
        try:
            line.send(packet([(0, 0, 0)] * (len(self._asked.seats) * self._asked.leds), 100))
        except OSError:
            pass  # it is switched off
        finally:
            line.close()

    def _frame(self, now: float) -> list[Colour]:
        strip: list[Colour] = []
        for seat, ring in self._rings.items():
            lamps = section(ring.lamps(now), self._asked.leds, counted=self._counted[seat])
            strip += reversed(lamps) if self._asked.reverse else lamps
        return strip


def connect(settings: Mapping[str, object], context: DriverContext) -> WledRings:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    asked = block.read(Settings, settings, "wled_rings")
    for seat in asked.seats:
        if not 1 <= seat <= 6:
            raise ConfigError(f"wled_rings: there is no seat {seat}: seats are 1 to 6.")
        if asked.seats.count(seat) > 1:
            raise ConfigError(f"wled_rings: seat {seat} has two sections of the strip: name each seat once.")
    count = len(asked.seats) * asked.leds
    if count > MOST_LEDS:
        raise ConfigError(f"wled_rings: {count} lamps do not fit into a frame of WLED: at most {MOST_LEDS}.")
    return WledRings(asked, context.inbox, MonotonicClock())
