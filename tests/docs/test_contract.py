"""The published contract: it is what the types say, what the specifications want, and leaves out no address and no verb."""

from __future__ import annotations

import inspect
import json
import re
from typing import Any

import msgspec
import pytest
from jsonschema import Draft7Validator
from openapi_spec_validator import validate

from hub.docs import contract, schemas
from hub.network import messages, verbs
from hub.network.encryption import HubKey
from phone_ui import javascript, server
from phone_ui.pages import make_app
from tests.docs.contract import check, document
from tests.phone_ui.rig import FakeTable

SPECIFICATION = javascript.MODULES / "@asyncapi" / "specs" / "schemas" / "3.0.0-without-$id.json"


@pytest.mark.parametrize(
    ("docstring", "markdown"),
    [
        ("One sentence\n    on two lines.", "One sentence on two lines."),
        ("A range - from 1\n    to 6.\n\n    More.", "A range - from 1 to 6.\n\nMore."),
        ("Fields:\n\n    - `a`: one\n      thing\n    - `b`: two\n    ", "Fields:\n\n- `a`: one thing\n- `b`: two"),
    ],
)
def test_lists_and_paragraphs_of_a_docstring_stay_apart_in_the_documents(docstring: str, markdown: str) -> None:
    assert schemas.as_markdown(docstring) == markdown


@pytest.mark.parametrize("name", contract.FILES)
def test_a_document_is_what_the_types_say(name: str) -> None:
    written = contract.FILES[name].read_text("utf-8")
    assert written == contract.documents()[name], f"{name}.json is old: `make renew`"


def test_the_topics_are_described_as_asyncapi_wants_it() -> None:
    faults = Draft7Validator(json.loads(SPECIFICATION.read_text("utf-8"))).iter_errors(document("asyncapi"))
    assert [f"{fault.json_path}: {fault.message[:200]}" for fault in faults] == []


def test_the_addresses_are_described_as_openapi_wants_it() -> None:
    validate(document("openapi"))


@pytest.mark.parametrize("name", contract.FILES)
def test_every_schema_that_is_named_is_there(name: str) -> None:
    described = document(name)
    assert {*schemas.sent_in(described)} <= {*described["components"]["schemas"]}


def shape(path: str) -> str:
    """An address without the names of its parameters."""
    return re.sub(r"<[^>]+>|\{[^}]+\}", "{}", path)


@pytest.mark.real_chance
def test_every_address_of_the_port_is_described_and_none_beside_them() -> None:
    app = make_app({"1": FakeTable()}, HubKey.generate(), "hub", lambda: "", {})
    served = {
        (shape(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
    }
    # What the router answers before the pages see it.
    source = inspect.getsource(server)
    assert "/staff/login" in source
    served |= {("/staff/login", "post"), ("/staff/ask", "post")}
    assert server._Router._SCREEN.fullmatch("/t/1/screen/open")
    assert server._Router._SCREEN.fullmatch("/t/1/screen/alive")
    served |= {("/t/{}/screen/open", "post"), ("/t/{}/screen/alive", "post"), ("/t/{}/screen/alive", "get")}
    followed = server._Router._EVENTS
    served |= {(f"/t/{{}}/{kind}events", "get") for kind in ("", "bench/", "screen/")}
    assert all(followed.fullmatch(path.replace("{}", "1")) for path, _ in served if path.endswith("/events"))
    described = {(shape(path), method) for path, one in document("openapi")["paths"].items() for method in one}
    assert described == served


def test_every_topic_that_a_seats_login_may_use_is_described() -> None:
    topics = messages.Topics("{hub}", "{table}")
    used = {*topics.may_read("{sid}"), *topics.may_write("{sid}"), messages.echo_topic("{hub}")}
    described = document("asyncapi")["channels"].values()
    assert {one["address"] for one in described if one["servers"] == [{"$ref": "#/servers/web-port"}]} == used


ACT = {"v": 1, "id": "0123456789abcdef", "n": 1, "epoch": 1, "number": 4}


@pytest.mark.parametrize(
    ("verb", "args", "fits"),
    [
        ("act", {"move": "bid", "number": 3}, True),
        ("act", {"number": 3}, False),
        ("dice", {"say": "hub"}, True),
        ("dice", {"say": "accept", "faces": [1]}, False),
        ("dice", {"say": "read"}, False),
        ("ready", {}, True),
        ("ready", {"ready": None}, False),
        ("hints", {"on": True}, True),
        ("free", {"seat": 7}, False),
        ("leave", {"now": True}, False),
    ],
)
def test_a_request_is_held_against_its_verb(verb: messages.Verb, args: dict[str, Any], fits: bool) -> None:
    request = {**ACT, "verb": verb, "args": args}
    try:
        check("asyncapi", {"$ref": "#/components/schemas/Act"}, request)
    except AssertionError:
        assert not fits
    else:
        assert fits
    try:
        msgspec.convert(args, verbs.ARGS[verb], strict=True)
    except msgspec.ValidationError:
        assert not fits
    else:
        assert fits
