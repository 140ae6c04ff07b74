"""What listens on the way to a phone sees lengths and times: a law, for every game, that they tell nothing of what is inside.

A table with the real messages, encryption and padding; only the broker is a list.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from types import FrameType
from typing import Any

import pytest

from hub import games
from hub.authoring.players import offers
from hub.engine.decision import Amount, Choose, Faces, Fixed, OneOf, Order
from hub.network.encryption import HubKey
from hub.network.messages import HAND_SIZE, NOTE_SIZE
from hub.ports import PhoneRequest
from hub.state import Ack, Hand, PublicState
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.phone_ui.rig import FakeBroker, Keys, hand
from tests.table import fakes
from tests.table.test_requests_law import Evening

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

OVERHEAD = 24 + 16  # the nonce and the box's own bytes


class RealMessages(fakes.FakePhones):
    """What phones are told, kept as plain text and, as it leaves the hub, encrypted; each claim has a real key."""

    def __init__(self, order: list[str]) -> None:
        super().__init__(order)
        self.broker, self.key = FakeBroker(), HubKey.generate()
        self.link = PhonesOverMqtt(self.broker, self.key, "hub", "1", lambda _: None)
        self.phone = Keys(self.key.public)

    def show_public(self, state: PublicState) -> None:
        super().show_public(state)
        self.link.show_public(state)

    def show_hands(self, hands: Mapping[str, Hand], blocks: int = 1) -> None:
        super().show_hands(hands, blocks)
        self.link.show_hands(hands, blocks)

    def answer(self, sid: str, answer: Ack) -> None:
        super().answer(sid, answer)
        self.link.answer(sid, answer)

    def admit(self, sid: str, password: str, phone_key: bytes) -> None:
        super().admit(sid, password, phone_key)
        self.link.admit(sid, password, self.phone.public)

    def lengths(self, topic: str) -> set[int]:
        return {len(payload) for where, payload, _ in self.broker.published if where.endswith(f"/{topic}")}


@pytest.fixture
def real_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fakes, "FakePhones", RealMessages)


def sent(evening: Evening) -> RealMessages:
    phones = evening.rig.phones
    assert isinstance(phones, RealMessages)
    return phones


@pytest.mark.slow
@pytest.mark.usefixtures("real_messages")
@pytest.mark.parametrize("seed", range(1))
@pytest.mark.parametrize("name", games.names())
def test_all_hands_of_a_match_have_one_length_and_all_answers_another(name: str, seed: int) -> None:
    evening = Evening(name, Random(f"{name} {seed}"))
    sent(evening).broker.published.clear()  # hands of the lobby have a length of their own
    for _ in range(60):
        if evening.match.over or evening.match.fault:
            break
        evening.step()
        if evening.match.open and not evening.match.open.by_chance:
            assert max(map(longest_request, offers(evening.match)), default=0) < NOTE_SIZE, "a request is one block"
    blocks = evening.match.game.hand_blocks(evening.match.setup.options)
    assert sent(evening).lengths("hand") == {blocks * HAND_SIZE + OVERHEAD}
    assert sent(evening).lengths("ack") == {NOTE_SIZE + OVERHEAD}


def longest_request(offered: tuple[int, Any]) -> int:
    """Return the bytes of the longest request that takes an offer, as the page writes it."""
    _, move = offered
    args: dict[str, Any] = {}
    for name, param in move.params.items():
        match param:
            case Choose(values, _, most):
                args[name] = sorted(values, key=lambda value: -len(json.dumps(value)))[:most]
            case Order(values):
                args[name] = list(values)
            case Faces(count, sides):
                args[name] = [sides] * count
            case OneOf(values):
                args[name] = max(values, key=lambda value: len(json.dumps(value)))
            case Amount(least, most, _):
                args[name] = least if len(f"{least}") > len(f"{most}") else most
            case Fixed(only):
                args[name] = only
    big = 2**53 - 1
    request = {
        "v": 1, "id": "f" * 16, "n": big, "epoch": big, "verb": "act", "number": big, "args": {"move": move.name, **args}
    }  # fmt: skip
    return len(json.dumps(request, separators=(",", ":"), ensure_ascii=False).encode())


def test_cards_of_an_owner_that_make_a_hand_too_long_make_all_hands_longer_for_the_rest_of_the_match() -> None:
    broker, key = FakeBroker(), HubKey.generate()
    link, phone = PhonesOverMqtt(broker, key, "hub", "1", lambda _: None), Keys(key.public)
    for sid in ("ana", "ben"):
        link.admit(sid, "secret-password", phone.public)
    broker.published.clear()

    def show(cards: int, match: str) -> list[int]:
        long = hand(1, match=match, you={"cards": ["a very long name of a card"] * cards})
        link.show_hands({"ana": long, "ben": hand(1, match=match)}, 1)
        found = [(len(payload) - OVERHEAD) // HAND_SIZE for _, payload, _ in broker.published]
        broker.published.clear()
        return found

    assert show(1, "m-1") == [1, 1]
    assert show(100, "m-1") == [2, 2], "it does not show whose hand it is"
    assert show(1, "m-1") == [2, 2], "nor when it is gone"
    assert show(1, "m-2") == [1, 1]


# --- time ----------------------------------------------------------------------------------------------


@contextmanager
def work() -> Iterator[list[str]]:
    """Tell every Python function that is called inside, in order: what time is spent on, without a clock."""
    called: list[str] = []

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call" and frame.f_code.co_name != "_same":  # compares one value of a list, in 50 ns
            called.append(frame.f_code.co_qualname)

    gc.disable()  # what it collects, and whom that calls, has nothing to do with the value
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        gc.enable()


def locks(name: str, seed: int, which: int) -> tuple[list[str], list[tuple[str, int]]] | None:
    """Play to a sealed choice, let one of several seats lock a value; return what the hub did and sent for it."""
    evening = Evening(name, Random(f"{name} {seed}"))
    for _ in range(40):
        decision = evening.match.open
        if decision and decision.kind == "sealed" and len(decision.asked) > len(decision.answers) + 1:
            break
        if evening.match.over:
            return None
        evening.step()
    else:
        return None
    seat = next(seat for seat in decision.asked if seat not in decision.answers)
    values = choices(decision.asked[seat])
    if len(values) < 2:
        return None
    move, args = values[0 if which == 0 else -1]
    sid, phones = evening.rig.sids[seat], sent(evening)
    request = PhoneRequest(sid, "a" * 16, 1, evening.rig.state["epoch"], decision.number, "act", {"move": move, **args})
    phones.broker.published.clear()
    with work() as called:
        evening.rig.take(request)
    assert phones.answers[sid][-1]["ok"]
    return called, [(topic.rpartition("/")[2], len(payload)) for topic, payload, _ in phones.broker.published]


def choices(moves: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return ways to take the first move that leaves a choice of one value: the first and the last."""
    for move in moves:
        match list(move.params.items()):
            case [(name, OneOf(values))] if len(values) > 1:
                return [(move.name, {name: value}) for value in (values[0], values[-1])]
            case [(name, Amount(least, most, step))] if most > least:
                return [(move.name, {name: least}), (move.name, {name: most - (most - least) % step})]
    return []


@pytest.mark.slow
@pytest.mark.usefixtures("real_messages")
def test_locking_a_sealed_choice_is_the_same_work_and_sends_the_same_lengths_whatever_was_chosen() -> None:
    compared = set()
    for name in games.names():
        for seed in range(2):
            one, two = locks(name, seed, 0), locks(name, seed, 1)
            if one and two:
                assert one[1] == two[1]
                assert one[0] == two[0]
                assert len(one[0]) > 100
                compared.add(name)
    assert len(compared) >= 3, compared
