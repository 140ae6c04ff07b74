"""The installer: what it looks at and says first, releases side by side, and the way back."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hub.config import load
from hub.operations import install
from hub.operations.install import Computer, Listener, Places, copy_tree
from hub.operations.setup import SetupError
from hub.store import Store
from hub.version import commit_of
from tests.operations.fake_computer import FakeComputer, clone_in, installer
from tests.test_store import files

ROOT = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return clone_in(tmp_path / "clone")


@pytest.fixture
def computer(tmp_path: Path) -> FakeComputer:
    return FakeComputer(Places(str(tmp_path / "disk")))


def files_in(folder: Path) -> dict[str, bytes | str]:
    return {
        str(file.relative_to(folder)): str(file.readlink()) if file.is_symlink() else file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_symlink() or file.is_file()
    }


# --- before the first change ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (
            {"port_taken": Listener(1000, "table-hub demo")},
            r"^port 8080 is taken by `table-hub demo` of .* under \[web\]",
        ),
        ({"free": 100}, r"^this takes \d+ MB and the disk has 100 MB left: make room\. Nothing was changed\.$"),
    ],
)
def test_what_is_in_the_way_is_said_before_anything_is_changed(
    clone: Path, computer: FakeComputer, trouble: dict[str, object], sentence: str
) -> None:
    for name, value in trouble.items():
        setattr(computer, name, value)
    with pytest.raises(SetupError, match=sentence):
        installer(clone, computer).said_of_installing()
    assert computer.commands == []
    assert not Path(computer.places.dest).exists()


def test_the_hub_that_runs_already_is_not_in_its_own_way(clone: Path, computer: FakeComputer) -> None:
    computer.port_taken = Listener(990)
    assert installer(clone, computer).said_of_installing()


@pytest.mark.real_time
def test_a_match_that_is_under_way_is_told_and_the_database_is_left_alone(clone: Path, computer: FakeComputer) -> None:
    database = computer.places.database
    store = Store(database)
    store.begin("1", b'{"game":"bidness"}')
    store.end(store.begin("2", b'{"game":"bid-it"}'), b"{}")
    store.set_aside(store.begin("3", b'{"game":"big-idea"}'), "Other rules.")
    for game in (b'{"game":"goofspiel"}', b'{"game":"bid-and-bait"}'):
        store.put_aside(store.begin("4", game))
    store.take_up("m-4")
    before = files(database.parent)
    said = "\n".join(installer(clone, computer).said_of_installing())
    assert said.count("is under way") == 2
    assert "a match of bidness is under way at table 1" in said
    assert "a match of goofspiel is under way at table 4" in said
    assert files(database.parent) == before
    store.close()
    database.write_bytes(b"rubbish" * 1000)
    assert "under way" not in "\n".join(installer(clone, computer).said_of_installing())


def test_a_weak_supply_and_missing_groups_are_told_and_do_not_stop(clone: Path, computer: FakeComputer) -> None:
    computer.pi = True
    computer.bits = 0x50001
    said = "\n".join(installer(clone, computer).said_of_installing())
    assert "under-voltage" in said
    assert "no group spi" in said
    computer.bits = 0x50000  # it was too weak once
    assert "under-voltage" not in "\n".join(installer(clone, computer).said_of_installing())


def test_a_32_bit_pi_is_told_what_it_would_compile_before_anything_is_changed(
    clone: Path, computer: FakeComputer
) -> None:
    computer.processor = "aarch64"
    assert "compiled" not in "\n".join(installer(clone, computer).said_of_installing())
    computer.processor, computer.pi = "armv7l", True
    said = "\n".join(installer(clone, computer).said_of_installing())
    assert "For armv7l the package index has no ready cffi, msgspec, pillow, pynacl, numpy, lgpio, spidev:" in said
    assert computer.commands == []
    assert not Path(computer.places.dest).exists()


def test_packages_for_the_big_screen_are_named_with_the_rest(clone: Path, computer: FakeComputer) -> None:
    computer.lacks = {"xwayland", "mosquitto"}
    said = "\n".join(installer(clone, computer, kiosk=True).said_of_installing())
    for word in (
        "xwayland",
        "mosquitto",
        "user table-hub-kiosk",
        "table-hub-kiosk.service",
        "/usr/local/bin/table-hub",
    ):
        assert word in said
    assert "xwayland" not in "\n".join(installer(clone, computer).said_of_installing())


def test_the_big_screen_may_not_read_keyboards_and_leaves_the_group_that_it_was_in(
    clone: Path, computer: FakeComputer
) -> None:
    made = installer(clone, computer, kiosk=True)
    said = next(line for line in made.said_of_installing() if "user table-hub-kiosk" in line)
    made.install()
    added = next(line for line in computer.commands if line.startswith("usermod") and line.endswith("table-hub-kiosk"))
    assert "input" not in said + added
    assert "gpasswd --delete table-hub-kiosk input" in computer.commands


def test_a_port_in_use_is_found_with_the_program_that_has_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = Computer().listener(port)
        assert found is not None
        assert found.uid == os.getuid()
        assert "pytest" in found.command or "python" in found.command
    assert Computer().listener(port) is None


def test_every_place_is_said_before_it_is_written_to(clone: Path, computer: FakeComputer) -> None:
    made = installer(clone, computer, kiosk=True)
    said = made.said_of_installing()
    made.install()
    places = [line.split()[0] for line in said if line.startswith("  /")]
    for file in files_in(Path(computer.places.dest)):
        assert any(("/" + file).startswith(place) for place in places), file


def test_the_owner_is_told_once_and_what_was_asked_for_reaches_the_installer_behind_sudo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Became(Exception):
        """The process went on as another program."""

    def become(_: str, arguments: list[str]) -> None:
        raise Became(arguments)

    monkeypatch.setattr(install, "Computer", lambda: FakeComputer(Places(str(tmp_path))))
    monkeypatch.setattr(FakeComputer, "root", False)
    monkeypatch.setattr(os, "execvp", become)
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/sudo")
    monkeypatch.delenv("DESTDIR", raising=False)
    with pytest.raises(Became) as became:
        install.main(["--extras", "pi,ble", "--kiosk"])
    said = capsys.readouterr().out
    *arguments, name = became.value.args[0][-5:]
    assert arguments == ["--extras", "pi,ble", "--kiosk", "--said"]
    assert said.count("This changes") == 1
    assert f"/releases/{name} " in said
    made = subprocess.run(
        ["make", "-n", "-C", str(ROOT), "install", "EXTRAS=pi,ble", "ARGS=--back"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert '--extras "pi,ble" --back' in made.stdout


# --- releases ---------------------------------------------------------------------------------------


def test_a_new_release_stands_beside_the_old_one_and_runs(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer).install()
    first = computer.started()
    assert load(computer.places.config).hub.state == "/var/lib/table-hub"
    computer.places.config.write_text("[web]\nport = 80\n")
    (clone / "hub/new.py").touch()
    installer(clone, computer).install()
    second = computer.started()
    assert {release.name for release in computer.places.releases.iterdir()} == {first, second}
    assert (computer.places.current / "hub/new.py").exists()
    assert load(computer.places.config).web.port == 80
    installer(clone, computer).install()
    assert {release.name for release in computer.places.releases.iterdir()} == {second, computer.started()}


def test_alt_sysrq_is_off_where_there_is_a_big_screen_and_nowhere_else(clone: Path, computer: FakeComputer) -> None:
    kept = computer.places.keyboard
    load = f"sysctl --quiet --load {kept}"
    installer(clone, computer).install()
    assert not kept.exists()
    assert load not in computer.commands
    installer(clone, computer, kiosk=True).install()
    assert kept.read_text() == "kernel.sysrq = 0\n"
    assert load in computer.commands, "at once, not only after the next start"
    installer(clone, computer).remove()
    assert not kept.exists()


def test_power_keys_are_off_where_there_is_a_big_screen_and_nowhere_else(clone: Path, computer: FakeComputer) -> None:
    kept = computer.places.power_keys
    installer(clone, computer).install()
    assert not kept.exists()
    (clone / "hub/new.py").touch()
    installer(clone, computer, kiosk=True).install()
    assert kept.read_text() == "power keys\n"
    installer(clone, computer).remove()
    assert not kept.exists()


@pytest.mark.parametrize("kiosk", [False, True])
def test_a_hub_that_runs_is_told_with_the_address_for_phones(
    clone: Path, computer: FakeComputer, *, kiosk: bool
) -> None:
    installer(clone, computer, kiosk=kiosk).install()
    assert computer.said[-1].startswith("Phones join at http://10.0.2.100:8080")
    assert ("hub/docs/run.md" in computer.said[-1]) is not kiosk


def test_a_release_says_of_which_commit_it_is(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer).install()
    assert not (computer.places.current / "COMMIT").exists()
    git = ["git", "-C", str(clone), "-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
        subprocess.run([*git, *words], check=True, timeout=30)
    commit = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], check=True, timeout=30, capture_output=True, text=True
    ).stdout.strip()
    installer(clone, computer).install()
    assert not (computer.places.current / ".git").exists()
    assert commit_of(computer.places.current.resolve()) == commit
    (clone / "hub/errors.py").write_text("# newer")
    installer(clone, computer).install()
    assert commit_of(computer.places.current.resolve()) == f"{commit}+"


def test_an_update_keeps_the_extras_that_were_installed_and_says_so(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer, ["ble"]).install()
    update = installer(clone, computer, ["camera"])
    assert "with Python packages of its own (with ble, camera)" in "\n".join(update.said_of_installing())
    update.install()
    assert '["ble", "camera"]' in (computer.places.current / ".venv/table-hub.stamp").read_text()
    assert installer(clone, computer).extras == {"ble", "camera"}


def test_a_release_that_does_not_run_goes_back_by_itself(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer).install()
    before = files_in(Path(computer.places.dest))
    update = installer(clone, computer)
    computer.broken = {update.name}
    (clone / "systemd/table-hub.service").write_text("ExecStart=something else\n")
    with pytest.raises(SetupError, match=rf"{update.name} does not run on this machine; .* runs again\.$"):
        update.install()
    assert files_in(Path(computer.places.dest)) == before
    assert "the journal's last line" in computer.said
    assert computer.commands[-1] == "systemctl restart --no-block table-hub"


def test_a_first_release_that_does_not_run_stays_to_be_mended(clone: Path, computer: FakeComputer) -> None:
    first = installer(clone, computer)
    computer.broken = {first.name}
    with pytest.raises(SetupError, match="is installed and does not run"):
        first.install()
    assert computer.started() == first.name


def test_a_release_that_refuses_the_owners_configuration_is_not_switched_to(
    clone: Path, computer: FakeComputer
) -> None:
    installer(clone, computer).install()
    before = files_in(Path(computer.places.dest))
    computer.refused = "table-hub.toml: there is no [wbe]."
    with pytest.raises(SetupError, match=r"there is no \[wbe\]\. Nothing was changed"):
        installer(clone, computer).install()
    assert files_in(Path(computer.places.dest)) == before


def test_going_back_by_hand_and_forth_again(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer).install()
    with pytest.raises(SetupError, match="there is no earlier release"):
        installer(clone, computer).said_of_going_back()
    first = computer.started()
    installer(clone, computer).install()
    second = computer.started()
    computer.commands.clear()
    (said,) = installer(clone, computer).said_of_going_back()
    assert f"from {second} to {first}" in said
    installer(clone, computer).go_back()
    assert computer.started() == first
    assert not [command for command in computer.commands if "apt-get" in command or "pip" in command]
    installer(clone, computer).go_back()
    assert computer.started() == second


def test_the_program_of_a_hub_without_releases_goes_when_the_new_one_runs(clone: Path, computer: FakeComputer) -> None:
    old = computer.places.opt
    (old / "hub").mkdir(parents=True)
    (old / ".venv/bin").mkdir(parents=True)
    update = installer(clone, computer)
    update.install()
    assert sorted(path.name for path in old.iterdir()) == ["current", "releases"]


def test_the_big_screen_stays_installed_without_being_asked_for_again(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer, kiosk=True).install()
    (clone / "systemd/table-hub-kiosk.service").write_text("newer")
    installer(clone, computer).install()
    assert computer.places.unit("table-hub-kiosk").read_text() == "newer"


def test_removing_leaves_configuration_only(clone: Path, computer: FakeComputer) -> None:
    installer(clone, computer, kiosk=True).install()
    installer(clone, computer).remove()
    assert list(files_in(Path(computer.places.dest))) == ["etc/table-hub/table-hub.toml"]


@pytest.mark.slow
def test_a_power_cut_at_any_change_of_the_disk_leaves_a_hub(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.operations.cut_install", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30


def test_a_release_is_readable_for_everybody_and_has_nothing_of_the_clones_own(tmp_path: Path) -> None:
    clone = clone_in(tmp_path / "clone")
    for made in (
        ".git/config",
        ".venv/bin/python",
        "phone_ui/node_modules/x.js",
        "hub/__pycache__/x.pyc",
        ".mypy_cache/x",
    ):
        (clone / made).parent.mkdir(parents=True, exist_ok=True)
        (clone / made).touch()
    (clone / "hub").chmod(0o700)
    (clone / "hub/errors.py").chmod(0o600)
    (clone / "systemd/table-hub").chmod(0o700)
    copy_tree(clone, tmp_path / "release")
    copied = {
        str(file.relative_to(tmp_path / "release")) for file in (tmp_path / "release").rglob("*") if file.is_file()
    }
    assert not [file for file in copied if re.search(r"\.git/|\.venv|node_modules|__pycache__|_cache", file)]
    modes = {
        name: (tmp_path / "release" / name).stat().st_mode & 0o777
        for name in ("hub", "hub/errors.py", "systemd/table-hub")
    }
    assert modes == {"hub": 0o755, "hub/errors.py": 0o644, "systemd/table-hub": 0o755}


# --- a release on trial, as systemd runs it -----------------------------------------------------------


def trial(opt: Path, word: str) -> str:
    script = ROOT / "systemd" / "trial.sh"
    return subprocess.run(
        ["sh", str(script), word, str(opt)], capture_output=True, text=True, timeout=30, check=True
    ).stdout


@pytest.fixture
def on_trial(tmp_path: Path) -> Path:
    """Two releases, the newer one switched to when the power was cut."""
    for name in ("old", "new"):
        (tmp_path / "releases" / name).mkdir(parents=True)
    (tmp_path / "current").symlink_to("releases/new")
    (tmp_path / "trial").write_text("old\n")
    return tmp_path


def test_a_new_release_that_does_not_start_three_times_goes_back(on_trial: Path) -> None:
    for _ in range(3):
        assert trial(on_trial, "before") == ""
        assert str((on_trial / "current").readlink()) == "releases/new"
    assert "going back to old" in trial(on_trial, "before")
    assert str((on_trial / "current").readlink()) == "releases/old"
    assert not (on_trial / "trial").exists()


def test_a_new_release_that_starts_is_good(on_trial: Path) -> None:
    trial(on_trial, "before")
    trial(on_trial, "after")
    for _ in range(5):
        trial(on_trial, "before")
    assert str((on_trial / "current").readlink()) == "releases/new"
    assert (on_trial / "releases/new/good").exists()


def test_a_release_to_go_back_to_that_is_not_there_is_not_gone_back_to(on_trial: Path) -> None:
    shutil.rmtree(on_trial / "releases/old")
    for _ in range(5):
        trial(on_trial, "before")
    assert str((on_trial / "current").readlink()) == "releases/new"


# --- the command ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "arguments", "runs"),
    [
        ("pi", "pinout --svg wiring.svg", "hub pinout --svg wiring.svg"),
        ("pi", "doctor --json", "sudo -H -u table-hub -- hub doctor --json"),
        ("root", "doctor", "setpriv --reuid table-hub --regid table-hub --init-groups --reset-env -- hub doctor"),
        ("table-hub", "doctor", "hub doctor"),
        ("pi", "matches", "sudo -H -u table-hub -- hub matches"),
        ("root", "export m-1", "hub export m-1"),
        ("pi", "export m-1", "sudo -- hub export m-1"),
        ("pi", "update-box", "sudo -H -u table-hub -- hub update-box"),
        ("root", "update-box --file box.uf2", "hub update-box --file box.uf2"),
        ("pi", "backup evening", "sudo -- hub backup evening"),
        ("root", "restore evening", "hub restore evening"),
        ("pi", "", "hub"),
    ],
)
def test_the_command_runs_as_the_hubs_user_unless_it_writes_the_callers_files(
    tmp_path: Path, user: str, arguments: str, runs: str
) -> None:
    script = (ROOT / "systemd/table-hub").read_text().replace("/opt/table-hub/current/.venv/bin/table-hub", "hub")
    (tmp_path / "table-hub").write_text(script)
    for program in ("hub", "sudo", "setpriv"):
        (tmp_path / program).write_text(f'#!/bin/sh\necho {program} "$@"\n')
    (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n")
    for file in tmp_path.iterdir():
        file.chmod(0o755)
    done = subprocess.run(
        ["sh", str(tmp_path / "table-hub"), *arguments.split()],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.strip() == runs
