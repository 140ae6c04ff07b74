"""`table-hub backup` and `table-hub restore`: all that a hub keeps, as one file, and back again, on another machine too.

The file is a ZIP archive, for its owner alone (0600), as it holds the hub's keys, the logins of the seats and every hand:

- `about.json`: the form of the file, the version and the date it was made, and the SHA-256 of every other part;
- `state/...`: the database as it was at one moment, and the keys beside it;
- `config/...`: the owner's file, and the lists of cards that it names.

What the broker keeps is not in it: the hub makes it anew at each start. Neither is any other file that the configuration
names: certificates and their keys, the password of an outside broker.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import stat
import tempfile
import time
import tomllib
import zipfile
import zlib
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import tomlkit
import tomlkit.exceptions

from hub import packages
from hub.config import Config, load, owners_file
from hub.errors import ConfigError, HubError
from hub.files import MOST_BYTES, check_file, read_file
from hub.operations.matches import copied, reading, refusal
from hub.operations.own_files import as_owner_of, new_private_file, sync
from hub.operations.state_folder import (
    ASIDE,
    DATABASE,
    KEY,
    KIOSK_TOKEN,
    LOG_KEY,
    OWN_FILES,
    RESTORED,
    STAFF,
    while_no_hub_runs,
)
from hub.store import READS_UP_TO, is_ours
from hub.version import version

FORM = 1
"""How a backup is written: a newer form is not guessed at."""
MADE = "%Y-%m-%dT%H:%M:%SZ"
"""How `About.made` is written, in UTC."""
ABOUT, CONFIG = "about.json", "config/table-hub.toml"
KEYS = {KEY: 32, LOG_KEY: 40, KIOSK_TOKEN: None}
"""The small files beside the database, and how many bytes each has."""
LARGEST_DATABASE = 2**29
"""Bytes: some thousand matches with their logs. Every other part is a small file."""
MOST_DECKS = 100
NAMED = ("web", "tls_cert"), ("web", "tls_key"), ("broker", "password_file"), ("broker", "ca_file")
"""Keys of the configuration that name a file, which is in no backup."""
SQLITE = b"SQLite format 3\0"
PIECE = 2**20
"""Bytes of the database that are in memory at once."""


class About(msgspec.Struct, frozen=True):
    """What a backup says of itself; `files` has the SHA-256 of every other part."""

    form: int
    version: str
    made: str
    hub: str
    files: dict[str, str]


class Backup(NamedTuple):
    """A backup that was read whole, and is what it says.

    `database` is a copy that lies on the disk until the backup is closed, and open, for another user than who read it.
    """

    about: About
    parts: Mapping[str, bytes]
    database: Path
    opened: BinaryIO


# --- making one ----------------------------------------------------------------------------------------


def backup(args: Namespace) -> int:
    """Write all that a hub keeps into one file; a hub may run, and goes on meanwhile."""
    file = owners_file(args.config)
    config = load(file)
    folder = Path(config.hub.state)
    with new_private_file(args.file) as out, _state(folder) as (database, parts):
        parts |= _configuration(file, config)
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
        with database.open("rb") as data:
            hashes[f"state/{DATABASE}"] = hashlib.file_digest(data, "sha256").hexdigest()
        made = datetime.fromtimestamp(time.time(), UTC).strftime(MADE)
        about = About(FORM, version(), made, config.hub.id, hashes)
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, part in ({ABOUT: msgspec.json.encode(about)} | parts).items():
                archive.writestr(zipfile.ZipInfo(name, time.gmtime()[:6]), part, zipfile.ZIP_DEFLATED)
            archive.write(database, f"state/{DATABASE}")
        told = holds(database, parts)
    print(f"{args.file}: {told}")
    print(
        "Keep it as you keep a key: it holds the hub's secret keys, the logins of the seats and the hands of every log."
    )
    for line in _not_in_it(config):
        print(line)
    return 0


def holds(database: Path, names: Iterable[str]) -> str:
    """Return in a sentence what a backup holds with this database and parts of these names. Raise sqlite3.Error."""
    with _opened(database) as db:
        (matches,) = db.execute("SELECT count(*) FROM matches").fetchone()
        (going,) = db.execute("SELECT count(*) FROM matches WHERE result IS NULL").fetchone()
        tables = [table for (table,) in db.execute('SELECT DISTINCT "table" FROM kept ORDER BY 1')]
    decks = sum(name.startswith("config/decks/") for name in names)
    configuration = "the configuration" if CONFIG in names else "no configuration, for there was none"
    if decks:
        configuration += f" with {decks} list{'' if decks == 1 else 's'} of cards"
    return (
        f"{matches} match{'' if matches == 1 else 'es'} ({going} not finished), the seats of "
        f"{f'table {tables[0]}' if len(tables) == 1 else f'{len(tables)} tables'}, the hub's keys and {configuration}."
    )


@contextmanager
def _state(folder: Path) -> Iterator[tuple[Path, dict[str, bytes]]]:
    """Copy the database as it is at this moment, until the end of the block, and read the keys. Raise HubError."""
    with ExitStack() as at_end:
        try:
            with as_owner_of(folder):
                copy = Path(at_end.enter_context(_scratch()), DATABASE)
                _copy_database(folder, copy)
                found = {}
                for name in KEYS:
                    with suppress(FileNotFoundError):
                        found[f"state/{name}"] = read_file(folder / name)
            _take_over(copy, folder)
        except FileNotFoundError:
            raise HubError(
                f"{folder}: no hub has run with this state folder, so there is nothing to back up."
            ) from None
        except (OSError, sqlite3.Error) as error:
            raise HubError(refusal(folder, error, "backup")) from None
        yield copy, found


def _take_over(copy: Path, folder: Path) -> None:
    """Let only root change a copy that the owner of a folder has made: root reads it by its name. Raise HubError."""
    if os.geteuid() != 0:
        return
    os.chown(copy.parent, 0, 0)
    found = copy.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_uid not in (0, folder.stat().st_uid):
        raise HubError(f"{copy} was exchanged while it was written.")


def _copy_database(folder: Path, copy: Path) -> None:
    """Copy the database of a state folder. Raise HubError, OSError or sqlite3.Error."""
    with reading(folder) as db, closing(sqlite3.connect(copy, isolation_level=None)) as into:
        db.backup(into)  # in one step: the hub beside it may write all the same, as its log is write-ahead
        if into.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise HubError(
                f"{folder / DATABASE} is damaged, so nothing was written: start the hub again, which sets the "
                "damaged file aside and goes on with what can be read."
            )
        into.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        if copy.stat().st_size > LARGEST_DATABASE:
            into.execute("VACUUM")  # what was wiped leaves room in the file
    if copy.stat().st_size > LARGEST_DATABASE:
        raise HubError(
            f"{folder / DATABASE} is too large for a backup: wipe the logs of finished matches first, with "
            "`table-hub forget`."
        )


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for files as large as a database, until it is closed: on a disk, as /tmp may be memory."""
    disk = Path("/var/tmp")  # noqa: S108 - the folder in it has a name of its own, and is for its user alone
    return tempfile.TemporaryDirectory(dir=disk if os.access(disk, os.W_OK) else None)


