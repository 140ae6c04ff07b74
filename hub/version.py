"""Which table-hub this is."""

from __future__ import annotations

import functools
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]


@functools.cache
def version() -> str:
    """Return the version of the installed package and, where it is known, the commit: "0.1.0 (9e8e7b9)"."""
    try:
        number = metadata.version("table-hub")
    except metadata.PackageNotFoundError:  # run from a folder without set-up
        number = "unknown"
    commit = commit_of(ROOT)
    return f"{number} ({commit})" if commit else number


def commit_of(folder: Path) -> str:
    """Return the short name of the commit of a clone, or of the one that an installer noted in its file COMMIT, or ""."""
    noted = folder / "COMMIT"
    if noted.is_file():
        return noted.read_text("utf-8").strip()[:12]
    if not (folder / ".git").exists():  # git itself would look further up, and find somebody else's clone
        return ""
    command = ["git", "-C", str(folder), "rev-parse", "--short", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git here, or the clone is another user's
        return ""
