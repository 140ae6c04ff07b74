"""A computer whose packages, users and services are pretended; its files are real, below one folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from hub.operations.install import Computer, Installer, Listener, Places
from hub.operations.setup import Need, Setup

CLONE_FILES = {
    "pyproject.toml": 'version = "0.1.0"\n',
    "hub/errors.py": "",
    "systemd/70-table-hub.rules": "rule\n",
    "systemd/50-table-hub.rules": "rule\n",
    "systemd/table-hub": "#!/bin/sh\n",
    "systemd/table-hub.service": "[Service]\nExecStart=/opt/table-hub/current/.venv/bin/table-hub\n",
    "systemd/table-hub-kiosk.service": "[Service]\n",
    "systemd/60-table-hub-kiosk.conf": "kernel.sysrq = 0\n",
    "systemd/72-table-hub-kiosk.rules": "power keys\n",
    "systemd/table-hub.toml": '[hub]\nstate = "~"\n',
}


class FakeComputer(Computer):
    """`broken` names releases whose hub does not run."""

    root = True

    def __init__(self, places: Places) -> None:
        self.places = places
        self.said: list[str] = []
        self.commands: list[str] = []
        self.clock = 0.0
        self.broken: set[str] = set()
        self.port_taken: Listener | None = None
        self.free = 10_000
        self.bits = 0
        self.refused = ""
        self.pi = False
        self.lacks: set[str] = set()

    def started(self) -> str:
        """Return the release that `current` leads to."""
        return self.places.current.readlink().name

    def find(self, program: str) -> str | None:
        return f"/usr/bin/{program}"

    def has(self, need: Need) -> bool:
        return need.package not in self.lacks

    def is_raspberry_pi(self) -> bool:
        return self.pi

    def runs_systemd(self) -> bool:
        return True

    def say(self, line: str) -> None:
        self.said.append(line)

    def run_quietly(self, command: Sequence[str], cwd: Path | None = None) -> tuple[int, str]:
        self.commands.append(" ".join(command))
        return (78, self.refused) if self.refused and "--print-config" in command else (0, "")

    def output(self, *command: str) -> str:
        if "--property=StatusText" in command:  # as the hub tells systemd, in hub/supervisor.py
            return "1 table(s) at http://10.0.2.100:8080\n"
        return "the journal's last line\n" if command[0] == "journalctl" else ""

    def listener(self, port: int) -> Listener | None:
        return self.port_taken

    def uid(self, user: str) -> int | None:
        return 990

    def groups(self, names: Sequence[str]) -> list[str]:  # type: ignore[override]
        return [name for name in names if name != "spi"]

    def free_megabytes(self, folder: Path) -> int:
        return self.free

    def throttled(self) -> int:
        return self.bits

    def service(self, name: str) -> dict[str, str]:
        broken = self.started() in self.broken
        return {
            "ActiveState": "activating" if broken else "active",
            "MainPID": "7",
            "NRestarts": "3" if broken else "0",
        }

    def answers(self, url: str) -> bool:
        return True

    def now(self) -> str:
        return f"t{self.clock:06.0f}"

    def monotonic(self) -> float:
        return self.clock

    def wait(self, seconds: float) -> None:
        self.clock += seconds

    def write_to_disk(self, folder: Path) -> None:
        assert (folder / ".venv/bin/table-hub").exists(), "the release is whole when it goes to the disk"
        assert f" -m compileall -qq -j 0 {folder}" in self.commands[-1], "and compiled"


class FakeSetup(Setup):
    """Set-up that makes a program in a moment; its last file is the sign that a release is whole."""

    def prepare(self, extras: Iterable[str], goal: str = "setup", *, announce: bool = True) -> None:
        (self.venv / "bin").mkdir(parents=True)
        self.stamp.write_text(json.dumps({"groups": sorted(extras)}))
        (self.venv / "bin" / "table-hub").write_text("#!/bin/sh\n")


class InstallerBelow(Installer):
    """The installer of a whole system whose files lie below a folder."""

    on_this_system = True

    def set_up(self, release: Path) -> Setup:
        return FakeSetup(release, self.machine)


def clone_in(folder: Path) -> Path:
    """Return a small clone."""
    for name, text in CLONE_FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def installer(
    clone: Path, computer: FakeComputer, extras: Iterable[str] = (), *, kiosk: bool = False
) -> InstallerBelow:
    """Return an installer of that clone, a second later."""
    computer.clock += 1
    return InstallerBelow(clone, computer.places, computer, extras, kiosk=kiosk)
