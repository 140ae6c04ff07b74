"""What both documents of the contract need (`contract.py`): schemas of the messages, and sentences that stand in both."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec

from hub import state
from hub.docs.fields import field_docs
from hub.engine import match
from hub.network import (
    encryption,
    home_assistant,
    http_messages,
    messages,
    screen_messages,
    staff_messages,
    staff_verbs,
    upstream_messages,
    verbs,
)
from phone_ui import javascript

COMPONENTS = "#/components/schemas/"
MODULES = (
    state,
    messages,
    verbs,
    http_messages,
    screen_messages,
    staff_messages,
    staff_verbs,
    home_assistant,
    upstream_messages,
    match,
)

BY_VERB: Mapping[type[msgspec.Struct], Mapping[str, type[msgspec.Struct]]] = {
    messages.Act: verbs.ARGS,
    staff_messages.StaffAsk: staff_verbs.STAFF_ARGS,
}
"""Requests whose `args` depend on their `verb`."""
VERSION = "1.0"
"""Of the contract, not of a hub: the first number is the one in the topics' prefix."""
GROWTH = (
    "A later hub of the same version may add fields, verbs and topics: pass over what you do not know. What is removed "
    "or changes its meaning comes under another number in the topics' prefix."
)
ENCRYPTION = (
    "What only one seat and the hub may know is encrypted for that seat: JSON in UTF-8, then a byte 0x80 and as many zeros "
    "as make its length a multiple of the block (ISO/IEC 7816-4), in a NaCl box (X25519, XSalsa20, Poly1305) of the "
    "hub's public key and your secret one, under a fresh random nonce of 24 bytes. `x-plaintext` is the schema of what is "
    "inside, `x-block-bytes` the block. The end of the JSON is at the last byte 0x80, which can lie several blocks before the end: "
    "give `sodium_unpad` the length of the whole text as its block."
)

PARAMETER: Mapping[str, object] = {
    "description": "What one parameter of a move may be; anything else than these objects is the only value that it may have.",
    "anyOf": [
        {
            "description": "A whole number from `min` to `max`, in steps of `step` from `min`.",
            "type": "object",
            "properties": {
                "min": {"type": "integer"},
                "max": {"type": "integer"},
                "step": {"type": "integer", "minimum": 1, "default": 1},
            },
            "required": ["min", "max"],
            "additionalProperties": False,
        },
        {
            "description": "One of these values.",
            "type": "object",
            "properties": {"one_of": {"type": "array", "minItems": 1}},
            "required": ["one_of"],
            "additionalProperties": False,
        },
        {
            "description": "A list of so many of these values, each at most as often as it stands there, in any order.",
            "type": "object",
            "properties": {
                "choose": {
                    "type": "object",
                    "properties": {
                        "min": {"type": "integer", "minimum": 0},
                        "max": {"type": "integer", "minimum": 0},
                    },
                    "required": ["min", "max"],
                    "additionalProperties": False,
                },
                "from": {"type": "array"},
            },
            "required": ["choose", "from"],
            "additionalProperties": False,
        },
        {
            "description": "All of these values, in the order that the seat wants.",
            "type": "object",
            "properties": {"order": {"type": "array"}},
            "required": ["order"],
            "additionalProperties": False,
        },
        {
            "description": "The faces of so many dice with so many sides, which this seat has rolled out of the others' sight.",
            "type": "object",
            "properties": {
                "faces": {
                    "type": "object",
                    "properties": {
                        "count": {"type": "integer", "minimum": 1},
                        "sides": {"type": "integer", "minimum": 1},
                    },
                    "required": ["count", "sides"],
                    "additionalProperties": False,
                },
            },
            "required": ["faces"],
            "additionalProperties": False,
        },
        {"description": "This very value.", "type": ["string", "integer", "boolean", "null", "array"]},
    ],
}
OFFER: Mapping[str, object] = {
    "title": "Offer",
    "description": (
        "A move that is legal now, and beside its name what each of its parameters may be. What is listed is legal, and "
        "what is legal is listed: where one parameter limits another, the move stands there more than once. A `standing` "
        "offer may be taken at any time, and nobody waits for it; leave `standing` out of the answer."
    ),
    "type": "object",
    "properties": {"move": {"type": "string"}, "standing": {"const": True}},
    "required": ["move"],
    "additionalProperties": {"$ref": f"{COMPONENTS}Parameter"},
}
OWN: Mapping[str, Mapping[str, object]] = {"Offer": OFFER, "Parameter": PARAMETER}


