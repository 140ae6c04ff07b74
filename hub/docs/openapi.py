"""The HTTP side of the contract as OpenAPI 3.1: every address of the web port (`contract.py` writes it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from hub import state
from hub.docs.schemas import ENCRYPTION, GROWTH, VERSION, first_line, ref, schemas, sealed
from hub.network import http_messages, messages, screen_messages, staff_messages, staff_verbs

JSON = "application/json"
INTRODUCTION = (
    "How a device finds its table and claims a seat, and what screens read. All else goes over MQTT (asyncapi.json). One "
    "port for all of it; no cookie, no session. A browser's page of another origin is refused."
)
BOX = "In base64url without padding."


class Address(NamedTuple):
    """One address: what it answers, as a Struct or as a media type, and what can go wrong in particular."""

    path: str
    about: str
    answer: type[msgspec.Struct] | str
    method: str = "get"
    body: type[msgspec.Struct] | None = None
    sealed: tuple[type[msgspec.Struct], int] | None = None  # what is in the body's box
    back: tuple[type[msgspec.Struct], int] | None = None  # and in the answer's
    errors: Mapping[int, str] = {}
    status: int = 200


TABLE = {404: "There is no such table."}
BENCH = {403: "The bench is for the hub's own machine.", 404: "This table has real devices."}
STAFF = {
    400: "Not understood.",
    401: "Signed out.",
    403: "A wrong PIN, or another page's request.",
    429: "Too many tries.",
}
STREAM = "text/event-stream"
PAGE = "text/html; charset=utf-8"

ADDRESSES = (
    Address(
        "/code/{code}.json",
        "The table with the four letters that its screen shows, and the hub's public key. Who has scanned the screen's QR "
        "code, `.../t/TABLE#k=KEY`, has both from there and trusts no network for the key.",
        http_messages.TableKey,
        errors={404: "No table here has this code."},
    ),
    Address(
        "/t/{table}/claim",
        "Claim a seat: with the six letters of the seat from the table's screen, or without them, and then the box at the "
        "seat has to agree.",
        http_messages.ClaimMade,
        method="post",
        body=messages.ClaimBody,
        sealed=(messages.ClaimDetails, messages.NOTE_SIZE),
        errors={
            400: "Not understood, or encrypted for another hub.",
            403: "Another page's request.",
            413: "Too large.",
            429: "Too many claims or wrong codes: wait as long as Retry-After says.",
            **TABLE,
        },
    ),
    Address(
        "/t/{table}/claim/{claim}",
        "How a claim stands; ask every half second until it is `held` or `refused`. One that is held comes with the "
        "encrypted login. A claim lives for two minutes.",
        messages.ClaimReply,
        back=(messages.Login, messages.NOTE_SIZE),
        errors={404: "There is no such table, or the claim is over."},
    ),
    Address(
        "/t/{table}/help",
        "Call staff for somebody who has no seat yet. There is no body.",
        http_messages.StaffCalled,
        method="post",
        errors={
            403: "Another page's request.",
            429: "Too many calls: wait as long as Retry-After says.",
            **TABLE,
        },
    ),
    Address(
        "/t/{table}/events",
        "The public state as server-sent events: the newest at once, then each new one. A slow reader skips to the newest. An "
        "event `beat` comes every second: a hub that is silent for three is gone, and you connect anew.",
        STREAM,
        errors={503: "Too many screens are connected to this hub.", **TABLE},
    ),
    Address(
        "/t/{table}/screen/events",
        "The same for the table's own screens, with the codes of free seats (ScreenState): on this machine itself in the clear, "
        "elsewhere with `?session=NAME` of an opening, once. Each state is then nonce and box in base64url, encrypted for the "
        "page and padded to multiples of 1024 bytes. Everybody else follows the public state here.",
        STREAM,
        errors={
            403: "The session was used, or is too old.",
            503: "Too many screens are connected to this hub.",
            **TABLE,
        },
    ),
    Address(
        "/t/{table}/screen/open",
        "Pair a big screen on another machine: the token of its link (`table-hub screen-link`), encrypted for the hub's key. "
        "The answer names the stream for this page alone.",
        screen_messages.ScreenBox,
        method="post",
        body=screen_messages.ScreenOpening,
        sealed=(screen_messages.ScreenSecret, messages.NOTE_SIZE),
        back=(screen_messages.ScreenSession, screen_messages.ANSWER_SIZE),
        errors={400: "Not understood.", 403: "The link is not valid, or another page's request.", **TABLE},
    ),
    Address(
        "/t/{table}/screen/alive",
        "Tell the hub that a big screen's page has taken a beat of its stream: every five seconds. A screen on another machine "
        "encrypts it with the key of its session.",
        JSON,
        method="post",
        body=screen_messages.ScreenAlive,
        errors={400: "Not understood.", 403: "No screen of this table.", 409: "Made before.", **TABLE},
    ),
    Address(
        "/t/{table}/screen/alive",
        "How long ago the page `?screen=ID` told that it is alive.",
        screen_messages.ScreenHeard,
        errors=TABLE,
    ),
    Address(
        "/t/{table}/events/{number}.json",
        "Events of the match before that number, oldest first: a page of its log.",
        state.EventsPage,
        errors={404: "There is no such table, or that is no number."},
    ),
    Address(
        "/t/{table}/changes.json",
        "The changes of money and points in this round and the last, newest first, with the rule and the sum of each.",
        state.ChangesPage,
        errors=TABLE,
    ),
    Address(
        "/t/{table}/history.json",
        "What is known of the matches that were played to their end.",
        state.History,
        errors={503: "The log cannot be read now.", **TABLE},
    ),
    Address(
        "/t/{table}/replay/{match}.json",
        "A finished match, step by step. The hands are there once the table has begun another match.",
        state.Replay,
        errors={503: "The log cannot be read now.", 404: "No such table or finished match, or it is no longer kept."},
    ),
    Address(
        "/t/{table}/replay/{match}/house/{step}.json",
        "What the seats did that chose at a step of a finished match, and what the sharp house would have done. It is there "
        "once the table has begun another match, like the hands.",
        state.HouseChoices,
        errors={
            503: "The log cannot be read now, or too much is asked for.",
            404: "No such table, finished match or step, the match is no longer kept, or its hands may not be shown yet.",
        },
    ),
    Address("/till.json", "All tables at a glance, without anybody's name.", state.Till),
    Address("/status.json", "How the hub's devices are.", http_messages.HubHealth),
    Address(
        "/wifi/stay",
        "This phone stays in the hub's own Wi-Fi, although it has no internet.",
        "",
        method="post",
        status=204,
    ),
    Address("/up", "Nothing: the hub is there. Readable for pages of other origins.", "", status=204),
    Address(
        "/games/{game}.json",
        "How screens name what a game's state and moves hold: the game's data file as JSON.",
        JSON,
        errors={404: "There is no such game."},
    ),
    Address(
        "/cards.json",
        "The cards of the games as owners' lists have them: staff can enter what is printed in the owner's box.",
        http_messages.AllCards,
    ),
    Address(
        "/games/{game}/guide.json",
        "The rules of a game in words, for people, and what is told in a first round.",
        JSON,
        errors={404: "There is no such game."},
    ),
    Address(
        "/languages.json",
        "The languages that pages speak, by their own names, and those of each table's screens.",
        JSON,
    ),
    Address(
        "/languages/{language}.json",
        "What is said in a language for all games: English sentences, with places in braces, and what they read there.",
        JSON,
        errors={404: "The hub does not speak that language."},
    ),
    Address(
        "/languages/{language}/{game}.json",
        "What one game says in a language.",
        JSON,
        errors={404: "The hub does not speak that language, or has no such game."},
    ),
    Address(
        "/t/{table}/qr.svg", "The QR code of the table's address.", "image/svg+xml", errors={404: "No network yet."}
    ),
    Address("/staff/key.json", "The hub's public key, for the staff's log-in.", http_messages.PublicKey),
    Address(
        "/staff/login",
        "Begin a session of the staff with the PIN.",
        staff_messages.StaffBox,
        method="post",
        body=staff_messages.StaffLogin,
        sealed=(staff_messages.StaffSecret, messages.NOTE_SIZE),
        back=(staff_messages.StaffSession, staff_messages.ANSWER_SIZE),
        errors=STAFF,
    ),
    Address(
        "/staff/ask",
        "A request of the staff in a session; `look` waits up to 20 s for a newer picture of the venue.",
        staff_messages.StaffBox,
        method="post",
        body=staff_messages.StaffBody,
        sealed=(staff_messages.StaffAsk, messages.NOTE_SIZE),
        back=(staff_messages.StaffAnswer, staff_messages.ANSWER_SIZE),
        errors=STAFF | {409: "The hub already has this request."},
    ),
    Address("/", "The page that asks for a table's code.", PAGE),
    Address("/staff", "The staff page.", PAGE),
    Address("/staff/settings", "The page of the configuration, for staff.", PAGE),
    Address("/staff/evenings", "The page of what was played, evening by evening, for staff.", PAGE),
    Address("/setup", "The page that sets up a new hub.", PAGE),
    Address("/wifi", "What a phone opens by itself in the hub's own Wi-Fi.", PAGE),
    Address(
        "/wifi/first.json", "The first staff PIN, for the setup page in the hub's own Wi-Fi.", http_messages.FirstPin
    ),
    Address("/till", "The page of the till.", PAGE),
    Address("/t/{table}", "The phone's page.", PAGE, errors=TABLE),
    Address(
        "/t/{table}/app.webmanifest", "How a phone keeps the page as an app.", "application/manifest+json", errors=TABLE
    ),
    Address("/worker.js", "What opens a phone's page without the hub.", "text/javascript; charset=utf-8"),
    Address("/t/{table}/kiosk", "The big screen.", PAGE, errors=TABLE),
    Address("/t/{table}/history", "The page of finished matches.", PAGE, errors=TABLE),
    Address("/t/{table}/replay", "The page that replays a finished match.", PAGE, errors=TABLE),
    Address("/t/{table}/bench", "Simulated devices: their page.", PAGE, errors=BENCH),
    Address("/t/{table}/bench", "Work a simulated device, as its page does.", JSON, method="post", errors=BENCH),
    Address("/t/{table}/bench/events", "The simulated devices' pictures.", STREAM, errors=BENCH),
    Address("/t/{table}/bench/panel/{size}.png", "A simulated panel.", "image/png", errors=BENCH),
    Address("/t/{table}/bench/play", "Lead to the phone's page with a free seat.", "", errors=BENCH, status=302),
    Address("/favicon.ico", "The pages' sign.", "image/svg+xml"),
    Address("/static/{name}", "A file of the pages; the name may hold slashes.", "*/*", errors={404: "No such file."}),
    Address("/vendor/{name}", "A library of the pages.", "*/*", errors={404: "No such file."}),
)
PARAMETERS = {
    "code": "The four letters on the table's screen, in capitals or not.",
    "table": "The table's id.",
    "claim": "The name that the claim was answered with.",
    "match": "The id of a match, such as m-12.",
    "number": "The number of an event.",
    "step": "The number of a step, from 1.",
    "game": "The name of a game, as in the public state.",
    "language": "The name of a language, as in /languages.json.",
    "size": "The panel's size in inches, such as 2.9.",
    "name": "A file's name.",
}


def document() -> dict[str, object]:
    """Return the document, ready for JSON."""
    paths: dict[str, dict[str, object]] = {}
    for one in ADDRESSES:
        paths.setdefault(one.path, {})[one.method] = _operation(one)
    kinds: set[type[msgspec.Struct]] = {
        http_messages.Refused,
        state.PublicState,
        state.ScreenState,
        messages.KeyProof,  # encrypted on its own, inside a claim
        *staff_verbs.STAFF_ARGS.values(),
    }
    for one in ADDRESSES:
        told = (one.answer, one.body, *(one.sealed or ())[:1], *(one.back or ())[:1])
        kinds.update(kind for kind in told if kind is not None and not isinstance(kind, str))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "table-hub: HTTP",
            "version": VERSION,
            "description": f"{INTRODUCTION}\n\n{ENCRYPTION} Over HTTP nonce and box are apart, each in base64url without padding.\n\n{GROWTH}",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [
            {
                "url": "{scheme}://{address}",
                "variables": {
                    "scheme": {"default": "http", "enum": ["http", "https"]},
                    "address": {"default": "10.42.0.1:8080", "description": "Address and port of the hub."},
                },
            }
        ],
        "paths": paths,
        "components": {
            "schemas": schemas(kinds),
            "responses": {
                "Refused": {
                    "description": "A sentence for a person.",
                    "content": {JSON: {"schema": ref(http_messages.Refused)}},
                }
            },
        },
    }


def _operation(one: Address) -> dict[str, object]:
    names = [name for name in PARAMETERS if f"{{{name}}}" in one.path]
    made: dict[str, object] = {
        "operationId": _name(one),
        "description": one.about,
        "parameters": [
            {
                "name": name,
                "in": "path",
                "required": True,
                "description": PARAMETERS[name],
                "schema": {"type": "string"},
            }
            for name in names
        ],
    }
    if one.body is not None:
        made["requestBody"] = {
            "required": True,
            "description": f"{first_line(one.body)} {BOX}",
            "content": {JSON: {"schema": ref(one.body)}},
            **(sealed(*one.sealed) if one.sealed else {}),
        }
    elif one.method == "post":
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": {"type": "object"}}}}
    # What is refused is told by one sentence, whatever the reason: limits of the port may refuse any request.
    made["responses"] = {
        str(one.status): _answer(one),
        **{str(code): {"$ref": "#/components/responses/Refused"} for code in sorted(one.errors)},
        "default": {"$ref": "#/components/responses/Refused"},
    }
    if one.errors:
        made["x-refused"] = {str(code): one.errors[code] for code in sorted(one.errors)}
    return made


def _answer(one: Address) -> dict[str, object]:
    made: dict[str, object] = {"description": first_line(one.answer) if isinstance(one.answer, type) else one.about}
    if isinstance(one.answer, type):
        made["content"] = {JSON: {"schema": ref(one.answer)}}
    elif one.answer:
        made["content"] = {one.answer: {"schema": _schema(one)}}
    return made | (sealed(*one.back) if one.back else {})


def _schema(one: Address) -> dict[str, object]:
    if one.answer == STREAM:
        data = state.ScreenState if "/screen/" in one.path else state.PublicState
        of_data = {} if "/bench/" in one.path else {"x-data": ref(data)}  # the bench's are for its page only
        return {"type": "string", "description": "Server-sent events; `data` is one line of JSON.", **of_data}
    return {"type": "object"} if one.answer == JSON else {"type": "string"}


def _name(one: Address) -> str:
    """Return an operation's name: the method, and the words of the path."""
    words = [part for part in one.path.replace(".", "/").replace("{", "").replace("}", "").split("/") if part]
    return "-".join([one.method, *words]) if words else f"{one.method}-start"
