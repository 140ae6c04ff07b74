"""The players of `hub/docs/own_player.md`: the very files play whole matches, with the referee and at a running hub."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from phone_ui import javascript
from tests.e2e.hub_process import PROGRAM, HubProcess
from tests.free_port import free_port

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "phone_ui" / "examples"
MOST_LINES = 50  # of code, without comments
SECONDS = 300


def run(name: str, *args: object) -> tuple[int, str, str]:
    command = [javascript.node(), str(EXAMPLES / name), *map(str, args)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("game", ["bid-and-bait", "goofspiel"])
def test_a_program_plays_the_house_to_the_end_with_the_referee(game: str) -> None:
    code, said, errors = run("referee_player.js", game, 3, PROGRAM)
    assert (code, errors) == (0, "")
    over = json.loads(said)
    assert over["winners"]
    assert set(over["scores"]) == {"1", "2", "3"}


def test_what_the_referee_refuses_is_said() -> None:
    code, said, errors = run("referee_player.js", "chess", 3, PROGRAM)
    assert (code, said) == (1, "")
    assert errors.startswith("There is no game 'chess'")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    """A table for three, with a house that does not think for long: the player is tried, not patience."""
    folder, port = tmp_path_factory.mktemp("live"), free_port()
    config = folder / "table-hub.toml"
    config.write_text(
        f'[hub]\nstate = "{folder}/state"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'
        "[[table]]\nseats = 3\nhouse_seats = 2\nhouse_seconds = 0.05\n"
        '[[device]]\ndriver = "simulated"\nname = "bench"\nseats = 3\n'
    )
    command = [str(PROGRAM), "run", "--config", str(config)]
    with HubProcess(folder / "state", port, command, seats=3) as process:
        yield process


@pytest.mark.broker
@pytest.mark.slow
@pytest.mark.parametrize(("game", "seat"), [("bid-and-bait", 1), ("goofspiel", 2)])
def test_a_program_takes_a_seat_at_a_table_and_plays_a_match_to_its_end(hub: HubProcess, game: str, seat: int) -> None:
    before = hub.until(lambda s: str(seat) in s["claim_codes"], "the screen shows the code of the seat")
    others = {str(place["seat"]) for place in before["seats"] if place["house"]} - {str(seat)}
    assert others
    code, said, errors = run(
        "live_player.js", hub.address, before["code"], seat, before["claim_codes"][str(seat)], game
    )
    assert (code, errors) == (0, "")

    def left(state: dict[str, Any]) -> bool:
        return state["state"] == "over" and not state["seats"][seat - 1]["held"]

    state = hub.until(left, "the player has left the finished match")
    assert state["game"] == game
    assert state["over"] == json.loads(said)
    assert set(state["view"]["seats"]) == {str(seat), *others}
    assert state["played"][str(seat)] == f"Robot {seat}"
    assert hub.public.now["notices"] == before["notices"]


@pytest.mark.broker
def test_a_wrong_code_is_refused_in_the_hubs_sentence(hub: HubProcess) -> None:
    code, said, errors = run("live_player.js", hub.address, hub.public.now["code"], 1, "AAAAAA", "goofspiel")
    assert (code, said) == (1, "")
    assert "That is not the code of seat 1." in errors


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.js")), ids=lambda path: path.name)
def test_an_example_is_short_and_the_page_quotes_the_file_itself(file: Path) -> None:
    lines = [line.strip() for line in file.read_text("utf-8").splitlines()]
    code = [line for line in lines if line and not line.startswith(("//", "/*", "*"))]
    assert len(code) <= MOST_LINES
    page = (ROOT / "hub/docs/own_player.md").read_text("utf-8")
    assert f"```{{literalinclude}} ../../phone_ui/examples/{file.name}\n" in page
