"""Phones at the hub of a machine: `python -m tests.acceptance.phones FILE sit URL | start GAME | play ACTIONS | hands`.

They speak to the hub's own web port as the page does: a encrypted claim, a login, MQTT over WebSocket, encrypted hands and
requests. URL is what the QR code says, with the hub's key. They know no game and choose at random from what is offered;
dice they type. FILE keeps their logins, so that the same phones come back after the hub was away.

When the connection ends in the middle of a match, they come back by themselves, as pages do, and compare what they find
with what they had: the same match, everything that anybody saw, and the same hands.
"""

from __future__ import annotations

import hashlib
import json
import socket
import sys
import time
import urllib.parse
import urllib.request
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from hub.network.encryption import from_base64, to_base64
from phone_ui.mqtt_packets import packet_size
from tests.bench.transport import packet, text
from tests.complete_states import read_state
from tests.phone_ui.rig import Keys
from tests.random_client import value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BACK_SECONDS = 180.0  # a machine boots meanwhile
ANSWER_SECONDS = 20.0
ASK_AGAIN_SECONDS = 1.5  # as phone_ui/static/lib/link.js does: the hub drops requests that come too fast
PACE_SECONDS = 0.1  # from one action to the next: the hub closes phones that take more than people do


class ConnectionLost(Exception):
    """The hub is away."""


class Silence(ConnectionLost):
    """Nothing came in time."""


