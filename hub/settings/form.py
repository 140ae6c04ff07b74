"""The form of the configuration for the staff page, made from the types of `hub.config` and of the drivers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_origin

import msgspec
from msgspec import inspect

from hub import games, packages, toml
from hub.config import Config
from hub.devices import driver_names, load_driver, packaged_drivers
from hub.engine.text import say
from hub.languages import languages
from hub.network.staff_messages import ChoicePicture, DriverOffer, SettingField, SettingPart
from hub.toml_structs import bare, fields, hints, meta

SETTINGS = "settings"
"""The context of the messages of the form: pages load it like the messages of a game."""
GROUPS = {
    "table": say("Tables"),
    "games": say("Games"),
    "screens": say("Screens"),
    "sound": say("Sound"),
    "languages": say("Languages"),
    "boxes": say("Seat boxes"),
    "dice": say("Dice"),
    "panels": say("Panels and lamps"),
    "devices": say("Other devices"),
    "hours": say("Opening hours"),
    "network": say("Network"),
    "systems": say("Other systems"),
    "hub": say("The hub itself"),
}
"""The groups of the page, in order."""
PART_GROUPS = {
    "preset": "games",
    "deck": "games",
    "device": "devices",
    "wifi": "network",
    "web": "network",
    "broker": "systems",
    "home_assistant": "systems",
    "upstream": "systems",
    "updates": "hub",
}
"""The groups of the parts whose group has another name."""
DRIVER_GROUPS = {
    "button_box": "boxes",
    "gpio_box": "boxes",
    "ble_dice": "dice",
    "camera_tray": "dice",
    "dice_tray": "dice",
    "eink": "panels",
    "led_strip": "panels",
    "call_lamp": "panels",
}
OWN = ("driver", "table", "name")
"""The keys of every `[[device]]`; the others are those of its driver."""
UNDER_CUPS = ("dice", "devices")
"""The groups of drivers that may read dice under the cup of a seat; of a driver from a package, nothing is known."""


class NoSettings(msgspec.Struct):
    """The settings of a driver that cannot be used."""


Kind: TypeAlias = Literal[
    "text", "whole", "number", "switch", "choice", "list", "secret", "password", "tables", "toml", "fixed"
]


def parts(drivers: Iterable[str], tables: list[str]) -> dict[str, SettingPart]:
    """Return the parts of the configuration and of these drivers. `tables` are the ids of the tables that there are."""
    offers = {"games": games.names(), "languages": list(languages()), "tables": tables}
    found: dict[str, SettingPart] = {}
    for key in toml.keys(Config):
        assert key.form is not None
        group = PART_GROUPS.get(key.name, key.name)
        _add(found, key.name, key.form, about_part(key.form), group, offers, several=key.several)
    device = found["device"]
    found["device"] = msgspec.structs.replace(device, fields=[one for one in device.fields if one.key in OWN])
    cup = [one for one in device.fields if one.key == "cup"]
    for name in drivers:
        part, group = f"device {name}", group_of_driver(name)
        try:
            _add(found, part, load_driver(name).Settings, about_driver(name), group, offers, several=True)
            if group in UNDER_CUPS and name != "camera_tray":  # staff see the picture of a camera
                found[part] = msgspec.structs.replace(found[part], fields=[*cup, *found[part].fields])
        except Exception as error:
            if name not in packaged_drivers():
                raise
            about = str(error) if isinstance(error, packages.Unusable) else packages.why(error)
            _add(found, part, NoSettings, about, group, offers, several=True)
    return found


def driver_offers() -> dict[str, DriverOffer]:
    """Return every driver, without importing it: some are large."""
    return {name: DriverOffer(about_driver(name), group_of_driver(name)) for name in driver_names()}


def group_of_driver(name: str) -> str:
    """Return the group of the page in which the devices of a driver are."""
    return DRIVER_GROUPS.get(name, "devices")


@cache
def about_driver(name: str) -> str:
    """Return the first sentence of a driver's docstring."""
    if name in packaged_drivers():
        try:
            about = getattr(load_driver(name), "__doc__", None)
        except packages.Unusable:
            about = None
        return _first_sentence(packages.sendable(about) if isinstance(about, str) else name)
    spec = find_spec(f"drivers.{name}")
    assert spec is not None
    assert spec.origin is not None
    return _first_sentence(ast.get_docstring(ast.parse(Path(spec.origin).read_text("utf-8"))) or name)


