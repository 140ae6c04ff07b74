"""A backup holds all that a hub keeps, as it was at one moment; a restore brings it back and deletes nothing."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import msgspec
import pytest

from hub import games
from hub.__main__ import main
from hub.authoring.players import random_match
from hub.engine.match import Match
from hub.network.encryption import HubKey
from hub.operations import backup
from hub.operations.state_folder import forget
from hub.ports import LogEntry
from hub.store import KeyedStore, Store, lock_state
from hub.table.base.kept import KeptValues
from hub.table.match.match_log import MatchLog
from tests.earlier import earlier_hub
from tests.made_packages import ENTRY, wheel
from tests.made_packages import GAME as GAME_FILES
from tests.test_store import files, version_0

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

GAME = games.find("bid-and-bait")
EPOCH = 7


def lines(match: Match, first: int, last: int) -> list[LogEntry]:
    return [LogEntry(n, msgspec.json.encode(match.log[n])) for n in range(first, last)]


class Venue:
    """A machine with a hub's configuration, a list of cards and a match under way that has come to 8 entries."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state, self.config = folder, folder / "state", folder / "hub.toml"
        folder.mkdir()
        (folder / "deck.toml").write_text("# cards of the venue\n")
        self.config.write_text(
            f"[hub]\nstate = '{self.state}' # mine\n[[deck]]\ngame = 'bid-it'\ncards = 'deck.toml'\n"
        )
        self.match = random_match(GAME, (1, 2, 3), {}, Random(1))
        with closing(Store(self.state / "table-hub.db")) as store:
            keyed = KeyedStore(store, self.state / "log.key")
            keyed.begin("1", msgspec.json.encode(self.match.head))
            keyed.append("m-1", lines(self.match, 0, 8))
            keyed.keep("1", "epoch", str(EPOCH).encode())
            keyed.keep("1", "places", b"[]")
        HubKey.load(self.state / "hub.key")
        (self.state / "kiosk.token").write_text("t" * 32)


@pytest.fixture
def venue(tmp_path: Path) -> Venue:
    return Venue(tmp_path / "venue")


@pytest.fixture
def file(venue: Venue, tmp_path: Path) -> Path:
    """A backup of that venue."""
    to = tmp_path / "evening.backup"
    assert main(["backup", "--config", str(venue.config), str(to)]) == 0
    return to


def resumed(state: Path) -> Match | None:
    """What a hub that starts finds."""
    with closing(Store(state / "table-hub.db")) as store:
        log = MatchLog(KeptValues("1", KeyedStore(store, state / "log.key")))
        found = log.resume({GAME.name: GAME})
        assert "lost" not in log.describe_loss()
        return found


def told(state: Path) -> str:
    """What a hub that starts tells people of an earlier state."""
    with closing(Store(state / "table-hub.db")) as store:
        log = MatchLog(KeptValues("1", KeyedStore(store, state / "log.key")))
        log.resume({GAME.name: GAME})
        return log.describe_loss()


