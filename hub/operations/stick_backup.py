"""`table-hub stick`: save a backup on a USB stick, find one there, or restore it.

Staff do this on their page, without a terminal (hub/stick_backups.py): systemd runs it as root, who mounts the stick
(table-hub-stick@.service). `STATUS` says what it does and what came of it.
"""

from __future__ import annotations

import fcntl
import os
from argparse import Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from hub.errors import HubError
from hub.operations import backup, sticks
from hub.operations.update import RUNNING, Machine
from hub.stick_backups import BUSY, STATUS, State, Status, read_status

Step: TypeAlias = Literal["save", "look", "restore"]
MOST_FILES = 200
"""More backups than that on a stick are not looked at."""


class StickError(HubError):
    """Why there is no backup, with the state that the hub's staff are told."""

    def __init__(self, state: State, sentence: str) -> None:
        super().__init__(sentence)
        self.state = state


class Found(NamedTuple):
    """A backup on a stick: its file, when it was made (Unix time), and the hub's id."""

    file: Path
    made: int
    hub: str


class StickBackups:
    """Backups on the sticks of a machine.

    - `config`: the owner's file; None: the installed one.
    - `status`: see `STATUS`.
    """

    def __init__(self, machine: Machine, config: str | None = None, status: Path = STATUS) -> None:
        self._machine, self._config, self._status = machine, config, status

    def do(self, step: Step) -> None:
        """Take a step, and note what came of it. Raise HubError; then nothing was changed."""
        looked = read_status(self._status)
        made, hub = (looked.made, looked.hub) if looked and step == "restore" else (0, "")
        self._note(Status(BUSY[step], self._now(), made, hub))
        try:
            match step:
                case "save":
                    done = self._save()
                case "look":
                    found = self._find()
                    done = Status("found", self._now(), found.made, found.hub)
                case _:
                    done = self._restore(looked)
        except HubError as error:
            state: State = error.state if isinstance(error, StickError) else "failed"
            self.fail(error.sentence, state)
            raise
        except Exception:
            self.fail("")
            raise
        self._note(done)

    def fail(self, why: str, state: State = "failed") -> None:
        """Note that a step has failed; "": the reason is in the journal."""
        self._note(Status(state, self._now(), why=why))

    def _save(self) -> Status:
        """Write a backup onto the first stick that takes it."""
        now = self._now()
        name = f"table-hub-{datetime.fromtimestamp(now, UTC).astimezone():%Y-%m-%d-%H%M%S}.backup"
        refused = StickError("nowhere", "There is no USB stick: plug one in.")
        with sticks.mounted(self._machine, writable=True) as folders:
            for folder in folders:
                try:
                    backup.backup(Namespace(file=folder / name, config=self._config))
                except HubError as error:
                    refused = StickError("failed", error.sentence)
                else:
                    break
            else:
                raise refused
        self._check(name)
        return Status("saved", self._now(), now)  # the stick is unmounted by now, and may be pulled out

    def _check(self, name: str) -> None:
        """Read a backup again from its stick. Raise HubError if it is not there: some sticks lose what they are given."""
        with sticks.mounted(self._machine) as folders:
            for file in (folder / name for folder in folders):
                if file.exists():
                    with backup.read(file):
                        return
        raise HubError("The stick has lost the backup: take another stick.")

    def _find(self) -> Found:
        with sticks.mounted(self._machine) as folders:
            return _newest(folders)

    def _restore(self, looked: Status | None) -> Status:
        """Restore the backup that was looked at, while the hub is stopped."""
        if looked is None or looked.state != "found":
            raise HubError("Look for a backup first: `table-hub stick look`.")
        with sticks.mounted(self._machine) as folders:
            found = _newest(folders)
            if (found.made, found.hub) != (looked.made, looked.hub):
                raise HubError("Another backup is the newest one now: look for a backup again.")
            with backup.read(found.file) as saved:
                keeps_config = bool(backup.missing_files(saved))  # with its settings, the hub would not start
            self._machine.stop()
            try:
                backup.restore(Namespace(file=found.file, config=self._config, keep_config=keeps_config))
            finally:
                self._machine.start()
        return Status("restored", self._now(), found.made, found.hub)

    def _now(self) -> int:
        return int(self._machine.wall())

    def _note(self, status: Status) -> None:
        new = self._status.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(status))
        new.chmod(0o644)
        new.replace(self._status)


def _newest(folders: Sequence[Path]) -> Found:
    """Return the newest backup in folders that is whole. Raise StickError."""
    if not folders:
        raise StickError("nowhere", "There is no USB stick: plug one in.")
    found, why = [], "There is no backup on the stick."
    files = [file for folder in folders for file in sorted(folder.glob("*.backup"))[-MOST_FILES:]]
    for file in files:
        try:
            about = backup.about(file)
            made = datetime.strptime(about.made, backup.MADE).replace(tzinfo=UTC)
            found.append(Found(file, max(0, int(made.timestamp())), about.hub[:40]))
        except (HubError, ValueError) as error:
            why = str(error)
    for one in sorted(found, key=lambda one: one.made, reverse=True):
        try:
            with backup.read(one.file):
                return one
        except HubError as error:
            why = error.sentence
    raise StickError("damaged" if files else "none", why)


def stick(args: Namespace) -> int:
    """Save a backup on a stick, look for one, or restore it. Raise HubError."""
    if os.geteuid() != 0:
        raise HubError("Run this with sudo: a stick has to be mounted.")
    os.umask(0o077)  # FAT keeps no modes: what is on a mounted stick has these
    backups = StickBackups(Machine(), args.config)
    with RUNNING.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy = "An update or another backup is being made: wait for it."
            backups.fail(busy)
            raise HubError(busy) from None
        backups.do(args.step)
    return 0
