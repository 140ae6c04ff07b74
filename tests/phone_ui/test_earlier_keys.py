"""Phones that come back to a suspended match prove it by the keys that they had, at the real gateway of a real table.

A password proves nothing here: whoever listens on plain http has it from the log-in at the broker.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from hub.network.encryption import HubKey, to_base64
from hub.ports import ClaimRequest, LoginState, PhoneLink
from hub.table.people.endings import NOT_YOURS, STRANGERS
from hub.table.seating.seats import SHOWN_SECONDS
from phone_ui.claims import ClaimRefused, Claims
from tests.phone_ui.rig import Keys
from tests.table.fakes import TableRig

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


@dataclass
class Gateway:
    """The claims of a hub that has one table, with phones that have real keys."""

    rig: TableRig = field(default_factory=lambda: TableRig(boxes=False))
    key: HubKey = field(default_factory=HubKey.generate)
    id: str = "1"

    def __post_init__(self) -> None:
        self.claims = Claims(self.key, "hub", lambda: 0.0)

    def claim(self, asked: ClaimRequest) -> None:
        self.rig.take(asked)

    def login(self, sid: str) -> LoginState:
        return "made" if sid in self.rig.phones.admitted else "unknown"

    def fresh(self) -> Keys:
        return Keys(self.key.public)

    def sit(self, seat: int, phone: Keys, earlier: list[dict[str, str]]) -> None:
        """Claim a seat by its code, as the page does, and connect."""
        self.send(body_of(seat, phone, earlier, self.rig.code(seat)), seat)
        self.connect(seat, phone)

    def send(self, body: bytes, seat: int) -> None:
        """Send the body of a claim; it is granted."""
        name = self.claims.submit(self, body, f"10.0.0.{seat}")
        self.agree(seat)
        reply = self.claims.status(self, name)
        assert reply.state == "held", reply.say

    def agree(self, seat: int) -> None:
        """Push the dial of a free seat, which lets a phone in that asks for it."""
        if self.rig.table._seats.claim_for(seat):
            self.rig.clock.time += SHOWN_SECONDS
            self.rig.press(seat, "push")

    def connect(self, seat: int, phone: Keys) -> None:
        """Use the login, which the phone of that key alone can read."""
        sid = [sid for sid, key in self.rig.phones.keys.items() if key == phone.public][-1]
        self.rig.sids[seat] = sid
        self.rig.take(PhoneLink(sid, True))


def body_of(seat: int, phone: Keys, earlier: list[dict[str, str]], code: str | None = None) -> bytes:
    """The body of a claim as it passes over the Wi-Fi."""
    letter = phone.encrypt({"seat": seat, "code": code, "name": f"Guest {seat}", "earlier": earlier})
    clear = {"seat": seat, "pk": to_base64(phone.public)}
    return json.dumps({**clear, "nonce": to_base64(letter[:24]), "box": to_base64(letter[24:])}).encode()


def proof(of: Keys, claim: Keys, *, table: str = "1", pk: bytes | None = None) -> dict[str, str]:
    """The proof of an earlier key for one claim. `pk`: the key that it says to be of."""
    text = {"pk": to_base64(claim.public), "table": table}
    return {"pk": to_base64(pk or of.public), "proof": to_base64(of.encrypt(text, 128))}


@dataclass
class Suspended:
    """Three phones have suspended a match of hands and left."""

    gateway: Gateway
    phones: dict[int, Keys]
    logins: dict[int, dict[str, str]]
    hands: dict[int, Any]
    match: str

    @property
    def rig(self) -> TableRig:
        return self.gateway.rig

    def resume(self) -> dict[str, Any]:
        return self.rig.say(1, "take_up", {"match": self.match})


@pytest.fixture
def suspended() -> Suspended:
    gateway = Gateway()
    rig = gateway.rig
    phones = {seat: gateway.fresh() for seat in (1, 2, 3)}
    for seat, phone in phones.items():
        gateway.sit(seat, phone, [])
    rig.start()
    hands = {seat: rig.hand(seat)["you"] for seat in phones}
    logins = {seat: {"sid": sid, "password": rig.phones.admitted[sid]} for seat, sid in rig.sids.items()}
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    for seat in phones:
        rig.say_leave(seat)
    return Suspended(gateway, phones, logins, hands, offer["match"])


def test_the_true_phones_resume_their_match_without_a_question(suspended: Suspended) -> None:
    for seat, before in suspended.phones.items():
        now = suspended.gateway.fresh()
        suspended.gateway.sit(seat, now, [proof(before, now)])
    assert suspended.resume()["ok"]
    rig = suspended.rig
    assert (rig.state["state"], rig.state["question"]) == ("playing", None)
    assert {seat: rig.hand(seat)["you"] for seat in suspended.phones} == suspended.hands


def test_a_captured_login_is_no_part_of_a_claim(suspended: Suspended) -> None:
    with pytest.raises(ClaimRefused, match="was not understood"):
        suspended.gateway.sit(1, suspended.gateway.fresh(), [suspended.logins[1]])


@pytest.mark.parametrize("how", ["nothing", "own key", "another claim", "another table", "another hub", "no box"])
def test_a_stranger_who_has_overheard_all_of_it_gets_no_hand(suspended: Suspended, how: str) -> None:
    """Public keys, proofs that were made for other claims, and boxes made with a key of one's own open nothing."""
    gateway = suspended.gateway
    for seat, true in suspended.phones.items():
        thief = gateway.fresh()
        earlier = {
            "nothing": [],
            "own key": [proof(thief, thief, pk=true.public)],
            "another claim": [proof(true, gateway.fresh())],
            "another table": [proof(true, thief, table="2")],
            "another hub": [proof(Keys(HubKey.generate().public), thief, pk=true.public)],
            "no box": [{"pk": to_base64(true.public), "proof": "A" * 200}],
        }[how]
        gateway.sit(seat, thief, earlier)
    assert suspended.resume()["error"] == NOT_YOURS
    assert suspended.rig.state["state"] == "lobby"
    assert not any(suspended.rig.hand(seat).get("you") for seat in suspended.phones)


