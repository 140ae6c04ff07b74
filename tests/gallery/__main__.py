"""Make the gallery: `python -m tests.gallery [SECTION ..] [--folder F] [--before FOLDER | --against REV]`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chromium import HEADLESS, NONE, headless
from tests.gallery.difference import Change, compare
from tests.gallery.moments import every, repeated
from tests.gallery.page import page
from tests.gallery.pictures import Gallery
from tests.gallery.running import of_the_program

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "gallery"


def photograph(folder: Path, sections: list[str], language: str) -> dict[tuple[str, str], dict[str, str]]:
    """Photograph the moments into a folder; return the files of each."""
    moments = every(*sections)
    if twice := repeated(moments):
        sys.exit(f"Two moments have one name: {', '.join(twice)}")
    print(f"{len(moments)} moments", flush=True)
    with headless() as browser:
        with Gallery(folder, browser, moments, language) as gallery:
            for number, moment in enumerate(moments, 1):
                print(f"{number:3} {moment.section}: {moment.name}", flush=True)
                gallery.take(moment)
        if not sections or any("staff".startswith(section.lower()) for section in sections):
            gallery.taken.update(of_the_program(folder, browser))
    return gallery.taken


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
    parser.add_argument("section", nargs="*", help="sections by the beginning of their names, as bidness; else all")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--language", default="en", help="the language of phones and screens")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--before", type=Path, metavar="FOLDER", help="show what differs from an earlier run")
    other.add_argument("--against", metavar="REV", help="show what differs from another revision")
    args = parser.parse_args()
    if HEADLESS is None:
        sys.exit(NONE)
    begun = time.monotonic()
    if args.before and args.before.resolve() == args.folder.resolve():
        sys.exit("--before is the folder that this run writes: copy it first.")
    shutil.rmtree(args.folder, ignore_errors=True)
    args.folder.mkdir(parents=True)
    taken = photograph(args.folder, args.section, args.language)
    changes, against = differences(args)
    index = args.folder / "index.html"
    index.write_text(page(taken, changes, against))
    pictures = sum(map(len, taken.values()))
    print(f"{index.resolve()}: {pictures} pictures in {time.monotonic() - begun:.0f} s")
    if changes is not None:
        print(f"{len(changes)} differ from {against}")


if __name__ == "__main__":
    main()
