"""The wired hub: what it refuses to be, and what it goes on without."""

from __future__ import annotations

import contextlib
import fcntl
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hub import supervisor
from hub.access import ScreenFeed
from hub.app import Hub
from hub.config import BrokerPart, Config, DeckPart, DevicePart, HubPart, TablePart, WebPart
from hub.errors import ConfigError, TemporaryError
from hub.isolation import GuardedDevice
from hub.network import connection
from hub.network.address import public_url
from hub.network.encryption import fingerprint
from hub.ports import ClaimDecided, ClaimRequest, PhoneLink, PhoneRequest, StaffRequest, Tick
from hub.store import READS_UP_TO
from hub.supervisor import Supervisor
from hub.table.loop import Table
from hub.table.requests import Requests
from hub.table.seating.conditions import NO_BROKER, UNNAMED
from tests.complete_states import read_state
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


def config(folder: Path, *devices: DevicePart, port: int = 0, **parts: Any) -> Config:
    hub, web = HubPart(state=str(folder / "state")), WebPart("127.0.0.1", port)
    return Config(**{"hub": hub, "web": web, "device": devices, **parts})


@contextmanager
def running(made: Config) -> Iterator[Hub]:
    with Hub(made) as hub:
        hub.start()
        yield hub


def state(hub: Hub, table: str = "1") -> dict[str, Any]:
    _, payload = hub.access[table].public.get()
    return read_state(payload)


def watching(hub: Hub) -> Supervisor:
    assert hub.supervisor
    return hub.supervisor


def table_threads(hub: Hub) -> list[threading.Thread]:
    return list(watching(hub)._threads.values())


def open_files(folder: Path) -> list[str]:
    """The files below `folder` that this process holds open."""
    links = [str(handle.readlink()) for handle in Path("/proc/self/fd").iterdir() if handle.is_symlink()]
    return [link for link in links if link.startswith(f"{folder}/")]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"device": (DevicePart("abacus"),)}, "'abacus'"),
        ({"device": (DevicePart("frames"),)}, "'frames'"),
        ({"device": (DevicePart("simulated"), DevicePart("abacus"))}, "'abacus'"),
        ({"device": (DevicePart("simulated", settings={"seats": "many"}),)}, "seats"),
        ({"device": (DevicePart("simulated", settings={"legs": 4}),)}, "legs"),
        ({"table": (TablePart(game="chess"),)}, "no game 'chess'"),
        ({"deck": (DeckPart("chess", "/nowhere.toml"),)}, "no game 'chess'"),
        ({"deck": (DeckPart("bid-it", "/nowhere.toml"),)}, "/nowhere.toml: the list cannot be read"),
        ({"table": (TablePart("a/b"),)}, "'a/b'"),
        ({"table": (TablePart("#"),)}, "'#'"),
        ({"hub": HubPart("my hub", "/nowhere")}, "'my hub'"),
        ({"broker": BrokerPart("http://cafe")}, "http://cafe"),
    ],
)
def test_a_hub_that_cannot_be_says_why_in_one_sentence(tmp_path: Path, wrong: dict[str, Any], sentence: str) -> None:
    made = config(tmp_path, **wrong)
    with pytest.raises(ConfigError) as refused:
        Hub(made)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)
    assert open_files(tmp_path) == []


def broken_off(*_: object) -> Any:
    raise OSError("a driver's own error")


def test_a_driver_that_fails_unforeseen_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.table_devices.connect", broken_off)
    with pytest.raises(OSError, match="a driver's own error"):
        Hub(config(tmp_path, DevicePart("simulated")))
    assert open_files(tmp_path) == []


def test_a_device_that_cannot_be_closed_leaves_nothing_else_open(tmp_path: Path) -> None:
    made = config(tmp_path, DevicePart("simulated"))
    hub = Hub(made)
    hub.start()
    guarded, threads = hub.devices[0], table_threads(hub)
    assert isinstance(guarded, GuardedDevice)
    close = guarded.device.close
    guarded.device.close = broken_off  # type: ignore[method-assign]
    hub.close()
    close()
    assert open_files(tmp_path) == []
    assert not any(thread.is_alive() for thread in threads)


def test_a_port_that_somebody_has_may_be_free_later(tmp_path: Path) -> None:
    with running(config(tmp_path)) as first:
        assert first.web
        second = config(tmp_path / "other", port=first.web.port)
        with Hub(second) as hub, pytest.raises(TemporaryError, match=str(first.web.port)):
            hub.start()


