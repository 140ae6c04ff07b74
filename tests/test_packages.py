"""Games and drivers of packages: found, left out with a sentence if they cannot be used, added and removed by staff."""

from __future__ import annotations

import os
import sys
import threading
import zipfile
from base64 import b64encode
from pathlib import Path
from random import Random

import pytest

from hub import devices, games, languages, package_folder, packages
from hub.__main__ import main
from hub.authoring.translations import DamagedCatalog, translate_game
from hub.config import Config, DeckPart, DevicePart, PresetPart
from hub.decks import CardLists
from hub.devices import (
    UnusableDevice,
    connect,
    driver_names,
    driver_of,
    header_wiring,
    load_driver,
    needs,
    packaged_drivers,
)
from hub.engine.match import Match
from hub.engine.text import say
from hub.errors import ConfigError, HubError, StartRefused
from hub.network.staff_messages import PackageSeen
from hub.network.staff_verbs import AddPackageArgs
from hub.operations import doctor
from hub.operations.doctor import checks
from hub.operations.doctor.finding import Subject
from hub.package_folder import PackageFolder
from hub.ports import DeviceDown, DiceCamera, DriverContext, SearchedDice
from hub.presets import presets_by_game
from hub.settings.form import about_driver, driver_offers, parts
from tests.made_packages import DATA, ENTRY, GAME, LAMP, RULEBOOK, installed, wheel
from tests.operations.doctor.fake_machine import FakeMachine
from tests.patience import PATIENCE

LAMP_ENTRY = "[table_hub.drivers]\nodd_lamp = odd_lamp\n"
HOUSE = """\
def choose(sight, chance, strength):
    return None
"""
PO = """\
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgctxt "oddspiel"
msgid "Bid {card}"
msgstr "Nimm {card}"

msgid "How strange."
msgstr "Wie seltsam."

msgid "odd words"
msgstr "seltsame Worte"

msgid "Seat {seat}"
msgstr "Thron {seat}"

msgctxt "goofspiel"
msgid "Bid {card}"
msgstr "gekapert"
"""


def context(told: list[object]) -> DriverContext:
    return DriverContext(told.append, {}, Random(1))


# --- games -------------------------------------------------------------------------------------------------


def test_the_game_of_a_package_is_found_and_can_be_played(tmp_path: Path) -> None:
    with installed(wheel(tmp_path, GAME | {"oddspiel/house.py": HOUSE}, ENTRY)):
        assert "oddspiel" in games.names()
        assert "oddspiel" not in games.built_in()
        game = games.find("oddspiel")
        assert (game.title, games.files_of("oddspiel").package) == ("Oddspiel", "oddspiel 1.0.0")
        assert game.house is not None
        assert Match(game, (1, 2)).view(1)
    assert "oddspiel" not in games.names()


def test_a_package_whose_api_is_not_said_or_too_new_is_left_out(tmp_path: Path) -> None:
    for number, (data, why) in enumerate([
        (DATA.replace("api = 1\n", ""), "it does not say which version of table-hub's interfaces it uses: write api = 1."),
        (DATA.replace("api = 1\n", "api = true\n"), "it does not say which version of table-hub's interfaces it uses: write api = 1."),
        (DATA.replace("api = 1\n", "api = 2\n"), "it needs a newer table-hub (it uses version 2 of the interfaces, this hub has 1)."),
    ]):  # fmt: skip
        with installed(wheel(tmp_path / f"{number}", GAME | {"oddspiel/game.toml": data}, ENTRY)):
            assert "oddspiel" not in games.names()
            assert [*games.packaged().left_out.values()] == [
                f"The game oddspiel of the package oddspiel 1.0.0 is left out: {why}"
            ]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"rulebook.py": "import no_such_package"}, "it needs the Python package no_such_package, which is not installed."),
        ({"rulebook.py": "raise SystemExit(3)"}, "SystemExit: 3."),
        ({"rulebook.py": "def ("}, "SyntaxError: "),
        ({"rulebook.py": "import asyncio\nraise asyncio.CancelledError"}, "CancelledError."),
        ({"rulebook.py": "class Odd(Exception):\n    __str__ = None\nraise Odd"}, "Odd."),
        ({"rulebook.py": "raise OSError(5, 'bad \\udcff')"}, "OSError: [Errno 5] bad ?"),
        ({"game.toml": DATA.replace("seats = [2, 6]", "seats = [2, 12]")}, "seats from 2 to 6"),
        ({"game.toml": DATA.replace("api = 1", "api = 1\nown = { version = [] }")}, "[own] in game.toml"),
        ({"rulebook.py": "deal = None"}, "The rulebook's deal must be a function with 1 argument(s)."),
        ({"rulebook.py": f"{RULEBOOK}def standing(s): pass"}, "The rulebook's standing must be a function with 2 argument(s)."),
        ({"rulebook.py": "from hub.games.goofspiel import deal, play"}, "The rulebook has no function explain."),
        ({"rulebook.py": f"{RULEBOOK}def deal(setup):\n    return 1 / 0"}, "ZeroDivisionError: division by zero."),
        ({"house.py": "1 / 0"}, "ZeroDivisionError: division by zero."),
        ({"house.py": "def choice(sight): pass"}, "Its house player has no function choose."),
        ({"game.toml": "api = 1\n["}, "DecodeError: "),
        ({"game.toml": DATA.replace('"oddspiel"', '"evenspiel"')}, "game.toml calls it evenspiel."),
        ({"game.toml": f"{DATA}\n[moves.bid.no]\nsuch = 1\n"}, "no"),
        ({"guide.toml": "about = 5"}, "ValidationError: "),
    ],
)  # fmt: skip
def test_a_package_that_cannot_be_used_is_left_out_with_one_sentence(
    tmp_path: Path, changed: dict[str, str], why: str
) -> None:
    texts = GAME | {f"oddspiel/{name}": text for name, text in changed.items()}
    with installed(wheel(tmp_path, texts, ENTRY)):
        assert games.names() == games.built_in()
        [sentence] = games.packaged().left_out.values()
        assert sentence.startswith("The game oddspiel of the package oddspiel 1.0.0 is left out: ")
        assert why in sentence
        assert "\n" not in sentence


