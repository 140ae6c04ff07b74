"""What the documents say of the code is there: paths, links, functions, layers, and the drawings of state machines."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hub.table.dice.dispute import STAGES
from hub.table.dice.roll_states import TRANSITIONS

ROOT = Path(__file__).parents[1]
NOT_OURS = {"node_modules", ".venv", "build", "dist"}
TOP = [
    folder.name
    for folder in ROOT.iterdir()
    if folder.is_dir() and folder.name[0] not in "._" and folder.name not in NOT_OURS
]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(
        part in NOT_OURS or part.startswith(".") for part in path.relative_to(ROOT).parts
    )  # such as pytest's cache
)
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
NAMES_IN_FILE = re.compile(r"`([\w./]+\.(?:py|js)): ([\w., ]+)`")
ENDINGS = ("py", "js", "md", "toml", "css", "html", "svg", "json", "lock", "sh", "service")


def code_spans(text: str) -> list[str]:
    """Return what stands between single backticks, outside of fenced blocks; a span may go over a line's end."""
    outside = "".join(re.split(r"^```.*?^```$", text, flags=re.MULTILINE | re.DOTALL))
    return [" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", outside)]


def named_functions() -> list[tuple[str, str]]:
    """Return each `path: Class.method, ...` of ARCHITECTURE.md as path and name."""
    spans = [NAMES_IN_FILE.fullmatch(f"`{span}`") for span in code_spans(ARCHITECTURE)]
    return [(found[1], name) for found in spans if found for name in found[2].split(", ")]


@cache
def python_names(path: Path) -> frozenset[str]:
    """Return every class, function, method and constant that a Python file defines, methods after their class."""
    names: set[str] = set()

    def collect(body: list[ast.stmt], before: str) -> None:
        for node in body:
            match node:
                case ast.ClassDef(name=name, body=inside):
                    names.add(before + name)
                    collect(inside, f"{before}{name}.")
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    names.add(before + name)
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    names.add(before + name)

    collect(ast.parse(path.read_text("utf-8")).body, "")
    return frozenset(names)


@cache
def javascript_names(path: Path) -> frozenset[str]:
    """Return every class, method and function of the outermost level that a formatted JavaScript file defines."""
    names, owner = set(), ""
    for line in path.read_text("utf-8").splitlines():
        if found := re.match(r"(?:export )?class (\w+)", line):
            owner = found[1]
            names.add(owner)
        elif found := re.match(r"(?:export )?(?:async )?function (\w+)", line):
            names.add(found[1])
        elif owner and (found := re.match(r"  (?:async )?(\w+)\(.*\) \{$", line)):
            names.add(f"{owner}.{found[1]}")
    return frozenset(names)


@pytest.mark.parametrize(("path", "name"), named_functions())
def test_a_function_that_the_architecture_names_is_in_that_file(path: str, name: str) -> None:
    file = ROOT / path
    names = python_names(file) if file.suffix == ".py" else javascript_names(file)
    assert name in names, f"{path} defines no {name}"


def test_the_architecture_follows_both_ways_by_name() -> None:
    named = named_functions()
    assert len(named) > 40
    folders = {path.split("/")[0] for path, _ in named}
    assert folders == {"firmware", "drivers", "hub", "phone_ui"}


def links(text: str) -> Iterator[str]:
    """Yield where the relative links of a document lead, without the part behind #."""
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target):
            yield target.split("#")[0]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    dead = [target for target in links(document.read_text("utf-8")) if not (document.parent / target).exists()]
    assert dead == []


def is_there(span: str, folder: Path) -> bool:
    """Return whether a path that a document in `folder` names is there: from the top, from there, or below there.

    A `<name>` or `*` stands for any name.
    """
    pattern = re.sub(r"(<[^>]+>|\*)+", "*", span).rstrip("/")
    below = () if "/" in pattern else folder.rglob(pattern)
    return any(ROOT.glob(pattern)) or any(folder.glob(pattern)) or any(below)


def paths(document: Path) -> Iterator[str]:
    """Yield what a document names as files and folders of this repository."""
    tops = {*TOP, *(found.name for found in document.parent.iterdir() if found.is_dir())} - NOT_OURS
    for span in code_spans(document.read_text("utf-8")):
        path = span.split(": ")[0]
        if not re.fullmatch(r"[\w./<>*-]+", path) or path.startswith((".", "/")):
            continue
        first = path.split("/")[0]
        if (first in tops and "/" in path) or re.fullmatch(rf"[\w<>*-]+\.({'|'.join(ENDINGS)})", path):
            yield path