@pytest.mark.parametrize("broker", [BrokerPart(), BrokerPart("mqtt://127.0.0.1:1")], ids=["own", "outside"])
def test_a_second_hub_on_the_same_state_changes_nothing(tmp_path: Path, broker: BrokerPart) -> None:
    made = config(tmp_path, broker=broker, table=(TablePart("1"), TablePart("bar")))
    with running(made):

        def files() -> dict[Path, bytes]:
            return {file: file.read_bytes() for file in (tmp_path / "state").rglob("*") if file.is_file()}

        before: dict[Path, bytes] = {}
        while before != (before := files()):  # until the first hub has ended its own beginning
            time.sleep(0.5)
        with pytest.raises(TemporaryError, match="another hub runs"):
            Hub(made)
        assert files() == before
    with running(made):
        pass


def test_a_database_that_cannot_be_read_is_set_aside_and_every_screen_says_so(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "table-hub.db").write_bytes(b"no database " * 1000)
    with running(config(tmp_path, table=(TablePart("1"), TablePart("bar")))) as hub:
        for table in ("1", "bar"):
            (notice,) = state(hub, table)["notices"]
            assert "is set aside as table-hub.db.unreadable-" in notice["text"]
            assert state(hub, table)["state"] == "lobby"


def test_a_record_that_another_program_holds_at_the_start_lets_tables_stand_still_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(config(tmp_path)) as hub:
        sit(hub, "1", 1)
    monkeypatch.setattr("hub.store.schema.BUSY_SECONDS", 0.05)
    backup = sqlite3.connect(tmp_path / "state" / "table-hub.db", isolation_level=None)
    backup.execute("BEGIN EXCLUSIVE")
    with running(config(tmp_path)) as hub:
        assert state(hub)["state"] == "stopped"
        assert "Another program uses the hub's database." in str(state(hub)["notices"])
        backup.execute("ROLLBACK")
        backup.close()
        until(lambda: state(hub)["state"] == "lobby", "a table that goes on")
        assert state(hub)["seats"][0]["name"] == "Guest 1"


def test_a_login_is_unknown_only_when_every_table_has_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Hub(config(tmp_path, table=(TablePart("1"), TablePart("bar")))) as hub:
        assert {access.login("nobody") for access in hub.access.values()} == {"awaited"}
        hub.start()
        assert hub.web is not None
        asked = hub.web._router._login
        assert asked("nobody") == "unknown"
        monkeypatch.setattr(hub.access["bar"], "login", lambda _sid: "awaited")
        assert asked("nobody") == "awaited"
        monkeypatch.setattr(hub.access["1"], "login", lambda _sid: "made")
        assert asked("nobody") == "made"


def test_the_fingerprint_of_the_hubs_key_goes_to_the_tables_own_screens_only(tmp_path: Path) -> None:
    with running(config(tmp_path)) as hub:
        shown = fingerprint(hub.key.public)
        assert json.loads(hub.access["1"].screen.get()[1])["fingerprint"] == shown
        assert shown not in str(state(hub))


def test_a_damaged_value_of_one_table_costs_the_others_nothing(tmp_path: Path) -> None:
    made = config(tmp_path, table=(TablePart("1"), TablePart("bar")))
    with running(made) as hub:
        sit(hub, "1", 1)
        sit(hub, "bar", 2)
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "table-hub.db", isolation_level=None)) as db:
        db.execute("UPDATE kept SET value = x'ff00' WHERE \"table\" = '1'")
    with running(made) as hub:
        assert "who sits where" in str(state(hub, "1")["notices"])
        assert state(hub, "bar")["seats"][1]["name"] == "Guest 2"
        assert not state(hub, "bar")["notices"]
        sit(hub, "1", 1)


def test_without_mosquitto_the_table_plays_on_with_its_boxes_and_says_so(tmp_path: Path) -> None:
    bench = DevicePart("simulated", "1", "bench", {"seats": 2})
    broker = BrokerPart(program=str(tmp_path / "no-such-mosquitto"))
    made = config(tmp_path, bench, broker=broker, table=(TablePart(seats=2),))
    with running(made) as hub:
        until(lambda: NO_BROKER in str(state(hub)["notices"]), "the notice")
        assert "mosquitto" in hub.status()["tables"]["1"]["broker"]
        until(lambda: [seat["box"] for seat in state(hub)["seats"]] == ["on", "on"], "the boxes")
        access = hub.access["1"]
        assert access.bench
        for box in (1, 2):
            access.bench.command({"box": box, "press": "push"})
            until(lambda seat=box - 1: state(hub)["seats"][seat]["ready"], "a push")  # type: ignore[misc]
        access.bench.command({"box": 1, "press": "push"})
        until(lambda: state(hub)["state"] == "playing", "the match")


