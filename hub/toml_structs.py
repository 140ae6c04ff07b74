"""TOML tables as frozen msgspec Structs, without files: conversion, the sentences about what is refused, and its line.

A Struct says once what a key is: its type, its default and `msgspec.Meta(description=..., ge=..., le=..., pattern=...)`.
What the type cannot say stands in `Meta.extra`: `allowed` (the end of the sentence "port is ...") and `fits` (a function
from the value to bool); for the staff page also `pictures` (possible values of a text, and how each looks). Each refusal is one sentence with the key, the allowed values and the nearest name.

Use a list with a length in place of a tuple of fixed length: msgspec 0.22.0 crashes the interpreter when it refuses one.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
import tomllib
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from hub.errors import ConfigError

S = TypeVar("S", bound=msgspec.Struct)
KeyPath = tuple[str | int, ...]  # keys, and numbers from 0 in a list of tables
SHOWN = 60  # characters of a refused value


class SettingError(ConfigError):
    """A key, value or table that is refused. `path` leads to it from the table that was converted."""

    def __init__(self, sentence: str, path: KeyPath = ()) -> None:
        super().__init__(sentence)
        self.path = path


class ValueRefused(SettingError):
    """A value that a key may not have: what is refused, and what is allowed, for sentences in other languages."""

    def __init__(self, where: str, key: str, value: str, allowed: str, path: KeyPath) -> None:
        super().__init__(f"{where} {key}{value} will not do; {key} is {allowed}.".lstrip(), path)
        self.where, self.key, self.value, self.allowed = where, key, value, allowed


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


def _holds(value: object, path: KeyPath) -> bool:
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


def convert(form: type[S], values: Mapping[str, object], where: str = "", header: str = "") -> S:
    """Return the TOML table `values` as a `form`. Raise SettingError with one sentence.

    `where` begins the sentence; `header` is the table's own in TOML, for the sentences about tables in it.
    """
    return _table(form, values, _Place(where, header))


def _table(form: type[S], values: Mapping[str, object], place: _Place) -> S:
    known = {field.encode_name: field for field in fields(form)}
    annotations = hints(form)
    found = {}
    for key, value in values.items():
        if key not in known:
            raise place.error(_unknown(key, list(known.values()), place), key)
        field = known[key]
        found[field.name] = _value(key, value, field.type, annotations[field.name], place)
    for field in known.values():
        if field.required and field.name not in found:
            about = meta(field.type, "description")
            raise place.error(f"needs {field.encode_name}{f': {about}' if about else ''}.")
    try:
        return form(**found)
    except SettingError as error:
        raise place.error(str(error), *error.path) from None
    except ValueError as error:
        raise place.error(f"will not do: {error}.") from None


def _value(key: str, value: object, kind: inspect.Type, hint: object, place: _Place) -> object:
    """Return the value of one key, tables in it as Structs."""
    plain = bare(kind)
    if isinstance(plain, inspect.StructType):
        if not isinstance(value, dict):
            header = place.table(key).header
            raise place.error(f"{key} is a part: write [{header}] on its own line and its keys below it.", key)
        return _table(plain.cls, value, place.table(key))
    named = bare(plain.value_type) if isinstance(plain, inspect.DictType) else None
    if isinstance(named, inspect.StructType):
        header = place.table(key).header
        if not (isinstance(value, dict) and all(isinstance(block, dict) for block in value.values())):
            raise place.error(f"{key} holds parts: write [{header}.NAME] and its keys below it.", key)
        inner = _Place(place.text, header, (*place.path, key))
        return {name: _table(named.cls, block, inner.table(name)) for name, block in value.items()}
    item = bare(plain.item_type) if isinstance(plain, inspect.ListType | inspect.VarTupleType) else None
    if isinstance(item, inspect.StructType):
        if not (isinstance(value, list) and all(isinstance(block, dict) for block in value)):
            header = place.table(key).header
            raise place.error(f"there may be several of {key}: write [[{header}]] in double brackets.", key)
        value = [_table(item.cls, block, place.table(key, number)) for number, block in enumerate(value, 1)]
    fits = meta(kind, "fits")
    try:
        converted = msgspec.convert(value, hint)
        if fits is None or fits(converted):
            return converted
    except msgspec.ValidationError:
        pass
    said = "" if meta(kind, "secret") else f" = {shown(value)}"
    raise ValueRefused(place.text, key_text(key), said, allowed(kind, hint), (*place.path, key))


def allowed(kind: inspect.Type, hint: object = None) -> str:
    """Return what a value of that type may be: the end of a sentence that begins with "It is".

    `hint` is the annotation itself, which has choices in the order in which they were written.
    """
    match kind:
        case inspect.Metadata():
            return meta(kind, "allowed") or allowed(kind.type, getattr(hint, "__origin__", None))
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
            if isinstance(bare(kind.item_type), inspect.StructType):
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


def _unknown(key: str, listed: Sequence[inspect.Field], place: _Place) -> str:
    """Return the sentence about a key that does not exist: the near miss, else all that there are."""
    names = [field.encode_name for field in listed]
    near = nearest(key, names)
    if place.path or place.text:
        known, what = names, f"has no key {key_text(key)}"
    else:  # the top of a file: its keys are headers
        known = [f"[[{name}]]" if is_several(field) else f"[{name}]" for name, field in zip(names, listed, strict=True)]
        what = f"there is no part [{key_text(key)}]"
    return f"{what}: did you mean {known[names.index(near)]}?" if near else f"{what}; there are {', '.join(known)}."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like `name`, or "" if none is like it."""
    return next(iter(difflib.get_close_matches(name.lower(), list(known), 1)), "")


