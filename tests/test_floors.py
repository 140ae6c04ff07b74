"""The house's walls are drawn for every room: import-linter (`make check`) guards only what it is told of."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def floors() -> list[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return next(contract["layers"] for contract in contracts if contract["type"] == "layers")


def test_every_room_stands_on_a_floor() -> None:
    placed = {room for floor in floors() for room in re.split(r" [|:] ", floor)}
    rooms = {f"hub.{path.stem}" for path in (ROOT / "hub").iterdir() if path.suffix == ".py" or is_package(path)}
    assert rooms - {"hub.__init__"} <= placed
    assert {"drivers", "phone_ui"} <= placed


def is_package(path: Path) -> bool:
    return (path / "__init__.py").exists()
