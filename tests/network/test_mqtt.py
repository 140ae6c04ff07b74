"""The managed broker: private, found or missed with a sentence, killed and back with everything it knew."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from hub.config import BrokerPart
from hub.errors import BrokerError, ConfigError, TemporaryError
from hub.network import connection, dynsec
from hub.network.bounded import LARGEST_PACKET
from hub.network.dynsec import MESSAGE_BYTES, NAMES_AT_ONCE, DynsecLogins, Login
from hub.network.messages import Topics
from hub.network.mosquitto import PLUGIN, PLUGIN_FOLDERS, USER, Mosquitto, first_logins
from hub.network.mqtt import MqttBroker
from hub.ports import BrokerDown, BrokerUp
from tests.free_port import free_port
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.broker
READS, WRITES = ["th/1/hub/1/pub/state", "th/1/hub/1/pub/other"], ["th/1/hub/1/seat/a/act"]


class BrokerSignals:
    """The signals that a broker sends to its tables."""

    def __init__(self) -> None:
        self.queue: queue.Queue[BrokerUp | BrokerDown] = queue.Queue()

    def up(self) -> None:
        broker_signal = self.queue.get(timeout=PATIENCE)
        assert isinstance(broker_signal, BrokerUp), broker_signal

    def down(self) -> str:
        broker_signal = self.queue.get(timeout=PATIENCE)
        assert isinstance(broker_signal, BrokerDown), broker_signal
        return broker_signal.why


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., tuple[MqttBroker, BrokerSignals]]]:
    made: list[MqttBroker] = []

    def one(folder: Path = tmp_path / "broker", **part: Any) -> tuple[MqttBroker, BrokerSignals]:
        signals = BrokerSignals()
        made.append(MqttBroker(BrokerPart(**part), folder, "hub", ["1"], signals.queue.put))
        return made[-1], signals

    yield one
    for broker in made:
        broker.close()


def subscribed(broker: MqttBroker, pattern: str) -> queue.Queue[tuple[str, bytes, bool]]:
    """Return the messages that the hub's own connection receives there."""
    received: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    broker.subscribe(pattern, lambda *message: received.put(message))
    return received


