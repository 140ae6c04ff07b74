"""TOML files and frozen msgspec Structs: read a file, list what a Struct says of its keys, print one with comments.

How a table becomes a Struct, and the sentences about what is refused, are in `hub.toml_structs`.
"""

from __future__ import annotations

import codecs
import os
import pwd
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import tomlkit
from msgspec import inspect
from tomlkit.items import Item, String, StringType, Table

from hub.errors import ConfigError
from hub.toml_structs import Document, allowed, bare, fields, hints, is_several, meta

COMMENT_COLUMN = 40  # comments of one table stand in one column, at most this far to the right
MOST_LEVELS = 20  # of tables and lists in a file
MOST_BYTES = 1_000_000
MOST_DOTS = 1000  # in a line: tomllib takes the square of a dotted key's parts, in memory, too


# --- a file --------------------------------------------------------------------------------------


def read(path: Path, name: str) -> Document:
    """Return the file at `path`, called `name` in sentences. Raise ConfigError."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ConfigError(f"{name}: this is a pipe or a device, not a file.")
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{name}: the file is larger than {MOST_BYTES // 1000} kB: it is another one.")
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError(
            f"{name}: there is no such file; `table-hub run --print-config` writes one to start from."
        ) from error
    except PermissionError as error:  # the installed command runs as the hub's user, who reads in no home
        user = pwd.getpwuid(os.geteuid()).pw_name
        raise ConfigError(
            f"{name}: the user {user}, as whom this runs, may not read the file: copy it to /etc/table-hub or /tmp."
        ) from error
    except OSError as error:
        raise ConfigError(f"{name}: the file cannot be read ({error.strerror}).") from error
    if data.startswith(codecs.BOM_UTF8):
        raise ConfigError(f"{name}: the file begins with a byte order mark: save it as UTF-8 without BOM.")
    if max(line.count(b".") for line in data.split(b"\n")) > MOST_DOTS:
        raise ConfigError(f"{name}: keys are nested too deeply: {MOST_LEVELS} levels are allowed.")
    try:
        text = data.decode("utf-8")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: the file is not UTF-8 text (byte {error.start}).") from error
    except ValueError as error:  # TOMLDecodeError, or a number with thousands of digits
        raise ConfigError(f"{name}: this is not TOML: {error}.") from error
    except RecursionError as error:
        raise ConfigError(f"{name}: brackets are nested too deeply.") from error
    if _is_deeper(table, MOST_LEVELS):
        raise ConfigError(f"{name}: brackets or keys are nested too deeply: {MOST_LEVELS} levels are allowed.")
    return Document(name, text, table)


def _is_deeper(table: dict[str, object], levels: int) -> bool:
    """Return whether tables and lists are nested deeper than that. Not recursive: TOML has no limit of its own."""
    level: list[dict[str, object] | list[object]] = [table]
    for _ in range(levels):
        inner = [value for one in level for value in (one.values() if isinstance(one, dict) else one)]
        level = [value for value in inner if isinstance(value, dict | list)]
        if not level:
            return False
    return True


# --- the keys of a Struct ---------------------------------------------------------------------------


class Key(NamedTuple):
    """What a Struct says of one key. `default` is TOML, or "" where there is none: the key is required, or left out."""

    name: str
    allowed: str
    default: str
    about: str
    required: bool
    form: type[msgspec.Struct] | None  # of a table, or of each of several
    several: bool


def keys(form: type[msgspec.Struct]) -> list[Key]:
    """Return what a Struct says of its keys, in their order: the unit stands with what is allowed (`extra={"unit": ..}`)."""
    found = []
    for field in fields(form):
        plain = bare(field.type)
        inner = bare(plain.item_type) if isinstance(plain, inspect.ListType | inspect.VarTupleType) else plain
        table = inner.cls if isinstance(inner, inspect.StructType) else None
        unit = meta(field.type, "unit")
        may_be = allowed(field.type, hints(form)[field.name]) + (f" ({unit})" if unit else "")
        about = meta(field.type, "description") or ""
        found.append(Key(field.name, may_be, _default(field, table), about, field.required, table, is_several(field)))
    return found


def _default(field: inspect.Field, table: type[msgspec.Struct] | None) -> str:
    """Return a key's default as TOML, or "" where there is none to write."""
    value = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    return "" if table or value is None or value is msgspec.NODEFAULT or value == {} else item(value).as_string()


# --- a Struct as a table ------------------------------------------------------------------------------


def commented(struct: msgspec.Struct, rest: Mapping[str, object] | None = None) -> Table:
    """Return a Struct as a TOML table with each key's description beside it; then the keys of `rest`."""
    table = tomlkit.table()
    described = [
        (field.name, item(getattr(struct, field.name)), meta(field.type, "description"))
        for field in fields(type(struct))
    ]
    described = [(name, value, about) for name, value, about in described if about]
    widths = {name: len(f"{name} = {value.as_string()}") for name, value, _ in described}
    column = min(max(widths.values()), COMMENT_COLUMN)
    for name, value, about in described:
        value.comment(about)
        value.trivia.comment_ws = " " * (max(column - widths[name], 0) + 2)
        table.add(name, value)
    for name, other in (rest or {}).items():
        table.add(name, item(other))
    return table


def item(value: object) -> Item:
    """Return a value as TOML of one line."""
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for key, inner in value.items():
            inline.append(key, item(inner))
        return inline
    if isinstance(value, list | tuple):
        array = tomlkit.array()
        for inner in value:
            array.append(item(inner))
        return array
    if isinstance(value, str):
        return String.from_raw(value, StringType.SLB)
    one: Item = tomlkit.item(value)
    return one