def test_the_doctor_names_the_games_that_are_left_out_and_no_others(tmp_path: Path) -> None:
    subject = Subject(Config(), "the defaults")
    for data, count in ((DATA, 0), (DATA.replace("api = 1\n", ""), 1)):
        with installed(wheel(tmp_path / f"{count}", GAME | {"oddspiel/game.toml": data}, ENTRY)):
            found = [*checks.packages(FakeMachine(), subject)]
            assert [one.seen for one in found] == [*games.packaged().left_out.values()]
            assert len(found) == count


@pytest.mark.parametrize("name", ["settings", "..", "Odd", "a_b", "a" * 30])
def test_a_name_that_is_none_for_addresses_and_files_is_left_out(tmp_path: Path, name: str) -> None:
    data = DATA.replace('"oddspiel"', f'"{name}"')
    with installed(wheel(tmp_path, GAME | {"oddspiel/game.toml": data}, f"[table_hub.games]\n{name} = oddspiel\n")):
        assert games.names() == games.built_in()
        assert "small letters, digits and hyphens" in str([*games.packaged().left_out.values()])


def test_a_module_that_is_not_there_and_an_entry_without_one_are_left_out(tmp_path: Path) -> None:
    for number, entry in enumerate(("oddspiel = nowhere", "oddspiel = nowhere:thing", "oddspiel = :")):
        with installed(wheel(tmp_path / f"{number}", GAME, f"[table_hub.games]\n{entry}\n")):
            assert games.names() == games.built_in()
            assert len(games.packaged().left_out) == 1


def test_no_package_takes_the_name_of_another_game(tmp_path: Path) -> None:
    taken = DATA.replace('"oddspiel"', '"goofspiel"')
    with installed(wheel(tmp_path, GAME | {"oddspiel/game.toml": taken}, "[table_hub.games]\ngoofspiel = oddspiel\n")):
        assert [*games.packaged().left_out.values()] == [
            "The game goofspiel of the package oddspiel 1.0.0 is left out: there is another game with this name."
        ]
        assert games.find("goofspiel").title == "Goofspiel"


@pytest.mark.parametrize("later", ["a", "z"])
def test_of_two_packages_with_a_game_of_the_same_name_the_one_that_was_there_before_is_used(
    tmp_path: Path, later: str
) -> None:
    first, second = wheel(tmp_path, GAME, ENTRY), wheel(tmp_path, GAME, ENTRY, name=later)
    with installed(first, second):
        assert games.files_of("oddspiel").package == "oddspiel 1.0.0"
        assert [entry.package for entry in games.packaged().left_out] == [f"{later} 1.0.0"]


ABOUT = "oddspiel-1.0.0.dist-info"


