"""The driver's own keys of a `[[device]]` block: every driver reads them with `read`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from hub import toml_structs

S = TypeVar("S", bound=msgspec.Struct)


def read(form: type[S], settings: Mapping[str, object], driver: str) -> S:
    """Return the settings as a `form`. Raise ConfigError that names the key, what is allowed and the near miss."""
    return toml_structs.convert(form, settings, f'[[device]] driver = "{driver}"', header="device")
