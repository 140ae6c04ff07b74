"""A computer that a test makes up: a healthy laptop, until a test changes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

from drivers.common.frames import PROTOCOL, Hello
from drivers.common.probe import Answer
from hub.config import UpstreamPart
from hub.errors import DeviceLost, HubError
from hub.operations.doctor import examine
from hub.operations.doctor.finding import Finding
from hub.operations.doctor.machine import Access, Disk, Machine, Port
from hub.operations.matches import Record

PICO = Port("/dev/ttyACM0", 0x2E8A, 0x0005, "e661640843210a2b")
HELLO = Hello(s=1, id="e661640843210a2b", boot="2b43e1eb", p=PROTOCOL, v="1.0.0", k="buttons", n=8)


@dataclass
class FakeMachine(Machine):
    """Its fields are what the real computer would return."""

    user: str = "ana"
    me: str = "ana"
    program: str = "table-hub"
    files: dict[str, str] = field(default_factory=dict)  # path -> its text
    cells: dict[str, int] = field(default_factory=dict)  # path -> a number of the device tree
    forbidden: set[str] = field(default_factory=set)  # paths that the hub's user may not use
    owner: str = "gpio"  # the group of every file
    in_groups: set[str] = field(default_factory=lambda: {"ana", "dialout", "gpio", "spi", "bluetooth"})
    programs: dict[str, str] = field(default_factory=dict)  # start of a command line -> its output
    packages: set[str] = field(default_factory=set)
    plugged: list[Port] = field(default_factory=list)
    answers: dict[str, Answer | DeviceLost | None] = field(default_factory=dict)
    running: Mapping[str, Any] | None = None
    port: Literal["free", "taken", "forbidden", "no_such_address"] = "free"
    others: set[tuple[str, int]] = field(default_factory=set)
    broker_error: str = ""
    upstream: str = ""
    date: dt.date = dt.date(2026, 12, 24)
    file_system: Disk = field(default_factory=lambda: Disk(10**10, read_only=False, kind="ext4"))
    write_time: float | OSError = 0.01
    kept: Record | OSError = field(default_factory=Record)
    listens: str = ""

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def cell(self, path: str) -> int | None:
        return self.cells.get(path)

    def glob(self, pattern: str) -> list[str]:
        return sorted(path for path in self.files if fnmatch(path, pattern))

    def access(self, path: str) -> Access:
        if path not in self.files and path not in {port.name for port in self.plugged}:
            return Access("missing")
        return Access("no" if path in self.forbidden else "yes", self.owner)

    def groups(self) -> frozenset[str]:
        return frozenset(self.in_groups)

    def has_group(self, name: str) -> bool:
        return True

    def run(self, *command: str) -> str | None:
        outputs = [text for start, text in self.programs.items() if " ".join(command).startswith(start)]
        return outputs[0] if outputs else None

    def has_program(self, name: str) -> bool:
        return any(command.split()[0] == name for command in self.programs)

    def has_package(self, name: str) -> bool:
        return name in self.packages

    def ports(self) -> list[Port]:
        return self.plugged

    def probe(self, port: str) -> Answer | None:
        answer = self.answers.get(port)
        if isinstance(answer, DeviceLost):
            raise answer
        return answer

    def hub_status(self, host: str, port: int, *, secure: bool) -> Mapping[str, Any] | None:
        return self.running

    def port_state(self, host: str, port: int) -> Literal["free", "taken", "forbidden", "no_such_address"]:
        return self.port

    def reaches(self, host: str, port: int) -> bool:
        return (host, port) in self.others

    def upstream_error(self, part: UpstreamPart, hub: str) -> str:
        return self.upstream

    def start_broker(self, program: str) -> None:
        if self.broker_error:
            raise HubError(self.broker_error)

    def today(self) -> dt.date:
        return self.date

    def disk(self, folder: str) -> Disk:
        return self.file_system

    def listener(self, port: int) -> str:
        return self.listens

    def record(self, folder: str) -> Record:
        if isinstance(self.kept, OSError):
            raise self.kept
        return self.kept

    def write_seconds(self, folder: str) -> float:
        if isinstance(self.write_time, OSError):
            raise self.write_time
        return self.write_time


def hub_that_runs(**table: Any) -> Mapping[str, Any]:
    health = {"boxes": {}, "devices": {}, "dice": {}, "broker": ""} | table
    return {"v": 1, "hub": "hub", "url": "http://10.42.0.1:8080", "tables": {"1": health}}


class Examination:
    """A run of the doctor on a made-up computer."""

    def __init__(self, folder: Path) -> None:
        self.config = folder / "table-hub.toml"
        self.machine = FakeMachine()

    def __call__(self, toml: str = "", **machine: Any) -> list[Finding]:
        for name, value in machine.items():
            setattr(self.machine, name, value)
        self.config.write_text('[web]\naddress = "10.42.0.1"\n' + toml, encoding="utf-8")
        return examine(self.machine, str(self.config))

    def about(self, check: str, toml: str = "", **machine: Any) -> Finding:
        """Return the one finding of that check."""
        (found,) = (finding for finding in self(toml, **machine) if finding.check == check)
        return found
