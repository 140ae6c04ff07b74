"""Files for browsers, kept in memory: compressed once, told apart by their content."""

from __future__ import annotations

import gzip
import hashlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_PACKED_ALREADY = {".ico", ".png", ".woff2"}


@dataclass(frozen=True, slots=True)
class Item:
    """One file as it is sent."""

    kind: str
    plain: bytes
    packed: bytes | None  # gzip, where it is smaller
    tag: str


def item(data: bytes, ending: str) -> Item:
    """`data` ready to be sent."""
    packed = None if ending in _PACKED_ALREADY else gzip.compress(data, 9, mtime=0)
    if packed is not None and len(packed) > 0.9 * len(data):
        packed = None
    return Item(TYPES[ending], data, packed, hashlib.sha256(data).hexdigest()[:20])


class Shelf:
    """All files below one folder (`below`), or a few by name (`named`); only known endings, nothing hidden."""

    def __init__(self, below: Path | None = None, named: Mapping[str, Path] | None = None) -> None:
        self._below = below.resolve() if below is not None else None
        self._named = dict(named or {})
        self._lock = threading.Lock()
        self._kept: dict[Path, tuple[tuple[int, int], Item]] = {}

    def get(self, name: str) -> Item | None:
        """The file of that name; read again only when it has changed."""
        file = self._file(name)
        if file is None:
            return None
        try:
            state = file.stat()
            stamp = (state.st_mtime_ns, state.st_size)
            with self._lock:
                kept = self._kept.get(file)
                if kept is None or kept[0] != stamp:
                    kept = self._kept[file] = (stamp, item(file.read_bytes(), file.suffix))
                return kept[1]
        except OSError:
            return None

    def _file(self, name: str) -> Path | None:
        if self._below is None:
            return self._named.get(name)
        parts = name.split("/")
        if any(not part or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        file = self._below.joinpath(*parts)
        if file.suffix not in TYPES or not file.resolve().is_relative_to(self._below) or not file.is_file():
            return None
        return file
