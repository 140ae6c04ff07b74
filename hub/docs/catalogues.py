"""Keep the catalogs of all languages up to date with the messages of the program.

    .venv/bin/python -m hub.docs.catalogues               renew hub/locale/table-hub.pot and every language's .po
    .venv/bin/python -m hub.docs.catalogues --guess       the same, and offer translations of similar messages as "fuzzy"
    .venv/bin/python -m hub.docs.catalogues new LANGUAGE  start a language: "fr", "pt_BR"
    .venv/bin/python -m hub.docs.catalogues missing       list the messages that a language has no translation for
    .venv/bin/python -m hub.docs.catalogues package FOLDER [LANGUAGE ...]
                                                          the same for the game in a package's folder; start these languages

`make catalogues` is the first of them, and `hub/docs/messages.py` says what a message is. A file that has lost messages is
refused, and then none is written.
"""

from __future__ import annotations

import io
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.pofile import PoFileError, read_po, write_po

from hub import games, packages
from hub.docs.messages import ROOT, Message, messages, of_packaged_game
from hub.errors import HubError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LOCALE = ROOT / "hub" / "locale"
TEMPLATE = LOCALE / "table-hub.pot"
DATED = ('"POT-Creation-Date:', '"PO-Revision-Date:', '"Generated-By:', '"Last-Translator:', '"Report-Msgid-Bugs-To:')
"""Lines that are left out: a file changes with its messages alone."""


class DamagedCatalog(Exception):
    """A file that cannot be renewed without losing translations, in one sentence."""


def template(found: Iterable[Message]) -> Catalog:
    """Return the messages as a catalog without translations."""
    made = Catalog(project="table-hub", charset="utf-8", fuzzy=False, header_comment="# The messages of table-hub.")
    for one in found:
        key: str | tuple[str, str] = (one.text, one.plural) if one.plural else one.text
        made.add(key, locations=[(where, 0) for where in one.where.split()], context=one.context or None)
    return made


def written(catalogue: Catalog) -> bytes:
    """Return a catalog as a file, with no date in it."""
    out = io.BytesIO()
    write_po(out, catalogue, width=110, include_lineno=False, ignore_obsolete=True, sort_output=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(DATED)).encode()


def read(file: Path) -> Catalog:
    """Return a catalog. Raise DamagedCatalog if the file is not one, or ends in the middle of a line."""
    content = file.read_bytes()
    if not content.endswith(b"\n"):
        raise DamagedCatalog(f"{file} cannot be read: its last line is cut off. Restore it first.")
    try:
        return read_po(io.BytesIO(content), locale=None if file == TEMPLATE else _language(file), abort_invalid=True)
    except (PoFileError, ValueError) as error:
        raise DamagedCatalog(f"{file} cannot be read: {error}. Restore it first.") from None


def renewed(file: Path, found: Catalog, *, guess: bool = False) -> bytes:
    """Return a language's file with the messages of today. Raise DamagedCatalog.

    Each run leaves every message of the template in every file. So a file that lacks one was cut off, or badly merged.
    """
    catalogue = read(file)
    lost = [one for one in read(TEMPLATE) if one.id and catalogue.get(one.id, one.context) is None]
    if lost:
        raise DamagedCatalog(
            f"{file} has lost {len(lost)} of the messages in {TEMPLATE.name}, the first is {_key(lost[0].id)!r}: "
            "restore it first."
        )
    catalogue.update(found, no_fuzzy_matching=not guess, update_header_comment=False)
    return written(catalogue)


def made(*, guess: bool = False) -> dict[Path, bytes]:
    """Return the template and every language with the messages of today. Raise DamagedCatalog."""
    found = template(messages())
    return {file: renewed(file, found, guess=guess) for file in files()} | {TEMPLATE: written(found)}


def renew(*, guess: bool = False) -> list[Path]:
    """Renew the template and every language, and return the files that changed. Raise DamagedCatalog: nothing is written."""
    changed = {file: content for file, content in made(guess=guess).items() if content != file.read_bytes()}
    for file, content in changed.items():
        replace(file, content)
    return [*changed]


