"""The support file: what it holds of a machine, broken ones too, and that nothing of a match or an owner leaves by it.

The law at the end fills a hub that really runs, with a real mosquitto and a match under way, and looks for every secret of
it in every byte of the file.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from hub.network.encryption import from_base64, to_base64
from hub.operations.bundle import Collector, Redactor, redacted_toml, without_messages_of_exceptions
from hub.version import version
from tests.e2e.hub_process import FISH, HubProcess, sealed
from tests.free_port import free_port
from tests.phone_ui.rig import Keys, Phone, until

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "hub/operations/bundle.py"
PARTS = {
    "configuration.toml", "doctor.txt", "installed.txt", "journal.txt", "kernel.txt", "machine.txt", "matches.txt",
    "packages.txt", "services.txt", "usb.txt", "version.txt",
}  # fmt: skip


def unpacked(file: Path) -> dict[str, str]:
    with tarfile.open(file) as packed:
        found = {}
        for member in packed.getmembers():
            content = packed.extractfile(member)
            assert content is not None
            found[member.name.partition("/")[2]] = content.read().decode()
        return found


# --- what it takes out -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("Table 1: http://10.0.0.2:8080/t/1  code 4711", "Table 1: http://10.0.0.2:8080/t/1  code (removed)"),
        ("Table 1: http://10.0.0.2:8080/t/1  code KQXY", "Table 1: http://10.0.0.2:8080/t/1  code (removed)"),
        ("with result 'exit-code'.\n2026-11-22T10:00:00", "with result 'exit-code'.\n2026-11-22T10:00:00"),
        ("GET http://10.0.0.2:8080/t/1#k=abc", "GET http://10.0.0.2:8080/t/1#(removed)"),
        ("mqtt://ana:rosebud@10.0.0.9:1883", "mqtt://(removed)@10.0.0.9:1883"),
        ("password=rosebud", "password=(removed)"),
        ("Phone kJ3x-Z_9aQ0bTw1vYu7s: unknown", "Phone (removed): unknown"),
        ("th/1/hub/1/seat/kJ3x-Z_9aQ0bTw1vYu7s/hand", "th/1/hub/1/seat/(removed)/hand"),
        ("ab+cd3f/kJ3xZ9aQ0bTw1vYu7sQ4=", "ab+cd3f/(removed)"),
        ("the seat box e661640843210a2b", "the seat box e661640843210a2b"),
        ("table-hub 0.1.0~20261122051500.9e8e7b9 installed", "table-hub 0.1.0~20261122051500.9e8e7b9 installed"),
        ("usb 1-1.2: new full-speed USB device number 4", "usb 1-1.2: new full-speed USB device number 4"),
        ("dbus-fast 5.2.0, font-source-sans-pro 0.0.1", "dbus-fast 5.2.0, font-source-sans-pro 0.0.1"),
    ],
)
def test_what_looks_like_a_secret_is_removed_and_the_rest_stays(line: str, instead: str) -> None:
    assert Redactor().text(line) == instead


def test_a_secret_that_is_known_is_removed_in_any_writing() -> None:
    redactor = Redactor()
    redactor.add("Annabel")
    redactor.add(b"\x00\x01secret-bytes\xff")
    data = b"\x00\x01secret-bytes\xff"
    for text in ("Annabel", base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode(), data.hex()):
        assert redactor.text(f"It is {text}.") == "It is (removed)."
    assert redactor.text("Annabella") == "Annabella"


CONFIG = """
[hub]
state = "/var/lib/table-hub" # rosebud-1
# the Wi-Fi is rosebud-2
[web]
port = 8080
[staff]
pin = 471147
pin_code = "rosebud-3"
[broker]
url = "mqtt://10.0.0.9"
user = "rosebud-4"
[[table]]
id = "1"
name = "rosebud-5"
[[device]]
driver = "button_box"
ports = ["/dev/ttyACM0"]
wifi = '''
port = 1
rosebud-6
'''
secret = ["rosebud-7"]
rosebud-8
port = rosebud-9
"""


def test_a_configuration_shows_what_cannot_be_a_secret() -> None:
    redactor = Redactor()
    shown = redacted_toml(CONFIG, redactor, names=False)
    assert "rosebud" not in shown
    assert "4711" not in shown
    for line in (
        'state = "/var/lib/table-hub"',
        "port = 8080",
        'url = "mqtt://10.0.0.9"',
        "[[device]]",
        'driver = "button_box"',
        'ports = ["/dev/ttyACM0"]',
        "pin = (removed)",
        "name = (removed)",
    ):
        assert line in shown.splitlines(), shown
    quoted = " ".join(f"rosebud-{number}" for number in (3, 4, 5, 6, 7, 8, 9))
    assert "rosebud" not in redactor.text(f"The value {quoted} is not allowed.")
    assert 'name = "rosebud-5"' in redacted_toml(CONFIG, Redactor(), names=True)


def test_a_name_that_is_a_word_of_this_program_stays_in_its_sentences() -> None:
    redactor = Redactor()
    for name in ("table", "Table 1", "cafe", "Annabel"):
        redactor.add_name(name)
    assert redactor.text("table-hub.service: Table 1, Annabel's cafe, cafe-racer") == (
        "table-hub.service: Table 1, (removed)'s (removed), cafe-racer"
    )
    assert 'user = ""' in redacted_toml('user = ""\n', redactor, names=False)


def test_an_exception_is_named_and_not_quoted() -> None:
    journal = """2026-11-22T10:00:00+00:00 table-hub[7]: hub.table: table 1: The rules failed.
