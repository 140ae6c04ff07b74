"""What `table-hub check-game` finds in a game: nothing in the one that an author starts from, and each thing that is wrong."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from shutil import copytree

import pytest

from hub import games, languages
from hub.authoring import arena, quality, scenarios, time_limit
from hub.authoring.arena import Figure, Played
from hub.authoring.find import find_game
from hub.authoring.laws import keeps_hidden_cards
from hub.authoring.new_game import new_game
from hub.authoring.quality import LEVELS, Check, Result, level_of, record, results
from hub.authoring.translations import misplaced, read, too_long, translate_game, untranslated, written
from hub.errors import HubError, StartRefused
from hub.operations.game_folder import package_folder

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the games of a test, and their modules."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    known, modules = {*games.packaged().games}, {*sys.modules}
    yield
    for name in {*games.packaged().games} - known:
        del games.packaged().games[name]
    for name in {*sys.modules} - modules:
        del sys.modules[name]


def changed(folder: Path, file: str, old: str, new: str) -> None:
    """Change one place in a file of a game."""
    path = next(folder.rglob(file))
    text = path.read_text("utf-8")
    assert text.count(old) == 1, text.count(old)
    path.write_text(text.replace(old, new), "utf-8")


def forget_catalogs() -> None:
    """Let the next look at a language read its files again."""
    for cached in (languages.languages, languages.language_of, languages._of_package):
        cached.cache_clear()


def failures(folder: Path, level: str) -> list[Result]:
    """Return what is not met of a level, with two matches for each law."""
    wanted = [check for check in quality.checks(find_game(f"{folder}"), 2) if check.level == level]
    return [one for one in run(wanted, folder) if not one.is_met]


def run(checks: list[Check], folder: Path) -> Iterator[Result]:
    """Run some checks only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quality, "checks", lambda name, matches: checks)
        yield from results(find_game(f"{folder}"))


def test_a_new_game_is_gold_once_its_matches_are_recorded_and_its_files_bear_its_name(tmp_path: Path) -> None:
    folder = new_game("odd-tea", tmp_path)
    name = find_game(f"{folder}")
    left = [one for one in results(name, 2) if not one.is_met]
    (missing,) = (one for one in left if one.check.level != "platinum")
    assert missing.found.startswith("no match is recorded")

    record(name)
    assert level_of([*results(name, 2)]) == "gold"
    text = "".join(path.read_text("utf-8") for path in folder.rglob("*") if path.suffix in (".py", ".toml"))
    assert not re.search("first.?game|FG-", text, re.IGNORECASE)
    assert text.count("OT-0") > 40
    assert games.find(name).title == "Odd Tea"


def test_a_translated_game_is_platinum(tmp_path: Path) -> None:
    folder = new_game("plum-tea", tmp_path)
    name = find_game(f"{folder}")
    record(name)
    files = translate_game(f"{folder}", ["de", "fr"])
    assert [file.parent.parent.name for file in files] == ["de", "fr"]
    assert translate_game(f"{folder}") == [], "nothing has changed"
    for file in files:
        assert untranslated(name, file)
        catalogue = read(file)
        for message in catalogue:
            if message.id:
                message.string = message.id if isinstance(message.id, str) else [*message.id]
        file.write_bytes(written(catalogue))
        assert untranslated(name, file) == []
    forget_catalogs()
    assert level_of([*results(name, 2)]) == "platinum"


