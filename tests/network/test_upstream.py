"""The link to the broker above the hubs of a venue, on a real mosquitto: what goes up, comes down, and survives."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from hub.config import UpstreamPart
from hub.errors import ConfigError
from hub.network import upstream as module
from hub.network.connection import outside_endpoint
from hub.network.messages import Malformed, to_bytes
from hub.network.other_hubs import MOST_HUBS, MOST_TABLES, SILENT_SECONDS, OtherHubs
from hub.network.outside_link import MOST_BYTES, login_error
from hub.network.staff_messages import HubSeen
from hub.network.upstream import UpstreamLink
from hub.network.upstream_messages import KEPT_MATCHES, FinishedMatch, HubInfo, TableSummary, read_info, summary
from hub.state import Notice, PublicSeat, View, Waiting
from hub.store import Store
from tests.network.upstream_broker import PASSWORD, Certificates, CutLink, Ledger, Reader, UpstreamBroker
from tests.patience import PATIENCE
from tests.phone_ui.rig import STATE, until

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

HEAD = b'{"game":"goofspiel","version":1,"digest":"d","seats":[1,3],"options":{"cards":13},"v":1}'
OVER = b'{"winners":[3],"scores":{"1":4,"3":9},"why":"Seat 3 has most."}'
ROOT = "table-hubs/1/cafe"


def end_a_match(store: Store, times: int = 1) -> None:
    for _ in range(times):
        store.end(store.begin("1", HEAD), OVER)


class Rig:
    """One broker, and links of hubs with a database each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.broker = UpstreamBroker(folder / "up")
        self.links: list[UpstreamLink] = []
        self.stores: dict[str, Store] = {}
        self.readers: list[Reader] = []

    def store(self, hub: str) -> Store:
        if hub not in self.stores:
            self.stores[hub] = Store(self.folder / f"{hub}.db")
        return self.stores[hub]

    def link(self, hub: str, tables: tuple[str, ...] = ("1",), port: int = 0, **more: Any) -> UpstreamLink:
        keys = {"user": hub, "password_file": str(self.broker.folder / "password"), "venue": "cafe", **more}
        part = UpstreamPart(url=f"mqtt://127.0.0.1:{port or self.broker.port}", **keys)
        link = UpstreamLink(part, hub, tables, self.store(hub), self.folder / f"{hub}.json", Random(hub))
        self.links.append(link)
        link.start()
        return link

    def reader(self) -> Reader:
        return self.reader_of("#")

    def reader_of(self, pattern: str) -> Reader:
        self.readers.append(Reader(self.broker, pattern))
        return self.readers[-1]

    def close(self) -> None:
        for link in self.links:
            link.close()
        for reader in self.readers:
            reader.close()
        for store in self.stores.values():
            store.close()
        self.broker.stop(signal.SIGKILL)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def ledger_of(reader: Reader, hub: str) -> Ledger:
    ledger = Ledger()
    for told in reader.finished(hub):
        ledger.take(told)
    return ledger


def numbers(reader: Reader, hub: str) -> list[int]:
    return [told["number"] for told in reader.finished(hub)]


# --- what goes up, and comes down ---


@pytest.mark.broker
def test_hubs_of_a_venue_see_each_other_and_say_when_they_go(rig: Rig) -> None:
    rig.broker.start()
    reader, north, south = rig.reader(), rig.link("north"), rig.link("south")
    north.show(STATE, False)
    south.show(replace(STATE, state="playing", title="Goofspiel"), False)

    def seen_by(link: UpstreamLink, hub: str) -> HubSeen:
        nothing = HubSeen(hub, "unknown", None, "", [])
        return next((one for one in link.snapshot().hubs if one.hub == hub), nothing)

    until(lambda: seen_by(north, "south").state == "here" and bool(seen_by(north, "south").tables), "its table")
    assert seen_by(north, "south").tables[0].game == "Goofspiel"
    assert seen_by(north, "north").state == "own"
    until(lambda: seen_by(south, "north").state == "here", "the other one hears, too")
    south.close()
    until(lambda: seen_by(north, "south").state == "away", "the other hub goes")
    until(lambda: not reader.here("south"), "the reader hears it, too")
    reader.check()
    rig.broker.stop()
    until(lambda: seen_by(north, "south").state == "unknown", "without the broker nobody knows")
    assert not north.snapshot().up
    assert "lost" in north.snapshot().why


