"""Files for browsers, cached in memory: compressed once, with an ETag from their content."""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_COMPRESSED_ALREADY = {".ico", ".png", ".woff2"}
_COMMENT_LINES = re.compile(
    rb"^[ \t]*(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*$", re.DOTALL | re.MULTILINE
)  # only comments without code on their lines
_TYPES = re.compile(rb"/\*\* @type \{[^\n]*?\} \*/ ?")  # inline casts for the type checker
_IMPORTS = re.compile(rb'^@import "([^"]+)";$', re.MULTILINE)
_INDENTS = re.compile(rb"^[ \t]+", re.MULTILINE)  # the only multi-line strings are HTML, where indents do not matter


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is sent."""

    content_type: str
    plain: bytes
    gzipped: bytes | None  # if it is smaller
    etag: str


def static_file(data: bytes, ending: str) -> StaticFile:
    """Return `data` ready to be sent."""
    gzipped = None if ending in _COMPRESSED_ALREADY else gzip.compress(data, 9, mtime=0)
    if gzipped is not None and len(gzipped) > 0.9 * len(data):
        gzipped = None
    return StaticFile(CONTENT_TYPES[ending], data, gzipped, hashlib.sha256(data).hexdigest()[:20])


def minified(script: bytes) -> bytes:
    """Return a script or style sheet without indents, inline types, and comments on lines of their own (a fifth of it).

    Line numbers stay the same.
    """
    bare = _COMMENT_LINES.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)
    return _INDENTS.sub(b"", _TYPES.sub(b"", bare))


def _stamp(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_mtime_ns, state.st_size


class StaticFiles:
    """All files below one folder (`below`), or a few by name (`named`). Hidden files and unknown endings are not served.

    Scripts and style sheets below the folder are minified. Imported style sheets are put in place of their @import, so that
    a page loads only one.
    """

    def __init__(self, below: Path | None = None, named: Mapping[str, Path] | None = None) -> None:
        self._below = below.resolve() if below is not None else None
        self._named = dict(named or {})
        self._lock = threading.Lock()
        self._cache: dict[Path, tuple[dict[Path, tuple[int, int]], StaticFile]] = {}

    def get(self, name: str) -> StaticFile | None:
        """Return the file of this name, or None. It is only read again after it has changed."""
        file = self._find(name)
        if file is None:
            return None
        try:
            with self._lock:
                cached = self._cache.get(file)
                if cached is None or any(_stamp(part) != stamp for part, stamp in cached[0].items()):
                    stamps: dict[Path, tuple[int, int]] = {}
                    cached = self._cache[file] = (stamps, static_file(self._read(file, stamps), file.suffix))
                return cached[1]
        except OSError:
            return None

    def _read(self, file: Path, stamps: dict[Path, tuple[int, int]]) -> bytes:
        """Return a file as it is sent. Add the stamps of all its parts to `stamps`."""
        stamps[file] = _stamp(file)
        data = file.read_bytes()
        if self._below is None or file.suffix not in (".js", ".css"):
            return data
        bare = minified(data)
        if file.suffix == ".js":
            return bare
        return _IMPORTS.sub(lambda found: self._read(file.parent / found[1].decode(), stamps), bare)

    def _find(self, name: str) -> Path | None:
        if self._below is None:
            return self._named.get(name)
        parts = name.split("/")
        if any(not part or part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        file = self._below.joinpath(*parts)
        if file.suffix not in CONTENT_TYPES or not file.resolve().is_relative_to(self._below) or not file.is_file():
            return None
        return file