WRONG: dict[str, tuple[str, str, str, str, str]] = {
    "chance": ("bronze", "rulebook.py", "CARDS = (", "import random\n\nCARDS = (", "rulebook.py, line 1.: random"),
    "clock": ("bronze", "rulebook.py", "CARDS = (", "from time import time\n\nCARDS = (", "rulebook.py, line 1.: time"),
    "endless": ("bronze", "rulebook.py", "        award(s, card, bids)\n", "        s.table.pile.cards.append(card)\n        s.round -= 1\n", "the match does not end"),
    "untold": ("bronze", "rulebook.py", '**reckoned(seat, "coins", was, bidder.coins, how)', "was=was, how=how", "match 0"),
    "open bid": ("bronze", "rulebook.py", "    bid: Secret[int] | None = None", "    bid: int | None = None", r"sees a difference: view.seats\.\d\.bid.value is \d+ or \d+"),
    "fails": ("bronze", "rulebook.py", "    (seat,) = highest\n", "    (seat,) = [9]\n", "match 0, rulebook.py, line 1..: KeyError: 9"),
    "lost coins": ("bronze", "rulebook.py", "        s.round += 1\n", "        s.round += 2\n", "each round takes a card"),
    "exit": ("bronze", "rulebook.py", "    (seat,) = highest\n", "    raise SystemExit(0)\n", "SystemExit"),
    "no check": ("bronze", "invariants.py", "def check(", "def checks(", "no function check"),
    "wrong check": ("bronze", "invariants.py", "from hub.engine.match import Match", "from hub.engine.match import Nothing", "ImportError"),
    "no score": ("bronze", "game.toml", 'scored = ["point", "points"]\n', "", "add scored or score"),
    "no such rule": ("bronze", "rulebook.py", 'rule="FG-08", kind="tie"', 'rule="FG-88", kind="tie"', "names FG-88, which is no rule"),
    "bad preset": ("bronze", "game.toml", "# --- how screens draw it", '[[presets]]\nname = "Rich"\neffect = "More coins."\noptions = { coin = 30 }\n# --- how screens draw it', "Rich: .*coin"),
    "no label": ("bronze", "game.toml", "[moves.bid]", "[moves.bidd]", r"matches offer the move bid, and there is no \[moves.bid\]"),
    "no rule": ("silver", "game.toml", 'FG-X02 = "The game has ended."\n', 'FG-X02 = "The game has ended."\nFG-77 = "Be kind."\n', "FG-77"),
    "shown secret": ("bronze", "rulebook.py", '    return {seat: answer["coins"] for seat, answer in answers.items()}\n', '    for seat in s.seats:\n        tell(s, say("Seat {seat} thinks of {coins}.", seat=seat, coins=s.seats[seat].bid.value), rule="FG-05")\n    await ask_all(s, {seat: [offer("bid", coins=1), offer("bid", coins=0)] for seat in s.seats}, "Again", into="bid")\n    return {seat: answer["coins"] for seat, answer in answers.items()}\n', "sees a difference: events.\\d+.text is 'Seat"),
    "wrong scenario": ("silver", "scenarios.toml", "seats.1.coins = 15\n", "seats.1.coins = 16\n", "'The highest bid pays and takes the card': line 4, 'seats.1.coins = 16': it is 15"),
    "no such key": ("silver", "scenarios.toml", 'name = "Seven are too many"\n', 'name = "Seven are too many"\nraed = 1\n', "raed"),
    "left out": ("silver", "guide.toml", '  ["All bids are revealed at the same time.", "FG-06"],\n', "", "FG-06"),
    "never": ("silver", "guide.toml", 'event = ["tie"]\nuntil = 8', 'event = ["flood"]\nuntil = 8', "lesson tie is never told"),
    "house imports": ("gold", "house.py", "from hub.engine.text import say\n", "from hub.engine.text import say\nfrom hub.engine.match import Match\n", "hub.engine.match"),
    "house fails": ("gold", "house.py", '    most = sight.me["coins"]\n', '    most = sight.me["money"]\n', "house.py, line ..: KeyError: 'money'"),
    "no reason": ("gold", "house.py", "def reason(", "def reasons(", "no function reason"),
    "weak house": ("gold", "house.py", 'return Answer("bid", {"coins": min(round(bid), most, richest + 1)})', 'return Answer("bid", {"coins": most})', "% of 60 matches"),
}  # fmt: skip


