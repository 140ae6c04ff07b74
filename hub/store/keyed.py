"""Logs protected against changes: each line has a message authentication code (MAC), and each log has a seal."""

from __future__ import annotations

import hmac
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes
from typing import NamedTuple

from hub.engine.text import say
from hub.errors import LogError, ReplayDiverged, TemporaryError, of_file
from hub.files import read_file, set_aside, write_private
from hub.ports import LogEntry, Missing
from hub.store.store import SealedRow, Store

log = logging.getLogger(__name__)

LENGTH = 40  # bytes: the key (32), and the number of the newest match without a key (8)
_MAC = re.compile(rb',"mac":"([0-9a-f]{64})"\}\Z')
_SEALED = b',"sealed":true}'
"""End of the head, before its MAC, of a log with a seal. The MAC covers it, so it cannot be removed without the key."""


class End(NamedTuple):
    """The end of a match's log: its table, the number of cuts, the number of entries, and the MAC of the last line."""

    table: str
    cuts: int
    length: int
    mac: bytes


def _is_key(file: Path) -> bool:
    """Return whether a file holds a key of logs. Raise OSError if the disk fails."""
    try:
        return len(read_file(file)) == LENGTH
    except OSError as error:
        if isinstance(of_file(error, ""), TemporaryError):
            raise
        return False


