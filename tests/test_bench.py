"""What `make bench` keeps: table and picture are those of the raw lines, and the peers' locks are whole; what its parts leave behind."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hub import games
from hub.engine.printed import OPTION
from tests.bench import __main__ as program
from tests.bench import figures, hostile, peer
from tests.bench.figures import KEPT, PAGE, PICTURE, filled, note, number, picture, table
from tests.bench.inputs import Twins


def test_the_table_and_the_picture_are_those_of_the_kept_lines() -> None:
    run = json.loads(KEPT.read_text("utf-8"))
    assert PAGE.read_text("utf-8") == filled(PAGE.read_text("utf-8"), run), "python -m tests.bench.figures"
    assert PICTURE.read_text("utf-8") == picture(run["figures"]), "python -m tests.bench.figures"
    assert {"command", "when", "commit", "processor", "cores", "load before", "load after"} <= run.keys()


def test_a_peer_that_was_not_there_leaves_its_place_empty_and_a_budget_is_judged() -> None:
    lines = [
        {"what": "fanout, p50", "who": "ours", "unit": "ms", "n": 3, "value": 3.0, "raw": [3.0]},
        {"what": "fanout, p50", "who": "boardgame.io", "unit": "ms", "n": 3, "value": 1.5, "raw": [1.5]},
        {"what": "six at once", "who": "ours", "unit": "of 6", "n": 3, "value": 6, "raw": [6]},
    ]
    head, _, *rows = table(lines)
    assert head == "| measurement | ours | boardgame.io | Colyseus | OpenSpiel | RLCard | budget | met |"
    assert rows[0].endswith("| 3 ms | 1.5 (**2**) |  |  |  | <= boardgame.io | **not met** |")
    assert rows[1].endswith("| 6 of 6 |  |  |  |  | 6 of 6 | met |")
    assert picture(lines).count("<circle") == len(figures.PEERS) + 1


def test_of_many_values_the_figure_is_exact_and_the_raw_ones_are_medians_of_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note("nobody asked", "ours", "ms", 1.0)
    monkeypatch.setenv(figures.FILE, str(tmp_path / "lines"))
    note("all", "ours", "ms", *range(600))
    note("all, p99", "ours", "ms", *range(600), at=0.99)
    note("all, least", "ours", "ms", *range(600), at=0)
    told = [json.loads(line) for line in (tmp_path / "lines").read_text("utf-8").splitlines()]
    assert [round(one["value"]) for one in told] == [300, 594, 0]
    assert [len(one["raw"]) for one in told] == [figures.MOST] * 3
    assert [number(value) for value in (12345.6, 0.01234, 6)] == ["12,346", "0.0123", "6"]


def test_the_peers_locks_are_whole_and_name_no_registry() -> None:
    packages = json.loads(peer.LOCK.read_text("utf-8"))["packages"]
    asked = json.loads((peer.FOLDER / "package.json").read_text("utf-8"))["dependencies"]
    assert packages[""]["dependencies"] == asked
    for name, one in packages.items():
        assert not name or "integrity" in one, name
        assert "resolved" not in one, name
        assert peer.NATIVE not in json.dumps(one), name
    pins = peer.PINS.read_text("utf-8")
    assert "://" not in pins
    assert {"open-spiel", "rlcard"} <= {line.partition("==")[0] for line in pins.splitlines()}


def test_without_the_peers_a_measurement_says_so_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "FOLDER", tmp_path)
    with pytest.raises(peer.Absent, match=r"boardgame\.io and Colyseus are not installed, so they are not measured"):
        peer.Peer("server.js")
    monkeypatch.setattr(peer, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    (tmp_path / "python.txt").write_text("no-such-package-of-ours==1.0 --hash=sha256:00\n")
    monkeypatch.setattr(peer, "PINS", tmp_path / "python.txt")
    monkeypatch.setenv("UV_OFFLINE", "1")
    with pytest.raises(peer.Absent, match="OpenSpiel and RLCard cannot be installed, so the rest is measured without"):
        peer.install()
    assert not (tmp_path / ".venv" / "table-hub.stamp").exists()


def test_numbers_of_matches_may_stand_before_a_measurement_or_behind_it() -> None:
    for words in ("--matches 1 20 crowd", "crowd --matches 1 20"):
        args = program.arguments(words.split())
        assert (args.wanted, args.matches) == (["crowd"], [1, 20])
    assert program.arguments([]).matches == []
    assert program.arguments(["--matches", "7"]).wanted == []


@pytest.mark.parametrize("attack", [hostile.BY_STRANGERS["strangers' pings"], hostile.BY_STRANGERS["empty frames"]])
def test_an_attack_that_is_called_off_leaves_no_task_and_no_connection(attack: Any) -> None:
    async def attacked() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            try:
                while await reader.read(65536):
                    begun.set()
            except ConnectionResetError:
                pass
            ended.set()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        attacker = hostile.Attacker(port, b"", "127.0.0.1")
        before = asyncio.all_tasks()
        attacking = asyncio.create_task(attacker.again_and_again(attack))
        async with asyncio.timeout(10):
            await begun.wait()
            while not any("_drain" in repr(task) for task in asyncio.all_tasks()):
                await asyncio.sleep(0)
            attacking.cancel()
            await asyncio.gather(attacking, return_exceptions=True)
            left = [repr(task) for task in asyncio.all_tasks() - before if "_drain" in repr(task)]
            assert left == []
            await ended.wait()
        server.close()

    asyncio.run(attacked())


@pytest.mark.parametrize("name", [name for name in games.names() if OPTION in games.find(name).options])
def test_a_match_with_printed_cards_that_is_told_the_same_moves_ends_the_same(name: str) -> None:
    """Who wins is compared while it is played; it takes fewer touches only where cards are not named."""
    for seed in range(2):
        done = Twins(games.find(name), seed).play()
        assert 0 < done.printed_answers <= done.printed_touches
        assert 0 < done.answers <= done.touches
        assert done.by_hand > 0


def test_a_set_of_printed_fish_is_no_question_after_each_catch() -> None:
    """BB-V09: who is asked at all is asked after the last roll."""
    asked = 0
    for seed in range(10):
        twins = Twins(games.find("bid-and-bait"), seed)
        done = twins.play()
        asked += sum(entry.move in ("show_set", "no_set") for entry in twins.printed.log)
        assert done.printed_answers <= done.answers + 0.5
    assert asked <= 15, "once or twice in a match"
