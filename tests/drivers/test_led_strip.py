"""A strip of lamps: the very bytes on the bus, the current it may draw, and how calm it is."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import led_strip
from drivers.common import gpio_header
from drivers.common.gpio_header import Bus, Spi
from drivers.led_strip import (
    AGAIN,
    CODINGS,
    SILENCE,
    WIDEST_GAP,
    LedStrip,
    Settings,
    apa102,
    dimmed,
    laid_out,
    milliamps,
    ws2812,
)
from hub.display.rings import LAMPS, Colour, frame
from hub.errors import ConfigError, DeviceLost
from hub.ports import DeviceDown, DeviceUp, LampPicture, Pattern
from tests.drivers.bench import Inbox, StillClock
from tests.drivers.contexts import context
from tests.patience import PATIENCE


class CapturedBus:
    """An SPI bus that keeps what was sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.place: tuple[Spi, int] | None = None
        self.closed = False
        self.unplugged = False
        self._came = threading.Condition()

    def open(self, place: Spi, hertz: int) -> Bus:
        if self.unplugged:
            raise DeviceLost("There is no bus.")
        self.place, self.closed = (place, hertz), False
        return self

    def write(self, data: bytes) -> None:
        if self.unplugged:
            raise DeviceLost("The bus is gone.")
        with self._came:
            self.sent.append(data)
            self._came.notify_all()

    def close(self) -> None:
        self.closed = True

    def wait(self, right: Callable[[bytes], bool]) -> bytes:
        """Wait until the newest frame is right."""
        with self._came:
            assert self._came.wait_for(lambda: bool(self.sent) and right(self.sent[-1]), PATIENCE), self.sent[-1:]
            return self.sent[-1]


class Strip:
    """A strip of WS2812 or APA102 on a captured bus and a still clock."""

    def __init__(self, **settings: object) -> None:
        self.asked = Settings(**{"brightness": 100, "milliamps": 20000, **settings})  # type: ignore[arg-type]
        self.clock, self.inbox, self.bus = StillClock(), Inbox(), CapturedBus()
        self.device = LedStrip(self.asked, self.inbox, self.clock, self.bus.open)
        self.clock.wakes.append(self.device.wake)

    def lamps(self, data: bytes) -> list[Colour]:
        return decoded_apa102(data) if self.asked.chip == "apa102" else decoded_ws2812(data)

    def see(self, *lamps: Colour) -> None:
        """Wait until the strip's lamps are these."""
        self.bus.wait(lambda data: self.lamps(data) == list(lamps))


def decoded_apa102(data: bytes) -> list[Colour]:
    """What a chain of APA102 shows, read as its data sheet says."""
    assert data[:4] == bytes(4)
    lamps: list[Colour] = []
    at = 4
    while at < len(data) and data[at] & 0xE0 == 0xE0:
        assert data[at] == 0xFF
        lamps.append((data[at + 3], data[at + 2], data[at + 1]))
        at += 4
    assert data[at : at + 4] == bytes(4), "another start word, so that an SK9822 shows the frame at once"
    assert data[at + 4 :] == bytes(len(data) - at - 4), "ones would be white lamps"
    assert 8 * len(data[at + 4 :]) >= len(lamps) / 2, "half a clock for each lamp"
    return lamps


def decoded_ws2812(data: bytes) -> list[Colour]:
    """What WS2812 show, by the lengths of the pulses."""
    assert data.startswith(SILENCE)
    assert data.endswith(SILENCE)
    bits = "".join(f"{byte:08b}" for byte in data[len(SILENCE) : -len(SILENCE)])
    pulses = [bits[at : at + 3] for at in range(0, len(bits), 3)]
    assert set(pulses) <= {"110", "100"}
    code = "".join("1" if pulse == "110" else "0" for pulse in pulses)
    bytes_ = [int(code[at : at + 8], 2) for at in range(0, len(code), 8)]
    return [(bytes_[at + 1], bytes_[at], bytes_[at + 2]) for at in range(0, len(bytes_), 3)]


