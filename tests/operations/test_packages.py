"""The wheel and the source package: whole, or not built at all. Built by the real setuptools from a copy of the clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from hub.errors import HubError
from hub.network.encryption import HubKey
from phone_ui.pages import make_app
from phone_ui.vendored import SOURCES, LibrariesMissing, pack

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "phone_ui" / "node_modules"
LICENSED = ("htm", "lean-qr", "mqtt", "tweetnacl")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the clone, with those of npm's packages that the pages load."""
    copy = tmp_path_factory.mktemp("clone") / "table hub"
    left = shutil.ignore_patterns(".git", ".venv", "node_modules", "build", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=left, symlinks=True)
    for name in LICENSED:
        shutil.copytree(MODULES / name, copy / "phone_ui" / "node_modules" / name)
    return copy


def build(what: str, clone: Path, into: Path) -> subprocess.CompletedProcess[str]:
    """Run the build backend in a process of its own, as pip does."""
    backend = f"from setuptools import build_meta; build_meta.build_{what}(r'{into}')"
    return subprocess.run(
        [sys.executable, "-c", backend], cwd=clone, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("wheel")
    built = build("wheel", clone, into)
    assert built.returncode == 0, built.stderr
    return next(into.glob("*.whl"))


@pytest.fixture(scope="module")
def source(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source package, unpacked."""
    into = tmp_path_factory.mktemp("source")
    built = build("sdist", clone, into)
    assert built.returncode == 0, built.stderr
    # Not tarfile: Debian 12's Python 3.11.2 knows no filter yet, and later ones want one.
    subprocess.run(["tar", "-C", str(into), "-xzf", str(next(into.glob("*.tar.gz")))], check=True)
    return next(folder for folder in into.iterdir() if folder.is_dir())


@pytest.mark.slow
def test_the_wheel_carries_the_pages_libraries_with_their_licences(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        for name, origin in SOURCES.items():
            assert packed.read(f"phone_ui/vendor/{name}") == (MODULES / origin).read_bytes()
        for name in (*LICENSED, "preact"):
            assert packed.read(f"phone_ui/vendor/licenses/{name}.txt")
        assert [name for name in packed.namelist() if name.startswith("hub/docs")] == []  # pages are no part of a hub


@pytest.mark.slow
def test_a_hub_from_the_wheel_serves_its_pages_libraries(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    process = subprocess.Popen(
        [sys.executable, "-m", "hub", "demo", "--port", "0", "--state", str(tmp_path / "state")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        page = next(word for line in process.stdout for word in line.split() if word.endswith("/bench"))
        hub = page.removesuffix("/t/1/bench")
        for name, origin in SOURCES.items():
            with urllib.request.urlopen(f"{hub}/vendor/{name}", timeout=10) as answer:
                assert answer.read() == (MODULES / origin).read_bytes()
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_a_clone_without_the_libraries_builds_no_wheel(clone: Path, tmp_path: Path) -> None:
    (clone / "phone_ui" / "node_modules").rename(tmp_path / "kept")
    try:
        built = build("wheel", clone, tmp_path)
    finally:
        (tmp_path / "kept").rename(clone / "phone_ui" / "node_modules")
    assert built.returncode != 0
    assert "run `make setup` first" in built.stderr
    assert not [*tmp_path.glob("*.whl")]
    with pytest.raises(LibrariesMissing, match=r"htm-preact\.js, mqtt\.js, nacl\.js, qr\.js not found in "):
        pack(tmp_path, tmp_path / "vendor")


@pytest.mark.slow
def test_the_source_package_is_a_whole_clone_and_a_wheel_is_built_from_it_without_npm(
    source: Path, tmp_path: Path
) -> None:
    for file in (
        "Makefile",
        "CHANGELOG.md",
        "requirements.lock",
        "systemd/table-hub.service",
        "systemd/table-hub",
        "firmware/button_box/box.py",
        "firmware/frames.toml",
        "hub/games/data/bidness.toml",
        "phone_ui/package-lock.json",
        "phone_ui/static/pages/phone.html",
        "tests/operations/test_packages.py",
    ):
        assert (source / file).read_bytes() == (ROOT / file).read_bytes()
    built = build("wheel", source, tmp_path)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as packed:
        assert {f"phone_ui/vendor/{name}" for name in SOURCES} <= set(packed.namelist())


@pytest.mark.real_chance
def test_a_hub_without_its_pages_libraries_refuses_to_start(tmp_path: Path) -> None:
    lost = {"mqtt.js": tmp_path / "mqtt.js"}
    with pytest.raises(HubError, match=r"The pages' libraries are missing \(mqtt\.js\): run `make setup` in the clone"):
        make_app({}, HubKey.generate(), "hub", lambda: "", {}, vendor=lost)
