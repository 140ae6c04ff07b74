"""E-ink: the frame that leaves is the picture that was drawn; panels are spared; nothing waits for a panel."""

from __future__ import annotations

import importlib
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from gpiozero import DigitalInputDevice
from PIL import Image, ImageChops

from drivers import eink
from drivers.common import gpio_header
from drivers.eink import CLEAN_AFTER, DAY, MOST_PARTIALS, SLEEP_AFTER, Draw, Eink, Refresh, Settings, mounted
from drivers.eink.panels import MODELS, unsupported_reason
from hub.display import SIZES, panel
from hub.errors import ConfigError, DeviceLost
from hub.ports import DeviceDown, DeviceUp
from hub.state import PublicState
from tests.display.states import SCENES
from tests.drivers.bench import Inbox, StillClock
from tests.drivers.contexts import context
from tests.drivers.paper import Paper, hold_time_still
from tests.patience import PATIENCE
from tests.states import numbered

PARTIAL = [name for name, model in MODELS.items() if "partial" in model.modes]
SLOW = [name for name in MODELS if name not in PARTIAL]


@pytest.fixture(autouse=True)
def _still_makers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pimoroni's modules wait with `time`: on the clock of whichever panel is tested."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in MODELS.values():
            if model.maker == "inky":
                maker = importlib.import_module(f"inky.{model.module}")
                monkeypatch.setattr(maker, "time", maker.time)


class Desk:
    """A panel on the desk, driven step by step: no thread, so that a test knows what happened when."""

    def __init__(
        self, name: str, pause: Callable[[float], None] | None = None, draw: Draw | None = None, **settings: Any
    ) -> None:
        self.clock, self.inbox = StillClock(), Inbox()
        self.asked = Settings(panel=name, **settings)
        self.paper = Paper(self.asked, self.clock)
        self.model = self.paper.model
        self.drawn: list[Image.Image] = []
        self.device = Eink(
            self.asked,
            draw or self.draw,
            self.inbox,
            self.clock,
            self.paper.open_bus,
            self.paper.open_header,
            pause or self.paper.pause,
        )

    def draw(self, public: PublicState) -> Image.Image:
        """A sheet that tells one state from another: a square, or a whole scene."""
        if public.name:
            image = panel(*SCENES[public.name], self.model.sheet)
        else:
            size = SIZES[self.model.sheet]
            image = Image.new("1", (size.width, size.height), 1)
            image.paste(0, (0, 0, 8 + public.seq, 16))
        self.drawn.append(image)
        return image

    def take(self) -> Desk:
        self.device.acquire()
        if self.model.maker == "inky":
            hold_time_still(importlib.import_module(f"inky.{self.model.module}"), self.paper)
        return self

    def show(self, n: int, settled: bool = False) -> float | None:
        self.device.show(numbered(n), settled)
        return self.step()

    def step(self, after: float = 0.0) -> float | None:
        self.clock.advance(after)
        return self.device.step(self.clock.now())

    @property
    def how(self) -> list[str]:
        return self.paper.chip.refreshes

    def sleeps(self) -> bool:
        return self.paper.chip.asleep

    def sees(self, image: Image.Image) -> bool:
        seen = self.paper.chip.picture
        assert seen is not None
        wanted = mounted(image, self.model, self.asked.upside_down)
        return ImageChops.difference(seen.convert("L"), wanted.convert("L")).getbbox() is None


# --- what leaves is what was drawn -----------------------------------------------------------------------


@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_the_frame_that_leaves_is_the_picture_that_was_drawn(name: str, upside_down: bool) -> None:
    desk = Desk(name, upside_down=upside_down).take()
    desk.device.show(numbered(0, "bait-roll"), False)
    desk.step()
    assert desk.how == ["full"]
    assert desk.sees(desk.drawn[-1])
    assert not desk.sees(ImageChops.invert(desk.drawn[-1].convert("L")).convert("1")), "black is black"
    desk.device.show(numbered(0, "bait-over"), False)
    desk.step(desk.model.rest)
    assert len(desk.how) == 2
    assert desk.sees(desk.drawn[-1])


