"""The commands for authors of games: `table-hub new-game | play | check-game | translate-game`."""

from __future__ import annotations

import functools
import signal
import sys
import time
from argparse import Namespace
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from hub import games
from hub.authoring.find import find_game
from hub.authoring.new_game import new_game
from hub.authoring.time_limit import Endless, limited
from hub.errors import HubError
from hub.operations.game_folder import package_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hub.authoring.quality import Result


def plainly(command: Callable[..., int]) -> Callable[..., int]:
    """Return the command with one sentence for a file that cannot be read or written."""

    @functools.wraps(command)
    def run(*given: Any) -> int:
        try:
            return command(*given)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise HubError(f"{error.filename or 'A file'} cannot be used: {error.strerror}.") from None

    return run


@plainly
def write_new_game(args: Namespace) -> int:
    """Write the folder of a new game and say what comes next."""
    folder = new_game(args.name, Path(args.within), args.like and Path(args.like))
    what = "a small game that works: everybody bids coins in secret for cards"
    print(f"{folder} is {f'a copy of the game in {args.like}' if args.like else what}. Change it into yours.")
    print(f"  table-hub play {folder} --watch    plays it; it starts again when you change a file")
    print(f"  table-hub check-game {folder}      says what is missing, and what is wrong")
    return 0


@plainly
def check_game(args: Namespace) -> int:
    """Print what each check of a game finds, and its level; return 1 if the level is lower than the wanted one."""
    from hub.authoring.quality import ASKS, LEVELS, level_of, record, results

    if not __debug__:
        raise HubError("The checks need Python without -O.")
    with limited("The start of a match"):
        name = find_game(args.game)
    if args.record:
        try:
            with limited("A match to record"):
                print(f"Matches are recorded in {record(name)}.")
        except Endless as error:
            raise HubError(f"No match can be recorded: {error}") from None
    found: list[Result] = []
    try:
        for one in results(name, args.matches):
            if not found or one.check.level != found[-1].check.level:
                print(f"\n{one.check.level.capitalize()}: {ASKS[one.check.level]}")
            mark = "WARN" if one.warns else "ok  " if one.is_met else "FAIL"
            print(f"  {mark}  {one.check.title}", flush=True)
            if not one.is_met or one.check.has_figure:
                print(indent(one.found, "        "))
            found.append(one)
    except KeyboardInterrupt:
        print("\nStopped before all was checked.", file=sys.stderr)
        return 130
    level = level_of(found)
    print(f"\n{games.find(name).title} is {level or 'not bronze yet'}.{_next(level, found)}")
    return 0 if level and LEVELS.index(level) >= LEVELS.index(args.level) else 1


def _next(level: str, found: Sequence[Result]) -> str:
    from hub.authoring.quality import LEVELS

    higher = LEVELS[LEVELS.index(level) + 1 :] if level else LEVELS
    if not higher:
        return ""
    left = sum(one.check.level == higher[0] and not one.is_met for one in found)
    if found[-1].is_last:
        return " The other checks can be tried once this one is met."
    return f" For {higher[0]}, {left} {'check is' if left == 1 else 'checks are'} left."


@plainly
def translate_game(args: Namespace) -> int:
    """Renew a game's translations, start others, and say which files changed."""
    from hub.authoring.translations import missing
    from hub.authoring.translations import translate_game as translate

    changed = translate(args.game, args.languages)
    for file in changed:
        left = len(missing(file))
        told = f"{left} {'has' if left == 1 else 'have'} no translation yet" if left else "all are translated"
        print(f"{file} has the messages of the game now: {told}.")
    if not changed:
        print("Every translation file has the messages of the game already.")
    return 0


@plainly
def watch(args: Namespace, arguments: Sequence[str], first: Sequence[str]) -> int:
    """Play a game on a hub that starts again after each change.

    `arguments` are those of the same command without --watch; `first` are added when it starts for the first time.
    """
    from hub.authoring.watch import run_again

    folder = package_folder(Path(args.game))
    if folder is None:
        raise HubError(f"There is no game in a folder {args.game}: --watch needs the folder of its source.")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the hub must not go on alone
    command = [sys.executable, "-P", "-m", "hub", *arguments]
    run_again(command, [*command, *first], folder, time.sleep, lambda text: print(text, flush=True))
    return 0
