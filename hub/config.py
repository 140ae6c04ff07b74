"""The hub's configuration: every default in one place, one TOML file over them.

`load` reads the owner's file, `dump` writes the whole configuration with a comment beside each key
(`table-hub run --print-config`). A key that does not exist, a value that is not allowed and parts that do not fit
each other are a `ConfigError` of one sentence: file, key, what is allowed, and the near miss.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hub.errors import ConfigError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """What one key may hold: a sentence's end for the owner, and the test of it."""

    allowed: str
    fits: Callable[[Any], bool]
    is_path: bool = False


def _text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable()


def _one_of(*words: str) -> Kind:
    return Kind("one of " + ", ".join(f'"{word}"' for word in words), lambda value: value in words)


def _whole(least: int, most: int) -> Kind:
    return Kind(
        f"a whole number from {least} to {most}",
        lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most,
    )


def _pattern(regex: str, allowed: str) -> Kind:
    return Kind(allowed, lambda value: isinstance(value, str) and re.fullmatch(regex, value) is not None)


def _broker_url(value: object) -> bool:
    if value == "":
        return True
    try:
        url = urlsplit(value if isinstance(value, str) else "")
        return url.scheme in {"mqtt", "mqtts"} and bool(url.hostname) and url.port != 0 and not url.username
    except ValueError:  # a port that is no number
        return False


TEXT = Kind("text in quotes, on one line", _text)
PATH = Kind("a path in quotes", _text, is_path=True)
NAME = _pattern(r"[A-Za-z0-9][A-Za-z0-9-]{0,31}", "1 to 32 letters, digits or hyphens, in quotes")
DRIVER = _pattern(r"[a-z][a-z0-9_]*", "the name of a file in drivers/ without .py, in quotes")
GAME = _pattern(r"|[a-z][a-z0-9-]*", 'a game\'s name such as "bid-and-bait", or ""')
BROKER = Kind('"", "mqtt://host:1883" or "mqtts://host:8883" without a user in it', _broker_url)


def _key(default: T, about: str, kind: Kind = TEXT) -> T:
    """A key with its default, the comment that `dump` writes beside it, and what it may hold."""
    return field(default=default, metadata={"about": about, "kind": kind})


@dataclass(slots=True)
class HubPart:
    """`[hub]`: the program itself."""

    id: str = _key("hub", "this hub's name in every message topic; only one of a name at an outside broker", NAME)
    state: str = _key("~/.local/state/table-hub", "the folder of the log, the keys and the broker's files", PATH)
    log_level: str = _key("info", "debug, info, warning or error", _one_of("debug", "info", "warning", "error"))


@dataclass(slots=True)
class WebPart:
    """`[web]`: the one port that phones, kiosk and staff open."""

    host: str = _key("0.0.0.0", "the address to listen on; 127.0.0.1 keeps phones out")  # noqa: S104 - phones are guests of the Wi-Fi
    port: int = _key(8080, "the port; 0 takes any free one", _whole(0, 65535))
    address: str = _key("", 'what the QR code says, "10.42.0.1" or "http://hub.cafe.example"; empty: found by itself')
    tls_cert: str = _key("", "certificate for https, with tls_key; empty: plain http", PATH)
    tls_key: str = _key("", "the certificate's private key", PATH)


@dataclass(slots=True)
class BrokerPart:
    """`[broker]`: the managed mosquitto, or an external one."""

    url: str = _key("", 'empty: the hub runs its own mosquitto; else "mqtt://host:1883" or "mqtts://host:8883"', BROKER)
    program: str = _key("mosquitto", "the hub's own mosquitto: a program's name or path")
    user: str = _key("", "the hub's user at an outside broker")
    password_file: str = _key("", "a file with that user's password on its first line", PATH)
    ca_file: str = _key("", "the authority that signed an mqtts broker's certificate; empty: the system's", PATH)


@dataclass(slots=True)
class TablePart:
    """`[[table]]`: one wooden table."""

    id: str = _key("1", "short name in addresses and topics", NAME)
    name: str = _key("Table 1", "what screens call it")
    seats: int = _key(4, "places at the table, 2 to 6", _whole(2, 6))
    game: str = _key("", "the game offered first in the lobby; empty: none", GAME)


@dataclass(slots=True)
class DeckPart:
    """`[[deck]]`: an owner's own list of cards for one game."""

    game: str = _key("", "the game that is played with it", GAME)
    cards: str = _key("", "a file with the cards, written like those of hub/games/data", PATH)


