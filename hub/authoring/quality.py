"""What a game needs to be good, in four levels, and how far the game of a package is (`table-hub check-game`).

A check is a function that raises an error if something is missing, and returns a few words about what it found.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path
from subprocess import CalledProcessError
from typing import NamedTuple

from hub import games
from hub.authoring import arena, laws, one_match, playthroughs, scenarios, screen_names, source
from hub.authoring.guides import GUIDE_LAWS, guide_of
from hub.authoring.house_laws import HOUSE_LAWS
from hub.authoring.laws import Invariant, Law
from hub.authoring.sentences import UNASKED, questions, said
from hub.authoring.time_limit import Endless, begin_again, limited
from hub.authoring.translations import MOST_LETTERS, misplaced, too_long, untranslated
from hub.engine.match import Match
from hub.errors import ReplayDiverged, RulesBug, StartRefused
from hub.languages import WRITTEN_IN, language_of, languages
from hub.operations.game_folder import place

LEVELS = ("bronze", "silver", "gold", "platinum")
ASKS = {
    "bronze": "Can it be played? Every match ends, no secret is shown, wrong moves change nothing.",
    "silver": "Are its rules proved and explained? Scenarios, recorded matches, a guide.",
    "gold": "Does the house play it well and give hints?",
    "platinum": "Can people play it in every language of table-hub?",
}
MATCHES = 6
"""How many matches each law is tried on."""
HOUSE_MATCHES = 2
"""The same for the house, which takes ten times as long as play by chance."""
SHOWN_FAILURES = 5
MISTAKE = "If you did not mean that, look for a mistake. If you did,"
HOUSE = "house.py"
PLAYED, SEEN = "playthroughs", "seen.toml"


class Several(AssertionError):
    """Several things are wrong: a line each."""


class Check(NamedTuple):
    """Something that a level asks for: a sentence, and what finds out whether it is so.

    - `first`: if it is not met, the checks after it are not tried.
    - `has_figure`: what it finds is worth reading, met or not.
    """

    level: str
    title: str
    run: Callable[[], str]
    first: bool = False
    has_figure: bool = False


class Result(NamedTuple):
    """What a check found: a few words, and whether that is enough.

    - `warns`: it is met, but there is something to know.
    - `is_last`: the checks after it are not tried.
    """

    check: Check
    found: str
    is_met: bool
    warns: bool = False
    is_last: bool = False


def checks(name: str, matches: int = MATCHES) -> Iterator[Check]:
    """Yield all checks of a packaged game, level by level."""
    few = min(matches, HOUSE_MATCHES)
    yield Check(
        "bronze",
        "The rulebook is rules and nothing else: no clock, no file, no chance of its own.",
        partial(_clean, name, "rulebook.py"),
    )
    for law in laws.LAWS:
        tried = _ends if law is laws.ends else law
        yield Check("bronze", _sentence(law), partial(_keeps, tried, name, matches), first=law is laws.ends)
    yield Check("bronze", "Every preset of the lobby starts a match.", partial(_starts_presets, name))
    yield Check("bronze", "A match does not depend on the order of sets and hashes.", partial(_same_everywhere, name))
    yield Check(
        "bronze", "The result says what its scores count ([screen] scored or score).", partial(_names_scores, name)
    )
    yield Check(
        "bronze",
        "What the labels name occurs in matches: paths, facts, kinds of events.",
        partial(screen_names.all_occur, name, matches),
    )
    yield Check(
        "bronze",
        f"The short names of moves have at most {MOST_LETTERS} letters, for seat boxes.",
        partial(_names_fit, name, WRITTEN_IN),
    )

    yield Check("silver", "The rulebook names each rule where it carries it out.", partial(_names_rules, name))
    yield Check("silver", "Every scenario plays as it says, and every rule has one.", partial(_plays_scenarios, name))
    yield Check("silver", "Recorded matches look as they did (--record writes them).", partial(_looks_the_same, name))
    for guide_law in GUIDE_LAWS:
        yield Check("silver", _sentence(guide_law), partial(_told, guide_law, name))

    yield Check(
        "gold", "The game has a house player of its own, which imports only what it may.", partial(_has_house, name)
    )
    for law in HOUSE_LAWS:
        yield Check("gold", _sentence(law), partial(_keeps, law, name, few))
    yield Check("gold", "The house gives a reason for its hints.", partial(_gives_reasons, name))
    for seats in dict.fromkeys(games.find(name).seats):
        yield Check(
            "gold",
            f"Among {seats} players, steady wins more than its share against random play.",
            partial(arena.beats_random_play, name, seats),
        )
        yield Check(
            "gold",
            f"Among {seats} players, sharp does not clearly win less than its share against steady.",
            partial(arena.is_no_worse_than_steady, name, seats),
        )
    yield Check(
        "gold",
        "Sharp decides quickly enough for a small computer.",
        partial(arena.decides_in_time, name),
        has_figure=True,
    )

    yield Check(
        "platinum",
        "Something is checked after every action that must always be true (invariants.py).",
        partial(_has_invariant, name),
    )
    for language, known_as in languages().items():
        if language != WRITTEN_IN:
            yield Check("platinum", f"Everything is translated: {known_as}.", partial(_translated, name, language))


def results(name: str, matches: int = MATCHES) -> Iterator[Result]:
    """Yield what each check of a packaged game finds.

    The last one is not met and must be before others are tried, or does not end, or is the last of all. The code of the game may raise any error: it fails the check.
    """
    folder = games.files_of(name).folder
    for check in checks(name, matches):
        try:
            with limited(check.title):
                result = Result(check, check.run(), is_met=True)
        except KeyboardInterrupt:
            raise
        except arena.TooSlow as slow:
            result = Result(check, f"{slow}", is_met=True, warns=True)
        except BaseException as error:  # noqa: BLE001 - the code of the author may even end the program
            why = _why(error, folder if isinstance(folder, Path) else None)
            result = Result(check, why, is_met=False, is_last=check.first or isinstance(error, Endless))
        yield result
        if result.is_last:
            return


def level_of(found: Sequence[Result]) -> str:
    """Return the highest level whose checks, and those of the levels below it, are all met; "" if there is none."""
    failed = {one.check.level for one in found if not one.is_met}
    return [*["", *takewhile(lambda level: level not in failed, LEVELS)]][-1]


def invariant_of(name: str) -> Invariant | None:
    """Return the function `check` of a packaged game's `invariants.py`, if it has one."""
    parts = games.packaged().games.get(name)
    module = parts.rulebook.replace(".rulebook", ".invariants") if parts else ""
    if not module or not find_spec(module):
        return None
    check: Invariant | None = getattr(import_module(module), "check", None)
    assert callable(check), "invariants.py has no function check(match)"
    return check