EXAMPLES = Path(games.__file__).parents[1] / "docs" / "examples" / "games"
ROLLED = '    await roll_hidden(s, dice, len(FACES), want, others, into="hand")\n'
BY_ITSELF = """    for seat in order:
        hand = [1 + await pick(s, list(range(6)), "dice") for _ in range(s.seats[seat].dice)]
        s.seats[seat].hand = Secret(sorted(hand), (seat,))
"""
TELL = '    tell(s, say("One die shows {face}.", face=s.seats[order[0]].hand.value[0]), rule="LD-04")\n'


@pytest.mark.parametrize("rolls", [ROLLED, BY_ITSELF], ids=["roll_hidden", "picks of its own"])
def test_a_hidden_die_that_an_event_tells_is_found(tmp_path: Path, rolls: str) -> None:
    folder = Path(copytree(EXAMPLES / "liars-dice", tmp_path / "liars-dice"))
    changed(folder, "rulebook.py", ROLLED, rolls)
    name = find_game(f"{folder}")
    for seed in range(6):
        keeps_hidden_cards(name, seed)
    changed(folder, "rulebook.py", rolls, rolls + TELL)
    for module in [module for module in sys.modules if module.startswith("liars_dice")]:
        del sys.modules[module]
    name = find_game(f"{folder}")
    with pytest.raises(AssertionError, match=r"sees a difference: events.\d+.text is 'One die shows"):
        [*map(partial(keeps_hidden_cards, name), range(6))]


@pytest.mark.slow
@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_in_a_game_is_found_and_named(tmp_path: Path, what: str) -> None:
    level, file, old, new, reason = WRONG[what]
    name = f"wrong-{what.replace(' ', '-')}"
    folder = new_game(name, tmp_path)
    ids = "".join(word[0] for word in name.split("-"))[:2].upper()
    changed(folder, file, *(text.replace("FG-", f"{ids}-") for text in (old, new)))
    if level == "silver":
        record(find_game(f"{folder}"))
    found = failures(folder, level)
    assert found
    assert any(re.search(reason.replace("FG-", f"{ids}-"), one.found) for one in found), [one.found for one in found]


def test_rules_that_changed_after_matches_were_recorded_are_found(tmp_path: Path) -> None:
    folder = new_game("late-tea", tmp_path)
    record(find_game(f"{folder}"))
    assert [one.found for one in failures(folder, "silver")] == []

    changed(
        folder,
        "rulebook.py",
        "    bidder, paid = s.seats[seat], bids[seat]\n",
        "    bidder, paid = s.seats[seat], bids[seat] // 2\n",
    )
    for module in [module for module in sys.modules if module.startswith("late_tea")]:
        del sys.modules[module]
    assert any("raise version in game.toml, then use --record" in one.found for one in failures(folder, "silver"))
    seen = (folder / "late_tea/playthroughs/seen.toml").read_text("utf-8")
    with pytest.raises(StartRefused, match=r"raise version in game\.toml above 1, then record again"):
        record(find_game(f"{folder}"))
    assert (folder / "late_tea/playthroughs/seen.toml").read_text("utf-8") == seen

    changed(folder, "game.toml", "version = 1\n", "version = 2\n")
    record(find_game(f"{folder}"))
    assert quality._looks_the_same("late-tea") == "4 matches"


def test_matches_in_which_only_the_words_changed_are_recorded_again_with_the_same_version(tmp_path: Path) -> None:
    folder = new_game("word-tea", tmp_path)
    record(find_game(f"{folder}"))
    changed(folder, "rulebook.py", '"Seat {seat} pays {coins}."', '"Seat {seat} has to pay {coins}."')
    for module in [module for module in sys.modules if module.startswith("word_tea")]:
        del sys.modules[module]
    find_game(f"{folder}")
    with pytest.raises(AssertionError, match=r"sees something else in a recorded match\. .* If you did, use --record"):
        quality._looks_the_same("word-tea")
    record("word-tea")
    assert quality._looks_the_same("word-tea") == "4 matches"


