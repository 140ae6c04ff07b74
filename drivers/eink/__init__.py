"""An e-ink panel on the header: the latest public state on a panel that keeps its picture without power.

A panel is slow and wears out. It gets partial refreshes during a round and a full refresh at its end or after eight partial
ones, sleeps when nothing happens, and keeps a minimum rest between refreshes. The table never waits for it. After a power
failure the panel still shows a complete state, so that people can finish the match by hand.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Annotated

import msgspec
from gpiozero import Factory
from PIL import Image

from drivers.common import gpio_header
from drivers.common import settings as block
from drivers.common.gpio_header import GPIO, OpenBus, PinFactory, Spi, Wire, open_pins, open_spi
from drivers.common.requirements import Need
from drivers.common.worker import Inbox, ThreadedDevice
from drivers.eink.panels import MODELS, Mode, Model, Panel, PanelIo, Pins, open_panel, unsupported_reason
from hub.errors import ConfigError, DeviceError
from hub.ports import Clock, DriverContext, MonotonicClock
from hub.state import PublicState

log = logging.getLogger(__name__)

MOST_PARTIALS = 8  # then a full refresh removes the shadows
SLEEP_AFTER = 30.0  # seconds without a refresh
CLEAN_AFTER = 600.0  # seconds of rest, after which a full refresh removes shadows
DAY = 24 * 3600.0  # a panel needs a full refresh once a day (Waveshare's advice)
CLOSE_SECONDS = 8.0  # for which the end of the hub waits for the last picture

Draw = Callable[[PublicState], Image.Image]


class Settings(msgspec.Struct, forbid_unknown_fields=True):
    """`[[device]] driver = "eink"`. A pin that is not named is the one on the maker's board."""

    panel: Annotated[
        str,
        msgspec.Meta(
            description="the kind of panel; maker and size are printed on its back",
            extra={"pictures": {name: model.picture() for name, model in MODELS.items()}},
        ),
    ] = "waveshare-4.2"
    spi: Annotated[str, msgspec.Meta(description="the bus and its select: 0.0 is /dev/spidev0.0")] = "0.0"
    select: Annotated[
        int | None, msgspec.Meta(description="the select pin of the bus, if config.txt moved it", extra=GPIO)
    ] = None
    pins: Annotated[PinFactory, msgspec.Meta(description="how pins are opened; mock hears nothing, for tests")] = (
        "lgpio"
    )
    upside_down: Annotated[bool, msgspec.Meta(description="the panel hangs upside down")] = False
    reset: Annotated[
        int | None, msgspec.Meta(description="reset pin (RST); left out: as on the maker's board", extra=GPIO)
    ] = None
    dc: Annotated[
        int | None, msgspec.Meta(description="data pin (DC); left out: as on the maker's board", extra=GPIO)
    ] = None
    busy: Annotated[
        int | None, msgspec.Meta(description="busy pin (BUSY); left out: as on the maker's board", extra=GPIO)
    ] = None
    power: Annotated[
        int | None, msgspec.Meta(description="power pin (PWR); left out: as on the maker's board", extra=GPIO)
    ] = None

    def model(self) -> Model:
        """Return the kind of panel. Raise ConfigError."""
        if self.panel not in MODELS:
            reason = unsupported_reason(self.panel)
            raise ConfigError(
                f'eink: there is no panel "{self.panel}" here{f": {reason}" if reason else ""}. '
                f"There are {', '.join(MODELS)}."
            )
        return MODELS[self.panel]

    def place(self) -> Spi:
        """Return the bus and select. Raise ConfigError."""
        return gpio_header.spi(self.spi, "eink", self.select)

    def lines(self) -> Pins:
        """Return the pins of its lines."""
        own = {name: pin for name in Pins._fields if (pin := getattr(self, name)) is not None}
        return self.model().pins._replace(**own)


class Refresh:
    """Decides when and how a panel is refreshed. No panel, thread or clock."""

    def __init__(self, model: Model) -> None:
        self._modes = model.modes
        self._rest = model.rest
        self.forget()

    def forget(self) -> None:
        """Reset the state, because the panel is new or was lost."""
        self._partials = 0
        self._last: float | None = None
        self._last_full: float | None = None
        self.asleep = True

    def free_at(self) -> float:
        """Return when the next refresh may start."""
        return 0.0 if self._last is None else self._last + self._rest

    def mode(self, settled: bool) -> Mode:
        """Return the mode for a new picture."""
        if self._last_full is None or settled or self._partials >= MOST_PARTIALS:
            return "full"
        wanted: Mode = "fast" if self.asleep else "partial"
        return wanted if wanted in self._modes else "full"

    def clean_at(self) -> float | None:
        """Return when to refresh the present picture fully; None: before the first refresh."""
        if self._last is None or self._last_full is None:
            return None
        daily = self._last_full + DAY
        return min(daily, self._last + CLEAN_AFTER) if self._partials else daily

    def sleep_at(self) -> float | None:
        """Return when to put the panel to sleep; None: it sleeps, or has not been refreshed."""
        return None if self.asleep or self._last is None else self._last + SLEEP_AFTER

    def on_refresh(self, mode: Mode, now: float) -> None:
        """Note the end of a refresh."""
        self._last, self.asleep = now, False
        self._partials = self._partials + 1 if mode == "partial" else 0 if mode == "full" else self._partials
        if mode == "full":
            self._last_full = now


