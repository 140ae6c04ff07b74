"""The checks: each takes the machine and the subject and yields findings; `ALL` has them in an owner's order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from drivers.common.gpio_header import check_devices
from hub.decks import CardLists
from hub.devices import header_wiring
from hub.errors import HubError
from hub.operations.doctor.devices import bluetooth, boxes, devices, dice, ports
from hub.operations.doctor.finding import Finding, State, Subject
from hub.operations.doctor.machine import Machine
from hub.operations.doctor.network import broker, phones, port, upstream
from hub.operations.doctor.power import power, usb
from hub.package_folder import problems
from hub.version import version

FIRST_YEAR = 2026  # of this program: a clock with an earlier year is not set
MIN_FREE, LOW_FREE = 20e6, 200e6  # bytes
SLOW_WRITE = 0.5  # seconds for one line of the log
WARM, HOT = 70, 80  # degrees: at 80 a Pi slows down
UNIT, KIOSK, HUB_USER = "table-hub.service", "table-hub-kiosk.service", "table-hub"
MANY_RESTARTS = 5
SCREEN_SECONDS = 30  # a screen that was not seen for so long is off, or its page has failed
"""So often a browser may end in a boot before the doctor speaks of it."""
GROUPS = ("gpio", "spi", "i2c", "dialout", "bluetooth", "video")  # to which Raspberry Pi OS gives its devices
VOLATILE = ("tmpfs", "ramfs", "overlay")  # file systems that lose their data with the power


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
    for device in subject.devices:
        if device.hint:
            yield Finding("config", "broken", f"{device.name}: {device.error}", device.hint)
    errors = [f"{device.name}: {device.error}" for device in subject.devices if device.error and not device.hint]
    try:
        CardLists(config.deck)
        check_devices(header_wiring([device.block for device in subject.devices if not device.error]))
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
        if health.get("fault"):
            do = "Start it again on the staff page. The journal says where it failed: journalctl -u table-hub."
            yield Finding("record", "broken", f"Table {table} has stopped after repeated errors.", do, table)
        if silent := health.get("silent"):
            do = "The service manager starts a hub again that hangs. By hand: sudo systemctl restart table-hub."
            yield Finding("record", "broken", f"Table {table} has not moved for {silent} s.", do, table)
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
            do = "Install that version again: sudo table-hub update --back."
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
        seen = f"Match {match.id} ({match.game}, table {match.table}) cannot continue now: {match.reason}"
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


def screen(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the big screen's service, if it is installed, whether it stays up, and when each screen was seen last."""
    screens = [(table, one) for table, health in subject.tables.items() for one in health.get("screens", ())]
    for table, one in screens:
        if not one["here"]:
            yield _seen(table, one, "on another device", "Is that device on, awake and in the Wi-Fi?")
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
    elif own := [(table, one) for table, one in screens if one["here"]]:
        for table, one in own:
            do = f"It starts its page again by itself. If it stays so: sudo systemctl restart {KIOSK}. {journal}"
            yield _seen(table, one, "on this machine", do)
    elif subject.hub is None:
        yield Finding(
            "screen", "ok", "The big screen's service runs; the hub, which knows whether its page does, does not."
        )
    else:
        do = f"Wait a minute after a start; KIOSK_URL may also name another hub. Else: sudo systemctl restart {KIOSK}. {journal}"
        yield Finding("screen", "look", "The big screen's service runs, but the hub has not seen its page.", do)


def _seen(table: str, one: Mapping[str, Any], where: str, do: str) -> Finding:
    """Return when the hub has seen a big screen last, and what to do if that is long ago."""
    seconds = int(one["seconds"])
    seen = f"Big screen of table {table}, {where}: last seen {seconds} s ago."
    return Finding("screen", "look", seen, do) if seconds >= SCREEN_SECONDS else Finding("screen", "ok", seen)


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


Check = Callable[[Machine, Subject], Iterator[Finding]]


def packages(_: Machine, __: Subject) -> Iterator[Finding]:
    """Report what of packages cannot be used."""
    for seen in problems():
        yield Finding(
            "packages", "look", seen, "Ask the author of the package, or remove it on the page /staff/settings."
        )


ALL: tuple[Check, ...] = (
    configuration, which, packages, board, power, usb, temperature, clock, disk, record, service, screen, groups, pins, buses, cameras, devices, bluetooth, ports,
    boxes, dice, broker, upstream, port, phones,
)  # fmt: skip
