"""The referee as a program: lines in, lines out."""

from __future__ import annotations

import io
import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from hub import games
from hub.authoring.new_game import new_game
from hub.authoring.players import random_options
from hub.chance import Chance
from hub.errors import LogError
from hub.operations.referee import MAX_LINE, Referee, list_games, read_log, referee, replay
from tests.random_client import play

GAME = "bid-and-bait"


class Program:
    """`table-hub referee` and `replay`, called with the arguments of a command line."""

    def __init__(self, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capture, self._patch = capfdbinary, monkeypatch

    def referee(
        self, *lines: Any, game: str = GAME, seats: int = 2, **given: Any
    ) -> tuple[int, list[dict[str, Any]], str]:
        raw = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
        self._patch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(raw)))
        args = {"option": [], "house": [], "seed": 1, "stack": None, "deck": None, "log": None} | given
        return self._ran(referee(Namespace(game=game, seats=seats, **args)))

    def replay(self, file: Path, deck: Path | None = None) -> tuple[int, list[dict[str, Any]], str]:
        return self._ran(replay(Namespace(file=str(file), deck=deck)))

    def _ran(self, code: int) -> tuple[int, list[dict[str, Any]], str]:
        sys.stdout.flush()
        answers, stderr = self._capture.readouterr()
        return code, [json.loads(line) for line in answers.splitlines()], stderr.decode()


@pytest.fixture
def program(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Program:
    return Program(capfdbinary, monkeypatch)


# --- Starts that cannot be made --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"game": "chess"},
        {"game": "../bid_and_bait"},
        {"seats": 1},
        {"seats": 6},
        {"seats": -2},
        {"option": ["dumy=true"]},
        {"option": ["dummy=yes"]},
        {"option": ["dummy=1"]},
        {"option": ["dummy"]},
        {"option": ["dummy=true", "dummy=true"]},
        {"option": ["sides=BBBBBBBBB"]},
        {"option": ["sides=babbbbabba"]},
        {"option": ["sides=1111111111"]},
        {"option": ["bait_supply=5"]},
        {"option": ["bait_supply=--5"]},
        {"option": ["bait_supply=" + "9" * 6000]},
        {"option": ["bait_supply=٣٠"]},
        {"option": ["dummy=true"], "seats": 3},
        {"stack": "/nowhere/at/all.json"},
        {"log": "/nowhere/at/all.jsonl"},
    ],
)
def test_a_bad_start_is_one_sentence_and_exit_2(program: Program, given: dict[str, Any]) -> None:
    code, answers, stderr = program.referee(**given)
    assert (code, answers) == (2, [])
    assert stderr.count("\n") == 1
    assert stderr.strip().endswith((".", "?"))


@pytest.mark.parametrize(
    "stack",
    [
        "", "[]", "{", '{"fish":', '{"fish":"eel"}', '{"fish":["shark"]}', '{"fish":["eel","eel","eel","eel","eel","eel","eel"]}',
        '{"fish":[["eel"]]}', '{"fish":[1]}', '{"duck":3}', '{"duck":"1"}', '{"duck":true}', '{"duck":[1]}', '{"deck":[]}',
        '{"duck":1,"duck":2}', '{"duck":NaN}', "[" * 100_000, b"\xff\xfe",
    ],
)  # fmt: skip
def test_a_bad_stack_is_one_sentence_and_exit_2(program: Program, tmp_path: Path, stack: str | bytes) -> None:
    path = tmp_path / "stack.json"
    path.write_bytes(stack if isinstance(stack, bytes) else stack.encode())
    code, answers, stderr = program.referee(stack=str(path))
    assert (code, answers) == (2, [])
    assert stderr.count("\n") == 1


