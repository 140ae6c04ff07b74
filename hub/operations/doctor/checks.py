"""The checks: each takes the machine and the subject and yields findings; `ALL` has them in an owner's order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from drivers.common import boot_drive
from drivers.common.frames import PROTOCOL, OtherProtocol
from drivers.common.gpio_header import check_devices
from drivers.common.requirements import Need
from drivers.common.serial_lines import PICO
from hub.config import Config
from hub.decks import load_games
from hub.devices import wired
from hub.errors import Cause, DeviceLost, HubError
from hub.network.address import ALL_ADDRESSES, public_url
from hub.operations.doctor.finding import ConfiguredDevice, Finding, State, Subject
from hub.operations.doctor.machine import Machine
from hub.operations.doctor.power import power, usb
from hub.version import version

FIRST_YEAR = 2026  # of this program: a clock with an earlier year is not set
MIN_FREE, LOW_FREE = 20e6, 200e6  # bytes
SLOW_WRITE = 0.5  # seconds for one line of the log
WARM, HOT = 70, 80  # degrees: at 80 a Pi slows down
UNIT, KIOSK, HUB_USER = "table-hub.service", "table-hub-kiosk.service", "table-hub"
MANY_RESTARTS = 5
"""So often a browser may end in a boot before the doctor speaks of it."""
GROUPS = ("gpio", "spi", "i2c", "dialout", "bluetooth", "video")  # to which Raspberry Pi OS gives its devices
VOLATILE = ("tmpfs", "ramfs", "overlay")  # file systems that lose their data with the power
LOCALHOST = "127.0.0.1"
KINDS = {"buttons": "seat box", "tray": "dice tray"}  # what a board says that it is, for people
NO_BOX = "Give the board its firmware (firmware/README.md), or take its port out of the [[device]] block."


def running_hub(machine: Machine, config: Config) -> tuple[Mapping[str, Any] | None, str]:
    """Return the status of this configuration's hub where it runs; else in words whose hub has its port, if one does.

    What a hub of somebody else says of itself is not believed: it is ours by its id and by the user whose program it is.
    """
    if not config.web.port:
        return None, ""
    host = LOCALHOST if config.web.host in ALL_ADDRESSES else config.web.host
    status = machine.hub_status(host, config.web.port, secure=bool(config.web.tls_cert))
    if status is None:
        return None, ""
    listener = machine.listener(config.web.port)
    if status.get("hub") == config.hub.id and listener in ("", machine.user):
        return status, ""
    return None, f"another hub's ({str(status.get('hub'))[:32]!r}{f', of the user {listener}' if listener else ''})"


def which(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Say which version this is, and compare it with the hub that runs."""
    running = str(subject.hub.get("version", "an older one")) if subject.hub else ""
    if running and running != version():
        do = f"Start it again: sudo systemctl restart {UNIT}."
        yield Finding("version", "look", f"This is table-hub {version()}; the hub that runs is {running}.", do)
    else:
        yield Finding("version", "ok", f"table-hub {version()}.")


# --- the configuration -------------------------------------------------------------------------------


