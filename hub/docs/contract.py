"""What the hub and its devices say to each other, as two documents that programs read.

`make renew` writes `asyncapi.json` (MQTT) and `openapi.json` (HTTP) from the Structs of the messages.
"""

from __future__ import annotations

import json
from pathlib import Path

from hub.docs import asyncapi, openapi

HERE = Path(__file__).parent
FILES = {"asyncapi": HERE / "asyncapi.json", "openapi": HERE / "openapi.json"}


def documents() -> dict[str, str]:
    """Return both documents as text, by name."""
    made = {"asyncapi": asyncapi.document(), "openapi": openapi.document()}
    return {name: json.dumps(one, indent=1, ensure_ascii=False) + "\n" for name, one in made.items()}
