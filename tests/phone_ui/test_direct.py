"""The direct path of phones past the broker: what takes it, in which order, and that it gives nobody more than the broker does."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
import ssl
import time
from typing import TYPE_CHECKING, Any, Self, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from nacl.public import PrivateKey
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from hub.network.encryption import HubKey
from hub.ports import PhoneGarbled, PhoneRequest
from hub.state import Ack
from phone_ui import gateway
from phone_ui.direct import DirectPhone
from phone_ui.gateway import dial_unix
from phone_ui.limits import Limits
from phone_ui.mqtt_packets import (
    PacketReader,
    keep_alive,
    packet_size,
    publish,
    read_filters,
    read_publish,
    user_name,
)
from phone_ui.mqtt_phones import PhonesOverMqtt
from phone_ui.pages import make_app
from phone_ui.server import PortSettings, serve
from tests.bench.transport import packet
from tests.patience import PATIENCE
from tests.phone_ui.rig import STATE, FakeBroker, Rig, Seat, act, hand, until
from tests.phone_ui.slow_wire import SlowWire
from tests.phone_ui.test_tls import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytestmark = pytest.mark.broker

LET_IN = bytes.fromhex("20020000")
PONG = b"\xd0\x00"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    made = Rig(tmp_path_factory.mktemp("rig"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def nothing_left(rig: Rig) -> None:
    while not rig.heard.empty():
        rig.heard.get()


def text(words: str) -> bytes:
    return len(words).to_bytes(2, "big") + words.encode()


def log_in(client: str, user: str, password: str, *, version: int = 4, alive: int = 60, clean: bool = True) -> bytes:
    properties = b"\0" if version == 5 else b""
    flags = bytes([version, 0xC2 if clean else 0xC0]) + alive.to_bytes(2, "big") + properties
    return packet(0x10, text("MQTT") + flags + text(client) + text(user) + text(password))


def subscribe(*topics: str, qos: int = 0) -> bytes:
    return packet(0x82, b"\0\1" + b"".join(text(topic) + bytes([qos]) for topic in topics))


class Page:
    """A page's socket, packet by packet."""

    def __init__(
        self, rig: Rig, seat: Seat, *, client: str = "", dial: Mapping[str, Any] | None = None, **how: Any
    ) -> None:
        self.rig, self.seat = rig, seat
        self._ending = contextlib.ExitStack()
        address = {"uri": f"ws://127.0.0.1:{rig.port}/mqtt"}
        dialled = connect(subprotocols=[Subprotocol("mqtt")], compression=None, **(address | dict(dial or {})))
        self.pipe = self._ending.enter_context(dialled)
        self.reader, self.came = PacketReader(), list[bytes]()
        self.pipe.send(log_in(client or seat.sid, seat.sid, seat.password, **how))
        topics = rig.topics
        self.state, self.hand, self.ack, self.act = (
            topics.state, topics.hand(seat.sid), topics.ack(seat.sid), topics.act(seat.sid),
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def next(self, seconds: float = PATIENCE) -> bytes:
        """The next packet. Raise TimeoutError where none comes."""
        while not self.came:
            data = self.pipe.recv(timeout=seconds)
            assert isinstance(data, bytes)
            self.came += self.reader.read(data)
        return self.came.pop(0)

    def reply(self, seconds: float = PATIENCE) -> bytes:
        """The next packet that is no message."""
        while (one := self.next(seconds))[0] & 0xF0 == 0x30:
            pass
        return one

    def follow(self) -> list[bytes]:
        """Follow as a page does; the packets up to the broker's or the hub's leave, without that of the login."""
        assert self.next()[:2] == LET_IN[:2]
        self.pipe.send(subscribe(self.state, self.hand, self.ack))
        return [self.reply()]

    def is_let_in(self) -> bool:
        """Whether the broker lets this page in; else the connection is ended."""
        try:
            return self.next()[:2] == LET_IN[:2]
        except ConnectionClosed:
            return False

    def ends(self) -> bool:
        """Whether the connection is ended, whatever comes before."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.next()
        return True

    def message(self) -> tuple[str, bytes, bool]:
        """The next message: topic, payload, whether it was retained; other packets are left out."""
        while (one := self.next())[0] & 0xF0 != 0x30:
            pass
        known = read_publish(one)
        assert known
        return known.topic.decode(), known.payload, bool(one[0] & 1)

    def ask(self, n: int, *, kind: int = 0x32) -> bytes:
        number = n.to_bytes(2, "big") if kind & 6 else b""
        return packet(kind, text(self.act) + number + self.seat.keys.encrypt(act(n)))


def lets_in(rig: Rig, seat: Seat) -> bool:
    """Whether a page that connects now is let in."""
    with Page(rig, seat) as page:
        return page.is_let_in()


@contextlib.contextmanager
def broker_cut_off(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Nothing that the hub says reaches the broker, and nothing comes from it: the topics that should have."""
    said: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(rig.broker, "publish", lambda topic, *_args, **_how: said.append(topic))
        yield said


def show(rig: Rig, seat: Seat, seq: int) -> None:
    with rig.link.together():
        rig.link.show_public(replace(STATE, seq=seq))
        rig.link.show_hands({seat.sid: hand(seq)})


# --- What takes the direct path ------------------------------------------------------------------------


def test_a_page_gets_the_newest_at_once_then_state_hand_and_answer_in_one_message(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = rig.seat()
    show(rig, seat, 7)
    with broker_cut_off(rig, monkeypatch) as said, Page(rig, seat) as page:
        assert page.follow() == [b"\x90\x05\0\1\0\0\0"]
        assert [(topic, kept) for topic, _, kept in (page.message(), page.message())] == [
            (page.state, True),
            (page.hand, True),
        ]
        page.pipe.send(page.ask(1))
        assert rig.next_heard(PhoneRequest).sid == seat.sid
        with rig.link.together():
            rig.link.show_public(replace(STATE, seq=8))
            rig.link.show_hands({seat.sid: hand(8)})
            rig.link.answer(seat.sid, Ack(f"{1:016x}", True, seq=8))
        data = page.pipe.recv(timeout=PATIENCE)
        assert isinstance(data, bytes)
        first, *messages = PacketReader().read(data)
        assert first == b"\x40\x02\0\1", "what was asked at QoS 1 is acknowledged"
        assert [(one.topic.decode()) for one in map(read_publish, messages) if one] == [page.state, page.hand, page.ack]
        assert page.ack not in said, "an answer takes one way"
        assert {page.state, page.hand} <= set(said), "the broker gets what is retained all the same"


def test_a_request_is_acknowledged_though_nobody_answers(rig: Rig) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(page.ask(1))
        assert page.reply() == b"\x40\x02\0\1"


def test_nothing_is_lost_doubled_or_out_of_order(rig: Rig) -> None:
    seat = rig.seat()
    show(rig, seat, 1)
    with Page(rig, seat) as page:
        page.follow()
        for seq in range(2, 302):
            show(rig, seat, seq)
        came: list[int] = []
        while not came or came[-1] < 301:
            topic, payload, _ = page.message()
            if topic == page.hand:
                came.append(seat.keys.decrypt(payload)["seq"])
    assert came == sorted(set(came)), "a slow phone skips pictures, and gets none twice"


@pytest.mark.parametrize("cuts", [[3], [1, 2, 40, 41], [200]])
def test_packets_may_be_cut_into_frames_in_any_way(rig: Rig, cuts: list[int]) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        stream = page.ask(1) + b"\xc0\x00" + page.ask(2)
        for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
            page.pipe.send(stream[start:end])
        assert [rig.next_heard(PhoneRequest).n for _ in range(2)] == [1, 2]
        assert sorted(page.reply() for _ in range(3)) == [b"\x40\x02\0\1", b"\x40\x02\0\2", PONG]


def test_a_phone_that_only_asks_stays_connected_and_hears_no_ping_of_the_hubs(rig: Rig) -> None:
    """The broker hears nothing of requests, and ends a connection that is silent for one and a half keep-alives."""
    seat = rig.seat()
    with Page(rig, seat, alive=1) as page:
        page.follow()
        for n in range(1, 14):
            page.pipe.send(page.ask(n))
            assert page.reply() == b"\x40\x02" + n.to_bytes(2, "big")
            time.sleep(0.3)


@pytest.fixture(scope="module")
def secure_port(rig: Rig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A second port of the same hub, with https."""
    folder = tmp_path_factory.mktemp("tls")
    write(folder, "hub.example")
    app = make_app({"1": rig.table}, rig.key, "hub", lambda: "https://10.42.0.1:8080", {})
    settings = PortSettings(limits=Limits(), tls=(str(folder / "cert.pem"), str(folder / "key.pem")))
    web = serve(app, {"1": rig.table}, dial_unix(lambda: rig.broker.address.path), settings)
    yield web.port
    web.close()


@contextlib.contextmanager
def small_line(port: int) -> Iterator[socket.socket]:
    """A connection whose system takes 32 kB that are not read yet, in packets as small as a Wi-Fi's."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32_768)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)  # else one does not fit, and timers decide
        line.connect(("127.0.0.1", port))
        yield line


@pytest.mark.parametrize("is_secure", [False, True])
def test_a_phone_that_reads_late_has_the_newest_and_every_answer_and_holds_up_nobody(
    rig: Rig, secure_port: int, is_secure: bool
) -> None:
    slow, other = rig.seat(), rig.seat()
    port = secure_port if is_secure else rig.port
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    to_port: dict[str, Any] = {"uri": f"{'wss' if is_secure else 'ws'}://127.0.0.1:{port}/mqtt"} | (
        {"ssl": tls} if is_secure else {}
    )
    with (
        small_line(port) as line,
        Page(rig, slow, dial={**to_port, "sock": line, "max_queue": 1}) as late,
        Page(rig, other, dial=to_port) as quick,
    ):
        late.follow()
        quick.follow()
        for seq in range(2, 402):
            with rig.link.together():
                rig.link.show_public(replace(STATE, seq=seq, name="x" * 2000))
                rig.link.show_hands({one.sid: hand(seq) for one in (slow, other)})
                if seq % 50 == 0:
                    rig.link.answer(slow.sid, Ack(f"{seq:016x}", True, seq=seq))
            if seq % 20 == 0:
                while (one := quick.message())[0] != quick.hand or other.keys.decrypt(one[1])["seq"] < seq:
                    pass
        hands, answers = list[int](), list[int]()
        while hands[-1:] != [401] or answers[-1:] != [400]:
            topic, payload, _ = late.message()
            if topic == late.hand:
                hands.append(slow.keys.decrypt(payload)["seq"])
            elif topic == late.ack:
                answers.append(slow.keys.decrypt(payload)["seq"])
    assert len(hands) < 200, "old pictures are left out"
    assert hands == sorted(set(hands))
    assert answers == [*range(50, 401, 50)]


def test_a_broker_that_stands_still_holds_up_no_page_that_follows_already(rig: Rig) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        assert rig.broker.pid
        os.kill(rig.broker.pid, signal.SIGSTOP)
        try:
            page.pipe.send(page.ask(1))
            n = rig.next_heard(PhoneRequest).n
            show(rig, seat, 70)
            rig.link.answer(seat.sid, Ack(f"{n:016x}", True, seq=70))
            while page.message()[0] != page.ack:
                pass
        finally:
            os.kill(rig.broker.pid, signal.SIGCONT)


def test_an_answer_that_the_end_of_the_broker_took_along_is_given_again(rig: Rig) -> None:
    seat = rig.seat()
    request = act(1)
    letter = seat.keys.encrypt(request)
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(packet(0x32, text(page.act) + b"\0\1" + letter))
        assert rig.next_heard(PhoneRequest).n == 1
        assert rig.broker.pid
        os.kill(rig.broker.pid, signal.SIGKILL)
        assert page.ends()
    rig.link.answer(seat.sid, Ack(request["id"], True, seq=70))
    until(lambda: lets_in(rig, seat), "the broker that was started again")
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(packet(0x3A, text(page.act) + b"\0\1" + letter))
        while (one := page.message())[0] != page.ack:
            pass
        assert seat.keys.decrypt(one[1])["re"] == request["id"]
    assert rig.heard.empty() or not isinstance(rig.heard.get(), PhoneRequest), "it is done once"


def test_what_leaves_together_is_as_long_for_every_seat_whatever_its_hand_holds(rig: Rig) -> None:
    seats = [rig.seat() for _ in range(3)]
    with contextlib.ExitStack() as many:
        pages = [many.enter_context(Page(rig, seat)) for seat in seats]
        for page in pages:
            page.follow()
            with contextlib.suppress(TimeoutError):
                while True:
                    page.next(0.3)
        with rig.link.together():
            rig.link.show_public(replace(STATE, seq=90))
            rig.link.show_hands({seat.sid: hand(90, you={"cards": "c" * (n * 40)}) for n, seat in enumerate(seats)})
        assert len({len(page.pipe.recv(timeout=PATIENCE)) for page in pages}) == 1


# --- What does not -----------------------------------------------------------------------------------


def test_who_follows_otherwise_is_served_by_the_broker(rig: Rig) -> None:
    seat = rig.seat()
    show(rig, seat, 3)
    for how in ({"qos": 1}, {"version": 5}):
        with Page(rig, seat, version=how.get("version", 4)) as page:
            assert page.next()[0] == 0x20
            if how.get("version") == 5:
                topics = b"".join(text(topic) + b"\0" for topic in (page.hand,))
                page.pipe.send(packet(0x82, b"\0\1\0" + topics))
            else:
                page.pipe.send(subscribe(page.hand, qos=1))
            while page.next()[0] & 0xF0 != 0x30:
                pass  # the broker's message, retained or just come there: it has pictures a moment later
            rig.link.show_hands({seat.sid: hand(4)})
            assert page.next()[0] & 0xF0 == 0x30


def test_a_topic_that_is_given_up_or_followed_at_the_broker_comes_once(rig: Rig) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(packet(0xA2, b"\0\2" + text(page.hand)))
        assert page.reply() == b"\xb0\x02\0\2"
        page.pipe.send(subscribe(page.state, qos=1))
        assert page.reply()[:2] == b"\x90\x03"
        show(rig, seat, 50)  # no other test does: the broker first sends the state that was retained before
        topics = []
        with contextlib.suppress(TimeoutError):
            while True:
                known = read_publish(page.next(0.5)) or pytest.fail("no message")
                if b'"seq":50,' in known.payload or known.topic.decode() == page.hand:
                    topics.append(known.topic.decode())
        assert topics == [page.state]


@pytest.mark.parametrize("kind", [0x33, 0x34], ids=["retained", "QoS 2"])
def test_an_odd_request_goes_to_the_broker(rig: Rig, kind: int) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(page.ask(1, kind=kind))
        if kind == 0x34:
            assert page.reply() == b"\x50\x02\0\1"  # PUBREC: the broker's
            page.pipe.send(b"\x62\x02\0\1")
            rig.next_heard(PhoneRequest)
        else:
            rig.next_heard(PhoneGarbled)


def test_a_packet_that_is_no_mqtt_or_too_large_ends_the_connection(rig: Rig) -> None:
    for bad, code in ((b"\x30\xff\xff\xff\xff", 1003), (b"\x30\xff\xff\x03", 1009)):
        with Page(rig, rig.seat()) as page:
            page.follow()
            page.pipe.send(bad)
            with pytest.raises(ConnectionClosed):
                page.reply()
            assert page.pipe.close_code == code


def test_who_keeps_a_session_still_follows_when_it_comes_back(rig: Rig) -> None:
    """The broker says that it knows the session; so the phone asks for nothing again."""
    seat = rig.seat()
    for present in (0, 1):
        with Page(rig, seat, clean=False) as page:
            assert page.next() == bytes([0x20, 2, present, 0])
            if not present:
                page.pipe.send(subscribe(page.state, page.hand, page.ack))
                assert page.reply()[:1] == b"\x90"
            show(rig, seat, 40 + present)
            while (one := page.message())[0] != page.hand or seat.keys.decrypt(one[1])["seq"] != 40 + present:
                pass
            page.pipe.send(page.ask(1 + present))
            n = rig.next_heard(PhoneRequest).n
            rig.link.answer(seat.sid, Ack(f"{n:016x}", True, seq=1))
            while page.message()[0] != page.ack:
                pass


def test_who_follows_at_qos_1_and_then_at_qos_0_gets_each_message_once(rig: Rig) -> None:
    """A SUBSCRIBE replaces the one before: the broker knows of both."""
    seat = rig.seat()
    with Page(rig, seat) as page:
        assert page.next() == LET_IN
        for qos in (1, 0):
            page.pipe.send(subscribe(page.hand, page.ack, qos=qos))
            assert page.reply() == b"\x90\x04\0\1" + bytes([qos, qos])
        show(rig, seat, 5)
        rig.link.answer(seat.sid, Ack("a" * 16, True, seq=5))
        came = []
        with contextlib.suppress(TimeoutError):
            while True:
                came.append((read_publish(page.next(0.5)) or pytest.fail("no message")).topic.decode())
        assert sorted(came) == sorted([page.hand, page.ack])


@pytest.mark.parametrize("second", ["a page", "MQTT 5", "QoS 1", "a kept session"])
def test_who_comes_again_with_the_login_has_all_and_the_one_before_nothing(rig: Rig, second: str) -> None:
    seat = rig.seat()
    ways: dict[str, dict[str, Any]] = {"MQTT 5": {"version": 5}, "a kept session": {"clean": False}}
    with contextlib.ExitStack() as both:
        before = both.enter_context(Page(rig, seat))
        before.follow()
        page = both.enter_context(Page(rig, seat, **ways.get(second, {})))
        assert page.next()[0] == 0x20
        assert before.ends()
        topics = [page.state, page.hand, page.ack]
        if second == "MQTT 5":
            page.pipe.send(packet(0x82, b"\0\1\0" + b"".join(text(topic) + b"\0" for topic in topics)))
        else:
            page.pipe.send(subscribe(*topics, qos=int(second == "QoS 1")))
        assert page.reply()[0] == 0x90
        page.pipe.send(
            page.ask(1, kind=0x30)
            if second != "MQTT 5"
            else packet(0x30, text(page.act) + b"\0" + page.seat.keys.encrypt(act(1)))
        )
        rig.next_heard(PhoneRequest)
        with rig.link.together():
            show(rig, seat, 33)
            rig.link.answer(seat.sid, Ack("b" * 16, True, seq=33))
        came = []
        with contextlib.suppress(TimeoutError):
            while True:
                one = page.next(0.5)
                came += [topic for topic in topics if topic.encode() in one and not one[0] & 1]
        assert sorted(came) == sorted(topics), "each once"


@pytest.mark.parametrize("odd", ["flags of SUBSCRIBE", "packet id of SUBSCRIBE", "packet id of PUBLISH"])
def test_what_mqtt_forbids_is_used_by_nobody_and_ends_the_connection(rig: Rig, odd: str) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        followed = subscribe(page.hand)
        page.pipe.send(
            {
                "flags of SUBSCRIBE": b"\x80" + followed[1:],
                "packet id of SUBSCRIBE": followed[:2] + b"\0\0" + followed[4:],
                "packet id of PUBLISH": page.ask(0),
            }[odd]
        )
        with pytest.raises(ConnectionClosed):
            page.reply()
    assert rig.heard.empty()


def test_what_comes_right_behind_the_log_in_is_done_after_it(rig: Rig) -> None:
    seat = rig.seat()
    show(rig, seat, 3)
    with Page(rig, seat) as page:
        page.pipe.close()
    with connect(f"ws://127.0.0.1:{rig.port}/mqtt", subprotocols=[Subprotocol("mqtt")], compression=None) as pipe:
        page.pipe, page.came = pipe, []
        asked = subscribe(page.state, page.hand, page.ack) + page.ask(1)
        pipe.send(log_in(seat.sid, seat.sid, seat.password) + asked[:-9])
        pipe.send(asked[-9:])
        assert page.next() == LET_IN
        assert page.reply() == b"\x90\x05\0\1\0\0\0"
        assert rig.next_heard(PhoneRequest).n == 1


# --- Who gets what -----------------------------------------------------------------------------------


def test_no_phone_follows_or_asks_for_another(rig: Rig) -> None:
    seat, other = rig.seat(), rig.seat()
    show(rig, other, 5)
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(subscribe(rig.topics.hand(other.sid), rig.topics.ack(other.sid)))
        assert page.reply() == b"\x90\x04\0\1\x80\x80", "the broker refuses it"
        page.pipe.send(packet(0x32, text(rig.topics.act(other.sid)) + b"\0\1" + other.keys.encrypt(act(1))))
        page.pipe.send(subscribe(rig.topics.state, "th/1/hub/1/seat/+/hand"))
        rig.link.show_hands({other.sid: hand(6)})
        with contextlib.suppress(TimeoutError):
            while True:
                known = read_publish(one) if (one := page.next(0.5))[0] & 0xF0 == 0x30 else None
                assert known is None or known.topic.decode() == rig.topics.state
    assert rig.heard.empty() or not isinstance(rig.heard.get(), PhoneRequest)


def test_a_login_that_gives_anothers_client_id_is_nobody_but_itself(rig: Rig) -> None:
    """The broker takes the user name for the client id; what counts is the name that the password belongs to."""
    seat, other = rig.seat(), rig.seat()
    show(rig, other, 5)
    with Page(rig, seat, client=other.sid) as page, contextlib.suppress(ConnectionClosed, TimeoutError):
        assert page.next()[:4] == LET_IN
        page.pipe.send(subscribe(rig.topics.hand(other.sid)))
        page.pipe.send(packet(0x32, text(rig.topics.act(other.sid)) + b"\0\1" + other.keys.encrypt(act(1))))
        rig.link.show_hands({other.sid: hand(6)})
        while True:
            assert page.next(0.5)[0] & 0xF0 != 0x30
    assert rig.heard.empty()


def test_a_wrong_password_has_no_short_way(rig: Rig) -> None:
    seat = rig.seat()
    wrong = Seat(seat.sid, "wrong", seat.keys)
    with Page(rig, wrong) as page:
        with contextlib.suppress(ConnectionClosed):  # the refusal can be quicker
            page.pipe.send(subscribe(page.hand) + page.ask(1))
        assert page.next() == bytes.fromhex("20020005")
        with pytest.raises(ConnectionClosed):
            page.next()
    assert rig.heard.empty()


def test_the_last_answer_comes_and_nothing_after_the_seat_was_given_back(rig: Rig) -> None:
    seat = rig.seat()
    with Page(rig, seat) as page:
        page.follow()
        page.pipe.send(page.ask(1))
        rig.next_heard(PhoneRequest)
        with rig.link.together():
            rig.link.answer(seat.sid, Ack(f"{1:016x}", True, seq=1))
            rig.link.release(seat.sid)
        rig.link.show_public(replace(STATE, seq=99))
        came = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                came.append(page.message()[0])
    assert came[-1:] == [page.ack]


# --- One phone, without a network ---------------------------------------------------------------------


def test_a_slow_phone_gets_the_newest_picture_and_every_answer() -> None:
    async def tried() -> None:
        wire = SlowWire()
        phone = DirectPhone(wire, {"state": lambda: b"", "hand": lambda: b""}, "ack", "act", lambda _: None)
        assert phone.handle(subscribe("state", "hand", "ack"))
        for n in range(5):
            pictures = [(topic, publish(topic, b"%d" % n)) for topic in ("state", "hand")]
            phone.send([*pictures, ("ack", publish("ack", b"answer %d" % n))])
        wire.free.set()
        await asyncio.sleep(0.01)
        (data,) = wire.sent
        came = [one for packet in PacketReader().read(data) if packet[0] == 0x30 and (one := read_publish(packet))]
        assert [(one.topic, one.payload) for one in came] == [
            (b"state", b"4"), (b"hand", b"4"), *((b"ack", b"answer %d" % n) for n in range(5)),
        ]  # fmt: skip
        phone.send([("hand", publish("hand", b"next"))])
        assert len(wire.sent) == 2

    asyncio.run(tried())


def test_a_seat_that_is_given_back_follows_nothing_more() -> None:
    async def tried() -> None:
        wire = SlowWire()
        wire.free.set()
        phone = DirectPhone(wire, {"hand": lambda: b"old"}, "ack", "act", lambda _: None)
        phone.revoke()
        assert not phone.handle(subscribe("hand"))
        assert wire.sent == []

    asyncio.run(tried())


def test_an_older_connection_that_is_served_late_takes_nothing_from_the_newest() -> None:
    """The broker has ended the older one already; its phone was too slow to be told."""

    async def tried() -> None:
        link = PhonesOverMqtt(FakeBroker(), HubKey.generate(), "hub", "1", lambda _: None)
        link.admit("ana", "secret", bytes(PrivateKey.generate().public_key))
        wire = SlowWire()
        wire.free.set()
        newest, older = link.direct("ana", wire), link.direct("ana", SlowWire())
        assert newest
        assert older
        hand_topic = link.topics.hand("ana")
        newest.handle(subscribe(hand_topic))
        older.end()
        wire.sent.clear()
        link.show_hands({"ana": hand(4)})
        await asyncio.sleep(0.01)
        assert len(wire.sent) == 1

    asyncio.run(tried())


def test_an_answer_goes_to_the_broker_too_while_the_phone_that_follows_takes_nothing() -> None:
    """Who has come back meanwhile may follow at the broker, which has ended the older connection."""

    async def tried() -> None:
        broker = FakeBroker()
        link = PhonesOverMqtt(broker, HubKey.generate(), "hub", "1", lambda _: None)
        link.admit("ana", "secret", bytes(PrivateKey.generate().public_key))
        asleep = link.direct("ana", SlowWire())
        assert asleep
        asleep.handle(subscribe(link.topics.ack("ana")))
        link.answer("ana", Ack("a" * 16, True, seq=1))
        assert [topic for topic, _, _ in broker.published] == [link.topics.ack("ana")]

    asyncio.run(tried())


def test_a_phone_that_is_silent_for_its_keep_alive_after_a_request_stays_connected() -> None:
    """The broker waits one and a half keep-alives; the request before was none of its business."""

    class Quiet:
        keep_alive = 20

    class Writer:
        written = b""

        def write(self, data: bytes) -> None:
            self.written += data

    writer = Writer()
    pipe = gateway._Pipe(Quiet(), None, None, writer)  # type: ignore[arg-type]
    pipe.direct = cast("DirectPhone", object())
    pipe._wrote_at -= 0.45 * 20
    pipe._write(b"")
    assert writer.written == gateway.PING, "else the broker hears nothing for 1.45 keep-alives"


# --- Packets -----------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=300), max_size=6), st.lists(st.integers(0, 1500), max_size=8))
def test_packets_are_whole_however_they_are_cut(bodies: list[bytes], cuts: list[int]) -> None:
    packets = [packet(0x30, body) for body in bodies]
    stream, reader = b"".join(packets), PacketReader()
    places = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    pieces = [stream[start:end] for start, end in itertools.pairwise(places)]
    assert [one for piece in pieces for one in reader.read(piece)] == packets


@given(st.binary(max_size=400))
def test_no_bytes_make_the_readers_fail(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        for one in PacketReader(300).read(data):
            read_publish(one)
            read_filters(one)
            user_name(one)
            keep_alive(one)


@given(st.text(max_size=200), st.binary(max_size=20_000), st.booleans())
def test_a_publish_is_read_as_it_was_written(topic: str, payload: bytes, retained: bool) -> None:
    written = publish(topic, payload, retained=retained)
    assert packet_size(written) == len(written)
    assert read_publish(written) == (topic.encode(), b"", payload)
    assert bool(written[0] & 1) == retained


def test_a_log_in_is_read_with_and_without_a_will() -> None:
    assert user_name(log_in("phone", "ana", "secret", alive=20)) == "ana"
    assert keep_alive(log_in("phone", "ana", "secret", alive=20)) == 20
    will = text("MQTT") + b"\x04\xe6\0\x14" + text("phone") + text("will") + text("gone") + text("ana") + text("secret")
    assert user_name(packet(0x10, will)) == "ana"
    assert user_name(packet(0x10, text("MQTT") + b"\x04\x02\0\x14" + text("phone"))) == ""
    assert user_name(log_in("phone", "ana", "secret", version=5)) == ""
