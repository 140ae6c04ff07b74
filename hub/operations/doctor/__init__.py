"""What is wrong with this table, and what to do about it (`table-hub doctor`).

Every check of `checks.py` is a function over the configuration and the machine, so that a test can pretend any machine.
It changes nothing and takes nothing from a hub that runs: what that one holds it is asked for over its own port.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from hub.config import Config, DevicePart, load
from hub.devices import connect, driver_of
from hub.display import SIZES
from hub.errors import ConfigError, HubError
from hub.operations.doctor.checks import ALL, running_hub
from hub.operations.doctor.finding import Finding, Fitted, Subject
from hub.operations.doctor.machine import Machine, installed_user
from hub.state import PublicState

INSTALLED = Path("/etc/table-hub/table-hub.toml")
MARKS = {"ok": "ok", "look": "LOOK", "broken": "BROKEN"}
WIDTH, INDENT = 110, 20


def patient(path: str | None) -> tuple[Machine, str | None]:
    """Whom to look at: the named configuration with one's own rights; without a name the installed hub, if there is one."""
    if path is None and INSTALLED.exists():
        return Machine(installed_user()), str(INSTALLED)
    return Machine(), path


def look_at(machine: Machine, path: str | None) -> list[Finding]:
    """All that is to be said about this machine and that configuration; without one about the defaults."""
    config, wrong = Config(), ""
    try:
        config = load(path)
    except ConfigError as why:
        wrong = str(why)
    fitted = [_fit(block) for block in config.device]
    subject = Subject(config, path or "the defaults", wrong, fitted, running_hub(machine, config))
    return [finding for check in ALL for finding in check(machine, subject)]


def _fit(block: DevicePart) -> Fitted:
    """Make the device of a block, so that its settings are checked, and put it away unused."""
    try:
        device = connect(block, _unheard, dict.fromkeys(SIZES, _undrawn))
        needs = getattr(driver_of(block), "needs", None)
    except HubError as why:
        return Fitted(block, wrong=str(why))
    device.close()
    asked = needs(block.settings) if needs else ()
    return Fitted(block, device.dice is not None, asked)


def _unheard(_: object) -> None:
    """A device that is not started has nothing to say."""


def _undrawn(_: PublicState) -> Any:
    raise AssertionError("a device that is not started draws nothing")


def healthy(findings: Sequence[Finding]) -> bool:
    """Whether nothing is broken."""
    return all(finding.state != "broken" for finding in findings)


def as_text(findings: Sequence[Finding]) -> str:
    """For a person: what was seen, and below it what to do."""
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
    """For a program: `v`, `ok`, and `findings` with `check`, `about`, `state`, `seen` and `do` (README.md)."""
    told = {"v": 1, "ok": healthy(findings), "findings": [finding._asdict() for finding in findings]}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