@pytest.mark.parametrize("name", PARTIAL)
def test_each_way_of_refreshing_shows_the_same_picture(name: str) -> None:
    desk = Desk(name).take()
    for n in range(4):
        desk.show(n)
        desk.clock.advance(desk.model.rest)
        assert desk.sees(desk.drawn[-1])
    assert desk.how == ["full", "partial", "partial", "partial"]
    desk.step(SLEEP_AFTER)
    assert desk.sleeps()
    desk.show(9)
    assert desk.sees(desk.drawn[-1])
    assert desk.how[-1] == ("full" if name == "waveshare-2.9" else "fast")  # the 2.9's fast one differs by its waveform
    desk.clock.advance(desk.model.rest)
    desk.show(10)
    assert desk.how[-1] == "partial"
    assert desk.sees(desk.drawn[-1])
    desk.clock.advance(desk.model.rest)
    desk.show(11, settled=True)
    assert desk.how[-1] == "full"
    assert desk.sees(desk.drawn[-1])


def test_the_old_picture_of_a_partial_refresh_is_the_one_before_it() -> None:
    desk = Desk("waveshare-2.13").take()
    desk.show(1)
    desk.step(SLEEP_AFTER)
    desk.show(2)
    assert desk.how == ["full", "fast"]
    memory = desk.paper.chip.memory  # type: ignore[attr-defined]
    assert memory[0x26] == memory[0x24]


@pytest.mark.parametrize("name", MODELS)
def test_a_sheet_is_complete_and_whole_on_its_panel(name: str) -> None:
    model = MODELS[name]
    size = SIZES[model.sheet]
    assert size.width <= model.width
    assert size.height <= model.height
    assert model.hertz <= 10_000_000


# --- when, and how -------------------------------------------------------------------------------------------


def test_after_eight_partial_refreshes_comes_a_full_one() -> None:
    desk = Desk("waveshare-4.2").take()
    for n in range(2 * (MOST_PARTIALS + 1)):
        desk.show(n)
        desk.clock.advance(2.0)
    assert desk.how == 2 * ["full", *["partial"] * MOST_PARTIALS]


def test_the_end_of_a_round_is_refreshed_wholly_even_if_news_came_before_it_was_drawn() -> None:
    desk = Desk("waveshare-7.5").take()
    desk.show(1)
    desk.show(2, settled=True)
    desk.show(3)
    assert desk.how == ["full"], "too soon after the first"
    desk.step(2.0)
    assert desk.how == ["full", "full"]
    desk.clock.advance(2.0)
    desk.show(4)
    assert desk.how[-1] == "partial"


def test_of_many_pictures_the_newest_is_drawn_and_the_others_never() -> None:
    desk = Desk("waveshare-2.9").take()
    desk.show(1)
    for n in range(2, 40):
        desk.device.show(numbered(n), False)
    desk.step(2.0)
    assert len(desk.drawn) == 2
    assert len(desk.how) == 2
    assert desk.sees(desk.drawn[-1])


def test_a_picture_that_is_there_already_costs_no_refresh() -> None:
    desk = Desk("waveshare-4.2").take()
    desk.show(1)
    for _ in range(5):
        desk.clock.advance(3.0)
        desk.show(1)
    assert desk.how == ["full"]


@pytest.mark.parametrize("name", SLOW)
def test_a_panel_that_flickers_for_long_is_left_alone_for_long(name: str) -> None:
    desk = Desk(name).take()
    desk.show(1)
    ended = desk.clock.now()
    assert desk.show(2) == ended + desk.model.rest
    desk.step(desk.model.rest - 1)
    assert desk.how == ["full"]
    desk.step(1)
    assert desk.how == ["full", "full"]
    assert desk.sees(desk.drawn[-1])


@pytest.mark.parametrize("name", SLOW)
def test_what_comes_while_a_panel_rests_is_not_drawn_but_for_the_newest(name: str) -> None:
    desk = Desk(name).take()
    desk.show(1)
    for number in range(2, 40):
        desk.show(number)
    assert len(desk.drawn) == 1
    desk.step(desk.model.rest)
    assert len(desk.drawn) == 2
    assert desk.sees(desk.drawn[-1])


