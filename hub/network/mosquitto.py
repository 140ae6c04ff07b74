"""The managed mosquitto: a private child process of the hub without any network port.

It listens on a Unix socket in a folder that only the hub's user may enter, stores no messages on disk, accepts only logins
of its dynamic-security plugin, and ends with the hub.
"""

from __future__ import annotations

import base64
import collections
import fcntl
import hashlib
import json
import logging
import os
import pwd
import secrets
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hub.engine.text import say
from hub.errors import BrokerError, TemporaryError, of_file
from hub.files import check_file, read_file
from hub.network.bounded import LARGEST_PACKET
from hub.network.dynsec import role_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hub.network.dynsec import Login

log = logging.getLogger(__name__)

USER = "the-hub"  # the hub's own login; claims have random names
MAX_SOCKET_PATH = 107  # bytes in sockaddr_un.sun_path, without the final zero (unix(7))
START_SECONDS = 10.0
PLUGIN = "mosquitto_dynamic_security.so"
PLUGIN_FOLDERS = (  # Debian and Raspberry Pi OS (multiarch), Arch, Fedora, own builds
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/arm-linux-gnueabihf",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
)
INSTALL = "sudo apt install mosquitto && sudo systemctl disable --now mosquitto"


class Mosquitto:
    """One mosquitto process at a time, its files in `folder`."""

    def __init__(self, folder: Path, program: str = "mosquitto", plugins: Sequence[str] = PLUGIN_FOLDERS) -> None:
        self._folder = folder.expanduser().absolute()
        self._program = program
        self._plugins = plugins
        self._child: subprocess.Popen[bytes] | None = None
        self._last_lines: collections.deque[str] = collections.deque(maxlen=3)
        self._lock: IO[bytes] | None = None
        self._socket_folder: Path | None = None  # a short path, if the one in `folder` is too long for a socket
        self.password = ""

    @property
    def socket(self) -> str:
        """Return the path of its Unix socket (final after `prepare`)."""
        return str((self._socket_folder or self._folder) / "mosquitto.sock")

    @property
    def pid(self) -> int | None:
        """Return the child's process id while it runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def prepare(self) -> None:
        """Find the program and its plugin, then create and lock the folder.

        Raise BrokerError without program or plugin, ConfigError if the folder cannot be used, TemporaryError if the disk
        fails or another hub uses the folder.
        """
        find_program(self._program)
        self._find_plugin()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._folder.chmod(0o700)
            if self._lock is None:
                check_file(self._folder / "lock")
                lock = (self._folder / "lock").open("wb")
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    lock.close()
                    raise TemporaryError(
                        f"{self._folder}: another hub runs with this state folder; "
                        "stop it, or give this one another `state` in [hub]."
                    ) from None
                self._lock = lock
        except OSError as error:
            raise of_file(
                error, f"{self._folder}: the broker's files cannot be kept there ({error.strerror})."
            ) from None
        if len(os.fsencode(self._folder / "mosquitto.sock")) > MAX_SOCKET_PATH and self._socket_folder is None:
            runtime = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere"))
            self._socket_folder = Path(tempfile.mkdtemp(prefix="th-", dir=runtime if runtime.is_dir() else None))

    def start(self, logins: Mapping[str, Login] | None = None) -> None:
        """Replace the process by a new one that knows `logins`. Return when it accepts connections. Raise BrokerError."""
        try:
            self._start(logins or {})
        except OSError as error:  # a full disk, no memory for a child
            sentence = say("mosquitto cannot be started now ({error}). The hub tries again.", error=str(error.strerror))
            raise BrokerError(sentence) from error

    def _start(self, logins: Mapping[str, Login]) -> None:
        self.stop()
        self._end_stale()
        (self._folder / "mosquitto.pid").unlink(missing_ok=True)  # mosquitto would open a file or link of this name
        Path(self.socket).unlink(missing_ok=True)
        self.password = secrets.token_urlsafe(24)
        self._write("logins.json", json.dumps(first_logins(self.password, logins)))
        self._write("mosquitto.conf", self._configuration())
        self._last_lines.clear()
        child = subprocess.Popen(
            self._command(),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,  # Ctrl-C in a terminal must reach only the hub, which then stops the broker
        )
        self._child = child
        self._write("mosquitto.pid", str(child.pid))
        assert child.stderr is not None
        threading.Thread(target=self._read_log, args=(child.stderr,), name="mosquitto-log", daemon=True).start()
        self._wait_until_listening(child)

    def reachable(self) -> bool:
        """Return whether its socket still exists, so that phones can be connected to it."""
        return Path(self.socket).exists()

    def ended(self) -> bool:
        """Return whether the process has ended. Wait up to 0.5 s, because a process closes its connections before it ends."""
        if self._child is None:
            return True
        try:
            self._child.wait(0.5)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end_reason(self) -> str:
        """Return how the process ended and its last log lines, for a sentence for staff."""
        code = self._child.poll() if self._child is not None else None
        ending = "" if code is None else f"killed by signal {-code}" if code < 0 else f"exit status {code}"
        return "; ".join(part for part in (ending, *self._last_lines) if part) or "it said nothing"

    def stop(self) -> None:
        """End the process with SIGTERM, and after 2 s with SIGKILL."""
        child, self._child = self._child, None
        if child is None:
            return
        child.terminate()
        try:
            child.wait(2)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        (self._folder / "mosquitto.pid").unlink(missing_ok=True)

    def close(self) -> None:
        """End the process and unlock the folder for another hub."""
        self.stop()
        if self._socket_folder is not None:
            shutil.rmtree(self._socket_folder, ignore_errors=True)
            self._socket_folder = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _find_plugin(self) -> str:
        for folder in self._plugins:
            plugin = Path(folder, PLUGIN)
            if plugin.is_file():
                return str(plugin)
        raise BrokerError(
            say(
                "mosquitto's plugin {plugin} was not found (2.0 or newer is needed). Run `{command}`.",
                plugin=PLUGIN,
                command=INSTALL,
            )
        )

    def _command(self) -> list[str]:
        # pdeathsig: if the hub is killed, the broker ends too, so that no phone stays connected to it.
        setpriv = shutil.which("setpriv")
        prefix = [setpriv, "--pdeathsig", "KILL"] if setpriv else []
        return [*prefix, find_program(self._program), "-c", str(self._folder / "mosquitto.conf")]

    def _configuration(self) -> str:
        # The only listener is a Unix socket, without a port. `use_username_as_clientid` has to follow the listener: above the
        # first one, it makes mosquitto 2.0 open port 1883 on every address.
        lines = (
            f"listener 0 {self.socket if self._socket_folder else 'mosquitto.sock'}",
            "use_username_as_clientid true",
            "allow_anonymous false",
            f"plugin {self._find_plugin()}",
            "plugin_opt_config_file logins.json",
            f"user {pwd.getpwuid(os.getuid()).pw_name}",
            "persistence false",
            "connection_messages false",
            "sys_interval 0",
            f"max_packet_size {LARGEST_PACKET}",
            "max_queued_messages 100",
            "log_timestamp false",
            "log_dest stderr",
            "log_type error",
            "log_type warning",
            "log_type notice",
        )
        return "\n".join(lines) + "\n"

    def _write(self, name: str, text: str) -> None:
        file = self._folder / name
        file.unlink(missing_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as out:
            out.write(text)

    def _read_log(self, stderr: IO[bytes]) -> None:
        with stderr:
            for line in stderr:
                text = line.decode("utf-8", "replace").strip()
                if "should not be run as root" not in text:
                    self._last_lines.append(text)
                log.debug("mosquitto: %s", text)

    def _wait_until_listening(self, child: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not _accepts(self.socket):
            try:
                child.wait(0.01)
            except subprocess.TimeoutExpired:
                if time.monotonic() < deadline:
                    continue
                reason = self.end_reason()
                self.stop()
                raise BrokerError(say("mosquitto did not answer in time: {reason}.", reason=reason)) from None
            raise BrokerError(say("mosquitto ended at once: {reason}.", reason=self.end_reason()))

    def _end_stale(self) -> None:
        """End the broker of a killed hub, if the process with the noted id really is this broker. Raise BrokerError."""
        try:
            pid = int(read_file(self._folder / "mosquitto.pid"))
            handle = os.pidfd_open(pid)
        except (OSError, ValueError):
            return
        try:
            if not self._is_ours(pid):
                return
            log.warning("An old broker (process %d) of this hub still ran; it is ended.", pid)
            for number in (signal.SIGTERM, signal.SIGKILL):
                signal.pidfd_send_signal(handle, number)
                ended = select.poll()
                ended.register(handle, select.POLLIN)
                if ended.poll(2000):
                    return
            raise BrokerError(
                say("An old broker of this hub cannot be ended. Run `{command}`.", command=f"kill -9 {pid}")
            )
        except ProcessLookupError:
            return
        finally:
            os.close(handle)

    def _is_ours(self, pid: int) -> bool:
        try:
            arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return arguments[1:3] == [b"-c", os.fsencode(self._folder / "mosquitto.conf")]


def _environment() -> dict[str, str]:
    """Return the environment of the process, without the service manager's socket, which only the hub may use."""
    ours = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
    return {name: value for name, value in os.environ.items() if name not in ours}


