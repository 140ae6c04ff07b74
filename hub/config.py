"""The hub's configuration: every default in one place, one TOML file over them.

`load` reads the owner's file, `dump` writes the whole configuration with a comment beside each key
(`table-hub run --print-config`). A key that does not exist, a value that is not allowed and parts that do not fit
each other are a `ConfigError` of one sentence: file, line, key, what is allowed, and the near miss (`hub/toml.py`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec
import tomlkit
from msgspec import Meta

from hub import toml, toml_structs
from hub.errors import ConfigError
from hub.toml_structs import SettingError

INSTALLED = Path("/etc/table-hub/table-hub.toml")
P = TypeVar("P", bound=msgspec.Struct)


def _is_broker_url(value: str) -> bool:
    if value == "":
        return True
    try:
        url = urlsplit(value)
        return url.scheme in {"mqtt", "mqtts"} and bool(url.hostname) and url.port != 0 and not url.username
    except ValueError:  # a port that is no number
        return False


def _absolute(path: str, folder: Path) -> str:
    """Return a path as it is from `folder`: ~ is the user's home. Raise ConfigError where that is not known."""
    try:
        return str(folder / Path(path).expanduser()) if path else ""
    except RuntimeError as error:  # ~nobody-of-that-name, or a service user without a home
        raise ConfigError(f"The home folder of {path} is not known: write the path in full.") from error


def _is_bytes(text: str, least: int, most: int) -> bool:
    return text.isprintable() and least <= len(text.encode()) <= most


def _program(name: str, folder: Path) -> str:
    return _absolute(name, folder) if "/" in name else name


def _is_public_address(value: str) -> bool:
    """Return whether phones can open it: an IP address, a host name or an http URL of one; "" is found by the hub."""
    if "://" not in value:
        return value == "" or _is_host(value)
    try:
        url = urlsplit(value)
        port_fits = url.port != 0
    except ValueError:  # a port that is no number
        return False
    bare = url.path in {"", "/"} and not url.query and not url.fragment and url.username is None
    return url.scheme in {"http", "https"} and port_fits and bare and _is_host(url.hostname or "")


def _is_host(value: str) -> bool:
    try:
        ip_address(value)
    except ValueError:
        labels = value.removesuffix(".").split(".")
        # A name that ends in a number is a mistyped address.
        return not labels[-1].isdigit() and all(
            re.fullmatch(r"(?!-)[\w-]{1,63}(?<!-)", one, re.ASCII) for one in labels
        )
    return True


# What a key may hold. `path` makes a value absolute, given the folder of the owner's file.
_ONE_LINE = {"allowed": "text in quotes, on one line", "fits": str.isprintable}
Text = Annotated[str, Meta(extra=_ONE_LINE)]
FilePath = Annotated[str, Meta(extra={"allowed": "a path in quotes", "fits": str.isprintable, "path": _absolute})]
BrokerPassword = Annotated[
    FilePath, Meta(description="a file with that user's password on its first line", extra={"holds": "password"})
]
BrokerAuthority = Annotated[
    FilePath, Meta(description="the authority that signed an mqtts broker's certificate; empty: the system's")
]
ListenAddress = Annotated[
    str, Meta(extra={"allowed": 'an address or a name of this machine, such as "0.0.0.0"', "fits": _is_host})
]
# The hub starts it: whoever has only the staff PIN must not choose it.
Program = Annotated[str, Meta(extra={**_ONE_LINE, "path": _program, "by_hand": True})]
Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,31}\Z", extra={"allowed": "1 to 32 letters, digits or hyphens, in quotes"}
    ),
]
DriverName = Annotated[
    str,
    Meta(pattern=r"^[a-z][a-z0-9_]*\Z", extra={"allowed": "the name of a driver, in quotes"}),
]
GameName = Annotated[
    str,
    Meta(
        pattern=r"^([a-z][a-z0-9-]*)?\Z",
        extra={"allowed": 'a game\'s name such as "bid-and-bait", or ""', "offers": "games"},
    ),
]
LanguageName = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]{2,3}(_[A-Za-z0-9]{2,8})*\Z",
        extra={"allowed": 'a language such as "en" or "de"', "offers": "languages"},
    ),
]
ClosingTime = Annotated[
    str, Meta(pattern=r"^(([01]\d|2[0-3]):[0-5]\d)?\Z", extra={"allowed": 'a time such as "23:00" or "01:30", or ""'})
]
WifiName = Annotated[
    str,
    Meta(
        extra={
            "allowed": "text of at most 32 bytes in quotes, on one line",
            "fits": lambda name: _is_bytes(name, 0, 32),
        }
    ),
]
WifiPassword = Annotated[
    str,
    Meta(
        extra={
            "secret": True,
            "allowed": 'a password of 8 to 63 letters in quotes, or ""',
            "fits": lambda word: not word or _is_bytes(word, 8, 63),
        }
    ),
]
PresetName = Annotated[
    str,
    Meta(
        max_length=20,
        extra={"allowed": "a name in quotes, on one line, of at most 20 letters", "fits": str.isprintable},
    ),
]
EffectLine = Annotated[
    str,
    Meta(
        max_length=100,
        extra={"allowed": "text in quotes, on one line, of at most 100 letters", "fits": str.isprintable},
    ),
]
ArchiveUrl = Annotated[
    str,
    Meta(
        pattern=r"^(https?://[^\s]+)?\Z",
        extra={"allowed": 'an address such as "https://cafe.example/table-hub", or ""'},
    ),
]
PublicAddress = Annotated[
    str,
    Meta(
        extra={
            "allowed": 'an address such as "10.42.0.1" (its port is the key port), "http://hub.cafe.example" or ""',
            "fits": _is_public_address,
        }
    ),
]
BrokerUrl = Annotated[
    str,
    Meta(
        extra={
            "allowed": '"", "mqtt://host:1883" or "mqtts://host:8883" without a user in it',
            "fits": _is_broker_url,
        }
    ),
]


