"""What is fuzzed: everything that reads bytes from outside. Each target takes any bytes and raises where the hub is wrong.

What is refused with a sentence (a HubError) is right; anything else that is raised is a finding, and so is a refusal that
changes something.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from drivers.common import frames
from drivers.common.frames import FrameReader, Incoming, Who
from drivers.simulated import firmware
from hub import config, games
from hub.authoring.players import random_action, random_match
from hub.chance import Chance
from hub.engine.match import Entry, Match
from hub.errors import HubError, StartRefused
from hub.network import messages, staff_messages
from hub.network.encryption import DecryptionError, HubKey, SharedKey, from_base64, to_base64, unpad
from hub.network.other_hubs import OtherHubs
from hub.network.staff_verbs import STAFF_ARGS
from hub.network.verbs import ARGS
from hub.operations.referee import Referee, read_log
from hub.ports import LogEntry, PhoneLink, StaffRequest
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import MatchLog
from hub.table.restarts import RENAMES, RENAMES_SECONDS
from phone_ui.direct import DirectPhone
from phone_ui.mqtt_packets import (
    PacketReader,
    client_id,
    count_filters,
    keep_alive,
    keeps_session,
    packet_size,
    protocol_version,
    publish,
    read_filters,
    read_publish,
    user_name,
)
from tests.examples import examples
from tests.fuzz.mutate import MOST_BYTES
from tests.phone_ui.rig import Rig
from tests.phone_ui.slow_wire import SlowWire
from tests.table.fakes import MemoryStore, TableRig

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "build" / "fuzz"
"""Where what fails is kept, and what atheris has learned."""


class Target(NamedTuple):
    """One reader of bytes: `run` raises on a finding; `seeds` are right inputs to begin from."""

    run: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]


# --- the serial cable ------------------------------------------------------------------------------------


def serial(data: bytes) -> None:
    """The hub's end: whatever came before, the next whole frame is read, and pieces read like the whole."""
    whole = FrameReader(frames.TO_HUB)
    heard = whole.feed(data + b"\n")
    pieces, half = FrameReader(frames.TO_HUB), len(data) // 2
    assert [*pieces.feed(data[:half]), *pieces.feed(data[half:]), *pieces.feed(b"\n")] == heard
    good = frames.encode(frames.Ok(s=7, re=1))
    last: list[Incoming] = whole.feed(good)
    assert last[-1:] == [frames.decode(good.rstrip(b"\n"), frames.TO_HUB)]


def box(data: bytes) -> None:
    """The box's end, the firmware's own file: a frame that the hub sends is still read after it."""
    reader = _box_frames().FrameReader()
    list(reader.feed(data + b"\n"))
    found = list(reader.feed(frames.encode(Who(s=3))))
    assert found[-1:] == [{"t": "who", "s": 3}], found


@cache
def _box_frames() -> Any:
    return firmware.load("frames")


def _golden() -> list[bytes]:
    import tomllib

    golden = tomllib.loads((ROOT / "firmware" / "frames.toml").read_text("utf-8"))
    return [one["line"].encode() + b"\n" for part in ("frame", "garbled", "chatter") for one in golden[part]]


# --- what phones send ----------------------------------------------------------------------------------------


def wire(data: bytes) -> None:
    """JSON of requests and claims: read, or refused with a sentence."""
    for read in (messages.read_act, messages.read_claim, messages.read_claim_details):
        with suppress(messages.Malformed):
            read(data)


def encryption(data: bytes) -> None:
    """Nothing that was not encrypted with the seat's key is taken for a message."""
    with suppress(DecryptionError):
        unpad(data)
    with suppress(DecryptionError):
        text = data.decode("latin-1")
        assert to_base64(from_base64(text)).rstrip("=")[:-1] == text[:-1]
    try:
        _shared().decrypt(data)
    except DecryptionError:
        return
    raise AssertionError("a message that nobody encrypted was decrypted")


@cache
def _shared() -> SharedKey:
    return HubKey.generate().with_phone(HubKey.generate().public)


class _Evening:
    """A table in a match, which takes request after request."""

    def __init__(self) -> None:
        self.rig = TableRig(3, offered=[games.find(name) for name in games.names()])
        self.rig.boxes_up()
        self.rig.sit()
        self.asked = 0


