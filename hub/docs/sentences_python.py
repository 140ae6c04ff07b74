"""Find what the hub's Python says to people: literals and f-strings that read as texts, and the texts of games' data files."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from hub.display.labels import named
from hub.docs.sentences import Message, Placeholders, is_text, pieces

NOT_SAID_CALLS = re.compile(
    r"log\.\w+|re\.\w+|RulesBug|TypeError|ValueError|KeyError|RuntimeError|AssertionError|LookupError|add_note|"
    r"LogError|DeviceError|DeviceLost|GarbledFrame|WrongFirmware|TypeVar|getLogger|Thread|threading\.\w+|connection\.execute|"
    r"execute|executescript|import_module|NewType|TypeAlias|suppress|isinstance|startswith|endswith|removeprefix|removesuffix|"
    r"split|partition|rpartition|Random|warn|getattr|cast|count|RulesMistake|ConfigError|TemporaryError"
)
"""Calls whose literals nobody at a table reads: diagnostics, faults of programs, the configuration's refusals."""
NOT_SAID_KEYWORDS = frozenset(
    {"rule", "kind", "into", "phase", "key", "name", "encoding", "default", "prefix", "tag", "why_not", "move", "mode"}
)
NOT_SAID_KEYS = frozenset(
    [
        "art",
        "by",
        "bidder",
        "caller",
        "colour",
        "face.action",
        "face.key",
        "face.kind",
        "here",
        "in",
        "kind",
        "lit",
        "letter",
        "letters",
        "name_",
        "on",
        "of",
        "options",
        "order",
        "past",
        "pulse",
        "record",
        "row",
        "result",
        "ring",
        "seats",
        "set",
        "sides",
        "slot",
        "sometimes",
        "stack",
        "takes",
        "then",
        "where",
        "who",
        "token",
        "headline",
        "inside",
        "leader",
        "mark",
        "mine",
        "cells",
        "felt",
        "edge",
        "accent",
        "tile",
        "emblem",
        "lettering",
        "sides",
        "values",
        "hammer",
        "copies",
        "gone",
        "most",
        "card",
        "best",
        "box",
        "join",
        "deck",
        "pattern",
        "default",
        "generator",
        "money",
        "score",
        "cards",
        "heap",
        "between",
        "tech",
    ]
)
"""Keys of a game's data file that no person reads."""
NOT_SAID_TABLES = frozenset({"page", "own", "hand_size", "generator", "deck", "spots", "stack"})
_IDS = re.compile(r"([A-Z]{2}-\w+ ?)+")
_NAMES = frozenset({("name",), ("face", "key"), ("face", "kind"), ("face", "action")})
MOST = 6
"""So many sentences at most are made of the alternatives of one f-string; else its parts stand alone."""

Choice: TypeAlias = tuple[str, str, bool]
"""A text that may stand in a place, "one" or "many" of what it is, and whether a number chooses."""


def of_module(path: Path, where: str, context: str = "") -> list[Message]:
    """Return what a module says, in its order."""
    reader = _Module(where, context)
    reader.visit(ast.parse(path.read_text("utf-8")))
    return reader.found


def of_data(path: Path, where: str, context: str = "") -> list[Message]:
    """Return the texts of a game's data file, and a word for each value and name that screens make readable."""
    found: list[Message] = []

    def note(text: str, context: str = context) -> None:
        found.extend(Message(piece, where, context) for piece in pieces(named(text)[0]))

    for keys, text in _texts(tomllib.loads(path.read_text("utf-8")), ()):
        if keys[-1] == "choices":
            note(text[:1].upper() + text[1:].replace("_", " "), "")
        elif keys[0] in NOT_SAID_TABLES or (keys[0] == "facts" and keys[-1] == "name") or keys in _NAMES:
            continue
        elif keys[0] == "lobby":
            if keys[-1] == "why":
                note(text, "")
        elif keys[-1] in ("A", "B") or not ({keys[-1], *keys[2:]} & NOT_SAID_KEYS) or keys[0] in ("rules", "phases"):
            # What the lobby says of all games is said before one is chosen.
            note(text, "" if keys[0] in ("title", "blurb", "options", "needs") else context)
    return found


