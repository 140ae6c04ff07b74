"""Which table-hub this is."""

from __future__ import annotations

import functools
import subprocess
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMIT_FILE = "COMMIT"  # at the root of a release, which has no .git


@functools.cache
def version() -> str:
    """Return the version of the installed package and, where it is known, the commit: "0.1.0 (9e8e7b9)"."""
    try:
        number = metadata.version("table-hub")
    except metadata.PackageNotFoundError:  # run from a folder without set-up
        number = "unknown"
    commit = commit_of(ROOT)
    return f"{number} ({commit})" if commit else number


def make_for(extras: str, root: Path = ROOT) -> str:
    """Return the command that adds extras to this table-hub: in a clone, or to the Debian package, which lacks the pins only."""
    installed = root == Path("/usr/lib/table-hub")
    return "sudo apt install python3-lgpio python3-spidev" if installed else f"make setup EXTRAS={extras}"


def commit_of(folder: Path) -> str:
    """Return the short name of the commit of a clone, or of the one that an installer noted in its file COMMIT, or "".

    A + behind it says that files of the clone differ from the commit.
    """
    noted = folder / COMMIT_FILE
    if noted.is_file():
        return noted.read_text("utf-8").strip()[:20]
    if not (folder / ".git").exists():  # git itself would look further up, and find somebody else's clone
        return ""
    # The installer asks as root about a clone of the owner's, which git refuses unless it is told.
    command = ["git", "-c", f"safe.directory={folder}", "-C", str(folder)]
    command += ["describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):  # no git here
        return ""
