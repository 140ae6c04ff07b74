"""What the source of a rulebook or a house player must not contain: the files are read, not run."""

from __future__ import annotations

import ast

WORDS = {"open", "print", "input", "hash", "id", "eval", "exec", "globals", "locals", "setattr", "delattr", "vars"}
MODULES = {
    "asyncio", "datetime", "io", "logging", "os", "pathlib", "random", "secrets", "socket", "subprocess", "sys", "threading",
    "time", "uuid",
}  # fmt: skip
HOUSE_MODULES = {
    "__future__", "typing", "collections", "collections.abc", "dataclasses", "functools", "itertools", "math", "statistics",
    "bisect", "hub.engine.decision", "hub.engine.sight", "hub.engine.event", "hub.engine.odds", "hub.engine.text",
}  # fmt: skip
"""What a house player may import: it is handed all it knows."""


def troubles(source: str) -> list[str]:
    """Return what a rulebook must not contain, each with its line."""
    tree, found = ast.parse(source), []

    def trouble(node: ast.AST, what: str) -> None:
        found.append(f"line {getattr(node, 'lineno', 0)}: {what}")

    named = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_set(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in WORDS:
                trouble(node, name)
            case ast.Global() | ast.Nonlocal():
                trouble(node, type(node).__name__.lower())
            case ast.Import(names=names):
                for alias in names:
                    if not allowed(alias.name):
                        trouble(node, alias.name)
            case ast.ImportFrom(module=module) if not allowed(module or ""):
                trouble(node, module or ".")
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated) if is_set(iterated, named):
                trouble(iterated, "set order")
            case ast.Call(func=ast.Name(id="list" | "tuple" | "enumerate" | "zip" | "iter" | "next"), args=[given, *_]):
                if is_set(given, named):
                    trouble(node, "set order")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                if any(is_mutable(default) for default in (*node.args.defaults, *node.args.kw_defaults) if default):
                    trouble(node, "mutable default")
    for statement in tree.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name), *_], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                if value and is_mutable(value):
                    trouble(statement, f"{name} can be changed")
    return found


def allowed(module: str) -> bool:
    """Return whether a rulebook may import a module."""
    own = ("hub.engine", "hub.errors")
    return (
        module.startswith(own)
        if module.split(".", maxsplit=1)[0] == "hub"
        else module.split(".", maxsplit=1)[0] not in MODULES
    )


def is_set(node: ast.AST, named: set[str]) -> bool:
    """Return whether something is a set, whose order nobody promises."""
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Name(id=name):
            return name in named
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
            return any(is_set(side, named) or is_keys(side) for side in (left, right))
    return False


def is_keys(node: ast.AST) -> bool:
    """Return whether something is the keys of a dictionary: two of them together are a set."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "keys"


def is_mutable(node: ast.AST) -> bool:
    """Return whether something can be changed."""
    match node:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="list" | "dict" | "set" | "defaultdict" | "deque" | "Counter" | "count")):
            return True
    return False


def house_imports(source: str) -> set[str]:
    """Return what a house player imports beyond `HOUSE_MODULES`."""
    tree = ast.parse(source)
    imports = {node.module or "." for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imports |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return imports - HOUSE_MODULES
