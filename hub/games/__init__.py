"""Games, found by name: `bid-and-bait` is `bid_and_bait.py` with `data/bid_and_bait.toml`.

Adding a game is adding these two files; `README.md` beside this file says how. `bid_and_bait_house.py`, if there is one,
plays for seats that nobody sits at, and `guides/bid_and_bait.toml` teaches people the rules. Other games come from packages
(`hub/packages.py`): `rulebook.py` with `game.toml`, and `house.py`, `guide.toml` and `locale`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from typing import Any, NamedTuple, cast

from msgspec import json, toml

from hub import packages, toml_structs
from hub.engine.cards import Source, load_data
from hub.engine.game import Game, Rulebook
from hub.engine.guide import Guide
from hub.engine.labels import Labels
from hub.engine.match import Match
from hub.engine.printed import UNKNOWN
from hub.engine.sight import HousePlayer
from hub.engine.text import Text, say
from hub.errors import HubError, StartRefused
from hub.toml_structs import Document, SettingError

KNOWN = Labels.__struct_encode_fields__
"""The parts of a data file that screens read."""
RULES_READ = ("cards", "options", "seats")
"""The labels that rules read as well: they stay in a data file's hash."""
NOT_RULES = {*KNOWN} - {*RULES_READ, "name", "title"} | {"own", "page", "earlier", "api"}
"""The parts that a match cannot depend on: they are left out of a data file's hash. `page` is for the documents, `api` for packages."""
KEYS = ("name", "title", "seats", "minutes", "blurb", "version", "earlier", "stack", "api", "deck")
"""The keys of a data file that are no tables."""
PARTS = tuple(name for name in KNOWN if name not in ("name", "title", "seats", "minutes", "blurb"))
NAME = re.compile(r"[a-z][a-z0-9]{0,19}(-[a-z0-9]{1,20}){0,3}")
"""The names of packaged games: they are part of addresses, and of files."""
RESERVED = ("settings",)
"""The contexts of translations that are no games."""
NEAR = 0.8
"""How alike an unknown part and a known one are for the first to be a slip (`difflib`)."""
DRAWN = ("letter", "face", "colour", "art")
"""What screens draw a card with. It is left out of the hash."""
SAID = {"cards": (*DRAWN, "name", "text", "line", "hue", "A", "B"), "options": ("effect", "label")}
"""What only screens and people read of a card and of an option: it is left out of the hash."""


class GameFiles(NamedTuple):
    """Where the parts of a game are.

    - `rulebook`, `house`: modules.
    - `folder`: of a game that comes from a package, with its translations; None for a game of table-hub itself.
    - `package`: name and version of the package that it comes from; "" for a game of table-hub itself.
    """

    rulebook: str
    house: str
    data: Traversable
    guide: Traversable
    folder: Traversable | None = None
    package: str = ""


def built_in() -> list[str]:
    """Return the names of the games of table-hub itself, in alphabetical order."""
    entries = [entry.name for entry in files(__name__).joinpath("data").iterdir()]
    return sorted(name.removesuffix(".toml").replace("_", "-") for name in entries if name.endswith(".toml"))


def names() -> list[str]:
    """Return the names of all games that are here, in alphabetical order."""
    return sorted({*built_in(), *packaged().games})


def find(name: str, own: Traversable | Source | None = None) -> Game:
    """Return the game of that name, played with the cards of an owner's `own` list if there is one.

    Raise StartRefused with the names there are, or with the line of the list that is wrong.
    """
    if name not in names():
        raise StartRefused(f"There is no game {name!r}: there are {', '.join(names())}.")
    try:
        own_list = own if own is None or isinstance(own, Source) else Source(f"{own}", own.read_bytes())
    except OSError as error:
        raise StartRefused(f"{own}: the list cannot be read ({error.strerror}).") from error
    parts = files_of(name)
    try:
        game = _read(parts, own_list)
        is_playable = not own_list or playable(game)
    except HubError:
        raise
    except Exception as error:
        if not parts.package:
            raise
        raise StartRefused(f"{name} of the package {parts.package} fails: {packages.why(error)}") from error
    if own_list and not is_playable:
        raise StartRefused(f"{own_list.name}: No match can start with this list: {_start_refusal(game, game.seats[0])}")
    return game


def files_of(name: str) -> GameFiles:
    """Return where the parts of a game of this hub are."""
    if name in (found := packaged().games):
        return found[name]
    module, folder = name.replace("-", "_"), files(__name__)
    file = f"{module}.toml"
    return GameFiles(
        f"{__name__}.{module}", f"{__name__}.{module}_house", folder / "data" / file, folder / "guides" / file
    )


def _read(parts: GameFiles, own: Source | None = None) -> Game:
    """Return a game. Raise StartRefused; the code of a package may raise any other error."""
    rulebook: Rulebook[Any] = Rulebook.of(import_module(parts.rulebook))
    house = cast(HousePlayer, import_module(parts.house)) if find_spec(parts.house) else None
    if house is not None and not callable(getattr(house, "choose", None)):
        raise StartRefused("Its house player has no function choose.")
    guide = parts.guide.read_bytes() if parts.guide.is_file() else b""
    return load(parts.data.read_bytes(), rulebook, own, house, guide)


class PackagedGames(NamedTuple):
    """The games of packages by their names, and for each game that is left out a sentence."""

    games: dict[str, GameFiles]
    left_out: Mapping[packages.Entry, Text]

    def lacks(self, name: str) -> bool:
        """Return whether the game of this name is left out, or may be: a configuration that names it is not wrong."""
        is_left_out = any(entry.name == name for entry in self.left_out)
        return name not in names() and (is_left_out or bool(packages.problems()))