def test_a_device_on_pins_that_another_has_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    made = config(
        tmp_path,
        DevicePart("gpio_box", "1", "", {"pins": "mock"}),
        DevicePart("gpio_box", "bar", "the bar's box", {"pins": "mock", "boxes": [{"id": "b", "dial": [2, 3]}]}),
        table=(TablePart(), TablePart("bar")),
    )
    with pytest.raises(ConfigError, match=r"gpio_box \(device 1\) and the bar's box are both wired to GPIO13"):
        Hub(made)


def test_a_device_that_is_not_there_is_said_and_the_table_plays_on_with_the_others(tmp_path: Path) -> None:
    bench = DevicePart("simulated", "1", "bench", {"seats": 2})
    made = config(tmp_path, bench, DevicePart("gpio_box"), table=(TablePart(seats=2),))
    with running(made) as hub:
        until(lambda: UNNAMED in str(state(hub)["notices"]), "the notice")
        until(lambda: [seat["box"] for seat in state(hub)["seats"]] == ["on", "on"], "the boxes")
        access = hub.access["1"]
        assert access.bench
        access.bench.command({"box": 1, "press": "push"})
        until(lambda: state(hub)["seats"][0]["ready"], "a push")


def test_boxes_of_several_devices_sit_at_one_table(tmp_path: Path) -> None:
    bench = DevicePart("simulated", "1", "bench", {"seats": 2})
    made = config(tmp_path, bench, DevicePart("gpio_box", "1", "third", {"pins": "mock"}), table=(TablePart(seats=3),))
    with running(made) as hub:
        until(lambda: "press any button on the box for seat 3" in str(state(hub)["notices"]), "the third box")
        until(lambda: [seat["box"] for seat in state(hub)["seats"]][:2] == ["on", "on"], "the boxes on cables")


def sit(hub: Hub, table: str, seat: int) -> str:
    """Take a seat by its code; the claim's id."""
    decided: list[ClaimDecided] = []
    code = json.loads(hub.access[table].screen.get()[1])["claim_codes"][str(seat)]
    hub.tables[table].put(ClaimRequest("c" * 8, seat, secrets.token_bytes(32), code, f"Guest {seat}", decided.append))
    until(lambda: bool(decided), "the seat")
    assert decided[0].held
    return decided[0].sid


@pytest.mark.broker
def test_the_broker_knows_the_logins_of_guests_before_they_come(tmp_path: Path) -> None:
    """Mosquitto writes its whole file for each new login: guests who came all at once waited for one another."""
    made = config(tmp_path, table=(TablePart("1", seats=6), TablePart("bar", seats=2)))
    with running(made) as hub:
        assert hub.broker.up.wait(PATIENCE)
        asked = hub.broker.logins.answered
        sids = [sit(hub, "1", seat) for seat in range(1, 7)]
        assert [hub.access["1"].login(sid) for sid in sids] == ["made"] * 6
        assert (hub.broker.logins.settled, hub.broker.logins.answered) == (True, asked), "nothing was to be done"
        assert len(hub.broker.logins.all()) == 8, "one for each seat of the hub"
    with running(made) as hub:
        assert hub.broker.up.wait(PATIENCE)
        assert [hub.access["1"].login(sid) for sid in sids] == ["made"] * 6
        assert len(hub.broker.logins.all()) == 8, "none too many after a restart"


def test_a_venues_broker_gets_no_login_that_nobody_was_given(tmp_path: Path) -> None:
    with running(config(tmp_path, broker=BrokerPart(url="mqtt://127.0.0.1:1"), table=(TablePart("1"),))) as hub:
        assert hub.broker.logins.all() == {}
        sid = sit(hub, "1", 1)
        assert list(hub.broker.logins.all()) == [sid]