@pytest.mark.broker
def test_a_state_goes_up_once_and_whole_only_where_the_owner_asks_for_it(rig: Rig) -> None:
    rig.broker.start()
    reader, link = rig.reader(), rig.link("north")
    seats = [PublicSeat(1, "Ana", held=True), PublicSeat(2)]
    link.show(replace(STATE, seats=seats), False)
    until(lambda: reader.table("north").get("people") == 1, "the summary")
    for seq in range(20):
        link.show(replace(STATE, seats=seats, seq=seq), False)
    link.show(replace(STATE, seats=seats, notices=[Notice("help 1", "warning", "Seat 1 calls for help.")]), False)
    until(lambda: reader.table("north")["calls"] == 1, "the call")
    assert reader.table("north")["n"] == 2, "what has not changed is not sent"
    assert not any(b"Ana" in one.payload for one in reader.all)
    link.close()
    whole = rig.link("north", whole_state=True)
    whole.show(replace(STATE, seats=seats), False)
    until(lambda: "seats" in reader.json(f"{ROOT}/north/state/1"), "the whole state")
    assert b"Ana" in reader.newest[f"{ROOT}/north/state/1"]
    whole.close()
    rig.link("north")
    until(lambda: reader.newest[f"{ROOT}/north/state/1"] == b"", "it is told no more, so it goes")
    reader.check()


@pytest.mark.broker
def test_a_table_that_the_owner_took_away_goes_at_the_broker_too(rig: Rig) -> None:
    rig.broker.start()
    reader, link = rig.reader(), rig.link("north", ("1", "2"))
    for table in "12":
        link.show(replace(STATE, table=table), False)
    until(lambda: bool(reader.table("north", "2")), "two tables")
    link.close()
    link = rig.link("north", ("1",))
    link.show(STATE, False)
    until(lambda: reader.newest[f"{ROOT}/north/table/2"] == b"", "the table goes")
    assert reader.table("north", "1")


# --- finished matches ---


