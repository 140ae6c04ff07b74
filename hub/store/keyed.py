"""Logs that nobody else can write: each line carries a message authentication code."""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes
from typing import Any

from hub.errors import ConfigError, LogError, ReplayDiverged, TemporaryError, of_file
from hub.files import read_file, write_private
from hub.ports import LogEntry
from hub.store.store import Store

log = logging.getLogger(__name__)

_MAC = re.compile(rb',"mac":"([0-9a-f]{64})"\}\Z')


class KeyedStore:
    """A `LogStore` whose logs nobody can change without the key of the state folder, a file beside the database.

    Each line gets a field `mac`: HMAC-SHA-256 of the line, chained with that of the line before it, the head's first. Readers
    that know no such field leave it out. Logs that began before there was any key have none; what another key has marked is not read. It is no help against who reads
    the key: root, or whoever holds the card.
    """

    def __init__(self, store: Store, file: Path) -> None:
        """Read the key, or make one. Raise ConfigError where the file is no such key, TemporaryError where the disk fails."""
        self._store, self._file = store, file
        try:
            if not file.exists():
                highest = store.highest()
                write_private(file, token_bytes(32) + highest.to_bytes(8, "big"))
                if highest:
                    log.warning("%s was not there: logs that another key has marked are set aside.", file)
            data = read_file(file)
        except LogError as error:  # which logs are without a key cannot be known now
            raise TemporaryError(str(error)) from error
        except OSError as error:
            raise of_file(error, f"{file}: the key of the logs cannot be kept there ({error.strerror}).") from error
        if len(data) != 40:
            raise ConfigError(f"{file}: this is no key of logs; remove it, and matches under way are set aside.")
        self._key, self._without = data[:32], int.from_bytes(data[32:], "big")
        self._last: dict[str, bytes] = {}  # the mac of the last line of each match under way; others are read again

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, table: str, head: bytes) -> str:
        """Write the head of a new match. Return its id."""
        line, mac = self._marked(head, b"")
        match = self._store.begin(table, line)
        self._last[match] = mac
        return match

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Write the next entries of a match's log."""
        marked, mac = self._all_marked(entries, self._mac_before(match, None))
        self._store.append(match, marked)
        self._last[match] = mac

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`."""
        marked, mac = self._all_marked(instead, self._mac_before(match, length))
        self._store.cut(match, length, marked)
        self._last[match] = mac

    def end(self, match: str, result: bytes) -> None:
        """Write that a match is over or was left: `result`, JSON, says which."""
        self._store.end(match, result)
        self._last.pop(match, None)

    def put_aside(self, match: str) -> None:
        """Write that people have put a match aside."""
        self._store.put_aside(match)
        self._last.pop(match, None)

    def take_up(self, match: str) -> str:
        """Make a match that was put aside the newest of its table, under a new id; return that. Raise LogError."""
        head, entries = self.load(match)
        line, mac = self._marked(_MAC.sub(b"}", head), b"")
        bare = [LogEntry(entry.number, _MAC.sub(b"}", entry.line)) for entry in entries]
        marked, last = self._all_marked(bare, mac)
        new: str = self._store.move(match, line, marked)
        self._last[new] = last if marked else mac
        self._last.pop(match, None)
        return new

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise LogError; ReplayDiverged where a line is not the hub's."""
        head, entries = self._store.load(match)
        if not self._is_keyed(match):
            if any(_MAC.search(line) for line in (head, *(entry.line for entry in entries))):
                raise ReplayDiverged(
                    f"The log of match {match} was written with another key than the one in {self._file} now: "
                    "put the earlier one back, from a backup, and start the hub again."
                )
            return head, entries
        mac = self._checked(match, head, b"", "in its head")
        for entry in entries:
            mac = self._checked(match, entry.line, mac, f"at entry {entry.number}")
        self._last[match] = mac
        return head, entries

    def _is_keyed(self, match: str) -> bool:
        number = match.removeprefix("m-")
        return number.isdigit() and int(number) > self._without

    def _mac_before(self, match: str, length: int | None) -> bytes | None:
        """Return the mac that the next line of a match follows, its log cut to `length`; None for one without."""
        if not self._is_keyed(match):
            return None
        if length is None and match in self._last:
            return self._last[match]
        head, entries = self._store.load(match)
        lines = [head, *(entry.line for entry in entries[:length])]
        found = _MAC.search(lines[-1])
        return bytes.fromhex(found[1].decode()) if found else b""

    def _all_marked(self, entries: Sequence[LogEntry], mac: bytes | None) -> tuple[Sequence[LogEntry], bytes]:
        if mac is None:
            return entries, b""
        marked = []
        for entry in entries:
            line, mac = self._marked(entry.line, mac)
            marked.append(LogEntry(entry.number, line))
        return marked, mac

    def _marked(self, line: bytes, before: bytes) -> tuple[bytes, bytes]:
        mac = hmac.digest(self._key, before + line, "sha256")
        return b'%s,"mac":"%s"}' % (line.removesuffix(b"}"), mac.hex().encode()), mac

    def _checked(self, match: str, line: bytes, before: bytes, where: str) -> bytes:
        found = _MAC.search(line)
        mac = hmac.digest(self._key, before + _MAC.sub(b"}", line), "sha256")
        if not found or not hmac.compare_digest(mac.hex().encode(), found[1]):
            raise ReplayDiverged(f"The log of match {match} was changed {where} by something else than this hub.")
        return mac