def configuration(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the configuration file, its decks and drivers, and that no pin is used twice."""
    config = subject.config
    if subject.error:
        yield Finding("config", "broken", subject.error, "Correct that; what follows is about the defaults.")
        return
    errors = [f"{device.name}: {device.error}" for device in subject.devices if device.error]
    try:
        load_games(config.deck)
        check_devices(wired([device.block for device in subject.devices if not device.error]))
    except HubError as error:
        errors.append(str(error))
    for sentence in errors:
        yield Finding("config", "broken", sentence, f"Correct that in {subject.shown}: the hub does not start so.")
    if not errors:
        devices = ", ".join(device.name for device in subject.devices) or "no device"
        tables = "one table" if len(config.table) == 1 else f"{len(config.table)} tables"
        hint = "" if config.device else "A [[device]] block for each driver brings boxes, dice, rings and panels."
        yield Finding("config", "ok", f"{subject.shown}: {tables}, {devices}.", hint)


# --- this computer -----------------------------------------------------------------------------------


def board(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Name the computer."""
    model = machine.read("/proc/device-tree/model")
    if model:
        yield Finding("board", "ok", f"This is a {model}.")
    else:
        hint = "It plays with phones, boxes and dice on cables and the simulated table; pins need a Pi."
        yield Finding("board", "ok", "This is no Raspberry Pi.", hint)


def temperature(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Check the processor's temperature."""
    text = machine.read("/sys/class/thermal/thermal_zone0/temp") or ""
    if not text.strip().lstrip("-").isdigit():
        yield Finding("temperature", "ok", "This computer does not report its temperature.")
        return
    degrees = int(text) // 1000
    state: State = "broken" if degrees >= HOT else "look" if degrees >= WARM else "ok"
    yield Finding(
        "temperature", state, f"The processor has {degrees} °C.", "" if state == "ok" else "Give it air or a fan."
    )


def clock(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Check the date: it is stored in the log. No game needs it."""
    today = machine.today()
    synchronised = machine.run("timedatectl", "show", "--property=NTPSynchronized", "--value")
    if today.year < FIRST_YEAR:
        do = "Give it a network for a minute, or set it: sudo date --set '2026-12-24 18:00'."
        yield Finding("clock", "look", f"The clock is not set: it says {today}.", do)
    elif synchronised == "no":
        do = "Compare the date by hand; games do not need it, the log's dates do."
        yield Finding("clock", "look", f"The date is {today}; no time server has said so.", do)
    else:
        by = ", as a time server says" if synchronised == "yes" else ""
        yield Finding("clock", "ok", f"The date is {today}{by}.")


def disk(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check whether the log can be stored: free space, the right to write, a disk that keeps its data."""
    if subject.error:
        return  # which folder it is stands in the file that is wrong
    folder = subject.config.hub.state
    try:
        file_system = machine.disk(folder)
    except OSError as error:
        yield Finding(
            "disk", "broken", f"{folder} cannot be looked at ({error.strerror}).", "Give [hub] another `state`."
        )
        return
    if file_system.read_only:
        do = "Give [hub] a `state` on a disk that may be written; a read-only root needs a partition for it."
        yield Finding("disk", "broken", f"{folder} lies on a disk that is read-only.", do)
        return
    free = f"{file_system.free / 1e9:.1f} GB free"
    if file_system.kind in VOLATILE:
        do = "Give [hub] a `state` on a real disk or a partition of its own, or a match ends with the power."
        yield Finding("disk", "look", f"{folder} ({file_system.kind}) is forgotten when the power goes; {free}.", do)
        return
    try:
        seconds = machine.write_seconds(folder)
    except PermissionError:
        seen = f"{machine.me} may not write in {folder}; {free}."
        if machine.user == machine.me:
            yield Finding("disk", "broken", seen, f"Make it {machine.user}'s, or give [hub] another `state`.")
        else:
            do = f"Ask as the hub's own user: sudo -u {machine.user} {machine.program} doctor."
            yield Finding("disk", "look", seen, do)
        return
    except OSError as error:
        yield Finding(
            "disk", "broken", f"Nothing can be kept in {folder} ({error.strerror}).", "Look at the card: dmesg."
        )
        return
    if file_system.free < LOW_FREE:
        little: State = "broken" if file_system.free < MIN_FREE else "look"
        yield Finding(
            "disk", little, f"{folder}: {file_system.free / 1e6:.0f} MB free.", "Make room: sudo apt clean, old files."
        )
    elif seconds > SLOW_WRITE:
        do = "Every move waits for this disk: take a faster card, or a disk on USB."
        yield Finding("disk", "look", f"{folder}: a line of the log takes {seconds:.1f} s.", do)
    else:
        yield Finding("disk", "ok", f"{folder}: {free}, a line of the log is written in {seconds * 1000:.0f} ms.")


def record(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check whether the database can be used, what was set aside of it, and whether a match is under way."""
    folder = subject.config.hub.state
    for table, health in subject.tables.items():
        if health.get("stopped"):
            do = "It goes on by itself as soon as the disk does; see the check `disk`."
            yield Finding("record", "broken", f"Table {table} stands still: {health['stopped']}", do, table)
    if subject.error:
        return
    try:
        found = machine.record(folder)
    except PermissionError:
        do = f"Ask as the hub's own user: sudo -u {machine.user} {machine.program} doctor."
        yield Finding("record", "look", f"{machine.me} may not read the database in {folder}.", do)
        return
    except OSError as error:
        do = "Look at the card: dmesg."
        yield Finding("record", "broken", f"The database in {folder} cannot be read ({error.strerror}).", do)
        return
    if found.error:
        do = "The next start of the hub sets it aside and goes on with what can be read."
        if "newer" in found.error:
            do = "Install that version again: make install ARGS=--back."
        yield Finding("record", "broken", f"The database in {folder} cannot be used: {found.error}.", do)
    for name in found.aside:
        seen = f"A damaged database was set aside: {folder}/{name}."
        do = (
            f"Make a support file (`sudo table-hub bundle`), look at the card, then remove it: sudo rm {folder}/{name}*"
        )
        yield Finding("record", "look", seen, do, name)
    for table, name in found.damaged:
        seen = f"Table {table}: the value {name!r} was damaged and is set aside."
        yield Finding("record", "look", seen, "Look at the card: dmesg. Seats may have to be taken again.", table)
    for match in found.at("set aside"):
        seen = f"Match {match.id} ({match.game}, table {match.table}) cannot go on now: {match.reason}"
        do = f"Each start tries it again; `table-hub export {match.id}` writes its log into a file."
        yield Finding("record", "look", seen, do, match.id)
    going = [f"{match.game} at table {match.table}, {match.entries} entries" for match in found.at("under way")]
    if not found.error:
        seen = f"{len(found.matches)} matches; " + (
            f"under way: {'; '.join(going)}." if going else "none is under way."
        )
        yield Finding("record", "ok", seen, "A restart or an update keeps it." if going else "")


def service(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the service, as systemd reports it, and whether it stays up."""
    properties = "LoadState,ActiveState,SubState,Result,NRestarts,StatusText,WatchdogUSec"
    output = machine.run("systemctl", "show", UNIT, f"--property={properties}")
    unit = dict(line.split("=", 1) for line in (output or "").splitlines() if "=" in line)
    if unit.get("LoadState") != "loaded":
        yield Finding("service", "ok", "The hub is not installed as a service.", "On a table's Pi: make install.")
        return
    state, restarts = unit.get("ActiveState", ""), unit.get("NRestarts", "0")
    journal = f"Read why: journalctl -u {UNIT} -n 30."
    if state == "failed":
        result = unit.get("Result", "")
        yield Finding("service", "broken", f"The service has failed ({result}).", journal)
    elif unit.get("SubState") == "auto-restart":
        seen = f"The service does not stay up: it ends and is started again, {restarts} times so far."
        yield Finding("service", "broken", seen, journal)
    elif state != "active":
        yield Finding("service", "broken", f"The service is {state}.", f"Start it: sudo systemctl start {UNIT}.")
    elif subject.hub is None and machine.user == HUB_USER and subject.config.web.port:
        seen = f"The service runs, and its web port {subject.config.web.port} does not answer."
        yield Finding("service", "broken", seen, f"Start it again: sudo systemctl restart {UNIT}. {journal}")
    elif restarts not in ("", "0"):
        yield Finding("service", "look", f"The service runs, and was started again {restarts} times.", journal)
    else:
        watchdog = unit.get("WatchdogUSec", "0")
        suffix = "; nobody watches it" if watchdog in ("", "0", "infinity") else f"; its watchdog allows {watchdog}"
        yield Finding(
            "service", "ok", f"The service runs: {unit.get('StatusText') or unit.get('SubState', '')}{suffix}."
        )


def screen(machine: Machine, subject: Subject) -> Iterator[Finding]:  # noqa: ARG001 - as every check
    """Check the big screen's service, where it is installed, and whether it stays up."""
    output = machine.run("systemctl", "show", KIOSK, "--property=LoadState,ActiveState,SubState,NRestarts")
    unit = dict(line.split("=", 1) for line in (output or "").splitlines() if "=" in line)
    if unit.get("LoadState") != "loaded":
        return
    state, restarts = unit.get("ActiveState", ""), unit.get("NRestarts", "0")
    journal = f"Is a screen plugged in? Read why: journalctl -u {KIOSK} -n 30."
    if unit.get("SubState") == "auto-restart" or int(restarts or 0) >= MANY_RESTARTS:
        seen = f"The big screen does not stay up: its service ended and was started again {restarts} times."
        yield Finding("screen", "look", seen, journal)
    elif state != "active":
        yield Finding(
            "screen", "look", f"The big screen's service is {state}.", f"sudo systemctl start {KIOSK}. {journal}"
        )
    else:
        yield Finding("screen", "ok", "The big screen's service runs.")


# --- what devices need -------------------------------------------------------------------------------


def groups(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check whether the hub's user is in the groups of the serial ports, pins, buses and radio."""
    if machine.user == "root":
        yield Finding("groups", "ok", "root may use every device.")
        return
    own = machine.groups()
    needed = {machine.access(need.name).group for need in subject.needs("file")} & set(GROUPS)
    needed |= {"bluetooth"} if subject.needs("radio") else set()
    needed |= {"video"} if subject.needs("camera") else set()
    needed |= {"dialout"} if subject.needs("cable") or machine.ports() else set()
    missing = [name for name in GROUPS if name in needed - own and machine.has_group(name)]
    if missing:
        do = f"sudo usermod -a -G {','.join(missing)} {machine.user}, then log in again."
        yield Finding("groups", "broken", f"{machine.user} is not in {', '.join(missing)}.", do)
    else:
        present = ", ".join(name for name in GROUPS if name in own) or "none of the devices' groups, and needs none"
        yield Finding("groups", "ok", f"{machine.user} is in {present}.")


def pins(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the GPIO chips, and the library that opens them."""
    chips = machine.glob("/dev/gpiochip*")
    mocked = [device.name for device in subject.devices if device.block.settings.get("pins") == "mock"]
    if mocked:
        do = 'Take pins = "mock" out of its block: on simulated pins nothing is heard.'
        yield Finding("pins", "look", f"{', '.join(mocked)} plays on simulated pins.", do)
    library = "lgpio is installed" if machine.has_package("lgpio") else "lgpio is not installed"
    yield Finding("pins", "ok", f"{', '.join(chips) or 'No /dev/gpiochip'}; {library}.")


def buses(machine: Machine, _: Subject) -> Iterator[Finding]:
    """Check which buses of the header are enabled."""
    nodes = machine.glob("/dev/spidev*") + machine.glob("/dev/i2c-*")
    hint = "" if nodes else "For strips and panels: dtparam=spi=on in /boot/firmware/config.txt (drivers/README.md)."
    yield Finding("buses", "ok", f"{', '.join(nodes) or 'No /dev/spidev and no /dev/i2c'}.", hint)


USB_CAMERAS = "/dev/v4l/by-id/*-video-index0"  # of a camera's files the one with pictures
CAMERA_PROGRAMS = ("rpicam-vid", "libcamera-vid")


def cameras(machine: Machine, _: Subject) -> Iterator[Finding]:
    """List the cameras on USB by the names that stay with them, and whether the program of the Pi's own is there."""
    found = ", ".join(machine.glob(USB_CAMERAS)) or "No camera on USB"
    program = next((name for name in CAMERA_PROGRAMS if machine.has_program(name)), "")
    own = f"{program} takes the pictures of a Pi's own camera" if program else "rpicam-vid is not installed"
    yield Finding("cameras", "ok", f"{found}; {own}.")


def devices(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check each configured device: what it needs, and what the running hub reports of it."""
    for device in subject.devices:
        if device.error:
            continue
        missing = [lack for need in device.needs if (lack := _missing(machine, need))]
        known = subject.tables.get(device.block.table, {}).get("devices", {})
        reported = next((known[name] for name in (device.name, device.block.driver) if known.get(name)), "")
        if missing:
            seen = f"{device.name}: {'; '.join(seen for seen, _ in missing)}."
            yield Finding(
                "devices", "broken", seen, _sentence("; ".join(dict.fromkeys(do for _, do in missing))), device.name
            )
        elif reported:
            yield Finding("devices", "broken", f"{device.name}: the hub says: {reported}", _try_it(device), device.name)
        elif better := _better_name(machine, device):
            seen = f"{device.name}: the number in its file's name may be another one after the next start."
            yield Finding("devices", "look", seen, _sentence(better), device.name)
        elif subject.hub:
            yield Finding(
                "devices", "ok", f"{device.name}: the hub that runs says nothing against it.", "", device.name
            )
        else:
            yield Finding("devices", "ok", f"{device.name}: all that it needs is there.", _try_it(device), device.name)


def _try_it(device: ConfiguredDevice) -> str:
    return f"Stop the hub and try it: table-hub test-device {device.name} --config FILE."


def _better_name(machine: Machine, device: ConfiguredDevice) -> str:
    """Return what to write instead of a name that may change; "" where nothing is."""
    for need in device.needs:
        found = machine.glob(need.name) if need.kind == "name" else []
        if found:
            return need.fix.format(found[0])
    return ""


def _missing(machine: Machine, need: Need) -> tuple[str, str] | None:
    """Return what is missing for a need, and what to do; None where nothing is."""
    match need.kind:
        case "cable" | "name":  # `ports` reports what is plugged in; a name is no need
            return None
        case "camera":
            names = need.name.split()
            there = any(machine.has_program(name) for name in names)
            return None if there else (f"the program {names[0]} is missing, for the Pi's own camera", need.fix)
        case "package":
            return None if machine.has_package(need.name) else (f"the package {need.name} is missing", need.fix)
        case "radio":
            return _radio(machine)
    access = machine.access(need.name)
    if access.state == "missing":
        return f"there is no {need.name}", need.fix
    if access.state == "no":
        do = f"put {machine.user} into the group {access.group}" if access.group not in ("", "root") else (
            f"let {machine.user} use it"
        )  # fmt: skip
        return f"{machine.user} may not use {need.name}", do
    return None


def _radio(machine: Machine) -> tuple[str, str] | None:
    """Return what is wrong with the Bluetooth radio, and what to do; None where nothing is."""
    if not machine.glob("/sys/class/bluetooth/hci*"):
        return "there is no Bluetooth radio", "plug one in, or switch the Pi's on (no dtoverlay=disable-bt)"
    for folder in machine.glob("/sys/class/rfkill/rfkill*"):
        if machine.read(f"{folder}/type") == "bluetooth":
            if machine.read(f"{folder}/hard") == "1":
                return "the Bluetooth radio is off by a switch", "switch it on"
            if machine.read(f"{folder}/soft") == "1":
                return "the Bluetooth radio is switched off", "sudo rfkill unblock bluetooth"
    if machine.run("systemctl", "is-active", "bluetooth") is None and machine.run("systemctl", "--version") is not None:
        return "the Bluetooth service does not run", "sudo systemctl enable --now bluetooth"
    return None


def _shares_the_hotspots_chip(machine: Machine) -> bool:
    """Return whether this is a Pi whose Wi-Fi is an access point, and whose one Bluetooth radio is not on USB."""
    hotspot = "type AP" in (machine.run("iw", "dev") or "") or any(
        machine.run("nmcli", "-g", "802-11-wireless.mode", "connection", "show", name) == "ap"
        for name in (machine.run("nmcli", "-g", "NAME", "connection", "show", "--active") or "").splitlines()
    )
    on_usb = machine.glob("/sys/class/bluetooth/hci*/device/bInterfaceClass")
    return hotspot and not on_usb and "Raspberry Pi" in (machine.read("/proc/device-tree/model") or "")


def bluetooth(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the radio; a fault is no finding while no device needs it."""
    fault = _radio(machine)
    if fault is None and subject.needs("radio") and _shares_the_hotspots_chip(machine):
        seen = "The Bluetooth radio is on the same chip and antenna as the Pi's hotspot: smart dice may be lost."
        do = "Plug in a Bluetooth stick on USB, and switch the Pi's own off: dtoverlay=disable-bt in config.txt."
        yield Finding("bluetooth", "look", seen, do)
    elif fault is None:
        yield Finding("bluetooth", "ok", "The Bluetooth radio is on.")
    elif not subject.needs("radio"):
        yield Finding("bluetooth", "ok", f"{_sentence(fault[0])} Nothing here needs it.")
    else:
        yield Finding("bluetooth", "broken", _sentence(fault[0]), _sentence(fault[1]))


# --- USB ---------------------------------------------------------------------------------------------


def ports(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check every board on USB by its hello. A port that a running hub has is left alone."""
    boards = [port for port in machine.ports() if port.vendor == PICO and port.product not in boot_drive.MODES]
    cables = subject.needs("cable")
    names = dict.fromkeys([*(board.name for board in boards), *(cable.name for cable in cables if cable.name)])
    reported = {port: why for health in subject.tables.values() for port, why in health["devices"].items() if why}
    for name in names:
        if name in reported:  # the hub that runs has the port, and knows what is wrong there
            yield Finding("ports", "look", reported[name], NO_BOX, name)
        else:
            yield _port(machine, name, {cable.board for cable in cables if cable.name == name} - {""})
    if not names:
        mend = _sentence(cables[0].fix) if cables else ""
        yield Finding("ports", "look" if cables else "ok", "No board is plugged in on USB.", mend)
    for folder, mode in _waiting_for_firmware(machine):
        kind = "Pico 2" if mode is boot_drive.PICO_2 else "Pico"
        do = (
            f"`sudo table-hub update-box --file X.uf2`, or drop the file on its drive {mode.label}: firmware/README.md."
        )
        yield Finding("ports", "look", f"A {kind} waits for its firmware.", do, folder)
    if boards and machine.glob("/usr/sbin/ModemManager") and not machine.glob("/etc/udev/rules.d/*table-hub.rules"):
        do = "Install the rule of systemd/70-table-hub.rules: ModemManager types into new serial ports."
        yield Finding("ports", "look", "ModemManager is installed, and the rule that keeps it away is not.", do)


def _port(machine: Machine, name: str, expected: Collection[str]) -> Finding:
    """Return the finding about one serial port, at which one of the expected boards should be, if any are named."""
    access = machine.access(name)
    if access.state == "missing":
        return Finding("ports", "look", f"{name} is configured and not there.", "Plug it in.", name)
    if access.state == "no":
        do = f"sudo usermod -a -G {access.group or 'dialout'} {machine.user}, then log in again."
        return Finding("ports", "broken", f"{name}: {machine.user} may not open it.", do, name)
    try:
        board = machine.probe(name)
    except DeviceLost as error:
        if error.cause is Cause.BUSY:
            return Finding("ports", "ok", f"{name} is in use, as by a hub that runs.", "", name)
        return Finding("ports", "broken", str(error), "Unplug it and plug it in again.", name)
    if board is None:
        do = "Unplug it and plug it in again; if it stays silent, give it its firmware: firmware/README.md."
        return Finding("ports", "look", f"{name}: whoever is there does not say hello.", do, name)
    hello = board.hello
    if isinstance(hello, OtherProtocol):
        older = hello.protocol < PROTOCOL
        do = (
            f"Give it the new firmware: `table-hub update-box {hello.id}`, firmware/README.md."
            if older
            else "Bring the hub up to date."
        )
        seen = f"{name}: {hello.id} speaks protocol {hello.protocol} (firmware {hello.firmware}); this hub speaks {PROTOCOL}."
        return Finding("ports", "broken", seen, do, name)
    beat = f"its heart beat now, {board.up} s after power-up" if board.up is not None else "its heart was not heard"
    kind = KINDS.get(hello.k, hello.k)
    if expected and hello.k not in expected:
        meant = " or ".join(KINDS.get(one, one) for one in sorted(expected))
        return Finding(
            "ports", "look", f"{name}: {hello.id} is a {kind}; the configuration has a {meant} there.", NO_BOX, name
        )
    seen = f"{name}: {kind} {hello.id}, {hello.n} controls, firmware {hello.v}, protocol {hello.p}; {beat}."
    hint = "" if board.up is not None else "Try another cable."
    return Finding("ports", "ok" if board.up is not None else "look", seen, hint, name)


def _waiting_for_firmware(machine: Machine) -> list[tuple[str, boot_drive.BootMode]]:
    """Return the USB folders of the Picos that are drives, and which kind of drive."""
    return [
        (folder, mode)
        for folder in machine.glob("/sys/bus/usb/devices/*")
        for mode in boot_drive.MODES.values()
        if (machine.read(f"{folder}/idVendor"), machine.read(f"{folder}/idProduct"))
        == (f"{PICO:04x}", f"{mode.product:04x}")
    ]


def boxes(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the seat boxes and dice of the running hub, as it reports them."""
    for table, health in subject.tables.items():
        for box, status in health["boxes"].items():
            if status["on"]:
                seen = f"Box {box} of table {table} is there: {status['controls']} controls, firmware {status['firmware']}."
                yield Finding("boxes", "ok", seen, "", box)
            else:
                yield Finding("boxes", "look", status["why"], "Plug it in again; its seat plays on by phone.", box)
        for reader, kit in health["dice"].items():
            if kit["why"]:
                yield Finding("boxes", "look", f"{reader}: {kit['why']}", "Type the dice until it is back.", reader)
            elif kit["weak"]:
                seen = f"{reader}: {kit['dice']} dice, low battery: {', '.join(kit['weak'])}."
                yield Finding("boxes", "look", seen, "Charge it before the next match.", reader)
            else:
                yield Finding("boxes", "ok", f"{reader}: {kit['dice']} dice.", "", reader)


def dice(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Check that one device at most reads the dice of each table."""
    for table in subject.config.table:
        readers = list(subject.tables.get(table.id, {}).get("dice", {})) or [
            device.name for device in subject.devices if device.dice and device.block.table == table.id
        ]
        if len(readers) > 1:
            do = "Take all but one of them out: a table listens to one reader."
            yield Finding("dice", "look", f"{table.name}: {' and '.join(readers)} would read its dice.", do, table.id)
        else:
            seen = f"{readers[0]} reads its dice" if readers else "its dice are typed, on a phone or a box"
            yield Finding("dice", "ok", f"{table.name}: {seen}.", "", table.id)


# --- the network -------------------------------------------------------------------------------------


def broker(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the MQTT broker: the running hub's, the venue's, or whether the managed one can start."""
    part = subject.config.broker
    errors = {health["broker"] for health in subject.tables.values() if health["broker"]}
    if errors:
        yield Finding("broker", "broken", f"The hub says: {' '.join(sorted(errors))}", "Boxes play on; phones wait.")
    elif subject.hub:
        yield Finding("broker", "ok", "The hub that runs has its broker.")
    elif part.url:
        url = urlsplit(part.url)
        port = url.port or (8883 if url.scheme == "mqtts" else 1883)
        if machine.reaches(url.hostname or "", port):
            yield Finding("broker", "ok", f"{url.hostname}:{port} answers.")
        else:
            do = "Start it, or take `url` out of [broker]: the hub then runs its own."
            yield Finding("broker", "broken", f"{url.hostname}:{port} does not answer.", do)
    else:
        try:
            machine.start_broker(part.program)
        except HubError as error:
            yield Finding("broker", "broken", str(error), "Boxes and screens play without it, phones do not.")
        else:
            yield Finding("broker", "ok", f"{part.program} is there and can be started.")


def upstream(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the broker above the hubs of a venue, where one is named: the running hub's link to it, or whether it lets the hub in."""
    part = subject.config.upstream
    if not part.url:
        return
    do = "The tables play on; what is to be told waits here. Look at that broker and the network to it."
    known = (subject.hub or {}).get("upstream")
    if known and known["twin"]:
        seen = f"Another hub of the venue {part.venue} calls itself {subject.config.hub.id}."
        yield Finding("upstream", "broken", seen, "Give each hub its own `id` in [hub].")
    elif known and known["up"]:
        yield Finding("upstream", "ok", f"The hub that runs is connected to {known['broker']}.")
    elif known:
        waiting = f" {known['waiting']} finished match(es) wait." if known["waiting"] else ""
        yield Finding("upstream", "look", f"The hub says: {known['why'] or 'It is not connected yet.'}{waiting}", do)
    else:
        error = machine.upstream_error(part, subject.config.hub.id)
        if error:
            yield Finding("upstream", "look", error, do)
        else:
            yield Finding("upstream", "ok", f"The broker above, {part.url}, lets this hub in.")


def port(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the web port."""
    web = subject.config.web
    if subject.hub:
        yield Finding(
            "port", "ok", f"Port {web.port} is the hub's, which runs at {subject.hub['url'] or 'no address yet'}."
        )
        return
    if subject.stranger:
        do = "End that one, or give [web] another `port`; nothing that it says of itself is used here."
        yield Finding("port", "broken", f"Port {web.port} is {subject.stranger}.", do)
        return
    match machine.port_state(web.host, web.port):
        case "free":
            yield Finding("port", "ok", f"Port {web.port} is free." if web.port else "Any free port will do.")
        case "taken":
            do = "End that program (sudo ss -ltnp names it), or give [web] another `port`."
            yield Finding("port", "broken", f"Port {web.port} is in use by another program.", do)
        case "forbidden":
            do = "Give [web] a `port` from 1024 on, or start the hub as the service, which may."
            yield Finding("port", "look", f"{machine.me} may not open port {web.port}.", do)
        case _:
            do = 'Give [web] the `host` "0.0.0.0": every address of this computer.'
            yield Finding("port", "broken", f"This computer has no address {web.host}.", do)


def phones(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the URL of the QR code, and say how to find out whether phones reach it."""
    web = subject.config.web
    url = (
        str(subject.hub["url"])
        if subject.hub
        else public_url(web.address, web.host, web.port, secure=bool(web.tls_cert))
    )
    name = urlsplit(url).hostname or ""
    page = f"{url}/t/{subject.config.table[0].id}"
    if not url:
        do = "Join a network or start the Pi's own Wi-Fi (sudo nmcli device wifi hotspot): the hub finds its address then."
        yield Finding("phones", "look", "This computer has no network: there is nothing that phones could open.", do)
    elif name in ("localhost", "::1") or name.startswith("127."):
        do = 'Give [web] the `host` "0.0.0.0", so that phones may come in, and take `address` out of it.'
        yield Finding("phones", "look", f"The QR code carries {url}, which only this computer reaches.", do)
    elif name.startswith("169.254."):
        do = "The network gives out no addresses: look at the cable and the router."
        yield Finding("phones", "look", f"The QR code carries {url}, an address that this computer made up.", do)
    elif name.endswith(".local"):
        do = "Take `address` out of [web]: many phones do not find names that end in .local."
        yield Finding("phones", "look", f"The QR code carries {url}.", do)
    else:
        do = (
            f"Open {page} on a phone in the same Wi-Fi; if it does not come while this computer opens it, the Wi-Fi keeps "
            "its guests apart (AP or client isolation): switch that off, or use the Pi's own Wi-Fi."
        )
        secure = url.startswith("https:")
        means = "https" if secure else "plain http: for a network that you trust, or with a certificate (SECURITY.md)"
        yield Finding("phones", "ok", f"The QR code carries {url}, {means}.", do)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


Check = Callable[[Machine, Subject], Iterator[Finding]]
ALL: tuple[Check, ...] = (
    configuration, which, board, power, usb, temperature, clock, disk, record, service, screen, groups, pins, buses, cameras, devices, bluetooth, ports,
    boxes, dice, broker, upstream, port, phones,
)  # fmt: skip
