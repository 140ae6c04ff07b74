"""A law of the table, for every game: a request is in the log once if it was answered ok, and else nothing has changed.

Phones, seat boxes that hold sealed choices, standing offers, undo, disputed rolls, lost cables and sleeping phones are
mixed by chance; after every request the log on the disk and all that anybody can see is compared with what was before.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from hub import games
from hub.authoring.players import random_options
from hub.engine.decision import CHANCE
from hub.engine.match import Entry, Match
from hub.ports import BoxBid, BoxDown, BoxLocked, BoxUnlocked, BoxUp, DeviceUp, Key, PhoneLink, Tick, Turn
from hub.table.dice.roll_states import ACCEPT_SECONDS
from tests.random_client import value
from tests.table.fakes import TableRig

JUNK: tuple[Any, ...] = (None, True, -1, 0, 3, 10**30, 1.5, "", "table", [], [[]], {}, ["a", None])
STEPS = 90


class Evening:
    """A table at which requests of phones and presses of boxes come as chance has them."""

    def __init__(self, name: str, random: Random) -> None:
        self.random, game = random, games.find(name)
        self.rig = TableRig(
            min(random.randint(*game.seats), random.randint(*game.seats)), offered=[game], seed=random.randrange(1000)
        )
        self.seats = range(1, self.rig.seats + 1)
        self.rig.boxes_up()
        self.rig.sit()
        self.rig.start(name, **random_options(game, self.rig.seats, random))
        self.acted: list[tuple[int, str, dict[str, Any]]] = []  # requests that were answered ok and not taken back
        self.corrected = 0  # rolls that were read again

    # --- what there is ---

    @property
    def match(self) -> Match:
        assert self.rig.table.match
        return self.rig.table.match

    def log(self) -> list[Entry]:
        """The log as the disk has it."""
        return self.rig.match.log

    def seen(self) -> dict[str, Any]:
        """All that anybody can see now, drawn anew."""
        self.rig.take(DeviceUp("nothing"))
        state = {key: value for key, value in self.rig.state.items() if key != "seq"}
        hands = {seat: {**self.rig.hand(seat), "seq": 0} for seat in self.seats}
        return {
            "state": state,
            "hands": hands,
            "rounds": dict(self.rig.boxes.rounds),
            "texts": dict(self.rig.boxes.texts),
        }

    # --- requests, each checked ---

    def request(self, seat: int, verb: str, args: dict[str, Any], number: int | None = None) -> None:
        if self.rig.state["seats"][seat - 1]["phone"] != "on":  # a phone comes and goes so often in a while only
            self.rig.take(PhoneLink(self.rig.sids[seat], True))  # whoever asks is awake: that much everybody sees
        before, seen = self.log(), self.seen()
        rounds, texts = len(self.rig.boxes.sent), dict(self.rig.boxes.texts)
        answer = self.rig.say(seat, verb, args, number=number)
        after = self.log()
        if not answer["ok"]:
            assert after == before, "a refused request is not in the log"
            assert self.rig.boxes.sent[rounds:] == [], "no box is told of it"
            assert self.rig.boxes.texts == texts
            assert self.seen() == seen, "nor does anything change that anybody sees"
        elif verb == "act":
            self.acted.append((seat, args["move"], {key: value for key, value in args.items() if key != "move"}))
            fresh = [entry for entry in after[len(before) :] if entry.seat != CHANCE]
            assert after[: len(before)] == before
            assert [(entry.seat, entry.move) for entry in fresh] == [(seat, args["move"])]
            assert fresh[0].args == {key: value for key, value in args.items() if key != "move"}
        elif verb == "undo":
            gone = before[-1]
            if self.acted and self.acted[-1] == (gone.seat, gone.move, gone.args):
                self.acted.pop()
        self.rig.take(DeviceUp("nothing"))

    def offered(self) -> None:
        """Somebody makes a move that is offered; a standing one often, though boxes hold sealed choices."""
        listed = [(seat, move) for seat in self.seats for move in self.rig.hand(seat)["moves"]]
        standing = [(seat, move) for seat, move in listed if move.get("standing")]
        if listed:
            seat, move = self.random.choice(standing if standing and self.random.random() < 0.3 else listed)
            args = {key: value(param, self.random) for key, param in move.items() if key not in ("move", "standing")}
            number = self.rig.hand(seat)["number"]
            self.request(seat, "act", {"move": move["move"], **args}, self.random.choice([number, None]))

    def nonsense(self) -> None:
        """Somebody asks for what is another's, old, unknown or no move at all."""
        seat, random = self.random.choice(self.seats), self.random
        known = [move for other in self.seats for move in self.rig.hand(other)["moves"]]
        names = [move["move"] for move in known] + list(self.match.game.labels.moves) + ["", "win"]
        args = {key: random.choice(JUNK) for move in known[:3] for key in move if key != "move"}
        kept = {key: args[key] for key in args if random.random() < 0.5}
        move = random.choice([random.choice(names), random.choice(JUNK)])
        self.request(seat, "act", {"move": move, **kept}, random.choice([None, 0, self.rig.hand(seat)["number"]]))

    def other_verb(self) -> None:
        seat, random = self.random.choice(self.seats), self.random
        dice = {"say": random.choice(["accept", "again", "hub", "lies", "reread", "stands", "?"])}
        requests: list[tuple[str, dict[str, Any]]] = [
            ("undo", {}),
            ("again", {}),
            ("dice", dice),
            ("name", {"name": random.choice(["Ana", 7])}),
            ("start", {"game": random.choice([self.match.game.name, "chess"])}),
            ("sing", {}),
            ("pause", {}),
            ("wait", {}),
            ("ready", random.choice([{}, {"ready": 1}])),
            ("ask", {"what": random.choice(["end", 1])}),
            ("vote", {"say": random.choice(["no", "wait", "maybe", None])}),
            ("take_up", {"match": random.choice(["m-1", None])}),
            ("free", {"seat": random.choice([1, 9, "2"])}),
            ("hints", random.choice([{"on": True}, {"allow": True}, {"on": False}, {}])),
            ("help", {}),
            ("acknowledge", {"key": random.choice(["help:1", "help:2", "disk", None])}),
        ]
        self.request(seat, *random.choice(requests))

    def roll(self) -> None:
        """The roller types, or a reader sees the dice fall."""
        dice = self.rig.state["dice"]
        if not dice:
            return
        faces = [self.random.randint(1, dice["sides"]) for _ in range(dice["batch"])]
        match self.random.randrange(4):
            case 0:
                self.request(dice["seat"], "roll", {"faces": faces})
                self.request(self.random.choice(self.seats), "dice", {"say": "accept"})
            case 1:
                self.rig.see(self.random.choice(["armed", "rolling", "cocked", "wrong_count", "no_reader"]), *faces[1:])
            case _:
                self.rig.see("settled", *faces)
                self.rig.clock.time += ACCEPT_SECONDS
                self.rig.take(Tick())

    def dispute(self) -> None:
        """Most seats have the last roll read again, and it was another one."""
        if not self.rig.state["dispute"]:
            return
        for seat in self.seats:
            self.request(seat, "dice", {"say": "reread"})
        dice = self.rig.state["dice"]
        if self.rig.state["dispute"] and self.rig.state["dispute"]["stage"] == "reading" and dice:
            self.corrected += 1
            faces = [self.random.randint(1, dice["sides"]) for _ in range(dice["batch"])]
            self.rig.see("settled", *faces)
            self.rig.clock.time += ACCEPT_SECONDS
            self.rig.take(Tick())

    def kept(self) -> None:
        """What was answered ok, and not taken back, is in the log in its order."""
        log = iter((entry.seat, entry.move, entry.args) for entry in self.log())
        assert all(action in log for action in self.acted), "a request that was answered ok is gone"

    # --- boxes ---

    def press(self) -> None:
        box = f"box-{self.random.choice(self.seats)}"
        controls: list[Any] = ["push", "bar", "k1", "k2", "k3", "k6"]
        key = Key(box, self.random.choice(controls), self.random.choice(["down", "down", "down", "hold"]))
        self.rig.take(self.random.choice([key, Turn(box, self.random.choice([-1, 1, 5]))]))
        self.reveal()

    def lock(self) -> None:
        """A box locks a sealed choice, or its owner takes the lock back."""
        rounds = self.rig.boxes.rounds
        if rounds:
            box = self.random.choice(sorted(rounds))
            locked = self.random.random() < 0.85
            self.rig.take(BoxLocked(box, rounds[box].round) if locked else BoxUnlocked(box, rounds[box].round))
            self.reveal()

    def reveal(self) -> None:
        """Boxes that were asked for their value tell it."""
        orders = self.rig.boxes.sent
        asked = [(one[1], one[2]) for one in orders if one[0] == "reveal"]
        orders.clear()
        for box, number in asked:
            sealed = self.rig.boxes.rounds.get(box)
            if sealed and sealed.round == number:
                self.rig.take(BoxBid(box, number, self.random.randint(0, sealed.high)))

    # --- luck ---

    def luck(self) -> None:
        """Time passes, cables come and go, phones sleep and wake."""
        seat, random = self.random.choice(self.seats), self.random
        box, sid = f"box-{seat}", self.rig.sids[seat]
        self.rig.clock.time += random.choice([0.0, 0.5, 1.5, 6.0, 21.0])
        self.rig.take(
            random.choice([Tick(), BoxDown(box, "Unplugged."), BoxUp(box, "b2", "1", 8), PhoneLink(sid, False)])
        )
        self.rig.take(BoxUp(box, "b3", "1", 8))
        self.reveal()

    def step(self) -> None:
        ways: list[Callable[[], None]] = [
            self.offered,
            self.nonsense,
            self.other_verb,
            self.roll,
            self.dispute,
            self.press,
            self.lock,
            self.luck,
        ]
        self.random.choices(ways, weights=[6, 2, 2, 6, 3, 3, 4, 1])[0]()
        self.rig.take(Tick())
        state = self.rig.state
        if not (state["dispute"] and state["dispute"]["stage"] == "reading"):
            assert self.match.log == self.log(), "the table plays what the disk has"
        self.kept()


@pytest.mark.parametrize("seed", range(max(1, int(os.environ.get("LAWS", "6")) // 3)))
@pytest.mark.parametrize("name", games.names())
def test_a_request_is_logged_once_if_it_was_answered_ok_and_else_nothing_changes(name: str, seed: int) -> None:
    evening = Evening(name, Random(f"{seed} {name}"))
    for _ in range(STEPS):
        if evening.match.over or evening.match.fault:
            break
        evening.step()
    assert len(evening.acted) > 3, "a law about nothing proves nothing"
