"""This computer as far as the doctor asks it; tests hand in a pretended one. Nothing here changes anything that lasts."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import glob
import grp
import http.client
import json
import os
import pwd
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from serial.tools import list_ports

from drivers import hello
from drivers.hello import Met
from drivers.line import SteadyClock
from hub.network.mosquitto import Mosquitto

PATIENCE = 5.0  # seconds for a program or another computer to answer


class Access(NamedTuple):
    """Whether the hub's user may read and write a file, and to which group it belongs."""

    state: Literal["yes", "no", "missing", "hidden"]
    group: str = ""


class Port(NamedTuple):
    """A serial port on USB."""

    name: str
    vendor: int
    product: int
    serial: str


class Disk(NamedTuple):
    """The file system under a folder."""

    free: int  # bytes for the hub's user
    read_only: bool
    kind: str  # "ext4", "tmpfs", "overlay" ...; "" where the system does not tell, as in a chroot


class Machine:
    """The computer that the doctor is on, seen with the rights of the hub's user."""

    def __init__(self, user: str = "") -> None:
        self.me = pwd.getpwuid(os.geteuid()).pw_name
        self.user = user or self.me
        self.program = sys.argv[0]

    # --- files, programs, packages -------------------------------------------------------------------

    def text(self, path: str) -> str | None:
        """What a file says, or None if it is not there or not for us."""
        try:
            return Path(path).read_bytes().rstrip(b"\0\n").decode("utf-8", "replace")
        except OSError:
            return None

    def found(self, pattern: str) -> list[str]:
        """The paths that fit a pattern with *."""
        return sorted(glob.glob(pattern))  # noqa: PTH207 - the pattern is absolute

    def access(self, path: str) -> Access:
        """Whether the hub's user may use a file; nothing is opened."""
        try:
            status = Path(path).stat()
        except PermissionError:
            return Access("hidden")
        except OSError:
            return Access("missing")
        with contextlib.suppress(KeyError):
            group = grp.getgrgid(status.st_gid).gr_name
            mine = status.st_uid == pwd.getpwnam(self.user).pw_uid
            bits = status.st_mode >> (6 if mine else 3 if group in self.groups() else 0)
            may = bits & 6 == 6 or self.user == "root"
            return Access("yes" if may else "no", group)
        return Access("no")

    def groups(self) -> frozenset[str]:
        """The groups of the hub's user."""
        try:
            person = pwd.getpwnam(self.user)
        except KeyError:
            return frozenset()
        names = set()
        for number in os.getgrouplist(person.pw_name, person.pw_gid):
            with contextlib.suppress(KeyError):  # a number without a name
                names.add(grp.getgrgid(number).gr_name)
        return frozenset(names)

    def has_group(self, name: str) -> bool:
        """Whether this computer has that group at all."""
        try:
            grp.getgrnam(name)
        except KeyError:
            return False
        return True

    def ran(self, *words: str) -> str | None:
        """What a program says, or None if it is not there or does not end well."""
        program = shutil.which(words[0])
        if program is None:
            return None
        try:
            ended = subprocess.run([program, *words[1:]], capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return ended.stdout.strip() if ended.returncode == 0 else None

    def has_package(self, name: str) -> bool:
        """Whether a Python package can be imported."""
        return find_spec(name) is not None

    # --- cables --------------------------------------------------------------------------------------

    def ports(self) -> list[Port]:
        """The serial ports on USB."""
        return [
            Port(port.device, port.vid, port.pid or 0, port.serial_number or "")
            for port in list_ports.comports()
            if port.vid is not None
        ]

    def ask(self, port: str) -> Met | None:
        """Who is at a port. Raises DeviceLost: it cannot be opened, or another program has it."""
        return hello.ask(port, SteadyClock())

    # --- the network ---------------------------------------------------------------------------------

    def status(self, host: str, port: int, *, secure: bool) -> Mapping[str, Any] | None:
        """What a hub at that port says of itself; None: no hub of ours answers there."""
        link = http.client.HTTPConnection(host, port, timeout=2)
        if secure:  # its certificate is for the address of the QR code; that it answers is all that is asked
            trusting = ssl.create_default_context()
            trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
            link = http.client.HTTPSConnection(host, port, timeout=2, context=trusting)
        try:
            link.request("GET", "/status.json")
            told = json.loads(link.getresponse().read(1_000_000))
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            link.close()
        return told if isinstance(told, dict) and told.get("v") == 1 and isinstance(told.get("tables"), dict) else None

    def listen(self, host: str, port: int) -> Literal["free", "taken", "forbidden", "no_such_address"]:
        """Whether a program of ours could listen there now."""
        try:
            family, kind, number, _, where = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, number) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(where)
                probe.listen(1)
        except OSError as trouble:
            if trouble.errno == errno.EADDRINUSE:
                return "taken"
            return "forbidden" if trouble.errno in (errno.EACCES, errno.EPERM) else "no_such_address"
        return "free"

    def reaches(self, host: str, port: int) -> bool:
        """Whether another computer's port can be opened."""
        try:
            socket.create_connection((host, port), PATIENCE).close()
        except OSError:
            return False
        return True

    def start_broker(self, program: str) -> None:
        """Start and end a broker of our own in a folder of its own. Raises HubError with what to do."""
        with tempfile.TemporaryDirectory(prefix="table-hub-") as folder:
            broker = Mosquitto(Path(folder), program)
            try:
                broker.prepare()
                broker.start()
            finally:
                broker.close()

    # --- time, disk ----------------------------------------------------------------------------------

    def today(self) -> dt.date:
        """The date that this computer believes in."""
        return dt.datetime.now(dt.UTC).date()

    def disk(self, folder: str) -> Disk:
        """The file system that a folder lies on, or would lie on. Raises OSError."""
        there = _there(folder)
        about = os.statvfs(there)
        mounts = [line.split() for line in (self.text("/proc/self/mounts") or "").splitlines()]
        over = [words for words in mounts if there.resolve().is_relative_to(words[1])]
        kind = max(over, key=lambda words: len(words[1]))[2] if over else ""
        return Disk(about.f_bavail * about.f_frsize, bool(about.f_flag & os.ST_RDONLY), kind)

    def keep(self, folder: str) -> float:
        """Seconds until SQLite has one line safely on that disk, as the record keeps it. Raises OSError."""
        with tempfile.TemporaryDirectory(prefix="doctor-", dir=_there(folder)) as trial:
            begun = time.monotonic()
            try:
                with contextlib.closing(sqlite3.connect(Path(trial) / "trial.db", isolation_level=None)) as db:
                    db.execute("PRAGMA journal_mode=WAL")
                    db.execute("PRAGMA synchronous=FULL")
                    db.execute("CREATE TABLE kept (line TEXT)")
                    begun = time.monotonic()
                    db.execute("INSERT INTO kept VALUES ('a line')")
            except sqlite3.Error as trouble:
                raise OSError(errno.EIO, str(trouble)) from trouble
            return time.monotonic() - begun


def installed_user() -> str:
    """The user that `make install` has made for the hub, or nobody."""
    try:
        return pwd.getpwnam("table-hub").pw_name
    except KeyError:
        return ""


def _there(folder: str) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
