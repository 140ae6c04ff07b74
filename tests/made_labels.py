"""Labels of games that tests make up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hub import toml_structs
from hub.engine.labels import Labels


def made_labels(parts: Mapping[str, Any] | None) -> Labels:
    """Return labels written as in a data file; empty ones for None."""
    return toml_structs.convert(Labels, parts or {})