2026-11-22T10:00:00+00:00 table-hub[7]: Traceback (most recent call last):
2026-11-22T10:00:00+00:00 table-hub[7]:   File "hub/games/bidness.py", line 7, in auction
2026-11-22T10:00:00+00:00 table-hub[7]:     hand.remove(card)
2026-11-22T10:00:00+00:00 table-hub[7]: ValueError: 'Golden Goose' is not in the hand
2026-11-22T10:00:01+00:00 table-hub[7]: hub: table-hub ends."""
    kept = without_messages_of_exceptions(journal.splitlines())
    assert kept[4] == "2026-11-22T10:00:00+00:00 table-hub[7]: ValueError: (removed)"
    assert [line for n, line in enumerate(kept) if n != 4] == [
        line for n, line in enumerate(journal.splitlines()) if n != 4
    ]


# --- broken installations --------------------------------------------------------------------------------


def made(folder: Path, *words: str, program: list[str] | None = None, **environment: str) -> dict[str, str]:
    """Make a support file as a person does; return its parts."""
    file = folder / "support.tar.gz"
    file.unlink(missing_ok=True)
    done = subprocess.run(
        [*(program or [sys.executable, "-m", "hub", "bundle"]), "--output", str(file), *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    parts = unpacked(file)
    for name, text in parts.items():
        assert re.search(rf"{re.escape(name)} +{len(text.encode())} bytes", done.stdout), done.stdout
    assert "Read it before you send it" in done.stdout
    return parts


def test_a_system_without_the_hubs_packages_gets_its_file(tmp_path: Path) -> None:
    """As `table-hub bundle` runs it where `.venv` is gone: the system's Python, isolated, without site-packages."""
    copy = tmp_path / "release"
    for file in (
        "hub/__init__.py",
        "hub/files.py",
        "hub/version.py",
        "hub/operations/__init__.py",
        "hub/operations/bundle.py",
    ):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, copy / file)
    (copy / "COMMIT").write_text("9e8e7b9\n")
    parts = made(tmp_path, program=[sys.executable, "-I", "-S", str(copy / "hub/operations/bundle.py")])
    assert set(parts) == PARTS
    assert "9e8e7b9" in parts["version.txt"]
    assert "There is no" in parts["doctor.txt"] + parts["packages.txt"]


def test_a_configuration_that_is_no_toml_and_a_damaged_database_are_in_it_all_the_same(tmp_path: Path) -> None:
    config = tmp_path / "table-hub.toml"
    config.write_text(f'[hub\nstate = "{tmp_path}/state"\n"rosebud-eleven\n')
    (tmp_path / "state").mkdir()
    (tmp_path / "state/table-hub.db").write_bytes(b"rubbish" * 200)
    parts = made(tmp_path, "--config", str(config))
    assert set(parts) == PARTS
    assert f'state = "{tmp_path}/state"' in parts["configuration.toml"]
    assert "table-hub.db  1400 bytes" in parts["matches.txt"]
    assert "The database cannot be read" in parts["matches.txt"]
    assert "BROKEN  config" in parts["doctor.txt"]
    assert version() in parts["version.txt"]
    assert "rosebud" not in str(parts)