_EVENINGS: list[_Evening] = []


def request(data: bytes) -> None:
    """A decrypted request at a table: done or refused with a sentence, and the log on the disk replays."""
    try:
        act = messages.read_act(data)
    except messages.Malformed:
        return
    if not _EVENINGS or _EVENINGS[0].asked > 300:
        _EVENINGS[:] = [_Evening()]
    evening = _EVENINGS[0]
    rig, random = evening.rig, Random(data)
    evening.asked += 1
    rig.clock.time += RENAMES_SECONDS / RENAMES  # a guest who takes other names faster is answered later
    if rig.state["state"] in ("lobby", "over"):
        name = random.choice(games.names())
        rig.ready()
        rig.say(1, "start", {"game": name, "options": {}})
    seat = random.choice(sorted(rig.sids))
    answer = rig.say(seat, act.verb if act.verb != "leave" else "name", act.args, number=act.number)
    assert answer["ok"] or answer["error"].endswith((".", "!", "?")), answer
    match = rig.table.match
    assert match is None or match.fault is None
    assert match is None or match.log == rig.match.log


def _requests() -> list[bytes]:
    base = {"v": 1, "id": "0" * 16, "n": 1, "epoch": 1, "number": 4}
    asked = [(verb, args) for verb, fits in examples(ARGS).items() for args in fits]
    return [json.dumps({**base, "verb": verb, "args": args}).encode() for verb, args in asked]


_HOUSES: list[_Evening] = []


def staff(data: bytes) -> None:
    """What staff send: read, or refused; a decrypted request is done or refused with a sentence, and the log replays."""
    for read in (staff_messages.read_login, staff_messages.read_body, staff_messages.read_secret):
        with suppress(messages.Malformed):
            read(data)
    try:
        ask = staff_messages.read_ask(data)
    except messages.Malformed:
        return
    if not _HOUSES or _HOUSES[0].asked > 300:
        _HOUSES[:] = [_Evening()]
    evening = _HOUSES[0]
    rig = evening.rig
    evening.asked += 1
    if rig.state["state"] == "lobby":
        for number in [seat["seat"] for seat in rig.state["seats"] if seat["phone"] == "none"]:
            held = rig.claim(number, rig.table._seats[number].code)
            assert held is not None
            rig.sids[number] = held.sid
            rig.take(PhoneLink(held.sid, True))
        rig.ready()
        rig.say(1, "start", {"game": "bid-and-bait", "options": {}})
    answers: list[tuple[bool, str]] = []
    rig.take(StaffRequest(ask.verb, ask.args, lambda done, say: answers.append((done, say))))
    ((done, say),) = answers
    assert done or say.endswith((".", "!", "?")), say
    match = rig.table.match
    assert match is None or match.log == rig.match.log


def _staff_asks() -> list[bytes]:
    asked = [(verb, args) for verb, fits in examples(STAFF_ARGS).items() for args in fits]
    return [json.dumps({"n": 1, "verb": verb, "table": "1", "args": args}).encode() for verb, args in asked]


# --- the broker above ---------------------------------------------------------------------------------------------


def hubs(data: bytes) -> None:
    """What stands at the broker above: of any topic and payload what staff see can be written, and stays small."""
    topic, _, payload = data.partition(b" ")
    known = OtherHubs("cafe")
    for where in (
        topic.decode("utf-8", "replace"),
        "a/presence",
        "a/info",
        "a/table/1",
        "a/table/" + topic.decode("latin-1"),
    ):
        for retained in (True, False):
            known.on_message(f"table-hubs/1/cafe/{where}", payload, retained=retained)
    seen = known.snapshot("a", connected=True)
    assert len(msgspec.json.encode(seen)) < 4 * messages.MOST_BYTES


def _hubs() -> list[bytes]:
    table = b'{"session":"s","n":1,"name":"Table 1","state":"lobby","game":"","round":null,"seats":4,"people":0,"calls":0,"minutes_left":null,"until":null,"v":1}'
    info = b'{"session":"s","at":1790000000,"version":"1","tables":["1"],"series":"a","finished":3,"v":1}'
    return [
        b"b/table/1 " + table,
        b"b/info " + info,
        b'b/presence {"state":"online","session":"s","v":1}',
        b"b/table/1 ",
    ]