def of_guide(path: Path, where: str, context: str = "") -> list[Message]:
    """Return the texts of a game's guide: all but the ids of rules, phases, and what a lesson waits for."""
    found = []
    for keys, text in _texts(tomllib.loads(path.read_text("utf-8")), ()):
        is_id = keys == ("chapter", "lines") and _IDS.fullmatch(text)
        if not is_id and (keys[0] in ("about", "follows") or keys[-1] in ("title", "lines", "say", "name", "all")):
            found.append(Message(text, where, context))
    return found


def _texts(value: Any, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict):
        if keys[:1] == ("options",) and len(keys) == 2:
            yield (*keys, "label"), keys[1][:1].upper() + keys[1][1:].replace("_", " ")
        for key, one in value.items():
            yield from _texts(one, (*keys, str(key)))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, keys)
    elif isinstance(value, str):
        yield keys, value


class _Module(ast.NodeVisitor):
    """Walks a module; `found` are its messages."""

    def __init__(self, where: str, context: str) -> None:
        self.found: list[Message] = []
        self._where, self._context = where, context

    # What has no texts for people.

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        for one in (node.left, *node.comparators):
            if not isinstance(one, ast.Constant | ast.Tuple | ast.Set | ast.List):
                self.visit(one)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)

    def visit_match_case(self, node: ast.match_case) -> None:
        for one in node.body:
            self.visit(one)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and "TypeAlias" not in ast.unparse(node.annotation):
            self.visit(node.value)

    def visit_arguments(self, node: ast.arguments) -> None:
        pass

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_Dict(self, node: ast.Dict) -> None:
        for one in node.values:
            self.visit(one)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for one in node.body:
            self.visit(one)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast's own name

    def visit_Assign(self, node: ast.Assign) -> None:
        names = [one.id for one in node.targets if isinstance(one, ast.Name)]
        if not any(name.startswith("__") for name in names):
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        if NOT_SAID_CALLS.fullmatch(called) or NOT_SAID_CALLS.fullmatch(called.rpartition(".")[2]):
            return
        self.visit(node.func)
        for one in node.args:
            self.visit(one)
        for keyword in node.keywords:
            if keyword.arg not in NOT_SAID_KEYWORDS:
                self.visit(keyword.value)

    # What may have.

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and is_text(node.value):
            self._say(node.value, "", node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        made = self._counted(node)
        if made is None:
            self.generic_visit(node)
        else:
            self._say(*made, node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        holes = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        choices = [self._choices(hole.value) for hole in holes]
        counted = [i for i, one in enumerate(choices) if one and one[0][2]]
        size = 1
        for one in choices:
            size *= max(1, len(one))
        if size > MOST:  # too many sentences: what may stand there is said for itself
            for one in choices:
                for text, _, _ in one:
                    self._say(text, "", node, words=True)
            choices = [[] for _ in choices]
        for hole, one in zip(holes, choices, strict=True):
            if not one:
                self.visit(hole.value)
        nothing: list[Choice | None] = [None]
        made = [
            (self._read(node, holes, chosen), chosen) for chosen in product(*([*one] or nothing for one in choices))
        ]
        if len(counted) == 1 and size <= MOST:  # "1 card", "2 cards": forms of one message
            for text, chosen in made:
                if _form_at(chosen, counted[0]) == "one":
                    several = [
                        other for other, rest in made
                        if _form_at(rest, counted[0]) == "many" and self._same(rest, chosen, counted[0])
                    ]  # fmt: skip
                    self._say(text, several[0] if several else "", node)
            return
        for text, _ in made:
            self._say(text, "", node)

    @staticmethod
    def _same(one: Any, other: Any, but: int) -> bool:
        return all(a == b for i, (a, b) in enumerate(zip(one, other, strict=True)) if i != but)

    def _counted(self, node: ast.IfExp) -> tuple[str, str] | None:
        """Return the text of one and that of several, where an expression chooses between them by a number."""
        choices = self._choices(node)
        if len(choices) == 2 and choices[0][2]:
            by_form = {form: text for text, form, _ in choices}
            return by_form["one"], by_form["many"]
        return None

    def _choices(self, node: ast.expr) -> list[Choice]:
        """Return the texts between which an expression chooses, with "one" or "many", and whether a number chooses."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [(node.value, "", False)]
        if not isinstance(node, ast.IfExp):
            return []
        arms: list[Choice] = []
        by_number, first_is_one = _by_number(node.test)
        for arm in (node.body, node.orelse):
            if isinstance(arm, ast.Constant) and isinstance(arm.value, str):
                texts = [arm.value]
            elif isinstance(arm, ast.JoinedStr):
                holes = [part for part in arm.values if isinstance(part, ast.FormattedValue)]
                if any(self._choices(hole.value) for hole in holes):
                    return []
                for hole in holes:
                    self.visit(hole.value)
                texts = [self._read(arm, holes, (None,) * len(holes))]
            elif isinstance(arm, ast.IfExp) and not by_number:
                inner = self._choices(arm)
                if not inner:
                    return []
                texts = [text for text, _, _ in inner]
            else:
                return []
            form = "" if not by_number else "one" if (arm is node.body) == first_is_one else "many"
            arms += [(text, form, by_number) for text in texts]
        return arms

    @staticmethod
    def _read(node: ast.JoinedStr, holes: list[ast.FormattedValue], chosen: Sequence[Choice | None]) -> str:
        """Return an f-string with marks for its places."""
        taken, text = dict(zip(map(id, holes), chosen, strict=True)), ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value).replace("{", "").replace("}", "")
            elif isinstance(part, ast.FormattedValue):
                pick = taken[id(part)]
                text += pick[0] if pick is not None else "{" + _named(part.value) + "}"
        return text

    def _say(self, text: str, plural: str, node: ast.expr, *, words: bool = False) -> None:
        where = f"{self._where}:{node.lineno}"
        for one, many in zip(_numbered(text), _numbered(plural) or [""] * 99, strict=False):
            if is_text(one) or is_text(many) or (words and re.search("[A-Za-z]{2}", re.sub(r"\{\w+\}", "", one))):
                self.found.append(Message(one, where, self._context, many))


def _form_at(chosen: Sequence[Choice | None], place: int) -> str:
    pick = chosen[place]
    return pick[1] if pick else ""


def _numbered(text: str) -> list[str]:
    places = Placeholders()
    return pieces(re.sub(r"\$?\{(\w+)\}", lambda place: places.name(place[1]), re.sub(r"\s+", " ", text)))


def _by_number(test: ast.expr) -> tuple[bool, bool]:
    """Return whether a condition asks if there is one of something, and whether it is true of one."""
    match test:
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=1)]):
            return True, True
        case ast.Compare(ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=1)]):
            return True, False
    return False, False


def _named(node: ast.expr) -> str:
    """Return a name for what an expression puts into a text."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=ast.Name(id="len")):
            return "count"
        case ast.Call(func=ast.Attribute(attr="join"), args=[inner]):
            return _named(inner) if not isinstance(inner, ast.GeneratorExp | ast.ListComp) else "list"
        case ast.Call(func=func):
            return _named(func)
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)):
            return key if key.isidentifier() else _named(value)
        case ast.Subscript(value=value) | ast.Await(value=value):
            return _named(value)
        case ast.BinOp(left=left) if not isinstance(left, ast.Constant):
            return _named(left)
    return "value"
