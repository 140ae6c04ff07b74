"""The supported e-ink panels, and wrappers that keep their makers' packages from claiming pins or hanging.

Waveshare's panel modules (package `waveshare-epaper`) reach the hardware through a module `epdconfig` beside them,
which claims pins on import and waits for the BUSY line without end. Each panel here gets its own copy of the maker's
module with our `PanelIo` in its place. Pimoroni's panels (package `inky`) get our objects for bus and pins.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from gpiozero import DigitalOutputDevice, Factory, InputDevice
from PIL import Image

from drivers.common.gpio_header import MISSING, Bus, pin_errors
from hub.display import PanelSize
from hub.engine.text import say
from hub.errors import Cause, DeviceLost
from hub.network.staff_messages import ChoicePicture
from hub.ports import Clock

if TYPE_CHECKING:
    from gpiod.line import Value

Mode = Literal["full", "fast", "partial"]
Out = Literal["reset", "dc", "power"]

POLL = 0.01  # seconds between two reads of a busy line
MONO_PATIENCE, COLOUR_PATIENCE = 10.0, 60.0  # busy seconds, after which a panel is faulty


class Pins(NamedTuple):
    """The GPIOs of a panel's lines besides the SPI bus."""

    reset: int
    dc: int
    busy: int
    power: int | None = None  # switches the panel's supply, on Waveshare's boards of 2023 and later


class Model(NamedTuple):
    """One kind of panel."""

    title: str  # what is printed on its back or in its shop
    inches: float  # its diagonal
    maker: Literal["waveshare", "inky"]
    module: str  # of the maker's package
    width: int  # as it lies before the players
    height: int
    sheet: PanelSize  # the picture drawn for it
    pins: Pins
    modes: frozenset[Mode] = frozenset({"full"})
    rest: float = 2.0  # seconds between two refreshes
    patience: float = MONO_PATIENCE
    busy_high: bool = True  # the busy line is high while the panel is busy
    hertz: int = 4_000_000
    colors: tuple[str, ...] = ("black", "white")

    def picture(self) -> ChoicePicture:
        """Return how an owner tells it from other panels."""
        tenths = self.inches * 254 / math.hypot(self.width, self.height)
        size = round(self.width * tenths), round(self.height * tenths)
        return ChoicePicture(self.title, *size, self.width, self.height, [*self.colors])


_HAT = Pins(reset=17, dc=25, busy=24, power=18)  # Waveshare's "e-Paper Driver HAT"
_INKY = Pins(reset=27, dc=22, busy=17)
_ALL: frozenset[Mode] = frozenset({"full", "fast", "partial"})
# Pimoroni: an Inky flickers for 8 s (black and white) to 40 s (colors) at each refresh; it has no partial refresh.
_CALM, _COLOUR_CALM = 20.0, 180.0
_SPECTRA = ("black", "white", "green", "blue", "red", "yellow")

MODELS: Mapping[str, Model] = {
    "waveshare-2.13": Model(
        "Waveshare 2.13inch e-Paper V4", 2.13, "waveshare", "epd2in13_V4", 250, 122, "2.13", _HAT, _ALL
    ),
    "waveshare-2.9": Model("Waveshare 2.9inch e-Paper V2", 2.9, "waveshare", "epd2in9_V2", 296, 128, "2.9", _HAT, _ALL),
    "waveshare-4.2": Model("Waveshare 4.2inch e-Paper V2", 4.2, "waveshare", "epd4in2_V2", 400, 300, "4.2", _HAT, _ALL),
    "waveshare-7.5": Model(
        "Waveshare 7.5inch e-Paper V2", 7.5, "waveshare", "epd7in5_V2", 800, 480, "7.5", _HAT, _ALL, busy_high=False
    ),
    "inky-phat": Model(
        "Pimoroni Inky pHAT (SSD1608)",
        2.13,
        "inky",
        "inky_ssd1608",
        250,
        122,
        "2.13",
        _INKY,
        rest=_CALM,
        patience=30.0,
        hertz=488_000,
    ),
    "inky-what": Model(
        "Pimoroni Inky wHAT (SSD1683)", 4.2, "inky", "inky_ssd1683", 400, 300, "4.2", _INKY, rest=_CALM, patience=30.0
    ),
    "inky-what-2018": Model(
        "Pimoroni Inky wHAT of 2018",
        4.2,
        "inky",
        "inky",
        400,
        300,
        "4.2",
        _INKY,
        rest=_CALM,
        patience=30.0,
        hertz=488_000,
    ),
    "inky-impression-4.0": Model(
        'Pimoroni Inky Impression 4.0" (Spectra 6)',
        4.0,
        "inky",
        "inky_e640",
        600,
        400,
        "4.2",
        _INKY,
        rest=_COLOUR_CALM,
        patience=COLOUR_PATIENCE,
        busy_high=False,
        colors=_SPECTRA,
    ),
    "inky-impression-7.3": Model(
        'Pimoroni Inky Impression 7.3" (Spectra 6)',
        7.3,
        "inky",
        "inky_e673",
        800,
        480,
        "7.5",
        _INKY,
        rest=_COLOUR_CALM,
        patience=COLOUR_PATIENCE,
        busy_high=False,
        colors=_SPECTRA,
    ),
}


