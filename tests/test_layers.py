"""import-linter (`make check`) guards only the packages that its contracts name: so they name all of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]


def layered(container: str | None) -> set[str]:
    """Return the modules that the layers contract of a package, or the one of the whole project, names."""
    wanted = [container] if container else None
    layers = next(one["layers"] for one in CONTRACTS if one["type"] == "layers" and one.get("containers") == wanted)
    return {module for layer in layers for module in re.split(r" [|:] ", layer)}


def modules(folder: Path) -> set[str]:
    found = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    return found - {"__init__"}


def test_every_package_is_on_a_layer() -> None:
    assert {f"hub.{name}" for name in modules(ROOT / "hub")} | {"drivers", "phone_ui"} == layered(None)


@pytest.mark.parametrize("package", ["hub.engine", "hub.network", "hub.store", "hub.table", "phone_ui"])
def test_every_file_of_a_package_with_layers_is_on_one(package: str) -> None:
    assert modules(ROOT / package.replace(".", "/")) == layered(package)


def test_every_driver_is_on_a_layer() -> None:
    assert modules(ROOT / "drivers") == layered("drivers")


def test_no_file_of_the_table_is_longer_than_what_one_reads_in_one_go() -> None:
    """400 lines: a part that has grown beyond it holds a second part."""
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "hub" / "table").rglob("*.py")}
    assert {name: count for name, count in lines.items() if count > 400} == {}
