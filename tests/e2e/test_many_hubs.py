"""Two real hubs and a real broker above them: what goes up while they play, what never does, and what survives."""

from __future__ import annotations

import json
import secrets
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from hub.config import UpstreamPart
from tests.chaos.hub import ChaosHub
from tests.chaos.players import Guests
from tests.chromium import HEADLESS, NONE, PHONE, headless
from tests.complete_states import read_state
from tests.docs.table import Player, Table
from tests.network.upstream_broker import CutLink, Ledger, Reader, UpstreamBroker
from tests.patience import PATIENCE
from tests.phone_ui.axe import findings, small_targets
from tests.phone_ui.rig import until
from tests.phone_ui.test_everybody import DRESS

pytestmark = [pytest.mark.broker]

OF_A_HAND = {"you", "secret_fish", "moves", "undo", "dial", "seat_code", "claim_codes", "fingerprint"}
"""Names that stand in a seat's own hand, or on the table's own screens, only."""
ROOT = "table-hubs/1/cafe"


@pytest.fixture
def above(tmp_path: Path) -> Iterator[UpstreamBroker]:
    made = UpstreamBroker(tmp_path / "up")
    made.start()
    yield made
    made.stop(signal.SIGKILL)


def part(above: UpstreamBroker, *, whole_state: bool = False) -> UpstreamPart:
    return UpstreamPart(
        f"mqtt://127.0.0.1:{above.port}", "hub", str(above.folder / "password"), "", "cafe", whole_state
    )


def names_in(value: object) -> Iterator[str]:
    """All names of a JSON value, however deep."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)


# --- what never goes up ---


@pytest.mark.slow
@pytest.mark.parametrize("whole_state", [False, True])
@pytest.mark.parametrize("game", ["bid-and-bait", "bidness", "big-idea"])
def test_whole_matches_go_up_and_nothing_that_is_a_seats(
    above: UpstreamBroker, tmp_path: Path, game: str, whole_state: bool
) -> None:
    reader = Reader(above)
    with Table(tmp_path / "state", 3, upstream=part(above, whole_state=whole_state)) as table:
        screen = table.screen()
        player = Player(table, 1)
        with player.phone:
            hands: list[dict[str, Any]] = []
            decrypted = player.keys.decrypt

            def decrypt(letter: bytes) -> dict[str, Any]:
                hands.append(decrypted(letter))
                return hands[-1]

            player.keys.decrypt = decrypt  # type: ignore[method-assign]
            player.start(game)
            player.play(game)
            until(lambda: reader.table("hub").get("state") == "over", "the end goes up")
            until(lambda: len(reader.finished("hub")) == 1, "the match is told")
    until(lambda: not reader.here("hub"), "the hub says that it ends")
    assert reader.finished("hub")[0]["game"] == game
    told = b"\n".join(one.topic.encode() + b" " + one.payload for one in reader.all)
    hidden = [*screen["claim_codes"].values(), screen["fingerprint"], player.login["password"], player.login["sid"]]
    assert any("moves" in hand for hand in hands), "hands came to the phone"
    assert [one for one in hidden if one.encode() in told] == []
    assert (b"Ana" in told) == whole_state
    assert {one.topic.split("/")[:4] == ["table-hubs", "1", "cafe", "hub"] for one in reader.all} == {True}
    names = {name for one in reader.all if one.payload for name in names_in(json.loads(one.payload))}
    assert not OF_A_HAND & names
    assert any("/state/" in one.topic for one in reader.all) == whole_state
    reader.check()
    reader.close()


@pytest.mark.slow
def test_nothing_that_is_written_above_reaches_a_table(above: UpstreamBroker, tmp_path: Path) -> None:
    with Table(tmp_path / "state", 3, upstream=part(above)) as table:
        player = Player(table, 1)
        reader = Reader(above)
        with player.phone:
            player.start("bid-and-bait")
            player.until_whole()
            own = player.own.removeprefix("th/1/")
            until(lambda: reader.table("hub").get("state") == "playing", "the match is told")
            asked = player.keys.encrypt(
                {
                    "v": 1, "id": secrets.token_hex(8), "n": 999, "epoch": player.hand["epoch"],
                    "number": player.hand["number"], "verb": "leave", "args": {},
                }
            )  # fmt: skip
            staff = b'{"n":1,"verb":"reset","table":"1","args":{}}'
            dynsec = b'{"commands":[{"command":"setDefaultACLAccess","acls":[{"acltype":"subscribe","allow":true}]}]}'
            mark = b"written-above"
            stranger = above.client("stranger")
            stranger.connect("127.0.0.1", above.port)
            stranger.loop_start()
            for start in ("th/1/", f"{ROOT}/", f"{ROOT}/hub/", f"{ROOT}/hub/th/1/", f"{ROOT}/north/"):
                for topic, payload in (
                    (f"{own}/act", asked), (f"{own}/online", b""), ("hub/1/pub/state", mark), ("hub/1/cmd", staff),
                    ("hub/echo", mark), ("hub/status", mark), ("act", asked), ("cmd/reset", staff), ("table/1", mark),
                    ("presence", mark), ("info", mark), ("table/2", b"[" * 100_000), ("x" * 3000, mark),
                ):  # fmt: skip
                    for retain in (False, True):
                        stranger.publish(start + topic, payload, qos=1, retain=retain).wait_for_publish(10)
            stranger.publish("$CONTROL/dynamic-security/v1", dynsec, qos=1).wait_for_publish(10)
            until(lambda: any(one.topic == f"th/1/{own}/act" for one in reader.all), "all of it is at the broker above")
            stranger.disconnect()
            stranger.loop_stop()
            before = read_state(table.hub.access["1"].public.get()[1])
            assert before["state"] == "playing"
            assert player.ask("name", name="Bea")["ok"], "the phone is there, and its seat is its own"
            time.sleep(1.0)
            player.play("bid-and-bait")  # whoever had left would not
            assert table.hub._upstream
            assert table.hub._upstream.snapshot().up, "the link stands"
            assert mark not in b"".join(payload for _, payload in [*table.carried.queue])
            assert all(topic.startswith("th/1/hub/") for topic, _ in [*table.carried.queue])
            assert table.has_carried("state"), "and what its own broker carried is as the documents say"
        reader.close()


# --- what staff see ---


STICKS_OUT = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 150))"""


