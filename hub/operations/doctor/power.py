"""Power: the supply, what the Pi's firmware has noted of it, and what the USB ports can feed.

Sources: the maker's documentation (`vcgencmd get_throttled`; "Power supply", which gives what the USB ports of each model
may draw; "Device trees", which gives /chosen/power of a Pi 5) and the kernel's (Documentation/ABI, sysfs-bus-usb).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hub.operations.doctor.finding import Finding, State, Subject
from hub.operations.doctor.machine import Machine

USB_ON_5_AMPERES, USB_ON_LESS = 1600, 600  # milliamperes for all ports of a Pi 5 together, by its supply
USB_OF_A_PI_4 = 1200  # and of a Pi 3, whatever the supply
FULL_SUPPLY = 5000  # milliamperes: with less, a Pi 5 limits its USB ports
UNPOWERED_PORT = 100  # milliamperes that Linux allows a device behind a hub without a supply of its own

UNDER_VOLTAGE = 0
BITS = {
    UNDER_VOLTAGE: "the supply is too weak",
    1: "the processor's clock is capped",
    2: "the processor is slowed down",
    3: "the processor is nearly too hot",
}
HOT = 1 << 3
OCCURRED = 16  # bits from here on: the same, since the start

POWER = "/proc/device-tree/chosen/power"
# The kernel's copy of the firmware's bits. vcgencmd comes first: the kernel asks every two seconds and has the bits of what
# has occurred cleared each time, so here they are about the last moment only.
COPIES = ("/sys/devices/platform/soc*/*firmware/get_throttled", "/sys/devices/platform/*firmware/get_throttled")

USB = "/sys/bus/usb/devices"
ONBOARD = {
    ("2109", "3431"),
    ("0424", "2514"),
    ("0424", "9514"),
}  # hubs soldered to a Pi 4, 3B+ and 3B: no supply of theirs
HUB_CLASS = "09"
SELF_POWERED = 0x40  # bit of bmAttributes

BETTER_SUPPLY = "Use the Pi's own supply and a short cable, and give the lamps a supply of their own."
POWERED_HUB = "plug the boxes into a USB hub that has a supply of its own"


# --- the supply --------------------------------------------------------------------------------------


def power(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Check the supply: what it promises, whether it holds, and whether the Pi had to slow down."""
    yield from _promise(machine)
    told = machine.run("vcgencmd", "get_throttled")
    lately = "since the start"
    if told is None:
        copies = [path for pattern in COPIES for path in machine.glob(pattern)]
        told = machine.read(copies[0]) if copies else None
        lately = "a moment ago"
    if told is None:
        yield Finding("power", "ok", "This computer does not report whether its supply holds.")
        return
    try:
        bits = int(told.rpartition("=")[2], 16)
    except ValueError:
        yield Finding("power", "look", f"The Pi's firmware says {told!r} of its supply.", "Look at the supply by hand.")
        return
    yield _throttled(bits, lately)


def _throttled(bits: int, lately: str) -> Finding:
    """Return the finding for the bits of `get_throttled`."""
    now = [text for bit, text in BITS.items() if bits & 1 << bit]
    since = [bit for bit in BITS if bits & 1 << OCCURRED + bit and not bits & 1 << bit]
    before = [BITS[bit].replace(" is ", " was ") for bit in since]
    parts = ([f"now {', '.join(now)}"] if now else []) + ([f"{lately} {', '.join(before)}"] if before else [])
    if not parts:
        return Finding(
            "power", "ok", f"The supply holds{' and has held since the start' if 'start' in lately else ''}."
        )
    weak = bits & (1 << UNDER_VOLTAGE | 1 << OCCURRED + UNDER_VOLTAGE)
    hot = bits & (HOT | HOT << OCCURRED) or not weak
    do = " ".join(([BETTER_SUPPLY] if weak else []) + (["Give the Pi air or a fan."] if hot else []))
    state: State = "broken" if bits & 1 << UNDER_VOLTAGE else "look"
    seen = "; ".join(parts)
    return Finding("power", state, f"{seen[:1].upper()}{seen[1:]}.", do)


def _promise(machine: Machine) -> Iterator[Finding]:
    """Yield what the supply of a Pi 5 says that it gives. Earlier models have no such line to it."""
    promised = machine.cell(f"{POWER}/max_current")
    if not promised:
        return
    if promised >= FULL_SUPPLY:
        yield Finding("power", "ok", f"The supply gives {_amperes(promised)}.")
    elif machine.cell(f"{POWER}/usb_max_current_enable"):
        seen = f"The supply gives {_amperes(promised)}, and config.txt lets the USB ports draw {_amperes(USB_ON_5_AMPERES)}."
        yield Finding("power", "look", seen, "Use a 5 A supply, or take usb_max_current_enable=1 out of config.txt.")
    else:
        seen = f"The supply gives {_amperes(promised)}: the Pi leaves {USB_ON_LESS} mA to all its USB ports together."
        do = f"With the maker's 27 W supply they have {USB_ON_5_AMPERES} mA; or {POWERED_HUB}."
        yield Finding("power", "ok" if _drawn(_devices(machine)) <= USB_ON_LESS else "look", seen, do)


def _amperes(milliamperes: int) -> str:
    return f"{milliamperes / 1000:g} A"


# --- USB ---------------------------------------------------------------------------------------------