class HubPart(msgspec.Struct, frozen=True):
    """`[hub]`: the program itself."""

    id: Annotated[
        Name, Meta(description="this hub's name in every message topic; give each hub at an outside broker its own")
    ] = "hub"
    state: Annotated[FilePath, Meta(description="the folder of the log, the keys and the broker's files")] = (
        "~/.local/state/table-hub"
    )
    keep_days: Annotated[
        int,
        Meta(
            description="days until the hands of a finished match are deleted; results stay. 0: at the next match",
            ge=0,
            le=36500,
        ),
    ] = 30
    aside_days: Annotated[int, Meta(description="days in which a suspended match can be resumed", ge=1, le=36500)] = 7
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="debug, info, warning or error")
    ] = "info"
    find_devices: Annotated[
        bool, Meta(description="the staff page offers dice trays, cameras and new Picos that are plugged in")
    ] = False


class WebPart(msgspec.Struct, frozen=True):
    """`[web]`: the one port that phones, kiosk and staff open."""

    host: Annotated[ListenAddress, Meta(description="the address to listen on; 127.0.0.1 keeps phones out")] = "0.0.0.0"  # noqa: S104 - phones reach it over the Wi-Fi
    port: Annotated[int, Meta(description="the port; 0: any free one", ge=0, le=65535)] = 8080
    address: Annotated[
        PublicAddress,
        Meta(
            description='the address in the QR code, "10.42.0.1" or "http://hub.cafe.example"; empty: found automatically'
        ),
    ] = ""
    names: Annotated[
        tuple[Text, ...],
        Meta(description="further host names of this hub; addresses, *.local and this machine's name always work"),
    ] = ()
    open_bench: Annotated[
        bool,
        Meta(
            description="everybody on the network may use simulated devices and see what each seat picks in secret",
            extra={"by_hand": True},
        ),
    ] = False
    tls_cert: Annotated[FilePath, Meta(description="certificate for https, with tls_key; empty: plain http")] = ""
    tls_key: Annotated[FilePath, Meta(description="the certificate's private key")] = ""

    def __post_init__(self) -> None:
        if bool(self.tls_cert) != bool(self.tls_key):
            missing = "tls_key" if self.tls_cert else "tls_cert"
            raise SettingError(f"needs {missing} too: tls_cert and tls_key go together.")


