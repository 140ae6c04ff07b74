"""What the pages of hub/docs say of configuration, licences, checks and games is what the code and the lock files say."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from PIL import Image

from hub import games, toml
from hub.config import Config
from hub.devices import built_in_drivers
from hub.docs import configuration, games_pages, labels, licences, rulebook_api
from hub.operations.doctor import checks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "hub" / "docs"
EXAMPLE_GAMES = sorted(
    path for name in ("rulebook", "house") for path in (DOCS / "examples" / "games").rglob(f"{name}.py")
)


def text(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def headings(page: str, level: int) -> list[str]:
    return re.findall(rf"^{'#' * level} (.+)$", page, re.MULTILINE)


# --- configuration ---


def test_the_configuration_page_is_what_the_types_say() -> None:
    renew = "make renew"
    assert text("configuration.md") == configuration.page(), f"the page is old: `{renew}`"


def test_the_page_of_labels_is_what_the_types_say() -> None:
    assert text("labels.md") == labels.page(), "the page is old: `make renew`"


def test_the_page_of_what_a_rulebook_calls_is_what_the_docstrings_say() -> None:
    assert text("rulebook_api.md") == rulebook_api.page(), "the page is old: `make renew`"


@pytest.mark.parametrize("path", EXAMPLE_GAMES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_an_example_imports_of_the_engine_is_on_the_page(path: Path) -> None:
    imports = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    used = {one.name for node in imports if (node.module or "").startswith("hub.engine") for one in node.names}
    assert used
    assert used <= {*headings(text("rulebook_api.md"), 3), "Strength"}


def test_every_label_says_what_it_is_for() -> None:
    empty = [row for row in text("labels.md").splitlines() if row.startswith("| `") and row.endswith("|  |")]
    assert not empty


def forms() -> Iterator[type[msgspec.Struct]]:
    """Yield every Struct that an owner writes, the drivers' and those inside of others among them."""
    waiting: list[type[msgspec.Struct]] = [Config]
    waiting += [import_module(f"drivers.{name}").Settings for name in built_in_drivers()]
    while waiting:
        form = waiting.pop()
        yield form
        waiting += [key.form for key in toml.keys(form) if key.form]


def test_every_key_says_what_it_is_for() -> None:
    silent = [(form.__module__, key.name) for form in forms() for key in toml.keys(form) if not (key.about or key.form)]
    assert silent == [("hub.config", "settings")]  # of a driver: its own keys stand in their place


def test_units_and_defaults_are_on_the_page() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|(.*)$", text("configuration.md"), re.MULTILINE))
    assert rows["milliamps"].endswith("| a whole number from 100 to 20000 (mA) | `1500` |")
    assert rows["dial"].endswith("(GPIO number) | `[5, 6]` |")
    assert rows["driver"].endswith(f"| {configuration.REQUIRED} |")
    assert rows["ports"].endswith(f"| {configuration.LEFT_OUT} |")


# --- licences ---


def lock() -> dict[str, list[str]]:
    return licences.locked((ROOT / "requirements.lock").read_text("utf-8"))


def rows_of(part: str) -> dict[str, str]:
    """Return the rows under a heading of the licences' page, by what stands in their first cell."""
    (section,) = re.findall(rf"^## {part}\n(.*?)(?=^## |\Z)", text("licences.md"), re.MULTILINE | re.DOTALL)
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return {re.sub(r"\[([^\]]+)\]\(.*", r"\1", row[2:].split(" | ")[0]): row for row in rows}


def test_every_python_package_of_a_hub_has_its_licence_and_locked_version_on_the_page() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shipped, rows = licences.shipped(pyproject, lock()), rows_of("Python packages")
    assert {"flask", "werkzeug", "spidev", "lgpio", "numpy", "pycparser", "uv"} <= {*shipped}
    assert {*rows} >= {*shipped}, "the page is old: `make renew`"
    for name in rows:
        assert f"| {', '.join(lock()[name])} |" in rows[name], f"{name} is locked in another version"
        assert re.search(r"\| [A-Z0-9][\w.-]+(?: (?:AND|OR) [\w.-]+)* \| [^|]*\|$", rows[name]), (
            f"no licence: {rows[name]}"
        )