@pytest.fixture
def strips() -> Iterator[Callable[..., Strip]]:
    made: list[Strip] = []

    def start(**settings: object) -> Strip:
        made.append(Strip(**settings))
        made[-1].device.start()
        return made[-1]

    yield start
    for one in made:
        one.device.close()


Strips = Callable[..., Strip]


# --- bytes -------------------------------------------------------------------------------------------------


def test_the_bytes_of_an_apa102() -> None:
    assert apa102([(255, 0, 0), (0, 0, 7)]) == bytes.fromhex("00000000 ff0000ff ff070000 00000000 00")


def test_the_bytes_of_a_ws2812() -> None:
    coded = ws2812([(255, 0, 0), (0, 0, 1)])
    assert coded[90:-90].hex() == "924924db6db6924924924924924924924926"
    assert coded[:90] == coded[-90:] == bytes(90)


colours = st.tuples(*[st.integers(0, 255)] * 3)


@given(st.lists(colours, max_size=200))
def test_a_chip_reads_the_lamps_that_were_sent(lamps: list[Colour]) -> None:
    assert decoded_apa102(apa102(lamps)) == lamps
    assert decoded_ws2812(ws2812(lamps)) == lamps


def test_the_pulses_of_a_ws2812_have_the_lengths_of_its_data_sheet() -> None:
    third = 1e9 / CODINGS["ws2812"].hertz
    assert 250 <= third <= 550, "T0H 400 ns and T1L 450 ns, each 150 ns more or less"
    assert 650 <= 2 * third <= 950, "T1H 800 ns and T0L 850 ns"
    assert 8 * len(SILENCE) * third >= 280_000, "the reset of the newest kind"


def test_the_longest_strip_of_ws2812_is_sent_without_a_pause() -> None:
    asked = Settings(chip="ws2812", seats=[1, 2, 3, 4, 5, 6], gap=WIDEST_GAP)
    assert len(ws2812([(0, 0, 0)] * asked.count)) <= 4096


# --- current -----------------------------------------------------------------------------------------------


@given(st.lists(colours, min_size=1, max_size=120), st.integers(1, 100), st.integers(100, 8000))
def test_a_frame_never_draws_more_than_its_supply_gives(lamps: list[Colour], percent: int, budget: int) -> None:
    shown = dimmed(lamps, percent, max(budget, 130))
    assert milliamps(shown) <= max(budget, 130) + 1e-9
    for before, after in zip(lamps, shown, strict=True):
        assert all(one >= other for one, other in zip(before, after, strict=True))


def test_all_lamps_white_draw_sixty_milliamps_each_and_are_dimmed_as_a_whole() -> None:
    white: list[Colour] = [(255, 255, 255)] * 64
    assert milliamps(white) == 64 * 61
    assert set(dimmed(white, 100, 64 * 61)) == {(255, 255, 255)}
    half = dimmed(white, 100, 64 * 31)
    assert set(half) == {(127, 127, 127)}
    assert dimmed([(200, 100, 50)], 50, 1000) == [(100, 50, 25)]


# --- which lamp is where -----------------------------------------------------------------------------------


def test_a_strip_passes_the_seats_in_its_own_order_and_leaves_the_gaps_dark(strips: Strips) -> None:
    strip = strips(seats=[3, 1], gap=2)
    strip.device.show({1: LampPicture("locked", 0, "ff0000"), 3: LampPicture("out", 0, "00ff00")})
    out: list[Colour] = [(0, 76, 0), *[(0, 0, 0)] * 15]
    strip.see(*out, (0, 0, 0), (0, 0, 0), *[(255, 0, 0)] * LAMPS)


def test_a_ring_may_begin_anywhere_and_run_either_way() -> None:
    ring: list[Colour] = [(place, 0, 0) for place in range(LAMPS)]
    right = laid_out([ring], Settings(first=4))
    assert right[4] == (0, 0, 0)
    assert right[5] == (1, 0, 0)
    left = laid_out([ring], Settings(first=4, clockwise=False))
    assert left[4] == (0, 0, 0)
    assert left[3] == (1, 0, 0)
    assert sorted(left) == sorted(right) == ring


