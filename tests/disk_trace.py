"""What a program writes to its disk through SQLite, write by write, and what a power cut leaves of it.

SQLite's own file layer, its VFS (https://sqlite.org/vfs.html, https://sqlite.org/c3ref/io_methods.html), is wrapped with
ctypes in the very library that Python's `sqlite3` has loaded: each write, truncation, deletion and sync of database and write-ahead
log is noted and then done. The marks beside the database are written by `os.pwrite` and `os.fdatasync`, noted likewise.

The disk: what was synced is there. Of what was written since, each sector of 512 bytes is there or not, in any order; a
sector is whole (SQLite asks no more: SQLITE_IOCAP_POWERSAFE_OVERWRITE).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple
from unittest.mock import patch

SECTOR = 512
SHM = "-shm"  # rebuilt from the write-ahead log, never synced

P, INT, I64 = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
OPEN = ctypes.CFUNCTYPE(INT, P, P, P, INT, P)  # SQLite keeps the pointer to the name, so it is passed on as it came
WRITE = ctypes.CFUNCTYPE(INT, P, P, INT, I64)
TRUNCATE = ctypes.CFUNCTYPE(INT, P, I64)
SYNC = ctypes.CFUNCTYPE(INT, P, INT)
CLOSE = ctypes.CFUNCTYPE(INT, P)
DELETE = ctypes.CFUNCTYPE(INT, P, ctypes.c_char_p, INT)


class IoMethods(ctypes.Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = [
        ("version", INT), ("close", CLOSE), ("read", P), ("write", WRITE), ("truncate", TRUNCATE), ("sync", SYNC),
        *((name, P) for name in (
            "size", "lock", "unlock", "check", "control", "sector_size", "characteristics",
            "shm_map", "shm_lock", "shm_barrier", "shm_unmap", "fetch", "unfetch",
        )),
    ]  # fmt: skip


class Vfs(ctypes.Structure):
    """sqlite3_vfs, version 3."""

    _fields_ = [
        ("version", INT), ("file_size", INT), ("max_path", INT), ("next", P), ("name", ctypes.c_char_p), ("data", P), ("open", OPEN), ("delete", DELETE),
        *((name, P) for name in (
            "access", "full_path", "dl_open", "dl_error", "dl_sym", "dl_close", "randomness", "sleep", "time",
            "last_error", "time64", "set_call", "get_call", "next_call",
        )),
    ]  # fmt: skip


class Step(NamedTuple):
    """One thing done to a file. Of a truncation `at` is the new length."""

    what: Literal["write", "truncate", "delete", "sync"]
    path: str
    at: int = 0
    data: bytes = b""


@dataclass
class Trace:
    """The steps of a program, in order."""

    steps: list[Step] = field(default_factory=list)


def _library() -> ctypes.CDLL:
    """Return the SQLite that this process has loaded."""
    import sqlite3  # noqa: F401 - so that it is loaded

    lines = Path("/proc/self/maps").read_text().splitlines()
    names = sorted({line.split()[-1] for line in lines if "libsqlite3" in line})
    assert names, "this Python has its SQLite inside: Debian's has not"
    library = ctypes.CDLL(names[0])
    library.sqlite3_vfs_find.restype = ctypes.POINTER(Vfs)
    library.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
    library.sqlite3_vfs_register.argtypes = [ctypes.POINTER(Vfs), INT]
    library.sqlite3_vfs_unregister.argtypes = [ctypes.POINTER(Vfs)]
    return library


@contextmanager
def recorded(folder: Path) -> Iterator[Trace]:
    """Note what this process does to the files below `folder` while the block runs."""
    library, trace = _library(), Trace()
    real = library.sqlite3_vfs_find(None)
    paths: dict[int, str] = {}
    methods: dict[int, IoMethods] = {}  # a copy of each set of methods that SQLite has for files, with ours in it

    def note(what: Literal["write", "truncate", "delete", "sync"], path: str, at: int = 0, data: bytes = b"") -> None:
        if path.startswith(f"{folder}/") and not path.endswith(SHM):
            trace.steps.append(Step(what, path.removeprefix(f"{folder}/"), at, data))

    def wrapped(own: int) -> IoMethods:
        if own in methods:
            return methods[own]
        theirs = IoMethods.from_address(own)
        ours = IoMethods.from_buffer_copy(theirs)

        def write(file: int, data: int, length: int, at: int) -> int:
            code = int(theirs.write(file, data, length, at))
            note("write", paths[file], at, ctypes.string_at(data, length))
            return code

        def truncate(file: int, length: int) -> int:
            code = int(theirs.truncate(file, length))
            note("truncate", paths[file], length)
            return code

        def sync(file: int, flags: int) -> int:
            code = int(theirs.sync(file, flags))
            note("sync", paths[file])
            return code

        ours.write, ours.truncate, ours.sync = WRITE(write), TRUNCATE(truncate), SYNC(sync)
        methods[own] = ours
        return ours

    def open_(vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        code = int(real.contents.open(vfs, name, file, flags, out))
        own = P.from_address(file)  # the file begins with a pointer to its methods
        if code == 0 and own.value:
            paths[file] = ctypes.string_at(name).decode() if name else ""
            own.value = ctypes.addressof(wrapped(own.value))
        return code

    shim = Vfs.from_buffer_copy(real.contents)

    def delete(vfs: int, name: bytes, sync_folder: int) -> int:
        code = int(real.contents.delete(vfs, name, sync_folder))
        note("delete", name.decode())
        return code

    shim.name, shim.open, shim.delete = b"recorded", OPEN(open_), DELETE(delete)
    pwrite, fdatasync = os.pwrite, os.fdatasync

    def note_pwrite(handle: int, data: bytes, at: int) -> int:
        written = pwrite(handle, data, at)
        note("write", str(Path(f"/proc/self/fd/{handle}").readlink()), at, bytes(data))
        return written

    def note_fdatasync(handle: int) -> None:
        fdatasync(handle)
        note("sync", str(Path(f"/proc/self/fd/{handle}").readlink()))

    library.sqlite3_vfs_register(ctypes.byref(shim), 1)
    try:
        with patch("os.pwrite", note_pwrite), patch("os.fdatasync", note_fdatasync):
            yield trace
    finally:
        library.sqlite3_vfs_unregister(ctypes.byref(shim))
        library.sqlite3_vfs_register(real, 1)


class Disk:
    """A disk that takes the steps of a trace one after the other, and may lose its power after any of them."""

    def __init__(self) -> None:
        self._synced: dict[str, bytearray] = {}
        self._unsynced: list[Step] = []

    def take(self, step: Step) -> None:
        """Take one step."""
        if step.what != "sync":
            self._unsynced.append(step)
            return
        # A file system with a journal keeps the order of what it does to folders: any sync takes earlier deletions along.
        for one in [one for one in self._unsynced if one.path == step.path or one.what == "delete"]:
            _do(self._synced, one)
            self._unsynced.remove(one)

    def cut(self, random: Random, into: Path) -> None:
        """Write what is on the disk after a power cut now into a folder, as chance has it."""
        files = {path: bytearray(data) for path, data in self._synced.items()}
        fate = random.choice(("all", "none", "some", "some", "torn"))
        for step in self._unsynced:
            if fate == "all" or (fate == "some" and random.random() < 0.5):
                _do(files, step)
            elif fate == "torn":
                sectors = range(0, len(step.data), SECTOR)
                for at in (at for at in sectors if random.random() < 0.5):
                    _do(files, Step("write", step.path, step.at + at, step.data[at : at + SECTOR]))
        for path, data in files.items():
            (into / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (into / path).write_bytes(data)


def _do(files: dict[str, Any], step: Step) -> None:
    if step.what == "delete":
        files.pop(step.path, None)
        return
    data = files.setdefault(step.path, bytearray())
    if step.what == "truncate":
        del data[step.at :]
        return
    if len(data) < step.at:
        data.extend(bytes(step.at - len(data)))
    data[step.at : step.at + len(step.data)] = step.data