@dataclass(slots=True)
class DevicePart:
    """`[[device]]`: one driver by name; the rest of the block is the driver's own settings."""

    driver: str = _key("", "the file in drivers/ without .py", DRIVER)
    table: str = _key("1", "the id of the table it belongs to", NAME)
    name: str = _key("", "what staff call it; empty: the driver's name")
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Config:
    """The whole configuration as the hub runs it."""

    hub: HubPart = field(default_factory=HubPart)
    web: WebPart = field(default_factory=WebPart)
    broker: BrokerPart = field(default_factory=BrokerPart)
    table: list[TablePart] = field(default_factory=lambda: [TablePart()])
    deck: list[DeckPart] = field(default_factory=list)
    device: list[DevicePart] = field(default_factory=list)


SINGLE: Mapping[str, type[HubPart | WebPart | BrokerPart]] = {"hub": HubPart, "web": WebPart, "broker": BrokerPart}
SEVERAL: Mapping[str, type[TablePart | DeckPart | DevicePart]] = {
    "table": TablePart,
    "deck": DeckPart,
    "device": DevicePart,
}


def load(path: Path | str | None = None) -> Config:
    """The owner's file over the defaults, checked, its paths made absolute; without a file the defaults."""
    if path is None:
        return _with_paths(Config(), Path.cwd())
    file = Path(path).expanduser()
    config = _Reader(str(path)).config(_read(file, str(path)))
    return _with_paths(config, file.absolute().parent)


def _read(file: Path, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"{shown}: there is no such file; `table-hub run --print-config` writes one to start from."
        ) from error
    except OSError as error:
        raise ConfigError(f"{shown}: the file cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown}: the file is not UTF-8 text (byte {error.start}).") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{shown}: this is not TOML: {error}.") from error


class _Reader:
    """Turns one file's TOML into a `Config`; every refusal begins with the file's name."""

    def __init__(self, shown: str) -> None:
        self.shown = shown

    def refuse(self, sentence: str) -> ConfigError:
        return ConfigError(f"{self.shown}: {sentence}")

    def config(self, toml: dict[str, Any]) -> Config:
        config = Config()
        for key, value in toml.items():
            if key in SINGLE:
                if not isinstance(value, dict):
                    raise self.refuse(f"{key} is a part: write [{key}] on its own line and its keys below it.")
                setattr(config, key, self.part(SINGLE[key], f"[{key}]", value))
            elif key in SEVERAL:
                if not (isinstance(value, list) and all(isinstance(block, dict) for block in value)):
                    raise self.refuse(f"there may be several of {key}: write [[{key}]] in double brackets.")
                setattr(config, key, [self.block(key, number, block) for number, block in enumerate(value, 1)])
            else:
                parts = [*(f"[{name}]" for name in SINGLE), *(f"[[{name}]]" for name in SEVERAL)]
                raise self.refuse(f"there is no part [{key}]{_near(key, [*SINGLE, *SEVERAL], parts)}")
        self.cross_check(config)
        return config

    def block(self, key: str, number: int, block: dict[str, Any]) -> TablePart | DeckPart | DevicePart:
        where = f"[[{key}]] number {number}"
        if key == "table":
            return self.part(TablePart, where, block)
        if key == "deck":
            deck = self.part(DeckPart, where, block)
            if not deck.game or not deck.cards:
                raise self.refuse(f"{where} must name both a game and the file with its cards.")
            return deck
        known = {name: value for name, value in block.items() if name in _keys(DevicePart)}
        device = self.part(DevicePart, where, known)
        if not device.driver:
            near = difflib.get_close_matches("driver", [name for name in block if name not in known], 1)
            raise self.refuse(f"{where} names no driver{f'; is {near[0]} meant to be driver?' if near else '.'}")
        device.settings = {name: value for name, value in block.items() if name not in known}
        for name, value in device.settings.items():
            if not _plain(value):
                raise self.refuse(f"{where} {name} must be text, a number, true, false, a list or a block of these.")
        return device

    def part(self, form: type[T], where: str, values: dict[str, Any]) -> T:
        kinds = _keys(form)
        for key, value in values.items():
            if key not in kinds:
                raise self.refuse(f"{where} has no key {key}{_near(key, list(kinds), list(kinds))}")
            if not kinds[key].fits(value):
                raise self.refuse(f"{where} {key} = {_shown(value)} will not do; {key} is {kinds[key].allowed}.")
        return form(**values)

    def broker_check(self, broker: BrokerPart) -> None:
        if not broker.url:
            for key in ("user", "password_file", "ca_file"):
                if getattr(broker, key):
                    raise self.refuse(f"[broker] {key} is for an outside broker only: give its url as well.")
        if broker.password_file and not broker.user:
            raise self.refuse("[broker] password_file needs user too.")
        if broker.ca_file and not broker.url.startswith("mqtts:"):
            raise self.refuse('[broker] ca_file is for a url that begins with "mqtts://".')

    def cross_check(self, config: Config) -> None:
        """What no key shows alone."""
        web = config.web
        if bool(web.tls_cert) != bool(web.tls_key):
            missing = "tls_key" if web.tls_cert else "tls_cert"
            raise self.refuse(f"[web] needs {missing} too: tls_cert and tls_key go together.")
        self.broker_check(config.broker)
        if not config.table:
            raise self.refuse("a hub needs at least one [[table]].")
        ids = [table.id for table in config.table]
        for id_ in ids:
            if ids.count(id_) > 1:
                raise self.refuse(f'two tables have the id "{id_}": give each [[table]] its own.')
        decked = [deck.game for deck in config.deck]
        for game in decked:
            if decked.count(game) > 1:
                raise self.refuse(f"two lists of cards are for {game}: a game is played with one.")
        named = set()
        for number, device in enumerate(config.device, 1):
            where = f"[[device]] number {number} ({device.driver})"
            if device.table not in ids:
                have = ", ".join(f'"{id_}"' for id_ in ids)
                raise self.refuse(f'{where} is for table "{device.table}", and the tables are {have}.')
            if device.name and device.name in named:
                raise self.refuse(f'{where} has the name "{device.name}" of another device: give each its own.')
            named.add(device.name)