def _configuration(file: str | None, config: Config) -> dict[str, bytes]:
    """Return the owner's file and the lists of cards that it names. Raise ConfigError."""
    if file is None:
        return {}
    wanted = {CONFIG: Path(file).expanduser()}
    wanted |= {f"config/decks/{deck.game}.toml": Path(deck.cards) for deck in config.deck}
    try:
        with as_owner_of(wanted[CONFIG].parent):  # who may write it names files, which root must not read for them
            return {name: read_file(path) for name, path in wanted.items()}
    except OSError as error:
        raise ConfigError(f"{error.filename} cannot be read ({error.strerror}).") from None


def missing_files(saved: Backup) -> list[str]:
    """Return the files that the configuration in a backup names, and this machine does not have."""
    try:
        document = tomllib.loads(saved.parts.get(CONFIG, b"").decode())
    except ValueError:
        return []
    named = [document.get(section, {}).get(key) for section, key in NAMED]
    return [path for path in named if isinstance(path, str) and path and not Path(path).exists()]


def _not_in_it(config: Config) -> Iterator[str]:
    for section, key in NAMED:
        if path := getattr(getattr(config, section), key):
            yield f"Not in it is what [{section}] {key} names: {path}."
    if wheels := sorted((Path(config.hub.state) / packages.FOLDER).glob("*.whl")):
        yield f"Not in it are packages, because they are programs; add them again: {', '.join(one.name for one in wheels)}."


