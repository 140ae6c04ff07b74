"""What another seat can get from the real program with all diagnostics on: nothing of a hand that is not its own."""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket

from hub.network.encryption import from_base64
from tests.chromium import HEADLESS, NONE, headless
from tests.e2e import hub_process
from tests.e2e.hub_process import HOST, HubProcess, SeatPhone, State, sealed
from tests.free_port import free_port
from tests.network.home_broker import HomeBroker
from tests.phone_ui.rig import Keys, Phone, until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.slow,
    pytest.mark.skipif(HEADLESS is None, reason=NONE),
]

OF_A_HAND = {"you", "secret_fish", "moves", "undo", "dial", "seat_code"}
"""Names that stand in a seat's own hand only."""


@dataclass
class CapturedTraffic:
    """All bytes that reached another seat's browser."""

    pieces: list[bytes] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("websocket", self._socket)
        page.on("response", lambda answer: self.pieces.append(answer.url.encode()))

    def _socket(self, socket: WebSocket) -> None:
        def frame(data: str | bytes) -> None:
            self.pieces.append(data.encode() if isinstance(data, str) else data)

        socket.on("framereceived", frame)


class Login:
    """The login that a phone keeps in its browser, used here as the page uses it."""

    def __init__(self, hub: HubProcess, at: SeatPhone) -> None:
        kept = at.page.evaluate("JSON.parse(localStorage.getItem('th/1'))")
        at.page.goto("about:blank")  # one login, one link
        self.sid, self.password, self.secret_key, self.hub_id = kept["sid"], kept["password"], kept["sk"], kept["hub"]
        self.keys = Keys(from_base64(kept["hubkey"]), from_base64(kept["sk"]))
        self.phone = Phone(hub.port, kept["user"], kept["user"], kept["password"])
        self.own = f"th/1/{kept['hub']}/1/seat/{kept['sid']}"
        self._n = 1000

    def next(self, topic: str) -> tuple[dict[str, Any], int]:
        """The next encrypted message of that name: what is in it, and its length on the wire."""
        while True:
            name, message, _ = self.phone.message()
            if name == f"{self.own}/{topic}":
                return self.keys.decrypt(message), len(message)

    def bid(self, state: State, question: int, number: int) -> tuple[dict[str, Any], int, int]:
        """Bid, and return the hand after it, its length, and the length of the answer."""
        self._n += 1
        asked = {
            "v": 1, "id": secrets.token_hex(8), "n": self._n, "epoch": state["epoch"], "number": question,
            "verb": "act", "args": {"move": "bid", "number": number},
        }  # fmt: skip
        self.phone.publish(f"{self.own}/act", self.keys.encrypt(asked))
        hand: tuple[dict[str, Any], int] = ({}, 0)
        while True:  # the hand comes before the answer; others may come before it
            name, message, _ = self.phone.message()
            payload = self.keys.decrypt(message)
            if name.endswith("/hand"):
                hand = payload, len(message)
            elif payload["re"] == asked["id"]:
                assert payload["ok"], payload
                return *hand, len(message)


def names_in(value: object) -> Iterator[str]:
    """All names of a JSON value, however deep."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from names_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_in(part)


def timeless(state: State) -> State:
    """A public state without what only counts pictures."""
    return {name: value for name, value in state.items() if name != "seq"}


def page_of(hub: HubProcess, path: str) -> bytes:
    connection = http.client.HTTPConnection(HOST, hub.port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    finally:
        connection.close()


def verbose_hub(folder: Path, port: int, home: HomeBroker) -> list[str]:
    """Return the command that runs the demo's table as an owner would, with all diagnostics on, beside a Home Assistant."""
    config = folder / "hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder}/state"\nlog_level = "debug"\n[web]\nhost = "{HOST}"\nport = {port}\n'
        f'[home_assistant]\nurl = "{home.part().url}"\nuser = "{home.part().user}"\npassword_file = "{folder}/password"\n'
        '[[table]]\nid = "1"\ngame = "bid-and-bait"\n[[device]]\ndriver = "simulated"\ntable = "1"\nseats = 4\n'
    )
    return [str(hub_process.PROGRAM), "run", "--config", str(config)]