def found_by_axe(page: Page, what: str) -> list[str]:
    """Return what axe finds in both lights and with large text, what is too small to touch, and what sticks out sideways."""
    found = []
    for theme, size in (("light", 100), ("dark", 100), ("light", 200)):
        page.evaluate(DRESS, [theme, size])
        found += [f"{what}, {theme}, {size} %: {one}" for one in [*findings(page), *small_targets(page)]]
        found += [f"{what}, {theme}, {size} %: sticks out: {one}" for one in page.evaluate(STICKS_OUT)]
    page.evaluate(DRESS, ["light", 100])
    return found


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.skipif(HEADLESS is None, reason=NONE)
def test_staff_see_all_hubs_of_the_venue_and_which_is_away(above: UpstreamBroker, tmp_path: Path) -> None:
    for name in ("north", "south"):
        (tmp_path / name).mkdir()
    with ChaosHub(tmp_path / "north", 1, hub="north", more=above.toml("north")) as north, headless() as browser:
        page = browser.new_context(viewport=PHONE).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"http://127.0.0.1:{north.port}/staff")
        page.get_by_label("PIN").fill(north.screen("1")["staff_pin"])
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="All hubs").click()
        hubs = page.get_by_role("region", name="All hubs")
        expect(hubs.get_by_text("this hub")).to_be_visible()
        south = ChaosHub(tmp_path / "south", 2, hub="south", more=above.toml("south"))
        with south:
            line = hubs.get_by_role("listitem").filter(has=page.get_by_text("south", exact=True)).first
            expect(line.get_by_text("here", exact=True)).to_be_visible()
            expect(line.get_by_text("Table 2")).to_be_visible()
            guests = Guests("1", "goofspiel", south.address_of("1"), 3)
            expect(line.get_by_text("3 of 3 seats taken")).to_be_visible()
            guests._party.connect()
            guests.players[0].ask("help", {})
            expect(line.get_by_text("Calls for help: 1")).to_be_visible()
            expect(page).to_have_title("(1) Staff")
            expect(page.get_by_role("status")).to_have_text("south, Table 1: Calls for help: 1")
            call = page.get_by_role("region", name="Calls").get_by_role("link")
            expect(call).to_have_text("south, Table 1: Calls for help: 1")
            found = found_by_axe(page, "a call")
            link = page.get_by_role("link", name="The hub")
            link.focus()
            guests.players[0].ask("help", {})
            expect(page).to_have_title("Staff")
            guests.start()
            expect(line.get_by_text("Goofspiel").first).to_be_visible()
            expect(line.get_by_text("Playing").first).to_be_visible()
            guests.end()
            guests.join(30)
            assert guests.trouble is None
            found += found_by_axe(page, "two hubs play")
        expect(line.get_by_text("offline, last seen at")).to_be_visible()
        expect(link, "whatever other hubs do").to_be_focused()
        found += found_by_axe(page, "a hub is away")
        # Else the broker would bring the older presence back, for three minutes.
        until(lambda: b'"offline"' in (above.folder / "mosquitto.db").read_bytes(), "the broker has saved it")
        above.stop(signal.SIGKILL)
        expect(hubs.get_by_text("There is no news from the other hubs since")).to_be_visible()
        expect(line.get_by_text("away,")).to_have_count(0)
        found += found_by_axe(page, "cut off")
        expect(link).to_be_focused()
        page.keyboard.press("Shift+Tab")
        assert page.evaluate("() => document.activeElement.closest('.hubs') === null"), "nothing there takes the focus"
        above.start()
        expect(hubs.get_by_text("There is no news from the other hubs since")).to_have_count(0)
        expect(line.get_by_text("offline, last seen at")).to_be_visible()
        assert errors == []
        assert not found, "\n".join(found)


