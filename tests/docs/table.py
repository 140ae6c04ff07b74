"""A hub with one table, a reader of all that its broker carries, and a phone that plays there as the documents say."""

from __future__ import annotations

import http.client
import json
import queue
import re
import secrets
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, Self

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from hub.app import Hub
from hub.config import Config, HomeAssistantPart, HubPart, TablePart, UpstreamPart, WebPart
from hub.network.encryption import from_base64, to_base64
from phone_ui.limits import Limits
from tests.complete_states import read_state
from tests.docs.contract import check, check_message, document
from tests.patience import PATIENCE
from tests.phone_ui.rig import Keys, Phone, until
from tests.random_client import value

QUICK = Limits(packets_each_second=1e6, requests_each_second=1e6)


class Table:
    """A hub with one table, and a reader of everything that its broker carries."""

    def __init__(
        self, folder: Path, seats: int, home: HomeAssistantPart | None = None, upstream: UpstreamPart | None = None
    ) -> None:
        part = TablePart(
            "1", "Contract", seats, house_seats=seats - 1, house_seconds=0, attract_seconds=0, reveal_seconds=0
        )
        config = Config(
            hub=HubPart(state=str(folder)),
            web=WebPart("127.0.0.1", 0),
            table=(part,),
            home_assistant=home or HomeAssistantPart(),
            upstream=upstream or UpstreamPart(),
        )
        self.hub = Hub(config, limits=QUICK)
        self.carried: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.keys: dict[str, Keys] = {}  # by sid
        self.seen: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self.hub.start()
        assert self.hub.web
        assert self.hub.broker.up.wait(PATIENCE)
        self.port = self.hub.web.port
        logins = self.hub.broker.logins
        logins.admit("reader", "of all", ["#"], [])
        until(lambda: logins.admitted("reader"), "the reader's login")
        self.reader = paho.Client(CallbackAPIVersion.VERSION2, client_id="reader", transport="unix")
        self.reader.username_pw_set("reader", "of all")
        self.reader.on_message = lambda _c, _u, one: self.carried.put((one.topic, bytes(one.payload)))
        self.reader.on_connect = lambda client, *_: client.subscribe("#")
        self.reader.connect(self.hub.broker.address.path, 1)
        self.reader.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self.reader.disconnect()
        self.reader.loop_stop()
        self.reader._reset_sockets()
        self.hub.close()

    def screen(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.hub.access["1"].screen.get()[1])
        return found

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, str, bytes]:
        """Ask the web port; status, media type, and the answer's body (of a stream the first event)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"} if text else {})
            answer = connection.getresponse()
            kind = answer.headers.get("content-type", "")
            if not kind.startswith("text/event-stream"):
                return answer.status, kind, answer.read()
            while not (line := answer.readline()).startswith(b"data: {"):
                assert line
            return answer.status, kind, line[6:]
        finally:
            connection.close()

    def fetch(self, method: str, path: str, body: object = None, **names: str) -> Any:
        """Ask an address of the document, and hold question and answer against it; the JSON of the answer."""
        described = document("openapi")["paths"][path][method]
        if body is not None and "content" in described.get("requestBody", {}):
            check("openapi", described["requestBody"]["content"]["application/json"]["schema"], body)
        status, kind, answer = self.ask(method.upper(), path.format(**names), body)
        told = described["responses"].get(str(status))
        assert told, f"{method} {path} was answered with {status}"
        if "$ref" in told:
            told = document("openapi")["components"]["responses"]["Refused"]
        self.seen[f"{method} {path} {status}"] += 1
        if not told.get("content"):
            assert status in (204, 302)
            return None
        media, wanted = next(iter(told["content"].items()))
        assert media == "*/*" or kind.split(";")[0] == media.split(";")[0], f"{path} is {kind}"
        if media == "text/event-stream":
            told = json.loads(answer)
            if "x-data" in wanted["schema"]:
                check("openapi", wanted["schema"]["x-data"], told)
            return told
        if media != "application/json":
            return answer
        told = json.loads(answer)
        check("openapi", wanted["schema"], told)
        return told

    def claim(self, seat: int) -> tuple[dict[str, Any], Keys]:
        """Take a seat, as the documents say it; return the login."""
        screen = self.screen()
        found = self.fetch("get", "/code/{code}.json", code=screen["code"])
        keys = Keys(from_base64(found["k"]))
        details = {"seat": seat, "code": screen["claim_codes"][str(seat)], "name": f"Ana {seat}"}
        described = document("openapi")["paths"]["/t/{table}/claim"]["post"]["requestBody"]
        check("openapi", described["x-plaintext"], details)
        sealed = keys.encrypt(details)
        body = {
            "seat": seat,
            "pk": to_base64(keys.public),
            "nonce": to_base64(sealed[:24]),
            "box": to_base64(sealed[24:]),
        }
        asked = self.fetch("post", "/t/{table}/claim", body, table=found["table"])
        answered = document("openapi")["paths"]["/t/{table}/claim/{claim}"]["get"]["responses"]["200"]
        for _ in range(1000):
            reply = self.fetch("get", "/t/{table}/claim/{claim}", table=found["table"], claim=asked["claim"])
            if reply["state"] == "held":
                login = keys.decrypt(from_base64(reply["nonce"]) + from_base64(reply["box"]))
                check("openapi", answered["x-plaintext"], login)
                self.keys[login["sid"]] = keys
                return login, keys
            assert reply["state"] == "asked", reply
            time.sleep(0.05)
        raise AssertionError("the seat was not given")

    def has_carried(self, message: str) -> bool:
        """Hold all that broker and phones have carried until now against the document; whether that message was among it."""
        while not self.carried.empty():
            topic, payload = self.carried.get()
            found = re.search("/seat/([^/]+)/", topic)
            self.seen[check_message(topic, payload, self.keys.get(found[1]) if found else None)] += 1
        return self.seen[message] > 0


class Player:
    """A phone that plays by chance, whatever the game."""

    def __init__(self, table: Table, seat: int) -> None:
        self.login, self.keys = table.claim(seat)
        root = f"th/1/{self.login['hub']}/{self.login['table']}"
        self.own, self.state_topic = f"{root}/seat/{self.login['sid']}", f"{root}/pub/state"
        self.table, self.random, self.n = table, Random(5), 0
        self.state: dict[str, Any] = {}
        self.hand: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        user = self.login["user"]
        self.phone = Phone(table.port, user, user, self.login["password"])
        self.phone.client.will_set(f"{self.own}/online", b"", qos=1, retain=True)
        assert self.phone.dial()
        for topic in (self.state_topic, f"{self.own}/hand", f"{self.own}/ack"):
            assert self.phone.subscribe(topic, 0)
        self.phone.publish(f"{self.own}/online", b'{"session":"contract"}', retain=True)

    def hear(self) -> None:
        topic, payload, _ = self.phone.message()
        self.table.carried.put((topic, payload))  # most of it comes past the broker
        if topic == self.state_topic:
            self.state = read_state(payload)
        elif topic.endswith("/hand"):
            self.hand = self.keys.decrypt(payload) if payload else {}
        else:
            answer = self.keys.decrypt(payload)
            self.answers[answer["re"]] = answer

    def until_whole(self) -> None:
        """Until state and hand are of one moment."""
        while not (self.state and self.hand and self.state["seq"] == self.hand["seq"]):
            self.hear()

    def ask(self, verb: str, **args: Any) -> dict[str, Any]:
        self.n += 1
        request = {
            "v": 1, "id": secrets.token_hex(8), "n": self.n, "epoch": self.hand["epoch"],
            "number": self.hand["number"], "verb": verb, "args": args,
        }  # fmt: skip
        asked = self.keys.encrypt(request)
        self.table.carried.put((f"{self.own}/act", asked))
        self.phone.publish(f"{self.own}/act", asked)
        while request["id"] not in self.answers:
            self.hear()
        return self.answers.pop(str(request["id"]))

    def start(self, game: str) -> None:
        """Begin a match."""
        self.until_whole()
        self.ask("wish", game=game)
        assert self.ask("start", game=game, options={})["ok"]

    def play(self, game: str) -> dict[str, Any]:
        """Play the match to its end; return how it ended."""
        voted = None
        end = time.monotonic() + 10 * PATIENCE
        while self.state["state"] != "over" or self.state["game"] != game:
            assert time.monotonic() < end, (self.state, self.hand)
            hand = self.hand
            offers = [one for one in hand["moves"] if not one.get("standing")] if hand["locked"] is None else []
            question = self.state["question"]
            if (
                question
                and self.login["seat"] in question["voters"]
                and str(self.login["seat"]) not in question["votes"]
            ):
                self.ask("vote", say=next(iter(question["options"])))
                self.until_whole()
            elif self.state["dice"] and voted != (hand["number"], self.state["dice"]["batch"]):
                voted = (hand["number"], self.state["dice"]["batch"])
                self.ask("dice", say="hub")
            elif offers:
                offer = self.random.choice(offers)
                self.ask(
                    "act", **{name: one if name == "move" else value(one, self.random) for name, one in offer.items()}
                )
            else:
                self.hear()
        over: dict[str, Any] = self.state["over"]
        return over