class BrokerPart(msgspec.Struct, frozen=True):
    """`[broker]`: the managed mosquitto, or an external one."""

    url: Annotated[
        BrokerUrl,
        Meta(description='empty: the hub runs its own mosquitto; otherwise "mqtt://host:1883" or "mqtts://host:8883"'),
    ] = ""
    program: Annotated[Program, Meta(description="the hub's own mosquitto: a program's name or path")] = "mosquitto"
    user: Annotated[Text, Meta(description="the hub's user at an outside broker")] = ""
    password_file: BrokerPassword = ""
    ca_file: BrokerAuthority = ""

    def __post_init__(self) -> None:
        _check_login(self)


class HomeAssistantPart(msgspec.Struct, frozen=True):
    """`[home_assistant]`: the broker of a Home Assistant, which gets the public data of each table."""

    url: Annotated[
        BrokerUrl,
        Meta(description='its broker, "mqtt://host:1883" or "mqtts://host:8883"; empty: off'),
    ] = ""
    user: Annotated[Text, Meta(description="the hub's user there")] = ""
    password_file: BrokerPassword = ""
    ca_file: BrokerAuthority = ""
    prefix: Annotated[Name, Meta(description="the discovery prefix set in Home Assistant")] = "homeassistant"

    def __post_init__(self) -> None:
        _check_login(self)


class UpstreamPart(msgspec.Struct, frozen=True):
    """`[upstream]`: the broker above the hubs of a venue, shared by the hubs and their owner."""

    url: Annotated[
        BrokerUrl,
        Meta(description='the broker, "mqtt://host:1883" or "mqtts://host:8883"; empty: off'),
    ] = ""
    user: Annotated[Text, Meta(description="the hub's user there")] = ""
    password_file: BrokerPassword = ""
    ca_file: BrokerAuthority = ""
    venue: Annotated[
        Name,
        Meta(description="the venue's name in topics, the same for all its hubs; each hub has its own [hub] id"),
    ] = "venue"
    whole_state: Annotated[
        bool,
        Meta(description="send everything that phones at a table see, including names of guests; false: a summary"),
    ] = False

    def __post_init__(self) -> None:
        _check_login(self)


def _check_login(part: BrokerPart | HomeAssistantPart | UpstreamPart) -> None:
    """Raise SettingError where the keys of an outside broker do not fit each other."""
    if not part.url:
        for key in ("user", "password_file", "ca_file"):
            if getattr(part, key):
                raise SettingError(f"{key} is for an outside broker only: give its url as well.", (key,))
    if part.password_file and not part.user:
        raise SettingError("password_file needs user too.", ("password_file",))
    if part.ca_file and not part.url.startswith("mqtts:"):
        raise SettingError('ca_file is for a url that begins with "mqtts://".', ("ca_file",))


class TablePart(msgspec.Struct, frozen=True):
    """`[[table]]`: one wooden table."""

    id: Annotated[Name, Meta(description="short name in addresses and topics")] = "1"
    name: Annotated[Text, Meta(description="what screens call it")] = "Table 1"
    seats: Annotated[int, Meta(description="places at the table, 2 to 6", ge=2, le=6)] = 4
    game: Annotated[GameName, Meta(description="the game offered first in the lobby; empty: none")] = ""
    idle_minutes: Annotated[
        int, Meta(description="minutes without any action before a match is suspended", ge=1, le=1440)
    ] = 15
    absent_seconds: Annotated[
        int, Meta(description="seconds before the others are asked about a seat whose phone is asleep", ge=10, le=3600)
    ] = 60
    house_seats: Annotated[
        int, Meta(description="seats that the house plays until people decide otherwise", ge=0, le=5)
    ] = 0
    house_strength: Annotated[
        Literal["easy", "steady", "sharp"],
        Meta(description="how well the house plays there, and for people who are away"),
    ] = "steady"
    house_seconds: Annotated[
        float, Meta(description="seconds that the house takes for a decision, approximately", ge=0, le=30)
    ] = 2.0
    attract_seconds: Annotated[
        int,
        Meta(
            description="seconds without anybody before screens show a demonstration; 0: never",
            ge=0,
            le=3600,
            extra={"group": "screens"},
        ),
    ] = 120
    reveal_seconds: Annotated[
        float,
        Meta(
            description="seconds that rings show the reveal of a sealed choice; the match continues meanwhile",
            ge=0,
            le=3,
            extra={"group": "screens"},
        ),
    ] = 0.7
    pitch_seconds: Annotated[
        float,
        Meta(description="longest pitch in seconds; a press ends it earlier. 0: no pitches", ge=0, le=300),
    ] = 45.0
    sound: Annotated[
        int,
        Meta(
            description="volume in percent until staff change it; 0: a quiet table",
            ge=0,
            le=100,
            extra={"group": "sound"},
        ),
    ] = 60
    language: Annotated[
        tuple[LanguageName, ...],
        Meta(
            description="language of the big screen, panels and box displays; with two, the big screen alternates",
            min_length=1,
            max_length=2,
            extra={"group": "languages"},
        ),
    ] = ("en",)


