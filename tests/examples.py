"""Arguments of requests, made from their types: what a type allows, and what it does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import inspect

from hub.network.verbs import OneOf
from hub.state import Plain

Args = dict[str, Any]

OTHERS: tuple[Any, ...] = (None, True, 1, 1.5, "text", ["text"], {"a": 1})
"""A value of each type that JSON has."""
MORE: Mapping[str, list[Args]] = {
    "act": [{"move": "bid", "number": 3, "list": [1, None]}, {"move": "launch", "cards": ["I01", "D01"]}, {"move": "pass"}],
    "start": [{"game": "chess"}, {"game": "bid-and-bait", "options": {"rounds": [1]}}, {"game": "bid-it", "options": {"advanced": True}}],
    "vote": [{"say": "yes"}],
    "offer": [{"game": "bid-and-bait", "preset": ""}],
    "acknowledge": [{"key": "help:2"}],
    "done": [{"key": "help:2"}],
}  # fmt: skip
"""By verb, allowed arguments that mean something at a table and that a type cannot name. A verb may have none."""


def values(kind: inspect.Type) -> tuple[list[Any], list[Any]]:
    """Return values that a type allows, with the ends of its range, and values of the same JSON type that it does not."""
    beyond: list[Any]
    match kind:
        case inspect.BoolType():
            return [True, False], []
        case inspect.IntType(gt=None, ge=least, lt=None, le=most, multiple_of=None):
            beyond = [*([] if least is None else [least - 1]), *([] if most is None else [most + 1])]
            return [one for one in (least, most) if one is not None] or [0, -1, 99], beyond
        case inspect.LiteralType(values=allowed):
            others = ("?", "") if isinstance(allowed[0], str) else (-1, 0)
            return [*allowed], [one for one in others if one not in allowed]
        case inspect.StrType(min_length=least, max_length=most, pattern=None):
            beyond = [*(["x" * (least - 1)] if least else []), *([] if most is None else ["x" * (most + 1)])]
            return ["m-1" if most is None else "x" * most, "x" * (least or 0)], beyond
        case inspect.Metadata(type=inspect.StrType(), extra_json_schema={"examples": [*allowed]}):
            return allowed, [one for one in ("", "?", f"{allowed[0]} ") if one not in allowed]
        case inspect.UnionType(types=types):
            allowed, beyond = ([one for each in types for one in values(each)[at]] for at in (0, 1))
            return allowed, [one for one in dict.fromkeys(beyond) if one not in allowed]
        case inspect.ListType(item_type=item, min_length=least, max_length=most):
            fits, beyond = values(item)
            known = {type(one) for one in fits}
            of_others = [[one] for one in OTHERS if type(one) not in known]
            sizes = [*([[]] if least else []), *([] if most is None else [[fits[0]] * (most + 1)])]
            return [fits[:most], fits[:1] if least else []], [*([one] for one in beyond), *of_others, *sizes]
        case inspect.StructType(cls=form) if issubclass(form, Plain):
            return fitting(form), [args for _, args in malformed(form)]
        case inspect.AnyType():
            return [*OTHERS], []
        case inspect.DictType(value_type=inspect.AnyType()):
            return [{"x": 1}, {}], []
    raise NotImplementedError(f"Name examples of {kind} here.")


def fields(kind: type[Plain]) -> Sequence[inspect.Field]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    return described.fields


def fitting(kind: type[Plain], more: Iterable[Args] = ()) -> list[Args]:
    """Return arguments that a type allows: with all fields, then with each value of each field, then with few fields."""
    each = {field.encode_name: values(field.type)[0] for field in fields(kind)}
    if issubclass(kind, OneOf):
        return [{name: value} for name, allowed in each.items() for value in allowed]
    full = {name: allowed[0] for name, allowed in each.items()}
    fewest = {field.encode_name: full[field.encode_name] for field in fields(kind) if field.required}
    varied = [{**full, name: value} for name, allowed in each.items() for value in allowed[1:]]
    alone = [{**fewest, name: value} for name, value in full.items()]
    made = [full, *varied, *alone, fewest, *more]
    return [one for number, one in enumerate(made) if one not in made[:number]]


def examples(kinds: Mapping[str, type[Plain]]) -> dict[str, list[Args]]:
    """Return allowed arguments of each verb."""
    return {verb: fitting(kind, MORE.get(verb, ())) for verb, kind in kinds.items()}


def malformed(kind: type[Plain]) -> Iterator[tuple[str, Args]]:
    """Yield arguments that a type does not allow, each with a name: unknown, missing, mistyped fields, values beyond bounds."""
    full = fitting(kind)[0]
    others = {} if issubclass(kind, OneOf) else full
    if kind.__struct_config__.forbid_unknown_fields:
        yield "unknown", {**full, "unknown": 1}
    for field in fields(kind):
        fits, beyond = values(field.type)
        if field.required:
            yield f"no-{field.encode_name}", {name: value for name, value in full.items() if name != field.encode_name}
        known = {type(one) for one in fits}  # a truth value is no number
        mistyped = (one for one in OTHERS if type(one) not in known)
        for value in (*beyond, *mistyped):
            yield f"{field.encode_name}-{value}", {**others, field.encode_name: value}
    if issubclass(kind, OneOf):
        yield "none", {}
        yield "several", {field.encode_name: values(field.type)[0][0] for field in fields(kind)}
