"""That every locked package has a wheel wherever a hub runs: checked when the lock was made, and here if it was not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.wheels import BUILT, MACHINES, PYTHONS, ROOT, NoNetwork, NotReady, check, is_checked, note_checked

LOCK = (ROOT / "requirements.lock").read_text("utf-8")


@pytest.mark.skipif(is_checked(LOCK), reason="the lock says that it was checked as it is: make lock, make wheels")
@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("python", PYTHONS)
def test_every_locked_package_has_a_wheel(python: str, machine: str) -> None:
    try:
        check(python, machine)
    except NoNetwork as error:
        pytest.skip(f"the package index could not be asked: {error}")


def test_a_lock_that_was_changed_has_to_be_checked_again(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("a==1\n")
    assert not is_checked(lock.read_text())
    note_checked(lock)
    note_checked(lock)
    assert lock.read_text().splitlines()[0] == "a==1"
    assert len(lock.read_text().splitlines()) == 2
    assert is_checked(lock.read_text())
    lock.write_text(lock.read_text().replace("a==1", "a==2"))
    assert not is_checked(lock.read_text())


def test_what_is_there_as_source_only_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in ("pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / file, tmp_path / file)
    monkeypatch.setattr("tests.wheels.BUILT", ())
    monkeypatch.setattr("tests.wheels.GROUPS", ("pi",))
    try:
        with pytest.raises(NotReady, match=rf"Python 3\.13 on aarch64: .*({'|'.join(BUILT)}).* no .*wheels"):
            check("3.13", "aarch64", tmp_path)
    except NoNetwork as error:
        pytest.skip(f"the package index could not be asked: {error}")


def test_without_a_network_nothing_is_said_of_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path))
    with pytest.raises(NoNetwork):
        check("3.13", "aarch64")