def test_a_panel_sleeps_half_a_minute_after_its_last_picture_and_wakes_for_the_next() -> None:
    desk = Desk("waveshare-4.2").take()
    desk.show(1)
    assert desk.step(SLEEP_AFTER - 0.5) is not None
    assert not desk.sleeps()
    desk.step(1.0)
    assert desk.sleeps()
    assert not desk.paper.factory.pin(18).state, "its supply is off"
    desk.show(2)
    assert desk.how == ["full", "fast"]
    assert desk.paper.factory.pin(18).state


def test_shadows_of_partial_refreshes_are_taken_away_after_ten_quiet_minutes() -> None:
    desk = Desk("waveshare-4.2").take()
    desk.show(1)
    desk.clock.advance(2.0)
    desk.show(2)
    desk.step(SLEEP_AFTER)
    due = desk.step(CLEAN_AFTER - SLEEP_AFTER - 10)
    assert due is not None
    assert desk.how == ["full", "partial"]
    desk.clock.skip(due - desk.clock.now())
    desk.step()
    assert desk.how == ["full", "partial", "full"]
    desk.step(SLEEP_AFTER)
    assert desk.sleeps()
    desk.step(CLEAN_AFTER)
    assert desk.how == ["full", "partial", "full"], "once is enough"


def test_a_picture_that_stays_is_drawn_anew_once_a_day() -> None:
    desk = Desk("inky-what").take()
    desk.show(1)
    desk.step(SLEEP_AFTER)
    desk.step(DAY - SLEEP_AFTER - 60)
    assert desk.how == ["full"]
    desk.step(60)
    assert desk.how == ["full", "full"]
    assert desk.sees(desk.drawn[-1])


def test_refreshing_knows_no_panel() -> None:
    refresh = Refresh(MODELS["waveshare-4.2"])
    assert (refresh.mode(settled=False), refresh.clean_at(), refresh.sleep_at()) == ("full", None, None)
    refresh.on_refresh("full", 100.0)
    assert (refresh.mode(settled=False), refresh.free_at()) == ("partial", 102.0)
    refresh.forget()
    assert (refresh.mode(settled=False), refresh.free_at()) == ("full", 0.0)


# --- trouble -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_a_busy_line_that_hangs_is_a_lost_panel_in_ten_seconds_or_a_minute_for_colours(name: str) -> None:
    desk = Desk(name).take()
    desk.paper.hangs = True
    desk.paper._show_busy()
    began = desk.clock.now()
    with pytest.raises(DeviceLost, match=f"The panel {name} does not answer. Check its cable"):
        desk.show(1)
    assert desk.clock.now() - began <= desk.model.patience + 5
    assert desk.model.patience == (10 if name in PARTIAL else 30 if desk.model.busy_high else 60)


def test_a_busy_line_that_is_off_its_pin_reads_as_at_work() -> None:
    for name, model in MODELS.items():
        desk = Desk(name).take()
        assert desk.paper.factory.pin(desk.paper.lines.busy).pull == ("up" if model.busy_high else "down")


class Hung:
    """A panel on its own thread, its busy line under the test's hand."""

    def __init__(self) -> None:
        self.desk = Desk("waveshare-4.2", pause=self.pause)
        self.waiting = threading.Event()
        self.go_on = threading.Event()
        self.desk.clock.wakes.append(self.desk.device.wake)

    def pause(self, seconds: float) -> None:
        if self.desk.paper.hangs:
            self.waiting.set()
            assert self.go_on.wait(PATIENCE)
        self.desk.paper.pause(seconds)


