"""Find every text that people read, and keep the catalogues of all languages up to date with them.

    .venv/bin/python -m hub.docs.catalogues              renew hub/locale/table-hub.pot and every language's .po
    .venv/bin/python -m hub.docs.catalogues new LANGUAGE begin a language: "fr", "pt_BR"
    .venv/bin/python -m hub.docs.catalogues missing      list what a language has no text for; exit 1 if there is any

`make catalogues` is the first of them. Which modules speak to people, and what is no text in them, is said here and in
`hub/docs/sentences_python.py` and `hub/docs/sentences_pages.py`. What a language had for a text that has changed is
offered to the translator as "fuzzy", and not shown.
"""

from __future__ import annotations

import ast
import io
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from hub.docs.sentences import Message
from hub.docs.sentences_pages import Script
from hub.docs.sentences_python import of_data, of_guide, of_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "hub" / "locale"
TEMPLATE = LOCALE / "table-hub.pot"

_FORMAT = re.compile("%[sd]")  # of a line for the journal

SPEAKING = (
    "hub/engine/[!cs]*.py",
    "hub/table/**/*.py",
    "hub/display/*.py",
    "hub/display/panels/*.py",
    "hub/network/verbs.py",
    "hub/ports.py",
    "hub/store/keyed.py",
    "hub/store/store.py",
    "hub/venue.py",
    "hub/power.py",
    "hub/isolation.py",
    "phone_ui/claims.py",
    "phone_ui/pages.py",
    "phone_ui/staff_door.py",
    "phone_ui/mqtt_phones.py",
    "drivers/button_box.py",
    "drivers/dice_tray.py",
    "drivers/ble_dice/__init__.py",
    "drivers/camera_tray/vision.py",
    "drivers/common/board_session.py",
    "drivers/simulated/__init__.py",
    "drivers/simulated/dice.py",
)
"""The modules that speak to people at a table or to staff; others speak to owners and developers, in English."""

KEYWORDS = {"say": (0, 1), "say_count": (0, 2), "message": (0, 2), "tell": (1, 2), "Refusal": (0, 1)}
"""The functions whose literal arguments are messages, and which arguments: from the first to before the second number."""

PAGES = "phone_ui/static/**/*.js"
BILINGUAL = "phone_ui/static/lib/again.js"
"""It speaks when no catalog can be loaded."""

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

WORDS: dict[str, tuple[str, ...]] = {
    "": (
        "and",
        "or",
        "with",
        "yes",
        "no",
        "then",
        "a {thing}",
        "an {thing}",
        "the {thing}",
        "A {thing}",
        "An {thing}",
        "win",
        "wins",
        "choosing",
        "on average {dollars} each",
        "easy",
        "steady",
        "sharp",
        "typed",
        "{dice}, 1 is wanted.",
        "{dice}, {count} are wanted.",
        "about {minutes} min",
        "English",
        "free",
        "here",
        "away",
        "once",
        "twice",
        "read",
        "sure",
        "never",
        "chooses",
        "rolls",
    ),
    "bid-and-bait": ("paid", "success"),
    "bid-it": (
        "bidder",
        "caller",
        "Challenge",
        "Perfecto",
        "Double",
        "Redouble",
        "Surrender",
        "{count} {rank}'s",
        "no {rank}'s",
        *_NUMBERS,
    ),
    "bidness": (
        "1 round",
        "Seat {winner} wins in court, {one} to {other}.",
        "of those the most cash",
        "has",
        "have",
        "demand",
        "offer",
        "gains",
        "loses",
        "pays",
        "tech points",
        "marketing points",
        "{what} by {who}",
    ),
}
"""What stands alone in a module, or is put together there, and nothing tells it from a name: by the game that says it."""