def test_what_the_hub_and_a_phone_said_before_is_no_proof(suspended: Suspended) -> None:
    """Anything else that the earlier key has encrypted: a request of its own, or an answer of the hub, recorded and sent again."""
    gateway, true = suspended.gateway, suspended.phones[1]
    for text in (
        {"v": 1, "verb": "ready", "pk": "", "table": "1"},
        {"re": "1", "ok": True, "error": None},
        ["pk", "table"],
    ):
        thief = gateway.fresh()
        if isinstance(text, dict) and "pk" in text:
            text["pk"] = to_base64(thief.public)
        gateway.sit(1, thief, [{"pk": to_base64(true.public), "proof": to_base64(true.encrypt(text, 128))}])
        assert not gateway.rig.table._seats[1].earlier_persons
        gateway.rig.say_leave(1)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("again", ["recorded", "true"])
def test_a_claim_that_was_recorded_and_sent_again_proves_nothing(again: str, restart: bool) -> None:
    """One guest of a suspended match sends the claims of the others again, and presses their boxes.

    The claims are genuine, with the proofs in them; what a recording cannot do is read the login and connect.
    """
    gateway = Gateway(TableRig())
    rig = gateway.rig
    rig.boxes_up()
    phones = {seat: gateway.fresh() for seat in (1, 2, 3)}
    claims = {seat: body_of(seat, phone, []) for seat, phone in phones.items()}
    for seat, phone in phones.items():
        gateway.send(claims[seat], seat)
        gateway.connect(seat, phone)
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    for seat in phones:
        rig.say_leave(seat)

    thief = gateway.fresh()
    gateway.sit(1, thief, [proof(phones[1], thief)])
    for seat in (2, 3):
        gateway.send(claims[seat], seat)
        rig.press(seat, "push")
        if again == "true":
            gateway.connect(seat, phones[seat])
    if restart:
        later = TableRig(store=rig.store)
        later.sids = rig.sids
        later.boxes_up()
        later.take(PhoneLink(rig.sids[1], True))
        rig = later
    answer = rig.say(1, "take_up", {"match": offer["match"]})
    if again == "true":
        assert rig.state["state"] == "playing"
    else:
        assert answer["error"] == STRANGERS
        assert rig.state["state"] == "lobby"


def test_four_proofs_fit_in_one_claim(suspended: Suspended) -> None:
    gateway = suspended.gateway
    now, others = gateway.fresh(), [gateway.fresh() for _ in range(3)]
    gateway.sit(1, now, [proof(one, now) for one in (*others, suspended.phones[1])])
    assert len(gateway.rig.table._seats[1].earlier_persons) == 4