def record(name: str) -> Path:
    """Record matches of a packaged game by which later versions are compared, and return their folder.

    Raise StartRefused if the matches that are there cannot be played any more and `version` is not raised: then nothing
    is written.
    """
    folder = _folder(name) / PLAYED
    before = playthroughs.version(name, folder)
    if games.find(name).version <= before and not playthroughs.still_replay(name, folder):
        raise StartRefused(
            f"The recorded matches cannot be played with these rules. {MISTAKE} raise version in game.toml above "
            f"{before}, then record again."
        )
    playthroughs.keep(name, folder)
    (folder / SEEN).write_text(playthroughs.digests(name, folder), "utf-8")
    return folder


# --- The checks ----------------------------------------------------------------------------------------


def _ends(name: str, seed: int) -> None:
    laws.ends(name, seed, invariant_of(name))


def _keeps(law: Law, name: str, matches: int) -> str:
    for seed in range(matches):
        begin_again()
        try:
            law(name, seed)
        except BaseException as error:
            error.add_note(f"match {seed}")
            raise
    return f"{matches} matches"


def _clean(name: str, file: str) -> str:
    found = source.troubles(_folder(name).joinpath(file).read_text("utf-8"))
    assert not found, f"{file}, {'; '.join(found)}"
    return file


def _same_everywhere(name: str) -> str:
    assert len(one_match.digests(f"{_folder(name)}")) == 1, "the same match differs from one process to the next"
    return "5 matches"


def _starts_presets(name: str) -> str:
    game = games.find(name)
    for preset in game.labels.presets:
        try:
            Match(game, range(1, game.seats[0] + 1), preset.options)
        except StartRefused as error:
            raise AssertionError(f"{preset.name}: {error}") from None
    return f"{len(game.labels.presets)} presets"


def _names_scores(name: str) -> str:
    screen = games.find(name).labels.screen
    assert screen.scored or screen.score, "a number alone says nothing: add scored or score to [screen] in game.toml"
    return ", ".join(screen.scored) if screen.scored else ""


def _names_fit(name: str, language: str) -> str:
    found = too_long(name, language)
    assert not found, f"{_listed({*found})}: [moves] short has at most {MOST_LETTERS} letters"
    return ""


def _names_rules(name: str) -> str:
    missing_rules = scenarios.unnamed(name)
    assert not missing_rules, f"rulebook.py does not name {_listed(missing_rules)}"
    return f"{len(games.find(name).labels.rules)} rules"