# --- the web port ------------------------------------------------------------------------------------------------


@cache
def _port() -> Rig:
    """The real port with its real broker, for as long as this process runs."""
    folder = _CLOSING.enter_context(tempfile.TemporaryDirectory())
    rig = Rig(Path(folder))
    _CLOSING.callback(rig.close)
    return rig


_CLOSING = ExitStack()


def close() -> None:
    """End what targets have started."""
    _CLOSING.close()
    _port.cache_clear()
    _loop.cache_clear()


class _Problems(logging.Handler):
    """Keeps what is logged as an error: an exception that the server swallowed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record))


@contextmanager
def _watched_port() -> Iterator[None]:
    """Give an input to the port: the port serves the next request, and has logged no error meanwhile.

    Other tests of this process may log errors before, and remove the handlers of loggers.
    """
    _port()
    problems, loggers = _Problems(), [logging.getLogger(), logging.getLogger("uvicorn")]  # the latter may not propagate
    for logger in loggers:
        logger.addHandler(problems)
    try:
        yield
        request = b"GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        assert _send(request, 10.0).startswith(b"HTTP/1.1 204"), "it answers nobody any more"
    finally:
        for logger in loggers:
            logger.removeHandler(problems)
    if problems.found:
        raise AssertionError(f"the hub failed: {problems.found[0]}")


def _send(data: bytes, patience: float) -> bytes:
    """Send bytes to the port; return what it answers until it closes, or says nothing for `patience` seconds."""
    with socket.create_connection(("127.0.0.1", _port().port), timeout=patience) as line:
        answer = b""
        with suppress(OSError):
            line.sendall(data)
            while piece := line.recv(65536):
                answer += piece
    return answer


def http(data: bytes) -> None:
    """Any bytes on the web port: answered, refused or closed; never a 500, and the next is served."""
    line = data.split(b"\r\n")[0]
    with _watched_port():
        if b"/events" not in line:  # a stream has no end
            answer = _send(data, 0.02)
            assert b"HTTP/1.1 500" not in answer[:20], answer[:300]


_HANDSHAKE = (
    b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
)


def websocket(data: bytes) -> None:
    """Any bytes after a right handshake: no trace, and the next is served."""
    with _watched_port():
        _send(_HANDSHAKE + data, 0.03)


def mqtt(data: bytes) -> None:
    """MQTT packets are the same however they are cut, and what is read in them is there or not."""
    cut, ended = _packets_of([data[at : at + 3] for at in range(0, len(data), 3)])
    assert (cut, ended) == _packets_of([data])
    assert ended or b"".join(cut) == data[: sum(map(len, cut))]
    for one in (*cut, data):
        for version in (4, 5):
            assert count_filters(one or b"\0", version) <= len(one)
        assert len(client_id(one)) <= len(one)
        assert user_name(one).encode() in one or "\ufffd" in user_name(one)
        assert keep_alive(one) < 1 << 16
        keeps_session(one)
        protocol_version(one)


def _packets_of(pieces: list[bytes]) -> tuple[list[bytes], bool]:
    """Return the packets of a stream, and whether it ended as no MQTT: with that all that came with it is lost."""
    reader, packets = PacketReader(8192), list[bytes]()
    for at, piece in enumerate(pieces):
        try:
            packets += reader.read(piece)
        except ValueError:
            return _before(b"".join(pieces[: at + 1])), True
    return packets, False


def _before(data: bytes) -> list[bytes]:
    """Return the whole packets before what is none."""
    packets = list[bytes]()
    while True:
        try:
            size = packet_size(data)
        except ValueError:
            return packets
        if not 0 < size <= min(len(data), 8192):
            return packets
        packets.append(data[:size])
        data = data[size:]


_LENGTH = rb"(?s:[\x80-\xff]{0,3}[\0-\x7f])"
_FOLLOWS = re.compile(rb"\x82" + _LENGTH + rb"(?s:(?!\0\0)..)((?:\0\x05state\0|\0\x04hand\0|\0\x03ack\0)+)")
_ASKS = re.compile(rb"(?s:(?:\x30" + _LENGTH + rb"\0\x03act|[\x32\x3a]" + _LENGTH + rb"\0\x03act(?!\0\0)(..))(.*))")
_OF_SUBSCRIBE = re.compile(rb"\0[\x03-\x05](state|hand|ack)")


def short_way(data: bytes) -> None:
    """Any packets: what is not for the direct path is left as it came, and nobody gets what it does not follow."""
    _loop().run_until_complete(_take_short_way(data))


async def _take_short_way(data: bytes) -> None:
    random, wire, heard = Random(data), SlowWire(), list[bytes]()
    wire.free.set()
    newest = {"state": b"state 0", "hand": b"hand 0"}
    pictures = {topic: (lambda topic=topic: newest[topic]) for topic in newest}
    phone = DirectPhone(wire, pictures, "ack", "act", heard.append)
    followed, at_broker = set[str](), set[str]()
    expected_heard, answers, acknowledged = list[bytes](), list[bytes](), list[bytes]()
    for number, packet in enumerate(_packets_of([data])[0]):
        is_taken = phone.handle(packet)
        follows, asks = _FOLLOWS.fullmatch(packet), _ASKS.fullmatch(packet)
        topics = {topic for topic, _ in read_filters(packet)} if packet[0] in (0x82, 0xA2) else set()
        if follows:
            topics = {found.decode() for found in _OF_SUBSCRIBE.findall(follows[1])}
            assert is_taken == (not topics & at_broker), packet
        else:
            assert is_taken == bool(asks), packet
        if asks:
            expected_heard.append(asks[2])
            acknowledged += [b"\x40\x02" + asks[1]] if asks[1] else []
        elif packet[0] == 0x82:
            followed = followed | topics if is_taken else followed - topics
            at_broker |= set() if is_taken else topics & {"state", "hand", "ack"}
        elif packet[0] == 0xA2:
            followed -= topics
            at_broker -= topics
        assert heard == expected_heard
        if random.random() < 0.3:
            (wire.free.clear if wire.free.is_set() else wire.free.set)()
            await asyncio.sleep(0)
        newest = {topic: b"%s %d" % (topic.encode(), number + 1) for topic in newest}
        answer = publish("ack", b"ack %d" % number)
        answers += [answer] if "ack" in followed else []
        phone.send([*((topic, publish(topic, one)) for topic, one in newest.items()), ("ack", answer)])
        phone.send([("another seat's hand", publish("another seat's hand", b"secret"))])
        assert {
            topic for topic in ("state", "hand", "ack", "act", "another seat's hand") if phone.is_subscribed(topic)
        } == followed
    wire.free.set()
    for _ in range(3):
        await asyncio.sleep(0)
    phone._flush()
    phone.end()
    _check_sent(wire.sent, answers, acknowledged, {topic: newest[topic] for topic in newest if topic in followed})


def _check_sent(sent: list[bytes], answers: list[bytes], acknowledged: list[bytes], last: dict[str, bytes]) -> None:
    came = [one for message in sent for one in PacketReader().read(message)]
    assert b"".join(came) == b"".join(sent), "a message holds whole packets"
    assert b"secret" not in b"".join(sent)
    assert [one for one in came if one in answers] == answers, "every answer, in order, once"
    assert set(acknowledged) <= set(came)
    for topic, payload in last.items():
        of_topic = [
            read.payload
            for one in came
            if one[0] & 0xF0 == 0x30 and (read := read_publish(one)) and read.topic == topic.encode()
        ]
        assert of_topic[-1:] == [payload], "the newest picture comes last"
        numbers = [int(one.rpartition(b" ")[2]) for one in of_topic]
        assert numbers == sorted(numbers), "no older picture behind a newer"


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    _CLOSING.callback(loop.close)
    return loop


def _frame(payload: bytes) -> bytes:
    return bytes((0x82, 0x80 | len(payload))) + b"\0\0\0\0" + payload


_CONNECT = bytes.fromhex("100e00044d5154540402003c00026161")
_SHORT = [
    bytes.fromhex("821700010005") + b"state\0\0\4hand\0\0\3ack\0",
    bytes.fromhex("820a0002") + b"\0\5state\1",
    bytes.fromhex("82090003") + b"\0\4hand\0",
    bytes.fromhex("82080004") + b"\0\3ack\0",
    bytes.fromhex("82080005") + b"\0\3act\0",
    bytes.fromhex("a2080006") + b"\0\4hand",
    bytes.fromhex("300a0003") + b"actask 1",
    bytes.fromhex("320c0003") + b"act\0\7ask 2",
    bytes.fromhex("3a0c0003") + b"act\0\7ask 2",
    bytes.fromhex("340c0003") + b"act\0\x08ask 3",
    bytes.fromhex("310a0003") + b"actask 4",
    b"\xc0\0",
]
_MQTT = [_CONNECT, b"\xc0\x00", bytes.fromhex("820800010003612f6200"), bytes.fromhex("300600036100016b"), b"\xe0\x00"]


# --- files and lines of owners ---------------------------------------------------------------------------------------


def referee(data: bytes) -> None:
    """A line is answered with a line of JSON, and what is refused has changed nothing."""
    random = Random(data)
    game = games.find(random.choice(games.names()))
    asked = Referee(game, game.seats[0], {}, Chance(1))
    asked.opening()
    for _ in range(random.randint(0, 6)):
        if asked.match.open and not asked.match.open.by_chance:
            asked.match.act(random_action(asked.match, random, Chance(2)))
        Chance(3).settle(asked.match)
    before = asked.match.fingerprint(), len(asked.match.log)
    for line in data.decode("utf-8", "replace").splitlines():
        answer = json.loads(asked.line(line))
        if answer["ok"]:
            before = asked.match.fingerprint(), len(asked.match.log)
        else:
            assert answer["error"]
            assert (asked.match.fingerprint(), len(asked.match.log)) == before
    assert asked.match.fault is None


def logs(data: bytes) -> None:
    """A log, damaged or of another hub: refused with a sentence, or it replays to just what it says.

    It is read as the hub does at its start, and as `table-hub replay` reads a file.
    """
    head, *lines = data.split(b"\n")
    entries = [LogEntry(number, line) for number, line in enumerate(line for line in lines if line)]
    store = MemoryStore()
    number = store.begin("1", head)
    store.append(number, entries)
    kept = KeptValues("1", store)
    kept.open()
    journal = logging.getLogger("hub.table.match.match_log")
    journal.disabled = True  # it tells of each log that is refused
    refused: StartRefused | None = None
    try:
        match = MatchLog(kept).resume({name: games.find(name) for name in games.names()})
        assert match is not None
        _check_replayed(match, [msgspec.json.decode(one.line, type=Entry) for one in entries])
    except StartRefused as error:
        refused = error
    finally:
        journal.disabled = False
    assert refused is None or (store.aside[number] and "\n" not in str(refused))
    assert store.load(number) == (head, entries), "whatever it is, it is kept"
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        Path(file.name).write_bytes(data)
        with suppress(HubError):
            said, read, _ = read_log(file.name)
            _check_replayed(Match.replay(games.find(said.game), said, read), read)


def _check_replayed(match: Match, entries: list[Entry]) -> None:
    """Raise AssertionError unless a match has done what each entry says; one that froze takes nothing after that."""
    done = [(one.seat, one.move, one.args) for one in match.log]
    assert done == [(one.seat, one.move, one.args) for one in entries][: len(done)]
    assert len(done) == len(entries) or match.fault


def _logs() -> list[bytes]:
    """Return the log of a match of each game, as far as one input may be long, and of its first steps."""
    found = []
    for name in games.names():
        game = games.find(name)
        match = random_match(game, tuple(range(1, game.seats[0] + 1)), {}, Random(1))
        lines = [msgspec.json.encode(one) for one in (match.head, *match.log)]
        found += [b"\n".join(lines[:count]) + b"\n" for count in (1, 4, 12, 60)]
    return [one for one in found if len(one) <= MOST_BYTES]


def _lines() -> list[bytes]:
    return [
        b'{"seat": 1, "move": "bid", "number": 3}', b'{"roll": [3]}', b'{"undo": 1}', b'{"show": "table"}', b'{"show": 2}',
        b'{"seat": 2, "roll": [6, 1]}', b'{"seat": 1, "move": "launch", "cards": ["I01", "D01"]}',
    ]  # fmt: skip


def configuration(data: bytes) -> None:
    """A configuration is read or refused with a sentence, and what was read is written and read back equal."""
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        Path(file.name).write_bytes(data)
        try:
            read = config.load(file.name)
        except HubError as error:
            if "\n" in str(error):
                raise AssertionError("more than one sentence") from error
            return
        text = config.dump(read)
        Path(file.name).write_text(text, "utf-8")
        assert config.load(file.name) == read


def _configurations() -> list[bytes]:
    lists = [one.read_bytes() for one in sorted((ROOT / "systemd").glob("*.toml"))]
    return [
        *lists,
        config.dump(config.Config()).encode(),
        b'[[table]]\nid = "1"\nseats = 3\n[[device]]\ndriver = "simulated"\n',
    ]


def deck(data: bytes) -> None:
    """An owner's cards are refused with a sentence, or can be played with."""
    random = Random(data)
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        Path(file.name).write_bytes(data)
        for name in games.names():
            try:
                game = games.find(name, Path(file.name))
                match, chance = Match(game, range(1, game.seats[0] + 1), {}), Chance(random.randrange(2**32))
            except HubError:
                continue
            for _ in range(25):
                if match.open is None:
                    break
                match.act(random_action(match, random, chance))
            assert match.fault is None