def test_a_part_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Collector) -> str:
        raise ValueError("rosebud")

    for name in ("machine", "usb", "packages", "journal", "doctor", "matches"):
        monkeypatch.setattr(Collector, name, fail)
    parts = Collector(None).parts()
    assert set(parts) == PARTS
    assert parts["usb.txt"] == "This could not be collected (ValueError).\n"


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    command = [sys.executable, str(SCRIPT), "--output", str(tmp_path / "mine")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert (done.returncode, (tmp_path / "mine").read_text()) == (1, "mine")
    assert done.stderr == f"{tmp_path}/mine is there already; name another with --output.\n"


# --- the law ---------------------------------------------------------------------------------------------


@dataclass
class FilledHub:
    """A hub that was played with, and what of it nobody else may know."""

    folder: Path
    config: Path
    secrets: dict[str, bytes]
    codes: list[str]  # of the table and its seats: four characters, which stand in many a number by chance

    def bundle(self) -> bytes:
        journal = f'#!/bin/sh\ncase " $* " in *--dmesg*) exit 0;; esac\ncat "{self.folder}/journal"\n'
        fakes = self.folder / "bin"
        fakes.mkdir(exist_ok=True)
        (fakes / "journalctl").write_text(journal)  # systemd does not run here: what the hub wrote is its journal
        (fakes / "journalctl").chmod(0o755)
        made(self.folder, "--config", str(self.config), PATH=f"{fakes}:{os.environ['PATH']}")
        return (self.folder / "support.tar.gz").read_bytes()


def writings(secret: bytes) -> Iterator[bytes]:
    """A secret as somebody could have written it."""
    yield secret
    if len(secret) >= 6:
        yield secret.hex().encode()
        yield secret.hex().upper().encode()
        for shift in range(3):  # base64 of any text that holds it, wherever it begins
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                coded = encode(bytes(shift) + secret)
                yield coded[shift + 1 : -4 if len(secret) > 9 else -3].rstrip(b"=")


def sit_down(hub: HubProcess, seat: int, name: str) -> Phone:
    """Take a seat with its code, as the page does, and return the phone that is logged in there."""
    keys = Keys(from_base64(hub.key))
    asked = {"seat": seat, "code": hub.public.now["claim_codes"][str(seat)], "name": name}
    letter = keys.encrypt(asked)
    body = {
        "seat": seat,
        "pk": to_base64(keys.public),
        "nonce": to_base64(letter[:24]),
        "box": to_base64(letter[24:]),
    }
    claim = hub._ask("POST", "/t/1/claim", json.dumps(body))["claim"]
    until(lambda: hub.get(f"/t/1/claim/{claim}")["state"] == "held", "the seat")
    held = hub.get(f"/t/1/claim/{claim}")
    login = keys.decrypt(from_base64(held["nonce"]) + from_base64(held["box"]))
    phone = Phone(hub.port, login["user"], login["user"], login["password"])
    assert phone.dial()
    return phone


def strings_in(value: object) -> Iterator[str]:
    """All texts of a JSON value, however deep."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings_in(part)


def fill(hub: HubProcess, folder: Path, config: Path) -> FilledHub:
    """Begin a match of two phones at two boxes, lock a bid, and return all that is secret of it."""
    for _ in range(30):
        if hub.public.now["state"] == "playing":
            break
        for seat in (1, 2):
            hub.bench(box=seat, press="push")
        hub.public.soon(lambda state: state["state"] == "playing", 1.0)
    hub.until(sealed, "a sealed bid is asked for")
    hub.bench(box=1, press="k4")
    hub.bench(box=1, press="push")
    hub.until(lambda state: state["view"]["waiting"].get("locked") or state["seats"], "the bid is locked")
    state = folder / "state"
    found: dict[str, bytes] = {"the hub's key": (state / "hub.key").read_bytes()}
    with closing(sqlite3.connect(f"file:{state}/table-hub.db?mode=ro", uri=True)) as db:
        places = json.loads(db.execute("SELECT value FROM kept WHERE name = 'places'").fetchone()[0])
        for place in places:
            for key in ("name", "sid", "password", "phone_key"):
                found[f"{key} of seat {place['seat']}"] = place[key].encode()
            found[f"the key of seat {place['seat']}, as bytes"] = base64.b64decode(place["phone_key"])
        for number, (line,) in enumerate(db.execute("SELECT line FROM entries")):
            found[f"entry {number}"] = line
        for number, (head,) in enumerate(db.execute("SELECT head FROM matches")):
            found[f"head {number}"] = head
    for text in strings_in(json.loads((state / "broker/logins.json").read_bytes())):
        if len(text) >= 12 and ("/" not in text or "=" in text):
            found[f"login {text}"] = text.encode()
    for number, fish in enumerate(FISH):
        if len(fish) > 3:
            found[f"card {number}"] = fish.encode()
    codes = [place["code"] for place in places] + [hub.public.now["code"]]
    assert any(hub.public.now["code"] in line for line in hub.output), "the hub says its code when it starts"
    (folder / "password").write_text("Canarypassword-93\n")
    (folder / "journal").write_text("".join(hub.output))
    return FilledHub(folder, config, found, codes)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledHub]:
    folder = tmp_path_factory.mktemp("filled")
    port = free_port()
    config = folder / "table-hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder}/state"\nlog_level = "debug"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
        '[[table]]\nname = "Canarytable"\nseats = 2\ngame = "bid-and-bait"\n'
        '[[device]]\ndriver = "simulated"\nname = "Canarybench"\nseats = 2\n'
    )
    command = [sys.executable, "-u", "-m", "hub", "run", "--config", str(config)]
    with HubProcess(folder / "state", port, command, seats=2) as hub, ExitStack() as phones:
        for seat in (1, 2):
            phones.enter_context(sit_down(hub, seat, f"Canaryname{seat}"))
        yield fill(hub, folder, config)


@pytest.mark.slow
@pytest.mark.broker
@pytest.mark.parametrize(
    "break_it",
    [
        "nothing",
        "an outside broker",
        "an unknown key",
        "a value that does not fit",
        "no TOML",
        "a damaged database",
        "no database",
    ],
)
def test_no_secret_of_a_hub_that_was_played_with_is_in_its_support_file(filled: FilledHub, break_it: str) -> None:
    text, database = filled.config.read_text(), filled.folder / "state/table-hub.db"
    kept = {file: file.read_bytes() for file in database.parent.glob("table-hub.db*")}
    canary = "Canaryvalue-1X2"
    wrong = {
        "an outside broker": '[broker]\nurl = "mqtt://127.0.0.1:1"\nuser = "Canaryuser"\npassword_file = "password"\n',
        "an unknown key": f'[staff]\npin = "{canary}"\n',
        "a value that does not fit": f'[broker]\nuser = "{canary}"\n',
        "no TOML": f'[broken\nwifi = "{canary}\n',
    }.get(break_it, "")
    secrets_now = {**filled.secrets, "the value that is wrong": canary.encode(), "the password": b"Canarypassword-93"}
    journal = filled.folder / "journal"
    written = journal.read_text()
    if "database" not in break_it:  # even if the hub had said all that it must not
        told = [
            secret.decode() for what, secret in filled.secrets.items() if re.match("name|sid|password|phone_key", what)
        ]
        journal.write_text(written + "".join(f"hub: it is {text} here.\n" for text in [*told, *filled.codes]))
    try:
        filled.config.write_text(wrong + text if break_it == "no TOML" else text + wrong)
        if break_it == "a damaged database":
            database.write_bytes(b"rubbish" + database.read_bytes()[:2000])
        elif break_it == "no database":
            for file in kept:
                file.unlink()
        packed = filled.bundle()
    finally:
        filled.config.write_text(text)
        journal.write_text(written)
        for file, data in kept.items():
            file.write_bytes(data)
    plain = gzip.decompress(packed)
    assert b"Canary" not in plain
    parts = unpacked(filled.folder / "support.tar.gz")
    for code in filled.codes:
        for name in ("journal.txt", "doctor.txt", "configuration.toml"):
            assert not re.search(rf"(?<![\w.]){code}(?!\w)", parts[name]), (code, name)
    for what, secret in secrets_now.items():
        for one in writings(secret):
            assert one not in plain, f"{what} is in the file: {one!r}"
            assert one not in packed, what
    with tarfile.open(fileobj=io.BytesIO(packed)) as opened:
        assert len(opened.getnames()) == len(PARTS)


@pytest.mark.real_chance
def test_the_search_for_secrets_finds_them_in_any_writing() -> None:
    secret = secrets.token_bytes(20)
    for text in (
        secret,
        b"ab" + secret.hex().encode(),
        base64.b64encode(b"xy" + secret + b"z"),
        base64.b64encode(secret),
    ):
        assert any(written in text for written in writings(secret))
