"""The phones' port: what the table tells goes out encrypted, what comes in is decrypted, counted, or refused."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from hub.network.encryption import HubKey
from hub.ports import PhoneGarbled, PhoneLink, PhoneRequest
from hub.state import Ack
from phone_ui.mqtt_phones import MAX_GARBLED, MAX_UNANSWERED, PhonesOverMqtt
from tests.phone_ui.rig import STATE, FakeBroker, Keys, act, hand

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


class Table:
    """A link with one claim, and what its table heard."""

    def __init__(self) -> None:
        self.key = HubKey.generate()
        self.broker = FakeBroker()
        self.heard: list[Any] = []
        self.now = 1000.0
        self.link = PhonesOverMqtt(self.broker, self.key, "hub", "1", self.heard.append, clock=lambda: self.now)
        self.phone = Keys(self.key.public)
        self.link.admit("ana", "secret-password", self.phone.public)

    def comes(self, payload: bytes, *, sid: str = "ana", retained: bool = False) -> None:
        self.broker.heard["act"](f"th/1/hub/1/seat/{sid}/act", payload, retained)

    def asks(self, request: dict[str, Any]) -> None:
        self.comes(self.phone.encrypt(request))

    def answers(self) -> list[dict[str, Any]]:
        return [self.phone.decrypt(letter) for topic, letter, _ in self.broker.published if topic.endswith("/ack")]


@pytest.fixture
def table() -> Table:
    return Table()


def test_the_broker_has_a_login_for_each_free_seat_and_guests_wait_for_none(table: Table) -> None:
    assert table.link.spare() is None, "nobody has asked for spare ones"
    table.link.keep_spares(3)
    asked, spares = list(table.broker.log), []
    assert asked[0] == "admit ana"
    for _ in range(2):
        spare = table.link.spare()
        assert spare
        assert spare == table.link.spare(), "it is a spare one until somebody has it"
        assert table.link.login(spare[0]) == "unknown", "and nobody's"
        table.link.admit(*spare, table.phone.public)
        assert table.link.login(spare[0]) == "made"
        spares.append(spare[0])
    assert table.broker.log == asked == ["admit ana", *(f"admit {sid}" for sid in spares)]
    assert table.link.spare() is None, "all three seats are taken"
    table.link.admit("ben", "of his own", table.phone.public)
    assert table.broker.log[-1] == "admit ben"


def test_a_seat_that_becomes_free_has_another_spare_login_and_one_too_many_has_none(table: Table) -> None:
    table.link.keep_spares(1)
    table.link.admit("ben", "with another phone", table.phone.public)
    table.link.release("ana")
    assert table.link.spare() is None, "the seat is Ben's"
    table.link.release("ben")
    assert table.link.spare()
    assert [line.partition(" ")[0] for line in table.broker.log if "publish" not in line] == [
        "admit", "admit", "release", "release", "admit",
    ]  # fmt: skip


def test_a_login_with_the_name_of_a_spare_one_and_another_password_is_made(table: Table) -> None:
    table.link.keep_spares(2)
    spare = table.link.spare()
    assert spare
    table.link.admit(spare[0], "another", table.phone.public)
    assert table.broker.log[-1] == f"admit {spare[0]}"
    assert len(table.broker.log) == 3


def test_a_hand_is_encrypted_retained_and_of_one_size(table: Table) -> None:
    table.link.show_hands({"ana": hand(1, you={"secret_fish": "carp"})})
    table.link.show_hands({"ana": hand(2, you={"secret_fish": "carp", "fish": ["perch"] * 100}, want="Bid.")})
    (topic, small, kept), (_, large, _) = table.broker.published
    assert topic == "th/1/hub/1/seat/ana/hand"
    assert kept
    assert len(small) == len(large)
    assert b"carp" not in small
    assert table.phone.decrypt(small)["you"] == {"secret_fish": "carp"}


def test_public_state_goes_to_the_broker_and_to_pages_alike(table: Table) -> None:
    table.link.show_public(STATE)
    assert table.broker.published == [("th/1/hub/1/pub/state", table.link.public.get()[1], True)]


def test_answers_have_one_size_whatever_they_say(table: Table) -> None:
    table.link.answer("ana", Ack("0" * 16, ok=True))
    table.link.answer("ana", Ack("1" * 16, ok=False, error="You have no bait left. " * 5, code="BB-X01"))
    assert len({len(letter) for _, letter, _ in table.broker.published}) == 1
    assert not any(kept for _, _, kept in table.broker.published)


def test_a_request_reaches_the_table(table: Table) -> None:
    table.asks(act(1, verb="act", args={"move": "fail"}))
    assert isinstance(table.heard[0], PhoneRequest)
    assert table.heard[0].args == {"move": "fail"}


def test_a_phone_that_a_table_admits_again_keeps_its_answers_and_is_refused_what_was_not_answered(table: Table) -> None:
    answered, lost = act(1), act(2)
    table.asks(answered)
    table.link.answer("ana", Ack(answered["id"], ok=True, seq=9))
    table.asks(lost)
    table.link.admit("ana", "secret-password", table.phone.public)  # the table has started again
    table.asks(answered)
    table.asks(lost)
    table.asks(lost)
    assert [(one["re"], one["ok"]) for one in table.answers()] == [
        (answered["id"], True),
        (answered["id"], True),
        (lost["id"], False),
        (lost["id"], False),
    ]
    table.asks(act(3))
    assert [signal.n for signal in table.heard if isinstance(signal, PhoneRequest)] == [1, 2, 3]
    other = Keys(table.key.public)
    table.link.admit("ana", "secret-password", other.public)
    table.comes(other.encrypt(act(1)))
    assert len([signal for signal in table.heard if isinstance(signal, PhoneRequest)]) == 4, (
        "another key is another phone"
    )


def test_a_request_that_comes_twice_is_done_once_and_answered_twice(table: Table) -> None:
    request = act(1)
    letter = table.phone.encrypt(request)
    table.comes(letter)
    table.comes(letter)  # the phone asks again before the table has answered
    assert table.answers() == []
    table.link.answer("ana", Ack(request["id"], ok=True, seq=9))
    table.comes(letter)
    assert [answer["re"] for answer in table.answers()] == [request["id"]] * 2
    assert len(table.heard) == 1


def test_an_old_request_played_again_is_refused(table: Table) -> None:
    old = table.phone.encrypt(act(1))
    for n in range(2, 40):
        request = act(n)
        table.asks(request)
        table.link.answer("ana", Ack(request["id"], ok=True))
    table.heard.clear()
    table.comes(old)
    assert [type(signal) for signal in table.heard] == [PhoneGarbled]
    assert table.answers()[-1]["ok"] is False


def test_more_requests_than_anybody_presses_cost_nothing_and_come_again(table: Table) -> None:
    table.link.admit("ben", "secret-password", (ben := Keys(table.key.public)).public)
    requests = [act(n) for n in range(1, 1001)]
    letters = [ben.encrypt(request) for request in requests]
    for letter in letters:
        table.comes(letter, sid="ben")
        table.link.answer("ben", Ack(table.heard[-1].id, ok=True))
    assert len(table.heard) == 40
    table.asks(act(1))
    assert table.heard[-1].sid == "ana", "another phone's requests are its own"
    table.now += 1.0
    table.comes(letters[-1], sid="ben")
    assert table.heard[-1].id == requests[-1]["id"], "the phone asks again by itself"


def test_only_so_many_requests_of_a_phone_wait_and_what_was_dropped_is_taken_when_it_comes_again(table: Table) -> None:
    requests = [act(n) for n in range(1, 2 * MAX_UNANSWERED + 1)]
    letters = [table.phone.encrypt(request) for request in requests]
    for letter in letters:
        table.comes(letter)
    assert [said.id for said in table.heard] == [request["id"] for request in requests[:MAX_UNANSWERED]]
    table.link.answer("ana", Ack(requests[0]["id"], ok=True))
    table.comes(letters[MAX_UNANSWERED])
    assert table.heard[-1].id == requests[MAX_UNANSWERED]["id"]


def test_the_same_number_with_another_id_is_refused(table: Table) -> None:
    table.asks(act(5))
    table.asks(act(5))
    assert [type(signal) for signal in table.heard] == [PhoneRequest, PhoneGarbled]


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (b"", "cannot be decrypted"),
        (b"\0" * 100, "cannot be decrypted"),
        (b"{}" * 300, "cannot be decrypted"),
        (b"x" * 4097, "larger than 4096 bytes"),
    ],
)
def test_garbage_is_one_sentence(table: Table, payload: bytes, sentence: str) -> None:
    table.comes(payload)
    assert isinstance(table.heard[0], PhoneGarbled)
    assert sentence in table.heard[0].sentence


def test_an_encrypted_request_that_makes_no_sense_is_one_sentence(table: Table) -> None:
    requests: list[Any] = [[], {"v": 1}, {**act(1), "seat": 2}, {**act(1), "verb": "win"}]
    for request in requests:
        table.asks(request)
    assert [type(signal) for signal in table.heard] == [PhoneGarbled] * 4


def test_a_letter_of_another_phone_does_not_open(table: Table) -> None:
    other = Keys(table.key.public)
    table.link.admit("ben", "b", other.public)
    table.comes(other.encrypt(act(1)), sid="ana")
    assert isinstance(table.heard[0], PhoneGarbled)
    table.comes(other.encrypt(act(1)), sid="ben")
    assert table.heard[1].sid == "ben"


def test_a_babbling_phone_does_not_fill_the_inbox_and_may_still_come_to_its_senses(table: Table) -> None:
    for _ in range(500):
        table.comes(b"babble")
    assert len(table.heard) == MAX_GARBLED
    table.now += 1.0
    table.asks(act(1))
    table.comes(b"babble")
    assert [type(signal) for signal in table.heard[-2:]] == [PhoneRequest, PhoneGarbled]


def test_a_retained_request_is_wiped_and_not_used(table: Table) -> None:
    table.comes(table.phone.encrypt(act(1)), retained=True)
    assert isinstance(table.heard[0], PhoneGarbled)
    assert table.broker.published == [("th/1/hub/1/seat/ana/act", b"", True)]


def test_an_unknown_claim_is_not_heard(table: Table) -> None:
    table.comes(table.phone.encrypt(act(1)), sid="nobody")
    table.broker.heard["online"]("th/1/hub/1/seat/nobody/online", b"1", True)
    assert table.heard == []


def test_a_phone_comes_and_goes(table: Table) -> None:
    table.broker.heard["online"]("th/1/hub/1/seat/ana/online", b'{"session":"x"}', True)
    table.broker.heard["online"]("th/1/hub/1/seat/ana/online", b"", False)
    assert table.heard == [PhoneLink("ana", on=True), PhoneLink("ana", on=False)]


def test_release_ends_the_login_before_the_hand_is_wiped_and_nothing_follows(table: Table) -> None:
    table.link.show_hands({"ana": hand(1)})
    table.broker.log.clear()
    table.link.release("ana")
    table.link.show_hands({"ana": hand(2)})
    table.link.answer("ana", Ack("0" * 16, ok=True))
    table.link.release("ana")
    assert table.broker.log == ["release ana", "publish hand", "publish online", "publish act"]


def test_neither_hands_nor_passwords_are_logged(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        table.link.show_hands({"ana": hand(1, you={"secret_fish": "carp"})})
        table.asks(act(1, verb="act", args={"move": "bid", "number": 5}))
        table.comes(b"garbage")
        table.link.release("ana")
    assert "carp" not in caplog.text
    assert "bid" not in caplog.text
    assert "secret-password" not in caplog.text