@pytest.mark.parametrize("chip", ["apa102", "ws2812"])
def test_every_pattern_leaves_as_the_lamps_that_are_drawn(strips: Strips, chip: str) -> None:
    strip = strips(chip=chip, seats=[2])
    for pattern in get_args(Pattern):
        strip.clock.advance(1.0)
        picture = LampPicture(pattern, 7, "f28c28")
        strip.device.show({2: picture})
        strip.see(*frame(picture, 0.0))
    assert strip.bus.place == (Spi(0, 0), 4_000_000 if chip == "apa102" else 2_400_000)


# --- time ----------------------------------------------------------------------------------------------------


def test_a_pattern_moves_by_the_drivers_own_clock(strips: Strips) -> None:
    strip = strips(seats=[1])
    picture = LampPicture("roll", 0, "2f7de1")
    strip.device.show({1: picture})
    strip.see(*frame(picture, 0.0))
    for step in range(1, 5):
        strip.clock.advance(0.25)
        strip.see(*frame(picture, 0.25 * step))


def test_the_same_picture_again_does_not_begin_anew(strips: Strips) -> None:
    strip = strips(seats=[1])
    picture = LampPicture("reveal", 0, "2f7de1")
    strip.device.show({1: picture})
    strip.see(*frame(picture, 0.0))
    strip.clock.advance(0.2)
    strip.device.show({1: picture})
    strip.see(*frame(picture, 0.2))


def test_of_pictures_in_quick_succession_the_newest_is_shown(strips: Strips) -> None:
    strip = strips(seats=[1])
    strip.device.show({1: LampPicture("locked", 0, "ff0000")})
    strip.see(*[(255, 0, 0)] * LAMPS)
    for colour in ("00ff00", "0000ff", "00ffff"):
        strip.device.show({1: LampPicture("locked", 0, colour)})
    strip.clock.advance(1 / 6)
    strip.see(*[(0, 255, 255)] * LAMPS)
    shown = {strip.lamps(data)[0] for data in strip.bus.sent}
    assert shown <= {(0, 0, 0), (255, 0, 0), (0, 255, 255)}


def test_however_fast_the_table_changes_its_mind_no_lamp_flashes_more_than_three_times_a_second() -> None:
    chance = random.Random(4)
    strip = Strip(seats=[1])
    strip.device.acquire()
    now, bright = 0.0, []
    for _ in range(1000):
        now += 0.01
        strip.device._show({1: LampPicture(chance.choice(("locked", "off")), 0, "ffffff")})
        strip.device.step(now)
        bright.append(strip.lamps(strip.bus.sent[-1])[0][0] > 127)
    rises = [at for at in range(1, len(bright)) if bright[at] and not bright[at - 1]]
    for began in range(0, len(bright) - 100, 10):
        assert sum(began <= rise < began + 100 for rise in rises) <= 3
    assert len(rises) > 10


def test_a_still_picture_is_told_again_each_second_so_that_a_strip_plugged_in_again_shows_it(strips: Strips) -> None:
    strip = strips(seats=[1])
    strip.device.show({1: LampPicture("waiting", 0, "ffffff")})
    strip.see(*[(64, 64, 64)] * LAMPS)
    before = len(strip.bus.sent)
    strip.clock.advance(AGAIN)
    strip.bus.wait(lambda _: len(strip.bus.sent) > before)
    strip.see(*[(64, 64, 64)] * LAMPS)


# --- lost and back -------------------------------------------------------------------------------------------


def test_a_bus_that_fails_is_opened_again_and_shows_what_is_newest(strips: Strips) -> None:
    strip = strips(seats=[1])
    strip.device.show({1: LampPicture("locked", 0, "ff0000")})
    strip.see(*[(255, 0, 0)] * LAMPS)
    strip.bus.unplugged = True
    strip.clock.advance(AGAIN)
    assert strip.inbox.next(DeviceDown) == DeviceDown("led_strip 0.0", "The bus is gone.")
    assert strip.bus.closed
    strip.clock.advance(0.5)
    assert strip.inbox.next(DeviceDown).why == "There is no bus."
    strip.device.show({1: LampPicture("locked", 0, "0000ff")})
    strip.bus.unplugged = False
    strip.clock.advance(1.0)
    strip.inbox.next(DeviceUp)
    strip.see(*[(0, 0, 255)] * LAMPS)