def test_what_a_finished_match_tells(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.db")
    end_a_match(store)
    match = store.begin("1", HEAD)
    store.end(match, b'{"left":true}')
    again = store.begin("2", HEAD)
    store.end(again, OVER)
    store.cut(again, 0)  # taken back, and played to another end
    store.end(again, OVER)
    found = [(number, json.loads(line)) for number, line in store.finished_after(0)]
    assert [(number, one["match"], one["replaces"]) for number, one in found] == [
        (1, "m-1", None),
        (2, "m-3", None),
        (3, "m-3", 2),
    ]
    first = msgspec.convert({"series": "s", "number": 1, **found[0][1]}, FinishedMatch)
    assert (first.game, first.options, first.seats, first.minutes) == ("goofspiel", {"cards": 13}, 2, 0.0)
    assert abs(first.ended - time.time()) < 60
    assert [number for number, _ in store.finished_after(1, 1)] == [2]
    assert store.finished() == 3
    store.close()


@pytest.mark.broker
@pytest.mark.long
def test_a_broker_that_is_killed_over_and_over_has_each_match_once_and_in_order(rig: Rig) -> None:
    rig.broker.start()
    reader, link, store = rig.reader(), rig.link("north"), rig.store("north")
    for _ in range(3):
        end_a_match(store, 10)
        link.show(replace(STATE, state="over"), False)
        until(lambda: bool(numbers(reader, "north")), "the first are told")
        rig.broker.stop(signal.SIGKILL)
        until(lambda: not link.snapshot().up, "the hub notices")
        end_a_match(store, 10)
        assert link.snapshot().waiting >= 10
        rig.broker.start()
        newest = store.finished()
        until(lambda newest=newest: max(numbers(reader, "north")) == newest, "all are told")  # type: ignore[misc]
    ledger = ledger_of(reader, "north")
    assert next(iter(ledger.numbers.values())).keys() == set(range(1, 61)), "none is missing"
    assert ledger.gaps.total() == 0
    assert len(ledger.numbers) == 1
    firsts = list(dict.fromkeys(numbers(reader, "north")))
    assert firsts == sorted(firsts), "in order, where they come for the first time"


@pytest.mark.broker
@pytest.mark.long
def test_a_link_that_forwards_nothing_any_more_is_found_out_and_all_is_told_afterwards(rig: Rig) -> None:
    rig.broker.start()
    wire = CutLink(rig.broker.port)
    reader, store = rig.reader(), rig.store("north")
    link = rig.link("north", port=wire.port)
    end_a_match(store, 3)
    until(lambda: numbers(reader, "north") == [1, 2, 3], "the first are told")
    wire.cut.set()
    end_a_match(store, 30)
    began = time.monotonic()
    for seq in range(100):
        link.show(replace(STATE, state="over", url=f"{seq}"), False)  # a table does not wait
    assert time.monotonic() - began < 1
    until(lambda: not link.snapshot().up, "the hub notices")
    assert time.monotonic() - began < 40
    wire.cut.clear()
    until(lambda: 33 in numbers(reader, "north"), "all are told")
    ledger = ledger_of(reader, "north")
    assert (ledger.gaps.total(), ledger.disorder, len(next(iter(ledger.numbers.values())))) == (0, 0, 33)
    wire.close()


@pytest.mark.broker
@pytest.mark.slow
def test_a_broker_that_has_forgotten_everything_gets_the_newest_again_and_a_late_reader_has_them(rig: Rig) -> None:
    rig.broker.start()
    reader, store = rig.reader(), rig.store("north")
    rig.link("north")
    end_a_match(store, KEPT_MATCHES + 6)
    newest = KEPT_MATCHES + 6
    until(lambda: reader.json(f"{ROOT}/north/info").get("finished") == newest, "all are acknowledged")
    reader.close()
    rig.readers.clear()
    rig.broker.stop(signal.SIGKILL)
    (rig.broker.folder / "mosquitto.db").unlink(missing_ok=True)
    rig.broker.start()
    until(lambda: rig.links[0].snapshot().up, "the hub is back")
    late = rig.reader()
    until(lambda: len({*numbers(late, "north")}) == KEPT_MATCHES, "the newest, though all were acknowledged once")
    assert {*numbers(late, "north")} == set(range(7, newest + 1))


@pytest.mark.broker
def test_a_hub_that_starts_again_tells_nothing_twice_to_a_broker_that_remembers(rig: Rig) -> None:
    rig.broker.start()
    reader, store = rig.reader(), rig.store("north")
    end_a_match(store, 5)
    first = rig.link("north")
    until(lambda: reader.json(f"{ROOT}/north/info").get("finished") == 5, "all are acknowledged")
    first.close()
    rig.link("north")
    end_a_match(store)
    until(lambda: 6 in numbers(reader, "north"), "the next")
    assert numbers(reader, "north") == [1, 2, 3, 4, 5, 6]


@pytest.mark.broker
def test_another_database_begins_another_numbering(rig: Rig) -> None:
    rig.broker.start()
    reader = rig.reader()
    end_a_match(rig.store("north"), 3)
    first = rig.link("north")
    until(lambda: reader.json(f"{ROOT}/north/info").get("finished") == 3, "three matches")
    first.close()
    rig.stores.pop("north").close()
    for file in rig.folder.glob("north.db*"):
        file.unlink()
    end_a_match(rig.store("north"))
    rig.link("north")
    until(lambda: len({told["series"] for told in reader.finished("north")}) == 2, "another numbering")
    assert numbers(reader, "north") == [1, 2, 3, 1]


# --- who means ill, and who is mistaken ---


@pytest.mark.broker
def test_what_a_stranger_writes_in_a_hubs_name_is_put_right(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "INFO_SECONDS", 0.5)
    rig.broker.start()
    reader, link = rig.reader(), rig.link("north")
    link.show(STATE, False)
    until(lambda: reader.here("north") and bool(reader.table("north")), "the hub is there")
    until(lambda: "finished" in reader.json(f"{ROOT}/north/info"), "it has told all")
    right = reader.newest[f"{ROOT}/north/table/1"]
    stranger = rig.broker.client("stranger")
    stranger.connect("127.0.0.1", rig.broker.port)
    stranger.loop_start()
    wrong = json.dumps(json.loads(right) | {"session": "other", "calls": 99}).encode()
    for topic, payload in (("table/1", wrong), ("presence", b'{"state":"offline","session":"x"}'), ("presence", b"?")):
        stranger.publish(f"{ROOT}/north/{topic}", payload, qos=1, retain=True).wait_for_publish(10)
    until(lambda: any(one.payload == wrong for one in reader.all), "the stranger's message")
    until(lambda: reader.newest[f"{ROOT}/north/table/1"] == right and reader.here("north"), "it is put right")
    stranger.publish(f"{ROOT}/north/table/1", b"", qos=1, retain=True).wait_for_publish(10)
    until(lambda: reader.newest[f"{ROOT}/north/table/1"] == b"", "the stranger's message")
    until(lambda: reader.newest[f"{ROOT}/north/table/1"] == right, "it is put right")
    stranger.disconnect()
    stranger.loop_stop()


@pytest.mark.broker
def test_two_hubs_of_one_name_are_told(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    rig.broker.start()
    link = rig.link("north")
    reader = rig.reader()
    until(lambda: "finished" in reader.json(f"{ROOT}/north/info"), "it has told all")
    stranger = rig.broker.client("stranger")
    stranger.connect("127.0.0.1", rig.broker.port)
    stranger.loop_start()
    twin = reader.json(f"{ROOT}/north/info") | {"series": secrets.token_hex(8)}
    stranger.publish(f"{ROOT}/north/info", json.dumps(twin), qos=1).wait_for_publish(10)
    until(lambda: link.snapshot().twin, "the twin")
    until(lambda: "has the same id, north" in caplog.text, "its line in the journal")
    stranger.disconnect()
    stranger.loop_stop()


@pytest.mark.broker
def test_a_login_that_is_refused_is_said_once_and_without_the_password(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.broker.start()
    link = rig.link("nobody")
    until(lambda: "refuses the hub's login" in link.snapshot().why, "the reason")
    link.close()
    assert caplog.text.count("refuses") == 1
    assert PASSWORD not in caplog.text


@dataclass
class Wrong:
    """What is wrong between a hub and a broker with TLS, and what is said of it."""

    said: str
    name: str = "IP:127.0.0.1"
    days: int = 2
    tls: bool = True
    hub: dict[str, Any] = field(default_factory=dict)


WRONG = {
    "another authority": Wrong("was not signed by an authority that the hub trusts: check `ca_file`.", hub={"ca_file": "other/ca.pem"}),
    "expired": Wrong("has expired: it needs a new one, if the hub's clock is right.", days=-1),
    "another address": Wrong("is for another address than the one in `url`.", name="IP:127.0.0.2"),
    "no TLS there": Wrong("hangs up without an answer: does it use TLS on that port?", tls=False),
    "TLS not asked for": Wrong("hangs up without an answer: does it need mqtts:// there?", hub={"url": "mqtt"}),
    "password": Wrong("refuses the hub's login (Not authorized).", hub={"password_file": "other/password"}),
}  # fmt: skip


@pytest.mark.broker
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.filterwarnings(
    "ignore:.*SSLSocket:pytest.PytestUnraisableExceptionWarning"
)  # paho leaves it to be collected
@pytest.mark.parametrize("which", list(WRONG))
def test_what_is_wrong_with_a_broker_over_tls_is_one_sentence_and_says_what_to_look_at(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, which: str
) -> None:
    wrong = WRONG[which]
    certificates = Certificates(tmp_path / "tls", wrong.name, wrong.days)
    Certificates(tmp_path / "other")
    (tmp_path / "other" / "password").write_text("what nobody has chosen\n")
    broker = UpstreamBroker(tmp_path / "up", certificates=certificates if wrong.tls else None)
    files = {name: str(tmp_path / file) for name, file in wrong.hub.items() if name != "url"}
    keys: dict[str, Any] = {"password_file": str(broker.folder / "password")}
    keys |= {} if "url" in wrong.hub else {"ca_file": str(certificates.ca)}
    keys |= files
    part = UpstreamPart(
        url=f"{wrong.hub.get('url', 'mqtts')}://127.0.0.1:{broker.port}", user="north", venue="cafe", **keys
    )
    broker.start()
    with closing(Store(tmp_path / "a.db")) as store:
        link = UpstreamLink(part, "north", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        until(lambda: bool(link.snapshot().why), "the reason")
        time.sleep(1.5)  # it tries again
        link.close()
    broker.stop(signal.SIGKILL)
    why = link.snapshot().why
    assert wrong.said in why
    assert why.count(". ") == 0
    assert len(why) <= 119
    assert caplog.text.count(wrong.said) == 1
    assert PASSWORD not in caplog.text


@pytest.mark.broker
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_over_tls_all_goes_up_and_the_doctor_would_be_let_in(tmp_path: Path) -> None:
    broker = UpstreamBroker(tmp_path / "up", certificates=Certificates(tmp_path / "tls"))
    keys: dict[str, Any] = {
        "ca_file": str(tmp_path / "tls" / "ca.pem"),
        "password_file": str(broker.folder / "password"),
    }
    part = UpstreamPart(url=f"mqtts://127.0.0.1:{broker.port}", user="north", venue="cafe", **keys)
    broker.start()
    with closing(Store(tmp_path / "a.db")) as store, closing(Reader(broker)) as reader:
        link = UpstreamLink(part, "north", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        link.show(STATE, False)
        until(lambda: reader.here("north") and bool(reader.table("north")), "its table")
        assert login_error(outside_endpoint(part, "upstream", "north")) == ""
        link.close()
    broker.stop(signal.SIGKILL)


@pytest.mark.broker
def test_what_everybody_may_ask_of_the_link_does_not_say_where_the_broker_is(rig: Rig) -> None:
    rig.broker.start()
    link = rig.link("north")
    until(lambda: link.snapshot().up, "the link")
    seen = [str(link.status())]
    rig.broker.stop()
    until(lambda: bool(link.snapshot().why), "the reason")
    seen.append(str(link.status()))
    assert str(rig.broker.port) in link.snapshot().why, "staff see it"
    for one in seen:
        assert str(rig.broker.port) not in one
        assert "127.0.0.1" not in one


# --- messages without measure ---


def highest_memory() -> int:
    """The most memory of this process since `forget_memory`, in kB (proc(5), VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def forget_memory() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return highest_memory()


def worded(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def header(kind: int, size: int) -> bytes:
    """Return a packet's fixed header (MQTT 5.0, sections 2.1.1 and 1.5.5)."""
    lengths = [size & 127]
    while size := size >> 7:
        lengths.append(size & 127)
    return bytes([kind, *(one | 128 for one in lengths[:-1]), lengths[-1]])


def publish_retained(port: int, topic: str, size: int) -> None:
    """Publish a retained message of `size` bytes as the stranger, without holding it in memory here."""
    connect = b"\0\4MQTT\4\xc2\0\x3c" + b"".join(worded(one.encode()) for one in ("evil", "stranger", PASSWORD))
    with socket.create_connection(("127.0.0.1", port)) as wire:
        wire.settimeout(PATIENCE)
        wire.sendall(header(0x10, len(connect)) + connect)
        assert wire.recv(4)[3] == 0
        wire.sendall(header(0x33, 2 + len(topic) + 2 + size) + worded(topic.encode()) + b"\0\1")
        piece = b"x" * 1_000_000
        for _ in range(size // len(piece)):
            wire.sendall(piece)
        wire.sendall(b"x" * (size % len(piece)))
        assert wire.recv(4)[:1] == b"\x40"


@pytest.mark.broker
@pytest.mark.slow
def test_a_huge_retained_message_at_the_broker_above_takes_no_memory_and_the_link_lasts(rig: Rig) -> None:
    rig.broker.start()
    publish_retained(rig.broker.port, f"{ROOT}/other/presence", 150_000_000)
    reader = rig.reader_of(f"{ROOT}/north/#")
    before = forget_memory()
    link = rig.link("north")
    link.show(STATE, False)
    until(lambda: reader.here("north") and bool(reader.table("north")), "what goes up")
    south = rig.link("south")
    until(lambda: any(one.hub == "south" and one.state == "here" for one in link.snapshot().hubs), "what comes down")
    assert highest_memory() - before < 30_000, "kB"
    assert link.snapshot().up
    assert not link.status()["too_large"]
    south.close()


class RawBroker:
    """A broker that sends what it likes. `speaks` is the newest level of MQTT that it knows: 4 is 3.1.1, 5 is 5."""

    def __init__(self, speaks: int = 5) -> None:
        self.speaks, self.levels = speaks, list[int]()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.part = UpstreamPart(f"mqtt://127.0.0.1:{self.listener.getsockname()[1]}")
        self.connect = b""

    def accept(self) -> socket.socket:
        """Return the next connection whose protocol it speaks, let in."""
        while True:
            wire, _ = self.listener.accept()
            wire.settimeout(PATIENCE)
            self.connect = wire.recv(4096)
            self.levels.append(self.connect[self.connect.index(b"MQTT") + 4])
            if self.levels[-1] <= self.speaks:
                wire.sendall(b"\x20\x03\0\0\0" if self.levels[-1] == 5 else b"\x20\x02\0\0")
                return wire
            with wire:
                wire.sendall(b"\x20\x02\0\1")  # CONNACK of 3.1.1: unacceptable protocol version


def is_ended(wire: socket.socket) -> bool:
    """Return whether the other end closes the connection, once what it has sent is read."""
    try:
        while wire.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        pass
    return True


def reads_on(wire: socket.socket, speaks: int) -> bool:
    """Return whether the other end acknowledges one more message: it has read what came before, and the link lasts."""
    packet = b"\x7e\x7f"
    body = worded(b"table-hubs/1/venue/x/presence") + packet + (b"\0" if speaks == 5 else b"") + b"after"
    wire.sendall(header(0x32, len(body)) + body)
    said = b""
    while not re.search(rb"\x40[\x02-\x04]" + packet, said):  # PUBACK
        if not (more := wire.recv(65536)):
            return False
        said += more
    return True


@pytest.mark.parametrize("speaks", [5, 4])
@pytest.mark.parametrize(
    ("size", "is_taken"), [(MOST_BYTES - 1, True), (MOST_BYTES, True), (MOST_BYTES + 1, False), (200_000_000, False)]
)
def test_a_packet_over_64_kb_is_not_read_whatever_the_broker_speaks(
    tmp_path: Path, speaks: int, size: int, is_taken: bool, caplog: pytest.LogCaptureFixture
) -> None:
    broker = RawBroker(speaks)
    with closing(broker.listener), closing(Store(tmp_path / "a.db")) as store:
        link = UpstreamLink(broker.part, "hub", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        with broker.accept() as wire:
            assert broker.levels == ([5] if speaks == 5 else [5, 4])
            assert (b"\x27" + MOST_BYTES.to_bytes(4, "big") in broker.connect) is (speaks == 5), "Maximum Packet Size"
            before = forget_memory()
            topic = worded(b"table-hubs/1/venue/x/presence") + (b"\0" if speaks == 5 else b"")
            wire.sendall(header(0x30, size) + topic)
            if is_taken:
                wire.sendall(b"x" * (size - len(topic)))
                assert reads_on(wire, speaks)
                assert link.snapshot().up
            else:
                assert is_ended(wire)
                until(lambda: link.status()["too_large"], "what the doctor is told")
                assert "sends a message of more than 64 kB" in link.snapshot().why
                broker.listener.settimeout(3.0)
                with pytest.raises(TimeoutError):
                    broker.listener.accept()  # it does not come again at once
                assert caplog.text.count("more than 64 kB") == 1
            assert highest_memory() - before < 20_000
        link.close()


@pytest.mark.parametrize("speaks", [5, 4])
@pytest.mark.parametrize(("qos", "is_taken"), [(0, True), (1, True), (2, False)])
def test_messages_that_a_broker_may_hold_open_are_not_kept(
    tmp_path: Path, speaks: int, qos: int, is_taken: bool
) -> None:
    """One of QoS 2 is kept until its sender releases it: 65,535 of them at a time, though the hub asks for none."""
    broker = RawBroker(speaks)
    with closing(broker.listener), closing(Store(tmp_path / "a.db")) as store:
        link = UpstreamLink(broker.part, "hub", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        with broker.accept() as wire:
            before = forget_memory()
            ended = False
            try:
                for number in range(1, 601 if qos == 2 else 3):
                    packet = number.to_bytes(2, "big") if qos else b""
                    head = worded(b"table-hubs/1/venue/x/presence") + packet + (b"\0" if speaks == 5 else b"")
                    wire.sendall(header(0x30 | qos << 1, 60_000) + head.ljust(60_000, b"x"))
            except OSError:
                ended = True
            assert reads_on(wire, speaks) if is_taken else ended or is_ended(wire)
            until(lambda: link.snapshot().up is is_taken, "the link, which notices it itself")
            assert highest_memory() - before < 20_000
        link.close()


def test_a_broker_that_hangs_up_on_mqtt_5_is_asked_in_the_older_way(tmp_path: Path) -> None:
    broker = RawBroker()
    with closing(broker.listener), closing(Store(tmp_path / "a.db")) as store:
        link = UpstreamLink(broker.part, "hub", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        levels = []
        for _ in range(3):
            with broker.listener.accept()[0] as wire:
                said = wire.recv(4096)
                levels.append(said[said.index(b"MQTT") + 4])
        assert levels == [5, 4, 5]
        link.close()


def test_the_doctor_asks_a_broker_that_speaks_mqtt_3_only(tmp_path: Path) -> None:
    broker = RawBroker(4)
    with closing(broker.listener):
        asked = ThreadPoolExecutor(1).submit(login_error, outside_endpoint(broker.part, "upstream", "north"))
        broker.accept().close()
        assert asked.result(PATIENCE) == ""
        assert broker.levels == [5, 4]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x32\x03\x00\x01a",
        b"\x30\x04\x00\x01\xffx",
        b"\x30\x00",
        b"\x90\x00",
        b"\x40\x01\x00",
        b"\xf0\xff\xff\xff\xff\xff",
        b"\x00" * 50,
        b"HTTP/1.1 400",
    ],
)
def test_a_broker_that_talks_nonsense_ends_nothing(tmp_path: Path, garbage: bytes) -> None:
    came = 0
    with socket.create_server(("127.0.0.1", 0)) as listener, closing(Store(tmp_path / "a.db")) as store:
        listener.settimeout(PATIENCE)
        part = UpstreamPart(f"mqtt://127.0.0.1:{listener.getsockname()[1]}")
        link = UpstreamLink(part, "hub", ["1"], store, tmp_path / "up.json", Random(1))
        link.start()
        for _ in range(2):  # it comes again
            with listener.accept()[0] as talker:
                talker.recv(1000)
                talker.sendall(b"\x20\x02\x00\x00")
                talker.sendall(garbage)
                came += 1
        assert link._thread.is_alive()
        link.close()
    assert came == 2


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"password_file": "/no-such-file"}, r"\[upstream\] /no-such-file: cannot be used \(FileNotFoundError"),
        ({"url": "mqtts://up", "ca_file": "/no-such-file"}, r"\[upstream\] /no-such-file: cannot be used"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_file(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    part = UpstreamPart(**{"url": "mqtt://up", "user": "hub", **more})
    store = Store(tmp_path / "a.db")
    with pytest.raises(ConfigError, match=sentence):
        UpstreamLink(part, "hub", ["1"], store, tmp_path / "up.json", Random(1))
    store.close()


# --- what other hubs may say ---


def info(**more: Any) -> bytes:
    told = {"session": "s", "at": 1000, "version": "1", "tables": ["1"], "series": "a", "finished": 0, "v": 1}
    return json.dumps(told | more).encode()


def table_summary(**more: Any) -> bytes:
    told = TableSummary("s", 1, "Table 1", "lobby", "", None, 4, 0, 0, None, None)
    return json.dumps(msgspec.to_builtins(told) | more).encode()


def take(hubs: OtherHubs, topic: str, payload: bytes, *, retained: bool = False) -> None:
    hubs.on_message(f"{ROOT}/{topic}", payload, retained=retained)


ONLINE = b'{"state":"online","session":"s","v":1}'


def state_of(hubs: OtherHubs) -> list[tuple[str, str]]:
    return [(one.hub, one.state) for one in hubs.snapshot("north", connected=True)]


def test_a_hub_that_is_silent_for_three_minutes_is_away_whatever_it_said() -> None:
    now = [1000.0]
    hubs = OtherHubs("cafe", lambda: now[0])
    take(hubs, "south/presence", ONLINE, retained=True)
    take(hubs, "south/info", info(), retained=True)
    assert state_of(hubs) == [("south", "here")]
    now[0] += SILENT_SECONDS + 1
    assert state_of(hubs) == [("south", "away")]
    take(hubs, "south/info", info(at=0))  # its clock is not set: what counts is when it was heard
    assert state_of(hubs) == [("south", "here")]
    assert hubs.snapshot("north", connected=True)[0].heard == int(now[0])


def test_a_later_hub_may_say_more() -> None:
    hubs = OtherHubs("cafe")
    take(hubs, "south/table/1", table_summary(colour="red"))
    assert hubs.snapshot("north", connected=True)[0].tables[0].name == "Table 1"


def test_an_older_summary_that_a_killed_broker_brings_back_is_passed_over() -> None:
    hubs = OtherHubs("cafe")
    take(hubs, "south/table/1", table_summary(n=7, calls=1))
    take(hubs, "south/table/1", table_summary(n=6), retained=True)
    assert hubs.snapshot("north", connected=True)[0].tables[0].calls == 1
    take(hubs, "south/table/1", table_summary(n=1, session="the next start"))
    assert hubs.snapshot("north", connected=True)[0].tables[0].calls == 0


@pytest.mark.parametrize(
    ("topic", "payload"),
    [
        ("south/table/1", b"{"),
        ("south/table/1", table_summary(name="x" * 81)),
        ("south/table/1", table_summary(state="won")),
        ("south/table/1", table_summary(seats=-1)),
        ("south/table/1", table_summary(round=10**30)),
        ("south/table/1", b"[" * 5000),
        ("south/table/a/b", table_summary()),
        ("south/table/<b>", table_summary()),
        ("so uth/presence", ONLINE),
        ("../presence", ONLINE),
        ("south/seat/1/act", ONLINE),
        ("south", ONLINE),
        ("", ONLINE),
    ],
)
def test_what_is_not_as_it_should_be_changes_nothing(topic: str, payload: bytes) -> None:
    hubs = OtherHubs("cafe")
    take(hubs, topic, payload)
    assert hubs.snapshot("north", connected=True) == []


def test_whoever_writes_without_end_fills_no_memory() -> None:
    hubs = OtherHubs("cafe")
    for number in range(3 * MOST_HUBS):
        take(hubs, f"hub-{number}/presence", ONLINE)
        take(hubs, f"hub-0/table/{number}", table_summary())
    seen = hubs.snapshot("north", connected=True)
    assert len(seen) == MOST_HUBS
    assert len(next(one for one in seen if one.hub == "hub-0").tables) == MOST_TABLES


def test_a_hub_of_200_tables_is_known_to_the_others() -> None:
    tables = [f"{number:032}" for number in range(200)]
    told = to_bytes(HubInfo("s", 1_000, "1.0", tables, "series", 0))
    assert read_info(told).tables == tables
    with pytest.raises(Malformed):
        read_info(to_bytes(HubInfo("s", 1_000, "1.0", [f"{number}" for number in range(257)], "series", 0)))


def test_the_summary_has_no_field_for_a_guest_or_a_secret() -> None:
    """Each field is counted here: a new one is to be looked at."""
    assert set(TableSummary.__struct_fields__) == {
        "session", "n", "name", "state", "game", "round", "seats", "people", "calls", "minutes_left", "until", "v",
    }  # fmt: skip
    assert set(FinishedMatch.__struct_fields__) == {
        "series", "number", "match", "table", "game", "options", "seats", "actions", "minutes", "ended", "replaces", "v",
    }  # fmt: skip
    seats = [PublicSeat(1, "Ana", held=True), PublicSeat(2, "House", held=True, house="steady"), PublicSeat(3)]
    view = View("bid-it", 4, "bids", {"secret?": 1}, {"1": {"fish": "pike"}}, Waiting(seats=[]))
    busy = replace(STATE, state="playing", title="Bid*It!", seats=seats, view=view, minutes_left=(5, 12))
    told = msgspec.json.encode(summary(busy, "s", 3)).decode()
    assert not [word for word in ("Ana", "FISH", "pike", "secret") if word in told]
    assert json.loads(told) == {
        "session": "s", "n": 3, "name": "Table 1", "state": "playing", "game": "Bid*It!", "round": 4, "seats": 3,
        "people": 1, "calls": 0, "minutes_left": 12, "until": None, "v": 1,
    }  # fmt: skip
