"""Earlier hubs, as the project's own history has them: what they write is what a later one must read."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def earlier_hub(commit: str, to: Path, *more: str) -> Path:
    """Write the packages of the hub of a commit, and `more` folders, into a folder, and return that.

    They want it as their `PYTHONPATH`.
    """
    command = ["git", "-C", str(ROOT), "archive", commit, "hub", "drivers", "phone_ui", *more]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"there is no history here, so no hub of {commit}")
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
        archive.extractall(to, filter="data")
    return to
