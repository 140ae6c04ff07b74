"""A hundred strangers and one phone at their worst, on the real port: the table's own phones and screens still get in."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.sync.client import connect

from phone_ui.limits import Arrivals, Limits
from phone_ui.places import GRACE_SECONDS
from phone_ui.protocols import LimitedHttp
from tests.patience import PATIENCE
from tests.phone_ui.rig import Rig, Seat, act, until
from tests.phone_ui.test_gateway import Follower, log_in, websocket_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from websockets.sync.client import ClientConnection

    from phone_ui.places import Seated
    from phone_ui.server import WebServer

pytestmark = pytest.mark.broker

LIMITS = Limits(
    first_packet_seconds=30.0,  # whoever waits may wait: nobody is let go by a clock here
    head_seconds=30.0,
    stuck_seconds=1.0,
    connections=20,
    connections_each_address=5,
    phones=12,
    phones_each_address=3,
    streams=4,
    streams_each_address=2,
)
TABLE = "127.0.0.77"  # where the table's phones are
STRANGERS = [f"127.0.1.{number}" for number in range(1, 101)]
LET_IN = bytes.fromhex("20020000")


@pytest.fixture
def rig(tmp_path: Any) -> Iterator[Rig]:
    made = Rig(tmp_path, limits=LIMITS)
    yield made
    made.close()


def link(rig: Rig, address: str, receives: int = 0) -> socket.socket:
    """A connection from that address; with `receives` its system takes so many bytes that are not read yet."""
    made = socket.socket()
    if receives:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
    made.settimeout(PATIENCE)
    made.bind((address, 0))
    made.connect(("127.0.0.1", rig.port))
    return made


def pipe(rig: Rig, address: str) -> ClientConnection:
    """A WebSocket to the broker from that address, without a login."""
    return connect(
        f"ws://127.0.0.1:{rig.port}/mqtt",
        sock=link(rig, address),
        subprotocols=["mqtt"],  # type: ignore[list-item]
        compression=None,
        open_timeout=PATIENCE,
        close_timeout=1,
    )


@contextlib.contextmanager
def phone(rig: Rig, seat: Seat, address: str = TABLE) -> Iterator[ClientConnection]:
    """A phone that has logged in from that address."""
    with pipe(rig, address) as opened:
        opened.send(log_in(seat.sid, seat.password))
        assert opened.recv(timeout=PATIENCE) == LET_IN
        yield opened


def page(rig: Rig, address: str = TABLE) -> int:
    """Load a page from that address; its status."""
    asked = http.client.HTTPConnection("127.0.0.1", rig.port, timeout=PATIENCE, source_address=(address, 0))
    with contextlib.closing(asked):
        asked.request("GET", "/t/1")
        answer = asked.getresponse()
        answer.read()
        return answer.status


def is_heard(rig: Rig, seat: Seat, opened: ClientConnection, n: int) -> bool:
    """Whether a request of this phone reaches the table."""
    topic = rig.topics.act(seat.sid).encode()
    letter = seat.keys.encrypt(act(n))
    body = len(topic).to_bytes(2, "big") + topic + letter
    opened.send(b"\x30" + bytes([len(body) & 127 | 128, len(body) >> 7]) + body)
    while rig.heard.get(timeout=PATIENCE).sid != seat.sid:
        pass
    return True


def answer_to(rig: Rig, address: str) -> tuple[int, str, bytes]:
    """Load a page; its status, when to come again, and what it says."""
    asked = http.client.HTTPConnection("127.0.0.1", rig.port, timeout=PATIENCE, source_address=(address, 0))
    with contextlib.closing(asked):
        asked.request("GET", "/t/1")
        answer = asked.getresponse()
        return answer.status, answer.headers.get("Retry-After", ""), answer.read()


def test_a_connection_beyond_a_networks_share_is_told_to_come_again(rig: Rig) -> None:
    with contextlib.ExitStack() as many:
        for _ in range(LIMITS.connections_each_address - 1):
            many.enter_context(contextlib.closing(link(rig, STRANGERS[0])))
        until(lambda: web(rig).connections == LIMITS.connections_each_address - 1, "all but one")
        assert answer_to(rig, STRANGERS[0])[0] == 200, "the last place"
        until(lambda: web(rig).connections == LIMITS.connections_each_address - 1, "it is free again")
        many.enter_context(contextlib.closing(link(rig, STRANGERS[0])))
        until(lambda: web(rig).connections == LIMITS.connections_each_address, "all places")
        status, again, said = answer_to(rig, STRANGERS[0])
        assert (status, again) == (503, "5")
        assert b"tries again in 5 seconds" in said
        assert b"5 Sekunden" in said
    until(lambda: web(rig).connections == 0, "they are gone")
    assert answer_to(rig, STRANGERS[0])[0] == 200


def test_a_connection_waits_a_little_for_a_place_that_becomes_free(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedHttp, "REFUSED_SECONDS", PATIENCE)
    with contextlib.ExitStack() as many, ThreadPoolExecutor(1) as beside:
        held = [many.enter_context(link(rig, STRANGERS[0])) for _ in range(LIMITS.connections_each_address)]
        until(lambda: web(rig).connections == len(held), "all places")
        answer = beside.submit(answer_to, rig, STRANGERS[0])
        until(lambda: arrivals(rig).refused == 1, "one more that waits")
        held[0].close()
        assert answer.result()[0] == 200
    until(lambda: (web(rig).connections, arrivals(rig).refused) == (0, 0), "they are gone")


def test_where_too_many_wait_already_one_more_is_told_so_as_soon_as_it_asks(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LimitedHttp, "REFUSED_SECONDS", 2 * PATIENCE)
    monkeypatch.setattr(Arrivals, "MOST_REFUSED", 1)
    with contextlib.ExitStack() as many:
        for _ in range(LIMITS.connections_each_address + 1):
            many.enter_context(contextlib.closing(link(rig, STRANGERS[0])))
        until(lambda: arrivals(rig).refused == 1, "one that waits")
        assert answer_to(rig, STRANGERS[0])[:2] == (503, "5")
        silent = many.enter_context(contextlib.closing(link(rig, STRANGERS[0])))
        assert silent.recv(1) == b"", "one that asks for nothing is cut"
        assert arrivals(rig).refused == 1


def test_strangers_that_come_faster_than_they_are_let_in_are_told_so(tmp_path: Any) -> None:
    limits = Limits(arrivals_burst=1.0, arrivals_each_second=0.001, head_seconds=1.0)
    rig = Rig(tmp_path, limits=limits)
    try:
        assert answer_to(rig, STRANGERS[0])[0] == 200
        assert answer_to(rig, STRANGERS[0])[:2] == (503, "5")
        assert answer_to(rig, STRANGERS[1])[0] == 200
    finally:
        rig.close()


def test_one_address_cannot_take_all_places_of_phones(rig: Rig) -> None:
    with contextlib.ExitStack() as many:
        for _ in range(LIMITS.phones_each_address):
            many.enter_context(pipe(rig, STRANGERS[0]))
        with pytest.raises(InvalidStatus) as refused, pipe(rig, STRANGERS[0]):
            pass
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "5"
        many.enter_context(pipe(rig, STRANGERS[1]))


@pytest.mark.parametrize(
    "words",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"POST /t/1/claim HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"],
)
def test_a_hundred_strangers_that_hold_every_connection_keep_no_phone_of_the_table_out(rig: Rig, words: bytes) -> None:
    seat, other = rig.seat(), rig.seat()
    with phone(rig, seat) as opened, contextlib.ExitStack() as many:
        for stranger in STRANGERS * 2:
            held = many.enter_context(link(rig, stranger))
            with contextlib.suppress(OSError):
                held.sendall(words)
        assert [page(rig) for _ in range(3)] == [200] * 3
        with phone(rig, other):
            pass
        assert page(rig, "127.0.0.1") == 200, "the kiosk on this machine"
        assert is_heard(rig, seat, opened, 1)


def test_pipes_without_a_log_in_take_no_place_of_who_has_one(rig: Rig) -> None:
    seat, other = rig.seat(), rig.seat()
    with phone(rig, seat) as opened, contextlib.ExitStack() as many:
        for stranger in STRANGERS[:40]:
            with contextlib.suppress(InvalidHandshake, ConnectionClosed, OSError):
                many.enter_context(pipe(rig, stranger))
        with phone(rig, other):
            pass
        time.sleep(GRACE_SECONDS)  # what strangers have sat on for so long goes to a phone that nobody knows yet, too
        with phone(rig, other, "127.0.0.78"):
            pass
        assert is_heard(rig, seat, opened, 1)


def test_a_wrong_log_in_is_none(rig: Rig) -> None:
    with pipe(rig, STRANGERS[0]) as opened:
        opened.send(log_in(rig.seat().sid, "guessed"))
        assert opened.recv(timeout=PATIENCE) == bytes.fromhex("20020005")
    assert STRANGERS[0] not in seated(rig)


def test_streams_of_strangers_take_no_place_of_the_tables_own(rig: Rig) -> None:
    rig.table.public.put(b"{}")
    seat = rig.seat()
    with contextlib.ExitStack() as many:
        for stranger in STRANGERS[:8]:
            held = many.enter_context(link(rig, stranger))
            held.sendall(b"GET /t/1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        until(lambda: web(rig).streams == 4, "the streams")
        kiosk = Follower(rig.port, own=True)
        assert kiosk.answer.status == 200
        with phone(rig, seat):
            asked = http.client.HTTPConnection("127.0.0.1", rig.port, timeout=PATIENCE, source_address=(TABLE, 0))
            asked.request("GET", "/t/1/events")
            answer = asked.getresponse()
            assert answer.status == 200, "the table's phones, too, before they have chosen a seat"
            answer.close()
            asked.close()
        kiosk.close()


def test_who_does_not_read_is_let_go(rig: Rig) -> None:
    with link(rig, STRANGERS[0], receives=4096) as deaf:
        deaf.settimeout(1.0)
        until(lambda: web(rig).connections == 1, "the connection")
        with contextlib.suppress(OSError):
            for _ in range(400):  # answers of 60 MB in all
                deaf.sendall(b"GET /vendor/mqtt.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        until(lambda: web(rig).connections == 0, "the end of a connection without a byte taken for 1 s")


def test_a_phone_that_does_not_read_is_let_go(rig: Rig) -> None:
    seat = rig.seat()
    topic = rig.topics.state.encode()
    subscribe = b"\0\1" + len(topic).to_bytes(2, "big") + topic + b"\0"
    with link(rig, STRANGERS[0], receives=4096) as deaf:
        deaf.sendall(
            b"GET /mqtt HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Protocol: mqtt\r\n\r\n"
        )
        assert deaf.recv(1024).startswith(b"HTTP/1.1 101")
        deaf.sendall(websocket_frame(0x82, log_in(seat.sid, seat.password)))
        until(lambda: STRANGERS[0] in seated(rig), "the login")
        assert web(rig).phones == 1
        rig.link.public.put(b"x" * 60_000)  # sent at once to whoever subscribes
        begun = time.monotonic()
        deaf.sendall(websocket_frame(0x82, bytes([0x82, len(subscribe)]) + subscribe))
        until(lambda: web(rig).phones == 0, "the end of a phone that has taken nothing for 1 s")
        assert time.monotonic() - begun < 15, "by that limit, and not by a ping without an answer, which takes 20 s"


def web(rig: Rig) -> WebServer:
    assert rig.web is not None
    return rig.web


def arrivals(rig: Rig) -> Arrivals:
    return web(rig)._router.arrivals


def seated(rig: Rig) -> Seated:
    return web(rig)._router.seated


def test_frames_of_one_reading_are_parsed_a_few_at_a_time(rig: Rig) -> None:
    """Forty thousand empty frames in one reading delay everybody else if they are parsed at once."""
    seat = rig.seat()
    with phone(rig, seat) as opened, contextlib.ExitStack() as many:
        flood = websocket_frame(0x82, b"") * 40_000
        for stranger in STRANGERS[:5]:
            bad = many.enter_context(pipe(rig, stranger))
            bad.socket.setblocking(False)
            with contextlib.suppress(OSError):
                bad.socket.send(flood)
        began = time.process_time()  # of the hub's thread here, however busy the machine is
        assert is_heard(rig, seat, opened, 1)
        assert time.process_time() - began < 0.05, "0.006 s, and 0.1 s if all frames of a reading are parsed at once"


@pytest.mark.parametrize(
    "slow", [{"pages_each_second": 0.001, "pages_burst": 3.0}, {"strangers_each_second": 0.001, "strangers_burst": 3.0}]
)
def test_strangers_come_at_a_pace_and_the_table_at_once(tmp_path: Any, slow: dict[str, float]) -> None:
    rig = Rig(tmp_path, limits=Limits(**slow))  # type: ignore[arg-type]
    try:
        seat = rig.seat()
        with phone(rig, seat):
            assert [page(rig, STRANGERS[0]) for _ in range(2)] == [200] * 2
            with contextlib.ExitStack() as many:
                waiting = [many.enter_context(link(rig, STRANGERS[0])) for _ in range(20)]
                for one in waiting:
                    one.sendall(b"GET /t/1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert [page(rig) for _ in range(10)] == [200] * 10
                waiting[-1].settimeout(0.3)
                with pytest.raises(TimeoutError):
                    waiting[-1].recv(1)
    finally:
        rig.close()
