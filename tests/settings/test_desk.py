"""Staff read and change the owner's file: all or nothing, and what else is in it stays."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hub import files
from hub.config import Config, dump, load
from hub.devices import driver_names
from hub.errors import ConfigError, HubError
from hub.network.staff_messages import SettingField, Settings
from hub.network.staff_verbs import ChangeSettingsArgs, SettingChange
from hub.settings.desk import SettingsDesk
from hub.settings.form import parts

ROOT = Path(__file__).parents[2]
EVERY_DEVICE = (ROOT / "systemd/every-device.toml").read_text("utf-8")
SMALL = """\
# Our place.
[web]
port = 8080  # as on the door

[wifi]
name = "Cafe"
password = "sesame-open"

[[table]]
id = "1"

# The panel on the wall.
[[device]]
driver = "eink"
"""
PRESETS = """
[[preset]]
game = "bid-it"
name = "full"
options = {advanced = true}
[[preset]]
game = "bidness"
name = "short"
[preset.options]
rounds = 3
"""
FILES = {
    "small": SMALL,
    "every device": EVERY_DEVICE,
    "all alternatives": re.sub(r"^#(?! )", "", EVERY_DEVICE, flags=re.MULTILINE),
    "installed": (ROOT / "systemd/table-hub.toml").read_text("utf-8"),
    "dumped": dump(Config()),
    "presets": SMALL + PRESETS,
    "empty": "",
}


def accept(_: Config) -> None:
    """Refuse nothing."""


class Rig:
    """A file, and a desk for it. `again` is the desk after a restart."""

    def __init__(self, folder: Path, text: str = SMALL, check: Callable[[Config], object] = accept) -> None:
        self.file, self.check = folder / "table-hub.toml", check
        self.file.write_text(text, "utf-8")
        self.again()

    def again(self) -> None:
        self.desk = SettingsDesk(str(self.file), load(self.file), self.check)

    @property
    def text(self) -> str:
        return self.file.read_text("utf-8")

    def change(
        self, *changes: tuple[list[Any], Any], seen: str = "", drivers: Sequence[str] = ()
    ) -> tuple[str, Settings]:
        made = [SettingChange(at, to) for at, to in changes]
        return self.desk.change(ChangeSettingsArgs(seen or self.desk.read().seen, made, [*drivers]))

    def refusal(self, *changes: tuple[list[Any], Any]) -> tuple[list[str | int], str]:
        """Return where the sentence of a refused change stands, and what it says."""
        before = self.text
        said, settings = self.change(*changes)
        assert said == ""
        assert self.text == before
        assert settings.refused
        return settings.refused.at, str(settings.refused.say)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


# --- the form ----------------------------------------------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all keys, down to blocks in lists."""
    if isinstance(value, dict):
        return [one for key, below in value.items() for one in leaves(below, (*path, key))]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [one for number, below in enumerate(value) for one in leaves(below, (*path, number))]
    return [path]


def value_at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def field_at(settings: Settings, path: tuple[Any, ...]) -> SettingField:
    """The field of the form for a key of the file, as the page finds it."""
    if path[0] == "device":
        driver = settings.values["device"][path[1]]["driver"]
        name = " ".join(["device", driver, *(one for one in path[2:-1] if isinstance(one, str))])
        own = {one.key: one for one in settings.parts["device"].fields} if len(path) == 3 else {}
    else:
        name, own = path[0], {}
    return ({one.key: one for one in settings.parts[name].fields} | own)[path[-1]]


@pytest.mark.parametrize("name", FILES)
def test_every_key_of_a_file_has_a_field_and_saving_it_changes_nothing(tmp_path: Path, name: str) -> None:
    rig = Rig(tmp_path, FILES[name])
    settings = rig.desk.read()
    assert settings.fault == ""
    assert settings.waiting == []
    for path in leaves(tomllib.loads(rig.text)):
        if path[0] == "preset" and path[2] == "options":
            path = path[:3]
        field = field_at(settings, path)
        value = value_at(settings.values, path)
        if field.kind == "secret":
            assert value in (True, False)
            continue
        said, after = rig.change(([*path], value))
        assert said == "Saved.", (path, value, after.refused)
        assert tomllib.loads(rig.text) == tomllib.loads(FILES[name])
    comments = [line for line in FILES[name].splitlines() if line.startswith("#")]
    assert [line for line in rig.text.splitlines() if line.startswith("#")] == comments