def dotted(document: Path) -> Iterator[str]:
    """Yield what a document names as modules: `hub.table.loop`, or something in one."""
    for span in code_spans(document.read_text("utf-8")):
        if re.fullmatch(r"(?:hub|drivers|phone_ui|firmware|tests)(?:\.\w+)+", span):
            yield span


# What documents name as files and this repository rightly does not have.
ELSEWHERE = {
    "config.txt": "the Pi's own",
    "my-cards.toml": "an owner's",
    "table-hub.toml": "an owner's",
    "peers/node_modules": "made by set-up",
    "peers/.venv": "made by the measurements",
    "phone_ui/node_modules": "made by set-up",
    "phone_ui/vendor/licenses": "in a wheel",
    "pylock.toml": "decided against",
    "uv.lock": "decided against",
}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_in_backticks_is_there(document: Path) -> None:
    named = {path for path in paths(document) if path not in ELSEWHERE}
    assert sorted(path for path in named if not is_there(path, document.parent)) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_in_backticks_is_there(document: Path) -> None:
    missing = []
    for name in dotted(document):
        path, parent = ROOT.joinpath(*name.split(".")), ROOT.joinpath(*name.split(".")[:-1])
        last = name.split(".")[-1]
        files = [file for file in (parent.with_suffix(".py"), parent / "__init__.py") if file.exists()]
        if not (path.is_dir() or path.with_suffix(".py").exists() or any(last in python_names(file) for file in files)):
            missing.append(name)
    assert missing == []


def test_the_search_for_paths_finds_a_path_that_is_not_there(tmp_path: Path) -> None:
    document = tmp_path / "X.md"
    document.write_text(
        "`hub/garden.py` `hub.table.house` `hub/table/loop.py: Table.put` `house.py` `x = 1` `/etc/x.toml`"
    )
    assert list(paths(document)) == ["hub/garden.py", "hub/table/loop.py", "house.py"]
    assert [is_there(path, tmp_path) for path in paths(document)] == [False, True, False]
    assert list(dotted(document)) == ["hub.table.house"]


def test_the_layers_are_drawn_as_they_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    whole = next(one["layers"] for one in contracts if one.get("layers", [""])[0] == "hub.start")
    table = next(one["layers"] for one in contracts if one.get("containers") == ["hub.table"])
    store = next(one["layers"] for one in contracts if one.get("containers") == ["hub.store"])
    for layers in (whole, table, store):
        assert "\n```\n" + "\n".join(layers) + "\n```\n" in ARCHITECTURE
    (chart,) = re.findall(r"^flowchart TD\n(.*?)^```$", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    for package in " | ".join(whole).split(" | "):
        assert re.search(rf"\b{re.escape(package)}\b", chart), f"{package} is not in the drawing"


Edges = set[tuple[str, str, str]]


def drawn_states(first: str) -> Edges:
    """Return the arrows of the state diagram that begins in the state `first`: from, step, to."""
    diagrams = re.findall(r"^stateDiagram-v2\n(.*?)^```$", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    (diagram,) = (one for one in diagrams if f"[*] --> {first}\n" in one)
    several = {
        alias: re.split(r", ", states) for states, alias in re.findall(r'state "each of ([\w, ]+)" as (\w+)', diagram)
    }
    edges: Edges = set()
    for before, after, steps in re.findall(r"^  (\S+) --> (\S+): (.+)$", diagram, re.MULTILINE):
        edges |= {(state, step, after) for state in several.get(before, [before]) for step in steps.split(", ")}
    return edges


def in_code(table: Mapping[Any, Mapping[Any, str | None]]) -> Edges:
    """Return the transitions of a table in the same form; what leads nowhere ends."""
    return {(before, step, after or "[*]") for before, steps in table.items() for step, after in steps.items()}


def test_the_states_of_a_roll_are_drawn_as_they_are() -> None:
    assert drawn_states("armed") == in_code(TRANSITIONS)


def test_the_stages_of_a_dispute_are_drawn_as_they_are() -> None:
    assert drawn_states("open") == in_code(STAGES)