def find_program(name: str) -> str:
    """Return the path of the broker's program. Raise BrokerError if it is not installed."""
    # Debian installs it in /usr/sbin, which is not in every user's PATH.
    found = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin")
    if found is None:
        raise BrokerError(
            say("The broker '{program}' is not installed. Run `{command}`.", program=name, command=INSTALL)
        )
    return found


def first_logins(password: str, logins: Mapping[str, Login] | None = None) -> dict[str, object]:
    """Return the plugin's file for a new broker: it allows the hub's own login and `logins`, and nothing else."""
    acls = [
        {"acltype": kind, "topic": topic, "allow": True}
        for kind in ("publishClientSend", "publishClientReceive", "subscribePattern")
        for topic in ("th/1/#", "$CONTROL/dynamic-security/#")
    ]
    known = logins or {}
    return {
        "defaultACLAccess": {
            "publishClientSend": False,
            "publishClientReceive": False,
            "subscribe": False,
            "unsubscribe": True,
        },
        "clients": [
            {"username": USER, **_hashed(password), "roles": [{"rolename": USER}]},
            *(
                {"username": sid, "clientid": sid, **_hashed(login.password), "roles": [{"rolename": role_of(sid)}]}
                for sid, login in known.items()
            ),
        ],
        "roles": [
            {"rolename": USER, "acls": acls},
            *({"rolename": role_of(sid), "acls": login.acls()} for sid, login in known.items()),
        ],
    }


def _hashed(password: str) -> dict[str, object]:
    """Return a hashed password in the format of the plugin: PBKDF2 with SHA-512."""
    salt, rounds = secrets.token_bytes(12), 101
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds, 64)
    return {
        "password": base64.b64encode(hashed).decode(),
        "salt": base64.b64encode(salt).decode(),
        "iterations": rounds,
    }


def _accepts(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True
