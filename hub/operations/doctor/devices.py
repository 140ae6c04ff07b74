"""What the doctor looks at of the devices: what each needs, the boards on USB, the Bluetooth radio, boxes and dice."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from drivers.common import boot_drive
from drivers.common.frames import PROTOCOL, OtherProtocol
from drivers.common.requirements import Need
from drivers.common.serial_lines import PICO
from hub.errors import Cause, DeviceLost
from hub.operations.doctor.finding import ConfiguredDevice, Finding, Subject, sentence
from hub.operations.doctor.machine import Machine

KINDS = {"buttons": "seat box", "tray": "dice tray"}  # what a board says that it is, for people
NO_BOX = "Give the board its firmware (firmware/README.md), or take its port out of the [[device]] block."


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
                "devices", "broken", seen, sentence("; ".join(dict.fromkeys(do for _, do in missing))), device.name
            )
        elif reported:
            yield Finding("devices", "broken", f"{device.name}: the hub says: {reported}", _try_it(device), device.name)
        elif better := _better_name(machine, device):
            seen = f"{device.name}: the number in its file's name may be another one after the next start."
            yield Finding("devices", "look", seen, sentence(better), device.name)
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
        yield Finding("bluetooth", "ok", f"{sentence(fault[0])} Nothing here needs it.")
    else:
        yield Finding("bluetooth", "broken", sentence(fault[0]), sentence(fault[1]))


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
        mend = sentence(cables[0].fix) if cables else ""
        yield Finding("ports", "ok", "No board is plugged in on USB.", mend)  # it plays as soon as it is plugged in
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