def test_two_tables_in_one_hub_play_apart(tmp_path: Path) -> None:
    made = config(tmp_path, table=(TablePart("1", "Window", 2), TablePart("bar", "Bar", 3)))
    with running(made) as hub:
        assert state(hub, "1")["name"] == "Window"
        assert state(hub, "1")["code"] != state(hub, "bar")["code"]
        assert len(state(hub, "bar")["seats"]) == 3
        sid = sit(hub, "bar", 1)
        epoch = state(hub, "bar")["epoch"]
        for one in (sid, sit(hub, "bar", 2)):
            hub.tables["bar"].put(PhoneLink(one, True))
            hub.tables["bar"].put(PhoneRequest(one, "1" * 16, 1, epoch, None, "ready", {"ready": True}))
        start = PhoneRequest(sid, "0" * 16, 1, epoch, None, "start", {"game": "bid-and-bait", "options": {}})
        hub.tables["1"].put(start)
        hub.tables["bar"].put(start)
        until(lambda: state(hub, "bar")["state"] == "playing", "the match at the bar")
        assert state(hub, "1")["state"] == "lobby"
        seen = state(hub, "bar")["view"]
    with running(made) as hub:  # the plug
        assert state(hub, "bar")["view"] == seen
        assert state(hub, "1")["state"] == "lobby"


def test_a_table_with_a_fault_costs_the_other_tables_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = config(tmp_path, table=(TablePart("1"), TablePart("bar")))
    do = Requests.handle

    def fails_at_the_first(self: Requests, seat: Any, request: PhoneRequest) -> None:
        if request.sid == faulty:
            raise KeyError("a fault that nobody foresaw")
        do(self, seat, request)

    with running(made) as hub:
        faulty, honest = sit(hub, "1", 1), sit(hub, "bar", 2)
        before = state(hub, "bar")
        monkeypatch.setattr(Requests, "handle", fails_at_the_first)
        for number in range(3):
            hub.tables["1"].put(
                PhoneRequest(faulty, f"{number:016}", number, state(hub, "1")["epoch"], None, "help", {})
            )
        until(lambda: state(hub, "1")["state"] == "stopped", "a table that stays stopped")
        after = state(hub, "bar")
        assert (after["session"], after["epoch"]) == (before["session"], before["epoch"]), (
            "the other one goes on as it was"
        )
        assert (after["state"], after["notices"]) == ("lobby", [])
        assert hub.status()["tables"]["1"]["fault"]
        assert not hub.status()["tables"]["bar"]["fault"]
        hub.tables["bar"].put(PhoneRequest(honest, "1" * 16, 1, before["epoch"], None, "help", {}))
        until(lambda: "calls for help" in str(state(hub, "bar")["notices"]), "the other table, which plays on")
        assert not hub._stop.is_set()
        answers: list[tuple[bool, str]] = []
        hub.tables["1"].put(StaffRequest("done", {"key": "fault"}, lambda *answer: answers.append(answer)))
        until(lambda: answers == [(True, "The table was restarted.")], "staff, who are answered last")
        assert state(hub, "1")["state"] == "lobby"
        assert state(hub, "1")["seats"][0]["name"] == "Guest 1"


