"""Whether the labels of a game name what is there: paths in a view, facts of a seat, kinds of events and their data.

Labels that name something else draw nothing, and nobody notices. Matches are played, and each name must occur in one.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from hub import games
from hub.authoring.house_laws import HELD_BY_PEOPLE, house_plays
from hub.authoring.laws import beginning, steps
from hub.authoring.players import LONGEST, offers
from hub.authoring.time_limit import begin_again
from hub.display.labels import name_places
from hub.engine.event import EVENT_DATA
from hub.engine.labels import Labels, Part, PhaseLabels, ScreenLabels
from hub.engine.match import Match
from hub.errors import RulesBug
from hub.toml_structs import nearest

Tree: TypeAlias = "dict[str, Tree]"
"""The names in records; ANY stands for each number of a list and for each seat."""
ANY = "*"
HOUSE_MATCHES = 2
OF_SCREENS = ("locked", "seated", "players", "winner", "winners", "scores", "why")
"""What a template of a phase may name besides the view."""
DATA_OF = "data of "
OF_CHANGES = ("gain", "loss")
"""What a highlight may name of an event whose data has `from` and `to`."""


class Name(NamedTuple):
    """A name in the labels: where it stands, what it is a name of (a case of `_wrong`), and the name."""

    where: str
    what: str
    name: str


class Seen(NamedTuple):
    """What occurred in matches: the names in views, for each kind of event the names in its data, and the moves offered."""

    view: Tree
    phases: set[str]
    events: dict[str, set[str]]
    marks: set[str]
    moves: set[str]


def all_occur(name: str, matches: int) -> str:
    """Return how many names there are. Raise AssertionError with those that never occur, and the nearest names."""
    names = [*_names(games.find(name).labels)]
    seen, written = _seen(name, matches), _written(name)
    wrong = [found for one in names if (found := _wrong(one, seen, written))]
    unnamed = sorted(seen.moves - games.find(name).labels.moves.keys())
    wrong += [f"matches offer the move {move}, and there is no [moves.{move}]" for move in unnamed]
    assert not wrong, "; ".join(wrong)
    return f"{len(names)} names"


# --- The names in the labels ---------------------------------------------------------------------------


def _names(labels: Labels) -> Iterator[Name]:
    screen = labels.screen
    named: Mapping[str, tuple[str, Collection[str]]] = {
        "token": ("table", [screen.token]),
        "mark": ("seat", [screen.mark]),
        "out": ("seat", [screen.out] if screen.out != ScreenLabels().out else []),
        "ring": ("view" if "." in screen.ring else "seat", [screen.ring]),
        "mine": ("seat", screen.mine or []),
        "result": ("seat", screen.result),
        "headline": ("event", screen.headline),
        "gone": ("event", screen.gone),
        "reveal": ("mark", screen.reveal),
    }
    for key, (what, names) in named.items():
        yield from (Name(f"[screen] {key}", what, one) for one in names if one)
    yield from _paths("[screen]", screen)
    yield from _places("[screen] cell", "seat", screen.cell)
    for phase, about in screen.phase.items():
        yield from _names_of_phase(f"[screen.phase.{phase}]", phase, about)
    for number, one in enumerate(screen.highlights, 1):
        where = f"[[screen.highlights]] number {number}"
        yield Name(f"{where} kind", "event", one.kind)
        data = {"most": "" if one.most in OF_CHANGES else one.most, "by": one.by}
        yield from (Name(f"{where} {key}", f"{DATA_OF}{one.kind}", name) for key, name in data.items() if name)
    parts: Mapping[str, Mapping[str, Part]] = {
        "facts": labels.facts, "parameters": labels.parameters, "moves": labels.moves,
    }  # fmt: skip
    for part, labeled in parts.items():
        for key, label in labeled.items():
            yield from _paths(f"[{part}.{key}]", label)


def _names_of_phase(where: str, phase: str, about: PhaseLabels) -> Iterator[Name]:
    yield Name(where, "phase", phase)
    yield from _paths(where, about)
    yield from _paths(f"{where} versus", about.versus) if about.versus else ()
    yield from _places(f"{where} main", "screen", about.main)
    yield from _places(f"{where} caption", "screen", about.caption)
    yield from (Name(f"{where} mine", "seat", one) for one in about.mine or ())


def _paths(where: str, about: Part) -> Iterator[Name]:
    """Yield the values of the keys whose type is a path of the view."""
    for key, kind in type(about).__annotations__.items():
        if "Path" in kind:
            value: Any = getattr(about, key)
            listed = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
            yield from (Name(f"{where} {key}", "view", path) for path in listed if path)


def _places(where: str, what: str, templates: str | list[str]) -> Iterator[Name]:
    for template in [templates] if isinstance(templates, str) else templates:
        yield from (Name(where, what, place.partition(":")[0]) for place in name_places(template)[1].values())


# --- What occurs ---------------------------------------------------------------------------------------


def _seen(name: str, matches: int) -> Seen:
    found = Seen({}, {*games.find(name).labels.phases}, {}, set(), set())
    for seed in range(matches):
        match, random = beginning(name, seed)
        _look(match, steps(match, random, LONGEST), found)
    for seed in range(HOUSE_MATCHES):
        match, random = beginning(name, seed, HELD_BY_PEOPLE)
        with suppress(RulesBug):  # other checks are about the house player
            _look(match, house_plays(match, random, "steady"), found)
    return found


def _look(match: Match, course: Iterable[object], found: Seen) -> None:
    """Play a match, and add what occurs to `found`."""
    begin_again()
    for _ in chain(course, [None]):  # once more after the end
        _merge(found.view, match.view(match.setup.seats[0]))
        found.phases.add(match.state.phase)
        found.moves.update(move.name for _, move in offers(match))
    for event in match.events:
        found.events.setdefault(event.kind, set()).update(event.data)
        marks = event.data.get("marks")
        found.marks.update(str(one) for one in (marks.values() if isinstance(marks, dict) else ()))


def _merge(tree: Tree, value: object) -> None:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _merge(tree.setdefault(_step(str(key)), {}), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            _merge(tree.setdefault(ANY, {}), inner)


def _step(step: str) -> str:
    return ANY if step.isdecimal() else step


def _written(name: str) -> set[str]:
    """Return the words in the rulebook: an event that is told seldom may occur in no match."""
    folder = games.files_of(name).folder
    assert folder
    nodes = ast.walk(ast.parse((folder / "rulebook.py").read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


# --- What is wrong -------------------------------------------------------------------------------------


def _wrong(one: Name, seen: Seen, written: Collection[str]) -> str:
    """Return the sentence about a name that does not occur; "" if it does."""
    seat = seen.view.get("seats", {}).get(ANY, {})
    match one.what:
        case "view":
            return _wrong_path(one, seen.view)
        case "screen":
            return _wrong_path(one, {**seen.view, "seat": seat, **{name: {} for name in OF_SCREENS}})
        case "table":
            return _wrong_path(one, seen.view.get("table", {}))
        case "seat":
            return _wrong_path(one, {**seat, **seen.view.get("you", {})})
        case "event":
            known: Collection[str] = {*seen.events, *EVENT_DATA}
            return "" if one.name in (*known, *written) else _sentence(one, "no event has the kind", known)
        case "mark":
            return "" if one.name in (*seen.marks, *written) else _sentence(one, "no reveal marks", seen.marks)
        case "phase":
            return "" if one.name in (*seen.phases, *written) else _sentence(one, "no phase is", seen.phases)
    told = seen.events.get(one.what.removeprefix(DATA_OF))
    if told is None or one.name in told:  # the kind was never told
        return ""
    return _sentence(one, "no such event has", told)


def _wrong_path(one: Name, tree: Tree) -> str:
    """Return the sentence about a path that leads nowhere. What was None or empty in all matches may hold anything."""
    steps, place = one.name.split("."), tree
    for at, step in enumerate(steps):
        if not place:
            return ""
        if _step(step) not in place:
            near = nearest(step, place)
            whole = ".".join([*steps[:at], near, *steps[at + 1 :]]) if near else ""
            return _sentence(one, "no view has", [whole] if whole else [])
        place = place[_step(step)]
    return ""


def _sentence(one: Name, what: str, known: Collection[str]) -> str:
    near = nearest(one.name, known)
    return f"{one.where}: {what} {one.name}{f': did you mean {near}?' if near else ''}"
