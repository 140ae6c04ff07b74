"""TOML and frozen msgspec Structs: read a file, convert a table, print a Struct with a comment beside each key.

A Struct says once what a key is: its type, its default and `msgspec.Meta(description=..., ge=..., le=..., pattern=...)`.
What the type cannot say stands in `Meta.extra`: `allowed` (the end of the sentence "port is ...") and `fits` (a function
from the value to bool). Whatever is refused is one sentence with the key, what is allowed and the near miss.
"""

from __future__ import annotations

import codecs
import difflib
import functools
import os
import pwd
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec
import tomlkit
from msgspec import inspect
from tomlkit.items import Item, String, StringType, Table

from hub.errors import ConfigError

S = TypeVar("S", bound=msgspec.Struct)
KeyPath = tuple[str | int, ...]  # keys, and numbers from 0 in a list of tables
COMMENT_COLUMN = 40  # comments of one table stand in one column, at most this far to the right
SHOWN = 60  # characters of a refused value
MOST_LEVELS = 20  # of tables and lists in a file
MOST_BYTES = 1_000_000
MOST_DOTS = 1000  # in a line: tomllib takes the square of a dotted key's parts, in memory, too


class SettingError(ConfigError):
    """A key, value or table that is refused. `path` leads to it from the table that was converted."""

    def __init__(self, sentence: str, path: KeyPath = ()) -> None:
        super().__init__(sentence)
        self.path = path


# --- a file --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Document:
    """A TOML file: its name as the owner wrote it, its text, and its top-level table."""

    name: str
    text: str
    table: dict[str, Any]

    def located(self, error: SettingError) -> ConfigError:
        """Return `error` with the file and, where it is in the file, the line."""
        line = self.line(error.path) if error.path else None
        return ConfigError(f"{self.name}{f', line {line}' if line else ''}: {error}")

    def line(self, path: KeyPath) -> int | None:
        """Return the line, from 1, where the value at `path` begins, or None where it is not in the file.

        No TOML reader for Python tells lines. But a file cut off after a line is mostly TOML again, and what it holds stays
        in it with more lines: the longest beginning without the value is found by halves.
        """
        lines = [
            f"{line}\n" for line in self.text.split("\n")
        ]  # not splitlines: it knows ends of lines that TOML does not
        if not _holds(tomllib.loads(self.text), path):
            return None
        without, end = 0, len(lines)  # the value begins in a line after `without`, and not after `end`
        while end - without > 1:
            middle = (without + end) // 2
            for count in range(middle, end):
                try:
                    table = tomllib.loads("".join(lines[:count]))
                except (ValueError, RecursionError):  # cut off inside a value of several lines
                    continue
                if _holds(table, path):
                    end = count
                else:
                    without = count
                break
            else:
                end = middle
        return without + 1


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


def _is_deeper(table: dict[str, Any], levels: int) -> bool:
    """Return whether tables and lists are nested deeper than that. Not recursive: TOML has no limit of its own."""
    level: list[Any] = [table]
    for _ in range(levels):
        inner = [value for one in level for value in (one.values() if isinstance(one, dict) else one)]
        level = [value for value in inner if isinstance(value, dict | list)]
        if not level:
            return False
    return True


def _holds(value: Any, path: KeyPath) -> bool:
    for step in path:
        match value:
            case dict() if step in value:
                value = value[step]
            case list() if isinstance(step, int) and step < len(value):
                value = value[step]
            case _:
                return False
    return True


# --- a table as a Struct ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """Where a table stands: in words for the owner, as a TOML header, and as a path in the file."""

    text: str = ""
    header: str = ""
    path: KeyPath = ()

    def table(self, key: str, number: int | None = None) -> _Place:
        """Return the place of the table `key` in this one, or of that `number` from 1 of several."""
        header = f"{self.header}.{key}" if self.header else key
        text = f"[{header}]" if number is None else f"[[{header}]] number {number}"
        path = (*self.path, key) if number is None else (*self.path, key, number - 1)
        return _Place(f"{self.text}: {text}" if self.text else text, header, path)

    def error(self, sentence: str, *path: str | int) -> SettingError:
        return SettingError(f"{self.text} {sentence}".lstrip(), (*self.path, *path))


