"""Make the gallery: `python -m tests.gallery [SECTION | GAME ..] [--folder F] [--before FOLDER | --against REV]`.

GAME is the folder of your own game. What does not fit on a screen at one of its moments is listed in the end.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from hub.errors import StartRefused
from hub.operations.game_folder import game_in, package_folder
from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.difference import Change, compare
from tests.gallery.laws import Trouble, cut, hidden_decisions
from tests.gallery.moments import every, of_game, repeated, section_names
from tests.gallery.page import page
from tests.gallery.pictures import Gallery
from tests.gallery.running import of_the_program

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "gallery"


def photograph(
    folder: Path, sections: list[str], language: str, own: list[str]
) -> tuple[dict[tuple[str, str], dict[str, str]], list[Trouble]]:
    """Photograph the moments of sections and of an author's games into a folder.

    Return the files of each, and what does not fit on a screen at the moments of those games.
    """
    of_own = [moment for game in own for moment in of_game(game)]
    moments = [*of_own, *(every(*sections) if sections or not own else [])]
    if twice := repeated(moments):
        sys.exit(f"Two moments have one name: {', '.join(twice)}")
    print(f"{len(moments)} moments", flush=True)
    with headless() as browser:
        with Gallery(folder, browser, moments, language) as gallery:
            for number, moment in enumerate(moments, 1):
                print(f"{number:3} {moment.section}: {moment.name}", flush=True)
                gallery.take(moment)
            troubles = [*hidden_decisions(gallery, of_own)[0], *cut(gallery, of_own)]
        if (not sections and not own) or any("staff".startswith(section.lower()) for section in sections):
            gallery.taken.update(of_the_program(folder, browser))
    return gallery.taken, troubles


def of_revision(revision: str, folder: Path, sections: list[str]) -> None:
    """Make the gallery of another revision with the programs of this one, in a work tree of its own."""
    with TemporaryDirectory() as tree:
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", "--force", tree, revision], check=True)
        try:
            shutil.copytree(ROOT / "tests" / "gallery", Path(tree) / "tests" / "gallery", dirs_exist_ok=True)
            modules = Path(tree) / "phone_ui" / "node_modules"
            if not modules.exists():
                modules.symlink_to(ROOT / "phone_ui" / "node_modules")
            command = [sys.executable, "-m", "tests.gallery", *sections, "--folder", str(folder.resolve())]
            subprocess.run(command, cwd=tree, check=True)
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)


def differences(args: Namespace) -> tuple[list[Change] | None, str]:
    """Return what differs from the run that is named, and its name; None where none is."""
    before: Path | None = args.before
    if args.against:
        before = FOLDER.with_name(f"gallery-{args.against.replace('/', '-')}")
        of_revision(args.against, before, args.section)
    if before is None:
        return None, ""
    return compare(before, args.folder, args.folder / "changes"), args.against or str(before)


def main() -> None:
    parser = ArgumentParser(prog="make gallery", description=__doc__)
    parser.add_argument(
        "section",
        nargs="*",
        help="sections by the beginning of their names, as bidness, or folders of your own games; else all",
    )
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--language", default="en", help="the language of phones and screens")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--before", type=Path, metavar="FOLDER", help="show what differs from an earlier run")
    other.add_argument("--against", metavar="REV", help="show what differs from another revision")
    args = parser.parse_args()
    if HEADLESS is None:
        sys.exit(NONE)
    logging.getLogger("tests.phone_ui.fake_hub").setLevel(logging.ERROR)  # its warnings are for tests that fail
    begun = time.monotonic()
    try:
        own = [name for given in args.section if (name := game_in(given))]
    except StartRefused as error:
        sys.exit(f"{error}")
    sections = [given for given in args.section if not package_folder(Path(given))]
    for section in sections:
        if not section_names(section):
            sys.exit(f"There is no section {section}, and no game in a folder of that name.")
    if args.before and args.before.resolve() == args.folder.resolve():
        sys.exit("--before is the folder that this run writes: copy it first.")
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    taken, troubles = photograph(args.folder, sections, args.language, own)
    changes, against = differences(args)
    index = args.folder / "index.html"
    index.write_text(page(taken, changes, against))
    pictures = sum(map(len, taken.values()))
    print(f"{index.resolve()}: {pictures} pictures in {time.monotonic() - begun:.0f} s")
    for name, size, what in troubles:
        print(f"{name}, {size[0]}x{size[1]}: {what}")
    if changes is not None:
        print(f"{len(changes)} differ from {against}")


if __name__ == "__main__":
    main()