def sockets_of(pid: int) -> set[str]:
    """Inode numbers of a process's sockets."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def test_the_broker_has_no_network_port_at_all(make: Any) -> None:
    broker, signals = make()
    broker.start()
    signals.up()
    on_the_net = {
        line.split()[9]
        for table in ("tcp", "tcp6", "udp", "udp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    }
    assert sockets_of(broker.pid)
    assert not sockets_of(broker.pid) & on_the_net


def test_its_files_and_its_socket_are_the_hubs_alone(make: Any, tmp_path: Path) -> None:
    broker, signals = make()
    broker.start()
    signals.up()
    assert (tmp_path / "broker").stat().st_mode & 0o777 == 0o700
    for file in (tmp_path / "broker").iterdir():
        assert file.is_socket() or file.name == "lock" or not file.stat().st_mode & 0o077, file
    assert not list((tmp_path / "broker").glob("*.db"))


def test_a_missing_broker_is_one_sentence_with_the_command_that_helps(make: Any) -> None:
    broker, _ = make(program="no-such-mosquitto")
    with pytest.raises(BrokerError, match=r"'no-such-mosquitto' is not installed\. Run `sudo apt install mosquitto"):
        broker.start()


def test_a_missing_plugin_is_one_sentence_with_the_command_that_helps(tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match=r"mosquitto_dynamic_security\.so was not found.*Run `sudo apt install"):
        Mosquitto(tmp_path, plugins=["/nowhere"]).prepare()


def test_a_broker_that_cannot_start_is_reported_once_and_tried_again(make: Any) -> None:
    broker, signals = make(program="false")
    broker.start()
    assert "ended at once" in signals.down()
    broker.close()
    assert signals.queue.empty()


def test_a_killed_broker_is_back_with_logins_and_retained_messages(make: Any) -> None:
    broker, signals = make()
    received = subscribed(broker, "th/1/#")
    broker.publish("th/1/hub/1/pub/state", b"newest", retain=True)
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    for _ in range(3):
        assert broker.logins.admitted("a")
        old = broker.pid
        os.kill(old, signal.SIGKILL)
        assert "killed by signal 9" in signals.down()
        signals.up()
        assert broker.pid != old
    assert received.empty()  # the hub does not receive its own messages
    MqttReader(broker.address.path, "a", "secret", "th/1/hub/1/pub/state").until(b"newest")


def test_the_link_lasts_where_a_crowd_holds_more_files_than_select_knows(make: Any) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as crowd:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(2048, hard), hard))
        crowd.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        while (file := os.open(os.devnull, os.O_RDONLY)) < 1024:
            crowd.callback(os.close, file)
        crowd.callback(os.close, file)
        broker, signals = make()
        broker.start()
        signals.up()
        broker.logins.admit("a", "secret", READS, WRITES)
        until(lambda: broker.logins.admitted("a"))
        broker.close()


def admit(broker: MqttBroker, *numbers: int) -> list[str]:
    """Queue logins as seats have them, six at a table."""
    for number in numbers:
        topics = Topics("hub", str(number // 6))
        broker.logins.admit(
            f"s{number:023}", "secret", topics.may_read(f"s{number:023}"), topics.may_write(f"s{number:023}")
        )
    return [f"s{number:023}" for number in numbers]


def all_in(broker: MqttBroker, sids: list[str]) -> bool:
    return all(broker.logins.admitted(sid) for sid in sids)


@pytest.mark.long
def test_a_house_of_1200_seats_is_let_in_again_after_its_broker_or_its_connection_has_ended(make: Any) -> None:
    broker, signals = make()
    seats = admit(broker, *range(1200))
    broker.start()
    signals.up()
    assert all_in(broker, seats), "a hub that starts"
    os.kill(broker.pid, signal.SIGKILL)
    signals.down()
    signals.up()
    assert all_in(broker, seats), "a broker that was killed"
    old = broker.pid
    broker.logins.release(seats[0])
    until(lambda: broker.logins.settled)
    cut(broker)
    signals.down()
    signals.up()
    assert (broker.pid, broker.logins.admitted(seats[0])) == (old, False)
    assert all_in(broker, seats[1:]), "a connection that was lost"
    began = time.monotonic()
    guests = admit(broker, *range(1200, 1320))
    assert time.monotonic() - began < 1, "120 guests within a second"
    until(
        lambda: all_in(broker, guests), lambda: broker.logins.answered
    )  # each one costs the broker a file of all logins
    assert signals.queue.empty(), "the link to the broker lasts"
    topics = Topics("hub", "219")
    broker.publish(topics.state, b"newest", retain=True)
    MqttReader(broker.address.path, guests[-1], "secret", topics.state).until(b"newest")


def cut(broker: MqttBroker) -> None:
    """End the hub's own connection, as the broker may."""
    taken = paho.Client(CallbackAPIVersion.VERSION2, client_id=USER, transport="unix")
    taken.username_pw_set(USER, broker._mosquitto.password)  # type: ignore[union-attr]
    taken.connect(broker.address.path, 1)
    taken.loop_start()
    until(taken.is_connected)
    taken.disconnect()
    taken.loop_stop()
    taken._reset_sockets()


def test_a_login_that_a_new_broker_begins_with_may_do_what_one_made_later_may(make: Any) -> None:
    assert_same(first_logins("x", {"a": Login("secret", tuple(READS), tuple(WRITES))}), made_later(make))


def made_later(make: Any) -> dict[str, Any]:
    """Return the plugin's file after a login was made by a command."""
    broker, signals = make()
    broker.start()
    signals.up()
    broker.logins.admit("a", "secret", READS, WRITES)
    until(lambda: broker.logins.admitted("a"))
    found: dict[str, Any] = json.loads(Path(broker.address.path).with_name("logins.json").read_text())
    return found


def assert_same(one: Any, other: Any) -> None:
    def parts(file: Any) -> Any:
        role = next(role for role in file["roles"] if role["rolename"] == "seat-a")
        client = next(client for client in file["clients"] if client["username"] == "a")
        acls = {(acl["acltype"], acl["topic"], acl["allow"]) for acl in role["acls"]}
        return acls, client["clientid"], [role["rolename"] for role in client["roles"]], client["iterations"]

    assert parts(one) == parts(other)


