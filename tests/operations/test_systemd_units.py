"""The system services: units that systemd takes without a word, a command for their user, a kiosk that waits."""

from __future__ import annotations

import configparser
import ctypes
import ctypes.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hub.app import Hub
from hub.config import Config, HubPart, WebPart, dump
from hub.errors import ConfigError, TemporaryError
from phone_ui.staff_pin import StaffPin
from tests.bench.installed import environment
from tests.chromium import CHROMIUM, FLAGS, NONE
from tests.free_port import free_port

ROOT = Path(__file__).parents[2]
SYSTEMD = ROOT / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))


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
    for program in (".venv/bin/table-hub", "systemd/kiosk.sh", "systemd/new-pin.sh"):
        (opt / program).parent.mkdir(parents=True, exist_ok=True)
        (opt / program).touch(0o755)
    installed = tmp_path / unit.name
    installed.write_text(
        unit.read_text()
        .replace("/usr/share/doc/table-hub/README.md", "/dev/null")
        .replace("/usr/lib/table-hub", str(opt))
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


def test_the_hubs_user_may_use_the_network_and_switch_the_machine_off() -> None:
    rule = (SYSTEMD / "50-table-hub.rules").read_text("utf-8")
    assert sorted(re.findall(r'"(org\.[^"]+)"', rule)) == [
        "org.freedesktop.NetworkManager.network-control",
        "org.freedesktop.NetworkManager.settings.modify.system",
        "org.freedesktop.NetworkManager.wifi.share.protected",
        "org.freedesktop.login1.power-off",
        "org.freedesktop.login1.power-off-multiple-sessions",
        "org.freedesktop.systemd1.manage-units",
    ]
    assert 'subject.user === "table-hub" &&' in rule


def test_a_mistake_in_the_configuration_does_not_make_systemd_start_the_hub_again_and_again() -> None:
    assert service("table-hub.service")["RestartPreventExitStatus"] == str(ConfigError.EXIT)


def test_what_may_pass_by_itself_is_tried_again_with_growing_pauses() -> None:
    hub = service("table-hub.service")
    assert str(TemporaryError.EXIT) not in hub["RestartPreventExitStatus"].split()
    assert int(hub["RestartSec"]) < int(hub["RestartMaxDelaySec"])


def test_a_hub_that_hangs_is_started_again_and_leaves_its_stack() -> None:
    hub = service("table-hub.service")
    assert "PYTHONFAULTHANDLER=1" in hub["Environment"].split()
    assert (hub["Type"], hub["Restart"]) == ("notify", "always")
    assert int(hub["WatchdogSec"]) >= 5


def test_threads_of_tables_keep_no_freed_memory_to_themselves() -> None:
    program = (
        "import ctypes, threading\n"
        "libc = ctypes.CDLL(None)\n"
        "malloc, free = libc.malloc, libc.free\n"
        "malloc.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]\n"
        "class Figures(ctypes.Structure):\n"
        "    _fields_ = [(f'n{n}', ctypes.c_size_t) for n in range(10)]\n"
        "libc.mallinfo2.restype = Figures\n"
        "def used(): return libc.mallinfo2().n7\n"
        "def churn():\n"
        "    before = used()\n"
        "    kept = [malloc(1000) for _ in range(64)]\n"
        "    for one in kept: free(one)\n"
        "    print(used() - before)\n"
        "thread = threading.Thread(target=churn); thread.start(); thread.join()\n"
    )
    if ctypes.util.find_library("c") is None or not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("another C library")
    kept = {}
    for told in ({}, environment()):
        ran = subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, **told}, capture_output=True, text=True, check=True
        )
        kept[bool(told)] = int(ran.stdout)
    assert kept[True] + 5000 < kept[False], kept


def test_the_hub_may_write_only_where_its_games_and_its_configuration_are_kept() -> None:
    hub = service("table-hub.service")
    assert hub["ProtectSystem"] == "strict"
    assert hub["StateDirectory"] == hub["ConfigurationDirectory"] == "table-hub"
    assert hub["ReadWritePaths"] == "%E/table-hub"
    assert hub["User"] != "root"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize(("unit", "most"), [("table-hub.service", 2.5), ("table-hub-kiosk.service", 3.0)])