def convert(form: type[S], values: Mapping[str, Any], where: str = "", header: str = "") -> S:
    """Return the TOML table `values` as a `form`. Raise SettingError with one sentence.

    `where` begins the sentence; `header` is the table's own in TOML, for the sentences about tables in it.
    """
    return _table(form, values, _Place(where, header))


def _table(form: type[S], values: Mapping[str, Any], place: _Place) -> S:
    fields = {field.name: field for field in _fields(form)}
    hints = _hints(form)
    found = {}
    for key, value in values.items():
        if key not in fields:
            raise place.error(_unknown(key, list(fields.values()), place), key)
        found[key] = _value(key, value, fields[key].type, hints[key], place)
    for field in fields.values():
        if field.required and field.name not in found:
            about = _meta(field.type, "description")
            raise place.error(f"needs {field.name}{f': {about}' if about else ''}.")
    try:
        return form(**found)
    except SettingError as error:
        raise place.error(str(error), *error.path) from None
    except ValueError as error:
        raise place.error(f"will not do: {error}.") from None


def _value(key: str, value: Any, kind: inspect.Type, hint: Any, place: _Place) -> Any:
    """Return the value of one key, tables in it as Structs."""
    bare = _bare(kind)
    if isinstance(bare, inspect.StructType):
        if not isinstance(value, dict):
            header = place.table(key).header
            raise place.error(f"{key} is a part: write [{header}] on its own line and its keys below it.", key)
        return _table(bare.cls, value, place.table(key))
    item = _bare(bare.item_type) if isinstance(bare, inspect.ListType | inspect.VarTupleType) else None
    if isinstance(item, inspect.StructType):
        if not (isinstance(value, list) and all(isinstance(block, dict) for block in value)):
            header = place.table(key).header
            raise place.error(f"there may be several of {key}: write [[{header}]] in double brackets.", key)
        value = [_table(item.cls, block, place.table(key, number)) for number, block in enumerate(value, 1)]
    fits = _meta(kind, "fits")
    try:
        converted = msgspec.convert(value, hint)
        if fits is None or fits(converted):
            return converted
    except msgspec.ValidationError:
        pass
    raise place.error(f"{_key(key)} = {shown(value)} will not do; {_key(key)} is {allowed(kind, hint)}.", key)


def allowed(kind: inspect.Type, hint: Any = None) -> str:
    """Return what a value of that type may be: the end of a sentence that begins with "It is".

    `hint` is the annotation itself, which has choices in the order in which they were written.
    """
    match kind:
        case inspect.Metadata():
            return _meta(kind, "allowed") or allowed(kind.type, getattr(hint, "__origin__", None))
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType():
            return "text in quotes"
        case inspect.IntType():
            return f"a whole number{_bounds(kind)}"
        case inspect.FloatType():
            return f"a number{_bounds(kind)}"
        case inspect.LiteralType():
            return "one of " + ", ".join(map(shown, typing.get_args(hint) or kind.values))
        case inspect.TupleType():
            return f"a list of {len(kind.item_types)} values: " + ", ".join(map(allowed, kind.item_types))
        case inspect.ListType() | inspect.VarTupleType():
            if isinstance(_bare(kind.item_type), inspect.StructType):
                return f"a list{_length(kind)} of blocks"
            return f"a list{_length(kind)}, each {allowed(kind.item_type)}"
        case inspect.UnionType():
            return " or ".join(allowed(one) for one in kind.types if not isinstance(one, inspect.NoneType))
        case _:
            return "a block of keys and values"


def _bounds(kind: inspect.IntType | inspect.FloatType) -> str:
    low, high = kind.ge, kind.le
    if isinstance(kind, inspect.IntType):
        low = kind.gt + 1 if kind.gt is not None else low
        high = kind.lt - 1 if kind.lt is not None else high
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", {low} or more"
    return "" if high is None else f", {high} or less"


def _length(kind: inspect.ListType | inspect.VarTupleType) -> str:
    low, high = kind.min_length, kind.max_length
    if low and high is not None:
        return f" of {low} to {high}"
    if low:
        return f" of {low} or more"
    return "" if high is None else f" of at most {high}"


