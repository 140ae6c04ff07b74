"""Something else than a file in a file's place: one sentence that names it, never a hub that waits without a word."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hub.app import Hub
from hub.config import BrokerPart, Config, HubPart, TablePart, WebPart, dump
from hub.errors import ConfigError, TemporaryError
from hub.files import check_file, kind_of, read_file, set_aside, write_private
from hub.network.mosquitto import Mosquitto
from hub.network.mqtt import MqttBroker
from hub.store import Store
from phone_ui.tls import Certificate, check_tls
from tests.phone_ui.test_tls import write

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

PATIENCE = 10.0


def pipe(path: Path) -> None:
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.mkdir()


def bound(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket is short
        try:
            one.bind(path.name)
        finally:
            os.chdir(here)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = {"pipe": pipe, "folder": folder, "socket": bound, "device": device}


def in_time(do: Callable[[], object]) -> object:
    """Return what `do` returns or raises; fail where it does not come back."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(do())
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it waits without end"
    return found[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_named_and_not_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "it"
    check_file(path)
    KINDS[kind](path)
    assert kind_of(path) == kind
    error = in_time(lambda: read_file(path))
    assert isinstance(error, OSError)
    assert error.strerror == f"it is a {kind}, not a file: move it away"


def config(folder: Path) -> Config:
    return Config(hub=HubPart(state=str(folder)), web=WebPart("127.0.0.1", 0), table=(TablePart("1"),))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The folder of a hub that has run."""
    with Hub(config(tmp_path / "state")) as hub:
        hub.start()
    return tmp_path / "state"


@pytest.mark.broker
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["hub.key", "log.key", "kiosk.token", "staff.json"])
def test_a_hub_sets_aside_what_is_no_file_and_says_so(state: Path, name: str, kind: str) -> None:
    (state / name).unlink()
    KINDS[kind](state / name)
    hub = in_time(lambda: Hub(config(state)))
    assert isinstance(hub, Hub)
    with hub:
        hub.start()
        assert len(hub.venue.notices) == 1
    assert (state / name).is_file()
    assert [kind_of(one) for one in state.glob(f"{name}.unreadable-*")] == [kind]
    with Hub(config(state)) as again:
        assert again.venue.notices == [], "it is said once"


@pytest.mark.broker
def test_the_program_ends_with_78_if_others_can_read_its_key(state: Path) -> None:
    (state / "hub.key").chmod(0o644)
    (state.parent / "hub.toml").write_text(dump(config(state)))
    command = [sys.executable, "-m", "hub", "run", "--config", str(state.parent / "hub.toml")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 3, check=False)
    assert ended.returncode == ConfigError.EXIT
    assert "chmod 600" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.broker
@pytest.mark.parametrize("kind", KINDS)
def test_a_hub_without_a_file_for_its_database_begins_another_and_says_so(state: Path, kind: str) -> None:
    for file in state.glob("table-hub.db*"):
        file.unlink()
    KINDS[kind](state / "table-hub.db")
    hub = in_time(lambda: Hub(config(state)))
    assert isinstance(hub, Hub)
    with hub:
        hub.start()
        assert "set aside as table-hub.db.unreadable-" in hub.store.notice
    assert [one for one in state.iterdir() if kind_of(one) == kind and one.name.startswith("table-hub.db.unreadable")]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_what_stands_in_the_way_of_sqlites_own_files_is_named(tmp_path: Path, suffix: str, kind: str) -> None:
    Store(tmp_path / "log.db").close()
    KINDS[kind](tmp_path / f"log.db{suffix}")
    with closing(Store(tmp_path / "log.db")) as store:
        error = in_time(lambda: store.last("1"))
        assert f"it is a {kind}, not a file" in str(error)
        there = tmp_path / f"log.db{suffix}"
        there.rmdir() if kind == "folder" else there.unlink()
        assert in_time(lambda: store.begin("1", b"{}")) == "m-1", "the next call opens it"


@pytest.mark.parametrize("kind", KINDS)
def test_a_mark_that_is_no_file_costs_the_mark_alone(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "marks").mkdir()
    KINDS[kind](tmp_path / "marks" / "1.mark")

    def played() -> str:
        with closing(Store(tmp_path / "log.db")) as store:
            match = store.begin("1", b"{}")
            for _ in range(3):
                store.cut(match, 0)
            return match

    assert in_time(played) == "m-1"
    told = [line for line in caplog.messages if "marked" in line]
    assert told == [f"How far table 1 has come cannot be marked: it is a {kind}, not a file: move it away."], "once"


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_or_key_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "first.example")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    served = Certificate(str(cert), str(key))
    for broken in (cert, key):
        kept = broken.read_bytes()
        broken.unlink()
        KINDS[kind](broken)
        error = in_time(lambda: check_tls(str(cert), str(key)))
        assert isinstance(error, ConfigError)
        assert f"it is a {kind}, not a file" in str(error)
        assert in_time(served.renew) is False, "the last one serves on, and the hub does not wait"
        broken.rmdir() if kind == "folder" else broken.unlink()
        broken.write_bytes(kept)
        broken.chmod(0o600)
    assert isinstance(served.context, ssl.SSLContext)


@pytest.mark.parametrize("kind", KINDS)
def test_the_brokers_own_files_do_not_hold_the_hub_up(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "lock")
    error = in_time(Mosquitto(tmp_path).prepare)
    assert isinstance(error, ConfigError | TemporaryError)
    assert f"it is a {kind}, not a file" in str(error)
    KINDS[kind](tmp_path / "password")
    part = BrokerPart(url="mqtt://127.0.0.1:1", user="hub", password_file=str(tmp_path / "password"))
    error = in_time(lambda: MqttBroker(part, tmp_path / "broker", "hub", ["1"], lambda _: None))
    assert isinstance(error, ConfigError)
    assert f"it is a {kind}, not a file" in str(error)


def test_a_file_that_was_written_is_there_after_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rename is on the disk once its folder was written (rename(2), fsync(2)): it is the last thing that is done."""
    done: list[tuple[str, str]] = []
    fsync, rename = os.fsync, Path.rename

    def noted_fsync(handle: int) -> None:
        done.append(("fsync", Path(f"/proc/self/fd/{handle}").readlink().name))
        fsync(handle)

    def noted_rename(path: Path, target: Path) -> Path:
        done.append(("rename", path.name))
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "rename", noted_rename)
    write_private(tmp_path / "hub.key", b"k" * 32)
    assert done == [("fsync", "hub.key.new"), ("rename", "hub.key.new"), ("fsync", tmp_path.name)]
    done.clear()
    set_aside(tmp_path / "hub.key")
    assert [what for what, _ in done] == ["rename", "fsync"]
    assert done[-1][1] == tmp_path.name