def is_several(field: inspect.Field) -> bool:
    """Return whether a field is a list, which TOML writes in double brackets."""
    return isinstance(bare(field.type), inspect.ListType | inspect.VarTupleType)


def bare(kind: inspect.Type) -> inspect.Type:
    """Return a type without its annotation and without None, which TOML has not."""
    if isinstance(kind, inspect.Metadata):
        return bare(kind.type)
    if isinstance(kind, inspect.UnionType):
        types = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return bare(types[0]) if len(types) == 1 else kind
    return kind


def meta(kind: inspect.Type, name: str) -> Any:
    """Return what the annotation says under `name`, "description" or a key of `Meta.extra`, or None."""
    if not isinstance(kind, inspect.Metadata):
        return None
    return {**(kind.extra_json_schema or {}), **(kind.extra or {})}.get(name)


@functools.cache
def fields(form: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """Return the fields of a Struct with their types."""
    return typing.cast("inspect.StructType", inspect.type_info(form)).fields


@functools.cache
def hints(form: type[msgspec.Struct]) -> dict[str, object]:
    """Return the annotations of a Struct by the names of its fields."""
    return typing.get_type_hints(form, include_extras=True)


def extras(form: type[msgspec.Struct], name: str) -> dict[str, Any]:
    """Return, by key, what the keys of a Struct say under `name` of `Meta.extra`."""
    return {field.name: extra for field in fields(form) if (extra := meta(field.type, name)) is not None}


def shown(value: object) -> str:
    """Return a value as text for a sentence, cut off if it is long."""
    text = _written(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def _written(value: object) -> str:
    """Return a value as TOML writes it. Values come from TOML, so their nesting is limited."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case bool():
            return str(value).lower()
        case list() | tuple():
            return f"[{', '.join(map(_written, value))}]"
        case dict():
            return f"{{{', '.join(f'{key_text(key)} = {_written(one)}' for key, one in value.items())}}}"
        case _:
            return str(value)


def key_text(name: str) -> str:
    """Return a key as TOML: bare if it may be, cut off if it is long."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) and len(name) <= SHOWN else shown(name)