# Unsupported panels with similar names: as an owner would write them, the maker's module or a shop's title.
_COLOURS = (
    "panels with a colour beside black and white are not supported ({}): they take 15 seconds and more for each picture "
    "and are never refreshed partly; take the black and white one of that size"
)
_REVISION = (
    'the panel "{}" is supported as revision {} alone, for others have another controller; the revision stands on the '
    "panel's back or its film"
)
_REVISIONS = {"2.13": "V4", "2.9": "V2", "4.2": "V2", "7.5": "V2"}
_WAVESHARE = re.compile(r"(?:waveshare|epd|e-paper)[-_ ]*(\d+)(?:\.|in)(\d+)[-_ ]*\(?([bcdefghk]*)\)?[-_ ]*(v\d+)?")
_INKY_FOUR = "the Inky pHAT and wHAT of four colours (JD79661, JD79668, SSD2683) are not supported"
_INKY_IMPRESSION = (
    "of the Inky Impressions the 4.0 and 7.3 inch ones of six colours (Spectra 6) are supported, not the 5.7 and 13.3 "
    "inch ones, nor those of seven colours (UC8159, AC073TC1A)"
)


def unsupported_reason(name: str) -> str:
    """Return why a panel on the market is not supported, as a sentence without its period; "" for an unknown panel."""
    asked = name.lower()
    if found := _WAVESHARE.fullmatch(asked):
        size, colours, revision = f"{found[1]}.{found[2]}", found[3], (found[4] or "").upper()
        if set(colours) & set("bcefg"):
            return _COLOURS.format(f"Waveshare's ({colours.upper()})")
        if colours:
            return f"Waveshare's ({colours.upper()}) panels have a controller of their own and are not supported"
        if size in _REVISIONS and revision != _REVISIONS[size]:
            return _REVISION.format(f"waveshare-{size}", _REVISIONS[size])
        return (
            f'write "waveshare-{size}"' if size in _REVISIONS else f"Waveshare's {size} inch panels are not supported"
        )
    if asked.startswith("inky"):
        if "impression" in asked or re.search("7.?colou?r|uc8159|ac073|el133", asked):
            return _INKY_IMPRESSION
        if re.search("4.?colou?r|four|jd796|ssd2683|red.*yellow", asked):
            return _INKY_FOUR
        if re.search("red|yellow", asked):
            return _COLOURS.format("Pimoroni's red and yellow Inkys")
    return ""


class Panel(Protocol):
    """A panel, awake or asleep. Every method blocks until the panel is done. Raise DeviceLost."""

    def show(self, image: Image.Image, mode: Mode) -> None:
        """Show an image of its own size in one bit, in a mode that its model has."""

    def sleep(self) -> None:
        """Sleep until the next `show`. The picture stays without power."""