def test_a_service_is_not_exposed_more_than_it_needs(unit: str, most: float) -> None:
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(SYSTEMD / unit)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    found = re.search(rf"Overall exposure level for {re.escape(unit)}: ([0-9.]+)", said)
    assert found, said
    assert float(found[1]) <= most, said


def test_the_kiosk_keeps_what_chromium_makes_its_sandbox_of() -> None:
    kiosk = service("table-hub-kiosk.service")
    assert {"user", "pid", "net"} <= set(kiosk["RestrictNamespaces"].split())
    assert "chroot" in kiosk["SystemCallFilter"].split()
    assert kiosk["NoNewPrivileges"] == "yes"
    assert "ProtectHome" not in kiosk, "it would hide the login's own folder"
    assert "--no-sandbox" not in (SYSTEMD / "kiosk.sh").read_text()


def test_the_kiosk_may_sound_without_a_touch() -> None:
    assert "--autoplay-policy=no-user-gesture-required" in (SYSTEMD / "kiosk.sh").read_text()
    assert "DeviceAllow=char-alsa rw" in (SYSTEMD / "table-hub-kiosk.service").read_text()


def test_the_kiosk_does_not_wait_for_the_hub() -> None:
    kiosk = (SYSTEMD / "table-hub-kiosk.service").read_text()
    assert not re.search(r"^(Requires|BindsTo|PartOf)=", kiosk, re.MULTILINE)


def test_the_kernel_takes_the_setting_for_the_big_screens_keyboard() -> None:
    lines = [line for line in (SYSTEMD / "60-table-hub-kiosk.conf").read_text().splitlines() if line[0] != "#"]
    assert lines == ["kernel.sysrq = 0"]


# --- a lost PIN ------------------------------------------------------------------------------------


def used_pin(folder: Path) -> Path:
    """Return the file of a PIN that staff have chosen."""
    file = folder / "staff.json"
    StaffPin.renew(file)
    assert StaffPin(file).shown == ""
    return file


