"""The system service: units that systemd takes without a word, an installer that may run twice, a kiosk that waits."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hub.app import Hub
from hub.config import Config, HubPart, WebPart, dump, load
from hub.errors import ConfigError, TemporaryError

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def service(name: str) -> configparser.SectionProxy:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(SYSTEMD / name)
    return unit["Service"]


def systemd_version() -> int:
    said = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True, timeout=60, check=True)
    return int(said.stdout.split()[1])


# --- units ----------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_has_nothing_to_say_about_a_unit(unit: Path, tmp_path: Path) -> None:
    # As installed: the programs it names are there.
    opt = tmp_path / "opt"
    for program in (".venv/bin/table-hub", "systemd/kiosk.sh", "systemd/trial.sh"):
        (opt / program).parent.mkdir(parents=True, exist_ok=True)
        (opt / program).touch(0o755)
    installed = tmp_path / unit.name
    installed.write_text(
        unit.read_text()
        .replace("/opt/table-hub/current/README.md", "/dev/null")
        .replace("/opt/table-hub/current", str(opt))
    )
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(installed)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    newer = ("RestartSteps", "RestartMaxDelaySec") if systemd_version() < 254 else ()
    lines = (said.stdout + said.stderr).splitlines()
    assert [line for line in lines if not any(f"'{key}'" in line for key in newer)] == []
    assert said.returncode == 0


def test_a_mistake_in_the_configuration_does_not_make_systemd_start_the_hub_again_and_again() -> None:
    assert service("table-hub.service")["RestartPreventExitStatus"] == str(ConfigError.EXIT)


def test_what_may_pass_by_itself_is_tried_again_with_growing_pauses() -> None:
    hub = service("table-hub.service")
    assert str(TemporaryError.EXIT) not in hub["RestartPreventExitStatus"].split()
    assert int(hub["RestartSec"]) < int(hub["RestartMaxDelaySec"])


def test_a_hub_that_hangs_is_started_again_and_leaves_its_stack() -> None:
    hub = service("table-hub.service")
    assert hub["Environment"] == "PYTHONFAULTHANDLER=1"
    assert (hub["Type"], hub["Restart"]) == ("notify", "always")
    assert int(hub["WatchdogSec"]) >= 5


def test_the_hub_may_write_only_where_its_games_are_kept() -> None:
    hub = service("table-hub.service")
    assert hub["ProtectSystem"] == "strict"
    assert hub["StateDirectory"] == "table-hub"
    assert "ReadWritePaths" not in hub
    assert hub["User"] != "root"


def test_the_kiosk_does_not_wait_for_the_hub() -> None:
    kiosk = (SYSTEMD / "table-hub-kiosk.service").read_text()
    assert not re.search(r"^(Requires|BindsTo|PartOf)=", kiosk, re.MULTILINE)


# --- udev and the sample configuration --------------------------------------------------------------


def test_every_udev_rule_is_a_row_of_matches_and_assignments() -> None:
    pair = r'[A-Z]+(\{[A-Za-z_]+\})?(==|!=|\+=|:=|=)"[^"]*"'
    rules = [line for line in (SYSTEMD / "70-table-hub.rules").read_text().splitlines() if line and line[0] != "#"]
    assert rules
    for rule in rules:
        assert re.fullmatch(rf"{pair}(, {pair})*", rule)


def test_the_sample_configuration_is_what_the_hub_prints() -> None:
    assert (SYSTEMD / "table-hub.toml").read_text("utf-8") == dump(Config())


# --- the installer ----------------------------------------------------------------------------------


def install(into: Path, *flags: str) -> str:
    done = subprocess.run(
        [sys.executable, "-I", str(ROOT / "hub/operations/install.py"), *flags],
        env={"PATH": os.environ["PATH"], "DESTDIR": str(into)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_packager_gets_the_files_below_a_folder_of_his_own(tmp_path: Path) -> None:
    into = tmp_path / "a place"
    assert "/opt/table-hub/current" in install(into, "--say", "--kiosk")
    assert not into.exists()
    install(into, "--kiosk")
    program = into / "opt/table-hub/current"
    assert (program / "hub/config.py").read_bytes() == (ROOT / "hub/config.py").read_bytes()
    for unit in UNITS:
        assert (into / "etc/systemd/system" / unit.name).read_bytes() == unit.read_bytes()
    assert (into / "etc/udev/rules.d/70-table-hub.rules").exists()
    assert load(into / "etc/table-hub/table-hub.toml").hub.state == "/var/lib/table-hub"
    install(into, "--remove")
    assert [file.name for file in into.rglob("*") if file.is_file()] == ["table-hub.toml"]


def test_units_name_only_programs_that_are_in_a_release() -> None:
    for unit in UNITS:
        for program in re.findall(r"/opt/table-hub/current/(\S+)", unit.read_text()):
            assert program == ".venv/bin/table-hub" or (ROOT / program).is_file(), program


# --- the kiosk --------------------------------------------------------------------------------------


def test_the_kiosk_opens_the_local_splash_with_a_profile_that_is_thrown_away(tmp_path: Path) -> None:
    chromium = tmp_path / "chromium"  # a fake browser: records its arguments and leaves a file behind
    chromium.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/arguments"\ntouch "$HOME/Preferences"\n')
    chromium.chmod(0o755)
    runtime = tmp_path / "run"
    runtime.mkdir()
    subprocess.run(
        [str(SYSTEMD / "kiosk.sh"), "http://127.0.0.1:8080/t/2/kiosk"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "DISPLAY": ":9", "XDG_RUNTIME_DIR": str(runtime)},
        timeout=30,
        check=True,
    )
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert arguments[-1] == f"file://{SYSTEMD}/splash.html#http://127.0.0.1:8080/t/2/kiosk"
    assert {"--kiosk", "--noerrdialogs", "--hide-crash-restore-bubble"} <= set(arguments)
    assert any(word.startswith(f"--user-data-dir={runtime}/") for word in arguments)
    assert list(runtime.iterdir()) == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_splash_waits_for_a_hub_that_starts_later_and_then_shows_its_table(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    address = f"http://127.0.0.1:{port}/t/1/kiosk"
    config = Config(hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", port))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_FLAGS)
        try:
            page = browser.new_page()
            with page.expect_event("requestfailed", timeout=30_000):
                page.goto(f"file://{SYSTEMD}/splash.html#{address}")
            assert "The table is being set." in page.inner_text("body")
            with Hub(config) as hub:
                hub.start()
                page.wait_for_url(address, timeout=30_000)
                page.get_by_text(hub.tables["1"].code).first.wait_for(timeout=30_000)
        finally:
            browser.close()