def replace(file: Path, content: bytes) -> None:
    """Give a file other content, as a whole or not at all."""
    whole = file.with_name(f"{file.name}.new")
    whole.write_bytes(content)
    whole.replace(file)


def files() -> list[Path]:
    """Return the file of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/table-hub.po"))


def missing(file: Path) -> list[str]:
    """Return the messages that a language has no translation for, or only a guess ("fuzzy"): where they stand, and which."""
    return [
        f"{_language(file)}: {' '.join(name for name, _ in one.locations)}: {_key(one.id)}"
        for one in read(file)
        if one.id and (one.fuzzy or not _is_whole(one.string))
    ]


def _is_whole(translation: object) -> bool:
    return all(translation) if isinstance(translation, tuple | list) else bool(translation)


def start(language: str) -> Path:
    """Start a language and return its file. Raise FileExistsError."""
    file = LOCALE / language / "LC_MESSAGES" / "table-hub.po"
    file.parent.mkdir(parents=True)
    begun = Catalog(locale=language, project="table-hub", charset="utf-8", fuzzy=False, header_comment="# table-hub")
    begun.update(template(messages()))
    file.write_bytes(written(begun))
    return file


def renew_package(folder: Path, languages: Sequence[str] = ()) -> list[Path]:
    """Renew the catalogs in the folder of a package with a game, and start these languages. Return the files that changed.

    `folder` is the Python package, with `game.toml`; it need not be installed. Raise DamagedCatalog: then nothing is written.
    """
    name = _find_game(folder)
    found = template(of_packaged_game(name))
    there = {file.parent.parent.name: file for file in folder.glob(f"locale/*/LC_MESSAGES/{name}.po")}
    new = {one: folder / "locale" / one / "LC_MESSAGES" / f"{name}.po" for one in languages if one not in there}
    made = {}
    for language, file in (there | new).items():
        try:
            locale = Locale.parse(language)
            catalogue = read(file) if language in there else Catalog(locale=locale, header_comment=f"# {name}")
        except (UnknownLocaleError, ValueError):
            raise DamagedCatalog(f"There is no language {language!r}.") from None
        catalogue.project, catalogue.charset, catalogue.fuzzy = name, "utf-8", False
        catalogue.update(found, no_fuzzy_matching=True, update_header_comment=False)
        made[file] = written(catalogue)
    changed = {file: content for file, content in made.items() if not file.exists() or content != file.read_bytes()}
    for file, content in changed.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, content)
    return sorted(changed)


def _find_game(folder: Path) -> str:
    """Return the name of the game in a package's folder, which this process can find then. Raise DamagedCatalog."""
    if str(folder.parent) not in sys.path:
        sys.path.insert(0, str(folder.parent))
    try:
        name = str(tomllib.loads((folder / "game.toml").read_text("utf-8"))["name"])
        games.packaged().games.pop(name, None)  # an installed one may be older
        return games.add(packages.Entry(name, folder.name, folder.name))
    except (OSError, ValueError, KeyError, HubError) as error:
        raise DamagedCatalog(f"{folder} is no Python package with a game: {error}") from None


def _language(file: Path) -> str:
    return file.parent.parent.name


def _key(ids: str | Sequence[str]) -> str:
    return ids if isinstance(ids, str) else ids[0]


def main(argv: Sequence[str]) -> int:
    """Run one of the commands and return its exit code."""
    try:
        match argv:
            case [] | ["--guess"]:
                changed = renew(guess=bool(argv))
                sys.stdout.writelines(f"{file.relative_to(ROOT)} is new.\n" for file in changed)
            case ["new", language]:
                sys.stdout.write(f"{start(language).relative_to(ROOT)} is new.\n")
            case ["package", folder, *languages]:
                changed = renew_package(Path(folder).resolve(), languages)
                sys.stdout.writelines(f"{file} is new.\n" for file in changed)
            case ["missing"]:
                sys.stdout.writelines(f"{one}\n" for file in files() for one in missing(file))
            case _:
                sys.stderr.write(f"{__doc__}\n")
                return 2
    except (DamagedCatalog, FileExistsError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
