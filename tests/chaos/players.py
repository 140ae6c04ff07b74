"""The phones of one table, which play on whatever happens, and remember all that the hub has promised them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tests.acceptance.phones import ConnectionLost, Hub, Party, Player, Silence

PACE_SECONDS = 0.08  # a phone may ask ten times a second
RETRY_SECONDS = 0.2


class Asked(NamedTuple):
    """An action that a phone asked for: `answered` ok, or unknown, for the connection ended first. Refused ones are not kept."""

    match: str
    seat: int
    move: str
    args: dict[str, Any]
    answered: bool


class Seen(NamedTuple):
    """A hand that a phone was shown while decision `number` was open."""

    seat: int
    number: int
    you: str


@dataclass
class Promised:
    """What the hub has promised at one table."""

    asked: list[Asked] = field(default_factory=list)
    hands: dict[str, set[Seen]] = field(default_factory=dict)  # by match
    lost: int = 0  # connections
    refused: int = 0
    begun: int = 0
    longest: float = 0.0  # seconds between two accepted actions
    last: float = 0.0  # when the last one was accepted (`time.monotonic`)


class Guests(threading.Thread):
    """All phones of one table, in a thread of their own; `trouble` is what must not have happened."""

    def __init__(self, table: str, game: str, url: str, seed: int, most: int = 6) -> None:
        """`most` of the seats are theirs, the rest is the house's."""
        super().__init__(name=f"guests-{table}", daemon=True)
        self.table, self.game = table, game
        self.promised = Promised()
        self.trouble: BaseException | None = None
        self._random = Random(f"guests {seed} {table}")
        hub = Hub(url)
        self.players = [Player.sit(hub, seat, code) for seat, code in [*hub.codes().items()][:most]]
        self._party = Party(hub, self.players, self._random)
        self._ending = threading.Event()
        self._options: dict[str, Any] = {}

    def cut(self, share: float) -> None:
        """Cut the connections of some phones, in the middle of whatever they do."""
        for player in self.players[: max(1, round(share * len(self.players)))]:
            if link := player.link:
                link.cut()

    def end(self) -> None:
        """Let them finish what they do."""
        self._ending.set()

    def run(self) -> None:
        """Play until `end`."""
        connected = False
        self.promised.last = time.monotonic()
        while not self._ending.is_set():
            try:
                if not connected:
                    self._party.connect()
                    connected = True
                self._turn()
            except (ConnectionLost, OSError):  # who hears nothing for long connects anew, as a page does
                connected = False
                self.promised.lost += 1
                self._ending.wait(RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what this program looks for
                self.trouble = error
                return

    def _turn(self) -> None:
        """Do one thing."""
        self._note_hands()
        state = self._party.state
        if state["state"] == "stopped":  # the disk; it says so, and goes on by itself
            self._listen(0.3)
        elif state["state"] != "playing":
            self._begin()
        elif self._nobody_asked():
            self._listen(0.3)
        else:
            self._act()
            self._ending.wait(PACE_SECONDS)

    def _nobody_asked(self) -> bool:
        try:
            self._next = self._party.request()
        except (AssertionError, StopIteration):
            return True
        return False

    def _act(self) -> None:
        player, verb, args = self._next
        match = player.hand["match"]
        asked = Asked(match, player.seat, args.get("move", ""), {k: v for k, v in args.items() if k != "move"}, False)
        try:
            ack = player.ask(verb, args)
        except (ConnectionLost, OSError):
            if verb == "act":
                self.promised.asked.append(asked)
            raise
        if not ack["ok"]:
            self.promised.refused += 1
            self._listen(0.2)
            return
        if verb == "act":
            self.promised.asked.append(asked._replace(answered=True))
        now = time.monotonic()
        self.promised.longest = max(self.promised.longest, now - self.promised.last)
        self.promised.last = now
        self._party.settle(ack["seq"])
        self._note_hands()

    def _begin(self) -> None:
        for player in self.players[1:]:
            player.ask("ready", {"ready": True})
        ack = self.players[0].ask("start", {"game": self.game, "options": self._options})
        if ack["ok"]:
            self.promised.begun += 1
            self._party.settle(ack["seq"])
        else:
            self._listen(0.5)

    def _listen(self, seconds: float) -> None:
        """Take what comes for a moment."""
        for player in self.players:
            with suppress(Silence):
                player.read(lambda: False, seconds / len(self.players))

    def _note_hands(self) -> None:
        for player in self.players:
            hand = player.hand
            if hand.get("match") and hand.get("number") is not None:
                seen = Seen(player.seat, hand["number"], json.dumps(hand["you"], sort_keys=True))
                self.promised.hands.setdefault(hand["match"], set()).add(seen)


def send_home(guests: Sequence[Guests]) -> None:
    """Let all finish what they do, and close their phones."""
    for one in guests:
        one.end()
    for one in guests:
        one.join(60)
        for player in one.players:
            player.close()