@contextmanager
def _opened(database: Path) -> Iterator[sqlite3.Connection]:
    """Open a database of which nothing is known yet, only to read it. Raise sqlite3.Error."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, isolation_level=None)) as db:
        db.text_factory = lambda text: text.decode("utf-8", "replace")
        db.execute("PRAGMA trusted_schema=OFF")
        yield db


# --- reading one ---------------------------------------------------------------------------------------


@contextmanager
def read(file: Path) -> Iterator[Backup]:
    """Return a backup that is whole, until the end of the block.

    Raise HubError with a sentence if it is not whole, or is newer than this program. No part is taken that is larger than
    it can be, and the database is never in memory as a whole.
    """
    with ExitStack() as at_end:
        with _refusals(file):
            check_file(file)
            archive = at_end.enter_context(zipfile.ZipFile(file))
            about = _about(file, archive)
            names = [name for name in about.files if name == CONFIG or name.startswith("config/decks/")]
            names += [name for name in (f"state/{key}" for key in KEYS) if name in about.files]
            if len(names) > len(KEYS) + 1 + MOST_DECKS:
                raise ValueError(names)
            parts = {name: _small(archive, name) for name in names}
            database = Path(at_end.enter_context(_scratch()), DATABASE)
            hashes = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
            hashes[f"state/{DATABASE}"] = _unpack(archive, f"state/{DATABASE}", database)
            opened = at_end.enter_context(database.open("rb"))
            lengths = all(
                not size or len(parts.get(f"state/{name}", bytes(size))) == size for name, size in KEYS.items()
            )
            if any(about.files.get(name) != found for name, found in hashes.items()) or not lengths:
                raise ValueError(names)
            with _opened(database) as db:
                (form,) = db.execute("PRAGMA user_version").fetchone()
                if form > READS_UP_TO:
                    raise HubError(_newer(file, form, READS_UP_TO))
                if form < 0 or not is_ours(db):  # looked at first: nothing of anybody else's is ever run
                    raise HubError(f"The database in {file} is not one of a hub; nothing was changed.")
                if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                    raise ValueError(form)
        yield Backup(about, parts, database, opened)


def about(file: Path) -> About:
    """Return what a backup says of itself; its other parts are not looked at. Raise HubError."""
    with _refusals(file):
        check_file(file)
        with zipfile.ZipFile(file) as archive:
            return _about(file, archive)


@contextmanager
def _refusals(file: Path) -> Iterator[None]:
    """Turn what an unreadable or damaged backup raises into HubError."""
    try:
        yield
    except OSError as error:
        raise HubError(f"{file} cannot be read or unpacked ({error.strerror}).") from None
    except (
        zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError, zlib.error, sqlite3.Error,
    ):  # fmt: skip
        raise HubError(f"{file} is no backup of a hub, or it is damaged; nothing was changed.") from None


def _about(file: Path, archive: zipfile.ZipFile) -> About:
    """Return what a backup says of itself. Raise HubError for a newer form, ValueError for none that there is."""
    data = _small(archive, ABOUT)
    form = msgspec.json.decode(data, type=dict[str, Any]).get("form")
    if isinstance(form, int) and form > FORM:
        raise HubError(_newer(file, form, FORM))
    about = msgspec.json.decode(data, type=About)
    if about.form != FORM:
        raise ValueError(about.form)
    return about


def _entry(archive: zipfile.ZipFile, name: str, most: int) -> zipfile.ZipInfo:
    """Return a part that says it has at most so many bytes: zipfile reads no more of it. Raise KeyError or ValueError."""
    entry = archive.getinfo(name)
    if entry.file_size > most or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(name)
    return entry


def _small(archive: zipfile.ZipFile, name: str) -> bytes:
    return archive.read(_entry(archive, name, MOST_BYTES))


def _unpack(archive: zipfile.ZipFile, name: str, to: Path) -> str:
    """Write a database into a file of its own and return its SHA-256. Raise ValueError if it is none."""
    digest = hashlib.sha256()
    with archive.open(_entry(archive, name, LARGEST_DATABASE)) as data, to.open("xb") as out:
        while piece := data.read(PIECE):
            if not out.tell() and not piece.startswith(SQLITE):
                raise ValueError(name)
            digest.update(piece)
            out.write(piece)
    return digest.hexdigest()


def _newer(file: Path, form: int, known: int) -> str:
    return f"{file} was written by a newer table-hub (form {form}; this one reads {known}): install that one first."


# --- bringing one back ---------------------------------------------------------------------------------


def restore(args: Namespace) -> int:
    """Bring back what a backup holds; what is there now is set aside, not deleted. No hub may run."""
    target = owners_file(args.config)
    date = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H-%M-%S.%fZ")
    with ExitStack() as locks:
        saved = locks.enter_context(read(args.file))
        held = holds(saved.database, saved.parts)
        print(f"{args.file} of {saved.about.made}, written by table-hub {saved.about.version}: {held}")
        staged = None
        if CONFIG in saved.parts and not args.keep_config:
            if target is None:
                raise HubError("Where is the configuration to be? Give --config FILE, or --keep-config for none.")
            staged = locks.enter_context(_staged(saved, Path(target).expanduser(), date))
        config = staged.config if staged else load(target)
        folders = {Path(config.hub.state)}
        if target and Path(target).expanduser().exists():
            with suppress(ConfigError):  # it may be why a backup is wanted
                folders.add(Path(load(target).hub.state))
        for folder in sorted(folders):
            with as_owner_of(folder):
                locks.enter_context(while_no_hub_runs(folder))
        folder = Path(config.hub.state)
        tables = [table.id for table in config.table]
        with as_owner_of(folder):
            aside = _restore_state(saved, folder, tables, date)
        if staged:
            staged.put()
    if aside:
        print(f"What was in {folder} is set aside in {aside}: remove it once you miss nothing.")
    for line in (*(staged.told if staged else ()), *_not_in_it(config)):
        print(line)
    print(f"The hub's record is back in {folder}; start the hub.")
    return 0


class Staged(NamedTuple):
    """A configuration beside the one it is to replace: `files` by where they go; `told` is what became of the present one."""

    config: Config
    files: Mapping[Path, Path]
    date: str
    told: list[str]

    def put(self) -> None:
        """Set the present files aside and put these in their places. Raise HubError."""
        for place, new in self.files.items():
            try:
                if place.exists() and place.read_bytes() == new.read_bytes():
                    continue
                if place.exists():
                    aside = place.with_name(f"{place.name}.{ASIDE}{self.date}")
                    place.rename(aside)
                    self.told.append(f"{place} is set aside as {aside.name}.")
                new.rename(place)
                sync(place.parent)
            except OSError as error:
                raise HubError(f"{place} cannot be written ({error.strerror}); its backup is {new}.") from None


@contextmanager
def _staged(saved: Backup, target: Path, date: str) -> Iterator[Staged]:
    """Write the configuration beside the present one, and try it. Lists of cards go beside it, under their game's name.

    Raise HubError where it may not be written, or cannot be used on this machine.
    """
    files: dict[Path, Path] = {}
    try:
        try:
            document = tomlkit.parse(saved.parts[CONFIG].decode())
            for deck in document.get("deck", ()):
                cards = saved.parts.get(f"config/decks/{deck['game']}.toml")
                if cards is not None and re.fullmatch("[a-z0-9-]+", deck["game"]):  # else it is no part of a path
                    place = target.parent / f"cards-{deck['game']}.toml"
                    deck["cards"] = place.name
                    files[place] = _write_beside(place, cards)
            files[target] = _write_beside(target, tomlkit.dumps(document).encode())
        except (ValueError, KeyError, TypeError, AttributeError):  # tomlkit's and Unicode's are ValueErrors
            raise HubError("The configuration in the backup cannot be read; --keep-config restores the rest.") from None
        except OSError as error:
            raise HubError(
                f"{target} cannot be written ({error.strerror}): ask with sudo, or with --keep-config."
            ) from None
        try:
            config = load(files[target])
        except ConfigError as error:
            raise HubError(
                f"The configuration in the backup cannot be used ({error}) --keep-config restores the rest."
            ) from None
        yield Staged(config, files, date, [])
    finally:
        for new in files.values():
            with suppress(OSError):
                new.unlink(missing_ok=True)


def _write_beside(place: Path, data: bytes) -> Path:
    """Write data under another name in the folder of `place`, readable by whom `place` is; return where."""
    place.parent.mkdir(parents=True, exist_ok=True)
    new = place.with_name(f".{place.name}.restored")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
        out.write(data)
        present = place.stat() if place.exists() else None
        os.fchmod(out.fileno(), present.st_mode & 0o777 if present else 0o644)
        if present:
            with suppress(OSError):
                os.fchown(out.fileno(), present.st_uid, present.st_gid)
        out.flush()
        os.fsync(out.fileno())
    return new


def _restore_state(saved: Backup, folder: Path, tables: list[str], date: str) -> Path | None:
    """Set aside what a hub wrote into the folder, and put the parts of a backup there. Return where the former is.

    The database comes last: where the power goes before, there is none, and the next restore begins again.
    """
    aside, coming = folder / f"{ASIDE}{date}", folder / RESTORED
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        coming.mkdir(mode=0o700, exist_ok=True)
        before = _present_epochs(folder)
        keys = [name for name in KEYS if f"state/{name}" in saved.parts]
        for name in keys:
            with _new_private(coming / name) as out:
                out.write(saved.parts[f"state/{name}"])
        with _new_private(coming / DATABASE) as out:
            saved.opened.seek(0)
            shutil.copyfileobj(saved.opened, out, PIECE)
        _raise_epochs(coming / DATABASE, max(int(time.time()), *before.values(), 0), [*tables, *before])
        aside.mkdir(mode=0o700)
        own = [one for one in OWN_FILES if one != STAFF]  # no backup has a PIN: the one of this machine stays
        present = sorted(file for one in own for file in folder.glob(one) if not file.is_dir())
        present = [file for file in present if not file.relative_to(folder).parts[0].startswith((ASIDE, RESTORED))]
        for file in present:
            place = aside / file.relative_to(folder)
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.rename(place)
        for name in (*keys, DATABASE):
            (coming / name).rename(folder / name)
        coming.rmdir()
        if not present:
            aside.rmdir()
        sync(folder)
    except OSError as error:
        raise HubError(f"{error.filename}: cannot be written ({error.strerror}); what was there is kept.") from None
    except sqlite3.Error as error:
        raise HubError(f"{coming / DATABASE} cannot be written ({error}); nothing was changed.") from None
    return aside if present else None


@contextmanager
def _new_private(file: Path) -> Iterator[BinaryIO]:
    """Open a new file for its user alone; at the end of the block the disk has it. Raise OSError."""
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as out:
        yield out
        out.flush()
        os.fsync(out.fileno())


def _present_epochs(folder: Path) -> dict[str, int]:
    """Return the epoch of each table in the database of a folder, as far as it can be read."""
    with suppress(sqlite3.Error, OSError), ExitStack() as at_end:
        copy = copied(folder, Path(at_end.enter_context(tempfile.TemporaryDirectory())))
        return _epochs(at_end.enter_context(closing(sqlite3.connect(copy))))
    return {}


def _epochs(db: sqlite3.Connection) -> dict[str, int]:
    found = {}
    for table, value in db.execute("SELECT \"table\", value FROM kept WHERE name = 'epoch'"):
        with suppress(ValueError, TypeError):
            found[str(table)] = msgspec.json.decode(bytes(value), type=int)
    return found


def _raise_epochs(database: Path, floor: int, tables: list[str]) -> None:
    """Let the epochs of all tables go on above `floor`: what a phone asked before the restore counts no more.

    Epochs rise less than once a second, so the seconds since 1970 are above every one of a hub that lived on meanwhile, on
    this machine or another. Raise sqlite3.Error.
    """
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous=FULL")
        known = _epochs(db)
        for table in {*tables, *known}:
            value = str(max(floor, known.get(table, 0))).encode()
            db.execute("INSERT OR REPLACE INTO kept (\"table\", name, value) VALUES (?, 'epoch', ?)", (table, value))