@pytest.mark.parametrize("name", FILES)
def test_every_key_that_there_is_can_be_written_with_its_default(tmp_path: Path, name: str) -> None:
    rig = Rig(tmp_path, FILES[name])
    settings = rig.desk.read()
    changes: list[tuple[list[Any], Any]] = []
    for part in ("hub", "web", "broker", "home_assistant", "upstream", "hours", "wifi"):
        changes += [([part, one.key], one.default) for one in settings.parts[part].fields if part != "wifi"]
    for part in ("table", "device"):
        for number, block in enumerate(settings.values.get(part, [])):
            form = settings.parts["device " + block["driver"]] if part == "device" else settings.parts[part]
            changes += [
                ([part, number, one.key], one.default)
                for one in form.fields
                if one.default is not None and one.kind != "tables" and not (part == "table" and one.key == "id")
            ]
    changes = [(at, None if one == "{}" else one) for at, one in changes]
    said, after = rig.change(*changes)
    assert after.refused is None
    assert said.startswith("Saved.")
    assert load(rig.file).web == load(None).web


def test_every_driver_can_be_added_and_its_devices_removed(rig: Rig) -> None:
    before = rig.text
    for name in driver_names():
        offered = rig.desk.read([name])
        assert offered.drivers[name].about
        number = len(offered.values["device"])
        needed = {"boxes": [{"id": "one"}]} if name == "gpio_box" else {}
        said, after = rig.change((["device", number], {"driver": name, **needed}), drivers=[name])
        assert said, after.refused
        assert f"device {name}" in after.parts
        said, _ = rig.change((["device", number], None))
        assert said
    assert rig.text == before


def test_a_driver_that_there_is_not_and_one_whose_package_is_missing_are_refused_in_a_sentence(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(HubError, match="There is no such driver"):
        rig.desk.read(["ein"])

    def missing(name: str) -> None:
        raise ModuleNotFoundError(name="bleak")

    monkeypatch.setattr("hub.devices.import_module", missing)
    with pytest.raises(ConfigError, match="needs the Python package bleak"):
        rig.desk.read(["ble_dice"])


def test_tables_presets_and_lists_of_cards_are_added_and_removed(rig: Rig) -> None:
    rig.file.with_name("small.toml").write_text(SMALL, "utf-8")
    said, after = rig.change(
        (["table", 1], {"id": "2", "name": "Window"}),
        (["preset", 0], {"game": "bid-it", "name": "full", "options": {"advanced": True}}),
        (["deck", 0], {"game": "bid-it", "cards": "mine.toml"}),
        (["device", 0, "table"], "2"),
    )
    assert said == "Saved. Some changes take effect after a restart of the hub."
    assert after.waiting == ["[table]", "[preset]", "[deck]", "[device] 1 table"]
    config = load(rig.file)
    assert [table.name for table in config.table] == ["Table 1", "Window"]
    assert config.preset[0].options == {"advanced": True}
    rig.again()
    assert rig.desk.read().waiting == []
    rig.change((["preset", 0], None), (["device", 0, "table"], "1"), (["table", 1], None), (["deck", 0], None))
    assert load(rig.file) == load(rig.file.with_name("small.toml"))
    assert rig.text.startswith(SMALL[:-1])


# --- refused values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "to", "stands_at", "sentence"),
    [
        (["web", "port"], 99999, None, "[web] port = 99999 will not do; port is a whole number from 0 to 65535."),
        (["web", "port"], "eighty", None, '[web] port = "eighty" will not do; port is a whole number from 0 to 65535.'),
        (["hub", "id"], "two words", None, '[hub] id = "two words" will not do; id is 1 to 32 letters, digits or hyphens.'),
        (["wifi", "password"], "short", None, "[wifi] password will not do; password is a password of 8 to 63 letters, or empty."),
        (["hours", "fri"], "25:00", None, 'a time such as "23:00" or "01:30", or empty.'),
        (["table", 0, "seats"], 9, None, "[[table]] number 1 seats = 9 will not do; seats is a whole number from 2 to 6."),
        (["table", 0, "language"], ["klingon!"], None, 'each a language such as "en" or "de".'),
        (["table", 0, "seat"], 3, None, "[[table]] number 1 has no key seat: did you mean seats?"),
        (["table", 1], {"id": "1"}, None, 'two tables have the id "1": give each [[table]] its own.'),
        (["web", "tls_key"], "key.pem", ["web"], "needs tls_cert too: tls_cert and tls_key go together."),
        (["upstream", "user"], "me", None, "[upstream] user is for an outside broker only: give its url as well."),
        (["device", 0, "table"], "7", None, 'is for table "7", and the tables are "1".'),
        (["device", 0, "driver"], "eing", None, "there is none; there are"),
        (["device", 0, "reset"], "RST", None, 'reset = "RST" will not do; reset is a whole number.'),
        (["device", 0, "restt"], 3, None, '[[device]] driver = "eink" has no key restt: did you mean reset?'),
        (["device", 1], {"name": "x"}, None, "[[device]] number 2 names no driver."),
        (["webb", "port"], 80, ["webb"], "there is no part [webb]: did you mean [web]?"),
        (["web", "port", "x"], 80, None, "This change does not fit the file. Change [web] port x by hand."),
        (["table", 7, "seats"], 4, None, "This change does not fit the file."),
        (["upstream", "password_file"], {"password": ""}, None, "A password is text on one line."),
        (["upstream", "password_file"], {"password": "a\nb"}, None, "A password is text on one line."),
        (["upstream", "password_file"], {"word": "x"}, None, "A password is text on one line."),
    ],
)  # fmt: skip
def test_a_refused_value_changes_nothing_and_says_why_at_its_field(
    rig: Rig, at: list[Any], to: Any, stands_at: list[Any] | None, sentence: str
) -> None:
    where, said = rig.refusal((at, to))
    assert sentence in said
    assert where == (stands_at or at)


