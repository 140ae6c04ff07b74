"""Public states as the hub sends them, with the fields that it leaves out because they have their default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from hub.state import PublicSeat, PublicState
from phone_ui.javascript import default


def _defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {one.encode_name: default(one) for one in msgspec.structs.fields(kind) if not one.required}


def complete(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a public state with all its fields, but for `texts`, which not every state has."""
    known = {name: value for name, value in _defaults(PublicState).items() if value is not msgspec.UNSET}
    return {**known, **state, "seats": [_defaults(PublicSeat) | seat for seat in state["seats"]]}


def read_state(payload: str | bytes) -> dict[str, Any]:
    """Return the public state in this JSON with all its fields."""
    return complete(json.loads(payload))
