"""The published contract as a test reads it: which topic is which channel, and whether a message is what it says."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator

from tests.phone_ui.rig import Keys

DOCS = Path(__file__).parents[2] / "hub" / "docs"


@cache
def document(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((DOCS / f"{name}.json").read_text("utf-8"))
    return read


@cache
def validator(name: str, pointer: str) -> Draft7Validator | Draft202012Validator:
    """What holds a value against one schema of a document."""
    kind = Draft7Validator if name == "asyncapi" else Draft202012Validator
    return kind({"$ref": pointer, "components": {"schemas": document(name)["components"]["schemas"]}})


def check(name: str, schema: dict[str, Any], value: object) -> None:
    """Fail where the value is not what the schema of that document says."""
    if "$ref" in schema:
        found = validator(name, schema["$ref"]).iter_errors(value)
    else:
        found = Draft202012Validator(schema).iter_errors(value)
    errors = [f"{error.json_path}: {error.message[:300]}" for error in found]
    assert not errors, errors


@cache
def channels() -> dict[str, tuple[re.Pattern[str], dict[str, Any]]]:
    """Each channel's name, the topics that are its, and its message."""
    contract = document("asyncapi")
    return {
        name: (
            re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(one["address"]))),
            contract["components"]["messages"][name],
        )
        for name, one in contract["channels"].items()
    }


def check_message(topic: str, payload: bytes, keys: Keys | None) -> str:
    """Hold a message of the broker against the document; return the channel's name. `keys` are those of its seat."""
    name, message = next(
        ((name, message) for name, (topics, message) in channels().items() if topics.fullmatch(topic)), ("", {})
    )
    assert name, f"{topic} is in no document"
    if not payload:
        assert message.get("x-may-be-empty"), f"{topic} is empty"
        return f"{name}, empty"
    if "x-plaintext" in message:
        assert keys is not None, f"{topic} of a seat that nobody has claimed"
        padded = len(payload) - message["x-nonce-bytes"] - 16
        assert padded % message["x-block-bytes"] == 0, f"{topic} has {len(payload)} bytes"
        check("asyncapi", message["x-plaintext"], keys.decrypt(payload))
    elif message.get("contentType") == "text/plain":
        check("asyncapi", message["payload"], payload.decode())
    else:
        check("asyncapi", message["payload"], json.loads(payload))
    return name