class Hub:
    """The hub as a phone reaches it: at the address in the QR code, with the key from there."""

    def __init__(self, url: str) -> None:
        parts = urllib.parse.urlsplit(url)
        assert parts.hostname, url
        assert parts.fragment.startswith("k="), "the QR code has no key of the hub"
        self.url, self.host, self.port = url, parts.hostname, parts.port or 80
        self.key = from_base64(parts.fragment[2:])
        self.page = url.partition("#")[0]

    def get(self, path: str = "", body: dict[str, Any] | None = None) -> bytes:
        """Return the answer to a request below the page's address."""
        data = json.dumps(body).encode() if body else None
        asked = urllib.request.Request(self.page + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(asked, timeout=10) as answer:
            content: bytes = answer.read()
            return content

    def codes(self, token: str = "") -> dict[int, str]:
        """Return the codes of free seats, as the table's own screen shows them: by its `token`, or on its machine."""
        if not token:
            return _by_seat(self._newest("/screen/events"))
        keys = Keys(self.key)
        whole = keys.encrypt({"token": token})
        body = {"pk": to_base64(keys.public), "nonce": to_base64(whole[:24]), "box": to_base64(whole[24:])}
        told = json.loads(self.get("/screen/open", body))
        session = keys.decrypt(from_base64(told["nonce"]) + from_base64(told["box"]))["session"]
        return _by_seat(self._newest(f"/screen/events?session={session}", keys))

    def state(self) -> dict[str, Any]:
        """Return the newest public state."""
        return self._newest("/events")

    def _newest(self, path: str, keys: Keys | None = None) -> dict[str, Any]:
        with urllib.request.urlopen(urllib.request.Request(self.page + path), timeout=10) as stream:
            for line in stream:
                if keys and line.startswith(b"data: ") and len(line) > 100:  # a beat is short
                    return keys.decrypt(from_base64(line[6:].strip().decode()))
                if line.startswith(b"data: {"):
                    return read_state(line[6:])
        raise ConnectionLost


def _by_seat(screen: dict[str, Any]) -> dict[int, str]:
    return {int(seat): code for seat, code in screen["claim_codes"].items()}


class Link:
    """MQTT 3.1.1 over WebSocket, as far as a phone needs it. paho does not mask its pongs, and is closed for it."""

    def __init__(self, host: str, port: int, login: Mapping[str, Any], will: str) -> None:
        """Log in. Raise ConnectionLost."""
        self._rest = b""
        self._closing = ExitStack()
        try:
            self._socket = self._closing.enter_context(
                connect(
                    f"ws://{host}:{port}/mqtt", subprotocols=[Subprotocol("mqtt")], compression=None, max_queue=None
                )
            )
        except InvalidStatus as error:  # whose answer is it? a hub names no server
            answer = error.response
            raise ConnectionLost(f"{error} {dict(answer.headers)} {answer.body[:200]!r}") from error
        except (OSError, WebSocketException) as error:
            raise ConnectionLost(str(error)) from error
        user, password = login["user"].encode(), login["password"].encode()
        flags = 0xEE  # user, password, a will that is retained, with QoS 1; a clean session; no keep-alive
        body = [
            text(b"MQTT"),
            bytes((4, flags, 0, 0)),
            text(user),
            text(will.encode()),
            text(b""),
            text(user),
            text(password),
        ]
        self._send(0x10, b"".join(body))
        if self._packet(ANSWER_SECONDS) != (0x20, b"\0\0"):  # a hub that is just starting may not know its logins yet
            self.close()
            raise ConnectionLost("not let in")

    def subscribe(self, *topics: str, qos: int) -> None:
        """Ask for topics."""
        self._send(0x82, b"\0\1" + b"".join(text(topic.encode()) + bytes([qos]) for topic in topics))

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish with QoS 1."""
        self._send(0x33 if retain else 0x32, text(topic.encode()) + b"\0\1" + payload)

    def message(self, seconds: float) -> tuple[str, bytes]:
        """Return topic and payload of the next message. Raise ConnectionLost when none comes."""
        end = time.monotonic() + seconds
        while True:
            kind, body = self._packet(end - time.monotonic())
            if kind & 0xF0 != 0x30:
                continue
            size = 2 + int.from_bytes(body[:2], "big")
            topic, rest = body[2:size].decode(), body[size:]
            if kind & 6:
                self._send(0x40, rest[:2])
                rest = rest[2:]
            return topic, rest

    def cut(self) -> None:
        """End the connection from any thread, in the middle of whatever it does."""
        with suppress(OSError):
            self._socket.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Be gone without a word."""
        self.cut()
        self._closing.close()

    def _send(self, kind: int, body: bytes) -> None:
        try:
            self._socket.send(packet(kind, body))
        except (OSError, WebSocketException) as error:
            raise ConnectionLost(str(error)) from error

    def _packet(self, seconds: float) -> tuple[int, bytes]:
        end = time.monotonic() + seconds
        while not (size := packet_size(self._rest)) or size > len(self._rest):
            try:
                self._rest += self._socket.recv(max(0.0, end - time.monotonic()), decode=False)
            except TimeoutError:
                raise Silence("nothing comes") from None
            except (OSError, WebSocketException) as error:
                raise ConnectionLost(str(error)) from error
        whole, self._rest = self._rest[:size], self._rest[size:]
        head = next(at for at in range(1, 5) if not whole[at] & 0x80) + 1  # the length has one to four bytes
        return whole[0], whole[head:]


class Player:
    """One phone: its login, its connection, and the newest state and hand that came over it."""

    def __init__(self, hub: Hub, seat: int, login: dict[str, Any], keys: Keys) -> None:
        self.hub, self.seat, self.login, self.keys = hub, seat, login, keys
        self.own = f"th/1/{login['hub']}/{login['table']}/seat/{login['sid']}"
        self.shared = f"th/1/{login['hub']}/{login['table']}/pub/state"
        self.state: dict[str, Any] = {}
        self.hand: dict[str, Any] = {}
        self.acks: dict[str, dict[str, Any]] = {}
        self.link: Link | None = None

    @classmethod
    def sit(cls, hub: Hub, seat: int, code: str) -> Player:
        """Take a seat with its code."""
        keys = Keys(hub.key)
        encrypted = keys.encrypt({"seat": seat, "code": code, "name": f"Guest {seat}"})
        body = {
            "seat": seat,
            "pk": to_base64(keys.public),
            "nonce": to_base64(encrypted[:24]),
            "box": to_base64(encrypted[24:]),
        }
        claim = json.loads(hub.get("/claim", body))["claim"]
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end:
            answer = json.loads(hub.get(f"/claim/{claim}"))
            if answer["state"] == "held":
                login = keys.decrypt(from_base64(answer["nonce"]) + from_base64(answer["box"]))
                return cls(hub, seat, login, keys)
            assert answer["state"] == "asked", answer["say"]
            time.sleep(0.1)
        raise AssertionError(f"seat {seat} was not given")

    def kept(self) -> dict[str, Any]:
        """Return what the phone keeps in its browser."""
        return {"seat": self.seat, "login": self.login, "secret": to_base64(self.keys.secret)}

    def connect(self) -> None:
        """Log in, and wait for state and hand. Raise ConnectionLost."""
        self.close()
        self.state, self.hand = {}, {}
        self.link = Link(self.hub.host, self.hub.port, self.login, will=f"{self.own}/online")
        qos = self.seat % 2  # some follow as a page does, past the broker, and some by the broker
        self.link.subscribe(self.shared, f"{self.own}/hand", f"{self.own}/ack", qos=qos)
        self.link.publish(f"{self.own}/online", b'{"session":"0"}', retain=True)
        self.read(lambda: bool(self.state and self.hand and self.state["seats"][self.seat - 1]["phone"] == "on"))

    def close(self) -> None:
        """Be gone without a word, as a phone in a pocket."""
        if self.link:
            self.link.close()
        self.link = None

    def read(self, enough: Callable[[], bool], seconds: float = ANSWER_SECONDS) -> None:
        """Take what comes until there is enough of it. Raise ConnectionLost, or Silence when it takes too long."""
        assert self.link
        end = time.monotonic() + seconds
        while not enough():
            topic, payload = self.link.message(end - time.monotonic())
            if topic == self.shared:
                self.state = _newer(self.state, read_state(payload))
            elif topic == f"{self.own}/hand":
                assert payload, f"seat {self.seat} was given back"
                self.hand = _newer(self.hand, self.keys.decrypt(payload))
            else:
                ack = self.keys.decrypt(payload)
                self.acks[ack["re"]] = ack

    def ask(self, verb: str, args: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer. Raise ConnectionLost."""
        assert self.link
        number = time.time_ns() // 1_000_000  # rises, also over a restart of this program
        name = f"{number:016x}"
        request = {
            "v": 1, "id": name, "n": number, "epoch": self.hand["epoch"], "number": self.hand.get("number"),
            "verb": verb, "args": args,
        }  # fmt: skip
        end = time.monotonic() + ANSWER_SECONDS
        while name not in self.acks:
            self.link.publish(f"{self.own}/act", self.keys.encrypt(request))
            try:
                self.read(lambda: name in self.acks, ASK_AGAIN_SECONDS)
            except Silence:
                if time.monotonic() > end:
                    raise
        return self.acks.pop(name)


class Party:
    """All phones of a table."""

    def __init__(self, hub: Hub, players: list[Player], random: Random) -> None:
        self.hub, self.players, self.random = hub, players, random
        self.seen: dict[str, Any] = {}

    @property
    def state(self) -> dict[str, Any]:
        """Return the newest public state of the first phone."""
        return self.players[0].state

    def connect(self) -> None:
        """Connect all; try again for as long as a machine needs to boot."""
        end = time.monotonic() + BACK_SECONDS
        while True:
            try:
                for player in self.players:
                    player.connect()
                self.settle(max(player.state["seq"] for player in self.players))
            except (ConnectionLost, OSError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)
            else:
                return

    def settle(self, seq: int) -> None:
        """Wait until every phone has the state and a hand of `seq` or later."""
        for player in self.players:
            player.read(partial(_has, player, seq))
        self.seen = self.known()

    def known(self) -> dict[str, Any]:
        """Return what the phones know of the match that outlives a restart."""
        events, view = self.state["events"], self.state["view"] or {}
        return {
            "match": self.state["match"],
            "state": self.state["state"],
            "events": events[-1]["n"] if events else -1,
            "locked": self.state["locked"],
            "round": view.get("round"),
            "hands": {str(one.seat): self._digest([one.hand["you"], one.hand.get("locked")]) for one in self.players},
        }

    def _digest(self, hand: object) -> str:
        """Return what tells one hand from another, and tells nobody else anything of it."""
        text = json.dumps(hand, sort_keys=True).encode()
        return hashlib.blake2b(text, digest_size=8, key=self.players[0].keys.secret).hexdigest()

    def come_back(self) -> None:
        """Connect again after the hub was away; what everybody had seen must be there, and the same hands."""
        before, began = self.seen, time.monotonic()
        self.connect()
        now = self.known()
        assert now["match"] == before["match"], (before, now)
        assert now["events"] >= before["events"], (before, now)
        same = (now["events"], now["locked"], now["round"]) == (before["events"], before["locked"], before["round"])
        if same:  # else the request that was under way was on the disk already
            assert now["hands"] == before["hands"], (before, now)
        what = "the same hands" if same else "with the request that was under way"
        print(f"back after {time.monotonic() - began:.0f} s: {what}", flush=True)

    def start(self, game: str) -> None:
        """Begin a match."""
        for player in self.players[1:]:
            assert player.ask("ready", {"ready": True})["ok"]
        ack = self.players[0].ask("start", {"game": game, "options": {}})
        assert ack["ok"], ack
        self.settle(ack["seq"])

    def play(self, actions: int) -> int:
        """Do so many actions, or all to the end of the match; return how many times the hub was away meanwhile."""
        done = lost = 0
        while done < actions and self.state["state"] == "playing":
            try:
                done += self.step()
            except ConnectionLost as error:
                lost += 1
                print(f"lost: {error}", flush=True)
                self.come_back()
            else:
                print(f"action {done}", flush=True)
                time.sleep(PACE_SECONDS)
        return lost

    def step(self) -> int:
        """Let one phone do what is asked of its seat; return 1."""
        player, verb, args = self.request()
        ack = player.ask(verb, args)
        assert ack["ok"], (verb, player.state["want"], ack)
        self.settle(ack["seq"])
        return 1

    def request(self) -> tuple[Player, str, dict[str, Any]]:
        """Return something that a phone may ask now, found in states and hands alone."""
        dice = self.state.get("dice")
        if dice and dice["state"] == "typed":  # a second seat looks at the dice, too
            return next(one for one in self.players if one.seat != dice["seat"]), "dice", {"say": "accept"}
        question = self.state.get("question")
        if question and question["kind"] == "pitch":  # it holds up the decision that comes after it
            return next(one for one in self.players if one.seat == question["seat"]), "vote", {"say": "done"}
        for player in self.players:
            if faces := player.hand.get("faces"):
                typed = [self.random.randint(1, faces["sides"]) for _ in range(faces["count"])]
                return player, "roll", {"faces": typed}
        for player in self.players:
            moves = [move for move in player.hand["moves"] if not move.get("standing")]
            if moves and not player.hand.get("locked"):
                move = self.random.choice(moves)
                args = {
                    key: value(legal, self.random) for key, legal in move.items() if key not in ("move", "standing")
                }
                return player, "act", {"move": move["move"], **args}
        raise AssertionError(f"nobody is asked: {self.state['want']}")


def _has(player: Player, seq: int) -> bool:
    return bool(
        player.state["epoch"] == player.hand["epoch"] and player.state["seq"] >= seq and player.hand["seq"] >= seq
    )


def _newer(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return old if old and (new["epoch"], new["seq"]) < (old["epoch"], old["seq"]) else new


def main(file: str, verb: str, *arguments: str) -> None:
    """Sit down, play, or look at the hands; the last line printed is JSON."""
    kept, lost = Path(file), 0
    if verb == "sit":
        url, token = arguments
        hub = Hub(url)
        assert b"<html" in hub.get(), "the phone's page"
        players = [Player.sit(hub, seat, code) for seat, code in hub.codes(token).items()]
        kept.touch(0o600)
        kept.write_text(json.dumps({"url": hub.url, "phones": [one.kept() for one in players]}))
    else:
        before = json.loads(kept.read_text())
        hub = Hub(before["url"])
        players = [
            Player(hub, one["seat"], one["login"], Keys(hub.key, from_base64(one["secret"])))
            for one in before["phones"]
        ]
    party = Party(hub, players, Random(7))
    party.connect()
    if verb == "start":
        party.start(*arguments)
    elif verb == "play":
        lost = party.play(int(arguments[0]))
    print(json.dumps({**party.known(), "lost": lost}), flush=True)
    for player in players:
        player.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
