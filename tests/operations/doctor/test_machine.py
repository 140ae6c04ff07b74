"""The doctor on this very computer: ports, disk, broker, and a hub that really runs."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import tty
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.common import probe
from drivers.common.frames import PROTOCOL, Beat, Hello, OtherProtocol
from drivers.common.serial_lines import Line
from drivers.simulated.seat_box import CPythonBox, SimBox
from hub.__main__ import main
from hub.app import Hub
from hub.config import Config, DevicePart, HubPart, WebPart, dump
from hub.errors import Cause, DeviceLost, HubError
from hub.operations.doctor import examine
from hub.operations.doctor.machine import Machine
from hub.ports import MonotonicClock
from hub.table.seating.conditions import UNNAMED
from tests.complete_states import read_state
from tests.drivers.bench import BOX, Box
from tests.firmware.pico import MicroPythonBox, needs_micropython
from tests.patience import PATIENCE
from tests.phone_ui.rig import until

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]


@pytest.fixture
def box(tmp_path: Path) -> Iterator[SimBox]:
    box = SimBox(BOX, tmp_path / "port", MonotonicClock())
    box.start()
    yield box
    box.close()


# --- who is there ----------------------------------------------------------------------------------------


def test_a_box_says_who_it_is_and_its_heart_is_heard(box: SimBox) -> None:
    met = Machine().probe(str(box.port))
    assert met is not None
    assert isinstance(met.hello, Hello)
    assert (met.hello.id, met.hello.k, met.up is not None) == (BOX, "buttons", True)


def test_a_port_that_the_hub_has_is_left_to_it(box: SimBox) -> None:
    line = Line(str(box.port))
    try:
        with pytest.raises(DeviceLost) as refused:
            Machine().probe(str(box.port))
        assert refused.value.cause is Cause.BUSY
    finally:
        line.close()


def at_a_pty(answer: bytes, patience: float = 1.0) -> probe.Answer | None:
    """Who is at a port that answers the first question with this."""
    far, near = os.openpty()
    tty.setraw(near)
    answering = threading.Thread(target=lambda: os.read(far, 64) and os.write(far, answer))
    answering.start()
    try:
        return probe.ask(os.ttyname(near), MonotonicClock(), patience)
    finally:
        answering.join()
        os.close(far)
        os.close(near)


def test_a_modem_is_nobody() -> None:
    assert at_a_pty(b"OK\r\n~{}*0000\n", patience=0.2) is None


def test_a_firmware_of_another_protocol_is_known_by_its_hello() -> None:
    from drivers.common.frames import checksum

    answer = json.dumps({"t": "hello", "id": "b", "p": 9, "v": "9.1", "s": 1}).encode()
    met = at_a_pty(b"~" + answer + b"*" + checksum(answer).encode() + b"\n")
    assert met is not None
    assert met.hello == OtherProtocol(9, "b", "9.1")


def test_a_box_whose_heart_is_not_heard_is_met_all_the_same() -> None:
    from drivers.common.frames import encode

    said = Hello(s=1, id="b", boot="1", p=PROTOCOL, v="1", k="buttons", n=8)
    beat = Beat(s=2, up=7, st="idle")
    assert at_a_pty(encode(said), patience=0.3) == probe.Answer(said)
    assert at_a_pty(encode(said) + encode(beat)) == probe.Answer(said, 7)


# --- new firmware ----------------------------------------------------------------------------------------


def test_the_only_box_becomes_a_drive_and_leaves_its_port(box: SimBox, capsys: pytest.CaptureFixture[str]) -> None:
    port = str(box.port)
    assert main(["update-box", "--port", port]) == 0
    assert f"{BOX} is a drive now" in capsys.readouterr().out
    assert not box.state()["connected"] or not Path(port).exists()


@needs_micropython
def test_the_real_firmware_ends_in_its_boot_rom(tmp_path: Path) -> None:
    end = MicroPythonBox(BOX)
    box = SimBox(BOX, tmp_path / "port", MonotonicClock(), program=end)
    box.start()
    try:
        assert main(["update-box", BOX, "--port", str(box.port)]) == 0
        assert end.wants_firmware
    finally:
        box.close()
        end.close()


def test_with_two_boxes_one_has_to_be_named_and_nothing_happens_before(
    box: SimBox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = SimBox("b2", tmp_path / "port-2", MonotonicClock())
    other.start()
    both = ["--port", str(box.port), "--port", str(other.port)]
    try:
        assert main(["update-box", *both]) == 1
        assert capsys.readouterr().err.startswith(f"Which one? There are {BOX} at ")
        assert main(["update-box", "b3", *both]) == 1
        assert capsys.readouterr().err.startswith("There is no board b3: there are ")
        assert box.state()["connected"]
        assert main(["update-box", "b2", *both]) == 0
        assert box.state()["connected"]
    finally:
        other.close()


def test_a_box_that_the_hub_has_is_not_taken_from_it(box: SimBox, capsys: pytest.CaptureFixture[str]) -> None:
    line = Line(str(box.port))
    try:
        assert main(["update-box", "--port", str(box.port)]) == 1
        assert capsys.readouterr().err == f"{box.port} is in use, as by a hub that runs: stop that first.\n"
    finally:
        line.close()


def test_nobody_there_and_a_board_that_does_not_obey_are_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DeviceLost, match="No seat box or dice tray says hello"):
        probe.choose_board(probe.find_boards([], MonotonicClock()))
    far, near = os.openpty()
    try:
        with pytest.raises(DeviceLost, match="b9 does not answer: plug it in with its BOOTSEL button held"):
            probe.enter_bootloader(probe.FoundBoard("b9", os.ttyname(near)), MonotonicClock(), patience=0.2)
    finally:
        os.close(far)
        os.close(near)


# --- this computer ---------------------------------------------------------------------------------------


def test_a_line_is_kept_on_this_disk_and_nothing_is_left(tmp_path: Path) -> None:
    machine = Machine()
    assert 0 < machine.write_seconds(str(tmp_path / "not" / "made" / "yet")) < 5
    assert list(tmp_path.iterdir()) == []
    assert machine.disk(str(tmp_path / "not")).free > 0


def test_a_folder_lies_on_the_nearest_file_system_and_a_chroot_may_not_tell_which(tmp_path: Path) -> None:
    class FakeMounts(Machine):
        mounts = f"/dev/root / ext4 rw 0 0\ntmpfs {tmp_path} tmpfs rw 0 0\nproc /proc proc rw 0 0\n"

        def read(self, _path: str) -> str:
            return self.mounts

    machine = FakeMounts()
    assert machine.disk(str(tmp_path / "record")).kind == "tmpfs"
    assert machine.disk("/usr").kind == "ext4"
    machine.mounts = "proc /proc proc rw 0 0\n"
    assert machine.disk(str(tmp_path)).kind == ""


def test_whether_a_port_is_free_is_tried() -> None:
    machine = Machine()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        assert machine.port_state("127.0.0.1", number) == "taken"
        assert machine.reaches("127.0.0.1", number)
        assert machine.hub_status("127.0.0.1", number + 1 if number < 65535 else 1, secure=False) is None
    assert machine.port_state("127.0.0.1", number) == "free"
    assert machine.port_state("192.0.2.77", 8080) == "no_such_address"


def test_a_file_is_judged_by_its_mode_without_opening_it(tmp_path: Path) -> None:
    assert Machine().access("/dev/null").state == "yes"
    assert Machine().access(str(tmp_path / "nothing")).state == "missing"
    secret = tmp_path / "secret"
    secret.touch(0o600)
    assert Machine("nobody").access(str(secret)).state in ("no", "hidden")


def test_a_program_that_is_not_there_or_fails_says_nothing() -> None:
    machine = Machine()
    assert machine.run("no-such-program") is None
    assert machine.run("false") is None
    assert machine.run("echo", "a") == "a"


@pytest.mark.skipif(shutil.which("mosquitto", path="/usr/bin:/usr/sbin") is None, reason="mosquitto is not installed")
@pytest.mark.broker
def test_the_broker_is_really_started_and_ended() -> None:
    Machine().start_broker("mosquitto")


def test_a_broker_that_is_not_there_says_how_to_get_it() -> None:
    with pytest.raises(HubError, match="apt install mosquitto"):
        Machine().start_broker("no-such-broker")


# --- a hub that runs -------------------------------------------------------------------------------------


@pytest.mark.broker
def test_the_doctor_asks_a_hub_that_runs_and_takes_nothing_from_it(tmp_path: Path) -> None:
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")),
        web=WebPart("127.0.0.1", 0),
        device=(DevicePart("simulated", "1", "bench", {"seats": 2}),),
    )
    with Hub(config) as hub:
        hub.start()
        assert hub.web is not None
        until(lambda: len(hub.status()["tables"]["1"]["boxes"]) == 2, "both boxes")
        file = tmp_path / "hub.toml"
        file.write_text(
            f'[hub]\nstate = "state"\n[web]\nhost = "127.0.0.1"\nport = {hub.web.port}\n'
            '[[device]]\ndriver = "simulated"\nname = "bench"\nseats = 2\n'
        )
        findings = examine(Machine(), str(file))
        by_check = {finding.check: finding.seen for finding in findings}
        assert by_check["port"] == f"Port {hub.web.port} is the hub's, which runs at {hub.url()}."
        assert by_check["devices"] == "bench: the hub that runs says nothing against it."
        assert {finding.about for finding in findings if finding.check == "boxes"} == {"sim-1", "sim-2", "sim-dice"}
        assert all(box["on"] for box in hub.status()["tables"]["1"]["boxes"].values()), "its boxes are still its own"


class Tray(Box):  # type: ignore[misc]
    """A board that says that it is a dice tray."""

    def _greet(self, who: dict[str, Any]) -> None:
        self._link.greet(self.id, self.boot, "1", "tray", 0)


@pytest.mark.broker
def test_screens_tell_of_another_board_at_a_port_that_is_meant_for_a_box_and_the_doctor_names_it(
    tmp_path: Path,
) -> None:
    tray = SimBox("tray-1", tmp_path / "port", MonotonicClock(), program=CPythonBox("tray-1", Tray))
    tray.start()
    toml = f'[[device]]\ndriver = "button_box"\nports = ["{tray.port}"]\n'
    file = tmp_path / "hub.toml"
    file.write_text(toml)
    config = Config(
        hub=HubPart(state=str(tmp_path / "state")),
        web=WebPart("127.0.0.1", 0),
        device=(DevicePart("button_box", "1", "", {"ports": [str(tray.port)]}),),
    )
    sentence = f"The board at {tray.port} says that it is a tray. A seat box is expected there."
    try:
        with Hub(config) as hub:
            hub.start()
            assert hub.web is not None
            until(lambda: hub.status()["tables"]["1"]["devices"].get(str(tray.port)) == sentence, "the status says it")
            with urllib.request.urlopen(f"http://127.0.0.1:{hub.web.port}/t/1/events", timeout=PATIENCE) as events:
                states = (read_state(line[6:]) for line in events if line.startswith(b"data: {"))
                next(state for state in states if UNNAMED in [notice["text"] for notice in state["notices"]])
            file.write_text(f'[web]\nhost = "127.0.0.1"\nport = {hub.web.port}\n{toml}')
            (found,) = [finding for finding in examine(Machine(), str(file)) if finding.check == "ports"]
            assert (found.state, found.seen, found.about) == ("look", sentence, str(tray.port))
    finally:
        tray.close()


def test_the_command_says_all_of_it_and_ends_with_0_or_1(tmp_path: Path) -> None:
    def doctor(*arguments: str) -> subprocess.CompletedProcess[str]:
        arguments = (sys.executable, "-m", "hub", "doctor", *arguments)
        return subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)

    file = tmp_path / "a.toml"
    file.write_text('[hub]\nstate = "state"\n[web]\nport = 0\n[broker]\nprogram = "no-such-broker"\n')
    ended = doctor("--json", "--config", str(file))
    report = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr, report["ok"]) == (1, "", False)
    assert "broker" in [finding["check"] for finding in report["findings"] if finding["state"] == "broken"]
    ended = doctor("--config", str(tmp_path / "nowhere.toml"))
    assert (ended.returncode, "there is no such" in " ".join(ended.stdout.split())) == (1, True)


def test_whose_program_listens_at_a_port_is_known() -> None:
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as one:
            one.bind((address, 0))
            port = one.getsockname()[1]
            assert Machine().listener(port) == ""
            one.listen()
            assert Machine().listener(port) == Machine().me


def test_the_doctor_sees_a_damaged_database_and_after_the_next_start_what_was_set_aside(tmp_path: Path) -> None:
    made = Config(hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", 0))
    file = tmp_path / "hub.toml"
    file.write_text(dump(made))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "table-hub.db").write_bytes(b"rubbish" * 2000)

    def record() -> list[tuple[str, str]]:
        return [(one.state, one.seen) for one in examine(Machine(), str(file)) if one.check == "record"]

    ((state, seen),) = record()
    assert (state, "not a database" in seen) == ("broken", True)
    with Hub(made):
        first, second = record()
    assert (first[0], "was set aside" in first[1]) == ("look", True)
    assert second == ("ok", "0 matches; none is under way.")