@pytest.mark.parametrize("text", ["{advanced = tru}", "", "1\nother = 2", "[" * 2000])
def test_options_that_are_no_toml_are_refused(tmp_path: Path, text: str) -> None:
    rig = Rig(tmp_path, SMALL + PRESETS)
    where, said = rig.refusal((["preset", 0, "options"], text))
    assert where == ["preset", 0, "options"]
    assert "it is a block of keys and values, as in the file" in said
    rig.change((["preset", 0, "options"], "{advanced = false}"))
    assert load(rig.file).preset[0].options == {"advanced": False}


def test_one_refused_value_keeps_all_changes_out(rig: Rig) -> None:
    assert rig.refusal((["hub", "id"], "bar"), (["web", "port"], -1))[0] == ["web", "port"]


def test_what_only_the_whole_hub_refuses_stands_at_the_only_change_or_above_all(tmp_path: Path) -> None:
    def refuse(_: Config) -> None:
        raise ConfigError("There is no language 'tlh'; there are en, de.")

    rig = Rig(tmp_path, check=refuse)
    assert rig.refusal((["table", 0, "language"], ["tlh"])) == (
        ["table", 0, "language"],
        "There is no language 'tlh'; there are en, de.",
    )
    assert rig.refusal((["table", 0, "language"], ["tlh"]), (["hub", "id"], "x"))[0] == []


def test_a_file_that_the_hub_would_refuse_says_so_and_can_be_mended_here(rig: Rig) -> None:
    rig.file.write_text(SMALL.replace("8080", "80800"), "utf-8")
    assert rig.desk.read().fault == "[web] port = 80800 will not do; port is a whole number from 0 to 65535."
    assert rig.refusal((["hub", "id"], "bar"))[0] == ["web", "port"]
    said, after = rig.change((["web", "port"], 8080))
    assert (said, after.fault) == ("Saved.", "")


@pytest.mark.parametrize("text", ["table = 3\n", 'device = "x"\n', "[[device]]\n", "web = 1\n", "x = 1\n"])
def test_any_file_with_a_fault_is_shown_with_a_sentence(rig: Rig, text: str) -> None:
    rig.file.write_text(text, "utf-8")
    assert rig.desk.read().fault


