"""What is wrong with this installation, and what to do about it (`table-hub doctor`).

Every check (`checks.ALL`) is a function of the machine and the configuration, so that tests can pass in a fake machine.
Nothing is changed, and no device is opened that a running hub has: that hub is asked over its web port instead.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from textwrap import wrap
from typing import NoReturn

from hub import packages
from hub.config import Config, DevicePart, load, owners_file
from hub.devices import UnusableDevice, connect, needs, within_time
from hub.display import SIZES
from hub.errors import ConfigError, HubError
from hub.operations.doctor.checks import ALL
from hub.operations.doctor.finding import ConfiguredDevice, Finding, Subject
from hub.operations.doctor.machine import Machine, installed_user
from hub.operations.doctor.network import running_hub
from hub.ports import DriverContext
from hub.state import PublicState

MARKS = {"ok": "ok", "look": "LOOK", "broken": "BROKEN"}
WIDTH, INDENT = 110, 20


def choose_target(path: str | None) -> tuple[Machine, str | None]:
    """Return the machine, seen as some user, and the configuration to examine.

    A given `path` is examined as the present user; without one the installed hub is, as its own user, if there is one.
    """
    found = owners_file(path)
    return Machine() if path == found else Machine(installed_user()), found


def examine(machine: Machine, path: str | None) -> list[Finding]:
    """Run all checks on a machine and the configuration at `path`, or the default one."""
    config, config_error = Config(), ""
    try:
        config = load(path)
    except ConfigError as error:
        config_error = str(error)
    devices = [_check_device(block) for block in config.device]
    hub, stranger = running_hub(machine, config)
    subject = Subject(config, path or "the defaults", config_error, devices, hub, stranger)
    return [finding for check in ALL for finding in check(machine, subject)]


LEFT_OUT = "Update or remove the package, or correct the configuration: the hub starts without that device."
ODD = "Tell the author of the driver. The hub uses the device all the same."


def _check_device(block: DevicePart) -> ConfiguredDevice:
    """Make the device of a block, so that its settings are checked, and close it without having started it."""
    try:
        random = Random(0)  # noqa: S311 - the device is not started, so it throws no dice
        device = connect(block, DriverContext(_ignore, dict.fromkeys(SIZES, _draw_nothing), random))
    except HubError as error:
        return ConfiguredDevice(block, error=str(error))
    if isinstance(device, UnusableDevice):
        return ConfiguredDevice(block, error=device.why, hint=LEFT_OUT)
    try:
        within_time(device.close, "close")
    except BaseException as error:  # noqa: BLE001 - anybody may write a driver
        return ConfiguredDevice(block, error=f"Its driver fails while it is closed ({type(error).__name__}).", hint=ODD)
    try:
        return ConfiguredDevice(block, device.dice is not None, needs(block))
    except packages.Unusable as error:
        return ConfiguredDevice(block, error=str(error), hint=ODD)
    except HubError as error:
        return ConfiguredDevice(block, error=str(error))


def _ignore(_: object) -> None:
    """Take a signal; a device that is not started sends none."""


def _draw_nothing(_: PublicState) -> NoReturn:
    raise AssertionError("a device that is not started draws nothing")


def healthy(findings: Sequence[Finding]) -> bool:
    """Return whether nothing is broken."""
    return all(finding.state != "broken" for finding in findings)


def as_text(findings: Sequence[Finding]) -> str:
    """Return the findings for a person: what was seen, and below it what to do."""
    lines = []
    for finding in findings:
        head = f"{MARKS[finding.state]:8}{finding.check:12}"
        lines += wrap(finding.seen, WIDTH, initial_indent=head, subsequent_indent=" " * INDENT, break_on_hyphens=False)
        if finding.do:
            left = " " * INDENT
            lines += wrap(
                finding.do, WIDTH, initial_indent=f"{left}- ", subsequent_indent=f"{left}  ", break_on_hyphens=False
            )
    counts = [sum(finding.state == state for finding in findings) for state in ("broken", "look")]
    lines += ["", f"{counts[0]} broken, {counts[1]} to look at." if any(counts) else "All is well."]
    return "\n".join(lines) + "\n"


def as_json(findings: Sequence[Finding]) -> str:
    """Return JSON for a program: `v`, `ok`, and `findings` with `check`, `about`, `state`, `seen`, `do`."""
    report = {"v": 1, "ok": healthy(findings), "findings": [finding._asdict() for finding in findings]}
    return json.dumps(report, ensure_ascii=False, indent=1) + "\n"