@pytest.mark.parametrize(
    "damage",
    [
        {f"{ABOUT}/entry_points.txt": b"[table_hub.games]\nno equals sign\n"},
        {f"{ABOUT}/METADATA": b"Metadata-Version: 2.1\n"},
        {f"{ABOUT}/METADATA": b"Name: \xff\xfe\nVersion: 1\n"},
    ],
)
def test_metadata_that_cannot_be_read_stops_nothing(tmp_path: Path, damage: dict[str, bytes]) -> None:
    made = wheel(tmp_path, GAME, ENTRY)
    with zipfile.ZipFile(made) as before:
        parts = {name: before.read(name) for name in before.namelist()} | damage
    with zipfile.ZipFile(made, "w") as after:
        for name, content in parts.items():
            after.writestr(name, content)
    other = wheel(
        tmp_path,
        {path.replace("oddspiel", "other"): text.replace("oddspiel", "other") for path, text in GAME.items()},
        ENTRY.replace("oddspiel", "other"),
        name="other",
    )
    with installed(made, other):
        assert games.names() == sorted([*games.built_in(), "other"])
        [problem] = packages.found(packages.GAMES).problems
        assert problem.startswith(f"A package in {made.name} cannot be read (")


def test_a_table_a_preset_and_a_list_may_name_a_game_that_is_left_out(tmp_path: Path) -> None:
    preset = PresetPart(game="oddspiel", name="quick", effect="It is short.")
    offered = [games.find("goofspiel")]
    with installed(wheel(tmp_path, GAME | {"oddspiel/game.toml": DATA.replace("api = 1", "api = 9")}, ENTRY)):
        assert games.packaged().lacks("oddspiel")
        assert not games.packaged().lacks("goofspiel")
        assert not games.packaged().lacks("chess")
        assert "quick" not in [one.name for several in presets_by_game([preset], offered).values() for one in several]
        assert "oddspiel" not in [game.name for game in CardLists([DeckPart("oddspiel", "none.toml")]).all]
    with pytest.raises(ConfigError, match="there is no game 'oddspiel'"):
        presets_by_game([preset], offered)
    with pytest.raises(ConfigError, match="there is no game 'oddspiel'"):
        CardLists([DeckPart("oddspiel", "none.toml")])


def test_a_damaged_file_stops_no_hub_whose_settings_name_its_game_or_driver(tmp_path: Path) -> None:
    made, block = wheel(tmp_path, GAME, ENTRY), DevicePart("odd_lamp")
    made.write_bytes(made.read_bytes()[:200])
    assert not games.packaged().lacks("oddspiel")
    with pytest.raises(ConfigError, match="there is none"):
        connect(block, context([]))
    with installed(made):
        assert packages.problems() == [f"The package {made.name} is damaged."]
        assert games.packaged().lacks("oddspiel")
        assert not games.packaged().lacks("goofspiel")
        assert isinstance(connect(block, context([])), UnusableDevice)
        assert header_wiring([block]) == []


def test_rules_of_a_package_that_fail_on_an_owners_cards_are_a_sentence(tmp_path: Path) -> None:
    rules = f"{RULEBOOK}def check(data):\n    assert 'mine' not in str(data)\n"
    data = DATA.replace("api = 1", "api = 1\nown = { cards = [] }")
    own = tmp_path / "own.toml"
    own.write_text('[cards]\nA = { name = "mine" }\n')
    with installed(wheel(tmp_path, GAME | {"oddspiel/rulebook.py": rules, "oddspiel/game.toml": data}, ENTRY)):
        assert games.find("oddspiel").title == "Oddspiel"
        with pytest.raises(StartRefused, match="oddspiel"):
            games.find("oddspiel", own)


def test_a_package_brings_translations_of_its_own_game_and_changes_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ours = languages.language_of("de", "goofspiel").say(say("Bid {card}", card="x"))
    place = "oddspiel/locale/de/LC_MESSAGES/oddspiel.po"
    languages.language_of.cache_clear()
    blurb = DATA.replace(games.find("goofspiel").labels.blurb, "How strange.")
    with installed(wheel(tmp_path, GAME | {place: PO, "oddspiel/game.toml": blurb}, ENTRY)):
        german = languages.language_of("de", "oddspiel")
        assert german.say(say("Bid {card}", card="x")) == "Nimm x"
        assert german.say(say("Seat {seat}", seat=2)) == "Platz 2"
        assert languages.language_of("de", None).say("How strange.") == "Wie seltsam.", "the lobby shows it"
        assert languages.language_of("de", None).say("odd words") == "odd words", "no lobby shows it"
        assert languages.language_of("de", "goofspiel").say(say("Bid {card}", card="x")) == ours
    languages.language_of.cache_clear()
    for number, damaged in enumerate(
        ("msgid oops", PO.replace("utf-8", "foo"), PO.replace("nplurals=2", "nplurals=x"))
    ):
        caplog.clear()
        with installed(wheel(tmp_path / f"damaged {number}", GAME | {place: damaged}, ENTRY)):
            assert languages.language_of("de", "oddspiel").say(say("Seat {seat}", seat=2)) == "Platz 2"
            assert "The game oddspiel is shown in English." in caplog.text
        languages.language_of.cache_clear()