def test_a_hand_a_bid_and_a_login_reach_nobody_but_their_owner(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    port = free_port()
    home = HomeBroker(tmp_path)
    request.addfinalizer(home.stop)
    home.start()
    with HubProcess(tmp_path / "state", port, verbose_hub(tmp_path, port, home)) as hub, headless() as browser:
        captured = CapturedTraffic()
        first, second = SeatPhone(hub, browser, 1), SeatPhone(hub, browser, 2, captured.watch)
        first.sit("Ana")
        second.sit("Ben")
        first.page.get_by_role("button", name="I am ready").click()
        second.page.get_by_role("radio", name="Bid & Bait!").check(force=True)
        second.page.get_by_role("button", name="Start Bid & Bait!").click()
        hub.until(sealed, "all are asked for a bid")
        second.covered.wait_for()

        # Seat 1 locks one bid, then every other one: to all others nothing at all changes.
        owner = Login(hub, first)
        with owner.phone:
            assert owner.phone.dial()
            assert owner.phone.subscribe(f"{owner.own}/hand")
            assert owner.phone.subscribe(f"{owner.own}/ack")
            hand, empty = owner.next("hand")
            assert hand["you"]["secret_fish"]
            publics, lengths = [], set()
            for number in range(1, 7):
                hand, of_hand, of_answer = owner.bid(hub.public.now, hand["number"], number)
                assert hand["locked"] == {"move": "bid", "number": number}
                lengths.add((of_hand, of_answer))
                publics.append(timeless(hub.until(lambda s, seq=hand["seq"]: s["seq"] >= seq, "the lock is public")))  # type: ignore[misc]
            assert [public["locked"] for public in publics] == [[1]] * 6
            # The phone's link comes and goes with this test's own client; a bid changes nothing.
            assert all(public["view"] == publics[0]["view"] for public in publics)
            assert all(public["events"] == publics[0]["events"] for public in publics)
            assert len(lengths) == 1
            assert {of_hand for of_hand, _ in lengths} == {empty}

            # The other phone, with a login of its own, asks the broker for everything.
            other = Login(hub, second)
            with other.phone:
                assert other.phone.dial()
                for topic in ("#", "th/#", f"{owner.own}/hand", f"{owner.own}/#", "th/1/+/+/seat/+/hand", "$SYS/#"):
                    other.phone.subscribe(topic)
                assert other.phone.subscribe(f"th/1/{other.hub_id}/1/pub/state")
                assert other.phone.subscribe(f"{other.own}/hand")
                _, of_other = other.next("hand")
                assert of_other == empty  # one length for all hands, locked or not
                hand, _, _ = owner.bid(hub.public.now, hand["number"], 3)
                while True:
                    topic, payload, _ = other.phone.message()
                    captured.pieces += [topic.encode(), payload]
                    if topic.endswith("/pub/state") and json.loads(payload)["seq"] >= hand["seq"]:
                        break

        paths = ("/", "/t/1", "/t/1/kiosk", "/t/1/qr.svg", f"/code/{hub.public.now['code']}.json")
        captured.pieces += [page_of(hub, path) for path in (*paths, "/games/bid-and-bait.json")]
        captured.pieces += [text.encode() for text in hub.public.received]
        playing = {"state": "playing", "people": 2}
        until(lambda: playing.items() <= home.table().items(), "the home is told")
        captured.pieces += home.all
        home.stop()
        traffic = b"\n".join(captured.pieces)
        assert len(traffic) > 10_000

        for public in map(json.loads, hub.public.received):
            assert not OF_A_HAND & set(names_in(public))
            seats = public["view"]["seats"].values() if public["view"] else []
            assert all(seat.get("bid") is None for seat in seats)
        state = tmp_path / "state"
        assert state.stat().st_mode & 0o077 == 0, "the state folder is the hub's alone"
        names = "\n".join(str(one) for one in state.rglob("*"))
    output = "".join(hub.output)
    for place, data in (("another seat", traffic), ("diagnostics", output.encode()), ("file names", names.encode())):
        for secret in (owner.password, owner.secret_key, other.password, other.secret_key):
            assert secret.encode() not in data, place
        assert owner.sid.encode() not in data or place == "diagnostics", place
    assert "secret_fish" not in output
    assert '"number"' not in output
