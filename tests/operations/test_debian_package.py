"""The files of the Debian packages, without building them: they agree with the installer, and lead to what is there."""

from __future__ import annotations

import configparser
import importlib.util
import re
from pathlib import Path

import pytest

from hub.operations.install import HUB_GROUPS, KIOSK_GROUPS

ROOT = Path(__file__).parents[2]
DEBIAN = ROOT / "systemd" / "debian"
_spec = importlib.util.spec_from_file_location("build_deb", ROOT / "systemd" / "build_deb.py")
assert _spec
assert _spec.loader
build_deb = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build_deb)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "debian").mkdir()
    build_deb.place_services(tmp_path)
    return tmp_path


def unit(file: Path) -> configparser.ConfigParser:
    read = configparser.ConfigParser(strict=False, interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string(re.sub(r"^(#.*)?\n", "", file.read_text("utf-8"), flags=re.MULTILINE))
    return read


def test_nothing_leads_to_a_release_of_the_installer(source: Path) -> None:
    files = [file for file in source.rglob("*") if file.is_file() and file.name != "README.md"]
    assert len(files) > 8
    assert [file.name for file in files if "/opt/table-hub" in file.read_text("utf-8")] == []


def test_the_service_is_that_of_the_installer_without_a_release_on_trial(source: Path) -> None:
    ours, installed = unit(source / "debian/table-hub.service"), unit(ROOT / "systemd/table-hub.service")
    assert ours["Service"]["ExecStart"].startswith(
        "/usr/lib/table-hub/.venv/bin/table-hub run --config /etc/table-hub/"
    )
    differing = {key for key, value in installed["Service"].items() if ours["Service"].get(key) != value}
    assert differing == {"ExecStart", "ExecStartPre", "ExecStartPost"}
    assert ours["Unit"]["Documentation"] == "file:///usr/share/doc/table-hub/README.md"


def test_the_first_configuration_keeps_its_state_where_the_service_may_write(source: Path) -> None:
    text = (source / "program/usr/share/table-hub/table-hub.toml").read_text("utf-8")
    assert 'state = "/var/lib/table-hub"' in text


@pytest.mark.parametrize(("user", "groups"), [("table-hub", HUB_GROUPS), ("table-hub-kiosk", KIOSK_GROUPS)])
def test_users_are_in_the_groups_that_the_installer_gives_them(user: str, groups: tuple[str, ...]) -> None:
    lines = (DEBIAN / f"{user}.sysusers").read_text("utf-8").splitlines()
    assert {line.split()[2] for line in lines if line.startswith(f"m {user} ")} == {*groups}
    assert lines[0].startswith(f"u {user} ")


def test_the_package_asks_for_a_python_that_it_has_packages_for() -> None:
    control = (DEBIAN / "control").read_text("utf-8")
    (oldest, gap, after, newest) = re.search(
        r"python3 \(>= (.+?)\), python3 \(<< (.+?)\) \| python3 \(>= (.+?)\), python3 \(<< (.+?)\)", control
    ).groups()  # type: ignore[union-attr]
    asked = {"3.11": "3.12", "3.13": "3.14"}
    assert {oldest: gap, after: newest} == asked
    assert {*build_deb.PYTHONS} == {*asked}