# --- drivers -----------------------------------------------------------------------------------------------


def test_the_driver_of_a_package_is_found_and_connected(tmp_path: Path) -> None:
    with installed(wheel(tmp_path, {"odd_lamp.py": LAMP}, LAMP_ENTRY)):
        assert "odd_lamp" in driver_names()
        block = DevicePart("odd_lamp")
        assert type(connect(block, context([])).device).__name__ == "Lamp"  # type: ignore[attr-defined]
        assert about_driver("odd_lamp") == "A lamp that only tests have."
        assert driver_offers()["odd_lamp"].group == "devices"
        assert [one.key for one in parts(["odd_lamp"], ["1"])["device odd_lamp"].fields] == ["cup", "pin"]
    about_driver.cache_clear()
    assert "odd_lamp" not in driver_names()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LAMP.replace("API = 1", ""), "it does not say which version"),
        (LAMP.replace("API = 1", "API = 2"), "it needs a newer table-hub"),
        ("import no_such_package", "it needs the Python package no_such_package, which is not installed."),
        ("raise SystemExit", "SystemExit"),
        ("x = (", "SyntaxError"),
        (LAMP.replace("return Lamp()", "return 1 / 0"), "division by zero"),
        (LAMP.replace("return Lamp()", "return None"), "has no attribute 'lamps'"),
        (LAMP.replace("lamps = page", "page"), "has no attribute 'lamps'"),
        (LAMP.replace("class Settings", "class Setting"), "has no attribute 'Settings'"),
    ],
)
def test_a_driver_that_fails_leaves_its_device_out_and_the_hub_goes_on(
    tmp_path: Path, text: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        block, told = DevicePart("odd_lamp", name="lamp"), list[object]()
        device = connect(block, context(told))
        device.start()
        device.close()
        assert isinstance(device, UnusableDevice)
        assert told == [DeviceDown("lamp", say("Its driver cannot be used: the journal says why."))]
        assert why in caplog.text
        assert header_wiring([block]) == []
        assert why in doctor._check_device(block).error
        if not any(part in text for part in ("1 / 0", "return None", "    page = ")):  # it can be loaded
            with pytest.raises(packages.Unusable, match=r"of the package oddspiel 1\.0\.0 cannot be used"):
                load_driver("odd_lamp")
            assert parts(["odd_lamp"], ["1"])["device odd_lamp"].fields == []
    about_driver.cache_clear()


def test_a_driver_that_refuses_its_settings_is_refused_as_one_of_ours(tmp_path: Path) -> None:
    text = LAMP.replace("return Lamp()", "from hub.errors import ConfigError; raise ConfigError('no such pin')")
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)), pytest.raises(ConfigError, match="no such pin"):
        connect(DevicePart("odd_lamp"), context([]))


def test_no_package_takes_the_place_of_a_driver_of_ours_or_of_an_earlier_one(tmp_path: Path) -> None:
    with installed(wheel(tmp_path, {"odd_lamp.py": LAMP}, "[table_hub.drivers]\ncall_lamp = odd_lamp\n")):
        assert packaged_drivers() == {}
        assert getattr(driver_of(DevicePart("call_lamp")), "__name__", "") == "drivers.call_lamp"
        assert len(package_folder.problems()) == 1
    first, second = (
        wheel(tmp_path, {f"{name}.py": LAMP}, f"[table_hub.drivers]\nlamp = {name}\n", name=name) for name in "zb"
    )
    with installed(first, second):
        assert packaged_drivers()["lamp"].package == "z 1.0.0"
        [sentence] = package_folder.problems()
        assert sentence == "The driver lamp of the package b 1.0.0 is left out: there is another driver with this name."


@pytest.mark.parametrize(("about", "shown"), [("5", "odd_lamp"), ("'Lamp \\ud800.'", "Lamp ?.")])
def test_a_driver_whose_docstring_is_no_text_does_not_stop_the_page(tmp_path: Path, about: str, shown: str) -> None:
    with installed(wheel(tmp_path, {"odd_lamp.py": f"{LAMP}__doc__ = {about}\n"}, LAMP_ENTRY)):
        assert about_driver("odd_lamp") == shown
    about_driver.cache_clear()


