"""The hub's own mosquitto: a private child process without any network port.

It listens on a Unix socket in a folder that only the hub's user may enter, keeps nothing on disk that
outlives it, lets nobody in but by a login of its dynamic-security plugin, and dies with the hub.
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

from hub.errors import BrokerError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

log = logging.getLogger(__name__)

USER = "the-hub"  # the hub's own login; claims have random names
LONGEST_SOCKET = 107  # bytes in sockaddr_un.sun_path, without the closing zero (unix(7))
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
    """One mosquitto at a time, its files in `folder`."""

    def __init__(self, folder: Path, program: str = "mosquitto", plugins: Sequence[str] = PLUGIN_FOLDERS) -> None:
        self._folder = folder.expanduser().absolute()
        self._program = program
        self._plugins = plugins
        self._child: subprocess.Popen[bytes] | None = None
        self._last_words: collections.deque[str] = collections.deque(maxlen=3)
        self._lock: IO[bytes] | None = None
        self._short: Path | None = None  # our own short folder, where the state folder's name is too long
        self.password = ""

    @property
    def socket(self) -> str:
        """Where it listens (known after `prepare`)."""
        return str((self._short or self._folder) / "mosquitto.sock")

    @property
    def pid(self) -> int | None:
        """The child, while it runs."""
        return self._child.pid if self._child is not None and self._child.poll() is None else None

    def prepare(self) -> None:
        """Find the program, make the folder ours alone; raises BrokerError or ConfigError with the mending command."""
        self._found_program()
        self._found_plugin()
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._folder.chmod(0o700)
            if self._lock is None:
                lock = (self._folder / "lock").open("wb")
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    lock.close()
                    raise ConfigError(
                        f"{self._folder}: another hub runs with this state folder; "
                        "stop it, or give this one another `state` in [hub]."
                    ) from None
                self._lock = lock
        except OSError as trouble:
            raise ConfigError(
                f"{self._folder}: the broker's files cannot be kept there ({trouble.strerror})."
            ) from None
        if len(os.fsencode(self._folder / "mosquitto.sock")) > LONGEST_SOCKET and self._short is None:
            runtime = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere"))
            self._short = Path(tempfile.mkdtemp(prefix="th-", dir=runtime if runtime.is_dir() else None))

    def start(self) -> None:
        """End a stale one, start a fresh one, return when it answers; raises BrokerError."""
        self.stop()
        self._end_stale()
        Path(self.socket).unlink(missing_ok=True)
        self.password = secrets.token_urlsafe(24)
        self._write("logins.json", json.dumps(first_logins(self.password)))
        self._write("mosquitto.conf", self._configuration())
        self._last_words.clear()
        child = subprocess.Popen(
            self._command(),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # the terminal's Ctrl-C is for the hub, which then ends its broker in order
        )
        self._child = child
        self._write("mosquitto.pid", str(child.pid))
        assert child.stderr is not None
        threading.Thread(target=self._listen_to, args=(child.stderr,), name="mosquitto-log", daemon=True).start()
        self._await_answer(child)

    def ended(self) -> bool:
        """Whether it is gone; a dying one closes its connections a moment before it can be seen to be dead."""
        if self._child is None:
            return True
        try:
            self._child.wait(0.5)
        except subprocess.TimeoutExpired:
            return False
        return True

    def why(self) -> str:
        """How it ended and its last words, for a sentence to staff."""
        end = self._child.poll() if self._child is not None else None
        how = "" if end is None else f"killed by signal {-end}" if end < 0 else f"exit status {end}"
        return "; ".join(words for words in (how, *self._last_words) if words) or "it said nothing"

    def stop(self) -> None:
        """End the child, in order if it can."""
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
        """The hub is done with it: child ended, folder free for another hub."""
        self.stop()
        if self._short is not None:
            shutil.rmtree(self._short, ignore_errors=True)
            self._short = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    # --- inside ---

    def _found_program(self) -> str:
        # Debian keeps it in /usr/sbin, which is not in every user's PATH.
        places = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/usr/local/sbin"
        found = shutil.which(self._program, path=places)
        if found is None:
            raise BrokerError(f"The broker '{self._program}' is not installed; mend: {INSTALL}")
        return found

    def _found_plugin(self) -> str:
        for folder in self._plugins:
            plugin = Path(folder, PLUGIN)
            if plugin.is_file():
                return str(plugin)
        raise BrokerError(f"mosquitto's plugin {PLUGIN} was not found (2.0 or newer is needed); mend: {INSTALL}")

    def _command(self) -> list[str]:
        # pdeathsig: a hub that is killed takes its broker along, so no phone talks to an orphan.
        leash = shutil.which("setpriv")
        start = [leash, "--pdeathsig", "KILL"] if leash else []
        return [*start, self._found_program(), "-c", str(self._folder / "mosquitto.conf")]

    def _configuration(self) -> str:
        # No `listener` with a port: a Unix socket only. `use_username_as_clientid` belongs below the
        # listener; above the first one mosquitto 2.0 opens port 1883 on every address.
        lines = (
            f"listener 0 {self.socket if self._short else 'mosquitto.sock'}",
            "use_username_as_clientid true",
            "allow_anonymous false",
            f"plugin {self._found_plugin()}",
            "plugin_opt_config_file logins.json",
            f"user {pwd.getpwuid(os.getuid()).pw_name}",
            "persistence false",
            "connection_messages false",
            "sys_interval 0",
            "max_packet_size 131072",
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

    def _listen_to(self, stderr: IO[bytes]) -> None:
        with stderr:
            for line in stderr:
                words = line.decode("utf-8", "replace").strip()
                if "should not be run as root" not in words:
                    self._last_words.append(words)
                log.debug("mosquitto: %s", words)

    def _await_answer(self, child: subprocess.Popen[bytes]) -> None:
        until = time.monotonic() + START_SECONDS
        while not _answers(self.socket):
            try:
                child.wait(0.01)
            except subprocess.TimeoutExpired:
                if time.monotonic() < until:
                    continue
                said = self.why()
                self.stop()
                raise BrokerError(f"mosquitto did not answer within {START_SECONDS:.0f} s: {said}.") from None
            raise BrokerError(f"mosquitto ended at once: {self.why()}.")

    def _end_stale(self) -> None:
        """A hub that was killed may have left its broker; end it only if it is really that one."""
        try:
            pid = int((self._folder / "mosquitto.pid").read_text())
            handle = os.pidfd_open(pid)
        except (OSError, ValueError):
            return
        try:
            if not self._is_ours(pid):
                return
            log.warning("An old broker (process %d) of this hub still ran; it is ended.", pid)
            for sort, patience in ((signal.SIGTERM, 2000), (signal.SIGKILL, 2000)):
                signal.pidfd_send_signal(handle, sort)
                ended = select.poll()
                ended.register(handle, select.POLLIN)
                if ended.poll(patience):
                    return
            raise BrokerError(f"An old broker of this hub (process {pid}) cannot be ended; mend: kill -9 {pid}")
        except ProcessLookupError:
            return
        finally:
            os.close(handle)

    def _is_ours(self, pid: int) -> bool:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[1:3] == [b"-c", os.fsencode(self._folder / "mosquitto.conf")]


def first_logins(password: str) -> dict[str, object]:
    """The plugin's file at start: the hub's own login, everything else denied."""
    rights = [
        {"acltype": kind, "topic": topic, "allow": True}
        for kind in ("publishClientSend", "publishClientReceive", "subscribePattern")
        for topic in ("th/1/#", "$CONTROL/dynamic-security/#")
    ]
    salt, rounds = secrets.token_bytes(12), 101  # the plugin's own form: PBKDF2 with SHA-512
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, rounds, 64)
    return {
        "defaultACLAccess": {
            "publishClientSend": False,
            "publishClientReceive": False,
            "subscribe": False,
            "unsubscribe": True,
        },
        "clients": [
            {
                "username": USER,
                "password": base64.b64encode(hashed).decode(),
                "salt": base64.b64encode(salt).decode(),
                "iterations": rounds,
                "roles": [{"rolename": USER}],
            }
        ],
        "roles": [{"rolename": USER, "acls": rights}],
    }


def _answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
        return True
