"""Power, on computers whose /sys and /proc are folders of real files, named and written as the kernel does.

Documentation/ABI/stable/sysfs-bus-usb and testing/sysfs-bus-usb name the files of a USB device; their form is that of
drivers/usb/core/sysfs.c (`bMaxPower` "500mA", `bmAttributes` two hexadecimal digits, both and `bConfigurationValue` empty
while a device has no configuration). /proc/device-tree/chosen/power is described in the maker's "Device trees".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware.hardware import power as book
from hub.config import Config
from hub.operations.doctor.finding import Finding, Subject
from hub.operations.doctor.machine import Machine
from hub.operations.doctor.power import (
    USB_OF_A_PI_4,
    USB_ON_5_AMPERES,
    USB_ON_LESS,
    power,
    usb,
)
from tests.operations.doctor.fake_machine import FakeMachine

SUBJECT = Subject(Config(), "the defaults")
PICO, VIA, STICK, CHEAP_HUB = ("2e8a", "0005"), ("2109", "3431"), ("0781", "5567"), ("1a40", "0101")


@dataclass
class Tree(FakeMachine):
    """A machine whose files lie below a folder, read by the doctor's own code."""

    folder: Path = Path()

    read, glob, cell = Machine.read, Machine.glob, Machine.cell

    @property
    def root(self) -> str:  # type: ignore[override]
        return str(self.folder)

    def put(self, path: str, content: str | bytes) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def model(self, name: str) -> None:
        self.put("proc/device-tree/model", f"{name}\0")

    def supply(self, milliamperes: int, *, ports: int = 0, over_current: int = 0) -> None:
        """What the bootloader of a Pi 5 leaves for Linux: cells of 32 bits, big-endian."""
        self.model("Raspberry Pi 5 Model B Rev 1.0")
        for name, value in (
            ("max_current", milliamperes),
            ("usb_max_current_enable", ports),
            ("usb_over_current_detected", over_current),
        ):
            self.put(f"proc/device-tree/chosen/power/{name}", value.to_bytes(4, "big"))

    def plug(
        self,
        name: str,
        ids: tuple[str, str] = PICO,
        milliamperes: int | None = 250,
        *,
        hub: bool = False,
        own_supply: bool = False,
        product: str = "Board in FS mode",
    ) -> None:
        """Plug a device in; with None milliamperes Linux gives it no configuration."""
        configured = milliamperes is not None
        for file, text in {
            "idVendor": ids[0],
            "idProduct": ids[1],
            "product": product,
            "bDeviceClass": "09" if hub else "ef",
            "authorized": "1",
            "bConfigurationValue": "1" if configured else "",
            "bMaxPower": f"{milliamperes}mA" if configured else "",
            "bmAttributes": ("e0" if own_supply else "80") if configured else "",
        }.items():
            self.put(f"sys/bus/usb/devices/{name}/{file}", f"{text}\n" if text else "")
        self.put(f"sys/bus/usb/devices/{name}:1.0/bInterfaceClass", "02\n")

    def over_currents(self, interface: str, count: int) -> None:
        """How often the second port of a hub, named by the interface of the hub itself, was switched off."""
        hub = interface.partition(":")[0].replace("1-0", "usb1")
        self.put(f"sys/bus/usb/devices/{hub}/{interface}/{hub}-port2/over_current_count", f"{count}\n")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(folder=tmp_path)
    made.plug("usb1", ("1d6b", "0002"), 0, hub=True, own_supply=True)
    return made


def only(findings: Iterable[Finding]) -> Finding:
    (found,) = findings
    return found


# --- the supply ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("milliamperes", "ports", "state", "seen"),
    [
        (5000, 1, "ok", "The supply gives 5 A."),
        (3000, 0, "ok", "The supply gives 3 A: the Pi leaves 600 mA to all its USB ports together."),
        (3000, 1, "look", "The supply gives 3 A, and config.txt lets the USB ports draw 1.6 A."),
    ],
)
def test_what_the_supply_of_a_pi_5_promises(tree: Tree, milliamperes: int, ports: int, state: str, seen: str) -> None:
    tree.supply(milliamperes, ports=ports)
    tree.programs = {"vcgencmd get_throttled": "throttled=0x0"}
    promise, holds = power(tree, SUBJECT)
    assert (promise.state, promise.seen) == (state, seen)
    assert (holds.state, holds.seen) == ("ok", "The supply holds and has held since the start.")


def test_a_weak_supply_matters_more_with_the_boxes_plugged_in(tree: Tree) -> None:
    tree.supply(3000)
    for port in (1, 2, 3):
        tree.plug(f"1-{port}")
    promise, _ = power(tree, SUBJECT)
    assert (promise.state, "27 W" in promise.do) == ("look", True)


@pytest.mark.parametrize(
    ("bits", "state", "seen", "do"),
    [
        (0x0, "ok", "The supply holds and has held since the start.", ""),
        (0x50005, "broken", "Now the supply is too weak, the processor is slowed down.", "Pi's own supply"),
        (0x10000, "look", "Since the start the supply was too weak.", "Pi's own supply"),
        (0x2, "look", "Now the processor's clock is capped.", "air"),
        (0x20000, "look", "Since the start the processor's clock was capped.", "air"),
        (0x40000, "look", "Since the start the processor was slowed down.", "air"),
        (0x80008, "look", "Now the processor is nearly too hot.", "air"),
        (0xE0000, "look", "Since the start the processor's clock was capped, the processor was slowed down, ", "air"),
        (0x90001, "broken", "Now the supply is too weak; since the start the processor was nearly too hot.", "air"),
    ],
)
def test_every_bit_of_the_firmware_is_said(tree: Tree, bits: int, state: str, seen: str, do: str) -> None:
    tree.programs = {"vcgencmd get_throttled": f"throttled={bits:#x}"}
    found = only(power(tree, SUBJECT))
    assert (found.state, seen in found.seen, do in found.do) == (state, True, True), found