def test_a_driver_that_cannot_be_imported_is_named_though_no_device_uses_it(tmp_path: Path) -> None:
    with installed(wheel(tmp_path, {"odd_lamp.py": "1 / 0"}, LAMP_ENTRY)):
        [problem] = package_folder.problems()
        assert problem.startswith("The driver odd_lamp of the package oddspiel 1.0.0 cannot be used")
    with installed(wheel(tmp_path, {"odd_lamp.py": LAMP}, LAMP_ENTRY)):
        assert package_folder.problems() == []


def test_settings_of_a_driver_that_toml_cannot_write_leave_the_page_as_it_is(tmp_path: Path) -> None:
    text = LAMP.replace("pin: int = 4", "pin: complex = 4j")
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        assert parts(["odd_lamp"], ["1"])["device odd_lamp"].fields == []
    about_driver.cache_clear()


@pytest.mark.parametrize(
    ("returned", "why"),
    [("5", "is not iterable"), ("[5]", "needs returns something else than Need"), ("1 / 0", "division by zero")],
)  # fmt: skip
def test_the_doctor_names_a_driver_that_cannot_say_what_it_needs(tmp_path: Path, returned: str, why: str) -> None:
    text = f"{LAMP}def needs(settings):\n    return {returned}\n"
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        found = doctor._check_device(DevicePart("odd_lamp"))
        assert (why in found.error, found.hint) == (True, doctor.ODD)
        assert isinstance(connect(DevicePart("odd_lamp"), context([])), devices.DeviceOfPackage), (
            "the hub uses it all the same"
        )
    with installed(wheel(tmp_path, {"odd_lamp.py": f"{LAMP}def needs(settings):\n    return []\n"}, LAMP_ENTRY)):
        assert needs(DevicePart("odd_lamp")) == []


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        ("5", "not iterable"),
        ("[5]", "something else than wires"),
        ("None", "not iterable"),
        ("__import__('time').sleep(1.5)", "takes more than 0 s."),
        ("__import__('itertools').count()", "something else than wires"),
    ],
)
def test_wires_that_are_none_do_not_stop_the_hub(
    tmp_path: Path, returned: str, why: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(devices, "SECONDS", 0.3)
    text = f"{LAMP}def wiring(settings):\n    return {returned}\n"
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        ours = DevicePart("call_lamp", settings={"pin": 17})
        assert [name for name, _ in header_wiring([DevicePart("odd_lamp"), ours])] == ["call_lamp"]
        assert why in caplog.text
        end_of_late_code()
    devices._TOO_SLOW.clear()


@pytest.mark.parametrize("part", ["look", "snapshot", "named_by"])
def test_a_part_that_a_device_cannot_name_is_a_part_that_it_has_not(tmp_path: Path, part: str) -> None:
    text = LAMP.replace("    def start", f"    {part} = property(lambda self: 1 / 0)\n    def start", 1)
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        device = connect(DevicePart("odd_lamp"), context([]))
        assert not isinstance(device, SearchedDice | DiceCamera | devices.Simulated)
        with pytest.raises(AttributeError):
            getattr(device, part)


def test_the_ports_of_a_device_are_read_once(tmp_path: Path) -> None:
    text = LAMP.replace("lamps = page", "page").replace(
        "    def start", "    lamps = property(lambda self: self.__dict__.setdefault('read', 0))\n    def start", 1
    )
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        device = connect(DevicePart("odd_lamp"), context([]))
        device.device.__dict__["read"] = 5  # type: ignore[attr-defined]
        assert device.lamps == 0  # type: ignore[comparison-overlap]


def test_all_devices_of_a_driver_that_hangs_take_its_time_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(devices, "SECONDS", 0.3)
    count = tmp_path / "count"
    hangs = f"import os, time; os.mkdir({str(count)!r}); time.sleep(1.5)"
    with installed(wheel(tmp_path, {"odd_lamp.py": LAMP.replace("return Lamp()", hangs)}, LAMP_ENTRY)):
        for name in ("one", "two", "three"):
            assert isinstance(connect(DevicePart("odd_lamp", name=name), context([])), UnusableDevice)
        assert count.is_dir(), "it has begun"
        assert caplog.text.count("connect takes more than 0 s.") == 3, "and no other error of a second try"
        end_of_late_code()
    devices._TOO_SLOW.clear()


def end_of_late_code() -> None:
    """Wait for code of packages that was given up: it must not be imported in a later test."""
    for thread in threading.enumerate():
        if thread.name == "a package":
            thread.join(PATIENCE)


SHOWS = LAMP.replace("lamps = page = boxes", "page = boxes").replace(
    "    def start", "    class lamps:\n        def shows(rings): pass\n    def start", 1
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SHOWS, "its port lamps has no method show."),
        (LAMP.replace("def close(self): pass", "close = 5"), "its device has no method close."),
        (LAMP.replace("return Lamp()", "from hub.errors import DeviceLost; raise DeviceLost('it is lost')"), "it is lost"),
        (LAMP.replace("return Lamp()", "raise KeyboardInterrupt"), "it raises KeyboardInterrupt."),
        (LAMP.replace("return Lamp()", "import time; time.sleep(1.5)"), "connect takes more than 0 s."),
        (f"import time; time.sleep(1.5)\n{LAMP}", "its import takes more than 0 s."),
    ],
)  # fmt: skip
def test_a_driver_that_lacks_a_method_or_does_not_end_is_left_out_by_name(
    tmp_path: Path, text: str, why: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if "sleep" in text:
        monkeypatch.setattr(devices, "SECONDS", 0.3)
    with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
        assert isinstance(connect(DevicePart("odd_lamp"), context([])), UnusableDevice)
        assert "The driver odd_lamp of the package oddspiel 1.0.0" in caplog.text
        assert why in caplog.text
        assert why in doctor._check_device(DevicePart("odd_lamp")).error, "a second try does not hang either"
        end_of_late_code()
    devices._TOO_SLOW.clear()


def test_the_doctor_says_that_a_driver_fails_while_it_is_closed(tmp_path: Path) -> None:
    for close in ("1 / 0", "raise SystemExit"):
        text = LAMP.replace("def close(self): pass", f"def close(self): {close}")
        with installed(wheel(tmp_path, {"odd_lamp.py": text}, LAMP_ENTRY)):
            found = doctor._check_device(DevicePart("odd_lamp"))
            assert "fails while it is closed" in found.error
            assert found.hint == doctor.ODD


# --- added and removed by staff ----------------------------------------------------------------------------


def add(folder: PackageFolder, file: Path, name: str = "", size: int = 3000) -> str:
    """Send a file in pieces and return the last answer."""
    content, said = file.read_bytes(), ""
    for at in range(0, len(content), size):
        piece = b64encode(content[at : at + size]).decode()
        said = folder.add(AddPackageArgs(name or file.name, len(content), at, piece))
    return said


def test_staff_add_a_package_which_is_used_after_a_restart(tmp_path: Path) -> None:
    folder = PackageFolder(tmp_path / "state")
    assert folder.seen() == []
    made = wheel(tmp_path, GAME, ENTRY)
    assert add(folder, made) == "oddspiel 1.0.0 is here. The hub uses it after a restart."
    assert folder.seen() == [PackageSeen("oddspiel 1.0.0", file=made.name, waits=True)]

    kept = tmp_path / "state" / "packages" / made.name
    assert kept.read_bytes() == made.read_bytes()
    with installed(kept):
        folder = PackageFolder(tmp_path / "state")
        assert folder.seen() == [PackageSeen("oddspiel 1.0.0", ["Oddspiel"], file=made.name)]
        assert folder.remove(made.name) == "oddspiel 1.0.0 is removed. The hub uses it until a restart."
        assert folder.seen() == [PackageSeen("oddspiel 1.0.0", ["Oddspiel"], waits=True)]
        with pytest.raises(HubError, match="no longer here"):
            folder.remove(made.name)
    assert PackageFolder(tmp_path / "state").seen() == []


def test_a_newer_version_takes_the_place_of_the_earlier_one_and_of_no_other_package(tmp_path: Path) -> None:
    folder = PackageFolder(tmp_path / "state")
    for version in ("1.0.0", "1.1.0"):
        add(folder, wheel(tmp_path, GAME, ENTRY, version=version))
    other = {path.replace("oddspiel", "other"): text for path, text in GAME.items()}
    add(folder, wheel(tmp_path, other, ENTRY.replace("oddspiel", "other"), name="odd_spiel"))
    assert [one.package for one in folder.seen()] == ["odd-spiel 1.0.0", "oddspiel 1.1.0"]


def test_a_corrected_file_of_the_same_version_waits_for_a_restart(tmp_path: Path) -> None:
    folder = PackageFolder(tmp_path / "state")
    made = wheel(tmp_path, GAME, ENTRY)
    add(folder, made)
    kept = tmp_path / "state" / "packages" / made.name
    os.utime(kept, (1, 1))
    with installed(kept):
        folder = PackageFolder(tmp_path / "state")
        assert not folder.seen()[0].waits
        add(folder, made)
        assert folder.seen()[0].waits


def test_a_package_with_a_module_that_something_else_has_is_refused(tmp_path: Path) -> None:
    folder = PackageFolder(tmp_path / "state")
    add(folder, wheel(tmp_path, GAME, ENTRY))
    for name, held in (("second", GAME), ("json", {"json/__init__.py": ""}), ("hub", {"hub/extra.py": ""})):
        with pytest.raises(HubError, match="Another program on this hub has a part called"):
            add(folder, wheel(tmp_path, held, ENTRY, name=name))
    add(folder, wheel(tmp_path, GAME | {"README.md": "", "notes.txt": ""}, ENTRY, version="2.0"))
    assert [one.package for one in folder.seen()] == ["oddspiel 2.0"]


def test_a_package_that_the_settings_name_cannot_be_removed(tmp_path: Path) -> None:
    named = {"oddspiel", "call_lamp"}
    made = wheel(tmp_path / "packages", GAME, ENTRY)
    with installed(made):
        folder = PackageFolder(tmp_path, lambda: named)
        with pytest.raises(HubError, match="The settings name oddspiel of this package"):
            folder.remove(made.name)
        assert made.exists()
        named.remove("oddspiel")
        folder.remove(made.name)
        assert not made.exists()


def test_an_update_must_bring_what_the_settings_name_and_keeps_its_place(tmp_path: Path) -> None:
    made = wheel(tmp_path / "state" / "packages", GAME, ENTRY)
    os.utime(made, (1000, 1000))
    with installed(made):
        folder = PackageFolder(tmp_path / "state", lambda: {"oddspiel"})
        other = wheel(tmp_path, GAME, ENTRY.replace("oddspiel =", "evenspiel ="), version="2.0")
        with pytest.raises(HubError, match="The settings name oddspiel of this package"):
            add(folder, other)
        add(folder, wheel(tmp_path, GAME, ENTRY, version="1.1"))
        newer = tmp_path / "state" / "packages" / "oddspiel-1.1-py3-none-any.whl"
        assert newer.stat().st_mtime == 1000
        assert not made.exists()
        with pytest.raises(HubError, match="The settings name oddspiel of this package"):
            folder.remove(newer.name)


def test_a_package_can_be_removed_and_added_again_without_a_restart(tmp_path: Path) -> None:
    made = wheel(tmp_path / "state" / "packages", GAME, ENTRY)
    with installed(made):
        folder = PackageFolder(tmp_path / "state")
        content = made.read_bytes()
        folder.remove(made.name)
        again = tmp_path / made.name
        again.write_bytes(content)
        add(folder, again)
        assert [(one.package, one.waits) for one in folder.seen()] == [("oddspiel 1.0.0", True)]


def test_a_link_that_leads_nowhere_hides_no_package(tmp_path: Path) -> None:
    made = wheel(tmp_path / "packages", GAME, ENTRY)
    (tmp_path / "packages" / "lost-1-py3-none-any.whl").symlink_to("nowhere")
    with installed(made):
        assert [one.package for one in PackageFolder(tmp_path).seen()] == ["oddspiel 1.0.0"]


def test_a_full_disk_keeps_no_package_and_an_earlier_one_that_stays_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = PackageFolder(tmp_path / "state")
    add(folder, wheel(tmp_path, GAME, ENTRY))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr(package_folder, "write_private", fail)
        with pytest.raises(HubError, match="cannot be kept: No space left on device"):
            add(folder, wheel(tmp_path, GAME, ENTRY, version="2.0"))
    with monkeypatch.context() as context:
        context.setattr(Path, "unlink", fail)
        with pytest.raises(HubError, match="cannot be removed: No space left on device"):
            folder.remove("oddspiel-1.0.0-py3-none-any.whl")
    assert [one.package for one in folder.seen()] == ["oddspiel 1.0.0"]


def test_what_is_no_package_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    folder = PackageFolder(tmp_path / "state")
    good = wheel(tmp_path, GAME, ENTRY)
    other = wheel(tmp_path / "other", {"thing.py": ""}, "[console_scripts]\nthing = thing:main\n", name="thing")
    damaged = tmp_path / "bad-1.0-py3-none-any.whl"
    damaged.write_bytes(good.read_bytes()[:-200])
    flipped = tmp_path / "flip-1.0-py3-none-any.whl"
    content = bytearray(good.read_bytes())
    content[60] ^= 0xFF  # in the compressed data of the first file
    flipped.write_bytes(content)
    bomb = tmp_path / "bomb-1.0-py3-none-any.whl"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("zeros", bytes(21_000_000))
    empty = tmp_path / "empty-1.0-py3-none-any.whl"
    with zipfile.ZipFile(empty, "w") as out:
        out.writestr("a.py", "")
    for file, name, why in [
        (good, "../oddspiel-1.0.0-py3-none-any.whl", "must be a wheel"),
        (good, "/etc/oddspiel-1.0.0-py3-none-any.whl", "must be a wheel"),
        (good, "oddspiel-1.0.0-cp311-cp311-linux_x86_64.whl", "must be a wheel"),
        (good, "oddspiel.toml", "must be a wheel"),
        (other, "", "neither a game nor a driver"),
        (damaged, "", "damaged"),
        (flipped, "", "damaged"),
        (good, "zzz-1-py3-none-any.whl", "damaged"),
        (empty, "", "damaged"),
        (bomb, "", "too large"),
    ]:
        with pytest.raises(HubError, match=why):
            add(folder, file, name)
        assert folder.seen() == []
        assert not (tmp_path / "state").exists()


def test_pieces_that_do_not_follow_each_other_are_refused(tmp_path: Path) -> None:
    folder, name = PackageFolder(tmp_path), "oddspiel-1.0.0-py3-none-any.whl"
    piece = b64encode(b"x" * 30).decode()
    assert folder.add(AddPackageArgs(name, 90, 0, piece)) == ""
    for asked in (
        AddPackageArgs(name, 90, 60, piece),
        AddPackageArgs("other-1.0.0-py3-none-any.whl", 90, 30, piece),
        AddPackageArgs(name, 90, 30, "not base64!"),
    ):
        with pytest.raises(HubError, match="Parts of the file are missing"):
            folder.add(asked)
    assert folder.add(AddPackageArgs(name, 90, 30, piece)) == ""


def test_a_file_in_the_folder_that_is_no_package_is_shown_and_can_be_removed(tmp_path: Path) -> None:
    damaged = tmp_path / "packages" / "bad-1.0-py3-none-any.whl"
    damaged.parent.mkdir()
    damaged.write_bytes(b"PK")
    with installed(damaged):
        folder = PackageFolder(tmp_path)
        [seen] = folder.seen()
        assert (seen.package, seen.problems, seen.waits) == ("bad 1.0", ["Nothing in this file can be used."], False)
        folder.remove(damaged.name)
        assert folder.seen() == []


# --- on the command line -----------------------------------------------------------------------------------


@pytest.mark.parametrize("user", ["the hub's", "another"])
def test_a_command_finds_the_packages_of_its_hub_if_the_hubs_user_runs_it(
    user: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel(tmp_path / "state" / "packages", GAME, ENTRY)
    file = tmp_path / "table-hub.toml"
    file.write_text(f'[hub]\nstate = "{tmp_path / "state"}"\n')
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("hub.__main__.owners_file", lambda _: str(file))
    if user == "another":
        monkeypatch.setattr("os.geteuid", lambda: 12345)
    with installed():
        assert main(["games"]) == 0
        assert ("Oddspiel" in capsys.readouterr().out) == (user == "the hub's")


@pytest.mark.parametrize("text", ["", "[hub]\nstate = '/proc/1/nothing'\n", "not toml"])
def test_a_configuration_or_a_folder_that_cannot_be_read_does_not_stop_a_command_that_needs_none(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table-hub.toml"
    file.write_text(text)
    monkeypatch.setattr("hub.__main__.owners_file", lambda _: str(file))
    assert main(["games"]) == 0
    assert "Goofspiel" in capsys.readouterr().out


def test_games_that_are_left_out_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with installed(wheel(tmp_path, GAME | {"oddspiel/rulebook.py": "1 / 0"}, ENTRY)):
        assert main(["games"]) == 0
        assert "The game oddspiel of the package oddspiel 1.0.0 is left out" in capsys.readouterr().err


# --- translations of a package -----------------------------------------------------------------------------


def test_the_catalogs_of_a_package_are_started_and_renewed(tmp_path: Path) -> None:
    folder = tmp_path / "oddspiel"
    for path, text in GAME.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    with installed():
        file = folder / "locale" / "de" / "LC_MESSAGES" / "oddspiel.po"
        assert translate_game(f"{folder}", ["de"]) == [file]
        assert 'msgctxt "oddspiel"' in file.read_text()
        with pytest.raises(DamagedCatalog, match="has no language 'xx'"):
            translate_game(f"{folder}", ["fr", "xx"])
        assert not (folder / "locale" / "fr").exists(), "nothing is written"
        (folder / "locale" / ".DS_Store").write_text("")
        kept = file.read_bytes()
        assert translate_game(f"{folder}") == []
        assert file.read_bytes() == kept
        file.write_bytes(kept[:-5])
        with pytest.raises(DamagedCatalog, match="its last line is cut off"):
            translate_game(f"{folder}")
        assert file.read_bytes() == kept[:-5]
        with pytest.raises(StartRefused, match="There is no game"):
            translate_game(f"{tmp_path / 'locale'}")
