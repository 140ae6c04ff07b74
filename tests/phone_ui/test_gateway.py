"""The pipe from the web port to the broker, and what it does with those who misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import uvloop
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from phone_ui import gateway
from phone_ui.limits import Limits, TokenBucket
from phone_ui.mqtt_packets import PacketReader, client_id, count_filters, packet_size
from tests.patience import PATIENCE
from tests.phone_ui.rig import STATE, Rig, act, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.client import ClientConnection

pytestmark = pytest.mark.broker

LIMITS = Limits(
    head_seconds=1.0,
    first_packet_seconds=1.0,
    phones=12,
    phones_each_address=10,
    streams=4,
    streams_each_address=3,
    beat_seconds=0.2,
)
CONNECT = bytes.fromhex("100e00044d5154540402003c00026161")  # clean session, client "aa", no login
PING = b"\xc0\x00"


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    made = Rig(tmp_path_factory.mktemp("rig"), limits=LIMITS)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def everybody_else_plays_on(rig: Rig) -> Iterator[None]:
    """Whatever a test does: an honest phone that was there before is still there and is heard, and a new one comes in."""
    seat = rig.seat()
    while not rig.heard.empty():
        rig.heard.get()
    with rig.phone(seat) as phone:
        if not phone.dial():  # a busy machine can be slower than these limits; a phone tries again by itself
            phone.expect("connected")
        yield
        phone.publish(rig.topics.act(seat.sid), seat.keys.encrypt(act(1)))
        while rig.heard.get(timeout=PATIENCE).sid != seat.sid:
            pass  # what a phone of an earlier test still sent
        assert phone.events.empty()
        rig.link.release(seat.sid)
    web = rig.web
    assert web is not None
    until(lambda: web.phones == 0, "the end of all connections")


def ws(rig: Rig, **how: Any) -> ClientConnection:
    how.setdefault("subprotocols", ["mqtt"])
    return connect(f"ws://127.0.0.1:{rig.port}/mqtt", compression=None, open_timeout=5, close_timeout=1, **how)


def end_of(pipe: ClientConnection) -> int:
    """The close code that the hub gives."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            pipe.recv(timeout=PATIENCE)
    assert pipe.close_code is not None
    return pipe.close_code


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([b"GET / HTTP/1.1\r\n\r\n"], 1003),  # not MQTT
        ([PING], 1003),  # MQTT, but no CONNECT first
        ([b"\x30\x02ab"], 1003),
        (["text"], 1003),
        ([b"\x10\xff\xff\xff\xff\xff"], 1003),  # an impossible length
        ([b"\x10\xff\xff\xff\x7f"], 1009),  # a log-in of 256 MB
        ([b"\x10\x80\x10" + b"x" * 2000, b"x" * 2000], 1009),
        ([b"", b"", b"\x00"], 1003),
        ([b"x" * 8193], 1009),
    ],
)
def test_who_does_not_log_in_properly_is_closed(rig: Rig, frames: list[Any], code: int) -> None:
    with ws(rig) as pipe:
        with contextlib.suppress(ConnectionClosed):
            for frame in frames:
                pipe.send(frame)
        assert end_of(pipe) == code


@pytest.mark.parametrize("frames", [[], [b""], [b"\x10"], [CONNECT[:5], CONNECT[5:8]]])
def test_who_takes_too_long_to_log_in_is_closed(rig: Rig, frames: list[bytes]) -> None:
    with ws(rig) as pipe:
        for frame in frames:
            pipe.send(frame)
        assert end_of(pipe) == 1008


def test_a_log_in_may_come_in_pieces_and_the_brokers_refusal_is_passed_on(rig: Rig) -> None:
    connect = log_in(rig.seat().sid, "wrong")
    with ws(rig) as pipe:
        for place in range(len(connect)):
            pipe.send(connect[place : place + 1])
        assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020005")  # CONNACK, not authorised
        assert end_of(pipe) == 1000


