"""The installer: put this clone beside the releases that are there, switch to it, and go back if it does not run.

    /opt/table-hub/releases/0.1.0-20261122T051500Z  a copy of a clone, with Python packages of its own
    /opt/table-hub/current                          a link to the release that runs, switched by one rename
    /opt/table-hub/trial                            while a new release has not run yet: the one to go back to

At every instant `current` leads to a whole release: a new one is written to the disk before the link is switched, and
the last good one stays. `make install` runs this file with the system's Python, so it imports only the standard library.
"""

from __future__ import annotations

import argparse
import grp
import json
import os
import pwd
import re
import shutil
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

if __name__ == "__main__":  # by its path, before there is anything else
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from hub.operations.setup import (
    EXTRAS,
    ROOT,
    FolderLock,
    Machine,
    Need,
    Setup,
    SetupError,
    exec_newer_python,
    read,
    told_of_compiling,
    told_of_packages,
)
from hub.version import COMMIT_FILE, commit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HUB, KIOSK = "table-hub", "table-hub-kiosk"  # a service and its user have one name
HUB_GROUPS = ("gpio", "spi", "i2c", "dialout", "bluetooth", "video")
KIOSK_GROUPS = (
    "video",
    "render",
    "audio",
)  # keyboards and touch panels are opened by logind, for the screen's session only
KIOSK_LEAVES = "input"  # until 0.1 the kiosk was in it, and could read every keyboard
KIOSK_NEEDS = (
    Need("cage", "cage", "gives the browser the whole screen"),
    Need("chromium", "chromium", "the browser of the big screen"),
    Need("Xwayland", "xwayland", "cage of Debian 12 does not start without it"),
    Need("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core", "letters and seat marks"),
)
# Measured on Debian 13, in MB, with what is only needed while installing.
RELEASE_MB, PACKAGES_MB, KIOSK_MB = 600, 300, 1000
PROCESS_STARTS = 90.0  # seconds that a start may take, as TimeoutStartSec of the unit says
STABLE = 12.0  # seconds without a restart: longer than WatchdogSec
LEFT_BEHIND = (".git", ".venv", "node_modules", ".state", "__pycache__", ".hypothesis", "build", "dist", "*.egg-info")
UNDER_VOLTAGE = 1  # bit 0 of `vcgencmd get_throttled`


@dataclass(frozen=True)
class Places:
    """Where everything is put; `dest` is in front of each place, for packagers and tests."""

    dest: str = ""

    def at(self, path: str) -> Path:
        """Return the place on this disk that will be `path`."""
        return Path(self.dest + path)

    @property
    def opt(self) -> Path:
        """Return the folder of the releases and of the link to the one that runs."""
        return self.at("/opt/table-hub")

    @property
    def releases(self) -> Path:
        """Return the folder that holds one folder a release."""
        return self.opt / "releases"

    @property
    def current(self) -> Path:
        """Return the link to the release that runs."""
        return self.opt / "current"

    @property
    def trial(self) -> Path:
        """Return the file that names the release to go back to, and counts the starts of the new one."""
        return self.opt / "trial"

    @property
    def config(self) -> Path:
        """Return the owner's configuration."""
        return self.at("/etc/table-hub/table-hub.toml")

    @property
    def database(self) -> Path:
        """Return the database of the installed hub, where its configuration names no other state folder."""
        return self.at("/var/lib/table-hub/table-hub.db")

    @property
    def command(self) -> Path:
        """Return the link that is the command `table-hub`."""
        return self.at("/usr/local/bin/table-hub")

    @property
    def rules(self) -> Path:
        """Return the udev rules."""
        return self.at("/etc/udev/rules.d/70-table-hub.rules")

    @property
    def power(self) -> Path:
        """Return the rule that lets the hub switch its machine off."""
        return self.at("/etc/polkit-1/rules.d/50-table-hub.rules")

    @property
    def keyboard(self) -> Path:
        """Return the kernel's setting for keyboards at the big screen."""
        return self.at("/etc/sysctl.d/60-table-hub-kiosk.conf")

    @property
    def power_keys(self) -> Path:
        """Return the udev rule for keyboards at the big screen."""
        return self.at("/etc/udev/rules.d/72-table-hub-kiosk.rules")

    def unit(self, service: str) -> Path:
        """Return the unit file of a service."""
        return self.at(f"/etc/systemd/system/{service}.service")


