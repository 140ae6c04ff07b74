"""What a Home Assistant is told: on a real mosquitto, through a whole match, and nothing that is not everybody's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import jinja2
import pytest
from msgspec.structs import replace

from hub.config import HomeAssistantPart
from hub.errors import ConfigError
from hub.network.home_assistant import HomeAssistant, HomeTable, discovery, home_table
from hub.state import Notice, PublicSeat, View, Waiting
from tests.docs.table import Player, Table
from tests.network.home_broker import PASSWORD, HomeBroker
from tests.phone_ui.rig import STATE, until

CONFIG = "homeassistant/device/table-hub-hub-1/config"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[HomeBroker]:
    made = HomeBroker(tmp_path)
    yield made
    made.stop()


@pytest.mark.broker
@pytest.mark.slow
def test_a_whole_match_is_told_and_nothing_that_is_a_seats_or_a_guests(home: HomeBroker, tmp_path: Path) -> None:
    home.start()
    with Table(tmp_path / "state", 3, home.part()) as table:
        until(lambda: home.table().get("people") == 0, "the table is told")
        before = table.screen()
        player = Player(table, 1)
        with player.phone:
            until(lambda: home.table()["people"] == 1, "somebody sits there")
            player.until_whole()
            assert player.ask("help")["ok"]
            until(lambda: home.table()["calls"] == 1, "the call is told")
            player.start("bid-and-bait")
            until(lambda: home.table()["state"] == "playing", "the match is told")
            assert home.table()["calls"] == 1, "nobody has come yet"
            assert player.ask("help")["ok"]
            until(lambda: home.table()["calls"] == 0, "the call is taken back")
            player.play("bid-and-bait")
            hand = json.dumps(player.hand)
            until(lambda: home.table()["state"] == "over", "the end is told")
            assert home.table()["game"] == "Bid & Bait!"
        assert home.newest["th/1/hub/home"] == b"online"
    until(lambda: home.hear()["th/1/hub/home"] == b"offline", "the hub says that it ends")
    told = b"\n".join(home.all)
    secrets = [
        *before["claim_codes"].values(),
        before["fingerprint"],
        "Ana",
        player.login["password"],
        player.login["sid"],
    ]
    secrets += ["secret_fish", '"you"', '"moves"', '"hand"']
    assert "secret_fish" in hand
    assert [one for one in secrets if one.encode() in told] == []


@pytest.mark.broker
def test_a_broker_that_comes_late_or_is_gone_for_a_while_is_told_all_anew(home: HomeBroker) -> None:
    link = HomeAssistant(home.part(), "hub", Random(1))
    link.start()
    link.show(STATE, False)  # returns at once, though nobody is there
    home.start()
    try:
        until(lambda: {"th/1/hub/home", "th/1/hub/1/home", CONFIG} <= {*home.hear()}, "all is told")
        home.stop()
        home.newest.clear()
        link.show(replace(STATE, state="playing", title="Goofspiel"), False)
        home.start()
        until(lambda: home.table().get("game") == "Goofspiel" and CONFIG in home.newest, "all is told anew")
        sent = len(home.all)
        for seq in range(20):
            link.show(replace(STATE, state="playing", title="Goofspiel", seq=seq), False)
        link.show(replace(STATE, state="over", title="Goofspiel"), False)
        until(lambda: home.table()["state"] == "over", "the next state")
        assert len(home.all) == sent + 1, "what has not changed is not sent"
    finally:
        link.close()


@pytest.mark.broker
def test_a_login_that_is_refused_is_said_once(home: HomeBroker, caplog: pytest.LogCaptureFixture) -> None:
    home.start()
    link = HomeAssistant(home.part(user="somebody"), "hub", Random(1))
    link.start()
    until(lambda: "refuses the hub's login" in caplog.text, "the reason in the journal")
    link.close()
    assert caplog.text.count("refuses") == 1
    assert PASSWORD not in caplog.text


def test_what_cannot_be_used_is_refused_with_the_key() -> None:
    with pytest.raises(ConfigError, match=r"\[home_assistant\] .*no-such-file"):
        HomeAssistant(HomeAssistantPart("mqtt://home", "hub", "/no-such-file"), "hub", Random(1))


# --- the payload, as Home Assistant documents it ---

SEATS = [PublicSeat(1, "Ana", held=True), PublicSeat(2, "House", held=True, house="steady"), PublicSeat(3)]
BUSY = replace(
    STATE,
    state="playing",
    title="Bid*It!",
    seats=SEATS,
    view=View("bid-it", 4, "bids", {}, {}, Waiting(seats=[])),
    minutes_left=(5, 12),
    until=1_800_000_000,
    notices=[Notice("help 1", "warning", "Seat 1 calls for help."), Notice("time", "info", "Last orders: ...")],
)


def shown(told: HomeTable) -> dict[str, str]:
    """What each entity shows, by its template, as Home Assistant renders it."""
    known = {"value_json": {name: getattr(told, name) for name in told.__struct_fields__}}
    components = discovery("hub", BUSY)["components"]
    return {key: jinja2.Template(one["value_template"]).render(known) for key, one in components.items()}


def test_entities_show_what_the_till_shows() -> None:
    assert shown(home_table(BUSY)) == {
        "state": "playing", "game": "Bid*It!", "round": "4", "people": "1", "occupied": "ON", "call": "ON",
        "last_orders": "ON", "minutes_left": "12", "until": "2027-01-15T08:00:00+00:00",
    }  # fmt: skip


def test_an_empty_table_shows_nothing_that_is_not_known() -> None:
    empty = shown(home_table(replace(STATE, seats=SEATS[1:])))
    assert (empty["people"], empty["occupied"], empty["call"], empty["last_orders"]) == ("0", "OFF", "OFF", "OFF")
    assert {empty[name] for name in ("round", "minutes_left", "until")} == {"None"}, (
        "which Home Assistant takes as unknown"
    )


def test_the_discovery_has_what_a_device_has_to_have() -> None:
    payload = discovery("hub", BUSY)
    assert payload["device"]["identifiers"] == ["table-hub-hub-1"]
    assert payload["origin"]["name"]
    ids = [one["unique_id"] for one in payload["components"].values()]
    assert len({*ids}) == len(ids)
    assert {one["platform"] for one in payload["components"].values()} == {"sensor", "binary_sensor"}
    assert "Ana" not in json.dumps(payload)
    assert payload["components"]["state"]["options"] == ["lobby", "playing", "over", "stopped"]