def test_a_phone_of_no_seat_is_told_so_by_the_hub_and_the_broker_hears_nothing_of_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dials_of(rig, monkeypatch) as dials, ws(rig) as pipe:
        pipe.send(CONNECT)
        assert end_of(pipe) == gateway.SEAT_GIVEN_BACK
        assert not dials


def test_no_pipe_is_opened_before_the_login_is_made(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    seat, made = rig.seat(), threading.Event()
    monkeypatch.setattr(rig.table, "login_of", lambda _sid: "made" if made.is_set() else "awaited")
    with dials_of(rig, monkeypatch) as dials, ws(rig) as pipe:
        pipe.send(log_in(seat.sid, seat.password))
        with pytest.raises(TimeoutError):
            pipe.recv(timeout=0.5)
        assert not dials
        made.set()
        assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020000")
        assert len(dials) == 1


def test_a_login_that_takes_long_is_asked_for_again_and_is_no_seat_lost(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = rig.seat()
    monkeypatch.setattr(rig.table, "login_of", lambda _sid: "awaited")
    monkeypatch.setattr(gateway, "LOGIN_SECONDS", 0.2)
    with ws(rig) as pipe:
        pipe.send(log_in(seat.sid, seat.password))
        assert end_of(pipe) == 1013


@contextlib.contextmanager
def dials_of(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """When the gateway has dialled the broker."""
    assert rig.web is not None
    served, dials = rig.web._router.gateway, list[float]()
    dial = served._dial

    async def noted() -> Any:
        dials.append(time.monotonic())
        return await dial()

    with monkeypatch.context() as patch:
        patch.setattr(served, "_dial", noted)
        yield dials


def test_garbage_after_a_true_log_in_ends_only_that_phone(rig: Rig) -> None:
    seat = rig.seat()
    for garbage in (b"\x00" * 50, b"\xff" * 50, b"", b"\x30\xff\xff\xff\x7f", b"\x82\x00", b"\x10" * 100):
        with ws(rig) as pipe:
            pipe.send(log_in(seat.sid, seat.password))
            assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020000")
            pipe.send(garbage)
            if garbage:
                with contextlib.suppress(ConnectionClosed):
                    pipe.send(PING)


def log_in(sid: str, password: str) -> bytes:
    """CONNECT with a login (MQTT 3.1.1 section 3.1)."""

    def text(words: str) -> bytes:
        return len(words).to_bytes(2, "big") + words.encode()

    body = text("MQTT") + b"\x04\xc2\x00\x3c" + text(sid) + text(sid) + text(password)
    assert len(body) < 128
    return bytes([0x10, len(body)]) + body


def websocket_frame(head: int, payload: bytes) -> bytes:
    """Return one masked frame (RFC 6455 section 5.2): final bit with opcode, then the length."""
    assert len(payload) < 126
    return bytes([head, 0x80 | len(payload)]) + b"\0\0\0\0" + payload


def test_a_phone_that_is_closed_for_a_bad_frame_while_it_is_sent_to_leaves_no_error() -> None:
    async def closed(_: object) -> None:  # uvicorn, protocols/websockets/websockets_sansio_impl.py: send
        raise RuntimeError("Unexpected ASGI message 'websocket.send', after sending 'websocket.close'.")

    async def send_one() -> tuple[int, str]:
        broker = asyncio.StreamReader()
        broker.feed_data(PING)
        return await gateway._Pipe(None, closed, broker, None).to_phone()  # type: ignore[arg-type]

    assert asyncio.run(send_one()) == (1000, "")


def test_a_phone_that_floods_is_closed(rig: Rig) -> None:
    seat = rig.seat()
    with ws(rig) as pipe:
        pipe.send(log_in(seat.sid, seat.password))
        with contextlib.suppress(ConnectionClosed):
            for _ in range(5000):
                pipe.send(PING)
        assert end_of(pipe) == 1008


def test_a_captured_login_spends_nothing_of_its_phones_budget() -> None:
    budgets = gateway._PhoneBudgets(Limits())
    while budgets.send("ana", "10.0.0.66", 1, 1, 10):
        pass
    assert not budgets.send("ana", "10.0.0.66", 1, 1, 10)
    assert budgets.send("ana", "10.0.0.2", 1, 1, 10), "the phone itself, at another address"
    assert budgets.send("ben", "10.0.0.66", 1, 1, 10), "and another phone at the thief's"


def test_addresses_of_one_ipv6_network_share_a_budget() -> None:
    budgets = gateway._PhoneBudgets(Limits())
    connects = [budgets.connect(f"2001:db8:1:2::{number:x}") for number in range(1, 100)]
    assert connects.count(True) == Limits().connects_burst
    assert budgets.connect("2001:db8:1:3::1")


def test_many_packets_in_one_frame_are_counted_one_by_one(rig: Rig) -> None:
    seat = rig.seat()
    with ws(rig) as pipe:
        pipe.send(log_in(seat.sid, seat.password))
        with contextlib.suppress(ConnectionClosed):
            for _ in range(10):
                pipe.send(PING * 80)
        assert end_of(pipe) == 1008


def test_who_was_too_fast_has_no_new_budget_on_a_new_connection(rig: Rig) -> None:
    seat = rig.seat()
    allowed = 0
    with contextlib.suppress(ConnectionClosed):
        for _ in range(20):
            with ws(rig) as pipe:
                pipe.send(log_in(seat.sid, seat.password))
                assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020000")
                for _ in range(60):
                    pipe.send(PING * 2)
                    assert pipe.recv(timeout=PATIENCE)
                    allowed += 2
    assert 120 <= allowed < 1200


@pytest.mark.parametrize(
    "flood",
    [
        [websocket_frame(0x89, b"")] * 200,  # pings: the library answers each
        [websocket_frame(0x8A, b"")] * 200,  # pongs that nobody asked for
        [websocket_frame(0x02, b""), *[websocket_frame(0x00, b"")] * 200],  # fragments of one message, all empty
    ],
    ids=["pings", "pongs", "empty fragments"],
)
def test_frames_that_never_reach_the_gateway_are_counted_too(rig: Rig, flood: list[bytes]) -> None:
    with ws(rig) as pipe, contextlib.suppress(ConnectionClosed, OSError):
        pipe.socket.sendall(b"".join(flood))
        began = time.monotonic()
        while True:
            pipe.recv(timeout=PATIENCE)
    assert pipe.close_code == 1006, "it was cut off before the time for a log-in had passed"
    assert time.monotonic() - began < 10


def test_empty_frames_without_end_are_a_flood_too(rig: Rig) -> None:
    with ws(rig) as pipe:
        with contextlib.suppress(ConnectionClosed):
            for _ in range(5000):
                pipe.send(b"")
        assert end_of(pipe) == 1008


@pytest.mark.parametrize(
    ("how", "let_in"),
    [
        ({"origin": "http://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": "http://127.0.0.1:1"}, False),
        ({"subprotocols": ["chat"]}, False),
        ({"subprotocols": None}, False),
        ({}, True),
        ({"subprotocols": ["chat", "mqtt"]}, True),
    ],
)
def test_only_our_own_pages_are_let_in(rig: Rig, how: dict[str, Any], let_in: bool) -> None:
    if let_in:
        with ws(rig, origin=f"http://127.0.0.1:{rig.port}", **how) as pipe:
            assert pipe.subprotocol == "mqtt"
    else:
        with pytest.raises(InvalidStatus) as refused, ws(rig, **how):
            pass
        assert refused.value.response.status_code == 403


def test_half_open_and_broken_connections_leave_no_trace(rig: Rig) -> None:
    for junk in (b"", b"GET /mqtt HTTP/1.1\r\n", b"\x16\x03\x01\x02\x00", b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n" * 5):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", rig.port)) as raw:
                raw.sendall(junk)


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\n"])
def test_who_never_ends_a_request_is_let_go(rig: Rig, head: bytes) -> None:
    with socket.create_connection(("127.0.0.1", rig.port), timeout=4) as raw:
        raw.sendall(head)
        with contextlib.suppress(ConnectionResetError):
            while raw.recv(4096):
                pass


def test_a_websocket_elsewhere_is_refused(rig: Rig) -> None:
    with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{rig.port}/t/1", subprotocols=["mqtt"]):  # type: ignore[list-item]
        pass


def test_while_the_broker_is_away_phones_are_told_to_come_later(tmp_path: Any) -> None:
    alone = Rig(tmp_path)
    seat = alone.seat()
    try:
        alone.broker.close()
        for login_of in (alone.link.login, lambda _sid: "made"):  # it went long ago; in this moment
            alone.table.login_of = login_of
            with ws(alone) as pipe:
                pipe.send(log_in(seat.sid, seat.password))
                assert end_of(pipe) == 1013
    finally:
        alone.close()


def test_a_phone_waits_while_more_come_than_the_broker_takes_in(tmp_path: Path) -> None:
    """A broker that is busy for a moment accepts nobody, and the system keeps only so many for it."""
    path = str(tmp_path / "broker")
    with contextlib.ExitStack() as opened:
        broker = opened.enter_context(socket.socket(socket.AF_UNIX))
        broker.bind(path)
        broker.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                phone = opened.enter_context(socket.socket(socket.AF_UNIX))
                phone.setblocking(False)
                phone.connect(path)

        async def dial() -> None:
            dialing = asyncio.ensure_future(gateway.dial_unix(lambda: path)())
            await asyncio.sleep(2 * gateway.POLL_SECONDS)
            assert not dialing.done()
            while not dialing.done():
                opened.enter_context(broker.accept()[0])
                await asyncio.wait({dialing}, timeout=gateway.POLL_SECONDS)
            (await dialing)[1].close()

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(asyncio.wait_for(dial(), PATIENCE))


def test_a_broker_that_goes_in_the_moment_of_a_log_in_is_tried_later(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """uvloop raises RuntimeError where asyncio's own loop drops what is written after the end."""
    assert rig.web is not None
    seat, served = rig.seat(), rig.web._router.gateway
    dial = served._dial

    async def gone() -> Any:
        reader, writer = await dial()
        writer.transport.abort()
        await asyncio.sleep(0.01)
        return reader, writer

    with monkeypatch.context() as patch:
        patch.setattr(served, "_dial", gone)
        with ws(rig) as pipe:
            pipe.send(log_in(seat.sid, seat.password))
            assert end_of(pipe) == 1013
    assert "Exception" not in caplog.text


def test_when_the_hub_stops_its_phones_are_told(tmp_path: Any) -> None:
    alone = Rig(tmp_path)
    seat = alone.seat()
    with ws(alone) as pipe:
        pipe.send(log_in(seat.sid, seat.password))
        assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020000")
        stopping = threading.Thread(target=alone.close)
        stopping.start()
        assert end_of(pipe) == 1013
        stopping.join(5)
        assert not stopping.is_alive()


# --- Streams -----------------------------------------------------------------------------------------------


class Follower:
    """A page that follows by SSE, from another machine or (`own`) as a screen of the table's own."""

    def __init__(self, port: int, path: str = "/t/1/events", *, own: bool = False) -> None:
        source = None if own else ("127.0.0.9", 0)
        self.link = http.client.HTTPConnection("127.0.0.1", port, timeout=5, source_address=source)
        self.link.request("GET", path)
        self.answer = self.link.getresponse()

    def event(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        while line := self.answer.readline().decode().rstrip("\n"):
            name, _, value = line.partition(": ")
            fields[name] = value
        return fields

    def picture(self) -> str:
        while True:
            sent = self.event()
            if sent.get("event") != "beat":
                return sent["data"]

    def close(self) -> None:
        self.answer.close()
        self.link.close()


def test_a_page_sees_the_present_state_at_once_and_every_change(rig: Rig) -> None:
    rig.link.show_public(replace(STATE, seq=1))
    page = Follower(rig.port)
    assert page.answer.getheader("content-type", "").startswith("text/event-stream")
    assert '"seq":1,' in page.picture()
    rig.link.show_public(replace(STATE, seq=2))
    assert '"seq":2,' in page.picture()
    page.close()
    until(lambda: rig.web is not None and rig.web.streams == 0, "the end of the stream")


def test_a_quiet_table_still_beats(rig: Rig) -> None:
    rig.link.show_public(STATE)
    page = Follower(rig.port)
    page.picture()
    assert page.event()["event"] == "beat"
    page.close()


def test_a_slow_page_skips_to_the_newest(rig: Rig) -> None:
    rig.link.show_public(STATE)
    page = Follower(rig.port)
    page.picture()
    for seq in range(3000):
        rig.table.public.put(b'{"seq":%d,"pad":"%s"}' % (seq, b"x" * 20_000))
    seen: list[str] = []
    while not seen or '"seq":2999,' not in seen[-1][:20]:
        seen.append(page.picture())
    assert len(seen) < 1500
    page.close()


def test_the_number_of_followers_is_limited_with_a_sentence(rig: Rig) -> None:
    pages = [Follower(rig.port) for _ in range(3)]
    assert [page.answer.status for page in pages] == [200] * 3
    more = Follower(rig.port)
    assert more.answer.status == 503
    assert b"Too many screens" in more.answer.read()
    kiosk = Follower(rig.port, own=True)
    assert kiosk.answer.status == 200, "the table's own screens have places of their own"
    for page in (*pages, more, kiosk):
        page.close()
    until(lambda: rig.web is not None and rig.web.streams == 0, "the end of the streams")


@pytest.mark.parametrize("path", ["/t/2/events", "/t/1/bench/events"])
def test_there_is_nothing_to_follow_at_an_unknown_table(rig: Rig, path: str) -> None:
    page = Follower(rig.port, path, own=True)
    assert page.answer.status == 404
    page.close()


# --- Small parts -----------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 5)), max_size=50))
def test_a_bucket_never_gives_more_than_came_in(spends: list[tuple[float, float]]) -> None:
    bucket, now, given_out = TokenBucket(2.0, 8.0, 0.0), 0.0, 0.0
    for amount, later in spends:
        now += later
        if bucket.spend(amount, now):
            given_out += amount
    assert given_out <= 8.0 + 2.0 * now + 1e-6


@given(st.lists(st.binary(max_size=300), max_size=8), st.lists(st.integers(1, 40), max_size=60))
def test_packets_are_counted_however_the_stream_is_cut(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(bytes([0x30]) + varint(len(body)) + body for body in bodies)
    assert len(packets_of(stream, cuts)) == len(bodies)


def packets_of(stream: bytes, cuts: list[int]) -> list[bytes]:
    """The packets of a stream that comes in pieces of these sizes."""
    reader, place, packets = PacketReader(), 0, list[bytes]()
    for cut in cuts:
        packets += reader.read(stream[place : place + cut])
        place += cut
    return packets + reader.read(stream[place:])


@given(
    st.lists(st.lists(st.text(max_size=20), max_size=6), max_size=5),
    st.sampled_from((4, 5)),
    st.booleans(),
    st.lists(st.integers(1, 40), max_size=60),
)
def test_topic_filters_are_counted_however_the_stream_is_cut(
    packets: list[list[str]], version: int, subscribe: bool, cuts: list[int]
) -> None:
    stream = b""
    for topics in packets:
        properties = b"\x02\x0b\x01" if version == 5 else b""  # a subscription identifier
        named = [len(topic.encode()).to_bytes(2, "big") + topic.encode() + b"\0" * subscribe for topic in topics]
        body = b"\0\1" + properties + b"".join(named)
        stream += (b"\x82" if subscribe else b"\xa2") + varint(len(body)) + body
        stream += b"\x30\x04\0\0ab"  # and a message, in which there are none
    assert sum(count_filters(one, version) for one in packets_of(stream, cuts)) == sum(map(len, packets))


def test_who_subscribes_without_end_is_closed_and_the_broker_does_not_grow(rig: Rig) -> None:
    """From one phone mosquitto's memory grew by half a megabyte a second."""
    seat = rig.seat()
    asked = 0
    with contextlib.suppress(ConnectionClosed):
        for _ in range(5):
            with ws(rig) as pipe:
                pipe.send(log_in(seat.sid, seat.password))
                assert pipe.recv(timeout=PATIENCE) == bytes.fromhex("20020000")
                for _ in range(100):
                    topic = f"$share/{asked}/{rig.topics.state}".encode()
                    body = b"\0\1" + len(topic).to_bytes(2, "big") + topic + b"\0"
                    pipe.send(b"\x82" + varint(len(body)) + body)
                    while pipe.recv(timeout=PATIENCE)[0] != 0x90:
                        pass
                    asked += 1
    assert 4 <= asked < LIMITS.filters_burst + 40


def test_what_is_no_packet_is_refused_however_it_is_cut() -> None:
    with pytest.raises(ValueError, match="not an mqtt packet"):
        packets_of(b"\xff" * 6, [1] * 6)


@pytest.mark.parametrize(
    ("connect", "expected"),
    [
        (CONNECT, "aa"),
        (
            bytes.fromhex("101a00044d5154540502003c0a2100141500042e2e2e2e00026162"),
            "ab",
        ),  # MQTT 5, 10 bytes of properties
        (b"\x10\x8e\x00" + CONNECT[2:], "aa"),  # the same length, written with two bytes
        (CONNECT[:12], ""),
        (b"\x10", ""),
    ],
)
def test_the_client_id_of_a_log_in_is_read(connect: bytes, expected: str) -> None:
    assert client_id(connect) == expected


def varint(length: int) -> bytes:
    """Return a length as MQTT writes it."""
    coded = bytearray()
    while True:
        length, digit = divmod(length, 128)
        coded.append(digit | (0x80 if length else 0))
        if not length:
            return bytes(coded)


@given(st.integers(0, 268_435_455))
def test_packet_sizes_are_read_as_mqtt_writes_them(length: int) -> None:
    coded = varint(length)
    assert packet_size(b"\x10" + coded) == 1 + len(coded) + length
    assert all(packet_size((b"\x10" + coded)[:cut]) == 0 for cut in range(1, 1 + len(coded)))


def test_a_broker_that_goes_while_a_phone_sends_ends_the_pipe_without_a_trace(tmp_path: Path) -> None:
    """uvloop raises RuntimeError where asyncio's own loop drops what is written after the end."""

    class Sending:
        keep_alive = 20

        async def packets(self) -> list[bytes]:
            await asyncio.sleep(0)
            return [PING]

    async def sends_on() -> tuple[int, str]:
        server = await asyncio.start_unix_server(lambda _, writer: writer.close(), tmp_path / "broker.sock")
        _, writer = await asyncio.open_unix_connection(tmp_path / "broker.sock")
        writer.transport.abort()
        await asyncio.sleep(0.05)
        try:
            pipe = gateway._Pipe(Sending(), None, None, writer)  # type: ignore[arg-type]
            return await asyncio.wait_for(pipe.from_phone(), PATIENCE)
        finally:
            server.close()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(sends_on()) == (1000, "")


@pytest.mark.parametrize("host", [b"localhost", b"strange.example"])
def test_a_request_that_breaks_in_the_middle_of_its_body_leaves_no_trace(
    rig: Rig, caplog: pytest.LogCaptureFixture, host: bytes
) -> None:
    head = b"POST /t/1/claim HTTP/1.1\r\nHost: " + host + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", rig.port), timeout=PATIENCE) as line:
        line.sendall(head + b"3\r\n{}x{}x\r\n")
        while line.recv(4096):
            pass
    assert [record.message for record in caplog.records if record.exc_info] == []