def test_a_hung_panel_never_holds_up_the_table_is_said_and_shows_the_newest_when_it_is_back() -> None:
    hung = Hung()
    desk, device = hung.desk, hung.desk.device
    desk.paper.hangs = True
    device.show(numbered(1), False)
    device.start()
    assert hung.waiting.wait(PATIENCE)
    for n in range(2, 200):
        device.show(numbered(n), False)  # returns at once: the thread of this test is the table's
    hung.go_on.set()
    down = desk.inbox.next(DeviceDown)
    assert down == DeviceDown(
        "eink waveshare-4.2",
        "The panel waveshare-4.2 does not answer. Check its cable and its power supply. The game goes on without it.",
    )
    desk.paper.hangs = False
    desk.clock.advance(5.0)
    desk.inbox.next(DeviceUp)
    device.close()
    assert desk.sees(desk.drawn[-1])
    assert desk.drawn[-1] == desk.draw(numbered(199))
    assert len(desk.drawn) <= 4, "1, perhaps 1 again, and the newest"


def test_when_the_hub_ends_the_newest_picture_stays_on_a_sleeping_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eink, "CLOSE_SECONDS", PATIENCE)
    desk = Desk("waveshare-7.5")
    desk.device.start()
    desk.device.show(numbered(1), False)
    while not desk.drawn:  # its thread may begin late
        threading.Event().wait(0.01)
    desk.device.show(numbered(0, "bait-roll"), False)
    desk.device.close()
    assert desk.sees(desk.drawn[-1])
    assert desk.drawn[-1] == desk.draw(numbered(0, "bait-roll"))
    assert desk.how[-1] == "full"
    assert not desk.paper.bus_open


def test_a_pin_that_somebody_else_has_is_said_and_asked_for_again() -> None:
    desk = Desk("waveshare-4.2")
    other = DigitalInputDevice(24, pin_factory=desk.paper.factory)
    with pytest.raises(DeviceLost, match=r"The pins of panel waveshare-4\.2 cannot be used"):
        desk.device.acquire()
    desk.device.release()
    assert not desk.paper.bus_open
    other.close()
    desk.take()
    desk.show(1)
    assert desk.sees(desk.drawn[-1])