def _plays_scenarios(name: str) -> str:
    file = _folder(name) / "scenarios.toml"
    assert file.is_file(), "there is no scenarios.toml"
    found = scenarios.read(file)
    wrong = [f"{one.name!r}: {why}" for one in found if (why := _went_wrong(one))]
    if wrong:
        more = len(wrong) - SHOWN_FAILURES
        raise Several("\n".join([*wrong[:SHOWN_FAILURES], *([f"and {more} more"] if more > 0 else [])]))
    without, unknown = scenarios.unproved(name, found)
    assert not without, f"rules without a scenario: {_listed(without)}"
    assert not unknown, f"scenarios cite what is no rule of game.toml: {_listed(unknown)}"
    return f"{len(found)} scenarios"


def _went_wrong(scenario: scenarios.Scenario) -> str:
    """Return why a scenario does not play as it says; "" if it does."""
    try:
        scenarios.play(scenario)
    except Exception as error:  # noqa: BLE001 - the code of the author
        return _why(error, None)
    return ""


def _looks_the_same(name: str) -> str:
    folder = _folder(name) / PLAYED
    assert (folder / SEEN).is_file(), "no match is recorded"
    try:
        now = playthroughs.digests(name, folder)
    except ReplayDiverged as error:
        raise AssertionError(
            f"a recorded match cannot be played with these rules. {MISTAKE} raise version in game.toml, "
            "then use --record"
        ) from error
    assert now == (folder / SEEN).read_text("utf-8"), (
        f"somebody sees something else in a recorded match. {MISTAKE} use --record"
    )
    return f"{len(playthroughs.logs(name, folder))} matches"


def _told(law: Callable[[str], None], name: str) -> str:
    law(name)
    return f"{len(guide_of(name).lesson)} lessons"


def _has_house(name: str) -> str:
    assert games.find(name).house, f"there is no {HOUSE}"
    _clean(name, HOUSE)
    more = source.house_imports(_folder(name).joinpath(HOUSE).read_text("utf-8"))
    assert not more, f"{HOUSE} imports {_listed(more)}"
    return HOUSE


def _gives_reasons(name: str) -> str:
    assert callable(getattr(games.find(name).house, "reason", None)), f"{HOUSE} has no function reason"
    return ""


def _has_invariant(name: str) -> str:
    assert invariant_of(name), "there is no invariants.py"
    return "invariants.py"


def _translated(name: str, language: str) -> str:
    file = _folder(name) / "locale" / language / "LC_MESSAGES" / f"{name}.po"
    renew = f"`table-hub translate-game FOLDER {language}`"
    assert file.is_file(), f"there is no {file.relative_to(_folder(name))}: start it with {renew}"
    wrong = misplaced(file)
    assert not wrong, f"translations with other placeholders than their message: {'; '.join(wrong[:SHOWN_FAILURES])}"
    _names_fit(name, language)
    left = untranslated(name, file)
    assert not left, f"{len(left)} without a translation, the first is {left[0]!r}: {renew} adds what is new"
    speech = language_of(language, name)
    heard = {text for seed in range(MATCHES) for text in (*said(name, seed), *questions(name, seed))}
    unknown = sorted(text for text in heard if text and not UNASKED.match(text) and speech.translate(text).unknown)
    assert not unknown, (
        f"no translation is found for {len(unknown)} sentences, such as {unknown[0]!r}: are they written in say(...) or tell(...)?"
    )
    return f"{len(heard)} sentences of {MATCHES} matches"


# --- Words ---------------------------------------------------------------------------------------------


def _folder(name: str) -> Path:
    folder = games.files_of(name).folder
    assert isinstance(folder, Path), "it is installed as a file: name the folder of its source"
    return folder


def _sentence(law: Callable[..., None]) -> str:
    return (law.__doc__ or "").partition("\n")[0]


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))


def _why(error: BaseException, folder: Path | None) -> str:
    """Return why a check is not met, with the place in the author's files, or the line of the check."""
    notes: list[str] = getattr(error, "__notes__", [])
    while isinstance(error, RulesBug) and error.__cause__:
        error = error.__cause__  # what the rules or the house player raised
    frames = traceback.extract_tb(error.__traceback__)
    own = place(error, folder) if folder else ""
    text = f"{error}" if isinstance(error, Several) else " ".join(f"{error}".split()) or (frames[-1].line or "")
    if isinstance(error, Endless):
        own = ""  # it says where
    elif isinstance(error, CalledProcessError):
        text = error.stderr.strip().rpartition("\n")[2]
    elif not isinstance(error, AssertionError):
        text = f"{type(error).__name__}: {text}"
    where = [*notes, *([own] if own else [])]
    return f"{', '.join(where)}: {text}" if where else text