class HoursPart(msgspec.Struct, frozen=True):
    """`[hours]`: when the venue closes. Every table shows that 15 and 5 minutes before. A time before noon is the next morning's."""

    closes: Annotated[ClosingTime, Meta(description="when the venue closes, every day; empty: no closing time")] = ""
    mon: Annotated[ClosingTime, Meta(description="on Monday evening; empty: as every day")] = ""
    tue: Annotated[ClosingTime, Meta(description="on Tuesday evening")] = ""
    wed: Annotated[ClosingTime, Meta(description="on Wednesday evening")] = ""
    thu: Annotated[ClosingTime, Meta(description="on Thursday evening")] = ""
    fri: Annotated[ClosingTime, Meta(description="on Friday evening")] = ""
    sat: Annotated[ClosingTime, Meta(description="on Saturday evening")] = ""
    sun: Annotated[ClosingTime, Meta(description="on Sunday evening")] = ""

    @property
    def evenings(self) -> tuple[str, ...]:
        """Return when the venue closes, by weekday from Monday, as "23:00"; "" on a day without a time."""
        return tuple(
            day or self.closes for day in (self.mon, self.tue, self.wed, self.thu, self.fri, self.sat, self.sun)
        )


class WifiPart(msgspec.Struct, frozen=True):
    """`[wifi]`: the network that guests join first, for the big screen and the table card."""

    name: Annotated[WifiName, Meta(description="its name; empty: screens and cards show no network")] = ""
    password: Annotated[WifiPassword, Meta(description="its password, which guests may read; empty: none")] = ""
    hotspot: Annotated[
        bool,
        Meta(description="while the hub has no network, it makes a Wi-Fi of its own, and screens show that one"),
    ] = False

    def __post_init__(self) -> None:
        if self.password and not self.name:
            raise SettingError("password needs name too.", ("password",))


class UpdatesPart(msgspec.Struct, frozen=True):
    """`[updates]`: where the hub finds a newer version of table-hub, and when; USB sticks are always looked at."""

    url: Annotated[
        ArchiveUrl, Meta(description='a signed archive, "https://cafe.example/table-hub"; empty: only USB sticks')
    ] = ""
    daily: Annotated[
        ClosingTime,
        Meta(
            description="when to look for a newer version each day, and to install it if nobody plays; empty: only staff do that"
        ),
    ] = ""


class PresetPart(msgspec.Struct, frozen=True):
    """`[[preset]]`: named options of a game. Guests choose a preset with one press."""

    game: Annotated[GameName, Meta(description="the game")] = ""
    name: Annotated[PresetName, Meta(description="what the lobby calls it")] = ""
    effect: Annotated[EffectLine, Meta(description="a description in one line")] = ""
    options: Annotated[Mapping[str, Any], Meta(description="the options that differ from the game's own")] = (
        msgspec.field(default_factory=dict)
    )

    def __post_init__(self) -> None:
        if not self.game or not self.name:
            raise SettingError("must have both a game and a name.")


class DeckPart(msgspec.Struct, frozen=True):
    """`[[deck]]`: an owner's own list of cards for one game."""

    game: Annotated[GameName, Meta(description="the game that is played with it")] = ""
    cards: Annotated[FilePath, Meta(description="a file with the cards, written like those of hub/games/data")] = ""

    def __post_init__(self) -> None:
        if not self.game or not self.cards:
            raise SettingError("must name both a game and the file with its cards.")


