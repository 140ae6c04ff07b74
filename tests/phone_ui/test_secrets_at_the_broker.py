"""The broker contract: what each phone may, and what an attacker may not.

The same tests run against the hub's own mosquitto and against a venue's; the phones go the whole way of
a real one, through the web port.
"""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from nacl.exceptions import CryptoError

from hub.config import BrokerPart
from hub.network.mosquitto import PLUGIN, PLUGIN_FOLDERS, USER, first_logins
from hub.ports import PhoneGarbled, PhoneLink, PhoneRequest
from hub.state import Ack
from tests.free_port import free_port
from tests.patience import PATIENCE
from tests.phone_ui.rig import STATE, Keys, Phone, Rig, act, hand, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.broker


def venue_broker(folder: Path) -> tuple[subprocess.Popen[bytes], BrokerPart]:
    """A mosquitto as a venue runs it: on a port, without any of the hub's own settings but the plugin."""
    plugin = next(file for place in PLUGIN_FOLDERS if (file := Path(place, PLUGIN)).exists())
    port = free_port()
    logins = first_logins("venue's own")
    assert isinstance(logins["defaultACLAccess"], dict)
    logins["defaultACLAccess"]["publishClientReceive"] = True  # the plugin's own default
    (folder / "logins.json").write_text(json.dumps(logins))
    (folder / "password").write_text("venue's own\n")
    (folder / "venue.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\nplugin {plugin}\n"
        "plugin_opt_config_file logins.json\nuser root\nlog_dest none\n"
    )
    child = subprocess.Popen(["/usr/sbin/mosquitto", "-c", "venue.conf"], cwd=folder, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    until(answers, "the venue's broker")
    return child, BrokerPart(url=f"mqtt://127.0.0.1:{port}", user=USER, password_file=str(folder / "password"))


@pytest.fixture(scope="module", params=["own", "venue"])
def rig(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp(request.param)
    child, part = venue_broker(folder) if request.param == "venue" else (None, BrokerPart())
    made = Rig(folder, part)
    made.table.login_of = lambda _sid: "made"  # the gateway holds nobody back: what is tried here is the broker ...
    made.table.direct_of = lambda _sid, _wire: (
        None
    )  # ... which all goes through (`test_direct.py` tries the direct path)
    yield made
    made.close()
    if child is not None:
        child.terminate()
        child.wait(5)


@pytest.fixture(autouse=True)
def nothing_left(rig: Rig) -> None:
    while not rig.heard.empty():
        rig.heard.get()


def fence(rig: Rig) -> PhoneRequest:
    """A true request of an honest phone; whatever the hub heard before it was heard first."""
    honest = rig.seat()
    with rig.phone(honest) as phone:
        assert phone.dial()
        phone.publish(rig.topics.act(honest.sid), honest.keys.encrypt(act(1)))
        said = rig.heard.get(timeout=PATIENCE)
        while isinstance(said, PhoneLink):
            said = rig.heard.get(timeout=PATIENCE)
        assert isinstance(said, PhoneRequest), said
        assert said.sid == honest.sid
    return said


def told_all(rig: Rig, phone: Phone) -> list[tuple[str, bytes]]:
    """All messages that reached the phone so far: a public state closes the list."""
    assert phone.subscribe(rig.topics.state)
    rig.broker.publish(rig.topics.state, b"fence", retain=True)
    came = phone.messages_until(b"fence")
    return [(topic, payload) for topic, payload in came if topic != rig.topics.state]


# --- What a phone gets ------------------------------------------------------------------------------


def test_a_phone_that_comes_late_sees_its_hand_at_once(rig: Rig) -> None:
    seat = rig.seat()
    rig.link.show_hands({seat.sid: hand(7, you={"secret_fish": "carp"})})
    fence(rig)  # the broker has it
    with rig.phone(seat) as phone:
        assert phone.dial()
        assert phone.subscribe(rig.topics.hand(seat.sid))
        _, letter, retained = phone.message()
        assert retained
        assert seat.keys.decrypt(letter)["you"] == {"secret_fish": "carp"}


def test_a_request_is_heard_and_answered_encrypted(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as phone:
        assert phone.dial()
        assert phone.subscribe(rig.topics.ack(seat.sid))
        asked = act(1, verb="act", args={"move": "bid", "number": 5}, number=17)
        phone.publish(rig.topics.act(seat.sid), seat.keys.encrypt(asked))
        said = rig.next_heard(PhoneRequest)
        assert (said.sid, said.args, said.number) == (seat.sid, {"move": "bid", "number": 5}, 17)
        rig.link.answer(seat.sid, Ack(asked["id"], ok=True, seq=8))
        letter = phone.message()[1]
        assert seat.keys.decrypt(letter)["re"] == asked["id"]


def test_every_phone_and_program_may_read_the_public_state(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as phone:
        assert phone.dial()
        assert phone.subscribe(rig.topics.state)
        rig.link.show_public(replace(STATE, seq=99))
        while True:
            topic, payload, _ = phone.message()
            if topic == rig.topics.state and b'"seq":99' in payload:
                break


def test_the_hub_says_that_it_is_there(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as phone:
        assert phone.dial()
        assert phone.subscribe("th/1/hub/status")
        assert json.loads(phone.message()[1])["state"] == "online"


def test_the_table_hears_a_phone_come_and_vanish(rig: Rig) -> None:
    seat = rig.seat()
    phone = rig.phone(seat)
    phone.client.will_set(rig.topics.online(seat.sid), b"", qos=1, retain=True)
    with phone:
        assert phone.dial()
        phone.publish(rig.topics.online(seat.sid), b'{"session":"a"}', retain=True)
        assert rig.next_heard(PhoneLink) == PhoneLink(seat.sid, on=True)
        phone.vanish()
        assert rig.next_heard(PhoneLink) == PhoneLink(seat.sid, on=False)


def test_a_device_with_a_persistent_session_misses_nothing(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat, clean=False) as phone:
        assert phone.dial()
        assert phone.subscribe(rig.topics.ack(seat.sid))
    rig.link.answer(seat.sid, Ack("0" * 16, ok=True))
    fence(rig)
    with rig.phone(seat, clean=False) as phone:
        assert phone.dial()
        assert seat.keys.decrypt(phone.message()[1])["re"] == "0" * 16


def test_the_same_phone_again_closes_its_old_connection(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as old, rig.phone(seat) as new:
        assert old.dial()
        assert new.dial()
        old.expect("closed")
        assert new.subscribe(rig.topics.hand(seat.sid))


@pytest.mark.parametrize("pattern", ["pub/#", "pub/+", "pub/other", "seat/{own}/#", "seat/{own}/+", "seat/{own}/act"])
def test_a_phone_subscribes_to_its_topics_one_by_one_and_to_nothing_else(rig: Rig, pattern: str) -> None:
    """Else it could subscribe to topics without end, and the broker would keep each."""
    seat = rig.seat()
    with rig.phone(seat) as phone:
        assert phone.dial()
        assert not phone.subscribe(f"{rig.topics.root}/{pattern.format(own=seat.sid)}")
        assert all(phone.subscribe(topic) for topic in rig.topics.may_read(seat.sid))


# --- What a phone does not get -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pattern",
    [
        "th/1/hub/1/seat/{victim}/hand",
        "th/1/hub/1/seat/{victim}/ack",
        "th/1/hub/1/seat/+/hand",
        "th/1/hub/1/seat/#",
        "th/1/#",
        "#",
        "+/+/+/+/+/+/+",
        "$share/g/th/1/hub/1/seat/{victim}/hand",
        "$share/g/th/1/#",
        "th/1/hub/2/pub/#",
        "$CONTROL/#",
        "$SYS/#",
    ],
)
def test_no_phone_hears_what_is_not_its_own(rig: Rig, pattern: str) -> None:
    victim, spy = rig.seat(), rig.seat()
    rig.link.show_hands({victim.sid: hand(1, you={"secret_fish": "carp"})})
    with rig.phone(spy) as phone:
        assert phone.dial()
        phone.subscribe(pattern.format(victim=victim.sid))
        rig.link.show_hands({victim.sid: hand(2, you={"secret_fish": "pike"})})
        rig.link.answer(victim.sid, Ack("0" * 16, ok=True))
        fence(rig)
        assert told_all(rig, phone) == []


def test_a_connection_alone_brings_no_hand_of_another(rig: Rig) -> None:
    victim, spy = rig.seat(), rig.seat()
    rig.link.show_hands({victim.sid: hand(1)})
    with rig.phone(spy) as phone:
        assert phone.dial()
        assert told_all(rig, phone) == []


def test_no_phone_can_act_for_another_seat(rig: Rig) -> None:
    victim, thief = rig.seat(), rig.seat()
    with rig.phone(thief) as phone:
        assert phone.dial()
        for letter in (thief.keys.encrypt(act(1)), victim.keys.encrypt(act(1))):
            phone.publish(rig.topics.act(victim.sid), letter)
        phone.publish(rig.topics.online(victim.sid), b"", retain=True)
    fence(rig)


def test_no_phone_can_act_for_another_seat_by_its_last_will(rig: Rig) -> None:
    victim, thief = rig.seat(), rig.seat()
    for topic, letter in (
        (rig.topics.act(victim.sid), victim.keys.encrypt(act(1))),
        (rig.topics.online(victim.sid), b"gone"),
    ):
        phone, again = rig.phone(thief), rig.phone(thief)
        phone.client.will_set(topic, letter, qos=1, retain=True)
        with phone, again:
            if phone.dial():
                phone.vanish()
            again.dial()  # the broker tells the old will before it lets the same phone in again
    fence(rig)


def test_no_phone_can_forge_a_hand_or_the_public_state(rig: Rig) -> None:
    victim, forger = rig.seat(), rig.seat()
    rig.link.show_hands({victim.sid: hand(1)})
    with rig.phone(forger) as phone, rig.phone(victim) as other:
        assert phone.dial()
        assert other.dial()
        assert other.subscribe(rig.topics.hand(victim.sid))
        assert victim.keys.decrypt(other.message()[1])["seq"] == 1
        assert other.subscribe("th/1/hub/status")
        assert other.message()[0] == "th/1/hub/status"
        for topic in (rig.topics.hand(victim.sid), rig.topics.state, "th/1/hub/status"):
            phone.publish(topic, b"forged", retain=True)
        assert told_all(rig, other) == []


def test_a_wrong_password_kicks_nobody(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as phone, rig.phone(seat, password="guessed") as liar:
        assert phone.dial()
        assert not liar.dial()
        assert phone.subscribe(rig.topics.hand(seat.sid))
        assert told_all(rig, phone) == []
        assert phone.events.empty()


def test_who_has_captured_a_login_throws_its_phone_off_and_can_do_nothing_else(rig: Rig) -> None:
    seat, other = rig.seat(), rig.seat()
    rig.link.show_hands({seat.sid: hand(1)})
    captured = seat.keys.encrypt(act(1))
    with rig.phone(seat) as phone, rig.phone(seat) as thief:
        assert phone.dial()
        phone.publish(rig.topics.act(seat.sid), captured)
        assert rig.next_heard(PhoneRequest).n == 1
        assert thief.dial()
        phone.expect("closed")
        thief.publish(rig.topics.act(seat.sid), captured)  # again: it is not done twice
        thief.publish(rig.topics.act(seat.sid), Keys(rig.key.public).encrypt(act(2)))
        assert isinstance(rig.next_heard(PhoneGarbled), PhoneGarbled)
        assert thief.subscribe(rig.topics.hand(seat.sid))
        letter = thief.message()[1]
        with pytest.raises(CryptoError):
            Keys(rig.key.public).decrypt(letter)
        assert not thief.subscribe(rig.topics.hand(other.sid))
    with rig.phone(seat) as phone:  # and it comes back
        assert phone.dial()
        phone.publish(rig.topics.act(seat.sid), seat.keys.encrypt(act(3)))
        assert rig.next_heard(PhoneRequest).n == 3


def test_an_own_login_with_anothers_client_id_takes_nothing_over(rig: Rig) -> None:
    victim, thief = rig.seat(), rig.seat()
    with rig.phone(victim) as phone, rig.phone(thief, client=victim.sid) as liar:
        assert phone.dial()
        assert phone.subscribe(rig.topics.ack(victim.sid))
        if liar.dial():
            liar.subscribe(rig.topics.ack(victim.sid))
            rig.link.answer(victim.sid, Ack("0" * 16, ok=True))
            fence(rig)
            assert told_all(rig, liar) == []
        else:
            rig.link.answer(victim.sid, Ack("0" * 16, ok=True))
        assert victim.keys.decrypt(phone.message()[1])["re"] == "0" * 16
        assert phone.events.empty()


def test_no_phone_can_make_itself_a_login(rig: Rig) -> None:
    thief = rig.seat()
    command = {"command": "createClient", "username": "evil", "password": "evil", "roles": [{"rolename": USER}]}
    with rig.phone(thief) as phone, Phone(rig.port, "evil", "evil", "evil") as evil:
        assert phone.dial()
        phone.publish("$CONTROL/dynamic-security/v1", json.dumps({"commands": [command]}).encode())
        assert not evil.dial()


def test_nobody_comes_in_without_a_login(rig: Rig) -> None:
    with Phone(rig.port, "", "", "") as nobody:
        assert not nobody.dial()


def test_a_retained_request_is_not_used_and_is_wiped(rig: Rig) -> None:
    seat = rig.seat()
    with rig.phone(seat) as phone:
        assert phone.dial()
        phone.publish(rig.topics.act(seat.sid), seat.keys.encrypt(act(1)), retain=True)
        assert "retained" in rig.next_heard(PhoneGarbled).sentence
        phone.publish(rig.topics.act(seat.sid), seat.keys.encrypt(act(1)))
        assert rig.next_heard(PhoneRequest).n == 1


# --- Release -----------------------------------------------------------------------------------------------


def test_a_phone_that_leaves_is_answered_before_its_login_ends(rig: Rig) -> None:
    for number in range(10):
        seat = rig.seat()
        with rig.phone(seat) as phone:
            assert phone.dial()
            assert phone.subscribe(rig.topics.ack(seat.sid))
            rig.link.answer(seat.sid, Ack(f"{number:016x}", ok=True))
            rig.link.release(seat.sid)
            topic, payload, _ = phone.message()
            assert topic == rig.topics.ack(seat.sid)
            assert seat.keys.decrypt(payload)["re"] == f"{number:016x}"
            phone.expect("closed")


def test_a_released_seat_drops_its_phone_and_its_hand_is_gone(rig: Rig) -> None:
    seat = rig.seat()
    rig.link.show_hands({seat.sid: hand(1)})
    with rig.phone(seat) as phone, rig.phone(seat) as again:
        assert phone.dial()
        assert phone.subscribe(rig.topics.hand(seat.sid))
        rig.link.release(seat.sid)
        phone.expect("closed")
        assert not again.dial()
    rig.link.show_hands({seat.sid: hand(2)})  # the table may be late: nothing of it is sent
    # Whoever would get the same name again finds nothing there.
    rig.link.admit(seat.sid, "new", seat.keys.public)
    until(lambda: rig.link.login(seat.sid) == "made", "the login")
    with rig.phone(seat, password="new") as phone:
        assert phone.dial()
        assert phone.subscribe(rig.topics.hand(seat.sid))
        assert told_all(rig, phone) == []
