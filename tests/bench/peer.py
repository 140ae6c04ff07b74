"""Peers beside us: programs in `tests/bench/peers`, asked line by line.

Set-up installs boardgame.io and Colyseus for `make bench` alone (npm, locked in `peers/package-lock.json`); `install` installs OpenSpiel and
RLCard in a Python of their own (PyPI, locked in `peers/python.txt`). Where one is missing, a measurement says so and goes on.

`python -m tests.bench.peer` renews the lock of the npm ones after a change of `peers/package.json`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from phone_ui import javascript

FOLDER = Path(__file__).parent / "peers"
PYTHON = FOLDER / ".venv" / "bin" / "python"
PINS = FOLDER / "python.txt"
LOCK = FOLDER / "package-lock.json"
NATIVE = "msgpackr-extract"
"""A compiled part that a library of Colyseus' takes where it is there. Not every registry has it for every kind of machine, and npm
installs nothing from a lock that lacks one of them; so the lock has none, and that library does the same in JavaScript.
"""
PATIENCE = 120.0  # a machine that others load takes long to open 200 matches
ENDING = 5.0
WITHOUT_NPM = "boardgame.io and Colyseus are not installed, so they are not measured beside us: run make bench with a network once."


class Absent(Exception):
    """There is no peer to measure beside us: `str()` says why, in a sentence."""


def _node() -> str:
    try:
        return javascript.node()
    except javascript.ToolMissing as error:
        raise Absent(f"boardgame.io and Colyseus are not measured beside us. {error}") from None


def install() -> None:
    """Install OpenSpiel and RLCard where they are missing or another version. Raise Absent, with the reason, where that cannot be done."""
    stamp = PYTHON.parents[1] / "table-hub.stamp"
    if PYTHON.exists() and stamp.exists() and stamp.read_text("utf-8") == PINS.read_text("utf-8"):
        return
    uv = Path(sys.executable).with_name("uv")
    locked = ["--require-hashes", "--requirement", str(PINS)]
    try:
        for command in (
            ["venv", "--clear", "--python", sys.executable, str(PYTHON.parents[1])],
            ["pip", "install", "--python", str(PYTHON), *locked],
        ):
            subprocess.run([uv, *command], check=True, capture_output=True, text=True)
        stamp.write_text(PINS.read_text("utf-8"), "utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        raise Absent(
            f"OpenSpiel and RLCard cannot be installed, so the rest is measured without them ({error.__class__.__name__})."
        ) from error


def lock() -> None:
    """Renew the lock of the npm peers, without `NATIVE` and what only it needs."""
    LOCK.unlink(missing_ok=True)
    subprocess.run(
        ["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER, check=True
    )
    locked = json.loads(LOCK.read_text("utf-8"))
    packages = locked["packages"]
    for name in [name for name in packages if NATIVE in name or name.endswith("/node-gyp-build-optional-packages")]:
        del packages[name]
    for one in packages.values():
        optional = one.get("optionalDependencies", {})
        optional.pop(NATIVE, None)
        if not optional:
            one.pop("optionalDependencies", None)
    LOCK.write_text(json.dumps(locked, indent=2, ensure_ascii=False) + "\n", "utf-8")


class Program:
    """One running program beside us, asked in lines of JSON. `ready` is what it says once it is ready."""

    def __init__(self, command: list[str], patience: float = PATIENCE) -> None:
        self._patience = patience
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "NODE_ENV": "production"},
            cwd=FOLDER,
        )
        try:
            self.ready = self._hear()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process it runs in."""
        return self._process.pid

    def ask(self, **request: Any) -> dict[str, Any]:
        """Its answer to one question."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return self._hear()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout
        if not select.select([self._process.stdout], [], [], self._patience)[0]:
            raise TimeoutError(f"the peer said nothing for {self._patience:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            raise EOFError("the peer has ended; its last words are above")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End it: it goes when nothing more can be asked, and otherwise is made to."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Peer(Program):
    """boardgame.io or Colyseus: one running script of `tests/bench/peers`."""

    def __init__(self, script: str, *args: object) -> None:
        if not (FOLDER / "node_modules" / "boardgame.io").is_dir():
            raise Absent(WITHOUT_NPM)
        super().__init__([_node(), str(FOLDER / script), *map(str, args)])


if __name__ == "__main__":
    lock()
