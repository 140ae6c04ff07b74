"""A strip of colored lamps on the Pi's SPI bus: APA102 or SK9822, or WS2812. One strip is the rings of several seats.

The strip runs from seat to seat, 16 lamps each. APA102 and SK9822 have a clock wire and are the safer choice. WS2812 reads
the length of pulses, which the bus sends as three bits for one. Neither chip answers, so an unplugged strip is not noticed;
the picture is sent again every second for a strip that was plugged in again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Literal, NamedTuple

import msgspec

from drivers.common import gpio_header
from drivers.common import settings as block
from drivers.common.gpio_header import GPIO, Bus, OpenBus, Spi, Wire, open_spi
from drivers.common.requirements import Need
from drivers.common.ring_animation import RingAnimation
from drivers.common.worker import Inbox, ThreadedDevice
from hub.display.rings import LAMPS, Colour
from hub.errors import ConfigError, DeviceLost
from hub.ports import Clock, DriverContext, LampPicture, MonotonicClock

AGAIN = 1.0  # seconds until an unchanged picture is sent again
LIT_MILLIAMPS = 60.0  # one lamp, all three colours at full (WS2812B and APA102 data sheets: 20 mA per color)
IDLE_MILLIAMPS = 1.0  # one lamp that is dark
# spidev sends 4096 bytes at once (its `bufsiz`), and a WS2812 ends the frame at the pause after them. Six rings with gaps
# of this length fit.
WIDEST_GAP = 60

Chip = Literal["apa102", "ws2812"]

_OFF = LampPicture("off")
_DARK: Colour = (0, 0, 0)


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "led_strip"`."""

    chip: Annotated[Chip, msgspec.Meta(description="the lamps' chip; apa102 also for SK9822")] = "apa102"
    spi: Annotated[str, msgspec.Meta(description="the bus and its select: 0.0 is /dev/spidev0.0")] = "0.0"
    select: Annotated[
        int | None, msgspec.Meta(description="the select pin of the bus, if config.txt moved it", extra=GPIO)
    ] = None
    seats: Annotated[
        list[int],
        msgspec.Meta(min_length=1, max_length=6, description="seats, in the order in which the strip passes them"),
    ] = msgspec.field(default_factory=lambda: [1, 2, 3, 4])
    first: Annotated[
        int, msgspec.Meta(ge=0, lt=LAMPS, description="the lamp of a ring at the player's side, from 0")
    ] = 0
    clockwise: Annotated[bool, msgspec.Meta(description="the strip runs clockwise round a ring, seen from above")] = (
        True
    )
    gap: Annotated[
        int, msgspec.Meta(ge=0, le=WIDEST_GAP, description="dark lamps between two rings", extra={"unit": "lamps"})
    ] = 0
    brightness: Annotated[
        int, msgspec.Meta(ge=1, le=100, description="brightness of a lamp that is fully on", extra={"unit": "%"})
    ] = 40
    milliamps: Annotated[
        int,
        msgspec.Meta(ge=100, le=20000, description="what the strip's 5 V supply can give", extra={"unit": "mA"}),
    ] = 1500

    def place(self) -> Spi:
        """Return its place on the bus. Raise ConfigError."""
        return gpio_header.spi(self.spi, "led_strip", self.select)

    @property
    def count(self) -> int:
        """The number of lamps on the strip."""
        return len(self.seats) * LAMPS + (len(self.seats) - 1) * self.gap


# --- lamps to bytes ----------------------------------------------------------------------------------------


SILENCE = bytes(90)  # on the wire of a WS2812: 300 us of low
_THREE_FOR_ONE = tuple(
    int("".join("110" if byte >> bit & 1 else "100" for bit in range(7, -1, -1)), 2).to_bytes(3) for byte in range(256)
)


