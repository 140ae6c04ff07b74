"""Public states as the hub sends them, with the fields that it leaves out because they have their default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hub.state import PublicSeat, PublicState
from phone_ui.javascript import defaults_of

STATE, SEAT = defaults_of(PublicState), defaults_of(PublicSeat)


def complete(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a public state with all its fields, but for `texts`, which not every state has."""
    return {**STATE, **state, "seats": [SEAT | seat for seat in state["seats"]]}


def read_state(payload: str | bytes) -> dict[str, Any]:
    """Return the public state in this JSON with all its fields."""
    return complete(json.loads(payload))
