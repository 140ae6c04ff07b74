"""The wire: strict in both directions."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.errors import HubError
from hub.network import messages
from hub.ports import ClaimDecided
from hub.state import Ack, Hand, PublicState

ACT: dict[str, Any] = {"v": 1, "id": "0123456789abcdef", "n": 12, "epoch": 3, "number": 17, "verb": "act"}
PUBLIC: dict[str, Any] = {
    "table": "1",
    "name": "Table 1",
    "code": "FISH",
    "url": "http://10.42.0.1:8080",
    "epoch": 3,
    "seq": 41,
    "state": "lobby",
    "seats": [{"seat": 1}],
}
HAND: dict[str, Any] = {"epoch": 3, "seq": 41, "seat": 2, "you": {"secret_fish": "carp"}}


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


def test_a_request_becomes_a_signal_of_the_claim_it_came_from() -> None:
    act = messages.read_act(as_json({**ACT, "args": {"move": "bid", "number": 5}}))
    signal = messages.phone_said("claim-7", act)
    assert (signal.sid, signal.id, signal.n, signal.epoch, signal.number) == ("claim-7", ACT["id"], 12, 3, 17)
    assert (signal.verb, signal.args) == ("act", {"move": "bid", "number": 5})


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"seat": 1}, "seat"),
        ({"n": 0}, "n"),
        ({"n": 2**60}, "n"),
        ({"n": "12"}, "n"),
        ({"id": "short"}, "id"),
        ({"id": "0123456789ABCDEF"}, "id"),
        ({"verb": "cheat"}, "cheat"),
        ({"v": 2}, "v"),
        ({"epoch": -1}, "epoch"),
        ({"args": []}, "args"),
    ],
)
def test_a_request_out_of_line_is_refused_with_a_sentence_that_names_the_field(
    change: dict[str, Any], word: str
) -> None:
    with pytest.raises(messages.Malformed) as refused:
        messages.read_act(as_json({**ACT, **change}))
    assert word in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"v":1', b"[" * 4000, b'{"a":' * 800])
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(messages.Malformed):
        messages.read_act(data)


def test_what_is_too_large_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(messages.Malformed, match="larger than 4096 bytes"):
        messages.read_act(b"not even json" * 400)


@given(st.binary(max_size=5000))
def test_whatever_bytes_come_there_is_a_request_or_a_sentence(data: bytes) -> None:
    for read in (messages.read_act, messages.read_claim, messages.read_claim_details):
        with contextlib.suppress(HubError):
            read(data)


def test_nothing_private_can_stand_in_a_public_state() -> None:
    state = msgspec.convert(PUBLIC, PublicState)
    assert json.loads(messages.to_bytes(state))["seats"] == [{"seat": 1}]
    with pytest.raises(msgspec.ValidationError, match="claim_codes"):
        msgspec.convert({**PUBLIC, "claim_codes": {"1": "BCDFGH"}}, PublicState)
    with pytest.raises(msgspec.ValidationError, match="claim_code"):
        msgspec.convert({**PUBLIC, "seats": [{"seat": 1, "claim_code": "BCDFGH"}]}, PublicState)
    with pytest.raises(msgspec.ValidationError, match="you"):
        msgspec.convert({**PUBLIC, "you": {"secret_fish": "carp"}}, PublicState)
    with pytest.raises(msgspec.ValidationError, match="seat_code"):
        msgspec.convert({**PUBLIC, "seats": [{"seat": 1, "seat_code": "7712"}]}, PublicState)
    with pytest.raises(TypeError, match="you"):
        PublicState(**{**PUBLIC, "you": {}})


def test_public_state_and_hand_are_one_line_of_json() -> None:
    event = {"n": 17, "text": "Seat 2\nbids 5.", "rule": "BB-09", "kind": "bid", "data": {"bid": 5}}
    for data in (msgspec.convert({**PUBLIC, "events": [event]}, PublicState), msgspec.convert(HAND, Hand)):
        text = messages.to_bytes(data)
        assert b"\n" not in text
        assert json.loads(text)


def test_an_answer_names_its_request() -> None:
    assert json.loads(messages.to_bytes(Ack(ACT["id"], ok=True, seq=4))) == {
        "re": ACT["id"],
        "ok": True,
        "error": None,
        "code": None,
        "seq": 4,
    }


@pytest.mark.parametrize(
    ("claim", "fits"),
    [
        ({"seat": 2, "code": "BCDFGH", "name": "Ana"}, True),
        ({"seat": 2, "code": None, "name": ""}, True),
        ({"seat": 2}, True),
        ({"seat": 7}, False),
        ({"seat": 2, "code": "BCDFG"}, False),
        ({"seat": 2, "code": 4821}, False),
        ({"seat": 2, "name": "A" * 21}, False),
        ({"seat": 2, "admin": True}, False),
        ({"seat": 2, "earlier": [{"pk": "k" * 43, "proof": "p" * 224}] * 4}, True),
        ({"seat": 2, "earlier": [{"pk": "k" * 43, "proof": "p" * 224}] * 5}, False),
        ({"seat": 2, "earlier": [{"sid": "s1", "password": "a login proves nothing"}]}, False),
    ],
)
def test_a_claim_is_read_strictly(claim: dict[str, Any], fits: bool) -> None:
    if fits:
        assert messages.read_claim_details(as_json(claim)).seat == 2
    else:
        with pytest.raises(messages.Malformed):
            messages.read_claim_details(as_json(claim))


def test_a_claim_becomes_a_signal_with_a_tidy_name() -> None:
    answers: list[ClaimDecided] = []
    details = messages.read_claim_details(as_json({"seat": 2, "name": " A\u202en\u0007a "}))
    asked = messages.claim_asked("c1", b"k" * 32, details, [b"e" * 32], answers.append)
    assert (asked.seat, asked.name, asked.code, asked.phone_key) == (2, "Ana", None, b"k" * 32)
    assert asked.earlier_keys == [b"e" * 32]


def test_topics_belong_to_one_claim_of_one_table() -> None:
    topics = messages.Topics("hub", "1")
    assert topics.act("abc") == "th/1/hub/1/seat/abc/act"
    assert topics.sid_of("th/1/hub/1/seat/abc/act") == "abc"
    assert topics.sid_of("th/1/hub/2/seat/abc/act") is None
    assert topics.sid_of("th/1/hub/1/seat/+/act") is None
    assert set(topics.may_write("abc")) == {"th/1/hub/1/seat/abc/act", "th/1/hub/1/seat/abc/online"}
    assert all("abc" in topic or "/pub/" in topic or topic.endswith("/status") for topic in topics.may_read("abc"))


@pytest.mark.parametrize("word", ["", "a/b", "+", "#", "a b", "$SYS", "x" * 33])
def test_a_hub_cannot_be_called_so_that_its_topics_break(word: str) -> None:
    assert messages.fits_topic("cafe-2")
    assert not messages.fits_topic(word)