class PanelIo:
    """One panel's wires: reset, data or command, power and busy on pins, the rest on the SPI bus.

    A disconnected busy line reads as busy, so that a loose cable is found.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        pins: Pins,
        factory: Factory,
        bus: Bus,
        clock: Clock,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._name = name
        self._model = model
        self._bus = bus
        self._clock = clock
        self.pause = pause
        self._outs: dict[Out, DigitalOutputDevice] = {}
        self._busy_since: float | None = None
        outs: list[tuple[Out, int | None]] = [("reset", pins.reset), ("dc", pins.dc), ("power", pins.power)]
        try:
            for out, pin in outs:
                if pin is not None:
                    self._outs[out] = DigitalOutputDevice(pin, initial_value=out != "dc", pin_factory=factory)
            self._busy = InputDevice(pins.busy, pull_up=model.busy_high, pin_factory=factory)
        except pin_errors() as error:
            self._close_outs()
            sentence = say("The pins of panel {panel} cannot be used ({error}).", panel=name, error=str(error))
            raise DeviceLost(sentence, Cause.of(error)) from error

    def set(self, out: Out, high: bool) -> None:
        """Set a line high or low."""
        if out in self._outs:
            self._outs[out].value = high

    def send(self, data: bytes) -> None:
        """Send bytes on the bus."""
        self._bus.write(data)

    def at_work(self) -> bool:
        """Return whether the panel is busy; pause if so. Raise DeviceLost if it is busy for too long."""
        if bool(self._busy.pin.state) != self._model.busy_high:
            self._busy_since = None
            return False
        now = self._clock.now()
        if self._busy_since is None:
            self._busy_since = now
        if now - self._busy_since >= self._model.patience:
            raise DeviceLost(
                say(
                    "The panel {panel} does not answer. Check its cable and its power supply. The game goes on without it.",
                    panel=self._name,
                ),
                Cause.SILENT,
            )
        self.pause(POLL)
        return True

    def wait(self) -> None:
        """Wait until the panel is no longer busy. Raise DeviceLost."""
        while self.at_work():
            pass

    def close(self) -> None:
        """Close pins and bus."""
        self._busy.close()
        self._close_outs()
        self._bus.close()

    def _close_outs(self) -> None:
        for out in self._outs.values():
            out.close()


def open_panel(model: Model, io: PanelIo) -> Panel:
    """Return the panel on these wires, driven by its maker's package. Raise DeviceLost if that is not installed."""
    return WavesharePanel(model, io) if model.maker == "waveshare" else InkyPanel(model, io)


# One import at a time, because it replaces modules in `sys.modules` and suppresses warnings meanwhile.
_importing = threading.Lock()


# --- Waveshare -----------------------------------------------------------------------------------------------

_WAVESHARE_FOLDER = "e-Paper/RaspberryPi_JetsonNano/python/lib/waveshare_epd"


class EpdConfig(ModuleType):
    """Replaces Waveshare's `epdconfig`: their hardware layer, on our wires."""

    RST_PIN: Out = "reset"
    DC_PIN: Out = "dc"
    PWR_PIN: Out = "power"
    CS_PIN = "cs"
    BUSY_PIN = "busy"

    def __init__(self, model: Model, io: PanelIo) -> None:
        super().__init__("epdconfig")
        self._model = model
        self._io = io
        self.SPI = self

    def module_init(self) -> int:
        """Power on; return 0 for success."""
        self._io.set("power", True)
        return 0

    def module_exit(self) -> None:
        """Power off; the picture stays."""
        outs: tuple[Out, ...] = ("reset", "dc", "power")
        for out in outs:
            self._io.set(out, False)

    def digital_write(self, pin: Out | Literal["cs"], value: int) -> None:
        """Put a line high or low; the select belongs to the bus."""
        if pin != "cs":
            self._io.set(pin, bool(value))

    def digital_read(self, pin: str) -> int:
        """Return the level of the busy line, the only input."""
        assert pin == "busy"
        return int(self._io.at_work() == self._model.busy_high)

    def delay_ms(self, milliseconds: float) -> None:
        """Wait."""
        self._io.pause(milliseconds / 1000)

    def spi_writebyte(self, data: list[int]) -> None:
        """Send bytes on the bus; the makers' inverted bytes are negative numbers."""
        self._io.send(bytes(byte & 0xFF for byte in data))

    spi_writebyte2 = writebytes2 = spi_writebyte


_Image = bytearray | list[int]  # one bit per pixel