@dataclass(frozen=True)
class Listener:
    """Who listens on a port: the user, and the command where this process may see it."""

    uid: int
    command: str = ""

    def __str__(self) -> str:
        try:
            user = pwd.getpwuid(self.uid).pw_name
        except KeyError:
            user = str(self.uid)
        return f"`{self.command}` of {user}" if self.command else f"a program of {user}"


class Computer(Machine):
    """This computer, as far as the installer asks it beside what set-up does. Tests replace it."""

    proc = Path("/proc")

    def listener(self, port: int) -> Listener | None:
        """Return who listens on a TCP port here; None when it is free."""
        for table in ("net/tcp", "net/tcp6"):
            for line in (read(self.proc / table) or "").splitlines()[1:]:
                words = line.split()
                if words[3] == "0A" and int(words[1].rpartition(":")[2], 16) == port:
                    return Listener(int(words[7]), self._command_of_socket(words[9]))
        return None

    def _command_of_socket(self, inode: str) -> str:
        """Return the command line that holds a socket; "" where only root may see that."""
        for handle in self.proc.glob("[0-9]*/fd/*"):
            try:
                if str(handle.readlink()) == f"socket:[{inode}]":
                    return (read(handle.parent.parent / "cmdline") or "").replace("\0", " ").strip()
            except OSError:
                continue  # it ended, or it is another user's
        return ""

    def uid(self, user: str) -> int | None:
        """Return a user's number; None when there is no such user."""
        try:
            return pwd.getpwnam(user).pw_uid
        except KeyError:
            return None

    def groups(self, names: Iterable[str]) -> list[str]:
        """Return those of the groups that this system has."""
        there = {group.gr_name for group in grp.getgrall()}
        return [name for name in names if name in there]

    def free_megabytes(self, folder: Path) -> int:
        """Return the room on the disk of a folder, which need not exist yet."""
        while not folder.exists():
            folder = folder.parent
        return shutil.disk_usage(folder).free // 2**20

    def throttled(self) -> int:
        """Return the firmware's bits of `vcgencmd get_throttled`; 0 where there is no such program."""
        if self.find("vcgencmd") is None:
            return 0
        answer = self.output("vcgencmd", "get_throttled")
        found = re.search(r"=0x([0-9a-fA-F]+)", answer)
        return int(found[1], 16) if found else 0

    def output(self, *command: str) -> str:
        """Return what a command prints; "" when it fails."""
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout

    def service(self, name: str) -> dict[str, str]:
        """Return what systemd says of a service."""
        answer = self.output("systemctl", "show", f"{name}.service", "-p", "ActiveState,MainPID,NRestarts")
        return dict(line.partition("=")[::2] for line in answer.splitlines())

    def answers(self, url: str) -> bool:
        """Return whether a web address is answered within two seconds."""
        context = ssl.create_default_context()
        context.check_hostname = False  # the hub's own certificate, asked by number
        context.verify_mode = ssl.CERT_NONE
        try:
            with urllib.request.urlopen(url, timeout=2, context=context):  # noqa: S310 - http or https of this machine
                return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False

    def now(self) -> str:
        """Return the date and time in UTC as a release's name has it."""
        return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())

    def monotonic(self) -> float:
        """Return seconds that only grow."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)

    def write_to_disk(self, folder: Path) -> None:
        """Return when the file system of a folder is on the disk: a power cut then takes nothing of it."""
        subprocess.run(["sync", "--file-system", str(folder)], check=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Install, go back or remove; return 0 when it is done."""
    parser = argparse.ArgumentParser(prog="make install ARGS=...", description="Put table-hub on this machine.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--back", action="store_true", help="go back to the release before; needs no network")
    what.add_argument("--remove", action="store_true", help="take it away again; configuration and games stay")
    parser.add_argument("--kiosk", action="store_true", help="also the big screen: Chromium alone on the first console")
    parser.add_argument("--say", action="store_true", help="only say what would be changed")
    parser.add_argument("--extras", default="", help=f"{', '.join(EXTRAS)}; several with commas")
    parser.add_argument("--said", metavar="RELEASE", help=argparse.SUPPRESS)  # before sudo
    arguments = parser.parse_args(argv)
    extras = {*filter(None, arguments.extras.replace(" ", ",").split(","))}
    try:
        exec_newer_python(__file__)
        os.umask(0o022)  # the hub's user reads what root installs
        places = Places(os.environ.get("DESTDIR", ""))
        installer = Installer(ROOT, places, Computer(), extras, kiosk=arguments.kiosk, name=arguments.said)
        if arguments.remove:
            said, change = installer.said_of_removing(), installer.remove
        elif arguments.back:
            said, change = installer.said_of_going_back(), installer.go_back
        else:
            said, change = installer.said_of_installing(), installer.install
        if not arguments.said:
            print("\n".join(said), flush=True)
        if arguments.say:
            return 0
        if not places.dest and not installer.machine.root:
            exec_as_root([*(sys.argv[1:] if argv is None else argv), "--said", installer.name])
        change()
    except SetupError as error:
        print(f"install: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninstall: stopped; the same command begins again.", file=sys.stderr)
        return 130
    return 0


