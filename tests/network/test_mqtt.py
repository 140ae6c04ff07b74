"""The managed broker: private, found or missed with a sentence, killed and back with everything it knew."""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from hub.config import BrokerPart
from hub.errors import BrokerError, ConfigError
from hub.network.mosquitto import Mosquitto
from hub.network.mqtt import MqttBroker
from hub.ports import BrokerDown, BrokerUp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.broker
PATIENCE = 15.0
READS, WRITES = ["th/1/hub/1/pub/#"], ["th/1/hub/1/seat/a/act"]


class Told:
    """What a broker told its tables."""

    def __init__(self) -> None:
        self.signals: queue.Queue[BrokerUp | BrokerDown] = queue.Queue()

    def up(self) -> None:
        signal_ = self.signals.get(timeout=PATIENCE)
        assert isinstance(signal_, BrokerUp), signal_

    def down(self) -> str:
        signal_ = self.signals.get(timeout=PATIENCE)
        assert isinstance(signal_, BrokerDown), signal_
        return signal_.why


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., tuple[MqttBroker, Told]]]:
    made: list[MqttBroker] = []

    def one(folder: Path = tmp_path / "broker", **part: Any) -> tuple[MqttBroker, Told]:
        told = Told()
        made.append(MqttBroker(BrokerPart(**part), folder, "hub", ["1"], told.signals.put))
        return made[-1], told

    yield one
    for broker in made:
        broker.close()


def hearing(broker: MqttBroker, pattern: str) -> queue.Queue[tuple[str, bytes, bool]]:
    """What this broker's own connection hears there."""
    heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    broker.listen(pattern, lambda *letter: heard.put(letter))
    return heard


def sockets_of(pid: int) -> set[str]:
    """Inode numbers of a process's sockets."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def test_the_broker_has_no_network_port_at_all(make: Any) -> None:
    broker, told = make()
    broker.start()
    told.up()
    on_the_net = {
        line.split()[9]
        for table in ("tcp", "tcp6", "udp", "udp6")
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    }
    assert sockets_of(broker.pid)
    assert not sockets_of(broker.pid) & on_the_net


def test_its_files_and_its_socket_are_the_hubs_alone(make: Any, tmp_path: Path) -> None:
    broker, told = make()
    broker.start()
    told.up()
    assert (tmp_path / "broker").stat().st_mode & 0o777 == 0o700
    for file in (tmp_path / "broker").iterdir():
        assert file.is_socket() or file.name == "lock" or not file.stat().st_mode & 0o077, file
    assert not list((tmp_path / "broker").glob("*.db"))


def test_a_missing_broker_is_one_sentence_with_the_mending_command(make: Any) -> None:
    broker, _ = make(program="no-such-mosquitto")
    with pytest.raises(BrokerError, match="'no-such-mosquitto' is not installed; mend: sudo apt install mosquitto"):
        broker.start()


def test_a_missing_plugin_is_one_sentence_with_the_mending_command(tmp_path: Path) -> None:
    with pytest.raises(BrokerError, match=r"mosquitto_dynamic_security\.so was not found.*mend: sudo apt install"):
        Mosquitto(tmp_path, plugins=["/nowhere"]).prepare()


def test_a_broker_that_cannot_start_is_told_once_and_tried_again(make: Any) -> None:
    broker, told = make(program="false")
    broker.start()
    assert "ended at once" in told.down()
    broker.close()
    assert told.signals.empty()


def test_a_killed_broker_is_back_with_logins_and_retained_letters(make: Any) -> None:
    broker, told = make()
    heard = hearing(broker, "th/1/#")
    broker.publish("th/1/hub/1/pub/state", b"newest", retain=True)
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    told.up()
    for _ in range(3):
        assert broker.logins.admitted("a")
        old = broker.pid
        os.kill(old, signal.SIGKILL)
        assert "killed by signal 9" in told.down()
        told.up()
        assert broker.pid != old
    assert heard.empty()  # the hub does not hear itself
    MqttReader(broker.address.path, "a", "secret", "th/1/hub/1/pub/state").until(b"newest")


def test_of_a_flood_while_the_broker_is_away_only_the_newest_is_kept(make: Any) -> None:
    broker, _ = make()
    for number in range(5000):
        broker.publish("th/1/hub/1/pub/state", b"%d" % number, retain=True)
        broker.publish("th/1/hub/1/pub/event", b"%d" % number, retain=False)
    assert broker._newest == {"th/1/hub/1/pub/state": b"4999"}
    assert not broker._passing


def test_a_flood_to_a_slow_broker_never_holds_the_table_up_and_ends_with_the_newest(make: Any) -> None:
    broker, told = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    told.up()
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        for number in range(3000):
            broker.publish("th/1/hub/1/pub/state", b"%d" % number * 1000, retain=True)
        assert len(broker._newest) == 1
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    reader = MqttReader(broker.address.path, "a", "secret", "th/1/hub/1/pub/state")
    reader.until(b"2999" * 1000)
    assert reader.count < 100


class MqttReader:
    """A program with a claim's login that reads one topic."""

    def __init__(self, path: str, user: str, password: str, topic: str) -> None:
        self.count = 0
        self._came: queue.Queue[bytes] = queue.Queue()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=user, transport="unix")
        self._client.username_pw_set(user, password)
        self._client.on_connect = lambda client, *_: client.subscribe(topic, 1)
        self._client.on_message = lambda _c, _u, message: self._came.put(bytes(message.payload))
        self._client.connect(path, 1)
        self._client.loop_start()

    def until(self, last: bytes) -> None:
        try:
            while self._came.get(timeout=PATIENCE) != last:
                self.count += 1
        finally:
            self._client.disconnect()
            self._client.loop_stop()
            self._client._reset_sockets()  # paho leaves the pair that wakes its thread open