def _decks() -> list[bytes]:
    data = files("hub.games").joinpath("data")
    whole = [
        one.read_text("utf-8") for one in sorted(data.iterdir(), key=lambda one: one.name) if one.name.endswith(".toml")
    ]
    return [_part(text).encode() for text in whole]


def _part(text: str) -> str:
    """Return the lines of a data file that an owner may replace: those of [cards]."""
    kept, inside = [], False
    for line in text.splitlines():
        if line.startswith("["):
            inside = line.startswith("[cards]")
        if inside:
            kept.append(line)
    return "\n".join(kept)


TARGETS: dict[str, Target] = {
    "serial": Target(serial, _golden),
    "box": Target(box, _golden),
    "wire": Target(wire, _requests),
    "encryption": Target(encryption, lambda: [b"\0" * 552, b"abc-_", b"a" * 40 + b"\x80" + b"\0" * 20]),
    "request": Target(request, _requests),
    "staff": Target(staff, _staff_asks),
    "hubs": Target(hubs, _hubs),
    "http": Target(
        http,
        lambda: [
            b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /t/1/claim/abc HTTP/1.1\r\nHost: [::1]:80\r\nOrigin: http://[::1\r\nCookie: screen=a;b\r\n\r\n",
            b'POST /t/1/claim HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n{"seat": "1"}',
            b"POST /t/1/claim HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}x\r\n0\r\n\r\n",
            b"GET /static/../x HTTP/1.0\r\nRange: bytes=0-\r\nIf-None-Match: *\r\nAccept-Encoding: gzip;q=x\r\n\r\n",
            b"GET /code/\xff%00.json HTTP/1.1\r\nHost: a.local\r\nX-Forwarded-For: ::1, x\r\nForwarded: for=1\r\n\r\n",
            b"GET /mqtt HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        ],
    ),
    "websocket": Target(
        websocket, lambda: [*map(_frame, _MQTT), _frame(b"".join(_MQTT)), b"\x89\x80\0\0\0\0", b"\x81\x82\0\0\0\0hi"]
    ),
    "mqtt": Target(mqtt, lambda: [*_MQTT, b"".join(_MQTT)]),
    "short_way": Target(
        short_way,
        lambda: [*_SHORT, b"".join(_SHORT), b"".join(reversed(_SHORT)), _SHORT[0] + b"".join(_SHORT[5:8]) * 3],
    ),
    "referee": Target(referee, _lines),
    "logs": Target(logs, _logs),
    "configuration": Target(configuration, _configurations),
    "deck": Target(deck, _decks),
}
