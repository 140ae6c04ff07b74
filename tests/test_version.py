"""Which version plays, from a clone and from a copy."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hub.version import commit_of, make_for


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


def test_a_clone_with_changed_files_is_told_from_its_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "file").write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    git(tmp_path, "tag", "v9")
    assert commit_of(tmp_path) == commit, "a tag is no commit"
    (tmp_path / "file").write_text("two")
    assert commit_of(tmp_path) == f"{commit}+"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can ask about a clone that is another user's")
def test_root_is_told_the_commit_of_an_owners_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    monkeypatch.delenv("SUDO_UID", raising=False)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "one")
    commit = git(tmp_path, "rev-parse", "--short", "HEAD")
    for path in (tmp_path, *tmp_path.rglob("*")):
        os.chown(path, 1234, 1234)
    assert commit_of(tmp_path) == commit


def test_a_copy_without_git_knows_what_its_installer_noted(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / "COMMIT").write_text("9e8e7b9\n")
    assert commit_of(tmp_path) == "9e8e7b9"


def test_an_installed_hub_gets_its_pins_from_debian() -> None:
    assert make_for("pi", Path("/home/pi/table-hub")) == "make setup EXTRAS=pi"
    assert make_for("pi", Path("/usr/lib/table-hub")) == "sudo apt install python3-lgpio python3-spidev"