def test_a_strip_goes_dark_when_the_hub_ends() -> None:
    strip = Strip(seats=[1, 2])
    strip.device.start()
    strip.device.show({1: LampPicture("locked", 0, "ff0000"), 2: LampPicture("locked", 0, "ff0000")})
    strip.see(*[(255, 0, 0)] * 2 * LAMPS)
    strip.device.close()
    assert strip.lamps(strip.bus.sent[-1]) == [(0, 0, 0)] * 2 * LAMPS
    assert strip.bus.closed


def test_a_machine_without_the_bus_says_what_to_do() -> None:
    with pytest.raises(DeviceLost) as refusal:
        gpio_header.open_spi(Spi(1, 0), 1_000_000)
    said = str(refusal.value)
    assert "make setup EXTRAS=pi" in said or "dtoverlay=spi1-1cs into /boot/firmware/config.txt" in said


# --- the owner -----------------------------------------------------------------------------------------------


def test_a_strip_takes_its_whole_bus() -> None:
    wires = led_strip.wiring({})
    assert [wire.pin for wire in wires] == [10, 11, 8, 7, 9, "GND"]
    panel = [Spi(0, 1).data("DIN", shared=True), *Spi(0, 1).selects("CS")]
    with pytest.raises(ConfigError, match="led_strip and eink are both wired to GPIO10"):
        gpio_header.check_devices([("led_strip", wires), ("eink", panel)])
    gpio_header.check_devices([("led_strip", led_strip.wiring({"spi": "1.0"})), ("eink", panel)])


def test_what_a_bus_keeps_is_nobody_elses_but_another_place_on_it() -> None:
    """The kernel holds both selects of SPI0 as soon as it is on, and those of SPI1 up to the one that is used."""
    kept = [wire.pin for wire in led_strip.wiring({"spi": "1.2"}) if wire.idle]
    assert kept == [18, 17, 16, 19]
    assert [wire.pin for wire in led_strip.wiring({"spi": "1.0", "select": 16}) if wire.idle] == [16, 19]
    first, second = Spi(0, 0), Spi(0, 1)
    gpio_header.check_devices([("one", first.selects("CS")), ("other", second.selects("CS"))])
    with pytest.raises(ConfigError, match=r"GPIO7 \(kept by the bus and key\)"):
        gpio_header.check_devices([("one", first.selects("CS")), ("box", [gpio_header.Wire(7, "key")])])
    for bus, miso in ((0, 9), (1, 19)):
        with pytest.raises(ConfigError, match=rf"GPIO{miso} \(kept by the bus and bell\)"):
            gpio_header.check_devices([("one", Spi(bus, 0).selects("CS")), ("bell", [gpio_header.Wire(miso, "bell")])])
    with pytest.raises(ConfigError, match=r"GPIO8 \(CS and CS\)"):
        gpio_header.check_devices([("one", first.selects("CS")), ("other", first.selects("CS"))])
    with pytest.raises(ConfigError, match="has but one"):
        led_strip.connect({"spi": "1.1", "select": 16}, context())


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"chips": "apa102"}, "did you mean chip?"),
        ({"chip": "ws2811"}, "ws2811"),
        ({"spi": "2.0"}, 'spi = "2.0" is no place on a bus; there are 0.0, 0.1, 1.0, 1.1, 1.2'),
        ({"seats": [1, 2, 1]}, "seat 1 has two rings"),
        ({"brightness": 0}, "brightness"),
        ({"milliamps": 10}, "milliamps"),
        ({"milliamps": 100, "seats": [1, 2, 3, 4, 5, 6], "gap": 1}, "101 lamps draw"),
        ({"chip": "ws2812", "seats": [1, 2, 3, 4, 5, 6], "gap": 70}, "gap"),
    ],
)
def test_the_owners_settings_are_checked(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        led_strip.connect(settings, context())
    assert sentence in str(refusal.value)


def test_a_strip_is_lamps_and_nothing_else() -> None:
    device = led_strip.connect({}, context())
    assert (device.lamps, device.boxes, device.page, device.dice) == (device, None, None, None)
    device.close()