class UsbDevice(NamedTuple):
    """A device or hub as Linux lists it; root hubs are not among them."""

    folder: str
    name: str  # bus and ports, as "1-1.3"
    ids: tuple[str, str]  # vendor and product, four hexadecimal digits each
    label: str
    configured: bool
    milliamps: int  # that it may draw from its port
    hub: bool
    self_powered: bool  # as it says; some hubs say so without a supply

    @property
    def has_own_supply(self) -> bool:
        """Return whether what is plugged into it draws nothing from the Pi."""
        return self.hub and self.self_powered and not ("." not in self.name and self.ids in ONBOARD)


def usb(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Check what hangs on USB: what Linux refused to feed, over-current, and the sum against what this Pi gives."""
    devices = _devices(machine)
    wrong = False
    for device in devices.values():
        if not device.configured:
            wrong = True
            yield _refused(device, devices)
    for seen in _over_currents(machine):
        wrong = True
        do = f"Look for a short circuit in what is plugged in there; else {POWERED_HUB}."
        yield Finding("usb", "look", seen, do)
    budget, drawn = _budget(machine), _drawn(devices)
    if budget is None:
        if not wrong:
            yield Finding("usb", "ok", f"{len(devices)} USB devices; how much their ports give is not known here.")
    elif drawn > budget:
        do = f"{POWERED_HUB[:1].upper()}{POWERED_HUB[1:]}."
        if budget == USB_ON_LESS:
            do = f"Use the maker's 27 W supply ({USB_ON_5_AMPERES} mA), or {POWERED_HUB}."
        yield Finding(
            "usb", "look", f"What is plugged in may draw {drawn} mA; this Pi's USB ports give {budget} mA.", do
        )
    elif not wrong:
        yield Finding(
            "usb", "ok", f"What is plugged in may draw {drawn} mA of the {budget} mA that the USB ports give."
        )


def _devices(machine: Machine) -> Mapping[str, UsbDevice]:
    """Return the devices on USB, by name."""
    found = {}
    for folder in machine.glob(f"{USB}/*"):
        name = folder.rpartition("/")[2]
        configuration = machine.read(f"{folder}/bConfigurationValue")
        if not re.fullmatch(r"\d+-[\d.]+", name) or configuration is None:  # an interface, or a root hub
            continue
        attributes = machine.read(f"{folder}/bmAttributes") or "0"
        asked = re.match(r"\s*(\d+)mA", machine.read(f"{folder}/bMaxPower") or "")
        ids = (machine.read(f"{folder}/idVendor") or "", machine.read(f"{folder}/idProduct") or "")
        found[name] = UsbDevice(
            folder,
            name,
            ids,
            machine.read(f"{folder}/product") or ":".join(ids),
            bool(configuration.strip()) or machine.read(f"{folder}/authorized") == "0",
            int(asked[1]) if asked else 0,
            machine.read(f"{folder}/bDeviceClass") == HUB_CLASS,
            bool(int(attributes.strip() or "0", 16) & SELF_POWERED),
        )
    return found


def _above(name: str) -> list[str]:
    """Return the names of the hubs between a device and its root hub, the nearest first."""
    above = []
    while "." in name:
        name = name.rpartition(".")[0]
        above.append(name)
    return above


def _refused(device: UsbDevice, devices: Mapping[str, UsbDevice]) -> Finding:
    """Return the finding about a device that Linux has given no configuration (drivers/usb/core/generic.c)."""
    hubs = [devices[name] for name in _above(device.name) if name in devices]
    if hubs and not hubs[0].self_powered:
        seen = (
            f"{device.label} ({device.name}) is not switched on: it hangs on a USB hub without a supply of its own, and asks "
            f"for more than the {UNPOWERED_PORT} mA of such a port."
        )
        do = "Give that hub its supply, or plug the device into the Pi itself."
    else:
        seen = f"{device.label} ({device.name}) was not switched on by Linux."
        do = f"Read why: sudo dmesg | grep 'usb {device.name}'; then unplug it and plug it in again."
    return Finding("usb", "broken", seen, do, device.folder)


def _over_currents(machine: Machine) -> Iterator[str]:
    """Yield a sentence for each sign that a port had to be switched off."""
    if machine.cell(f"{POWER}/usb_over_current_detected"):
        yield "When the Pi started from USB, a port was switched off for over-current."
    for path in machine.glob(f"{USB}/*/*/*-port*/over_current_count"):
        count = machine.read(path) or "0"
        if count not in ("0", ""):
            port = path.split("/")[-2]
            yield f"The USB port {port} was switched off for over-current {count} times since the start."


def _drawn(devices: Mapping[str, UsbDevice]) -> int:
    """Return the milliamperes that all devices may draw from the ports of this computer itself."""
    total = 0
    for device in devices.values():
        if any(name in devices and devices[name].has_own_supply for name in _above(device.name)):
            continue
        if "." not in device.name and device.ids in ONBOARD:
            continue
        total += device.milliamps
    return total


def _budget(machine: Machine) -> int | None:
    """Return the milliamperes that the USB ports of this Pi give together; None where the maker names no limit."""
    allowed = machine.cell(f"{POWER}/usb_max_current_enable")
    if allowed is not None:
        return USB_ON_5_AMPERES if allowed else USB_ON_LESS
    model = machine.read("/proc/device-tree/model") or ""
    return USB_OF_A_PI_4 if re.match(r"Raspberry Pi (400|[34] Model B)", model) else None
