"""Games, found by name: `bid-and-bait` is `bid_and_bait.py` with `data/bid_and_bait.toml`.

Adding a game is adding these two files; `README.md` beside this file says how. `bid_and_bait_house.py`, where it is there,
plays for seats that nobody sits at, and `guides/bid_and_bait.toml` tells people the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Any, cast

from msgspec import convert, json, toml

from hub.engine.cards import Source, played_with
from hub.engine.game import Game, Option, Rulebook
from hub.engine.guide import Guide
from hub.engine.printed import UNKNOWN
from hub.engine.sight import HousePlayer
from hub.errors import StartRefused

LABELS = (
    "name", "title", "seats", "minutes", "blurb", "cards", "phases", "moves", "parameters", "facts", "screen", "rules",
    "options", "face", "help", "hand_size", "needs", "pitch", "printed_cards", "lobby",
)  # fmt: skip
"""The parts of a data file that screens draw a game with."""

SCREENS = (
    "minutes", "blurb", "phases", "moves", "parameters", "facts", "face", "screen", "rules", "help", "hand_size", "needs",
    "pitch", "printed_cards", "lobby",
)  # fmt: skip
ASIDE = (*SCREENS, "own", "page")
"""What a match cannot depend on: it is left out of a data file's hash. `page` is for the documents."""
DRAWN = ("letter", "face", "colour", "art")
"""What only screens read: parts of the data file, and keys of a card. They are left out of its hash."""


def names() -> list[str]:
    """Return the names of all games that are here, in alphabetical order."""
    entries = [entry.name for entry in files(__name__).joinpath("data").iterdir()]
    return sorted(name.removesuffix(".toml").replace("_", "-") for name in entries if name.endswith(".toml"))


def find(name: str, own: Traversable | None = None) -> Game:
    """Return the game of that name, played with the cards of an owner's `own` list if there is one.

    Raise StartRefused with the names there are, or with the line of the list that is wrong.
    """
    if name not in names():
        raise StartRefused(f"There is no game {name!r}: there are {', '.join(names())}.")
    module = name.replace("-", "_")
    raw = files(__name__).joinpath("data", f"{module}.toml").read_bytes()
    try:
        own_list = Source(f"{own}", own.read_bytes()) if own else None
    except OSError as error:
        raise StartRefused(f"{own}: the list cannot be read ({error.strerror}).") from error
    return load(
        raw, cast(Rulebook, import_module(f"{__name__}.{module}")), own_list, house_of(module), guide_of(module)
    )


def house_of(module: str) -> HousePlayer | None:
    """Return the house player beside the rulebook `module`, or None."""
    name = f"{__name__}.{module}_house"
    return cast(HousePlayer, import_module(name)) if find_spec(name) else None


def guide_of(module: str) -> bytes:
    """Return the text of the guide of the rulebook `module`, empty where there is none."""
    file = files(__name__).joinpath("guides", f"{module}.toml")
    return file.read_bytes() if file.is_file() else b""


def rules_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a data file that a match can depend on: new colours or labels do not change its hash."""
    rules = {key: part for key, part in data.items() if key not in ASIDE}
    cards: dict[str, Any] = data.get("cards", {})
    rules["cards"] = {
        name: {k: v for k, v in card.items() if k not in DRAWN} if isinstance(card, dict) else card
        for name, card in cards.items()
    }
    if isinstance(deck := data.get("deck"), str):
        rules["deck"] = [words for line in deck.splitlines() if (words := line.split("#")[0].split())]
    return rules


def labels_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a data file that screens draw a game with; printed cards that nobody has named are called as it says."""
    labels = {key: data[key] for key in LABELS if key in data}
    if printed := data.get("printed_cards"):
        labels["cards"] = {**labels.get("cards", {}), UNKNOWN: {"name": printed["one"], "letter": UNKNOWN}}
    return labels


@lru_cache(maxsize=16)  # reading the text takes ten times as long as starting a match
def load(
    raw: bytes, rulebook: Rulebook, own: Source | None = None, house: HousePlayer | None = None,
    guide: bytes = b"",
) -> Game:  # fmt: skip
    """Return a game from its data file's text, its rulebook, an owner's cards and its guide: the same text gives the same Game.

    Raise StartRefused on a broken file.
    """
    data = played_with(Source("The game's data file", raw), rulebook, own)
    return Game(
        name=data["name"],
        title=data["title"],
        seats=(data["seats"][0], data["seats"][1]),
        version=data["version"],
        digest=sha256(json.encode(rules_of(data))).hexdigest()[:16],
        options=convert(data.get("options", {}), dict[str, Option]),
        stack=data.get("stack", []),
        labels=labels_of(data),
        data=data,
        rulebook=rulebook,
        house=house,
        guide=toml.decode(guide, type=Guide) if guide else None,
    )