@cache
def packaged() -> PackagedGames:
    """Return the games of packages. A package that cannot be used is left out, and so does not stop the hub."""
    found: dict[str, GameFiles] = {}
    left_out = {}
    for entry in packages.found(packages.GAMES).entries:
        try:
            found[entry.name] = _packaged(entry, {*built_in(), *found})
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the code of others
            left_out[entry] = say(
                "The game {game} of the package {package} is left out: {why}",
                game=entry.name,
                package=entry.package,
                why=packages.why(error),
            )
    return PackagedGames(found, left_out)


def add(entry: packages.Entry) -> str:
    """Let this process find a game whose package is not installed, and return its name. Its code may raise any error."""
    found = packaged()
    found.games[entry.name] = _packaged(entry, {*built_in(), *found.games})
    return entry.name


def _packaged(entry: packages.Entry, taken: Collection[str]) -> GameFiles:
    """Return where the parts of a packaged game are. Raise Unusable or StartRefused; its code may raise any other error."""
    if entry.name in taken:
        raise packages.Unusable("there is another game with this name.")
    folder = files(entry.module)
    parts = GameFiles(
        f"{entry.module}.rulebook", f"{entry.module}.house", folder / "game.toml", folder / "guide.toml",
        folder, entry.package,
    )  # fmt: skip
    packages.check_api(toml.decode(parts.data.read_bytes()).get("api"))
    if not NAME.fullmatch(entry.name) or entry.name in RESERVED:
        raise packages.Unusable("its name must be small letters, digits and hyphens, as in oh-hell.")
    game = _read(parts)
    if not (2 <= game.seats[0] <= game.seats[1] <= 6 and type(game.version) is int):
        raise packages.Unusable("game.toml must have seats from 2 to 6, and a whole number as version.")
    if not all(isinstance(game.data.get(part), dict | str) for part in game.data.get("own", {})):
        raise packages.Unusable("[own] in game.toml names a part that is neither a table nor a text.")
    if game.name != entry.name:
        raise packages.Unusable(f"game.toml calls it {game.name}.")
    if not playable(game):
        raise packages.Unusable(f"no match can start: {_start_refusal(game, game.seats[0])}")
    return parts


def playable(game: Game) -> list[int]:
    """Return the numbers of people with whom a match can start: an owner's list may be too short for many."""
    least, most = game.seats
    return [people for people in range(least, most + 1) if not _start_refusal(game, people)]


def _start_refusal(game: Game, people: int) -> str:
    """Return why a match with the usual options cannot start; "" if it can."""
    try:
        Match(game, range(1, people + 1))
    except StartRefused as error:
        return str(error)
    return ""


def rules_of(data: dict[str, Any]) -> dict[str, object]:
    """Return the part of a data file that a match can depend on: new colors or words do not change its hash."""
    rules = {key: part for key, part in data.items() if key not in NOT_RULES}
    for part, unread in SAID.items():
        rules[part] = {
            name: {key: value for key, value in one.items() if key not in unread} if isinstance(one, dict) else one
            for name, one in data.get(part, {}).items()
        }
    if isinstance(deck := data.get("deck"), str):
        rules["deck"] = [words for line in deck.splitlines() if (words := line.split("#")[0].split())]
    return rules


def labels_of(data: Mapping[str, Any], source: Source, *, owned: bool = False) -> Labels:
    """Return what screens draw a game with; printed cards that nobody has named are called as the data file says.

    `owned`: the cards are those of an owner's list, so nothing differs from the owner's box.
    Raise StartRefused with the line of a key that no screen knows, or of a value that will not do.
    """
    given = {key: data[key] for key in KNOWN if key in data}
    if isinstance(printed := data.get("printed_cards"), dict) and "one" in printed:
        given["cards"] = {**given.get("cards", {}), UNKNOWN: {"name": printed["one"], "letter": UNKNOWN}}
        if owned:
            given["printed_cards"] = {key: value for key, value in printed.items() if key != "differs"}
    try:
        _check_parts(data)
        return toml_structs.convert(Labels, given)
    except SettingError as error:
        raise StartRefused(str(Document(source.name, source.raw.decode(), source.read()).located(error))) from error


def _check_parts(data: Mapping[str, object]) -> None:
    """Raise SettingError if a part of the data file is called almost like one that screens know: rules have parts of their own."""
    for key in data.keys() - {*KNOWN}:
        if near := get_close_matches(key, PARTS, 1, NEAR):
            raise SettingError(f"there is no part [{key}]: did you mean [{near[0]}]?", (key,))
        if key not in KEYS and not isinstance(data[key], dict) and (near := get_close_matches(key, KEYS, 1, NEAR)):
            raise SettingError(f"there is no key {key}: did you mean {near[0]}?", (key,))


@lru_cache(maxsize=16)  # reading the text takes ten times as long as starting a match
def load(
    raw: bytes, rulebook: Rulebook[Any], own: Source | None = None, house: HousePlayer | None = None,
    guide: bytes = b"",
) -> Game:  # fmt: skip
    """Return a game from its data file's text, its rulebook, an owner's cards and its guide: the same text gives the same Game.

    Raise StartRefused on a broken file.
    """
    shipped = Source("The game's data file", raw)
    data = load_data(shipped, rulebook, own)
    labels = labels_of(data, shipped, owned=own is not None)
    return Game(
        name=data["name"],
        title=data["title"],
        seats=(data["seats"][0], data["seats"][1]),
        version=data["version"],
        digest=sha256(json.encode(rules_of(data))).hexdigest()[:16],
        earlier=[] if own else data.get("earlier", []),
        options=labels.options,
        stack=data.get("stack", []),
        labels=labels,
        data=data,
        rulebook=rulebook,
        house=house,
        guide=toml.decode(guide, type=Guide) if guide else None,
    )