def test_commands_go_a_few_at_a_time_and_the_next_when_those_are_answered() -> None:
    logins = DynsecLogins(lambda: None)
    for number in range(124):
        logins.admit(f"s{number:023}", "secret", READS, WRITES)
    first = logins.take_commands()
    assert logins.take_commands() == [], "nothing is answered yet"
    made, messages = 0, 0
    while first:
        size = len(json.dumps(first))
        assert size <= MESSAGE_BYTES
        assert size + size // len(first) * 2 > MESSAGE_BYTES or made + len(first) // 2 == 124, (
            "as many as there is room for"
        )
        numbers = [one["correlationData"] for one in first if one["command"] == "createClient"]
        responses = [{"command": "createClient", "correlationData": number} for number in numbers]
        logins.on_response(json.dumps({"responses": responses[:-1]}).encode())
        assert logins.take_commands() == [], "one is not answered yet"
        logins.on_response(json.dumps({"responses": responses[-1:]}).encode())
        made, messages = made + len(numbers), messages + 1
        first = logins.take_commands()
    assert made == 124
    assert messages > 1
    assert logins.settled


def test_a_login_larger_than_a_message_goes_alone() -> None:
    logins = DynsecLogins(lambda: None)
    logins.admit("a", "secret", ["t" * MESSAGE_BYTES], WRITES)
    logins.admit("b", "secret", READS, WRITES)
    assert [one.get("username") for one in logins.take_commands()] == [None, "a"]


@pytest.mark.parametrize("count", [NAMES_AT_ONCE - 1, NAMES_AT_ONCE, NAMES_AT_ONCE + 1])
def test_a_broker_lists_its_logins_page_by_page(make: Any, count: int) -> None:
    broker, signals = make()
    seats = admit(broker, *range(count - 1))  # with the hub's own so many
    broker.start()
    signals.up()
    assert all_in(broker, seats)
    until(lambda: broker.logins.settled)
    assert broker.logins.answered == (2 if count <= NAMES_AT_ONCE else 3), "nothing is made again"


def test_the_late_answer_to_a_creation_does_not_forget_the_deletion() -> None:
    logins = DynsecLogins(lambda: None)
    logins.admit("a", "secret", READS, WRITES)
    number = logins.take_commands()[-1]["correlationData"]
    logins.release("a")
    answer = {"command": "createClient", "correlationData": number}
    logins.on_response(json.dumps({"responses": [answer]}).encode())
    logins.disconnected()
    logins.connected()
    asked = [one["command"] for one in logins.take_commands()]
    assert asked == ["getDefaultACLAccess", "listClients", "deleteClient", "deleteRole"]
    assert not logins.admitted("a")


@pytest.mark.parametrize(("size", "comes"), [(LARGEST_PACKET - 1024, True), (LARGEST_PACKET, False)])
def test_a_message_that_the_broker_would_not_take_is_not_sent_and_the_link_lasts(
    make: Any, size: int, comes: bool, caplog: pytest.LogCaptureFixture
) -> None:
    broker, signals = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    broker.publish(READS[0], b"x" * size, retain=True)
    until(lambda: broker.queued == 0)
    broker.publish(READS[1], b"newest", retain=True)
    reader = MqttReader(broker.address.path, "a", "secret", *READS)
    reader.until(b"newest")
    assert reader.count == comes
    assert signals.queue.empty()
    assert ("is not sent" in caplog.text) is not comes


def test_what_is_held_wakes_the_brokers_thread_once_and_holds_nobody_else_up(make: Any) -> None:
    broker, _ = make()
    wakes: list[str] = []
    broker._wake_up = lambda: wakes.append(threading.current_thread().name)

    def looked() -> int:
        """What the broker's thread finds as it comes round."""
        found = int(broker.queued)
        broker._unsent.clear()
        broker._is_woken = False
        return found

    with broker.hold():
        for number in range(7):
            broker.publish(f"th/1/hub/1/{number}", b"newest", retain=True)
        assert wakes == []
        other = threading.Thread(
            target=broker.publish, args=("th/1/hub/2/pub/state", b""), kwargs={"retain": True}, name="2"
        )
        other.start()
        other.join()
        assert wakes == ["2"]
        assert looked() == 8
        broker.publish("th/1/hub/1/late", b"newest", retain=True)
    assert (len(wakes), looked()) == (2, 1)
    with pytest.raises(ZeroDivisionError), broker.hold():
        raise ZeroDivisionError
    looked()
    broker.publish("th/1/hub/1/pub/state", b"newest", retain=True)
    assert len(wakes) == 3  # for this: what failed had queued nothing
    broker._wake_up = lambda: None


