"""A running hub keeps to the published contract: every message of whole matches, every answer of the web port."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub import games
from tests.docs.contract import check, check_message, document
from tests.docs.table import Player, Table
from tests.phone_ui.rig import until

pytestmark = pytest.mark.broker


@pytest.fixture
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Table]:
    with Table(tmp_path / "state", request.param) as running:
        yield running


def seats_for(name: str) -> int:
    return max(3, games.find(name).seats[0])


@pytest.mark.slow
@pytest.mark.parametrize(("game", "table"), [(name, seats_for(name)) for name in games.names()], indirect=["table"])
def test_every_message_of_a_match_is_in_the_document(game: str, table: Table) -> None:
    player = Player(table, 1)
    with player.phone:
        player.start(game)
        assert player.play(game)["scores"]
        assert not player.ask("act", move="no such move")["ok"]
        until(lambda: table.screen()["state"] == "over", "the end of the match")
        check_the_web_port(table)
        assert player.ask("leave")["ok"]
        until(lambda: table.has_carried("hand, empty"), "the wiped hand")
    until(lambda: table.has_carried("echo"), "the echo")
    carried = document("asyncapi")["channels"].items()
    channels = {name for name, one in carried if one["servers"] == [{"$ref": "#/servers/web-port"}]}
    assert {name.partition(",")[0] for name in table.seen if "/" not in name} == channels, table.seen
    assert table.seen["hand"] > 10, table.seen


def check_the_web_port(table: Table) -> None:
    """Ask for every address of the document that is no bench's and no staff's, and for some that are not there."""
    asked = {
        "table": "1",
        "code": table.screen()["code"],
        "match": "m-1",
        "number": "5",
        "step": "1",
        "game": "goofspiel",
        "claim": "none",
        "language": "de",
    }
    asked |= {"size": "2.9", "name": "pages/join.html"}
    for path, described in document("openapi")["paths"].items():
        if "get" in described and path != "/vendor/{name}":
            table.fetch("get", path, **asked)
    replays = "/replay/{match}.json", "/replay/{match}/house/{step}.json"
    for path in ("", "/events", "/history.json", *replays, "/events/{number}.json", "/changes.json"):
        table.fetch("get", f"/t/{{table}}{path}", **{**asked, "table": "none"})
    table.fetch("get", "/games/{game}.json", game="none")
    table.fetch("get", "/code/{code}.json", code="NONE")
    for path in ("/staff/login", "/staff/ask", "/t/{table}/claim"):
        status, _, answer = table.ask("POST", path.format(table="1"), {"not": "this"})
        assert status == 400
        check("openapi", {"$ref": "#/components/schemas/Refused"}, json.loads(answer))


def test_a_message_that_is_in_no_document_would_be_found() -> None:
    with pytest.raises(AssertionError, match="in no document"):
        check_message("th/1/hub/1/pub/hands", b"{}", None)
    with pytest.raises(AssertionError, match="'online'"):
        check_message("th/1/hub/status", b'{"state":"away","session":"1","tables":[],"v":1}', None)