SILENT = frozenset(
    (
        "{places}, input",
        "main h1",
        "{row_look} slowly",
        'Spot {number} must say what its {side} side does: {known}, or "" for nothing; not {what}.',
        "[abilities] gives words to {known}; {what} has none, or is unknown.",
        "[abilities] must have words for {missing}.",
        "[prizes] must say for {people} players two numbers from 0 to {sides}: Fish of a Spot with an ability, and of one without.",
        "[lake] must say {key}, a number from 0 to {most}.",
        "The move {name} wants {wanted} beside it, and nothing else.",
        "acknowledge {key}",
        "A bench command is a JSON object.",
        "A request came as a retained message; it was not used.",
        "Accept",
        "Events are asked for by the number of the one that follows them.",
        "Say hub, accept, again or lies to a roll.",
        "Say one thing for a box: press, both, turn, unplug, plug or power_cycle.",
        "Seat 0",
        "The pages' libraries are missing ({lost}): run `make setup` in the clone, or install a wheel that was built after it.",
        "The stack's {pile} is {wanted}, which is none of {list}.",
        "The stack's {pile} must be a list, top card first.",
        "The stack's {pile} names {card}, which {often}.",
        "There is no such panel, or nothing on it yet.",
        "This address does not take that method.",
        "again {match}",
        "cannot be of the kind {kind}: only PAYBACK is payback, and auctioned are ENG, MKT, LAW and CON",
        "cash",
        "choices in-column",
        "choices of-cards",
        "choices pair",
        "claim {say}",
        "code {seat}",
        "does not exist",
        "done {table} {key}",
        "free {seat}",
        "headgrowns A",
        "headgrowns B",
        "house {seat}",
        "is there too often",
        "laptopple A",
        "laptopple B",
        "limit {table}",
        "many across",
        "must say its name, and its kind: {kinds}",
        "must say what it is a suit of: cash, marketers or tech",
        "must say whom it takes: ENG, MKT or LAW",
        "must say {number}, a number from 0 to {most_number}",
        "offer {table}",
        "plug a box in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md",
        "plug in a Bluetooth adapter",
        "plug the tray in with a cable that carries data; a new Pico needs its firmware first: firmware/README.md",
        "reset {table}",
        "round",
        "seat 0",
        "shared {look}",
        "swatphone A",
        "table-hub staff-pin --new",
        "take up {match}",
        "telefishion A",
        "telefishion B",
        "test {table}",
        "the action {facts} of {kind} is unknown: it is A or B.",
        "there is no product {kind}.",
        "vote {key}",
        "{bare_url}/staff",
        "{card} has the symbol {symbol}: there are 1 to 6 and {star}.",
        "{card} has {count} symbols: a card has one or two.",
        "{card} is there twice: a number is there once.",
        "{card} is written {usual}: the lower number first, a star last.",
        "{card} must say copies, a number from 0 to {most_copies}.",
        "{face} is missing: the rules speak of it, so it is listed even with no copies.",
        "{face} must have a {part}.",
        "{face} must have rank {item} (Item) or {description} (Description).",
        "{host}/staff",
        "{move} standing",
        "{words} is not whole: it is product, number, price{value}.",
        "{words} needs whole numbers for number and price.",
        "{title} ({tag}",
        "Messages",
    )
)
"""What looks like a text and is none: names of requests, of styles, of errors that only a program sees."""


def messages() -> list[Message]:
    """Return every message of each context once: what a game says has its name as context, so no game needs another's."""
    found: dict[tuple[str, str], list[Message]] = defaultdict(list)
    for message in _all():
        if message.text not in SILENT and not _FORMAT.search(message.text) and "<!doctype" not in message.text:
            found[message.context, message.text].append(message)
    merged = []
    for (context, text), same in found.items():
        plural = next((one.plural for one in same if one.plural), "")
        merged.append(Message(text, " ".join(sorted({one.where for one in same})), context, plural))
    guessed = {one.plural for one in merged if one.plural and one.where.endswith(".js")}
    return [one for one in merged if one.plural or one.text not in guessed]