def test_a_file_that_is_not_toml_cannot_be_shown(rig: Rig) -> None:
    rig.file.write_text("no toml", "utf-8")
    with pytest.raises(ConfigError, match="this is not TOML"):
        rig.desk.read()


# --- secrets ------------------------------------------------------------------------------------------------


def test_a_secret_is_never_sent_and_can_be_replaced_and_removed(rig: Rig) -> None:
    settings = rig.desk.read()
    assert settings.values["wifi"]["password"] is True
    assert "sesame" not in msgspec.json.encode(settings, enc_hook=str).decode()
    _, after = rig.change((["wifi", "password"], "another-one"))
    assert "another-one" not in msgspec.json.encode(after, enc_hook=str).decode()
    assert load(rig.file).wifi.password == "another-one"
    _, after = rig.change((["wifi", "password"], None))
    assert "password" not in after.values["wifi"]
    rig.file.write_text(SMALL.replace("sesame-open", "short1"), "utf-8")
    assert "short1" not in msgspec.json.encode(rig.desk.read(), enc_hook=str).decode()


def test_a_password_of_a_broker_goes_into_a_file_of_the_hubs_own(tmp_path: Path) -> None:
    rig = Rig(tmp_path, f'[hub]\nstate = "{tmp_path}/state"\n[upstream]\nurl = "mqtt://b"\nuser = "me"\n')
    said, after = rig.change((["upstream", "password_file"], {"password": "pass word"}))
    path = Path(load(rig.file).upstream.password_file)
    assert path == tmp_path / "state" / "passwords" / "upstream.txt"
    assert path.read_text("utf-8") == "pass word\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "pass word" not in msgspec.json.encode(after, enc_hook=str).decode()
    rig.again()
    said, after = rig.change((["upstream", "password_file"], {"password": "other"}))
    assert said == "Saved. Some changes take effect after a restart of the hub.", "the path is the same"
    assert after.waiting == ["[upstream] password_file"]


def test_a_password_is_not_written_if_another_change_is_refused(tmp_path: Path) -> None:
    rig = Rig(tmp_path, f'[hub]\nstate = "{tmp_path}/state"\n[upstream]\nurl = "mqtt://b"\nuser = "me"\n')
    rig.refusal((["upstream", "password_file"], {"password": "x"}), (["web", "port"], -1))
    assert not (tmp_path / "state").exists()


# --- the file -----------------------------------------------------------------------------------------------


def test_a_change_by_hand_is_not_overwritten(rig: Rig) -> None:
    seen = rig.desk.read().seen
    by_hand = SMALL.replace("Our place", "My place")
    rig.file.write_text(by_hand, "utf-8")
    with pytest.raises(HubError, match="Somebody has changed the file since you opened this page"):
        rig.change((["hub", "id"], "bar"), seen=seen)
    assert rig.text == by_hand
    rig.change((["hub", "id"], "bar"))
    assert rig.text == f'{by_hand}\n[hub]\nid = "bar"\n'


def test_a_change_by_hand_waits_for_a_restart_too(rig: Rig) -> None:
    rig.file.write_text(SMALL.replace("8080", "80"), "utf-8")
    assert rig.desk.read().waiting == ["[web] port"]


