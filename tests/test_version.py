"""Which version plays, from a clone and from a copy."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hub.version import commit_of


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=Ana", "-c", "user.email=ana@example.org", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def test_a_clone_knows_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "one")
    assert commit_of(tmp_path) == git(tmp_path, "rev-parse", "--short", "HEAD")
    inside = tmp_path / "site-packages"
    inside.mkdir()
    assert commit_of(inside) == "", "a package in somebody else's clone is not of its commit"


def test_a_copy_without_git_knows_what_its_installer_noted(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / "COMMIT").write_text("9e8e7b9\n")
    assert commit_of(tmp_path) == "9e8e7b9"
