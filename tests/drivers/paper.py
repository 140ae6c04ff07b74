"""E-ink without paper: the controllers of the panels, read as their data sheets say, on mock pins and a captured bus.

What a controller has in its memory when it is told to refresh is what the players would see: tests compare that with
the picture that was drawn, whatever bytes the makers' packages chose to send.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from gpiozero.pins.mock import MockFactory, MockPWMPin
from PIL import Image

from drivers.common.gpio_header import Spi
from drivers.eink import Settings
from drivers.eink.panels import Model
from hub.errors import DeviceLost
from tests.drivers.bench import StillClock


@dataclass
class Chip:
    """A controller: commands and data in, pictures out."""

    model: Model
    command: int = -1
    data: bytearray = field(default_factory=bytearray)
    refreshes: list[str] = field(default_factory=list)
    picture: Image.Image | None = None
    asleep: bool = False
    work: float = 0.0  # seconds that the last command takes

    SLEEP: ClassVar[tuple[int, bytes]] = (0x10, b"\x01")

    def __post_init__(self) -> None:
        self.power_up()

    def power_up(self) -> None:
        """What is in its registers."""

    def reset(self) -> None:
        self.asleep = False

    def heard(self, byte_is_data: bool, data: bytes) -> None:
        assert not self.asleep, "a panel in deep sleep hears nothing but its reset line"
        if byte_is_data:
            self.data += data
            self.written(data)
            self.asleep = (self.command, bytes(self.data)) == self.SLEEP
            return
        for command in data:
            self.finished()
            self.command, self.data = command, bytearray()
            self.commanded(command)

    def commanded(self, command: int) -> None:
        """A command byte came."""

    def written(self, data: bytes) -> None:
        """Data bytes came."""

    def finished(self) -> None:
        """The command before is over."""

    def refresh(self, how: str, seconds: float, picture: Image.Image) -> None:
        self.refreshes.append(how)
        self.work = seconds
        self.picture = picture


class Solomon(Chip):
    """SSD1608, SSD1680 and SSD1683: two memories behind a window, one bit a pixel, 1 is white."""

    WIDTHS: Mapping[str, tuple[int, int]] = {
        "epd2in13_V4": (122, 250), "epd2in9_V2": (128, 296), "epd4in2_V2": (400, 300), "inky_ssd1608": (136, 250),
        "inky_ssd1683": (400, 300), "inky": (400, 300),
    }  # fmt: skip
    # What Display Update Control 2 (22h) asks for, where that is a refresh of the glass.
    WAYS: Mapping[int, str] = {0xF7: "full", 0xC7: "fast", 0xFF: "partial", 0x0F: "partial"}

    def power_up(self) -> None:
        self.across, self.down = self.WIDTHS[self.model.module]
        self.stride = (self.across + 7) // 8
        self.memory = {0x24: bytearray(self.stride * self.down), 0x26: bytearray(self.stride * self.down)}
        self.window = [0, self.stride - 1, 0, self.down - 1]
        self.at = [0, 0]
        self.control = 0xF7

    def written(self, data: bytes) -> None:
        if self.command in self.memory:
            left, right, top, bottom = self.window
            for byte in data:
                if self.at[1] < self.down:
                    self.memory[self.command][self.at[1] * self.stride + self.at[0]] = byte
                self.at[0] += 1
                if self.at[0] > right:
                    self.at = [left, self.at[1] + 1 if self.at[1] < bottom else top]

    def finished(self) -> None:
        data = self.data
        match self.command:
            case 0x44:
                self.window[0:2] = [data[0], data[1]]
            case 0x45:
                self.window[2:4] = [data[0] | data[1] << 8, min(data[2] | data[3] << 8, self.down - 1)]
            case 0x4E:
                self.at[0] = data[0]
            case 0x4F:
                self.at[1] = data[0] | data[1] << 8
            case 0x11:
                assert data[0] & 3 == 3, "rightwards and downwards"
            case 0x22:
                self.control = data[0]

    def commanded(self, command: int) -> None:
        if command == 0x20 and self.control in self.WAYS:
            how = self.WAYS[self.control]
            if self.model.module in ("epd2in9_V2", "inky") and how == "fast":  # it has its waveform loaded before
                how = "full"
            self.refresh(how, {"full": 3.0, "fast": 1.5, "partial": 0.4}[how], self.seen())

    def seen(self) -> Image.Image:
        native = Image.frombytes("1", (self.stride * 8, self.down), bytes(self.memory[0x24]))
        if self.model.module == "inky_ssd1608":  # 136 columns, of which the last 122 rows of the turned picture show
            return native.transpose(Image.Transpose.ROTATE_90).crop((0, 6, 250, 128))
        native = native.crop((0, 0, self.across, self.down))
        if self.across < self.down:
            return native.transpose(Image.Transpose.ROTATE_270)
        return native


class Ultrachip(Chip):
    """UC8179 of the 7.5 inch panel: new picture in 13h; DDX of 50h says whether 1 is black or white."""

    SLEEP = (0x07, b"\xa5")

    def power_up(self) -> None:
        self.polarity = 0
        self.partly = False
        self.fast = False
        self.new = b""

    def reset(self) -> None:
        super().reset()
        self.partly = self.fast = False

    def finished(self) -> None:
        data = bytes(self.data)
        match self.command:
            case 0x50 if len(data) == 2:
                self.polarity = data[0] & 1
            case 0x13:
                self.new = data
            case 0xE5:
                self.fast = data[0] == 0x5A
            case 0x90:
                assert data == bytes((0, 0, 799 >> 8, 799 & 255, 0, 0, 479 >> 8, 479 & 255, 1))

    def commanded(self, command: int) -> None:
        if command == 0x91:
            self.partly = True
        if command == 0x12:
            how = "partial" if self.partly else "fast" if self.fast else "full"
            white_is_one = self.new if self.polarity else bytes(byte ^ 0xFF for byte in self.new)
            seen = Image.frombytes("1", (800, 480), white_is_one)
            self.refresh(how, {"full": 4.0, "fast": 1.5, "partial": 0.5}[how], seen)


class Spectra(Chip):
    """The controller of Spectra 6 panels: four bits a pixel, 0 is black and 1 white."""

    SLEEP = (0x07, b"\xa5")

    def power_up(self) -> None:
        self.memory = b""

    def finished(self) -> None:
        if self.command == 0x10:
            self.memory = bytes(self.data)

    def commanded(self, command: int) -> None:
        if command == 0x12:
            inks = [ink for byte in self.memory for ink in (byte >> 4, byte & 15)]
            assert set(inks) <= {0, 1}
            flat = bytes(255 * ink for ink in inks)
            if self.model.module == "inky_e640":  # stands on its side in memory
                seen = Image.frombytes("L", (400, 600), flat).transpose(Image.Transpose.ROTATE_90)
            else:
                seen = Image.frombytes("L", (800, 480), flat)
            self.refresh("full", 32.0, seen.convert("1"))


def chip_of(model: Model) -> Chip:
    if model.module == "epd7in5_V2":
        return Ultrachip(model)
    return Spectra(model) if model.module in ("inky_e640", "inky_e673") else Solomon(model)


class Paper:
    """A panel plugged into the header: its chip, its pins, its bus, and a clock that moves while somebody waits."""

    def __init__(self, asked: Settings, clock: StillClock) -> None:
        self.asked, self.clock = asked, clock
        self.model, self.lines = asked.model(), asked.lines()
        self.chip = chip_of(self.model)
        self.factory = MockFactory(pin_class=MockPWMPin)
        self.hangs = False
        self.opened: tuple[Spi, int] | None = None
        self.bus_open = False
        self._idle_at = 0.0

    # --- what the driver opens ---

    def open_header(self, kind: str) -> MockFactory:
        assert kind == "lgpio"
        return self.factory

    def open_bus(self, place: Spi, hertz: int) -> Paper:
        self.opened, self.bus_open = (place, hertz), True
        self._show_busy()
        return self

    def close(self) -> None:
        self.bus_open = False

    def write(self, data: bytes) -> None:
        if not self.bus_open:
            raise DeviceLost("The bus is closed.")
        if self._was_reset():
            self.chip.reset()
        self.chip.heard(bool(self.factory.pin(self.lines.dc).state), data)
        if self.chip.work:
            self._idle_at = self.clock.now() + self.chip.work
            self.chip.work = 0.0
        self._show_busy()

    def pause(self, seconds: float) -> None:
        self.clock.skip(seconds)
        self._show_busy()

    def _was_reset(self) -> bool:
        """Whether the reset line was low since the last look."""
        reset = self.factory.pin(self.lines.reset)
        low = any(not state.state for state in reset.states)
        reset.clear_states()
        return low

    def _show_busy(self) -> None:
        busy = self.factory.pin(self.lines.busy)
        at_work = self.hangs or self.clock.now() < self._idle_at
        (busy.drive_high if at_work == self.model.busy_high else busy.drive_low)()


class StillTime:
    """The `time` of a maker's module, on our clock."""

    def __init__(self, sleep: Callable[[float], None], clock: StillClock) -> None:
        self.sleep = sleep
        self.monotonic = clock.now


def hold_time_still(maker: Any, paper: Paper) -> None:
    """Let a maker's module wait on the test's clock."""
    maker.time = StillTime(paper.pause, paper.clock)