@pytest.mark.parametrize("part", ["show_waiting", "put", "update"])
def test_a_fault_in_what_the_hub_does_for_a_table_is_that_tables_alone(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = config(tmp_path, table=(TablePart("1"), TablePart("bar")))
    with running(made) as hub, monkeypatch.context() as broken:
        assert hub.supervisor
        faulty: Any = ScreenFeed if part == "update" else hub.tables["1"]
        tried: list[bool] = []

        def fails_once(*given: Any) -> None:
            tried.append(True)
            if len(tried) == 1:
                raise KeyError("a fault that nobody foresaw")

        broken.setattr(faulty, part, fails_once)
        broken.setattr(hub.supervisor, "_find_url", lambda: "http://elsewhere")
        broken.setattr("hub.supervisor.CHECK_SECONDS", 0.01)
        waiting = threading.Thread(target=hub.wait)
        waiting.start()
        try:
            until(lambda: [one["key"] for one in state(hub, "1")["notices"]] == ["restarted"], "that it started again")
            until(lambda: state(hub, "bar")["url"] == "http://elsewhere", "the other table")
            assert state(hub, "bar")["notices"] == []
            assert waiting.is_alive()
        finally:
            hub.stop()
            waiting.join(PATIENCE)


def test_a_stopped_hub_ends_with_0(tmp_path: Path) -> None:
    with running(config(tmp_path)) as hub:
        hub.stop()
        assert hub.wait() == 0


def test_a_hub_with_a_table_whose_thread_has_ended_ends_with_1(tmp_path: Path) -> None:
    made = config(tmp_path, table=(TablePart(), TablePart("bar")))
    with running(made) as hub:
        hub.tables["bar"].stop()
        assert hub.wait() == 1


class Watchdog:
    """A service manager that stops the hub when its watchdog has been fed."""

    interval = 0.01

    def __init__(self) -> None:
        self.hub: Hub | None = None
        self.reports: list[str] = []

    def ready(self, status: str = "") -> None:
        self.reports.append(status)

    def status(self, status: str) -> None:
        self.reports.append(status)

    def alive(self) -> None:
        assert self.hub
        self.reports.append("alive")
        self.hub.stop()

    def stopping(self) -> None:
        self.reports.append("stopping")


def test_the_watchdog_is_fed_while_every_table_ticks(tmp_path: Path) -> None:
    watchdog = Watchdog()
    with Hub(config(tmp_path), watchdog) as hub:
        watchdog.hub = hub
        hub.start()
        assert hub.wait() == 0
        url = hub.url()
    assert watchdog.reports == [f"1 table(s) at {url}", "alive", "stopping"]


class Fed:
    """A service manager that counts how often its watchdog was fed."""

    interval = 0.02

    def __init__(self) -> None:
        self.times = 0

    def ready(self, status: str = "") -> None: ...

    def status(self, status: str) -> None: ...

    def alive(self) -> None:
        self.times += 1

    def stopping(self) -> None: ...


@contextmanager
def watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hub, Fed]]:
    """A running hub with a watchdog that finds it stuck after half a second, and its `wait` in a thread."""
    for name in ("ALIVE_SECONDS", "BROKER_SECONDS"):
        monkeypatch.setattr(supervisor, name, 0.5)
    monkeypatch.setattr(Table, "_seconds_until_due", lambda _: 0.05)
    monkeypatch.setattr(connection, "MISC_SECONDS", 0.05)
    fed = Fed()
    with Hub(config(folder), fed) as hub:
        hub.start()
        waiting = threading.Thread(target=hub.wait)
        waiting.start()
        until(lambda: fed.times > 3, "a watchdog that is fed")
        try:
            yield hub, fed
        finally:
            hub.stop()
            waiting.join(PATIENCE)


def is_starved(hub: Hub, fed: Fed) -> bool:
    """Return whether the watchdog starves from some moment on."""
    until(lambda: bool(watching(hub)._stuck), "somebody who is stuck")
    before = fed.times
    time.sleep(0.3)
    return fed.times == before


def test_a_web_port_whose_loop_hangs_starves_the_watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(tmp_path, monkeypatch) as (hub, fed):
        assert hub.web
        going_on = threading.Event()
        assert hub.web._server.loop
        hub.web._server.loop.call_soon_threadsafe(going_on.wait, PATIENCE)
        assert is_starved(hub, fed)
        assert watching(hub)._stuck == "the web port's loop"
        going_on.set()
        starved = fed.times
        until(lambda: fed.times > starved, "a watchdog that is fed again")


def test_a_web_port_that_nobody_asked_for_a_while_is_not_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "ALIVE_SECONDS", 0.2)
    with Hub(config(tmp_path)) as hub:
        hub.start()
        time.sleep(0.5)  # devices that are slow to start
        assert "the web port's loop" not in watching(hub).find_stuck()


def test_a_broker_thread_that_hangs_starves_the_watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(tmp_path, monkeypatch) as (hub, fed):
        going_on = threading.Event()
        monkeypatch.setattr(hub.broker, "_publish_queued", lambda _: going_on.wait(PATIENCE))
        assert is_starved(hub, fed)
        assert watching(hub)._stuck == "the broker's thread"
        going_on.set()


def test_a_table_that_hangs_starves_the_watchdog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(tmp_path, monkeypatch) as (hub, fed):
        going_on = threading.Event()
        monkeypatch.setattr(hub.tables["1"], "_handle", lambda _: going_on.wait(PATIENCE))
        hub.tables["1"].put(Tick())
        assert is_starved(hub, fed)
        assert watching(hub)._stuck.startswith("table 1")  # and on a busy machine perhaps the broker's thread
        monkeypatch.setattr(supervisor, "ALIVE_SECONDS", 3600.0)
        assert hub.status()["tables"]["1"]["silent"] == 0, "not yet"
        monkeypatch.setattr(supervisor, "ALIVE_SECONDS", 0.5)
        until(lambda: hub.status()["tables"]["1"]["silent"] >= 1, "what the doctor is told")
        going_on.set()
        until(lambda: hub.status()["tables"]["1"]["silent"] == 0, "a table that goes on")