@pytest.mark.parametrize(
    "file",
    [
        "sys/devices/platform/soc/soc:firmware/get_throttled",
        "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled",
        "sys/devices/platform/soc:firmware/get_throttled",
    ],
)
def test_without_vcgencmd_the_kernels_copy_is_read_and_is_about_the_last_moment(tree: Tree, file: str) -> None:
    tree.put(file, "10000\n")  # the kernel writes no 0x
    found = only(power(tree, SUBJECT))
    assert (found.state, found.seen) == ("look", "A moment ago the supply was too weak.")
    tree.put(file, "0\n")
    assert only(power(tree, SUBJECT)).seen == "The supply holds."


def test_a_computer_without_such_a_firmware_says_nothing_of_its_supply(tree: Tree) -> None:
    found = only(power(tree, SUBJECT))
    assert (found.state, "does not report" in found.seen) == ("ok", True)


# --- USB -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ports", "boxes", "state"),
    [(0, 2, "ok"), (0, 3, "look"), (1, 6, "ok"), (1, 7, "look")],
)
def test_a_pi_5_feeds_as_many_boxes_as_its_supply_lets_it(tree: Tree, ports: int, boxes: int, state: str) -> None:
    tree.supply(5000 if ports else 3000, ports=ports)
    for port in range(1, boxes + 1):
        tree.plug(f"1-{port}")
    found = only(usb(tree, SUBJECT))
    assert found.state == state, found
    assert f"{boxes * 250} mA" in found.seen
    assert f"{1600 if ports else 600} mA" in found.seen
    assert ("27 W" in found.do) == (state == "look" and not ports)


@pytest.mark.parametrize("model", ["Raspberry Pi 4 Model B Rev 1.5", "Raspberry Pi 3 Model B Plus Rev 1.3"])
def test_a_pi_4_feeds_four_boxes_through_the_hub_that_is_soldered_to_it(tree: Tree, model: str) -> None:
    tree.model(model)
    tree.plug("1-1", VIA, 100, hub=True, own_supply=True)  # as it says
    for port in (1, 2, 3, 4):
        tree.plug(f"1-1.{port}")
    found = only(usb(tree, SUBJECT))
    assert (found.state, "1000 mA of the 1200 mA" in found.seen) == ("ok", True), found
    tree.plug("1-1.4", STICK, 500)
    assert only(usb(tree, SUBJECT)).state == "look"


def test_what_hangs_on_a_hub_with_a_supply_of_its_own_costs_the_pi_nothing(tree: Tree) -> None:
    tree.supply(3000)
    tree.plug("1-2", CHEAP_HUB, 100, hub=True, own_supply=True)
    for port in (1, 2, 3, 4):
        tree.plug(f"1-2.{port}")
    tree.plug("1-2.4.1")
    found = only(usb(tree, SUBJECT))
    assert (found.state, "100 mA of the 600 mA" in found.seen) == ("ok", True), found


def test_a_box_that_linux_refused_to_feed_is_named_with_the_reason(tree: Tree) -> None:
    tree.model("Raspberry Pi 4 Model B Rev 1.5")
    tree.plug("1-1", VIA, 100, hub=True, own_supply=True)
    tree.plug("1-1.2", CHEAP_HUB, 100, hub=True)
    tree.plug("1-1.2.3", milliamperes=None)
    found = only(usb(tree, SUBJECT))
    assert found.state == "broken"
    assert "Board in FS mode (1-1.2.3) is not switched on: it hangs on a USB hub without a supply" in found.seen
    assert "Give that hub its supply" in found.do
    assert found.about == "/sys/bus/usb/devices/1-1.2.3"


def test_a_device_that_is_not_configured_for_another_reason_is_not_blamed_on_power(tree: Tree) -> None:
    tree.plug("1-3", milliamperes=None)
    found = only(usb(tree, SUBJECT))
    assert (found.state, "dmesg | grep 'usb 1-3'" in found.do, "hub" in found.seen) == ("broken", True, False)
    tree.put("sys/bus/usb/devices/1-3/authorized", "0\n")  # somebody wanted it so
    assert only(usb(tree, SUBJECT)).state == "ok"


def test_a_port_that_was_switched_off_for_over_current_is_said(tree: Tree) -> None:
    tree.over_currents("1-0:1.0", 0)
    assert only(usb(tree, SUBJECT)).state == "ok"
    tree.over_currents("1-1:1.0", 3)
    found = only(usb(tree, SUBJECT))
    assert (found.state, "1-1-port2 was switched off for over-current 3 times" in found.seen) == ("look", True)
    tree.supply(5000, ports=1, over_current=1)
    assert len([one for one in usb(tree, SUBJECT) if "over-current" in one.seen]) == 2


# --- what the documents say ------------------------------------------------------------------------------


def test_a_box_draws_no_more_than_it_asks_for_and_the_doctor_has_the_figures_of_the_book() -> None:
    assert book.of_a_box() <= book.ASKED
    assert {hub.milliamperes for hub in book.HUBS} == {USB_ON_5_AMPERES, USB_ON_LESS, USB_OF_A_PI_4}