def test_of_a_flood_while_the_broker_is_away_only_the_newest_is_kept(make: Any) -> None:
    broker, signals = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    for number in range(5000):
        broker.publish("th/1/hub/1/pub/state", b"%d" % number, retain=True)
        broker.publish("th/1/hub/1/pub/other", b"%d" % number, retain=False)
    assert broker.queued == 1
    broker.start()
    signals.up()
    reader = MqttReader(broker.address.path, "a", "secret", *READS)
    reader.until(b"4999")
    assert reader.count == 0


def test_a_flood_to_a_slow_broker_never_holds_the_table_up_and_ends_with_the_newest(make: Any) -> None:
    broker, signals = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        for number in range(3000):
            broker.publish("th/1/hub/1/pub/state", b"%d" % number * 1000, retain=True)
        assert broker.queued <= 1
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    reader = MqttReader(broker.address.path, "a", "secret", "th/1/hub/1/pub/state")
    reader.until(b"2999" * 1000)
    assert reader.count < 100


class MqttReader:
    """A client with a claim's login that subscribes to these topics; `count` messages came before the last one."""

    def __init__(self, path: str, user: str, password: str, *topics: str) -> None:
        self.count = 0
        self._received: queue.Queue[bytes] = queue.Queue()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=user, transport="unix")
        self._client.username_pw_set(user, password)
        self._client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in topics])
        self._client.on_message = lambda _c, _u, message: self._received.put(bytes(message.payload))
        self._client.connect(path, 1)
        self._client.loop_start()

    def until(self, last: bytes) -> None:
        try:
            while self._received.get(timeout=PATIENCE) != last:
                self.count += 1
        finally:
            self._client.disconnect()
            self._client.loop_stop()
            self._client._reset_sockets()  # paho leaves the pair that wakes its thread open


class RawPhone:
    """A phone that writes MQTT 3.1.1 packets as fast as the broker takes them, and reads no answer."""

    def __init__(self, path: str, user: str, password: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE)
        self._socket.connect(path)
        connect = b"\0\4MQTT\4\xc2\0\x3c" + b"".join(field(text.encode()) for text in (user, user, password))
        self._socket.sendall(bytes([0x10, len(connect)]) + connect)
        assert self._socket.recv(4)[3] == 0
        self._answers = threading.Thread(target=self._drain, daemon=True)
        self._answers.start()

    def publish(self, topic: str, payload: bytes, *qos: int) -> None:
        """Publish a payload so many times at once, each at its QoS."""
        packets = b""
        for number, one in enumerate(qos):
            body = field(topic.encode()) + (struct.pack(">H", 1 + number) if one else b"") + payload
            packets += bytes([0x30 | one << 1, len(body)]) + body
        self._socket.sendall(packets)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._answers.join(PATIENCE)
        self._socket.close()

    def _drain(self) -> None:
        with contextlib.suppress(OSError):
            while self._socket.recv(65536):
                pass


def field(data: bytes) -> bytes:
    """Return data with its length before it (MQTT 3.1.1, 1.5.3)."""
    return struct.pack(">H", len(data)) + data


def test_requests_reach_the_hub_after_a_flood_that_the_broker_dropped(make: Any) -> None:
    broker, signals = make()
    received: queue.Queue[bytes] = queue.Queue()

    def slowly(_topic: str, payload: bytes, _retained: bool) -> None:
        received.put(payload)
        time.sleep(0.001)  # a hub opens each message: mosquitto's queue for it is full at once

    broker.subscribe("th/1/hub/1/seat/+/act", slowly)
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    phone = RawPhone(broker.address.path, "a", "secret")
    for _ in range(1000):
        phone.publish(WRITES[0], b"garbage", *[0, 0, 0, 1] * 20)
    phone.close()
    broker.logins.admit("b", "secret", READS, ["th/1/hub/1/seat/b/act"])
    until(lambda: broker.logins.admitted("b"))
    honest = RawPhone(broker.address.path, "b", "secret")
    for number in range(30):  # more than mosquitto's 20 places in flight
        honest.publish("th/1/hub/1/seat/b/act", b"%d" % number, 1)
        while (payload := received.get(timeout=PATIENCE)) == b"garbage":
            pass
        assert payload == b"%d" % number
    honest.close()