def test_owner_and_mode_of_the_file_stay_and_a_link_leads_to_the_same_file(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.file.chmod(0o640)
    real = rig.file.rename(tmp_path / "real.toml")
    rig.file.symlink_to(real)
    rig.change((["hub", "id"], "bar"))
    assert rig.file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert 'id = "bar"' in real.read_text("utf-8")
    assert [*tmp_path.iterdir()] in ([rig.file, real], [real, rig.file])


@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_a_write_that_breaks_off_leaves_the_old_file_whole(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        if call == "rename":
            patch.setattr(Path, "rename", full)
        elif call == "fsync":
            patch.setattr(os, "fsync", full)
        else:
            patch.setattr(files, "_write_whole", full)
        with pytest.raises(HubError, match=r"cannot be written \(No space left on device\); nothing was changed"):
            rig.change((["hub", "id"], "bar"))
    assert rig.text == SMALL
    assert [*rig.file.parent.iterdir()] == [rig.file]


def test_half_a_file_of_a_power_cut_is_no_obstacle(rig: Rig) -> None:
    (rig.file.parent / ".table-hub.toml.new").write_text("[hub", "utf-8")
    rig.change((["hub", "id"], "bar"))
    assert [*rig.file.parent.iterdir()] == [rig.file]


def test_a_file_that_the_hub_may_not_write_says_what_to_do(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(HubError, match=r"Run `sudo chown -R table-hub: .*` on the hub's machine"):
        rig.change((["hub", "id"], "bar"))


def test_without_a_file_there_is_nothing_to_change() -> None:
    desk = SettingsDesk(None, Config(), accept)
    with pytest.raises(HubError, match="runs without a configuration file"):
        desk.read()
    with pytest.raises(HubError, match="runs without a configuration file"):
        desk.change(ChangeSettingsArgs("", [SettingChange(["hub", "id"], "x")]))


def test_a_file_that_is_gone_is_a_sentence(rig: Rig) -> None:
    seen = rig.desk.read().seen
    rig.file.unlink()
    with pytest.raises(HubError, match="there is no such file"):
        rig.desk.read()
    with pytest.raises(HubError, match="cannot be read"):
        rig.change((["hub", "id"], "x"), seen=seen)


# --- what takes effect ---------------------------------------------------------------------------------------


def test_what_was_applied_at_once_does_not_wait_for_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    running = load(rig.file)
    applied: list[Config] = []

    def apply(config: Config) -> Config:
        applied.append(config)
        return msgspec.structs.replace(running, wifi=config.wifi)

    desk = SettingsDesk(str(rig.file), running, accept, apply)
    change = [SettingChange(["wifi", "name"], "Bar"), SettingChange(["hub", "id"], "bar")]
    said, after = desk.change(ChangeSettingsArgs(desk.read().seen, change))
    assert applied[0].wifi.name == "Bar"
    assert after.waiting == ["[hub] id"]
    said, after = desk.change(ChangeSettingsArgs(after.seen, [SettingChange(["hub", "id"], None)]))
    assert said == "Saved."


def test_the_journal_names_the_keys_and_no_value(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    rig.change((["wifi", "password"], "another-one"), (["table", 0, "name"], "Window"))
    assert caplog.messages == ["staff: settings were changed: [wifi] password, [table] 1 name"]


def test_only_devices_that_may_read_dice_can_be_put_under_a_cup() -> None:
    offered = parts(driver_names(), ["1"])
    under = {name for name, part in offered.items() if "cup" in [field.key for field in part.fields]}
    assert under == {"device ble_dice", "device dice_tray", "device simulated"}
    assert [field.key for field in offered["device"].fields] == ["driver", "table", "name"]


def test_the_form_names_every_key_of_every_driver_once() -> None:
    for name, part in parts(driver_names(), ["1"]).items():
        keys = [one.key for one in part.fields]
        assert len(keys) == len(set(keys)), name
        assert all(one.allowed for one in part.fields)
        assert all("quotes" not in one.allowed for one in part.fields)


@pytest.mark.parametrize(
    ("at", "to"),
    [
        (["broker", "program"], "/tmp/mine"),
        (["broker"], {"program": "/tmp/mine"}),
        (["web", "open_bench"], True),
        (["web"], {"port": 8080, "open_bench": True}),
    ],
)
def test_what_only_the_owner_of_the_machine_may_choose_is_changed_by_hand(
    tmp_path: Path, at: list[str | int], to: object
) -> None:
    rig = Rig(tmp_path)
    before = rig.file.read_bytes()
    asked = ChangeSettingsArgs(rig.desk.read().seen, [SettingChange(at, to)])
    sentence, settings = rig.desk.change(asked)
    assert sentence == ""
    assert settings.refused
    assert "by hand" in settings.refused.say
    assert rig.file.read_bytes() == before


def test_beside_a_key_that_is_changed_by_hand_others_are_changed(tmp_path: Path) -> None:
    rig = Rig(tmp_path, SMALL + '\n[broker]\nprogram = "/opt/mosquitto"\n')
    asked = ChangeSettingsArgs(rig.desk.read().seen, [SettingChange(["web", "port"], 8081)])
    assert rig.desk.change(asked)[0]
    assert load(rig.file).broker.program == "/opt/mosquitto"
    assert load(rig.file).web.port == 8081