def test_a_licence_on_the_page_is_what_the_package_says() -> None:
    rows = rows_of("Python packages")
    # spidev and, on a newer Python, lgpio are built on a Pi only
    here = {name: found for name in rows if (found := licences.distribution(name))}
    assert {*rows} - {*here} <= {"spidev", "lgpio"}
    told = {name: licences.licence(name, found.metadata) for name, found in here.items()}
    assert [name for name in here if f"| {told[name]} |" not in rows[name]] == []


def test_every_package_of_the_pages_has_its_licence_on_the_page() -> None:
    npm = licences.npm_packages(json.loads((ROOT / "phone_ui" / "package-lock.json").read_text("utf-8")))
    rows = rows_of("In the pages")
    assert {*rows} == {*npm}
    for name, package in npm.items():
        assert rows[name].startswith(f"| {name} | {package['version']} | {package['license']} |")


def test_what_metadata_tells_by_itself_is_not_told_again() -> None:
    known = {name: found for name in licences.READ if (found := licences.distribution(name))}
    assert len(known) > 5
    assert [name for name, found in known.items() if licences.header(found.metadata, "License-Expression")] == []


# --- the doctor's checks ---


def checked() -> set[str]:
    """Return the names under which the doctor reports, from the source: not every one is reported on this machine."""
    trees = [ast.parse(file.read_text("utf-8")) for file in Path(checks.__file__).parent.glob("*.py")]
    found = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        match node:
            case ast.Call(func=ast.Name(id="Finding"), args=[ast.Constant(value=str(name)), *_]):
                found.add(name)
    return found


def test_every_check_of_the_doctor_has_its_paragraph() -> None:
    page = text("troubleshooting.md")
    assert len(checked()) >= len(checks.ALL)
    assert sorted(headings(page, 3)) == sorted(checked())
    for name, paragraph in re.findall(r"^### (\w+)\n\n(.*?)(?=\n#|\Z)", page, re.MULTILINE | re.DOTALL):
        assert len(paragraph.split()) > 10, f"{name} is not explained"


# --- games ---


@pytest.mark.parametrize("name", games.names())
def test_the_page_of_a_game_says_what_its_data_say(name: str) -> None:
    game, page = games.find(name), text(f"games/{name}.md")
    least, most = game.seats
    assert headings(page, 1) == [game.title]
    assert f"**{least} to {most} players, about {game.labels.minutes} minutes.**" in " ".join(page.split())
    assert page == games_pages.game_page(game, page), "the page is old: `make renew`"
    assert all(f"\n| `{name}` | " in page for name in game.options)
    overview = next(line for line in text("games.md").splitlines() if f"(games/{name}.md)" in line)
    assert overview.startswith(f"| [{game.title}]")
    assert overview.endswith(f"| {least} to {most} | about {game.labels.minutes} |")


def test_the_tables_of_the_games_are_what_the_data_files_say() -> None:
    assert text("games.md") == games_pages.page(text("games.md")), "the page is old: `make renew`"


def test_the_rights_of_every_game_are_named() -> None:
    assert text("licences.md").startswith(licences.introduction()), "the page is old: `make renew`"
    for name in games.names():
        game = games.find(name)
        owner = game.data["page"]["owner"]
        said = f"{owner} for {game.title}" if owner else f"In the public domain, and played without a box: {game.title}"
        assert said in " ".join(licences.introduction().split())


def test_a_page_without_its_markers_is_told() -> None:
    with pytest.raises(SystemExit, match="has 0 tables"):
        games_pages.page("# The games")


# --- the first page ---


def test_the_readme_is_one_screen_with_a_picture_that_moves() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 60
    (alt, picture) = re.findall(r"!\[([^\]]+)\]\(([^)]+)\)", readme)[0]
    assert len(alt.split()) > 10
    with Image.open(ROOT / picture) as film:
        assert getattr(film, "n_frames", 1) > 10
    assert (ROOT / picture).stat().st_size < 500_000
