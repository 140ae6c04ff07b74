"""Catalogs of translations in gettext's format: of the game in a package, and what the catalogs of the hub need as well."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.pofile import PoFileError, read_po, write_po

from hub import games
from hub.authoring.find import find_game
from hub.authoring.messages import of_packaged_game
from hub.errors import HubError
from hub.languages import WRITTEN_IN
from hub.languages import language_of as language_of_game
from hub.languages import languages as known_languages
from hub.table.boxes.lettering import Lettering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hub.authoring.messages import Message

DATED = ('"POT-Creation-Date:', '"PO-Revision-Date:', '"Generated-By:', '"Last-Translator:', '"Report-Msgid-Bugs-To:')
"""Lines that are left out: a file changes with its messages alone."""
MOST_LETTERS = 12
"""Letters of a move's short name, which stands on narrow buttons and on boxes (`hub/docs/translate.md`)."""
PLACE = re.compile(r"\{\w*\}")


class DamagedCatalog(HubError):
    """A file that cannot be renewed without losing translations, in one sentence."""


def template(found: Iterable[Message], project: str = "table-hub") -> Catalog:
    """Return the messages as a catalog without translations."""
    made = Catalog(project=project, charset="utf-8", fuzzy=False, header_comment=f"# The messages of {project}.")
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
        return read_po(
            io.BytesIO(content), locale=None if file.suffix == ".pot" else language_of(file), abort_invalid=True
        )
    except (PoFileError, ValueError) as error:
        raise DamagedCatalog(f"{file} cannot be read: {error}. Restore it first.") from None


def replace(file: Path, content: bytes) -> None:
    """Give a file other content, as a whole or not at all."""
    whole = file.with_name(f"{file.name}.new")
    whole.write_bytes(content)
    whole.replace(file)


def language_of(file: Path) -> str:
    """Return the language of a catalog."""
    return file.parent.parent.name


def missing(file: Path) -> list[str]:
    """Return the messages that a language has no translation for, or only a guess ("fuzzy"): where they stand, and which."""
    return [
        f"{language_of(file)}: {' '.join(name for name, _ in one.locations)}: {key(one.id)}"
        for one in read(file)
        if one.id and (one.fuzzy or not _is_whole(one.string))
    ]


def _is_whole(translation: object) -> bool:
    return all(translation) if isinstance(translation, tuple | list) else bool(translation)


def misplaced(file: Path) -> list[str]:
    """Return the translations with other placeholders than their message. One of several forms may leave some out."""
    found = []
    for one in read(file):
        wrong = _places(one.string) - _places(one.id)
        if isinstance(one.id, str) and one.string:
            wrong |= _places(one.id) - _places(one.string)
        if one.id and wrong:
            found.append(f"{key(one.id)!r}: {', '.join(sorted(wrong))}")
    return found


def _places(text: str | Sequence[str] | None) -> set[str]:
    return {*PLACE.findall(text if isinstance(text, str) else " ".join(text or ()))}


def too_long(name: str, language: str) -> list[str]:
    """Return the short names of a game's moves, as a seat box writes them, that are longer than its keys."""
    letters = Lettering(language_of_game(language, name))
    written = (letters.write(move.short) for move in games.find(name).labels.moves.values())
    return [one for one in written if len(one) > MOST_LETTERS]


def key(ids: str | Sequence[str]) -> str:
    """Return what identifies a message: its form for one."""
    return ids if isinstance(ids, str) else ids[0]


def translate_game(given: str, languages: Sequence[str] = ()) -> list[Path]:
    """Renew the catalogs of a package's game, and start these languages. Return the files that changed.

    `given` is a folder or a name, as in `find_game`. Raise StartRefused or DamagedCatalog: then nothing is written.
    """
    renewed = renewed_catalogs(find_game(given), languages)
    changed = {file: content for file, content in renewed.items() if not file.exists() or content != file.read_bytes()}
    for file, content in changed.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, content)
    return sorted(changed)


def untranslated(name: str, file: Path) -> list[str]:
    """Return the messages of a packaged game that a catalog has no translation for, or only a guess ("fuzzy")."""
    catalogue = read(file)
    found = [(one, catalogue.get(one.id, one.context)) for one in template(of_packaged_game(name)) if one.id]
    return [key(one.id) for one, got in found if got is None or got.fuzzy or not _is_whole(got.string)]


def renewed_catalogs(name: str, languages: Sequence[str] = ()) -> dict[Path, bytes]:
    """Return the catalogs of a packaged game with the messages of today, and new ones for these languages.

    Raise DamagedCatalog.
    """
    folder = games.files_of(name).folder
    if not isinstance(folder, Path):
        raise DamagedCatalog(f"{name} is installed as a file: name the folder of its source.")
    found = template(of_packaged_game(name), name)
    there = {language_of(file): file for file in folder.glob(f"locale/*/LC_MESSAGES/{name}.po")}
    new = {one: folder / "locale" / one / "LC_MESSAGES" / f"{name}.po" for one in languages if one not in there}
    made = {}
    spoken = [language for language in known_languages() if language != WRITTEN_IN]
    for language in languages:
        if language not in spoken:
            raise DamagedCatalog(
                f"table-hub has no language {language!r} to translate into: it has {', '.join(spoken)}."
            )
    for language, file in (there | new).items():
        catalogue = read(file) if language in there else Catalog(locale=language, header_comment=f"# {name}")
        catalogue.project, catalogue.charset, catalogue.fuzzy = name, "utf-8", False
        catalogue.update(found, no_fuzzy_matching=True, update_header_comment=False)
        made[file] = written(catalogue)
    return made