class _Epd(Protocol):
    """The common part of the maker's panels. The names of their refresh functions differ."""

    width: int
    height: int

    def init(self) -> int: ...
    def getbuffer(self, image: Image.Image) -> _Image: ...
    def sleep(self) -> None: ...
    def __getattr__(self, name: str) -> Callable[..., object]: ...


class WavesharePanel:
    """A panel of Waveshare's."""

    def __init__(self, model: Model, io: PanelIo) -> None:
        self._verbs = _VERBS[model.module]
        self._epd: _Epd = _waveshare_module(model, io).EPD()
        self._was_partial = False

    def show(self, image: Image.Image, mode: Mode) -> None:
        """Show an image."""
        data = self._epd.getbuffer(image)
        if mode == "partial":
            self._verbs.partial(self._epd, data, not self._was_partial)
        else:
            (self._verbs.full if mode == "full" else self._verbs.fast)(self._epd, data)
        self._was_partial = mode == "partial"

    def sleep(self) -> None:
        """Put the panel into deep sleep, power off."""
        self._epd.sleep()


def _waveshare_module(model: Model, io: PanelIo) -> ModuleType:
    """Return a separate copy of the maker's panel module that uses these lines."""
    found = importlib.util.find_spec("epaper")
    if found is None or not found.submodule_search_locations:
        raise DeviceLost(
            f"The Python package waveshare-epaper is missing, which speaks to the panel: {MISSING}.", Cause.PACKAGE
        )
    package = f"_waveshare_{id(io):x}"
    file = Path(found.submodule_search_locations[0]) / _WAVESHARE_FOLDER / f"{model.module}.py"
    spec = importlib.util.spec_from_file_location(f"{package}.{model.module}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    parent = ModuleType(package)
    parent.__path__ = []
    parent.epdconfig = config = EpdConfig(model, io)  # type: ignore[attr-defined]
    # Some panel modules import RPi.GPIO and use nothing of it; it cannot be loaded off a Pi, nor work on a Pi 5.
    unused = ModuleType("RPi")
    unused.GPIO = ModuleType("RPi.GPIO")  # type: ignore[attr-defined]
    stand_ins = {package: parent, f"{package}.epdconfig": config, "RPi": unused, "RPi.GPIO": unused.GPIO}
    with _importing:
        before = {name: sys.modules.get(name) for name in stand_ins}
        sys.modules.update(stand_ins)
        try:
            spec.loader.exec_module(module)
        finally:
            for name, was in before.items():
                if was is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = was
    return module


class _Verbs(NamedTuple):
    """A panel's refresh functions, whose names differ between the maker's modules. `fresh`: no partial refresh before."""

    full: Callable[[_Epd, _Image], None]
    fast: Callable[[_Epd, _Image], None]
    partial: Callable[[_Epd, _Image, bool], None]


def _full_2in13(epd: _Epd, data: _Image) -> None:
    epd.init()
    epd.displayPartBaseImage(data)  # as the next partial refresh's old picture, too


def _fast_2in13(epd: _Epd, data: _Image) -> None:
    epd.init_fast()
    epd.display_fast(data)
    epd.send_command(0x26)  # the old picture of the next partial refresh, which display_fast leaves as it was
    epd.send_data2(data)


def _partial_2in13(epd: _Epd, data: _Image, _fresh: bool) -> None:
    epd.displayPartial(data)


def _full_2in9(epd: _Epd, data: _Image) -> None:
    epd.init()
    epd.display_Base(data)


def _fast_2in9(epd: _Epd, data: _Image) -> None:
    epd.init_Fast()
    epd.display_Base(data)


def _full_4in2(epd: _Epd, data: _Image) -> None:
    epd.init()
    epd.display(data)


def _fast_4in2(epd: _Epd, data: _Image) -> None:
    epd.init_fast(epd.Seconds_1_5S)
    epd.display_Fast(data)


def _partial(epd: _Epd, data: _Image, _fresh: bool) -> None:
    epd.display_Partial(data)


def _full_7in5(epd: _Epd, data: _Image) -> None:
    epd.init()
    epd.display(data)


def _fast_7in5(epd: _Epd, data: _Image) -> None:
    epd.init_fast()
    epd.display(data)


def _partial_7in5(epd: _Epd, data: _Image, fresh: bool) -> None:
    if fresh:
        epd.init_part()
    epd.display_Partial(data, 0, 0, epd.width, epd.height)


_VERBS: Mapping[str, _Verbs] = {
    "epd2in13_V4": _Verbs(_full_2in13, _fast_2in13, _partial_2in13),
    "epd2in9_V2": _Verbs(_full_2in9, _fast_2in9, _partial),
    "epd4in2_V2": _Verbs(_full_4in2, _fast_4in2, _partial),
    "epd7in5_V2": _Verbs(_full_7in5, _fast_7in5, _partial_7in5),
}


# --- Pimoroni ------------------------------------------------------------------------------------------------


class _InkyBus:
    """Replaces the SPI bus of Pimoroni's panels. Speed and select were set when our bus was opened."""

    max_speed_hz = 0
    no_cs = False

    def __init__(self, io: PanelIo) -> None:
        self._io = io

    def open(self, bus: int, select: int) -> None:
        """Do nothing: the bus is open."""

    def xfer3(self, data: list[int]) -> None:
        """Send the low eight bits of each number on the bus."""
        self._io.send(bytes(byte & 0xFF for byte in data))


class _InkyLines:
    """Replaces the pins of Pimoroni's panels.

    While the panel is busy, the maker's code would sleep for a fixed time (colors) or wait for an edge (black and white).
    So reading the busy line takes until it is at rest.
    """

    def __init__(self, model: Model, io: PanelIo, levels: type[Value]) -> None:
        self._busy_high = model.busy_high
        self._io = io
        self._levels = levels
        self._asked = False

    def set_value(self, pin: Out | int, value: Value) -> None:
        """Put a line high or low; the select belongs to the bus."""
        if pin in ("reset", "dc"):
            self._io.set(pin, value == self._levels.ACTIVE)

    def get_value(self, pin: str) -> Value:
        """Return the level of the busy line at rest, the only input. It is read twice if low means busy."""
        assert pin == "busy"
        self._asked = not self._asked
        if not self._busy_high and self._asked:
            return self._levels.INACTIVE  # busy: the next read waits
        self._io.wait()
        return self._levels.INACTIVE if self._busy_high else self._levels.ACTIVE


class _NoEeprom:
    """Replaces the I2C bus: the configuration names the panel."""

    def write_i2c_block_data(self, *_: object) -> None:
        """Raise OSError: no chip answers."""
        raise OSError("not asked")


_LEFT_AWAKE = frozenset({"inky_ssd1608", "inky_ssd1683"})


class InkyPanel:
    """A panel of Pimoroni's."""

    def __init__(self, model: Model, io: PanelIo) -> None:
        with _importing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package imports pkg_resources, which warns of itself
            try:
                self._maker = importlib.import_module(f"inky.{model.module}")
                levels = importlib.import_module("gpiod.line").Value
            except ImportError as error:
                raise DeviceLost(
                    f"The Python package inky is missing, which speaks to the panel ({error}): {MISSING}.",
                    Cause.PACKAGE,
                ) from error
        self._io = io
        self._inky = self._maker.Inky(
            resolution=(model.width, model.height),
            dc_pin="dc",
            reset_pin="reset",
            busy_pin="busy",
            spi_bus=_InkyBus(io),
            i2c_bus=_NoEeprom(),
            gpio=_InkyLines(model, io, levels),
        )
        self._sleeps = model.module in _LEFT_AWAKE

    def show(self, image: Image.Image, mode: Mode) -> None:
        """Show an image; the only mode is full."""
        assert mode == "full"
        inks = image.convert("L").point([self._maker.BLACK] * 128 + [self._maker.WHITE] * 128)
        self._inky.set_image(Image.frombytes("P", image.size, inks.tobytes()))
        self._inky.show()
        self._io.wait()

    def sleep(self) -> None:
        """Put the panel into deep sleep (command 10h of the data sheets), if the maker's code does not."""
        if self._sleeps:
            self._io.set("dc", False)
            self._io.send(b"\x10")
            self._io.set("dc", True)
            self._io.send(b"\x01")