# --- what survives ---


def finished_of(hub: ChaosHub) -> list[int]:
    """The numbers of the finished matches that a hub's disk has."""
    with closing(sqlite3.connect(f"file:{hub.state}/table-hub.db?mode=ro", uri=True)) as db:
        return [number for (number,) in db.execute("SELECT number FROM finished ORDER BY number")]


def until_more(hub: ChaosHub, more: int = 1) -> None:
    """Wait until so many more matches of a hub were played to their end."""
    had = len(finished_of(hub))
    until(lambda: len(finished_of(hub)) >= had + more, f"{hub.hub} plays on")


def until_told(reader: Reader, hub: ChaosHub) -> None:
    """Wait until the broker above has acknowledged all that the disk has."""
    newest = finished_of(hub)[-1]
    until(lambda: reader.json(f"{ROOT}/{hub.hub}/info").get("finished") == newest, "all is told")


@pytest.mark.long
def test_two_hubs_play_on_while_the_broker_above_dies_the_link_is_cut_and_a_hub_is_killed(
    above: UpstreamBroker, tmp_path: Path
) -> None:
    wire = CutLink(above.port)
    reader = Reader(above)
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
    north = ChaosHub(tmp_path / "north", 2, hub="north", more=above.toml("north"))
    south = ChaosHub(tmp_path / "south", 1, hub="south", more=above.toml("south", wire.port))
    for hub in (north, south):
        hub.games = dict.fromkeys(hub.games, "goofspiel")
    with north, south:
        guests = [
            Guests(table, hub.games[table], hub.address_of(table), 3) for hub in (north, south) for table in hub.tables
        ]
        for one in guests:
            one.start()
        until(lambda: bool(reader.finished("north")) and bool(reader.finished("south")), "the first matches go up")

        above.stop(signal.SIGKILL)
        for hub in (north, south):
            until_more(hub)
        above.start()
        until(lambda: all(hub.status()["upstream"]["up"] for hub in (north, south)), "both are back")

        wire.cut.set()
        until(lambda: not south.status()["upstream"]["up"], "the cut link is found out")
        until_more(south)
        wire.cut.clear()
        until(lambda: bool(south.status()["upstream"]["up"]), "the link is back")

        north.end("killed", signal.SIGKILL)
        north.wait_until_up()
        until_more(north)

        for one in guests:
            one.end()
        for one in guests:
            one.join(30)
            assert one.trouble is None, one.trouble
        for hub in (north, south):
            until_told(reader, hub)
            told = reader.finished(hub.hub)
            ledger = Ledger()
            for one_told in told:
                ledger.take(one_told)
            assert [sorted(series) for series in ledger.numbers.values()] == [finished_of(hub)], (
                "none lost, none made up"
            )
            firsts = list(dict.fromkeys(one["number"] for one in told))
            assert firsts == sorted(firsts), "in order"
            in_order(reader, hub)
    hidden = [word for one in guests for player in one.players for word in secrets_of(player)]
    assert len(hidden) >= 18
    told_bytes = b"\n".join(one.topic.encode() + b" " + one.payload for one in reader.all)
    assert [word for word in hidden if word.encode() in told_bytes] == []
    reader.check()
    reader.close()
    wire.close()


def secrets_of(player: Any) -> list[str]:
    """What only a player's phone knows."""
    login = player.login
    return [login["sid"], login["password"]]


def in_order(reader: Reader, hub: ChaosHub) -> None:
    """Each table's summaries rise in their session; a broker that was killed may bring an older one back, retained."""
    for table in hub.tables:
        counts: dict[str, int] = {}
        sessions: list[str] = []
        for one in [*reader.all]:
            if one.topic == f"{ROOT}/{hub.hub}/table/{table}" and not one.retained:
                told = json.loads(one.payload)
                assert told["n"] >= counts.get(told["session"], 0), "an older summary came later"
                counts[told["session"]] = told["n"]
                if not sessions or sessions[-1] != told["session"]:
                    sessions.append(told["session"])
        assert len(sessions) == len({*sessions}), "no session comes back"
        assert sum(counts.values()) > 10
