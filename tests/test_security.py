"""SECURITY.md says nothing that a test does not hold it to: each statement names tests that are there, each limit its constant."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from hub.app import Hub
from hub.authoring.laws import LAWS
from hub.config import Config, HubPart

ROOT = Path(__file__).parents[1]
SECURITY = (ROOT / "SECURITY.md").read_text("utf-8")
HELD = ("What is protected", "The staff PIN", "What is not protected", "What is kept, and how to wipe it")


def sections() -> dict[str, str]:
    """Return the text of each section, by its heading."""
    parts = re.split(r"^## (.+)$", SECURITY.split("\n[^", 1)[0], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def statements(text: str) -> list[str]:
    """Return the rows of tables, the points of lists and the paragraphs of a section."""
    blocks = [block for part in text.split("\n\n") for block in re.split(r"\n(?=- |\| )", part.strip())]
    return [" ".join(one.split()) for one in blocks if one.strip() and not re.match(r"\| (against|---)", one)]


def notes() -> dict[str, list[str]]:
    """Return the tests that each note names."""
    found = re.findall(r"^\[\^(\w+)\]: (.+(?:\n    .+)*)", SECURITY, re.MULTILINE)
    return {name: re.findall(r"`([^`]+)`", text) for name, text in found}


@cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("statement", [one for name in HELD for one in statements(sections()[name])])
def test_a_statement_names_what_holds_it(statement: str) -> None:
    used = re.findall(r"\[\^(\w+)\]", statement)
    assert used, "no test holds this"
    assert set(used) <= set(notes())


@pytest.mark.parametrize("named", sorted({test for tests in notes().values() for test in tests}))
def test_a_test_that_is_named_is_there(named: str) -> None:
    path, _, name = named.partition("::")
    assert name.startswith("test_") or name in [law.__name__ for law in LAWS]
    assert name in functions_of(path)


def test_no_two_notes_have_one_name() -> None:
    labels = re.findall(r"^\[\^(\w+)\]:", SECURITY, re.MULTILINE)
    assert len(labels) == len(set(labels))


def test_every_note_is_used_and_names_a_test() -> None:
    used = set(re.findall(r"\[\^(\w+)\](?!:)", SECURITY))
    assert used == set(notes())
    assert all(notes().values())
    assert len(used) > 25


def limits() -> list[tuple[str, str]]:
    """Return value and place of each row of the table of limits."""
    return re.findall(r"^\| [^|]+ \| (\d+)[^|]* \| `([^`]+)` \|$", sections()["Limits"], re.MULTILINE)


@pytest.mark.parametrize(("value", "where"), limits())
def test_a_limit_is_the_constant_of_the_code(value: str, where: str) -> None:
    path, _, name = where.partition(": ")
    first, _, field = name.partition(".")
    found = getattr(import_module(path.removesuffix(".py").replace("/", ".")), first)
    assert (getattr(found(), field) if field else found) == int(value)


def test_every_row_of_the_limits_is_compared() -> None:
    assert len(limits()) == sections()["Limits"].count("\n| ") - 2


# --- what no other test holds ------------------------------------------------------------------------------


@pytest.mark.real_chance
@pytest.mark.real_time
def test_what_the_hub_tells_everybody_of_itself_is_no_match(tmp_path: Path) -> None:
    with Hub(Config(hub=HubPart(state=str(tmp_path)))) as hub:
        status = json.loads(json.dumps(hub.status()))
    assert set(status) == {"v", "version", "hub", "url", "tables"}
    assert set(status["tables"]["1"]) == {"devices", "boxes", "dice", "broker", "stopped", "fault", "silent", "screens"}


def test_every_package_is_locked_by_its_hash() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    locked = re.findall(r"^([a-z0-9][\w.-]*)(\S*) (?:;[^\\\n]*)?\\\n((?:    --hash=.*\n)+)", lock, re.MULTILINE)
    assert len(locked) == len(re.findall(r"^[a-z0-9]", lock, re.MULTILINE)) > 40
    assert all(version.startswith("==") and "--hash=sha256:" in hashes for _, version, hashes in locked)
    packages = json.loads((ROOT / "phone_ui" / "package-lock.json").read_text("utf-8"))["packages"]
    assert all(one["integrity"].startswith("sha512-") for path, one in packages.items() if path and not one.get("link"))