def apa102(lamps: Sequence[Colour]) -> bytes:
    """Encode for APA102 and SK9822: start, then one word per lamp (three ones, 5 bits of brightness, blue, green, red).

    An SK9822 shows a frame at the next start word, so one follows at once. Zeros then clock it to the last lamp, half a
    bit per lamp; ones would be white lamps.
    """
    words = b"".join(bytes((0xFF, blue, green, red)) for red, green, blue in lamps)
    return bytes(4) + words + bytes(4) + bytes((len(lamps) + 15) // 16)


def ws2812(lamps: Sequence[Colour]) -> bytes:
    """Encode for WS2812B: green, red, blue. A 1 is high for two thirds of 1.25 us, a 0 for one third. 300 us of low end a frame.

    The same silence precedes the frame, so that earlier levels of the wire are not part of it.
    """
    pulses = _THREE_FOR_ONE
    bits = b"".join(pulses[green] + pulses[red] + pulses[blue] for red, green, blue in lamps)
    return SILENCE + bits + SILENCE


class Coding(NamedTuple):
    """The bus speed of a chip, and the function that encodes one frame."""

    hertz: int
    code: Callable[[Sequence[Colour]], bytes]


CODINGS: Mapping[Chip, Coding] = {"apa102": Coding(4_000_000, apa102), "ws2812": Coding(2_400_000, ws2812)}


def milliamps(lamps: Sequence[Colour]) -> float:
    """Return the supply current of a frame in milliamps, according to the data sheets."""
    return LIT_MILLIAMPS * sum(map(sum, lamps)) / (3 * 255) + IDLE_MILLIAMPS * len(lamps)


def dimmed(lamps: Sequence[Colour], brightness: int, budget: float) -> list[Colour]:
    """Return the frame at `brightness` percent, or darker if it would draw more than `budget` milliamps."""
    scale = brightness / 100
    lit = scale * (milliamps(lamps) - IDLE_MILLIAMPS * len(lamps))
    room = max(0.0, budget - IDLE_MILLIAMPS * len(lamps))
    if lit > room:
        scale *= room / lit
    return [(int(red * scale), int(green * scale), int(blue * scale)) for red, green, blue in lamps]


def laid_out(rings: Sequence[Sequence[Colour]], asked: Settings) -> list[Colour]:
    """Return the lamps of the strip in order. Each ring starts at the player's side and runs clockwise."""
    step = 1 if asked.clockwise else -1
    strip: list[Colour] = []
    for ring in rings:
        if strip:
            strip += [_DARK] * asked.gap
        strip += [ring[(place - asked.first) * step % LAMPS] for place in range(LAMPS)]
    return strip


# --- the device --------------------------------------------------------------------------------------------


class LedStrip(ThreadedDevice):
    """The `Lamps` port on a strip, and the device of a `[[device]]` block."""

    page = boxes = dice = None

    def __init__(self, asked: Settings, inbox: Inbox, clock: Clock, open_bus: OpenBus = open_spi) -> None:
        super().__init__(f"led_strip {asked.spi}", inbox, clock)
        self._asked = asked
        self._place = asked.place()
        self._coding = CODINGS[asked.chip]
        self._open_bus = open_bus
        self._bus: Bus | None = None
        self._rings = {seat: RingAnimation() for seat in asked.seats}
        self._sent = b""
        self._again_at = 0.0

    @property
    def lamps(self) -> LedStrip:
        """The device implements its port itself."""
        return self

    def show(self, rings: Mapping[int, LampPicture]) -> None:
        """Show the newest picture of every seat; a seat without one is dark."""
        self._thread.call_soon(partial(self._show, rings))

    def _show(self, rings: Mapping[int, LampPicture]) -> None:
        for seat, ring in self._rings.items():
            ring.show(rings.get(seat, _OFF))

    # --- the thread's work ---

    def acquire(self) -> None:
        """Open the bus."""
        self._bus = self._open_bus(self._place, self._coding.hertz)
        self._sent = b""

    def step(self, now: float) -> float:
        """Send the present frame if it has changed, or after AGAIN seconds."""
        assert self._bus is not None
        frame = self._coding.code(self._frame(now))
        if frame != self._sent or now >= self._again_at:
            self._bus.write(frame)
            self._sent, self._again_at = frame, now + AGAIN
        moving = [at for ring in self._rings.values() if (at := ring.next_change_at(now)) is not None]
        return min([self._again_at, *moving])

    def release(self) -> None:
        """Switch all lamps off, if the bus still works, and close it."""
        bus, self._bus = self._bus, None
        if bus is None:
            return
        try:
            bus.write(self._coding.code([_DARK] * self._asked.count))
        except DeviceLost:
            pass  # the bus has failed, which is why it is closed
        finally:
            bus.close()

    def _frame(self, now: float) -> list[Colour]:
        rings = [ring.lamps(now) for ring in self._rings.values()]
        return dimmed(laid_out(rings, self._asked), self._asked.brightness, self._asked.milliamps)


def wiring(settings: Mapping[str, object]) -> list[Wire]:
    """Return the wires of a `[[device]]` block. A strip has no select, so no other device may use its bus."""
    asked = block.read(Settings, settings, "led_strip")
    place = asked.place()
    return [
        place.data("DI, through a level shifter to 5 V", shared=False),
        place.clock("CI", shared=False, idle=asked.chip == "ws2812"),
        *place.selects(None),
        Wire("GND", "GND, joined with the GND of its 5 V supply", shared=True),
    ]


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block."""
    return gpio_header.needs_of_spi(block.read(Settings, settings, "led_strip").place())


def connect(settings: Mapping[str, object], context: DriverContext) -> LedStrip:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    asked = block.read(Settings, settings, "led_strip")
    gpio_header.check_pins("led_strip", wiring(settings))
    for seat in asked.seats:
        if asked.seats.count(seat) > 1:
            raise ConfigError(f"led_strip: seat {seat} has two rings on the strip: name each seat once.")
    if asked.milliamps <= IDLE_MILLIAMPS * asked.count:
        raise ConfigError(f"led_strip: {asked.count} lamps draw {asked.milliamps} milliamps while dark: allow more.")
    return LedStrip(asked, context.inbox, MonotonicClock())
