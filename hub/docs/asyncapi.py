"""The MQTT side of the contract as AsyncAPI 3: topics, messages, who may do what (`contract.py` writes it)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from hub import state
from hub.docs.schemas import ENCRYPTION, GROWTH, VERSION, draft_07, first_line, ref, schemas, sealed
from hub.network import home_assistant, messages, upstream_messages, verbs

BINARY = "application/octet-stream"
INTRODUCTION = (
    "Topics and messages between the hub and a phone, or whatever sits at a table in place of one, seen from the hub: it "
    "`send`s what you subscribe to and `receive`s what you publish. A seat is claimed over HTTP first (openapi.json); what "
    "the claim returns, a `Login`, fills in the parameters below. MQTT 3.1.1 or 5 over WebSocket (subprotocol `mqtt`), "
    "the login's `user` as client id and as user name. Subscribe to each topic by its whole name: no pattern is allowed. "
    "QoS 0 is enough: state and hand are retained, complete and numbered, and a request is answered.\n\n"
    "State and hand of one moment have the same `session` and `seq`. A newer `session` is newer whatever it counts; within "
    "one, `epoch` and then `seq` say which of two messages is older. Where both differ for longer than a second or two, one "
    "was lost: subscribe again.\n\n"
    "A request copies `epoch` and `number` from the hand that it answers; `n` rises with each new one. One without an "
    "answer is sent again as it was: with the same `id` it is done once. At most 8 may wait for an answer, and 10 in a second "
    "are heard."
)


class Channel(NamedTuple):
    """A topic: who sends what there. `encrypted` is the block that the plain text is padded to, 0: it is not encrypted."""

    topic: str
    about: str
    message: type[msgspec.Struct] | None
    ours: Literal["send", "receive"]
    retain: bool
    encrypted: int = 0
    may_be_empty: str = ""
    server: Literal["web-port", "home-assistant", "upstream"] = "web-port"
    qos: Literal[0, 1] | None = None  # where it is another one than is usual with that server
    text: tuple[
        str, ...
    ] = ()  # where there is no Struct: the texts that it may be; none: an object of Home Assistant's own


def _channels() -> dict[str, Channel]:
    topics = messages.Topics("{hub}", "{table}")
    above = upstream_messages.HubTopics("{venue}", "{hub}")
    return {
        "status": Channel(
            messages.status_topic("{hub}"),
            "Whether the hub is there; `offline` is also its will. An older hub's will may come late: believe whoever "
            "publishes a state.",
            messages.HubStatus,
            "send",
            retain=True,
        ),
        "echo": Channel(
            messages.echo_topic("{hub}"),
            "The hub to itself, to see that its broker delivers. Nobody else may read or write it.",
            None,
            "send",
            retain=False,
            text=("echo",),
        ),
        "state": Channel(
            topics.state, "The newest public state: what everybody may see.", state.PublicState, "send", retain=True
        ),
        "hand": Channel(
            topics.hand("{sid}"),
            "The newest private state of the seat: its own part of the view, what it is asked and offered. All hands of a "
            "match have one length.",
            state.Hand,
            "send",
            retain=True,
            encrypted=messages.HAND_SIZE,
            may_be_empty="Empty: the seat was given back, and this login ends.",
        ),
        "act": Channel(
            topics.act("{sid}"),
            "A request of the seat. One that comes retained is not used.",
            messages.Act,
            "receive",
            retain=False,
            encrypted=messages.NOTE_SIZE,
            may_be_empty="Empty, from the hub itself: it wipes what was retained here, and all topics of a seat that was given back.",
        ),
        "ack": Channel(
            topics.ack("{sid}"),
            "The answer to one request, after the state and the hand that it led to.",
            state.Ack,
            "send",
            retain=False,
            encrypted=messages.NOTE_SIZE,
        ),
        "online": Channel(
            topics.online("{sid}"),
            "Publish it after each connection, retained, and set an empty one as your will: so the table knows whether "
            "somebody is at the seat. The hub reads no more of it than whether it is empty.",
            messages.Online,
            "receive",
            retain=True,
            may_be_empty="Empty: nobody is there. As the will, or published before leaving.",
        ),
        "home-status": Channel(
            messages.home_status_topic("{hub}"),
            "On a Home Assistant's broker: whether the hub is there; `offline` is also its will.",
            None,
            "send",
            retain=True,
            server="home-assistant",
            text=("online", "offline"),
        ),
        "home-table": Channel(
            messages.home_topic("{hub}", "{table}"),
            "On a Home Assistant's broker: a table as anybody in the house may see it.",
            home_assistant.HomeTable,
            "send",
            retain=True,
            server="home-assistant",
        ),
        "home-discovery": Channel(
            home_assistant.discovery_topic("{prefix}", "{hub}", "{table}"),
            "On a Home Assistant's broker: what makes a table a device there, with its entities, as Home Assistant documents "
            "the payload of device discovery.",
            None,
            "send",
            retain=True,
            server="home-assistant",
        ),
        "hub-presence": Channel(
            above.presence,
            "At the broker above the hubs of a venue: whether the hub is connected; `offline` is also its will.",
            upstream_messages.HubPresence,
            "send",
            retain=True,
            server="upstream",
            qos=1,
        ),
        "hub-info": Channel(
            above.info,
            "At the broker above: what the hub is, each minute anew. A hub that was silent for three minutes is away.",
            upstream_messages.HubInfo,
            "send",
            retain=True,
            server="upstream",
            qos=1,
        ),
        "table-summary": Channel(
            above.table("{table}"),
            "At the broker above: a table as anybody in the house may see it.",
            upstream_messages.TableSummary,
            "send",
            retain=True,
            server="upstream",
            may_be_empty="Empty: the hub has no such table any more.",
        ),
        "table-state": Channel(
            above.state("{table}"),
            "At the broker above, where the owner has asked for it (`whole_state`): the public state, as phones have it.",
            state.PublicState,
            "send",
            retain=True,
            server="upstream",
            may_be_empty="Empty: it is told no more.",
        ),
        "finished-match": Channel(
            above.finished("{place}"),
            "At the broker above: a match that was played to its end, for statistics, in order. A number that was there is the "
            "same match again; one that is missing was lost. The newest 64 of a hub stay there.",
            upstream_messages.FinishedMatch,
            "send",
            retain=True,
            server="upstream",
            qos=1,
        ),
    }


PARAMETERS = {
    "hub": "The hub's id; `hub` of the login.",
    "table": "The table's id; `table` of the login.",
    "prefix": "Home Assistant's discovery prefix, `homeassistant` if nothing else was set.",
    "venue": "The venue's name, as its owner wrote it in `[upstream]`.",
    "place": "What the match's number leaves when divided by 64.",
    "sid": "The claim; `sid` of the login. A new one for each claim.",
}


def document() -> dict[str, object]:
    """Return the document, ready for JSON."""
    channels = _channels()
    kinds: set[type[msgspec.Struct]] = {messages.Login, *verbs.ARGS.values()}
    kinds.update(one.message for one in channels.values() if one.message)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "table-hub: MQTT",
            "version": VERSION,
            "description": f"{INTRODUCTION}\n\n{ENCRYPTION}\n\n{GROWTH}",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "web-port": {
                "host": "{address}",
                "pathname": "/mqtt",
                "protocol": "ws",
                "protocolVersion": "13",
                "description": (
                    "MQTT over WebSocket on the port of the pages; `wss` where the hub has a certificate. A frame has 8192 "
                    "bytes at most. Closed with code 4001: no seat of this hub has that login any more."
                ),
                "variables": {"address": {"description": "Address and port of the hub.", "default": "10.42.0.1:8080"}},
                "security": [{"$ref": "#/components/securitySchemes/login"}],
            },
            "home-assistant": {
                "host": "{broker}",
                "protocol": "mqtt",
                "protocolVersion": "3.1.1",
                "description": "The broker that the owner names in `[home_assistant]`, if any; `mqtts` where its url says so.",
                "variables": {"broker": {"description": "Host and port.", "default": "homeassistant.local:1883"}},
            },
            "upstream": {
                "host": "{broker}",
                "protocol": "mqtt",
                "protocolVersion": "3.1.1",
                "description": "The broker above the hubs of a venue, `[upstream]`, if any; `mqtts` where its url says so.",
                "variables": {"broker": {"description": "Host and port.", "default": "broker.cafe.example:8883"}},
            },
        },
        "channels": {name: _channel(name, one) for name, one in channels.items()},
        "operations": {name: _operation(name, one) for name, one in channels.items()},
        "components": {
            "messages": {name: _message(name, one) for name, one in channels.items()},
            "schemas": draft_07(schemas(kinds)),
            "securitySchemes": {
                "login": {"type": "userPassword", "description": "User and password of the claim's `Login`."}
            },
        },
    }


def _channel(name: str, one: Channel) -> dict[str, object]:
    return {
        "address": one.topic,
        "servers": [{"$ref": f"#/servers/{one.server}"}],
        "description": one.about,
        "messages": {name: {"$ref": f"#/components/messages/{name}"}},
        "parameters": {key: {"description": about} for key, about in PARAMETERS.items() if f"{{{key}}}" in one.topic},
    }


def _operation(name: str, one: Channel) -> dict[str, object]:
    return {
        "action": one.ours,
        "channel": {"$ref": f"#/channels/{name}"},
        "messages": [{"$ref": f"#/channels/{name}/messages/{name}"}],
        "bindings": {
            "mqtt": {
                "qos": one.qos if one.qos is not None else int(one.message is not None and one.server == "web-port"),
                "retain": one.retain,
                "bindingVersion": "0.2.0",
            }
        },
    }


def _message(name: str, one: Channel) -> dict[str, object]:
    if one.text:
        return {"name": name, "contentType": "text/plain", "payload": {"enum": list(one.text)}}
    if one.message is None:
        return {"name": name, "payload": {"type": "object", "required": ["device", "origin", "components"]}}
    about = {"name": name, "title": one.message.__name__, "summary": first_line(one.message)}
    if one.may_be_empty:
        about["description"] = one.may_be_empty
    if not one.encrypted:
        return about | {"payload": ref(one.message)} | ({"x-may-be-empty": True} if one.may_be_empty else {})
    payload = {"type": "string", "format": "binary", "description": "The nonce, then the NaCl box."}
    return about | {
        "contentType": BINARY,
        "payload": payload,
        **sealed(one.message, one.encrypted),
        **({"x-may-be-empty": True} if one.may_be_empty else {}),
    }