class DevicePart(msgspec.Struct, frozen=True):
    """`[[device]]`: one driver by name; the rest of the block is the driver's own settings."""

    driver: Annotated[
        DriverName,
        Meta(description="the name of its driver: a file in drivers/ without .py, or the driver of a package"),
    ]
    table: Annotated[Name, Meta(description="the id of the table it belongs to", extra={"offers": "tables"})] = "1"
    name: Annotated[Text, Meta(description="what staff call it; empty: the driver's name")] = ""
    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    cup: Annotated[
        int,
        Meta(description="of dice: the seat under whose cup they are, which alone sees them; 0: everybody", ge=0, le=6),
    ] = 0


class Config(msgspec.Struct, frozen=True):
    """The whole configuration as the hub runs it. Raise SettingError where its parts do not fit each other."""

    hub: HubPart = HubPart()
    web: WebPart = WebPart()
    broker: BrokerPart = BrokerPart()
    home_assistant: HomeAssistantPart = HomeAssistantPart()
    upstream: UpstreamPart = UpstreamPart()
    hours: HoursPart = HoursPart()
    wifi: WifiPart = WifiPart()
    updates: UpdatesPart = UpdatesPart()
    table: tuple[TablePart, ...] = (TablePart(),)
    preset: tuple[PresetPart, ...] = ()
    deck: tuple[DeckPart, ...] = ()
    device: tuple[DevicePart, ...] = ()

    def __post_init__(self) -> None:
        if not self.table:
            raise SettingError("a hub needs at least one [[table]].", ("table",))
        ids = [table.id for table in self.table]
        for number, id_ in enumerate(ids):
            if id_ in ids[:number]:
                raise SettingError(f'two tables have the id "{id_}": give each [[table]] its own.', ("table", number))
        games = [deck.game for deck in self.deck]
        for number, game in enumerate(games):
            if game in games[:number]:
                raise SettingError(f"two lists of cards are for {game}: a game is played with one.", ("deck", number))
        presets = [(preset.game, preset.name) for preset in self.preset]
        for number, (game, name) in enumerate(presets):
            if (game, name) in presets[:number]:
                raise SettingError(f'{game} has two presets "{name}": give each its own name.', ("preset", number))
        seats = {table.id: table.seats for table in self.table}
        names, cups = set(), set()
        for number, device in enumerate(self.device):
            where = f"[[device]] number {number + 1} ({device.driver})"
            if device.table not in ids:
                have = ", ".join(f'"{id_}"' for id_ in ids)
                raise SettingError(
                    f'{where} is for table "{device.table}", and the tables are {have}.', ("device", number, "table")
                )
            if device.name and device.name in names:
                raise SettingError(
                    f'{where} has the name "{device.name}" of another device: give each its own.',
                    ("device", number, "name"),
                )
            names.add(device.name)
            if device.cup > seats[device.table]:
                raise SettingError(
                    f"{where} is under the cup of seat {device.cup}, and the table has {seats[device.table]} seats.",
                    ("device", number, "cup"),
                )
            if device.cup and (device.table, device.cup) in cups:
                raise SettingError(
                    f"{where} is under the cup of seat {device.cup}, where another device is already.",
                    ("device", number, "cup"),
                )
            cups.add((device.table, device.cup))


# --- reading --------------------------------------------------------------------------------------


def owners_file(given: str | None) -> str | None:
    """Return the file that a command is about: the one that is given, or else that of the installed hub, if there is one."""
    return given or (str(INSTALLED) if INSTALLED.exists() else None)


def load(path: Path | str | None = None) -> Config:
    """Return the owner's file over the defaults, checked, its paths made absolute; without a file the defaults.

    Raise ConfigError with one sentence that names the file.
    """
    if path is None:
        return _with_paths(Config(), Path.cwd())
    file = Path(path).expanduser()
    document = toml.read(file, str(path))
    try:
        return from_table(document.table, file.absolute().parent)
    except SettingError as error:
        raise document.located(error) from error


def from_table(values: dict[str, Any], folder: Path) -> Config:
    """Return the table of a file in `folder` over the defaults, checked. Raise SettingError."""
    return _with_paths(toml_structs.convert(Config, _with_settings(values)), folder)


def _with_settings(values: dict[str, Any]) -> dict[str, Any]:
    """Return the file's table with the drivers' own keys of each `[[device]]` block under `settings`."""
    blocks = values.get("device")
    if not (isinstance(blocks, list) and all(isinstance(block, dict) for block in blocks)):
        return values
    return values | {"device": [_device(number, block) for number, block in enumerate(blocks)]}