def about_part(form: type[msgspec.Struct]) -> str:
    """Return what a part is for, from its docstring "`[part]`: what it is for."."""
    text = _first_sentence(form.__doc__ or "").partition(": ")[2]
    return text[:1].upper() + text[1:]


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0].replace("`", "")


def allowed_here(allowed: str) -> str:
    """Return what a value may be on the page: there are no quotes, and "" is an empty field."""
    return re.sub(r",? in quotes", "", allowed).replace('""', "empty")


def _add(
    found: dict[str, SettingPart], name: str, form: type[msgspec.Struct], about: str, group: str,
    offers: Mapping[str, list[str]], *, several: bool,
) -> None:  # fmt: skip
    """Add a part, and the parts of the blocks inside of it."""
    allowed = {key.name: key for key in toml.keys(form)}
    made = []
    for one in fields(form):
        inner = allowed[one.name].form
        if inner is not None:
            _add(found, f"{name} {one.name}", inner, meta(one.type, "description") or "", group, offers, several=True)
        made.append(_field(one, hints(form)[one.name], allowed[one.name], name, offers))
    found[name] = SettingPart(about, several, group, made)


def _field(
    one: inspect.Field, hint: Any, key: toml.Key, part: str, offers: Mapping[str, list[str]]
) -> SettingField:  # fmt: skip
    kind, item, choices, most = _kind(one.type, hint, offers)
    default = None if one.default is msgspec.NODEFAULT else one.default
    if one.default_factory is not msgspec.NODEFAULT:
        default = one.default_factory()
    pictures: Mapping[str, ChoicePicture] = meta(one.type, "pictures") or {}
    return SettingField(
        key.name,
        key.about,
        kind,
        allowed_here(key.allowed),
        default=shown(kind, msgspec.json.decode(msgspec.json.encode(default))),
        choices=choices or [*pictures],
        item=item,
        most=most,
        part=f"{part} {key.name}" if kind == "tables" else "",
        group=meta(one.type, "group") or "",
        pictures=[*pictures.values()],
    )


def _kind(
    kind: inspect.Type, hint: Any, offers: Mapping[str, list[str]]
) -> tuple[Kind, Literal["", "text", "whole", "number"], list[str], int]:
    """Return the kind of a field, the kind of its items, what there is to choose, and the largest number of items."""
    if meta(kind, "by_hand"):
        return "fixed", "", [], 0
    if meta(kind, "pictures"):
        return "choice", "", [], 0
    if meta(kind, "secret"):
        return "secret", "", [], 0
    if meta(kind, "holds") == "password":
        return "password", "", [], 0
    offered = offers.get(meta(kind, "offers") or "", [])
    plain = bare(kind)
    match plain:
        case inspect.BoolType():
            return "switch", "", [], 0
        case inspect.LiteralType():
            return "choice", "", _choices(hint), 0
        case inspect.StrType() if offered:
            return "choice", "", ["", *offered] if _may_be_empty(kind) else offered, 0
        case inspect.StrType():
            return "text", "", [], 0
        case inspect.IntType():
            return "whole", "", [], 0
        case inspect.FloatType():
            return "number", "", [], 0
        case inspect.ListType() | inspect.VarTupleType():
            if isinstance(bare(plain.item_type), inspect.StructType):
                return "tables", "", [], 0
            inner, _, choices, _ = _kind(plain.item_type, None, offers)
            return "list", _item(inner), choices, plain.max_length or 0
        case inspect.TupleType():
            inner, _, _, _ = _kind(plain.item_types[0], None, offers)
            return "list", _item(inner), [], len(plain.item_types)
    return "toml", "", [], 0


def _item(kind: Kind) -> Literal["text", "whole", "number"]:
    return kind if kind in ("whole", "number") else "text"


def _choices(hint: Any) -> list[str]:
    while get_origin(hint) is not Literal:
        hint = get_args(hint)[0]
    return [str(one) for one in get_args(hint)]


def _may_be_empty(kind: inspect.Type) -> bool:
    plain = bare(kind)
    assert isinstance(plain, inspect.StrType)
    return plain.pattern is None or re.search(plain.pattern, "") is not None


def shown(kind: Kind, value: Any) -> Any:
    """Return a value as the page shows it. Raise TypeError if TOML has no such value."""
    if value is None:
        return None
    if kind == "secret":
        return bool(value)
    return toml.item(value).as_string() if kind == "toml" else value