def test_a_translation_with_a_placeholder_of_its_own_is_found(tmp_path: Path) -> None:
    folder = new_game("pear-tea", tmp_path)
    (file,) = translate_game(f"{folder}", ["de"])
    catalogue = read(file)
    message = catalogue.get("Seat {seat} pays {coins}.", "pear-tea")
    assert message
    message.string = "Platz {seat} zahlt {coins}."
    file.write_bytes(written(catalogue))
    assert misplaced(file) == []
    message.string = "Platz {sitz} zahlt {coins}."
    file.write_bytes(written(catalogue))
    assert misplaced(file) == ["'Seat {seat} pays {coins}.': {seat}, {sitz}"]
    message.string = "Platz {seat} zahlt."
    file.write_bytes(written(catalogue))
    assert misplaced(file) == ["'Seat {seat} pays {coins}.': {coins}"]


@pytest.mark.parametrize(
    ("won_by", "is_met", "matches"),
    [
        (lambda number, hero: [hero], True, 60),
        (lambda number, hero: [seat for seat in (1, 2, 3, 4) if seat != hero % 4 + 1], True, 60),  # all but one win
        (lambda number, hero: [seat for seat in (1, 2, 3, 4) if seat != number // 4 % 4 + 1], False, 300),
        (lambda number, hero: [number // 4 % 4 + 1], False, 300),
        (lambda number, hero: [hero % 4 + 1], False, 60),
    ],
)
def test_a_house_player_must_win_more_than_its_share_however_many_win(
    monkeypatch: pytest.MonkeyPatch, won_by: Callable[[int, int], list[int]], is_met: bool, matches: int
) -> None:
    """It plays more matches as long as it is not clear."""
    numbers: list[int] = []

    def play_match(figure: Figure, number: int) -> Played:
        numbers.append(number)
        hero = 1 + number % figure.seats
        return Played(hero, dict.fromkeys(won_by(number, hero), 1.0), 1)

    monkeypatch.setattr(arena, "play_match", play_match)
    try:
        arena.beats_random_play("any", 4)
        assert is_met
    except AssertionError:
        assert not is_met
    assert numbers == [*range(matches)]


@pytest.mark.parametrize(
    ("failed", "level"),
    [
        ((), "platinum"),
        (("platinum",), "gold"),
        (("gold",), "silver"),
        (("silver", "gold"), "bronze"),
        (("bronze",), ""),
    ],
)
def test_a_level_needs_all_levels_below_it(failed: tuple[str, ...], level: str) -> None:
    def found(one: str) -> Result:
        return Result(Check(one, "", str), "", is_met=one not in failed)

    assert level_of([found(one) for one in LEVELS]) == level


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Odd", "'Odd' is no name for a game"), ("goofspiel", "a game goofspiel already"), ("settings", "already"),
        ("json", "Python has a module json"), ("class", "Python has a module class"), ("there", "is there already"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(HubError, match=sentence):
        new_game(name, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


SHELF = sorted(EXAMPLES.iterdir())


@pytest.mark.parametrize("example", SHELF, ids=[example.name for example in SHELF])
def test_a_copy_of_a_game_plays_under_its_new_name_and_proves_its_rules(tmp_path: Path, example: Path) -> None:
    folder = new_game("ivy-tea", tmp_path, example)
    name = find_game(f"{folder}")
    assert (name, games.find(name).title) == ("ivy-tea", "Ivy Tea")
    assert all(re.match(r"IT-[VX]?\d", rule) for rule in games.find(name).labels.rules)
    wanted = [check for check in quality.checks(name, 1) if check.title.startswith(("Every scenario", "The rulebook"))]
    assert [one.found for one in run(wanted, folder) if not one.is_met] == []
    assert len(wanted) == 3
    assert {file.name for file in folder.rglob("*.po")} == {"ivy-tea.po"}
    assert not [*folder.rglob("playthroughs")], "they are matches of the other game"
    for file in folder.rglob("*.po"):
        left = [text for text in untranslated(name, file) if text != "Ivy Tea"]
        assert left == [], "its translations are kept, but for the title"
    module = example.name.replace("-", "_")
    project = (folder / "pyproject.toml").read_text("utf-8")
    assert 'ivy-tea = "ivy_tea"' in project
    code = "".join(file.read_text("utf-8") for file in folder.rglob("*.py"))
    assert not re.search(rf"(from|import) {module}\b", code)


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("notes.txt", b"", "There is no game in a folder .*: it has no game.toml."),
        ("game.toml", b"name = (", "A file of .* cannot be read: Invalid value"),
        ("game.toml", b"\xff", "A file of .* cannot be read: 'utf-8' codec"),
    ],
)
def test_what_is_no_game_is_not_copied(tmp_path: Path, file: str, content: bytes, sentence: str) -> None:
    (tmp_path / "like").mkdir()
    (tmp_path / "like" / file).write_bytes(content)
    with pytest.raises(HubError, match=sentence):
        new_game("ivy-tea", tmp_path, tmp_path / "like")
    assert not (tmp_path / "ivy-tea").exists()


def test_scenarios_that_go_wrong_are_told_in_a_line_each(tmp_path: Path) -> None:
    folder = new_game("fig-tea", tmp_path)
    file = folder / "fig_tea" / "scenarios.toml"
    file.write_text(file.read_text("utf-8").replace("seats.1.coins = ", "seats.1.coins = 9"), "utf-8")
    (wrong,) = (one for one in failures(folder, "silver") if one.check.title.startswith("Every scenario"))
    lines = wrong.found.splitlines()
    assert 2 <= len(lines) <= quality.SHOWN_FAILURES + 1
    assert all(re.match("'.*': .*line [0-9]+, 'seats.1.coins = 9|and [0-9]+ more", line) for line in lines)


def test_sealed_bids_in_short_have_the_only_parameter_of_the_move(tmp_path: Path) -> None:
    folder = new_game("gum-tea", tmp_path)
    scenario = """game = "gum-tea"

[[scenario]]
name = "Bids in short"
rules = []
seats = 2
play = '''
bids 3 5
seats.1.last = 3
seats.2.last = 5
'''
"""
    file = folder / "gum_tea" / "scenarios.toml"
    file.write_text(scenario, "utf-8")
    find_game(f"{folder}")
    (one,) = scenarios.read(file)
    scenarios.play(one)
    one.play = "bids 3 99"
    with pytest.raises(AssertionError, match="line 1, 'bids 3 99'"):
        scenarios.play(one)
    one.play = "bids 3 many"
    with pytest.raises(AssertionError, match="line 1, 'bids 3 many'"):
        scenarios.play(one)


def test_sealed_bids_in_short_may_be_words() -> None:
    (one, *_) = [
        one for one in scenarios.read(files("tests.games.scenarios").joinpath("goofspiel.toml")) if one.seats == 2
    ]
    one.play, one.stack = "bids K 4", {}
    scenarios.play(one)


def test_a_game_is_found_in_its_package_and_in_the_project_around_it(tmp_path: Path) -> None:
    folder = new_game("two-ways", tmp_path)
    assert package_folder(folder) == package_folder(folder / "two_ways") == (folder / "two_ways").resolve()
    assert find_game(f"{folder}") == find_game(f"{folder / 'two_ways'}") == "two-ways"
    assert find_game("two-ways") == "two-ways", "it is known by its name now"


LABELS = {
    "path": ('main = "{table.card}"', 'main = "{table.crad}"', "[screen.phase.bid] main: no view has table.crad: did you mean table.card?"),
    "deep path": ("[screen]\n", '[screen]\nleader = "seats.1.coin"\n', "[screen] leader: no view has seats.1.coin: did you mean seats.1.coins?"),
    "fact of a seat": ('cell = "{points}"', 'cell = "{pionts}"', "[screen] cell: no view has pionts: did you mean points?"),
    "ring": ('ring = "last"', 'ring = "lsat"', "[screen] ring: no view has lsat: did you mean last?"),
    "kind": ('kind = "tie"', 'kind = "tei"', "[[screen.highlights]] number 2 kind: no event has the kind tei: did you mean tie?"),
    "number": ('most = "worth"', 'most = "wroth"', "[[screen.highlights]] number 1 most: no such event has wroth: did you mean worth?"),
    "field": ('kind = "tie"', 'kind = "take"\nby = "seatt"', "[[screen.highlights]] number 2 by: no such event has seatt: did you mean seat?"),
    "headline": ('headline = ["take", "tie"]', 'headline = ["take", "showdwon"]', "[screen] headline: no event has the kind showdwon"),
    "mark": ('tied = "tied"', 'tide = "tied"', "[screen] reveal: no reveal marks tide: did you mean tied?"),
    "phase": ("[screen.phase.bid]", "[screen.phase.bdi]", "[screen.phase.bdi]: no phase is bdi: did you mean bid?"),
    "fact": ('label = "The card"', 'label = "The card"\nhere = "tabel.card"', "[facts.card] here: no view has tabel.card: did you mean table.card?"),
}  # fmt: skip


def check_labels(tmp_path: Path, old: str, new: str) -> str:
    """Return what is found about the labels of a game with one change; "" if nothing is."""
    folder = new_game("name-tea", tmp_path)
    changed(folder, "game.toml", old, new)
    (check,) = (
        one for one in quality.checks(find_game(f"{folder}"), 1) if one.title.startswith("What the labels name")
    )
    (result,) = run([check], folder)
    return "" if result.is_met else result.found


@pytest.mark.parametrize("what", LABELS)
def test_a_name_in_the_labels_that_never_occurs_is_found_with_the_nearest_one(tmp_path: Path, what: str) -> None:
    old, new, sentence = LABELS[what]
    assert check_labels(tmp_path, old, new).startswith(sentence)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('main = "{table.card}"', 'main = "{table.coming.0} {seat.coins} {seat} {locked} {players} {round} {seats.2.points:+}"'),
        ('headline = ["take", "tie"]', 'headline = ["take", "undo", "over"]'),
        ('most = "worth"', 'most = "gain"'),
        ('most = "worth"', 'by = "seat"'),
        ("[screen]\n", '[screen]\nout = "locked"\nresult = ["coins"]\nmine = ["points"]\n'),
        ("[screen]\n", '[screen]\nleader = "table.card.of_nobody_knows_what"\n'),
    ],
)  # fmt: skip
def test_a_name_that_occurs_is_not_found_and_neither_is_what_was_always_empty(
    tmp_path: Path, old: str, new: str
) -> None:
    assert check_labels(tmp_path, old, new) == ""


def test_an_event_that_is_told_too_seldom_for_a_match_is_not_found(tmp_path: Path) -> None:
    folder = new_game("rare-tea", tmp_path)
    changed(
        folder,
        "rulebook.py",
        "def most_points(",
        'def rare(s: Table) -> None:\n    tell(s, "Rare.", kind="miracle")\n\n\ndef most_points(',
    )
    changed(folder, "game.toml", 'kind = "tie"', 'kind = "miracle"\nby = "seat"')
    (check,) = (
        one for one in quality.checks(find_game(f"{folder}"), 1) if one.title.startswith("What the labels name")
    )
    assert [one.is_met for one in run([check], folder)] == [True]


# --- Code that does not end ------------------------------------------------------------------------------

LOOP = "    while True:\n        pass\n"


@pytest.mark.parametrize(
    ("file", "old", "title", "found"),
    [
        ("rulebook.py", "    (seat,) = highest\n", "A match ends", r"match 0: rulebook\.py, line \d+: it does not end within 0\.2 s"),
        ("house.py", '    most = sight.me["coins"]\n', "The house plays a match", r"match 0: house\.py, line \d+: it does not end"),
        ("invariants.py", "    table, bidders = match.state.table, match.state.seats.values()\n", "A match ends", r"invariants\.py, line \d+: it"),
    ],
)  # fmt: skip
def test_code_that_does_not_end_is_named_with_its_line_and_nothing_after_it_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, title: str, found: str
) -> None:
    monkeypatch.setattr(time_limit, "SECONDS", 0.2)
    folder = new_game("slow-tea", tmp_path)
    changed(folder, file, old, LOOP)
    wanted = [one for one in quality.checks(find_game(f"{folder}"), 1) if one.title.startswith(title)]
    (result,) = run([*wanted, Check("platinum", "", str)], folder)
    assert re.search(found, result.found), result.found
    assert result.found.endswith("Look for an endless loop.")
    assert result.is_last


def test_a_game_whose_match_never_begins_is_one_sentence(tmp_path: Path) -> None:
    folder = new_game("stay-tea", tmp_path)
    changed(folder, "rulebook.py", '    coins: int = setup.options["coins"]\n', LOOP)
    with (
        pytest.raises(StartRefused, match=r"rulebook\.py, line \d+: it does not end within 0\.2 s of processor time\."),
        time_limit.limited("The start of a match", 0.2),
    ):
        find_game(f"{folder}")


def test_the_limit_counts_anew_with_each_match_and_is_gone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limit, "SECONDS", 1000.0)
    time_limit.begin_again()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0), "without a limit, nothing counts"
    before = signal.getsignal(signal.SIGPROF)
    with time_limit.limited("x", 500.0):
        assert 400 < signal.getitimer(signal.ITIMER_PROF)[0] < 600
        time_limit.begin_again()
        assert 900 < signal.getitimer(signal.ITIMER_PROF)[0] < 1100
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGPROF) is before


