"""The doctor on made-up computers: what it sees, what it says, and what to do."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from drivers.common.frames import PROTOCOL, OtherProtocol
from drivers.common.probe import Answer
from hub.config import Config
from hub.errors import Cause, DeviceLost
from hub.operations.doctor import as_json, as_text, examine, healthy
from hub.operations.doctor.checks import screen
from hub.operations.doctor.finding import Finding, Subject
from hub.operations.doctor.machine import Disk, Port
from hub.operations.matches import KeptMatch, Record
from hub.version import version
from tests.operations.doctor.fake_machine import HELLO, PICO, Examination, FakeMachine, hub_that_runs

PANEL = '[[device]]\ndriver = "eink"\n'
BOXES = '[[device]]\ndriver = "button_box"\n'
CHECKS = [
    "config", "version", "board", "power", "usb", "temperature", "clock", "disk", "record", "service", "groups", "pins", "buses", "cameras", "bluetooth",
    "ports", "dice", "broker", "port", "phones",
]  # fmt: skip
LIKE_A_PI = {"/dev/spidev0.0": "", "/dev/gpiochip0": "", "/proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0"}


@pytest.fixture
def examination(tmp_path: Path) -> Examination:
    return Examination(tmp_path)


# --- all checks -------------------------------------------------------------------------------------


def test_a_laptop_without_any_device_is_well_and_every_check_has_its_say(examination: Examination) -> None:
    findings = examination()
    assert [finding.check for finding in findings] == CHECKS
    assert {finding.state for finding in findings} == {"ok"}
    assert as_text(findings).endswith("\nAll is well.\n")


def test_without_a_configuration_the_defaults_are_looked_at() -> None:
    findings = examine(FakeMachine(), None)
    assert findings[0].seen == "the defaults: one table, no device."
    assert healthy(findings)


@pytest.mark.real_time
def test_a_simulated_table_is_well_and_reads_its_own_dice(examination: Examination) -> None:
    simulated = '[[device]]\ndriver = "simulated"\n'
    assert examination.about("dice", simulated).seen == "Table 1: simulated reads its dice."
    assert examination.about("devices", simulated).state == "ok"


@pytest.mark.real_time
def test_what_is_said_is_one_sentence_and_what_is_wrong_says_what_to_do(examination: Examination) -> None:
    bad = examination(
        PANEL + BOXES,
        plugged=[PICO, Port("/dev/ttyACM1", 0x2E8A, 5, "")],
        answers={"/dev/ttyACM0": DeviceLost("/dev/ttyACM0 was unplugged.")},
        programs={"vcgencmd": "throttled=0x50005"},
        write_time=OSError(5, "Input/output error"),
        in_groups=set(),
        date=dt.date(1970, 1, 1),
        port="taken",
        broker_error="The broker 'mosquitto' is not installed; fix: sudo apt install mosquitto",
    )
    wrong = [finding for finding in bad if finding.state != "ok"]
    assert {finding.check for finding in wrong} >= {
        "power",
        "disk",
        "groups",
        "clock",
        "devices",
        "ports",
        "port",
        "broker",
    }
    for finding in wrong:
        assert finding.do, finding
        assert finding.seen, finding
    assert not healthy(bad)


@pytest.mark.real_time
def test_the_answer_for_programs_has_the_keys_that_the_readme_names(examination: Examination) -> None:
    report = json.loads(as_json(examination(BOXES, plugged=[PICO], answers={PICO.name: Answer(HELLO, 3)})))
    assert set(report) == {"v", "ok", "findings"}
    assert (report["v"], report["ok"]) == (1, True)
    assert {tuple(finding) for finding in report["findings"]} == {("check", "state", "seen", "do", "about")}
    assert [finding["about"] for finding in report["findings"] if finding["check"] == "ports"] == [PICO.name]


def test_no_secret_is_ever_said(examination: Examination, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open-sesame")
    broker = '[broker]\nurl = "mqtt://10.0.0.9:1883"\nuser = "ana"\npassword_file = "password"\n'
    report = as_json(examination(broker)) + as_json(examination(broker, others={("10.0.0.9", 1883)}))
    assert "open-sesame" not in report


# --- the configuration -----------------------------------------------------------------------------------


def test_a_configuration_that_cannot_be_read_is_said_and_the_rest_is_looked_at(examination: Examination) -> None:
    findings = examination("[web2]\n")
    assert findings[0].state == "broken"
    assert "there is no part [web2]" in findings[0].seen
    # An installed hub's state folder is not the default one, which its user may not even see.
    assert [finding.check for finding in findings] == [check for check in CHECKS if check not in ("disk", "record")]
    assert [finding.check for finding in findings if finding.state == "broken"] == ["config"]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[[device]]\ndriver = "abacus"\n', "'abacus'"),
        (PANEL + "colour = 3\n", "no key colour"),
        (PANEL + '[[device]]\ndriver = "led_strip"\nspi = "0.0"\n', "eink and led_strip are both wired to"),
        ('[[deck]]\ngame = "bid-it"\ncards = "nowhere.toml"\n', "nowhere.toml"),
    ],
)
def test_what_would_keep_the_hub_from_starting_is_said_before_it_is_started(
    examination: Examination, toml: str, said: str
) -> None:
    found = examination.about("config", toml)
    assert found.state == "broken"
    assert said in found.seen


# --- this computer ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "check", "state", "said"),
    [
        ({"programs": {"vcgencmd get_throttled": "nonsense"}}, "power", "look", "nonsense"),
        ({"files": {"/sys/class/thermal/thermal_zone0/temp": "48312"}}, "temperature", "ok", "48 °C"),
        ({"files": {"/sys/class/thermal/thermal_zone0/temp": "71000"}}, "temperature", "look", "71 °C"),
        ({"files": {"/sys/class/thermal/thermal_zone0/temp": "85000"}}, "temperature", "broken", "85 °C"),
        ({"files": {"/proc/device-tree/model": "Raspberry Pi 4"}}, "board", "ok", "Raspberry Pi 4"),
        ({"date": dt.date(1970, 1, 1)}, "clock", "look", "1970-01-01"),
        ({"programs": {"timedatectl": "no"}}, "clock", "look", "no time server"),
        ({"programs": {"timedatectl": "yes"}}, "clock", "ok", "as a time server says"),
        ({"file_system": Disk(10**10, read_only=True, kind="ext4")}, "disk", "broken", "read-only"),
        ({"file_system": Disk(10**10, read_only=False, kind="overlay")}, "disk", "look", "forgotten"),
        ({"file_system": Disk(10**7, read_only=False, kind="ext4")}, "disk", "broken", "10 MB free"),
        ({"file_system": Disk(10**8, read_only=False, kind="ext4")}, "disk", "look", "100 MB free"),
        ({"write_time": 1.5}, "disk", "look", "takes 1.5 s"),
        ({"write_time": PermissionError(13, "Permission denied")}, "disk", "broken", "ana may not write"),
        ({"write_time": PermissionError(13, ""), "user": "table-hub"}, "disk", "look", "ana may not write"),
        ({"write_time": OSError(5, "Input/output error")}, "disk", "broken", "Input/output error"),
        ({"port": "taken"}, "port", "broken", "in use by another program"),
        ({"port": "forbidden"}, "port", "look", "may not open port 8080"),
        ({"port": "no_such_address"}, "port", "broken", "no address"),
        ({"broker_error": "It is not installed."}, "broker", "broken", "not installed"),
        ({"user": "root"}, "groups", "ok", "root may"),
    ],
)
def test_what_is_seen_of_a_computer(
    examination: Examination, machine: dict[str, Any], check: str, state: str, said: str
) -> None:
    found = examination.about(check, **machine)
    assert (found.state, said in found.seen) == (state, True), found
    assert found.do or state == "ok"


@pytest.mark.parametrize(
    ("said", "state", "seen"),
    [
        ("LoadState=not-found", "ok", "not installed as a service"),
        ("LoadState=loaded\nActiveState=failed\nResult=exit-code", "broken", "has failed (exit-code)"),
        ("LoadState=loaded\nActiveState=inactive", "broken", "is inactive"),
        ("LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nNRestarts=41", "broken", "41 times so far"),
        ("LoadState=loaded\nActiveState=active\nNRestarts=3", "look", "started again 3 times"),
        (
            "LoadState=loaded\nActiveState=active\nNRestarts=0\nStatusText=1 table(s) at http://10.42.0.1\nWatchdogUSec=10s",
            "ok",
            "1 table(s) at http://10.42.0.1; its watchdog allows 10s",
        ),
    ],
)
def test_what_systemd_says_of_the_hub_is_told(examination: Examination, said: str, state: str, seen: str) -> None:
    found = examination.about("service", programs={"systemctl show": said})
    assert (found.state, seen in found.seen) == (state, True), found


@pytest.mark.parametrize(
    ("said", "state", "seen"),
    [
        ("LoadState=loaded\nActiveState=activating\nSubState=auto-restart\nNRestarts=41", "look", "again 41 times"),
        ("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=900", "look", "again 900 times"),
        ("LoadState=loaded\nActiveState=inactive\nNRestarts=0", "look", "is inactive"),
        ("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=1", "ok", "runs"),
    ],
)
def test_what_systemd_says_of_the_big_screen_is_told(
    examination: Examination, said: str, state: str, seen: str
) -> None:
    found = examination.about("screen", programs={"systemctl show table-hub-kiosk.service": said})
    assert (found.state, seen in found.seen) == (state, True), found


RUNS = "LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=0"


@pytest.mark.parametrize(
    ("screens", "found"),
    [
        ([], [("look", "the hub has not seen its page")]),
        ([(True, 3)], [("ok", "table 1, on this machine: last seen 3 s ago")]),
        ([(True, 29)], [("ok", "last seen 29 s ago")]),
        ([(True, 30)], [("look", "last seen 30 s ago")]),
        ([(True, 1), (False, 2)], [("ok", "on another device: last seen 2 s ago"), ("ok", "on this machine")]),
        ([(True, 1), (False, 95)], [("look", "on another device: last seen 95 s ago"), ("ok", "on this machine")]),
    ],
)
def test_when_each_big_screen_was_last_seen_is_told(
    screens: list[tuple[bool, int]], found: list[tuple[str, str]]
) -> None:
    table = {"screens": [{"here": here, "seconds": seconds} for here, seconds in screens]}
    machine = SimpleNamespace(run=lambda *_: RUNS)
    subject = Subject(Config(), "the defaults", hub={"tables": {"1": table}})
    said = [*screen(machine, subject)]  # type: ignore[arg-type]
    assert [(one.state, part in one.seen) for one, (_, part) in zip(said, found, strict=True)] == [
        (state, True) for state, _ in found
    ]


def test_where_no_big_screen_is_installed_nothing_is_said_of_it(examination: Examination) -> None:
    assert of(examination(programs={"systemctl show": "LoadState=not-found"}), "screen") == []


@pytest.mark.parametrize(
    ("toml", "url", "state", "do"),
    [
        ('address = "10.42.0.1"\n', "http://10.42.0.1:8080", "ok", "keeps its guests apart"),
        ('host = "127.0.0.1"\n', "http://127.0.0.1:8080", "look", '"0.0.0.0"'),
        ('address = "table.local"\n', "http://table.local:8080", "look", ".local"),
        ('address = "169.254.3.4"\n', "http://169.254.3.4:8080", "look", "router"),
    ],
)
def test_the_address_on_the_qr_code_is_judged(tmp_path: Path, toml: str, url: str, state: str, do: str) -> None:
    (tmp_path / "a.toml").write_text("[web]\n" + toml)
    found = next(one for one in examine(FakeMachine(), str(tmp_path / "a.toml")) if one.check == "phones")
    assert (found.state, url in found.seen, do in found.do) == (state, True, True), found


@pytest.mark.parametrize(
    ("address", "words"),
    [("http://10.42.0.1", "plain http: for a network that you trust"), ("https://table.example", ", https.")],
)
def test_an_owner_is_told_whether_phones_come_over_https(tmp_path: Path, address: str, words: str) -> None:
    (tmp_path / "a.toml").write_text(f'[web]\naddress = "{address}"\n')
    found = next(one for one in examine(FakeMachine(), str(tmp_path / "a.toml")) if one.check == "phones")
    assert words in found.seen


def test_a_computer_without_a_network_has_no_address_to_be_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.network.address.own_address", str)
    found = next(one for one in examine(FakeMachine(), None) if one.check == "phones")
    assert (found.state, "no network" in found.seen, "hotspot" in found.do) == ("look", True, True), found


def test_an_outside_broker_is_knocked_at(examination: Examination) -> None:
    toml = '[broker]\nurl = "mqtt://10.0.0.9:1884"\n'
    assert examination.about("broker", toml).state == "broken"
    assert examination.about("broker", toml, others={("10.0.0.9", 1884)}).state == "ok"


ABOVE = '[upstream]\nurl = "mqtt://10.0.0.9:1883"\nvenue = "cafe"\n'
LINK = {"up": True, "waiting": 0, "twin": False, "too_large": False}


def test_a_hub_without_a_broker_above_hears_nothing_of_one(examination: Examination) -> None:
    assert "upstream" not in [finding.check for finding in examination()]


@pytest.mark.parametrize(
    ("link", "refused", "state", "words"),
    [
        ({}, "", "ok", "The hub that runs is connected to mqtt://10.0.0.9:1883."),
        (
            {"up": False, "waiting": 3},
            "The broker refuses the hub's login.",
            "look",
            "login. 3 finished match(es) wait.",
        ),
        ({"up": False}, "", "look", "not connected, though"),
        ({"too_large": True}, "", "broken", "sends a message of more than 64 kB, which is too large for the hub."),
        ({"too_large": True, "up": False}, "", "broken", "more than 64 kB"),
        ({"twin": True}, "", "broken", "Another hub of the venue cafe calls itself hub."),
    ],
)
def test_the_link_to_the_broker_above_is_the_running_hubs(
    examination: Examination, link: dict[str, object], refused: str, state: str, words: str
) -> None:
    running = {**hub_that_runs(), "upstream": LINK | link}
    found = examination.about("upstream", ABOVE, running=running, upstream=refused)
    assert (found.state, words in found.seen) == (state, True), found


def test_without_a_hub_the_broker_above_is_asked_whether_it_would_let_one_in(examination: Examination) -> None:
    assert examination.about("upstream", ABOVE).state == "ok"
    found = examination.about("upstream", ABOVE, upstream="The broker at 10.0.0.9:1883 refuses the hub's login.")
    assert (found.state, "refuses" in found.seen, "play on" in found.do) == ("look", True, True)


def test_a_hub_that_was_not_started_again_after_an_update_is_looked_at(examination: Examination) -> None:
    assert examination.about("version", running={**hub_that_runs(), "version": version()}).state == "ok"
    for old in (hub_that_runs(), {**hub_that_runs(), "version": "0.0.9"}):
        found = examination.about("version", running=old)
        assert (found.state, "restart table-hub" in found.do) == ("look", True), found


# --- devices ---------------------------------------------------------------------------------------------


def test_what_a_panel_needs_is_named_with_the_line_of_config_txt(examination: Examination) -> None:
    found = examination.about("devices", PANEL)
    assert found.state == "broken"
    assert "there is no /dev/spidev0.0" in found.seen
    assert "dtparam=spi=on" in found.do
    assert found.do.count("EXTRAS=pi") == 1
    well = examination.about("devices", PANEL, files=LIKE_A_PI, packages={"lgpio", "spidev"})
    assert (well.state, "test-device eink" in well.do) == ("ok", True)


def test_a_user_outside_a_devices_group_is_told_which(examination: Examination) -> None:
    like_a_pi: dict[str, Any] = {"files": LIKE_A_PI, "packages": {"lgpio", "spidev"}}
    examination(PANEL, **like_a_pi)
    found = examination.about("devices", PANEL, forbidden={"/dev/gpiochip0"}, in_groups={"ana"})
    assert (found.state, "into the group gpio" in found.do) == ("broken", True)
    assert examination.about("groups", PANEL).do == "sudo usermod -a -G gpio ana, then log in again."


RADIO = {"/sys/class/bluetooth/hci0": ""}
CAMERA = '[[device]]\ndriver = "camera_tray"\ncalibration = "/kept.npz"\n'


def test_smart_dice_want_the_radio_its_service_and_the_group(examination: Examination) -> None:
    dice = '[[device]]\ndriver = "ble_dice"\n'
    assert "no Bluetooth radio" in examination.about("devices", dice).seen
    asleep = {"systemctl --version": "systemd 252"}
    assert "enable --now bluetooth" in examination.about("bluetooth", dice, files=RADIO, programs=asleep).do
    well = examination(dice, programs=asleep | {"systemctl is-active bluetooth": "active"}, in_groups={"ana"})
    assert of(well, "devices") == [("ok", "ble_dice: all that it needs is there.")]
    assert of(well, "groups") == [("broken", "ana is not in bluetooth.")]


PI_RADIO = RADIO | {"/proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.5"}
BLUETOOTH_ON = {"systemctl is-active bluetooth": "active"}
ACCESS_POINT = {"iw dev": "phy#0\n\tInterface wlan0\n\t\ttype AP\n"}
NM_HOTSPOT = {
    "nmcli -g NAME connection show --active": "Hotspot\nlo",
    "nmcli -g 802-11-wireless.mode connection show Hotspot": "ap",
}
STICK = {"/sys/class/bluetooth/hci0/device/bInterfaceClass": "e0"}


@pytest.mark.real_time
@pytest.mark.parametrize(
    ("toml", "files", "programs", "state"),
    [
        ('driver = "ble_dice"', PI_RADIO, ACCESS_POINT, "look"),
        ('driver = "ble_dice"', PI_RADIO, NM_HOTSPOT, "look"),
        ('driver = "ble_dice"', PI_RADIO, {"iw dev": "type managed"}, "ok"),
        ('driver = "ble_dice"', PI_RADIO | STICK, ACCESS_POINT, "ok"),
        ('driver = "ble_dice"', RADIO, ACCESS_POINT, "ok"),
        ('driver = "button_box"', PI_RADIO, ACCESS_POINT, "ok"),
    ],
)
def test_smart_dice_and_a_hotspot_on_one_chip_are_looked_at(
    examination: Examination, toml: str, files: dict[str, str], programs: dict[str, str], state: str
) -> None:
    found = examination.about("bluetooth", f"[[device]]\n{toml}\n", files=files, programs=BLUETOOTH_ON | programs)
    assert (found.state, "stick on USB" in found.do) == (state, state == "look")


def test_a_camera_wants_its_file_and_its_calibration(examination: Examination) -> None:
    found = examination.about("devices", CAMERA)
    assert "there is no /dev/video0; there is no /kept.npz" in found.seen
    assert "Dice camera" in found.do
    assert examination.about("devices", CAMERA, files={"/dev/video0": "", "/kept.npz": ""}).state == "ok"


def test_a_camera_on_usb_is_better_named_by_what_it_is(examination: Examination) -> None:
    files = {"/dev/video0": "", "/kept.npz": "", "/dev/v4l/by-id/usb-Acme_C1-video-index0": ""}
    found = examination.about("devices", CAMERA, files=files)
    assert (found.state, found.do) == ("look", 'Write source = "v4l2:/dev/v4l/by-id/usb-Acme_C1-video-index0".')
    assert examination.about("cameras").seen.startswith("/dev/v4l/by-id/usb-Acme_C1-video-index0; ")
    named = CAMERA + 'source = "v4l2:/dev/v4l/by-id/usb-Acme_C1-video-index0"\n'
    assert examination.about("devices", named).state == "ok"


@pytest.mark.parametrize("program", ["rpicam-vid", "libcamera-vid"])
def test_the_pis_own_camera_wants_its_program_and_the_group(examination: Examination, program: str) -> None:
    own, files = CAMERA + 'source = "rpicam:0"\n', {"/kept.npz": ""}
    found = examination.about("devices", own, files=files)
    assert (found.state, "rpicam-vid is missing" in found.seen) == ("broken", True)
    assert found.do == "Install it: sudo apt install rpicam-apps-lite."
    assert examination.about("groups", own).seen == "ana is not in video."
    assert examination.about("devices", own, programs={f"{program} --version": ""}).state == "ok"
    assert examination.about("cameras").seen == f"No camera on USB; {program} takes the pictures of a Pi's own camera."


@pytest.mark.real_chance
def test_pretended_pins_are_not_left_unsaid(examination: Examination) -> None:
    pins = [one for one in examination('[[device]]\ndriver = "gpio_box"\npins = "mock"\n') if one.check == "pins"]
    assert [one.state for one in pins] == ["look", "ok"]


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ({}, "no Bluetooth radio"),
        ({"/sys/class/rfkill/rfkill0/soft": "1"}, "is switched off"),
        ({"/sys/class/rfkill/rfkill0/hard": "1"}, "off by a switch"),
    ],
)
def test_a_radio_that_nobody_needs_is_told_and_no_trouble(
    examination: Examination, machine: dict[str, str], said: str
) -> None:
    radio = {"/sys/class/bluetooth/hci0": ""} if machine else {}
    files = radio | {"/sys/class/rfkill/rfkill0": "", "/sys/class/rfkill/rfkill0/type": "bluetooth"} | machine
    found = examination.about("bluetooth", files=files)
    assert (found.state, said in found.seen) == ("ok", True)


@pytest.mark.real_time
def test_two_readers_at_one_table_are_one_too_many(examination: Examination) -> None:
    simulated = '[[device]]\ndriver = "simulated"\nname = "{}"\n'
    found = examination.about("dice", simulated.format("a") + simulated.format("b"))
    assert (found.state, "a and b" in found.seen) == ("look", True)


# --- cables ----------------------------------------------------------------------------------------------


@pytest.mark.real_time
def test_a_hub_that_finds_boxes_by_itself_may_be_without_any(examination: Examination) -> None:
    assert examination.about("ports").state == "ok"
    found = examination.about("ports", BOXES)
    assert (found.state, "carries data" in found.do) == ("ok", True)


@pytest.mark.real_time
@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (
            Answer(HELLO, 812),
            "ok",
            "seat box e661640843210a2b, 8 controls, firmware 1.0.0, protocol 3; its heart beat now",
        ),
        (Answer(HELLO), "look", "its heart was not heard"),
        (Answer(OtherProtocol(4, "e66", "9.0")), "broken", "speaks protocol 4 (firmware 9.0)"),
        (None, "look", "does not say hello"),
        (DeviceLost("/dev/ttyACM0 cannot be opened.", Cause.BUSY), "ok", "in use"),
        (DeviceLost("/dev/ttyACM0 was unplugged."), "broken", "was unplugged"),
    ],
)
def test_a_board_on_usb_says_who_it_is(examination: Examination, answer: Any, state: str, said: str) -> None:
    found = examination.about("ports", BOXES, plugged=[PICO], answers={PICO.name: answer})
    assert (found.state, said in found.seen, found.about) == (state, True, PICO.name), found


@pytest.mark.real_chance
@pytest.mark.real_time
@pytest.mark.parametrize(
    ("driver", "kind", "state"),
    [("button_box", "buttons", "ok"), ("button_box", "tray", "look"), ("dice_tray", "tray", "ok")],
)
def test_another_board_than_the_configuration_has_at_a_port_is_told(
    examination: Examination, driver: str, kind: str, state: str
) -> None:
    toml = f'[[device]]\ndriver = "{driver}"\nports = ["{PICO.name}"]\n'
    answers = {PICO.name: Answer(replace(HELLO, k=kind), 3)}
    found = examination.about("ports", toml, plugged=[PICO], answers=answers)
    assert found.state == state, found
    if state == "look":
        assert found.seen == f"{PICO.name}: {HELLO.id} is a dice tray; the configuration has a seat box there."
        assert "take its port out of the [[device]] block" in found.do


@pytest.mark.real_time
def test_what_the_hub_that_runs_says_of_a_port_is_told(examination: Examination) -> None:
    why = f"The board at {PICO.name} does not say that it is a seat box: is the box's firmware on it?"
    busy: Any = {"plugged": [PICO], "answers": {PICO.name: DeviceLost("It cannot be opened.", Cause.BUSY)}}
    found = examination.about("ports", BOXES, running=hub_that_runs(devices={PICO.name: why}), **busy)
    assert (found.state, found.seen, found.about, "firmware" in found.do) == ("look", why, PICO.name, True)
    well = examination.about("ports", BOXES, running=hub_that_runs(devices={PICO.name: ""}), **busy)
    assert (well.state, "in use" in well.seen) == ("ok", True)


def test_a_box_with_an_older_firmware_is_told_apart_from_one_that_is_too_new(examination: Examination) -> None:
    do = [
        examination.about("ports", plugged=[PICO], answers={PICO.name: Answer(OtherProtocol(p, "a", "1"))}).do
        for p in (PROTOCOL - 1, PROTOCOL + 1)
    ]
    assert "new firmware" in do[0]
    assert "hub up to date" in do[1]


@pytest.mark.parametrize(("product", "label"), [("0003", "RPI-RP2"), ("000f", "RP2350")])
def test_a_pico_that_waits_for_its_firmware_is_seen_and_not_asked(
    examination: Examination, product: str, label: str
) -> None:
    usb = "/sys/bus/usb/devices/1-1"
    findings = examination(
        files={usb: "", f"{usb}/idVendor": "2e8a", f"{usb}/idProduct": product},
        plugged=[Port("/dev/ttyACM0", 0x2E8A, int(product, 16), "")],
    )
    assert any("waits for its firmware" in finding.seen and f"drive {label}:" in finding.do for finding in findings)


def test_modemmanager_is_named_while_the_rule_that_keeps_it_away_is_missing(examination: Examination) -> None:
    def named() -> bool:
        return any(
            "ModemManager" in finding.seen
            for finding in examination(plugged=[PICO], answers={PICO.name: Answer(HELLO, 1)})
        )

    examination.machine.files = {"/usr/sbin/ModemManager": ""}
    assert named()
    examination.machine.files["/etc/udev/rules.d/70-table-hub.rules"] = ""
    assert not named()


# --- what the hub has kept -----------------------------------------------------------------------------


KEPT = KeptMatch("m-3", "1", "bidness", "2026-11-22 20:15:00", 31, "under way")


@pytest.mark.parametrize(
    ("kept", "state", "seen", "do"),
    [
        (Record(), "ok", "0 matches; none is under way.", ""),
        (
            Record(matches=(KEPT,)),
            "ok",
            "under way: bidness at table 1, 31 entries",
            "A restart or an update keeps it.",
        ),
        (Record("file is not a database"), "broken", "file is not a database", "sets it aside"),
        (Record("it was written by a newer table-hub (form 9)"), "broken", "newer table-hub", "--back"),
        (PermissionError(13, "Permission denied"), "look", "may not read", "sudo -u ana"),
        (OSError(5, "Input/output error"), "broken", "Input/output error", "dmesg"),
    ],
)
def test_what_the_database_holds_is_told(
    examination: Examination, kept: Record | OSError, state: str, seen: str, do: str
) -> None:
    found = examination.about("record", kept=kept)
    assert (found.state, seen in found.seen, do in found.do) == (state, True, True), found


def test_what_was_set_aside_is_told_with_the_command_that_helps(examination: Examination) -> None:
    old = KEPT._replace(id="m-2", stage="set aside", reason="Other rules.")
    record = Record(
        matches=(old, KEPT, old._replace(id="m-4", table="bar")),
        damaged=(("1", "places"),),
        aside=("table-hub.db.unreadable-2026-11-22T20-00-00Z",),
    )
    said = [
        (finding.state, finding.seen, finding.do) for finding in examination(kept=record) if finding.check == "record"
    ]
    assert [state for state, *_ in said] == ["look", "look", "look", "ok"]
    assert "set aside: " in said[0][1]
    assert "bundle" in said[0][2]
    assert "'places'" in said[1][1]
    assert "m-4 (bidness, table bar) cannot continue now: Other rules." in said[2][1], "m-2 has a match after it"
    assert "table-hub export m-4" in said[2][2]


def test_a_table_that_stands_still_is_broken(examination: Examination) -> None:
    findings = examination(running=hub_that_runs(stopped="The disk is full."))
    assert of(findings, "record")[0] == ("broken", "Table 1 stands still: The disk is full.")
    assert not healthy(findings)


def test_a_table_that_hangs_or_stays_stopped_is_broken(examination: Examination) -> None:
    findings = examination(running=hub_that_runs(fault="This table has stopped.", silent=7))
    assert of(findings, "record")[:2] == [
        ("broken", "Table 1 has stopped after repeated errors."),
        ("broken", "Table 1 has not moved for 7 s."),
    ]
    assert not healthy(findings)
    assert healthy(examination(running=hub_that_runs(fault="", silent=0)))


@pytest.mark.parametrize(("listens", "name"), [("bob", "hub"), ("ana", "other"), ("", "other")])
def test_a_strangers_hub_at_the_port_is_not_believed(examination: Examination, listens: str, name: str) -> None:
    stranger = {
        **hub_that_runs(devices={"eink": "The panel does not answer."}),
        "hub": name,
        "url": "http://evil.example",
    }
    findings = examination(running=stranger, listens=listens, port="taken")
    (port,) = of(findings, "port")
    assert port[0] == "broken"
    assert f"another hub's ({name!r}" in port[1]
    assert not listens or listens in port[1]
    assert "evil" not in as_text(findings)
    assert ("ok", "The hub that runs has its broker.") not in of(findings, "broker")


def test_our_own_hub_at_the_port_is_believed(examination: Examination) -> None:
    findings = examination(running=hub_that_runs(), listens="ana", port="taken")
    assert of(findings, "port")[0][0] == "ok"


def test_a_service_that_runs_and_does_not_answer_is_broken(examination: Examination) -> None:
    active = {"systemctl show": "LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=0"}
    found = examination.about("service", programs=active, user="table-hub")
    assert (found.state, "does not answer" in found.seen) == ("broken", True)
    assert examination.about("service", programs=active, user="table-hub", running=hub_that_runs()).state == "ok"


# --- while a hub runs ------------------------------------------------------------------------------------


def of(findings: list[Finding], check: str) -> list[tuple[str, str]]:
    return [(finding.state, finding.seen) for finding in findings if finding.check == check]


def test_a_hub_that_runs_is_asked_for_what_it_holds(examination: Examination) -> None:
    running = hub_that_runs(
        boxes={
            "a": {"on": True, "firmware": "1.0.0", "controls": 8, "why": ""},
            "b": {"on": False, "firmware": "1.0.0", "controls": 8, "why": "Box b is silent: look at its cable."},
        },
        devices={"eink": "The panel does not answer."},
        dice={"tray": {"dice": 6, "weak": ["die 1"], "why": ""}},
    )
    findings = examination(PANEL, running=running, port="taken", files=LIKE_A_PI, packages={"lgpio", "spidev"})
    assert of(findings, "boxes") == [
        ("ok", "Box a of table 1 is there: 8 controls, firmware 1.0.0."),
        ("look", "Box b is silent: look at its cable."),
        ("look", "tray: 6 dice, low battery: die 1."),
    ]
    assert of(findings, "devices") == [("broken", "eink: the hub says: The panel does not answer.")]
    assert of(findings, "port") == [("ok", "Port 8080 is the hub's, which runs at http://10.42.0.1:8080.")]
    assert of(findings, "broker") == [("ok", "The hub that runs has its broker.")]


def test_a_running_hub_without_its_broker_says_so(examination: Examination) -> None:
    found = examination.about("broker", running=hub_that_runs(broker="mosquitto ended at once: exit status 3."))
    assert (found.state, "exit status 3" in found.seen) == ("broken", True)