def test_a_stack_sets_the_table(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "stack.json"
    path.write_text('{"fish": ["eel", "pike"], "duck": 2}')
    _, answers, _ = program.referee({"show": "table"}, stack=str(path))
    assert answers[1]["view"]["table"]["spots"][0]["fish"] == ["eel", "pike"]
    assert answers[1]["view"]["table"]["duck"] == 2


def test_a_stack_that_turns_out_wrong_in_the_match_ends_it_with_one_sentence_and_exit_2(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "stack.json"
    path.write_text('{"first": 1, "deck": [20, 41, 30, 25, 46, 34, 36, 60], "picks": [7]}')
    lines = [
        {"seat": 1, "move": "auction"}, *({"seat": seat, "move": "bid", "card": card} for seat, card in ((1, 41), (2, 30), (3, 25))),
        {"seat": 2, "move": "auction"}, *({"seat": seat, "move": "bid", "card": card} for seat, card in ((1, 46), (2, 34), (3, 36))),
        {"seat": 1, "move": "skip", "card": 60, "place": 0},
        {"show": "table"},
    ]  # fmt: skip
    code, answers, stderr = program.referee(
        *lines, game="i-bid-you-not", seats=3, option=["actions=false"], stack=str(path)
    )
    assert code == 2
    assert [line["ok"] for line in answers] == [
        True
    ] * 9  # the opening and eight lines; the one that drew has no answer
    assert stderr == "The stack's picks is 7, which is none of [0].\n"


def test_a_match_may_be_played_with_cards_of_ones_own(program: Program, tmp_path: Path) -> None:
    deck, log = tmp_path / "mine.toml", tmp_path / "log.jsonl"
    deck.write_text('[cards]\n5 = { copies = 6 }\n"*" = { copies = 6 }\n')
    code, answers, _ = program.referee({"show": 1}, game="bid-it", deck=deck, log=str(log))
    assert code == 0
    assert set(answers[1]["view"]["you"]["hand"]) <= {"5", "*"}
    assert program.replay(log, deck)[0] == 0
    code, _, stderr = program.replay(log)
    assert code == 1
    assert "The match began with other rules or cards" in stderr


def test_cards_of_ones_own_that_are_no_deck_are_refused_with_their_line(program: Program, tmp_path: Path) -> None:
    deck = tmp_path / "mine.toml"
    deck.write_text("# counted from the box\n[cards]\n5 = { copies = 6 }\n57 = { copies = 1 }\n")
    code, answers, stderr = program.referee(game="bid-it", deck=deck)
    assert (code, answers) == (2, [])
    assert stderr == f"{deck}, line 4: '57' has the symbol '7': there are 1 to 6 and *.\n"


# --- A game in a folder ----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a new game, of which nothing is known before and after the test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield new_game("bay-tea", tmp_path)
    games.packaged().games.pop("bay-tea", None)
    for module in [module for module in sys.modules if module.split(".")[0] == "bay_tea"]:
        del sys.modules[module]


def test_a_game_in_a_folder_is_played_as_by_its_name(program: Program, folder: Path) -> None:
    lines = [{"show": "table"}, {"seat": 1, "move": "bid", "coins": 3}, {"seat": 1, "move": "bid", "coins": 99}]
    played = program.referee(*lines, game=str(folder))
    assert [line["ok"] for line in played[1]] == [True, True, True, False]
    assert program.referee(*lines, game="bay-tea") == played, "it is known by its name now"
    assert program.referee(*lines, game=str(folder / "bay_tea")) == played


def test_a_name_is_not_looked_for_in_a_folder(program: Program, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = program.referee({"show": "table"})
    folder.rename(folder.with_name(GAME))
    monkeypatch.chdir(folder.parent)
    assert program.referee({"show": "table"}) == expected
    assert program.referee({"show": "table"}, game=f"./{GAME}")[1][1]["view"]["game"] == "bay-tea"


def test_where_rules_of_a_package_fail_is_told_on_standard_error(program: Program, folder: Path) -> None:
    rulebook = folder / "bay_tea" / "rulebook.py"
    text = rulebook.read_text("utf-8")
    rulebook.write_text(text.replace("    (seat,) = highest\n", "    (seat,) = highest[9]\n"), "utf-8")
    number = text[: text.index("    (seat,) = highest\n")].count("\n") + 1
    bids = [{"seat": 1, "move": "bid", "coins": 3}, {"seat": 2, "move": "bid", "coins": 4}]
    _, answers, stderr = program.referee(*bids, {"show": "table"}, game=str(folder))
    assert [line["ok"] for line in answers] == [True, True, False, True]
    assert answers[2]["code"] == "FAULT"
    assert stderr == f"rulebook.py, line {number}: IndexError: list index out of range.\n"


def test_rules_of_a_package_may_fail_before_the_first_question(program: Program, folder: Path) -> None:
    rulebook = folder / "bay_tea" / "rulebook.py"
    text = rulebook.read_text("utf-8")
    rulebook.write_text(text.replace("    s.table.card, s.phase = card,", "    s.card, s.phase = card,"), "utf-8")
    code, answers, stderr = program.referee(game=str(folder))
    assert (code, answers) == (2, [])
    assert stderr == "rulebook.py, line 71: AttributeError: 'State' object has no attribute 'card'.\n"


def test_where_the_house_of_a_package_fails_is_told_as_well(program: Program, folder: Path) -> None:
    house = folder / "bay_tea" / "house.py"
    text = house.read_text("utf-8")
    fails = '    most = sight.me["coins"] // (len(sight.table["coming"]) - 6)\n'  # in the second round
    house.write_text(text.replace('    most = sight.me["coins"]\n', fails, 1), "utf-8")
    bids = [{"seat": 1, "move": "bid", "coins": 3}]
    _, answers, stderr = program.referee(*bids, game=str(folder), house=["2"])
    assert [line["ok"] for line in answers] == [True, False]
    assert re.fullmatch("house.py, line [0-9]+: ZeroDivisionError: integer division or modulo by zero.\n", stderr)


def test_rules_of_a_package_may_end_before_the_first_question(program: Program, folder: Path) -> None:
    rulebook = folder / "bay_tea" / "rulebook.py"
    text = rulebook.read_text("utf-8")
    rulebook.write_text(text.replace("    s.table.pile.cards = await", "    return\n    await"), "utf-8")
    assert program.referee(game=str(folder)) == (2, [], "The rules ended without a winner.\n")


def test_a_folder_without_a_game_is_no_game_and_a_broken_game_is_one_sentence(
    program: Program, folder: Path, tmp_path: Path
) -> None:
    assert program.referee(game=str(tmp_path / "nothing")) == (
        2, [], f"There is no game '{tmp_path / 'nothing'}': there are {', '.join(games.names())}.\n",
    )  # fmt: skip
    (folder / "bay_tea" / "rulebook.py").write_text("x = (\n")
    code, answers, stderr = program.referee(game=str(folder))
    assert (code, answers) == (2, [])
    assert "has no game that can be used: SyntaxError: '(' was never closed" in stderr
    assert stderr.count("\n") == 1


# --- Lines -----------------------------------------------------------------------------------------------

BID = {"seat": 1, "move": "bid", "number": 3}
NOT_LINES: list[bytes] = [
    b"", b"   ", b"hello", b"{", b"[]", b"1", b"null", b'"roll"', b"{}", b"\xff\xfe\x00", b'{"seat":1,"move":"b\xffd"}',
    b'{"show":"table"} {"show":"table"}', b'{"show":"table","show":"table"}', b'{"roll":[NaN]}', b'{"roll":[Infinity]}',
    b'{"seat":' + b"9" * 5000 + b"}", b"[" * 60_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000, b"\xef\xbb\xbf{}",
    b'{"seat":1,"move":"bid","number":3,"pad":"' + b"x" * MAX_LINE + b'"}', b'{"seat":1,"move":"\\ud800"}',
    b'{"seat":1,"move":"bid","\\ud800":1}', b'{"roll":[3],"\\ud800":1}', b'{"seat":"1","move":"bid","number":3}',
    b'{"seat":1.0,"move":"bid","number":3}', b'{"seat":true,"move":"bid","number":3}', b'{"seat":null,"move":"bid","number":3}',
    b'{"seat":0,"move":"bid","number":3}', b'{"seat":3,"move":"bid","number":3}', b'{"seat":-1,"move":"bid","number":3}',
    b'{"seat":1,"move":3}', b'{"seat":1}', b'{"move":"bid","number":3}', b'{"seat":1,"move":"bid","number":3,"read":"typed"}',
    b'{"seat":1,"move":"bid"}', b'{"show":"me"}', b'{"show":true}', b'{"show":1.0}', b'{"show":7}', b'{"show":0}', b'{"show":null}',
    b'{"show":[1]}', b'{"show":"table","seat":1}', b'{"undo":"1"}', b'{"undo":true}', b'{"undo":1.0}', b'{"undo":-1}',
    b'{"undo":0}', b'{"undo":1,"seat":1}', b'{"roll":[3],"move":"bid"}', b'{"roll":[3],"seat":"1"}', b'{"undo":1,"show":1}',
]  # fmt: skip


@pytest.mark.parametrize("line", NOT_LINES, ids=lambda line: line[:30].decode(errors="replace"))
def test_a_line_of_the_wrong_form_is_refused_and_the_program_goes_on(program: Program, line: bytes) -> None:
    code, answers, stderr = program.referee({"show": "table"}, line, {"show": "table"}, BID)
    assert (code, stderr) == (0, "")
    assert len(answers) == 5, "one line for each line in, and the first"
    assert answers[2].keys() == {"ok", "error", "code"}
    assert (answers[2]["ok"], answers[2]["code"]) == (False, "FORM")
    assert answers[2]["error"].endswith(".")
    assert answers[1] == answers[3]
    assert answers[4]["ok"]


def test_the_end_of_input_ends_the_program(program: Program) -> None:
    code, answers, stderr = program.referee()
    assert (code, len(answers), stderr) == (0, 1, "")
    assert answers[0].keys() == {"ok", "events", "waiting"}


def test_waiting_tells_all_and_views_only_what_their_seat_may_know(program: Program) -> None:
    _, answers, _ = program.referee(BID, {"show": 1}, {"show": 2}, {"show": "table"}, stack=None)
    move = {"move": "bid", "number": {"min": 1, "max": 6}}
    assert answers[1]["waiting"] == {"seats": {"1": [move], "2": [move]}, "secret": True}
    assert answers[2]["view"]["waiting"] == {"seats": {"1": [move], "2": []}, "secret": True}
    assert answers[3]["view"]["waiting"] == {"seats": {"1": [], "2": [move]}, "secret": True}
    assert answers[4]["view"]["waiting"] == {"seats": ["1", "2"], "secret": True}
    assert answers[2]["view"]["you"]["bid"] == 3
    assert answers[3]["view"]["you"]["bid"] is None
    assert "you" not in answers[4]["view"]
    assert answers[4]["view"].keys() == {"game", "round", "phase", "table", "seats", "waiting"}


def test_the_facts_have_their_names(program: Program) -> None:
    _, answers, _ = program.referee({"show": 1})
    view = answers[1]["view"]
    assert view["game"] == GAME
    assert view["round"] == 1
    assert {"spots", "duck", "pile", "discards", "order"} <= view["table"].keys()
    assert {"number", "side", "fish", "taken"} <= view["table"]["spots"][0].keys()
    assert {"fish", "fish_count", "baits", "spots", "bid", "locked"} <= view["seats"]["1"].keys()
    assert view["you"].keys() == {"secret_fish", "bid"}


def test_a_roll_may_name_the_roller_and_says_how_it_was_read(program: Program) -> None:
    lines = [{"seat": 1, "move": "bid", "number": 5}, {"seat": 2, "move": "bid", "number": 2}]
    for roll in ({"roll": [6]}, {"roll": [6], "read": "read"}, {"roll": [6], "read": "hub", "seat": 1}):
        _, answers, _ = program.referee(*lines, roll)
        assert answers[2]["waiting"] == {"roll": {"seat": 1, "count": 1, "sides": 6, "for": "rod"}}
        assert answers[3]["ok"]
    _, answers, _ = program.referee(*lines, {"roll": [6], "seat": 2})
    assert answers[3]["code"] == "BB-X03"


def test_after_the_end_every_move_is_refused_and_show_goes_on(program: Program) -> None:
    random = Random(5)
    judge = Referee(games.find(GAME), 3, {}, Chance(5))
    _, over = play(judge.opening(), judge.line, random)
    assert over.keys() == {"winners", "scores", "why"}
    for line in ('{"roll":[1]}', '{"seat":1,"move":"bid","number":3}', '{"seat":2,"move":"done"}'):
        assert json.loads(judge.line(line))["code"] == "BB-X13"
    for viewer in ('"table"', "1", "3"):
        assert json.loads(judge.line(f'{{"show":{viewer}}}'))["view"]["phase"] == "over"


# --- Logs ------------------------------------------------------------------------------------------------


def recorded(program: Program, path: Path, **given: Any) -> list[bytes]:
    """The lines of a log of a match that went on for a while, with something taken back on the way."""
    judge = Referee(games.find(GAME), 2, {}, Chance(3))
    lines: list[dict[str, Any]] = []

    def line(text: str) -> str:
        lines.append(json.loads(text))
        return judge.line(text)

    play(judge.opening(), line, Random(3))
    lines[:1] = [lines[0], {"undo": 1}, {"show": 1}, {"nonsense": 1}, lines[0]]
    code, answers, stderr = program.referee(*lines, seed=3, log=str(path), **given)
    assert (code, stderr) == (0, "")
    assert "over" in answers[-1]
    return path.read_bytes().splitlines(keepends=True)


def test_a_log_replays_to_the_same_end(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    lines = recorded(program, log)
    code, answers, stderr = program.replay(log)
    assert (code, stderr) == (0, "")
    assert answers[0]["ok"]
    assert answers[0]["over"]["winners"]
    assert answers[0]["entries"] == len(lines) - 2


def test_a_log_cut_anywhere_replays_as_far_as_it_goes(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "match.jsonl"
    whole = b"".join(recorded(program, log))
    for length in (len(whole) - 3, len(whole) // 2, len(whole) // 3):
        log.write_bytes(whole[:length])
        code, answers, _ = program.replay(log)
        assert code == 0
        assert answers[0]["entries"] == whole[:length].count(b"\n") - 1


@pytest.mark.parametrize(
    "what", ["dropped", "doubled", "value", "asked", "state", "end", "head", "data", "seats", "junk", "empty"]
)
def test_a_log_that_was_edited_is_not_believed(program: Program, tmp_path: Path, what: str) -> None:
    log = tmp_path / "match.jsonl"
    lines = recorded(program, log)
    bid = next(n for n, line in enumerate(lines) if b'"bid"' in line)
    match what:
        case "dropped":
            del lines[bid]
        case "doubled":
            lines.insert(-2, lines[-2])
        case "value":
            taken = next(n for n, line in enumerate(lines) if b'"slot"' in line)
            slot = json.loads(lines[taken])["args"]["slot"]
            lines[taken] = lines[taken].replace(b'"slot":%d' % slot, b'"slot":%d' % (3 - slot))
        case "asked":
            lines[bid] = lines[bid].replace(b'"asked":', b'"asked":1')
        case "state" | "end":
            key = b'"state":"' if what == "state" else b'"end":"'
            at = next(n for n, line in enumerate(lines) if key in line)
            start = lines[at].index(key) + len(key)
            lines[at] = lines[at][:start] + b"0" * 16 + lines[at][start + 16 :]
        case "head":
            lines[0] = re.sub(rb'"version":(\d+)', rb'"version":9\1', lines[0])
        case "data":
            lines[0] = lines[0].replace(b'"digest":"', b'"digest":"0')
        case "seats":
            lines[0] = lines[0].replace(b'"seats":[1,2]', b'"seats":[1,2,3]')
        case "junk":
            lines[bid] = b"junk\n"
        case "empty":
            lines = []
    log.write_bytes(b"".join(lines))
    code, answers, stderr = program.replay(log)
    assert (code, answers) == (1, [])
    assert stderr.count("\n") == 1
    assert stderr.strip().endswith(".")


def test_a_log_that_is_not_there_is_one_sentence(program: Program, tmp_path: Path) -> None:
    code, answers, stderr = program.replay(tmp_path / "none.jsonl")
    assert (code, answers) == (1, [])
    assert stderr.count("\n") == 1


# --- Strangers -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", games.names())
def test_a_stranger_plays_from_waiting_alone(name: str) -> None:
    game = games.find(name)
    for seed in range(10):  # each number of seats twice, with other options
        random = Random(seed)
        seats = game.seats[0] + seed % (game.seats[1] - game.seats[0] + 1)
        judge = Referee(game, seats, random_options(game, seats, random), Chance(seed))
        lines, over = play(judge.opening(), judge.line, random)
        assert lines > 0
        assert over["winners"]


def test_games_are_listed_with_their_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_games(Namespace(game=None)) == 0
    assert GAME in capsys.readouterr().out
    assert list_games(Namespace(game=GAME)) == 0
    output = capsys.readouterr().out
    assert all(f"  {name}=" in output for name in games.find(GAME).options)
    assert list_games(Namespace(game="chess")) == 2


@pytest.mark.parametrize("line", [b"\xc0\x80", b'{"game":"\xff"}', b"[" * 5000, b"null"])
def test_a_log_with_a_line_of_any_bytes_is_refused_with_a_sentence(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "a.log").write_bytes(line + b"\n")
    with pytest.raises(LogError, match=r"is broken at entry 0: "):
        read_log(str(tmp_path / "a.log"))


# --- Seats of the house ------------------------------------------------------------------------------------


@pytest.mark.parametrize("house", [["4"], ["0"], ["2", "2"], ["2=best"], ["2="], ["=easy"], ["two"], ["٢"]])
def test_a_house_that_cannot_be_is_one_sentence_and_exit_2(program: Program, house: list[str]) -> None:
    code, answers, errors = program.referee(seats=3, house=house)
    assert (code, answers) == (2, [])
    assert errors.startswith("--house wants a seat from 1 to 3")


def test_the_house_plays_its_seats_until_another_one_is_asked(program: Program, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    given: dict[str, Any] = {"game": "goofspiel", "seats": 3, "house": ["2", "3=sharp"], "log": str(log)}
    _, (opening,), _ = program.referee(**given)
    assert opening["waiting"]["secret"]
    card = opening["waiting"]["seats"]["1"][0]["card"]
    move = {"seat": 1, "move": "bid", "card": card["one_of"][0]}
    _, (_, answer), _ = program.referee(move, **given)
    assert answer["ok"]
    assert answer["events"], "all three have bid"
    _, entries, _ = read_log(str(log))
    assert {entry.seat for entry in entries} >= {1, 2, 3}
    again = program.referee(move, **given)[1]
    assert again[1] == answer, "the seed makes the house the same"
    assert program.replay(log)[0] == 0


def test_what_the_house_has_done_is_not_taken_back(program: Program) -> None:
    _, (_, answer), _ = program.referee({"undo": 1}, game="goofspiel", seats=2, house=["2"])
    assert (answer["ok"], answer["error"]) == (False, "The house has acted since, so the move cannot be taken back.")


def test_the_house_alone_plays_a_whole_match(program: Program) -> None:
    _, (opening,), _ = program.referee(seats=2, house=["1", "2=easy"])
    assert opening["over"]["winners"]