CATCHES = """
from hub.authoring import time_limit

time_limit.AGAIN = 0.1
with time_limit.limited("A match ends", 0.1):
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
"""


def test_code_that_catches_every_error_ends_the_program_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "rulebook.py").write_text(CATCHES)
    done = subprocess.run(
        [sys.executable, f"{tmp_path / 'rulebook.py'}"], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": f"{Path(__file__).parents[2]}"},
    )  # fmt: skip
    assert re.fullmatch(
        r"\nA match ends: rulebook\.py, line \d+: it does not end within 0\.1 s of processor time\. Look for an endless loop\. "
        r"It catches every error, so nothing else can be checked\.\n",
        done.stderr,
    )
    assert done.returncode == 1


# --- Sharp beside steady, and its time -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("won_by", "is_met", "matches"),
    [
        (lambda number, hero: [hero], True, 20),
        (lambda number, hero: [hero] if number % 4 == 0 else [hero % 4 + 1], True, 20),  # merely equal
        (lambda number, hero: [hero] if number % 5 == 0 else [hero % 4 + 1], True, 100),  # less, but not clearly
        (lambda number, hero: [hero] if number % 20 == 0 else [hero % 4 + 1], False, 60),
        (lambda number, hero: [1, 2, 3, 4], True, 20),  # all win together
    ],
)
def test_sharp_may_equal_steady_but_not_be_clearly_worse(
    monkeypatch: pytest.MonkeyPatch, won_by: Callable[[int, int], list[int]], is_met: bool, matches: int
) -> None:
    numbers: list[int] = []

    def play_match(figure: Figure, number: int) -> Played:
        assert figure == Figure("any", 4, "sharp", "steady")
        numbers.append(number)
        hero = 1 + number % figure.seats
        return Played(hero, dict.fromkeys(won_by(number, hero), 1.0), 1)

    monkeypatch.setattr(arena, "play_match", play_match)
    if is_met:
        arena.is_no_worse_than_steady("any", 4)
    else:
        with pytest.raises(
            AssertionError, match=r"sharp wins \d+% of 60 matches .*, its share is 25%: it must not choose"
        ):
            arena.is_no_worse_than_steady("any", 4)
    assert numbers == [*range(matches)]