def dump(config: Config) -> str:
    """The configuration as TOML with a comment beside each key; `load` reads it back equal."""
    lines = [
        "# table-hub: the whole configuration. Every line may be left out: the value shown by",
        "# `table-hub run --print-config` without a file is the default.",
        "# In a path, ~ is the home of the user that runs the hub; a relative one starts at this file.",
    ]
    for name in SINGLE:
        lines += ["", f"[{name}]", *_lines(getattr(config, name))]
    for table in config.table:
        lines += ["", "[[table]]", *_lines(table)]
    for deck in config.deck:
        lines += ["", "[[deck]]", *_lines(deck)]
    if not config.deck:
        lines += [
            "",
            "# One block for each game that is played with cards of your own: README.md.",
            "# [[deck]]",
            *(f"# {line}" for line in _lines(DeckPart("bid-it", "my-cards.toml"))),
        ]
    for device in config.device:
        settings = [f"{_toml_key(key)} = {_toml(value)}" for key, value in device.settings.items()]
        lines += ["", "[[device]]", *_lines(device), *settings]
    if not config.device:
        lines += [
            "",
            "# One block for each device; `table-hub doctor` lists what is plugged in. Keys beside driver, table and",
            "# name are the driver's own: drivers/README.md.",
            "# [[device]]",
            '# driver = "button_box"',
            *(f"# {line}" for line in _lines(DevicePart()) if not line.startswith("driver")),
        ]
    return "\n".join(lines) + "\n"


def _lines(part: Any) -> list[str]:
    """`key = value  # what it is`, the comments in one column."""
    pairs = [(f"{key} = {_toml(getattr(part, key))}", about) for key, about in _abouts(type(part)).items()]
    width = min(max(len(pair) for pair, _ in pairs), 40)
    return [f"{pair:{width}}  # {about}" for pair, about in pairs]


def _keys(form: type) -> dict[str, Kind]:
    """The keys of a part with what each may hold."""
    return {item.name: item.metadata["kind"] for item in fields(form) if item.metadata}


def _abouts(form: type) -> dict[str, str]:
    return {item.name: item.metadata["about"] for item in fields(form) if item.metadata}


def _with_paths(config: Config, folder: Path) -> Config:
    """The same, its paths absolute: ~ is the user's home, a relative one starts at the file's folder."""
    for name, form in SINGLE.items():
        part = getattr(config, name)
        paths = [key for key, kind in _keys(form).items() if kind.is_path and getattr(part, key)]
        setattr(config, name, replace(part, **{key: _absolute(getattr(part, key), folder) for key in paths}))
    config.deck = [replace(deck, cards=_absolute(deck.cards, folder)) for deck in config.deck]
    if "/" in config.broker.program:
        config.broker = replace(config.broker, program=_absolute(config.broker.program, folder))
    return config


def _absolute(path: str, folder: Path) -> str:
    try:
        return str(folder / Path(path).expanduser())
    except RuntimeError as error:  # ~nobody-of-that-name, or a service user without a home
        raise ConfigError(f"The home folder of {path} is not known: write the path in full.") from error


def _near(key: str, names: list[str], shown: list[str]) -> str:
    """The end of a sentence about an unknown name: the near miss, else all that there are."""
    near = difflib.get_close_matches(key.lower(), names, 1)
    return f": did you mean {shown[names.index(near[0])]}?" if near else f"; there are {', '.join(shown)}."


def _shown(value: Any) -> str:
    text = _toml(value) if _plain(value) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(value: Any) -> bool:
    """Whether a value is of the kinds that `dump` can write back (all of TOML's but dates)."""
    if isinstance(value, list):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, value.values()))
    return isinstance(value, str | int | float)


def _toml(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():  # JSON's escapes are TOML's, but for DEL
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{_toml_key(key)} = {_toml(item)}" for key, item in value.items()) + "}"
        case _:
            return repr(value)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml(key)