def _device(number: int, block: dict[str, Any]) -> dict[str, Any]:
    where = f"[[device]] number {number + 1}"
    own = {key: value for key, value in block.items() if key in {"driver", "table", "name", "cup"}}
    settings = {key: value for key, value in block.items() if key not in own}
    if "driver" not in own:
        near = difflib.get_close_matches("driver", settings, 1)
        raise SettingError(
            f"{where} names no driver{f'; is {near[0]} meant to be driver?' if near else '.'}", ("device", number)
        )
    for key, value in settings.items():
        if not _can_be_written(value):
            raise SettingError(
                f"{where} {key} must be text, a number, true, false, a list or a block of these.",
                ("device", number, key),
            )
    return own | {"settings": settings}


def _can_be_written(value: object) -> bool:
    """Return whether JSON knows the value too: all of TOML's but dates."""
    if isinstance(value, list):
        return all(map(_can_be_written, value))
    if isinstance(value, dict):
        return all(map(_can_be_written, value.values()))
    return isinstance(value, str | int | float)


def _with_paths(config: Config, folder: Path) -> Config:
    """Return the same, its paths absolute: ~ is the user's home, a relative one starts at `folder`."""

    def absolute(part: P) -> P:
        paths = toml_structs.extras(type(part), "path")
        return msgspec.structs.replace(
            part, **{key: resolve(getattr(part, key), folder) for key, resolve in paths.items()}
        )

    return msgspec.structs.replace(
        config,
        hub=absolute(config.hub),
        web=absolute(config.web),
        broker=absolute(config.broker),
        home_assistant=absolute(config.home_assistant),
        upstream=absolute(config.upstream),
        deck=tuple(absolute(deck) for deck in config.deck),
    )


# --- printing -------------------------------------------------------------------------------------

_TOP = """\
table-hub: the whole configuration. Every line may be left out: the value shown by
`table-hub run --print-config` without a file is the default.
In a path, ~ is the home of the user that runs the hub; a relative one starts at this file."""
_PRESET = "One block for each set of options that guests choose with one press: hub/docs/run.md."
_DECK = "One block for each game that is played with cards of your own: hub/docs/games.md."
_DEVICE = """\
One block for each device; `table-hub doctor` lists what is plugged in. Keys beside driver, table and
name are the driver's own: drivers/README.md."""


def dump(config: Config) -> str:
    """Return the configuration as TOML with a comment beside each key; `load` reads it back equal."""
    document = tomlkit.document()
    _comment(document, _TOP)
    for name in Config.__struct_fields__:
        if isinstance(part := getattr(config, name), msgspec.Struct):
            document.add(name, toml.commented(part))
    _several(document, "table", [toml.commented(table) for table in config.table])
    if config.preset:
        _several(document, "preset", [toml.commented(preset) for preset in config.preset])
    else:
        _example(
            document, _PRESET, "preset", PresetPart("bid-it", "full", "All the advanced rules.", {"advanced": True})
        )
    if config.deck:
        _several(document, "deck", [toml.commented(deck) for deck in config.deck])
    else:
        _example(document, _DECK, "deck", DeckPart("bid-it", "my-cards.toml"))
    if config.device:
        _several(document, "device", [toml.commented(device, device.settings) for device in config.device])
    else:
        _example(document, _DEVICE, "device", DevicePart("button_box"))
    return document.as_string()


def _several(document: tomlkit.TOMLDocument, name: str, tables: Sequence[tomlkit.items.Table]) -> None:
    blocks = tomlkit.aot()
    for table in tables:
        blocks.append(table)
    document.add(name, blocks)


def _example(document: tomlkit.TOMLDocument, about: str, name: str, part: msgspec.Struct) -> None:
    """Add a block that is a comment: it works once its marks are removed."""
    document.add(tomlkit.nl())
    _comment(document, about)
    _comment(document, f"[[{name}]]\n{toml.commented(part).as_string()}")


def _comment(document: tomlkit.TOMLDocument, text: str) -> None:
    for line in text.splitlines():
        document.add(tomlkit.comment(line))
