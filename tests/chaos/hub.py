"""The hub that is hurt: the real program with its own mosquitto, simulated boxes and dice at each table, and a nurse.

The nurse starts it again as systemd does (`Restart=always`), and keeps what it said and how it ended.
"""

from __future__ import annotations

import http.client
import json
import os
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Self

from hub import games
from tests.bench import installed
from tests.complete_states import read_state
from tests.e2e.hub_process import HOST, PROGRAM
from tests.free_port import free_port

RESTART_SECONDS = 0.5  # systemd waits 2 s: more ends in the same time
UP_SECONDS = 60.0


class ChaosHub:
    """`table-hub run` with `tables` tables; the game of each is another. Use as a context manager.

    `more` is added to its configuration, `each` to that of each table, which has simulated hardware unless it is not `simulated`.
    """

    def __init__(
        self,
        folder: Path,
        tables: int,
        seats: int = 3,
        hub: str = "hub",
        more: str = "",
        each: str = "",
        *,
        simulated: bool = True,
    ) -> None:
        self.hub, self._more, self._each, self._simulated = hub, more, each, simulated
        self.state, self.port, self.seats = folder / "state", free_port(), seats
        self.tables = [f"{number}" for number in range(1, tables + 1)]
        names = games.names()
        self.games = {table: names[number % len(names)] for number, table in enumerate(self.tables)}
        self.output: list[str] = []
        self.endings: list[tuple[float, int, str]] = []  # when, exit code, and the fault that wanted it, or ""
        self.wanted = ""  # the fault that ends the hub now
        self._config = folder / "table-hub.toml"
        self._config.write_text(self._toml())
        self._values = folder / "shim"
        self._values.write_bytes(struct.pack("dd", 0.0, 0.0))
        self.shim = _compiled(folder)
        self._process: subprocess.Popen[str] | None = None
        self._closing = threading.Event()
        self._started = threading.Event()
        self._nurse = threading.Thread(target=self._care, name="nurse", daemon=True)

    def _toml(self) -> str:
        lines = [
            f'[hub]\nid = "{self.hub}"\nstate = "{self.state}"\nlog_level = "warning"\nkeep_days = 36500',
            f'[web]\nhost = "{HOST}"\nport = {self.port}',
        ]
        for table in self.tables:
            lines.append(f'[[table]]\nid = "{table}"\nname = "Table {table}"\nseats = {self.seats}\n{self._each}')
            if self._simulated:
                device = f'driver = "simulated"\ntable = "{table}"\nname = "sim-{table}"\nseats = {self.seats}'
                lines.append(f"[[device]]\n{device}")
        return "\n".join([*lines, self._more]) + "\n"

    # --- its life ---

    def __enter__(self) -> Self:
        self._nurse.start()
        self.wait_until_up()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        with suppress(ProcessLookupError):
            self.send(signal.SIGCONT)
            self.end("the end", signal.SIGTERM)
        self._nurse.join(20)

    def _care(self) -> None:
        """Start it, wait for its end, and start it again."""
        environment = {**os.environ, **installed.environment()}
        if self.shim:
            environment |= {"LD_PRELOAD": str(self.shim), "CHAOS_SHIM": str(self._values)}
        while not self._closing.is_set():
            command = [str(PROGRAM), "run", "--config", str(self._config)]
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
            )
            self._process = process
            self._started.set()
            assert process.stdout
            with process.stdout as lines:
                self.output.extend(lines)
            code = process.wait()
            self.endings.append((time.monotonic(), code, self.wanted))
            self.wanted = ""
            self._started.clear()
            self._closing.wait(RESTART_SECONDS)

    @property
    def pid(self) -> int:
        """Return its process id. Raise ProcessLookupError while there is none."""
        process = self._process
        if process is None or process.poll() is not None:
            raise ProcessLookupError
        return process.pid

    def send(self, number: signal.Signals) -> None:
        """Send it a signal. Raise ProcessLookupError."""
        os.kill(self.pid, number)

    def end(self, why: str, number: signal.Signals, seconds: float = 15.0) -> None:
        """End it, and wait until it is gone. Raise ProcessLookupError, or TimeoutExpired where it does not go."""
        process = self._process
        self.wanted = why
        self.send(number)
        assert process
        process.wait(seconds)

    def wait_until_started(self) -> None:
        """Wait until there is a process again."""
        assert self._started.wait(UP_SECONDS), "the nurse did not start the hub again"

    def wait_until_up(self) -> None:
        """Wait until the web port answers, at every table."""
        end = time.monotonic() + UP_SECONDS
        while time.monotonic() < end:
            with suppress(OSError, http.client.HTTPException, ValueError):
                if self._ask("GET", "/up", None) == 204:
                    return
            time.sleep(0.1)
        raise AssertionError(f"the hub does not come up: {''.join(self.output[-5:])}")

    def broker_pid(self) -> int:
        """Return its broker's process id. Raise ProcessLookupError where there is none now."""
        try:
            pid = int((self.state / "broker" / "mosquitto.pid").read_text())
            named = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            raise ProcessLookupError from None
        if os.fsencode(self.state / "broker") not in named:
            raise ProcessLookupError
        return pid

    # --- what hurts it from inside ---

    def fill_disk(self, *, full: bool) -> None:
        """Let every write into a file fail (EFBIG), or none: the kernel's own limit of a file's size."""
        hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (0 if full else hard, hard))

    def shim_values(self, *, sync_seconds: float | None = None, clock_seconds: float | None = None) -> None:
        """Set how long each sync takes, and by how much the wall clock is off."""
        sync, clock = struct.unpack("dd", self._values.read_bytes())
        values = sync if sync_seconds is None else sync_seconds, clock if clock_seconds is None else clock_seconds
        with self._values.open("r+b") as out:  # the same pages that the hub has mapped
            out.write(struct.pack("dd", *values))

    def lock_database(self, seconds: float) -> None:
        """Hold the database as a backup would."""
        with closing(sqlite3.connect(self.state / "table-hub.db", timeout=5, isolation_level=None)) as held:
            held.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            held.execute("ROLLBACK")

    def bench(self, table: str, **command: Any) -> None:
        """Do something to a table's boxes or dice; nothing where the hub is away."""
        with suppress(OSError, http.client.HTTPException):
            self._ask("POST", f"/t/{table}/bench", json.dumps(command))

    # --- what phones need of it ---

    def screen(self, table: str) -> dict[str, Any]:
        """Return what the screen of a table shows now."""
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=10)) as connection:
            connection.request("GET", f"/t/{table}/screen/events")
            answer = connection.getresponse()
            while not (line := answer.readline()).startswith(b"data: {"):
                assert line
            return read_state(line[6:])

    def address_of(self, table: str) -> str:
        """Return what the QR code of a table says."""
        code = self.screen(table)["code"]
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=10)) as second:
            second.request("GET", f"/code/{code}.json")
            key = json.loads(second.getresponse().read())["k"]
        return f"http://{HOST}:{self.port}/t/{table}#k={key}"

    def status(self) -> dict[str, Any]:
        """Return what it tells the doctor."""
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=5)) as connection:
            connection.request("GET", "/status.json")
            told: dict[str, Any] = json.loads(connection.getresponse().read())
            return told

    def _ask(self, method: str, path: str, body: str | None) -> int:
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=5)) as connection:
            connection.request(method, path, body, {"content-type": "application/json"} if body else {})
            answer = connection.getresponse()
            answer.read()
            return answer.status


def _compiled(folder: Path) -> Path | None:
    """Return the library made of shim.c; None where there is no compiler, and then the disk is never slow, the clock right."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    made = folder / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(source), "-ldl"], check=True)
    return made
