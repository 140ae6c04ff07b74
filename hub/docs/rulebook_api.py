"""The page `rulebook_api.md`: what a rulebook, a house player and a scenario may use.

`make renew` writes it from the docstrings.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

from hub.authoring import scenarios
from hub.docs.fields import fields
from hub.engine import cups, decision, event, game, odds, secret, sight, text

PAGE = Path(__file__).with_name("rulebook_api.md")
INTRODUCTION = """\
# What a rulebook calls

<!-- Made by `make renew` from the docstrings of hub/engine and hub/authoring/scenarios.py. -->

What a rulebook and a house player use of table-hub. [How to add a game](../games/README.md) says what to do with it. `s` is
the state of the match. `Strength` of `hub.engine.sight` is "easy", "steady" or "sharp".
"""
EVENTS = "Events and the end"
KINDS = """
### Kinds of events

These kinds have a meaning for table-hub. All other kinds are a game's own: labels and lessons name them (`headline`, `gone`
and `highlights` of `[screen]`, `[pitch]`, `event` of a lesson). Of any kind, screens read the data of `reckoned`, and
`line` ([Labels](labels.md)).
"""
PARTS: Mapping[str, tuple[str, Sequence[Any]]] = {
    "Questions": ("hub.engine.decision", (decision.ask, decision.ask_all, decision.roll, decision.roll_or, decision.shuffle, decision.pick, decision.starter)),
    "Dice that nobody else sees": ("hub.engine.cups", (cups.roll_hidden, cups.with_cups)),
    "Moves and answers": ("hub.engine.decision", (decision.offer, decision.Fixed, decision.OneOf, decision.Amount, decision.Choose, decision.Order, decision.Faces, decision.Move, decision.Answer, decision.Action)),
    EVENTS: ("hub.engine.decision", (decision.tell, decision.reckoned, decision.Won)),
    "The state": ("hub.engine.event", (event.Setup, event.Course, event.State, event.clockwise)),
    "Secrets": ("hub.engine.secret", (secret.Secret, secret.Pile)),
    "Refusals": ("hub.engine.game", (game.Refusal,)),
    "Sentences": ("hub.engine.text", (text.say, text.say_count, text.message, text.money, text.listed, text.seats_words, text.clause, text.Text, text.Listing)),
    "What a roll needs": ("hub.engine.odds", (odds.AtLeast, odds.AtMost, odds.Beats, odds.odds_text)),
    "House players": ("hub.engine.sight", (sight.Sight, sight.Randomness, sight.best, odds.reach, odds.beat)),
}  # fmt: skip
"""The parts of the page: a heading, the module to import from, and what is described."""


def page() -> str:
    """Return the page."""
    parts = []
    for heading, (module, members) in PARTS.items():
        parts += [_part(heading, module, members), *([_kinds()] if heading == EVENTS else [])]
    language = (inspect.getdoc(scenarios) or "").partition("\n\n")[2]
    return INTRODUCTION + "".join(parts) + f"\n## Scenarios\n\n{language}\n"


def _part(heading: str, module: str, members: Sequence[Any]) -> str:
    described = "".join(_described(one) for one in members)
    return f"\n## {heading}\n\nFrom `{module}`.\n{described}"


def _kinds() -> str:
    """Return the kinds of events that table-hub itself reads, and their data."""
    described = (
        f"\n#### {kind}\n\n{inspect.getdoc(data)}\n\n" + "".join(_keys(data)) for kind, data in event.EVENT_DATA.items()
    )
    return KINDS + "".join(described)


def _keys(data: type) -> Iterator[str]:
    tree = _parsed(data)
    assert isinstance(tree, ast.ClassDef)
    for field, about in fields(tree):
        kind = ast.unparse(field.annotation)
        optional = ""
        if kind.startswith("NotRequired["):
            kind, optional = kind.removeprefix("NotRequired[").removesuffix("]"), ", optional"
        yield f"- `{ast.unparse(field.target)}` (`{kind}`{optional}): {about}\n"


def _described(member: Any) -> str:
    about = inspect.getdoc(member) or ""
    if inspect.isclass(member):
        return f"\n### {member.__name__}\n\n{about}\n" + "".join(_signatures(member))
    function = _parsed(member)
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return f"\n### {member.__name__}\n\n    {_signature(function)}\n\n{about}\n"


def _signatures(kind: type) -> Iterator[str]:
    """Yield how a class is made, and its public functions."""
    tree = _parsed(kind)
    assert isinstance(tree, ast.ClassDef)
    fields = [ast.unparse(one) for one in tree.body if isinstance(one, ast.AnnAssign)]
    if fields:
        yield f"\n    {kind.__name__}({', '.join(fields)})\n"
    for one in tree.body:
        if isinstance(one, ast.FunctionDef) and one.name == "__init__":
            yield f"\n    {_signature(one, kind.__name__)}\n"
        elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            is_property = any(ast.unparse(mark) == "property" for mark in one.decorator_list)
            about = " ".join((ast.get_docstring(one) or "").split())
            yield f"\n- `{one.name if is_property else _signature(one)}`: {about}"
    yield "\n"


def _signature(function: ast.FunctionDef | ast.AsyncFunctionDef, called: str = "") -> str:
    """Return how a function is called, with the types as they are written in the source."""
    parameters = ast.unparse(function.args).removeprefix("self, ").removeprefix("self")
    returns = ast.unparse(function.returns) if function.returns and not called else "None"
    wait = "await " if isinstance(function, ast.AsyncFunctionDef) else ""
    return f"{wait}{called or function.name}({parameters}){'' if returns == 'None' else f' -> {returns}'}"


def _parsed(member: Any) -> ast.stmt:
    return ast.parse(dedent(inspect.getsource(member))).body[0]
