"""Find every message of a game that people read: in its modules, and in its data file and guide.

In Python a message is a literal that one of the functions of `hub.engine.text` is called with (`KEYWORDS`), and in labels and
guides a value whose type is `Message`.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import inspect

from hub import games
from hub.display.labels import BETWEEN, name_places, readable
from hub.engine.guide import Guide
from hub.engine.labels import Labels
from hub.languages import LOBBY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.resources.abc import Traversable

    from hub.engine.game import Game

KEYWORDS = {"say": (0, 1), "say_count": (0, 2), "message": (0, 2), "tell": (1, 2), "Refusal": (0, 1)}
"""The functions whose literal arguments are messages, and which arguments: from the first to before the second number."""

CARD = ("name", "text", "line", "hue", "A", "B")
"""What screens show of a card in `[cards]`."""

_PLACEHOLDER = re.compile(r"\{\w*\}")
_WORD = re.compile(r"[^\W\d_]{2}")
_CHANGES = re.compile(r"[^\W\d_](?!\w*\})|\} \{")
"""A letter outside of a placeholder, or two values side by side, which another language may write as one word."""


class Message(NamedTuple):
    """A message in English, and where it stands; `context` is the game that it belongs to, "" for the hub itself.

    `plural` is the form of several, if `text` is that of one.
    """

    text: str
    where: str
    context: str = ""
    plural: str = ""


def merged(all_of_them: Iterable[Message]) -> list[Message]:
    """Return every message of each context once, with all files that have it, and its plural if one of them has it."""
    found: dict[tuple[str, str], Message] = {}
    for one in all_of_them:
        before = found.get((one.context, one.text), one)
        where = " ".join(sorted({*before.where.split(), one.where}))
        found[one.context, one.text] = Message(one.text, where, one.context, before.plural or one.plural)
    return list(found.values())


def of_module(path: Traversable, where: str, context: str = "") -> Iterator[Message]:
    """Yield the messages of a Python module. Babel's own reader misses a call inside of another one's parentheses."""
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS:
            first, several = KEYWORDS[call.func.id]
            literals = [one for arg in call.args[first:several] for one in _choices(arg)]
            if len(literals) > 1 and call.func.id in ("say_count", "message"):
                yield Message(literals[0], where, context, literals[1])
            else:
                yield from (Message(one, where, context) for one in literals if _CHANGES.search(one))


def _choices(node: ast.expr) -> list[str]:
    """Return the literal that an argument is, or those between which a condition chooses."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.IfExp(body=body, orelse=orelse):
            return [*_choices(body), *_choices(orelse)]
    return []


def of_packaged_game(name: str) -> list[Message]:
    """Return the messages of a game that comes from a package."""
    folder = games.files_of(name).folder
    assert folder is not None
    found = [*of_game(games.find(name), "game.toml", "guide.toml")]
    for module in ("rulebook.py", "house.py"):
        if (folder / module).is_file():
            found += of_module(folder / module, module, name)
    return merged(found)


def of_game(game: Game, data: str, guide: str) -> Iterator[Message]:
    """Yield the messages of a game's data file and guide, which are called `data` and `guide`."""
    yield from of_labels(game.labels, data, game.name)
    for part, about in game.labels.own_list.items():
        if "" in about.values:  # an entry is one value
            words = (str(one) for one in game.data[part].values() if isinstance(one, str))
            yield from (Message(one, data, game.name) for one in words)
    if game.guide:
        texts = _texts(game.guide, inspect.type_info(Guide))
        yield from (Message(one, guide, game.name) for one in texts if one)


def of_labels(labels: Labels, where: str, game: str) -> Iterator[Message]:
    """Yield the messages of a game's labels; a template's parts between dots are one message each."""
    kind = inspect.type_info(Labels)
    assert isinstance(kind, inspect.StructType)
    for field in kind.fields:
        for text in _texts(getattr(labels, field.name), field.type):
            yield from _parts(text, where, "" if field.name in LOBBY else game)
    for key, option in labels.options.items():
        for name in ([] if option.label else [key], option.choices):
            yield from (Message(readable(one), where) for one in name)
    for fact in labels.facts.values():
        yield from (Message(readable(one), where, game) for one in [fact.flag] if one)
    for card in labels.cards.values():
        yield from (Message(str(card[key]), where, game) for key in CARD if has_words(str(card.get(key, ""))))


def _parts(text: str, where: str, context: str) -> Iterator[Message]:
    written, _ = name_places(text)
    for part in written.split(BETWEEN):
        if has_words(part):
            yield Message(part, where, context)


def has_words(text: str) -> bool:
    """Return whether a message has words of its own; without any it is the same in all languages."""
    return _WORD.search(_PLACEHOLDER.sub("", text)) is not None


def _texts(value: Any, kind: inspect.Type) -> Iterable[str]:
    """Return the strings of a value whose type is `hub.engine.text.Message`."""
    match kind:
        case inspect.Metadata(extra={"message": True}) if isinstance(value, str):
            return [value]
        case inspect.Metadata(type=inner):
            return _texts(value, inner)
        case inspect.StructType(fields=fields) if isinstance(value, kind.cls):
            return [text for one in fields for text in _texts(getattr(value, one.name), one.type)]
        case inspect.DictType(value_type=inner):
            return [text for one in value.values() for text in _texts(one, inner)]
        case inspect.TupleType(item_types=inners):
            return [text for one, inner in zip(value, inners, strict=True) for text in _texts(one, inner)]
        case inspect.ListType(item_type=inner) if isinstance(value, list):
            return [text for one in value for text in _texts(one, inner)]
        case inspect.UnionType(types=inners):
            return [text for inner in inners for text in _texts(value, inner)]
    return []
