"""The rest of a `[[device]]` block, checked: every driver reads its own settings with `read`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from hub.errors import ConfigError

T = TypeVar("T", bound=msgspec.Struct)


def read(kind: type[T], settings: Mapping[str, Any], driver: str) -> T:
    """The settings as `kind`, or ConfigError that names the key and what is allowed."""
    _check_keys(kind, settings, f'[[device]] driver = "{driver}"')
    try:
        return msgspec.convert(dict(settings), kind)
    except msgspec.ValidationError as wrong:
        raise ConfigError(f'[[device]] driver = "{driver}": {wrong}.') from None


def _check_keys(kind: type[msgspec.Struct], settings: Mapping[str, Any], where: str) -> None:
    """Refuse an unknown key of a block, or of a list of blocks in it, with the near miss."""
    known = sorted(field.name for field in msgspec.structs.fields(kind))
    hints = get_type_hints(kind)
    for key, value in settings.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it knows {', '.join(known)}."
            raise ConfigError(f"{where} has no key {key!r}: {hint}")
        inner = [one for one in get_args(hints[key]) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
        for number, block in enumerate(value, 1) if inner and isinstance(value, list) else ():
            if isinstance(block, Mapping):
                _check_keys(inner[0], block, f"{where}, {key} number {number},")