class Eink(ThreadedDevice):
    """The `Page` port on a panel, and the device of a `[[device]]` block. `show` returns at once, even if the panel hangs."""

    lamps = boxes = dice = None

    def __init__(
        self,
        asked: Settings,
        draw: Draw,
        inbox: Inbox,
        clock: Clock,
        open_bus: OpenBus = open_spi,
        open_header: Callable[[PinFactory], Factory] = open_pins,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(f"eink {asked.panel}", inbox, clock)
        self._asked = asked
        self._model = asked.model()
        self._draw = draw
        self._clock = clock
        self._open_bus, self._open_header, self._pause = open_bus, open_header, pause
        self._lock = threading.Lock()
        self._newest: tuple[PublicState, bool] | None = None
        self._image: Image.Image | None = None  # what should be on the panel
        self._settled = False
        self._shown: Image.Image | None = None  # what is on the panel, if known
        self._refresh = Refresh(self._model)
        self._factory: Factory | None = None
        self._io: PanelIo | None = None
        self._panel: Panel | None = None

    @property
    def page(self) -> Eink:
        """The device implements its port itself."""
        return self

    def close(self) -> None:
        """Show the newest state, and leave it there."""
        self._thread.call_soon(self._show_last)
        self._thread.close(CLOSE_SECONDS)

    def show(self, public: PublicState, settled: bool) -> None:
        """Show the newest public state. Skip a state that was not drawn yet, but keep its round end."""
        with self._lock:
            self._newest = (public, settled or (self._newest is not None and self._newest[1]))
        self._thread.wake()

    # --- the thread's work ---

    def acquire(self) -> None:
        """Open pins and bus, and find the maker's package."""
        asked, model = self._asked, self._model
        self._refresh.forget()
        self._shown = None
        self._factory = self._open_header(asked.pins)
        bus = self._open_bus(asked.place(), model.hertz)
        try:
            self._io = PanelIo(asked.panel, model, asked.lines(), self._factory, bus, self._clock, self._pause)
        except DeviceError:
            bus.close()
            raise
        self._panel = open_panel(model, self._io)

    def step(self, now: float) -> float | None:
        """Draw the newest state if the panel may be refreshed, clean it, or let it sleep."""
        refresh = self._refresh
        if now >= refresh.free_at():
            self._draw_newest()
        elif self._newest is not None:  # wait, because only the newest state will be drawn
            return refresh.free_at()
        image = self._image
        if image is None:
            return None
        if image != self._shown:
            self._show(image, refresh.mode(self._settled))
        self._settled = False
        if (clean_at := refresh.clean_at()) is not None and now >= clean_at:
            self._show(image, "full")
        elif (sleep_at := refresh.sleep_at()) is not None and now >= sleep_at:
            self._sleep()
        deadlines = (refresh.clean_at(), refresh.sleep_at())
        return min((at for at in deadlines if at is not None), default=None)

    def release(self) -> None:
        """Close pins and bus; the picture stays."""
        io, self._io, self._panel = self._io, None, None
        factory, self._factory = self._factory, None
        if io is not None:
            io.close()
        if factory is not None:
            factory.close()

    def _draw_newest(self) -> None:
        """Draw the sheet of the newest state."""
        with self._lock:
            newest, self._newest = self._newest, None
        if newest is not None:
            public, settled = newest
            self._settled = self._settled or settled
            self._image = mounted(self._draw(public), self._model, self._asked.upside_down)

    def _show(self, image: Image.Image, mode: Mode) -> None:
        assert self._panel is not None
        self._panel.show(image, mode)
        self._refresh.on_refresh(mode, self._clock.now())
        self._shown, self._settled = image, False
        log.debug("panel %s: %s refresh", self._asked.panel, mode)

    def _sleep(self) -> None:
        assert self._panel is not None
        self._panel.sleep()
        self._refresh.asleep = True

    def _show_last(self) -> None:
        """Show the newest picture at the end of the hub; it stays on the panel without power."""
        if self._panel is None:
            return
        try:
            self._draw_newest()
            if self._image is not None and self._image != self._shown:
                self._show(self._image, self._refresh.mode(settled=True))
            if not self._refresh.asleep:
                self._sleep()
        except DeviceError as error:
            log.warning("%s", error)


def mounted(sheet: Image.Image, model: Model, upside_down: bool) -> Image.Image:
    """Return a sheet in the middle of a panel that may be larger, turned by 180 degrees if the panel is upside down."""
    paper = Image.new("1", (model.width, model.height), 1)
    paper.paste(sheet, ((model.width - sheet.width) // 2, (model.height - sheet.height) // 2))
    return paper.transpose(Image.Transpose.ROTATE_180) if upside_down else paper


def wiring(settings: Mapping[str, object]) -> list[Wire]:
    """Return the wires of a `[[device]]` block."""
    asked = block.read(Settings, settings, "eink")
    model, lines, place = asked.model(), asked.lines(), asked.place()
    wires = [
        place.data("DIN", shared=True),
        place.clock("CLK", shared=True),
        *place.selects("CS"),
        Wire(lines.dc, "DC"),
        Wire(lines.reset, "RST"),
        Wire(lines.busy, "BUSY"),
    ]
    if lines.power is not None:
        wires.append(Wire(lines.power, "PWR"))
    supply: gpio_header.Rail = "3V3" if model.maker == "waveshare" else "5V"
    return [*wires, Wire(supply, "VCC", shared=True), Wire("GND", "GND", shared=True)]


def needs(settings: Mapping[str, object]) -> list[Need]:
    """Return the requirements of a `[[device]]` block."""
    asked = block.read(Settings, settings, "eink")
    return [*gpio_header.needs_of_spi(asked.place()), *gpio_header.needs_of_pins(asked.pins)]


def connect(settings: Mapping[str, object], context: DriverContext) -> Eink:
    """Return the device of a `[[device]]` block. Raise ConfigError."""
    asked = block.read(Settings, settings, "eink")
    gpio_header.check_pins("eink", wiring(settings))
    return Eink(asked, context.draws[asked.model().sheet], context.inbox, MonotonicClock())