def test_a_released_login_is_gone_after_a_restart_too(make: Any) -> None:
    broker, told = make()
    broker.logins.admit("a", "secret", READS, WRITES)
    broker.start()
    told.up()
    broker.logins.release("a")
    os.kill(broker.pid, signal.SIGKILL)
    told.down()
    told.up()
    assert not broker.logins.admitted("a")


def test_a_state_folder_with_a_long_name_still_works(make: Any, tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / "with a blank" / "broker"
    broker, told = make(folder=folder)
    broker.start()
    told.up()
    short = Path(broker.address.path).parent
    assert len(broker.address.path) <= 107
    assert short.stat().st_mode & 0o777 == 0o700
    broker.close()
    assert not short.exists()


def test_a_state_folder_with_blanks_works(make: Any, tmp_path: Path) -> None:
    broker, told = make(folder=tmp_path / "a b" / "broker")
    broker.start()
    told.up()


def test_two_hubs_cannot_share_a_state_folder(make: Any) -> None:
    first, told = make()
    first.start()
    told.up()
    second, _ = make()
    with pytest.raises(ConfigError, match="another hub runs with this state folder"):
        second.start()
    assert first.pid is not None


def test_closing_the_hub_ends_its_broker(make: Any) -> None:
    broker, told = make()
    broker.start()
    told.up()
    pid = broker.pid
    broker.close()
    assert not Path(f"/proc/{pid}").exists()


HUB = """
import sys, pathlib, queue
from hub.network.mqtt import MqttBroker
from hub.config import BrokerPart
told = queue.Queue()
broker = MqttBroker(BrokerPart(), pathlib.Path(sys.argv[1]), "hub", ["1"], told.put)
broker.start()
told.get(timeout=5)
print(broker.pid, flush=True)
sys.stdin.read()
"""


def killed_hub(folder: Path, **env: str) -> int:
    """A hub that is killed; returns its broker's process number."""
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
    """Whether a process that is not our child ends soon."""
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
    broker, told = make()
    broker.start()
    told.up()
    assert ends(orphan)
    assert broker.pid != orphan


def test_a_process_that_only_has_the_old_number_is_left_alone(make: Any, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as stranger:
        (tmp_path / "broker" / "mosquitto.pid").write_text(str(stranger.pid))
        broker, told = make()
        broker.start()
        told.up()
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


def test_a_venues_broker_that_is_away_is_told_once(make: Any) -> None:
    broker, told = make(url="mqtt://127.0.0.1:1")  # nothing listens there
    broker.start()
    assert "The broker at 127.0.0.1:1 cannot be reached" in told.down()
    broker.close()
    assert told.signals.empty()
