"""The private values of one table on disk.

A value that cannot be read is set aside, and the table starts without it. Nothing is written before all values have
been read: if the disk becomes available late, its contents must not be overwritten.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import msgspec

from hub.engine.text import Text, names, say, say_count
from hub.errors import LogError
from hub.ports import LogStore

log = logging.getLogger(__name__)

T = TypeVar("T")

UNREADABLE = "unreadable "
"""Prefix of the name under which an unreadable value stays on disk."""


class KeptText(msgspec.Struct, frozen=True):
    """A text on disk: its template, and its values in English."""

    template: str
    values: dict[str, int | float | str]

    def __post_init__(self) -> None:
        """Raise ValueError if a value of the template is missing: the data is damaged."""
        if not {*names(self.template)} <= self.values.keys():
            raise ValueError("a text lacks a value")

    @classmethod
    def of(cls, text: Text) -> KeptText:
        """Return the form of a text for the disk."""
        values = {name: str(value) if isinstance(value, str) else value for name, value in text.values.items()}
        return cls(text.template, values)

    @property
    def text(self) -> Text:
        """Return the text from its form on disk."""
        one, _, several = self.template.partition("\n")
        if not several:
            return say(one, **self.values)
        values = dict(self.values)
        return say_count(one, several, int(values.pop("count")), **values)


class KeptValues:
    """The private values of `table`. `damaged` lists the values that were set aside, as people call them."""

    def __init__(self, table: str, store: LogStore) -> None:
        self.table, self.store = table, store
        self.damaged: list[str] = []
        self._writable = False
        self._bad: dict[str, bytes] = {}

    def read(self, name: str, type_: type[T], what: str) -> T | None:
        """Return a value stored as JSON, or None if there is none. `what` is what people call it. Raise LogError."""
        return self.read_as(name, lambda data: msgspec.json.decode(data, type=type_), what)

    def read_as(self, name: str, decode: Callable[[bytes], T], what: str) -> T | None:
        """Return a value read by `decode`, which raises ValueError for damaged data; None if there is no value."""
        data: object = self.store.recall(self.table, name)
        if not data:
            return None
        try:
            if isinstance(data, bytes):
                return decode(data)
        except ValueError:  # also those of msgspec and Unicode; not logged, as their texts may quote a secret
            pass
        log.error("table %s: the kept value %r cannot be read; it is set aside.", self.table, name)
        self._bad[name] = data if isinstance(data, bytes) else str(data).encode()  # a damaged row may hold another type
        if what not in self.damaged:
            self.damaged.append(what)
        if self._writable:
            self._set_aside()
        return None

    def open(self) -> None:
        """Allow writing, after all values have been read. Raise LogError."""
        self._writable = True
        self._set_aside()

    def write(self, name: str, value: bytes) -> None:
        """Write a value in place of the previous one. Raise LogError."""
        if not self._writable:
            raise LogError(say("The disk could not be read yet, so nothing is written."))
        self.store.keep(self.table, name, value)

    def forget(self, name: str) -> None:
        """Delete a value, if there is one. Raise LogError."""
        if self.store.recall(self.table, name):
            self.write(name, b"")

    def _set_aside(self) -> None:
        for name, data in list(self._bad.items()):
            self.store.keep(self.table, f"{UNREADABLE}{name}", data)
            self.store.keep(self.table, name, b"")
            del self._bad[name]
