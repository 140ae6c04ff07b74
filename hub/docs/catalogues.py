"""Keep the catalogs of all languages up to date with the messages of the program.

    .venv/bin/python -m hub.docs.catalogues               renew hub/locale/table-hub.pot and every language's .po
    .venv/bin/python -m hub.docs.catalogues --guess       the same, and offer translations of similar messages as "fuzzy"
    .venv/bin/python -m hub.docs.catalogues new LANGUAGE  start a language: "fr", "pt_BR"
    .venv/bin/python -m hub.docs.catalogues missing       list the messages that a language has no translation for

`make catalogues` is the first of them, and `hub/docs/messages.py` says what a message is. A file that has lost messages is
refused, and then none is written. `table-hub translate-game` does the same for the game of a package.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog

from hub.authoring.translations import DamagedCatalog, key, missing, read, replace, template, written
from hub.docs.messages import ROOT, messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LOCALE = ROOT / "hub" / "locale"
TEMPLATE = LOCALE / "table-hub.pot"


def renewed(file: Path, found: Catalog, *, guess: bool = False) -> bytes:
    """Return a language's file with the messages of today. Raise DamagedCatalog.

    Each run leaves every message of the template in every file. So a file that lacks one was cut off, or badly merged.
    """
    catalogue = read(file)
    lost = [one for one in read(TEMPLATE) if one.id and catalogue.get(one.id, one.context) is None]
    if lost:
        raise DamagedCatalog(
            f"{file} has lost {len(lost)} of the messages in {TEMPLATE.name}, the first is {key(lost[0].id)!r}: "
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


def files() -> list[Path]:
    """Return the file of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/table-hub.po"))


def start(language: str) -> Path:
    """Start a language and return its file. Raise FileExistsError."""
    file = LOCALE / language / "LC_MESSAGES" / "table-hub.po"
    file.parent.mkdir(parents=True)
    begun = Catalog(locale=language, project="table-hub", charset="utf-8", fuzzy=False, header_comment="# table-hub")
    begun.update(template(messages()))
    file.write_bytes(written(begun))
    return file


def main(argv: Sequence[str]) -> int:
    """Run one of the commands and return its exit code."""
    try:
        match argv:
            case [] | ["--guess"]:
                changed = renew(guess=bool(argv))
                sys.stdout.writelines(f"{file.relative_to(ROOT)} is new.\n" for file in changed)
            case ["new", language]:
                sys.stdout.write(f"{start(language).relative_to(ROOT)} is new.\n")
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
