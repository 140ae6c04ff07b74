"""The commands for authors of games, as an author types them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hub.authoring.watch import run_again
from tests.free_port import free_port
from tests.patience import PATIENCE

WRITE = "import sys, time; open(sys.argv[1], 'a').write('ran '); time.sleep(60)"


def table_hub(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hub", *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.slow
def test_an_author_s_way_from_the_first_command_to_a_translated_game(tmp_path: Path) -> None:
    begun = table_hub("new-game", "oak-tea", folder=tmp_path)
    assert begun.returncode == 0
    assert "table-hub play oak-tea --watch" in begun.stdout

    first = table_hub("check-game", "oak-tea", "--matches", "1", folder=tmp_path)
    assert first.stderr == ""
    assert first.stdout.endswith("Oak Tea is bronze. For silver, 1 check is left.\n")
    assert first.returncode == 0
    assert first.stdout.count("FAIL") == 3, "no matches are recorded, and two languages are missing"

    wanted = table_hub("check-game", "oak-tea", "--matches", "1", "--level", "gold", folder=tmp_path)
    assert wanted.returncode == 1
    recorded = table_hub("check-game", "oak-tea", "--matches", "1", "--record", "--level", "gold", folder=tmp_path)
    assert recorded.stdout.endswith("Oak Tea is gold. For platinum, 2 checks are left.\n")
    assert recorded.returncode == 0

    started = table_hub("translate-game", "oak-tea", "de", folder=tmp_path)
    assert started.stdout.endswith(
        "locale/de/LC_MESSAGES/oak-tea.po has the messages of the game now: 66 have no translation yet.\n"
    )
    again = table_hub("translate-game", "oak-tea", folder=tmp_path)
    assert again.stdout == "Every translation file has the messages of the game already.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("new-game", "Oak Tea"), "'Oak Tea' is no name for a game: use small letters, digits and hyphens, as in oh-hell.\n"),
        (("check-game", "nowhere"), "There is no game in a folder nowhere, and no package with a game 'nowhere' is installed.\n"),
        (("translate-game", "nowhere", "de"), "There is no game in a folder nowhere, and no package with a game 'nowhere' is installed.\n"),
        (("play", "nowhere", "--watch"), "There is no game in a folder nowhere: --watch needs the folder of its source.\n"),
        (("play", "nowhere"), "There is no game in a folder nowhere, and no package with a game 'nowhere' is installed.\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = table_hub(*arguments, folder=tmp_path)
    assert done.stderr == sentence
    assert done.stdout == ""
    assert done.returncode in (1, 2)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_game_is_not_checked_in_no_match(tmp_path: Path, number: str) -> None:
    done = table_hub("check-game", "nowhere", f"--matches={number}", folder=tmp_path)
    assert f"{number!r} is no number from 1 on" in done.stderr
    assert done.returncode == 2


def test_what_is_stopped_says_so_and_fails(tmp_path: Path) -> None:
    table_hub("new-game", "fir-tea", folder=tmp_path)
    rulebook = tmp_path / "fir-tea/fir_tea/rulebook.py"
    text = rulebook.read_text("utf-8").replace("    (seat,) = highest\n", "    raise KeyboardInterrupt\n")
    rulebook.write_text(text, "utf-8")
    done = table_hub("check-game", "fir-tea", folder=tmp_path)
    assert done.stderr == "\nStopped before all was checked.\n"
    assert done.returncode == 130


@pytest.mark.parametrize("command", ["check-game", "translate-game", "play"])
def test_a_game_that_ends_the_program_does_not_end_the_command_in_silence(tmp_path: Path, command: str) -> None:
    table_hub("new-game", "yew-tea", folder=tmp_path)
    rulebook = tmp_path / "yew-tea/yew_tea/rulebook.py"
    rulebook.write_text(f"{rulebook.read_text('utf-8')}\nraise SystemExit(0)\n", "utf-8")
    done = table_hub(command, "yew-tea", folder=tmp_path)
    assert "has no game that can be used: SystemExit" in done.stderr
    assert done.returncode == 1


def test_a_file_in_place_of_a_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = table_hub("new-game", "nut-tea", "--in", "file", folder=tmp_path)
    assert done.stderr == "file/nut-tea cannot be written (Not a directory): choose another folder with --in.\n"
    assert done.returncode == 1
    table_hub("new-game", "nut-tea", folder=tmp_path)
    (tmp_path / "nut-tea/nut_tea/locale").write_text("")
    done = table_hub("translate-game", "nut-tea", "de", folder=tmp_path)
    assert "cannot be used: Not a directory.\n" in done.stderr
    assert done.returncode == 1


def test_a_language_that_there_is_not_starts_nothing(tmp_path: Path) -> None:
    table_hub("new-game", "elm-tea", folder=tmp_path)
    done = table_hub("translate-game", "elm-tea", "de", "klingon", folder=tmp_path)
    assert done.stderr == "table-hub has no language 'klingon' to translate into: it has de, fr.\n"
    assert not [*tmp_path.rglob("*.po")]


@pytest.mark.real_time
def test_a_hub_starts_again_after_a_change_and_ends_with_its_author(tmp_path: Path) -> None:
    game, ran = tmp_path / "game", tmp_path / "ran"
    game.mkdir()
    (game / "rulebook.py").write_text("1")
    said: list[str] = []

    steps = ["rulebook.py", "guide.toml", ""]

    def wait(_: float) -> None:
        """Change a file each time once the program has begun, and stop it in the end."""
        if ran.exists() and ran.read_text().count("ran") == 4 - len(steps):
            file = steps.pop(0)
            if not file:
                raise KeyboardInterrupt
            (game / "notes.txt").write_text("no part of the game")
            (game / file).write_text("another text")
        time.sleep(0.05)

    command = [sys.executable, "-c", WRITE, f"{ran}"]
    with pytest.raises(KeyboardInterrupt):
        run_again(command, command, game, wait, said.append)
    assert said == ["rulebook.py changed: the hub starts again.", "guide.toml changed: the hub starts again."]


@pytest.mark.real_time
def test_only_the_first_start_has_what_is_for_the_first_start(tmp_path: Path) -> None:
    game, ran = tmp_path / "game", tmp_path / "ran"
    game.mkdir()
    write = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + ' ')"  # it ends by itself, as after an error

    def wait(_: float) -> None:
        done = ran.read_text().split() if ran.exists() else []
        if len(done) == 2:
            raise KeyboardInterrupt
        if done:
            (game / "house.py").write_text("1")
        time.sleep(0.05)

    again, first = ([sys.executable, "-c", write, f"{ran}", word] for word in ("again", "first"))
    with pytest.raises(KeyboardInterrupt):
        run_again(again, first, game, wait, lambda _: None)
    assert ran.read_text().split() == ["first", "again"]


@pytest.mark.slow
@pytest.mark.real_time
@pytest.mark.real_chance
def test_a_game_is_played_and_goes_on_after_a_change_and_after_a_mistake(tmp_path: Path) -> None:
    table_hub("new-game", "ash-tea", folder=tmp_path)
    log = tmp_path / "log"
    with log.open("w") as out:
        play = subprocess.Popen(
            [sys.executable, "-m", "hub", "play", "ash-tea", "--watch", f"--port={free_port()}", "--state=state"],
            cwd=tmp_path, stdout=out, stderr=out, env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
    house = tmp_path / "ash-tea/ash_tea/house.py"
    whole = house.read_text("utf-8")
    try:
        _until(log, "Stop with Ctrl-C", 1)
        house.write_text(f"{whole}\nx = (\n", "utf-8")
        _until(log, "SyntaxError: '(' was never closed (house.py", 1)
        house.write_text(whole, "utf-8")
        _until(log, "Stop with Ctrl-C", 2)
    finally:
        play.send_signal(signal.SIGTERM)
        play.wait(PATIENCE)
    assert "Traceback" not in log.read_text()


def _until(log: Path, text: str, times: int) -> None:
    end = time.monotonic() + PATIENCE
    while log.read_text().count(text) < times:
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)
