"""Update the installed hub, and return to the previous packages if the new ones do not run.

`sudo table-hub update FILE...`, `make install` and `table-hub-update.service` start this file with the system's Python, so it
imports only the standard library. In /var/lib/table-hub-update it keeps

    previous/*.deb  the packages that ran before, rebuilt by dpkg-repack
    trial           exists until the new packages have run; after a power cut in between, the previous ones are installed again
    found/*.deb     a newer version that was looked for
    status.json     what was done last, for the hub's staff (hub/updates.py)

The hub does not start while `trial` exists and no update runs (table-hub.service, ExecCondition): it would be half of each.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hub.operations.update_source import Archives

HUB, KIOSK = "table-hub", "table-hub-kiosk"
"""The packages; each has a service and a user of the same name."""
FOLDER = Path("/var/lib/table-hub-update")
RUNNING = Path("/run/table-hub-update.lock")
"""Locked by the update that runs; gone after a power cut."""
CONFIG = Path("/etc/table-hub/table-hub.toml")
STARTS = 120.0
"""Seconds within which a phone can join a new hub, or it does not run."""
STABLE = 12.0
"""Seconds without a restart after which a hub runs: longer than WatchdogSec of its unit."""
ROOM_MB = 900
"""Free space for an update, as measured on Debian 13: both versions, and the archive of one."""


class UpdateError(Exception):
    """The update was not made; `str()` is one sentence that says what happened and what to do.

    `output` is what a command has printed that failed. `state` is what `status.json` says then.
    """

    state = "failed"

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output


class Machine:
    """Packages and services of this computer. Tests give it a root of its own, and pretended services."""

    root = "/"
    """Where dpkg keeps what it has installed."""

    def say(self, line: str) -> None:
        """Print a line for the person at the keyboard."""
        print(line, flush=True)

    def run(self, *command: str, cwd: Path | None = None) -> str:
        """Run a command and return what it prints. Raise UpdateError with that when it fails."""
        done = subprocess.run(
            command,
            cwd=cwd,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"},
        )
        if done.returncode:
            raise UpdateError(f"{command[0]} failed (exit {done.returncode}); the lines above say why.", done.stdout)
        return done.stdout

    def ask(self, *command: str) -> str:
        """Return what a command prints, whether or not it fails."""
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout

    # --- packages ---------------------------------------------------------------------------------

    def installed(self) -> dict[str, str]:
        """Return the versions of those of our packages that are installed whole."""
        form = "--showformat=${Package} ${Version} ${db:Status-Status}\n"
        lines = self.ask("dpkg-query", f"--root={self.root}", "--show", form, HUB, KIOSK).splitlines()
        found = [line.split() for line in lines]
        return {words[0]: words[1] for words in found if words[-1] == "installed"}

    def name_in(self, file: Path) -> str:
        """Return the name of the package in a file; "" if it is no package."""
        return self.ask("dpkg-deb", "--field", str(file), "Package").strip()

    def version_in(self, file: Path) -> str:
        """Return the version of the package in a file."""
        return self.ask("dpkg-deb", "--field", str(file), "Version").strip()

    def rebuild(self, packages: Sequence[str], folder: Path) -> None:
        """Write the installed packages into a folder as files. Raise UpdateError."""
        quick = ("--deb-option=-Zgzip", "--deb-option=-z1")
        self.run("dpkg-repack", f"--root={self.root}", "--tag=none", *quick, *packages, cwd=folder)
        if {self.name_in(file) for file in folder.glob("*.deb")} != {*packages}:  # dpkg-repack ends with 0 anyway
            raise UpdateError(f"dpkg-repack could not rebuild {' and '.join(packages)}; nothing was changed.")

    def install(self, files: Sequence[Path]) -> None:
        """Install packages with what they need. Raise UpdateError."""
        options = ["--yes", "--quiet", "--reinstall", "--allow-downgrades", "--option=Dpkg::Use-Pty=0"]
        # The system may be installing its own updates: wait for them, at most so many seconds.
        options += ["--option=DPkg::Lock::Timeout=600"]
        self.run("apt-get", "install", *options, *(str(file.resolve()) for file in files))

    def put_back(self, files: Sequence[Path]) -> None:
        """Install packages whose needs are there, whatever a cut-off update has left. Raise UpdateError."""
        self.run("dpkg", f"--root={self.root}", "--install", *map(str, files))

    # --- services ---------------------------------------------------------------------------------

    def service(self) -> dict[str, str]:
        """Return the hub's state as systemd has it."""
        properties = "--property=ActiveState,MainPID,NRestarts,StatusText"
        return dict(line.partition("=")[::2] for line in self.ask("systemctl", "show", HUB, properties).splitlines())

    def start(self) -> None:
        """Start the hub, if it does not run."""
        self.ask("systemctl", "start", "--no-block", HUB)

    def stop(self) -> None:
        """Stop the hub, and wait for its end."""
        self.ask("systemctl", "stop", HUB)

    def journal(self) -> str:
        """Return the hub's last lines."""
        return self.ask("journalctl", "--unit", HUB, "--lines=12", "--output=cat", "--no-pager").rstrip()

    def web(self) -> Mapping[str, object]:
        """Return the section [web] of the configuration."""
        return self._section("web")

    def updates(self) -> Mapping[str, object]:
        """Return the section [updates] of the configuration."""
        return self._section("updates")

    def _section(self, name: str) -> Mapping[str, object]:
        """Return a section of the configuration; empty if there is none, or the hub will refuse it."""
        try:
            section = tomllib.loads(CONFIG.read_text("utf-8")).get(name, {})
        except (OSError, ValueError):
            return {}
        return section if isinstance(section, dict) else {}

    def answers(self) -> bool:
        """Return whether a phone can open the page of the first table."""
        web = self.web()
        host, port = str(web.get("host", "")), web.get("port", 8080)
        if port == 0:  # the hub chooses one, and only it knows which
            return True
        host = "127.0.0.1" if host in ("", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104
        hub = f"{'https' if web.get('tls_cert') else 'http'}://{host}:{port}"
        own = ssl.create_default_context()  # the certificate is for a name, and we ask a number
        own.check_hostname, own.verify_mode = False, ssl.CERT_NONE
        try:
            with urllib.request.urlopen(f"{hub}/status.json", timeout=2, context=own) as status:  # noqa: S310 - this machine
                table = next(iter(json.load(status)["tables"]))
            with urllib.request.urlopen(f"{hub}/t/{table}", timeout=2, context=own):  # noqa: S310 - this machine
                return True
        except (OSError, ValueError, KeyError, StopIteration):
            return False

    def port_is_taken(self) -> bool:
        """Return whether a program has the hub's port."""
        port = self.web().get("port", 8080)
        with socket.socket() as probe:
            probe.settimeout(2)
            return isinstance(port, int) and port > 0 and probe.connect_ex(("127.0.0.1", port)) == 0

    def free_megabytes(self, folder: Path) -> int:
        """Return the free space on the disk of a folder."""
        return shutil.disk_usage(folder).free // 2**20

    def wall(self) -> float:
        """Return the time of the clock (Unix time)."""
        return time.time()

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def runs(self) -> bool:
        """Wait until a phone can join the hub and it has not restarted for a while. Return False if that takes too long."""
        began, since, process = self.monotonic(), 0.0, ""
        while self.monotonic() - began < STARTS:
            unit = self.service()
            if unit.get("ActiveState") == "failed" or int(unit.get("NRestarts") or 0) > 1:
                return False
            if unit.get("ActiveState") != "active" or not self.answers():
                process = ""
            elif unit["MainPID"] != process:
                process, since = unit["MainPID"], self.monotonic()
            elif self.monotonic() - since >= STABLE:
                return True
            self.wait(0.5)
        return False


class Updater:
    """The steps of an update, in an order that leaves a whole hub at every moment."""

    def __init__(self, machine: Machine, folder: Path = FOLDER) -> None:
        self._machine = machine
        self._folder = folder
        self._previous = folder / "previous"
        self._trial = folder / "trial"
        self._found = folder / "found"

    def note(self, state: str, version: str = "") -> None:
        """Note what is done now, and with which version: `status.json`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        new = self._folder / "status.new"
        new.write_text(json.dumps({"state": state, "version": version, "at": int(self._machine.wall())}), "utf-8")
        new.replace(self._folder / "status.json")

    def update(self, files: Sequence[Path], *, kiosk: bool = False) -> None:
        """Install packages from files, and return to the previous ones if the hub does not run with them.

        Parameters:
            files: of table-hub and table-hub-kiosk; the file of the big screen is left out where it is not installed.
            kiosk: install the big screen.

        Raise UpdateError if the new hub does not run in the end.
        """
        machine, before = self._machine, self._machine.installed()
        chosen = self._chosen(files, kiosk=kiosk or KIOSK in before)
        version = machine.version_in(next(file for file in chosen if machine.name_in(file) == HUB))
        self.note("installing", version)
        try:
            self._check_room()
            if before:
                machine.say("The version that runs is kept ...")
                self._keep(before)
        except UpdateError:
            self.note("failed", version)
            raise
        machine.say("The packages are installed, with what they need from Debian ...")
        try:
            machine.install(chosen)
        except UpdateError as error:
            if machine.installed() == before:
                self._trial.unlink(missing_ok=True)
                self.note("failed", version)
                raise
            machine.say(error.output)
            self._return(before, version)
        if not machine.runs():
            machine.say(f"The last lines of the hub's journal:\n{machine.journal()}")
            self._return(before, version)
        self._trial.unlink(missing_ok=True)
        shutil.rmtree(self._found, ignore_errors=True)
        self.note("installed", version)
        words = machine.service().get("StatusText", "").split()
        machine.say(f"table-hub {version} runs.")
        for address in (word for word in words if "://" in word):
            machine.say(f"Phones join at {address}.")

    def look(self, archives: Archives) -> list[Path]:
        """Look for a newer version. Return the files of its packages, none if there is no newer one. Raise UpdateError."""
        self.note("looking")
        try:
            version, files = archives.find(self._machine.installed())
        except UpdateError as error:
            self.note(error.state)
            raise
        self.note("found" if files else "newest", version)
        self._machine.say(f"Version {version} is there." if files else "There is no newer version.")
        return files

    def install_found(self) -> None:
        """Install the version that `look` has found. Raise UpdateError."""
        files = sorted(self._found.glob("*.deb"))
        if not files:
            raise UpdateError("no newer version was found: look for one first.")
        self.update(files)

    def back(self) -> None:
        """Install the previous packages, which can be returned from in the same way. Raise UpdateError."""
        files = sorted(self._previous.glob("*.deb"))
        if not files:
            raise UpdateError("there is no previous version: only an update leaves one.")
        held = self._folder / "next"
        shutil.rmtree(held, ignore_errors=True)
        self._previous.rename(held)
        self.update([held / file.name for file in files])
        shutil.rmtree(held)

    def resume(self) -> None:
        """Install the previous packages if a power cut has ended an update. Raise UpdateError."""
        if not self._trial.exists():
            return
        self._machine.say("An update was cut off: the previous version is installed again.")
        version = self._machine.installed().get(HUB, "")
        try:
            self._machine.put_back(sorted(self._previous.glob("*.deb")))
            self._trial.unlink()
            self.note("returned", version)
        finally:  # the postinst has started it, unless that failed: then whatever is there is better than nothing
            self._machine.start()

    def _chosen(self, files: Sequence[Path], *, kiosk: bool) -> list[Path]:
        """Return the files to install. Raise UpdateError for others than ours, and without the hub's."""
        names = {file: self._machine.name_in(file) for file in files}
        for file, name in names.items():
            if name not in (HUB, KIOSK):
                raise UpdateError(f"{file} is not a package of table-hub: take table-hub_*.deb.")
        if HUB not in names.values():
            raise UpdateError("the package table-hub is missing: name its file, too.")
        return [file for file, name in names.items() if name == HUB or kiosk]

    def _check_room(self) -> None:
        """Raise UpdateError if the disk is too full, or another program has the hub's port."""
        machine = self._machine
        if (free := machine.free_megabytes(self._folder)) < ROOM_MB:
            raise UpdateError(
                f"this takes {ROOM_MB} MB and the disk has {free} MB left: make room. Nothing was changed."
            )
        if machine.service().get("ActiveState") != "active" and machine.port_is_taken():
            raise UpdateError(
                "another program, perhaps `make demo`, uses the hub's port: end it, or change `port` under [web] in "
                f"{CONFIG}. Nothing was changed."
            )

    def _keep(self, packages: Mapping[str, str]) -> None:
        """Write the installed packages and the sign of a trial to the disk."""
        shutil.rmtree(self._previous, ignore_errors=True)
        self._previous.mkdir()
        self._machine.rebuild([*packages], self._previous)
        os.sync()
        self._trial.write_text("".join(f"{name} {version}\n" for name, version in packages.items()), "utf-8")
        os.sync()

    def _return(self, before: Mapping[str, str], version: str) -> None:
        """Install the previous packages again in place of `version`, and raise UpdateError with what came of it."""
        machine = self._machine
        if not before:
            raise UpdateError("table-hub is installed but does not run; the lines above say why.")
        machine.put_back(sorted(self._previous.glob("*.deb")))
        self._trial.unlink()
        self.note("returned", version)
        state = "runs again" if machine.runs() else "is installed again, but does not run either"
        raise UpdateError(
            f"the new version does not run on this machine; {before.get(HUB, 'the previous one')} {state}."
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Update, go back, look for an update or resume one; return 0 when that is done."""
    parser = argparse.ArgumentParser(prog="table-hub update", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE", help="packages; default: a newer version is looked for"
    )
    parser.add_argument(
        "--look", action="store_true", help="only look for a newer version, on USB sticks and at [updates] url"
    )
    parser.add_argument("--back", action="store_true", help="return to the previous version, without a network")
    parser.add_argument(
        "--kiosk", action="store_true", help="also install the big screen on this computer's own screen"
    )
    parser.add_argument("--install", action="store_true", help="install the version that was found")
    parser.add_argument("--resume", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if os.geteuid() != 0:
        sys.exit("table-hub update: run this with sudo.")
    os.umask(0o022)
    # Only a power cut ends an update halfway, or what apt starts for it.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    machine = Machine()
    updater = Updater(machine)
    with RUNNING.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if given.resume:
                updater.resume()
            elif given.back:
                updater.back()
            elif given.files:
                updater.update(given.files, kiosk=given.kiosk)
            elif given.install:
                updater.install_found()
            else:
                from hub.operations import update_source  # noqa: PLC0415 - `resume` gets by without

                files = updater.look(update_source.Archives(machine, FOLDER))
                if files and not given.look:
                    updater.update(files)
        except BlockingIOError:
            sys.exit("table-hub update: another update runs; wait for it.")
        except UpdateError as error:
            if error.output:
                machine.say(error.output.rstrip())
            sys.exit(f"table-hub update: {error}")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
    from hub.operations.update import main as run  # so that each class is there once

    sys.exit(run())