def until(done: Callable[[], bool], progress: Callable[[], object] = lambda: None) -> None:
    """Wait until `done`, PATIENCE at most since `progress` last changed."""
    deadline, seen = time.monotonic() + PATIENCE, progress()
    while not done():
        if (now := progress()) != seen:
            deadline, seen = time.monotonic() + PATIENCE, now
        assert time.monotonic() < deadline
        time.sleep(0.01)


def let_run(pid: int) -> None:
    """Let a stopped process go on; it may have been ended by now."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


@pytest.mark.slow
def test_a_broker_that_answers_late_about_logins_is_asked_again_and_not_replaced(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dynsec, "ANSWER_SECONDS", 0.5)
    send, late = connection.Connection.send_commands, list[int]()

    def to_a_broker_that_stands_still(self: Any, commands: Any) -> None:
        send(self, commands)
        if commands and not late:
            self._client.loop_write()
            late.append(broker.pid)
            os.kill(broker.pid, signal.SIGSTOP)
            threading.Timer(2.5, let_run, (broker.pid,)).start()

    monkeypatch.setattr(connection.Connection, "send_commands", to_a_broker_that_stands_still)
    broker, signals = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    assert [broker.pid] == late
    assert broker.logins.admitted("a")


@pytest.mark.slow
def test_a_broker_that_hangs_is_replaced(make: Any) -> None:
    broker, signals = make()
    broker.start()
    signals.up()
    hanging = broker.pid
    os.kill(hanging, signal.SIGSTOP)
    assert signals.down() == (
        "The broker at this hub accepts messages but delivers none. The hub starts its broker again."
    )
    signals.up()
    assert broker.pid != hanging
    assert ends(hanging)


def test_a_hub_that_takes_long_to_subscribe_does_not_blame_its_broker(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "MISC_SECONDS", 0.02)
    subscribe = connection.Connection._subscribe

    def slowly(self: connection.Connection, *options: Any) -> None:
        for _ in range(5):
            self.step()
        subscribe(self, *options)

    monkeypatch.setattr(connection.Connection, "_subscribe", slowly)
    monkeypatch.setattr(connection, "SILENT_SECONDS", 1.0)  # 50 quiet looks
    broker, signals = make()
    broker.start()
    signals.up()
    time.sleep(2.0)
    assert signals.queue.empty()


def test_a_broker_whose_socket_was_deleted_is_replaced(make: Any) -> None:
    broker, signals = make()
    broker.start()
    signals.up()
    Path(broker.address.path).unlink()
    assert signals.down() == "The socket of the broker is gone. The hub starts its broker again."
    signals.up()
    assert Path(broker.address.path).is_socket()


def test_a_broker_that_cannot_be_started_for_want_of_memory_or_disk_is_tried_again(
    make: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start, failures = Mosquitto.start, [OSError(28, "No space left on device"), MemoryError()]

    failures.insert(0, failures[0])

    def failing(self: Mosquitto, logins: Any) -> None:
        if failures:
            raise failures.pop(0)
        start(self, logins)

    monkeypatch.setattr(Mosquitto, "start", failing)
    broker, signals = make()
    broker.start()
    assert signals.down() == "The hub could not serve its broker (OSError). It tries again."
    assert signals.down() == "The hub could not serve its broker (MemoryError). It tries again."
    signals.up()
    assert len([record for record in caplog.records if record.exc_info]) == 2, "one trace for each cause"


def test_a_full_disk_is_one_sentence_without_a_trace(
    make: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write, failures = Mosquitto._write, [OSError(28, "No space left on device")]

    def full(self: Mosquitto, name: str, text: str) -> None:
        if failures:
            raise failures.pop()
        write(self, name, text)

    monkeypatch.setattr(Mosquitto, "_write", full)
    broker, signals = make()
    broker.start()
    assert signals.down() == "mosquitto cannot be started now (No space left on device). The hub tries again."
    signals.up()
    assert [record for record in caplog.records if record.exc_info] == []


def test_a_login_whose_answer_was_dropped_is_asked_for_again() -> None:
    logins = DynsecLogins(lambda: None)
    logins.admit("a", "secret", READS, WRITES)
    asked = logins.take_commands()
    now = time.monotonic()
    logins.retry(now + 1)
    assert logins.take_commands() == []
    logins.retry(now + 4)
    again = logins.take_commands()
    assert [one["command"] for one in again] == [one["command"] for one in asked]
    answers = [
        {"command": "createClient", "error": "Client already exists", "correlationData": again[-1]["correlationData"]}
    ]
    logins.on_response(json.dumps({"responses": answers}).encode())
    assert logins.admitted("a")
    logins.retry(now + 100)
    assert logins.take_commands() == []


def test_a_released_login_is_gone_after_a_restart_too(make: Any) -> None:
    broker, signals = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    signals.up()
    broker.logins.release("a")
    os.kill(broker.pid, signal.SIGKILL)
    signals.down()
    signals.up()
    assert not broker.logins.admitted("a")


def test_a_state_folder_with_a_long_name_still_works(make: Any, tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / "with a blank" / "broker"
    broker, signals = make(folder=folder)
    broker.start()
    signals.up()
    short = Path(broker.address.path).parent
    assert len(broker.address.path) <= 107
    assert short.stat().st_mode & 0o777 == 0o700
    broker.close()
    assert not short.exists()


def test_a_state_folder_with_blanks_works(make: Any, tmp_path: Path) -> None:
    broker, signals = make(folder=tmp_path / "a b" / "broker")
    broker.start()
    signals.up()


def test_the_broker_cannot_report_to_the_service_manager_in_the_hubs_name(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    broker, signals = make()
    broker.start()
    signals.up()
    environment = Path(f"/proc/{broker.pid}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"NOTIFY_SOCKET" not in environment
    assert b"WATCHDOG" not in environment


def test_two_hubs_cannot_share_a_state_folder(make: Any) -> None:
    first, signals = make()
    first.start()
    signals.up()
    second, _ = make()
    with pytest.raises(TemporaryError, match="another hub runs with this state folder"):
        second.start()
    assert first.pid is not None


def test_closing_the_hub_ends_its_broker(make: Any) -> None:
    broker, signals = make()
    broker.start()
    signals.up()
    pid = broker.pid
    broker.close()
    assert not Path(f"/proc/{pid}").exists()


HUB = """
import sys, pathlib, queue
from hub.network.mqtt import MqttBroker
from hub.config import BrokerPart
from tests.patience import PATIENCE
signals = queue.Queue()
broker = MqttBroker(BrokerPart(), pathlib.Path(sys.argv[1]), "hub", ["1"], signals.put)
broker.start()
signals.get(timeout=5)
print(broker.pid, flush=True)
sys.stdin.read()
"""


def killed_hub(folder: Path, **env: str) -> int:
    """Start a hub, kill it, and return its broker's process id."""
    hub = subprocess.Popen(
        [sys.executable, "-c", HUB, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
    )
    with hub:
        assert hub.stdout is not None
        pid = int(hub.stdout.readline())
        hub.kill()
    return pid


def ends(pid: int) -> bool:
    """Return whether a process that is not our child ends soon."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        return bool(waiting.poll(3000))
    finally:
        os.close(handle)


def test_a_killed_hub_takes_its_broker_along(tmp_path: Path) -> None:
    assert ends(killed_hub(tmp_path / "broker"))


def test_the_broker_of_a_killed_hub_is_ended_by_the_next_one(make: Any, tmp_path: Path) -> None:
    # A PATH without setpriv: nothing kills the broker along with its hub.
    empty = tmp_path / "bin"
    empty.mkdir()
    orphan = killed_hub(tmp_path / "broker", PATH=str(empty))
    assert Path(f"/proc/{orphan}").exists()
    broker, signals = make()
    broker.start()
    signals.up()
    assert ends(orphan)
    assert broker.pid != orphan


def test_a_process_that_only_has_the_old_number_is_left_alone(make: Any, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as stranger:
        (tmp_path / "broker" / "mosquitto.pid").write_text(str(stranger.pid))
        broker, signals = make()
        broker.start()
        signals.up()
        assert stranger.poll() is None
        assert stranger.stdin is not None
        stranger.stdin.close()


@pytest.mark.parametrize("url", ["http://cafe", "cafe:1883", "mqtt://", "mqtt://cafe:99999", "mqtt://cafe/path"])
def test_a_wrong_broker_address_is_the_owners_sentence(make: Any, url: str) -> None:
    with pytest.raises(ConfigError, match=r"\[broker\] url: .* is not mqtt://host:1883 or mqtts://host:8883"):
        make(url=url)


def test_a_missing_password_file_is_named(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"\[broker\] /nowhere/password: cannot be used"):
        make(url="mqtt://cafe", user="hub", password_file="/nowhere/password")


def test_a_missing_authority_file_is_named(make: Any) -> None:
    with pytest.raises(ConfigError, match=r"\[broker\] /nowhere/ca.pem: cannot be used"):
        make(url="mqtts://cafe", ca_file="/nowhere/ca.pem")


def test_a_venues_broker_that_is_away_is_reported_once(make: Any) -> None:
    broker, signals = make(url="mqtt://127.0.0.1:1")  # nothing listens there
    broker.start()
    assert "The broker at 127.0.0.1:1 cannot be reached" in signals.down()
    broker.close()
    assert signals.queue.empty()


@pytest.fixture
def tls_broker(tmp_path: Path) -> Iterator[BrokerPart]:
    """A venue's mosquitto with TLS only, its certificate signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subject = ["-subj", "/CN=venue", "-addext", "subjectAltName=IP:127.0.0.1"]
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", *key, "-out", "cert.pem", "-days", "2", *subject],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    plugin = next(file for folder in PLUGIN_FOLDERS if (file := Path(folder, PLUGIN)).exists())
    port = free_port()
    (tmp_path / "logins.json").write_text(json.dumps(first_logins("venue")))
    (tmp_path / "password").write_text("venue\n")
    (tmp_path / "venue.conf").write_text(
        f"listener {port} 127.0.0.1\ncertfile cert.pem\nkeyfile key.pem\nallow_anonymous false\nplugin {plugin}\n"
        "plugin_opt_config_file logins.json\nuser root\nlog_dest none\n"
    )
    program = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
    assert program is not None
    with subprocess.Popen([program, "-c", "venue.conf"], cwd=tmp_path, stderr=subprocess.DEVNULL) as child:
        yield BrokerPart(
            url=f"mqtts://127.0.0.1:{port}",
            user=USER,
            password_file=str(tmp_path / "password"),
            ca_file=str(tmp_path / "cert.pem"),
        )
        child.terminate()


def test_a_venues_broker_that_knows_no_login_gets_more_than_one_message_holds(
    make: Any, tls_broker: BrokerPart
) -> None:
    broker, signals = make(**{name: getattr(tls_broker, name) for name in ("url", "user", "password_file", "ca_file")})
    seats = admit(broker, *range(130))
    broker.start()
    if isinstance(signals.queue.get(timeout=PATIENCE), BrokerDown):  # the venue's broker was not listening yet
        signals.up()
    assert all_in(broker, seats)


def test_a_venues_broker_over_tls_takes_logins_and_carries_large_messages(make: Any, tls_broker: BrokerPart) -> None:
    broker, signals = make(**{name: getattr(tls_broker, name) for name in ("url", "user", "password_file", "ca_file")})
    received = subscribed(broker, WRITES[0])
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    if isinstance(signals.queue.get(timeout=PATIENCE), BrokerDown):  # the venue's broker was not listening yet
        signals.up()
    assert broker.logins.admitted("a")
    phone = paho.Client(CallbackAPIVersion.VERSION2, client_id="a")
    phone.username_pw_set("a", "secret")
    phone.tls_set_context(ssl.create_default_context(cafile=tls_broker.ca_file))
    phone.connect(broker.address.host, broker.address.port)
    phone.loop_start()
    try:
        for size in (100_000, 5, 100_000):  # a TLS record has 16 KiB at most
            phone.publish(WRITES[0], b"x" * size, qos=1)
            topic, payload, retained = received.get(timeout=PATIENCE)
            assert (topic, len(payload), retained) == (WRITES[0], size, False)
        phone.publish(WRITES[0], b"x" * 2 * LARGEST_PACKET, qos=1)  # the broker leaves it out, and the link lasts
        phone.publish(WRITES[0], b"after", qos=1)
        assert received.get(timeout=PATIENCE)[1] == b"after"
        assert signals.queue.empty()
    finally:
        phone.disconnect()
        phone.loop_stop()
        phone._reset_sockets()
