"""The owner's file: what it may say, and the one sentence when it says something else."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from hub.config import BrokerPart, Config, DeckPart, DevicePart, HubPart, TablePart, WebPart, dump, load
from hub.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cafe.toml"


def refusal(file: Path, toml: str) -> str:
    file.write_text(toml, "utf-8")
    with pytest.raises(ConfigError) as refused:
        load(file)
    sentence = str(refused.value)
    assert "\n" not in sentence
    named = re.match(rf"{re.escape(str(file))}(, line \d+)?: ", sentence)
    assert named, sentence
    return sentence[named.end() :]


def test_without_a_file_the_hub_runs_on_its_defaults() -> None:
    config = load()
    assert config.web.port == 8080
    assert [table.id for table in config.table] == ["1"]
    assert config.hub.state == str(Path.home() / ".local/state/table-hub")


def test_a_file_lies_over_the_defaults(file: Path) -> None:
    file.write_text(
        """
        [web]
        port = 80
        [[table]]
        name = "By the window"
        seats = 5
        [[table]]
        id = "2"
        [[device]]
        driver = "button_box"
        table = "2"
        port = "/dev/table-hub-box-3"
        lamps = {pin = 18, order = ["g", "r", "b"]}
        """
    )
    config = load(file)
    assert (config.web.port, config.web.host) == (80, "0.0.0.0")
    assert config.table == (TablePart("1", "By the window", 5), TablePart("2"))
    settings = {"port": "/dev/table-hub-box-3", "lamps": {"pin": 18, "order": ["g", "r", "b"]}}
    assert config.device == (DevicePart("button_box", "2", "", settings),)


def test_an_empty_file_changes_nothing(file: Path) -> None:
    file.write_text("")
    assert load(file) == load()


def test_a_path_may_begin_at_home_or_at_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    file.write_text('[hub]\nstate = "~/games"\n[web]\ntls_cert = "keys/cafe.pem"\ntls_key = "/etc/cafe.key"\n')
    config = load(file)
    assert config.hub.state == "/home/ana/games"
    assert config.web.tls_cert == str(file.parent / "keys/cafe.pem")
    assert config.web.tls_key == "/etc/cafe.key"
    assert config.broker.ca_file == ""


def test_the_broker_is_a_program_on_the_path_or_a_path(file: Path) -> None:
    file.write_text('[broker]\nprogram = "./mosquitto-2.1"\n')
    assert load(file).broker.program == str(file.parent / "mosquitto-2.1")
    assert load().broker.program == "mosquitto"


def test_a_home_that_nobody_has_is_the_owners_to_mend(file: Path) -> None:
    file.write_text('[hub]\nstate = "~no-such-user-here/games"\n')
    with pytest.raises(ConfigError, match="write the path in full"):
        load(file)


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("[web]\nprot = 80", "[web] has no key prot: did you mean port?"),
        ("[web]\nPORT = 80", "[web] has no key PORT: did you mean port?"),
        (
            "[hub]\ncolour = 1",
            "[hub] has no key colour; there are id, state, keep_days, aside_days, log_level, find_devices.",
        ),
        ("[broaker]\nurl = ''", "there is no part [broaker]: did you mean [broker]?"),
        ("[[tables]]\nid = '2'", "there is no part [tables]: did you mean [[table]]?"),
        (
            "zzz = 1",
            "there is no part [zzz]; there are [hub], [web], [broker], [home_assistant], [upstream], [hours], [wifi], [updates], [[table]], [[preset]], [[deck]], [[device]].",
        ),
        ("[[table]]\nseat = 3", "[[table]] number 1 has no key seat: did you mean seats?"),
    ],
)
def test_an_unknown_key_is_refused_with_the_near_miss(file: Path, toml: str, sentence: str) -> None:
    assert refusal(file, toml) == sentence


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ('[web]\nport = "80"', '[web] port = "80" will not do; port is a whole number from 0 to 65535.'),
        ("[web]\nport = 65536", "[web] port = 65536 will not do; port is a whole number from 0 to 65535."),
        ("[web]\nport = true", "[web] port = true will not do; port is a whole number from 0 to 65535."),
        ("[web]\nport = 80.0", "[web] port = 80.0 will not do; port is a whole number from 0 to 65535."),
        (
            "[web]\nhost = 1",
            '[web] host = 1 will not do; host is an address or a name of this machine, such as "0.0.0.0".',
        ),
        ("[[table]]\nseats = 1", "[[table]] number 1 seats = 1 will not do; seats is a whole number from 2 to 6."),
        ("[[table]]\nseats = 7", "[[table]] number 1 seats = 7 will not do; seats is a whole number from 2 to 6."),
        (
            '[hub]\nlog_level = "loud"',
            '[hub] log_level = "loud" will not do; log_level is one of "debug", "info", "warning", "error".',
        ),
        (
            '[hub]\nid = "a/b"',
            '[hub] id = "a/b" will not do; id is 1 to 32 letters, digits or hyphens, in quotes.',
        ),
        (
            '[wifi]\nname = "Cafe"\npassword = "short"',
            '[wifi] password will not do; password is a password of 8 to 63 letters in quotes, or "".',
        ),
        (
            '[[device]]\ndriver = "../eink"',
            '[[device]] number 1 driver = "../eink" will not do; '  # noqa: ISC004 - one sentence
            "driver is the name of a driver, in quotes.",
        ),
        (
            '[[table]]\nname = "a\\nb"',
            '[[table]] number 1 name = "a\\nb" will not do; name is text in quotes, on one line.',
        ),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_the_allowed_ones(file: Path, toml: str, sentence: str) -> None:
    assert refusal(file, toml) == sentence


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("web = 80", "web is a part: write [web] on its own line and its keys below it."),
        ("[table]\nid = '1'", "there may be several of table: write [[table]] in double brackets."),
        ("table = []", "a hub needs at least one [[table]]."),
        ("[[table]]\n[[table]]", 'two tables have the id "1": give each [[table]] its own.'),
        ('[web]\ntls_cert = "a"', "[web] needs tls_key too: tls_cert and tls_key go together."),
        ('[web]\ntls_key = "a"', "[web] needs tls_cert too: tls_cert and tls_key go together."),
        ('[wifi]\npassword = "dice-and-tea"', "[wifi] password needs name too."),
        ('[broker]\nuser = "hub"', "[broker] user is for an outside broker only: give its url as well."),
        ('[broker]\nurl = "mqtt://cafe"\npassword_file = "p"', "[broker] password_file needs user too."),
        ('[upstream]\nuser = "hub"', "[upstream] user is for an outside broker only: give its url as well."),
        ('[upstream]\nurl = "mqtt://up"\npassword_file = "p"', "[upstream] password_file needs user too."),
        (
            '[upstream]\nurl = "mqtt://up"\nca_file = "c"',
            '[upstream] ca_file is for a url that begins with "mqtts://".',
        ),
        (
            '[broker]\nurl = "mqtt://cafe"\nca_file = "ca"',
            '[broker] ca_file is for a url that begins with "mqtts://".',
        ),
        ('[[deck]]\ngame = "bid-it"', "[[deck]] number 1 must name both a game and the file with its cards."),
        (
            '[[deck]]\ngame = "bid-it"\ncards = "a"\n[[deck]]\ngame = "bid-it"\ncards = "b"',
            "two lists of cards are for bid-it: a game is played with one.",
        ),
        ('[[device]]\ntable = "1"', "[[device]] number 1 names no driver."),
        ('[[device]]\ndrivr = "eink"', "[[device]] number 1 names no driver; is drivr meant to be driver?"),
        (
            '[[device]]\ndriver = "eink"\ntable = "2"',
            '[[device]] number 1 (eink) is for table "2", and the tables are "1".',
        ),
        (
            '[[device]]\ndriver = "eink"\nname = "left"\n[[device]]\ndriver = "buzzer"\nname = "left"',
            '[[device]] number 2 (buzzer) has the name "left" of another device: give each its own.',
        ),
        (
            '[[table]]\nseats = 4\n[[device]]\ndriver = "ble_dice"\ncup = 5',
            "[[device]] number 1 (ble_dice) is under the cup of seat 5, and the table has 4 seats.",
        ),
        (
            '[[device]]\ndriver = "ble_dice"\ncup = 2\n[[device]]\ndriver = "dice_tray"\ncup = 2',
            "[[device]] number 2 (dice_tray) is under the cup of seat 2, where another device is already.",
        ),
        (
            '[[device]]\ndriver = "eink"\nbought = 2026-01-01',
            "[[device]] number 1 bought must be text, a number, true, false, a list or a block of these.",
        ),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(file: Path, toml: str, sentence: str) -> None:
    assert refusal(file, toml) == sentence


@pytest.mark.parametrize("url", ["cafe:1883", "http://cafe", "mqtt://", "mqtt://cafe:port", "mqtt://ana:secret@cafe"])
def test_only_an_address_of_a_broker_is_one(file: Path, url: str) -> None:
    assert 'url is "", "mqtt://host:1883"' in refusal(file, f'[broker]\nurl = "{url}"')


@pytest.mark.parametrize("url", ["mqtt://cafe", "mqtts://cafe:8883", "mqtt://[::1]:1883"])
def test_a_cafes_own_broker_may_be_named(file: Path, url: str) -> None:
    file.write_text(f'[broker]\nurl = "{url}"\n')
    assert load(file).broker.url == url


@pytest.mark.parametrize(
    "address",
    ["192.168.1.5:8080", "hub.cafe.example:80", "my cafe!", " 10.0.0.1", "[fd00::1]", "10.0.0.256", "ftp://cafe",
     "http://", "http://cafe:port", "http://my cafe", "http://cafe/t/1", "http://ana@cafe", "http://cafe?x"],
)  # fmt: skip
def test_an_address_that_no_phone_can_open_is_refused(file: Path, address: str) -> None:
    sentence = refusal(file, f'[web]\naddress = "{address}"')
    assert sentence.endswith('address is an address such as "10.42.0.1" (its port is the key port), '
                             '"http://hub.cafe.example" or "".')  # fmt: skip


@pytest.mark.parametrize(
    "address",
    ["", "10.42.0.1", "fd00::1", "table.local", "hub", "http://hub.cafe.example/", "https://cafe.example:8443",
     "http://[fd00::1]:8080"],
)  # fmt: skip
def test_an_address_that_phones_can_open_may_be_given(file: Path, address: str) -> None:
    file.write_text(f'[web]\naddress = "{address}"\n')
    assert load(file).web.address == address


def test_a_missing_file_is_said_with_the_way_to_one(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"cafe\.toml: there is no such file; .*--print-config"):
        load(file)


def test_a_file_in_the_home_of_another_is_told_with_who_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "hub.toml").touch()
    monkeypatch.setattr(Path, "read_bytes", refused)
    user = pwd.getpwuid(os.geteuid()).pw_name
    with pytest.raises(ConfigError, match=rf"the user {user}, as whom this runs, may not read the file: copy it to "):
        load(tmp_path / "hub.toml")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read \(Is a directory\)"):
        load(tmp_path)


def test_a_slip_in_the_toml_is_named_with_its_line(file: Path) -> None:
    assert "line 3" in refusal(file, "[web]\nport = 80\nhost = \n")


def test_a_file_in_an_old_encoding_is_said_so(file: Path) -> None:
    file.write_bytes('[[table]]\nname = "Café"\n'.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"is not UTF-8 text \(byte 21\)"):
        load(file)


def test_the_printed_configuration_explains_every_key() -> None:
    printed = dump(Config())
    for part in (HubPart(), WebPart(), BrokerPart(), TablePart()):
        for key in part.__struct_fields__:
            assert any(line.startswith(f"{key} = ") and "  # " in line for line in printed.splitlines()), key


def test_the_printed_defaults_read_back_as_the_defaults(file: Path) -> None:
    file.write_text(dump(Config()), "utf-8")
    assert load(file) == load()


def test_the_examples_in_the_printed_configuration_work_once_their_marks_are_removed(file: Path) -> None:
    lines = dump(Config()).splitlines()
    for example in (lines.index("# [[deck]]"), lines.index("# [[device]]")):
        marked = next((n for n, line in enumerate(lines[example:], example) if not line.startswith("#")), len(lines))
        lines[example:marked] = [line.removeprefix("# ") for line in lines[example:marked]]
    file.write_text("\n".join(lines))
    assert load(file).device == (DevicePart("button_box"),)
    assert load(file).deck == (DeckPart("bid-it", str(file.parent / "my-cards.toml")),)


texts = st.text(st.characters(codec="utf-8"), max_size=8)
lines = texts.filter(str.isprintable)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9-]{0,5}", fullmatch=True)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
known = {"driver", "table", "name", "settings"}
settings = st.dictionaries(texts.filter(lambda key: key not in known), values, max_size=3)
tables = st.lists(
    st.builds(TablePart, names, lines, st.integers(2, 6)), min_size=1, max_size=3, unique_by=lambda table: table.id
)


@effort(max_examples=40)  # each is written and read by tomlkit, which takes its time
@given(tables, st.lists(st.tuples(lines, settings), max_size=3, unique_by=lambda pair: pair[0]), st.integers(0, 65535))
def test_whatever_is_printed_is_read_back_equal(
    tmp_path_factory: pytest.TempPathFactory, table: list[TablePart], devices: list[Any], port: int
) -> None:
    file = tmp_path_factory.getbasetemp() / "printed.toml"
    config = msgspec.structs.replace(
        load(),
        table=tuple(table),
        web=WebPart(port=port),
        device=tuple(DevicePart("eink", table[0].id, name, own) for name, own in devices),
    )
    file.write_text(dump(config), "utf-8")
    assert load(file) == config
