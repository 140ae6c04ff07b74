"""Updates: the real dpkg and dpkg-repack in a root of their own; services are pretended.

Whole machines are updated, and lose their power meanwhile, in tests/acceptance.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeVar

import pytest

from hub.operations.update import HUB, KIOSK, Machine, UpdateError, Updater

T = TypeVar("T")

pytestmark = pytest.mark.skipif(
    shutil.which("dpkg-repack") is None or os.geteuid() != 0, reason="needs dpkg-repack, and root for it"
)


class OwnRoot(Machine):
    """A machine whose packages are below a folder. A hub whose file says "broken" does not run."""

    def __init__(self, folder: Path) -> None:
        self.root = str(folder / "root")
        self.said: list[str] = []
        self.clock = 0.0
        self.free = 10_000
        self.port_used = False
        self.cut_after = 99
        """After how many commands of dpkg the power is cut."""
        for name in ("info", "updates"):
            (folder / "root/var/lib/dpkg" / name).mkdir(parents=True, exist_ok=True)
        for name in ("status", "available"):
            (folder / "root/var/lib/dpkg" / name).touch()

    def say(self, line: str) -> None:
        self.said.append(line)

    def install(self, files: Sequence[Path]) -> None:
        # what apt-get does once it has all files: it unpacks, then configures
        for step in (("--unpack", *map(str, files)), ("--configure", "--pending")):
            if not self.cut_after:
                raise PowerCut
            self.cut_after -= 1
            self.run("dpkg", f"--root={self.root}", "--force-not-root,script-chrootless", *step)

    def put_back(self, files: Sequence[Path]) -> None:
        self.run("dpkg", f"--root={self.root}", "--force-script-chrootless", "--install", *map(str, files))

    def hub(self) -> str:
        """Return the program of the hub that is installed."""
        return Path(self.root, "usr/lib/table-hub/hub.py").read_text()

    def service(self) -> dict[str, str]:
        if not self.installed():
            return {"ActiveState": "inactive"}
        broken = "broken" in self.hub()
        status = "1 table(s) at http://10.0.2.100:8080"
        return {"ActiveState": "failed" if broken else "active", "MainPID": "7", "NRestarts": "0", "StatusText": status}

    def start(self) -> None:
        self.say("started")

    def journal(self) -> str:
        return "the hub's last line"

    def answers(self) -> bool:
        return True

    def port_is_taken(self) -> bool:
        return self.port_used

    def free_megabytes(self, folder: Path) -> int:
        return self.free

    def wall(self) -> float:
        return self.clock

    def monotonic(self) -> float:
        return self.clock

    def wait(self, seconds: float) -> None:
        self.clock += seconds


class PowerCut(BaseException):
    """Everything ends at this instant."""


class Bench:
    """A machine, its updater, and packages for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.machine = OwnRoot(folder)
        self.state = folder / "state"
        self.updater = Updater(self.machine, self.state)

    def package(self, version: str, name: str = HUB, *, script: str = "") -> Path:
        """Return a package whose program is its version."""
        tree = self.folder / "trees" / f"{name}-{version}"
        program = tree / f"usr/lib/{name}/hub.py"
        program.parent.mkdir(parents=True)
        program.write_text(version)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Ana <ana@example.org>\nDescription: x\n"
        )
        if script:
            (tree / "DEBIAN/preinst").write_text(f"#!/bin/sh\n{script}\n")
            (tree / "DEBIAN/preinst").chmod(0o755)
        file = self.folder / f"{name}_{version}_all.deb"
        subprocess.run(["dpkg-deb", "-Znone", "--build", str(tree), str(file)], check=True, capture_output=True)
        return file

    def on_trial(self) -> bool:
        return (self.state / "trial").exists()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_the_first_version_is_installed_and_its_address_is_told(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    assert bench.machine.installed() == {HUB: "1.0"}
    assert bench.machine.said[-2:] == ["table-hub 1.0 runs.", "Phones join at http://10.0.2.100:8080."]
    assert json.loads((bench.state / "status.json").read_text())["state"] == "installed"
    assert not bench.on_trial()
    with pytest.raises(UpdateError, match=r"^there is no previous version"):
        bench.updater.back()


def test_a_first_version_that_does_not_run_stays_and_its_last_lines_are_shown(bench: Bench) -> None:
    with pytest.raises(UpdateError, match=r"^table-hub is installed but does not run"):
        bench.updater.update([bench.package("1.0broken")])
    assert "the hub's last line" in bench.machine.said[-1]
    assert bench.machine.installed() == {HUB: "1.0broken"}


def test_a_new_version_that_does_not_run_goes_back(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    with pytest.raises(UpdateError, match=r"^the new version does not run on this machine; 1\.0 runs again\.$"):
        bench.updater.update([bench.package("2.0broken")])
    assert bench.machine.installed() == {HUB: "1.0"}
    assert bench.machine.hub() == "1.0"
    assert not bench.on_trial()


def test_going_back_goes_forth_the_second_time(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    bench.updater.update([bench.package("2.0")])
    for version in ("1.0", "2.0", "1.0"):
        bench.updater.back()
        assert bench.machine.installed() == {HUB: version}
        assert bench.machine.hub() == version


def test_the_same_version_is_installed_again(bench: Bench) -> None:
    file = bench.package("1.0")
    bench.updater.update([file])
    Path(bench.machine.root, "usr/lib/table-hub/hub.py").write_text("1.0, worn")
    bench.updater.update([file])
    assert bench.machine.hub() == "1.0"


def test_the_big_screen_comes_only_when_it_is_asked_for_or_there(bench: Bench) -> None:
    first, second = ([bench.package(version), bench.package(version, KIOSK)] for version in ("1.0", "2.0"))
    bench.updater.update(first)
    assert bench.machine.installed() == {HUB: "1.0"}
    bench.updater.update(first, kiosk=True)
    bench.updater.update(second)
    assert bench.machine.installed() == {HUB: "2.0", KIOSK: "2.0"}
    bench.updater.back()
    assert bench.machine.installed() == {HUB: "1.0", KIOSK: "1.0"}


def test_what_cannot_be_unpacked_changes_nothing(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    with pytest.raises(UpdateError, match=r"^dpkg failed \(exit 1\)"):
        bench.updater.update([bench.package("2.0", script="exit 1")])
    assert (bench.machine.installed(), bench.machine.hub()) == ({HUB: "1.0"}, "1.0")
    assert not bench.on_trial()


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_after_a_power_cut_the_previous_version_is_there(bench: Bench, steps: int) -> None:
    bench.updater.update([bench.package("1.0")])
    bench.machine.cut_after = steps
    newer = bench.package("2.0")
    if steps == 2:
        bench.machine.runs = cut  # type: ignore[method-assign]
    with pytest.raises(PowerCut):
        bench.updater.update([newer])
    assert bench.on_trial(), "the hub does not start"
    Updater(bench.machine, bench.state).resume()
    assert (bench.machine.installed(), bench.machine.hub()) == ({HUB: "1.0"}, "1.0")
    assert not bench.on_trial()
    assert bench.machine.said[-1] == "started"


def cut() -> bool:
    raise PowerCut


def test_without_a_cut_there_is_nothing_to_resume(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    said = [*bench.machine.said]
    bench.updater.resume()
    assert bench.machine.said == said


def test_a_previous_version_that_cannot_be_installed_is_tried_again_and_the_hub_starts_meanwhile(bench: Bench) -> None:
    bench.updater.update([bench.package("1.0")])
    bench.machine.cut_after = 1
    with pytest.raises(PowerCut):
        bench.updater.update([bench.package("2.0")])
    previous = next((bench.state / "previous").iterdir())
    previous.rename(bench.folder / "previous.deb")
    previous.touch()
    with pytest.raises(UpdateError):
        bench.updater.resume()
    assert bench.machine.said[-1] == "started"
    assert bench.on_trial()
    (bench.folder / "previous.deb").rename(previous)
    Updater(bench.machine, bench.state).resume()
    assert bench.machine.installed() == {HUB: "1.0"}


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        ({"free": 899}, r"^this takes 900 MB and the disk has 899 MB left: make room\. Nothing was changed\.$"),
        ({"port_used": True}, r"^another program, perhaps `make demo`, uses the hub's port"),
    ],
)
def test_what_is_in_the_way_is_said_before_anything_is_changed(
    bench: Bench, trouble: dict[str, object], sentence: str
) -> None:
    for name, value in trouble.items():
        setattr(bench.machine, name, value)
    with pytest.raises(UpdateError, match=sentence):
        bench.updater.update([bench.package("1.0")])
    assert bench.machine.installed() == {}
    assert json.loads((bench.state / "status.json").read_text())["state"] == "failed", "staff do not wait for it"


def test_a_hub_that_runs_is_not_in_its_own_way_and_900_megabytes_are_enough(bench: Bench) -> None:
    bench.machine.free = 900
    bench.updater.update([bench.package("1.0")])
    bench.machine.port_used = True
    bench.updater.update([bench.package("2.0")])


def test_other_files_are_refused_by_name(bench: Bench) -> None:
    (bench.folder / "letter.txt").write_text("Dear hub")
    for files, sentence in (
        ([bench.folder / "letter.txt"], r"letter\.txt is not a package of table-hub: take table-hub_\*\.deb\.$"),
        ([bench.package("1.0", "cowsay")], r"cowsay_1\.0_all\.deb is not a package of table-hub"),
        ([bench.package("1.0", KIOSK)], r"^the package table-hub is missing"),
    ):
        with pytest.raises(UpdateError, match=sentence):
            bench.updater.update(files)
    assert bench.machine.installed() == {}


class Hub(Machine):
    """A machine of which only the service is pretended: what systemd says of it, second by second."""

    def __init__(self, *seconds: str, page: Sequence[bool] = (True,)) -> None:
        self.seconds, self.page, self.clock = seconds, page, 0.0

    def service(self) -> dict[str, str]:
        state, process, restarts = self._now(self.seconds).split()
        return {"ActiveState": state, "MainPID": process, "NRestarts": restarts}

    def answers(self) -> bool:
        return self._now(self.page)

    def _now(self, values: Sequence[T]) -> T:
        return values[min(int(self.clock), len(values) - 1)]

    def monotonic(self) -> float:
        return self.clock

    def wait(self, seconds: float) -> None:
        self.clock += seconds


@pytest.mark.parametrize(
    ("hub", "runs", "after"),
    [
        (Hub("active 7 0"), True, 12),
        (Hub(*["activating 7 0"] * 80, "active 7 0"), True, 92),  # a slow machine
        (Hub(*["activating 7 0"] * 109, "active 7 0"), False, 120),
        (Hub("failed 0 0"), False, 0),  # an error in the configuration
        (Hub("active 7 0", "activating 0 1", "active 8 1"), True, 14),  # one restart is forgiven
        (Hub("active 7 0", "activating 0 1", "active 8 2"), False, 2),
        (Hub("active 7 0", page=[False] * 30 + [True]), True, 42),
        (Hub("active 7 0", page=[False]), False, 120),  # it starts, but no phone can join
        (Hub("active 7 0", page=[True] * 5 + [False] + [True]), True, 18),
    ],
)
def test_a_hub_runs_when_phones_can_join_for_a_while_without_a_restart(hub: Hub, runs: bool, after: float) -> None:
    assert hub.runs() == runs
    assert hub.clock == pytest.approx(after, abs=1)


PAGES = {"/status.json": b'{"tables": {"7": {}}}', "/t/7": b"<html>"}


@pytest.mark.real_time
@pytest.mark.parametrize(
    ("pages", "answers"),
    [(PAGES, True), ({**PAGES, "/t/7": b""}, False), ({**PAGES, "/status.json": b"{}"}, False), ({}, False)],
)
def test_a_hub_answers_when_the_page_of_its_first_table_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: dict[str, bytes], answers: bool
) -> None:
    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if pages.get(self.path) else 404)
            self.end_headers()
            self.wfile.write(pages.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            pass

    config = tmp_path / "table-hub.toml"
    monkeypatch.setattr("hub.operations.update.CONFIG", config)
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever).start()
        config.write_text(f"[web]\nport = {server.server_port}\n")
        assert Machine().answers() == answers
        assert Machine().port_is_taken()
        server.shutdown()
    assert not Machine().answers()
    assert not Machine().port_is_taken()
    config.write_text("[web]\nport = 0\n")
    assert Machine().answers(), "only the hub knows which port it has"
