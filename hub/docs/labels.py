"""The page `labels.md`: every key by which a game's data file says how screens draw it.

`make renew` writes it from the types in `hub/engine/labels.py`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from hub.docs.fields import fields
from hub.engine import labels, options

PAGE = Path(__file__).with_name("labels.md")
INTRODUCTION = """\
# Labels

<!-- Made by `make renew` from hub/engine/labels.py. -->

A game's data file holds the numbers of its rules. In the parts below, it also holds everything that screens, panels, rings
and boxes need to draw the game. Screens know no game: they read these labels. The hub refuses a key that is not listed here,
and names its line and the nearest known key.

- A *path* is a place in a view, written with dots: `table.spots.0.number`.
- A *template* is a sentence with paths in braces. `{cash:cents}` and `{cash:dollars}` write money, `{price:+}` writes a sign,
  and `{needs:some}` writes nothing for 0. A template may have several parts with ` · ` between them: a part whose paths are
  all empty is left out. `hub/display/labels.py` and `phone_ui/static/lib/labels.js` fill templates in the same way.
- A template of `[screen.phase.X]` may also name `{locked}` and `{seated}` (how many of those who are asked have locked), `{players}`,
  and after the end `{winner}` and `{why}`.
- An event whose data has `line = {low, high, at = {seat: number}, turned}` draws a number line.
"""


def page() -> str:
    """Return the page."""
    return INTRODUCTION + "".join(_section(node) for module in (labels, options) for node in _structs(module))


def _structs(module: object) -> Iterator[ast.ClassDef]:
    """Yield the Structs of a module that have fields, the labels as a whole first."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]
    nodes = [node for node in tree.body if isinstance(node, ast.ClassDef) and any(fields(node))]
    yield from sorted(nodes, key=lambda node: node.name != labels.Labels.__name__)


def _section(node: ast.ClassDef) -> str:
    about = " ".join((ast.get_docstring(node) or "").split())
    rows = "".join(_row(field, text) for field, text in fields(node))
    return f"\n## {node.name}\n\n{about}\n\n| key | type | what it says |\n| --- | --- | --- |\n{rows}"


def _row(field: ast.AnnAssign, text: str) -> str:
    """Return the row of a field: its key, its type, and its docstring."""
    renamed = re.search(r"name='(\w+)'", ast.unparse(field.value)) if field.value else None
    key = renamed[1] if renamed else ast.unparse(field.target)
    return f"| `{key}` | `{ast.unparse(field.annotation).replace('|', chr(92) + '|')}` | {text} |\n"
