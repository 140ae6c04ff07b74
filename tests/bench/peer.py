"""Peers beside us: programs in `tests/bench/peers`, asked line by line.

Set-up installs boardgame.io for `make bench` alone. Colyseus is installed by hand: a lock that names its optional native package for
every machine could not be made. Where one is missing, a measurement says so and goes on without it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from phone_ui import javascript

FOLDER = Path(__file__).parent / "peers"
PATIENCE = 30.0
ENDING = 5.0


class Absent(Exception):
    """There is no peer to measure beside us: `str()` says why, in a sentence."""


def _node() -> str:
    try:
        return javascript.node()
    except javascript.ToolMissing as error:
        raise Absent(f"boardgame.io is not measured beside us. {error}") from None


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
        if script.startswith("colyseus/") and not (FOLDER / "colyseus" / "node_modules").is_dir():
            raise Absent(
                "Colyseus is not installed, so it is not measured beside us: npm install --prefix tests/bench/peers/colyseus."
            )
        if not script.startswith("colyseus/") and not (FOLDER / "node_modules" / "boardgame.io").is_dir():
            raise Absent(
                "boardgame.io is not installed, so it is not measured beside us: run make bench with a network once."
            )
        super().__init__([_node(), str(FOLDER / script), *map(str, args)])