def renew(*folders: Path) -> str:
    """Run what the service runs before the hub, and return what it says."""
    command = [str(SYSTEMD / "new-pin.sh"), *map(str, folders)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return said.stdout + said.stderr


@pytest.mark.real_chance
@pytest.mark.parametrize("name", ["table-hub-new-pin", "table-hub-new-pin.txt", "table-hub-new-pin/"])
def test_an_owner_who_can_write_to_the_card_gets_a_new_first_pin_once(tmp_path: Path, name: str) -> None:
    state, boot = tmp_path / "state", tmp_path / "boot"
    for folder in (state, boot):
        folder.mkdir()
    pin = used_pin(state)
    before = pin.read_bytes()
    assert renew(state, tmp_path / "missing", boot) == ""
    assert pin.read_bytes() == before, "nobody asked for another PIN"

    if name.endswith("/"):
        (boot / name).mkdir()
        (boot / name / "New Text Document.txt").touch()
    else:
        (boot / name).touch()
    (boot / "config.txt").touch()
    assert "shows a new staff PIN" in renew(state, tmp_path / "missing", boot)
    assert len(StaffPin(pin).shown) == 6
    assert [one.name for one in boot.iterdir()] == ["config.txt"]

    chosen = used_pin(state).read_bytes()
    assert renew(state, boot) == ""
    assert pin.read_bytes() == chosen, "the next start changes nothing"


@pytest.mark.real_chance
@pytest.mark.parametrize("works", [True, False], ids=["that can be written", "that stays as it is"])
def test_a_boot_partition_that_is_read_only_is_written_for_a_moment(tmp_path: Path, works: bool) -> None:
    """Programs of this test stand in for the kernel, as no folder of a test is read-only for root."""
    state, boot, programs = tmp_path / "state", tmp_path / "boot", tmp_path / "bin"
    for folder in (state, boot, programs):
        folder.mkdir()
    pin = used_pin(state)
    before = pin.read_bytes()
    (boot / "table-hub-new-pin").touch()
    mounts, rm = tmp_path / "mounts", shutil.which("rm")
    for name, line in (
        ("mount", f'echo "$2" >> {mounts}; test "$2" = remount,ro || {str(works).lower()}'),
        ("rm", f'test -e {mounts} && {rm} "$@"'),
    ):
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    said = subprocess.run(
        [str(SYSTEMD / "new-pin.sh"), str(state), str(boot)],
        capture_output=True, text=True, timeout=60, check=True, env={"PATH": f"{programs}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert mounts.read_text() == "remount,rw\nremount,ro\n"
    assert pin.exists() is not works
    if not works:
        assert "cannot be removed" in said.stderr
        assert pin.read_bytes() == before, "or each start would make another PIN"


def test_the_service_looks_for_that_file_as_root_and_starts_whatever_comes_of_it() -> None:
    before = service("table-hub.service")["ExecStartPre"]
    assert before == "-+/usr/lib/table-hub/systemd/new-pin.sh %S/table-hub /boot/firmware /boot"
    assert os.access(SYSTEMD / "new-pin.sh", os.X_OK)


# --- udev and the sample configuration --------------------------------------------------------------


def test_a_mounted_stick_is_for_its_service_alone() -> None:
    stick = service("table-hub-stick@.service")
    assert (stick["UMask"], stick["PrivateMounts"]) == ("0077", "yes")


def test_every_udev_rule_is_a_row_of_matches_and_assignments() -> None:
    pair = r'[A-Z]+(\{[A-Za-z_]+\})?(==|!=|\+=|-=|:=|=)"[^"]*"'
    for file in SYSTEMD.glob("7*.rules"):
        rules = [line for line in file.read_text().splitlines() if line and line[0] != "#"]
        assert rules
        for rule in rules:
            assert re.fullmatch(rf"{pair}(, {pair})*", rule)


def test_logind_does_not_listen_to_keyboards_at_the_big_screen() -> None:
    """Its tag is taken away after Debian's 70-power-switch.rules has given it, of keyboards on USB alone."""
    rules = SYSTEMD / "72-table-hub-kiosk.rules"
    assert rules.name > "70-power-switch.rules"
    (rule,) = [line for line in rules.read_text().splitlines() if line[0] != "#"]
    assert rule.endswith('SUBSYSTEM=="input", KERNEL=="event*", SUBSYSTEMS=="usb", TAG-="power-switch"')


def test_the_sample_configuration_is_what_the_hub_prints() -> None:
    assert (SYSTEMD / "table-hub.toml").read_text("utf-8") == dump(Config())


# --- what units start -------------------------------------------------------------------------------


def test_units_name_only_programs_that_are_in_the_package() -> None:
    for unit in UNITS:
        for program in re.findall(r"/usr/lib/table-hub/(\S+)", unit.read_text()):
            assert program == ".venv/bin/table-hub" or (ROOT / program).is_file(), program


@pytest.mark.parametrize(
    ("trial", "lock", "starts"), [(False, False, True), (False, True, True), (True, True, True), (True, False, False)]
)
def test_the_hub_waits_only_for_an_update_that_a_power_cut_has_ended(
    tmp_path: Path, trial: bool, lock: bool, starts: bool
) -> None:
    condition = (
        service("table-hub.service")["ExecCondition"]
        .replace("/var/lib/", f"{tmp_path}/")
        .replace("/run/", f"{tmp_path}/")
    )
    (tmp_path / "table-hub-update").mkdir()
    if trial:
        (tmp_path / "table-hub-update/trial").touch()
    if lock:
        (tmp_path / "table-hub-update.lock").touch()
    assert (subprocess.run(shlex.split(condition), check=False).returncode == 0) == starts


@pytest.mark.parametrize(
    ("user", "arguments", "runs"),
    [
        ("pi", "pinout --svg wiring.svg", "hub pinout --svg wiring.svg"),
        ("pi", "doctor --json", "sudo -H -u table-hub -- hub doctor --json"),
        ("root", "doctor", "setpriv --reuid table-hub --regid table-hub --init-groups --reset-env -- hub doctor"),
        ("table-hub", "doctor", "hub doctor"),
        ("pi", "matches", "sudo -H -u table-hub -- hub matches"),
        ("root", "export m-1", "hub export m-1"),
        ("pi", "export m-1", "sudo -- hub export m-1"),
        ("pi", "update-box", "sudo -H -u table-hub -- hub update-box"),
        ("root", "update-box --file box.uf2", "hub update-box --file box.uf2"),
        ("pi", "backup evening", "sudo -- hub backup evening"),
        ("root", "restore evening", "hub restore evening"),
        ("pi", "stick save", "sudo -- hub stick save"),
        ("root", "stick restore", "hub stick restore"),
        ("pi", "update table-hub.deb", "sudo -- {script} update table-hub.deb"),
        ("root", "update table-hub.deb", "python3 -I /usr/lib/table-hub/hub/operations/update.py table-hub.deb"),
        ("pi", "", "hub"),
    ],
)
def test_the_command_runs_as_the_hubs_user_unless_it_writes_the_callers_files(
    tmp_path: Path, user: str, arguments: str, runs: str
) -> None:
    script = (ROOT / "systemd/table-hub").read_text().replace("/usr/lib/table-hub/.venv/bin/table-hub", "hub")
    (tmp_path / "table-hub").write_text(script)
    for program in ("hub", "sudo", "setpriv", "python3"):
        (tmp_path / program).write_text(f'#!/bin/sh\necho {program} "$@"\n')
    (tmp_path / "id").write_text(f'#!/bin/sh\n[ "$1" = -u ] && echo {0 if user == "root" else 1000} || echo {user}\n')
    for file in tmp_path.iterdir():
        file.chmod(0o755)
    done = subprocess.run(
        ["sh", str(tmp_path / "table-hub"), *arguments.split()],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.strip() == runs.format(script=tmp_path / "table-hub")


# --- the kiosk --------------------------------------------------------------------------------------


def test_the_kiosk_opens_the_local_splash_with_a_profile_that_is_thrown_away(tmp_path: Path) -> None:
    chromium = tmp_path / "chromium"  # a fake browser: records its arguments and leaves a file behind
    chromium.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/arguments"\ntouch "$HOME/Preferences"\n')
    chromium.chmod(0o755)
    runtime = tmp_path / "run"
    runtime.mkdir()
    said = run_once(
        {"PATH": f"{tmp_path}:/usr/bin:/bin", "DISPLAY": ":9", "XDG_RUNTIME_DIR": str(runtime)},
        "http://127.0.0.1:8080/t/2/kiosk",
    )
    assert said == "kiosk: The browser has ended (0). It starts again in 1 s.\n"
    arguments = (tmp_path / "arguments").read_text().splitlines()
    splash = re.escape(f"file://{SYSTEMD}/splash.html#http://127.0.0.1:8080/t/2/kiosk")
    assert re.fullmatch(rf"{splash}#screen=[0-9a-f]{{16}}", arguments[-1])
    assert "--ozone-platform=x11" in arguments, "an owner's own desktop"
    assert {"--kiosk", "--noerrdialogs", "--hide-crash-restore-bubble"} <= set(arguments)
    assert any(word.startswith(f"--user-data-dir={runtime}/") for word in arguments)
    assert list(runtime.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "platform", "display"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, "wayland", "none"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "wayland", "none"),
        ({"DISPLAY": ":0"}, "x11", ":0"),
    ],
)
def test_only_a_browser_without_wayland_knows_of_an_x_server(
    given: dict[str, str], platform: str, display: str, tmp_path: Path
) -> None:
    chromium = tmp_path / "chromium"
    chromium.write_text(f'#!/bin/sh\nprintf "%s\\n" "${{DISPLAY-none}}" "$@" > "{tmp_path}/said"\n')
    chromium.chmod(0o755)
    run_once(
        {"PATH": f"{tmp_path}:/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), **given}, "http://127.0.0.1:1/t/1/kiosk"
    )
    shown, *arguments = (tmp_path / "said").read_text().splitlines()
    assert shown == display
    assert [word for word in arguments if "ozone" in word] == [f"--ozone-platform={platform}"]


def run_once(environment: dict[str, str], *arguments: str) -> str:
    """Run the kiosk until its browser has ended once; return what it said."""
    with subprocess.Popen(
        [str(SYSTEMD / "kiosk.sh"), *arguments], env=environment, stderr=subprocess.PIPE, text=True
    ) as kiosk:
        assert kiosk.stderr
        said = kiosk.stderr.readline()
        kiosk.terminate()
        assert kiosk.wait(30) == 128 + signal.SIGTERM
    return said


def policy_for(url: str, tmp_path: Path, file: str = "") -> dict[str, Any]:
    """Chromium's policy as kiosk.sh writes it for an address, which is in the environment or (`kiosk.env`) in a file."""
    kept = tmp_path / "kiosk.env"
    kept.write_text(f'# ours\nLD_PRELOAD=/tmp/x.so\nKIOSK_URL="{url}"\n' if file == "kiosk.env" else "", "utf-8")
    chromium = tmp_path / "chromium"
    chromium.write_text("#!/bin/sh\n")
    chromium.chmod(0o755)
    folder = tmp_path / "runtime"
    folder.mkdir(exist_ok=True)
    run_once(
        {
            "PATH": f"{tmp_path}:/usr/bin:/bin",
            "DISPLAY": ":9",
            "XDG_RUNTIME_DIR": str(tmp_path),
            "RUNTIME_DIRECTORY": str(folder),
            "KIOSK_FILE": str(kept),
            **({} if file == "kiosk.env" else {"KIOSK_URL": url}),
        }
    )
    policy: dict[str, Any] = json.loads((folder / "managed/table-hub.json").read_text())
    return policy


@pytest.mark.parametrize(
    ("url", "hub"),
    [
        ("http://127.0.0.1:8080/t/1/kiosk", "http://127.0.0.1:8080"),
        ("https://hub.cafe.example/t/2/kiosk", "https://hub.cafe.example"),
        ("http://[fd00::1]:8080/t/1/kiosk", "http://[fd00::1]:8080"),
    ],
)
def test_the_browser_may_open_the_splash_and_the_hub(url: str, hub: str, tmp_path: Path) -> None:
    policy = policy_for(url, tmp_path)
    assert policy["URLBlocklist"][:2] == ["*", "chrome://*"]  # an asterisk alone leaves the browser's own pages open
    assert policy["URLAllowlist"] == [f"file://{SYSTEMD}/splash.html", hub]
    assert "/etc/chromium/policies" in service("table-hub-kiosk.service")["BindReadOnlyPaths"]


def test_the_file_of_the_big_screen_says_an_address_and_nothing_else(tmp_path: Path) -> None:
    policy = policy_for("http://10.0.0.9:8080/t/2/kiosk", tmp_path, "kiosk.env")
    assert policy["URLAllowlist"][1:] == ["http://10.0.0.9:8080"]
    assert policy_for("", tmp_path, "kiosk.env")["URLAllowlist"][1:] == ["http://127.0.0.1:8080"]
    # Another user, the hub's, may write into the folder of this file.
    assert "EnvironmentFile" not in service("table-hub-kiosk.service")
    assert "EnvironmentFile" not in service("table-hub.service")


@pytest.mark.parametrize("url", ['http://a"b/t/1/kiosk', "file:///etc/passwd", "hub:8080", "http://a|b/"])
def test_an_address_that_is_none_ends_the_kiosk_for_good(url: str) -> None:
    done = subprocess.run([str(SYSTEMD / "kiosk.sh"), url], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, f"KIOSK_URL is {url}" in done.stderr) == (78, True)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason=NONE)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give one browser a folder /etc/chromium of its own")
def test_the_browser_obeys_its_policy(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SmallHub) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{hub.server_port}/t/1/kiosk"
        policy = policy_for(address, tmp_path)
        # With it nobody could ask the browser where it is.
        assert policy.pop("DeveloperToolsAvailability") == 2
        policies = tmp_path / "policies/managed"
        policies.mkdir(parents=True)
        (policies / "table-hub.json").write_text(json.dumps(policy))
        splash = f"file://{SYSTEMD}/splash.html#{address}"
        asked = [splash, "file:///etc/passwd", "http://127.0.0.1:1/", "chrome://version/"]
        mount = f"mount -t tmpfs none /etc/chromium && cp -r {tmp_path}/policies /etc/chromium/"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$0" "$@"', sys.executable, "-c", VISITS, *asked],
            env={**os.environ, "CHROMIUM": str(CHROMIUM), "FLAGS": json.dumps(FLAGS)},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        hub.shutdown()
    if "permission denied" in done.stderr.lower() and "mount" in done.stderr:
        pytest.skip("this container may not mount")
    reached = dict(line.split("\t") for line in done.stdout.splitlines())
    assert reached[splash].split()[0] == address, done
    for blocked in ("file:///etc/passwd", "http://127.0.0.1:1/", "chrome://version/"):
        assert "ERR_BLOCKED_BY_ADMINISTRATOR" in reached[blocked], done.stdout


VISITS = """
import json, os, sys
from playwright.sync_api import Error, sync_playwright
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path=os.environ["CHROMIUM"], args=json.loads(os.environ["FLAGS"]))
    for address in sys.argv[1:]:
        page, error = browser.new_page(), ""
        try:
            page.goto(address, timeout=20_000)
            if "splash" in address:
                page.wait_for_url(lambda url: url.startswith("http:"), timeout=20_000)
            else:  # a browser's own page is left for the one that refuses it only after a moment
                page.get_by_text("ERR_BLOCKED_BY_ADMINISTRATOR").wait_for(timeout=5_000)
        except Error as failed:
            error = str(failed).split("\\n")[0]
        text = "" if "splash" in address else page.locator("body").inner_text(timeout=5_000)
        print(address, " ".join([page.url, error, *text.split()]), sep="\\t", flush=True)
    browser.close()
"""


class SmallHub(BaseHTTPRequestHandler):
    """A hub as far as the splash asks it."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("cross-origin-resource-policy", "cross-origin")
        self.end_headers()
        self.wfile.write(b"<h1>The table</h1>")

    def log_message(self, *_: object) -> None:
        pass


class RuleNames(ctypes.Structure):
    """`struct xkb_rule_names` of xkbcommon.h."""

    _fields_: ClassVar = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


@pytest.mark.skipif(ctypes.util.find_library("xkbcommon") is None, reason="libxkbcommon is not installed")
def test_a_keyboard_at_the_big_screen_types_nothing_but_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real libxkbcommon makes the keymap of the files that kiosk.sh names to cage."""
    exported = dict(re.findall(r"(XKB_\w+)=(\S+)", (SYSTEMD / "kiosk.sh").read_text()))
    assert exported.pop("XKB_CONFIG_EXTRA_PATH") == '"$here/xkb"'
    assert set(exported) == {"XKB_DEFAULT_RULES", "XKB_DEFAULT_LAYOUT"}
    ctypes.CDLL(None).setenv(b"XKB_CONFIG_EXTRA_PATH", str(SYSTEMD / "xkb").encode(), 1)
    try:
        xkb = ctypes.CDLL(ctypes.util.find_library("xkbcommon"))
        for function in ("xkb_context_new", "xkb_keymap_new_from_names"):
            getattr(xkb, function).restype = ctypes.c_void_p
        xkb.xkb_keymap_get_as_string.restype = ctypes.c_char_p
        context = ctypes.c_void_p(xkb.xkb_context_new(0))
        names = RuleNames(exported["XKB_DEFAULT_RULES"].encode(), None, exported["XKB_DEFAULT_LAYOUT"].encode())
        keymap = ctypes.c_void_p(xkb.xkb_keymap_new_from_names(context, ctypes.byref(names), 0))
        assert keymap.value, "libxkbcommon refuses the files"
        symbols = xkb.xkb_keymap_get_as_string(keymap, 1).decode().partition("xkb_symbols")[2]
    finally:
        ctypes.CDLL(None).unsetenv(b"XKB_CONFIG_EXTRA_PATH")
    assert re.findall(r"key <(\w+)>\s*{\s*\[\s*(\w+)\s*\]", symbols) == [("SPCE", "space")]
    assert "modifier_map" not in symbols


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason=NONE)
def test_the_splash_waits_for_a_hub_that_starts_later_and_then_shows_its_table(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    port = free_port()
    address = f"http://127.0.0.1:{port}/t/1/kiosk"
    config = Config(hub=HubPart(state=str(tmp_path / "state")), web=WebPart("127.0.0.1", port))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
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
