"""Files for browsers, kept in memory: compressed once, told apart by their content."""

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
)  # one that has its lines alone
_TYPES = re.compile(rb"/\*\* @type \{[^\n]*?\} \*/ ?")  # within a line, for the type checker
_IMPORTS = re.compile(rb'^@import "([^"]+)";$', re.MULTILINE)
_INDENTS = re.compile(rb"^[ \t]+", re.MULTILINE)  # no string of ours has lines of its own but HTML, where none counts


@dataclass(frozen=True, slots=True)
class StaticFile:
    """One file as it is sent."""

    content_type: str
    plain: bytes
    gzipped: bytes | None  # where that is smaller
    etag: str


def static_file(data: bytes, ending: str) -> StaticFile:
    """Return `data` ready to be sent."""
    gzipped = None if ending in _COMPRESSED_ALREADY else gzip.compress(data, 9, mtime=0)
    if gzipped is not None and len(gzipped) > 0.9 * len(data):
        gzipped = None
    return StaticFile(CONTENT_TYPES[ending], data, gzipped, hashlib.sha256(data).hexdigest()[:20])


def lightened(script: bytes) -> bytes:
    """Return a script or a style sheet without comments on lines of their own, a fifth of it, without types and indents.

    Every line keeps its number.
    """
    bare = _COMMENT_LINES.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)
    return _INDENTS.sub(b"", _TYPES.sub(b"", bare))


def _stamp(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_mtime_ns, state.st_size


class StaticFiles:
    """All files below one folder (`below`), or a few by name (`named`); only known endings, nothing hidden.

    Scripts and style sheets below the folder are our own and go without indents, and without comments on lines of their own.
    A style sheet contains the sheets that it imports, in their order: a page asks for one.
    """

    def __init__(self, below: Path | None = None, named: Mapping[str, Path] | None = None) -> None:
        self._below = below.resolve() if below is not None else None
        self._named = dict(named or {})
        self._lock = threading.Lock()
        self._kept: dict[Path, tuple[dict[Path, tuple[int, int]], StaticFile]] = {}

    def get(self, name: str) -> StaticFile | None:
        """Return the file of that name, read again only when it has changed; None where there is none."""
        file = self._find(name)
        if file is None:
            return None
        try:
            with self._lock:
                kept = self._kept.get(file)
                if kept is None or any(_stamp(part) != stamp for part, stamp in kept[0].items()):
                    stamps: dict[Path, tuple[int, int]] = {}
                    kept = self._kept[file] = (stamps, static_file(self._read(file, stamps), file.suffix))
                return kept[1]
        except OSError:
            return None

    def _read(self, file: Path, stamps: dict[Path, tuple[int, int]]) -> bytes:
        """Return a file as it is sent, and note the stamps of all that is in it."""
        stamps[file] = _stamp(file)
        data = file.read_bytes()
        if self._below is None or file.suffix not in (".js", ".css"):
            return data
        bare = lightened(data)
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