@pytest.mark.parametrize(("ms", "warns"), [(9.9, False), (10.1, True)])
def test_a_decision_that_takes_long_is_a_warning_which_costs_no_level(tmp_path: Path, ms: float, warns: bool) -> None:
    folder = new_game("tick-tea", tmp_path)
    name = find_game(f"{folder}")
    clock = itertools.count(0.0, ms / 1000).__next__
    check = Check("gold", "", lambda: arena.decides_in_time(name, clock), has_figure=True)
    (result,) = run([check], folder)
    assert (result.warns, result.is_met) == (warns, True)
    assert result.found.startswith(
        f"95 of 100 take at most {ms:.1f} ms of processor time here, so at least 20 ms on a small computer"
    )
    assert level_of([result]) == "platinum"


# --- Names on boxes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("short", "found"), [("TWELVE LETTE", []), ("THIRTEEN LETT", ["THIRTEEN LETT"])])
def test_a_short_name_has_at_most_twelve_letters(tmp_path: Path, short: str, found: list[str]) -> None:
    folder = new_game("long-tea", tmp_path)
    changed(folder, "game.toml", 'short = "BID"', f'short = "{short}"')
    assert too_long(find_game(f"{folder}"), "en") == found


@pytest.mark.parametrize(("said", "found"), [("ZWÖLF LETTE", []), ("ZWÖLF LETTER", ["ZWOeLF LETTER"])])
def test_a_translated_short_name_counts_as_a_box_writes_it(tmp_path: Path, said: str, found: list[str]) -> None:
    name = "kurz-tea"
    (file,) = translate_game(f"{new_game(name, tmp_path)}", ["de"])
    catalogue = read(file)
    message = catalogue.get("BID", name)
    assert message
    message.string = said
    file.write_bytes(written(catalogue))
    forget_catalogs()
    assert too_long(name, "de") == found


