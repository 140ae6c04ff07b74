"""The rest of a `[[device]]` block, checked: every driver reads its own settings with `read`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from hub.errors import ConfigError

T = TypeVar("T", bound=msgspec.Struct)


def read(kind: type[T], settings: Mapping[str, Any], driver: str) -> T:
    """The settings as `kind`, or ConfigError that names the key and what is allowed."""
    known = sorted(field.name for field in msgspec.structs.fields(kind))
    for key in settings:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it knows {', '.join(known)}."
            raise ConfigError(f'[[device]] driver = "{driver}" has no key {key!r}: {hint}')
    try:
        return msgspec.convert(dict(settings), kind)
    except msgspec.ValidationError as wrong:
        raise ConfigError(f'[[device]] driver = "{driver}": {wrong}.') from None