def _all() -> Iterator[Message]:
    for pattern in SPEAKING:
        for path in sorted(ROOT.glob(pattern)):
            templates = [*of_templates(path, _where(path))]
            yield from templates
            if path.parent.name != "engine":
                said = {text for one in templates for text in (one.text, one.plural)}
                yield from (one for one in of_module(path, _where(path)) if one.text not in said)
    for path in sorted({*ROOT.glob(PAGES)} - {ROOT / BILINGUAL}):
        for message in Script(path.read_text("utf-8"), _where(path)).messages():
            yield Message(message.text, _where(path), "")
    for data in sorted((ROOT / "hub/games/data").glob("*.toml")):
        game = data.stem.replace("_", "-")
        yield from of_data(data, _where(data), game)
        guide = ROOT / "hub/games/guides" / data.name
        yield from of_guide(guide, _where(guide), game) if guide.exists() else ()
        for path in sorted((ROOT / "hub/games").glob(f"{data.stem}*.py")):
            yield from of_templates(path, _where(path), game)
    for game, words in WORDS.items():
        yield from (Message(word, "hub/docs/catalogues.py", game) for word in words)


def of_templates(path: Path, where: str, context: str = "") -> Iterator[Message]:
    """Yield the templates that a module says by the functions of `hub.engine.text`.

    Babel's own reader of Python misses a call inside of another one's parentheses.
    """
    for call in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS:
            first, several = KEYWORDS[call.func.id]
            texts = [str(one.value) for one in call.args[first:several] if isinstance(one, ast.Constant)]
            if texts and texts[0]:
                yield Message(texts[0], where, context, *texts[1:])


def _where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def template(found: Iterable[Message]) -> Catalog:
    """Return the messages as a catalogue without texts."""
    made = Catalog(project="table-hub", charset="utf-8", fuzzy=False, header_comment="# The texts of table-hub.")
    for one in found:
        key: str | tuple[str, str] = (one.text, one.plural) if one.plural else one.text
        places = [(where.partition(":")[0], 0) for where in one.where.split(" ")]
        made.add(key, locations=sorted(set(places)), context=one.context or None)
    return made


def written(catalogue: Catalog) -> bytes:
    """Return a catalogue as a file, with no date in it: it changes with its texts alone."""
    out = io.BytesIO()
    write_po(out, catalogue, width=110, include_lineno=False, ignore_obsolete=True, sort_output=False)
    lines = out.getvalue().decode().splitlines(keepends=True)
    dated = (
        '"POT-Creation-Date:',
        '"PO-Revision-Date:',
        '"Generated-By:',
        '"Last-Translator:',
        '"Report-Msgid-Bugs-To:',
    )
    return "".join(line for line in lines if not line.startswith(dated)).encode()


def renewed(file: Path, found: Catalog) -> bytes:
    """Return a language's file with the messages of today."""
    with file.open("rb") as opened:
        catalogue = read_po(opened, locale=file.parent.parent.name)
    catalogue.update(found, update_header_comment=False)
    return written(catalogue)


def files() -> list[Path]:
    """Return the file of each language."""
    return sorted(LOCALE.glob("*/LC_MESSAGES/table-hub.po"))


def missing(file: Path) -> list[str]:
    """Return the messages that a language's file has no text for, or one that is only a guess ("fuzzy")."""
    with file.open("rb") as opened:
        read = [one for one in read_po(opened, locale=file.parent.parent.name) if one.id]
    return [f"{one.context or ''}|{one.id}" for one in read if one.fuzzy or not all(_forms(one.string))]


def _forms(string: object) -> list[object]:
    return [*string] if isinstance(string, tuple | list) else [string]


def main(argv: Sequence[str]) -> int:
    """Run one of the commands; its exit code."""
    match argv:
        case []:
            found = template(messages())
            TEMPLATE.parent.mkdir(exist_ok=True)
            TEMPLATE.write_bytes(written(found))
            for file in files():
                file.write_bytes(renewed(file, found))
            return 0
        case ["new", language]:
            file = LOCALE / language / "LC_MESSAGES" / "table-hub.po"
            file.parent.mkdir(parents=True)
            begun = Catalog(
                locale=language, project="table-hub", charset="utf-8", fuzzy=False, header_comment="# table-hub"
            )
            begun.update(template(messages()))
            file.write_bytes(written(begun))
            return 0
        case ["missing"]:
            lost = [f"{file.parent.parent.name}: {one}\n" for file in files() for one in missing(file)]
            sys.stdout.writelines(lost)
            return 1 if lost else 0
    sys.stderr.write(f"{__doc__}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