class KeyedStore:
    """A `LogStore` whose logs cannot be changed unnoticed without the key, a file in the state folder.

    - Each line gets a field `mac`: HMAC-SHA-256 of the line, chained with the MAC of the previous line, starting with the
      head. Readers that do not know the field ignore it.
    - In the same transaction, the row of the match gets a seal: HMAC-SHA-256 of its table, its id, the number of cuts, its
      length and its last MAC. So entries cannot be removed or moved to another match.
    - An attacker can still put back an earlier seal together with the log of that time. The marks reveal this
      (`hub.store.marks`), unless they are put back, too.

    Logs older than the key have neither MACs nor seals; logs older than seals get one with their next entry. Logs with the
    MACs of another key are not read. The key does not protect against people who can read it: root, or the owner of the card.
    """

    def __init__(self, store: Store, file: Path) -> None:
        """Read the key, or make one. Raise TemporaryError if the disk fails, ConfigError if the folder cannot be written.

        An invalid key file is set aside and reported in `key_notice`: its matches wait for it, but others can begin.
        """
        self._store = store
        # Methods that do not involve keys.
        self.wipe, self.started_at, self.set_aside, self.lengths = (
            store.wipe,
            store.started_at,
            store.set_aside,
            store.lengths,
        )
        self.all_put_aside, self.take_up, self.last = store.all_put_aside, store.take_up, store.last
        self.keep, self.recall = store.keep, store.recall
        self.key_notice = ""
        try:
            if os.path.lexists(file) and not _is_key(file):
                aside = set_aside(file)
                log.error("%s is no key of logs. It is set aside as %s.", file, aside.name)
                self.key_notice = say(
                    "The key file for the logs of matches was damaged, so earlier matches cannot be resumed."
                )
            if not file.exists():
                highest = store.highest()
                write_private(file, token_bytes(32) + highest.to_bytes(8))
                if highest:
                    log.warning("%s was not there: logs that another key has marked are set aside.", file)
            data = read_file(file)
        except LogError as error:  # which logs are without a key cannot be known now
            raise TemporaryError(str(error)) from error
        except OSError as error:
            raise of_file(error, f"{file}: the key of the logs cannot be kept there ({error.strerror}).") from error
        self._key, self._without = data[:32], int.from_bytes(data[32:])
        self._end: dict[str, End] = {}  # of each running match; for others it is read again
        self._short: dict[str, Missing] = {}  # logs that differ from their seal

    @property
    def notice(self) -> str:
        """Return one sentence for people if a damaged file was set aside, else ""."""
        return self._store.notice

    def begin(self, table: str, head: bytes) -> str:
        """Write the head of a new match. Return its id."""
        line, mac = self._sign_line(head.removesuffix(b"}") + _SEALED, b"")
        end = End(table, 0, 0, mac)
        match = self._store.begin(table, line, lambda match: self._seal(match, end))
        self._end[match] = end
        return match

    def append(self, match: str, entries: Sequence[LogEntry]) -> None:
        """Write the next entries of a match's log."""
        if not self._is_keyed(match):
            self._store.append(match, entries)
            return
        lines, end = self._sign_entries(self._end.get(match) or self._end_of(match), entries)
        self._store.append(match, lines, self._seal(match, end))
        self._end[match] = end

    def cut(self, match: str, length: int, instead: Sequence[LogEntry] = ()) -> None:
        """Drop a match's entries from number `length` on and write those of `instead`."""
        if not self._is_keyed(match):
            self._store.cut(match, length, instead)
            return
        kept = self._end_of(match, length)
        lines, end = self._sign_entries(kept._replace(cuts=kept.cuts + 1), instead)
        self._store.cut(match, length, lines, self._seal(match, end))
        self._end[match] = end

    def end(self, match: str, result: bytes) -> None:
        """Write that a match has ended: by its rules or abandoned, as `result` (JSON) says."""
        self._store.end(match, result)
        self._forget(match)

    def put_aside(self, match: str) -> None:
        """Write that a match was suspended."""
        self._store.put_aside(match)
        self._forget(match)

    def load(self, match: str) -> tuple[bytes, list[LogEntry]]:
        """Return the head and the entries of a match. Raise LogError, or ReplayDiverged if a line was changed.

        A log that differs from its seal is returned as it is, and `missing` reports it.
        """
        head, entries = self._store.load(match)
        if not self._is_keyed(match):
            if any(_MAC.search(line) for line in (head, *(entry.line for entry in entries))):
                raise ReplayDiverged(
                    say(
                        "The log of match {match} was written with a key that the hub no longer has. Staff: put "
                        "the earlier key back from a backup, and restart the hub.",
                        match=match,
                    )
                )
            return head, entries
        macs = [self._verify_line(match, head, b"", None)]
        for entry in entries:
            macs.append(self._verify_line(match, entry.line, macs[-1], entry.number))
        row = self._store.sealed_row(match)
        self._forget(match)
        if short := self._compare_seal(match, row, macs, sealed=_MAC.sub(b"}", head).endswith(_SEALED)):
            self._short[match] = short
        self._end[match] = End(row.table, row.cuts, len(entries), macs[-1])
        return head, entries

    def missing(self, table: str) -> Missing | None:
        """Return which data of a table the disk has lost since its last use; None if no loss is known."""
        last = self._store.last(table)
        return (last and self._short.get(last.id)) or self._store.missing(table)

    def settle(self, table: str) -> None:
        """Accept the data of a table as complete from now on, after a loss was reported."""
        last = self._store.last(table)
        if last and last.id in self._short:
            self._store.seal(last.id, self._seal(last.id, self._end_of(last.id)))
            del self._short[last.id]
        self._store.settle(table)

    def _forget(self, match: str) -> None:
        self._end.pop(match, None)
        self._short.pop(match, None)

    def _is_keyed(self, match: str) -> bool:
        number = match.removeprefix("m-")
        return number.isdigit() and int(number) > self._without

    def _end_of(self, match: str, length: int | None = None) -> End:
        """Return the end of the log of a match on disk, or its end if it were cut to `length`."""
        head, entries = self._store.load(match)
        row = self._store.sealed_row(match)
        kept = entries[:length]
        found = _MAC.search(kept[-1].line if kept else head)
        return End(row.table, row.cuts, len(kept), bytes.fromhex(found[1].decode()) if found else b"")

    def _sign_entries(self, end: End, entries: Sequence[LogEntry]) -> tuple[list[LogEntry], End]:
        """Return entries with their MACs, and the end of the log after them."""
        lines, mac = [], end.mac
        for entry in entries:
            line, mac = self._sign_line(entry.line, mac)
            lines.append(LogEntry(entry.number, line))
        return lines, end._replace(length=end.length + len(lines), mac=mac)

    def _seal(self, match: str, end: End) -> str:
        """Return the seal of a match's log with this end."""
        said = f"{end.cuts} {end.length} {end.mac.hex()}"
        sealed = b"seal\n%s\n%s\n%s" % (end.table.encode(), match.encode(), said.encode())
        mac = hmac.digest(self._key, sealed, "sha256")
        return f"{said} {mac.hex()}"

    def _compare_seal(self, match: str, row: SealedRow, macs: Sequence[bytes], *, sealed: bool) -> Missing | None:
        """Return how a log differs from the one that was sealed, or None. Raise ReplayDiverged.

        - `macs`: the MACs of the head and of each entry.
        - `sealed`: whether the head says that there is a seal.
        """
        length = len(macs) - 1
        if row.ended and length == 0:  # wiped
            return None
        if row.seal is None and not sealed:
            return None
        try:
            cuts, had, mac, _ = (row.seal or "").split(" ")
            end = End(row.table, int(cuts), int(had), bytes.fromhex(mac))
        except ValueError:
            end = None
        if end is None or not hmac.compare_digest(self._seal(match, end).encode(), (row.seal or "").encode()):
            raise ReplayDiverged(
                say("The log of match {match} belongs to another match, or another program changed it.", match=match)
            )
        if end.cuts == row.cuts and end.length > length:
            return Missing(match, end.length, length)
        if end != End(row.table, row.cuts, length, macs[-1]):  # an earlier copy, or continued by an earlier hub
            return Missing(match, end.length, length, altered=True)
        return None

    def _sign_line(self, line: bytes, before: bytes) -> tuple[bytes, bytes]:
        mac = hmac.digest(self._key, before + line, "sha256")
        return b'%s,"mac":"%s"}' % (line.removesuffix(b"}"), mac.hex().encode()), mac

    def _verify_line(self, match: str, line: bytes, before: bytes, entry: int | None) -> bytes:
        """Return the MAC of a line: the head (None) or an entry. Raise ReplayDiverged if it is not valid."""
        found = _MAC.search(line)
        mac = hmac.digest(self._key, before + _MAC.sub(b"}", line), "sha256")
        if not found or not hmac.compare_digest(mac.hex().encode(), found[1]):
            if entry is None:
                raise ReplayDiverged(say("Another program changed the head of the log of match {match}.", match=match))
            raise ReplayDiverged(
                say("Another program changed entry {entry} of the log of match {match}.", entry=entry, match=match)
            )
        return mac
