"""Evenings that once broke a promise, in `found/`: each is a regression test from then on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from tests.simulation.people import Intent

FOLDER = Path(__file__).with_name("found")


class Found(NamedTuple):
    """An evening: its seed, its length in minutes, and what people did."""

    seed: int
    minutes: float
    script: list[Intent]


def keep(name: str, seed: int, minutes: float, script: Sequence[Intent], broken: str, folder: Path = FOLDER) -> Path:
    """Write an evening, with the promise that it broke. Return the file."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    evening = {"broke": broken, "seed": seed, "minutes": minutes, "script": [asdict(one) for one in script]}
    path.write_text(json.dumps(evening, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def read(path: Path) -> Found:
    """Read an evening."""
    evening = json.loads(path.read_text("utf-8"))
    return Found(evening["seed"], evening["minutes"], [Intent(**one) for one in evening["script"]])


def evenings() -> list[Path]:
    """Return the files of all evenings."""
    return sorted(FOLDER.glob("*.json"))
