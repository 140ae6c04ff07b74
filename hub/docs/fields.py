"""The docstrings beside the fields of a Struct, which Python itself does not keep."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache

import msgspec


def fields(node: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, str]]:
    """Yield each field of a class with the docstring after it, or ""."""
    for field, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            yield field, str(text)


@cache
def field_docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """Return the docstrings of a Struct's fields, inherited ones included, on one line each, by the name in JSON."""
    docs: dict[str, str] = {}
    for kind in reversed(struct.__mro__):
        if issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct:
            (node,) = ast.parse(inspect.getsource(kind)).body
            assert isinstance(node, ast.ClassDef)
            docs |= {ast.unparse(field.target): " ".join(text.split()) for field, text in fields(node) if text}
    return {one.encode_name: docs[one.name] for one in msgspec.structs.fields(struct) if one.name in docs}