@pytest.mark.parametrize(("name", "package"), [("waveshare-4.2", "waveshare-epaper"), ("inky-what", "inky")])
def test_a_missing_package_of_the_maker_is_named(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for loaded in [one for one in sys.modules if one.split(".")[0] in ("epaper", "inky")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "meta_path", [BuiltinImporter, FrozenImporter, PathFinder])
    with pytest.raises(DeviceLost, match=f"The Python package {package} is missing.*make setup EXTRAS=pi"):
        Desk(name).device.acquire()


def test_the_makers_package_takes_no_pin_and_leaves_nothing_behind() -> None:
    before = set(sys.modules)
    first, second = Desk("waveshare-4.2").take(), Desk("waveshare-4.2", spi="0.1").take()
    new = set(sys.modules) - before
    assert not [name for name in new if "RPi" in name or "epdconfig" in name or "waveshare" in name]
    first.show(1)
    second.show(2)
    assert first.sees(first.drawn[-1])
    assert second.sees(second.drawn[-1])
    assert second.paper.opened == (gpio_header.Spi(0, 1), 4_000_000)


def test_a_sheet_that_cannot_be_drawn_leaves_the_good_one_and_the_panel_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails_once(public: PublicState) -> Image.Image:
        if public.seq == 2:
            raise ZeroDivisionError
        return desk.draw(public)

    desk = Desk("waveshare-4.2", draw=fails_once)
    desk.clock.wakes.append(desk.device.wake)
    desk.device.start()
    with caplog.at_level(logging.CRITICAL):
        desk.device.show(numbered(2), False)
        assert "The driver of eink waveshare-4.2 failed" in desk.inbox.next(DeviceDown).why
        desk.device.show(numbered(3), False)
        desk.clock.advance(0.5)
        desk.inbox.next(DeviceUp)
    desk.device.close()
    assert desk.sees(desk.draw(numbered(3)))


# --- the owner -----------------------------------------------------------------------------------------------


def test_a_panel_says_which_pins_it_has() -> None:
    wires = {wire.to: wire.place for wire in eink.wiring({}) if not wire.idle}
    assert wires == {
        "DIN": "GPIO10", "CLK": "GPIO11", "CS": "GPIO8", "DC": "GPIO25", "RST": "GPIO17", "BUSY": "GPIO24",
        "PWR": "GPIO18", "VCC": "3V3", "GND": "GND",
    }  # fmt: skip
    moved = {wire.to: wire.place for wire in eink.wiring({"panel": "inky-what", "busy": 5, "spi": "1.2"})}
    assert (moved["BUSY"], moved["CS"], moved["DIN"]) == ("GPIO5", "GPIO16", "GPIO20")


def test_two_panels_share_a_bus_but_no_other_pin() -> None:
    first = ("first", eink.wiring({}))
    with pytest.raises(ConfigError, match=r"first and second are both wired to GPIO25 \(DC and DC\)"):
        gpio_header.check_devices([first, ("second", eink.wiring({"spi": "0.1"}))])
    second = eink.wiring({"spi": "0.1", "dc": 5, "reset": 6, "busy": 12, "power": 13})
    gpio_header.check_devices([first, ("second", second)])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"panels": "inky-what"}, "did you mean panel?"),
        (
            {"panel": "waveshare-4.3"},
            'there is no panel "waveshare-4.3" here: Waveshare\'s 4.3 inch panels are not supported. There are waveshare-2.13, ',
        ),
        ({"busy": 25}, "GPIO25 is given to DC and to BUSY"),
        ({"spi": "9.9"}, "no place on a bus"),
    ],
)
def test_the_owners_settings_are_checked(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        eink.connect(settings, context(draws=DRAWS))
    assert sentence in str(refusal.value)


DRAWS: Mapping[str, Callable[[PublicState], Image.Image]] = {size: lambda _: Image.new("1", (1, 1)) for size in SIZES}


def test_a_panel_is_a_page_and_nothing_else() -> None:
    device = eink.connect({}, context(draws=DRAWS))
    assert (device.page, device.boxes, device.lamps, device.dice) == (device, None, None, None)
    device.close()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("waveshare-2.13b", "Waveshare's (B)"),
        ("waveshare-7.5-(B)", "take the black and white one"),
        ("epd4in2b_V2", "Waveshare's (B)"),
        ("epd7in5bc", "Waveshare's (BC)"),
        ("epd2in13g", "never refreshed partly"),
        ("epd2in9d", "a controller of their own"),
        ("waveshare-2.13-V3", 'the panel "waveshare-2.13" is supported as revision V4 alone'),
        ("epd2in13", "revision V4 alone"),
        ("epd7in5", "revision V2 alone"),
        ("waveshare-4.2-v1", "revision V2 alone"),
        ("waveshare-4.2-v2", 'write "waveshare-4.2"'),
        ("waveshare-5.83", "5.83 inch panels are not supported"),
        ("inky-phat-red", "red and yellow Inkys"),
        ("inky-what-4-colour", "of four colours"),
        ("inky-phat-jd79661", "of four colours"),
        ("inky-impression-5.7", "nor those of seven colours"),
        ("inky-impression-7.3-7colour", "nor those of seven colours"),
    ],
)
def test_a_panel_of_the_shops_that_is_not_supported_is_refused_by_its_name(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Settings(panel=name).model()
    assert said in str(refused.value)
    assert str(refused.value).endswith(f"There are {', '.join(MODELS)}.")


def test_a_panel_that_nobody_knows_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ConfigError, match=r'there is no panel "kindle" here\. There are waveshare'):
        Settings(panel="kindle").model()


def test_every_module_of_the_makers_is_a_model_or_refused_with_a_reason() -> None:
    import inky

    used = {model.module for model in MODELS.values()}
    spec = find_spec("epaper")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "e-Paper/RaspberryPi_JetsonNano/python/lib/waveshare_epd"
    modules = [file.stem for file in folder.glob("epd*in*.py") if not file.stem.endswith(("_old", "HD"))]
    assert len(modules) > 50
    unexplained = [name for name in modules if name not in used and not unsupported_reason(name)]
    assert unexplained == []
    colours = {file.stem for file in Path(inky.__path__[0]).glob("inky_*.py")} - used
    assert [name for name in colours if not unsupported_reason(name)] == []