def exec_as_root(arguments: Sequence[str]) -> None:
    """Go on as root, with what will be changed said already. Raise SetupError where there is no sudo."""
    if shutil.which("sudo") is None:
        raise SetupError("there is no sudo here; run this as root.")
    command = ["sudo", "--", sys.executable, "-I", str(Path(__file__).resolve()), *arguments]
    os.execvp("sudo", command)  # noqa: S606 - the same program


def matches_under_way(database: Path) -> list[tuple[str, str]]:
    """Return table and game of each match that a database has under way; nothing where it cannot be read.

    A copy is read: root must leave no file of SQLite's behind that the hub's user could not open.
    """
    try:
        with tempfile.TemporaryDirectory() as copies:
            copy = Path(copies, "copy.db")
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{database}{suffix}", f"{copy}{suffix}")
            with closing(sqlite3.connect(copy)) as db:
                found = db.execute("SELECT * FROM matches WHERE result IS NULL")  # `aside` is not in the first form
                names = [column[0] for column in found.description]
                rows = [dict(zip(names, row, strict=True)) for row in found]
                return [(row["table"], json.loads(row["head"])["game"]) for row in rows if row.get("aside") is None]
    except (sqlite3.Error, OSError, ValueError, TypeError, KeyError):
        return []


class Installer:
    """The steps from a clone to a running service, in an order that leaves a hub wherever it is cut off."""

    def __init__(
        self,
        clone: Path,
        places: Places,
        machine: Computer,
        extras: Iterable[str] = (),
        *,
        kiosk: bool = False,
        name: str | None = None,
    ) -> None:
        self.clone = clone
        self.places = places
        self.machine = machine
        self.extras = {*extras, *self.extras_that_run()}
        self.kiosk = kiosk or places.unit(KIOSK).exists()
        self.name = name or self.new_name()

    def new_name(self) -> str:
        """Return the name of the release that would be installed now: its version and the time."""
        version = re.search(r'^version = "([^"]+)"', read(self.clone / "pyproject.toml") or "", re.MULTILINE)
        name = f"{version[1] if version else 'unknown'}-{self.machine.now()}"
        taken = len([*self.places.releases.glob(f"{name}*")])
        return f"{name}-{taken + 1}" if taken else name

    @property
    def on_this_system(self) -> bool:
        """Return whether this machine itself is changed, not a packager's folder."""
        return not self.places.dest

    def running(self) -> Path | None:
        """Return the release that `current` leads to; None when there is none."""
        release = self.places.releases / self.places.current.readlink().name if self.linked() else None
        return release if release is not None and release.is_dir() else None

    def extras_that_run(self) -> set[str]:
        """Return the extras of the release that runs: an update keeps what its devices need."""
        here = self.running()
        stamp = json.loads((here and read(here / ".venv/table-hub.stamp")) or "{}")
        return {*stamp.get("groups", ())} & {*EXTRAS}

    def linked(self) -> bool:
        """Return whether there is a link `current`."""
        return self.places.current.is_symlink()

    def earlier(self) -> Path | None:
        """Return the newest release that has run well and does not run now."""
        good = sorted(folder.parent for folder in self.places.releases.glob("*/good"))
        others = [release for release in good if release != self.running()]
        return others[-1] if others else None

    # --- what will be changed ---------------------------------------------------------------------

    def said_of_installing(self) -> list[str]:
        """Return every change, a line each. Raise SetupError for what makes installing impossible; change nothing."""
        self.check_system()
        for extra in sorted(self.extras - set(EXTRAS)):
            raise SetupError(f'there is no extra "{extra}"; EXTRAS may name {", ".join(EXTRAS)}.')
        places, here = self.places, self.running()
        if self.clone == places.opt or places.opt in self.clone.parents:
            raise SetupError(f"this clone lies in {places.opt}, where releases are kept: move it to your home.")
        packages = self.missing_packages() if self.on_this_system else {}
        said = [f"This changes, under {places.dest or '/'}:"]
        if packages:
            said.append("  Debian packages, from this system's own sources:")
            said += told_of_packages(packages)
        extras = f" (with {', '.join(sorted(self.extras))})" if self.extras else ""
        said.append(
            f"  /opt/table-hub/releases/{self.name}  a copy of {self.clone}, with Python packages of its own{extras}"
        )
        if self.on_this_system:
            said += told_of_compiling(self.machine.processor, self.groups())
        said.append("  /opt/table-hub/current  a link to the release that runs, switched when all is there")
        if here is not None:
            said.append(f"    {here.name} stays, and comes back by itself if the new one does not run")
        said.append("  /etc/systemd/system/table-hub.service  started now and with every boot")
        if self.kiosk:
            said.append("  /etc/systemd/system/table-hub-kiosk.service  the first console becomes the big screen")
            said.append("  /etc/sysctl.d/60-table-hub-kiosk.conf  Alt+SysRq on its keyboard does nothing")
            said.append(
                "  /etc/udev/rules.d/72-table-hub-kiosk.rules  nor do the keys Power and Sleep of a USB keyboard"
            )
        said.append("  /etc/udev/rules.d/70-table-hub.rules  names for the seat boxes")
        said.append("  /etc/polkit-1/rules.d/50-table-hub.rules  the hub's staff may switch this machine off")
        said.append("  /usr/local/bin/table-hub  the command `table-hub`, which runs as the hub's user")
        kept = places.config.exists()
        said.append(
            f"  /etc/table-hub/table-hub.toml  {'stays as it is' if kept else 'the configuration, for you to edit'}"
        )
        for user, groups in ((HUB, HUB_GROUPS), *([(KIOSK, KIOSK_GROUPS)] if self.kiosk else [])):
            named = ", ".join(self.machine.groups(groups)) or "no other"
            said.append(f"  user {user}, without a login, in the groups {named}")
        said.append("  /var/lib/table-hub  where the hub keeps its games")
        if self.on_this_system:
            said += self.look(packages)
        return said

    def check_system(self) -> None:
        """Refuse a machine that is not run by systemd."""
        if self.on_this_system and not self.machine.runs_systemd():
            raise SetupError(
                "this machine is not run by systemd; use `make demo` or `.venv/bin/table-hub run` instead."
            )

    def groups(self) -> set[str]:
        """Return the dependency groups that the release gets."""
        return self.extras | ({"pi"} if self.machine.is_raspberry_pi() else set())

    def missing_packages(self) -> dict[str, str]:
        """Return the Debian packages to install, each with its reason."""
        setup = self.set_up(self.places.releases / self.name)
        groups = self.groups()
        found = reduce(or_, setup.missing_optional_packages(groups, {}), setup.missing_packages(groups))
        return found | (setup.missing(KIOSK_NEEDS) if self.kiosk else {})

    def look(self, packages: Mapping[str, str]) -> list[str]:
        """Return what the owner should know of this machine. Raise SetupError for what must be mended first."""
        machine = self.machine
        port = self.port()
        listener = machine.listener(port) if port else None
        if listener is not None and listener.uid != machine.uid(HUB):
            raise SetupError(
                f"port {port} is taken by {listener}: stop it, or give the hub another `port` under [web] in "
                f"{self.places.config}. Nothing was changed."
            )
        command = self.places.command
        if command.exists() and not command.is_symlink():
            raise SetupError(f"{command} is a file of yours: move it away, the command of the hub goes there.")
        needed = RELEASE_MB + (PACKAGES_MB if packages else 0) + (KIOSK_MB if "chromium" in packages else 0)
        free = machine.free_megabytes(self.places.releases)
        if free < needed:
            raise SetupError(f"this takes {needed} MB and the disk has {free} MB left: make room. Nothing was changed.")
        said = []
        if machine.throttled() & UNDER_VOLTAGE:
            said.append("Look: the supply of this Pi is too weak right now (under-voltage); use the maker's own.")
        said += [
            f"Look: a match of {game} is under way at table {table}. It goes on after the restart of the hub, unless this "
            "release has changed its rules; then it is set aside until they are back."
            for table, game in matches_under_way(self.places.database)
        ]
        missing = [group for group in HUB_GROUPS if group not in machine.groups(HUB_GROUPS)]
        if missing and machine.is_raspberry_pi():
            said.append(f"Look: this system has no group {', '.join(missing)}: what needs it will be out of reach.")
        return said

    def web(self) -> dict[str, object]:
        """Return the section [web] of the owner's configuration; empty where the hub itself will refuse it."""
        import tomllib  # noqa: PLC0415 - only a Python that can run the hub has it

        try:
            web = tomllib.loads(read(self.places.config) or "").get("web", {})
        except ValueError:
            return {}
        return web if isinstance(web, dict) else {}

    def port(self) -> int:
        """Return the port of the owner's configuration; 0 where the hub takes any free one."""
        port = self.web().get("port", 8080)
        return port if isinstance(port, int) else 8080

    # --- installing -------------------------------------------------------------------------------

    def install(self) -> None:
        """Build the release, switch to it, start it, and go back if it does not run."""
        places = self.places
        before = self.running()
        release = places.releases / self.name
        release.mkdir(parents=True)
        with FolderLock(places.releases):
            try:
                self.build(release)
                if self.on_this_system:
                    self.add_users()
                    self.check_configuration(release)
            except BaseException:  # also Ctrl-C: nothing half-made stays
                shutil.rmtree(release, ignore_errors=True)
                raise
            self.switch(release, before)
            if self.on_this_system and not self.start(release):
                self.give_up(release, before)
            (release / "good").touch()
            places.trial.unlink(missing_ok=True)
            self.tidy({release, *([before] if before else [])})
        if self.on_this_system:
            self.machine.say(f"table-hub {release.name} runs. Configuration: {places.config}, then")
            self.machine.say("`sudo systemctl restart table-hub`. `table-hub doctor` looks at everything.")
            status = self.machine.output("systemctl", "show", HUB, "--value", "--property=StatusText")
            if address := re.search(r"https?://\S+", status):
                screen = "" if self.kiosk else "; which screen can show the table: hub/docs/run.md"
                self.machine.say(f"Phones join at {address[0]}{screen}.")

    def build(self, release: Path) -> None:
        """Fill a release: the program, its packages and its pages' libraries, on the disk when this returns."""
        say = self.machine.say
        if self.on_this_system:
            packages = self.missing_packages()
            if packages:
                say("Debian's packages are installed ...")
                self.set_up(release).add_packages(packages)
            say("The release is built ...")
        copy_tree(self.clone, release)
        if commit := commit_of(self.clone):
            write(release / COMMIT_FILE, f"{commit}\n")
        if self.on_this_system:
            self.set_up(release).prepare(self.extras, announce=False)
            # Its services may write nothing here: without this they compile every module anew at each start.
            python = str(release / ".venv/bin/python")
            self.machine.run_quietly([python, "-m", "compileall", "-qq", "-j", "0", str(release)])
            self.machine.write_to_disk(release)

    def set_up(self, release: Path) -> Setup:
        """Return the set-up of a release's own folder."""
        return Setup(release, self.machine)

    def add_users(self) -> None:
        """Make the users of the services, in those of their groups that this system has."""
        for user, groups in ((HUB, HUB_GROUPS), *([(KIOSK, KIOSK_GROUPS)] if self.kiosk else [])):
            if self.machine.uid(user) is None:
                no_login = ["--no-create-home", "--shell", "/usr/sbin/nologin"]
                self.must("useradd", "--system", "--user-group", "--home-dir", f"/var/lib/{user}", *no_login, user)
            there = self.machine.groups(groups)
            if there:
                self.must("usermod", "--append", "--groups", ",".join(there), user)
        if self.kiosk:
            self.machine.run_quietly(["gpasswd", "--delete", KIOSK, KIOSK_LEAVES])  # fails where it is not in it

    def check_configuration(self, release: Path) -> None:
        """Refuse to switch to a release that would refuse the owner's configuration."""
        if not self.places.config.exists():
            return
        command = [str(release / ".venv/bin/table-hub"), "run", "--config", str(self.places.config), "--print-config"]
        code, output = self.machine.run_quietly(command)
        if code:
            raise SetupError(f"{output.strip()} Nothing was changed: the hub that is installed plays on.")

    def switch(self, release: Path, before: Path | None) -> None:
        """Let `current` lead to a release, and put its services in their places."""
        places = self.places
        if before is not None:
            write(places.trial, f"{before.name}\n")
        self.lead_to(release)
        if not places.config.exists():
            text = (release / "systemd/table-hub.toml").read_text("utf-8")
            text = re.sub(r'^state = "[^"]*"', 'state = "/var/lib/table-hub"', text, count=1, flags=re.MULTILINE)
            write(places.config, text)
        self.place_services(release)

    def lead_to(self, release: Path) -> None:
        """Switch the link `current` by one rename."""
        link = self.places.opt / "current.new"
        link.unlink(missing_ok=True)
        link.symlink_to(Path("releases") / release.name)
        link.replace(self.places.current)

    def place_services(self, release: Path) -> None:
        """Write units, udev rules and the command of a release, each whole or not at all."""
        places, files = self.places, release / "systemd"
        for service in (HUB, *([KIOSK] if self.kiosk else [])):
            write(places.unit(service), (files / f"{service}.service").read_text("utf-8"))
        write(places.rules, (files / "70-table-hub.rules").read_text("utf-8"))
        power = read(files / "50-table-hub.rules")  # an earlier release has none
        if power is not None:
            write(places.power, power)
        for file in (places.keyboard, places.power_keys) if self.kiosk else ():
            text = read(files / file.name)
            if text is not None:
                write(file, text)
        if not places.command.is_symlink():
            places.command.parent.mkdir(parents=True, exist_ok=True)
            places.command.symlink_to("/opt/table-hub/current/systemd/table-hub")

    def start(self, release: Path) -> bool:
        """Start the services anew; return whether the hub of this release runs, answers, and goes on running."""
        for command in (
            ("systemctl", "daemon-reload"),
            ("udevadm", "control", "--reload"),
            ("udevadm", "trigger", "--subsystem-match=tty"),
            ("systemctl", "enable", "--quiet", HUB),
        ):
            self.machine.run_quietly(list(command))
        self.machine.run_quietly(["systemctl", "reset-failed", HUB])
        self.must("systemctl", "restart", "--no-block", HUB)
        healthy = self.healthy(release)
        if self.kiosk and self.places.keyboard.exists():
            self.machine.run_quietly(["sysctl", "--quiet", "--load", str(self.places.keyboard)])
        if self.kiosk and healthy:
            self.machine.run_quietly(["systemctl", "enable", "--quiet", KIOSK])
            self.machine.run_quietly(["systemctl", "restart", "--no-block", KIOSK])
        return healthy

    def healthy(self, release: Path) -> bool:
        """Return whether the service becomes active, answers on its port, and stays the same process for a while."""
        machine, began, since = self.machine, self.machine.monotonic(), None
        process = ""
        while machine.monotonic() - began < PROCESS_STARTS + STABLE:
            machine.wait(0.5)
            unit = machine.service(HUB)
            if unit.get("ActiveState") == "failed" or int(unit.get("NRestarts") or 0) > 1:
                return False
            if unit.get("ActiveState") != "active" or not self.answers():
                since = None
                continue
            if since is None or unit["MainPID"] != process:
                since, process = machine.monotonic(), unit["MainPID"]
            if machine.monotonic() - since >= STABLE:
                return self.running() == release  # systemd/trial.sh may have gone back by itself
        return False

    def answers(self) -> bool:
        """Return whether the hub answers on its port; a port that the hub may choose itself cannot be asked."""
        web, port = self.web(), self.port()
        host = str(web.get("host", ""))
        if not port:
            return True
        host = "127.0.0.1" if host in ("", "0.0.0.0", "::") else f"[{host}]" if ":" in host else host  # noqa: S104
        return self.machine.answers(f"{'https' if web.get('tls_cert') else 'http'}://{host}:{port}/status.json")

    def give_up(self, release: Path, before: Path | None) -> None:
        """Go back to the release before, if there is one. Raise SetupError with what the new one said last."""
        last = self.machine.output("journalctl", "-u", HUB, "-n", "12", "-o", "cat", "--no-pager")
        self.machine.say("The last lines of the hub's journal:")
        self.machine.say(last.rstrip())
        if before is None:
            raise SetupError(
                "the hub is installed and does not run; the lines above say why. `journalctl -u table-hub`"
            )
        self.switch(before, None)
        runs = self.start(before)
        self.places.trial.unlink(missing_ok=True)
        shutil.rmtree(release, ignore_errors=True)
        state = "runs again" if runs else "is back, but does not run either"
        raise SetupError(f"{release.name} does not run on this machine; {before.name} {state}.")

    def tidy(self, kept: set[Path]) -> None:
        """Remove the releases that nobody goes back to, and a program installed before there were releases."""
        opt = self.places.opt
        for release in self.places.releases.iterdir():
            if release not in kept:
                shutil.rmtree(release)
        if (opt / "hub").is_dir() and not (opt / ".git").exists():  # with .git it is a clone of the owner's
            for old in opt.iterdir():
                if old.name in ("releases", "current"):
                    continue
                shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()

    # --- going back and removing ------------------------------------------------------------------

    def said_of_going_back(self) -> list[str]:
        """Return what going back changes. Raise SetupError when there is nothing to go back to."""
        self.check_system()
        earlier, here = self.earlier(), self.running()
        if earlier is None:
            raise SetupError(f"there is no earlier release in {self.places.releases}.")
        return [f"This goes back from {here.name if here else 'nothing'} to {earlier.name}, without a network."]

    def go_back(self) -> None:
        """Switch to the release before and start it. Raise SetupError when it does not run."""
        earlier, here = self.earlier(), self.running()
        if earlier is None:
            raise SetupError(f"there is no earlier release in {self.places.releases}.")
        with FolderLock(self.places.releases):
            self.switch(earlier, here)
            if self.on_this_system and not self.start(earlier):
                raise SetupError(f"{earlier.name} does not run; `journalctl -u table-hub` says why.")
            self.places.trial.unlink(missing_ok=True)
        self.machine.say(f"table-hub {earlier.name} runs; the same command again goes forth to the newer one.")

    def said_of_removing(self) -> list[str]:
        """Return what removing changes."""
        return [
            "This removes /opt/table-hub, the services table-hub and table-hub-kiosk, the command table-hub and",
            "its files in /etc/udev/rules.d, /etc/polkit-1/rules.d and /etc/sysctl.d (Alt+SysRq and power keys work again after",
            "the next start of the machine). /etc/table-hub and /var/lib/table-hub (configuration and games) stay; so do the users",
            "table-hub and table-hub-kiosk, and Debian's packages.",
        ]

    def remove(self) -> None:
        """Stop the services and remove what was installed, except configuration and games."""
        places = self.places
        if self.on_this_system:
            for service in (HUB, KIOSK):
                if places.unit(service).exists():
                    self.machine.run_quietly(["systemctl", "disable", "--now", "--quiet", f"{service}.service"])
        links = (places.trial, places.current)
        rules = (places.rules, places.power, places.keyboard, places.power_keys)
        for file in (places.unit(HUB), places.unit(KIOSK), *rules, *links):
            file.unlink(missing_ok=True)
        if places.command.is_symlink():
            places.command.unlink()
        if self.clone == places.opt or places.opt in self.clone.parents:  # an owner's clone
            shutil.rmtree(places.releases, ignore_errors=True)
        elif places.opt.is_dir():
            shutil.rmtree(places.opt)
        if self.on_this_system:
            self.machine.run_quietly(["systemctl", "daemon-reload"])
            self.machine.say("table-hub is removed; configuration and games stay.")

    def must(self, *command: str) -> None:
        """Run a command; raise SetupError with what it said when it fails."""
        code, output = self.machine.run_quietly([*command])
        if code:
            raise SetupError(f"`{' '.join(command)}` failed: {output.strip() or f'exit {code}'}")


def copy_tree(source: Path, target: Path) -> None:
    """Copy a clone without what is made in it, readable for everybody, writable for the owner only."""

    def copy(file: str, to: str) -> None:
        shutil.copyfile(file, to)
        Path(to).chmod(0o755 if Path(file).stat().st_mode & 0o100 else 0o644)

    left_behind = shutil.ignore_patterns(*LEFT_BEHIND, ".*_cache")
    shutil.copytree(source, target, symlinks=True, ignore=left_behind, copy_function=copy, dirs_exist_ok=True)
    for folder, _, _ in os.walk(target):
        Path(folder).chmod(0o755)


def write(file: Path, text: str) -> None:
    """Write a file in one rename, readable for everybody."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new")
    with new.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    new.chmod(0o644)
    new.replace(file)


if __name__ == "__main__":
    sys.exit(main())
