"""This computer as far as the doctor asks it; tests pass in a fake one. Nothing here makes a lasting change."""

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

from drivers.common import probe
from drivers.common.probe import Answer
from hub.config import UpstreamPart
from hub.errors import ConfigError
from hub.network.connection import outside_endpoint
from hub.network.mosquitto import Mosquitto
from hub.network.outside_link import login_error
from hub.operations.matches import Record
from hub.operations.matches import examine as look_through
from hub.ports import MonotonicClock

TIMEOUT = 5.0  # seconds for a program or another computer to answer


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
    """The computer that the doctor runs on, with the rights of the hub's user."""

    root = ""  # in front of each path that is read; tests put a folder of their own there

    def __init__(self, user: str = "") -> None:
        self.me = pwd.getpwuid(os.geteuid()).pw_name
        self.user = user or self.me
        self.program = sys.argv[0]

    # --- files, programs, packages -------------------------------------------------------------------

    def read(self, path: str) -> str | None:
        """Return a file's text, or None if it is not there or not readable."""
        try:
            return Path(self.root + path).read_bytes().rstrip(b"\0\n").decode("utf-8", "replace")
        except OSError:
            return None

    def cell(self, path: str) -> int | None:
        """Return a property of the device tree that is one 32-bit cell (big-endian), or None where it is not there."""
        try:
            data = Path(self.root + path).read_bytes()
        except OSError:
            return None
        return int.from_bytes(data, "big") if len(data) == 4 else None

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match an absolute pattern, sorted."""
        found = glob.glob(self.root + pattern)  # noqa: PTH207 - the pattern is absolute
        return sorted(path.removeprefix(self.root) for path in found)

    def access(self, path: str) -> Access:
        """Return whether the hub's user may read and write a file; it is not opened."""
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
        """Return the groups of the hub's user."""
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
        """Return whether this computer has that group at all."""
        try:
            grp.getgrnam(name)
        except KeyError:
            return False
        return True

    def run(self, *command: str) -> str | None:
        """Return a program's output, or None if it is not there, fails or takes more than 5 s."""
        program = shutil.which(command[0])
        if program is None:
            return None
        try:
            result = subprocess.run(
                [program, *command[1:]], capture_output=True, text=True, timeout=TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return result.stdout.strip() if result.returncode == 0 else None

    def has_program(self, name: str) -> bool:
        """Return whether a program is on the PATH."""
        return shutil.which(name) is not None

    def has_package(self, name: str) -> bool:
        """Return whether a Python package can be imported."""
        return find_spec(name) is not None

    # --- USB -----------------------------------------------------------------------------------------

    def ports(self) -> list[Port]:
        """Return the serial ports on USB."""
        return [
            Port(port.device, port.vid, port.pid or 0, port.serial_number or "")
            for port in list_ports.comports()
            if port.vid is not None
        ]

    def probe(self, port: str) -> Answer | None:
        """Return the board at a port, or None where nothing answers. Raise DeviceLost: it cannot be opened, or another program has it."""
        return probe.ask(port, MonotonicClock())

    # --- the network ---------------------------------------------------------------------------------

    def hub_status(self, host: str, port: int, *, secure: bool) -> Mapping[str, Any] | None:
        """Return the status of the hub at that port; None: no hub of ours answers there."""
        connection = http.client.HTTPConnection(host, port, timeout=2)
        if secure:  # its certificate is for the address of the QR code; that it answers is all that is asked
            unverified = ssl.create_default_context()
            unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
            connection = http.client.HTTPSConnection(host, port, timeout=2, context=unverified)
        try:
            connection.request("GET", "/status.json")
            status = json.loads(connection.getresponse().read(1_000_000))
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
        valid = isinstance(status, dict) and status.get("v") == 1 and isinstance(status.get("tables"), dict)
        return status if valid else None

    def listener(self, port: int) -> str:
        """Return the user whose program listens at a TCP port of this computer, by name or number; "" where nobody does."""
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for line in (self.read(table) or "").splitlines()[1:]:
                # proc_pid_net(5): local address and port in hexadecimal, 0A is LISTEN, then the uid
                fields = line.split()
                if len(fields) > 7 and fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    with contextlib.suppress(KeyError):
                        return pwd.getpwuid(int(fields[7])).pw_name
                    return fields[7]
        return ""

    def port_state(self, host: str, port: int) -> Literal["free", "taken", "forbidden", "no_such_address"]:
        """Return whether a program of this user could listen there now."""
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
                probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return "taken"
            return "forbidden" if error.errno in (errno.EACCES, errno.EPERM) else "no_such_address"
        return "free"

    def reaches(self, host: str, port: int) -> bool:
        """Return whether another computer's port can be opened."""
        try:
            socket.create_connection((host, port), TIMEOUT).close()
        except OSError:
            return False
        return True

    def upstream_error(self, part: UpstreamPart, hub: str) -> str:
        """Return in a sentence why the broker above does not let this hub in; "" where it does."""
        try:
            return login_error(outside_endpoint(part, "upstream", f"table-hub-{part.venue}-{hub}"))
        except ConfigError as error:
            return str(error)

    def start_broker(self, program: str) -> None:
        """Start and end a managed broker in a temporary folder. Raise HubError with what to do."""
        with tempfile.TemporaryDirectory(prefix="table-hub-") as folder:
            broker = Mosquitto(Path(folder), program)
            try:
                broker.prepare()
                broker.start()
            finally:
                broker.close()

    # --- time, disk ----------------------------------------------------------------------------------

    def today(self) -> dt.date:
        """Return the date by this computer's clock, in UTC."""
        return dt.datetime.fromtimestamp(time.time(), dt.UTC).date()

    def disk(self, folder: str) -> Disk:
        """Return the file system that a folder is on, or would be on. Raise OSError."""
        path = _existing(folder)
        status = os.statvfs(path)
        mounts = [line.split() for line in (self.read("/proc/self/mounts") or "").splitlines()]
        above = [mount for mount in mounts if path.resolve().is_relative_to(mount[1])]
        kind = max(above, key=lambda mount: len(mount[1]))[2] if above else ""
        return Disk(status.f_bavail * status.f_frsize, bool(status.f_flag & os.ST_RDONLY), kind)

    def record(self, folder: str) -> Record:
        """Return what the hub's state folder holds; nothing is changed. Raise OSError."""
        return look_through(Path(folder))

    def write_seconds(self, folder: str) -> float:
        """Return the seconds that SQLite takes to commit one line to that disk, as the log does. Raise OSError."""
        with tempfile.TemporaryDirectory(prefix="doctor-", dir=_existing(folder)) as temporary:
            start = time.monotonic()
            try:
                with contextlib.closing(sqlite3.connect(Path(temporary) / "doctor.db", isolation_level=None)) as db:
                    db.execute("PRAGMA journal_mode=WAL")
                    db.execute("PRAGMA synchronous=FULL")
                    db.execute("CREATE TABLE kept (line TEXT)")
                    start = time.monotonic()
                    db.execute("INSERT INTO kept VALUES ('a line')")
            except sqlite3.Error as error:
                raise OSError(errno.EIO, str(error)) from error
            return time.monotonic() - start


def installed_user() -> str:
    """Return the user that the Debian package created for the hub, or ""."""
    try:
        return pwd.getpwnam("table-hub").pw_name
    except KeyError:
        return ""


def _existing(folder: str) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    return next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
