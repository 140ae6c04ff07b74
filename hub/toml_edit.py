"""Change single values of a TOML file as a careful person would: every other line stays as it is, comments included.

tomlkit cannot do this here: it moves blocks of a list that have other blocks between them, and drops the comments that
follow a removed block. A file is a list of statements. A statement is a header, or a key with its value.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hub import toml
from hub.toml_structs import KeyPath, key_text

REMOVED = None
"""The new value of a key or block that is removed: TOML has no null."""


class CannotEdit(Exception):
    """The change does not fit the file, or the file is written in a way that this module cannot change safely."""


@dataclass
class _Statement:
    """Some whole lines of a file. `path` is None for comments and empty lines."""

    text: str
    path: KeyPath | None = None
    is_header: bool = False
    value: Any = None

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def changed(text: str, path: KeyPath, value: object) -> str:
    """Return a TOML file with one change.

    - `path`: the keys that lead to the value, with numbers from 0 in lists of tables.
    - `value`: the new value, or REMOVED. A path that ends with the length of a list appends a table to it.

    Raise CannotEdit.
    """
    before = tomllib.loads(text)
    wanted = [placed(before, path, value)]
    if value is REMOVED and _at(wanted[0], path[:-1]) == []:  # without its last block, a list is not in the file
        wanted.append(placed(before, path[:-1], REMOVED))
    statements = _statements(text)
    _change(statements, path, value, "\r\n" if "\r\n" in text else "\n")
    made = "".join(one.text for one in statements)
    try:
        if tomllib.loads(made) in wanted:
            return made
    except tomllib.TOMLDecodeError:
        pass
    raise CannotEdit


def placed(container: Any, path: KeyPath, value: object) -> Any:
    """Return a copy of tables and lists with one change, as `changed` makes it. Raise CannotEdit."""
    result = deepcopy(container)
    inner: Any = result
    try:
        for step, following in pairwise(path):
            if isinstance(inner, dict) and isinstance(step, str):
                if step not in inner and value is REMOVED:
                    return result
                inner = inner.setdefault(step, [] if isinstance(following, int) else {})
            else:
                inner = inner[step]
        _place(inner, path[-1], value)
    except (LookupError, TypeError):
        raise CannotEdit from None
    return result


def _at(container: Any, path: KeyPath) -> Any:
    """Return the value at a path, or None."""
    for step in path:
        if isinstance(container, dict) and step not in container:
            return None
        container = container[step]
    return container


def _place(container: Any, last: str | int, value: object) -> None:
    """Set, add or remove the last step of a path. Raise CannotEdit, LookupError or TypeError."""
    if isinstance(container, dict) != isinstance(last, str):
        raise CannotEdit
    if isinstance(container, dict):
        if value is REMOVED:
            container.pop(last, None)
        else:
            container[last] = value
    elif value is REMOVED:
        del container[last]
    elif last == len(container):
        container.append(value)
    elif isinstance(container[last], dict):
        raise CannotEdit  # a block is changed key by key
    else:
        container[last] = value


# --- reading ----------------------------------------------------------------------------------------------


def _statements(text: str) -> list[_Statement]:
    """Return the statements of a valid TOML file, in order."""
    found: list[_Statement] = []
    block: KeyPath = ()
    counts: dict[KeyPath, int] = {}  # the number of tables so far in each list of tables
    for lines in _pieces(text):
        bare = lines.lstrip()
        if not bare or bare.startswith("#"):
            found.append(_Statement(lines))
        elif bare.startswith("["):
            block = _block_of(tomllib.loads(lines), counts)
            found.append(_Statement(lines, block, is_header=True))
        else:
            keys, value = _dotted(lines)
            found.append(_Statement(lines, (*block, *keys), value=value))
    return found


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines of a file, those of one value together. A value that is not complete yet is not TOML."""
    piece = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):  # not splitlines: it knows ends of lines that TOML does not
        piece += line
        try:
            tomllib.loads(piece)
        except tomllib.TOMLDecodeError:
            continue
        yield piece
        piece = ""


def _block_of(header: dict[str, Any], counts: dict[KeyPath, int]) -> KeyPath:
    """Return the path of the table that a header begins. `counts` gets the table."""
    path: KeyPath = ()
    inner: Any = header
    while inner:
        ((key, inner),) = inner.items()
        path = (*path, key)
        if isinstance(inner, list):  # only the last key of [[a.b]] is a list here
            counts[path] = counts.get(path, 0) + 1
            inner = inner[0]
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _dotted(lines: str) -> tuple[KeyPath, Any]:
    """Return the keys of a statement and its value. `a.b = {}` has two keys, `a = {b = 1}` one."""
    value: Any = tomllib.loads(lines)
    keys: KeyPath = ()
    for _ in range(_before_value(lines).count(".") + 1):
        if not isinstance(value, dict) or len(value) != 1:
            break
        ((key, value),) = value.items()
        keys = (*keys, key)
    return keys, value