def ref(kind: type[msgspec.Struct] | str) -> dict[str, object]:
    """Return a reference to the schema of a Struct."""
    return {"$ref": COMPONENTS + (kind if isinstance(kind, str) else kind.__name__)}


def schemas(kinds: Collection[type[msgspec.Struct]]) -> dict[str, Any]:
    """Return the JSON Schemas (2020-12) of these Structs and of all in them, by name.

    A field may be left out if its schema has a default. Messages of the hub have all other fields.
    """
    _, parts = msgspec.json.schema_components(kinds, ref_template=COMPONENTS + "{name}")
    for name, part in parts.items():
        struct = _struct(name)
        part["description"] = as_markdown(part.get("description", ""))
        if issubclass(struct, verbs.OneOf):
            part |= {"minProperties": 1, "maxProperties": 1}
        if struct in BY_VERB:
            part["allOf"] = [
                {
                    "if": {"properties": {"verb": {"const": verb}}, "required": ["verb"]},
                    "then": {"properties": {"args": ref(args)}},
                }
                for verb, args in BY_VERB[struct].items()
            ]
        if _is_whole(struct):
            left_out = {one.encode_name for one in msgspec.structs.fields(struct) if one.default is msgspec.UNSET}
            part["required"] = [name for name in part["properties"] if name not in left_out]
            for field in part["properties"].values():
                field.pop("default", None)  # it is always there
        for field, text in field_docs(struct).items():
            part["properties"][field]["description"] = text
    if "Hand" in parts:
        parts["Hand"]["properties"]["moves"]["items"] = ref("Offer")
        parts |= {name: json.loads(json.dumps(one)) for name, one in OWN.items()}
    return dict(sorted(parts.items()))


def sealed(kind: type[msgspec.Struct], block: int) -> dict[str, object]:
    """Return what is said of an encrypted message: the schema of what is inside, and the block."""
    return {"x-plaintext": ref(kind), "x-block-bytes": block, "x-nonce-bytes": encryption.NONCE_BYTES}


def draft_07(part: object) -> object:
    """Return a schema as JSON Schema draft 7 has it, which AsyncAPI builds on: a tuple is said otherwise there."""
    if isinstance(part, list):
        return [draft_07(one) for one in part]
    if not isinstance(part, dict):
        return part
    made = {key: draft_07(one) for key, one in part.items()}
    if "prefixItems" in made:
        made |= {"items": made.pop("prefixItems"), "additionalItems": False}
    return made


def sent_in(value: object) -> Iterator[str]:
    """Yield the names of all schemas that a document refers to."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key == "$ref" and part.startswith(COMPONENTS):
                yield part.removeprefix(COMPONENTS)
            else:
                yield from sent_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from sent_in(part)


def as_markdown(docstring: str) -> str:
    """Return a docstring as Markdown: paragraphs and items of lists, each on one line."""
    paragraphs = [re.split(r"\n\s*(?=- )", one) for one in re.split(r"\n\s*\n", docstring)]
    return "\n\n".join("\n".join(" ".join(item.split()) for item in items) for items in paragraphs)


def first_line(kind: type[msgspec.Struct]) -> str:
    """Return the first sentence of a Struct's docstring."""
    return " ".join((kind.__doc__ or "").split()).partition(". ")[0].rstrip(".") + "."


def _struct(name: str) -> type[msgspec.Struct]:
    found: type[msgspec.Struct] = next(getattr(module, name) for module in MODULES if hasattr(module, name))
    return found


def _is_whole(struct: type[msgspec.Struct]) -> bool:
    """Return whether the hub writes every field of it."""
    return struct not in javascript.TAKEN and not struct.__struct_config__.omit_defaults
