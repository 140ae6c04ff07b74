"""The files of the Debian packages, without building them: they fit together, and lead to what is there."""

from __future__ import annotations

import importlib.util
import re
import shutil
from argparse import ArgumentParser
from pathlib import Path

import pytest

from hub.config import load
from hub.docs.licences import DEBIAN as NEEDED

ROOT = Path(__file__).parents[2]
DEBIAN = ROOT / "systemd" / "debian"
HUB_GROUPS = {"bluetooth", "dialout", "gpio", "i2c", "spi", "video"}
KIOSK_GROUPS = {"audio", "render", "video"}  # logind opens keyboards and touch panels, for the screen's session only
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


def test_each_file_that_a_package_installs_is_there(source: Path) -> None:
    lines = [line for file in DEBIAN.glob("*.install") for line in file.read_text("utf-8").splitlines()]
    assert len(lines) > 3
    for line in lines:
        name, _, folder = line.partition(" ")
        assert folder
        if name != "program/*":  # filled by the build
            assert (source / name).is_file(), name


def test_each_unit_and_each_rule_belongs_to_a_package(source: Path) -> None:
    installed = [line.split()[0] for file in DEBIAN.glob("*.install") for line in file.read_text().splitlines()]
    for file in [*(ROOT / "systemd").glob("*.service"), *(ROOT / "systemd").glob("*.rules")]:
        to = build_deb.DEBHELPER_NAMES.get(file.name, "")
        assert (source / "debian" / to).is_file() if to else f"systemd/{file.name}" in installed, file.name


def test_the_first_configuration_keeps_its_state_where_the_service_may_write(source: Path) -> None:
    text = (source / "systemd/table-hub.toml").read_text("utf-8")
    assert 'state = "/var/lib/table-hub"' in text


def test_the_package_gives_the_configuration_to_the_hubs_user_once_there_is_one() -> None:
    _, _, after = (DEBIAN / "table-hub.postinst").read_text("utf-8").partition("#DEBHELPER#")
    assert "chown -h table-hub:table-hub /etc/table-hub /etc/table-hub/table-hub.toml" in after


def test_an_installed_hub_plays_with_seat_boxes_as_soon_as_they_are_plugged_in(source: Path) -> None:
    (device,) = load(source / "systemd/table-hub.toml").device
    assert (device.driver, device.table, device.settings) == ("button_box", "1", {})
    assert not load(ROOT / "systemd/table-hub.toml").device


def test_only_an_installed_hub_uses_the_radio_and_looks_for_devices_of_its_own_accord(source: Path) -> None:
    installed, other = load(source / "systemd/table-hub.toml"), load(ROOT / "systemd/table-hub.toml")
    assert (installed.wifi.hotspot, installed.hub.find_devices) == (True, True)
    assert (other.wifi.hotspot, other.hub.find_devices) == (False, False)


@pytest.mark.parametrize(("user", "groups"), [("table-hub", HUB_GROUPS), ("table-hub-kiosk", KIOSK_GROUPS)])
def test_users_are_in_the_groups_of_what_they_open(user: str, groups: set[str]) -> None:
    lines = (DEBIAN / f"{user}.sysusers").read_text("utf-8").splitlines()
    assert {line.split()[2] for line in lines if line.startswith(f"m {user} ")} == groups
    assert lines[0].startswith(f"u {user} ")


def test_keyboards_lose_alt_sysrq_and_power_keys_with_the_big_screen_and_nowhere_else(source: Path) -> None:
    with_screen = (DEBIAN / "table-hub-kiosk.install").read_text() + (
        source / "debian/table-hub-kiosk.udev"
    ).read_text()
    without = (DEBIAN / "table-hub.install").read_text() + (source / "debian/table-hub.udev").read_text()
    assert "kernel.sysrq = 0" in (source / "systemd/60-table-hub-kiosk.conf").read_text()
    for word in ("60-table-hub-kiosk.conf", "power-switch"):
        assert word in with_screen
        assert word not in without


def test_the_packages_ask_for_a_python_that_they_have_packages_for_and_for_what_is_listed() -> None:
    control = (DEBIAN / "control").read_text("utf-8")
    (oldest, gap, after, newest) = re.search(
        r"python3 \(>= (.+?)\), python3 \(<< (.+?)\) \| python3 \(>= (.+?)\), python3 \(<< (.+?)\)", control
    ).groups()  # type: ignore[union-attr]
    asked = {"3.11": "3.12", "3.13": "3.14"}
    assert {oldest: gap, after: newest} == asked
    assert {*build_deb.PYTHONS} == {*asked}
    words = {
        word.split()[0] for line in re.findall(r"^Depends: (.+)$", control, re.MULTILINE) for word in line.split(", ")
    }
    assert {word for word in words if word[0] != "$" and word not in ("python3", "table-hub")} == {*NEEDED}


def test_two_commits_have_two_versions_that_sort_before_the_release() -> None:
    version = build_deb.package_version()
    assert re.fullmatch(r"\d+\.\d+\.\d+~\d{14}\.[0-9a-f]{7,}\+?", version), version


@pytest.mark.skipif(shutil.which("help2man") is None, reason="help2man is not installed")
def test_the_manual_page_has_the_help_of_every_command(tmp_path: Path) -> None:
    file = tmp_path / "table-hub.1"
    build_deb.write_manual(file, "1.2.3", 1_790_000_000)
    text = file.read_text("utf-8").replace("\\-", "-")
    assert re.search(r'^\.TH TABLE-HUB "1" "September 2026" "table-hub 1\.2\.3"', text, re.MULTILINE)
    assert "\ntable-hub - bidding games at a real table\n" in text
    commands = re.findall(r"^\.SS table-hub (.+)$", text, re.MULTILINE)
    assert {"run", "doctor", "staff-pin", "cards"} <= {*commands}
    for words in ("\\&usage: table-hub restore", "\\&  --keep-config", "\\&  --languages en,de"):
        assert words in text
    assert (DEBIAN / "table-hub.manpages").read_text() == "debian/table-hub.1\n"


def test_no_line_of_a_manual_page_is_read_as_a_request_to_its_reader() -> None:
    command = ArgumentParser("x", description=r".TH \fB")
    assert "\n\\&.TH \\efB\n" in build_deb._roff(command)