def _before_value(lines: str) -> str:
    return lines[: lines.index("=") + 1]


# --- changing ---------------------------------------------------------------------------------------------


def _change(statements: list[_Statement], path: KeyPath, value: object, end: str) -> None:
    for number, one in enumerate(statements):
        if one.path is None or one.is_header or one.path != path[: len(one.path)]:
            continue
        if one.path != path:
            value = placed(one.value, path[len(one.path) :], value)  # inside of a table on one line
        if value is REMOVED:
            del statements[number]
        else:
            statements[number] = _with_value(one, value)
        return
    _remove(statements, path)
    if value is not REMOVED:
        _add(statements, path, value, end)


def _with_value(one: _Statement, value: object) -> _Statement:
    """Return a statement with another value. The comment behind the value keeps its column."""
    before = _before_value(one.text)
    rest = one.text[len(before) :]
    begin = before + rest[: len(rest) - len(rest.lstrip())]
    old, comment = _without_comment(one.text)
    new = begin + toml.item(value).as_string()
    space = max(len(old) - len(new), 1) if comment else 0
    return _Statement(f"{new}{' ' * space}{comment or _line_end(one.text)}", one.path, value=value)


def _without_comment(text: str) -> tuple[str, str]:
    """Return a statement up to the comment behind its value, and this comment; "" if there is none."""
    at = text.find("#")
    while at >= 0:
        try:
            tomllib.loads(text[:at])
            return text[:at], text[at:]
        except tomllib.TOMLDecodeError:  # inside of a string, or of a list over several lines
            at = text.find("#", at + 1)
    return text, ""


def _line_end(text: str) -> str:
    return "\r\n" if text.endswith("\r\n") else "\n"


def _is_under(one: _Statement, path: Sequence[str | int]) -> bool:
    return one.path is not None and one.path[: len(path)] == tuple(path)


def _remove(statements: list[_Statement], path: KeyPath) -> None:
    """Remove a block with the blocks inside of it. Comments stay: those after a block mostly describe the next one."""
    kept: list[_Statement] = []
    is_after = False  # the statement before was removed
    for one in statements:
        if _is_under(one, path):
            is_after = True
            continue
        if is_after and one.is_blank and (not kept or kept[-1].is_blank):
            continue
        kept.append(one)
        is_after = False
    while is_after and kept and kept[-1].is_blank:
        kept.pop()
    statements[:] = kept


def _add(statements: list[_Statement], path: KeyPath, value: object, end: str) -> None:
    """Add a key below the last one of its table, or a block below the last one of its list."""
    parent = path[:-1]
    if isinstance(path[-1], int):
        if not isinstance(value, Mapping):
            raise CannotEdit
        near = next((parent[:n] for n in range(len(parent), 0, -1) if _last(statements, parent[:n]) is not None), None)
        lines = _block(tuple(one for one in parent if isinstance(one, str)), value)
        _insert_block(statements, near, lines, end)
        return
    line = f"{key_text(str(path[-1]))} = {toml.item(value).as_string()}"
    in_block = [
        number
        for number, one in enumerate(statements)
        if one.path is not None and (one.path == parent if one.is_header else one.path[:-1] == parent)
    ]
    if in_block:
        last = statements[in_block[-1]]
        if not last.text.endswith("\n"):
            last.text += end
        statements.insert(in_block[-1] + 1, _Statement(line + end))
    else:
        _insert_block(statements, None, [f"[{'.'.join(key_text(str(one)) for one in parent)}]", line], end)


def _last(statements: list[_Statement], path: KeyPath) -> int | None:
    """Return the number of the last statement under `path`, or None."""
    return max((number for number, one in enumerate(statements) if _is_under(one, path)), default=None)


def _insert_block(statements: list[_Statement], near: KeyPath | None, lines: list[str], end: str) -> None:
    """Insert lines below the last statement under `near`, with an empty line above them; without `near`, at the end."""
    at = None if near is None else _last(statements, near)
    while at is None and statements and statements[-1].is_blank:
        statements.pop()
    number = len(statements) if at is None else at + 1
    above = "" if number == 0 else end
    below = end if number < len(statements) and not statements[number].is_blank else ""
    if number and not statements[number - 1].text.endswith("\n"):
        statements[number - 1].text += end
    statements.insert(number, _Statement(above + "".join(f"{line}{end}" for line in lines) + below))


def _block(header: tuple[str, ...], value: Mapping[str, Any]) -> list[str]:
    """Return the lines of a new table in a list of tables, with the lists of tables inside of it."""
    name = ".".join(map(key_text, header))
    inner = {key: one for key, one in value.items() if isinstance(one, list) and one and isinstance(one[0], dict)}
    lines = [f"[[{name}]]"]
    lines += [f"{key_text(key)} = {toml.item(one).as_string()}" for key, one in value.items() if key not in inner]
    for key, several in inner.items():
        for one in several:
            lines += _block((*header, key), one)
    return lines
