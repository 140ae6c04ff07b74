"""The languages that are there: catalogues in gettext's format, read for panels and pages.

`hub/locale/<language>/LC_MESSAGES/table-hub.po` is one language, whole: whoever adds the file adds the language. Messages
of one game have its name as their context; those without one are for all. `hub/docs/translate.md` says how it is done. The
game of a package brings translations for the languages of the hub, `locale/<language>/LC_MESSAGES/<game>.po`.
"""

from __future__ import annotations

import logging
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from babel import Locale, UnknownLocaleError
from babel.messages.pofile import PoFileError, read_po
from babel.numbers import format_currency, get_decimal_symbol

from hub import games
from hub.display.labels import BETWEEN, name_places, readable
from hub.display.language import Catalogue, Language
from hub.engine.text import say
from hub.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

log = logging.getLogger(__name__)

LOCALE = Path(__file__).parent / "locale"
FILE = Path("LC_MESSAGES") / "table-hub.po"
WRITTEN_IN = "en"
NOT_REVIEWED = b"# Not reviewed"
"""A line that begins so, at the top of a catalogue, says that no native reader has read it yet. Lists of languages say it, too."""
LOBBY = ("title", "blurb", "options", "needs", "lobby")
"""The labels that lobbies show. Their messages have no game as their context, because it is not chosen yet."""


@cache
def languages() -> Mapping[str, str]:
    """Return the languages by their own names, English first: everything is written in it.

    One that cannot be read is left out, and the journal says why: nobody meets it in the middle of a match.
    """
    found = [WRITTEN_IN]
    for name in sorted(file.parent.parent.name for file in LOCALE.glob(f"*/{FILE}")):
        try:
            catalogues(name)
            found.append(name)
        except ConfigError as error:
            log.error("%s It is left out.", error)
    return {name: _name_of(name) for name in found}


def _name_of(language: str) -> str:
    """Return the name of a language in itself."""
    name = _locale(language).get_display_name(language) or language
    name = name[:1].upper() + name[1:]
    if language == WRITTEN_IN or NOT_REVIEWED not in (LOCALE / language / FILE).read_bytes().partition(b"msgid")[0]:
        return name
    return f"{name} ({language_of(language, None).say(say('not reviewed yet'))})"


def check_language(name: str) -> None:
    """Raise ConfigError where a language is not there, or cannot be read."""
    if (LOCALE / name / FILE).exists():
        catalogues(name)
    elif name not in languages():
        raise ConfigError(f"There is no language {name!r}; there are {', '.join(languages())}.")


def catalogues(language: str) -> Mapping[str, Catalogue]:
    """Return the catalogues of a language: of each game by its name, and "" for all. Raise ConfigError."""
    found = dict(read_catalogues(LOCALE / language / FILE, language))
    for game in games.packaged().games:
        if own := _of_package(game, language):
            # A package adds what lobbies show of its own game, and changes nothing that anybody else says.
            lobby = {text: own[""].messages[text] for text in _lobby_texts(game) & own[""].messages.keys()}
            everybodys = lobby | found[""].messages
            found |= {"": msgspec.structs.replace(found[""], messages=everybodys), game: own.get(game, own[""])}
    return found


@cache
def _lobby_texts(game: str) -> frozenset[str]:
    """Return the texts that lobbies show of a game, and their parts."""
    labels = games.find(game).labels
    found = set[str]()
    waiting: list[object] = [msgspec.to_builtins(getattr(labels, part)) for part in LOBBY]
    while waiting:
        match waiting.pop():
            case str() as text:
                found |= {text, readable(text), *name_places(text)[0].split(BETWEEN)}
            case dict() as several:
                waiting += [*several.keys(), *several.values()]
            case list() as several:
                waiting += several
    return frozenset(found)


@cache
def _of_package(game: str, language: str) -> Mapping[str, Catalogue]:
    """Return the catalogues that come with the game of a package; none if it has none for this language."""
    folder = games.files_of(game).folder
    file = folder / "locale" / language / "LC_MESSAGES" / f"{game}.po" if folder else None
    try:
        return _read(file, language) if file and file.is_file() else {}
    except Exception as error:  # noqa: BLE001 - the files of others
        log.error("%s The game %s is shown in English.", error, game)
        return {}


@cache
def read_catalogues(file: Path, language: str) -> Mapping[str, Catalogue]:
    """Return the catalogues that a file holds; what is not translated yet is left out. Raise ConfigError."""
    return _read(file, language)


def _read(file: Traversable, language: str) -> Mapping[str, Catalogue]:
    locale = _locale(language)
    try:
        with file.open("rb") as opened:
            read = read_po(opened, locale=language, abort_invalid=True)
        form_of = c2py(read.plural_expr)
        categories = {locale.plural_form(number): form_of(number) for number in range(200)}
    except (OSError, PoFileError, ValueError, ArithmeticError, RecursionError) as error:
        raise ConfigError(f"The language {language!r} cannot be read from {file}: {error}.") from None
    messages: dict[str, dict[str, str | dict[str, str]]] = {"": {}}
    for message in read:
        forms = [message.string] if isinstance(message.string, str) else [str(one) for one in message.string or ("",)]
        if not message.id or message.fuzzy or not all(forms):
            continue
        if isinstance(message.id, str):
            messages.setdefault(message.context or "", {})[message.id] = forms[0]
        elif len(forms) > max(categories.values()):
            by_category = {"other": forms[-1]} | {category: forms[form] for category, form in categories.items()}
            found = messages.setdefault(message.context or "", {})
            found["\n".join(message.id)] = by_category
            found.setdefault(str(message.id[0]), by_category[locale.plural_form(1)])  # gettext keeps both under one id
    money = format_currency(1, "USD", locale=locale, currency_digits=False, format=_whole(locale))
    return {
        context: Catalogue(
            language=language,
            direction=locale.text_direction,
            money=money.replace("1", "{amount}", 1),
            point=get_decimal_symbol(locale),
            messages=texts,
        )
        for context, texts in messages.items()
    }


@cache
def language_of(name: str, game: str | None) -> Language:
    """Return a language for what one game says, or for what is said without one. Raise ConfigError."""
    if name == WRITTEN_IN:
        return Language()
    found = catalogues(name)
    return Language(*(found[one] for one in (game or "", "") if one in found)) if game else Language(found[""])


class Speech:
    """What pages are told of languages. `tables` are the languages of each table's screens."""

    def __init__(self, tables: Mapping[str, Sequence[str]]) -> None:
        self.names = languages()
        self.tables = tables

    def catalogue(self, language: str, game: str) -> bytes | None:
        """Return what is said for a game ("": for all) as JSON; None where there is nothing."""
        found = catalogues(language).get(game) if language in self.names and language != WRITTEN_IN else None
        return msgspec.json.encode(found) if found else None


def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError) as error:
        raise ConfigError(f"There is no language {language!r}: {error}.") from None


def _whole(locale: Locale) -> str:
    """Return the locale's way to write dollars, without digits behind the point. French would say "$US", which no card does."""
    pattern: str = locale.currency_formats["standard"].pattern
    return pattern.replace(".00", "").replace("#,##0", "0").replace("¤", "$")