def test_a_table_that_waits_for_the_disk_is_not_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with watched(tmp_path, monkeypatch) as (hub, fed):
        backup = sqlite3.connect(tmp_path / "state" / "table-hub.db", isolation_level=None)
        backup.execute("BEGIN IMMEDIATE")
        thread = table_threads(hub)[0].ident
        assert thread
        monkeypatch.setattr(hub.tables["1"], "_handle", lambda _: hub.store.keep("1", "name", b"value"))
        hub.tables["1"].put(Tick())
        until(lambda: hub.store.waiting_since(thread) is not None, "a table that waits for the disk")
        time.sleep(1.0)
        before = fed.times
        until(lambda: fed.times > before + 3, "a watchdog that is fed")
        assert hub.store.waiting_since(thread)
        backup.execute("ROLLBACK")
        backup.close()
        until(lambda: not hub.store.waiting_since(thread), "a table that goes on")


@pytest.mark.parametrize("part", ["broker", "web"])
def test_a_hub_whose_broker_or_web_thread_has_ended_ends_with_1(tmp_path: Path, part: str) -> None:
    with Hub(config(tmp_path), Fed()) as hub:
        hub.start()
        if part == "broker":
            hub.broker._closing.set()
            hub.broker._wake_up()
            hub.broker._thread.join(PATIENCE)
            hub.broker._closing.clear()
        else:
            assert hub.web
            hub.web._server.should_exit = True
            hub.web._thread.join(PATIENCE)
            hub.web._server.should_exit = False
        assert hub.wait() == 1


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (("10.42.0.1", "0.0.0.0", 80, False), "http://10.42.0.1"),
        (("10.42.0.1", "0.0.0.0", 8080, False), "http://10.42.0.1:8080"),
        (("http://hub.cafe.example/", "0.0.0.0", 8080, False), "http://hub.cafe.example"),
        (("", "127.0.0.1", 443, True), "https://127.0.0.1"),
        (("fd00::1", "::", 8080, False), "http://[fd00::1]:8080"),
    ],
)
def test_the_address_that_phones_are_shown(given: tuple[str, str, int, bool], shown: str) -> None:
    *where, secure = given
    assert public_url(*where, secure=secure) == shown  # type: ignore[arg-type]


def test_simulated_devices_are_told_on_every_screen_unless_it_is_a_demo(tmp_path: Path) -> None:
    told = "Boxes and dice here are simulated: anybody who opens the bench page sees every secret choice."
    with running(config(tmp_path, DevicePart("simulated", "1", "bench", {"seats": 4}))) as hub:
        until(lambda: told in [notice["text"] for notice in state(hub)["notices"]], "the notice")
    with Hub(config(tmp_path / "demo", DevicePart("simulated", "1", "bench", {"seats": 4})), demo=True) as hub:
        hub.start()
        until(lambda: all(seat["box"] == "on" for seat in state(hub)["seats"]), "the boxes")
        assert told not in [notice["text"] for notice in state(hub)["notices"]]


def test_a_state_folder_of_a_newer_hub_is_left_as_it_is(tmp_path: Path) -> None:
    made = config(tmp_path)
    with running(made):
        pass
    folder = Path(made.hub.state)
    with contextlib.closing(sqlite3.connect(folder / "table-hub.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=DELETE")
        db.execute(f"PRAGMA user_version={READS_UP_TO + 1}")
    (folder / "log.key").unlink()  # whatever an earlier hub would make anew

    def files() -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != "lock"}

    before = files()
    with pytest.raises(
        ConfigError, match=r"written by a newer table-hub .* install that one again, or give .*; nothing"
    ):
        Hub(made)
    assert files() == before


def test_a_hub_from_before_the_folder_had_a_lock_keeps_a_newer_one_out(tmp_path: Path) -> None:
    made = config(tmp_path)
    lock = Path(made.hub.state) / "broker" / "lock"
    lock.parent.mkdir(parents=True)
    with lock.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # what such a hub does with its broker's folder
        with pytest.raises(TemporaryError, match="another hub runs with this state folder"):
            Hub(made)
        assert [file.name for file in Path(made.hub.state).iterdir()] == ["broker"], "and nothing was made"
    with running(made):
        pass