def epoch(state: Path, table: str = "1") -> int:
    with closing(Store(state / "table-hub.db")) as store:
        return int(store.recall(table, "epoch") or b"0")


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert main([str(one) for one in arguments]) != 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_backup_is_for_its_owner_alone_and_says_what_it_holds(
    venue: Venue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "b"
    assert main(["backup", "--config", str(venue.config), str(file)]) == 0
    said = capsys.readouterr().out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (
        "1 match (1 not finished), the seats of table 1, the hub's keys and the configuration with 1 list of cards"
        in said
    )
    assert "hands" in said
    assert set(zipfile.ZipFile(file).namelist()) == {
        "about.json", "state/table-hub.db", "state/hub.key", "state/log.key", "state/kiosk.token",
        "config/table-hub.toml", "config/decks/bid-it.toml",
    }  # fmt: skip
    assert "is there already" in refused(capsys, "backup", "--config", venue.config, file)


def test_a_backup_names_the_packages_that_are_not_in_it(
    venue: Venue, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    made = wheel(venue.state / "packages", GAME_FILES, ENTRY)
    to = tmp_path / "evening.backup"
    assert main(["backup", "--config", str(venue.config), str(to)]) == 0
    assert f"Not in it are packages, because they are programs; add them again: {made.name}." in capsys.readouterr().out
    with zipfile.ZipFile(to) as archive:
        assert not [name for name in archive.namelist() if "packages" in name]


def test_another_machine_goes_on_with_the_same_match_keys_and_configuration(
    venue: Venue, file: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(file) as archive:  # the other machine has its state elsewhere
        assert archive.read("config/table-hub.toml") == venue.config.read_bytes()
    key = (venue.state / "hub.key").read_bytes()
    venue.folder.rename(tmp_path / "the old machine")
    venue.folder.mkdir()
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    found = resumed(venue.state)
    assert found
    assert found.log == venue.match.log[:8]
    assert HubKey.load(venue.state / "hub.key").public == HubKey.load(tmp_path / "the old machine/state/hub.key").public
    assert (venue.state / "hub.key").read_bytes() == key
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o600 for one in venue.state.iterdir() if one.is_file())
    assert "# mine" in venue.config.read_text()
    assert (venue.folder / "cards-bid-it.toml").read_text() == "# cards of the venue\n"
    assert 'cards = "cards-bid-it.toml"' in venue.config.read_text()


def test_a_running_hub_is_backed_up_between_two_of_its_actions_and_goes_on(venue: Venue, tmp_path: Path) -> None:
    with lock_state(venue.state), closing(Store(venue.state / "table-hub.db")) as store:
        keyed = KeyedStore(store, venue.state / "log.key")
        keyed.load("m-1")
        keyed.append("m-1", lines(venue.match, 8, 9))
        assert main(["backup", "--config", str(venue.config), str(tmp_path / "b")]) == 0
        keyed.append("m-1", lines(venue.match, 9, 11))
    with closing(sqlite3.connect(tmp_path / "x.db")) as db:
        db.deserialize(parts_of(tmp_path / "b")["state/table-hub.db"])
        assert db.execute("SELECT count(*) FROM entries").fetchone() == (9,)
    found = resumed(venue.state)
    assert found
    assert len(found.log) == 11


def test_what_was_there_is_set_aside_whole_and_people_hear_of_an_earlier_state(venue: Venue, file: Path) -> None:
    with closing(Store(venue.state / "table-hub.db")) as store:
        keyed = KeyedStore(store, venue.state / "log.key")
        keyed.load("m-1")
        keyed.append("m-1", lines(venue.match, 8, 12))
        keyed.begin("2", msgspec.json.encode(venue.match.head))
        keyed.keep("1", "epoch", b"9")
        keyed.keep("2", "epoch", b"3")
    venue.config.write_text(venue.config.read_text() + "[web]\nport = 8081\n")
    before = files(venue.state)
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    (aside,) = venue.state.glob("before-restore-*")
    assert {
        name.partition("/")[2]: data for name, data in files(venue.state).items() if name.startswith(aside.name)
    } == before
    found = resumed(venue.state)
    assert found
    assert len(found.log) == 8
    assert "may continue from an earlier state, such as a backup" in told(venue.state)
    assert "8081" not in venue.config.read_text()
    (old,) = venue.folder.glob("hub.toml.before-restore-*")
    assert "8081" in old.read_text()
    forget(venue.state)
    assert not venue.state.exists()


def test_epochs_never_go_back_so_that_no_request_of_before_counts_again(venue: Venue, file: Path) -> None:
    with closing(Store(venue.state / "table-hub.db")) as store:
        store.keep("2", "epoch", b"4000000000")  # the clock was wrong when that was written
    begun = int(time.time())
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    assert epoch(venue.state) >= 4_000_000_000 > begun
    assert epoch(venue.state, "2") >= 4_000_000_000
    first = epoch(venue.state)
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    assert epoch(venue.state) >= first
    assert len(list(venue.state.glob("before-restore-*"))) == 2  # within one second


def test_on_a_new_machine_epochs_are_above_any_that_a_hub_can_have_reached(
    venue: Venue, file: Path, tmp_path: Path
) -> None:
    venue.folder.rename(tmp_path / "old")
    venue.folder.mkdir()
    begun = int(time.time())
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    assert epoch(venue.state) >= begun


def test_nothing_is_restored_below_a_hub_that_runs(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with lock_state(venue.state):
        before = files(venue.folder)
        assert "a hub runs with this state folder; stop it first" in refused(
            capsys, "restore", "--config", venue.config, file
        )
        assert files(venue.folder) == before


def test_a_configuration_that_fits_this_machine_may_stay(venue: Venue, file: Path) -> None:
    venue.config.write_text(f"[hub]\nstate = '{venue.folder / 'elsewhere'}'\n")
    kept = venue.config.read_bytes()
    assert main(["restore", "--keep-config", "--config", str(venue.config), str(file)]) == 0
    assert venue.config.read_bytes() == kept
    assert resumed(venue.folder / "elsewhere")


@pytest.mark.parametrize("at", ["begin", "middle", "end"])
def test_a_damaged_file_is_refused_and_changes_nothing(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str], at: str
) -> None:
    data = bytearray(file.read_bytes())
    if at == "middle":
        data[len(data) // 2] ^= 0xFF
    else:
        data = data[100:] if at == "begin" else data[:-100]
    file.write_bytes(data)
    before = files(venue.folder)
    assert "damaged" in refused(capsys, "restore", "--config", venue.config, file)
    assert files(venue.folder) == before


def parts_of(file: Path) -> dict[str, bytes]:
    """Everything that a backup holds."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written_again(file: Path, instead: Mapping[str, bytes], form: int = backup.FORM) -> None:
    """Write a backup again with other parts, its hashes right."""
    parts = {**parts_of(file), **instead}
    about = msgspec.json.decode(parts.pop("about.json"), type=backup.About)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    about = msgspec.structs.replace(about, files=hashes, form=form)
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in ({"about.json": msgspec.json.encode(about)} | parts).items():
            archive.writestr(name, data)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads what another user has copied")
def test_root_reads_no_copy_that_was_exchanged(
    venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied = backup._copy_database

    def exchange(folder: Path, copy: Path) -> None:
        copied(folder, copy)
        copy.unlink()
        copy.symlink_to("/etc/shadow")

    monkeypatch.setattr(backup, "_copy_database", exchange)
    assert "was exchanged" in refused(capsys, "backup", "--config", venue.config, tmp_path / "b")


def test_a_game_of_a_backup_is_no_path(venue: Venue, file: Path, tmp_path: Path) -> None:
    config = "[[deck]]\ngame = '../up'\ncards = 'deck.toml'\n"
    written_again(file, {"config/table-hub.toml": config.encode(), "config/decks/../up.toml": b"# cards"})
    (tmp_path / "new").mkdir()
    main(["restore", "--config", str(tmp_path / "new/hub.toml"), str(file)])
    assert [one.name for one in tmp_path.rglob("*up.toml*")] == []


@pytest.mark.parametrize("part", ["state/hub.key", "state/table-hub.db"])
def test_a_part_that_is_not_what_it_should_be_is_refused(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    written_again(file, {part: b"something else"})
    assert "damaged" in refused(capsys, "restore", "--config", venue.config, file)


def test_a_newer_file_is_refused_by_its_form(venue: Venue, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    about = msgspec.json.decode(parts_of(file)["about.json"]) | {"form": backup.FORM + 1, "files": "otherwise"}
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("about.json", msgspec.json.encode(about))
    assert "written by a newer table-hub" in refused(capsys, "restore", "--config", venue.config, file)


def test_a_newer_database_in_it_is_refused(
    venue: Venue, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    newer = tmp_path / "newer.db"
    newer.write_bytes(parts_of(file)["state/table-hub.db"])
    with closing(sqlite3.connect(newer)) as db:
        db.execute("PRAGMA user_version=99")
    written_again(file, {"state/table-hub.db": newer.read_bytes()})
    assert "written by a newer table-hub" in refused(capsys, "restore", "--config", venue.config, file)


def test_a_form_that_there_never_was_is_refused(venue: Venue, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in (-1, 0):
        written_again(file, {}, form)
        assert "no backup of a hub" in refused(capsys, "restore", "--config", venue.config, file)
    written_again(file, {}, 1)
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER thief AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
        "CREATE VIEW seen AS SELECT * FROM entries",
        "CREATE TABLE other (a)",
        "CREATE INDEX quick ON entries (line)",
        "CREATE VIRTUAL TABLE found USING fts5(line)",
        "ALTER TABLE matches ADD COLUMN mine TEXT DEFAULT 'x'",
        'DROP TABLE kept; CREATE VIEW kept AS SELECT 1 AS "table", 2 AS name, 3 AS value',
        'DROP TABLE kept; CREATE TABLE kept ("table" TEXT, name TEXT, value BLOB CHECK (length(value) < 9))',
        "DROP TABLE entries",
        "PRAGMA user_version=-1",
    ],
)
def test_a_database_with_what_no_hub_writes_is_refused_and_changes_nothing(
    venue: Venue, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str
) -> None:
    other = tmp_path / "other.db"
    other.write_bytes(parts_of(file)["state/table-hub.db"])
    with closing(sqlite3.connect(other)) as db:
        db.executescript(statement)
    written_again(file, {"state/table-hub.db": other.read_bytes()})
    before = files(venue.folder)
    assert "is not one of a hub; nothing was changed" in refused(capsys, "restore", "--config", venue.config, file)
    assert files(venue.folder) == before


@pytest.mark.parametrize("holds", ["", "CREATE TABLE notes (text)"])
def test_a_database_of_something_else_or_an_empty_one_is_refused(
    venue: Venue, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], holds: str
) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as db:
        db.executescript(f"{holds}; PRAGMA user_version=1")
    written_again(file, {"state/table-hub.db": other.read_bytes()})
    before = files(venue.folder)
    assert "is not one of a hub" in refused(capsys, "restore", "--config", venue.config, file)
    written_again(file, {"state/table-hub.db": b""})
    assert "is not one of a hub" in refused(capsys, "restore", "--config", venue.config, file)
    assert files(venue.folder) == before


def earliest(path: Path) -> None:
    version_0(path)


def of_before_seals(path: Path) -> None:
    root = earlier_hub("ce91e79", path.parent / "earlier")
    code = "import sys; from pathlib import Path; from hub.store import Store; Store(Path(sys.argv[1])).close()"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True, cwd=root, env={"PYTHONPATH": str(root)})


def brought_to_this_form(path: Path) -> None:
    version_0(path)
    Store(path).close()


def put_aside_by_alter(path: Path) -> None:
    version_0(path)
    with closing(sqlite3.connect(path)) as db:
        for column in ("put_aside TEXT", "cuts INTEGER NOT NULL DEFAULT 0", "aside TEXT"):
            db.execute(f"ALTER TABLE matches ADD COLUMN {column}")
        db.execute("PRAGMA user_version=1")


@pytest.mark.parametrize("make", [earliest, of_before_seals, brought_to_this_form, put_aside_by_alter])
def test_a_database_of_any_earlier_hub_is_restored(
    venue: Venue, file: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "older" / "table-hub.db"
    path.parent.mkdir()
    make(path)
    written_again(file, {"state/table-hub.db": path.read_bytes()})
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    with closing(Store(venue.state / "table-hub.db")) as store:
        store.last("1")
        assert not store.notice


# --- a backup that is larger than it looks ---------------------------------------------------------------

MEMORY = """
import resource, sys
from hub.__main__ import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
sys.exit(code)
"""


def restored_apart(venue: Venue, file: Path) -> tuple[int, int]:
    """Restore in a process of its own; return its code and the most memory that it took, in MB."""
    command = [sys.executable, "-c", MEMORY, "restore", "--config", str(venue.config), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, int(done.stdout.split()[-1])


def bomb(file: Path, megabytes: int, first: bytes) -> None:
    """Let the database of a backup be so large, with these first bytes."""
    parts = parts_of(file)
    piece, digest = bytes(2**20), hashlib.sha256()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("state/table-hub.db", "w") as out:
            for number in range(megabytes):
                data = first + piece[len(first) :] if number == 0 else piece
                digest.update(data)
                out.write(data)
        about = msgspec.json.decode(parts["about.json"], type=backup.About)
        hashes = about.files | {"state/table-hub.db": digest.hexdigest()}
        archive.writestr("about.json", msgspec.json.encode(msgspec.structs.replace(about, files=hashes)))
        for name in about.files.keys() - {"state/table-hub.db"}:
            archive.writestr(name, parts[name])


def test_a_large_database_is_never_in_memory_as_a_whole(venue: Venue, file: Path) -> None:
    usual = restored_apart(venue, file)
    assert usual[0] == 0
    first = parts_of(file)["state/table-hub.db"][:4096]
    before = files(venue.folder)
    bomb(file, 160, first)
    code, most = restored_apart(venue, file)
    assert code != 0
    assert most < usual[1] + 20
    assert files(venue.folder) == before


def test_a_part_that_says_it_is_too_large_is_not_read(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(parts_of(file)["state/table-hub.db"])
    monkeypatch.setattr(backup, "LARGEST_DATABASE", size - 1)
    assert "damaged" in refused(capsys, "restore", "--config", venue.config, file)
    monkeypatch.setattr(backup, "LARGEST_DATABASE", size)
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0


@pytest.mark.parametrize("part", ["config/table-hub.toml", "state/kiosk.token", "config/decks/bid-it.toml"])
def test_a_small_part_that_is_large_is_refused(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    assert part in parts_of(file)
    written_again(file, {part: b"#" * 1_000_001})
    assert "damaged" in refused(capsys, "restore", "--config", venue.config, file)


def test_what_is_too_large_for_a_restore_is_not_backed_up(
    venue: Venue, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Store(venue.state / "table-hub.db")) as store:
        store.keep("1", "large", bytes(3_000_000))
    monkeypatch.setattr(backup, "LARGEST_DATABASE", 1_000_000)
    assert "too large for a backup" in refused(capsys, "backup", "--config", venue.config, tmp_path / "b")
    assert not (tmp_path / "b").exists()
    with closing(Store(venue.state / "table-hub.db")) as store:
        store.keep("1", "large", b"")
    assert main(["backup", "--config", str(venue.config), str(tmp_path / "b")]) == 0, "room in the file does not count"


def test_what_a_restore_that_was_cut_off_leaves_is_forgotten_with_the_rest(venue: Venue) -> None:
    (venue.state / ".restored").mkdir()
    (venue.state / ".restored" / "hub.key").write_bytes(b"k" * 32)
    forget(venue.state)
    assert not venue.state.exists()


def test_a_configuration_that_cannot_be_used_here_is_refused_before_anything_is_changed(
    venue: Venue, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written_again(file, {"config/table-hub.toml": b"[hub]\ncolour = 1\n"})
    before = files(venue.folder)
    said = refused(capsys, "restore", "--config", venue.config, file)
    assert "no key colour" in said
    assert "--keep-config" in said
    assert files(venue.folder) == before


def test_a_list_of_cards_goes_nowhere_but_beside_the_configuration(venue: Venue, file: Path, tmp_path: Path) -> None:
    text = venue.config.read_text().replace("'deck.toml'", f"'{tmp_path / 'stranger.toml'}'")
    written_again(file, {"config/table-hub.toml": text.encode()})
    assert main(["restore", "--config", str(venue.config), str(file)]) == 0
    assert not (tmp_path / "stranger.toml").exists()
    assert (venue.folder / "cards-bid-it.toml").exists()


def test_a_damaged_database_is_not_taken_for_a_backup(
    venue: Venue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = venue.state / "table-hub.db"
    data = bytearray(database.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    database.write_bytes(data)
    refused(capsys, "backup", "--config", venue.config, tmp_path / "b")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["venue"]


def test_a_machine_where_no_hub_has_run_has_nothing_to_back_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "hub.toml"
    config.write_text(f"[hub]\nstate = '{tmp_path / 'none'}'\n")
    assert "nothing to back up" in refused(capsys, "backup", "--config", config, tmp_path / "b")
    assert not (tmp_path / "none").exists()