def _unknown(key: str, fields: Sequence[inspect.Field], place: _Place) -> str:
    """Return the sentence about a key that does not exist: the near miss, else all that there are."""
    names = [field.name for field in fields]
    near = difflib.get_close_matches(key.lower(), names, 1)
    if place.path or place.text:
        known, what = names, f"has no key {_key(key)}"
    else:  # the top of a file: its keys are headers
        known = [f"[[{field.name}]]" if _is_several(field) else f"[{field.name}]" for field in fields]
        what = f"there is no part [{_key(key)}]"
    return f"{what}: did you mean {known[names.index(near[0])]}?" if near else f"{what}; there are {', '.join(known)}."


def _is_several(field: inspect.Field) -> bool:
    return isinstance(_bare(field.type), inspect.ListType | inspect.VarTupleType)


def _bare(kind: inspect.Type) -> inspect.Type:
    """Return a type without its annotation and without None, which TOML has not."""
    if isinstance(kind, inspect.Metadata):
        return _bare(kind.type)
    if isinstance(kind, inspect.UnionType):
        types = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return _bare(types[0]) if len(types) == 1 else kind
    return kind


def _meta(kind: inspect.Type, name: str) -> Any:
    """Return what the annotation says under `name`, "description" or a key of `Meta.extra`, or None."""
    if not isinstance(kind, inspect.Metadata):
        return None
    return {**(kind.extra_json_schema or {}), **(kind.extra or {})}.get(name)


@functools.cache
def _fields(form: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    return typing.cast("inspect.StructType", inspect.type_info(form)).fields


@functools.cache
def _hints(form: type[msgspec.Struct]) -> dict[str, Any]:
    return typing.get_type_hints(form, include_extras=True)


def extras(form: type[msgspec.Struct], name: str) -> dict[str, Any]:
    """Return, by key, what the keys of a Struct say under `name` of `Meta.extra`."""
    return {field.name: extra for field in _fields(form) if (extra := _meta(field.type, name)) is not None}


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
    for field in _fields(form):
        bare = _bare(field.type)
        inner = _bare(bare.item_type) if isinstance(bare, inspect.ListType | inspect.VarTupleType) else bare
        table = inner.cls if isinstance(inner, inspect.StructType) else None
        unit = _meta(field.type, "unit")
        may_be = allowed(field.type, _hints(form)[field.name]) + (f" ({unit})" if unit else "")
        about = _meta(field.type, "description") or ""
        found.append(Key(field.name, may_be, _default(field, table), about, field.required, table, _is_several(field)))
    return found


def _default(field: inspect.Field, table: type[msgspec.Struct] | None) -> str:
    """Return a key's default as TOML, or "" where there is none to write."""
    value = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    return "" if table or value is None or value is msgspec.NODEFAULT or value == {} else item(value).as_string()


# --- a Struct as a table ------------------------------------------------------------------------------


def commented(struct: msgspec.Struct, rest: Mapping[str, Any] | None = None) -> Table:
    """Return a Struct as a TOML table with each key's description beside it; then the keys of `rest`."""
    table = tomlkit.table()
    described = [
        (field.name, item(getattr(struct, field.name)), _meta(field.type, "description"))
        for field in _fields(type(struct))
    ]
    described = [(name, value, about) for name, value, about in described if about]
    widths = {name: len(f"{name} = {value.as_string()}") for name, value, _ in described}
    column = min(max(widths.values()), COMMENT_COLUMN)
    for name, value, about in described:
        value.comment(about)
        value.trivia.comment_ws = " " * (max(column - widths[name], 0) + 2)
        table.add(name, value)
    for name, value in (rest or {}).items():
        table.add(name, item(value))
    return table


def item(value: Any) -> Item:
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


def shown(value: Any) -> str:
    """Return a value as TOML, cut off where it is long."""
    try:
        text = item(value).as_string()
    except (ValueError, RecursionError):
        text = str(type(value).__name__)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _key(name: str) -> str:
    """Return a key as TOML: bare where it may be."""
    return tomlkit.key(name).as_string()