def syntax(folder: Path) -> None:
    changed(folder, "rulebook.py", "CARDS = (", "CARDS = ((")


def no_name(folder: Path) -> None:
    changed(folder, "game.toml", 'name = "bad-tea"\n', "")


def old_api(folder: Path) -> None:
    changed(folder, "game.toml", "api = 1\n", "api = 99\n")


def ends_the_program(folder: Path) -> None:
    changed(folder, "rulebook.py", "CARDS = (", "raise SystemExit(0)\nCARDS = (")


def fails_at_the_start(folder: Path) -> None:
    changed(
        folder, "rulebook.py", '    coins: int = setup.options["coins"]\n', '    coins: int = setup.options["money"]\n'
    )


def no_toml(folder: Path) -> None:
    changed(folder, "game.toml", "version = 1\n", "version = \n")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [(syntax, "SyntaxError"), (no_name, 'has no name: write name = "bad-tea"'), (old_api, "newer table-hub"), (ends_the_program, "SystemExit"),
     (fails_at_the_start, "has no game that can be used: KeyError: 'money'"), (no_toml, "game.toml cannot be read")],
)  # fmt: skip
def test_a_game_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    folder = new_game("bad-tea", tmp_path)
    spoil(folder)
    with pytest.raises(StartRefused, match=sentence):
        find_game(f"{folder}")


@pytest.mark.parametrize("given", ["goofspiel", "nowhere"])
def test_a_game_that_is_no_author_s_is_refused(given: str) -> None:
    with pytest.raises(StartRefused):
        find_game(given)
